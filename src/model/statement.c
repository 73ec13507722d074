// The statements of a model. A statement that fails is skipped to its end; the words that were
// passed over are suspects, so that one mistake is not reported again as unknown names.
#include "model/parser.h"

typedef struct context {
  dls_parser *p;
  dls_source *s;
} context;

// Room for one more item in a list of the source: evaluates to the place, or NULL.
#define ADD(c, list)                                                                              \
  (((c)->s->list.items = grown(c, (c)->s->list.items, (c)->s->list.count, &(c)->s->list.capacity, \
                               sizeof *(c)->s->list.items)),                                      \
   (c)->p->status ? NULL : &(c)->s->list.items[(c)->s->list.count++])

static void *grown(context *c, void *items, int count, ptrdiff_t *capacity, size_t size)
{
  void *more = dls_list_more(items, count, capacity, size);
  if (!more) c->p->status = DLS_ERR_MEMORY;
  return more ? more : items;
}

static void suspect(context *c)
{
  if (c->p->token.kind != DLS_TOKEN_NAME && c->p->token.kind != DLS_TOKEN_VELOCITY) return;
  const int word = dls_parser_word(c->p);
  if (word < 0) return;
  dls_word *w = &c->p->names->words[word];
  if (w->meaning == DLS_MEANS_NOTHING) w->meaning = DLS_MEANS_SUSPECT;
}

static bool is_block_word(dls_keyword keyword)
{
  return keyword == DLS_WORD_SLIP || keyword == DLS_WORD_FRICTION ||
         keyword == DLS_WORD_RESTITUTION;
}

// At the first word of a line that can only start a statement of its own.
static bool at_statement(const dls_parser *p, bool in_block)
{
  if (!p->token.first) return false;
  const dls_keyword keyword = dls_parser_keyword(p);
  return keyword != DLS_NO_KEYWORD && !(in_block && is_block_word(keyword));
}

// Skips the rest of a statement that failed.
static void recover(context *c)
{
  dls_parser *p = c->p;
  int braces = p->in_block;
  while (!p->status && p->token.kind != DLS_TOKEN_END && !at_statement(p, braces > 0)) {
    if (p->token.kind == DLS_TOKEN_NEWLINE && braces <= 0) break;
    if (p->token.kind == DLS_TOKEN_BLOCK_OPEN) braces++;
    if (p->token.kind == DLS_TOKEN_BLOCK_CLOSE) braces--;
    suspect(c);
    dls_parser_advance(p);
  }
  p->lexer.parens = 0;
  p->in_block = false;
}

// Skips the rest of a line that failed in a contact's block.
static void recover_in_block(context *c)
{
  dls_parser *p = c->p;
  while (!p->status && p->token.kind != DLS_TOKEN_END && p->token.kind != DLS_TOKEN_NEWLINE &&
         p->token.kind != DLS_TOKEN_SEMICOLON && p->token.kind != DLS_TOKEN_BLOCK_CLOSE &&
         !at_statement(p, true)) {
    suspect(c);
    dls_parser_advance(p);
  }
  p->lexer.parens = 0;
}

// Reads a name that is to be declared; -1 after an error.
static int take_name(context *c, const char *what, unsigned *at)
{
  dls_parser *p = c->p;
  *at = p->token.at;
  if (p->token.kind == DLS_TOKEN_VELOCITY) {
    dls_error_list_hint(dls_error_list_add(p->report, p->token.at, p->token.length,
                                           "the name of %s has no `'`", what),
                        "initial velocities are given by `velocity x = ...`");
    return -1;
  }
  if (p->token.kind != DLS_TOKEN_NAME) {
    char expected[64] = "the name of ";
    size_t i = 12;
    for (; *what && i < sizeof expected - 1; i++) expected[i] = *what++;
    expected[i] = '\0';
    dls_parser_unexpected(p, expected);
    return -1;
  }
  const int word = dls_parser_word(p);
  if (word >= 0) dls_parser_advance(p);
  return word;
}

static void report_twice(context *c, int word, unsigned at, const char *what, unsigned first)
{
  const dls_word *w = &c->p->names->words[word];
  dls_error_list *report = c->p->report;
  dls_error_list_hint(dls_error_list_add(report, at, w->length, "the %s `%s` is declared twice",
                                         what, dls_quote(w->text, w->length).text),
                      "first declared at line %d", dls_error_list_line(report, first));
}

