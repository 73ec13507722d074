// Lemke's method with the lexicographic rule, by the inverse of the basis.          eq (lcp.7)
//
//   w - M z - d z_0 = q,   d > 0
//
// Variables: w_i is number i, z_i is n + i, z_0 is 2 n. The basis starts with all w; z_0 enters and
// drives out the row that makes q + d z_0 >= 0; then the complement of what left enters, until z_0
// leaves (a solution) or nothing can leave (a ray). Rows of [x, Binv] are lexicographically
// positive throughout, and ties in the ratio test are broken by them: no basis comes twice.
#include "lcp/lemke.h"

#include "base/memory.h"
#include "lcp/tolerances.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

#include <math.h>

enum { REFRESH = 40 };  // pivots

typedef struct tableau {
  int n;
  const double *M, *q, *d;
  int *basis;    // n: the variable of each row
  double *Binv;  // n x n
  double *x;     // Binv q
  double *u;     // Binv times the entering column
  double *work;  // n x n: the basis, then its factors
  double *lu_work;
  int *lu_pivot;
  dls_lemke_space *space;
} tableau;

// u = Binv a, a the column of the variable
static void column(tableau *t, int variable)
{
  const int n = t->n;
  const ptrdiff_t N = n;
  if (variable < n) {
    dls_copy(t->u, t->Binv + N * (ptrdiff_t)variable, N);
  } else {
    const double *a = variable < 2 * n ? t->M + N * (variable - n) : t->d;
    dls_gemv(false, n, n, -1, t->Binv, a, 0, t->u);
  }
}

// Whether row i comes before row k in the lexicographic ratio test.
static bool precedes(const tableau *t, int i, int k)
{
  const ptrdiff_t n = t->n;
  double a = fmax(t->x[i], 0) / t->u[i], b = fmax(t->x[k], 0) / t->u[k];
  if (fabs(a - b) > equal_ratios * (1 + fabs(a) + fabs(b))) return a < b;
  // z_0 leaves whenever it can
  if (t->basis[i] == 2 * t->n) return true;
  if (t->basis[k] == 2 * t->n) return false;
  for (ptrdiff_t j = 0; j < n; j++) {
    a = t->Binv[i + n * j] / t->u[i], b = t->Binv[k + n * j] / t->u[k];
    if (fabs(a - b) > equal_ratios * (1 + fabs(a) + fabs(b))) return a < b;
  }
  return false;
}

static int leaving_row(const tableau *t)
{
  const double least = small_pivot * fmax(dls_norm_max(t->n, t->u), least_column);
  int row = -1;
  for (int i = 0; i < t->n; i++)
    if (t->u[i] > least && (row < 0 || precedes(t, i, row))) row = i;
  return row;
}

static void pivot(tableau *t, int row, int variable)
{
  const ptrdiff_t n = t->n, r = row;
  for (ptrdiff_t j = 0; j <= n; j++) {
    double *c = j < n ? t->Binv + n * j : t->x;
    const double value = c[r] / t->u[r];
    for (ptrdiff_t i = 0; i < n; i++) c[i] -= t->u[i] * value;
    c[r] = value;
  }
  t->basis[row] = variable;
}

// Binv and x from the data again. false: the basis is singular within rounding.
static bool refresh(tableau *t)
{
  const ptrdiff_t n = t->n;
  dls_clear(t->work, n * n);
  dls_clear(t->Binv, n * n);
  for (ptrdiff_t k = 0; k < n; k++) {
    const int variable = t->basis[k];
    double *c = t->work + n * k;
    t->Binv[k * (n + 1)] = 1;
    if (variable < t->n) {
      c[variable] = 1;
    } else {
      const double *a = variable < 2 * t->n ? t->M + n * (variable - t->n) : t->d;
      for (ptrdiff_t i = 0; i < n; i++) c[i] = -a[i];
    }
  }
  if (!(dls_lu_factor(t->n, t->work, t->lu_pivot, t->lu_work) > singular_lemke)) return false;
  dls_lu_solve(t->n, t->n, t->work, t->lu_pivot, false, t->Binv);
  dls_copy(t->x, t->q, n);
  dls_lu_solve(t->n, 1, t->work, t->lu_pivot, false, t->x);
  return true;
}

