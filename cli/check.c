// delassus check: model file -> state -> contact problem -> verdicts -> report.
#define _POSIX_C_SOURCE 200809L
#include "commands.h"
#include "files.h"
#include "help.h"
#include "message.h"
#include "progress.h"

#include <delassus/check.h>
#include <delassus/contact.h>
#include <delassus/model.h>
#include <delassus/report.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const option check_options[] = {
    {"--at", "STATE", false,
     "a state of the model, or assignments such as \"theta=0.5, theta'=1\"\n"
     "(default: the initial values)"},
    {"--set", "NAME=VALUE", true, "override a parameter of the model; may be repeated"},
    {"--tol", "X", false,
     "gaps, velocities and relative numbers up to this count as zero\n"
     "(default: 1e-9)"},
    {"--project", NULL, false,
     "move to the nearest state that fulfils the constraints first, and say\n"
     "by how much"},
    {"--require", "QUESTION", true, "exit with status 1 unless the answer is yes; may be repeated"},
    {"--json", NULL, false, "print one JSON object instead of the report"},
    {"-o", "FILE", false, "write the result to FILE: .json for JSON, .txt for the report"},
    {"--quiet", NULL, false, "do not print the report; the exit status tells"},
    {"--help", NULL, false, "this text (also -h)"},
    {"-h", NULL, false, ""},
};
const int check_option_count = sizeof check_options / sizeof check_options[0];

// Everything that a check makes, so that there is one place to free it.
typedef struct work {
  options options;
  const char *path;   // as given
  const char *shown;  // in messages and reports
  double tolerance;
  char *source;
  size_t source_length;
  dls_model *model;
  dls_system *system;
  dls_state state;
  dls_projection projection;
  dls_contact_state *contact_state;
  dls_check *check;
  dls_report report;
  char *json, *text;
  new_file file;
} work;

static void free_work(work *w)
{
  new_file_drop(&w->file);
  dls_report_text_free(w->json);
  dls_report_text_free(w->text);
  dls_check_free(w->check);
  dls_contact_state_free(w->contact_state);
  free(w->state.q);
  free(w->state.v);
  dls_system_free(w->system);
  dls_model_free(w->model);
  free(w->source);
  options_free(&w->options);
}

// Says what the library said, or at least what the status means.
static int failed(const work *w, dls_status status, const dls_message *message)
{
  const char *text = message && message->text[0] ? message->text : dls_status_text(status);
  return complain("%s: %s", w->shown, text);
}

static bool ends_in(const char *text, const char *ending)
{
  const size_t n = strlen(text), m = strlen(ending);
  return n > m && strcmp(text + n - m, ending) == 0;
}

// ---- the call ----------------------------------------------------------------------------------

static int find_question(const char *name)
{
  for (int q = 0; q < DLS_QUESTION_COUNT; q++)
    if (strcmp(dls_question_name((dls_question)q), name) == 0) return q;
  return -1;
}

static int check_require(const char *name)
{
  static const char *const later[] = {"unique_for_every_load", "can_all_stick", "form_closure",
                                      "force_closure", "step_solvable"};
  if (find_question(name) >= 0) return 0;
  for (size_t i = 0; i < sizeof later / sizeof later[0]; i++)
    if (strcmp(name, later[i]) == 0)
      return complain("--require %s: this question is not answered by this version (%s)", name,
                      dls_version());

  const char *known[DLS_QUESTION_COUNT];
  for (int q = 0; q < DLS_QUESTION_COUNT; q++) known[q] = dls_question_name((dls_question)q);
  complain("--require %s: unknown question", name);
  const char *meant = nearest(name, known, DLS_QUESTION_COUNT);
  if (meant) add_line("did you mean %s?", meant);
  else add_line("delassus help check lists the questions");
  return EXIT_WRONG;
}

static int read_tolerance(const char *text, double *tolerance)
{
  char *end = NULL;
  const double value = strtod(text, &end);
  if (end == text || *end || !isfinite(value)) return complain("--tol %s: expected a number", text);
  if (!(value > 0 && value < 1)) return complain("--tol %s: expected 0 < X < 1", text);
  *tolerance = value;
  return 0;
}

