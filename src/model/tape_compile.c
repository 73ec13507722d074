// From the graph to a tape. Nodes become units: most nodes are one unit, sin and cos of one
// argument share one, and a product that is used once, by a sum, joins the sum. Units are then
// scheduled greedily: of all kinds of units that are ready, the kind with the most, as one run.
#include "model/tape_internal.h"
#include "model/expression_graph_internal.h"
#include "base/memory.h"
#include <assert.h>
#include <stdlib.h>

typedef struct unit {
  int op;            // of the tape; -1: no unit (a leaf, dead, or part of another unit)
  dls_expr x[3];     // arguments
  dls_expr partner;  // the cosine of a SINCOS
  int missing;       // arguments that are not yet on the tape
  int users, next;   // first entry in the list of users; next unit in the queue
} unit;

typedef struct compiler {
  const dls_graph *graph;
  dls_tape *tape;
  int count;              // nodes up to the last output
  int *uses;              // per node; 0 is dead
  unit *unit;             // per node
  int *slot;              // per node, -1 unknown
  dls_expr *owner;        // per node: the unit that makes it
  int *user, *user_next;  // lists of the units that wait for a node
  int head[DLS_TAPE_OP_COUNT], tail[DLS_TAPE_OP_COUNT], ready[DLS_TAPE_OP_COUNT];
  ptrdiff_t run_capacity, operand_count, operand_capacity;
} compiler;

int dls_tape_arguments(int op)
{
  if (op < DLS_OP_COUNT) return dls_op_arguments((dls_op)op);
  if (op == DLS_TAPE_SINCOS || op == DLS_TAPE_COPY) return 1;
  return op == DLS_TAPE_NEG_PRODUCT ? 2 : 3;
}

// Counts how often each node is used; outputs count twice, so that none is hidden in a unit.
static void count_uses(compiler *c, const dls_expr *out, int outputs)
{
  for (int k = 0; k < outputs; k++) c->uses[out[k]] += 2;
  for (int e = c->count - 1; e >= 0; e--) {
    if (c->uses[e] == 0) continue;
    const dls_node *node = &c->graph->nodes[e];
    if (node->a >= 0) c->uses[node->a]++;
    if (node->b >= 0) c->uses[node->b]++;
    if (node->c >= 0) c->uses[node->c]++;
  }
}

static bool can_join(const compiler *c, dls_expr sum, dls_expr e)
{
  return c->graph->nodes[e].op == DLS_OP_MUL && c->uses[e] == 1 &&
         dls_graph_varies(c->graph, e) == dls_graph_varies(c->graph, sum);
}

static void join(compiler *c, unit *u, int op, dls_expr other, dls_expr product)
{
  const dls_node *node = &c->graph->nodes[product];
  *u = (unit){.op = op, .x = {other, node->a, node->b}, .partner = -1};
  if (other < 0) *u = (unit){.op = op, .x = {node->a, node->b, -1}, .partner = -1};
  c->unit[product].op = -1;
}

static void make_units(compiler *c)
{
  for (dls_expr e = 0; e < c->count; e++) {
    const dls_node *node = &c->graph->nodes[e];
    unit *u = &c->unit[e];
    *u = (unit){.op = -1, .x = {node->a, node->b, node->c}, .partner = -1, .users = -1};
    c->owner[e] = e;
    if (c->uses[e] == 0 || node->op <= DLS_OP_INPUT) continue;
    u->op = (int)node->op;
    dls_expr a = node->a, b = node->b;
    if (node->op == DLS_OP_ADD && can_join(c, e, b)) join(c, u, DLS_TAPE_ADD_PRODUCT, a, b);
    else if (node->op == DLS_OP_ADD && can_join(c, e, a)) join(c, u, DLS_TAPE_ADD_PRODUCT, b, a);
    else if (node->op == DLS_OP_SUB && can_join(c, e, b)) join(c, u, DLS_TAPE_SUB_PRODUCT, a, b);
    else if (node->op == DLS_OP_SUB && can_join(c, e, a)) join(c, u, DLS_TAPE_PRODUCT_SUB, b, a);
    else if (node->op == DLS_OP_NEG && can_join(c, e, a)) join(c, u, DLS_TAPE_NEG_PRODUCT, -1, a);
    u->users = -1;
  }
}

