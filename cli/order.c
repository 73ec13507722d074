// delassus order: model file -> runs of schemes with many steps -> errors, slopes, picture.
#define _POSIX_C_SOURCE 200809L
#include "order.h"

#include "commands.h"
#include "files.h"
#include "help.h"
#include "message.h"

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
     "where to start: a state of the model, or assignments such as\n"
     "\"theta=0.5, theta'=1\" (default: the initial values)"},
    {"--set", "NAME=VALUE", true, "override a parameter of the model; may be repeated"},
    {"--theta", "X", false, "of Moreau's scheme, from 0 to 1 (default: 0.5)"},
    {"--gamma", "X", false, "of its prediction of gaps, from 0 to 1 (default: 0.5)"},
    {"--facets", "N", false, "of the friction pyramid of the scheme lcp (default: 8)"},
    {"--tol", "X", false,
     "gaps and velocities up to this count as zero, and relative errors of\n"
     "contact problems (default: 1e-12)"},
    {"--json", NULL, false, "print one JSON object instead of the table"},
    {"-o", "FILE", false,
     "write to FILE: .svg or .png errors over steps and over work, .csv all\n"
     "runs, .json"},
    {"--quiet", NULL, false, "do not print the table"},
    {"--help", NULL, false, "this text (also -h)"},
    {"-h", NULL, false, ""},
};
const int order_option_count = sizeof order_options / sizeof order_options[0];

static const double default_tolerance = 1e-12;

typedef struct work {
  options options;
  model_file file;
  order_plan plan;
  order_result result;
  growing json, text;
  char *picture;
  new_file file_out;
} work;

static void free_work(work *w)
{
  new_file_drop(&w->file_out);
  dls_picture_data_free(w->picture);
  growing_free(&w->json);
  growing_free(&w->text);
  order_result_free(&w->result);
  free(w->plan.names);
  model_file_free(&w->file);
  options_free(&w->options);
}

// ---- the call -----------------------------------------------------------------------------------

static int read_number(const options *o, const char *name, double least, double most,
                       const char *expected, double *number)
{
  const char *text = options_value(o, name, 0);
  if (!text) return 0;
  char *end = NULL;
  const double x = strtod(text, &end);
  if (end == text || *end || !(x >= least) || !(x <= most))
    return complain("%s %s: expected %s", name, text, expected);
  *number = x;
  return 0;
}

