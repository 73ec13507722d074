// Runge-Kutta methods for the smooth pieces, by their tableaux.
#ifndef DLS_STEP_RUNGE_KUTTA_H
#define DLS_STEP_RUNGE_KUTTA_H

#include <stdbool.h>

enum { DLS_RK_STAGES = 16, DLS_RK_DENSE = 4 };

// Weights of the derivatives inside a step: beyond those of Hermite's cubic.
typedef struct dls_tableau_dense {
  int rows;
  double d[DLS_RK_DENSE][DLS_RK_STAGES];  // eq (rkm.8)
} dls_tableau_dense;

// With k_i the derivative at stage i and k_0 that at the begin of the step:      eq (rkm.1)
//
//   x_i = x_0 + h sum_j A_ij k_j,   x_1 = x_0 + h sum_i b_i k_i,
//   error estimate h (e_0 k_0 + sum_i e_i k_i).
typedef struct dls_tableau {
  const char *name;
  int stages;
  int order;
  int estimate;               // the error estimate is of the size h^(estimate + 1)
  int extra;                  // stages after the last one, for dense output only
  int samples;                // stages that are as accurate inside a step as gaps ask for,
  int sample[DLS_RK_STAGES];  // in the order in which they are looked at
  bool implicit;
  bool starts;  // the first stage is the begin of the step
  bool ends;    // the last stage is its end; of explicit methods: with the weights b
  bool two;     // there is a second estimate, of lower order: eq (rkm.7)
  double c[DLS_RK_STAGES];
  double A[DLS_RK_STAGES][DLS_RK_STAGES];
  double b[DLS_RK_STAGES];
  double e_0;
  double e[DLS_RK_STAGES];
  double e_low[DLS_RK_STAGES];
  double rough[DLS_RK_STAGES];  // where e needs a stage that nothing else does, or says too much:
                                // size of the error
  dls_tableau_dense dense;      // of explicit methods; without rows there is none
  dls_tableau_dense free;       // the same without extra stages, of lower order
  double free_error[DLS_RK_STAGES];  // sum_i of these and k_i: the sixth derivative, h^6 k^(6) / 6!
} dls_tableau;

// The weights of the derivatives at the part x of a step, by one of the method's dense outputs.
void dls_tableau_inside(const dls_tableau *tableau, const dls_tableau_dense *dense, double x,
                        double weight[DLS_RK_STAGES]);

// What the free dense output makes of x^6 at the part x of a step is wrong by that.  eq (rkm.9)
double dls_tableau_free_error(const dls_tableau *tableau, double x);

int dls_tableau_count(void);
// By number; false when there is none.
bool dls_tableau_at(int index, dls_tableau *tableau);
// By the name of its scheme; false when there is none.
bool dls_tableau_find(const char *name, dls_tableau *tableau);

#endif
