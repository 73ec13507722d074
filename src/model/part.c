// The equations of one part of a model, built from its statements as if they stood alone: the same
// expressions in the same order, so that a part moves as a model of its own would, to the last bit.
// Statements that hold summands of several parts are taken apart; summands that depend on no
// coordinate move nothing, and are left out where they stand on their own.  eq (par.1)
#include "model/analysis.h"

#include "base/memory.h"

#include <stdlib.h>

// Whose coordinates an expression depends on, as bits.
enum { OWN = 1, FOREIGN = 2, BOTH = 3 };

// A summand of an energy, or a whole statement.
typedef struct summand {
  const dls_term *term;
  dls_formula formula;
  bool minus, mixed;
} summand;

typedef struct builder {
  dls_analysis a;
  const dls_model *model;
  int part;
  dls_lagrangian *lagrangian;
  dls_expr *force;
  dls_lagrangian_contact *contacts;
  dls_lagrangian_coupling *coupling;
  bool *needed;  // per let
  summand *summands;
  ptrdiff_t count, capacity;
} builder;

// --- statements taken apart ---

static unsigned char whose(const builder *b, const dls_instruction *code)
{
  const int part = dls_partition_of(b->model, code);
  return part == DLS_PART_NONE      ? 0
         : part == DLS_PART_SEVERAL ? BOTH
         : part == b->part          ? OWN
                                    : FOREIGN;
}

// Where the operands of each instruction begin, and whose coordinates they hold. stack: the
// formula's depth.
static void outline(const builder *b, const dls_formula *f, int *stack, int *begin,
                    unsigned char *owner)
{
  int used = 0;
  for (int i = 0; i < f->count; i++) {
    const int arguments = dls_code_arguments(&f->code[i]);
    begin[i] = i;
    owner[i] = whose(b, &f->code[i]);
    used -= arguments;
    for (int k = 0; k < arguments; k++) owner[i] |= owner[stack[used + k]];
    if (arguments > 0) begin[i] = begin[stack[used]];
    stack[used++] = i;
  }
}

static bool add_summand(builder *b, const dls_term *term, int first, int count, bool minus,
                        bool mixed)
{
  if (dls_grow((void **)&b->summands, &b->capacity, b->count + 1, sizeof *b->summands))
    return false;
  dls_formula formula = term->value;
  formula.code += first;
  formula.count = count;
  b->summands[b->count++] = (summand){term, formula, minus, mixed};
  return true;
}

enum { BESIDE, PLUS, MINUS };  // an instruction is no summand, or is added or subtracted

// Marks the summands, from the last instruction down.
static void mark_sums(const dls_formula *f, const int *begin, const unsigned char *owner,
                      unsigned char *sign)
{
  for (int i = 0; i < f->count; i++) sign[i] = BESIDE;
  sign[f->count - 1] = PLUS;
  for (int i = f->count - 1; i >= 0; i--) {
    const int op = f->code[i].op;
    if (sign[i] == BESIDE || owner[i] != BOTH) continue;
    if (op != DLS_OP_ADD && op != DLS_OP_SUB && op != DLS_OP_NEG) continue;
    const unsigned char other = sign[i] == PLUS ? MINUS : PLUS;
    sign[i - 1] = op == DLS_OP_ADD ? sign[i] : other;
    if (op != DLS_OP_NEG) sign[begin[i - 1] - 1] = sign[i];
    sign[i] = BESIDE;
  }
}

static bool split(builder *b, const dls_term *term)
{
  const dls_formula *f = &term->value;
  const ptrdiff_t count = f->count;
  int *begin = dls_alloc(count, sizeof *begin),
      *stack = dls_alloc((ptrdiff_t)f->stack + 1, sizeof *stack);
  unsigned char *owner = dls_alloc(2 * count, 1);
  bool good = begin && stack && owner;
  if (good) {
    unsigned char *sign = owner + count;
    outline(b, f, stack, begin, owner);
    mark_sums(f, begin, owner, sign);
    for (int i = 0; i < f->count && good; i++) {
      if (sign[i] != BESIDE && owner[i] & OWN)
        good = add_summand(b, term, begin[i], i + 1 - begin[i], sign[i] == MINUS, owner[i] == BOTH);
    }
  }
  free(begin);
  free(stack);
  free(owner);
  return good;
}

