// The statements of a model. A statement that fails is skipped to its end; the words that were
// passed over are suspects, so that one mistake is not reported again as unknown names.
#include "model/statement_block.h"

void *dls_reader_grow(dls_reader *c, void *items, int count, ptrdiff_t *capacity, size_t size)
{
  void *more = dls_list_more(items, count, capacity, size);
  if (!more) c->p->status = DLS_ERR_MEMORY;
  return more ? more : items;
}

static void suspect(dls_reader *c)
{
  if (c->p->token.kind != DLS_TOKEN_NAME && c->p->token.kind != DLS_TOKEN_VELOCITY) return;
  const int word = dls_parser_word(c->p);
  if (word < 0) return;
  dls_word *w = &c->p->names->words[word];
  if (w->meaning == DLS_MEANS_NOTHING) w->meaning = DLS_MEANS_SUSPECT;
}

bool dls_is_block_word(dls_keyword keyword)
{
  return keyword == DLS_WORD_SLIP || keyword == DLS_WORD_FRICTION || keyword == DLS_WORD_STATIC ||
         keyword == DLS_WORD_RESTITUTION;
}

// At the first word of a line that can only start a statement of its own.
bool dls_reader_at_statement(const dls_parser *p, bool in_block)
{
  if (!p->token.first) return false;
  const dls_keyword keyword = dls_parser_keyword(p);
  return keyword != DLS_NO_KEYWORD && !(in_block && dls_is_block_word(keyword));
}

// Skips the rest of a statement that failed.
static void recover(dls_reader *c)
{
  dls_parser *p = c->p;
  int braces = p->in_block;
  while (!p->status && p->token.kind != DLS_TOKEN_END && !dls_reader_at_statement(p, braces > 0)) {
    const bool inside = p->lexer.parens > 0 && p->token.kind == DLS_TOKEN_SEMICOLON;
    if (braces <= 0 && !inside && dls_parser_at_end(p)) break;
    if (p->token.kind == DLS_TOKEN_BLOCK_OPEN) braces++;
    if (p->token.kind == DLS_TOKEN_BLOCK_CLOSE) braces--;
    suspect(c);
    dls_parser_advance(p);
  }
  p->lexer.parens = 0;
  p->in_block = false;
}

bool dls_reader_item_ends(dls_reader *c)
{
  const dls_token_kind next = c->p->token.kind;
  return next == DLS_TOKEN_NEWLINE || next == DLS_TOKEN_SEMICOLON ||
         next == DLS_TOKEN_BLOCK_CLOSE || next == DLS_TOKEN_END ||
         dls_parser_unexpected(c->p, "`;`, `}` or the end of the line");
}

void dls_reader_skip_line(dls_reader *c)
{
  dls_parser *p = c->p;
  while (!p->status && p->token.kind != DLS_TOKEN_END && p->token.kind != DLS_TOKEN_NEWLINE &&
         p->token.kind != DLS_TOKEN_SEMICOLON && p->token.kind != DLS_TOKEN_BLOCK_CLOSE &&
         !dls_reader_at_statement(p, true)) {
    suspect(c);
    dls_parser_advance(p);
  }
  p->lexer.parens = 0;
}

// Reads a name that is to be declared; -1 after an error.
int dls_reader_name(dls_reader *c, const char *what, unsigned *at)
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
  dls_written_name name;
  if (!dls_parser_name(p, &name)) return -1;
  if (!name.velocity) return name.word;
  dls_error_list_add(p->report, name.at, name.length, "the name of %s has no `'`", what);
  return -1;
}

void dls_reader_twice(dls_reader *c, int word, unsigned at, const char *what, unsigned first)
{
  const dls_word *w = &c->p->names->words[word];
  dls_error_list *report = c->p->report;
  dls_error_list_hint(dls_error_list_add(report, at, w->length, "the %s `%s` is declared twice",
                                         what, dls_quote(w->text, w->length).text),
                      "first declared at line %d", dls_error_list_line(report, first));
}

// Gives a word its meaning in expressions; false after an error.
static bool declare(dls_reader *c, int word, unsigned at, dls_meaning meaning, int index)
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
  case DLS_MEANS_COORDINATE: dls_reader_twice(c, word, at, "name", w->at); return false;
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
  case DLS_MEANS_INDEX:
    dls_error_list_add(c->p->report, at, w->length,
                       "`%s` is the variable of this `for`; choose another name", name.text);
    return false;
  }
  return false;
}

