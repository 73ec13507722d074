// The derivatives of the equations of motion.  eq (dyn.2)
//
// The mass matrix is never formed: M a is the part of D[p] that has v' = a, and G lambda, H tau are
// gradients of sums. So all of R costs a few passes over the expressions, and each row of its
// derivatives one more.
#include "model/mechanics_derivative.h"
#include "model/native.h"
#include "model/nonfinite.h"
#include "model/tape.h"
#include "base/memory.h"
#include "base/message.h"
#include <stdlib.h>

// The outputs of the tape, in the order of dls_derivatives.
enum { R_Q, R_V, N_Q, N_V, T_Q, T_V, D_Q, S_Q, GROUPS };

enum { ENTRY_LIMIT = 50000000 };  // entries of all matrices together

struct dls_mechanics_derivative {
  int n, m, tangents, switches;
  const char *const *coordinates;
  const char **contact;       // names of the m contacts
  const char **slip_contact;  // the contact's name for each slip velocity
  int *p[GROUPS], *i[GROUPS];
  int first[GROUPS + 1];  // where each group of outputs begins
  unsigned char *free_q, *free_v;
  dls_derivative_patterns pattern;
  dls_tape *tape;
  dls_native *native;  // NULL: the tape alone
  double *slot;
};

// One matrix while it grows: the gradients of its expressions one behind the other.
typedef struct gradients {
  int *p;
  int *index;
  dls_expr *entry;
  ptrdiff_t index_capacity, entry_capacity;
} gradients;

typedef struct builder {
  dls_graph *graph;
  const dls_lagrangian *lagrangian;
  dls_mechanics_derivative *made;
  dls_expr *balance;                         // n: R
  dls_expr *free;                            // n: R without the forces of contacts with a law
  dls_expr *rate, *normal, *slip, *tangent;  // h_dot, N, s, T
  int *index;                                // n: one gradient
  dls_expr *derivative;
  dls_expr *out;
  ptrdiff_t out_count, out_capacity;
} builder;

static dls_expr make(const builder *b, dls_op op, dls_expr x, dls_expr y)
{
  return dls_graph_make(b->graph, op, x, y, -1);
}

// sum = sum + input * e
static dls_expr add_force(const builder *b, dls_expr sum, int input, dls_expr e)
{
  const dls_expr force = dls_graph_leaf(b->graph, DLS_OP_INPUT, input);
  return make(b, DLS_OP_ADD, sum, make(b, DLS_OP_MUL, force, e));
}

// R_i = R_i - de/dx_i
static void subtract_gradient(builder *b, dls_expr e, dls_op leaf, dls_expr *R)
{
  int count = dls_graph_gradient(b->graph, e, leaf, b->made->n, b->index, b->derivative);
  for (int k = 0; k < count; k++)
    R[b->index[k]] = make(b, DLS_OP_SUB, R[b->index[k]], b->derivative[k]);
}

static bool has_law(const dls_lagrangian_contact *contact)
{
  return contact->info.kind == DLS_UNILATERAL || contact->info.tangents > 0;
}

// The expressions to differentiate. The inputs are a, lambda, tau in this order.
static void build_expressions(builder *b)
{
  const dls_lagrangian *l = b->lagrangian;
  dls_graph *graph = b->graph;
  const int n = l->n, m = l->m;
  int slip = 0;
  dls_expr by_q = make(b, DLS_OP_SUB, l->kinetic, l->potential);
  dls_expr by_v = make(b, DLS_OP_NEG, l->dissipation, -1);
  dls_expr free_q = by_q, free_v = by_v;
  dls_graph_accelerate(graph);
  for (int k = 0; k < m; k++) {
    const dls_lagrangian_contact *contact = &l->contacts[k];
    dls_expr *by = contact->info.rolling ? &by_v : &by_q;
    dls_expr *free = contact->info.rolling ? &free_v : &free_q;
    b->rate[k] = dls_lagrangian_rate(graph, contact);
    b->normal[k] = dls_graph_time_derivative(graph, b->rate[k]);
    *by = add_force(b, *by, n + k, contact->h);
    if (!has_law(contact)) *free = add_force(b, *free, n + k, contact->h);
    for (int d = 0; d < contact->info.tangents; d++, slip++) {
      b->slip[slip] = contact->slip[d];
      b->tangent[slip] = dls_graph_time_derivative(graph, contact->slip[d]);
      by_v = add_force(b, by_v, n + m + slip, contact->slip[d]);
    }
  }
  int count = dls_graph_gradient(graph, l->kinetic, DLS_OP_VELOCITY, n, b->index, b->derivative);
  for (int k = 0; k < count; k++)
    b->balance[b->index[k]] = dls_graph_time_derivative(graph, b->derivative[k]);
  for (int i = 0; i < n; i++)
    b->free[i] = b->balance[i] = make(b, DLS_OP_SUB, b->balance[i], l->force[i]);
  subtract_gradient(b, by_q, DLS_OP_COORDINATE, b->balance);
  subtract_gradient(b, by_v, DLS_OP_VELOCITY, b->balance);
  subtract_gradient(b, free_q, DLS_OP_COORDINATE, b->free);
  subtract_gradient(b, free_v, DLS_OP_VELOCITY, b->free);
}

