// The equations of motion from the Lagrangian's expressions.  eq (mod.1), eq (mod.2)
#include "model/mechanics.h"
#include "model/native.h"
#include "model/nonfinite.h"
#include "model/tape.h"
#include "base/memory.h"
#include "base/message.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

// The outputs of the tape, in the order of dls_values.
enum {
  MASS,
  FORCE,
  GAP,
  RATE,
  NORMAL,
  NORMAL_BIAS,
  SLIP,
  TANGENT,
  TANGENT_BIAS,
  FRICTION,
  RESTITUTION,
  COUPLING,
  FRICTION_FORCE,
  STATIC_FRICTION,
  GROUPS
};

struct dls_mechanics {
  int n, m, tangents, parameters, couplings, switches;
  bool poisson;
  const char *const *coordinates;
  dls_contact_info *contacts;
  dls_coupling *coupling;
  int *slip_contact;  // the contact of each slip velocity
  int *mass_p, *mass_i, *normal_p, *normal_i, *tangent_p, *tangent_i;
  int first[GROUPS + 1];  // where each group of outputs begins
  dls_tape *tape;
};

struct dls_mechanics_work {
  const dls_mechanics *mechanics;
  double *slot, *error;
  dls_native *native;  // NULL: the tape alone
  dls_values joined;   // arrays that were found to lie one behind the other
  int errors_from;     // of coordinates from there on errors are given
  const double *q_error, *v_error;
};

// A list of expressions that grows: the outputs.
typedef struct outputs {
  dls_expr *list;
  ptrdiff_t count, capacity;
} outputs;

typedef struct builder {
  dls_graph *graph;
  const dls_lagrangian *lagrangian;
  dls_mechanics *mechanics;
  outputs out;
  int *index;  // n: one gradient
  dls_expr *derivative;
  dls_expr *momentum;  // n
  // rows of M as gradients of the momenta
  int *row_begin;
  outputs row_index, row_entry;
} builder;

static int append(outputs *out, dls_expr e)
{
  if (dls_grow((void **)&out->list, &out->capacity, out->count + 1, sizeof *out->list)) return -1;
  out->list[out->count++] = e;
  return 0;
}

static void begin(builder *b, int group)
{
  b->mechanics->first[group] = (int)b->out.count;
}

// Gradient of e spread over n entries.
static void gradient(builder *b, dls_expr e, dls_op leaf, dls_expr *full)
{
  int count = dls_graph_gradient(b->graph, e, leaf, b->lagrangian->n, b->index, b->derivative);
  for (int k = 0; k < count; k++) full[b->index[k]] = b->derivative[k];
}

// M = dp/dv by rows.
static int build_rows(builder *b)
{
  int n = b->lagrangian->n;
  gradient(b, b->lagrangian->kinetic, DLS_OP_VELOCITY, b->momentum);
  for (int i = 0; i < n; i++) {
    int count =
        dls_graph_gradient(b->graph, b->momentum[i], DLS_OP_VELOCITY, n, b->index, b->derivative);
    b->row_begin[i] = (int)b->row_index.count;
    for (int k = 0; k < count; k++)
      if (append(&b->row_index, b->index[k]) || append(&b->row_entry, b->derivative[k])) return -1;
  }
  b->row_begin[n] = (int)b->row_index.count;
  return 0;
}

// M_ij, 0 where it vanishes.
static dls_expr entry(const builder *b, int i, int j)
{
  int low = b->row_begin[i], high = b->row_begin[i + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (b->row_index.list[middle] == j) return b->row_entry.list[middle];
    if (b->row_index.list[middle] < j) low = middle + 1;
    else high = middle;
  }
  return 0;
}

