// Does a point solve the contact problem?                                 eq (con.3), (fri.2)
#include "verify/checks.h"
#include "verify/claim_modes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// One contact in scaled units.
typedef struct contact_values {
  dls_interval a, s[2];  // normal and tangential acceleration
  double lambda, tau[2];
  double mu, mu_s, xi[2];
  int tangents;
  bool bilateral, sliding;
  double force, acceleration;  // sizes of its part
  double force_load, acceleration_load;
  dls_trial *x;
} contact_values;

static contact_values values_of(dls_trial *x, int j, const dls_trial_point *point, dls_sizes *size)
{
  const dls_data *d = &x->data;
  const int part = d->contact_part[j];
  const dls_interval unit = dls_exactly(d->C[j]);
  double terms;
  contact_values c = {.lambda = point->lambda[j] / d->C[j],
                      .mu = d->mu[j],
                      .mu_s = d->mu_s[j],
                      .tangents = dls_tangents_of(d, j),
                      .bilateral = dls_is_bilateral(d, j),
                      .sliding = d->sliding[j]};
  c.a = dls_interval_mul(unit, dls_column_times(x, d->b[j], d->g[j], point->z, &terms));
  double own = dls_mul_up(d->C[j], terms);
  dls_raise(&size->force[part], fabs(c.lambda));
  for (int k = 0; k < c.tangents; k++) {
    const int slip = d->first[j] + k;
    c.s[k] = dls_interval_mul(
        unit, dls_column_times(x, d->b_t[slip], dls_slip_column(d, slip), point->z, &terms));
    c.tau[k] = point->tau[slip] / d->C[j];
    c.xi[k] = d->xi[slip];
    if (dls_slip_counts(d, j)) dls_raise(&own, dls_mul_up(d->C[j], terms));
    dls_raise(&size->force[part], fabs(c.tau[k]));
  }
  c.x = x;
  // what is imposed at other contacts excuses nothing here
  c.force = size->force[part], c.acceleration = dls_larger(own, size->acceleration[part]);
  c.force_load = d->force_load[part], c.acceleration_load = d->acceleration_load[part];
  return c;
}

// ---- the law of one contact: how far a branch of it is from holding -----------------------------

static double of_force(const contact_values *c, double error)
{
  return dls_relative(c->x, error, c->force, c->force_load);
}

// How far (lambda, tau) is from where |tau| exceeds mu |lambda| by that much less: both give way.
static double of_friction(const contact_values *c, double error)
{
  return of_force(c, dls_quotient(error, 1 + c->mu));
}

static double of_acceleration(const contact_values *c, double error)
{
  return dls_relative(c->x, error, c->acceleration, c->acceleration_load);
}

static double length(double a, double b)
{
  return dls_interval_length(dls_exactly(a), dls_exactly(b)).high;
}

// Friction mu |lambda| against the unit vector u, which in space is one up to two units in the last
// place.
static double friction_miss(const contact_values *c, const double *u)
{
  const dls_interval bound = dls_interval_mul(dls_exactly(c->mu), dls_exactly(fabs(c->lambda)));
  dls_interval e[2] = {{0, 0}, {0, 0}};
  for (int k = 0; k < 2; k++)
    e[k] = dls_interval_add(dls_exactly(c->tau[k]), dls_interval_mul(bound, dls_exactly(u[k])));
  const double miss = dls_interval_length(e[0], e[1]).high;
  if (c->tangents == 1) return miss;
  return dls_add_up(miss, comparison_rounding * DBL_EPSILON * bound.high);
}

// Distance of the slip acceleration from the ray along u.
static double ray_miss(const contact_values *c, const double *u)
{
  const dls_interval along = dls_interval_max(
      dls_exactly(0), dls_interval_add(dls_interval_mul(c->s[0], dls_exactly(u[0])),
                                       dls_interval_mul(c->s[1], dls_exactly(u[1]))));
  dls_interval e[2];
  for (int k = 0; k < 2; k++)
    e[k] = dls_interval_sub(c->s[k], dls_interval_mul(along, dls_exactly(u[k])));
  return dls_interval_length(e[0], e[1]).high;
}

static double slide_along(const contact_values *c, double u0, double u1)
{
  const double size = hypot(u0, u1);
  if (!(size > 0) || !isfinite(size)) return INFINITY;
  const double u[2] = {u0 / size, u1 / size};
  return dls_larger(of_friction(c, friction_miss(c, u)), of_acceleration(c, ray_miss(c, u)));
}

