#include "solve/smoothing_map.h"

#include "base/memory.h"
#include "solve/second_order_cone.h"
#include "solve/tolerances.h"

#include <math.h>

enum { REFINEMENTS = 5 };
static const double refining = 0.01;  // of the square of a residual: slower is as good as it gets

dls_status dls_smoothing_map_create(dls_run *run, dls_smoothing_map *map)
{
  map->run = run;
  double **vectors[] = {&map->centre, &map->x,    &map->y,    &map->Phi,  &map->l,
                        &map->f,      &map->slip, &map->work, &map->right};
  bool good = (map->R = dls_run_blocks(run)) && (map->Q = dls_run_blocks(run));
  for (ptrdiff_t k = 0; k < dls_count_of(vectors); k++)
    good = (*vectors[k] = dls_run_vector(run)) && good;
  return good ? DLS_OK : DLS_ERR_MEMORY;
}

// p of a row: mu in the normal one.
static double row_scale(const dls_run *run, int i, int k)
{
  return k == 0 && run->mu[i] > 0 ? run->mu[i] : 1;
}

void dls_smoothing_map_start(dls_smoothing_map *map)
{
  const dls_run *run = map->run;
  const int d = run->d, area = d * d;
  double stiffness = 0, stiffest = 0;
  for (int i = 0; i < run->contacts; i++)
    for (int k = 0; k < d; k++) {
      const double p = row_scale(run, i, k);
      const double own = run->op->diagonal[(ptrdiff_t)area * i + (ptrdiff_t)k * (d + 1)] / (p * p);
      stiffness += own;
      if (own > stiffest) stiffest = own;
    }
  const double contacts = map->contacts = dls_operator_count(run->op, run->contacts);
  dls_operator_sum(run->op, 1, &stiffness);
  stiffest = dls_operator_largest(run->op, stiffest);
  stiffness = stiffness > 0 ? stiffness / (d * contacts) : 1;
  map->speed = run->norm_q > 0 && contacts > 0 ? run->norm_q / sqrt(contacts) : 1;
  map->force = map->speed / stiffness;
  map->stiffest = stiffest / stiffness;
  dls_clear(map->centre, run->padded);
}

// ---- evaluation --------------------------------------------------------------------------------

// (f + l) / 2 without cancellation
static double upper(double l, double f, double tau)
{
  return l > 0 ? (f + l) / 2 : 2 * tau * tau / (f - l);
}

// The vector with the spectral values a, b in the frame of z.
static void spectral(int k, const double *z, double t, double a, double b, double *out)
{
  out[0] = (a + b) / 2;
  for (int j = 1; j < k; j++) out[j] = t > 0 ? (b - a) / 2 * (z[j] / t) : 0;
}

static void evaluate_contact(dls_smoothing_map *map, const double *z, int i)
{
  dls_run *run = map->run;
  const int d = run->d, k = dls_friction_cone_rows(run, i);
  const ptrdiff_t at = (ptrdiff_t)d * i;
  const double t = dls_friction_cone_tail(k, z + at), tau = map->tau;
  double *l = map->l + (ptrdiff_t)2 * i, *f = map->f + (ptrdiff_t)2 * i;
  l[0] = z[at] - t, l[1] = z[at] + t;
  for (int c = 0; c < 2; c++) f[c] = hypot(l[c], 2 * tau);
  spectral(k, z + at, t, upper(l[0], f[0], tau), upper(l[1], f[1], tau), map->x + at);
  spectral(k, z + at, t, upper(-l[0], f[0], tau), upper(-l[1], f[1], tau), map->y + at);
  for (int j = 0; j < d; j++)
    run->r[at + j] = j < k ? map->force * map->x[at + j] / row_scale(run, i, j) : 0;
}

