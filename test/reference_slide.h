// A point mass that slides on an inclined plane: v' = g - f v/|v|, in closed form.
//
// With phi the angle from g to v and u = tan(phi/2), the hodograph is |v| = C u^k (1 + u^2)/(2u),
// k = f/|g|, and time and place are powers of u.
#ifndef TEST_REFERENCE_SLIDE_H
#define TEST_REFERENCE_SLIDE_H

#include "reference_ode.h"

typedef struct slide {
  real g, f;        // acceleration down the plane, friction's deceleration
  real speed, phi;  // at the start, phi in [0, pi]
} slide;

typedef struct slide_point {
  real t, down, across;  // place: along g, and across on the side of v
  real v_down, v_across;
} slide_point;

slide_point slide_rest(slide s);           // f > g: where and when it stops
slide_point slide_at(slide s, real time);  // before it stops; f != g, 2 f != g

// The least speed; where it stops, that at which it passes across g.
real slide_slowest(slide s);

// The same by integration in the stretched time dt = |v| dsigma: a check of the closed form.
slide_point slide_followed(slide s, real sigma);

#endif
