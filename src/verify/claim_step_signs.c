// A time step with friction at bilateral contacts: the leaves of a yes have velocities strictly
// inside the dual cones for w = 0, eq (stp.2), or in them for the imposed ones, eq (stp.3), and
// together all signs of the bilateral forces.
#include "verify/checks.h"
#include "verify/signs.h"

#include <math.h>

static bool is_round(const dls_data *d, int j)
{
  return dls_has_friction(d, j) && dls_tangents_of(d, j) > 1;
}

// What the cones leave of a part of the system: by how much laws fail that need not hold strictly,
// the least slack where they must, the size of what moves.
typedef struct fit {
  double error, least, size;
} fit;

static void measure(dls_trial *x, int j, const double *v, double sign, bool imposed, fit *part)
{
  const dls_data *d = &x->data;
  const double mu = dls_has_friction(d, j) ? d->mu[j] : 0;
  double terms;
  const dls_interval slip = mu > 0 ? dls_slip_length(x, j, v, imposed) : dls_exactly(0);
  const dls_interval normal = dls_column_times(x, imposed ? d->w_n[j] : 0, d->g[j], v, &terms);
  const dls_interval room = dls_interval_sub(dls_interval_mul(dls_exactly(sign), normal),
                                             dls_interval_mul(dls_exactly(mu), slip));
  dls_raise(&part->size, d->C[j] * terms);
  if (sign == 0 || (dls_is_bilateral(d, j) && mu == 0)) {
    dls_raise(&part->error, dls_magnitude(normal, d->C[j]));
    dls_raise(&part->error, dls_magnitude(slip, d->C[j]));
  } else if (imposed && !is_round(d, j)) {
    dls_raise(&part->error, dls_quotient(dls_mul_up(dls_interval_below(room), d->C[j]), 1 + mu));
  } else {
    part->least = fmin(part->least, d->C[j] * room.low / fmax(1, mu));
  }
}

// sign (g^T v + w_n) >= mu |H^T v + w_t|, and strictly where that is asked for, beyond what the
// equations leave open.
static bool check_cones(dls_trial *x, dls_finding *f, const double *v, const double *sign,
                        bool imposed)
{
  const dls_data *d = &x->data;
  fit *part = dls_trial_alloc(x, d->parts, sizeof *part);
  double residual = 0;
  if (!part) return false;
  for (int p = 0; p < d->parts; p++) part[p].least = INFINITY;
  for (int i = 0; i < d->n; i++) dls_raise(&part[d->coordinate_part[i]].size, fabs(v[i]) / d->D[i]);
  for (int j = 0; j < d->m; j++) {
    if (sign[j] == 0 && (!imposed || is_round(d, j)))
      return dls_fails(x, f, "a leaf does not tell the sign of contact %.60s", d->contact_name[j]);
    measure(x, j, v, sign[j], imposed, &part[d->contact_part[j]]);
  }
  for (int p = 0; p < d->parts; p++)
    dls_raise(&residual, dls_quotient(part[p].error, part[p].size));
  if (!dls_within(x, f, residual,
                  imposed ? "a velocity is not in the dual cones"
                          : "the direction does not keep bilateral contacts"))
    return false;
  for (int p = 0; p < d->parts; p++)
    if (!(part[p].least > fmax(DLS_DECISIVE * part[p].error, d->noise * part[p].size)))
      return dls_fails(x, f, "a leaf is not strictly inside the dual cones (%.3g)", part[p].least);
  return true;
}

static bool check_leaf(dls_trial *x, dls_finding *f, const json_t *leaf, const dls_signs *s)
{
  const bool imposed = dls_has(leaf, "velocity");
  const double *v = dls_read_coordinates(x, f, leaf, imposed ? "velocity" : "direction");
  return v && check_cones(x, f, v, s->sign, imposed);
}

// A direction holds for every imposed velocity, and needs the other bilateral contacts independent.
static bool check_held_contacts(dls_trial *x, dls_finding *f)
{
  const dls_data *d = &x->data;
  int *contact = dls_trial_alloc(x, d->m, sizeof *contact), count = 0;
  for (int j = 0; contact && j < d->m_b; j++)
    if (!dls_has_friction(d, j)) contact[count++] = j;
  return contact && dls_prove_independent(x, f, contact, count);
}

void dls_check_step_signs(dls_trial *x, dls_finding *f, const json_t *leaves)
{
  const dls_data *d = &x->data;
  dls_signs s;
  bool any = false, directions = false;
  if (!dls_signs_create(x, &s)) return;
  for (ptrdiff_t k = 0; k < dls_json_length(leaves); k++) {
    const json_t *leaf = dls_json_item(leaves, k);
    if (!dls_signs_read(x, f, leaf, &s) || !check_leaf(x, f, leaf, &s)) return;
    bool either = true;
    for (int j = 0; j < d->m_b; j++) either &= !dls_has_sign(d, j) || s.sign[j] == 0;
    any |= either;
    directions |= !dls_has(leaf, "velocity");
    dls_signs_cover(d, &s);
  }
  if (directions && !check_held_contacts(x, f)) return;
  if (!any && !dls_signs_all(&s))
    dls_fails(x, f, "the leaves are not one for each choice of signs");
  else if (directions)
    dls_proves(x, f, "no forces in the cones cancel, whatever the signs of bilateral ones, %s",
               dls_precision(x, f));
  else
    dls_proves(x, f, "velocities in the dual cones, whatever the signs of bilateral forces, %s",
               dls_precision(x, f));
}
