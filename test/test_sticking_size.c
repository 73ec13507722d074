// Can all contacts stick, where there are many of them.
#include "numbers.h"
#include "sticking_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

static double seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double timed(const sticking *g, unsigned what, dls_answer expected)
{
  dls_status status;
  const double start = seconds();
  stuck *s = stuck_run(&g->problem, what, &status);
  const double took = seconds() - start;
  assert_int_equal(status, DLS_OK);
  if (expected != DLS_NOT_ASKED) assert_int_equal(stuck_verify(&g->problem, &s->check), expected);
  else
    print_message("  least %.12g in [%.3g %.3g]\n", s->check.limit[DLS_LIMIT_LEAST].value,
                  s->check.limit[DLS_LIMIT_LEAST].low, s->check.limit[DLS_LIMIT_LEAST].high);
  stuck_free(s);
  return took;
}

// One object held by a thousand contacts on a sphere.
static sticking *urchin(int contacts, double mu)
{
  int *tangents = malloc((size_t)contacts * sizeof *tangents);
  for (int j = 0; j < contacts; j++) tangents[j] = 2;
  sticking *p = sticking_create(6, 0, contacts, tangents);
  free(tangents);
  for (int j = 0; j < contacts; j++) {
    // on the lower half of a sphere
    double at[3] = {uniform(), uniform(), -1 - fabs(uniform())}, e[3][3], normal[3];
    const double size = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
    for (int i = 0; i < 3; i++) at[i] /= size, normal[i] = -at[i] + 0.2 * uniform();
    sticking_frame(normal, e);
    sticking_touch(p, j, 0, at, (const double(*)[3])e);
    p->mu[j] = mu;
  }
  p->F[0] = 0.1, p->F[2] = 1, p->F[4] = 0.02;
  return p;
}

// Columns of spheres side by side: each touches the one below and the one to the left.
static sticking *columns(int width, int height, double mu)
{
  const int bodies = width * height, contacts = bodies + (width - 1) * height;
  int *tangents = malloc((size_t)contacts * sizeof *tangents), c = 0;
  for (int j = 0; j < contacts; j++) tangents[j] = 2;
  sticking *p = sticking_create(6 * bodies, 0, contacts, tangents);
  free(tangents);
  double up[3][3], right[3][3], down[3][3], left[3][3];
  sticking_frame((const double[]){0, 0, 1}, up);
  sticking_frame((const double[]){1, 0, 0}, right);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) down[k][i] = -up[k][i], left[k][i] = -right[k][i];
  for (int w = 0; w < width; w++)
    for (int h = 0; h < height; h++) {
      const int body = w * height + h;
      sticking_touch(p, c, body, (const double[]){0, 0, -1}, (const double(*)[3])up);
      if (h) sticking_touch(p, c, body - 1, (const double[]){0, 0, 1}, (const double(*)[3])down);
      p->mu[c++] = mu;
      if (!w) continue;
      sticking_touch(p, c, body, (const double[]){-1, 0, 0}, (const double(*)[3])right);
      sticking_touch(p, c, body - height, (const double[]){1, 0, 0}, (const double(*)[3])left);
      p->mu[c++] = mu;
    }
  return p;
}

// Forces inside of the cones, and the load that belongs to them.
static void load_inside(sticking *p)
{
  double *z = vector(p->n), *lambda = vector(p->m_u), *tau = vector(p->tangents);
  for (int j = 0; j < p->m_u; j++) {
    lambda[j] = 0.2 + fabs(uniform());
    for (int k = 0; k < 2; k++) tau[2 * j + k] = 0.3 * uniform() * lambda[j];
  }
  sticking_load(p, z, lambda, tau);
  free(z), free(lambda), free(tau);
}

// The last sphere of the uppermost row is pulled up: its neighbour cannot hold it.
static void pull_last(sticking *p)
{
  p->F[p->n - 4] = -5, p->F[p->n - 6] = p->F[p->n - 5] = 0;
  for (int i = 1; i <= 3; i++) p->F[p->n - i] = 0;
}

static void large(void **state)
{
  (void)state;
  const unsigned question = DLS_ASK(DLS_CAN_ALL_STICK), least = DLS_ASK_LIMIT(DLS_LIMIT_LEAST);
  sticking *p = urchin(TRIED(1000), 0.5);
  print_message("one body, many contacts: %.2f s yes\n", timed(p, question, DLS_YES));
  print_message("  %.2f s least\n", timed(p, least, DLS_NOT_ASKED));
  p->F[2] = -1;
  print_message("  %.2f s no\n", timed(p, question, DLS_NO));
  sticking_free(p);
  p = columns(TRIED(25), 20, 0.5);
  load_inside(p);
  print_message("%d spheres, %d contacts: %.2f s yes\n", p->n / 6, p->m_u,
                timed(p, question, DLS_YES));
  pull_last(p);
  print_message("  %.2f s no\n", timed(p, question, DLS_NO));
  sticking_free(p);
  p = columns(8, 8, 0.5);
  load_inside(p);
  print_message("%d spheres, %d contacts: %.2f s yes\n", p->n / 6, p->m_u,
                timed(p, question, DLS_YES));
  print_message("  %.2f s least\n", timed(p, least, DLS_NOT_ASKED));
  pull_last(p);
  print_message("  %.2f s everything\n", timed(p, 0, DLS_NO));
  sticking_free(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(large)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
