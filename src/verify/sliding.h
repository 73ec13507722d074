// The determinants of sliding contacts.                                        eq (chk.8), (sli.7)
#ifndef DLS_VERIFY_SLIDING_H
#define DLS_VERIFY_SLIDING_H

#include "verify/checks.h"
#include "verify/intervals.h"

enum { DLS_SLIDING_MOST = 20 };  // contacts: all determinants are too many from some on

typedef struct dls_sliding {
  dls_trial *x;
  int joints, *joint;      // frictionless bilateral contacts, independent ones
  int contacts, *contact;  // the others
  int size;                // n + joints + contacts
  mpfi_t mu;               // one coefficient for all contacts with slips...
  bool uniform;            // ... or those of the model
  double noise;            // of the data; a bracket has its own margin, its width
} dls_sliding;

// Sorts the contacts; fails when one is not sliding. uniform: mu is the caller's to make.
bool dls_sliding_create(dls_trial *x, dls_finding *f, bool uniform, dls_sliding *s);
bool dls_sliding_few(const dls_sliding *s, dls_finding *f);
// More forces than coordinates: a determinant is zero. second: as below.
bool dls_sliding_redundant(const dls_sliding *s, const bool *second);

typedef enum dls_minors { DLS_MINORS_UNKNOWN, DLS_MINORS_POSITIVE, DLS_MINORS_NOT } dls_minors;

// All determinants have one sign; at first with few bits alone.
dls_minors dls_sliding_quick(const dls_sliding *s);
dls_minors dls_sliding_test(const dls_sliding *s);
// The same for data that may be off by their rounding.
dls_minors dls_sliding_beyond(dls_sliding *s);
// None is zero up to rounding; one is zero without it, or there are both signs beyond it.
bool dls_sliding_nonzero(const dls_sliding *s);
bool dls_sliding_lost(const dls_sliding *s);
// 1, -1, or 0 where the matrix is singular or at most `zero` from it. second: which column each
// contact has; NULL: the first ones.
int dls_sliding_sign(const dls_sliding *s, const bool *second, double zero);

#endif
