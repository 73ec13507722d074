// The parts of a model: what couples and what does not, and a part as a system of its own.
#include "numbers.h"
#include "parts_maker.h"

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

typedef struct opened {
  dls_model *model;
  dls_system *system;
} opened;

static opened open_text(const char *text)
{
  opened o;
  dls_diagnostics diagnostics;
  if (dls_model_parse(text, strlen(text), &o.model, &diagnostics) != DLS_OK)
    fail_msg("%d: %s\n%s", diagnostics.item[0].line, diagnostics.item[0].message, text);
  assert_int_equal(dls_model_system(o.model, &o.system), DLS_OK);
  assert_int_equal(dls_model_differentiate(o.system, NULL), DLS_OK);
  assert_int_equal(dls_system_validate(o.system, NULL), DLS_OK);
  return o;
}

static void close_text(opened o)
{
  dls_system_free(o.system);
  dls_model_free(o.model);
}

static dls_system *part_of(const dls_system *s, int part)
{
  dls_system *made;
  dls_message message = {""};
  if (s->part(s->self, part, &made, &message) != DLS_OK) fail_msg("%s", message.text);
  assert_int_equal(dls_system_validate(made, NULL), DLS_OK);
  return made;
}

// --- what couples ---

#define TWO "coordinate x = 1, y = 2\nkinetic x'^2 + y'^2\n"
#define WALLS TWO "unilateral a: x >= 0\nunilateral b: y >= 0\n"

static const struct {
  const char *text;
  int parts;
} cases[] = {
    {TWO, 2},
    {TWO "kinetic x'*y'\n", 1},
    {TWO "kinetic y*x'^2\n", 1},
    {TWO "potential x*y\n", 1},
    {TWO "potential sin(x + y)\n", 1},
    {TWO "potential (x - y)^2\n", 1},
    {TWO "potential 3*(x - y)\npotential t*(sin(x)/2 - y^2)/4\n", 2},
    {TWO "parameter k = 2\npotential (k*(x^2 + cos(t)*(y^2 - x)))/(1 + k)\n", 2},
    {TWO "potential (x + y)/(1 + x^2)\n", 1},
    {TWO "dissipation (x' - y')^2\n", 1},
    {TWO "dissipation x'^2 + y'^2\n", 2},
    {TWO "force x = y\n", 1},
    {TWO "force x = y'\n", 1},
    {TWO "force x = y - y + 3\npotential 0*x*y\nunilateral a: x + y >= y + x*0\n", 1},
    {TWO "force x = y - y + 3\npotential 0*x*y\nunilateral a: x + 0*y >= 0\n", 2},
    {TWO "force x = x*t\nforce y = sin(t)\n", 2},
    {TWO "let s = x^2 + y^2\npotential s\n", 2},
    {TWO "let s = x^2 + y^2\npotential s\nforce x = s\n", 1},
    {TWO "unilateral a: x >= y\n", 1},
    {TWO "bilateral a: x + y = 3\n", 1},
    {TWO "unilateral a: x >= t\n", 2},
    {TWO "unilateral a: x >= 0 { slip y'; friction 0.3 }\n", 1},
    {TWO "unilateral a: x >= 0 { slip x'; friction 0.3 + y^2 }\n", 1},
    {TWO "unilateral a: x >= 0 { restitution 1/(1 + y'^2) }\n", 1},
    {WALLS, 2},
    {WALLS "restitution a b = 0.1\n", 1},
    {WALLS "restitution a a = 0.1\n", 2},
    {WALLS "restitution a a = 1/(1 + y^2)\n", 1},
    {WALLS "let s = 1/(1 + y^2)\nrestitution a a = s\n", 1},
    {"coordinate x, y, z\nkinetic x'^2 + y'^2 + z'^2\npotential x*z\n", 2},
    {"coordinate x, y, z, w\nkinetic x'^2 + y'^2 + z'^2 + w'^2\npotential x*z + y*w\n", 2},
    {"coordinate x, y, z, w\nkinetic x'^2 + y'^2 + z'^2 + w'^2\npotential x*z + z*y + w\n", 2},
};

