// An impact: both laws as contact problems in the jump of the velocities, their motions and
// energies, and which law holds.                                     eq (imp.1), (imp.4), (imp.5)
#include "certify/impact.h"

#include "base/memory.h"
#include "base/message.h"
#include "certify/coulomb.h"
#include "certify/tolerances.h"
#include "contact/dense_problem.h"

#include <math.h>
#include <stdlib.h>

typedef struct owned_impact {
  dls_impact impact;
  dls_arena *arena;
  dls_check *check[2];  // with the diagonal of E, and with all of it; or of Poisson's two phases
} owned_impact;

const char *dls_impact_law_name(dls_impact_law law)
{
  static const char *const names[] = {"", "Newton", "Moreau", "Poisson"};
  return names[law];
}

const char *dls_energy_balance_name(dls_energy_balance balance)
{
  static const char *const names[] = {"kept", "lost", "gained", "unknown"};
  return names[balance];
}

dls_impact_options dls_impact_defaults(void)
{
  return (dls_impact_options){.tolerance = default_tolerance,
                              .max_modes = dls_check_defaults().max_modes};
}

// ---- a motion -----------------------------------------------------------------------------------

static double *numbers(dls_impact_work *x, int count)
{
  return dls_arena_alloc(x->arena, count, sizeof(double));
}

static const double *copy(dls_impact_work *x, const double *from, int count)
{
  double *to = numbers(x, count);
  if (to && count && from) dls_copy(to, from, count);
  return to;
}

// 1/2 a^T M b
static double half_product(const dls_problem *p, const double *a, const double *b)
{
  const ptrdiff_t n = p->n;
  long double sum = 0;
  for (ptrdiff_t j = 0; j < n; j++)
    for (ptrdiff_t i = 0; i < n; i++) sum += (long double)a[i] * p->M[i + n * j] * b[j];
  return (double)(sum / 2);
}

static void add_work(dls_impact_motion *m, double percussion, double before, double after)
{
  m->work += 0.5 * percussion * (before + after);
  m->work_size += 0.5 * fabs(percussion) * (fabs(before) + fabs(after));
}

// The percussions work on the mean of the velocities before and after.              eq (imp.4)
static void energies(dls_impact_work *x, const dls_problem *p, dls_impact_motion *m, double *twice)
{
  for (int i = 0; i < p->n; i++) twice[i] = 2 * x->state->v[i] + m->jump[i];
  m->kinetic_after = half_product(p, m->after, m->after);
  m->kinetic_change = half_product(p, m->jump, twice);
  for (int j = 0; j < p->m_u; j++) add_work(m, m->p_u[j], x->before.normal[j], m->normal_after[j]);
  for (int k = 0; k < x->out->tangents; k++)
    add_work(m, m->p_t[k], x->before.slip[k], m->slip_after[k]);
  const double limit = x->tolerance * m->work_size;
  m->balance = !isfinite(m->work) ? DLS_ENERGY_UNKNOWN
               : m->work > limit  ? DLS_ENERGY_GAINED
               : m->work < -limit ? DLS_ENERGY_LOST
                                  : DLS_ENERGY_KEPT;
}

static double slip_after(const dls_impact_work *x, const dls_problem *p, const double *jump, int k)
{
  const double *H = p->friction->H + (ptrdiff_t)p->n * k;
  long double sum = x->before.slip[k];
  for (int i = 0; i < p->n; i++) sum += (long double)H[i] * jump[i];
  return (double)sum;
}

dls_status dls_impact_move(dls_impact_work *x, const dls_problem *p, const dls_impact_point *point,
                           dls_impact_motion *m)
{
  const int tangents = x->out->tangents, closed = p->m_b + p->m_u;
  double *after = numbers(x, p->n), *normal = numbers(x, p->m_u), *slip = numbers(x, tangents);
  double *twice = numbers(x, p->n);
  unsigned char *mode = dls_arena_alloc(x->arena, closed, 1);
  m->jump = copy(x, point->jump, p->n), m->p_t = copy(x, point->p_t, tangents);
  m->p_b = copy(x, point->p_b, p->m_b), m->p_u = copy(x, point->p_u, p->m_u);
  m->above = copy(x, point->above, p->m_u);
  if (!after || !normal || !slip || !twice || !mode || !m->jump || !m->p_t || !m->p_b || !m->p_u ||
      !m->above)
    return DLS_ERR_MEMORY;
  for (int j = 0; j < closed; j++) {
    const bool opens = j >= p->m_b && point->above[j - p->m_b] > 0;
    mode[j] = point->mode ? point->mode[j] : opens ? DLS_MODE_DETACH : DLS_MODE_CLOSED;
  }
  for (int i = 0; i < p->n; i++) after[i] = x->state->v[i] + point->jump[i];
  // u+ = a - E u-: exact where the contact does what its law says
  for (int j = 0; j < p->m_u; j++) normal[j] = point->above[j] - (p->b_u[j] - x->before.normal[j]);
  for (int j = 0; j < closed && p->friction; j++)
    for (int k = p->friction->first[j]; k < p->friction->first[j + 1]; k++)
      slip[k] = (mode[j] & ~DLS_MODE_PULLING) == DLS_MODE_STICK ? 0 : slip_after(x, p, m->jump, k);
  m->after = after, m->normal_after = normal, m->slip_after = slip, m->mode = mode;
  energies(x, p, m, twice);
  return dls_coulomb_residual(p, m->jump, m->p_b, m->p_u, m->p_t, &m->residual);
}

