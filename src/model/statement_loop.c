// for i in 1..20, j in 1..4 { statements }: the statements are read once for each value, with the
// variable as a number.
#include "model/statement.h"

enum {
  VARIABLES_MAX = 4,
  LOOPS_MAX = 16,           // inside one another
  EXPANDED_MAX = 16 << 20,  // bytes of a model, written out
};

typedef struct variable {
  int word;
  dls_meaning meaning;  // outside
  int index;
  int from, to;
} variable;

typedef struct loop {
  dls_reader *c;
  int count;
  variable variable[VARIABLES_MAX];
  dls_parser body;  // at its first token
  unsigned open;    // where the `{` is
} loop;

static bool take_in(dls_parser *p)
{
  const dls_token token = p->token;
  const bool found = token.kind == DLS_TOKEN_NAME && token.length == 2 &&
                     p->lexer.text[token.at] == 'i' && p->lexer.text[token.at + 1] == 'n';
  if (!found) return dls_parser_unexpected(p, "`in` and a range such as 1..20");
  dls_parser_advance(p);
  return true;
}

// i in 1..20
static bool read_variable(loop *l)
{
  dls_parser *p = l->c->p;
  variable *v = &l->variable[l->count];
  unsigned at;
  v->word = dls_reader_name(l->c, "the variable", &at);
  if (v->word < 0) return false;
  const dls_word *w = &p->names->words[v->word];
  v->meaning = w->meaning, v->index = w->index;
  if (w->meaning != DLS_MEANS_NOTHING && w->meaning != DLS_MEANS_SUSPECT) {
    dls_error_list_hint(dls_error_list_add(p->report, at, w->length, "`%s` has a meaning already",
                                           dls_quote(w->text, w->length).text),
                        "choose another name for the variable of the `for`");
    return false;
  }
  if (!take_in(p) || !dls_parse_index(p, &v->from)) return false;
  if (!dls_parser_take(p, DLS_TOKEN_RANGE)) return dls_parser_unexpected(p, "`..`, as in 1..20");
  if (!dls_parse_index(p, &v->to)) return false;
  l->count++;
  return true;
}

static bool read_head(loop *l)
{
  dls_parser *p = l->c->p;
  do {
    if (l->count == VARIABLES_MAX)
      return dls_parser_unexpected(p, "at most four variables; put a `for` into the block");
    if (!read_variable(l)) return false;
  } while (dls_parser_take(p, DLS_TOKEN_COMMA));
  for (int a = 0; a < l->count; a++)
    for (int b = 0; b < a; b++)
      if (l->variable[a].word == l->variable[b].word) {
        dls_error_list_add(p->report, p->token.at, 1, "two variables of this `for` have one name");
        return false;
      }
  l->open = p->token.at;
  if (p->token.kind != DLS_TOKEN_BLOCK_OPEN)
    return dls_parser_unexpected(p, "`{` and the statements of the `for`");
  return true;
}

static bool never_closed(const loop *l)
{
  dls_error_list_hint(dls_error_list_add(l->c->p->report, l->open, 1, "this `{` is never closed"),
                      "add the missing `}`");
  return false;
}

// To behind the `}`, without reading what stands there.
static bool skip_body(const loop *l)
{
  dls_parser *p = l->c->p;
  for (int braces = 1; braces > 0; dls_parser_advance(p)) {
    if (p->token.kind == DLS_TOKEN_END) return never_closed(l);
    if (p->token.kind == DLS_TOKEN_BLOCK_OPEN) braces++;
    if (p->token.kind == DLS_TOKEN_BLOCK_CLOSE) braces--;
  }
  return true;
}

static bool grew_too_long(loop *l, unsigned from)
{
  dls_parser *p = l->c->p;
  p->expanded += p->token.at - from + 1;
  if (p->expanded <= EXPANDED_MAX) return false;
  dls_error_list_add(p->report, l->open, 1,
                     "the statements of this `for`, written out, are longer than 16 MiB");
  return true;
}

// The statements, once. False where there is no use in reading them again.
static bool read_body(loop *l)
{
  dls_parser *p = l->c->p;
  const unsigned from = p->token.at;
  p->loops++;
  const bool read = dls_read_statements(l->c);
  p->loops--;
  return read && p->token.kind != DLS_TOKEN_END && !grew_too_long(l, from);
}

// What the parser has learned stays; only its place in the text goes back.
static void go_back(dls_parser *p, const dls_parser *place)
{
  p->lexer = place->lexer;
  p->token = place->token;
  p->end = place->end;
}

static bool read_values(loop *l, int level)
{
  dls_parser *p = l->c->p;
  if (level == l->count) {
    go_back(p, &l->body);
    return read_body(l);
  }
  const variable *v = &l->variable[level];
  for (long value = v->from; value <= v->to; value++) {
    p->names->words[v->word].meaning = DLS_MEANS_INDEX;
    p->names->words[v->word].index = (int)value;
    if (!read_values(l, level + 1)) return false;
  }
  return true;
}

bool dls_read_loop(dls_reader *c)
{
  dls_parser *p = c->p;
  loop l = {.c = c};
  if (p->loops == LOOPS_MAX) return dls_parser_unexpected(p, "fewer loops inside one another");
  if (!read_head(&l)) return false;
  dls_parser_advance(p);
  p->report->once = true;
  l.body = *p;
  read_values(&l, 0);
  for (int k = 0; k < l.count; k++) {
    dls_word *w = &p->names->words[l.variable[k].word];
    w->meaning = l.variable[k].meaning, w->index = l.variable[k].index;
  }
  if (p->status) return false;
  go_back(p, &l.body);
  p->lexer.parens = 0;
  return skip_body(&l);
}
