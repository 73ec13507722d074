// Does a point solve the contact problem?                                 eq (con.3), (chk.7)
#include "verify/checks.h"
#include "verify/modes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// One contact in scaled units.
typedef struct contact_values {
  dls_interval a, s[2];  // normal and tangential acceleration
  double lambda, tau[2];
  double mu, xi[2];
  int slips;
  bool bilateral, sliding;
  double force, acceleration;  // sizes of its part
  double force_load, acceleration_load;
  const dls_trial *x;
} contact_values;

static contact_values values_of(dls_trial *x, int j, const dls_point *point, dls_sizes *size)
{
  const dls_data *d = &x->data;
  const int part = d->contact_part[j];
  const dls_interval unit = dls_exactly(d->C[j]);
  double terms;
  contact_values c = {.lambda = point->lambda[j] / d->C[j],
                      .mu = d->mu[j],
                      .slips = dls_slips_of(d, j),
                      .bilateral = dls_is_bilateral(d, j),
                      .sliding = d->sliding[j]};
  c.a = dls_interval_mul(unit, dls_column_times(x, d->b[j], d->g[j], point->z, &terms));
  dls_raise(&size->acceleration[part], d->C[j] * terms);
  dls_raise(&size->force[part], fabs(c.lambda));
  for (int k = 0; k < c.slips; k++) {
    const int slip = d->first[j] + k;
    c.s[k] = dls_interval_mul(
        unit, dls_column_times(x, d->b_t[slip], dls_slip_column(d, slip), point->z, &terms));
    c.tau[k] = point->tau[slip] / d->C[j];
    c.xi[k] = d->xi[slip];
    dls_raise(&size->acceleration[part], d->C[j] * terms);
    dls_raise(&size->force[part], fabs(c.tau[k]));
  }
  c.x = x;
  c.force = size->force[part], c.acceleration = size->acceleration[part];
  c.force_load = d->force_load[part], c.acceleration_load = d->acceleration_load[part];
  return c;
}

// ---- the law of one contact: how far a branch of it is from holding -----------------------------

static double of_force(const contact_values *c, double error)
{
  const double unit = fmax(1, c->mu);
  return dls_relative(c->x, error, c->force * unit, c->force_load * unit);
}

static double of_acceleration(const contact_values *c, double error)
{
  return dls_relative(c->x, error, c->acceleration, c->acceleration_load);
}

static double length(double a, double b)
{
  return dls_interval_length(dls_exactly(a), dls_exactly(b)).high;
}

// Friction mu |lambda| against the unit vector u, which is one up to two units in the last place.
static double friction_miss(const contact_values *c, const double *u)
{
  const dls_interval bound = dls_interval_mul(dls_exactly(c->mu), dls_exactly(fabs(c->lambda)));
  dls_interval e[2] = {{0, 0}, {0, 0}};
  for (int k = 0; k < c->slips; k++)
    e[k] = dls_interval_add(dls_exactly(c->tau[k]), dls_interval_mul(bound, dls_exactly(u[k])));
  return dls_add_up(dls_interval_length(e[0], e[1]).high, 4 * DBL_EPSILON * bound.high);
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
  return dls_larger(of_force(c, friction_miss(c, u)), of_acceleration(c, ray_miss(c, u)));
}

// Starting to slip: the direction that the acceleration or that the force shows.
static double slide_error(const contact_values *c)
{
  const double by_slip = slide_along(c, c->s[0].low, c->s[1].low);
  const double by_force = slide_along(c, -c->tau[0], -c->tau[1]);
  return by_slip < by_force ? by_slip : by_force;
}

static double stick_error(const contact_values *c)
{
  const dls_interval tau = dls_interval_length(dls_exactly(c->tau[0]), dls_exactly(c->tau[1]));
  const dls_interval room =
      dls_interval_sub(dls_interval_mul(dls_exactly(c->mu), dls_exactly(fabs(c->lambda))), tau);
  return dls_larger(of_force(c, dls_interval_below(room)),
                    of_acceleration(c, dls_interval_length(c->s[0], c->s[1]).high));
}

static double tangential_error(const contact_values *c, bool stick)
{
  if (c->slips == 0) return 0;
  if (c->sliding) return of_force(c, friction_miss(c, c->xi));
  if (stick) return stick_error(c);
  const double sticking = stick_error(c), sliding = slide_error(c);
  return c->mu == 0 ? of_force(c, length(c->tau[0], c->tau[1]))
                    : (sticking < sliding ? sticking : sliding);
}

