// Looks for velocities in the dual cones, CVX (4.1), (4.4), (4.6) and (5.1), and for the impulses
// that show that there are none.
#include "certify/solvable.h"

#include "base/memory.h"
#include "certify/tolerances.h"

#include <math.h>
#include <stdlib.h>

// Of the program for every load: whatever it finds inside is measured.
static const double any_load_tolerance = 1e-5;

typedef struct search {
  int n;      // unknowns: x or v
  double *x;  // n, scaled, and t
  double *r;  // rows: impulses of the dual, scaled
  double *y;  // work
  double *cost;
  double slack;  // t; NaN when the program was not solved
  bool found;    // x is a point to be judged
} search;

static void add_row(const dls_solvable_data *s, dls_cone_rows *rows, int j, double factor)
{
  const dls_sparse *A = s->global ? s->H : s->S;  // S is symmetric: its columns are its rows
  for (int e = A->p[j]; e < A->p[j + 1]; e++) dls_cone_rows_entry(rows, A->i[e], factor * A->x[e]);
}

// max t <= 1 with room t in every dual cone, q over its size; without q in the box |x_i| <= 1.
static void write_rows(const dls_solvable_data *s, bool with_q, const search *w,
                       dls_cone_rows *rows)
{
  const double unit = with_q && s->size > 0 ? 1 / s->size : 0;
  for (int j = s->d * s->contacts; j < s->rows; j++) {
    dls_cone_rows_equation(rows, unit * s->q[j]);
    add_row(s, rows, j, 1);
  }
  dls_cone_rows_inequality(rows, 1);
  dls_cone_rows_entry(rows, w->n, -1);
  for (int i = 0; !with_q && i < w->n; i++)
    for (int side = -1; side <= 1; side += 2) {
      dls_cone_rows_inequality(rows, 1);
      dls_cone_rows_entry(rows, i, side);
    }
  for (int i = 0; i < s->contacts; i++) {
    if (s->mu[i] > 0) continue;
    dls_cone_rows_inequality(rows, unit * s->q[s->d * i]);
    add_row(s, rows, s->d * i, 1);
    dls_cone_rows_entry(rows, w->n, -1);
  }
  for (int i = 0; i < s->contacts; i++) {
    if (!(s->mu[i] > 0)) continue;
    const double normal = s->mu[i] > 1 ? 1 / s->mu[i] : 1, slip = s->mu[i] > 1 ? 1 : s->mu[i];
    dls_cone_rows_cone(rows, s->d);
    for (int k = 0; k < s->d; k++) {
      const double factor = k == 0 ? normal : slip;
      dls_cone_rows_next(rows, unit * factor * s->q[s->d * i + k]);
      add_row(s, rows, s->d * i + k, factor);
      if (k == 0) dls_cone_rows_entry(rows, w->n, -normal);
    }
  }
}

// The duals of the rows are impulses in the cones.
static void read_impulses(const dls_solvable_data *s, bool with_q, search *w)
{
  const double *y = w->y;
  for (int j = s->d * s->contacts; j < s->rows; j++) w->r[j] = *y++;
  y += 1 + (with_q ? 0 : 2 * w->n);
  for (int i = 0; i < s->contacts; i++) {
    if (s->mu[i] > 0) continue;
    dls_clear(w->r + (ptrdiff_t)s->d * i, s->d);
    w->r[s->d * i] = *y++;
  }
  for (int i = 0; i < s->contacts; i++) {
    if (!(s->mu[i] > 0)) continue;
    const double normal = s->mu[i] > 1 ? 1 / s->mu[i] : 1, slip = s->mu[i] > 1 ? 1 : s->mu[i];
    for (int k = 0; k < s->d; k++) w->r[s->d * i + k] = (k == 0 ? normal : slip) * *y++;
  }
}

