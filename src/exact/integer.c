#include "exact/integer.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

dls_status dls_integers_create(ptrdiff_t count, int bits, dls_integers *t)
{
  // one limb more than the bound: nothing is ever at the edge
  *t = (dls_integers){.count = count, .limbs = bits / GMP_NUMB_BITS + 2};
  const ptrdiff_t limbs = t->limbs;
  t->size = dls_alloc(count, sizeof *t->size);
  t->limb = dls_alloc(count * limbs, sizeof *t->limb);
  t->work = dls_alloc(5 * limbs + 2, sizeof *t->work);
  return t->size && t->limb && t->work ? DLS_OK : DLS_ERR_MEMORY;
}

void dls_integers_free(dls_integers *t)
{
  free(t->size), free(t->limb), free(t->work);
}

static mp_limb_t *limbs_of(const dls_integers *t, ptrdiff_t k)
{
  return t->limb + k * t->limbs;
}

static mp_size_t length(const mp_limb_t *a, mp_size_t size)
{
  while (size > 0 && a[size - 1] == 0) size--;
  return size;
}

void dls_integer_set(dls_integers *t, ptrdiff_t k, double x, int shift)
{
  int exponent = 0;
  mp_limb_t *a = limbs_of(t, k);
  mpn_zero(a, t->limbs);
  t->size[k] = 0;
  if (x == 0) return;
  const double part = frexp(fabs(x), &exponent);
  mp_limb_t whole = (mp_limb_t)ldexp(part, 53);
  exponent += shift - 53;
  while (exponent < 0) {
    assert(!(whole & 1));
    whole >>= 1, exponent++;
  }
  const int at = exponent / GMP_NUMB_BITS, off = exponent % GMP_NUMB_BITS;
  assert(at + 1 < t->limbs);
  a[at] = whole << off;
  if (off > 0) a[at + 1] = whole >> (GMP_NUMB_BITS - off);
  const int size = (int)length(a, at + 2);
  t->size[k] = x < 0 ? -size : size;
}

void dls_integer_negate(dls_integers *t, ptrdiff_t k)
{
  t->size[k] = -t->size[k];
}

void dls_integer_copy(dls_integers *t, ptrdiff_t to, ptrdiff_t from)
{
  t->size[to] = t->size[from];
  mpn_copyi(limbs_of(t, to), limbs_of(t, from), t->limbs);
}

int dls_integer_bits(const dls_integers *t, ptrdiff_t k)
{
  const int size = abs(t->size[k]);
  return size ? (int)mpn_sizeinbase(limbs_of(t, k), size, 2) : 0;
}

// r <- a b, of two numbers of the table; r has room for the sizes of both
static mp_size_t multiply(const dls_integers *t, ptrdiff_t a, ptrdiff_t b, mp_limb_t *r)
{
  const int na = abs(t->size[a]), nb = abs(t->size[b]);
  if (na == 0 || nb == 0) return 0;
  if (na >= nb) mpn_mul(r, limbs_of(t, a), na, limbs_of(t, b), nb);
  else mpn_mul(r, limbs_of(t, b), nb, limbs_of(t, a), na);
  return length(r, na + nb);
}

static int compare(const mp_limb_t *a, mp_size_t na, const mp_limb_t *b, mp_size_t nb)
{
  if (na != nb) return na < nb ? -1 : 1;
  return na ? mpn_cmp(a, b, na) : 0;
}

// a <- a + b, with room for one limb more
static mp_size_t add(mp_limb_t *a, mp_size_t na, const mp_limb_t *b, mp_size_t nb)
{
  const mp_size_t n = na > nb ? na : nb;
  mpn_zero(a + na, n + 1 - na);
  if (nb > 0) a[n] = mpn_add(a, a, n, b, nb);
  return length(a, n + 1);
}

// a <- |a - b|
static mp_size_t subtract(mp_limb_t *a, mp_size_t na, const mp_limb_t *b, mp_size_t nb)
{
  if (compare(a, na, b, nb) >= 0) {
    if (nb > 0) mpn_sub(a, a, na, b, nb);
    return length(a, na);
  }
  if (na > 0) mpn_sub(a, b, nb, a, na);
  else mpn_copyi(a, b, nb);
  return length(a, nb);
}

void dls_integer_pivot(dls_integers *t, ptrdiff_t a, ptrdiff_t p, ptrdiff_t b, ptrdiff_t c,
                       ptrdiff_t d)
{
  mp_limb_t *one = t->work, *two = one + 2 * t->limbs + 1, *rest = two + 2 * t->limbs + 1;
  const int s_one = dls_integer_sign(t, a) * dls_integer_sign(t, p);
  const int s_two = -dls_integer_sign(t, b) * dls_integer_sign(t, c);
  if (s_one == 0 && s_two == 0) return;
  mp_size_t n = multiply(t, a, p, one);
  const mp_size_t m = multiply(t, b, c, two), nd = abs(t->size[d]);
  int sign = s_one;
  if (s_one == 0 || (s_one * s_two < 0 && compare(one, n, two, m) < 0)) sign = s_two;
  n = s_one * s_two >= 0 ? add(one, n, two, m) : subtract(one, n, two, m);
  mp_size_t size = 0;
  if (n >= nd) {
    assert(n - nd + 1 <= t->limbs);
    mpn_tdiv_qr(limbs_of(t, a), rest, 0, one, n, limbs_of(t, d), nd);
    size = length(limbs_of(t, a), n - nd + 1);
  }
  t->size[a] = (int)(sign * dls_integer_sign(t, d) < 0 ? -size : size);
}

// The leading limbs, as part 2^exponent.
static long double leading(const mp_limb_t *a, int n, int *exponent)
{
  const int first = n > 2 ? n - 2 : 0;
  long double value = 0;
  for (int i = n - 1; i >= first; i--) value = ldexpl(value, GMP_NUMB_BITS) + (long double)a[i];
  *exponent = GMP_NUMB_BITS * first;
  return value;
}

double dls_integer_ratio(const dls_integers *t, ptrdiff_t k, ptrdiff_t d)
{
  int up = 0, down = 0;
  if (t->size[k] == 0) return 0;
  const long double a = leading(limbs_of(t, k), abs(t->size[k]), &up);
  const long double b = leading(limbs_of(t, d), abs(t->size[d]), &down);
  const double ratio = (double)ldexpl(a / b, up - down);
  return dls_integer_sign(t, k) * dls_integer_sign(t, d) < 0 ? -ratio : ratio;
}
