// Formulas of contacts between all pairs of features: gap, normal and point of pairs that are made
// to have them; rates, second derivatives and slips against differences along motions; derivatives
// by poses and velocities against differences.
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

// ---- a pair of features with a known gap --------------------------------------------------------

typedef struct known_pair {
  any_solid solid[2];
  dls_form *form[2];
  dls_solid_motion motion[2];
  dls_touch_id id;
  double n[3], point[3], gap;
} known_pair;

static void turn(const double *R, const double *x, double *out)
{
  for (int i = 0; i < 3; i++) out[i] = dls_dot3(&R[3 * i], x);
}

static dls_form *form_of(const dls_solid *solid)
{
  dls_form *form = NULL;
  dls_message message = {{0}};
  if (dls_form_create(solid, &form, &message)) fail_msg("%s", message.text);
  return form;
}

// Pairs whose gap is a distance: without a sign, and without a normal where it is 0.
static bool unsigned_gap(feature_sort a, feature_sort b)
{
  if (b == FEATURE_CORNER) return a == FEATURE_CORNER || a == FEATURE_LINE || a == FEATURE_RIM;
  return a == FEATURE_CORNER && (b == FEATURE_LINE || b == FEATURE_RIM);
}

static bool has_formula(feature_sort a, feature_sort b)
{
  if (a == FEATURE_NONE || b == FEATURE_NONE) return false;
  const bool flat_a = a == FEATURE_FACE || a == FEATURE_LINE;
  const bool flat_b = b == FEATURE_FACE || b == FEATURE_LINE;
  return !(flat_a && flat_b) || (a == FEATURE_LINE && b == FEATURE_LINE);
}

static void set_motion(dls_solid_motion *m, double speed)
{
  double *velocities[4] = {m->v, m->w, m->a, m->alpha};
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 3; i++) velocities[k][i] = speed * uniform();
}

// A stands so that its feature and that of B have this gap, and their normals are opposite.
static void place_pair(known_pair *p, double gap, double far)
{
  double x[2][3], n[2][3], world[3];
  const int id[2] = {p->id.a, p->id.b};
  for (int k = 0; k < 2; k++) solid_feature_sample(&p->solid[k].solid, id[k], x[k], n[k]);
  dls_solid_motion *a = &p->motion[0], *b = &p->motion[1];
  random_rotation(b->R);
  turn(b->R, n[1], p->n), turn(b->R, x[1], world);
  double back[3];
  for (int i = 0; i < 3; i++) back[i] = -p->n[i], b->p[i] = far * uniform();
  rotation_between(n[0], back, a->R);
  double reach[3];
  turn(a->R, x[0], reach);
  for (int i = 0; i < 3; i++) {
    a->p[i] = b->p[i] + world[i] + gap * p->n[i] - reach[i];
    p->point[i] = b->p[i] + world[i] + gap / 2 * p->n[i];
  }
  p->gap = gap;
  for (int k = 0; k < 2; k++) set_motion(&p->motion[k], 1);
}

static bool draw_pair(known_pair *p, dls_solid_kind a, dls_solid_kind b, double scale, double ratio)
{
  any_solid_draw(&p->solid[0], a, scale), any_solid_draw(&p->solid[1], b, ratio * scale);
  p->id.a = below(solid_feature_count(&p->solid[0].solid));
  p->id.b = below(solid_feature_count(&p->solid[1].solid));
  if (!has_formula(solid_feature_sort(&p->solid[0].solid, p->id.a),
                   solid_feature_sort(&p->solid[1].solid, p->id.b)))
    return false;
  for (int k = 0; k < 2; k++) p->form[k] = form_of(&p->solid[k].solid);
  return true;
}

static void free_pair(known_pair *p)
{
  for (int k = 0; k < 2; k++) dls_form_free(p->form[k]);
}

static dls_status evaluate(const known_pair *p, dls_touch_values *v, dls_touch_values *e)
{
  return dls_touch_evaluate(p->form[0], &p->motion[0], NULL, p->form[1], &p->motion[1], NULL, p->id,
                            v, e);
}

static void tell(const known_pair *p, const char *what, double got, double expected)
{
  char name[2][40];
  dls_form_feature_name(p->form[0], p->id.a, name[0], 40);
  dls_form_feature_name(p->form[1], p->id.b, name[1], 40);
  fail_msg("%s of solids %d %s and %d %s, gap %g: %.17g instead of %.17g", what,
           p->solid[0].solid.kind, name[0], p->solid[1].solid.kind, name[1], p->gap, got, expected);
}