// Gives a word its meaning in expressions; false after an error.
static bool declare(context *c, int word, unsigned at, dls_meaning meaning, int index)
{
  dls_word *w = &c->p->names->words[word];
  const dls_quoted name = dls_quote(w->text, w->length);
  switch (w->meaning) {
  case DLS_MEANS_NOTHING:
  case DLS_MEANS_SUSPECT:
    w->meaning = meaning;
    w->index = index;
    w->at = at;
    return true;
  case DLS_MEANS_PARAMETER:
  case DLS_MEANS_LET:
  case DLS_MEANS_COORDINATE: report_twice(c, word, at, "name", w->at); return false;
  case DLS_MEANS_TIME:
    dls_error_list_add(c->p->report, at, w->length, "`t` is time; choose another name");
    return false;
  case DLS_MEANS_PI:
    dls_error_list_add(c->p->report, at, w->length, "`pi` is a constant; choose another name");
    return false;
  case DLS_MEANS_FUNCTION:
    dls_error_list_add(c->p->report, at, w->length, "`%s` is a function; choose another name",
                       name.text);
    return false;
  }
  return false;
}

// parameter a = EXPR, b = EXPR   and the same for let
static bool parse_definitions(context *c, bool parameter)
{
  dls_parser *p = c->p;
  do {
    dls_definition d = {.value.broken = true};
    d.name = take_name(c, parameter ? "a parameter" : "an expression", &d.at);
    if (d.name < 0) return false;
    const int index = parameter ? c->s->parameters.count : c->s->lets.count;
    const dls_meaning meaning = parameter ? DLS_MEANS_PARAMETER : DLS_MEANS_LET;
    const bool fresh = declare(c, d.name, d.at, meaning, index);
    const bool equals = p->token.kind == DLS_TOKEN_EQUALS;
    bool good = equals || dls_parser_unexpected(p, "`=` and a value");
    if (equals) {
      dls_parser_advance(p);
      good = dls_parse_expression(p, &d.value);
    }
    // also when its value failed: the name is known from here on
    if (fresh && !p->status) {
      dls_definition *place = parameter ? ADD(c, parameters) : ADD(c, lets);
      if (place) *place = d;
    }
    if (!good || p->status) return false;
  } while (dls_parser_take(p, DLS_TOKEN_COMMA));
  return true;
}

// After a name in a list: a comma, or the end of the statement.
static bool at_end_of_item(dls_parser *p, const char *expected)
{
  return p->token.kind == DLS_TOKEN_COMMA || p->token.kind == DLS_TOKEN_NEWLINE ||
         p->token.kind == DLS_TOKEN_END || dls_parser_unexpected(p, expected);
}

static bool parse_coordinates(context *c)
{
  dls_parser *p = c->p;
  do {
    dls_coordinate q = {0};
    q.name = take_name(c, "a coordinate", &q.at);
    if (q.name < 0) return false;
    const bool fresh = declare(c, q.name, q.at, DLS_MEANS_COORDINATE, c->s->coordinates.count);
    const bool valued = dls_parser_take(p, DLS_TOKEN_EQUALS);
    const bool good = valued ? dls_parse_expression(p, &q.initial)
                             : at_end_of_item(p, "`=`, `,` or the end of the line");
    if (fresh && !p->status) {
      dls_coordinate *place = ADD(c, coordinates);
      if (place) *place = q;
    }
    if (!good || p->status) return false;
  } while (dls_parser_take(p, DLS_TOKEN_COMMA));
  return true;
}

// velocity x = EXPR, ...   exact x = EXPR, ...   force x = EXPR, ...
static bool parse_assignments(context *c, dls_keyword kind)
{
  do {
    dls_assignment a;
    if (!dls_parse_assignment(c->p, &a)) return false;
    if (kind == DLS_WORD_FORCE) {
      dls_term *term = ADD(c, terms);
      if (!term) return false;
      *term = (dls_term){.kind = kind, .name = a.name, .at = a.at, .target = -1, .value = a.value};
      if (!a.velocity) continue;
      dls_error_list_add(c->p->report, a.at, c->p->names->words[a.name].length + 1,
                         "a force acts on a coordinate; write its name without `'`");
      return false;
    }
    dls_assignment *place = kind == DLS_WORD_VELOCITY ? ADD(c, velocities) : ADD(c, exacts);
    if (!place) return false;
    *place = a;
  } while (dls_parser_take(c->p, DLS_TOKEN_COMMA));
  return true;
}