// Everything about the call that can be wrong before a file is opened.
static int check_call(work *w)
{
  const options *o = &w->options;
  if (o->word_count == 0) {
    complain("check needs a model: delassus check MODEL [OPTION]…");
    add_line("delassus help check says more");
    return EXIT_WRONG;
  }
  if (o->word_count > 1)
    return complain("check takes one model, but %s and %s are given", o->words[0], o->words[1]);
  if (!o->words[0][0]) return complain("check needs a model, but its name is empty");
  w->path = o->words[0];
  w->shown = strcmp(w->path, "-") == 0 ? "standard input" : w->path;

  const char *tolerance = options_value(o, "--tol", 0);
  w->tolerance = dls_check_defaults().tolerance;
  int wrong = tolerance ? read_tolerance(tolerance, &w->tolerance) : 0;
  const char *name;
  for (int i = 0; !wrong && (name = options_value(o, "--require", i)); i++)
    wrong = check_require(name);
  const char *set;
  for (int i = 0; !wrong && (set = options_value(o, "--set", i)); i++) {
    const char *equal = strchr(set, '=');
    if (!equal || equal == set || !equal[1])
      wrong = complain("--set %s: expected NAME=VALUE, such as --set mu=0.3", set);
  }
  const char *out = options_value(o, "-o", 0);
  if (!wrong && out && !ends_in(out, ".json") && !ends_in(out, ".txt"))
    wrong = complain("-o %s: the ending chooses the form; expected .json or .txt", out);
  return wrong;
}

// ---- the model and its state -------------------------------------------------------------------

static int parse_model(work *w)
{
  dls_diagnostics diagnostics = {0};
  const dls_status status = dls_model_parse(w->source, w->source_length, &w->model, &diagnostics);
  if (status == DLS_OK) return 0;
  if (diagnostics.count == 0) return failed(w, status, NULL);

  char none[1];
  const size_t size = 1 + dls_diagnostics_format(&diagnostics, w->shown, w->source,
                                                 w->source_length, none, sizeof none);
  char *text = malloc(size);
  if (!text) return failed(w, DLS_ERR_MEMORY, NULL);
  dls_diagnostics_format(&diagnostics, w->shown, w->source, w->source_length, text, size);
  fputs(text, stderr);
  if (size > 1 && text[size - 2] != '\n') fputc('\n', stderr);
  free(text);
  return EXIT_WRONG;
}

static int wrong_value(const work *w, const char *name, const char *value, dls_status status,
                       const dls_message *message)
{
  return complain("%s: %s %s: %s", w->shown, name, value,
                  message->text[0] ? message->text : dls_status_text(status));
}

// Bytes of a name that are shown: at most `most`, and whole characters.
static int shown_length(const char *name, int most)
{
  if ((int)strnlen(name, (size_t)most + 1) <= most) return (int)strlen(name);
  while (most > 0 && ((unsigned char)name[most] & 0xC0) == 0x80) most--;
  return most;
}

// When no parameter has that name: "  parameters of this model: m, L, mu"
static void list_parameters(const dls_model *model, const char *name)
{
  enum { LISTED = 12, LETTERS = 40 };
  const int count = dls_model_parameter_count(model);
  for (int i = 0; i < count; i++)
    if (strcmp(dls_model_parameter_name(model, i), name) == 0) return;
  if (count == 0) {
    add_line("this model has no parameters");
    return;
  }
  fputs("  parameters of this model:", stderr);
  for (int i = 0; i < count && i < LISTED; i++) {
    const char *listed = dls_model_parameter_name(model, i);
    const int length = shown_length(listed, LETTERS);
    fprintf(stderr, "%s %.*s%s", i ? "," : "", length, listed, listed[length] ? "…" : "");
  }
  fputs(count > LISTED ? ", …\n" : "\n", stderr);
}

static int set_parameter(const work *w, const char *set)
{
  const char *equal = strchr(set, '=');
  size_t length = (size_t)(equal - set);
  while (length > 0 && set[length - 1] == ' ') length--;
  char *name = strndup(set, length);
  if (!name) return failed(w, DLS_ERR_MEMORY, NULL);

  dls_message message = {0};
  const dls_status status = dls_model_set(w->system, name, equal + 1, &message);
  if (status != DLS_OK) {
    wrong_value(w, "--set", set, status, &message);
    list_parameters(w->model, name);
  }
  free(name);
  return status == DLS_OK ? 0 : EXIT_WRONG;
}

static int find_state(work *w)
{
  const size_t n = w->system->n > 0 ? (size_t)w->system->n : 1;
  w->state.q = calloc(n, sizeof(double));
  w->state.v = calloc(n, sizeof(double));
  if (!w->state.q || !w->state.v) return failed(w, DLS_ERR_MEMORY, NULL);

  const char *at = options_value(&w->options, "--at", 0);
  dls_message message = {0};
  const dls_status status = dls_model_state(w->system, at, &w->state, &message);
  if (status == DLS_OK) return 0;
  return at ? wrong_value(w, "--at", at, status, &message) : failed(w, status, &message);
}

static int find_contacts(work *w)
{
  dls_message message = {0};
  dls_contact_options contact = dls_contact_defaults();
  contact.tolerance = w->tolerance;
  const bool project = options_has(&w->options, "--project");
  dls_status status = DLS_OK;
  if (project) {
    status = dls_state_project(w->system, &w->state, &contact, &w->projection, &message);
    if (status != DLS_OK) return failed(w, status, &message);
    w->report.projection = &w->projection;
  }
  status = dls_contact_state_create(w->system, &w->state, &contact, &w->contact_state, &message);
  if (status == DLS_OK) return 0;
  failed(w, status, &message);
  if (status == DLS_ERR_STATE && !project)
    add_line("--project moves to the nearest consistent state");
  return EXIT_WRONG;
}

