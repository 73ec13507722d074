// A motion of an impact: momentum, laws, velocities and energies.         eq (imp.4), (chk.9)
#include "verify/motion.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The point is the jump of the velocities and the percussions.
bool dls_read_motion(dls_trial *x, dls_finding *f, const json_t *object, dls_trial_point *point)
{
  double *lambda = dls_trial_alloc(x, x->data.m, sizeof *lambda);
  double *tau = dls_trial_alloc(x, x->data.tangents, sizeof *tau);
  point->z = dls_read_coordinates(x, f, object, "jump");
  point->lambda = lambda, point->tau = tau;
  return point->z && lambda && tau &&
         dls_read_forces(x, f, json_object_get(object, "percussions"), lambda, tau);
}

static bool check_modes(dls_trial *x, dls_finding *f, const dls_trial_point *point,
                        const json_t *object)
{
  dls_sizes size;
  char what[160];
  if (!dls_measure_point(x, point, &size)) return false;
  for (int j = 0; j < x->data.m; j++) {
    const char *name = x->data.contact_name[j];
    const json_t *one = json_object_get(json_object_get(object, "percussions"), name);
    const char *mode = json_string_value(json_object_get(one, "mode"));
    snprintf(what, sizeof what, "contact %.60s does not %.20s", name, mode ? mode : "");
    if (mode && !dls_within(x, f, dls_mode_error(x, point, &size, j, mode), what)) return false;
  }
  return true;
}

// v+ = v- + jump.
bool dls_check_after(dls_trial *x, dls_finding *f, const dls_trial_point *point,
                     const json_t *object)
{
  const double *v = x->state->v;
  const double *after = dls_read_coordinates(x, f, object, "velocities_after");
  if (!after) return false;
  for (int i = 0; i < x->data.n; i++) {
    const dls_interval sum = dls_interval_add(dls_exactly(v[i]), dls_exactly(point->z[i]));
    const dls_interval error = dls_interval_sub(dls_exactly(after[i]), sum);
    if (!dls_within(x, f,
                    dls_quotient(dls_interval_abs(error).high, fabs(v[i]) + fabs(point->z[i])),
                    "velocities_after is not the velocity before plus the jump"))
      return false;
  }
  return true;
}

// u- + G^T jump of a contact, or of one of its slips.
static dls_interval velocity_after(const dls_before *before, dls_trial *x, int contact, int slip,
                                   const double *jump, double *size)
{
  const dls_data *d = &x->data;
  if (slip >= 0) return dls_column_times(x, d->b_t[slip], dls_slip_column(d, slip), jump, size);
  return dls_column_times(x, before->normal[contact - d->m_b], d->g[contact], jump, size);
}

// What velocities of a contact are measured by: those of its part, and its own terms.   eq (chk.1)
static double speed_of(const dls_data *d, const dls_sizes *size, int contact, double terms)
{
  return dls_larger(terms, size->acceleration[d->contact_part[contact]] / d->C[contact]);
}

static bool check_normal_velocities(const dls_before *before, dls_trial *x, dls_finding *f,
                                    const dls_trial_point *point, const json_t *object)
{
  const dls_data *d = &x->data;
  const json_t *both = json_object_get(object, "normal_velocities");
  const int m_u = d->m - d->m_b;
  double *was = dls_trial_alloc(x, m_u, sizeof *was);
  double *after = dls_trial_alloc(x, m_u, sizeof *after);
  const char *const *names = (const char *const *)d->contact_name + d->m_b;
  dls_sizes sizes;
  if (!was || !after || !dls_measure_point(x, point, &sizes) ||
      !dls_read_named(x, f, json_object_get(both, "before"), "before", names, m_u, was) ||
      !dls_read_named(x, f, json_object_get(both, "after"), "after", names, m_u, after))
    return false;
  for (int u = 0; u < m_u; u++) {
    double size;
    const dls_interval found = velocity_after(before, x, d->m_b + u, -1, point->z, &size);
    const dls_interval error = dls_interval_sub(dls_exactly(after[u]), found);
    const double wrong = dls_larger(fabs(was[u] - before->normal[u]), dls_interval_abs(error).high);
    if (!dls_within(x, f, dls_quotient(wrong, speed_of(d, &sizes, d->m_b + u, size)),
                    "normal_velocities are others"))
      return false;
  }
  return true;
}

// ---- energies ----------------------------------------------------------------------------------

// 1/2 v^T M v, and the sum of the magnitudes of its terms.
static dls_interval kinetic(dls_trial *x, const double *v, double *size)
{
  const dls_data *d = &x->data;
  dls_interval sum = dls_exactly(0);
  *size = 0;
  for (int i = 0; i < d->n; i++) {
    double terms;
    const dls_interval row = dls_column_times(x, 0, d->M + (ptrdiff_t)d->n * i, v, &terms);
    sum = dls_interval_add(sum, dls_interval_mul(dls_exactly(v[i] / 2), row));
    *size += fabs(v[i]) / 2 * terms;
  }
  return sum;
}

static void add_work(const dls_before *before, dls_trial *x, int contact, int slip,
                     double percussion, const double *jump, dls_interval *work, double *size)
{
  const double was = slip >= 0 ? x->data.b_t[slip] : before->normal[contact - x->data.m_b];
  double terms;
  const dls_interval after = velocity_after(before, x, contact, slip, jump, &terms);
  const dls_interval mean = dls_interval_add(dls_exactly(was), after);
  *work = dls_interval_add(*work, dls_interval_mul(dls_exactly(percussion / 2), mean));
  *size += fabs(percussion) / 2 * (fabs(was) + terms);
}

