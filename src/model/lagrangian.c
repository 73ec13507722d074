// Formulas -> expressions of the graph -> the Lagrangian, with the checks that need the graph:
// degrees in the velocities, derivatives, dependence after simplification.
#include "model/analysis.h"
#include "model/quantity.h"

#include <stdlib.h>
#include <string.h>

// A value on the stack and the text that it comes from.
typedef struct built {
  dls_expr e;
  unsigned at, end;
} built;

// What to look for while building; the first place that has it is remembered.
typedef enum hunt {
  HUNT_NOTHING,
  HUNT_VELOCITY,  // a name that depends on velocities
  HUNT_DEGREE_1,  // a subexpression of a degree above 1
  HUNT_DEGREE_2,
  HUNT_ROUGH,  // a function without a derivative
} hunt;

typedef struct builder {
  dls_analysis *a;
  built *stack;
  ptrdiff_t capacity;
  hunt hunt;
  bool found;
  built place;
  const dls_instruction *culprit;
} builder;

static dls_expr leaf_of(const dls_analysis *a, int definition)
{
  const dls_source *s = &a->model->source;
  if (definition < s->parameters.count)
    return dls_graph_leaf(a->graph, DLS_OP_PARAMETER, definition);
  if (definition < dls_definition_coordinate(s, 0))
    return a->let_expr[definition - dls_definition_let(s, 0)];
  if (definition >= dls_definition_time(s)) return dls_graph_leaf(a->graph, DLS_OP_TIME, 0);
  const bool velocity = definition >= dls_definition_velocity(s, 0);
  const int i =
      definition - (velocity ? dls_definition_velocity(s, 0) : dls_definition_coordinate(s, 0));
  return dls_graph_leaf(a->graph, velocity ? DLS_OP_VELOCITY : DLS_OP_COORDINATE,
                        a->local ? a->local[i] : i);
}

static bool is_prey(const builder *b, const dls_instruction *code, const built *result)
{
  const dls_graph *graph = b->a->graph;
  switch (b->hunt) {
  case HUNT_NOTHING: return false;
  case HUNT_VELOCITY:
    return code->op == DLS_CODE_REFERENCE &&
           dls_graph_depends(graph, result->e) & DLS_ON_VELOCITIES;
  case HUNT_DEGREE_1: return dls_graph_velocity_degree(graph, result->e) > 1;
  case HUNT_DEGREE_2: return dls_graph_velocity_degree(graph, result->e) > 2;
  case HUNT_ROUGH: return dls_graph_nonsmooth(graph, result->e) >= 0;
  }
  return false;
}

// The result of an instruction from its arguments x.
static built apply(const builder *b, const dls_instruction *code, const built *x, int arguments)
{
  dls_graph *graph = b->a->graph;
  built result = {.at = code->at, .end = code->at + code->length};
  for (int k = 0; k < arguments; k++) {
    if (x[k].at < result.at) result.at = x[k].at;
    if (x[k].end > result.end) result.end = x[k].end;
  }
  if (code->op == DLS_OP_CONSTANT) result.e = dls_graph_constant(graph, code->value);
  else if (code->op == DLS_CODE_REFERENCE) result.e = leaf_of(b->a, code->index);
  else if (code->op == DLS_CODE_QUANTITY) result.e = dls_quantity_expression(b->a, code->index);
  else if (code->op == DLS_CODE_GREATER)
    result.e = dls_graph_make(graph, DLS_OP_LESS, x[1].e, x[0].e, -1);
  else if (code->op == DLS_CODE_GREATER_EQUAL)
    result.e = dls_graph_make(graph, DLS_OP_LESS_EQUAL, x[1].e, x[0].e, -1);
  else
    result.e = dls_graph_make(graph, (dls_op)code->op, x[0].e, arguments > 1 ? x[1].e : -1,
                              arguments > 2 ? x[2].e : -1);
  return result;
}

// The formula as an expression; -1 when it has errors, or when memory runs out (see the status).
static dls_expr build(builder *b, const dls_formula *formula)
{
  if (formula->broken || !formula->code) return -1;
  void *stack = b->stack;
  if (dls_grow(&stack, &b->capacity, (ptrdiff_t)formula->stack + 1, sizeof *b->stack)) {
    b->a->status = DLS_ERR_MEMORY;
    return -1;
  }
  b->stack = stack;
  int used = 0;
  for (int i = 0; i < formula->count; i++) {
    const dls_instruction *code = &formula->code[i];
    if (code->op == DLS_CODE_REFERENCE && b->a->depends[code->index] & DLS_ON_ERRORS) return -1;
    const int arguments = dls_code_arguments(code);
    used -= arguments;
    const built result = apply(b, code, b->stack + used, arguments);
    b->stack[used++] = result;
    if (b->found || !is_prey(b, code, &result)) continue;
    b->found = true;
    b->place = result;
    b->culprit = code;
  }
  return b->stack[0].e;
}

