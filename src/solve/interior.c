// A primal-dual interior-point method on the whole problem, De Saxce's term included. In the
// variables x = (mu r_N, r_T) and y = (û_N / mu, û_T), both in the second-order cone,
//
//   y = p^-1 (W r + q) + |y_T| e,   x o y = sigma e,   p = diag(mu, 1, 1)              eq (ipm.1)
//
// Newton steps in the scaling of Nesterov and Todd, with the derivative of |y_T|: D x = y for the
// scaling matrix D, dy = c - D dx, J = I - e (0, y_T / |y_T|)^T, and
//
//   (W + p J D p) dr = p (J c + residual)                                              eq (ipm.2)
//
// With a constant slip s in the place of |y_T|, J = I, and this is the convex problem of the fixed
// point in fixed_point.h. The whole problem is not monotone, so nothing is promised; but it takes
// the path that convex problems have, and needs no start. Contacts without friction have the
// half-line as their cone; rows of equations none.
#include "solve/interior.h"

#include "base/memory.h"
#include "linalg/tolerances.h"
#include "solve/newton.h"
#include "solve/second_order_cone.h"
#include "solve/tolerances.h"

#include <math.h>

enum { PATIENCE = 15, SHORT_STEPS = 5 };
static const double to_boundary = 0.99;     // of the longest step
static const double short_step = 1e-3;      // of a Newton step
static const double least_centring = 1e-8;  // Mehrotra's sigma
static const double near_start = 0.1;       // change of slips, of the speed, for a warm start
static const double least_inside = 1e-8;    // how far inside the cones it begins, in their units

typedef struct interior {
  double *x, *y;          // padded: in the cones, per contact
  double *dx, *dy, *ax;   // steps; the predictor's products
  double *res, *c;        // residual of the first equation, target of the second
  double *R;              // the inverse of Q
  double *S, *T, *D, *Q;  // scaling and its inverse, D = S^2, and the blocks of the system
  double *lambda;         // S x = S^-1 y
  double *rhs, *goal, *Wdr;
  const double *slip;  // per contact, constant; NULL: |y_T|
  void *newton;        // for the end
  bool warm;           // x and y are those of the last convex problem
  double stiffness, speed;
  double contacts;  // of all
} interior;

static dls_status create(dls_run *run, void **self)
{
  interior *n = dls_arena_alloc(run->arena, 1, sizeof *n);
  if (!n) return DLS_ERR_MEMORY;
  double **vectors[] = {&n->x, &n->y,      &n->dx,  &n->dy,   &n->ax, &n->res,
                        &n->c, &n->lambda, &n->rhs, &n->goal, &n->Wdr};
  double **blocks[] = {&n->S, &n->T, &n->D, &n->Q, &n->R};
  bool good = true;
  for (ptrdiff_t k = 0; k < dls_count_of(vectors); k++)
    good = (*vectors[k] = dls_run_vector(run)) && good;
  for (ptrdiff_t k = 0; k < dls_count_of(blocks); k++)
    good = (*blocks[k] = dls_run_blocks(run)) && good;
  *self = n;
  return good ? dls_method_newton.create(run, &n->newton) : DLS_ERR_MEMORY;
}

// ---- the second-order cone; size 1 is the half-line --------------------------------------------

static double determinant(int k, const double *x)
{
  const double t = dls_friction_cone_tail(k, x);
  return (x[0] - t) * (x[0] + t);
}

static void product(int k, const double *a, const double *b, double *out)
{
  double first = 0;
  for (int i = 0; i < k; i++) first += a[i] * b[i];
  for (int i = 1; i < k; i++) out[i] = a[0] * b[i] + b[0] * a[i];
  out[0] = first;
}