void dls_smoothing_map_evaluate(dls_smoothing_map *map, const double *z, double log_tau)
{
  dls_run *run = map->run;
  const int d = run->d;
  map->tau = exp(log_tau);
  map->eps = map->smooth * map->tau;
  map->delta = fmax(least_delta, map->proximal * map->tau);
  for (int i = 0; i < run->contacts; i++) evaluate_contact(map, z, i);
  for (int i = d * run->contacts; i < run->padded; i++) {
    map->x[i] = i < run->rows ? z[i] : 0;
    run->r[i] = map->force * map->x[i];
  }
  dls_run_measure(run);

  double sum[2] = {0}, *square = sum, *forces = sum + 1;
  for (int i = 0; i < run->padded; i++) *forces += map->x[i] * map->x[i];
  for (int i = 0; i < run->contacts; i++) {
    const ptrdiff_t at = (ptrdiff_t)d * i;
    const int k = dls_friction_cone_rows(run, i);
    const double t = dls_friction_cone_tail(k, map->y + at);
    map->slip[i] = hypot(t, map->eps);
    for (int j = 0; j < d; j++)
      map->Phi[at + j] = j < k ? run->u[at + j] / (row_scale(run, i, j) * map->speed) +
                                     map->delta * (map->x[at + j] - map->centre[at + j]) -
                                     map->y[at + j]
                               : 0;
    if (k > 1) map->Phi[at] += map->slip[i] - map->eps;
    for (int j = 0; j < k; j++) *square += map->Phi[at + j] * map->Phi[at + j];
  }
  for (int i = d * run->contacts; i < run->padded; i++) {
    map->Phi[i] = run->u[i] / map->speed + map->delta * (map->x[i] - map->centre[i]);
    *square += map->Phi[i] * map->Phi[i];
  }
  dls_operator_sum(run->op, 2, sum);
  map->norm = sqrt(*square);
  map->floor = map_rounding * (map->stiffest * sqrt(*forces) + sqrt(map->contacts));
}

void dls_smoothing_map_try(dls_smoothing_map *map, const double *z)
{
  dls_run *run = map->run;
  const int d = run->d;
  for (int i = 0; i < run->contacts; i++) {
    const ptrdiff_t at = (ptrdiff_t)d * i;
    const int k = dls_friction_cone_rows(run, i);
    const double t = dls_friction_cone_tail(k, z + at), a = fmax(z[at] - t, 0),
                 b = fmax(z[at] + t, 0);
    double x[3];
    spectral(k, z + at, t, a, b, x);
    for (int j = 0; j < d; j++)
      run->r[at + j] = j < k ? map->force * x[j] / row_scale(run, i, j) : 0;
  }
  dls_run_measure(run);
}

// ---- derivatives -------------------------------------------------------------------------------

// The derivative of a spectral function: `slope` of both values and of their difference.
static void spectral_derivative(int k, int d, const double *zh, double p1, double p2, double a,
                                double *X)
{
  const double b = (p1 + p2) / 2, c = (p2 - p1) / 2;
  dls_clear(X, d * d);
  X[0] = b;
  for (int j = 1; j < k; j++) {
    X[j] = X[d * j] = c * zh[j];
    for (int l = 1; l < k; l++) X[j + d * l] = (j == l ? a : 0) + (b - a) * zh[j] * zh[l];
  }
}

// X = dx/dz and Y = -dy/dz = I - X, each without cancellation.
static void derivatives(const dls_smoothing_map *map, int i, double *X, double *Y)
{
  const dls_run *run = map->run;
  const int d = run->d, k = dls_friction_cone_rows(run, i);
  const ptrdiff_t at = (ptrdiff_t)d * i;
  const double *l = map->l + (ptrdiff_t)2 * i, *f = map->f + (ptrdiff_t)2 * i;
  const double *x = map->x + at;
  double zh[3] = {0}, p[2], m[2];
  const double t = dls_friction_cone_tail(k, x);
  for (int j = 1; j < k; j++) zh[j] = t > 0 ? x[j] / t : 0;
  for (int c = 0; c < 2; c++) {
    p[c] = upper(l[c], f[c], map->tau) / f[c];
    m[c] = upper(-l[c], f[c], map->tau) / f[c];
  }
  const double sum = f[0] + f[1];
  spectral_derivative(k, d, zh, p[0], p[1], (f[0] * p[0] + f[1] * p[1]) / sum, X);
  spectral_derivative(k, d, zh, m[0], m[1], (f[0] * m[0] + f[1] * m[1]) / sum, Y);
}

// dPhi/dz = (A + delta) X + G' Y; times speed p, on the side of u: W R + Q with R = force p^-1 X.
bool dls_smoothing_map_factor(dls_smoothing_map *map)
{
  dls_run *run = map->run;
  const int d = run->d, area = d * d;
  for (int i = 0; i < run->contacts; i++) {
    double *R = map->R + (ptrdiff_t)area * i, *Q = map->Q + (ptrdiff_t)area * i, Y[9];
    const double *y = map->y + (ptrdiff_t)d * i;
    const int k = dls_friction_cone_rows(run, i);
    derivatives(map, i, R, Y);
    for (int c = 0; c < d; c++) {
      for (int j = 1; j < k; j++) Y[d * c] -= y[j] / map->slip[i] * Y[j + d * c];
      for (int j = 0; j < d; j++) {
        const double p = row_scale(run, i, j);
        Q[j + d * c] = map->speed * p * (map->delta * R[j + d * c] + Y[j + d * c]);
        R[j + d * c] *= map->force / p;
      }
    }
    for (int j = k; j < d; j++) Q[j * (d + 1)] = map->speed;
  }
  for (int i = run->contacts; i < run->blocks; i++) {
    double *R = map->R + (ptrdiff_t)area * i, *Q = map->Q + (ptrdiff_t)area * i;
    dls_clear(R, area);
    dls_clear(Q, area);
    for (int j = 0; j < d; j++) {
      R[j * (d + 1)] = map->force;
      Q[j * (d + 1)] = d * i + j < run->rows ? map->speed * map->delta : 0;
    }
  }
  map->factorizations++;
  return dls_operator_factor_right(run->op, map->R, map->Q);
}

