#include "report_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

report_case *f;

void use_sizes(int n, int m_b, int m_u)
{
  f->state.nq = f->state.n = f->check.mass_rank = n;
  f->state.m = m_b + m_u;
  f->state.problem = (dls_problem){.n = n,
                                   .m_b = m_b,
                                   .m_u = m_u,
                                   .coordinates = f->coordinates,
                                   .bilateral = f->bilateral,
                                   .unilateral = f->unilateral};
  f->check.problem = f->state.problem;
  f->check.constraint_rank = m_b + 1;
  f->check.constraint_singular_count = n < m_b + m_u ? n : m_b + m_u;
}

static void fill(void)
{
  for (int i = 0; i < MANY; i++) {
    snprintf(f->names[i], sizeof f->names[i], "c%d", i);
    f->coordinates[i] = f->names[i];
    f->bilateral[i] = f->unilateral[i] = f->names[i];
    f->contacts[i] =
        (dls_contact){.name = f->names[i], .kind = DLS_UNILATERAL, .status = DLS_STICKING};
    f->unilateral_contact[i] = i + 1;
    f->high_u[i] = 9.81;
    f->eigenvalues[i] = 1;
  }
  f->coordinates[0] = "x", f->coordinates[1] = "y";
  f->bilateral[0] = f->contacts[0].name = "rail";
  f->contacts[0].kind = DLS_BILATERAL;
  f->unilateral[0] = f->contacts[1].name = "left";
  f->unilateral[1] = f->contacts[2].name = "middle";
  f->unilateral[2] = f->contacts[3].name = "right";
  f->contacts[1].tangents = 1;
  f->contacts[2].tangents = 2;
  f->q[0] = 0.1;
  f->lambda_u[0] = f->lambda_u[1] = 4.905;
  f->a_u[2] = 2;
  f->low_b[0] = -INFINITY, f->high_b[0] = INFINITY;
  f->high_u[2] = 0;
  f->cancel_u[0] = -2, f->cancel_u[1] = 2;
  f->direction[1] = 1;
  f->pivots[1] = 1;
  f->solution[0] = (dls_solution){.acceleration = f->z,
                                  .lambda_b = f->lambda_b,
                                  .lambda_u = f->lambda_u,
                                  .a_u = f->a_u,
                                  .low_b = f->low_b,
                                  .high_b = f->high_b,
                                  .low_u = f->low_u,
                                  .high_u = f->high_u,
                                  .residual = 1e-16,
                                  .gauss_primal = -1,
                                  .gauss_dual = 1};
  f->state.q = f->q, f->state.v = f->v, f->state.contacts = f->contacts;
  f->state.bilateral_contact = f->bilateral_contact;
  f->state.unilateral_contact = f->unilateral_contact;
  f->state.tolerance = f->state.rest = f->check.tolerance = 1e-9;
  f->check.mass_condition = 1;
  f->check.mass_eigenvalues = f->eigenvalues;
  f->check.constraint_singular = f->singular;
  f->check.A_c = f->A_c, f->check.W = f->W, f->check.kinetic_angles = f->angles;
  f->check.solution = f->solution;
  f->check.solutions = f->check.solution_count = 1;
  for (int q = 0; q < DLS_QUESTION_COUNT; q++)
    f->check.verdict[q] = (dls_verdict){.answer = DLS_YES, .margin = 0.5, .by = "a theorem"};
  f->check.verdict[DLS_CONSTRAINTS_INDEPENDENT] =
      (dls_verdict){.answer = DLS_NO,
                    .margin = NAN,
                    .by = "singular values",
                    .shows = "G_b lambda_b + G_u lambda_u = 0",
                    .parts = 3,
                    .part = {{"lambda_b", DLS_INDEX_BILATERAL, 1, f->cancel_b, NULL},
                             {"lambda_u", DLS_INDEX_UNILATERAL, 3, f->cancel_u, NULL},
                             {"pivots", DLS_INDEX_COORDINATES, 2, NULL, f->pivots}}};
  f->check.verdict[DLS_FORCES_UNIQUE].answer = DLS_NO;
  f->report = (dls_report){.model = "legs.dls",
                           .title = "Block on three legs",
                           .contact_state = &f->state,
                           .check = &f->check};
  use_sizes(2, 1, 3);
}