// The row that z_0 must cover: the lexicographically least of [q_i, I_i] / d_i.
static int first_row(const tableau *t)
{
  int row = 0;
  for (int i = 1; i < t->n; i++) {
    const double a = t->q[i] / t->d[i], b = t->q[row] / t->d[row];
    // of two equal ones the later: its unit row vector is the smaller
    if (a <= b) row = i;
  }
  return row;
}

static void read_point(const tableau *t, double *z)
{
  const int n = t->n;
  dls_clear(z, n);
  for (int i = 0; i < n; i++)
    if (t->basis[i] >= n && t->basis[i] < 2 * n) z[t->basis[i] - n] = fmax(t->x[i], 0);
}

static bool asked_to_stop(const tableau *t, int pivots, double *z)
{
  dls_lemke_space *s = t->space;
  if (!s->stop) return false;
  read_point(t, z);
  s->halted = s->stop(s->self, pivots);
  return s->halted;
}

static dls_lemke_end iterate(tableau *t, int max_pivots, double *z, int *pivots, int *entering)
{
  const int n = t->n;
  int row = first_row(t);
  column(t, 2 * n);
  pivot(t, row, 2 * n);
  *entering = n + row;
  int since = 0;
  for (*pivots = 1; *pivots < max_pivots; ++*pivots) {
    if (asked_to_stop(t, *pivots, z)) break;
    column(t, *entering);
    row = leaving_row(t);
    if (row < 0 && since > 0) {
      // believe a ray only with an inverse that is fresh
      since = REFRESH;
    } else if (row < 0) {
      return DLS_LEMKE_RAY;
    } else {
      const int left = t->basis[row];
      pivot(t, row, *entering);
      if (left == 2 * n) return DLS_LEMKE_SOLVED;
      *entering = left < n ? left + n : left - n;
      since++;
    }
    if (since < REFRESH) continue;
    since = 0;
    if (!refresh(t)) return DLS_LEMKE_LOST;
  }
  return DLS_LEMKE_STOPPED;
}

// The ray: entering variable 1, basic ones -u, of which the z count.
static void read_ray(const tableau *t, int entering, double *z)
{
  const int n = t->n;
  dls_clear(z, n);
  if (entering >= n && entering < 2 * n) z[entering - n] = 1;
  for (int i = 0; i < n; i++)
    if (t->basis[i] >= n && t->basis[i] < 2 * n) z[t->basis[i] - n] = fmax(-t->u[i], 0);
  const double largest = dls_norm_max(n, z);
  for (int i = 0; i < n && largest > 0; i++) z[i] /= largest;
}

static void read_solution(const tableau *t, double *z, bool *basic)
{
  const int n = t->n;
  read_point(t, z);
  for (int i = 0; i < n; i++)
    if (t->basis[i] >= n && t->basis[i] < 2 * n) basic[t->basis[i] - n] = true;
}

ptrdiff_t dls_lemke_reals(int n)
{
  return 2 * (ptrdiff_t)n * n + 6 * (ptrdiff_t)n;
}

static void start(tableau *t)
{
  const ptrdiff_t n = t->n;
  t->basis = t->space->integers, t->lu_pivot = t->basis + n;
  t->Binv = t->space->reals, t->work = t->Binv + n * n;
  t->x = t->work + n * n, t->u = t->x + n, t->lu_work = t->u + n;
  dls_clear(t->Binv, n * n);
  for (ptrdiff_t i = 0; i < n; i++) {
    t->basis[i] = (int)i;
    t->Binv[i * (n + 1)] = 1;
    t->x[i] = t->q[i];
  }
}

dls_lemke_end dls_lemke_run(int n, const double *M, const double *q, const double *cover,
                            int max_pivots, double *z, bool *basic, int *pivots,
                            dls_lemke_space *space)
{
  tableau t = {.n = n, .M = M, .q = q, .d = cover, .space = space};
  *pivots = 0;
  bool negative = false;
  for (int i = 0; i < n; i++) z[i] = 0, basic[i] = false, negative |= q[i] < 0;
  if (!negative) return DLS_LEMKE_SOLVED;
  start(&t);
  int entering = 0;
  const dls_lemke_end end = iterate(&t, max_pivots, z, pivots, &entering);
  if (end == DLS_LEMKE_SOLVED) read_solution(&t, z, basic);
  if (end == DLS_LEMKE_RAY) read_ray(&t, entering, z);
  return end;
}
