// Default classes: the values that an element starts with.
#include "format/mjcf.h"

#include <string.h>

static const dls_mjcf_class plain = {
    .joint = {.kind = DLS_JOINT_HINGE, .axis = {0, 0, 1}, .limited = DLS_MJCF_AUTO},
    .geom = {.kind = DLS_SOLID_SPHERE,
             .type = 1,
             .affinity = 1,
             .dimensions = 3,
             .friction = 1,
             .density = 1000,
             .fit_scale = 1,
             .turn = {.quaternion = {1, 0, 0, 0}},
             .mesh_index = -1,
             .solid = -1},
    .site = {.turn = {.quaternion = {1, 0, 0, 0}}},
    .mesh = {.scale = {1, 1, 1}},
    .pair = {.dimensions = 3, .friction = {1, 1, 0.005, 0.0001, 0.0001}},
    .tendon = {.limited = DLS_MJCF_AUTO, .spring = {-1, -1}},
    .equality_active = true,
};

static bool is_one_of(const char *name, const char *const *words)
{
  for (; *words; words++) {
    if (strcmp(name, *words) == 0) return true;
  }
  return false;
}

static const char *const actuators[] = {
    "general", "motor",    "position",    "velocity", "damper",  "intvelocity", "cylinder",
    "muscle",  "adhesion", "orientation", "pid",      "dcmotor", NULL};

static void read_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_class *c)
{
  if (strcmp(e->name, "joint") == 0) dls_mjcf_joint_values(m, e, &c->joint);
  else if (strcmp(e->name, "geom") == 0) dls_mjcf_geom_values(m, e, &c->geom);
  else if (strcmp(e->name, "site") == 0) dls_mjcf_site_values(m, e, &c->site);
  else if (strcmp(e->name, "mesh") == 0) dls_mjcf_mesh_values(m, e, &c->mesh);
  else if (strcmp(e->name, "pair") == 0) dls_mjcf_pair_values(m, e, &c->pair);
  else if (strcmp(e->name, "tendon") == 0) dls_mjcf_tendon_values(m, e, &c->tendon);
  else if (strcmp(e->name, "equality") == 0)
    dls_reading_bool(m->reading, e, "active", &c->equality_active);
  else if (is_one_of(e->name, actuators)) dls_mjcf_actuator_values(m, e, &c->actuator);
}

// The element's class starts as that of the one around it, of index `parent`.
static void read_class(dls_mjcf *m, const dls_xml_element *e, int parent)
{
  dls_file_reading *r = m->reading;
  int index = 0;
  if (parent >= 0) {
    const char *name = dls_reading_required(r, e, "class");
    dls_reading_step(r, e);
    index = m->classs;
    dls_mjcf_class *c = DLS_READING_ADD(r, m, class);
    if (!c) return;
    *c = m->class[parent];
    c->name = name;
    if (!r->status && !dls_name_table_add(r, &m->class_names, name, index))
      dls_reading_fail(r, e, "class", "there is a class `%.100s` already", name);
  } else {
    const char *name = dls_reading_text(e, "class");
    if (name && strcmp(name, "main") != 0 && strcmp(name, "") != 0 && m->main_named &&
        strcmp(name, m->class[0].name) != 0)
      dls_reading_fail(r, e, "class", "the outermost default class has one name");
    if (name && *name && strcmp(name, "main") != 0 && !m->main_named) {
      m->class[0].name = name;
      m->main_named = true;
      dls_name_table_add(r, &m->class_names, name, 0);
    }
  }
  for (const dls_xml_element *v = e->first; v && !r->status; v = v->next)
    read_values(m, v, &m->class[index]);
  for (const dls_xml_element *v = e->first; v && !r->status; v = v->next) {
    if (strcmp(v->name, "default") == 0) read_class(m, v, index);
  }
}

void dls_mjcf_read_defaults(dls_mjcf *m)
{
  dls_file_reading *r = m->reading;
  dls_mjcf_class *c = DLS_READING_ADD(r, m, class);
  if (!c) return;
  *c = plain;
  c->name = "main";
  c->mesh.weight = m->compiler.mesh_weight;
  c->actuator = dls_mjcf_plain_actuator;
  dls_name_table_add(r, &m->class_names, c->name, 0);
  for (const dls_xml_element *e = m->root->first; e && !r->status; e = e->next) {
    if (strcmp(e->name, "default") == 0) read_class(m, e, -1);
  }
}

const dls_mjcf_class *dls_mjcf_class_of(dls_mjcf *m, const dls_xml_element *element,
                                        const char *attribute, const dls_mjcf_class *otherwise)
{
  const char *name = dls_reading_text(element, attribute);
  if (!name) return otherwise;
  const int index = dls_name_table_find(&m->class_names, name);
  if (index >= 0) return &m->class[index];
  dls_reading_fail(m->reading, element, attribute, "there is no default class `%.100s`%s", name,
                   dls_name_table_suggest(&m->class_names, name).text);
  return otherwise;
}
