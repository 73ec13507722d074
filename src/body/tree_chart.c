// Local coordinates of the forest around a configuration.                              eq (cha.1)
#include "body/tree_internal.h"
#include "body/turning.h"
#include "base/message.h"

// Of any length but 0, without overflow; a length that is 1 to rounding stays, so that what is read
// again goes on to the same bits.
bool dls_unit_quaternion(double q[4])
{
  double large = 0;
  for (int k = 0; k < 4; k++) {
    if (!isfinite(q[k])) return false;
    large = fmax(large, fabs(q[k]));
  }
  if (!(large > 0)) return false;
  const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  if (fabs(square - 1) <= 4 * DBL_EPSILON) return true;
  double sum = 0;
  for (int k = 0; k < 4; k++) q[k] /= large, sum += q[k] * q[k];
  for (int k = 0; k < 4; k++) q[k] /= sqrt(sum);
  return true;
}

// Where the quaternion of a link stands in q, or -1.
static int quaternion_of(const dls_link *link)
{
  return link->kind == DLS_JOINT_FREE ? link->q + 3 : link->kind == DLS_JOINT_BALL ? link->q : -1;
}

void dls_tree_reference(const dls_tree *tree, double *q)
{
  dls_copy(q, tree->data->reference, tree->nq);
}

dls_status dls_tree_centre(dls_tree *tree, const double *q, dls_message *message)
{
  dls_tree_data *data = tree->data;
  for (int k = 0; k < tree->nq; k++)
    if (!isfinite(q[k]))
      return dls_fail(message, DLS_ERR_NUMBER, "'%s' is not finite", tree->configurations[k]);
  for (int l = 0; l < data->links; l++) {
    const int at = quaternion_of(data->link + l);
    double turn[4] = {0};
    if (at >= 0) dls_copy(turn, q + at, 4);
    if (at >= 0 && !dls_unit_quaternion(turn))
      return dls_fail(message, DLS_ERR_NUMBER, "the quaternion of '%s' is zero",
                      tree->configurations[at]);
  }
  dls_copy(data->centre, q, tree->nq);
  for (int l = 0; l < data->links; l++) {
    const int at = quaternion_of(data->link + l);
    if (at >= 0) dls_unit_quaternion(data->centre + at);
  }
  dls_tree_plain_centre(tree);
  dls_tree_bounded_centre(tree);
  return DLS_OK;
}

// p q, of quaternions; the first one conjugated.
static void ratio(const double p[4], const double q[4], double out[4])
{
  out[0] = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
  out[1] = p[0] * q[1] - p[1] * q[0] - p[2] * q[3] + p[3] * q[2];
  out[2] = p[0] * q[2] + p[1] * q[3] - p[2] * q[0] - p[3] * q[1];
  out[3] = p[0] * q[3] - p[1] * q[2] + p[2] * q[1] - p[3] * q[0];
}

// T^-1 w = w + theta x w/2 + (1 - s/2 cot(s/2))/s^2 theta x (theta x w)
static vec rate_back(vec theta, double y, vec w)
{
  const vec once = cross(theta, w), twice = cross(theta, once);
  const double half = 0.5 * sqrt(y);
  const double factor = y < 1e-2 ? 1.0 / 12 + y * (1.0 / 720 + y * (1.0 / 30240 + y / 1209600))
                                 : (1 - half * cos(half) / sin(half)) / y;
  return add(add(w, scale(0.5, once)), scale(factor, twice));
}

// The rotation vector from the centre, and its rate.
static bool enter_ball(const double centre[4], const double q[4], const double w[3], double x[3],
                       double x_dot[3])
{
  double turn[4], p[4];
  dls_copy(turn, q, 4);
  if (!dls_unit_quaternion(turn)) return false;
  ratio(centre, turn, p);
  const double s = sqrt(p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  const double angle = 2 * atan2(s, fabs(p[0])), sign = p[0] < 0 ? -1 : 1;
  if (!(angle <= DLS_TREE_FAR)) return false;
  // 2 asin(s)/s near 0, where s is as good as its parts
  const double factor = s > 0 ? sign * angle / s : 2;
  for (int c = 0; c < 3; c++) x[c] = factor * p[c + 1];
  const vec theta = vector(x), rate = rate_back(theta, dot(theta, theta), vector(w));
  x_dot[0] = rate.x, x_dot[1] = rate.y, x_dot[2] = rate.z;
  return true;
}

static void leave_ball(const double centre[4], const double x[3], const double x_dot[3],
                       double q[4], double w[3])
{
  const vec theta = vector(x), rate = vector(x_dot);
  const double y = dot(theta, theta), half = 0.5 * sqrt(y);
  const double factor = y > 0 ? sin(half) / (2 * half) : 0.5;
  const double e[4] = {cos(half), factor * x[0], factor * x[1], factor * x[2]};
  const double conjugate[4] = {centre[0], -centre[1], -centre[2], -centre[3]};
  if (y > 0) {
    ratio(conjugate, e, q);
    dls_unit_quaternion(q);
  } else {
    dls_copy(q, centre, 4);
  }
  const turning t = turning_at(y);
  const mat T = turning_rate(&t, theta, y);
  const vec spin = y > 0 ? rotate(&T, rate) : rate;
  w[0] = spin.x, w[1] = spin.y, w[2] = spin.z;
}

dls_status dls_tree_enter(const dls_tree *tree, const double *q, const double *v, double *x,
                          double *x_dot)
{
  const dls_tree_data *data = tree->data;
  bool good = true;
  for (int l = 0; good && l < data->links; l++) {
    const dls_link *link = data->link + l;
    const int at = quaternion_of(link), k = link->first;
    const int straight = link->count == 6 ? 3 : link->count == 1 ? 1 : 0;
    for (int c = 0; c < straight; c++) {
      x[k + c] = q[link->q + c], x_dot[k + c] = v[k + c];
      good = good && isfinite(x[k + c]) && isfinite(x_dot[k + c]);
    }
    const int b = k + straight;
    if (at >= 0)
      good = good && enter_ball(data->centre + at, q + at, v + b, x + b, x_dot + b) &&
             isfinite(x_dot[b] + x_dot[b + 1] + x_dot[b + 2]);
  }
  return good ? DLS_OK : DLS_ERR_NUMBER;
}

void dls_tree_leave(const dls_tree *tree, const double *x, const double *x_dot, double *q,
                    double *v)
{
  const dls_tree_data *data = tree->data;
  for (int l = 0; l < data->links; l++) {
    const dls_link *link = data->link + l;
    const int at = quaternion_of(link), k = link->first;
    const int straight = link->count == 6 ? 3 : link->count == 1 ? 1 : 0;
    for (int c = 0; c < straight; c++) q[link->q + c] = x[k + c], v[k + c] = x_dot[k + c];
    const int b = k + straight;
    if (at >= 0) leave_ball(data->centre + at, x + b, x_dot + b, q + at, v + b);
  }
}