// let tip = point BODY (x, y, z): a name behind `point` is that of a body.
static bool at_point(const dls_parser *p)
{
  if (!dls_reader_is(p, "point")) return false;
  dls_lexer ahead = p->lexer;
  return dls_lexer_next(&ahead).kind == DLS_TOKEN_NAME;
}

static bool parse_point(dls_reader *c, dls_definition *d, int let)
{
  dls_parser *p = c->p;
  d->value = (dls_formula){.at = p->token.at, .length = p->token.length, .count = 1, .stack = 1};
  d->value.code = dls_arena_alloc(p->arena, 1, sizeof *d->value.code);
  if (!d->value.code) return p->status = DLS_ERR_MEMORY, false;
  *d->value.code =
      (dls_instruction){.op = DLS_OP_CONSTANT, .at = p->token.at, .length = p->token.length};
  if (!dls_read_body_point(c, let)) return false;
  d->point = c->s->points.count;
  return true;
}

// parameter a = EXPR, b = EXPR   and the same for let
static bool parse_definitions(dls_reader *c, bool parameter)
{
  dls_parser *p = c->p;
  do {
    dls_definition d = {.value.broken = true};
    d.name = dls_reader_name(c, parameter ? "a parameter" : "an expression", &d.at);
    if (d.name < 0) return false;
    const int index = parameter ? c->s->parameters.count : c->s->lets.count;
    const dls_meaning meaning = parameter ? DLS_MEANS_PARAMETER : DLS_MEANS_LET;
    const bool fresh = declare(c, d.name, d.at, meaning, index);
    const bool equals = p->token.kind == DLS_TOKEN_EQUALS;
    bool good = equals || dls_parser_unexpected(p, "`=` and a value");
    if (equals) {
      dls_parser_advance(p);
      const bool point = !parameter && at_point(p);
      good = point ? parse_point(c, &d, index) : dls_parse_expression(p, &d.value);
    }
    // also when its value failed: the name is known from here on
    if (fresh && !p->status) {
      dls_definition *place = parameter ? DLS_ADD(c, parameters) : DLS_ADD(c, lets);
      if (place) *place = d;
    }
    if (!good || p->status) return false;
  } while (dls_parser_take(p, DLS_TOKEN_COMMA));
  return true;
}

// After a name in a list: a comma, or the end of the statement.
static bool at_end_of_item(dls_parser *p, const char *expected)
{
  return p->token.kind == DLS_TOKEN_COMMA || dls_parser_at_end(p) ||
         dls_parser_unexpected(p, expected);
}

static bool parse_coordinates(dls_reader *c)
{
  dls_parser *p = c->p;
  do {
    dls_coordinate q = {0};
    q.name = dls_reader_name(c, "a coordinate", &q.at);
    if (q.name < 0) return false;
    const bool fresh = declare(c, q.name, q.at, DLS_MEANS_COORDINATE, c->s->coordinates.count);
    const bool valued = dls_parser_take(p, DLS_TOKEN_EQUALS);
    const bool good = valued ? dls_parse_expression(p, &q.initial)
                             : at_end_of_item(p, "`=`, `,` or the end of the line");
    if (fresh && !p->status) {
      dls_coordinate *place = DLS_ADD(c, coordinates);
      if (place) *place = q;
    }
    if (!good || p->status) return false;
  } while (dls_parser_take(p, DLS_TOKEN_COMMA));
  return true;
}

// Whether a formula is a vector as it is written; names of vectors are not seen here.
static bool is_vector(const dls_formula *f)
{
  return f->count > 0 && f->code[f->count - 1].op == DLS_CODE_VECTOR;
}

// velocity x = EXPR, ...   exact x = EXPR, ...   force x = EXPR, ...
static bool parse_assignments(dls_reader *c, dls_keyword kind)
{
  do {
    dls_assignment a;
    if (!dls_parse_assignment(c->p, &a)) return false;
    if (kind == DLS_WORD_FORCE && is_vector(&a.value)) {
      if (!dls_add_body_term(c, &a, false)) return false;
      continue;
    }
    if (kind == DLS_WORD_FORCE) {
      dls_term *term = DLS_ADD(c, terms);
      if (!term) return false;
      *term = (dls_term){.kind = kind, .name = a.name, .at = a.at, .target = -1, .value = a.value};
      if (!a.velocity) continue;
      dls_error_list_add(c->p->report, a.at, c->p->names->words[a.name].length + 1,
                         "a force acts on a coordinate; write its name without `'`");
      return false;
    }
    dls_assignment *place = kind == DLS_WORD_VELOCITY ? DLS_ADD(c, velocities) : DLS_ADD(c, exacts);
    if (!place) return false;
    *place = a;
  } while (dls_parser_take(c->p, DLS_TOKEN_COMMA));
  return true;
}

