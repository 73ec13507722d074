// The solutions that a report shows.
#include "verify/checks.h"

#include <math.h>
#include <stdio.h>

bool dls_read_forces(dls_trial *x, dls_finding *f, const json_t *forces, double *lambda,
                     double *tau)
{
  const dls_data *d = &x->data;
  if (!json_is_object(forces) || dls_json_size(forces) != d->m)
    return dls_fails(x, f, "forces: expected one entry for each of the %d closed contacts", d->m);
  for (int j = 0; j < d->m; j++) {
    const json_t *force = json_object_get(forces, d->contact_name[j]);
    const json_t *normal = json_object_get(force, "normal");
    const json_t *tangential = json_object_get(force, "tangential");
    bool good = json_is_number(normal) && dls_json_length(tangential) == dls_tangents_of(d, j);
    lambda[j] = json_number_value(normal);
    for (int k = d->first[j]; good && k < d->first[j + 1]; k++) {
      const json_t *value = dls_json_item(tangential, (k - d->first[j]));
      good = json_is_number(value);
      tau[k] = json_number_value(value) / d->S[j];
    }
    if (!good)
      return dls_fails(x, f, "forces: that of contact %.60s is malformed", d->contact_name[j]);
  }
  return true;
}

// The mode and the accelerations that are written next to a force.
static bool check_words(dls_trial *x, dls_finding *f, const dls_trial_point *point, dls_sizes *size,
                        int j, const json_t *force)
{
  const char *name = x->data.contact_name[j];
  const json_t *mode = json_object_get(force, "mode");
  const json_t *normal = json_object_get(force, "normal_acceleration");
  const json_t *slip = json_object_get(force, "slip_acceleration");
  char what[160];
  if (mode && !json_is_null(mode) && !json_is_string(mode))
    return dls_fails(x, f, "forces.%.60s.mode is not a string", name);
  snprintf(what, sizeof what, "contact %.60s does not %.20s", name,
           json_is_string(mode) ? json_string_value(mode) : "");
  if (json_is_string(mode) &&
      !dls_within(x, f, dls_mode_error(x, point, size, j, json_string_value(mode)), what))
    return false;
  snprintf(what, sizeof what, "contact %.60s: another normal acceleration", name);
  if (normal && !dls_within(x, f,
                            dls_acceleration_error(
                                x, point, size, j, -1,
                                json_is_number(normal) ? json_number_value(normal) : (double)NAN),
                            what))
    return false;
  snprintf(what, sizeof what, "contact %.60s: another slip acceleration", name);
  if (slip && dls_json_length(slip) != dls_tangents_of(&x->data, j))
    return dls_fails(x, f, "%s", what);
  for (int k = 0; slip && k < dls_tangents_of(&x->data, j); k++) {
    const json_t *value = dls_json_item(slip, k);
    const double claimed = json_is_number(value) ? json_number_value(value) : (double)NAN;
    if (!dls_within(x, f, dls_acceleration_error(x, point, size, j, k, claimed), what))
      return false;
  }
  return true;
}

static bool check_all_words(dls_trial *x, dls_finding *f, const dls_trial_point *point,
                            const json_t *forces)
{
  dls_sizes size;
  if (!dls_measure_point(x, point, &size)) return false;
  for (int j = 0; j < x->data.m; j++)
    if (!check_words(x, f, point, &size, j, json_object_get(forces, x->data.contact_name[j])))
      return false;
  return true;
}

void dls_check_solution(dls_trial *x, dls_finding *f, const json_t *solution)
{
  const dls_data *d = &x->data;
  double *lambda = dls_trial_alloc(x, d->m, sizeof *lambda);
  double *tau = dls_trial_alloc(x, d->tangents, sizeof *tau);
  if (!json_is_object(solution)) {
    dls_fails(x, f, "expected an object");
    return;
  }
  const double *z = dls_read_coordinates(x, f, solution, "acceleration");
  if (!z || !lambda || !tau) return;
  const json_t *forces = json_object_get(solution, "forces");
  if (!dls_read_forces(x, f, forces, lambda, tau)) return;
  const dls_trial_point point = {z, lambda, tau};
  if (!dls_check_solves(x, f, &point, false, "it") || !check_all_words(x, f, &point, forces))
    return;
  dls_proves_solution(x, f, &point, "it solves the contact problem");
  dls_show(x, &point);
}
