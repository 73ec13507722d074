#include "body/pair.h"

#include "base/memory.h"

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
