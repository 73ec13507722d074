// The operations: how many arguments, their value, and how rounding errors pass through them.
#include "model/expression_graph_internal.h"
#include <assert.h>
#include <math.h>

int dls_op_arguments(dls_op op)
{
  assert(op >= 0 && op < DLS_OP_COUNT);
  if (op <= DLS_OP_INPUT) return 0;
  switch (op) {
  case DLS_OP_ADD:
  case DLS_OP_SUB:
  case DLS_OP_MUL:
  case DLS_OP_DIV:
  case DLS_OP_POW:
  case DLS_OP_ATAN2:
  case DLS_OP_MIN:
  case DLS_OP_MAX:
  case DLS_OP_LESS:
  case DLS_OP_LESS_EQUAL:
  case DLS_OP_EQUAL:
  case DLS_OP_NOT_EQUAL: return 2;
  case DLS_OP_IF: return 3;
  default: return 1;
  }
}

static double apply_function(dls_op op, double a)
{
  switch (op) {
  case DLS_OP_SIN: return sin(a);
  case DLS_OP_COS: return cos(a);
  case DLS_OP_TAN: return tan(a);
  case DLS_OP_ASIN: return asin(a);
  case DLS_OP_ACOS: return acos(a);
  case DLS_OP_ATAN: return atan(a);
  case DLS_OP_SINH: return sinh(a);
  case DLS_OP_COSH: return cosh(a);
  case DLS_OP_TANH: return tanh(a);
  case DLS_OP_EXP: return exp(a);
  case DLS_OP_LOG: return log(a);
  case DLS_OP_LOG2: return log2(a);
  case DLS_OP_SQRT: return sqrt(a);
  case DLS_OP_ABS: return fabs(a);
  case DLS_OP_SIGN: return isnan(a) ? a : (double)((a > 0) - (a < 0));
  case DLS_OP_FLOOR: return floor(a);
  default: assert(false && "an operation with arguments"); return NAN;
  }
}

static double apply_comparison(dls_op op, double a, double b)
{
  if (isnan(a) || isnan(b)) return NAN;
  switch (op) {
  case DLS_OP_MIN: return a < b ? a : b;
  case DLS_OP_MAX: return a < b ? b : a;
  case DLS_OP_LESS: return a < b;
  case DLS_OP_LESS_EQUAL: return a <= b;
  case DLS_OP_EQUAL: return a == b;
  default: return a != b;
  }
}

double dls_op_apply(dls_op op, double a, double b, double c)
{
  switch (op) {
  case DLS_OP_ADD: return a + b;
  case DLS_OP_SUB: return a - b;
  case DLS_OP_MUL: return a * b;
  case DLS_OP_DIV: return a / b;
  case DLS_OP_NEG: return -a;
  case DLS_OP_POW: return pow(a, b);
  case DLS_OP_ATAN2: return atan2(a, b);
  case DLS_OP_MIN:
  case DLS_OP_MAX:
  case DLS_OP_LESS:
  case DLS_OP_LESS_EQUAL:
  case DLS_OP_EQUAL:
  case DLS_OP_NOT_EQUAL: return apply_comparison(op, a, b);
  case DLS_OP_IF: return isnan(a) ? a : a != 0 ? b : c;
  default: return apply_function(op, a);
  }
}

// asin and acos: the slope grows without bound towards +-1, where a square root takes over.
static double error_arc(double a, double e)
{
  double edge = 1 - fabs(a) - e;
  if (edge > e) return e / sqrt(edge * (1 + fabs(a) + e));
  return e > 0 ? 0.5 * 3.1415926535897932 * sqrt(2 * (1 - fabs(a) + e)) : 0;
}

static double error_sqrt(double a, double e)
{
  double slope = sqrt(a) + sqrt(a > e ? a - e : 0);
  return slope > 0 ? e / slope : sqrt(e);
}

static double error_pow(double a, double b, double ea, double eb, double r)
{
  double error = 0;
  if (ea > 0) error = a != 0 ? fabs(b * r / a) * ea : b < 1 ? pow(ea, fabs(b)) : b > 1 ? 0 : ea;
  if (eb > 0 && r != 0) error += fabs(r * log(fabs(a))) * eb;
  return error;
}

