// From a system and a state to the contact problem. The systems are structs of C functions.
#include "numbers.h"
#include <delassus/check.h>
#include <delassus/model.h>

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

// A system that answers with numbers set by the test: two coordinates, a rod (bilateral), a floor
// (unilateral, one slip velocity) and a wall (unilateral, two).
enum { N = 2, CONTACTS = 3, SLIPS = 3, ROD = 0, FLOOR = 1, WALL = 2 };

typedef struct numbers {
  double M[4], F[N], h[CONTACTS], h_dot[CONTACTS], G[4], b_n[CONTACTS], slip[SLIPS], H[SLIPS],
      b_t[SLIPS], friction[CONTACTS], restitution[CONTACTS];
} numbers;

typedef struct fixed {
  numbers value, bound;
  dls_status answer;
  double kinetic, potential;
  dls_status energy_answer;
  const char *energy_says;
} fixed;

static void give(const numbers *from, const dls_values *to)
{
  memcpy(to->M, from->M, sizeof from->M);
  memcpy(to->F, from->F, sizeof from->F);
  memcpy(to->h, from->h, sizeof from->h);
  memcpy(to->h_dot, from->h_dot, sizeof from->h_dot);
  memcpy(to->G, from->G, sizeof from->G);
  memcpy(to->b_n, from->b_n, sizeof from->b_n);
  memcpy(to->slip, from->slip, sizeof from->slip);
  memcpy(to->H, from->H, sizeof from->H);
  memcpy(to->b_t, from->b_t, sizeof from->b_t);
  memcpy(to->friction, from->friction, sizeof from->friction);
  memcpy(to->restitution, from->restitution, sizeof from->restitution);
}

static dls_status fixed_evaluate(void *self, double t, const double *q, const double *v,
                                 const dls_values *values, const dls_values *bound,
                                 dls_message *message)
{
  const fixed *f = self;
  (void)t, (void)q, (void)v;
  if (f->answer != DLS_OK) {
    if (message) snprintf(message->text, sizeof message->text, "the system says no");
    return f->answer;
  }
  give(&f->value, values);
  if (bound) give(&f->bound, bound);
  return DLS_OK;
}

static const char *const names[] = {"x", "y"};
static const dls_contact_info infos[] = {{.name = "rod", .kind = DLS_BILATERAL},
                                         {.name = "floor", .kind = DLS_UNILATERAL, .tangents = 1},
                                         {.name = "wall", .kind = DLS_UNILATERAL, .tangents = 2}};
static const int mass_p[] = {0, 2, 4}, mass_i[] = {0, 1, 0, 1};
static const int normal_p[] = {0, 2, 3, 4}, normal_i[] = {0, 1, 1, 0};
static const int tangent_p[] = {0, 1, 2, 3}, tangent_i[] = {0, 0, 1};

static dls_system fixed_system(fixed *f)
{
  *f = (fixed){
      .value = {
          .M = {2, 0.5, 0.5, 3}, .F = {1, -1}, .G = {0.6, 0.8, 1, -1}, .b_n = {0.25, 0.5, 0.75}}};
  return (dls_system){.n = N,
                      .m = CONTACTS,
                      .tangents = SLIPS,
                      .coordinates = names,
                      .contacts = infos,
                      .mass = {N, N, mass_p, mass_i},
                      .normal = {N, CONTACTS, normal_p, normal_i},
                      .tangent = {N, SLIPS, tangent_p, tangent_i},
                      .self = f,
                      .evaluate = fixed_evaluate};
}

static double origin[] = {0, 0};
static dls_state at_origin(void)
{
  return (dls_state){.q = origin, .v = origin};
}

static dls_contact_state *create(const dls_system *system, double tolerance)
{
  const dls_state state = at_origin();
  const dls_contact_options options = {.tolerance = tolerance};
  dls_contact_state *out;
  dls_message message;
  const dls_status status = dls_contact_state_create(system, &state, &options, &out, &message);
  if (status != DLS_OK) fail_msg("%s", message.text);
  return out;
}