// Finds the place of a mistake in a formula; the formula itself when there have been many.
static const dls_instruction *find(builder *b, const dls_formula *formula, hunt prey)
{
  b->found = false;
  b->culprit = NULL;
  b->place = (built){.at = formula->at, .end = formula->at + formula->length};
  if (b->a->hunts-- <= 0) return NULL;
  b->hunt = prey;
  build(b, formula);
  b->hunt = HUNT_NOTHING;
  return b->culprit;
}

static bool is_let(const dls_analysis *a, const dls_instruction *code)
{
  const dls_source *s = &a->model->source;
  return code && code->op == DLS_CODE_REFERENCE && code->index >= dls_definition_let(s, 0) &&
         code->index < dls_definition_coordinate(s, 0);
}

static void hint_at_let(const dls_analysis *a, dls_diagnostic *d, const dls_instruction *code)
{
  if (!is_let(a, code)) return;
  const dls_source *s = &a->model->source;
  const dls_definition *let = &s->lets.items[code->index - dls_definition_let(s, 0)];
  const dls_word *w = &a->model->names.words[let->name];
  dls_error_list_hint(d, "`%s` is defined at line %d", dls_quote(w->text, w->length).text,
                      dls_error_list_line(a->report, let->at));
}

// Reports a function without a derivative; true when there is none.
static bool check_smooth(builder *b, const dls_formula *formula, dls_expr e, const char *statement)
{
  dls_analysis *a = b->a;
  if (dls_graph_nonsmooth(a->graph, e) < 0) return true;
  const dls_instruction *code = find(b, formula, HUNT_ROUGH);
  if (is_let(a, code) || !code) {
    dls_diagnostic *d = dls_error_list_add(
        a->report, code ? code->at : formula->at, code ? code->length : formula->length,
        "%s needs derivatives, but this uses a function that has none everywhere", statement);
    hint_at_let(a, d, code);
    return false;
  }
  const bool chooses = code->op == DLS_OP_MIN || code->op == DLS_OP_MAX || code->op == DLS_OP_ABS;
  dls_error_list_hint(
      dls_error_list_add(a->report, code->at, code->length,
                         "%s needs derivatives, but `%s` has none everywhere", statement,
                         dls_quote(a->report->text + code->at, code->length).text),
      chooses && strcmp(statement, "a constraint") == 0
          ? "a unilateral gap may be the smallest of several, `min(a, b) >= 0`, `c - max(a, b) >= "
            "0`, `c - abs(a) >= 0`"
          : "abs sign floor min max if and comparisons are for forces, friction, restitution, "
            "exact and parameters");
  return false;
}

static bool check_no_velocity(builder *b, const dls_formula *formula, dls_expr e,
                              const char *message)
{
  if (!(dls_graph_depends(b->a->graph, e) & DLS_ON_VELOCITIES)) return true;
  const dls_instruction *code = find(b, formula, HUNT_VELOCITY);
  dls_diagnostic *d =
      dls_error_list_add(b->a->report, b->place.at, b->place.end - b->place.at, "%s", message);
  hint_at_let(b->a, d, code);
  return false;
}

static bool check_degree(builder *b, const dls_formula *formula, dls_expr e, int most,
                         const char *message)
{
  if (dls_graph_velocity_degree(b->a->graph, e) <= most) return true;
  const dls_instruction *code = find(b, formula, most == 1 ? HUNT_DEGREE_1 : HUNT_DEGREE_2);
  dls_diagnostic *d =
      dls_error_list_add(b->a->report, b->place.at, b->place.end - b->place.at, "%s", message);
  hint_at_let(b->a, d, code);
  return false;
}

