#include "certify/witness.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "linalg/dense.h"

#include <math.h>

// rcond from which on a block is inverted to find a sparser combination.
static const double regular_block = 1e-12;

dls_verdict *dls_verdict_set(dls_context *x, dls_question question, dls_answer answer,
                             double margin, const char *by, const char *shows)
{
  dls_verdict *verdict = &x->check->verdict[question];
  *verdict = (dls_verdict){.answer = answer, .margin = margin, .by = by, .shows = shows};
  return verdict;
}

static double *add_vector(dls_context *x, dls_verdict *verdict, const char *name,
                          dls_index_set index_set, int count)
{
  double *values = dls_context_keep(x, count);
  if (values)
    verdict->part[verdict->parts++] =
        (dls_witness_part){.name = name, .index_set = index_set, .count = count, .values = values};
  return values;
}

static void add_copy(dls_context *x, dls_verdict *v, const char *name, dls_index_set index_set,
                     int count, const double *from)
{
  double *values = add_vector(x, v, name, index_set, count);
  if (values && count) dls_copy(values, from, count);
}

void dls_witness_forces(const dls_polyhedra *c, dls_verdict *v, const double *lambda,
                        const double *tau)
{
  const int m_u = c->m - c->m_b;
  v->part[v->parts++] = (dls_witness_part){"lambda_b", DLS_INDEX_BILATERAL, c->m_b, lambda, NULL};
  v->part[v->parts++] =
      (dls_witness_part){"lambda_u", DLS_INDEX_UNILATERAL, m_u, lambda + c->m_b, NULL};
  if (tau)
    v->part[v->parts++] = (dls_witness_part){"tau", DLS_INDEX_TANGENTS, c->tangents, tau, NULL};
}

void dls_witness_point(const dls_polyhedra *c, dls_verdict *v, const dls_point *point, bool other)
{
  dls_point user = {0};
  if (dls_point_create(c->x, c, &user) != DLS_OK) return;
  dls_point_unscale(c, point, &user);
  add_copy(c->x, v, other ? "other" : "acceleration", DLS_INDEX_COORDINATES, c->n, user.z);
  add_copy(c->x, v, other ? "other_b" : "lambda_b", DLS_INDEX_BILATERAL, c->m_b, user.lambda);
  add_copy(c->x, v, other ? "other_u" : "lambda_u", DLS_INDEX_UNILATERAL, c->m - c->m_b,
           user.lambda + c->m_b);
  add_copy(c->x, v, other ? "other_tau" : "tau", DLS_INDEX_TANGENTS, c->tangents, user.tau);
}

static void divide(double *values, int count, double by)
{
  for (int i = 0; i < count && by > 0; i++) values[i] /= by;
}

void dls_witness_acceleration(dls_context *x, dls_verdict *verdict, const char *name,
                              const double *z)
{
  double *values = add_vector(x, verdict, name, DLS_INDEX_COORDINATES, x->n);
  for (int i = 0; values && i < x->n; i++) values[i] = x->D[i] * x->S[i] * z[i];
}

// Entries that are only rounding in scaled variables would be magnified by units.
static double without_noise(const dls_context *x, double value, double largest)
{
  return fabs(value) <= x->basic.noise * largest ? 0 : value;
}

void dls_witness_direction(dls_context *x, dls_verdict *verdict, const char *name, const double *d,
                           bool against_load)
{
  double *values = add_vector(x, verdict, name, DLS_INDEX_COORDINATES, x->n);
  const double largest = dls_norm_max(x->n, d);
  for (int i = 0; values && i < x->n; i++) {
    const double scale = against_load ? x->D[i] / x->S[i] : x->D[i];
    values[i] = scale * without_noise(x, d[i], largest);
  }
  if (values) divide(values, x->n, dls_norm_max(x->n, values));
}

void dls_witness_multipliers(dls_context *x, dls_verdict *verdict, const char *name_b,
                             const double *lambda_b, const char *name_u, const double *lambda_u)
{
  double *b = add_vector(x, verdict, name_b, DLS_INDEX_BILATERAL, x->m_b);
  double *u = add_vector(x, verdict, name_u, DLS_INDEX_UNILATERAL, x->m_u);
  for (int i = 0; b && i < x->m_b; i++) b[i] = x->mass_unit * x->C_b[i] * x->S_b[i] * lambda_b[i];
  for (int i = 0; u && i < x->m_u; i++) u[i] = x->mass_unit * x->C_u[i] * x->S_u[i] * lambda_u[i];
}

