// Is there exactly one acceleration?                                             eq (ver.7)
//
// Two solutions of the Gauss program differ by a massless direction d that the load does not
// resist: M d = 0, F^T d <= 0, G_b^T d = 0, G_u^T d >= 0 on the contacts that stay closed. On the
// massless part of the reduced basis this is a cone in the coordinates x: is it {0}? For each face
// x_j = +-1 of the unit box, a linear program finds the least amount by which the cone must be
// widened to reach the face; the smallest amount of all is the margin.
#include "base/memory.h"
#include "certify/witness.h"
#include "convex/lp.h"
#include "linalg/dense.h"

#include <math.h>

typedef struct face_search {
  dls_context *x;
  int rows;   // closed contacts + 1 for the load
  double *A;  // rows x (k_0 + 1), the last column widens the cone
  double *low, *high, *cost, *row_low, *row_high, *point;
  double least;  // smallest widening found
  double *direction;
} face_search;

static dls_status search_face(face_search *s, int face, double side)
{
  const int k_0 = s->x->k_0;
  for (int j = 0; j < k_0; j++) s->low[j] = -1, s->high[j] = 1;
  s->low[face] = s->high[face] = side;
  s->low[k_0] = 0, s->high[k_0] = INFINITY;
  const dls_lp_data data = {s->rows,     k_0 + 1, s->A,    s->row_low,
                            s->row_high, s->low,  s->high, s->cost};
  double widening = NAN;
  dls_lp_outcome outcome;
  dls_status status = dls_lp_run(&data, s->point, NULL, &widening, &outcome);
  if (status != DLS_OK) return status;
  // a program that failed leaves the question open: count it as ambiguous
  if (outcome != DLS_LP_OPTIMAL) widening = s->x->massless.tolerance;
  if (widening < s->least) {
    s->least = widening;
    dls_copy(s->direction, s->point, k_0);
  }
  return DLS_OK;
}

// ambiguous: count contacts whose opening is in doubt as closed.
static dls_status widen(dls_context *x, bool ambiguous, double *least, double *direction)
{
  const int k_0 = x->k_0;
  const ptrdiff_t m = x->m_u, cols = (ptrdiff_t)k_0 + 1;
  face_search s = {.x = x, .least = INFINITY, .direction = direction};
  for (ptrdiff_t i = 0; i < m; i++)
    s.rows += x->opening[i] == DLS_SIZE_ZERO || (ambiguous && x->opening[i] == DLS_SIZE_AMBIGUOUS);
  const ptrdiff_t rows = ++s.rows;
  s.A = dls_context_work(x, rows * cols), s.low = dls_context_work(x, cols);
  s.high = dls_context_work(x, cols), s.cost = dls_context_work(x, cols);
  s.row_low = dls_context_work(x, rows), s.row_high = dls_context_work(x, rows);
  s.point = dls_context_work(x, cols);
  if (x->out_of_memory) return DLS_ERR_MEMORY;

  ptrdiff_t row = 0;
  for (ptrdiff_t i = 0; i < m; i++) {
    if (x->opening[i] == DLS_SIZE_POSITIVE || (!ambiguous && x->opening[i] == DLS_SIZE_AMBIGUOUS))
      continue;
    for (ptrdiff_t j = 0; j + 1 < cols; j++) s.A[row + rows * j] = x->E[i + m * j];
    s.A[row + rows * (cols - 1)] = 1;
    row++;
  }
  const double unit = fmax(x->F_size, dls_norm_max(x->k, x->c));
  for (ptrdiff_t j = 0; j + 1 < cols; j++) s.A[row + rows * j] = -x->c[j] / unit;
  s.A[row + rows * (cols - 1)] = 1;
  for (ptrdiff_t i = 0; i < rows; i++) s.row_high[i] = INFINITY;
  s.cost[cols - 1] = 1;

  for (int j = 0; j < k_0; j++) {
    dls_status status = search_face(&s, j, 1);
    if (status == DLS_OK) status = search_face(&s, j, -1);
    if (status != DLS_OK) return status;
  }
  *least = s.least;
  return DLS_OK;
}

