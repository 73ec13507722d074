// The expression part of the parser, by recursive descent: chains of operators are loops, so that
// recursion goes only as deep as the brackets do.
//
//   comparison  sum [(< | <= | > | >= | == | !=) sum]
//   sum         product {(+ | -) product}
//   product     signed {(* | /) signed}
//   signed      - signed | power
//   power       primary [^ signed]
//   primary     number | name ['] | function ( list ) [.x] | ( list ) [.x]
//   list        comparison {, comparison}: in brackets alone, two or three make a vector
#include "model/parser.h"

#include "base/memory.h"

#include <string.h>
#include <limits.h>

static const double pi = 3.14159265358979323846;

static bool parse_comparison(dls_parser *p);
static bool parse_signed(dls_parser *p);

int dls_code_arguments(const dls_instruction *code)
{
  switch (code->op) {
  case DLS_CODE_NAME:
  case DLS_CODE_VELOCITY_NAME:
  case DLS_CODE_REFERENCE:
  case DLS_CODE_QUANTITY: return 0;
  case DLS_CODE_GREATER:
  case DLS_CODE_GREATER_EQUAL: return 2;
  case DLS_CODE_UNKNOWN_CALL: return (int)code->value;
  case DLS_CODE_VECTOR: return code->index;
  case DLS_CODE_DOT:
  case DLS_CODE_CROSS: return 2;
  case DLS_CODE_NORM:
  case DLS_CODE_PART: return 1;
  default: return dls_op_arguments((dls_op)code->op);
  }
}

static bool emit(dls_parser *p, dls_instruction instruction)
{
  dls_instruction *items =
      dls_list_more(p->code.items, p->code.count, &p->code.capacity, sizeof *items);
  if (!items) {
    p->status = DLS_ERR_MEMORY;
    return false;
  }
  p->code.items = items;
  items[p->code.count++] = instruction;
  p->stack += 1 - dls_code_arguments(&instruction);
  if (p->stack > p->stack_max) p->stack_max = p->stack;
  return true;
}

static bool emit_operator(dls_parser *p, int op, const dls_token *token)
{
  return emit(p, (dls_instruction){.op = op, .at = token->at, .length = token->length});
}

static bool enter_nesting(dls_parser *p)
{
  if (p->depth < DLS_NESTING_MAX) {
    p->depth++;
    return true;
  }
  dls_error_list_hint(dls_error_list_add(p->report, p->token.at, p->token.length,
                                         "the expression is nested deeper than %d levels",
                                         DLS_NESTING_MAX),
                      "name a part of it with `let`");
  return false;
}

static bool starts_operand(dls_token_kind kind)
{
  return kind == DLS_TOKEN_NAME || kind == DLS_TOKEN_VELOCITY || kind == DLS_TOKEN_NUMBER ||
         kind == DLS_TOKEN_OPEN;
}

// At the first word of a line that reads as a new statement although a bracket is open.
static bool at_next_statement(const dls_parser *p)
{
  if (!p->token.first || dls_parser_keyword(p) == DLS_NO_KEYWORD) return false;
  dls_lexer ahead = p->lexer;
  return starts_operand(dls_lexer_next(&ahead).kind);
}

static bool never_closed(dls_parser *p)
{
  dls_error_list_hint(dls_error_list_add(p->report, p->open, 1, "this `(` is never closed"),
                      "add the missing `)`");
  return false;
}

// The innermost bracket is not closed by the token at hand.
static bool not_closed(dls_parser *p, const char *expected)
{
  switch (p->token.kind) {
  case DLS_TOKEN_END:
  case DLS_TOKEN_BLOCK_OPEN:
  case DLS_TOKEN_BLOCK_CLOSE:
  case DLS_TOKEN_SEMICOLON: return never_closed(p);
  default: return at_next_statement(p) ? never_closed(p) : dls_parser_unexpected(p, expected);
  }
}

// ( comparison {, comparison} ); the token at hand is the `(`. most: how many are read.
static bool parse_list(dls_parser *p, int most, int *count, const char *expected)
{
  const unsigned outer = p->open;
  *count = 0;
  if (!enter_nesting(p)) return false;
  p->open = p->token.at;
  dls_parser_advance(p);
  if (most < INT_MAX || p->token.kind != DLS_TOKEN_CLOSE) {
    do {
      if (!parse_comparison(p)) return false;
      ++*count;
    } while (*count < most && dls_parser_take(p, DLS_TOKEN_COMMA));
  }
  if (p->token.kind != DLS_TOKEN_CLOSE) return not_closed(p, expected);
  dls_parser_advance(p);
  p->open = outer;
  p->depth--;
  return true;
}

static bool parse_arguments(dls_parser *p, int *count)
{
  return parse_list(p, INT_MAX, count, "an operator, `,` or `)`");
}

