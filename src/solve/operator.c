// What the two forms of the operator share.
#include "solve/operator.h"

#include <math.h>

dls_status dls_operator_create(const dls_incremental *problem, dls_operator **out)
{
  const dls_operator_type *type = !problem->global            ? &dls_operator_local
                                  : dls_operator_few(problem) ? &dls_operator_formed
                                                              : &dls_operator_global;
  return type->create(problem, out);
}

void dls_operator_free(dls_operator *op)
{
  if (op) op->type->destroy(op);
}

dls_status dls_operator_refresh(dls_operator *op)
{
  return op->type->refresh(op);
}

void dls_operator_velocity(dls_operator *op, const double *r, double *v, double *u)
{
  op->type->velocity(op, r, v, u);
}

void dls_operator_multiply(dls_operator *op, const double *x, double *y)
{
  op->type->multiply(op, x, y);
}

dls_status dls_operator_prepare(dls_operator *op, ptrdiff_t fill)
{
  return op->type->prepare(op, fill);
}

bool dls_operator_factor(dls_operator *op, const double *P, const double *Q)
{
  return op->type->factor(op, P, NULL, Q);
}

bool dls_operator_factor_right(dls_operator *op, const double *R, const double *Q)
{
  return op->type->factor(op, NULL, R, Q);
}

int dls_operator_sign(const dls_operator *op)
{
  return op->type->sign(op);
}

void dls_operator_solve(dls_operator *op, double *b)
{
  op->type->solve(op, b);
}

bool dls_operator_has_rows(const dls_operator *op)
{
  return op->has_rows;
}

void dls_operator_rows_begin(dls_operator *op, const double *r)
{
  op->type->rows_begin(op, r);
}

void dls_operator_row(const dls_operator *op, int block, const double *r, double *u)
{
  op->type->row(op, block, r, u);
}

void dls_operator_row_changed(dls_operator *op, int block, const double *change)
{
  op->type->row_changed(op, block, change);
}

void dls_operator_rho(const dls_operator *op, double *rho)
{
  const int area = op->d * op->d;
  for (int i = 0; i < op->blocks; i++) {
    double sum = 0;
    for (int k = 0; k < area; k++) {
      const double w = op->diagonal[(ptrdiff_t)area * i + k];
      sum += w * w;
    }
    rho[i] = sum > 0 ? 1 / sqrt(sum) : 1;
  }
}
