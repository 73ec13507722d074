// Drawings: shapes at a state against closed forms, directions of forces against the work that they
// do, what may not be written, and numbers that nobody should draw.
#include "language.h"

#include "cases.h"

#include <delassus/drawing.h>

#define PLANE "coordinate x = 1, y = 2, a = 0.5\nkinetic x'^2 + y'^2 + a'^2\n"

typedef struct drawn {
  running r;
  dls_drawing *drawing;
  const dls_shape *shape;
} drawn;

static drawn draw(const char *text, const char *at)
{
  drawn d = {.r = run(text)};
  assert_int_equal(dls_drawing_create(d.r.system, &d.drawing, &d.r.message), DLS_OK);
  go_to(&d.r, at);
  d.shape = dls_drawing_shapes(d.drawing);
  return d;
}

static void evaluate(drawn *d)
{
  assert_int_equal(dls_drawing_evaluate(d->drawing, &d->r.state, &d->r.message), DLS_OK);
}

static void finish(drawn *d)
{
  dls_drawing_free(d->drawing);
  stop(&d->r);
}

static void assert_point(const double *p, double x, double y, double z)
{
  assert_near(p[0], x);
  assert_near(p[1], y);
  assert_near(p[2], z);
}

// ---- shapes -------------------------------------------------------------------------------------

static void test_shapes(void **unused)
{
  (void)unused;
  drawn d = draw(PLANE "parameter l = 2\nlet tip = (l*sin(a), -l*cos(a))\n"
                       "draw segment (0, 0), tip { width 3; colour 1; dashed }\n"
                       "draw disc tip + (x, y)*2, l/4 { fill }\n"
                       "draw box (x, y), l, 3, a\n"
                       "draw box (x, t), l, 3 { width l }\n"
                       "draw spring (x, 0), (y, x')\n"
                       "draw path (floor(x + 0.5), if(y > 1, 7, 8))\n"
                       "draw text (x, y), \"crate # 1; über\"\n",
                 "t = 5, x' = -4");
  evaluate(&d);
  assert_int_equal(dls_drawing_count(d.drawing), 7);
  assert_int_equal(dls_drawing_space(d.drawing), 2);
  const double sx = 2 * sin(0.5), sy = -2 * cos(0.5);
  const dls_shape *s = d.shape;
  assert_int_equal(s[0].kind, DLS_SHAPE_SEGMENT);
  assert_point(s[0].point[0], 0, 0, 0);
  assert_point(s[0].point[1], sx, sy, 0);
  assert_near(s[0].width, 3);
  assert_int_equal(s[0].colour, 1);
  assert_true(s[0].dashed && !s[0].fill && s[0].visible);
  assert_int_equal(s[1].kind, DLS_SHAPE_DISC);
  assert_point(s[1].point[0], sx + 2, sy + 4, 0);
  assert_near(s[1].size[0], 0.5);
  assert_true(s[1].fill && !s[1].dashed);
  assert_point(s[2].size, 2, 3, 0.5);
  assert_point(s[3].point[0], 1, 5, 0);
  assert_point(s[3].size, 2, 3, 0);
  assert_near(s[3].width, 2);
  assert_point(s[4].point[1], 2, -4, 0);
  assert_point(s[5].point[0], 1, 7, 0);
  assert_string_equal(s[6].text, "crate # 1; über");
  finish(&d);
}

// Parameters as they are when the drawing is made; points in space, the view; loops.
static void test_space(void **unused)
{
  (void)unused;
  drawn d = draw(PLANE "parameter l = 2\nfor i in 1..3 { draw disc (i*l, x, y), l { colour i } }\n"
                       "draw view (0, -l, 0)\n",
                 "");
  assert_int_equal(dls_drawing_count(d.drawing), 3);
  assert_int_equal(dls_drawing_space(d.drawing), 3);
  evaluate(&d);
  assert_point(d.shape[2].point[0], 6, 1, 2);
  assert_int_equal(d.shape[2].colour, 3);
  assert_point(dls_drawing_view(d.drawing), 0, -2, 0);
  dls_drawing_free(d.drawing);
  assert_int_equal(dls_model_set(d.r.system, "l", "5", NULL), DLS_OK);
  assert_int_equal(dls_drawing_create(d.r.system, &d.drawing, NULL), DLS_OK);
  evaluate(&d);
  assert_point(dls_drawing_shapes(d.drawing)[0].point[0], 5, 1, 2);
  finish(&d);
  d = draw(PLANE "draw disc (x, y, 0), 1\ndraw view (0, 0, x - 1)", "");
  evaluate(&d);
  assert_point(dls_drawing_view(d.drawing), 1, -1, 1);  // no view at all: the default
  finish(&d);
}

