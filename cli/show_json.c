// delassus show as JSON.
#include "show.h"

#include "message.h"

static void add_numbers(buffer *out, const double *x, int count)
{
  buffer_add(out, "[");
  for (int i = 0; i < count; i++) {
    if (i) buffer_add(out, ", ");
    buffer_json_number(out, x[i]);
  }
  buffer_add(out, "]");
}

static void add_names(buffer *out, const char *key, const char *const *name, int count,
                      const char *ending)
{
  buffer_add(out, ",\n  \"%s\": [", key);
  for (int i = 0; i < count; i++) {
    buffer whole = {0};
    buffer_add(&whole, "%s%s", name[i], ending);
    if (i) buffer_add(out, ", ");
    buffer_json_string(out, whole.text);
    out->failed = out->failed || whole.failed;
    buffer_free(&whole);
  }
  buffer_add(out, "]");
}

static const char *body_name(const dls_mechanism *m, int body)
{
  return body < 0 ? "world" : m->body[body].name;
}

static void add_solids(buffer *out, const dls_mechanism *m, int body)
{
  const char *separator = "";
  buffer_add(out, ", \"solids\": [");
  for (int k = 0; k < m->solids; k++) {
    const dls_solid *s = &m->solid[k];
    if (s->body != body) continue;
    buffer_add(out, "%s{\"name\": ", separator);
    buffer_json_string(out, s->name);
    buffer_add(out, ", \"kind\": \"%s\", \"size\": ", show_solid_kind(s->kind));
    add_numbers(out, s->size, show_sizes(s->kind));
    if (s->kind == DLS_SOLID_HULL)
      buffer_add(out, ", \"vertices\": %d, \"faces\": %d", s->vertices, s->faces);
    buffer_add(out, ", \"position\": ");
    add_numbers(out, s->pose.position, 3);
    buffer_add(out, ", \"quaternion\": ");
    add_numbers(out, s->pose.quaternion, 4);
    buffer_add(out, "}");
    separator = ", ";
  }
  buffer_add(out, "]");
}

static void add_bodies(buffer *out, const show_work *w)
{
  const dls_mechanism *m = w->mechanism;
  buffer_add(out, ",\n  \"bodies\": {");
  for (int b = 0; b < m->bodies; b++) {
    const dls_rigid_body *body = &m->body[b];
    buffer_add(out, "%s\n    ", b ? "," : "");
    buffer_json_string(out, body->name);
    buffer_add(out, ": {\"parent\": ");
    buffer_json_string(out, body_name(m, body->parent));
    buffer_add(out, ", \"position\": ");
    add_numbers(out, w->pose[b].position, 3);
    buffer_add(out, ", \"quaternion\": ");
    add_numbers(out, w->pose[b].quaternion, 4);
    buffer_add(out, ", \"mass\": ");
    buffer_json_number(out, body->mass);
    buffer_add(out, ", \"centre\": ");
    add_numbers(out, body->centre, 3);
    buffer_add(out, ", \"inertia\": ");
    add_numbers(out, body->inertia, 6);
    add_solids(out, m, b);
    buffer_add(out, "}");
  }
  buffer_add(out, "\n  }");
}

static void add_joint(buffer *out, const dls_mechanism *m, int j)
{
  const dls_joint *joint = &m->joint[j];
  buffer_add(out, "%s\n    ", j ? "," : "");
  buffer_json_string(out, joint->name);
  buffer_add(out, ": {\"kind\": \"%s\", \"bodies\": [", show_joint_kind(joint->kind));
  buffer_json_string(out, body_name(m, m->body[joint->body].parent));
  buffer_add(out, ", ");
  buffer_json_string(out, body_name(m, joint->body));
  buffer_add(out, "], \"range\": ");
  if (joint->limited) add_numbers(out, joint->range, 2);
  else buffer_add(out, "null");
  buffer_add(out, ", \"friction\": ");
  buffer_json_number(out, joint->friction);
  buffer_add(out, ", \"damping\": ");
  buffer_json_number(out, joint->damping);
  buffer_add(out, ", \"stiffness\": ");
  buffer_json_number(out, joint->stiffness);
  buffer_add(out, ", \"armature\": ");
  buffer_json_number(out, joint->armature);
  buffer_add(out, "}");
}