static void what_couples(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    at_case("%s", cases[k].text);
    const opened o = open_text(cases[k].text);
    if (o.system->parts != cases[k].parts)
      fail_msg("%d parts, not %d:\n%s", o.system->parts, cases[k].parts, cases[k].text);
    for (int p = 0; p < o.system->parts; p++) dls_system_free(part_of(o.system, p));
    close_text(o);
  }
}

// Parts are numbered in the order of their first coordinates.
static void numbers_of_parts(void **state)
{
  (void)state;
  const opened o = open_text("coordinate a, b, c, d\nkinetic a'^2 + b'^2 + c'^2 + d'^2\n"
                             "potential b*d\nunilateral u: d >= 0\nunilateral w: a + c >= 0\n");
  const int expected[] = {0, 1, 0, 1};
  assert_int_equal(o.system->parts, 2);
  assert_memory_equal(o.system->coordinate_part, expected, sizeof expected);
  assert_int_equal(o.system->contact_part[0], 1);
  assert_int_equal(o.system->contact_part[1], 0);
  dls_system *part = part_of(o.system, 1);
  assert_int_equal(part->n, 2);
  assert_string_equal(part->coordinates[1], "d");
  assert_string_equal(part->contacts[0].name, "u");
  assert_int_equal(part->parts, 0);
  assert_null(dls_system_model(part));
  dls_system_free(part);
  assert_int_equal(o.system->part(o.system->self, 2, &part, NULL), DLS_ERR_ARGUMENT);
  assert_int_equal(o.system->part(o.system->self, -1, &part, NULL), DLS_ERR_ARGUMENT);
  close_text(o);
}

// Terms that cancel only together: the part cannot be told apart, and the run takes the whole.
static void terms_that_cancel(void **state)
{
  (void)state;
  static const char *const text =
      TWO "potential x*y\npotential -x*y\npotential 9*x\nunilateral a: x >= 0\n";
  const opened o = open_text(text);
  dls_system *part;
  assert_int_equal(o.system->parts, 2);
  assert_int_equal(o.system->part(o.system->self, 0, &part, NULL), DLS_ERR_MODEL);
  assert_null(part);
  close_text(o);
  parts_run *r = parts_open(text, "herk4", 0.1, 0);
  while (dls_integrator_sample(r->integrator).t < 2)
    assert_int_equal(parts_advance(r, 2, NULL), DLS_FAILURE_NONE);
  assert_true(r->events > 0);
  parts_close(r);
}

// --- a part as a system ---

static double entry(const dls_pattern *pattern, const double *x, int i, int j)
{
  for (int k = pattern->p[j]; k < pattern->p[j + 1]; k++)
    if (pattern->i[k] == i) return x[k];
  return 0;
}

// Both give the same numbers at the same state, up to tolerance: in the whole, and alone.
static void same_values(const dls_system *a, const dls_system *b, const double *q, const double *v,
                        double tolerance)
{
  dls_values *x, *y;
  int place[64];
  double own_q[64], own_v[64];
  assert_int_equal(dls_values_create(a, &x), DLS_OK);
  assert_int_equal(dls_values_create(b, &y), DLS_OK);
  for (int i = 0; i < b->n; i++) {
    place[i] = parts_coordinate(a, b->coordinates[i]);
    own_q[i] = q[place[i]], own_v[i] = v[place[i]];
  }
  assert_int_equal(a->evaluate(a->self, 0.3, q, v, x, NULL, NULL), DLS_OK);
  assert_int_equal(b->evaluate(b->self, 0.3, own_q, own_v, y, NULL, NULL), DLS_OK);
  for (int i = 0; i < b->n; i++) {
    close_to(x->F[place[i]], y->F[i], tolerance);
    for (int j = 0; j < b->n; j++)
      close_to(entry(&a->mass, x->M, place[i], place[j]), entry(&b->mass, y->M, i, j), tolerance);
  }
  for (int j = 0; j < b->m; j++) {
    const int at = parts_contact(a, b->contacts[j].name);
    close_to(x->h[at], y->h[j], tolerance);
    close_to(x->h_dot[at], y->h_dot[j], tolerance);
    close_to(x->b_n[at], y->b_n[j], tolerance);
    close_to(x->friction[at], y->friction[j], tolerance);
    close_to(x->restitution[at], y->restitution[j], tolerance);
    for (int i = 0; i < b->n; i++)
      close_to(entry(&a->normal, x->G, place[i], at), entry(&b->normal, y->G, i, j), tolerance);
    const int first = parts_impulse(a, at) - at, own = parts_impulse(b, j) - j;
    for (int k = 0; k < b->contacts[j].tangents; k++) {
      close_to(x->slip[first + k], y->slip[own + k], tolerance);
      close_to(x->b_t[first + k], y->b_t[own + k], tolerance);
    }
  }
  dls_values_free(x);
  dls_values_free(y);
}

