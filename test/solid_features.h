// Solids by their definition, apart from the library: points of their features with a direction in
// which the solid does not reach farther than there.
#ifndef TEST_SOLID_FEATURES_H
#define TEST_SOLID_FEATURES_H

#include <delassus/mechanism.h>

#include <stdbool.h>

enum { SOLID_VERTICES = 64 };

// Room for a solid of any kind.
typedef struct any_solid {
  dls_solid solid;
  double vertex[3 * SOLID_VERTICES];
  int first[2 * SOLID_VERTICES], face[6 * SOLID_VERTICES];
} any_solid;

// Of random size about `scale`; hulls: a random affine image of one of some polyhedra.
void any_solid_draw(any_solid *any, dls_solid_kind kind, double scale);

int solid_feature_count(const dls_solid *solid);
typedef enum feature_sort {
  FEATURE_NONE,
  FEATURE_CORNER,  // a point without radius
  FEATURE_BALL,    // with one
  FEATURE_LINE,
  FEATURE_FACE,
  FEATURE_RIM,
  FEATURE_SURFACE
} feature_sort;
feature_sort solid_feature_sort(const dls_solid *solid, int feature);

// A random point x of a feature and a unit vector n, in the frame of the solid: x is the only point
// of the feature that lies farthest along n, but for lines and faces. The solid's farthest points
// are among them.
void solid_feature_sample(const dls_solid *solid, int feature, double x[3], double n[3]);

// How far the solid reaches along n (any length), in its frame; of planes INFINITY but along +z.
double solid_support(const dls_solid *solid, const double n[3]);

void random_unit(double n[3]);
void random_rotation(double R[9]);                                         // row-major
void rotation_between(const double a[3], const double b[3], double R[9]);  // random, R a = b

#endif
