// Four motions with impacts, as functions in C that every integrator calls: M is diagonal.
#ifndef BENCH_MOTIONS_MODELS_H
#define BENCH_MOTIONS_MODELS_H

#include <delassus/delassus.h>

enum { MAX_COORDINATES = 120, MAX_GAPS = 120 };

typedef struct motion {
  const char *name;
  int n, m;
  double until, restitution;
  void (*start)(double *q, double *v);
  // M q'' = f; the masses too, which may depend on q
  void (*force)(double t, const double *q, const double *v, double *mass, double *f);
  void (*gaps)(const double *q, double *h);
  // Gap j depends on the coordinates first[j] ... first[j] + width - 1.
  int width;
  // Its gradient, and what is behind G^T v' in its second derivative.
  void (*gradient)(int j, const double *q, const double *v, double *G, double *b);
  int shared;  // all gaps depend on the same coordinates, from 0 on; else gap j on those from j on
} motion;

extern const motion motions[];
enum { MOTIONS = 4 };

// Of the impact at gap j: v changes by Newton's law.
void motion_collide(const motion *x, int j, const double *q, double *v);

// As a system of delassus, which is freed with dls_system_free.
dls_system *motion_system(const motion *x);

#endif
