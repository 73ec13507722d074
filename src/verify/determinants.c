// The matrices of sliding contacts, and the signs of their determinants.        eq (chk.8), (sli.7)
//
// With the unknowns z, the forces of frictionless joints and one number per other contact, x_i its
// force where that is not zero and, at a unilateral contact, minus its acceleration where that is
// not zero, the problem is one piecewise linear equation. Each contact has two columns,
//
//   bilateral:   -(g - mu H xi) for x >= 0,  -(g + mu H xi) for x <= 0
//   unilateral:  e_i for x <= 0 (open),      -(g - mu H xi) for x >= 0 (closed)
//
// and the solution is unique for every load if and only if the determinants of all 2^m choices have
// one sign. With R the matrix of the first choices and S the columns of the second ones these are,
// up to det R, the principal minors of R^-1 S.
#include "verify/determinants.h"

#include "base/memory.h"
#include "verify/search.h"

#include <math.h>

// One that slides counts with the coefficient 0, too, as it does in the limits.
static bool rubs_in(const dls_determinants *s, int contact)
{
  const dls_data *d = &s->x->data;
  return dls_tangents_of(d, contact) > 0 &&
         (s->uniform || d->mu[contact] > 0 || d->sliding[contact]);
}

// Sorts the contacts; fails when one is not sliding.
bool dls_determinants_create(dls_trial *x, dls_finding *f, bool uniform, dls_determinants *s)
{
  const dls_data *d = &x->data;
  const ptrdiff_t n = d->n, m = d->m;
  int *joint = dls_trial_alloc(x, m, sizeof *joint),
      *chosen = dls_trial_alloc(x, m, sizeof *chosen);
  double *A = dls_trial_alloc(x, n * m, sizeof *A);
  *s = (dls_determinants){.x = x, .uniform = uniform, .noise = uniform ? 0 : d->noise};
  s->joint = dls_trial_alloc(x, m, sizeof *s->joint);
  s->contact = dls_trial_alloc(x, m, sizeof *s->contact);
  if (!joint || !chosen || !A || !s->joint || !s->contact) return false;
  int joints = 0;
  for (int j = 0; j < d->m; j++) {
    if (rubs_in(s, j) && !d->sliding[j])
      return dls_fails(x, f, "contact %.60s does not slide", d->contact_name[j]);
    if (rubs_in(s, j) || !dls_is_bilateral(d, j)) {
      s->contact[s->contacts++] = j;
      continue;
    }
    for (ptrdiff_t i = 0; i < n; i++) A[i + n * joints] = d->D[i] * d->g[j][i] * d->C[j];
    joint[joints++] = j;
  }
  s->joints = dls_independent_columns(x, d->n, A, joints, chosen);
  for (int k = 0; k < s->joints; k++) s->joint[k] = joint[chosen[k]];
  s->size = d->n + s->joints + s->contacts;
  return s->joints >= 0;
}

// All determinants are too many from some contacts on.
bool dls_determinants_few(const dls_determinants *s, dls_finding *f)
{
  return s->contacts <= DLS_DETERMINANTS_MAX ||
         dls_fails(s->x, f, "%d contacts: more than %d are not checked", s->contacts,
                   DLS_DETERMINANTS_MAX);
}

// More forces than coordinates: their columns have entries in the rows of the balance only, and the
// determinant is zero.
bool dls_determinants_redundant(const dls_determinants *s, const bool *second)
{
  int forces = s->joints;
  for (int c = 0; c < s->contacts; c++)
    forces += !second || second[c] || dls_is_bilateral(&s->x->data, s->contact[c]);
  return forces > s->x->data.n;
}

// ---- the matrices ------------------------------------------------------------------------------

// -(g - sign mu H xi) in column `to` of A, scaled.
static void set_force_column(const dls_determinants *s, dls_intervals A, int to, int j, int sign)
{
  const dls_data *d = &s->x->data;
  const double mu = s->uniform ? mpfr_get_d(&s->mu->right, MPFR_RNDN) / d->S[j] : d->mu[j];
  const double unit = sign == 0 || !rubs_in(s, j) ? 1 : dls_data_unit(1 / fmax(1, mu));
  mpfi_t product, factor;
  dls_mpfi_init(product), dls_mpfi_init(factor);
  for (int i = 0; i < d->n; i++) {
    mpfi_ptr entry = dls_at(A, i, to);
    mpfi_set_d(entry, -d->g[j][i]);
    for (int k = d->first[j]; rubs_in(s, j) && k < d->first[j + 1]; k++) {
      mpfi_set_d(product, s->uniform ? sign * d->xi[k] / d->S[j] : sign * d->xi[k]);
      mpfi_set_d(factor, dls_slip_column(d, k)[i]);
      mpfi_mul(product, product, factor);
      if (!s->uniform) mpfi_set_d(factor, d->mu[j]);
      dls_add_product(entry, product, s->uniform ? s->mu : factor);
    }
    mpfi_set_d(factor, d->D[i] * d->C[j] * unit);
    mpfi_mul(entry, entry, factor);
  }
  mpfi_clear(product), mpfi_clear(factor);
}

