// delassus show for people: one screen.
#include "show.h"

#include "message.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 30, NOTES = 8, NAMES = 10 };

const char *show_joint_kind(dls_joint_kind kind)
{
  static const char *const kinds[] = {"free", "ball", "hinge", "slide"};
  return kinds[kind];
}

const char *show_closure_kind(dls_closure_kind kind)
{
  static const char *const kinds[] = {"weld",      "ball",        "hinge",  "slide",
                                      "universal", "cylindrical", "planar", "joints"};
  return kinds[kind];
}

const char *show_solid_kind(dls_solid_kind kind)
{
  static const char *const kinds[] = {"plane",     "sphere", "capsule", "cylinder",
                                      "ellipsoid", "box",    "hull"};
  return kinds[kind];
}

int show_sizes(dls_solid_kind kind)
{
  static const int sizes[] = {0, 1, 2, 2, 3, 3, 0};
  return sizes[kind];
}

static int count_joints(const dls_mechanism *m, dls_joint_kind kind)
{
  int count = 0;
  for (int j = 0; j < m->joints; j++) count += m->joint[j].kind == kind;
  return count;
}

static void add_count(buffer *out, int count, const char *what)
{
  if (count > 0) buffer_add(out, ", %d %s%s", count, what, count == 1 ? "" : "s");
}

static void add_counts(buffer *out, const show_work *w)
{
  const dls_mechanism *m = w->mechanism;
  const dls_system *s = w->file.system;
  double mass = 0;
  for (int b = 0; b < m->bodies; b++) mass += m->body[b].mass;
  buffer_add(out, "  %d bod%s of %.6g kg", m->bodies, m->bodies == 1 ? "y" : "ies", mass);
  add_count(out, count_joints(m, DLS_JOINT_HINGE), "hinge");
  add_count(out, count_joints(m, DLS_JOINT_SLIDE), "slide");
  add_count(out, count_joints(m, DLS_JOINT_BALL), "ball joint");
  if (count_joints(m, DLS_JOINT_FREE) > 0)
    buffer_add(out, ", %d free", count_joints(m, DLS_JOINT_FREE));
  buffer_add(out, "\n  %d coordinates, %d velocities", dls_system_nq(s), s->n);
  add_count(out, m->closures, "closed loop");
  add_count(out, m->solids, "solid");
  add_count(out, m->tendons, "tendon");
  add_count(out, m->actuators, "actuator");
  buffer_add(out, "\n  gravity %.6g, %.6g, %.6g\n", m->gravity[0], m->gravity[1], m->gravity[2]);
}

// "hinge door from 0 to 1.57, friction 0.1"
static void add_joint(buffer *out, const dls_joint *j, const char *body)
{
  buffer_add(out, "  %s", show_joint_kind(j->kind));
  if (strcmp(j->name, body) != 0) buffer_add(out, " %s", j->name);
  if (j->limited) buffer_add(out, " from %.4g to %.4g", j->range[0], j->range[1]);
  if (j->friction > 0) buffer_add(out, ", friction %.4g", j->friction);
  if (j->stiffness > 0) buffer_add(out, ", stiffness %.4g", j->stiffness);
  if (j->damping > 0) buffer_add(out, ", damping %.4g", j->damping);
  if (j->armature > 0) buffer_add(out, ", armature %.4g", j->armature);
  buffer_add(out, ";");
}

static void add_solid(buffer *out, const dls_solid *s)
{
  buffer_add(out, " %s", show_solid_kind(s->kind));
  for (int k = 0; k < show_sizes(s->kind); k++)
    buffer_add(out, "%s%.4g", k ? " x " : " ", s->size[k]);
  if (s->kind == DLS_SOLID_HULL) buffer_add(out, " of %d vertices", s->vertices);
}

enum { SOLIDS = 4, WIDTH = 98 };

static void add_body(buffer *out, const dls_mechanism *m, int b, int depth, bool full)
{
  const dls_rigid_body *body = &m->body[b];
  buffer line = {0};
  int solids = 0;
  buffer_add(&line, "  %*s%s", 2 * depth, "", body->name);
  bool held = false;
  for (int j = 0; j < m->joints; j++)
    if (m->joint[j].body == b) add_joint(&line, &m->joint[j], body->name), held = true;
  if (!held) buffer_add(&line, "  fixed;");
  if (body->mass > 0) buffer_add(&line, " %.4g kg;", body->mass);
  for (int k = 0; k < m->solids; k++) {
    if (m->solid[k].body != b) continue;
    if (solids > 0 && solids < SOLIDS) buffer_add(&line, ",");
    if (solids++ < SOLIDS) add_solid(&line, &m->solid[k]);
  }
  if (solids > SOLIDS) buffer_add(&line, " and %d more", solids - SOLIDS);
  if (line.length > 0 && line.text[line.length - 1] == ';') line.text[line.length - 1] = 0;
  // names may have letters of several bytes: none is cut
  if (!full && line.length > WIDTH) {
    size_t end = WIDTH;
    while (end > 0 && ((unsigned char)line.text[end] & 0xC0) == 0x80) end--;
    line.text[end] = 0;
    buffer_add(out, "%s…\n", line.text);
    buffer_free(&line);
    return;
  }
  buffer_add(out, "%s\n", line.text ? line.text : "");
  out->failed = out->failed || line.failed;
  buffer_free(&line);
}

