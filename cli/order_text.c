// What the runs came to: a table for people, JSON and CSV for programs.
#include "order.h"

#include "motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const quantities[QUANTITIES] = {"q", "v"};

// ---- the table ----------------------------------------------------------------------------------

// A column of the table.
typedef struct column {
  int quantity, norm;
} column;

enum { COLUMNS_MAX = QUANTITIES * DLS_NORM_COUNT, COLUMNS_SIDE = 4 };

static int list_columns(const order_plan *plan, column *list)
{
  int count = 0;
  for (int x = 0; x < QUANTITIES; x++)
    for (int k = 0; k < DLS_NORM_COUNT; k++)
      if (plan->quantity[x] && plan->norm[k]) list[count++] = (column){x, k};
  return count;
}

static void add_number(buffer *out, double x, const char *format)
{
  if (isfinite(x)) buffer_add(out, format, x);
  else buffer_add(out, "        –");
}

// The slope between a run and the one before it.
static double local_slope(const order_plan *plan, const order_result *r, int k, column c)
{
  if (k == 0 || r->run[k - 1].scheme != r->run[k].scheme || !r->run[k].done) return (double)NAN;
  const double error[] = {order_error(&r->run[k - 1], c.quantity, c.norm),
                          order_error(&r->run[k], c.quantity, c.norm)};
  const double step[] = {order_step(plan, &r->run[k - 1]), order_step(plan, &r->run[k])};
  return dls_slope_fit(2, step, error, NULL, NULL).slope;
}

static void add_slope(buffer *out, double slope)
{
  if (isfinite(slope)) buffer_add(out, " %5.2f", slope);
  else buffer_add(out, "      ");
}

// Marks that rows have.
typedef struct marks {
  bool rounding, below;
} marks;

static void add_row(buffer *out, const order_plan *plan, const order_result *r, int k,
                    const column *list, int count, marks *seen)
{
  const order_run *run = &r->run[k];
  if (!run->done) return;
  buffer_add(out, "  %-9.3g %9ld", plan->chosen[run->scheme] ? run->rtol : run->step,
             run->accuracy.counts.rhs_evaluations);
  if (order_failed(run)) {
    buffer_add(out, "  failed: %s\n", run->accuracy.why.text);
    return;
  }
  for (int i = 0; i < count; i++) {
    const column c = list[i];
    const double error = order_error(run, c.quantity, c.norm);
    const bool unused = isfinite(error) && !r->used[k][c.quantity][c.norm];
    const bool below = unused && r->below[k][c.quantity][c.norm];
    add_number(out, error, "%9.2e");
    if (unused) buffer_add(out, "%s     ", below ? "~" : "*");
    else add_slope(out, local_slope(plan, r, k, c));
    seen->below = seen->below || below;
    seen->rounding = seen->rounding || (unused && !below);
  }
  buffer_add(out, "\n");
}

static void add_block(buffer *out, const order_plan *plan, const order_result *r, int scheme,
                      const column *list, int count, marks *seen)
{
  buffer_add(out, "\n%s\n  %-9s %9s", plan->scheme[scheme],
             plan->chosen[scheme] ? "tolerance" : "step", "work");
  for (int i = 0; i < count; i++)
    buffer_add(out, "  %s %-11s", quantities[list[i].quantity],
               dls_norm_name((dls_norm)list[i].norm));
  buffer_add(out, "\n");
  for (int k = 0; k < r->runs; k++)
    if (r->run[k].scheme == scheme) add_row(out, plan, r, k, list, count, seen);
  buffer_add(out, "  %-19s", "order");
  for (int i = 0; i < count; i++) {
    buffer_add(out, "%9s", "");
    add_slope(out, r->slope[scheme][list[i].quantity][list[i].norm].slope);
  }
  buffer_add(out, "\n");
  for (int i = 0; i < count; i++) {
    const char *why = order_reason(plan, r, scheme, list[i].quantity, list[i].norm);
    if (why)
      buffer_add(out, "  no order of %s in %s: %s\n", quantities[list[i].quantity],
                 dls_norm_name((dls_norm)list[i].norm), why);
  }
}