// Lagrange's equations hold in coordinates; an angular velocity is the rate of none.
static bool check_no_spin(builder *b, const dls_formula *formula, dls_expr e)
{
  const dls_source *s = &b->a->model->source;
  const int n = s->coordinates.count;
  bool any = false, found = false;
  for (int k = 0; k < s->markers.count; k++)
    any = any || s->markers.items[k].kind >= DLS_MARKER_TURN;
  if (!any) return true;
  int *index = dls_alloc(n, sizeof *index);
  dls_expr *derivative = dls_alloc(n, sizeof *derivative);
  const int count = index && derivative
                        ? dls_graph_gradient(b->a->graph, e, DLS_OP_VELOCITY, n, index, derivative)
                        : 0;
  if (!index || !derivative) b->a->status = DLS_ERR_MEMORY;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < s->markers.count; k++) {
      const int part = index[i] - s->markers.items[k].coordinate;
      found = found || (s->markers.items[k].kind >= DLS_MARKER_TURN && part >= 0 && part < 3);
    }
  free(index);
  free(derivative);
  if (found)
    dls_error_list_hint(dls_error_list_add(b->a->report, formula->at, formula->length,
                                           "a kinetic energy cannot use the `spin` of a body"),
                        "give the body an `inertia`, or joints an `armature`");
  return !found;
}

static void add_term(builder *b, const dls_term *term, dls_lagrangian *l, dls_expr *force)
{
  const dls_formula *f = &term->value;
  const dls_expr e = build(b, f);
  if (e < 0) return;
  dls_expr *sum = NULL;
  bool good = true;
  switch (term->kind) {
  case DLS_WORD_KINETIC:
    good = check_smooth(b, f, e, "the kinetic energy") &&
           check_degree(b, f, e, 2,
                        "the kinetic energy must be at most quadratic in the velocities") &&
           check_no_spin(b, f, e);
    sum = &l->kinetic;
    break;
  case DLS_WORD_POTENTIAL:
    good = check_no_velocity(b, f, e, "the potential energy must not depend on velocities") &&
           check_smooth(b, f, e, "the potential energy");
    sum = &l->potential;
    break;
  case DLS_WORD_DISSIPATION:
    good = check_smooth(b, f, e, "the dissipation");
    sum = &l->dissipation;
    break;
  default: sum = term->target >= 0 ? &force[term->target] : NULL; break;
  }
  if (good && sum) *sum = dls_graph_make(b->a->graph, DLS_OP_ADD, *sum, e, -1);
}

static bool is_number(const dls_formula *formula)
{
  for (int i = 0; i < formula->count; i++)
    if (formula->code[i].op == DLS_CODE_REFERENCE) return false;
  return true;
}

// friction -0.1: no parameter can make that right.
static void check_not_negative(builder *b, const dls_formula *formula, dls_expr e, const char *what)
{
  if (e < 0 || !is_number(formula)) return;
  const double value = dls_graph_evaluate(b->a->graph, e, NULL, 0.0, NULL, NULL);
  if (value < 0)
    dls_error_list_add(b->a->report, formula->at, formula->length, "%s cannot be negative", what);
}

// friction 0.5; static 0.3: no parameter can make that right.
static void check_static(builder *b, const dls_constraint *c, const dls_lagrangian_contact *contact)
{
  const dls_formula *formula = &c->static_friction;
  if (contact->static_friction < 0 || contact->friction < 0 || !is_number(formula) ||
      !is_number(&c->friction))
    return;
  const double most =
      dls_graph_evaluate(b->a->graph, contact->static_friction, NULL, 0, NULL, NULL);
  const double sliding = dls_graph_evaluate(b->a->graph, contact->friction, NULL, 0, NULL, NULL);
  if (most < sliding)
    dls_error_list_add(b->a->report, formula->at, formula->length,
                       "static friction cannot be less than that of sliding, %g", sliding);
}

static void build_tangents(builder *b, const dls_constraint *c, dls_lagrangian_contact *contact)
{
  contact->info.tangents = c->tangents;
  for (int k = 0; k < c->tangents; k++) {
    const dls_expr e = contact->slip[k] = build(b, &c->slip[k]);
    if (e < 0 || !check_smooth(b, &c->slip[k], e, "a slip velocity") ||
        !check_degree(b, &c->slip[k], e, 1, "a slip velocity must be affine in the velocities"))
      continue;
    if (c->dry && dls_graph_status(b->a->graph) == DLS_OK &&
        !(dls_graph_depends(b->a->graph, e) & DLS_ON_VELOCITIES))
      dls_error_list_add(b->a->report, c->slip[k].at, c->slip[k].length,
                         "this slip velocity depends on no velocity");
  }
}