static void test_nothing(void **unused)
{
  (void)unused;
  drawn d = draw(PLANE, "");
  evaluate(&d);
  assert_int_equal(dls_drawing_count(d.drawing), 0);
  finish(&d);
  dls_drawing *drawing;
  assert_int_equal(dls_drawing_create(NULL, &drawing, NULL), DLS_ERR_ARGUMENT);
  dls_drawing_free(NULL);
}

// The equations do not know what is drawn: the same bits with and without.
static void test_same_equations(void **unused)
{
  (void)unused;
  const char *base =
      "parameter m = 0.3\ncoordinate x = 0.7, y = 0.2\n"
      "let p = (x*y, sin(x))\n"
      "kinetic m*(x'^2*(2 + cos(y)) + y'^2 + x'*y'*p.y)\npotential dot(p, p)*norm(p)\n";
  char more[600];
  (void)snprintf(more, sizeof more,
                 "%sdraw disc (cos(y)*2 + sin(x), x*y*sin(x)), m\ndraw path p*norm(p)\n", base);
  running a = run(base), b = run(more);
  go_to(&a, "x' = 0.3, y' = 1.1");
  go_to(&b, "x' = 0.3, y' = 1.1");
  dls_values *u, *w;
  assert_int_equal(dls_values_create(a.system, &u), DLS_OK);
  assert_int_equal(dls_values_create(b.system, &w), DLS_OK);
  for (int k = 0; k < 2; k++) {
    const running *r = k ? &b : &a;
    assert_int_equal(
        r->system->evaluate(r->system->self, 0, r->state.q, r->state.v, k ? w : u, NULL, NULL),
        DLS_OK);
  }
  assert_memory_equal(u->F, w->F, 2 * sizeof(double));
  assert_memory_equal(u->M, w->M, 4 * sizeof(double));
  dls_values_free(u);
  dls_values_free(w);
  stop(&a);
  stop(&b);
}

// ---- forces -------------------------------------------------------------------------------------

static dls_status direct(drawn *d)
{
  return dls_drawing_evaluate_forces(d->drawing, &d->r.state, &d->r.message);
}

static void test_directions(void **unused)
{
  (void)unused;
  // a rod with two ends; a gap that is no length; the difference of two bodies; a given normal
  drawn d = draw("coordinate x, y, a = 0.3, z = 2\nkinetic x'^2 + y'^2 + a'^2 + z'^2\n"
                 "bilateral end: y - sin(a) = 0 { slip x' + sin(a)*a'; friction 1 }\n"
                 "unilateral twice: 2*z >= 0\n"
                 "unilateral pair: z - y >= 0 { slip x'; friction 1 }\n"
                 "unilateral given: x >= 0 { slip y'; friction 1 }\n"
                 "draw force end at (x - cos(a), y - sin(a))\n"
                 "draw force twice at (t, z)\n"
                 "draw force pair at (0, z), (-x, y)\n"
                 "draw force given at (7, 7) { normal (-3, 0) }\n"
                 "draw force given at (7, 7) { tangent (0, 5); normal (1, 2) }\n",
                 "");
  assert_int_equal(direct(&d), DLS_OK);
  const dls_shape *s = d.shape;
  assert_int_equal(s[0].kind, DLS_SHAPE_FORCE);
  assert_int_equal(s[0].contact, 0);
  assert_true(s[0].ground);
  assert_point(s[0].normal, 0, 1, 0);
  assert_int_equal(s[0].tangents, 1);
  assert_point(s[0].tangent[0], 1, 0, 0);
  assert_point(s[1].normal, 0, 2, 0);
  assert_int_equal(s[1].tangents, 0);
  assert_point(s[2].normal, 0, 1, 0);
  assert_point(s[2].tangent[0], 1, 0, 0);
  assert_false(s[2].ground);
  assert_point(s[3].normal, -3, 0, 0);
  assert_point(s[3].tangent[0], 0, 3, 0);
  assert_point(s[4].normal, 1, 2, 0);
  assert_point(s[4].tangent[0], 0, 5, 0);
  finish(&d);
}

