// The outputs and events of a model: functions of the motion that a run records, and those whose
// zeros it looks for.
//
// As with everything of a system, one thread at a time. Nothing here allocates.
#ifndef DELASSUS_OUTPUT_H
#define DELASSUS_OUTPUT_H

#include <delassus/model.h>

#ifdef __cplusplus
extern "C" {
#endif

// In the order of the text; 0 and NULL also for a model that is NULL.
DLS_API int dls_model_output_count(const dls_model *model);
DLS_API const char *dls_model_output_name(const dls_model *model, int index);

// All outputs of a system that was made from a model (DLS_ERR_ARGUMENT otherwise), at t, q, v.
// force: of all contacts, normal first, then tangential, in their order; NULL, or NaN where one is
// not known. An output that is not a finite number, or that needs what is not known, is NaN.
DLS_API dls_status dls_model_outputs(const dls_system *system, double t, const double *q,
                                     const double *v, const double *force, double *out);

typedef struct dls_model_event {
  const char *name;
  int direction;  // 1: where it rises through 0, -1: where it falls, 0: both
  bool stop;      // a run ends there
} dls_model_event;

DLS_API int dls_model_event_count(const dls_model *model);
DLS_API dls_model_event dls_model_event_at(const dls_model *model, int index);

// The functions whose zeros the events are; NaN where one is not finite.
DLS_API dls_status dls_model_events(const dls_system *system, double t, const double *q,
                                    const double *v, double *g);

#ifdef __cplusplus
}
#endif
#endif