// out with a o out = b
static void quotient(int k, const double *a, const double *b, double *out)
{
  const double det = determinant(k, a), b0 = b[0];
  double dot = 0;
  for (int i = 1; i < k; i++) dot += a[i] * b[i];
  for (int i = 1; i < k; i++) out[i] = (-b0 * a[i] + (det * b[i] + dot * a[i]) / a[0]) / det;
  out[0] = (a[0] * b0 - dot) / det;
}

// The largest a, at most dls_longest_step, with x + a d in the cone.
static double longest(int k, const double *x, const double *d)
{
  double a = dls_longest_step;
  if (d[0] < 0) a = -x[0] / d[0];
  const double A = d[0] * d[0] - (k > 1 ? d[1] * d[1] : 0) - (k > 2 ? d[2] * d[2] : 0);
  const double B = x[0] * d[0] - (k > 1 ? x[1] * d[1] : 0) - (k > 2 ? x[2] * d[2] : 0);
  const double C = determinant(k, x), discriminant = B * B - A * C;
  if (k == 1 || discriminant < 0) return a;
  // A t^2 + 2 B t + C = 0, without cancellation
  const double s = sqrt(discriminant), far = B < 0 ? -B + s : -B - s;
  const double first = A != 0 ? far / A : dls_longest_step;
  const double second = far != 0 ? C / far : dls_longest_step;
  if (first > 0 && first < a) a = first;
  if (second > 0 && second < a) a = second;
  return a;
}

// S symmetric with S x = S^-1 y: S = sqrt(eta) [w0, w1; w1, I + w1 w1^T / (1 + w0)], T its inverse.
static bool scale(int k, const double *x, const double *y, double *S, double *T, int d)
{
  const double dx = determinant(k, x), dy = determinant(k, y);
  if (!(dx > 0 && dy > 0 && x[0] > 0 && y[0] > 0)) return false;
  const double rx = sqrt(dx), ry = sqrt(dy), eta = sqrt(ry / rx);
  double w[3] = {0}, dot = 0;
  for (int i = 0; i < k; i++) dot += x[i] / rx * (y[i] / ry);
  const double g = sqrt(2 * (1 + dot));
  for (int i = 0; i < k; i++) w[i] = (y[i] / ry + (i == 0 ? 1 : -1) * x[i] / rx) / g;
  dls_clear(S, d * d);
  dls_clear(T, d * d);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) {
      double s = i == 0 ? w[j] : j == 0 ? w[i] : (i == j) + w[i] * w[j] / (1 + w[0]);
      S[i + d * j] = eta * s;
      T[i + d * j] = ((i == 0) != (j == 0) ? -s : s) / eta;
    }
  return isfinite(eta) && isfinite(w[0]);
}

// ---- one contact -------------------------------------------------------------------------------

static void times(int k, int d, const double *A, const double *x, double *out)
{
  for (int i = 0; i < k; i++) {
    double sum = 0;
    for (int j = 0; j < k; j++) sum += A[i + d * j] * x[j];
    out[i] = sum;
  }
}

// |y_T| where it varies, 0 where the slip is given: what J takes its direction from
static double varying(const interior *n, int k, const double *y)
{
  return n->slip ? 0 : dls_friction_cone_tail(k, y);
}

// Q = p J D p, and 1 in the rows of a frictionless contact that have no force.
static void fill_block(const dls_run *run, interior *n, int i)
{
  const int d = run->d, k = dls_friction_cone_rows(run, i), area = d * d;
  const double *S = n->S + (ptrdiff_t)area * i, *y = n->y + (ptrdiff_t)d * i;
  double *D = n->D + (ptrdiff_t)area * i, *Q = n->Q + (ptrdiff_t)area * i;
  dls_block_multiply(d, S, S, D);
  dls_copy(Q, D, area);
  if (k == 1) {
    for (int j = 1; j < d; j++) Q[j * (d + 1)] = 1;
    return;
  }
  const double t = varying(n, k, y), mu = run->mu[i];
  for (int j = 0; j < d; j++)
    for (int l = 1; l < k && t > 0; l++) Q[d * j] -= y[l] / t * D[l + d * j];
  for (int j = 0; j < d; j++) Q[d * j] *= mu, Q[j] *= mu;
}