void dls_witness_combination(dls_context *x, dls_verdict *verdict, const double *lambda_b,
                             const double *lambda_u)
{
  double *b = add_vector(x, verdict, "lambda_b", DLS_INDEX_BILATERAL, x->m_b);
  double *u = add_vector(x, verdict, "lambda_u", DLS_INDEX_UNILATERAL, x->m_u);
  if (x->out_of_memory) return;
  const double size = fmax(dls_norm_max(x->m_b, lambda_b), dls_norm_max(x->m_u, lambda_u));
  for (int i = 0; i < x->m_b; i++)
    b[i] = x->C_b[i] / x->S_b[i] * without_noise(x, lambda_b[i], size);
  for (int i = 0; i < x->m_u; i++)
    u[i] = x->C_u[i] / x->S_u[i] * without_noise(x, lambda_u[i], size);
  const double largest = fmax(dls_norm_max(x->m_b, b), dls_norm_max(x->m_u, u));
  divide(b, x->m_b, largest);
  divide(u, x->m_u, largest);
}

// r = G_b lambda_b + G_u lambda_u
static void combine(const dls_context *x, const double *lambda_b, const double *lambda_u, double *r)
{
  const ptrdiff_t n = x->n;
  for (ptrdiff_t i = 0; i < n; i++) {
    long double sum = 0;
    for (ptrdiff_t j = 0; j < x->m_b; j++) sum += (long double)x->G_b[i + n * j] * lambda_b[j];
    for (ptrdiff_t j = 0; j < x->m_u; j++) sum += (long double)x->G_u[i + n * j] * lambda_u[j];
    r[i] = (double)sum;
  }
}

dls_status dls_combination_refine(dls_context *x, double *lambda_b, double *lambda_u)
{
  const ptrdiff_t n = x->n, m = (ptrdiff_t)x->m_b + x->m_u, m_b = x->m_b;
  const double largest = fmax(dls_norm_max(x->m_b, lambda_b), dls_norm_max(x->m_u, lambda_u));
  double *r = dls_context_work(x, n), *step = dls_context_work(x, m);
  double *U = dls_context_work(x, n * n), *S = dls_context_work(x, n < m ? n : m);
  double *V = dls_context_work(x, m * m), *G = dls_context_work(x, n * m);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  combine(x, lambda_b, lambda_u, r);
  if (dls_norm_max(x->n, r) <= x->basic.noise / 4 * largest) return DLS_OK;
  for (ptrdiff_t j = 0; j < m; j++) {
    const bool in = j < m_b ? lambda_b[j] != 0 : lambda_u[j - m_b] != 0;
    const double *from = j < m_b ? x->G_b + n * j : x->G_u + n * (j - m_b);
    for (ptrdiff_t i = 0; i < n; i++) G[i + n * j] = in ? from[i] : 0;
  }
  dls_status status = dls_svd(x->n, (int)m, G, U, S, V);
  for (ptrdiff_t k = 0; status == DLS_OK && k < n && k < m && S[k] > x->basic.noise * S[0]; k++) {
    const double along = dls_dot(x->n, U + n * k, r) / S[k];
    for (ptrdiff_t j = 0; j < m; j++) step[j] -= along * V[j + m * k];
  }
  bool good = dls_norm_max((int)m, step) <= refinement_step * largest;
  for (ptrdiff_t j = 0; j < x->m_u; j++)
    good &= lambda_u[j] == 0 || (lambda_u[j] + step[m_b + j] > 0) == (lambda_u[j] > 0);
  for (ptrdiff_t j = 0; j < m_b && good; j++) lambda_b[j] += step[j];
  for (ptrdiff_t j = 0; j < x->m_u && good; j++) lambda_u[j] += step[m_b + j];
  return status == DLS_ERR_NUMBER ? DLS_OK : status;
}