static dls_problem *dense(const dls_contact_state *s)
{
  dls_problem *p;
  assert_true(!s->problem.M && !s->problem.G_b && !s->problem.G_u);
  assert_int_equal(dls_problem_dense(&s->problem, &p, NULL), DLS_OK);
  return p;
}

static void refused_at(const dls_system *system, const dls_state *state, dls_status expected,
                       const char *text)
{
  dls_message message;
  dls_contact_state *out = (dls_contact_state *)&message;
  assert_int_equal(dls_contact_state_create(system, state, NULL, &out, &message), expected);
  assert_null(out);
  assert_string_equal(message.text, text);
  assert_int_equal(dls_contact_state_create(system, state, NULL, &out, NULL), expected);
  assert_null(out);
}

static void refused(const dls_system *system, dls_status expected, const char *text)
{
  const dls_state state = at_origin();
  refused_at(system, &state, expected, text);
}

// eq (sta.1) in every branch, with both sides of each border. All numbers are exact in binary:
// the border stands at T, or at T + 4 E when the system gives the rounding error E.
static void lexicographic_rule(void **unused)
{
  (void)unused;
  const double T = 0x1p-10, E = 0x1p-14, S = T + 4 * E;
  const double T_up = nextafter(T, 1), S_up = nextafter(S, 1);
  const struct {
    double h, h_dot, slip[2], h_bound, h_dot_bound;
    dls_contact_status status;
  } cases[] = {
      {1, -5, {3, 0}, 0, 0, DLS_OPEN},         {T_up, -5, {0}, 0, 0, DLS_OPEN},
      {T, -5, {0}, 0, 0, DLS_IMPACTING},       {T, 5, {0}, 0, 0, DLS_SEPARATING},
      {-T, 5, {0}, 0, 0, DLS_SEPARATING},      {0, T_up, {3, 0}, 0, 0, DLS_SEPARATING},
      {0, -T_up, {3, 0}, 0, 0, DLS_IMPACTING}, {0, T, {0}, 0, 0, DLS_STICKING},
      {0, -T, {0}, 0, 0, DLS_STICKING},        {0, 0, {T, 0}, 0, 0, DLS_STICKING},
      {0, 0, {0, -T}, 0, 0, DLS_STICKING},     {0, 0, {T_up, 0}, 0, 0, DLS_SLIDING},
      {0, 0, {0, -T_up}, 0, 0, DLS_SLIDING},   {0, 0, {0.75 * T, 0.75 * T}, 0, 0, DLS_SLIDING},
      {0, 0, {0}, 0, 0, DLS_STICKING},         {S, 0, {0}, E, 0, DLS_STICKING},
      {-S, 0, {0}, E, 0, DLS_STICKING},        {S_up, 0, {0}, E, 0, DLS_OPEN},
      {0, S, {0}, 0, E, DLS_STICKING},         {0, S_up, {0}, 0, E, DLS_SEPARATING},
      {0, -S, {0}, 0, E, DLS_STICKING},        {0, -S_up, {0}, 0, E, DLS_IMPACTING},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    at_case("k %zu", k);
    fixed f;
    const dls_system system = fixed_system(&f);
    f.value.h[WALL] = cases[k].h;
    f.value.h_dot[WALL] = cases[k].h_dot;
    f.value.slip[1] = cases[k].slip[0], f.value.slip[2] = cases[k].slip[1];
    f.bound.h[WALL] = cases[k].h_bound, f.bound.h_dot[WALL] = cases[k].h_dot_bound;
    dls_contact_state *s = create(&system, T);
    const dls_contact *c = &s->contacts[WALL];
    if (c->status != cases[k].status)
      fail_msg("case %zu: %s, not %s", k, dls_contact_status_name(c->status),
               dls_contact_status_name(cases[k].status));
    assert_true(c->gap == cases[k].h && c->normal_velocity == cases[k].h_dot);
    assert_true(c->tangents == 2 && c->slip[0] == cases[k].slip[0] &&
                c->slip[1] == cases[k].slip[1]);
    const bool closed = c->status != DLS_OPEN && c->status != DLS_SEPARATING;
    assert_int_equal(s->problem.m_u, 1 + closed);
    assert_true(s->impact == (c->status == DLS_IMPACTING));
    assert_int_equal(s->contacts[FLOOR].status, DLS_STICKING);  // the first slip is the floor's
    dls_contact_state_free(s);
  }
}

