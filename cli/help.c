#include "help.h"

#include "commands.h"
#include "buffer.h"
#include "message.h"

#include <delassus/explain.h>

#include <string.h>

static const char general_usage[] =
    "Usage: delassus COMMAND …\n"
    "\n"
    "Is a mechanical system with contacts well posed at a state, and what are the forces?\n"
    "\n"
    "Commands:\n";

static const char general_end[] =
    "  help      help on a command: delassus help check\n"
    "\n"
    "Options:\n"
    "  -h, --help     this text\n"
    "  --version      the version\n"
    "\n"
    "Exit status: 0 done; 1 done, and the answer is bad; 2 the input or the call is wrong.\n";

static const char check_usage[] =
    "Usage: delassus check MODEL [OPTION]…\n"
    "\n"
    "Checks the contact problem of a model at one state: which contacts are closed, whether "
    "masses\n"
    "and constraints are regular, whether an acceleration exists with Coulomb friction and is\n"
    "unique, all solutions with their contact forces, how much friction is safe, and whether\n"
    "everything can stick. Every answer comes with its reason and, in JSON, with a witness that\n"
    "can be checked independently. MODEL is a model file (.dls), or a robot\n"
    "file (.xml: MJCF, .urdf); \"-\" reads a model from standard input.\n"
    "\n"
    "Options:\n";

// Between them stand the questions, with what they ask.
static const char check_questions[] = "\nQuestions for --require:\n";
static const char check_end[] =
    "delassus explain QUESTION says what each means and what its witness is.\n"
    "\n"
    "A question that makes no sense at the state is left out: without friction, without an "
    "object,\n"
    "or about accelerations when a contact hits: then the report gives the velocities after the\n"
    "impact, the percussions and the energy, by Newton's law with the restitution of the model "
    "or,\n"
    "where that cannot hold, by Moreau's.\n"
    "\n"
    "With friction the report also gives its limits, one coefficient for all\n"
    "contacts: up to where every load has one solution, where that is lost, and the least with\n"
    "which all contacts can stick.\n"
    "\n"
    "Exit status:\n"
    "  0  the check was done\n"
    "  1  it was done, and a question of --require was not answered yes\n"
    "  2  the model or the call is wrong, or the result could not be written\n"
    "\n"
    "Examples:\n"
    "  delassus check ladder.dls\n"
    "  delassus check ladder.dls --at falling --set mu=0.9 --json\n"
    "  delassus check ladder.dls --at \"theta=0.5, theta'=1\" --require acceleration_unique\n"
    "  delassus check gripper.dls --object disc --require force_closure\n";

static const char map_usage[] =
    "Usage: delassus map MODEL --x NAME=A:B:N [--y NAME=A:B:N] --ask QUESTION [OPTION]…\n"
    "\n"
    "Asks the questions of check at many points: over one parameter, as curves, or over two, as\n"
    "regions in a plane. Points at which the model has no admissible state are left blank, and\n"
    "counted. Without -o a summary is printed: how often each answer occurs, and over one axis "
    "where\n"
    "it changes. MODEL is a model file (.dls), or a robot\n"
    "file (.xml: MJCF, .urdf); \"-\" reads a model from standard input.\n"
    "\n"
    "Options:\n";

static const char map_end[] =
    "\n"
    "What --ask takes:\n"
    "  a question of check      yes, no or undecided: delassus help check lists them\n"
    "  solution_count           how many solutions the contact problem has\n"
    "  friction.sufficient      coefficient of friction below which all is well for every load\n"
    "  friction.critical        coefficient at which that is lost\n"
    "  friction.least_for_sticking  coefficient from which on all contacts can stick\n"
    "\n"
    "Exit status:\n"
    "  0  the map was made\n"
    "  2  the model or the call is wrong, no point has a state, or nothing could be written\n"
    "\n"
    "Examples:\n"
    "  delassus map klein.dls --at sliding --x mu1=0:4:200 --y mu2=0:4:200 --ask solution_count "
    "\\\n"
    "    -o klein.svg\n"
    "  delassus map shelf.dls --x d=0:1.2:121 --ask forces_unique\n"
    "  delassus map shelf.dls --x d=0:1.2:121 --ask forces_unique --ask mfcq -o shelf.csv\n";

