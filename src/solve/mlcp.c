// Lemke's method for the problems as users give them: scaling, free variables, the check at the
// end.
#include "solve/lemke.h"

#include "base/memory.h"
#include "linalg/dense.h"
#include "problem/lcp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 2000 };

const char *dls_lcp_outcome_name(dls_lcp_outcome outcome)
{
  switch (outcome) {
  case DLS_LCP_SOLVED: return "solved";
  case DLS_LCP_RAY: return "secondary ray";
  case DLS_LCP_SINGULAR: return "free variables cannot be eliminated";
  case DLS_LCP_STOPPED: return "too many pivots";
  case DLS_LCP_INEXACT: return "residual above the tolerance";
  }
  return "";
}

dls_lcp_options dls_lcp_defaults(void)
{
  return (dls_lcp_options){.tolerance = 1e-11, .max_pivots = 0, .tries = 4};
}

typedef struct work {
  const dls_mlcp *given;
  dls_lcp_options options;
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
  double best_error;
} work;

static void reals(size_t count, double **out, bool *good)
{
  *out = dls_alloc(count, sizeof **out);
  if (!*out) *good = false;
}

static dls_status allocate(work *w)
{
  const size_t n = (size_t)w->n, f = (size_t)w->free, k = (size_t)w->k;
  bool good = true;
  double **vectors[] = {&w->R,   &w->C, &w->q, &w->r,    &w->cover,
                        &w->z_k, &w->b, &w->x, &w->best, &w->z};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) reals(n, vectors[i], &good);
  reals(n * n, &w->M, &good), reals(n * n, &w->B, &good);
  reals(f * f, &w->block, &good), reals(f * (2 * k + 2), &w->X, &good);
  reals(k * k, &w->reduced, &good);
  w->basic = dls_alloc(n, sizeof *w->basic);
  w->index = dls_alloc(n, sizeof *w->index);
  return good && w->basic && w->index ? DLS_OK : DLS_ERR_MEMORY;
}

static void release(work *w)
{
  double *all[] = {w->R,    w->C, w->q, w->r, w->cover, w->z_k, w->b,      w->x,
                   w->best, w->z, w->M, w->B, w->block, w->X,   w->reduced};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  free(w->basic), free(w->index);
}

static double power_of_two(double x)
{
  int exponent = 0;
  frexp(x, &exponent);
  return x > 0 ? ldexp(1, -exponent) : 1;
}

// Rows, then columns, to largest entries between 1/2 and 1; twice, as columns disturb rows.
static void scale(work *w)
{
  const size_t n = (size_t)w->n;
  const double *M = w->given->M, *q = w->given->q;
  for (size_t i = 0; i < n; i++) w->R[i] = w->C[i] = 1;
  for (int pass = 0; pass < 4; pass++)
    for (size_t a = 0; a < n; a++) {
      double largest = 0;
      for (size_t b = 0; b < n; b++) {
        const size_t i = pass % 2 ? b : a, j = pass % 2 ? a : b;
        largest = fmax(largest, fabs(M[i + n * j] * w->R[i] * w->C[j]));
      }
      if (pass % 2) w->C[a] *= power_of_two(largest);
      else w->R[a] *= power_of_two(largest);
    }
  double load = 0;
  for (size_t i = 0; i < n; i++) load = fmax(load, fabs(q[i] * w->R[i]));
  w->s = power_of_two(load);
  for (size_t j = 0; j < n; j++) {
    w->q[j] = q[j] * w->R[j] * w->s;
    for (size_t i = 0; i < n; i++) w->M[i + n * j] = M[i + n * j] * w->R[i] * w->C[j];
  }
}

