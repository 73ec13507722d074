#include "base/format.h"
#include "verify/guard.h"
#include "verify/trial.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *dls_trial_alloc(dls_trial *x, ptrdiff_t count, size_t size)
{
  dls_guard_look();
  void *place = dls_arena_alloc(x->arena, count, size);
  if (!place) x->out_of_memory = true;
  return place;
}

bool dls_trial_other(dls_trial *x, const dls_problem *problem, dls_trial *other)
{
  *other = *x;
  dls_sum_init(&other->sum);
  other->solved = other->none = false;
  other->one_acceleration = other->one_force = false;
  other->many_accelerations = other->many_forces = other->unique_open = false;
  other->shown = 0, other->sets = NULL, other->sets_open = false;
  other->spans[0] = other->spans[1] = NULL;
  if (dls_data_create(problem, x->arena, &other->data) == DLS_OK) return true;
  x->out_of_memory = true;
  return false;
}

bool dls_trial_borrow(dls_trial *x)
{
  dls_arena *arena = dls_arena_create();
  if (!arena) x->out_of_memory = true;
  else x->kept = x->arena, x->arena = arena;
  return arena != NULL;
}

void dls_trial_return(dls_trial *x)
{
  dls_arena_free(x->arena);
  x->arena = x->kept, x->kept = NULL;
}

static const char *format_text(dls_trial *x, const char *format, va_list arguments)
{
  char text[500];
  dls_format_list(text, sizeof text, format, arguments);
  const char *copy = dls_arena_copy(x->texts, text, strlen(text));
  if (!copy) x->out_of_memory = true;
  return copy ? copy : "";
}

bool dls_fails(dls_trial *x, dls_finding *f, const char *format, ...)
{
  if (f->found == DLS_FOUND_FAILS) return false;
  va_list arguments;
  va_start(arguments, format);
  f->found = DLS_FOUND_FAILS;
  f->why = format_text(x, format, arguments);
  f->proves = "";
  va_end(arguments);
  return false;
}

bool dls_proves(dls_trial *x, dls_finding *f, const char *format, ...)
{
  if (f->found == DLS_FOUND_FAILS || f->found == DLS_FOUND_UNPROVEN) return false;
  va_list arguments;
  va_start(arguments, format);
  f->found = DLS_FOUND_HOLDS;
  f->proves = format_text(x, format, arguments);
  va_end(arguments);
  return true;
}

bool dls_leaves_open(dls_trial *x, dls_finding *f, const char *format, ...)
{
  if (f->found == DLS_FOUND_FAILS) return false;
  va_list arguments;
  va_start(arguments, format);
  f->found = DLS_FOUND_UNPROVEN;
  f->why = format_text(x, format, arguments);
  f->proves = "";
  va_end(arguments);
  return false;
}

const char *dls_precision(dls_trial *x, const dls_finding *f)
{
  char text[32];
  if (f->residual == 0) return "exactly";
  dls_format(text, sizeof text, "to %.2g", f->residual);
  const char *copy = dls_arena_copy(x->arena, text, strlen(text));
  if (!copy) x->out_of_memory = true;
  return copy ? copy : "";
}

bool dls_within(dls_trial *x, dls_finding *f, double residual, const char *what)
{
  f->residual = isnan(f->residual) ? residual : dls_larger(f->residual, residual);
  f->limit = x->tolerance;
  if (residual <= x->tolerance) return true;
  return dls_fails(x, f, "%s (%.3g, limit %.3g)", what, residual, x->tolerance);
}

double dls_relative(const dls_trial *x, double error, double size, double load)
{
  const double residual = dls_quotient(error, size);
  if (!(load > 0)) return residual;
  return dls_larger(residual, dls_quotient(dls_mul_up(error, DLS_DECISIVE * x->tolerance), load));
}

