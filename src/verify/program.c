// Linear programs of the checker.                                                 eq (chk.10)
//
// For all y with E y + e = 0, L y + l >= 0 and multipliers w, kappa >= 0
//
//   cost^T y <= kappa^T l - w^T e + rho^T y,     rho = cost - E^T w + L^T kappa
//
// so that w and kappa with rho = 0 bound the cost, and a point at which it has that value shows
// that the bound is the best one; with cost = 0 and a negative right-hand side there is no y.
#include "verify/program.h"

#include "base/memory.h"
#include "verify/echelon.h"
#include "verify/tableau.h"

#include <float.h>
#include <math.h>

// ---- echelon form ------------------------------------------------------------------------------

// y_pivot = h - T y_free; each pivot row is a combination of the equations.
typedef struct echelon {
  dls_echelon all;
  ptrdiff_t free, *unknown;  // the unknowns without pivot
  bool edge;                 // whether there are not more of them is at the edge of rounding
} echelon;

static bool make_echelon(dls_trial *x, const dls_polytope *p, double least, echelon *s)
{
  const ptrdiff_t size = p->size;
  s->unknown = dls_trial_alloc(x, size, sizeof *s->unknown);
  if (!s->unknown || !dls_echelon_create(x, p->equation.count, size, 1, p->equation.row, &s->all))
    return false;
  // pivots between the two may be rounding or not
  dls_echelon_eliminate(&s->all, edge_of_rounding * least, size);
  const ptrdiff_t clear = s->all.rank;
  dls_echelon_eliminate(&s->all, least, size);
  s->edge = s->all.rank > clear;
  for (ptrdiff_t j = 0; j < size; j++)
    if (!s->all.col_used[j]) s->unknown[s->free++] = j;
  return true;
}

// A row of numbers over y and the constant, over the free unknowns and the constant instead.
static void reduce(const echelon *s, const double *row, long double noise, long double *out)
{
  const dls_echelon *e = &s->all;
  long double largest = 0;  // of data that are about 1
  for (ptrdiff_t j = 0; j < e->cols; j++) largest = fmaxl(largest, fabsl(row[j]));
  for (ptrdiff_t k = 0; k <= s->free; k++) {
    const ptrdiff_t j = k < s->free ? s->unknown[k] : e->cols;
    long double sum = row[j], size = fabsl(row[j]);
    for (ptrdiff_t p = 0; p < e->rank; p++) {
      const long double term = row[e->col[p]] * e->A[e->width * e->row[p] + j];
      sum -= term, size += fabsl(term);
    }
    const long double zero = noise * (k < s->free ? largest + size : size);
    out[k] = fabsl(sum) <= zero ? 0 : sum;
  }
}

// Sums that are rounding of their terms are 0: a force that must not be negative is not by so much.
static void expand(const echelon *s, const long double *t, bool ray, double *y)
{
  const dls_echelon *e = &s->all;
  const long double rounding = search_rounding * (long double)(e->cols + 1) * LDBL_EPSILON;
  for (ptrdiff_t k = 0; k < s->free; k++) y[s->unknown[k]] = (double)t[k];
  for (ptrdiff_t p = 0; p < e->rank; p++) {
    const long double *row = e->A + e->width * e->row[p];
    long double sum = ray ? 0 : -row[e->cols], size = fabsl(sum);
    for (ptrdiff_t k = 0; k < s->free; k++) {
      const long double term = row[s->unknown[k]] * t[k];
      sum -= term, size += fabsl(term);
    }
    y[e->col[p]] = fabsl(sum) <= rounding * size ? 0 : (double)sum;
  }
}

// ---- from a polytope to the tableau ------------------------------------------------------------

struct dls_program {
  dls_trial *x;
  const dls_polytope *p;
  echelon echelon;
  dls_simplex tableau;
  long double *E;  // inequalities x (free + 1): over the free unknowns and the constant
  double zero;     // what counts as rounding in them, relative
  bool reduced_once;
  // multipliers, and what is added to them: one number has too few digits where gradients are
  // nearly parallel
  long double *w, *kappa, *more_w, *more_kappa;
  long double *reduced, *t;
  double *rho;  // size + 1
};
typedef struct dls_program work;

