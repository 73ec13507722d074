// What the statements and the expressions share: tokens, words, mistakes.
#include "model/parser.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void *dls_list_more(void *items, int count, ptrdiff_t *capacity, size_t size)
{
  if (count == INT_MAX || dls_grow(&items, capacity, count + 1, size)) return NULL;
  return items;
}

static void free_bodies(dls_source *source)
{
  free(source->markers.items);
  free(source->numbers.items);
  free(source->bodies.items);
  free(source->solids.items);
  free(source->joints.items);
  free(source->rules.items);
  free(source->imports.items);
  free(source->points.items);
  free(source->body_terms.items);
  free(source->entries.items);
  free(source->body_objects.items);
}

void dls_source_free(dls_source *source)
{
  free(source->parameters.items);
  free(source->lets.items);
  free(source->coordinates.items);
  free(source->velocities.items);
  free(source->terms.items);
  free(source->contacts.items);
  free(source->states.items);
  free(source->assignments.items);
  free(source->objects.items);
  free(source->members.items);
  free(source->exacts.items);
  free(source->restitutions.items);
  free(source->draws.items);
  free(source->drawn.items);
  free(source->outputs.items);
  free(source->events.items);
  free_bodies(source);
  *source = (dls_source){0};
}

dls_parser dls_parser_begin(const char *text, size_t length, dls_names *names, bool frozen,
                            dls_arena *arena, dls_error_list *report)
{
  dls_parser parser = {.lexer = dls_lexer_begin(text, length),
                       .names = names,
                       .frozen = frozen,
                       .arena = arena,
                       .report = report};
  parser.token = dls_lexer_next(&parser.lexer);
  return parser;
}

void dls_parser_free(dls_parser *parser)
{
  free(parser->code.items);
  parser->code.items = NULL;
}

void dls_parser_advance(dls_parser *parser)
{
  const dls_token_kind kind = parser->token.kind;
  if (kind == DLS_TOKEN_OPEN || kind == DLS_TOKEN_INDEX_OPEN) parser->lexer.parens++;
  if ((kind == DLS_TOKEN_CLOSE || kind == DLS_TOKEN_INDEX_CLOSE) && parser->lexer.parens > 0)
    parser->lexer.parens--;
  parser->end = parser->token.at + parser->token.length;
  parser->token = dls_lexer_next(&parser->lexer);
}

bool dls_parser_take(dls_parser *parser, dls_token_kind kind)
{
  if (parser->token.kind != kind) return false;
  dls_parser_advance(parser);
  return true;
}

int dls_parser_spelled(dls_parser *parser, const char *text, unsigned length)
{
  if (parser->frozen) return dls_names_find(parser->names, text, length);
  const int word = dls_names_enter(parser->names, text, length);
  if (word < 0) parser->status = DLS_ERR_MEMORY;
  return word;
}

int dls_parser_word(dls_parser *parser)
{
  const dls_token *token = &parser->token;
  return dls_parser_spelled(parser, parser->lexer.text + token->at,
                            token->length - (token->kind == DLS_TOKEN_VELOCITY));
}

bool dls_parser_at_end(const dls_parser *parser)
{
  switch (parser->token.kind) {
  case DLS_TOKEN_NEWLINE:
  case DLS_TOKEN_SEMICOLON:
  case DLS_TOKEN_END: return true;
  case DLS_TOKEN_BLOCK_CLOSE: return parser->loops > 0;
  default: return false;
  }
}

dls_keyword dls_parser_keyword(const dls_parser *parser)
{
  const dls_token *token = &parser->token;
  if (token->kind != DLS_TOKEN_NAME) return DLS_NO_KEYWORD;
  const int word = dls_names_find(parser->names, parser->lexer.text + token->at, token->length);
  return word < 0 ? DLS_NO_KEYWORD : parser->names->words[word].keyword;
}

static dls_quoted describe(const dls_parser *parser)
{
  const dls_token *token = &parser->token;
  dls_quoted q = {"the end of the text"};
  if (token->kind == DLS_TOKEN_END) return q;
  if (token->kind == DLS_TOKEN_NEWLINE) return (dls_quoted){"the end of the line"};
  const dls_quoted text = dls_quote(parser->lexer.text + token->at, token->length);
  const size_t length = strlen(text.text);
  q.text[0] = '`';
  const size_t kept = length < sizeof q.text - 3 ? length : sizeof q.text - 3;
  memcpy(q.text + 1, text.text, kept);
  memcpy(q.text + 1 + kept, "`", 2);
  return q;
}

bool dls_parser_unexpected(dls_parser *parser, const char *expected)
{
  dls_error_list *report = parser->report;
  const dls_token *token = &parser->token;
  if (parser->status) return false;
  if (token->kind == DLS_TOKEN_BAD) {
    dls_diagnostic *d = dls_error_list_add(report, token->at, token->length, "%s", token->problem);
    if (token->hint) dls_error_list_hint(d, "%s", token->hint);
    return false;
  }
  if (token->kind == DLS_TOKEN_CLOSE && parser->lexer.parens == 0) {
    dls_error_list_add(report, token->at, 1, "this `)` closes nothing; expected %s", expected);
    return false;
  }
  const bool operand = token->kind == DLS_TOKEN_NAME || token->kind == DLS_TOKEN_VELOCITY ||
                       token->kind == DLS_TOKEN_NUMBER || token->kind == DLS_TOKEN_OPEN;
  if (operand && strncmp(expected, "an operator", 11) == 0) {
    dls_error_list_hint(dls_error_list_add(report, token->at, token->length,
                                           "an operator is missing before %s",
                                           describe(parser).text),
                        "a product needs its `*`; each statement has its own line");
    return false;
  }
  dls_diagnostic *d = dls_error_list_add(report, token->at, token->length, "expected %s, found %s",
                                         expected, describe(parser).text);
  if (token->kind == DLS_TOKEN_INDEX_OPEN)
    dls_error_list_hint(d, "an index follows its name directly, as in x[1]; formulas use ( and )");
  return false;
}

bool dls_parse_assignment(dls_parser *parser, dls_assignment *assignment)
{
  const dls_token *token = &parser->token;
  if (token->kind != DLS_TOKEN_NAME && token->kind != DLS_TOKEN_VELOCITY)
    return dls_parser_unexpected(parser, "the name of a coordinate");
  dls_written_name name;
  if (!dls_parser_name(parser, &name)) return false;
  *assignment = (dls_assignment){.velocity = name.velocity,
                                 .at = name.at,
                                 .length = name.length,
                                 .name = name.word,
                                 .definition = -1};
  if (parser->token.kind != DLS_TOKEN_EQUALS) return dls_parser_unexpected(parser, "`=`");
  dls_parser_advance(parser);
  return dls_parse_expression(parser, &assignment->value);
}
