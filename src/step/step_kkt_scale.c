// Powers of two for the rows and columns of the KKT system: the diagonal of A becomes about one
// number in each component, and the largest entry of each gradient too, so that neither pivots nor
// what counts as zero depend on the units of coordinates, masses and gaps.
//
//   s_i^2 A_ii ~ a,   s_k max |s_i G_ik| ~ a       a: of the component's first coordinate with a
//   mass
//
// Scaling is exact, and the same in all units: other ones change exponents alone. Where pivots are
// chosen by rows those of constraints come first, each for the coordinate that it holds best, and
// the balance of that coordinate last, for the impulse: motions that hardly have a mass are found
// from constraints alone.
#include "base/memory.h"
#include "linalg/power_of_two.h"
#include "step/mobility.h"
#include "step/step_kkt_internal.h"

#include <math.h>

#define FIRST 1024.0

// Where M is singular a coordinate may be in no unit that its mass, which is nearly zero, gives it:
// the gradients of all constraints would be the same.
static void bound_scales(dls_step_kkt *b)
{
  for (int i = 0; i < b->n; i++) {
    const double A = b->at_A[i] < b->count ? fabs(b->x[b->at_A[i]]) : 0;
    b->mobility[i] = isfinite(1 / A) ? 1 / A : 0;
  }
  dls_mobility_bound(b->point, b->mobility, b->mobility + b->n, b->bounded);
  for (int i = 0; i < b->n; i++)
    if (b->bounded[i]) {
      const int unit = b->component[b->of[i]].exponent;
      b->scale[i] = dls_power_of_two(dls_half_exponent(dls_exponent(b->mobility[i]) + unit));
    }
}

// Rows of A; those without a diagonal stay 0. Sets the components' a.
static bool scale_coordinates(dls_step_kkt *b)
{
  bool all = true;
  for (int c = 0; c < b->components; c++) b->component[c].exponent = INT_MIN;
  for (int i = 0; i < b->n; i++) {
    dls_step_kkt_part *part = &b->component[b->of[i]];
    const double A = b->at_A[i] < b->count ? fabs(b->x[b->at_A[i]]) : 0;
    const bool known = A > 0 && isfinite(A);
    all &= known;
    b->scale[i] = 0;
    if (!known) continue;
    const int exponent = dls_exponent(A);
    if (part->exponent == INT_MIN) part->exponent = exponent;
    b->scale[i] = dls_power_of_two(-dls_half_exponent(exponent - part->exponent));
  }
  if (b->held > 0) bound_scales(b);
  for (int c = 0; c < b->components; c++)
    if (b->component[c].exponent == INT_MIN) b->component[c].exponent = 0;
  return all;
}

// A constraint by its largest entry among the rows that are known; 0: none is.
static void scale_constraint(dls_step_kkt *b, int k)
{
  const dls_pattern *normal = &b->point->system->normal;
  double most = 0;
  for (int e = normal->p[b->contact[k]]; e < normal->p[b->contact[k] + 1]; e++)
    most = fmax(most, fabs(b->point->values->G[e]) * b->scale[normal->i[e]]);
  const int row = b->n + k;
  b->scale[row] = 0;
  if (most > 0 && isfinite(most))
    b->scale[row] = dls_power_of_two(b->component[b->of[row]].exponent - dls_exponent(most));
}

// Coordinates without a mass, by the constraints that hold them.
static void scale_massless(dls_step_kkt *b)
{
  const dls_pattern *normal = &b->point->system->normal;
  for (int k = 0; k < b->held; k++)
    for (int e = normal->p[b->contact[k]]; e < normal->p[b->contact[k] + 1]; e++) {
      const int i = normal->i[e];
      const double by = fabs(b->point->values->G[e]) * b->scale[b->n + k];
      if (b->scale[i] == 0 && by > 0 && isfinite(by))
        b->scale[i] = dls_power_of_two(b->component[b->of[i]].exponent - dls_exponent(by));
    }
}

