// The solution of the equations of one combination of modes, enclosed, and what the inequalities of
// the modes say of it.
#include "verify/mode_equations.h"

#include <math.h>

// ---- inequalities ------------------------------------------------------------------------------

typedef struct assess {
  dls_trial *x;
  const dls_modes *mode;
  const struct dls_intervals *X;
  double *size;  // by part
  dls_enclosure *e;
} assess;

// Scaled constant + column^T z.
static dls_interval acceleration(const assess *g, int contact, const double *column, double b)
{
  const dls_data *d = &g->x->data;
  mpfi_t sum, entry;
  dls_mpfi_init(sum), dls_mpfi_init(entry);
  mpfi_set_d(sum, d->C[contact] * b);
  for (int i = 0; i < d->n; i++) {
    mpfi_set_d(entry, d->C[contact] * d->D[i] * column[i]);
    dls_add_product(sum, entry, dls_at(g->X, i, 0));
  }
  const dls_interval value = dls_interval_of(sum);
  mpfi_clear(sum), mpfi_clear(entry);
  return value;
}

// value >= 0 is asked for.
static void ask(assess *g, int contact, dls_interval value)
{
  const double border = g->x->data.noise * g->size[g->x->data.contact_part[contact]];
  if (value.high < -border) g->e->inequality = DLS_OUTSIDE;
  else if (!(value.low > border) && g->e->inequality == DLS_INSIDE) g->e->inequality = DLS_BORDER;
}

static void ask_forces(assess *g, int j)
{
  const dls_data *d = &g->x->data;
  const dls_modes mode = dls_mode_only(g->mode[j]);
  if (mode == DLS_CLOSED && dls_is_bilateral(d, j)) return;
  const dls_interval force =
      dls_interval_mul(dls_exactly(dls_mode_sign(g->mode[j])), g->e->lambda[j]);
  ask(g, j, force);
  if (mode != DLS_STICK) return;
  dls_interval t[2] = {{0, 0}, {0, 0}};
  for (int k = 0; k < dls_tangents_of(d, j); k++) t[k] = g->e->tau[d->first[j] + k];
  ask(g, j,
      dls_interval_sub(dls_interval_mul(dls_exactly(d->mu_s[j]), force),
                       dls_interval_length(t[0], t[1])));
}

static void assess_accelerations(assess *g, int j)
{
  const dls_data *d = &g->x->data;
  const dls_modes mode = dls_mode_only(g->mode[j]);
  const int k = d->first[j];
  if (mode == DLS_DETACH) ask(g, j, acceleration(g, j, d->g[j], d->b[j]));
  if (mode != DLS_PLUS && mode != DLS_MINUS) return;
  const dls_interval s = acceleration(g, j, dls_slip_column(d, k), d->b_t[k]);
  ask(g, j, dls_interval_mul(dls_exactly(mode == DLS_PLUS ? 1 : -1), s));
}

static void assess_contacts(assess *g)
{
  const dls_data *d = &g->x->data;
  if (!g->e->accelerations || !g->e->forces) g->e->inequality = DLS_BORDER;
  for (int j = 0; j < d->m; j++) {
    if (g->e->accelerations) assess_accelerations(g, j);
    if (g->e->forces && dls_mode_only(g->mode[j]) != DLS_DETACH) ask_forces(g, j);
  }
}

// ---- the enclosure -----------------------------------------------------------------------------

static double middle(dls_interval x)
{
  return fmax(fabs(x.low), fabs(x.high));
}

// What forces and accelerations of a part are measured by.
static void measure(assess *g)
{
  const dls_data *d = &g->x->data;
  for (int p = 0; p < d->parts; p++)
    g->size[p] = dls_larger(d->force_floor[p], d->acceleration_floor[p]);
  for (int i = 0; i < d->n; i++) dls_raise(&g->size[d->coordinate_part[i]], middle(g->e->z[i]));
  for (int j = 0; j < d->m; j++) {
    double *size = &g->size[d->contact_part[j]];
    dls_raise(size, middle(g->e->lambda[j]));
    for (int k = d->first[j]; k < d->first[j + 1]; k++) dls_raise(size, middle(g->e->tau[k]));
  }
}

