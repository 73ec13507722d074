// Which contacts two solids have. That a gap is the distance is shown by a plane: no point of the
// one is nearer to the other than along the normal. That an overlap is the least is shown by all
// pairs of features. Faces on faces are compared with the corners of what they share.
#include "shape/touch.h"

#include "base/memory.h"
#include "linalg/vector3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numbers.h"
#include "solid_features.h"

typedef struct two {
  any_solid solid[2];
  dls_form *form[2];
  dls_solid_motion at[2];
} two;

static dls_form *form_of(const dls_solid *solid)
{
  dls_form *form = NULL;
  dls_message message = {{0}};
  if (dls_form_create(solid, &form, &message)) fail_msg("%s", message.text);
  return form;
}

static void free_two(two *t)
{
  for (int k = 0; k < 2; k++) dls_form_free(t->form[k]);
}

static int times(int n)
{
  const char *more = getenv("DLS_TEST_MORE");
  return TRIED(n) * (more ? atoi(more) : 1);
}

static int find(const two *t, double reach, dls_touch_id *id, bool *ambiguous)
{
  return dls_touch_find(t->form[0], &t->at[0], t->form[1], &t->at[1], reach, id, ambiguous);
}

static dls_status evaluate(const two *t, dls_touch_id id, dls_touch_values *v)
{
  return dls_touch_evaluate(t->form[0], &t->at[0], NULL, t->form[1], &t->at[1], NULL, id, v, NULL);
}

// How far the solid reaches along n in the world.
static double reach_of(const two *t, int k, const double n[3])
{
  double local[3];
  const double *R = t->at[k].R;
  for (int i = 0; i < 3; i++) local[i] = R[i] * n[0] + R[3 + i] * n[1] + R[6 + i] * n[2];
  if (t->solid[k].solid.kind == DLS_SOLID_PLANE) {  // to rounding
    if (local[2] < 1 - 1e-12) return INFINITY;
    return dls_dot3(n, t->at[k].p);
  }
  return dls_dot3(n, t->at[k].p) + solid_support(&t->solid[k].solid, local);
}

// The distance of two planes with this normal that keep the solids apart.
static double apart(const two *t, const double n[3])
{
  const double back[3] = {-n[0], -n[1], -n[2]};
  return -reach_of(t, 0, back) - reach_of(t, 1, n);
}

static void describe(const two *t, const dls_touch_id *id, int count)
{
  for (int k = 0; k < count; k++) {
    char a[40], b[40];
    dls_touch_values v = {0};
    dls_form_feature_name(t->form[0], id[k].a, a, 40),
        dls_form_feature_name(t->form[1], id[k].b, b, 40);
    evaluate(t, id[k], &v);
    printf("  %s / %s: gap %.17g, apart %.17g\n", a, b, v.gap, apart(t, v.normal));
  }
}

// ---- any poses ----------------------------------------------------------------------------------

static void draw(two *t, dls_solid_kind a, dls_solid_kind b, double ratio)
{
  any_solid_draw(&t->solid[0], a, 1), any_solid_draw(&t->solid[1], b, ratio);
  for (int k = 0; k < 2; k++) {
    t->form[k] = form_of(&t->solid[k].solid);
    t->at[k] = (dls_solid_motion){.p = {0}};
    random_rotation(t->at[k].R);
  }
}

// The largest distance of planes over the normals of all pairs of features.
static double best_of_all(const two *t)
{
  double best = -INFINITY;
  for (int a = 0; a < dls_form_features(t->form[0]); a++)
    for (int b = 0; b < dls_form_features(t->form[1]); b++) {
      dls_touch_values v;
      if (evaluate(t, (dls_touch_id){a, b}, &v)) continue;
      const double g = apart(t, v.normal);
      if (g > best) best = g;
      for (int i = 0; i < 3; i++) v.normal[i] *= -1;
      const double back = apart(t, v.normal);
      if (back > best) best = back;
    }
  return best;
}

// With these and a corner deep in the other solid there are several normals; the one with the
// largest gap need not be that of the least overlap.
static bool curved(const two *t)
{
  for (int k = 0; k < 2; k++)
    if (t->solid[k].solid.kind == DLS_SOLID_CYLINDER ||
        t->solid[k].solid.kind == DLS_SOLID_ELLIPSOID)
      return true;
  return false;
}

static void check_least(const two *t, bool all)
{
  dls_touch_id id[DLS_TOUCHES_MAX];
  bool ambiguous;
  const int count = find(t, 100, id, &ambiguous);
  double least = INFINITY, most = -INFINITY;
  for (int k = 0; k < count; k++) {
    dls_touch_values v;
    if (evaluate(t, id[k], &v)) {
      describe(t, id, count);
      fail_msg("a contact without values");
    }
    const double g = apart(t, v.normal);
    if (v.gap < least) least = v.gap;
    if (g > most && fabs(g - v.gap) <= 1e-9) most = g;
  }
  const double best = all ? best_of_all(t) : most;
  const double loose = curved(t) && most < -0.01 ? 0.5 * fabs(most) : 1e-9;
  if (count == 0 || !(least >= most - 0.11 * fabs(most) - 1e-9) || !(most >= best - loose) ||
      (least > 0 && !(least >= most - 1e-9))) {
    describe(t, id, count);
    fail_msg("solids %d and %d: gap %.17g, planes %.17g, and %.17g of all", t->solid[0].solid.kind,
             t->solid[1].solid.kind, least, most, best);
  }
}