// R = p^-1 D^-1 J^-1 p^-1, the inverse of Q: from T, since Q is too stiff to be inverted.
static void invert_block(const dls_run *run, interior *n, int i)
{
  const int d = run->d, k = dls_friction_cone_rows(run, i), area = d * d;
  const double *T = n->T + (ptrdiff_t)area * i, *y = n->y + (ptrdiff_t)d * i;
  double *R = n->R + (ptrdiff_t)area * i;
  dls_block_multiply(d, T, T, R);
  if (k == 1) {
    for (int j = 1; j < d; j++) R[j * (d + 1)] = 1;
    return;
  }
  const double t = varying(n, k, y), mu = run->mu[i];
  for (int j = 0; j < d; j++)
    for (int l = 1; l < k && t > 0; l++) R[j + d * l] += R[j] * y[l] / t;
  for (int j = 0; j < d; j++) R[d * j] /= mu, R[j] /= mu;
}

// W + Q; in global form R W + 1, which needs no inverses.
static bool factor(dls_run *run, interior *n)
{
  const int d = run->d, area = d * d;
  if (!run->problem->global) return dls_operator_factor(run->op, NULL, n->Q);
  for (int i = 0; i < run->contacts; i++) invert_block(run, n, i);
  for (int i = run->contacts; i < run->blocks; i++)
    for (int k = 0; k < area; k++) {
      const ptrdiff_t at = (ptrdiff_t)area * i + k;
      n->R[at] = k % (d + 1) == 0 ? 1 / n->Q[at] : 0;
    }
  for (ptrdiff_t k = 0; k < (ptrdiff_t)area * run->blocks; k++) n->D[k] = k % area % (d + 1) == 0;
  return dls_operator_factor(run->op, n->R, n->D);
}

// b <- (W + Q)^-1 b
static void solve_system(dls_run *run, interior *n, double *b)
{
  const int d = run->d;
  for (int i = 0; run->problem->global && i < run->blocks; i++) {
    double Rb[3] = {0};
    dls_block_add(d, d, n->R + (ptrdiff_t)(d * d) * i, b + (ptrdiff_t)d * i, Rb);
    for (int k = 0; k < d; k++) b[d * i + k] = Rb[k];
  }
  dls_operator_solve(run->op, b);
}

static bool fill(dls_run *run, interior *n)
{
  const int d = run->d, area = d * d;
  bool inside = true;
  for (int i = 0; i < run->contacts; i++) {
    const ptrdiff_t at = (ptrdiff_t)d * i, block = (ptrdiff_t)area * i;
    const int k = dls_friction_cone_rows(run, i);
    inside = scale(k, n->x + at, n->y + at, n->S + block, n->T + block, d);
    if (!inside) break;
    times(k, d, n->S + block, n->x + at, n->lambda + at);
    fill_block(run, n, i);
  }
  for (int i = run->contacts; i < run->blocks; i++) {
    double *Q = n->Q + (ptrdiff_t)area * i;
    dls_clear(Q, area);
    // equations have no cone: a little regularization, taken back by the next step
    for (int k = 0; k < d; k++)
      Q[k * (d + 1)] = equation_regularization *
                       fabs(run->op->diagonal[(ptrdiff_t)area * i + (ptrdiff_t)k * (d + 1)]);
  }
  return dls_operator_all(run->op, inside) && factor(run, n);
}

