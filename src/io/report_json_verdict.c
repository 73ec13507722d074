// The verdicts and their witnesses in the JSON report.
#include "io/report_build.h"
#include "io/report_parts.h"

// A set of slips: {CONTACT: [the numbers of its slips, from 1]}.
static json_t *slip_set(dls_build *b, const dls_witness_part *part)
{
  const dls_problem *p = dls_build_problem(b);
  json_t *o = json_object();
  dls_name_text made;
  for (int i = 0; p->friction && i < p->m_b + p->m_u; i++) {
    const int first = p->friction->first[i], end = p->friction->first[i + 1];
    json_t *members = NULL;
    for (int k = 0; k < part->count; k++) {
      if (part->index[k] < first || part->index[k] >= end) continue;
      if (!members) members = json_array();
      dls_build_append(b, members, json_integer(part->index[k] - first + 1));
    }
    if (members) dls_build_put_named(b, o, dls_report_closed(b->report, i, &made), members);
  }
  return o;
}

static json_t *witness_part(dls_build *b, const dls_witness_part *part)
{
  if (part->values) return dls_build_vector(b, part->index_set, part->values, part->count, true);
  if (part->index_set == DLS_INDEX_TANGENTS) return slip_set(b, part);
  json_t *array = json_array();
  dls_name_text made;
  for (int i = 0; i < part->count; i++)
    dls_build_append(
        b, array,
        dls_build_string(b, dls_report_over(b->report, part->index_set, part->index[i], &made)));
  return array;
}

static json_t *leaf(dls_build *b, const dls_leaf *leaf)
{
  const dls_problem *p = dls_build_problem(b);
  const int m = p->m_b + p->m_u;
  json_t *o = json_object(), *modes = json_object();
  dls_name_text made;
  for (int i = 0; leaf->mode && i < m; i++)
    if (leaf->mode[i] != DLS_MODE_ANY)
      dls_build_put_named(b, modes, dls_report_closed(b->report, i, &made),
                          json_string(dls_mode_name(leaf->mode[i])));
  dls_build_put(b, o, "modes", modes);
  static const char *const kinds[] = {"empty", "point", "face", "acceleration"};
  if (!leaf->velocity) dls_build_put(b, o, "kind", json_string(kinds[leaf->kind]));
  const struct {
    const char *name;
    const double *values;
    dls_index_set index_set;
    int count;
  } parts[] = {{"acceleration", leaf->acceleration, DLS_INDEX_COORDINATES, p->n},
               {"velocity", leaf->velocity, DLS_INDEX_COORDINATES, p->n},
               {"direction", leaf->direction, DLS_INDEX_COORDINATES, p->n},
               {"alpha", leaf->alpha, DLS_INDEX_CLOSED, m},
               {"sigma", leaf->sigma, DLS_INDEX_TANGENTS, p->friction ? p->friction->tangents : 0}};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    if (parts[i].values)
      dls_build_put(b, o, parts[i].name,
                    dls_build_vector(b, parts[i].index_set, parts[i].values, parts[i].count, true));
  return o;
}

json_t *dls_build_leaves(dls_build *b, const dls_leaf *leaves, int count)
{
  json_t *array = json_array();
  for (int i = 0; i < count; i++) dls_build_append(b, array, leaf(b, &leaves[i]));
  return array;
}

json_t *dls_build_verdict(dls_build *b, const dls_verdict *v)
{
  json_t *o = json_object();
  dls_build_put(b, o, "answer", json_string(dls_answer_name(v->answer)));
  dls_build_put(b, o, "by", dls_build_string(b, v->by));
  dls_build_put(b, o, "margin", dls_build_number(v->margin));
  const bool shows = v->shows && v->shows[0];
  if (v->parts == 0 && v->leaves == 0 && !shows) {
    dls_build_put(b, o, "witness", json_null());
    return o;
  }
  json_t *witness = json_object();
  dls_build_put(b, witness, "shows", dls_build_string(b, shows ? v->shows : NULL));
  for (int i = 0; i < v->parts; i++)
    dls_build_put_named(b, witness, v->part[i].name, witness_part(b, &v->part[i]));
  if (v->leaves) dls_build_put(b, witness, "leaves", dls_build_leaves(b, v->leaf, v->leaves));
  dls_build_put(b, o, "witness", witness);
  return o;
}

json_t *dls_build_verdicts(dls_build *b)
{
  json_t *o = json_object();
  for (int q = 0; q < DLS_QUESTION_COUNT; q++) {
    const dls_verdict v = dls_report_verdict(b->report, (dls_question)q);
    b->moves = q == DLS_ACCELERATION_EXISTS || q == DLS_ACCELERATION_UNIQUE ||
               q == DLS_FORCES_UNIQUE || q == DLS_CAN_ALL_STICK;
    if (v.answer != DLS_NOT_ASKED)
      dls_build_put(b, o, dls_question_name((dls_question)q), dls_build_verdict(b, &v));
  }
  b->moves = false;
  return o;
}
