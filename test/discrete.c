#include "discrete.h"

#include "numbers.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static void *own(discrete *p, void *memory)
{
  p->owned[p->owners++] = memory;
  return memory;
}

// A dense matrix as a sparse one without its zeros.
static dls_matrix_view sparse(discrete *p, int rows, int cols, const double *A)
{
  int *start = own(p, calloc((size_t)cols + 1, sizeof(int)));
  int *i = own(p, calloc((size_t)(rows * cols) + 1, sizeof(int)));
  double *x = own(p, vector(rows * cols + 1));
  int count = 0;
  for (int c = 0; c < cols; c++) {
    for (int r = 0; r < rows; r++)
      if (A[r + rows * c] != 0) i[count] = r, x[count++] = A[r + rows * c];
    start[c + 1] = count;
  }
  return (dls_matrix_view){{rows, cols, start, i}, x};
}

// X <- A^-1 X by Gauss-Jordan; A is overwritten.
static void divide(int n, int cols, double *A, double *X)
{
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k; i < n; i++)
      if (fabs(A[i + n * k]) > fabs(A[best + n * k])) best = i;
    for (int c = 0; c < n; c++) {
      const double t = A[k + n * c];
      A[k + n * c] = A[best + n * c], A[best + n * c] = t;
    }
    for (int c = 0; c < cols; c++) {
      const double t = X[k + n * c];
      X[k + n * c] = X[best + n * c], X[best + n * c] = t;
    }
    const double pivot = A[k + n * k];
    for (int c = 0; c < n; c++) A[k + n * c] /= pivot;
    for (int c = 0; c < cols; c++) X[k + n * c] /= pivot;
    for (int i = 0; i < n; i++) {
      const double f = A[i + n * k];
      if (i == k || f == 0) continue;
      for (int c = 0; c < n; c++) A[i + n * c] -= f * A[k + n * c];
      for (int c = 0; c < cols; c++) X[i + n * c] -= f * X[k + n * c];
    }
  }
}

// W = H^T M^-1 H, q = H^T M^-1 f + w
static void to_local(discrete *p)
{
  const int n = p->dof, rows = p->rows;
  double *A = vector(n * n + 1), *X = vector(n * (rows + 1) + 1);
  for (int k = 0; k < n * n; k++) A[k] = p->M[k];
  for (int k = 0; k < n * rows; k++) X[k] = p->H[k];
  for (int k = 0; k < n; k++) X[n * rows + k] = p->global.f[k];
  divide(n, rows + 1, A, X);
  double *q = own(p, vector(rows + 1));
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < rows; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += p->H[k + n * i] * X[k + n * j];
      p->W[i + rows * j] = sum;
    }
    q[i] = p->global.w[i];
    for (int k = 0; k < n; k++) q[i] += p->H[k + n * i] * X[n * rows + k];
  }
  p->local.W = sparse(p, rows, rows, p->W);
  p->local.q = q;
  free(A), free(X);
}

static void draw_mass(discrete *p, int bodies, int size, double gyroscopic)
{
  const int n = p->dof;
  for (int b = 0; b < bodies; b++)
    for (int i = 0; i < size; i++)
      for (int j = 0; j <= i; j++) {
        const int row = b * size + i, col = b * size + j;
        const double x = i == j ? 1.5 + 0.5 * uniform() : 0.3 * uniform() / size;
        const double skew = i == j ? 0 : gyroscopic * uniform();
        p->M[row + n * col] = x + skew, p->M[col + n * row] = x - skew;
      }
}

static void draw_directions(discrete *p, int d, int bodies, int size)
{
  const int n = p->dof, blocks = (p->rows + d - 1) / d;
  for (int b = 0; b < blocks; b++) {
    const int first = bodies > 0 ? below(bodies) : 0, second = bodies > 0 ? below(bodies) : 0;
    for (int row = d * b; row < d * (b + 1) && row < p->rows; row++)
      for (int k = 0; bodies > 0 && k < size; k++) {
        p->H[first * size + k + n * row] = uniform();
        if (second != first) p->H[second * size + k + n * row] = uniform();
      }
  }
}

