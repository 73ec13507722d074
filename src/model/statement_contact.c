// Contacts: bilateral and unilateral constraints with their blocks, entries of the restitution
// matrix.
#include "model/statement.h"

#include <ctype.h>
#include <string.h>

// restitution A [B] = EXPR
bool dls_read_restitution(dls_reader *c)
{
  dls_restitution r = {.contact = {-1, -1}};
  r.name[0] = r.name[1] = dls_reader_name(c, "a contact", &r.at[0]);
  r.at[1] = r.at[0];
  if (r.name[0] < 0) return false;
  if (c->p->token.kind == DLS_TOKEN_NAME) r.name[1] = dls_reader_name(c, "a contact", &r.at[1]);
  if (r.name[1] < 0) return false;
  if (!dls_parser_take(c->p, DLS_TOKEN_EQUALS))
    return dls_parser_unexpected(c->p, "`=` or the name of a second contact");
  if (!dls_parse_expression(c->p, &r.value)) return false;
  dls_restitution *place = DLS_ADD(c, restitutions);
  if (place) *place = r;
  return place;
}

// slip EXPR [, EXPR]
static bool parse_slip(dls_reader *c, dls_constraint *contact)
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

// restitution poisson EXPR: a name that stands before a number, a name or a bracket; elsewhere it
// is a parameter's.
static bool is_poisson(const dls_parser *p)
{
  static const char word[] = "poisson";
  const char *text = p->lexer.text + p->token.at;
  if (p->token.kind != DLS_TOKEN_NAME || p->token.length != strlen(word) ||
      memcmp(text, word, p->token.length) != 0)
    return false;
  text += p->token.length;
  if (*text == '(') return true;
  const char *next = text + strspn(text, " \t");
  return next > text && (*next == '(' || *next == '.' || *next == '_' ||
                         isalnum((unsigned char)*next) || (unsigned char)*next >= 0x80);
}

static dls_formula *formula_of(dls_constraint *contact, dls_keyword keyword)
{
  return keyword == DLS_WORD_SLIP       ? &contact->slip[0]
         : keyword == DLS_WORD_FRICTION ? &contact->friction
         : keyword == DLS_WORD_STATIC   ? &contact->static_friction
                                        : &contact->restitution;
}

static bool parse_block_line(dls_reader *c, dls_constraint *contact)
{
  dls_parser *p = c->p;
  const dls_token word = p->token;
  const dls_keyword keyword = dls_parser_keyword(p);
  if (!dls_is_block_word(keyword)) {
    if (word.kind != DLS_TOKEN_NAME)
      return dls_parser_unexpected(p, "`slip`, `friction`, `static`, `restitution` or `}`");
    const char *text = p->lexer.text + word.at;
    dls_diagnostic *d = dls_error_list_add(
        p->report, word.at, word.length,
        "expected `slip`, `friction`, `static` or `restitution` in the block, found `%s`",
        dls_quote(text, word.length).text);
    dls_error_list_suggest(p->report, d, p->names, text, word.length, DLS_NEAR_BLOCK);
    return false;
  }
  const bool twice =
      keyword == DLS_WORD_SLIP ? contact->tangents > 0 : formula_of(contact, keyword)->length > 0;
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
  // not of a parameter called force, as in `friction force/2`: that is a keyword and cannot be one
  if (keyword == DLS_WORD_FRICTION && dls_parser_keyword(p) == DLS_WORD_FORCE) {
    contact->bounded = true;
    dls_parser_advance(p);
  }
  if (keyword == DLS_WORD_RESTITUTION && is_poisson(p)) {
    contact->poisson = true;
    dls_parser_advance(p);
  }
  return dls_parse_expression(p, formula_of(contact, keyword));
}

// { slip ...; friction ...; static ...; restitution ... }
static bool parse_block(dls_reader *c, dls_constraint *contact)
{
  dls_parser *p = c->p;
  const dls_token open = p->token;
  p->in_block = true;
  dls_parser_advance(p);
  while (!p->status) {
    while (p->token.kind == DLS_TOKEN_NEWLINE || p->token.kind == DLS_TOKEN_SEMICOLON)
      dls_parser_advance(p);
    if (p->token.kind == DLS_TOKEN_BLOCK_CLOSE) break;
    if (p->token.kind == DLS_TOKEN_END || dls_reader_at_statement(p, true)) {
      dls_error_list_hint(dls_error_list_add(p->report, open.at, 1, "this `{` is never closed"),
                          "add the missing `}`");
      p->in_block = false;
      return false;
    }
    if (parse_block_line(c, contact) && dls_reader_item_ends(c)) continue;
    contact->block_broken = true;
    dls_reader_skip_line(c);
  }
  if (p->status) return false;
  p->in_block = false;
  dls_parser_advance(p);
  return true;
}

