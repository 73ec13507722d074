// Contacts as verify encloses them against those of the room for shapes, for all pairs of features:
// numbers within what that says of its own rounding, and the same tangents.
#include "numbers.h"
#include "shape/touch.h"
#include "verify/intervals.h"
#include "verify/seen_rows.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cases.h"
#include "couple.h"

static double middle(mpfi_srcptr x)
{
  return dls_middle(x);
}

// The motion of the solid, rounded; and by how much that is off.
static void motion_of(couple *c, int k, dls_solid_motion *m, dls_solid_motion_error *e)
{
  const dls_jet_frame f = dls_posture_frame(&c->posture, k, &c->solid[k].pose);
  const dls_jet3 w = dls_jet_frame_spin(&c->pool, &f);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) m->R[3 * i + j] = middle(f.R.column[j].x[i].d[0]);
    m->p[i] = middle(f.p.x[i].d[0]), m->v[i] = middle(f.p.x[i].d[1]);
    m->a[i] = middle(f.p.x[i].d[2]);
    m->w[i] = middle(w.x[i].d[0]), m->alpha[i] = middle(w.x[i].d[1]);
  }
  const double *const x = (const double *)m;
  double *const y = (double *)e;
  for (size_t i = 0; i < sizeof *m / sizeof(double); i++) y[i] = DBL_EPSILON * fabs(x[i]);
}

static void within(double x, double error, mpfi_srcptr truth, const char *what)
{
  const double exact = middle(truth);
  if (!(fabs(x - exact) <= error + DBL_EPSILON * fabs(exact)))
    fail_msg("%s: %.17g is not %.17g within %g", what, x, exact, error);
}

typedef struct tally {
  int pairs, alone;  // compared; with a value there, and no proof here
} tally;

static void compare(couple *c, dls_form *const form[2], dls_touch_id id, tally *count)
{
  dls_solid_motion motion[2];
  dls_solid_motion_error off[2];
  dls_touch_values x, e;
  char name[2][32];
  for (int k = 0; k < 2; k++) motion_of(c, k, &motion[k], &off[k]);
  if (dls_touch_evaluate(form[0], &motion[0], &off[0], form[1], &motion[1], &off[1], id, &x, &e) !=
      DLS_OK)
    return;
  for (int k = 0; k < 2; k++)
    dls_form_feature_name(form[k], k ? id.b : id.a, name[k], sizeof name[k]);
  at_case("solids %d and %d, features %s and %s", c->solid[0].kind, c->solid[1].kind, name[0],
          name[1]);
  const char *const names[2] = {name[0], name[1]};
  dls_seen_feature f[2];
  dls_seen_touch touch;
  dls_seen_rows rows;
  assert_true(features_of(c, names, f));
  if (!dls_seen_touch_find(&c->pool, &f[0], &f[1], x.normal, &touch)) {
    count->alone++;
    return;
  }
  const int body[2] = {0, 1};
  assert_true(dls_seen_rows_of(&c->posture, body, f, &touch, c->arena, &rows));
  // Newton's method may have gone to another normal that is one
  double along = 0;
  for (int i = 0; i < 3; i++) along += x.normal[i] * middle(touch.normal.x[i].d[0]);
  if (along < 1 - 1e-6) return;
  count->pairs++;
  within(x.gap, e.gap, rows.normal.y.d[0], "gap");
  within(x.rate, e.rate, rows.normal.y.d[1], "rate");
  within(x.bias, e.bias, rows.normal.y.d[2], "bias");
  for (int i = 0; i < 3; i++) within(x.normal[i], e.normal[i], touch.normal.x[i].d[0], "normal");
  for (int k = 0; k < 2; k++) {
    within(x.slip[k], e.slip[k], rows.slip[k].y.d[1], "slip");
    within(x.slip_bias[k], e.slip_bias[k], rows.slip[k].y.d[2], "bias of slip");
  }
}

static void all_features(void **unused)
{
  (void)unused;
  tally count = {0};
  for (int a = DLS_SOLID_PLANE; a < DLS_SOLID_KINDS; a++)
    for (int b = DLS_SOLID_PLANE; b < DLS_SOLID_KINDS; b++)
      for (int seed = 0; seed < TRIED(4); seed++) {
        couple c;
        dls_form *form[2];
        random_couple(&c, (dls_solid_kind)a, (dls_solid_kind)b);
        place_couple(&c);
        for (int k = 0; k < 2; k++)
          assert_int_equal(dls_form_create(&c.solid[k], &form[k], NULL), DLS_OK);
        enum { MOST = 6 };  // of one solid, anywhere among its features
        const int features[2] = {dls_form_features(form[0]), dls_form_features(form[1])};
        for (int i = 0; i < MOST; i++)
          for (int j = 0; j < MOST; j++) {
            const dls_touch_id id = {below(features[0]), below(features[1])};
            const ptrdiff_t mark = dls_pool_mark(&c.pool);
            compare(&c, form, id, &count);
            dls_pool_release(&c.pool, mark);
          }
        for (int k = 0; k < 2; k++) dls_form_free(form[k]);
        forget_couple(&c);
      }
  print_message("%d pairs compared, %d without a proof\n", count.pairs, count.alone);
  assert_true(count.pairs > TRIED(2000) && count.alone < count.pairs / 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_features)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
