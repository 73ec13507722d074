// The topics of `delassus explain`, in two files.
#ifndef DLS_IO_EXPLAIN_H
#define DLS_IO_EXPLAIN_H

#include <delassus/explain.h>

extern const dls_topic dls_question_topics[DLS_QUESTION_COUNT];
extern const dls_topic dls_number_topics[];
extern const int dls_number_topic_count;

#endif
