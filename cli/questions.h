// The questions by name, as --require and --ask take them.
#ifndef CLI_QUESTIONS_H
#define CLI_QUESTIONS_H

// The dls_question of that name; -1 when there is none.
int find_question(const char *name);

// Returns 0 when the name is a question. Otherwise says so on standard error, with the name that
// may have been meant, of the questions or of the `count` others that the option takes, and returns
// an exit status.
int check_question(const char *option, const char *name, const char *const *others, int count);

#endif