static const char order_usage[] =
    "Usage: delassus order MODEL --scheme A,B,… --steps A:B:N --until T [OPTION]…\n"
    "\n"
    "Measures how exact time-stepping schemes are: runs each of them with many steps, compares "
    "with\n"
    "the exact solution of the model (its exact statements) or a fine run of radau5, and fits the\n"
    "slopes of the errors over the steps. Errors are distances between filled-in graphs, in which\n"
    "jumps have their place (hausdorff), and norms on the grid of the run (l1, l2, uniform). Work "
    "is\n"
    "counted in evaluations of the right-hand side. MODEL is a model file (.dls); \"-\" reads "
    "standard\n"
    "input. Ctrl-C stops, and reports the runs so far.\n"
    "\n"
    "Options:\n";

static const char order_end[] =
    "\n"
    "Exit status:\n"
    "  0  all runs were made\n"
    "  1  some of them failed: they have no errors, and the table says why\n"
    "  2  the model or the call is wrong, or the result could not be written\n"
    "\n"
    "Examples:\n"
    "  delassus order ball.dls --scheme moreau,schatzman-paoli --steps 0.1:0.0001:8 --until 5\n"
    "  delassus order ball.dls --steps 0.1:0.0001:8 --until 5 --norm hausdorff,l1,l2,uniform \\\n"
    "    -o order.svg\n"
    "  delassus order ball.dls --scheme moreau,moreau-adaptive --steps 0.1:0.0001:8 \\\n"
    "    --rtols 1e-1:1e-6:6 --until 5 --json\n";

static const char solve_usage[] =
    "Usage: delassus solve PROBLEM [OPTION]…\n"
    "       delassus solve --list\n"
    "\n"
    "Solves a discrete problem: contacts with Coulomb friction, or linear complementarity. What "
    "is\n"
    "reported is recomputed from the data at the point that the solver returns; \"converged\" "
    "means\n"
    "that this error is at most the tolerance. PROBLEM is one of\n"
    "  .hdf5, .h5  a friction problem as FCLIB stores it, local or global, in the plane or in "
    "space\n"
    "  .json       an LCP: {\"M\": [[2, 1], [1, 2]], \"q\": [-1, -1]}; with \"free\": k the "
    "first k\n"
    "              rows are equations (MLCP); \"-\" reads it from standard input\n"
    "  .mtx        the matrix of an LCP as MatrixMarket, with --vector q.mtx\n"
    "\n"
    "Ctrl-C stops the solver and reports the best point so far; a second one ends the program.\n"
    "\n"
    "Options:\n";

static const char solve_end[] =
    "\n"
    "Exit status:\n"
    "  0  the solver converged; with --all at least one did\n"
    "  1  it did not: the report says why it stopped, with the best point and its error\n"
    "  2  the problem or the call is wrong, or the result could not be written\n"
    "\n"
    "Examples:\n"
    "  delassus solve rover.hdf5\n"
    "  delassus solve rover.hdf5 --solver nsgs --tol 1e-10 --json\n"
    "  delassus solve rover.hdf5 --all -o rover.svg\n"
    "  delassus solve rover.hdf5 -o solved.hdf5\n"
    "  echo '{\"M\": [[2, 1], [1, 2]], \"q\": [-1, -1]}' | delassus solve -\n"
    "  delassus solve M.mtx --vector q.mtx --exists\n";

static const char simulate_usage[] =
    "Usage: delassus simulate MODEL --step H --until T [OPTION]…\n"
    "       delassus simulate --list\n"
    "\n"
    "Integrates a model in time, through impacts, stick and slip, and tells where it ends, what\n"
    "became of the energy and how well the constraints were kept. MODEL is a model file (.dls), "
    "or\n"
    "a robot file (.xml: MJCF, .urdf); \"-\" reads a model from standard input.\n"
    "\n"
    "Options:\n";

