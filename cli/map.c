// delassus map: the questions of check at many points, as a picture or as numbers.
#include "map.h"

#include "commands.h"
#include "message.h"
#include "model_file.h"
#include "results.h"

#include <delassus/check.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const option map_options[] = {
    {"--x", "NAME=A:B:N", false,
     "N values from A to B of a parameter, coordinate or velocity; NAME=A:B:N:log\n"
     "for even steps of the logarithm"},
    {"--y", "NAME=A:B:N", false, "the same for a second axis"},
    {"--ask", "QUESTION", true, "what is asked at each point; may be repeated"},
    {"--at", "STATE", false,
     "a state of the model, assignments such as \"theta=0.5, theta'=1\", or\n"
     "a recording and a time, run.h5@0.05 (default: the initial values)"},
    {"--state", "FILE", false, "the same from {\"q\": […], \"v\": […], \"t\": 0} in FILE.json"},
    {"--set", "NAME=VALUE", true, "override a parameter of the model; may be repeated"},
    {"--tol", "GAP[,VEL]", false,
     "a length and a velocity: gaps, and slips and velocities of gaps up to\n"
     "these count as zero. One number serves for both, and for numbers\n"
     "without unit (default: 1e-9)"},
    {"--project", NULL, false,
     "move to the nearest state that fulfils the constraints first, at each point"},
    {"--object", "NAME", false,
     "the object of the model whose closure is asked about\n(default: the first one)"},
    {"-o", "FILE", true,
     "write a picture (.svg, .png) or the numbers (.csv, .json); may be\nrepeated"},
    {"--title", "TEXT", false, "of the picture (default: the model's first line)"},
    {"--json", NULL, false, "print one JSON object instead of the summary"},
    {"--quiet", NULL, false, "print no summary, progress or remark"},
    {"--threads", "N", false, "work on N cores (default: all); the result is the same"},
    MODEL_OPTIONS,
    {"--help", NULL, false, "this text (also -h)"},
    {"-h", NULL, false, ""},
};
const int map_option_count = sizeof map_options / sizeof map_options[0];

enum { POINTS_MAX = 4000000, THREADS_MAX = 256 };

// Everything that a map makes, so that there is one place to free it.
typedef struct work {
  const options *options;
  model_file file;
  map_plan plan;
  long threads;
  map_answers answers;
} work;

static void free_work(work *w)
{
  map_answers_free(&w->answers);
  for (int a = 0; a < 2; a++) free(w->plan.axis[a].name);
  model_file_free(&w->file);
}

// ---- the call -----------------------------------------------------------------------------------

static int read_axes(work *w)
{
  map_plan *plan = &w->plan;
  const char *x = options_value(w->options, "--x", 0), *y = options_value(w->options, "--y", 0);
  if (!x) {
    complain("map needs an axis: --x NAME=A:B:N");
    add_line("delassus help map says more");
    return EXIT_WRONG;
  }
  plan->axes = y ? 2 : 1;
  int wrong = map_axis_read(&plan->axis[0], "--x", x);
  if (!wrong && y) wrong = map_axis_read(&plan->axis[1], "--y", y);
  if (wrong) return wrong;
  if (y && strcmp(plan->axis[0].name, plan->axis[1].name) == 0)
    return complain("--x and --y are both %s", plan->axis[0].name);
  plan->nx = plan->axis[0].count;
  plan->ny = y ? plan->axis[1].count : 1;
  if ((long)plan->nx * plan->ny > POINTS_MAX)
    return complain("%d by %d points are more than %d", plan->nx, plan->ny, POINTS_MAX);
  return 0;
}

static int read_asks(work *w)
{
  const char *name;
  int wrong = 0;
  for (int i = 0; !wrong && (name = options_value(w->options, "--ask", i)); i++) {
    if (i == MAP_ASKS_MAX) return complain("more than %d questions", MAP_ASKS_MAX);
    wrong = map_ask_read(&w->plan.ask[w->plan.asks++], name);
    for (int k = 0; !wrong && k < i; k++)
      if (strcmp(w->plan.ask[k].name, name) == 0) wrong = complain("--ask %s is given twice", name);
  }
  if (!wrong && w->plan.asks == 0) {
    complain("map needs a question: --ask QUESTION");
    add_line("delassus help map lists them");
    return EXIT_WRONG;
  }
  return wrong;
}

