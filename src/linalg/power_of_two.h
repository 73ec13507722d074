// Exponents of two, without calls: scales that are powers of two keep results bit for bit.
#ifndef DLS_LINALG_POWER_OF_TWO_H
#define DLS_LINALG_POWER_OF_TWO_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// floor(log2 |x|) of a number that is finite and not 0; subnormal ones count like the smallest
// normal one.
static inline int dls_exponent(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const int biased = (int)(bits >> 52 & 0x7ff);
  return (biased > 0 ? biased : 1) - 1023;
}

// 2^exponent, within the range of normal numbers.
static inline double dls_power_of_two(int exponent)
{
  const int inside = exponent < -1022 ? -1022 : exponent > 1023 ? 1023 : exponent;
  const uint64_t bits = (uint64_t)(inside + 1023) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return power;
}

// The power of two nearest to x > 0 in the logarithm.
static inline double dls_nearest_power(double x)
{
  if (x >= DBL_MIN && x <= DBL_MAX) {  // by the bits: 0x1.6a09e667f3bcdp+0 is the root of two
    uint64_t bits, power;
    double whole;
    memcpy(&bits, &x, sizeof bits);
    power = bits & 0x7ff0000000000000u;
    memcpy(&whole, &power, sizeof whole);
    return x >= 0x1.6a09e667f3bcdp+0 * whole ? 2 * whole : whole;
  }
  int exponent = 0;
  const double fraction = frexp(x, &exponent);
  return ldexp(1, fraction < sqrt(0.5) ? exponent - 1 : exponent);
}

// Half of an exponent, downwards: even changes of it stay exact.
static inline int dls_half_exponent(int exponent)
{
  return (exponent - (exponent & 1)) / 2;
}

#endif
