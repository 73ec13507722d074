// Problems with Coulomb friction whose answers are in the literature or plain to see, in integers:
// the exact enumeration must find them, and the check must agree with it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

#include <flint/flint.h>

#include "coulomb_oracle.h"
#include "coulomb_witness.h"

static coulomb p;
static coulomb_oracle oracle;

static char letter(dls_answer a)
{
  return a == DLS_YES ? 'y' : a == DLS_NO ? 'n' : a == DLS_UNDECIDED ? 'u' : '-';
}

// What the check got wrong; printed, and counted so that one test shows all of them.
static int faults;

static void fault(const char *what, const char *detail)
{
  printf("FAULT: %s: %s\n", what, detail);
  if (faults++ < 3) coulomb_print(&p);
}

static int no_faults(void **state)
{
  const int count = faults, told = tell_case(state);
  faults = 0;
  (void)fflush(stdout);
  return count ? -1 : told;
}

static void witnesses_hold(const dls_check *check)
{
  const coulomb_units same = coulomb_same_units();
  for (int q = DLS_ACCELERATION_EXISTS; q <= DLS_FORCES_UNIQUE; q++) {
    const char *why = coulomb_witness_fault(&p, &same, &check->verdict[q], (dls_question)q);
    if (why) fault(dls_question_name((dls_question)q), why);
  }
  for (int i = 0; i < check->solutions; i++) {
    const char *why = coulomb_solution_fault(&p, &same, &check->solution[i]);
    if (why) fault("solution", why);
  }
}

// Must be answered here; elsewhere it may be.
static bool makes_sense(dls_question q)
{
  bool sticking = false;
  for (int i = 0; i < p.m_b + p.m_u; i++) sticking |= p.mu[i] > 0 && !p.sliding[i];
  if (q == DLS_UNIQUE_FOR_EVERY_LOAD) return !sticking;
  if (q == DLS_CAN_ALL_STICK) return sticking;
  return q <= DLS_FORCES_UNIQUE || p.objects > 0;
}

static void check_agrees(int count, const char *letters)
{
  const dls_problem problem = coulomb_problem(&p);
  dls_check_options options = dls_check_defaults();
  options.object_size = p.objects, options.object = p.object;
  dls_check *check = NULL;
  dls_message message = {""};
  char text[80];
  assert_int_equal(dls_check_run(&problem, &options, &check, &message), DLS_OK);
  for (int k = 0; k < 7; k++) {
    const dls_question q = (dls_question)(DLS_ACCELERATION_EXISTS + k);
    const char given = letter(check->verdict[q].answer);
    (void)snprintf(text, sizeof text, "%c instead of %c", given, letters[k]);
    if (letters[k] != '.' && given != letters[k] && (given != '-' || makes_sense(q)))
      fault(dls_question_name(q), text);
  }
  (void)snprintf(text, sizeof text, "%d instead of %d", check->solution_count, count);
  if (check->solution_count != count) fault("solution_count", text);
  witnesses_hold(check);
  dls_check_free(check);
}

// count solutions; letters: exists, acceleration unique, forces unique, unique for every load, can
// all stick, form closure, force closure: y, n or . for what is not asked here.
static void expect(int count, const char *letters)
{
  memset(oracle.answer, 0, sizeof oracle.answer);
  coulomb_oracle_solutions(&p, &oracle);
  coulomb_oracle_others(&p, &oracle);
  for (int k = 0; k < 7; k++) {
    const dls_question q = (dls_question)(DLS_ACCELERATION_EXISTS + k);
    if (letters[k] == '.' || letter(oracle.answer[q]) == letters[k]) continue;
    coulomb_print(&p);
    fail_msg("%s: truth of %s: %c instead of %c", p.name, dls_question_name(q),
             letter(oracle.answer[q]), letters[k]);
  }
  assert_int_equal(oracle.count, count);
  check_agrees(count, letters);
}

static void start_body(const char *name, double mass, double inertia)
{
  coulomb_start(&p, name, 3);
  p.M[0] = p.M[4] = mass, p.M[8] = inertia;
}

static void add_touch(dls_contact_kind kind, double mu, double nx, double ny, double x, double y)
{
  const int i = coulomb_add(&p, kind, 1, mu);
  coulomb_touch(&p, i, nx, ny, x, y);
}

static void slide(int i, double xi)
{
  p.sliding[i] = true;
  p.xi[p.first[i]] = xi;
}

// ---- Painleve's rod: half-length 5, mass 3, at the angle with sine 4/5, one end on the floor

// A = 52/75 + 36/75 mu xi; critical friction 13/9. free: normal acceleration without the contact.
static void rod(double mu, double xi, double free)
{
  start_body("rod", 3, 25);
  add_touch(DLS_UNILATERAL, mu, 0, 1, -3, -4);
  slide(0, xi);
  p.F[1] = 3;
  p.b[0] = 1 + free;
}

