// What a run is asked to record, and to stop at: outputs and events.
#include "model/statement.h"

#include <string.h>

// output NAME = EXPR, ...
bool dls_read_outputs(dls_reader *c)
{
  dls_parser *p = c->p;
  do {
    dls_output o = {.value.broken = true};
    o.name = dls_reader_name(c, "an output", &o.at);
    if (o.name < 0) return false;
    const int before = p->names->words[o.name].output;
    if (before >= 0) dls_reader_twice(c, o.name, o.at, "output", c->s->outputs.items[before].at);
    const bool equals = dls_parser_take(p, DLS_TOKEN_EQUALS);
    const bool good = equals ? dls_parse_expression(p, &o.value)
                             : dls_parser_unexpected(p, "`=` and an expression");
    if (p->status) return false;
    if (before < 0) {
      p->names->words[o.name].output = c->s->outputs.count;
      dls_output *place = DLS_ADD(c, outputs);
      if (!place) return false;
      *place = o;
    }
    if (!good) return false;
  } while (dls_parser_take(p, DLS_TOKEN_COMMA));
  return true;
}

// ---- events -------------------------------------------------------------------------------------

static bool is_word(const dls_parser *p, const char *word)
{
  return p->token.kind == DLS_TOKEN_NAME && p->token.length == strlen(word) &&
         memcmp(p->lexer.text + p->token.at, word, p->token.length) == 0;
}

static bool set_direction(dls_parser *p, dls_event_statement *e, int direction)
{
  if (e->direction == 0) {
    e->direction = direction;
    return true;
  }
  dls_error_list_hint(dls_error_list_add(p->report, p->token.at, p->token.length,
                                         e->direction == direction
                                             ? "this is said twice"
                                             : "`rising` and `falling` exclude each other"),
                      "without either the event is a crossing in any direction");
  return false;
}

static bool parse_event_word(dls_parser *p, dls_event_statement *e)
{
  bool good = true;
  if (is_word(p, "stop")) e->stop = true;
  else if (is_word(p, "rising")) good = set_direction(p, e, 1);
  else if (is_word(p, "falling")) good = set_direction(p, e, -1);
  else return dls_parser_unexpected(p, "`stop`, `rising`, `falling` or `}`");
  dls_parser_advance(p);
  return good;
}

// { stop; rising }
static bool parse_event_block(dls_reader *c, dls_event_statement *e)
{
  dls_parser *p = c->p;
  const dls_token open = p->token;
  p->in_block = true;
  dls_parser_advance(p);
  bool good = true;
  while (!p->status) {
    while (p->token.kind == DLS_TOKEN_NEWLINE || p->token.kind == DLS_TOKEN_SEMICOLON ||
           p->token.kind == DLS_TOKEN_COMMA)
      dls_parser_advance(p);
    if (p->token.kind == DLS_TOKEN_BLOCK_CLOSE) break;
    if (p->token.kind == DLS_TOKEN_END || dls_reader_at_statement(p, false)) {
      dls_error_list_hint(dls_error_list_add(p->report, open.at, 1, "this `{` is never closed"),
                          "add the missing `}`");
      p->in_block = false;
      return false;
    }
    if (parse_event_word(p, e)) continue;
    good = false;
    dls_reader_skip_line(c);
  }
  if (p->status) return false;
  p->in_block = false;
  dls_parser_advance(p);
  return good;
}

static bool parse_equation(dls_parser *p, dls_event_statement *e)
{
  if (!dls_parse_sum(p, &e->left)) return false;
  if (dls_parser_take(p, DLS_TOKEN_EQUALS)) return dls_parse_sum(p, &e->right);
  dls_error_list_hint(dls_error_list_add(p->report, p->token.at, p->token.length,
                                         "an event is an equation: expected `=`"),
                      "event top: y' = 0 { falling }");
  return false;
}

// event NAME: EXPR = EXPR [{ stop; rising; falling }]
bool dls_read_event(dls_reader *c)
{
  dls_parser *p = c->p;
  dls_event_statement e = {.left.broken = true, .right.broken = true};
  e.name = dls_reader_name(c, "an event", &e.at);
  if (e.name < 0) return false;
  const int before = p->names->words[e.name].event;
  if (before >= 0) dls_reader_twice(c, e.name, e.at, "event", c->s->events.items[before].at);
  bool good = dls_reader_colon(c) && parse_equation(p, &e);
  if (good && p->token.kind == DLS_TOKEN_BLOCK_OPEN) good = parse_event_block(c, &e);
  if (p->status) return false;
  if (before >= 0) return good;
  p->names->words[e.name].event = c->s->events.count;
  dls_event_statement *place = DLS_ADD(c, events);
  if (place) *place = e;
  return good && place;
}
