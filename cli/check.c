// delassus check: model file -> state -> contact problem -> verdicts -> report.
#define _POSIX_C_SOURCE 200809L
#include "check_picture.h"
#include "commands.h"
#include "files.h"
#include "message.h"
#include "model_file.h"
#include "progress.h"
#include "questions.h"
#include "results.h"
#include "view_page.h"

#include <delassus/check.h>
#include <delassus/impact.h>
#include <delassus/report.h>

#include <stdio.h>
#include <stdlib.h>

const option check_options[] = {
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
     "move to the nearest state that fulfils the constraints first, and say\n"
     "by how much"},
    {"--object", "NAME", false,
     "the object of the model whose closure is asked about\n"
     "(default: its first one)"},
    {"--require", "QUESTION", true, "exit with status 1 unless the answer is yes; may be repeated"},
    {"--json", NULL, false, "print one JSON object instead of the report"},
    {"--full", NULL, false, "all contacts, forces and coordinates, however many they are"},
    {"--matrices", NULL, false,
     "with --json: M, F, and G, b_n, H, b_t of the closed contacts, dense"},
    {"-o", "FILE", true,
     "write the result to FILE: .json for JSON, .txt for the report, .svg or\n"
     ".png for a picture of the mechanism with its forces, .html for a page\n"
     "that shows all solutions and verdicts; may be repeated"},
    {"--quiet", NULL, false, "do not print the report; the exit status tells"},
    MODEL_OPTIONS,
    {"--help", NULL, false, "this text (also -h)"},
    {"-h", NULL, false, ""},
};
const int check_option_count = sizeof check_options / sizeof check_options[0];

// Everything that a check makes, so that there is one place to free it.
typedef struct work {
  const options *options;
  model_file file;
  dls_check *check;
  double *restitution;
  dls_impact *impact;
  dls_report report;
  dls_drawing *drawing;  // NULL: no picture is wanted
} work;

static void free_work(work *w)
{
  dls_drawing_free(w->drawing);
  dls_impact_free(w->impact);
  free(w->restitution);
  dls_check_free(w->check);
  model_file_free(&w->file);
}

// ---- the call -----------------------------------------------------------------------------------

static bool is_required(const options *o, dls_question question)
{
  const char *name;
  for (int i = 0; (name = options_value(o, "--require", i)); i++)
    if (find_question(name) == (int)question) return true;
  return false;
}

// Everything about the call that can be wrong before a file is opened.
static int check_call(work *w)
{
  const options *o = w->options;
  int wrong = model_file_call(&w->file, o, "check");
  const char *name;
  for (int i = 0; !wrong && (name = options_value(o, "--require", i)); i++)
    wrong = check_question("--require", name, NULL, 0);
  if (!wrong && out_ending(o, ".html") && !view_available()) wrong = EXIT_WRONG;
  return wrong ? wrong : check_out(o, ".json, .txt, .html, .svg or .png");
}

// The first question of --require that is about an object, as the call has it; NULL without one.
static const char *asks_about_object(const options *o)
{
  if (is_required(o, DLS_FORM_CLOSURE)) return "--require form_closure";
  return is_required(o, DLS_FORCE_CLOSURE) ? "--require force_closure" : NULL;
}

// Shapes, where a picture is wanted.
static int load_drawing(work *w)
{
  const char *out = out_ending(w->options, ".svg .png");
  return out ? drawing_of_model(&w->file, out, &w->drawing) : 0;
}

static int load(work *w)
{
  model_file *file = &w->file;
  int wrong = model_file_open(file);
  if (!wrong) wrong = model_file_object(file, asks_about_object(w->options));
  if (!wrong) wrong = model_file_state(file);
  if (!wrong) wrong = load_drawing(w);
  if (!wrong) wrong = model_file_contacts(file);
  return wrong;
}

// ---- the answer ---------------------------------------------------------------------------------

// What an impact makes of the velocities.
static int ask_impact(work *w)
{
  const dls_contact_state *state = w->file.contact_state;
  const size_t m = (size_t)state->problem.m_u;
  dls_message message = {0};
  dls_impact_options how = dls_impact_defaults();
  if (!state->impact) return 0;
  w->restitution = calloc(m * m, sizeof *w->restitution);
  dls_status status = w->restitution
                          ? dls_model_restitution_matrix(w->file.system, state, w->restitution)
                          : DLS_ERR_MEMORY;
  how.tolerance = w->file.relative;
  how.E = w->restitution;
  if (status == DLS_OK) status = dls_impact_create(state, &how, &w->impact, &message);
  w->report.impact = w->impact;
  return status == DLS_OK ? 0 : model_file_failed(&w->file, status, &message);
}

