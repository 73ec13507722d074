#include "verify/ball.h"

#include <math.h>

dls_interval dls_ball_interval(const arb_t x)
{
  if (!arb_is_finite(x)) return (dls_interval){-INFINITY, INFINITY};
  arf_t low, high;
  arf_init(low), arf_init(high);
  arb_get_interval_arf(low, high, x, DLS_BITS);
  const dls_interval bounds = {arf_get_d(low, ARF_RND_FLOOR), arf_get_d(high, ARF_RND_CEIL)};
  arf_clear(low), arf_clear(high);
  return bounds;
}

// ---- sums --------------------------------------------------------------------------------------

void dls_sum_init(dls_sum *sum)
{
  arb_init(sum->value);
  arf_init(sum->a), arf_init(sum->b);
  sum->size = 0;
}

void dls_sum_clear(dls_sum *sum)
{
  arb_clear(sum->value);
  arf_clear(sum->a), arf_clear(sum->b);
}

void dls_sum_start(dls_sum *sum, double first)
{
  arb_set_d(sum->value, first);
  sum->size = fabs(first);
}

void dls_sum_add(dls_sum *sum, double a, double b)
{
  if (a == 0 || b == 0) return;  // neither is NaN: data and witnesses are finite
  arf_set_d(sum->a, a), arf_set_d(sum->b, b);
  arf_mul(sum->a, sum->a, sum->b, ARF_PREC_EXACT, ARF_RND_DOWN);
  arb_add_arf(sum->value, sum->value, sum->a, DLS_BITS);
  sum->size += fabs(a * b);
}

void dls_sum_dot(dls_sum *sum, int count, const double *a, size_t stride, const double *b)
{
  for (size_t i = 0; i < (size_t)count; i++) dls_sum_add(sum, a[stride * i], b[i]);
}

dls_interval dls_sum_value(const dls_sum *sum)
{
  return dls_ball_interval(sum->value);
}

// ---- matrices ----------------------------------------------------------------------------------

slong dls_ball_bits(int size)
{
  enum { ELIMINATED = 32 };  // larger systems are preconditioned, and lose nothing
  return DLS_BITS + 4 * (slong)(size < ELIMINATED ? size : ELIMINATED);
}

void dls_ball_fill(arb_mat_t to, const dls_scaled *A)
{
  arf_t x, y;
  arf_init(x), arf_init(y);
  for (slong i = 0; i < A->rows; i++)
    for (slong j = 0; j < A->cols; j++) {
      arf_set_d(x, A->A[(size_t)i + (size_t)A->rows * (size_t)j]);
      if (A->row) arf_set_d(y, A->row[i]), arf_mul(x, x, y, ARF_PREC_EXACT, ARF_RND_DOWN);
      if (A->col) arf_set_d(y, A->col[j]), arf_mul(x, x, y, ARF_PREC_EXACT, ARF_RND_DOWN);
      arb_set_arf(arb_mat_entry(to, i, j), x);
    }
  arf_clear(x), arf_clear(y);
}

// Lower triangular L with L L^T near A - shift I, by midpoints only; false when a pivot is not
// positive.
static bool approximate_factor(arb_mat_t L, const arb_mat_t A, double shift, slong bits)
{
  const slong n = arb_mat_nrows(A);
  bool positive = true;
  arb_t x, s;
  arb_init(x), arb_init(s);
  arb_set_d(s, shift);
  for (slong i = 0; i < n && positive; i++) {
    for (slong j = 0; j <= i; j++) {
      arb_ptr entry = arb_mat_entry(L, i, j);
      arf_set_round(arb_midref(x), arb_midref(arb_mat_entry(A, i, j)), bits, ARF_RND_NEAR);
      mag_zero(arb_radref(x));
      if (i == j) arb_sub(x, x, s, bits);
      arb_approx_dot(x, x, 1, L->rows[i], 1, L->rows[j], 1, j, bits);
      mag_zero(arb_radref(x));
      positive &= i > j || arb_is_positive(x);
      if (i > j) arb_div(entry, x, arb_mat_entry(L, j, j), bits);
      else arb_sqrt(entry, x, bits);
      mag_zero(arb_radref(entry));
    }
  }
  arb_clear(x), arb_clear(s);
  return positive;
}

