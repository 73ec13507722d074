// What loads reach, eq (inc.13): drawn problems with numbers of many orders of magnitude, against
// the definition, step by step over all pairs until nothing changes.
#include "contact/incremental.h"
#include "numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { NODES = 24, ROWS = 3 * NODES, DOF = 20, ENTRIES = ROWS * ROWS };

// A matrix by columns.
typedef struct matrix {
  int p[ROWS + 1], i[ENTRIES];
  double x[ENTRIES];
} matrix;

static double spread(int orders)
{
  const double size = ldexp(1 + fabs(uniform()), -below(orders));
  return below(2) ? size : -size;
}

// entries: on average, of each column, in rows; the diagonal too where there is one.
static dls_matrix_view draw(matrix *a, int rows, int cols, int entries, bool diagonal, int orders)
{
  int count = 0;
  for (int j = 0; j < cols; j++) {
    a->p[j] = count;
    for (int i = 0; i < rows; i++)
      if ((diagonal && i == j) || below(rows) < entries)
        a->i[count] = i, a->x[count++] = below(10) || !diagonal || i == j ? spread(orders) : 0;
  }
  a->p[cols] = count;
  return (dls_matrix_view){{rows, cols, a->p, a->i}, a->x};
}

static int draw_loads(int contacts, double *load)
{
  int loaded = 0;
  for (int k = 0; k < contacts; k++) {
    load[k] = below(3) ? 0 : fabs(spread(60));
    loaded += load[k] > 0;
  }
  return loaded;
}

// part[to][from]: of a velocity at `from` that reaches `to`.
static void define(int nodes, int contacts, double part[NODES][NODES], const double *load,
                   double *share)
{
  double label[NODES] = {0}, top = 0;
  bool changed = true;
  memcpy(label, load, (size_t)contacts * sizeof *label);
  while (changed) {
    changed = false;
    for (int a = 0; a < nodes; a++)
      for (int b = 0; b < nodes; b++) {
        const double comes = label[b] * fmin(1, 1024 * part[a][b]);
        if (comes > label[a]) label[a] = comes, changed = true;
      }
  }
  for (int k = 0; k < contacts; k++) top = fmax(top, label[k]);
  for (int k = 0; k < contacts; k++) share[k] = label[k] > 0 ? label[k] / top : 1;
}

static int compare(const dls_incremental *p, const double *d, double part[NODES][NODES])
{
  double load[NODES], share[NODES], expected[NODES];
  int less = 0;
  dls_reach *reach = NULL;
  assert_int_equal(dls_reach_create(p, &reach), DLS_OK);
  for (int turn = 0; turn < 2; turn++) {  // of one problem, then of another with the same matrices
    draw_loads(p->contacts, load);
    memcpy(share, load, sizeof share);
    dls_reach_forget(reach);
    dls_reach_find(p, d, reach, share);
    define(p->contacts + (p->global ? 0 : p->equations), p->contacts, part, load, expected);
    for (int k = 0; k < p->contacts; k++) {
      if (!(fabs(share[k] - expected[k]) <= 1e-12 * expected[k]))
        fail_msg("contact %d has the share %g, not %g", k, share[k], expected[k]);
      less += expected[k] < 1;
    }
    dls_reach_find(p, d, reach, load);  // known: nothing happens
    dls_reach_find(p, d, reach, share);
    for (int k = 0; k < p->contacts; k++) assert_true(share[k] <= 1);
  }
  dls_reach_free(reach);
  return less;
}

static void local_form(void **state)
{
  (void)state;
  static matrix W;
  static double part[NODES][NODES];
  int less = 0;
  for (int t = 0; t < TRIED(400); t++) {
    at_case("t %d", t);
    const int size = 2 + t % 2, contacts = 2 + below(12), equations = below(4);
    const int nodes = contacts + equations, end = size * contacts, rows = end + equations;
    dls_incremental p = {.dimension = size, .contacts = contacts, .equations = equations};
    p.W = draw(&W, rows, rows, 1 + below(4), true, 2 + 30 * below(2));
    double d[NODES];
    for (int k = 0; k < nodes; k++) d[k] = fabs(spread(20));
    memset(part, 0, sizeof part);
    for (int j = 0; j < rows; j++)
      for (int e = W.p[j]; e < W.p[j + 1]; e++) {
        const int from = j < end ? j / size : contacts + j - end, i = W.i[e];
        const int to = i < end ? i / size : contacts + i - end;
        const double unit = from < contacts && to < contacts ? d[from] : sqrt(d[from] * d[to]);
        part[to][from] = fmax(part[to][from], fabs(W.x[e]) / unit);
      }
    less += compare(&p, d, part);
  }
  assert_true(less > TRIED(400));
}

// Which coordinates M and equations connect: numbers of classes, by spreading the least one.
static void classes(const dls_incremental *p, const matrix *M, const matrix *H, int *class)
{
  for (int k = 0; k < DOF; k++) class[k] = k;
  for (int round = 0; round < DOF; round++) {
    for (int j = 0; j < DOF; j++)
      for (int e = M->p[j]; e < M->p[j + 1]; e++)
        class[j] = class[M->i[e]] = class[j] < class[M->i[e]] ? class[j] : class[M->i[e]];
    for (int j = p->dimension * p->contacts; j < p->H.pattern.cols; j++)
      for (int e = H->p[j]; e < H->p[j + 1]; e++)
        for (int f = H->p[j]; f < H->p[j + 1]; f++)
          if (class[H->i[f]] < class[H->i[e]]) class[H->i[e]] = class[H->i[f]];
  }
}

// of[i][g]: the part of d that contact i has from the coordinates of the class g.
static void find_parts(const dls_incremental *p, const matrix *M, const matrix *H,
                       double of[NODES][DOF])
{
  int class[DOF];
  classes(p, M, H, class);
  memset(of, 0, NODES * sizeof *of);
  for (int i = 0; i < p->contacts; i++)
    for (int e = H->p[p->dimension * i]; e < H->p[p->dimension * (i + 1)]; e++)
      for (int f = M->p[H->i[e]]; f < M->p[H->i[e] + 1]; f++)
        if (M->i[f] == H->i[e]) of[i][class[H->i[e]]] += H->x[e] * H->x[e] / fabs(M->x[f]);
}

static void global_form(void **state)
{
  (void)state;
  static matrix M, H;
  static double part[NODES][NODES], of[NODES][DOF];
  int less = 0;
  for (int t = 0; t < TRIED(400); t++) {
    at_case("t %d", t);
    const int size = 2 + t % 2, contacts = 2 + below(12), equations = below(3);
    dls_incremental p = {.dimension = size,
                         .contacts = contacts,
                         .equations = equations,
                         .global = true,
                         .dof = DOF};
    p.M = draw(&M, DOF, DOF, below(4) == 0, true, 20);
    p.H = draw(&H, DOF, size * contacts + equations, 1, false, 12);
    find_parts(&p, &M, &H, of);
    memset(part, 0, sizeof part);
    for (int b = 0; b < contacts; b++) {
      double own = 0;
      for (int g = 0; g < DOF; g++) own += of[b][g];
      for (int a = 0; a < contacts; a++)
        for (int g = 0; g < DOF && own > 0; g++)
          part[a][b] = fmax(part[a][b], sqrt(of[b][g] / own * (of[a][g] / own)));
    }
    less += compare(&p, NULL, part);
  }
  assert_true(less > TRIED(400));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(local_form), cmocka_unit_test(global_form)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