// The constraint's row first, that of the coordinate which it holds best last.
static void order_rows(dls_step_kkt *b, int k)
{
  const dls_pattern *normal = &b->point->system->normal;
  double most = 0;
  int best = -1;
  for (int e = normal->p[b->contact[k]]; e < normal->p[b->contact[k] + 1]; e++) {
    const int i = normal->i[e];
    const double size = fabs(b->point->values->G[e]) * b->scale[i];
    if (size > most && b->row_scale[i] == b->scale[i]) most = size, best = i;
  }
  if (best < 0 || !dls_step_kkt_on(b, k)) return;
  b->row_scale[b->n + k] *= FIRST;
  b->row_scale[best] /= FIRST;
}

static void find_scales(dls_step_kkt *b)
{
  const bool all = scale_coordinates(b);
  for (int k = 0; k < b->held; k++) scale_constraint(b, k);
  if (!all) {
    scale_massless(b);
    for (int i = 0; i < b->n; i++)
      if (b->scale[i] == 0) b->scale[i] = 1;
    for (int k = 0; k < b->held; k++)
      if (b->scale[b->n + k] == 0) scale_constraint(b, k);
  }
  for (int k = 0; k < b->held; k++)
    if (b->scale[b->n + k] == 0) b->scale[b->n + k] = 1;
  dls_copy(b->row_scale, b->scale, b->size);
  for (int k = 0; k < b->held; k++)
    if (!b->component[b->of[b->n + k]].p) order_rows(b, k);
}

// In b->y: the scales of the component's rows. False: all of them are 1.
static bool gather_scales(dls_step_kkt *b, const dls_step_kkt_part *part)
{
  bool any = false;
  for (int j = 0; j < part->size; j++) {
    b->y[j] = b->scale[b->rows[part->first + j]];
    any |= b->y[j] != 1;
  }
  return any;
}

void dls_step_kkt_equilibrate(dls_step_kkt *b, double regular)
{
  find_scales(b);
  for (int c = 0; c < b->components; c++) {
    const dls_step_kkt_part *part = &b->component[c];
    const int size = part->size;
    double *restrict x = b->x + part->at;
    const double *restrict y = b->y;
    if (size == 1 || (!gather_scales(b, part) && b->held == 0)) continue;
    if (part->p) {
      for (int j = 0; j < size; j++)
        for (int e = part->p[j]; e < part->p[j + 1]; e++) x[e] *= y[j] * y[part->i[e]];
    } else {
      for (int i = 0; i < size; i++) {
        const double by = b->row_scale[b->rows[part->first + i]];
        for (int j = 0; j < size; j++) x[i * size + j] *= by * y[j];
      }
    }
  }
  for (int k = 0; k < b->held; k++) {
    const double a = dls_power_of_two(b->component[b->of[b->n + k]].exponent);
    b->x[b->at_D[k]] += a * (dls_step_kkt_on(b, k) ? regular : 1);
  }
}

// sum x_i^2 / A_ii over the coordinates of a column that have a mass.
static double mobility(const dls_step_kkt *b, const dls_pattern *pattern, const double *value,
                       int c)
{
  double sum = 0;
  for (int e = pattern->p[c]; e < pattern->p[c + 1]; e++) {
    const ptrdiff_t at = b->at_A[pattern->i[e]];
    const double A = at < b->count ? fabs(b->x[at]) : 0;
    if (A > 0) sum += value[e] * value[e] / A;
  }
  return sum;
}

// By the coordinates that the contact moves along its normal, or else by slipping.
static double stiffness(const dls_step_kkt *b, int j)
{
  const dls_system *s = b->point->system;
  double over = mobility(b, &s->normal, b->point->values->G, j);
  for (int k = b->point->first[j]; k < b->point->first[j + 1] && !(over > 0); k++)
    over = mobility(b, &s->tangent, b->point->values->H, k);
  return over > 0 && isfinite(over) ? dls_power_of_two(-dls_exponent(over)) : 1;
}

void dls_step_kkt_stiffen(dls_step_kkt *b)
{
  const dls_pattern *normal = &b->point->system->normal;
  const double *G = b->point->values->G;
  const ptrdiff_t *at = b->at_S;
  for (int k = 0; k < b->stiffened; k++) b->rho[b->stiff[k]] = stiffness(b, b->stiff[k]);
  for (int k = 0; k < b->stiffened; k++) {
    const int j = b->stiff[k];
    for (int e = normal->p[j]; e < normal->p[j + 1]; e++)
      for (int f = normal->p[j]; f < normal->p[j + 1]; f++) b->x[*at++] += G[e] * b->rho[j] * G[f];
  }
}
