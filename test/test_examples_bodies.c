// Examples with bodies, and stances with known answers: against the formulas in their headers, and
// what check reports of them, the checker of reports proves.
#include <delassus/delassus.h>
#include <delassus/import.h>

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

enum { PATH = 512, TEXT = 16384 };

static const double g = 9.81;

typedef struct stance {
  dls_model *model;
  dls_system *system;
  dls_state state;
  dls_contact_state *contacts;
  dls_check *check;
  dls_impact *impact;
  double *E;
} stance;

static void set_parameters(const stance *s, const char *sets)
{
  char list[200], *rest = list;
  snprintf(list, sizeof list, "%s", sets);
  for (char *item; (item = strtok_r(rest, ", ", &rest));) {
    char *value = strchr(item, '=');
    dls_message message = {0};
    *value++ = 0;
    if (dls_model_set(s->system, item, value, &message)) fail_msg("%s", message.text);
  }
}

static void ask(stance *s, const char *at)
{
  dls_message message = {0};
  s->state.q = calloc((size_t)dls_system_nq(s->system) + 1, sizeof(double));
  s->state.v = calloc((size_t)s->system->n + 1, sizeof(double));
  if (dls_model_state(s->system, at, &s->state, &message) ||
      dls_contact_state_create(s->system, &s->state, NULL, &s->contacts, &message))
    fail_msg("at %s: %s", at ? at : "the start", message.text);
  dls_check_options how = dls_check_defaults();
  how.skip_acceleration = s->contacts->impact;
  if (dls_model_object_count(s->model) > 0)
    how.object_size = dls_model_object_coordinates(s->model, 0, &how.object);
  assert_int_equal(dls_check_run(&s->contacts->problem, &how, &s->check, &message), DLS_OK);
  if (!s->contacts->impact) return;
  const size_t m = (size_t)s->contacts->problem.m_u;
  dls_impact_options laws = dls_impact_defaults();
  laws.E = s->E = calloc(m * m + 1, sizeof(double));
  assert_int_equal(dls_model_restitution_matrix(s->system, s->contacts, s->E), DLS_OK);
  assert_int_equal(dls_impact_create(s->contacts, &laws, &s->impact, &message), DLS_OK);
}

// The report is proven, and again by the model.
static void verify(const stance *s, const char *at)
{
  char *text;
  dls_saved_report *saved;
  dls_verification *found;
  dls_message message = {0};
  const dls_report report = {.system = s->system,
                             .at = at,
                             .contact_state = s->contacts,
                             .check = s->check,
                             .impact = s->impact,
                             .object = dls_model_object_name(s->model, 0)};
  assert_int_equal(dls_report_json(&report, &text), DLS_OK);
  assert_int_equal(dls_saved_report_read(text, strlen(text), &saved, NULL), DLS_OK);
  assert_int_equal(dls_verify_run(saved, s->model, s->system, NULL, &found, &message), DLS_OK);
  if (found->difference) fail_msg("%s", found->difference);
  for (int k = 0; k < found->findings; k++)
    if (found->finding[k].found == DLS_FOUND_FAILS)
      fail_msg("%s %s: %s", found->finding[k].group, found->finding[k].name, found->finding[k].why);
  dls_verification_free(found);
  dls_saved_report_free(saved);
  dls_report_text_free(text);
}

static stance stand(const char *text, const char *path, const char *at, const char *sets)
{
  stance s = {0};
  static dls_diagnostics diagnostics;
  dls_model_files *files = NULL;
  dls_message message = {0};
  if (path) assert_int_equal(dls_model_files_create(path, NULL, &files, &message), DLS_OK);
  if (dls_model_parse_with(text, strlen(text), files, &s.model, &diagnostics))
    fail_msg("%s: %s", path ? path : "the text", diagnostics.item[0].message);
  dls_model_files_free(files);
  assert_int_equal(dls_model_system_with(s.model, &s.system, &message), DLS_OK);
  set_parameters(&s, sets);
  ask(&s, at);
  verify(&s, at);
  return s;
}

