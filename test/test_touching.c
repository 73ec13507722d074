// Contacts of solids in systems of mechanisms: rows against differences, rules and names, closed
// forms at a state, and motions by every scheme.
#include "closed_forest.h"

#include "differences.h"
#include "numbers.h"

#include <delassus/contact.h>
#include <delassus/integrator.h>

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

static const dls_pose origin = {{0, 0, 0}, {1, 0, 0, 0}};

static dls_system *made(const dls_mechanism *m, dls_coordinates_kind kind)
{
  dls_system *s = NULL;
  dls_message message = {""};
  if (dls_mechanism_system(m, kind, &s, &message) != DLS_OK) fail_msg("%s", message.text);
  if (dls_system_validate(s, &message) != DLS_OK) fail_msg("%s", message.text);
  return s;
}

static void enter(dls_system *s, const double *q, const double *v, double *x, double *x_dot)
{
  dls_message message = {""};
  if (s->chart->centre(s->self, q, &message) != DLS_OK) fail_msg("%s", message.text);
  assert_int_equal(s->chart->enter(s->self, q, v, x, x_dot), DLS_OK);
}

static void select_near(dls_system *s, const double *x, const double *x_dot, double reach)
{
  int count;
  const uint64_t *id;
  dls_message message = {""};
  if (s->find(s->self, 0, x, x_dot, reach, 0, &count, &id, &message)) fail_msg("%s", message.text);
  if (s->select(s->self, count, id, &message)) fail_msg("%s", message.text);
  if (dls_system_validate(s, &message)) fail_msg("%s", message.text);
}

// ---- random solids on random forests ------------------------------------------------------------

enum { SOLIDS = 9 };

typedef struct scene {
  closed_forest c;
  dls_solid solid[SOLIDS];
  dls_contact_rule rule[2];
  char name[SOLIDS][16];
} scene;

static void draw_scene(scene *z, int bodies)
{
  forest_options o = forest_everything(bodies);
  o.massless = false;
  do closed_forest_draw(&z->c, &o, 1);
  while (z->c.f.n == 0);
  dls_mechanism *m = &z->c.f.mechanism;
  for (int s = 0; s < SOLIDS; s++) {
    dls_solid *x = z->solid + s;
    static const dls_solid_kind kinds[] = {DLS_SOLID_SPHERE, DLS_SOLID_BOX, DLS_SOLID_CAPSULE,
                                           DLS_SOLID_ELLIPSOID};
    *x = (dls_solid){.name = z->name[s],
                     .body = s == 0 ? DLS_WORLD : below(m->bodies),
                     .pose = origin,
                     .kind = s == 0 ? DLS_SOLID_PLANE : kinds[below(4)],
                     .size = {0.3, 0.4, 0.25},
                     .friction = 0.2 + 0.1 * s,
                     .restitution = 0.1 * s,
                     .type = 1,
                     .affinity = 1};
    snprintf(z->name[s], sizeof z->name[s], "s%d", s);
    for (int i = 0; i < 3; i++) x->pose.position[i] = 0.2 * uniform();
    forest_draw_unit(x->pose.quaternion);
  }
  // everything meets: parents and children too
  z->rule[0] = (dls_contact_rule){.body = {DLS_ANY, DLS_ANY},
                                  .solid = {DLS_ANY, DLS_ANY},
                                  .meet = true,
                                  .friction = -1,
                                  .restitution = -1};
  m->solid = z->solid, m->solids = SOLIDS, m->rule = z->rule, m->rules = 1;
}

// Tangents and signs of normals are smooth but where they change to others, and differences need
// them to be smooth all around.
static bool is_smooth(dls_system *s, const double *x, const double *x_dot, double way)
{
  dense_system d[3];
  const int n = s->n;
  double *y = vector(n), bend = 0;
  for (int k = -1; k < n; k++) {
    for (int side = 0; side < 3; side++) {
      for (int i = 0; i < n; i++)
        y[i] = x[i] + way * (side - 1) * (k < 0 ? x_dot[i] : (double)(i == k));
      dense_system_at(s, y, x_dot, &d[side]);
    }
    for (int i = 0; i < n * d[0].tangents; i++)
      bend = fmax(bend, fabs(d[0].H[i] + d[2].H[i] - 2 * d[1].H[i]));
    for (int i = 0; i < n * d[0].m; i++)
      bend = fmax(bend, fabs(d[0].G[i] + d[2].G[i] - 2 * d[1].G[i]));
    for (int side = 0; side < 3; side++) dense_system_free(&d[side]);
  }
  free(y);
  return bend < 100 * way * way;
}