static void test_no_direction(void **unused)
{
  (void)unused;
  // a pendulum's tip moves on a line; a point of the other body; a slip that is not the point's
  static const char *const texts[] = {
      "coordinate a = 0.3\nkinetic a'^2\nunilateral w: 1 - sin(a) >= 0\n"
      "draw force w at (sin(a), -cos(a))\n",
      "coordinate x, y, z\nkinetic x'^2 + y'^2 + z'^2\nunilateral w: x - z >= 0\n"
      "draw force w at (x, y)\n",
      "coordinate x, y, z\nkinetic x'^2 + y'^2 + z'^2\nunilateral w: x >= 0 { slip z'; friction 1 "
      "}\n"
      "draw force w at (x, y)\n",
      "coordinate x\nkinetic x'^2\nunilateral w: x >= 0\ndraw force w at (0, 0)\n",
  };
  static const char *const says[] = {"normal (nx, ny)", "does not move as", "does not move as",
                                     "does not move as"};
  for (int k = 0; k < 4; k++) {
    at_case("text %d", k);
    drawn d = draw(texts[k], "");
    assert_int_equal(direct(&d), DLS_ERR_MODEL);
    assert_non_null(strstr(d.r.message.text, says[k]));
    assert_non_null(strstr(d.r.message.text, "draw force w"));
    evaluate(&d);  // the place itself is fine
    finish(&d);
  }
}

// A rod in any units: its end is right, its middle and the other end are wrong.
static void test_units(void **unused)
{
  (void)unused;
  static const double length[] = {1e-8, 1e-3, 1, 1e5, 1e8}, mass[] = {1e-8, 1, 1e8};
  static const double place[] = {1, 0.999, 0, -1};
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 4; k++) {
        char text[600];
        at_case("length %g, mass %g, place %g", length[i], mass[j], place[k]);
        (void)snprintf(
            text, sizeof text,
            "parameter l = %g, m = %g, s = %g\ncoordinate x, y, a = 0.3\n"
            "kinetic m/2*(x'^2 + y'^2 + l^2/3*a'^2)\n"
            "unilateral floor: y - l*sin(a) >= -l { slip x' + l*sin(a)*a'; friction 1 }\n"
            "draw force floor at (x - s*l*cos(a), y - s*l*sin(a))\n",
            length[i], mass[j], place[k]);
        drawn d = draw(text, "");
        assert_int_equal(direct(&d), k == 0 ? DLS_OK : DLS_ERR_MODEL);
        for (int c = 0; k == 0 && c < 2; c++) {
          assert_true(fabs(d.shape[0].normal[c] - c) <= 1e-14);
          assert_true(fabs(d.shape[0].tangent[0][c] - (1 - c)) <= 1e-14);
        }
        finish(&d);
      }
}