static stance example(const char *name, const char *at, const char *sets)
{
  char path[PATH], text[TEXT] = "";
  const char *directory = getenv("DELASSUS_SOURCE");
  snprintf(path, sizeof path, "%s/examples/bodies/%s.dls", directory ? directory : ".", name);
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("no %s", path);
  assert_true(fread(text, 1, sizeof text - 1, file) < sizeof text - 1);
  fclose(file);
  return stand(text, path, at, sets);
}

static void leave(stance *s)
{
  dls_impact_free(s->impact);
  dls_check_free(s->check);
  dls_contact_state_free(s->contacts);
  dls_system_free(s->system);
  dls_model_free(s->model);
  free(s->state.q), free(s->state.v), free(s->E);
}

static double acceleration(const stance *s, const char *name)
{
  for (int i = 0; i < s->system->n; i++)
    if (strcmp(s->system->coordinates[i], name) == 0) return s->check->solution->acceleration[i];
  fail_msg("no velocity is called %s'", name);
  return 0;
}

// The closed unilateral contacts whose names begin so; of `force` the sum of their normal forces.
static int closed(const stance *s, const char *begin, double *force)
{
  int count = 0;
  double sum = 0;
  for (int k = 0; k < s->contacts->problem.m_u; k++) {
    const dls_contact *c = &s->contacts->contacts[s->contacts->unilateral_contact[k]];
    if (strncmp(c->name, begin, strlen(begin)) != 0) continue;
    count++, sum += s->check->solution ? s->check->solution->lambda_u[k] : 0;
  }
  if (force) *force = sum;
  return count;
}

static void range(const stance *s, const char *name, double low, double high)
{
  for (int k = 0; k < s->contacts->problem.m_u; k++) {
    const dls_contact *c = &s->contacts->contacts[s->contacts->unilateral_contact[k]];
    if (strcmp(c->name, name) != 0) continue;
    close_to(s->check->solution->low_u[k], low, 1e-7);
    close_to(s->check->solution->high_u[k], high, 1e-7);
    return;
  }
  fail_msg("nothing closed is called %s", name);
}

static void answers(const stance *s, dls_question question, dls_answer answer)
{
  if (s->check->verdict[question].answer != answer)
    fail_msg("%s: %s", dls_question_name(question),
             dls_answer_name(s->check->verdict[question].answer));
}

static bool still(const stance *s)
{
  double largest = 0;
  for (int i = 0; i < s->system->n; i++)
    largest = fmax(largest, fabs(s->check->solution->acceleration[i]));
  return largest < 1e-8;
}

// ---- examples -----------------------------------------------------------------------------------

static void crates(void **state)
{
  (void)state;
  const double weight = 0.3 * 0.3 * 0.2 * 400 * g;
  double force;
  stance s = example("crates", NULL, "");
  assert_int_equal(closed(&s, "crate[1,1].corner", NULL), 4);  // on the ground
  assert_true(closed(&s, "crate[1,1].", NULL) > 7);            // and those of the crate above
  answers(&s, DLS_CAN_ALL_STICK, DLS_YES);
  closed(&s, "crate[2,1].corner", &force), close_to(force, 3 * weight, 1e-6);
  leave(&s);
  s = example("crates", "thrown", "");
  close_to(acceleration(&s, "ball.z"), -g, 1e-12);
  leave(&s);
  s = example("crates", "hit", "");
  assert_true(s.contacts->impact);
  leave(&s);
}

static void arch(void **state)
{
  (void)state;
  const double pi = 3.14159265358979323846;
  const double stone = (1.3 * 1.3 - 1) * sin(pi / 5) / 2 * 0.4 * 2400;
  double force;
  stance s = example("arch", NULL, "");
  assert_int_equal(closed(&s, "stone[", NULL), 24);
  assert_true(still(&s));
  closed(&s, "stone[1].vertex", &force), close_to(force, 2.5 * stone * g, 1e-6);
  answers(&s, DLS_CAN_ALL_STICK, DLS_YES);
  leave(&s);
  s = example("arch", NULL, "mu=0.2");
  answers(&s, DLS_CAN_ALL_STICK, DLS_NO);
  leave(&s);
}

