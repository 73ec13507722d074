// The incremental problem: its data, checked, and the natural map of one contact.
#include "base/message.h"
#include "contact/incremental.h"
#include "contact/law.h"

#include <assert.h>
#include <math.h>

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
  if (status == DLS_OK) status = dls_laws_validate(p, message);
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
