// A mechanism on paper: what is shown, how large, the legend.
#include "plot/scene_parts.h"

#include "base/memory.h"
#include "base/message.h"
#include "plot/picture_surface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { INSTANTS_MAX = 1000 };
static const double border = 12, frame_width = 460, frame_height = 380, rim = 26;
static const double force_part = 1.0 / 3;  // of the mechanism's size: the largest force
static const dls_letters title = {.size = 13, .bold = true, .align = 0.5};
static const dls_letters subtitle = {.size = DLS_FONT, .align = 0.5};
static const dls_letters plain = {.size = DLS_FONT - 1};

// ---- labels -------------------------------------------------------------------------------------

static double overlap(dls_box a, dls_box b)
{
  const double w = fmin(a.x + a.width, b.x + b.width) - fmax(a.x, b.x);
  const double h = fmin(a.y + a.height, b.y + b.height) - fmax(a.y, b.y);
  return w > 0 && h > 0 ? w * h : 0;
}

// How bad a place is: texts below it, paper that ends, and how far it is.
static double cost(const dls_stage *stage, dls_box box, double distance)
{
  const dls_box *p = &stage->paper;
  double sum = 0.3 * distance;
  for (int k = 0; k < stage->labels; k++) sum += overlap(box, stage->label[k]);
  return sum + 20 * (box.width * box.height - overlap(box, *p));
}

void dls_scene_label(dls_stage *stage, dls_pen *pen, dls_spot near, double wanted, const char *text,
                     dls_letters letters)
{
  enum { WAYS = 8, RINGS = 6 };
  const double width = dls_pen_width(pen, text, letters, 260), height = 1.25 * letters.size;
  dls_box best = {0};
  double least = HUGE_VAL;
  for (int ring = 0; ring < RINGS; ring++)
    for (int way = 0; way < WAYS; way++) {
      const double turn = acos(-1) * (way % 2 ? -(way + 1) / 2 : way / 2) / 4.0;
      const double x = cos(wanted + turn), y = sin(wanted + turn);
      const double distance = 13 + 0.9 * height * ring;
      const double align = x > 0.3 ? 0 : x < -0.3 ? 1 : 0.5;
      const dls_box box = {near.x + distance * x - width * align,
                           near.y - distance * y - height / 2, width, height};
      // half aside, where no arrow or rod goes on
      const double aside = fabs(fabs(turn) - acos(-1) / 4);
      const double bad = cost(stage, box, distance + 6 * aside);
      if (bad < least) least = bad, best = box;
    }
  // a halo, so that it can be read on lines
  cairo_save(pen->cairo);
  cairo_set_source_rgba(pen->cairo, 1, 1, 1, 0.75);
  cairo_rectangle(pen->cairo, best.x - 1, best.y, best.width + 2, best.height);
  cairo_fill(pen->cairo);
  cairo_restore(pen->cairo);
  dls_pen_colour(pen, 0x000000);
  dls_pen_text(pen, best.x, best.y + 0.8 * height, text, letters, 260);
  if (stage->labels < DLS_LABELS_MAX) stage->label[stage->labels++] = best;
}

// ---- what is shown ------------------------------------------------------------------------------

// Looking from `view`, z is up; from straight above, y is.
static void look(dls_stage *stage)
{
  const double *view = stage->scene->view;
  const double length = hypot(hypot(view[0], view[1]), view[2]);
  const double d[3] = {view[0] / length, view[1] / length, view[2] / length};
  const double flat = hypot(d[0], d[1]);
  if (!(flat > 1e-12)) {
    stage->right[0] = d[2] < 0 ? -1 : 1, stage->up[1] = 1;
    return;
  }
  stage->right[0] = -d[1] / flat, stage->right[1] = d[0] / flat;
  const double *r = stage->right;
  stage->up[0] = d[1] * r[2] - d[2] * r[1];
  stage->up[1] = d[2] * r[0] - d[0] * r[2];
  stage->up[2] = d[0] * r[1] - d[1] * r[0];
}

static void reach_all(dls_stage *stage)
{
  const dls_scene *scene = stage->scene;
  const ptrdiff_t shapes = (ptrdiff_t)scene->instants * scene->count;
  stage->x0 = stage->y0 = HUGE_VAL, stage->x1 = stage->y1 = -HUGE_VAL;
  for (ptrdiff_t k = 0; k < shapes; k++)
    if (scene->shape[k].kind != DLS_SHAPE_PATH) dls_stage_reach(stage, &scene->shape[k]);
  for (int k = 0; k < scene->paths; k++)
    for (int i = 0; i < scene->path[k].points; i++) {
      dls_shape point = {.kind = DLS_SHAPE_PATH, .visible = true};
      dls_copy(point.point[0], scene->path[k].point + (ptrdiff_t)3 * i, 3);
      const dls_spot s = dls_stage_project(stage, point.point[0]);
      if (isfinite(s.x) && isfinite(s.y)) dls_stage_reach(stage, &point);
    }
}

