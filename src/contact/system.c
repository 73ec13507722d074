#include <delassus/system.h>

#include "base/memory.h"
#include "base/message.h"

#include <stdint.h>
#include <stdlib.h>

void dls_system_free(dls_system *system)
{
  if (system && system->destroy) system->destroy(system);
}

typedef struct part {
  double **array;
  ptrdiff_t count;
} part;

// The same carve measures (base NULL) and places.
static ptrdiff_t carve(double *base, const part *parts, ptrdiff_t count)
{
  ptrdiff_t used = 0;
  for (ptrdiff_t k = 0; k < count; k++) {
    if (base) *parts[k].array = base + used;
    used += parts[k].count;
  }
  return used;
}

static ptrdiff_t carve_values(const dls_system *s, double *base, dls_values *values)
{
  const ptrdiff_t n = s->n, m = s->m, tangents = s->tangents;
  const part parts[] = {{&values->M, (ptrdiff_t)s->mass.p[s->n]},
                        {&values->F, n},
                        {&values->h, m},
                        {&values->h_dot, m},
                        {&values->G, (ptrdiff_t)s->normal.p[s->m]},
                        {&values->b_n, m},
                        {&values->slip, tangents},
                        {&values->H, (ptrdiff_t)s->tangent.p[s->tangents]},
                        {&values->b_t, tangents},
                        {&values->friction, m},
                        {&values->restitution, m},
                        {&values->coupling, (ptrdiff_t)s->couplings},
                        {&values->friction_force, m},
                        {&values->static_friction, m}};
  return carve(base, parts, sizeof parts / sizeof *parts);
}

dls_status dls_values_create(const dls_system *system, dls_values **values)
{
  *values = NULL;
  dls_values layout = {0};
  const ptrdiff_t count = carve_values(system, NULL, &layout);
  if ((size_t)count > (SIZE_MAX - sizeof(dls_values)) / sizeof(double)) return DLS_ERR_LIMIT;
  *values = dls_alloc(1, sizeof(dls_values) + dls_bytes(count, sizeof(double)));
  if (!*values) return DLS_ERR_MEMORY;
  carve_values(system, (double *)(*values + 1), *values);
  return DLS_OK;
}

void dls_values_free(dls_values *values)
{
  free(values);
}

static ptrdiff_t entries(const dls_pattern *pattern)
{
  return pattern->p[pattern->cols];
}

static ptrdiff_t carve_derivatives(const dls_derivative_patterns *p, double *base,
                                   dls_derivatives *d)
{
  const part parts[] = {{&d->R_q, entries(&p->R_q)}, {&d->R_v, entries(&p->R_v)},
                        {&d->N_q, entries(&p->N_q)}, {&d->N_v, entries(&p->N_v)},
                        {&d->T_q, entries(&p->T_q)}, {&d->T_v, entries(&p->T_v)},
                        {&d->D_q, entries(&p->D_q)}, {&d->S_q, entries(&p->S_q)}};
  return carve(base, parts, sizeof parts / sizeof *parts);
}

dls_status dls_derivatives_create(const dls_system *system, dls_derivatives **derivatives)
{
  *derivatives = NULL;
  if (!system->derivative) return DLS_ERR_ARGUMENT;
  dls_derivatives layout = {0};
  const ptrdiff_t count = carve_derivatives(system->derivative, NULL, &layout);
  if ((size_t)count > (SIZE_MAX - sizeof(dls_derivatives)) / sizeof(double)) return DLS_ERR_LIMIT;
  *derivatives = dls_alloc(1, sizeof(dls_derivatives) + dls_bytes(count, sizeof(double)));
  if (!*derivatives) return DLS_ERR_MEMORY;
  carve_derivatives(system->derivative, (double *)(*derivatives + 1), *derivatives);
  return DLS_OK;
}

void dls_derivatives_free(dls_derivatives *derivatives)
{
  free(derivatives);
}

static dls_status validate_pattern(const char *name, const dls_pattern *pattern, int rows, int cols,
                                   dls_message *message)
{
  if (pattern->rows != rows || pattern->cols != cols || !pattern->p || pattern->p[0] != 0)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the %s pattern must be %d x %d and start at 0",
                    name, rows, cols);
  for (int j = 0; j < cols; j++) {
    if (pattern->p[j + 1] > 0 && !pattern->i)
      return dls_fail(message, DLS_ERR_ARGUMENT, "the %s pattern has no rows", name);
    if (pattern->p[j + 1] < pattern->p[j] || pattern->p[j + 1] - pattern->p[j] > rows)
      return dls_fail(message, DLS_ERR_ARGUMENT, "the %s pattern: column %d has a wrong length",
                      name, j);
    for (int k = pattern->p[j]; k < pattern->p[j + 1]; k++)
      if (pattern->i[k] < (k > pattern->p[j] ? pattern->i[k - 1] + 1 : 0) || pattern->i[k] >= rows)
        return dls_fail(message, DLS_ERR_ARGUMENT,
                        "the %s pattern: rows of column %d must increase and stay below %d", name,
                        j, rows);
  }
  return DLS_OK;
}

