// A mechanism: rigid bodies in space, the joints between them, and their shapes, in numbers. Model
// texts with bodies and robot files become one of these; a program may fill one by hand. It is
// plain data of its maker: what is made from it has copies.
//
// Conventions (those of MuJoCo, so that q and v of its files mean the same here):
//   - A quaternion has its real part first, and turns from the frame to the one around it.
//   - The bodies are a forest: each hangs on another, or on the world, by its joints in their
//   order;
//     without joints it is fixed there. With all joints at their reference a body stands at `pose`.
//   - Each hinge and slide has one coordinate. A ball has a quaternion, and the angular velocity in
//     the axes of its body. A free body has the position of its frame's origin and a quaternion;
//     the velocity of that origin in world axes, and the angular velocity in the axes of the body.
//   - q and v stand in the order of the bodies, and of the joints on each.
#ifndef DELASSUS_MECHANISM_H
#define DELASSUS_MECHANISM_H

#include <delassus/system.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DLS_WORLD = -1 };  // in place of a body

typedef struct dls_pose {
  double position[3];
  double quaternion[4];
} dls_pose;

typedef struct dls_rigid_body {
  const char *name;   // no two have the same
  int parent;         // a body before this one, or DLS_WORLD
  dls_pose pose;      // in the parent's frame, joints at their reference
  double mass;        // may be 0
  double centre[3];   // of mass, in its frame
  double inertia[6];  // about the centre of mass, in the axes of its frame: xx yy zz xy xz yz
  double carried;     // the part of its weight that something else carries, usually 0
} dls_rigid_body;

typedef enum dls_joint_kind {
  DLS_JOINT_FREE,  // alone on a body whose parent is the world
  DLS_JOINT_BALL,
  DLS_JOINT_HINGE,
  DLS_JOINT_SLIDE
} dls_joint_kind;

// Between a body and its parent. Forces of a ball's or a free joint's damping, armature and
// friction are the same for each of its velocities.
typedef struct dls_joint {
  const char *name;  // no two have the same
  int body;          // joints stand in the order of their bodies
  dls_joint_kind kind;
  double anchor[3], axis[3];  // in the frame of the body; axis of unit length, of hinge and slide
  double reference;           // the coordinate at which the body stands at its pose
  double armature;            // inertia of its own along its velocities
  double damping;             // force per velocity
  double stiffness, rest;     // a spring: stiffness (q - rest); of hinge and slide
  double friction;            // the largest force of dry friction; 0: none
  bool limited;               // range holds: low <= q <= high, unilateral; of hinge and slide
  double range[2];
  double restitution;  // at its ends
} dls_joint;

// A joint that closes a loop: bilateral constraints between two bodies. The frames of the joint in
// both coincide where all of it holds.
typedef enum dls_closure_kind {
  DLS_CLOSURE_WELD,         // 6 rows
  DLS_CLOSURE_BALL,         // 3: the origins coincide
  DLS_CLOSURE_HINGE,        // 5: and the z axes
  DLS_CLOSURE_SLIDE,        // 5: the axes coincide, but the origins may part along z
  DLS_CLOSURE_UNIVERSAL,    // 4: the origins coincide, x of the first is normal to y of the second
  DLS_CLOSURE_CYLINDRICAL,  // 4: the lines of the z axes coincide
  DLS_CLOSURE_PLANAR,       // 3: the z axes are parallel, and the origins part normal to z
  DLS_CLOSURE_JOINTS  // 1: q_0 - reference = polynomial(q_1 - reference), tree joints; see below
} dls_closure_kind;

typedef struct dls_closure {
  const char *name;  // no two have the same, and none that of a joint
  dls_closure_kind kind;
  int body[2];        // bodies or DLS_WORLD
  dls_pose frame[2];  // of the joint, in each body's frame
  // DLS_CLOSURE_JOINTS: hinges or slides; joint[1] may be -1, then q_0 = reference + polynomial[0].
  int joint[2];
  double polynomial[5];
  // About z of hinges, along z of slides and cylindrical joints, as of a joint in a tree.
  double armature, damping, stiffness, rest, friction;
  bool limited;
  double range[2];
  double restitution;
} dls_closure;

typedef enum dls_solid_kind {
  DLS_SOLID_PLANE,      // all below z = 0 of its frame; on the world or a body
  DLS_SOLID_SPHERE,     // size: radius
  DLS_SOLID_CAPSULE,    // radius, length of its axis, along z, without the caps
  DLS_SOLID_CYLINDER,   // radius, length, along z
  DLS_SOLID_ELLIPSOID,  // semi-axes
  DLS_SOLID_BOX,        // full lengths
  DLS_SOLID_HULL        // a convex polyhedron
} dls_solid_kind;

enum { DLS_SOLID_KINDS = DLS_SOLID_HULL + 1 };

typedef struct dls_solid {
  const char *name;  // no two on one body have the same; "" when the body has but one
  int body;          // or DLS_WORLD
  dls_pose pose;     // in the body's frame
  dls_solid_kind kind;
  double size[3];
  // A convex polyhedron, in the frame of the solid (dls_hull of <delassus/hull.h> makes one of
  // points): vertices, 3 numbers each, and faces: vertices face[first[k]] ... face[first[k+1]-1],
  // counterclockwise from outside.
  int vertices, faces;
  const double *vertex;
  const int *first, *face;
  double friction, restitution;
  // It meets another when the type of one has a bit of the affinity of the other; both 1 is usual.
  int type, affinity;
} dls_solid;