static void bottle(void **state)
{
  (void)state;
  double force;
  stance s = example("bottle", NULL, "");
  assert_true(still(&s));
  closed(&s, "bottle.side/lower[1]", &force), close_to(force, 6, 1e-9);
  close_to(s.check->limit[DLS_LIMIT_LEAST].value, 0.5 * g / 3 / 6, 1e-8);
  answers(&s, DLS_FORM_CLOSURE, DLS_NO), answers(&s, DLS_FORCE_CLOSURE, DLS_YES);
  leave(&s);
  s = example("bottle", NULL, "N=2");
  answers(&s, DLS_CAN_ALL_STICK, DLS_NO);
  leave(&s);
}

static void quadruped(void **state)
{
  (void)state;
  stance s = example("quadruped", NULL, "");
  double force;
  assert_true(still(&s));
  closed(&s, "shank", &force), close_to(force, (9 + 4) * g * cos(0.2), 1e-7);
  leave(&s);
  s = example("quadruped", NULL, "slope=0.55");  // tan 0.55 > 0.6
  answers(&s, DLS_CAN_ALL_STICK, DLS_NO);
  leave(&s);
}

static void door(void **state)
{
  (void)state;
  const double J = 24 * 0.8 * 0.8 / 3 + 24 * 0.04 * 0.04 / 12;
  stance s = example("door", "ajar", "");
  assert_true(still(&s));
  leave(&s);
  s = example("door", "wide", "");
  close_to(acceleration(&s, "hinge"), -(20 * 1.5 - 2) / J, 1e-9);
  leave(&s);
  s = example("door", "closing", "");  // friction is against the motion
  close_to(acceleration(&s, "hinge"), -(20 * 1.0 - 4 * 1.0 - 2) / J, 1e-9);
  leave(&s);
}

static void gyroscope(void **state)
{
  (void)state;
  const double m = 0.5, r = 0.06, h = 0.01, l = 0.1, spin = 200;
  const double C = m * r * r / 2, A = m * (r * r / 4 + h * h / 12) + m * l * l;
  stance s = example("gyroscope", "steady", "");
  close_to(acceleration(&s, "support.ry"), spin * (m * g * l / (C * spin)), 1e-9);
  close_to(acceleration(&s, "support.rx"), 0, 1e-12),
      close_to(acceleration(&s, "support.rz"), 0, 1e-9);
  leave(&s);
  s = example("gyroscope", "dropped", "");
  close_to(acceleration(&s, "support.ry"), m * g * l / A, 1e-9);
  leave(&s);
}

// ---- stances ------------------------------------------------------------------------------------

static const char table[] =
    "parameter legs = 4\ngravity 0, 0, -10\nfixed ground { plane 0, 0, 1 }\n"
    "body top {\n  box 1, 1, 0.1 { position 0, 0, 1 }\n"
    "  sphere 0.05 { position 0.4, 0.4, 0.05 }\n"
    "  sphere 0.05 { position -0.4, 0.4, 0.05 }\n"
    "  sphere 0.05 { position -0.4, -0.4, 0.05 }\n"
    "  %s  mass 12\n  centre 0.1, 0, 0.9\n  inertia 1, 1, 1\n}\n";

// Balance of three legs is three equations; of the fourth any part can be taken.
static void tables(void **state)
{
  (void)state;
  char text[800];
  // legs a, b, c, d at (x, x), (-x, x), (-x, -x), (x, -x), x = 0.4; the weight 120 at (0.1, 0)
  snprintf(text, sizeof text, table, "sphere 0.05 { position 0.4, -0.4, 0.05 }\n");
  stance s = stand(text, NULL, NULL, "");
  assert_true(still(&s));
  answers(&s, DLS_ACCELERATION_UNIQUE, DLS_YES), answers(&s, DLS_FORCES_UNIQUE, DLS_NO);
  // a + d = 75, b + c = 45, a + b = 60, c + d = 60
  range(&s, "top.sphere1/ground", 15, 60), range(&s, "top.sphere2/ground", 0, 45);
  range(&s, "top.sphere3/ground", 0, 45), range(&s, "top.sphere4/ground", 15, 60);
  leave(&s);
  snprintf(text, sizeof text, table, "sphere 0.05 { position 0.4, -0.1, 0.05 }\n");
  s = stand(text, NULL, NULL, "");
  // a + b + c + d = 120, a + d = 75, 0.4 (a + b - c) = 0.1 d: one number is free
  answers(&s, DLS_FORCES_UNIQUE, DLS_NO);
  leave(&s);
}