static bool parse_energy(dls_reader *c, dls_keyword kind)
{
  dls_term term = {.kind = kind, .name = -1, .target = -1};
  const bool good = dls_parse_expression(c->p, &term.value);
  if (c->p->status) return false;
  dls_term *place = DLS_ADD(c, terms);
  if (place) *place = term;
  return good && place;
}

bool dls_reader_colon(dls_reader *c)
{
  if (dls_parser_take(c->p, DLS_TOKEN_COLON)) return true;
  return dls_parser_unexpected(c->p, "`:` after the name");
}

static bool parse_state(dls_reader *c)
{
  dls_named_list state = {0};
  state.name = dls_reader_name(c, "a state", &state.at);
  if (state.name < 0) return false;
  dls_word *w = &c->p->names->words[state.name];
  const bool fresh = w->state < 0;
  if (!fresh) dls_reader_twice(c, state.name, state.at, "state", c->s->states.items[w->state].at);
  if (!dls_reader_colon(c)) return false;
  state.first = c->s->assignments.count;
  do {
    dls_assignment a;
    if (!dls_parse_assignment(c->p, &a)) return false;
    dls_assignment *place = DLS_ADD(c, assignments);
    if (!place) return false;
    *place = a;
  } while (dls_parser_take(c->p, DLS_TOKEN_COMMA));
  state.count = c->s->assignments.count - state.first;
  if (!fresh) return true;
  c->p->names->words[state.name].state = c->s->states.count;
  dls_named_list *place = DLS_ADD(c, states);
  if (place) *place = state;
  return place;
}

// object BODY: the name stands for the six velocities of a body.
static bool add_body_object(dls_reader *c, dls_named_list *object, bool fresh)
{
  if (!dls_parser_at_end(c->p)) return dls_parser_unexpected(c->p, "`:` after the name");
  if (!fresh) return true;
  const dls_word *w = &c->p->names->words[object->name];
  dls_body_name *body = DLS_ADD(c, body_objects);
  if (!body) return false;
  *body = (dls_body_name){.name = object->name, .at = object->at, .length = w->length};
  object->first = c->s->members.count, object->count = 0;
  object->body = c->s->body_objects.count;
  c->p->names->words[object->name].object = c->s->objects.count;
  dls_named_list *place = DLS_ADD(c, objects);
  if (place) *place = *object;
  return place;
}

static bool parse_object(dls_reader *c)
{
  dls_named_list object = {0};
  object.name = dls_reader_name(c, "an object", &object.at);
  if (object.name < 0) return false;
  dls_word *w = &c->p->names->words[object.name];
  const bool fresh = w->object < 0;
  if (!fresh)
    dls_reader_twice(c, object.name, object.at, "object", c->s->objects.items[w->object].at);
  if (c->p->token.kind != DLS_TOKEN_COLON) return add_body_object(c, &object, fresh);
  if (!dls_reader_colon(c)) return false;
  object.first = c->s->members.count;
  do {
    dls_member member = {.coordinate = -1};
    member.name = dls_reader_name(c, "a coordinate", &member.at);
    if (member.name < 0 || !at_end_of_item(c->p, "`,` or the end of the line")) return false;
    dls_member *place = DLS_ADD(c, members);
    if (!place) return false;
    *place = member;
  } while (dls_parser_take(c->p, DLS_TOKEN_COMMA));
  object.count = c->s->members.count - object.first;
  if (!fresh) return true;
  c->p->names->words[object.name].object = c->s->objects.count;
  dls_named_list *place = DLS_ADD(c, objects);
  if (place) *place = object;
  return place;
}

// slip, static, and friction without a name.
static bool misplaced(const dls_reader *c, const dls_token *word)
{
  dls_error_list_hint(dls_error_list_add(c->p->report, word->at, word->length,
                                         "`%.*s` belongs in the block of a contact",
                                         (int)word->length, c->p->lexer.text + word->at),
                      "bilateral wall: x = 0 { slip y'; friction 0.3 }");
  return false;
}

