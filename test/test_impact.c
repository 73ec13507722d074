// Impacts with known answers: INC section 6, Newton's cradle, moving walls, massless coordinates,
// energy that grows, bad input.
#include "impact_maker.h"

#include <delassus/model.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

static void near_to(double found, double expected, double tolerance)
{
  if (!(fabs(found - expected) <= tolerance * fmax(1, fabs(expected))))
    fail_msg("%.17g is not %.17g", found, expected);
}

// ---- models -------------------------------------------------------------------------------------

typedef struct model_impact {
  dls_model *model;
  dls_system *system;
  dls_contact_state *state;
  dls_impact *impact;
} model_impact;

static model_impact impact_at(const char *text, const char *at, const char *const *sets)
{
  model_impact m = {0};
  static double E[64];
  double q[16], v[16];
  dls_state state = {.q = q, .v = v};
  dls_message message = {0};
  assert_int_equal(dls_model_parse(text, strlen(text), &m.model, NULL), DLS_OK);
  assert_int_equal(dls_model_system(m.model, &m.system), DLS_OK);
  for (; sets && *sets; sets += 2)
    if (dls_model_set(m.system, sets[0], sets[1], &message)) fail_msg("%s", message.text);
  if (dls_model_state(m.system, at, &state, &message) ||
      dls_contact_state_create(m.system, &state, NULL, &m.state, &message) ||
      dls_model_restitution_matrix(m.system, m.state, E))
    fail_msg("%s", message.text);
  dls_impact_options options = dls_impact_defaults();
  options.E = E;
  if (dls_impact_create(m.state, &options, &m.impact, &message)) fail_msg("%s", message.text);
  return m;
}

static void close_impact(model_impact *m)
{
  dls_impact_free(m->impact);
  dls_contact_state_free(m->state);
  dls_system_free(m->system);
  dls_model_free(m->model);
}

// ---- INC ---------------------------------------------------------------------------------------

// Example 3 and Proposition 16: p_joint = -alpha/(alpha^2 + beta^2) p_wall.
static void prismatic_joint(void **unused)
{
  (void)unused;
  rng r = rng_create(1);
  for (int trial = 0; trial < 200; trial++) {
    at_case("trial %d", trial);
    const double m = 0.1 + fabs(rng_real(&r)), l = 0.1 + fabs(rng_real(&r)), a = rng_real(&r);
    const double alpha = trial % 5 ? rng_real(&r) : 0, beta = 0.3 + fabs(rng_real(&r));
    const double e = fabs(rng_real(&r)), speed = fabs(rng_real(&r)), s = sin(a);
    impact_case c = {.n = 3, .m_b = 1, .m_u = 1, .e = {0, e}};
    c.M[0] = c.M[4] = m, c.M[8] = m * l * l / 3;
    c.G[0] = alpha, c.G[1] = beta;
    c.G[3] = 1, c.G[5] = l * s;
    c.v[0] = -speed, c.v[1] = alpha / beta * speed;
    impact_case_velocities(&c);
    dls_impact *i = impact_of(&c);
    assert_int_equal(i->law, DLS_LAW_NEWTON);
    const double square = alpha * alpha + beta * beta;
    const double p = (1 + e) * m * speed / (beta * beta / square + 3 * s * s);
    near_to(i->motion->p_u[0], p, 1e-12);
    near_to(i->motion->p_b[0], -alpha / square * p, 1e-12);
    if (alpha == 0) assert_true(i->motion->p_b[0] == 0);
    // their kinetic angle: pi/2 when alpha = 0
    const double cosine = alpha / (sqrt(square) * sqrt(1 + 3 * s * s));
    near_to(i->moreau.check->kinetic_angles[1], acos(-1) - acos(cosine), 1e-7);
    near_to(i->motion->normal_after[0], e * speed, 1e-12);
    near_to(i->motion->kinetic_change, -(1 - e) * p * speed / 2, 1e-12);
    dls_impact_free(i);
  }
}

