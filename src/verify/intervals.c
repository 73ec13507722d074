#include "verify/intervals.h"

#include "verify/guard.h"

#include <math.h>

dls_interval dls_interval_of(mpfi_srcptr x)
{
  if (!mpfi_bounded_p(x)) return (dls_interval){-INFINITY, INFINITY};
  return (dls_interval){mpfr_get_d(&x->left, MPFR_RNDD), mpfr_get_d(&x->right, MPFR_RNDU)};
}

double dls_middle(mpfi_srcptr x)
{
  return mpfi_get_d(x);
}

// ---- products ----------------------------------------------------------------------------------

// The product as it is, in memory of its own: mpfr_fma allocates each time.
enum { PRODUCT_LIMBS = 64 };

void dls_fused(mpfr_ptr y, mpfr_srcptr a, mpfr_srcptr b, bool subtract, mpfr_rnd_t rounding)
{
  if (mpfr_zero_p(a) || mpfr_zero_p(b)) return;
  const mpfr_prec_t bits = mpfr_get_prec(a) + mpfr_get_prec(b);
  mp_limb_t limb[PRODUCT_LIMBS];
  mpfr_t product;
  if (mpfr_custom_get_size(bits) > sizeof limb) {
    mpfr_init2(product, bits);
  } else {
    mpfr_custom_init(limb, bits);
    mpfr_custom_init_set(product, MPFR_ZERO_KIND, 0, bits, limb);
  }
  mpfr_mul(product, a, b, MPFR_RNDN);  // exact
  if (subtract) mpfr_sub(y, y, product, rounding);
  else mpfr_add(y, y, product, rounding);
  if (mpfr_custom_get_size(bits) > sizeof limb) mpfr_clear(product);
}

// Which ends of a and b have the smallest and the largest product; false when that is not known
// from their signs, since zero lies within both.
typedef struct corners {
  mpfr_srcptr low_a, low_b, high_a, high_b;
} corners;

static bool find_corners(mpfi_srcptr a, mpfi_srcptr b, corners *c)
{
  const mpfr_srcptr al = &a->left, ar = &a->right, bl = &b->left, br = &b->right;
  const bool a_up = mpfr_sgn(al) >= 0, a_down = mpfr_sgn(ar) <= 0;
  const bool b_up = mpfr_sgn(bl) >= 0, b_down = mpfr_sgn(br) <= 0;
  if (a_up) *c = (corners){b_up ? al : ar, bl, b_down ? al : ar, br};
  else if (a_down) *c = (corners){b_down ? ar : al, br, b_up ? ar : al, bl};
  else if (b_up) *c = (corners){al, br, ar, br};
  else *c = (corners){ar, bl, al, bl};
  return a_up || a_down || b_up || b_down;
}

static bool ordinary(mpfi_srcptr x)
{
  return !mpfr_nan_p(&x->left) && !mpfr_inf_p(&x->left) && !mpfr_nan_p(&x->right) &&
         !mpfr_inf_p(&x->right);
}

static void add_or_subtract(mpfi_ptr x, mpfi_srcptr a, mpfi_srcptr b, bool subtract)
{
  corners c;
  if (ordinary(a) && ordinary(b) && find_corners(a, b, &c)) {
    dls_fused(&x->left, subtract ? c.high_a : c.low_a, subtract ? c.high_b : c.low_b, subtract,
              MPFR_RNDD);
    dls_fused(&x->right, subtract ? c.low_a : c.high_a, subtract ? c.low_b : c.high_b, subtract,
              MPFR_RNDU);
    return;
  }
  mpfi_t product;
  mpfi_init2(product, mpfi_get_prec(x));
  mpfi_mul(product, a, b);
  if (subtract) mpfi_sub(x, x, product);
  else mpfi_add(x, x, product);
  mpfi_clear(product);
}

void dls_add_product(mpfi_ptr x, mpfi_srcptr a, mpfi_srcptr b)
{
  add_or_subtract(x, a, b, false);
}

void dls_subtract_product(mpfi_ptr x, mpfi_srcptr a, mpfi_srcptr b)
{
  add_or_subtract(x, a, b, true);
}

