// Moreau's law with friction as an incremental problem: unilateral contacts with their cones,
// bilateral ones as equations, the velocity jump as unknown. A second way to the motion, and the
// only one where there are too many modes.                                             eq (imp.7)
#include "certify/impact.h"

#include "certify/tolerances.h"
#include "contact/coulomb_residual.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>

typedef struct setup {
  const dls_problem *p;
  dls_coulomb_units units;
  int dimension, rows;
  dls_incremental problem;
  double *M, *w, *f, *mu, *x;
  int *mass_start, *mass_index, *start, *index;
  double *r, *v;  // the solution, in these units
} setup;

static int tangents_of(const dls_problem *p, int contact)
{
  return p->friction->mu[contact] > 0
             ? p->friction->first[contact + 1] - p->friction->first[contact]
             : 0;
}

// Where M is singular the bilateral contacts have to hold what it does not see: then A_c exists.
static bool suits(const dls_impact *o)
{
  const dls_problem *p = &o->moreau.problem;
  for (int j = 0; j < p->m_b; j++)
    if (tangents_of(p, j) > 0) return false;
  for (int j = p->m_b; j < p->m_b + p->m_u; j++)  // one cone for each contact      eq (stf.3)
    if (dls_static_friction(p->friction, j) > p->friction->mu[j]) return false;
  const dls_check *check = o->moreau.check;
  return (check->verdict[DLS_MASS_DEFINITE].answer == DLS_YES || check->A_c) && p->m_u > 0;
}

static bool make_setup(dls_arena *arena, setup *s)
{
  const dls_problem *p = s->p;
  s->dimension = 2;
  for (int j = p->m_b; j < p->m_b + p->m_u; j++)
    if (tangents_of(p, j) == 2) s->dimension = 3;
  s->rows = s->dimension * p->m_u + p->m_b;
  const ptrdiff_t n = p->n, rows = s->rows;
  s->M = dls_arena_alloc(arena, n * n, sizeof(double));
  s->mass_index = dls_arena_alloc(arena, n * n, sizeof(int));
  s->mass_start = dls_arena_alloc(arena, n + 1, sizeof(int));
  s->x = dls_arena_alloc(arena, n * rows, sizeof(double));
  s->index = dls_arena_alloc(arena, n * rows, sizeof(int));
  s->start = dls_arena_alloc(arena, rows + 1, sizeof(int));
  s->w = dls_arena_alloc(arena, rows, sizeof(double));
  s->r = dls_arena_alloc(arena, rows, sizeof(double));
  s->f = dls_arena_alloc(arena, n, sizeof(double));
  s->v = dls_arena_alloc(arena, n, sizeof(double));
  s->mu = dls_arena_alloc(arena, p->m_u, sizeof(double));
  return s->M && s->mass_index && s->mass_start && s->x && s->index && s->start && s->w && s->r &&
         s->f && s->v && s->mu;
}

// Column g, or none, with the velocity b before; scaled.
static void add_row(setup *s, int row, const double *g, double b, double C, double S)
{
  int used = s->start[row];
  for (int i = 0; g && i < s->p->n; i++)
    if (g[i] != 0) s->index[used] = i, s->x[used++] = s->units.D[i] * g[i] * C;
  s->start[row + 1] = used;
  s->w[row] = C / S * b;
}

// M, or M + G_b G_b^T where it is not definite: the same, as G_b^T z = 0.                eq (fri.8)
static void fill_mass(setup *s, bool definite)
{
  const dls_problem *p = s->p;
  const dls_coulomb_units *u = &s->units;
  const ptrdiff_t n = p->n;
  int used = 0;
  for (ptrdiff_t j = 0; j < n; j++) {
    for (ptrdiff_t i = 0; i < n; i++) {
      double entry = u->D[i] / u->mass * p->M[i + n * j] * u->D[j];
      for (ptrdiff_t k = 0; k < p->m_b && !definite; k++) {
        const double *g = p->G_b + n * k;
        entry += (u->D[i] * g[i] * u->C_n[k]) * (u->D[j] * g[j] * u->C_n[k]);
      }
      if (entry != 0) s->mass_index[used] = (int)i, s->M[used++] = entry;
    }
    s->mass_start[j + 1] = used;
  }
}