static bool parse_function(dls_parser *p, const dls_token *name, const dls_word *w)
{
  const char *text = w->text;
  const int op = w->index;
  if (p->token.kind != DLS_TOKEN_OPEN) {
    dls_error_list_hint(dls_error_list_add(p->report, name->at, name->length,
                                           "the function `%s` needs its arguments in brackets",
                                           text),
                        op == DLS_OP_IF ? "write `if(condition, a, b)`" : "write `%s(...)`", text);
    return false;
  }
  int count;
  if (!parse_arguments(p, &count)) return false;
  const dls_instruction call = {.op = op, .at = name->at, .length = name->length};
  const int wanted = dls_code_arguments(&call);
  if (count != wanted) {
    dls_error_list_add(p->report, name->at, name->length, "`%s` takes %d argument%s, not %d", text,
                       wanted, wanted == 1 ? "" : "s", count);
    return false;
  }
  p->vectors |= op >= DLS_CODE_VECTOR;
  return emit(p, call);
}

static bool parse_name(dls_parser *p)
{
  const dls_token token = p->token;
  dls_written_name name;
  if (!dls_parser_name(p, &name)) return false;
  const dls_word *w = name.word < 0 ? NULL : &p->names->words[name.word];
  const dls_meaning meaning = w ? w->meaning : DLS_MEANS_NOTHING;
  if (meaning == DLS_MEANS_FUNCTION && !name.velocity) return parse_function(p, &token, w);
  if (!name.velocity && p->token.kind == DLS_TOKEN_OPEN) {
    int count;
    if (!parse_arguments(p, &count)) return false;
    return emit(p, (dls_instruction){.op = DLS_CODE_UNKNOWN_CALL,
                                     .index = name.word,
                                     .at = name.at,
                                     .length = name.length,
                                     .value = count});
  }
  dls_instruction code = {
      .op = DLS_CODE_NAME, .index = name.word, .at = name.at, .length = name.length};
  if (name.velocity) {
    code.op = DLS_CODE_VELOCITY_NAME;
  } else if (meaning == DLS_MEANS_PI || meaning == DLS_MEANS_INDEX) {
    code.op = DLS_OP_CONSTANT;
    code.value = meaning == DLS_MEANS_PI ? pi : w->index;
  }
  return emit(p, code);
}

static bool emit_vector(dls_parser *p, const dls_token *open, int count)
{
  p->vectors = true;
  return emit(
      p, (dls_instruction){.op = DLS_CODE_VECTOR, .index = count, .at = open->at, .length = 1});
}

static bool parse_primary(dls_parser *p)
{
  // in a block a line may end where an operand must follow
  while (p->in_block && p->token.kind == DLS_TOKEN_NEWLINE) dls_parser_advance(p);
  const dls_token token = p->token;
  int count;
  if (p->lexer.parens > 0 && at_next_statement(p)) return never_closed(p);
  switch (token.kind) {
  case DLS_TOKEN_NUMBER:
    dls_parser_advance(p);
    return emit(p, (dls_instruction){.op = DLS_OP_CONSTANT,
                                     .at = token.at,
                                     .length = token.length,
                                     .value = token.value});
  case DLS_TOKEN_NAME:
  case DLS_TOKEN_VELOCITY: return parse_name(p);
  case DLS_TOKEN_OPEN:
    if (!parse_list(p, 3, &count, "an operator or `)`")) return false;
    return count == 1 || emit_vector(p, &token, count);
  default: return dls_parser_unexpected(p, "a number, a name or `(`");
  }
}

// .x, .y, .z behind a bracket
static bool parse_part(dls_parser *p)
{
  const dls_token token = p->token;
  const char part = p->lexer.text[token.at + 1];
  if (token.length != 2 || part < 'x' || part > 'z')
    return dls_parser_unexpected(p, "`.x`, `.y` or `.z`");
  dls_parser_advance(p);
  p->vectors = true;
  return emit(
      p, (dls_instruction){.op = DLS_CODE_PART, .index = part - 'x', .at = token.at, .length = 2});
}

static bool parse_power(dls_parser *p)
{
  if (!parse_primary(p)) return false;
  if (p->token.kind == DLS_TOKEN_FIELD && !parse_part(p)) return false;
  if (p->token.kind != DLS_TOKEN_POWER) return true;
  const dls_token token = p->token;
  if (!enter_nesting(p)) return false;
  dls_parser_advance(p);
  if (!parse_signed(p)) return false;
  p->depth--;
  return emit_operator(p, DLS_OP_POW, &token);
}

