// Naming a number that is not finite, in a message.
#ifndef DLS_MODEL_NONFINITE_H
#define DLS_MODEL_NONFINITE_H

#include <delassus/status.h>

// The first entry that is not finite, -1 if there is none.
int dls_nonfinite_find(const double *x, int count);

// What stands after "... is": printf would say "-nan".
const char *dls_nonfinite_word(double value);

// The column of an entry of a matrix in compressed columns.
int dls_nonfinite_column(const int *p, int cols, int entry);

// DLS_ERR_NUMBER with the message which of t, q, v is not finite; one of them is.
dls_status dls_nonfinite_state(const char *const *coordinates, int n, double t, const double *q,
                               const double *v, dls_message *message);

#endif