static void violations(void **unused)
{
  (void)unused;
  fixed f;
  const dls_system system = fixed_system(&f);
  f.value.h[ROD] = -0.125;
  refused(&system, DLS_ERR_STATE,
          "the state violates the bilateral constraint `rod`: its value is -0.125, not 0 "
          "(tolerance 1e-09)");
  f.value.h[ROD] = 1e-9;
  f.value.h_dot[ROD] = 2.5e-9;
  refused(&system, DLS_ERR_STATE,
          "the velocities violate the bilateral constraint `rod`: its rate of change is 2.5e-09, "
          "not 0 (tolerance 1e-09)");
  f.value.h_dot[ROD] = -1e-9;
  f.value.h[FLOOR] = -3;
  refused(&system, DLS_ERR_STATE,
          "the state penetrates the unilateral constraint `floor` by 3 (tolerance 1e-09)");
  f.value.h[FLOOR] = -1e-9;
  dls_contact_state *s = create(&system, 1e-9);
  assert_int_equal(s->contacts[ROD].status, DLS_STICKING);
  dls_contact_state_free(s);

  // what rounding explains is no violation
  f.value.h[ROD] = 5e-9, f.bound.h[ROD] = 1e-9;
  f.value.h_dot[ROD] = 5e-9, f.bound.h_dot[ROD] = 1e-9;
  f.value.h[FLOOR] = -5e-9, f.bound.h[FLOOR] = 1e-9;
  dls_contact_state_free(create(&system, 1.1e-9));
}

static void flags(void **unused)
{
  (void)unused;
  // friction of the rod (without slip), of the floor, of the wall; gap of the floor
  const struct {
    double rod, floor, wall, gap;
    bool friction;
  } cases[] = {{0, 0, 0, 0, false},
               {0.5, 0, 0, 0, false},
               {0, 0.5, 0, 0, true},
               {0, 0.5, 0, 1, false},
               {0, 0.5, 0.5, 1, true}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    at_case("k %zu", k);
    fixed f;
    const dls_system system = fixed_system(&f);
    memcpy(f.value.friction, (double[]){cases[k].rod, cases[k].floor, cases[k].wall},
           sizeof f.value.friction);
    f.value.restitution[WALL] = 0.25;
    f.value.h[FLOOR] = cases[k].gap;
    dls_contact_state *s = create(&system, 1e-9);
    assert_true(s->friction == cases[k].friction);
    assert_false(s->impact);
    assert_true(s->contacts[FLOOR].friction == cases[k].floor);
    assert_true(s->contacts[WALL].restitution == 0.25);
    dls_contact_state_free(s);
  }
  // a separating contact has no friction either
  fixed f;
  const dls_system system = fixed_system(&f);
  f.value.friction[FLOOR] = 1, f.value.h_dot[FLOOR] = 1;
  dls_contact_state *s = create(&system, 1e-9);
  assert_false(s->friction);
  dls_contact_state_free(s);
}

// Entries up to four times their own rounding error become zero; others stay to the last bit.
static void noise(void **unused)
{
  (void)unused;
  fixed f;
  const dls_system system = fixed_system(&f);
  const double e = 0x1p-40, above = nextafter(4 * e, 1);
  f.value.M[1] = f.value.M[2] = 4 * e, f.bound.M[1] = f.bound.M[2] = e;
  f.value.F[0] = -4 * e, f.value.F[1] = -above, f.bound.F[0] = f.bound.F[1] = e;
  f.value.G[0] = above, f.value.G[1] = 4 * e, f.bound.G[0] = f.bound.G[1] = e;
  f.value.b_n[ROD] = 4 * e, f.value.b_n[WALL] = above, f.bound.b_n[ROD] = f.bound.b_n[WALL] = e;
  dls_contact_state *s = create(&system, 1e-9);
  dls_problem *p = dense(s);
  assert_true(p->M[0] == 2 && p->M[1] == 0 && p->M[2] == 0 && p->M[3] == 3);
  assert_true(p->F[0] == 0 && p->F[1] == -above);
  assert_true(p->G_b[0] == above && p->G_b[1] == 0 && p->b_b[0] == 0);
  assert_true(p->b_u[0] == 0.5 && p->b_u[1] == above);
  assert_true(s->matrices.G_b.x[1] == 0 && s->matrices.M.x[1] == 0);  // the sparse ones too
  dls_problem_dense_free(p);
  dls_contact_state_free(s);
}