// The forces' step dr in rhs, with one step of refinement, and W dr in Wdr.
static bool solve(dls_run *run, interior *n)
{
  const int d = run->d, area = d * d;
  dls_copy(n->goal, n->rhs, run->padded);
  solve_system(run, n, n->rhs);
  dls_operator_multiply(run->op, n->rhs, n->Wdr);
  for (int i = 0; i < run->blocks; i++) {
    double Qdr[3] = {0};
    dls_block_add(d, d, n->Q + (ptrdiff_t)area * i, n->rhs + (ptrdiff_t)d * i, Qdr);
    for (int k = d * i; k < d * (i + 1); k++) n->goal[k] -= n->Wdr[k] + Qdr[k - d * i];
  }
  for (int i = run->rows; i < run->padded; i++) n->goal[i] = 0;
  solve_system(run, n, n->goal);
  bool finite = true;
  for (int i = 0; i < run->rows; i++) {
    n->rhs[i] += n->goal[i];
    finite = finite && isfinite(n->rhs[i]);
  }
  if (!dls_operator_all(run->op, finite)) return false;
  dls_operator_multiply(run->op, n->rhs, n->Wdr);
  return true;
}

// dx and dy of a contact. dy = c - D dx too, but where D is large that would lose y's equation.
static void follow(const dls_run *run, interior *n, int i)
{
  const ptrdiff_t at = (ptrdiff_t)run->d * i;
  const int k = dls_friction_cone_rows(run, i);
  const double mu = k > 1 ? run->mu[i] : 1, t = varying(n, k, n->y + at);
  n->dx[at] = mu * n->rhs[at];
  n->dy[at] = n->Wdr[at] / mu - n->res[at];
  for (int j = 1; j < k; j++) {
    n->dx[at + j] = n->rhs[at + j];
    n->dy[at + j] = n->Wdr[at + j] - n->res[at + j];
    if (t > 0) n->dy[at] += n->y[at + j] / t * n->dy[at + j];
  }
}

// The step for the products target - lambda o lambda - what the predictor left (ax, or NULL).
static bool direction(dls_run *run, interior *n, double target, const double *left)
{
  const int d = run->d, area = d * d;
  for (int i = 0; i < run->contacts; i++) {
    const ptrdiff_t at = (ptrdiff_t)d * i, block = (ptrdiff_t)area * i;
    const int k = dls_friction_cone_rows(run, i);
    double goal[3], z[3], *c = n->c + at, *rhs = n->rhs + at;
    product(k, n->lambda + at, n->lambda + at, goal);
    for (int j = 0; j < k; j++) goal[j] = -goal[j] - (left ? left[at + j] : 0);
    goal[0] += target;
    quotient(k, n->lambda + at, goal, z);
    times(k, d, n->S + block, z, c);
    double first = c[0];
    const double t = varying(n, k, n->y + at), mu = run->mu[i];
    for (int j = 1; j < k && t > 0; j++) first -= n->y[at + j] / t * c[j];
    rhs[0] = (first + n->res[at]) * (k > 1 ? mu : 1);
    for (int j = 1; j < d; j++) rhs[j] = k > 1 ? c[j] + n->res[at + j] : 0;
  }
  for (int i = d * run->contacts; i < run->padded; i++) n->rhs[i] = n->res[i];
  if (!solve(run, n)) return false;
  for (int i = 0; i < run->contacts; i++) follow(run, n, i);
  return true;
}

static double step_length(const dls_run *run, const interior *n)
{
  double a = dls_longest_step;
  for (int i = 0; i < run->contacts; i++) {
    const ptrdiff_t at = (ptrdiff_t)run->d * i;
    const int k = dls_friction_cone_rows(run, i);
    const double ax = longest(k, n->x + at, n->dx + at), ay = longest(k, n->y + at, n->dy + at);
    if (ax < a) a = ax;
    if (ay < a) a = ay;
  }
  return -dls_operator_largest(run->op, -a);
}

// What the predictor would leave of the products: (S dx) o (S^-1 dy).
static void second_order(const dls_run *run, interior *n)
{
  const int d = run->d;
  for (int i = 0; i < run->contacts; i++) {
    const ptrdiff_t at = (ptrdiff_t)d * i, block = (ptrdiff_t)(d * d) * i;
    const int k = dls_friction_cone_rows(run, i);
    double a[3], b[3];
    times(k, d, n->S + block, n->dx + at, a);
    times(k, d, n->T + block, n->dy + at, b);
    product(k, a, b, n->ax + at);
  }
}

