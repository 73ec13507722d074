// How far solids reach in a direction, and a direction that keeps two of them apart best.
#ifndef DLS_SHAPE_SUPPORT_H
#define DLS_SHAPE_SUPPORT_H

#include "shape/form.h"

// A solid where it is. Spheres and capsules are a point and a segment with a radius around.
typedef struct dls_posed {
  const dls_form *form;
  dls_solid_motion at;  // pose only
  double radius;
  int vertex;  // of a polyhedron: the last one found, where the next search begins
} dls_posed;

dls_posed dls_posed_of(const dls_form *form, const dls_solid_motion *motion,
                       const double origin[3]);

// R^T x
void dls_posed_back(const dls_posed *solid, const double x[3], double local[3]);
// The point of the solid without its radius that lies farthest along m. Not of planes.
void dls_posed_far(dls_posed *solid, const double m[3], double x[3]);
// Its size: radius of the ball around it.
double dls_posed_size(const dls_posed *solid);
// The vertex of a polyhedron that lies farthest along m in its frame, from `vertex` uphill.
int dls_mesh_far(const dls_convex_mesh *mesh, int vertex, const double m[3]);

// The unit vector n, from B to A, for which g(n) of eq (gap.1) is largest, nearly: exactly that of
// touching faces where these decide. *gap: g(n). False: they are further apart than reach. *alike:
// another direction, far from n, is as good.
bool dls_separate(dls_posed *a, dls_posed *b, double reach, double n[3], double *gap, bool *alike);

#endif
