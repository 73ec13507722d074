// The incremental problem: its data, checked, and the natural map, recomputed from them.
#include "base/memory.h"
#include "base/message.h"
#include "linalg/sparse_lu.h"
#include "problem/incremental.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

int dls_incremental_rows(const dls_incremental *p)
{
  return p->dimension * p->contacts + p->equations;
}

// ---- are the data in order? --------------------------------------------------------------------

static dls_status check_vector(const char *name, int count, const double *x, dls_message *message)
{
  if (count > 0 && !x) return dls_fail(message, DLS_ERR_ARGUMENT, "%s is missing", name);
  for (int i = 0; i < count; i++)
    if (!isfinite(x[i]))
      return dls_fail(message, DLS_ERR_NUMBER, "%s[%d] is not a finite number", name, i);
  return DLS_OK;
}

static dls_status check_matrix(const char *name, int rows, int cols, const dls_matrix_view *A,
                               dls_message *message)
{
  const dls_pattern *s = &A->pattern;
  if (s->rows != rows || s->cols != cols)
    return dls_fail(message, DLS_ERR_ARGUMENT, "%s is %d x %d, expected %d x %d", name, s->rows,
                    s->cols, rows, cols);
  if (!s->p || s->p[0] != 0)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the columns of %s do not begin at 0", name);
  for (int j = 0; j < cols; j++) {
    if (s->p[j + 1] < s->p[j])
      return dls_fail(message, DLS_ERR_ARGUMENT, "column %d of %s has a negative length", j, name);
    for (int e = s->p[j]; e < s->p[j + 1]; e++) {
      if (s->i[e] < 0 || s->i[e] >= rows)
        return dls_fail(message, DLS_ERR_ARGUMENT, "column %d of %s has the row %d of %d", j, name,
                        s->i[e], rows);
      if (e > s->p[j] && s->i[e] <= s->i[e - 1])
        return dls_fail(message, DLS_ERR_ARGUMENT, "the rows in column %d of %s do not increase", j,
                        name);
      if (!isfinite(A->x[e]))
        return dls_fail(message, DLS_ERR_NUMBER, "%s(%d, %d) is not a finite number", name, s->i[e],
                        j);
    }
  }
  return DLS_OK;
}

dls_status dls_incremental_validate(const dls_incremental *p, dls_message *message)
{
  if (p->dimension != 2 && p->dimension != 3)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the dimension is %d, expected 2 or 3",
                    p->dimension);
  if (p->contacts < 0 || p->equations < 0 || (p->global && p->dof < 0))
    return dls_fail(message, DLS_ERR_ARGUMENT, "a size is negative");
  if ((long long)p->dimension * p->contacts + p->equations > DLS_INCREMENTAL_LARGEST)
    return dls_fail(message, DLS_ERR_LIMIT, "more than %d rows", DLS_INCREMENTAL_LARGEST);
  const int rows = dls_incremental_rows(p);
  dls_status status = check_vector("mu", p->contacts, p->mu, message);
  for (int i = 0; status == DLS_OK && i < p->contacts; i++)
    if (p->mu[i] < 0)
      status = dls_fail(message, DLS_ERR_ARGUMENT, "mu[%d] = %g is negative", i, p->mu[i]);
  if (status != DLS_OK) return status;
  if (!p->global) {
    status = check_matrix("W", rows, rows, &p->W, message);
    return status == DLS_OK ? check_vector("q", rows, p->q, message) : status;
  }
  status = check_matrix("M", p->dof, p->dof, &p->M, message);
  if (status == DLS_OK) status = check_matrix("H", p->dof, rows, &p->H, message);
  if (status == DLS_OK) status = check_vector("f", p->dof, p->f, message);
  return status == DLS_OK ? check_vector("w", rows, p->w, message) : status;
}

// ---- the size of q ------------------------------------------------------------------------------

// In long double only where squares leave the range.
static double norm(int count, const double *x)
{
  double sum = 0;
  for (int i = 0; i < count; i++) sum += x[i] * x[i];
  if (sum > 1e-260 && sum < 1e260) return sqrt(sum);
  long double wide = 0;
  for (int i = 0; i < count; i++) wide += (long double)x[i] * x[i];
  return (double)sqrtl(wide);
}