static void a_table_of_three_legs(void **state)
{
  (void)state;
  const char three[] = "gravity 0, 0, -10\nfixed ground { plane 0, 0, 1 }\n"
                       "body top {\n  sphere 0.05 { position 0.6, 0, 0.05 }\n"
                       "  sphere 0.05 { position -0.3, 0.5, 0.05 }\n"
                       "  sphere 0.05 { position -0.3, -0.5, 0.05 }\n"
                       "  mass 12; centre 0, 0, 0.9; inertia 1, 1, 1\n}\n";
  stance s = stand(three, NULL, NULL, "");
  answers(&s, DLS_FORCES_UNIQUE, DLS_YES);
  range(&s, "top.sphere1/ground", 40, 40), range(&s, "top.sphere2/ground", 40, 40);
  leave(&s);
}

// Between two plates: how hard they press is nobody's business, and friction carries any weight.
static void a_cube_between_plates(void **state)
{
  (void)state;
  const char text[] = "gravity 0, 0, -9.81\nfixed left { box 0.1, 2, 2; position -0.55, 0, 0 }\n"
                      "fixed right { box 0.1, 2, 2; position 0.55, 0, 0 }\n"
                      "body cube { box 1, 1, 1; mass 2 }\ncontact * * { friction 0.5 }\n"
                      "object cube\n";
  stance s = stand(text, NULL, NULL, "");
  double left, right;
  assert_int_equal(closed(&s, "cube", NULL), 8);
  closed(&s, "cube.corner-", &left), closed(&s, "cube.corner+", &right);
  close_to(left, right, 1e-6);
  answers(&s, DLS_CAN_ALL_STICK, DLS_YES);
  assert_int_not_equal(s.check->verdict[DLS_FORCES_UNIQUE].answer, DLS_YES);
  answers(&s, DLS_FORCE_CLOSURE, DLS_YES), answers(&s, DLS_FORM_CLOSURE, DLS_NO);
  leave(&s);
}

// A ball between two walls at 45 degrees.
static void a_ball_in_a_groove(void **state)
{
  (void)state;
  const char text[] = "gravity 0, 0, -9.81\nfixed groove {\n  plane 1, 0, 1\n  plane -1, 0, 1\n}\n"
                      "body ball { sphere 0.1; mass 2; position 0, 0, 0.1*sqrt(2) }\n";
  stance s = stand(text, NULL, NULL, "");
  range(&s, "ball/groove.plane1", 2 * g / sqrt(2), 2 * g / sqrt(2));
  range(&s, "ball/groove.plane2", 2 * g / sqrt(2), 2 * g / sqrt(2));
  answers(&s, DLS_FORCES_UNIQUE, DLS_YES);
  leave(&s);
}

// ---- language and report ------------------------------------------------------------------------

// Three ways to write one rotation, and a plane through a point.
static void places_as_they_are_written(void **state)
{
  (void)state;
  const char text[] =
      "parameter a = pi/3\nfixed ground { plane 0, 0, 2 through 5, 5, 0.1 }\n"
      "body a { box 1, 1, 1; mass 1; position 0, 0, 0.6; rotation 0, 0, a }\n"
      "body b { box 1, 1, 1; mass 1; position 3, 0, 0.6; rotation axis 0, 0, 2 angle a }\n"
      "body c { box 1, 1, 1; mass 1; position 6, 0, 0.6\n"
      "  rotation quaternion cos(a/2), 0, 0, sin(a/2) }\n"
      "body d { box 1, 1, 1; mass 1; position 9, 0, 0.6; rotation axis (0, 0, 1) angle a }\n";
  stance s = stand(text, NULL, NULL, "");
  for (int b = 0; b < 4; b++)
    for (int i = 3; i < 7; i++) close_to(s.state.q[7 * b + i], s.state.q[i], 1e-15);
  close_to(s.state.q[6], 0.5, 1e-15);
  assert_int_equal(closed(&s, "", NULL), 16);
  leave(&s);
}