// The gradients of count expressions, as columns.
static dls_status differentiate(builder *b, const dls_expr *list, int count, dls_op leaf,
                                gradients *g)
{
  g->p = dls_alloc((ptrdiff_t)count + 1, sizeof *g->p);
  if (!g->p || dls_grow((void **)&g->index, &g->index_capacity, 1, sizeof *g->index) ||
      dls_grow((void **)&g->entry, &g->entry_capacity, 1, sizeof *g->entry))
    return DLS_ERR_MEMORY;
  for (int k = 0; k < count; k++) {
    int more = dls_graph_gradient(b->graph, list[k], leaf, b->made->n, b->index, b->derivative);
    const ptrdiff_t begin = g->p[k], needed = begin + more;
    const dls_status status = dls_graph_status(b->graph);
    if (status != DLS_OK) return status;
    if (b->out_count + needed > ENTRY_LIMIT) return DLS_ERR_LIMIT;
    if (dls_grow((void **)&g->index, &g->index_capacity, needed, sizeof *g->index) ||
        dls_grow((void **)&g->entry, &g->entry_capacity, needed, sizeof *g->entry))
      return DLS_ERR_MEMORY;
    for (int i = 0; i < more; i++) {
      g->index[begin + i] = b->index[i];
      g->entry[begin + i] = b->derivative[i];
    }
    g->p[k + 1] = (int)needed;
  }
  return DLS_OK;
}

// Rows to columns, of an n x n matrix.
static dls_status transpose(int n, gradients *g)
{
  const ptrdiff_t count = g->p[n];
  gradients t = {.p = dls_alloc((ptrdiff_t)n + 1, sizeof *t.p),
                 .index = dls_alloc(count, sizeof *t.index),
                 .entry = dls_alloc(count, sizeof *t.entry)};
  if (!t.p || !t.index || !t.entry) {
    free(t.p), free(t.index), free(t.entry);
    return DLS_ERR_MEMORY;
  }
  // p[j + 1] is where column j goes on, and in the end where it ends
  for (ptrdiff_t k = 0; k < count; k++)
    if (g->index[k] + 2 <= n) t.p[g->index[k] + 2]++;
  for (int j = 2; j <= n; j++) t.p[j] += t.p[j - 1];
  for (int i = 0; i < n; i++)
    for (int k = g->p[i]; k < g->p[i + 1]; k++) {
      const int to = t.p[g->index[k] + 1]++;
      t.index[to] = i;
      t.entry[to] = g->entry[k];
    }
  free(g->p), free(g->index), free(g->entry);
  *g = t;
  return DLS_OK;
}

static dls_status build_group(builder *b, int group, const dls_expr *list, int count, dls_op leaf)
{
  gradients g = {0};
  dls_status status = differentiate(b, list, count, leaf, &g);
  if (status == DLS_OK && group <= R_V) status = transpose(count, &g);
  if (status == DLS_OK) {
    const ptrdiff_t entries = g.p[count], needed = b->out_count + entries;
    b->made->first[group] = (int)b->out_count;
    if (dls_grow((void **)&b->out, &b->out_capacity, needed, sizeof *b->out))
      status = DLS_ERR_MEMORY;
    for (ptrdiff_t k = 0; k < entries && status == DLS_OK; k++) b->out[b->out_count++] = g.entry[k];
  }
  free(g.entry);
  b->made->p[group] = g.p;
  b->made->i[group] = g.index;
  return status;
}

