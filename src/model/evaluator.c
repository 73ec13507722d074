#include "model/evaluator.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { CIRCLES = 1000 };  // each one found costs a walk over what waits: no more than these

static double apply(const dls_instruction *code, int arguments, const double *x)
{
  if (arguments == 0) return code->value;
  if (code->op == DLS_CODE_GREATER) return dls_op_apply(DLS_OP_LESS, x[1], x[0], 0);
  if (code->op == DLS_CODE_GREATER_EQUAL) return dls_op_apply(DLS_OP_LESS_EQUAL, x[1], x[0], 0);
  if (code->op >= DLS_OP_COUNT) return NAN;  // an unknown call, reported before
  return dls_op_apply((dls_op)code->op, x[0], arguments > 1 ? x[1] : 0, arguments > 2 ? x[2] : 0);
}

bool dls_evaluator_begin(dls_evaluator *evaluator, int count, const dls_formula *const *formula)
{
  const ptrdiff_t n = count;
  *evaluator = (dls_evaluator){.count = count,
                               .formula = dls_alloc(n, sizeof *evaluator->formula),
                               .value = dls_alloc(n, sizeof *evaluator->value),
                               .mark = dls_alloc(n, sizeof *evaluator->mark),
                               .cyclic = dls_alloc(n, sizeof *evaluator->cyclic),
                               .order = dls_alloc(n, sizeof *evaluator->order)};
  if (!evaluator->formula || !evaluator->value || !evaluator->mark || !evaluator->cyclic ||
      !evaluator->order)
    return false;
  dls_copy(evaluator->formula, formula, n);
  return true;
}

void dls_evaluator_free(dls_evaluator *evaluator)
{
  free(evaluator->formula);
  free(evaluator->value);
  free(evaluator->mark);
  free(evaluator->cyclic);
  free(evaluator->order);
  free(evaluator->waiting.items);
  free(evaluator->stack);
  *evaluator = (dls_evaluator){0};
}

void dls_evaluator_know(dls_evaluator *evaluator, int definition, double value)
{
  evaluator->value[definition] = value;
  evaluator->mark[definition] = DLS_KNOWN;
  evaluator->order[evaluator->known++] = definition;
}

void dls_evaluator_forget(dls_evaluator *evaluator, int known)
{
  while (evaluator->known > known) {
    const int definition = evaluator->order[--evaluator->known];
    evaluator->mark[definition] = DLS_UNKNOWN;
    evaluator->cyclic[definition] = false;
  }
}

// A definition under way is needed again.
static void found_circle(dls_evaluator *e, int definition)
{
  const int top = e->waiting.count - 1;
  const dls_waiting *waiting = e->waiting.items;
  const bool seen =
      e->cyclic[definition] || (waiting[top].definition >= 0 && e->cyclic[waiting[top].definition]);
  if (e->circles++ >= CIRCLES || seen) {
    e->cyclic[definition] = true;
    return;
  }
  int first = top;
  bool fresh = true;
  for (;; first--) {
    fresh = fresh && !e->cyclic[waiting[first].definition];
    e->cyclic[waiting[first].definition] = true;
    if (waiting[first].definition == definition) break;
  }
  if (fresh && e->on_circle) e->on_circle(e->context, e, first);
}

static bool wait_for(dls_evaluator *e, int definition, const dls_formula *formula)
{
  dls_waiting *items =
      dls_list_more(e->waiting.items, e->waiting.count, &e->waiting.capacity, sizeof *items);
  if (!items) return false;
  e->waiting.items = items;
  const ptrdiff_t depth = (ptrdiff_t)e->stack_used + formula->stack + 1;
  void *stack = e->stack;
  if (dls_grow(&stack, &e->stack_capacity, depth, sizeof *e->stack)) return false;
  e->stack = stack;
  items[e->waiting.count++] = (dls_waiting){definition, formula, 0};
  if (definition >= 0) e->mark[definition] = DLS_UNDER_WAY;
  return true;
}

// Goes on with the formula on top until it is done (true) or needs a definition first (false).
static bool go_on(dls_evaluator *e, dls_waiting *top, int *needed)
{
  const dls_formula *f = top->formula;
  if (f->broken) {
    e->stack[e->stack_used++] = NAN;
    return true;
  }
  for (; top->next < f->count; top->next++) {
    const dls_instruction *code = &f->code[top->next];
    if (code->op != DLS_CODE_REFERENCE) {
      const int arguments = dls_code_arguments(code);
      e->stack_used -= arguments;
      e->stack[e->stack_used] = apply(code, arguments, e->stack + e->stack_used);
    } else if (e->mark[code->index] == DLS_KNOWN) {
      e->stack[e->stack_used] = e->value[code->index];
    } else if (e->mark[code->index] == DLS_UNDER_WAY) {
      found_circle(e, code->index);
      e->stack[e->stack_used] = NAN;
    } else {
      *needed = code->index;
      return false;
    }
    e->stack_used++;
  }
  return true;
}

bool dls_evaluator_formula(dls_evaluator *e, const dls_formula *formula, double *value)
{
  int definition = -1;
  for (;;) {
    if (!formula) dls_evaluator_know(e, definition, 0.0);
    else if (!wait_for(e, definition, formula)) break;
    // finish as much as possible
    while (e->waiting.count > 0) {
      dls_waiting *top = &e->waiting.items[e->waiting.count - 1];
      if (!go_on(e, top, &definition)) break;
      const double result = e->stack[--e->stack_used];
      e->waiting.count--;
      if (top->definition < 0) {
        *value = result;
        return true;
      }
      dls_evaluator_know(e, top->definition, e->cyclic[top->definition] ? NAN : result);
    }
    formula = e->formula[definition];
  }
  e->waiting.count = 0;
  e->stack_used = 0;
  return false;
}

bool dls_evaluator_run(dls_evaluator *evaluator, int definition)
{
  if (evaluator->mark[definition] == DLS_KNOWN) return true;
  dls_instruction code = {.op = DLS_CODE_REFERENCE, .index = definition};
  const dls_formula formula = {.code = &code, .count = 1, .stack = 1};
  double value;
  return dls_evaluator_formula(evaluator, &formula, &value);
}