// Starting to slip: the direction that the acceleration or that the force shows, or any when there
// is neither.
static double slide_error(const contact_values *c)
{
  const double error[] = {slide_along(c, c->s[0].low, c->s[1].low),
                          slide_along(c, -c->tau[0], -c->tau[1]), slide_along(c, 1, 0)};
  double least = error[0];
  for (int k = 1; k < 3; k++)
    if (error[k] < least) least = error[k];
  return least;
}

// mu_s |lambda| - |tau|: forces that cancel may be so large that it must not be rounded.
static dls_interval room_of(const contact_values *c)
{
  if (c->tangents == 1) {
    dls_sum_start(&c->x->sum, -fabs(c->tau[0]));
    dls_sum_add(&c->x->sum, c->mu_s, fabs(c->lambda));
    return dls_sum_value(&c->x->sum);
  }
  const dls_interval tau = dls_interval_length(dls_exactly(c->tau[0]), dls_exactly(c->tau[1]));
  return dls_interval_sub(dls_interval_mul(dls_exactly(c->mu_s), dls_exactly(fabs(c->lambda))),
                          tau);
}

static double stick_error(const contact_values *c)
{
  const dls_interval room = room_of(c);
  return dls_larger(of_force(c, dls_quotient(dls_interval_below(room), 1 + c->mu_s)),
                    of_acceleration(c, dls_interval_length(c->s[0], c->s[1]).high));
}

static double tangential_error(const contact_values *c, bool stick)
{
  if (c->tangents == 0) return 0;
  if (c->sliding) return of_friction(c, friction_miss(c, c->xi));
  if (stick) return stick_error(c);
  const double sticking = stick_error(c), sliding = slide_error(c);
  return c->mu_s == 0 ? of_force(c, length(c->tau[0], c->tau[1]))
                      : (sticking < sliding ? sticking : sliding);
}

static double open_error(const contact_values *c)
{
  const double force = of_force(c, length(length(c->tau[0], c->tau[1]), c->lambda));
  return dls_larger(force, of_acceleration(c, dls_interval_below(c->a)));
}

// stick: nothing detaches, and what sticks goes on sticking.
static double law_error(const contact_values *c, bool stick)
{
  double closed = of_acceleration(c, dls_interval_abs(c->a).high);
  if (!c->bilateral) closed = dls_larger(closed, of_force(c, fmax(0, -c->lambda)));
  closed = dls_larger(closed, tangential_error(c, stick));
  if (c->bilateral || stick) return closed;
  const double open = open_error(c);
  return closed < open ? closed : open;
}

// The branch that a report names: stays closed in this way, or opens.
static double branch_error(const contact_values *c, const char *mode)
{
  const double closed = dls_larger(of_acceleration(c, dls_interval_abs(c->a).high),
                                   c->bilateral ? 0 : of_force(c, fmax(0, -c->lambda)));
  if (strcmp(mode, "detach") == 0) return c->bilateral ? INFINITY : open_error(c);
  if (strcmp(mode, "frictionless") == 0)
    return c->tangents && c->mu_s > 0 ? INFINITY : dls_larger(closed, tangential_error(c, false));
  if (c->tangents == 0 || c->mu_s == 0) return INFINITY;
  if (strcmp(mode, "stick") == 0) return c->sliding ? INFINITY : dls_larger(closed, stick_error(c));
  if (strcmp(mode, "slide") != 0) return INFINITY;
  return dls_larger(closed, c->sliding ? tangential_error(c, false) : slide_error(c));
}

// ---- the whole point ---------------------------------------------------------------------------

static bool make_sizes(dls_trial *x, dls_sizes *size)
{
  const dls_data *d = &x->data;
  const ptrdiff_t parts = d->parts;
  size->balance = dls_trial_alloc(x, parts, sizeof(double));
  size->force = dls_trial_alloc(x, parts, sizeof(double));
  size->acceleration = dls_trial_alloc(x, parts, sizeof(double));
  if (!size->balance || !size->force || !size->acceleration) return false;
  for (ptrdiff_t p = 0; p < parts; p++) {
    const bool moved = d->massive[p] && d->pushed[p];
    size->balance[p] = moved ? 0 : d->force_floor[p];
    size->acceleration[p] = moved ? 0 : d->acceleration_floor[p];
  }
  // where a load makes accelerations they are measured by what it makes, and not by what is imposed
  // at contacts that may slip or open
  for (int i = 0; i < d->n; i++) {
    const double load = d->D[i] * fabs(d->F[i]);
    dls_raise(&size->balance[d->coordinate_part[i]], load);
    if (dls_has_mass(d, i)) dls_raise(&size->acceleration[d->coordinate_part[i]], load);
  }
  return true;
}