// The complementary rows and columns alone, with the free variables eliminated:
//   M_LL - M_LF M_FF^-1 M_FL,  q_L - M_LF M_FF^-1 q_F                              eq (lcp.8)
static dls_status eliminate(work *w, bool *singular)
{
  const size_t n = (size_t)w->n, f = (size_t)w->free, k = (size_t)w->k;
  double *right = w->X + f * (k + 1);
  for (size_t j = 0; j < f; j++) memcpy(w->block + f * j, w->M + n * j, f * sizeof(double));
  for (size_t j = 0; j < k; j++)
    if (f > 0) memcpy(right + f * j, w->M + n * (f + j), f * sizeof(double));
  if (f > 0) memcpy(right + f * k, w->q, f * sizeof(double));
  double rcond = 0;
  const dls_status status = dls_solve(w->free, w->k + 1, w->block, right, w->X, &rcond);
  *singular = !(rcond > 1e-14);
  if (status != DLS_OK || *singular) return status;
  for (size_t j = 0; j <= k; j++)
    for (size_t i = 0; i < k; i++) {
      const double *from = j < k ? w->M + n * (f + j) : w->q;
      long double sum = from[f + i];
      for (size_t l = 0; l < f; l++) sum -= (long double)w->M[f + i + n * l] * w->X[l + f * j];
      if (j < k) w->reduced[i + k * j] = (double)sum;
      else w->r[i] = (double)sum;
    }
  return DLS_OK;
}

// Keeps z (scaled) when its residual in the data as given is the best so far.
static dls_status keep(work *w, const double *scaled)
{
  dls_lcp_error error;
  for (int i = 0; i < w->n; i++) w->z[i] = scaled[i] * w->C[i] / w->s;
  const dls_status status = dls_mlcp_residual(w->given, w->z, &error);
  if (status == DLS_OK && error.relative < w->best_error) {
    w->best_error = error.relative;
    memcpy(w->best, w->z, (size_t)w->n * sizeof *w->z);
  }
  return status;
}

// The system of the final basis, from the data: M_BB z_B = -q_B.
static dls_status solve_basis(work *w)
{
  const size_t n = (size_t)w->n;
  size_t count = 0;
  for (int i = 0; i < w->n; i++)
    if (i < w->free || w->basic[i - w->free]) w->index[count++] = i;
  for (size_t a = 0; a < count; a++) {
    w->b[a] = -w->q[w->index[a]];
    for (size_t b = 0; b < count; b++)
      w->B[b + count * a] = w->M[(size_t)w->index[b] + n * (size_t)w->index[a]];
  }
  double rcond = 0;
  dls_status status = dls_solve((int)count, 1, w->B, w->b, w->x, &rcond);
  if (status == DLS_ERR_NUMBER || (status == DLS_OK && !(rcond > 0))) return DLS_OK;
  if (status != DLS_OK) return status;
  memset(w->b, 0, n * sizeof *w->b);
  for (size_t a = 0; a < count; a++)
    w->b[w->index[a]] = w->index[a] < w->free ? w->x[a] : fmax(w->x[a], 0);
  return keep(w, w->b);
}

// The tableau's own values, with the free variables that belong to them.
static dls_status keep_tableau(work *w)
{
  const size_t f = (size_t)w->free, k = (size_t)w->k;
  for (size_t i = 0; i < f; i++) {
    long double sum = -(long double)w->X[i + f * k];
    for (size_t j = 0; j < k; j++) sum -= (long double)w->X[i + f * j] * w->z_k[j];
    w->x[i] = (double)sum;
  }
  for (size_t j = 0; j < k; j++) w->x[f + j] = w->z_k[j];
  return keep(w, w->x);
}

// Whether the ray y >= 0 has M^T y <= 0 (within rounding) and q^T y < 0 (beyond it): then no z >= 0
// has M z + q >= 0. So it is with rays of copositive-plus matrices, such as semidefinite ones.
static bool proves_infeasible(const work *w, double *y)
{
  const size_t n = (size_t)w->n;
  if (w->free > 0) return false;
  for (size_t i = 0; i < n; i++) y[i] = w->z_k[i] * w->C[i] / w->R[i];
  for (size_t j = 0; j < n; j++) {
    long double sum = 0, terms = 0;
    for (size_t i = 0; i < n; i++) {
      const long double x = (long double)w->M[i + n * j] * y[i];
      sum += x, terms += fabsl(x);
    }
    if (sum > 1e-14L * terms) return false;
  }
  long double sum = 0, terms = 0;
  for (size_t i = 0; i < n; i++) {
    const long double x = (long double)w->q[i] * y[i];
    sum += x, terms += fabsl(x);
  }
  return sum < -1e-9L * terms;
}

