#include "model/lexer.h"

#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dls_lexer dls_lexer_begin(const char *text, size_t length)
{
  dls_lexer lexer = {.text = text, .length = (unsigned)length, .first = true};
  if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) lexer.at = 3;
  return lexer;
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static char peek(const dls_lexer *lexer, unsigned ahead)
{
  return lexer->length - lexer->at > ahead ? lexer->text[lexer->at + ahead] : '\0';
}

// Latin-1 signs, general punctuation, arrows, mathematical operators, box drawing, the ideographic
// space and the byte order mark are no letters; every other character beyond ASCII passes as one.
static bool is_symbol(unsigned code)
{
  return code < 0xAA || (code > 0xAA && code < 0xB5) || (code > 0xB5 && code < 0xBA) ||
         (code > 0xBA && code < 0xC0) || code == 0xD7 || code == 0xF7 ||
         (code >= 0x2000 && code < 0x2070) || (code >= 0x2190 && code < 0x2C00) || code == 0x3000 ||
         code == 0xFEFF;
}

// Bytes of the letter (or digit, or underscore) at the place; 0 when there is none.
static unsigned name_part(const dls_lexer *lexer, unsigned at, bool may_be_digit)
{
  if (at >= lexer->length) return 0;
  const char c = lexer->text[at];
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_') return 1;
  if (is_digit(c)) return may_be_digit;
  if ((unsigned char)c < 0x80) return 0;
  const unsigned size = dls_utf8_length(lexer->text + at, lexer->length - at);
  return size && !is_symbol(dls_utf8_code(lexer->text + at, size)) ? size : 0;
}

static unsigned scan_name(const dls_lexer *lexer, unsigned at)
{
  for (unsigned size; (size = name_part(lexer, at, true)) > 0;) at += size;
  return at;
}

// A name, and the fields behind it: p.x
static unsigned scan_fields(const dls_lexer *lexer, unsigned at)
{
  at = scan_name(lexer, at);
  while (at < lexer->length && lexer->text[at] == '.' && name_part(lexer, at + 1, false))
    at = scan_name(lexer, at + 1);
  return at;
}

static unsigned scan_digits(const dls_lexer *lexer, unsigned at)
{
  while (at < lexer->length && is_digit(lexer->text[at])) at++;
  return at;
}

// The point of a number, and not the first of the two of a range.
static bool is_point(const dls_lexer *lexer, unsigned at)
{
  return at < lexer->length && lexer->text[at] == '.' &&
         !(at + 1 < lexer->length && lexer->text[at + 1] == '.');
}

static dls_token token_of(dls_lexer *lexer, dls_token_kind kind, unsigned length)
{
  const dls_token token = {.kind = kind, .at = lexer->at, .length = length, .first = lexer->first};
  lexer->at += length;
  lexer->first = false;
  return token;
}

static dls_token bad_token(dls_lexer *lexer, unsigned length, const char *problem, const char *hint)
{
  dls_token token = token_of(lexer, DLS_TOKEN_BAD, length);
  token.problem = problem;
  token.hint = hint;
  return token;
}

// The value of a well-formed decimal number. strtod reads the decimal point of the locale, so it is
// given the digits as an integer, with the exponent shifted. 768 digits and one that stands for the
// rest decide every rounding.
static double number_value(const char *text, unsigned length)
{
  enum { DIGITS = 768 };
  char digits[DIGITS + 32];
  int used = 0;
  long long shift = 0, exponent = 0;
  bool after_point = false, rest = false;
  unsigned i = 0;
  for (; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
    if (text[i] == '.') {
      after_point = true;
      continue;
    }
    if (used < DIGITS && (used > 0 || text[i] != '0')) {
      digits[used++] = text[i];
    } else if (used > 0) {
      rest = rest || text[i] != '0';
      shift++;
    }
    if (after_point) shift--;
  }
  if (used == 0) return 0.0;
  if (rest) {
    digits[used++] = '1';
    shift--;
  }
  const bool negative = i + 1 < length && text[i + 1] == '-';
  for (i++; i < length; i++) {
    if (is_digit(text[i]) && exponent < 100000000) exponent = 10 * exponent + (text[i] - '0');
  }
  exponent = shift + (negative ? -exponent : exponent);
  if (exponent > 99999) exponent = 99999;
  if (exponent < -99999) exponent = -99999;
  snprintf(digits + used, sizeof digits - (size_t)used, "e%lld", exponent);
  return strtod(digits, NULL);
}

