// The recursion of Tsatsomeros and Li, on the pair instead of on A^-1 B and without fractions.
//
// With C = the representative chosen so far (columns of A where nothing was chosen), a node holds
// S = det(C) C^-1 B, restricted to the columns not yet decided. Its first diagonal element is the
// determinant of the representative with one more column from B. Leaving that column out deletes
// the first row and column of S; taking it is one step of fraction-free elimination:
//
//   S_ij <- (S_kk S_ij - S_ik S_kj) / det(C)                                         eq (lcp.6)
//
// All determinants must have the sign of det(A); it is made positive.
#include "certify/representatives.h"

#include "base/memory.h"
#include "certify/tolerances.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST = DLS_REPRESENTATIVES_LARGEST };

typedef struct search {
  int n;
  long double unit;
  double zero;
  const dls_tracked *A, *B;        // scaled
  long double sign;                // of det(A)
  long double reference[LARGEST];  // det({k}) / det({}), for the margin
  dls_tracked *level[LARGEST];     // S of each depth: (n - depth)^2
  dls_minors work;                 // n x 2n
  dls_representatives *out;
  bool found;  // a certain no: nothing more to look for
} search;

// ---- one choice at a time ----------------------------------------------------------------------

static void place_choice(dls_minors *w, int n, const dls_tracked *A, const dls_tracked *B,
                         uint32_t choice)
{
  const ptrdiff_t N = n;
  for (ptrdiff_t j = 0; j < N; j++) dls_copy(w->T + N * j, (choice >> j & 1 ? B : A) + N * j, N);
  w->rows = w->cols = w->order = n;
}

static dls_tracked determinant(search *s, uint32_t choice)
{
  place_choice(&s->work, s->n, s->A, s->B, choice);
  dls_tracked det = dls_minors_determinant(&s->work);
  det.x *= s->sign;
  return det;
}

// The same of the numbers in the middle of their bounds: what is left is the error of long doubles.
static long double central(search *s, uint32_t choice)
{
  place_choice(&s->work, s->n, s->A, s->B, choice);
  for (int k = 0; k < s->n * s->n; k++) s->work.T[k].e = 0;
  return dls_minors_determinant(&s->work).x;
}

// S at the node, whose representative is certainly positive, from scratch and with pivoting; false
// when rounding leaves too few pivots.
static bool refresh(search *s, int depth, uint32_t choice, dls_tracked *det)
{
  const ptrdiff_t n = s->n, rest = n - depth;
  dls_minors *w = &s->work;
  place_choice(w, s->n, s->A, s->B, choice);
  dls_copy(w->T + n * n, s->B + n * (ptrdiff_t)depth, n * rest);
  w->cols = (int)(n + rest);
  dls_minors_solve(w);
  if (w->rank < w->order) return false;
  const long double flip = w->last.x < 0 ? -1 : 1;
  for (int k = 0; k < s->n; k++) {
    const int i = w->pivot_col[k] - depth;
    for (ptrdiff_t j = 0; j < rest && i >= 0; j++) {
      const dls_tracked t = w->T[w->pivot_row[k] + n * (n + j)];
      s->level[depth][i + rest * j] = (dls_tracked){.x = flip * t.x, .e = t.e};
    }
  }
  *det = (dls_tracked){.x = flip * w->last.x, .e = w->last.e};
  return true;
}

// ---- the search --------------------------------------------------------------------------------

static void note(search *s, uint32_t choice, dls_tracked det, dls_tracked before, int k)
{
  dls_representatives *out = s->out;
  const dls_sign sign = dls_tracked_sign(det);
  const long double size = before.x * s->reference[k];
  const bool vanishes =
      sign == DLS_ZERO || (sign == DLS_UNSURE && det.e <= uncertain_determinant * size &&
                           fabsl(central(s, choice)) <= s->zero * size);
  const bool negative = sign == DLS_NEGATIVE;
  if (!negative && !vanishes && out->answer != DLS_YES) return;
  if (!negative && out->answer == DLS_NO) return;
  out->answer = negative || vanishes ? DLS_NO : DLS_UNDECIDED;
  out->vanishes = !negative;
  out->second = choice;
  s->found = negative || sign == DLS_ZERO;
}

