#include "verify/definite.h"

#include "verify/guard.h"
#include "verify/tolerances.h"

#include <float.h>
#include <math.h>

int dls_bits_for(int size)
{
  return DLS_BITS + 4 * size;
}

void dls_intervals_fill(dls_intervals to, const dls_scaled *A)
{
  mpfr_t x;
  mpfr_init2(x, 3 * DBL_MANT_DIG);
  for (int i = 0; i < A->rows; i++)
    for (int j = 0; j < A->cols; j++) {
      mpfr_set_d(x, A->A[i + (ptrdiff_t)A->rows * j], MPFR_RNDN);
      if (A->row) mpfr_mul_d(x, x, A->row[i], MPFR_RNDN);  // exact
      if (A->col) mpfr_mul_d(x, x, A->col[j], MPFR_RNDN);
      mpfi_set_fr(dls_at(to, i, j), x);
    }
  mpfr_clear(x);
}

// What is only a guess is computed with the left ends alone.
static mpfr_ptr left_of(const dls_intervals A, int i, int j)
{
  return &dls_at(A, i, j)->left;
}

// y <- y - a b
static void subtract(mpfr_ptr y, mpfr_srcptr a, mpfr_srcptr b)
{
  dls_fused(y, a, b, true, MPFR_RNDN);
}

static void make_point(mpfi_ptr x)
{
  mpfr_set(&x->right, &x->left, MPFR_RNDN);
}

// Lower triangular L with L L^T near A - shift I, points; false when a pivot is not positive.
static bool approximate_factor(dls_intervals L, const dls_intervals A, double shift)
{
  bool positive = true;
  for (int i = 0; i < A->rows && positive; i++)
    for (int j = 0; j <= i; j++) {
      mpfr_ptr x = left_of(L, i, j);
      dls_guard_look();
      mpfi_mid(x, dls_at(A, i, j));
      if (i == j) mpfr_sub_d(x, x, shift, MPFR_RNDN);
      for (int k = 0; k < j; k++) subtract(x, left_of(L, i, k), left_of(L, j, k));
      positive &= i > j || (mpfr_number_p(x) && mpfr_sgn(x) > 0);
      if (i > j) mpfr_div(x, x, left_of(L, j, j), MPFR_RNDN);
      else mpfr_sqrt(x, x, MPFR_RNDN);
      make_point(dls_at(L, i, j));
    }
  return positive;
}

// The square of the Frobenius norm of A - shift I - L L^T is less than that of what the shift
// leaves over. A is symmetric: its lower half is looked at.
static bool outweighs(const dls_intervals A, const dls_intervals L, double shift, double rest)
{
  mpfi_t x, sum, bound;
  mpfi_init2(x, DLS_BITS), mpfi_init2(sum, DLS_BITS), mpfi_init2(bound, DLS_BITS);
  mpfi_set_si(sum, 0);
  for (int i = 0; i < A->rows; i++)
    for (int j = 0; j <= i; j++) {
      dls_guard_look();
      mpfi_set(x, dls_at(A, i, j));
      if (i == j) mpfi_sub_d(x, x, shift);
      for (int k = 0; k <= j; k++) dls_subtract_product(x, dls_at(L, i, k), dls_at(L, j, k));
      mpfi_sqr(x, x);
      if (i > j) mpfi_mul_2si(x, x, 1);
      mpfi_add(sum, sum, x);
    }
  mpfi_set_d(bound, rest);
  mpfi_sqr(bound, bound);
  const bool less = mpfi_bounded_p(sum) && mpfr_less_p(&sum->right, &bound->left);
  mpfi_clear(x), mpfi_clear(sum), mpfi_clear(bound);
  return less;
}

// A - shift I = L L^T + E with a norm of E that the shift outweighs; L stays for those who want it.
static bool factor_definite(dls_intervals L, const dls_intervals A, double margin)
{
  const double least = fmax(margin, least_margin);
  return approximate_factor(L, A, 1.5 * least) && outweighs(A, L, 1.5 * least, 0.4999 * least);
}