// tolerance: of the program; what comes out is judged by itself.
static dls_status find_slack(const dls_solvable_data *s, bool with_q, double tolerance, search *w)
{
  dls_cone_rows rows = {.n = w->n + 1, .tolerance = tolerance};
  dls_cone_report report = {0};
  write_rows(s, with_q, w, &rows);
  w->cost[w->n] = -1;
  dls_status status = dls_cone_rows_solve(&rows, w->cost, w->x, w->y, &report);
  dls_cone_rows_free(&rows);
  if (status != DLS_OK) return status;
  read_impulses(s, with_q, w);
  w->found = report.outcome == DLS_CONE_SOLVED || report.outcome == DLS_CONE_FAILED;
  w->slack = w->found ? w->x[w->n] : -INFINITY;
  for (int i = 0; i < w->n; i++) {
    if (with_q && s->size > 0) w->x[i] *= s->size;
    if (!isfinite(w->x[i])) w->found = false;
  }
  return DLS_OK;
}

static dls_status search_create(const dls_solvable_data *s, search *w)
{
  w->n = s->global ? s->dof : s->rows;
  const ptrdiff_t n = (ptrdiff_t)w->n + 1, rows = (ptrdiff_t)s->rows + 1;
  w->x = dls_alloc(n, sizeof(double)), w->cost = dls_alloc(n, sizeof(double));
  w->r = dls_alloc(rows, sizeof(double)), w->y = dls_alloc(rows + 2 * n + 2, sizeof(double));
  return w->x && w->cost && w->r && w->y ? DLS_OK : DLS_ERR_MEMORY;
}

// ---- what was found ----------------------------------------------------------------------------

// The witness in the units that were given.
static dls_status keep_point(dls_solvable_data *s, const search *w)
{
  double *kept = dls_arena_alloc(s->arena, (ptrdiff_t)w->n + 1, sizeof *kept);
  if (!kept) return DLS_ERR_MEMORY;
  for (int i = 0; i < w->n; i++)
    kept[i] = s->global ? s->B[i] * w->x[i] : s->unit * s->D[i] * w->x[i];
  if (s->global) s->out->v = kept;
  else s->out->x = kept;
  return DLS_OK;
}

static dls_status answer_yes(dls_solvable_data *s, const search *w, const dls_solvable_slack *slack,
                             double shift)
{
  dls_solvable *out = s->out;
  out->answer = DLS_YES;
  out->x = out->v = out->r = NULL;
  out->criterion |= DLS_CRITERION_INTERIOR | DLS_CRITERION_CLOSED | DLS_CRITERION_CLOSURE;
  out->margin = s->size > 0 ? (double)slack->inside / s->size : (double)slack->inside;
  out->shift = shift;
  if (s->contacts == 0) {
    out->margin = NAN;
    out->by = "no contacts, and independent equations";
  } else {
    out->by = "velocities strictly inside the dual cones (CVX (4.1), theory §15)";
  }
  out->shows = s->global ? "u = H^T v + w has u_N > mu |u_T| at every contact, 0 in the equations"
                         : "y = (W + W^T)/2 x + q has y_N > mu |y_T| at every contact, 0 in the "
                           "equations";
  return keep_point(s, w);
}

// r in K, S r = 0 or H r = 0, and q^T r or w^T r < 0: (4.6) fails. Nothing follows but that.
static dls_status keep_impulses(dls_solvable_data *s, const search *w)
{
  const dls_sparse *A = s->global ? s->H : s->S;
  double largest = 0, off = 0, work = 0;
  for (int j = 0; j < s->rows; j++) largest = fmax(largest, fabs(w->r[j]));
  if (!(largest > 0) || !isfinite(largest) || !(s->size > 0)) return DLS_OK;
  long double *sum = dls_alloc((ptrdiff_t)A->rows + 1, sizeof *sum);
  double *kept = dls_arena_alloc(s->arena, (ptrdiff_t)s->rows + 1, sizeof *kept);
  if (!sum || !kept) {
    free(sum);
    return DLS_ERR_MEMORY;
  }
  for (int j = 0; j < s->rows; j++) {
    work += w->r[j] / largest * (s->q[j] / s->size);
    for (int e = A->p[j]; e < A->p[j + 1]; e++)
      sum[A->i[e]] += (long double)A->x[e] * (w->r[j] / largest);
    kept[j] = s->D[j] * w->r[j] / largest;
  }
  for (int i = 0; i < A->rows; i++) off = fmax(off, fabs((double)sum[i]));
  free(sum);
  if (!(off <= solvable_rounding) || !(work < -solvable_clear * solvable_rounding)) return DLS_OK;
  s->out->criterion |= DLS_CRITERION_FAILS;
  s->out->margin = -work;
  s->out->r = kept;
  s->out->by = "the criterion CVX (4.6), theory §15, fails: impulses that balance each other work "
               "against the "
               "imposed motion, and nothing was proven";
  s->out->shows = s->global ? "r in K, H r = 0, w^T r < 0" : "r in K, W r = 0, q^T r < 0";
  return DLS_OK;
}

