// Derivatives of accelerations and forces, by the equations that they solve.        eq (sen.2)
#include "step/variation.h"

#include "base/memory.h"
#include "linalg/dense.h"
#include "step/tolerances.h"

#include <math.h>
#include <stdlib.h>

enum { SIDES = 6 };  // attempts to find the signs of bilateral forces

// --- life ---

static bool take_memory(dls_variation *w)
{
  const ptrdiff_t all = w->all, m = w->m, tangents = w->tangents, size = all + m + tangents;
  const ptrdiff_t columns = w->columns + 1;
  w->first = dls_arena_alloc(w->arena, m + 1, sizeof *w->first);
  w->mode = dls_arena_alloc(w->arena, m + 1, 1);
  w->xi = dls_arena_alloc(w->arena, tangents + 1, sizeof *w->xi);
  w->side = dls_arena_alloc(w->arena, m + 1, sizeof *w->side);
  w->a = dls_arena_alloc(w->arena, all, sizeof *w->a);
  w->lambda = dls_arena_alloc(w->arena, m + 1, sizeof *w->lambda);
  w->tau = dls_arena_alloc(w->arena, tangents + 1, sizeof *w->tau);
  w->K = dls_arena_alloc(w->arena, size * size, sizeof *w->K);
  w->B = dls_arena_alloc(w->arena, size * columns, sizeof *w->B);
  w->X = dls_arena_alloc(w->arena, size * columns, sizeof *w->X);
  w->work = dls_arena_alloc(w->arena, 4 * all + tangents, sizeof *w->work);
  return w->first && w->mode && w->xi && w->side && w->a && w->lambda && w->tau && w->K && w->B &&
         w->X && w->work;
}

dls_status dls_variation_create(const dls_extended *x, int columns, dls_variation **out)
{
  *out = NULL;
  dls_variation *w = dls_alloc(1, sizeof *w);
  if (!w) return DLS_ERR_MEMORY;
  *w = (dls_variation){.x = x,
                       .n = x->n,
                       .all = x->system.n,
                       .m = x->m,
                       .tangents = x->system.tangents,
                       .columns = columns,
                       .arena = dls_arena_create()};
  dls_status status = w->arena && take_memory(w) ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) status = dls_values_create(&x->system, &w->values);
  if (status == DLS_OK) status = dls_derivatives_create(&x->system, &w->derivatives);
  if (status == DLS_OK) status = dls_derivatives_create(&x->system, &w->at_rest);
  if (status != DLS_OK) {
    dls_variation_free(w);
    return status;
  }
  for (int j = 0; j < w->m; j++) {
    w->first[j + 1] = w->first[j] + x->system.contacts[j].tangents;
    w->side[j] = 1;
  }
  *out = w;
  return DLS_OK;
}

void dls_variation_free(dls_variation *w)
{
  if (!w) return;
  dls_values_free(w->values);
  dls_derivatives_free(w->derivatives);
  dls_derivatives_free(w->at_rest);
  dls_arena_free(w->arena);
  free(w);
}

// --- products ---

// A_j^T x for a column of a pattern, and y += sign A x.
static double column_times(const dls_pattern *p, const double *A, int column, const double *x)
{
  double sum = 0;
  for (int e = p->p[column]; e < p->p[column + 1]; e++) sum += A[e] * x[p->i[e]];
  return sum;
}

static void add_product(const dls_pattern *p, const double *A, const double *x, double sign,
                        double *y)
{
  for (int j = 0; j < p->cols; j++)
    for (int e = p->p[j]; e < p->p[j + 1]; e++) y[p->i[e]] += sign * A[e] * x[j];
}

// --- the equations ---

static bool closed(const dls_variation *w, int j)
{
  return w->mode[j] == DLS_SLIDING || w->mode[j] == DLS_STICKING;
}

// Has the contact rows for its slips? Without friction they say nothing.
static bool sticks(const dls_variation *w, int j)
{
  return w->mode[j] == DLS_STICKING && w->values->friction[j] > 0;
}

double dls_variation_slip(const dls_variation *w, int j)
{
  double speed = 0;
  for (int c = w->first[j]; c < w->first[j + 1]; c++) speed = hypot(speed, w->values->slip[c]);
  return speed;
}

