// The smallest uniform mu at which uniqueness for every load is lost.                eq (sli.3)
//
// The determinant of a choice is det(A_n,aa) det(I - mu K), K = A_n,aa^-1 A_t,aa S, with a the
// bilateral and the closed contacts and S their signs. It vanishes where 1/mu is a positive real
// eigenvalue of K. As all determinants are positive at mu = 0, the smallest root over all choices
// is the limit. Eigenvalues propose it; the exact test of sliding_unique.c, at both ends of a
// bracket, confirms it.
#include "certify/sliding_internal.h"

#include "base/memory.h"
#include "certify/representatives.h"
#include "certify/tolerances.h"
#include "linalg/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { CANDIDATES = 64, LARGEST = DLS_SLIDING_LIMIT_LARGEST };

// Eigenvalues with an imaginary part of up to this part of the real one are tried as real ones, and
// roots that differ by less than the second are one.
static const double nearly_real = 1e-6, same_root = 1e-13;

// Brackets around a root are tried from the narrowest on; from `far_off` on an eigenvalue may also
// be a defective matrix's, far from any root.
static const double widths[] = {1e-13, 1e-12, 1e-11, 1e-10, 4e-10, 1e-8, 1e-6, 1e-4, 1e-2};
static const double far_off = 1e-8;

typedef struct search {
  const dls_sliding *s;
  int m;
  dls_tracked *A, *B;
  double *block, *right, *K, *turned, *re, *im;
  double candidate[CANDIDATES];  // increasing
  int count;
  bool more;  // there were more candidates than places
} search;

// ---- candidates --------------------------------------------------------------------------------

static void add_candidate(search *w, double mu)
{
  int place = w->count;
  for (int k = 0; k < w->count; k++) {
    if (fabs(w->candidate[k] - mu) <= same_root * mu) return;
    if (mu < w->candidate[k]) {
      place = k;
      break;
    }
  }
  if (w->count == CANDIDATES) w->more = true;
  if (place == CANDIDATES) return;
  const int last = w->count < CANDIDATES ? w->count : CANDIDATES - 1;
  dls_move(w->candidate + place + 1, w->candidate + place, last - place);
  w->candidate[place] = mu;
  w->count = last + 1;
}

// The roots of one choice: eigenvalues of the block of K of the contacts with friction. Pairs that
// are almost real may be a double root.
static dls_status roots(search *w, int f, const double *K)
{
  const dls_status status = dls_eigen_general(f, K, w->re, w->im);
  if (status != DLS_OK) return status;
  double norm = 0;
  for (int k = 0; k < f * f; k++) norm = fmax(norm, fabs(K[k]));
  for (int k = 0; k < f; k++)
    if (w->re[k] > norm / infinite_coefficient && fabs(w->im[k]) <= nearly_real * w->re[k])
      add_candidate(w, 1 / hypot(w->re[k], w->im[k]));
  return DLS_OK;
}

// All signs of the bilateral contacts with friction, for one set of closed contacts.
static dls_status signs(search *w, int f, const int *contact)
{
  int bilateral = 0;
  while (bilateral < f && contact[bilateral] < w->s->m_b) bilateral++;
  dls_status status = DLS_OK;
  for (unsigned sign = 0; sign < 1u << bilateral && status == DLS_OK; sign++) {
    for (int j = 0; j < f; j++)
      for (int i = 0; i < f; i++)
        w->turned[i + f * j] = (j < bilateral && (sign >> j & 1) ? -1 : 1) * w->K[i + f * j];
    status = roots(w, f, w->turned);
  }
  return status;
}

// One set of closed contacts, given as bits over the unilateral ones. *singular: A_n,aa is, within
// rounding.
static dls_status closed_set(search *w, unsigned closed, bool *singular)
{
  const dls_sliding *s = w->s;
  const int m = w->m;
  int a[LARGEST], friction[LARGEST], position[LARGEST], n = 0, f = 0;
  for (int j = 0; j < m; j++) {
    if (j >= s->m_b && !(closed >> (j - s->m_b) & 1)) continue;
    if (s->frictional[j]) friction[f] = j, position[f++] = n;
    a[n++] = j;
  }
  if (f == 0) return DLS_OK;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) w->block[i + n * j] = s->A_n[a[i] + m * a[j]];
  for (int j = 0; j < f; j++)
    for (int i = 0; i < n; i++) w->right[i + n * j] = s->A_t[a[i] + m * friction[j]];
  double rcond = 0;
  // X = A_n,aa^-1 A_t, into the block of the turned columns for a moment
  dls_status status = dls_solve(n, f, w->block, w->right, w->turned, &rcond);
  if (status != DLS_OK) return status;
  if (!(rcond > 0)) {
    *singular = true;
    return DLS_OK;
  }
  for (int j = 0; j < f; j++)
    for (int i = 0; i < f; i++) w->K[i + f * j] = w->turned[position[i] + n * j];
  return signs(w, f, friction);
}

// ---- confirmation ------------------------------------------------------------------------------

// All determinants positive for every mu within `width` of `mu`?
static dls_status ask(search *w, double mu, double width, dls_answer *answer)
{
  dls_representatives r;
  dls_sliding_columns(w->s, NULL, mu, width, 0, w->A, w->B);
  const dls_status status = dls_representatives_test(w->m, w->A, w->B, 0, &r);
  *answer = r.answer;
  return status;
}

