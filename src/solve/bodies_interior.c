// Primal-dual interior points with the scaling of Nesterov and Todd and Mehrotra's predictor and
// corrector. In x = (u_N / mu + s, u_T) and z = (mu r_N, r_T) / omega both cones are |x_T| <= x_N;
// without friction only the normal part is left. The matrix of a step is 1 + G D G^T, with D the
// scaling that takes x to z: eq (bod.3). omega is one number, the largest mass of a contact: heavy
// and light contacts then approach their limits together.
#include "solve/bodies_interior.h"

#include "base/memory.h"
#include "contact/incremental.h"
#include "solve/multigrid.h"

#include <math.h>
#include <stdlib.h>

enum { N = DLS_BODY_SIZE };

enum { PATIENCE = 4, MOST_LINEAR = 500 };    // steps; of the linear systems
static const double linear_residual = 1e-9;  // of the right side
static const double to_boundary = 0.995;     // of the longest step
static const double shortest_step = 1e-8;    // that is worth another
static const double least_centring = 1e-6;   // Mehrotra's sigma
static const double much_progress = 0.7;     // of the least error so far
static const double first_force = 100;       // of the speed, which is that of q

// The scaling of a contact: W = eta [a b^T; b 1 + b b^T / (1 + a)], W z = W^-1 x = lambda.
typedef struct scaling {
  double eta, a, b[2], lambda[3];
} scaling;

typedef struct dls_bodies_interior interior;

struct dls_bodies_interior {
  const dls_bodies *b;
  const double *slip;
  dls_multigrid *grid;
  double omega, gap;
  double *x, *z, *dx, *dz, *rest, *aim;  // contacts x 3
  scaling *scale;                        // contacts
  double *D;                             // contacts x 9
  double *y, *dy, *balance, *right;      // bodies x 6
  double *memory;                        // of all these
  dls_interior_report *report;
  bool (*watch)(void *self);
  void *self;
};

static int size_of(const interior *t, ptrdiff_t at)
{
  return t->b->mu[at] > 0 ? 3 : 1;
}

// u_N = mu (x_N - s), r_N = omega z_N / mu
static double unit(const interior *t, ptrdiff_t at, int k)
{
  return k == 0 && t->b->mu[at] > 0 ? 1 / t->b->mu[at] : 1;
}

// ---- the cone of one contact -------------------------------------------------------------------

static double determinant(int size, const double *x)
{
  if (size == 1) return x[0] * x[0];
  const double t = hypot(x[1], x[2]);
  return (x[0] - t) * (x[0] + t);
}

static bool scaling_create(int size, const double *x, const double *z, scaling *w)
{
  const double dx = determinant(size, x), dz = determinant(size, z);
  *w = (scaling){.a = 1};
  if (!(dx > 0) || !(dz > 0) || !(x[0] > 0) || !(z[0] > 0)) return false;
  const double lx = sqrt(dx), lz = sqrt(dz);
  w->eta = sqrt(lx / lz);
  if (size == 3) {
    const double inner = (x[0] * z[0] + x[1] * z[1] + x[2] * z[2]) / (lx * lz);
    const double g = 2 * sqrt((1 + inner) / 2);
    for (int k = 0; k < 2; k++) w->b[k] = (x[k + 1] / lx - z[k + 1] / lz) / g;
    w->a = sqrt(1 + w->b[0] * w->b[0] + w->b[1] * w->b[1]);
  }
  return isfinite(w->eta * w->a);
}

// out = W v, or W^-1 v
static void apply(int size, const scaling *w, bool inverse, const double *v, double *out)
{
  const double sign = inverse ? -1 : 1, eta = inverse ? 1 / w->eta : w->eta;
  if (size == 1) {
    out[0] = eta * v[0];
    return;
  }
  const double inner = w->b[0] * v[1] + w->b[1] * v[2], first = v[0];
  const double f = sign * first + inner / (1 + w->a);
  for (int k = 0; k < 2; k++) out[k + 1] = eta * (v[k + 1] + w->b[k] * f);
  out[0] = eta * (w->a * first + sign * inner);
}