// stick: nothing detaches, and what sticks goes on sticking.
static double law_error(const contact_values *c, bool stick)
{
  double closed = of_acceleration(c, dls_interval_abs(c->a).high);
  if (!c->bilateral) closed = dls_larger(closed, of_force(c, fmax(0, -c->lambda)));
  closed = dls_larger(closed, tangential_error(c, stick));
  if (c->bilateral || stick) return closed;
  const double force = of_force(c, length(length(c->tau[0], c->tau[1]), c->lambda));
  const double open = dls_larger(force, of_acceleration(c, dls_interval_below(c->a)));
  return closed < open ? closed : open;
}

// ---- the whole point ---------------------------------------------------------------------------

static bool make_sizes(dls_trial *x, dls_sizes *size)
{
  const dls_data *d = &x->data;
  const size_t parts = (size_t)d->parts;
  size->balance = dls_trial_alloc(x, parts, sizeof(double));
  size->force = dls_trial_alloc(x, parts, sizeof(double));
  size->acceleration = dls_trial_alloc(x, parts, sizeof(double));
  if (!size->balance || !size->force || !size->acceleration) return false;
  for (size_t p = 0; p < parts; p++) {
    size->balance[p] = d->force_load[p];
    size->acceleration[p] = d->acceleration_load[p];
  }
  return true;
}

// Largest relative error of M z + F = G lambda + H tau.
static double balance_error(dls_trial *x, const dls_point *point, dls_sizes *size)
{
  const dls_data *d = &x->data;
  const size_t parts = (size_t)d->parts;
  double *error = dls_trial_alloc(x, parts, sizeof *error), residual = 0;
  double *contact = dls_trial_alloc(x, parts, sizeof *contact);
  if (!error || !contact) return (double)NAN;
  for (int i = 0; i < d->n; i++) {
    const int p = d->coordinate_part[i];
    const dls_row row = dls_balance_row(x, i, d->F[i], point->z, -1, point->lambda, point->tau);
    dls_raise(&error[p], dls_magnitude(row.value, d->D[i]));
    dls_raise(&size->balance[p], d->D[i] * row.load);
    dls_raise(&contact[p], d->D[i] * row.contact);
    if (d->massive[p]) dls_raise(&size->acceleration[p], d->D[i] * row.load);
  }
  for (int p = 0; p < d->parts; p++) {
    if (size->balance[p] == 0) size->balance[p] = contact[p];
    dls_raise(&size->force[p], size->balance[p]);
    dls_raise(&residual, dls_relative(x, error[p], size->balance[p], d->force_load[p]));
  }
  return residual;
}

bool dls_measure_point(dls_trial *x, const dls_point *point, dls_sizes *size)
{
  if (!make_sizes(x, size)) return false;
  balance_error(x, point, size);
  for (int j = 0; j < x->data.m; j++) values_of(x, j, point, size);
  return !x->out_of_memory;
}

bool dls_check_balance(dls_trial *x, dls_finding *f, const dls_point *point, const char *who)
{
  dls_sizes size;
  char what[160];
  snprintf(what, sizeof what, "%s does not balance the forces", who);
  return make_sizes(x, &size) && dls_within(x, f, balance_error(x, point, &size), what);
}

bool dls_check_solves(dls_trial *x, dls_finding *f, const dls_point *point, bool stick,
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
  }
  return true;
}

bool dls_opens(dls_trial *x, const dls_point *point, dls_sizes *size, int contact)
{
  const contact_values c = values_of(x, contact, point, size);
  return !c.bilateral && dls_over(fmax(0, c.a.low), c.acceleration) > x->tolerance;
}

bool dls_modes_of_point(dls_trial *x, const dls_point *point, dls_modes *mode)
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
    else if (!(dls_over(slip, c.acceleration) > x->tolerance)) mode[j] = DLS_STICK;
    else if (c.slips == 1) mode[j] = c.s[0].low > 0 ? DLS_PLUS : DLS_MINUS;
    else return false;
    if (c.bilateral && c.lambda < 0 && dls_has_friction(d, j)) mode[j] <<= DLS_PULL_SHIFT;
  }
  return true;
}

// How near an exact solution lies; NaN when none is proven to exist.
double dls_exact_solution(dls_trial *x, const dls_point *point)
{
  dls_enclosure e;
  dls_modes *mode = dls_trial_alloc(x, (size_t)x->data.m, sizeof *mode);
  if (!mode || !dls_modes_of_point(x, point, mode) || !dls_solve_modes(x, mode, NULL, &e))
    return (double)NAN;
  if (!e.forces || e.inequality != DLS_INSIDE) return (double)NAN;
  return dls_distance(x, &e, point, true);
}

