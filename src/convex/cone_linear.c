// The linear cones: rows with s = 0, whose scaling is W = 0, and rows with s >= 0, whose scaling is
// diagonal.  eq (cne.5)
#include "convex/cone_internal.h"

#include "linalg/tolerances.h"

#include <math.h>

// ---- zero --------------------------------------------------------------------------------------

static int zero_degree(const cone_block *c)
{
  (void)c;
  return 0;
}

static void zero_set(const cone_block *c, double *v)
{
  for (int i = c->start; i < c->start + c->size; i++) v[i] = 0;
}

static bool zero_scale(cone_block *c, const double *s, const double *y, double *lambda)
{
  (void)s, (void)y;
  zero_set(c, lambda);
  return true;
}

static void zero_map(const cone_block *c, const double *v, double *out)
{
  (void)v;
  zero_set(c, out);
}

static void zero_product(const cone_block *c, const double *u, const double *v, double *out)
{
  (void)u, (void)v;
  zero_set(c, out);
}

static double zero_step(const cone_block *c, const double *v, const double *d)
{
  (void)c, (void)v, (void)d;
  return dls_longest_step;  // s stays zero, y is free
}

static bool zero_inside(const cone_block *c, const double *v)
{
  (void)c, (void)v;
  return true;
}

static double zero_outside(const cone_block *c, const double *v, bool dual)
{
  double worst = 0;
  for (int i = c->start; i < c->start + c->size && !dual; i++)
    if (!(fabs(v[i]) <= worst)) worst = fabs(v[i]);
  return worst;
}

const cone_type dls_cone_zero = {
    .degree = zero_degree,
    .unit = zero_set,
    .scale = zero_scale,
    .multiply = zero_map,
    .divide = zero_map,
    .square = zero_map,
    .product = zero_product,
    .quotient = zero_product,
    .step = zero_step,
    .inside = zero_inside,
    .outside = zero_outside,
    .project = zero_set,
};

// ---- nonnegative -------------------------------------------------------------------------------

static int nonneg_degree(const cone_block *c)
{
  return c->size;
}

static void nonneg_unit(const cone_block *c, double *e)
{
  for (int i = c->start; i < c->start + c->size; i++) e[i] = 1;
}

static bool nonneg_inside(const cone_block *c, const double *v)
{
  for (int i = c->start; i < c->start + c->size; i++)
    if (!(v[i] > 0)) return false;
  return true;
}

static bool nonneg_scale(cone_block *c, const double *s, const double *y, double *lambda)
{
  if (!nonneg_inside(c, s) || !nonneg_inside(c, y)) return false;
  for (int k = 0, i = c->start; k < c->size; k++, i++) {
    c->w[k] = sqrt(s[i] / y[i]);
    lambda[i] = sqrt(s[i] * y[i]);
  }
  return true;
}

static void nonneg_multiply(const cone_block *c, const double *v, double *out)
{
  for (int k = 0, i = c->start; k < c->size; k++, i++) out[i] = c->w[k] * v[i];
}

static void nonneg_divide(const cone_block *c, const double *v, double *out)
{
  for (int k = 0, i = c->start; k < c->size; k++, i++) out[i] = v[i] / c->w[k];
}

static void nonneg_square(const cone_block *c, const double *v, double *out)
{
  for (int k = 0, i = c->start; k < c->size; k++, i++) out[i] = c->w[k] * c->w[k] * v[i];
}

static void nonneg_product(const cone_block *c, const double *u, const double *v, double *out)
{
  for (int i = c->start; i < c->start + c->size; i++) out[i] = u[i] * v[i];
}

static void nonneg_quotient(const cone_block *c, const double *lambda, const double *v, double *out)
{
  for (int i = c->start; i < c->start + c->size; i++) out[i] = v[i] / lambda[i];
}

static double nonneg_step(const cone_block *c, const double *v, const double *d)
{
  double a = dls_longest_step;
  for (int i = c->start; i < c->start + c->size; i++)
    if (d[i] < 0 && -v[i] / d[i] < a) a = -v[i] / d[i];
  return a;
}

static double nonneg_outside(const cone_block *c, const double *v, bool dual)
{
  (void)dual;
  double worst = 0;
  for (int i = c->start; i < c->start + c->size; i++)
    if (!(-v[i] <= worst)) worst = -v[i];
  return worst;
}

static void nonneg_project(const cone_block *c, double *v)
{
  for (int i = c->start; i < c->start + c->size; i++)
    if (v[i] < 0) v[i] = 0;
}

const cone_type dls_cone_nonneg = {
    .degree = nonneg_degree,
    .unit = nonneg_unit,
    .scale = nonneg_scale,
    .multiply = nonneg_multiply,
    .divide = nonneg_divide,
    .square = nonneg_square,
    .product = nonneg_product,
    .quotient = nonneg_quotient,
    .step = nonneg_step,
    .inside = nonneg_inside,
    .outside = nonneg_outside,
    .project = nonneg_project,
};