// out = x o y, the product of the cone's algebra
static void multiply(int size, const double *x, const double *y, double *out)
{
  double sum = 0;
  for (int k = 0; k < size; k++) sum += x[k] * y[k];
  for (int k = 1; k < size; k++) out[k] = x[0] * y[k] + x[k] * y[0];
  out[0] = sum;
}

// out with x o out = y
static void divide(int size, const double *x, const double *y, double *out)
{
  if (size == 1) {
    out[0] = y[0] / x[0];
    return;
  }
  const double first = (x[0] * y[0] - x[1] * y[1] - x[2] * y[2]) / determinant(3, x);
  for (int k = 1; k < 3; k++) out[k] = (y[k] - first * x[k]) / x[0];
  out[0] = first;
}

// The largest step with x + step d in the cone.
static double longest(int size, const double *x, const double *d)
{
  double best = d[0] < 0 ? -x[0] / d[0] : INFINITY;
  if (size == 1) return best;
  const double c = determinant(3, x), b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
  const double a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2], root = b * b - a * c;
  if (!(root >= 0)) return best;
  const double q = -(b + copysign(sqrt(root), b)), steps[2] = {q / a, c / q};
  for (int k = 0; k < 2; k++)
    if (steps[k] > 0 && steps[k] < best) best = steps[k];
  return best;
}

// ---- all contacts ------------------------------------------------------------------------------

static void relative(const interior *t, ptrdiff_t at, const double *y, double *u)
{
  const double *G = t->b->G + 36 * at;
  u[0] = u[1] = u[2] = 0;
  for (ptrdiff_t side = 0; side < 2 && t->b->body[2 * at + side] >= 0; side++, G += 18) {
    const double *x = y + (ptrdiff_t)N * t->b->body[2 * at + side];
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < N; i++) u[k] += G[N * k + i] * x[i];
  }
}

static void push(const interior *t, ptrdiff_t at, const double *d, double *y)
{
  const double *G = t->b->G + 36 * at;
  for (ptrdiff_t side = 0; side < 2 && t->b->body[2 * at + side] >= 0; side++, G += 18) {
    double *x = y + (ptrdiff_t)N * t->b->body[2 * at + side];
    for (int i = 0; i < N; i++) x[i] += G[i] * d[0] + G[N + i] * d[1] + G[2 * N + i] * d[2];
  }
}

static void force(const interior *t, ptrdiff_t at, const double *z, double *r)
{
  for (int k = 0; k < 3; k++) r[k] = k < size_of(t, at) ? unit(t, at, k) * t->omega * z[k] : 0;
}

// Residuals, the gap, and |F| / |q| of the convex problem at y0 + G r.
static double residuals(interior *t)
{
  const dls_bodies *b = t->b;
  const ptrdiff_t contacts = b->contacts, n = N * (ptrdiff_t)b->bodies;
  dls_copy(t->right, b->y0, n);
  t->gap = 0;
  for (ptrdiff_t at = 0; at < contacts; at++) {
    double r[3], u[3];
    force(t, at, t->z + 3 * at, r);
    push(t, at, r, t->right);
    relative(t, at, t->y, u);
    const double s = t->slip && size_of(t, at) == 3 ? t->slip[b->row[at]] : 0;
    for (ptrdiff_t k = 0; k < size_of(t, at); k++) {
      t->rest[3 * at + k] = unit(t, at, (int)k) * (u[k] + b->w[3 * at + k]) - t->x[3 * at + k];
      t->gap += t->x[3 * at + k] * t->z[3 * at + k];
    }
    t->rest[3 * at] += s;
  }
  t->gap /= (double)contacts;
  for (ptrdiff_t i = 0; i < n; i++) t->balance[i] = t->right[i] - t->y[i];
  double sum = 0;
  for (ptrdiff_t at = 0; at < contacts; at++) {
    double r[3], u[3], shifted[3], nearest[3];
    const double s = t->slip ? t->slip[b->row[at]] : 0;
    force(t, at, t->z + 3 * at, r);
    relative(t, at, t->right, u);
    for (ptrdiff_t k = 0; k < 3; k++) shifted[k] = r[k] - u[k] - b->w[3 * at + k];
    shifted[0] -= b->mu[at] * s;
    dls_friction_cone_project(3, b->mu[at], shifted, nearest);
    for (int k = 0; k < 3; k++) sum += (r[k] - nearest[k]) * (r[k] - nearest[k]);
  }
  return b->norm_q > 0 ? sqrt(sum) / b->norm_q : sqrt(sum);
}

