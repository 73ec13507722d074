// Smooth pieces for references: extrapolation of the midpoint rule in long double. Shares nothing
// with src/.
#ifndef TEST_REFERENCE_ODE_H
#define TEST_REFERENCE_ODE_H

#include <stdbool.h>

typedef long double real;
typedef void (*reference_rate)(const void *self, real s, const real *x, real *dx);

enum { REFERENCE_N = 16 };

// x from s to end, each step to `tolerance` relative to the largest of |x_i|, what it changes by,
// and size_i (NULL: 0). false: too many steps, or not finite.
bool reference_follow(reference_rate rate, const void *self, int n, real s, real end,
                      real tolerance, const real *size, real *x);

#endif
