#include "closed_forest.h"

#include "numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// ---- drawing ------------------------------------------------------------------------------------

static void draw_frame(dls_pose *pose)
{
  for (int k = 0; k < 3; k++) pose->position[k] = uniform();
  forest_draw_unit(pose->quaternion);
}

static int draw_single(const forest *f)
{
  for (int tries = 0; tries < 50; tries++) {
    const int j = below(f->mechanism.joints);
    if (f->joint[j].kind >= DLS_JOINT_HINGE) return j;
  }
  return -1;
}

static int rows_of(dls_closure_kind kind)
{
  static const int rows[] = {6, 3, 5, 5, 4, 4, 3, 1};
  return rows[kind];
}

static void draw_closure(closed_forest *c, int k, int *room)
{
  dls_mechanism *m = &c->f.mechanism;
  dls_closure *x = c->closure + m->closures;
  *x = (dls_closure){.name = c->names[k], .kind = (dls_closure_kind)below(8), .joint = {-1, -1}};
  snprintf(c->names[k], sizeof c->names[k], "loop%d", k);
  if (rows_of(x->kind) > *room) return;
  if (x->kind == DLS_CLOSURE_JOINTS) {
    x->joint[0] = draw_single(&c->f), x->joint[1] = below(3) ? draw_single(&c->f) : -1;
    for (int i = 0; i < 5; i++) x->polynomial[i] = 0.5 * uniform();
    if (x->joint[0] < 0 || x->joint[0] == x->joint[1]) return;
  } else {
    for (int s = 0; s < 2; s++) x->body[s] = below(m->bodies + 1) - 1, draw_frame(&x->frame[s]);
    if (x->body[0] == x->body[1]) return;
  }
  if (below(2)) x->armature = fabs(uniform());
  if (below(2)) x->damping = fabs(uniform());
  if (below(2)) x->stiffness = fabs(uniform()), x->rest = uniform();
  if (below(2)) x->friction = fabs(uniform());
  if (below(2)) x->limited = true, x->range[0] = -0.5, x->range[1] = 0.7, x->restitution = 0.3;
  *room -= rows_of(x->kind);
  m->closures++;
}

void closed_forest_draw(closed_forest *c, const forest_options *options, int closures)
{
  memset(c, 0, sizeof *c);
  forest_draw(&c->f, options);
  dls_mechanism *m = &c->f.mechanism;
  m->closure = c->closure;
  int room = c->f.n / 2;
  for (int k = 0; k < closures; k++) draw_closure(c, k, &room);
  for (int j = 0; j < m->joints; j++) {
    dls_joint *joint = c->f.joint + j;
    if (!below(3)) joint->friction = fabs(uniform());
    if (joint->kind >= DLS_JOINT_HINGE && !below(3))
      joint->limited = true, joint->range[0] = -1, joint->range[1] = 2, joint->restitution = 0.2;
  }
  for (int t = 0; t < m->tendons; t++) {
    char *name = c->names[CLOSED_LOOPS + t];
    snprintf(name, sizeof c->names[0], "tendon%d", t);
    c->f.tendon[t].name = name;
    if (below(2)) c->f.tendon[t].friction = fabs(uniform());
    if (below(2)) c->f.tendon[t].limited = true, c->f.tendon[t].range[1] = 1;
  }
  for (int a = 0; a < m->actuators; a++) {
    char *name = c->names[CLOSED_LOOPS + FOREST_TENDONS + a];
    snprintf(name, sizeof c->names[0], "motor%d", a);
    c->f.actuator[a].name = name;
  }
}

void closed_forest_draw_state(const closed_forest *c, double *q, double *v)
{
  double *x = vector(c->f.n);
  forest_draw_state(&c->f, q, x, v);
  free(x);
}

// ---- dense systems ------------------------------------------------------------------------------

static void scatter(const dls_pattern *A, const double *x, double *out)
{
  for (int j = 0; j < A->cols; j++)
    for (int k = A->p[j]; k < A->p[j + 1]; k++) out[A->i[k] + (ptrdiff_t)A->rows * j] = x[k];
}

