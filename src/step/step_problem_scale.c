// The contact problem in units of its own: what solvers and tolerances see does not change with the
// units of mass, length and time.
//
//   u^ = u / (s_i V),  r^ = k s_i r / V,  W^_ij = W_ij / (k s_i s_j)                   eq (int.4)
//
// k, s_i and V are powers of two with k s_i^2 ~ the mean diagonal of W_ii and V ~ the largest
// q_i / s_i: exact, and one factor for all rows of a contact, so that its cone stays what it is.
#include "linalg/power_of_two.h"
#include "contact/incremental.h"
#include "step/step_problem.h"
#include "step/tolerances.h"

#include <math.h>

// The mean diagonal of W_ii over the rows of the law.
static double mean_diagonal(const dls_step_problem *c, int i)
{
  const int d = dls_step_problem_looks_at(c, i);
  const int place = c->place[i];
  int own = 0;
  while (c->neighbour[c->neighbour_first[place] + own] != place) own++;
  double sum = 0;
  for (int k = 0; k < d; k++) sum += dls_step_problem_block(c, place, own, k)[k];
  return sum / d;
}

// Contacts that hardly give way, by rounding or not at all, have the scale of the others.
static void find_scales(dls_step_problem *c)
{
  double most = 0;
  for (int k = 0; k < c->members; k++) {
    const int i = c->member[k];
    c->scale[i] = 1;
    if (!c->active[i]) continue;
    const double W = mean_diagonal(c, i);
    if (W > most && isfinite(W)) most = W;
  }
  c->unit = 1;
  if (!(most > 0)) return;
  const int exponent = dls_exponent(most);
  c->unit = dls_power_of_two(exponent);
  for (int k = 0; k < c->members; k++) {
    const int i = c->member[k];
    if (!c->active[i]) continue;
    const double W = mean_diagonal(c, i);
    if (!(W > block_rounding * most && isfinite(W))) continue;
    c->scale[i] = dls_power_of_two(dls_half_exponent(dls_exponent(W) - exponent));
  }
}

void dls_step_problem_rescale(dls_step_problem *c)
{
  const dls_pattern *W = &c->problem.W.pattern;
  const int d = c->dimension;
  find_scales(c);
  const double over = 1 / c->unit;
  for (int col = 0; col < d * c->members; col++) {
    const int j = c->member[col / d];
    if (!c->active[j] || col % d >= dls_step_problem_rows(c, j)) continue;  // unit columns
    const double by = over / c->scale[j];
    for (int e = W->p[col]; e < W->p[col + 1]; e++) {
      const int other = c->member[W->i[e] / d];
      if (c->active[other]) c->W[e] *= by / c->scale[other];
    }
  }
}

void dls_step_problem_original(dls_step_problem *c)
{
  const dls_pattern *W = &c->problem.W.pattern;
  const int d = c->dimension;
  for (int col = 0; col < d * c->members && c->filled; col++)
    for (int e = W->p[col]; e < W->p[col + 1]; e++) {
      const int i = c->member[col / d], other = c->member[W->i[e] / d];
      if (c->active[i] && c->active[other] && col % d < dls_step_problem_rows(c, i))
        c->W[e] *= c->unit * c->scale[i] * c->scale[other];
    }
  dls_step_problem_gather_set(c);
  c->filled = false;
}

void dls_step_problem_enter_units(dls_step_problem *c)
{
  const int d = c->dimension;
  double most = 0;
  for (int l = 0; l < c->members; l++) {
    const int i = c->member[l];
    for (int k = 0; k < dls_step_problem_looks_at(c, i) && c->active[i]; k++)
      most = fmax(most, fabs(c->q[i * d + k]) / c->scale[i]);
  }
  c->speed = most > 0 && isfinite(most) ? dls_power_of_two(dls_exponent(most)) : 1;
  for (int l = 0; l < c->members; l++) {
    const int i = c->member[l];
    if (!c->active[i]) continue;
    const double velocity = 1 / (c->scale[i] * c->speed),
                 impulse = c->unit * c->scale[i] / c->speed;
    for (int k = 0; k < d; k++) c->q[i * d + k] *= velocity, c->r[i * d + k] *= impulse;
  }
}

void dls_step_problem_leave_units(dls_step_problem *c)
{
  const int d = c->dimension;
  for (int l = 0; l < c->members; l++) {
    const int i = c->member[l];
    if (!c->active[i]) continue;
    const double velocity = c->scale[i] * c->speed, impulse = c->speed / (c->unit * c->scale[i]);
    for (int k = 0; k < d; k++)
      c->q[i * d + k] *= velocity, c->u[i * d + k] *= velocity, c->r[i * d + k] *= impulse;
  }
}

double dls_step_problem_residual(const dls_step_problem *c, const double *u, const double *speed,
                                 int *worst)
{
  const int d = c->dimension;
  double sum = 0, size = 0, most = -1;
  for (int l = 0; l < c->members; l++) {
    const int i = c->member[l], rows = dls_step_problem_rows(c, i);
    if (!c->active[i]) continue;
    dls_one_law law = dls_step_problem_law(c, i);
    double r_own[3] = {0}, u_own[3] = {0};
    const double velocity = 1 / c->scale[i], impulse = c->unit * c->scale[i];
    law.bound *= impulse;
    for (int k = 0; k < rows; k++) {
      const int row = i * d + k;
      r_own[k] = c->r[row] * impulse, u_own[k] = u[row] * velocity;
      if (k > 0 && dls_law_slides(law.law)) continue;
      const double q = fabs(c->q[row]) * velocity, v = speed ? speed[row] * velocity : 0;
      size += q * q + v * v;
    }
    double square = dls_law_square(d, &law, 1, r_own, u_own);
    // r may be so large that r - u says nothing of u
    if (u_own[0] < 0 || dls_law_is_bilateral(law.law)) square = fmax(square, u_own[0] * u_own[0]);
    sum += square;
    if (worst && !(square <= most)) most = square, *worst = c->contact[i];
  }
  return sum == 0 ? 0 : sqrt(sum / size);
}

bool dls_step_problem_inside(const dls_step_problem *c, int i, double normal, double force,
                             double slip)
{
  const double most = dls_step_problem_limit(c, i, normal),
               mobility = c->unit * c->scale[i] * c->scale[i];
  return force < (1 - inside_cone) * most && mobility * (most - force) > slip;
}
