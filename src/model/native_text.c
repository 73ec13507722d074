#include "model/native_text.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

enum {
  STATEMENTS = 500,  // of one C function: compilers take more than linear time
  COSTS = 2,         // statements that a value may need: it, and its slot
};

// What is written, in its order: the value of a slot, or output k as ~k.
typedef struct plan {
  const dls_tape *tape;
  dls_native_text *out;
  int begin;        // the first slot that varies and is computed
  int *maker;       // per slot from begin on: its run
  int *function;    // per slot: where it is written; -1: not yet, or a run of functions makes it
  bool *kept;       // per slot: another function needs it, or a run of functions
  int *item;        // what is written
  int items, used;  // used: statements of the last function
  int *ends;        // per function: the item behind its last one
  ptrdiff_t functions, function_capacity;
  int *stack;
} plan;

static bool is_arithmetic(int op)
{
  switch (op) {
  case DLS_OP_ADD:
  case DLS_OP_SUB:
  case DLS_OP_MUL:
  case DLS_OP_DIV:
  case DLS_OP_NEG:
  case DLS_TAPE_ADD_PRODUCT:
  case DLS_TAPE_SUB_PRODUCT:
  case DLS_TAPE_PRODUCT_SUB:
  case DLS_TAPE_NEG_PRODUCT:
  case DLS_TAPE_COPY: return true;
  default: return false;
  }
}

static int results(const dls_operation_run *run)
{
  return run->op == DLS_TAPE_SINCOS ? 2 * run->count : run->count;
}

// The first result behind the prelude.
static int first_varying(const dls_tape *tape)
{
  if (tape->prelude == 0) return tape->first;
  const dls_operation_run *last = &tape->run[tape->prelude - 1];
  return last->result + results(last);
}

bool dls_native_varies(const dls_tape *tape, int k)
{
  const int slot = tape->output[k];
  return (slot >= tape->time && slot < tape->first) || slot >= first_varying(tape);
}

static const dls_operation_run *maker(const plan *p, int slot)
{
  return &p->tape->run[p->maker[slot - p->begin]];
}

// Argument j of entry k of a run.
static int argument(const plan *p, const dls_operation_run *run, int j, int k)
{
  return p->tape->operands[run->operand + j * run->count + k];
}

static bool is_computed(const plan *p, int slot)
{
  return slot >= p->begin && is_arithmetic(maker(p, slot)->op);
}

static void find_stages(plan *p)
{
  const dls_tape *tape = p->tape;
  for (int i = tape->prelude; i < tape->runs; i++) {
    for (int k = 0; k < results(&tape->run[i]); k++)
      p->maker[tape->run[i].result + k - p->begin] = i;
    if (!is_arithmetic(tape->run[i].op)) p->out->run[p->out->stages++] = i;
  }
  for (int x = p->begin; x < tape->slots; x++) p->function[x] = -1;
}

static bool end_function(plan *p)
{
  void *ends = p->ends;
  const bool grown = dls_grow(&ends, &p->function_capacity, p->functions + 1, sizeof *p->ends) == 0;
  p->ends = ends;
  if (!grown) return false;
  p->ends[p->functions++] = p->items;
  p->used = 0;
  return true;
}

// Room for so many statements more in the function that is written.
static bool room(plan *p, int statements)
{
  if (p->used + statements > STATEMENTS && !end_function(p)) return false;
  p->used += statements;
  return true;
}

// A value that function `by` reads must be in its slot, unless it is written there too.
static void read_by(plan *p, int slot, ptrdiff_t by)
{
  if (is_computed(p, slot) && p->function[slot] != by) p->kept[slot] = true;
}

// The first argument of a value that is still to be written, or -1.
static int missing(const plan *p, int slot)
{
  const dls_operation_run *run = maker(p, slot);
  const int arguments = dls_tape_arguments(run->op);
  for (int j = 0; j < arguments; j++) {
    const int x = argument(p, run, j, slot - run->result);
    if (is_computed(p, x) && p->function[x] < 0) return x;
  }
  return -1;
}

// Writes the value, after what it needs: soon after that, so that registers hold it.
static bool write_value(plan *p, int slot)
{
  int depth = 0;
  if (is_computed(p, slot) && p->function[slot] < 0) p->stack[depth++] = slot;
  while (depth > 0) {
    const int x = p->stack[depth - 1], y = missing(p, x);
    if (y >= 0) {
      p->stack[depth++] = y;
      continue;
    }
    depth--;
    if (!room(p, COSTS)) return false;
    p->function[x] = (int)p->functions;
    p->item[p->items++] = x;
    const dls_operation_run *run = maker(p, x);
    for (int j = 0; j < dls_tape_arguments(run->op); j++)
      read_by(p, argument(p, run, j, x - run->result), p->functions);
  }
  return true;
}

static bool write_kept(plan *p, int slot)
{
  p->kept[slot] = true;
  return write_value(p, slot);
}