static bool parse_energy(context *c, dls_keyword kind)
{
  dls_term term = {.kind = kind, .name = -1, .target = -1};
  const bool good = dls_parse_expression(c->p, &term.value);
  if (c->p->status) return false;
  dls_term *place = ADD(c, terms);
  if (place) *place = term;
  return good && place;
}

static bool take_colon(context *c)
{
  if (dls_parser_take(c->p, DLS_TOKEN_COLON)) return true;
  return dls_parser_unexpected(c->p, "`:` after the name");
}

static bool parse_state(context *c)
{
  dls_named_list state = {0};
  state.name = take_name(c, "a state", &state.at);
  if (state.name < 0) return false;
  dls_word *w = &c->p->names->words[state.name];
  const bool fresh = w->state < 0;
  if (!fresh) report_twice(c, state.name, state.at, "state", c->s->states.items[w->state].at);
  if (!take_colon(c)) return false;
  state.first = c->s->assignments.count;
  do {
    dls_assignment a;
    if (!dls_parse_assignment(c->p, &a)) return false;
    dls_assignment *place = ADD(c, assignments);
    if (!place) return false;
    *place = a;
  } while (dls_parser_take(c->p, DLS_TOKEN_COMMA));
  state.count = c->s->assignments.count - state.first;
  if (!fresh) return true;
  c->p->names->words[state.name].state = c->s->states.count;
  dls_named_list *place = ADD(c, states);
  if (place) *place = state;
  return place;
}

static bool parse_object(context *c)
{
  dls_named_list object = {0};
  object.name = take_name(c, "an object", &object.at);
  if (object.name < 0) return false;
  dls_word *w = &c->p->names->words[object.name];
  const bool fresh = w->object < 0;
  if (!fresh) report_twice(c, object.name, object.at, "object", c->s->objects.items[w->object].at);
  if (!take_colon(c)) return false;
  object.first = c->s->members.count;
  do {
    dls_member member = {.coordinate = -1};
    member.name = take_name(c, "a coordinate", &member.at);
    if (member.name < 0 || !at_end_of_item(c->p, "`,` or the end of the line")) return false;
    dls_member *place = ADD(c, members);
    if (!place) return false;
    *place = member;
  } while (dls_parser_take(c->p, DLS_TOKEN_COMMA));
  object.count = c->s->members.count - object.first;
  if (!fresh) return true;
  c->p->names->words[object.name].object = c->s->objects.count;
  dls_named_list *place = ADD(c, objects);
  if (place) *place = object;
  return place;
}

// restitution A [B] = EXPR
static bool parse_restitution(context *c)
{
  dls_restitution r = {.contact = {-1, -1}};
  r.name[0] = r.name[1] = take_name(c, "a contact", &r.at[0]);
  r.at[1] = r.at[0];
  if (r.name[0] < 0) return false;
  if (c->p->token.kind == DLS_TOKEN_NAME) r.name[1] = take_name(c, "a contact", &r.at[1]);
  if (r.name[1] < 0) return false;
  if (!dls_parser_take(c->p, DLS_TOKEN_EQUALS))
    return dls_parser_unexpected(c->p, "`=` or the name of a second contact");
  if (!dls_parse_expression(c->p, &r.value)) return false;
  dls_restitution *place = ADD(c, restitutions);
  if (place) *place = r;
  return place;
}

// slip EXPR [, EXPR]
static bool parse_slip(context *c, dls_constraint *contact)
{
  dls_parser *p = c->p;
  do {
    if (contact->tangents == 2) {
      dls_error_list_hint(dls_error_list_add(p->report, p->token.at, p->token.length,
                                             "a contact has at most two slip velocities"),
                          "one in a plane, two in space");
      return false;
    }
    dls_formula *slip = &contact->slip[contact->tangents++];
    if (!dls_parse_expression(p, slip)) return false;
  } while (dls_parser_take(p, DLS_TOKEN_COMMA));
  return true;
}

