// The convex hull of points, for solids.
#ifndef DELASSUS_HULL_H
#define DELASSUS_HULL_H

#include <delassus/mechanism.h>

#ifdef __cplusplus
extern "C" {
#endif

// Vertices and faces as dls_solid has them; faces in one plane are one face.
typedef struct dls_hull {
  int vertices, faces;
  double *vertex;
  int *first, *face;
} dls_hull;

// points: 3 numbers each, as many as one likes. DLS_ERR_NUMBER when one is not finite,
// DLS_ERR_ARGUMENT when they lie in a plane, each with a message. Freed with dls_hull_free.
DLS_API dls_status dls_hull_create(int points, const double *point, dls_hull **hull,
                                   dls_message *message);
DLS_API void dls_hull_free(dls_hull *hull);  // NULL is fine

#ifdef __cplusplus
}
#endif
#endif
