#include "law_oracle.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { ROWS = 24 };

static long double larger(long double a, long double b)
{
  return isnan(a) || isnan(b) ? (long double)NAN : a > b ? a : b;
}

// |r_T| <= most, and where the contact slips r_T = -most u_T / |u_T|: the least of the slip, of
// what the force misses then, and of what the slip misses the direction of the force by.
static long double friction_miss(int tangents, long double most, const long double *f,
                                 const long double *u)
{
  const long double force = tangents == 2 ? hypotl(f[0], f[1]) : fabsl(f[0]);
  const long double slip = tangents == 2 ? hypotl(u[0], u[1]) : fabsl(u[0]);
  long double against = 0, along = fabsl(most - force);
  for (int k = 0; k < tangents && slip > 0; k++) {
    against = larger(against, fabsl(f[k] + most * u[k] / slip));
    along = larger(along, force > 0 ? fabsl(u[k] + slip * f[k] / force) : most);
  }
  against = against < along ? against : along;
  return larger(force - most, slip < against ? slip : against);
}

static long double contact_miss(const dls_incremental *p, int i, const long double *f,
                                const long double *u, long double stiff)
{
  const int tangents = p->dimension - 1, law = p->law ? p->law[i] : DLS_LAW_CONE;
  const bool two_sided = law == DLS_LAW_BILATERAL_CONE || law == DLS_LAW_BILATERAL_SLIDING ||
                         law == DLS_LAW_BILATERAL_BOUNDED || law == DLS_LAW_EQUATION;
  long double miss = fabsl(u[0]);
  if (!two_sided) {
    miss = larger(-u[0], -f[0]);
    miss = larger(miss, f[0] < u[0] ? f[0] : u[0]);
  }
  for (int k = 1; k <= tangents && law == DLS_LAW_EQUATION; k++) miss = larger(miss, fabsl(u[k]));
  for (int k = 1; k <= tangents && law == DLS_LAW_UNILATERAL; k++) miss = larger(miss, fabsl(f[k]));
  if (law == DLS_LAW_SLIDING || law == DLS_LAW_BILATERAL_SLIDING)
    for (int k = 0; k < tangents; k++)
      miss =
          larger(miss, fabsl(f[1 + k] + p->mu[i] * fabsl(f[0]) * p->direction[tangents * i + k]));
  if (law == DLS_LAW_CONE || law == DLS_LAW_BILATERAL_CONE)
    miss = larger(miss, friction_miss(tangents, p->mu[i] * fabsl(f[0]), f + 1, u + 1));
  if (law == DLS_LAW_BOUNDED || law == DLS_LAW_BILATERAL_BOUNDED)
    miss = larger(miss, friction_miss(tangents, stiff * p->bound[i], f + 1, u + 1));
  return miss;
}

double law_miss(const dls_incremental *p, const double *W, const double *r)
{
  const int d = p->dimension, rows = d * p->contacts + p->equations;
  long double worst = 0;
  for (int i = 0; i < p->contacts + p->equations; i++) {
    const int first = i < p->contacts ? d * i : d * p->contacts + i - p->contacts;
    const int count = i < p->contacts ? d : 1;
    long double u[3] = {0}, f[3] = {0}, size = 0, stiff = 0;
    for (int k = 0; k < count; k++) {
      long double sum = p->q[first + k], terms = fabsl(sum);
      for (int j = 0; j < rows; j++) {
        const long double term = (long double)W[first + k + rows * j] * r[j];
        sum += term, terms += fabsl(term);
      }
      u[k] = sum, size = larger(size, terms);
      stiff += fabsl((long double)W[(first + k) * (rows + 1)]) / count;
    }
    for (int k = 0; k < count; k++) f[k] = stiff * r[first + k];
    const long double miss = i < p->contacts ? contact_miss(p, i, f, u, stiff) : fabsl(u[0]);
    worst = larger(worst, miss == 0 ? 0 : miss / size);
  }
  return (double)worst;
}

// ---- all solutions in the plane ----------------------------------------------------------------

// u_N = 0 or r_N = 0;  u_T = 0 or r_T = a r_N + b.
typedef struct mode {
  bool closed, sticks;
  int a, b;  // times mu, times bound
} mode;

static const mode modes[] = {
    {true, true, 0, 0},    {true, false, 0, 0},  {true, false, 1, 0}, {true, false, -1, 0},
    {true, false, 0, 1},   {true, false, 0, -1}, {false, true, 0, 0}, {false, false, 0, 0},
    {false, false, 0, -1}, {false, false, 0, 1},
};
enum { MODES = (int)(sizeof modes / sizeof *modes) };

static bool is_of(int law, const mode *m)
{
  const bool joint = law == DLS_LAW_BILATERAL_BOUNDED, bounded = joint || law == DLS_LAW_BOUNDED;
  if (m->b != 0 || (!m->closed && m->sticks)) return bounded && (m->closed || !joint);
  if (!m->closed) return law != DLS_LAW_EQUATION && !bounded;
  if (m->sticks) return law != DLS_LAW_UNILATERAL;
  return law != DLS_LAW_EQUATION && !bounded;
}

// A x = b with A by rows, ROWS + 1 numbers each; false when singular.
static bool eliminate(int n, long double A[ROWS][ROWS + 1], double *x)
{
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k; i < n; i++)
      if (fabsl(A[i][k]) > fabsl(A[best][k])) best = i;
    if (!(fabsl(A[best][k]) > 1e-12L)) return false;
    for (int c = 0; c <= n; c++) {
      const long double kept = A[k][c];
      A[k][c] = A[best][c], A[best][c] = kept;
    }
    for (int i = 0; i < n; i++) {
      const long double factor = i == k ? 0 : A[i][k] / A[k][k];
      for (int c = k; c <= n && factor != 0; c++) A[i][c] -= factor * A[k][c];
    }
  }
  for (int k = 0; k < n; k++) x[k] = (double)(A[k][n] / A[k][k]);
  return true;
}

static bool solve(const dls_incremental *p, const double *W, const mode *const *of, double *r)
{
  const int rows = 2 * p->contacts + p->equations;
  long double A[ROWS][ROWS + 1] = {{0}};
  for (int j = 0; j < rows; j++) {
    const mode *m = j < 2 * p->contacts ? of[j / 2] : NULL;
    if (!m || (j % 2 == 0 ? m->closed : m->sticks)) {
      for (int c = 0; c < rows; c++) A[j][c] = W[j + rows * c];
      A[j][rows] = -p->q[j];
    } else {
      A[j][j] = 1;
      if (j % 2 == 1) A[j][j - 1] = -m->a * p->mu[j / 2];
      if (j % 2 == 1 && m->b != 0) A[j][rows] = m->b * p->bound[j / 2];
    }
  }
  return eliminate(rows, A, r);
}

int law_enumerate(const dls_incremental *p, const double *W, int most, double *solutions)
{
  const int rows = 2 * p->contacts + p->equations;
  long long cases = 1;
  int found = 0;
  for (int i = 0; i < p->contacts; i++) cases *= MODES;
  for (long long c = 0; c < cases && found < most; c++) {
    const mode *of[ROWS] = {NULL};
    bool all = true;
    long long left = c;
    for (int i = 0; i < p->contacts; i++, left /= MODES) {
      of[i] = &modes[left % MODES];
      all = all && is_of(p->law ? p->law[i] : DLS_LAW_CONE, of[i]);
    }
    double *r = solutions + (ptrdiff_t)rows * found;
    if (all && solve(p, W, of, r) && law_miss(p, W, r) <= 1e-10) found++;
  }
  return found;
}
