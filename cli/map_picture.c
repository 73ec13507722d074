// The answers of a map as a picture: regions or a field over two axes; curves and strips over one.
#include "map.h"

#include <delassus/check.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTS = 9, CATEGORIES = 16 };

static const dls_category verdict_categories[] = {
    {"yes", 0x56B4E9, false},       {"no", 0xE69F00, false},      {"undecided", 0xDADADA, true},
    {"not asked", 0xF2F2F2, false}, {"no state", 0xFFFFFF, true},
};

static const dls_category count_categories[] = {
    {"no solution", 0xD55E00, false}, {"1 solution", 0x56B4E9, false},
    {"2 solutions", 0xF0E442, false}, {"3 solutions", 0x009E73, false},
    {"4 solutions", 0xCC79A7, false}, {"5 solutions", 0x0072B2, false},
    {"6 solutions", 0xE69F00, false}, {"7 solutions", 0x505050, false},
    {"8 or more", 0x909090, false},   {"not known", 0xDADADA, true},
    {"no state", 0xFFFFFF, true},
};
enum { COUNT_UNKNOWN = 9, COUNT_NO_STATE = 10, VERDICT_NO_STATE = 4 };

// Everything that belongs to the plots of one picture.
typedef struct drawing {
  const map_plan *plan;
  const map_answers *answers;
  int plots;
  dls_plot plot[MAP_ASKS_MAX];
  dls_regions regions[MAP_ASKS_MAX];
  dls_field field[MAP_ASKS_MAX];
  unsigned char *cells[MAP_ASKS_MAX];
  double *x;  // the points of the x axis
  dls_curve curve[MAP_ASKS_MAX];
  int curves;
  const char *names[MAP_ASKS_MAX];  // of strips, the lowest first
  dls_message no_number;
} drawing;

static void free_drawing(drawing *d)
{
  for (int k = 0; k < MAP_ASKS_MAX; k++) free(d->cells[k]);
  free(d->x);
}

static unsigned char category_of(const drawing *d, int ask, long point)
{
  const bool verdict = d->plan->ask[ask].kind == ASK_VERDICT;
  const double value = d->answers->value[ask][point];
  if (d->answers->no_state[point]) return verdict ? VERDICT_NO_STATE : COUNT_NO_STATE;
  if (!verdict) return isnan(value) ? COUNT_UNKNOWN : (unsigned char)fmin(value, COUNTS - 1);
  switch ((dls_answer)value) {
  case DLS_YES: return 0;
  case DLS_NO: return 1;
  case DLS_UNDECIDED: return 2;
  default: return 3;
  }
}

static dls_axis axis_of(const map_axis *axis)
{
  return (dls_axis){
      .label = axis->name, .low = axis->low, .high = axis->high, .logarithmic = axis->logarithmic};
}

// ---- two axes -----------------------------------------------------------------------------------

static void add_field(drawing *d, int ask)
{
  const map_plan *plan = d->plan;
  snprintf(d->no_number.text, sizeof d->no_number.text,
           d->answers->without ? "none, or no state" : "none");
  d->field[ask] = (dls_field){.nx = plan->nx,
                              .ny = plan->ny,
                              .value = d->answers->value[ask],
                              .label = plan->ask[ask].name,
                              .nan_label = d->no_number.text};
  d->plot[d->plots].field = &d->field[ask];
}

static bool add_regions(drawing *d, int ask)
{
  const map_plan *plan = d->plan;
  const long points = (long)plan->nx * plan->ny;
  const bool verdict = plan->ask[ask].kind == ASK_VERDICT;
  unsigned char *cells = d->cells[ask] = malloc((size_t)points);
  if (!cells) return false;
  for (long p = 0; p < points; p++) cells[p] = category_of(d, ask, p);
  d->regions[ask] = (dls_regions){
      .nx = plan->nx,
      .ny = plan->ny,
      .cell = cells,
      .categories = verdict ? (int)(sizeof verdict_categories / sizeof verdict_categories[0])
                            : (int)(sizeof count_categories / sizeof count_categories[0]),
      .category = verdict ? verdict_categories : count_categories};
  d->plot[d->plots].regions = &d->regions[ask];
  return true;
}