// A bar that stands upright: cos(pi/2) is 6e-17 in double, and zero in the problem.
static void noise_of_a_model(void **unused)
{
  (void)unused;
  static const char text[] = "coordinate y = 1, a = pi/2\n"
                             "kinetic y'^2/2 + a'^2/2\n"
                             "unilateral tip: y - sin(a) >= 0\n"
                             "unilateral turn: 2*a - pi + y - 1 >= 0\n";
  dls_model *model;
  dls_system *system;
  double q[2], v[2];
  dls_state state = {.q = q, .v = v};
  dls_contact_state *s;
  assert_int_equal(dls_model_parse(text, strlen(text), &model, NULL), DLS_OK);
  assert_int_equal(dls_model_system(model, &system), DLS_OK);
  assert_int_equal(dls_model_state(system, NULL, &state, NULL), DLS_OK);
  assert_true(cos(q[1]) != 0);
  assert_int_equal(dls_contact_state_create(system, &state, NULL, &s, NULL), DLS_OK);
  assert_int_equal(s->problem.m_u, 2);
  dls_problem *p = dense(s);
  assert_true(p->G_u[0] == 1 && p->G_u[1] == 0);
  assert_true(p->G_u[2] == 1 && p->G_u[3] == 2);
  dls_problem_dense_free(p);
  dls_contact_state_free(s);

  // a true angle of 1e-12 stays
  q[1] -= 1e-12;
  assert_int_equal(dls_contact_state_create(system, &state, NULL, &s, NULL), DLS_OK);
  p = dense(s);
  close_to(p->G_u[1], -1e-12, 1e-15);
  dls_problem_dense_free(p);
  dls_contact_state_free(s);
  dls_system_free(system);
  dls_model_free(model);
}

static void same_as_dense(const dls_matrix_view *A, const double *full, int rows, int cols)
{
  double *D = vector(rows * cols);
  assert_int_equal(A->pattern.rows, rows);
  assert_int_equal(A->pattern.cols, cols);
  for (int j = 0; j < cols; j++)
    for (int k = A->pattern.p[j]; k < A->pattern.p[j + 1]; k++)
      D[A->pattern.i[k] + rows * j] = A->x[k];
  assert_memory_equal(D, full, (size_t)(rows * cols) * sizeof(double));
  free(D);
}

static void assembled(void **unused)
{
  (void)unused;
  for (int open = 0; open < 4; open++) {
    at_case("open %d", open);
    fixed f;
    const dls_system system = fixed_system(&f);
    f.value.h[FLOOR] = open & 1, f.value.h[WALL] = open >> 1;
    dls_contact_state *s = create(&system, 1e-9);
    dls_problem *p = dense(s);
    const int m_u = 2 - (open & 1) - (open >> 1);
    assert_true(p->n == 2 && p->m_b == 1 && p->m_u == m_u);
    assert_true(s->n == 2 && s->m == 3 && s->t == 0 && s->tolerance == 1e-9);
    assert_memory_equal(p->M, ((double[]){2, 0.5, 0.5, 3}), 4 * sizeof(double));
    assert_memory_equal(p->F, ((double[]){1, -1}), 2 * sizeof(double));
    assert_memory_equal(p->G_b, ((double[]){0.6, 0.8}), 2 * sizeof(double));
    assert_true(p->b_b[0] == 0.25 && s->bilateral_contact[0] == ROD);
    const double column[2][2] = {{0, 1}, {-1, 0}};
    for (int j = 0, c = FLOOR; c <= WALL; c++) {
      if (open >> (c - FLOOR) & 1) continue;
      assert_memory_equal(p->G_u + 2 * j, column[c - FLOOR], 2 * sizeof(double));
      assert_true(p->b_u[j] == f.value.b_n[c] && s->unilateral_contact[j] == c);
      assert_string_equal(p->unilateral[j], infos[c].name);
      j++;
    }
    assert_string_equal(p->bilateral[0], "rod");
    assert_string_equal(p->coordinates[1], "y");
    same_as_dense(&s->matrices.M, p->M, 2, 2);
    same_as_dense(&s->matrices.G_b, p->G_b, 2, 1);
    same_as_dense(&s->matrices.G_u, p->G_u, 2, m_u);
    dls_problem_dense_free(p);
    dls_contact_state_free(s);
  }
  dls_contact_state_free(NULL);
}