// Largest relative error of M z + F = G lambda + H tau.
static double balance_error(dls_trial *x, const dls_trial_point *point, dls_sizes *size)
{
  const dls_data *d = &x->data;
  const ptrdiff_t parts = d->parts;
  double *error = dls_trial_alloc(x, parts, sizeof *error), residual = 0;
  double *contact = dls_trial_alloc(x, parts, sizeof *contact);
  if (!error || !contact) return (double)NAN;
  for (int i = 0; i < d->n; i++) {
    const int p = d->coordinate_part[i];
    const dls_enclosed_row row =
        dls_step_kkt_row(x, i, d->F[i], point->z, -1, point->lambda, point->tau);
    dls_raise(&error[p], dls_magnitude(row.value, d->D[i]));
    dls_raise(&size->balance[p], d->D[i] * row.load);
    dls_raise(&contact[p], d->D[i] * row.contact);
    if (dls_has_mass(d, i)) dls_raise(&size->acceleration[p], d->D[i] * row.load);
  }
  for (int p = 0; p < d->parts; p++) {
    if (!d->pushed[p]) dls_raise(&size->balance[p], contact[p]);  // there is nothing else
    else if (x->squeezed)
      dls_raise(&size->balance[p], fmin(contact[p], DLS_DECISIVE * size->balance[p]));
    dls_raise(&size->force[p], size->balance[p]);
    dls_raise(&residual, dls_relative(x, error[p], size->balance[p], d->force_load[p]));
  }
  return residual;
}

bool dls_measure_point(dls_trial *x, const dls_trial_point *point, dls_sizes *size)
{
  if (!make_sizes(x, size)) return false;
  balance_error(x, point, size);
  for (int j = 0; j < x->data.m; j++) values_of(x, j, point, size);
  return !x->out_of_memory;
}

bool dls_check_balance(dls_trial *x, dls_finding *f, const dls_trial_point *point, const char *who)
{
  dls_sizes size;
  char what[160];
  snprintf(what, sizeof what, "%s does not balance the forces", who);
  return make_sizes(x, &size) && dls_within(x, f, balance_error(x, point, &size), what);
}

// Friction that is wrong beside its own bound, although it is next to nothing beside other forces:
// whether the law holds is not told by them.
static bool is_faint(const contact_values *c)
{
  const double tau = length(c->tau[0], c->tau[1]);
  const double slip = of_acceleration(c, dls_interval_length(c->s[0], c->s[1]).low);
  const bool slips = c->sliding || slip > c->x->tolerance;
  const double mu = slips ? c->mu : c->mu_s, bound = mu * fabs(c->lambda);
  double miss = fmax(0, tau - bound);
  if (c->mu_s == 0 || c->tangents == 0) return false;
  if (c->sliding) miss = friction_miss(c, c->xi);
  else if (slip > c->x->tolerance) miss = fabs(tau - bound);
  return miss > c->x->tolerance * fmax(tau, bound) && miss > c->x->data.noise * c->force * (1 + mu);
}

bool dls_check_solves(dls_trial *x, dls_finding *f, const dls_trial_point *point, bool stick,
                      const char *who)
{
  const dls_data *d = &x->data;
  dls_sizes size;
  char what[160];
  if (!dls_check_balance(x, f, point, who) || !dls_measure_point(x, point, &size)) return false;
  for (int j = 0; j < d->m; j++) {
    const contact_values c = values_of(x, j, point, &size);
    snprintf(what, sizeof what, "%s does not fulfil the law of contact %.60s", who,
             d->contact_name[j]);
    if (!dls_within(x, f, law_error(&c, stick), what)) return false;
    if (is_faint(&c))
      dls_leaves_open(x, f, "the friction of contact %.60s is small beside other forces",
                      d->contact_name[j]);
  }
  return true;
}

double dls_opens_by(dls_trial *x, const dls_trial_point *point, dls_sizes *size, int contact)
{
  const contact_values c = values_of(x, contact, point, size);
  return c.bilateral ? 0 : dls_quotient(fmax(0, c.a.low), c.acceleration);
}

bool dls_opens(dls_trial *x, const dls_trial_point *point, dls_sizes *size, int contact)
{
  return dls_opens_by(x, point, size, contact) > x->tolerance;
}

