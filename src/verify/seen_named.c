#include "verify/seen_named.h"

#include "verify/intervals.h"

#include <math.h>
#include <string.h>

// What is known of a feature in the frame of its solid.
typedef struct builder {
  dls_pool *pool;
  const dls_solid *solid;
  dls_seen_feature *out;
} builder;

static dls_jet3 nowhere(const builder *b)
{
  return dls_jet3_zero(b->pool);
}

static dls_jet half_of(const builder *b, int axis)
{
  return dls_jet_scale(b->pool, dls_jet_data(b->pool, b->solid->size[axis]), 0.5);
}

// A sign at the end of a name that begins with `kind`: -1 or 1; 0: it is not that.
static int sign_after(const char *name, const char *kind)
{
  const size_t length = strlen(kind);
  if (strncmp(name, kind, length) != 0) return 0;
  return name[length] == '-' ? -1 : name[length] == '+' ? 1 : 0;
}

// Digits and nothing else, of a number below count; -1: it is not that.
static int number_in(const char *digits, size_t length, int count)
{
  int k = 0;
  for (size_t i = 0; i < length; i++) {
    if (digits[i] < '0' || digits[i] > '9' || k >= count) return -1;
    k = 10 * k + (digits[i] - '0');
  }
  const bool plain = length == 1 || (length > 1 && digits[0] != '0');
  return plain && k < count ? k : -1;
}

static bool starts(const char *name, const char *kind)
{
  return strncmp(name, kind, strlen(kind)) == 0;
}

// ---- capsules and cylinders --------------------------------------------------------------------

static bool round_side(builder *b)
{
  b->out->kind = DLS_SEEN_LINE;
  b->out->place = nowhere(b);
  b->out->axis = dls_jet3_axis(b->pool, 2);
  b->out->radius = dls_jet_data(b->pool, b->solid->size[0]);
  return true;
}

static dls_jet3 end_of(const builder *b, int sign)
{
  dls_jet3 x = nowhere(b);
  x.x[2] = dls_jet_scale(b->pool, half_of(b, 1), sign);
  return x;
}

static bool capsule(builder *b, const char *name)
{
  const int end = sign_after(name, "end");
  if (strcmp(name, "side") == 0) return round_side(b);
  if (end == 0 || name[4]) return false;
  b->out->kind = DLS_SEEN_POINT;
  b->out->place = end_of(b, end);
  b->out->radius = dls_jet_data(b->pool, b->solid->size[0]);
  return true;
}

enum { RIM_POINTS = 12 };

// At the angle pi k / 6.
static dls_jet3 rim_point(const builder *b, int end, int k)
{
  dls_pool *p = b->pool;
  dls_jet3 x = end_of(b, end);
  const mpfi_ptr angle = dls_real_new(p);
  mpfi_const_pi(angle);
  mpfi_mul_si(angle, angle, k % RIM_POINTS);
  mpfi_div_si(angle, angle, RIM_POINTS / 2);
  const dls_jet radius = dls_jet_data(p, b->solid->size[0]);
  dls_jet c, s;
  dls_jet_turn(p, dls_jet_of(p, angle), &c, &s);
  x.x[0] = dls_jet_mul(p, radius, c), x.x[1] = dls_jet_mul(p, radius, s);
  return x;
}

static bool on_rim(builder *b, const char *name, const char *kind)
{
  const int end = sign_after(name, kind);
  const char *digits = name + strlen(kind) + 1;
  const int k = end ? number_in(digits, strlen(digits), RIM_POINTS) : -1;
  if (k < 0) return false;
  b->out->kind = DLS_SEEN_POINT;
  b->out->place = rim_point(b, end, k);
  if (strcmp(kind, "chord") != 0) return true;
  b->out->kind = DLS_SEEN_LINE;
  const dls_jet3 next = rim_point(b, end, k + 1);
  b->out->axis = dls_jet3_unit(b->pool, dls_jet3_sub(b->pool, next, b->out->place));
  return true;
}

