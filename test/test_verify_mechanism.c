// The checker's system of a mechanism against the one that it checks, number by number: closures,
// ranges, dry friction, springs, tendons, in joint coordinates and of free bodies.
#include "particle_tree.h"

#include "numbers.h"
#include "verify/seen_system.h"

#include <delassus/system.h>

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"

enum { CLOSURES = 9 };

typedef struct linkage {
  particle_tree tree;
  dls_closure closure[CLOSURES];
  char closure_name[CLOSURES][8];
} linkage;

static dls_pose a_pose(void)
{
  dls_pose pose;
  for (int i = 0; i < 3; i++) pose.position[i] = uniform();
  for (int i = 0; i < 4; i++) pose.quaternion[i] = uniform();
  return pose;
}

static int plain_joint(const particle_tree *t)
{
  for (int tried = 0; tried < 40; tried++) {
    const int j = below(t->mechanism.joints);
    if (t->joint[j].kind == DLS_JOINT_HINGE || t->joint[j].kind == DLS_JOINT_SLIDE) return j;
  }
  return -1;
}

static void resist(double *armature, double *damping, double *stiffness, double *friction)
{
  *armature = below(2) * 0.3, *damping = below(2) * 0.2, *stiffness = below(2) * 1.5;
  *friction = below(2) * 0.7;
}

static void draw_linkage(linkage *l)
{
  particle_tree *t = &l->tree;
  draw_tree(t, 2 + below(4), true);
  for (int j = 0; j < t->mechanism.joints; j++) {
    dls_joint *x = &t->joint[j];
    x->friction = below(2) * 0.4;
    x->limited = (x->kind == DLS_JOINT_HINGE || x->kind == DLS_JOINT_SLIDE) && below(2);
    x->range[0] = -0.5, x->range[1] = 0.7, x->restitution = 0.3;
  }
  for (int k = 0; k < t->mechanism.tendons; k++) {
    t->tendon[k].friction = below(2) * 0.6, t->tendon[k].limited = below(2);
    t->tendon[k].range[0] = -1, t->tendon[k].range[1] = 2;
  }
  int count = 0;
  for (int kind = DLS_CLOSURE_WELD; kind <= DLS_CLOSURE_JOINTS; kind++) {
    dls_closure *c = &l->closure[count];
    *c = (dls_closure){.name = l->closure_name[count], .kind = (dls_closure_kind)kind};
    strcpy(l->closure_name[count], "c0"), l->closure_name[count][1] += (char)count;
    c->body[0] = below(t->mechanism.bodies + 1) - 1;
    do c->body[1] = below(t->mechanism.bodies + 1) - 1;
    while (c->body[1] == c->body[0]);
    c->frame[0] = a_pose(), c->frame[1] = a_pose();
    c->joint[0] = plain_joint(t), c->joint[1] = below(3) ? plain_joint(t) : -1;
    if (kind == DLS_CLOSURE_JOINTS && (c->joint[0] < 0 || c->joint[0] == c->joint[1])) continue;
    for (int i = 0; i < 5; i++) c->polynomial[i] = uniform();
    if (kind == DLS_CLOSURE_HINGE || kind == DLS_CLOSURE_SLIDE || kind == DLS_CLOSURE_CYLINDRICAL) {
      resist(&c->armature, &c->damping, &c->stiffness, &c->friction);
      c->limited = below(2), c->range[0] = -1, c->range[1] = 1;
    }
    count++;
  }
  t->mechanism.closures = count, t->mechanism.closure = l->closure;
}

// A random state of the system, in its own coordinates.
static void draw_state(const dls_system *s, double *q, double *v)
{
  dls_mechanism_reference(s, q);
  double *x = vector(s->n), *still = vector(s->n);
  assert_int_equal(s->chart->centre(s->self, q, NULL), DLS_OK);
  assert_int_equal(s->chart->enter(s->self, q, still, x, v), DLS_OK);
  for (int i = 0; i < s->n; i++) x[i] += 0.4 * uniform();
  s->chart->leave(s->self, x, still, q, v);
  for (int i = 0; i < s->n; i++) v[i] = uniform();
  free(x), free(still);
}

static void dense(const dls_pattern *p, const double *x, double *out)
{
  for (int j = 0; j < p->cols; j++)
    for (int e = p->p[j]; e < p->p[j + 1]; e++) out[p->i[e] + (ptrdiff_t)p->rows * j] = x[e];
}

// The checker's numbers are those of the data, rounded once: within what the other says of its own.
// Frames of joints in maximal coordinates it rounds before: some units of their positions.
static double made_before;

static void same(const double *a, const double *error, const double *b, ptrdiff_t count)
{
  for (ptrdiff_t k = 0; k < count; k++)
    close_to(a[k], b[k],
             error[k] * (1 + 1e-12) + DBL_EPSILON * fabs(b[k]) + made_before * (1 + fabs(b[k])));
}

