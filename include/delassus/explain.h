// What the lines and keys of a report mean: definition, procedure, witness.
//
// Texts are constant and live for ever. In delassus-io.
#ifndef DELASSUS_EXPLAIN_H
#define DELASSUS_EXPLAIN_H

#include <delassus/check.h>

#ifdef __cplusplus
extern "C" {
#endif

// One line or key of the report of a check.
typedef struct dls_topic {
  const char *name;      // the key in JSON: "mfcq", "friction.critical"
  const char *line;      // how the report for people says it
  const char *also;      // other words of the report that mean it, between semicolons; may be ""
  const char *brief;     // a few words
  const char *asks;      // the definition
  const char *how;       // the procedure
  const char *yes, *no;  // the witness of either answer; no is NULL where it is no question
  int section;           // of docs/theory.md
  const char *equation;  // its tag there: "ver.4"; "" when there is none
} dls_topic;

// The questions come first, in the order of dls_question.
DLS_API int dls_topic_count(void);
DLS_API const dls_topic *dls_topic_at(int index);  // NULL past the last one

// The topic of that name, or that a line of the report is about: letters, digits and their order
// count, not case and punctuation. Part of a line will do when no other one has it. NULL when there
// is none, or when several fit: *others then has how many, *first and *second two of them.
DLS_API const dls_topic *dls_topic_find(const char *words, int *others, const dls_topic **first,
                                        const dls_topic **second);

// At most ten lines of 80 columns, and one JSON object. topic NULL: a list of all of them. Free the
// text with dls_report_text_free.
DLS_API dls_status dls_topic_text(const dls_topic *topic, char **text);
DLS_API dls_status dls_topic_json(const dls_topic *topic, char **text);

#ifdef __cplusplus
}
#endif
#endif
