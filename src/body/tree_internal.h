// The inside of a forest: links, one per joint, and the frames of bodies on them. What is here over
// `num` exists twice, plain and bounded.
#ifndef DLS_BODY_TREE_INTERNAL_H
#define DLS_BODY_TREE_INTERNAL_H

#include "base/memory.h"
#include "body/tree.h"
#include "body/vector.h"

enum { DLS_TREE_FAR = 3 };  // radians: rotation vectors of charts are not longer

// A link is what moves between a joint and the next ones. Its frame has the axes of the joint's
// body when all later joints of that body stand at their reference; its origin lies on the joint.
typedef struct dls_link {
  int parent;        // a link before this one, or -1
  int first, count;  // velocities
  int body;
  int q;  // configuration
  dls_joint_kind kind;
  bool leaf;  // no link hangs on it
} dls_link;

typedef struct dls_tendon_copy {
  int terms, first;  // of `term`
  double damping, stiffness, rest[2];
} dls_tendon_copy;

typedef struct dls_tendon_term {
  int v;
  double gear;
} dls_tendon_term;

typedef struct dls_direction dls_direction;
typedef struct dls_composite dls_composite;

struct dls_tree_data {
  dls_arena *arena;
  int links;  // one per joint
  dls_link *link;
  int *first_link;    // bodies + 1
  int *link_of;       // bodies: -1 where fixed in the world
  int *link_at;       // n
  double *centre;     // nq; quaternions of length 1
  double *reference;  // nq
  double gravity[3];
  double *armature, *damping, *stiffness, *rest;  // n
  int tendons, actuators, terms;
  dls_tendon_copy *tendon;
  dls_tendon_term *term;
  dls_actuator *actuator;      // without names
  double *x, *x_dot, *x_ddot;  // n: the state of the last call
  double *work;                // n
  int *next;                   // n
  int *slope_place;            // where entries of M are in the pattern of slopes; NULL: the same
  dls_direction *direction;    // n
  dls_composite *composite;    // links
  bool rated;                  // whether directions are those of the last move
  bool bounds;                 // whether the bounded state belongs to it too
};

// Constants of a link, in its axes and about its origin, but for E and D.
typedef struct link_form {
  mat E;        // axes of the link in the parent's, at the reference
  bool turned;  // E is not 1
  vec D;        // origin from the parent's origin, in the parent's axes
  vec axis;     // of hinge and slide
  mat centre;   // of balls and free bodies: axes at the centre
  num m;
  vec h;  // first moment of mass
  sym I;
  bool carried;  // some of its weight is: what is left has a mass and first moment of its own
  num weight;
  vec heavy;
} link_form;

// A body's frame stands fixed on a link, or in the world.
typedef struct body_form {
  mat E;
  bool turned;
  vec r;  // the origin of the body's frame from the link's, in its axes
} body_form;

// A link as it is and moves, in world axes.
typedef struct link_state {
  mat R;
  vec base, o;  // the origin is base + o: a point of the whole branch, and what moves
  vec d;        // o - o of the parent
  vec v, w, a, alpha;
  vec bias;  // T' theta', in the link's axes
  mat T;     // of balls and free bodies: angular velocity in the link's axes = T theta'
  vec h;
  sym I;
  vec mh;  // of the links on it and itself: mass (mc), first moment, inertia
  sym mI;
  num mm;
  vec f, n;  // force and torque about its origin, of it and all on it
} link_state;

// The force of an actuator before gears, and its derivatives by the coordinate and the rate, or the
// length of the tendon.
double dls_tree_actuator(const dls_tree *tree, const dls_actuator *actuator, double slope[2]);

// Of length 1; false when it is zero or not finite.
bool dls_unit_quaternion(double q[4]);

#ifdef DLS_BOUNDED
#define TREE(name) dls_tree_bounded_##name
#define OWN bounded
#define dls_tree_numbers dls_tree_bounded
#else
#define TREE(name) dls_tree_plain_##name
#define OWN plain
#define dls_tree_numbers dls_tree_plain
#endif

struct dls_tree_numbers {
  link_form *form;
  body_form *body;
  link_state *link;
  vec *s;  // n: the direction of each velocity, in world axes
  num *R;  // n
};

#define DLS_TREE_PASSES(name)                                                    \
  bool name(create)(dls_tree * tree);                                            \
  void name(build)(dls_tree * tree, const dls_mechanism *mechanism);             \
  void name(centre)(dls_tree * tree);                                            \
  void name(move)(dls_tree * tree);                                              \
  void name(motion)(const dls_tree *tree, int body, const dls_pose *frame,       \
                    dls_solid_motion *motion, dls_solid_motion_error *error);    \
  void name(column)(const dls_tree *tree, int k, int body, const double r[3],    \
                    const double *r_error, dls_twist *column, dls_twist *error); \
  void name(mass)(dls_tree * tree, double *M, double *bound);                    \
  void name(gather)(dls_tree * tree);                                            \
  void name(forces)(dls_tree * tree, double *R, double *bound)
#define DLS_TREE_PLAIN(name) dls_tree_plain_##name
#define DLS_TREE_BOUNDED(name) dls_tree_bounded_##name
DLS_TREE_PASSES(DLS_TREE_PLAIN);
DLS_TREE_PASSES(DLS_TREE_BOUNDED);

#endif