bool dls_witness_pivots(dls_context *x, dls_verdict *verdict, dls_index_set index_set, int n,
                        const double *A)
{
  const ptrdiff_t size = n;
  double *L = dls_context_work(x, size * size);
  double *pivots = add_vector(x, verdict, "pivots", index_set, n);
  bool definite = false;
  if (x->out_of_memory || dls_cholesky(n, A, L, &definite) != DLS_OK || !definite) return false;
  for (ptrdiff_t i = 0; i < size; i++) pivots[i] = L[i * (size + 1)] * L[i * (size + 1)];
  return true;
}

void dls_witness_set(dls_context *x, dls_verdict *verdict, const char *name,
                     dls_index_set index_set, const int *index, int count)
{
  int *copy = dls_arena_alloc(x->arena, count, sizeof *copy);
  if (!copy) {
    x->out_of_memory = true;
    return;
  }
  if (count) dls_copy(copy, index, count);
  verdict->part[verdict->parts++] =
      (dls_witness_part){.name = name, .index_set = index_set, .count = count, .index = copy};
}

dls_status dls_witness_rows(dls_context *x, dls_verdict *verdict, const double *G, int columns)
{
  const ptrdiff_t n = x->n, m = columns;
  double *transposed = dls_context_work(x, n * m), *r = dls_context_work(x, m);
  int *order = dls_arena_alloc(x->work, n, sizeof *order);
  if (x->out_of_memory || !order) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < m; j++)
    for (ptrdiff_t i = 0; i < n; i++) transposed[j + m * i] = G[i + n * j];
  dls_status status = dls_qr_pivots(columns, x->n, transposed, order, r);
  if (status != DLS_OK) return status;
  dls_witness_set(x, verdict, "coordinates", DLS_INDEX_COORDINATES, order, columns);
  if (columns && !(r[m - 1] > x->basic.noise * r[0])) verdict->answer = DLS_UNDECIDED;
  return x->out_of_memory ? DLS_ERR_MEMORY : DLS_OK;
}

// The pivots of A choose `rank` independent columns; those of their rows a square block. Each other
// column, or better one that repeats a pivot, is solved for.
dls_status dls_sparse_kernels(dls_context *x, int rows, int cols, const double *A, int rank,
                              int *count, double *vectors)
{
  const ptrdiff_t n = rows, m = cols, r = rank;
  int *column = dls_arena_alloc(x->work, m, sizeof *column);
  int *row = dls_arena_alloc(x->work, n, sizeof *row);
  double *diagonal = dls_context_work(x, n > m ? n : m), *transposed = dls_context_work(x, r * n);
  double *block = dls_context_work(x, r * r), *right = dls_context_work(x, r * (m - r));
  double *solved = dls_context_work(x, r * (m - r)), rcond = 1;
  bool *pivot = dls_arena_alloc(x->work, m, sizeof *pivot);
  *count = 0;
  if (x->out_of_memory || !column || !row || !pivot) return DLS_ERR_MEMORY;
  if (rank > rows || rank >= cols) return DLS_OK;
  dls_status status = dls_qr_pivots(rows, cols, A, column, diagonal);
  if (status != DLS_OK) return status;
  for (ptrdiff_t j = 0; j < r; j++) {
    pivot[column[j]] = true;
    for (ptrdiff_t i = 0; i < n; i++) transposed[j + r * i] = A[i + n * column[j]];
  }
  status = dls_qr_pivots(rank, rows, transposed, row, diagonal);
  if (status != DLS_OK) return status;
  ptrdiff_t others = 0;
  int *other = dls_arena_alloc(x->work, m, sizeof *other);
  if (!other) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < m; j++) {
    if (pivot[j]) continue;
    for (ptrdiff_t i = 0; i < r; i++) right[i + r * others] = A[row[i] + n * j];
    other[others++] = (int)j;
  }
  for (ptrdiff_t j = 0; j < r; j++)
    for (ptrdiff_t i = 0; i < r; i++) block[i + r * j] = A[row[i] + n * column[j]];
  status = dls_solve(rank, (int)others, block, right, solved, &rcond);
  if (status != DLS_OK || !(rcond > regular_block)) return status;
  for (ptrdiff_t j = 0; j < others; j++) {
    double *vector = vectors + m * j;
    dls_clear(vector, m);
    vector[other[j]] = 1;
    for (ptrdiff_t i = 0; i < r; i++) {
      const double entry = solved[i + r * j];
      vector[column[i]] = fabs(entry) > x->kernel.noise ? -entry : 0;
    }
  }
  *count = (int)others;
  return DLS_OK;
}

