// Lemke's method for the problems as users give them: scaling, free variables, the check at the
// end.
#include "lcp/lemke.h"

#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "lcp/lcp.h"
#include "lcp/lcp_scale.h"
#include "lcp/tolerances.h"

#include <math.h>
#include <stdlib.h>

static dls_lemke_options defaults(void)
{
  return (dls_lemke_options){.tolerance = lemke_residual, .max_pivots = 0, .tries = 4};
}

struct dls_lemke {
  const dls_mlcp *given;
  dls_lemke_options options;
  int n, free, k;   // k = n - free
  double *R, *C;    // n: factors of rows and columns, powers of two
  double s;         // factor of q
  double *M, *q;    // scaled: R M C, s R q
  double *block;    // free x free
  double *X;        // free x (k + 1): block^-1 [M_FL, q_F]
  double *reduced;  // k x k
  double *r;        // k: q of the reduced problem
  double *cover, *z_k;
  bool *basic;
  double *B, *b, *x;  // the system of the final basis
  int *index;
  double *best, *z;  // n, in the units given
  double *rows, *terms, *lu_work;
  int *lu_pivot;
  dls_lemke_space space;
  double best_error;
};

typedef dls_lemke work;

static void reals(ptrdiff_t count, double **out, bool *good)
{
  *out = dls_alloc(count, sizeof **out);
  if (!*out) *good = false;
}

static dls_status allocate(work *w)
{
  const ptrdiff_t n = w->n, f = w->free, k = w->k;
  bool good = true;
  double **vectors[] = {&w->R, &w->C, &w->q,    &w->r, &w->cover, &w->z_k,
                        &w->b, &w->x, &w->best, &w->z, &w->rows,  &w->terms};
  for (ptrdiff_t i = 0; i < dls_count_of(vectors); i++) reals(n, vectors[i], &good);
  reals(n * n, &w->M, &good), reals(n * n, &w->B, &good);
  reals(f * f, &w->block, &good), reals(f * (k + 1), &w->X, &good);
  reals(k * k, &w->reduced, &good);
  reals(4 * n, &w->lu_work, &good), reals(dls_lemke_reals(w->k), &w->space.reals, &good);
  w->basic = dls_alloc(n, sizeof *w->basic);
  w->index = dls_alloc(n, sizeof *w->index);
  w->lu_pivot = dls_alloc(2 * n, sizeof *w->lu_pivot);
  w->space.integers = dls_alloc(3 * k, sizeof *w->space.integers);
  return good && w->basic && w->index && w->lu_pivot && w->space.integers ? DLS_OK : DLS_ERR_MEMORY;
}

static void release(work *w)
{
  double *all[] = {w->R,       w->C,    w->q,     w->r,       w->cover,      w->z_k,   w->b,
                   w->x,       w->best, w->z,     w->M,       w->B,          w->block, w->X,
                   w->reduced, w->rows, w->terms, w->lu_work, w->space.reals};
  for (ptrdiff_t i = 0; i < dls_count_of(all); i++) free(all[i]);
  free(w->basic), free(w->index), free(w->lu_pivot), free(w->space.integers);
}

// The complementary rows and columns alone, with the free variables eliminated:
//   M_LL - M_LF M_FF^-1 M_FL,  q_L - M_LF M_FF^-1 q_F                              eq (lcp.8)
static bool eliminate(work *w)
{
  const ptrdiff_t n = w->n, f = w->free, k = w->k;
  for (ptrdiff_t j = 0; j < f; j++) dls_copy(w->block + f * j, w->M + n * j, f);
  for (ptrdiff_t j = 0; j < k; j++)
    if (f > 0) dls_copy(w->X + f * j, w->M + n * (f + j), f);
  if (f > 0) dls_copy(w->X + f * k, w->q, f);
  if (!(dls_lu_factor(w->free, w->block, w->lu_pivot, w->lu_work) > singular_free_block))
    return false;
  dls_lu_solve(w->free, w->k + 1, w->block, w->lu_pivot, false, w->X);
  for (ptrdiff_t j = 0; j <= k; j++)
    for (ptrdiff_t i = 0; i < k; i++) {
      const double *from = j < k ? w->M + n * (f + j) : w->q;
      long double sum = from[f + i];
      for (ptrdiff_t l = 0; l < f; l++) sum -= (long double)w->M[f + i + n * l] * w->X[l + f * j];
      if (j < k) w->reduced[i + k * j] = (double)sum;
      else w->r[i] = (double)sum;
    }
  return true;
}

