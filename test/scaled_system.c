#include "scaled_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct scaled {
  const dls_system *inner;
  scaled_units units;
  double *q, *v, *a;     // n: of the inner system
  double *lambda, *tau;  // m, tangents
} scaled;

static int side(scaled_units u, int i)
{
  return u.angle && u.angle[i] ? 0 : u.length;
}

int scaled_coordinate(scaled_units u, int i)
{
  return side(u, i);
}

int scaled_velocity(scaled_units u, int i)
{
  return side(u, i) - u.time;
}

int scaled_impulse(scaled_units u)
{
  return u.mass + u.length - u.time;
}

static void scale_all(int count, double *x, int exponent)
{
  for (int k = 0; k < count; k++) x[k] = ldexp(x[k], exponent);
}

// Entry (i, j) over s_i, and over s_j where columns belong to coordinates too.
static void scale_matrix(scaled_units u, const dls_pattern *p, double *x, int of_all, bool columns)
{
  for (int j = 0; j < p->cols; j++)
    for (int e = p->p[j]; e < p->p[j + 1]; e++)
      x[e] = ldexp(x[e], of_all - side(u, p->i[e]) - (columns ? side(u, j) : 0));
}

static void scale_values(const scaled *w, const dls_values *x)
{
  const dls_system *s = w->inner;
  const scaled_units u = w->units;
  const int energy = u.mass + 2 * u.length - 2 * u.time, speed = u.length - u.time;
  scale_matrix(u, &s->mass, x->M, u.mass + 2 * u.length, true);
  for (int i = 0; i < s->n; i++) x->F[i] = ldexp(x->F[i], energy - side(u, i));
  scale_all(s->m, x->h, u.length);
  scale_all(s->m, x->h_dot, speed);
  scale_all(s->m, x->b_n, speed - u.time);
  scale_all(s->tangents, x->slip, speed);
  scale_all(s->tangents, x->b_t, speed - u.time);
  scale_matrix(u, &s->normal, x->G, u.length, false);
  scale_matrix(u, &s->tangent, x->H, u.length, false);
}

// The state of the inner system.
static double take_back(const scaled *w, double t, const double *q, const double *v)
{
  for (int i = 0; i < w->inner->n; i++) {
    w->q[i] = ldexp(q[i], -scaled_coordinate(w->units, i));
    w->v[i] = ldexp(v[i], -scaled_velocity(w->units, i));
  }
  return ldexp(t, -w->units.time);
}

static dls_status evaluate(void *self, double t, const double *q, const double *v,
                           const dls_values *values, const dls_values *bound, dls_message *message)
{
  const scaled *w = self;
  t = take_back(w, t, q, v);
  const dls_status status =
      w->inner->evaluate(w->inner->self, t, w->q, w->v, values, bound, message);
  if (status != DLS_OK) return status;
  scale_values(w, values);
  if (bound) scale_values(w, bound);
  return DLS_OK;
}

static dls_status differentiate(void *self, double t, const double *q, const double *v,
                                const double *a, const double *lambda, const double *tau,
                                const dls_derivatives *out, dls_message *message)
{
  const scaled *w = self;
  const dls_system *s = w->inner;
  const scaled_units u = w->units;
  const int force = u.mass + u.length - 2 * u.time, energy = force + u.length;
  const int speed = u.length - u.time;
  t = take_back(w, t, q, v);
  for (int i = 0; i < s->n; i++) w->a[i] = ldexp(a[i], 2 * u.time - side(u, i));
  for (int j = 0; lambda && j < s->m; j++) w->lambda[j] = ldexp(lambda[j], -force);
  for (int k = 0; tau && k < s->tangents; k++) w->tau[k] = ldexp(tau[k], -force);
  const dls_status status = s->differentiate(
      s->self, t, w->q, w->v, w->a, lambda ? w->lambda : NULL, tau ? w->tau : NULL, out, message);
  if (status != DLS_OK) return status;
  const dls_derivative_patterns *d = s->derivative;
  scale_matrix(u, &d->R_q, out->R_q, energy, true);
  scale_matrix(u, &d->R_v, out->R_v, energy + u.time, true);
  scale_matrix(u, &d->N_q, out->N_q, speed - u.time, false);
  scale_matrix(u, &d->N_v, out->N_v, speed, false);
  scale_matrix(u, &d->T_q, out->T_q, speed - u.time, false);
  scale_matrix(u, &d->T_v, out->T_v, speed, false);
  scale_matrix(u, &d->D_q, out->D_q, speed, false);
  scale_matrix(u, &d->S_q, out->S_q, speed, false);
  return DLS_OK;
}

static dls_status energy_of(void *self, double t, const double *q, const double *v, double *kinetic,
                            double *potential, dls_message *message)
{
  const scaled *w = self;
  const int energy = w->units.mass + 2 * w->units.length - 2 * w->units.time;
  t = take_back(w, t, q, v);
  const dls_status status =
      w->inner->energy(w->inner->self, t, w->q, w->v, kinetic, potential, message);
  if (status != DLS_OK) return status;
  *kinetic = ldexp(*kinetic, energy), *potential = ldexp(*potential, energy);
  return DLS_OK;
}

static void destroy(dls_system *system)
{
  scaled *w = system->self;
  free(w->q);
  free(w);
  free(system);
}

dls_system *scaled_system(const dls_system *inner, scaled_units units)
{
  const size_t n = (size_t)inner->n, m = (size_t)inner->m;
  dls_system *system = malloc(sizeof *system);
  scaled *w = malloc(sizeof *w);
  double *memory = malloc((3 * n + m + (size_t)inner->tangents + 1) * sizeof *memory);
  if (!system || !w || !memory) {
    free(system), free(w), free(memory);
    return NULL;
  }
  *w = (scaled){.inner = inner, .units = units, .q = memory};
  w->v = w->q + n, w->a = w->v + n, w->lambda = w->a + n, w->tau = w->lambda + m;
  *system = *inner;
  system->self = w, system->evaluate = evaluate, system->destroy = destroy;
  system->differentiate = inner->differentiate ? differentiate : NULL;
  system->energy = inner->energy ? energy_of : NULL;
  return system;
}

void scaled_state(const dls_system *inner, scaled_units units, dls_state *state)
{
  state->t = ldexp(state->t, units.time);
  for (int i = 0; i < inner->n; i++) {
    state->q[i] = ldexp(state->q[i], scaled_coordinate(units, i));
    state->v[i] = ldexp(state->v[i], scaled_velocity(units, i));
  }
}
