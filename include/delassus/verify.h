// Re-checking a report: every witness against the model, in interval arithmetic, without any
// solver.
//
// Nothing of the report is kept by what is found, but the system must not be used by others
// meanwhile. In delassus-io.
#ifndef DELASSUS_VERIFY_H
#define DELASSUS_VERIFY_H

#include <delassus/mechanism.h>
#include <delassus/model.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// A report that was written by dls_report_json, read back. Nothing in it is believed.
typedef struct dls_saved_report dls_saved_report;

// Reads a report. text need not end in a zero byte. DLS_ERR_ARGUMENT when it is not JSON or a key
// that every report has is absent or of the wrong kind: fault then says which, and where when
// fault->line is not 0.
DLS_API dls_status dls_saved_report_read(const char *text, size_t length, dls_saved_report **report,
                                         dls_diagnostic *fault);
DLS_API void dls_saved_report_free(dls_saved_report *report);

// The model's file name as the report gives it; NULL when it gives none.
DLS_API const char *dls_saved_report_model(const dls_saved_report *report);

// Gives the parameters of the system the values of the report. Those that the model does not have
// are left to dls_verify_run.
DLS_API dls_status dls_saved_report_set(const dls_saved_report *report, dls_system *system,
                                        dls_message *message);

typedef enum dls_found {
  DLS_FOUND_HOLDS,     // proven, as far as `proves` says
  DLS_FOUND_FAILS,     // the witness does not show what the report claims
  DLS_FOUND_NOTHING,   // nothing is claimed: undecided, or not given
  DLS_FOUND_UNPROVEN,  // something is, and this version has no proof of it: `why`
} dls_found;
DLS_API const char *dls_found_name(
    dls_found found);  // "holds", "fails", "nothing to check", "not proven"

// One claim of the report, and what became of it.
typedef struct dls_finding {
  const char *group;   // the report's key: "verdicts", "solutions", "delassus", "friction", ...
  const char *name;    // within it: "mfcq", "1", "critical"; "" when it is all
  const char *answer;  // "yes", "no", "undecided"; "" where there is none
  dls_found found;
  const char *proves;  // what has been proven; "" when it fails
  const char *why;     // why it fails, with numbers; "" when it holds
  double residual;  // largest relative violation of an equation, an upper bound; NaN: no equation
  double limit;     // what it may be
} dls_finding;

typedef struct dls_parameter {
  const char *name;
  double value;     // what was used
  double of_model;  // what the model says
} dls_parameter;

typedef struct dls_verification {
  bool holds;              // the report belongs to the model, and no claim fails
  const char *difference;  // what differs from the model; NULL when nothing does
  double tolerance;        // of equations: the report's, within 32 times rounding and 1e-6
  int findings;            // none when there is a difference
  const dls_finding *finding;
  // Numbers of the report that are claims and are checked, and those that this version does not
  // check: these are below the findings of the group "unproven", by their key.
  int proven, unproven;
  int parameters;  // those that the report sets to other values than the model
  const dls_parameter *parameter;
} dls_verification;

typedef struct dls_verify_options {
  // Called now and then with the part of the claims that are done, 0 to 1; may be NULL. True stops
  // the call with DLS_ERR_STOPPED and without a result.
  bool (*watch)(void *self, double done);
  void *self;
  // The mechanism that the system was made of, where it was not made from a model; NULL: that of
  // the model, if it has bodies. Bodies are rebuilt from it alone.
  const dls_mechanism *mechanism;
} dls_verify_options;

DLS_API dls_verify_options dls_verify_defaults(void);

// Rebuilds the contact problem from the system, at the state of the report, and checks every claim.
// model: where the objects are declared. options may be NULL. A report of another model is no
// error: see `difference`.
DLS_API dls_status dls_verify_run(const dls_saved_report *report, const dls_model *model,
                                  const dls_system *system, const dls_verify_options *options,
                                  dls_verification **verification, dls_message *message);
DLS_API void dls_verification_free(dls_verification *verification);

// One JSON object, and a table for people. Names of files may be NULL. Free the text with
// dls_report_text_free.
DLS_API dls_status dls_verification_json(const dls_verification *verification, const char *report,
                                         const char *model, char **text);
DLS_API dls_status dls_verification_text(const dls_verification *verification, const char *report,
                                         const char *model, bool colour, char **text);

#ifdef __cplusplus
}
#endif
#endif
