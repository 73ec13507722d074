// Options of a command: a table says what there is, one parser reads them.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>

typedef struct option {
  const char *name;   // "--at", or "-o" for an option with a letter only
  const char *value;  // what the help calls its value; NULL for a flag
  bool repeats;       // may be given more than once
  const char *help;   // lines for the help; "" keeps it out
} option;

typedef struct given_option {
  int option;         // index into the table
  const char *value;  // NULL for a flag
} given_option;

typedef struct options {
  int argc;  // the words as they were given
  char **argv;
  const option *table;
  int table_size;
  given_option *given;  // in their order
  int given_count;
  const char **words;  // what is not an option
  int word_count;
} options;

// Reads "--name value", "--name=value", "-o value", "-ovalue"; "--" ends the options, "-" is a
// word. Returns 0, or says what is wrong on standard error and returns an exit status.
// Free the result in either case.
int options_parse(options *out, const option *table, int table_size, int argc, char **argv);
void options_free(options *parsed);

bool options_has(const options *parsed, const char *name);
// The value number `index` of the option; NULL past the last one.
const char *options_value(const options *parsed, const char *name, int index);
// Reads the value of an option, when it is given, as a number in that range; otherwise *number
// stays. Returns 0, or says what was expected and returns an exit status.
int options_number(const options *parsed, const char *name, double least, double most,
                   const char *expected, double *number);
// The same for a whole number.
int options_count(const options *parsed, const char *name, long least, long most, long *count);

#endif