// The mass pattern in columns. M is symmetric: both M_ij and M_ji stand for the expression in the
// lower triangle, and where one of the two simplifies to zero, so is the other.
static int build_mass(builder *b)
{
  int n = b->lagrangian->n;
  outputs rows = {0};
  begin(b, MASS);
  for (int j = 0; j < n; j++) {
    b->mechanics->mass_p[j] = (int)rows.count;
    bool diagonal = false;
    for (int k = b->row_begin[j]; k <= b->row_begin[j + 1]; k++) {
      int i = k < b->row_begin[j + 1] ? b->row_index.list[k] : n;
      if (i >= j && !diagonal) {
        diagonal = true;
        if (append(&rows, j) || append(&b->out, entry(b, j, j))) goto failed;
      }
      if (i == j || i == n) continue;
      dls_expr low = i > j ? entry(b, i, j) : b->row_entry.list[k];
      if (low == 0 || (i < j && entry(b, i, j) == 0)) continue;
      if (append(&rows, i) || append(&b->out, low)) goto failed;
    }
  }
  b->mechanics->mass_p[n] = (int)rows.count;
  b->mechanics->mass_i = rows.list;
  return 0;
failed:
  free(rows.list);
  return -1;
}

// F = D[p] - dT/dq + dV/dq + dR/dv - Q.  eq (mod.1)
static int build_force(builder *b)
{
  const dls_lagrangian *l = b->lagrangian;
  dls_graph *graph = b->graph;
  ptrdiff_t n = l->n;
  dls_expr *part = dls_alloc(3 * n, sizeof *part);
  if (!part) return -1;
  gradient(b, l->kinetic, DLS_OP_COORDINATE, part);
  gradient(b, l->potential, DLS_OP_COORDINATE, part + n);
  gradient(b, l->dissipation, DLS_OP_VELOCITY, part + 2 * n);
  begin(b, FORCE);
  int failed = 0;
  for (ptrdiff_t i = 0; i < n && !failed; i++) {
    dls_expr f = dls_graph_time_derivative(graph, b->momentum[i]);
    f = dls_graph_make(graph, DLS_OP_SUB, f, part[i], -1);
    f = dls_graph_make(graph, DLS_OP_ADD, f, part[n + i], -1);
    f = dls_graph_make(graph, DLS_OP_ADD, f, part[2 * n + i], -1);
    f = dls_graph_make(graph, DLS_OP_SUB, f, l->force[i], -1);
    failed = append(&b->out, f);
  }
  free(part);
  return failed;
}

// One column of G or H per expression.
static int build_column(builder *b, dls_expr e, dls_op leaf, outputs *rows)
{
  int count = dls_graph_gradient(b->graph, e, leaf, b->lagrangian->n, b->index, b->derivative);
  for (int k = 0; k < count; k++)
    if (append(rows, b->index[k]) || append(&b->out, b->derivative[k])) return -1;
  return 0;
}

dls_expr dls_lagrangian_rate(dls_graph *graph, const dls_lagrangian_contact *contact)
{
  return contact->info.rolling ? contact->h : dls_graph_time_derivative(graph, contact->h);
}

// h, h_dot = D[h], G = dh/dq, b_n = D[h_dot].  eq (mod.2), eq (rol.1)
static int build_normals(builder *b)
{
  const dls_lagrangian *l = b->lagrangian;
  outputs rows = {0};
  int failed = 0;
  begin(b, GAP);
  for (int k = 0; k < l->m && !failed; k++)
    failed = append(&b->out, l->contacts[k].info.rolling ? 0 : l->contacts[k].h);
  begin(b, RATE);
  for (int k = 0; k < l->m && !failed; k++)
    failed = append(&b->out, dls_lagrangian_rate(b->graph, &l->contacts[k]));
  begin(b, NORMAL);
  for (int k = 0; k < l->m && !failed; k++) {
    b->mechanics->normal_p[k] = (int)rows.count;
    const dls_op leaf = l->contacts[k].info.rolling ? DLS_OP_VELOCITY : DLS_OP_COORDINATE;
    failed = build_column(b, l->contacts[k].h, leaf, &rows);
  }
  b->mechanics->normal_p[l->m] = (int)rows.count;
  b->mechanics->normal_i = rows.list;
  begin(b, NORMAL_BIAS);
  for (int k = 0; k < l->m && !failed; k++) {
    dls_expr rate = dls_lagrangian_rate(b->graph, &l->contacts[k]);
    failed = append(&b->out, dls_graph_time_derivative(b->graph, rate));
  }
  return failed;
}

