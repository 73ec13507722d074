#include "verify/seen_solid.h"

#include "verify/intervals.h"
#include "verify/tolerances.h"

#include <math.h>

// ---- intervals ---------------------------------------------------------------------------------

static dls_interval dot(const dls_interval a[3], const dls_interval b[3])
{
  dls_interval sum = dls_interval_mul(a[0], b[0]);
  for (int i = 1; i < 3; i++) sum = dls_interval_add(sum, dls_interval_mul(a[i], b[i]));
  return sum;
}

static dls_interval scaled(double factor, dls_interval a)
{
  return dls_interval_mul(dls_exactly(factor), a);
}

dls_seen_solid dls_seen_solid_of(const dls_posture *posture, const dls_solid *solid)
{
  dls_seen_solid out = {.solid = solid};
  const dls_jet_frame frame = dls_posture_frame(posture, solid->body, &solid->pose);
  for (int i = 0; i < 3; i++) {
    out.p[i] = dls_interval_of(frame.p.x[i].d[0]);
    for (int k = 0; k < 3; k++) out.R[k][i] = dls_interval_of(frame.R.column[k].x[i].d[0]);
  }
  return out;
}

// ---- how far it reaches ------------------------------------------------------------------------

// All of a vertex list, in the direction d of the solid's own axes.
static dls_interval hull_reach(const dls_solid *s, const dls_interval d[3])
{
  dls_interval most = {-INFINITY, -INFINITY};
  for (ptrdiff_t k = 0; k < s->vertices; k++) {
    dls_interval x[3];
    for (int i = 0; i < 3; i++) x[i] = dls_exactly(s->vertex[3 * k + i]);
    most = dls_interval_max(most, dot(x, d));
  }
  return most;
}

// From the origin of its frame, in its own axes.
static dls_interval own_reach(const dls_solid *s, const dls_interval d[3])
{
  const dls_interval across = dls_interval_length(d[0], d[1]);
  const dls_interval length = dls_interval_length(across, d[2]);
  const dls_interval up = dls_interval_abs(d[2]);
  dls_interval part[3], reach = {0, INFINITY};
  switch (s->kind) {
  case DLS_SOLID_PLANE: break;
  case DLS_SOLID_SPHERE: reach = scaled(s->size[0], length); break;
  case DLS_SOLID_CAPSULE:
    reach = dls_interval_add(scaled(s->size[0], length), scaled(s->size[1] / 2, up));
    break;
  case DLS_SOLID_CYLINDER:
    reach = dls_interval_add(scaled(s->size[0], across), scaled(s->size[1] / 2, up));
    break;
  case DLS_SOLID_ELLIPSOID:
    for (int i = 0; i < 3; i++) part[i] = scaled(s->size[i], d[i]);
    reach = dls_interval_length(dls_interval_length(part[0], part[1]), part[2]);
    break;
  case DLS_SOLID_BOX:
    for (int i = 0; i < 3; i++) part[i] = scaled(s->size[i] / 2, dls_interval_abs(d[i]));
    reach = dls_interval_add(dls_interval_add(part[0], part[1]), part[2]);
    break;
  case DLS_SOLID_HULL: reach = hull_reach(s, d); break;
  }
  return reach;
}

double dls_seen_reach(const dls_seen_solid *s, const dls_interval d[3])
{
  dls_interval own[3];
  for (int k = 0; k < 3; k++) own[k] = dot(s->R[k], d);
  return dls_interval_add(own_reach(s->solid, own), dot(s->p, d)).high;
}

// ---- plain points ------------------------------------------------------------------------------

static double middle(dls_interval a)
{
  return a.low / 2 + a.high / 2;
}

static void to_world(const dls_seen_solid *s, const double own[3], double x[3])
{
  for (int i = 0; i < 3; i++) {
    x[i] = middle(s->p[i]);
    for (int k = 0; k < 3; k++) x[i] += middle(s->R[k][i]) * own[k];
  }
}

static void to_own(const dls_seen_solid *s, const double x[3], double own[3])
{
  for (int k = 0; k < 3; k++) {
    own[k] = 0;
    for (int i = 0; i < 3; i++) own[k] += middle(s->R[k][i]) * (x[i] - middle(s->p[i]));
  }
}

static void furthest_vertex(const dls_solid *s, const double d[3], double x[3])
{
  double most = -INFINITY;
  for (ptrdiff_t k = 0; k < s->vertices; k++) {
    const double *y = s->vertex + 3 * k, far = y[0] * d[0] + y[1] * d[1] + y[2] * d[2];
    if (far > most) most = far, x[0] = y[0], x[1] = y[1], x[2] = y[2];
  }
}

static void furthest_of_ellipsoid(const dls_solid *s, const double d[3], double x[3])
{
  double length = 0;
  for (int i = 0; i < 3; i++) length = hypot(length, s->size[i] * d[i]);
  for (int i = 0; i < 3 && length > 0; i++) x[i] = s->size[i] * s->size[i] * d[i] / length;
}