bool dls_intervals_definite(const dls_intervals A, double margin)
{
  dls_intervals L;
  dls_intervals_init(L, A->rows, A->rows, DLS_BITS);
  const bool definite = factor_definite(L, A, margin);
  dls_intervals_clear(L);
  return definite;
}

// The quadratic form sees only the symmetric part.
static void make_symmetric(dls_intervals A)
{
  for (int i = 0; i < A->rows; i++)
    for (int j = 0; j < i; j++) {
      mpfi_ptr x = dls_at(A, i, j), y = dls_at(A, j, i);
      mpfi_add(x, x, y);
      mpfi_mul_2si(x, x, -1);
      mpfi_set(y, x);
    }
}

bool dls_is_definite(const dls_scaled *A, double margin)
{
  dls_intervals B;
  dls_intervals_init(B, A->rows, A->rows, DLS_BITS);
  dls_intervals_fill(B, A);
  make_symmetric(B);
  const bool proven = dls_intervals_definite(B, margin);
  dls_intervals_clear(B);
  return proven;
}

// A^T A; T is A^T. Zeros are exact, and there are many of them in large matrices.
static void make_gram(dls_intervals gram, const dls_intervals T)
{
  for (int i = 0; i < T->rows; i++)
    for (int k = 0; k < T->cols; k++) {
      dls_guard_look();
      if (mpfi_is_zero(dls_at(T, i, k))) continue;
      for (int j = 0; j <= i; j++)
        dls_add_product(dls_at(gram, i, j), dls_at(T, i, k), dls_at(T, j, k));
    }
  for (int i = 0; i < T->rows; i++)
    for (int j = 0; j < i; j++) mpfi_set(dls_at(gram, j, i), dls_at(gram, i, j));
}

// A^T A - margin^2 I > 0. Squares do no harm: the products are exact, or nearly so. L: the factor.
static bool factor_gram(dls_intervals L, const dls_intervals T, double margin)
{
  dls_intervals gram;
  dls_intervals_init(gram, T->rows, T->rows, DLS_BITS);
  make_gram(gram, T);
  // a larger margin asks for more; margin^2 itself would not be exact
  const bool proven = factor_definite(L, gram, nextafter(margin * margin, INFINITY));
  dls_intervals_clear(gram);
  return proven;
}

bool dls_intervals_rank(const dls_intervals A, double margin)
{
  if (A->cols > A->rows) return false;
  dls_intervals T, L;
  dls_intervals_init(T, A->cols, A->rows, DLS_BITS);
  dls_intervals_init(L, A->cols, A->cols, DLS_BITS);
  dls_intervals_transpose(T, A);
  const bool proven = factor_gram(L, T, margin);
  dls_intervals_clear(T), dls_intervals_clear(L);
  return proven;
}

bool dls_has_rank(const dls_scaled *A, double margin)
{
  dls_intervals B;
  dls_intervals_init(B, A->rows, A->cols, DLS_BITS);
  dls_intervals_fill(B, A);
  const bool proven = dls_intervals_rank(B, margin);
  dls_intervals_clear(B);
  return proven;
}

// ---- systems of equations ----------------------------------------------------------------------

// Column j of step <- (L L^T)^-1 T r.
static void find_step(const dls_intervals L, const dls_intervals T, const dls_intervals r, int j,
                      dls_intervals step)
{
  const int n = L->rows;
  for (int i = 0; i < n; i++) {
    mpfr_ptr y = left_of(step, i, j);
    dls_guard_look();
    mpfr_set_zero(y, 1);
    for (int k = 0; k < n; k++) dls_fused(y, left_of(T, i, k), left_of(r, k, j), false, MPFR_RNDN);
    for (int k = 0; k < i; k++) subtract(y, left_of(L, i, k), left_of(step, k, j));
    mpfr_div(y, y, left_of(L, i, i), MPFR_RNDN);
  }
  for (int i = n - 1; i >= 0; i--) {
    mpfr_ptr y = left_of(step, i, j);
    for (int k = i + 1; k < n; k++) subtract(y, left_of(L, k, i), left_of(step, k, j));
    mpfr_div(y, y, left_of(L, i, i), MPFR_RNDN);
  }
}

