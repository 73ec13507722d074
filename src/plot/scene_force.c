// Forces of contacts: arrows for what is determined, light bars for what is not, cones, ground.
#include "plot/scene_parts.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

const unsigned dls_scene_normal = 0xD55E00, dls_scene_tangent = 0x0072B2;
static const unsigned cone_colour = 0xE69F00;

static const double determined = 1e-9;  // part of the largest force: intervals below are points
static const double cone_part = 0.16;   // of the size of the mechanism
static const double beyond = 1.2;       // of the largest arrow: where bars without a bound end

// One component of a force, as multiples of its direction.
typedef struct component {
  const double *direction;
  double low, high;  // equal: determined
  bool open_low, open_high;
} component;

static component component_of(const dls_stage *stage, const dls_scene_force *force, int k)
{
  const dls_shape *shape = force->shape;
  component c = {.direction = k == 0 ? shape->normal : shape->tangent[k - 1],
                 .low = force->low[k],
                 .high = force->high[k]};
  const dls_spot d = dls_stage_project(stage, c.direction);
  const double unit = hypot(d.x, d.y);
  const double most = unit > 0 ? beyond * stage->largest / unit : 0;
  if (isnan(c.low) || isnan(c.high)) c.low = c.high = force->value[k];
  c.open_low = c.low == -INFINITY, c.open_high = c.high == INFINITY;
  if (c.open_low) c.low = -most;
  if (c.open_high) c.high = most;
  if (c.high - c.low <= determined * most) c.low = c.high = force->value[k];
  return c;
}

static int components(const dls_scene_force *force)
{
  return 1 + force->shape->tangents;
}

double dls_force_largest(const dls_stage *stage, const dls_scene_force *force)
{
  double largest = 0;
  for (int k = 0; k < components(force); k++) {
    const double *direction = k == 0 ? force->shape->normal : force->shape->tangent[k - 1];
    const dls_spot d = dls_stage_project(stage, direction);
    const double numbers[] = {force->value[k], force->low[k], force->high[k]};
    for (int j = 0; j < 3; j++)
      if (isfinite(numbers[j])) largest = fmax(largest, fabs(numbers[j]) * hypot(d.x, d.y));
  }
  return force->shape->visible && isfinite(largest) ? largest : 0;
}

static dls_spot end_of(const dls_stage *stage, const dls_scene_force *force, const component *c,
                       double multiple)
{
  const dls_spot at = dls_stage_project(stage, force->shape->point[0]);
  const dls_spot d = dls_stage_project(stage, c->direction);
  const double length = multiple * stage->force_length;
  return (dls_spot){at.x + length * d.x, at.y + length * d.y};
}

static dls_spot end_on_paper(const dls_stage *stage, const dls_scene_force *force,
                             const component *c, double multiple)
{
  const dls_spot s = end_of(stage, force, c, multiple);
  return (dls_spot){stage->left + (s.x - stage->x0) * stage->scale,
                    stage->bottom - (s.y - stage->y0) * stage->scale};
}

// ---- below the shapes ---------------------------------------------------------------------------

static void colour_of(dls_pen *pen, unsigned colour, double alpha)
{
  cairo_set_source_rgba(pen->cairo, (colour >> 16 & 0xFF) / 255.0, (colour >> 8 & 0xFF) / 255.0,
                        (colour & 0xFF) / 255.0, alpha);
}

static double length_of(const double *v)
{
  return hypot(hypot(v[0], v[1]), v[2]);
}

static bool has_cone(const dls_stage *stage, const dls_scene_force *force)
{
  const dls_shape *shape = force->shape;
  return stage->scene->space == 2 && shape->visible && shape->tangents == 1 &&
         force->friction > 0 && isfinite(force->friction) && length_of(shape->normal) > 0;
}

// Cones take the room of their middle line.
static void reach_cone(dls_stage *stage, const dls_scene_force *force)
{
  const dls_shape *shape = force->shape;
  const double length = cone_part * stage->size / length_of(shape->normal);
  for (int way = force->unilateral ? 1 : -1; way <= 1; way += 2) {
    const double x = shape->point[0][0] + way * length * shape->normal[0];
    const double y = shape->point[0][1] + way * length * shape->normal[1];
    stage->x0 = fmin(stage->x0, x), stage->x1 = fmax(stage->x1, x);
    stage->y0 = fmin(stage->y0, y), stage->y1 = fmax(stage->y1, y);
  }
}