static void build_gap(builder *b, const dls_constraint *c, dls_lagrangian_contact *contact)
{
  dls_analysis *a = b->a;
  const dls_formula *side[2] = {&c->left, &c->right};
  dls_expr e[2];
  bool good = true;
  for (int k = 0; k < 2; k++) {
    e[k] = build(b, side[k]);
    good = good && e[k] >= 0 &&
           (c->rolling ? check_degree(b, side[k], e[k], 1,
                                      "a rolling constraint must be affine in the velocities")
                       : check_no_velocity(b, side[k], e[k],
                                           "a constraint is a function of the coordinates and t: "
                                           "write `rolling` for one of velocities")) &&
           check_smooth(b, side[k], e[k], "a constraint");
  }
  if (good) {
    contact->h = dls_graph_make(a->graph, DLS_OP_SUB, e[c->reversed], e[!c->reversed], -1);
    const bool spoilt = dls_graph_status(a->graph) != DLS_OK;
    const unsigned needed = c->rolling ? DLS_ON_VELOCITIES : DLS_ON_COORDINATES;
    if (!spoilt && !(dls_graph_depends(a->graph, contact->h) & needed))
      dls_error_list_add(a->report, c->left.at, c->right.at + c->right.length - c->left.at,
                         "this constraint depends on no %s",
                         c->rolling ? "velocity" : "coordinate");
  }
}

static void build_contact(builder *b, const dls_constraint *c, dls_lagrangian_contact *contact)
{
  *contact = (dls_lagrangian_contact){.info = {.name = b->a->model->names.words[c->name].text,
                                               .kind = c->kind,
                                               .rolling = c->rolling,
                                               .bounded = c->bounded,
                                               .has_static = c->static_friction.code != NULL,
                                               .dry = c->dry}};
  if (!c->dry) build_gap(b, c, contact);
  build_tangents(b, c, contact);
  contact->friction = build(b, &c->friction);
  contact->static_friction = build(b, &c->static_friction);
  contact->restitution = build(b, &c->restitution);
  check_not_negative(b, &c->friction, contact->friction,
                     c->bounded ? "the force of friction" : "a friction coefficient");
  check_static(b, c, contact);
  check_not_negative(b, &c->restitution, contact->restitution, "a coefficient of restitution");
}

// Forces, exact solutions and states have no rules of the graph; their constants have been read.
static void check_kinetic(dls_analysis *a, const dls_lagrangian *l, bool syntax_errors)
{
  const dls_source *s = &a->model->source;
  const dls_term *kinetic = NULL;
  for (int i = 0; i < s->terms.count && !kinetic; i++) {
    if (s->terms.items[i].kind == DLS_WORD_KINETIC) kinetic = &s->terms.items[i];
  }
  if (!kinetic) {
    if (syntax_errors || s->own == 0) return;
    const dls_coordinate *c = &s->coordinates.items[0];
    dls_error_list_hint(dls_error_list_add(a->report, c->at, a->model->names.words[c->name].length,
                                           "the model has coordinates but no kinetic energy"),
                        "add a statement such as `kinetic m/2*x'^2`");
    return;
  }
  if (a->report->diagnostics->total > 0 || dls_graph_is_zero(a->graph, l->kinetic)) return;
  if (dls_graph_velocity_degree(a->graph, l->kinetic) == 0)
    dls_error_list_hint(dls_error_list_add(a->report, kinetic->value.at, kinetic->value.length,
                                           "the kinetic energy contains no velocity"),
                        "`x'` is the velocity of the coordinate x");
}

static bool build_lets(builder *b)
{
  dls_analysis *a = b->a;
  const dls_source *s = &a->model->source;
  a->let_expr = dls_alloc(s->lets.count, sizeof *a->let_expr);
  if (!a->let_expr) return false;
  for (int k = 0; k < a->ordered; k++) {
    const int let = a->order[k] - dls_definition_let(s, 0);
    if (let < 0 || let >= s->drawn_lets || a->depends[a->order[k]] & DLS_ON_ERRORS) continue;
    const dls_expr e = build(b, &s->lets.items[let].value);
    a->let_expr[let] = e < 0 ? 0 : e;
  }
  return true;
}

// Restitution between two contacts; that of one and itself is the contact's own.
static bool build_couplings(builder *b, dls_lagrangian *l)
{
  const dls_source *s = &b->a->model->source;
  dls_lagrangian_coupling *coupling =
      dls_arena_alloc(b->a->model->arena, (ptrdiff_t)s->restitutions.count + 1, sizeof *coupling);
  if (!coupling) return false;
  l->coupling = coupling;
  for (int k = 0; k < s->restitutions.count; k++) {
    const dls_restitution *r = &s->restitutions.items[k];
    if (r->contact[0] == r->contact[1]) continue;
    const dls_expr e = build(b, &r->value);
    if (e >= 0)
      coupling[l->couplings++] = (dls_lagrangian_coupling){{r->contact[0], r->contact[1]}, e};
  }
  return true;
}

