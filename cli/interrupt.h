// Ctrl-C that asks instead of kills: the work stops at its next look, and says what it has.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

// From here on the first SIGINT, SIGTERM or SIGHUP is noted; a second one ends the program, as does
// the first after interrupt_end. A signal that is ignored stays so.
void interrupt_begin(void);
bool interrupt_came(void);
void interrupt_end(void);

// Files that a signal which ends the program removes, INTERRUPT_FILES of them at most; false: there
// is no more room. The text must stay until it is let go.
enum { INTERRUPT_FILES = 32 };
bool interrupt_removes(char *path);
void interrupt_keeps(const char *path);  // not this one any more
// Removes them, for an end from which nothing returns. Allocates nothing.
void interrupt_remove(void);

#endif
