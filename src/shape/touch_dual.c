#include "shape/dual.h"
#include "shape/touch_internal.h"

#include "shape/touch_formula.h"

static double derivative_of(num a)
{
  return a.e;
}

// A frame that is displaced, or turned about its origin, or whose velocities change.
static void perturb(mover *f, int part, int axis)
{
  switch (part) {
  case 0: f->p.c[axis].e = 1; return;
  case 1: {
    triple turn = {{exact(0), exact(0), exact(0)}};
    turn.c[axis] = exact(1);
    for (int k = 0; k < 3; k++) {
      const triple moved = t_cross(turn, f->axis[k]);
      for (int i = 0; i < 3; i++) f->axis[k].c[i].e = moved.c[i].x;
    }
    return;
  }
  case 2: f->v.c[axis].e = 1; return;
  default: f->w.c[axis].e = 1;
  }
}

bool dls_touch_dual(const dls_touch_pair *pair, int perturbation, dls_touch_values *derivative)
{
  touching c;
  touch_numbers numbers;
  const int side = perturbation / 6 % 2, part = perturbation / 12 * 2 + perturbation / 3 % 2;
  movers_of(pair, &c);
  perturb(&c.mover[side], part, perturbation % 3);
  spots_of(pair, &c);
  if (!touch_numbers_of(&c, pair, &numbers)) return false;
  write_numbers(&numbers, derivative_of, derivative);
  return true;
}
