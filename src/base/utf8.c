#include "base/utf8.h"

unsigned dls_utf8_length(const char *text, size_t length)
{
  if (length == 0) return 0;
  const unsigned char first = (unsigned char)text[0];
  if (first < 0x80) return 1;
  const unsigned size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || length < size) return 0;
  for (unsigned i = 1; i < size; i++) {
    if (((unsigned char)text[i] & 0xC0) != 0x80) return 0;
  }
  // overlong forms, surrogates, and what lies beyond U+10FFFF
  const unsigned char second = (unsigned char)text[1];
  if (first == 0xE0 && second < 0xA0) return 0;
  if (first == 0xED && second > 0x9F) return 0;
  if (first == 0xF0 && second < 0x90) return 0;
  if (first == 0xF4 && second > 0x8F) return 0;
  return size;
}

unsigned dls_utf8_code(const char *text, unsigned size)
{
  const unsigned char *s = (const unsigned char *)text;
  if (size == 1) return s[0];
  if (size == 2) return (s[0] & 0x1Fu) << 6 | (s[1] & 0x3Fu);
  if (size == 3) return (s[0] & 0x0Fu) << 12 | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3Fu);
  return (s[0] & 0x07u) << 18 | (s[1] & 0x3Fu) << 12 | (s[2] & 0x3Fu) << 6 | (s[3] & 0x3Fu);
}
