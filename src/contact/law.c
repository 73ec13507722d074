// The laws of contacts: natural maps, projections and what is wrong with a point, one contact at a
// time.
//
// With the trial force X = r - u (times rho, in a method) each law is r = trial(X):   eq (law.1)
//
//   normal      max(0, X_N),  or X_N where u_N = 0 is asked for
//   tangential  the nearest point to X_T of the disc with the radius mu |X_N|, or bound;  where the
//               contact slides -mu |X_N| direction, of the normal above;  X_T of an equation
#include "contact/law.h"

#include "base/larger.h"
#include "base/message.h"
#include "contact/incremental.h"

#include <math.h>

const char *dls_law_name(int law)
{
  switch (law) {
#define NAME(code, name) \
  case code: return name;
    DLS_LAW_LIST(NAME)
#undef NAME
  default: return NULL;
  }
}

// ---- of a problem ------------------------------------------------------------------------------

unsigned dls_incremental_laws(const dls_incremental *p)
{
  unsigned laws = p->law ? 0 : DLS_LAW_BIT(DLS_LAW_CONE);
  for (int i = 0; p->law && i < p->contacts; i++) {
    if (p->law[i] >= DLS_LAW_COUNT) return 0;
    laws |= DLS_LAW_BIT(p->law[i]);
  }
  return laws ? laws : DLS_LAW_BIT(DLS_LAW_CONE);
}

static dls_status check_sliding(const dls_incremental *p, int i, dls_message *message)
{
  if (!p->direction)
    return dls_fail(message, DLS_ERR_ARGUMENT, "contact %d slides, but direction is missing", i);
  const dls_one_law l = dls_law_at(p, i);
  if (!isfinite(l.direction[0]) || !isfinite(l.direction[1]))
    return dls_fail(message, DLS_ERR_NUMBER, "the direction of contact %d is not finite", i);
  const double length = dls_length(l.direction[0], l.direction[1]);
  if (!(fabs(length - 1) <= unit_length))
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "the direction of contact %d has the length %g, expected 1", i, length);
  return DLS_OK;
}

static dls_status check_bound(const dls_incremental *p, int i, dls_message *message)
{
  if (!p->bound)
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "the friction of contact %d is bounded, but bound is missing", i);
  if (!isfinite(p->bound[i]))
    return dls_fail(message, DLS_ERR_NUMBER, "bound[%d] is not a finite number", i);
  if (p->bound[i] < 0)
    return dls_fail(message, DLS_ERR_ARGUMENT, "bound[%d] = %g is negative", i, p->bound[i]);
  return DLS_OK;
}

dls_status dls_laws_validate(const dls_incremental *p, dls_message *message)
{
  dls_status status = DLS_OK;
  for (int i = 0; p->law && i < p->contacts && status == DLS_OK; i++) {
    if (p->law[i] >= DLS_LAW_COUNT)
      status = dls_fail(message, DLS_ERR_ARGUMENT, "law[%d] = %d is no law", i, p->law[i]);
    else if (dls_law_slides((dls_law)p->law[i])) status = check_sliding(p, i, message);
    else if (dls_law_is_bounded((dls_law)p->law[i])) status = check_bound(p, i, message);
  }
  return status;
}

// ---- natural maps ------------------------------------------------------------------------------

// The nearest point of a disc around 0; NaN stays.
static void to_disc(int rows, double radius, const double *x, double *out)
{
  const double x2 = rows == 3 ? x[1] : 0, t = rows == 3 ? dls_length(x[0], x2) : fabs(x[0]);
  const double scale = t <= radius ? 1 : radius / t;
  out[0] = scale * x[0];
  if (rows == 3) out[1] = scale * x2;
}

static double friction_of(const dls_one_law *l, double normal)
{
  return dls_law_is_bounded(l->law) ? l->bound : l->mu * fabs(normal);
}

void dls_law_trial(int rows, const dls_one_law *l, const double *X, double *force)
{
  const double normal = dls_law_is_bilateral(l->law) || !(X[0] <= 0) ? X[0] : 0;
  force[0] = normal;
  if (l->law == DLS_LAW_EQUATION)
    for (int k = 1; k < rows; k++) force[k] = X[k];
  else if (dls_law_slides(l->law))
    for (int k = 1; k < rows; k++) force[k] = -l->mu * fabs(normal) * l->direction[k - 1];
  else to_disc(rows, friction_of(l, normal), X + 1, force + 1);
}

