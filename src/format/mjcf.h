// MJCF: what a file says, before it becomes a mechanism. Defaults of a class are values that the
// elements of that class start with.
#ifndef DLS_FORMAT_MJCF_H
#define DLS_FORMAT_MJCF_H

#include "format/draft.h"
#include "format/weight.h"
#include "format/mesh.h"
#include "format/name_table.h"

typedef enum dls_mjcf_switch { DLS_MJCF_NO, DLS_MJCF_YES, DLS_MJCF_AUTO } dls_mjcf_switch;

typedef struct dls_mjcf_compiler {
  bool degrees, autolimits, balance, fit_box, strip_path, align_free, fuse_static;
  dls_mjcf_switch inertia_from_geom;
  int mesh_weight;  // dls_mesh_weight of meshes that do not say it
  char euler[4];
  int group[2];
  double least_mass, least_inertia, total_mass;
  const char *mesh_folder;  // as the file has it, or NULL
} dls_mjcf_compiler;

// What option flag switches off.
typedef struct dls_mjcf_flags {
  bool constraint, equality, friction, limit, contact, spring, damper, gravity, clamp;
  bool filter_parent, actuation;
} dls_mjcf_flags;

// A rotation, in the way it was written last.
typedef enum dls_mjcf_turn_kind {
  DLS_MJCF_QUATERNION,
  DLS_MJCF_AXIS_ANGLE,
  DLS_MJCF_XY_AXES,
  DLS_MJCF_Z_AXIS,
  DLS_MJCF_EULER
} dls_mjcf_turn_kind;

typedef struct dls_mjcf_turn {
  double quaternion[4];
  dls_mjcf_turn_kind kind;
  double value[6];
} dls_mjcf_turn;

typedef struct dls_mjcf_joint {
  const dls_xml_element *element;
  const char *name;  // NULL: none
  int body;
  dls_joint_kind kind;
  double position[3], axis[3];
  double spring_damper[2];  // time constant and damping ratio
  dls_mjcf_switch limited;
  double range[2], stiffness, damping, reference, rest, armature, friction;
} dls_mjcf_joint;

// The kinds of solids, and these.
enum { DLS_MJCF_HFIELD = DLS_SOLID_KINDS, DLS_MJCF_SDF };

typedef struct dls_mjcf_geom {
  const dls_xml_element *element;
  const char *name, *mesh;
  int body, kind;
  int type, affinity, dimensions, group, priority;
  double size[3];  // first as written, half lengths; at the end as of a solid
  double friction, mass, density, fit_scale;
  bool has_mass, shell, has_ends;
  double ends[6], position[3];
  dls_mjcf_turn turn;
  dls_pose pose;    // in the body
  dls_mass weight;  // in the body
  bool paired;      // a contact pair names it
  int mesh_index;   // -1: none
  int solid;        // -1: it touches nothing
} dls_mjcf_geom;

typedef struct dls_mjcf_site {
  const dls_xml_element *element;
  const char *name;
  int body;
  double position[3];
  dls_mjcf_turn turn;
  bool has_ends;
  double ends[6];
  dls_pose pose;
} dls_mjcf_site;

typedef struct dls_mjcf_mesh {
  const dls_xml_element *element;
  const char *name;
  double scale[3];
  int weight;              // dls_mesh_weight, or DLS_MJCF_CONVEX
  bool read, hulled;       // what was needed of it so far
  dls_mass mass;           // with density 1
  double low[3], high[3];  // of its points in the axes of inertia, about the centre of mass
  dls_solid solid;         // its hull
} dls_mjcf_mesh;

enum { DLS_MJCF_CONVEX = DLS_MESH_SHELL + 1 };

typedef struct dls_mjcf_pair {
  int dimensions;
  double friction[5];
} dls_mjcf_pair;

typedef struct dls_mjcf_tendon {
  dls_mjcf_switch limited;
  double range[2], friction, spring[2], stiffness, damping;
} dls_mjcf_tendon;

// How an actuator's force follows from its control.
typedef enum dls_mjcf_gain {
  DLS_MJCF_FIXED,
  DLS_MJCF_AFFINE,
  DLS_MJCF_OTHER  // a muscle, a motor with currents, a plugin: left out
} dls_mjcf_gain;

typedef struct dls_mjcf_actuator {
  double gear[6], gain[3], bias[3], control_range[2], force_range[2], act_range[2];
  double inherit_range, damping, armature, time_constant;
  int dynamics;  // an index into dls_mjcf_dynamics
  dls_mjcf_gain gain_kind, bias_kind;
  dls_mjcf_switch control_limited, force_limited, act_limited;
} dls_mjcf_actuator;

enum { DLS_MJCF_STATIC, DLS_MJCF_INTEGRATOR };  // the first words of:
extern const char *const dls_mjcf_dynamics[];

typedef struct dls_mjcf_class {
  const char *name;
  dls_mjcf_joint joint;
  dls_mjcf_geom geom;
  dls_mjcf_site site;
  dls_mjcf_mesh mesh;
  dls_mjcf_pair pair;
  dls_mjcf_tendon tendon;
  dls_mjcf_actuator actuator;
  bool equality_active;
} dls_mjcf_class;

