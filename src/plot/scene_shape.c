// Shapes on paper.
#include "plot/scene_parts.h"

#include <math.h>
#include <string.h>

static const double faintest = 0.18, filled = 0.22;
static const double coil = 4;  // half the width of a spring, in points
enum { COILS = 7 };

static unsigned colour_of(const dls_shape *shape)
{
  return shape->colour <= 0 ? 0x333333 : dls_colour_line(shape->colour - 1);
}

static void take_colour(dls_pen *pen, unsigned colour, double alpha)
{
  cairo_set_source_rgba(pen->cairo, (colour >> 16 & 0xFF) / 255.0, (colour >> 8 & 0xFF) / 255.0,
                        (colour & 0xFF) / 255.0, alpha);
}

bool dls_stage_same(const dls_shape *a, const dls_shape *b)
{
  return a->visible == b->visible && memcmp(a->point, b->point, sizeof a->point) == 0 &&
         memcmp(a->size, b->size, sizeof a->size) == 0;
}

dls_spot dls_stage_project(const dls_stage *stage, const double p[3])
{
  if (stage->scene->space == 2) return (dls_spot){p[0], p[1]};
  const double *r = stage->right, *u = stage->up;
  return (dls_spot){r[0] * p[0] + r[1] * p[1] + r[2] * p[2],
                    u[0] * p[0] + u[1] * p[1] + u[2] * p[2]};
}

static dls_spot on_paper(const dls_stage *stage, dls_spot s)
{
  return (dls_spot){stage->left + (s.x - stage->x0) * stage->scale,
                    stage->bottom - (s.y - stage->y0) * stage->scale};
}

dls_spot dls_stage_spot(const dls_stage *stage, const double point[3])
{
  return on_paper(stage, dls_stage_project(stage, point));
}

static void reach(dls_stage *stage, dls_spot s, double around)
{
  stage->x0 = fmin(stage->x0, s.x - around), stage->x1 = fmax(stage->x1, s.x + around);
  stage->y0 = fmin(stage->y0, s.y - around), stage->y1 = fmax(stage->y1, s.y + around);
}

static void corners(const dls_shape *shape, dls_spot corner[4])
{
  const double c = cos(shape->size[2]), s = sin(shape->size[2]);
  for (int k = 0; k < 4; k++) {
    const double a = (k == 0 || k == 3 ? -0.5 : 0.5) * shape->size[0];
    const double b = (k < 2 ? -0.5 : 0.5) * shape->size[1];
    corner[k] = (dls_spot){shape->point[0][0] + a * c - b * s, shape->point[0][1] + a * s + b * c};
  }
}

void dls_stage_reach(dls_stage *stage, const dls_shape *shape)
{
  dls_spot corner[4];
  if (!shape->visible) return;
  if (shape->kind == DLS_SHAPE_BOX) {
    corners(shape, corner);
    for (int k = 0; k < 4; k++) reach(stage, corner[k], 0);
    return;
  }
  reach(stage, dls_stage_project(stage, shape->point[0]),
        shape->kind == DLS_SHAPE_DISC ? shape->size[0] : 0);
  if (shape->kind == DLS_SHAPE_SEGMENT || shape->kind == DLS_SHAPE_SPRING)
    reach(stage, dls_stage_project(stage, shape->point[1]), 0);
}

static void trace_spring(const dls_stage *stage, dls_pen *pen, const dls_shape *shape)
{
  const dls_spot a = dls_stage_spot(stage, shape->point[0]);
  const dls_spot b = dls_stage_spot(stage, shape->point[1]);
  const double length = hypot(b.x - a.x, b.y - a.y);
  const double nx = length > 0 ? -(b.y - a.y) / length : 0;
  const double ny = length > 0 ? (b.x - a.x) / length : 1;
  cairo_move_to(pen->cairo, a.x, a.y);
  for (int k = 0; k <= 2 * COILS; k++) {
    const double s = 0.15 + 0.7 * k / (2.0 * COILS);
    const double off = k == 0 || k == 2 * COILS ? 0 : k % 2 ? coil : -coil;
    cairo_line_to(pen->cairo, a.x + s * (b.x - a.x) + off * nx, a.y + s * (b.y - a.y) + off * ny);
  }
  cairo_line_to(pen->cairo, b.x, b.y);
}

