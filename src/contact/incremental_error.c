// How far a point is from Coulomb's law, recomputed from the data: in the units of the data, and
// without units.
#include "base/larger.h"
#include "base/memory.h"
#include "contact/incremental.h"
#include "contact/law.h"
#include "linalg/power_of_two.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// Relative to a scale of its kind; what has no scale must be nothing.
static double relative(double value, double scale)
{
  if (value == 0) return 0;
  return scale > 0 ? value / scale : value > 0 ? INFINITY : NAN;
}

// ---- products ----------------------------------------------------------------------------------

// Whether all columns are full: then the numbers stand as in a dense matrix.
static bool is_full(const dls_pattern *s)
{
  return (long long)s->p[s->cols] == (long long)s->rows * s->cols;
}

// u = A x + rest, summed up in long double; terms = |A| |x|. From row i on, so many rows at once, a
// constant: sums that do not wait for each other.
static inline void some_rows(int count, const dls_matrix_view *A, int i, const double *x,
                             const double *rest, double *u, double *terms)
{
  const int rows = A->pattern.rows, cols = A->pattern.cols;
  const double *values = A->x + i;
  long double sum[3] = {rest[i], count > 1 ? rest[i + 1] : 0, count > 2 ? rest[i + 2] : 0};
  double size[3] = {0};
  for (int j = 0; j < cols; j++, values += rows)
    for (int k = 0; k < count; k++) {
      sum[k] += (long double)values[k] * x[j];
      size[k] += fabs(values[k] * x[j]);
    }
  for (int k = 0; k < count; k++) u[i + k] = (double)sum[k], terms[i + k] = size[k];
}

static void full_product(const dls_matrix_view *A, const double *x, const double *rest, double *u,
                         double *terms)
{
  const int rows = A->pattern.rows;
  int i = 0;
  for (; i + 2 < rows; i += 3) some_rows(3, A, i, x, rest, u, terms);
  if (i + 1 < rows) some_rows(2, A, i, x, rest, u, terms);
  else if (i < rows) some_rows(1, A, i, x, rest, u, terms);
}

// The same where A is known by rows.
static void product_by_rows(const dls_matrix_view *A, const dls_residual_work *by, const double *x,
                            const double *rest, double *u)
{
  for (int i = 0; i < A->pattern.rows; i++) {
    long double sum = rest[i];
    double size = 0;
    for (int e = by->first[i]; e < by->first[i + 1]; e++) {
      const double value = A->x[by->place[e]], other = x[by->column[e]];
      sum += (long double)value * other, size += fabs(value * other);
    }
    u[i] = (double)sum, by->terms[i] = size;
  }
}

// Sorts the places of the pattern by rows; columns increase.
static void sort_by_rows(const dls_pattern *s, const dls_residual_work *by)
{
  int *end = by->first + 1;  // of the rows so far
  for (int e = 0; e < s->p[s->cols]; e++)
    if (s->i[e] + 1 < s->rows) end[s->i[e] + 1]++;
  for (int i = 1; i < s->rows; i++) end[i] += end[i - 1];
  for (int j = 0; j < s->cols; j++)
    for (int e = s->p[j]; e < s->p[j + 1]; e++) {
      const int at = end[s->i[e]]++;
      by->column[at] = j, by->place[at] = e;
    }
}

dls_status dls_residual_work_create(const dls_incremental *p, dls_arena *arena,
                                    dls_residual_work *work)
{
  enum { MOST = 1 << 16 };  // numbers; beyond that other things take longer
  const ptrdiff_t rows = dls_incremental_rows(p);
  const ptrdiff_t longest = (p->global && p->dof > rows ? (ptrdiff_t)p->dof : rows) + 1;
  *work = (dls_residual_work){.sum = dls_arena_alloc(arena, longest, sizeof(long double)),
                              .terms = dls_arena_alloc(arena, longest, sizeof(double))};
  if (!work->sum || !work->terms) return DLS_ERR_MEMORY;
  if (p->global || is_full(&p->W.pattern) || p->W.pattern.p[rows] > MOST) return DLS_OK;
  const ptrdiff_t count = p->W.pattern.p[rows];
  work->first = dls_arena_alloc(arena, rows + 1, sizeof(int));
  work->column = dls_arena_alloc(arena, count + 1, sizeof(int));
  work->place = dls_arena_alloc(arena, count + 1, sizeof(int));
  if (!work->first || !work->column || !work->place) return DLS_ERR_MEMORY;
  sort_by_rows(&p->W.pattern, work);
  return DLS_OK;
}