dls_program *dls_program_create(dls_trial *x, const dls_polytope *p)
{
  work *k = dls_trial_alloc(x, 1, sizeof *k);
  if (!k) return NULL;
  *k = (work){.x = x, .p = p};
  if (!make_echelon(x, p, x->data.noise, &k->echelon)) return NULL;
  const ptrdiff_t free = k->echelon.free, count = p->inequality.count;
  k->E = dls_trial_alloc(x, count * (free + 1), sizeof *k->E);
  k->w = dls_trial_alloc(x, 2 * (ptrdiff_t)p->equation.count, sizeof *k->w);
  k->kappa = dls_trial_alloc(x, 2 * (count + 1), sizeof *k->kappa);
  k->rho = dls_trial_alloc(x, (ptrdiff_t)p->size + 1, sizeof *k->rho);
  k->reduced = dls_trial_alloc(x, (ptrdiff_t)p->size + 1, sizeof *k->reduced);
  k->t = dls_trial_alloc(x, free + 1, sizeof *k->t);
  if (!k->rho || !k->E || !k->w || !k->kappa || !k->reduced || !k->t ||
      !dls_tableau_create(x, free + 1, count + 1, &k->tableau))
    return NULL;
  k->more_w = k->w + p->equation.count, k->more_kappa = k->kappa + count + 1;
  return k;
}

// Over the free unknowns. Eliminations of gradients that are nearly parallel leave more than the
// rounding of the data: then the search takes for 0 what moves no point of a thousand times the
// size by the tolerance. What it finds is proven all the same.
typedef enum precision { EXACT, FINE, COARSE } precision;

static void reduce_all(work *k, precision how)
{
  const dls_polytope *p = k->p;
  const ptrdiff_t free = k->echelon.free, width = (ptrdiff_t)p->size + 1;
  const double noise = fine_reduction * k->x->data.noise;
  const double coarse = fmax(coarse_reduction * noise, k->x->tolerance / (4 * DLS_DECISIVE));
  const double zero = how == COARSE ? coarse : how == FINE ? noise : 0;
  if (k->reduced_once && k->zero == zero) return;
  k->zero = zero, k->reduced_once = true;
  for (ptrdiff_t j = 0; j < p->inequality.count; j++)
    reduce(&k->echelon, p->inequality.row + width * j, k->zero, k->E + (free + 1) * j);
}

// max cost^T t, E t + g >= 0; or, without cost, max s with E t + g - s >= 0 and limit - s >= 0. The
// dual has a column for each inequality, E^T kappa = -cost, and for s sum kappa + kappa_0 = 1.
static void fill_tableau(work *k, const double *cost, double limit)
{
  dls_simplex *s = &k->tableau;
  const ptrdiff_t free = k->echelon.free, count = k->p->inequality.count, room = !cost;
  s->rows = free + room, s->cols = count + room, s->width = s->cols + s->rows + 1;
  dls_clear(s->T, s->rows * s->width);
  for (ptrdiff_t j = 0; j < count; j++) {
    for (ptrdiff_t i = 0; i < free; i++) s->T[s->width * i + j] = k->E[(free + 1) * j + i];
    s->cost[j] = k->E[(free + 1) * j + free];
    if (room) s->T[s->width * free + j] = 1;
  }
  if (room) {
    s->cost[count] = limit;
    s->T[s->width * free + count] = 1;
    s->T[s->width * free + s->width - 1] = 1;
  } else {
    reduce(&k->echelon, cost, k->zero, k->reduced);
    for (ptrdiff_t i = 0; i < free; i++) s->T[s->width * i + s->width - 1] = -k->reduced[i];
  }
  for (ptrdiff_t i = 0; i < s->rows; i++) {
    long double *row = s->T + s->width * i;
    s->sign[i] = row[s->width - 1] < 0 ? -1 : 1;
    for (ptrdiff_t j = 0; j < s->width; j++) row[j] *= s->sign[i];
    row[s->cols + i] = 1;
  }
}

static dls_outcome search(work *k, const double *cost, double limit)
{
  k->tableau.disturbed = false;
  fill_tableau(k, cost, limit);
  dls_outcome result = dls_tableau_run(&k->tableau);
  if (result != DLS_FAILED) return result;
  fill_tableau(k, cost, limit);
  dls_tableau_disturb(&k->tableau);
  result = dls_tableau_run(&k->tableau);
  return result;
}

// The value of the basic variable of a row, for the right-hand sides as they are: B^-1 stands in
// the artificial columns.
static long double basic_value(const work *k, ptrdiff_t row, const double *cost)
{
  const dls_simplex *s = &k->tableau;
  const ptrdiff_t free = k->echelon.free;
  const long double *inverse = s->T + s->width * row + s->cols;
  if (!s->disturbed) return s->T[s->width * row + s->width - 1];
  if (!cost) return inverse[free];
  long double value = 0;
  for (ptrdiff_t i = 0; i < free; i++) value -= inverse[i] * s->sign[i] * k->reduced[i];
  return value;
}

