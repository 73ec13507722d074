// What is wrong with bodies at the parameters of the text.
#include "model/instance_bodies.h"

#include <stdlib.h>
#include <string.h>

static void report_fault(dls_error_list *report, const dls_source *s, const dls_body_fault *fault)
{
  const bool placed = fault->length > 0;
  const unsigned at = placed ? fault->at : s->bodies.count > 0 ? s->bodies.items[0].at : 0;
  dls_error_list_hint(
      dls_error_list_add(report, at, placed ? fault->length : 1, "%s", fault->message.text), "%s",
      fault->hint);
}

static void check_names(const dls_model *model, dls_error_list *report)
{
  const dls_source *s = &model->source;
  for (int i = 0; i < s->joints.count; i++) {
    const dls_word *w = &model->names.words[s->joints.items[i].name];
    const bool own = w->meaning == DLS_MEANS_COORDINATE && w->index < s->own;
    if (own || w->meaning == DLS_MEANS_PARAMETER || w->meaning == DLS_MEANS_LET)
      dls_error_list_hint(dls_error_list_add(report, s->joints.items[i].at, w->length,
                                             "the name `%s` is declared twice",
                                             dls_quote(w->text, w->length).text),
                          "a joint is a coordinate of that name");
    if (w->body < 0) continue;
    dls_error_list_add(report, s->joints.items[i].at, w->length,
                       "a body is called `%s`, too: choose another name for the joint",
                       dls_quote(w->text, w->length).text);
  }
}

// A number of a state that no joint has.
static bool check_entry(const dls_made *made, const dls_model *model, const dls_body_entry *e,
                        dls_error_list *report)
{
  const dls_mechanism *m = &made->mechanism;
  const char *name = e->field == DLS_ENTRY_NUMBER ? model->names.words[e->name].text
                                                  : m->body[made->body[e->body]].name;
  for (int j = 0; j < m->joints; j++) {
    const dls_joint *joint = &m->joint[j];
    const size_t letters = strlen(joint->name);
    if (e->field != DLS_ENTRY_NUMBER) {
      if (joint->body == made->body[e->body] && joint->kind == DLS_JOINT_FREE) return true;
      continue;
    }
    if (strncmp(name, joint->name, letters) != 0) continue;
    const char *rest = name + letters;
    const bool scalar = joint->kind >= DLS_JOINT_HINGE;
    if (scalar ? !*rest
               : rest[0] == '.' && (rest[1] == (e->velocity ? 'r' : 'q') ||
                                    (joint->kind == DLS_JOINT_FREE && !rest[2])))
      return true;
  }
  if (e->field == DLS_ENTRY_NUMBER)
    dls_error_list_hint(
        dls_error_list_add(report, e->at, e->length, "no joint or free body has this number"),
        "hinges and slides have `NAME` and `NAME'`; free bodies `NAME.position`, "
        "`.velocity`, `.spin` and `.rotation`");
  else
    dls_error_list_hint(dls_error_list_add(report, e->at, e->length,
                                           "the body `%s` is not free: where it is follows from "
                                           "its joints",
                                           name),
                        "a state gives the coordinates of joints: `door = 0.3, door' = 1`");
  return false;
}

// The six velocities of a free body.
static bool set_object(dls_model *model, const dls_made *made, int object, dls_error_list *report)
{
  dls_named_list *list = &model->source.objects.items[object];
  const dls_body_name *name = &model->source.body_objects.items[list->body - 1];
  const dls_mechanism *m = &made->mechanism;
  if (name->body < 0) {
    dls_error_list_add(report, name->at, name->length, "the world is no object");
    return true;
  }
  int v = 0, maximal = 0;
  for (int j = 0; j < m->joints; j++) {
    const bool free = m->joint[j].kind == DLS_JOINT_FREE;
    if (free && m->joint[j].body == made->body[name->body]) {
      int *members = dls_arena_alloc(model->arena, 6, sizeof *members);
      if (!members) return false;
      for (int k = 0; k < 6; k++) members[k] = v + k;
      model->body_object[list->body - 1] = members;
      return true;
    }
    v += free ? 6 : m->joint[j].kind == DLS_JOINT_BALL ? 3 : 1;
    maximal++;
  }
  dls_error_list_hint(
      dls_error_list_add(report, name->at, name->length, "an object is a free body"),
      "joints hold this one");
  return true;
}

// Text and bodies together have no contacts that pass blows on.
static void check_mixed(const dls_model *model, dls_error_list *report)
{
  const dls_source *s = &model->source;
  for (int k = 0; k < s->restitutions.count; k++) {
    const dls_restitution *r = &s->restitutions.items[k];
    if (r->contact[0] != r->contact[1])
      dls_error_list_add(report, r->value.at, r->value.length,
                         "a model with bodies has no restitution between two contacts");
  }
  for (int k = 0; k < s->contacts.count; k++)
    if (s->contacts.items[k].poisson)
      dls_error_list_add(report, s->contacts.items[k].at, 1,
                         "a model with bodies has Newton's law of impact");
}

dls_status dls_model_bodies_check(dls_model *model, dls_error_list *report)
{
  dls_source *s = &model->source;
  if (!dls_has_bodies(s)) return DLS_OK;
  check_names(model, report);
  check_mixed(model, report);
  if (report->diagnostics->total > 0) return DLS_OK;
  dls_arena *arena = dls_arena_create();
  dls_body_fault fault = {.length = 0};
  dls_made made;
  model->body_object =
      dls_arena_alloc(model->arena, (ptrdiff_t)s->body_objects.count + 1, sizeof(int *));
  dls_status status = arena && model->body_object
                          ? dls_model_bodies_at(model, model->parameters, arena, &made, &fault)
                          : DLS_ERR_MEMORY;
  if (status == DLS_ERR_MODEL || status == DLS_ERR_NUMBER) {
    report_fault(report, s, &fault);
    status = DLS_OK;
  } else if (status == DLS_OK) {
    for (int k = 0; k < s->entries.count; k++)
      if (s->entries.items[k].field == DLS_ENTRY_NUMBER || s->entries.items[k].part == 0)
        (void)check_entry(&made, model, &s->entries.items[k], report);
    for (int k = 0; k < s->objects.count && status == DLS_OK; k++)
      if (s->objects.items[k].body > 0 && !set_object(model, &made, k, report))
        status = DLS_ERR_MEMORY;
  }
  dls_arena_free(arena);
  return status;
}
