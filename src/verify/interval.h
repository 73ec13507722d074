// Intervals of doubles, rounded outwards: what is left of finer ones once they are computed.
#ifndef DLS_VERIFY_INTERVAL_H
#define DLS_VERIFY_INTERVAL_H

#include "base/larger.h"

#include <stdbool.h>

// All real numbers from low to high. An operation that makes no sense gives the whole line.
typedef struct dls_interval {
  double low, high;
} dls_interval;

dls_interval dls_exactly(double x);
dls_interval dls_interval_add(dls_interval a, dls_interval b);
dls_interval dls_interval_sub(dls_interval a, dls_interval b);
dls_interval dls_interval_mul(dls_interval a, dls_interval b);
dls_interval dls_interval_abs(dls_interval a);
dls_interval dls_interval_max(dls_interval a, dls_interval b);
// Euclidean length of (a, b).
dls_interval dls_interval_length(dls_interval a, dls_interval b);
// How far below zero it may lie: an upper bound of max(0, -a).
double dls_interval_below(dls_interval a);

// Upper bound of error / size; 0 for no error, infinite where there is an error and no size, NaN
// where the size has overflown.
double dls_quotient(double error, double size);
// Upper bounds of a sum and of a product of numbers >= 0.
double dls_add_up(double a, double b);
double dls_mul_up(double a, double b);

#endif
