#include "certify/load_exact.h"

#include "base/memory.h"
#include "convex/lp_exact.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_CONTACTS = 6, MOST_CHOSEN = 30, LARGEST = 40, PASSES = 50 };
static const double narrow = 1e-12;      // relative width at which halving ends
static const double first_part = 1e-12;  // of the first ends that are tried; each further by this
enum { WIDER = 30, MOST_ENDS = 16 };     // factor, and how many

typedef struct matrix {
  const dls_load_contacts *k;
  int size;
  double *A;
  const double *each;  // m: coefficients that differ; NULL when one is given
} matrix;

// One row and one column for each tangential force: tau = -sign mu xi lambda. Nothing is
// multiplied that would round, and the determinant is that of eq (chk.8).
static void fill(const matrix *a, const bool *second, double mu)
{
  const dls_load_contacts *k = a->k;
  const dls_polyhedra *c = k->c;
  const int n = c->n, N = a->size;
  for (int i = 0; i < N * N; i++) a->A[i] = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) a->A[i + N * j] = c->M[i + n * j];
  for (int j = 0; j < c->m; j++) {
    const int row = n + j;
    int at = 0;
    while (at < k->m && k->contact[at] != j) at++;
    const bool slides = at < k->m, bilateral = at < k->m_b;
    const bool open = slides && !bilateral && !second[at];
    const double sign = slides && bilateral && second[at] ? -1 : 1;
    for (int i = 0; i < n; i++) {
      a->A[row + N * i] = c->G[i + n * j];
      if (!open) a->A[i + N * row] = -c->G[i + n * j];
    }
    if (open) a->A[row + N * row] = 1;
    for (int s = c->first[j]; s < c->first[j + 1]; s++) {
      const int tau = n + c->m + s;
      a->A[tau + N * tau] = 1;
      if (open || !slides || !k->frictional[at]) continue;
      const double unit = c->units.C_n[j] / c->units.C_t[s];
      a->A[tau + N * row] = sign * ((a->each ? a->each[at] : mu) * unit) * c->xi[s];
      for (int i = 0; i < n; i++) a->A[i + N * tau] = -c->H[i + n * s];
    }
  }
}

static void choose(const matrix *a, int pattern, bool *second)
{
  for (int i = 0; i < a->k->m; i++) second[i] = pattern >> i & 1;
}

static dls_status sign_at(const matrix *a, int pattern, double mu, int *sign)
{
  bool second[MOST_CONTACTS] = {false};
  choose(a, pattern, second);
  fill(a, second, mu);
  return dls_exact_determinant(a->size, a->A, sign, NULL);
}

// All determinants of one sign? *different: a choice that differs from the first one, or -1.
static dls_status test(const matrix *a, double mu, int *first, int *different)
{
  dls_status status = sign_at(a, 0, mu, first);
  *different = *first == 0 ? 0 : -1;
  for (int p = 1; p < 1 << a->k->m && status == DLS_OK && *different < 0; p++) {
    int sign = 2;
    status = sign_at(a, p, mu, &sign);
    if (sign == 2) *first = 2;
    if (sign != *first) *different = p;
  }
  return status;
}

// The ends next to a coefficient at which the determinant vanishes, when it changes its sign there.
static dls_status beside(const matrix *a, int pattern, int first, double mu, double *low,
                         double *high)
{
  int below = 2, above = 2;
  dls_status status = sign_at(a, pattern, mu * (1 - narrow), &below);
  if (status == DLS_OK) status = sign_at(a, pattern, mu * (1 + narrow), &above);
  if (below == first && above == -first) *low = mu * (1 - narrow), *high = mu * (1 + narrow);
  return status;
}

// One choice changes its sign between the ends.
static dls_status halve(const matrix *a, int pattern, int first, double *low, double *high)
{
  dls_status status = DLS_OK;
  for (int k = 0; k < PASSES && status == DLS_OK && *high - *low > narrow * *high; k++) {
    const double middle = *low + (*high - *low) / 2;
    int sign = 2;
    status = sign_at(a, pattern, middle, &sign);
    if (sign == 2) break;
    if (sign == first) *low = middle;
    else if (sign != 0) *high = middle;
    else return beside(a, pattern, first, middle, low, high);
  }
  return status;
}

