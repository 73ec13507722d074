// A polyhedron whose equations do not determine one point: forces that redundant contacts can
// share, motions without inertia. y = y_0 + N x, N the kernel of K; the inequalities become
//
//   E x + f >= 0,   E = L N,  f = L y_0 + e                                        eq (fri.6)
//
// and a linear program finds the x that fulfils them with the most room.
#include "certify/modes.h"

#include "base/memory.h"
#include "certify/tolerances.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>

// Points lose digits where the singular values of K differ by more: they are refined.
static const double lossy_ratio = 1e-3;

enum { FACETS = 24 };

typedef struct kernel {
  const dls_polyhedra *c;
  const dls_polyhedron *polyhedron;
  int size, rank, k;  // k: dimension of the kernel
  double *U, *S, *V;  // of K
  double *y_0, *N;    // N: size x k
  int rows;           // inequalities, spatial cones cut into facets
  int *from;          // rows: inequality of the polyhedron
  double *L;          // rows x size, by rows
  double *E, *f;      // rows x k column-major, rows
  double *x, *slack;  // k: a point; rows: its values E x + f
  double *kappa;      // rows: multipliers
} kernel;

static void drop(kernel *q)
{
  free(q->U), free(q->from);
}

static int count_rows(const dls_polyhedron *polyhedron)
{
  int rows = 0;
  for (int i = 0; i < polyhedron->inequalities; i++)
    rows += polyhedron->tau_norm[i] >= 0 ? FACETS : 1;
  return rows;
}

// outside: polygons around the circles of spatial cones, not inside of them.
static dls_status make(kernel *q, const dls_polyhedra *c, const dls_polyhedron *polyhedron,
                       bool outside)
{
  *q = (kernel){
      .c = c, .polyhedron = polyhedron, .size = polyhedron->size, .rows = count_rows(polyhedron)};
  const ptrdiff_t N = q->size, rows = q->rows;
  double *block = dls_alloc(2 * N * N + 2 * N + N * N + 2 * rows * N + 3 * rows + N, sizeof *block);
  q->from = dls_alloc(rows, sizeof *q->from);
  q->U = block;
  if (!block || !q->from) return DLS_ERR_MEMORY;
  q->V = q->U + N * N, q->N = q->V + N * N, q->S = q->N + N * N, q->y_0 = q->S + N;
  q->L = q->y_0 + N, q->E = q->L + rows * N, q->f = q->E + rows * N;
  q->slack = q->f + rows, q->kappa = q->slack + rows, q->x = q->kappa + rows;
  int row = 0;
  for (int i = 0; i < polyhedron->inequalities; i++) {
    const double *from = polyhedron->L + i * N;
    const int facets = polyhedron->tau_norm[i] >= 0 ? FACETS : 1;
    for (int k = 0; k < facets; k++, row++) {
      double *to = q->L + row * N;
      dls_copy(to, from, N);
      q->from[row] = i;
      if (facets == 1) continue;
      // inside: the corners of the polygon lie on the circle
      const int at = polyhedron->force_at[polyhedron->tau_norm[i]];
      const double angle = 6.283185307179586 * k / FACETS;
      const double stretch = outside ? 1 : 1 / cos(3.141592653589793 / FACETS);
      to[at + 1] = stretch * cos(angle), to[at + 2] = stretch * sin(angle);
    }
  }
  return DLS_OK;
}

// Neither zero nor of size one.
static dls_status has_ambiguous(const kernel *q, int rows, int cols, const double *A,
                                bool *ambiguous)
{
  const int least = rows < cols ? rows : cols;
  const double zero = q->c->x->basic.noise;
  double *S = dls_alloc((ptrdiff_t)least + 1, sizeof *S);
  if (!S) return DLS_ERR_MEMORY;
  const dls_status status = least ? dls_svd(rows, cols, A, NULL, S, NULL) : DLS_OK;
  for (int i = 0; i < least; i++) *ambiguous |= S[i] > zero && S[i] < of_size_one;
  free(S);
  return status;
}

