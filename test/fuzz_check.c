// libFuzzer entry for checks: small problems with entries from a few special values. Whatever the
// problem: no crash, an answer about the acceleration brings a witness, a solution is one. Where
// no entries of very different size decide, every witness must also pass the tests' own check, and
// the checker of reports must find nothing wrong with the report.
#include "constant_system.h"
#include "witness.h"

#include <delassus/delassus.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 4 };

typedef struct bytes {
  const uint8_t *data;
  size_t left;
  bool plain;  // entries of similar size only
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
  static const double values[] = {0,  1,   -1,   2,   -2,   0.5,  -0.5,  3,
                                  -3, 0.1, -0.1, 1e8, -1e8, 1e-8, -1e-8, 1e-16};
  const unsigned byte = next(b);
  if (byte == 255 && !b->plain) return NAN;
  if (byte < 128) return values[byte % 3];
  return values[byte % (b->plain ? 11 : 16)];
}

static void fill(bytes *b, double *x, int count)
{
  for (int k = 0; k < count; k++) x[k] = entry(b);
}

// A sum of squares of `rank` functionals, or any symmetric matrix.
static void fill_mass(bytes *b, int n, double *M)
{
  const int rank = (int)(next(b) % (MOST + 2));
  for (int k = 0; k < n * n; k++) M[k] = 0;
  if (rank > MOST) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) M[i + n * j] = M[j + n * i] = entry(b);
    return;
  }
  for (int r = 0; r < rank; r++) {
    double w[MOST];
    fill(b, w, n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) M[i + n * j] += w[i] * w[j];
  }
}

static void show(const char *name, const double *x, int rows, int cols)
{
  fprintf(stderr, "%s =", name);
  for (int i = 0; i < rows; i++, fputs(i < rows ? ";" : "\n", stderr))
    for (int j = 0; j < cols; j++) fprintf(stderr, " %.17g", x[i + rows * j]);
}

static void require(int holds, const char *what, const dls_problem *p)
{
  if (holds) return;
  fprintf(stderr, "%s\n", what);
  show("M", p->M, p->n, p->n), show("F", p->F, p->n, 1);
  show("G_b", p->G_b, p->n, p->m_b), show("b_b", p->b_b, p->m_b, 1);
  show("G_u", p->G_u, p->n, p->m_u), show("b_u", p->b_u, p->m_u, 1);
  abort();
}

static void comparison(const dls_check *check, bool plain)
{
  const dls_problem *p = &check->problem;
  const dls_verdict *exists = &check->verdict[DLS_ACCELERATION_EXISTS];
  if (exists->answer == DLS_YES || exists->answer == DLS_NO)
    require(exists->parts > 0, "no witness", p);
  if (check->solution) require(check->solution->residual <= 1e-8, "a large residual", p);
  if (exists->answer == DLS_NO) require(!check->solution, "a solution that does not exist", p);
  if (!plain) return;
  for (int q = 0; q < DLS_QUESTION_COUNT; q++) {
    const char *fault = witness_fault(check, (dls_question)q);
    if (fault) fprintf(stderr, "%s: ", dls_question_name((dls_question)q));
    require(!fault, fault, p);
  }
  const char *fault = solution_fault(check);
  require(!fault, fault, p);
}

static void verify(const dls_problem *p)
{
  double zeros[MOST] = {0};
  const dls_state state = {.q = zeros, .v = zeros};
  dls_system *system = constant_system(p);
  dls_contact_state *contacts = NULL;
  dls_check *check = NULL;
  dls_saved_report *saved = NULL;
  dls_verification *v = NULL;
  dls_diagnostic fault = {0};
  char *text = NULL;
  require(dls_contact_state_create(system, &state, NULL, &contacts, NULL) == DLS_OK, "state", p);
  require(dls_check_run(&contacts->problem, NULL, &check, NULL) == DLS_OK, "check", p);
  const dls_report report = {.system = system, .contact_state = contacts, .check = check};
  require(dls_report_json(&report, &text) == DLS_OK, "report", p);
  require(dls_saved_report_read(text, strlen(text), &saved, &fault) == DLS_OK, fault.message, p);
  require(dls_verify_run(saved, NULL, system, NULL, &v, NULL) == DLS_OK, "verify", p);
  for (int k = 0; k < v->findings; k++) {
    const dls_finding *f = &v->finding[k];
    if (f->found == DLS_FOUND_FAILS) fprintf(stderr, "%s.%s %s: ", f->group, f->name, f->answer);
    require(f->found != DLS_FOUND_FAILS, f->why, p);
  }
  dls_verification_free(v);
  dls_saved_report_free(saved);
  dls_report_text_free(text);
  dls_check_free(check);
  dls_contact_state_free(contacts);
  dls_system_free(system);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  bytes b = {data, size, size > 0 && data[0] < 128};
  double M[MOST * MOST], F[MOST], G_b[MOST * MOST], b_b[MOST], G_u[MOST * MOST], b_u[MOST];
  const dls_problem p = {.n = 1 + (int)(next(&b) % MOST),
                         .m_b = (int)(next(&b) % MOST),
                         .m_u = (int)(next(&b) % (MOST + 1)),
                         .M = M,
                         .F = F,
                         .G_b = G_b,
                         .b_b = b_b,
                         .G_u = G_u,
                         .b_u = b_u};
  fill_mass(&b, p.n, M);
  fill(&b, F, p.n);
  fill(&b, G_b, p.n * p.m_b), fill(&b, b_b, p.m_b);
  fill(&b, G_u, p.n * p.m_u), fill(&b, b_u, p.m_u);

  dls_check *check;
  dls_message message;
  const clock_t start = clock();
  const dls_status status = dls_check_run(&p, NULL, &check, &message);
  require(clock() - start < 5 * CLOCKS_PER_SEC, "more than 5 s", &p);
  if (status != DLS_OK) {
    require(!check && message.text[0], "no message", &p);
    require(status == DLS_ERR_ARGUMENT || status == DLS_ERR_NUMBER, message.text, &p);
    return 0;
  }
  comparison(check, b.plain);
  if (b.plain) verify(&p);
  dls_check_free(check);
  return 0;
}
