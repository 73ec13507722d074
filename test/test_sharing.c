// Redundant contacts that slide with friction: is the motion determined? Truth comes from linear
// programs: the range of each acceleration over all forces that fulfil the laws.
#include "convex/lp.h"
#include "fixture.h"
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static const char *const schemes[] = {"moreau",
                                      "moreau-projected",
                                      "schatzman-paoli",
                                      "lcp",
                                      "moreau-adaptive",
                                      "radau3",
                                      "moreau-variable-order",
                                      "radau5",
                                      "herk2",
                                      "lobatto2",
                                      "herk3",
                                      "lobatto4",
                                      "herk4",
                                      "herk5",
                                      "lobatto6"};

enum { SCHEMES = sizeof schemes / sizeof *schemes, FREE = 2, HELD = 3, N = FREE + HELD, M = 5 };
enum { MOST_STEPS = 1000 };
enum { COLUMNS = N + 2 * M, ROWS = N + 4 * M };

// Coordinates x0, x1 move, y0, y1, y2 are held at zero. All forces are constant, and so is a, the
// acceleration that the forces lambda and tau give.
typedef struct sample {
  int held, m;
  double mass[N], v[FREE], load[N];
  bool bilateral[M], sticks[M];
  double G[M][HELD], H[M][FREE], mu[M];
  double lambda[M], tau[M], a[N];
} sample;

static bool with_friction(const sample *c, int j)
{
  return c->mu[j] > 0;
}

static double slip(const sample *c, int j)
{
  return c->H[j][0] * c->v[0] + c->H[j][1] * c->v[1];
}

static sample draw(rng *r)
{
  static const double factors[] = {1, 1, 1, -1, 2, 0.5};
  sample c = {.held = rng_int(r, 1, HELD), .m = rng_int(r, 2, M)};
  const bool rests = rng_chance(r, 0.3), same = rng_chance(r, 0.5), alike = rng_chance(r, 0.5);
  for (int i = 0; i < N; i++) c.mass[i] = draw_log(r, 0.3, 3);
  c.v[0] = draw_sign(r) * draw_between(r, 3, 5);
  c.v[1] = rests ? 0 : draw_sign(r) * draw_between(r, 0.5, 1);
  const double mu = draw_between(r, 0.1, 0.6);
  for (int j = 0; j < c.m; j++) {
    c.bilateral[j] = rng_chance(r, 0.4);
    c.mu[j] = rng_chance(r, 0.3) ? 0 : alike ? mu : draw_between(r, 0.1, 0.6);
    if (j > 0 && rng_chance(r, 0.4)) {  // along one before
      const double by = c.bilateral[j] ? factors[rng_int(r, 0, 5)] : 1;
      const int k = rng_int(r, 0, j - 1);
      for (int i = 0; i < c.held; i++) c.G[j][i] = by * c.G[k][i];
    } else {
      for (int i = 0; i < c.held; i++) c.G[j][i] = rng_int(r, -2, 2);
      c.G[j][rng_int(r, 0, c.held - 1)] = 1;
    }
    c.sticks[j] = rests && c.mu[j] > 0 && rng_chance(r, 0.3);
    c.H[j][0] = c.sticks[j] ? 0 : 1, c.H[j][1] = c.sticks[j] ? 1 : same ? 0 : rng_int(r, -1, 1);
    c.lambda[j] = draw_between(r, 1, 3) * (c.bilateral[j] ? draw_sign(r) : 1);
    if (c.sticks[j]) c.tau[j] = draw_between(r, -0.7, 0.7) * c.mu[j] * fabs(c.lambda[j]);
    else c.tau[j] = -c.mu[j] * fabs(c.lambda[j]) * (slip(&c, j) > 0 ? 1 : -1);
  }
  c.a[0] = draw_between(r, -1, 1), c.a[1] = rests ? 0 : draw_between(r, -1, 1);
  for (int i = 0; i < N; i++) {
    c.load[i] = c.mass[i] * c.a[i];
    for (int j = 0; j < c.m; j++)
      c.load[i] -= i < FREE ? c.H[j][i] * c.tau[j] : c.G[j][i - FREE] * c.lambda[j];
  }
  return c;
}

