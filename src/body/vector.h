// Vectors and matrices in space, over the numbers of linalg/number.h.
#ifndef DLS_BODY_VECTOR_H
#define DLS_BODY_VECTOR_H

#include "linalg/number.h"

typedef struct vec {
  num x, y, z;
} vec;

typedef struct mat {
  vec x, y, z;  // columns
} mat;

typedef struct sym {
  num xx, yy, zz, xy, xz, yz;
} sym;

static inline vec vector(const double a[3])
{
  return (vec){exact(a[0]), exact(a[1]), exact(a[2])};
}

static inline vec add(vec a, vec b)
{
  return (vec){plus(a.x, b.x), plus(a.y, b.y), plus(a.z, b.z)};
}

static inline vec sub(vec a, vec b)
{
  return (vec){minus(a.x, b.x), minus(a.y, b.y), minus(a.z, b.z)};
}

static inline vec scale(num k, vec a)
{
  return (vec){times(k, a.x), times(k, a.y), times(k, a.z)};
}

static inline vec add_scaled(vec a, num k, vec b)
{
  return add(a, scale(k, b));
}

static inline num dot(vec a, vec b)
{
  return plus(plus(times(a.x, b.x), times(a.y, b.y)), times(a.z, b.z));
}

static inline vec cross(vec a, vec b)
{
  return (vec){minus(times(a.y, b.z), times(a.z, b.y)), minus(times(a.z, b.x), times(a.x, b.z)),
               minus(times(a.x, b.y), times(a.y, b.x))};
}

static inline vec rotate(const mat *R, vec a)
{
  return add(add(scale(a.x, R->x), scale(a.y, R->y)), scale(a.z, R->z));
}

static inline vec rotate_back(const mat *R, vec a)
{
  return (vec){dot(R->x, a), dot(R->y, a), dot(R->z, a)};
}

static inline mat product(const mat *A, const mat *B)
{
  return (mat){rotate(A, B->x), rotate(A, B->y), rotate(A, B->z)};
}

static inline mat identity(void)
{
  const num o = exact(0), i = exact(1);
  return (mat){{i, o, o}, {o, i, o}, {o, o, i}};
}

static inline vec sym_times(const sym *I, vec a)
{
  return (vec){plus(plus(times(I->xx, a.x), times(I->xy, a.y)), times(I->xz, a.z)),
               plus(plus(times(I->xy, a.x), times(I->yy, a.y)), times(I->yz, a.z)),
               plus(plus(times(I->xz, a.x), times(I->yz, a.y)), times(I->zz, a.z))};
}

static inline sym sym_add(const sym *a, const sym *b)
{
  return (sym){plus(a->xx, b->xx), plus(a->yy, b->yy), plus(a->zz, b->zz),
               plus(a->xy, b->xy), plus(a->xz, b->xz), plus(a->yz, b->yz)};
}

// R I R^T
static inline sym turned(const mat *R, const sym *I)
{
  const vec x = {I->xx, I->xy, I->xz}, y = {I->xy, I->yy, I->yz}, z = {I->xz, I->yz, I->zz};
  const mat A = {rotate(R, x), rotate(R, y), rotate(R, z)};  // R I
  const vec X = {A.x.x, A.y.x, A.z.x}, Y = {A.x.y, A.y.y, A.z.y}, Z = {A.x.z, A.y.z, A.z.z};
  const vec rx = {R->x.x, R->y.x, R->z.x}, ry = {R->x.y, R->y.y, R->z.y},
            rz = {R->x.z, R->y.z, R->z.z};
  return (sym){dot(X, rx), dot(Y, ry), dot(Z, rz), dot(X, ry), dot(X, rz), dot(Y, rz)};
}

// a b^T + b^T a 1 taken so that x -> (a.b) x - (b.x) a, made symmetric: the inertia that a point at
// d adds to one with first moment h:  (h.d + d.h) 1 - h d^T - d h^T
static inline sym moment(vec h, vec d)
{
  const num x = times(h.x, d.x), y = times(h.y, d.y), z = times(h.z, d.z);
  const num two = exact(2), none = exact(0);
  return (sym){times(two, plus(y, z)),
               times(two, plus(x, z)),
               times(two, plus(x, y)),
               minus(none, plus(times(h.x, d.y), times(h.y, d.x))),
               minus(none, plus(times(h.x, d.z), times(h.z, d.x))),
               minus(none, plus(times(h.y, d.z), times(h.z, d.y)))};
}

// R of the quaternion, of any length but 0. Of one of length 1, to rounding, it is better than a
// unit in the last place what the quaternion means.
static inline mat rotation(const double q[4])
{
  const num w = exact(q[0]), x = exact(q[1]), y = exact(q[2]), z = exact(q[3]);
  const num square = plus(plus(times(w, w), times(x, x)), plus(times(y, y), times(z, z)));
  const num two = over(exact(2), square), one = exact(1);
  const num xx = times(x, x), yy = times(y, y), zz = times(z, z), xy = times(x, y),
            xz = times(x, z), yz = times(y, z), wx = times(w, x), wy = times(w, y),
            wz = times(w, z);
  return (mat){
      {minus(one, times(two, plus(yy, zz))), times(two, plus(xy, wz)), times(two, minus(xz, wy))},
      {times(two, minus(xy, wz)), minus(one, times(two, plus(xx, zz))), times(two, plus(yz, wx))},
      {times(two, plus(xz, wy)), times(two, minus(yz, wx)), minus(one, times(two, plus(xx, yy)))}};
}

#endif
