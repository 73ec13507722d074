#include "body.h"

#include <complex.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// Real numbers, with one imaginary unit: what is analytic in x has at x + i e the imaginary part
// e f'(x), to rounding, for e as small as one likes.
typedef double complex number;

static void cross(const number *a, const number *b, number *c)
{
  const number x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0], c[0] = x, c[1] = y;
}

void quaternion_multiply(const double *p, const double *q, double *out)
{
  const double r[] = {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
                      p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
                      p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
                      p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
  memcpy(out, r, sizeof r);
}

static void turn_by(const double *q, const number *a, number *out)
{
  const number axis[] = {q[1], q[2], q[3]};
  number t[3], s[3];
  cross(axis, a, t);
  for (int i = 0; i < 3; i++) t[i] = 2 * t[i];
  cross(axis, t, s);
  for (int i = 0; i < 3; i++) out[i] = a[i] + q[0] * t[i] + s[i];
}

void quaternion_rotate(const double *q, const double *a, double *out)
{
  const number from[] = {a[0], a[1], a[2]};
  number to[3];
  turn_by(q, from, to);
  for (int i = 0; i < 3; i++) out[i] = creal(to[i]);
}

static void rotation_of(const double *theta, double *q)
{
  const double s = sqrt(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]);
  const double f = s > 1e-8 ? sin(s / 2) / s : 0.5 - s * s / 48;
  q[0] = cos(s / 2);
  for (int i = 0; i < 3; i++) q[i + 1] = f * theta[i];
}

// T = I - a [theta] + b [theta]^2, and its derivative along rate; row-major.
static void tangent(const number *theta, const number *rate, number *T, number *T_dot)
{
  const number s2 = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2];
  const number along = theta[0] * rate[0] + theta[1] * rate[1] + theta[2] * rate[2];
  number a = 0.5 - s2 / 24 + s2 * s2 / 720 - s2 * s2 * s2 / 40320;
  number b = 1. / 6 - s2 / 120 + s2 * s2 / 5040 - s2 * s2 * s2 / 362880;
  number a_dot = along * (-1. / 12 + s2 / 180 - s2 * s2 / 6720);
  number b_dot = along * (-1. / 60 + s2 / 1260 - s2 * s2 / 60480);
  if (creal(s2) > 0.0025) {
    const number s = csqrt(s2);
    a = (1 - ccos(s)) / s2, b = (s - csin(s)) / (s2 * s);
    a_dot = along * (s * csin(s) - 2 * (1 - ccos(s))) / (s2 * s2);
    b_dot = along * (s * (1 - ccos(s)) - 3 * (s - csin(s))) / (s2 * s2 * s);
  }
  for (int j = 0; j < 3; j++) {
    number unit[3] = {j == 0, j == 1, j == 2}, x[3], xx[3], r[3], rx[3], xr[3];
    cross(theta, unit, x), cross(theta, x, xx);
    cross(rate, unit, r), cross(rate, x, rx), cross(theta, r, xr);
    for (int i = 0; i < 3; i++) {
      T[3 * i + j] = unit[i] - a * x[i] + b * xx[i];
      T_dot[3 * i + j] = -a_dot * x[i] - a * r[i] + b_dot * xx[i] + b * (rx[i] + xr[i]);
    }
  }
}

static void times(const number *A, const number *x, number *y)
{
  const number r[] = {A[0] * x[0] + A[1] * x[1] + A[2] * x[2],
                      A[3] * x[0] + A[4] * x[1] + A[5] * x[2],
                      A[6] * x[0] + A[7] * x[1] + A[8] * x[2]};
  memcpy(y, r, sizeof r);
}

static void times_transposed(const number *A, const number *x, number *y)
{
  const number r[] = {A[0] * x[0] + A[3] * x[1] + A[6] * x[2],
                      A[1] * x[0] + A[4] * x[1] + A[7] * x[2],
                      A[2] * x[0] + A[5] * x[1] + A[8] * x[2]};
  memcpy(y, r, sizeof r);
}