// The slip velocity s of each slip, H = ds/dv, b_t = D[s].  eq (mod.2)
static int build_tangents(builder *b)
{
  const dls_lagrangian *l = b->lagrangian;
  dls_mechanics *mechanics = b->mechanics;
  outputs rows = {0};
  int failed = 0;
  begin(b, SLIP);
  for (int k = 0; k < l->m && !failed; k++)
    for (int d = 0; d < l->contacts[k].info.tangents && !failed; d++)
      failed = append(&b->out, l->contacts[k].slip[d]);
  begin(b, TANGENT);
  int slip = 0;
  for (int k = 0; k < l->m && !failed; k++)
    for (int d = 0; d < l->contacts[k].info.tangents && !failed; d++) {
      mechanics->slip_contact[slip] = k;
      mechanics->tangent_p[slip++] = (int)rows.count;
      failed = build_column(b, l->contacts[k].slip[d], DLS_OP_VELOCITY, &rows);
    }
  mechanics->tangent_p[mechanics->tangents] = (int)rows.count;
  mechanics->tangent_i = rows.list;
  begin(b, TANGENT_BIAS);
  for (int k = 0; k < l->m && !failed; k++)
    for (int d = 0; d < l->contacts[k].info.tangents && !failed; d++)
      failed = append(&b->out, dls_graph_time_derivative(b->graph, l->contacts[k].slip[d]));
  return failed;
}

// Coefficients, or forces.
static int build_friction(builder *b, bool bounded)
{
  const dls_lagrangian *l = b->lagrangian;
  int failed = 0;
  for (int k = 0; k < l->m && !failed; k++) {
    const dls_contact_info *info = &l->contacts[k].info;
    const bool none =
        l->contacts[k].friction < 0 || info->tangents == 0 || info->bounded != bounded;
    failed = append(&b->out, none ? 0 : l->contacts[k].friction);
  }
  return failed;
}

static int build_coefficients(builder *b)
{
  const dls_lagrangian *l = b->lagrangian;
  begin(b, FRICTION);
  int failed = build_friction(b, false);
  begin(b, RESTITUTION);
  for (int k = 0; k < l->m && !failed; k++) {
    dls_expr e = l->contacts[k].restitution;
    failed = append(&b->out, e < 0 ? 0 : e);
  }
  begin(b, COUPLING);
  for (int k = 0; k < l->couplings && !failed; k++) failed = append(&b->out, l->coupling[k].value);
  begin(b, FRICTION_FORCE);
  if (!failed) failed = build_friction(b, true);
  begin(b, STATIC_FRICTION);
  for (int k = 0; k < l->m && !failed; k++) {
    const bool has = l->contacts[k].info.has_static && l->contacts[k].static_friction >= 0;
    failed = append(&b->out, has ? l->contacts[k].static_friction : 0);
  }
  begin(b, GROUPS);
  return failed;
}