// Gradients that differ by delta make singular values of delta^2, which look like zero long before
// delta does. They show in the gradients themselves, and as accelerations of that size in the
// kernel.
static dls_status find_ambiguous(const kernel *q, bool *ambiguous)
{
  const ptrdiff_t N = q->size, n = q->c->n, forces = N - n, k = q->k;
  const double *K = q->polyhedron->K;
  double *A = dls_alloc(n * (forces > k ? forces : k), sizeof *A);
  *ambiguous = false;
  if (!A) return DLS_ERR_MEMORY;
  for (ptrdiff_t j = 0; j < k; j++) dls_copy(A + n * j, q->V + N * ((ptrdiff_t)q->rank + j), n);
  dls_status status = has_ambiguous(q, (int)n, (int)k, A, ambiguous);
  for (int turned = 0; turned < 2 && status == DLS_OK; turned++) {
    for (ptrdiff_t j = 0; j < forces; j++)
      for (ptrdiff_t i = 0; i < n; i++)
        A[i + n * j] = turned ? K[n + j + N * i] : K[i + N * (n + j)];
    status = has_ambiguous(q, (int)n, (int)forces, A, ambiguous);
  }
  free(A);
  return status;
}

// 0 consistent, 1 contradictory (work->w: a combination of equations), 2 ambiguous
static int decompose(kernel *q, dls_polyhedron_work *work)
{
  const ptrdiff_t N = q->size;
  const double noise = q->c->x->basic.noise, tolerance = q->c->tolerance;
  const double *r = q->polyhedron->r, load = fmax(q->c->load, 0);
  int certain = 0;
  for (int i = 0; i < q->size && q->S[0] > 0; i++) {
    certain += q->S[i] > tolerance * q->S[0];
    q->rank += q->S[i] > noise * q->S[0];
  }
  if (certain != q->rank) return 2;
  double off = 0;
  dls_clear(work->w, N);
  for (int i = 0; i < q->size; i++) {
    const double along = dls_dot(q->size, q->U + N * i, r);
    if (i >= q->rank) {
      off = fmax(off, fabs(along));
      for (ptrdiff_t j = 0; j < N; j++) work->w[j] -= along * q->U[j + N * i];
      continue;
    }
    for (ptrdiff_t j = 0; j < N; j++) q->y_0[j] += along / q->S[i] * q->V[j + N * i];
  }
  const double condition = q->rank ? q->S[0] / q->S[q->rank - 1] : 1;
  if (off > tolerance * load) return 1;
  if (off > noise * condition * load) return 2;

  q->k = q->size - q->rank;
  for (int j = 0; j < q->k; j++)
    for (ptrdiff_t i = 0; i < N; i++) {
      const double entry = q->V[i + N * ((ptrdiff_t)q->rank + j)];
      q->N[i + N * j] = fabs(entry) <= noise * condition ? 0 : entry;
    }
  for (int i = 0; i < q->rows; i++) {
    const double *row = q->L + i * N;
    const double value = dls_dot(q->size, row, q->y_0) + q->polyhedron->e[q->from[i]];
    q->f[i] =
        fabs(value) <= noise * condition * fmax(load, dls_norm_max(q->size, q->y_0)) ? 0 : value;
    for (int j = 0; j < q->k; j++) {
      const double entry = dls_dot(q->size, row, q->N + N * j);
      q->E[i + (ptrdiff_t)q->rows * j] = fabs(entry) <= noise * condition ? 0 : entry;
    }
  }
  return 0;
}

static double unit_of(const kernel *q)
{
  const double size = fmax(q->c->load, dls_norm_max(q->size, q->y_0));
  return size > 0 ? size : 1;
}

