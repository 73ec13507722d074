// All solutions of a small problem: every complementary basis, with signs that are proven.
//
// A basis a says which z_k may be positive; the w of these rows vanish, the z of the others do. Its
// variables solve a linear system, here by fraction-free elimination (minors.h), so that each sign
// is known, or known to be in doubt. Of a nonsingular basis the system and signs give at most one
// point; the same point comes from several bases when it is degenerate, and is recognized by which
// of its z and w vanish: the equations that say so determine it.                    eq (lcp.9)
#include "certify/lcp_enumerate.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "lcp/lcp.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST = DLS_LCP_ENUMERATE_LARGEST, ROWS = 64, MOST = DLS_LCP_SOLUTIONS_LARGEST };

// ---- which bases need not be tried -------------------------------------------------------------

typedef struct signs {
  uint32_t plus, minus;  // columns with M_ij > 0 and < 0
  int load;              // sign of q_i
  bool free;             // a free variable takes part: nothing follows
} signs;

static void read_signs(const dls_lcp_search *s, signs *row)
{
  for (int i = 0; i < s->k; i++) {
    const dls_tracked *a = s->data + s->free + i;
    for (int j = 0; j < s->free; j++) row[i].free |= a[(ptrdiff_t)s->n * j].x != 0;
    for (int j = 0; j < s->k; j++) {
      const long double x = a[(ptrdiff_t)s->n * (s->free + j)].x;
      if (x > 0) row[i].plus |= (uint32_t)1 << j;
      if (x < 0) row[i].minus |= (uint32_t)1 << j;
    }
    const long double q = -a[(ptrdiff_t)s->n * s->n].x;
    row[i].load = (q > 0) - (q < 0);
  }
}

// Row i cannot be fulfilled with nonnegative z in the basis, whatever their values.
static bool hopeless(const dls_lcp_search *s, const signs *row, uint32_t basis)
{
  for (int i = 0; i < s->k; i++) {
    if (row[i].free) continue;
    if (row[i].load < 0 && !(row[i].plus & basis)) return true;
    if (basis >> i & 1 && row[i].load > 0 && !(row[i].minus & basis)) return true;
  }
  return false;
}

// ---- one basis ---------------------------------------------------------------------------------

static int place(dls_lcp_search *s, uint32_t basis)
{
  dls_minors *w = &s->work;
  int order = 0, rest = s->n;
  for (int i = 0; i < s->n; i++) {
    const bool in = i < s->free || (basis >> (i - s->free) & 1);
    if (in) s->order[order++] = i;
  }
  for (int i = s->n - 1; i >= s->free; i--)
    if (!(basis >> (i - s->free) & 1)) s->order[--rest] = i;
  w->rows = s->n, w->cols = order + 1, w->order = order, w->unit = s->unit;
  for (int j = 0; j <= order; j++) {
    const dls_tracked *from = s->data + (ptrdiff_t)s->n * (j < order ? s->order[j] : s->n);
    for (int i = 0; i < s->n; i++) w->T[i + (ptrdiff_t)s->n * j] = from[s->order[i]];
  }
  return order;
}

typedef struct reading {
  bool rejected;  // a sign is certainly wrong
  bool sure;      // no sign is in doubt
  uint32_t z_zero, w_zero;
} reading;

static void read_sign(reading *r, dls_tracked t, long double flip, uint32_t bit, uint32_t *zero)
{
  t.x *= flip;
  const dls_sign sign = dls_tracked_sign(t);
  if (sign == DLS_NEGATIVE) r->rejected = true;
  if (sign == DLS_UNSURE) r->sure = false;
  if (sign != DLS_POSITIVE) *zero |= bit;
}

static reading read_basis(const dls_lcp_search *s, int order, double *z)
{
  const dls_minors *w = &s->work;
  const dls_tracked *x = w->T + (ptrdiff_t)s->n * order;
  const long double flip = w->last.x < 0 ? -1 : 1;
  reading r = {.sure = true};
  dls_clear(z, s->n);
  for (int k = 0; k < order; k++) {
    const int variable = s->order[w->pivot_col[k]], condition = variable - s->free;
    const dls_tracked t = x[w->pivot_row[k]];
    z[variable] = (double)(t.x / w->last.x);
    if (condition < 0) continue;
    const uint32_t bit = (uint32_t)1 << condition;
    r.w_zero |= bit;
    read_sign(&r, t, flip, bit, &r.z_zero);
    if (r.z_zero & bit) z[variable] = 0;
  }
  for (int i = order; i < s->n; i++) {
    const uint32_t bit = (uint32_t)1 << (s->order[i] - s->free);
    r.z_zero |= bit;
    read_sign(&r, x[i], -flip, bit, &r.w_zero);  // the row holds -w
  }
  return r;
}