static dls_status build_groups(builder *b)
{
  const int n = b->made->n, m = b->made->m, tangents = b->made->tangents;
  const struct {
    const dls_expr *list;
    int count;
    dls_op leaf;
  } groups[GROUPS] = {[R_Q] = {b->balance, n, DLS_OP_COORDINATE},
                      [R_V] = {b->balance, n, DLS_OP_VELOCITY},
                      [N_Q] = {b->normal, m, DLS_OP_COORDINATE},
                      [N_V] = {b->normal, m, DLS_OP_VELOCITY},
                      [T_Q] = {b->tangent, tangents, DLS_OP_COORDINATE},
                      [T_V] = {b->tangent, tangents, DLS_OP_VELOCITY},
                      [D_Q] = {b->rate, m, DLS_OP_COORDINATE},
                      [S_Q] = {b->slip, tangents, DLS_OP_COORDINATE}};
  dls_status status = DLS_OK;
  for (int g = 0; g < GROUPS && status == DLS_OK; g++)
    status = build_group(b, g, groups[g].list, groups[g].count, groups[g].leaf);
  b->made->first[GROUPS] = (int)b->out_count;
  return status;
}

// Which entries of dR/dx are also entries of the free motion's.
static dls_status mark_free(builder *b, int group, dls_op leaf, unsigned char **out)
{
  const int *p = b->made->p[group], *index = b->made->i[group], n = b->made->n;
  unsigned char *mark = dls_alloc((ptrdiff_t)p[n] + 1, 1);
  *out = mark;
  if (!mark) return DLS_ERR_MEMORY;
  for (int i = 0; i < n; i++) {
    const int count = dls_graph_gradient(b->graph, b->free[i], leaf, n, b->index, b->derivative);
    if (dls_graph_status(b->graph) != DLS_OK) return dls_graph_status(b->graph);
    for (int k = 0; k < count; k++)
      for (int e = p[b->index[k]]; e < p[b->index[k] + 1]; e++)
        if (index[e] == i) mark[e] = 1;
  }
  return DLS_OK;
}

// Does nothing of the balance and the constraints depend on time?
static bool is_steady(const builder *b)
{
  const dls_lagrangian *l = b->lagrangian;
  unsigned depends = 0;
  for (int i = 0; i < l->n; i++) depends |= dls_graph_depends(b->graph, b->balance[i]);
  for (int k = 0; k < l->m; k++)
    depends |=
        dls_graph_depends(b->graph, l->contacts[k].h) | dls_graph_depends(b->graph, b->normal[k]);
  for (int k = 0; k < l->switches; k++) depends |= dls_graph_depends(b->graph, l->decides[k]);
  for (int k = 0; k < b->made->tangents; k++)
    depends |= dls_graph_depends(b->graph, b->slip[k]) | dls_graph_depends(b->graph, b->tangent[k]);
  return (depends & DLS_ON_TIME) == 0;
}

// Do friction and restitution depend on parameters alone?
static bool has_constant_laws(const builder *b)
{
  const dls_lagrangian *l = b->lagrangian;
  unsigned depends = 0;
  for (int k = 0; k < l->m; k++) {
    const dls_expr law[] = {l->contacts[k].friction, l->contacts[k].static_friction,
                            l->contacts[k].restitution};
    for (int i = 0; i < 3; i++)
      if (law[i] >= 0) depends |= dls_graph_depends(b->graph, law[i]);
  }
  return (depends & (DLS_ON_TIME | DLS_ON_COORDINATES | DLS_ON_VELOCITIES)) == 0;
}

static dls_status prepare(builder *b)
{
  const dls_lagrangian *l = b->lagrangian;
  dls_mechanics_derivative *made = b->made;
  const ptrdiff_t n = l->n, m = l->m;
  made->n = l->n;
  made->m = l->m;
  made->switches = l->switches;
  made->coordinates = l->coordinates;
  for (ptrdiff_t k = 0; k < m; k++) made->tangents += l->contacts[k].info.tangents;
  const ptrdiff_t tangents = made->tangents;
  made->contact = dls_alloc(m, sizeof *made->contact);
  made->slip_contact = dls_alloc(tangents, sizeof *made->slip_contact);
  b->balance = dls_alloc(n, sizeof *b->balance);
  b->free = dls_alloc(n, sizeof *b->free);
  b->rate = dls_alloc(m, sizeof *b->rate);
  b->normal = dls_alloc(m, sizeof *b->normal);
  b->slip = dls_alloc(tangents, sizeof *b->slip);
  b->tangent = dls_alloc(tangents, sizeof *b->tangent);
  b->index = dls_alloc(n, sizeof *b->index);
  b->derivative = dls_alloc(n, sizeof *b->derivative);
  if (!made->contact || !made->slip_contact || !b->balance || !b->free || !b->rate || !b->normal ||
      !b->slip || !b->tangent || !b->index || !b->derivative)
    return DLS_ERR_MEMORY;
  for (ptrdiff_t k = 0, slip = 0; k < m; k++) {
    made->contact[k] = l->contacts[k].info.name;
    for (int d = 0; d < l->contacts[k].info.tangents; d++)
      made->slip_contact[slip++] = made->contact[k];
  }
  return DLS_OK;
}

