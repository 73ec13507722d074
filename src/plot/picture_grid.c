// Grids in a frame: regions of equal answers by their outlines, fields of numbers as an image.
#include "plot/picture_panel.h"

#include "base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// More runs than this are noise rather than regions, and an image shows them in less space.
enum { RUNS_MAX = 60000, IMAGE_SIDE = 800 };

// Where the edge before cell i of n lies, 0 … 1: half way between points of which the first and the
// last stand at the ends, or side by side on an axis of names.
static double edge(int i, int n, bool named)
{
  if (i <= 0) return 0;
  if (i >= n) return 1;
  return named ? (double)i / n : (i - 0.5) / (n - 1);
}

typedef struct mask {
  const dls_regions *regions;
  int low, high;  // the categories that count as inside
  bool *seen;     // lower edges of cells that belong to an outline already
} mask;

static bool inside(const mask *m, int i, int j)
{
  const dls_regions *r = m->regions;
  if (i < 0 || j < 0 || i >= r->nx || j >= r->ny) return false;
  const int category = r->cell[(size_t)j * (size_t)r->nx + (size_t)i];
  return category >= m->low && category <= m->high;
}

static void add_corner(const dls_panel *p, dls_pen *pen, int i, int j, bool first)
{
  const dls_regions *r = p->plot->regions;
  const dls_box f = p->frame;
  const double x = f.x + edge(i, r->nx, p->plot->x.names) * f.width;
  const double y = f.y + (1 - edge(j, r->ny, p->plot->y.names)) * f.height;
  if (first) cairo_move_to(pen->cairo, x, y);
  else cairo_line_to(pen->cairo, x, y);
}

// Walks along the outline from the lower left corner of cell (i, j), with the inside on the left.
static void add_outline(const dls_panel *p, dls_pen *pen, const mask *m, int i, int j)
{
  // east, north, west, south: the step, and the cells ahead on the left and on the right of a
  // corner
  static const int dx[] = {1, 0, -1, 0}, dy[] = {0, 1, 0, -1};
  static const int left_x[] = {0, -1, -1, 0}, left_y[] = {0, 0, -1, -1};
  const int start_i = i, start_j = j, nx = m->regions->nx;
  int heading = 0;
  add_corner(p, pen, i, j, true);
  do {
    if (heading == 0) m->seen[(size_t)j * (size_t)nx + (size_t)i] = true;
    i += dx[heading];
    j += dy[heading];
    const int right = (heading + 3) % 4;
    int next = heading;
    if (!inside(m, i + left_x[heading], j + left_y[heading])) next = (heading + 1) % 4;
    else if (inside(m, i + left_x[right], j + left_y[right])) next = right;
    if (next != heading) add_corner(p, pen, i, j, false);
    heading = next;
  } while (i != start_i || j != start_j || heading != 0);
  cairo_close_path(pen->cairo);
}

// Adds the cells with low <= category <= high to cairo's path, neighbours as one region.
static void add_cells(const dls_panel *p, dls_pen *pen, int low, int high, bool *seen)
{
  const dls_regions *r = p->plot->regions;
  const mask m = {.regions = r, .low = low, .high = high, .seen = seen};
  memset(seen, 0, (size_t)r->nx * (size_t)r->ny);
  for (int j = 0; j < r->ny; j++)
    for (int i = 0; i < r->nx; i++)
      if (inside(&m, i, j) && !inside(&m, i, j - 1) && !seen[(size_t)j * (size_t)r->nx + (size_t)i])
        add_outline(p, pen, &m, i, j);
}

static long count_runs(const dls_regions *r)
{
  long runs = 0;
  for (int j = 0; j < r->ny; j++) {
    const unsigned char *row = r->cell + (size_t)j * (size_t)r->nx;
    for (int i = 0; i < r->nx; i++) runs += i == 0 || row[i] != row[i - 1];
  }
  return runs;
}

// Pixels per cell along a side of n cells: an image of one pixel per cell would be blurred by
// programs that enlarge it.
static int pixels_per_cell(int n)
{
  return n < IMAGE_SIDE ? (IMAGE_SIDE + n - 1) / n : 1;
}