static void set_cover(work *w, int attempt)
{
  for (int i = 0; i < w->k; i++)
    w->cover[i] = attempt == 0 ? 1 : 1 + ((i * 7 + attempt * 5 + (i ^ attempt) * 3) % 11) / 4.0;
}

// One covering vector. *done: there is no need for another.
static dls_status attempt(work *w, int number, dls_lcp_report *report, bool *done)
{
  int pivots = 0;
  dls_lemke_end end;
  const int most = w->options.max_pivots > 0 ? w->options.max_pivots : 100 + 50 * w->n;
  set_cover(w, number);
  dls_status status =
      dls_lemke_run(w->k, w->reduced, w->r, w->cover, most, w->z_k, w->basic, &pivots, &end);
  report->pivots += pivots;
  if (status != DLS_OK) return status;
  if (end == DLS_LEMKE_SOLVED) {
    status = solve_basis(w);
    if (status == DLS_OK) status = keep_tableau(w);
    *done = w->best_error <= w->options.tolerance;
    report->outcome = *done ? DLS_LCP_SOLVED : DLS_LCP_INEXACT;
  } else if (end == DLS_LEMKE_RAY && report->outcome != DLS_LCP_INEXACT) {
    report->outcome = DLS_LCP_RAY;
    report->infeasible = proves_infeasible(w, w->x);
    *done = report->infeasible;
    // the ray in the units given, largest entry 1
    memset(w->z, 0, (size_t)w->n * sizeof *w->z);
    for (int j = 0; j < w->k; j++) w->z[w->free + j] = w->z_k[j] * w->C[w->free + j];
    const double largest = dls_norm_max(w->n, w->z);
    for (int i = 0; i < w->n; i++) w->best[i] = largest > 0 ? w->z[i] / largest : 0;
  }
  return status;
}

static dls_status run(work *w, double *z, dls_lcp_report *report)
{
  bool singular = false, done = false;
  scale(w);
  dls_status status = eliminate(w, &singular);
  if (status != DLS_OK) return status;
  report->outcome = singular ? DLS_LCP_SINGULAR : DLS_LCP_STOPPED;
  w->best_error = INFINITY;
  for (int t = 0; t < w->options.tries && !done && !singular && status == DLS_OK; t++)
    status = attempt(w, t, report, &done);
  if (status != DLS_OK || report->outcome == DLS_LCP_SINGULAR || report->outcome == DLS_LCP_STOPPED)
    return status;
  if (w->n > 0) memcpy(z, w->best, (size_t)w->n * sizeof *z);
  if (report->outcome == DLS_LCP_RAY) return DLS_OK;
  return dls_mlcp_residual(w->given, z, &report->error);
}

dls_status dls_mlcp_lemke(const dls_mlcp *mlcp, const dls_lcp_options *options, double *z,
                          dls_lcp_report *report)
{
  *report = (dls_lcp_report){.outcome = DLS_LCP_STOPPED, .error = {NAN, NAN}};
  dls_status status = dls_mlcp_validate(mlcp);
  if (status != DLS_OK) return status;
  if (mlcp->n > LARGEST) return DLS_ERR_LIMIT;
  work w = {.given = mlcp, .n = mlcp->n, .free = mlcp->free, .k = mlcp->n - mlcp->free};
  w.options = options ? *options : dls_lcp_defaults();
  if (!(w.options.tolerance >= 0) || w.options.tries < 1) return DLS_ERR_ARGUMENT;
  status = allocate(&w);
  if (status == DLS_OK) status = run(&w, z, report);
  release(&w);
  return status;
}

dls_status dls_lcp_lemke(const dls_lcp *lcp, const dls_lcp_options *options, double *z,
                         dls_lcp_report *report)
{
  if (!lcp) return DLS_ERR_ARGUMENT;
  const dls_mlcp mixed = {.n = lcp->n, .free = 0, .M = lcp->M, .q = lcp->q};
  return dls_mlcp_lemke(&mixed, options, z, report);
}
