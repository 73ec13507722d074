// The commands of the program.
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "options.h"

typedef struct command {
  const char *name;
  const char *summary;
  int (*run)(int argc, char **argv);  // arguments after the command's name
  const option *options;
  const int *option_count;
} command;

extern const command commands[];
extern const int command_count;

// The command of that name; NULL, after saying so on standard error, when there is none.
const command *find_command(const char *name);

int run_check(int argc, char **argv);
extern const option check_options[];
extern const int check_option_count;

int run_map(int argc, char **argv);
extern const option map_options[];
extern const int map_option_count;

int run_order(int argc, char **argv);
extern const option order_options[];
extern const int order_option_count;

int run_solve(int argc, char **argv);
extern const option solve_options[];
extern const int solve_option_count;

int run_simulate(int argc, char **argv);
extern const option simulate_options[];
extern const int simulate_option_count;

int run_verify(int argc, char **argv);
extern const option verify_options[];
extern const int verify_option_count;

#endif