// kappa from the basis, w from what makes cost + L^T kappa = E^T w.
static void read_multipliers(work *k, const double *cost)
{
  const dls_polytope *p = k->p;
  const dls_simplex *s = &k->tableau;
  const ptrdiff_t width = (ptrdiff_t)p->size + 1;
  for (ptrdiff_t j = 0; j < s->cols; j++) k->kappa[j] = k->more_kappa[j] = 0;
  for (ptrdiff_t i = 0; i < s->rows; i++)
    if (s->basis[i] < s->cols) k->kappa[s->basis[i]] = fmaxl(0, basic_value(k, i, cost));
  for (ptrdiff_t i = 0; i < k->echelon.all.rows; i++) k->w[i] = k->more_w[i] = 0;
  if (cost) dls_echelon_add_weights(&k->echelon.all, cost, 1, k->w);
  for (ptrdiff_t j = 0; j < p->inequality.count; j++)
    dls_echelon_add_weights(&k->echelon.all, p->inequality.row + width * j, k->kappa[j], k->w);
}

// ---- proofs ------------------------------------------------------------------------------------

// + a b, where a has the digits of two doubles.
static void add_product(dls_sum *sum, long double a, double b)
{
  const double high = (double)a;
  dls_sum_add(sum, high, b);
  dls_sum_add(sum, (double)(a - high), b);
}

// kappa^T l - w^T e, enclosed, and upper bounds of |rho|_1 and of the largest |rho_i|. cost may be
// NULL: 0.
static dls_interval bound_of(const work *k, const double *cost, double *rho, double *largest)
{
  const dls_polytope *p = k->p;
  dls_sum *sum = &k->x->sum;
  const ptrdiff_t width = (ptrdiff_t)p->size + 1;
  dls_interval value = {0, 0};
  *rho = *largest = 0;
  for (ptrdiff_t c = 0; c < width; c++) {
    const bool constant = c + 1 == width;
    dls_sum_start(sum, cost && !constant ? cost[c] : 0);
    for (ptrdiff_t i = 0; i < p->equation.count; i++) {
      add_product(sum, -k->w[i], p->equation.row[width * i + c]);
      add_product(sum, -k->more_w[i], p->equation.row[width * i + c]);
    }
    for (ptrdiff_t j = 0; j < p->inequality.count; j++) {
      add_product(sum, k->kappa[j], p->inequality.row[width * j + c]);
      add_product(sum, k->more_kappa[j], p->inequality.row[width * j + c]);
    }
    const dls_interval entry = dls_sum_value(sum);
    k->rho[c] = constant ? 0 : entry.low / 2 + entry.high / 2;
    if (constant) value = entry;
    else *rho = dls_add_up(*rho, dls_interval_abs(entry).high);
    if (!constant) *largest = dls_larger(*largest, dls_interval_abs(entry).high);
  }
  return value;
}

// The same after what the multipliers leave of the cost has been taken off: as for the cost itself,
// by the inequalities of the basis first and by the equations then.
static dls_interval refine(work *k, const double *cost, double *rho, double *largest)
{
  const dls_polytope *p = k->p;
  const dls_simplex *s = &k->tableau;
  const ptrdiff_t free = k->echelon.free, width = (ptrdiff_t)p->size + 1;
  (void)bound_of(k, cost, rho, largest);
  reduce(&k->echelon, k->rho, 0, k->reduced);
  dls_echelon_add_weights(&k->echelon.all, k->rho, 1, k->more_w);
  for (ptrdiff_t i = 0; i < s->rows; i++) {
    const ptrdiff_t j = s->basis[i];
    const long double *inverse = s->T + s->width * i + s->cols;
    long double more = 0;
    for (ptrdiff_t f = 0; f < free; f++) more -= inverse[f] * s->sign[f] * k->reduced[f];
    if (j >= s->cols || !(k->kappa[j] + more >= 0)) continue;
    k->more_kappa[j] = more;
    dls_echelon_add_weights(&k->echelon.all, p->inequality.row + width * j, more, k->more_w);
  }
  return bound_of(k, cost, rho, largest);
}

static dls_interval value_at(dls_trial *x, const double *row, int size, bool constant,
                             const double *y)
{
  dls_sum_start(&x->sum, constant ? row[size] : 0);
  dls_sum_dot(&x->sum, size, row, 1, y);
  return dls_sum_value(&x->sum);
}

