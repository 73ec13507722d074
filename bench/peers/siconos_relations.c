// The constraints of the chain and the pile as plugins of Siconos: h(q) and its Jacobian, by
// columns. Slips are rows of the Jacobian; their h is not used.
#include <math.h>

// The signature of Siconos' LagrangianScleronomousR.
#define PLUGIN(name)                                                                        \
  void name(unsigned coordinates, const double *q, unsigned rows, double *y, unsigned size, \
            double *z);                                                                     \
  void name(unsigned coordinates, const double *q, unsigned rows, double *y, unsigned size, \
            double *z)
#define UNUSED (void)coordinates, (void)rows, (void)size, (void)z

// --- chain: links of length 1, q = (x, y, a) of a link, or of two, the one nearer to the hinge
// first

PLUGIN(hinge_h)
{
  UNUSED;
  y[0] = q[0] - 0.5 * cos(q[2]);
  y[1] = q[1] - 0.5 * sin(q[2]);
}

PLUGIN(hinge_G)
{
  UNUSED;
  y[0] = 1, y[1] = 0, y[2] = 0, y[3] = 1;
  y[4] = 0.5 * sin(q[2]), y[5] = -0.5 * cos(q[2]);
}

PLUGIN(joint_h)
{
  UNUSED;
  y[0] = q[3] - 0.5 * cos(q[5]) - q[0] - 0.5 * cos(q[2]);
  y[1] = q[4] - 0.5 * sin(q[5]) - q[1] - 0.5 * sin(q[2]);
}

PLUGIN(joint_G)
{
  UNUSED;
  y[0] = -1, y[1] = 0, y[2] = 0, y[3] = -1;
  y[4] = 0.5 * sin(q[2]), y[5] = -0.5 * cos(q[2]);
  y[6] = 1, y[7] = 0, y[8] = 0, y[9] = 1;
  y[10] = 0.5 * sin(q[5]), y[11] = -0.5 * cos(q[5]);
}

PLUGIN(floor_h)
{
  UNUSED;
  y[0] = q[1] + 0.5 * sin(q[2]) + 5;
  y[1] = 0;
}

PLUGIN(floor_G)
{
  UNUSED;
  y[0] = 0, y[1] = 1, y[2] = 1, y[3] = 0;
  y[4] = 0.5 * cos(q[2]), y[5] = -0.5 * sin(q[2]);
}

// --- pile: unit squares, q = (x, y, a) of a block, or of two, the lower one first

static double ground_h(double side, const double *q)
{
  return q[1] + 0.5 * side * sin(q[2]) - 0.5 * cos(q[2]);
}

static void ground_G(double side, const double *q, double *G)
{
  const double c = cos(q[2]), s = sin(q[2]);
  G[0] = 0, G[1] = 1, G[2] = 1, G[3] = 0;
  G[4] = 0.5 * side * c + 0.5 * s, G[5] = -0.5 * side * s + 0.5 * c;
}

static double block_h(double side, const double *q)
{
  const double dx = q[3] + 0.5 * side * cos(q[5]) + 0.5 * sin(q[5]) - q[0];
  const double dy = q[4] + 0.5 * side * sin(q[5]) - 0.5 * cos(q[5]) - q[1];
  return -dx * sin(q[2]) + dy * cos(q[2]) - 0.5;
}

static void block_G(double side, const double *q, double *G)
{
  const double c = cos(q[2]), s = sin(q[2]), c1 = cos(q[5]), s1 = sin(q[5]);
  const double dx = q[3] + 0.5 * side * c1 + 0.5 * s1 - q[0];
  const double dy = q[4] + 0.5 * side * s1 - 0.5 * c1 - q[1];
  const double wx = -0.5 * side * s1 + 0.5 * c1, wy = 0.5 * side * c1 + 0.5 * s1;
  G[0] = s, G[1] = -c;
  G[2] = -c, G[3] = -s;
  G[4] = -dx * c - dy * s, G[5] = 0.5;
  G[6] = -s, G[7] = c;
  G[8] = c, G[9] = s;
  G[10] = -wx * s + wy * c, G[11] = wx * c + wy * s;
}

#define CONTACT(name, side)                                         \
  PLUGIN(name##_h)                                                  \
  {                                                                 \
    UNUSED;                                                         \
    y[0] = coordinates == 3 ? ground_h(side, q) : block_h(side, q); \
    y[1] = 0;                                                       \
  }                                                                 \
  PLUGIN(name##_G)                                                  \
  {                                                                 \
    UNUSED;                                                         \
    if (coordinates == 3) ground_G(side, q, y);                     \
    else block_G(side, q, y);                                       \
  }

CONTACT(left, -1)
CONTACT(right, 1)