static const double weight1[] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};

static void contacts_are_derivatives(void **state)
{
  (void)state;
  static scene z;
  int seen = 0;
  for (int seed = 0; seed < TRIED(60); seed++) {
    at_case("seed %d", seed);
    draw_scene(&z, 2 + below(4));
    dls_system *s = made(&z.c.f.mechanism, seed % 2 ? DLS_MAXIMAL : DLS_REDUCED);
    const int n = s->n;
    double *q = vector(s->chart->nq), *v = vector(n), *x = vector(n), *x_dot = vector(n);
    double *y = vector(n);
    dls_mechanism_reference(s, q);
    for (int k = 0; k < n; k++) v[k] = 0.5 * uniform();
    enter(s, q, v, x, x_dot);
    for (int k = 0; k < n; k++) x[k] += 0.2 * uniform();
    select_near(s, x, x_dot, 0.3);
    dense_system d, e;
    dense_system_at(s, x, x_dot, &d);
    const double h = 1. / 1024;
    const bool smooth = is_smooth(s, x, x_dot, 4 * h);
    for (int way = -1; way < n && smooth; way++) {
      double *rate = vector(d.m), *bias = vector(d.m), *turn = vector(d.tangents);
      for (int at = -4; at <= 4; at++) {
        if (at == 0) continue;
        for (int k = 0; k < n; k++) y[k] = x[k] + at * h * (way < 0 ? x_dot[k] : k == way);
        dense_system_at(s, y, x_dot, &e);
        const double w = (at > 0 ? 1 : -1) * weight1[abs(at) - 1] / h;
        for (int i = 0; i < d.m; i++) rate[i] += w * e.h[i], bias[i] += w * e.h_dot[i];
        for (int i = 0; i < d.tangents; i++) turn[i] += w * e.slip[i];
        dense_system_free(&e);
      }
      for (int i = 0; i < d.m; i++) {
        if (s->contacts[i].kind == DLS_BILATERAL) continue;
        const double size = 1 + fabs(d.b_n[i]);
        if (way >= 0) close_to(d.G[way + n * i], rate[i], 1e-7 * size);
        else close_to(d.h_dot[i], rate[i], 1e-7 * size), close_to(d.b_n[i], bias[i], 1e-6 * size);
        seen += way < 0 && s->contacts[i].tangents > 0;
      }
      for (int i = 0; way < 0 && i < d.tangents; i++)
        close_to(d.b_t[i], turn[i], 1e-6 * (1 + fabs(d.b_t[i])));
      free(rate), free(bias), free(turn);
    }
    for (int i = 0; i < d.tangents; i++) {
      double slip = 0;
      for (int k = 0; k < n; k++) slip += d.H[k + n * i] * x_dot[k];
      close_to(slip, d.slip[i], 1e-12 * (1 + fabs(slip)));
    }
    dense_system_free(&d);
    free(q), free(v), free(x), free(x_dot), free(y);
    dls_system_free(s);
  }
  assert_true(seen > TRIED(60));
}