// The word at hand.
static bool given_twice(dls_reader *c)
{
  dls_parser *p = c->p;
  dls_error_list_add(p->report, p->token.at, p->token.length,
                     "`%.*s` is given twice for this contact", (int)p->token.length,
                     p->lexer.text + p->token.at);
  return false;
}

// force EXPR, or static EXPR, each once.
static bool parse_force_line(dls_reader *c, dls_constraint *contact, bool first)
{
  dls_parser *p = c->p;
  const dls_keyword keyword = dls_parser_keyword(p);
  if (keyword != DLS_WORD_FORCE && keyword != DLS_WORD_STATIC)
    return dls_parser_unexpected(p, first ? "`force` and the largest force of friction"
                                          : "`force`, `static` or `}`");
  dls_formula *place = formula_of(contact, keyword == DLS_WORD_FORCE ? DLS_WORD_FRICTION : keyword);
  if (place->length > 0) return given_twice(c);
  dls_parser_advance(p);
  return dls_parse_expression(p, place);
}

// { force EXPR; static EXPR }
static bool parse_force(dls_reader *c, dls_constraint *contact)
{
  dls_parser *p = c->p;
  if (p->token.kind != DLS_TOKEN_BLOCK_OPEN) return dls_parser_unexpected(p, "`{ force ... }`");
  p->in_block = true;
  dls_parser_advance(p);
  bool good = true, separated = true, any = false;
  while (good) {
    while (dls_parser_take(p, DLS_TOKEN_NEWLINE) || dls_parser_take(p, DLS_TOKEN_SEMICOLON))
      separated = true;
    if (any && (p->token.kind == DLS_TOKEN_BLOCK_CLOSE || !separated)) break;
    good = parse_force_line(c, contact, !any);
    any = true, separated = false;
  }
  if (good && p->token.kind != DLS_TOKEN_BLOCK_CLOSE) good = dls_parser_unexpected(p, "`}`");
  p->in_block = false;
  if (good) dls_parser_advance(p);
  return good;
}

// The relation between the sides of a constraint.
static bool parse_relation(dls_reader *c, dls_constraint *contact)
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
  if (contact->rolling && (inequality || strict || token.kind == DLS_TOKEN_SAME)) {
    dls_error_list_add(p->report, token.at, token.length,
                       "a rolling constraint is an equation: expected `=`");
    return false;
  }
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

// A rolling constraint has no block: nothing slips, and nothing rebounds.
static bool refuse_block(dls_reader *c)
{
  const dls_token open = c->p->token;
  dls_error_list_hint(dls_error_list_add(c->p->report, open.at, 1,
                                         "a rolling constraint has no block: it always holds"),
                      "slip, friction and restitution belong to `bilateral` and `unilateral`");
  return false;
}

static bool parse_sides(dls_reader *c, dls_constraint *contact)
{
  bool good = dls_parse_sum(c->p, &contact->left) && parse_relation(c, contact) &&
              dls_parse_sum(c->p, &contact->right);
  if (good && c->p->token.kind == DLS_TOKEN_BLOCK_OPEN)
    good = contact->rolling ? refuse_block(c) : parse_block(c, contact);
  return good;
}

static bool read_contact(dls_reader *c, dls_constraint contact)
{
  contact.name = dls_reader_name(c, "a contact", &contact.at);
  if (contact.name < 0) return false;
  dls_word *w = &c->p->names->words[contact.name];
  const bool fresh = w->contact < 0;
  if (!fresh)
    dls_reader_twice(c, contact.name, contact.at, "contact", c->s->contacts.items[w->contact].at);
  const bool good =
      dls_reader_colon(c) && (contact.dry ? parse_slip(c, &contact) && parse_force(c, &contact)
                                          : parse_sides(c, &contact));
  // also when it failed: the name is known from here on
  if (c->p->status) return false;
  if (!fresh) return good;
  if (!good) contact.block_broken = true;
  c->p->names->words[contact.name].contact = c->s->contacts.count;
  dls_constraint *place = DLS_ADD(c, contacts);
  if (place) *place = contact;
  return good && place;
}

bool dls_read_contact(dls_reader *c, dls_keyword keyword)
{
  return read_contact(
      c, (dls_constraint){.kind = keyword == DLS_WORD_UNILATERAL ? DLS_UNILATERAL : DLS_BILATERAL,
                          .rolling = keyword == DLS_WORD_ROLLING,
                          .left.broken = true,
                          .right.broken = true});
}

// friction NAME: SLIP [, SLIP] { force EXPR; static EXPR }
bool dls_read_friction(dls_reader *c)
{
  return read_contact(c, (dls_constraint){.kind = DLS_BILATERAL, .dry = true, .bounded = true});
}