// Everything about the call that can be wrong before a file is opened.
static int check_call(work *w)
{
  int wrong = model_file_call(&w->file, w->options, "map");
  if (!wrong) wrong = read_axes(w);
  if (!wrong) wrong = read_asks(w);
  if (!wrong) wrong = check_out(w->options, ".svg, .png, .csv or .json");
  if (!wrong) wrong = options_count(w->options, "--threads", 1, THREADS_MAX, &w->threads);
  return wrong;
}

// A state that the model does not know; whether it is admissible depends on the point.
static int check_state(const model_file *file)
{
  const char *at = model_file_at(file);
  const size_t nq = (size_t)dls_system_nq(file->system) + 1, n = (size_t)file->system->n + 1;
  dls_message message = {0};
  dls_state state = {.q = calloc(nq, sizeof(double)), .v = calloc(n, sizeof(double))};
  dls_status status = DLS_ERR_MEMORY;
  if (state.q && state.v)
    status = dls_model_state(file->system, model_file_assigned(file), &state, &message);
  free(state.q);
  free(state.v);
  if (status == DLS_ERR_ARGUMENT && at)
    return complain("%s: --at %s: %s", file->shown, at, message.text);
  if (status == DLS_OK || status == DLS_ERR_NUMBER) return 0;
  return model_file_failed(file, status, &message);
}

// The first question about an object, as the call has it; NULL without one.
static const char *asks_about_object(const map_plan *plan)
{
  for (int k = 0; k < plan->asks; k++) {
    if (plan->ask[k].kind != ASK_VERDICT) continue;
    if (plan->ask[k].which == DLS_FORM_CLOSURE) return "--ask form_closure";
    if (plan->ask[k].which == DLS_FORCE_CLOSURE) return "--ask force_closure";
  }
  return NULL;
}

// What does not depend on the point: names of axes and of the state.
static int load(work *w)
{
  model_file *file = &w->file;
  int wrong = model_file_open(file);
  if (!wrong) wrong = model_file_object(file, asks_about_object(&w->plan));
  if (!wrong) wrong = map_axis_find(&w->plan.axis[0], "--x", file);
  if (!wrong && w->plan.axes > 1) wrong = map_axis_find(&w->plan.axis[1], "--y", file);
  if (!wrong) wrong = check_state(file);
  w->plan.file = file;
  return wrong;
}

// ---- the answer ---------------------------------------------------------------------------------

static int compute(work *w)
{
  const map_plan *plan = &w->plan;
  const map_answers *a = &w->answers;
  const bool quiet = options_has(w->options, "--quiet");
  const int wrong = map_run(plan, (int)w->threads, quiet, &w->answers);
  if (wrong || a->without == 0) return wrong;

  const long points = (long)plan->nx * plan->ny;
  const double x = map_axis_value(&plan->axis[0], (int)(a->first % plan->nx));
  char second[80] = "";
  if (plan->axes > 1)
    snprintf(second, sizeof second, ", %.40s = %.6g", plan->axis[1].name,
             map_axis_value(&plan->axis[1], (int)(a->first / plan->nx)));
  if (a->without == points || !quiet)
    complain("%s: no state at %ld of %ld points, the first at %s = %.6g%s: %s", w->file.shown,
             a->without, points, plan->axis[0].name, x, second, a->why.text);
  return a->without == points ? EXIT_WRONG : 0;
}

static int make_json(const void *of, product *out)
{
  const work *w = of;
  map_write_json(&out->grown, &w->plan, &w->answers);
  return 0;
}

static int make_text(const void *of, bool colour, product *out)
{
  const work *w = of;
  (void)colour;
  map_write_text(&out->grown, &w->plan, &w->answers);
  return 0;
}

static int make_csv(const void *of, product *out)
{
  const work *w = of;
  map_write_csv(&out->grown, &w->plan, &w->answers);
  return 0;
}

static int make_picture(const void *of, dls_picture_form form, product *out)
{
  const work *w = of;
  const char *title = options_value(w->options, "--title", 0);
  if (!title) title = dls_model_title(w->file.model);
  if (!title[0] && !options_has(w->options, "--title")) title = w->file.shown;
  dls_message message = {0};
  const dls_status status =
      map_draw(&w->plan, &w->answers, title, form, &out->picture, &out->picture_size, &message);
  return status == DLS_OK ? 0 : model_file_failed(&w->file, status, &message);
}

static const result_forms forms = {
    .json = make_json, .text = make_text, .csv = make_csv, .picture = make_picture};

int run_map(const options *given)
{
  work w = {.options = given};
  int status = check_call(&w);
  if (!status) status = load(&w);
  if (!status) status = compute(&w);
  if (!status) status = write_results(given, &forms, &w);
  free_work(&w);
  return status;
}
