// A system with additional forces on its velocities, which change from step to step: every function
// is that of the inner system, and F, on the left side of eq (dyn.1), has the forces taken off.
//
// The forces are constant in the local coordinates of a chart, too; where these are not the
// velocities' own, somebody else sees to it that there are none.
#include "common.h"

#include <stdlib.h>
#include <string.h>

struct forced {
  dls_system system;
  const dls_system *inner;
  dls_chart chart;
  double *force;
};

static dls_status evaluate(void *self, double t, const double *q, const double *v,
                           const dls_values *values, const dls_values *bound, dls_message *message)
{
  const forced *f = self;
  const dls_status status = f->inner->evaluate(f->inner->self, t, q, v, values, bound, message);
  for (int i = 0; status == DLS_OK && i < f->inner->n; i++) values->F[i] -= f->force[i];
  return status;
}

static dls_status differentiate(void *self, double t, const double *q, const double *v,
                                const double *a, const double *lambda, const double *tau,
                                const dls_derivatives *out, dls_message *message)
{
  const dls_system *s = ((const forced *)self)->inner;
  return s->differentiate(s->self, t, q, v, a, lambda, tau, out, message);
}

static dls_status energy(void *self, double t, const double *q, const double *v, double *kinetic,
                         double *potential, dls_message *message)
{
  const dls_system *s = ((const forced *)self)->inner;
  return s->energy(s->self, t, q, v, kinetic, potential, message);
}

static dls_status branches(void *self, double t, const double *q, const double *v, double *branch,
                           dls_message *message)
{
  const dls_system *s = ((const forced *)self)->inner;
  return s->branches(s->self, t, q, v, branch, message);
}

static dls_status branch_margins(void *self, double t, const double *q, const double *v,
                                 const double *branch, double *margin, dls_message *message)
{
  const dls_system *s = ((const forced *)self)->inner;
  return s->branch_margins(s->self, t, q, v, branch, margin, message);
}

static void hold(void *self, const double *branch)
{
  const dls_system *s = ((const forced *)self)->inner;
  s->hold(s->self, branch);
}

static dls_status centre(void *self, const double *q, dls_message *message)
{
  const dls_system *s = ((const forced *)self)->inner;
  return s->chart->centre(s->self, q, message);
}

static dls_status enter(void *self, const double *q, const double *v, double *x, double *x_dot)
{
  const dls_system *s = ((const forced *)self)->inner;
  return s->chart->enter(s->self, q, v, x, x_dot);
}

static void leave(void *self, const double *x, const double *x_dot, double *q, double *v)
{
  const dls_system *s = ((const forced *)self)->inner;
  s->chart->leave(s->self, x, x_dot, q, v);
}

static dls_status find(void *self, double t, const double *q, const double *v, double reach,
                       double horizon, int *count, const uint64_t **id, dls_message *message)
{
  const dls_system *s = ((const forced *)self)->inner;
  return s->find(s->self, t, q, v, reach, horizon, count, id, message);
}

// What may have changed with the contacts, or with parameters.
void forced_follow(forced *f)
{
  const dls_system *s = f->inner;
  f->system.m = s->m;
  f->system.tangents = s->tangents;
  f->system.contacts = s->contacts;
  f->system.mass = s->mass;
  f->system.normal = s->normal;
  f->system.tangent = s->tangent;
  f->system.derivative = s->derivative;
  f->system.couplings = s->couplings;
  f->system.coupling = s->coupling;
}

static dls_status select_contacts(void *self, int count, const uint64_t *id, dls_message *message)
{
  forced *f = self;
  const dls_status status = f->inner->select(f->inner->self, count, id, message);
  forced_follow(f);
  return status;
}

forced *forced_create(const dls_system *inner)
{
  forced *f = calloc(1, sizeof *f);
  if (f) f->force = calloc((size_t)inner->n + 1, sizeof(double));
  if (!f || !f->force) {
    free(f);
    return NULL;
  }
  f->inner = inner;
  f->system = (dls_system){.n = inner->n,
                           .coordinates = inner->coordinates,
                           .self = f,
                           .evaluate = evaluate,
                           .poisson = inner->poisson,
                           .switches = inner->switches};
  forced_follow(f);
  if (inner->differentiate) f->system.differentiate = differentiate;
  if (inner->energy) f->system.energy = energy;
  if (inner->switches)
    f->system.branches = branches, f->system.branch_margins = branch_margins, f->system.hold = hold;
  if (inner->find) f->system.find = find, f->system.select = select_contacts;
  if (inner->chart) {
    f->chart = (dls_chart){inner->chart->nq, inner->chart->names, centre, enter, leave};
    f->system.chart = &f->chart;
  }
  return f;
}

void forced_free(forced *f)
{
  if (!f) return;
  free(f->force);
  free(f);
}

const dls_system *forced_system(const forced *f)
{
  return &f->system;
}

double *forced_force(forced *f)
{
  return f->force;
}