// The grid as an image, its first row at the bottom; NULL when memory runs out.
static cairo_surface_t *make_image(const dls_panel *p, int nx, int ny,
                                   uint32_t (*colour)(const dls_panel *, size_t))
{
  const int zoom_x = pixels_per_cell(nx), zoom_y = pixels_per_cell(ny);
  cairo_surface_t *image =
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, nx * zoom_x, ny * zoom_y);
  if (cairo_surface_status(image) != CAIRO_STATUS_SUCCESS) {
    cairo_surface_destroy(image);
    return NULL;
  }
  unsigned char *row = cairo_image_surface_get_data(image);
  const size_t stride = (size_t)cairo_image_surface_get_stride(image);
  for (int j = ny - 1; j >= 0; j--) {
    for (int i = 0; i < nx * zoom_x; i++) {
      const uint32_t pixel = colour(p, (size_t)j * (size_t)nx + (size_t)(i / zoom_x));
      memcpy(row + 4 * (size_t)i, &pixel, 4);
    }
    for (int k = 1; k < zoom_y; k++) memcpy(row + (size_t)k * stride, row, stride);
    row += (size_t)zoom_y * stride;
  }
  cairo_surface_mark_dirty(image);
  return image;
}

static dls_status draw_image(const dls_panel *p, dls_pen *pen, int nx, int ny,
                             uint32_t (*colour)(const dls_panel *, size_t))
{
  cairo_surface_t *image = make_image(p, nx, ny, colour);
  if (!image) return DLS_ERR_MEMORY;
  // of points at both ends only the inner half of the outer cells is seen
  const double width = cairo_image_surface_get_width(image);
  const double height = cairo_image_surface_get_height(image);
  const double cut_x = nx > 1 && !p->plot->x.names ? width / nx / 2 : 0;
  const double cut_y = ny > 1 && !p->plot->y.names ? height / ny / 2 : 0;
  const dls_box f = p->frame;
  cairo_t *cairo = pen->cairo;
  cairo_save(cairo);
  cairo_translate(cairo, f.x, f.y);
  cairo_scale(cairo, f.width / (width - 2 * cut_x), f.height / (height - 2 * cut_y));
  cairo_set_source_surface(cairo, image, -cut_x, -cut_y);
  cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
  cairo_paint(cairo);
  cairo_restore(cairo);
  cairo_surface_destroy(image);
  return DLS_OK;
}

static uint32_t category_colour(const dls_panel *p, size_t k)
{
  const dls_regions *r = p->plot->regions;
  return 0xFF000000u | r->category[r->cell[k]].colour;
}

// Category after category, each over the ones before and below the ones after: under every border
// lies the colour of the neighbour, so that no gap can shine through.
dls_status dls_draw_regions(const dls_panel *p, dls_pen *pen)
{
  const dls_regions *r = p->plot->regions;
  if (count_runs(r) > RUNS_MAX) return draw_image(p, pen, r->nx, r->ny, category_colour);
  bool *seen = dls_alloc((ptrdiff_t)r->nx * r->ny, sizeof *seen);
  if (!seen) return DLS_ERR_MEMORY;
  cairo_set_antialias(pen->cairo, CAIRO_ANTIALIAS_NONE);
  bool present[256] = {false};
  for (size_t k = 0; k < (size_t)r->nx * (size_t)r->ny; k++) present[r->cell[k]] = true;
  for (int c = 0; c < r->categories; c++) {
    if (!present[c]) continue;
    add_cells(p, pen, c, 255, seen);
    dls_pen_colour(pen, r->category[c].colour);
    cairo_fill(pen->cairo);
  }
  for (int c = 0; c < r->categories; c++) {
    if (!present[c] || !r->category[c].hatched) continue;
    cairo_save(pen->cairo);
    add_cells(p, pen, c, c, seen);
    cairo_clip(pen->cairo);
    cairo_set_antialias(pen->cairo, CAIRO_ANTIALIAS_DEFAULT);
    dls_pen_hatch(pen, p->frame);
    cairo_restore(pen->cairo);
  }
  cairo_set_antialias(pen->cairo, CAIRO_ANTIALIAS_DEFAULT);
  free(seen);
  return DLS_OK;
}

// What is no number stays transparent, and shows the hatching below; what is unbounded is light.
static uint32_t number_colour(const dls_panel *p, size_t k)
{
  const double value = p->plot->field->value[k];
  if (isnan(value)) return 0;
  if (isinf(value)) return 0xFFEDEDED;
  const double place = dls_scale_place(&p->colours, value);
  return isfinite(place) ? 0xFF000000u | dls_colour_number(place) : 0;
}

dls_status dls_draw_field(const dls_panel *p, dls_pen *pen)
{
  const dls_field *field = p->plot->field;
  if (p->has_nan) dls_pen_hatch(pen, p->frame);
  return draw_image(p, pen, field->nx, field->ny, number_colour);
}