// ---- a law --------------------------------------------------------------------------------------

// Without friction the verdicts tell what is not one point but many.
static dls_continuum continuum_of(const dls_impact_problem *law)
{
  if (law->unique.answer == DLS_NO) return DLS_CONTINUUM_ACCELERATION;
  if (law->unique.answer == DLS_YES && law->percussions_unique.answer == DLS_NO)
    return DLS_CONTINUUM_FORCES;
  return law->unique.answer == DLS_YES && law->percussions_unique.answer == DLS_YES
             ? DLS_CONTINUUM_NONE
             : DLS_CONTINUUM_UNKNOWN;
}

static dls_status list_motions(dls_impact_work *x, dls_impact_problem *law)
{
  const int count = law->check->solution ? law->check->solutions : 0;
  dls_impact_motion *motion = dls_arena_alloc(x->arena, count, sizeof *motion);
  dls_status status = motion ? DLS_OK : DLS_ERR_MEMORY;
  for (int k = 0; k < count && status == DLS_OK; k++) {
    const dls_solution *s = &law->check->solution[k];
    const dls_impact_point point = {.jump = s->acceleration,
                                    .p_b = s->lambda_b,
                                    .p_u = s->lambda_u,
                                    .p_t = s->tau,
                                    .above = s->a_u,
                                    .mode = s->mode};
    motion[k].continuum = s->mode ? s->continuum : continuum_of(law);
    status = dls_impact_move(x, &law->problem, &point, &motion[k]);
  }
  law->motion = motion, law->motions = count;
  return status;
}

static dls_status solve_law(dls_impact_work *x, const dls_impact_options *options, const double *E,
                            dls_impact_problem *law, dls_check **check, dls_message *message)
{
  dls_status status =
      dls_impact_problem_create(&x->problem, &x->before, E, x->arena, &law->problem);
  if (status != DLS_OK) return status;
  dls_check_options how = dls_check_defaults();
  how.tolerance = options->tolerance;
  how.max_modes = options->max_modes;
  how.watch = options->watch, how.self = options->self;
  how.ask = (DLS_ASK(DLS_FORCES_UNIQUE + 1) - 1) | DLS_ASK_SOLUTIONS;
  status = dls_check_run(&law->problem, &how, check, message);
  if (status != DLS_OK) return status;
  law->check = *check;
  law->exists = law->check->verdict[DLS_ACCELERATION_EXISTS];
  law->unique = law->check->verdict[DLS_ACCELERATION_UNIQUE];
  law->percussions_unique = law->check->verdict[DLS_FORCES_UNIQUE];
  return list_motions(x, law);
}

static dls_status solve_laws(owned_impact *owner, dls_impact_work *x,
                             const dls_impact_options *options, dls_message *message)
{
  dls_impact *o = x->out;
  const ptrdiff_t m = o->m_u;
  double *diagonal = dls_arena_alloc(x->arena, m * m, sizeof *diagonal);
  if (!diagonal) return DLS_ERR_MEMORY;
  for (ptrdiff_t i = 0; i < m * m; i++) {
    if (i % (m + 1) == 0) diagonal[i] = x->state->poisson ? 0 : o->E[i];
    else o->coupled |= o->E[i] != 0;
  }
  dls_status status = solve_law(x, options, diagonal, &o->moreau, &owner->check[0], message);
  o->matrix = o->moreau;
  if (status == DLS_OK && o->coupled)
    status = solve_law(x, options, o->E, &o->matrix, &owner->check[1], message);
  o->friction = status == DLS_OK && dls_coulomb_applies(&o->moreau.problem);
  return status;
}

// ---- all of it ----------------------------------------------------------------------------------

static dls_status check_call(const dls_contact_state *s, const dls_impact_options *options,
                             dls_message *message)
{
  if (!s || !s->impact)
    return dls_fail(message, DLS_ERR_ARGUMENT, "no contact is impacting at this state");
  if (!(options->tolerance > 0) || !(options->tolerance < 1))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the tolerance must lie between 0 and 1");
  for (int i = 0; i < s->n; i++)
    if (!isfinite(s->v[i]))
      return dls_fail(message, DLS_ERR_NUMBER, "velocity %d is not finite", i + 1);
  return DLS_OK;
}