// eq (bod.3): D = omega T W^-2 T
static bool fill_scaling(interior *t)
{
  for (ptrdiff_t at = 0; at < t->b->contacts; at++) {
    scaling *w = t->scale + at;
    const int size = size_of(t, at);
    double *D = t->D + 9 * at;
    if (!scaling_create(size, t->x + 3 * at, t->z + 3 * at, w)) return false;
    apply(size, w, false, t->z + 3 * at, w->lambda);
    dls_clear(D, 9);
    const double by = t->omega / (w->eta * w->eta), v[3] = {w->a, -w->b[0], -w->b[1]};
    const double b2 = w->b[0] * w->b[0] + w->b[1] * w->b[1];
    for (int i = 0; i < size; i++)
      for (int j = 0; j < size; j++) {
        const double entry = 2 * v[i] * v[j] + (i == j ? 1 : 0);
        D[3 * i + j] = by * unit(t, at, i) * unit(t, at, j) * (i + j == 0 ? 1 + 2 * b2 : entry);
      }
  }
  return dls_multigrid_fill(t->grid, t->D);
}

// What lambda o (W dz + W^-1 dx) should be: -lambda o lambda, and for the corrector the aim of the
// centre and the second-order term of the predictor.
static void aim_of(const interior *t, ptrdiff_t at, double centre, bool corrector, double *aim)
{
  const scaling *w = t->scale + at;
  const int size = size_of(t, at);
  double product[3], a[3], b[3], total[3] = {0}, y[3];
  multiply(size, w->lambda, w->lambda, product);
  for (int k = 0; k < size; k++) total[k] = -product[k];
  if (corrector) {
    apply(size, w, true, t->dx + 3 * at, a), apply(size, w, false, t->dz + 3 * at, b);
    multiply(size, a, b, product);
    for (int k = 0; k < size; k++) total[k] -= product[k];
    total[0] += centre;
  }
  divide(size, w->lambda, total, y);
  apply(size, w, true, y, aim);
}

// A Newton step towards the aim; returns the longest step that stays inside.
static double direction(interior *t, double centre, bool corrector)
{
  const ptrdiff_t contacts = t->b->contacts, n = N * (ptrdiff_t)t->b->bodies;
  double most = INFINITY;
  dls_copy(t->right, t->balance, n);
  for (ptrdiff_t at = 0; at < contacts; at++) {
    const int size = size_of(t, at);
    double z[3] = {0}, r[3], *aim = t->aim + 3 * at;
    aim_of(t, at, centre, corrector, aim);
    apply(size, t->scale + at, true, t->rest + 3 * at, z);
    apply(size, t->scale + at, true, z, z);
    for (int k = 0; k < size; k++) z[k] = aim[k] - z[k];
    force(t, at, z, r);
    push(t, at, r, t->right);
  }
  t->report->linear += dls_multigrid_solve(t->grid, t->right, linear_residual, MOST_LINEAR, t->dy);
  for (ptrdiff_t at = 0; at < contacts; at++) {
    const int size = size_of(t, at);
    double u[3], z[3], *dx = t->dx + 3 * at, *dz = t->dz + 3 * at;
    relative(t, at, t->dy, u);
    for (int k = 0; k < size; k++) dx[k] = unit(t, at, k) * u[k] + t->rest[3 * at + k];
    apply(size, t->scale + at, true, dx, z);
    apply(size, t->scale + at, true, z, z);
    for (int k = 0; k < size; k++) dz[k] = t->aim[3 * at + k] - z[k];
    most = fmin(most, longest(size, t->x + 3 * at, dx));
    most = fmin(most, longest(size, t->z + 3 * at, dz));
  }
  return most;
}

// The gap after the predictor's step says how far the centre is worth aiming at.
static double centring(const interior *t, double step)
{
  const ptrdiff_t contacts = t->b->contacts;
  double gap = 0;
  for (ptrdiff_t i = 0; i < 3 * contacts; i++)
    gap += (t->x[i] + step * t->dx[i]) * (t->z[i] + step * t->dz[i]);
  const double ratio = gap / (double)contacts / t->gap;
  return fmin(1, fmax(least_centring, ratio * ratio * ratio));
}

