// The interpreters of a tape: one for values, one for bounds of their rounding errors.
#include "base/memory.h"
#include "model/tape_internal.h"
#include "model/expression_graph_internal.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { FEW = 24 };

// The exponent of a number that is not finite is all ones: adding one to it carries into the sign.
static uint64_t carry_of(uint64_t bits)
{
  return (bits & 0x7ff0000000000000u) + 0x0010000000000000u;
}

static uint64_t copy_consecutive(const double *restrict from, double *restrict to, int count)
{
  uint64_t carry = 0;
  for (int k = 0; k < count; k++) {
    uint64_t bits;
    memcpy(&bits, &from[k], sizeof bits);
    memcpy(&to[k], &bits, sizeof bits);
    carry |= carry_of(bits);
  }
  return carry;
}

static uint64_t copy_scattered(const double *restrict slot, const int *restrict from,
                               double *restrict to, int count)
{
  uint64_t carry = 0;
  for (int k = 0; k < count; k++) {
    uint64_t bits;
    memcpy(&bits, &slot[from[k]], sizeof bits);
    memcpy(&to[k], &bits, sizeof bits);
    carry |= carry_of(bits);
  }
  return carry;
}

// One run: r[k] = op(s[a[k]], s[b[k]], s[c[k]]). Results lie behind all arguments, so that r and s
// never overlap where they are used.
static void run_values(const dls_tape *tape, const dls_operation_run *run, double *slot)
{
  const int count = run->count, *a = tape->operands + run->operand;
  const int *b = a + count, *c = b + count;
  const double *s = slot;
  double *restrict r = slot + run->result;
#define LOOP(value)                             \
  for (int k = 0; k < count; k++) r[k] = value; \
  break
  switch (run->op) {
  case DLS_OP_ADD: LOOP(s[a[k]] + s[b[k]]);
  case DLS_OP_SUB: LOOP(s[a[k]] - s[b[k]]);
  case DLS_OP_MUL: LOOP(s[a[k]] * s[b[k]]);
  case DLS_OP_DIV: LOOP(s[a[k]] / s[b[k]]);
  case DLS_OP_NEG: LOOP(-s[a[k]]);
  case DLS_OP_SIN: LOOP(sin(s[a[k]]));
  case DLS_OP_COS: LOOP(cos(s[a[k]]));
  case DLS_OP_SQRT: LOOP(sqrt(s[a[k]]));
  case DLS_TAPE_ADD_PRODUCT: LOOP(s[a[k]] + s[b[k]] * s[c[k]]);
  case DLS_TAPE_SUB_PRODUCT: LOOP(s[a[k]] - s[b[k]] * s[c[k]]);
  case DLS_TAPE_PRODUCT_SUB: LOOP(s[b[k]] * s[c[k]] - s[a[k]]);
  case DLS_TAPE_NEG_PRODUCT: LOOP(-(s[a[k]] * s[b[k]]));
  case DLS_TAPE_COPY: LOOP(s[a[k]]);
  case DLS_TAPE_SINCOS:
    for (int k = 0; k < count; k++) {
      double x = s[a[k]];
      r[2 * k] = sin(x);  // one call computes both
      r[2 * k + 1] = cos(x);
    }
    break;
  default: {
    dls_op op = (dls_op)run->op;
    int arguments = dls_op_arguments(op);
    for (int k = 0; k < count; k++)
      r[k] = dls_op_apply(op, s[a[k]], arguments > 1 ? s[b[k]] : 0, arguments > 2 ? s[c[k]] : 0);
  }
  }
#undef LOOP
}

void dls_tape_start(const dls_tape *tape, const double *parameters, double *slot)
{
  dls_copy(slot, tape->constant, tape->constants);
  if (tape->parameters > 0) dls_copy(slot + tape->constants, parameters, tape->parameters);
  for (int k = 0; k < tape->prelude; k++) run_values(tape, &tape->run[k], slot);
}

bool dls_tape_input(const dls_tape *tape, int first, int count, const double *x, double *slot)
{
  assert(first >= 0 && count >= 0 && first + count <= tape->inputs);
  double *input = slot + tape->time + 1 + 2 * tape->coordinates;
  return copy_consecutive(x, input + first, count) >> 63 == 0;
}

bool dls_tape_place(const dls_tape *tape, double t, const double *q, const double *v, double *slot)
{
  double *input = slot + tape->time;
  int n = tape->coordinates;
  uint64_t carry = copy_consecutive(&t, input, 1);
  carry |= copy_consecutive(q, input + 1, n) | copy_consecutive(v, input + 1 + n, n);
  return carry >> 63 == 0;
}

void dls_tape_run_one(const dls_tape *tape, int run, double *slot)
{
  run_values(tape, &tape->run[run], slot);
}