// max t <= 1 with E x + f >= t in units of the load: how much room there is. kappa: multipliers.
static dls_status find_slack(kernel *q, double *slack, bool *found)
{
  const ptrdiff_t rows = q->rows, cols = (ptrdiff_t)q->k + 1;
  const double unit = unit_of(q);
  double *block = dls_alloc(rows * cols + 2 * rows + 4 * cols, sizeof *block);
  if (!block) return DLS_ERR_MEMORY;
  double *A = block, *low = A + rows * cols, *high = low + rows, *col_low = high + rows;
  double *col_high = col_low + cols, *cost = col_high + cols, *point = cost + cols, value = NAN;
  dls_copy(A, q->E, rows * (cols - 1));
  for (ptrdiff_t i = 0; i < rows; i++) {
    A[i + rows * (cols - 1)] = -1;
    low[i] = -q->f[i] / unit, high[i] = INFINITY;
  }
  for (ptrdiff_t j = 0; j < cols; j++) col_low[j] = -INFINITY, col_high[j] = INFINITY;
  col_high[cols - 1] = 1, cost[cols - 1] = -1;
  const dls_lp_data data = {q->rows, q->k + 1, A, low, high, col_low, col_high, cost};
  dls_lp_outcome outcome = DLS_LP_FAILED;
  dls_status status = dls_lp_run(&data, point, q->kappa, &value, &outcome);
  *found = status == DLS_OK && outcome == DLS_LP_OPTIMAL;
  *slack = *found ? point[cols - 1] : NAN;
  for (ptrdiff_t j = 0; j + 1 < cols; j++) q->x[j] = unit * point[j];
  free(block);
  return status;
}

// max t <= 1 with E x + f >= 0 and (E x + f)_i >= t, in units of the load.
static dls_status find_max(kernel *q, ptrdiff_t i, double *A, double *point, double *most)
{
  const ptrdiff_t rows = q->rows, cols = (ptrdiff_t)q->k + 1;
  const double unit = unit_of(q);
  double *block = dls_alloc(2 * rows + 3 * cols, sizeof *block), value = NAN;
  if (!block) return DLS_ERR_MEMORY;
  double *low = block, *high = low + rows, *col_low = high + rows, *col_high = col_low + cols;
  double *cost = col_high + cols;
  for (ptrdiff_t k = 0; k < rows; k++) {
    low[k] = -q->f[k] / unit, high[k] = INFINITY;
    A[k + rows * (cols - 1)] = k == i ? -1 : 0;
  }
  for (ptrdiff_t j = 0; j < cols; j++) col_low[j] = -INFINITY, col_high[j] = INFINITY;
  col_high[cols - 1] = 1, cost[cols - 1] = -1;
  const dls_lp_data data = {q->rows, q->k + 1, A, low, high, col_low, col_high, cost};
  dls_lp_outcome outcome = DLS_LP_FAILED;
  const dls_status status = dls_lp_run(&data, point, NULL, &value, &outcome);
  *most = status == DLS_OK && outcome == DLS_LP_OPTIMAL ? -value : (double)NAN;
  for (ptrdiff_t j = 0; j + 1 < cols; j++) point[j] *= unit;
  free(block);
  return status;
}

// Which inequalities are never strict, and a point where the others are: the average of the points
// where each has most room. Not found when a program failed or a number is neither zero nor not.
static dls_status find_tight(kernel *q, bool *tight, bool *found)
{
  const ptrdiff_t rows = q->rows, k = q->k;
  const double zero = fmax(tight_row, solved_roundings * q->c->x->basic.noise);
  double *A = dls_alloc(rows * (k + 1) + 2 * (k + 1), sizeof *A);
  if (!A) return DLS_ERR_MEMORY;
  double *point = A + rows * (k + 1), *sum = point + k + 1;
  dls_status status = DLS_OK;
  int count = 0, strict = 0;
  if (k) dls_copy(A, q->E, rows * k);
  *found = true;
  for (ptrdiff_t i = 0; i < rows && *found && status == DLS_OK; i++) {
    double most = NAN;
    status = find_max(q, i, A, point, &most);
    *found = most <= zero || most > q->c->tolerance;
    tight[i] = most <= zero;
    strict += !tight[i];
    if (tight[i] && strict) continue;
    // the points of strict inequalities replace what tight ones have gathered
    if (!tight[i] && strict == 1) dls_clear(sum, k), count = 0;
    for (ptrdiff_t j = 0; j < k; j++) sum[j] += point[j];
    count++;
  }
  for (ptrdiff_t j = 0; j < k && count > 0; j++) q->x[j] = sum[j] / count;
  free(A);
  return status;
}

