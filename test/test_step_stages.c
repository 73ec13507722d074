// The matrix of stages where few of many contacts are closed: it has rows for these alone, and
// gives what the whole matrix of eq (rkm.5) does, which is made here entry by entry.
#include "language.h"
#include "numbers.h"
#include "step/stage_matrix.h"
#include "step/tolerances.h"

#include <delassus/model.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { N = 8, M = 70, T = 2 * M, WIDTH = N + M + T, BLOCKS = 2, SIZE = BLOCKS * WIDTH };

typedef struct problem {
  dls_model *model;
  dls_system *system;
  dls_snapshot point;
  dls_stage_matrix *matrix;
  double q[N], v[N];
  unsigned char kind[M];
  double side[M], xi[T], turn[2 * T];
  double by_v[BLOCKS][BLOCKS], by_q[BLOCKS][BLOCKS];
} problem;

// Curved contacts in space. Most coordinates act on each other through forces of contacts alone.
static void open_problem(problem *p)
{
  static char text[60000];
  size_t used =
      (size_t)snprintf(text, sizeof text,
                       "coordinate a, b, c, d, e, f, g, h\n"
                       "kinetic (a'^2 + b'^2 + 2*c'^2 + d'^2 + e'^2 + f'^2 + g'^2 + h'^2)/2\n"
                       "potential a^2 + b*e\n");
  static const char names[] = "abcdefgh";
  for (int j = 0; j < M; j++) {
    const char x = names[j % N], y = names[(j + 1 + j / N % 3) % N], z = names[(j + 3) % N];
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "unilateral k%d: %.3f*%c^2 + %.3f*%c*%c + %c >= 0 {\n"
                             "  slip %c' + %.3f*%c*%c', %c' + %.3f*%c*%c'; friction 0.4 }\n",
                             j, uniform(), x, uniform(), x, y, y, z, uniform(), x, z, y, uniform(),
                             z, x);
  }
  p->model = parse(text);
  assert_int_equal(dls_model_system(p->model, &p->system), DLS_OK);
  assert_true(p->system->n == N && p->system->m == M && p->system->tangents == T);
  assert_int_equal(dls_model_differentiate(p->system, NULL), DLS_OK);
  assert_int_equal(dls_snapshot_create(p->system, &p->point), DLS_OK);
  assert_int_equal(dls_stage_matrix_create(&p->point, BLOCKS, true, &p->matrix), DLS_OK);
}

static void close_problem(problem *p)
{
  dls_stage_matrix_free(p->matrix);
  dls_snapshot_free(&p->point);
  dls_system_free(p->system);
  dls_model_free(p->model);
}

// A state, one or two closed contacts with forces, and how stages depend on each other.
static void draw(problem *p)
{
  double a[N], lambda[M] = {0}, tau[T] = {0};
  for (int i = 0; i < N; i++) p->q[i] = uniform(), p->v[i] = uniform(), a[i] = uniform();
  memset(p->kind, DLS_OPEN, sizeof p->kind);
  memset(p->turn, 0, sizeof p->turn), memset(p->xi, 0, sizeof p->xi);
  for (int j = 0; j < M; j++) p->side[j] = 1;
  for (int k = 0; k < 2; k++) {
    const int j = below(M);
    const double angle = 3 * uniform();
    p->kind[j] = below(2) ? DLS_SLIDING : DLS_STICKING;
    lambda[j] = 1 + uniform(), tau[2 * j] = uniform(), tau[2 * j + 1] = uniform();
    p->xi[2 * j] = cos(angle), p->xi[2 * j + 1] = sin(angle);
    for (int l = 0; l < 4; l++) p->turn[4 * j + l] = uniform();
  }
  for (int r = 0; r < BLOCKS; r++)
    for (int c = 0; c < BLOCKS; c++)
      p->by_v[r][c] = 0.1 * uniform(), p->by_q[r][c] = 0.1 * uniform();
  assert_true(dls_snapshot_evaluate(&p->point, 0, p->q, p->v, NULL));
  assert_true(dls_snapshot_differentiate(&p->point, 0, p->q, p->v, a, lambda, tau, NULL));
}

// --- the whole matrix ---

static double A[SIZE][SIZE];

static void add_square(int row, int col, const dls_pattern *a, const double *x, double by)
{
  for (int c = 0; c < a->cols; c++)
    for (int e = a->p[c]; e < a->p[c + 1]; e++) A[row + a->i[e]][col + c] += by * x[e];
}

// Column c of a pattern as the row `row`.
static void add_row(int row, int col, const dls_pattern *a, const double *x, int c, double by)
{
  for (int e = a->p[c]; e < a->p[c + 1]; e++) A[row][col + a->i[e]] += by * x[e];
}

