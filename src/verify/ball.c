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
  return DLS_BITS + 4 * (slong)size;
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

bool dls_ball_definite(const arb_mat_t A, double margin, slong bits)
{
  const slong n = arb_mat_nrows(A);
  arb_mat_t shifted, L;
  arb_t s;
  arb_init(s);
  arb_mat_init(shifted, n, n), arb_mat_init(L, n, n);
  arb_mat_set(shifted, A);
  arb_set_d(s, margin);
  for (slong i = 0; i < n; i++)
    arb_sub(arb_mat_entry(shifted, i, i), arb_mat_entry(shifted, i, i), s, bits);
  const bool definite = n == 0 || arb_mat_cho(L, shifted, bits);
  arb_mat_clear(shifted), arb_mat_clear(L);
  arb_clear(s);
  return definite;
}

// The quadratic form sees only the symmetric part.
static void make_symmetric(arb_mat_t A, slong bits)
{
  for (slong i = 0; i < arb_mat_nrows(A); i++)
    for (slong j = 0; j < i; j++) {
      arb_ptr x = arb_mat_entry(A, i, j), y = arb_mat_entry(A, j, i);
      arb_add(x, x, y, bits);
      arb_mul_2exp_si(x, x, -1);
      arb_set(y, x);
    }
}

bool dls_is_definite(const dls_scaled *A, double margin)
{
  const slong most = dls_ball_bits(A->rows);
  bool proven = false;
  arb_mat_t B;
  arb_mat_init(B, A->rows, A->rows);
  for (slong bits = 128; !proven && bits <= most; bits = bits < most ? most : most + 1) {
    dls_ball_fill(B, A);
    make_symmetric(B, bits);
    proven = dls_ball_definite(B, margin, bits);
  }
  arb_mat_clear(B);
  return proven;
}

// A^T A - margin^2 I > 0. Squares do no harm: the products are exact, or nearly so.
bool dls_ball_rank(const arb_mat_t A, double margin, slong bits)
{
  const slong cols = arb_mat_ncols(A);
  if (cols > arb_mat_nrows(A)) return false;
  arb_mat_t T, gram;
  arb_mat_init(T, cols, arb_mat_nrows(A)), arb_mat_init(gram, cols, cols);
  arb_mat_transpose(T, A);
  arb_mat_mul(gram, T, A, bits);
  // a larger margin asks for more; margin^2 itself would not be exact
  const bool proven = dls_ball_definite(gram, nextafter(margin * margin, INFINITY), bits);
  arb_mat_clear(T), arb_mat_clear(gram);
  return proven;
}

bool dls_has_rank(const dls_scaled *A, double margin)
{
  const slong most = dls_ball_bits(A->cols);
  bool proven = A->cols == 0;
  arb_mat_t B;
  arb_mat_init(B, A->rows, A->cols);
  dls_ball_fill(B, A);
  for (slong bits = 128; !proven && bits <= most; bits = bits < most ? most : most + 1)
    proven = dls_ball_rank(B, margin, bits);
  arb_mat_clear(B);
  return proven;
}
