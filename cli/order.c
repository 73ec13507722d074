// delassus order: model file -> runs of schemes with many steps -> errors, slopes, picture.
#define _POSIX_C_SOURCE 200809L
#include "order.h"

#include "commands.h"
#include "interrupt.h"
#include "message.h"
#include "model_file.h"
#include "motion.h"
#include "results.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const option order_options[] = {
    {"--scheme", "A,B,…", false, "the schemes to measure (default: moreau)"},
    {"--steps", "A:B:N", false,
     "N steps from A down to B, evenly on a logarithmic scale; or a list\n"
     "such as 0.1,0.05,0.01"},
    {"--until", "T", false, "when to end"},
    {"--rtols", "A:B:N", false,
     "relative tolerances, for schemes that choose their steps; without\n"
     "--steps for all"},
    {"--atols", "A:B:N", false,
     "absolute tolerances: one for each of --rtols, or one for all\n"
     "(default: as --rtols)"},
    {"--norm", "A,B,…", false,
     "what to show of hausdorff, l1, l2, uniform (default: hausdorff,l1);\n"
     "JSON and CSV have all"},
    {"--of", "q|v", false, "errors of coordinates or of velocities (default: both)"},
    {"--reference", "WHAT", false,
     "exact: the exact statements of the model; run: radau5 with an eighth\n"
     "of the smallest step (default: exact where there is one)"},
    {"--at", "STATE", false,
     "where to start: a state of the model, assignments such as\n"
     "\"theta=0.5, theta'=1\", or a recording and a time, run.h5@0.05\n"
     "(default: the initial values)"},
    {"--state", "FILE", false, "the same from {\"q\": […], \"v\": […], \"t\": 0} in FILE.json"},
    {"--set", "NAME=VALUE", true, "override a parameter of the model; may be repeated"},
    {"--theta", "X", false, "of Moreau's scheme, from 0 to 1 (default: 0.5)"},
    {"--gamma", "X", false, "of its prediction of gaps, from 0 to 1 (default: 0.5)"},
    {"--facets", "N", false, "of the friction pyramid of the scheme lcp (default: 8)"},
    {"--tol", "GAP[,VELOCITY]", false,
     "gaps up to this length and velocities up to this one count as zero;\n"
     "one number: both (default: 1e-12)"},
    {"--residual", "X", false,
     "relative error up to which the contact problem of a step is solved\n"
     "(default: 1e-12)"},
    {"--native", NULL, false,
     "have the equations compiled by the C compiler of this machine, and kept\n"
     "in ~/.cache/delassus: the same numbers; for long runs"},
    {"--json", NULL, false, "print one JSON object instead of the table"},
    {"-o", "FILE", true,
     "write to FILE: .svg or .png errors over steps and over work, .csv all\n"
     "runs, .json; may be repeated"},
    {"--quiet", NULL, false, "do not print the table"},
    MODEL_OPTIONS,
    {"--help", NULL, false, "this text (also -h)"},
    {"-h", NULL, false, ""},
};
const int order_option_count = sizeof order_options / sizeof order_options[0];

static const double default_tolerance = 1e-12;

typedef struct work {
  const options *options;
  model_file file;
  order_plan plan;
  order_result result;
} work;

static void free_work(work *w)
{
  order_result_free(&w->result);
  free(w->plan.names);
  model_file_free(&w->file);
}

// ---- the call -----------------------------------------------------------------------------------

static int no_scheme(const char *name)
{
  if (!unknown_scheme(name))
    for (int k = 0; k < dls_scheme_count(); k++) add_line("%s", dls_scheme_info_at(k)->name);
  return EXIT_WRONG;
}

