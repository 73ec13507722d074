// Signs of sums of products, without rounding.
#ifndef DLS_EXACT_ELIMINATION_H
#define DLS_EXACT_ELIMINATION_H

#include "linalg/minors.h"

// The sign of extra + sum a_k b_k, the doubles taken as they are. Products are split into two
// doubles and summed as an expansion whose parts do not overlap. DLS_UNSURE when a number is not
// finite or a product so large or small that it cannot be split.
dls_sign dls_exact_sign(int count, const double *a, const double *b, double extra);

#endif