static void bad_systems(void **unused)
{
  (void)unused;
  static const char *const unnamed[] = {"x", NULL};
  static const int late_p[] = {1, 2, 4}, falling_p[] = {0, 2, 1, 4}, long_p[] = {0, 3, 4};
  static const int twice_i[] = {0, 0, 0, 1}, far_i[] = {0, 2, 0, 1}, negative_i[] = {-1, 1, 0, 1};
  dls_contact_info bad[CONTACTS];
  fixed f;
  const dls_system good = fixed_system(&f);
  dls_system s;

  refused(NULL, DLS_ERR_ARGUMENT, "a system needs its evaluate function");
#define REFUSED(change, text) \
  s = good, memcpy(bad, infos, sizeof bad), change, refused(&s, DLS_ERR_ARGUMENT, text)
  REFUSED(s.evaluate = NULL, "a system needs its evaluate function");
  const char *const parts = "a system needs at least one coordinate, names, and its contacts";
  REFUSED(s.n = 0, parts);
  REFUSED(s.m = -1, parts);
  REFUSED(s.tangents = -1, parts);
  REFUSED(s.coordinates = NULL, parts);
  REFUSED(s.contacts = NULL, parts);
  REFUSED(s.coordinates = unnamed, "coordinate 1 has no name");
  const char *const contact = "contact 2 needs a name, a kind, and 0, 1 or 2 slip velocities";
  REFUSED((s.contacts = bad, bad[2].name = NULL), contact);
  REFUSED((s.contacts = bad, bad[2].tangents = -1), contact);
  REFUSED((s.contacts = bad, bad[2].tangents = 3), contact);
  REFUSED((s.contacts = bad, bad[2].kind = (dls_contact_kind)2), contact);
  REFUSED((s.contacts = bad, bad[1].tangents = 0), "the contacts have 2 slip velocities, not 3");
  REFUSED(s.mass.rows = 3, "the mass pattern must be 2 x 2 and start at 0");
  REFUSED(s.mass.cols = 3, "the mass pattern must be 2 x 2 and start at 0");
  REFUSED(s.mass.p = NULL, "the mass pattern must be 2 x 2 and start at 0");
  REFUSED(s.mass.p = late_p, "the mass pattern must be 2 x 2 and start at 0");
  REFUSED(s.mass.i = NULL, "the mass pattern has no rows");
  REFUSED(s.mass.p = long_p, "the mass pattern: column 0 has a wrong length");
  REFUSED(s.normal.p = falling_p, "the normal pattern: column 1 has a wrong length");
  REFUSED(s.mass.i = twice_i, "the mass pattern: rows of column 0 must increase and stay below 2");
  REFUSED(s.mass.i = far_i, "the mass pattern: rows of column 0 must increase and stay below 2");
  REFUSED(s.mass.i = negative_i,
          "the mass pattern: rows of column 0 must increase and stay below 2");
  REFUSED(s.tangent.cols = 2, "the tangent pattern must be 2 x 3 and start at 0");
#undef REFUSED
}

static void bad_tolerances(void **unused)
{
  (void)unused;
  fixed f;
  const dls_system system = fixed_system(&f);
  const dls_state state = at_origin();
  const double bad[] = {0, -1e-9, NAN, INFINITY};
  for (int k = 0; k < 4; k++) {
    at_case("k %d", k);
    const dls_contact_options options = {.tolerance = bad[k]};
    dls_contact_state *out = (dls_contact_state *)&f;
    dls_message message;
    assert_int_equal(dls_contact_state_create(&system, &state, &options, &out, &message),
                     DLS_ERR_ARGUMENT);
    assert_null(out);
    assert_string_equal(message.text, "the tolerance must be a positive number");
  }
  assert_true(dls_contact_defaults().tolerance == 1e-9);
}

