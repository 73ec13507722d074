// Pictures: checks what is given, lays the plots out, and draws them into memory or a file.
#define _POSIX_C_SOURCE 200809L
#include <delassus/picture.h>

#include "base/format.h"
#include "base/memory.h"
#include "base/message.h"
#include "plot/picture_panel.h"
#include "plot/picture_surface.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLOTS_MAX = 64, CELLS_MAX = 1 << 24, PIXELS_MAX = 30000, SIDE_MAX = 20000 };
static const double border = 12, between = 18;
static const dls_letters title = {.size = 13, .bold = true, .align = 0.5};
static const dls_letters subtitle = {.size = DLS_FONT, .align = 0.5};

void dls_picture_data_free(char *data)
{
  free(data);
}

// ---- what is given ------------------------------------------------------------------------------

static dls_status check_axis(const dls_axis *axis, const char *name, dls_message *message)
{
  if (axis->names && axis->name_count < 1)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the %s axis has names, but their count is %d", name,
                    axis->name_count);
  for (int i = 0; axis->names && i < axis->name_count; i++)
    if (!axis->names[i])
      return dls_fail(message, DLS_ERR_ARGUMENT, "name %d of the %s axis is missing", i, name);
  if (axis->names) return DLS_OK;
  if (!isfinite(axis->low) || !isfinite(axis->high) || axis->low > axis->high)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the %s axis needs finite low <= high", name);
  if (axis->logarithmic && axis->low < axis->high && !(axis->low > 0))
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "the %s axis is logarithmic, so low must be positive", name);
  return DLS_OK;
}

static dls_status check_size(int nx, int ny, const char *what, dls_message *message)
{
  if (nx < 1 || ny < 1) return dls_fail(message, DLS_ERR_ARGUMENT, "%s need nx, ny >= 1", what);
  if ((long long)nx * ny > CELLS_MAX || nx > PIXELS_MAX || ny > PIXELS_MAX)
    return dls_fail(message, DLS_ERR_LIMIT, "%s have too many cells", what);
  return DLS_OK;
}

static dls_status check_regions(const dls_regions *r, dls_message *message)
{
  const dls_status status = check_size(r->nx, r->ny, "regions", message);
  if (status != DLS_OK) return status;
  if (!r->cell || !r->category || r->categories < 1 || r->categories > 256)
    return dls_fail(message, DLS_ERR_ARGUMENT, "regions need cells and 1 to 256 categories");
  for (size_t k = 0; k < (size_t)r->nx * (size_t)r->ny; k++)
    if (r->cell[k] >= r->categories)
      return dls_fail(message, DLS_ERR_ARGUMENT, "cell %zu of the regions has no category", k);
  return DLS_OK;
}

static dls_status check_field(const dls_field *f, dls_message *message)
{
  const dls_status status = check_size(f->nx, f->ny, "fields", message);
  if (status != DLS_OK) return status;
  if (!f->value) return dls_fail(message, DLS_ERR_ARGUMENT, "the field has no values");
  const dls_axis colours = {.low = f->low, .high = f->high, .logarithmic = f->logarithmic};
  return check_axis(&colours, "colour", message);
}

static dls_status check_plot(const dls_plot *p, dls_message *message)
{
  if (!(p->width >= 0 && p->width <= SIDE_MAX && p->height >= 0 && p->height <= SIDE_MAX))
    return dls_fail(message, DLS_ERR_ARGUMENT, "a plot's width and height lie between 0 and %d",
                    SIDE_MAX);
  if (p->regions && p->field)
    return dls_fail(message, DLS_ERR_ARGUMENT, "a plot has regions or a field, not both");
  if (p->curves < 0 || (p->curves > 0 && !p->curve))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the curves of a plot are missing");
  dls_status status = check_axis(&p->x, "x", message);
  if (status == DLS_OK) status = check_axis(&p->y, "y", message);
  if (status == DLS_OK && p->regions) status = check_regions(p->regions, message);
  if (status == DLS_OK && p->field) status = check_field(p->field, message);
  for (int k = 0; k < p->curves && status == DLS_OK; k++) {
    const dls_curve *c = &p->curve[k];
    if (c->count < 0 || (c->count > 0 && (!c->x || !c->y)))
      status = dls_fail(message, DLS_ERR_ARGUMENT, "curve %d of a plot has no points", k);
  }
  return status;
}

static dls_status check_picture(const dls_picture *p, dls_message *message)
{
  if (!p || p->plots < 1 || !p->plot)
    return dls_fail(message, DLS_ERR_ARGUMENT, "a picture needs a plot");
  if (p->plots > PLOTS_MAX)
    return dls_fail(message, DLS_ERR_LIMIT, "a picture has at most %d plots", PLOTS_MAX);
  if (p->columns < 0 || !(p->resolution >= 0 && p->resolution <= 100))
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "a picture's columns and resolution must not be negative");
  dls_status status = DLS_OK;
  for (int k = 0; k < p->plots && status == DLS_OK; k++) status = check_plot(&p->plot[k], message);
  return status;
}

// ---- layout -------------------------------------------------------------------------------------

typedef struct sheet {
  const dls_picture *picture;
  dls_panel *panel;
  int columns;
  double width, height, heading;  // heading: where the plots begin
} sheet;

