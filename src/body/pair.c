#include "body/pair.h"

#include "base/memory.h"
#include "body/clique.h"
#include "linalg/vector3.h"

// Paths upwards meet at what moves both; from there on they are one.
int dls_pair_velocities(const dls_tree *tree, const int body[2], int *velocity, unsigned char *side,
                        int *common)
{
  int a = body[0] >= 0 ? tree->last[body[0]] : -1, b = body[1] >= 0 ? tree->last[body[1]] : -1;
  int count = 0, both = 0;
  while (a != b) {
    const bool of_b = b > a;
    const int k = of_b ? b : a;
    if (velocity) velocity[count] = k, side[count] = of_b;
    count++;
    if (of_b) b = tree->above[b];
    else a = tree->above[a];
  }
  for (; a >= 0; a = tree->above[a], both++)
    if (velocity) velocity[count + both] = a, side[count + both] = 2;
  *common = both;
  if (!velocity) return count + both;
  const int begin[2] = {0, count}, end[2] = {count, count + both};
  for (int list = 0; list < 2; list++)
    for (int i = begin[list], j = end[list] - 1; i < j; i++, j--) {
      const int k = velocity[i];
      const unsigned char s = side[i];
      velocity[i] = velocity[j], side[i] = side[j];
      velocity[j] = k, side[j] = s;
    }
  return count + both;
}

// r = R p, of the axes of the body.
static void offset(const dls_solid_motion *body, const dls_solid_motion_error *error,
                   const double p[3], double r[3], double r_error[3])
{
  for (int i = 0; i < 3; i++) {
    dls_bounded sum = dls_exactly(0);
    for (int c = 0; c < 3; c++)
      if (p[c] != 0) {
        const dls_bounded R = {body->R[3 * i + c], error ? error->R[3 * i + c] : 0};
        sum = dls_plus(sum, dls_times(R, dls_exactly(p[c])));
      }
    r[i] = sum.x, r_error[i] = sum.e;
  }
}

void dls_pair_move(const dls_tree *tree, const dls_pair *pair, bool bounds, dls_pair_state *at)
{
  for (int side = 0; side < 2; side++) {
    const dls_pose *frame = &pair->frame[side];
    dls_solid_motion_error *error = bounds ? &at->error[side] : NULL;
    const double *p = frame->position;
    dls_tree_motion(tree, pair->body[side], frame, &at->motion[side], error);
    dls_clear(at->r[side], 3), dls_clear(at->r_error[side], 3);
    if (pair->body[side] < 0 || (p[0] == 0 && p[1] == 0 && p[2] == 0)) continue;
    dls_solid_motion own;
    dls_solid_motion_error own_error;
    dls_tree_motion(tree, pair->body[side], NULL, &own, bounds ? &own_error : NULL);
    offset(&own, bounds ? &own_error : NULL, p, at->r[side], at->r_error[side]);
  }
}

dls_pair_column dls_pair_column_of(const dls_tree *tree, const dls_pair *pair,
                                   const dls_pair_state *at, int k, int side, bool bounds)
{
  dls_twist column, error;
  const int body = pair->body[side];
  if (bounds)
    dls_tree_column_bounded(tree, k, body, at->r[side], at->r_error[side], &column, &error);
  else dls_tree_column(tree, k, body, at->r[side], &column);
  return (dls_pair_column){dls_with_errors3(column.turn, bounds ? error.turn : NULL),
                           dls_with_errors3(column.shift, bounds ? error.shift : NULL)};
}

dls_bounded dls_column_power(const dls_pair_column *column, const dls_bounded wrench[6])
{
  dls_bounded sum = dls_exactly(0);
  for (int i = 0; i < 3; i++) {
    sum = dls_plus(sum, dls_times(wrench[i], column->shift.c[i]));
    sum = dls_plus(sum, dls_times(wrench[3 + i], column->turn.c[i]));
  }
  return sum;
}

// ---- derivatives --------------------------------------------------------------------------------

void dls_pair_slopes(const dls_tree *tree, const dls_pair *pair, const dls_pair_state *at,
                     const int *velocity, const unsigned char *side, dls_motion_slope *slope)
{
  dls_clear(slope, 2 * (ptrdiff_t)(pair->count + pair->common));
  for (int i = 0; i < pair->count + pair->common; i++)
    for (int s = 0; s < 2; s++)
      if (side[i] == s || side[i] == 2)
        dls_tree_slope(tree, velocity[i], pair->body[s], at->r[s], slope + 2 * i + s);
}

// A torque about the body's origin is r x f more, and r turns.
void dls_pair_push(const dls_pair *pair, const dls_pair_state *at, const double W[12],
                   double D[12][12], dls_wrench *wrench)
{
  for (int s = 0; s < 2; s++) {
    if (pair->body[s] < 0) continue;
    const double *f = W + 6 * s, *r = at->r[s];
    dls_wrench *to = wrench + pair->body[s];
    double lever[3];
    dls_cross(r, f, lever);
    for (int i = 0; i < 3; i++) {
      to->force[i] += f[i], to->torque[i] += f[3 + i] + lever[i];
      for (int k = 0; k < 3; k++) D[6 * s + 3 + i][6 * s + 3 + k] += r[i] * f[k];
      D[6 * s + 3 + i][6 * s + 3 + i] -= dls_dot3(f, r);
    }
  }
}

static void displacement(const dls_motion_slope *slope, double X[12])
{
  for (int s = 0; s < 2; s++) {
    dls_copy(X + 6 * s, slope[s].x.shift, 3);
    dls_copy(X + 6 * s + 3, slope[s].x.turn, 3);
  }
}

void dls_pair_bend(const dls_pair *pair, const int *velocity, const dls_motion_slope *slope,
                   const double D[12][12], const dls_pattern *pattern, double *R_q)
{
  const int count = pair->count + pair->common;
  for (int k = 0; k < count; k++) {
    double X[12], DX[12] = {0};
    displacement(slope + 2 * k, X);
    for (int i = 0; i < 12; i++)
      for (int j = 0; j < 12; j++) DX[i] += D[i][j] * X[j];
    for (int j = 0; j < count; j++) {
      displacement(slope + 2 * j, X);
      double sum = 0;
      for (int i = 0; i < 12; i++) sum += X[i] * DX[i];
      R_q[dls_pattern_place(pattern, velocity[j], velocity[k])] -= sum;
    }
  }
}