// sin a and cos a as one unit. scratch: the sine or cosine met first per argument.
static void pair_sines(compiler *c, dls_expr *scratch)
{
  for (dls_expr e = 0; e < c->count; e++) scratch[e] = -1;
  for (dls_expr e = 0; e < c->count; e++) {
    int op = c->unit[e].op;
    if (op != DLS_OP_SIN && op != DLS_OP_COS) continue;
    dls_expr a = c->unit[e].x[0], other = scratch[a];
    if (other < 0) {
      scratch[a] = e;
      continue;
    }
    dls_expr sine = op == DLS_OP_SIN ? e : other, cosine = op == DLS_OP_SIN ? other : e;
    c->unit[sine].op = DLS_TAPE_SINCOS;
    c->unit[sine].partner = cosine;
    c->unit[cosine].op = -1;
    c->owner[cosine] = sine;
  }
}

static void place_leaves(compiler *c)
{
  dls_tape *tape = c->tape;
  tape->constants = 0;
  for (dls_expr e = 0; e < c->count; e++) {
    const dls_node *node = &c->graph->nodes[e];
    c->slot[e] = -1;
    if (c->uses[e] == 0 || node->op != DLS_OP_CONSTANT) continue;
    tape->constant[tape->constants] = node->value;
    tape->constant_error[tape->constants] = node->error;
    c->slot[e] = tape->constants++;
  }
  tape->time = tape->constants + tape->parameters;
  tape->first = tape->time + 1 + 2 * tape->coordinates + tape->inputs;
  tape->slots = tape->first;
  for (dls_expr e = 0; e < c->count; e++) {
    const dls_node *node = &c->graph->nodes[e];
    if (c->uses[e] == 0) continue;
    switch (node->op) {
    case DLS_OP_PARAMETER:
      assert(node->index < tape->parameters);
      c->slot[e] = tape->constants + node->index;
      break;
    case DLS_OP_TIME: c->slot[e] = tape->time; break;
    case DLS_OP_COORDINATE:
      assert(node->index < tape->coordinates);
      c->slot[e] = tape->time + 1 + node->index;
      break;
    case DLS_OP_VELOCITY:
      assert(node->index < tape->coordinates);
      c->slot[e] = tape->time + 1 + tape->coordinates + node->index;
      break;
    case DLS_OP_INPUT:
      assert(node->index < tape->inputs);
      c->slot[e] = tape->time + 1 + 2 * tape->coordinates + node->index;
      break;
    default: break;
    }
  }
}

static void enqueue(compiler *c, dls_expr e)
{
  int op = c->unit[e].op;
  c->unit[e].next = -1;
  if (c->ready[op]++ == 0) c->head[op] = e;
  else c->unit[c->tail[op]].next = e;
  c->tail[op] = e;
}

// Queues the units of one phase that lack nothing; the others wait in the lists of users.
static void prepare(compiler *c, bool varying)
{
  for (dls_expr e = 0; e < c->count; e++) {
    unit *u = &c->unit[e];
    if (u->op < 0 || dls_graph_varies(c->graph, e) != varying) continue;
    int arguments = dls_tape_arguments(u->op);
    u->missing = 0;
    for (int k = 0; k < arguments; k++) {
      dls_expr x = u->x[k];
      if (c->slot[x] >= 0) continue;
      int entry = 3 * e + k;
      unit *maker = &c->unit[c->owner[x]];
      c->user[entry] = e;
      c->user_next[entry] = maker->users;
      maker->users = entry;
      u->missing++;
    }
    if (u->missing == 0) enqueue(c, e);
  }
}

