// Loops, indexed names and vectors: they are what the text written out is, to the last bit.
#include "language.h"

#include "cases.h"

static void evaluate(running *r, dls_values **at)
{
  assert_int_equal(dls_values_create(r->system, at), DLS_OK);
  const dls_status status =
      r->system->evaluate(r->system->self, 0.3, r->state.q, r->state.v, *at, NULL, &r->message);
  if (status != DLS_OK) fail_msg("%s", r->message.text);
}

static void assert_same(const char *what, const double *a, const double *b, int count)
{
  at_case("%s", what);
  assert_memory_equal(a, b, (size_t)count * sizeof(double));
}

// The same values at a state that is drawn.
static void same_system(const char *text, const char *written_out)
{
  running a = run(text), b = run(written_out);
  const dls_system *s = a.system, *w = b.system;
  assert_int_equal(s->n, w->n);
  assert_int_equal(s->m, w->m);
  assert_int_equal(s->tangents, w->tangents);
  assert_int_equal(s->mass.p[s->n], w->mass.p[w->n]);
  assert_int_equal(s->normal.p[s->m], w->normal.p[w->m]);
  go_to(&a, NULL);
  go_to(&b, NULL);
  assert_same("q", a.state.q, b.state.q, s->n);
  assert_same("v", a.state.v, b.state.v, s->n);
  unsigned random = 17;
  for (int i = 0; i < s->n; i++) {
    random = random * 1664525u + 1013904223u;
    a.state.q[i] = b.state.q[i] = 0.2 + (random >> 8) / 16777216.0;
    random = random * 1664525u + 1013904223u;
    a.state.v[i] = b.state.v[i] = (random >> 8) / 16777216.0 - 0.5;
  }
  dls_values *x, *y;
  evaluate(&a, &x);
  evaluate(&b, &y);
  assert_same("M", x->M, y->M, s->mass.p[s->n]);
  assert_same("F", x->F, y->F, s->n);
  assert_same("h", x->h, y->h, s->m);
  assert_same("h_dot", x->h_dot, y->h_dot, s->m);
  assert_same("G", x->G, y->G, s->normal.p[s->m]);
  assert_same("b_n", x->b_n, y->b_n, s->m);
  assert_same("slip", x->slip, y->slip, s->tangents);
  assert_same("H", x->H, y->H, s->tangent.p[s->tangents]);
  assert_same("b_t", x->b_t, y->b_t, s->tangents);
  assert_same("friction", x->friction, y->friction, s->m);
  dls_values_free(x);
  dls_values_free(y);
  stop(&a);
  stop(&b);
}

static void loops_are_what_they_stand_for(void **unused)
{
  (void)unused;
  same_system("parameter m = 2, l = 0.5\n"
              "for i in 1..3 {\n"
              "  coordinate x[i] = i*l, y[i]\n"
              "  kinetic m/2*(x[i]'^2 + y[i]'^2)\n"
              "}\n"
              "for i in 2..3 { bilateral rod[i]: (x[i] - x[i-1])^2 + y[i]^2 = l^2 }\n"
              "for i in 1..2, j in 2..3 {\n"
              "  unilateral c[i, j]: x[i] + j*y[j] >= i - 5 {\n"
              "    slip x[j]' + i; friction 0.1*j }\n"
              "}\n",
              "parameter m = 2, l = 0.5\n"
              "coordinate x1 = 1*l, y1, x2 = 2*l, y2, x3 = 3*l, y3\n"
              "kinetic m/2*(x1'^2 + y1'^2)\nkinetic m/2*(x2'^2 + y2'^2)\n"
              "kinetic m/2*(x3'^2 + y3'^2)\n"
              "bilateral rod2: (x2 - x1)^2 + y2^2 = l^2\n"
              "bilateral rod3: (x3 - x2)^2 + y3^2 = l^2\n"
              "unilateral c12: x1 + 2*y2 >= 1 - 5 { slip x2' + 1; friction 0.1*2 }\n"
              "unilateral c13: x1 + 3*y3 >= 1 - 5 { slip x3' + 1; friction 0.1*3 }\n"
              "unilateral c22: x2 + 2*y2 >= 2 - 5 { slip x2' + 2; friction 0.1*2 }\n"
              "unilateral c23: x2 + 3*y3 >= 2 - 5 { slip x3' + 2; friction 0.1*3 }\n");
}

