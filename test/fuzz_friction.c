// libFuzzer entry for checks with friction and for impacts: small problems with entries from a few
// special values. Whatever the problem: no crash, every claim of the report is proven by the
// checker of reports, other units (powers of two) give the same answers, and another order of the
// contacts contradicts none of them.
#include "constant_system.h"
#include "coulomb_maker.h"
#include "impact_maker.h"

#include <delassus/delassus.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct bytes {
  const uint8_t *data;
  size_t left;
} bytes;

static unsigned next(bytes *b)
{
  if (b->left == 0) return 0;
  b->left--;
  return *b->data++;
}

// Mostly 0 and +-1, so that problems degenerate often.
static double entry(bytes *b)
{
  static const double values[] = {0, 1, -1, 2, -2, 0.5, -0.5, 3, -3};
  const unsigned byte = next(b);
  return byte < 128 ? values[byte % 3] : values[byte % 9];
}

static void require(int holds, const char *what, const coulomb *p)
{
  if (holds) return;
  fprintf(stderr, "%s\n", what);
  if (p) coulomb_print(p);
  abort();
}

// ---- friction ----------------------------------------------------------------------------------

static void draw(bytes *b, coulomb *p)
{
  coulomb_start(p, "fuzz", 1 + (int)(next(b) % 3));
  const int n = p->n, m_b = (int)(next(b) % 2), m_u = (int)(next(b) % 4);
  const int rank = (int)(next(b) % 5);
  for (int r = 0; r < rank; r++) {
    double w[COULOMB_N];
    for (int i = 0; i < n; i++) w[i] = entry(b);
    for (int i = 0; i < n * n; i++) p->M[i] += w[i % n] * w[i / n];
  }
  for (int i = 0; i < n; i++) p->F[i] = entry(b);
  for (int j = 0; j < m_b + m_u; j++) {
    const unsigned kind = next(b);
    const int tangents = kind % 8 == 7 ? 2 : kind % 8 < 5 ? 1 : 0;
    const int i = coulomb_add(p, j < m_b ? DLS_BILATERAL : DLS_UNILATERAL, tangents,
                              tangents ? (kind >> 3) % 5 / 4.0 : 0);
    for (int c = 0; c < n; c++) coulomb_normal(p, i)[c] = entry(b);
    p->b[i] = entry(b);
    for (int k = 0; k < tangents; k++) {
      for (int c = 0; c < n; c++) coulomb_tangent(p, i, k)[c] = entry(b);
      p->b_t[p->first[i] + k] = entry(b);
    }
    p->sliding[i] = tangents > 0 && kind >= 192;
    if (p->sliding[i]) p->xi[p->first[i]] = kind % 2 ? 1 : -1;
  }
}

static dls_check *check_of(coulomb *p, const dls_problem *problem)
{
  dls_check *check = NULL;
  dls_message message = {0};
  const dls_status status = dls_check_run(problem, NULL, &check, &message);
  require(status == DLS_OK, message.text, p);
  return check;
}

static void verify(coulomb *p)
{
  const dls_problem problem = coulomb_problem(p);
  dls_system *system = constant_system(&problem);
  double zeros[COULOMB_N] = {0};
  const dls_state state = {.q = zeros, .v = zeros};
  dls_contact_state *contacts = NULL;
  dls_check *check = NULL;
  dls_saved_report *saved = NULL;
  dls_verification *v = NULL;
  dls_diagnostic fault;
  char *text = NULL;
  require(dls_contact_state_create(system, &state, NULL, &contacts, NULL) == DLS_OK, "state", p);
  require(dls_check_run(&contacts->problem, NULL, &check, NULL) == DLS_OK, "check", p);
  const dls_report report = {.system = system, .contact_state = contacts, .check = check};
  require(dls_report_json(&report, &text) == DLS_OK, "report", p);
  require(dls_saved_report_read(text, strlen(text), &saved, &fault) == DLS_OK, fault.message, p);
  require(dls_verify_run(saved, NULL, system, NULL, &v, NULL) == DLS_OK, "verify", p);
  for (int k = 0; k < v->findings; k++)
    if (v->finding[k].found == DLS_FOUND_FAILS) {
      fprintf(stderr, "%s.%s %s: ", v->finding[k].group, v->finding[k].name, v->finding[k].answer);
      require(0, v->finding[k].why, p);
    }
  dls_verification_free(v);
  dls_saved_report_free(saved);
  dls_report_text_free(text);
  dls_check_free(check);
  dls_contact_state_free(contacts);
  dls_system_free(system);
}

