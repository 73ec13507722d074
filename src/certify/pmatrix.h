// Tests of a P-matrix for any size, which decide only sometimes.
#ifndef DLS_CERTIFY_PMATRIX_H
#define DLS_CERTIFY_PMATRIX_H

#include <delassus/status.h>

enum { DLS_P_MATRIX_LARGEST = 5000 };  // rows of dense matrices that are looked at

// *margin > 0: M is a P-matrix, and so is every matrix within `error` of it, relative to the
// largest entry after scaling; *by says why. 0: not known. M is n x n, finite.
dls_status dls_p_matrix_sufficient(int n, const double *M, double error, double *margin,
                                   const char **by);

#endif