// ---- the chart ----------------------------------------------------------------------------------

// omega = T(theta) theta'.
static void spin_of(const double *x, const double *rate, double *omega)
{
  number theta[3], along[3], T[9], T_dot[9], w[3];
  for (int i = 0; i < 3; i++) theta[i] = x[3 + i] - 1, along[i] = rate[i];
  tangent(theta, along, T, T_dot);
  times(T, along, w);
  for (int i = 0; i < 3; i++) omega[i] = creal(w[i]);
}

static dls_status centre(void *self, const double *q, dls_message *message)
{
  body *b = self;
  double length = 0;
  for (int i = 0; i < 4; i++) length = hypot(length, q[3 + i]);
  if (!(length > 0)) {
    if (message) snprintf(message->text, sizeof message->text, "the quaternion is 0");
    return DLS_ERR_NUMBER;
  }
  for (int i = 0; i < 4; i++) b->centre[i] = q[3 + i] / length;
  return DLS_OK;
}

static dls_status enter(void *self, const double *q, const double *v, double *x, double *x_dot)
{
  const body *b = self;
  if (b->closed_chart) return DLS_ERR_NUMBER;
  const double back[] = {b->centre[0], -b->centre[1], -b->centre[2], -b->centre[3]};
  double turn[4];
  quaternion_multiply(back, q + 3, turn);
  const double sine = sqrt(turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]);
  const double sign = turn[0] < 0 ? -1 : 1, angle = 2 * atan2(sine, sign * turn[0]);
  for (int i = 0; i < 3; i++) {
    const double along = sine > 1e-12 ? sign * turn[1 + i] / sine * angle : 2 * sign * turn[1 + i];
    x[i] = q[i], x[3 + i] = 1 + along;
  }
  memcpy(x_dot, v, BODY_N * sizeof(double));
  for (int k = 0; k < 200 && sine > 1e-12; k++) {  // theta' from omega = T theta'
    double w[3];
    spin_of(x, x_dot + 3, w);
    for (int i = 0; i < 3; i++) x_dot[3 + i] += v[3 + i] - w[i];
  }
  return DLS_OK;
}

static void leave(void *self, const double *x, const double *x_dot, double *q, double *v)
{
  const body *b = self;
  const double theta[] = {x[3] - 1, x[4] - 1, x[5] - 1};
  double turn[4];
  rotation_of(theta, turn);
  memcpy(q, x, 3 * sizeof(double));
  quaternion_multiply(b->centre, turn, q + 3);
  double length = 0;
  for (int i = 0; i < 4; i++) length = hypot(length, q[3 + i]);
  for (int i = 0; i < 4; i++) q[3 + i] /= length;
  memcpy(v, x_dot, 3 * sizeof(double));
  spin_of(x, x_dot + 3, v + 3);
}

// ---- the system ---------------------------------------------------------------------------------

// What is known at (x, v) beside constants and the gap, which is z - radius.
typedef struct mechanics {
  number M[9], F[3];  // of theta; the mass moves the position alone, by itself
  number slip[2], H[2 * BODY_N], b_t[2];
} mechanics;

// The slip velocities of the lowest point of a ball: its columns, and what is not H^T x''.
static void fill_slip(const body *b, const number *T, const number *T_dot, const number *v,
                      mechanics *out)
{
  number w[3], spin[3], turned[3];
  times_transposed(T, v + 3, w);  // the angular velocity in the axes of the centre
  turn_by(b->centre, w, spin);
  times_transposed(T_dot, v + 3, w);
  turn_by(b->centre, w, turned);
  out->slip[0] = v[0] - b->radius * spin[1], out->slip[1] = v[1] + b->radius * spin[0];
  out->b_t[0] = -b->radius * turned[1], out->b_t[1] = b->radius * turned[0];
  for (int i = 0; i < 3; i++) out->H[i] = i == 0, out->H[BODY_N + i] = i == 1;
  for (int j = 0; j < 3; j++) {
    const number unit[3] = {j == 0, j == 1, j == 2};
    times_transposed(T, unit, w);
    turn_by(b->centre, w, spin);
    out->H[3 + j] = -b->radius * spin[1], out->H[BODY_N + 3 + j] = b->radius * spin[0];
  }
}

