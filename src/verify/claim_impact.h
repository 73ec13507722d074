// Checking the impact of a report.
#ifndef DLS_VERIFY_CLAIM_IMPACT_H
#define DLS_VERIFY_CLAIM_IMPACT_H

#include "verify/trial.h"

#include <delassus/model.h>

// Where findings go; a finding may move when the next one is added.
typedef struct dls_recorder {
  void *self;
  dls_finding *(*add)(void *self, const char *group, const char *name, const char *answer);
} dls_recorder;

// object: the report's "impact".
void dls_check_impact(dls_trial *x, const dls_system *system, const json_t *object,
                      const dls_recorder *recorder);

#endif
