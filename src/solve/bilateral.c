// The bilateral problem of a state, sparse.                                      eq (con.1)
#include <delassus/contact.h>

#include "linalg/kkt.h"

dls_status dls_bilateral_solve(const dls_contact_state *contact_state, double *acceleration,
                               double *lambda_b, dls_bilateral_report *report)
{
  const dls_contact_state *s = contact_state;
  *report = (dls_bilateral_report){0};
  dls_kkt *kkt = NULL;
  dls_kkt_report found = {0};
  dls_status status = dls_kkt_create(&s->matrices.M.pattern, &s->matrices.G_b.pattern, &kkt);
  if (status == DLS_OK) status = dls_kkt_factor(kkt, s->matrices.M.x, s->matrices.G_b.x, &found);
  if (status == DLS_OK && !found.singular)
    status = dls_kkt_solve(kkt, s->problem.F, s->problem.b_b, acceleration, lambda_b, &found);
  dls_kkt_free(kkt);
  if (status == DLS_OK)
    *report = (dls_bilateral_report){
        .singular = found.singular, .rcond = found.rcond, .residual = found.residual};
  return status;
}