static bool unknown_statement(dls_reader *c)
{
  dls_parser *p = c->p;
  const dls_token word = p->token;
  if (word.kind != DLS_TOKEN_NAME && word.kind != DLS_TOKEN_VELOCITY)
    return dls_parser_unexpected(p, "a statement, such as `coordinate x` or `kinetic x'^2/2`");
  const char *text = p->lexer.text + word.at;
  const dls_quoted name = dls_quote(text, word.length);
  dls_diagnostic *d =
      dls_error_list_add(p->report, word.at, word.length, "unknown statement `%s`", name.text);
  suspect(c);
  dls_parser_advance(p);
  if (p->token.kind == DLS_TOKEN_EQUALS)
    dls_error_list_hint(d, "write `parameter %s = ...` or `let %s = ...`", name.text, name.text);
  else
    dls_error_list_hint(
        d, "statements: parameter let coordinate velocity kinetic potential dissipation "
           "force bilateral rolling unilateral friction restitution state object exact for draw "
           "output event; of bodies: gravity body fixed joint contact import torque");
  dls_error_list_suggest(p->report, d, p->names, text, word.length, DLS_NEAR_STATEMENT);
  return false;
}

static bool parse_statement(dls_reader *c)
{
  const dls_keyword keyword = dls_parser_keyword(c->p);
  const dls_token word = c->p->token;
  if (keyword == DLS_NO_KEYWORD) return unknown_statement(c);
  dls_parser_advance(c->p);
  switch (keyword) {
  case DLS_WORD_PARAMETER: return parse_definitions(c, true);
  case DLS_WORD_LET: return parse_definitions(c, false);
  case DLS_WORD_COORDINATE: return parse_coordinates(c);
  case DLS_WORD_KINETIC:
  case DLS_WORD_POTENTIAL:
  case DLS_WORD_DISSIPATION: return parse_energy(c, keyword);
  case DLS_WORD_BILATERAL:
  case DLS_WORD_ROLLING:
  case DLS_WORD_UNILATERAL: return dls_read_contact(c, keyword);
  case DLS_WORD_RESTITUTION: return dls_read_restitution(c);
  case DLS_WORD_SLIP:
  case DLS_WORD_STATIC: return misplaced(c, &word);
  case DLS_WORD_FRICTION:
    return c->p->token.kind == DLS_TOKEN_NAME ? dls_read_friction(c) : misplaced(c, &word);
  case DLS_WORD_STATE: return parse_state(c);
  case DLS_WORD_OBJECT: return parse_object(c);
  case DLS_WORD_FOR: return dls_read_loop(c);
  case DLS_WORD_DRAW: return dls_read_draw(c);
  case DLS_WORD_OUTPUT: return dls_read_outputs(c);
  case DLS_WORD_EVENT: return dls_read_event(c);
  case DLS_WORD_GRAVITY: return dls_read_gravity(c, &word);
  case DLS_WORD_BODY:
  case DLS_WORD_FIXED: return dls_read_body(c, keyword == DLS_WORD_FIXED);
  case DLS_WORD_JOINT: return dls_read_joint(c);
  case DLS_WORD_CONTACT: return dls_read_rule(c);
  case DLS_WORD_IMPORT: return dls_read_import(c);
  case DLS_WORD_TORQUE: return dls_read_torque(c);
  default: return parse_assignments(c, keyword);
  }
}

static bool at_end_of_loop(const dls_parser *p)
{
  return p->loops > 0 && p->token.kind == DLS_TOKEN_BLOCK_CLOSE;
}

bool dls_read_statements(dls_reader *c)
{
  dls_parser *p = c->p;
  while (!p->status && p->token.kind != DLS_TOKEN_END && !at_end_of_loop(p)) {
    if (dls_parser_take(p, DLS_TOKEN_NEWLINE) || dls_parser_take(p, DLS_TOKEN_SEMICOLON)) continue;
    bool good = parse_statement(c);
    const bool block = p->end > 0 && p->lexer.text[p->end - 1] == '}';
    if (good && !dls_parser_at_end(p))
      good = dls_parser_unexpected(p, block ? "the end of the statement after the block"
                                            : "an operator or the end of the statement");
    if (!good) recover(c);
  }
  return !p->status;
}

bool dls_parse_model(dls_parser *parser, dls_source *source)
{
  dls_reader c = {parser, source};
  return dls_read_statements(&c);
}
