// The scales of the incremental problem: d of each contact and equation, eq (inc.6), and the sizes
// of q that belong to them.
#include "base/larger.h"
#include "base/memory.h"
#include "linalg/mass.h"
#include "linalg/power_of_two.h"
#include "contact/incremental.h"
#include "contact/law.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

dls_status dls_scales_create(const dls_incremental *p, dls_scales *s)
{
  const ptrdiff_t rows = (ptrdiff_t)dls_incremental_rows(p) + 1, n = p->contacts;
  const ptrdiff_t of_loads = p->equations > 0 ? rows : 0, dof = (p->global ? p->dof : 0);
  *s = (dls_scales){0};
  s->d = dls_alloc(2 * n + p->equations + rows + 5 * of_loads + dof, sizeof(double));
  if (!s->d) return DLS_ERR_MEMORY;
  s->share = s->d + n + p->equations, s->q = s->share + n, s->load = s->q + rows;
  s->work = s->load + of_loads, s->free = s->work + 4 * of_loads;
  const dls_status status = n > 1 ? dls_reach_create(p, &s->reach) : DLS_OK;
  if (status != DLS_OK) dls_scales_free(s);
  return status;
}

void dls_scales_free(dls_scales *s)
{
  free(s->d);
  dls_reach_free(s->reach);
  *s = (dls_scales){0};
}

// ---- d -----------------------------------------------------------------------------------------

// Where W_ii is 0 the mean takes its place.
static double or_mean(double size, double mean)
{
  return size > 0 && size < INFINITY ? dls_nearest_power(size) : mean;
}

// eq (inc.6) of what was given: means of all contacts and of all equations. sum: over contacts.
static void set_mean(const dls_incremental *p, double sum, dls_scales *s)
{
  const int n = p->contacts;
  double of_equations = 0, mean = n > 0 ? sum / n : 0;
  for (int j = n; j < n + p->equations; j++) of_equations += s->d[j] / p->equations;
  if (mean == INFINITY) {
    mean = 0;
    for (int i = 0; i < n; i++) mean += s->d[i] / n;
  }
  s->mean = mean > 0 && mean < INFINITY ? dls_nearest_power(mean) : 0;
  const double other =
      of_equations > 0 && of_equations < INFINITY ? dls_nearest_power(of_equations) : s->mean;
  if (!(s->mean > 0)) s->mean = other;
  for (int j = n; j < n + p->equations; j++) s->d[j] = or_mean(s->d[j], other);
}

// |x|; in long double only where squares leave the range. Four sums, which do not wait for another.
double dls_length_of(int count, const double *x)
{
  double sum[4] = {0};
  int i = 0;
  for (; i + 3 < count; i += 4)
    for (int k = 0; k < 4; k++) sum[k] += x[i + k] * x[i + k];
  for (; i < count; i++) sum[0] += x[i] * x[i];
  const double all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  if (all > dls_least_square && all < dls_largest_square) return sqrt(all);
  long double wide = 0;
  for (i = 0; i < count; i++) wide += (long double)x[i] * x[i];
  return (double)sqrtl(wide);
}

// The sum of d over all contacts.
static double sum_of(int contacts, const double *d)
{
  double sum = 0;
  for (int i = 0; i < contacts; i++) sum += d[i];
  return sum;
}

// The largest |q| of all contacts, or of |q| and |load|, and of each contact. d is p->dimension, a
// constant.
static inline double largest_load(int d, const dls_incremental *p, const dls_scales *s)
{
  const double *q = s->q, *load = p->equations > 0 ? s->load : s->q;
  double largest = 0;
  for (int i = 0; i < p->contacts; i++, q += d, load += d) {
    double own = 0;
    for (int k = 0; k < d; k++) own = dls_max(dls_max(fabs(q[k]), fabs(load[k])), own);
    s->share[i] = own;
    largest = dls_max(own, largest);
  }
  return largest;
}

// d of all contacts, and the squares of q in their unit, where squares are harmless; weighted: each
// times mean / d. d is p->dimension, a constant.
static inline double squares(int d, int contacts, const dls_scales *s, double *weighted)
{
  const double unit = 1 / s->unit, mean = s->mean > 0 ? s->mean : 1, *q = s->q;
  double sum = 0, of_weighted = 0;
  for (int i = 0; i < contacts; i++, q += d) {
    const double a = unit * q[0], b = unit * q[1], c = d == 3 ? unit * q[2] : 0;
    const double square = a * a + b * b + c * c, own = or_mean(s->d[i], s->mean);
    s->d[i] = own;
    of_weighted += square * (own > 0 ? mean / own : 1), sum += square;
  }
  *weighted = of_weighted;
  return sum;
}

