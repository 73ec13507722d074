// Names as they are written: x, x', p.x, crate[i, j + 1], r[2].x'. An index is known where it is
// read: whole numbers and the variables of `for`, with + - * and brackets.
#include "model/parser.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 400, INDEX_NESTING_MAX = 32 };

static const double index_max = 1e9;

static bool parse_sum_of_indices(dls_parser *p, int depth, double *value);

static bool keep_in_range(dls_parser *p, unsigned at, double value)
{
  if (fabs(value) <= index_max) return true;
  dls_error_list_add(p->report, at, p->end - at, "an index lies between -1e9 and 1e9");
  return false;
}

static bool not_an_index(dls_parser *p)
{
  const dls_token token = p->token;
  if (token.kind != DLS_TOKEN_NUMBER && token.kind != DLS_TOKEN_NAME)
    return dls_parser_unexpected(p, "a whole number or the variable of a `for`");
  const dls_quoted text = dls_quote(p->lexer.text + token.at, token.length);
  dls_error_list_hint(dls_error_list_add(p->report, token.at, token.length,
                                         token.kind == DLS_TOKEN_NUMBER
                                             ? "`%s` is not a whole number"
                                             : "`%s` is not the variable of a `for`",
                                         text.text),
                      "whole numbers and variables of `for`, with + - *; a parameter may change");
  return false;
}

static bool parse_index_unit(dls_parser *p, int depth, double *value)
{
  const dls_token token = p->token;
  if (depth > INDEX_NESTING_MAX) return dls_parser_unexpected(p, "a simpler index");
  if (dls_parser_take(p, DLS_TOKEN_MINUS)) {
    if (!parse_index_unit(p, depth + 1, value)) return false;
    *value = -*value;
    return true;
  }
  if (dls_parser_take(p, DLS_TOKEN_OPEN)) {
    if (!parse_sum_of_indices(p, depth + 1, value)) return false;
    return dls_parser_take(p, DLS_TOKEN_CLOSE) || dls_parser_unexpected(p, "`)`");
  }
  const int word = token.kind == DLS_TOKEN_NAME
                       ? dls_names_find(p->names, p->lexer.text + token.at, token.length)
                       : -1;
  if (word >= 0 && p->names->words[word].meaning == DLS_MEANS_INDEX)
    *value = p->names->words[word].index;
  else if (token.kind == DLS_TOKEN_NUMBER && token.value == floor(token.value))
    *value = token.value;
  else return not_an_index(p);
  dls_parser_advance(p);
  return keep_in_range(p, token.at, *value);
}

static bool parse_product_of_indices(dls_parser *p, int depth, double *value)
{
  const unsigned at = p->token.at;
  if (!parse_index_unit(p, depth, value)) return false;
  while (dls_parser_take(p, DLS_TOKEN_TIMES)) {
    double factor;
    if (!parse_index_unit(p, depth, &factor)) return false;
    *value *= factor;
    if (!keep_in_range(p, at, *value)) return false;
  }
  return true;
}

static bool parse_sum_of_indices(dls_parser *p, int depth, double *value)
{
  const unsigned at = p->token.at;
  if (!parse_product_of_indices(p, depth, value)) return false;
  while (p->token.kind == DLS_TOKEN_PLUS || p->token.kind == DLS_TOKEN_MINUS) {
    const double sign = p->token.kind == DLS_TOKEN_PLUS ? 1 : -1;
    double term;
    dls_parser_advance(p);
    if (!parse_product_of_indices(p, depth, &term)) return false;
    *value += sign * term;
    if (!keep_in_range(p, at, *value)) return false;
  }
  return true;
}

bool dls_parse_index(dls_parser *parser, int *value)
{
  double number;
  if (!parse_sum_of_indices(parser, 0, &number)) return false;
  *value = (int)number;
  return true;
}

typedef struct spelling {
  char text[NAME_MAX_LENGTH];
  unsigned length;
  bool full;
} spelling;

static void append(spelling *s, const char *text, unsigned length)
{
  if (length >= sizeof s->text - s->length) s->full = true;
  if (s->full) return;
  memcpy(s->text + s->length, text, length);
  s->length += length;
}

// [i, j], as [1,2]; the token at hand is the `[`
static bool spell_indices(dls_parser *p, spelling *s)
{
  const char *separator = "[";
  dls_parser_advance(p);
  do {
    int index;
    char digits[16];
    if (!dls_parse_index(p, &index)) return false;
    append(s, separator, 1);
    append(s, digits, (unsigned)snprintf(digits, sizeof digits, "%d", index));
    separator = ",";
  } while (dls_parser_take(p, DLS_TOKEN_COMMA));
  append(s, "]", 1);
  return dls_parser_take(p, DLS_TOKEN_INDEX_CLOSE) || dls_parser_unexpected(p, "`,` or `]`");
}

static bool follows(const dls_parser *p, dls_token_kind kind)
{
  return p->token.kind == kind && p->token.at == p->end;
}

static bool quote_before_index(dls_parser *p, unsigned at)
{
  dls_error_list_hint(
      dls_error_list_add(p->report, at, p->token.at + 1 - at, "the `'` stands behind the index"),
      "`x[1]'` is the velocity of the coordinate x[1]");
  return false;
}

bool dls_parser_name(dls_parser *p, dls_written_name *name)
{
  const dls_token token = p->token;
  *name = (dls_written_name){
      .at = token.at, .length = token.length, .velocity = token.kind == DLS_TOKEN_VELOCITY};
  name->word = dls_parser_word(p);
  if (p->status) return false;
  dls_parser_advance(p);
  if (!follows(p, DLS_TOKEN_INDEX_OPEN)) return true;
  if (name->velocity) return quote_before_index(p, token.at);
  spelling s = {.length = 0};
  append(&s, p->lexer.text + token.at, token.length);
  for (;;) {
    if (follows(p, DLS_TOKEN_INDEX_OPEN)) {
      if (!spell_indices(p, &s)) return false;
    } else if (follows(p, DLS_TOKEN_FIELD)) {
      append(&s, p->lexer.text + p->token.at, p->token.length);
      dls_parser_advance(p);
    } else {
      break;
    }
  }
  if (follows(p, DLS_TOKEN_QUOTE)) name->velocity = dls_parser_take(p, DLS_TOKEN_QUOTE);
  name->length = p->end - token.at;
  if (s.full) {
    dls_error_list_add(p->report, token.at, name->length, "this name is too long");
    return false;
  }
  name->word = dls_parser_spelled(p, s.text, s.length);
  return !p->status;
}
