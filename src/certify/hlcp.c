// The horizontal problem A w - B z = q, 0 <= w _|_ z >= 0: unique for every q?      eq (lcp.5)
#include "certify/pmatrix.h"
#include "certify/representatives.h"
#include "certify/tolerances.h"

#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/dense_internal.h"

#include <delassus/lcp_proof.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef struct pair {
  int n;
  const double *A, *B;
  dls_tracked *a, *b;
} pair;

// Both choices once more; the answer is no only if their signs say so.
static dls_status set_witness(const pair *p, const bool *first, const bool *second,
                              dls_hlcp_report *report)
{
  dls_sign one, two;
  double error;
  dls_status status =
      dls_representative_sign(p->n, p->a, p->b, first, &one, &report->first, &error);
  if (status == DLS_OK)
    status =
        dls_representative_sign(p->n, p->a, p->b, second, &two, &report->second, &report->error);
  if (status != DLS_OK) return status;
  const bool sure = (one == DLS_POSITIVE || one == DLS_NEGATIVE) && two != DLS_UNSURE;
  report->has_witness = true;
  report->answer = two == DLS_ZERO || (sure && one != two) ? DLS_NO : DLS_UNDECIDED;
  return DLS_OK;
}

static dls_status exact(const pair *p, bool *first, bool *second, dls_hlcp_report *report)
{
  dls_representatives r;
  dls_status status = dls_representatives_test(p->n, p->a, p->b, 0, &r);
  bool swapped = false;
  // A may be singular within rounding where other choices show opposite signs
  if (status == DLS_OK && r.answer == DLS_UNDECIDED && r.second == 0) {
    status = dls_representatives_test(p->n, p->b, p->a, 0, &r);
    swapped = true;
  }
  if (status != DLS_OK) return status;
  report->by = "determinants of all column representatives, with error bounds";
  report->answer = r.answer, report->margin = r.margin;
  if (r.answer == DLS_YES) return DLS_OK;
  for (int j = 0; j < p->n; j++) {
    first[j] = (r.first >> j & 1) != swapped;
    second[j] = (r.second >> j & 1) != swapped;
  }
  return set_witness(p, first, second, report);
}

// Beyond 2^n determinants: A^-1 B, as a P-matrix, up to the error of the solution.
static dls_status by_inverse(const pair *p, dls_hlcp_report *report)
{
  const ptrdiff_t n = p->n;
  double *X = dls_alloc(n * n, sizeof *X), rcond = 0, margin = 0;
  if (!X) return DLS_ERR_MEMORY;
  const char *by = "";
  dls_status status = dls_solve(p->n, p->n, p->A, p->B, X, &rcond);
  if (status == DLS_OK && rcond > first_order_rcond)
    status = dls_p_matrix_sufficient(
        p->n, X, 16 * (double)n * DBL_EPSILON / rcond * dls_norm_max((int)(n * n), X), &margin,
        &by);
  free(X);
  if (status != DLS_OK || !(margin > 0)) return status;
  report->answer = DLS_YES, report->margin = margin, report->by = by;
  return DLS_OK;
}

dls_status dls_hlcp_unique(int n, const double *A, const double *B, bool *first, bool *second,
                           dls_hlcp_report *report)
{
  *report = (dls_hlcp_report){
      .answer = DLS_UNDECIDED, .margin = NAN, .by = "", .first = NAN, .second = NAN, .error = NAN};
  if (n < 0 || (n > 0 && (!A || !B || !first || !second))) return DLS_ERR_ARGUMENT;
  if (n > DLS_P_MATRIX_LARGEST) return DLS_ERR_LIMIT;
  const ptrdiff_t area = (ptrdiff_t)n * n;
  if (!dls_finite(area, A) || !dls_finite(area, B)) return DLS_ERR_NUMBER;
  if (n > DLS_REPRESENTATIVES_LARGEST) return by_inverse(&(pair){.n = n, .A = A, .B = B}, report);
  dls_tracked *a = dls_alloc(2 * area, sizeof *a);
  if (!a) return DLS_ERR_MEMORY;
  const pair p = {.n = n, .A = A, .B = B, .a = a, .b = a + area};
  for (ptrdiff_t k = 0; k < area; k++) p.a[k].x = A[k], p.b[k].x = B[k];
  const dls_status status = exact(&p, first, second, report);
  free(a);
  return status;
}