// Moves x so that the tight inequalities hold with equality, and keeps of the kernel only what
// leaves them so.
static dls_status restrict_kernel(kernel *q, const bool *tight, bool *certain)
{
  const ptrdiff_t k = q->k, rows = q->rows, N = q->size;
  int count = 0;
  for (int i = 0; i < q->rows; i++) count += tight[i];
  const ptrdiff_t T = count, least = T < k ? T : k;
  double *block = dls_alloc(T * k + T * T + k * k + least + T + N * k, sizeof *block);
  if (!block) return DLS_ERR_MEMORY;
  double *A = block, *U = A + T * k, *V = U + T * T, *S = V + k * k, *d = S + least, *kept = d + T;
  ptrdiff_t row = 0;
  for (ptrdiff_t i = 0; i < rows; i++) {
    if (!tight[i]) continue;
    d[row] = -q->f[i];
    for (ptrdiff_t j = 0; j < k; j++) {
      A[row + T * j] = q->E[i + rows * j];
      d[row] -= q->E[i + rows * j] * q->x[j];
    }
    row++;
  }
  dls_status status = dls_svd(count, q->k, A, U, S, V);
  int rank = 0, sure = 0;
  for (ptrdiff_t i = 0; status == DLS_OK && i < least && S[0] > 0; i++)
    rank += S[i] > kernel_zero * S[0], sure += S[i] > q->c->tolerance * S[0];
  *certain = rank == sure;
  for (int i = 0; status == DLS_OK && i < rank; i++) {
    const double along = dls_dot(count, U + T * i, d) / S[i];
    for (ptrdiff_t j = 0; j < k; j++) q->x[j] += along * V[j + k * i];
  }
  if (status == DLS_OK) {
    dls_gemm(false, false, q->size, q->k - rank, q->k, 1, q->N, V + k * rank, 0, kept);
    // the point first: x refers to the old kernel
    dls_gemv(false, q->size, q->k, 1, q->N, q->x, 1, q->y_0);
    dls_clear(q->x, k);
    q->k -= rank;
    dls_copy(q->N, kept, N * (ptrdiff_t)q->k);
  }
  free(block);
  return status;
}

// Small singular values, as tall stacks have, leave an error in the point: what is missing in K y =
// r, with more digits, and the point once more from it.
static void refine(kernel *q, double *missing)
{
  const ptrdiff_t N = q->size;
  for (ptrdiff_t i = 0; i < N; i++) {
    long double sum = q->polyhedron->r[i];
    for (ptrdiff_t j = 0; j < N; j++) sum -= (long double)q->polyhedron->K[i + N * j] * q->y_0[j];
    missing[i] = (double)sum;
  }
  for (int i = 0; i < q->rank; i++) {
    const double along = dls_dot(q->size, q->U + N * i, missing) / q->S[i];
    for (ptrdiff_t j = 0; j < N; j++) q->y_0[j] += along * q->V[j + N * i];
  }
}

// What differs among the points y_0 + N x.
static void find_extent(const kernel *q, bool *moves, bool *strains)
{
  const int n = q->c->n;
  *moves = *strains = false;
  for (int j = 0; j < q->k; j++) {
    const double *direction = q->N + (ptrdiff_t)q->size * j;
    *moves |= dls_norm_max(n, direction) > kernel_zero;
    *strains |= dls_norm_max(q->size - n, direction + n) > kernel_zero;
  }
}

static dls_status settle(kernel *q, const unsigned char *mode, dls_polyhedron_work *work,
                         dls_set *set, dls_polyhedron_outcome *outcome)
{
  const dls_polyhedra *c = q->c;
  dls_gemv(false, q->size, q->k, 1, q->N, q->x, 1, q->y_0);
  const bool lossy = q->rank > 0 && q->S[q->rank - 1] < lossy_ratio * q->S[0];
  for (int k = 0; k < 2 && lossy; k++) refine(q, work->w);
  dls_polyhedron_expand(c, mode, q->polyhedron, q->y_0, &work->point);
  set->dimension = q->k;
  find_extent(q, &set->moves, &set->strains);
  bool good = false;
  const dls_status status = dls_polyhedron_accept(c, mode, work, &good);
  *outcome = good ? DLS_POLYHEDRON_SET : DLS_POLYHEDRON_DOUBT;
  return status;
}