static void explore(search *s, int depth, uint32_t choice, dls_tracked det);

// One more column from B, whose determinant is certainly positive: S of the next depth.
static void take(search *s, int depth, uint32_t choice, dls_tracked det, dls_tracked pivot)
{
  const ptrdiff_t rest = (s->n - depth), next = rest - 1;
  const dls_tracked *S = s->level[depth];
  if (next == 0) return;
  for (ptrdiff_t j = 0; j < next; j++)
    for (ptrdiff_t i = 0; i < next; i++)
      s->level[depth + 1][i + next * j] = dls_tracked_update(
          pivot, S[(i + 1) + rest * (j + 1)], S[i + 1], S[rest * (j + 1)], det, s->unit);
  explore(s, depth + 1, choice, pivot);
}

static void skip(search *s, int depth, uint32_t choice, dls_tracked det)
{
  const ptrdiff_t rest = (s->n - depth), next = rest - 1;
  const dls_tracked *S = s->level[depth];
  if (next == 0) return;
  for (ptrdiff_t j = 0; j < next; j++)
    dls_copy(s->level[depth + 1] + next * j, S + 1 + rest * (j + 1), next);
  explore(s, depth + 1, choice, det);
}

static void explore(search *s, int depth, uint32_t choice, dls_tracked det)
{
  const uint32_t more = choice | (uint32_t)1 << depth;
  const dls_tracked pivot = s->level[depth][0];
  skip(s, depth, choice, det);
  if (s->found) return;
  if (dls_tracked_sign(pivot) == DLS_POSITIVE) {
    const long double ratio = (pivot.x - pivot.e) / ((det.x + det.e) * s->reference[depth]);
    if (!(ratio >= s->out->margin)) s->out->margin = (double)ratio;
    take(s, depth, more, det, pivot);
    return;
  }
  // rounding grew too large here, or there is something to find: decide with pivoting
  dls_tracked again = determinant(s, more);
  if (dls_tracked_sign(again) != DLS_POSITIVE) {
    note(s, more, again, det, depth);
    return;
  }
  const long double ratio = (again.x - again.e) / ((det.x + det.e) * s->reference[depth]);
  if (!(ratio >= s->out->margin)) s->out->margin = (double)ratio;
  if (depth + 1 == s->n) return;
  if (refresh(s, depth + 1, more, &again)) explore(s, depth + 1, more, again);
  else note(s, more, (dls_tracked){.x = 0, .e = INFINITY}, det, depth);
}

static void run(search *s)
{
  dls_representatives *out = s->out;
  s->sign = 1;
  dls_tracked det = determinant(s, 0);
  const dls_sign sign = dls_tracked_sign(det);
  if (sign == DLS_NEGATIVE) s->sign = -1;
  if (sign == DLS_ZERO || sign == DLS_UNSURE || !refresh(s, 0, 0, &det)) {
    // the confirmation decides whether it is small enough
    out->answer = sign == DLS_ZERO || s->zero > 0 ? DLS_NO : DLS_UNDECIDED;
    out->vanishes = true;
    return;
  }
  for (ptrdiff_t k = 0; k < s->n; k++) {
    s->reference[k] = fabsl(s->level[0][k * (s->n + 1)].x) / det.x;
    if (s->reference[k] == 0) s->reference[k] = 1;
  }
  explore(s, 0, 0, det);
}

static dls_status allocate(search *s, dls_tracked **scaled, int **exponents)
{
  const ptrdiff_t n = s->n;
  *scaled = dls_alloc(2 * n * n, sizeof **scaled);
  *exponents = dls_alloc(3 * n, sizeof **exponents);
  ptrdiff_t total = 0;
  for (ptrdiff_t k = 1; k <= n; k++) total += k * k;
  s->level[0] = dls_alloc(total, sizeof(dls_tracked));
  if (!*scaled || !*exponents || !s->level[0]) return DLS_ERR_MEMORY;
  for (ptrdiff_t k = 1; k < n; k++) s->level[k] = s->level[k - 1] + (n - k + 1) * (n - k + 1);
  return dls_minors_create(s->n, 2 * s->n, &s->work);
}