static dls_token scan_number(dls_lexer *lexer)
{
  const unsigned start = lexer->at;
  unsigned at = scan_digits(lexer, start);
  bool well_formed = true;
  if (is_point(lexer, at)) at = scan_digits(lexer, at + 1);
  if (at < lexer->length && (lexer->text[at] == 'e' || lexer->text[at] == 'E')) {
    unsigned digits = at + 1;
    if (digits < lexer->length && (lexer->text[digits] == '+' || lexer->text[digits] == '-'))
      digits++;
    const unsigned end = scan_digits(lexer, digits);
    well_formed = end > digits;
    at = well_formed ? end : at + 1;
  }
  // what sticks to a number belongs to the mistake: 1.2.3, 0x10, 2x
  for (;;) {
    unsigned end = scan_name(lexer, at);
    if (is_point(lexer, end)) end++;
    if (end == at) break;
    at = end;
    well_formed = false;
  }
  if (!well_formed)
    return bad_token(lexer, at - start, "this is not a number",
                     "numbers look like 2, 0.5 or 1e-3; a product needs its `*`, as in 2*x");
  dls_token token = token_of(lexer, DLS_TOKEN_NUMBER, at - start);
  token.value = number_value(lexer->text + start, at - start);
  if (isinf(token.value)) {
    token.kind = DLS_TOKEN_BAD;
    token.problem = "this number is too large";
    token.hint = "the largest is about 1.797e308";
  }
  return token;
}

static dls_token scan_word(dls_lexer *lexer)
{
  const unsigned end = scan_fields(lexer, lexer->at);
  const unsigned length = end - lexer->at;
  if (end >= lexer->length || lexer->text[end] != '\'')
    return token_of(lexer, DLS_TOKEN_NAME, length);
  if (end + 1 < lexer->length && lexer->text[end + 1] == '\'')
    return bad_token(lexer, length + 2, "second derivatives are not part of the language",
                     "`x'` is the velocity of x; accelerations are what is computed");
  return token_of(lexer, DLS_TOKEN_VELOCITY, length + 1);
}

// A character beyond ASCII that is not a letter.
static dls_token scan_symbol(dls_lexer *lexer)
{
  const char *text = lexer->text + lexer->at;
  const unsigned size = dls_utf8_length(text, lexer->length - lexer->at);
  if (size == 0)
    return bad_token(lexer, 1, "this byte is not valid UTF-8", "save the text as UTF-8");
  switch (dls_utf8_code(text, size)) {
  case 0x2212: return token_of(lexer, DLS_TOKEN_MINUS, size);
  case 0x00B7: return token_of(lexer, DLS_TOKEN_TIMES, size);
  case 0x00D7:
  case 0x22C5: return bad_token(lexer, size, "this character has no meaning here", "write `*`");
  case 0x2264: return bad_token(lexer, size, "this character has no meaning here", "write `<=`");
  case 0x2265: return bad_token(lexer, size, "this character has no meaning here", "write `>=`");
  case 0x2013:
  case 0x2014: return bad_token(lexer, size, "this dash is not a minus sign", "write `-`");
  case 0x00B2: return bad_token(lexer, size, "this character has no meaning here", "write `^2`");
  case 0x2019:
  case 0x2032:
    return bad_token(lexer, size, "this character has no meaning here", "write `'` for a velocity");
  default: return bad_token(lexer, size, "this character has no meaning here", NULL);
  }
}

static dls_token field_token(dls_lexer *lexer)
{
  const dls_token token =
      token_of(lexer, DLS_TOKEN_FIELD, scan_fields(lexer, lexer->at + 1) - lexer->at);
  lexer->field = lexer->at;
  return token;
}

// `.` or `'` behind a bracket, or `..`
static dls_token scan_suffix(dls_lexer *lexer)
{
  const char before = lexer->at > 0 ? lexer->text[lexer->at - 1] : ' ';
  const bool bracket = before == ']' || before == ')';
  if (peek(lexer, 0) == '.' && peek(lexer, 1) == '.') return token_of(lexer, DLS_TOKEN_RANGE, 2);
  if (peek(lexer, 0) == '.' && bracket && name_part(lexer, lexer->at + 1, false))
    return field_token(lexer);
  if (peek(lexer, 0) == '.')
    return bad_token(lexer, 1, "this `.` has no meaning here",
                     "a range is written 1..20, the part of a vector p.x");
  if (bracket || lexer->field == lexer->at) return token_of(lexer, DLS_TOKEN_QUOTE, 1);
  return bad_token(lexer, 1, "a `'` must directly follow the name of a coordinate",
                   "`x'` is the velocity of the coordinate x");
}

// A text has no end of a line in it, and no way to write a quote.
static dls_token scan_text(dls_lexer *lexer)
{
  unsigned end = lexer->at + 1;
  while (end < lexer->length && lexer->text[end] != '"' &&
         (unsigned char)lexer->text[end] >= 0x20 && lexer->text[end] != 0x7F) {
    const unsigned size = dls_utf8_length(lexer->text + end, lexer->length - end);
    if (size == 0) break;
    end += size;
  }
  if (end < lexer->length && lexer->text[end] == '"')
    return token_of(lexer, DLS_TOKEN_TEXT, end + 1 - lexer->at);
  return bad_token(lexer, 1, "this text has no end on its line", "add the missing `\"`");
}

