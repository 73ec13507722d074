// Units of rows and columns, and W, from the numbers at the point.
#include "base/memory.h"
#include "step/mobility.h"
#include "step/stage_internal.h"

#include <math.h>
#include <string.h>

static double power_of_two(double x)
{
  int exponent;
  if (!(x > 0) || !isfinite(x)) return 1;
  frexp(x, &exponent);
  return ldexp(1, exponent);
}

// G^T diag(M)^-1 G of a column, in the unit of mass: 1 where there is none. Powers of two in the
// place of M would jump on the way, and margins of forces with them.
static double column_size(const dls_stage_matrix *w, const dls_pattern *a, const double *x, int c)
{
  double sum = 0;
  for (int e = a->p[c]; e < a->p[c + 1]; e++) sum += x[e] * w->mobility[a->i[e]] * x[e];
  return sum > 0 ? sum * w->mass : 1;
}

static double diagonal_mass(const dls_stage_matrix *w, int k)
{
  const dls_pattern *a = &w->point->system->mass;
  for (int e = a->p[k]; e < a->p[k + 1]; e++)
    if (a->i[e] == k) return w->point->values->M[e];
  return 0;
}

// The first entry of a contact's columns, times D, at a coordinate with mass (massive), or of
// coordinate k; 0 when there is none.
static double first_entry(const dls_stage_matrix *w, bool massive, int k)
{
  const dls_system *s = w->point->system;
  for (int side = 0; side < 2; side++) {
    const dls_pattern *a = side ? &s->tangent : &s->normal;
    const double *x = side ? w->point->values->H : w->point->values->G;
    for (int e = 0; e < a->p[a->cols]; e++) {
      const int i = a->i[e];
      if (x[e] != 0 && (massive ? diagonal_mass(w, i) > 0 : i == k)) return fabs(x[e]) * w->D[i];
    }
  }
  return 0;
}

// A coordinate without mass: so that it does to a contact what the others do.
static void scale_massless(dls_stage_matrix *w, int k)
{
  const double entry = first_entry(w, false, k), other = first_entry(w, true, 0);
  if (entry > 0 && other > 0) w->D[k] = power_of_two(other / entry);
}

static void set_mobilities(dls_stage_matrix *w)
{
  const int n = w->point->system->n;
  for (int k = 0; k < n; k++) {
    const double mass = diagonal_mass(w, k);
    w->mobility[k] = mass > 0 ? 1 / mass : w->D[k] * w->D[k] / w->mass;
  }
  dls_mobility_bound(w->point, w->mobility, w->most, w->bounded);
  for (int k = 0; k < n; k++)
    if (w->bounded[k]) w->D[k] = power_of_two(sqrt(w->mobility[k] * w->mass));
}

// Are M, G and H those of the last time? Notes them.
static bool same_as_before(dls_stage_matrix *w)
{
  const dls_system *s = w->point->system;
  const dls_values *x = w->point->values;
  const struct {
    const double *of;
    ptrdiff_t count;
  } parts[] = {
      {x->M, s->mass.p[s->n]}, {x->G, s->normal.p[s->m]}, {x->H, s->tangent.p[s->tangents]}};
  bool same = w->known;
  double *last = w->scaled;
  for (int k = 0; k < 3; last += parts[k++].count) {
    same = same && memcmp(last, parts[k].of, dls_bytes(parts[k].count, sizeof *last)) == 0;
    if (!same) dls_copy(last, parts[k].of, parts[k].count);
  }
  w->known = true;
  return same;
}

// Scales that follow the units: masses are compared with the first one, so that their ratios, which
// have squares of lengths as units, have roots that follow exactly where these are powers of two.
void dls_stage_matrix_begin(dls_stage_matrix *w)
{
  const dls_system *s = w->point->system;
  const dls_values *x = w->point->values;
  double first = 0;
  if (same_as_before(w)) return;
  for (int k = 0; k < s->n && !(first > 0); k++) first = diagonal_mass(w, k);
  w->mass = power_of_two(first);
  for (int k = 0; k < s->n; k++) {
    const double mass = diagonal_mass(w, k);
    w->D[k] = mass > 0 ? power_of_two(sqrt(first / mass)) : 1;
  }
  for (int k = 0; k < s->n && first > 0; k++)
    if (!(diagonal_mass(w, k) > 0)) scale_massless(w, k);
  set_mobilities(w);
  for (int j = 0; j < s->m + s->tangents; j++) {
    const bool normal = j < s->m;
    const double size = column_size(w, normal ? &s->normal : &s->tangent, normal ? x->G : x->H,
                                    normal ? j : j - s->m);
    w->W[j] = size / w->mass;
    w->D[s->n + j] = power_of_two(1 / sqrt(size));
  }
}