static bool parse_signed(dls_parser *p)
{
  if (p->token.kind != DLS_TOKEN_MINUS) return parse_power(p);
  const dls_token token = p->token;
  if (!enter_nesting(p)) return false;
  dls_parser_advance(p);
  if (!parse_signed(p)) return false;
  p->depth--;
  return emit_operator(p, DLS_OP_NEG, &token);
}

static bool parse_product(dls_parser *p)
{
  if (!parse_signed(p)) return false;
  while (p->token.kind == DLS_TOKEN_TIMES || p->token.kind == DLS_TOKEN_DIVIDE) {
    const dls_token token = p->token;
    dls_parser_advance(p);
    if (!parse_signed(p)) return false;
    const int op = token.kind == DLS_TOKEN_TIMES ? DLS_OP_MUL : DLS_OP_DIV;
    if (!emit_operator(p, op, &token)) return false;
  }
  return true;
}

static bool parse_terms(dls_parser *p)
{
  if (!parse_product(p)) return false;
  while (p->token.kind == DLS_TOKEN_PLUS || p->token.kind == DLS_TOKEN_MINUS) {
    const dls_token token = p->token;
    dls_parser_advance(p);
    if (!parse_product(p)) return false;
    const int op = token.kind == DLS_TOKEN_PLUS ? DLS_OP_ADD : DLS_OP_SUB;
    if (!emit_operator(p, op, &token)) return false;
  }
  return true;
}

static int comparison_op(dls_token_kind kind)
{
  switch (kind) {
  case DLS_TOKEN_LESS: return DLS_OP_LESS;
  case DLS_TOKEN_LESS_EQUAL: return DLS_OP_LESS_EQUAL;
  case DLS_TOKEN_GREATER: return DLS_CODE_GREATER;
  case DLS_TOKEN_GREATER_EQUAL: return DLS_CODE_GREATER_EQUAL;
  case DLS_TOKEN_SAME: return DLS_OP_EQUAL;
  case DLS_TOKEN_DIFFERENT: return DLS_OP_NOT_EQUAL;
  default: return -1;
  }
}

static bool parse_comparison(dls_parser *p)
{
  if (!parse_terms(p)) return false;
  const dls_token token = p->token;
  const int op = comparison_op(token.kind);
  if (op < 0) return true;
  dls_parser_advance(p);
  if (!parse_terms(p)) return false;
  if (comparison_op(p->token.kind) >= 0) {
    dls_error_list_hint(dls_error_list_add(p->report, p->token.at, p->token.length,
                                           "comparisons cannot be chained"),
                        "use brackets, or `if(a < b, b < c, 0)`");
    return false;
  }
  return emit_operator(p, op, &token);
}

// The names in a formula that failed may have been meant as declarations.
static void suspect_names(dls_parser *p)
{
  for (int i = 0; i < p->code.count; i++) {
    const dls_instruction *code = &p->code.items[i];
    if (code->op != DLS_CODE_NAME && code->op != DLS_CODE_VELOCITY_NAME) continue;
    if (p->frozen || code->index < 0) continue;
    dls_word *w = &p->names->words[code->index];
    if (w->meaning == DLS_MEANS_NOTHING) w->meaning = DLS_MEANS_SUSPECT;
  }
}

// What begins an operand, and is not the word that goes on behind the formula.
static bool lacks_operator(const dls_parser *p)
{
  const dls_token *token = &p->token;
  const char *text = p->lexer.text + token->at;
  if (!starts_operand(token->kind)) return false;
  return !p->follows || token->kind != DLS_TOKEN_NAME || token->length != strlen(p->follows) ||
         memcmp(text, p->follows, token->length) != 0;
}

static bool parse_formula(dls_parser *p, dls_formula *formula, bool (*rule)(dls_parser *))
{
  p->code.count = 0;
  p->stack = p->stack_max = p->depth = 0;
  while (p->in_block && p->token.kind == DLS_TOKEN_NEWLINE) dls_parser_advance(p);
  *formula = (dls_formula){.at = p->token.at, .length = p->token.length, .broken = true};
  bool good = rule(p);
  if (good && lacks_operator(p)) good = dls_parser_unexpected(p, "an operator");
  if (!good) {
    suspect_names(p);
    return false;
  }
  formula->code = dls_arena_alloc(p->arena, p->code.count, sizeof *formula->code);
  if (!formula->code) {
    p->status = DLS_ERR_MEMORY;
    return false;
  }
  dls_copy(formula->code, p->code.items, p->code.count);
  formula->count = p->code.count;
  formula->stack = p->stack_max;
  formula->length = p->end - formula->at;
  formula->broken = false;
  return true;
}

bool dls_parse_expression(dls_parser *parser, dls_formula *formula)
{
  return parse_formula(parser, formula, parse_comparison);
}

bool dls_parse_sum(dls_parser *parser, dls_formula *formula)
{
  return parse_formula(parser, formula, parse_terms);
}