dls_status dls_sparse_kernel(dls_context *x, int rows, int cols, const double *A, int rank,
                             double *vector)
{
  const ptrdiff_t m = cols;
  int count = 0, best = 0, fewest = cols + 1;
  double *vectors = dls_context_work(x, rank < cols ? m * (m - rank) : 0);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  const dls_status status = dls_sparse_kernels(x, rows, cols, A, rank, &count, vectors);
  for (int j = 0; j < count; j++) {
    int entries = 0;
    for (ptrdiff_t i = 0; i < m; i++) entries += vectors[i + m * j] != 0;
    if (entries < fewest) fewest = entries, best = j;
  }
  if (count > 0) dls_copy(vector, vectors + m * best, m);
  return status;
}

void dls_keep_pushed_part(const dls_context *x, double *d)
{
  const int *part = x->scaling.part;
  double least = 0;
  int kept = -1;
  for (int i = 0; i < x->n; i++) {
    double work = 0;
    for (int j = 0; j < x->n; j++)
      if (part[j] == part[i]) work += x->F[j] * d[j];
    if (work < least) least = work, kept = part[i];
  }
  for (int i = 0; i < x->n; i++)
    if (part[i] != kept) d[i] = 0;
}

void dls_keep_contradicting_part(const dls_context *x, double *lambda_b, double *lambda_u)
{
  const int m = x->m_b + x->m_u, *part = x->scaling.part + x->n;
  double least = 0;
  int kept = -1;
  for (int i = 0; i < m; i++) {
    double load = 0;
    for (int j = 0; j < m; j++)
      if (j == i || (part[i] >= 0 && part[j] == part[i]))
        load += j < x->m_b ? x->b_b[j] * lambda_b[j] : x->b_u[j - x->m_b] * lambda_u[j - x->m_b];
    if (load < least) least = load, kept = i;
  }
  for (int j = 0; j < m && kept >= 0; j++) {
    if (j == kept || (part[kept] >= 0 && part[j] == part[kept])) continue;
    *(j < x->m_b ? &lambda_b[j] : &lambda_u[j - x->m_b]) = 0;
  }
}

// --- gates: sums in long double over the given data -------------------------------------------

typedef struct sum {
  long double value, terms;
} sum;

static void add(sum *s, double a, double b)
{
  const long double x = (long double)a * b;
  s->value += x, s->terms += fabsl(x);
}

// Largest |value| over largest terms, rows weighted to a common unit.
typedef struct ratio {
  double value, terms;
} ratio;

static void take(ratio *r, double weight, double value, double terms)
{
  if (!(weight * value <= r->value)) r->value = weight * value;
  if (!(weight * terms <= r->terms)) r->terms = weight * terms;
}

static double quotient(ratio r)
{
  return r.value == 0 ? 0 : r.value / r.terms;
}

double dls_margin_limit(const dls_context *x)
{
  return fmin(residual_roundings * x->massless.noise, x->basic.tolerance);
}

double dls_margin_zero(const dls_context *x)
{
  return x->basic.noise;
}

double dls_margin_combination(const dls_context *x, const double *lambda_b, const double *lambda_u,
                              bool over_unilateral)
{
  const dls_problem *p = &x->given;
  const ptrdiff_t n = p->n;
  // relative to the largest multiplier of a gradient of unit length: the terms may all vanish
  ratio worst = {0};
  for (int j = 0; j < p->m_b && !over_unilateral; j++)
    worst.terms = fmax(worst.terms, x->S_b[j] * fabs(lambda_b[j]) / x->C_b[j]);
  for (int j = 0; j < p->m_u; j++)
    worst.terms = fmax(worst.terms, x->S_u[j] * fabs(lambda_u[j]) / x->C_u[j]);
  // bilateral multipliers that are larger, as on a kernel that is known less well, err more
  const double most = 16 * worst.terms;
  for (int j = 0; j < p->m_b && over_unilateral; j++)
    worst.terms = fmax(worst.terms, fmin(x->S_b[j] * fabs(lambda_b[j]) / x->C_b[j], most));
  if (worst.terms == 0) return INFINITY;
  for (ptrdiff_t i = 0; i < n; i++) {
    sum s = {0};
    for (ptrdiff_t j = 0; j < p->m_b; j++) add(&s, p->G_b[i + n * j], lambda_b[j]);
    for (ptrdiff_t j = 0; j < p->m_u; j++) add(&s, p->G_u[i + n * j], lambda_u[j]);
    take(&worst, x->D[i] * x->S[i], (double)fabsl(s.value), 0);
  }
  return quotient(worst);
}