// Lost, kept or gained: the sign of the work of the percussions, beyond the tolerance. eq (imp.4)
static bool check_balance_word(dls_trial *x, dls_finding *f, const char *word, dls_interval work,
                               double size)
{
  if (!word) return dls_fails(x, f, "kinetic_energy.balance is absent");
  const double most = kept_below * x->tolerance * size;
  const double least = changed_above * x->tolerance * size;
  const bool good = strcmp(word, "lost") == 0     ? work.high < -least
                    : strcmp(word, "gained") == 0 ? work.low > least
                    : strcmp(word, "kept") == 0   ? work.low >= -most && work.high <= most
                                                  : false;
  return good || dls_fails(x, f, "energy is not %.20s: the percussions work %.6g to %.6g", word,
                           work.low, work.high);
}

bool dls_check_energies(const dls_before *before, dls_trial *x, dls_finding *f,
                        const dls_trial_point *point, const json_t *object)
{
  const dls_data *d = &x->data;
  const json_t *energy = json_object_get(object, "kinetic_energy");
  double *after = dls_trial_alloc(x, d->n, sizeof *after);
  if (!after) return false;
  for (int i = 0; i < d->n; i++) after[i] = x->state->v[i] + point->z[i];
  double size_before, size_after, work_size = 0;
  const dls_interval T_before = kinetic(x, x->state->v, &size_before);
  const dls_interval T_after = kinetic(x, after, &size_after);
  const double size = size_before + size_after;
  dls_interval work = dls_exactly(0);
  for (int j = d->m_b; j < d->m; j++)
    add_work(before, x, j, -1, point->lambda[j], point->z, &work, &work_size);
  for (int k = 0; k < d->tangents; k++)
    add_work(before, x, -1, k, point->tau[k], point->z, &work, &work_size);
  const char *word = json_string_value(json_object_get(energy, "balance"));
  return dls_check_number(x, f, json_object_get(energy, "before"), T_before, size,
                          "kinetic_energy.before is another") &&
         dls_check_number(x, f, json_object_get(energy, "after"), T_after, size,
                          "kinetic_energy.after is another") &&
         dls_check_number(x, f, json_object_get(energy, "change"),
                          dls_interval_sub(T_after, T_before), size,
                          "kinetic_energy.change is another") &&
         dls_check_number(x, f, json_object_get(energy, "contact_work"), work, work_size,
                          "kinetic_energy.contact_work is another") &&
         check_balance_word(x, f, word, work, work_size);
}

static bool check_slip_velocities(const dls_before *before, dls_trial *x, dls_finding *f,
                                  const dls_trial_point *point, const json_t *object)
{
  const dls_data *d = &x->data;
  const json_t *both = json_object_get(object, "slip_velocities");
  if (d->tangents == 0 && !both) return true;
  if (!json_is_object(both)) return dls_fails(x, f, "slip_velocities: expected an object");
  const double *was = dls_read_slips(x, f, both, "before");
  const double *after = was ? dls_read_slips(x, f, both, "after") : NULL;
  dls_sizes sizes;
  if (!after || !dls_measure_point(x, point, &sizes)) return false;
  for (int k = 0, contact = 0; k < d->tangents; k++) {
    double size;
    while (k >= d->first[contact + 1]) contact++;
    const dls_interval found = velocity_after(before, x, -1, k, point->z, &size);
    const dls_interval error = dls_interval_sub(dls_exactly(after[k]), found);
    const double wrong = dls_larger(fabs(was[k] - d->b_t[k]), dls_interval_abs(error).high);
    if (!dls_within(x, f, dls_quotient(wrong, speed_of(d, &sizes, contact, size)),
                    "slip_velocities are others"))
      return false;
  }
  return true;
}

bool dls_check_velocities(const dls_before *before, dls_trial *x, dls_finding *f,
                          const dls_trial_point *point, const json_t *object)
{
  return dls_check_after(x, f, point, object) &&
         check_normal_velocities(before, x, f, point, object) &&
         check_slip_velocities(before, x, f, point, object) &&
         dls_check_energies(before, x, f, point, object);
}

bool dls_check_motion(const dls_before *before, dls_trial *x, dls_finding *f, const json_t *object,
                      dls_trial_point *point)
{
  return dls_read_motion(x, f, object, point) && dls_check_solves(x, f, point, false, "it") &&
         check_modes(x, f, point, object) && dls_check_velocities(before, x, f, point, object);
}

bool dls_check_no_motion(dls_trial *x, dls_finding *f, const json_t *object)
{
  static const char *const keys[] = {"velocities_after", "jump",
                                     "percussions",      "normal_velocities",
                                     "slip_velocities",  "continuum"};
  for (ptrdiff_t k = 0; k < dls_count_of(keys); k++) {
    const json_t *value = json_object_get(object, keys[k]);
    if (value && !json_is_null(value))
      return dls_fails(x, f, "there is no law, but there is %s", keys[k]);
  }
  const json_t *energy = json_object_get(object, "kinetic_energy");
  const json_t *after = json_object_get(energy, "after");
  double size;
  const dls_interval before = kinetic(x, x->state->v, &size);
  if (after && !json_is_null(after))
    return dls_fails(x, f, "there is no law, but there is an energy after it");
  return dls_check_number(x, f, json_object_get(energy, "before"), before, size,
                          "kinetic_energy.before is another");
}