// Appends a run to the tape; its operands are still to be written. NULL when memory runs out.
static int *append_run(compiler *c, int op, int count)
{
  dls_tape *tape = c->tape;
  ptrdiff_t needed = c->operand_count + (ptrdiff_t)count * dls_tape_arguments(op);
  if (dls_grow((void **)&tape->run, &c->run_capacity, (ptrdiff_t)tape->runs + 1,
               sizeof *tape->run) ||
      dls_grow((void **)&tape->operands, &c->operand_capacity, needed, sizeof *tape->operands))
    return NULL;
  tape->run[tape->runs++] = (dls_operation_run){op, count, tape->slots, (int)c->operand_count};
  int *operand = tape->operands + c->operand_count;
  c->operand_count = needed;
  return operand;
}

// Appends the queue of one op to the tape as a run. Returns -1 when memory runs out.
static int emit(compiler *c, int op)
{
  dls_tape *tape = c->tape;
  int count = c->ready[op], arguments = dls_tape_arguments(op);
  int *operand = append_run(c, op, count);
  if (!operand) return -1;

  dls_expr first = c->head[op];
  c->ready[op] = 0;
  int k = 0;
  for (dls_expr e = first; e >= 0; e = c->unit[e].next, k++) {
    for (int j = 0; j < arguments; j++) operand[j * count + k] = c->slot[c->unit[e].x[j]];
    c->slot[e] = tape->slots++;
    if (op == DLS_TAPE_SINCOS) c->slot[c->unit[e].partner] = tape->slots++;
  }
  for (dls_expr e = first, next; e >= 0; e = next) {
    next = c->unit[e].next;  // enqueue writes to other units only
    for (int entry = c->unit[e].users; entry >= 0; entry = c->user_next[entry])
      if (--c->unit[c->user[entry]].missing == 0) enqueue(c, c->user[entry]);
  }
  return 0;
}

static int schedule(compiler *c, bool varying)
{
  prepare(c, varying);
  for (;;) {
    int best = 0;
    for (int op = 1; op < DLS_TAPE_OP_COUNT; op++)
      if (c->ready[op] > c->ready[best]) best = op;
    if (c->ready[best] == 0) return 0;
    if (emit(c, best)) return -1;
  }
}

static int allocate(compiler *c, int outputs)
{
  ptrdiff_t count = c->count;
  c->uses = dls_alloc(count, sizeof *c->uses);
  c->unit = dls_alloc(count, sizeof *c->unit);
  c->slot = dls_alloc(count, sizeof *c->slot);
  c->owner = dls_alloc(count, sizeof *c->owner);
  c->user = dls_alloc(3 * count, sizeof *c->user);
  c->user_next = dls_alloc(3 * count, sizeof *c->user_next);
  c->tape->output = dls_alloc(outputs, sizeof *c->tape->output);
  if (!c->uses || !c->unit || !c->slot || !c->owner || !c->user || !c->user_next ||
      !c->tape->output)
    return -1;
  return 0;
}

static int allocate_constants(compiler *c)
{
  ptrdiff_t constants = 0;
  for (dls_expr e = 0; e < c->count; e++)
    constants += c->uses[e] > 0 && c->graph->nodes[e].op == DLS_OP_CONSTANT;
  c->tape->constant = dls_alloc(constants, sizeof *c->tape->constant);
  c->tape->constant_error = dls_alloc(constants, sizeof *c->tape->constant_error);
  return c->tape->constant && c->tape->constant_error ? 0 : -1;
}

enum { STRETCH = 8 };  // outputs side by side that are worth a piece of their own

// The end of the stretch of outputs from k on that depend on parameters alone.
static int constant_stretch(const compiler *c, const dls_expr *out, int outputs, int k)
{
  while (k < outputs && !dls_graph_varies(c->graph, out[k])) k++;
  return k;
}