static void painleve(void **state)
{
  (void)state;
  rod(1, -1, -1), expect(1, "yyyyy..");  // pushed down, below the critical friction
  rod(1, -1, 1), expect(1, "yyyyn..");   // lifts off
  rod(2, -1, -1), expect(0, "nnnnn..");  // inconsistent
  rod(2, -1, 1), expect(2, "ynnny..");   // indeterminate
  rod(2, -1, 0), expect(1, "yyyny..");   // grazing
  rod(2, 1, -1), expect(1, "yyyyy..");   // dragged, not pushed: never critical
  rod(3, 1, 1), expect(1, "yyyyn..");
}

// Normal accelerations in ninths, so that the critical friction 13/9 is the integer 13.
static void painleve_critical(void **state)
{
  (void)state;
  for (int free = -1; free <= 1; free++) {
    at_case("free %d", free);
    rod(13, -1, 0);
    for (int i = 0; i < 3; i++) coulomb_normal(&p, 0)[i] *= 9;
    p.b[0] = 9 * (1 + free);
    if (free < 0) expect(0, "nnnnn..");
    if (free == 0) expect(1, "ynnny..");  // any force, and each with another acceleration
    if (free > 0) expect(1, "yyynn..");
  }
}

// With a slip velocity of zero the same rod may stick as well.
static void rod_at_rest(void **state)
{
  (void)state;
  rod(2, 0, -1);
  p.sliding[0] = false;
  expect(1, "yyy.y..");
  rod(2, 0, 1);
  p.sliding[0] = false;
  expect(1, "yyy.n..");
}

// ---- the rod of Painleve and Klein: ends in two guides; 2 / tan = 3/2

static void guides(double mu_1, double mu_2, double xi)
{
  start_body("guides", 12, 100);
  add_touch(DLS_BILATERAL, mu_1, 0, 1, -3, -4);
  add_touch(DLS_BILATERAL, mu_2, 0, 1, 3, 4);
  slide(0, xi), slide(1, xi);
  p.F[1] = 12;
}

static void painleve_klein(void **state)
{
  (void)state;
  const double mu[] = {0, 0.25, 0.5, 1, 1.25, 2, 3, 4};
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < 8; j++) {
      at_case("i %d, j %d", i, j);
      const double sum = mu[i] + mu[j], gap = fabs(mu[i] - mu[j]);
      if (sum == 0 || gap == 1.5) continue;
      const char load = sum < 1.5 ? 'y' : 'n';
      char one[] = "yyyyy..", two[] = "ynnny..";
      one[3] = two[3] = load;
      guides(mu[i], mu[j], 1);
      if (gap < 1.5) expect(1, one);
      else expect(2, two);
      // the other way: one when the sum is small; else the three or one, two or none of the table
      guides(mu[i], mu[j], -1);
      coulomb_oracle_solutions(&p, &oracle);
      const int count = oracle.count;
      if (gap < 1.5) assert_true(count == 1 || (count == 3 && sum > 1.5));
      else assert_true(count == 0 || count == 2);
      if (count == 1) expect(1, one);
      else expect(count, count ? two : "nnnnn..");
    }
  }
}

// On the boundary |mu_1 - mu_2| = 3/2 one of the two solutions has gone to infinity.
static void painleve_klein_boundary(void **state)
{
  (void)state;
  guides(1.5, 0, 1), expect(1, "yyyny..");
  guides(2, 0.5, 1), expect(1, "yyyny..");
}

// ---- the ladder: wall bilateral, floor unilateral, falling; unique for every load below mu = 1

static void ladder(void **state)
{
  (void)state;
  const double mu[] = {0.25, 0.5, 1 - 0x1p-20, 1, 1 + 0x1p-20, 2};
  for (int k = 0; k < 6; k++) {
    at_case("k %d", k);
    coulomb_start(&p, "ladder", 3);
    p.M[0] = p.M[4] = 3, p.M[8] = 2;
    const double wall[] = {1, 0, -1}, up[] = {0, 1, -1}, floor[] = {0, 1, 1}, along[] = {1, 0, 1};
    coulomb_add(&p, DLS_BILATERAL, 1, mu[k]);
    coulomb_add(&p, DLS_UNILATERAL, 1, mu[k]);
    memcpy(coulomb_normal(&p, 0), wall, sizeof wall);
    memcpy(coulomb_tangent(&p, 0, 0), up, sizeof up);
    memcpy(coulomb_normal(&p, 1), floor, sizeof floor);
    memcpy(coulomb_tangent(&p, 1, 0), along, sizeof along);
    slide(0, -1), slide(1, 1);
    p.F[1] = 30;
    coulomb_oracle_solutions(&p, &oracle);
    char letters[] = "...y...";
    letters[3] = mu[k] < 1 ? 'y' : 'n';
    expect(oracle.count, letters);
  }
}

