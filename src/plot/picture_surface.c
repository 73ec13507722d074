#include "plot/picture_surface.h"

#include "base/message.h"
#include "base/text.h"

#include <cairo-svg.h>
#include <math.h>

enum { PIXELS_MAX = 30000 };

dls_pen dls_pen_begin(cairo_surface_t *surface)
{
  dls_pen pen = {.cairo = cairo_create(surface)};
  // the same widths at every resolution
  cairo_font_options_t *options = cairo_font_options_create();
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(pen.cairo, options);
  cairo_font_options_destroy(options);
  return pen;
}

dls_status dls_pen_outcome(const dls_pen *pen, dls_status status)
{
  if (status != DLS_OK) return status;
  if (pen->failed || cairo_status(pen->cairo) == CAIRO_STATUS_NO_MEMORY) return DLS_ERR_MEMORY;
  return cairo_status(pen->cairo) == CAIRO_STATUS_SUCCESS ? DLS_OK : DLS_ERR_SOLVER;
}

static cairo_status_t take_bytes(void *data, const unsigned char *bytes, unsigned count)
{
  dls_text *text = data;
  dls_text_put(text, (const char *)bytes, count);
  return text->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

typedef dls_status drawer(const void *self, dls_pen *pen);

static dls_status draw_on(cairo_surface_t *surface, double resolution, drawer *draw,
                          const void *self)
{
  dls_pen pen = dls_pen_begin(surface);
  cairo_scale(pen.cairo, resolution, resolution);
  dls_pen_colour(&pen, 0xFFFFFF);
  cairo_paint(pen.cairo);
  const dls_status status = dls_pen_outcome(&pen, draw(self, &pen));
  cairo_destroy(pen.cairo);
  return status;
}

static dls_status draw_svg(const dls_surface *s, drawer *draw, const void *self, dls_text *out)
{
  cairo_surface_t *surface =
      cairo_svg_surface_create_for_stream(take_bytes, out, s->width, s->height);
  dls_status status = draw_on(surface, 1, draw, self);
  cairo_surface_finish(surface);
  if (status == DLS_OK && cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS)
    status = DLS_ERR_MEMORY;
  cairo_surface_destroy(surface);
  return status;
}

static dls_status draw_png(const dls_surface *s, drawer *draw, const void *self, dls_text *out,
                           dls_message *message)
{
  const double resolution = s->resolution > 0 ? s->resolution : 2;
  const double width = ceil(s->width * resolution), height = ceil(s->height * resolution);
  if (width > PIXELS_MAX || height > PIXELS_MAX)
    return dls_fail(message, DLS_ERR_LIMIT, "the picture would have %.0f by %.0f pixels", width,
                    height);
  cairo_surface_t *surface =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
  dls_status status = draw_on(surface, resolution, draw, self);
  if (status == DLS_OK &&
      cairo_surface_write_to_png_stream(surface, take_bytes, out) != CAIRO_STATUS_SUCCESS)
    status = DLS_ERR_MEMORY;
  cairo_surface_destroy(surface);
  return status;
}

dls_status dls_surface_draw(const dls_surface *surface, drawer *draw, const void *self, char **data,
                            size_t *size, dls_message *message)
{
  dls_text out = {0};
  dls_status status = surface->form == DLS_PNG ? draw_png(surface, draw, self, &out, message)
                                               : draw_svg(surface, draw, self, &out);
  if (out.failed) status = DLS_ERR_MEMORY;
  if (status != DLS_OK) {
    dls_text_free(&out);
    return status;
  }
  *data = out.data;
  *size = out.length;
  return DLS_OK;
}
