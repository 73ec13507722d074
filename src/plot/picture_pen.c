#include "plot/picture_pen.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 400, LINES = 3 };
static const double raised_size = 0.75, raised_by = 0.38;  // of the size of the letters
static const char ellipsis[] = "…";

void dls_pen_colour(dls_pen *pen, unsigned colour)
{
  cairo_set_source_rgb(pen->cairo, (colour >> 16 & 0xFF) / 255.0, (colour >> 8 & 0xFF) / 255.0,
                       (colour & 0xFF) / 255.0);
}

static void take_font(dls_pen *pen, dls_letters letters)
{
  cairo_select_font_face(pen->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         letters.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(pen->cairo, letters.size);
}

static double measure(dls_pen *pen, const char *text)
{
  cairo_text_extents_t extents = {0};
  cairo_text_extents(pen->cairo, text, &extents);
  return extents.x_advance;
}

// Removes the last character.
static void shorten(dls_text *text)
{
  while (text->length > 0 && ((unsigned char)text->data[text->length - 1] & 0xC0) == 0x80)
    text->length--;
  if (text->length > 0) text->length--;
  while (text->length > 0 && text->data[text->length - 1] == ' ') text->length--;
  text->data[text->length] = 0;
}

// The text as it is drawn, with the font taken; NULL when memory runs out. Free `made`.
static const char *prepare(dls_pen *pen, const char *text, dls_letters letters, double most,
                           dls_text *made)
{
  *made = (dls_text){0};
  dls_text_clean(made, text ? text : "", COLUMNS);
  take_font(pen, letters);
  bool cut = false;
  while (!made->failed && made->length > 0 && measure(pen, made->data) > most) {
    if (cut) made->length -= sizeof ellipsis - 1;
    shorten(made);
    cut = made->length > 0;
    if (cut) dls_text_add(made, "%s", ellipsis);
  }
  if (made->failed) pen->failed = true;
  return made->failed ? NULL : made->data ? made->data : "";
}

double dls_pen_width(dls_pen *pen, const char *text, dls_letters letters, double most)
{
  dls_text made;
  const char *drawn = prepare(pen, text, letters, most, &made);
  const double width = drawn ? measure(pen, drawn) : 0;
  dls_text_free(&made);
  return width;
}

double dls_pen_text(dls_pen *pen, double x, double y, const char *text, dls_letters letters,
                    double most)
{
  dls_text made;
  const char *drawn = prepare(pen, text, letters, most, &made);
  const double width = drawn ? measure(pen, drawn) : 0;
  if (drawn) {
    cairo_move_to(pen->cairo, x - letters.align * width, y);
    cairo_show_text(pen->cairo, drawn);
    cairo_new_path(pen->cairo);
  }
  dls_text_free(&made);
  return width;
}

// How many bytes at the start of the words fit into a line; at least the first word.
static size_t line_length(dls_pen *pen, const char *words, double width)
{
  size_t taken = strcspn(words, " ");
  while (words[taken]) {
    const size_t next = taken + strspn(words + taken, " ");
    const size_t end = next + strcspn(words + next, " ");
    dls_text line = {0};
    dls_text_put(&line, words, end);
    if (line.failed) pen->failed = true;
    const bool fits = !line.failed && measure(pen, line.data) <= width;
    dls_text_free(&line);
    if (!fits) break;
    taken = end;
  }
  return taken;
}

double dls_pen_lines(dls_pen *pen, double x, double y, double width, const char *text,
                     dls_letters letters, bool draw)
{
  dls_text whole;
  const char *rest = prepare(pen, text, letters, HUGE_VAL, &whole);
  const double leading = 1.3 * letters.size;
  double height = 0;
  for (int i = 0; rest && *rest && i < LINES && !pen->failed; i++) {
    size_t length = i == LINES - 1 ? strlen(rest) : line_length(pen, rest, width);
    dls_text line = {0};
    dls_text_put(&line, rest, length);
    height += leading;
    if (line.failed) pen->failed = true;
    else if (draw) dls_pen_text(pen, x, y + height - 0.3 * letters.size, line.data, letters, width);
    dls_text_free(&line);
    rest += length;
    rest += strspn(rest, " ");
  }
  dls_text_free(&whole);
  return height;
}

double dls_pen_number_width(dls_pen *pen, const dls_tick *tick, double size)
{
  const dls_letters letters = {.size = size}, raised = {.size = raised_size * size};
  double width = dls_pen_width(pen, tick->text, letters, HUGE_VAL);
  if (tick->exponent[0]) width += dls_pen_width(pen, tick->exponent, raised, HUGE_VAL);
  return width;
}

void dls_pen_number(dls_pen *pen, double x, double y, const dls_tick *tick, dls_letters letters)
{
  const dls_letters plain = {.size = letters.size}, raised = {.size = raised_size * letters.size};
  x -= letters.align * dls_pen_number_width(pen, tick, letters.size);
  x += dls_pen_text(pen, x, y, tick->text, plain, HUGE_VAL);
  if (tick->exponent[0])
    dls_pen_text(pen, x, y - raised_by * letters.size, tick->exponent, raised, HUGE_VAL);
}

void dls_pen_hatch(dls_pen *pen, dls_box box)
{
  const double gap = 5;
  cairo_save(pen->cairo);
  dls_pen_colour(pen, 0x909090);
  cairo_set_line_width(pen->cairo, 0.8);
  const int count = (int)((box.width + box.height) / gap);
  for (int i = 0; i <= count; i++) {
    const double d = fmin((i + 0.5) * gap, box.width + box.height);
    // from the left or lower edge to the upper or right one
    const double from = fmax(0, d - box.height), to = fmin(d, box.width);
    cairo_move_to(pen->cairo, box.x + from, box.y + d - from);
    cairo_line_to(pen->cairo, box.x + to, box.y + d - to);
  }
  cairo_stroke(pen->cairo);
  cairo_restore(pen->cairo);
}
