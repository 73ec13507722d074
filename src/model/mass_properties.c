// Volume integrals of solids.                                                        eq (sol.1)
#include "model/mass_properties.h"
#include "model/placement.h"

static const double pi = 3.14159265358979323846;

static void set_axial(dls_mass_properties *p, double across, double along)
{
  p->inertia[0] = p->inertia[1] = across;
  p->inertia[2] = along;
}

static dls_mass_properties of_capsule(double r, double l)
{
  dls_mass_properties p = {.volume = pi * r * r * l + 4.0 / 3 * pi * r * r * r};
  const double tube = pi * r * r * l, caps = 4.0 / 3 * pi * r * r * r;
  set_axial(
      &p, tube * (l * l / 12 + r * r / 4) + caps * (2.0 / 5 * r * r + l * l / 4 + 3.0 / 8 * l * r),
      tube * r * r / 2 + caps * 2.0 / 5 * r * r);
  return p;
}

// Tetrahedra from a corner of the polyhedron to the triangles of its faces.
typedef struct integrals {
  double volume, first[3], second[6];
} integrals;

static void add_tetrahedron(integrals *sum, const double *a, const double *b, const double *c)
{
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double n[3], s[3];
  dls_cross(b, c, n);
  const double determinant = dls_dot3(a, n);
  for (int k = 0; k < 3; k++) s[k] = a[k] + b[k] + c[k];
  sum->volume += determinant / 6;
  for (int k = 0; k < 3; k++) sum->first[k] += determinant / 24 * s[k];
  for (int k = 0; k < 6; k++) {
    const int i = row[k], j = column[k];
    sum->second[k] += determinant / 120 * (s[i] * s[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
  }
}

// From second moments about the origin to the inertia about the centre.
static dls_mass_properties of_integrals(const integrals *s, const double *origin)
{
  dls_mass_properties p = {.volume = s->volume};
  const double *m = s->second, v = s->volume;
  if (!(v > 0)) return (dls_mass_properties){0};
  double c[3];
  for (int k = 0; k < 3; k++) c[k] = s->first[k] / v, p.centre[k] = origin[k] + c[k];
  const double xx = m[0] - v * c[0] * c[0], yy = m[1] - v * c[1] * c[1],
               zz = m[2] - v * c[2] * c[2];
  p.inertia[0] = yy + zz, p.inertia[1] = xx + zz, p.inertia[2] = xx + yy;
  p.inertia[3] = -(m[3] - v * c[0] * c[1]);
  p.inertia[4] = -(m[4] - v * c[0] * c[2]);
  p.inertia[5] = -(m[5] - v * c[1] * c[2]);
  return p;
}

static dls_mass_properties of_hull(const dls_solid *h)
{
  integrals sum = {0};
  const double *o = h->vertex;
  for (int f = 0; f < h->faces; f++) {
    const int *corner = h->face + h->first[f], corners = h->first[f + 1] - h->first[f];
    for (int k = 1; k + 1 < corners; k++) {
      const double *at[3] = {h->vertex + 3 * (ptrdiff_t)corner[0],
                             h->vertex + 3 * (ptrdiff_t)corner[k],
                             h->vertex + 3 * (ptrdiff_t)corner[k + 1]};
      double d[3][3];
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) d[i][j] = at[i][j] - o[j];
      add_tetrahedron(&sum, d[0], d[1], d[2]);
    }
  }
  return of_integrals(&sum, o);
}

// In the frame of the solid.
static dls_mass_properties own_properties(const dls_solid *solid)
{
  const double a = solid->size[0], b = solid->size[1], c = solid->size[2];
  dls_mass_properties p = {0};
  switch (solid->kind) {
  case DLS_SOLID_SPHERE:
    p.volume = 4.0 / 3 * pi * a * a * a;
    set_axial(&p, p.volume * 2 / 5 * a * a, p.volume * 2 / 5 * a * a);
    return p;
  case DLS_SOLID_CAPSULE: return of_capsule(a, b);
  case DLS_SOLID_CYLINDER:
    p.volume = pi * a * a * b;
    set_axial(&p, p.volume * (b * b / 12 + a * a / 4), p.volume * a * a / 2);
    return p;
  case DLS_SOLID_ELLIPSOID:
  case DLS_SOLID_BOX: {
    const bool box = solid->kind == DLS_SOLID_BOX;
    const double f = box ? 1.0 / 12 : 1.0 / 5;
    p.volume = (box ? 1 : 4.0 / 3 * pi) * a * b * c;
    p.inertia[0] = p.volume * f * (b * b + c * c);
    p.inertia[1] = p.volume * f * (a * a + c * c);
    p.inertia[2] = p.volume * f * (a * a + b * b);
    return p;
  }
  case DLS_SOLID_HULL: return of_hull(solid);
  case DLS_SOLID_PLANE: break;
  }
  return p;
}

// R I R^T
static void turn_inertia(const double q[4], double inertia[6])
{
  const double I[9] = {inertia[0], inertia[3], inertia[4], inertia[3], inertia[1],
                       inertia[5], inertia[4], inertia[5], inertia[2]};
  double half[9], whole[9];
  for (int k = 0; k < 3; k++) dls_quaternion_turn(q, I + (ptrdiff_t)3 * k, half + (ptrdiff_t)3 * k);
  for (int k = 0; k < 3; k++) {
    const double column[3] = {half[k], half[3 + k], half[6 + k]};
    dls_quaternion_turn(q, column, whole + (ptrdiff_t)3 * k);
  }
  inertia[0] = whole[0], inertia[1] = whole[4], inertia[2] = whole[8];
  inertia[3] = whole[1], inertia[4] = whole[2], inertia[5] = whole[5];
}

dls_mass_properties dls_solid_properties(const dls_solid *solid)
{
  dls_mass_properties p = own_properties(solid);
  double c[3];
  dls_quaternion_turn(solid->pose.quaternion, p.centre, c);
  for (int k = 0; k < 3; k++) p.centre[k] = c[k] + solid->pose.position[k];
  turn_inertia(solid->pose.quaternion, p.inertia);
  return p;
}

static void add_moved(dls_mass_properties *sum, const dls_mass_properties *p)
{
  double d[3];
  for (int k = 0; k < 3; k++) d[k] = p->centre[k] - sum->centre[k];
  const double square = dls_dot3(d, d), v = p->volume;
  for (int k = 0; k < 3; k++) sum->inertia[k] += p->inertia[k] + v * (square - d[k] * d[k]);
  sum->inertia[3] += p->inertia[3] - v * d[0] * d[1];
  sum->inertia[4] += p->inertia[4] - v * d[0] * d[2];
  sum->inertia[5] += p->inertia[5] - v * d[1] * d[2];
}

dls_mass_properties dls_properties_sum(const dls_mass_properties *a, const dls_mass_properties *b)
{
  dls_mass_properties sum = {.volume = a->volume + b->volume};
  if (!(a->volume > 0)) return *b;
  if (!(b->volume > 0)) return *a;
  for (int k = 0; k < 3; k++)
    sum.centre[k] = (a->volume * a->centre[k] + b->volume * b->centre[k]) / sum.volume;
  add_moved(&sum, a);
  add_moved(&sum, b);
  return sum;
}