static int lines(const char *text)
{
  int count = 0;
  for (; *text; text++) count += *text == '\n';
  return count;
}

static void the_report_of_many_contacts(void **state)
{
  (void)state;
  stance s = example("crates", NULL, "");
  const dls_report report = {.system = s.system, .contact_state = s.contacts, .check = s.check};
  dls_report_options full = dls_report_defaults();
  full.full = true;
  char *page, *all, *json;
  assert_int_equal(dls_report_text(&report, NULL, &page), DLS_OK);
  assert_int_equal(dls_report_text(&report, &full, &all), DLS_OK);
  assert_int_equal(dls_report_json(&report, &json), DLS_OK);
  assert_non_null(
      strstr(page, "crate[1,1]/ground      unilateral  4 contacts: closed, friction 0.5"));
  assert_null(strstr(page, "crate[1,1].corner---/ground  unilateral"));
  assert_true(lines(page) < 60);
  assert_non_null(strstr(all, "crate[1,1].corner---/ground"));
  assert_null(strstr(all, "--full"));
  assert_non_null(strstr(json, "\"bodies\": [\"crate[1,1]\", \"ground\"]"));
  dls_report_text_free(page), dls_report_text_free(all), dls_report_text_free(json);
  leave(&s);
}

// ---- of papers ----------------------------------------------------------------------------------

// CVX Figure 7, a rectangle on two discs, one fixed and one that is moved: no forces in the cones
// cancel, so that a time step has a solution, but they are not unique.
static void a_rectangle_on_two_discs(void **state)
{
  (void)state;
  const char text[] =
      "parameter w = 2\ngravity 0, 0, -9.81\n"
      "fixed left { cylinder 0.2, 1; position -0.5, 0, 0; rotation pi/2, 0, 0 }\n"
      "body right { cylinder 0.2, 1; mass 1; position 0.5, 0, -0.01; rotation pi/2, 0, 0 }\n"
      "joint drive: slide world, right { axis 0, 0, 1 }\n"
      "bilateral motion: drive = 0.01*sin(w*t)\n"
      "body box { box 2, 0.6, 0.1; mass 3; position 0, 0, 0.25 }\n"
      "contact * * { friction 0.3 }\n"
      "state highest: t = pi/2/w, drive = 0.01, drive' = 0\n";
  stance s = stand(text, NULL, "highest", "");  // both discs at one height
  assert_int_equal(closed(&s, "", NULL), 4);
  answers(&s, DLS_STEP_SOLVABLE, DLS_YES);
  assert_int_not_equal(s.check->verdict[DLS_FORCES_UNIQUE].answer, DLS_YES);
  leave(&s);
}

