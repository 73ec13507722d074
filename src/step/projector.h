// Back onto constraints that hold: the nearest coordinates with h = 0 and then the nearest
// velocities with h' = 0, in the kinetic metric. Rolling constraints have velocities only.
//
//   M d = G p,  G^T d = -h   until h = 0;     M d = G p,  G^T d = -h'                  eq (int.3)
#ifndef DLS_STEP_PROJECTOR_H
#define DLS_STEP_PROJECTOR_H

#include "step/step_kkt.h"

typedef struct dls_projector {
  dls_snapshot *point;
  dls_step_kkt *kkt;     // with the rows of all contacts, or of those that are on; or not made yet
  bool owner;            // of the KKT system
  bool *in;              // m: those that have rows; NULL: the KKT system stays what it is
  bool *gaps;            // m: those that are on and have gaps; NULL: all have
  ptrdiff_t room;        // that d has
  double *d, *d_beside;  // size of the KKT system
  double tolerance;      // of |h| that stays: a hundredth of `closed`
  double rate;           // of |h'|: a tenth of `rest`; both, or the rounding of their terms
} dls_projector;

// ever: m, the contacts that are ever on; NULL: any. Then the matrix is that of the contacts which
// are on, and made anew when these change, unless few are declared or a good part of them is on.
dls_status dls_projector_create(dls_snapshot *point, const dls_integrator_options *options,
                                const bool *ever, dls_projector *projector);
// With a matrix whose owner fills it anew whenever he needs it.
dls_status dls_projector_with(dls_snapshot *point, const dls_integrator_options *options,
                              dls_step_kkt *kkt, dls_projector *projector);
void dls_projector_free(dls_projector *projector);  // what it owns, not itself

// |h| of contact j at q that counts as 0, with the normals of the point.
double dls_projector_gap_tolerance(const dls_snapshot *point, const dls_integrator_options *options,
                                   int j, const double *q);

// on: m, the contacts that are held. The point stands at (t, q, v) before and after. False when the
// constraints cannot be met near by, or, with the trouble noted at the point, without memory.
bool dls_projector_positions(dls_projector *projector, const bool *on, double t, double *q,
                             const double *v, dls_message *message);
bool dls_projector_velocities(dls_projector *projector, const bool *on, double t, const double *q,
                              double *v, dls_message *message);
// Both, with fewer evaluations.
bool dls_projector_state(dls_projector *projector, const bool *on, double t, double *q, double *v,
                         dls_message *message);

#endif
