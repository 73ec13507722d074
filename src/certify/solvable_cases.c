// No solution exists when every case of Coulomb's law is empty. A case gives each contact a convex
// set of pairs (u_i, r_i), eq (slv.6); it is empty when some y has, with z = W^T y,
//
//   y_i^T u_i - z_i^T r_i >= 0 for all that the case allows, and q^T y < 0          eq (slv.7)
//
// because the sum of the left sides is q^T y for every r. Symmetry of W is not needed. In global
// form M^T p = H y, z = H^T p, and w^T y + f^T p takes the place of q^T y.
#include "certify/solvable.h"

#include "base/memory.h"
#include "certify/tolerances.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_CONTACTS = 12 };  // that are told apart

typedef struct tree {
  dls_solvable_data *s;
  dls_sparse *Ht;       // H^T
  unsigned char *mode;  // contacts
  int n;                // unknowns: y, p, t
  int nodes;
  double mass;  // M + M^T - 2 mass I is positive definite
  double size;  // of q, or w and f
  double *x, *cost;
  long double *z, *error;  // rows: W^T y or H^T p, and bounds of its rounding errors,
  long double *terms;      // and what its terms may add up to
  long double e;           // |H y - M^T p|
  bool cancels;            // e is small beside its terms, row by row
  dls_solvable_leaf *leaf;
  int leaves;
  double margin, bound;  // the least of the leaves
} tree;

// Which y a case leaves: 0 none, 1 >= 0, -1 <= 0, 2 any.
static int sign_of(const tree *t, int row)
{
  const dls_solvable_data *s = t->s;
  if (row >= s->d * s->contacts) return 2;
  const int mode = t->mode[row / s->d];
  if (row % s->d == 0) return mode == DLS_SOLVABLE_ANY || mode == DLS_SOLVABLE_OPEN ? 1 : 2;
  if (mode == DLS_SOLVABLE_STICK) return 2;
  return mode == DLS_SOLVABLE_PLUS ? 1 : mode == DLS_SOLVABLE_MINUS ? -1 : 0;
}

// r is not told but for K: -z must lie in the dual cone.
static bool whole_cone(const tree *t, int contact)
{
  const int mode = t->mode[contact];
  return mode == DLS_SOLVABLE_ANY || mode == DLS_SOLVABLE_CLOSED || mode == DLS_SOLVABLE_STICK;
}

static double side_of(const tree *t, int contact)  // r_T = side mu r_N
{
  return t->mode[contact] == DLS_SOLVABLE_PLUS ? -1 : 1;
}

// ---- the program of a case ---------------------------------------------------------------------

// factor z_j
static void add_z(const tree *t, dls_cone_rows *rows, int j, double factor)
{
  const dls_solvable_data *s = t->s;
  const dls_sparse *A = s->global ? s->H : s->W;
  const int first = s->global ? s->rows : 0;
  for (int e = A->p[j]; e < A->p[j + 1]; e++)
    dls_cone_rows_entry(rows, first + A->i[e], factor * A->x[e]);
}

static void add_equations(const tree *t, dls_cone_rows *rows)
{
  const dls_solvable_data *s = t->s;
  for (int k = 0; k < s->dof; k++) {  // M^T p - H y = 0
    dls_cone_rows_equation(rows, 0);
    for (int e = s->M->p[k]; e < s->M->p[k + 1]; e++)
      dls_cone_rows_entry(rows, s->rows + s->M->i[e], s->M->x[e]);
    for (int e = t->Ht->p[k]; e < t->Ht->p[k + 1]; e++)
      dls_cone_rows_entry(rows, t->Ht->i[e], -t->Ht->x[e]);
  }
  for (int j = s->d * s->contacts; j < s->rows; j++) {
    dls_cone_rows_equation(rows, 0);
    add_z(t, rows, j, 1);
  }
  for (int j = 0; j < s->rows; j++) {
    if (sign_of(t, j) != 0) continue;
    dls_cone_rows_equation(rows, 0);
    dls_cone_rows_entry(rows, j, 1);
  }
}