static void same_derivatives(const dls_system *a, const dls_system *b, const double *q,
                             const double *v)
{
  dls_derivatives *x, *y;
  double rates[64], ones[64];
  for (int i = 0; i < 64; i++) rates[i] = 0.1 * i, ones[i] = 1;
  assert_int_equal(dls_derivatives_create(a, &x), DLS_OK);
  assert_int_equal(dls_derivatives_create(b, &y), DLS_OK);
  assert_int_equal(a->differentiate(a->self, 0.3, q, v, rates, ones, ones, x, NULL), DLS_OK);
  assert_int_equal(b->differentiate(b->self, 0.3, q, v, rates, ones, ones, y, NULL), DLS_OK);
  const dls_derivative_patterns *p = a->derivative, *r = b->derivative;
  assert_int_equal(p->R_q.p[a->n], r->R_q.p[b->n]);
  assert_int_equal(p->N_v.p[a->m], r->N_v.p[b->m]);
  assert_memory_equal(x->R_q, y->R_q, p->R_q.p[a->n] * sizeof(double));
  assert_memory_equal(x->R_v, y->R_v, p->R_v.p[a->n] * sizeof(double));
  assert_memory_equal(x->N_q, y->N_q, p->N_q.p[a->m] * sizeof(double));
  assert_memory_equal(x->T_q, y->T_q, p->T_q.p[a->tangents] * sizeof(double));
  assert_int_equal(p->steady, r->steady);
  assert_int_equal(p->constant_laws, r->constant_laws);
  dls_derivatives_free(x);
  dls_derivatives_free(y);
}

// How much more energy there is at (q, v) than in a state of its own; the parts' are those of the
// whole up to what depends on no coordinate.
static void energies(const dls_system *s, const double *q, const double *v, double sum[2])
{
  double kinetic, potential, other[64];
  assert_int_equal(s->energy(s->self, 0.3, q, v, &kinetic, &potential, NULL), DLS_OK);
  sum[0] += kinetic, sum[1] += potential;
  for (int i = 0; i < s->n; i++) other[i] = 0.3;
  assert_int_equal(s->energy(s->self, 0.3, other, other, &kinetic, &potential, NULL), DLS_OK);
  sum[0] -= kinetic, sum[1] -= potential;
}

