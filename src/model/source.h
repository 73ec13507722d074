// A parsed model text: formulas in postfix order and the statements that hold them.
#ifndef DLS_MODEL_SOURCE_H
#define DLS_MODEL_SOURCE_H

#include "model/body_statements.h"
#include "model/expression_graph.h"
#include "model/names.h"
#include <delassus/drawing.h>
#include <delassus/system.h>

// What an instruction does beyond the ops of the graph.
enum {
  DLS_CODE_GREATER = DLS_OP_COUNT,  // a > b
  DLS_CODE_GREATER_EQUAL,
  DLS_CODE_NAME,           // name, to be resolved
  DLS_CODE_VELOCITY_NAME,  // name', to be resolved
  DLS_CODE_REFERENCE,      // resolved: index is a definition
  DLS_CODE_QUANTITY,       // resolved: index is one of model/quantity.h
  DLS_CODE_UNKNOWN_CALL,   // name(...), where name is not a function
  DLS_CODE_VECTOR,         // (a, b) or (a, b, c): index is how many; these are gone once
  DLS_CODE_DOT,            // dls_lower_vectors has run
  DLS_CODE_CROSS,
  DLS_CODE_NORM,
  DLS_CODE_PART,  // .x .y .z: index is 0, 1, 2
};

// A formula is a run of instructions for a stack machine: operands come before their operator, so
// that every pass is a loop, however long the formula.
typedef struct dls_instruction {
  int op;
  int index;            // of a word or a definition; number of arguments of an unknown call
  unsigned at, length;  // of the token
  double value;         // of a constant
} dls_instruction;

typedef struct dls_formula {
  dls_instruction *code;  // NULL: there is no formula
  int count;
  int stack;            // how deep the stack gets
  bool broken;          // has an error that was reported
  unsigned at, length;  // in the text
} dls_formula;

// How many operands an instruction takes; all leave one result.
int dls_code_arguments(const dls_instruction *code);

typedef struct dls_definition {  // a parameter or a let
  int name;
  unsigned at;
  int size;     // of a vector: 2 or 3; its parts are lets of their own
  int point;    // a point of a body, from 1: its parts are coordinates; 0: it is none
  bool triple;  // has to have three parts
  dls_formula value;
} dls_definition;

typedef struct dls_coordinate {
  int name;
  unsigned at;
  dls_formula initial, velocity;
  dls_formula exact[2];  // of the coordinate and of its velocity
} dls_coordinate;

typedef struct dls_term {  // of an energy, or a force
  dls_keyword kind;
  int name;     // of a force: its coordinate as written
  unsigned at;  // of the name
  int target;   // the coordinate, once resolved; -1 before and for energies
  dls_formula value;
} dls_term;

typedef struct dls_constraint {
  int name;
  unsigned at;
  dls_contact_kind kind;
  bool rolling;             // left and right are velocities
  bool dry;                 // friction alone: no left and right
  bool bounded;             // friction is the largest force, not a coefficient
  dls_formula left, right;  // h = left - right, or the negative of it when reversed
  bool reversed;
  bool block_broken;
  unsigned at_relation;
  int tangents;
  dls_formula slip[2];
  dls_formula friction, static_friction, restitution;
  bool poisson;  // its restitution is of impulses
} dls_constraint;

typedef struct dls_assignment {  // name = value, name' = value
  int name;
  bool velocity;
  unsigned at, length;  // of the name
  int definition;       // once resolved, -1 before
  bool of_bodies;       // it has become an entry of the bodies' state
  dls_formula value;
} dls_assignment;

typedef struct dls_named_list {  // a state or an object
  int name;
  unsigned at;
  int first, count;  // among the assignments (states) or members (objects)
  int body;          // of an object: which of the bodies that are objects, from 1; 0: none
} dls_named_list;

typedef struct dls_member {  // a coordinate of an object
  int name;
  unsigned at;
  int coordinate;
} dls_member;

typedef struct dls_restitution {
  int name[2];
  unsigned at[2];
  int contact[2];
  dls_formula value;
} dls_restitution;

