// With y = rho u and X = r - y, a contact that
//
//   is open (X_N <= 0) has dr = r,
//   sticks (|X_T| <= mu X_N) has W dr + eps / rho dr = y / rho in its rows,
//   slides along t = X_T / |X_T|, with c = mu X_N / |X_T| and s across t, has           eq (new.3)
//
//     (W dr)_N + eps / rho dr_N = y_N / rho,   dr_t = mu dr_N + r_t - mu r_N,
//     c (W dr)_s + (1 - (1 - eps) c) / rho dr_s = r_s / rho.
//
// So there are 0, d or d - 1 unknowns per contact. A bilateral contact is never open, and mu has
// the sign of X_N; one that slides along xi has t = -xi and c = 0. Not for bounded friction.
#include "solve/newton_dense.h"

#include "base/memory.h"
#include "contact/law.h"
#include "linalg/dense_lu.h"
#include "linalg/length.h"
#include "solve/tolerances.h"

#include <math.h>

enum { BLOCKS = 40, ALWAYS = 6 };         // at most; and whatever the work of sparse factors
static const double open_unknowns = 0.6;  // part of all: as a rule more than half of them stay
static const double dense_work = 0.7;     // operations for each n^3
static const double sparse_price = 3;     // sparse factors cost more than their operations

typedef enum state { OPEN, STICKING, SLIDING } state;

typedef struct contact {
  state state;
  int first;      // unknown
  double t1, t2;  // direction of sliding; s = (-t2, t1)
  double c, mu;
  state factored;  // its state in the system that was factored last
} contact;

struct dls_newton_dense {
  dls_run *run;
  const double *rho, *y;
  contact *contacts;  // all blocks
  int unknowns;
  double *K, *x;  // by rows; right side and solution
  double *known;  // padded: the part of dr that is known
  bool any_known;
  int *pivot;
  bool ready;  // there are factors
};

dls_status dls_newton_dense_create(dls_run *run, dls_newton_dense **out)
{
  *out = NULL;
  const int n = run->blocks;
  if (!run->op->W || n > BLOCKS || n == 0) return DLS_OK;
  const double left = open_unknowns * run->padded;
  if (n > ALWAYS && dense_work * left * left * left > sparse_price * run->op->work) return DLS_OK;
  const ptrdiff_t rows = run->padded;
  dls_newton_dense *d = dls_arena_alloc(run->arena, 1, sizeof *d);
  if (!d) return DLS_ERR_MEMORY;
  d->run = run;
  d->contacts = dls_arena_alloc(run->arena, n, sizeof *d->contacts);
  d->K = dls_arena_alloc(run->arena, rows * rows, sizeof(double));
  d->pivot = dls_arena_alloc(run->arena, rows, sizeof(int));
  d->x = dls_run_vector(run), d->known = dls_run_vector(run);
  if (!d->contacts || !d->K || !d->pivot || !d->x || !d->known) return DLS_ERR_MEMORY;
  *out = d;
  return DLS_OK;
}

