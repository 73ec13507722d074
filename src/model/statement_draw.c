// What a mechanism looks like:
//
//   draw segment P, P      draw spring P, P     draw disc P, r     draw box P, lx, ly [, angle]
//   draw path P            draw text P, "..."   draw view V        { fill; dashed; colour 1; width
//   2 } draw force NAME at P [, Q] [normal N [tangent T [, T]]]
#include "model/statement.h"

#include <string.h>

enum { SHAPES_MAX = 100000, TEXT_MAX = 200 };

static bool is_word(const dls_parser *p, const char *word)
{
  const dls_token *token = &p->token;
  return token->kind == DLS_TOKEN_NAME && token->length == strlen(word) &&
         memcmp(p->lexer.text + token->at, word, token->length) == 0;
}

static bool take_word(dls_parser *p, const char *word)
{
  if (!is_word(p, word)) return false;
  dls_parser_advance(p);
  return true;
}

static dls_formula *add_formula(dls_reader *c)
{
  dls_formula *f = DLS_ADD(c, drawn);
  if (f) *f = (dls_formula){0};
  return f;
}

// A point has three formulas, of which the first is the vector until that is taken apart.
static bool read_vector(dls_reader *c)
{
  dls_formula formula = {0};
  if (!dls_parse_expression(c->p, &formula)) return false;
  for (int k = 0; k < 3; k++) {
    dls_formula *place = add_formula(c);
    if (!place) return false;
    if (k == 0) *place = formula;
  }
  return true;
}

static bool read_number(dls_reader *c)
{
  dls_formula formula = {0};
  if (!dls_parse_expression(c->p, &formula)) return false;
  dls_formula *place = add_formula(c);
  if (place) *place = formula;
  return place;
}

static bool read_point(dls_reader *c, dls_draw *d)
{
  d->points++;
  return read_vector(c);
}

static bool read_size(dls_reader *c, dls_draw *d)
{
  d->sizes++;
  return read_number(c);
}

static bool take_comma(dls_reader *c, const char *expected)
{
  return dls_parser_take(c->p, DLS_TOKEN_COMMA) || dls_parser_unexpected(c->p, expected);
}

static bool read_segment(dls_reader *c, dls_draw *d)
{
  return read_point(c, d) && take_comma(c, "`,` and the other end") && read_point(c, d);
}

static bool read_disc(dls_reader *c, dls_draw *d)
{
  return read_point(c, d) && take_comma(c, "`,` and the radius") && read_size(c, d);
}

static bool read_box(dls_reader *c, dls_draw *d)
{
  if (!read_point(c, d) || !take_comma(c, "`,` and the lengths of the sides")) return false;
  if (!read_size(c, d) || !take_comma(c, "`,` and the length of the other side")) return false;
  return read_size(c, d) && (!dls_parser_take(c->p, DLS_TOKEN_COMMA) || read_size(c, d));
}

static bool read_text(dls_reader *c, dls_draw *d)
{
  dls_parser *p = c->p;
  if (!read_point(c, d) || !take_comma(c, "`,` and a text in quotes")) return false;
  if (p->token.kind != DLS_TOKEN_TEXT) return dls_parser_unexpected(p, "a text in quotes");
  if (p->token.length > TEXT_MAX + 2) {
    dls_error_list_add(p->report, p->token.at, 1, "a text has at most %d bytes", TEXT_MAX);
    return false;
  }
  d->text = dls_arena_copy(p->arena, p->lexer.text + p->token.at + 1, p->token.length - 2);
  if (!d->text) return p->status = DLS_ERR_MEMORY, false;
  dls_parser_advance(p);
  return true;
}

static bool read_force(dls_reader *c, dls_draw *d)
{
  dls_parser *p = c->p;
  d->name = dls_reader_name(c, "a contact", &d->name_at);
  if (d->name < 0) return false;
  if (!take_word(p, "at")) return dls_parser_unexpected(p, "`at` and the place of the contact");
  if (!read_point(c, d)) return false;
  return !dls_parser_take(p, DLS_TOKEN_COMMA) || read_point(c, d);
}

static bool read_view(dls_reader *c, dls_draw *d)
{
  for (int i = 0; i < c->s->draws.count; i++) {
    if (c->s->draws.items[i].kind != DLS_SHAPE_KINDS) continue;
    dls_error_list_add(c->p->report, d->at, d->length, "a drawing is viewed from one place");
    return false;
  }
  return read_point(c, d);
}

typedef struct shape_word {
  const char *word;
  int kind;
  bool (*read)(dls_reader *c, dls_draw *d);
} shape_word;

static const shape_word shape_words[] = {
    {"segment", DLS_SHAPE_SEGMENT, read_segment},
    {"disc", DLS_SHAPE_DISC, read_disc},
    {"box", DLS_SHAPE_BOX, read_box},
    {"spring", DLS_SHAPE_SPRING, read_segment},
    {"path", DLS_SHAPE_PATH, read_point},
    {"text", DLS_SHAPE_TEXT, read_text},
    {"force", DLS_SHAPE_FORCE, read_force},
    {"view", DLS_SHAPE_KINDS, read_view},
};