// Frames of a column begin at the same x and frames of a row at the same y.
static void place_panels(sheet *s)
{
  const int count = s->picture->plots, columns = s->columns;
  double x = border;
  for (int c = 0; c < columns; c++) {
    double left = 0, rest = 0;
    for (int k = c; k < count; k += columns) {
      left = fmax(left, s->panel[k].left);
      rest = fmax(rest, s->panel[k].frame.width + s->panel[k].right);
    }
    for (int k = c; k < count; k += columns) s->panel[k].frame.x = x + left;
    x += left + rest + (c + 1 < columns ? between : 0);
  }
  s->width = ceil(x + border);

  double y = 0;
  for (int first = 0; first < count; first += columns) {
    double top = 0, rest = 0;
    for (int k = first; k < first + columns && k < count; k++) {
      top = fmax(top, s->panel[k].top);
      rest = fmax(rest, s->panel[k].frame.height + s->panel[k].bottom);
    }
    for (int k = first; k < first + columns && k < count; k++) s->panel[k].frame.y = y + top;
    y += top + rest + (first + columns < count ? between / 2 : 0);
  }
  s->height = y;
}

// The title and the subtitle above all; returns the height. Their lines are as wide as the picture.
static double draw_heading(const sheet *s, dls_pen *pen, bool draw)
{
  const double middle = s->width / 2, width = s->width - 2 * border;
  double y = border;
  dls_pen_colour(pen, 0x000000);
  if (s->picture->title) y += dls_pen_lines(pen, middle, y, width, s->picture->title, title, draw);
  dls_pen_colour(pen, 0x404040);
  if (s->picture->subtitle && s->picture->subtitle[0])
    y += 2 + dls_pen_lines(pen, middle, y + 2, width, s->picture->subtitle, subtitle, draw);
  return y > border ? y + 4 : y;
}

static dls_status lay_out(sheet *s)
{
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
  dls_pen pen = dls_pen_begin(surface);
  dls_status status = DLS_OK;
  for (int k = 0; k < s->picture->plots && status == DLS_OK; k++)
    status = dls_panel_measure(&s->panel[k], &s->picture->plot[k], &pen);
  if (status == DLS_OK) {
    place_panels(s);
    s->heading = draw_heading(s, &pen, false);
    for (int k = 0; k < s->picture->plots; k++) s->panel[k].frame.y += s->heading;
    s->height = ceil(s->height + s->heading + border / 2);
  }
  status = dls_pen_outcome(&pen, status);
  cairo_destroy(pen.cairo);
  cairo_surface_destroy(surface);
  return status;
}

// ---- drawing ------------------------------------------------------------------------------------

static dls_status draw_sheet(const void *self, dls_pen *pen)
{
  const sheet *s = self;
  draw_heading(s, pen, true);
  dls_status status = DLS_OK;
  for (int k = 0; k < s->picture->plots && status == DLS_OK; k++)
    status = dls_panel_draw(&s->panel[k], pen);
  return status;
}

dls_status dls_picture_draw(const dls_picture *picture, dls_picture_form form, char **data,
                            size_t *size, dls_message *message)
{
  if (message) message->text[0] = 0;
  if (!data || !size) return DLS_ERR_ARGUMENT;
  *data = NULL;
  *size = 0;
  dls_status status = check_picture(picture, message);
  if (status != DLS_OK) return status;

  sheet s = {.picture = picture, .panel = dls_alloc(picture->plots, sizeof *s.panel)};
  if (!s.panel) return DLS_ERR_MEMORY;
  const int wanted = picture->columns > 0 ? picture->columns : 1;
  s.columns = wanted < picture->plots ? wanted : picture->plots;
  status = lay_out(&s);
  const dls_surface surface = {s.width, s.height, picture->resolution, form};
  if (status == DLS_OK) status = dls_surface_draw(&surface, draw_sheet, &s, data, size, message);
  for (int k = 0; k < picture->plots; k++) dls_panel_free(&s.panel[k]);
  free(s.panel);
  return status;
}

// ---- files --------------------------------------------------------------------------------------

static bool ends_in(const char *path, const char *ending)
{
  const size_t n = strlen(path), m = strlen(ending);
  return n > m && strcmp(path + n - m, ending) == 0;
}

static bool write_all(int descriptor, const char *data, size_t size)
{
  while (size > 0) {
    const ssize_t done = write(descriptor, data, size);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    data += done;
    size -= (size_t)done;
  }
  return true;
}

// Beside its place first, then renamed.
static dls_status write_file(const char *path, const char *data, size_t size, dls_message *message)
{
  dls_text part = {0};
  dls_text_add(&part, "%s.%ld.part", path, (long)getpid());
  if (part.failed) return DLS_ERR_MEMORY;
  const int descriptor = open(part.data, O_WRONLY | O_CREAT | O_EXCL, 0666);
  bool good = descriptor >= 0 && write_all(descriptor, data, size);
  int why = errno;
  if (descriptor >= 0 && close(descriptor) != 0 && good) good = false, why = errno;
  if (good && rename(part.data, path) != 0) good = false, why = errno;
  if (!good && descriptor >= 0) (void)unlink(part.data);
  dls_text_free(&part);
  return good ? DLS_OK
              : dls_fail(message, DLS_ERR_FILE, "cannot write %s: %s", path, dls_error_words(why));
}

dls_status dls_picture_save(const dls_picture *picture, const char *path, dls_message *message)
{
  if (message) message->text[0] = 0;
  if (!path || (!ends_in(path, ".svg") && !ends_in(path, ".png")))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the file of a picture ends in .svg or .png");
  char *data = NULL;
  size_t size = 0;
  dls_status status =
      dls_picture_draw(picture, ends_in(path, ".png") ? DLS_PNG : DLS_SVG, &data, &size, message);
  if (status == DLS_OK) status = write_file(path, data, size, message);
  dls_picture_data_free(data);
  return status;
}
