// The inside of a system of bodies: a forest, measures of it, and what acts along them.
#ifndef DLS_BODY_ASSEMBLY_H
#define DLS_BODY_ASSEMBLY_H

#include "body/clique.h"
#include "body/expanded.h"
#include "body/measure.h"
#include "body/touching.h"

// Where the numbers of a part come from.
typedef enum dls_body_part { DLS_PART_JOINT, DLS_PART_CLOSURE, DLS_PART_TENDON } dls_body_part;

typedef enum dls_part_bits {
  DLS_HAS_LIMITS = 1,
  DLS_HAS_FRICTION = 2,
  DLS_HAS_RESISTANCE = 4,  // a spring, a damper or armature
  DLS_HAS_ARMATURE = 8
} dls_part_bits;

typedef enum dls_body_row_kind {
  DLS_BODY_ROW_CLOSURE,  // y = 0
  DLS_BODY_ROW_DRY,      // friction alone, with a bound
  DLS_BODY_ROW_LOW,      // y - low >= 0
  DLS_BODY_ROW_HIGH      // high - y >= 0
} dls_body_row_kind;

typedef struct dls_body_row {
  dls_body_row_kind kind;
  int measure;
  dls_body_part part;
  int of;  // joint, closure or tendon
  const char *name;
  double end;  // of a range
  double restitution, friction;
} dls_body_row;

// Armature, damping and a spring along a measure, which acts outside rest[0] ... rest[1].
typedef struct dls_element {
  int measure;
  dls_body_part part;
  int of;
  bool inert;  // it may have armature
  double armature, damping, stiffness, rest[2];
} dls_element;

// An actuator that the forest does not apply.
typedef struct dls_drive {
  int actuator;
  int measures, measure[3];
  bool reads;  // its force depends on the measure
  dls_actuator numbers;
} dls_drive;

// The frames of a joint on both of its bodies.
typedef struct dls_joint_frames {
  dls_pose frame[2];
  dls_joint_kind kind;
  double reference;
} dls_joint_frames;

typedef struct dls_assembly {
  dls_system system;
  dls_chart chart;
  dls_arena *arena;
  dls_expanded expanded;
  dls_tree *tree;
  dls_measure_set measures;
  int joints, closures, tendons, actuators;
  uint64_t structure;    // of the mechanism, as a digest
  unsigned char *has;    // joints, closures, tendons: what each has, dls_part_bits
  int *joint_measure;    // joints: of hinges and slides; -1: not needed yet
  int *joint_pair;       // joints: between the bodies of a joint that is no coordinate; -1
  int *closure_pair;     // closures: -1
  int *closure_measure;  // closures: of the free axis; -1: not needed
  int *tendon_measure;   // tendons: -1
  // closures first, then friction alone, then limits
  dls_body_row *row;
  int rows, bilateral;
  ptrdiff_t row_room;
  dls_element *element;
  int elements;
  ptrdiff_t element_room;
  dls_drive *drive;
  int drives;
  ptrdiff_t drive_room;
  dls_pattern own_mass;  // allocated, where armature of closures adds entries
  int *mass_place;  // where entries of the forest's M are in that of the system; NULL: the same
  double *tree_M, *tree_M_bound;  // of the forest, where M is not that
  dls_derivative_patterns slopes;
  dls_pattern R_q, R_v;  // allocated
  unsigned char *free_q;
  int *place_q, *place_v;         // where entries of the forest's slopes are in them
  double *slope_q, *slope_v;      // of the forest
  dls_wrench *wrench;             // bodies of the forest
  double *force;                  // measures: what acts along them, of the right side
  double (*law)[3];               // measures: its derivatives by y, y', y''
  double (*bend)[12][12];         // pairs
  dls_touching touching;          // solids, and the contacts between them
  dls_joint_frames *joint_frame;  // joints
  dls_pair_column *column_work;   // n
  // of one pair at a time: n, n, 2 n, n
  int *work_velocity;
  unsigned char *work_side;
  dls_motion_slope *work_slope;
  double *work_rate;
  ptrdiff_t bend_room;           // of touch_bend
  double (*touch_bend)[12][12];  // pairs of solids
  // The set of contacts at hand: bilateral ones, then those selected.
  int *column;  // m: a row; from `rows` on a contact of solids
  dls_contact_info *info;
  int *normal_p, *normal_i, *tangent_p, *tangent_i, *turn_p, *turn_i;
  ptrdiff_t column_room, info_room, normal_p_room, normal_i_room, tangent_p_room, tangent_i_room,
      turn_p_room, turn_i_room;
  bool passes;  // contacts without a gap are far apart
} dls_assembly;

// What the parts of a mechanism have; joints, closures and tendons one after another.
unsigned char dls_joint_has(const dls_joint *joint);
unsigned char dls_closure_has(const dls_closure *closure);
unsigned char dls_tendon_has(const dls_tendon *tendon);
// Structure: measures, rows, elements, drives, in the order of their names. Numbers are read after.
dls_status dls_assembly_build(dls_assembly *a, const dls_mechanism *mechanism,
                              dls_message *message);
// Frames, gears, ends, springs and so on. DLS_ERR_MODEL when the structure would be another one.
dls_status dls_assembly_read(dls_assembly *a, const dls_mechanism *mechanism, dls_message *message);
// Patterns and infos.
dls_status dls_assembly_mass_pattern(dls_assembly *a, dls_message *message);
dls_status dls_assembly_slopes(dls_assembly *a, dls_message *message);  // for the set at hand
void dls_assembly_pass_degenerate(void *self, bool passes);
void dls_assembly_slopes_free(dls_assembly *a);
// Makes the set that of these identities, behind the bilateral ones. DLS_ERR_ARGUMENT where one is
// none.
dls_status dls_assembly_select(void *self, int count, const uint64_t *id, dls_message *message);
dls_status dls_assembly_find(void *self, double t, const double *x, const double *x_dot,
                             double reach, double horizon, int *count, const uint64_t **id,
                             dls_message *message);

// What a spring is stretched by, y outside its rest.
dls_bounded dls_element_stretch(const dls_element *element, dls_bounded y);
// The force of a drive before gears, and its derivatives by its measure and the rate of that.
dls_bounded dls_drive_force(const dls_assembly *a, const dls_drive *drive, double slope[2]);

dls_status dls_assembly_evaluate(void *self, double t, const double *x, const double *x_dot,
                                 const dls_values *values, const dls_values *bound,
                                 dls_message *message);
dls_status dls_assembly_differentiate(void *self, double t, const double *x, const double *x_dot,
                                      const double *x_ddot, const double *lambda, const double *tau,
                                      const dls_derivatives *out, dls_message *message);
// Contacts of solids: their rows of N, T, D and S, their forces to a->wrench and a->touch_bend.
dls_status dls_assembly_touch_slopes(dls_assembly *a, const double *lambda, const double *tau,
                                     const dls_derivatives *out);
dls_status dls_assembly_energy(void *self, double t, const double *x, const double *x_dot,
                               double *kinetic, double *potential, dls_message *message);

#endif