// The work of a force on the motion of its place is that of its multiplier: by differences.
static void check_work(const char *name, drawn *d)
{
  const dls_system *s = d->r.system;
  const int n = s->n;
  dls_values *values;
  assert_int_equal(dls_values_create(s, &values), DLS_OK);
  for (int i = 0; i < n; i++) d->r.state.v[i] = 0;
  assert_int_equal(direct(d), DLS_OK);
  assert_int_equal(
      s->evaluate(s->self, d->r.state.t, d->r.state.q, d->r.state.v, values, NULL, NULL), DLS_OK);
  const int count = dls_drawing_count(d->drawing);
  dls_shape *here = calloc((size_t)count + 1, sizeof *here);
  memcpy(here, d->shape, (size_t)count * sizeof *here);
  for (int k = 0; k < count; k++) {
    if (here[k].kind != DLS_SHAPE_FORCE || !here[k].ground || !here[k].visible) continue;
    for (int i = 0; i < n; i++) {
      const double q = d->r.state.q[i], step = 1e-6;
      double p[2][3], work = 0, expected = 0;
      for (int side = 0; side < 2; side++) {
        d->r.state.q[i] = side ? q + step : q - step;
        evaluate(d);
        memcpy(p[side], d->shape[k].point[0], sizeof p[side]);
      }
      d->r.state.q[i] = q;
      for (int c = 0; c < 3; c++) work += here[k].normal[c] * (p[1][c] - p[0][c]) / (2 * step);
      for (int e = s->normal.p[here[k].contact]; e < s->normal.p[here[k].contact + 1]; e++)
        if (s->normal.i[e] == i) expected = values->G[e];
      at_case("%s, shape %d, coordinate %d: %g and %g", name, k, i, work, expected);
      assert_true(fabs(work - expected) <= 1e-8 * (1 + fabs(expected)));
    }
  }
  free(here);
  dls_values_free(values);
}

static char *example_text(const char *name)
{
  char path[200];
  (void)snprintf(path, sizeof path, "examples/%s.dls", name);
  FILE *file = fopen(path, "r");
  if (!file) fail_msg("cannot read %s", path);
  char *text = calloc(20000, 1);
  assert_true(fread(text, 1, 19999, file) > 0);
  (void)fclose(file);
  return text;
}

static void test_examples_work(void **unused)
{
  (void)unused;
  static const char *const names[] = {
      "ladder",        "block-stack",         "rocking-block",
      "incline-block", "painleve-rod",        "painleve-klein",
      "chain",         "bouncing-ball",       "slider-crank-clearance",
      "four-bar",      "elliptic-manipulator"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    char *text = example_text(names[k]);
    drawn d = draw(text, "");
    assert_true(dls_drawing_count(d.drawing) > 0);
    check_work(names[k], &d);
    finish(&d);
    free(text);
  }
}

// ---- mistakes -----------------------------------------------------------------------------------

typedef struct mistake {
  const char *line;  // the fourth one
  int column;
  const char *says;
} mistake;

static const mistake mistakes[] = {
    {"draw sphere (x, y), 1", 6, "expected `segment`, `disc`"},
    {"draw disc x, 1", 11, "a point is needed here, not a number"},
    {"draw disc (x, y)", 17, "`,` and the radius"},
    {"draw disc (x, y), (1, 2)", 19, "a number is needed here, not a vector"},
    {"draw disc (x, y, 1), 1", 11, "in the plane or in space"},
    {"draw disc (x, yy), 1", 15, "unknown name `yy`"},
    {"draw disc (x, y + ), 1", 19, "expected"},
    {"draw box (x, y), 1", 19, "other side"},
    {"draw segment (x, y), (x, y) { fill }", 31, "only discs and boxes"},
    {"draw disc (x, y), 1 { colour -1 }", 30, "colours have the numbers"},
    {"draw disc (x, y), 1 { colour 0.5 }", 30, ""},
    {"draw disc (x, y), 1 { color 1 }", 23, "expected `fill`"},
    {"draw disc (x, y), 1 { width 1; width 2 }", 32, "given twice"},
    {"draw disc (x, y), 1 { fill", 21, "never closed"},
    {"draw disc (x, y), 1 { normal (1, 0) }", 23, "only forces"},
    {"draw disc (x, y), 1 fill", 21, "operator"},
    {"draw text (x, y), crate", 19, "a text in quotes"},
    {"draw text (x, y), \"crate", 19, "no end on its line"},
    {"draw force wal at (x, y)", 12, "unknown contact `wal`"},
    {"draw force wall (x, y)", 17, "`at`"},
    {"draw force wall at (x, y) { tangent (1, 0) }", 12, "tangents need a normal"},
    {"draw force wall at (x, y) { normal (1, 0); tangent (1, 0) }", 12, "no `slip`"},
    {"draw force wall at (x, y) { colour 1 }", 29, "a look of its own"},
    {"draw force wall at (x, y) { normel (1, 0) }", 29, "expected `normal`"},
    {"draw view (1, 1, 1)", 6, "points in space"},
    {"drow disc (x, y), 1", 1, "unknown statement `drow`"},
};