static bool cylinder(builder *b, const char *name)
{
  const int rim = sign_after(name, "rim"), cap = sign_after(name, "cap");
  if (strcmp(name, "side") == 0) return round_side(b);
  if (rim && name[4]) return on_rim(b, name, "rim");
  if (!rim && !cap) return on_rim(b, name, "chord");
  if (name[4]) return false;
  const int end = rim ? rim : cap;
  b->out->kind = rim ? DLS_SEEN_RIM : DLS_SEEN_FLAT;
  b->out->place = end_of(b, end);
  b->out->axis = dls_jet3_scale(b->pool, dls_jet3_axis(b->pool, 2), end);
  if (rim) b->out->radius = dls_jet_data(b->pool, b->solid->size[0]);
  return true;
}

// ---- boxes and hulls ---------------------------------------------------------------------------

static bool box(builder *b, const char *name)
{
  static const char *const kinds[] = {"corner", "edge", "face"};
  const size_t length = strlen(name);
  int sign[3], zeros = 0, middle = 0, outward = 0;
  if (length < 4) return false;
  for (int i = 0; i < 3; i++) {
    const char c = name[length - 3 + (size_t)i];
    if (c != '-' && c != '0' && c != '+') return false;
    sign[i] = c == '+' ? 1 : c == '-' ? -1 : 0;
    if (sign[i] == 0) zeros++, middle = i;
    else outward = i;
  }
  if (zeros == 3 || strlen(kinds[zeros]) != length - 3 || !starts(name, kinds[zeros])) return false;
  b->out->kind = zeros == 0 ? DLS_SEEN_POINT : zeros == 1 ? DLS_SEEN_LINE : DLS_SEEN_FLAT;
  b->out->place = nowhere(b);
  for (int i = 0; i < 3; i++)
    if (sign[i] != 0) b->out->place.x[i] = dls_jet_scale(b->pool, half_of(b, i), sign[i]);
  if (zeros == 1) b->out->axis = dls_jet3_axis(b->pool, middle);
  if (zeros == 2)
    b->out->axis = dls_jet3_scale(b->pool, dls_jet3_axis(b->pool, outward), sign[outward]);
  return true;
}

static dls_jet3 vertex(const builder *b, int k)
{
  return dls_jet3_data(b->pool, b->solid->vertex + (ptrdiff_t)3 * k);
}

// Twice its area along the normal, by Newell; and the mean of its vertices.
static bool hull_face(builder *b, int f)
{
  dls_pool *p = b->pool;
  const int *loop = b->solid->face + b->solid->first[f];
  const int count = b->solid->first[f + 1] - b->solid->first[f];
  const dls_jet3 origin = vertex(b, loop[0]);
  dls_jet3 area = nowhere(b), sum = nowhere(b);
  for (int k = 0; k < count; k++) {
    const dls_jet3 from = dls_jet3_sub(p, vertex(b, loop[k]), origin);
    const dls_jet3 to = dls_jet3_sub(p, vertex(b, loop[(k + 1) % count]), origin);
    area = dls_jet3_add(p, area, dls_jet3_cross(p, from, to));
    sum = dls_jet3_add(p, sum, from);
  }
  const dls_jet part =
      dls_jet_div(p, dls_jet_of(p, dls_real_exact(p, 1)), dls_jet_of(p, dls_real_exact(p, count)));
  b->out->kind = DLS_SEEN_FLAT;
  b->out->axis = dls_jet3_unit(p, area);
  b->out->place = dls_jet3_add(p, origin, dls_jet3_mul(p, sum, part));
  return true;
}

// Vertices i and j, one after the other on some face.
static bool is_edge(const dls_solid *s, int i, int j)
{
  for (int f = 0; f < s->faces; f++) {
    const int count = s->first[f + 1] - s->first[f];
    const int *loop = s->face + s->first[f];
    for (int k = 0; k < count; k++)
      if (loop[k] == i && loop[(k + 1) % count] == j) return true;
  }
  return false;
}