static void numbers_not_finite(void **unused)
{
  (void)unused;
  fixed f;
  const dls_system system = fixed_system(&f);
  double q[] = {0, NAN}, v[] = {INFINITY, 0};
  refused_at(&system, &(dls_state){NAN, origin, origin}, DLS_ERR_NUMBER,
             "the time is not a finite number");
  refused_at(&system, &(dls_state){0, q, origin}, DLS_ERR_NUMBER,
             "coordinate `y` of the state is not a finite number");
  refused_at(&system, &(dls_state){0, origin, v}, DLS_ERR_NUMBER,
             "the velocity of `x` of the state is not a finite number");

  // a system that does not notice what it computes
  const struct {
    size_t offset;
    const char *text;
  } arrays[] = {{offsetof(numbers, M), "the mass matrix is not finite at this state"},
                {offsetof(numbers, F), "the force F is not finite at this state"},
                {offsetof(numbers, h), "the gap function h is not finite at this state"},
                {offsetof(numbers, h_dot), "the gap velocity is not finite at this state"},
                {offsetof(numbers, G), "the gradient G is not finite at this state"},
                {offsetof(numbers, b_n), "the acceleration term b_n is not finite at this state"},
                {offsetof(numbers, slip), "the slip velocity is not finite at this state"},
                {offsetof(numbers, H), "the slip direction H is not finite at this state"},
                {offsetof(numbers, b_t), "the acceleration term b_t is not finite at this state"}};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
    at_case("%s", arrays[k].text);
    fixed_system(&f);
    double *first = (double *)((char *)&f.value + arrays[k].offset);
    first[1] = k % 2 ? NAN : -INFINITY;
    refused(&system, DLS_ERR_NUMBER, arrays[k].text);
  }
  fixed_system(&f);
  f.value.friction[FLOOR] = -0.5;
  refused(&system, DLS_ERR_NUMBER,
          "the friction of contact `floor` is -0.5; it must be a number >= 0");
  f.value.friction[FLOOR] = 0;
  f.value.restitution[WALL] = INFINITY;
  refused(&system, DLS_ERR_NUMBER,
          "the restitution of contact `wall` is inf; it must be a number >= 0");
  f.answer = DLS_ERR_NUMBER;
  refused(&system, DLS_ERR_NUMBER, "the system says no");
}

static dls_status fixed_energy(void *self, double t, const double *q, const double *v,
                               double *kinetic, double *potential, dls_message *message)
{
  const fixed *f = self;
  (void)t, (void)q, (void)v;
  *kinetic = f->kinetic, *potential = f->potential;
  if (message && f->energy_says)
    snprintf(message->text, sizeof message->text, "%s", f->energy_says);
  return f->energy_answer;
}

// The equations have derivatives of the energies only: their values are looked at by themselves.
static void energy_not_finite(void **unused)
{
  (void)unused;
  static const char at[] = "t = 0, x = 0, x' = 0, y = 0, y' = 0";
  fixed f;
  char text[200];
  dls_system system = fixed_system(&f);
  system.energy = fixed_energy;
  dls_contact_state_free(create(&system, 1e-9));
  const struct {
    double kinetic, potential;
    const char *text;
  } wrong[] = {{NAN, 0, "the kinetic energy is not a number"},
               {INFINITY, NAN, "the kinetic energy is infinite"},
               {1, NAN, "the potential energy is not a number"},
               {1, -INFINITY, "the potential energy is infinite"}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    at_case("%s", wrong[k].text);
    f.kinetic = wrong[k].kinetic, f.potential = wrong[k].potential;
    snprintf(text, sizeof text, "%s at %s", wrong[k].text, at);
    refused(&system, DLS_ERR_NUMBER, text);
  }
  f.kinetic = f.potential = 0;
  f.energy_answer = DLS_ERR_NUMBER;
  snprintf(text, sizeof text, "the energy is not finite at %s", at);
  refused(&system, DLS_ERR_NUMBER, text);
  f.energy_says = "no energy";
  snprintf(text, sizeof text, "no energy at %s", at);
  refused(&system, DLS_ERR_NUMBER, text);
  f.energy_answer = DLS_ERR_SOLVER;
  refused(&system, DLS_ERR_SOLVER, "no energy");
}