double dls_margin_load(const dls_context *x, const double *lambda_b, const double *lambda_u)
{
  const dls_problem *p = &x->given;
  sum s = {0};
  double largest = 0;
  for (int j = 0; j < p->m_b; j++) {
    add(&s, p->b_b[j], lambda_b[j]);
    largest = fmax(largest, x->S_b[j] * fabs(lambda_b[j]) / x->C_b[j]);
  }
  for (int j = 0; j < p->m_u; j++) {
    add(&s, p->b_u[j], lambda_u[j]);
    largest = fmax(largest, x->S_u[j] * fabs(lambda_u[j]) / x->C_u[j]);
  }
  return largest > 0 ? (double)s.value / (largest * x->b_size) : 0;
}

// Largest entry of a direction in scaled coordinates.
static double scaled_size(const dls_context *x, const double *d)
{
  double largest = 0;
  for (int i = 0; i < x->n; i++) largest = fmax(largest, x->S[i] * fabs(d[i]) / x->D[i]);
  return largest;
}

double dls_margin_null_mass(const dls_context *x, const double *d)
{
  // relative to the size of d in scaled coordinates: the terms themselves may all vanish
  const dls_problem *p = &x->given;
  const ptrdiff_t n = p->n;
  const double largest = scaled_size(x, d);
  double error = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    sum s = {0};
    for (ptrdiff_t j = 0; j < n; j++) add(&s, p->M[i + n * j], d[j]);
    error = fmax(error, x->D[i] / x->mass_unit * x->S[i] * (double)fabsl(s.value));
  }
  return largest > 0 ? error / largest : INFINITY;
}

double dls_margin_bilateral(const dls_context *x, const double *z, bool with_b)
{
  // relative to the size of z in scaled coordinates, too: its own terms may all vanish
  const dls_problem *p = &x->given;
  const ptrdiff_t n = p->n;
  ratio worst = {0};
  for (ptrdiff_t i = 0; i < n; i++) {
    const double size = fabs(z[i]) / x->D[i];
    worst.terms = fmax(worst.terms, with_b ? size / x->S[i] : size * x->S[i]);
  }
  for (ptrdiff_t j = 0; j < p->m_b; j++) {
    sum s = {0};
    if (with_b) add(&s, p->b_b[j], 1);
    for (ptrdiff_t i = 0; i < n; i++) add(&s, p->G_b[i + n * j], z[i]);
    const double weight = with_b ? x->C_b[j] / x->S_b[j] : x->C_b[j] * x->S_b[j];
    take(&worst, weight, (double)fabsl(s.value), (double)s.terms);
  }
  return quotient(worst);
}

double dls_margin_opening(const dls_context *x, const double *d)
{
  const dls_problem *p = &x->given;
  const ptrdiff_t n = p->n;
  const double largest = scaled_size(x, d);
  double least = INFINITY;
  for (ptrdiff_t j = 0; j < p->m_u; j++) {
    sum s = {0};
    for (ptrdiff_t i = 0; i < n; i++) add(&s, p->G_u[i + n * j], d[i]);
    least = fmin(least, x->C_u[j] * x->S_u[j] * (double)s.value);
  }
  return largest > 0 ? least / largest : -INFINITY;
}

double dls_margin_massless(const dls_context *x, const double *d)
{
  const double opening = x->m_u ? dls_margin_opening(x, d) : 0;
  return fmax(fmax(dls_margin_null_mass(x, d), dls_margin_bilateral(x, d, false)), -opening);
}