// Rows of contact j in block r, beside the accelerations of block c.
static void add_contact(const problem *p, int j, int r, int c)
{
  const dls_system *s = p->system;
  const dls_derivative_patterns *a = s->derivative;
  const dls_derivatives *d = p->point.derivatives;
  const dls_values *x = p->point.values;
  const double *W = dls_stage_matrix_delassus(p->matrix);
  const int at = r * WIDTH, to = c * WIDTH, normal = at + N + j;
  const bool sticks = p->kind[j] == DLS_STICKING, slides = p->kind[j] == DLS_SLIDING;
  const bool closed = sticks || slides;
  const double by_v = p->by_v[r][c], by_q = p->by_q[r][c];
  if (closed && r == c) add_row(normal, to, &s->normal, x->G, j, 1);
  if (closed) add_row(normal, to, &a->N_v, d->N_v, j, by_v);
  if (closed) add_row(normal, to, &a->N_q, d->N_q, j, by_q);
  if (r == c) A[normal][normal] += closed ? stage_diagonal * W[j] : W[j];
  for (int k = 2 * j; k < 2 * j + 2; k++) {
    const int row = at + N + M + k;
    if (r == c) A[row][row] += sticks ? stage_diagonal * W[M + k] : W[M + k];
    if (r == c && slides) A[row][normal] += W[M + k] * x->friction[j] * p->xi[k];
    if (r == c && sticks) add_row(row, to, &s->tangent, x->H, k, 1);
    if (sticks) add_row(row, to, &a->T_v, d->T_v, k, by_v);
    if (sticks) add_row(row, to, &a->T_q, d->T_q, k, by_q);
    for (int l = 0; l < 2 && slides; l++) {
      const double by = W[M + k] * p->turn[2 * k + l];
      add_row(row, to, &s->tangent, x->H, 2 * j + l, by * by_v);
      add_row(row, to, &a->S_q, d->S_q, 2 * j + l, by * by_q);
    }
  }
}

static void make_whole(const problem *p)
{
  const dls_system *s = p->system;
  const dls_values *x = p->point.values;
  memset(A, 0, sizeof A);
  for (int r = 0; r < BLOCKS; r++) {
    const int at = r * WIDTH;
    add_square(at, at, &s->mass, x->M, 1);
    add_square(at, at + N, &s->normal, x->G, -1);
    add_square(at, at + N + M, &s->tangent, x->H, -1);
    for (int c = 0; c < BLOCKS; c++) {
      add_square(at, c * WIDTH, &s->derivative->R_v, p->point.derivatives->R_v, p->by_v[r][c]);
      add_square(at, c * WIDTH, &s->derivative->R_q, p->point.derivatives->R_q, p->by_q[r][c]);
      for (int j = 0; j < M; j++) add_contact(p, j, r, c);
    }
  }
}

// Largest entry of A x - b relative to its terms.
static double residual(const double *x, const double *b)
{
  double worst = 0;
  for (int i = 0; i < SIZE; i++) {
    double sum = -b[i], terms = fabs(b[i]);
    for (int j = 0; j < SIZE; j++) sum += A[i][j] * x[j], terms += fabs(A[i][j] * x[j]);
    worst = fmax(worst, terms > 0 ? fabs(sum) / terms : 0);
  }
  return worst;
}

// Does the unknown belong to an open contact? Its force is none, and acts on nobody.
static bool is_open(const problem *p, int unknown)
{
  const int j = unknown < N + M ? unknown - N : (unknown - N - M) / 2;
  return unknown >= N && p->kind[j] == DLS_OPEN;
}

static void few_of_many(void **state)
{
  (void)state;
  static problem p;
  int solved = 0;
  open_problem(&p);
  for (int t = 0; t < 400; t++) {
    at_case("t %d", t);
    double b[SIZE], x[SIZE];
    draw(&p);
    const dls_contact_modes modes = {p.kind, p.side, p.xi, NULL};
    dls_stage_matrix_begin(p.matrix);
    for (int r = 0; r < BLOCKS; r++)
      dls_stage_matrix_fill(p.matrix, r, &modes, true, p.xi, p.turn, p.by_v[r], p.by_q[r]);
    if (!dls_stage_matrix_factor(p.matrix) || dls_stage_matrix_pivots(p.matrix) < 1e-7) continue;
    for (int i = 0; i < SIZE; i++) x[i] = b[i] = is_open(&p, i % WIDTH) ? 0 : uniform();
    dls_stage_matrix_solve(p.matrix, x);
    make_whole(&p);
    const double wrong = residual(x, b);
    if (!(wrong <= 1e-10)) fail_msg("case %d: wrong by %g", t, wrong);
    solved++;
  }
  assert_true(solved > 150);
  close_problem(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(few_of_many)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
