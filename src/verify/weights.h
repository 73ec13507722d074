// What a report shows of friction with a given bound, as the problem with weights has it.
#ifndef DLS_VERIFY_WEIGHTS_H
#define DLS_VERIFY_WEIGHTS_H

#include "verify/rebuild.h"

// The report with other solutions and intervals, which dls_weights_close frees in any case. False:
// no memory.
bool dls_weights_open(const dls_seen_state *state, const dls_saved_report *saved,
                      dls_saved_report *opened);
void dls_weights_close(dls_saved_report *opened);

#endif