// The direction of sliding at the point; *speed: 0 where it has none of its own.
static void direction(const dls_variation *w, int j, double *xi, double *speed)
{
  const int first = w->first[j], tangents = w->first[j + 1] - first;
  const double size = dls_variation_slip(w, j);
  *speed = tangents == 2 && size > w->rest ? size : 0;
  for (int d = 0; d < tangents; d++)
    xi[d] = *speed > 0 ? w->values->slip[first + d] / size : w->xi[first + d];
}

// Rows of the closed contacts, behind the n of the balance.
static int rows_of(const dls_variation *w)
{
  int rows = w->n;
  for (int j = 0; j < w->m; j++)
    if (closed(w, j)) rows += 1 + (sticks(w, j) ? w->first[j + 1] - w->first[j] : 0);
  return rows;
}

// What contact column k of K gets from a column of a pattern: -A in the balance.
static void put_force(const dls_variation *w, const dls_pattern *p, const double *A, int column,
                      double factor, int rows, int k)
{
  for (int e = p->p[column]; e < p->p[column + 1]; e++)
    if (p->i[e] < w->n) w->K[p->i[e] + (ptrdiff_t)k * rows] -= factor * A[e];
}

static void put_row(const dls_variation *w, const dls_pattern *p, const double *A, int column,
                    int rows, int k)
{
  for (int e = p->p[column]; e < p->p[column + 1]; e++)
    if (p->i[e] < w->n) w->K[k + (ptrdiff_t)p->i[e] * rows] = A[e];
}

// K of eq (rkm.5) at the values: M, and the closed contacts with their laws.
static int set_equations(dls_variation *w)
{
  const dls_system *s = &w->x->system;
  const dls_values *x = w->values;
  const int rows = rows_of(w);
  dls_clear(w->K, (ptrdiff_t)rows * rows);
  for (int j = 0; j < w->n; j++)
    for (int e = s->mass.p[j]; e < s->mass.p[j + 1]; e++)
      if (s->mass.i[e] < w->n) w->K[s->mass.i[e] + (ptrdiff_t)j * rows] = x->M[e];
  for (int j = 0, k = w->n; j < w->m; j++) {
    if (!closed(w, j)) continue;
    put_force(w, &s->normal, x->G, j, 1, rows, k);
    put_row(w, &s->normal, x->G, j, rows, k);
    if (!sticks(w, j)) {
      double xi[2], speed;
      direction(w, j, xi, &speed);
      for (int d = 0; d < w->first[j + 1] - w->first[j]; d++)
        put_force(w, &s->tangent, x->H, w->first[j] + d, -x->friction[j] * w->side[j] * xi[d], rows,
                  k);
    }
    k++;
    for (int c = w->first[j]; c < w->first[j + 1] && sticks(w, j); c++, k++) {
      put_force(w, &s->tangent, x->H, c, 1, rows, k);
      put_row(w, &s->tangent, x->H, c, rows, k);
    }
  }
  return rows;
}

// Redundant constraints: the least of the solutions.
static dls_status solve_dependent(int n, int columns, const double *A, const double *B, double *X)
{
  double *U = dls_alloc(2 * (ptrdiff_t)n * n + 2 * (ptrdiff_t)n, sizeof *U);
  if (!U) return DLS_ERR_MEMORY;
  double *V = U + (ptrdiff_t)n * n, *s = V + (ptrdiff_t)n * n, *y = s + n;
  dls_status status = dls_svd(n, n, A, U, s, V);
  for (int c = 0; c < columns && status == DLS_OK; c++) {
    dls_gemv(true, n, n, 1, U, B + (ptrdiff_t)c * n, 0, y);
    for (int k = 0; k < n; k++) y[k] = s[k] > variation_rounding * s[0] ? y[k] / s[k] : 0;
    dls_gemv(false, n, n, 1, V, y, 0, X + (ptrdiff_t)c * n);
  }
  free(U);
  return status;
}

static dls_status solve(dls_variation *w, int rows, int columns)
{
  double rcond;
  const dls_status status = dls_solve(rows, columns, w->K, w->B, w->X, &rcond);
  if (status != DLS_OK || rcond > variation_regular) return status;
  return solve_dependent(rows, columns, w->K, w->B, w->X);
}