// Whether uniqueness is proven for the whole interval, in at most `pieces` parts of which each is
// halved until it is proven.
static dls_status proven(search *w, double low, double high, int pieces, bool *yes)
{
  double at = low, step = high - low;
  *yes = false;
  for (int k = 0; k < pieces; k++) {
    const double end = fmin(at + step, high);
    dls_answer answer;
    const double centre = (at + end) / 2;
    const double width = fmax(end - centre, centre - at) + 4 * DBL_EPSILON * end;
    const dls_status status = ask(w, centre, width, &answer);
    if (status != DLS_OK) return status;
    if (answer == DLS_YES) {
      at = end, step *= 2;
      *yes = at >= high;
      if (*yes) return DLS_OK;
    } else {
      step /= 2;
    }
  }
  return DLS_OK;
}

// Halves a bracket that the eigenvalue was not exact enough for.
static dls_status narrow(search *w, dls_sliding_limit *out)
{
  for (int k = 0; k < 60 && out->high - out->low > critical_width * out->high; k++) {
    const double middle = out->low + (out->high - out->low) / 2;
    dls_answer answer;
    const dls_status status = ask(w, middle, 0, &answer);
    if (status != DLS_OK) return status;
    if (answer == DLS_YES) out->low = middle;
    else if (answer == DLS_NO) out->high = middle;
    else break;
  }
  if (out->value < out->low || out->value > out->high) out->value = (out->low + out->high) / 2;
  return DLS_OK;
}

typedef enum finding { LIMIT_FOUND, NO_LIMIT_HERE, LIMIT_OPEN } finding;

// A bracket around the candidate, as narrow as the tests allow.
static dls_status examine(search *w, double mu, dls_sliding_limit *out, finding *what)
{
  dls_answer below = DLS_UNDECIDED, above = DLS_UNDECIDED;
  dls_status status = DLS_OK;
  *what = LIMIT_OPEN;
  for (ptrdiff_t k = 0; k < dls_count_of(widths) && status == DLS_OK; k++) {
    const double low = mu * (1 - widths[k]), high = mu * (1 + widths[k]);
    status = ask(w, low, 0, &below);
    if (status == DLS_OK) status = ask(w, high, 0, &above);
    if (status == DLS_OK && below == DLS_YES && above == DLS_NO) {
      *out = (dls_sliding_limit){.value = mu, .low = low, .high = high};
      *what = LIMIT_FOUND;
      return narrow(w, out);
    }
    // eigenvalues of defective matrices are far off; what they pretend is disproved
    if (status == DLS_OK && widths[k] >= far_off && below == DLS_YES && above == DLS_YES) {
      bool yes = false;
      status = proven(w, low, high, 200, &yes);
      if (yes) *what = NO_LIMIT_HERE;
      if (yes) return status;
    }
  }
  return status;
}

// The candidates from below. An open one ends the search: nothing beyond it can be the limit.
static dls_status confirm(search *w, dls_sliding_limit *out)
{
  dls_status status = DLS_OK;
  for (int k = 0; k < w->count && status == DLS_OK; k++) {
    finding what;
    status = examine(w, w->candidate[k], out, &what);
    if (status != DLS_OK) return status;
    if (what == LIMIT_FOUND) {
      out->by = "eigenvalues over all choices, the exact test at both ends";
      return DLS_OK;
    }
    if (what == LIMIT_OPEN) {
      out->by = "a determinant comes so close to zero that its sign is not known";
      return DLS_OK;
    }
  }
  if (w->more) {
    out->by = "too many eigenvalues that are none within rounding";
    return status;
  }
  out->value = out->low = out->high = INFINITY;
  out->by = "no choice has a positive real eigenvalue";
  return status;
}

static dls_status run(search *w, dls_sliding_limit *out)
{
  const int m_u = w->s->m_u;
  dls_representatives r;
  dls_sliding_columns(w->s, NULL, 0, 0, 2 * DBL_EPSILON, w->A, w->B);
  dls_status status = dls_representatives_test(w->m, w->A, w->B, w->m * DBL_EPSILON, &r);
  if (status != DLS_OK) return status;
  if (r.answer != DLS_YES) {
    out->by = r.answer == DLS_NO ? "not unique without friction either"
                                 : "without friction the sign of a determinant is not known";
    if (r.answer == DLS_NO) out->value = out->low = out->high = 0;
    return DLS_OK;
  }
  bool singular = false;
  for (unsigned closed = 0; closed < 1u << m_u && status == DLS_OK && !singular; closed++)
    status = closed_set(w, closed, &singular);
  if (status == DLS_OK && singular) {
    out->by = "A_n has a block that is singular within rounding";
    return DLS_OK;
  }
  return status == DLS_OK ? confirm(w, out) : status;
}

dls_status dls_sliding_critical(const dls_sliding *s, dls_sliding_limit *out)
{
  *out = (dls_sliding_limit){.value = NAN, .low = NAN, .high = NAN, .by = ""};
  dls_status status = dls_sliding_validate(s, NULL);
  if (status != DLS_OK) return status;
  search w = {.s = s, .m = s->m_b + s->m_u};
  if (w.m > LARGEST) {
    out->by = "more than 12 sliding contacts";
    return DLS_OK;
  }
  const ptrdiff_t m = w.m;
  w.A = dls_alloc(2 * m * m, sizeof *w.A);
  w.block = dls_alloc(4 * m * m + 2 * m, sizeof *w.block);
  status = w.A && w.block ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    w.B = w.A + m * m;
    w.right = w.block + m * m, w.K = w.right + m * m, w.turned = w.K + m * m;
    w.re = w.turned + m * m, w.im = w.re + m;
    status = run(&w, out);
  }
  free(w.A), free(w.block);
  return status;
}