static void add_inequalities(const tree *t, dls_cone_rows *rows)
{
  const dls_solvable_data *s = t->s;
  for (int j = 0; j < s->rows; j++) {
    const int sign = sign_of(t, j);
    for (int side = -1; sign != 0 && side <= 1; side += 2) {  // -1 <= y <= 1, or 0 <= y <= 1
      dls_cone_rows_inequality(rows, side == sign ? 0 : 1);
      dls_cone_rows_entry(rows, j, side);
    }
  }
  dls_cone_rows_inequality(rows, 1);
  dls_cone_rows_entry(rows, t->n - 1, -1);
  for (int i = 0; i < s->contacts; i++) {
    const bool slides = !whole_cone(t, i) && t->mode[i] != DLS_SOLVABLE_OPEN;
    if (!slides && !(whole_cone(t, i) && !(s->mu[i] > 0))) continue;
    dls_cone_rows_inequality(rows, 0);
    add_z(t, rows, s->d * i, -1);
    if (slides) add_z(t, rows, s->d * i + 1, -side_of(t, i) * s->mu[i]);
    dls_cone_rows_entry(rows, t->n - 1, -1);
  }
}

static void add_cones(const tree *t, dls_cone_rows *rows)
{
  const dls_solvable_data *s = t->s;
  for (int i = 0; i < s->contacts; i++) {
    if (!whole_cone(t, i) || !(s->mu[i] > 0)) continue;
    const double normal = s->mu[i] > 1 ? 1 / s->mu[i] : 1, slip = s->mu[i] > 1 ? 1 : s->mu[i];
    dls_cone_rows_cone(rows, s->d);
    for (int k = 0; k < s->d; k++) {
      dls_cone_rows_next(rows, 0);
      add_z(t, rows, s->d * i + k, k == 0 ? -normal : slip);
      if (k == 0) dls_cone_rows_entry(rows, t->n - 1, -normal);
    }
  }
}

// work: q^T y + f^T p, over the size.
static double work_of(const tree *t, int column)
{
  const dls_solvable_data *s = t->s;
  if (column < s->rows) return s->q[column] / t->size;
  return column < t->n - 1 ? s->f[column - s->rows] / t->size : 0;
}

// Least work with t = 0; or, with a limit on the work, most room t for z in its cones.
static dls_status solve_case(tree *t, double limit, bool *solved)
{
  dls_cone_rows rows = {.n = t->n};
  const bool strict = limit < 0;
  add_equations(t, &rows);
  if (!strict) {
    dls_cone_rows_equation(&rows, 0);
    dls_cone_rows_entry(&rows, t->n - 1, 1);
  }
  if (strict) {
    dls_cone_rows_inequality(&rows, limit);
    for (int k = 0; k < t->n - 1; k++) dls_cone_rows_entry(&rows, k, -work_of(t, k));
  }
  add_inequalities(t, &rows);
  add_cones(t, &rows);
  for (int k = 0; k < t->n; k++) t->cost[k] = strict ? 0 : work_of(t, k);
  if (strict) t->cost[t->n - 1] = -1;
  dls_cone_report report = {0};
  double *dual = dls_alloc((ptrdiff_t)rows.m + 1, sizeof *dual);
  dls_status status =
      dual ? dls_cone_rows_solve(&rows, t->cost, t->x, dual, &report) : DLS_ERR_MEMORY;
  free(dual);
  dls_cone_rows_free(&rows);
  *solved =
      status == DLS_OK && (report.outcome == DLS_CONE_SOLVED || report.outcome == DLS_CONE_FAILED);
  for (int k = 0; *solved && k < t->n; k++) *solved = isfinite(t->x[k]);
  return status;
}

// ---- the check of a case, from the data --------------------------------------------------------

typedef struct proof {
  double margin;  // -(q^T y) over the size
  double bound;   // impulses that are excluded, over the size
} proof;

// NaN stays.
static long double larger(long double a, long double b)
{
  return b <= a ? a : b;
}