static void test_mistakes(void **unused)
{
  (void)unused;
  for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
    const mistake *m = &mistakes[k];
    char text[500];
    at_case("%s", m->line);
    (void)snprintf(text, sizeof text, PLANE "unilateral wall: x >= 0\n%s\ndraw disc (0, 0), 1\n",
                   m->line);
    // the drawing is in the plane before the line, too
    char whole[600];
    (void)snprintf(whole, sizeof whole, "draw path (x, y); %s", text);
    static dls_diagnostics d;
    dls_model *model;
    assert_int_equal(dls_model_parse(whole, strlen(whole), &model, &d), DLS_ERR_MODEL);
    assert_int_equal(d.item[0].line, 4);
    assert_int_equal(d.item[0].column, m->column);
    if (!strstr(d.item[0].message, m->says)) fail_msg("says: %s", d.item[0].message);
    assert_int_equal(d.total, 1);
  }
}

static void test_spatial_mistakes(void **unused)
{
  (void)unused;
  static const char *const texts[] = {
      PLANE "draw disc (x, y, 1), 1\ndraw box (x, y, 1), 1, 1\n",
      PLANE "draw disc (x, y, 1), 1\ndraw view (1, 1, 1)\ndraw view (1, 1, 1)\n",
      PLANE "draw disc (x, y, 1), 1\ndraw view (1, 1)\n"};
  static const int line[] = {4, 5, 4};
  for (int k = 0; k < 3; k++) {
    static dls_diagnostics d;
    dls_model *model;
    assert_int_equal(dls_model_parse(texts[k], strlen(texts[k]), &model, &d), DLS_ERR_MODEL);
    assert_int_equal(d.total, 1);
    assert_int_equal(d.item[0].line, line[k]);
  }
}

// ---- numbers that nobody should draw ------------------------------------------------------------

static void test_hostile(void **unused)
{
  (void)unused;
  drawn d = draw(PLANE "draw disc (sqrt(x), y), 1\ndraw disc (x, y), x\ndraw disc (x, y), 0\n"
                       "draw segment (1e300*y, 0), (1e308*y, 0)\ndraw box (x, y), 1, 1, 1/(x + 1)\n"
                       "draw disc (x, y), 1 { width x }\ndraw disc (x, y), 1 { width 1e9 }\n",
                 "x = -1");
  evaluate(&d);
  static const bool visible[] = {false, false, true, false, false, false, false};
  for (int k = 0; k < 7; k++) {
    at_case("shape %d", k);
    assert_int_equal(d.shape[k].visible, visible[k]);
  }
  d.r.state.q[0] = NAN;
  assert_int_equal(dls_drawing_evaluate(d.drawing, &d.r.state, &d.r.message), DLS_ERR_NUMBER);
  finish(&d);
}

static void test_many(void **unused)
{
  (void)unused;
  static const char text[] = PLANE "for i in 1..400, j in 1..400 { draw disc (i, j), 1 }\n";
  static dls_diagnostics d;
  dls_model *model;
  assert_int_equal(dls_model_parse(text, strlen(text), &model, &d), DLS_ERR_MODEL);
  assert_non_null(strstr(d.item[0].message, "at most 100000 shapes"));
  drawn many = draw(PLANE "for i in 1..300, j in 1..300 { draw disc (i + x, j), 1 }\n", "");
  evaluate(&many);
  assert_int_equal(dls_drawing_count(many.drawing), 90000);
  assert_point(many.shape[89999].point[0], 301, 300, 0);
  finish(&many);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shapes),     cmocka_unit_test(test_space),
      cmocka_unit_test(test_nothing),    cmocka_unit_test(test_same_equations),
      cmocka_unit_test(test_directions), cmocka_unit_test(test_no_direction),
      cmocka_unit_test(test_units),      cmocka_unit_test(test_examples_work),
      cmocka_unit_test(test_mistakes),   cmocka_unit_test(test_spatial_mistakes),
      cmocka_unit_test(test_hostile),    cmocka_unit_test(test_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