// A singular system without solution: an equation is left that says 0 = something.
static bool inconsistent(const dls_lcp_search *s, int order, bool *sure)
{
  const dls_minors *w = &s->work;
  bool contradiction = false;
  *sure = true;
  for (int i = 0; i < order; i++) {
    if (w->row_used[i]) continue;
    bool empty = true;
    for (int j = 0; j < order; j++)
      if (!w->col_used[j]) empty &= dls_tracked_sign(w->T[i + (ptrdiff_t)s->n * j]) == DLS_ZERO;
    const dls_sign sign = dls_tracked_sign(w->T[i + (ptrdiff_t)s->n * order]);
    if (!empty) *sure = false;
    if (sign == DLS_POSITIVE || sign == DLS_NEGATIVE) contradiction = true;
  }
  return contradiction;
}

static dls_status try_basis(dls_lcp_search *s, uint32_t basis, double *z)
{
  const int order = place(s, basis);
  dls_minors_solve(&s->work);
  if (s->work.rank < order) {
    bool sure;
    const bool none = inconsistent(s, order, &sure);
    if (!sure) s->ambiguous = true;
    return none ? DLS_OK : dls_lcp_add_face(s, basis);
  }
  const reading r = read_basis(s, order, z);
  if (r.rejected) return DLS_OK;
  if (!r.sure) s->ambiguous = true;
  return dls_lcp_add_point(s, r.z_zero, r.w_zero, r.sure, z);
}

static bool near(int n, const double *a, const double *b)
{
  double distance = 0, size = 0;
  for (int i = 0; i < n; i++) {
    distance = fmax(distance, fabs(a[i] - b[i]));
    size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
  }
  return distance <= same_point * size;
}

dls_status dls_lcp_add_point(dls_lcp_search *s, uint32_t z_zero, uint32_t w_zero, bool sure,
                             const double *z)
{
  for (int p = 0; p < s->points; p++) {
    const dls_lcp_point *other = &s->point[p];
    if (other->z_zero == z_zero && other->w_zero == w_zero) return DLS_OK;
    if (!(sure && other->sure) && near(s->n, z, other->z)) return DLS_OK;
  }
  if (s->points == MOST) {
    s->complete = false;
    return DLS_OK;
  }
  double *copy = dls_alloc(s->n, sizeof *copy);
  if (!copy ||
      dls_grow((void **)&s->point, &s->capacity, (ptrdiff_t)s->points + 1, sizeof *s->point) != 0) {
    free(copy);
    return DLS_ERR_MEMORY;
  }
  if (s->n > 0) dls_copy(copy, z, s->n);
  s->point[s->points++] = (dls_lcp_point){z_zero, w_zero, sure, copy};
  return DLS_OK;
}

// ---- the result --------------------------------------------------------------------------------

static bool on_face(const dls_lcp_search *s, const dls_lcp_point *p)
{
  const uint32_t all = ((uint32_t)1 << s->k) - 1;
  for (int f = 0; f < s->faces; f++)
    if (!(s->face[f].basis & ~p->w_zero) && !(all & ~s->face[f].basis & ~p->z_zero)) return true;
  return false;
}

typedef struct result {
  dls_lcp_solutions shown;
  dls_lcp_solution *item;
  double *numbers;
} result;

// z of the user = 2^(col - load) z scaled, w by the rows of the data.
static void fill(const dls_lcp_search *s, const dls_mlcp *given, const double *z, double *numbers,
                 dls_lcp_solution *out)
{
  const ptrdiff_t n = s->n;
  double *user = numbers, *w = numbers + n, *work = numbers + 2 * n;
  for (ptrdiff_t i = 0; i < n; i++) user[i] = ldexp(z[i], s->col[i] - s->col[n]);
  dls_mlcp_rows(given, user, w, work);
  for (ptrdiff_t i = 0; i < n; i++) work[i] = 0;
  *out = (dls_lcp_solution){.z = user, .w = w};
}

static void fill_point(const dls_lcp_search *s, const dls_mlcp *given, const dls_lcp_point *p,
                       double *numbers, dls_lcp_solution *out)
{
  fill(s, given, p->z, numbers, out);
  double *w = numbers + s->n;
  for (int i = 0; i < s->free; i++) w[i] = 0;
  for (int i = 0; i < s->k; i++)
    if (p->w_zero >> i & 1) w[s->free + i] = 0;
  out->degenerate = (p->z_zero & p->w_zero) != 0;
}

static void fill_face(const dls_lcp_search *s, const dls_mlcp *given, const dls_lcp_face *f,
                      double *numbers, dls_lcp_solution *out)
{
  fill(s, given, f->z, numbers, out);
  double *w = numbers + s->n, *direction = numbers + 2 * s->n, largest = 0;
  for (int i = 0; i < s->n; i++) {
    if (i < s->free || (f->basis >> (i - s->free) & 1)) w[i] = 0;
    direction[i] = ldexp(f->direction[i], s->col[i]);
    largest = fmax(largest, fabs(direction[i]));
  }
  for (int i = 0; i < s->n; i++) direction[i] /= largest;
  out->continuum = true;
  out->direction = direction;
  for (int i = s->free; i < s->n; i++)
    if (!(fabs(f->z[i]) > face_zero) && !(w[i] > 0)) out->degenerate = true;
}