// Proposition 17 (i): A_c and its products with I + E have nonnegative inverses.
static void monotone_matrices(void **unused)
{
  (void)unused;
  rng r = rng_create(2);
  for (int trial = 0; trial < 200; trial++) {
    at_case("trial %d", trial);
    impact_case c = {.n = rng_int(&r, 1, 4), .coupled = true};
    const int n = c.m_u = c.n;
    // M^-1 = A_c is a Stieltjes matrix: M = a positive Green's function, here of a chain
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) c.M[i + n * j] = (fmin(i, j) + 1) * (n - fmax(i, j)) / (n + 1.0);
    for (int i = 0; i < n; i++) c.G[i * (n + 1)] = 1, c.v[i] = -fabs(rng_real(&r));
    for (int i = 0; i < n * n; i++) c.E[i] = fabs(rng_real(&r));
    impact_case_velocities(&c);
    dls_impact *i = impact_of(&c);
    assert_int_equal(i->newton.answer, DLS_YES);
    assert_true(i->separates);
    for (int k = 0; k < n; k++) {  // A p = -(I + E) u-, with A^-1 = M
      double p = 0, after = 0;
      for (int j = 0; j < n; j++) {
        double load = -c.u[j];
        for (int l = 0; l < n; l++) load -= c.E[j + n * l] * c.u[l];
        p += c.M[k + n * j] * load;
        after -= c.E[k + n * j] * c.u[j];
      }
      near_to(i->by_newton->p_u[k], p, 1e-11);
      near_to(i->by_newton->normal_after[k], after, 1e-11);
    }
    dls_impact_free(i);
  }
}

// Farkas' vector, recomputed.                                                          eq (imp.6)
static void check_farkas(const impact_case *c, const dls_impact *i)
{
  const int n = c->n, m = c->m_b + c->m_u;
  assert_int_equal(i->newton.leaves, 1);
  const dls_leaf *leaf = i->newton.leaf;
  long double value = 0;
  double size = 0;
  for (int k = 0; k < n; k++) size = fmax(size, fabs(leaf->direction[k]));
  for (int j = 0; j < m; j++) size = fmax(size, fabs(leaf->alpha[j]));
  for (int k = 0; k < n; k++) {
    at_case("k %d", k);
    long double sum = 0;
    for (int j = 0; j < n; j++) sum += (long double)c->M[k + n * j] * leaf->direction[j];
    for (int j = 0; j < m; j++) sum += (long double)c->G[k + n * j] * leaf->alpha[j];
    assert_true(fabsl(sum) < 1e-9 * size);
  }
  for (int j = 0; j < m; j++) {
    long double along = 0, load = 0;
    for (int k = 0; k < n; k++) along += (long double)c->G[k + n * j] * leaf->direction[k];
    assert_true(j < c->m_b ? fabsl(along) < 1e-9 * size : along > -1e-9 * size);
    if (j < c->m_b) continue;
    load = c->u[j];
    for (int l = c->m_b; l < m; l++)
      load += (long double)i->E[j - c->m_b + c->m_u * (l - c->m_b)] * c->u[l];
    value += leaf->alpha[j] * load;
  }
  assert_true(value < -1e-6 * size);
}

// Proposition 17 (iii): (I + E) u- must lie in the range of G_u^T. Two contacts with one gradient
// and different coefficients cannot both have their way; Moreau's law lets the faster one win.
static void incompatible_coefficients(void **unused)
{
  (void)unused;
  impact_case c = {.n = 1, .m_u = 2, .M = {2}, .G = {1, 1}, .v = {-1}, .e = {0.2, 0.7}};
  impact_case_velocities(&c);
  dls_impact *i = impact_of(&c);
  assert_int_equal(i->newton.answer, DLS_NO);
  check_farkas(&c, i);
  assert_int_equal(i->law, DLS_LAW_MOREAU);
  near_to(i->motion->after[0], 0.7, 1e-14);
  near_to(i->motion->p_u[0], 0, 1e-14);
  near_to(i->motion->p_u[1], 3.4, 1e-14);
  dls_impact_free(i);
  c.e[0] = 0.7;
  i = impact_of(&c);
  assert_int_equal(i->newton.answer, DLS_YES);
  assert_int_equal(i->moreau.percussions_unique.answer, DLS_NO);
  assert_int_equal(i->motion->continuum, DLS_CONTINUUM_FORCES);
  near_to(i->motion->p_u[0], 1.7, 1e-14);  // least norm
  // Proposition 18: two sets of percussions differ by what G_u does not see
  const dls_verdict *v = &i->moreau.percussions_unique;
  for (int k = 0; k < v->parts; k++)
    if (strcmp(v->part[k].name, "other_u") == 0)
      near_to(v->part[k].values[0] + v->part[k].values[1], 3.4, 1e-12);
  dls_impact_free(i);
}

