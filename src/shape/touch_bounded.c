#define DLS_BOUNDED
#include "linalg/number.h"
#include "shape/touch_internal.h"

#include "shape/touch_formula.h"

static double number(num a)
{
  return a.x;
}

static double bound(num a)
{
  return a.e;
}

bool dls_touch_bounded(const dls_touch_pair *pair, dls_touch_values *values,
                       dls_touch_values *error)
{
  touching c;
  touch_numbers numbers;
  movers_of(pair, &c), spots_of(pair, &c);
  if (!touch_numbers_of(&c, pair, &numbers)) return false;
  write_numbers(&numbers, number, values);
  write_numbers(&numbers, bound, error);
  return true;
}