static void write_model(const sample *c, char *text, size_t size)
{
  int at = snprintf(text, size,
                    "coordinate x0, x1, y0, y1, y2\nvelocity x0 = %.17g, x1 = %.17g\nkinetic "
                    "(%.17g*x0'^2 + %.17g*x1'^2 + %.17g*y0'^2 + %.17g*y1'^2 + %.17g*y2'^2)/2\n"
                    "force x0 = %.17g, x1 = %.17g, y0 = %.17g, y1 = %.17g, y2 = %.17g\n",
                    c->v[0], c->v[1], c->mass[0], c->mass[1], c->mass[2], c->mass[3], c->mass[4],
                    c->load[0], c->load[1], c->load[2], c->load[3], c->load[4]);
  for (int j = 0; j < c->m; j++) {
    at += snprintf(text + at, size - (size_t)at, "%s c%d: %.17g*y0 + %.17g*y1 + %.17g*y2 %s 0",
                   c->bilateral[j] ? "bilateral" : "unilateral", j, c->G[j][0], c->G[j][1],
                   c->G[j][2], c->bilateral[j] ? "=" : ">=");
    if (with_friction(c, j))
      at +=
          snprintf(text + at, size - (size_t)at, " { slip %.17g*x0' + %.17g*x1'; friction %.17g }",
                   c->H[j][0], c->H[j][1], c->mu[j]);
    at += snprintf(text + at, size - (size_t)at, "\n");
  }
}

// --- truth ---

typedef struct program {
  double A[ROWS * COLUMNS], row_low[ROWS], row_high[ROWS];
  double col_low[COLUMNS], col_high[COLUMNS], cost[COLUMNS];
} program;

static void set(program *p, int row, int col, double value)
{
  p->A[row + ROWS * col] = value;
}

// All laws with bilateral contacts on the sides of the mask; way: in which contacts at rest begin
// to slide along x1, or 0. Unknown: a, lambda, tau.
static void fill(const sample *c, unsigned mask, int way, program *p)
{
  memset(p, 0, sizeof *p);
  for (int k = 0; k < COLUMNS; k++) p->col_low[k] = -INFINITY, p->col_high[k] = INFINITY;
  if (way > 0) p->col_low[1] = 0;
  if (way < 0) p->col_high[1] = 0;
  for (int i = 0; i < N; i++) {
    set(p, i, i, c->mass[i]);
    p->row_low[i] = p->row_high[i] = c->load[i];
    for (int j = 0; j < c->m; j++) {
      if (i < FREE) set(p, i, N + M + j, -c->H[j][i]);
      else set(p, i, N + j, -c->G[j][i - FREE]);
    }
  }
  for (int j = 0; j < M; j++) {
    const int lambda = N + j, tau = N + M + j, row = N + 4 * j;
    const double side = c->bilateral[j] && mask >> j & 1 ? -1 : 1;
    if (j >= c->m || c->mu[j] == 0) p->col_low[tau] = p->col_high[tau] = 0;
    if (j >= c->m) continue;
    if (!c->bilateral[j] || (c->mu[j] > 0 && side > 0)) p->col_low[lambda] = 0;
    if (c->bilateral[j] && c->mu[j] > 0 && side < 0) p->col_high[lambda] = 0;
    for (int i = 0; i < c->held; i++) set(p, row, FREE + i, c->G[j][i]);
    if (c->mu[j] == 0) continue;
    if (c->sticks[j] && way == 0) {
      for (int i = 0; i < FREE; i++) set(p, row + 1, i, c->H[j][i]);
      set(p, row + 2, lambda, c->mu[j] * side), set(p, row + 2, tau, 1);
      set(p, row + 3, lambda, c->mu[j] * side), set(p, row + 3, tau, -1);
      p->row_high[row + 2] = p->row_high[row + 3] = INFINITY;
    } else {  // tau + mu side lambda xi = 0
      set(p, row + 1, tau, 1);
      const double along = c->sticks[j] ? way : slip(c, j);
      set(p, row + 1, lambda, c->mu[j] * side * (along > 0 ? 1 : -1));
    }
  }
}