double dls_law_square(int rows, const dls_one_law *law, double unit, const double *r,
                      const double *u)
{
  if (law->law == DLS_LAW_CONE) return dls_natural_square(rows, law->mu, unit, r, u);
  dls_one_law l = *law;
  l.bound *= unit;
  double X[3] = {0}, force[3], sum = 0;
  for (int k = 0; k < rows; k++) X[k] = unit * r[k] - u[k];
  dls_law_trial(rows, &l, X, force);
  for (int k = 0; k < rows; k++) sum += (unit * r[k] - force[k]) * (unit * r[k] - force[k]);
  return sum;
}

// ---- forces that a law allows ------------------------------------------------------------------

void dls_law_project(int rows, const dls_one_law *l, const double *r, double *projected)
{
  const bool turned = l->law == DLS_LAW_BILATERAL_CONE && r[0] < 0;
  if (l->law == DLS_LAW_CONE || l->law == DLS_LAW_BILATERAL_CONE) {
    double x[3] = {turned ? -r[0] : r[0], r[1], rows == 3 ? r[2] : 0};
    dls_friction_cone_project(rows, l->mu, x, projected);
    if (turned) projected[0] = -projected[0];
  } else {
    dls_law_trial(rows, l, r, projected);
  }
}

// ---- what is wrong -----------------------------------------------------------------------------

static double length(int rows, const double *x)
{
  return rows == 3 ? dls_length(x[0], x[1]) : fabs(x[0]);
}

// Relative; what has no scale must be nothing.
static double relative(double value, double size)
{
  return value == 0 ? 0 : size > 0 ? value / size : INFINITY * value;
}

static double look_at_normal(const dls_one_law *l, const double *r, const double *u, double size,
                             double fine, dls_incremental_error *error)
{
  if (dls_law_is_bilateral(l->law)) {
    error->normal = dls_larger(error->normal, relative(fabs(u[0]), size));
    return fabs(u[0]);
  }
  const double sunk = dls_negative_part(u[0]), pull = dls_negative_part(r[0]);
  error->normal = dls_larger(error->normal, relative(sunk, size));
  error->cone = dls_larger(error->cone, relative(pull, size));
  error->complementarity =
      dls_larger(error->complementarity, relative(dls_max(dls_min(r[0], u[0]), 0), size));
  return dls_max(sunk, dls_min(fine * r[0], u[0]));
}

// Friction: its force in the disc, and slip only with all of it, and against it.
static double look_at_friction(int rows, const dls_one_law *l, const double *r, const double *u,
                               double size, double fine, dls_incremental_error *error)
{
  const double force = length(rows, r + 1), slip = length(rows, u + 1), most = friction_of(l, r[0]);
  const double inside = (most - force) / sqrt(1 + l->mu * l->mu);
  double angle[2] = {0};
  if (force > 0 && slip > 0 && (l->mu > 0 || l->bound > 0))
    for (int k = 0; k < rows - 1; k++) angle[k] = r[k + 1] / force + u[k + 1] / slip;
  const double turn = length(rows, angle), turned = dls_min(force, slip) * turn;
  error->cone = dls_larger(error->cone, relative(dls_negative_part(inside), size));
  error->slip =
      dls_larger(error->slip, relative(dls_max(dls_max(dls_min(inside, slip), 0), turned), size));
  const double within = fine * (inside - dls_force_rounding * (force + fabs(r[0])));
  return dls_max(dls_min(within, slip), dls_min(fine * force, slip) * turn);
}

double dls_law_look_at(int rows, const dls_one_law *l, const double *r, const double *u,
                       double size, double fine, dls_incremental_error *error)
{
  const double wrong = look_at_normal(l, r, u, size, fine, error);
  if (l->law == DLS_LAW_EQUATION) {
    const double slip = length(rows, u + 1);
    error->equation = dls_larger(error->equation, relative(dls_larger(slip, wrong), size));
    return dls_max(wrong, slip);
  }
  if (!dls_law_slides(l->law))
    return dls_max(wrong, look_at_friction(rows, l, r, u, size, fine, error));
  double miss[2] = {0};
  for (int k = 0; k < rows - 1; k++) miss[k] = r[k + 1] + l->mu * fabs(r[0]) * l->direction[k];
  error->cone =
      dls_larger(error->cone, relative(length(rows, miss) / sqrt(1 + l->mu * l->mu), size));
  return wrong;
}
