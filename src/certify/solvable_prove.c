// What a point in the dual cones proves, from the data and with the rounding errors counted.
//
// Let S be the symmetric part of W, y = S x + q with y_N - mu |y_T| >= m at the contacts and y = 0
// in the equations. On r in K with sum r_N <= k (and |r| bounded in the equations) the variational
// inequality of eq (inc.3) has a solution, by Brouwer. Against z = 0 it says
//
//   (r - x/2)^T S (r - x/2) + y^T r <= x^T S x / 4                                  eq (slv.2)
//
// because the friction term mu |u_T| r_N is not negative. With S + shift I_C positive definite,
// I_C the identity of the contacts, and y^T r >= m sum r_N, the bound k is not active when
//
//   m k > x^T S x / 4 + shift (2 kappa^2 k^2 + |x_C|^2 / 2),  kappa^2 = 1 + max mu^2  eq (slv.4)
//
// and then the solution is one without the bound. The best k is m / (4 shift kappa^2). In global
// form W = H^T M^-1 H is positive semidefinite with M + M^T, and no shift is needed, eq (slv.3).
#include "certify/solvable.h"

#include "certify/tolerances.h"
#include "linalg/ldl.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// ---- y, with error bounds ----------------------------------------------------------------------

typedef struct sums {
  long double *y, *size;  // the sum, and the sum of the absolute values of its terms
  int *terms;
} sums;

static void add(const sums *s, int i, long double term)
{
  s->y[i] += term, s->size[i] += fabsl(term), s->terms[i]++;
}

static void add_products(const dls_solvable_data *s, const sums *out, const double *x)
{
  const dls_sparse *A = s->global ? s->H : s->W;
  for (int j = 0; j < A->cols; j++)
    for (int e = A->p[j]; e < A->p[j + 1]; e++) {
      const int i = A->i[e];
      if (s->global) {
        add(out, j, (long double)A->x[e] * x[i]);
      } else {  // eq (slv.1): the symmetric part, from W itself
        add(out, i, (long double)A->x[e] * x[j] / 2);
        add(out, j, (long double)A->x[e] * x[i] / 2);
      }
    }
}

static long double error_of(const sums *s, int i)
{
  return (s->terms[i] + 4) * LDBL_EPSILON * s->size[i];
}

static void assess(const dls_solvable_data *s, const sums *y, dls_solvable_slack *slack)
{
  // without contacts there is nothing to be inside of
  *slack = (dls_solvable_slack){.inside = s->contacts > 0 ? INFINITY : 1};
  for (int i = 0; i < s->contacts; i++) {
    const int j = s->d * i;
    const long double mu = s->mu[i], t2 = s->d == 3 ? y->y[j + 2] : 0;
    long double slip = hypotl(y->y[j + 1], t2) * (1 + 8 * LDBL_EPSILON);
    for (int k = 1; k < s->d; k++) slip += error_of(y, j + k);
    const long double inside =
        (y->y[j] - error_of(y, j) - mu * slip) - 4 * LDBL_EPSILON * fabsl(y->y[j]);
    if (!(inside >= slack->inside)) slack->inside = inside;  // NaN stays
  }
  long double square = 0;
  for (int j = s->d * s->contacts; j < s->rows; j++) {
    const long double off = fabsl(y->y[j]) + error_of(y, j);
    square += off * off;
  }
  slack->off = sqrtl(square) * (1 + (s->equations + 4) * LDBL_EPSILON);
}

// x^T S x / 4 = x^T (y - q) / 4
static void add_energy(const dls_solvable_data *s, bool with_q, const sums *y, const double *x,
                       dls_solvable_slack *slack)
{
  long double sum = 0, size = 0, error = 0, contacts = 0;
  for (int j = 0; j < s->rows; j++) {
    const long double q = with_q ? s->q[j] : 0;
    sum += x[j] * (y->y[j] - q);
    size += fabsl((long double)x[j]) * (fabsl(y->y[j]) + fabsl(q));
    error += fabsl((long double)x[j]) * error_of(y, j);
    if (j < s->d * s->contacts) contacts += (long double)x[j] * x[j];
  }
  slack->energy = ((sum <= 0 ? 0 : sum) + (s->rows + 8) * LDBL_EPSILON * size + 2 * error) / 4;
  slack->x_contacts = contacts * (1 + (s->rows + 4) * LDBL_EPSILON);
}

dls_status dls_solvable_measure(const dls_solvable_data *s, bool with_q, const double *x,
                                dls_solvable_slack *slack)
{
  const ptrdiff_t rows = (ptrdiff_t)s->rows + 1;
  sums y = {dls_alloc(rows, sizeof(long double)), dls_alloc(rows, sizeof(long double)),
            dls_alloc(rows, sizeof(int))};
  const bool good = y.y && y.size && y.terms;
  if (good) {
    for (int j = 0; with_q && j < s->rows; j++) add(&y, j, s->q[j]);
    add_products(s, &y, x);
    assess(s, &y, slack);
    if (!s->global) add_energy(s, with_q, &y, x, slack);
  }
  free(y.y), free(y.size), free(y.terms);
  return good ? DLS_OK : DLS_ERR_MEMORY;
}