// Forces from the solution x: those of sliding by their law.
static void take_forces(const dls_variation *w, const double *x, double *lambda, double *tau)
{
  dls_clear(lambda, w->m);
  dls_clear(tau, w->tangents);
  for (int j = 0, k = w->n; j < w->m; j++) {
    if (!closed(w, j)) continue;
    lambda[j] = x[k++];
    double xi[2], speed;
    direction(w, j, xi, &speed);
    for (int d = 0; d < w->first[j + 1] - w->first[j]; d++)
      tau[w->first[j] + d] =
          sticks(w, j) ? x[k++] : -w->values->friction[j] * w->side[j] * lambda[j] * xi[d];
  }
}

dls_status dls_variation_forces(dls_variation *w, const double *q, const double *v)
{
  dls_status status = dls_extended_evaluate(w->x, q, v, w->values);
  for (int attempt = 0; attempt < SIDES && status == DLS_OK; attempt++) {
    const int rows = set_equations(w);
    for (int i = 0; i < w->n; i++) w->B[i] = -w->values->F[i];
    for (int j = 0, k = w->n; j < w->m; j++) {
      if (!closed(w, j)) continue;
      w->B[k++] = -w->values->b_n[j];
      for (int c = w->first[j]; c < w->first[j + 1] && sticks(w, j); c++)
        w->B[k++] = -w->values->b_t[c];
    }
    status = solve(w, rows, 1);
    if (status != DLS_OK) return status;
    dls_clear(w->a, w->all);
    dls_copy(w->a, w->X, w->n);
    take_forces(w, w->X, w->lambda, w->tau);
    bool right = true;
    for (int j = 0; j < w->m; j++) {
      const bool turns = w->mode[j] == DLS_SLIDING && w->side[j] * w->lambda[j] < 0 &&
                         w->x->system.contacts[j].kind == DLS_BILATERAL;
      if (turns) w->side[j] = -w->side[j], right = false;
    }
    if (right) return DLS_OK;
  }
  return status == DLS_OK ? DLS_ERR_SOLVER : status;
}

// The change of sliding friction, but for what comes with that of the normal force and, in space,
// with that of unknown velocities: balance += H c, c = -(dmu |lambda| xi + mu |lambda| dxi).
// dslip: of contact j.
static void add_friction_change(const dls_variation *w, int j, double dmu, const double *dslip,
                                double *balance)
{
  double xi[2], speed;
  direction(w, j, xi, &speed);
  const int tangents = w->first[j + 1] - w->first[j];
  const dls_pattern *H = &w->x->system.tangent;
  const double size = w->side[j] * w->lambda[j];
  double along = 0;
  for (int d = 0; d < tangents; d++) along += xi[d] * dslip[d];
  for (int d = 0; d < tangents; d++) {
    const double turn = speed > 0 ? (dslip[d] - along * xi[d]) / speed : 0;
    const double change = -size * (dmu * xi[d] + w->values->friction[j] * turn);
    const int c = w->first[j] + d;
    for (int e = H->p[c]; e < H->p[c + 1]; e++) balance[H->i[e]] += w->values->H[e] * change;
  }
}

// The right-hand side for one column: what changes with (dq, dv) while a and forces stay.
static void set_change(const dls_variation *w, const double *dq, const double *dv, double *b)
{
  const dls_derivative_patterns *p = w->x->system.derivative;
  const dls_derivatives *x = w->derivatives;
  const dls_system *s = &w->x->system;
  double *balance = w->work;
  dls_clear(balance, w->all);
  add_product(&p->R_q, x->R_q, dq, -1, balance);
  add_product(&p->R_v, x->R_v, dv, -1, balance);
  for (int j = 0, k = w->n; j < w->m; j++) {
    if (!closed(w, j)) continue;
    b[k++] = -column_times(&p->N_q, x->N_q, j, dq) - column_times(&p->N_v, x->N_v, j, dv);
    double dslip[2] = {0};
    for (int c = w->first[j], d = 0; c < w->first[j + 1]; c++, d++) {
      if (sticks(w, j))
        b[k++] = -column_times(&p->T_q, x->T_q, c, dq) - column_times(&p->T_v, x->T_v, c, dv);
      dslip[d] =
          column_times(&p->S_q, x->S_q, c, dq) + column_times(&s->tangent, w->values->H, c, dv);
    }
    if (sticks(w, j)) continue;
    add_friction_change(w, j, dls_extended_law_change(w->x, 0, j, dq, dv), dslip, balance);
  }
  dls_copy(b, balance, w->n);
}