// Keeps z (scaled) when its residual in the data as given is the best so far.
static void keep(work *w, const double *scaled)
{
  for (int i = 0; i < w->n; i++) w->z[i] = scaled[i] * w->C[i] / w->s;
  const dls_lcp_error error = dls_mlcp_measure(w->given, w->z, w->rows, w->terms);
  if (error.relative < w->best_error) {
    w->best_error = error.relative;
    dls_copy(w->best, w->z, w->n);
  }
}

// x += B^-1 (-q - M x) on the rows of the basis, residuals in long double.
static void refine(work *w, int count)
{
  const ptrdiff_t n = w->n;
  for (int a = 0; a < count; a++) {
    const ptrdiff_t row = w->index[a];
    long double sum = -(long double)w->q[row];
    for (int b = 0; b < count; b++) sum -= (long double)w->M[row + n * w->index[b]] * w->x[b];
    w->b[a] = (double)sum;
  }
  dls_lu_solve(count, 1, w->B, w->lu_pivot, false, w->b);
  for (int a = 0; a < count; a++) w->x[a] += w->b[a];
}

// The system of the final basis, from the data: M_BB z_B = -q_B.
static void solve_basis(work *w)
{
  const ptrdiff_t n = w->n;
  ptrdiff_t count = 0;
  for (int i = 0; i < w->n; i++)
    if (i < w->free || w->basic[i - w->free]) w->index[count++] = i;
  for (ptrdiff_t a = 0; a < count; a++) {
    w->x[a] = -w->q[w->index[a]];
    for (ptrdiff_t b = 0; b < count; b++) w->B[b + count * a] = w->M[w->index[b] + n * w->index[a]];
  }
  if (!(dls_lu_factor((int)count, w->B, w->lu_pivot, w->lu_work) > 0)) return;
  dls_lu_solve((int)count, 1, w->B, w->lu_pivot, false, w->x);
  refine(w, (int)count), refine(w, (int)count);
  dls_clear(w->b, n);
  for (ptrdiff_t a = 0; a < count; a++)
    w->b[w->index[a]] = w->index[a] < w->free ? w->x[a] : fmax(w->x[a], 0);
  keep(w, w->b);
}

// The tableau's own values, with the free variables that belong to them, scaled.
static void tableau_point(const work *w, double *x)
{
  const ptrdiff_t f = w->free, k = w->k;
  for (ptrdiff_t i = 0; i < f; i++) {
    long double sum = -(long double)w->X[i + f * k];
    for (ptrdiff_t j = 0; j < k; j++) sum -= (long double)w->X[i + f * j] * w->z_k[j];
    x[i] = (double)sum;
  }
  for (ptrdiff_t j = 0; j < k; j++) x[f + j] = w->z_k[j];
}

void dls_lemke_point(const dls_lemke *w, double *z)
{
  tableau_point(w, z);
  for (int i = 0; i < w->n; i++) z[i] = z[i] * w->C[i] / w->s;
}

// Whether the ray y >= 0 has M^T y <= 0 (within rounding) and q^T y < 0 (beyond it): then no z >= 0
// has M z + q >= 0. So it is with rays of copositive-plus matrices, such as semidefinite ones.
static bool proves_infeasible(const work *w, double *y)
{
  const ptrdiff_t n = w->n;
  if (w->free > 0) return false;
  for (ptrdiff_t i = 0; i < n; i++) y[i] = w->z_k[i] * w->C[i] / w->R[i];
  for (ptrdiff_t j = 0; j < n; j++) {
    long double sum = 0, terms = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
      const long double x = (long double)w->M[i + n * j] * y[i];
      sum += x, terms += fabsl(x);
    }
    if (sum > ray_rounding * terms) return false;
  }
  long double sum = 0, terms = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    const long double x = (long double)w->q[i] * y[i];
    sum += x, terms += fabsl(x);
  }
  return sum < -ray_margin * terms;
}

static void set_cover(work *w, int attempt)
{
  for (int i = 0; i < w->k; i++)
    w->cover[i] = attempt == 0 ? 1 : 1 + ((i * 7 + attempt * 5 + (i ^ attempt) * 3) % 11) / 4.0;
}