static int load(work *w)
{
  int wrong = read_input(w->path, &w->source, &w->source_length);
  if (!wrong) wrong = parse_model(w);
  if (wrong) return wrong;
  const dls_status status = dls_model_system(w->model, &w->system);
  if (status != DLS_OK) return failed(w, status, NULL);
  const char *set;
  for (int i = 0; !wrong && (set = options_value(&w->options, "--set", i)); i++)
    wrong = set_parameter(w, set);
  if (!wrong) wrong = find_state(w);
  if (!wrong) wrong = find_contacts(w);
  return wrong;
}

// ---- the answer --------------------------------------------------------------------------------

static int ask(work *w)
{
  dls_message message = {0};
  dls_check_options check = dls_check_defaults();
  check.tolerance = w->tolerance;
  check.skip_acceleration = w->contact_state->impact;
  progress_bar bar;
  progress_begin(&bar, "checking");
  if (!options_has(&w->options, "--quiet"))
    check.progress = progress_update, check.progress_data = &bar;
  const dls_status status = dls_check_run(&w->contact_state->problem, &check, &w->check, &message);
  progress_end(&bar);
  if (status != DLS_OK) return failed(w, status, &message);

  w->report.model = w->shown;
  w->report.title = dls_model_title(w->model);
  const char *at = options_value(&w->options, "--at", 0);
  w->report.at = at && at[strspn(at, " \t")] ? at : NULL;
  w->report.system = w->system;
  w->report.contact_state = w->contact_state;
  w->report.check = w->check;
  return 0;
}

// NO_COLOR: see no-color.org.
static bool wants_colour(void)
{
  const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return isatty(STDOUT_FILENO) && !(no && no[0]) && !(terminal && strcmp(terminal, "dumb") == 0);
}

static int need_json(work *w)
{
  const dls_status status = w->json ? DLS_OK : dls_report_json(&w->report, &w->json);
  return status == DLS_OK ? 0 : failed(w, status, NULL);
}

static int need_text(work *w, bool colour)
{
  const dls_report_options look = {.colour = colour};
  const dls_status status = dls_report_text(&w->report, &look, &w->text);
  return status == DLS_OK ? 0 : failed(w, status, NULL);
}

static int write_results(work *w)
{
  const char *out = options_value(&w->options, "-o", 0);
  const bool json = options_has(&w->options, "--json");
  const bool text = !json && !out && !options_has(&w->options, "--quiet");
  int wrong = 0;
  if (out && ends_in(out, ".json")) {
    wrong = need_json(w);
    if (!wrong) wrong = new_file_write(&w->file, out, w->json);
  } else if (out) {
    wrong = need_text(w, false);
    if (!wrong) wrong = new_file_write(&w->file, out, w->text);
  }
  if (!wrong && json) {
    wrong = need_json(w);
    if (!wrong) wrong = print_output(w->json);
  } else if (!wrong && text) {
    wrong = need_text(w, wants_colour());
    if (!wrong) wrong = print_output(w->text);
  }
  // last, so that the file appears only when all went well
  return wrong ? wrong : new_file_keep(&w->file);
}

static int compare_required(const work *w)
{
  int result = EXIT_DONE;
  const char *name;
  for (int i = 0; (name = options_value(&w->options, "--require", i)); i++) {
    dls_message by = {0}, note = {0};
    const dls_question question = (dls_question)find_question(name);
    const dls_verdict verdict = dls_report_verdict(&w->report, question, &by);
    if (verdict.answer == DLS_YES) continue;
    result = EXIT_BAD_ANSWER;
    if (verdict.answer != DLS_NOT_ASKED) {
      complain("%s is required, but the answer is %s: %s", name, dls_answer_name(verdict.answer),
               verdict.by ? verdict.by : "no reason given");
      if (verdict.answer == DLS_NO && verdict.shows && verdict.shows[0])
        add_line("witness: %s", verdict.shows);
    } else if (w->contact_state->impact && dls_report_note(&w->report, 0, &note)) {
      complain("%s is required, but not answered: %s", name, note.text);
    } else {
      complain("%s is required, but the question does not arise at this state", name);
    }
  }
  return result;
}

int run_check(int argc, char **argv)
{
  work w = {0};
  int status = options_parse(&w.options, check_options, check_option_count, argc, argv);
  if (!status && (options_has(&w.options, "--help") || options_has(&w.options, "-h"))) {
    status = print_command_help("check");
  } else {
    if (!status) status = check_call(&w);
    if (!status) status = load(&w);
    if (!status) status = ask(&w);
    if (!status) status = write_results(&w);
    if (!status) status = compare_required(&w);
  }
  free_work(&w);
  return status;
}