static void derivatives_are_exact(void **state)
{
  (void)state;
  static scene z;
  int done = 0;
  for (int seed = 0; seed < TRIED(40); seed++) {
    at_case("seed %d", seed);
    draw_scene(&z, 2 + below(4));
    z.c.f.mechanism.actuators = z.c.f.mechanism.tendons = 0;  // they have kinks
    dls_system *s = made(&z.c.f.mechanism, seed % 2 ? DLS_MAXIMAL : DLS_REDUCED);
    const int n = s->n;
    double *q = vector(s->chart->nq), *x = vector(n), *v = vector(n), *a = vector(n);
    dls_mechanism_reference(s, q);
    enter(s, q, v, x, v);
    for (int k = 0; k < n; k++)
      x[k] += 0.2 * uniform(), v[k] = 0.5 * uniform(), a[k] = 0.5 * uniform();
    select_near(s, x, v, 0.3);
    const int count = equations_count(s);
    double *lambda = vector(s->m), *tau = vector(s->tangents);
    for (int k = 0; k < s->m; k++) lambda[k] = uniform();
    for (int k = 0; k < s->tangents; k++) tau[k] = uniform();
    point at = {0, x, v, a, lambda, tau};
    dls_derivatives *d;
    dls_message message = {""};
    assert_int_equal(dls_derivatives_create(s, &d), DLS_OK);
    if (s->differentiate(s->self, 0, x, v, a, lambda, tau, d, &message))
      fail_msg("%s", message.text);
    double *by = vector(count), *exact = vector(count), *here = vector(count);
    equations_at(s, &at, here);
    double size = 1;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(here[i]));
    const bool smooth = is_smooth(s, x, v, 0x1p-7);
    done += smooth && s->tangents > 0;
    for (int k = 0; k < 2 * n && smooth; k++) {
      equations_difference(s, &at, k / n, k % n, 0x1p-9, by);
      equations_exact(s, d, k / n, k % n, exact);
      const int rows = k < n ? count : n + s->m + s->tangents;
      for (int i = 0; i < rows; i++)
        if (!(fabs(exact[i] - by[i]) <= 1e-6 * size * size))
          fail_msg("row %d of (%d %d %d), column %d: %.12g is not %.12g (size %g)", i, n, s->m,
                   s->tangents, k, exact[i], by[i], size);
    }
    dls_derivatives_free(d);
    free(q), free(x), free(v), free(a), free(lambda), free(tau), free(by), free(exact), free(here);
    dls_system_free(s);
  }
  assert_true(done > TRIED(40) / 3);
}

static int limits_of(const dls_mechanism *m)
{
  int count = 0;
  for (int j = 0; j < m->joints; j++)
    count += 2 * (m->joint[j].limited && m->joint[j].kind >= DLS_JOINT_HINGE);
  for (int c = 0; c < m->closures; c++) {
    const dls_closure_kind kind = m->closure[c].kind;
    count +=
        2 * (m->closure[c].limited && (kind == DLS_CLOSURE_HINGE || kind == DLS_CLOSURE_SLIDE ||
                                       kind == DLS_CLOSURE_CYLINDRICAL));
  }
  for (int t = 0; t < m->tendons; t++) count += 2 * m->tendon[t].limited;
  return count;
}

// Contacts of joint coordinates and of free bodies are the same.
static void reduced_is_maximal(void **state)
{
  (void)state;
  static scene z;
  for (int seed = 0; seed < TRIED(40); seed++) {
    at_case("seed %d", seed);
    draw_scene(&z, 2 + below(4));
    dls_system *s[2];
    double *q[2], *v[2], *x[2], *x_dot[2];
    dense_system d[2];
    for (int k = 0; k < 2; k++) {
      s[k] = made(&z.c.f.mechanism, k ? DLS_MAXIMAL : DLS_REDUCED);
      q[k] = vector(s[k]->chart->nq), v[k] = vector(s[k]->n);
      x[k] = vector(s[k]->n), x_dot[k] = vector(s[k]->n);
    }
    dls_mechanism_reference(s[0], q[0]);
    for (int k = 0; k < s[0]->n; k++) v[0][k] = uniform();
    assert_int_equal(dls_mechanism_in_maximal(s[0], q[0], v[0], s[1], q[1], v[1]), DLS_OK);
    for (int k = 0; k < 2; k++) {
      enter(s[k], q[k], v[k], x[k], x_dot[k]);
      select_near(s[k], x[k], x_dot[k], 0.3);
      dense_system_at(s[k], x[k], x_dot[k], &d[k]);
    }
    int j = 0, other = 0, slip = 0, other_slip = 0;
    while (j < s[0]->m && s[0]->contacts[j].kind == DLS_BILATERAL)
      slip += s[0]->contacts[j++].tangents;
    while (other < s[1]->m && s[1]->contacts[other].kind == DLS_BILATERAL)
      other_slip += s[1]->contacts[other++].tangents;
    assert_int_equal(s[0]->m - j, s[1]->m - other);
    for (; j < s[0]->m; j++, other++) {
      if (s[0]->contacts[j].id > (uint64_t)limits_of(&z.c.f.mechanism)) {
        dls_solid_contact told;
        assert_int_equal(dls_mechanism_contacts(s[0], q[0], 1, &s[0]->contacts[j].id, &told),
                         DLS_OK);
        close_to(told.gap, d[0].h[j], 1e-12);
        const char *slash = strchr(s[0]->contacts[j].name, '/');
        const char *body = told.body[1] < 0 ? "world" : z.c.f.body[told.body[1]].name;
        assert_int_equal(strncmp(slash + 1, body, strlen(body)), 0);
        assert_true(told.body[0] >= 0);
      }
      assert_string_equal(s[0]->contacts[j].name, s[1]->contacts[other].name);
      assert_true(s[0]->contacts[j].id == s[1]->contacts[other].id);
      close_to(d[0].h[j], d[1].h[other], 1e-12);
      close_to(d[0].h_dot[j], d[1].h_dot[other], 1e-10 * (1 + fabs(d[0].h_dot[j])));
      for (int k = 0; k < s[0]->contacts[j].tangents; k++)
        close_to(d[0].slip[slip++], d[1].slip[other_slip++], 1e-10 * (1 + fabs(d[0].h_dot[j])));
    }
    for (int k = 0; k < 2; k++) {
      dense_system_free(&d[k]), dls_system_free(s[k]);
      free(q[k]), free(v[k]), free(x[k]), free(x_dot[k]);
    }
  }
}

