// Text -> tokens, one at a time. Positions are byte offsets into the text.
#ifndef DLS_MODEL_LEXER_H
#define DLS_MODEL_LEXER_H

#include <stdbool.h>
#include <stddef.h>

typedef enum dls_token_kind {
  DLS_TOKEN_END,
  DLS_TOKEN_NEWLINE,
  DLS_TOKEN_NAME,      // x, or p.x
  DLS_TOKEN_VELOCITY,  // a name with a quote behind it: x'
  DLS_TOKEN_NUMBER,
  DLS_TOKEN_PLUS,
  DLS_TOKEN_MINUS,
  DLS_TOKEN_TIMES,
  DLS_TOKEN_DIVIDE,
  DLS_TOKEN_POWER,
  DLS_TOKEN_OPEN,        // (
  DLS_TOKEN_CLOSE,       // )
  DLS_TOKEN_INDEX_OPEN,  // [
  DLS_TOKEN_INDEX_CLOSE,
  DLS_TOKEN_FIELD,  // .x behind a bracket
  DLS_TOKEN_QUOTE,  // ' behind a bracket or a field
  DLS_TOKEN_RANGE,  // ..
  DLS_TOKEN_BLOCK_OPEN,
  DLS_TOKEN_BLOCK_CLOSE,
  DLS_TOKEN_COMMA,
  DLS_TOKEN_SEMICOLON,
  DLS_TOKEN_COLON,
  DLS_TOKEN_EQUALS,
  DLS_TOKEN_LESS,
  DLS_TOKEN_LESS_EQUAL,
  DLS_TOKEN_GREATER,
  DLS_TOKEN_GREATER_EQUAL,
  DLS_TOKEN_SAME,  // ==
  DLS_TOKEN_DIFFERENT,
  DLS_TOKEN_TEXT,  // "...", with its quotes
  DLS_TOKEN_BAD,   // not a token: problem says why
} dls_token_kind;

typedef struct dls_token {
  dls_token_kind kind;
  unsigned at, length;  // bytes; of a velocity including its quote
  bool first;           // the first of its line
  double value;         // of a number
  const char *problem;  // of a bad token; static
  const char *hint;     // likewise, or NULL
} dls_token;

typedef struct dls_lexer {
  const char *text;
  unsigned length;
  unsigned at;
  unsigned field;  // where the last field ended
  int parens;  // open ( and [; while there are some, ends of lines are blanks. Kept by the caller.
  bool first;
} dls_lexer;

// length is at most UINT_MAX. Skips a byte order mark.
dls_lexer dls_lexer_begin(const char *text, size_t length);
dls_token dls_lexer_next(dls_lexer *lexer);

#endif