// strict: the same, and not only no contradiction.
static void compare(coulomb *p, const dls_check *a, coulomb *other, bool strict)
{
  const dls_problem problem = coulomb_problem(other);
  dls_check *b = check_of(p, &problem);
  for (int q = 0; q < DLS_QUESTION_COUNT; q++) {
    const dls_answer x = a->verdict[q].answer, y = b->verdict[q].answer;
    const bool ambiguous = x == DLS_UNDECIDED || y == DLS_UNDECIDED;
    if (x == y || (ambiguous && !strict)) continue;
    fprintf(stderr, "%s: ", dls_question_name((dls_question)q));
    require(0, strict ? "another answer in other units" : "contradicted in another order", p);
  }
  const bool known = a->solution_count >= 0 && b->solution_count >= 0;
  if (strict || known)
    require(a->solution_count == b->solution_count, "another number of solutions", p);
  dls_check_free(b);
}

static void try_friction(bytes *b)
{
  coulomb p, other;
  draw(b, &p);
  const uint64_t seed = next(b);
  rng r = rng_create(seed);
  const dls_problem problem = coulomb_problem(&p);
  dls_check *check = check_of(&p, &problem);
  coulomb_units u = coulomb_same_units();
  for (int i = 0; i < p.n; i++) u.coordinate[i] = ldexp(1, rng_int(&r, -8, 8));
  u.mass = ldexp(1, rng_int(&r, -40, 40)), u.time = ldexp(1, rng_int(&r, -20, 20));
  coulomb_rescale(&p, &u, &other);
  compare(&p, check, &other, true);
  coulomb_permute(&p, &r, &other);
  compare(&p, check, &other, false);
  dls_check_free(check);
  verify(&p);
}

// ---- impacts -----------------------------------------------------------------------------------

static bool draw_impact(bytes *b, impact_case *c)
{
  *c = (impact_case){.n = 1 + (int)(next(b) % 4), .m_b = (int)(next(b) % 2)};
  const int n = c->n, tangents = (int)(next(b) % 3);
  c->m_u = 1 + (int)(next(b) % 3);
  for (int r = 0; r < 4; r++) {
    double w[IMPACT_N];
    for (int i = 0; i < n; i++) w[i] = entry(b);
    for (int i = 0; i < n * n; i++) c->M[i] += w[i % n] * w[i / n];
  }
  for (int i = 0; i < n; i++) c->v[i] = entry(b);
  for (int k = 0; k < n * (c->m_b + c->m_u); k++) c->G[k] = entry(b);
  int used = 0;
  bool hits = false;
  for (int j = c->m_b; j < c->m_b + c->m_u; j++) {
    c->tangents[j] = tangents, c->mu[j] = tangents ? next(b) % 5 / 4.0 : 0,
    c->e[j] = next(b) % 3 / 2.0;
    for (int k = 0; k < n * tangents; k++) c->H[used++] = entry(b);
  }
  impact_case_velocities(c);
  for (int j = 0; j < c->m_b + c->m_u; j++) {
    if (j < c->m_b && c->u[j] != 0) return false;
    if (c->u[j] > 0) return false;
    hits |= c->u[j] < 0;
  }
  return hits;
}

static void try_impact(bytes *b)
{
  impact_case c, other;
  if (!draw_impact(b, &c)) return;
  const int mass = (int)(next(b) % 81) - 40, time = (int)(next(b) % 41) - 20;
  other = c;
  for (int k = 0; k < c.n * c.n; k++) other.M[k] = ldexp(c.M[k], mass);
  for (int i = 0; i < c.n; i++) other.v[i] = ldexp(c.v[i], time);
  for (int j = 0; j < IMPACT_M; j++) other.u[j] = ldexp(c.u[j], time);
  for (int k = 0; k < 2 * IMPACT_M; k++) other.s[k] = ldexp(c.s[k], time);
  dls_impact *one = impact_of(&c), *two = impact_of(&other);
  require(one->law == two->law && one->newton.answer == two->newton.answer, "another law", NULL);
  require(one->moreau.exists.answer == two->moreau.exists.answer &&
              one->moreau.unique.answer == two->moreau.unique.answer &&
              one->moreau.motions == two->moreau.motions,
          "other answers in other units", NULL);
  for (int k = 0; k < one->moreau.motions && k < two->moreau.motions; k++)
    for (int i = 0; i < c.n; i++)
      require(two->moreau.motion[k].after[i] == ldexp(one->moreau.motion[k].after[i], time),
              "other velocities in other units", NULL);
  if (one->motion) require(one->motion->residual <= 1e-8, "a large residual", NULL);
  dls_impact_free(one);
  dls_impact_free(two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  bytes b = {data, size};
  if (next(&b) % 3 == 0) try_impact(&b);
  else try_friction(&b);
  return 0;
}