// ---- matrices ----------------------------------------------------------------------------------

static size_t count_of(const dls_intervals A)
{
  return (size_t)A->rows * (size_t)A->cols;
}

// In bytes: the entries, then the digits of their ends.
static size_t size_of(const dls_intervals A)
{
  return count_of(A) * (sizeof *A->entry + 2 * mpfr_custom_get_size(A->bits));
}

// All in one block, taken from where GMP takes its own, so that the guard knows of it.
void dls_intervals_init(dls_intervals A, int rows, int cols, int bits)
{
  void *(*take)(size_t);
  mp_get_memory_functions(&take, NULL, NULL);
  A->rows = rows, A->cols = cols, A->bits = bits;
  A->entry = NULL;
  if (count_of(A) == 0) return;
  A->entry = take(size_of(A));
  char *digits = (char *)(A->entry + count_of(A));
  for (size_t k = 0; k < count_of(A); k++) {
    mpfr_ptr end[2] = {&A->entry[k]->left, &A->entry[k]->right};
    for (int e = 0; e < 2; e++, digits += mpfr_custom_get_size(bits)) {
      mpfr_custom_init(digits, bits);
      mpfr_custom_init_set(end[e], MPFR_ZERO_KIND, 0, bits, digits);
    }
  }
}

void dls_intervals_clear(dls_intervals A)
{
  void (*release)(void *, size_t);
  mp_get_memory_functions(NULL, NULL, &release);
  if (A->entry) release(A->entry, size_of(A));
}

void dls_intervals_zero(dls_intervals A)
{
  for (size_t k = 0; k < count_of(A); k++) mpfi_set_si(A->entry[k], 0);
}

void dls_intervals_set(dls_intervals to, const dls_intervals A)
{
  for (size_t k = 0; k < count_of(A); k++) mpfi_set(to->entry[k], A->entry[k]);
}

void dls_intervals_transpose(dls_intervals to, const dls_intervals A)
{
  for (int i = 0; i < A->rows; i++)
    for (int j = 0; j < A->cols; j++) mpfi_set(dls_at(to, j, i), dls_at(A, i, j));
}

void dls_intervals_multiply(dls_intervals to, const dls_intervals A, const dls_intervals B)
{
  dls_intervals_zero(to);
  for (int i = 0; i < A->rows; i++)
    for (int k = 0; k < A->cols; k++) {
      dls_guard_look();
      if (mpfi_is_zero(dls_at(A, i, k))) continue;
      for (int j = 0; j < B->cols; j++)
        dls_add_product(dls_at(to, i, j), dls_at(A, i, k), dls_at(B, k, j));
    }
}

// ---- factors -----------------------------------------------------------------------------------

bool dls_intervals_cholesky(dls_intervals A)
{
  for (int i = 0; i < A->rows; i++)
    for (int j = 0; j <= i; j++) {
      mpfi_ptr x = dls_at(A, i, j);
      dls_guard_look();
      for (int k = 0; k < j; k++) dls_subtract_product(x, dls_at(A, i, k), dls_at(A, j, k));
      if (i > j) mpfi_div(x, x, dls_at(A, j, j));
      else if (mpfi_is_strictly_pos(x)) mpfi_sqrt(x, x);
      else return false;
    }
  return true;
}

bool dls_intervals_ldl(dls_intervals A)
{
  for (int j = 0; j < A->rows; j++) {
    if (!mpfi_is_strictly_pos(dls_at(A, j, j))) return false;
    for (int i = j + 1; i < A->rows; i++) {  // the upper half keeps L D until the end of the column
      mpfi_set(dls_at(A, j, i), dls_at(A, i, j));
      mpfi_div(dls_at(A, i, j), dls_at(A, i, j), dls_at(A, j, j));
    }
    for (int i = j + 1; i < A->rows; i++) {
      dls_guard_look();
      for (int k = j + 1; k <= i; k++)
        dls_subtract_product(dls_at(A, i, k), dls_at(A, i, j), dls_at(A, j, k));
    }
  }
  return true;
}

