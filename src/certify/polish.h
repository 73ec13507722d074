// From an approximate solution of the Gauss program to one that is exact up to rounding.
#ifndef DLS_CERTIFY_POLISH_H
#define DLS_CERTIFY_POLISH_H

#include "certify/context.h"

// Improves y (k) and lambda (m_u) of eq (gau.3), in the units of x->c and x->f; keeps them when
// nothing better is found. *error: the largest violation reached, relative to the load.
dls_status dls_context_polish(dls_context *x, double *y, double *lambda, double *error);

#endif