static void fill_setup(setup *s, bool definite)
{
  const dls_problem *p = s->p;
  const dls_coulomb_units *u = &s->units;
  const ptrdiff_t n = p->n;
  fill_mass(s, definite);
  for (int c = 0; c < p->m_u; c++) {
    const int j = p->m_b + c, tangents = tangents_of(p, j), first = p->friction->first[j];
    s->mu[c] = tangents ? p->friction->mu[j] * (u->C_n[j] / u->C_t[first]) : 0;
    add_row(s, s->dimension * c, p->G_u + n * c, p->b_u[c], u->C_n[j], u->S_n[j]);
    for (int k = 0; k < s->dimension - 1; k++) {
      const int at = first + k, row = s->dimension * c + 1 + k;
      if (k < tangents)
        add_row(s, row, p->friction->H + n * at, p->friction->b_t[at], u->C_t[at], u->S_t[at]);
      else add_row(s, row, NULL, 0, 1, 1);
    }
  }
  for (int j = 0; j < p->m_b; j++)
    add_row(s, s->dimension * p->m_u + j, p->G_b + n * j, p->b_b[j], u->C_n[j], u->S_n[j]);
  s->problem = (dls_incremental){
      .dimension = s->dimension,
      .contacts = p->m_u,
      .equations = p->m_b,
      .mu = s->mu,
      .global = true,
      .dof = p->n,
      .M = {.pattern = {.rows = p->n, .cols = p->n, .p = s->mass_start, .i = s->mass_index},
            .x = s->M},
      .H = {.pattern = {.rows = p->n, .cols = s->rows, .p = s->start, .i = s->index}, .x = s->x},
      .f = s->f,
      .w = s->w};
}

static dls_status solve(setup *s, dls_solve_report *report)
{
  dls_solve_options how = dls_solve_defaults();
  how.tolerance = impact_solver_tolerance;
  how.threads = 1;
  dls_solver *solver = NULL;
  dls_message message;
  dls_status status = dls_solver_create(&s->problem, &how, &solver, &message);
  if (status == DLS_OK) status = dls_solver_solve(solver, s->r, s->v, NULL, report);
  dls_solver_free(solver);
  return status;
}

// ---- back to percussions ------------------------------------------------------------------------

// The largest velocity before, scaled.
static double speed_of(const setup *s)
{
  double speed = 0;
  for (int k = 0; k < s->rows; k++) speed = fmax(speed, fabs(s->w[k]));
  return speed;
}

// What a contact does, to the tolerance; above: u+ over the bound, set to 0 where it is closed.
static unsigned char mode_of(const dls_impact_work *x, const setup *s, int u, const double *jump,
                             double *above)
{
  const dls_problem *p = s->p;
  const int j = p->m_b + u, first = p->friction->first[j], tangents = tangents_of(p, j);
  const double zero = impact_rest * x->tolerance * speed_of(s);
  double slip[2] = {0, 0};
  *above = p->b_u[u];
  for (int i = 0; i < p->n; i++) *above += p->G_u[i + (ptrdiff_t)p->n * u] * jump[i];
  const double unit = s->units.C_n[j] / s->units.S_n[j];
  if (s->r[s->dimension * u] == 0 && unit * *above > zero) return DLS_MODE_DETACH;
  *above = 0;
  if (tangents == 0) return DLS_MODE_CLOSED;
  for (int k = 0; k < tangents; k++) {
    slip[k] = p->friction->b_t[first + k];
    const double *H = p->friction->H + (ptrdiff_t)p->n * (first + k);
    for (int i = 0; i < p->n; i++) slip[k] += H[i] * jump[i];
    slip[k] *= s->units.C_t[first + k] / s->units.S_t[first + k];
  }
  return hypot(slip[0], slip[1]) > zero ? DLS_MODE_SLIDE : DLS_MODE_STICK;
}

static dls_status take_motion(dls_impact_work *x, dls_arena *arena, const setup *s,
                              dls_impact_motion *motion)
{
  const dls_problem *p = s->p;
  const dls_coulomb_units *unit = &s->units;
  double *jump = dls_arena_alloc(arena, p->n, sizeof *jump);
  double *p_b = dls_arena_alloc(arena, p->m_b, sizeof *p_b);
  double *p_u = dls_arena_alloc(arena, p->m_u, sizeof *p_u);
  double *p_t = dls_arena_alloc(arena, x->out->tangents, sizeof *p_t);
  double *above = dls_arena_alloc(arena, p->m_u, sizeof *above);
  unsigned char *mode = dls_arena_alloc(arena, (ptrdiff_t)p->m_b + p->m_u, 1);
  if (!jump || !p_b || !p_u || !p_t || !above || !mode) return DLS_ERR_MEMORY;
  for (int i = 0; i < p->n; i++) jump[i] = unit->D[i] * unit->S[i] * s->v[i];
  for (int j = 0; j < p->m_b; j++) {
    p_b[j] = unit->mass * unit->C_n[j] * unit->S_n[j] * s->r[s->dimension * p->m_u + j];
    mode[j] = DLS_MODE_CLOSED;
  }
  for (int u = 0; u < p->m_u; u++) {
    const int j = p->m_b + u;
    p_u[u] = unit->mass * unit->C_n[j] * unit->S_n[j] * s->r[s->dimension * u];
    for (int k = 0; k < tangents_of(p, j); k++) {
      const int at = p->friction->first[j] + k;
      p_t[at] = unit->mass * unit->C_t[at] * unit->S_t[at] * s->r[s->dimension * u + 1 + k];
    }
    mode[j] = mode_of(x, s, u, jump, &above[u]);
  }
  const dls_impact_point point = {jump, p_b, p_u, p_t, above, mode};
  return dls_impact_move(x, p, &point, motion);
}

