// A model file with the values that the call adds to it: what the commands that read one share.
#ifndef CLI_MODEL_FILE_H
#define CLI_MODEL_FILE_H

#include "buffer.h"
#include "options.h"

#include <delassus/contact.h>
#include <delassus/import.h>
#include <delassus/model.h>

typedef struct model_file {
  const options
      *options;       // --set, --object, --at, --tol, --project, as far as the command has them
  const char *path;   // as given
  const char *shown;  // in messages and reports
  double tolerance;   // of --tol: gaps, a length,
  double rest;        // h' and slips, a velocity,
  double relative;    // and numbers without unit
  char *source;
  size_t source_length;
  dls_import *import;      // of a file that is not a text; NULL
  dls_model_files *files;  // of those that a text names
  dls_model *model;
  dls_system *system;       // with --set
  const char *object_name;  // of --object; NULL: no object
  const int *object;        // its coordinates
  int object_size;
  buffer assigned;  // the state of a file that --at or --state names, as assignments
  dls_state told;   // and as numbers; q is NULL when there is none
  dls_state state;  // of --at
  bool projected;   // --project moved the state, by `projection`
  dls_projection projection;
  dls_contact_state *contact_state;
} model_file;

// Each step returns 0, or says what is wrong on standard error and returns an exit status. Free the
// file in either case.

// Takes the one word of the call as the model, and looks at --tol and --set before a file is
// opened.
int model_file_call(model_file *file, const options *given, const char *command);
// The same for a command whose words mean more than the model; "-" is standard input.
int model_file_name(model_file *file, const options *given, const char *path);

// One after the other; each needs the one before.
int model_file_read(model_file *file);  // source, model
// Instead: the text, which it takes over, as the model.
int model_file_take(model_file *file, char *text, size_t length);
int model_file_set(model_file *file);   // system, with --set
int model_file_open(model_file *file);  // both, and the state of a file
// The object that --object means, the first of the model without it. asked: what in the call needs
// one, such as "--require form_closure"; NULL when nothing does.
int model_file_object(model_file *file, const char *asked);
int model_file_state(model_file *file);     // state
int model_file_contacts(model_file *file);  // contact_state

// The options of a command that reads models, for its table.
#define MODEL_OPTIONS                                                                         \
  {"--coordinates", "KIND", false,                                                            \
   "of bodies: reduced, those of their joints, or maximal, of free bodies, in\n"              \
   "which every joint is a constraint with forces (default: reduced)"},                       \
  {                                                                                           \
    "--package", "NAME=DIR", true, "where package://NAME/ of a URDF file is; may be repeated" \
  }

// What counts as zero, of --tol.
dls_contact_options model_file_zero(const model_file *file);

// The system before --set, for a command that has values of its own.
int model_file_system(model_file *file);

void model_file_free(model_file *file);

// What --at or --state says, to be shown; NULL for the initial values.
const char *model_file_at(const model_file *file);
// The same as dls_model_state takes it.
const char *model_file_assigned(const model_file *file);

// The first keys of a JSON object about the model: model, title, state.
void model_file_json(buffer *out, const model_file *file);

// Says what the library said, or at least what the status means. Returns an exit status.
int model_file_failed(const model_file *file, dls_status status, const dls_message *message);

// What is wrong with a text, on standard error, with the places. Returns an exit status.
int print_diagnostics(const dls_diagnostics *diagnostics, const char *shown, const char *source,
                      size_t length);

// Parameters of the model on standard error, unless one has that name.
void list_parameters(const dls_model *model, const char *name);

#endif
