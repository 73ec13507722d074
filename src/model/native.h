// A tape that the machine's compiler has seen: what it computes, faster, to the same bits.
#ifndef DLS_MODEL_NATIVE_H
#define DLS_MODEL_NATIVE_H

#include "model/native_cache.h"
#include "model/tape.h"

// One evaluator: the loaded functions, and slots of its own.
typedef struct dls_native dls_native;

// tape: must outlive it.
dls_status dls_native_create(const dls_tape *tape, const dls_native_cache *cache, dls_native **out,
                             dls_message *message);
void dls_native_free(dls_native *native);  // NULL is fine

// As those of the tape; nothing allocates.
void dls_native_start(dls_native *native, const double *parameters);
bool dls_native_input(dls_native *native, int first, int count, const double *x);
bool dls_native_run(dls_native *native, double t, const double *q, const double *v);
bool dls_native_gather(const dls_native *native, int first, int count, double *out);
bool dls_native_gather_groups(const dls_native *native, int groups, const int *first,
                              double *const *out);

#endif
