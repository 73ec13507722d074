// Tables of whole numbers of any size, for elimination without rounding.
#ifndef DLS_EXACT_INTEGER_H
#define DLS_EXACT_INTEGER_H

#include <delassus/status.h>

#include <gmp.h>

#include <stddef.h>

// All numbers of a table have room for the same number of limbs, GMP's digits, which the caller
// bounds beforehand: nothing grows, and nothing is allocated later.
typedef struct dls_integers {
  ptrdiff_t count;
  int limbs;
  int *size;        // limbs in use, negative for a negative number
  mp_limb_t *limb;  // the least one first
  mp_limb_t *work;  // room for two products and a remainder
} dls_integers;

// Numbers of at most `bits` binary digits, all zero.
dls_status dls_integers_create(ptrdiff_t count, int bits, dls_integers *table);
void dls_integers_free(dls_integers *table);

static inline int dls_integer_sign(const dls_integers *t, ptrdiff_t k)
{
  return (t->size[k] > 0) - (t->size[k] < 0);
}

// x 2^shift, which has to be whole.
void dls_integer_set(dls_integers *table, ptrdiff_t k, double x, int shift);
void dls_integer_negate(dls_integers *table, ptrdiff_t k);
void dls_integer_copy(dls_integers *table, ptrdiff_t to, ptrdiff_t from);
int dls_integer_bits(const dls_integers *table, ptrdiff_t k);

// a <- (a p - b c) / d, without remainder.
void dls_integer_pivot(dls_integers *table, ptrdiff_t a, ptrdiff_t p, ptrdiff_t b, ptrdiff_t c,
                       ptrdiff_t d);

// The quotient of two numbers, to rounding; d is not zero.
double dls_integer_ratio(const dls_integers *table, ptrdiff_t k, ptrdiff_t d);

#endif