bool dls_proves_solution(dls_trial *x, dls_finding *f, const dls_point *point, const char *what)
{
  const double distance = dls_exact_solution(x, point);
  if (x->out_of_memory) return false;
  if (distance <= x->tolerance)
    return dls_proves(x, f, "%s; an exact solution lies within %.2g of it", what, distance);
  return dls_proves(x, f, "%s, to %.2g", what, f->residual);
}

// ---- the solutions of the report ---------------------------------------------------------------

static bool read_forces(dls_trial *x, dls_finding *f, const json_t *forces, double *lambda,
                        double *tau)
{
  const dls_data *d = &x->data;
  if (!json_is_object(forces) || json_object_size(forces) != (size_t)d->m)
    return dls_fails(x, f, "forces: expected one entry for each of the %d closed contacts", d->m);
  for (int j = 0; j < d->m; j++) {
    const json_t *force = json_object_get(forces, d->contact_name[j]);
    const json_t *normal = json_object_get(force, "normal");
    const json_t *tangential = json_object_get(force, "tangential");
    bool good = json_is_number(normal) && json_array_size(tangential) == (size_t)dls_slips_of(d, j);
    lambda[j] = json_number_value(normal);
    for (int k = d->first[j]; good && k < d->first[j + 1]; k++) {
      const json_t *value = json_array_get(tangential, (size_t)(k - d->first[j]));
      good = json_is_number(value);
      tau[k] = json_number_value(value);
    }
    if (!good)
      return dls_fails(x, f, "forces: that of contact %.60s is malformed", d->contact_name[j]);
  }
  return true;
}

void dls_check_solution(dls_trial *x, dls_finding *f, const json_t *solution)
{
  const dls_data *d = &x->data;
  double *lambda = dls_trial_alloc(x, (size_t)d->m, sizeof *lambda);
  double *tau = dls_trial_alloc(x, (size_t)d->slips, sizeof *tau);
  if (!json_is_object(solution)) {
    dls_fails(x, f, "expected an object");
    return;
  }
  const double *z = dls_read_coordinates(x, f, solution, "acceleration");
  if (!z || !lambda || !tau) return;
  if (!read_forces(x, f, json_object_get(solution, "forces"), lambda, tau)) return;
  const dls_point point = {z, lambda, tau};
  if (!dls_check_solves(x, f, &point, false, "it") ||
      !dls_proves_solution(x, f, &point, "it solves the contact problem"))
    return;
  if (!x->shown) x->shown = true, x->first_shown = point;
}

// The interval contains the value; one that was not computed is absent.
static bool lies_in(double value, const json_t *range, double slack)
{
  const json_t *low = json_array_get(range, 0), *high = json_array_get(range, 1);
  if (json_array_size(range) != 2) return false;
  if (!json_is_null(low) && !(json_is_number(low) && json_number_value(low) <= value + slack))
    return false;
  return json_is_null(high) || (json_is_number(high) && value - slack <= json_number_value(high));
}

static bool range_contains(const dls_data *d, int j, const dls_point *point, const json_t *range,
                           double slack)
{
  const json_t *normal = json_object_get(range, "normal");
  const json_t *tangential = json_object_get(range, "tangential");
  if (normal && !lies_in(point->lambda[j], normal, slack)) return false;
  if (tangential && json_array_size(tangential) != (size_t)dls_slips_of(d, j)) return false;
  for (int k = 0; tangential && k < dls_slips_of(d, j); k++)
    if (!lies_in(point->tau[d->first[j] + k], json_array_get(tangential, (size_t)k), slack))
      return false;
  return normal || tangential;
}

void dls_check_range(dls_trial *x, dls_finding *f, const char *contact, const json_t *range)
{
  const dls_data *d = &x->data;
  int j = 0;
  while (j < d->m && strcmp(d->contact_name[j], contact) != 0) j++;
  if (j == d->m) {
    dls_fails(x, f, "no closed contact has this name");
    return;
  }
  if (!x->shown) {
    dls_fails(x, f, "there is no solution that it could be compared with");
    return;
  }
  double size = 0;
  for (int k = 0; k < d->m; k++) size = fmax(size, fabs(x->first_shown.lambda[k]) / d->C[k]);
  if (range_contains(d, j, &x->first_shown, range, x->tolerance * size * d->C[j]))
    dls_proves(x, f, "it contains the force shown");
  else dls_fails(x, f, "it does not contain the force shown (%.6g)", x->first_shown.lambda[j]);
}
