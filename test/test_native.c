// Compiled equations give the bits of the tape: values, derivatives, bounds and motions, of all
// examples and of random expressions.
#define _GNU_SOURCE
#include "language.h"

#include "model/native_text.h"
#include "model/tape_internal.h"
#include "model/expression_graph_internal.h"
#include "native_case.h"

#include <delassus/delassus.h>
#include <delassus/native.h>

#include <dirent.h>

#include "cases.h"

static uint64_t seed = 11;

static double draw(void)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 40) / (1 << 23) - 1;
}

static dls_native_options where;

// ---- two systems of one model, one of them compiled ----

typedef struct pair {
  running tape, c;
  dls_values *value[2], *bound[2];
  dls_derivatives *d[2];
  double *a;  // room for accelerations and forces
} pair;

static pair open_pair(const char *text)
{
  pair p = {.tape = run(text), .c = run(text)};
  const dls_system *s = p.tape.system;
  assert_int_equal(dls_model_differentiate(p.tape.system, &p.tape.message), DLS_OK);
  // before, and after
  const bool before = seed % 2;
  if (before) assert_int_equal(dls_model_differentiate(p.c.system, &p.c.message), DLS_OK);
  if (dls_model_compile(p.c.system, &where, &p.c.message)) fail_msg("%s", p.c.message.text);
  if (!before) assert_int_equal(dls_model_differentiate(p.c.system, &p.c.message), DLS_OK);
  assert_true(dls_system_is_native(p.c.system));
  assert_false(dls_system_is_native(p.tape.system));
  for (int k = 0; k < 2; k++) {
    assert_int_equal(dls_values_create(s, &p.value[k]), DLS_OK);
    assert_int_equal(dls_values_create(s, &p.bound[k]), DLS_OK);
    assert_int_equal(dls_derivatives_create(s, &p.d[k]), DLS_OK);
  }
  p.a = calloc((size_t)(s->n + s->m + s->tangents) + 1, sizeof *p.a);
  return p;
}

static void close_pair(pair *p)
{
  for (int k = 0; k < 2; k++) {
    dls_values_free(p->value[k]);
    dls_values_free(p->bound[k]);
    dls_derivatives_free(p->d[k]);
  }
  free(p->a);
  stop(&p->tape);
  stop(&p->c);
}

static void same(const double *x, const double *y, int count)
{
  if (count > 0) assert_memory_equal(x, y, (size_t)count * sizeof *x);
}

static void same_values(const dls_system *s, const dls_values *x, const dls_values *y)
{
  same(x->M, y->M, s->mass.p[s->n]);
  same(x->F, y->F, s->n);
  same(x->h, y->h, s->m);
  same(x->h_dot, y->h_dot, s->m);
  same(x->G, y->G, s->normal.p[s->m]);
  same(x->b_n, y->b_n, s->m);
  same(x->slip, y->slip, s->tangents);
  same(x->H, y->H, s->tangent.p[s->tangents]);
  same(x->b_t, y->b_t, s->tangents);
  same(x->friction, y->friction, s->m);
  same(x->restitution, y->restitution, s->m);
  same(x->coupling, y->coupling, s->couplings);
}

static void same_derivatives(const dls_derivative_patterns *s, const dls_derivatives *x,
                             const dls_derivatives *y)
{
#define SAME(field) same(x->field, y->field, s->field.p[s->field.cols])
  SAME(R_q);
  SAME(R_v);
  SAME(N_q);
  SAME(N_v);
  SAME(T_q);
  SAME(T_v);
  SAME(D_q);
  SAME(S_q);
}

// At one point; both may fail, with one message.
static bool compare(pair *p, double t, const double *q, const double *v)
{
  dls_system *s[2] = {p->tape.system, p->c.system};
  dls_status status[2];
  dls_message message[2] = {{{0}}};
  for (int bounded = 0; bounded < 2; bounded++) {
    for (int k = 0; k < 2; k++)
      status[k] = s[k]->evaluate(s[k]->self, t, q, v, p->value[k], bounded ? p->bound[k] : NULL,
                                 &message[k]);
    assert_int_equal(status[0], status[1]);
    assert_string_equal(message[0].text, message[1].text);
    if (status[0] != DLS_OK) return false;
    same_values(s[0], p->value[0], p->value[1]);
  }
  same_values(s[0], p->bound[0], p->bound[1]);
  for (int k = 0; k < 2; k++)
    status[k] = s[k]->differentiate(s[k]->self, t, q, v, p->a, p->a + s[k]->n,
                                    p->a + s[k]->n + s[k]->m, p->d[k], &message[k]);
  assert_int_equal(status[0], status[1]);
  assert_string_equal(message[0].text, message[1].text);
  if (status[0] == DLS_OK) same_derivatives(s[0]->derivative, p->d[0], p->d[1]);
  return status[0] == DLS_OK;
}