// y has its signs exactly.
static void clip(tree *t)
{
  for (int j = 0; j < t->s->rows; j++) {
    const int sign = sign_of(t, j);
    if (sign == 0 || (sign == 1 && t->x[j] < 0) || (sign == -1 && t->x[j] > 0)) t->x[j] = 0;
  }
}

// |H y - M^T p|
static void imbalance(tree *t, const double *p, long double widest)
{
  const dls_solvable_data *s = t->s;
  long double square = 0;
  t->cancels = true;
  for (int k = 0; k < s->dof; k++) {
    long double sum = 0, size = 0, most = 0;
    for (int e = s->M->p[k]; e < s->M->p[k + 1]; e++) {
      const long double term = (long double)s->M->x[e] * p[s->M->i[e]];
      sum -= term, size += fabsl(term), most += fabsl(s->M->x[e] * widest);
    }
    for (int e = t->Ht->p[k]; e < t->Ht->p[k + 1]; e++) {
      const long double term = (long double)t->Ht->x[e] * t->x[t->Ht->i[e]];
      sum += term, size += fabsl(term), most += fabs(t->Ht->x[e]);
    }
    const long double off = fabsl(sum) + (s->rows + s->dof + 2) * LDBL_EPSILON * size;
    square += off * off;
    t->cancels = t->cancels && off <= case_left * most;
  }
  t->e = sqrtl(square) * (1 + (s->dof + 4) * LDBL_EPSILON);
}

// z and its rounding errors.
static void multiply(tree *t)
{
  const dls_solvable_data *s = t->s;
  const dls_sparse *A = s->global ? s->H : s->W;
  const double *factor = t->x + (s->global ? s->rows : 0);
  long double widest = 1;  // of y, and of p unless it is more
  for (int k = 0; k < s->dof; k++) widest = larger(widest, fabsl(factor[k]));
  for (int j = 0; j < s->rows; j++) {
    long double sum = 0, size = 0, most = 0;
    for (int e = A->p[j]; e < A->p[j + 1]; e++) {
      sum += (long double)A->x[e] * factor[A->i[e]];
      size += fabsl((long double)A->x[e] * factor[A->i[e]]);
      if (factor[A->i[e]] != 0) most += fabsl(A->x[e] * widest);
    }
    t->z[j] = sum, t->terms[j] = most;
    t->error[j] = (A->p[j + 1] - A->p[j] + 2) * LDBL_EPSILON * size;
  }
  imbalance(t, factor, widest);
}

// What z takes from the sum per unit of r_N of a contact, or of |r| in an equation. What is left of
// terms that cancel each other may be their rounding; what is not small beside its own row is none,
// however small it is beside other rows: infinite.
static long double taken(const tree *t, int i)
{
  const dls_solvable_data *s = t->s;
  const int d = s->d, j = i < s->contacts ? d * i : i + (d - 1) * s->contacts;
  const long double *z = t->z + j, *error = t->error + j, *terms = t->terms + j;
  const long double mu = i < s->contacts ? s->mu[i] : 0;
  long double own = fabsl(z[0]) + error[0], slack = terms[0];
  if (i < s->contacts) {
    const long double reach = error[0] + mu * (error[1] + (d == 3 ? error[2] : 0));
    const long double slip =
        whole_cone(t, i) ? hypotl(z[1], d == 3 ? z[2] : 0) : (long double)side_of(t, i) * z[1];
    own = z[0] + mu * slip + 8 * LDBL_EPSILON * (fabsl(z[0]) + mu * fabsl(slip)) + reach;
    slack += mu * (terms[1] + (d == 3 ? terms[2] : 0));
  }
  const bool rounded = own <= case_left * slack && z[0] - error[0] <= case_left * terms[0];
  return own <= 0 || isnan(own) || rounded ? own : INFINITY;
}

static long double excess(const tree *t)
{
  const dls_solvable_data *s = t->s;
  long double worst = 0;
  for (int i = 0; i < s->contacts + s->equations; i++)
    if (i >= s->contacts || t->mode[i] != DLS_SOLVABLE_OPEN) worst = larger(worst, taken(t, i));
  return t->cancels ? worst : INFINITY;
}