discrete discrete_draw(int d, int contacts, int equations, int bodies, int size, double gyroscopic,
                       int frictionless)
{
  discrete p = {0};
  p.rows = d * contacts + equations, p.dof = bodies * size;
  p.W = own(&p, vector(p.rows * p.rows + 1));
  p.M = own(&p, vector(p.dof * p.dof + 1)), p.H = own(&p, vector(p.dof * p.rows + 1));
  double *mu = p.mu = own(&p, vector(contacts + 1)), *f = own(&p, vector(p.dof + 1)),
         *w = own(&p, vector(p.rows + 1));
  for (int i = 0; i < contacts; i++)
    mu[i] = frictionless && i % 3 == 0 ? 0 : 0.55 + 0.4 * uniform();
  for (int i = 0; i < p.dof; i++) f[i] = uniform();
  for (int i = 0; i < p.rows; i++) w[i] = uniform();
  draw_mass(&p, bodies, size, gyroscopic);
  draw_directions(&p, d, bodies, size);
  p.local =
      (dls_incremental){.dimension = d, .contacts = contacts, .equations = equations, .mu = mu};
  p.global = p.local;
  p.global.global = true, p.global.dof = p.dof, p.global.f = f, p.global.w = w;
  p.global.M = sparse(&p, p.dof, p.dof, p.M), p.global.H = sparse(&p, p.dof, p.rows, p.H);
  to_local(&p);
  return p;
}

// u and r of one contact by Coulomb's law.
static void draw_contact(int d, double mu, double *u, double *r)
{
  double t[2] = {uniform(), d == 3 ? uniform() : 0};
  const double length = hypot(t[0], t[1]);
  const int mode = below(3);
  if (mode == 0) {  // take-off
    u[0] = 0.1 + fabs(uniform());
    for (int k = 1; k < d; k++) u[k] = uniform();
  } else if (mode == 1) {  // sticking
    r[0] = 0.1 + fabs(uniform());
    for (int k = 1; k < d; k++) r[k] = 0.9 * mu * r[0] * t[k - 1] / fmax(length, 1);
  } else {  // sliding
    r[0] = 0.1 + fabs(uniform());
    const double speed = 0.1 + fabs(uniform());
    for (int k = 1; k < d; k++)
      r[k] = mu * r[0] * t[k - 1] / length, u[k] = -speed * t[k - 1] / length;
  }
}

// The same by another law: slips and forces that it leaves free are drawn.
static void draw_other(const dls_incremental *p, int i, double *u, double *r)
{
  const int d = p->dimension, law = p->law[i];
  const bool two_sided = law == DLS_LAW_BILATERAL_CONE || law == DLS_LAW_BILATERAL_SLIDING ||
                         law == DLS_LAW_BILATERAL_BOUNDED || law == DLS_LAW_EQUATION;
  const double t[2] = {uniform(), d == 3 ? uniform() : 0}, length = hypot(t[0], t[1]);
  const double speed = 0.1 + fabs(uniform()), mu = p->mu[i];
  if (!two_sided && below(3) == 0) u[0] = 0.1 + fabs(uniform());
  else r[0] = (two_sided && below(2) ? -1 : 1) * (0.1 + fabs(uniform()));
  const bool bounded = law == DLS_LAW_BOUNDED || law == DLS_LAW_BILATERAL_BOUNDED;
  const double friction = bounded ? p->bound[i] : mu * fabs(r[0]);
  const bool sticks = below(2);
  for (int k = 1; k < d; k++) {
    if (law == DLS_LAW_EQUATION) {
      r[k] = uniform();
    } else if (law == DLS_LAW_UNILATERAL) {
      u[k] = uniform();
    } else if (law == DLS_LAW_SLIDING || law == DLS_LAW_BILATERAL_SLIDING) {
      r[k] = -friction * p->direction[(d - 1) * i + k - 1], u[k] = uniform();
    } else if (sticks) {
      r[k] = 0.9 * friction * t[k - 1] / fmax(length, 1);
    } else {
      r[k] = friction * t[k - 1] / length, u[k] = -speed * t[k - 1] / length;
    }
  }
}