// What holds for contacts between two solids. Without any rule solids of different bodies touch,
// but for bodies of which one hangs on the other by joints (not on the world), or stands fixed on
// it; friction and restitution are the larger ones of the two. Of several rules that fit the last
// wins; one that says neither none nor meet leaves it as it is whether they touch.
typedef struct dls_contact_rule {
  // Bodies, DLS_WORLD or DLS_ANY; a solid's index among all solids, or DLS_ANY; in either order.
  int body[2], solid[2];
  bool none;                     // they pass through one another
  bool meet;                     // they touch, whatever their types and joints; not with none
  double friction, restitution;  // negative: as without the rule
} dls_contact_rule;

enum { DLS_ANY = -2 };

// A linear combination of joint coordinates, of hinges and slides: length = sum gear q.
typedef struct dls_tendon {
  const char *name;  // no two have the same
  int terms;
  const int *joint;
  const double *gear;
  double damping;             // force per velocity of the length
  double stiffness, rest[2];  // a spring outside [rest[0], rest[1]]
  double friction;            // the largest force of dry friction; 0: none
  bool limited;               // range holds, unilateral
  double range[2];
  double restitution;  // at its ends
} dls_tendon;

typedef enum dls_actuator_kind {
  DLS_ACTUATOR_JOINT,   // on the velocities of a joint, times gear: one of a hinge or slide, the
                        // torque in the axes of the body of a ball, six of a free body as of v
  DLS_ACTUATOR_TENDON,  // on the length of a tendon
  DLS_ACTUATOR_FRAME    // force gear[0..2] and torque gear[3..5] in a frame on a body
} dls_actuator_kind;

// A force, gain * control + bias[0] + bias[1] length + bias[2] length', within its range, times
// gear. The length is that of the transmission: gear times the coordinate of a hinge or slide, gear
// times the length of a tendon, 0 of all else; likewise its velocity.
typedef struct dls_actuator {
  const char *name;  // no two have the same
  dls_actuator_kind kind;
  int of;          // joint, tendon or body
  dls_pose frame;  // of DLS_ACTUATOR_FRAME, in the axes of the body
  double gear[6];
  double gain, control, bias[3];
  bool limited;
  double range[2];
} dls_actuator;

typedef struct dls_mechanism {
  double gravity[3];
  int bodies, joints, closures, solids, rules, tendons, actuators;
  const dls_rigid_body *body;
  const dls_joint *joint;
  const dls_closure *closure;
  const dls_solid *solid;
  const dls_contact_rule *rule;
  const dls_tendon *tendon;
  const dls_actuator *actuator;
} dls_mechanism;

typedef enum dls_coordinates_kind {
  DLS_REDUCED,  // those of the joints of the forest
  // Of free bodies, with their names: every joint of the forest is a closure, with its name. Bodies
  // without joints stay fixed where they hang; a body with several joints gets bodies without mass
  // between them, BODY.JOINT.
  DLS_MAXIMAL
} dls_coordinates_kind;

// Looks at names, indices, numbers and inertias (positive semidefinite, triangle inequality, up to
// rounding). DLS_ERR_MODEL, with a message that names the body, joint or solid.
DLS_API dls_status dls_mechanism_check(const dls_mechanism *mechanism, dls_message *message);

// A system with a chart; with contacts that come and go where solids may touch. Freed with
// dls_system_free.
//
// Bilateral constraints, in this order: in maximal coordinates joints of the forest, then closures,
// each row with the name of its joint and an ending, x y z where origins are held together, rx ry
// rz where axes are; that of DLS_CLOSURE_JOINTS has its name alone. Then dry friction,
// JOINT.friction (of a ball JOINT.rx.friction ...). Unilateral are the ends of ranges, JOINT.low
// and JOINT.high, and contacts of solids, A.a/B.b.
DLS_API dls_status dls_mechanism_system(const dls_mechanism *mechanism, dls_coordinates_kind kind,
                                        dls_system **system, dls_message *message);

// The same system, from now on with other numbers: bodies, joints, solids, their kinds, names and
// points, and rules' places must be as they were; what had no friction, no armature or neither
// spring nor damper still has none, and what has a range has it still. DLS_ERR_MODEL says what is
// not: the system is as it was, and another one must be made.
DLS_API dls_status dls_mechanism_update(dls_system *system, const dls_mechanism *mechanism,
                                        dls_message *message);

// The configuration in which all joints stand at their reference (free bodies at their poses).
DLS_API void dls_mechanism_reference(const dls_system *system, double *q);

// Poses of the bodies in the world: bodies of them.
DLS_API dls_status dls_mechanism_poses(const dls_system *system, const double *q, dls_pose *pose);

// A contact of two solids: its name is A.a/B.b, A and B the bodies (with the solid's name behind,
// where it has one; `world`), a and b the features. What is fixed in the world is B.
typedef struct dls_solid_contact {
  int solid[2];         // A, B
  int body[2];          // or DLS_WORLD
  char feature[2][64];  // "corner+++"; "" of what has but one
  double gap;
  double point[3];       // in the world, as the directions
  double normal[3];      // from B to A, along which A is pushed
  double tangent[2][3];  // along which the slips of A on B are
} dls_solid_contact;

// What those contacts are at a configuration. DLS_ERR_ARGUMENT when an identity is none of a
// contact of solids (a range has one, too); DLS_ERR_NUMBER where the normal is none.
DLS_API dls_status dls_mechanism_contacts(const dls_system *system, const double *q, int count,
                                          const uint64_t *id, dls_solid_contact *out);

// A state of a system in joint coordinates in those of another of the same mechanism, of free
// bodies. DLS_ERR_ARGUMENT when they are not these.
DLS_API dls_status dls_mechanism_in_maximal(const dls_system *reduced, const double *q,
                                            const double *v, const dls_system *maximal,
                                            double *to_q, double *to_v);

#ifdef __cplusplus
}
#endif
#endif
