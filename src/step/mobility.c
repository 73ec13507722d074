#include "step/mobility.h"

#include "linalg/power_of_two.h"

#include <limits.h>
#include <math.h>

static const double LIGHT = 256;     // by how much a coordinate may be lighter than its neighbours
static const double COUPLED = 0.25;  // M_ij^2 / M_ii M_jj from which on coordinates are

// What contact c lets the mobilities of its coordinates be: those of the others, in its own unit.
static void bound_by(const dls_snapshot *point, int c, const double *mobility, double *most)
{
  const dls_pattern *a = &point->system->normal;
  const double *G = point->values->G;
  double first = 0, second = 0;
  for (int e = a->p[c]; e < a->p[c + 1]; e++) {
    const double part = G[e] * mobility[a->i[e]] * G[e];
    second = fmax(second, fmin(first, part)), first = fmax(first, part);
  }
  for (int e = a->p[c]; e < a->p[c + 1]; e++) {
    const double part = G[e] * mobility[a->i[e]] * G[e];
    const double others = part < first ? first : second;
    double *two = most + (ptrdiff_t)2 * a->i[e], bound = LIGHT * others / (G[e] * G[e]);
    if (!(part > 0)) continue;
    if (!(others > 0)) bound = INFINITY;
    two[1] = fmax(two[1], fmin(two[0], bound)), two[0] = fmax(two[0], bound);
  }
}

// Is M_kk no more than what other coordinates leave of it? It may be where M is singular.
static bool mark_coupled(const dls_snapshot *point, const double *mobility, bool *coupled)
{
  const dls_pattern *a = &point->system->mass;
  bool any = false;
  for (int j = 0; j < a->cols; j++)
    for (int e = a->p[j]; e < a->p[j + 1]; e++) {
      const double x = point->values->M[e], by = mobility[a->i[e]] * mobility[j];
      if (a->i[e] == j || !(COUPLED < x * by * x)) continue;
      any = coupled[j] = coupled[a->i[e]] = true;
    }
  return any;
}

void dls_mobility_bound(const dls_snapshot *point, double *mobility, double *most, bool *bounded)
{
  const dls_system *s = point->system;
  for (int k = 0; k < s->n; k++) {
    most[2 * k] = most[2 * k + 1] = 0;
    bounded[k] = false;
  }
  if (!mark_coupled(point, mobility, bounded)) return;
  for (int j = 0; j < s->m; j++) bound_by(point, j, mobility, most);
  for (int k = 0; k < s->n; k++) {
    const double *two = most + (ptrdiff_t)2 * k;
    bounded[k] = bounded[k] && two[1] > 0 && two[0] < mobility[k];
    if (bounded[k]) mobility[k] = two[0];
  }
}

void dls_mobility_set(const dls_snapshot *point, const int *diagonal, double *mobility,
                      double *most, bool *bounded)
{
  for (int k = 0; k < point->system->n; k++) {
    const double mass = diagonal[k] >= 0 ? point->values->M[diagonal[k]] : 0;
    mobility[k] = mass > 0 ? 1 / mass : 0;
  }
  dls_mobility_bound(point, mobility, most, bounded);
}

// Coordinates of contact j without a mass, by its largest entry among the others.
static void scale_massless(const dls_snapshot *point, int j, const int *local, double *scale)
{
  const dls_pattern *a = &point->system->normal;
  const double *G = point->values->G;
  double most = 0;
  for (int e = a->p[j]; e < a->p[j + 1]; e++) most = fmax(most, fabs(G[e]) * scale[local[a->i[e]]]);
  for (int e = a->p[j]; e < a->p[j + 1]; e++) {
    double *own = &scale[local[a->i[e]]];
    if (*own == 0 && G[e] != 0 && most > 0)
      *own = dls_power_of_two(dls_exponent(most) - dls_exponent(G[e]));
  }
}

int dls_mobility_scales(const dls_snapshot *point, const double *mobility, int count,
                        const int *coordinate, int contacts, const int *contact, const int *local,
                        double *scale)
{
  int unit = INT_MIN;
  for (int k = 0; k < count; k++) {
    const double own = mobility[coordinate[k]];
    scale[k] = 0;
    if (!(own > 0)) continue;
    if (unit == INT_MIN) unit = dls_exponent(own);
    scale[k] = dls_power_of_two(dls_half_exponent(dls_exponent(own) - unit));
  }
  for (int c = 0; c < contacts; c++) scale_massless(point, contact[c], local, scale);
  for (int k = 0; k < count; k++)
    if (scale[k] == 0) scale[k] = 1;
  return unit == INT_MIN ? 0 : unit;
}