// Do whole numbers find a point with along^T y beyond a value?
static dls_status reaches(const kernel *q, const unsigned char *mode, const double *along, int side,
                          double value, bool *found)
{
  const dls_polyhedron_region beyond = {.bounded = true,
                                        .along = along,
                                        .low = side > 0 ? value : -INFINITY,
                                        .high = side > 0 ? INFINITY : value};
  dls_exact_outcome outcome;
  const dls_status status = dls_polyhedron_exact(q->c, mode, &beyond, NULL, NULL, &outcome);
  *found = outcome == DLS_EXACT_POINT;
  return status;
}

// Do the entries from ... to - 1 differ among the points of the polyhedron? Along some direction
// whole numbers find points on both sides of the one at hand, or one further than rounding.
static dls_status extends(const kernel *q, const unsigned char *mode, const dls_point *point,
                          int from, int to, bool *further)
{
  const dls_polyhedra *c = q->c;
  const double condition = q->rank ? q->S[0] / q->S[q->rank - 1] : 1;
  const double far = c->x->basic.noise * condition * unit_of(q), near = far / solved_roundings;
  double *along = dls_alloc((ptrdiff_t)c->n + c->m + c->tangents, sizeof *along), at = 0;
  bool above = false, below = false;
  if (!along) return DLS_ERR_MEMORY;
  for (int k = from; k < to; k++) {
    along[k] = 1 + (k * 37 % 64) / 64.0;  // no direction of a model
    at += along[k] * (k < c->n          ? point->z[k]
                      : k < c->n + c->m ? point->lambda[k - c->n]
                                        : point->tau[k - c->n - c->m]);
  }
  dls_status status = reaches(q, mode, along, 1, at + near, &above);
  if (status == DLS_OK) status = reaches(q, mode, along, -1, at - near, &below);
  *further = above && below;
  if (status == DLS_OK && above != below)
    status = reaches(q, mode, along, above ? 1 : -1, above ? at + far : at - far, further);
  free(along);
  return status;
}

// Linear programs do not see what is smaller than their tolerances: a polyhedron that counts as one
// point, in its forces or in all, is one if whole numbers find no other.               eq (num.1)
static dls_status confirm_point(const kernel *q, const unsigned char *mode,
                                const dls_polyhedron_work *work, dls_set *set)
{
  const dls_polyhedra *c = q->c;
  const int from = set->moves ? c->n : 0, to = set->strains ? c->n : c->n + c->m + c->tangents;
  bool further = false, moves = false;
  if (from >= to) return DLS_OK;
  dls_status status = extends(q, mode, &work->point, from, to, &further);
  if (further && from == 0 && status == DLS_OK)
    status = extends(q, mode, &work->point, 0, c->n, &moves);
  if (moves) set->certain = false;
  else if (further) set->tense = true;
  return status;
}

static bool has_cones(const dls_polyhedron *p)
{
  for (int i = 0; i < p->inequalities; i++)
    if (p->tau_norm[i] >= 0) return true;
  return false;
}

// A polygon inside of a cone may be one point where the cone is not, such as a ray on its boundary:
// a polygon around it has to be one, too.
static dls_status confirm_cones(const dls_polyhedra *c, dls_polyhedron_work *work, dls_set *set)
{
  kernel q;
  bool *tight = NULL, found = false, sure = true, moves = true, strains = true;
  if (!has_cones(&work->polyhedron) || (set->moves && set->strains)) return DLS_OK;
  dls_status status = make(&q, c, &work->polyhedron, true);
  if (status == DLS_OK) status = dls_svd(q.size, q.size, work->polyhedron.K, q.U, q.S, q.V);
  if (status == DLS_OK && decompose(&q, work) == 0) {
    tight = dls_alloc(q.rows, sizeof *tight);
    status = tight ? find_tight(&q, tight, &found) : DLS_ERR_MEMORY;
  }
  if (status == DLS_OK && found) status = restrict_kernel(&q, tight, &sure);
  if (status == DLS_OK && found && sure) find_extent(&q, &moves, &strains);
  if (moves && !set->moves) set->certain = false;
  if (strains && !set->strains) set->tense = true;
  free(tight);
  drop(&q);
  return status;
}