static void values_of_parts(void **state)
{
  (void)state;
  static parts_text text;
  for (int trial = 0; trial < TRIED(60); trial++) {
    at_case("trial %d", trial);
    parts_draw(&text, 2 + below(PARTS_MOST - 1), trial % 2);
    strcat(text.whole, "potential 3 + t\n");  // of no part
    const opened whole = open_text(text.whole);
    double q[64], v[64], all[2] = {0}, sum[2] = {0};
    for (int i = 0; i < 64; i++) q[i] = uniform(), v[i] = uniform();
    assert_int_equal(whole.system->parts, text.count);
    energies(whole.system, q, v, all);
    for (int k = 0; k < text.count; k++) {
      // the copies are not in the order of the parts
      const opened alone = open_text(text.alone[k]);
      const int first = parts_coordinate(whole.system, alone.system->coordinates[0]);
      dls_system *part = part_of(whole.system, whole.system->coordinate_part[first]);
      double own_q[64] = {0}, own_v[64] = {0};
      for (int i = 0; i < part->n; i++) {
        own_q[i] = q[parts_coordinate(whole.system, part->coordinates[i])];
        own_v[i] = v[parts_coordinate(whole.system, part->coordinates[i])];
      }
      same_values(whole.system, part, q, v, 1e-13);
      same_values(part, alone.system, own_q, own_v, 0);
      same_derivatives(part, alone.system, own_q, own_v);
      energies(part, own_q, own_v, sum);
      dls_system_free(part);
      close_text(alone);
    }
    close_to(sum[0], all[0], 1e-12);
    close_to(sum[1], all[1], 1e-12);
    close_text(whole);
  }
}

// --- models of random expressions ---

enum { COORDINATES = 6, LETS = 4 };

// An expression of coordinates x_i with i % groups == group, and perhaps of velocities.
static char *random_expression(char *to, int depth, int group, int groups, bool velocities,
                               int lets)
{
  static const char *const unary[] = {"sin(", "-(", "3*(", "cos(t)*(", "exp(-", "k*("};
  const int kind = depth == 0 ? 7 + below(4) : below(11);
  const int i = group + groups * below((COORDINATES - group + groups - 1) / groups);
  if (kind < 4) {
    *to++ = '(';
    to = random_expression(to, depth - 1, group, groups, velocities, lets);
    to += sprintf(to, "%c", "+-*+"[kind]);
    to = random_expression(to, depth - 1, group, groups, velocities, lets);
    return to + sprintf(to, ")");
  }
  if (kind < 6) {
    to += sprintf(to, "%s", unary[below(6)]);
    to = random_expression(to, depth - 1, group, groups, velocities, lets);
    return to + sprintf(to, ")");
  }
  if (kind == 6) {
    to = random_expression(to, depth - 1, group, groups, velocities, lets);
    return to + sprintf(to, below(2) ? "/(2 + sin(x%d))" : "/(2 + sin(t))", i);
  }
  if (kind == 7) return to + sprintf(to, below(2) ? "k" : "t");
  if (kind == 8) return to + sprintf(to, "%.2f", 1 + uniform());
  // a let of the group, or one of the sums over all
  if (lets > 0 && kind == 9) return to + sprintf(to, "l%d", below(lets) / groups * groups + group);
  return to + sprintf(to, "x%d%s", i, velocities && below(2) ? "'" : "");
}

static void random_text(char *to)
{
  const int groups = 1 + below(3);
  to += sprintf(to, "parameter k = 1.2\ncoordinate x0, x1, x2, x3, x4, x5\n");
  for (int l = 0; l < LETS * groups; l++) {
    to += sprintf(to, "let l%d = ", l);
    to = random_expression(to, 2, l % groups, groups, false, 0);
    to += sprintf(to, "\n");
  }
  to += sprintf(to, "let all = x0^2 + l0 - 2*(x1 + l1)/k + t*(l2 + x2)\n");
  for (int i = 0; i < COORDINATES; i++)
    to += sprintf(to, "kinetic (2 + sin(x%d))*x%d'^2/2\n", i, i);
  for (int k = 0; k < 3; k++) {
    const int group = below(groups);
    to += sprintf(to, "potential %s", k == 2 ? "k*(all + " : "(");
    to = random_expression(to, 3, group, groups, false, LETS);
    to += sprintf(to, " - ");
    to = random_expression(to, 3, below(groups), groups, false, LETS);
    to += sprintf(to, ")\ndissipation (");
    to = random_expression(to, 2, group, groups, true, LETS);
    to += sprintf(to, ")^2\nforce x%d = ", group);
    to = random_expression(to, 3, group, groups, true, LETS);
    to += sprintf(to, "\nunilateral c%d: x%d + 0.1*", k, group);
    to = random_expression(to, 2, group, groups, false, LETS);
    to += sprintf(to, " >= -50 { slip x%d'; friction 1 + sin(", group + groups * below(2));
    to = random_expression(to, 2, group, groups, true, LETS);
    to += sprintf(to, "); restitution 1 + cos(");
    to = random_expression(to, 2, group, groups, true, LETS);
    to += sprintf(to, ") }\n");
  }
}