static void refused_model(const char *text, const char *at, const char *expected)
{
  dls_model *model;
  dls_system *system;
  static dls_diagnostics diagnostics;
  dls_message message;
  double q[8] = {0}, v[8] = {0};
  dls_state state = {0, q, v};
  assert_int_equal(dls_model_parse(text, strlen(text), &model, &diagnostics), DLS_OK);
  assert_int_equal(dls_model_system(model, &system), DLS_OK);
  assert_int_equal(dls_model_state(system, at, &state, &message), DLS_OK);
  if (expected) {
    refused_at(system, &state, DLS_ERR_NUMBER, expected);
  } else {
    dls_contact_state *out;
    assert_int_equal(dls_contact_state_create(system, &state, NULL, &out, &message), DLS_OK);
    dls_contact_state_free(out);
  }
  dls_system_free(system);
  dls_model_free(model);
}

static void energy_of_a_model(void **unused)
{
  (void)unused;
  const char *logarithm = "coordinate x = 0\nkinetic x'^2/2\npotential log(x - 1)\n";
  refused_model(logarithm, NULL, "the potential energy is not a number at t = 0, x = 0, x' = 0");
  refused_model(logarithm, "x = 0.5, x' = -2, t = 3",
                "the potential energy is not a number at t = 3, x = 0.5, x' = -2");
  refused_model(logarithm, "x = 1.5", NULL);
  refused_model("coordinate x = 0\nkinetic x'^2/2 + log(x - 1)\n", NULL,
                "the kinetic energy is not a number at t = 0, x = 0, x' = 0");
  const char *fast = "coordinate x = 0\nkinetic x'^2/2\n";
  refused_model(fast, "x' = 1e200", "the kinetic energy is infinite at t = 0, x = 0, x' = 1e+200");
  refused_model(fast, "x' = 1e100", NULL);
  // the forces are what a message names first
  refused_model("coordinate x = 0\nkinetic x'^2/2\npotential sqrt(x - 1)\n", NULL,
                "the force on x is not a number");
  // some coordinates stand for all
  refused_model("coordinate a = 1, b = 2, c = 3, d = 4, e = 5\n"
                "kinetic a'^2 + b'^2 + c'^2 + d'^2 + e'^2\npotential log(-e)\n",
                NULL,
                "the potential energy is not a number at t = 0, a = 1, a' = 0, b = 2, b' = 0, "
                "c = 3, c' = 0, d = 4, d' = 0, …");
  char name[301] = {0}, text[2000];
  memset(name, 'x', 300);
  snprintf(text, sizeof text, "coordinate %s\nkinetic %s'^2\npotential log(%s - 1)\n", name, name,
           name);
  refused_model(text, NULL, "the potential energy is not a number at t = 0, …");
}

// A bead of mass m on a rod of length L above a floor that it touches at its lowest point:
// h_rod = (x^2 + y^2 - L^2)/2, h_floor = y + L.
typedef struct bead {
  double m, L, g;
} bead;

static dls_status bead_evaluate(void *self, double t, const double *q, const double *v,
                                const dls_values *values, const dls_values *bound,
                                dls_message *message)
{
  const bead *b = self;
  (void)t, (void)message;
  values->M[0] = values->M[1] = b->m;
  values->F[0] = 0, values->F[1] = b->m * b->g;
  values->h[0] = (q[0] * q[0] + q[1] * q[1] - b->L * b->L) / 2, values->h[1] = q[1] + b->L;
  values->h_dot[0] = q[0] * v[0] + q[1] * v[1], values->h_dot[1] = v[1];
  values->G[0] = q[0], values->G[1] = q[1], values->G[2] = 1;
  values->b_n[0] = v[0] * v[0] + v[1] * v[1], values->b_n[1] = 0;
  for (int j = 0; j < 2; j++) values->friction[j] = values->restitution[j] = 0;
  if (!bound) return DLS_OK;
  memset(bound->M, 0, 2 * sizeof(double));
  memset(bound->F, 0, 2 * sizeof(double));
  memset(bound->h, 0, 2 * sizeof(double));
  memset(bound->h_dot, 0, 2 * sizeof(double));
  memset(bound->G, 0, 3 * sizeof(double));
  memset(bound->b_n, 0, 2 * sizeof(double));
  return DLS_OK;
}

