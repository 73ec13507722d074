// Which coordinates act on one another.  eq (par.1)
//
// Two coordinates in one gap, slip, law or force are coupled. Energies are sums: what is added is
// looked at on its own, also below factors that depend on no coordinate; two coordinates in one
// summand are coupled. One pass over the nodes, users before what they use.
#include "base/memory.h"
#include "model/analysis.h"
#include "base/union_find.h"

#include <stdlib.h>

enum { UNSEEN, SUMMED, COUPLED };

typedef struct finder {
  const dls_graph *graph;
  int *some;            // per node: a coordinate below it, -1 when there is none
  unsigned char *role;  // per node
  int *parent;          // per coordinate: trees
} finder;

static void couple(const finder *f, int i, int j)
{
  if (i < 0 || j < 0) return;
  dls_unite(f->parent, i, j);
}

static void set_some(const finder *f)
{
  for (dls_expr e = 0; e < dls_graph_size(f->graph); e++) {
    const dls_node *node = dls_graph_node(f->graph, e);
    const dls_expr argument[3] = {node->a, node->b, node->c};
    f->some[e] = node->op == DLS_OP_COORDINATE || node->op == DLS_OP_VELOCITY ? node->index : -1;
    for (int k = 0; k < 3 && argument[k] >= 0 && f->some[e] < 0; k++)
      f->some[e] = f->some[argument[k]];
  }
}

// All coordinates below e are one with coordinate i.
static void tie(const finder *f, dls_expr e, int i)
{
  if (e < 0 || f->some[e] < 0) return;
  couple(f, f->some[e], i);
  f->role[e] = COUPLED;
}

bool dls_sum_splits(const dls_node *node, bool a_varies, bool b_varies)
{
  switch (node->op) {
  case DLS_OP_ADD:
  case DLS_OP_SUB:
  case DLS_OP_NEG: return true;
  case DLS_OP_MUL: return !a_varies || !b_varies;
  case DLS_OP_DIV: return !b_varies;
  default: return false;
  }
}

static void pass_down(const finder *f)
{
  for (dls_expr e = dls_graph_size(f->graph) - 1; e >= 0; e--) {
    const dls_node *node = dls_graph_node(f->graph, e);
    const dls_expr argument[3] = {node->a, node->b, node->c};
    if (f->role[e] == UNSEEN || f->some[e] < 0 || node->a < 0) continue;
    const bool splits =
        dls_sum_splits(node, f->some[node->a] >= 0, node->b >= 0 && f->some[node->b] >= 0);
    const bool summed = f->role[e] == SUMMED && splits;
    for (int k = 0; k < 3 && argument[k] >= 0; k++) {
      if (!summed) tie(f, argument[k], f->some[e]);
      else if (f->role[argument[k]] == UNSEEN) f->role[argument[k]] = SUMMED;
    }
  }
}

// The laws of impacts with several contacts: both contacts, and all that the value names.
static void tie_restitutions(const finder *f, const dls_analysis *a, const dls_lagrangian *l)
{
  const dls_source *s = &a->model->source;
  for (int k = 0; k < s->restitutions.count; k++) {
    const dls_restitution *r = &s->restitutions.items[k];
    const int i = f->some[l->contacts[r->contact[0]].h];
    couple(f, i, f->some[l->contacts[r->contact[1]].h]);
    for (int c = 0; c < r->value.count; c++) {
      const dls_instruction *code = &r->value.code[c];
      if (code->op != DLS_CODE_REFERENCE) continue;
      const int coordinate = code->index - dls_definition_coordinate(s, 0);
      if (coordinate >= 0 && code->index < dls_definition_time(s))
        couple(f, i, coordinate % s->coordinates.count);
      else if (coordinate < 0 && code->index >= dls_definition_let(s, 0))
        tie(f, a->let_expr[code->index - dls_definition_let(s, 0)], i);
    }
  }
}

// What tells the part of a contact: friction alone has no gap.
static dls_expr own_of(const dls_lagrangian_contact *c)
{
  return c->info.dry ? c->slip[0] : c->h;
}