static void near_to(const known_pair *p, const char *what, double got, double expected,
                    double tolerance)
{
  if (!(fabs(got - expected) <= tolerance)) tell(p, what, got, expected);
}

// ---- values -------------------------------------------------------------------------------------

static int times(int n)
{
  const char *more = getenv("DLS_TEST_MORE");
  return TRIED(n) * (more ? atoi(more) : 1);
}

// The direction of a line or rim at the contact; false where there is none.
static bool tangent_of(const known_pair *p, int side, double t[3])
{
  const dls_solid *solid = &p->solid[side].solid;
  const feature_sort sort = solid_feature_sort(solid, side ? p->id.b : p->id.a);
  const double *R = p->motion[side].R, axis[3] = {R[2], R[5], R[8]};
  if (sort == FEATURE_RIM) {
    dls_cross(axis, p->n, t);
    const double size = sqrt(dls_dot3(t, t));
    for (int i = 0; i < 3; i++) t[i] /= size;
    return true;
  }
  const known_pair turned = {.form = {p->form[side], p->form[1 - side]},
                             .motion = {p->motion[side], p->motion[1 - side]},
                             .id = {side ? p->id.b : p->id.a, side ? p->id.a : p->id.b}};
  dls_touch_values v;
  if (sort != FEATURE_LINE || evaluate(&turned, &v, NULL)) return false;
  dls_copy(t, v.tangent[0], 3);
  return true;
}

// Lines and rims that run along one another have hardly a common normal.
static bool crossing(const known_pair *p)
{
  double t[2][3];
  if (!tangent_of(p, 0, t[0]) || !tangent_of(p, 1, t[1])) return true;
  return fabs(dls_dot3(t[0], t[1])) < 0.9;
}

// Far from where formulas have no value, and from where tangents change their axis, so that
// differences tell.
static bool regular(const known_pair *p)
{
  return crossing(p) && fabs(fabs(p->n[2]) - 0.9) > 0.03;
}

static void check_known(const known_pair *p, double scale, double far)
{
  dls_touch_values v, bounded, e;
  if (evaluate(p, &v, NULL)) tell(p, "no value", 0, 0);
  assert_int_equal(evaluate(p, &bounded, &e), DLS_OK);
  assert_memory_equal(&v, &bounded, sizeof v);
  const double rounding = 1e-14 * (scale + far);
  const bool crosses = crossing(p);
  // what runs along may have another normal with a larger gap
  if (crosses || v.gap < p->gap) near_to(p, "gap", v.gap, p->gap, rounding);
  const bool distance = unsigned_gap(solid_feature_sort(&p->solid[0].solid, p->id.a),
                                     solid_feature_sort(&p->solid[1].solid, p->id.b));
  const double turned = rounding / (distance ? fabs(p->gap) : scale) * 100;
  for (int i = 0; i < 3 && crosses; i++) {
    near_to(p, "normal", v.normal[i], p->n[i], turned);
    near_to(p, "point", v.point[i], p->point[i], rounding * 1000);
  }
  double t[3];
  dls_cross(v.tangent[0], v.tangent[1], t);
  for (int i = 0; i < 3; i++) near_to(p, "tangents", t[i], v.normal[i], crosses ? 1e-14 : 1e-5);
  near_to(p, "tangent", dls_dot3(v.tangent[0], v.normal), 0, crosses ? 1e-14 : 1e-5);
}

static void known(void **state)
{
  (void)state;
  for (int k = 0; k < times(40000); k++) {
    known_pair p;
    const double scale = pow(10, 8 * (k % 5 == 0) * uniform()), far = k % 3 ? scale : 0;
    const dls_solid_kind a = (dls_solid_kind)below(DLS_SOLID_KINDS),
                         b = (dls_solid_kind)below(DLS_SOLID_KINDS);
    if (!draw_pair(&p, a, b, scale, k % 2 ? 1 : pow(10, uniform()))) continue;
    const bool distance = unsigned_gap(solid_feature_sort(&p.solid[0].solid, p.id.a),
                                       solid_feature_sort(&p.solid[1].solid, p.id.b));
    static const double gaps[] = {1, 1e-3, 1e-6, 1e-12, -1e-12, -1e-6, -1e-3};
    const double gap = gaps[below(distance ? 3 : 7)] * scale;
    place_pair(&p, gap, far);
    check_known(&p, 10 * scale, far);
    free_pair(&p);
  }
}

