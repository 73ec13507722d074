#include "conic.h"

#include "numbers.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

conic conic_make(int n, int zero, int nonneg, int cones, const int *size)
{
  conic c = {.n = n, .m = zero + nonneg, .zero = zero, .nonneg = nonneg, .cones = cones};
  for (int k = 0; k < cones; k++) c.m += c.size[k] = size[k];
  c.P = vector(n * n), c.A = vector(c.m * n), c.q = vector(n), c.b = vector(c.m);
  c.x = vector(n), c.s = vector(c.m), c.y = vector(c.m);
  return c;
}

conic conic_draw_shape(int n_max, int most)
{
  static const int sizes[] = {1, 2, 3, 3, 3, 4, 5, 6, 7, 10};
  int size[CONIC_CONES], cones = below(most + 1);
  for (int k = 0; k < cones; k++) size[k] = sizes[below(10)];
  int n = 1 + below(n_max), zero = below(most + 1), nonneg = below(most + 1);
  return conic_make(n, zero < n ? zero : n, nonneg, cones, size);
}

void conic_free(conic *c)
{
  free(c->P), free(c->A), free(c->q), free(c->b), free(c->x), free(c->s), free(c->y);
}

static double share(double density)
{
  double u = uniform();
  return (uniform() + 1) / 2 < density ? u : 0;
}

void conic_draw_matrices(conic *c, int rank, double density)
{
  int n = c->n;
  double *B = vector(n * rank);
  for (int k = 0; k < n * rank; k++) B[k] = share(density);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int r = 0; r < rank; r++) sum += B[i + r * n] * B[j + r * n];
      c->P[i + j * n] = sum;
    }
  for (int k = 0; k < c->m * n; k++) c->A[k] = share(density);
  free(B);
}

static double norm(int n, const double *v)
{
  double sum = 0;
  for (int k = 0; k < n; k++) sum += v[k] * v[k];
  return sqrt(sum);
}

static void project_cone(int size, double *v)
{
  double u = norm(size - 1, v + 1), t = v[0];
  if (u <= t) return;
  double first = u <= -t ? 0 : (t + u) / 2;
  for (int k = 1; k < size; k++) v[k] *= first > 0 ? first / u : 0;
  v[0] = first;
}

void conic_project(const conic *c, double *v, double *rest)
{
  int i = 0;
  for (int k = 0; k < c->m; k++) rest[k] = -v[k];
  for (; i < c->zero; i++) v[i] = 0;
  for (; i < c->zero + c->nonneg; i++) v[i] = v[i] > 0 ? v[i] : 0;
  for (int k = 0; k < c->cones; i += c->size[k++]) project_cone(c->size[k], v + i);
  for (int k = 0; k < c->m; k++) rest[k] += v[k];
}

// out = a A x + out, out = a A^T y + out, out = a P x + out
static void add_A(const conic *c, double a, const double *x, double *out)
{
  for (int j = 0; j < c->n; j++)
    for (int i = 0; i < c->m; i++) out[i] += a * c->A[i + j * c->m] * x[j];
}

static void add_At(const conic *c, double a, const double *y, double *out)
{
  for (int j = 0; j < c->n; j++)
    for (int i = 0; i < c->m; i++) out[j] += a * c->A[i + j * c->m] * y[i];
}

static void add_P(const conic *c, double a, const double *x, double *out)
{
  for (int j = 0; j < c->n; j++)
    for (int i = 0; i < c->n; i++) out[i] += a * c->P[i + j * c->n] * x[j];
}

static void draw_pair(conic *c)
{
  int i = c->zero + c->nonneg;
  for (int j = 0; j < c->n; j++) c->x[j] = uniform();
  for (int k = 0; k < c->m; k++) c->s[k] = uniform();
  // the first entry of a cone decides between apex, inside and boundary
  for (int k = 0; k < c->cones; i += c->size[k++])
    c->s[i] = c->size[k] == 1 ? 2 * below(2) - 1 : (below(3) - 1) * sqrt(c->size[k]);
  conic_project(c, c->s, c->y);
}

// b and q that make (x, s, y) a solution
static void set_right_sides(conic *c)
{
  memcpy(c->b, c->s, (size_t)c->m * sizeof(double));
  add_A(c, 1, c->x, c->b);
  memset(c->q, 0, (size_t)c->n * sizeof(double));
  add_P(c, -1, c->x, c->q);
  add_At(c, -1, c->y, c->q);
}