static void trace(const dls_stage *stage, dls_pen *pen, const dls_shape *shape)
{
  const dls_spot a = dls_stage_spot(stage, shape->point[0]);
  dls_spot corner[4];
  cairo_new_path(pen->cairo);
  switch (shape->kind) {
  case DLS_SHAPE_SEGMENT: {
    const dls_spot b = dls_stage_spot(stage, shape->point[1]);
    cairo_move_to(pen->cairo, a.x, a.y);
    cairo_line_to(pen->cairo, b.x, b.y);
    break;
  }
  case DLS_SHAPE_DISC:
    cairo_arc(pen->cairo, a.x, a.y, fmax(shape->size[0] * stage->scale, 0.5), 0, 2 * acos(-1));
    cairo_close_path(pen->cairo);
    break;
  case DLS_SHAPE_BOX:
    corners(shape, corner);
    for (int k = 0; k < 4; k++) {
      const dls_spot s = on_paper(stage, corner[k]);
      cairo_line_to(pen->cairo, s.x, s.y);
    }
    cairo_close_path(pen->cairo);
    break;
  case DLS_SHAPE_SPRING: trace_spring(stage, pen, shape); break;
  default: break;
  }
}

static void take_line(dls_pen *pen, const dls_shape *shape)
{
  const double dash[] = {4 + shape->width, 3 + shape->width};
  cairo_set_line_width(pen->cairo, shape->width);
  cairo_set_dash(pen->cairo, dash, shape->dashed ? 2 : 0, 0);
}

void dls_scene_shape(const dls_stage *stage, dls_pen *pen, const dls_shape *shape, double strength)
{
  if (!shape->visible || shape->kind >= DLS_SHAPE_PATH) return;
  const double alpha = faintest + (1 - faintest) * strength;
  cairo_save(pen->cairo);
  cairo_set_line_cap(pen->cairo, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(pen->cairo, CAIRO_LINE_JOIN_ROUND);
  take_line(pen, shape);
  trace(stage, pen, shape);
  if (shape->fill) {
    take_colour(pen, colour_of(shape), filled * alpha);
    cairo_fill_preserve(pen->cairo);
  }
  take_colour(pen, colour_of(shape), alpha);
  if (shape->width > 0) cairo_stroke(pen->cairo);
  cairo_new_path(pen->cairo);
  cairo_restore(pen->cairo);
}

void dls_scene_text(dls_stage *stage, dls_pen *pen, const dls_shape *shape)
{
  if (!shape->visible || shape->kind != DLS_SHAPE_TEXT) return;
  const dls_letters letters = {.size = DLS_FONT, .align = 0.5};
  const dls_spot at = dls_stage_spot(stage, shape->point[0]);
  dls_pen_colour(pen, colour_of(shape));
  const double width = dls_pen_text(pen, at.x, at.y + 0.35 * DLS_FONT, shape->text, letters, 300);
  if (stage->labels < DLS_LABELS_MAX)
    stage->label[stage->labels++] =
        (dls_box){at.x - width / 2, at.y - 0.6 * DLS_FONT, width, 1.2 * DLS_FONT};
}

void dls_scene_path_draw(const dls_stage *stage, dls_pen *pen, const dls_scene_path *path)
{
  const double step = 0.4;  // points of paper: what is nearer cannot be seen
  dls_spot last = {0, 0};
  bool drawing = false;
  cairo_save(pen->cairo);
  take_colour(pen, colour_of(path->shape), 0.7);
  take_line(pen, path->shape);
  cairo_set_line_width(pen->cairo, fmin(path->shape->width, 1));
  cairo_set_line_join(pen->cairo, CAIRO_LINE_JOIN_ROUND);
  for (int k = 0; k < path->points; k++) {
    const double *p = path->point + (ptrdiff_t)3 * k;
    const dls_spot s = dls_stage_spot(stage, p);
    const bool there = isfinite(s.x) && isfinite(s.y);
    if (!there) drawing = false;
    else if (!drawing) cairo_move_to(pen->cairo, s.x, s.y);
    else if (hypot(s.x - last.x, s.y - last.y) < step && k + 1 < path->points) continue;
    else cairo_line_to(pen->cairo, s.x, s.y);
    if (there) last = s, drawing = true;
  }
  cairo_stroke(pen->cairo);
  cairo_restore(pen->cairo);
}