static void loops_nest(void **unused)
{
  (void)unused;
  // a range may use the variables outside; nothing is read for an empty one
  same_system(
      "for i in 1..3 { for j in i..3 { coordinate q[i,j] = 10*i + j; kinetic q[i,j]'^2 } }\n"
      "for k in 3..2 { coordinate none[k] }\n",
      "coordinate a = 11, b = 12, c = 13, d = 22, e = 23, f = 33\n"
      "kinetic a'^2\nkinetic b'^2\nkinetic c'^2\nkinetic d'^2\nkinetic e'^2\n"
      "kinetic f'^2\n");
}

static void names_have_one_spelling(void **unused)
{
  (void)unused;
  running r = run("for i in 1..2 { coordinate r[2*i - 1, -i] = i\nkinetic r[2*i-1,-i]'^2/2 }\n"
                  "state s: r[ 1 , -1 ] = 7, r[3,\n  -2]' = 8\n");
  assert_string_equal(r.system->coordinates[0], "r[1,-1]");
  assert_string_equal(r.system->coordinates[1], "r[3,-2]");
  go_to(&r, "s");
  assert_near(r.state.q[0], 7);
  assert_near(r.state.v[1], 8);
  go_to(&r, "r[1, -1] = 2*r[3,-2] + 1, r[1,-1]' = 4");
  assert_near(r.state.q[0], 5);
  assert_near(r.state.v[0], 4);
  stop(&r);
}

static void vectors_are_their_parts(void **unused)
{
  (void)unused;
  same_system("coordinate x = 1, y = 2, z = 3\n"
              "let v = (x', y', z'), p = (x, y, z)\n"
              "let c = cross(p, v), w = if(t > 1, p, v) - p/2 + 3*v*t\n"
              "kinetic dot(v, v)/2\n"
              "potential norm(p)\n"
              "force x = c.x, y = (-c).y, z = w.z + (p + v).x\n"
              "bilateral b: dot(p, (1, 2, -1)) = cross((x, y), (1, 3))\n",
              "coordinate x = 1, y = 2, z = 3\n"
              "kinetic (x'*x' + y'*y' + z'*z')/2\n"
              "potential sqrt(x*x + y*y + z*z)\n"
              "force x = y*z' - z*y', y = -(z*x' - x*z')\n"
              "force z = if(t > 1, z, z') - z/2 + 3*z'*t + (x + x')\n"
              "bilateral b: x*1 + y*2 + z*-1 = x*3 - y*1\n");
}

static void vectors_may_be_used_before(void **unused)
{
  (void)unused;
  same_system("coordinate x, y\nkinetic dot(v, v)/2\nforce x = far.y + norm((3, 4))\n"
              "let far = 2*near, near = (x, y)*v.x, v = (x', y')\n",
              "coordinate x, y\nkinetic (x'*x' + y'*y')/2\nforce x = 2*(y*x') + sqrt(3*3 + 4*4)\n");
  running r = run("parameter a = norm((3*s, 4)), s = 1\ncoordinate x = a\nkinetic x'^2\n");
  assert_int_equal(dls_model_set(r.system, "s", "0", &r.message), DLS_OK);
  go_to(&r, NULL);
  assert_near(r.state.q[0], 4);
  stop(&r);
}

// Parts are shared: products of products of vectors stay as long as their text.
static void long_chains_stay_short(void **unused)
{
  (void)unused;
  enum { DEPTH = 200 };
  static char text[32768];
  strcpy(text, "coordinate x, y, z\nkinetic x'^2 + y'^2 + z'^2\nlet p0 = (x, y, z)\n");
  for (int k = 1; k <= DEPTH; k++) {
    char line[64];
    snprintf(line, sizeof line, "let p%d = cross(p%d, (1, p%d.x, 2))\n", k, k - 1, k - 1);
    strcat(text, line);
  }
  char nested[4096] = "force x = p200.z, y = ";
  for (int k = 0; k < 100; k++) strcat(nested, "dot((y, z), (1, 2)*");
  strcat(nested, "1");
  for (int k = 0; k < 100; k++) strcat(nested, ")");
  strcat(text, nested);
  strcat(text, "\n");
  running r = run(text);
  stop(&r);
}