static bool step(interior *t)
{
  if (!fill_scaling(t)) return false;
  const double first = fmin(1, direction(t, 0, false));
  const double length = fmin(1, to_boundary * direction(t, centring(t, first) * t->gap, true));
  if (!(length > shortest_step)) return false;
  for (ptrdiff_t i = 0; i < N * (ptrdiff_t)t->b->bodies; i++) t->y[i] += length * t->dy[i];
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)t->b->contacts; i++)
    t->x[i] += length * t->dx[i], t->z[i] += length * t->dz[i];
  return true;
}

// ---- the whole ---------------------------------------------------------------------------------

static void start(interior *t)
{
  const dls_bodies *b = t->b;
  const ptrdiff_t c = b->contacts, n = N * (ptrdiff_t)b->bodies;
  const double speed = b->norm_q > 0 ? b->norm_q / sqrt(b->contacts) : 1;
  dls_clear(t->memory, 27 * c + 4 * n);
  t->omega = 0;
  for (ptrdiff_t at = 0; at < b->contacts; at++) {
    const double *W = b->W + 9 * at, trace = W[0] + W[4] + W[8];
    if (trace > 0 && 3 / trace > t->omega) t->omega = 3 / trace;
    t->x[3 * at] = speed, t->z[3 * at] = first_force * speed;
  }
  if (!(t->omega > 0)) t->omega = 1;
}

static void iterate(interior *t, double tolerance, int most, double *r)
{
  t->report->error = INFINITY;
  int since = 0;  // steps without much progress
  for (;; t->report->iterations++) {
    const double error = residuals(t);
    since = error < much_progress * t->report->error ? 0 : since + 1;
    if (error < t->report->error) {
      t->report->error = error;
      for (ptrdiff_t at = 0; at < t->b->contacts; at++)
        force(t, at, t->z + 3 * at, r + (ptrdiff_t)3 * t->b->row[at]);
    }
    if (!(error > tolerance) || t->report->iterations == most || since == PATIENCE) return;
    if ((t->watch && t->watch(t->self)) || !step(t)) return;
  }
}

void dls_bodies_interior_free(interior *t)
{
  if (!t) return;
  dls_multigrid_free(t->grid);
  free(t->memory), free(t->scale), free(t);
}

dls_status dls_bodies_interior_create(const dls_bodies *b, const dls_incremental *problem,
                                      interior **out)
{
  const ptrdiff_t c = b->contacts, n = N * (ptrdiff_t)b->bodies;
  *out = NULL;
  interior *t = dls_alloc(1, sizeof *t);
  if (!t) return DLS_ERR_MEMORY;
  t->b = b;
  double *at = t->memory = dls_alloc(27 * c + 4 * n, sizeof(double));
  t->scale = dls_alloc(c, sizeof *t->scale);
  dls_status status = t->memory && t->scale ? DLS_OK : DLS_ERR_MEMORY;
  if (status == DLS_OK && c > 0) status = dls_multigrid_create(b, problem, &t->grid);
  if (status != DLS_OK) {
    dls_bodies_interior_free(t);
    return status;
  }
  double **part[] = {&t->x, &t->z, &t->dx, &t->dz, &t->rest, &t->aim};
  for (int k = 0; k < 6; k++) *part[k] = at, at += 3 * c;
  double **bodies[] = {&t->y, &t->dy, &t->balance, &t->right};
  for (int k = 0; k < 4; k++) *bodies[k] = at, at += n;
  t->D = at;
  *out = t;
  return DLS_OK;
}

void dls_bodies_interior_solve(interior *t, const double *slip, double tolerance, int most,
                               bool (*watch)(void *self), void *self, double *r,
                               dls_interior_report *report)
{
  const ptrdiff_t c = t->b->contacts;
  *report = (dls_interior_report){0};
  t->report = report, t->slip = slip, t->watch = watch, t->self = self;
  for (ptrdiff_t i = 0; i < 3 * c; i++) r[i] = 0;
  if (c == 0) return;
  start(t);
  iterate(t, tolerance, most, r);
}