// In scaled coordinates: lengths and angles have no common size.
static double difference(const setup *s, const dls_impact_motion *a, const dls_impact_motion *b)
{
  double largest = 0, size = 0;
  for (int i = 0; i < s->p->n; i++) {
    const double unit = 1 / (s->units.D[i] * s->units.S[i]);
    largest = fmax(largest, unit * fabs(a->jump[i] - b->jump[i]));
    size = fmax(size, unit * fmax(fabs(a->jump[i]), fabs(b->jump[i])));
  }
  return size > 0 ? largest / size : 0;
}

// The solution beside the velocities before, at least 1.
static double size_of(const setup *s)
{
  const double size = fmax(dls_norm_max(s->rows, s->r), dls_norm_max(s->p->n, s->v));
  const double speed = speed_of(s);
  return speed > 0 ? fmax(1, size / speed) : 1;
}

// The modes were not decided, but here is a solution.
static void adopt(dls_impact_work *x, dls_impact_motion *m)
{
  dls_impact *o = x->out;
  dls_impact_problem *law = &o->moreau;
  m->continuum = DLS_CONTINUUM_UNKNOWN;
  law->motion = m, law->motions = 1;
  law->exists = (dls_verdict){
      .answer = DLS_YES,
      .margin = (double)NAN,
      .by = "a solution of the incremental problem",
      .shows = "M acceleration + F = G_b lambda_b + G_u lambda_u + H tau, and each contact's law",
      .parts = 4,
      .part = {{"acceleration", DLS_INDEX_COORDINATES, o->n, m->jump, NULL},
               {"lambda_b", DLS_INDEX_BILATERAL, o->m_b, m->p_b, NULL},
               {"lambda_u", DLS_INDEX_UNILATERAL, o->m_u, m->p_u, NULL},
               {"tau", DLS_INDEX_TANGENTS, o->tangents, m->p_t, NULL}}};
  if (!o->coupled) o->matrix = *law;
}

static dls_status compare(dls_impact_work *x, dls_arena *arena, setup *s)
{
  dls_impact *o = x->out;
  dls_solve_report report = {0};
  dls_impact_motion *motion = dls_arena_alloc(x->arena, 1, sizeof *motion);
  if (!motion || !make_setup(arena, s)) return DLS_ERR_MEMORY;
  fill_setup(s, o->moreau.check->verdict[DLS_MASS_DEFINITE].answer == DLS_YES);
  dls_status status = solve(s, &report);
  if (status == DLS_ERR_MEMORY) return status;
  if (status != DLS_OK) return DLS_OK;  // nothing to compare with
  status = take_motion(x, arena, s, motion);
  if (status != DLS_OK) return status;
  o->incremental_ran = true;
  o->incremental_converged = report.converged;
  o->incremental_solver = report.solver;
  o->incremental_residual = motion->residual;
  // percussions that cancel each other, however large, do not excuse what velocities miss
  const bool good = motion->residual * size_of(s) <= x->tolerance;  // NaN is not
  if (good && o->moreau.motions == 0 && o->moreau.exists.answer == DLS_UNDECIDED) adopt(x, motion);
  else if (report.converged && o->moreau.motions == 1)
    o->incremental_difference = difference(s, motion, o->moreau.motion);
  return DLS_OK;
}

static dls_status run(dls_impact_work *x, dls_arena *arena)
{
  setup s = {.p = &x->out->moreau.problem};
  dls_status status = dls_coulomb_units_create(s.p, &s.units);
  if (status == DLS_OK) status = compare(x, arena, &s);
  dls_coulomb_units_free(&s.units);
  return status;
}

dls_status dls_impact_incremental(dls_impact_work *x)
{
  if (!suits(x->out) || x->out->moreau.exists.answer == DLS_NO) return DLS_OK;
  dls_arena *arena = dls_arena_create();
  const dls_status status = arena ? run(x, arena) : DLS_ERR_MEMORY;
  dls_arena_free(arena);
  return status;
}
