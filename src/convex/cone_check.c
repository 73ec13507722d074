// What a point is worth, from the data as given and apart from the iteration. Nothing is claimed
// that has not passed here.
#include "convex/cone_internal.h"

#include "base/memory.h"
#include "convex/tolerances.h"
#include <math.h>

static double ratio(long double part, long double whole)
{
  return part == 0 ? 0 : (double)(part / whole);
}

static double capped(double x, double most)
{
  return x > most ? most : x;
}

// NaN comes and stays.
static void raise_to(double *worst, double x)
{
  if (!isnan(*worst) && !(x <= *worst)) *worst = x;
}

// The largest |v_k| / scale_k or |v_k| scale_k.
static double size_of(int n, const double *v, const double *scale, bool divide)
{
  double worst = 0;
  for (int k = 0; k < n; k++) raise_to(&worst, fabs(divide ? v[k] / scale[k] : v[k] * scale[k]));
  return worst;
}

// sum_x = P x, terms_x the sum of the absolute values of its terms
static void multiply_P(dls_cone *c, const double *x)
{
  const dls_sparse *P = c->P;
  for (int j = 0; j < c->n; j++) c->sum_x[j] = c->terms_x[j] = 0;
  for (int j = 0; j < c->n; j++)
    for (int e = P->p[j]; e < P->p[j + 1]; e++) {
      int i = P->i[e];
      long double up = (long double)P->x[e] * x[j], down = (long double)P->x[e] * x[i];
      c->sum_x[i] += up;
      c->terms_x[i] += fabsl(up);
      if (i == j) continue;
      c->sum_x[j] += down;
      c->terms_x[j] += fabsl(down);
    }
}

// sum_x += A^T y
static void add_transposed(dls_cone *c, const double *y)
{
  for (int j = 0; j < c->n; j++)
    for (int e = c->A->p[j]; e < c->A->p[j + 1]; e++) {
      long double term = (long double)c->A->x[e] * y[c->A->i[e]];
      c->sum_x[j] += term;
      c->terms_x[j] += fabsl(term);
    }
}

// sum_y = A x
static void multiply_A(dls_cone *c, const double *x)
{
  for (int i = 0; i < c->m; i++) c->sum_y[i] = c->terms_y[i] = 0;
  for (int j = 0; j < c->n; j++)
    for (int e = c->A->p[j]; e < c->A->p[j + 1]; e++) {
      long double term = (long double)c->A->x[e] * x[j];
      c->sum_y[c->A->i[e]] += term;
      c->terms_y[c->A->i[e]] += fabsl(term);
    }
}

// ---- points ------------------------------------------------------------------------------------

static double primal(dls_cone *c, const cone_sizes *z, const double *x, const double *s)
{
  double worst = 0, floor = capped(size_of(c->n, x, c->D, true), counted_sizes * z->natural_x) +
                            share_of_size * z->primal;
  multiply_A(c, x);
  for (int i = 0; i < c->m; i++) {
    long double r = c->sum_y[i] + s[i] - c->b[i];
    double terms = capped((double)c->terms_y[i] * c->E[i], counted_sizes * z->natural_x);
    raise_to(&worst, ratio(fabsl(r) * c->E[i], fabs(c->b[i]) * c->E[i] + terms + floor));
  }
  return worst;
}

static double dual(dls_cone *c, const cone_sizes *z, const double *x, const double *y)
{
  double worst = 0, floor = capped(size_of(c->m, y, c->E, true), counted_sizes * z->natural_y) +
                            share_of_size * z->dual;
  multiply_P(c, x);
  add_transposed(c, y);
  for (int j = 0; j < c->n; j++) {
    long double g = c->sum_x[j] + c->q[j];
    double terms = capped((double)c->terms_x[j] * c->D[j], counted_sizes * z->natural_y);
    raise_to(&worst, ratio(fabsl(g) * c->D[j], fabs(c->q[j]) * c->D[j] + terms + floor));
  }
  return worst;
}

static double gap(dls_cone *c, const cone_sizes *z, const double *x, const double *y)
{
  long double curve = 0, linear = 0, support = 0, terms = 0;
  multiply_P(c, x);
  for (int j = 0; j < c->n; j++) {
    long double term = (long double)c->q[j] * x[j];
    curve += c->sum_x[j] * x[j];
    linear += term;
    terms += fabsl(term);
  }
  for (int i = 0; i < c->m; i++) {
    long double term = (long double)c->b[i] * y[i];
    support += term;
    terms += fabsl(term);
  }
  return ratio(fabsl(curve + linear + support),
               fabsl(curve) + terms + share_of_sizes * z->primal * z->dual);
}