static int ask(work *w)
{
  dls_message message = {0};
  const dls_contact_state *state = w->file.contact_state;
  dls_check_options check = dls_check_defaults();
  check.tolerance = w->file.relative;
  check.skip_acceleration = state->impact;
  check.object = w->file.object, check.object_size = w->file.object_size;
  progress_bar bar;
  progress_begin(&bar, "checking");
  if (!options_has(w->options, "--quiet")) check.watch = progress_update, check.self = &bar;
  const dls_status status = dls_check_run(&state->problem, &check, &w->check, &message);
  progress_end(&bar);
  if (status != DLS_OK) return model_file_failed(&w->file, status, &message);

  w->report.model = w->file.shown;
  w->report.title = dls_model_title(w->file.model);
  w->report.at = model_file_at(&w->file);
  w->report.system = w->file.system;
  w->report.object = w->file.object_name;
  w->report.matrices = options_has(w->options, "--matrices");
  w->report.contact_state = state;
  w->report.check = w->check;
  w->report.projection = w->file.projected ? &w->file.projection : NULL;
  return 0;
}

static int make_json(const void *of, product *out)
{
  const work *w = of;
  const dls_status status = dls_report_json(&w->report, &out->report);
  return status == DLS_OK ? 0 : model_file_failed(&w->file, status, NULL);
}

static int make_text(const void *of, bool colour, product *out)
{
  const work *w = of;
  const dls_report_options look = {.colour = colour, .full = options_has(w->options, "--full")};
  const dls_status status = dls_report_text(&w->report, &look, &out->report);
  return status == DLS_OK ? 0 : model_file_failed(&w->file, status, NULL);
}

static int make_picture(const void *of, dls_picture_form form, product *out)
{
  const work *w = of;
  dls_message message = {0};
  const dls_status status =
      check_picture(&w->report, w->drawing, form, &out->picture, &out->picture_size, &message);
  return status == DLS_OK ? 0 : model_file_failed(&w->file, status, &message);
}

static int make_html(const void *of, product *out)
{
  const work *w = of;
  return view_check(&w->file, &w->report, &out->page, &out->page_size);
}

static const result_forms forms = {
    .html = make_html, .json = make_json, .text = make_text, .picture = make_picture};

static int compare_required(const work *w)
{
  int result = EXIT_DONE;
  const char *name;
  for (int i = 0; (name = options_value(w->options, "--require", i)); i++) {
    dls_message note = {0};
    const dls_question question = (dls_question)find_question(name);
    const dls_verdict verdict = dls_report_verdict(&w->report, question);
    if (verdict.answer == DLS_YES) continue;
    result = EXIT_BAD_ANSWER;
    if (verdict.answer != DLS_NOT_ASKED) {
      complain("%s is required, but the answer is %s: %s", name, dls_answer_name(verdict.answer),
               verdict.by ? verdict.by : "no reason given");
      if (verdict.answer == DLS_NO && verdict.shows && verdict.shows[0])
        add_line("witness: %s", verdict.shows);
    } else if (w->file.contact_state->impact && dls_report_note(&w->report, 0, &note)) {
      complain("%s is required, but not answered: %s", name, note.text);
    } else {
      complain("%s is required, but the question does not arise at this state", name);
    }
  }
  return result;
}

int check_page(const options *given, char **html, size_t *size)
{
  work w = {.options = given};
  int status = model_file_call(&w.file, given, "view");
  if (!status) status = load(&w);
  if (!status) status = ask(&w);
  if (!status) status = ask_impact(&w);
  if (!status) status = view_check(&w.file, &w.report, html, size);
  free_work(&w);
  return status;
}

int run_check(const options *given)
{
  work w = {.options = given};
  int status = check_call(&w);
  if (!status) status = load(&w);
  if (!status) status = ask(&w);
  if (!status) status = ask_impact(&w);
  if (!status) status = write_results(given, &forms, &w);
  if (!status) status = compare_required(&w);
  free_work(&w);
  return status;
}
