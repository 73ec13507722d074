// The parts of a picture of a mechanism.
#ifndef DLS_PLOT_SCENE_PARTS_H
#define DLS_PLOT_SCENE_PARTS_H

#include "plot/picture_pen.h"
#include <delassus/scene.h>

// A point of the picture: first in the plane that is looked at, then in points of the paper.
typedef struct dls_spot {
  double x, y;
} dls_spot;

enum { DLS_LABELS_MAX = 200 };

// From the numbers of the model to the paper.
typedef struct dls_stage {
  const dls_scene *scene;
  double right[3], up[3];      // of the plane that is looked at
  double x0, x1, y0, y1;       // what is shown of it
  double size;                 // of the mechanism, without arrows
  double scale, left, bottom;  // paper: left + (x - x0) scale, bottom - (y - y0) scale
  double force_length;         // of a force of 1, in that plane; 0: no force
  double largest;              // force
  int labels;                  // boxes that texts have taken
  dls_box label[DLS_LABELS_MAX];
  dls_box paper;  // where labels may stand
} dls_stage;

dls_spot dls_stage_project(const dls_stage *stage, const double point[3]);
dls_spot dls_stage_spot(const dls_stage *stage, const double point[3]);  // on paper
bool dls_stage_same(const dls_shape *a, const dls_shape *b);             // draws the same

// Widens what is shown by a shape, or by an arrow.
void dls_stage_reach(dls_stage *stage, const dls_shape *shape);
void dls_stage_reach_force(dls_stage *stage, const dls_scene_force *force);
double dls_force_largest(const dls_stage *stage, const dls_scene_force *force);

// strength: from 0, faint, to 1.
void dls_scene_shape(const dls_stage *stage, dls_pen *pen, const dls_shape *shape, double strength);
void dls_scene_text(dls_stage *stage, dls_pen *pen, const dls_shape *shape);
void dls_scene_path_draw(const dls_stage *stage, dls_pen *pen, const dls_scene_path *path);

// What lies below the shapes (ground, cones), and what lies above (arrows, names).
void dls_scene_ground(const dls_stage *stage, dls_pen *pen, const dls_scene_force *force);
void dls_scene_arrows(const dls_stage *stage, dls_pen *pen, const dls_scene_force *force);
void dls_scene_force_label(dls_stage *stage, dls_pen *pen, const dls_scene_force *force);
// Which of the entries of the legend a force makes: DLS_LEGEND_... bits.
enum { DLS_LEGEND_NORMAL = 1, DLS_LEGEND_TANGENT = 2, DLS_LEGEND_RANGE = 4, DLS_LEGEND_CONE = 8 };
unsigned dls_scene_legend_of(const dls_stage *stage, const dls_scene_force *force);
void dls_scene_arrow(dls_pen *pen, dls_spot from, dls_spot to, unsigned colour);
extern const unsigned dls_scene_normal, dls_scene_tangent;

// A text near a spot, where no other stands; in the direction `wanted` (radians) if there is room.
void dls_scene_label(dls_stage *stage, dls_pen *pen, dls_spot near, double wanted, const char *text,
                     dls_letters letters);

#endif