bool dls_modes_of_point(dls_trial *x, const dls_trial_point *point, dls_modes *mode)
{
  const dls_data *d = &x->data;
  dls_sizes size;
  if (!dls_measure_point(x, point, &size)) return false;
  for (int j = 0; j < d->m; j++) {
    const contact_values c = values_of(x, j, point, &size);
    const double slip = dls_interval_length(c.s[0], c.s[1]).low;
    if (dls_opens(x, point, &size, j)) mode[j] = DLS_DETACH;
    else if (!dls_has_friction(d, j)) mode[j] = DLS_CLOSED;
    else if (c.sliding) mode[j] = DLS_SLIDE;
    else if (!(dls_quotient(slip, c.acceleration) > x->tolerance)) mode[j] = DLS_STICK;
    else if (c.tangents == 1) mode[j] = c.s[0].low > 0 ? DLS_PLUS : DLS_MINUS;
    else return false;
    if (c.bilateral && c.lambda < 0 && dls_has_friction(d, j)) mode[j] <<= DLS_PULL_SHIFT;
  }
  return true;
}

// More forces than coordinates are not unique, whatever they are.
static bool redundant(const dls_data *d, const dls_modes *mode)
{
  int forces = 0;
  for (int j = 0; j < d->m; j++) {
    const bool sticks = mode[j] == DLS_STICK || mode[j] == DLS_STICK << DLS_PULL_SHIFT;
    if (mode[j] != DLS_DETACH) forces += sticks ? 1 + dls_tangents_of(d, j) : 1;
  }
  return forces > d->n;
}

// How near an exact solution lies; NaN when none is proven to exist.
double dls_exact_solution(dls_trial *x, const dls_trial_point *point)
{
  dls_enclosure e;
  dls_modes *mode = dls_trial_alloc(x, x->data.m, sizeof *mode);
  if (!mode || !dls_modes_of_point(x, point, mode) || redundant(&x->data, mode)) return (double)NAN;
  if (!dls_solve_modes(x, mode, NULL, &e)) return (double)NAN;
  if (!e.forces || !e.accelerations || e.inequality != DLS_INSIDE) return (double)NAN;
  return dls_larger(dls_distance(x, &e, point, true), dls_distance(x, &e, point, false));
}

bool dls_proves_solution(dls_trial *x, dls_finding *f, const dls_trial_point *point,
                         const char *what)
{
  const double distance = dls_exact_solution(x, point);
  if (x->out_of_memory) return false;
  if (distance <= x->tolerance)
    return dls_proves(x, f, "%s; an exact solution lies within %.2g of it", what, distance);
  return dls_proves(x, f, "%s, %s", what, dls_precision(x, f));
}

// ---- what a report says of a contact in a solution ---------------------------------------------

double dls_mode_error(dls_trial *x, const dls_trial_point *point, dls_sizes *size, int contact,
                      const char *mode)
{
  const contact_values c = values_of(x, contact, point, size);
  const double error = branch_error(&c, mode);
  // what is open has no force, and no rounding of it
  if (strcmp(mode, "detach") != 0) return error;
  return dls_larger(error, DLS_SHARP * of_force(&c, fabs(c.lambda)));
}

double dls_acceleration_error(dls_trial *x, const dls_trial_point *point, dls_sizes *size,
                              int contact, int slip, double claimed)
{
  const contact_values c = values_of(x, contact, point, size);
  const double unit = x->data.C[contact] * (slip < 0 ? 1 : x->data.S[contact]);
  const dls_interval scaled = dls_interval_mul(dls_exactly(claimed), dls_exactly(unit));
  const dls_interval error = dls_interval_sub(slip < 0 ? c.a : c.s[slip], scaled);
  const double *column = slip < 0 ? x->data.g[contact] : NULL;
  double constant = slip < 0 ? x->data.b[contact] : 0, own;
  if (slip >= 0) {
    const int k = x->data.first[contact] + slip;
    column = dls_slip_column(&x->data, k), constant = x->data.b_t[k];
  }
  dls_column_times(x, constant, column, point->z, &own);
  own = dls_mul_up(x->data.C[contact], own);
  const double away = dls_interval_abs(error).high;
  // that of a contact that slides already may have terms that nothing else has
  const bool counts = slip < 0 || dls_slip_counts(&x->data, contact);
  const double all =
      counts ? of_acceleration(&c, away) : dls_quotient(away, dls_larger(c.acceleration, own));
  // a product of numbers of the report has the digits of its own terms, but for accelerations that
  // are rounding beside others
  const double rounding = edge_of_opening * x->data.noise * c.acceleration;
  return DLS_SHARP * dls_larger(all, dls_quotient(fmax(0, away - rounding), own));
}