// x <- x + (L L^T)^-1 T r, a point.
static void correct(const dls_intervals L, const dls_intervals T, const dls_intervals r,
                    dls_intervals x, dls_intervals step)
{
  for (int j = 0; j < x->cols; j++) {
    find_step(L, T, r, j, step);
    for (int i = 0; i < x->rows; i++) {
      mpfr_add(left_of(x, i, j), left_of(x, i, j), left_of(step, i, j), MPFR_RNDN);
      make_point(dls_at(x, i, j));
    }
  }
}

// r = b - A x and its length.
static void find_residual(const dls_intervals A, const dls_intervals b, const dls_intervals x,
                          dls_intervals r, mpfi_ptr length)
{
  mpfi_t square;
  mpfi_init2(square, DLS_BITS);
  mpfi_set_si(length, 0);
  dls_intervals_set(r, b);
  for (int i = 0; i < A->rows; i++) {
    for (int k = 0; k < A->cols; k++) {
      if (mpfi_is_zero(dls_at(A, i, k))) continue;
      for (int j = 0; j < x->cols; j++)
        dls_subtract_product(dls_at(r, i, j), dls_at(A, i, k), dls_at(x, k, j));
    }
    for (int j = 0; j < x->cols; j++) {
      mpfi_sqr(square, dls_at(r, i, j));
      mpfi_add(length, length, square);
    }
  }
  mpfi_sqrt(length, length);
  mpfi_clear(square);
}

// |x - solution| <= |b - A x| / sigma_min(A), and sigma_min is larger than the margin.
static void enclose(mpfi_srcptr length, double margin, dls_intervals x)
{
  mpfi_t bound;
  mpfi_init2(bound, DLS_BITS);
  mpfi_div_d(bound, length, margin);
  for (int i = 0; i < x->rows; i++)
    for (int j = 0; j < x->cols; j++) {
      mpfi_ptr entry = dls_at(x, i, j);
      mpfr_sub(&entry->left, &entry->left, &bound->right, MPFR_RNDD);
      mpfr_add(&entry->right, &entry->right, &bound->right, MPFR_RNDU);
    }
  mpfi_clear(bound);
}

// Refines x until the residual is rounding; false when the factor of a matrix that lies a margin
// below is too far off for that.
static bool refine(const dls_intervals L, const dls_intervals A, const dls_intervals T,
                   const dls_intervals b, dls_intervals x, mpfi_ptr length)
{
  enum { STEPS = 12 };
  dls_intervals r, step;
  mpfr_t least;
  dls_intervals_init(r, A->rows, b->cols, DLS_BITS);
  dls_intervals_init(step, A->rows, b->cols, DLS_BITS);
  mpfr_init2(least, DLS_BITS);
  dls_intervals_zero(x);
  find_residual(A, b, x, r, length);
  mpfr_mul_2si(least, &length->right, -DLS_BITS + 40, MPFR_RNDU);
  for (int k = 0; k < STEPS && mpfr_greater_p(&length->right, least); k++) {
    correct(L, T, r, x, step);
    find_residual(A, b, x, r, length);
  }
  const bool fine = mpfr_lessequal_p(&length->right, least);
  dls_intervals_clear(r), dls_intervals_clear(step), mpfr_clear(least);
  return fine;
}

bool dls_intervals_solve(dls_intervals x, const dls_intervals A, const dls_intervals b,
                         double margin)
{
  const int n = A->rows;
  dls_intervals T, L;
  mpfi_t length;
  dls_intervals_init(T, n, n, DLS_BITS), dls_intervals_init(L, n, n, DLS_BITS);
  dls_mpfi_init(length);
  dls_intervals_transpose(T, A);
  const bool solved = factor_gram(L, T, margin);
  if (solved) {
    if (!refine(L, A, T, b, x, length) && factor_gram(L, T, part_of_margin * margin))
      refine(L, A, T, b, x, length);
    enclose(length, margin, x);
  }
  dls_intervals_clear(T), dls_intervals_clear(L), mpfi_clear(length);
  return solved;
}
