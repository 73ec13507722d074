#include "verify/difference.h"

#include "base/format.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

const char *dls_difference(dls_trial *x, const char *format, ...)
{
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  dls_format_list(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *copy = dls_arena_copy(x->texts, text, strlen(text));
  if (!copy) x->out_of_memory = true;
  return copy;
}

// What the evaluation of the model may be wrong by, here and where the report was made.
static bool same_number(double claimed, dls_rounded found)
{
  return fabs(claimed - found.value) <=
         same_state * found.error + written_rounding * DBL_EPSILON * fabs(found.value);
}

// Positive coefficients are compared in their own size.
static bool same_coefficient(const dls_trial *x, double a, double b)
{
  return fabs(a - b) <= x->tolerance * fmax(fabs(a), fabs(b));
}

static const char *contact_difference(dls_trial *x, const dls_saved_contact *a,
                                      const dls_seen_contact *b)
{
  const char *kind = b->info->dry                     ? "friction"
                     : b->info->kind == DLS_BILATERAL ? "bilateral"
                                                      : "unilateral";
  const char *status = dls_seen_status_name(b->status);
  if (strcmp(a->name, b->info->name) != 0)
    return dls_difference(x, "contact %.60s in the report is %.60s in the model", a->name,
                          b->info->name);
  if (strcmp(a->kind, kind) != 0)
    return dls_difference(x, "contact %.60s: %.20s in the report, %s in the model", a->name,
                          a->kind, kind);
  if (a->rolling != b->info->rolling)
    return dls_difference(x, "contact %.60s: %s in the report, %s in the model", a->name,
                          a->rolling ? "rolling" : "not rolling",
                          b->info->rolling ? "rolling" : "not rolling");
  const struct {
    const char *what;
    double a, b;
    bool same;
  } numbers[] = {
      {"friction", a->friction, b->friction, same_coefficient(x, a->friction, b->friction)},
      {"force of friction", a->force, b->force, same_coefficient(x, a->force, b->force)},
      {"static friction", a->most, b->given_most, same_coefficient(x, a->most, b->given_most)},
      {"restitution", a->restitution, b->restitution,
       same_coefficient(x, a->restitution, b->restitution)},
      {"gap", a->gap, b->gap.value, same_number(a->gap, b->gap)},
      {"normal velocity", a->normal_velocity, b->normal_velocity.value,
       same_number(a->normal_velocity, b->normal_velocity)},
      {"number of slips", a->tangents, b->info->tangents, a->tangents == b->info->tangents},
      {"slip", a->slip[0], b->slip[0].value, same_number(a->slip[0], b->slip[0])},
      {"second slip", a->slip[1], b->slip[1].value, same_number(a->slip[1], b->slip[1])}};
  for (ptrdiff_t k = 0; k < dls_count_of(numbers); k++)
    if (!numbers[k].same)
      return dls_difference(x, "contact %.60s: %s %.9g in the report, %.9g in the model", a->name,
                            numbers[k].what, numbers[k].a, numbers[k].b);
  if (strcmp(a->status, status) != 0)
    return dls_difference(x, "contact %.60s: %.20s in the report, %s in the model", a->name,
                          a->status, status);
  return NULL;
}

static bool is_velocity(const char *name, const char *coordinate)
{
  const size_t length = strlen(coordinate);
  return strncmp(name, coordinate, length) == 0 && strcmp(name + length, "'") == 0;
}

const char *dls_names_difference(dls_trial *x, bool of_bodies)
{
  const dls_saved_report *saved = x->saved;
  const dls_system *s = x->system;
  const int nq = s->chart ? s->chart->nq : s->n;
  const char *const *configuration = s->chart ? s->chart->names : s->coordinates;
  if (saved->nq != nq)
    return dls_difference(x, "%d coordinates in the report, %d in the model", saved->nq, nq);
  if (saved->n != s->n)
    return dls_difference(x, "%d velocities in the report, %d in the model", saved->n, s->n);
  for (int i = 0; i < nq; i++)
    if (strcmp(saved->coordinates[i], configuration[i]) != 0)
      return dls_difference(x, "coordinate %.60s in the report is %.60s in the model",
                            saved->coordinates[i], configuration[i]);
  for (int i = 0; saved->velocities && i < s->n; i++)
    if (!is_velocity(saved->velocities[i], s->coordinates[i]))
      return dls_difference(x, "velocity %.60s in the report is %.60s' in the model",
                            saved->velocities[i], s->coordinates[i]);
  if (!of_bodies && saved->m != s->m)
    return dls_difference(x, "%d contacts in the report, %d in the model", saved->m, s->m);
  const dls_model *model = dls_system_model(s);
  for (int i = 0; i < saved->parameters; i++) {
    int k = 0;
    while (model && k < dls_model_parameter_count(model) &&
           strcmp(dls_model_parameter_name(model, k), saved->parameter[i].name) != 0)
      k++;
    if (!model || k == dls_model_parameter_count(model))
      return dls_difference(x, "parameter %.60s is in the report, not in the model",
                            saved->parameter[i].name);
  }
  return NULL;
}

const char *dls_contacts_difference(dls_trial *x, const dls_seen_state *state)
{
  const char *found = NULL;
  for (int j = 0; j < state->m && !found; j++)
    found = contact_difference(x, &x->saved->contacts[j], &state->contacts[j]);
  return found;
}