static void random_models(void **state)
{
  (void)state;
  static char text[20000];
  int several = 0;
  for (int trial = 0; trial < TRIED(400); trial++) {
    at_case("trial %d", trial);
    random_text(text);
    const opened o = open_text(text);
    double q[COORDINATES], v[COORDINATES], all[2] = {0}, sum[2] = {0};
    several += o.system->parts > 1;
    for (int i = 0; i < COORDINATES; i++) q[i] = uniform(), v[i] = uniform();
    energies(o.system, q, v, all);
    for (int p = 0; p < o.system->parts; p++) {
      dls_system *part = part_of(o.system, p);
      double own_q[COORDINATES], own_v[COORDINATES], far[COORDINATES];
      for (int i = 0; i < part->n; i++) {
        own_q[i] = q[parts_coordinate(o.system, part->coordinates[i])];
        own_v[i] = v[parts_coordinate(o.system, part->coordinates[i])];
      }
      // also where the other parts are somewhere else
      for (int i = 0; i < COORDINATES; i++)
        far[i] = o.system->coordinate_part[i] == p ? q[i] : q[i] + uniform();
      same_values(o.system, part, q, v, 1e-9);
      same_values(o.system, part, far, v, 1e-9);
      energies(part, own_q, own_v, sum);
      dls_system_free(part);
    }
    close_to(sum[0], all[0], 1e-9 * (1 + fabs(all[0])));
    close_to(sum[1], all[1], 1e-9 * (1 + fabs(all[1])));
    close_text(o);
  }
  assert_true(several > TRIED(400) / 4);
}

// A part has the parameters that its system has when it is made.
static void parameters(void **state)
{
  (void)state;
  const opened o = open_text("parameter k = 2\n" TWO "potential k*(x + y)\n");
  assert_int_equal(dls_model_set(o.system, "k", "7", NULL), DLS_OK);
  dls_system *part = part_of(o.system, 1);
  dls_values *x;
  const double q[1] = {1}, v[1] = {0};
  assert_int_equal(dls_values_create(part, &x), DLS_OK);
  assert_int_equal(part->evaluate(part->self, 0, q, v, x, NULL, NULL), DLS_OK);
  assert_true(x->F[0] == 7);
  assert_int_equal(dls_model_set(part, "k", "1", NULL), DLS_ERR_ARGUMENT);
  dls_values_free(x);
  dls_system_free(part);
  close_text(o);
}

// Parts that act on one another, or are not all there, are refused.
static void wrong_parts(void **state)
{
  (void)state;
  const opened o = open_text(TWO "potential x*y\nunilateral a: x >= 0\n");
  dls_system s = *o.system;
  const int apart[] = {0, 1}, beyond[] = {0, 2};
  dls_message message = {""};
  s.parts = 2;
  s.coordinate_part = apart, s.contact_part = apart;
  assert_int_equal(dls_system_validate(&s, &message), DLS_ERR_ARGUMENT);
  assert_non_null(strstr(message.text, "act on one another"));
  s.coordinate_part = beyond;
  assert_int_equal(dls_system_validate(&s, &message), DLS_ERR_ARGUMENT);
  s.coordinate_part = NULL;
  assert_int_equal(dls_system_validate(&s, &message), DLS_ERR_ARGUMENT);
  close_text(o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_couples),      cmocka_unit_test(numbers_of_parts),
      cmocka_unit_test(terms_that_cancel), cmocka_unit_test(values_of_parts),
      cmocka_unit_test(random_models),     cmocka_unit_test(parameters),
      cmocka_unit_test(wrong_parts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
