#include "solve/coulomb_gs.h"

#include "solve/one_law.h"
#include "solve/tolerances.h"

#include <math.h>

// The rows of contact j that its law looks at, normal first; returns how many.
static int rows_of(const dls_coulomb_dense *p, int j, ptrdiff_t row[3])
{
  const dls_law law = p->law[j].law;
  int count = 0;
  row[count++] = j;
  if (law == DLS_LAW_EQUATION || law == DLS_LAW_UNILATERAL) return count;
  for (int k = p->first[j]; k < p->first[j + 1]; k++) row[count++] = (ptrdiff_t)p->m + k;
  return count;
}

static double velocity(const dls_coulomb_dense *p, ptrdiff_t i, const double *r)
{
  const ptrdiff_t size = (ptrdiff_t)p->m + p->tangents;
  double sum = p->q[i];
  const double *W = p->W + size * i;  // symmetric: a column is a row, and contiguous
  for (ptrdiff_t j = 0; j < size; j++) sum += W[j] * r[j];
  return sum;
}

static void solve_normal(dls_law law, double W, double q, double *r)
{
  *r = W > 0 ? -q / W : 0;
  if (law == DLS_LAW_UNILATERAL && *r < 0) *r = 0;
}

// Contact j against the forces of all others, exactly; it keeps its force where its law has no
// solution. Returns the largest change.
static double solve_contact(const dls_coulomb_dense *p, int j, double *r)
{
  const ptrdiff_t size = (ptrdiff_t)p->m + p->tangents;
  ptrdiff_t row[3];
  const int d = rows_of(p, j, row);
  double W[9], q[3], force[3], change = 0;
  for (int i = 0; i < d; i++) force[i] = r[row[i]], r[row[i]] = 0;
  for (int i = 0; i < d; i++) {
    q[i] = velocity(p, row[i], r);
    for (int k = 0; k < d; k++) W[i + d * k] = p->W[row[i] + size * row[k]];
  }
  for (int i = 0; i < d; i++) r[row[i]] = force[i];
  if (d == 1) solve_normal(p->law[j].law, W[0], q[0], force);
  else dls_one_law_near(d, &p->law[j], W, q, near_exact, force);
  for (int i = 0; i < d; i++) {
    change = fmax(change, fabs(force[i] - r[row[i]]));
    r[row[i]] = force[i];
  }
  return change;
}

int dls_coulomb_gs(const dls_coulomb_dense *p, double tolerance, int max_sweeps, double *r)
{
  for (int sweeps = 1; sweeps <= max_sweeps; sweeps++) {
    double change = 0, largest = 0;
    for (int j = 0; j < p->m; j++) change = fmax(change, solve_contact(p, j, r));
    for (int i = 0; i < p->m + p->tangents; i++) largest = fmax(largest, fabs(r[i]));
    if (!(change > tolerance * largest)) return sweeps;
  }
  return max_sweeps;
}