// How far accelerations can differ from a; infinite: as far as one likes. NaN: not known.
static double range(const sample *c, int way)
{
  program p;
  double most = 0, value;
  for (unsigned mask = 0; mask < 1u << c->m; mask++) {
    bool other = false;
    for (int j = 0; j < c->m; j++) other |= mask >> j & 1 && !(c->bilateral[j] && c->mu[j] > 0);
    if (other) continue;
    fill(c, mask, way, &p);
    const dls_lp_data data = {ROWS,       COLUMNS,   p.A,        p.row_low,
                              p.row_high, p.col_low, p.col_high, p.cost};
    dls_lp *lp;
    assert_int_equal(dls_lp_create(&data, &lp), DLS_OK);
    for (int k = 0; k < 2 * N; k++) {
      memset(p.cost, 0, sizeof p.cost);
      p.cost[k / 2] = k % 2 ? 1 : -1;
      dls_lp_set_cost(lp, p.cost);
      const dls_lp_outcome outcome = dls_lp_solve(lp, NULL, NULL, &value);
      if (outcome == DLS_LP_INFEASIBLE) break;
      if (outcome == DLS_LP_FAILED) most = NAN;
      else if (outcome == DLS_LP_UNBOUNDED) most = INFINITY;
      else most = fmax(most, fabs(value - p.cost[k / 2] * c->a[k / 2]));
      if (isnan(most)) break;
    }
    dls_lp_free(lp);
    if (isnan(most)) break;
  }
  return most;
}

// --- the schemes ---

typedef struct answer {
  dls_failure failure;
  dls_uniqueness_loss loss;
  double t, q[N];
} answer;

static answer run(const char *text, const char *scheme, dls_on_loss on_loss, double until)
{
  const bool chosen =
      strcmp(scheme, "moreau-adaptive") == 0 || strcmp(scheme, "moreau-variable-order") == 0;
  dls_diagnostics diagnostics;
  dls_message message = {""};
  double q[16], v[16];
  dls_state from = {0, q, v};
  dls_integrator_options how = dls_integrator_defaults();
  fixture r = {0};
  answer out = {0};
  how.scheme = scheme, how.step = 0.005, how.on_loss = on_loss;
  how.rtol = how.atol = chosen ? 1e-5 : 0;
  if (dls_model_parse(text, strlen(text), &r.model, &diagnostics) != DLS_OK)
    fail_msg("%d: %s\n%s", diagnostics.item[0].line, diagnostics.item[0].message, text);
  assert_int_equal(dls_model_system(r.model, &r.system), DLS_OK);
  assert_int_equal(dls_model_differentiate(r.system, &message), DLS_OK);
  assert_int_equal(dls_model_state(r.system, NULL, &from, &message), DLS_OK);
  if (dls_integrator_create(r.system, &from, &how, &r.integrator, &message) != DLS_OK)
    fail_msg("%s: %s\n%s", scheme, message.text, text);
  for (int k = 0; out.failure == DLS_FAILURE_NONE; k++) {
    if (!(dls_integrator_sample(r.integrator).t < until)) break;
    assert_int_equal(dls_integrator_advance(r.integrator, until, &out.failure, &message), DLS_OK);
    if (k == MOST_STEPS && out.failure == DLS_FAILURE_NONE) out.failure = DLS_FAILURE_STEP;
  }
  out.loss = dls_integrator_uniqueness(r.integrator);
  out.t = dls_integrator_sample(r.integrator).t;
  const int n = r.system->n < N ? r.system->n : N;
  memcpy(out.q, dls_integrator_sample(r.integrator).q, (size_t)n * sizeof(double));
  dls_integrator_free(r.integrator);
  dls_system_free(r.system);
  dls_model_free(r.model);
  return out;
}

// Contacts at rest that stick may slide all the same, with other forces: who does not notice before
// it does so must do so then.
static bool may_slide(const sample *c)
{
  bool any = false;
  for (int j = 0; j < c->m; j++) any |= c->sticks[j];
  return any && (!(range(c, 1) < 1e-7) || !(range(c, -1) < 1e-7));
}

// What is wrong with the answer, or NULL. Failures are honest, and counted.
static const char *wrong(const sample *c, double other, const answer *x, int *failed)
{
  if (x->loss.lost) return other > 0 || may_slide(c) ? NULL : "lost, and it is determined";
  if (x->failure != DLS_FAILURE_NONE) {
    ++*failed;
    return NULL;
  }
  if (other > 0) return "not determined, and nothing is said";
  for (int i = 0; i < FREE; i++) {
    const double expected = (c->v[i] + c->a[i] * x->t / 2) * x->t;
    if (!(fabs(x->q[i] - expected) < 5e-4)) return "another motion";
  }
  return NULL;
}