// The propagated part, |f'(a)| times the error of a.
static double error_function(dls_op op, double a, double e, double r)
{
  switch (op) {
  case DLS_OP_SIN: return fabs(cos(a)) * e + 0.5 * e * e;
  case DLS_OP_COS: return fabs(sin(a)) * e + 0.5 * e * e;
  case DLS_OP_TAN: return (1 + r * r) * e;
  case DLS_OP_ASIN:
  case DLS_OP_ACOS: return error_arc(a, e);
  case DLS_OP_ATAN: return e / (1 + a * a);
  case DLS_OP_SINH: return cosh(a) * e;
  case DLS_OP_COSH: return fabs(sinh(a)) * e + 0.5 * r * e * e;
  case DLS_OP_TANH: return (1 - r * r) * e;
  case DLS_OP_EXP: return r * e;
  case DLS_OP_LOG: return e > 0 ? e / fabs(a) : 0;
  case DLS_OP_LOG2: return e > 0 ? e / (0.69314718055994531 * fabs(a)) : 0;
  case DLS_OP_SQRT: return error_sqrt(a, e);
  default: assert(false && "a smooth function"); return NAN;
  }
}

// Operations with jumps: exact while the arguments are clear of the jump, a whole jump otherwise.
static double error_piecewise(dls_op op, const double x[3], const double error[3], double r)
{
  double gap = x[0] - x[1], blur = error[0] + error[1];
  switch (op) {
  case DLS_OP_ABS: return error[0];
  case DLS_OP_SIGN: return error[0] > 0 && fabs(x[0]) <= error[0] ? 2 : 0;
  case DLS_OP_FLOOR:
    if (error[0] == 0) return 0;
    return floor(x[0] + error[0]) != r || floor(x[0] - error[0]) != r ? 1 + error[0] : 0;
  case DLS_OP_MIN:
  case DLS_OP_MAX:
    if (fabs(gap) > blur) return (gap < 0) == (op == DLS_OP_MIN) ? error[0] : error[1];
    return error[0] > error[1] ? error[0] : error[1];
  case DLS_OP_IF: {
    double chosen = x[0] != 0 ? error[1] : error[2];
    if (error[0] == 0 || fabs(x[0]) > error[0]) return chosen;
    double jump = fabs(x[1] - x[2]) + error[1] + error[2];
    return isfinite(jump) ? jump : chosen;
  }
  default: return blur > 0 && fabs(gap) <= blur ? 1 : 0;
  }
}

// Exact arguments and an operation that did not round.
static bool exact(dls_op op, const double x[3], const double error[3], double r)
{
  int count = dls_op_arguments(op);
  for (int k = 0; k < count; k++)
    if (error[k] != 0) return false;
  switch (op) {
  case DLS_OP_ADD: return r - x[0] == x[1] && r - x[1] == x[0];
  case DLS_OP_SUB: return x[0] - r == x[1] && r + x[1] == x[0];
  case DLS_OP_MUL: return fma(x[0], x[1], -r) == 0;
  case DLS_OP_DIV: return fma(r, x[1], -x[0]) == 0;
  case DLS_OP_SQRT: return fma(r, r, -x[0]) == 0;
  case DLS_OP_TANH: return r == 0;  // 1 is a rounded value
  default: return x[0] == rint(x[0]) && r == rint(r) && fabs(r) <= 1048576;
  }
}

double dls_op_error(dls_op op, const double x[3], const double error[3], double r)
{
  const double u = DLS_ROUNDOFF, size = fabs(r);
  if (exact(op, x, error, r)) return 0;
  switch (op) {
  case DLS_OP_ADD:
  case DLS_OP_SUB: return error[0] + error[1] + u * size;
  case DLS_OP_MUL:
    return fabs(x[0]) * error[1] + fabs(x[1]) * error[0] + error[0] * error[1] + u * size;
  case DLS_OP_DIV: return (error[0] + size * error[1]) / fabs(x[1]) + u * size;
  case DLS_OP_NEG: return error[0];
  case DLS_OP_POW: return error_pow(x[0], x[1], error[0], error[1], r) + 2 * u * size;
  case DLS_OP_ATAN2: {
    double square = x[0] * x[0] + x[1] * x[1];
    double turn = fabs(x[1]) * error[0] + fabs(x[0]) * error[1];
    return (square > 0 ? turn / square : error[0] + error[1] > 0 ? 6.3 : 0) + 2 * u * size;
  }
  case DLS_OP_SINH:
  case DLS_OP_COSH:
  case DLS_OP_TANH: return error_function(op, x[0], error[0], r) + 4 * u * size;
  default:
    if (op >= DLS_OP_ABS) return error_piecewise(op, x, error, r);
    return error_function(op, x[0], error[0], r) + 2 * u * size;
  }
}