void conic_solvable(conic *c)
{
  draw_pair(c);
  set_right_sides(c);
}

static void copy_row(conic *c, int from, double factor, int to)
{
  for (int j = 0; j < c->n; j++) c->A[to + j * c->m] = factor * c->A[from + j * c->m];
}

void conic_degenerate(conic *c)
{
  int first = c->zero, zero = 0;
  draw_pair(c);
  for (int i = 1; i < c->zero; i += 3) copy_row(c, i - 1, 2, i);
  for (int i = first + 1; i < first + c->nonneg; i += 2) {
    if (below(2)) {  // the same twice, inactive or without force
      copy_row(c, i - 1, 1, i);
      c->s[i] = c->s[i - 1];
      c->y[i] = 0;
    } else {  // and its opposite: together an equation
      copy_row(c, i - 1, -1, i);
      c->s[i] = c->s[i - 1] = 0;
    }
  }
  first += c->nonneg;
  for (int k = 0; k < c->cones; first += c->size[k++]) {
    int kind = below(4);
    for (int r = 0; r < c->size[k] && kind < 2; r++) {
      if (kind == 0) c->y[first + r] = 0;
      c->s[first + r] = 0;
    }
    if (kind == 2 && c->size[k] > 1 && zero + 2 < c->zero) {  // t = u_1 by an equation
      for (int j = 0; j < c->n; j++)
        c->A[zero + j * c->m] = c->A[first + j * c->m] - c->A[first + 1 + j * c->m];
      for (int r = 0; r < c->size[k]; r++) c->s[first + r] = r < 2, c->y[first + r] = 0;
      zero += 3;
    }
  }
  set_right_sides(c);
}

void conic_infeasible(conic *c)
{
  double *v = vector(c->m), square = 0, dot = 0;
  while (square == 0) {
    for (int k = 0; k < c->m; k++) v[k] = uniform();
    conic_project(c, v, c->y);
    for (int k = 0; k < c->m; k++) square += c->y[k] * c->y[k];
  }
  for (int j = 0; j < c->n; j++) {  // each column without its part along y
    double along = 0;
    for (int i = 0; i < c->m; i++) along += c->A[i + j * c->m] * c->y[i];
    for (int i = 0; i < c->m; i++) {  // what is left of a zero is zero
      c->A[i + j * c->m] -= along / square * c->y[i];
      if (fabs(c->A[i + j * c->m]) < 1e-14) c->A[i + j * c->m] = 0;
    }
    c->q[j] = uniform();
  }
  for (int i = 0; i < c->m; i++) c->b[i] = uniform(), dot += c->b[i] * c->y[i];
  for (int i = 0; i < c->m; i++) c->b[i] -= (dot + 1) / square * c->y[i];
  free(v);
}

void conic_unbounded(conic *c)
{
  int n = c->n, m = c->m;
  double *s = vector(m), *rest = vector(m), *Q = vector(n * n), *point = vector(n);
  double square = 0, dot = 0;
  for (int j = 0; j < n; j++) c->x[j] = uniform() + (below(2) ? 1.5 : -1.5), point[j] = uniform();
  for (int j = 0; j < n; j++) square += c->x[j] * c->x[j];
  // P <- T P T with T = I - x x^T / x^T x
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < n; i++) {
      double along = 0;
      for (int j = 0; j < n; j++) along += c->P[i + j * n] * c->x[j] / square;
      for (int j = 0; j < n; j++) {
        double p = c->P[i + j * n] - along * c->x[j];
        Q[j + i * n] = fabs(p) < 1e-14 ? 0 : p;
      }
      if (i == n - 1) memcpy(c->P, Q, (size_t)(n * n) * sizeof(double));
    }
  // A x = -s
  for (int k = 0; k < m; k++) s[k] = uniform();
  conic_project(c, s, rest);
  double *Ax = vector(m);
  add_A(c, 1, c->x, Ax);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {  // what is left of a zero is zero
      c->A[i + j * m] -= (Ax[i] + s[i]) / square * c->x[j];
      if (fabs(c->A[i + j * m]) < 1e-14) c->A[i + j * m] = 0;
    }
  for (int j = 0; j < n; j++) c->q[j] = uniform(), dot += c->q[j] * c->x[j];
  for (int j = 0; j < n; j++) c->q[j] -= (dot + 1) / square * c->x[j];
  // a feasible point
  for (int k = 0; k < m; k++) c->s[k] = uniform();
  conic_project(c, c->s, rest);
  memcpy(c->b, c->s, (size_t)m * sizeof(double));
  add_A(c, 1, point, c->b);
  free(s), free(rest), free(Q), free(point), free(Ax);
}