// The determinant of the witness once more, from the data as given; the answer follows it.
static dls_status confirm(int n, const dls_tracked *A, const dls_tracked *B, double zero,
                          dls_representatives *out)
{
  bool choice[LARGEST] = {false};
  dls_sign first, second;
  double size, error;
  dls_status status = dls_representative_sign(n, A, B, choice, &first, &size, &error);
  for (int j = 0; j < n; j++) choice[j] = out->second >> j & 1;
  if (status == DLS_OK)
    status =
        dls_representative_sign(n, A, B, choice, &second, &out->size_second, &out->error_second);
  if (status != DLS_OK || out->answer != DLS_NO) return status;
  const bool sure = first == DLS_POSITIVE || first == DLS_NEGATIVE;
  const bool opposite =
      sure && (second == DLS_POSITIVE || second == DLS_NEGATIVE) && second != first;
  const bool small = fabs(out->size_second) <= zero && out->error_second <= uncertain_determinant;
  const bool nothing = second == DLS_ZERO || (second == DLS_UNSURE && out->vanishes && small);
  if (!opposite && !nothing) out->answer = DLS_UNDECIDED;
  out->vanishes = !opposite;
  return DLS_OK;
}

dls_status dls_representatives_test(int n, const dls_tracked *A, const dls_tracked *B, double zero,
                                    dls_representatives *out)
{
  if (n < 0 || n > LARGEST) return DLS_ERR_LIMIT;
  *out = (dls_representatives){.answer = DLS_YES, .margin = INFINITY};
  if (n == 0) return DLS_OK;
  search s = {.n = n, .zero = zero, .out = out};
  dls_tracked *scaled = NULL;
  int *exponents = NULL;
  const ptrdiff_t area = (ptrdiff_t)n * n;
  dls_status status = allocate(&s, &scaled, &exponents);
  if (status == DLS_OK) {
    dls_copy(scaled, A, area);
    dls_copy(scaled + area, B, area);
    status = dls_minors_scale(n, 2 * n, scaled, exponents, exponents + n, &s.unit);
  }
  if (status == DLS_OK) {
    s.work.unit = s.unit;
    s.A = scaled, s.B = scaled + area;
    run(&s);
    if (out->answer != DLS_YES) {
      out->margin = NAN;
      status = confirm(n, A, B, zero, out);
    }
  }
  free(scaled), free(exponents), free(s.level[0]);
  dls_minors_free(&s.work);
  return status;
}

static long double length(int n, const dls_tracked *column)
{
  long double sum = 0;
  for (int i = 0; i < n; i++) sum += column[i].x * column[i].x;
  return sqrtl(sum);
}

dls_status dls_representative_sign(int n, const dls_tracked *A, const dls_tracked *B,
                                   const bool *choice, dls_sign *sign, double *size, double *error)
{
  const ptrdiff_t N = n;
  *sign = DLS_POSITIVE, *size = 1, *error = 0;
  if (n == 0) return DLS_OK;
  dls_minors w;
  dls_status status = dls_minors_create(n, n, &w);
  if (status != DLS_OK) return status;
  int *exponents = dls_alloc(2 * N, sizeof *exponents);
  for (ptrdiff_t j = 0; j < N; j++) dls_copy(w.T + N * j, (choice[j] ? B : A) + N * j, N);
  status =
      exponents ? dls_minors_scale(n, n, w.T, exponents, exponents + N, &w.unit) : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    w.order = n;
    long double product = 1;
    for (ptrdiff_t j = 0; j < N; j++) product *= length(n, w.T + N * j);
    dls_tracked det = dls_minors_determinant(&w);
    *sign = dls_tracked_sign(det);
    if (*sign == DLS_UNSURE) {
      // where a pivot may vanish the value says nothing: take it without the errors of the data
      for (ptrdiff_t j = 0; j < N; j++)
        for (ptrdiff_t i = 0; i < N; i++) {
          const long double x = (choice[j] ? B : A)[i + N * j].x;
          w.T[i + N * j] = (dls_tracked){.x = ldexpl(x, exponents[i] + exponents[N + j])};
        }
      det.x = dls_minors_determinant(&w).x;
    }
    *size = product > 0 ? (double)(det.x / product) : 0;
    *error = product > 0 ? (double)(det.e / product) : 0;
  }
  free(exponents);
  dls_minors_free(&w);
  return status;
}
