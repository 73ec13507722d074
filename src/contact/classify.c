#include "contact/classify.h"

#include "base/message.h"
#include "contact/tolerances.h"

#include <math.h>

// Bilateral constraints hold, with their velocities; unilateral ones are not penetrated.
static dls_status check(const dls_contact_info *info, double gap, double rate, double gap_zero,
                        double rate_zero, const dls_contact_options *zero, dls_message *message)
{
  if (info->rolling && !(fabs(rate) <= rate_zero))
    return dls_fail(message, DLS_ERR_STATE,
                    "the velocities violate the rolling constraint `%s`: its value is %.6g, not 0 "
                    "(tolerance %g)",
                    info->name, rate, zero->rest);
  if (info->kind == DLS_BILATERAL && !(fabs(gap) <= gap_zero))
    return dls_fail(message, DLS_ERR_STATE,
                    "the state violates the bilateral constraint `%s`: its value is %.6g, not 0 "
                    "(tolerance %g)",
                    info->name, gap, zero->tolerance);
  if (info->kind == DLS_UNILATERAL && gap < -gap_zero)
    return dls_fail(message, DLS_ERR_STATE,
                    "the state penetrates the unilateral constraint `%s` by %.6g (tolerance %g)",
                    info->name, -gap, zero->tolerance);
  if (info->kind == DLS_BILATERAL && !(fabs(rate) <= rate_zero))
    return dls_fail(message, DLS_ERR_STATE,
                    "the velocities violate the bilateral constraint `%s`: its rate of change is "
                    "%.6g, not 0 (tolerance %g)",
                    info->name, rate, zero->rest);
  return DLS_OK;
}

dls_status dls_contact_classify(const dls_contact_info *info, const dls_values *x,
                                const dls_values *bound, int j, int slip,
                                const dls_contact_options *zero, dls_contact_status *status,
                                dls_message *message)
{
  const double gap = x->h[j], rate = x->h_dot[j];
  const double gap_zero = zero->tolerance + noise_factor * bound->h[j];
  const double rate_zero = zero->rest + noise_factor * bound->h_dot[j];
  double speed = 0;
  for (int k = 0; k < info->tangents; k++) speed = hypot(speed, x->slip[slip + k]);
  const bool unilateral = info->kind == DLS_UNILATERAL;
  // axes that meet have all normals
  if (!isfinite(bound->h[j]) && !(fabs(gap) <= zero->tolerance))
    return dls_fail(message, DLS_ERR_NUMBER,
                    "the gap of `%s`, %.6g, is nothing but rounding at the state: it has no bound "
                    "of its error",
                    info->name, gap);
  if (unilateral && gap > gap_zero) *status = DLS_OPEN;
  else if (unilateral && rate > rate_zero) *status = DLS_SEPARATING;
  else if (unilateral && rate < -rate_zero) *status = DLS_IMPACTING;
  else *status = speed > zero->rest ? DLS_SLIDING : DLS_STICKING;
  return check(info, gap, rate, gap_zero, rate_zero, zero, message);
}