// A second acceleration along d, as far as the open contacts allow (but no farther than the size of
// the problem); checked against the data as given.
static dls_status refuse_by_two(dls_context *x, double margin, const double *direction)
{
  const ptrdiff_t n = x->n;
  double *d = dls_context_work(x, n), *other = dls_context_work(x, n);
  double *slope = dls_context_work(x, x->m_u);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_gemv(false, x->n, x->k_0, 1, x->basis, direction, 0, d);
  const double size = dls_norm_max(x->n, d);
  for (ptrdiff_t i = 0; i < n; i++)
    if (fabs(d[i]) <= x->massless.noise * size) d[i] = 0;
  dls_gemv(true, x->n, x->m_u, 1, x->G_u, d, 0, slope);
  double step = fmax(fmax(dls_norm_max(x->n, x->z), x->F_size), x->b_size);
  for (int i = 0; i < x->m_u; i++)
    if (x->opening[i] == DLS_SIZE_POSITIVE && slope[i] < 0)
      step = fmin(step, -0.5 * x->a[i] / slope[i]);
  for (ptrdiff_t i = 0; i < n; i++) other[i] = x->z[i] + step * d[i];

  dls_verdict *v = dls_verdict_set(
      x, DLS_ACCELERATION_UNIQUE, DLS_NO, margin,
      "linear programs: the constraints and the load leave a massless direction free",
      "acceleration and other both solve the problem with the same lambda");
  dls_witness_acceleration(x, v, "acceleration", x->z);
  dls_witness_acceleration(x, v, "other", other);
  dls_witness_multipliers(x, v, "lambda_b", x->lambda_b, "lambda_u", x->lambda_u);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  double residual = NAN;
  dls_status status = dls_problem_residual(&x->given, v->part[1].values, v->part[2].values,
                                           v->part[3].values, &residual);
  if (!(residual <= dls_margin_limit(x))) v->answer = DLS_UNDECIDED;
  return status;
}

// Forces that are strictly positive at every closed contact and balance the load with some
// acceleration w: M w + F = G_b nu + G_u mu. Then any d of the cone has mu^T (G_u^T d) = F^T d <=
// 0, hence G_u^T d = 0 at the closed contacts, and the rank does the rest (Stiemke's alternative).
static dls_status balance_strictly(dls_context *x, double *mu, double *least)
{
  const ptrdiff_t m = x->m_u, rows = x->k_0;
  double *A = dls_context_work(x, (rows + m) * (m + 1)), *cost = dls_context_work(x, m + 1);
  double *row_low = dls_context_work(x, rows + m), *row_high = dls_context_work(x, rows + m);
  double *low = dls_context_work(x, m + 1), *high = dls_context_work(x, m + 1);
  double *point = dls_context_work(x, m + 1);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  const double unit = fmax(x->F_size, dls_norm_max(x->k, x->c));
  const ptrdiff_t stride = rows + m;
  for (ptrdiff_t i = 0; i < rows; i++) row_low[i] = row_high[i] = x->c[i] / unit;
  for (ptrdiff_t j = 0; j < m; j++) {
    const bool closed = x->opening[j] == DLS_SIZE_ZERO;
    for (ptrdiff_t i = 0; i < rows; i++) A[i + stride * j] = x->E[j + m * i];
    // mu_j - t >= 0 at closed contacts, mu_j = 0 at open ones
    A[rows + j + stride * j] = 1;
    A[rows + j + stride * m] = closed ? -1 : 0;
    row_high[rows + j] = INFINITY;
    high[j] = closed ? INFINITY : 0;
  }
  low[m] = -1, high[m] = 1, cost[m] = -1;
  const dls_lp_data data = {(int)stride, x->m_u + 1, A, row_low, row_high, low, high, cost};
  double objective = NAN;
  dls_lp_outcome outcome;
  dls_status status = dls_lp_run(&data, point, NULL, &objective, &outcome);
  if (status != DLS_OK) return status;
  *least = outcome == DLS_LP_OPTIMAL ? point[m] : NAN;
  for (ptrdiff_t j = 0; j < m; j++) mu[j] = unit * point[j];
  return DLS_OK;
}

static dls_status accept_cone(dls_context *x, double margin)
{
  const ptrdiff_t n = x->n, m = x->m_u;
  double *mu = dls_context_work(x, m), *nu = dls_context_work(x, x->m_b);
  double *r = dls_context_work(x, n), *y = dls_context_work(x, x->k);
  double *w = dls_context_work(x, n), least = NAN;
  int *closed = dls_arena_alloc(x->work, m, sizeof *closed), count = 0;
  if (x->out_of_memory || !closed) return DLS_ERR_MEMORY;
  dls_status status = balance_strictly(x, mu, &least);
  if (status != DLS_OK) return status;
  for (int j = 0; j < x->m_u; j++)
    if (x->opening[j] == DLS_SIZE_ZERO) closed[count++] = j;

  // w on the kernel of G_b^T from M w + F - G_u mu = G_b nu
  dls_copy(r, x->F, n);
  dls_gemv(false, x->n, x->m_u, -1, x->G_u, mu, 1, r);
  dls_gemv(true, x->n, x->k, -1, x->basis, r, 0, y);
  for (int i = 0; i < x->k; i++) y[i] = i < x->k_0 ? 0 : y[i] / x->w[i];
  dls_gemv(false, x->n, x->k, 1, x->basis, y, 0, w);
  dls_gemv(false, x->n, x->n, 1, x->M, w, 1, r);
  dls_context_bilateral_multipliers(x, r, nu);

  dls_verdict *v = dls_verdict_set(
      x, DLS_ACCELERATION_UNIQUE, DLS_YES, margin, "linear programs on the massless directions",
      "M acceleration + F = G_b lambda_b + G_u lambda_u with lambda_u > 0 at every closed contact "
      "and 0 elsewhere; M, G_b^T and the rows of G_u^T at the closed contacts, one below the "
      "other, "
      "have full column rank");
  dls_witness_set(x, v, "closed", DLS_INDEX_UNILATERAL, closed, count);
  dls_witness_acceleration(x, v, "acceleration", w);
  dls_witness_multipliers(x, v, "lambda_b", nu, "lambda_u", mu);
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_gemv(false, x->n, x->m_b, -1, x->G_b, nu, 1, r);
  if (!(dls_norm_max(x->n, r) <=
        x->massless.tolerance * fmax(x->F_size, dls_norm_max(x->m_u, mu))) ||
      (count > 0 && dls_size_of(&x->massless, least) != DLS_SIZE_POSITIVE))
    v->answer = DLS_UNDECIDED;
  return DLS_OK;
}

