// Sliding friction: is the solution unique for every load?                       eq (chk.8)
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
#include "base/memory.h"
#include "verify/checks.h"
#include "verify/search.h"

#include <math.h>
#include <string.h>

enum { MOST_CONTACTS = 20 };

typedef struct sliding {
  dls_trial *x;
  int joints, *joint;      // frictionless bilateral contacts, independent ones
  int contacts, *contact;  // the others
  int size;                // n + joints + contacts
  mpfi_t mu;               // one coefficient for all contacts with slips...
  bool uniform;            // ... or those of the model
  double noise;            // of the data; a bracket has its own margin, its width
} sliding;

// One that slides counts with the coefficient 0, too, as it does in the limits.
static bool rubs_in(const sliding *s, int contact)
{
  const dls_data *d = &s->x->data;
  return dls_tangents_of(d, contact) > 0 &&
         (s->uniform || d->mu[contact] > 0 || d->sliding[contact]);
}

// Sorts the contacts; fails when one is not sliding.
static bool sort_contacts(dls_trial *x, dls_finding *f, bool uniform, sliding *s)
{
  const dls_data *d = &x->data;
  const ptrdiff_t n = d->n, m = d->m;
  int *joint = dls_trial_alloc(x, m, sizeof *joint),
      *chosen = dls_trial_alloc(x, m, sizeof *chosen);
  double *A = dls_trial_alloc(x, n * m, sizeof *A);
  *s = (sliding){.x = x, .uniform = uniform, .noise = uniform ? 0 : d->noise};
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
static bool few_enough(const sliding *s, dls_finding *f)
{
  return s->contacts <= MOST_CONTACTS ||
         dls_fails(s->x, f, "%d contacts: more than %d are not checked", s->contacts,
                   MOST_CONTACTS);
}

// More forces than coordinates: their columns have entries in the rows of the balance only, and the
// determinant is zero.
static bool more_forces(const sliding *s, const bool *second)
{
  int forces = s->joints;
  for (int c = 0; c < s->contacts; c++)
    forces += !second || second[c] || dls_is_bilateral(&s->x->data, s->contact[c]);
  return forces > s->x->data.n;
}

// ---- the matrices ------------------------------------------------------------------------------

// -(g - sign mu H xi) in column `to` of A, scaled.
static void set_force_column(const sliding *s, dls_intervals A, int to, int j, int sign)
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
static void set_contact_column(const sliding *s, dls_intervals A, int to, int c, bool second)
{
  const dls_data *d = &s->x->data;
  const int j = s->contact[c];
  for (int i = 0; i < s->size; i++) mpfi_set_si(dls_at(A, i, to), 0);
  if (dls_is_bilateral(d, j)) set_force_column(s, A, to, j, second ? -1 : 1);
  else if (second) set_force_column(s, A, to, j, 1);
  else mpfi_set_si(dls_at(A, d->n + s->joints + c, to), 1);
}

// The matrix of one choice for each contact (NULL: the first ones).
static void fill_choice(const sliding *s, dls_intervals A, const bool *second)
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

typedef enum minors { MINORS_UNKNOWN, MINORS_POSITIVE, MINORS_NOT } minors;

typedef struct recursion {
  int size;
  double noise;
  const double *scale;  // size: of the diagonal
  dls_intervals *work;  // one matrix for each depth
} recursion;

// Principal minors of the matrix at a depth, of size `size - depth`: the first entry, then those
// without the first index, and those with it, which are minors of the Schur complement.
static minors test_minors(recursion *r, const dls_intervals A, int depth)
{
  const int k = r->size - depth;
  if (k == 0) return MINORS_POSITIVE;
  const dls_interval pivot = dls_interval_of(dls_at(A, 0, 0));
  const double border = r->noise * r->scale[depth];
  if (pivot.high < -border) return MINORS_NOT;
  if (!(pivot.low > border)) return MINORS_UNKNOWN;
  if (k == 1) return MINORS_POSITIVE;

  struct dls_intervals *next = r->work[depth];
  for (int i = 1; i < k; i++)
    for (int j = 1; j < k; j++) mpfi_set(dls_at(next, i - 1, j - 1), dls_at(A, i, j));
  minors found = test_minors(r, next, depth + 1);
  if (found == MINORS_NOT) return found;
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
  const minors with = test_minors(r, next, depth + 1);
  return with == MINORS_POSITIVE ? found : with;
}

static minors test_all(const dls_intervals Q, double noise, int bits)
{
  const int k = Q->rows;
  dls_intervals work[MOST_CONTACTS];
  double scale[MOST_CONTACTS + 1];
  for (int i = 0; i < k; i++) {
    dls_intervals_init(work[i], k - i - 1, k - i - 1, bits);
    scale[i] = fabs(dls_middle(dls_at(Q, i, i)));
  }
  recursion r = {.size = k, .noise = noise, .scale = scale, .work = work};
  const minors found = test_minors(&r, Q, 0);
  for (int i = 0; i < k; i++) dls_intervals_clear(work[i]);
  return found;
}

// R^-1 S on the contacts, and its principal minors.
static minors test_sliding(const sliding *s, int bits)
{
  const int m = s->contacts, from = s->size - m;
  const int most = dls_bits_for(s->size);
  dls_intervals R, S, Q;
  dls_intervals_init(R, s->size, s->size, most), dls_intervals_init(S, s->size, m, most);
  dls_intervals_init(Q, m, m, bits);
  fill_choice(s, R, NULL);
  for (int c = 0; c < m; c++) set_contact_column(s, S, c, c, true);
  minors found = MINORS_UNKNOWN;
  if ((s->noise == 0 || dls_intervals_rank(R, s->noise)) && dls_intervals_eliminate(R, S, NULL)) {
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) mpfi_set(dls_at(Q, i, j), dls_at(S, from + i, j));
    found = test_all(Q, s->noise, bits);
  }
  dls_intervals_clear(R), dls_intervals_clear(S), dls_intervals_clear(Q);
  return found;
}