// sum += factor A x in long double, terms += |A| |x|.
static void add_product(const dls_matrix_view *A, double factor, const double *x, long double *sum,
                        double *terms)
{
  const int cols = A->pattern.cols, *p = A->pattern.p, *i = A->pattern.i;
  const double *values = A->x;
  for (int j = 0; j < cols; j++) {
    const long double own = (long double)factor * x[j];
    for (int e = p[j]; e < p[j + 1]; e++) {
      sum[i[e]] += values[e] * own;
      terms[i[e]] += fabs(values[e] * x[j]);
    }
  }
}

// u = H^T v + w, summed up in long double; terms = |H|^T |v - free|, what the contacts add to the
// free motion: that of all bodies together is no scale for how they move against each other.
static void transposed_product(const dls_matrix_view *H, const double *v, const double *free,
                               const double *w, double *u, double *terms)
{
  const int cols = H->pattern.cols, *p = H->pattern.p, *i = H->pattern.i;
  for (int j = 0; j < cols; j++) {
    long double sum = w[j];
    double size = 0;
    for (int e = p[j]; e < p[j + 1]; e++) {
      sum += (long double)H->x[e] * v[i[e]];
      size += fabs(H->x[e] * (v[i[e]] - free[i[e]]));
    }
    u[j] = (double)sum, terms[j] = size;
  }
}

// The largest of |M v - H r - f|, each relative to the terms of its own row.        eq (inc.11)
static double balance(const dls_incremental *p, const double *r, const double *v,
                      const dls_residual_work *work)
{
  double worst = 0;
  for (int k = 0; k < p->dof; k++) work->sum[k] = p->f[k], work->terms[k] = fabs(p->f[k]);
  add_product(&p->H, 1, r, work->sum, work->terms);
  add_product(&p->M, -1, v, work->sum, work->terms);
  for (int k = 0; k < p->dof; k++)
    worst = dls_larger(worst, relative((double)fabsl(work->sum[k]), work->terms[k]));
  return worst;
}

// u = W r + q, or H^T v + w, and the terms.
static void set_velocity(const dls_incremental *p, const dls_scales *s, const double *r,
                         const double *v, double *u, const dls_residual_work *work)
{
  const int rows = dls_incremental_rows(p);
  if (p->global) {
    transposed_product(&p->H, v, s->free, p->w, u, work->terms);
  } else if (is_full(&p->W.pattern)) {
    full_product(&p->W, r, p->q, u, work->terms);
  } else if (work->first) {
    product_by_rows(&p->W, work, r, p->q, u);
  } else {
    for (int i = 0; i < rows; i++) work->sum[i] = p->q[i], work->terms[i] = 0;
    add_product(&p->W, 1, r, work->sum, work->terms);
    for (int i = 0; i < rows; i++) u[i] = (double)work->sum[i];
  }
}

// |F|^2 of contacts that have laws.
static __attribute__((noinline)) long double square_of_laws(const dls_incremental *p,
                                                            const double *r, const double *u)
{
  const int d = p->dimension;
  long double sum = 0;
  for (int i = 0; i < p->contacts; i++) {
    const dls_one_law law = dls_law_at(p, i);
    sum += dls_law_square(d, &law, 1, r + (ptrdiff_t)d * i, u + (ptrdiff_t)d * i);
  }
  return sum;
}