static mechanics mechanics_of(const body *b, const number *x, const number *v)
{
  const number theta[] = {x[3] - 1, x[4] - 1, x[5] - 1};
  number T[9], T_dot[9], omega[3], turned[3], momentum[3], torque[3];
  mechanics out;
  tangent(theta, v + 3, T, T_dot);
  times(T, v + 3, omega), times(T_dot, v + 3, turned);
  for (int i = 0; i < 3; i++) momentum[i] = b->J[i] * omega[i];
  cross(omega, momentum, torque);
  for (int i = 0; i < 3; i++) torque[i] += b->J[i] * turned[i];
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) {
      number sum = 0;
      for (int k = 0; k < 3; k++) sum += T[3 * k + i] * b->J[k] * T[3 * k + j];
      out.M[3 * j + i] = sum;
    }
  times_transposed(T, torque, out.F);
  fill_slip(b, T, T_dot, v, &out);
  return out;
}

static void real_parts(int count, const number *from, double *to)
{
  for (int i = 0; i < count; i++) to[i] = creal(from[i]);
}

static dls_status evaluate(void *self, double t, const double *q, const double *rate,
                           const dls_values *out, const dls_values *bound, dls_message *message)
{
  const body *b = self;
  number x[BODY_N], v[BODY_N];
  (void)t, (void)message;
  for (int i = 0; i < BODY_N; i++) x[i] = q[i], v[i] = rate[i];
  const mechanics at = mechanics_of(b, x, v);
  for (int i = 0; i < 3; i++) out->M[i] = b->m, out->F[i] = i == 2 ? b->m * b->gravity : 0;
  real_parts(9, at.M, out->M + 3), real_parts(3, at.F, out->F + 3);
  if (b->contact) {
    out->h[0] = q[2] - b->radius, out->h_dot[0] = rate[2], out->b_n[0] = 0;
    out->G[0] = 1;
    out->friction[0] = b->mu, out->restitution[0] = b->e;
    real_parts(2, at.slip, out->slip), real_parts(2, at.b_t, out->b_t);
    real_parts(2 * BODY_N, at.H, out->H);
  }
  if (bound) {
    memset(bound->M, 0, 12 * sizeof(double)), memset(bound->F, 0, BODY_N * sizeof(double));
    if (b->contact) {
      bound->h[0] = bound->h_dot[0] = bound->b_n[0] = bound->G[0] = 0;
      memset(bound->slip, 0, 2 * sizeof(double)), memset(bound->b_t, 0, 2 * sizeof(double));
      memset(bound->H, 0, 2 * BODY_N * sizeof(double));
    }
  }
  return DLS_OK;
}

// The columns of theta_j and of theta_j' in all derivatives; no other coordinate is in them. R of
// theta, T and S, of the moment at hand.                                              eq (dyn.2)
static dls_status differentiate(void *self, double t, const double *q, const double *rate,
                                const double *a, const double *lambda, const double *tau,
                                const dls_derivatives *out, dls_message *message)
{
  const body *b = self;
  const double small = 0x1p-200;
  (void)t, (void)message, (void)lambda;
  for (int column = 0; column < BODY_N; column++) {
    const int j = column % 3, of_v = column / 3;
    number x[BODY_N], v[BODY_N];
    for (int i = 0; i < BODY_N; i++) x[i] = q[i], v[i] = rate[i];
    if (of_v) v[3 + j] += small * I;
    else x[3 + j] += small * I;
    const mechanics at = mechanics_of(b, x, v);
    double *R = (of_v ? out->R_v : out->R_q) + (ptrdiff_t)3 * j;
    for (int i = 0; i < 3; i++) {
      number sum = at.F[i];
      for (int k = 0; k < 3; k++) sum += at.M[3 * k + i] * a[3 + k];
      for (int s = 0; s < 2 && b->contact; s++) sum -= at.H[BODY_N * s + 3 + i] * tau[s];
      R[i] = cimag(sum) / small;
    }
    for (int s = 0; s < 2 && b->contact; s++) {
      number sum = at.b_t[s];
      for (int k = 0; k < BODY_N; k++) sum += at.H[BODY_N * s + k] * a[k];
      (of_v ? out->T_v : out->T_q)[3 * s + j] = cimag(sum) / small;
      if (!of_v) out->S_q[3 * s + j] = cimag(at.slip[s]) / small;
    }
  }
  return DLS_OK;
}

