// Numbers and vectors that carry their first and second derivatives by time, over the numbers of
// linalg/number.h or shape/dual.h.
#ifndef DLS_SHAPE_MOVING_H
#define DLS_SHAPE_MOVING_H

#ifndef DLS_SHAPE_DUAL_H
#include "linalg/number.h"
#endif

typedef struct triple {
  num c[3];
} triple;

typedef struct jet {
  num x, d, dd;  // the number, its rate, the rate of that
} jet;

typedef struct moving {
  jet c[3];
} moving;

// ---- three numbers ------------------------------------------------------------------------------

static inline triple t_add(triple a, triple b)
{
  return (triple){{plus(a.c[0], b.c[0]), plus(a.c[1], b.c[1]), plus(a.c[2], b.c[2])}};
}

static inline triple t_sub(triple a, triple b)
{
  return (triple){{minus(a.c[0], b.c[0]), minus(a.c[1], b.c[1]), minus(a.c[2], b.c[2])}};
}

static inline triple t_scale(num k, triple a)
{
  return (triple){{times(k, a.c[0]), times(k, a.c[1]), times(k, a.c[2])}};
}

static inline num t_dot(triple a, triple b)
{
  return plus(plus(times(a.c[0], b.c[0]), times(a.c[1], b.c[1])), times(a.c[2], b.c[2]));
}

static inline triple t_cross(triple a, triple b)
{
  return (triple){{minus(times(a.c[1], b.c[2]), times(a.c[2], b.c[1])),
                   minus(times(a.c[2], b.c[0]), times(a.c[0], b.c[2])),
                   minus(times(a.c[0], b.c[1]), times(a.c[1], b.c[0]))}};
}

// ---- numbers along a motion ---------------------------------------------------------------------

static inline jet still(num x)
{
  return (jet){x, exact(0), exact(0)};
}

static inline jet j_add(jet a, jet b)
{
  return (jet){plus(a.x, b.x), plus(a.d, b.d), plus(a.dd, b.dd)};
}

static inline jet j_sub(jet a, jet b)
{
  return (jet){minus(a.x, b.x), minus(a.d, b.d), minus(a.dd, b.dd)};
}

static inline jet j_scale(num k, jet a)
{
  return (jet){times(k, a.x), times(k, a.d), times(k, a.dd)};
}

static inline jet j_mul(jet a, jet b)
{
  const num cross = times(a.d, b.d);
  return (jet){times(a.x, b.x), plus(times(a.d, b.x), times(a.x, b.d)),
               plus(plus(times(a.dd, b.x), times(a.x, b.dd)), plus(cross, cross))};
}

// q b = a, differentiated.
static inline jet j_div(jet a, jet b)
{
  jet q = {.x = over(a.x, b.x)};
  q.d = over(minus(a.d, times(q.x, b.d)), b.x);
  const num cross = times(q.d, b.d);
  q.dd = over(minus(minus(a.dd, times(q.x, b.dd)), plus(cross, cross)), b.x);
  return q;
}

// r r = a, differentiated.
static inline jet j_root(jet a)
{
  jet r = {.x = root(a.x)};
  const num twice = plus(r.x, r.x), two = exact(2);
  r.d = over(a.d, twice);
  r.dd = over(minus(a.dd, times(two, times(r.d, r.d))), twice);
  return r;
}

// ---- vectors along a motion ---------------------------------------------------------------------

static inline moving add(moving a, moving b)
{
  return (moving){{j_add(a.c[0], b.c[0]), j_add(a.c[1], b.c[1]), j_add(a.c[2], b.c[2])}};
}

static inline moving sub(moving a, moving b)
{
  return (moving){{j_sub(a.c[0], b.c[0]), j_sub(a.c[1], b.c[1]), j_sub(a.c[2], b.c[2])}};
}

static inline moving scale(jet k, moving a)
{
  return (moving){{j_mul(k, a.c[0]), j_mul(k, a.c[1]), j_mul(k, a.c[2])}};
}

static inline moving scale_by(num k, moving a)
{
  return (moving){{j_scale(k, a.c[0]), j_scale(k, a.c[1]), j_scale(k, a.c[2])}};
}

static inline jet dot(moving a, moving b)
{
  return j_add(j_add(j_mul(a.c[0], b.c[0]), j_mul(a.c[1], b.c[1])), j_mul(a.c[2], b.c[2]));
}

static inline moving cross(moving a, moving b)
{
  return (moving){{j_sub(j_mul(a.c[1], b.c[2]), j_mul(a.c[2], b.c[1])),
                   j_sub(j_mul(a.c[2], b.c[0]), j_mul(a.c[0], b.c[2])),
                   j_sub(j_mul(a.c[0], b.c[1]), j_mul(a.c[1], b.c[0]))}};
}

// a less its part along the unit vector n.
static inline moving across(moving a, moving n)
{
  return sub(a, scale(dot(a, n), n));
}

static inline moving unit(moving a)
{
  const jet length = j_root(dot(a, a));
  return (moving){{j_div(a.c[0], length), j_div(a.c[1], length), j_div(a.c[2], length)}};
}

static inline triple t_value(moving a)
{
  return (triple){{a.c[0].x, a.c[1].x, a.c[2].x}};
}

static inline triple t_rate(moving a)
{
  return (triple){{a.c[0].d, a.c[1].d, a.c[2].d}};
}

#endif