// Bodies stand in the order of the mechanism, which need not be that of the tree.
static void add_tree(buffer *out, const dls_mechanism *m, int lines, bool full)
{
  int *depth = calloc((size_t)m->bodies + 1, sizeof *depth);
  int *first = calloc((size_t)m->bodies + 1, sizeof *first);
  int *next = calloc((size_t)m->bodies + 1, sizeof *next);
  if (!depth || !first || !next) out->failed = true;
  for (int b = 0; b <= m->bodies && !out->failed; b++) first[b] = next[b] = -1;
  for (int b = m->bodies - 1; b >= 0 && !out->failed; b--) {
    const int parent = m->body[b].parent < 0 ? m->bodies : m->body[b].parent;
    next[b] = first[parent], first[parent] = b;
  }
  int shown = 0, at = out->failed ? -1 : first[m->bodies], level = 0;
  buffer_add(out, "\n  world");
  for (int k = 0; k < m->solids; k++)
    if (m->solid[k].body < 0) add_solid(out, &m->solid[k]);
  buffer_add(out, "\n");
  while (at >= 0 && shown < lines) {
    add_body(out, m, at, ++level, full);
    shown++;
    if (first[at] >= 0) {
      at = first[at];
      continue;
    }
    while (at >= 0 && next[at] < 0) at = m->body[at].parent, level--;
    if (at >= 0) at = next[at], level--;
  }
  if (shown < m->bodies) buffer_add(out, "  … and %d more bodies (--full)\n", m->bodies - shown);
  free(depth);
  free(first);
  free(next);
}

static void add_loops(buffer *out, const dls_mechanism *m, int lines)
{
  if (m->closures > 0) buffer_add(out, "\n  joints that close loops\n");
  for (int k = 0; k < m->closures && k < lines; k++) {
    const dls_closure *c = &m->closure[k];
    buffer_add(out, "    %s  %s", c->name, show_closure_kind(c->kind));
    for (int i = 0; i < 2; i++) {
      const bool joints = c->kind == DLS_CLOSURE_JOINTS;
      if (joints && c->joint[i] < 0) continue;
      const char *name = joints           ? m->joint[c->joint[i]].name
                         : c->body[i] < 0 ? "world"
                                          : m->body[c->body[i]].name;
      buffer_add(out, "%s %s", i ? "," : "", name);
    }
    buffer_add(out, "\n");
  }
  if (m->closures > lines) buffer_add(out, "    … and %d more (--full)\n", m->closures - lines);
}

static void add_names(buffer *out, const char *what, int count, int most,
                      const char *(*name)(const dls_model *model, int index),
                      const dls_model *model)
{
  if (count == 0) return;
  buffer_add(out, "  %s", what);
  for (int i = 0; i < count && i < most; i++)
    buffer_add(out, "%s %s", i ? "," : "", name(model, i));
  if (count > most) buffer_add(out, " and %d more", count - most);
  buffer_add(out, "\n");
}

static void add_notes(buffer *out, const dls_import *import, int lines)
{
  if (!import || import->notes == 0) return;
  buffer_add(out, "\n  the file says besides\n");
  for (int k = 0; k < import->notes && k < lines; k++)
    buffer_add(out, "    %-24s %5d times, %s\n", import->note[k].what, import->note[k].count,
               import->note[k].approximated ? "approximated" : "left out");
  if (import->notes > lines) buffer_add(out, "    … and %d more (--full)\n", import->notes - lines);
}

static void add_contacts(buffer *out, const dls_system *s, int lines)
{
  if (s->m == 0) return;
  buffer_add(out, "\n  constraints%s\n", s->find ? " that always hold" : " and contacts");
  for (int j = 0; j < s->m && j < lines; j++) {
    const dls_contact_info *c = &s->contacts[j];
    buffer_add(out, "    %s  %s\n", c->name,
               c->dry                     ? "friction"
               : c->rolling               ? "rolling"
               : c->kind == DLS_BILATERAL ? "bilateral"
                                          : "unilateral");
  }
  if (s->m > lines) buffer_add(out, "    … and %d more (--full)\n", s->m - lines);
}

static int count_states(const show_work *w)
{
  return dls_model_state_count(w->file.model);
}

int show_text(const void *work, bool colour, product *result)
{
  (void)colour;
  const show_work *w = work;
  const bool full = options_has(w->options, "--full");
  const int most = full ? w->file.system->m + 1000000 : LINES;
  buffer *out = &result->grown;
  const char *title = dls_model_title(w->file.model);
  buffer_add(out, "%s%s%s\n", w->file.shown, title[0] ? "  " : "", title);
  if (w->mechanism) add_counts(out, w);
  else buffer_add(out, "  %d coordinates\n", w->file.system->n);
  add_names(out, "parameters", dls_model_parameter_count(w->file.model), full ? most : NAMES,
            dls_model_parameter_name, w->file.model);
  add_names(out, "states", count_states(w), full ? most : NAMES, dls_model_state_name,
            w->file.model);
  if (w->mechanism) {
    add_tree(out, w->mechanism, most, full);
    add_loops(out, w->mechanism, full ? most : NAMES);
  } else {
    add_contacts(out, w->file.system, full ? most : NAMES);
  }
  add_notes(out, w->file.import, full ? most : NOTES);
  return out->failed ? complain("out of memory") : 0;
}