static const char simulate_end[] =
    "\n"
    "A recording has a row for the start and for the end of each step: t, coordinates, velocities\n"
    "(x'), impulses since the row before (NAME.impulse_n, NAME.impulse_t1, …), what each contact\n"
    "does (NAME.status: 0 open, 1 separating, 2 impacting, 3 sliding, 4 sticking), the next step,\n"
    "and a number by which a changed row is noticed. Schemes that locate events add two rows for\n"
    "each, before and after the jump, with step 0. In HDF5 the rows are records with the fields "
    "t,\n"
    "q, v, impulse, step, memory, status and check.\n"
    "Recordings can be read while they grow, and whatever stops the program; --resume then goes\n"
    "on and makes the file that the whole run would have made. Ctrl-C stops after a step, and "
    "what\n"
    "-o asks for is written up to there; a second Ctrl-C ends the program at once.\n"
    "\n"
    "Exit status:\n"
    "  0  the end was reached\n"
    "  1  a step failed, or the run was interrupted: standard error says when and why\n"
    "  2  the model or the call is wrong, or the result could not be written\n"
    "\n"
    "Examples:\n"
    "  delassus simulate ball.dls --step 0.01 --until 5\n"
    "  delassus simulate ball.dls --step 0.01 --until 5 -o ball.svg\n"
    "  delassus simulate ladder.dls --at falling --scheme moreau --step 1e-3 --until 2 -o l.csv\n"
    "  delassus simulate ladder.dls --at falling --scheme moreau --step 1e-3 --until 4 -o l.csv "
    "\\\n"
    "    --resume\n";

static const char verify_usage[] =
    "Usage: delassus verify REPORT MODEL [OPTION]…\n"
    "\n"
    "Checks what a report of delassus check --json claims. The contact problem is rebuilt from\n"
    "MODEL, with the parameters and at the state that REPORT gives, and every witness is checked\n"
    "against it in interval arithmetic; no code is shared with the solvers that found it. One of "
    "the\n"
    "two may be \"-\", standard input.\n"
    "\n"
    "Options:\n";

static const char verify_end[] =
    "\n"
    "Exit status:\n"
    "  0  every yes and no of the report holds\n"
    "  1  one does not, the report is about another model, or it was interrupted: standard error\n"
    "     says which\n"
    "  2  the report, the model or the call is wrong, or the result could not be written\n"
    "\n"
    "Examples:\n"
    "  delassus check ladder.dls --json > ladder.json\n"
    "  delassus verify ladder.json ladder.dls\n"
    "  delassus check ladder.dls --json | delassus verify - ladder.dls --quiet\n";

static const char show_usage[] =
    "Usage: delassus show MODEL [OPTION]…\n"
    "\n"
    "Shows what a model consists of: the tree of its bodies with joints, masses and shapes, "
    "closed\n"
    "loops, parameters and states, and what a robot file says that a mechanism does not. MODEL is "
    "a\n"
    "model file (.dls), or a robot file (.xml: MJCF, .urdf); \"-\" reads a model from standard "
    "input.\n"
    "\n"
    "Options:\n";

static const char show_end[] =
    "\n"
    "Exit status:\n"
    "  0  it was shown\n"
    "  2  the model or the call is wrong, or the result could not be written\n"
    "\n"
    "Examples:\n"
    "  delassus show door.dls\n"
    "  delassus show cassie.xml --full\n"
    "  delassus show cassie.xml --at home --json --matrices\n";

static const char view_usage[] =
    "Usage: delassus view RUN.h5 [MODEL] [OPTION]…\n"
    "       delassus view MODEL [OPTION]…\n"
    "\n"
    "Writes a page, one HTML file that shows a motion, or a state with its contacts, forces, "
    "solutions\n"
    "and verdicts, and opens it in a browser. The page needs nothing but itself: it works from "
    "disk,\n"
    "offline, and can be sent to somebody. RUN.h5 is a recording of simulate; its model is taken "
    "from\n"
    "it, unless that is an XML file, which has to be named. MODEL is a model file (.dls), or a "
    "robot\n"
    "file (.xml: MJCF, .urdf), and is checked as in check.\n"
    "\n"
    "Options:\n";

