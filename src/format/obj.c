// OBJ files: vertices and faces; everything else of them is looks.
#include "format/mesh.h"

#include "base/decimal.h"
#include "base/memory.h"
#include "base/message.h"

#include <limits.h>
#include <string.h>

enum { MOST = 1 << 23 };  // points, and triangles

typedef struct reader {
  const char *name, *at, *end;
  int line;
  dls_mesh *mesh;
  ptrdiff_t point_capacity, corner_capacity;
  dls_message *message;
} reader;

static dls_status fail(const reader *r, const char *why)
{
  return dls_fail(r->message, DLS_ERR_MODEL, "%.400s:%d: %s", r->name, r->line, why);
}

static bool in_line(const reader *r)
{
  return r->at < r->end && *r->at != '\n' && *r->at != 0;
}

// The next word of the line; 0 at its end. A backslash at the end of a line joins the next.
static size_t next_word(reader *r, const char **word)
{
  for (;;) {
    while (in_line(r) && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')) r->at++;
    if (!in_line(r) || *r->at != '\\') break;
    const char *next = r->at + 1;
    if (next < r->end && *next == '\r') next++;
    if (next >= r->end || *next != '\n') break;
    r->at = next + 1;
    r->line++;
  }
  *word = r->at;
  while (in_line(r) && *r->at != ' ' && *r->at != '\t' && *r->at != '\r') r->at++;
  return (size_t)(r->at - *word);
}

static dls_status grow(reader *r, void **array, ptrdiff_t *capacity, ptrdiff_t needed, size_t size)
{
  return dls_grow(array, capacity, needed, size)
             ? dls_fail(r->message, DLS_ERR_MEMORY, "out of memory")
             : DLS_OK;
}

static dls_status too_large(const reader *r)
{
  return dls_fail(r->message, DLS_ERR_LIMIT, "%.400s: more than %d points or triangles", r->name,
                  MOST);
}

static dls_status read_point(reader *r)
{
  dls_mesh *mesh = r->mesh;
  if (mesh->points >= MOST) return too_large(r);
  const dls_status status = grow(r, (void **)&mesh->point, &r->point_capacity,
                                 3 * ((ptrdiff_t)mesh->points + 1), sizeof *mesh->point);
  if (status) return status;
  double *p = mesh->point + 3 * (ptrdiff_t)mesh->points;
  for (int k = 0; k < 3; k++) {
    const char *word;
    const size_t length = next_word(r, &word);
    char text[80];
    if (length == 0 || length >= sizeof text) return fail(r, "a vertex needs three numbers");
    memcpy(text, word, length);
    text[length] = 0;
    if (!dls_decimal_read(text, &p[k])) return fail(r, "a vertex needs three finite numbers");
  }
  mesh->points++;
  return DLS_OK;
}

// The vertex before the first slash: from 1 on, or from the newest backwards.
static dls_status read_corner(const reader *r, const char *word, size_t length, int *out)
{
  long long number = 0;
  const bool backwards = length > 0 && *word == '-';
  size_t i = backwards;
  for (; i < length && word[i] >= '0' && word[i] <= '9' && number < INT_MAX; i++)
    number = 10 * number + (word[i] - '0');
  if (i == backwards || (i < length && word[i] != '/'))
    return fail(r, "the corners of a face must be numbers of vertices");
  if (number < 1 || number > r->mesh->points)
    return fail(r, "a corner of a face must be a vertex above");
  *out = (int)(backwards ? r->mesh->points - number : number - 1);
  return DLS_OK;
}

static dls_status add_triangle(reader *r, int a, int b, int c)
{
  dls_mesh *mesh = r->mesh;
  if (mesh->triangles >= MOST) return too_large(r);
  const dls_status status = grow(r, (void **)&mesh->corner, &r->corner_capacity,
                                 3 * ((ptrdiff_t)mesh->triangles + 1), sizeof *mesh->corner);
  if (status) return status;
  int *corner = mesh->corner + 3 * (ptrdiff_t)mesh->triangles++;
  corner[0] = a;
  corner[1] = b;
  corner[2] = c;
  return DLS_OK;
}

static double square_distance(const dls_mesh *mesh, int a, int b)
{
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    const double d = mesh->point[3 * (ptrdiff_t)a + k] - mesh->point[3 * (ptrdiff_t)b + k];
    sum += d * d;
  }
  return sum;
}

// A face with four corners is cut along its shorter diagonal, as MuJoCo's reader does; one with
// more from its first corner.
static dls_status read_face(reader *r)
{
  int corner[4] = {0}, count = 0;
  const char *word;
  dls_status status = DLS_OK;
  for (size_t length; !status && (length = next_word(r, &word)) > 0;) {
    int next = 0;
    status = read_corner(r, word, length, &next);
    if (status) return status;
    if (count < 4) {
      corner[count++] = next;
      continue;
    }
    if (count == 4) {
      status = add_triangle(r, corner[0], corner[1], corner[2]);
      if (!status) status = add_triangle(r, corner[0], corner[2], corner[3]);
      corner[1] = corner[3];
      count = 5;
    }
    if (!status) status = add_triangle(r, corner[0], corner[1], next);
    corner[1] = next;
  }
  if (status || count > 4) return status;
  if (count < 3) return fail(r, "a face needs three corners");
  if (count == 3) return add_triangle(r, corner[0], corner[1], corner[2]);
  const bool first = square_distance(r->mesh, corner[0], corner[2]) <
                     square_distance(r->mesh, corner[1], corner[3]);
  const int a = first ? 0 : 1;
  status = add_triangle(r, corner[a], corner[a + 1], corner[a + 2]);
  return status ? status : add_triangle(r, corner[a], corner[a + 2], corner[(a + 3) % 4]);
}

dls_status dls_obj_parse(const char *name, const char *text, size_t length, dls_mesh *mesh,
                         dls_message *message)
{
  reader r = {
      .name = name, .at = text, .end = text + length, .line = 1, .mesh = mesh, .message = message};
  dls_status status = DLS_OK;
  while (!status && r.at < r.end) {
    const char *word;
    const size_t size = next_word(&r, &word);
    if (size == 1 && *word == 'v') status = read_point(&r);
    else if (size == 1 && *word == 'f') status = read_face(&r);
    while (in_line(&r)) r.at++;
    if (r.at < r.end) r.at++;
    r.line++;
  }
  return status;
}