static minors test(const sliding *s)
{
  const minors found = test_sliding(s, 128);
  return found == MINORS_UNKNOWN ? test_sliding(s, dls_bits_for(s->contacts)) : found;
}

// ---- unique_for_every_load ---------------------------------------------------------------------

// The choice that a witness names: a sign per bilateral contact, the unilateral ones that are
// closed.
static bool read_choice(const sliding *s, dls_finding *f, const json_t *witness,
                        const char *sign_key, const char *closed_key, bool *second)
{
  dls_trial *x = s->x;
  const dls_data *d = &x->data;
  double *sign = dls_trial_alloc(x, d->m, sizeof *sign);
  int *closed = dls_trial_alloc(x, d->m, sizeof *closed), count = 0;
  const char *const *names = d->contact_name;
  const json_t *signs = json_object_get(witness, sign_key);
  if (!sign || !closed) return false;
  for (int j = 0; j < d->m; j++) sign[j] = 1;
  if (signs && !dls_read_named(x, f, signs, sign_key, names, d->m_b, sign)) return false;
  if (dls_has(witness, closed_key))
    count = dls_read_set(x, f, witness, closed_key, names + d->m_b, d->m - d->m_b, closed);
  if (!signs && !dls_has(witness, closed_key))
    return dls_fails(x, f, "the witness is incomplete: neither %s nor %s", sign_key, closed_key);
  for (int c = 0; c < s->contacts && count >= 0; c++) {
    const int j = s->contact[c];
    if (dls_is_bilateral(d, j) && fabs(sign[j]) != 1)
      return dls_fails(x, f, "%s.%.60s is neither 1 nor -1", sign_key, d->contact_name[j]);
    second[c] = dls_is_bilateral(d, j) && sign[j] < 0;
    for (int k = 0; k < count; k++) second[c] |= closed[k] + d->m_b == j;
  }
  return count >= 0;
}

// May entry i, j change with masses, gradients and tangents?
static bool is_data(const sliding *s, const bool *second, int i, int j)
{
  const int n = s->x->data.n, c = j - n - s->joints;
  if (i < n && j < n) return true;
  if (i >= n && j >= n) return false;
  if (i >= n || c < 0) return true;
  return dls_is_bilateral(&s->x->data, s->contact[c]) || (second && second[c]);
}