// Ends that rounding of the data does not reach. Another choice may be lost earlier.
static dls_status move_apart(const matrix *a, double apart, double *low, double *high, bool *found)
{
  int below = 2, above = 2, lost = 0, different = -1;
  *low *= 1 - apart, *high *= 1 + apart;
  dls_status status = test(a, *low, &below, &lost);
  if (status == DLS_OK) status = test(a, *high, &above, &different);
  *found = lost < 0 && different >= 0 && below == above && below != 2;
  return status;
}

static dls_status find_ends(const matrix *a, double far, double *low, double *high, bool *found)
{
  const double l = *low, h = *high;
  dls_status status = DLS_OK;
  int first = 2, different = -1;
  *found = false;
  double part = first_part;
  for (int k = 0; k < MOST_ENDS && part <= far && status == DLS_OK && !*found; k++) {
    *low = l * (1 - part), *high = h * (1 + part);
    part *= WIDER;
    status = test(a, *low, &first, &different);
    if (status != DLS_OK || different >= 0 || first == 2) continue;
    int above = 2;
    status = test(a, *high, &above, &different);
    *found = different >= 0 && above == first;
  }
  if (!*found || status != DLS_OK) return status;
  return halve(a, different, first, low, high);
}

// No memory is taken where it would be too much work.
static dls_status make_matrix(const dls_load_contacts *k, matrix *a)
{
  *a = (matrix){.k = k, .size = k->c->n + k->c->m + k->c->tangents};
  if (k->m > MOST_CONTACTS || a->size > LARGEST || a->size << k->m > 512) return DLS_OK;
  a->A = dls_alloc((ptrdiff_t)a->size * a->size, sizeof *a->A);
  return a->A ? DLS_OK : DLS_ERR_MEMORY;
}

dls_status dls_load_bracket(const dls_load_contacts *k, double far, double apart, double *value,
                            double *low, double *high, bool *found)
{
  matrix a;
  *found = false;
  dls_status status = make_matrix(k, &a);
  if (!a.A) return status;
  status = find_ends(&a, far, low, high, found);
  if (status == DLS_OK && *found && !(*value >= *low && *value <= *high))
    *value = *low + (*high - *low) / 2;
  if (status == DLS_OK && *found) status = move_apart(&a, apart, low, high, found);
  free(a.A);
  return status;
}

// By how much entry i, j of the matrix in a->A may be off: what is not zero in proportion to
// itself; otherwise all masses, gradients and tangents alike, which are about 1.
static double change_of(const matrix *a, bool zeros_stay, int i, int j)
{
  const int n = a->k->c->n, m = a->k->c->m, N = a->size;
  const double size = fabs(a->A[i + N * j]);
  if (i >= n && j >= n) return i == j ? 0 : size;  // a coefficient of friction
  if (zeros_stay) return size;
  if (j < n) return i < n + m;
  for (int k = 0; k < n; k++)
    if (a->A[k + N * j] != 0) return 1;  // a column of forces
  return 0;
}

// How far the matrix that fill has made is from a singular one: 1 / rho(|A^-1| E), and rho(B) <=
// |B^p|^(1/p), p = 128. The inverse is overwritten; work: 2 N^2.                      eq (sli.7)
static double distance_from_singular(const matrix *a, bool zeros_stay, double *inverse,
                                     double *work)
{
  const int N = a->size, area = N * N;
  double *B = work, *next = B + area, logarithm = 0, part = 1;
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) {
      B[i + N * j] = change_of(a, zeros_stay, i, j);
      inverse[i + N * j] = fabs(inverse[i + N * j]);
    }
  dls_gemm(false, false, N, N, N, 1, inverse, B, 0, next);
  dls_copy(B, next, area);
  for (int k = 0; k < 8; k++) {
    const double size = dls_norm2(area, B);
    if (!(size > 0)) return INFINITY;
    logarithm += part * log2(size), part /= 2;
    for (int i = 0; i < area; i++) B[i] /= size;
    dls_gemm(false, false, N, N, N, 1, B, B, 0, next);
    dls_copy(B, next, area);
  }
  return exp2(-logarithm);
}