double dls_polytope_miss(dls_trial *x, const dls_polytope *p, const double *point)
{
  const ptrdiff_t width = (ptrdiff_t)p->size + 1;
  double miss = 0;
  for (int i = 0; i < p->equation.count; i++) {
    const dls_interval v = value_at(x, p->equation.row + width * i, p->size, true, point);
    dls_raise(&miss, dls_interval_abs(v).high);
  }
  for (int j = 0; j < p->inequality.count; j++) {
    const dls_interval v = value_at(x, p->inequality.row + width * j, p->size, true, point);
    dls_raise(&miss, dls_interval_below(v));
  }
  return miss;
}

// The point fulfils the row for data that are off by their rounding (Oettli, Prager). eq (chk.13)
static double rounding_of(const work *k, const double *row, bool ray, const double *y)
{
  double data = ray ? 0 : fabs(row[k->p->size]);
  for (int j = 0; j < k->p->size; j++) data += fabs(row[j] * y[j]);
  return k->x->data.noise * data;
}

static bool holds_to_rounding(const work *k, bool ray, const double *y)
{
  const dls_polytope *p = k->p;
  const ptrdiff_t width = (ptrdiff_t)p->size + 1;
  for (int i = 0; i < p->equation.count; i++) {
    const double *row = p->equation.row + width * i;
    const dls_interval v = value_at(k->x, row, p->size, !ray, y);
    if (!(dls_interval_abs(v).high <= rounding_of(k, row, ray, y))) return false;
  }
  for (int j = 0; j < p->inequality.count; j++) {
    const double *row = p->inequality.row + width * j;
    const dls_interval v = value_at(k->x, row, p->size, !ray, y);
    if (!(dls_interval_below(v) <= rounding_of(k, row, ray, y))) return false;
  }
  return true;
}

static double largest_of(const double *y, int count)
{
  double largest = 0;
  for (int i = 0; i < count; i++) largest = fmax(largest, fabs(y[i]));
  return largest;
}

// The same once what the search has left of numbers that are 0 is taken off: a force that is
// rounding beside the others may be of the wrong sign, and accelerates nothing.
static bool holds_without_dust(const work *k, bool ray, double *y)
{
  if (holds_to_rounding(k, ray, y)) return true;
  const double dust = k->x->data.noise * largest_of(y, k->p->size);
  for (int i = 0; i < k->p->size; i++)
    if (fabs(y[i]) <= dust) y[i] = 0;
  return holds_to_rounding(k, ray, y);
}

// A direction in which the polytope is endless and the cost grows.
static bool is_ray(const work *k, const double *cost, double *y)
{
  const double size = largest_of(y, k->p->size);
  if (!(size > 0) || !holds_without_dust(k, true, y)) return false;
  return value_at(k->x, cost, k->p->size, false, y).low > DLS_DECISIVE * k->x->tolerance * size;
}

// No point of up to a thousand times the size exists: 0 <= value + rho^T y fails. It must do so for
// all data within rounding, or within the tolerance.                               eq (num.1)
static bool is_contradiction(const work *k, double size)
{
  double rho, worst, largest = 0;
  const dls_interval value = bound_of(k, NULL, &rho, &worst);
  for (int j = 0; j < k->p->inequality.count; j++)
    largest = fmax(largest, (double)fabsl(k->kappa[j]));
  for (int i = 0; i < k->p->equation.count; i++) largest = fmax(largest, (double)fabsl(k->w[i]));
  if (!(rho <= k->x->tolerance * largest)) return false;
  const double doubt = k->x->wary ? k->x->tolerance : k->x->data.noise;
  return -value.high > DLS_DECISIVE * rho * size && -value.high > doubt * largest * size;
}

// An equation that is left without unknowns and with a constant.
static bool contradicts(work *k, double size)
{
  const dls_echelon *s = &k->echelon.all;
  for (ptrdiff_t i = 0; i < s->rows; i++) {
    const long double *row = s->A + s->width * i, constant = row[s->cols];
    if (s->row_used[i] || !(fabsl(constant) > k->x->tolerance * size)) continue;
    for (ptrdiff_t j = 0; j < s->rows; j++)
      k->w[j] = constant > 0 ? row[s->weights + j] : -row[s->weights + j];
    for (ptrdiff_t j = 0; j < s->rows; j++) k->more_w[j] = 0;
    for (int j = 0; j < k->p->inequality.count; j++) k->kappa[j] = k->more_kappa[j] = 0;
    if (is_contradiction(k, size)) return true;
  }
  return false;
}

