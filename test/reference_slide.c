#include "reference_slide.h"

#include <math.h>
#include <stddef.h>

// What is left from a speed and a direction on until rest; beyond f < g these are the
// antiderivatives, whose differences count.
static slide_point left(real g, real f, real speed, real phi)
{
  const real c = cosl(phi / 2), s = sinl(phi / 2), cc = c * c, ss = s * s;
  return (slide_point){
      .t = speed * (cc / (f - g) + ss / (f + g)),
      .down = speed * speed * (cc * cc / (f - g) - ss * ss / (f + g)) / 2,
      .across = 2 * speed * speed * c * s * (cc / (2 * f - g) + ss / (2 * f + g)),
  };
}

slide_point slide_rest(slide s)
{
  return left(s.g, s.f, s.speed, s.phi);
}

// The speed at another direction.
static real speed_at(slide s, real phi)
{
  const real k = s.f / s.g;
  return s.speed * expl(k * (logl(tanl(phi / 2)) - logl(tanl(s.phi / 2))) - logl(sinl(phi)) +
                        logl(sinl(s.phi)));
}

real slide_slowest(slide s)
{
  const real slow = s.f < s.g ? acosl(s.f / s.g) : acosl(-1) / 2;
  if (s.g == 0 || s.phi <= slow || sinl(s.phi) < 1e-15L) return s.speed;
  return speed_at(s, slow);
}

static slide_point straight(slide s, real time)
{
  const bool up = s.phi > 1;
  const real way = up ? -1 : 1, a = way * s.g - s.f;
  return (slide_point){time, way * (s.speed * time + a * time * time / 2), 0,
                       way * (s.speed + a * time), 0};
}

slide_point slide_at(slide s, real time)
{
  if (s.g == 0) {
    slide_point p = straight((slide){0, s.f, s.speed, 0}, time);
    return (slide_point){time, p.down * cosl(s.phi), p.down * sinl(s.phi), p.v_down * cosl(s.phi),
                         p.v_down * sinl(s.phi)};
  }
  if (sinl(s.phi) < 1e-15L) return straight(s, time);
  const slide_point whole = left(s.g, s.f, s.speed, s.phi);
  // phi falls from its start to 0, and far where g hardly exceeds f; bisection on its logarithm
  real low = logl(s.phi) - 11000, high = logl(s.phi);
  for (int k = 0; k < 200; k++) {
    const real middle = (low + high) / 2, phi = expl(middle);
    const real speed = speed_at(s, phi);
    if (whole.t - left(s.g, s.f, speed, phi).t > time) low = middle;
    else high = middle;
  }
  const real phi = expl((low + high) / 2), speed = speed_at(s, phi);
  const slide_point rest = left(s.g, s.f, speed, phi);
  return (slide_point){time, whole.down - rest.down, whole.across - rest.across, speed * cosl(phi),
                       speed * sinl(phi)};
}

// x = (log |v|, phi, t, down, across)
static void stretched(const void *self, real sigma, const real *x, real *dx)
{
  const slide *s = self;
  (void)sigma;
  const real speed = expl(x[0]);
  dx[0] = s->g * cosl(x[1]) - s->f, dx[1] = -s->g * sinl(x[1]);
  dx[2] = speed, dx[3] = speed * speed * cosl(x[1]), dx[4] = speed * speed * sinl(x[1]);
}

slide_point slide_followed(slide s, real sigma)
{
  real x[5] = {logl(s.speed), s.phi};
  if (!reference_follow(stretched, &s, 5, 0, sigma, 1e-17L, NULL, x)) x[0] = NAN;
  const real speed = expl(x[0]);
  return (slide_point){x[2], x[3], x[4], speed * cosl(x[1]), speed * sinl(x[1])};
}
