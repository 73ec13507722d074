// URDF: links and joints of a file, before they become a mechanism.
#ifndef DLS_FORMAT_URDF_H
#define DLS_FORMAT_URDF_H

#include "format/draft.h"
#include "format/weight.h"

typedef struct dls_urdf_joint dls_urdf_joint;

typedef struct dls_urdf_link {
  const dls_xml_element *element;
  const char *name;
  int joint;        // that holds it; -1: none
  int first_joint;  // that hangs another link on it; -1: none
  int body;         // -1: the world
  bool reached;
  dls_mass mass;
} dls_urdf_link;

typedef enum dls_urdf_kind {
  DLS_URDF_REVOLUTE,
  DLS_URDF_CONTINUOUS,
  DLS_URDF_PRISMATIC,
  DLS_URDF_FIXED,
  DLS_URDF_FLOATING,
  DLS_URDF_PLANAR,
  DLS_URDF_SPHERICAL
} dls_urdf_kind;

struct dls_urdf_joint {
  const dls_xml_element *element;
  const char *name;
  dls_urdf_kind kind;
  int parent, child;  // links
  int next;           // joint of the same parent, in the order of the file; -1
  int index;          // of its joint in the draft, when it has one freedom; else -1
};

typedef struct dls_urdf {
  dls_file_reading *reading;
  const dls_xml_element *root;
  int links, joints, link_capacity, joint_capacity;
  dls_urdf_link *link;
  dls_urdf_joint *joint;
  dls_name_table link_names, joint_names;
  dls_draft draft;
} dls_urdf;

// Looks at names of elements and attributes, and notes what is not used.
void dls_urdf_check(dls_file_reading *reading, const dls_xml_element *root);

dls_pose dls_urdf_origin(dls_urdf *u, const dls_xml_element *e);
dls_mass dls_urdf_mass(dls_urdf *u, const dls_urdf_link *link);
void dls_urdf_add_solids(dls_urdf *u, const dls_urdf_link *link);
// The joints of a body on its parent.
void dls_urdf_add_joints(dls_urdf *u, dls_urdf_joint *joint, int body);
void dls_urdf_add_mimics(dls_urdf *u);

#endif