// The state of contact i, its known part of dr, and |F|^2. law: a constant where it is the cone.
static inline __attribute__((always_inline)) double classify_as(dls_newton_dense *n, dls_law law,
                                                                int i)
{
  const dls_run *run = n->run;
  const int d = run->d;
  const double *r = run->r + (ptrdiff_t)d * i, *y = n->y + (ptrdiff_t)d * i;
  double *known = n->known + (ptrdiff_t)d * i;
  contact *c = &n->contacts[i];
  const double X0 = r[0] - y[0], X1 = r[1] - y[1], X2 = d == 3 ? r[2] - y[2] : 0;
  const double r2 = d == 3 ? r[2] : 0, t = d == 3 ? dls_length(X1, X2) : fabs(X1);
  const double mu = X0 < 0 && dls_law_is_bilateral(law) ? -run->mu[i] : run->mu[i];
  c->first = n->unknowns, c->mu = mu;
  for (int k = 0; k < d; k++) known[k] = 0;
  if (X0 <= 0 && !dls_law_is_bilateral(law)) {
    c->state = OPEN;
    for (int k = 0; k < d; k++) known[k] = r[k];
    if (r[0] != 0 || r[1] != 0 || r2 != 0) n->any_known = true;
    return r[0] * r[0] + r[1] * r[1] + r2 * r2;
  }
  if (law == DLS_LAW_EQUATION || (t <= mu * X0 && !dls_law_slides(law))) {
    c->state = STICKING;
    n->unknowns += d;
    return y[0] * y[0] + y[1] * y[1] + (d == 3 ? y[2] * y[2] : 0);
  }
  c->state = SLIDING;
  n->unknowns += d - 1;
  if (dls_law_slides(law)) {
    const double *xi = run->problem->direction + (ptrdiff_t)(d - 1) * i;
    c->t1 = -xi[0], c->t2 = d == 3 ? -xi[1] : 0, c->c = 0;
  } else {
    c->t1 = X1 / t, c->t2 = X2 / t, c->c = mu * X0 / t;
  }
  const double gap = c->t1 * r[1] + c->t2 * r2 - mu * r[0];
  // what is only rounding stays: all rows of W would meet it
  if (fabs(gap) > border_rounding * mu * X0) {
    known[1] = gap * c->t1, n->any_known = true;
    if (d == 3) known[2] = gap * c->t2;
  }
  const double F1 = r[1] - mu * X0 * c->t1, F2 = r2 - mu * X0 * c->t2;
  return y[0] * y[0] + F1 * F1 + F2 * F2;
}

static double classify(dls_newton_dense *n, int i)
{
  return classify_as(n, DLS_LAW_CONE, i);
}

static double classify_law(dls_newton_dense *n, int i)
{
  return classify_as(n, (dls_law)n->run->law[i], i);
}

double dls_newton_dense_residual(dls_newton_dense *n, const double *rho, const double *y)
{
  const dls_run *run = n->run;
  const int d = run->d;
  double square = 0, size = 0;
  n->rho = rho, n->y = y, n->unknowns = 0, n->any_known = false;
  if (run->law)
    for (int i = 0; i < run->contacts; i++) square += classify_law(n, i);
  else
    for (int i = 0; i < run->contacts; i++) square += classify(n, i);
  for (int i = run->contacts; i < run->blocks; i++) {
    n->contacts[i].state = STICKING, n->contacts[i].first = n->unknowns;
    n->unknowns += d;
    for (int k = d * i; k < d * (i + 1); k++) square += y[k] * y[k], n->known[k] = 0;
  }
  for (int i = 0; i < run->rows; i++) size += run->r[i] * run->r[i];
  return size > 0 ? sqrt(square / size) : 1;
}

// ---- the system --------------------------------------------------------------------------------

// What the columns of a block are for the unknowns of a sliding contact: N and t together, and s.
static inline void slide_columns(const contact *c, int d, const double *W, double *columns)
{
  const double m1 = c->mu * c->t1, m2 = c->mu * c->t2;
  for (int k = 0; k < d; k++) {
    columns[k] = d == 3 ? W[k] + (m1 * W[k + 3] + m2 * W[k + 6]) : W[k] + m1 * W[k + d];
    if (d == 3) columns[k + 3] = c->t1 * W[k + 6] - c->t2 * W[k + 3];
  }
}

// The rows that contact c has of `cols` columns, of the matrix K with `size` numbers per row.
static inline void put_rows(const contact *c, int d, int cols, const double *columns, int size,
                            double *K)
{
  if (c->state == STICKING) {
    for (int k = 0; k < d; k++)
      for (int l = 0; l < cols; l++) K[size * k + l] = columns[k + d * l];
    return;
  }
  const double c1 = c->c * c->t1, c2 = c->c * c->t2;
  for (int l = 0; l < cols; l++) {
    K[l] = columns[d * l];
    if (d == 3) K[size + l] = c1 * columns[2 + 3 * l] - c2 * columns[1 + 3 * l];
  }
}

static inline int unknowns_of(const contact *c, int d)
{
  return c->state == STICKING ? d : d - 1;
}

