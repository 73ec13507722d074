// Pictures of a mechanism as SVG or PNG: its shapes at a state with the forces of its contacts, or
// at several instants of a motion with the paths of points.
//
// Everything is plain data of the caller. In delassus-io.
#ifndef DELASSUS_SCENE_H
#define DELASSUS_SCENE_H

#include <delassus/drawing.h>
#include <delassus/picture.h>

#ifdef __cplusplus
extern "C" {
#endif

// The force of a contact: multipliers, normal first, each with its interval.         eq (dra.1)
typedef struct dls_scene_force {
  const char *name;
  const dls_shape *shape;  // of the kind DLS_SHAPE_FORCE, with its directions
  double value[3];
  double low[3], high[3];  // +-INFINITY where there is no bound; NaN, both: as the value
  double friction;         // of the cone; 0: none is drawn
  bool unilateral;         // it only pushes
  bool ground;             // the other side of the contact stands still
} dls_scene_force;

// Where a point goes: `points` times three numbers; a gap where one is not finite.
typedef struct dls_scene_path {
  int points;
  const double *point;
  const dls_shape *shape;  // its colour, width and strokes
} dls_scene_path;

typedef struct dls_scene {
  const char *title, *subtitle;  // NULL: none
  int space;                     // 2 or 3
  double view[3];                // in space: from where one looks, z up
  int instants;                  // faint to strong
  int count;                     // shapes of each instant
  const dls_shape *shape;        // instants x count
  int paths;
  const dls_scene_path *path;
  int forces;
  const dls_scene_force *force;
  const char *force_label;  // of the legend, such as "force"
  double resolution;        // pixels per point of a PNG; 0: 2
} dls_scene;

// As dls_picture_draw. DLS_ERR_NUMBER when the shapes lie too far apart for numbers to tell.
DLS_API dls_status dls_scene_draw(const dls_scene *scene, dls_picture_form form, char **data,
                                  size_t *size, dls_message *message);

#ifdef __cplusplus
}
#endif
#endif