// The same of equations, whose units may be others: what is added has none.
static void add_equations(const dls_incremental *p, dls_scales *s)
{
  const int d = p->dimension, n = p->contacts, end = d * n;
  const long double area = (long double)s->unit * s->unit;
  long double all = s->common_q * area;
  for (int j = 0; j < p->equations; j++) {
    const double own = s->d[n + j];
    const long double square = (long double)s->q[end + j] * s->q[end + j];
    const double part = (double)((own > 0 ? square * s->mean / own : square) / area);
    all += square;
    s->weighted_q += part, s->common_q += part;
  }
  s->norm_q = (double)sqrtl(all);
  s->load_q = 0;
  for (int i = 0; i < n; i++) {
    double of_q = 0, of_load = 0;
    for (int k = d * i; k < d * (i + 1); k++) {
      const double a = s->q[k] / s->unit, b = s->load[k] / s->unit;
      of_q += a * a, of_load += b * b;
    }
    s->load_q += dls_max(of_q, of_load);
  }
  if (!(s->load_q > 0)) s->load_q = s->common_q;  // no contact is loaded
}

// Where the direction of a slip is known its velocity is no scale for anything.
static void forget_tangents(const dls_incremental *p, dls_scales *s)
{
  const int d = p->dimension;
  for (int i = 0; i < p->contacts; i++)
    for (int k = 1; k < d && dls_law_slides((dls_law)p->law[i]); k++) s->q[d * i + k] = 0;
}

// ---- loads -------------------------------------------------------------------------------------

// The energy of equations, sum x y / d.
static double energy(const dls_incremental *p, const dls_scales *s, const double *x,
                     const double *y)
{
  const double *d = s->d + p->contacts;
  double sum = 0;
  for (int j = 0; j < p->equations; j++) sum += d[j] > 0 ? x[j] * (y[j] / d[j]) : 0;
  return sum;
}

// load = q - W x with W_EE x = q_E: the velocities that equations leave to contacts without forces,
// by some steps of conjugate gradients, as a scale need not be exact.                eq (inc.12)
static void set_load(const dls_incremental *p, dls_scales *s, dls_scales_product *multiply,
                     void *self)
{
  enum { STEPS = 8 };
  const int rows = dls_incremental_rows(p), end = p->dimension * p->contacts;
  double *x = s->work, *product = x + rows, *rest = product + rows, *to = rest + rows;
  const double *d = s->d + p->contacts;
  for (int j = 0; j < rows; j++) s->load[j] = s->q[j], x[j] = 0;
  for (int j = end; j < rows; j++) rest[j] = s->q[j], to[j] = 0;
  const double first = energy(p, s, rest + end, rest + end);
  double last = first, part = 0;
  for (int k = 0; k < STEPS && last > load_accuracy * first; k++) {
    for (int j = end; j < rows; j++)
      to[j] = part * to[j] + (d[j - end] > 0 ? rest[j] / d[j - end] : 0), x[j] = to[j];
    multiply(self, x, product);
    double along = 0;
    for (int j = end; j < rows; j++) along += to[j] * product[j];
    const double step = last / along;
    if (!(step > 0 && step < INFINITY)) break;
    for (int j = 0; j < end; j++) s->load[j] -= step * product[j];
    for (int j = end; j < rows; j++) rest[j] -= step * product[j];
    const double next = energy(p, s, rest + end, rest + end);
    part = next / last, last = next;
  }
}

void dls_scales_set(const dls_incremental *p, dls_scales *s, dls_scales_product *multiply,
                    void *self)
{
  const int d = p->dimension, n = p->contacts;
  if (p->law) forget_tangents(p, s);
  set_mean(p, sum_of(n, s->d), s);
  if (p->equations > 0) set_load(p, s, multiply, self);
  const double largest = d == 3 ? largest_load(3, p, s) : largest_load(2, p, s);
  s->unit = largest > 0 && largest < INFINITY ? dls_nearest_power(largest) : 1;
  s->common_q = d == 3 ? squares(3, n, s, &s->weighted_q) : squares(2, n, s, &s->weighted_q);
  s->norm_q = sqrt(s->common_q) * s->unit, s->load_q = s->common_q;
  if (p->equations > 0) add_equations(p, s);
  if (s->reach) dls_reach_forget(s->reach);
}

// ---- from the data alone -----------------------------------------------------------------------

// H_j^T M^-1 H_j, where all parts of M are small.
static double own_small(const dls_matrix_view *H, const dls_mass_parts *m, int j)
{
  const dls_pattern *s = &H->pattern;
  double sum = 0;
  for (int e = s->p[j]; e < s->p[j + 1]; e++)
    for (int f = s->p[j]; f < s->p[j + 1]; f++) {
      const int a = s->i[e], b = s->i[f], k = m->part[a];
      if (m->part[b] != k) continue;
      const int size = m->first[k + 1] - m->first[k];
      sum +=
          H->x[e] * H->x[f] * m->inverse[m->square[k] + (m->position[a] + size * m->position[b])];
    }
  return sum;
}

static double own_large(const dls_matrix_view *H, dls_mass *mass, int j, double *x)
{
  const dls_pattern *s = &H->pattern;
  double sum = 0;
  for (int k = 0; k < s->rows; k++) x[k] = 0;
  for (int e = s->p[j]; e < s->p[j + 1]; e++) x[s->i[e]] = H->x[e];
  dls_mass_solve(mass, x);
  for (int e = s->p[j]; e < s->p[j + 1]; e++) sum += H->x[e] * x[s->i[e]];
  return sum;
}