static dls_reach find(work *k, double size, double *point)
{
  if (search(k, NULL, size) != DLS_OPTIMAL) return DLS_REACH_UNKNOWN;
  for (ptrdiff_t i = 0; i < k->echelon.free; i++) k->t[i] = -k->tableau.price[i];
  expand(&k->echelon, k->t, false, point);
  // what holds to the tolerance only may be a point or none                       eq (num.1)
  const bool far = k->x->wary && largest_of(point, k->p->size) > DLS_DECISIVE * size;
  if (!k->echelon.edge && holds_without_dust(k, false, point))
    return far ? DLS_REACH_UNKNOWN : DLS_REACH_END;
  read_multipliers(k, NULL);
  return is_contradiction(k, size) ? DLS_REACH_EMPTY : DLS_REACH_UNKNOWN;
}

dls_reach dls_program_find(dls_program *k, double size, double *point)
{
  dls_reach reach = contradicts(k, size) ? DLS_REACH_EMPTY : DLS_REACH_UNKNOWN;
  static const precision how[] = {FINE, EXACT, COARSE};
  for (int a = 0; a < 3 && reach == DLS_REACH_UNKNOWN; a++) {
    reduce_all(k, how[a]);
    reach = find(k, size, point);
  }
  return reach;
}

static dls_reach find_max(work *k, const double *cost, double size, double *end, double *point)
{
  dls_trial *x = k->x;
  const dls_polytope *p = k->p;
  if (k->echelon.edge) return DLS_REACH_UNKNOWN;
  const dls_outcome result = search(k, cost, 0);
  for (ptrdiff_t i = 0; i < k->echelon.free; i++) k->t[i] = -k->tableau.price[i];
  expand(&k->echelon, k->t, result == DLS_INFEASIBLE, point);
  if (result == DLS_INFEASIBLE)
    return is_ray(k, cost, point) ? DLS_REACH_INFINITE : DLS_REACH_UNKNOWN;
  if (result != DLS_OPTIMAL) return DLS_REACH_UNKNOWN;
  read_multipliers(k, cost);
  double rho, largest;
  const dls_interval bound = refine(k, cost, &rho, &largest);
  if (!holds_without_dust(k, false, point)) return DLS_REACH_UNKNOWN;
  const dls_interval value = value_at(x, cost, p->size, false, point);
  const double scale = fmax(size, largest_of(point, p->size)), slack = x->tolerance * scale;
  const double most = dls_interval_abs(value).high;
  // an end that only a point far away has: rounding of the data alone would move it
  if (!(scale <= DLS_DECISIVE * fmax(size, most))) return DLS_REACH_UNKNOWN;
  if (!(DLS_DECISIVE * rho * size <= slack)) return DLS_REACH_UNKNOWN;
  if (!(bound.high - value.low <= one_end * slack)) return DLS_REACH_UNKNOWN;
  *end = value.low / 2 + value.high / 2;
  return DLS_REACH_END;
}

dls_reach dls_program_max(dls_program *k, const double *cost, double size, double *end,
                          double *point)
{
  dls_reach reach = DLS_REACH_UNKNOWN;
  static const precision how[] = {FINE, EXACT, COARSE};
  for (int a = 0; a < 3 && reach == DLS_REACH_UNKNOWN; a++) {
    reduce_all(k, how[a]);
    reach = find_max(k, cost, size, end, point);
  }
  return reach;
}

bool dls_program_bounds(dls_program *k, const double *cost, double limit)
{
  // small pivots and gains that are rounding lose digits: the first attempts avoid them
  static const struct {
    precision how;
    long double least;
  } attempt[] = {{EXACT, large_gain},
                 {FINE, large_gain},
                 {FINE, least_gain},
                 {EXACT, any_gain},
                 {COARSE, least_gain}};
  bool proven = false;
  for (ptrdiff_t a = 0; a < dls_count_of(attempt) && !proven; a++) {
    k->tableau.least = attempt[a].least;
    reduce_all(k, attempt[a].how);
    if (search(k, cost, 0) != DLS_OPTIMAL) continue;
    read_multipliers(k, cost);
    double rho, largest;
    const dls_interval bound = refine(k, cost, &rho, &largest);
    // rho is an error of the cost: each entry of it is one of a number of the data
    proven = bound.high <= limit && DLS_DECISIVE * largest <= k->x->tolerance;
  }
  k->tableau.least = least_gain;
  return proven;
}
