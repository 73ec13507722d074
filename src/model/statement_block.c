// What the statements about bodies share: blocks in braces, and lists of numbers.
#include "model/statement_block.h"

#include <string.h>

bool dls_reader_is(const dls_parser *p, const char *word)
{
  return p->token.kind == DLS_TOKEN_NAME && p->token.length == strlen(word) &&
         memcmp(p->lexer.text + p->token.at, word, p->token.length) == 0;
}

// At a line that can only be a statement of its own: then a block was not closed.
static bool at_foreign(const dls_parser *p)
{
  if (!p->token.first) return false;
  const dls_keyword keyword = dls_parser_keyword(p);
  return keyword != DLS_NO_KEYWORD && keyword != DLS_WORD_VELOCITY && !dls_is_block_word(keyword);
}

bool dls_read_block(dls_reader *c, bool (*line)(dls_reader *c, void *of), void *of, bool *broken)
{
  dls_parser *p = c->p;
  const dls_token open = p->token;
  const bool inside = p->in_block;
  p->in_block = true;
  dls_parser_advance(p);
  while (!p->status) {
    while (p->token.kind == DLS_TOKEN_NEWLINE || p->token.kind == DLS_TOKEN_SEMICOLON)
      dls_parser_advance(p);
    if (p->token.kind == DLS_TOKEN_BLOCK_CLOSE) break;
    if (p->token.kind == DLS_TOKEN_END || at_foreign(p)) {
      dls_error_list_hint(dls_error_list_add(p->report, open.at, 1, "this `{` is never closed"),
                          "add the missing `}`");
      p->in_block = false;
      return false;
    }
    if (line(c, of) && dls_reader_item_ends(c)) continue;
    if (p->status || !p->in_block) return false;
    *broken = true;
    dls_reader_skip_line(c);
  }
  if (p->status) return false;
  p->in_block = inside;
  dls_parser_advance(p);
  return true;
}

static dls_formula *add_formula(dls_reader *c)
{
  dls_formula *place = DLS_ADD(c, numbers);
  if (place) *place = (dls_formula){0};
  return place;
}

static bool wrong_count(dls_reader *c, const dls_number_list *list, const char *expected)
{
  dls_error_list_add(c->p->report, list->at, list->length, "`%.*s` needs %s", (int)list->length,
                     c->p->lexer.text + list->at, expected);
  return false;
}

bool dls_read_numbers(dls_reader *c, const dls_token *word, int least, int most,
                      const char *expected, dls_number_list *list)
{
  dls_parser *p = c->p;
  if (list->count > 0) {
    dls_error_list_add(p->report, word->at, word->length, "`%.*s` is given twice",
                       (int)word->length, p->lexer.text + word->at);
    return false;
  }
  *list = (dls_number_list){.first = c->s->numbers.count, .at = word->at, .length = word->length};
  do {
    dls_formula formula = {0};
    if (list->count == most) return wrong_count(c, list, expected);
    if (!dls_parse_expression(p, &formula)) return false;
    dls_formula *place = add_formula(c);
    if (!place) return false;
    *place = formula;
    list->count++;
  } while (dls_parser_take(p, DLS_TOKEN_COMMA));
  // one vector may stand for three numbers
  const bool vector = list->count == 1 && least == 3 && most == 3;
  if (list->count < least && !vector) return wrong_count(c, list, expected);
  list->triple = vector;
  for (int k = list->count; vector && k < 3; k++)
    if (!add_formula(c)) return false;
  return true;
}

bool dls_read_numbers_before(dls_reader *c, const dls_token *word, const char *follows,
                             const char *expected, dls_number_list *list)
{
  c->p->follows = follows;
  const bool good = dls_read_numbers(c, word, 3, 3, expected, list);
  c->p->follows = NULL;
  return good;
}

bool dls_read_vector(dls_reader *c, const dls_token *word, dls_number_list *list)
{
  dls_formula formula = {0};
  *list = (dls_number_list){.first = c->s->numbers.count,
                            .count = 1,
                            .triple = true,
                            .at = word->at,
                            .length = word->length};
  if (!dls_parse_expression(c->p, &formula)) return false;
  for (int k = 0; k < 3; k++) {
    dls_formula *place = add_formula(c);
    if (!place) return false;
    if (k == 0) *place = formula;
  }
  return true;
}

static bool read_rotation(dls_reader *c, const dls_token *word, dls_placement_statement *place)
{
  dls_parser *p = c->p;
  const bool axis = dls_reader_is(p, "axis"), quaternion = dls_reader_is(p, "quaternion");
  place->form = axis ? DLS_ROTATION_AXIS : quaternion ? DLS_ROTATION_QUATERNION : DLS_ROTATION_ROLL;
  if (axis || quaternion) dls_parser_advance(p);
  if (quaternion)
    return dls_read_numbers(c, word, 4, 4, "four numbers, as in `rotation quaternion w, x, y, z`",
                            &place->rotation);
  if (!axis)
    return dls_read_numbers(c, word, 3, 3, "three angles: roll, pitch, yaw", &place->rotation);
  if (!dls_read_numbers_before(
          c, word, "angle", "three numbers and an angle, as in `rotation axis 0, 0, 1 angle pi/2`",
          &place->rotation))
    return false;
  if (!dls_reader_is(p, "angle")) return dls_parser_unexpected(p, "`angle` and the angle");
  const dls_token angle = p->token;
  dls_parser_advance(p);
  dls_number_list one = {0};
  if (!dls_read_numbers(c, &angle, 1, 1, "one number", &one)) return false;
  place->rotation.count = 4;
  return true;
}

bool dls_read_placement(dls_reader *c, const dls_token *word, dls_placement_statement *place)
{
  dls_parser *p = c->p;
  if (dls_reader_is(p, "position")) {
    dls_parser_advance(p);
    return dls_read_numbers(c, word, 3, 3, "three numbers", &place->position);
  }
  if (place->rotation.count > 0) {
    dls_error_list_add(p->report, word->at, word->length, "`rotation` is given twice");
    return false;
  }
  dls_parser_advance(p);
  return read_rotation(c, word, place);
}

bool dls_read_file(dls_reader *c, const char **file, unsigned *at, unsigned *length)
{
  dls_parser *p = c->p;
  if (p->token.kind != DLS_TOKEN_TEXT)
    return dls_parser_unexpected(p, "the name of a file, in quotes");
  *at = p->token.at;
  *length = p->token.length;
  *file = dls_arena_copy(p->arena, p->lexer.text + p->token.at + 1, p->token.length - 2);
  if (!*file) return p->status = DLS_ERR_MEMORY, false;
  dls_parser_advance(p);
  return true;
}

bool dls_read_body_name(dls_reader *c, dls_body_name *name, bool any)
{
  dls_parser *p = c->p;
  *name = (dls_body_name){.name = -1, .at = p->token.at, .length = 1, .body = DLS_ANY};
  if (any && dls_parser_take(p, DLS_TOKEN_TIMES)) return true;
  name->name = dls_reader_name(c, any ? "a body, or `*`" : "a body", &name->at);
  name->length = p->end > name->at ? p->end - name->at : 1;
  return name->name >= 0;
}