// Row j has this number on the diagonal; rows come one after the other.
static void add_diagonal(const dls_incremental *p, int j, double diagonal, dls_scales *s)
{
  const int d = p->dimension, end = d * p->contacts;
  double *own = j < end ? &s->d[j / d] : &s->d[p->contacts + j - end];
  *own += fabs(diagonal);
  if (j < end && j % d == d - 1) *own /= d;
}

typedef struct given {
  const dls_incremental *problem;
  dls_mass *mass;
  double *x;  // dof
} given;

// y += A x, or A^T x
static void add_product(const dls_matrix_view *A, bool transposed, const double *x, double *y)
{
  const dls_pattern *s = &A->pattern;
  for (int j = 0; j < s->cols; j++)
    for (int e = s->p[j]; e < s->p[j + 1]; e++)
      y[transposed ? j : s->i[e]] += A->x[e] * x[transposed ? s->i[e] : j];
}

static void multiply_given(void *self, const double *r, double *u)
{
  const given *g = self;
  const dls_incremental *p = g->problem;
  for (int j = 0; j < dls_incremental_rows(p); j++) u[j] = 0;
  if (!p->global) {
    add_product(&p->W, false, r, u);
    return;
  }
  for (int k = 0; k < p->dof; k++) g->x[k] = 0;
  add_product(&p->H, false, r, g->x);
  dls_mass_solve(g->mass, g->x);
  add_product(&p->H, true, g->x, u);
}

static dls_status find_global(const dls_incremental *p, dls_scales *s)
{
  given g = {.problem = p, .x = dls_alloc((ptrdiff_t)p->dof + 1, sizeof(double))};
  dls_status status = g.x ? dls_mass_create(&p->M, &g.mass) : DLS_ERR_MEMORY;
  if (status == DLS_OK) status = dls_mass_refresh(g.mass);
  dls_mass_parts parts;
  const bool small = status == DLS_OK && dls_mass_small(g.mass, &parts);
  if (status == DLS_OK) {
    for (int k = 0; k < p->dof; k++) s->free[k] = p->f[k];
    dls_mass_solve(g.mass, s->free);
  }
  for (int j = 0; status == DLS_OK && j < dls_incremental_rows(p); j++) {
    long double q = p->w[j];
    for (int e = p->H.pattern.p[j]; e < p->H.pattern.p[j + 1]; e++)
      q += (long double)p->H.x[e] * s->free[p->H.pattern.i[e]];
    s->q[j] = (double)q;
    add_diagonal(p, j, small ? own_small(&p->H, &parts, j) : own_large(&p->H, g.mass, j, g.x), s);
  }
  if (status == DLS_OK) dls_scales_set(p, s, multiply_given, &g);
  dls_mass_free(g.mass);
  free(g.x);
  return status;
}

// |A_jj|
static double diagonal_of(const dls_matrix_view *A, int j)
{
  int low = A->pattern.p[j], high = A->pattern.p[j + 1];
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (A->pattern.i[middle] < j) low = middle + 1;
    else high = middle;
  }
  return low < A->pattern.p[j + 1] && A->pattern.i[low] == j ? fabs(A->x[low]) : 0;
}

double dls_incremental_contact_scale(const dls_incremental *p, int contact)
{
  double sum = 0;
  for (int j = p->dimension * contact; j < p->dimension * (contact + 1); j++) {
    if (!p->global) sum += diagonal_of(&p->W, j);
    for (int e = p->global ? p->H.pattern.p[j] : 0; p->global && e < p->H.pattern.p[j + 1]; e++) {
      const double mass = diagonal_of(&p->M, p->H.pattern.i[e]);
      if (mass > 0) sum += p->H.x[e] * (p->H.x[e] / mass);
    }
  }
  return sum > 0 && sum < INFINITY ? dls_nearest_power(sum / p->dimension) : 1;
}

static void find_local(const dls_incremental *p, dls_scales *s)
{
  for (int j = 0; j < dls_incremental_rows(p); j++)
    s->q[j] = p->q[j], add_diagonal(p, j, diagonal_of(&p->W, j), s);
  given g = {.problem = p};
  dls_scales_set(p, s, multiply_given, &g);
}

dls_status dls_scales_find(const dls_incremental *p, dls_scales *s)
{
  dls_status status = dls_scales_create(p, s);
  if (status != DLS_OK) return status;
  if (p->global) status = find_global(p, s);
  else find_local(p, s);
  if (status != DLS_OK) dls_scales_free(s);
  return status;
}

dls_status dls_incremental_scale(const dls_incremental *p, double *norm_q)
{
  dls_scales s;
  const dls_status status = dls_scales_find(p, &s);
  if (status != DLS_OK) return status;
  *norm_q = s.norm_q;
  dls_scales_free(&s);
  return DLS_OK;
}