// ---- the cradle --------------------------------------------------------------------------------

// Two contacts of one gradient and coefficients that differ by a little: rounding, neither, or two
// laws that contradict each other.                                                    eq (num.1)
static void nearly_compatible_coefficients(void **unused)
{
  (void)unused;
  for (int bits = 12; bits <= 56; bits++) {
    at_case("bits %d", bits);
    impact_case c = {.n = 2, .m_u = 2, .M = {1, 0, 0, 1}, .v = {-1, 0}, .G = {1, 0, 1, 0}};
    c.e[0] = 0.5, c.e[1] = 0.5 + ldexp(1, -bits);
    impact_case_velocities(&c);
    dls_impact *i = impact_of(&c);
    const dls_answer expected = bits < 26 ? DLS_NO : bits > 51 ? DLS_YES : DLS_UNDECIDED;
    if (bits < 26 || bits > 51 || (bits > 32 && bits < 44))
      assert_int_equal(i->newton.answer, expected);
    dls_impact_free(i);
  }
}

static const char cradle[] = "parameter e = 1, wave = 0, v = 1\n"
                             "coordinate x1 = -1, x2 = 0, x3 = 1\n"
                             "kinetic (x1'^2 + x2'^2 + x3'^2)/2\n"
                             "unilateral left:  x2 - x1 >= 1 { restitution e }\n"
                             "unilateral right: x3 - x2 >= 1 { restitution e }\n"
                             "restitution left right = wave\n"
                             "restitution right left = wave\n";

static void newtons_cradle(void **unused)
{
  (void)unused;
  const struct {
    const char *e, *wave;
    dls_impact_law law;
    dls_answer newton;
    double v[3];
    dls_energy_balance balance;
  } cases[] = {
      {"1", "0", DLS_LAW_NEWTON, DLS_YES, {-1. / 3, 2. / 3, 2. / 3}, DLS_ENERGY_KEPT},
      {"0", "1", DLS_LAW_NEWTON, DLS_YES, {0, 0, 1}, DLS_ENERGY_KEPT},
      {"0", "0", DLS_LAW_NEWTON, DLS_YES, {1. / 3, 1. / 3, 1. / 3}, DLS_ENERGY_LOST},
      {"0.5", "0.1", DLS_LAW_NEWTON, DLS_YES, {-1. / 30, 14. / 30, 17. / 30}, DLS_ENERGY_LOST},
      {"0", "2", DLS_LAW_MOREAU, DLS_YES, {1. / 3, 1. / 3, 1. / 3}, DLS_ENERGY_LOST},
      {"0", "-1", DLS_LAW_MOREAU, DLS_NO, {1. / 3, 1. / 3, 1. / 3}, DLS_ENERGY_LOST},
      {"0", "-0.4", DLS_LAW_MOREAU, DLS_YES, {1. / 3, 1. / 3, 1. / 3}, DLS_ENERGY_LOST},
      {"1.5", "0", DLS_LAW_MOREAU, DLS_YES, {-2. / 3, 5. / 6, 5. / 6}, DLS_ENERGY_GAINED}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    at_case("k %zu", k);
    const char *const sets[] = {"e", cases[k].e, "wave", cases[k].wave, NULL};
    model_impact m = impact_at(cradle, "x1' = 1", sets);
    const dls_impact *i = m.impact;
    assert_int_equal(i->law, cases[k].law);
    assert_int_equal(i->newton.answer, cases[k].newton);
    assert_int_equal(i->motion->balance, cases[k].balance);
    for (int j = 0; j < 3; j++) near_to(i->motion->after[j], cases[k].v[j], 1e-14);
    assert_int_equal(i->coupled, strcmp(cases[k].wave, "0") != 0);
    if (strcmp(cases[k].wave, "-0.4") == 0) assert_false(i->separates);
    if (strcmp(cases[k].wave, "2") == 0) assert_int_equal(i->by_newton->balance, DLS_ENERGY_GAINED);
    near_to(i->motion->kinetic_change, i->motion->kinetic_after - i->kinetic_before, 1e-14);
    near_to(i->motion->kinetic_change, i->motion->work, 1e-14);
    assert_true(i->projection_difference < 1e-14);
    close_impact(&m);
  }
}