static void add_joints(buffer *out, const dls_mechanism *m)
{
  buffer_add(out, ",\n  \"gravity\": ");
  add_numbers(out, m->gravity, 3);
  buffer_add(out, ",\n  \"joints\": {");
  for (int j = 0; j < m->joints; j++) add_joint(out, m, j);
  buffer_add(out, "\n  },\n  \"closures\": {");
  for (int k = 0; k < m->closures; k++) {
    const dls_closure *c = &m->closure[k];
    const bool joints = c->kind == DLS_CLOSURE_JOINTS;
    buffer_add(out, "%s\n    ", k ? "," : "");
    buffer_json_string(out, c->name);
    buffer_add(out, ": {\"kind\": \"%s\", \"%s\": [", show_closure_kind(c->kind),
               joints ? "joints" : "bodies");
    for (int i = 0; i < 2; i++) {
      if (i) buffer_add(out, ", ");
      if (joints) buffer_json_string(out, c->joint[i] < 0 ? NULL : m->joint[c->joint[i]].name);
      else buffer_json_string(out, body_name(m, c->body[i]));
    }
    buffer_add(out, "]}");
  }
  buffer_add(out, "\n  }");
}

static void add_notes(buffer *out, const dls_import *import)
{
  buffer_add(out, ",\n  \"notes\": [");
  for (int k = 0; import && k < import->notes; k++) {
    buffer_add(out, "%s{\"what\": ", k ? ", " : "");
    buffer_json_string(out, import->note[k].what);
    buffer_add(out, ", \"count\": %d, \"approximated\": %s}", import->note[k].count,
               import->note[k].approximated ? "true" : "false");
  }
  buffer_add(out, "]");
}

static void add_matrices(buffer *out, const show_work *w)
{
  const dls_system *s = w->file.system;
  const dls_pattern *M = &s->mass;
  buffer_add(out, ",\n  \"matrices\": {\n    \"M\": [");
  double *row = w->x;  // of n numbers, used up
  for (int i = 0; i < s->n; i++) {
    for (int j = 0; j < s->n; j++) row[j] = 0;
    // M is symmetric: its columns are its rows
    for (int k = M->p[i]; k < M->p[i + 1]; k++) row[M->i[k]] = w->values->M[k];
    buffer_add(out, "%s\n      ", i ? "," : "");
    add_numbers(out, row, s->n);
  }
  buffer_add(out, "\n    ],\n    \"F\": ");
  add_numbers(out, w->values->F, s->n);
  buffer_add(out, "\n  }");
}

static void add_declared(buffer *out, const show_work *w)
{
  const dls_model *model = w->file.model;
  buffer_add(out, ",\n  \"parameters\": {");
  for (int i = 0; i < dls_model_parameter_count(model); i++) {
    if (i) buffer_add(out, ", ");
    buffer_json_string(out, dls_model_parameter_name(model, i));
    buffer_add(out, ": ");
    buffer_json_number(out, dls_system_parameter(w->file.system, i));
  }
  buffer_add(out, "},\n  \"states\": [");
  for (int i = 0; i < dls_model_state_count(model); i++) {
    if (i) buffer_add(out, ", ");
    buffer_json_string(out, dls_model_state_name(model, i));
  }
  buffer_add(out, "]");
}

int show_json(const void *work, product *result)
{
  const show_work *w = work;
  const dls_system *s = w->file.system;
  buffer *out = &result->grown;
  model_file_json(out, &w->file);
  buffer_add(out, ",\n  \"time\": ");
  buffer_json_number(out, w->file.state.t);
  add_names(out, "coordinates", dls_configuration_names(s), dls_system_nq(s), "");
  add_names(out, "velocities", s->coordinates, s->n, "'");
  buffer_add(out, ",\n  \"q\": ");
  add_numbers(out, w->file.state.q, dls_system_nq(s));
  buffer_add(out, ",\n  \"v\": ");
  add_numbers(out, w->file.state.v, s->n);
  add_declared(out, w);
  if (w->mechanism) {
    add_bodies(out, w);
    add_joints(out, w->mechanism);
  }
  add_notes(out, w->file.import);
  if (w->values) add_matrices(out, w);
  buffer_add(out, "\n}\n");
  return out->failed ? complain("out of memory") : 0;
}