static dls_status energy(void *self, double t, const double *x, const double *v, double *kinetic,
                         double *potential, dls_message *message)
{
  const body *b = self;
  double omega[3];
  (void)t, (void)message;
  spin_of(x, v + 3, omega);
  *kinetic = 0, *potential = b->m * b->gravity * x[2];
  for (int i = 0; i < 3; i++)
    *kinetic += 0.5 * b->m * v[i] * v[i] + 0.5 * b->J[i] * omega[i] * omega[i];
  return DLS_OK;
}

static const char *const numbers[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
static const char *const velocities[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
static const dls_chart chart = {BODY_NQ, numbers, centre, enter, leave};
static const dls_contact_info floor_info[] = {
    {.name = "floor", .kind = DLS_UNILATERAL, .tangents = 2}};
static const int mass_p[] = {0, 1, 2, 3, 6, 9, 12}, mass_i[] = {0, 1, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5};
static const int normal_p[] = {0, 1}, normal_i[] = {2};
static const int slip_p[] = {0, 6, 12}, slip_i[] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5};
static const int none[] = {0};

// Derivatives by theta and theta' alone, of theta's rows.
static const int turn_p[] = {0, 0, 0, 0, 3, 6, 9}, turn_i[] = {3, 4, 5, 3, 4, 5, 3, 4, 5};
static const int flat_p[] = {0, 0}, change_p[] = {0, 3, 6}, change_i[] = {3, 4, 5, 3, 4, 5};
#define FLAT(count)               \
  {                               \
    BODY_N, count, flat_p, turn_i \
  }
#define CHANGE                    \
  {                               \
    BODY_N, 2, change_p, change_i \
  }
#define NONE                \
  {                         \
    BODY_N, 0, none, turn_i \
  }
static const dls_derivative_patterns with_floor = {.R_q = {BODY_N, BODY_N, turn_p, turn_i},
                                                   .R_v = {BODY_N, BODY_N, turn_p, turn_i},
                                                   .N_q = FLAT(1),
                                                   .N_v = FLAT(1),
                                                   .T_q = CHANGE,
                                                   .T_v = CHANGE,
                                                   .D_q = FLAT(1),
                                                   .S_q = CHANGE,
                                                   .steady = true,
                                                   .constant_laws = true};
static const dls_derivative_patterns in_the_air = {.R_q = {BODY_N, BODY_N, turn_p, turn_i},
                                                   .R_v = {BODY_N, BODY_N, turn_p, turn_i},
                                                   .N_q = NONE,
                                                   .N_v = NONE,
                                                   .T_q = NONE,
                                                   .T_v = NONE,
                                                   .D_q = NONE,
                                                   .S_q = NONE,
                                                   .steady = true,
                                                   .constant_laws = true};

dls_system body_system(body *b)
{
  return (dls_system){.n = BODY_N,
                      .m = b->contact,
                      .tangents = b->contact ? 2 : 0,
                      .coordinates = velocities,
                      .contacts = floor_info,
                      .mass = {BODY_N, BODY_N, mass_p, mass_i},
                      .normal = {BODY_N, b->contact, b->contact ? normal_p : none, normal_i},
                      .tangent = {BODY_N, b->contact ? 2 : 0, b->contact ? slip_p : none, slip_i},
                      .self = b,
                      .evaluate = evaluate,
                      .derivative = b->contact ? &with_floor : &in_the_air,
                      .differentiate = differentiate,
                      .energy = energy,
                      .chart = &chart};
}
