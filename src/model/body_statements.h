// Statements about bodies, as they are written. Their numbers are formulas of parameters, in the
// list `numbers` of the source.
#ifndef DLS_MODEL_BODY_STATEMENTS_H
#define DLS_MODEL_BODY_STATEMENTS_H

#include <delassus/hull.h>
#include <delassus/import.h>

// What stands behind a word: formulas first ... first + count - 1. Lists of three have room for
// three, so that a vector may stand for them.
typedef struct dls_number_list {
  int first, count;     // count 0: it is not there
  bool triple;          // of one formula, which is to be a vector of three parts
  unsigned at, length;  // of the word
} dls_number_list;

typedef enum dls_rotation_form {
  DLS_ROTATION_ROLL,  // roll, pitch, yaw about fixed x, y, z
  DLS_ROTATION_AXIS,  // axis x, y, z angle a
  DLS_ROTATION_QUATERNION
} dls_rotation_form;

typedef struct dls_placement_statement {
  dls_number_list position, rotation;
  dls_rotation_form form;
} dls_placement_statement;

typedef struct dls_solid_statement {
  dls_solid_kind kind;
  unsigned at, length;  // of its word
  dls_number_list size, through, friction, restitution;
  dls_placement_statement place;
  const char *file;  // of a hull
  unsigned file_at, file_length;
  const dls_hull *hull;  // NULL: could not be read
} dls_solid_statement;

typedef struct dls_body_statement {
  int name;
  unsigned at;
  bool fixed;
  bool broken;  // has an error that was reported
  int first_solid, solids;
  dls_number_list mass, density, inertia, centre, velocity, spin;
  dls_placement_statement place;
} dls_body_statement;

typedef enum dls_joint_statement_kind {
  DLS_WRITTEN_HINGE,
  DLS_WRITTEN_SLIDE,
  DLS_WRITTEN_BALL,
  DLS_WRITTEN_FREE,
  DLS_WRITTEN_WELD,
  DLS_WRITTEN_UNIVERSAL,
  DLS_WRITTEN_CYLINDRICAL,
  DLS_WRITTEN_PLANAR,
  DLS_WRITTEN_JOINTS
} dls_joint_statement_kind;

typedef enum dls_joint_number {
  DLS_OF_ANCHOR,
  DLS_OF_AXIS,
  DLS_OF_RANGE,
  DLS_OF_FRICTION,
  DLS_OF_STIFFNESS,
  DLS_OF_REST,
  DLS_OF_DAMPING,
  DLS_OF_ARMATURE,
  DLS_OF_RESTITUTION,
  DLS_OF_REFERENCE,
  DLS_OF_POSITION,  // at first
  DLS_OF_VELOCITY,
  DLS_JOINT_NUMBERS
} dls_joint_number;

enum { DLS_BODY_UNKNOWN = -3 };  // besides DLS_WORLD and DLS_ANY

typedef struct dls_body_name {
  int name;  // -1: none, of `*`
  unsigned at, length;
  int body;  // once resolved: of all bodies, DLS_WORLD, DLS_ANY or DLS_BODY_UNKNOWN
} dls_body_name;

typedef struct dls_joint_statement {
  int name;
  unsigned at;
  dls_joint_statement_kind kind;
  dls_body_name body[2];
  dls_number_list number[DLS_JOINT_NUMBERS];
  bool broken;
} dls_joint_statement;

typedef struct dls_rule_statement {
  dls_body_name body[2];
  bool none, meet;
  dls_number_list friction, restitution;
} dls_rule_statement;

typedef struct dls_import_statement {
  int name;  // -1: a model of nothing else
  unsigned at;
  const char *file;
  unsigned file_at, file_length;
  dls_placement_statement place;
  dls_body_name on;                // what holds it; name -1: the world
  bool attached;                   // `on` was given
  const dls_mechanism *mechanism;  // with names NAME.name; NULL: could not be read
  int first_body, first_joint;     // among all
  int first_control;               // among the parameters; one per actuator
} dls_import_statement;

// let NAME = point BODY (x, y, z)
typedef struct dls_point_statement {
  int let;
  dls_body_name body;
  dls_number_list place;
} dls_point_statement;

// force or torque BODY = (x, y, z), ball.velocity = (x, y, z) in a state
typedef struct dls_body_term {
  bool torque;
  int name;
  unsigned at, length;
  int let;  // what it is given
} dls_body_term;

// Coordinates of the text that follow from those of bodies: of a joint, or three of a point or of a
// rotation.                                                                          eq (pul.1)
typedef enum dls_body_marker_kind {
  DLS_MARKER_JOINT,   // the coordinate of a hinge or slide
  DLS_MARKER_POINT,   // a point of a body, in the world
  DLS_MARKER_CENTRE,  // the centre of mass
  DLS_MARKER_TURN,    // velocities alone: the angular velocity, in the axes of the world
  DLS_MARKER_SPIN     // the same in the axes of the body
} dls_body_marker_kind;

typedef struct dls_body_marker {
  dls_body_marker_kind kind;
  int of;          // of all bodies, or of all joints
  int point;       // among the points; -1: the origin of the body's frame
  int coordinate;  // the first of the source's
} dls_body_marker;

// Of a state: a number of the configuration, or a velocity, of the bodies.
typedef enum dls_entry_field {
  DLS_ENTRY_NUMBER,    // by its name in the system: door, ball.qw
  DLS_ENTRY_POSITION,  // three each, of a free body
  DLS_ENTRY_VELOCITY,
  DLS_ENTRY_SPIN,
  DLS_ENTRY_ROTATION  // roll, pitch, yaw
} dls_entry_field;

typedef struct dls_body_entry {
  int state;
  dls_entry_field field;
  int name;  // of a number
  int body;  // else: of all bodies
  int part;  // which of three
  bool velocity;
  unsigned at, length;
  int value;  // among the numbers
} dls_body_entry;

#endif
