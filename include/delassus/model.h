// Models written in the language: text -> dls_model (constant) -> dls_system (parameter values
// and work memory; as many as you like from one model).
//
// A model is constant: threads may share it, and it must outlive its systems, each of which belongs
// to one thread at a time.
#ifndef DELASSUS_MODEL_H
#define DELASSUS_MODEL_H

#include <delassus/contact.h>
#include <delassus/import.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dls_model dls_model;

// One error in a model text. Lines and columns count from 1; columns count characters (UTF-8).
typedef struct dls_diagnostic {
  int line, column;
  int length;         // characters to underline, at least 1
  char message[400];  // what is wrong and what was expected
  char hint[200];     // what to do, such as the nearest known name; may be empty
} dls_diagnostic;

enum { DLS_DIAGNOSTICS_MAX = 20 };

typedef struct dls_diagnostics {
  int count;  // in item, in the order of the text
  int total;  // found altogether; more than count when the list was cut
  dls_diagnostic item[DLS_DIAGNOSTICS_MAX];
} dls_diagnostics;

// Parses a model. On DLS_ERR_MODEL the diagnostics say what is wrong; *model is then NULL.
// text need not end in a zero byte. Accepts at most 16 MiB and about ten million expression nodes.
DLS_API dls_status dls_model_parse(const char *text, size_t length, dls_model **model,
                                   dls_diagnostics *diagnostics);
DLS_API void dls_model_free(dls_model *model);

// As dls_model_parse, with files; NULL: statements that name a file are errors. What the files gave
// is copied.
DLS_API dls_status dls_model_parse_with(const char *text, size_t length,
                                        const dls_model_files *files, dls_model **model,
                                        dls_diagnostics *diagnostics);

// A model of nothing but a mechanism: the reference configuration is its initial state, keyframes
// are its states, controls its parameters. Copies what it is given; notes stay with the caller.
DLS_API dls_status dls_model_from_import(const dls_import *import, dls_model **model,
                                         dls_message *message);

// The mechanism of a model with bodies, at the parameters of the system; NULL: it has none. Valid
// until the next dls_model_set.
DLS_API const dls_mechanism *dls_model_mechanism(const dls_system *system);

// The system of the mechanism alone, behind that of the model: the configuration and velocities of
// the model begin with its own. For functions of <delassus/mechanism.h> such as
// dls_mechanism_poses. NULL without bodies; it belongs to the system.
DLS_API const dls_system *dls_model_bodies(const dls_system *system);

// Makes systems of a model in these coordinates of its joints from now on; DLS_REDUCED at first.
DLS_API void dls_model_set_coordinates(dls_model *model, dls_coordinates_kind kind);

// Writes the diagnostics as a person wants them: file:line:column, the line, a caret, the hint.
// Writes at most size bytes including the final zero; returns the length it wanted.
DLS_API size_t dls_diagnostics_format(const dls_diagnostics *diagnostics, const char *file_name,
                                      const char *text, size_t length, char *out, size_t size);

// What the model declares, in the order of the text.
DLS_API int dls_model_parameter_count(const dls_model *model);
DLS_API const char *dls_model_parameter_name(const dls_model *model, int index);
DLS_API int dls_model_state_count(const dls_model *model);
DLS_API const char *dls_model_state_name(const dls_model *model, int index);
DLS_API const char *dls_model_title(const dls_model *model);  // first comment line, or ""

// The objects whose closure is asked about: the numbers of their coordinates. coordinates points
// into the model; the function returns how many there are.
DLS_API int dls_model_object_count(const dls_model *model);
DLS_API const char *dls_model_object_name(const dls_model *model, int index);
DLS_API int dls_model_object_coordinates(const dls_model *model, int index,
                                         const int **coordinates);

// A system with the model's parameter values. It keeps the model alive by reference: free the
// systems before the model. Freed with dls_system_free.
DLS_API dls_status dls_model_system(const dls_model *model, dls_system **system);

// The same; message says why there is none, such as a wrong mechanism.
DLS_API dls_status dls_model_system_with(const dls_model *model, dls_system **system,
                                         dls_message *message);

// Overrides a parameter of one system; parameters defined from it follow. value is an expression
// of numbers, functions and parameters ("0.3", "pi/4"). DLS_ERR_ARGUMENT with a message otherwise.
DLS_API dls_status dls_model_set(dls_system *system, const char *name, const char *value,
                                 dls_message *message);

// Gives the system its derivatives (system->derivative and differentiate): they cost time and
// memory, and only implicit time integration needs them. They follow later changes of parameters.
// Does nothing when they are there already. DLS_ERR_LIMIT when the expressions become too large,
// DLS_ERR_ARGUMENT for systems that were not made from a model.
DLS_API dls_status dls_model_differentiate(dls_system *system, dls_message *message);

// The model that a system was made from; NULL for other systems.
DLS_API const dls_model *dls_system_model(const dls_system *system);
// The present value of the parameter number `index` of its model; NaN when there is none.
DLS_API double dls_system_parameter(const dls_system *system, int index);

// The state that `at` means: NULL or "" the initial values; the name of a state of the model; or
// assignments "theta = 0.5, theta' = 1, t = 2" on top of the initial values. Initial values that
// are formulas of assigned coordinates follow. q and v of the state hold n numbers each.
DLS_API dls_status dls_model_state(const dls_system *system, const char *at, dls_state *state,
                                   dls_message *message);

// The exact solution at time t, at the system's parameter values. known[i]: 1 when the model
// gives coordinate i, plus 2 when it gives its velocity; the other entries of q and v stay as they
// are. n entries each. DLS_ERR_NUMBER when a value is not finite.
DLS_API dls_status dls_model_exact(const dls_system *system, double t, double *q, double *v,
                                   unsigned char *known);

// Is a coordinate an angle? Models have no units, but the argument of a sine has none: a coordinate
// that stands there, bare, in a sum or times a number, is one. Others may be without being noticed.
DLS_API bool dls_model_is_angle(const dls_model *model, int coordinate);

// Does a force jump where a velocity passes some value: by sign, floor or a comparison? Where such
// a force would hold a body at rest it has no value that does; friction of a contact has. False
// also when memory runs out.
DLS_API bool dls_model_force_jumps(const dls_model *model);

// The restitution statements outside the contacts, one entry of the restitution matrix each, at a
// state; row and column are contacts. DLS_ERR_NUMBER when the value is not finite.
DLS_API int dls_model_restitution_count(const dls_model *model);
DLS_API dls_status dls_model_restitution(const dls_system *system, int index,
                                         const dls_state *state, int *row, int *column,
                                         double *value);

// The restitution matrix over the closed unilateral contacts of a state: the contacts' own
// coefficients, and the restitution statements between two of them. E: m_u x m_u. A system that was
// not made from a model has a diagonal one.
DLS_API dls_status dls_model_restitution_matrix(const dls_system *system,
                                                const dls_contact_state *contact_state, double *E);

#ifdef __cplusplus
}
#endif
#endif