static dls_status measure(dls_stage *stage, dls_message *message)
{
  const dls_scene *scene = stage->scene;
  if (scene->space == 3) look(stage);
  reach_all(stage);
  if (stage->x0 > stage->x1) stage->x0 = stage->x1 = stage->y0 = stage->y1 = 0;
  stage->size = fmax(stage->x1 - stage->x0, stage->y1 - stage->y0);
  for (int k = 0; k < scene->forces; k++)
    stage->largest = fmax(stage->largest, dls_force_largest(stage, &scene->force[k]));
  if (!(stage->size > 0)) stage->size = 1;
  if (stage->largest > 0) stage->force_length = force_part * stage->size / stage->largest;
  if (!isfinite(stage->force_length)) stage->force_length = 0;
  for (int k = 0; k < scene->forces; k++) dls_stage_reach_force(stage, &scene->force[k]);
  const double width = stage->x1 - stage->x0, height = stage->y1 - stage->y0;
  const double most = fmax(fmax(width / frame_width, height / frame_height), 0);
  stage->scale = most > 0 ? 1 / most : 1;
  if (!isfinite(width) || !isfinite(height) || !isfinite(stage->scale))
    return dls_fail(message, DLS_ERR_NUMBER, "the shapes lie too far apart, or too near, to draw");
  return DLS_OK;
}

// ---- the sheet ----------------------------------------------------------------------------------

typedef struct sheet {
  dls_stage *stage;
  double width, height, heading, legend;
  unsigned entries;
} sheet;

static double draw_heading(const sheet *s, dls_pen *pen, bool draw)
{
  const dls_scene *scene = s->stage->scene;
  const double middle = s->width / 2, width = s->width - 2 * border;
  double y = border;
  dls_pen_colour(pen, 0x000000);
  if (scene->title) y += dls_pen_lines(pen, middle, y, width, scene->title, title, draw);
  dls_pen_colour(pen, 0x404040);
  if (scene->subtitle && scene->subtitle[0])
    y += 2 + dls_pen_lines(pen, middle, y + 2, width, scene->subtitle, subtitle, draw);
  return y;
}

// 1, 2 or 5 times a power of ten, at most the number.
static double rounded(double number)
{
  const double power = pow(10, floor(log10(number)));
  const double part = number / power;
  return power * (part >= 5 ? 5 : part >= 2 ? 2 : 1);
}

static double legend_text(dls_pen *pen, double x, double y, const char *text)
{
  dls_pen_colour(pen, 0x000000);
  return x + dls_pen_text(pen, x, y + 4, text, plain, 200) + 16;
}

static void draw_legend(const sheet *s, dls_pen *pen)
{
  const dls_stage *stage = s->stage;
  double x = border + 4;
  const double y = s->legend;
  char text[80];
  if (s->entries & (DLS_LEGEND_NORMAL | DLS_LEGEND_TANGENT)) {
    const double unit = rounded(0.75 * stage->largest);
    const double length = unit * stage->force_length * stage->scale;
    dls_scene_arrow(pen, (dls_spot){x, y}, (dls_spot){x + length, y}, 0x333333);
    (void)snprintf(text, sizeof text, "%s %g", stage->scene->force_label, unit);
    x = legend_text(pen, x + length + 5, y, text);
  }
  if (s->entries & DLS_LEGEND_NORMAL) {
    dls_scene_arrow(pen, (dls_spot){x, y}, (dls_spot){x + 18, y}, dls_scene_normal);
    x = legend_text(pen, x + 23, y, "normal");
  }
  if (s->entries & DLS_LEGEND_TANGENT) {
    dls_scene_arrow(pen, (dls_spot){x, y}, (dls_spot){x + 18, y}, dls_scene_tangent);
    x = legend_text(pen, x + 23, y, "tangential");
  }
  cairo_save(pen->cairo);
  if (s->entries & DLS_LEGEND_RANGE) {
    cairo_set_source_rgba(pen->cairo, 0.2, 0.2, 0.2, 0.3);
    cairo_rectangle(pen->cairo, x, y - 3, 18, 6);
    cairo_fill(pen->cairo);
    x = legend_text(pen, x + 23, y, "not determined");
  }
  if (s->entries & DLS_LEGEND_CONE) {
    cairo_set_source_rgba(pen->cairo, 0.9, 0.62, 0, 0.35);
    cairo_move_to(pen->cairo, x + 7, y + 5);
    cairo_line_to(pen->cairo, x, y - 5);
    cairo_line_to(pen->cairo, x + 14, y - 5);
    cairo_fill(pen->cairo);
    (void)legend_text(pen, x + 19, y, "friction cone");
  }
  cairo_restore(pen->cairo);
}