static dls_status collect(const dls_lcp_search *s, const dls_mlcp *given, dls_lcp_solutions **out)
{
  const ptrdiff_t most = (ptrdiff_t)s->points + s->faces, n = s->n;
  result *r = dls_alloc(1, sizeof *r);
  if (!r) return DLS_ERR_MEMORY;
  r->item = dls_alloc(most, sizeof *r->item);
  r->numbers = dls_alloc(most * n * 3, sizeof *r->numbers);
  if (!r->item || !r->numbers) {
    dls_lcp_solutions_free(&r->shown);
    return DLS_ERR_MEMORY;
  }
  ptrdiff_t count = 0;
  bool ambiguous = s->ambiguous;
  for (int p = 0; p < s->points; p++)
    if (!on_face(s, &s->point[p])) {
      fill_point(s, given, &s->point[p], r->numbers + 3 * n * count, &r->item[count]);
      count++;
    }
  for (int f = 0; f < s->faces; f++)
    if (s->face[f].component == f) {
      fill_face(s, given, &s->face[f], r->numbers + 3 * n * count, &r->item[count]);
      count++;
    }
  // each solution is measured by the data as given before it is shown
  for (ptrdiff_t i = 0; i < count; i++) {
    dls_lcp_error error;
    const dls_status status = dls_mlcp_residual(given, r->item[i].z, &error);
    if (status != DLS_OK) {
      dls_lcp_solutions_free(&r->shown);
      return status;
    }
    if (!(error.relative <= shown_residual)) ambiguous = true;
  }
  r->shown = (dls_lcp_solutions){.n = s->n,
                                 .count = (int)count,
                                 .item = r->item,
                                 .ambiguous = ambiguous,
                                 .complete = s->complete};
  *out = &r->shown;
  return DLS_OK;
}

void dls_lcp_solutions_free(dls_lcp_solutions *solutions)
{
  result *r = (result *)solutions;  // it is the first member
  if (!r) return;
  free(r->item), free(r->numbers), free(r);
}

static dls_status prepare(dls_lcp_search *s, const dls_mlcp *given)
{
  const ptrdiff_t n = s->n;
  s->data = dls_alloc(n * (n + 1), sizeof *s->data);
  s->plain = dls_alloc(n * (n + 1), sizeof *s->plain);
  s->row = dls_alloc(n, sizeof *s->row);
  s->col = dls_alloc(n + 1, sizeof *s->col);
  s->order = dls_alloc(n, sizeof *s->order);
  if (!s->data || !s->plain || !s->row || !s->col || !s->order) return DLS_ERR_MEMORY;
  for (ptrdiff_t k = 0; k < n * n; k++) s->data[k].x = given->M[k];
  for (ptrdiff_t k = 0; k < n; k++) s->data[n * n + k].x = -(long double)given->q[k];
  const dls_status status = dls_minors_scale(s->n, s->n + 1, s->data, s->row, s->col, &s->unit);
  if (status != DLS_OK) return status;
  for (ptrdiff_t k = 0; k < n * (n + 1); k++) s->plain[k] = (double)s->data[k].x;
  return dls_minors_create(s->n, s->n + 1, &s->work);
}

static void release(dls_lcp_search *s)
{
  for (int p = 0; p < s->points; p++) free(s->point[p].z);
  for (int f = 0; f < s->faces; f++) free(s->face[f].z), free(s->face[f].direction);
  free(s->point), free(s->data), free(s->plain), free(s->row), free(s->col), free(s->order);
  dls_minors_free(&s->work);
}

dls_status dls_mlcp_enumerate(const dls_mlcp *mlcp, dls_lcp_solutions **out)
{
  *out = NULL;
  dls_status status = dls_mlcp_validate(mlcp);
  if (status != DLS_OK) return status;
  if (mlcp->n - mlcp->free > LARGEST || mlcp->n > ROWS) return DLS_ERR_LIMIT;
  dls_lcp_search *s = dls_alloc(1, sizeof *s);
  if (!s) return DLS_ERR_MEMORY;
  s->n = mlcp->n, s->free = mlcp->free, s->k = mlcp->n - mlcp->free, s->complete = true;
  status = prepare(s, mlcp);
  if (status == DLS_OK) {
    signs row[LARGEST] = {{0}};
    double z[ROWS + 1];
    read_signs(s, row);
    for (uint32_t basis = 0; basis < (uint32_t)1 << s->k && status == DLS_OK; basis++)
      if (!hopeless(s, row, basis)) status = try_basis(s, basis, z);
  }
  if (status == DLS_OK) status = collect(s, mlcp, out);
  release(s);
  free(s);
  return status;
}

dls_status dls_lcp_enumerate(const dls_lcp *lcp, dls_lcp_solutions **out)
{
  if (!lcp) return DLS_ERR_ARGUMENT;
  const dls_mlcp mixed = {.n = lcp->n, .free = 0, .M = lcp->M, .q = lcp->q};
  return dls_mlcp_enumerate(&mixed, out);
}