static int prepare(builder *b)
{
  dls_mechanics *mechanics = b->mechanics;
  const dls_lagrangian *l = b->lagrangian;
  ptrdiff_t n = l->n, m = l->m;
  mechanics->n = l->n;
  mechanics->m = l->m;
  mechanics->parameters = l->parameters;
  mechanics->coordinates = l->coordinates;
  mechanics->couplings = l->couplings;
  mechanics->switches = l->switches;
  mechanics->poisson = l->poisson;
  mechanics->contacts = dls_alloc(m, sizeof *mechanics->contacts);
  mechanics->coupling = dls_alloc(l->couplings, sizeof *mechanics->coupling);
  if (!mechanics->contacts || !mechanics->coupling) return -1;
  for (int k = 0; k < l->couplings; k++) mechanics->coupling[k] = l->coupling[k].place;
  for (ptrdiff_t k = 0; k < m; k++) {
    assert(l->contacts[k].info.tangents >= 0 && l->contacts[k].info.tangents <= 2);
    mechanics->contacts[k] = l->contacts[k].info;
    mechanics->tangents += l->contacts[k].info.tangents;
  }
  ptrdiff_t tangents = mechanics->tangents;
  mechanics->slip_contact = dls_alloc(tangents, sizeof *mechanics->slip_contact);
  mechanics->mass_p = dls_alloc(n + 1, sizeof *mechanics->mass_p);
  mechanics->normal_p = dls_alloc(m + 1, sizeof *mechanics->normal_p);
  mechanics->tangent_p = dls_alloc(tangents + 1, sizeof *mechanics->tangent_p);
  b->index = dls_alloc(n, sizeof *b->index);
  b->derivative = dls_alloc(n, sizeof *b->derivative);
  b->momentum = dls_alloc(n, sizeof *b->momentum);
  b->row_begin = dls_alloc(n + 1, sizeof *b->row_begin);
  return mechanics->slip_contact && mechanics->mass_p && mechanics->normal_p &&
                 mechanics->tangent_p && b->index && b->derivative && b->momentum && b->row_begin
             ? 0
             : -1;
}

// Inputs of the tape: the branches, and before them those of the derivatives.
static int first_branch(const dls_mechanics *mechanics)
{
  return mechanics->n + mechanics->m + mechanics->tangents;
}

static dls_status build(builder *b)
{
  if (prepare(b) || build_rows(b) || build_mass(b) || build_force(b) || build_normals(b) ||
      build_tangents(b) || build_coefficients(b))
    return DLS_ERR_MEMORY;
  const int switches = b->mechanics->switches;
  return dls_tape_compile(b->graph, b->lagrangian->n, b->lagrangian->parameters,
                          switches > 0 ? first_branch(b->mechanics) + switches : 0, b->out.list,
                          (int)b->out.count, &b->mechanics->tape);
}

dls_status dls_mechanics_compile(dls_graph *graph, const dls_lagrangian *lagrangian,
                                 dls_mechanics **mechanics)
{
  *mechanics = NULL;
  dls_status status = dls_graph_status(graph);
  if (status != DLS_OK) return status;
  builder b = {.graph = graph, .lagrangian = lagrangian};
  b.mechanics = dls_alloc(1, sizeof *b.mechanics);
  if (!b.mechanics) return DLS_ERR_MEMORY;
  status = build(&b);
  if (dls_graph_status(graph) != DLS_OK) status = dls_graph_status(graph);
  free(b.out.list);
  free(b.index);
  free(b.derivative);
  free(b.momentum);
  free(b.row_begin);
  free(b.row_index.list);
  free(b.row_entry.list);
  if (status != DLS_OK) {
    dls_mechanics_free(b.mechanics);
    return status;
  }
  *mechanics = b.mechanics;
  return DLS_OK;
}

void dls_mechanics_free(dls_mechanics *mechanics)
{
  if (!mechanics) return;
  free(mechanics->contacts);
  free(mechanics->coupling);
  free(mechanics->slip_contact);
  free(mechanics->mass_p);
  free(mechanics->mass_i);
  free(mechanics->normal_p);
  free(mechanics->normal_i);
  free(mechanics->tangent_p);
  free(mechanics->tangent_i);
  dls_tape_free(mechanics->tape);
  free(mechanics);
}