static void describe(dls_mechanics_derivative *d)
{
  const int n = d->n, m = d->m, tangents = d->tangents;
  d->pattern = (dls_derivative_patterns){.R_q = {n, n, d->p[R_Q], d->i[R_Q]},
                                         .R_v = {n, n, d->p[R_V], d->i[R_V]},
                                         .N_q = {n, m, d->p[N_Q], d->i[N_Q]},
                                         .N_v = {n, m, d->p[N_V], d->i[N_V]},
                                         .T_q = {n, tangents, d->p[T_Q], d->i[T_Q]},
                                         .T_v = {n, tangents, d->p[T_V], d->i[T_V]},
                                         .D_q = {n, m, d->p[D_Q], d->i[D_Q]},
                                         .S_q = {n, tangents, d->p[S_Q], d->i[S_Q]},
                                         .free_q = d->free_q,
                                         .free_v = d->free_v};
}

static dls_status build(builder *b)
{
  const dls_lagrangian *l = b->lagrangian;
  dls_mechanics_derivative *made = b->made;
  dls_status status = prepare(b);
  if (status != DLS_OK) return status;
  build_expressions(b);
  status = dls_graph_status(b->graph);
  if (status == DLS_OK) status = build_groups(b);
  if (status == DLS_OK) status = mark_free(b, R_Q, DLS_OP_COORDINATE, &made->free_q);
  if (status == DLS_OK) status = mark_free(b, R_V, DLS_OP_VELOCITY, &made->free_v);
  if (status == DLS_OK)
    status = dls_tape_compile(b->graph, l->n, l->parameters,
                              made->n + made->m + made->tangents + made->switches, b->out,
                              (int)b->out_count, &made->tape);
  if (status != DLS_OK) return status;
  made->slot = dls_alloc(dls_tape_slots(made->tape), sizeof *made->slot);
  describe(made);
  made->pattern.steady = is_steady(b);
  made->pattern.constant_laws = has_constant_laws(b);
  return made->slot ? DLS_OK : DLS_ERR_MEMORY;
}

dls_status dls_mechanics_derivative_compile(dls_graph *graph, const dls_lagrangian *lagrangian,
                                            dls_mechanics_derivative **derivative)
{
  *derivative = NULL;
  builder b = {.graph = graph, .lagrangian = lagrangian, .made = dls_alloc(1, sizeof *b.made)};
  if (!b.made) return DLS_ERR_MEMORY;
  const dls_status status = build(&b);
  free(b.balance);
  free(b.free);
  free(b.rate);
  free(b.normal);
  free(b.slip);
  free(b.tangent);
  free(b.index);
  free(b.derivative);
  free(b.out);
  if (status == DLS_OK) *derivative = b.made;
  else dls_mechanics_derivative_free(b.made);
  return status;
}

void dls_mechanics_derivative_free(dls_mechanics_derivative *derivative)
{
  if (!derivative) return;
  for (int g = 0; g < GROUPS; g++) {
    free(derivative->p[g]);
    free(derivative->i[g]);
  }
  free(derivative->free_q);
  free(derivative->free_v);
  free(derivative->contact);
  free(derivative->slip_contact);
  free(derivative->slot);
  dls_native_free(derivative->native);
  dls_tape_free(derivative->tape);
  free(derivative);
}

const dls_derivative_patterns *dls_mechanics_derivative_patterns(
    const dls_mechanics_derivative *derivative)
{
  return &derivative->pattern;
}

void dls_mechanics_derivative_start(dls_mechanics_derivative *derivative, const double *parameters)
{
  dls_tape_start(derivative->tape, parameters, derivative->slot);
  if (derivative->native) dls_native_start(derivative->native, parameters);
}