static bool read_colour(dls_reader *c, dls_draw *d)
{
  const dls_token number = c->p->token;
  if (!dls_parse_index(c->p, &d->colour)) return false;
  if (d->colour >= 0) return true;
  dls_error_list_add(c->p->report, number.at, number.length,
                     "colours have the numbers 0, 1, 2 and so on");
  return false;
}

static bool read_tangents(dls_reader *c, dls_draw *d)
{
  do {
    if (d->tangents == 2) return dls_parser_unexpected(c->p, "at most two tangents");
    d->tangents++;
    if (!read_vector(c)) return false;
  } while (dls_parser_take(c->p, DLS_TOKEN_COMMA));
  return true;
}

typedef enum item { FILL, DASHED, COLOUR, WIDTH, NORMAL, TANGENT, ITEMS } item;

static item take_item(dls_parser *p)
{
  static const char *const words[] = {"fill", "dashed", "colour", "width", "normal", "tangent"};
  for (int k = 0; k < ITEMS; k++)
    if (take_word(p, words[k])) return (item)k;
  return ITEMS;
}

// What the item sets; not 0 when it was set before.
static bool is_set(const dls_draw *d, item what)
{
  switch (what) {
  case FILL: return d->fill;
  case DASHED: return d->dashed;
  case COLOUR: return d->coloured;
  case WIDTH: return d->width > 0;
  case NORMAL: return d->normal > 0;
  default: return d->tangent > 0;
  }
}

// Why the item does not belong to the shape; NULL when it does.
static const char *misplaced(const dls_draw *d, item what)
{
  const bool area = d->kind == DLS_SHAPE_DISC || d->kind == DLS_SHAPE_BOX;
  if (what < NORMAL && d->kind >= DLS_SHAPE_FORCE) return "this has a look of its own";
  if (what == FILL && !area) return "only discs and boxes are filled";
  if (what >= NORMAL && d->kind != DLS_SHAPE_FORCE) return "only forces have a normal and tangents";
  return is_set(d, what) ? "this is given twice" : NULL;
}

static bool read_item(dls_reader *c, dls_draw *d)
{
  dls_parser *p = c->p;
  const dls_token token = p->token;
  const item what = take_item(p);
  if (what == ITEMS)
    return dls_parser_unexpected(p, d->kind == DLS_SHAPE_FORCE
                                        ? "`normal`, `tangent` or `}`"
                                        : "`fill`, `dashed`, `colour`, `width` or `}`");
  const char *wrong = misplaced(d, what);
  if (wrong) {
    dls_error_list_add(p->report, token.at, token.length, "%s", wrong);
    return false;
  }
  const int here = c->s->drawn.count - d->first;
  switch (what) {
  case FILL: return d->fill = true;
  case DASHED: return d->dashed = true;
  case COLOUR: return d->coloured = true, read_colour(c, d);
  case WIDTH: return d->width = here, read_number(c);
  case NORMAL: return d->normal = here, read_vector(c);
  default: return d->tangent = here, read_tangents(c, d);
  }
}

static bool read_block(dls_reader *c, dls_draw *d)
{
  dls_parser *p = c->p;
  const unsigned open = p->token.at;
  dls_parser_advance(p);
  for (;;) {
    while (p->token.kind == DLS_TOKEN_NEWLINE || p->token.kind == DLS_TOKEN_SEMICOLON)
      dls_parser_advance(p);
    if (dls_parser_take(p, DLS_TOKEN_BLOCK_CLOSE)) return true;
    if (p->token.kind == DLS_TOKEN_END || dls_reader_at_statement(p, false)) {
      dls_error_list_hint(dls_error_list_add(p->report, open, 1, "this `{` is never closed"),
                          "add the missing `}`");
      return false;
    }
    if (read_item(c, d) && dls_reader_item_ends(c)) continue;
    p->in_block = true;  // so that the rest of the block is passed over
    return false;
  }
}

bool dls_read_draw(dls_reader *c)
{
  dls_parser *p = c->p;
  dls_draw d = {.at = p->token.at, .length = p->token.length, .name = -1, .contact = -1};
  d.first = c->s->drawn.count;
  const shape_word *shape = NULL;
  for (ptrdiff_t k = 0; k < dls_count_of(shape_words); k++)
    if (is_word(p, shape_words[k].word)) shape = &shape_words[k];
  if (!shape)
    return dls_parser_unexpected(
        p, "`segment`, `disc`, `box`, `spring`, `path`, `text`, `force` or `view`");
  if (c->s->draws.count == SHAPES_MAX) {
    dls_error_list_add(p->report, d.at, d.length, "a model draws at most %d shapes", SHAPES_MAX);
    return false;
  }
  dls_parser_advance(p);
  d.kind = shape->kind;
  if (!shape->read(c, &d) || (p->token.kind == DLS_TOKEN_BLOCK_OPEN && !read_block(c, &d))) {
    c->s->drawn.count = d.first;  // nobody looks at these any more
    return false;
  }
  d.count = c->s->drawn.count - d.first;
  dls_draw *place = p->status ? NULL : DLS_ADD(c, draws);
  if (place) *place = d;
  return place;
}