static void random_contacts(void **state)
{
  (void)state;
  char text[4000];
  int kinds[2] = {0}, unknown = 0, bad = 0, failed[SCHEMES] = {0};
  const char *show = getenv("DLS_TEST_TABLE");
  for (tally t = tally_begin("sharing", 200); tally_next(&t);) {
    const sample c = draw(&t.r);
    double most = range(&c, 0);
    if (isnan(most) || (most > 1e-7 && most < 1e-3)) {
      unknown++;
      continue;
    }
    most = most > 1e-3 ? most : 0;
    kinds[most > 0]++;
    write_model(&c, text, sizeof text);
    for (int k = 0; k < SCHEMES; k++) {
      if (!tally_wants(schemes[k])) continue;
      const answer x = run(text, schemes[k], DLS_ON_LOSS_STOP, 0.05);
      const int before = failed[k];
      const char *why = wrong(&c, most, &x, &failed[k]);
      if (why && bad++ < 5)
        print_error("case %d, %s: %s (range %g)\n%s", t.number, schemes[k], why, most, text);
      if (show && failed[k] > before)
        printf("case %d, %s failed at %g (range %g): %s\n", t.number, schemes[k], x.t, most,
               dls_failure_text(x.failure));
    }
  }
  if (show) {
    printf("%d determined, %d not, %d not known\n", kinds[0], kinds[1], unknown);
    for (int k = 0; k < SCHEMES; k++) printf("%s: %d failed\n", schemes[k], failed[k]);
  }
  assert_int_equal(bad, 0);
}

// --- a table on four legs ---

// Legs at the corners of a rectangle, the centre above a point inside it; small tilts.
static void write_table(char *text, size_t size, double mu, double other, double spin)
{
  static const double x[] = {1.1, -0.9, -0.9, 1.1}, y[] = {0.55, 0.55, -0.45, -0.45};
  int at = snprintf(text, size,
                    "coordinate x, y, z, a, b, c\nvelocity x = 2, c = %.17g\n"
                    "kinetic (x'^2 + y'^2 + z'^2)/2 + (a'^2 + b'^2 + 2*c'^2)/10\n"
                    "potential 9.81*z\n",
                    spin);
  for (int j = 0; j < 4; j++)
    at += snprintf(text + at, size - (size_t)at,
                   "unilateral leg%d: z + %g*a - %g*b >= 0 {\n"
                   "  slip x' - c'*(%g*sin(c) + %g*cos(c)) - b'/10,\n"
                   "    y' + c'*(%g*cos(c) - %g*sin(c)) + a'/10; friction %.17g }\n",
                   j, y[j], x[j], x[j], y[j], x[j], y[j], j == 3 ? other : mu);
}

static void table(void **state)
{
  (void)state;
  char text[2000];
  for (int k = 0; k < SCHEMES; k++) {
    at_case("%s", schemes[k]);
    write_table(text, sizeof text, 0.3, 0.3, 0);  // x'' = -mu g, however the legs share the load
    const answer straight = run(text, schemes[k], DLS_ON_LOSS_STOP, 0.2);
    assert_int_equal(straight.failure, DLS_FAILURE_NONE);
    assert_false(straight.loss.lost);
    assert_true(fabs(straight.q[0] - 0.4 + 0.3 * 9.81 * 0.02) < 4e-3);
    for (int kind = 0; kind < 2; kind++) {
      write_table(text, sizeof text, 0.3, kind ? 0.5 : 0.3, kind ? 0 : 1);
      const answer lost = run(text, schemes[k], DLS_ON_LOSS_STOP, 0.1);  // said, and it goes on
      assert_int_equal(lost.failure, DLS_FAILURE_NONE);
      assert_true(lost.loss.lost && lost.loss.bounded && lost.t == 0.1);
      assert_true(lost.loss.t <= 0.01 && lost.loss.contact >= 0);
    }
    write_table(text, sizeof text, 0, 0, 1);
    assert_false(run(text, schemes[k], DLS_ON_LOSS_STOP, 0.2).loss.lost);
  }
}