void use_friction(void)
{
  static const int tangents[] = {1, 1, 2, 0};
  static const double mu[] = {0.3, 0.5, 0.5, 0};
  for (int i = 0; i < MANY; i++) {
    f->mu[i] = i < 4 ? mu[i] : 0;
    f->first[i + 1] = f->first[i] + (i < 4 ? tangents[i] : 0);
    f->low_t[i] = f->high_t[i] = f->tau[i];
  }
  for (int i = 0; i < 4; i++)
    f->contacts[i].tangents = tangents[i], f->contacts[i].friction = mu[i];
  f->friction = (dls_friction){
      .tangents = f->first[4], .first = f->first, .H = f->H, .b_t = f->b_t, .mu = f->mu};
  f->state.friction = true;
  f->state.problem.friction = f->check.problem.friction = &f->friction;
  f->solution[0].tau = f->tau, f->solution[0].low_t = f->low_t, f->solution[0].high_t = f->high_t;
  f->solution[0].mode = f->modes[0];
  f->modes[0][0] = DLS_MODE_STICK, f->modes[0][1] = DLS_MODE_STICK;
  f->modes[0][2] = DLS_MODE_SLIDE, f->modes[0][3] = DLS_MODE_DETACH;
}

int set_up(void **state)
{
  (void)state;
  f = calloc(1, sizeof *f);
  if (f) fill();
  return f ? 0 : -1;
}

int tear_down(void **state)
{
  (void)state;
  free(f);
  return 0;
}

char *text_of(bool colour)
{
  char *text;
  const dls_report_options options = {.colour = colour};
  assert_int_equal(dls_report_text(&f->report, &options, &text), DLS_OK);
  return text;
}

char *json_text(void)
{
  char *text;
  assert_int_equal(dls_report_json(&f->report, &text), DLS_OK);
  return text;
}

json_t *json_of(void)
{
  char *text = json_text();
  json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(value);
  dls_report_text_free(text);
  return value;
}

json_t *at(json_t *value, const char *path)
{
  char copy[200], *rest = copy;
  snprintf(copy, sizeof copy, "%s", path);
  for (char *key; value && (key = strtok_r(rest, "/", &rest));)
    value = json_is_array(value) ? json_array_get(value, (size_t)atoi(key))
                                 : json_object_get(value, key);
  if (!value) fail_msg("no %s", path);
  return value;
}

const char *string_at(json_t *value, const char *path)
{
  const char *string = json_string_value(at(value, path));
  if (!string) fail_msg("%s is no string", path);
  return string;
}

double number_at(json_t *value, const char *path)
{
  json_t *number = at(value, path);
  if (!json_is_real(number)) fail_msg("%s is no number", path);
  return json_real_value(number);
}

bool has(json_t *value, const char *key)
{
  return json_object_get(value, key) != NULL;
}

void contains(const char *text, const char *part)
{
  if (!strstr(text, part)) fail_msg("no \"%s\" in:\n%s", part, text);
}

void lacks(const char *text, const char *part)
{
  if (strstr(text, part)) fail_msg("\"%s\" in:\n%s", part, text);
}

int measure(const char *text)
{
  int lines = 0, columns = 0;
  for (const char *c = text; *c; c++) {
    const bool continues = ((unsigned char)*c & 0xC0) == 0x80;  // of a UTF-8 character
    columns = *c == '\n' ? 0 : columns + !continues;
    lines += *c == '\n';
    if (columns > 100) fail_msg("line %d is too long:\n%s", lines + 1, text);
  }
  return lines;
}