// ---- what moves on its own ---------------------------------------------------------------------

// A ball on a floor that comes up, and the same seen from the floor.
static void galilean(void **unused)
{
  (void)unused;
  const char *const moving = "coordinate y = 0, x\n"
                             "kinetic (x'^2 + y'^2)/2\n"
                             "unilateral floor: y - t >= 0 { slip x'; friction 0.1; "
                             "restitution 0.5 }\n";
  const char *const still = "coordinate y = 0, x\n"
                            "kinetic (x'^2 + y'^2)/2\n"
                            "unilateral floor: y >= 0 { slip x'; friction 0.1; restitution 0.5 }\n";
  model_impact a = impact_at(moving, "x' = 1", NULL), b = impact_at(still, "y' = -1, x' = 1", NULL);
  assert_true(a.impact->motion->jump[0] == 1.5 && b.impact->motion->jump[0] == 1.5);
  near_to(a.impact->motion->jump[1], -0.15, 1e-14);
  for (int i = 0; i < 2; i++) assert_true(a.impact->motion->jump[i] == b.impact->motion->jump[i]);
  // the floor works on the ball: kinetic energy grows although the contact takes some
  assert_int_equal(a.impact->motion->balance, DLS_ENERGY_LOST);
  assert_true(a.impact->motion->kinetic_change > 0.9);
  near_to(a.impact->motion->work, b.impact->motion->work, 1e-14);
  near_to(b.impact->motion->kinetic_change, b.impact->motion->work, 1e-14);
  close_impact(&a), close_impact(&b);
}

static void separating_contacts_stay(void **unused)
{
  (void)unused;
  model_impact m = impact_at("coordinate x, y\n"
                             "kinetic x'^2 + y'^2 + x'*y'\n"
                             "unilateral wall: x >= 0\n"
                             "unilateral floor: y >= 0\n"
                             "unilateral far: y + 1 >= 0\n",
                             "x' = 2, y' = -1", NULL);
  assert_int_equal(m.impact->m_u, 1);
  near_to(m.impact->motion->after[1], 0, 1e-15);
  near_to(m.impact->motion->after[0], 1.5, 1e-15);  // momentum of x is kept: 2 x' + y'
  close_impact(&m);
}

// A touching contact that the blow opens, with a coefficient of its own: only Moreau's law fits.
static void touching_contacts_may_open(void **unused)
{
  (void)unused;
  // a rod falls flat on one end while the other one touches
  impact_case c = {.n = 2, .m_u = 2, .e = {0, 0}};
  c.M[0] = 1, c.M[3] = 1;  // the mass is far out
  c.G[0] = 1, c.G[1] = -0.5, c.G[2] = 1, c.G[3] = 0.5;
  c.v[0] = -0.5, c.v[1] = -1;  // left end at rest, right end comes down with 1
  impact_case_velocities(&c);
  assert_true(c.u[0] == 0 && c.u[1] == -1);
  dls_impact *i = impact_of(&c);
  // A = [1.25, 0.75; 0.75, 1.25]: p_right = 0.8 lifts the left end with 0.6
  assert_int_equal(i->newton.answer, DLS_NO);
  check_farkas(&c, i);
  assert_int_equal(i->law, DLS_LAW_MOREAU);
  near_to(i->motion->p_u[1], 0.8, 1e-14);
  assert_true(i->motion->p_u[0] == 0);
  assert_int_equal(i->motion->mode[0], DLS_MODE_DETACH);
  near_to(i->motion->normal_after[0], 0.6, 1e-14);
  assert_true(i->motion->normal_after[1] == 0);
  dls_impact_free(i);
}

// A tray without mass is pushed along; alone, its velocity after is anything that opens.
static void massless_coordinates(void **unused)
{
  (void)unused;
  model_impact m = impact_at("coordinate x, y\n"
                             "kinetic x'^2/2\n"
                             "bilateral tie: y - x = 0\n"
                             "unilateral wall: y >= 0 { restitution 0.25 }\n",
                             "x' = -1, y' = -1", NULL);
  assert_int_equal(m.impact->moreau.unique.answer, DLS_YES);
  near_to(m.impact->motion->after[0], 0.25, 1e-14);
  near_to(m.impact->motion->after[1], 0.25, 1e-14);
  near_to(m.impact->motion->p_b[0], -m.impact->motion->p_u[0], 1e-14);
  close_impact(&m);
  m = impact_at("coordinate x, y\n"
                "kinetic x'^2/2\n"
                "unilateral wall: y >= 0 { restitution 0.25 }\n",
                "x' = -1, y' = -1", NULL);
  assert_int_equal(m.impact->moreau.unique.answer, DLS_NO);
  assert_int_equal(m.impact->motion->continuum, DLS_CONTINUUM_ACCELERATION);
  assert_true(m.impact->motion->after[1] >= 0.25 - 1e-12 && m.impact->motion->after[0] == -1);
  assert_true(m.impact->motion->p_u[0] == 0);
  close_impact(&m);
}