// *distance: of the choice; 0 where the determinant is, NaN when that is too much work. work:
// 3 N^2.
static dls_status measure(const matrix *a, int pattern, bool zeros_stay, double *work, int *sign,
                          double *distance)
{
  bool second[MOST_CHOSEN] = {false};
  const int N = a->size;
  for (int i = 0; i < a->k->m; i++) second[i] = pattern >> i & 1;
  fill(a, second, 0);
  const dls_status status = dls_exact_determinant(N, a->A, sign, work);
  *distance = *sign == 0 ? 0 : (double)NAN;
  if (status == DLS_OK && (*sign == 1 || *sign == -1))
    *distance = distance_from_singular(a, zeros_stay, work, work + N * N);
  return status;
}

static void name_choice(const dls_load_contacts *k, int pattern, int *choice)
{
  for (int i = 0; i < k->m; i++) {
    const int second = pattern >> i & 1;
    choice[i] = i < k->m_b ? 1 - 2 * second : second;
  }
}

// Two choices of different sign, or one that vanishes: *pattern[1] differs from *pattern[0]. A sign
// counts when the matrix is not near to singular.
static dls_status compare_signs(const matrix *a, double *work, dls_answer *answer, double *margin,
                                int pattern[2])
{
  const double tolerance = a->k->c->tolerance;
  int seen[3] = {-1, -1, -1};
  bool sure = true;
  *answer = DLS_UNDECIDED, *margin = INFINITY;
  for (int p = 0; p < 1 << a->k->m; p++) {
    int sign = 2;
    double distance = 0;
    const dls_status status = measure(a, p, false, work, &sign, &distance);
    if (status != DLS_OK) return status;
    const bool clear = sign == 0 || (sign != 2 && distance > tolerance);
    sure &= clear;
    if (!clear) continue;
    if (sign != 0 && distance < *margin) *margin = distance;
    if (seen[sign + 1] < 0) seen[sign + 1] = p;
  }
  if (seen[1] >= 0) pattern[0] = seen[1], pattern[1] = 0, *answer = DLS_NO;
  else if (seen[0] >= 0 && seen[2] >= 0)
    pattern[0] = seen[2], pattern[1] = seen[0], *answer = DLS_NO;
  else if (sure) *answer = DLS_YES;
  if (*answer != DLS_YES) *margin = NAN;
  return DLS_OK;
}

dls_status dls_load_signs(const dls_load_contacts *k, const double *mu, dls_answer *answer,
                          double *margin, int *first, int *second, bool *done)
{
  matrix a = {.k = k, .size = k->c->n + k->c->m + k->c->tangents, .each = mu};
  int pattern[2] = {0, 0};
  if (done) *done = false;
  *answer = DLS_UNDECIDED, *margin = NAN;
  if (k->m > MOST_CONTACTS || a.size > LARGEST) return DLS_OK;
  const ptrdiff_t size = a.size;
  a.A = dls_alloc(4 * size * size, sizeof *a.A);
  if (!a.A) return DLS_ERR_MEMORY;
  const dls_status status = compare_signs(&a, a.A + size * size, answer, margin, pattern);
  if (done) *done = status == DLS_OK && *answer != DLS_UNDECIDED;
  if (first) name_choice(k, pattern[0], first);
  if (second) name_choice(k, pattern[1], second);
  free(a.A);
  return status;
}

dls_status dls_load_distance(const dls_load_contacts *k, const double *mu, const int *choice,
                             double *distance)
{
  matrix a = {.k = k, .size = k->c->n + k->c->m + k->c->tangents, .each = mu};
  int pattern = 0, sign = 2;
  *distance = NAN;
  if (a.size > LARGEST || k->m > MOST_CHOSEN) return DLS_OK;
  for (int i = 0; i < k->m; i++) pattern |= (i < k->m_b ? choice[i] < 0 : choice[i] > 0) << i;
  const ptrdiff_t size = a.size;
  a.A = dls_alloc(4 * size * size, sizeof *a.A);
  if (!a.A) return DLS_ERR_MEMORY;
  const dls_status status = measure(&a, pattern, true, a.A + size * size, &sign, distance);
  free(a.A);
  return status;
}