// STK Example 7 in space: three fingers of three joints hold a ball. Their torques are those of a
// force
// (-N, V) at each place of contact, which is then the contact force: all stick from mu = V/N on.
static void fingers_of_three_joints(void **state)
{
  (void)state;
  const char text[] =
      "parameter N = 5, m = 0.6, g = 9.81, mu = 0.8, R = 0.05, r = 0.01\n"
      "let x0 = 0.12, z0 = 0.1, x1 = 0.13, z1 = 0.02, x2 = R + r, V = m*g/3\n"
      "gravity 0, 0, -g\nfixed palm\nbody ball { sphere R; mass m }\n"
      "for i in 1..3 {\n"
      "  body root[i] { mass 1e-3; inertia 1e-6, 1e-6, 1e-6; position x0*cos(2*pi/3*i), "
      "x0*sin(2*pi/3*i), z0; centre 0, 0, 0 }\n"
      "  body upper[i] { mass 1e-3; inertia 1e-6, 1e-6, 1e-6; position x0*cos(2*pi/3*i), "
      "x0*sin(2*pi/3*i), z0 }\n"
      "  body lower[i] { sphere r; mass 1e-3; position x2*cos(2*pi/3*i), x2*sin(2*pi/3*i), 0 }\n"
      "  joint yaw[i]: hinge palm, root[i] { axis 0, 0, 1 }\n"
      "  joint hip[i]: hinge root[i], upper[i] { axis -sin(2*pi/3*i), cos(2*pi/3*i), 0 }\n"
      "  joint knuckle[i]: hinge upper[i], lower[i] { anchor x1*cos(2*pi/3*i), x1*sin(2*pi/3*i), "
      "z1; "
      "axis -sin(2*pi/3*i), cos(2*pi/3*i), 0 }\n"
      "  force hip[i] = N*z0 + V*(x0 - R) + 1e-3*g*(x0 - x2)\n"
      "  force knuckle[i] = N*z1 + V*(x1 - R) + 1e-3*g*(x1 - x2)\n}\n"
      "contact * * { friction mu }\nobject ball\n";
  const double V = 0.6 * g / 3;
  stance s = stand(text, NULL, NULL, "");
  double force;
  assert_true(still(&s));
  closed(&s, "ball/lower[2]", &force), close_to(force, 5, 1e-8);
  answers(&s, DLS_CAN_ALL_STICK, DLS_YES);
  close_to(s.check->limit[DLS_LIMIT_LEAST].value, V / 5, 1e-7);
  answers(&s, DLS_FORCE_CLOSURE, DLS_YES), answers(&s, DLS_FORM_CLOSURE, DLS_NO);
  leave(&s);
  s = stand(text, NULL, NULL, "mu=0.35");  // < V/5 = 0.3924
  answers(&s, DLS_CAN_ALL_STICK, DLS_NO);
  leave(&s);
}

// ---- linkages -----------------------------------------------------------------------------------

// IFToMM A02: N four-bars in a row, in the plane by their hinges alone. One freedom; flat, N + 1.
static void four_bars(void **state)
{
  (void)state;
  for (int N = 2; N <= 40; N += 38) {
    char text[1200];
    snprintf(
        text, sizeof text,
        "parameter theta = pi/3\ngravity 0, -9.81, 0\nfixed ground\n"
        "let c = cos(theta), s = sin(theta)\n"
        "for i in 0..%d {\n"
        "  body v[i] { mass 1; inertia 1e-3, 1/12, 1/12; position i + c/2, s/2, 0; rotation 0, 0, "
        "theta }\n"
        "  joint A[i]: hinge ground, v[i] { anchor i, 0, 0; axis 0, 0, 1 }\n}\n"
        "for i in 1..%d {\n"
        "  body h[i] { mass 1; inertia 1e-3, 1/12, 1/12; position i - 1/2 + c, s, 0 }\n"
        "  joint B[i]: hinge v[i-1], h[i] { anchor i - 1 + c, s, 0; axis 0, 0, 1 }\n"
        "  joint C[i]: hinge h[i], v[i] { anchor i + c, s, 0; axis 0, 0, 1 }\n}\n",
        N, N);
    stance s = stand(text, NULL, NULL, "");
    assert_int_equal(s.system->n, 2 * N + 1);
    assert_int_equal(s.contacts->problem.m_b, 5 * N);
    assert_int_equal(s.system->n - s.check->constraint_rank, 1);
    // (N + 1)/3 of the rods that turn, N of those that do not, and their weights
    const double I = (N + 1) / 3.0 + N,
                 Q = -g * cos(3.14159265358979323846 / 3) * ((N + 1) / 2.0 + N);
    close_to(acceleration(&s, "A[0]"), Q / I, 1e-8);
    leave(&s);
    s = stand(text, NULL, NULL, "theta=0");
    assert_int_equal(s.system->n - s.check->constraint_rank, N + 1);
    leave(&s);
  }
}