// ---- a mass on a rod that is dragged: sine 4/5, cosine 3/5; the slip acceleration plays u_0

static void dragged(double sine, double cosine, double size, double gravity, double u_0, double mu)
{
  coulomb_start(&p, "dragged mass", 1);
  p.M[0] = size * size;
  p.F[0] = -gravity * sine;
  coulomb_add(&p, DLS_UNILATERAL, 1, mu);
  p.G[0] = sine, p.H[0] = cosine, p.b_t[0] = u_0;
}

static void dragged_mass(void **state)
{
  (void)state;
  // a solution exists exactly when u_0 <= 0 or tan > mu; tan = 4/3
  dragged(4, 3, 5, -1, 1, 1), expect(1, "yyy.n..");
  dragged(4, 3, 5, -1, 1, 2), expect(0, "nnn.n..");
  dragged(4, 3, 5, -1, 0, 2), expect(1, "yyn.y..");  // sticks: one equation for two forces
  dragged(4, 3, 5, -1, -1, 2), expect(1, "yyy.n..");
  dragged(4, 3, 5, -1, -1, 0.5), expect(1, "yyy.n..");
  // tan = mu = 1: friction has no moment, and nothing carries the weight
  dragged(1, 1, 2, -1, 1, 1), expect(0, "nnn.n..");
  // lifted, tan = 1, mu = 2: exactly two
  dragged(1, 1, 2, 1, 1, 2), expect(2, "ynn.n..");
}

// ---- a block of width 2 L = 4 and height 2 l = 6, pushed at its centre by X; weight 6

static void block(double mu, double X)
{
  start_body("block", 1, 4);
  add_touch(DLS_UNILATERAL, mu, 0, 1, -2, -3);
  add_touch(DLS_UNILATERAL, mu, 0, 1, 2, -3);
  p.F[0] = -X, p.F[1] = 6;
}

static void pushed_block(void **state)
{
  (void)state;
  const double mu[] = {0.25, 0.5, 1, 2}, X[] = {0, 1, 1.5, 2, 3, 3.5, 4, 4.5, 6, 8};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 10; j++)
      for (int side = -1; side <= 1; side += 2) {
        at_case("i %d, j %d, side %d", i, j, side);
        block(mu[i], side * X[j]);
        coulomb_oracle_solutions(&p, &oracle);
        const bool sticks = X[j] <= mu[i] * 6 && 3 * X[j] <= 2 * 6;
        assert_int_equal(oracle.answer[DLS_ACCELERATION_EXISTS], DLS_YES);
        expect(oracle.count, sticks ? "y...y.." : "y...n..");
      }
  // tips when friction is strong and the push is: one corner stays, the other lifts
  block(2, 6);
  expect(1, "yyy.n..");
}

// ---- two fingers hold a mass in a guide: masses 1, gravity g

static void fingers(double mu_1, double mu_2, double F_1, double F_2, double g)
{
  coulomb_start(&p, "fingers", 4);
  for (int i = 0; i < 4; i++) p.M[5 * i] = 1;
  const double guide[] = {1, 0, 0, 0}, left[] = {1, 0, -1, 0}, right[] = {-1, 0, 0, 1};
  memcpy(coulomb_normal(&p, coulomb_add(&p, DLS_BILATERAL, 0, 0)), guide, sizeof guide);
  memcpy(coulomb_normal(&p, coulomb_add(&p, DLS_UNILATERAL, 1, mu_1)), left, sizeof left);
  memcpy(coulomb_normal(&p, coulomb_add(&p, DLS_UNILATERAL, 1, mu_2)), right, sizeof right);
  coulomb_tangent(&p, 1, 0)[1] = coulomb_tangent(&p, 2, 0)[1] = 1;
  p.F[1] = g, p.F[2] = F_1, p.F[3] = F_2;
}

static void held_by_fingers(void **state)
{
  (void)state;
  const double mu[] = {0.25, 0.5, 1};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int F_1 = -8; F_1 <= -4; F_1 += 2)
        for (int F_2 = 2; F_2 <= 8; F_2 += 2) {
          at_case("i %d, j %d, F_1 %d, F_2 %d", i, j, F_1, F_2);
          const double most = -mu[i] * F_1 + mu[j] * F_2;
          fingers(mu[i], mu[j], F_1, F_2, 5);
          expect(1, most > 5 ? "yyn.y.." : most == 5 ? "yyy.y.." : "yyy.n..");
        }
  fingers(1, 1, 1, -1, 5);  // both let go
  expect(1, "yyy.n..");
}

