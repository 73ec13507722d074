// The commands of the program.
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "options.h"

typedef struct command {
  const char *name;
  const char *summary;
  int (*run)(const options *given);  // returns an exit status
  const option *options;
  const int *option_count;
} command;

extern const command commands[];
extern const int command_count;

// The command of that name; NULL, after saying so on standard error, when there is none.
const command *find_command(const char *name);

int run_check(const options *given);
extern const option check_options[];
extern const int check_option_count;

int run_map(const options *given);
extern const option map_options[];
extern const int map_option_count;

int run_order(const options *given);
extern const option order_options[];
extern const int order_option_count;

int run_solve(const options *given);
extern const option solve_options[];
extern const int solve_option_count;

int run_simulate(const options *given);
extern const option simulate_options[];
extern const int simulate_option_count;

int run_show(const options *given);
extern const option show_options[];
extern const int show_option_count;

int run_view(const options *given);
extern const option view_options[];
extern const int view_option_count;

int run_explain(const options *given);
extern const option explain_options[];
extern const int explain_option_count;

int run_verify(const options *given);
extern const option verify_options[];
extern const int verify_option_count;

#endif