// ---- rules and names ----------------------------------------------------------------------------

typedef struct table {
  dls_mechanism m;
  dls_rigid_body body[4];
  dls_joint joint[4];
  dls_solid solid[6];
  dls_contact_rule rule[3];
} table;

static dls_rigid_body solid_body(const char *name, double mass, double moment)
{
  return (dls_rigid_body){.name = name,
                          .parent = DLS_WORLD,
                          .pose = origin,
                          .mass = mass,
                          .inertia = {moment, moment, moment}};
}

static dls_solid shape(int body, dls_solid_kind kind, double a, double b, double c)
{
  return (dls_solid){.name = "",
                     .body = body,
                     .pose = origin,
                     .kind = kind,
                     .size = {a, b, c},
                     .type = 1,
                     .affinity = 1};
}

// A ball or box over the plane z = 0.
static void one_on_floor(table *t, dls_solid_kind kind, double size, double mass, double moment,
                         double height, double friction, double restitution)
{
  memset(t, 0, sizeof *t);
  t->m.gravity[2] = -10;
  t->body[0] = solid_body("thing", mass, moment);
  t->body[0].pose.position[2] = height;
  t->joint[0] = (dls_joint){.name = "thing", .body = 0, .kind = DLS_JOINT_FREE};
  t->solid[0] = shape(DLS_WORLD, DLS_SOLID_PLANE, 0, 0, 0);
  t->solid[1] = shape(0, kind, size, size, size);
  t->solid[0].name = "floor";
  t->solid[0].friction = friction, t->solid[1].restitution = restitution;
  t->m.bodies = t->m.joints = 1, t->m.solids = 2;
  t->m.body = t->body, t->m.joint = t->joint, t->m.solid = t->solid, t->m.rule = t->rule;
}

static int touching_names(dls_system *s, char *out, size_t size)
{
  double q[64], v[64] = {0}, x[64], x_dot[64];
  dls_mechanism_reference(s, q);
  enter(s, q, v, x, x_dot);
  select_near(s, x, x_dot, 1e-9);
  out[0] = 0;
  for (int j = 0; j < s->m; j++)
    snprintf(out + strlen(out), size - strlen(out), "%s ", s->contacts[j].name);
  return s->m;
}