static bool choose_terms(builder *b)
{
  const dls_source *s = &b->model->source;
  bool good = true;
  for (int k = 0; k < s->terms.count && good; k++) {
    const dls_term *term = &s->terms.items[k];
    const int part = b->model->partition.term_part[k];
    if (part == DLS_PART_SEVERAL) good = split(b, term);
    else if (part == b->part) good = add_summand(b, term, 0, term->value.count, false, false);
  }
  return good;
}

// --- lets ---

static void mark_lets(const builder *b, const dls_formula *f)
{
  const dls_source *s = &b->model->source;
  for (int k = 0; f->code && k < f->count; k++) {
    const int let = f->code[k].index - dls_definition_let(s, 0);
    if (f->code[k].op == DLS_CODE_REFERENCE && let >= 0 && let < s->lets.count)
      b->needed[let] = true;
  }
}

static void choose_lets(const builder *b)
{
  const dls_source *s = &b->model->source;
  const dls_partition *p = &b->model->partition;
  for (ptrdiff_t k = 0; k < b->count; k++) mark_lets(b, &b->summands[k].formula);
  for (int j = 0; j < s->contacts.count; j++) {
    const dls_constraint *c = &s->contacts.items[j];
    if (p->contact_part[j] != b->part) continue;
    const dls_formula *list[] = {&c->left,     &c->right,           &c->slip[0],    &c->slip[1],
                                 &c->friction, &c->static_friction, &c->restitution};
    for (ptrdiff_t k = 0; k < dls_count_of(list); k++) mark_lets(b, list[k]);
  }
  for (int k = 0; k < s->restitutions.count; k++) {
    const dls_restitution *r = &s->restitutions.items[k];
    if (p->contact_part[r->contact[0]] == b->part) mark_lets(b, &r->value);
  }
  for (int k = p->lets - 1; k >= 0; k--) {
    const int let = p->let_order[k];
    if (p->let_part[let] == b->part) b->needed[let] = true;
    if (b->needed[let]) mark_lets(b, &s->lets.items[let].value);
  }
}

static void build_lets(builder *b)
{
  const dls_partition *p = &b->model->partition;
  for (int k = 0; k < p->lets; k++) {
    const int let = p->let_order[k];
    if (!b->needed[let]) continue;
    const dls_expr e = dls_build_formula(&b->a, &b->model->source.lets.items[let].value);
    b->a.let_expr[let] = e < 0 ? 0 : e;
  }
}

// --- expressions taken apart ---

static unsigned char leaf_owner(const builder *b, const dls_node *node)
{
  if (node->op != DLS_OP_COORDINATE && node->op != DLS_OP_VELOCITY) return 0;
  return node->index < b->lagrangian->n ? OWN : FOREIGN;
}

static void set_owners(const builder *b, dls_expr last, unsigned char *owner)
{
  for (dls_expr e = 0; e <= last; e++) {
    const dls_node *node = dls_graph_node(b->a.graph, e);
    owner[e] = leaf_owner(b, node);
    if (node->a >= 0) owner[e] |= owner[node->a];
    if (node->b >= 0) owner[e] |= owner[node->b];
    if (node->c >= 0) owner[e] |= owner[node->c];
  }
}

// What the node is in the part. own: of the sums before it.
static dls_expr own_part(dls_expr e, const unsigned char *owner, const dls_expr *own)
{
  return e < 0 || owner[e] == OWN ? e : owner[e] == BOTH ? own[e] : 0;
}