typedef struct dls_mjcf_body {
  const dls_xml_element *element;
  const char *name;
  int parent;            // DLS_WORLD or a body before it
  dls_pose pose, world;  // in the parent; in the world, all joints at their reference
  double carried;        // in weights
  const dls_xml_element *inertial;
  int first_joint, joints;
  dls_mass mass;
} dls_mjcf_body;

typedef struct dls_mjcf {
  dls_file_reading *reading;
  const dls_xml_element *root;
  dls_mjcf_compiler compiler;
  dls_mjcf_flags off;
  int collision;  // 0: all; 1: of pairs only; 2: of others only
  double gravity[3];

  int classs, bodys, joints, geoms, sites, meshs;  // s for the macro that adds
  int class_capacity, body_capacity, joint_capacity, geom_capacity, site_capacity, mesh_capacity;
  dls_mjcf_class *class;  // the first is main
  bool main_named;        // older files may call it otherwise
  dls_mjcf_body *body;
  dls_mjcf_joint *joint;
  dls_mjcf_geom *geom;
  dls_mjcf_site *site;
  dls_mjcf_mesh *mesh;
  dls_name_table class_names, body_names, joint_names, geom_names, site_names, mesh_names;
  dls_name_table tendon_names, key_names;

  dls_draft draft;  // the mechanism
  int *act_of;      // of each actuator: its place among activations; -1: none
  int act_count, act_capacity, acts;
  bool odd_actuators;  // with more or fewer controls than one
} dls_mjcf;

// Puts the contents of included files in place of the elements that name them.
void dls_mjcf_include(dls_file_reading *reading, dls_xml_element *root);
// Looks at names of elements and attributes, and notes what is not used.
void dls_mjcf_check(dls_file_reading *reading, const dls_xml_element *root);

// Calls the function for each element inside sections of that name.
typedef void dls_mjcf_visit(dls_mjcf *m, const dls_xml_element *element);
void dls_mjcf_each(dls_mjcf *m, const char *section, dls_mjcf_visit *visit);

void dls_mjcf_read_compiler(dls_mjcf *m);
void dls_mjcf_read_defaults(dls_mjcf *m);
// The class that an element names, or the one given.
const dls_mjcf_class *dls_mjcf_class_of(dls_mjcf *m, const dls_xml_element *element,
                                        const char *attribute, const dls_mjcf_class *otherwise);
void dls_mjcf_read_meshes(dls_mjcf *m);
void dls_mjcf_read_bodies(dls_mjcf *m);

void dls_mjcf_joint_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_joint *joint);
void dls_mjcf_joint_finish(dls_mjcf *m, const dls_pose *frame, dls_mjcf_joint *joint);
void dls_mjcf_geom_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_geom *geom);
void dls_mjcf_geom_finish(dls_mjcf *m, const dls_pose *frame, dls_mjcf_geom *geom);
void dls_mjcf_site_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_site *site);
void dls_mjcf_site_finish(dls_mjcf *m, const dls_pose *frame, dls_mjcf_site *site);
void dls_mjcf_mesh_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_mesh *mesh);
void dls_mjcf_pair_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_pair *pair);
void dls_mjcf_tendon_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_tendon *tendon);
void dls_mjcf_actuator_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_actuator *actuator);
extern const dls_mjcf_actuator dls_mjcf_plain_actuator;

extern const dls_mjcf_turn dls_mjcf_no_turn;
void dls_mjcf_turn_values(dls_mjcf *m, const dls_xml_element *e, dls_mjcf_turn *turn);
void dls_mjcf_turn_resolve(dls_mjcf *m, const dls_xml_element *e, const dls_mjcf_turn *turn,
                           double quaternion[4]);
// Position and rotation of an element that has no class.
dls_pose dls_mjcf_pose(dls_mjcf *m, const dls_xml_element *e);
void dls_mjcf_limited(dls_mjcf *m, const dls_xml_element *e, const char *limited,
                      const char *range_name, dls_mjcf_switch value, const double range[2],
                      bool *out);

// The mesh, with its points read: its inertia, and its hull.
void dls_mjcf_mesh_need(dls_mjcf *m, dls_mjcf_mesh *mesh, bool hull);
// The hull of a mesh without triangles is what weighs; size of a geom that is fitted to it.
void dls_mjcf_mesh_fit(dls_mjcf *m, const dls_mjcf_mesh *mesh, dls_mjcf_geom *geom,
                       dls_pose *inside);

void dls_mjcf_weigh(dls_mjcf *m);         // masses of geoms and bodies
void dls_mjcf_add_bodies(dls_mjcf *m);    // to the draft: bodies, joints
void dls_mjcf_add_contacts(dls_mjcf *m);  // solids and rules
void dls_mjcf_add_closures(dls_mjcf *m);
void dls_mjcf_add_tendons(dls_mjcf *m);
void dls_mjcf_add_actuators(dls_mjcf *m);
// Springs and dampers that are given by how fast they are, at the reference.
void dls_mjcf_tune(dls_mjcf *m);
void dls_mjcf_add_states(dls_mjcf *m);

// Frames by the name of a body, or of a site: -1 in body is the world.
bool dls_mjcf_find_body(dls_mjcf *m, const dls_xml_element *e, const char *attribute, int *body);
int dls_mjcf_find(dls_mjcf *m, const dls_name_table *table, const dls_xml_element *e,
                  const char *attribute, const char *kind);

#endif