static proof check_case(tree *t)
{
  const dls_solvable_data *s = t->s;
  clip(t);
  multiply(t);
  long double worst = excess(t), work = 0, size = 0, f = 0, widest = 0;
  for (int k = 0; k < t->n - 1; k++) {
    const long double term = (long double)t->x[k] * (k < s->rows ? s->q[k] : s->f[k - s->rows]);
    work += term, size += fabsl(term);
  }
  long double error = (t->n + 4) * LDBL_EPSILON * size;
  if (s->global) {  // |e^T v| <= |e| |M^-1 (H r + f)|
    for (int k = 0; k < s->dof; k++) f += (long double)s->f[k] * s->f[k];
    for (int j = 0; j < s->rows; j++) {
      long double square = 0;
      for (int e = s->H->p[j]; e < s->H->p[j + 1]; e++)
        square += (long double)s->H->x[e] * s->H->x[e];
      widest = larger(widest, square);
    }
    const long double reach = t->e / t->mass * rounded_up;
    const long double mu = s->largest_mu;
    error += reach * sqrtl(f);
    worst += t->e > 0 ? reach * sqrtl(widest) * (1 + 2 * mu) : 0;
  }
  const long double margin = -(work + error);
  proof p = {.margin = (double)(margin / t->size)};
  p.bound = worst > 0 ? (double)(margin / worst / t->size) : INFINITY;
  if (!(margin > 0) || isnan(worst)) p.bound = 0;
  return p;
}

static bool good(proof p)
{
  return p.margin > case_margin && p.bound >= case_bound;
}

// ---- the tree ----------------------------------------------------------------------------------

static dls_status keep_leaf(tree *t, const double *x, proof p)
{
  const dls_solvable_data *s = t->s;
  unsigned char *mode = dls_arena_alloc(s->arena, (ptrdiff_t)s->contacts + 1, 1);
  double *y = dls_arena_alloc(s->arena, (ptrdiff_t)s->rows + 1, sizeof *y);
  double *moved = s->global ? dls_arena_alloc(s->arena, (ptrdiff_t)s->dof + 1, sizeof *y) : NULL;
  if (!mode || !y || (s->global && !moved)) return DLS_ERR_MEMORY;
  dls_copy(mode, t->mode, s->contacts);
  for (int j = 0; j < s->rows; j++) y[j] = s->D[j] * x[j];
  for (int k = 0; moved && k < s->dof; k++) moved[k] = s->unit * s->B[k] * x[s->rows + k];
  t->leaf[t->leaves++] = (dls_solvable_leaf){.mode = mode, .y = y, .p = moved};
  t->margin = fmin(t->margin, p.margin), t->bound = fmin(t->bound, p.bound);
  return DLS_OK;
}

static dls_status exclude(tree *t, bool *excluded)
{
  bool solved;
  *excluded = false;
  dls_status status = solve_case(t, 0, &solved);
  if (status != DLS_OK || !solved) return status;
  proof first = check_case(t);
  if (!(first.margin > case_margin)) return DLS_OK;
  double *kept = dls_alloc(t->n, sizeof *kept);
  if (!kept) return DLS_ERR_MEMORY;
  dls_copy(kept, t->x, t->n);
  if (isfinite(first.bound)) {  // with room for z no impulses at all are left
    status = solve_case(t, -first.margin / 2, &solved);
    const proof second = status == DLS_OK && solved ? check_case(t) : (proof){0};
    if (good(second) && second.bound > first.bound) {
      dls_copy(kept, t->x, t->n);
      first = second;
    }
  }
  *excluded = good(first);
  if (status == DLS_OK && *excluded) status = keep_leaf(t, kept, first);
  free(kept);
  return status;
}

static int children(const tree *t, int contact, const unsigned char **list)
{
  static const unsigned char two[] = {DLS_SOLVABLE_OPEN, DLS_SOLVABLE_CLOSED};
  static const unsigned char four[] = {DLS_SOLVABLE_OPEN, DLS_SOLVABLE_STICK, DLS_SOLVABLE_PLUS,
                                       DLS_SOLVABLE_MINUS};
  const bool planar = t->s->d == 2 && t->s->mu[contact] > 0;
  *list = planar ? four : two;
  return planar ? 4 : 2;
}

