// Elements and attributes of URDF. Files have others, of tools that extend the format: they are
// noted, unless they look like a misspelt one.
#include "format/urdf.h"
#include "format/urdf_words.h"
#include "format/word_list.h"

#include <string.h>

const dls_urdf_words dls_urdf_rows[] = {
    {"robot", "link joint", "material transmission gazebo sensor mujoco", NULL, "name version"},
    {"link", "inertial collision", "visual sensor contact self_collision_checking", "name", "type"},
    {"joint", "origin parent child axis limit dynamics mimic", "calibration safety_controller",
     "name type", NULL},
    {"inertial", "origin mass inertia", NULL, NULL, NULL},
    {"mass", NULL, NULL, "value", NULL},
    {"inertia", NULL, NULL, "ixx iyy izz ixy ixz iyz", NULL},
    {"origin", NULL, NULL, "xyz rpy", NULL},
    {"collision", "origin geometry", "material verbose", "name", NULL},
    {"geometry", "box cylinder sphere capsule mesh", NULL, NULL, NULL},
    {"box", NULL, NULL, "size", NULL},
    {"sphere", NULL, NULL, "radius", NULL},
    {"cylinder", NULL, NULL, "radius length", NULL},
    {"capsule", NULL, NULL, "radius length", NULL},
    {"mesh", NULL, NULL, "filename scale", NULL},
    {"parent", NULL, NULL, "link", NULL},
    {"child", NULL, NULL, "link", NULL},
    {"axis", NULL, NULL, "xyz", NULL},
    {"limit", NULL, NULL, "lower upper", "effort velocity acceleration jerk"},
    {"dynamics", NULL, NULL, "damping friction", NULL},
    {"mimic", NULL, NULL, "joint multiplier offset", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static const dls_urdf_words *row_of(const char *name)
{
  const dls_urdf_words *row = dls_urdf_rows;
  while (row->name && strcmp(row->name, name) != 0) row++;
  return row->name ? row : NULL;
}

static void check_attributes(dls_file_reading *r, const dls_xml_element *e,
                             const dls_urdf_words *row)
{
  for (int k = 0; k < e->attributes && !r->status; k++) {
    const char *name = e->attribute[k].name;
    if (dls_word_list_has(row->read, name) || strncmp(name, "xmlns", 5) == 0) continue;
    if (strcmp(e->name, "robot") == 0) continue;  // its name and the like
    const dls_suggestion s = dls_word_list_suggest(name, &row->read, 1);
    if (s.text[0] && !dls_word_list_has(row->left, name))
      dls_reading_fail_place(r, e->attribute[k].name_place, "`%.60s` has no attribute `%.60s`%s",
                             e->name, name, s.text);
    else dls_reading_note(r, false, 1, "%s %s", e->name, name);
  }
}

static void check(dls_file_reading *r, const dls_xml_element *e)
{
  const dls_urdf_words *row = row_of(e->name);
  if (!row) return;
  check_attributes(r, e, row);
  for (const dls_xml_element *c = e->first; c && !r->status; c = c->next) {
    if (strncmp(c->name, "xacro:", 6) == 0)
      dls_reading_fail(r, c, NULL,
                       "this is a xacro file: the program xacro makes a URDF file of it");
    else if (dls_word_list_has(row->children, c->name)) check(r, c);
    else {
      const dls_suggestion s = dls_word_list_suggest(c->name, &row->children, 1);
      if (s.text[0] && !dls_word_list_has(row->skipped, c->name))
        dls_reading_fail(r, c, NULL, "`%.60s` has no element `%.60s`%s", e->name, c->name, s.text);
      else dls_reading_note(r, false, 1, "%s %s", e->name, c->name);
    }
  }
}

void dls_urdf_check(dls_file_reading *reading, const dls_xml_element *root)
{
  check(reading, root);
}