static dls_status take_restitution(dls_impact_work *x, const double *given, dls_message *message)
{
  const dls_contact_state *s = x->state;
  const ptrdiff_t m = x->out->m_u;
  double *E = dls_arena_alloc(x->arena, m * m, sizeof *E);
  if (!E) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < m; j++)
    for (ptrdiff_t i = 0; i < m; i++) {
      const dls_contact *c = &s->contacts[s->unilateral_contact[i]];
      double *e = &E[i + m * j];
      if (given) *e = given[i + m * j];
      else if (i == j) *e = c->restitution;
      if (!isfinite(*e))
        return dls_fail(message, DLS_ERR_NUMBER, "the restitution of contact %s is not finite",
                        c->name ? c->name : "?");
      if (i == j && *e < 0)
        return dls_fail(message, DLS_ERR_ARGUMENT, "the restitution of contact %s is negative (%g)",
                        c->name ? c->name : "?", *e);
    }
  x->out->E = E;
  return DLS_OK;
}

// -E u- >= 0: no contact is sent through the other side.
static bool separates(const dls_impact_work *x)
{
  const ptrdiff_t m = x->out->m_u;
  for (ptrdiff_t i = 0; i < m; i++) {
    double sum = 0, terms = 0;
    for (ptrdiff_t j = 0; j < m; j++) {
      const double term = x->out->E[i + m * j] * x->before.normal[j];
      sum += term, terms += fabs(term);
    }
    if (sum > x->tolerance * terms) return false;
  }
  return true;
}

static void choose_law(dls_impact *o)
{
  if (o->by_newton && o->separates && o->by_newton->balance <= DLS_ENERGY_LOST)
    o->law = DLS_LAW_NEWTON, o->motion = o->by_newton;
  else if (o->moreau.motions > 0) o->law = DLS_LAW_MOREAU, o->motion = o->moreau.motion;
}

static dls_status run(owned_impact *owner, const dls_contact_state *s,
                      const dls_impact_options *options, dls_message *message)
{
  dls_impact *o = &owner->impact;
  dls_impact_work x = {
      .out = o, .arena = owner->arena, .state = s, .tolerance = options->tolerance};
  o->n = s->n, o->m_b = s->problem.m_b, o->m_u = s->problem.m_u;
  o->tangents = s->problem.friction ? s->problem.friction->tangents : 0;
  o->projection_difference = o->incremental_residual = o->incremental_difference = (double)NAN;
  dls_status status = dls_problem_make_dense(&s->problem, x.arena, &x.problem, message);
  if (status == DLS_OK) status = take_restitution(&x, options->E, message);
  if (status == DLS_OK) status = dls_impact_velocities_create(s, owner->arena, &x.before);
  o->normal_before = x.before.normal, o->slip_before = x.before.slip;
  if (status == DLS_OK) status = solve_laws(owner, &x, options, message);
  if (status != DLS_OK) return status;
  o->kinetic_before = half_product(&x.problem, s->v, s->v);
  o->separates = separates(&x);
  const dls_reduced *other = &o->moreau.check->reduced;
  if (!o->friction && other->applies) o->projection_difference = other->dual_difference;
  if (o->friction) status = dls_impact_incremental(&x);
  if (status == DLS_OK && s->poisson)
    return dls_impact_poisson(&x, options, &owner->check[1], message);
  if (status == DLS_OK) status = dls_impact_newton(&x);
  if (status == DLS_OK) choose_law(o);
  return status;
}

dls_status dls_impact_create(const dls_contact_state *contact_state,
                             const dls_impact_options *options, dls_impact **impact,
                             dls_message *message)
{
  *impact = NULL;
  if (message) message->text[0] = 0;
  const dls_impact_options chosen = options ? *options : dls_impact_defaults();
  dls_status status = check_call(contact_state, &chosen, message);
  if (status != DLS_OK) return status;
  owned_impact *owner = dls_alloc(1, sizeof *owner);
  if (!owner) return DLS_ERR_MEMORY;
  owner->arena = dls_arena_create();
  status = owner->arena ? run(owner, contact_state, &chosen, message) : DLS_ERR_MEMORY;
  if (status == DLS_OK) *impact = &owner->impact;
  else dls_impact_free(&owner->impact);
  return status;
}

void dls_impact_free(dls_impact *impact)
{
  if (!impact) return;
  owned_impact *owner = (owned_impact *)impact;
  dls_check_free(owner->check[0]);
  dls_check_free(owner->check[1]);
  dls_arena_free(owner->arena);
  free(owner);
}
