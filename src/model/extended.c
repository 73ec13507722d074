#include "model/extended.h"

#include "base/memory.h"

#include <stdlib.h>

typedef struct builder {
  const dls_instance *instance;
  const dls_model *model;
  dls_extended *made;
  dls_graph *graph;
  const int *parameter;
  dls_expr *of;   // per parameter: what stands for it; -1: itself
  dls_expr *now;  // per node: what stands for it
  ptrdiff_t capacity;
  dls_expr *list;  // outputs of the tape of laws
  ptrdiff_t listed, room;
  ptrdiff_t indices;
} builder;

// --- parameters become coordinates ---

static dls_expr now_of(const builder *b, dls_expr e)
{
  return e < 0 ? -1 : b->now[e];
}

// What stands for each node up to the last, with the parameters as they are known.
static bool map(builder *b, dls_expr last)
{
  if (dls_grow((void **)&b->now, &b->capacity, (ptrdiff_t)last + 1, sizeof *b->now)) return false;
  for (dls_expr e = 0; e <= last; e++) {
    const dls_node node = *dls_graph_node(b->graph, e);
    b->now[e] = e;
    if (node.op == DLS_OP_PARAMETER && b->of[node.index] >= 0) b->now[e] = b->of[node.index];
    if (node.op == DLS_OP_TIME)
      b->now[e] = dls_graph_leaf(b->graph, DLS_OP_COORDINATE, b->made->n + b->made->count);
    const dls_expr x = now_of(b, node.a), y = now_of(b, node.b), z = now_of(b, node.c);
    if (x != node.a || y != node.b || z != node.c)
      b->now[e] = dls_graph_make(b->graph, node.op, x, y, z);
  }
  return true;
}

static int chosen(const builder *b, int parameter)
{
  for (int k = 0; k < b->made->count; k++)
    if (b->parameter[k] == parameter) return k;
  return -1;
}

// Parameters that are defined by those that were chosen follow them, unless they were set apart.
static dls_status map_parameters(builder *b)
{
  const dls_source *s = &b->model->source;
  dls_analysis a = {
      .model = (dls_model *)b->model, .depends = b->model->depends, .graph = b->graph};
  for (int round = 0, found = 1; found && round <= s->parameters.count; round++) {
    found = 0;
    for (int j = 0; j < s->parameters.count; j++) {
      if (b->of[j] >= 0) continue;
      const int k = chosen(b, j);
      if (k >= 0) {
        b->of[j] = dls_graph_leaf(b->graph, DLS_OP_COORDINATE, b->made->n + k);
        found = 1;
        continue;
      }
      const dls_formula *f = &s->parameters.items[j].value;
      bool follows = false;
      for (int i = 0; i < f->count && f->code; i++)
        if (f->code[i].op == DLS_CODE_REFERENCE && f->code[i].index < s->parameters.count)
          follows |= b->of[f->code[i].index] >= 0;
      if (!follows || b->instance->set[j]) continue;
      const dls_expr e = dls_build_formula(&a, f);
      if (e < 0 || !map(b, e)) return DLS_ERR_MEMORY;
      b->of[j] = b->now[e];
      found = 1;
    }
  }
  return dls_graph_status(b->graph);
}

static bool map_lagrangian(builder *b)
{
  const dls_lagrangian *l = &b->model->equations.lagrangian;
  dls_extended *x = b->made;
  dls_lagrangian *out = &x->equations.lagrangian;
  const ptrdiff_t n = (ptrdiff_t)l->n + x->count + 1;
  const char **names = dls_arena_alloc(x->arena, n, sizeof *names);
  dls_expr *force = dls_arena_alloc(x->arena, n, sizeof *force);
  dls_lagrangian_contact *contacts =
      dls_arena_alloc(x->arena, (ptrdiff_t)l->m + 1, sizeof *contacts);
  dls_lagrangian_coupling *coupling =
      dls_arena_alloc(x->arena, (ptrdiff_t)l->couplings + 1, sizeof *coupling);
  if (!names || !force || !contacts || !coupling || !map(b, dls_graph_size(b->graph) - 1))
    return false;
  for (int i = 0; i < l->n; i++) names[i] = l->coordinates[i], force[i] = b->now[l->force[i]];
  for (int k = 0; k < x->count; k++) {
    names[l->n + k] = dls_model_parameter_name(b->model, b->parameter[k]);
    force[l->n + k] = dls_graph_constant(b->graph, 0);
  }
  names[n - 1] = "t";
  force[n - 1] = dls_graph_constant(b->graph, 0);
  for (int j = 0; j < l->m; j++) {
    contacts[j] = l->contacts[j];
    contacts[j].h = b->now[l->contacts[j].h];
    for (int d = 0; d < contacts[j].info.tangents; d++)
      contacts[j].slip[d] = b->now[l->contacts[j].slip[d]];
    contacts[j].friction = now_of(b, l->contacts[j].friction);
    contacts[j].static_friction = now_of(b, l->contacts[j].static_friction);
    contacts[j].restitution = now_of(b, l->contacts[j].restitution);
  }
  for (int k = 0; k < l->couplings; k++) {
    coupling[k] = l->coupling[k];
    coupling[k].value = b->now[l->coupling[k].value];
  }
  *out = *l;
  out->n = (int)n, out->coordinates = names, out->force = force;
  out->kinetic = b->now[l->kinetic], out->potential = b->now[l->potential];
  out->dissipation = b->now[l->dissipation];
  out->contacts = contacts, out->coupling = coupling;
  return true;
}

