// Powers of two for the rows and columns of the balance: the diagonal of A becomes about one
// number in each component, and the largest entry of each gradient too, so that neither pivots nor
// what counts as zero depend on the units of coordinates, masses and gaps.
//
//   s_i^2 A_ii ~ a,   s_k max |s_i G_ik| ~ a       a: of the component's first coordinate with a
//   mass
//
// Scaling is exact, and the same in all units: other ones change exponents alone.
#include "step/balance_internal.h"

#include <math.h>

// Half of an exponent, downwards: even changes of it stay exact.
static int half(int exponent)
{
  return (exponent - (exponent & 1)) / 2;
}

// Rows of A; those without a diagonal stay 0. Sets the components' a.
static bool scale_coordinates(dls_balance *b)
{
  bool all = true;
  for (int c = 0; c < b->components; c++) b->component[c].exponent = INT_MIN;
  for (int i = 0; i < b->n; i++) {
    dls_balance_part *part = &b->component[b->of[i]];
    const double A = b->at_A[i] < b->count ? fabs(b->x[b->at_A[i]]) : 0;
    const bool known = A > 0 && isfinite(A);
    all &= known;
    b->scale[i] = 0;
    if (!known) continue;
    const int exponent = ilogb(A);
    if (part->exponent == INT_MIN) part->exponent = exponent;
    b->scale[i] = ldexp(1, -half(exponent - part->exponent));
  }
  for (int c = 0; c < b->components; c++)
    if (b->component[c].exponent == INT_MIN) b->component[c].exponent = 0;
  return all;
}

// A constraint by its largest entry among the rows that are known; 0: none is.
static void scale_constraint(dls_balance *b, int k)
{
  const dls_pattern *normal = &b->point->system->normal;
  double most = 0;
  for (int e = normal->p[b->contact[k]]; e < normal->p[b->contact[k] + 1]; e++)
    most = fmax(most, fabs(b->point->values->G[e]) * b->scale[normal->i[e]]);
  const int row = b->n + k;
  b->scale[row] = 0;
  if (most > 0 && isfinite(most))
    b->scale[row] = ldexp(1, b->component[b->of[row]].exponent - ilogb(most));
}

// Coordinates without a mass, by the constraints that hold them.
static void scale_massless(dls_balance *b)
{
  const dls_pattern *normal = &b->point->system->normal;
  for (int k = 0; k < b->held; k++)
    for (int e = normal->p[b->contact[k]]; e < normal->p[b->contact[k] + 1]; e++) {
      const int i = normal->i[e];
      const double by = fabs(b->point->values->G[e]) * b->scale[b->n + k];
      if (b->scale[i] == 0 && by > 0 && isfinite(by))
        b->scale[i] = ldexp(1, b->component[b->of[i]].exponent - ilogb(by));
    }
}

static void find_scales(dls_balance *b)
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
}

void dls_balance_equilibrate(dls_balance *b, double regular)
{
  find_scales(b);
  for (int c = 0; c < b->components; c++) {
    const dls_balance_part *part = &b->component[c];
    const int *rows = b->rows + part->first, size = part->size;
    double *x = b->x + part->at;
    for (int j = 0; j < size; j++) b->y[j] = b->scale[rows[j]];
    if (part->p) {
      for (int j = 0; j < size; j++)
        for (int e = part->p[j]; e < part->p[j + 1]; e++) x[e] *= b->y[j] * b->y[part->i[e]];
    } else {
      for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) x[i * size + j] *= b->y[i] * b->y[j];
    }
  }
  for (int k = 0; k < b->held; k++) {
    const double a = ldexp(1, b->component[b->of[b->n + k]].exponent);
    b->x[b->at_D[k]] += a * (!b->on || b->on[b->contact[k]] ? regular : 1);
  }
}