// ---- positive definiteness, shown --------------------------------------------------------------

typedef struct definite {
  int size, count;
  int *row, *col, *place;  // place: of the diagonal entries
  double *value, *trial;
  dls_ldl *factor;
  double rounding;  // what elimination may have changed, as a norm
} definite;

// The upper triangle of a symmetric matrix, all of its diagonal.
static dls_status definite_create(const dls_sparse *S, double entries, definite *t)
{
  const ptrdiff_t size = S->cols, slack = size + S->p[S->cols] + 1;
  *t = (definite){.size = S->cols};
  t->row = dls_alloc(slack, sizeof(int)), t->col = dls_alloc(slack, sizeof(int));
  t->place = dls_alloc(size + 1, sizeof(int));
  t->value = dls_alloc(slack, sizeof(double)), t->trial = dls_alloc(slack, sizeof(double));
  double *wide = dls_alloc(size + 1, sizeof *wide), widest = 0, trace = 0;
  const bool good = t->row && t->col && t->place && t->value && t->trial && wide;
  for (int j = 0; good && j < S->cols; j++) {
    t->place[j] = t->count;
    t->row[t->count] = t->col[t->count] = j, t->count++;
    for (int e = S->p[j]; e < S->p[j + 1]; e++) {
      wide[j] += fabs(S->x[e]);
      if (S->i[e] == j) t->value[t->place[j]] = S->x[e], trace += fabs(S->x[e]);
      if (S->i[e] >= j) continue;
      t->row[t->count] = S->i[e], t->col[t->count] = j, t->value[t->count++] = S->x[e];
    }
    widest = fmax(widest, wide[j]);
  }
  free(wide);
  if (!good) return DLS_ERR_MEMORY;
  // elimination with positive pivots: its error is at most 2 (n + 3) eps of the trace, in any
  // order; the entries themselves carry `entries` roundings
  t->rounding =
      2 * (t->size + 4.0) * DBL_EPSILON * (trace + t->size) + (entries + 2) * DBL_EPSILON * widest;
  return dls_ldl_create(t->size, t->count, t->row, t->col, &t->factor);
}

static void definite_free(definite *t)
{
  free(t->row), free(t->col), free(t->place), free(t->value), free(t->trial);
  dls_ldl_free(t->factor);
}

// S + first I (rows below `split`) + last I (the others) is positive definite. |first|, |last| at
// most 1, which the trace allows for.
static bool definite_shifted(definite *t, int split, double first, double last)
{
  for (int e = 0; e < t->count; e++) t->trial[e] = t->value[e];
  for (int j = 0; j < t->size; j++)
    t->trial[t->place[j]] += (j < split ? first : last) - t->rounding;
  return dls_ldl_factor(t->factor, t->trial, NULL);
}

static const double tries[] = {1e-2, 1e-4, 1e-6, 1e-8, 1e-10};
enum { TRIES = sizeof tries / sizeof *tries };

dls_status dls_solvable_mass(const dls_solvable_data *s, double *c)
{
  definite t;
  *c = 0;
  dls_status status = definite_create(s->S, 2, &t);
  for (int k = 0; status == DLS_OK && *c == 0 && k < TRIES; k++)
    if (definite_shifted(&t, t.size, -tries[k], 0)) *c = tries[k];
  if (status == DLS_OK && *c == 0 && definite_shifted(&t, t.size, 0, 0)) *c = DBL_MIN;
  definite_free(&t);
  return status;
}

// ---- local form --------------------------------------------------------------------------------

// The largest shift that eq (slv.4) bears, halved.
static long double bearable(long double m, const dls_solvable_slack *slack, long double kappa)
{
  const long double k2 = kappa * kappa, b = 8 * k2 * slack->energy;
  const long double root = sqrtl(b * b + 16 * k2 * slack->x_contacts * m * m);
  const long double shift = b + root > 0 ? m * m / (b + root) : 1;
  return fminl(shift, 0.5L);
}

static bool bears(long double m, long double energy, const dls_solvable_slack *slack,
                  long double kappa, long double shift)
{
  const long double k2 = kappa * kappa;
  return m > 0 && m * m > 1.001L * 8 * k2 * shift * (energy + shift * slack->x_contacts / 2);
}

// How far the contacts move when the equations are made exact: |S_CE| |off| / c.
static long double coupling(const dls_solvable_data *s)
{
  long double square = 0;
  const int split = s->d * s->contacts;
  for (int j = split; j < s->rows; j++)
    for (int e = s->S->p[j]; e < s->S->p[j + 1]; e++)
      if (s->S->i[e] < split) square += (long double)s->S->x[e] * s->S->x[e];
  return sqrtl(square) * rounded_up;
}