// The summands of e that are the part's own; -1 when they cannot be told apart.
static dls_expr take_own(const builder *b, dls_expr e, unsigned char *owner, bool *summed,
                         dls_expr *own)
{
  dls_graph *graph = b->a.graph;
  set_owners(b, e, owner);
  summed[e] = true;
  for (dls_expr x = e; x >= 0; x--) {
    const dls_node *node = dls_graph_node(graph, x);
    if (!summed[x] || owner[x] != BOTH) continue;
    if (!dls_sum_splits(node, owner[node->a] != 0, node->b >= 0 && owner[node->b] != 0)) return -1;
    summed[node->a] = true;
    if (node->b >= 0) summed[node->b] = true;
  }
  for (dls_expr x = 0; x <= e; x++) {
    const dls_node node = *dls_graph_node(graph, x);
    if (!summed[x] || owner[x] != BOTH) continue;
    const bool scaled = node.op == DLS_OP_MUL || node.op == DLS_OP_DIV;
    const bool factor_a = scaled && owner[node.a] == 0, factor_b = scaled && owner[node.b] == 0;
    own[x] = dls_graph_make(graph, node.op, factor_a ? node.a : own_part(node.a, owner, own),
                            factor_b ? node.b : own_part(node.b, owner, own), -1);
  }
  return own_part(e, owner, own);
}

static dls_status project(const builder *b, dls_expr *e)
{
  const ptrdiff_t nodes = (ptrdiff_t)*e + 1;
  unsigned char *owner = dls_alloc(nodes, 1);
  bool *summed = dls_alloc(nodes, sizeof *summed);
  dls_expr *own = dls_alloc(nodes, sizeof *own);
  dls_status status = owner && summed && own ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) *e = take_own(b, *e, owner, summed, own);
  free(owner);
  free(summed);
  free(own);
  return status == DLS_OK && *e < 0 ? DLS_ERR_MODEL : status;
}

// --- the lagrangian ---

static dls_status add_terms(builder *b)
{
  dls_lagrangian *l = b->lagrangian;
  for (ptrdiff_t k = 0; k < b->count; k++) {
    const summand *x = &b->summands[k];
    const dls_keyword kind = x->term->kind;
    dls_expr e = dls_build_formula(&b->a, &x->formula);
    if (e < 0) return DLS_ERR_MEMORY;
    const dls_status status = x->mixed ? project(b, &e) : DLS_OK;
    if (status != DLS_OK) return status;
    if (x->minus) e = dls_graph_make(b->a.graph, DLS_OP_NEG, e, -1, -1);
    dls_expr *sum = kind == DLS_WORD_KINETIC       ? &l->kinetic
                    : kind == DLS_WORD_POTENTIAL   ? &l->potential
                    : kind == DLS_WORD_DISSIPATION ? &l->dissipation
                                                   : &b->force[b->a.local[x->term->target]];
    *sum = dls_graph_make(b->a.graph, DLS_OP_ADD, *sum, e, -1);
  }
  return DLS_OK;
}

// Nothing of the other parts is left: a tape would read beyond its coordinates.
static dls_status check_own(const builder *b)
{
  const dls_lagrangian *l = b->lagrangian;
  const int nodes = dls_graph_size(b->a.graph);
  unsigned char *owner = dls_alloc(nodes, 1);
  if (!owner) return DLS_ERR_MEMORY;
  set_owners(b, nodes - 1, owner);
  unsigned all = owner[l->kinetic] | owner[l->potential] | owner[l->dissipation];
  for (int i = 0; i < l->n; i++) all |= owner[l->force[i]];
  for (int j = 0; j < l->m; j++) {
    const dls_lagrangian_contact *c = &l->contacts[j];
    all |= owner[c->h];
    for (int k = 0; k < c->info.tangents; k++) all |= owner[c->slip[k]];
    if (c->friction >= 0) all |= owner[c->friction];
    if (c->static_friction >= 0) all |= owner[c->static_friction];
    if (c->restitution >= 0) all |= owner[c->restitution];
  }
  for (int k = 0; k < l->couplings; k++) all |= owner[l->coupling[k].value];
  free(owner);
  return all & FOREIGN ? DLS_ERR_MODEL : DLS_OK;
}

// The number of a contact among those of the part.
static int local_contact(const builder *b, int contact)
{
  int local = 0;
  for (int j = 0; j < contact; j++) local += b->model->partition.contact_part[j] == b->part;
  return local;
}

