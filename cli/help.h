// All help texts.
#ifndef CLI_HELP_H
#define CLI_HELP_H

// Each prints on standard output and returns an exit status.
int print_help(void);
int print_command_help(const char *name);

#endif