// One covering vector. True: there is no need for another.
static bool attempt(work *w, int number, dls_lemke_report *report)
{
  int pivots = 0;
  bool done = false;
  const int most = w->options.max_pivots > 0 ? w->options.max_pivots : dls_lemke_pivots(w->n);
  set_cover(w, number);
  const dls_lemke_end end =
      dls_lemke_run(w->k, w->reduced, w->r, w->cover, most, w->z_k, w->basic, &pivots, &w->space);
  report->pivots += pivots;
  if (end == DLS_LEMKE_SOLVED) {
    solve_basis(w);
    tableau_point(w, w->x), keep(w, w->x);
    done = w->best_error <= w->options.tolerance;
    report->outcome = done ? DLS_LCP_SOLVED : DLS_LCP_INEXACT;
  } else if (end == DLS_LEMKE_RAY && report->outcome != DLS_LCP_INEXACT) {
    report->outcome = DLS_LCP_RAY;
    report->infeasible = proves_infeasible(w, w->x);
    done = report->infeasible;
    // the ray in the units given, largest entry 1
    dls_clear(w->z, w->n);
    for (int j = 0; j < w->k; j++) w->z[w->free + j] = w->z_k[j] * w->C[w->free + j];
    const double largest = dls_norm_max(w->n, w->z);
    for (int i = 0; i < w->n; i++) w->best[i] = largest > 0 ? w->z[i] / largest : 0;
  }
  return done;
}

// Other units now and then: what is lost to rounding in some is often found in others.
static void run(work *w, double *z, dls_lemke_report *report)
{
  w->best_error = INFINITY;
  for (int t = 0; t < w->options.tries; t++) {
    dls_lcp_scale(w->given, t % 4 == 0 || t % 4 == 3 ? DLS_LCP_UNITS_LARGEST : DLS_LCP_UNITS_MEAN,
                  w->R, w->C, &w->s);
    dls_lcp_apply_scale(w->given, w->R, w->C, w->s, w->M, w->q);
    if (!eliminate(w)) {
      if (t == 0) report->outcome = DLS_LCP_SINGULAR;
      break;
    }
    if (attempt(w, t, report) || w->space.halted) break;
  }
  if (report->outcome == DLS_LCP_STOPPED || report->outcome == DLS_LCP_SINGULAR) return;
  if (w->n > 0) dls_copy(z, w->best, w->n);
  if (report->outcome != DLS_LCP_RAY)
    report->error = dls_mlcp_measure(w->given, z, w->rows, w->terms);
}

dls_status dls_lemke_create(int n, int free_rows, dls_lemke **out)
{
  *out = NULL;
  if (n > LARGEST_PROBLEM) return DLS_ERR_LIMIT;
  work *w = dls_alloc(1, sizeof *w);
  if (!w) return DLS_ERR_MEMORY;
  w->n = n, w->free = free_rows, w->k = n - free_rows;
  if (allocate(w) != DLS_OK) {
    dls_lemke_free(w);
    return DLS_ERR_MEMORY;
  }
  *out = w;
  return DLS_OK;
}

void dls_lemke_free(dls_lemke *lemke)
{
  if (!lemke) return;
  release(lemke);
  free(lemke);
}

void dls_lemke_solve(dls_lemke *w, const dls_mlcp *mlcp, const dls_lemke_options *options,
                     bool (*stop)(void *self, int pivots), void *self, double *z,
                     dls_lemke_report *report)
{
  *report = (dls_lemke_report){.outcome = DLS_LCP_STOPPED, .error = {NAN, NAN}};
  w->given = mlcp, w->options = *options;
  w->space.stop = stop, w->space.self = self, w->space.halted = false;
  run(w, z, report);
}

dls_status dls_mlcp_lemke(const dls_mlcp *mlcp, const dls_lemke_options *options, double *z,
                          dls_lemke_report *report)
{
  *report = (dls_lemke_report){.outcome = DLS_LCP_STOPPED, .error = {NAN, NAN}};
  dls_status status = dls_mlcp_validate(mlcp);
  if (status != DLS_OK) return status;
  const dls_lemke_options used = options ? *options : defaults();
  if (!(used.tolerance >= 0) || used.tries < 1)
    return mlcp->n > LARGEST_PROBLEM ? DLS_ERR_LIMIT : DLS_ERR_ARGUMENT;
  dls_lemke *lemke = NULL;
  status = dls_lemke_create(mlcp->n, mlcp->free, &lemke);
  if (status == DLS_OK) dls_lemke_solve(lemke, mlcp, &used, NULL, NULL, z, report);
  dls_lemke_free(lemke);
  return status;
}