// Something to draw. Its formulas stand one after the other in the list `drawn` of the source:
// three for each point, then the sizes, then what its block has, each where the offset says (0: not
// there).
typedef struct dls_draw {
  int kind;             // dls_shape_kind; DLS_SHAPE_KINDS: the view
  unsigned at, length;  // of the word behind `draw`
  int first, count;     // formulas
  int points, sizes;
  int width, normal, tangent;
  int tangents;
  const char *text;
  int name;  // of a contact
  unsigned name_at;
  int contact;  // once resolved
  int colour;
  bool coloured, fill, dashed;
} dls_draw;

typedef struct dls_output {
  int name;
  unsigned at;
  dls_formula value;
} dls_output;

typedef struct dls_event_statement {
  int name;
  unsigned at;
  dls_formula left, right;  // it is where left - right = 0
  int direction;            // 1: rising, -1: falling, 0: both
  bool stop;
} dls_event_statement;

#define DLS_LIST(type)  \
  struct {              \
    type *items;        \
    int count;          \
    ptrdiff_t capacity; \
  }

typedef struct dls_source {
  DLS_LIST(dls_definition) parameters;
  DLS_LIST(dls_definition) lets;
  DLS_LIST(dls_coordinate) coordinates;
  DLS_LIST(dls_assignment) velocities;
  DLS_LIST(dls_term) terms;
  DLS_LIST(dls_constraint) contacts;
  DLS_LIST(dls_named_list) states;
  DLS_LIST(dls_assignment) assignments;  // of the states
  DLS_LIST(dls_named_list) objects;
  DLS_LIST(dls_member) members;
  DLS_LIST(dls_assignment) exacts;
  DLS_LIST(dls_restitution) restitutions;
  DLS_LIST(dls_output) outputs;
  DLS_LIST(dls_event_statement) events;
  DLS_LIST(dls_draw) draws;
  DLS_LIST(dls_formula) drawn;  // their formulas
  int space;                    // parts of their points; 0: there is none
  int drawn_lets;               // the first of the lets that drawings alone use
  bool vectors;                 // some formula has one
  // Bodies. Coordinates behind the first `own` follow from those of bodies.
  int own;
  DLS_LIST(dls_body_marker) markers;
  DLS_LIST(dls_formula) numbers;
  dls_number_list gravity;
  DLS_LIST(dls_body_statement) bodies;
  DLS_LIST(dls_solid_statement) solids;
  DLS_LIST(dls_joint_statement) joints;
  DLS_LIST(dls_rule_statement) rules;
  DLS_LIST(dls_import_statement) imports;
  DLS_LIST(dls_point_statement) points;
  DLS_LIST(dls_body_term) body_terms;
  DLS_LIST(dls_body_entry) entries;
  DLS_LIST(dls_body_name) body_objects;  // name: of the object
  int all_bodies, all_joints;            // with those of files
} dls_source;

// Are there bodies?
static inline bool dls_has_bodies(const dls_source *s)
{
  return s->bodies.count + s->imports.count > 0;
}

void dls_source_free(dls_source *source);

// The array, moved if need be, with room for one more item; NULL when memory runs out.
void *dls_list_more(void *items, int count, ptrdiff_t *capacity, size_t size);

// Everything that has a value is a definition, in this order: parameters, lets, coordinates,
// velocities, time.
static inline int dls_definition_let(const dls_source *s, int i)
{
  return s->parameters.count + i;
}
static inline int dls_definition_coordinate(const dls_source *s, int i)
{
  return s->parameters.count + s->lets.count + i;
}
static inline int dls_definition_velocity(const dls_source *s, int i)
{
  return s->parameters.count + s->lets.count + s->coordinates.count + i;
}
static inline int dls_definition_time(const dls_source *s)
{
  return s->parameters.count + s->lets.count + 2 * s->coordinates.count;
}
static inline int dls_definition_count(const dls_source *s)
{
  return dls_definition_time(s) + 1;
}

#endif