// Rows of M and of G_b^T that form a nonsingular square matrix, by pivoting.
static dls_status add_rows(dls_context *x, dls_verdict *v)
{
  const ptrdiff_t n = x->n, m = x->m_b;
  double *both = dls_context_work(x, n * (n + m)), *r = dls_context_work(x, n);
  int *order = dls_arena_alloc(x->work, n + m, sizeof *order), split = 0;
  int *set = dls_arena_alloc(x->work, n, sizeof *set), used = 0;
  if (x->out_of_memory || !order || !set) return DLS_ERR_MEMORY;
  dls_copy(both, x->M, n * n);
  if (m) dls_copy(both + n * n, x->G_b, n * m);
  dls_status status = dls_qr_pivots(x->n, x->n + x->m_b, both, order, r);
  if (status != DLS_OK) return status;
  for (int i = 0; i < x->n; i++)
    if (order[i] < x->n) set[used++] = order[i];
  split = used;
  for (int i = 0; i < x->n; i++)
    if (order[i] >= x->n) set[used++] = order[i] - x->n;
  dls_witness_set(x, v, "coordinates", DLS_INDEX_COORDINATES, set, split);
  dls_witness_set(x, v, "bilateral", DLS_INDEX_BILATERAL, set + split, used - split);
  if (!(r[n - 1] > x->basic.noise * r[0])) v->answer = DLS_UNDECIDED;
  return x->out_of_memory ? DLS_ERR_MEMORY : DLS_OK;
}

static dls_status decide_cone(dls_context *x)
{
  const char *by = "linear programs on the massless directions";
  double *direction = dls_context_work(x, x->k_0), least = NAN;
  if (x->out_of_memory) return DLS_ERR_MEMORY;
  dls_status status = widen(x, false, &least, direction);
  if (status != DLS_OK) return status;
  const dls_size size = dls_size_of(&x->massless, least);
  if (size == DLS_SIZE_POSITIVE && !x->k_ambiguous) return accept_cone(x, least);
  bool ambiguous = false;
  for (int i = 0; i < x->m_u; i++) ambiguous |= x->opening[i] == DLS_SIZE_AMBIGUOUS;
  if (size == DLS_SIZE_ZERO && ambiguous) {
    status = widen(x, true, &least, direction);
    if (status != DLS_OK) return status;
  }
  if (dls_size_of(&x->massless, least) == DLS_SIZE_ZERO) return refuse_by_two(x, least, direction);
  dls_verdict_set(x, DLS_ACCELERATION_UNIQUE, DLS_UNDECIDED, least, by, "");
  return DLS_OK;
}

dls_status dls_certify_unique(dls_context *x)
{
  const dls_verdict *exists = &x->check->verdict[DLS_ACCELERATION_EXISTS];
  if (exists->answer != DLS_YES) {
    dls_verdict *v = &x->check->verdict[DLS_ACCELERATION_UNIQUE];
    *v = *exists;
    v->by = exists->answer == DLS_NO ? "no acceleration exists" : "existence is undecided";
    return DLS_OK;
  }
  if (x->k_0 > 0) return decide_cone(x);
  const double margin = x->k ? x->w[0] / x->mass_values[x->n - 1] : NAN;
  if (x->k_ambiguous) {
    dls_verdict_set(x, DLS_ACCELERATION_UNIQUE, DLS_UNDECIDED, margin,
                    "whether a massless direction is free is within the tolerance", "");
    return DLS_OK;
  }
  const dls_verdict *mass = &x->check->verdict[DLS_MASS_DEFINITE];
  if (mass->answer == DLS_YES) {
    dls_verdict *v = dls_verdict_set(
        x, DLS_ACCELERATION_UNIQUE, DLS_YES, margin,
        "M is definite: the Gauss program is strictly convex (TUT Prop. 4, theory §5)",
        mass->shows);
    v->part[v->parts++] = mass->part[0];
    return DLS_OK;
  }
  dls_verdict *v = dls_verdict_set(
      x, DLS_ACCELERATION_UNIQUE, DLS_YES, margin,
      "no massless direction is free: ker M and ker G_b^T meet in 0 only (TUT Prop. 1, theory §5)",
      "the rows of M at these coordinates and the rows of G_b^T at these bilateral constraints "
      "form "
      "a nonsingular square matrix");
  return add_rows(x, v);
}