void discrete_laws(discrete *p, int count, const unsigned char *laws)
{
  const int contacts = p->local.contacts, tangents = p->local.dimension - 1;
  unsigned char *law = p->law = own(p, calloc((size_t)contacts + 1, 1));
  double *direction = own(p, vector(tangents * contacts + 1)),
         *bound = own(p, vector(contacts + 1));
  for (int i = 0; i < contacts; i++) {
    const double angle = 3 * uniform();
    law[i] = laws[below(count)];
    direction[tangents * i] = tangents == 1 ? (angle < 0 ? -1 : 1) : cos(angle);
    if (tangents == 2) direction[2 * i + 1] = sin(angle);
    bound[i] = 0.1 + fabs(uniform());
  }
  p->local.law = p->global.law = law;
  p->local.direction = p->global.direction = direction;
  p->local.bound = p->global.bound = bound;
}

void discrete_solvable(discrete *p, double *r, double *v)
{
  const int d = p->local.dimension;
  double *u = vector(p->rows + 1), *w = own(p, vector(p->rows + 1)), *x = vector(p->dof + 1),
         *A = vector(p->dof * p->dof + 1);
  for (int i = 0; i < p->rows; i++) r[i] = 0;
  for (int i = 0; i < p->local.contacts; i++) {
    if (p->local.law && p->local.law[i] != DLS_LAW_CONE)
      draw_other(&p->local, i, u + (ptrdiff_t)d * i, r + (ptrdiff_t)d * i);
    else draw_contact(d, p->local.mu[i], u + (ptrdiff_t)d * i, r + (ptrdiff_t)d * i);
  }
  for (int i = d * p->local.contacts; i < p->rows; i++) r[i] = uniform();
  // v = M^-1 (H r + f), w = u - H^T v
  for (int k = 0; k < p->dof; k++) {
    x[k] = p->global.f[k];
    for (int i = 0; i < p->rows; i++) x[k] += p->H[k + p->dof * i] * r[i];
  }
  for (int k = 0; k < p->dof * p->dof; k++) A[k] = p->M[k];
  divide(p->dof, 1, A, x);
  for (int i = 0; i < p->rows; i++) {
    w[i] = u[i];
    for (int k = 0; k < p->dof; k++) w[i] -= p->H[k + p->dof * i] * x[k];
  }
  for (int k = 0; v && k < p->dof; k++) v[k] = x[k];
  p->global.w = w;
  to_local(p);
  free(u), free(x), free(A);
}

static void stretch(int count, const double *x, double factor)
{
  for (int k = 0; k < count; k++) ((double *)(ptrdiff_t)x)[k] *= factor;
}

// r = force r', u = speed u': M and W change, H does not
void discrete_scale(discrete *p, double force, double speed)
{
  stretch(p->global.M.pattern.p[p->dof], p->global.M.x, force / speed);
  stretch(p->dof * p->dof, p->M, force / speed);
  stretch(p->dof, p->global.f, force);
  stretch(p->rows, p->global.w, speed);
  stretch(p->local.W.pattern.p[p->rows], p->local.W.x, speed / force);
  stretch(p->rows * p->rows, p->W, speed / force);
  stretch(p->rows, p->local.q, speed);
  if (p->local.bound) stretch(p->local.contacts, p->local.bound, force);
}

void discrete_free(discrete *p)
{
  for (int k = 0; k < p->owners; k++) free(p->owned[k]);
  p->owners = 0;
}