// Points around the start, near and far, and one that is not finite.
static int compare_points(const char *text)
{
  pair p = open_pair(text);
  const dls_system *s = p.tape.system;
  double *q = p.tape.state.q, *v = p.tape.state.v;
  int compared = 0;
  for (int k = 0; k < 8; k++) {
    go_to(&p.tape, NULL);
    for (int i = 0; i < s->n && k > 0; i++) q[i] += draw() * (k < 5 ? 0.3 : 1e3), v[i] += draw();
    for (int i = 0; i < s->n + s->m + s->tangents; i++) p.a[i] = draw();
    compared += compare(&p, draw(), q, v);
    // parameters are taken over
    if (k == 3 && dls_model_parameter_count(p.tape.model) > 0)
      for (int j = 0; j < 2; j++)
        (void)dls_model_set(j ? p.c.system : p.tape.system,
                            dls_model_parameter_name(p.tape.model, 0), "0.7", NULL);
  }
  q[0] = (double)NAN;
  assert_false(compare(&p, 0, q, v));
  q[0] = 0, v[s->n - 1] = (double)INFINITY;
  assert_false(compare(&p, 0, q, v));
  close_pair(&p);
  return compared;
}

static void test_examples(void **state)
{
  (void)state;
  const char *directory = getenv("DELASSUS_SOURCE");
  char path[600];
  snprintf(path, sizeof path, "%s/examples", directory ? directory : ".");
  DIR *examples = opendir(path);
  assert_non_null(examples);
  int models = 0;
  for (struct dirent *file; (file = readdir(examples));) {
    at_case("%s", file->d_name);
    const size_t length = strlen(file->d_name);
    if (length < 5 || strcmp(file->d_name + length - 4, ".dls") != 0) continue;
    char text[16384] = {0};
    snprintf(path, sizeof path, "%s/examples/%s", directory ? directory : ".", file->d_name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_true(fread(text, 1, sizeof text - 1, in) < sizeof text - 1);
    fclose(in);
    assert_true(compare_points(text) > 0);
    models++;
  }
  closedir(examples);
  assert_true(models > 20);
}

// Numbers so large that their sum is none, and some that are none.
static void test_huge(void **state)
{
  (void)state;
  char text[2000];
  for (int none = 0; none < 2; none++) {
    size_t at = (size_t)snprintf(text, sizeof text, "parameter none = %d\n", none);
    for (int i = 0; i < 12; i++)
      at += (size_t)snprintf(
          text + at, sizeof text - at,
          "coordinate q%d = 1\nkinetic q%d'^2\nforce q%d = 1.7e308*(1 + none*q%d)\n", i, i, i, i);
    pair p = open_pair(text);
    go_to(&p.tape, NULL);
    assert_int_equal(compare(&p, 0, p.tape.state.q, p.tape.state.v), !none);
    close_pair(&p);
  }
}

// ---- random expressions ----

static int below(int count)
{
  return (int)((draw() + 1) / 2 * count) % count;
}

// One expression over x, y, their velocities, t and parameters; not always finite, as it falls out.
static void put_expression(char *out, size_t size, int depth)
{
  static const char *const leaf[] = {"x", "y", "a", "b", "t", "1.7", "0.3", "2", "x'", "(-b)"};
  static const char *const one[] = {"sin",  "cos", "tan", "exp",  "sqrt",  "tanh", "atan",
                                    "cosh", "log", "abs", "sign", "floor", "-"};
  static const char *const two[] = {"+", "-", "*", "/", "*", "-", "+", "^"};
  static const char *const call[] = {"min", "max", "atan2"};
  char x[900], y[900];
  if (depth == 0) {
    snprintf(out, size, "%s", leaf[below(10)]);
    return;
  }
  put_expression(x, sizeof x, depth - 1 - below(depth));
  put_expression(y, sizeof y, depth - 1 - below(depth));
  switch (below(5)) {
  case 0: snprintf(out, size, "%s(%s)", one[below(13)], x); break;
  case 1: snprintf(out, size, "%s(%s, %s)", call[below(3)], x, y); break;
  case 2: snprintf(out, size, "if(%s < 0.4, %s, x - %s*y)", x, y, x); break;
  default: snprintf(out, size, "(%s %s %s)", x, two[below(8)], y);
  }
}

static void test_random(void **state)
{
  (void)state;
  int compared = 0;
  for (int k = 0; k < 25; k++) {
    static char text[9000], e[2][3000];
    for (int j = 0; j < 2; j++) put_expression(e[j], sizeof e[j], 5);
    snprintf(text, sizeof text,
             "parameter a = 0.8, b = 1.3\ncoordinate x = 0.2, y = 0.9\n"
             "kinetic (2 + sin(x*y))*x'^2 + a*x'*y' + (3 + x^2)*y'^2\npotential b*cos(x)*y\n"
             "force x = %s\nforce y = %s\n"
             "unilateral wall: x + y*sin(x) >= -9 { slip y' + x*x'; friction a + x^2/9 }\n",
             e[0], e[1]);
    at_case("%d: %s", k, text);
    compared += compare_points(text);
  }
  assert_true(compared > 25);
}

// ---- the text ----

// Functions of many statements become several; no name and no constant of the model is in them.
static void test_text(void **state)
{
  (void)state;
  dls_graph *g;
  dls_tape *tape;
  dls_native_text text;
  enum { VALUES = 3000 };
  static dls_expr out[VALUES];
  assert_int_equal(dls_graph_create(&g), DLS_OK);
  dls_expr sum = dls_graph_leaf(g, DLS_OP_COORDINATE, 0);
  const dls_expr angle = dls_graph_leaf(g, DLS_OP_COORDINATE, 1);
  for (int k = 0; k < VALUES; k++) {
    if (k % 700 == 699) sum = dls_graph_make(g, DLS_OP_EXP, sum, -1, -1);
    sum = dls_graph_make(g, DLS_OP_ADD, dls_graph_make(g, DLS_OP_MUL, sum, angle, -1),
                         dls_graph_constant(g, 0.001 * k), -1);
    out[k] = sum;
  }
  assert_int_equal(dls_tape_compile(g, 2, 0, 0, out, VALUES, &tape), DLS_OK);
  assert_int_equal(dls_native_write(tape, &text), DLS_OK);
  int lines = 0, most = 0, functions = 0;
  for (const char *c = text.text.data; *c; c++) {
    if (strncmp(c, "static void f", 13) == 0) lines = 0, functions++;
    lines += *c == ';';
    if (lines > most) most = lines;
    assert_non_null(strchr("static voidf(duble*)\n{}=[]xcn; +-/,_0123456789", *c));
  }
  assert_true(most <= 1000);
  assert_int_equal(functions, text.functions);
  assert_true(functions > 5);
  assert_null(strchr(text.text.data, '.'));
  dls_native_text_free(&text);
  dls_tape_free(tape);
  dls_graph_free(g);
}

static void test_large(void **state)
{
  (void)state;
  static char text[20000];
  size_t at = (size_t)snprintf(text, sizeof text, "parameter m = 1.3\nkinetic 0");
  for (int i = 0; i < 40; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, " + m*(2 + cos(q%d*q%d))*q%d'^2", i,
                           (7 * i + 3) % 40, i);
  for (int i = 0; i < 40; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "\ncoordinate q%d = %d/7", i, i);
  assert_true(compare_points(text) > 0);
}

// ---- motions: a text, the same by hand in C, and compiled ----

static const double mass = 1.25, gravity = 9.81;

// A point over a floor and beside a wall, as the text below says.
static dls_status by_hand(void *self, double t, const double *q, const double *v,
                          const dls_values *out, const dls_values *bound, dls_message *message)
{
  (void)self, (void)t, (void)message;
  out->M[0] = out->M[1] = mass;
  out->F[0] = 0, out->F[1] = mass * gravity;
  out->h[0] = q[1], out->h[1] = q[0] + 1;
  out->h_dot[0] = v[1], out->h_dot[1] = v[0];
  out->G[0] = out->G[1] = 1;
  out->b_n[0] = out->b_n[1] = 0;
  out->slip[0] = v[0];
  out->H[0] = 1;
  out->b_t[0] = 0;
  out->friction[0] = 0.3, out->friction[1] = 0;
  out->restitution[0] = 0.5, out->restitution[1] = 0.75;
  if (bound) {
    for (int k = 0; k < 2; k++)
      bound->M[k] = bound->F[k] = bound->h[k] = bound->h_dot[k] = bound->G[k] = bound->b_n[k] =
          bound->friction[k] = bound->restitution[k] = 0;
    bound->slip[0] = bound->H[0] = bound->b_t[0] = 0;
  }
  return DLS_OK;
}

static const char point_text[] =
    "parameter m = 1.25, g = 9.81\ncoordinate x = 0.1, y = 1\nvelocity x = -0.9\n"
    "kinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n"
    "unilateral floor: y >= 0 { slip x'; friction 0.3; restitution 0.5 }\n"
    "unilateral wall: x + 1 >= 0 { restitution 0.75 }\n";

enum { STEPS = 2000 };

// Coordinates, velocities and impulses after each step, one behind the other, and how many numbers
// that are; to be freed.
static double *march(const dls_system *s, const dls_state *start, const char *scheme, int *count)
{
  dls_integrator_options options = dls_integrator_defaults();
  options.scheme = scheme;
  options.step = 1e-3;
  dls_integrator *g;
  dls_message message = {{0}};
  if (dls_integrator_create(s, start, &options, &g, &message)) fail_msg("%s", message.text);
  const int row = dls_integrator_sample(g).impulses + 2 * s->n;
  double *path = calloc((size_t)STEPS * (size_t)row, sizeof *path);
  for (int k = 0; k < STEPS; k++) {
    dls_failure failure;
    if (dls_integrator_advance(g, 1e9, &failure, &message)) fail_msg("%s", message.text);
    if (failure) fail_msg("%s", message.text);
    const dls_sample now = dls_integrator_sample(g);
    memcpy(path + k * row, now.q, (size_t)s->n * sizeof *path);
    memcpy(path + k * row + s->n, now.v, (size_t)s->n * sizeof *path);
    memcpy(path + k * row + 2 * s->n, now.impulse, (size_t)now.impulses * sizeof *path);
  }
  dls_integrator_free(g);
  *count = STEPS * row;
  return path;
}

static void same_motion(const dls_system *x, const dls_system *y, const dls_state *start,
                        const char *scheme)
{
  int count[2];
  double *path[2] = {march(x, start, scheme, &count[0]), march(y, start, scheme, &count[1])};
  assert_int_equal(count[0], count[1]);
  assert_true(path[0][count[0] - 1] == path[0][count[0] - 1]);
  assert_memory_equal(path[0], path[1], (size_t)count[0] * sizeof(double));
  free(path[0]);
  free(path[1]);
}

static void test_callbacks(void **state)
{
  (void)state;
  running text = run(point_text), c = run(point_text);
  if (dls_model_compile(c.system, &where, &c.message)) fail_msg("%s", c.message.text);
  dls_system hand = *text.system;  // sizes, names and patterns
  hand.self = NULL;
  hand.evaluate = by_hand;
  hand.destroy = NULL, hand.energy = NULL, hand.parts = 0, hand.part = NULL;
  assert_int_equal(dls_system_validate(&hand, &text.message), DLS_OK);
  go_to(&text, NULL);
  same_motion(text.system, &hand, &text.state, "moreau");
  same_motion(text.system, c.system, &text.state, "moreau");
  stop(&text);
  stop(&c);
}

static void test_motions(void **state)
{
  (void)state;
  static const char chain_text[] =
      "coordinate a = 0.3, b = 0.9, x, y = 1.2\nvelocity x = 0.8\n"
      "kinetic (a'^2 + b'^2 + a'*b'*cos(a - b))/2 + (x'^2 + y'^2)/2\n"
      "potential -9.81*(2*cos(a) + cos(b)) + 9.81*y\nforce x = if(x' > 0.2, -1, 0.1)\n"
      "unilateral stop: 1.1 - b >= 0 { restitution 0.6 }\n"
      "unilateral floor: y >= 0 { slip x'; friction 0.2; restitution 0.4 }\n";
  static const char *const schemes[] = {"moreau", "moreau-projected", "schatzman-paoli", "radau5",
                                        "herk3",  "lobatto4"};
  for (int k = 0; k < 6; k++) {
    at_case("%s", schemes[k]);
    running text = run(chain_text), c = run(chain_text);
    assert_int_equal(dls_model_differentiate(text.system, NULL), DLS_OK);
    assert_int_equal(dls_model_differentiate(c.system, NULL), DLS_OK);
    if (dls_model_compile(c.system, &where, &c.message)) fail_msg("%s", c.message.text);
    go_to(&text, NULL);
    same_motion(text.system, c.system, &text.state, schemes[k]);
    stop(&text);
    stop(&c);
  }
}

int main(void)
{
  where.directory = native_directory();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text),   cmocka_unit_test(test_examples),
      cmocka_unit_test(test_random), cmocka_unit_test(test_large),
      cmocka_unit_test(test_huge),   cmocka_unit_test(test_callbacks),
      cmocka_unit_test(test_motions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