// 1 / rho(|A^-1| E) with E = 1 for all data, which are about 1: how far the matrix is from a
// singular one, to a small factor. rho(B) is about |B^p|^(1/p), p = 128.             eq (sli.7)
static double distance_of(const sliding *s, const bool *second, const dls_intervals inverse)
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
static int sign_of_determinant(const sliding *s, const bool *second, double zero)
{
  if (more_forces(s, second)) return 0;
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

static void check_lost(const sliding *s, dls_finding *f, const json_t *witness)
{
  dls_trial *x = s->x;
  bool *first = dls_trial_alloc(x, s->contacts, sizeof *first);
  bool *other = dls_trial_alloc(x, s->contacts, sizeof *other);
  if (!first || !other || !read_choice(s, f, witness, "signs", "closed", first) ||
      !read_choice(s, f, witness, "other_signs", "other_closed", other))
    return;
  const int a = sign_of_determinant(s, first, x->tolerance);
  const int b = sign_of_determinant(s, other, x->tolerance);
  if (a == 0 || b == 0) dls_proves(x, f, "a determinant is zero, up to the tolerance");
  else if (a != b) dls_proves(x, f, "the two determinants have opposite signs");
  else dls_fails(x, f, "the two determinants have the same sign");
}

// Minors of nearly parallel contacts are small of the second order: there each matrix itself must
// be farther from singular than rounding.
static minors test_beyond_rounding(sliding *s)
{
  enum { MOST_CHOICES = 10 };
  bool second[MOST_CONTACTS] = {false};
  const minors found = test(s);
  if (found != MINORS_UNKNOWN || s->contacts > MOST_CHOICES) return found;
  s->noise = 0;
  bool beyond = test(s) == MINORS_POSITIVE;
  for (int pattern = 0; beyond && pattern < 1 << s->contacts; pattern++) {
    for (int c = 0; c < s->contacts; c++) second[c] = pattern >> c & 1;
    beyond = sign_of_determinant(s, second, s->x->data.noise) != 0;
  }
  return beyond ? MINORS_POSITIVE : MINORS_UNKNOWN;
}

void dls_check_every_load(dls_trial *x, dls_finding *f, const json_t *witness, bool yes)
{
  sliding s;
  if (!sort_contacts(x, f, false, &s)) return;
  if (!yes) {
    check_lost(&s, f, witness);
    return;
  }
  if (!few_enough(&s, f)) return;
  switch (test_beyond_rounding(&s)) {
  case MINORS_POSITIVE:
    dls_proves(x, f, "all 2^%d determinants have one sign: recursion in intervals", s.contacts);
    break;
  case MINORS_NOT: dls_fails(x, f, "determinants of both signs exist"); break;
  case MINORS_UNKNOWN: dls_fails(x, f, "a determinant is zero, up to rounding"); break;
  }
}

// ---- limits ------------------------------------------------------------------------------------

// The property for every coefficient from low to high: the interval as it is, halved where that
// is too coarse. budget: how many more tests.
static bool holds_between(sliding *s, double low, double high, long *budget)
{
  if (--*budget < 0) return false;
  mpfi_interv_d(s->mu, low, high);
  if (test_sliding(s, 128) == MINORS_POSITIVE) return true;
  const double middle = low + (high - low) / 2;
  if (!(low < middle && middle < high)) return false;
  return holds_between(s, low, middle, budget) && holds_between(s, middle, high, budget);
}

static minors test_at(sliding *s, double mu)
{
  mpfi_set_d(s->mu, mu);
  return test(s);
}

// The number of that key; NaN when it is null or absent, false after dls_fails when it is no
// number.
static bool read_limit(dls_trial *x, dls_finding *f, const json_t *limit, const char *key,
                       double *value)
{
  const json_t *number = json_object_get(limit, key);
  *value = (double)NAN;
  if (!number || json_is_null(number)) return true;
  if (!json_is_number(number) || !(json_number_value(number) >= 0))
    return dls_fails(x, f, "%s is not a number >= 0", key);
  *value = json_number_value(number);
  return true;
}

static void prove_below(sliding *s, dls_finding *f, double mu, double lost_at)
{
  // a test takes 2^contacts steps
  long budget = s->contacts < 5 ? 8192 : 262144L >> s->contacts;
  if (test_at(s, mu) != MINORS_POSITIVE) {
    dls_fails(s->x, f, "the determinants do not have one sign at %.9g", mu);
    return;
  }
  const bool all = holds_between(s, 0, mu, &budget);
  if (isnan(lost_at))
    dls_proves(s->x, f, "unique for every load %s %.12g", all ? "up to" : "at", mu);
  else
    dls_proves(s->x, f, "unique for every load %s %.12g, not at %.12g", all ? "up to" : "at", mu,
               lost_at);
}

// With all contacts closed.
static bool depends_when_closed(const sliding *s)
{
  bool *second = dls_trial_alloc(s->x, s->contacts, sizeof *second);
  for (int k = 0; second && k < s->contacts; k++)
    second[k] = !dls_is_bilateral(&s->x->data, s->contact[k]);
  return second && sign_of_determinant(s, second, s->x->tolerance) == 0;
}

// Lost without friction: a determinant is zero or of the other sign where the coefficient is 0.
static void check_lost_at_once(sliding *s, dls_finding *f)
{
  s->noise = s->x->data.noise;
  mpfi_set_si(s->mu, 0);
  switch (test(s)) {
  case MINORS_NOT: dls_proves(s->x, f, "not unique for every load without friction"); break;
  case MINORS_UNKNOWN:
    dls_proves(s->x, f, "a determinant is zero, up to rounding, without friction");
    break;
  case MINORS_POSITIVE:
    if (depends_when_closed(s))
      dls_proves(s->x, f, "a determinant is zero, up to the tolerance, without friction");
    else dls_fails(s->x, f, "unique for every load without friction");
    break;
  }
}

// Those that are given, where the value is not.
static void check_bounds(sliding *s, dls_finding *f, double low, double high)
{
  if (!isnan(high) && test_at(s, high) != MINORS_NOT)
    dls_fails(s->x, f, "determinants of both signs are not found at %.9g", high);
  else if (!isnan(low)) prove_below(s, f, low, high);
  else dls_proves(s->x, f, "not unique for every load at %.12g", high);
}

static void check_bracket(sliding *s, dls_finding *f, double value, double low, double high)
{
  if (isnan(low) || isnan(high))
    low = value * (1 - half_bracket), high = value * (1 + half_bracket);
  if (!(low <= value && value <= high)) {
    dls_fails(s->x, f, "the value %.9g is not between %.9g and %.9g", value, low, high);
    return;
  }
  if (value == 0) check_lost_at_once(s, f);
  else check_bounds(s, f, low, high);
  if (f->found == DLS_FOUND_HOLDS && high - low > bracket_width * high)
    dls_leaves_open(s->x, f, "the value lies between %.9g and %.9g, no more is shown", low, high);
}

static bool is_infinite(const json_t *limit)
{
  const char *reason = json_string_value(json_object_get(limit, "reason"));
  return reason && strncmp(reason, "infinite", 8) == 0;
}

void dls_check_critical(dls_trial *x, dls_finding *f, const json_t *limit)
{
  double value, low, high;
  sliding s;
  if (!read_limit(x, f, limit, "value", &value) || !read_limit(x, f, limit, "low", &low) ||
      !read_limit(x, f, limit, "high", &high))
    return;
  const bool infinite = is_infinite(limit), bounded = !isnan(low) || !isnan(high);
  if (infinite && (!isnan(value) || bounded)) {
    dls_fails(x, f, "what is infinite has no value and no bounds");
    return;
  }
  if ((isnan(value) && !infinite && !bounded) || !sort_contacts(x, f, true, &s)) return;
  if (value == 0 && !bounded && more_forces(&s, NULL)) {
    dls_proves(x, f, "more contacts than coordinates: not unique without friction");
    return;
  }
  if (!few_enough(&s, f)) return;
  dls_mpfi_init(s.mu);
  if (infinite) prove_below(&s, f, infinite_friction, (double)NAN);
  else if (isnan(value)) check_bounds(&s, f, low, high);
  else check_bracket(&s, f, value, low, high);
  mpfi_clear(s.mu);
}

void dls_check_sufficient(dls_trial *x, dls_finding *f, const json_t *limit)
{
  double value;
  sliding s;
  if (!read_limit(x, f, limit, "value", &value)) return;
  const bool infinite = isnan(value) && is_infinite(limit);
  if ((isnan(value) && !infinite) || value == 0) return;
  if (!sort_contacts(x, f, true, &s) || !few_enough(&s, f)) return;
  dls_mpfi_init(s.mu);
  // the bound itself is open
  prove_below(&s, f, infinite ? infinite_friction : (1 - half_bracket) * value, (double)NAN);
  mpfi_clear(s.mu);
}