static dls_status validate_derivatives(const dls_system *s, dls_message *message)
{
  if (!s->derivative != !s->differentiate)
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "a system with derivatives needs both their patterns and their function");
  if (!s->derivative) return DLS_OK;
  const dls_derivative_patterns *d = s->derivative;
  const struct {
    const char *name;
    const dls_pattern *pattern;
    int cols;
  } patterns[] = {{"R_q", &d->R_q, s->n},        {"R_v", &d->R_v, s->n},
                  {"N_q", &d->N_q, s->m},        {"N_v", &d->N_v, s->m},
                  {"T_q", &d->T_q, s->tangents}, {"T_v", &d->T_v, s->tangents},
                  {"D_q", &d->D_q, s->m},        {"S_q", &d->S_q, s->tangents}};
  dls_status status = DLS_OK;
  for (ptrdiff_t k = 0; k < dls_count_of(patterns) && status == DLS_OK; k++)
    status =
        validate_pattern(patterns[k].name, patterns[k].pattern, s->n, patterns[k].cols, message);
  return status;
}

// Do all entries lie in the part of their column?
static bool stays_inside(const dls_pattern *pattern, const int *row_part, const int *column_part)
{
  for (int j = 0; j < pattern->cols; j++)
    for (int k = pattern->p[j]; k < pattern->p[j + 1]; k++)
      if (row_part[pattern->i[k]] != column_part[j]) return false;
  return true;
}

// The same with a column for each slip velocity.
static bool tangents_stay_inside(const dls_system *s, const dls_pattern *pattern)
{
  int slip = 0;
  for (int j = 0; j < s->m; j++)
    for (int k = 0; k < s->contacts[j].tangents; k++, slip++)
      for (int e = pattern->p[slip]; e < pattern->p[slip + 1]; e++)
        if (s->coordinate_part[pattern->i[e]] != s->contact_part[j]) return false;
  return true;
}

static bool parts_are_apart(const dls_system *s)
{
  const dls_derivative_patterns *d = s->derivative;
  const int *of_rows = s->coordinate_part, *of_contacts = s->contact_part;
  if (!stays_inside(&s->mass, of_rows, of_rows) ||
      !stays_inside(&s->normal, of_rows, of_contacts) || !tangents_stay_inside(s, &s->tangent))
    return false;
  return !d ||
         (stays_inside(&d->R_q, of_rows, of_rows) && stays_inside(&d->R_v, of_rows, of_rows) &&
          stays_inside(&d->N_q, of_rows, of_contacts) &&
          stays_inside(&d->N_v, of_rows, of_contacts) &&
          stays_inside(&d->D_q, of_rows, of_contacts) && tangents_stay_inside(s, &d->T_q) &&
          tangents_stay_inside(s, &d->T_v) && tangents_stay_inside(s, &d->S_q));
}

static dls_status validate_parts(const dls_system *s, dls_message *message)
{
  if (s->parts <= 1) return DLS_OK;
  if (!s->part || !s->coordinate_part || (s->m && !s->contact_part))
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "a system with several parts needs those of its coordinates and contacts");
  for (int i = 0; i < s->n; i++)
    if (s->coordinate_part[i] < 0 || s->coordinate_part[i] >= s->parts)
      return dls_fail(message, DLS_ERR_ARGUMENT, "coordinate `%s` is in no part",
                      s->coordinates[i]);
  for (int j = 0; j < s->m; j++)
    if (s->contact_part[j] < 0 || s->contact_part[j] >= s->parts)
      return dls_fail(message, DLS_ERR_ARGUMENT, "contact `%s` is in no part", s->contacts[j].name);
  if (!parts_are_apart(s))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the parts of the system act on one another");
  return DLS_OK;
}

static dls_status validate_couplings(const dls_system *s, dls_message *message)
{
  if (s->couplings < 0 || (s->couplings > 0 && !s->coupling))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the couplings of the system are missing");
  for (int k = 0; k < s->couplings; k++) {
    const int place[2] = {s->coupling[k].row, s->coupling[k].column};
    for (int i = 0; i < 2; i++)
      if (place[i] < 0 || place[i] >= s->m || s->contacts[place[i]].kind != DLS_UNILATERAL)
        return dls_fail(message, DLS_ERR_ARGUMENT, "coupling %d needs two unilateral contacts", k);
    if (place[0] == place[1] ||
        (s->parts > 1 && s->contact_part[place[0]] != s->contact_part[place[1]]))
      return dls_fail(message, DLS_ERR_ARGUMENT, "coupling %d needs two contacts of one part", k);
  }
  return DLS_OK;
}

