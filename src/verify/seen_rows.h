// Rows of the contact problem that a mechanism has at a state, enclosed, with their gradients.
#ifndef DLS_VERIFY_SEEN_ROWS_H
#define DLS_VERIFY_SEEN_ROWS_H

#include "verify/body_motion.h"
#include "verify/seen_feature.h"

// Of a contact: the gap, and two slips, whose own values are 0.                        eq (enc.4)
typedef struct dls_seen_rows {
  dls_gauge normal, slip[2];
} dls_seen_rows;

// Tangents, by convention: t_2 = n x t_1, and t_1 is the part across n of the level of a flat; else
// along a line; else across the axis of a rim; A's before B's; else the part across n of the z axis
// of the world, or of x where z is nearly n.
void dls_seen_tangents(dls_pool *pool, const dls_seen_feature feature[2], dls_jet3 normal,
                       dls_jet3 tangent[2]);

// body: those of the two features. False: no memory.
bool dls_seen_rows_of(const dls_posture *posture, const int body[2],
                      const dls_seen_feature feature[2], const dls_seen_touch *touch,
                      dls_arena *arena, dls_seen_rows *rows);

#endif
