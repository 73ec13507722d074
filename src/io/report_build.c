#include "io/report_build.h"

#include "io/report_parts.h"
#include "base/text.h"

#include <math.h>

void dls_build_append(dls_build *b, json_t *array, json_t *value)
{
  if (json_array_append_new(array, value)) b->failed = true;
}

void dls_build_put(dls_build *b, json_t *object, const char *key, json_t *value)
{
  if (json_object_set_new(object, key, value)) b->failed = true;
}

json_t *dls_build_string(dls_build *b, const char *s)
{
  if (!s) return json_null();
  const char *end = s;
  for (int length; (length = dls_text_character(end)) > 0;) end += length;
  dls_text clean = {0};
  if (*end) dls_text_clean(&clean, s, dls_text_width(s));
  json_t *value = clean.failed ? NULL : json_string(*end ? clean.data : s);
  dls_text_free(&clean);
  if (!value) b->failed = true;
  return value;
}

void dls_build_put_named(dls_build *b, json_t *object, const char *name, json_t *value)
{
  json_t *key = dls_build_string(b, name);
  if (key) dls_build_put(b, object, json_string_value(key), value);
  else json_decref(value);
  json_decref(key);
}

json_t *dls_build_number(double x)
{
  return isfinite(x) ? json_real(x + 0.0) : json_null();  // -0 becomes 0
}

json_t *dls_build_numbers(dls_build *b, const double *x, int count)
{
  json_t *array = json_array();
  for (int i = 0; x && i < count; i++) dls_build_append(b, array, dls_build_number(x[i]));
  return array;
}

json_t *dls_build_matrix(dls_build *b, const double *a, int size)
{
  if (!a && size) return json_null();
  json_t *rows = json_array();
  for (int i = 0; i < size; i++) {
    json_t *row = json_array();
    for (int j = 0; j < size; j++)
      dls_build_append(b, row, dls_build_number(a[(size_t)j * (size_t)size + (size_t)i]));
    dls_build_append(b, rows, row);
  }
  return rows;
}

json_t *dls_build_names(dls_build *b, dls_index_set index_set, int count)
{
  json_t *array = json_array();
  dls_name_text made;
  for (int i = 0; i < count; i++)
    dls_build_append(b, array,
                     dls_build_string(b, dls_report_over(b->report, index_set, i, &made)));
  return array;
}

static bool any_nonzero(const double *x, int count)
{
  for (int i = 0; i < count; i++)
    if (x[i] != 0) return true;
  return false;
}

const dls_problem *dls_build_problem(const dls_build *b)
{
  const dls_problem *p = &b->report->contact_state->problem;
  return b->moves && p->weights ? &p->weights->problem : p;
}

static json_t *tangents(dls_build *b, const double *x, bool sparse)
{
  const dls_problem *p = dls_build_problem(b);
  json_t *o = json_object();
  dls_name_text made;
  for (int i = 0; p->friction && i < p->m_b + p->m_u; i++) {
    const int first = p->friction->first[i], count = p->friction->first[i + 1] - first;
    if (count > 0 && !(sparse && !any_nonzero(x + first, count)))
      dls_build_put_named(b, o, dls_report_closed(b->report, i, &made),
                          dls_build_numbers(b, x + first, count));
  }
  return o;
}

json_t *dls_build_vector(dls_build *b, dls_index_set index_set, const double *x, int count,
                         bool sparse)
{
  const bool nonzero_only = sparse && count > DLS_WITNESS_FULL;
  if (index_set == DLS_INDEX_TANGENTS) return tangents(b, x, nonzero_only);
  json_t *o = json_object();
  dls_name_text made;
  for (int i = 0; x && i < count; i++)
    if (!nonzero_only || x[i] != 0)
      dls_build_put_named(b, o, dls_report_over(b->report, index_set, i, &made),
                          dls_build_number(x[i]));
  return o;
}