void dls_seen_furthest(const dls_seen_solid *s, const double d[3], double x[3])
{
  const dls_solid *solid = s->solid;
  const double *size = solid->size;
  double own[3], out[3] = {0};
  for (int k = 0; k < 3; k++)
    own[k] = middle(s->R[k][0]) * d[0] + middle(s->R[k][1]) * d[1] + middle(s->R[k][2]) * d[2];
  const double across = hypot(own[0], own[1]), length = hypot(across, own[2]);
  const bool round = solid->kind == DLS_SOLID_SPHERE || solid->kind == DLS_SOLID_CAPSULE;
  for (int i = 0; i < 3 && round && length > 0; i++) out[i] = size[0] * own[i] / length;
  for (int i = 0; i < 2 && solid->kind == DLS_SOLID_CYLINDER && across > 0; i++)
    out[i] = size[0] * own[i] / across;
  if (solid->kind == DLS_SOLID_CAPSULE || solid->kind == DLS_SOLID_CYLINDER)
    out[2] += copysign(size[1] / 2, own[2]);
  for (int i = 0; i < 3 && solid->kind == DLS_SOLID_BOX; i++)
    out[i] = copysign(size[i] / 2, own[i]);
  if (solid->kind == DLS_SOLID_ELLIPSOID) furthest_of_ellipsoid(solid, own, out);
  if (solid->kind == DLS_SOLID_HULL) furthest_vertex(solid, own, out);
  to_world(s, out, x);
}

// ---- inside ------------------------------------------------------------------------------------

// Above its faces: the largest distance.
static double outside_hull(const dls_solid *s, const double x[3])
{
  double most = 0;
  for (int f = 0; f < s->faces; f++) {
    double n[3] = {0};
    const int count = s->first[f + 1] - s->first[f];
    const int *loop = s->face + s->first[f];
    const double *o = s->vertex + (ptrdiff_t)3 * loop[0];
    // twice the area, by Newell
    for (int k = 0; k < count; k++) {
      const double *a = s->vertex + (ptrdiff_t)3 * loop[k];
      const double *b = s->vertex + (ptrdiff_t)3 * loop[(k + 1) % count];
      for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        n[i] += (a[j] - o[j]) * (b[l] - o[l]) - (a[l] - o[l]) * (b[j] - o[j]);
      }
    }
    const double length = hypot(hypot(n[0], n[1]), n[2]);
    double above = 0;
    for (int i = 0; i < 3; i++) above += n[i] / length * (x[i] - o[i]);
    if (length > 0) most = fmax(most, above);
  }
  return most;
}

double dls_seen_outside(const dls_seen_solid *s, const double at[3])
{
  const dls_solid *solid = s->solid;
  const double *size = solid->size;
  double x[3], scale = 0;
  to_own(s, at, x);
  const double across = hypot(x[0], x[1]), up = fmax(fabs(x[2]) - size[1] / 2, 0);
  switch (solid->kind) {
  case DLS_SOLID_PLANE: return fmax(x[2], 0);
  case DLS_SOLID_SPHERE: return fmax(hypot(across, x[2]) - size[0], 0);
  case DLS_SOLID_CAPSULE: return fmax(hypot(across, up) - size[0], 0);
  case DLS_SOLID_CYLINDER: return fmax(fmax(across - size[0], up), 0);
  case DLS_SOLID_ELLIPSOID:
    for (int i = 0; i < 3; i++) scale = hypot(scale, x[i] / size[i]);
    return fmax(1 - 1 / scale, 0) * hypot(across, x[2]);
  case DLS_SOLID_BOX:
    for (int i = 0; i < 3; i++) scale = fmax(scale, fabs(x[i]) - size[i] / 2);
    return scale;
  case DLS_SOLID_HULL: return outside_hull(solid, x);
  }
  return INFINITY;
}

// ---- size --------------------------------------------------------------------------------------

double dls_seen_ball(const dls_seen_solid *s, double centre[3])
{
  for (int i = 0; i < 3; i++) centre[i] = middle(s->p[i]);
  const dls_solid *solid = s->solid;
  const double *size = solid->size;
  double most = 0;
  switch (solid->kind) {
  case DLS_SOLID_PLANE: return INFINITY;
  case DLS_SOLID_SPHERE: return size[0];
  case DLS_SOLID_CAPSULE: return size[0] + size[1] / 2;
  case DLS_SOLID_CYLINDER: return hypot(size[0], size[1] / 2);
  case DLS_SOLID_ELLIPSOID: return fmax(size[0], fmax(size[1], size[2]));
  case DLS_SOLID_BOX: return hypot(hypot(size[0], size[1]), size[2]) / 2;
  case DLS_SOLID_HULL:
    for (ptrdiff_t k = 0; k < solid->vertices; k++) {
      const double *x = solid->vertex + 3 * k;
      most = fmax(most, hypot(hypot(x[0], x[1]), x[2]));
    }
    return most;
  }
  return INFINITY;
}

double dls_seen_size(const dls_solid *solid)
{
  const dls_seen_solid own = {.solid = solid};
  double unused[3];
  return solid->kind == DLS_SOLID_PLANE ? 0 : dls_seen_ball(&own, unused);
}
