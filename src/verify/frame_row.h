// Functions of the places of two frames: rows of closures, and coordinates of joints in maximal
// coordinates, written once more from their definition.                              eq (row.2)
#ifndef DLS_VERIFY_FRAME_ROW_H
#define DLS_VERIFY_FRAME_ROW_H

#include "verify/posture.h"

typedef enum dls_frame_row_kind {
  DLS_FRAME_ALONG,
  DLS_FRAME_TURN,
  DLS_FRAME_TILT,
  DLS_FRAME_SKEW,
  DLS_FRAME_ANGLE,
  DLS_FRAME_SPIN
} dls_frame_row_kind;

typedef struct dls_frame_row {
  dls_frame_row_kind kind;
  int axis;
} dls_frame_row;

// Of a closure or joint: where its frames are, on which bodies.
typedef struct dls_frame_pair {
  int body[2];
  dls_jet_frame frame[2];
} dls_frame_pair;

dls_frame_pair dls_frame_pair_of(const dls_posture *posture, const int body[2],
                                 const dls_pose pose[2]);

// Of a joint: its frames on the parent and on the body, which coincide at the reference.
dls_frame_pair dls_frame_pair_of_joint(const dls_posture *posture, int joint);

// y, y' and y'' with v' = 0.
dls_jet dls_frame_row_value(dls_pool *pool, dls_frame_row row, const dls_frame_pair *pair);
// dy'/dv: gradient holds n numbers of the pool.
void dls_frame_row_gradient(const dls_posture *posture, dls_frame_row row,
                            const dls_frame_pair *pair, mpfi_ptr *gradient);

// The rows of a kind of closure in their order; DLS_CLOSURE_JOINTS has none here. Returns how many.
int dls_closure_rows(dls_closure_kind kind, dls_frame_row row[6]);

#endif
