#include "verify/jet.h"

#include "verify/guard.h"

#include <string.h>

enum { PER_BLOCK = 512 };

// ---- the pool ----------------------------------------------------------------------------------

static void *take(size_t size)
{
  void *(*of_gmp)(size_t);
  mp_get_memory_functions(&of_gmp, NULL, NULL);
  return of_gmp(size);
}

static void give_back(void *place, size_t size)
{
  void (*of_gmp)(void *, size_t);
  mp_get_memory_functions(NULL, NULL, &of_gmp);
  of_gmp(place, size);
}

static mpfi_ptr entry(const dls_pool *pool, ptrdiff_t index)
{
  return pool->block[index / PER_BLOCK][index % PER_BLOCK];
}

static void add_block(dls_pool *pool)
{
  dls_guard_look();
  if (pool->blocks == pool->capacity) {
    const int capacity = 2 * pool->capacity + 8;
    mpfi_t **larger = take((size_t)capacity * sizeof *larger);
    if (pool->blocks > 0) memcpy(larger, pool->block, (size_t)pool->blocks * sizeof *larger);
    if (pool->block) give_back(pool->block, (size_t)pool->capacity * sizeof *larger);
    pool->block = larger, pool->capacity = capacity;
  }
  mpfi_t *block = take(PER_BLOCK * sizeof *block);
  for (ptrdiff_t k = 0; k < PER_BLOCK; k++) mpfi_init2(block[k], pool->bits);
  pool->block[pool->blocks++] = block;
}

mpfi_ptr dls_real_new(dls_pool *pool)
{
  if (pool->used == (ptrdiff_t)pool->blocks * PER_BLOCK) add_block(pool);
  return entry(pool, pool->used++);
}

void dls_pool_init(dls_pool *pool, int bits)
{
  *pool = (dls_pool){.bits = bits};
  pool->zero = dls_real_new(pool);
  mpfi_set_si(pool->zero, 0);
}

void dls_pool_clear(dls_pool *pool)
{
  for (ptrdiff_t k = 0; k < (ptrdiff_t)pool->blocks * PER_BLOCK; k++) mpfi_clear(entry(pool, k));
  for (int b = 0; b < pool->blocks; b++)
    give_back(pool->block[b], PER_BLOCK * sizeof **pool->block);
  if (pool->block) give_back(pool->block, (size_t)pool->capacity * sizeof *pool->block);
  *pool = (dls_pool){0};
}

void dls_pool_release(dls_pool *pool, ptrdiff_t mark)
{
  pool->used = mark;
}

// ---- numbers -----------------------------------------------------------------------------------

mpfi_ptr dls_real_exact(dls_pool *pool, double x)
{
  if (x == 0) return pool->zero;
  mpfi_ptr y = dls_real_new(pool);
  mpfi_set_d(y, x);
  return y;
}

// Between -1 and 1, by the generator of Vigna (xorshift64*).
static double next_random(dls_pool *pool)
{
  uint64_t x = pool->shaken;
  x ^= x >> 12, x ^= x << 25, x ^= x >> 27;
  pool->shaken = x;
  return (double)(int64_t)(x * UINT64_C(0x2545f4914f6cdd1d)) * 0x1p-63;
}

mpfi_ptr dls_real_data(dls_pool *pool, double x)
{
  mpfi_ptr y = dls_real_exact(pool, x);
  if (!pool->shaken || y == pool->zero) return y;
  mpfi_ptr change = dls_real_new(pool);
  mpfi_mul_d(change, y, next_random(pool) * 0x1p-52);
  mpfi_add(y, y, change);
  return y;
}

mpfi_ptr dls_real_add(dls_pool *pool, mpfi_ptr a, mpfi_ptr b)
{
  if (a == pool->zero) return b;
  if (b == pool->zero) return a;
  mpfi_ptr y = dls_real_new(pool);
  mpfi_add(y, a, b);
  return y;
}

mpfi_ptr dls_real_sub(dls_pool *pool, mpfi_ptr a, mpfi_ptr b)
{
  if (b == pool->zero) return a;
  mpfi_ptr y = dls_real_new(pool);
  mpfi_sub(y, a, b);
  return y;
}

mpfi_ptr dls_real_mul(dls_pool *pool, mpfi_ptr a, mpfi_ptr b)
{
  if (a == pool->zero || b == pool->zero) return pool->zero;
  mpfi_ptr y = dls_real_new(pool);
  if (a == b) mpfi_sqr(y, a);
  else mpfi_mul(y, a, b);
  return y;
}

