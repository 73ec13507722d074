// A Lagrangian system in coordinates z of which some follow from those of bodies, in the
// coordinates x of these.                                                           eq (pul.1)
//
//   z' = J v,  z'' = J v' + c
//   M = M_b + J^T M_z J,  F = F_b + J^T (F_z + M_z c),  G = J^T G_z,  b = b_z + G_z^T c
#ifndef DLS_MODEL_PULLBACK_H
#define DLS_MODEL_PULLBACK_H

#include "model/analysis.h"
#include "model/body_model.h"

#include "body/expanded.h"
#include "body/tree.h"

// Rows of J and what goes with them, at the last state.
typedef struct dls_body_markers {
  dls_arena *arena;
  dls_expanded expanded;  // what the tree is made of
  dls_tree *tree;
  int own, n;          // coordinates of the text alone, of the bodies
  int count;           // z coordinates
  int *first, *index;  // count + 1: the entries of each row, columns of v
  double *J, *J_error;
  double *z, *z_dot, *c;  // count
  double *z_error, *z_dot_error, *c_error;
  int markers;
  dls_body_marker *marker;
  int *body;        // markers: in the tree, or the velocity of a joint
  dls_pose *place;  // markers: the frame of the point on its body
} dls_body_markers;

// A tree of its own for the mechanism.
dls_status dls_body_markers_create(const dls_model *model, const dls_made *made,
                                   const double *number, dls_coordinates_kind kind,
                                   dls_body_markers **out, dls_message *message);
void dls_body_markers_free(dls_body_markers *markers);  // NULL is fine
void dls_body_markers_update(dls_body_markers *markers, const dls_model *model,
                             const dls_made *made, const double *number);
// At local coordinates of the tree's centre; those of the text stand behind those of the bodies.
dls_status dls_body_markers_evaluate(dls_body_markers *markers, const double *x,
                                     const double *x_dot, bool bounds);

typedef struct dls_pullback dls_pullback;

// work: evaluates the text; inner: the bodies. Both, and the markers, outlive it.
dls_status dls_pullback_create(dls_instance *instance, const dls_system *inner,
                               dls_body_markers *markers, dls_pullback **out);
void dls_pullback_free(dls_pullback *pullback);  // NULL is fine
// Which of the text's unilateral contacts are there, increasing, and the inner system's as they
// are: makes patterns and contacts of the system.
dls_status dls_pullback_select(dls_pullback *pullback, int count, const int *contact,
                               dls_system *system);
// Gives the unilateral contacts of the text identities: `first` and their numbers.
void dls_pullback_name(dls_pullback *pullback, uint64_t first);
dls_status dls_pullback_evaluate(dls_pullback *pullback, double t, const double *x,
                                 const double *x_dot, const dls_values *values,
                                 const dls_values *bound, dls_message *message);
// Entries of the matrix G of the text: contacts of the text in the order of those of the system; -1
// for those of bodies.
const int *dls_pullback_contacts(const dls_pullback *pullback);

#endif
