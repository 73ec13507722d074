// The verdicts in plain words.
#ifndef DLS_IO_REPORT_REASON_H
#define DLS_IO_REPORT_REASON_H

#include <delassus/report.h>

#include "base/text.h"

// The question as a person asks it.
const char *dls_question_words(dls_question question);

// Why the answer is what it is, from the numbers and the witness; may add nothing.
void dls_report_reason(dls_text *text, const dls_report *report, dls_question question,
                       const dls_verdict *verdict);

// The same for questions about friction and closure, and for those that friction answers in another
// way. false when it has nothing to say.
bool dls_reason_friction(dls_text *text, const dls_report *report, dls_question question,
                         const dls_verdict *verdict);

#endif