mpfi_ptr dls_real_scale(dls_pool *pool, mpfi_ptr a, double factor)
{
  if (a == pool->zero || factor == 0) return pool->zero;
  mpfi_ptr y = dls_real_new(pool);
  mpfi_mul_d(y, a, factor);
  return y;
}

mpfi_ptr dls_real_div(dls_pool *pool, mpfi_ptr a, mpfi_ptr b)
{
  if (a == pool->zero && !mpfi_has_zero(b)) return a;
  mpfi_ptr y = dls_real_new(pool);
  mpfi_div(y, a, b);
  return y;
}

mpfi_ptr dls_real_sqrt(dls_pool *pool, mpfi_ptr a)
{
  if (a == pool->zero) return a;
  mpfi_ptr y = dls_real_new(pool);
  mpfi_set(y, a);
  if (mpfr_sgn(&y->left) < 0) mpfr_set_zero(&y->left, 1);
  mpfi_sqrt(y, y);
  return y;
}

mpfi_ptr dls_real_atan2(dls_pool *pool, mpfi_ptr y, mpfi_ptr x)
{
  mpfi_ptr angle = dls_real_new(pool);
  mpfi_atan2(angle, y, x);
  return angle;
}

// ---- jets --------------------------------------------------------------------------------------

dls_jet dls_jet_of(dls_pool *pool, mpfi_ptr constant)
{
  return (dls_jet){{constant, pool->zero, pool->zero}};
}

dls_jet dls_jet_data(dls_pool *pool, double constant)
{
  return dls_jet_of(pool, dls_real_data(pool, constant));
}

dls_jet dls_jet_rate(dls_pool *pool, dls_jet a)
{
  return (dls_jet){{a.d[1], a.d[2], pool->zero}};
}

dls_jet dls_jet_now(dls_pool *pool, dls_jet a)
{
  return dls_jet_of(pool, a.d[0]);
}

dls_jet dls_jet_add(dls_pool *pool, dls_jet a, dls_jet b)
{
  dls_jet y;
  for (int k = 0; k < 3; k++) y.d[k] = dls_real_add(pool, a.d[k], b.d[k]);
  return y;
}

dls_jet dls_jet_sub(dls_pool *pool, dls_jet a, dls_jet b)
{
  dls_jet y;
  for (int k = 0; k < 3; k++) y.d[k] = dls_real_sub(pool, a.d[k], b.d[k]);
  return y;
}

dls_jet dls_jet_scale(dls_pool *pool, dls_jet a, double factor)
{
  dls_jet y;
  for (int k = 0; k < 3; k++) y.d[k] = dls_real_scale(pool, a.d[k], factor);
  return y;
}

// (a b)' = a'b + a b',  (a b)'' = a''b + 2 a'b' + a b''
dls_jet dls_jet_mul(dls_pool *p, dls_jet a, dls_jet b)
{
  dls_jet y;
  y.d[0] = dls_real_mul(p, a.d[0], b.d[0]);
  y.d[1] = dls_real_add(p, dls_real_mul(p, a.d[1], b.d[0]), dls_real_mul(p, a.d[0], b.d[1]));
  y.d[2] = dls_real_add(p, dls_real_mul(p, a.d[2], b.d[0]), dls_real_mul(p, a.d[0], b.d[2]));
  y.d[2] = dls_real_add(p, y.d[2], dls_real_scale(p, dls_real_mul(p, a.d[1], b.d[1]), 2));
  return y;
}

// From a = y b.
dls_jet dls_jet_div(dls_pool *p, dls_jet a, dls_jet b)
{
  dls_jet y;
  y.d[0] = dls_real_div(p, a.d[0], b.d[0]);
  mpfi_ptr rest = dls_real_sub(p, a.d[1], dls_real_mul(p, y.d[0], b.d[1]));
  y.d[1] = dls_real_div(p, rest, b.d[0]);
  rest = dls_real_sub(p, a.d[2], dls_real_scale(p, dls_real_mul(p, y.d[1], b.d[1]), 2));
  rest = dls_real_sub(p, rest, dls_real_mul(p, y.d[0], b.d[2]));
  y.d[2] = dls_real_div(p, rest, b.d[0]);
  return y;
}