// Poisson's law for one contact is the law of all that rebound.
static bool takes_poisson(dls_analysis *a, const dls_source *s)
{
  const dls_constraint *poisson = NULL, *newton = NULL;
  for (int j = 0; j < s->contacts.count; j++) {
    const dls_constraint *c = &s->contacts.items[j];
    if (c->poisson) poisson = c;
    else if (c->restitution.code) newton = c;
  }
  if (!poisson) return false;
  const char *name = a->model->names.words[poisson->name].text;
  if (newton)
    dls_error_list_hint(
        dls_error_list_add(a->report, newton->restitution.at, newton->restitution.length,
                           "restitution is Newton's here, and Poisson's at `%s`", name),
        "a model has one law of impact: write `restitution poisson` at all contacts or at none");
  for (int k = 0; k < s->restitutions.count; k++) {
    const dls_restitution *r = &s->restitutions.items[k];
    if (r->contact[0] == r->contact[1]) continue;
    dls_error_list_hint(dls_error_list_add(a->report, r->value.at, r->value.length,
                                           "restitution between two contacts is Newton's, and "
                                           "Poisson's at `%s`",
                                           name),
                        "a model has one law of impact");
  }
  return true;
}

static bool build_model(builder *b, dls_lagrangian *l)
{
  dls_analysis *a = b->a;
  dls_model *model = a->model;
  const dls_source *s = &model->source;
  const ptrdiff_t n = s->coordinates.count, m = s->contacts.count;
  const bool earlier_errors = a->report->diagnostics->total > 0;
  dls_expr *force = dls_arena_alloc(model->arena, n + 1, sizeof *force);
  model->coordinate_names = dls_arena_alloc(model->arena, n + 1, sizeof *model->coordinate_names);
  model->contacts = dls_arena_alloc(model->arena, m + 1, sizeof *model->contacts);
  if (!force || !model->coordinate_names || !model->contacts || !build_lets(b)) return false;

  for (ptrdiff_t i = 0; i < n; i++)
    model->coordinate_names[i] = model->names.words[s->coordinates.items[i].name].text;
  const dls_expr zero = dls_graph_constant(a->graph, 0.0);
  *l = (dls_lagrangian){.n = (int)n,
                        .coordinates = model->coordinate_names,
                        .parameters = s->parameters.count,
                        .kinetic = zero,
                        .potential = zero,
                        .dissipation = zero,
                        .force = force,
                        .m = (int)m,
                        .contacts = model->contacts};
  for (ptrdiff_t i = 0; i < n; i++) force[i] = zero;
  for (int i = 0; i < s->terms.count; i++) add_term(b, &s->terms.items[i], l, force);
  for (ptrdiff_t i = 0; i < m; i++) build_contact(b, &s->contacts.items[i], &model->contacts[i]);
  l->poisson = takes_poisson(a, s);
  if (!build_couplings(b, l)) return false;
  check_kinetic(a, l, earlier_errors);
  return a->status == DLS_OK;
}

bool dls_analyse_equations(dls_analysis *a, dls_lagrangian *lagrangian)
{
  builder b = {.a = a};
  a->status = dls_graph_create(&a->graph);
  bool good = a->status == DLS_OK && build_model(&b, lagrangian);
  free(b.stack);
  if (good && dls_graph_status(a->graph) != DLS_OK) {
    a->status = dls_graph_status(a->graph);
    good = false;
  }
  if (!good && a->status == DLS_OK) a->status = DLS_ERR_MEMORY;
  return good;
}

dls_expr dls_build_formula(dls_analysis *a, const dls_formula *formula)
{
  builder b = {.a = a};
  const dls_expr e = build(&b, formula);
  free(b.stack);
  return e;
}

void dls_build_contact(dls_analysis *a, const dls_constraint *constraint,
                       dls_lagrangian_contact *contact)
{
  builder b = {.a = a};
  build_contact(&b, constraint, contact);
  free(b.stack);
}

bool dls_check_smooth(dls_analysis *a, const dls_formula *formula, dls_expr e,
                      const char *statement)
{
  builder b = {.a = a};
  const bool good = check_smooth(&b, formula, e, statement);
  free(b.stack);
  return good;
}
