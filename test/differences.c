#include "differences.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int equations_count(const dls_system *s)
{
  return s->n + 2 * s->m + 2 * s->tangents;
}

// out_i += sum of A_ij x_j, or out_j += sum of A_ij x_i
static void multiply(const dls_pattern *A, const double *value, const double *x, double sign,
                     bool transposed, double *out)
{
  for (int j = 0; j < A->cols; j++)
    for (int k = A->p[j]; k < A->p[j + 1]; k++) {
      if (transposed) out[j] += sign * value[k] * x[A->i[k]];
      else out[A->i[k]] += sign * value[k] * x[j];
    }
}

void equations_at(const dls_system *s, const point *x, double *out)
{
  dls_values *e;
  dls_message message = {0};
  assert_int_equal(dls_values_create(s, &e), DLS_OK);
  if (s->evaluate(s->self, x->t, x->q, x->v, e, NULL, &message)) fail_msg("%s", message.text);
  double *R = out, *N = R + s->n, *T = N + s->m, *D = T + s->tangents, *S = D + s->m;
  memcpy(R, e->F, (size_t)s->n * sizeof *R);
  memcpy(N, e->b_n, (size_t)s->m * sizeof *N);
  memcpy(T, e->b_t, (size_t)s->tangents * sizeof *T);
  memcpy(D, e->h_dot, (size_t)s->m * sizeof *D);
  memcpy(S, e->slip, (size_t)s->tangents * sizeof *S);
  multiply(&s->mass, e->M, x->a, 1, false, R);
  multiply(&s->normal, e->G, x->lambda, -1, false, R);
  multiply(&s->tangent, e->H, x->tau, -1, false, R);
  multiply(&s->normal, e->G, x->a, 1, true, N);
  multiply(&s->tangent, e->H, x->a, 1, true, T);
  dls_values_free(e);
}

void equations_difference(const dls_system *s, point *x, int velocity, int j, double step,
                          double *out)
{
  // (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h at h and h/2, then (16 fine - coarse) / 15
  static const double at[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
  const int count = equations_count(s);
  double *place = velocity ? &x->v[j] : &x->q[j], keep = *place;
  double *f = calloc((size_t)count + 1, sizeof *f);
  assert_non_null(f);
  memset(out, 0, (size_t)count * sizeof *out);
  for (int fine = 0; fine < 2; fine++) {
    const double h = fine ? step / 2 : step, share = (fine ? 16.0 : -1.0) / 15 / (12 * h);
    for (int k = 0; k < 4; k++) {
      *place = keep + at[k] * h;
      equations_at(s, x, f);
      for (int i = 0; i < count; i++) out[i] += share * weight[k] * f[i];
    }
  }
  *place = keep;
  free(f);
}

static void take_column(const dls_pattern *A, const double *value, int j, double *out)
{
  for (int k = A->p[j]; k < A->p[j + 1]; k++) out[A->i[k]] = value[k];
}

static void take_row(const dls_pattern *A, const double *value, int i, double *out)
{
  for (int j = 0; j < A->cols; j++)
    for (int k = A->p[j]; k < A->p[j + 1]; k++)
      if (A->i[k] == i) out[j] = value[k];
}

void equations_exact(const dls_system *s, const dls_derivatives *d, int velocity, int j,
                     double *out)
{
  const dls_derivative_patterns *p = s->derivative;
  double *R = out, *N = R + s->n, *T = N + s->m, *D = T + s->tangents, *S = D + s->m;
  memset(out, 0, (size_t)equations_count(s) * sizeof *out);
  if (!velocity) {
    take_column(&p->R_q, d->R_q, j, R);
    take_row(&p->N_q, d->N_q, j, N);
    take_row(&p->T_q, d->T_q, j, T);
    take_row(&p->D_q, d->D_q, j, D);
    take_row(&p->S_q, d->S_q, j, S);
    return;
  }
  take_column(&p->R_v, d->R_v, j, R);
  take_row(&p->N_v, d->N_v, j, N);
  take_row(&p->T_v, d->T_v, j, T);
}