// From a = y y.
dls_jet dls_jet_sqrt(dls_pool *p, dls_jet a)
{
  dls_jet y = {{dls_real_sqrt(p, a.d[0]), p->zero, p->zero}};
  const mpfi_ptr twice = dls_real_scale(p, y.d[0], 2);
  if (a.d[1] != p->zero) y.d[1] = dls_real_div(p, a.d[1], twice);
  mpfi_ptr square = dls_real_scale(p, dls_real_mul(p, y.d[1], y.d[1]), 2);
  const mpfi_ptr rest = dls_real_sub(p, a.d[2], square);
  if (rest != p->zero) y.d[2] = dls_real_div(p, rest, twice);
  return y;
}

void dls_jet_turn(dls_pool *p, dls_jet a, dls_jet *cosine, dls_jet *sine)
{
  mpfi_ptr c = dls_real_new(p), s = dls_real_new(p);
  mpfi_cos(c, a.d[0]);
  mpfi_sin(s, a.d[0]);
  if (mpfi_is_zero(a.d[0])) s = p->zero;
  const mpfi_ptr square = dls_real_mul(p, a.d[1], a.d[1]);
  const mpfi_ptr back = dls_real_scale(p, dls_real_mul(p, s, a.d[1]), -1);
  const mpfi_ptr along = dls_real_sub(p, dls_real_mul(p, c, a.d[2]), dls_real_mul(p, s, square));
  mpfi_ptr across = dls_real_add(p, dls_real_mul(p, s, a.d[2]), dls_real_mul(p, c, square));
  across = dls_real_scale(p, across, -1);
  *cosine = (dls_jet){{c, back, across}};
  *sine = (dls_jet){{s, dls_real_mul(p, c, a.d[1]), along}};
}

// ---- vectors in space --------------------------------------------------------------------------

dls_jet3 dls_jet3_zero(const dls_pool *pool)
{
  dls_jet3 y;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) y.x[i].d[k] = pool->zero;
  return y;
}

dls_jet3 dls_jet3_data(dls_pool *pool, const double x[3])
{
  dls_jet3 y;
  for (int i = 0; i < 3; i++) y.x[i] = dls_jet_data(pool, x[i]);
  return y;
}

dls_jet3 dls_jet3_axis(dls_pool *pool, int axis)
{
  dls_jet3 y = dls_jet3_zero(pool);
  y.x[axis].d[0] = dls_real_exact(pool, 1);
  return y;
}

dls_jet3 dls_jet3_rate(dls_pool *pool, dls_jet3 a)
{
  for (int i = 0; i < 3; i++) a.x[i] = dls_jet_rate(pool, a.x[i]);
  return a;
}

dls_jet3 dls_jet3_now(dls_pool *pool, dls_jet3 a)
{
  for (int i = 0; i < 3; i++) a.x[i] = dls_jet_now(pool, a.x[i]);
  return a;
}

dls_jet3 dls_jet3_add(dls_pool *pool, dls_jet3 a, dls_jet3 b)
{
  for (int i = 0; i < 3; i++) a.x[i] = dls_jet_add(pool, a.x[i], b.x[i]);
  return a;
}

dls_jet3 dls_jet3_sub(dls_pool *pool, dls_jet3 a, dls_jet3 b)
{
  for (int i = 0; i < 3; i++) a.x[i] = dls_jet_sub(pool, a.x[i], b.x[i]);
  return a;
}

dls_jet3 dls_jet3_mul(dls_pool *pool, dls_jet3 a, dls_jet factor)
{
  for (int i = 0; i < 3; i++) a.x[i] = dls_jet_mul(pool, a.x[i], factor);
  return a;
}

dls_jet3 dls_jet3_scale(dls_pool *pool, dls_jet3 a, double factor)
{
  for (int i = 0; i < 3; i++) a.x[i] = dls_jet_scale(pool, a.x[i], factor);
  return a;
}

dls_jet dls_jet3_dot(dls_pool *p, dls_jet3 a, dls_jet3 b)
{
  dls_jet y = dls_jet_mul(p, a.x[0], b.x[0]);
  for (int i = 1; i < 3; i++) y = dls_jet_add(p, y, dls_jet_mul(p, a.x[i], b.x[i]));
  return y;
}

dls_jet3 dls_jet3_cross(dls_pool *p, dls_jet3 a, dls_jet3 b)
{
  dls_jet3 y;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    y.x[i] = dls_jet_sub(p, dls_jet_mul(p, a.x[j], b.x[k]), dls_jet_mul(p, a.x[k], b.x[j]));
  }
  return y;
}