static void read_off(dls_trial *x, const dls_mode_equations *q, const dls_intervals X,
                     dls_enclosure *e)
{
  const dls_data *d = &x->data;
  for (int i = 0; i < d->n && e->accelerations; i++) e->z[i] = dls_interval_of(dls_at(X, i, 0));
  for (int c = 0; c < q->count && e->forces; c++) {
    const dls_active *a = &q->active[c];
    const dls_interval force = dls_interval_mul(dls_exactly(dls_force_unit(d, a)),
                                                dls_interval_of(dls_at(X, d->n + c, 0)));
    if (a->slip >= 0) {
      e->tau[a->slip] = force;
      continue;
    }
    e->lambda[a->contact] = force;
    for (int k = 0; k < dls_tangents_of(d, a->contact); k++)
      if (a->u[k] != 0)
        e->tau[d->first[a->contact] + k] = dls_interval_mul(
            dls_interval_mul(dls_exactly(-a->sign * a->u[k]), dls_exactly(d->mu[a->contact])),
            force);
  }
}

static bool make_enclosure(dls_trial *x, dls_enclosure *e)
{
  const dls_data *d = &x->data;
  *e = (dls_enclosure){.inequality = DLS_INSIDE};
  e->z = dls_trial_alloc(x, d->n, sizeof *e->z);
  e->lambda = dls_trial_alloc(x, d->m, sizeof *e->lambda);
  e->tau = dls_trial_alloc(x, d->tangents, sizeof *e->tau);
  return e->z && e->lambda && e->tau;
}

bool dls_solve_modes(dls_trial *x, const dls_modes *mode, const dls_trial_point *point,
                     dls_enclosure *e)
{
  const dls_data *d = &x->data;
  dls_mode_equations q;
  assess g = {.x = x, .mode = mode, .e = e};
  bool linear = false;
  g.size = dls_trial_alloc(x, d->parts, sizeof *g.size);
  if (!make_enclosure(x, e) || !g.size || !dls_equations_create(x, mode, &q, &linear)) return false;
  if (!linear) {
    e->why = "the direction of sliding is free";
    return true;
  }
  dls_intervals X;
  dls_intervals_init(X, q.size, 1, DLS_BITS);
  dls_equations_solve(x, &q, mode, point, X, &e->accelerations, &e->forces);
  if (!e->forces) e->why = "its equations leave forces free";
  if (!e->accelerations) e->why = "its equations leave accelerations free";
  if (e->accelerations || e->forces) {
    read_off(x, &q, X, e);
    g.X = X;
    measure(&g);
    assess_contacts(&g);
  }
  dls_intervals_clear(X);
  return !x->out_of_memory;
}

static double away(dls_interval enclosed, double scaled)
{
  return dls_interval_abs(dls_interval_sub(enclosed, dls_exactly(scaled))).high;
}

double dls_distance(dls_trial *x, const dls_enclosure *e, const dls_trial_point *point, bool forces)
{
  const dls_data *d = &x->data;
  assess g = {.x = x, .e = (dls_enclosure *)e};
  double *error = dls_trial_alloc(x, d->parts, sizeof *error), distance = 0;
  g.size = dls_trial_alloc(x, d->parts, sizeof *g.size);
  if (!g.size || !error) return (double)NAN;
  measure(&g);
  for (int i = 0; i < d->n && !forces; i++)
    dls_raise(&error[d->coordinate_part[i]], away(e->z[i], point->z[i] / d->D[i]));
  for (int j = 0; j < d->m && forces; j++) {
    double *worst = &error[d->contact_part[j]];
    dls_raise(worst, away(e->lambda[j], point->lambda[j] / d->C[j]));
    for (int k = d->first[j]; k < d->first[j + 1]; k++)
      dls_raise(worst, away(e->tau[k], point->tau[k] / d->C[j]));
  }
  for (int p = 0; p < d->parts; p++) dls_raise(&distance, dls_quotient(error[p], g.size[p]));
  return distance;
}