// The first or the second column of contact number c.
static void set_contact_column(const dls_determinants *s, dls_intervals A, int to, int c,
                               bool second)
{
  const dls_data *d = &s->x->data;
  const int j = s->contact[c];
  for (int i = 0; i < s->size; i++) mpfi_set_si(dls_at(A, i, to), 0);
  if (dls_is_bilateral(d, j)) set_force_column(s, A, to, j, second ? -1 : 1);
  else if (second) set_force_column(s, A, to, j, 1);
  else mpfi_set_si(dls_at(A, d->n + s->joints + c, to), 1);
}

// The matrix of one choice for each contact (NULL: the first ones).
static void fill_choice(const dls_determinants *s, dls_intervals A, const bool *second)
{
  const dls_data *d = &s->x->data;
  const int n = d->n;
  const dls_scaled M = dls_scaled_mass(d);
  dls_intervals_zero(A);
  dls_intervals_fill(A, &M);
  for (int c = 0; c < s->joints + s->contacts; c++) {
    const int j = c < s->joints ? s->joint[c] : s->contact[c - s->joints];
    for (int i = 0; i < n; i++) mpfi_set_d(dls_at(A, n + c, i), d->D[i] * d->g[j][i] * d->C[j]);
    if (c < s->joints) set_force_column(s, A, n + c, j, 0);
    else set_contact_column(s, A, n + c, c - s->joints, second && second[c - s->joints]);
  }
}

// ---- all principal minors ----------------------------------------------------------------------

typedef struct recursion {
  int size;
  double noise;
  const double *scale;  // size: of the diagonal
  dls_intervals *work;  // one matrix for each depth
} recursion;

// Principal minors of the matrix at a depth, of size `size - depth`: the first entry, then those
// without the first index, and those with it, which are minors of the Schur complement.
static dls_determinant_signs test_minors(recursion *r, const dls_intervals A, int depth)
{
  const int k = r->size - depth;
  if (k == 0) return DLS_DETERMINANTS_POSITIVE;
  const dls_interval pivot = dls_interval_of(dls_at(A, 0, 0));
  const double border = r->noise * r->scale[depth];
  if (pivot.high < -border) return DLS_DETERMINANTS_NOT;
  if (!(pivot.low > border)) return DLS_DETERMINANTS_UNKNOWN;
  if (k == 1) return DLS_DETERMINANTS_POSITIVE;

  struct dls_intervals *next = r->work[depth];
  for (int i = 1; i < k; i++)
    for (int j = 1; j < k; j++) mpfi_set(dls_at(next, i - 1, j - 1), dls_at(A, i, j));
  dls_determinant_signs found = test_minors(r, next, depth + 1);
  if (found == DLS_DETERMINANTS_NOT) return found;
  mpfi_t factor;
  dls_mpfi_init(factor);
  for (int i = 1; i < k; i++) {
    mpfi_div(factor, dls_at(A, i, 0), dls_at(A, 0, 0));
    for (int j = 1; j < k; j++) {
      mpfi_ptr entry = dls_at(next, i - 1, j - 1);
      mpfi_set(entry, dls_at(A, i, j));
      dls_subtract_product(entry, factor, dls_at(A, 0, j));
    }
  }
  mpfi_clear(factor);
  const dls_determinant_signs with = test_minors(r, next, depth + 1);
  return with == DLS_DETERMINANTS_POSITIVE ? found : with;
}

static dls_determinant_signs test_all(const dls_intervals Q, double noise, int bits)
{
  const int k = Q->rows;
  dls_intervals work[DLS_DETERMINANTS_MAX];
  double scale[DLS_DETERMINANTS_MAX + 1] = {0};
  for (int i = 0; i < k; i++) {
    dls_intervals_init(work[i], k - i - 1, k - i - 1, bits);
    scale[i] = fabs(dls_middle(dls_at(Q, i, i)));
  }
  recursion r = {.size = k, .noise = noise, .scale = scale, .work = work};
  const dls_determinant_signs found = test_minors(&r, Q, 0);
  for (int i = 0; i < k; i++) dls_intervals_clear(work[i]);
  return found;
}

// R^-1 S on the contacts, and its principal minors.
static dls_determinant_signs test_sliding(const dls_determinants *s, int bits)
{
  const int m = s->contacts, from = s->size - m;
  const int most = dls_bits_for(s->size);
  dls_intervals R, S, Q;
  dls_intervals_init(R, s->size, s->size, most), dls_intervals_init(S, s->size, m, most);
  dls_intervals_init(Q, m, m, bits);
  fill_choice(s, R, NULL);
  for (int c = 0; c < m; c++) set_contact_column(s, S, c, c, true);
  dls_determinant_signs found = DLS_DETERMINANTS_UNKNOWN;
  if ((s->noise == 0 || dls_intervals_rank(R, s->noise)) && dls_intervals_eliminate(R, S, NULL)) {
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) mpfi_set(dls_at(Q, i, j), dls_at(S, from + i, j));
    found = test_all(Q, s->noise, bits);
  }
  dls_intervals_clear(R), dls_intervals_clear(S), dls_intervals_clear(Q);
  return found;
}

