// Runge-Kutta methods for the smooth pieces, by their tableaux.
#ifndef DLS_STEP_RUNGE_KUTTA_H
#define DLS_STEP_RUNGE_KUTTA_H

#include <stdbool.h>

enum { DLS_RK_STAGES = 7 };

// With k_i the derivative at stage i and k_0 that at the begin of the step:      eq (rkm.1)
//
//   x_i = x_0 + h sum_j A_ij k_j,   x_1 = x_0 + h sum_i b_i k_i,
//   error estimate h (e_0 k_0 + sum_i e_i k_i).
typedef struct dls_tableau {
  const char *name;
  int stages;
  int order;
  int estimate;  // the error estimate is of the size h^(estimate + 1)
  bool implicit;
  bool starts;  // the first stage is the begin of the step
  bool ends;    // the last stage is its end
  double c[DLS_RK_STAGES];
  double A[DLS_RK_STAGES][DLS_RK_STAGES];
  double b[DLS_RK_STAGES];
  double e_0;
  double e[DLS_RK_STAGES];
} dls_tableau;

int dls_tableau_count(void);
// By number; false when there is none.
bool dls_tableau_at(int index, dls_tableau *tableau);
// By the name of its scheme; false when there is none.
bool dls_tableau_find(const char *name, dls_tableau *tableau);

#endif