static bool plan_areas(drawing *d)
{
  for (int k = 0; k < d->plan->asks; k++) {
    d->plot[d->plots] = (dls_plot){.title = d->plan->asks > 1 ? d->plan->ask[k].name : NULL,
                                   .x = axis_of(&d->plan->axis[0]),
                                   .y = axis_of(&d->plan->axis[1])};
    if (d->plan->ask[k].kind == ASK_NUMBER) add_field(d, k);
    else if (!add_regions(d, k)) return false;
    d->plots++;
  }
  return true;
}

// ---- one axis -----------------------------------------------------------------------------------

// The curves of all questions of a kind, in one plot.
static void add_curves(drawing *d, ask_kind kind, const char *label, double height)
{
  const dls_curve *first = &d->curve[d->curves];
  dls_axis y = {.label = label, .whole = kind == ASK_COUNT};
  int count = 0;
  for (int k = 0; k < d->plan->asks; k++) {
    if (d->plan->ask[k].kind != kind) continue;
    d->curve[d->curves++] = (dls_curve){.label = d->plan->ask[k].name,
                                        .count = d->plan->nx,
                                        .x = d->x,
                                        .y = d->answers->value[k],
                                        .steps = kind == ASK_COUNT,
                                        .marker = d->plan->nx == 1 ? DLS_CIRCLE : DLS_NO_MARKER};
    count++;
    // counts are seen from zero
    for (int i = 0; kind == ASK_COUNT && i < d->plan->nx; i++)
      y.high = fmax(y.high, fmax(1, d->answers->value[k][i]) + 0.3);
  }
  if (count == 0) return;
  if (kind == ASK_COUNT) y.low = -0.3;
  d->plot[d->plots++] = (dls_plot){
      .x = axis_of(&d->plan->axis[0]), .y = y, .height = height, .curves = count, .curve = first};
}

// One strip for each question that is answered yes or no, the first at the top.
static bool add_strips(drawing *d)
{
  enum { STRIP = 24 };
  const int nx = d->plan->nx;
  int count = 0;
  unsigned char *cells = d->cells[0] = malloc((size_t)nx * MAP_ASKS_MAX);
  if (!cells) return false;
  for (int k = d->plan->asks - 1; k >= 0; k--) {
    if (d->plan->ask[k].kind != ASK_VERDICT) continue;
    for (int i = 0; i < nx; i++)
      cells[(size_t)count * (size_t)nx + (size_t)i] = category_of(d, k, i);
    d->names[count++] = d->plan->ask[k].name;
  }
  if (count == 0) return true;
  d->regions[0] =
      (dls_regions){.nx = nx,
                    .ny = count,
                    .cell = cells,
                    .categories = (int)(sizeof verdict_categories / sizeof verdict_categories[0]),
                    .category = verdict_categories};
  d->plot[d->plots++] = (dls_plot){.x = axis_of(&d->plan->axis[0]),
                                   .y = {.names = d->names, .name_count = count},
                                   .height = STRIP * count,
                                   .regions = &d->regions[0]};
  return true;
}

static bool plan_curves(drawing *d)
{
  d->x = malloc((size_t)d->plan->nx * sizeof *d->x);
  if (!d->x) return false;
  for (int i = 0; i < d->plan->nx; i++) d->x[i] = map_axis_value(&d->plan->axis[0], i);
  add_curves(d, ASK_NUMBER, "coefficient of friction", 220);
  add_curves(d, ASK_COUNT, "solutions", 130);
  if (!add_strips(d)) return false;
  // one label for the axis that all share
  for (int k = 0; k + 1 < d->plots; k++) d->plot[k].x.label = NULL;
  return true;
}

dls_status map_draw(const map_plan *plan, const map_answers *answers, const char *title,
                    dls_picture_form form, char **data, size_t *size, dls_message *message)
{
  drawing d = {.plan = plan, .answers = answers};
  buffer subtitle = {0};
  if (plan->asks == 1) buffer_add(&subtitle, "%s ", plan->ask[0].name);
  map_describe(&subtitle, plan, false);
  *data = NULL;
  *size = 0;
  message->text[0] = 0;
  dls_status status = DLS_ERR_MEMORY;
  if ((plan->axes > 1 ? plan_areas(&d) : plan_curves(&d)) && !subtitle.failed) {
    const dls_picture picture = {.title = title,
                                 .subtitle = subtitle.text,
                                 .columns = plan->axes > 1 ? 2 : 1,
                                 .plots = d.plots,
                                 .plot = d.plot};
    status = dls_picture_draw(&picture, form, data, size, message);
  }
  buffer_free(&subtitle);
  free_drawing(&d);
  return status;
}