double dls_best_part(const dls_data *d, const double *error, const double *size)
{
  double best = INFINITY, largest = 0, all = 0;
  for (int p = 0; p < d->parts; p++) {
    const double residual = size[p] > 0 ? dls_quotient(error[p], size[p]) : INFINITY;
    if (residual < best) best = residual;
    dls_raise(&largest, error[p]);
    dls_raise(&all, size[p]);
  }
  return dls_larger(best, dls_quotient(largest, all));
}

// ---- parts of a witness ------------------------------------------------------------------------

const char *const dls_point_keys[4] = {"acceleration", "lambda_b", "lambda_u", "tau"};

bool dls_has(const json_t *witness, const char *key)
{
  return json_object_get(witness, key) != NULL;
}

static bool read_number(dls_trial *x, dls_finding *f, const json_t *value, const char *key,
                        const char *name, double *number)
{
  *number = json_number_value(value);
  if (json_is_number(value) && isfinite(*number)) return true;
  return dls_fails(x, f, "the witness is malformed: %s.%.60s is not a number", key, name);
}

// Names of `object` that are not among those found.
static bool has_strangers(dls_trial *x, dls_finding *f, const json_t *object, const char *key,
                          const char *const *names, int count)
{
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)object, name, value)
  {
    int i = 0;
    while (i < count && strcmp(names[i], name) != 0) i++;
    if (i == count)
      return !dls_fails(x, f, "the witness is malformed: %s.%.60s has no place in it", key, name);
  }
  return false;
}

static bool is_object(dls_trial *x, dls_finding *f, const json_t *object, const char *key)
{
  if (json_is_object(object)) return true;
  return dls_fails(x, f, "the witness is %s: %s", object ? "malformed" : "incomplete", key);
}

bool dls_read_named(dls_trial *x, dls_finding *f, const json_t *object, const char *key,
                    const char *const *names, int count, double *values)
{
  if (!is_object(x, f, object, key)) return false;
  ptrdiff_t found = 0;
  for (int i = 0; i < count; i++) {
    const json_t *value = json_object_get(object, names[i]);
    if (!value) continue;
    if (!read_number(x, f, value, key, names[i], &values[i])) return false;
    found++;
  }
  return found == dls_json_size(object) || !has_strangers(x, f, object, key, names, count);
}

double *dls_read_coordinates(dls_trial *x, dls_finding *f, const json_t *witness, const char *key)
{
  const dls_data *d = &x->data;
  double *values = dls_trial_alloc(x, d->n, sizeof *values);
  if (!values) return NULL;
  return dls_read_named(x, f, json_object_get(witness, key), key, d->coordinate_name, d->n, values)
             ? values
             : NULL;
}

double *dls_read_contacts(dls_trial *x, dls_finding *f, const json_t *witness, const char *key_b,
                          const char *key_u)
{
  const dls_data *d = &x->data;
  double *values = dls_trial_alloc(x, d->m, sizeof *values);
  if (!values) return NULL;
  const json_t *b = json_object_get(witness, key_b), *u = json_object_get(witness, key_u);
  if (!b && !u && d->m > 0) {
    dls_fails(x, f, "the witness is incomplete: neither %s nor %s", key_b, key_u);
    return NULL;
  }
  const char *const *names = d->contact_name;
  if (b && !dls_read_named(x, f, b, key_b, names, d->m_b, values)) return NULL;
  if (u && !dls_read_named(x, f, u, key_u, names + d->m_b, d->m - d->m_b, values + d->m_b))
    return NULL;
  return values;
}

