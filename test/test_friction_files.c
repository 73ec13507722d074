// Real problems, from FCLIB files: `auto` solves every one of them from zero, and the error is
// recomputed here. The small files are always there; the whole collection is tried where it is.
#include <delassus/fclib.h>
#include <delassus/solve.h>

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// after the four above, which it needs
#include <cmocka.h>

#include "cases.h"

// The error of what the solver returns, in iterations.
static double solve(const dls_incremental *p, const char *solver, int *iterations)
{
  const size_t rows = (size_t)dls_incremental_rows(p), dof = p->global ? (size_t)p->dof : 0;
  double *r = calloc(rows + 1, sizeof *r), *v = calloc(dof + 1, sizeof *v), norm;
  dls_solve_options options = dls_solve_defaults();
  options.solver = solver;
  dls_solver *s = NULL;
  dls_message message = {""};
  dls_solve_report report;
  dls_incremental_error error;
  assert_int_equal(dls_solver_create(p, &options, &s, &message), DLS_OK);
  assert_int_equal(dls_solver_solve(s, r, v, NULL, &report), DLS_OK);
  assert_int_equal(dls_incremental_scale(p, &norm), DLS_OK);
  assert_int_equal(dls_incremental_residual(p, norm, r, v, NULL, &error), DLS_OK);
  const double worst = error.largest;
  assert_true(!report.converged || error.q <= options.tolerance);  // in the units of these files
  assert_int_equal(report.converged, worst <= options.tolerance);
  *iterations = report.iterations;
  dls_solver_free(s);
  free(r), free(v);
  return worst;
}

// Returns the number of files; -1 when there is no such directory.
static int solve_all(const char *directory, const char *solver, const char *only, int most)
{
  DIR *d = opendir(directory);
  int files = 0;
  if (!d) return -1;
  for (struct dirent *entry; (entry = readdir(d));) {
    const char *ending = strrchr(entry->d_name, '.');
    at_case("%s", ending);
    if (!ending || strcmp(ending, ".hdf5") != 0 || !strstr(entry->d_name, only)) continue;
    char path[1024];
    snprintf(path, sizeof path, "%.500s/%.500s", directory, entry->d_name);
    dls_fclib *f = NULL;
    dls_message message = {""};
    assert_int_equal(dls_fclib_read(path, &f, &message), DLS_OK);
    int iterations;
    const double error = solve(&f->problem, solver, &iterations);
    if (!(error <= 1e-8) || iterations > most)
      fail_msg("%s: %s reaches %.1e in %d iterations", entry->d_name, solver, error, iterations);
    dls_fclib_free(f);
    files++;
  }
  closedir(d);
  return files;
}

static const char *place(const char *inside)
{
  static char path[1024];
  const char *source = getenv("DELASSUS_SOURCE");
  snprintf(path, sizeof path, "%.500s/%.300s", source ? source : ".", inside);
  return path;
}

static void small_files(void **state)
{
  (void)state;
  assert_true(solve_all(place("test/data/friction"), "auto", "", 20) >= 4);
}

static void collection(void **state)
{
  (void)state;
  const char *const directory = "../shared/data/friction";
  if (solve_all(place(directory), "auto", "", 2000) < 0) {
    print_message("skipped: the collection is not beside the project\n");
    return;
  }
  // the hardest one needs the proximal term: with a wrong sign it is out of reach
  solve_all(place(directory), "proximal", "RockPile", 1500);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(small_files), cmocka_unit_test(collection)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