// The square of the Frobenius norm of A - shift I - L L^T is less than that of what the shift
// leaves over. A is symmetric: its lower half is looked at.
static bool outweighs(const arb_mat_t A, const arb_mat_t L, double shift, double rest, slong bits)
{
  const slong n = arb_mat_nrows(A);
  arb_t x, s, sum;
  arb_init(x), arb_init(s), arb_init(sum);
  arb_set_d(s, shift);
  for (slong i = 0; i < n; i++)
    for (slong j = 0; j <= i; j++) {
      arb_set(x, arb_mat_entry(A, i, j));
      if (i == j) arb_sub(x, x, s, bits);
      arb_dot(x, x, 1, L->rows[i], 1, L->rows[j], 1, j + 1, bits);
      arb_addmul(sum, x, x, bits);
      if (i > j) arb_addmul(sum, x, x, bits);
    }
  arb_set_d(s, rest);
  arb_mul(s, s, s, bits);
  const bool less = arb_lt(sum, s);
  arb_clear(x), arb_clear(s), arb_clear(sum);
  return less;
}

// A - shift I = L L^T + E with a norm of E that the shift outweighs; L stays for those who want it.
static bool factor_definite(arb_mat_t L, const arb_mat_t A, double margin)
{
  const double least = fmax(margin, ldexp(1, -160));
  const slong bits = margin > ldexp(1, -100) ? 160 : DLS_BITS;
  return approximate_factor(L, A, 1.5 * least, bits) &&
         outweighs(A, L, 1.5 * least, 0.4999 * least, bits);
}

bool dls_ball_definite(const arb_mat_t A, double margin)
{
  const slong n = arb_mat_nrows(A);
  arb_mat_t L;
  arb_mat_init(L, n, n);
  const bool definite = factor_definite(L, A, margin);
  arb_mat_clear(L);
  return definite;
}

// The quadratic form sees only the symmetric part.
static void make_symmetric(arb_mat_t A)
{
  for (slong i = 0; i < arb_mat_nrows(A); i++)
    for (slong j = 0; j < i; j++) {
      arb_ptr x = arb_mat_entry(A, i, j), y = arb_mat_entry(A, j, i);
      arb_add(x, x, y, DLS_BITS);
      arb_mul_2exp_si(x, x, -1);
      arb_set(y, x);
    }
}

bool dls_is_definite(const dls_scaled *A, double margin)
{
  arb_mat_t B;
  arb_mat_init(B, A->rows, A->rows);
  dls_ball_fill(B, A);
  make_symmetric(B);
  const bool proven = dls_ball_definite(B, margin);
  arb_mat_clear(B);
  return proven;
}

// A^T A; T is A^T. Zeros are exact, and there are many of them in large matrices.
static void make_gram(arb_mat_t gram, const arb_mat_t T)
{
  const slong rows = arb_mat_nrows(T), length = arb_mat_ncols(T);
  for (slong i = 0; i < rows; i++) {
    slong first = 0, last = length;
    while (first < last && arb_is_zero(arb_mat_entry(T, i, first))) first++;
    while (first < last && arb_is_zero(arb_mat_entry(T, i, last - 1))) last--;
    for (slong j = 0; j <= i; j++) {
      arb_dot(arb_mat_entry(gram, i, j), NULL, 0, T->rows[i] + first, 1, T->rows[j] + first, 1,
              last - first, DLS_BITS);
      arb_set(arb_mat_entry(gram, j, i), arb_mat_entry(gram, i, j));
    }
  }
}

// A^T A - margin^2 I > 0. Squares do no harm: the products are exact, or nearly so. L: the factor.
static bool factor_gram(arb_mat_t L, const arb_mat_t T, double margin)
{
  arb_mat_t gram;
  arb_mat_init(gram, arb_mat_nrows(T), arb_mat_nrows(T));
  make_gram(gram, T);
  // a larger margin asks for more; margin^2 itself would not be exact
  const bool proven = factor_definite(L, gram, nextafter(margin * margin, INFINITY));
  arb_mat_clear(gram);
  return proven;
}

bool dls_ball_rank(const arb_mat_t A, double margin)
{
  const slong cols = arb_mat_ncols(A);
  if (cols > arb_mat_nrows(A)) return false;
  arb_mat_t T, L;
  arb_mat_init(T, cols, arb_mat_nrows(A)), arb_mat_init(L, cols, cols);
  arb_mat_transpose(T, A);
  const bool proven = factor_gram(L, T, margin);
  arb_mat_clear(T), arb_mat_clear(L);
  return proven;
}