static void names_and_rules(void **state)
{
  (void)state;
  table t;
  char names[1000];
  one_on_floor(&t, DLS_SOLID_BOX, 2, 1, 1, 1, 0.5, 0);
  dls_system *s = made(&t.m, DLS_REDUCED);
  assert_int_equal(touching_names(s, names, sizeof names), 4);
  assert_string_equal(names, "thing.corner---/world.floor thing.corner+--/world.floor "
                             "thing.corner-+-/world.floor thing.corner++-/world.floor ");
  double q[7];
  uint64_t end = 0;
  dls_mechanism_reference(s, q);
  for (int j = 0; j < 4; j++) {
    dls_solid_contact c;
    assert_int_equal(s->contacts[j].tangents, 2);
    assert_int_equal(dls_mechanism_contacts(s, q, 1, &s->contacts[j].id, &c), DLS_OK);
    assert_int_equal(c.body[0], 0);
    assert_int_equal(c.body[1], DLS_WORLD);
    assert_int_equal(c.solid[1], 0);
    assert_string_equal(c.feature[1], "");
    assert_int_equal(strncmp(c.feature[0], "corner", 6), 0);
    assert_true(c.normal[2] == 1 && c.gap == 0 && c.point[2] == 0 && fabs(c.point[0]) == 1);
    end = s->contacts[j].id;
  }
  end <<= 20;
  dls_solid_contact none;
  assert_int_equal(dls_mechanism_contacts(s, q, 1, &end, &none), DLS_ERR_ARGUMENT);
  dls_system_free(s);
  // the last rule wins, and says nothing about what it leaves open
  t.m.rules = 2;
  t.rule[0] =
      (dls_contact_rule){{DLS_WORLD, DLS_ANY}, {0, DLS_ANY}, .friction = 0, .restitution = -1};
  t.rule[1] = (dls_contact_rule){{0, DLS_WORLD}, {1, 0}, .friction = -1, .restitution = 0.25};
  s = made(&t.m, DLS_REDUCED);
  assert_int_equal(touching_names(s, names, sizeof names), 4);
  assert_int_equal(s->contacts[0].tangents, 0);
  dls_system_free(s);
  t.rule[1].none = true;
  s = made(&t.m, DLS_REDUCED);
  assert_null(s->find);
  dls_system_free(s);
  t.m.rules = 0, t.solid[1].type = 2, t.solid[0].type = 4;
  s = made(&t.m, DLS_REDUCED);
  assert_null(s->find);
  dls_system_free(s);
  t.solid[1].affinity = 4;
  s = made(&t.m, DLS_REDUCED);
  assert_non_null(s->find);
  dls_system_free(s);
}

// Parent and child do not touch unless a rule says so; what stands fixed on one of them counts as
// it; what cannot move against another never touches.
static void families(void **state)
{
  (void)state;
  table t;
  memset(&t, 0, sizeof t);
  static const char *const body_names[] = {"base", "arm", "hand", "stand"};
  for (int b = 0; b < 4; b++) {
    t.body[b] = solid_body(body_names[b], 1, 1);
    t.body[b].parent = b == 3 ? DLS_WORLD : b - 1;
    t.solid[b] = shape(b, DLS_SOLID_SPHERE, 1, 0, 0);
    t.body[b].pose.position[0] = b == 3 ? 0 : 1.5 * (b > 0);
  }
  t.body[3].pose.position[1] = 1.2;
  for (int j = 0; j < 2; j++)  // base and arm turn, the hand is fixed on the arm
    t.joint[j] =
        (dls_joint){.name = body_names[j], .body = j, .kind = DLS_JOINT_HINGE, .axis = {0, 0, 1}};
  t.m = (dls_mechanism){.bodies = 4,
                        .joints = 2,
                        .solids = 4,
                        .body = t.body,
                        .joint = t.joint,
                        .solid = t.solid,
                        .rule = t.rule};
  char names[1000];
  dls_system *s = made(&t.m, DLS_REDUCED);
  touching_names(s, names, sizeof names);
  assert_string_equal(names, "base/stand arm/stand ");
  dls_system_free(s);
  t.m.rules = 1;
  t.rule[0] = (dls_contact_rule){
      {DLS_ANY, DLS_ANY}, {DLS_ANY, DLS_ANY}, .meet = true, .friction = -1, .restitution = -1};
  s = made(&t.m, DLS_REDUCED);
  touching_names(s, names, sizeof names);
  assert_string_equal(names, "base/arm base/stand arm/stand ");
  dls_system_free(s);
}

// ---- closed forms -------------------------------------------------------------------------------

static dls_contact_state *state_of(dls_system *s, double *q, double *v)
{
  dls_contact_state *x = NULL;
  dls_message message = {""};
  const dls_state at = {0, q, v};
  if (dls_contact_state_create(s, &at, NULL, &x, &message)) fail_msg("%s", message.text);
  return x;
}