dls_status dls_incremental_scale(const dls_incremental *p, double *norm_q)
{
  const int rows = dls_incremental_rows(p);
  if (!p->global) {
    *norm_q = norm(rows, p->q);
    return DLS_OK;
  }
  dls_sparse_lu *factor = NULL;
  double *x = dls_alloc((size_t)p->dof + 1, sizeof *x);
  dls_status status =
      x ? dls_sparse_lu_create(p->dof, p->M.pattern.p, p->M.pattern.i, p->M.x, &factor)
        : DLS_ERR_MEMORY;
  if (status == DLS_OK) {
    for (int i = 0; i < p->dof; i++) x[i] = p->f[i];
    dls_sparse_lu_solve(factor, 1, x);
    long double sum = 0;
    for (int j = 0; j < rows; j++) {
      long double q = p->w[j];
      for (int e = p->H.pattern.p[j]; e < p->H.pattern.p[j + 1]; e++)
        q += (long double)p->H.x[e] * x[p->H.pattern.i[e]];
      sum += q * q;
    }
    *norm_q = (double)sqrtl(sum);
  }
  dls_sparse_lu_free(factor);
  free(x);
  return status;
}

// ---- the natural map ---------------------------------------------------------------------------

// eq (inc.5): inside the cone r stays, inside the polar cone it goes to zero, otherwise to the
// nearest point of the boundary.
void dls_friction_cone_project(int rows, double mu, const double *r, double *projected)
{
  const double normal = r[0];
  const double t1 = rows > 1 ? r[1] : 0, t2 = rows > 2 ? r[2] : 0, t = dls_length(t1, t2);
  double n = normal, scale = 1;
  if (mu * t <= -normal) {
    n = scale = 0;
  } else if (!(t <= mu * normal)) {  // NaN comes here, and stays
    n = (normal + mu * t) / (1 + mu * mu);
    scale = mu * n / t;
  }
  projected[0] = n;
  if (rows > 1) projected[1] = scale * t1;
  if (rows > 2) projected[2] = scale * t2;
}

double dls_natural_map(int rows, double mu, const double *r, const double *u, double *F)
{
  assert(rows >= 1 && rows <= 3);
  double x[3] = {r[0] - u[0], 0, 0}, projected[3], slip = 0;
  for (int k = 1; k < rows; k++) x[k] = r[k] - u[k];
  if (rows == 2) slip = fabs(u[1]);
  if (rows == 3) slip = dls_length(u[1], u[2]);
  x[0] -= mu * slip;
  dls_friction_cone_project(rows, mu, x, projected);
  double square = 0;
  for (int k = 0; k < rows; k++) {
    F[k] = r[k] - projected[k];
    square += F[k] * F[k];
  }
  return square;
}

// Whether all columns are full: then the numbers stand as in a dense matrix.
static bool is_full(const dls_pattern *s)
{
  for (int j = 0; j < s->cols; j++)
    if (s->p[j + 1] - s->p[j] != s->rows) return false;
  return true;
}

// sum += A x in long double, row by row: sums stay in registers.
static void add_full(const dls_matrix_view *A, const double *x, long double *sum)
{
  const int rows = A->pattern.rows, cols = A->pattern.cols;
  for (int i = 0; i + 1 < rows; i += 2) {
    const double *values = A->x + i;
    long double a = sum[i], b = sum[i + 1];
    for (int j = 0; j < cols; j++, values += rows) {
      a += (long double)values[0] * x[j];
      b += (long double)values[1] * x[j];
    }
    sum[i] = a, sum[i + 1] = b;
  }
  if (rows % 2 == 0) return;
  const double *values = A->x + rows - 1;
  long double last = sum[rows - 1];
  for (int j = 0; j < cols; j++, values += rows) last += (long double)*values * x[j];
  sum[rows - 1] = last;
}

// sum += factor A x in long double.
static void add_product(const dls_matrix_view *A, double factor, const double *x, long double *sum)
{
  const int cols = A->pattern.cols, *p = A->pattern.p, *i = A->pattern.i;
  const double *values = A->x;
  for (int j = 0; j < cols; j++) {
    const long double own = (long double)factor * x[j];
    for (int e = p[j]; e < p[j + 1]; e++) sum[i[e]] += values[e] * own;
  }
}

