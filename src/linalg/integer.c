#include "linalg/integer.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 32 };

dls_status dls_integers_create(size_t count, int bits, dls_integers *t)
{
  // one digit more than the bound: nothing is ever at the edge
  *t = (dls_integers){.count = count, .digits = bits / BITS + 2};
  const size_t digits = (size_t)t->digits;
  t->size = dls_alloc(count, sizeof *t->size);
  t->digit = dls_alloc(count * digits, sizeof *t->digit);
  t->work = dls_alloc(5 * digits + 4, sizeof *t->work);
  return t->size && t->digit && t->work ? DLS_OK : DLS_ERR_MEMORY;
}

void dls_integers_free(dls_integers *t)
{
  free(t->size), free(t->digit), free(t->work);
}

static uint32_t *digits_of(const dls_integers *t, size_t k)
{
  return t->digit + k * (size_t)t->digits;
}

static int length(const uint32_t *a, int size)
{
  while (size > 0 && a[size - 1] == 0) size--;
  return size;
}

void dls_integer_set(dls_integers *t, size_t k, double x, int shift)
{
  int exponent = 0;
  uint32_t *a = digits_of(t, k);
  memset(a, 0, (size_t)t->digits * sizeof *a);
  t->size[k] = 0;
  if (x == 0) return;
  const double part = frexp(fabs(x), &exponent);
  uint64_t whole = (uint64_t)ldexp(part, 53);
  exponent += shift - 53;
  while (exponent < 0) {
    assert(!(whole & 1));
    whole >>= 1, exponent++;
  }
  const int at = exponent / BITS, off = exponent % BITS;
  for (int part_of = 0; part_of < 3; part_of++) {
    const int down = BITS * part_of - off;  // bits of the number below this digit
    const uint64_t value = down < 0 ? whole << -down : down < 64 ? whole >> down : 0;
    if (at + part_of < t->digits) a[at + part_of] = (uint32_t)value;
  }
  const int size = length(a, t->digits);
  t->size[k] = x < 0 ? -size : size;
}

void dls_integer_negate(dls_integers *t, size_t k)
{
  t->size[k] = -t->size[k];
}

void dls_integer_copy(dls_integers *t, size_t to, size_t from)
{
  t->size[to] = t->size[from];
  memcpy(digits_of(t, to), digits_of(t, from), (size_t)t->digits * sizeof *t->digit);
}

static int bits_of(const uint32_t *a, int size)
{
  int bits = BITS * size;
  for (uint32_t top = size ? a[size - 1] : 0; size && !(top & 0x80000000u); top <<= 1) bits--;
  return bits;
}

int dls_integer_bits(const dls_integers *t, size_t k)
{
  return bits_of(digits_of(t, k), abs(t->size[k]));
}

// r <- a b; r has room for the sizes of both
static int multiply(const uint32_t *a, int na, const uint32_t *b, int nb, uint32_t *r)
{
  if (na == 0 || nb == 0) return 0;
  memset(r, 0, (size_t)(na + nb) * sizeof *r);
  for (int i = 0; i < na; i++) {
    uint64_t carry = 0;
    for (int j = 0; j < nb; j++) {
      carry += (uint64_t)a[i] * b[j] + r[i + j];
      r[i + j] = (uint32_t)carry;
      carry >>= BITS;
    }
    r[i + nb] = (uint32_t)carry;
  }
  return length(r, na + nb);
}