static void mistakes(void **unused)
{
  (void)unused;
  const struct {
    const char *text;
    int line, column;
    const char *message;
  } wrong[] = {
      {"for i in 1..3 {\ncoordinate x[i]\n", 1, 15, "never closed"},
      {"for i in 1..3\ncoordinate x[i]\n", 1, 14, "`{` and the statements"},
      {"for i 1..3 { }", 1, 7, "expected `in`"},
      {"for i in 1 { }", 1, 12, "`..`"},
      {"for i in 1..n { coordinate x[i] }\nparameter n = 3", 1, 13, "not the variable"},
      {"for i in 1..2.5 { }", 1, 13, "not a whole number"},
      {"for i in 1..2, i in 1..2 { }", 1, 26, "one name"},
      {"parameter i = 1\nfor i in 1..2 { }", 2, 5, "has a meaning already"},
      {"for i in 1..2 { coordinate i }", 1, 28, "variable of this `for`"},
      {"for i in 1..2000000000 { }", 1, 13, "between"},
      {"for i in 1..1000000000 { }", 1, 24, "16 MiB"},
      {"for i in 1..1000000000, j in 1..1000000000 { let a[i,j] = 1 }", 1, 44, "16 MiB"},
      {"coordinate x[1\n", 2, 1, "expected `,` or `]`"},
      {"coordinate x[1]\nkinetic x'[1]^2", 2, 9, "behind the index"},
      {"for i in 1..9 { coordinate x[i]; kinetic z*x[i]'^2 }", 1, 42, "unknown name `z`"},
      {"coordinate x\nkinetic x'^2\nlet p = (1, 2), q = p*p", 3, 22, "no product"},
      {"coordinate x\nkinetic x'^2\nlet p = (1, 2), q = p.z", 3, 21, "unknown name `p.z`"},
      {"coordinate x\nkinetic x'^2\nlet p = (1, 2) + (1, 2, 3)", 3, 16, "two parts, the other"},
      {"coordinate x = (1, 2)\nkinetic x'^2", 1, 16, "not a vector"},
      {"coordinate x\nkinetic x'^2\nlet p = q + (1, 2), q = 2*p", 3, 11, "needs itself"},
      {"coordinate x\nkinetic x'^2\nlet p = sin((1, 2))", 3, 9, "one of them is a vector"},
      {"coordinate x\nkinetic x'^2\nlet p = ((1, 2), 3)", 3, 9, "parts of a vector"},
      {"coordinate x\nkinetic x'^2\nlet p.x = 3, p = (1, 2)", 3, 14, "declared elsewhere"},
      {"coordinate x\nkinetic x'^2\nlet p = (1, 2).w", 3, 15, "`.x`, `.y` or `.z`"},
      {"coordinate x\nkinetic x'^2\nlet p = norm(3)", 3, 9, "needs a vector"},
      {"coordinate x\nkinetic x'^2\nlet p = 2/(1, 2)", 3, 10, "divided by a vector"},
      {"coordinate x\nkinetic x'^2\nlet p = x.y", 3, 9, "unknown name `x.y`"},
      {"coordinate x\nkinetic x'^2\nlet p = (1, 2)/nom((3, 4))", 3, 16, "unknown function `nom`"},
      {"coordinate x\nkinetic x'^2\nlet p = nom(1, (3, 4), x)*(1, 2)", 3, 9, "unknown function"},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    at_case("%s", wrong[k].text);
    dls_model *model;
    dls_diagnostics d;
    assert_int_equal(dls_model_parse(wrong[k].text, strlen(wrong[k].text), &model, &d),
                     DLS_ERR_MODEL);
    int found = -1;
    for (int i = 0; i < d.count; i++)
      if (strstr(d.item[i].message, wrong[k].message)) found = i;
    assert_true(found >= 0);
    assert_int_equal(d.item[found].line, wrong[k].line);
    assert_int_equal(d.item[found].column, wrong[k].column);
  }
}

// One mistake in a loop is one error, and does not hide what the loop declares.
static void one_mistake_is_one_error(void **unused)
{
  (void)unused;
  const char text[] = "for i in 1..50 {\n  coordinate x[i]\n  kinetic x[i]'^2 +\n}\n"
                      "force x[50] = x[49]\n";
  dls_model *model;
  dls_diagnostics d;
  assert_int_equal(dls_model_parse(text, strlen(text), &model, &d), DLS_ERR_MODEL);
  assert_int_equal(d.total, 1);
  assert_int_equal(d.item[0].line, 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_are_what_they_stand_for),
      cmocka_unit_test(loops_nest),
      cmocka_unit_test(names_have_one_spelling),
      cmocka_unit_test(vectors_are_their_parts),
      cmocka_unit_test(vectors_may_be_used_before),
      cmocka_unit_test(long_chains_stay_short),
      cmocka_unit_test(mistakes),
      cmocka_unit_test(one_mistake_is_one_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
