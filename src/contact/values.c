#include "contact/values.h"

#include "base/format.h"
#include "base/memory.h"
#include "base/message.h"
#include "contact/chart.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

dls_status dls_state_check(const dls_system *s, const dls_state *state, dls_message *message)
{
  if (!isfinite(state->t))
    return dls_fail(message, DLS_ERR_NUMBER, "the time is not a finite number");
  for (int i = 0; i < dls_system_nq(s); i++)
    if (!isfinite(state->q[i]))
      return dls_fail(message, DLS_ERR_NUMBER,
                      "coordinate `%s` of the state is not a finite number",
                      dls_configuration_names(s)[i]);
  for (int i = 0; i < s->n; i++)
    if (!isfinite(state->v[i]))
      return dls_fail(message, DLS_ERR_NUMBER,
                      "the velocity of `%s` of the state is not a finite number",
                      s->coordinates[i]);
  return DLS_OK;
}

// The exponent of a number that is not finite is all ones: adding one to it carries into the sign.
static inline uint64_t carry_of(int count, const double *x)
{
  uint64_t carry = 0;
  for (int k = 0; k < count; k++) {
    uint64_t bits;
    memcpy(&bits, &x[k], sizeof bits);
    carry |= (bits & 0x7ff0000000000000u) + 0x0010000000000000u;
  }
  return carry;
}

static inline bool none_negative(int count, const double *x)
{
  bool all = true;
  for (int k = 0; k < count; k++) all &= x[k] >= 0;
  return all;
}

// Says which array has a number that is not finite.
static dls_status name_array(const dls_system *s, const dls_values *x, dls_message *message)
{
  const struct {
    const char *name;
    const double *x;
    int count;
  } arrays[] = {{"mass matrix", x->M, s->mass.p[s->n]},
                {"force F", x->F, s->n},
                {"gap function h", x->h, s->m},
                {"gap velocity", x->h_dot, s->m},
                {"gradient G", x->G, s->normal.p[s->m]},
                {"acceleration term b_n", x->b_n, s->m},
                {"slip velocity", x->slip, s->tangents},
                {"slip direction H", x->H, s->tangent.p[s->tangents]},
                {"acceleration term b_t", x->b_t, s->tangents},
                {"restitution matrix", x->coupling, s->couplings}};
  for (ptrdiff_t a = 0; a < dls_count_of(arrays); a++)
    if (carry_of(arrays[a].count, arrays[a].x) >> 63 != 0)
      return dls_fail(message, DLS_ERR_NUMBER, "the %s is not finite at this state",
                      arrays[a].name);
  return DLS_OK;
}

// Says which contact has a coefficient that is none.
static dls_status name_law(const dls_system *s, const dls_values *x, dls_message *message)
{
  for (int j = 0; j < s->m; j++) {
    const char *name = s->contacts[j].name;
    if (!(x->friction[j] >= 0) || !isfinite(x->friction[j]))
      return dls_fail(message, DLS_ERR_NUMBER,
                      "the friction of contact `%s` is %g; it must be a number >= 0", name,
                      x->friction[j]);
    if (!(x->friction_force[j] >= 0) || !isfinite(x->friction_force[j]))
      return dls_fail(message, DLS_ERR_NUMBER,
                      "the force of friction of contact `%s` is %g; it must be a number >= 0", name,
                      x->friction_force[j]);
    if (s->contacts[j].has_static &&
        (!(x->static_friction[j] >= 0) || !isfinite(x->static_friction[j])))
      return dls_fail(message, DLS_ERR_NUMBER,
                      "the static friction of contact `%s` is %g; it must be a number >= 0", name,
                      x->static_friction[j]);
    if (!(x->restitution[j] >= 0) || !isfinite(x->restitution[j]))
      return dls_fail(message, DLS_ERR_NUMBER,
                      "the restitution of contact `%s` is %g; it must be a number >= 0", name,
                      x->restitution[j]);
  }
  return DLS_OK;
}

static dls_status check_laws(const dls_system *s, const dls_values *x, dls_message *message)
{
  const uint64_t carry = carry_of(s->m, x->friction) | carry_of(s->m, x->friction_force) |
                         carry_of(s->m, x->restitution);
  bool good = carry >> 63 == 0 && none_negative(s->m, x->friction) &&
              none_negative(s->m, x->friction_force) && none_negative(s->m, x->restitution);
  for (int j = 0; j < s->m && good; j++) good = !s->contacts[j].has_static;
  return good ? DLS_OK : name_law(s, x, message);
}

dls_status dls_values_check(const dls_system *s, const dls_values *x, dls_message *message)
{
  const uint64_t carry =
      carry_of(s->mass.p[s->n], x->M) | carry_of(s->n, x->F) | carry_of(s->m, x->h) |
      carry_of(s->m, x->h_dot) | carry_of(s->normal.p[s->m], x->G) | carry_of(s->m, x->b_n) |
      carry_of(s->tangents, x->slip) | carry_of(s->tangent.p[s->tangents], x->H) |
      carry_of(s->tangents, x->b_t) | carry_of(s->couplings, x->coupling);
  if (carry >> 63 != 0) return name_array(s, x, message);
  return check_laws(s, x, message);
}

// "t = 0, x = 1, x' = 0, …", as --at takes it; whole names, and only as many as fit.
static void write_state(const dls_system *s, const dls_state *state, char *text, size_t size)
{
  enum { SHOWN = 4 };
  static const char more[] = ", …";
  size_t used = (size_t)dls_format(text, size, "t = %.9g", state->t);
  for (int i = 0; i < s->n; i++) {
    const char *name = s->coordinates[i];
    const size_t room = size - used - sizeof more;
    const int length = dls_format(text + used, room, ", %s = %.9g, %s' = %.9g", name, state->q[i],
                                  name, state->v[i]);
    if (i == SHOWN || length < 0 || (size_t)length >= room) {
      memcpy(text + used, more, sizeof more);
      return;
    }
    used += (size_t)length;
  }
}

dls_status dls_energy_check(const dls_system *s, const dls_state *state, dls_message *message)
{
  if (!s->energy) return DLS_OK;
  double kinetic = 0, potential = 0;
  dls_message cause;
  cause.text[0] = '\0';
  const dls_status status =
      s->energy(s->self, state->t, state->q, state->v, &kinetic, &potential, &cause);
  if (status == DLS_OK && isfinite(kinetic) && isfinite(potential)) return DLS_OK;
  if (status != DLS_OK && status != DLS_ERR_NUMBER)
    return dls_fail(message, status, "%s", cause.text);
  if (status == DLS_OK) {  // a system that does not notice what it computes
    const bool first = !isfinite(kinetic);
    dls_fail(&cause, DLS_ERR_NUMBER, "the %s energy is %s", first ? "kinetic" : "potential",
             isnan(first ? kinetic : potential) ? "not a number" : "infinite");
  } else if (!cause.text[0]) {
    dls_fail(&cause, DLS_ERR_NUMBER, "the energy is not finite");
  }
  char at[400];
  write_state(s, state, at, sizeof at);
  return dls_fail(message, DLS_ERR_NUMBER, "%.500s at %s", cause.text, at);
}