// The fingers move too: friction (g - F_y) / 3 each.
static void moving_fingers(void **state)
{
  (void)state;
  for (int F_y = -4; F_y <= 4; F_y += 4) {
    at_case("F_y %d", F_y);
    const double g = 5, F_x = 2;
    coulomb_start(&p, "moving fingers", 6);
    for (int i = 0; i < 6; i++) p.M[7 * i] = 1;
    coulomb_normal(&p, coulomb_add(&p, DLS_BILATERAL, 0, 0))[0] = 1;
    for (int k = 0; k < 2; k++) {
      const int i = coulomb_add(&p, DLS_UNILATERAL, 1, 1);
      coulomb_normal(&p, i)[0] = k ? -1 : 1;
      coulomb_normal(&p, i)[2 + 2 * k] = k ? 1 : -1;
      coulomb_tangent(&p, i, 0)[1] = 1;
      coulomb_tangent(&p, i, 0)[3 + 2 * k] = -1;
    }
    p.F[1] = g, p.F[2] = -F_x, p.F[4] = F_x, p.F[3] = p.F[5] = F_y;
    expect(1, fabs(g - F_y) / 3 <= F_x ? "yyy.y.." : "yyy.n..");
  }
}

// ---- three points under a block that does not turn: the forces are a continuum

static void three_points(void **state)
{
  (void)state;
  coulomb_start(&p, "three points", 2);
  p.M[0] = p.M[3] = 2;
  for (int i = 0; i < 3; i++) {
    coulomb_add(&p, DLS_UNILATERAL, 1, 0.5);
    coulomb_normal(&p, i)[1] = 1;
    coulomb_tangent(&p, i, 0)[0] = 1;
  }
  p.F[0] = -4, p.F[1] = 20;
  expect(1, "yyn.y..");
  p.F[0] = -10;  // just holds
  expect(1, "yyn.y..");
  p.F[0] = -11;
  expect(1, "yyn.n..");
  p.F[1] = -20;  // lifted
  expect(1, "yyy.n..");
}

// ---- closure of a square that is held at its sides

static void held(int count, const double (*contact)[4], double mu)
{
  start_body("held square", 1, 1);
  for (int i = 0; i < count; i++)
    add_touch(DLS_UNILATERAL, mu, contact[i][0], contact[i][1], contact[i][2], contact[i][3]);
  p.objects = 3;
  for (int i = 0; i < 3; i++) p.object[i] = i;
}

static void closure(void **state)
{
  (void)state;
  const double middles[][4] = {{1, 0, -2, 0}, {-1, 0, 2, 0}, {0, 1, 0, -2}, {0, -1, 0, 2}};
  const double turned[][4] = {{1, 0, -2, 1}, {-1, 0, 2, -1}, {0, 1, 1, -2}, {0, -1, -1, 2}};
  const double around[][4] = {{1, 0, -2, 1}, {-1, 0, 2, 1}, {0, 1, 1, -2}, {0, -1, 1, 2}};
  held(4, middles, 0.5), expect(1, "yyn..ny");
  held(4, turned, 0.25), expect(1, "yyn..yy");
  held(4, around, 0.25), expect(1, "yyn..ny");
  const double one_way[][4] = {{1, 0, -2, 1}, {-1, 0, 2, -1}, {0, 1, -1, -2}, {0, -1, 1, 2}};
  held(4, one_way, 0.25), expect(1, "yyy..nn");  // all four moments have one sign
  held(2, middles, 0.25), expect(1, "yyn..ny");
  held(1, middles, 0.25), expect(1, "yyy..nn");
  const double corner[][4] = {{1, 0, -2, 0}, {0, 1, 0, -2}};
  held(2, corner, 0.5);
  expect(1, "y....nn");
  held(2, corner, 2);
  expect(1, "y....ny");  // each sees the other inside its cone
}

static int clean_up(void **state)
{
  (void)state;
  flint_cleanup();
  return 0;
}

#define ORACLE(test)                                           \
  {                                                            \
#test, run_with_cases, NULL, no_faults, &(test_with_cases) \
    {                                                          \
      test                                                     \
    }                                                          \
  }

int main(void)
{
  const struct CMUnitTest tests[] = {
      ORACLE(painleve),
      ORACLE(painleve_critical),
      ORACLE(rod_at_rest),
      ORACLE(painleve_klein),
      ORACLE(painleve_klein_boundary),
      ORACLE(ladder),
      ORACLE(dragged_mass),
      ORACLE(pushed_block),
      ORACLE(held_by_fingers),
      ORACLE(moving_fingers),
      ORACLE(three_points),
      ORACLE(closure),
  };
  return cmocka_run_group_tests(tests, NULL, clean_up);
}