static bool order(plan *p)
{
  const dls_tape *tape = p->tape;
  for (int s = 0; s < p->out->stages; s++) {
    const dls_operation_run *run = &tape->run[p->out->run[s]];
    p->out->first[s] = (int)p->functions;
    for (int k = 0; k < run->count; k++)
      for (int j = 0; j < dls_tape_arguments(run->op); j++)
        if (!write_kept(p, argument(p, run, j, k))) return false;
    if (p->used > 0 && !end_function(p)) return false;
  }
  p->out->first[p->out->stages] = (int)p->functions;
  for (int k = 0; k < tape->outputs; k++) {
    if (!dls_native_varies(tape, k)) continue;
    if (!write_value(p, tape->output[k]) || !room(p, 1)) return false;
    read_by(p, tape->output[k], p->functions);
    p->item[p->items++] = ~k;
  }
  if (p->used > 0 && !end_function(p)) return false;
  p->out->first[p->out->stages + 1] = p->out->functions = (int)p->functions;
  return true;
}

// --- the text ---

static dls_number_text name_of(const plan *p, int slot, int function)
{
  dls_number_text name;
  const bool local = is_computed(p, slot) && p->function[slot] == function;
  snprintf(name.text, sizeof name.text, local ? "x%d" : "s[%d]", slot);
  return name;
}

static void put_value(const plan *p, int slot, int function)
{
  const dls_operation_run *run = maker(p, slot);
  const int k = slot - run->result, arguments = dls_tape_arguments(run->op);
  dls_number_text x[3] = {{{0}}};
  for (int j = 0; j < arguments; j++) x[j] = name_of(p, argument(p, run, j, k), function);
  const char *a = x[0].text, *b = x[1].text, *c = x[2].text;
  dls_text *t = &p->out->text;
  dls_text_add(t, "const double x%d = ", slot);
  switch (run->op) {
  case DLS_OP_ADD: dls_text_add(t, "%s + %s", a, b); break;
  case DLS_OP_SUB: dls_text_add(t, "%s - %s", a, b); break;
  case DLS_OP_MUL: dls_text_add(t, "%s * %s", a, b); break;
  case DLS_OP_DIV: dls_text_add(t, "%s / %s", a, b); break;
  case DLS_OP_NEG: dls_text_add(t, "-%s", a); break;
  case DLS_TAPE_ADD_PRODUCT: dls_text_add(t, "%s + %s * %s", a, b, c); break;
  case DLS_TAPE_SUB_PRODUCT: dls_text_add(t, "%s - %s * %s", a, b, c); break;
  case DLS_TAPE_PRODUCT_SUB: dls_text_add(t, "%s * %s - %s", b, c, a); break;
  case DLS_TAPE_NEG_PRODUCT: dls_text_add(t, "-(%s * %s)", a, b); break;
  default: dls_text_add(t, "%s", a); break;  // a copy
  }
  dls_text_add(t, ";\n");
  if (p->kept[slot]) dls_text_add(t, "s[%d] = x%d;\n", slot, slot);
}

static void put_function(const plan *p, int function)
{
  dls_text *t = &p->out->text;
  const int first = function > 0 ? p->ends[function - 1] : 0;
  dls_text_add(t, "static void f%d(double *s)\n{\n", function);
  for (int i = first; i < p->ends[function]; i++) {
    const int item = p->item[i];
    if (item >= 0) put_value(p, item, function);
    else
      dls_text_add(t, "s[%d] = %s;\n", p->tape->slots + ~item,
                   name_of(p, p->tape->output[~item], function).text);
  }
  dls_text_add(t, "}\n");
}

static void put_text(const plan *p)
{
  dls_text *t = &p->out->text;
  for (int f = 0; f < p->out->functions; f++) put_function(p, f);
  dls_text_add(t, "void (*const " DLS_NATIVE_TABLE "[])(double *) = {");
  for (int f = 0; f < p->out->functions; f++) dls_text_add(t, "f%d, ", f);
  dls_text_add(t, "0};\n");
}

static bool prepare(plan *p)
{
  const dls_tape *tape = p->tape;
  const ptrdiff_t slots = tape->slots, runs = tape->runs - tape->prelude;
  p->begin = first_varying(tape);
  p->maker = dls_alloc(slots - p->begin, sizeof *p->maker);
  p->function = dls_alloc(slots, sizeof *p->function);
  p->kept = dls_alloc(slots, sizeof *p->kept);
  p->item = dls_alloc(slots + tape->outputs, sizeof *p->item);
  p->stack = dls_alloc(slots, sizeof *p->stack);
  p->out->run = dls_alloc(runs, sizeof *p->out->run);
  p->out->first = dls_alloc(runs + 2, sizeof *p->out->first);
  return p->maker && p->function && p->kept && p->item && p->stack && p->out->run && p->out->first;
}

dls_status dls_native_write(const dls_tape *tape, dls_native_text *out)
{
  *out = (dls_native_text){0};
  plan p = {.tape = tape, .out = out};
  bool done = prepare(&p);
  if (done) {
    find_stages(&p);
    done = order(&p);
  }
  if (done) put_text(&p);
  free(p.maker);
  free(p.function);
  free(p.kept);
  free(p.item);
  free(p.ends);
  free(p.stack);
  return done && !out->text.failed ? DLS_OK : DLS_ERR_MEMORY;
}

void dls_native_text_free(dls_native_text *text)
{
  dls_text_free(&text->text);
  free(text->run);
  free(text->first);
  *text = (dls_native_text){0};
}
