// compiler, option, and the ways to write a rotation.
#include "format/mjcf.h"
#include "format/turn.h"

#include <string.h>

void dls_mjcf_each(dls_mjcf *m, const char *section, dls_mjcf_visit *visit)
{
  for (const dls_xml_element *s = m->root->first; s; s = s->next) {
    if (strcmp(s->name, section) != 0) continue;
    for (const dls_xml_element *e = s->first; e && !m->reading->status; e = e->next) visit(m, e);
  }
}

static const char *const euler_letters = "xyzXYZ";

static void read_euler(dls_mjcf *m, const dls_xml_element *e)
{
  const char *text = dls_reading_text(e, "eulerseq");
  if (!text) return;
  if (strlen(text) != 3 || strspn(text, euler_letters) != 3)
    dls_reading_fail(m->reading, e, "eulerseq", "`eulerseq` must be three letters of xyzXYZ");
  else memcpy(m->compiler.euler, text, 3);
}

static void read_angles(dls_mjcf *m, const dls_xml_element *e)
{
  static const char *const angles[] = {"radian", "degree", NULL};
  static const char *const coordinates[] = {"local", "global", NULL};
  int value;
  if (dls_reading_word(m->reading, e, "angle", angles, &value)) m->compiler.degrees = value == 1;
  if (dls_reading_word(m->reading, e, "coordinate", coordinates, &value) && value == 1)
    dls_reading_fail(m->reading, e, "coordinate",
                     "global coordinates are not supported: MuJoCo up to 2.3.3 can save the model "
                     "with local ones");
  read_euler(m, e);
}

static void read_inertia(dls_mjcf *m, const dls_xml_element *e)
{
  static const char *const words[] = {"false", "true", "auto", NULL};
  dls_file_reading *r = m->reading;
  dls_mjcf_compiler *c = &m->compiler;
  int value;
  bool exact;
  if (dls_reading_word(r, e, "inertiafromgeom", words, &value))
    c->inertia_from_geom = (dls_mjcf_switch)value;
  double range[2];
  if (dls_reading_numbers(r, e, "inertiagrouprange", 2, 2, range)) {
    c->group[0] = (int)range[0];
    c->group[1] = (int)range[1];
  }
  dls_reading_bool(r, e, "balanceinertia", &c->balance);
  dls_reading_number(r, e, "boundmass", &c->least_mass);
  dls_reading_number(r, e, "boundinertia", &c->least_inertia);
  dls_reading_number(r, e, "settotalmass", &c->total_mass);
  if (dls_reading_bool(r, e, "exactmeshinertia", &exact))
    c->mesh_weight = exact ? DLS_MESH_EXACT : DLS_MESH_LEGACY;
}

static void read_one_compiler(dls_mjcf *m, const dls_xml_element *e)
{
  dls_file_reading *r = m->reading;
  dls_mjcf_compiler *c = &m->compiler;
  read_angles(m, e);
  read_inertia(m, e);
  dls_reading_bool(r, e, "autolimits", &c->autolimits);
  dls_reading_bool(r, e, "fitaabb", &c->fit_box);
  dls_reading_bool(r, e, "strippath", &c->strip_path);
  dls_reading_bool(r, e, "alignfree", &c->align_free);
  dls_reading_bool(r, e, "fusestatic", &c->fuse_static);
  const char *folder = dls_reading_text(e, "meshdir");
  if (!folder) folder = dls_reading_text(e, "assetdir");
  if (folder) c->mesh_folder = folder;
}

static void read_flag(dls_mjcf *m, const dls_xml_element *e, const char *name, bool *off)
{
  static const char *const words[] = {"disable", "enable", NULL};
  int value;
  if (dls_reading_word(m->reading, e, name, words, &value)) *off = value == 0;
}

static void read_flags(dls_mjcf *m, const dls_xml_element *e)
{
  dls_mjcf_flags *off = &m->off;
  bool passive = false;
  read_flag(m, e, "constraint", &off->constraint);
  read_flag(m, e, "equality", &off->equality);
  read_flag(m, e, "frictionloss", &off->friction);
  read_flag(m, e, "limit", &off->limit);
  read_flag(m, e, "contact", &off->contact);
  read_flag(m, e, "passive", &passive);
  off->spring = off->spring || passive;
  off->damper = off->damper || passive;
  read_flag(m, e, "spring", &off->spring);
  read_flag(m, e, "damper", &off->damper);
  read_flag(m, e, "gravity", &off->gravity);
  read_flag(m, e, "clampctrl", &off->clamp);
  read_flag(m, e, "filterparent", &off->filter_parent);
  read_flag(m, e, "actuation", &off->actuation);
}

static void read_option(dls_mjcf *m, const dls_xml_element *e)
{
  static const char *const collisions[] = {"all", "predefined", "dynamic", NULL};
  dls_reading_numbers(m->reading, e, "gravity", 3, 3, m->gravity);
  dls_reading_word(m->reading, e, "collision", collisions, &m->collision);
  const dls_xml_element *flag = dls_xml_child(e, "flag");
  if (flag) read_flags(m, flag);
}

void dls_mjcf_read_compiler(dls_mjcf *m)
{
  m->compiler = (dls_mjcf_compiler){.degrees = true,
                                    .autolimits = true,
                                    .inertia_from_geom = DLS_MJCF_AUTO,
                                    .mesh_weight = DLS_MESH_LEGACY,
                                    .euler = "xyz",
                                    .group = {0, 5},
                                    .total_mass = -1};
  m->gravity[2] = -9.81;
  for (const dls_xml_element *e = m->root->first; e; e = e->next) {
    if (strcmp(e->name, "compiler") == 0) read_one_compiler(m, e);
    if (strcmp(e->name, "option") == 0) read_option(m, e);
  }
  if (m->off.constraint) m->off.equality = m->off.friction = m->off.limit = m->off.contact = true;
  if (m->off.gravity) memset(m->gravity, 0, sizeof m->gravity);
  dls_file_reading *r = m->reading;
  if (m->compiler.fuse_static) dls_reading_note(r, true, 1, "compiler fusestatic");
  if (m->compiler.align_free) dls_reading_note(r, true, 1, "compiler alignfree");
}

void dls_mjcf_limited(dls_mjcf *m, const dls_xml_element *e, const char *limited,
                      const char *range_name, dls_mjcf_switch value, const double range[2],
                      bool *out)
{
  const bool has_range = range[0] != 0 || range[1] != 0;
  if (value == DLS_MJCF_AUTO && has_range && !m->compiler.autolimits)
    dls_reading_fail(m->reading, e, range_name,
                     "`%s` without `%s`: write it, or let the compiler have autolimits=\"true\"",
                     range_name, limited);
  *out = value == DLS_MJCF_YES || (value == DLS_MJCF_AUTO && range[0] < range[1]);
  if (*out && !(range[0] < range[1]))
    dls_reading_fail(m->reading, e, range_name, "`%s` must grow", range_name);
}