// Walls that close on a block: no velocity fits.
static void closing_walls(void **unused)
{
  (void)unused;
  model_impact m = impact_at("coordinate x\nkinetic x'^2/2\nunilateral left: x - t >= 0\n"
                             "unilateral right: -x - t >= 0\n",
                             NULL, NULL);
  assert_int_equal(m.impact->moreau.exists.answer, DLS_NO);
  assert_int_equal(m.impact->newton.answer, DLS_NO);
  assert_int_equal(m.impact->law, DLS_LAW_NONE);
  assert_null(m.impact->motion);
  close_impact(&m);
}

// ---- friction ----------------------------------------------------------------------------------

// A ball with spin: it sticks, or slides with mu p.
static void bouncing_ball(void **unused)
{
  (void)unused;
  const char *const ball = "parameter mu = 0.5, e = 0.5\n"
                           "coordinate x, y, z\n"
                           "kinetic (x'^2 + y'^2 + z'^2)/2\n"
                           "unilateral floor: z >= 0 { slip x', y'; friction mu; restitution e }\n";
  model_impact m = impact_at(ball, "x' = 3, y' = 4, z' = -2", NULL);
  const dls_impact_motion *a = m.impact->motion;
  near_to(a->after[0], 3 - 0.6 * 1.5, 1e-9);
  near_to(a->after[1], 4 - 0.8 * 1.5, 1e-9);
  near_to(a->after[2], 1, 1e-12);
  assert_int_equal(m.impact->newton.answer, DLS_YES);
  assert_true(m.impact->incremental_ran && m.impact->incremental_converged);
  assert_true(m.impact->incremental_difference < 1e-9);
  close_impact(&m);
  m = impact_at(ball, "x' = 0.3, y' = 0.4, z' = -2", NULL);
  near_to(m.impact->motion->after[0], 0, 1e-12);
  assert_int_equal(m.impact->motion->mode[0], DLS_MODE_STICK);
  near_to(m.impact->motion->p_t[1], -0.4, 1e-12);
  close_impact(&m);
}

// A bilateral contact that rubs: the sign of its percussion is one of the modes.
static void rubbing_joint(void **unused)
{
  (void)unused;
  for (int side = -1; side <= 1; side += 2) {
    at_case("side %d", side);
    // a bead on a slanted wire runs into a wall
    impact_case c = {.n = 2, .m_b = 1, .m_u = 1, .mu = {0.2, 0}, .tangents = {1, 0}, .e = {0, 0}};
    c.M[0] = c.M[3] = 1;
    c.G[0] = side, c.G[1] = -2, c.G[2] = 1;
    c.H[0] = 2, c.H[1] = side;
    c.v[0] = -2, c.v[1] = -side;
    impact_case_velocities(&c);
    dls_impact *i = impact_of(&c);
    assert_int_equal(i->moreau.exists.answer, DLS_YES);
    assert_int_equal(i->moreau.unique.answer, DLS_YES);
    assert_false(i->incremental_ran);
    near_to(i->motion->after[0], 0, 1e-12);
    near_to(i->motion->after[1], 0, 1e-12);
    assert_true(fabs(i->motion->p_t[0]) <= 0.2 * fabs(i->motion->p_b[0]) + 1e-12);
    assert_true(i->motion->residual < 1e-12);
    dls_impact_free(i);
  }
}