// ---- along motions ------------------------------------------------------------------------------

// exp of a rotation vector times R.
static void rotate_by(const double theta[3], double R[9])
{
  const long double x = theta[0], y = theta[1], z = theta[2];
  const long double s2 = x * x + y * y + z * z, s = sqrtl(s2);
  const long double a = s > 1e-9L ? sinl(s) / s : 1 - s2 / 6;
  const long double b = s > 1e-5L ? (1 - cosl(s)) / s2 : 0.5L - s2 / 24;
  const long double c = 1 - b * s2;
  const long double T[9] = {c + b * x * x,     b * x * y - a * z, b * x * z + a * y,
                            b * x * y + a * z, c + b * y * y,     b * y * z - a * x,
                            b * x * z - a * y, b * y * z + a * x, c + b * z * z};
  long double out[9];
  for (int i = 0; i < 9; i++)
    out[i] =
        T[i / 3 * 3] * R[i % 3] + T[i / 3 * 3 + 1] * R[3 + i % 3] + T[i / 3 * 3 + 2] * R[6 + i % 3];
  for (int i = 0; i < 9; i++) R[i] = (double)out[i];
}

static void move(dls_solid_motion *m, double t)
{
  double theta[3];
  for (int i = 0; i < 3; i++) {
    theta[i] = t * m->w[i] + t * t / 2 * m->alpha[i];
    m->p[i] += t * m->v[i] + t * t / 2 * m->a[i];
    m->v[i] += t * m->a[i], m->w[i] += t * m->alpha[i];
  }
  rotate_by(theta, m->R);
}

static const double first_weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
static const double second_weight[4] = {8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};

// Where features are sharp a long step leaves something out; a short one has rounding errors. What
// is right agrees with one of them.
static const double steps[3] = {4e-3, 1e-3, 2e-4};

static void perturb(known_pair *p, int column, double h)
{
  const int velocities = column / 12, part = column / 3 % 2, i = column % 3;
  dls_solid_motion *m = &p->motion[column / 6 % 2];
  if (velocities) {
    (part ? m->w : m->v)[i] += h;
  } else if (part) {
    double theta[3] = {0};
    theta[i] = h;
    rotate_by(theta, m->R);
  } else {
    m->p[i] += h;
  }
}

// Whether the pair has values wherever differences ask for them: a rim whose tangent runs along an
// edge has no common normal with it where they overlap.
static bool has_values_around(const known_pair *p, bool poses)
{
  dls_touch_values w;
  for (int column = 0; column < (poses ? 12 : 1); column++)
    for (int k = -4; k <= 4; k++) {
      known_pair moved = *p;
      for (int i = 0; i < 2 && !poses; i++) move(&moved.motion[i], k * steps[0]);
      if (poses) perturb(&moved, column, k * steps[0]);
      if (evaluate(&moved, &w, NULL)) return false;
    }
  return true;
}

// Rate, bias and slip_bias by differences.
static void differences(const known_pair *p, const dls_touch_values *v, double h, double d[4])
{
  dls_touch_values w;
  d[0] = d[2] = d[3] = 0, d[1] = -205.0 / 72 * v->gap;
  for (int k = 1; k <= 4; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      known_pair moved = *p;
      for (int i = 0; i < 2; i++) move(&moved.motion[i], sign * k * h);
      if (evaluate(&moved, &w, NULL)) tell(p, "no value on the way", 0, 0);
      d[0] += sign * first_weight[k - 1] / h * w.gap;
      d[1] += second_weight[k - 1] * w.gap;
      for (int i = 0; i < 2; i++) d[2 + i] += sign * first_weight[k - 1] / h * w.slip[i];
    }
  d[1] /= h * h;
}