dls_status dls_mechanics_work_create(const dls_mechanics *mechanics, dls_mechanics_work **out)
{
  *out = NULL;
  dls_mechanics_work *work = dls_alloc(1, sizeof *work);
  if (!work) return DLS_ERR_MEMORY;
  ptrdiff_t slots = dls_tape_slots(mechanics->tape);
  work->mechanics = mechanics;
  work->errors_from = mechanics->n;
  work->slot = dls_alloc(slots, sizeof *work->slot);
  work->error = dls_alloc(slots, sizeof *work->error);
  if (!work->slot || !work->error) {
    dls_mechanics_work_free(work);
    return DLS_ERR_MEMORY;
  }
  // until they are set, all parameters are 0; the errors are still 0 and serve as such
  if (mechanics->parameters <= slots) dls_tape_start(mechanics->tape, work->error, work->slot);
  *out = work;
  return DLS_OK;
}

void dls_mechanics_work_free(dls_mechanics_work *work)
{
  if (!work) return;
  dls_native_free(work->native);
  free(work->slot);
  free(work->error);
  free(work);
}

void dls_mechanics_set_parameters(dls_mechanics_work *work, const double *parameters)
{
  dls_tape_start(work->mechanics->tape, parameters, work->slot);
  if (work->native) dls_native_start(work->native, parameters);
}

dls_status dls_mechanics_work_compile(dls_mechanics_work *work, const dls_native_cache *cache,
                                      dls_message *message)
{
  return work->native ? DLS_OK
                      : dls_native_create(work->mechanics->tape, cache, &work->native, message);
}

void dls_mechanics_set_branches(dls_mechanics_work *work, const double *branch)
{
  const dls_mechanics *mechanics = work->mechanics;
  const int first = first_branch(mechanics);
  dls_tape_input(mechanics->tape, first, mechanics->switches, branch, work->slot);
  if (work->native) dls_native_input(work->native, first, mechanics->switches, branch);
}

void dls_mechanics_set_errors(dls_mechanics_work *work, int first, const double *q_error,
                              const double *v_error)
{
  work->errors_from = first, work->q_error = q_error, work->v_error = v_error;
}

void dls_mechanics_describe(const dls_mechanics *mechanics, dls_system *system)
{
  system->n = mechanics->n;
  system->m = mechanics->m;
  system->tangents = mechanics->tangents;
  system->coordinates = mechanics->coordinates;
  system->contacts = mechanics->contacts;
  system->couplings = mechanics->couplings;
  system->coupling = mechanics->coupling;
  system->poisson = mechanics->poisson;
  int n = mechanics->n, m = mechanics->m, tangents = mechanics->tangents;
  system->mass = (dls_pattern){n, n, mechanics->mass_p, mechanics->mass_i};
  system->normal = (dls_pattern){n, m, mechanics->normal_p, mechanics->normal_i};
  system->tangent = (dls_pattern){n, tangents, mechanics->tangent_p, mechanics->tangent_i};
}

static dls_status fail_value(const dls_mechanics *mechanics, int group, int k, double value,
                             dls_message *message)
{
  static const char *const what[GROUPS] = {"the mass matrix",
                                           "the force",
                                           "the gap",
                                           "the rate of the gap",
                                           "the gradient of the gap",
                                           "the velocity terms of the normal acceleration",
                                           "the slip velocity",
                                           "the gradient of the slip velocity",
                                           "the velocity terms of the tangential acceleration",
                                           "the friction coefficient",
                                           "the restitution coefficient",
                                           "the entry of the restitution matrix",
                                           "the force of friction",
                                           "the static friction"};
  const char *const *q = mechanics->coordinates;
  const dls_contact_info *contacts = mechanics->contacts;
  const char *words = dls_nonfinite_word(value);
  if (group == MASS) {
    int j = dls_nonfinite_column(mechanics->mass_p, mechanics->n, k);
    return dls_fail(message, DLS_ERR_NUMBER, "%s at (%s, %s) is %s", what[group],
                    q[mechanics->mass_i[k]], q[j], words);
  }
  if (group == FORCE)
    return dls_fail(message, DLS_ERR_NUMBER, "%s on %s is %s", what[group], q[k], words);
  if (group == NORMAL || group == TANGENT) {
    bool normal = group == NORMAL;
    int j = normal ? dls_nonfinite_column(mechanics->normal_p, mechanics->m, k)
                   : dls_nonfinite_column(mechanics->tangent_p, mechanics->tangents, k);
    const char *name = contacts[normal ? j : mechanics->slip_contact[j]].name;
    int row = (normal ? mechanics->normal_i : mechanics->tangent_i)[k];
    return dls_fail(message, DLS_ERR_NUMBER, "%s of contact `%s` by %s is %s", what[group], name,
                    q[row], words);
  }
  if (group == COUPLING) {
    const dls_coupling *c = &mechanics->coupling[k];
    return dls_fail(message, DLS_ERR_NUMBER, "%s of contacts `%s` and `%s` is %s", what[group],
                    contacts[c->row].name, contacts[c->column].name, words);
  }
  bool slip = group == SLIP || group == TANGENT_BIAS;
  const char *name = contacts[slip ? mechanics->slip_contact[k] : k].name;
  return dls_fail(message, DLS_ERR_NUMBER, "%s of contact `%s` is %s", what[group], name, words);
}