dls_status dls_variation_change(dls_variation *w, const double *q, const double *v,
                                const double *dq, const double *dv, double *da)
{
  dls_status status =
      dls_extended_differentiate(w->x, q, v, w->a, w->lambda, w->tau, w->derivatives);
  if (status == DLS_OK) status = dls_extended_laws(w->x, q, v);
  if (status != DLS_OK) return status;
  const int rows = set_equations(w);
  for (int c = 0; c < w->columns; c++)
    set_change(w, dq + (ptrdiff_t)c * w->all, dv + (ptrdiff_t)c * w->all,
               w->B + (ptrdiff_t)c * rows);
  status = solve(w, rows, w->columns);
  for (int c = 0; c < w->columns && status == DLS_OK; c++)
    dls_copy(da + (ptrdiff_t)c * w->n, w->X + (ptrdiff_t)c * rows, w->n);
  return status;
}

// --- impacts ---

// Contacts that press, and whether they slide on.
static void set_pressed(dls_variation *w, const double *impulse)
{
  for (int j = 0; j < w->m; j++) {
    const int first = w->first[j];
    const double *p = impulse + j + first;
    const bool bilateral = w->x->system.contacts[j].kind == DLS_BILATERAL;
    const double speed = dls_variation_slip(w, j);
    const bool presses = p[0] > 0 || (bilateral && w->mode[j] != DLS_OPEN);
    w->mode[j] = !presses ? DLS_OPEN : speed > w->rest ? DLS_SLIDING : DLS_STICKING;
    w->lambda[j] = presses ? p[0] : 0;
    w->side[j] = p[0] < 0 ? -1 : 1;
    for (int c = first; c < w->first[j + 1]; c++) {
      w->tau[c] = presses ? p[1 + c - first] : 0;
      w->xi[c] = speed > w->rest ? w->values->slip[c] / speed : 0;
    }
  }
}

// How far M (v+ - v-) = G p + H p_t, and u+ + e u- = 0 where it presses, do not hold.
static double miss_of(dls_variation *w, const double *rate_before)
{
  const dls_system *s = &w->x->system;
  double *r = w->work, most = 0, size = 0;
  dls_clear(r, w->all);
  add_product(&s->mass, w->values->M, w->a, 1, r);
  for (int i = 0; i < w->n; i++) size = fmax(size, fabs(r[i]));
  add_product(&s->normal, w->values->G, w->lambda, -1, r);
  add_product(&s->tangent, w->values->H, w->tau, -1, r);
  for (int i = 0; i < w->n; i++) most = fmax(most, fabs(r[i]) / fmax(size, 1e-300));
  for (int j = 0; j < w->m; j++) {
    if (!closed(w, j)) continue;
    const double e = w->values->restitution[j], before = rate_before[j];
    const double wrong = w->values->h_dot[j] + e * before;
    const double speed = fmax(fabs(before), fabs(w->values->h_dot[j]));
    if (speed > w->rest) most = fmax(most, fabs(wrong) / speed);
  }
  return most;
}

// In space percussions of contacts that slide turn with the velocities after.
static void add_turning(dls_variation *w, int rows)
{
  const dls_pattern *p = &w->x->system.tangent;
  for (int j = 0; j < w->m; j++) {
    double xi[2], speed;
    direction(w, j, xi, &speed);
    if (w->mode[j] != DLS_SLIDING || speed == 0) continue;
    const double factor = w->values->friction[j] * w->side[j] * w->lambda[j] / speed;
    for (int d = 0; d < 2; d++)
      for (int c = 0; c < 2; c++) {
        const int row = w->first[j] + d, column = w->first[j] + c;
        const double part = factor * ((d == c) - xi[d] * xi[c]);
        for (int e = p->p[row]; e < p->p[row + 1]; e++)
          for (int f = p->p[column]; f < p->p[column + 1]; f++)
            if (p->i[e] < w->n && p->i[f] < w->n)
              w->K[p->i[e] + (ptrdiff_t)p->i[f] * rows] += part * w->values->H[e] * w->values->H[f];
      }
  }
}

