// STL files: binary and ASCII.
#include "format/mesh.h"

#include "base/decimal.h"
#include "base/memory.h"
#include "base/message.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

enum { HEAD = 80, RECORD = 50, MOST_TRIANGLES = 1 << 23 };

static uint32_t whole(const unsigned char *b)
{
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static float single(const unsigned char *b)
{
  const uint32_t bits = whole(b);
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static dls_status make_room(dls_mesh *mesh, int triangles, dls_message *message)
{
  mesh->point = dls_alloc(9 * (ptrdiff_t)triangles, sizeof *mesh->point);
  mesh->corner = dls_alloc(3 * (ptrdiff_t)triangles, sizeof *mesh->corner);
  if (!mesh->point || !mesh->corner) return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  mesh->triangles = triangles;
  mesh->points = 3 * triangles;
  for (int k = 0; k < 3 * triangles; k++) mesh->corner[k] = k;
  return DLS_OK;
}

static dls_status too_large(const char *name, dls_message *message)
{
  return dls_fail(message, DLS_ERR_LIMIT, "%.400s: more than %d triangles", name, MOST_TRIANGLES);
}

static dls_status parse_binary(const char *name, const char *text, size_t length, dls_mesh *mesh,
                               dls_message *message)
{
  const unsigned char *b = (const unsigned char *)text;
  const uint32_t count = whole(b + HEAD);
  if (count > MOST_TRIANGLES) return too_large(name, message);
  const dls_status status = make_room(mesh, (int)count, message);
  if (status) return status;
  (void)length;
  b += HEAD + 4;
  for (ptrdiff_t t = 0; t < (ptrdiff_t)count; t++, b += RECORD) {
    for (int k = 0; k < 9; k++) mesh->point[9 * t + k] = (double)single(b + 12 + 4 * k);
  }
  return DLS_OK;
}

// ---- ASCII --------------------------------------------------------------------------------------

typedef struct scanner {
  const char *name, *at, *end;
  int line;
  dls_message *message;
} scanner;

// The next word of the text, and its length: 0 at the end.
static size_t next_word(scanner *s, const char **word)
{
  while (s->at < s->end && strchr(" \t\r\n\v\f", *s->at) && *s->at) s->line += *s->at++ == '\n';
  *word = s->at;
  while (s->at < s->end && *s->at && !strchr(" \t\r\n\v\f", *s->at)) s->at++;
  return (size_t)(s->at - *word);
}

static bool is_word(const char *word, size_t length, const char *wanted)
{
  if (length != strlen(wanted)) return false;
  for (size_t i = 0; i < length; i++) {
    if ((word[i] | 0x20) != wanted[i]) return false;
  }
  return true;
}

static dls_status read_vertex(scanner *s, double *out)
{
  for (int k = 0; k < 3; k++) {
    const char *word;
    const size_t length = next_word(s, &word);
    char text[80];
    if (length == 0 || length >= sizeof text)
      return dls_fail(s->message, DLS_ERR_MODEL, "%.400s:%d: a vertex needs three numbers", s->name,
                      s->line);
    memcpy(text, word, length);
    text[length] = 0;
    if (!dls_decimal_read(text, &out[k]))
      return dls_fail(s->message, DLS_ERR_MODEL, "%.400s:%d: `%.60s` is not a finite number",
                      s->name, s->line, text);
  }
  return DLS_OK;
}

static int count_vertices(scanner s)
{
  int count = 0;
  const char *word;
  for (size_t length; (length = next_word(&s, &word)) > 0;) {
    if (is_word(word, length, "vertex") && count < INT_MAX) count++;
  }
  return count;
}

// Only vertices count: three are a triangle.
static dls_status parse_ascii(const char *name, const char *text, size_t length, dls_mesh *mesh,
                              dls_message *message)
{
  scanner s = {.name = name, .at = text, .end = text + length, .line = 1, .message = message};
  const int vertices = count_vertices(s);
  if (vertices / 3 > MOST_TRIANGLES) return too_large(name, message);
  if (vertices == 0 || vertices % 3 != 0)
    return dls_fail(message, DLS_ERR_MODEL,
                    "%.400s: this is not an STL file: %d vertices are no triangles, and its length "
                    "is not that of a binary one",
                    name, vertices);
  dls_status status = make_room(mesh, vertices / 3, message);
  const char *word;
  for (int k = 0; !status && k < vertices;) {
    const size_t size = next_word(&s, &word);
    if (is_word(word, size, "vertex")) status = read_vertex(&s, mesh->point + 3 * (ptrdiff_t)k++);
  }
  return status;
}

dls_status dls_stl_parse(const char *name, const char *text, size_t length, dls_mesh *mesh,
                         dls_message *message)
{
  // a binary file may begin with "solid", too: its length says what it is
  if (length >= HEAD + 4) {
    const uint64_t count = whole((const unsigned char *)text + HEAD);
    if (HEAD + 4 + count * RECORD == length) return parse_binary(name, text, length, mesh, message);
    const bool ascii = memcmp(text, "solid", 5) == 0;
    if (!ascii && HEAD + 4 + count * RECORD < length)
      return parse_binary(name, text, length, mesh, message);
    if (!ascii)
      return dls_fail(message, DLS_ERR_MODEL,
                      "%.400s: this is not an STL file: %llu triangles do not fit into %zu bytes",
                      name, (unsigned long long)count, length);
  }
  return parse_ascii(name, text, length, mesh, message);
}