// --- the laws ---

static bool add_gradient(builder *b, dls_expr e, dls_op leaf, int place)
{
  dls_extended *x = b->made;
  const int n = x->n + x->count + 1;
  int *index = dls_alloc(n, sizeof *index);
  dls_expr *derivative = dls_alloc(n, sizeof *derivative);
  const int count = index && derivative && e >= 0
                        ? dls_graph_gradient(b->graph, e, leaf, n, index, derivative)
                        : 0;
  bool good = index && derivative;
  good = good && !dls_grow((void **)&b->list, &b->room, b->listed + count + 1, sizeof *b->list);
  good =
      good && !dls_grow((void **)&x->index, &b->indices, b->listed + count + 1, sizeof *x->index);
  for (int k = 0; k < count && good; k++) {
    x->index[b->listed] = index[k];
    b->list[b->listed++] = derivative[k];
  }
  x->first[place + 1] = (int)b->listed;
  free(index);
  free(derivative);
  return good;
}

// Gradients of the laws, and of what forces decide by.
static dls_status build_laws(builder *b)
{
  dls_extended *x = b->made;
  const dls_lagrangian *l = &x->equations.held;
  x->first = dls_alloc(4 * (ptrdiff_t)x->m + 2 * (ptrdiff_t)l->switches + 1, sizeof *x->first);
  bool good = x->first != NULL;
  for (int j = 0; j < x->m && good; j++) {
    const dls_expr law[2] = {l->contacts[j].friction, l->contacts[j].restitution};
    for (int k = 0; k < 2 && good; k++)
      good = add_gradient(b, law[k], DLS_OP_COORDINATE, 4 * j + 2 * k) &&
             add_gradient(b, law[k], DLS_OP_VELOCITY, 4 * j + 2 * k + 1);
  }
  for (int k = 0; k < l->switches && good; k++)
    good = add_gradient(b, l->decides[k], DLS_OP_COORDINATE, 4 * x->m + 2 * k) &&
           add_gradient(b, l->decides[k], DLS_OP_VELOCITY, 4 * x->m + 2 * k + 1);
  if (!good) return DLS_ERR_MEMORY;
  const dls_status status =
      dls_tape_compile(b->graph, l->n, l->parameters, 0, b->list, (int)b->listed, &x->laws);
  if (status != DLS_OK) return status;
  x->slot = dls_alloc(dls_tape_slots(x->laws), sizeof *x->slot);
  x->gradient = dls_alloc(b->listed, sizeof *x->gradient);
  return x->slot && x->gradient ? DLS_OK : DLS_ERR_MEMORY;
}

// --- life ---

static dls_status build(builder *b)
{
  dls_extended *x = b->made;
  const double *values = b->instance->parameters;
  dls_status status = map_parameters(b);
  if (status == DLS_OK && !map_lagrangian(b)) status = DLS_ERR_MEMORY;
  if (status == DLS_OK) status = dls_graph_status(b->graph);
  if (status == DLS_OK) status = dls_equations_compile(&x->equations, b->graph);
  if (status == DLS_OK) status = build_laws(b);
  if (status == DLS_OK) status = dls_mechanics_work_create(x->equations.mechanics, &x->work);
  dls_graph *graph = NULL;
  if (status == DLS_OK) status = dls_graph_copy(x->equations.graph, &graph);
  if (status == DLS_OK)
    status = dls_mechanics_derivative_compile(graph, &x->equations.held, &x->derivative);
  dls_graph_free(graph);
  if (status == DLS_OK)
    status = dls_branches_create(x->equations.switching, &x->equations.held, &x->branches);
  if (status != DLS_OK) return status;
  if (x->branches) dls_branches_start(x->branches, values);
  dls_mechanics_set_parameters(x->work, values);
  dls_mechanics_derivative_start(x->derivative, values);
  dls_tape_start(x->laws, values, x->slot);
  dls_mechanics_describe(x->equations.mechanics, &x->system);
  x->system.derivative = dls_mechanics_derivative_patterns(x->derivative);
  return DLS_OK;
}