static void set_impact_change(const dls_variation *w, const double *rate_before,
                              const double *G_dv_before, const double *D_dq_before,
                              const double *de, const double *dq, const double *dv_before,
                              double *b)
{
  const dls_derivative_patterns *p = w->x->system.derivative;
  const dls_derivatives *x = w->derivatives;
  const dls_system *s = &w->x->system;
  double *balance = w->work;
  dls_clear(balance, w->all);
  add_product(&p->R_q, x->R_q, dq, -1, balance);
  add_product(&p->R_q, w->at_rest->R_q, dq, 1, balance);
  add_product(&s->mass, w->values->M, dv_before, 1, balance);
  for (int j = 0, k = w->n; j < w->m; j++) {
    if (!closed(w, j)) continue;
    const double e = w->values->restitution[j];
    b[k++] = -column_times(&p->D_q, x->D_q, j, dq) - e * (G_dv_before[j] + D_dq_before[j]) -
             de[j] * rate_before[j];
    double dslip[2] = {0};
    for (int c = w->first[j], d = 0; c < w->first[j + 1]; c++, d++) {
      dslip[d] = column_times(&p->S_q, x->S_q, c, dq);
      if (sticks(w, j)) b[k++] = -dslip[d];
    }
    if (sticks(w, j)) continue;
    add_friction_change(w, j, dls_extended_law_change(w->x, 0, j, dq, dv_before), dslip, balance);
  }
  dls_copy(b, balance, w->n);
}

dls_status dls_variation_impact(dls_variation *w, const double *q, const double *v_before,
                                const double *v_after, const double *impulse, const double *dq,
                                const double *dv_before, double *dv_after, double *miss)
{
  const dls_system *s = &w->x->system;
  const dls_derivative_patterns *p = s->derivative;
  const ptrdiff_t m = w->m, columns = w->columns;
  double *keep = dls_alloc(m + 3 * m * columns + w->all + w->m + w->tangents + 1, sizeof *keep);
  if (!keep) return DLS_ERR_MEMORY;
  double *rate = keep, *Gv = rate + m, *Dq = Gv + m * columns, *de = Dq + m * columns;
  double *zero = de + m * columns;
  // with the velocities before: restitution, and how the approach changes
  dls_status status = dls_extended_evaluate(w->x, q, v_before, w->values);
  if (status == DLS_OK) status = dls_extended_laws(w->x, q, v_before);
  if (status == DLS_OK)
    status = dls_extended_differentiate(w->x, q, v_before, zero, zero, zero, w->derivatives);
  double *restitution = w->X;
  if (status == DLS_OK) dls_copy(restitution, w->values->restitution, m);
  for (int j = 0; j < m && status == DLS_OK; j++) {
    rate[j] = w->values->h_dot[j];
    for (int c = 0; c < columns; c++) {
      const double *x = dq + c * (ptrdiff_t)w->all, *y = dv_before + c * (ptrdiff_t)w->all;
      Gv[j + m * c] = column_times(&s->normal, w->values->G, j, y);
      Dq[j + m * c] = column_times(&p->D_q, w->derivatives->D_q, j, x);
      de[j + m * c] = dls_extended_law_change(w->x, 1, j, x, y);
    }
  }
  // with those after
  if (status == DLS_OK) status = dls_extended_evaluate(w->x, q, v_after, w->values);
  if (status == DLS_OK) {
    dls_copy(w->values->restitution, restitution, m);
    set_pressed(w, impulse);
    for (int i = 0; i < w->all; i++) w->a[i] = v_after[i] - v_before[i];
    *miss = miss_of(w, rate);
    status = dls_extended_differentiate(w->x, q, v_after, w->a, w->lambda, w->tau, w->derivatives);
  }
  if (status == DLS_OK)
    status = dls_extended_differentiate(w->x, q, v_after, zero, zero, zero, w->at_rest);
  const int rows = status == DLS_OK ? set_equations(w) : 0;
  if (status == DLS_OK) add_turning(w, rows);
  for (int c = 0; c < columns && status == DLS_OK; c++)
    set_impact_change(w, rate, Gv + m * c, Dq + m * c, de + m * c, dq + c * (ptrdiff_t)w->all,
                      dv_before + c * (ptrdiff_t)w->all, w->B + c * (ptrdiff_t)rows);
  if (status == DLS_OK) status = solve(w, rows, (int)columns);
  for (int c = 0; c < columns && status == DLS_OK; c++)
    dls_copy(dv_after + c * (ptrdiff_t)w->n, w->X + c * (ptrdiff_t)rows, w->n);
  free(keep);
  return status;
}
