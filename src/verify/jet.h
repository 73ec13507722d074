// Numbers along a motion, enclosed: a value and its first two derivatives in time.
//
// Bodies are rebuilt with these alone. Where a body is at the time t is a formula of the
// coordinates q + v t; its jet holds velocities and accelerations (with v' = 0) too, so that no
// rule of rotating frames is written down anywhere. Ends have so many bits that what is left of an
// interval is far below the last digit of a double, however long the chain of bodies.
//
// Numbers are a pool's: they are given back all at once, down to a mark. Memory is GMP's, so that
// the guard knows of it: nothing here fails.
#ifndef DLS_VERIFY_JET_H
#define DLS_VERIFY_JET_H

#include "verify/interval.h"

#include <mpfi.h>
#include <stdint.h>

typedef struct dls_pool {
  int bits, blocks, capacity;
  ptrdiff_t used;
  mpfi_t **block;
  mpfi_ptr zero;  // known to be 0: what is made with it costs nothing
  // Data are taken by as much as the rounding of doubles next to what they are, in a way that looks
  // random: what that changes is rounding. 0: as they are.                            eq (enc.2)
  uint64_t shaken;
} dls_pool;

void dls_pool_init(dls_pool *pool, int bits);
void dls_pool_clear(dls_pool *pool);  // not needed within the guard, which sweeps
static inline ptrdiff_t dls_pool_mark(const dls_pool *pool)
{
  return pool->used;
}
void dls_pool_release(dls_pool *pool, ptrdiff_t mark);

// A number to be written.
mpfi_ptr dls_real_new(dls_pool *pool);
// A number of the data, shaken; and one that is what it is.
mpfi_ptr dls_real_data(dls_pool *pool, double x);
mpfi_ptr dls_real_exact(dls_pool *pool, double x);
mpfi_ptr dls_real_add(dls_pool *pool, mpfi_ptr a, mpfi_ptr b);
mpfi_ptr dls_real_sub(dls_pool *pool, mpfi_ptr a, mpfi_ptr b);
mpfi_ptr dls_real_mul(dls_pool *pool, mpfi_ptr a, mpfi_ptr b);
mpfi_ptr dls_real_scale(dls_pool *pool, mpfi_ptr a, double factor);  // exact factor
mpfi_ptr dls_real_div(dls_pool *pool, mpfi_ptr a, mpfi_ptr b);
mpfi_ptr dls_real_sqrt(dls_pool *pool, mpfi_ptr a);  // of what is below 0: of 0
mpfi_ptr dls_real_atan2(dls_pool *pool, mpfi_ptr y, mpfi_ptr x);

// ---- jets --------------------------------------------------------------------------------------

typedef struct dls_jet {
  mpfi_ptr d[3];  // value, first and second derivative
} dls_jet;

dls_jet dls_jet_of(dls_pool *pool, mpfi_ptr constant);
dls_jet dls_jet_data(dls_pool *pool, double constant);
// The rate of change, of which the second derivative is not known: 0 stands there.
dls_jet dls_jet_rate(dls_pool *pool, dls_jet a);
// As if it stood still.
dls_jet dls_jet_now(dls_pool *pool, dls_jet a);
dls_jet dls_jet_add(dls_pool *pool, dls_jet a, dls_jet b);
dls_jet dls_jet_sub(dls_pool *pool, dls_jet a, dls_jet b);
dls_jet dls_jet_mul(dls_pool *pool, dls_jet a, dls_jet b);
dls_jet dls_jet_scale(dls_pool *pool, dls_jet a, double factor);
dls_jet dls_jet_div(dls_pool *pool, dls_jet a, dls_jet b);
dls_jet dls_jet_sqrt(dls_pool *pool, dls_jet a);
void dls_jet_turn(dls_pool *pool, dls_jet angle, dls_jet *cosine, dls_jet *sine);

// ---- vectors in space --------------------------------------------------------------------------

typedef struct dls_jet3 {
  dls_jet x[3];
} dls_jet3;

typedef struct dls_jet33 {
  dls_jet3 column[3];
} dls_jet33;

dls_jet3 dls_jet3_zero(const dls_pool *pool);
dls_jet3 dls_jet3_data(dls_pool *pool, const double x[3]);
dls_jet3 dls_jet3_axis(dls_pool *pool, int axis);
dls_jet3 dls_jet3_rate(dls_pool *pool, dls_jet3 a);
dls_jet3 dls_jet3_now(dls_pool *pool, dls_jet3 a);
dls_jet3 dls_jet3_add(dls_pool *pool, dls_jet3 a, dls_jet3 b);
dls_jet3 dls_jet3_sub(dls_pool *pool, dls_jet3 a, dls_jet3 b);
dls_jet3 dls_jet3_mul(dls_pool *pool, dls_jet3 a, dls_jet factor);
dls_jet3 dls_jet3_scale(dls_pool *pool, dls_jet3 a, double factor);
dls_jet dls_jet3_dot(dls_pool *pool, dls_jet3 a, dls_jet3 b);
dls_jet3 dls_jet3_cross(dls_pool *pool, dls_jet3 a, dls_jet3 b);
dls_jet dls_jet3_length(dls_pool *pool, dls_jet3 a);
dls_jet3 dls_jet3_unit(dls_pool *pool, dls_jet3 a);

dls_jet3 dls_jet33_apply(dls_pool *pool, const dls_jet33 *A, dls_jet3 x);
dls_jet3 dls_jet33_back(dls_pool *pool, const dls_jet33 *A, dls_jet3 x);  // A^T x
dls_jet33 dls_jet33_mul(dls_pool *pool, const dls_jet33 *A, const dls_jet33 *B);
// The rotation of a quaternion of any length but 0.
dls_jet33 dls_jet33_quaternion(dls_pool *pool, const dls_jet quaternion[4]);

// A frame that moves: its axes and its origin in the world.
typedef struct dls_jet_frame {
  dls_jet33 R;
  dls_jet3 p;
} dls_jet_frame;

dls_jet_frame dls_jet_frame_compose(dls_pool *pool, const dls_jet_frame *outer,
                                    const dls_jet_frame *inner);
dls_jet3 dls_jet_frame_point(dls_pool *pool, const dls_jet_frame *frame, dls_jet3 x);
// The angular velocity, from how the axes move; its second derivative is not known.
dls_jet3 dls_jet_frame_spin(dls_pool *pool, const dls_jet_frame *frame);
// The velocity of the material point that is at x, likewise.
dls_jet3 dls_jet_frame_velocity(dls_pool *pool, const dls_jet_frame *frame, dls_jet3 x);

#endif