static dls_status add_couplings(builder *b)
{
  const dls_source *s = &b->model->source;
  dls_lagrangian *l = b->lagrangian;
  l->coupling = b->coupling;
  for (int k = 0; k < s->restitutions.count; k++) {
    const dls_restitution *r = &s->restitutions.items[k];
    const int row = r->contact[0], column = r->contact[1];
    if (row == column || b->model->partition.contact_part[row] != b->part) continue;
    const dls_expr e = dls_build_formula(&b->a, &r->value);
    if (e < 0) return DLS_ERR_MEMORY;
    b->coupling[l->couplings++] =
        (dls_lagrangian_coupling){{local_contact(b, row), local_contact(b, column)}, e};
  }
  return DLS_OK;
}

static dls_status build(builder *b)
{
  const dls_source *s = &b->model->source;
  if (!choose_terms(b)) return DLS_ERR_MEMORY;
  choose_lets(b);
  build_lets(b);
  dls_status status = add_terms(b);
  int m = 0;
  for (int j = 0; j < s->contacts.count && status == DLS_OK; j++)
    if (b->model->partition.contact_part[j] == b->part)
      dls_build_contact(&b->a, &s->contacts.items[j], &b->contacts[m++]);
  if (status == DLS_OK) status = add_couplings(b);
  if (b->a.status != DLS_OK) status = b->a.status;
  if (dls_graph_status(b->a.graph) != DLS_OK) status = dls_graph_status(b->a.graph);
  return status == DLS_OK ? check_own(b) : status;
}

// Sizes, names, and the numbers that coordinates get: those of other parts lie beyond n.
static bool prepare(builder *b, dls_arena *arena)
{
  const dls_partition *p = &b->model->partition;
  const dls_lagrangian *all = &b->model->equations.lagrangian;
  int n = 0, m = 0;
  for (int i = 0; i < all->n; i++) n += p->coordinate_part[i] == b->part;
  for (int j = 0; j < all->m; j++) m += p->contact_part[j] == b->part;
  const char **names = dls_arena_alloc(arena, (ptrdiff_t)n + 1, sizeof *names);
  int *local = dls_arena_alloc(arena, all->n, sizeof *local);
  b->force = dls_arena_alloc(arena, (ptrdiff_t)n + 1, sizeof *b->force);
  b->contacts = dls_arena_alloc(arena, (ptrdiff_t)m + 1, sizeof *b->contacts);
  const ptrdiff_t couplings = b->model->source.restitutions.count;
  b->coupling = dls_arena_alloc(arena, couplings + 1, sizeof *b->coupling);
  const ptrdiff_t lets = b->model->source.lets.count;
  b->a.let_expr = dls_alloc(lets, sizeof *b->a.let_expr);
  b->needed = dls_alloc(lets, sizeof *b->needed);
  if (!names || !local || !b->force || !b->contacts || !b->coupling || !b->a.let_expr || !b->needed)
    return false;
  for (int i = 0; i < all->n; i++) {
    local[i] = p->coordinate_part[i] == b->part ? p->local[i] : n + i;
    if (local[i] < n) names[local[i]] = all->coordinates[i];
  }
  b->a.local = local;
  *b->lagrangian = (dls_lagrangian){.n = n,
                                    .coordinates = names,
                                    .parameters = all->parameters,
                                    .force = b->force,
                                    .m = m,
                                    .contacts = b->contacts,
                                    .poisson = all->poisson};
  return true;
}

dls_status dls_part_build(const dls_model *model, int part, dls_arena *arena,
                          dls_equations *equations)
{
  // what is built reads the model, and reports nothing
  builder b = {.a = {.model = (dls_model *)model, .depends = model->depends},
               .model = model,
               .part = part,
               .lagrangian = &equations->lagrangian};
  dls_status status = dls_graph_create(&b.a.graph);
  if (status == DLS_OK) status = prepare(&b, arena) ? build(&b) : DLS_ERR_MEMORY;
  if (status == DLS_OK) status = dls_equations_compile(equations, b.a.graph);
  dls_graph_free(b.a.graph);
  free(b.a.let_expr);
  free(b.needed);
  free(b.summands);
  return status;
}
