// From the statements to a model: names, then definitions, then equations.
#ifndef DLS_MODEL_ANALYSIS_H
#define DLS_MODEL_ANALYSIS_H

#include "model/evaluator.h"
#include "model/mechanics.h"
#include "model/mechanics_derivative.h"
#include "model/partition.h"
#include "model/error_list.h"
#include "model/source.h"
#include "model/switching.h"
#include "model/tape.h"
#include <delassus/mechanism.h>

// The equations of motion, compiled.
typedef struct dls_equations {
  dls_lagrangian lagrangian;
  dls_switching *switching;  // NULL: no force switches
  dls_lagrangian held;       // the lagrangian with held branches, which is compiled
  dls_graph *graph;          // of both, without derivatives
  dls_mechanics *mechanics;
  dls_tape *energy;  // two outputs: T and V
} dls_equations;

// graph: of the lagrangian, which is set; it grows.
dls_status dls_equations_compile(dls_equations *equations, dls_graph *graph);
void dls_equations_free(dls_equations *equations);  // what it owns, not itself

struct dls_model {
  dls_arena *arena;  // names, formulas, and the arrays below
  dls_names names;
  dls_source source;
  const char *title;
  const dls_formula **definitions;  // the formula of each, NULL: the value is 0
  unsigned *depends;                // of each: DLS_ON_...
  double *parameters;               // their values as the text gives them
  int *members;                     // the coordinates of the objects, in their order
  const char **coordinate_names;
  dls_lagrangian_contact *contacts;
  dls_equations equations;
  dls_partition partition;
  dls_tape *outputs, *events;        // NULL: there are none
  int impulses;                      // inputs of the outputs
  bool *angle;                       // of the coordinates
  dls_coordinates_kind coordinates;  // of bodies, of systems to come
  const dls_import_state *key;       // states of the file that the model is made of
  int keys;
  int **body_object;  // of the objects that are bodies: six velocities, in joint coordinates
};

// Where names are looked up. A frozen scope leaves the names as they are.
typedef struct dls_scope {
  const dls_source *source;
  dls_names *names;
  bool frozen;
  dls_error_list *report;
} dls_scope;

// Replaces names by definitions; a formula with an error is marked broken.
void dls_resolve_formula(const dls_scope *scope, dls_formula *formula);
// Finds what is assigned: a coordinate, a velocity, or time; reports what is none of them.
void dls_resolve_assignment(const dls_scope *scope, dls_assignment *assignment);

typedef struct dls_analysis {
  dls_model *model;
  dls_error_list *report;
  dls_status status;  // DLS_ERR_MEMORY, DLS_ERR_LIMIT
  unsigned *depends;  // the model's; while errors are looked for, with DLS_ON_ERRORS
  dls_graph *graph;
  dls_expr *let_expr;
  int *order;  // the definitions, each after those that it uses
  int ordered;
  const int *local;  // of the coordinates: the numbers they get in the graph; NULL: their own
  const dls_named_list *state;  // whose assignments hold while its circles are looked for, or NULL
  int hunts;                    // for the place of a mistake, still allowed
} dls_analysis;

enum { DLS_ON_ERRORS = 32 };  // depends on something that was reported

// Everything after the statements.
dls_status dls_model_analyse(dls_model *model, dls_error_list *report);

// Each reports errors; false when the status says that it could not go on.
bool dls_analyse_names(dls_analysis *analysis);
bool dls_analyse_definitions(dls_analysis *analysis);
// Unilateral contacts whose gap is the smallest of several become as many.
bool dls_split_gaps(dls_analysis *analysis);
bool dls_analyse_equations(dls_analysis *analysis, dls_lagrangian *lagrangian);
// Which coordinates stand in a sine or cosine, bare or in sums; after the equations. False: out of
// memory.
bool dls_find_angles(dls_model *model);
// Finds the parts of the lagrangian, after its expressions.
bool dls_analyse_parts(dls_analysis *analysis, const dls_lagrangian *lagrangian);

// Is the op a sum, or one after taking out a factor that does not vary?
bool dls_sum_splits(const dls_node *node, bool a_varies, bool b_varies);
// The part that an instruction refers to, or DLS_PART_...
int dls_partition_of(const dls_model *model, const dls_instruction *code);

// Single statements without errors, once more. -1 when memory runs out: see the statuses.
dls_expr dls_build_formula(dls_analysis *analysis, const dls_formula *formula);
// Reports a function without a derivative; true when there is none.
bool dls_check_smooth(dls_analysis *analysis, const dls_formula *formula, dls_expr e,
                      const char *statement);
void dls_build_contact(dls_analysis *analysis, const dls_constraint *constraint,
                       dls_lagrangian_contact *contact);

// The equations of one part of the model, of which arena holds the names and arrays.
dls_status dls_part_build(const dls_model *model, int part, dls_arena *arena,
                          dls_equations *equations);

typedef struct dls_instance_bodies dls_instance_bodies;

// A system made from a model.
typedef struct dls_instance {
  dls_system system;  // first: the system is the instance
  const dls_model *model;
  const dls_equations *equations;  // the model's, or those of one part
  dls_mechanics_work *work;
  dls_branches *branches;                // NULL: no force switches
  double *energy;                        // slots of the equations' tape of that name
  double *outputs, *events;              // slots of the model's tapes; NULL: there are none
  double *unknown;                       // forces that are not
  dls_mechanics_derivative *derivative;  // NULL until it is asked for
  double *parameters;
  bool *set;                       // which of them were set
  dls_native_cache *cache;         // of the instance; NULL: it was not asked to compile
  dls_instance_bodies *bodies;     // NULL: the model has none
  const dls_native_cache *native;  // in use: its own, or that of the whole; NULL: the tapes alone
} dls_instance;

// The instance behind a system; NULL when it was not made from a model.
dls_instance *dls_instance_of(const dls_system *system);

// Begins anew with the instance's parameters, after a change.
void dls_instance_start(dls_instance *instance);

// Sets the branches of the forces: those that are held, or those at the point, in coordinates of
// the text.
dls_status dls_instance_choose_branches(const dls_instance *instance, double t, const double *q,
                                        const double *v, dls_message *message);

// The name of a definition for a message, with its quote.
dls_quoted dls_definition_name(const dls_source *source, const dls_names *names, int definition);

#endif