static void check_motion(const known_pair *p)
{
  dls_touch_values v;
  if (evaluate(p, &v, NULL)) tell(p, "no value", 0, 0);
  const double got[4] = {v.rate, v.bias, v.slip_bias[0], v.slip_bias[1]};
  static const char *const what[4] = {"rate", "bias", "slip_bias", "slip_bias"};
  static const double tolerance[4] = {1e-11, 1e-9, 1e-10, 1e-10};
  double best[4], off[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
  for (int s = 0; s < 3; s++) {
    double d[4];
    differences(p, &v, steps[s], d);
    for (int i = 0; i < 4; i++)
      if (fabs(d[i] - got[i]) < off[i]) off[i] = fabs(d[i] - got[i]), best[i] = d[i];
  }
  for (int i = 0; i < 4; i++)
    if (!(off[i] <= tolerance[i] * (1 + fabs(got[i])))) tell(p, what[i], got[i], best[i]);
  const dls_solid_motion *m[2] = {&p->motion[0], &p->motion[1]};
  for (int i = 0; i < 2; i++) {
    double slip = 0;
    for (int k = 0; k < 2; k++) {
      double r[3], u[3];
      for (int j = 0; j < 3; j++) r[j] = v.point[j] - m[k]->p[j];
      dls_cross(m[k]->w, r, u);
      for (int j = 0; j < 3; j++) u[j] += m[k]->v[j];
      slip += (k ? -1 : 1) * dls_dot3(v.tangent[i], u);
    }
    near_to(p, "slip", v.slip[i], slip, 1e-13 * 10);
  }
}

// Random pairs of all kinds, where what `look` looks at exists: most of them.
static void each_pair(int pairs, bool derivatives, void (*look)(const known_pair *p))
{
  int tried = 0, skipped = 0;
  for (int k = 0; k < pairs; k++) {
    known_pair p;
    const dls_solid_kind a = (dls_solid_kind)below(DLS_SOLID_KINDS),
                         b = (dls_solid_kind)below(DLS_SOLID_KINDS);
    if (!draw_pair(&p, a, b, 1, 1)) continue;
    const bool distance = unsigned_gap(solid_feature_sort(&p.solid[0].solid, p.id.a),
                                       solid_feature_sort(&p.solid[1].solid, p.id.b));
    static const double gaps[] = {0.5, 1, 0, 1e-9, -1e-3};
    place_pair(&p, gaps[below(distance ? 2 : 5)], 1);
    tried++;
    if (regular(&p) && has_values_around(&p, derivatives)) look(&p);
    else skipped++;
    free_pair(&p);
  }
  assert_true(skipped < tried / 5);
}

static void motions(void **state)
{
  (void)state;
  each_pair(times(20000), false, check_motion);
}

// ---- derivatives --------------------------------------------------------------------------------

static void rows_of(const dls_touch_values *v, double row[19])
{
  row[0] = v->gap, row[1] = v->rate, row[2] = v->bias;
  for (int i = 0; i < 2; i++) row[3 + i] = v->slip[i], row[5 + i] = v->slip_bias[i];
  for (int i = 0; i < 3; i++) {
    row[7 + i] = v->point[i], row[10 + i] = v->normal[i];
    row[13 + i] = v->tangent[0][i], row[16 + i] = v->tangent[1][i];
  }
}

static void slope_by(const known_pair *p, int column, double h, double slope[19])
{
  for (int i = 0; i < 19; i++) slope[i] = 0;
  for (int k = 1; k <= 4; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      known_pair moved = *p;
      dls_touch_values w;
      double row[19];
      perturb(&moved, column, sign * k * h);
      if (evaluate(&moved, &w, NULL)) tell(p, "no value beside", 0, 0);
      rows_of(&w, row);
      for (int i = 0; i < 19; i++) slope[i] += sign * first_weight[k - 1] / h * row[i];
    }
}

static void check_derivative(const known_pair *p)
{
  dls_touch_derivative D;
  assert_int_equal(
      dls_touch_differentiate(p->form[0], &p->motion[0], p->form[1], &p->motion[1], p->id, &D),
      DLS_OK);
  for (int column = 0; column < 24; column++) {
    double slope[3][19];
    for (int s = 0; s < 3; s++) slope_by(p, column, steps[s], slope[s]);
    for (int i = 0; i < (column < 12 ? 19 : 7); i++) {
      const double d = column < 12 ? D.pose[i][column] : D.velocity[i][column - 12];
      double best = slope[0][i];
      for (int s = 1; s < 3; s++)
        if (fabs(slope[s][i] - d) < fabs(best - d)) best = slope[s][i];
      char what[60];
      snprintf(what, sizeof what, "derivative of row %d by %d", i, column);
      near_to(p, what, d, best, 2e-10 * (1 + fabs(d)));
    }
  }
}

static void derivatives(void **state)
{
  (void)state;
  each_pair(times(3000), true, check_derivative);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(known), cmocka_unit_test(motions),
                                     cmocka_unit_test(derivatives)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