dls_jet dls_jet3_length(dls_pool *pool, dls_jet3 a)
{
  return dls_jet_sqrt(pool, dls_jet3_dot(pool, a, a));
}

dls_jet3 dls_jet3_unit(dls_pool *pool, dls_jet3 a)
{
  const dls_jet length = dls_jet3_length(pool, a);
  for (int i = 0; i < 3; i++) a.x[i] = dls_jet_div(pool, a.x[i], length);
  return a;
}

dls_jet3 dls_jet33_apply(dls_pool *p, const dls_jet33 *A, dls_jet3 x)
{
  dls_jet3 y = dls_jet3_mul(p, A->column[0], x.x[0]);
  for (int i = 1; i < 3; i++) y = dls_jet3_add(p, y, dls_jet3_mul(p, A->column[i], x.x[i]));
  return y;
}

dls_jet3 dls_jet33_back(dls_pool *p, const dls_jet33 *A, dls_jet3 x)
{
  dls_jet3 y;
  for (int i = 0; i < 3; i++) y.x[i] = dls_jet3_dot(p, A->column[i], x);
  return y;
}

dls_jet33 dls_jet33_mul(dls_pool *p, const dls_jet33 *A, const dls_jet33 *B)
{
  dls_jet33 C;
  for (int i = 0; i < 3; i++) C.column[i] = dls_jet33_apply(p, A, B->column[i]);
  return C;
}

// With u the vector part: R = ((w^2 - u u) 1 + 2 u u^T + 2 w [u]) / (w^2 + u u).
dls_jet33 dls_jet33_quaternion(dls_pool *p, const dls_jet q[4])
{
  const dls_jet3 u = {{q[1], q[2], q[3]}};
  const dls_jet uu = dls_jet3_dot(p, u, u), ww = dls_jet_mul(p, q[0], q[0]);
  const dls_jet plain = dls_jet_sub(p, ww, uu), square = dls_jet_add(p, ww, uu);
  dls_jet33 R = {0};
  for (int i = 0; i < 3; i++) {
    const dls_jet3 across = dls_jet3_mul(p, dls_jet3_cross(p, u, dls_jet3_axis(p, i)), q[0]);
    const dls_jet3 along = dls_jet3_mul(p, u, u.x[i]);
    dls_jet3 *c = &R.column[i];
    *c = dls_jet3_scale(p, dls_jet3_add(p, along, across), 2);
    c->x[i] = dls_jet_add(p, c->x[i], plain);
    for (int k = 0; k < 3; k++) c->x[k] = dls_jet_div(p, c->x[k], square);
  }
  return R;
}

// ---- frames ------------------------------------------------------------------------------------

dls_jet3 dls_jet_frame_point(dls_pool *p, const dls_jet_frame *frame, dls_jet3 x)
{
  return dls_jet3_add(p, frame->p, dls_jet33_apply(p, &frame->R, x));
}

dls_jet_frame dls_jet_frame_compose(dls_pool *p, const dls_jet_frame *outer,
                                    const dls_jet_frame *inner)
{
  return (dls_jet_frame){.R = dls_jet33_mul(p, &outer->R, &inner->R),
                         .p = dls_jet_frame_point(p, outer, inner->p)};
}

// Each axis e has e' = w x e, and so 2 w = sum e x e'.
dls_jet3 dls_jet_frame_spin(dls_pool *p, const dls_jet_frame *frame)
{
  dls_jet3 w = dls_jet3_zero(p);
  for (int i = 0; i < 3; i++) {
    const dls_jet3 e = frame->R.column[i];
    w = dls_jet3_add(p, w, dls_jet3_cross(p, e, dls_jet3_rate(p, e)));
  }
  w = dls_jet3_scale(p, w, 0.5);
  for (int i = 0; i < 3; i++) w.x[i].d[2] = p->zero;
  return w;
}

dls_jet3 dls_jet_frame_velocity(dls_pool *p, const dls_jet_frame *frame, dls_jet3 x)
{
  const dls_jet3 arm = dls_jet3_sub(p, x, frame->p);
  const dls_jet3 turning = dls_jet3_cross(p, dls_jet_frame_spin(p, frame), arm);
  dls_jet3 u = dls_jet3_add(p, dls_jet3_rate(p, frame->p), turning);
  for (int i = 0; i < 3; i++) u.x[i].d[2] = p->zero;
  return u;
}