static int unknown_scheme(const char *name)
{
  const char *known[ORDER_SCHEMES];
  int count = 0;
  for (int k = 0; k < dls_scheme_count() && count < ORDER_SCHEMES; k++)
    known[count++] = dls_scheme_info_at(k)->name;
  complain("--scheme %s: there is no such scheme", name);
  const char *meant = nearest(name, known, count);
  if (meant) add_line("did you mean %s?", meant);
  for (int k = 0; k < count && !meant; k++) add_line("%s", known[k]);
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
    if (!dls_scheme_find(word)) return unknown_scheme(word);
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
  const char *meant = nearest(word, known, DLS_NORM_COUNT);
  if (meant) add_line("did you mean %s?", meant);
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
    if (!(plan->rtols.value[k] <= 1)) return complain("--rtols: expected tolerances up to 1");
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

static int check_out(const char *out)
{
  if (!out || ends_in(out, ".svg") || ends_in(out, ".png") || ends_in(out, ".csv") ||
      ends_in(out, ".json"))
    return 0;
  return complain("-o %s: the ending chooses the form; expected .svg, .png, .csv or .json", out);
}

// Everything about the call that can be wrong before a file is opened.
static int check_call(work *w)
{
  static const double most = 1.7976931348623157e308;
  static const char part[] = "a number from 0 to 1";
  const options *o = &w->options;
  order_plan *plan = &w->plan;
  double facets = 0;
  plan->how = dls_integrator_defaults();
  int wrong = model_file_call(&w->file, o, "order");
  if (wrong) return wrong;
  plan->file = &w->file;
  plan->quiet = options_has(o, "--quiet");
  plan->how.tolerance = plan->how.closed =
      options_has(o, "--tol") ? w->file.tolerance : default_tolerance;
  wrong = read_schemes(o, plan);
  if (!wrong) wrong = read_lists(o, plan);
  if (!wrong) wrong = read_norms(o, plan);
  if (!wrong) wrong = read_reference(o, plan);
  if (!wrong) wrong = read_number(o, "--until", -most, most, "a number", &plan->until);
  if (!wrong) wrong = read_number(o, "--theta", 0, 1, part, &plan->how.theta);
  if (!wrong) wrong = read_number(o, "--gamma", 0, 1, part, &plan->how.gamma);
  if (!wrong) wrong = read_number(o, "--facets", 3, 1000, "a number from 3 to 1000", &facets);
  if (facets > 0) plan->how.facets = (int)facets;
  if (!wrong) wrong = check_out(options_value(o, "-o", 0));
  if (!wrong && !options_has(o, "--until"))
    wrong = complain("order needs an end: --until T, such as --until 5");
  return wrong;
}

static int load(work *w)
{
  model_file *file = &w->file;
  dls_message message = {0};
  int wrong = model_file_read(file);
  if (!wrong) wrong = model_file_set(file);
  if (!wrong) wrong = model_file_state(file);
  if (!wrong && !(w->plan.until > file->state.t))
    wrong = complain("--until %s: the start is at t = %g already",
                     options_value(&w->options, "--until", 0), file->state.t);
  if (wrong) return wrong;
  const dls_status status = dls_model_differentiate(file->system, &message);
  return status == DLS_OK ? 0 : model_file_failed(file, status, &message);
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

static int write_picture(work *w, const char *out)
{
  if (!has_errors(w)) {
    const int wrong = complain("-o %s: there is nothing to draw", out);
    for (int i = 0; i < w->result.runs; i++)
      if (!w->result.run[i].done || order_failed(&w->result.run[i])) return 0;
    return wrong;
  }
  size_t size = 0;
  dls_message message = {0};
  const dls_status status = order_draw(
      &w->plan, &w->result, ends_in(out, ".png") ? DLS_PNG : DLS_SVG, &w->picture, &size, &message);
  if (status != DLS_OK) return model_file_failed(&w->file, status, &message);
  return new_file_write_bytes(&w->file_out, out, w->picture, size);
}

static int write_csv(work *w, const char *out)
{
  growing csv = {0};
  order_csv(&csv, &w->plan, &w->result);
  const int wrong =
      csv.failed ? complain("out of memory") : new_file_write(&w->file_out, out, csv.text);
  growing_free(&csv);
  return wrong;
}

static int write_results(work *w)
{
  const char *out = options_value(&w->options, "-o", 0);
  const bool json = options_has(&w->options, "--json");
  int wrong = 0;
  if (json || (out && ends_in(out, ".json"))) order_json(&w->json, &w->plan, &w->result);
  if (!json && !w->plan.quiet) order_text(&w->text, &w->plan, &w->result);
  if (w->json.failed || w->text.failed) return complain("out of memory");
  if (out && (ends_in(out, ".svg") || ends_in(out, ".png"))) wrong = write_picture(w, out);
  else if (out && ends_in(out, ".csv")) wrong = write_csv(w, out);
  else if (out) wrong = new_file_write(&w->file_out, out, w->json.text);
  if (!wrong && json) wrong = print_output(w->json.text);
  else if (!wrong && !w->plan.quiet) wrong = print_output(w->text.text);
  // last, so that the file appears only when all went well
  return wrong ? wrong : new_file_keep(&w->file_out);
}

static int judge(const work *w)
{
  const order_result *r = &w->result;
  int failed = 0, made = 0;
  for (int k = 0; k < r->runs; k++) {
    made += r->run[k].done;
    if (!order_failed(&r->run[k])) continue;
    if (++failed > 1) continue;
    complain("%s: %s with step %g: %s", w->file.shown, w->plan.scheme[r->run[k].scheme],
             r->run[k].step, r->run[k].accuracy.why.text);
  }
  if (failed > 1) add_line("and %d more of the %d runs failed", failed - 1, r->runs);
  if (r->interrupted) complain("%s: interrupted after %d of %d runs", w->file.shown, made, r->runs);
  return failed || r->interrupted ? EXIT_BAD_ANSWER : EXIT_DONE;
}

int run_order(int argc, char **argv)
{
  work w = {0};
  int status = options_parse(&w.options, order_options, order_option_count, argc, argv);
  if (!status && (options_has(&w.options, "--help") || options_has(&w.options, "-h"))) {
    options_free(&w.options);
    return print_command_help("order");
  }
  if (!status) status = check_call(&w);
  if (!status) status = load(&w);
  if (!status) status = order_measure(&w.result, &w.plan);
  if (!status) status = write_results(&w);
  if (!status) status = judge(&w);
  free_work(&w);
  return status;
}