static int read_schemes(const options *o, order_plan *plan)
{
  const char *text = options_value(o, "--scheme", 0);
  char *rest;
  plan->names = strdup(text ? text : plan->how.scheme);
  if (!plan->names) return complain("out of memory");
  for (char *word = strtok_r(plan->names, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
    word += strspn(word, " ");
    if (!dls_scheme_find(word)) return no_scheme(word);
    for (int k = 0; k < plan->schemes; k++)
      if (strcmp(plan->scheme[k], word) == 0)
        return complain("--scheme %s: %s is given twice", text, word);
    if (plan->schemes == ORDER_SCHEMES) return complain("--scheme %s: too many schemes", text);
    plan->scheme[plan->schemes++] = word;
  }
  return plan->schemes ? 0 : complain("--scheme needs the name of a scheme, such as moreau");
}

static int unknown_norm(const char *word)
{
  const char *known[DLS_NORM_COUNT];
  for (int k = 0; k < DLS_NORM_COUNT; k++) known[k] = dls_norm_name((dls_norm)k);
  complain("--norm %s: expected hausdorff, l1, l2 or uniform", word);
  suggest(word, known, DLS_NORM_COUNT);
  return EXIT_WRONG;
}

static int read_norms(const options *o, order_plan *plan)
{
  const char *text = options_value(o, "--norm", 0), *of = options_value(o, "--of", 0);
  if (!text) text = "hausdorff,l1";
  while (*text) {
    const size_t length = strcspn(text, ",");
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), text);
    int k = 0;
    while (k < DLS_NORM_COUNT && strcmp(word, dls_norm_name((dls_norm)k)) != 0) k++;
    if (k == DLS_NORM_COUNT) return unknown_norm(word);
    plan->norm[k] = true;
    text += length + (text[length] == ',');
  }
  plan->quantity[0] = !of || strcmp(of, "q") == 0;
  plan->quantity[1] = !of || strcmp(of, "v") == 0;
  if (!plan->quantity[0] && !plan->quantity[1]) return complain("--of %s: expected q or v", of);
  for (int k = 0; k < DLS_NORM_COUNT; k++)
    if (plan->norm[k]) return 0;
  return complain("--norm needs a norm: hausdorff, l1, l2 or uniform");
}

// Which schemes have steps, which have tolerances, and whether the call gives them.
static int sort_schemes(order_plan *plan)
{
  const bool only_tolerances = plan->steps.count == 0;
  for (int k = 0; k < plan->schemes; k++) {
    const dls_scheme_info *info = dls_scheme_find(plan->scheme[k]);
    plan->chosen[k] = info->adaptive || (only_tolerances && info->events);
    if (plan->chosen[k] && plan->rtols.count == 0)
      return complain("%s chooses its steps: --rtols gives tolerances, such as --rtols 1e-2:1e-8:7",
                      info->name);
    if (!plan->chosen[k] && only_tolerances)
      return complain("%s has fixed steps: --steps gives them, such as --steps 0.1:0.0001:8",
                      info->name);
  }
  bool chosen = false;
  for (int k = 0; k < plan->schemes; k++) chosen = chosen || plan->chosen[k];
  if (plan->rtols.count > 0 && !chosen)
    return complain("--rtols: none of the schemes chooses its steps when --steps gives them");
  if (plan->atols.count > 1 && plan->atols.count != plan->rtols.count)
    return complain("--atols has %d values, and --rtols %d", plan->atols.count, plan->rtols.count);
  if (plan->atols.count > 0 && plan->rtols.count == 0) return complain("--atols without --rtols");
  return 0;
}

static int read_lists(const options *o, order_plan *plan)
{
  static const char *const flags[] = {"--steps", "--rtols", "--atols"};
  order_list *lists[] = {&plan->steps, &plan->rtols, &plan->atols};
  for (int k = 0; k < 3; k++) {
    const char *text = options_value(o, flags[k], 0);
    const int wrong = text ? order_list_read(lists[k], flags[k], text) : 0;
    if (wrong) return wrong;
  }
  for (int k = 0; k < plan->rtols.count; k++)
    if (!(plan->rtols.value[k] <= 1 && plan->rtols.value[k] >= DBL_EPSILON))
      return complain("--rtols: expected tolerances from 2.2e-16 to 1");
  if (plan->steps.count == 0 && plan->rtols.count == 0)
    return complain("order needs steps: --steps A:B:N, such as --steps 0.1:0.0001:8");
  if (plan->steps.count == 1 || plan->rtols.count == 1)
    return complain("%s: an order needs two values at least",
                    plan->steps.count == 1 ? "--steps" : "--rtols");
  return sort_schemes(plan);
}

static int read_reference(const options *o, order_plan *plan)
{
  const char *text = options_value(o, "--reference", 0);
  plan->by_formula = text && strcmp(text, "exact") == 0;
  plan->by_run = text && strcmp(text, "run") == 0;
  if (text && !plan->by_formula && !plan->by_run)
    return complain("--reference %s: expected exact or run", text);
  return 0;
}

// Everything about the call that can be wrong before a file is opened.
static int check_call(work *w)
{
  const options *o = w->options;
  order_plan *plan = &w->plan;
  plan->how = dls_integrator_defaults();
  int wrong = model_file_call(&w->file, o, "order");
  if (wrong) return wrong;
  plan->file = &w->file;
  plan->quiet = options_has(o, "--quiet");
  const bool given = options_has(o, "--tol");
  plan->how.tolerance = default_tolerance;
  plan->how.closed = given ? w->file.tolerance : default_tolerance;
  plan->how.rest = given ? w->file.rest : default_tolerance;
  wrong = read_schemes(o, plan);
  if (!wrong) wrong = motion_check_options(o, plan->scheme, plan->schemes);
  if (!wrong) wrong = read_lists(o, plan);
  if (!wrong) wrong = read_norms(o, plan);
  if (!wrong) wrong = read_reference(o, plan);
  if (!wrong) wrong = motion_numbers(o, &plan->how, &plan->until);
  if (!wrong) wrong = check_out(o, ".svg, .png, .csv or .json");
  if (!wrong && !options_has(o, "--until"))
    wrong = complain("order needs an end: --until T, such as --until 5");
  return wrong;
}

