// The wall around CLP: see clp.h.
#include "convex/clp.h"

#include <cmath>
#include <coin/ClpSimplex.hpp>
#define CLP_EXTERN_C  // shows what a model of the C interface is
#include <coin/Clp_C_Interface.h>

namespace
{

enum { AT_NONE = 0, BASIC = 1, AT_UPPER = 2, AT_LOWER = 3 };
enum { OPTIMAL = 0, INFEASIBLE = 1, UNBOUNDED = 2 };

Clp_Simplex *model_of(void *model)
{
  return static_cast<Clp_Simplex *>(model);
}

// Whatever is thrown ends here.
template <typename Work> bool held(Work work) noexcept
{
  try {
    work();
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

void *dls_clp_create(const dls_clp_data *d)
{
  Clp_Simplex *model = nullptr;
  const bool made = held([&] {
    model = Clp_newModel();
    Clp_setLogLevel(model, 0);
    Clp_loadProblem(model, d->cols, d->rows, d->p, d->i, d->a, d->col_low, d->col_high, d->cost,
                    d->row_low, d->row_high);
  });
  return made ? model : nullptr;
}

void dls_clp_free(void *model)
{
  if (model) held([&] { Clp_deleteModel(model_of(model)); });
}

bool dls_clp_set_cost(void *model, const double *cost)
{
  return held([&] { Clp_chgObjCoefficients(model_of(model), cost); });
}

bool dls_clp_reset(void *model, int rows, int cols, const double *low, const double *high)
{
  return held([&] {
    for (int j = 0; j < cols; j++) {
      const int rests = !std::isinf(low[j]) ? AT_LOWER : std::isinf(high[j]) ? AT_NONE : AT_UPPER;
      Clp_setColumnStatus(model_of(model), j, rests);
    }
    for (int i = 0; i < rows; i++) Clp_setRowStatus(model_of(model), i, BASIC);
  });
}

dls_clp_answer dls_clp_run(void *model, const dls_clp_call *call)
{
  Clp_Simplex *clp = model_of(model);
  int status = -1;
  const bool ended = held([&] {
    // that of an unbounded program has one entry per column; an infeasible one, later, would take
    // it for its own, with one per row
    clp->model_->deleteRay();
    Clp_setPrimalTolerance(clp, call->tolerance);
    Clp_setDualTolerance(clp, call->tolerance);
    Clp_scaling(clp, call->scaled ? 3 : 0);
    Clp_setNumberIterations(clp, 0);
    Clp_setMaximumIterations(clp, call->iterations);
    if (call->primal) Clp_primal(clp, 0);
    else Clp_dual(clp, 0);
    status = Clp_status(clp);
  });
  if (!ended) return DLS_CLP_EXHAUSTED;
  switch (status) {
  case OPTIMAL: return DLS_CLP_OPTIMAL;
  case INFEASIBLE: return DLS_CLP_INFEASIBLE;
  case UNBOUNDED: return DLS_CLP_UNBOUNDED;
  default: return DLS_CLP_STOPPED;
  }
}

// ---- what only reads: nothing is thrown ---------------------------------------------------------

bool dls_clp_basic_col(void *model, int j)
{
  return Clp_getColumnStatus(model_of(model), j) == BASIC;
}

bool dls_clp_basic_row(void *model, int i)
{
  return Clp_getRowStatus(model_of(model), i) == BASIC;
}

double *dls_clp_x(void *model)
{
  return Clp_primalColumnSolution(model_of(model));
}

const double *dls_clp_activity(void *model)
{
  return Clp_getRowActivity(model_of(model));
}

const double *dls_clp_y(void *model)
{
  return Clp_getRowPrice(model_of(model));
}