static double *copied(const double *x, int n)
{
  double *y = vector(n);
  memcpy(y, x, (size_t)n * sizeof *y);
  return y;
}

void dense_system_at(const dls_system *s, const double *x, const double *x_dot, dense_system *d)
{
  dls_values *e;
  dls_message message = {""};
  const int n = s->n, m = s->m, t = s->tangents;
  assert_int_equal(dls_values_create(s, &e), DLS_OK);
  if (s->evaluate(s->self, 0, x, x_dot, e, NULL, &message)) fail_msg("%s", message.text);
  *d = (dense_system){n,
                      m,
                      t,
                      vector(n * n),
                      copied(e->F, n),
                      copied(e->h, m),
                      copied(e->h_dot, m),
                      vector(n * m),
                      copied(e->b_n, m),
                      copied(e->slip, t),
                      vector(n * t),
                      copied(e->b_t, t)};
  scatter(&s->mass, e->M, d->M), scatter(&s->normal, e->G, d->G);
  scatter(&s->tangent, e->H, d->H);
  dls_values_free(e);
}

void dense_system_free(dense_system *d)
{
  free(d->M), free(d->F), free(d->h), free(d->h_dot), free(d->G), free(d->b_n);
  free(d->slip), free(d->H), free(d->b_t);
}

// A x = y by complete pivoting; y becomes x. Returns the smallest pivot over the largest.
static double eliminate(int n, long double *A, long double *y)
{
  int *column = calloc((size_t)n + 1, sizeof *column);
  long double *x = calloc((size_t)n + 1, sizeof *x), least = INFINITY, most = 0;
  for (int k = 0; k < n; k++) column[k] = k;
  for (int k = 0; k < n; k++) {
    int r = k, c = k;
    for (int i = k; i < n; i++)
      for (int j = k; j < n; j++)
        if (fabsl(A[i * n + j]) > fabsl(A[r * n + c])) r = i, c = j;
    for (int j = 0; j < n; j++) {
      const long double swap = A[k * n + j];
      A[k * n + j] = A[r * n + j], A[r * n + j] = swap;
    }
    for (int i = 0; i < n; i++) {
      const long double swap = A[i * n + k];
      A[i * n + k] = A[i * n + c], A[i * n + c] = swap;
    }
    const long double swap = y[k];
    y[k] = y[r], y[r] = swap;
    const int moved = column[k];
    column[k] = column[c], column[c] = moved;
    const long double pivot = A[k * n + k];
    least = fminl(least, fabsl(pivot)), most = fmaxl(most, fabsl(pivot));
    for (int i = k + 1; i < n && pivot != 0; i++) {
      const long double f = A[i * n + k] / pivot;
      for (int j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
      y[i] -= f * y[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) y[k] -= A[k * n + j] * x[column[j]];
    x[column[k]] = A[k * n + k] != 0 ? y[k] / A[k * n + k] : 0;
  }
  memcpy(y, x, (size_t)n * sizeof *y);
  free(column), free(x);
  return n > 0 ? (double)(least / most) : 1;
}

double constrained_acceleration(const dense_system *d, int rows, const int *row, const double *f,
                                const double *b, double *a, double *lambda)
{
  const int n = d->n, size = n + rows;
  long double *A = calloc((size_t)(size * size) + 1, sizeof *A),
              *y = calloc((size_t)size + 1, sizeof *y);
  for (int i = 0; i < n; i++) {
    y[i] = f[i];
    for (int j = 0; j < n; j++) A[i * size + j] = d->M[i + n * j];
    for (int k = 0; k < rows; k++)
      A[i * size + n + k] = -(A[(n + k) * size + i] = d->G[i + (ptrdiff_t)n * row[k]]);
  }
  for (int k = 0; k < rows; k++) y[n + k] = b ? -b[row[k]] : 0;
  const double pivot = eliminate(size, A, y);
  for (int i = 0; i < n; i++) a[i] = (double)y[i];
  for (int k = 0; k < rows; k++) lambda[k] = (double)y[n + k];
  free(A), free(y);
  return pivot;
}