dls_determinant_signs dls_determinants_quick(const dls_determinants *s)
{
  enum { FEW_BITS = 128 };
  return test_sliding(s, FEW_BITS);
}

dls_determinant_signs dls_determinants_test(const dls_determinants *s)
{
  const dls_determinant_signs found = dls_determinants_quick(s);
  return found == DLS_DETERMINANTS_UNKNOWN ? test_sliding(s, dls_bits_for(s->contacts)) : found;
}

// ---- single determinants -----------------------------------------------------------------------

// May entry i, j change with masses, gradients and tangents?
static bool is_data(const dls_determinants *s, const bool *second, int i, int j)
{
  const int n = s->x->data.n, c = j - n - s->joints;
  if (i < n && j < n) return true;
  if (i >= n && j >= n) return false;
  if (i >= n || c < 0) return true;
  return dls_is_bilateral(&s->x->data, s->contact[c]) || (second && second[c]);
}

// 1 / rho(|A^-1| E) with E = 1 for all data, which are about 1: how far the matrix is from a
// singular one, to a small factor. rho(B) is about |B^p|^(1/p), p = 128.             eq (sli.7)
static double distance_of(const dls_determinants *s, const bool *second,
                          const dls_intervals inverse)
{
  const int N = s->size;
  double *B = dls_trial_alloc(s->x, 2 * (ptrdiff_t)N * N, sizeof *B), logarithm = 0, part = 1;
  if (!B) return (double)NAN;
  double *next = B + N * N;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) {
      const double size = dls_interval_abs(dls_interval_of(dls_at(inverse, i, k))).high;
      for (int j = 0; j < N; j++)
        if (is_data(s, second, k, j)) B[i + N * j] += size;
    }
  for (int step = 0; step < 8; step++) {
    double largest = 0;
    for (int k = 0; k < N * N; k++) largest = fmax(largest, B[k]);
    if (!(largest > 0)) return INFINITY;
    logarithm += part * log2(largest), part /= 2;
    for (int k = 0; k < N * N; k++) B[k] /= largest, next[k] = 0;
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++) next[i + N * j] += B[i + N * k] * B[k + N * j];
    dls_copy(B, next, (ptrdiff_t)N * (ptrdiff_t)N);
  }
  return exp2(-logarithm);
}

// 1, -1, or 0 where the matrix is singular or at most `zero` from it.
int dls_determinants_sign(const dls_determinants *s, const bool *second, double zero)
{
  if (dls_determinants_redundant(s, second)) return 0;
  const int bits = dls_bits_for(s->size);
  dls_intervals A, inverse;
  mpfi_t det;
  dls_mpfi_init(det);
  dls_intervals_init(A, s->size, s->size, bits),
      dls_intervals_init(inverse, s->size, s->size, bits);
  for (int i = 0; i < s->size; i++) mpfi_set_si(dls_at(inverse, i, i), 1);
  fill_choice(s, A, second);
  const bool regular = dls_intervals_eliminate(A, inverse, det);
  // what intervals of that precision do not tell from zero is far below the tolerance
  int sign = mpfi_is_strictly_pos(det) ? 1 : mpfi_is_strictly_neg(det) ? -1 : 0;
  if (sign && regular && distance_of(s, second, inverse) <= zero) sign = 0;
  dls_intervals_clear(A), dls_intervals_clear(inverse);
  mpfi_clear(det);
  return sign;
}

// The signs of all determinants, as bits: 1 negative, 2 zero, 4 positive.
static unsigned all_signs(const dls_determinants *s, double zero)
{
  bool second[DLS_DETERMINANTS_MAX] = {false};
  unsigned signs = 0;
  for (int pattern = 0; pattern < 1 << s->contacts; pattern++) {
    for (int c = 0; c < s->contacts; c++) second[c] = pattern >> c & 1;
    signs |= 1u << (1 + dls_determinants_sign(s, second, zero));
  }
  return signs;
}

// Where there are too many contacts to look at each choice, what intervals tell.
enum { MOST_CHOICES = 10 };

bool dls_determinants_nonzero(const dls_determinants *s)
{
  return s->contacts > MOST_CHOICES || !(all_signs(s, s->x->data.noise) & 2);
}

bool dls_determinants_lost(const dls_determinants *s)
{
  return s->contacts > MOST_CHOICES || (all_signs(s, 0) & 2) ||
         (all_signs(s, s->x->data.noise) & 5) == 5;
}

// Minors of nearly parallel contacts are small of the second order: there each matrix itself must
// be farther from singular than rounding.
dls_determinant_signs dls_determinants_beyond(dls_determinants *s)
{
  const dls_determinant_signs found = dls_determinants_test(s);
  if (found != DLS_DETERMINANTS_UNKNOWN || s->contacts > MOST_CHOICES) return found;
  s->noise = 0;
  return dls_determinants_test(s) == DLS_DETERMINANTS_POSITIVE && dls_determinants_nonzero(s)
             ? DLS_DETERMINANTS_POSITIVE
             : DLS_DETERMINANTS_UNKNOWN;
}