static void find_trees(const finder *f, const dls_analysis *a, const dls_lagrangian *l)
{
  for (int i = 0; i < l->n; i++) f->parent[i] = i;
  set_some(f);
  f->role[l->kinetic] = f->role[l->potential] = f->role[l->dissipation] = SUMMED;
  for (int i = 0; i < l->n; i++) tie(f, l->force[i], i);
  for (int j = 0; j < l->m; j++) {
    const dls_lagrangian_contact *c = &l->contacts[j];
    const dls_expr list[] = {c->h,
                             c->info.tangents > 0 ? c->slip[0] : -1,
                             c->info.tangents > 1 ? c->slip[1] : -1,
                             c->friction,
                             c->static_friction,
                             c->restitution};
    for (ptrdiff_t k = 0; k < dls_count_of(list); k++) tie(f, list[k], f->some[own_of(c)]);
  }
  tie_restitutions(f, a, l);
  pass_down(f);
}

// Numbers in the order of the first coordinates, which are the roots of the trees.
static void number_parts(const finder *f, const dls_lagrangian *l, int *size, dls_partition *p)
{
  for (int i = 0; i < l->n; i++) {
    const int first = dls_class_of(f->parent, i);
    p->coordinate_part[i] = first == i ? p->parts++ : p->coordinate_part[first];
    p->local[i] = size[p->coordinate_part[i]]++;
  }
  for (int j = 0; j < l->m; j++)
    p->contact_part[j] = p->coordinate_part[f->some[own_of(&l->contacts[j])]];
}

// The part of two together.
static int join(int part, int other)
{
  return part == DLS_PART_NONE                     ? other
         : other == DLS_PART_NONE || other == part ? part
                                                   : DLS_PART_SEVERAL;
}

int dls_partition_of(const dls_model *model, const dls_instruction *code)
{
  const dls_source *s = &model->source;
  const int i = code->index;
  if (code->op != DLS_CODE_REFERENCE || i < dls_definition_let(s, 0) || i >= dls_definition_time(s))
    return DLS_PART_NONE;
  if (i < dls_definition_coordinate(s, 0))
    return model->partition.let_part[i - dls_definition_let(s, 0)];
  return model->partition
      .coordinate_part[(i - dls_definition_coordinate(s, 0)) % s->coordinates.count];
}

static int part_of(const dls_model *model, const dls_formula *f)
{
  int part = DLS_PART_NONE;
  for (int k = 0; k < f->count; k++) part = join(part, dls_partition_of(model, &f->code[k]));
  return part;
}

static void sort_statements(const dls_analysis *a, dls_partition *p)
{
  const dls_source *s = &a->model->source;
  for (int k = 0; k < a->ordered; k++) {
    const int let = a->order[k] - dls_definition_let(s, 0);
    if (let < 0 || let >= s->lets.count) continue;
    p->let_order[p->lets++] = let;
    p->let_part[let] = part_of(a->model, &s->lets.items[let].value);
  }
  for (int k = 0; k < s->terms.count; k++) {
    const dls_term *term = &s->terms.items[k];
    p->term_part[k] =
        term->target >= 0 ? p->coordinate_part[term->target] : part_of(a->model, &term->value);
  }
}

static bool take_memory(dls_model *model, const dls_lagrangian *l)
{
  const ptrdiff_t n = l->n, m = l->m;
  const ptrdiff_t lets = model->source.lets.count, terms = model->source.terms.count;
  dls_partition *p = &model->partition;
  int *memory = dls_arena_alloc(model->arena, 2 * n + m + 2 * lets + terms + 1, sizeof(int));
  if (!memory) return false;
  p->coordinate_part = memory, p->local = memory + n;
  p->contact_part = p->local + n;
  p->let_order = p->contact_part + m, p->let_part = p->let_order + lets;
  p->term_part = p->let_part + lets;
  return true;
}

bool dls_analyse_parts(dls_analysis *a, const dls_lagrangian *l)
{
  dls_model *model = a->model;
  const dls_graph *graph = model->equations.graph;
  const ptrdiff_t nodes = dls_graph_size(graph), n = l->n;
  finder f = {.graph = graph,
              .some = dls_alloc(nodes, sizeof *f.some),
              .role = dls_alloc(nodes, 1),
              .parent = dls_alloc(n, sizeof *f.parent)};
  int *size = dls_alloc(n, sizeof *size);
  const bool good = f.some && f.role && f.parent && size && take_memory(model, l);
  if (good) {
    find_trees(&f, a, l);
    number_parts(&f, l, size, &model->partition);
    sort_statements(a, &model->partition);
  }
  free(f.some);
  free(f.role);
  free(f.parent);
  free(size);
  return good;
}