static dls_status validate_chart(const dls_system *s, dls_message *message)
{
  const dls_chart *c = s->chart;
  if (!c) return DLS_OK;
  if (c->nq < 1 || !c->names || !c->centre || !c->enter || !c->leave)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the chart needs names and its three functions");
  for (int i = 0; i < c->nq; i++)
    if (!c->names[i])
      return dls_fail(message, DLS_ERR_ARGUMENT, "number %d of the configuration has no name", i);
  return DLS_OK;
}

// Contacts of a set that changes are known by their identities.
static dls_status validate_switches(const dls_system *s, dls_message *message)
{
  if (s->switches < 0)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the number of switches is negative");
  if (s->switches > 0 && (!s->branches || !s->branch_margins || !s->hold))
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "a system with switches needs branches, branch_margins and hold");
  return DLS_OK;
}

static dls_status validate_find(const dls_system *s, dls_message *message)
{
  if (!s->find && !s->select) return DLS_OK;
  if (!s->find || !s->select || s->parts > 1)
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "a system that finds its contacts selects them too, and has no parts");
  for (int j = 0; j < s->m; j++) {
    const dls_contact_info *c = &s->contacts[j];
    if (c->kind == DLS_UNILATERAL && c->id == 0)
      return dls_fail(message, DLS_ERR_ARGUMENT, "contact `%s` needs an identity other than 0",
                      c->name);
    if (c->kind == DLS_BILATERAL && j > 0 && s->contacts[j - 1].kind == DLS_UNILATERAL)
      return dls_fail(message, DLS_ERR_ARGUMENT,
                      "bilateral constraint `%s` must come before the contacts that are found",
                      c->name);
  }
  return DLS_OK;
}

dls_status dls_system_validate(const dls_system *s, dls_message *message)
{
  if (!s || !s->evaluate)
    return dls_fail(message, DLS_ERR_ARGUMENT, "a system needs its evaluate function");
  if (s->n < 1 || s->m < 0 || s->tangents < 0 || !s->coordinates || (s->m && !s->contacts))
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "a system needs at least one coordinate, names, and its contacts");
  for (int i = 0; i < s->n; i++)
    if (!s->coordinates[i])
      return dls_fail(message, DLS_ERR_ARGUMENT, "coordinate %d has no name", i);
  int tangents = 0;
  for (int j = 0; j < s->m; j++) {
    const dls_contact_info *c = &s->contacts[j];
    if (!c->name || c->tangents < 0 || c->tangents > 2 ||
        (c->kind != DLS_BILATERAL && c->kind != DLS_UNILATERAL))
      return dls_fail(message, DLS_ERR_ARGUMENT,
                      "contact %d needs a name, a kind, and 0, 1 or 2 slip velocities", j);
    if (c->rolling && (c->kind != DLS_BILATERAL || c->tangents > 0))
      return dls_fail(message, DLS_ERR_ARGUMENT,
                      "rolling constraint `%s` must be bilateral and without slip", c->name);
    if ((c->bounded && c->tangents == 0) || (c->dry && (!c->bounded || c->kind != DLS_BILATERAL)))
      return dls_fail(message, DLS_ERR_ARGUMENT,
                      "friction with a given bound, of `%s`, needs slip, and alone it is bilateral",
                      c->name);
    if (c->has_static && c->tangents == 0)
      return dls_fail(message, DLS_ERR_ARGUMENT, "static friction, of `%s`, needs slip", c->name);
    tangents += c->tangents;
  }
  if (s->poisson && s->couplings > 0)
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "Poisson's law has no restitution between two contacts");
  if (tangents != s->tangents)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the contacts have %d slip velocities, not %d",
                    tangents, s->tangents);
  dls_status status = validate_pattern("mass", &s->mass, s->n, s->n, message);
  if (status == DLS_OK) status = validate_pattern("normal", &s->normal, s->n, s->m, message);
  for (int j = 0; j < s->m && status == DLS_OK; j++)
    if (s->contacts[j].dry && s->normal.p[j + 1] > s->normal.p[j])
      status = dls_fail(message, DLS_ERR_ARGUMENT, "`%s` is friction alone, but it has a normal",
                        s->contacts[j].name);
  if (status == DLS_OK)
    status = validate_pattern("tangent", &s->tangent, s->n, s->tangents, message);
  if (status == DLS_OK) status = validate_derivatives(s, message);
  if (status == DLS_OK) status = validate_parts(s, message);
  if (status == DLS_OK) status = validate_couplings(s, message);
  if (status == DLS_OK) status = validate_chart(s, message);
  if (status == DLS_OK) status = validate_switches(s, message);
  if (status == DLS_OK) status = validate_find(s, message);
  return status;
}
