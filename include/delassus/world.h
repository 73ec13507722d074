// Rigid bodies in space with contacts that the caller finds: the solver for one's own simulator.
//
//   add bodies;  in each step: clear the contacts, add those that are near, step, read.
//
// One step, of Moreau's kind, with the inertia of its beginning:                    eq (wld.1)
//
//   M (v+ - v) = h F + J r,   u = J^T v+,   (u_N + w_N, u_T) and r by Coulomb's law,
//
// round cone, nothing softened. w_N = gap / h of a contact that is open, so that it closes and no
// more; e u_N of the velocities before where it would be hit within the step and has a restitution;
// else 0. Bodies then move with v+, and their angular momentum is kept. What penetrates is moved
// apart by positions alone: that adds no kinetic energy.
//
// A world belongs to one thread at a time; two threads may have two worlds.
#ifndef DELASSUS_WORLD_H
#define DELASSUS_WORLD_H

#include <delassus/solve.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dls_world dls_world;

typedef struct dls_world_options {
  double gravity[3];   // an acceleration; default 0, 0, 0
  double tolerance;    // of the residual of a step, without unit; default 1e-8
  double slop;         // a length: penetration up to this is left alone; default 0
  double recovery;     // the share of a deeper one that a step takes back, in [0, 1]; default 0.2
  const char *solver;  // a name of dls_solver_info_at; default "auto"
  int threads;         // as in dls_solve_options; default 1
  // Called between iterations; may be NULL. True ends the step with what there is.
  bool (*watch)(void *self, int iteration, double error, const char *solver);
  void *self;
} dls_world_options;

DLS_API dls_world_options dls_world_defaults(void);

// Centre of mass, principal or other axes of the body through it.
typedef struct dls_body {
  double mass;           // > 0; INFINITY: moves with its velocity and spin, whatever touches it
  double inertia[6];     // in the body's axes: Ixx, Iyy, Izz, Ixy, Ixz, Iyz; definite
  double position[3];    // of the centre of mass
  double quaternion[4];  // w first: turns the body's axes into those of the world
  double velocity[3];    // of the centre of mass, in the world's axes
  double spin[3];        // angular velocity, in the body's axes
} dls_body;

enum { DLS_GROUND = -1 };  // what never moves

typedef struct dls_world_contact {
  uint64_t id;       // the same for the same contact in the next step, whose solution begins with
                     // what this one had; 0: it has none
  int a, b;          // numbers of bodies, or DLS_GROUND
  double point[3];   // in the world
  double normal[3];  // unit vector from b to a
  double gap;        // a length; negative where they penetrate
  double friction, restitution;  // >= 0; 0 to 1
} dls_world_contact;

typedef struct dls_world_report {
  bool converged;               // the residual, recomputed, is within the tolerance
  dls_incremental_error error;  // of the laws of the step; error.largest is the residual
  dls_stop stop;
  const char *solver;
  int iterations;
  double penetration;  // largest -gap of the contacts, as they were given; 0 when none penetrates
} dls_world_report;

// options may be NULL. DLS_ERR_ARGUMENT with a message for options out of range.
DLS_API dls_status dls_world_create(const dls_world_options *options, dls_world **out,
                                    dls_message *message);
DLS_API void dls_world_free(dls_world *world);  // NULL is fine

// *number: of the body, counted from 0; may be NULL. The quaternion is normalized. DLS_ERR_ARGUMENT
// or DLS_ERR_NUMBER when the body cannot be: the message says why.
DLS_API dls_status dls_world_add_body(dls_world *world, const dls_body *body, int *number,
                                      dls_message *message);
DLS_API int dls_world_bodies(const dls_world *world);
// As it is now; valid until bodies are added. NULL when there is no such body.
DLS_API const dls_body *dls_world_body(const dls_world *world, int number);
// Puts the body elsewhere, or gives it other velocities.
DLS_API dls_status dls_world_set_body(dls_world *world, int number, const dls_body *body,
                                      dls_message *message);
// A force at the centre of mass and a torque, in the world's axes, for the steps that follow.
DLS_API dls_status dls_world_set_force(dls_world *world, int number, const double force[3],
                                       const double torque[3]);

// Contacts are those of the next step only: they are numbered as they are added.
DLS_API void dls_world_clear_contacts(dls_world *world);
DLS_API dls_status dls_world_add_contact(dls_world *world, const dls_world_contact *contact,
                                         dls_message *message);

// From the bodies as they are to a time h > 0 later. It is done, with the best point that was
// found, also when the solver did not converge: the report says so, and whether to go on is for the
// caller to decide. Nothing has moved when the status is not DLS_OK.
DLS_API dls_status dls_world_step(dls_world *world, double h, dls_world_report *report,
                                  dls_message *message);
// The impulse of the last step on body a, in the world's axes; the force was impulse / h.
// DLS_ERR_ARGUMENT when contacts have been added or cleared since, or there is no such contact.
DLS_API dls_status dls_world_impulse(const dls_world *world, int contact, double impulse[3]);

#ifdef __cplusplus
}
#endif
#endif
