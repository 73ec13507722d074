// The report of a check: one JSON object for programs, one screen of text for people.
//
// Everything is only read. Texts belong to the caller afterwards. In delassus-io.
#ifndef DELASSUS_REPORT_H
#define DELASSUS_REPORT_H

#include <delassus/check.h>
#include <delassus/impact.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a report tells about. Plain data; everything belongs to the caller.
typedef struct dls_report {
  const char *model;                       // the model's file name; NULL when there is none
  const char *title;                       // NULL or "" when there is none
  const char *at;                          // which state was asked for; NULL: the initial values
  const dls_system *system;                // names that the problem leaves out; may be NULL
  const dls_contact_state *contact_state;  // the state and its contacts
  const dls_check *check;                  // of contact_state->problem
  const dls_impact *impact;                // of contact_state; NULL: none, or it was not asked for
  const char *object;                      // whose closure was asked about; NULL: no object
  const dls_projection *projection;        // NULL when the state was taken as given
  bool matrices;                           // with M, F, G, b_n, H, b_t, dense; needs the system
  int notes;                               // further remarks, each one sentence
  const char *const *note;
} dls_report;

// The verdict that the report shows: the check's. DLS_NOT_ASKED: the question does not arise, or it
// is about accelerations and an impact comes first.
DLS_API dls_verdict dls_report_verdict(const dls_report *report, dls_question question);

// Remark number `index` (from 0): first that an impact comes first, when one does, then the
// caller's own. false past the last one.
DLS_API bool dls_report_note(const dls_report *report, int index, dls_message *note);

// The report as one JSON object, numbers with 17 significant digits, never NaN or infinity.
// *text ends in a newline and a zero byte; free it with dls_report_text_free.
DLS_API dls_status dls_report_json(const dls_report *report, char **text);

typedef struct dls_report_options {
  bool colour;  // ANSI colours, for a terminal; default false
  bool full;    // all contacts, forces and coordinates, however many; default false
} dls_report_options;

DLS_API dls_report_options dls_report_defaults(void);

// The report for people: UTF-8, at most 100 columns, about one screen unless it is full.
// options may be NULL.
DLS_API dls_status dls_report_text(const dls_report *report, const dls_report_options *options,
                                   char **text);

DLS_API void dls_report_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