void dls_stage_reach_force(dls_stage *stage, const dls_scene_force *force)
{
  if (!force->shape->visible) return;
  if (has_cone(stage, force)) reach_cone(stage, force);
  for (int k = 0; k < components(force); k++) {
    const component c = component_of(stage, force, k);
    for (int j = 0; j < 2; j++) {
      const dls_spot s = end_of(stage, force, &c, j ? c.high : c.low);
      if (!isfinite(s.x) || !isfinite(s.y)) continue;
      stage->x0 = fmin(stage->x0, s.x), stage->x1 = fmax(stage->x1, s.x);
      stage->y0 = fmin(stage->y0, s.y), stage->y1 = fmax(stage->y1, s.y);
    }
  }
}

// The forces that Coulomb's law allows: n + mu times between -t and t.
static void draw_cone(const dls_stage *stage, dls_pen *pen, const dls_scene_force *force,
                      double way)
{
  const dls_shape *shape = force->shape;
  const dls_spot at = dls_stage_spot(stage, shape->point[0]);
  const double radius = cone_part * stage->size * stage->scale;
  double edge[2][2];
  for (int k = 0; k < 2; k++) {
    const double mu = k ? force->friction : -force->friction;
    for (int j = 0; j < 2; j++) edge[k][j] = way * (shape->normal[j] + mu * shape->tangent[0][j]);
  }
  const double a = atan2(-edge[0][1], edge[0][0]), b = atan2(-edge[1][1], edge[1][0]);
  const double turn = remainder(b - a, 2 * acos(-1));
  cairo_new_path(pen->cairo);
  cairo_move_to(pen->cairo, at.x, at.y);
  if (turn > 0) cairo_arc(pen->cairo, at.x, at.y, radius, a, a + turn);
  else cairo_arc_negative(pen->cairo, at.x, at.y, radius, a, a + turn);
  cairo_close_path(pen->cairo);
  colour_of(pen, cone_colour, 0.25);
  cairo_fill(pen->cairo);
}

// A piece of ground with hatching on the side that the contact is not on.
static void draw_ground(const dls_stage *stage, dls_pen *pen, const dls_scene_force *force)
{
  const dls_shape *shape = force->shape;
  const dls_spot at = dls_stage_spot(stage, shape->point[0]);
  const dls_spot n = dls_stage_project(stage, shape->normal);
  const double length = hypot(n.x, n.y), half = 15, depth = 5, gap = 5;
  if (!(length > 0)) return;
  const double nx = n.x / length, ny = -n.y / length;  // on paper, y points down
  const double tx = -ny, ty = nx;
  dls_pen_colour(pen, 0x909090);
  cairo_set_line_width(pen->cairo, 0.8);
  cairo_move_to(pen->cairo, at.x - half * tx, at.y - half * ty);
  cairo_line_to(pen->cairo, at.x + half * tx, at.y + half * ty);
  for (int k = 0; k < 2 * half / gap; k++) {
    const double s = -half + (k + 0.5) * gap;
    cairo_move_to(pen->cairo, at.x + s * tx, at.y + s * ty);
    cairo_line_to(pen->cairo, at.x + (s - depth) * tx - depth * nx,
                  at.y + (s - depth) * ty - depth * ny);
  }
  cairo_stroke(pen->cairo);
}

void dls_scene_ground(const dls_stage *stage, dls_pen *pen, const dls_scene_force *force)
{
  if (!force->shape->visible) return;
  if (force->ground && force->unilateral && stage->scene->space == 2)
    draw_ground(stage, pen, force);
  if (!has_cone(stage, force)) return;
  draw_cone(stage, pen, force, 1);
  if (!force->unilateral) draw_cone(stage, pen, force, -1);
}

// ---- arrows -------------------------------------------------------------------------------------

void dls_scene_arrow(dls_pen *pen, dls_spot from, dls_spot to, unsigned colour)
{
  const double length = hypot(to.x - from.x, to.y - from.y);
  if (!(length > 0.5)) return;
  const double head = fmin(8, 0.6 * length), half = 0.4 * head;
  const double dx = (to.x - from.x) / length, dy = (to.y - from.y) / length;
  dls_pen_colour(pen, colour);
  cairo_set_line_width(pen->cairo, 2);
  cairo_move_to(pen->cairo, from.x, from.y);
  cairo_line_to(pen->cairo, to.x - 0.8 * head * dx, to.y - 0.8 * head * dy);
  cairo_stroke(pen->cairo);
  cairo_move_to(pen->cairo, to.x, to.y);
  cairo_line_to(pen->cairo, to.x - head * dx - half * dy, to.y - head * dy + half * dx);
  cairo_line_to(pen->cairo, to.x - head * dx + half * dy, to.y - head * dy - half * dx);
  cairo_close_path(pen->cairo);
  cairo_fill(pen->cairo);
}

