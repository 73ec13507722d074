// Ctrl-C that asks instead of kills: the work stops at its next look, and says what it has.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

// From here on the first SIGINT, SIGTERM or SIGHUP is noted; a second one ends the program, as does
// the first after interrupt_end. A signal that is ignored stays so.
void interrupt_begin(void);
bool interrupt_came(void);
void interrupt_end(void);

// A file that a signal which ends the program removes; NULL: none. One at a time.
void interrupt_removes(char *path);
// Removes it, for an end from which nothing returns. Allocates nothing.
void interrupt_remove(void);

#endif