static void draw_instant(const dls_stage *stage, dls_pen *pen, int instant)
{
  const dls_scene *scene = stage->scene;
  const dls_shape *shape = scene->shape + (ptrdiff_t)instant * scene->count;
  const dls_shape *last = scene->shape + (ptrdiff_t)(scene->instants - 1) * scene->count;
  const double strength = scene->instants > 1 ? (double)instant / (scene->instants - 1) : 1;
  // what does not move is drawn once
  for (int k = 0; k < scene->count; k++)
    if (shape == last || !dls_stage_same(&shape[k], &last[k]))
      dls_scene_shape(stage, pen, &shape[k], strength);
}

static dls_status draw_sheet(const void *self, dls_pen *pen)
{
  const sheet *s = self;
  dls_stage *stage = s->stage;
  const dls_scene *scene = stage->scene;
  draw_heading(s, pen, true);
  for (int k = 0; k < scene->forces; k++) dls_scene_ground(stage, pen, &scene->force[k]);
  for (int k = 0; k < scene->paths; k++) dls_scene_path_draw(stage, pen, &scene->path[k]);
  for (int k = 0; k < scene->instants; k++) draw_instant(stage, pen, k);
  for (int k = 0; k < scene->forces; k++) dls_scene_arrows(stage, pen, &scene->force[k]);
  const dls_shape *last = scene->shape + (ptrdiff_t)(scene->instants - 1) * scene->count;
  for (int k = 0; k < scene->count; k++) dls_scene_text(stage, pen, &last[k]);
  for (int k = 0; k < scene->forces; k++) dls_scene_force_label(stage, pen, &scene->force[k]);
  if (s->entries) draw_legend(s, pen);
  return DLS_OK;
}

static void lay_out(sheet *s, dls_pen *pen)
{
  dls_stage *stage = s->stage;
  const double width = (stage->x1 - stage->x0) * stage->scale;
  const double height = (stage->y1 - stage->y0) * stage->scale;
  for (int k = 0; k < stage->scene->forces; k++)
    s->entries |= dls_scene_legend_of(stage, &stage->scene->force[k]);
  s->width = frame_width + 2 * (border + rim);
  s->heading = draw_heading(s, pen, false);
  stage->left = (s->width - width) / 2;
  stage->bottom = s->heading + rim + height;
  stage->paper = (dls_box){4, s->heading + 2, s->width - 8, height + 2 * rim - 4};
  s->legend = stage->bottom + rim + 8;
  s->height = ceil(stage->bottom + rim + (s->entries ? 24 : 0));
}

static dls_status check_scene(const dls_scene *scene, dls_message *message)
{
  if (!scene || scene->instants < 1 || scene->count < 0 || (scene->count > 0 && !scene->shape))
    return dls_fail(message, DLS_ERR_ARGUMENT, "a scene needs an instant and its shapes");
  if (scene->instants > INSTANTS_MAX)
    return dls_fail(message, DLS_ERR_LIMIT, "a scene has at most %d instants", INSTANTS_MAX);
  if (scene->space != 2 && scene->space != 3)
    return dls_fail(message, DLS_ERR_ARGUMENT, "a scene is in the plane, 2, or in space, 3");
  const double *v = scene->view, length = hypot(hypot(v[0], v[1]), v[2]);
  if (scene->space == 3 && !(length > 0 && isfinite(length)))
    return dls_fail(message, DLS_ERR_ARGUMENT, "a scene in space needs a view that is not zero");
  if (scene->paths < 0 || scene->forces < 0 || (scene->paths > 0 && !scene->path) ||
      (scene->forces > 0 && !scene->force) || !(scene->resolution >= 0 && scene->resolution <= 100))
    return dls_fail(message, DLS_ERR_ARGUMENT, "paths, forces or resolution of a scene are wrong");
  return DLS_OK;
}

dls_status dls_scene_draw(const dls_scene *scene, dls_picture_form form, char **data, size_t *size,
                          dls_message *message)
{
  if (message) message->text[0] = 0;
  if (!data || !size) return DLS_ERR_ARGUMENT;
  *data = NULL;
  *size = 0;
  dls_status status = check_scene(scene, message);
  if (status != DLS_OK) return status;
  dls_stage *stage = dls_alloc(1, sizeof *stage);
  if (!stage) return DLS_ERR_MEMORY;
  stage->scene = scene;
  sheet s = {.stage = stage};
  status = measure(stage, message);
  if (status == DLS_OK) {
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    dls_pen pen = dls_pen_begin(surface);
    lay_out(&s, &pen);
    status = dls_pen_outcome(&pen, DLS_OK);
    cairo_destroy(pen.cairo);
    cairo_surface_destroy(surface);
  }
  const dls_surface surface = {s.width, s.height, scene->resolution, form};
  if (status == DLS_OK) status = dls_surface_draw(&surface, draw_sheet, &s, data, size, message);
  free(stage);
  return status;
}