// |F|; in long double only where the sum of squares leaves the range.
static double norm_of_map(const dls_incremental *p, const double *r, const double *u)
{
  const int d = p->dimension, end = d * p->contacts, rows = dls_incremental_rows(p);
  const int cones = p->law ? 0 : p->contacts;
  double sum = p->law ? (double)square_of_laws(p, r, u) : 0;
  for (int i = 0; i < cones; i++)
    sum += dls_natural_square(d, p->mu[i], 1, r + (ptrdiff_t)d * i, u + (ptrdiff_t)d * i);
  for (int i = end; i < rows; i++) sum += u[i] * u[i];
  if ((sum > dls_least_square && sum < dls_largest_square) || (sum == 0 && rows == end))
    return sqrt(sum);
  long double wide = p->law ? square_of_laws(p, r, u) : 0;
  for (int i = 0; i < cones; i++)
    wide += dls_natural_square(d, p->mu[i], 1, r + (ptrdiff_t)d * i, u + (ptrdiff_t)d * i);
  for (int i = end; i < rows; i++) wide += (long double)u[i] * u[i];
  return (double)sqrtl(wide);
}

static double over(double value, double scale)
{
  return scale > 0 ? value / scale : value;
}

void dls_incremental_measure_classically(const dls_incremental *p, double norm_q, const double *r,
                                         const double *u, dls_incremental_error *error)
{
  const int rows = dls_incremental_rows(p);
  error->natural = norm_of_map(p, r, u);
  error->q = over(error->natural, norm_q);
  const double largest =
      dls_larger(dls_larger(norm_q, dls_length_of(rows, r)), dls_length_of(rows, u));
  error->siconos = over(error->natural, largest);
  error->fclib = error->natural / (1 + sqrt(norm_q));
}

// ---- without units -----------------------------------------------------------------------------

// Of a value that is not negative, with over = 1 / scale; one that is no number stays.
static inline double worse(double worst, double value, double over)
{
  return value == 0 ? worst : dls_larger(worst, over < INFINITY ? value * over : INFINITY * value);
}

// What is wrong with one contact, in velocities: r times d is one. slip: |u_T|.     eq (inc.8)
// Returns the velocity that is wrong where impulses are `fine` times as large, less what the
// rounding of r makes of the distance to the cone.                                   eq (inc.9)
static inline double look_at(int rows, double mu, double slip, const double *r, const double *u,
                             double size, double fine, dls_incremental_error *error)
{
  const double *r_T = r + 1, *u_T = u + 1, over = 1 / size;
  const double r2 = rows == 3 ? r_T[1] : 0, u2 = rows == 3 ? u_T[1] : 0;
  const double force = rows == 3 ? dls_length(r_T[0], r2) : fabs(r_T[0]);
  const double inside = (mu * r[0] - force) / sqrt(1 + mu * mu);
  const double sunk = u[0] < 0 ? -u[0] : 0, pull = r[0] < 0 ? -r[0] : 0;
  double angle = 0;
  if (force > 0 && slip > 0 && mu > 0) {
    const double of_r = 1 / force, of_u = 1 / slip;
    angle = dls_length(r_T[0] * of_r + u_T[0] * of_u, r2 * of_r + u2 * of_u);
  }
  const double turned = dls_min(force, slip) * angle;
  error->normal = worse(error->normal, sunk, over);
  error->cone = worse(error->cone, dls_larger(pull, inside < 0 ? -inside : 0), over);
  error->complementarity = worse(error->complementarity, dls_max(dls_min(r[0], u[0]), 0), over);
  error->slip = worse(error->slip, dls_larger(dls_max(dls_min(inside, slip), 0), turned), over);
  const double within = fine * (inside - dls_force_rounding * (force + fabs(r[0])));
  return dls_max(dls_max(sunk, dls_min(fine * r[0], u[0])),
                 dls_max(dls_min(within, slip), dls_min(fine * force, slip) * angle));
}

// Where W has no diagonal at all, any unit of impulses does: the one that makes the largest as
// large as the velocities.
static double mean_scale(const dls_incremental *p, const dls_scales *s, const double *r)
{
  if (s->mean > 0) return s->mean;
  double largest = 0;
  for (int i = 0; i < p->dimension * p->contacts; i++)
    if (fabs(r[i]) > largest) largest = fabs(r[i]);
  return largest > 0 && largest < INFINITY ? s->unit / dls_nearest_power(largest) : 1;
}

// Sums of squares over contacts and equations, in the unit of the contacts' velocities.
typedef struct sums {
  double weighted, common, rounding, equations;
} sums;