static double complementarity(const dls_run *run, const interior *n, double a)
{
  double sum = 0;
  for (int i = 0; i < run->contacts; i++)
    for (int j = 0; j < dls_friction_cone_rows(run, i); j++) {
      const ptrdiff_t at = (ptrdiff_t)run->d * i + j;
      sum += (n->x[at] + a * n->dx[at]) * (n->y[at] + a * n->dy[at]);
    }
  dls_operator_sum(run->op, 1, &sum);
  return n->contacts > 0 ? sum / n->contacts : 0;
}

// ---- the iteration -----------------------------------------------------------------------------

static void choose_units(dls_run *run, interior *n)
{
  const int d = run->d, area = d * d;
  double stiffness = 0, speed = 0;
  for (int i = 0; i < run->contacts; i++) {
    const double mu = run->mu[i] > 0 ? run->mu[i] : 1;
    const double *W = run->op->diagonal + (ptrdiff_t)area * i;
    stiffness += W[0] / (mu * mu);
    if (fabs(run->op->q[d * i]) / mu > speed) speed = fabs(run->op->q[d * i]) / mu;
    for (int k = 1; k < d; k++) {
      stiffness += W[k * (d + 1)];
      if (fabs(run->op->q[d * i + k]) > speed) speed = fabs(run->op->q[d * i + k]);
    }
  }
  n->contacts = dls_operator_count(run->op, run->contacts);
  dls_operator_sum(run->op, 1, &stiffness);
  speed = dls_operator_largest(run->op, speed);
  n->stiffness = stiffness > 0 ? stiffness / (d * n->contacts) : 1;
  n->speed = speed > 0 ? speed : 1;
}

// All cones at their unit, in units that the data suggest.
static void start(dls_run *run, interior *n)
{
  choose_units(run, n);
  dls_clear(n->x, run->padded);
  dls_clear(n->y, run->padded);
  dls_clear(n->dx, run->padded);
  dls_clear(n->dy, run->padded);
  dls_clear(run->r, run->padded);
  for (int i = 0; i < run->contacts; i++)
    n->x[run->d * i] = n->speed / n->stiffness, n->y[run->d * i] = n->speed;
}

static void to_forces(dls_run *run, const interior *n)
{
  for (int i = 0; i < run->contacts; i++) {
    const ptrdiff_t at = (ptrdiff_t)run->d * i;
    const int k = dls_friction_cone_rows(run, i);
    for (int j = 0; j < run->d; j++) run->r[at + j] = j < k ? n->x[at + j] : 0;
    if (k > 1) run->r[at] /= run->mu[i];
  }
}

// res = y - p^-1 u - |y_T| e at the measured point; u of equations with the other sign.
static void residual(const dls_run *run, interior *n)
{
  for (int i = 0; i < run->contacts; i++) {
    const ptrdiff_t at = (ptrdiff_t)run->d * i;
    const int k = dls_friction_cone_rows(run, i);
    for (int j = 0; j < run->d; j++)
      n->res[at + j] =
          j < k ? n->y[at + j] - run->u[at + j] / (j == 0 && k > 1 ? run->mu[i] : 1) : 0;
    if (k > 1) n->res[at] -= n->slip ? n->slip[i] : dls_friction_cone_tail(k, n->y + at);
  }
  for (int i = run->d * run->contacts; i < run->padded; i++) n->res[i] = -run->u[i];
}