// The rows of block i.
static inline void fill(dls_newton_dense *n, int d, int i, double eps)
{
  const dls_run *run = n->run;
  const dls_operator *op = run->op;
  const contact *c = &n->contacts[i];
  const int size = n->unknowns, count = unknowns_of(c, d);
  const double over = 1 / n->rho[i];
  double *K = n->K + (ptrdiff_t)size * c->first, columns[6];
  if (op->row_p[i + 1] - op->row_p[i] < run->blocks) dls_clear(K, size * count);
  for (int e = op->row_p[i]; e < op->row_p[i + 1]; e++) {
    const contact *other = &n->contacts[op->row_col[e]];
    const double *W = op->W + (ptrdiff_t)(d * d) * e;
    if (other->state == STICKING) put_rows(c, d, d, W, size, K + other->first);
    if (other->state != SLIDING) continue;
    slide_columns(other, d, W, columns);
    put_rows(c, d, d - 1, columns, size, K + other->first);
  }
  for (int k = 0; k < count; k++) {
    const bool across = c->state == SLIDING && k == 1;
    K[size * k + c->first + k] += (across ? 1 - (1 - eps) * c->c : eps) * over;
  }
}

// The right side of block i.
static inline void fill_right(dls_newton_dense *n, int d, int i)
{
  const contact *c = &n->contacts[i];
  const double over = 1 / n->rho[i], *y = n->y + (ptrdiff_t)d * i,
               *r = n->run->r + (ptrdiff_t)d * i;
  const int count = unknowns_of(c, d);
  double *x = n->x + c->first;
  for (int k = 0; k < count; k++) {
    const bool across = c->state == SLIDING && k == 1;
    x[k] = (across ? c->t1 * r[2] - c->t2 * r[1] : y[k]) * over;
  }
  if (!n->any_known) return;
  double product[3], own[3];
  dls_operator_product(n->run->op, d, i, n->known, product);
  put_rows(c, d, 1, product, 1, own);
  for (int k = 0; k < count; k++) x[k] -= own[k];
}

static inline void subtract(dls_newton_dense *n, int d, int i)
{
  const contact *c = &n->contacts[i];
  double *r = n->run->r + (ptrdiff_t)d * i;
  const double *known = n->known + (ptrdiff_t)d * i, *x = n->x + c->first;
  if (c->state == STICKING) {
    for (int k = 0; k < d; k++) r[k] -= x[k];
  } else if (c->state == SLIDING) {
    const double across = d == 3 ? x[1] : 0;
    r[0] -= x[0];
    r[1] -= known[1] + c->mu * x[0] * c->t1 - across * c->t2;
    if (d == 3) r[2] -= known[2] + c->mu * x[0] * c->t2 + across * c->t1;
  } else {
    for (int k = 0; k < d; k++) r[k] = 0;
  }
}

// With the factors at hand.
static bool take_step(dls_newton_dense *n)
{
  const dls_run *run = n->run;
  for (int i = 0; i < run->blocks; i++)
    if (n->contacts[i].state != OPEN) {
      if (run->d == 3) fill_right(n, 3, i);
      else fill_right(n, 2, i);
    }
  dls_dense_lu_solve(n->unknowns, n->K, n->pivot, n->x);
  for (int k = 0; k < n->unknowns; k++)
    if (!isfinite(n->x[k])) return false;
  for (int i = 0; i < run->blocks; i++) {
    if (run->d == 3) subtract(n, 3, i);
    else subtract(n, 2, i);
  }
  for (int i = run->rows; i < run->padded; i++) run->r[i] = 0;
  return true;
}

bool dls_newton_dense_step(dls_newton_dense *n, double eps)
{
  const dls_run *run = n->run;
  int sign;
  for (int i = 0; i < run->blocks; i++) {
    n->contacts[i].factored = n->contacts[i].state;
    if (n->contacts[i].state == OPEN) continue;
    if (run->d == 3) fill(n, 3, i, eps);
    else fill(n, 2, i, eps);
  }
  n->ready = dls_dense_lu_factor(n->unknowns, n->K, n->pivot, &sign);
  return n->ready && take_step(n);
}

bool dls_newton_dense_again(dls_newton_dense *n)
{
  if (!n->ready) return false;
  for (int i = 0; i < n->run->blocks; i++)
    if (n->contacts[i].state != n->contacts[i].factored) return false;
  return take_step(n);
}