// Two tables, each with one leg that is rougher than the others: the loss is told of the first.
static void two_tables(void **state)
{
  (void)state;
  char text[4000];
  int at = 0;
  for (int i = 0; i < 2; i++) {
    const char c = (char)('0' + i);
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "coordinate x%c, y%c, z%c, a%c, b%c\nvelocity x%c = 2\n"
                   "kinetic (x%c'^2 + y%c'^2 + z%c'^2)/2 + (a%c'^2 + b%c'^2)/10\n"
                   "potential 9.81*z%c\n",
                   c, c, c, c, c, c, c, c, c, c, c, c);
    for (int j = 0; j < 4; j++)
      at += snprintf(
          text + at, sizeof text - (size_t)at,
          "unilateral leg%c%d: z%c %+d*a%c %+d*b%c >= 0 { slip x%c', y%c'; friction %g }\n", c, j,
          c, j == 1 || j == 2 ? -1 : 1, c, j < 2 ? 1 : -1, c, c, c, j == 0 ? 0.5 : 0.3);
  }
  for (int k = 0; k < SCHEMES; k++) {
    at_case("%s", schemes[k]);
    const answer lost = run(text, schemes[k], DLS_ON_LOSS_STOP, 0.02);
    assert_int_equal(lost.failure, DLS_FAILURE_NONE);
    assert_true(lost.loss.lost && lost.loss.bounded);
    assert_int_equal(lost.loss.contact, 0);
  }
}

// On three legs the load is shared in one way: one of four legs is a little short.
static void three_legs(void **state)
{
  (void)state;
  char text[2000];
  write_table(text, sizeof text, 0.3, 0.3, 1);
  char *const last = strstr(text, "leg3: z +");
  assert_non_null(last);
  memcpy(last, "leg3: z+1", 9);  // z + 1 - 0.45 a ...
  for (int k = 0; k < SCHEMES; k++) {
    at_case("%s", schemes[k]);
    assert_false(run(text, schemes[k], DLS_ON_LOSS_STOP, 0.1).loss.lost);
  }
}

// --- bilateral contacts along one line ---

static void along_one_line(void **state)
{
  (void)state;
  static const char *const lost[] = {
      "bilateral a: y = 0 { slip x'; friction 0.3 }\nbilateral b: 2*y = 0\n",
      "bilateral a: y = 0 {slip x'; friction 0.3}\nbilateral b: y = 0 {slip x'; friction 0.3}\n",
      "bilateral a: y = 0 { slip x'; friction 0.3 }\nunilateral b: y >= 0\n",
      "bilateral a: sinh(y) = 0 { slip x'; friction 0.3 }\nbilateral b: y*(2 + x) = 0\n"};
  // friction along what is held does nothing, and one that does not slide has none
  static const char *const goes_on[] = {
      "bilateral a: y = 0 { slip z' - 1; friction 0.3 }\nbilateral b: y = 0\nbilateral c: z = 0\n",
      "bilateral a: y = 0 { slip z'; friction 0.3 }\nbilateral b: y = 0\nforce z = 1\n",
      "bilateral a: y = 0 { slip x'; friction 0.3 }\nbilateral b: z = 0\n",
      "bilateral a: y = 0 { slip x'; friction 0 }\nbilateral b: y = 0\n",
      "unilateral a: y >= 0 {slip x'; friction 1}\nunilateral b: y >= 0 {slip x'; friction 1}\n",
      "unilateral a: y >= 0 {slip x'; friction 0.3}\n"
      "unilateral b: 2*y >= 0 {slip x'; friction 0.6000003}\n"};  // next to no difference
  char text[600];
  for (int k = 0; k < SCHEMES; k++) {
    for (size_t i = 0; i < sizeof lost / sizeof *lost + sizeof goes_on / sizeof *goes_on; i++) {
      const bool is_lost = i < sizeof lost / sizeof *lost;
      snprintf(text, sizeof text,
               "coordinate x, y, z\nvelocity x = 2\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
               "potential 9.81*y\n%s",
               is_lost ? lost[i] : goes_on[i - sizeof lost / sizeof *lost]);
      const answer x = run(text, schemes[k], DLS_ON_LOSS_STOP, 0.1);
      if (x.loss.lost != is_lost || x.loss.bounded ||
          x.failure != (is_lost ? DLS_FAILURE_UNIQUENESS : 0))
        fail_msg("%s: %d %s\n%s", schemes[k], x.loss.lost, dls_failure_text(x.failure), text);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(table), cmocka_unit_test(two_tables),
                                     cmocka_unit_test(three_legs), cmocka_unit_test(along_one_line),
                                     cmocka_unit_test(random_contacts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