static bool iteration(dls_run *run, interior *n, double *length)
{
  residual(run, n);
  if (!fill(run, n)) return false;
  const double now = complementarity(run, n, 0);
  if (!direction(run, n, 0, NULL)) return false;
  double a = step_length(run, n);
  if (a > 1) a = 1;
  const double ratio = complementarity(run, n, a) / now;
  double sigma = ratio < 1 ? ratio * ratio * ratio : 1;
  if (!(sigma > least_centring)) sigma = least_centring;
  second_order(run, n);
  if (!direction(run, n, sigma * now, n->ax)) return false;
  a = to_boundary * step_length(run, n);
  if (a > 1) a = 1;
  for (int i = 0; i < run->padded; i++) n->x[i] += a * n->dx[i], n->y[i] += a * n->dy[i];
  to_forces(run, n);
  for (int i = run->d * run->contacts; i < run->rows; i++) run->r[i] += a * n->rhs[i];
  *length = a;
  return true;
}

bool dls_interior_iterate(dls_run *run, void *self, int most)
{
  interior *n = self;
  n->slip = NULL, n->warm = false;
  start(run, n);
  to_forces(run, n);
  dls_run_measure(run);
  double best = INFINITY, length = 1;
  int since = 0, shorts = 0;
  for (int k = 0; k < most && since < PATIENCE && shorts < SHORT_STEPS; k++) {
    if (!iteration(run, n, &length)) return true;
    dls_run_measure(run);
    if (!dls_run_next(run)) return false;
    since = run->error < progress * best ? 0 : since + 1;
    shorts = length < short_step ? shorts + 1 : 0;
    if (run->error < best) best = run->error;
  }
  return true;
}

void dls_interior_forget(void *self)
{
  ((interior *)self)->warm = false;
}

// The last solution, moved into the cones by `inside` of the units.
static void start_near(dls_run *run, interior *n, double inside)
{
  for (int i = 0; i < run->contacts; i++) {
    n->x[run->d * i] += inside * n->speed / n->stiffness;
    n->y[run->d * i] += inside * n->speed;
  }
  to_forces(run, n);
}

dls_convex_end dls_interior_convex(dls_run *run, void *self, const double *rho, const double *slip,
                                   double tolerance, double change, int *iterations)
{
  interior *n = self;
  const bool near = n->warm && change < near_start * n->speed;
  n->slip = slip, n->warm = false;
  if (near) start_near(run, n, least_inside + change / n->speed);
  else start(run, n), to_forces(run, n);
  dls_run_measure(run);
  double length = 1, best = INFINITY;
  for (int since = 0, shorts = 0; since < PATIENCE && shorts < SHORT_STEPS;) {
    if (!iteration(run, n, &length)) break;
    ++*iterations;
    dls_run_measure(run);
    if (!dls_run_next(run)) return DLS_CONVEX_OVER;
    const double error = dls_convex_error(run, rho, slip);
    if (error <= tolerance) {
      n->warm = true;
      return DLS_CONVEX_SOLVED;
    }
    since = error < progress * best ? 0 : since + 1;
    shorts = length < short_step ? shorts + 1 : 0;
    if (error < best) best = error;
  }
  return near ? dls_interior_convex(run, self, rho, slip, tolerance, change, iterations)
              : DLS_CONVEX_STUCK;
}

static void iterate(dls_run *run, void *self)
{
  if (!dls_run_prepare(run)) return;
  dls_run_measure(run);
  if (!dls_run_next(run)) return;
  if (!dls_interior_iterate(run, self, 500)) return;
  // where force and velocity both lie on the boundaries of their cones, their distances to these
  // drown in rounding first; Newton's method does not need them
  dls_run_return(run);
  interior *n = self;
  if (dls_newton_iterate(run, n->newton, 20, 8, 0)) dls_run_give_up(run, DLS_STOP_STALLED);
}

const dls_method dls_method_interior = {
    .info = {"interior",
             "primal-dual interior point on the whole problem, De Saxce's term included; Newton at "
             "the end",
             true, true, false, DLS_LAWS_CONE},
    .max_iterations = 500,
    .create = create,
    .iterate = iterate,
};
