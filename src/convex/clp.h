// CLP behind a wall. It is C++ and throws where memory runs out, or where it meets what it does not
// expect: nothing may be thrown through C. A call that was cut short leaves a model in an unknown
// state: it is never touched again, nor freed.
#ifndef DLS_CONVEX_CLP_H
#define DLS_CONVEX_CLP_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a program consists of; bounds of +-DBL_MAX are none. A is in compressed columns.
typedef struct dls_clp_data {
  int rows, cols;
  const int *p, *i;
  const double *a;
  const double *row_low, *row_high, *col_low, *col_high;
  const double *cost;
} dls_clp_data;

// One run of the simplex method, from the basis that the model has.
typedef struct dls_clp_call {
  double tolerance;
  bool scaled, primal;
  int iterations;  // at most
} dls_clp_call;

typedef enum dls_clp_answer {
  DLS_CLP_OPTIMAL,
  DLS_CLP_INFEASIBLE,
  DLS_CLP_UNBOUNDED,
  DLS_CLP_STOPPED,    // without an answer
  DLS_CLP_EXHAUSTED,  // memory ran out, or CLP broke off: the model is lost
} dls_clp_answer;

// NULL when memory ran out.
void *dls_clp_create(const dls_clp_data *data);
void dls_clp_free(void *model);

// false: the model is lost.
bool dls_clp_set_cost(void *model, const double *cost);
// The slack basis; every column rests at the bound of `low` or `high` that is finite.
bool dls_clp_reset(void *model, int rows, int cols, const double *low, const double *high);
dls_clp_answer dls_clp_run(void *model, const dls_clp_call *call);

// The final basis and its numbers: columns and rows, and the multipliers of rows.
bool dls_clp_basic_col(void *model, int j);
bool dls_clp_basic_row(void *model, int i);
double *dls_clp_x(void *model);
const double *dls_clp_activity(void *model);
const double *dls_clp_y(void *model);

#ifdef __cplusplus
}
#endif
#endif
