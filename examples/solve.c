// A contact problem of one's own, solved: two blocks on one another are pushed, and the lower one
// begins to slide.
//
//   M v = H r + f,   u = H^T v,   (u, r) by Coulomb's law at each contact
//
//   cc solve.c $(pkg-config --cflags --libs delassus) -lm
#include <delassus/delassus.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
  // v = (x_1, z_1, x_2, z_2); each contact has a row for its normal, then one for its slip
  const double m = 2, g = 10, h = 0.01, push = 30, mu[] = {0.5, 0.5};
  const int M_p[] = {0, 1, 2, 3, 4}, M_i[] = {0, 1, 2, 3};
  const double M_x[] = {m, m, m, m};
  const int H_p[] = {0, 1, 2, 4, 6};
  const int H_i[] = {1, 0, 1, 3, 0, 2};  // floor: z_1, x_1; between: z_2 - z_1, x_2 - x_1
  const double H_x[] = {1, 1, -1, 1, -1, 1};
  const double f[] = {push * h, -m * g * h, 0, -m * g * h}, w[] = {0, 0, 0, 0};
  const dls_incremental problem = {.dimension = 2,
                                   .contacts = 2,
                                   .mu = mu,
                                   .global = true,
                                   .dof = 4,
                                   .M = {{4, 4, M_p, M_i}, M_x},
                                   .H = {{4, 4, H_p, H_i}, H_x},
                                   .f = f,
                                   .w = w};
  dls_solver *solver = NULL;
  dls_solve_report report = {0};
  dls_message message = {{0}};
  double r[4] = {0}, v[4] = {0}, u[4] = {0};
  dls_status status = dls_incremental_validate(&problem, &message);
  if (status == DLS_OK) status = dls_solver_create(&problem, NULL, &solver, &message);
  if (status == DLS_OK) status = dls_solver_solve(solver, r, v, u, &report);
  dls_solver_free(solver);
  if (status != DLS_OK) {
    fprintf(stderr, "%s: %s\n", dls_status_text(status), message.text);
    return 2;
  }
  printf("delassus %s: %s, residual %.1e; the floor bears %.4g N, and friction there is %.4g N\n",
         dls_version(), dls_stop_text(report.stop), report.error.largest, r[0] / h, r[1] / h);
  // both go together: 30 N less 0.5 * 40 N of friction move 4 kg
  return report.converged && fabs(v[0] - 2.5 * h) < 1e-9 && fabs(v[2] - 2.5 * h) < 1e-9 ? 0 : 1;
}
