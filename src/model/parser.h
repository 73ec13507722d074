// Tokens -> formulas and statements. Names are not looked up here but for what makes a statement
// or a call: a model may use what it declares later.
#ifndef DLS_MODEL_PARSER_H
#define DLS_MODEL_PARSER_H

#include "model/lexer.h"
#include "model/error_list.h"
#include "model/source.h"

enum { DLS_NESTING_MAX = 256 };

typedef struct dls_parser {
  dls_lexer lexer;
  dls_token token;      // the one to look at
  unsigned end;         // of the token before
  int depth;            // of brackets, signs and powers
  unsigned open;        // where the innermost open bracket is
  bool in_block;        // of a contact
  const char *follows;  // a word that may stand behind a formula, or NULL
  int loops;            // open blocks of `for`
  bool vectors;         // some formula has one
  size_t expanded;      // bytes that loops have read again
  dls_names *names;
  bool frozen;  // unknown words are not entered into names
  dls_arena *arena;
  dls_error_list *report;
  dls_status status;               // DLS_ERR_MEMORY stops everything
  DLS_LIST(dls_instruction) code;  // of the formula under way
  int stack, stack_max;
} dls_parser;

// Names, arena and report must outlive the parser; a frozen parser leaves the names as they are.
dls_parser dls_parser_begin(const char *text, size_t length, dls_names *names, bool frozen,
                            dls_arena *arena, dls_error_list *report);
void dls_parser_free(dls_parser *parser);

void dls_parser_advance(dls_parser *parser);
bool dls_parser_take(dls_parser *parser, dls_token_kind kind);  // advances when it is there
int dls_parser_word(dls_parser *parser);  // of the token at hand; -1: unknown (frozen), no memory
int dls_parser_spelled(dls_parser *parser, const char *text, unsigned length);  // likewise
// At what ends a statement: a line, `;`, or the `}` of the loop that it stands in.
bool dls_parser_at_end(const dls_parser *parser);
dls_keyword dls_parser_keyword(const dls_parser *parser);

typedef struct dls_written_name {
  int word;             // x, crate[1,2], p.x; -1: unknown (frozen)
  unsigned at, length;  // as it is written
  bool velocity;        // with a quote behind it
} dls_written_name;

// Reads the name that begins with the token at hand; false after an error.
bool dls_parser_name(dls_parser *parser, dls_written_name *name);
bool dls_parse_index(dls_parser *parser, int *value);

// Reports the token at hand as a mistake; returns false. expected ends "expected ...".
bool dls_parser_unexpected(dls_parser *parser, const char *expected);

// Both return false after reporting an error; the formula is then marked broken.
bool dls_parse_expression(dls_parser *parser, dls_formula *formula);
bool dls_parse_sum(dls_parser *parser, dls_formula *formula);  // no comparison outside brackets

// name = EXPR, name' = EXPR; the name may be t.
bool dls_parse_assignment(dls_parser *parser, dls_assignment *assignment);

// The whole text. False when memory ran out.
bool dls_parse_model(dls_parser *parser, dls_source *source);

#endif