// The rod alone holds the swinging bead: y'' = v^2/L lifts it from the floor, and the multiplier
// follows from m y'' + m g = -L lambda. At rest the floor may carry any part of the weight.
static void bead_on_a_rod(void **unused)
{
  (void)unused;
  static const dls_contact_info contacts[] = {{.name = "rod", .kind = DLS_BILATERAL},
                                              {.name = "floor", .kind = DLS_UNILATERAL}};
  static const int diagonal_p[] = {0, 1, 2}, diagonal_i[] = {0, 1}, none_p[] = {0};
  static const int gradient_p[] = {0, 2, 3}, gradient_i[] = {0, 1, 1};
  bead b = {.m = 3, .L = 2, .g = 10};
  const dls_system system = {.n = 2,
                             .m = 2,
                             .coordinates = names,
                             .contacts = contacts,
                             .mass = {2, 2, diagonal_p, diagonal_i},
                             .normal = {2, 2, gradient_p, gradient_i},
                             .tangent = {2, 0, none_p, NULL},
                             .self = &b,
                             .evaluate = bead_evaluate};
  const double speeds[] = {4, 0};
  for (int k = 0; k < 2; k++) {
    at_case("k %d", k);
    double q[] = {0, -b.L}, v[] = {speeds[k], 0};
    const dls_state state = {.q = q, .v = v};
    dls_contact_state *s;
    dls_check *check;
    assert_int_equal(dls_system_validate(&system, NULL), DLS_OK);
    assert_int_equal(dls_contact_state_create(&system, &state, NULL, &s, NULL), DLS_OK);
    assert_true(s->q != q && s->v[0] == speeds[k]);
    assert_int_equal(dls_check_run(&s->problem, NULL, &check, NULL), DLS_OK);
    assert_int_equal(check->verdict[DLS_ACCELERATION_EXISTS].answer, DLS_YES);
    assert_int_equal(check->verdict[DLS_ACCELERATION_UNIQUE].answer, DLS_YES);
    assert_int_equal(check->verdict[DLS_CONSTRAINTS_INDEPENDENT].answer, DLS_NO);
    assert_int_equal(check->verdict[DLS_FORCES_UNIQUE].answer, speeds[k] > 0 ? DLS_YES : DLS_NO);
    assert_non_null(check->solution);
    const double up = speeds[k] * speeds[k] / b.L;
    close_to(check->solution->acceleration[0], 0, 1e-12);
    close_to(check->solution->acceleration[1], up, 1e-12);
    close_to(check->solution->a_u[0], up, 1e-12);
    const double rod = -b.m * (up + b.g) / b.L;
    if (speeds[k] > 0) {
      close_to(check->solution->lambda_b[0], rod, 1e-11);
      close_to(check->solution->lambda_u[0], 0, 1e-11);
    } else {
      // the interval of the floor's force: all of the weight and more, pressing against the rod
      close_to(check->solution->low_u[0], 0, 1e-11);
      assert_true(check->solution->high_u[0] == INFINITY);
      close_to(check->solution->low_b[0], rod, 1e-11);
      assert_true(check->solution->high_b[0] == INFINITY);
    }
    dls_check_free(check);
    dls_contact_state_free(s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lexicographic_rule),
      cmocka_unit_test(violations),
      cmocka_unit_test(flags),
      cmocka_unit_test(noise),
      cmocka_unit_test(noise_of_a_model),
      cmocka_unit_test(assembled),
      cmocka_unit_test(bad_systems),
      cmocka_unit_test(bad_tolerances),
      cmocka_unit_test(numbers_not_finite),
      cmocka_unit_test(energy_not_finite),
      cmocka_unit_test(energy_of_a_model),
      cmocka_unit_test(bead_on_a_rod),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
