// Bodies in the model language: every error message at its place.
#include "language.h"

#include "cases.h"

typedef struct mistake {
  const char *text;
  int line, column;
  const char *message, *hint;
} mistake;

// two good lines, so that the mistake stands alone in line 3
#define GOOD                                                        \
  "body a { sphere 0.1; mass 1 }; fixed ground { plane 0, 0, 1 }\n" \
  "body b { box 1, 2, 3; density 2; position 0, 0, 5 }\n"

static const mistake mistakes[] = {
    // the text
    {"gravity 0, 0, -9.81\n", 1, 1, "gravity acts on bodies", "potential"},
    {GOOD "body\n", 3, 5, "the name of a body", ""},
    {GOOD "body c\n", 3, 7, "`{`", ""},
    {GOOD "body a { sphere 1; mass 1 }\n", 3, 6, "the body `a` is declared twice", "line 1"},
    {GOOD "body c { sphere 1; mass 1\nkinetic 1\n", 3, 8, "never closed", "`}`"},
    {GOOD "body c { spere 1; mass 1 }\n", 3, 10, "expected a shape", ""},
    {GOOD "body c { sphere 1, 2; mass 1 }\n", 3, 10, "`sphere` needs one number", ""},
    {GOOD "body c { box 1, 2; mass 1 }\n", 3, 10, "`box` needs three numbers", ""},
    {GOOD "body c { sphere 1; mass 1; mass 2 }\n", 3, 28, "`mass` is given twice", ""},
    {GOOD "body c { sphere 1; inertia 1, 2, 3, 4 }\n", 3, 20, "`inertia` needs", ""},
    {GOOD "body c { sphere 1; mass 1; position 1 }\n", 3, 37, "three numbers are needed here", ""},
    {GOOD "body c { sphere 1; mass 1; position (1, 2) }\n", 3, 37, "three numbers", ""},
    {GOOD "body c { sphere 1; mass 1; rotation axis 0, 0, 1 }\n", 3, 50, "`angle`", ""},
    {GOOD "body c { sphere 1; mass 1; rotation quaternion 1, 0, 0 }\n", 3, 28, "four numbers", ""},
    {GOOD "body c { sphere 1 { colour 2 }; mass 1 }\n", 3, 21, "`position`", ""},
    {GOOD "body c { hull chair; mass 1 }\n", 3, 15, "the name of a file", ""},
    {GOOD "body c { hull \"chair.stl\"; mass 1 }\n", 3, 15, "no files can be read here", ""},
    {GOOD "import hand \"hand.xml\"\n", 3, 13, "no files can be read here", "file"},
    {GOOD "joint j: hing a, b\n", 3, 10, "hinge, slide, ball", ""},
    {GOOD "joint j: hinge a\n", 3, 17, "`,` and the second body", ""},
    {GOOD "joint j: hinge a, b { axes 0, 0, 1 }\n", 3, 23, "`anchor`", ""},
    {GOOD "joint j: hinge a, b { axis 0, 0, 1, 1, 0, 0 }\n", 3, 23, "an axis has three numbers",
     ""},
    {GOOD "joint j: universal a, b { axis 0, 0, 1 }\n", 3, 27, "two axes: six numbers", ""},
    {GOOD "contact a b\n", 3, 12, "`none`", ""},
    {GOOD "contact a b { slip 2 }\n", 3, 15, "`friction`", ""},
    {GOOD "contact a c none\n", 3, 11, "unknown body `c`", "declared by"},
    {GOOD "let p = point c (0, 0, 1)\n", 3, 15, "unknown body `c`", ""},
    {GOOD "let p = point a 3\n", 3, 17, "operator", ""},
    {GOOD "force c = (1, 0, 0)\n", 3, 7, "unknown body `c`", ""},
    {GOOD "force a = (1, 0)\n", 3, 11, "three parts", ""},
    {GOOD "force a = 1\n", 3, 7, "unknown coordinate `a`", ""},
    {GOOD "torque a = 2\n", 3, 12, "three parts", ""},
    {GOOD "object c\n", 3, 8, "unknown body `c`", ""},
    // joints
    {GOOD "joint j: hinge a, c { axis 0, 0, 1 }\n", 3, 19, "unknown body `c`", ""},
    {GOOD "joint j: hinge a, a { axis 0, 0, 1 }\n", 3, 19, "leads from `a` to itself", ""},
    {GOOD "joint j: hinge a, b\n", 3, 7, "needs an axis", "`axis x, y, z`"},
    {GOOD "joint j: hinge a, b { axis 0, 0, 0 }\n", 3, 28, "direction cannot be zero", ""},
    {GOOD "joint j: hinge a, b { axis 0, 0, 1; range 1, 0 }\n", 3, 37, "ends before", ""},
    {GOOD "joint j: hinge a, b { axis 0, 0, 1; friction -1 }\n", 3, 46, "negative", ""},
    {GOOD "joint j: weld a, b { axis 0, 0, 1 }\n", 3, 22, "a weld has no `axis`", ""},
    {GOOD "joint j: ball a, b { range 0, 1 }\n", 3, 22, "a ball has no `range`", ""},
    {GOOD "joint j: universal a, b { axis 0, 0, 1, 0, 1, 1 }\n", 3, 27, "normal to one", ""},
    {GOOD "joint j: free a, b\n", 3, 7, "has to lead from `world`", ""},
    {GOOD "joint a: weld ground, b\n", 3, 7, "a body is called `a`", ""},
    {GOOD "joint j: weld a, b; joint j: weld b, ground\n", 3, 27, "declared twice", ""},
    {GOOD "joint j: weld a, b; joint k: free a, b\n", 3, 27, "are joined already", ""},
    {GOOD "joint j: weld a, b; joint k: hinge a, b { axis 1, 0, 0; position 1 }\n", 3, 57,
     "closes a loop: it has no coordinate", ""},
    // numbers
    {GOOD "body c { sphere 0; mass 1 }\n", 3, 17, "sizes of a sphere are above 0", ""},
    {GOOD "body c { box 1, -1, 1; mass 1 }\n", 3, 17, "sizes of a box are above 0", ""},
    {GOOD "body c { sphere 1 }\n", 3, 6, "can move, but has no mass", "`fixed`"},
    {GOOD "body c { sphere 1; mass 0 }\n", 3, 25, "a mass is above 0", ""},
    {GOOD "body c { sphere 1; mass -1 }\n", 3, 25, "a mass is above 0", ""},
    {GOOD "body c { sphere 1; density -1 }\n", 3, 28, "a density is above 0", ""},
    {GOOD "body c { sphere 1; mass 1; density 1 }\n", 3, 28, "both given", ""},
    {GOOD "body c { mass 1 }\n", 3, 6, "no shape from which its inertia follows", "inertia"},
    {GOOD "body c { density 1 }\n", 3, 18, "a shape with a volume", ""},
    {GOOD "body c { mass 1; inertia 1, 1, 3 }\n", 3, 26, "no body has these moments", "sum"},
    {GOOD "body c { mass 1; inertia 1, 1, -1 }\n", 3, 26, "no negative principal moment", ""},
    {GOOD "body c { mass 1; inertia 1, 1, 1, 5, 0, 0 }\n", 3, 26, "negative principal", ""},
    {GOOD "body c { sphere 1/0; mass 1 }\n", 3, 17, "not a finite number", ""},
    {GOOD "body c { sphere 1 { friction -1 }; mass 1 }\n", 3, 30, "negative", ""},
    {GOOD "body c { sphere 1; mass 1; rotation quaternion 0, 0, 0, 0 }\n", 3, 48, "zero", ""},
    {GOOD "fixed f { plane 0, 0, 0 }\n", 3, 17, "direction cannot be zero", ""},
    {GOOD "fixed f { velocity 1, 0, 0 }\n", 3, 11, "held by a joint, or fixed", ""},
    {GOOD "contact a b { friction -0.1 }\n", 3, 24, "negative", ""},
    {GOOD "body c { sphere t; mass 1 }\n", 3, 17, "not `t`", ""},
    {GOOD "coordinate x; kinetic x'^2; body c { sphere x; mass 1 }\n", 3, 45, "not `x`", ""},
    {GOOD "body c { sphere a.z; mass 1 }\n", 3, 17, "unknown name", ""},
    // what the text has of them
    {GOOD "kinetic dot(a.spin, a.spin)\n", 3, 9, "cannot use the `spin`", ""},
    {GOOD "potential a.vx\n", 3, 11, "unknown name", ""},
    {GOOD "bilateral c: a.spin.x = 0\n", 3, 14, "`rolling` for one of velocities", ""},
    {GOOD "joint j: ball a, b\npotential j\n", 4, 11, "no coordinate that is one number", "hinges"},
    {GOOD "joint j: hinge a, b { axis 0, 0, 1 }\ncoordinate j; kinetic j'^2; potential j\n", 3, 7,
     "the name `j` is declared twice", "a joint is a coordinate"},
    {GOOD "velocity a.x = 1\n", 3, 10, "unknown coordinate", ""},
    // states
    {GOOD "state s: c.velocity = (1, 0, 0)\n", 3, 10, "unknown body `c`", ""},
    {GOOD "state s: a.velocity = 1\n", 3, 23, "three parts", ""},
    {GOOD "state s: a.velocity' = (1, 0, 0)\n", 3, 10, "without `'`", ""},
    {GOOD "state s: a.qz' = 1\n", 3, 10, "no joint or free body has this number", ""},
    {GOOD "joint j: weld ground, a\nstate s: a.velocity = (1, 0, 0)\n", 4, 10, "is not free", ""},
    {GOOD "state s: a.velocity = (t, 0, 0)\n", 3, 23, "this depends on time", ""},
    {GOOD "joint j: weld ground, a\nobject a\n", 4, 8, "an object is a free body", ""},
    {GOOD "object world\n", 3, 8, "the world is no object", ""},
    {GOOD "unilateral c: a.z >= 0; unilateral d: b.z >= 0; restitution c d = 1\n", 3, 67,
     "no restitution between two contacts", ""},
};

static void test_mistakes(void **state)
{
  (void)state;
  int failures = 0;
  for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
    const mistake *m = &mistakes[k];
    dls_model *model;
    static dls_diagnostics d;
    const dls_status status = dls_model_parse(m->text, strlen(m->text), &model, &d);
    const dls_diagnostic *first = &d.item[0];
    if (status == DLS_ERR_MODEL && d.total == 1 && first->line == m->line &&
        first->column == m->column && strstr(first->message, m->message) &&
        strstr(first->hint, m->hint))
      continue;
    char out[8000];
    dls_diagnostics_format(&d, "test", m->text, strlen(m->text), out, sizeof out);
    print_error("expected %d:%d: %s / %s in\n%s\n%s", m->line, m->column, m->message, m->hint,
                m->text, out);
    dls_model_free(model);
    failures++;
  }
  assert_int_equal(failures, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mistakes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