static bool hull_edge(builder *b, const char *name)
{
  const char *dash = strchr(name, '-');
  const int i = dash ? number_in(name, (size_t)(dash - name), b->solid->vertices) : -1;
  const int j = dash ? number_in(dash + 1, strlen(dash + 1), b->solid->vertices) : -1;
  if (i < 0 || j <= i || !(is_edge(b->solid, i, j) || is_edge(b->solid, j, i))) return false;
  b->out->kind = DLS_SEEN_LINE;
  b->out->place = vertex(b, i);
  b->out->axis = dls_jet3_unit(b->pool, dls_jet3_sub(b->pool, vertex(b, j), b->out->place));
  return true;
}

static bool hull(builder *b, const char *name)
{
  const dls_solid *s = b->solid;
  if (starts(name, "edge")) return hull_edge(b, name + 4);
  if (starts(name, "face")) {
    const int f = number_in(name + 4, strlen(name + 4), s->faces);
    return f >= 0 && hull_face(b, f);
  }
  const int v = starts(name, "vertex") ? number_in(name + 6, strlen(name + 6), s->vertices) : -1;
  if (v < 0) return false;
  b->out->kind = DLS_SEEN_POINT;
  b->out->place = vertex(b, v);
  return true;
}

// ---- all ---------------------------------------------------------------------------------------

static bool plain(builder *b, const char *name)
{
  dls_seen_feature *out = b->out;
  out->place = nowhere(b);
  out->axis = dls_jet3_axis(b->pool, 2);
  switch (b->solid->kind) {
  case DLS_SOLID_PLANE: out->kind = DLS_SEEN_FLAT; break;
  case DLS_SOLID_SPHERE:
    out->kind = DLS_SEEN_POINT;
    out->radius = dls_jet_data(b->pool, b->solid->size[0]);
    break;
  default:
    out->kind = DLS_SEEN_OVAL;
    for (int i = 0; i < 3; i++) {
      out->half[i] = dls_jet_data(b->pool, b->solid->size[i]);
      out->own.column[i] = dls_jet3_axis(b->pool, i);
    }
  }
  return !name[0];
}

// Flats measure tangents from the x axis of the solid, or from y where x is nearly their normal.
static dls_jet3 level_of(const builder *b)
{
  static const double steep = 0.9;
  const bool steep_x = fabs(dls_middle(b->out->axis.x[0].d[0])) > steep;
  return dls_jet3_axis(b->pool, steep_x ? 1 : 0);
}

static void to_world(dls_pool *p, const dls_jet_frame *frame, dls_seen_feature *f)
{
  f->place = dls_jet_frame_point(p, frame, f->place);
  f->axis = dls_jet33_apply(p, &frame->R, f->axis);
  f->level = dls_jet33_apply(p, &frame->R, f->level);
  if (f->kind == DLS_SEEN_OVAL) f->own = dls_jet33_mul(p, &frame->R, &f->own);
}

bool dls_seen_feature_named(const dls_posture *posture, const dls_solid *solid, const char *name,
                            dls_seen_feature *out)
{
  builder b = {posture->pool, solid, out};
  *out = (dls_seen_feature){.axis = nowhere(&b),
                            .radius = dls_jet_of(posture->pool, posture->pool->zero)};
  bool known = false;
  switch (solid->kind) {
  case DLS_SOLID_PLANE:
  case DLS_SOLID_SPHERE:
  case DLS_SOLID_ELLIPSOID: known = plain(&b, name); break;
  case DLS_SOLID_CAPSULE: known = capsule(&b, name); break;
  case DLS_SOLID_CYLINDER: known = cylinder(&b, name); break;
  case DLS_SOLID_BOX: known = box(&b, name); break;
  case DLS_SOLID_HULL: known = hull(&b, name); break;
  }
  if (!known) return false;
  out->level = level_of(&b);
  const dls_jet_frame frame = dls_posture_frame(posture, solid->body, &solid->pose);
  to_world(posture->pool, &frame, out);
  return true;
}