void order_text(buffer *out, const order_plan *plan, const order_result *r)
{
  column list[COLUMNS_MAX];
  const double *t;
  const int count = list_columns(plan, list);
  const int side = count <= COLUMNS_SIDE ? count : count / 2;
  const char *title = dls_model_title(plan->file->model);
  bool chosen = false;
  marks seen = {0};
  buffer_add(out, "%s\nUntil t = %g, compared with ", title[0] ? title : plan->file->shown,
             plan->until);
  if (r->exact) buffer_add(out, "the exact solution");
  else buffer_add(out, "radau5 with step %.3g", r->reference_step);
  const ptrdiff_t jumps = dls_reference_jumps(r->reference, &t);
  buffer_add(out, ", which has %td %s%s.\n", jumps, r->exact ? "jump" : "event",
             jumps == 1 ? "" : "s");
  for (int s = 0; s < plan->schemes; s++) {
    for (int i = 0; i < count; i += side) add_block(out, plan, r, s, list + i, side, &seen);
    chosen = chosen || plan->chosen[s];
  }
  buffer_add(out,
             "\nBeside an error: the slope from the run above. Order: that of all runs, by "
             "least squares%s.\n",
             chosen ? ",\nagainst the mean step where the scheme chooses" : "");
  if (seen.rounding)
    buffer_add(
        out, "* at the level of rounding or of the run's own tolerances: not part of the order\n");
  if (seen.below)
    buffer_add(out, "~ not well above the error of the reference itself: not part of the order\n");
}

// ---- JSON ---------------------------------------------------------------------------------------

static void json_errors(buffer *out, const order_run *run, int quantity)
{
  buffer_add(out, ", \"error_%s\": {", quantities[quantity]);
  for (int k = 0; k < DLS_NORM_COUNT; k++) {
    buffer_add(out, "%s\"%s\": ", k ? ", " : "", dls_norm_name((dls_norm)k));
    buffer_json_number(out, order_error(run, quantity, k));
  }
  buffer_add(out, "}");
}

static void json_run(buffer *out, const order_plan *plan, const order_run *run)
{
  const dls_step_counts *counts = &run->accuracy.counts;
  buffer_add(out, "    {\"scheme\": \"%s\", \"step\": ", plan->scheme[run->scheme]);
  buffer_json_number(out, order_step(plan, run));
  if (plan->chosen[run->scheme]) {
    buffer_add(out, ", \"rtol\": ");
    buffer_json_number(out, run->rtol);
    buffer_add(out, ", \"atol\": ");
    buffer_json_number(out, run->atol);
  }
  buffer_add(out, ", \"steps\": %ld, \"rhs_evaluations\": %ld, \"events\": %ld", counts->steps,
             counts->rhs_evaluations, counts->events);
  for (int x = 0; x < QUANTITIES; x++) json_errors(out, run, x);
  buffer_add(out, ", \"failure\": ");
  buffer_json_string(out, order_failed(run) ? run->accuracy.why.text : NULL);
  buffer_add(out, ", \"uniqueness_lost\": ");
  motion_json_loss(out, plan->file->system, &run->accuracy.loss);
  buffer_add(out, "}");
}

// The runs of a scheme that a table marks.
static void json_marked(buffer *out, const order_result *r, int scheme, int x, int norm,
                        bool (*marked)[QUANTITIES][DLS_NORM_COUNT])
{
  const char *between = "";
  buffer_add(out, "[");
  for (int k = 0; k < r->runs; k++)
    if (r->run[k].scheme == scheme && marked[k][x][norm]) {
      buffer_add(out, "%s%d", between, k);
      between = ", ";
    }
  buffer_add(out, "]");
}

// What is said of an order, in each norm.
enum { SLOPE, USED, BELOW, NOISE, REASON, PARTS };

static void json_part(buffer *out, const order_plan *plan, const order_result *r, int scheme,
                      int part, int x, int norm)
{
  if (part == SLOPE) buffer_json_number(out, r->slope[scheme][x][norm].slope);
  else if (part == NOISE) buffer_json_number(out, r->noise[scheme][x][norm]);
  else if (part == REASON) buffer_json_string(out, order_reason(plan, r, scheme, x, norm));
  else json_marked(out, r, scheme, x, norm, part == USED ? r->used : r->below);
}