static bool parse_block_line(context *c, dls_constraint *contact)
{
  dls_parser *p = c->p;
  const dls_token word = p->token;
  const dls_keyword keyword = dls_parser_keyword(p);
  if (!is_block_word(keyword)) {
    if (word.kind != DLS_TOKEN_NAME)
      return dls_parser_unexpected(p, "`slip`, `friction`, `restitution` or `}`");
    const char *text = p->lexer.text + word.at;
    dls_diagnostic *d =
        dls_error_list_add(p->report, word.at, word.length,
                           "expected `slip`, `friction` or `restitution` in the block, found `%s`",
                           dls_quote(text, word.length).text);
    dls_error_list_suggest(p->report, d, p->names, text, word.length, DLS_NEAR_BLOCK);
    return false;
  }
  const bool twice = keyword == DLS_WORD_SLIP       ? contact->tangents > 0
                     : keyword == DLS_WORD_FRICTION ? contact->friction.length > 0
                                                    : contact->restitution.length > 0;
  if (twice) {
    dls_error_list_hint(dls_error_list_add(p->report, word.at, word.length,
                                           "`%.*s` is given twice for this contact",
                                           (int)word.length, p->lexer.text + word.at),
                        keyword == DLS_WORD_SLIP ? "two slip velocities are written `slip a, b`"
                                                 : "");
    return false;
  }
  dls_parser_advance(p);
  if (keyword == DLS_WORD_SLIP) return parse_slip(c, contact);
  return dls_parse_expression(p, keyword == DLS_WORD_FRICTION ? &contact->friction
                                                              : &contact->restitution);
}

// { slip ...; friction ...; restitution ... }
static bool parse_block(context *c, dls_constraint *contact)
{
  dls_parser *p = c->p;
  const dls_token open = p->token;
  p->in_block = true;
  dls_parser_advance(p);
  while (!p->status) {
    while (p->token.kind == DLS_TOKEN_NEWLINE || p->token.kind == DLS_TOKEN_SEMICOLON)
      dls_parser_advance(p);
    if (p->token.kind == DLS_TOKEN_BLOCK_CLOSE) break;
    if (p->token.kind == DLS_TOKEN_END || at_statement(p, true)) {
      dls_error_list_hint(dls_error_list_add(p->report, open.at, 1, "this `{` is never closed"),
                          "add the missing `}`");
      p->in_block = false;
      return false;
    }
    bool good = parse_block_line(c, contact);
    const dls_token_kind next = p->token.kind;
    if (good && next != DLS_TOKEN_NEWLINE && next != DLS_TOKEN_SEMICOLON &&
        next != DLS_TOKEN_BLOCK_CLOSE && next != DLS_TOKEN_END)
      good = dls_parser_unexpected(p, "`;`, `}` or the end of the line");
    if (good) continue;
    contact->block_broken = true;
    recover_in_block(c);
  }
  if (p->status) return false;
  p->in_block = false;
  dls_parser_advance(p);
  return true;
}

// The relation between the sides of a constraint.
static bool parse_relation(context *c, dls_constraint *contact)
{
  dls_parser *p = c->p;
  const dls_token token = p->token;
  const bool bilateral = contact->kind == DLS_BILATERAL;
  const bool inequality =
      token.kind == DLS_TOKEN_GREATER_EQUAL || token.kind == DLS_TOKEN_LESS_EQUAL;
  contact->at_relation = token.at;
  contact->reversed = token.kind == DLS_TOKEN_LESS_EQUAL;
  if (bilateral ? token.kind == DLS_TOKEN_EQUALS : inequality) {
    dls_parser_advance(p);
    return true;
  }
  const bool strict = token.kind == DLS_TOKEN_LESS || token.kind == DLS_TOKEN_GREATER;
  const bool equation = token.kind == DLS_TOKEN_EQUALS || token.kind == DLS_TOKEN_SAME;
  if (bilateral && (inequality || strict)) {
    dls_error_list_hint(dls_error_list_add(p->report, token.at, token.length,
                                           "a bilateral constraint is an equation: expected `=`"),
                        "write `unilateral` for an inequality");
    return false;
  }
  if (!bilateral && equation) {
    dls_error_list_hint(
        dls_error_list_add(p->report, token.at, token.length,
                           "a unilateral constraint is an inequality: expected `>=`"),
        "write `bilateral` for an equation");
    return false;
  }
  if (equation || strict) {
    dls_error_list_add(p->report, token.at, token.length, "expected `%s` here",
                       bilateral                      ? "="
                       : token.kind == DLS_TOKEN_LESS ? "<="
                                                      : ">=");
    return false;
  }
  return dls_parser_unexpected(p, bilateral ? "`=` and the other side of the equation"
                                            : "`>=` and the other side of the inequality");
}

