#include "step/mobility.h"

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