// The square of what is wrong at contact i beside its load: of the map, or the velocity without
// what rounding may have made of it. Mostly that is nothing, and its share is not asked for. least:
// a bound of the share. terms: n s_i, of eq (inc.10).
static inline double beside_load(const dls_incremental *p, const dls_scales *s, int i,
                                 double excess, double terms, double least, double wrong)
{
  const double rounded = DBL_EPSILON * terms, unknown = (double)LDBL_EPSILON * terms;
  if (excess == 0 && wrong <= dls_min(rounded, most_hidden * least) - unknown) return 0;
  const double share = dls_scales_share(p, s, i);
  const double rest = wrong - (dls_min(rounded, share * most_hidden) - unknown);
  const double square = dls_larger(excess, rest > 0 ? rest * rest : 0);
  return share == 1 || square == 0 ? square : square / share / share;
}

// Contacts. One that is open and has no force is as the law wants it; a velocity that is no number
// is none. d is p->dimension, a constant.
static inline sums of_contacts(int d, const dls_incremental *p, const dls_scales *s, double mean,
                               const double *r, const double *u, const double *terms,
                               dls_incremental_error *error)
{
  const double unit = 1 / s->unit, *q = s->q;
  const double reach = least_unit_by_load * unit;  // not above 1 / largest load
  const double count = dls_incremental_rows(p) + 4;
  sums of = {0};
  for (int i = 0; i < p->contacts; i++, r += d, u += d, q += d, terms += d) {
    const double own = s->d[i] > 0 ? s->d[i] : mean, weight = own == mean ? 1 : mean / own;
    const double times = own * unit;
    const double row[3] = {unit * (terms[0] + fabs(q[0])), unit * (terms[1] + fabs(q[1])),
                           d == 3 ? unit * (terms[2] + fabs(q[2])) : 0};
    of.rounding += weight * (row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
    const double x[3] = {times * r[0], times * r[1], d == 3 ? times * r[2] : 0};
    const double y[3] = {unit * u[0], unit * u[1], d == 3 ? unit * u[2] : 0};
    const double beside = y[1] + y[2];
    if (x[0] == 0 && x[1] == 0 && x[2] == 0 && y[0] >= 0 && beside - beside == 0) continue;
    const double slip = d == 3 ? dls_length(y[1], y[2]) : fabs(y[1]);
    of.weighted += weight * dls_natural_square_with(d, p->mu[i], 1, slip, x, y);
    const double fine = dls_finer_impulses * weight;
    const double size = dls_larger(dls_larger(row[0], row[1]), row[2]);
    const double excess = dls_natural_excess_with(d, p->mu[i], fine, slip, x, y);
    const double load = dls_max(dls_max(fabs(q[0]), fabs(q[1])), d == 3 ? fabs(q[2]) : 0);
    of.common += beside_load(p, s, i, excess, count * size, load * reach,
                             look_at(d, p->mu[i], slip, x, y, size, fine, error));
  }
  return of;
}

// The same where contacts have several laws. Rows of slips whose direction is known do not count.
static sums of_laws(const dls_incremental *p, const dls_scales *s, double mean, const double *r,
                    const double *u, const double *terms, dls_incremental_error *error)
{
  const int d = p->dimension;
  const double unit = 1 / s->unit, count = dls_incremental_rows(p) + 4;
  const double reach = least_unit_by_load * unit;  // as there
  sums of = {0};
  for (int i = 0; i < p->contacts; i++, r += d, u += d, terms += d) {
    dls_one_law law = dls_law_at(p, i);
    const double own = s->d[i] > 0 ? s->d[i] : mean, weight = mean / own, times = own * unit;
    const double fine = dls_finer_impulses * weight, *q = s->q + (ptrdiff_t)d * i;
    double x[3] = {0}, y[3] = {0}, size = 0, force = 0;
    for (int k = 0; k < d; k++) {
      const double row = k > 0 && dls_law_slides(law.law) ? 0 : unit * (terms[k] + fabs(q[k]));
      x[k] = times * r[k], y[k] = unit * u[k];
      of.rounding += weight * row * row;
      size = dls_larger(size, row), force += x[k] * x[k];
    }
    law.bound *= times;
    of.weighted += weight * dls_law_square(d, &law, 1, x, y);
    const double slip = d == 3 ? dls_length(y[1], y[2]) : fabs(y[1]);
    const double square = dls_law_square(d, &law, fine, x, y), hair = dls_force_rounding * fine;
    const double excess = square == 0 ? 0 : square - hair * hair * force;
    const double load = dls_law_slides(law.law) ? fabs(q[0]) : dls_length_of(d, q);
    const double wrong = law.law == DLS_LAW_CONE
                             ? look_at(d, law.mu, slip, x, y, size, fine, error)
                             : dls_law_look_at(d, &law, x, y, size, fine, error);
    of.common += beside_load(p, s, i, excess < 0 ? 0 : excess, count * size,
                             load / sqrt((double)d) * reach, wrong);
  }
  return of;
}

// Their units may be others: what is added has none.
static void add_equations(const dls_incremental *p, const dls_scales *s, double mean,
                          const double *u, const double *terms, sums *of,
                          dls_incremental_error *error)
{
  const int end = p->dimension * p->contacts, rows = dls_incremental_rows(p);
  const long double area = (long double)s->unit * s->unit;
  for (int j = end; j < rows; j++) {
    const double own = s->d[p->contacts + j - end];
    const long double weight = (own > 0 ? (long double)mean / own : 1) / area;
    const double row = terms[j] + fabs(s->q[j]);
    const double square = (double)((long double)u[j] * u[j] * weight);
    of->weighted += square, of->equations += square;
    of->rounding += (double)((long double)row * row * weight);
    error->equation = dls_larger(error->equation, relative(fabs(u[j]), row));
  }
}

// The part that has no units, of given velocities: everything but `balance`. terms: rows, the sizes
// of what u was added up from, without q. eq (inc.7), (inc.8), (inc.9)
static void compare(const dls_incremental *p, const dls_scales *s, const double *r, const double *u,
                    const double *terms, dls_incremental_error *error)
{
  const double mean = mean_scale(p, s, r);
  const double close = (dls_incremental_rows(p) + 4) * (double)LDBL_EPSILON;
  sums of = p->law              ? of_laws(p, s, mean, r, u, terms, error)
            : p->dimension == 3 ? of_contacts(3, p, s, mean, r, u, terms, error)
                                : of_contacts(2, p, s, mean, r, u, terms, error);
  if (p->equations > 0) add_equations(p, s, mean, u, terms, &of, error);
  error->weighted = sqrt(relative(of.weighted, s->weighted_q));
  error->common = sqrt(relative(of.common, s->load_q));
  if (p->equations > 0)
    error->common = dls_larger(error->common, sqrt(relative(of.equations, s->common_q)));
  error->rounding = close * sqrt(relative(of.rounding, s->weighted_q));
  error->scaled = dls_larger(dls_larger(dls_larger(error->weighted, error->normal),
                                        dls_larger(error->cone, error->complementarity)),
                             dls_larger(error->slip, error->equation));
}

void dls_incremental_measure(const dls_incremental *p, const dls_scales *s, const double *r,
                             const double *v, double *u, const dls_residual_work *work,
                             dls_incremental_error *error)
{
  *error = (dls_incremental_error){0};
  if (p->global) error->balance = balance(p, r, v, work);
  set_velocity(p, s, r, v, u, work);
  compare(p, s, r, u, work->terms, error);
  error->largest = dls_larger(dls_larger(error->scaled, error->common),
                              dls_larger(error->balance, error->rounding));
}

dls_status dls_incremental_residual(const dls_incremental *p, double norm_q, const double *r,
                                    const double *v, double *u, dls_incremental_error *error)
{
  dls_arena *arena = dls_arena_create();
  if (!arena) return DLS_ERR_MEMORY;
  dls_residual_work work;
  dls_scales s = {0};
  dls_status status = dls_residual_work_create(p, arena, &work);
  if (!u) u = dls_arena_alloc(arena, (ptrdiff_t)dls_incremental_rows(p) + 1, sizeof *u);
  if (status == DLS_OK) status = u ? dls_scales_find(p, &s) : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    dls_incremental_measure(p, &s, r, v, u, &work, error);
    dls_incremental_measure_classically(p, norm_q, r, u, error);
  }
  dls_scales_free(&s);
  dls_arena_free(arena);
  return status;
}