// The end of a bar: a line across, or dots that lead on where there is no bound.
static void draw_end(dls_pen *pen, dls_spot at, dls_spot from, bool open)
{
  const double length = hypot(at.x - from.x, at.y - from.y);
  if (!(length > 0)) return;
  const double dx = (at.x - from.x) / length, dy = (at.y - from.y) / length;
  if (!open) {
    cairo_set_line_width(pen->cairo, 1.2);
    cairo_move_to(pen->cairo, at.x - 4 * dy, at.y + 4 * dx);
    cairo_line_to(pen->cairo, at.x + 4 * dy, at.y - 4 * dx);
    cairo_stroke(pen->cairo);
    return;
  }
  for (int k = 1; k <= 3; k++) {
    cairo_arc(pen->cairo, at.x + 5 * k * dx, at.y + 5 * k * dy, 1.3, 0, 2 * acos(-1));
    cairo_fill(pen->cairo);
  }
}

static void draw_component(const dls_stage *stage, dls_pen *pen, const dls_scene_force *force,
                           const component *c, unsigned colour)
{
  const dls_spot at = dls_stage_spot(stage, force->shape->point[0]);
  const dls_spot low = end_on_paper(stage, force, c, c->low);
  const dls_spot high = end_on_paper(stage, force, c, c->high);
  if (c->low == c->high) {
    dls_scene_arrow(pen, at, high, colour);
    return;
  }
  colour_of(pen, colour, 0.3);
  cairo_set_line_width(pen->cairo, 6);
  cairo_move_to(pen->cairo, low.x, low.y);
  cairo_line_to(pen->cairo, high.x, high.y);
  cairo_stroke(pen->cairo);
  dls_pen_colour(pen, colour);
  draw_end(pen, high, low, c->open_high);
  draw_end(pen, low, high, c->open_low);
  // what is sure
  if (c->low > 0) dls_scene_arrow(pen, at, low, colour);
  else if (c->high < 0) dls_scene_arrow(pen, at, high, colour);
}

void dls_scene_arrows(const dls_stage *stage, dls_pen *pen, const dls_scene_force *force)
{
  if (!force->shape->visible) return;
  cairo_save(pen->cairo);
  for (int k = components(force) - 1; k >= 0; k--) {
    const component c = component_of(stage, force, k);
    draw_component(stage, pen, force, &c, k == 0 ? dls_scene_normal : dls_scene_tangent);
  }
  const dls_spot at = dls_stage_spot(stage, force->shape->point[0]);
  dls_pen_colour(pen, 0x000000);
  cairo_arc(pen->cairo, at.x, at.y, 2, 0, 2 * acos(-1));
  cairo_fill(pen->cairo);
  cairo_restore(pen->cairo);
}

unsigned dls_scene_legend_of(const dls_stage *stage, const dls_scene_force *force)
{
  unsigned entries = 0;
  if (!force->shape->visible) return 0;
  for (int k = 0; k < components(force); k++) {
    const component c = component_of(stage, force, k);
    if (c.low == 0 && c.high == 0) continue;
    entries |= k == 0 ? DLS_LEGEND_NORMAL : DLS_LEGEND_TANGENT;
    if (c.low != c.high) entries |= DLS_LEGEND_RANGE;
  }
  return has_cone(stage, force) ? entries | DLS_LEGEND_CONE : entries;
}

// ---- names --------------------------------------------------------------------------------------

static void say(char *text, size_t size, const component *c, double unit)
{
  char low[32] = "−∞", high[32] = "∞";
  if (!c->open_low) (void)snprintf(low, sizeof low, "%.4g", unit * c->low + 0.0);
  if (!c->open_high) (void)snprintf(high, sizeof high, "%.4g", unit * c->high + 0.0);
  if (c->low == c->high) (void)snprintf(text, size, "%s", high);
  else (void)snprintf(text, size, "%s … %s", low, high);
}

// The name and the numbers, on the side from which the contact pushes.
void dls_scene_force_label(dls_stage *stage, dls_pen *pen, const dls_scene_force *force)
{
  char text[400];
  const dls_letters letters = {.size = DLS_FONT - 1};
  if (!force->shape->visible) return;
  int length = snprintf(text, sizeof text, "%.80s:", force->name);
  for (int k = 0; k < components(force) && length > 0; k++) {
    char number[80];
    const component c = component_of(stage, force, k);
    say(number, sizeof number, &c, length_of(c.direction));
    length += snprintf(text + length, sizeof text - (size_t)length, "%s %s", k ? "," : "", number);
  }
  const dls_spot n = dls_stage_project(stage, force->shape->normal);
  const double away = n.x != 0 || n.y != 0 ? atan2(-n.y, -n.x) : 0;
  dls_scene_label(stage, pen, dls_stage_spot(stage, force->shape->point[0]), away, text, letters);
}