dls_status dls_mechanics_derivative_native(dls_mechanics_derivative *derivative,
                                           const dls_native_cache *cache, dls_message *message)
{
  return derivative->native
             ? DLS_OK
             : dls_native_create(derivative->tape, cache, &derivative->native, message);
}

// Inputs from `first` on, wherever they are read.
static bool set_input(dls_mechanics_derivative *d, int first, int count, const double *x)
{
  return d->native ? dls_native_input(d->native, first, count, x)
                   : dls_tape_input(d->tape, first, count, x, d->slot);
}

void dls_mechanics_derivative_set_branches(dls_mechanics_derivative *d, const double *branch)
{
  set_input(d, d->n + d->m + d->tangents, d->switches, branch);
}

static dls_status fail_input(const dls_mechanics_derivative *d, const double *a,
                             const double *lambda, const double *tau, dls_message *message)
{
  int k = dls_nonfinite_find(a, d->n);
  if (k >= 0)
    return dls_fail(message, DLS_ERR_NUMBER, "the acceleration of %s is %s", d->coordinates[k],
                    dls_nonfinite_word(a[k]));
  k = dls_nonfinite_find(lambda, d->m);
  if (k >= 0)
    return dls_fail(message, DLS_ERR_NUMBER, "the normal force of contact `%s` is %s",
                    d->contact[k], dls_nonfinite_word(lambda[k]));
  k = dls_nonfinite_find(tau, d->tangents);
  return dls_fail(message, DLS_ERR_NUMBER, "the tangential force of contact `%s` is %s",
                  d->slip_contact[k], dls_nonfinite_word(tau[k]));
}

static dls_status fail_value(const dls_mechanics_derivative *d, int group, int k, double value,
                             dls_message *message)
{
  static const char *const what[GROUPS] = {
      [R_Q] = "the force balance",           [R_V] = "the force balance",
      [N_Q] = "the normal acceleration",     [N_V] = "the normal acceleration",
      [T_Q] = "the tangential acceleration", [T_V] = "the tangential acceleration",
      [D_Q] = "the rate of the gap",         [S_Q] = "the slip velocity"};
  const bool square = group <= R_V, normal = group == N_Q || group == N_V || group == D_Q;
  const bool velocity = group == R_V || group == N_V || group == T_V;
  const int cols = square ? d->n : normal ? d->m : d->tangents;
  const int row = d->i[group][k], column = dls_nonfinite_column(d->p[group], cols, k);
  const char *by = velocity ? "the velocity of " : "", *word = dls_nonfinite_word(value);
  if (square)
    return dls_fail(message, DLS_ERR_NUMBER, "the derivative of %s of %s by %s%s is %s",
                    what[group], d->coordinates[row], by, d->coordinates[column], word);
  return dls_fail(message, DLS_ERR_NUMBER, "the derivative of %s of contact `%s` by %s%s is %s",
                  what[group], (normal ? d->contact : d->slip_contact)[column], by,
                  d->coordinates[row], word);
}

dls_status dls_mechanics_derivative_evaluate(dls_mechanics_derivative *d, double t, const double *q,
                                             const double *v, const double *a, const double *lambda,
                                             const double *tau, const dls_derivatives *out,
                                             dls_message *message)
{
  bool finite = set_input(d, 0, d->n, a);
  finite = set_input(d, d->n, d->m, lambda) && finite;
  finite = set_input(d, d->n + d->m, d->tangents, tau) && finite;
  if (!finite) return fail_input(d, a, lambda, tau, message);
  if (!(d->native ? dls_native_run(d->native, t, q, v) : dls_tape_run(d->tape, t, q, v, d->slot)))
    return dls_nonfinite_state(d->coordinates, d->n, t, q, v, message);

  double *const list[GROUPS] = {out->R_q, out->R_v, out->N_q, out->N_v,
                                out->T_q, out->T_v, out->D_q, out->S_q};
  finite = d->native ? dls_native_gather_groups(d->native, GROUPS, d->first, list)
                     : dls_tape_gather_groups(d->tape, GROUPS, d->first, d->slot, list);
  for (int g = 0; g < GROUPS && !finite; g++) {
    const int k = dls_nonfinite_find(list[g], d->first[g + 1] - d->first[g]);
    if (k >= 0) return fail_value(d, g, k, list[g][k], message);
  }
  return DLS_OK;
}