static void any_poses(void **state)
{
  (void)state;
  for (int k = 0; k < times(20000); k++) {
    two t;
    const dls_solid_kind a = (dls_solid_kind)below(DLS_SOLID_KINDS);
    dls_solid_kind b = (dls_solid_kind)below(DLS_SOLID_KINDS);
    if (a == DLS_SOLID_PLANE && b == DLS_SOLID_PLANE) b = DLS_SOLID_BOX;
    draw(&t, a, b, k % 3 ? 1 : pow(10, uniform()));
    double way[3];
    random_unit(way);
    for (int i = 0; i < 3; i++) t.at[0].p[i] = (2 + uniform()) * way[i];
    check_least(&t, false);
    free_two(&t);
  }
}

// ---- flat on flat -------------------------------------------------------------------------------

// A feature of this sort, or of the other one; -1: there is none.
static int feature_of(const dls_solid *solid, feature_sort sort, feature_sort other)
{
  for (int tried = 0; tried < 200; tried++) {
    const int f = below(solid_feature_count(solid));
    const feature_sort own = solid_feature_sort(solid, f);
    if (own == sort || own == other) return f;
  }
  return -1;
}

// A point of a face or line of A lies above a point of a face of B, along its normal.
static bool lay(two *t, double gap, feature_sort *lies)
{
  const dls_solid *a = &t->solid[0].solid, *b = &t->solid[1].solid;
  const int f = feature_of(a, FEATURE_LINE, FEATURE_FACE), g = feature_of(b, FEATURE_FACE, -1);
  if (f < 0 || g < 0) return false;
  double x[3], y[3], n[3], m[3], up[3], S[9];
  solid_feature_sample(a, f, x, n), solid_feature_sample(b, g, y, m);
  *lies = solid_feature_sort(a, f);
  // caps are named by twelve points of their rims
  if (a->kind == DLS_SOLID_CYLINDER && *lies == FEATURE_FACE) x[0] *= 0.96, x[1] *= 0.96;
  if (b->kind == DLS_SOLID_CYLINDER) y[0] *= 0.96, y[1] *= 0.96;
  if (solid_support(a, n) > dls_dot3(n, x) + 1e-12) return false;  // a chord of a rim
  const double *R = t->at[1].R;
  for (int i = 0; i < 3; i++) up[i] = dls_dot3(&R[3 * i], m);
  const double down[3] = {-up[0], -up[1], -up[2]};
  rotation_between(n, down, S);
  dls_copy(t->at[0].R, S, 9);
  for (int i = 0; i < 3; i++)
    t->at[0].p[i] = t->at[1].p[i] + dls_dot3(&R[3 * i], y) + gap * up[i] - dls_dot3(&S[3 * i], x);
  return true;
}

// What lies flat has its gap, and nowhere a deeper one.
static void check_flat(const two *t, double gap, feature_sort lies)
{
  dls_touch_id id[DLS_TOUCHES_MAX];
  bool ambiguous;
  const int count = find(t, fabs(gap) + 1e-9, id, &ambiguous);
  double worst = 0, least = INFINITY;
  for (int k = 0; k < count; k++) {
    dls_touch_values v;
    if (evaluate(t, id[k], &v)) worst = INFINITY;
    else worst = fmax(worst, v.gap < gap ? gap - v.gap : v.gap - fabs(gap));
    least = fmin(least, v.gap);
  }
  if (count >= 1 && worst <= 1e-9 && fabs(least - gap) <= 1e-9) return;
  describe(t, id, count);
  fail_msg("%s of solid %d on a face of solid %d at %g: %d contacts, off by %g",
           lies == FEATURE_LINE ? "a line" : "a face", t->solid[0].solid.kind,
           t->solid[1].solid.kind, gap, count, worst);
}

static void flat_on_flat(void **state)
{
  (void)state;
  static const double gaps[] = {0, 1e-13, -1e-13, 1e-10, -1e-10, 1e-7, -1e-7};
  static const dls_solid_kind flat[] = {DLS_SOLID_BOX, DLS_SOLID_HULL, DLS_SOLID_CYLINDER};
  for (int k = 0; k < times(10000); k++) {
    two t;
    feature_sort lies;
    const double gap = gaps[below(7)];
    const dls_solid_kind a = below(6) ? flat[below(3)] : DLS_SOLID_CAPSULE;
    draw(&t, a, flat[below(3)], k % 3 ? 1 : pow(10, uniform()));
    for (int i = 0; i < 3; i++) t.at[1].p[i] = 2 * uniform();
    if (lay(&t, gap, &lies)) check_flat(&t, gap, lies);
    free_two(&t);
  }
}

// Crates side by side: a corner of the one is far from the corner of the other that reaches as far.
static void crates_side_by_side(void **state)
{
  (void)state;
  const dls_solid crate = {.kind = DLS_SOLID_BOX, .size = {0.3, 0.3, 0.2}, .pose = {{0}, {1}}};
  for (int k = 0; k < times(20000); k++) {
    two t = {.solid = {{.solid = crate}, {.solid = crate}},
             .form = {form_of(&crate), form_of(&crate)}};
    random_rotation(t.at[0].R);
    dls_copy(t.at[1].R, t.at[0].R, 9);
    const double x[3] = {0.03 * uniform(), 0.3, below(2) ? 0 : 0.02 * uniform()};
    for (int i = 0; i < 3; i++) {
      t.at[0].p[i] = uniform();
      t.at[1].p[i] = t.at[0].p[i] + dls_dot3(&t.at[0].R[3 * i], x);
    }
    for (int i = 0; i < 9; i++) t.at[1].R[i] += 1e-16 * uniform();
    check_flat(&t, 0, FEATURE_FACE);
    free_two(&t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_poses), cmocka_unit_test(flat_on_flat),
                                     cmocka_unit_test(crates_side_by_side)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