static void json_order(buffer *out, const order_plan *plan, const order_result *r, int scheme)
{
  static const char *const keys[PARTS] = {"", "used", "below_reference", "noise", "reason"};
  buffer_add(out, "    \"%s\": {", plan->scheme[scheme]);
  for (int part = 0; part < PARTS; part++) {
    if (part > 0) buffer_add(out, ",\n      \"%s\": {", keys[part]);
    for (int x = 0; x < QUANTITIES; x++) {
      buffer_add(out, "%s\"%s\": {", x ? ", " : "", quantities[x]);
      for (int k = 0; k < DLS_NORM_COUNT; k++) {
        buffer_add(out, "%s\"%s\": ", k ? ", " : "", dls_norm_name((dls_norm)k));
        json_part(out, plan, r, scheme, part, x, k);
      }
      buffer_add(out, "}");
    }
    if (part > 0) buffer_add(out, "}");
  }
  buffer_add(out, "}");
}

// How far the reference may be from the truth.
static void json_reference(buffer *out, const order_result *r)
{
  const double *t;
  buffer_add(out,
             ",\n  \"reference\": {\"kind\": \"%s\", \"step\": ", r->exact ? "exact" : "radau5");
  buffer_json_number(out, r->exact ? (double)NAN : r->reference_step);
  buffer_add(out, ", \"jumps\": %zu", dls_reference_jumps(r->reference, &t));
  for (int x = 0; x < QUANTITIES && !r->exact; x++) {
    buffer_add(out, ",\n    \"error_%s\": {", quantities[x]);
    for (int k = 0; k < DLS_NORM_COUNT; k++) {
      buffer_add(out, "%s\"%s\": ", k ? ", " : "", dls_norm_name((dls_norm)k));
      buffer_json_number(out, r->reference_error[x][k]);
    }
    buffer_add(out, "}");
  }
  buffer_add(out, "}");
}

void order_json(buffer *out, const order_plan *plan, const order_result *r)
{
  buffer_add(out, "{\n  \"model\": ");
  buffer_json_string(out, plan->file->shown);
  buffer_add(out, ",\n  \"until\": ");
  buffer_json_number(out, plan->until);
  json_reference(out, r);
  buffer_add(out, ",\n  \"runs\": [\n");
  const char *between = "";
  for (int k = 0; k < r->runs; k++) {
    if (!r->run[k].done) continue;
    buffer_add(out, "%s", between);
    json_run(out, plan, &r->run[k]);
    between = ",\n";
  }
  buffer_add(out, "\n  ],\n  \"orders\": {\n");
  for (int s = 0; s < plan->schemes; s++) {
    json_order(out, plan, r, s);
    buffer_add(out, "%s\n", s + 1 < plan->schemes ? "," : "");
  }
  buffer_add(out, "  }\n}\n");
}

// ---- CSV ----------------------------------------------------------------------------------------

static void csv_number(buffer *out, double x)
{
  buffer_add(out, ",");
  if (isfinite(x)) buffer_add(out, "%.17g", x);
}

void order_csv(buffer *out, const order_plan *plan, const order_result *r)
{
  buffer_add(out, "scheme,step,rtol,atol,steps,rhs_evaluations,events");
  for (int x = 0; x < QUANTITIES; x++)
    for (int k = 0; k < DLS_NORM_COUNT; k++)
      buffer_add(out, ",%s_%s", quantities[x], dls_norm_name((dls_norm)k));
  buffer_add(out, ",failure\n");
  for (int i = 0; i < r->runs; i++) {
    const order_run *run = &r->run[i];
    const dls_step_counts *counts = &run->accuracy.counts;
    const bool chosen = plan->chosen[run->scheme];
    if (!run->done) continue;
    buffer_add(out, "%s", plan->scheme[run->scheme]);
    csv_number(out, order_step(plan, run));
    csv_number(out, chosen ? run->rtol : (double)NAN);
    csv_number(out, chosen ? run->atol : (double)NAN);
    buffer_add(out, ",%ld,%ld,%ld", counts->steps, counts->rhs_evaluations, counts->events);
    for (int x = 0; x < QUANTITIES; x++)
      for (int k = 0; k < DLS_NORM_COUNT; k++) csv_number(out, order_error(run, x, k));
    buffer_add(out, ",%s\n", order_failed(run) ? dls_failure_text(run->accuracy.failure) : "");
  }
}
