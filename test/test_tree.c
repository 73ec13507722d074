// The forest of a mechanism: motions, M and F against transformations in complex numbers and
// Lagrange's equations (forest.h), which share no code with it.
#include "forest.h"
#include "numbers.h"

#include "body/tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"

enum { MOST = 6 * FOREST_BODIES };

typedef struct fixture {
  forest f;
  dls_tree *tree;
  double q[2 * MOST], x[MOST], x_dot[MOST], a[MOST];
} fixture;

static void set_up(fixture *z, const forest_options *o)
{
  dls_message message = {""};
  forest_draw(&z->f, o);
  assert_int_equal(dls_tree_create(&z->f.mechanism, &z->tree, &message), DLS_OK);
  assert_int_equal(z->tree->n, z->f.n);
  assert_int_equal(z->tree->nq, z->f.nq);
  forest_draw_state(&z->f, z->q, z->x, z->x_dot);
  for (int k = 0; k < z->f.n; k++) z->a[k] = uniform();
  assert_int_equal(dls_tree_centre(z->tree, z->q, &message), DLS_OK);
}

// M as the library has it, dense.
static void dense_mass(const dls_tree *tree, const double *M, double *out)
{
  memset(out, 0, sizeof *out * (size_t)(tree->n * tree->n));
  for (int j = 0; j < tree->n; j++)
    for (int e = tree->mass.p[j]; e < tree->mass.p[j + 1]; e++)
      out[tree->mass.i[e] * tree->n + j] = M[e];
}

static void mass_and_forces_are_those_of_lagrange(void **state)
{
  (void)state;
  static fixture z;
  for (int seed = 0; seed < TRIED(40); seed++) {
    at_case("seed %d", seed);
    const forest_options o = forest_everything(1 + below(7));
    set_up(&z, &o);
    const int n = z.f.n;
    double *M = vector(z.tree->mass.p[n] + 1), *dense = vector(n * n + 1), *R = vector(n + 1);
    long double *true_M = calloc((size_t)(n * n) + 1, sizeof *true_M),
                *true_R = calloc((size_t)n + 1, sizeof *true_R), at[MOST];
    for (int k = 0; k < n; k++) at[k] = z.x[k];
    assert_int_equal(dls_tree_move(z.tree, z.x, z.x_dot, z.a, false), DLS_OK);
    dls_tree_mass(z.tree, M, NULL);
    dls_tree_forces(z.tree, R, NULL);
    dense_mass(z.tree, M, dense);
    forest_mass(&z.f, z.q, at, true_M);
    forest_forces(&z.f, z.q, z.x, z.x_dot, z.a, true_R);
    double size = 1e-3, kinetic = 0, potential = 0, T = 0;
    for (int k = 0; k < n * n; k++) size = fmax(size, fabs(dense[k]));
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        T += 0.5 * dense[i * n + j] * z.x_dot[i] * z.x_dot[j];
        close_to(dense[i * n + j], (double)true_M[i * n + j], 1e-13 * size);
      }
    for (int k = 0; k < n; k++) size = fmax(size, fabs(R[k]));
    for (int k = 0; k < n; k++) close_to(R[k], (double)true_R[k], 1e-10 * size);
    dls_tree_energy(z.tree, &kinetic, &potential);
    close_to(kinetic, T, 1e-12 * (1 + T));
    close_to(potential, (double)forest_potential(&z.f, z.q, at), 1e-11 * (1 + fabs(potential)));
    free(M), free(dense), free(R), free(true_M), free(true_R);
    dls_tree_free(z.tree);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_and_forces_are_those_of_lagrange),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
