// Scaling by powers of two, which does not round. D and E come from Ruiz' iteration on
// | P A^T; A 0 |: every row is divided by the square root of its largest entry until all are near
// one. A second-order cone keeps its shape only under one common factor.
#include "convex/cone_internal.h"

#include "linalg/dense_internal.h"
#include <math.h>

enum { SWEEPS = 25, LARGEST_EXPONENT = 400 };
static const double level = 0.5;  // the largest exponent left: powers of two cannot do better

static double power(double x)
{
  if (!(x > 0) || isinf(x)) return 1;
  double e = round(log2(x));
  if (e > LARGEST_EXPONENT) e = LARGEST_EXPONENT;
  if (e < -LARGEST_EXPONENT) e = -LARGEST_EXPONENT;
  return ldexp(1, (int)e);
}

// The largest entries of the columns (into x) and rows (into y) of the scaled matrix.
static void largest_entries(const dls_cone *c, const double *D, const double *E, double *x,
                            double *y)
{
  const dls_sparse *P = c->P, *A = c->A;
  for (int j = 0; j < c->n; j++) x[j] = 0;
  for (int i = 0; i < c->m; i++) y[i] = 0;
  for (int j = 0; j < c->n; j++) {
    for (int e = P->p[j]; e < P->p[j + 1]; e++) {
      double v = fabs(P->x[e] * D[j] * D[P->i[e]]);
      x[j] = fmax(x[j], v);
      x[P->i[e]] = fmax(x[P->i[e]], v);
    }
    for (int e = A->p[j]; e < A->p[j + 1]; e++) {
      double v = fabs(A->x[e] * D[j] * E[A->i[e]]);
      x[j] = fmax(x[j], v);
      y[A->i[e]] = fmax(y[A->i[e]], v);
    }
  }
  for (int t = 0; t < c->blocks; t++) {
    const cone_block *block = &c->block[t];
    double most = 0;
    if (block->type != &dls_cone_soc) continue;
    for (int i = 0; i < block->size; i++) most = fmax(most, y[block->start + i]);
    for (int i = 0; i < block->size; i++) y[block->start + i] = most;
  }
}

void dls_cone_equilibrate(dls_cone *c)
{
  double *x = c->t1, *y = c->t2;
  for (int j = 0; j < c->n; j++) c->D[j] = 1;
  for (int i = 0; i < c->m; i++) c->E[i] = 1;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    largest_entries(c, c->D, c->E, x, y);
    double worst = 0;
    for (int j = 0; j < c->n; j++)
      if (x[j] > 0) worst = fmax(worst, fabs(log2(x[j]))), c->D[j] /= sqrt(x[j]);
    for (int i = 0; i < c->m; i++)
      if (y[i] > 0) worst = fmax(worst, fabs(log2(y[i]))), c->E[i] /= sqrt(y[i]);
    if (worst < level) break;
  }
  for (int j = 0; j < c->n; j++) c->D[j] = power(c->D[j]);
  for (int i = 0; i < c->m; i++) c->E[i] = power(c->E[i]);
  for (int j = 0; j < c->n; j++)
    for (int e = c->A->p[j]; e < c->A->p[j + 1]; e++)
      c->As->x[e] = c->A->x[e] * c->D[j] * c->E[c->A->i[e]];
}

cone_sizes dls_cone_sizes(const dls_cone *c)
{
  cone_sizes z = {0};
  for (int i = 0; i < c->m; i++) z.b = fmax(z.b, fabs(c->b[i] * c->E[i]));
  for (int j = 0; j < c->n; j++) z.q = fmax(z.q, fabs(c->q[j] * c->D[j]));
  for (int j = 0; j < c->n; j++)
    for (int e = c->P->p[j]; e < c->P->p[j + 1]; e++)
      z.P = fmax(z.P, fabs(c->P->x[e] * c->D[j] * c->D[c->P->i[e]]));
  double from_q = z.P > 0 ? z.q / z.P : 0, from_b = z.P * z.b;
  z.primal = z.b > 0 ? z.b : from_q;
  z.dual = z.q > 0 ? z.q : from_b;
  z.natural_x = fmax(z.b, from_q);
  z.natural_y = fmax(z.q, from_b);
  return z;
}

// b of size 1, and the larger of P and q of size 1.
void dls_cone_scale_data(dls_cone *c)
{
  const cone_sizes z = dls_cone_sizes(c);
  c->length = power(z.primal);
  c->cost = power(1 / fmax(z.P, z.q / c->length));
  for (int j = 0; j < c->n; j++) {
    c->qs[j] = c->cost * (c->D[j] * c->q[j] / c->length);
    for (int e = c->P->p[j]; e < c->P->p[j + 1]; e++)
      c->Ps->x[e] = c->cost * (c->P->x[e] * c->D[j] * c->D[c->P->i[e]]);
  }
  for (int i = 0; i < c->m; i++) c->bs[i] = c->b[i] * c->E[i] / c->length;
}

bool dls_cone_scaled_finite(const dls_cone *c)
{
  return dls_finite(c->n, c->qs) && dls_finite(c->m, c->bs) &&
         dls_finite(c->P->p[c->n], c->Ps->x) && dls_finite(c->A->p[c->n], c->As->x);
}