int dls_smoothing_map_sign(const dls_smoothing_map *map)
{
  return dls_operator_sign(map->run->op);
}

// out = (W R + Q) x
static void apply(dls_smoothing_map *map, const double *x, double *out)
{
  dls_run *run = map->run;
  const int d = run->d, area = d * d;
  dls_clear(map->work, run->padded);
  for (int i = 0; i < run->blocks; i++)
    dls_block_add(d, d, map->R + (ptrdiff_t)area * i, x + (ptrdiff_t)d * i,
                  map->work + (ptrdiff_t)d * i);
  dls_operator_multiply(run->op, map->work, out);
  for (int i = 0; i < run->blocks; i++)
    dls_block_add(d, d, map->Q + (ptrdiff_t)area * i, x + (ptrdiff_t)d * i, out + (ptrdiff_t)d * i);
}

bool dls_smoothing_map_solve(dls_smoothing_map *map, double *x)
{
  dls_run *run = map->run;
  const int d = run->d;
  double *b = map->right, *rest = map->Phi;  // Phi is not needed any more
  for (int i = 0; i < run->padded; i++) {
    const bool contact = i < d * run->contacts;
    b[i] = x[i] * map->speed * (contact ? row_scale(run, i / d, i % d) : 1);
    x[i] = b[i];
  }
  dls_operator_solve(run->op, x);
  double last = INFINITY;
  for (int k = 0; k < REFINEMENTS; k++) {
    apply(map, x, rest);
    double square = 0;
    for (int i = 0; i < run->padded; i++) {
      rest[i] = i < run->rows ? b[i] - rest[i] : 0;
      square += rest[i] * rest[i];
    }
    dls_operator_sum(run->op, 1, &square);
    if (!(square < refining * last)) break;
    last = square;
    dls_operator_solve(run->op, rest);
    for (int i = 0; i < run->padded; i++) x[i] += rest[i];
  }
  bool finite = true;
  for (int i = 0; i < run->padded; i++) finite = finite && isfinite(x[i]);
  return dls_operator_all(run->op, finite);
}

// x and y change alike with log tau: spectral values 2 tau^2 / f.
void dls_smoothing_map_slope(dls_smoothing_map *map, double *slope)
{
  dls_run *run = map->run;
  const int d = run->d;
  const bool shrinking = map->proximal * map->tau >= least_delta;
  double *dx = map->right;
  dls_clear(dx, run->padded);
  for (int i = 0; i < run->contacts; i++) {
    const ptrdiff_t at = (ptrdiff_t)d * i;
    const int k = dls_friction_cone_rows(run, i);
    const double *f = map->f + (ptrdiff_t)2 * i, square = 2 * map->tau * map->tau;
    spectral(k, map->x + at, dls_friction_cone_tail(k, map->x + at), square / f[0], square / f[1],
             dx + at);
    for (int j = 0; j < k; j++) map->work[at + j] = map->force * dx[at + j] / row_scale(run, i, j);
    for (int j = k; j < d; j++) map->work[at + j] = 0;
  }
  for (int i = d * run->contacts; i < run->padded; i++) map->work[i] = 0;
  dls_operator_multiply(run->op, map->work, slope);
  for (int i = 0; i < run->contacts; i++) {
    const ptrdiff_t at = (ptrdiff_t)d * i;
    const int k = dls_friction_cone_rows(run, i);
    double turn = map->eps * map->eps;
    for (int j = 1; j < k; j++) turn += map->y[at + j] * dx[at + j];
    for (int j = 0; j < d; j++) {
      slope[at + j] /= row_scale(run, i, j) * map->speed;
      slope[at + j] += map->delta * dx[at + j] - dx[at + j];
      if (shrinking) slope[at + j] += map->delta * (map->x[at + j] - map->centre[at + j]);
      if (j >= k) slope[at + j] = 0;
    }
    if (k > 1) slope[at] += turn / map->slip[i] - map->eps;
  }
  for (int i = d * run->contacts; i < run->padded; i++) {
    slope[i] /= map->speed;
    if (shrinking) slope[i] += map->delta * (map->x[i] - map->centre[i]);
  }
}