static void same_matrix(const dls_pattern *p, const double *x, const double *error,
                        const dls_pattern *r, const double *y)
{
  assert_int_equal(p->rows, r->rows);
  assert_int_equal(p->cols, r->cols);
  const ptrdiff_t count = (ptrdiff_t)p->rows * p->cols;
  double *a = vector((int)count), *b = vector((int)count), *e = vector((int)count);
  dense(p, x, a), dense(p, error, e), dense(r, y, b);
  same(a, e, b, count);
  free(a), free(b), free(e);
}

static void compare(const linkage *l, dls_coordinates_kind kind)
{
  dls_system *s;
  dls_message message = {0};
  made_before = kind == DLS_MAXIMAL ? 16 * DBL_EPSILON : 0;
  if (dls_mechanism_system(&l->tree.mechanism, kind, &s, &message) != DLS_OK)
    fail_msg("%s", message.text);
  double *q = vector(s->chart->nq), *v = vector(s->n), *zero = vector(s->n);
  draw_state(s, q, v);
  dls_values *x, *e, *y, *f;
  assert_int_equal(dls_values_create(s, &x), DLS_OK);
  assert_int_equal(dls_values_create(s, &e), DLS_OK);
  assert_int_equal(s->chart->centre(s->self, q, NULL), DLS_OK);
  double *at = vector(s->n), *rate = vector(s->n);
  assert_int_equal(s->chart->enter(s->self, q, v, at, rate), DLS_OK);
  if (s->evaluate(s->self, 0, at, rate, x, e, &message) != DLS_OK) fail_msg("%s", message.text);
  dls_seen_wanted *wanted = calloc((size_t)s->m + 1, sizeof *wanted);
  assert_non_null(wanted);
  for (int j = 0; j < s->m; j++) wanted[j].name = s->contacts[j].name;
  const dls_seen_source source = {.mechanism = &l->tree.mechanism,
                                  .nq = s->chart->nq,
                                  .n = s->n,
                                  .q = q,
                                  .v = v,
                                  .velocities = s->coordinates,
                                  .m = s->m,
                                  .contact = wanted};
  dls_seen_system *seen;
  if (dls_seen_system_create(&source, &seen, &message) != DLS_OK) fail_msg("%s", message.text);
  const dls_system *r = dls_seen_system_view(seen);
  assert_int_equal(dls_system_validate(r, &message), DLS_OK);
  assert_int_equal(r->tangents, s->tangents);
  assert_int_equal(dls_values_create(r, &y), DLS_OK);
  assert_int_equal(dls_values_create(r, &f), DLS_OK);
  if (r->evaluate(r->self, 0, zero, v, y, f, &message) != DLS_OK) fail_msg("%s", message.text);
  for (int j = 0; j < s->m; j++) {
    assert_int_equal(s->contacts[j].kind, r->contacts[j].kind);
    assert_int_equal(s->contacts[j].dry, r->contacts[j].dry);
    assert_int_equal(s->contacts[j].bounded, r->contacts[j].bounded);
  }
  same_matrix(&s->mass, x->M, e->M, &r->mass, y->M);
  same_matrix(&s->normal, x->G, e->G, &r->normal, y->G);
  same_matrix(&s->tangent, x->H, e->H, &r->tangent, y->H);
  same(x->F, e->F, y->F, s->n);
  same(x->h, e->h, y->h, s->m), same(x->h_dot, e->h_dot, y->h_dot, s->m);
  same(x->b_n, e->b_n, y->b_n, s->m), same(x->slip, e->slip, y->slip, s->tangents);
  same(x->b_t, e->b_t, y->b_t, s->tangents);
  same(x->restitution, e->restitution, y->restitution, s->m);
  same(x->friction_force, e->friction_force, y->friction_force, s->m);
  same(x->friction, e->friction, y->friction, s->m);
  dls_values_free(x), dls_values_free(e), dls_values_free(y), dls_values_free(f);
  dls_seen_system_clear(seen), dls_seen_system_free(seen);
  dls_system_free(s);
  free(q), free(v), free(zero), free(wanted), free(at), free(rate);
}

static void joint_coordinates(void **unused)
{
  (void)unused;
  for (int seed = 0; seed < TRIED(40); seed++) {
    at_case("linkage %d", seed);
    linkage l;
    draw_linkage(&l);
    compare(&l, DLS_REDUCED);
  }
}

static void free_bodies(void **unused)
{
  (void)unused;
  for (int seed = 0; seed < TRIED(40); seed++) {
    at_case("linkage %d", seed);
    linkage l;
    draw_linkage(&l);
    compare(&l, DLS_MAXIMAL);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(joint_coordinates),
                                     cmocka_unit_test(free_bodies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