static void scale_row(conic *c, int i, double e)
{
  for (int j = 0; j < c->n; j++) c->A[i + j * c->m] *= e;
  c->b[i] *= e, c->s[i] *= e, c->y[i] /= e;
}

void conic_change_units(conic *c, int k)
{
  int i = 0;
  for (int j = 0; j < c->n; j++) {
    double d = ldexp(1, below(2 * k + 1) - k);
    for (int r = 0; r < c->m; r++) c->A[r + j * c->m] *= d;
    for (int r = 0; r < c->n; r++) c->P[r + j * c->n] *= d, c->P[j + r * c->n] *= d;
    c->q[j] *= d, c->x[j] /= d;
  }
  for (; i < c->zero + c->nonneg; i++) scale_row(c, i, ldexp(1, below(2 * k + 1) - k));
  for (int t = 0; t < c->cones; t++) {
    double e = ldexp(1, below(2 * k + 1) - k);
    for (int r = 0; r < c->size[t]; r++) scale_row(c, i++, e);
  }
}

double conic_value(const conic *c, const double *x)
{
  double sum = 0;
  for (int j = 0; j < c->n; j++) {
    sum += c->q[j] * x[j];
    for (int i = 0; i < c->n; i++) sum += 0.5 * x[i] * c->P[i + j * c->n] * x[j];
  }
  return sum;
}

double conic_outside(const conic *c, const double *v, bool dual)
{
  double worst = 0;
  int i = 0;
  for (; i < c->zero; i++)
    if (!dual) worst = fmax(worst, fabs(v[i]));
  for (; i < c->zero + c->nonneg; i++) worst = fmax(worst, -v[i]);
  for (int k = 0; k < c->cones; i += c->size[k++])
    worst = fmax(worst, norm(c->size[k] - 1, v + i + 1) - v[i]);
  return worst;
}

static double most(int n, const double *v)
{
  double worst = 0;
  for (int k = 0; k < n; k++)
    if (!(fabs(v[k]) <= worst)) worst = fabs(v[k]);
  return worst;
}

double conic_error(const conic *c, const double *x, const double *s, const double *y)
{
  double *r = vector(c->m), *g = vector(c->n), gap = 0;
  for (int i = 0; i < c->m; i++) r[i] = s[i] - c->b[i];
  for (int j = 0; j < c->n; j++) g[j] = c->q[j];
  add_A(c, 1, x, r);
  add_P(c, 1, x, g);
  add_At(c, 1, y, g);
  for (int i = 0; i < c->m; i++) gap += s[i] * y[i];
  double in_x = 1 + most(c->m, c->b) + most(c->m, s) + most(c->n, x);
  double in_y = 1 + most(c->n, c->q) + most(c->m, y) + most(c->n, x);
  double error = fmax(most(c->m, r) / in_x, most(c->n, g) / in_y);
  error = fmax(error, fabs(gap) / (in_x * in_y));
  error = fmax(error, conic_outside(c, s, false) / in_x);
  error = fmax(error, conic_outside(c, y, true) / in_y);
  free(r), free(g);
  return error;
}

double conic_farkas_error(const conic *c, const double *y)
{
  double *g = vector(c->n), fall = 0;
  add_At(c, 1, y, g);
  for (int i = 0; i < c->m; i++) fall += c->b[i] * y[i];
  double error = most(c->n, g) / -fall;
  bool inside = conic_outside(c, y, true) <= 1e-14 * most(c->m, y);
  free(g);
  return fall < 0 && inside ? error : INFINITY;
}

double conic_ray_error(const conic *c, const double *x, const double *s)
{
  double *r = vector(c->m), *g = vector(c->n), fall = 0;
  memcpy(r, s, (size_t)c->m * sizeof(double));
  add_A(c, 1, x, r);
  add_P(c, 1, x, g);
  for (int j = 0; j < c->n; j++) fall += c->q[j] * x[j];
  double error = fmax(most(c->m, r), most(c->n, g)) / -fall;
  bool inside = conic_outside(c, s, false) <= 1e-14 * most(c->m, s);
  free(r), free(g);
  return fall < 0 && inside ? error : INFINITY;
}