static int compare(const uint32_t *a, int na, const uint32_t *b, int nb)
{
  if (na != nb) return na < nb ? -1 : 1;
  for (int i = na - 1; i >= 0; i--)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

// r <- a + b, or a - b where a >= b; r may be one of them
static int add(const uint32_t *a, int na, const uint32_t *b, int nb, uint32_t *r)
{
  uint64_t carry = 0;
  const int n = na > nb ? na : nb;
  for (int i = 0; i < n; i++) {
    carry += (uint64_t)(i < na ? a[i] : 0) + (i < nb ? b[i] : 0);
    r[i] = (uint32_t)carry;
    carry >>= BITS;
  }
  r[n] = (uint32_t)carry;
  return length(r, n + 1);
}

static int subtract(const uint32_t *a, int na, const uint32_t *b, int nb, uint32_t *r)
{
  uint32_t borrow = 0;
  for (int i = 0; i < na; i++) {
    const uint64_t less = (uint64_t)(i < nb ? b[i] : 0) + borrow;
    borrow = a[i] < less;
    r[i] = (uint32_t)(a[i] - less);
  }
  return length(r, na);
}

static int shift_down(const uint32_t *a, int n, int bits, uint32_t *r)
{
  const int whole = bits / BITS, part = bits % BITS;
  for (int i = whole; i < n; i++) {
    const uint64_t above = i + 1 < n ? a[i + 1] : 0;
    r[i - whole] = (uint32_t)((above << BITS | a[i]) >> part);
  }
  return n > whole ? length(r, n - whole) : 0;
}

// q <- a / d without remainder, from the lowest digit up; d is odd, and a is lost. Each digit of
// the quotient, a_i / d_0 modulo 2^32, makes the one it stands at vanish.
static int divide(uint32_t *a, int na, const uint32_t *d, int nd, uint32_t *q)
{
  uint32_t inverse = d[0];
  for (int k = 0; k < 5; k++) inverse *= 2 - d[0] * inverse;
  const int size = na - nd + 1;
  for (int i = 0; i < size; i++) {
    q[i] = a[i] * inverse;
    uint64_t carry = 0;
    for (int j = 0; j < nd && i + j < na; j++) {
      carry += (uint64_t)q[i] * d[j];
      const uint32_t low = (uint32_t)carry;
      carry = (carry >> BITS) + (a[i + j] < low);
      a[i + j] -= low;
    }
    for (int j = i + nd; j < na && carry; j++) {
      const uint32_t low = (uint32_t)carry;
      carry = (carry >> BITS) + (a[j] < low);
      a[j] -= low;
    }
  }
  return size > 0 ? length(q, size) : 0;
}

static int zeros_below(const uint32_t *a)
{
  int count = 0;
  while (a[count / BITS] == 0) count += BITS;
  while (!(a[count / BITS] >> count % BITS & 1)) count++;
  return count;
}

void dls_integer_pivot(dls_integers *t, size_t a, size_t p, size_t b, size_t c, size_t d)
{
  uint32_t *one = t->work, *two = one + 2 * t->digits + 1, *odd = two + 2 * t->digits + 1;
  const int s_one = dls_integer_sign(t, a) * dls_integer_sign(t, p);
  const int s_two = -dls_integer_sign(t, b) * dls_integer_sign(t, c);
  if (s_one == 0 && s_two == 0) return;
  int n = multiply(digits_of(t, a), abs(t->size[a]), digits_of(t, p), abs(t->size[p]), one);
  const int m = multiply(digits_of(t, b), abs(t->size[b]), digits_of(t, c), abs(t->size[c]), two);
  int sign = s_one;
  if (s_one * s_two >= 0) {
    n = add(one, n, two, m, one);
    if (s_one == 0) sign = s_two;
  } else if (compare(one, n, two, m) >= 0) {
    n = subtract(one, n, two, m, one);
  } else {
    n = subtract(two, m, one, n, one);
    sign = s_two;
  }
  const uint32_t *by = digits_of(t, d);
  const int zeros = zeros_below(by), nd = shift_down(by, abs(t->size[d]), zeros, odd);
  n = shift_down(one, n, zeros, one);
  uint32_t *r = digits_of(t, a);
  if (nd == 1 && odd[0] == 1) memcpy(r, one, (size_t)n * sizeof *r);
  else n = n >= nd ? divide(one, n, odd, nd, r) : 0;
  assert(n <= t->digits);
  t->size[a] = sign * dls_integer_sign(t, d) < 0 ? -n : n;
}

// The leading digits, as part 2^exponent.
static long double leading(const uint32_t *a, int n, int *exponent)
{
  long double value = 0;
  const int first = n > 4 ? n - 4 : 0;
  for (int i = n - 1; i >= first; i--) value = value * 4294967296.0L + a[i];
  *exponent = BITS * first;
  return value;
}

double dls_integer_ratio(const dls_integers *t, size_t k, size_t d)
{
  int up = 0, down = 0;
  if (t->size[k] == 0) return 0;
  const long double a = leading(digits_of(t, k), abs(t->size[k]), &up);
  const long double b = leading(digits_of(t, d), abs(t->size[d]), &down);
  const double ratio = (double)ldexpl(a / b, up - down);
  return dls_integer_sign(t, k) * dls_integer_sign(t, d) < 0 ? -ratio : ratio;
}