// Velocities that outweigh q: a multiple of those of (5.1). False where there are equations to be
// met.
static dls_status outweigh(const dls_solvable_data *s, double slack, search *w, bool *made)
{
  dls_solvable_slack at_zero;
  double *zero = dls_alloc((ptrdiff_t)w->n + 1, sizeof *zero);
  if (!zero) return DLS_ERR_MEMORY;
  dls_status status = dls_solvable_measure(s, true, zero, &at_zero);
  free(zero);
  *made = status == DLS_OK && at_zero.off == 0;
  const double factor = fmax(s->size > 0 ? s->size : 1, 10 * -(double)at_zero.inside / slack);
  for (int i = 0; *made && i < w->n; i++) w->x[i] *= factor;
  return status;
}

// (5.1): room for q = 0. It answers for every q, this one too.
static dls_status ask_any_load(dls_solvable_data *s, search *w, bool *done)
{
  dls_solvable_slack slack;
  bool proven = false, made = false;
  double shift = 0;
  dls_status status = find_slack(s, false, any_load_tolerance, w);
  if (status != DLS_OK || !w->found || !(w->slack > 0)) return status;
  status = dls_solvable_measure(s, false, w->x, &slack);
  if (status == DLS_OK) status = dls_solvable_prove(s, &slack, &proven, &shift);
  if (status != DLS_OK || !proven) return status;
  s->out->criterion |= DLS_CRITERION_ANY_LOAD;
  status = outweigh(s, (double)slack.inside, w, &made);
  if (status == DLS_OK && made) status = dls_solvable_measure(s, true, w->x, &slack);
  if (status == DLS_OK && made) status = dls_solvable_prove(s, &slack, done, &shift);
  return status == DLS_OK && *done ? answer_yes(s, w, &slack, shift) : status;
}

static dls_status assess(dls_solvable_data *s, search *w, bool *done)
{
  dls_solvable_slack slack;
  bool proven = false;
  double shift = 0;
  dls_status status = dls_solvable_measure(s, true, w->x, &slack);
  if (status == DLS_OK) status = dls_solvable_prove(s, &slack, &proven, &shift);
  if (status != DLS_OK) return status;
  const double size = s->size > 0 ? s->size : 1;
  if (proven) {
    *done = true;
    return answer_yes(s, w, &slack, shift);
  }
  if (slack.inside > solvable_clear * solvable_rounding * size &&
      slack.off <= solvable_rounding * size) {
    s->out->by = "velocities strictly inside the dual cones, but the matrix was not shown to be "
                 "close enough to positive semidefinite, or equations depend on each other";
    return DLS_OK;
  }
  if (slack.inside >= -solvable_rounding * size && slack.off <= solvable_rounding * size) {
    s->out->criterion |= DLS_CRITERION_ROUNDING;
    s->out->by = "velocities in the dual cones to rounding, but none strictly inside: rounding "
                 "errors decide";
  }
  return DLS_OK;
}

dls_status dls_solvable_velocity(dls_solvable_data *s, bool *done)
{
  search w = {0};
  dls_status status = search_create(s, &w);
  if (status == DLS_OK) status = ask_any_load(s, &w, done);
  if (status == DLS_OK && !*done) {
    status = find_slack(s, true, 0, &w);
    if (status == DLS_OK && w.found) status = assess(s, &w, done);
    if (status == DLS_OK && !*done && w.slack < 0) status = keep_impulses(s, &w);
  }
  free(w.x), free(w.r), free(w.y), free(w.cost);
  return status;
}