bool dls_tape_run(const dls_tape *tape, double t, const double *q, const double *v, double *slot)
{
  if (!dls_tape_place(tape, t, q, v, slot)) return false;
  for (int k = tape->prelude; k < tape->runs; k++) run_values(tape, &tape->run[k], slot);
  return true;
}

// a + b * c and its relatives, as the two operations that they are.
static double error_of_product_sum(int op, const double x[3], const double error[3], double r)
{
  const double factor[3] = {x[1], x[2], 0}, factor_error[3] = {error[1], error[2], 0};
  double product = x[1] * x[2];
  double blur = dls_op_error(DLS_OP_MUL, factor, factor_error, product);
  if (op == DLS_TAPE_PRODUCT_SUB) {
    const double term[3] = {product, x[0], 0}, term_error[3] = {blur, error[0], 0};
    return dls_op_error(DLS_OP_SUB, term, term_error, r);
  }
  const double term[3] = {x[0], product, 0}, term_error[3] = {error[0], blur, 0};
  return dls_op_error(op == DLS_TAPE_ADD_PRODUCT ? DLS_OP_ADD : DLS_OP_SUB, term, term_error, r);
}

static void bound_operation(int op, const double x[3], const double e[3], const double *r,
                            double *error)
{
  switch (op) {
  case DLS_TAPE_SINCOS:
    error[0] = dls_op_error(DLS_OP_SIN, x, e, r[0]);
    error[1] = dls_op_error(DLS_OP_COS, x, e, r[1]);
    break;
  case DLS_TAPE_ADD_PRODUCT:
  case DLS_TAPE_SUB_PRODUCT:
  case DLS_TAPE_PRODUCT_SUB: error[0] = error_of_product_sum(op, x, e, r[0]); break;
  case DLS_TAPE_COPY: error[0] = e[0]; break;
  case DLS_TAPE_NEG_PRODUCT: error[0] = dls_op_error(DLS_OP_MUL, x, e, -r[0]); break;
  default: error[0] = dls_op_error((dls_op)op, x, e, r[0]);
  }
}

void dls_tape_bound(const dls_tape *tape, const double *slot, double *error)
{
  dls_tape_bound_at(tape, tape->coordinates, NULL, NULL, slot, error);
}

void dls_tape_bound_at(const dls_tape *tape, int first, const double *q_error,
                       const double *v_error, const double *slot, double *error)
{
  for (int k = 0; k < tape->first; k++) error[k] = DLS_ROUNDOFF * fabs(slot[k]);
  for (int k = 0; k < tape->constants; k++) error[k] *= (double)tape->constant_error[k];
  double *at = error + tape->time + 1;
  for (int k = first; q_error && v_error && k < tape->coordinates; k++)
    at[k] = q_error[k], at[tape->coordinates + k] = v_error[k];
  for (int i = 0; i < tape->runs; i++) {
    const dls_operation_run *run = &tape->run[i];
    int arguments = dls_tape_arguments(run->op), stride = run->op == DLS_TAPE_SINCOS ? 2 : 1;
    for (int k = 0; k < run->count; k++) {
      double x[3] = {0, 0, 0}, e[3] = {0, 0, 0};
      for (int j = 0; j < arguments; j++) {
        int from = tape->operands[run->operand + j * run->count + k];
        x[j] = slot[from];
        e[j] = error[from];
      }
      int to = run->result + stride * k;
      bound_operation(run->op, x, e, slot + to, error + to);
    }
  }
}

static uint64_t gather(const dls_tape *tape, int first, int count, const double *slot, double *out)
{
  uint64_t carry = 0;
  int end = first + count, k = 0;
  while (k < tape->pieces && tape->piece[k].end <= first) k++;
  for (; k < tape->pieces && tape->piece[k].begin < end; k++) {
    const dls_tape_piece *piece = &tape->piece[k];
    int low = piece->begin > first ? piece->begin : first;
    int high = piece->end < end ? piece->end : end;
    const int *from = tape->output + low;
    double *to = out + (low - first);
    if (piece->consecutive) carry |= copy_consecutive(slot + from[0], to, high - low);
    else carry |= copy_scattered(slot, from, to, high - low);
  }
  return carry;
}

static uint64_t gather_some(const dls_tape *tape, int first, int count, const double *slot,
                            double *out)
{
  // finding the pieces of a few outputs would take longer than copying them
  return count < FEW ? copy_scattered(slot, tape->output + first, out, count)
                     : gather(tape, first, count, slot, out);
}

bool dls_tape_gather(const dls_tape *tape, int first, int count, const double *slot, double *out)
{
  return gather_some(tape, first, count, slot, out) >> 63 == 0;
}

bool dls_tape_gather_groups(const dls_tape *tape, int groups, const int *first, const double *slot,
                            double *const *out)
{
  uint64_t carry = 0;
  for (int g = 0; g < groups; g++)
    carry |= gather_some(tape, first[g], first[g + 1] - first[g], slot, out[g]);
  return carry >> 63 == 0;
}