void dls_intervals_forward(const dls_intervals L, bool unit, dls_intervals X)
{
  for (int i = 0; i < X->rows; i++)
    for (int j = 0; j < X->cols; j++) {
      for (int k = 0; k < i; k++)
        dls_subtract_product(dls_at(X, i, j), dls_at(L, i, k), dls_at(X, k, j));
      if (!unit) mpfi_div(dls_at(X, i, j), dls_at(X, i, j), dls_at(L, i, i));
    }
}

void dls_intervals_backward(const dls_intervals L, dls_intervals X)
{
  for (int i = X->rows - 1; i >= 0; i--)
    for (int j = 0; j < X->cols; j++) {
      for (int k = i + 1; k < X->rows; k++)
        dls_subtract_product(dls_at(X, i, j), dls_at(L, k, i), dls_at(X, k, j));
      mpfi_div(dls_at(X, i, j), dls_at(X, i, j), dls_at(L, i, i));
    }
}

// ---- elimination -------------------------------------------------------------------------------

static void swap_rows(dls_intervals A, int i, int k)
{
  for (int j = 0; j < A->cols; j++) mpfi_swap(dls_at(A, i, j), dls_at(A, k, j));
}

// The row from k on whose entry in column k is farthest from zero; -1 when each may be zero.
static int find_pivot(const dls_intervals A, int k)
{
  int best = -1;
  mpfr_t size, largest;
  mpfr_init2(size, 53), mpfr_init2(largest, 53);
  for (int i = k; i < A->rows; i++) {
    if (mpfi_has_zero(dls_at(A, i, k)) || !mpfi_bounded_p(dls_at(A, i, k))) continue;
    mpfi_mig(size, dls_at(A, i, k));
    if (best < 0 || mpfr_greater_p(size, largest)) {
      best = i;
      mpfr_set(largest, size, MPFR_RNDN);
    }
  }
  mpfr_clear(size), mpfr_clear(largest);
  return best;
}

// Column j of the rows below k less the multiples of row k that stand in column k of A.
static void eliminate_column(const dls_intervals A, int k, dls_intervals X, int j)
{
  dls_guard_look();
  if (mpfi_is_zero(dls_at(X, k, j))) return;
  for (int i = k + 1; i < A->rows; i++)
    if (!mpfi_is_zero(dls_at(A, i, k)))
      dls_subtract_product(dls_at(X, i, j), dls_at(A, i, k), dls_at(X, k, j));
}

static void eliminate_below(dls_intervals A, int k, dls_intervals X)
{
  for (int i = k + 1; i < A->rows; i++)
    if (!mpfi_is_zero(dls_at(A, i, k))) mpfi_div(dls_at(A, i, k), dls_at(A, i, k), dls_at(A, k, k));
  for (int j = k + 1; j < A->cols; j++) eliminate_column(A, k, A, j);
  for (int j = 0; j < X->cols; j++) eliminate_column(A, k, X, j);
}

static void substitute_back(const dls_intervals U, dls_intervals X)
{
  for (int k = U->rows - 1; k >= 0; k--)
    for (int j = 0; j < X->cols; j++) {
      if (mpfi_is_zero(dls_at(X, k, j))) continue;
      mpfi_div(dls_at(X, k, j), dls_at(X, k, j), dls_at(U, k, k));
      for (int i = 0; i < k; i++)
        if (!mpfi_is_zero(dls_at(U, i, k)))
          dls_subtract_product(dls_at(X, i, j), dls_at(U, i, k), dls_at(X, k, j));
    }
}

bool dls_intervals_eliminate(dls_intervals A, dls_intervals X, mpfi_ptr det)
{
  if (det) mpfi_set_si(det, 1);
  for (int k = 0; k < A->rows; k++) {
    const int pivot = find_pivot(A, k);
    if (pivot < 0) {
      if (det) mpfi_set_si(det, 0);
      return false;
    }
    if (pivot != k) {
      swap_rows(A, k, pivot), swap_rows(X, k, pivot);
      if (det) mpfi_neg(det, det);
    }
    if (det) mpfi_mul(det, det, dls_at(A, k, k));
    eliminate_below(A, k, X);
  }
  substitute_back(A, X);
  return true;
}