// From the slots given; NULL: from what is compiled.
static bool gather(const dls_mechanics_work *work, const double *slot, const dls_values *values,
                   double *array[GROUPS])
{
  const dls_mechanics *mechanics = work->mechanics;
  double *const list[GROUPS] = {values->M,
                                values->F,
                                values->h,
                                values->h_dot,
                                values->G,
                                values->b_n,
                                values->slip,
                                values->H,
                                values->b_t,
                                values->friction,
                                values->restitution,
                                values->coupling,
                                values->friction_force,
                                values->static_friction};
  for (int g = 0; g < GROUPS; g++) array[g] = list[g];
  return slot ? dls_tape_gather_groups(mechanics->tape, GROUPS, mechanics->first, slot, list)
              : dls_native_gather_groups(work->native, GROUPS, mechanics->first, list);
}

// Most values lie in one array, as dls_values_create makes them: all is copied at once.
static bool gather_values(dls_mechanics_work *work, const double *slot, const dls_values *values,
                          double *array[GROUPS])
{
  const dls_mechanics *mechanics = work->mechanics;
  const int *first = mechanics->first;
  if (memcmp(values, &work->joined, sizeof *values) == 0)
    return slot ? dls_tape_gather(mechanics->tape, 0, first[GROUPS], slot, values->M)
                : dls_native_gather(work->native, 0, first[GROUPS], values->M);
  const bool finite = gather(work, slot, values, array);
  int next = 1;
  while (next < GROUPS && array[next] == array[0] + first[next]) next++;
  if (next == GROUPS) work->joined = *values;
  return finite;
}

dls_status dls_mechanics_evaluate(dls_mechanics_work *work, double t, const double *q,
                                  const double *v, const dls_values *values,
                                  const dls_values *bound, dls_message *message)
{
  const dls_mechanics *mechanics = work->mechanics;
  double *array[GROUPS];
  // bounds need every number on the way: the tape's slots
  const double *slot = work->native && !bound ? NULL : work->slot;
  if (!(slot ? dls_tape_run(mechanics->tape, t, q, v, work->slot)
             : dls_native_run(work->native, t, q, v)))
    return dls_nonfinite_state(mechanics->coordinates, mechanics->n, t, q, v, message);
  bool finite = gather_values(work, slot, values, array);
  if (!finite) gather(work, slot, values, array);
  for (int g = 0; g < GROUPS && !finite; g++) {
    int k = dls_nonfinite_find(array[g], mechanics->first[g + 1] - mechanics->first[g]);
    if (k >= 0) return fail_value(mechanics, g, k, array[g][k], message);
  }
  if (bound) {
    dls_tape_bound_at(mechanics->tape, work->errors_from, work->q_error, work->v_error, work->slot,
                      work->error);
    gather(work, work->error, bound, array);
  }
  return DLS_OK;
}