// In the model's units.
static double *read_slips(dls_trial *x, dls_finding *f, const json_t *witness, const char *key)
{
  const dls_data *d = &x->data;
  double *values = dls_trial_alloc(x, d->tangents, sizeof *values);
  const json_t *object = json_object_get(witness, key);
  if (!values || !object) return values;
  if (!is_object(x, f, object, key)) return NULL;
  ptrdiff_t found = 0;
  for (int j = 0; j < d->m; j++) {
    const json_t *array = json_object_get(object, d->contact_name[j]);
    if (!array) continue;
    if (dls_json_length(array) != dls_tangents_of(d, j) || !json_is_array(array)) {
      dls_fails(x, f, "the witness is malformed: %s.%.60s needs %d numbers", key,
                d->contact_name[j], dls_tangents_of(d, j));
      return NULL;
    }
    for (int k = d->first[j]; k < d->first[j + 1]; k++)
      if (!read_number(x, f, dls_json_item(array, (k - d->first[j])), key, d->contact_name[j],
                       &values[k]))
        return NULL;
    found++;
  }
  const char *const *names = d->contact_name;
  if (found < dls_json_size(object) && has_strangers(x, f, object, key, names, d->m)) return NULL;
  return values;
}

double *dls_read_tangents(dls_trial *x, dls_finding *f, const json_t *witness, const char *key)
{
  const dls_data *d = &x->data;
  double *values = read_slips(x, f, witness, key);
  for (int j = 0; values && j < d->m; j++)
    for (int k = d->first[j]; k < d->first[j + 1]; k++) values[k] /= d->S[j];
  return values;
}

double *dls_read_slips(dls_trial *x, dls_finding *f, const json_t *witness, const char *key)
{
  const dls_data *d = &x->data;
  double *values = read_slips(x, f, witness, key);
  for (int j = 0; values && j < d->m; j++)
    for (int k = d->first[j]; k < d->first[j + 1]; k++) values[k] *= d->S[j];
  return values;
}

int dls_read_set(dls_trial *x, dls_finding *f, const json_t *witness, const char *key,
                 const char *const *names, int count, int *index)
{
  const json_t *array = json_object_get(witness, key);
  if (!json_is_array(array)) {
    dls_fails(x, f, "the witness is %s: %s", array ? "malformed" : "incomplete", key);
    return -1;
  }
  int found = 0;
  for (ptrdiff_t k = 0; k < dls_json_length(array); k++) {
    const char *name = json_string_value(dls_json_item(array, k));
    int i = 0;
    while (name && i < count && strcmp(names[i], name) != 0) i++;
    bool again = false;
    for (int e = 0; e < found; e++) again |= index[e] == i;
    if (!name || i == count || again) {
      dls_fails(x, f, "the witness is malformed: %s, %.60s%s", key, name ? name : "no name",
                again ? " twice" : "");
      return -1;
    }
    index[found++] = i;
  }
  return found;
}

bool dls_read_point(dls_trial *x, dls_finding *f, const json_t *witness, const char *const keys[4],
                    dls_trial_point *point)
{
  point->z = dls_read_coordinates(x, f, witness, keys[0]);
  point->lambda = point->z ? dls_read_contacts(x, f, witness, keys[1], keys[2]) : NULL;
  point->tau = point->lambda ? dls_read_tangents(x, f, witness, keys[3]) : NULL;
  return point->tau != NULL;
}

// ---- products ----------------------------------------------------------------------------------

dls_interval dls_column_times(dls_trial *x, double constant, const double *a, const double *v,
                              double *size)
{
  dls_sum_start(&x->sum, constant);
  dls_sum_dot(&x->sum, x->data.n, a, 1, v);
  if (size) *size = x->sum.size;
  return dls_sum_value(&x->sum);
}

dls_enclosed_row dls_step_kkt_row(dls_trial *x, int i, double constant, const double *z,
                                  double sign, const double *lambda, const double *tau)
{
  const dls_data *d = &x->data;
  dls_sum *sum = &x->sum;
  dls_sum_start(sum, constant);
  if (z) dls_sum_dot(sum, d->n, d->M + i, d->n, z);
  dls_enclosed_row row = {.load = sum->size};
  for (int j = 0; lambda && j < d->m; j++) dls_sum_add(sum, sign * d->g[j][i], lambda[j]);
  for (int k = 0; tau && k < d->tangents; k++)
    dls_sum_add(sum, sign * dls_slip_column(d, k)[i], tau[k]);
  row.value = dls_sum_value(sum);
  row.contact = sum->size - row.load;
  return row;
}
