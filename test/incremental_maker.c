// Contacts take off, stick and slide in turn, so that all three meet in one problem.
#include "incremental_maker.h"

#include "numbers.h"

#include <math.h>
#include <stdlib.h>

static int *integers(int n)
{
  int *x = calloc((size_t)n + 1, sizeof *x);
  if (!x) abort();
  return x;
}

// A dense matrix as a view.
static dls_matrix_view dense(made_problem *m, int slot, int rows, int cols, double *x)
{
  int *p = m->pattern[2 * slot] = integers(cols),
      *i = m->pattern[2 * slot + 1] = integers(rows * cols);
  for (int c = 0; c <= cols; c++) p[c] = rows * c;
  for (int k = 0; k < rows * cols; k++) i[k] = k % rows;
  m->values[slot] = x;
  return (dls_matrix_view){{rows, cols, p, i}, x};
}

// u + mu |u_T| e_N in the dual cone, orthogonal to r in the cone
static void draw_contact(int d, double mu, int mode, double *r, double *u)
{
  double slip = 0;
  for (int k = 0; k < d; k++) r[k] = u[k] = 0;
  for (int k = 1; k < d; k++) u[k] = uniform();
  for (int k = 1; k < d; k++) slip += u[k] * u[k];
  slip = sqrt(slip);
  if (mode == 0) {  // takes off
    u[0] = 0.1 + fabs(uniform());
    return;
  }
  r[0] = 0.2 + fabs(uniform());
  for (int k = 1; k < d; k++) r[k] = -mu * r[0] * u[k] / slip;  // slides
  if (mode == 2 && mu > 0)
    for (int k = 1; k < d; k++) r[k] *= 0.7, u[k] = 0;  // sticks
}

static void draw_solution(made_problem *m, const made_shape *s)
{
  const int d = s->dimension;
  for (int i = 0; i < s->contacts; i++)
    draw_contact(d, m->mu[i], (i + below(2)) % 3, m->r + d * i, m->u + d * i);
  for (int i = d * s->contacts; i < m->rows; i++) m->r[i] = uniform();
}

static double scale(double x)
{
  return x > 0 ? x : 1;
}

// W = H^T H / dof, H dof x rows, and an unsymmetric part
static void make_local(made_problem *m, const made_shape *s, const double *H)
{
  const int n = m->rows;
  double *W = vector(n * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < s->dof; k++) sum += H[k + s->dof * i] * H[k + s->dof * j];
      W[i + n * j] = scale(s->W) * (sum / s->dof + (i < j ? 1 : i > j ? -1 : 0) * s->skew);
    }
  for (int i = 0; i < n; i++) {
    m->q[i] = m->u[i];
    for (int j = 0; j < n; j++) m->q[i] -= W[i + n * j] * m->r[j];
  }
  m->problem.W = dense(m, 0, n, n, W);
  m->problem.q = m->q;
}

// A diagonal M; f drawn, and w that makes u what it has to be
static void make_global(made_problem *m, const made_shape *s, double *H)
{
  const int n = m->rows, dof = s->dof;
  double *M = vector(dof * dof);
  m->f = vector(dof), m->w = vector(n), m->v = vector(dof);
  for (int k = 0; k < dof; k++) {
    M[k * (dof + 1)] = (1 + fabs(uniform())) * dof / scale(s->W);
    m->f[k] = uniform() * dof * scale(s->q) / scale(s->W);
    double sum = m->f[k];
    for (int j = 0; j < n; j++) sum += H[k + dof * j] * m->r[j];
    m->v[k] = sum / M[k * (dof + 1)];
  }
  for (int j = 0; j < n; j++) {
    m->w[j] = m->u[j];
    for (int k = 0; k < dof; k++) m->w[j] -= H[k + dof * j] * m->v[k];
  }
  // the diagonal only: a full pattern would hang all coordinates together
  int *p = m->pattern[2] = integers(dof), *i = m->pattern[3] = integers(dof);
  for (int k = 0; k < dof; k++) M[k] = M[k * (dof + 1)], p[k + 1] = k + 1, i[k] = k;
  m->values[1] = M;
  m->problem.M = (dls_matrix_view){{dof, dof, p, i}, M};
  m->problem.H = dense(m, 2, dof, n, H);
  m->problem.f = m->f, m->problem.w = m->w, m->problem.dof = dof;
}

made_problem *made_create(const made_shape *s)
{
  made_problem *m = calloc(1, sizeof *m);
  if (!m) abort();
  m->rows = s->dimension * s->contacts + s->equations;
  m->mu = vector(s->contacts), m->r = vector(m->rows), m->u = vector(m->rows);
  m->q = vector(m->rows);
  for (int i = 0; i < s->contacts; i++)
    m->mu[i] = s->frictionless && i % 3 == 0 ? 0 : 0.3 + 0.2 * uniform();
  m->problem = (dls_incremental){.dimension = s->dimension,
                                 .contacts = s->contacts,
                                 .equations = s->equations,
                                 .mu = m->mu,
                                 .global = s->global};
  draw_solution(m, s);
  for (int i = 0; i < m->rows; i++) m->r[i] *= scale(s->q) / scale(s->W), m->u[i] *= scale(s->q);
  double *H = vector(s->dof * m->rows);
  for (int k = 0; k < s->dof * m->rows; k++) H[k] = uniform();
  if (s->global) make_global(m, s, H);
  else make_local(m, s, H), free(H);
  return m;
}

void made_free(made_problem *m)
{
  free(m->r), free(m->u), free(m->v), free(m->mu), free(m->q), free(m->f), free(m->w);
  for (int k = 0; k < 3; k++) free(m->values[k]);
  for (int k = 0; k < 6; k++) free(m->pattern[k]);
  free(m);
}