// sum += A^T x in long double.
static void add_transposed(const dls_matrix_view *A, const double *x, long double *sum)
{
  const int cols = A->pattern.cols, *p = A->pattern.p, *i = A->pattern.i;
  const double *values = A->x;
  for (int j = 0; j < cols; j++) {
    long double own = sum[j];
    for (int e = p[j]; e < p[j + 1]; e++) own += (long double)values[e] * x[i[e]];
    sum[j] = own;
  }
}

static double norm_long(int count, const long double *x)
{
  long double sum = 0;
  for (int i = 0; i < count; i++) sum += x[i] * x[i];
  return (double)sqrtl(sum);
}

static double over(double value, double scale)
{
  return scale > 0 ? value / scale : value;
}

// |M v - H r - f| relative to |f|, or |H r|.
static double balance(const dls_incremental *p, const double *r, const double *v, long double *sum)
{
  for (int i = 0; i < p->dof; i++) sum[i] = 0;
  add_product(&p->H, 1, r, sum);
  double scale = norm(p->dof, p->f);
  if (!(scale > 0)) scale = norm_long(p->dof, sum);
  for (int i = 0; i < p->dof; i++) sum[i] += p->f[i];
  add_product(&p->M, -1, v, sum);
  return over(norm_long(p->dof, sum), scale);
}

// |F|; in long double only where the sum of squares leaves the range.
static double norm_of_map(const dls_incremental *p, const double *r, const double *u)
{
  const int d = p->dimension, end = d * p->contacts, rows = dls_incremental_rows(p);
  double sum = 0;
  for (int i = 0; i < p->contacts; i++)
    sum += dls_natural_square(d, p->mu[i], r + (ptrdiff_t)d * i, u + (ptrdiff_t)d * i);
  for (int i = end; i < rows; i++) sum += u[i] * u[i];
  if ((sum > 1e-260 && sum < 1e260) || (sum == 0 && rows == end)) return sqrt(sum);
  long double wide = 0;
  for (int i = 0; i < p->contacts; i++)
    wide += dls_natural_square(d, p->mu[i], r + (ptrdiff_t)d * i, u + (ptrdiff_t)d * i);
  for (int i = end; i < rows; i++) wide += (long double)u[i] * u[i];
  return (double)sqrtl(wide);
}

void dls_incremental_measure(const dls_incremental *p, double norm_q, const double *r,
                             const double *v, double *u, long double *sum,
                             dls_incremental_error *error)
{
  const int rows = dls_incremental_rows(p);
  *error = (dls_incremental_error){0};
  if (p->global) error->balance = balance(p, r, v, sum);
  const double *rest = p->global ? p->w : p->q;
  for (int i = 0; i < rows; i++) sum[i] = rest[i];
  if (p->global) add_transposed(&p->H, v, sum);
  else if (is_full(&p->W.pattern)) add_full(&p->W, r, sum);
  else add_product(&p->W, 1, r, sum);
  for (int i = 0; i < rows; i++) u[i] = (double)sum[i];
  error->natural = norm_of_map(p, r, u);
  error->q = over(error->natural, norm_q);
  double largest = norm_q, sizes[] = {norm(rows, r), norm(rows, u)};
  for (int k = 0; k < 2; k++)
    if (!(sizes[k] <= largest)) largest = sizes[k];  // NaN stays
  error->siconos = over(error->natural, largest);
  error->fclib = error->natural / (1 + sqrt(norm_q));
}

dls_status dls_incremental_residual(const dls_incremental *p, double norm_q, const double *r,
                                    const double *v, double *u, dls_incremental_error *error)
{
  const int rows = dls_incremental_rows(p);
  const size_t longest = (size_t)(p->global && p->dof > rows ? p->dof : rows) + 1;
  long double *sum = dls_alloc(longest, sizeof *sum);
  double *own = dls_alloc((size_t)rows + 1, sizeof *own);
  dls_status status = sum && own ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK) dls_incremental_measure(p, norm_q, r, v, u ? u : own, sum, error);
  free(sum), free(own);
  return status;
}
