// What is left of the balance of momentum at an iterate, and how much of it counts.
#include "step/moreau.h"

#include "base/memory.h"
#include "step/tolerances.h"

#include <math.h>
#include <string.h>

void dls_moreau_residual(dls_moreau *w, double h, const double *a, const double *v)
{
  const dls_snapshot *p = w->point;
  const int n = p->system->n;
  dls_snapshot_mass(p, a, w->x);
  for (int i = 0; i < n; i++) {
    w->y[i] = h * (fabs(w->x[i]) + fabs(p->values->F[i]));
    w->x[i] = -h * (w->x[i] + p->values->F[i]);
  }
  const dls_pattern *M = &p->system->mass;  // differences of velocities carry their rounding
  for (int j = 0; j < n; j++)
    for (int e = M->p[j]; e < M->p[j + 1]; e++)
      w->y[M->i[e]] += momentum_rounding * fabs(p->values->M[e] * v[j]);
}

// Square roots of the diagonal of M, which seldom changes.
static void set_mass(dls_moreau *w)
{
  const dls_pattern *pattern = &w->point->system->mass;
  const double *M = w->point->values->M;
  const ptrdiff_t size = pattern->p[pattern->cols];
  if (w->rooted && memcmp(w->rooted_M, M, dls_bytes(size, sizeof *w->rooted_M)) == 0) return;
  dls_copy(w->rooted_M, M, size);
  w->rooted = true;
  for (int j = 0; j < pattern->cols; j++) {
    w->mass[j] = 0;
    for (int e = pattern->p[j]; e < pattern->p[j + 1]; e++)
      if (pattern->i[e] == j) w->mass[j] = sqrt(fmax(0, M[e]));
  }
}

// A hundredth of the largest term of each force, in the kinetic metric, on all rows that it acts
// on.
static void spread_sizes(dls_moreau *w)
{
  const dls_step_problem *c = w->contacts;
  const dls_pattern *G = &w->point->system->normal;
  const double *value = w->point->values->G;
  for (int k = 0; k < c->members; k++) {
    const int i = c->member[k];
    if (!c->active[i]) continue;
    const int j = c->contact[i];
    const double p = fabs(c->r[i * c->dimension]);
    double most = 0;
    for (int e = G->p[j]; e < G->p[j + 1]; e++)
      if (w->mass[G->i[e]] > 0)
        most = dls_moreau_larger(most, fabs(value[e]) * p / w->mass[G->i[e]]);
    for (int e = G->p[j]; e < G->p[j + 1]; e++)
      w->y[G->i[e]] += wandering * most * w->mass[G->i[e]];
  }
}

// x += G P_b, and y the sizes of the terms.
static void push_held(dls_moreau *w)
{
  const dls_pattern *G = &w->point->system->normal;
  const double *value = w->point->values->G;
  double *restrict x = w->x, *restrict y = w->y;
  int held;
  const int *contact = dls_step_kkt_held(w->kkt, &held);
  for (int k = 0; k < held; k++)
    for (int e = G->p[contact[k]]; e < G->p[contact[k] + 1]; e++) {
      const double force = value[e] * w->P_b[k];
      x[G->i[e]] += force;
      y[G->i[e]] += fabs(force);
    }
}

static double worst_row(const dls_moreau *w)
{
  const int n = w->point->system->n;
  double worst = 0;
  for (int i = 0; i < n; i++) {
    const double most = w->most[dls_step_kkt_component(w->kkt, i)];
    const double scale = w->missed * (w->y[i] + wandering * most * w->mass[i]);
    worst = dls_moreau_worse(worst, w->x[i], scale);
  }
  return worst;
}

static void add_rounding(const dls_pattern *pattern, const double *value, double by,
                         const double *x, double *y)
{
  for (int j = 0; j < pattern->cols; j++)
    for (int e = pattern->p[j]; e < pattern->p[j + 1]; e++)
      y[pattern->i[e]] += by * fabs(value[e] * x[j]);
}

// Stiff forces are differences of large terms: they are known as well as coordinates and velocities
// are, which the derivatives tell. False: there are none.
static bool add_stiffness(dls_moreau *w, double h)
{
  const dls_snapshot *p = w->point;
  if (!p->derivatives || !(w->theta > 0)) return false;
  const double rounding = stiff_rounding / w->missed * h;
  const dls_derivative_patterns *d = p->system->derivative;
  add_rounding(&d->R_q, p->derivatives->R_q, rounding, w->q_theta, w->y);
  add_rounding(&d->R_q, p->derivatives->R_q, rounding * h, w->v_theta, w->y);
  add_rounding(&d->R_v, p->derivatives->R_v, rounding, w->v_theta, w->y);
  return true;
}

double dls_moreau_imbalance(dls_moreau *w, double h)
{
  const dls_snapshot *p = w->point;
  push_held(w);
  dls_step_problem_add_J(w->contacts, w->x, w->y);
  // Rounding wanders inside a component and along the directions of forces: rows are compared in
  // the kinetic metric.
  const int n = p->system->n;
  const double *M = w->mass;
  set_mass(w);
  spread_sizes(w);
  for (int i = 0; i < n; i++) w->most[dls_step_kkt_component(w->kkt, i)] = 0;
  for (int i = 0; i < n; i++) {
    double *most = &w->most[dls_step_kkt_component(w->kkt, i)];
    if (M[i] > 0) *most = dls_moreau_larger(*most, w->y[i] / M[i]);
  }
  const double worst = worst_row(w);
  return worst <= 1 || !add_stiffness(w, h) ? worst : worst_row(w);
}

double dls_moreau_row_speed(const dls_moreau *w, int j, int row)
{
  const double *value;
  int c;
  const dls_pattern *pattern = dls_snapshot_column(w->point, j, row, &c, &value);
  double sum = 0;
  for (int e = pattern->p[c]; e < pattern->p[c + 1]; e++)
    sum += fabs(value[e]) * w->speed[pattern->i[e]];
  return sum;
}

bool dls_moreau_laws_hold(dls_moreau *w)
{
  const dls_step_problem *c = w->contacts;
  if (!dls_step_problem_any(c) || c->pyramid) return true;
  for (int l = 0; l < c->members; l++) {
    const int i = c->member[l];
    for (int k = 0; c->active[i] && k <= dls_step_problem_tangents(c, i); k++)
      w->row_speed[i * c->dimension + k] = dls_moreau_row_speed(w, c->contact[i], k);
  }
  const double residual = dls_step_problem_residual(c, w->w, w->row_speed, NULL);
  if (!(residual <= w->tolerance)) return false;
  w->residual = fmax(w->residual, residual);
  return true;
}