static double outside(dls_cone *c, const cone_sizes *z, const double *x, const double *s,
                      const double *y)
{
  double worst = 0,
         size_x = capped(size_of(c->n, x, c->D, true), counted_sizes * z->natural_x) + z->primal;
  double size_y = size_of(c->m, y, c->E, true);
  for (int t = 0; t < c->blocks; t++) {
    const cone_block *block = &c->block[t];
    // rows of a linear block have factors of their own: each is a cone
    bool linear = block->type != &dls_cone_soc;
    for (int k = 0; k < (linear ? block->size : 1); k++) {
      cone_block one = *block;
      if (linear) one.start += k, one.size = 1;
      double E = c->E[one.start];
      raise_to(&worst, ratio(block->type->outside(&one, s, false) * E, size_x));
      raise_to(&worst, ratio(block->type->outside(&one, y, true) / E, size_y));
    }
  }
  return worst;
}

dls_cone_residuals dls_cone_measure(dls_cone *c, const double *x, const double *s, const double *y)
{
  const cone_sizes z = dls_cone_sizes(c);
  dls_cone_residuals r = {.primal = primal(c, &z, x, s),
                          .dual = dual(c, &z, x, y),
                          .gap = gap(c, &z, x, y),
                          .cone = outside(c, &z, x, s, y)};
  raise_to(&r.largest, r.primal);
  raise_to(&r.largest, r.dual);
  raise_to(&r.largest, r.gap);
  raise_to(&r.largest, r.cone);
  r.size = 0;
  raise_to(&r.size, ratio(size_of(c->n, x, c->D, true), z.natural_x));
  raise_to(&r.size, ratio(size_of(c->m, y, c->E, true), z.natural_y));
  return r;
}

// ---- certificates ------------------------------------------------------------------------------

// Scales v to data^T v = -1; the sum of the terms' sizes is then *terms. False unless data^T v < 0.
static bool normalise(int n, const double *data, double *v, double *terms)
{
  long double sum = 0, size = 0;
  for (int k = 0; k < n; k++) {
    long double term = (long double)data[k] * v[k];
    sum += term;
    size += fabsl(term);
  }
  if (!(sum < 0) || !isfinite((double)(1 / sum))) return false;
  for (int k = 0; k < n; k++) v[k] = (double)(v[k] / -sum);
  *terms = (double)(size / -sum);
  return true;
}

double dls_cone_farkas(dls_cone *c, double *y)
{
  const cone_sizes z = dls_cone_sizes(c);
  double terms, worst = 0, sum = 0;
  if (!normalise(c->m, c->b, y, &terms)) return INFINITY;
  dls_clear(c->sum_x, c->n);
  dls_clear(c->terms_x, c->n);
  add_transposed(c, y);
  for (int j = 0; j < c->n; j++) raise_to(&sum, (double)fabsl(c->sum_x[j]) * c->D[j]);
  raise_to(&worst, z.b * sum);
  raise_to(&worst, ratio(sum, size_of(c->m, y, c->E, true)));
  raise_to(&worst, c->options.certificate * c->options.certificate * terms);
  for (int t = 0; t < c->blocks; t++) {
    const cone_block *block = &c->block[t];
    double most = 0;
    for (int k = 0; k < block->size; k++) raise_to(&most, fabs(y[block->start + k]));
    if (!(block->type->outside(block, y, true) <= in_cone * most)) return INFINITY;
  }
  return worst;
}

double dls_cone_ray(dls_cone *c, double *x, double *s)
{
  const cone_sizes z = dls_cone_sizes(c);
  double terms, worst = 0, curve = 0, left = 0;
  if (!normalise(c->n, c->q, x, &terms)) return INFINITY;
  double size = size_of(c->n, x, c->D, true);
  multiply_P(c, x);
  multiply_A(c, x);
  for (int j = 0; j < c->n; j++) curve += (double)c->sum_x[j] * x[j];
  for (int i = 0; i < c->m; i++) s[i] = (double)-c->sum_y[i];
  for (int t = 0; t < c->blocks; t++) c->block[t].type->project(&c->block[t], s);
  for (int i = 0; i < c->m; i++) raise_to(&left, (double)fabsl(c->sum_y[i] + s[i]) * c->E[i]);
  raise_to(&worst, z.q * left);
  raise_to(&worst, ratio(z.primal * fabs(curve), size));
  raise_to(&worst, ratio(left, size));
  raise_to(&worst, ratio(fabs(curve), z.P * size * size));
  raise_to(&worst, c->options.certificate * c->options.certificate * terms);
  return worst;
}