// A step longer than the run is another one than it says.
static int check_length(const order_plan *plan)
{
  const double length = plan->until - plan->file->state.t;
  for (int k = 0; k < plan->steps.count; k++)
    if (plan->steps.value[k] > length * (1 + 1e-9))
      return complain("--steps: %g is longer than the run, from t = %g to %g", plan->steps.value[k],
                      plan->file->state.t, plan->until);
  return 0;
}

// ---- the results --------------------------------------------------------------------------------

// Whether some run has an error to show.
static bool has_errors(const work *w)
{
  for (int i = 0; i < w->result.runs; i++)
    for (int x = 0; x < QUANTITIES; x++)
      if (w->plan.quantity[x] && isfinite(order_error(&w->result.run[i], x, DLS_NORM_L1)))
        return true;
  return false;
}

static int make_picture(const void *of, dls_picture_form form, product *out)
{
  const work *w = of;
  dls_message message = {0};
  if (!has_errors(w)) {
    const int wrong =
        complain("-o %s: there is nothing to draw", out_ending(w->options, ".svg .png"));
    for (int i = 0; i < w->result.runs; i++)
      if (!w->result.run[i].done || order_failed(&w->result.run[i])) return 0;
    return wrong;
  }
  const dls_status status =
      order_draw(&w->plan, &w->result, form, &out->picture, &out->picture_size, &message);
  return status == DLS_OK ? 0 : model_file_failed(&w->file, status, &message);
}

static int make_json(const void *of, product *out)
{
  const work *w = of;
  order_json(&out->grown, &w->plan, &w->result);
  return 0;
}

static int make_text(const void *of, bool colour, product *out)
{
  const work *w = of;
  (void)colour;
  order_text(&out->grown, &w->plan, &w->result);
  return 0;
}

static int make_csv(const void *of, product *out)
{
  const work *w = of;
  order_csv(&out->grown, &w->plan, &w->result);
  return 0;
}

static const result_forms forms = {.json = make_json,
                                   .text = make_text,
                                   .csv = make_csv,
                                   .picture = make_picture,
                                   .text_beside_file = true};

// Runs that went on where several motions are possible need not have taken the same one.
static void warn_of_loss(const work *w)
{
  const order_result *r = &w->result;
  for (int k = 0; k < r->runs; k++) {
    const dls_uniqueness_loss *loss = &r->run[k].accuracy.loss;
    if (!r->run[k].done || order_failed(&r->run[k]) || !loss->lost) continue;
    complain("%s: warning: %s with step %g: from t = %.9g on the motion is not determined: %s",
             w->file.shown, w->plan.scheme[r->run[k].scheme], r->run[k].step, loss->t, loss->why);
    add_line("the motions that are compared may be different ones, and the orders mean little");
    return;
  }
}

static int judge(const work *w)
{
  const order_result *r = &w->result;
  int failed = 0, made = 0;
  warn_of_loss(w);
  for (int k = 0; k < r->runs; k++) {
    made += r->run[k].done;
    if (!order_failed(&r->run[k])) continue;
    if (++failed > 1) continue;
    complain("%s: %s with step %g: %s", w->file.shown, w->plan.scheme[r->run[k].scheme],
             r->run[k].step, r->run[k].accuracy.why.text);
  }
  if (failed > 1) add_line("and %d more of the %d runs failed", failed - 1, r->runs);
  if (failed) order_suggest_tolerance(&w->plan);
  if (r->interrupted) complain("%s: interrupted after %d of %d runs", w->file.shown, made, r->runs);
  return failed || r->interrupted ? EXIT_BAD_ANSWER : EXIT_DONE;
}

int run_order(const options *given)
{
  work w = {.options = given};
  int status = check_call(&w);
  if (!status) status = motion_start(&w.file, w.plan.until);
  if (!status) status = check_length(&w.plan);
  if (!status) status = motion_differentiate(&w.file);
  if (!status) status = order_measure(&w.result, &w.plan);
  if (!status) status = write_results(given, &forms, &w);
  interrupt_end();
  if (!status) status = judge(&w);
  free_work(&w);
  return status;
}