static void a_table_stands_on_four_legs(void **state)
{
  (void)state;
  table t;
  one_on_floor(&t, DLS_SOLID_BOX, 2, 3, 1, 1, 0.5, 0);
  t.m.gravity[0] = 1;
  dls_system *s = made(&t.m, DLS_REDUCED);
  double q[7], v[6] = {0};
  dls_mechanism_reference(s, q);
  dls_contact_state *x = state_of(s, q, v);
  assert_int_equal(x->m, 4);
  for (int j = 0; j < 4; j++) {
    assert_int_equal(x->contacts[j].status, DLS_STICKING);
    assert_true(x->contacts[j].gap == 0 && x->contacts[j].friction == 0.5);
  }
  dls_contact_state_free(x);
  v[2] = -1;
  x = state_of(s, q, v);
  assert_true(x->impact);
  dls_contact_state_free(x);
  dls_system_free(s);
}

// ---- motions ------------------------------------------------------------------------------------

typedef struct ride {
  const table *t;
  dls_system *s;
  dls_integrator *g;
  double q[64], v[64];
} ride;

// False, with a message: the scheme does not get there.
static bool run(ride *r, const char *scheme, double step, double until, char *why, size_t size)
{
  dls_integrator_options options = dls_integrator_defaults();
  dls_message message = {""};
  dls_failure failure = DLS_FAILURE_NONE;
  options.scheme = scheme, options.step = step;
  const dls_state start = {0, r->q, r->v};
  r->g = NULL;
  if (dls_integrator_create(r->s, &start, &options, &r->g, &message) != DLS_OK) {
    snprintf(why, size, "does not start: %s", message.text);
    return false;
  }
  while (dls_integrator_sample(r->g).t < until) {
    if (dls_integrator_advance(r->g, until, &failure, &message) != DLS_OK || failure) {
      snprintf(why, size, "stops at %g: %s", dls_integrator_sample(r->g).t, message.text);
      return false;
    }
  }
  const dls_sample m = dls_integrator_sample(r->g);
  memcpy(r->q, m.q, (size_t)m.nq * sizeof(double));
  memcpy(r->v, m.v, (size_t)m.n * sizeof(double));
  return true;
}

static void finish(ride *r)
{
  dls_integrator_free(r->g);
  dls_system_free(r->s);
}

static bool is_first_order(const char *scheme)
{
  return strncmp(scheme, "moreau", 6) == 0 || strncmp(scheme, "schatzman", 9) == 0 ||
         strcmp(scheme, "lcp") == 0;
}

// A ball falls, bounces, slides and rolls.
static void a_ball_bounces_and_rolls(void **state)
{
  (void)state;
  table t;
  int wrong = 0;
  for (int kind = 0; kind < 2; kind++)
    for (int k = 0; k < dls_scheme_count(); k++) {
      const char *scheme = dls_scheme_info_at(k)->name;
      at_case("%s, kind %d", scheme, kind);
      one_on_floor(&t, DLS_SOLID_SPHERE, 0.5, 2, 0.2, 0.5, 0.3, 0.5);
      ride r = {.s = made(&t.m, kind ? DLS_MAXIMAL : DLS_REDUCED)};
      char why[1200] = "";
      dls_mechanism_reference(r.s, r.q);
      r.v[0] = 3.5;  // slides, then rolls with 5/7 of it at 2 v/(7 mu g)
      const bool done = run(&r, scheme, 0.01, 0.5, why, sizeof why);
      const double rolls = 2.5, tolerance = is_first_order(scheme) ? 0.02 : 1e-5;
      if (!done || !(fabs(r.v[0] - rolls) < tolerance) ||
          !(fabs(r.v[4] * 0.5 - rolls) < tolerance) || !(fabs(r.q[2] - 0.5) < 1e-6)) {
        print_message("%s, kind %d: v = %g, spin %g, z %.9g %s\n", scheme, kind, r.v[0], r.v[4],
                      r.q[2], why);
        wrong++;
      }
      finish(&r);
      // and one that is dropped: at 0.45 s it is on its way down again
      one_on_floor(&t, DLS_SOLID_SPHERE, 0.5, 2, 0.2, 0.55, 0.3, 0.5);
      r = (ride){.s = made(&t.m, kind ? DLS_MAXIMAL : DLS_REDUCED)};
      dls_mechanism_reference(r.s, r.q);
      r.v[1] = 1;
      if (!run(&r, scheme, 0.005, 1, why, sizeof why) || !(r.q[2] > 0.49) || !(r.q[2] < 0.55)) {
        print_message("%s, kind %d, dropped: z = %g %s\n", scheme, kind, r.q[2], why);
        wrong++;
      }
      finish(&r);
    }
  assert_int_equal(wrong, 0);
}