static dls_token scan_operator(dls_lexer *lexer)
{
  const bool equal = peek(lexer, 1) == '=';
  switch (peek(lexer, 0)) {
  case '+': return token_of(lexer, DLS_TOKEN_PLUS, 1);
  case '-': return token_of(lexer, DLS_TOKEN_MINUS, 1);
  case '*':
    if (peek(lexer, 1) == '*')
      return bad_token(lexer, 2, "`**` is not an operator", "a power is written `x^2`");
    return token_of(lexer, DLS_TOKEN_TIMES, 1);
  case '/': return token_of(lexer, DLS_TOKEN_DIVIDE, 1);
  case '^': return token_of(lexer, DLS_TOKEN_POWER, 1);
  case '(': return token_of(lexer, DLS_TOKEN_OPEN, 1);
  case ')': return token_of(lexer, DLS_TOKEN_CLOSE, 1);
  case '{': return token_of(lexer, DLS_TOKEN_BLOCK_OPEN, 1);
  case '}': return token_of(lexer, DLS_TOKEN_BLOCK_CLOSE, 1);
  case ',': return token_of(lexer, DLS_TOKEN_COMMA, 1);
  case ';': return token_of(lexer, DLS_TOKEN_SEMICOLON, 1);
  case ':': return token_of(lexer, DLS_TOKEN_COLON, 1);
  case '=': return token_of(lexer, equal ? DLS_TOKEN_SAME : DLS_TOKEN_EQUALS, equal ? 2 : 1);
  case '<': return token_of(lexer, equal ? DLS_TOKEN_LESS_EQUAL : DLS_TOKEN_LESS, equal ? 2 : 1);
  case '>':
    return token_of(lexer, equal ? DLS_TOKEN_GREATER_EQUAL : DLS_TOKEN_GREATER, equal ? 2 : 1);
  case '!':
    if (equal) return token_of(lexer, DLS_TOKEN_DIFFERENT, 2);
    return bad_token(lexer, 1, "`!` has no meaning here", "`!=` means: is not equal");
  case '"': return scan_text(lexer);
  case '[': return token_of(lexer, DLS_TOKEN_INDEX_OPEN, 1);
  case ']': return token_of(lexer, DLS_TOKEN_INDEX_CLOSE, 1);
  case '.':
  case '\'': return scan_suffix(lexer);
  default: return bad_token(lexer, 1, "this character has no meaning here", NULL);
  }
}

// Bytes of the end of the line at the place, 0 when it is not there.
static unsigned line_end(const dls_lexer *lexer)
{
  if (peek(lexer, 0) == '\n') return 1;
  return peek(lexer, 0) == '\r' && peek(lexer, 1) == '\n' ? 2 : 0;
}

static bool is_control(char c)
{
  const unsigned char byte = (unsigned char)c;
  return (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
}

// Lines that end so would be one line, and a comment at its start would hide all of them.
static bool is_lone_return(const dls_lexer *lexer)
{
  const char next = peek(lexer, 1);
  return peek(lexer, 0) == '\r' && next != '\r' && next != '\n' && lexer->at + 1 < lexer->length;
}

// Passes blanks and comments; a control byte ends a comment, so that it is reported.
static void skip_blanks(dls_lexer *lexer)
{
  bool comment = false;
  for (; lexer->at < lexer->length; lexer->at++) {
    const char c = lexer->text[lexer->at];
    if (is_control(c) || is_lone_return(lexer)) return;
    if (line_end(lexer)) {
      if (lexer->parens == 0) return;
      comment = false;
      lexer->first = true;
    } else if (c == '#') {
      comment = true;
    } else if (!comment && c != ' ' && c != '\t' && c != '\r') {
      return;
    }
  }
}

dls_token dls_lexer_next(dls_lexer *lexer)
{
  skip_blanks(lexer);
  if (lexer->at >= lexer->length) return token_of(lexer, DLS_TOKEN_END, 0);
  const char c = lexer->text[lexer->at];
  if (line_end(lexer)) {
    const dls_token token = token_of(lexer, DLS_TOKEN_NEWLINE, line_end(lexer));
    lexer->first = true;
    return token;
  }
  if (c == 0) {  // UTF-16 or no text at all: said once
    const dls_token token = bad_token(lexer, 1, "a zero byte does not belong in a text",
                                      "is this file a model? save the text as UTF-8");
    lexer->at = lexer->length;
    return token;
  }
  if (c == '\r')
    return bad_token(lexer, 1, "a carriage return alone does not end a line",
                     "save the text with line feeds at the ends of its lines");
  if (is_control(c))
    return bad_token(lexer, 1, "a control character does not belong in a text",
                     "remove this byte; is this file a model?");
  if (name_part(lexer, lexer->at, false)) return scan_word(lexer);
  if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1)))) return scan_number(lexer);
  if ((unsigned char)c >= 0x80) return scan_symbol(lexer);
  return scan_operator(lexer);
}
