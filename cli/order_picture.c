// Errors over steps on the left, over work on the right; a colour for each scheme and a marker for
// each norm, or with one scheme a colour for each norm. The legend has the orders.
#include "order.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDES = 2, PLOTS = QUANTITIES * SIDES, LABEL = 80 };

typedef struct drawing {
  const order_plan *plan;
  const order_result *result;
  double *step, *work, *error[QUANTITIES][DLS_NORM_COUNT];  // by run
  double *numbers;
  dls_curve *curve;  // all plots after each other
  char (*label)[LABEL];
  int curves;
  dls_plot plot[PLOTS];
  int plots;
} drawing;

static bool take_memory(drawing *d)
{
  const size_t runs = (size_t)d->result->runs, lists = 2 + QUANTITIES * DLS_NORM_COUNT;
  const size_t curves = (size_t)d->plan->schemes * DLS_NORM_COUNT * PLOTS;
  d->numbers = calloc(runs * lists + 1, sizeof(double));
  d->curve = calloc(curves, sizeof *d->curve);
  d->label = calloc(curves, sizeof *d->label);
  if (!d->numbers || !d->curve || !d->label) return false;
  d->step = d->numbers, d->work = d->step + runs;
  for (int x = 0; x < QUANTITIES; x++)
    for (int k = 0; k < DLS_NORM_COUNT; k++)
      d->error[x][k] = d->work + runs * (size_t)(1 + x * DLS_NORM_COUNT + k);
  return true;
}

static void fill(drawing *d)
{
  for (int i = 0; i < d->result->runs; i++) {
    const order_run *run = &d->result->run[i];
    const long work = run->accuracy.counts.rhs_evaluations;
    d->step[i] = run->done ? order_step(d->plan, run) : (double)NAN;
    d->work[i] = run->done && work > 0 ? (double)work : (double)NAN;
    for (int x = 0; x < QUANTITIES; x++)
      for (int k = 0; k < DLS_NORM_COUNT; k++) {
        const double error = order_error(run, x, k);
        d->error[x][k][i] = error > 0 ? error : (double)NAN;
      }
  }
}

static void name_curve(drawing *d, char *label, int scheme, int x, int norm)
{
  const double slope = d->result->slope[scheme][x][norm].slope;
  static const char *const names[DLS_NORM_COUNT] = {"Hausdorff", "l1", "l2", "uniform"};
  int norms = 0;
  char order[24] = "";
  for (int k = 0; k < DLS_NORM_COUNT; k++) norms += d->plan->norm[k];
  if (isfinite(slope)) snprintf(order, sizeof order, ": %.2f", slope);
  if (d->plan->schemes == 1) snprintf(label, LABEL, "%s%s", names[norm], order);
  else if (norms == 1) snprintf(label, LABEL, "%s%s", d->plan->scheme[scheme], order);
  else snprintf(label, LABEL, "%s, %s%s", d->plan->scheme[scheme], names[norm], order);
}

static void add_curve(drawing *d, int side, int scheme, int x, int norm)
{
  static const dls_marker markers[DLS_NORM_COUNT] = {DLS_CIRCLE, DLS_SQUARE, DLS_TRIANGLE,
                                                     DLS_CROSS};
  const order_result *r = d->result;
  const bool one = d->plan->schemes == 1;
  int first = 0, count = 0;
  while (first < r->runs && r->run[first].scheme != scheme) first++;
  while (first + count < r->runs && r->run[first + count].scheme == scheme) count++;
  name_curve(d, d->label[d->curves], scheme, x, norm);
  d->curve[d->curves] = (dls_curve){.label = side == 1 ? d->label[d->curves] : NULL,
                                    .count = count,
                                    .x = (side == 0 ? d->step : d->work) + first,
                                    .y = d->error[x][norm] + first,
                                    .marker = markers[one ? norm : (scheme / 7 + norm) % 4],
                                    .colour = dls_colour_line(one ? norm : scheme)};
  d->curves++;
}

static void add_plot(drawing *d, int x, int side)
{
  const int first = d->curves;
  for (int s = 0; s < d->plan->schemes; s++)
    for (int k = 0; k < DLS_NORM_COUNT; k++)
      if (d->plan->norm[k]) add_curve(d, side, s, x, k);
  bool chosen = false;
  for (int s = 0; s < d->plan->schemes; s++) chosen = chosen || d->plan->chosen[s];
  d->plot[d->plots++] =
      (dls_plot){.x = {.label = side == 1 ? "evaluations of the right-hand side"
                                : chosen  ? "step, or mean step"
                                          : "step",
                       .logarithmic = true},
                 .y = {.label = x == 0 ? "error of the coordinates" : "error of the velocities",
                       .logarithmic = true},
                 .width = 300,
                 .height = 260,
                 .curves = d->curves - first,
                 .curve = d->curve + first};
}

// Whether there is anything to compare.
static bool any(const drawing *d, int x)
{
  for (int i = 0; i < d->result->runs; i++)
    for (int k = 0; k < DLS_NORM_COUNT; k++)
      if (d->plan->norm[k] && isfinite(d->error[x][k][i])) return true;
  return false;
}

dls_status order_draw(const order_plan *plan, const order_result *result, dls_picture_form form,
                      char **data, size_t *size, dls_message *message)
{
  drawing d = {.plan = plan, .result = result};
  dls_status status = DLS_ERR_MEMORY;
  buffer below = {0};
  const char *title = dls_model_title(plan->file->model);
  if (plan->schemes == 1) buffer_add(&below, "%s: ", plan->scheme[0]);
  buffer_add(&below, "errors until t = %g against %s, with their orders", plan->until,
             result->exact ? "the exact solution" : "a fine run of radau5");
  if (take_memory(&d) && !below.failed) {
    fill(&d);
    for (int x = 0; x < QUANTITIES; x++)
      for (int side = 0; side < SIDES && plan->quantity[x] && any(&d, x); side++)
        add_plot(&d, x, side);
    const dls_picture picture = {.title = title[0] ? title : plan->file->shown,
                                 .subtitle = below.text,
                                 .columns = SIDES,
                                 .plots = d.plots,
                                 .plot = d.plot};
    status = dls_picture_draw(&picture, form, data, size, message);
  }
  buffer_free(&below);
  free(d.numbers);
  free(d.curve);
  free(d.label);
  return status;
}