static dls_status prove_local(const dls_solvable_data *s, const dls_solvable_slack *slack,
                              bool *proven, double *shift)
{
  const long double kappa = sqrtl(1 + (long double)s->largest_mu * s->largest_mu) * rounded_up;
  const int split = s->d * s->contacts;
  definite t;
  dls_status status = definite_create(s->S, 2, &t);
  const double delta = (double)bearable(slack->inside, slack, kappa);
  long double q_E = 0;
  for (int j = split; j < s->rows; j++) q_E += (long double)s->q[j] * s->q[j];
  q_E = sqrtl(q_E) * rounded_up;
  *shift = delta;
  for (int k = 0; status == DLS_OK && !*proven && k < TRIES; k++) {
    const double c = tries[k];
    if (!definite_shifted(&t, split, delta, s->equations > 0 ? -c : 0)) continue;
    // eq (slv.5): x moves in the equations by at most off / c, until they hold exactly
    const long double m = slack->inside - kappa * coupling(s) * slack->off / c;
    const long double energy = slack->energy + slack->off * (q_E + slack->off) / (2 * c);
    *proven = bears(m, s->equations > 0 ? energy : slack->energy, slack, kappa, delta);
    if (s->equations == 0) break;
  }
  definite_free(&t);
  return status;
}

// ---- global form -------------------------------------------------------------------------------

// H_E^T H_E
static dls_status gram(const dls_solvable_data *s, dls_sparse **out)
{
  dls_triplets list = {0};
  const int first = s->d * s->contacts;
  const dls_sparse *H = s->H;
  double *column = dls_alloc((ptrdiff_t)s->dof + 1, sizeof *column);
  dls_status status = column ? DLS_OK : DLS_ERR_MEMORY;
  for (int j = first; status == DLS_OK && j < s->rows; j++) {
    for (int e = H->p[j]; e < H->p[j + 1]; e++) column[H->i[e]] = H->x[e];
    for (int k = first; k < s->rows; k++) {
      double sum = 0;
      for (int e = H->p[k]; e < H->p[k + 1]; e++) sum += H->x[e] * column[H->i[e]];
      dls_triplets_put(&list, j - first, k - first, sum);
    }
    for (int e = H->p[j]; e < H->p[j + 1]; e++) column[H->i[e]] = 0;
  }
  if (status == DLS_OK) status = dls_triplets_sparse(&list, s->equations, s->equations, out);
  dls_triplets_free(&list);
  free(column);
  return status;
}

// The least c with H_E^T H_E - c I positive definite; 0: not shown.
static dls_status independent(const dls_solvable_data *s, double *c)
{
  dls_sparse *G = NULL;
  definite t = {0};
  *c = 0;
  dls_status status = gram(s, &G);
  // rounding of the sums: dof terms, |H|^2 at most 4 in each row of G beside the widest sum
  if (status == DLS_OK) status = definite_create(G, 2, &t);
  if (status == DLS_OK) t.rounding += 8.0 * (s->dof + 2.0) * s->equations * DBL_EPSILON;
  for (int k = 0; status == DLS_OK && *c == 0 && k < TRIES; k++)
    if (definite_shifted(&t, t.size, -tries[k], 0)) *c = tries[k];
  definite_free(&t);
  dls_sparse_free(G);
  return status;
}

static dls_status prove_global(const dls_solvable_data *s, const dls_solvable_slack *slack,
                               bool *proven)
{
  double mass = 0, c = 1;
  dls_status status = dls_solvable_mass(s, &mass);
  if (status == DLS_OK && mass > 0 && s->equations > 0) status = independent(s, &c);
  if (status != DLS_OK || mass == 0 || c == 0) return status;
  // eq (slv.5): v moves by at most off / sqrt(c)
  long double widest = 0;
  for (int i = 0; i < s->contacts; i++) {
    long double square = 0;
    for (int e = s->H->p[s->d * i]; e < s->H->p[s->d * (i + 1)]; e++)
      square += (long double)s->H->x[e] * s->H->x[e];
    widest = square <= widest ? widest : square;
  }
  const long double kappa = sqrtl(1 + (long double)s->largest_mu * s->largest_mu) * rounded_up;
  *proven = slack->inside - kappa * sqrtl(widest / c) * rounded_up * slack->off > 0;
  return status;
}

dls_status dls_solvable_prove(const dls_solvable_data *s, const dls_solvable_slack *slack,
                              bool *proven, double *shift)
{
  *proven = false, *shift = 0;
  if (!(slack->inside > 0)) return DLS_OK;
  return s->global ? prove_global(s, slack, proven) : prove_local(s, slack, proven, shift);
}
