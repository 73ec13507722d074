// delassus show: what a model consists of, and its matrices at a state.
#define _POSIX_C_SOURCE 200809L
#include "show.h"

#include "commands.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

const option show_options[] = {
    {"--at", "STATE", false,
     "a state of the model, assignments such as \"theta=0.5, theta'=1\", or\n"
     "a recording and a time, run.h5@0.05 (default: the initial values)"},
    {"--state", "FILE", false, "the same from {\"q\": […], \"v\": […], \"t\": 0} in FILE.json"},
    {"--set", "NAME=VALUE", true, "override a parameter of the model; may be repeated"},
    MODEL_OPTIONS,
    {"--full", NULL, false, "all bodies, joints and contacts, however many they are"},
    {"--matrices", NULL, false,
     "with --json: the mass matrix M and the forces F at the state, whether or\n"
     "not its constraints hold"},
    {"--json", NULL, false, "print one JSON object instead of the text"},
    {"-o", "FILE", true,
     "write the result to FILE: .json for JSON, .txt for the text; may be\nrepeated"},
    {"--quiet", NULL, false, "do not print the text; the exit status tells"},
    {"--help", NULL, false, "this text (also -h)"},
    {"-h", NULL, false, ""},
};
const int show_option_count = sizeof show_options / sizeof show_options[0];

static void free_work(show_work *w)
{
  free(w->pose);
  free(w->x);
  dls_values_free(w->values);
  model_file_free(&w->file);
}

// M and F, in the coordinates of the chart around the state.
static int evaluate(show_work *w)
{
  const dls_system *s = w->file.system;
  dls_message message = {0};
  const double *q = w->file.state.q, *v = w->file.state.v;
  dls_status status = dls_values_create(s, &w->values);
  w->x = calloc(2 * (size_t)s->n + 1, sizeof *w->x);
  if (status == DLS_OK && !w->x) status = DLS_ERR_MEMORY;
  if (status == DLS_OK && s->chart) {
    status = s->chart->centre(s->self, q, &message);
    if (status == DLS_OK) status = s->chart->enter(s->self, q, v, w->x, w->x + s->n);
    q = w->x, v = w->x + s->n;
  }
  if (status == DLS_OK)
    status = s->evaluate(s->self, w->file.state.t, q, v, w->values, NULL, &message);
  return status == DLS_OK ? 0 : model_file_failed(&w->file, status, &message);
}

static int place_bodies(show_work *w)
{
  w->mechanism = dls_model_mechanism(w->file.system);
  if (!w->mechanism) return 0;
  w->pose = calloc((size_t)w->mechanism->bodies + 1, sizeof *w->pose);
  const dls_status status =
      w->pose ? dls_mechanism_poses(dls_model_bodies(w->file.system), w->file.state.q, w->pose)
              : DLS_ERR_MEMORY;
  return status == DLS_OK ? 0 : model_file_failed(&w->file, status, NULL);
}

static const result_forms forms = {.json = show_json, .text = show_text};

int run_show(const options *given)
{
  show_work w = {.options = given};
  int status = model_file_call(&w.file, given, "show");
  if (!status) status = check_out(given, ".json or .txt");
  if (!status && options_has(given, "--matrices") && !options_has(given, "--json") &&
      !out_ending(given, ".json"))
    status = complain("--matrices needs --json or -o FILE.json");
  if (!status) status = model_file_open(&w.file);
  if (!status) status = model_file_state(&w.file);
  if (!status) status = place_bodies(&w);
  if (!status && options_has(given, "--matrices")) status = evaluate(&w);
  if (!status) status = write_results(given, &forms, &w);
  free_work(&w);
  return status;
}