static const char view_end[] =
    "\n"
    "In the page ? lists the keys: space plays, arrows go from frame to frame and from event to "
    "event.\n"
    "\n"
    "Exit status:\n"
    "  0  the page was written\n"
    "  2  the recording, the model or the call is wrong, or delassus was built without node and "
    "npm\n"
    "\n"
    "Examples:\n"
    "  delassus view run.h5\n"
    "  delassus view run.h5 robot.xml -o page.html --no-open\n"
    "  delassus view robot.xml --at home\n";

static const char explain_usage[] =
    "Usage: delassus explain [QUESTION] [OPTION]…\n"
    "\n"
    "Says in ten lines what a question, a number or a line of a report of check means: its\n"
    "definition, how it is found, what proves it, and the section of docs/theory.md. QUESTION is "
    "a\n"
    "name as in JSON, or words of the report, as long as they mean one thing only. Without it all\n"
    "names are listed.\n"
    "\n"
    "Options:\n";

static const char explain_end[] =
    "\n"
    "Exit status:\n"
    "  0  it was explained\n"
    "  2  nothing of that name is known, or several things are: standard error names them\n"
    "\n"
    "Examples:\n"
    "  delassus explain\n"
    "  delassus explain mfcq\n"
    "  delassus explain \"force closure\"\n"
    "  delassus explain friction.critical --json\n";

// What stands before and after the options of a command.
typedef struct help_text {
  const char *command, *usage, *end;
} help_text;

static const help_text texts[] = {{"check", check_usage, check_end},
                                  {"map", map_usage, map_end},
                                  {"order", order_usage, order_end},
                                  {"solve", solve_usage, solve_end},
                                  {"simulate", simulate_usage, simulate_end},
                                  {"verify", verify_usage, verify_end},
                                  {"show", show_usage, show_end},
                                  {"view", view_usage, view_end},
                                  {"explain", explain_usage, explain_end}};

// "  --at STATE", padded to a column, then the lines of its help below each other.
static void add_option(buffer *p, const option *o)
{
  enum { COLUMN = 22 };
  if (!o->help[0]) return;  // the other name of an option
  const size_t start = p->length;
  buffer_add(p, "  %s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
  int column = 0;
  for (size_t i = start; i < p->length; i++)
    column += ((unsigned char)p->text[i] & 0xC0) != 0x80;  // letters, not bytes
  if (column >= COLUMN) {
    buffer_add(p, "\n");
    column = 0;
  }
  for (const char *line = o->help; *line;) {
    const int length = (int)strcspn(line, "\n");
    buffer_add(p, "%*s%.*s\n", COLUMN - column, "", length, line);
    column = 0;
    line += length + (line[length] == '\n');
  }
}

static void add_questions(buffer *p)
{
  buffer_add(p, "%s", check_questions);
  for (int q = 0; q < DLS_QUESTION_COUNT; q++)
    buffer_add(p, "  %-23s  %s\n", dls_topic_at(q)->name, dls_topic_at(q)->brief);
}

int print_help(void)
{
  buffer p = {0};
  buffer_add(&p, "%s", general_usage);
  for (int i = 0; i < command_count; i++)
    buffer_add(&p, "  %-8s  %s\n", commands[i].name, commands[i].summary);
  buffer_add(&p, "%s", general_end);
  return print_buffer(&p);
}

int print_command_help(const char *name)
{
  if (strcmp(name, "help") == 0) return print_help();
  const command *known = find_command(name);
  if (!known) return EXIT_WRONG;
  buffer p = {0};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (strcmp(texts[i].command, name) != 0) continue;
    buffer_add(&p, "%s", texts[i].usage);
    for (int k = 0; k < *known->option_count; k++) add_option(&p, &known->options[k]);
    if (texts[i].end == check_end) add_questions(&p);
    buffer_add(&p, "%s", texts[i].end);
  }
  return print_buffer(&p);
}