// Outputs that depend on parameters alone, where many stand together, get copies side by side:
// the last run of the prelude. Other outputs come from where they are.
static int place_outputs(compiler *c, const dls_expr *out, int outputs)
{
  dls_tape *tape = c->tape;
  int copies = 0;
  for (int k = 0, end; k < outputs; k = end + 1) {
    end = constant_stretch(c, out, outputs, k);
    if (end - k >= STRETCH) copies += end - k;
  }
  for (int k = 0; k < outputs; k++) tape->output[k] = -1;
  if (copies == 0) return 0;
  int *operand = append_run(c, DLS_TAPE_COPY, copies);
  if (!operand) return -1;
  for (int k = 0, end; k < outputs; k = end + 1) {
    end = constant_stretch(c, out, outputs, k);
    if (end - k < STRETCH) continue;
    for (int i = k; i < end; i++) {
      *operand++ = c->slot[out[i]];
      tape->output[i] = tape->slots++;
    }
  }
  return 0;
}

// The outputs as pieces, once all slots are known.
static int cut_pieces(compiler *c, const dls_expr *out, int outputs)
{
  dls_tape *tape = c->tape;
  ptrdiff_t capacity = 0;
  for (int k = 0; k < outputs; k++)
    if (tape->output[k] < 0) tape->output[k] = c->slot[out[k]];
  for (int k = 0, end; k < outputs; k = end) {
    for (end = k + 1; end < outputs && tape->output[end] == tape->output[end - 1] + 1;) end++;
    bool consecutive = end - k >= STRETCH;
    dls_tape_piece *last = tape->pieces > 0 ? &tape->piece[tape->pieces - 1] : NULL;
    if (!consecutive && last && !last->consecutive) {
      last->end = end;
      continue;
    }
    if (dls_grow((void **)&tape->piece, &capacity, (ptrdiff_t)tape->pieces + 1,
                 sizeof *tape->piece))
      return -1;
    tape->piece[tape->pieces++] = (dls_tape_piece){k, end, consecutive};
  }
  return 0;
}

static int compile(compiler *c, const dls_expr *out, int outputs)
{
  if (allocate(c, outputs)) return -1;
  count_uses(c, out, outputs);
  if (allocate_constants(c)) return -1;
  make_units(c);
  pair_sines(c, c->slot);
  place_leaves(c);
  if (schedule(c, false) || place_outputs(c, out, outputs)) return -1;
  c->tape->prelude = c->tape->runs;
  return schedule(c, true) || cut_pieces(c, out, outputs) ? -1 : 0;
}

dls_status dls_tape_compile(const dls_graph *graph, int coordinates, int parameters, int inputs,
                            const dls_expr *out, int outputs, dls_tape **result)
{
  *result = NULL;
  if (graph->status != DLS_OK) return graph->status;
  compiler c = {.graph = graph, .tape = dls_alloc(1, sizeof *c.tape)};
  if (!c.tape) return DLS_ERR_MEMORY;
  c.tape->coordinates = coordinates;
  c.tape->parameters = parameters;
  c.tape->inputs = inputs;
  c.tape->outputs = outputs;
  for (int k = 0; k < outputs; k++) {
    assert(out[k] >= 0 && out[k] < graph->count);
    if (out[k] >= c.count) c.count = out[k] + 1;
  }
  bool failed = compile(&c, out, outputs) != 0;
  free(c.uses);
  free(c.unit);
  free(c.slot);
  free(c.owner);
  free(c.user);
  free(c.user_next);
  if (failed) {
    dls_tape_free(c.tape);
    return DLS_ERR_MEMORY;
  }
  *result = c.tape;
  return DLS_OK;
}

void dls_tape_free(dls_tape *tape)
{
  if (!tape) return;
  free(tape->run);
  free(tape->operands);
  free(tape->output);
  free(tape->piece);
  free(tape->constant);
  free(tape->constant_error);
  free(tape);
}

int dls_tape_slots(const dls_tape *tape)
{
  return tape->slots;
}
