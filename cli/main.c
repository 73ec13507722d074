// The program: finds the command and hands over.
#include "commands.h"
#include "exhausted.h"
#include "files.h"
#include "help.h"
#include "message.h"

#include <delassus/version.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>

const command commands[] = {
    {"check", "is the contact problem at a state well posed? what are the forces?", run_check,
     check_options, &check_option_count},
    {"map", "the same questions over one or two parameters, as a picture", run_map, map_options,
     &map_option_count},
    {"solve", "solve a discrete friction problem (FCLIB) or a linear complementarity problem",
     run_solve, solve_options, &solve_option_count},
    {"simulate", "integrate in time, through impacts, stick and slip", run_simulate,
     simulate_options, &simulate_option_count},
    {"order", "measure the order of accuracy", run_order, order_options, &order_option_count},
    {"verify", "re-check the witnesses of a report, independently of the solvers", run_verify,
     verify_options, &verify_option_count},
    {"show", "what a model consists of: bodies, joints, masses, shapes", run_show, show_options,
     &show_option_count},
    {"view", "a motion or a state with its forces, in a browser", run_view, view_options,
     &view_option_count},
    {"explain", "what a line of a report means, how it is found, what proves it", run_explain,
     explain_options, &explain_option_count},
};
const int command_count = sizeof commands / sizeof commands[0];

const command *find_command(const char *name)
{
  enum { KNOWN_MAX = 16 };
  const char *known[KNOWN_MAX] = {"help"};
  int count = 1;
  for (int i = 0; i < command_count; i++) {
    if (strcmp(commands[i].name, name) == 0) return &commands[i];
    if (count < KNOWN_MAX) known[count++] = commands[i].name;
  }
  complain("unknown command %s", name);
  const char *meant = nearest(name, known, count);
  if (meant) add_line("did you mean delassus %s?", meant);
  else add_line("delassus help lists the commands");
  return NULL;
}

static int run_help(int argc, char **argv)
{
  if (argc == 0) return print_help();
  if (argc > 1) return complain("help takes one command: delassus help [COMMAND]");
  return print_command_help(argv[0]);
}

static int print_version(void)
{
  char line[64];
  snprintf(line, sizeof line, "delassus %s\n", dls_version());
  return print_output(line);
}

static int unknown_option(const char *argument)
{
  const char *const known[] = {"--help", "--version"};
  complain("unknown option %s", argument);
  if (!suggest(argument, known, 2))
    add_line("options follow the command: delassus COMMAND …; delassus help lists the commands");
  return EXIT_WRONG;
}

static int run_command(const command *c, int argc, char **argv)
{
  options given;
  int status = options_parse(&given, c->options, *c->option_count, argc, argv);
  if (!status && (options_has(&given, "--help") || options_has(&given, "-h")))
    status = print_command_help(c->name);
  else if (!status) status = c->run(&given);
  options_free(&given);
  exhausted_no_more(status);
  return status;
}

int main(int argc, char **argv)
{
  // a reader that closes its pipe is a write error like any other
  signal(SIGPIPE, SIG_IGN);
  if (argc < 2) {
    complain("no command given");
    add_line("delassus help lists the commands");
    return EXIT_WRONG;
  }
  const char *first = argv[1];
  if (strcmp(first, "help") == 0) return run_help(argc - 2, argv + 2);
  if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) return print_help();
  if (strcmp(first, "--version") == 0) return print_version();
  if (first[0] == '-') return unknown_option(first);
  const command *found = find_command(first);
  return found ? run_command(found, argc - 2, argv + 2) : EXIT_WRONG;
}