dls_status dls_extended_create(const dls_instance *instance, int count, const int *parameter,
                               dls_extended **out)
{
  const dls_model *model = instance->model;
  *out = NULL;
  dls_extended *x = dls_alloc(1, sizeof *x);
  if (!x) return DLS_ERR_MEMORY;
  builder b = {.instance = instance, .model = model, .made = x, .parameter = parameter};
  const ptrdiff_t parameters = model->source.parameters.count;
  x->n = model->equations.lagrangian.n, x->m = model->equations.lagrangian.m, x->count = count;
  x->arena = dls_arena_create();
  b.of = dls_alloc(parameters, sizeof *b.of);
  dls_status status = x->arena && b.of ? DLS_OK : DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < parameters && status == DLS_OK; j++) b.of[j] = -1;
  if (status == DLS_OK) status = dls_graph_copy(model->equations.graph, &b.graph);
  if (status == DLS_OK) status = build(&b);
  dls_graph_free(b.graph);
  free(b.of);
  free(b.now);
  free(b.list);
  if (status == DLS_OK) *out = x;
  else dls_extended_free(x);
  return status;
}

void dls_extended_free(dls_extended *x)
{
  if (!x) return;
  dls_mechanics_derivative_free(x->derivative);
  dls_mechanics_work_free(x->work);
  dls_branches_free(x->branches);
  dls_equations_free(&x->equations);
  dls_tape_free(x->laws);
  free(x->slot);
  free(x->first);
  free(x->index);
  free(x->gradient);
  dls_arena_free(x->arena);
  free(x);
}

// --- at a point ---

static double time_of(const dls_extended *x, const double *q)
{
  return q[x->n + x->count];
}

dls_status dls_extended_hold(const dls_extended *x, const double *q, const double *v)
{
  dls_branches *b = x->branches;
  if (!b) return DLS_OK;
  const dls_status status = dls_branches_at(b, time_of(x, q), q, v, b->branch, NULL);
  if (status != DLS_OK) return status;
  dls_mechanics_set_branches(x->work, b->branch);
  dls_mechanics_derivative_set_branches(x->derivative, b->branch);
  return DLS_OK;
}

dls_status dls_extended_evaluate(const dls_extended *x, const double *q, const double *v,
                                 const dls_values *values)
{
  return dls_mechanics_evaluate(x->work, time_of(x, q), q, v, values, NULL, NULL);
}

dls_status dls_extended_differentiate(const dls_extended *x, const double *q, const double *v,
                                      const double *a, const double *lambda, const double *tau,
                                      const dls_derivatives *out)
{
  return dls_mechanics_derivative_evaluate(x->derivative, time_of(x, q), q, v, a, lambda, tau, out,
                                           NULL);
}

dls_status dls_extended_laws(const dls_extended *x, const double *q, const double *v)
{
  const int count = x->first[4 * x->m + 2 * x->equations.held.switches];
  if (!dls_tape_run(x->laws, time_of(x, q), q, v, x->slot)) return DLS_ERR_NUMBER;
  return dls_tape_gather(x->laws, 0, count, x->slot, x->gradient) ? DLS_OK : DLS_ERR_NUMBER;
}

// Gradients by coordinates and by velocities stand one behind the other.
static double change(const dls_extended *x, int place, const double *dq, const double *dv)
{
  double sum = 0;
  const int *first = x->first + place;
  for (int k = first[0]; k < first[1]; k++) sum += x->gradient[k] * dq[x->index[k]];
  for (int k = first[1]; k < first[2]; k++) sum += x->gradient[k] * dv[x->index[k]];
  return sum;
}

double dls_extended_law_change(const dls_extended *x, int coefficient, int j, const double *dq,
                               const double *dv)
{
  return change(x, 4 * j + 2 * coefficient, dq, dv);
}

double dls_extended_switch_change(const dls_extended *x, int k, const double *dq, const double *dv)
{
  return change(x, 4 * x->m + 2 * k, dq, dv);
}