// ---- systems of equations ----------------------------------------------------------------------

// x <- x + (L L^T)^-1 T r, midpoints only.
static void correct(const arb_mat_t L, const arb_mat_t U, const arb_mat_t T, const arb_mat_t r,
                    arb_mat_t x, arb_mat_t step)
{
  enum { BITS = 192 };
  arb_mat_approx_mul(step, T, r, BITS);
  arb_mat_approx_solve_tril(step, L, step, 0, BITS);
  arb_mat_approx_solve_triu(step, U, step, 0, BITS);
  arb_mat_add(x, x, step, DLS_BITS);
  arb_mat_get_mid(x, x);
}

// r = b - A x, and the largest length of its columns.
static void find_residual(const arb_mat_t A, const arb_mat_t b, const arb_mat_t x, arb_mat_t r,
                          arb_t length)
{
  arb_t norm;
  arb_init(norm);
  arb_mat_mul(r, A, x, 2 * DLS_BITS);
  arb_mat_sub(r, b, r, 2 * DLS_BITS);
  arb_mat_frobenius_norm(norm, r, DLS_BITS);
  arb_set(length, norm);
  arb_clear(norm);
}

// |x - solution| <= |b - A x| / sigma_min(A), and sigma_min is larger than the margin.
static void enclose(const arb_t length, double margin, arb_mat_t x)
{
  arb_t bound;
  arf_t most;
  arb_init(bound), arf_init(most);
  arb_set_d(bound, margin);
  arb_div(bound, length, bound, DLS_BITS);
  arb_get_abs_ubound_arf(most, bound, 64);
  for (slong i = 0; i < arb_mat_nrows(x); i++)
    for (slong j = 0; j < arb_mat_ncols(x); j++) arb_add_error_arf(arb_mat_entry(x, i, j), most);
  arb_clear(bound), arf_clear(most);
}

// Refines x until the residual is rounding; false when the factor of a matrix that lies a margin
// below is too far off for that.
static bool refine(const arb_mat_t L, const arb_mat_t A, const arb_mat_t T, const arb_mat_t b,
                   arb_mat_t x, arb_t length)
{
  enum { STEPS = 12 };
  arb_mat_t U, r, step;
  arb_t least;
  arb_mat_init(U, arb_mat_nrows(A), arb_mat_nrows(A)), arb_init(least);
  arb_mat_init(r, arb_mat_nrows(A), arb_mat_ncols(b));
  arb_mat_init(step, arb_mat_nrows(A), arb_mat_ncols(b));
  arb_mat_transpose(U, L);
  arb_mat_zero(x);
  find_residual(A, b, x, r, length);
  arb_mul_2exp_si(least, length, -DLS_BITS + 40);
  for (int k = 0; k < STEPS && arb_gt(length, least); k++) {
    correct(L, U, T, r, x, step);
    find_residual(A, b, x, r, length);
  }
  const bool fine = !arb_gt(length, least);
  arb_mat_clear(U), arb_mat_clear(r), arb_mat_clear(step), arb_clear(least);
  return fine;
}

bool dls_ball_solve(arb_mat_t x, const arb_mat_t A, const arb_mat_t b, double margin)
{
  const slong n = arb_mat_nrows(A);
  arb_mat_t T, L;
  arb_t length;
  arb_mat_init(T, n, n), arb_mat_init(L, n, n), arb_init(length);
  arb_mat_transpose(T, A);
  const bool solved = factor_gram(L, T, margin);
  if (solved) {
    if (!refine(L, A, T, b, x, length) && factor_gram(L, T, margin / 1024))
      refine(L, A, T, b, x, length);
    enclose(length, margin, x);
  }
  arb_mat_clear(T), arb_mat_clear(L), arb_clear(length);
  return solved;
}

bool dls_has_rank(const dls_scaled *A, double margin)
{
  arb_mat_t B;
  arb_mat_init(B, A->rows, A->cols);
  dls_ball_fill(B, A);
  const bool proven = dls_ball_rank(B, margin);
  arb_mat_clear(B);
  return proven;
}
