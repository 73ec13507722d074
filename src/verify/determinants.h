// The determinants of sliding contacts.                                        eq (chk.8), (sli.7)
#ifndef DLS_VERIFY_DETERMINANTS_H
#define DLS_VERIFY_DETERMINANTS_H

#include "verify/checks.h"
#include "verify/intervals.h"

enum { DLS_DETERMINANTS_MAX = 20 };  // contacts: all determinants are too many from some on

typedef struct dls_determinants {
  dls_trial *x;
  int joints, *joint;      // frictionless bilateral contacts, independent ones
  int contacts, *contact;  // the others
  int size;                // n + joints + contacts
  mpfi_t mu;               // one coefficient for all contacts with slips...
  bool uniform;            // ... or those of the model
  double noise;            // of the data; a bracket has its own margin, its width
} dls_determinants;

// Sorts the contacts; fails when one is not sliding. uniform: mu is the caller's to make.
bool dls_determinants_create(dls_trial *x, dls_finding *f, bool uniform, dls_determinants *s);
bool dls_determinants_few(const dls_determinants *s, dls_finding *f);
// More forces than coordinates: a determinant is zero. second: as below.
bool dls_determinants_redundant(const dls_determinants *s, const bool *second);

typedef enum dls_determinant_signs {
  DLS_DETERMINANTS_UNKNOWN,
  DLS_DETERMINANTS_POSITIVE,
  DLS_DETERMINANTS_NOT
} dls_determinant_signs;

// All determinants have one sign; at first with few bits alone.
dls_determinant_signs dls_determinants_quick(const dls_determinants *s);
dls_determinant_signs dls_determinants_test(const dls_determinants *s);
// The same for data that may be off by their rounding.
dls_determinant_signs dls_determinants_beyond(dls_determinants *s);
// None is zero up to rounding; one is zero without it, or there are both signs beyond it.
bool dls_determinants_nonzero(const dls_determinants *s);
bool dls_determinants_lost(const dls_determinants *s);
// 1, -1, or 0 where the matrix is singular or at most `zero` from it. second: which column each
// contact has; NULL: the first ones.
int dls_determinants_sign(const dls_determinants *s, const bool *second, double zero);

#endif
