// The signs of the forces of bilateral contacts with friction, which leaves of a witness choose.
//                                                                  eq (stp.2), (stp.3), (clo.3)
#ifndef DLS_VERIFY_SIGNS_H
#define DLS_VERIFY_SIGNS_H

#include "verify/checks.h"

typedef struct dls_signs {
  int count;     // bilateral contacts with friction
  double *sign;  // m: of the leaf; 0: either; 1 at other contacts
  bool *seen;    // choices of signs, as bits; NULL when there are too many
} dls_signs;

bool dls_has_sign(const dls_data *d, int contact);
bool dls_signs_create(dls_trial *x, dls_signs *s);
// Of one leaf; false when it names another mode than "stick" or "stick pulling".
bool dls_signs_read(dls_trial *x, dls_finding *f, const json_t *leaf, dls_signs *s);
// Notes the choices of signs that the leaf is about; whether all have been noted.
void dls_signs_cover(const dls_data *d, dls_signs *s);
bool dls_signs_all(const dls_signs *s);

#endif