static bool parse_constraint(context *c, dls_contact_kind kind)
{
  dls_constraint contact = {.kind = kind, .left.broken = true, .right.broken = true};
  contact.name = take_name(c, "a contact", &contact.at);
  if (contact.name < 0) return false;
  dls_word *w = &c->p->names->words[contact.name];
  const bool fresh = w->contact < 0;
  if (!fresh)
    report_twice(c, contact.name, contact.at, "contact", c->s->contacts.items[w->contact].at);
  bool good = take_colon(c) && dls_parse_sum(c->p, &contact.left) && parse_relation(c, &contact) &&
              dls_parse_sum(c->p, &contact.right);
  if (good && c->p->token.kind == DLS_TOKEN_BLOCK_OPEN) good = parse_block(c, &contact);
  // also when it failed: the name is known from here on
  if (c->p->status) return false;
  if (!fresh) return good;
  if (!good) contact.block_broken = true;
  c->p->names->words[contact.name].contact = c->s->contacts.count;
  dls_constraint *place = ADD(c, contacts);
  if (place) *place = contact;
  return good && place;
}

static bool unknown_statement(context *c)
{
  dls_parser *p = c->p;
  const dls_token word = p->token;
  if (word.kind != DLS_TOKEN_NAME && word.kind != DLS_TOKEN_VELOCITY)
    return dls_parser_unexpected(p, "a statement, such as `coordinate x` or `kinetic x'^2/2`");
  const char *text = p->lexer.text + word.at;
  const dls_quoted name = dls_quote(text, word.length);
  const dls_keyword keyword = dls_parser_keyword(p);
  if (keyword == DLS_WORD_SLIP || keyword == DLS_WORD_FRICTION) {
    dls_error_list_hint(dls_error_list_add(p->report, word.at, word.length,
                                           "`%s` belongs in the block of a contact", name.text),
                        "bilateral wall: x = 0 { slip y'; friction 0.3 }");
    dls_parser_advance(p);
    return false;
  }
  dls_diagnostic *d =
      dls_error_list_add(p->report, word.at, word.length, "unknown statement `%s`", name.text);
  suspect(c);
  dls_parser_advance(p);
  if (p->token.kind == DLS_TOKEN_EQUALS)
    dls_error_list_hint(d, "write `parameter %s = ...` or `let %s = ...`", name.text, name.text);
  else
    dls_error_list_hint(
        d, "statements: parameter let coordinate velocity kinetic potential dissipation "
           "force bilateral unilateral restitution state object exact");
  dls_error_list_suggest(p->report, d, p->names, text, word.length, DLS_NEAR_STATEMENT);
  return false;
}

static bool parse_statement(context *c)
{
  const dls_keyword keyword = dls_parser_keyword(c->p);
  switch (keyword) {
  case DLS_NO_KEYWORD:
  case DLS_WORD_SLIP:
  case DLS_WORD_FRICTION: return unknown_statement(c);
  default: dls_parser_advance(c->p);
  }
  switch (keyword) {
  case DLS_WORD_PARAMETER: return parse_definitions(c, true);
  case DLS_WORD_LET: return parse_definitions(c, false);
  case DLS_WORD_COORDINATE: return parse_coordinates(c);
  case DLS_WORD_KINETIC:
  case DLS_WORD_POTENTIAL:
  case DLS_WORD_DISSIPATION: return parse_energy(c, keyword);
  case DLS_WORD_BILATERAL: return parse_constraint(c, DLS_BILATERAL);
  case DLS_WORD_UNILATERAL: return parse_constraint(c, DLS_UNILATERAL);
  case DLS_WORD_RESTITUTION: return parse_restitution(c);
  case DLS_WORD_STATE: return parse_state(c);
  case DLS_WORD_OBJECT: return parse_object(c);
  default: return parse_assignments(c, keyword);
  }
}

bool dls_parse_model(dls_parser *parser, dls_source *source)
{
  context c = {parser, source};
  while (!parser->status && parser->token.kind != DLS_TOKEN_END) {
    if (dls_parser_take(parser, DLS_TOKEN_NEWLINE)) continue;
    bool good = parse_statement(&c);
    const dls_token_kind next = parser->token.kind;
    const bool block = parser->end > 0 && parser->lexer.text[parser->end - 1] == '}';
    if (good && next != DLS_TOKEN_NEWLINE && next != DLS_TOKEN_END)
      good = dls_parser_unexpected(parser, block ? "the end of the statement after the block"
                                                 : "an operator or the end of the statement");
    if (!good) recover(&c);
  }
  return !parser->status;
}