static void a_box_lands_flat(void **state)
{
  (void)state;
  table t;
  int wrong = 0;
  for (int k = 0; k < dls_scheme_count(); k++) {
    const char *scheme = dls_scheme_info_at(k)->name;
    at_case("%s", scheme);
    one_on_floor(&t, DLS_SOLID_BOX, 1, 1, 1. / 6, 0.6, 0.4, 0);
    ride r = {.s = made(&t.m, DLS_REDUCED)};
    char why[1200] = "";
    dls_mechanism_reference(r.s, r.q);
    r.v[0] = 1;
    const bool done = run(&r, scheme, 0.005, 0.6, why, sizeof why);
    double off = fabs(r.q[2] - 0.5);
    for (int i = 4; i < 7; i++) off = fmax(off, fabs(r.q[i]));
    for (int i = 0; i < 6; i++) off = fmax(off, fabs(r.v[i]));
    if (!done || !(off < (is_first_order(scheme) ? 1e-2 : 1e-6))) {
      print_message("%s: z %g, v %g %g %g %s\n", scheme, r.q[2], r.v[0], r.v[1], r.v[2], why);
      wrong++;
    }
    finish(&r);
  }
  assert_int_equal(wrong, 0);
}

// A hinge pendulum with a stop, in both coordinates: energy until it meets the stop, half the speed
// back.
static void a_pendulum_meets_its_stop(void **state)
{
  (void)state;
  int wrong = 0;
  for (int kind = 0; kind < 2; kind++)
    for (int k = 0; k < dls_scheme_count(); k++) {
      const char *scheme = dls_scheme_info_at(k)->name;
      at_case("%s, kind %d", scheme, kind);
      table t;
      memset(&t, 0, sizeof t);
      t.m.gravity[2] = -10;
      t.body[0] = solid_body("bob", 1, 0.01);
      t.body[0].centre[2] = -1;
      t.joint[0] = (dls_joint){.name = "hinge",
                               .body = 0,
                               .kind = DLS_JOINT_HINGE,
                               .axis = {0, 1, 0},
                               .limited = true,
                               .range = {-2, 0.5},
                               .restitution = 0.5};
      t.m.bodies = t.m.joints = 1, t.m.body = t.body, t.m.joint = t.joint;
      dls_system *reduced = made(&t.m, DLS_REDUCED);
      ride r = {.s = made(&t.m, kind ? DLS_MAXIMAL : DLS_REDUCED)};
      const double q = 0, v = 4;
      char why[1200] = "";
      r.q[0] = q, r.v[0] = v;
      if (kind) assert_int_equal(dls_mechanism_in_maximal(reduced, &q, &v, r.s, r.q, r.v), DLS_OK);
      const bool done = run(&r, scheme, 0.002, 0.3, why, sizeof why);
      double kinetic = 0, potential = 0;
      // before: 1.01/2 16 - 10; at the stop -10 cos 0.5; a quarter of the kinetic energy is left
      const double at_stop = -10 * cos(0.5), before = 0.505 * 16 - 10;
      const double expected = at_stop + (before - at_stop) / 4;
      if (done) dls_integrator_energy(r.g, &kinetic, &potential, NULL);
      const double tolerance = is_first_order(scheme) ? 0.1 : 1e-4;
      if (!done || !(fabs(kinetic + potential - expected) < tolerance)) {
        print_message("%s, kind %d: energy %.9g, not %.9g %s\n", scheme, kind, kinetic + potential,
                      expected, why);
        wrong++;
      }
      finish(&r);
      dls_system_free(reduced);
    }
  assert_int_equal(wrong, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_are_derivatives),
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(reduced_is_maximal),
      cmocka_unit_test(names_and_rules),
      cmocka_unit_test(families),
      cmocka_unit_test(a_table_stands_on_four_legs),
      cmocka_unit_test(a_ball_bounces_and_rolls),
      cmocka_unit_test(a_box_lands_flat),
      cmocka_unit_test(a_pendulum_meets_its_stop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