// Depth first; the depth is at most MOST_CONTACTS.
static dls_status explore(tree *t, int contact, bool *empty)  // NOLINT(misc-no-recursion)
{
  *empty = false;
  const dls_solvable_options *o = &t->s->options;
  if (t->nodes >= o->max_nodes) return DLS_OK;
  if (o->watch && o->watch(o->self, (double)t->nodes / o->max_nodes)) return DLS_ERR_STOPPED;
  t->nodes++;
  dls_status status = exclude(t, empty);
  if (status != DLS_OK || *empty || contact == t->s->contacts || t->s->contacts > MOST_CONTACTS)
    return status;
  const unsigned char *list;
  const int count = children(t, contact, &list);
  *empty = true;
  for (int k = 0; status == DLS_OK && *empty && k < count; k++) {
    t->mode[contact] = list[k];
    status = explore(t, contact + 1, empty);
  }
  t->mode[contact] = DLS_SOLVABLE_ANY;
  return status;
}

static void answer_no(const tree *t)
{
  dls_solvable *out = t->s->out;
  out->answer = DLS_NO;
  out->margin = t->margin, out->bound = t->bound;
  out->x = out->v = out->r = NULL;
  out->leaf = t->leaf, out->leaves = t->leaves;
  const bool all = isinf(t->bound);
  if (t->leaves == 1)
    out->by = all ? "no impulses in the cones keep the contacts from penetrating"
                  : "no impulses in the cones, up to the bound, keep the contacts from penetrating";
  else
    out->by = all ? "every case of Coulomb's law is empty"
                  : "every case of Coulomb's law is empty for impulses up to the bound";
  out->shows = t->s->global
                   ? "M^T p = H y, z = H^T p: w^T y + f^T p < 0, yet y_i^T u_i - z_i^T r_i >= 0 "
                     "for all that the modes of a case allow"
                   : "z = W^T y: q^T y < 0, yet y_i^T u_i - z_i^T r_i >= 0 for all that the modes "
                     "of a case allow";
}

static dls_status create(tree *t)
{
  dls_solvable_data *s = t->s;
  t->n = s->rows + s->dof + 1;
  t->margin = t->bound = INFINITY;
  t->size = s->size;
  for (int k = 0; k < s->dof; k++) t->size = fmax(t->size, fabs(s->f[k]));
  t->mode = dls_alloc((ptrdiff_t)s->contacts + 1, 1);
  t->x = dls_alloc(t->n, sizeof(double)), t->cost = dls_alloc(t->n, sizeof(double));
  t->z = dls_alloc((ptrdiff_t)s->rows + 1, sizeof(long double));
  t->error = dls_alloc((ptrdiff_t)s->rows + 1, sizeof(long double));
  t->terms = dls_alloc((ptrdiff_t)s->rows + 1, sizeof(long double));
  t->leaf = dls_arena_alloc(s->arena, (ptrdiff_t)s->options.max_nodes + 1, sizeof *t->leaf);
  if (!t->mode || !t->x || !t->cost || !t->z || !t->error || !t->terms || !t->leaf)
    return DLS_ERR_MEMORY;
  if (!s->global) return DLS_OK;
  dls_status status = dls_sparse_transpose(s->H, &t->Ht);
  return status == DLS_OK ? dls_solvable_mass(s, &t->mass) : status;
}

dls_status dls_solvable_cases(dls_solvable_data *s, bool *done)
{
  tree t = {.s = s};
  bool empty = false;
  dls_status status = create(&t);
  // M must be regular for what is not there to be said
  const bool sensible = t.size > 0 && (!s->global || t.mass > 0);
  if (status == DLS_OK && sensible) status = explore(&t, 0, &empty);
  if (status == DLS_OK && empty) {
    answer_no(&t);
    *done = true;
  }
  dls_sparse_free(t.Ht);
  free(t.mode), free(t.x), free(t.cost), free(t.z), free(t.error), free(t.terms);
  return status;
}
