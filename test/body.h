// A body in space in quaternions, with a chart of rotation vectors and exact derivatives; a ball on
// a floor where it has a contact.
#ifndef TEST_BODY_H
#define TEST_BODY_H

#include <delassus/system.h>

enum { BODY_N = 6, BODY_NQ = 7 };

// A body with principal moments J. Its local coordinates: the position and 1 + theta, with the
// rotation R_c exp(theta) in its own axes, so that omega = T(theta) theta'.
typedef struct body {
  double m, J[3], gravity, radius, mu, e;
  double centre[4];
  bool contact, closed_chart;  // closed_chart: it contains nothing, not even its centre
} body;

// The body outlives its system.
dls_system body_system(body *b);

void quaternion_multiply(const double *p, const double *q, double *out);
void quaternion_rotate(const double *q, const double *a, double *out);

#endif