// IFToMM A04, Bricard: five rods along the edges of a cube. Gruebler counts no freedom, it has one.
static void bricard(void **state)
{
  (void)state;
  static const double P[6][3] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                 {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  static const char *const axis[6] = {"0, 1, 0", "0, 0, 1", "1, 0, 0",
                                      "0, 1, 0", "0, 0, 1", "1, 0, 0"};
  char text[2000];
  int used = snprintf(text, sizeof text, "gravity 0, -9.81, 0\nfixed b0\n");
  for (int k = 1; k <= 5; k++) {
    const double *x = P[k - 1], *y = P[k];
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "body b%d { mass 1; position %g, %g, %g; inertia %g, %g, %g }\n", k,
                     (x[0] + y[0]) / 2, (x[1] + y[1]) / 2, (x[2] + y[2]) / 2,
                     x[0] != y[0] ? 1e-9 : 1 / 12.0, x[1] != y[1] ? 1e-9 : 1 / 12.0,
                     x[2] != y[2] ? 1e-9 : 1 / 12.0);
  }
  for (int k = 0; k < 6; k++)
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "joint j%d: hinge b%d, b%d { anchor %g, %g, %g; axis %s }\n", k, k,
                     (k + 1) % 6, P[k][0], P[k][1], P[k][2], axis[k]);
  stance s = stand(text, NULL, NULL, "");
  assert_int_equal(s.system->n, 5), assert_int_equal(s.contacts->problem.m_b, 5);
  assert_int_equal(s.check->constraint_rank, 4);
  answers(&s, DLS_CONSTRAINTS_INDEPENDENT, DLS_NO), answers(&s, DLS_FORCES_UNIQUE, DLS_NO);
  answers(&s, DLS_ACCELERATION_UNIQUE, DLS_YES);
  leave(&s);
}

// Axes and middles that meet have no normal, or one that is nothing but rounding: no state is fine.
static void solids_in_one_place(void **state)
{
  (void)state;
  static const char *const solid[] = {
      "sphere 0.1",        "capsule 0.1, 0.3",        "cylinder 0.1, 0.3",
      "box 0.1, 0.2, 0.3", "ellipsoid 0.1, 0.2, 0.3", "ellipsoid 0.1, 0.1, 0.1"};
  for (int k = 0; k < 36; k++) {
    char text[200];
    stance s = {0};
    dls_message message = {0};
    snprintf(text, sizeof text, "body a { %s; density 1 }\nbody b { %s; density 1 }\n",
             solid[k / 6], solid[k % 6]);
    assert_int_equal(dls_model_parse(text, strlen(text), &s.model, NULL), DLS_OK);
    assert_int_equal(dls_model_system(s.model, &s.system), DLS_OK);
    s.state.q = calloc(14, sizeof(double)), s.state.v = calloc(12, sizeof(double));
    assert_int_equal(dls_model_state(s.system, NULL, &s.state, &message), DLS_OK);
    if (dls_contact_state_create(s.system, &s.state, NULL, &s.contacts, &message) == DLS_OK)
      fail_msg("%s in %s", solid[k / 6], solid[k % 6]);
    leave(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(crates),
                                     cmocka_unit_test(arch),
                                     cmocka_unit_test(bottle),
                                     cmocka_unit_test(quadruped),
                                     cmocka_unit_test(door),
                                     cmocka_unit_test(gyroscope),
                                     cmocka_unit_test(tables),
                                     cmocka_unit_test(a_table_of_three_legs),
                                     cmocka_unit_test(a_cube_between_plates),
                                     cmocka_unit_test(a_ball_in_a_groove),
                                     cmocka_unit_test(solids_in_one_place),
                                     cmocka_unit_test(places_as_they_are_written),
                                     cmocka_unit_test(the_report_of_many_contacts),
                                     cmocka_unit_test(four_bars),
                                     cmocka_unit_test(bricard),
                                     cmocka_unit_test(a_rectangle_on_two_discs),
                                     cmocka_unit_test(fingers_of_three_joints)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