// Multipliers of facets back to the inequalities; false for spatial cones, which facets inside of
// the cone cannot prove anything about.
static bool prove(kernel *q, dls_polyhedron_work *work)
{
  const ptrdiff_t N = q->size;
  double *kappa = dls_alloc(q->polyhedron->inequalities + N, sizeof *kappa);
  if (!kappa) return false;
  double *target = kappa + q->polyhedron->inequalities;
  bool good = true;
  for (int i = 0; i < q->rows; i++) {
    if (!(q->kappa[i] > 0)) continue;
    good &= q->polyhedron->tau_norm[q->from[i]] < 0;
    kappa[q->from[i]] += q->kappa[i];
    for (ptrdiff_t j = 0; j < N; j++) target[j] += q->kappa[i] * q->L[i * N + j];
  }
  // K^T w = target on the range of K^T
  dls_clear(work->w, N);
  for (int i = 0; i < q->rank; i++) {
    const double along = dls_dot(q->size, q->V + N * i, target) / q->S[i];
    for (ptrdiff_t j = 0; j < N; j++) work->w[j] += along * q->U[j + N * i];
  }
  if (good) dls_polyhedron_proof(q->c, work, kappa);
  free(kappa);
  return good;
}

dls_status dls_polyhedron_degenerate(dls_polyhedra *c, const unsigned char *mode,
                                     dls_polyhedron_work *work, dls_set *set, double *margin,
                                     dls_polyhedron_outcome *outcome)
{
  kernel q;
  bool *tight = NULL;
  *outcome = DLS_POLYHEDRON_DOUBT, *margin = 0, set->certain = true;
  dls_status status = make(&q, c, &work->polyhedron, false);
  if (status == DLS_OK) status = dls_svd(q.size, q.size, work->polyhedron.K, q.U, q.S, q.V);
  if (status != DLS_OK) goto done;
  const int state = decompose(&q, work);
  if (state == 1) {
    dls_polyhedron_proof(c, work, NULL);
    *margin = dls_proof_check_far(c, mode, &work->proof);
    status = dls_polyhedron_refute(c, mode, &work->proof, margin);
    if (*margin > c->tolerance) *outcome = DLS_POLYHEDRON_EMPTY;
  }
  if (state) goto done;
  double slack = 1;
  bool found = true, ambiguous = false;
  status = find_ambiguous(&q, &ambiguous);
  if (status != DLS_OK || ambiguous) goto done;
  if (q.rows) status = find_slack(&q, &slack, &found);
  if (status != DLS_OK || !found) goto done;
  if (slack > c->tolerance) {
    status = settle(&q, mode, work, set, outcome);
  } else if (slack < -c->tolerance) {
    if (prove(&q, work)) *margin = dls_proof_check_far(c, mode, &work->proof);
    status = dls_polyhedron_refute(c, mode, &work->proof, margin);
    if (*margin > c->tolerance) *outcome = DLS_POLYHEDRON_EMPTY;
  } else if (fabs(slack) <= no_slack) {
    tight = dls_alloc(q.rows, sizeof *tight);
    if (!tight) status = DLS_ERR_MEMORY;
    if (tight) status = find_tight(&q, tight, &found);
    if (status == DLS_OK && found) status = restrict_kernel(&q, tight, &set->certain);
    if (status == DLS_OK && found) status = settle(&q, mode, work, set, outcome);
    if (status == DLS_OK && *outcome == DLS_POLYHEDRON_SET)
      status = confirm_point(&q, mode, work, set);
    if (status == DLS_OK && *outcome == DLS_POLYHEDRON_SET) status = confirm_cones(c, work, set);
  }
done:
  free(tight);
  drop(&q);
  return status;
}