// Housner's block.
static void landing_block(void **unused)
{
  (void)unused;
  const char *const block =
      "parameter L = 1, l = 2, mu = 0.6\n"
      "let c = cos(theta), s = sin(theta)\n"
      "coordinate theta, x, y = l/2\n"
      "kinetic (x'^2 + y'^2)/2 + (l^2 + L^2)/24*theta'^2\n"
      "unilateral A1: y - l/2*c + L/2*s >= 0 { slip x' + (l/2*c - L/2*s)*theta'; friction mu }\n"
      "unilateral A2: y - l/2*c - L/2*s >= 0 { slip x' + (l/2*c + L/2*s)*theta'; friction mu }\n";
  const struct {
    const char *l;
    double l_value;
  } cases[] = {{"2", 2}, {"3", 3}, {"1.5", 1.5}};
  for (size_t k = 0; k < 3; k++) {
    const double l = cases[k].l_value, needed = 3 * l / (4 * l * l + 1);
    char at[120], mu[40];
    snprintf(at, sizeof at, "y = %.17g, theta' = 1, x' = %.17g, y' = -0.5", l / 2, -l / 2);
    for (int enough = 0; enough < 2; enough++) {
      at_case("k %zu, enough %d", k, enough);
      snprintf(mu, sizeof mu, "%.17g", needed * (enough ? 1.01 : 0.99));
      const char *const sets[] = {"l", cases[k].l, "mu", mu, NULL};
      model_impact m = impact_at(block, at, sets);
      const dls_impact_motion *a = m.impact->motion;
      assert_int_equal(m.impact->law, DLS_LAW_MOREAU);
      if (enough) assert_int_equal(a->mode[1], DLS_MODE_STICK);
      if (enough) near_to(a->after[0], (2 * l * l - 1) / (2 * l * l + 2), 1e-12);
      else assert_true(fabs(a->slip_after[1]) > 1e-4);
      assert_true(a->p_u[0] == 0);
      assert_int_equal(a->balance, DLS_ENERGY_LOST);
      close_impact(&m);
    }
  }
}

// ---- bad input ---------------------------------------------------------------------------------

static void bad_input(void **unused)
{
  (void)unused;
  impact_case c = {.n = 1, .m_u = 1, .M = {1}, .G = {1}, .v = {-1}, .e = {0.5}};
  const double bad[] = {NAN, INFINITY, -INFINITY};
  dls_impact *impact;
  dls_message message;
  impact_case_velocities(&c);
  impact_case_ready(&c);
  assert_int_equal(dls_impact_create(&c.state, NULL, &impact, &message), DLS_OK);
  dls_impact_free(impact);
  for (size_t k = 0; k < 3; k++) {
    at_case("k %zu", k);
    double *const places[] = {&c.M[0], &c.G[0], &c.v[0], &c.contacts[0].normal_velocity,
                              &c.contacts[0].restitution};
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
      const double kept = *places[p];
      *places[p] = bad[k];
      assert_int_equal(dls_impact_create(&c.state, NULL, &impact, &message), DLS_ERR_NUMBER);
      assert_null(impact);
      *places[p] = kept;
    }
    dls_impact_options options = dls_impact_defaults();
    options.E = &bad[k];
    assert_int_equal(dls_impact_create(&c.state, &options, &impact, &message), DLS_ERR_NUMBER);
    options = dls_impact_defaults(), options.tolerance = bad[k];
    assert_int_equal(dls_impact_create(&c.state, &options, &impact, &message), DLS_ERR_ARGUMENT);
  }
  c.contacts[0].restitution = -0.1;
  assert_int_equal(dls_impact_create(&c.state, NULL, &impact, &message), DLS_ERR_ARGUMENT);
  assert_non_null(strstr(message.text, "negative"));
  c.contacts[0].restitution = 0.1, c.state.impact = false;
  assert_int_equal(dls_impact_create(&c.state, NULL, &impact, &message), DLS_ERR_ARGUMENT);
  assert_int_equal(dls_impact_create(NULL, NULL, &impact, &message), DLS_ERR_ARGUMENT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prismatic_joint),
      cmocka_unit_test(monotone_matrices),
      cmocka_unit_test(incompatible_coefficients),
      cmocka_unit_test(nearly_compatible_coefficients),
      cmocka_unit_test(newtons_cradle),
      cmocka_unit_test(galilean),
      cmocka_unit_test(separating_contacts_stay),
      cmocka_unit_test(touching_contacts_may_open),
      cmocka_unit_test(massless_coordinates),
      cmocka_unit_test(closing_walls),
      cmocka_unit_test(bouncing_ball),
      cmocka_unit_test(rubbing_joint),
      cmocka_unit_test(landing_block),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
