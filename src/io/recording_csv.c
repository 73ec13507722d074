// Recordings as CSV.
#include "base/memory.h"
#include "base/message.h"
#include "io/decimal.h"
#include "io/recording.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the header ---------------------------------------------------------------------------------

// A name with what follows it, in quotes where RFC 4180 asks for them.
static void add_column(dls_text *out, const char *name, const char *suffix)
{
  const bool quoted = strpbrk(name, ",\"\r\n") != NULL;
  dls_text_add(out, quoted ? ",\"" : ",");
  for (const char *c = name; *c; c++) {
    if (*c == '"') dls_text_put(out, "\"", 1);
    dls_text_put(out, c, 1);
  }
  dls_text_add(out, "%s%s", suffix, quoted ? "\"" : "");
}

static dls_status csv_head(const dls_recording_about *about, const dls_row_shape *shape,
                           dls_recording_head *head, dls_message *message)
{
  const dls_system *s = about->system;
  dls_text *out = &head->bytes;
  dls_text_add(out, "t");
  for (int i = 0; i < s->n; i++) add_column(out, s->coordinates[i], "");
  for (int i = 0; i < s->n; i++) add_column(out, s->coordinates[i], "'");
  for (int i = 0; i < s->m; i++) {
    static const char *const tangential[] = {".impulse_t1", ".impulse_t2"};
    add_column(out, s->contacts[i].name, ".impulse_n");
    for (int k = 0; k < s->contacts[i].slips && k < 2; k++)
      add_column(out, s->contacts[i].name, tangential[k]);
  }
  for (int i = 0; i < s->m; i++) add_column(out, s->contacts[i].name, ".status");
  dls_text_add(out, ",step");
  for (int i = 0; i < shape->memories; i++) dls_text_add(out, ",memory.%d", i + 1);
  dls_text_add(out, "\n");
  return out->failed ? dls_fail(message, DLS_ERR_MEMORY, "out of memory") : DLS_OK;
}

// ---- rows ---------------------------------------------------------------------------------------

static size_t csv_row_most(const dls_row_shape *shape)
{
  return DLS_DECIMAL * dls_row_numbers(shape) + 2 * (size_t)shape->m + 1;
}

static char *put_numbers(char *out, const double *x, int count)
{
  for (int i = 0; i < count; i++) {
    *out++ = ',';
    out += dls_decimal_write(x[i], out);
  }
  return out;
}

static size_t csv_write(const dls_moment *row, char *out)
{
  char *at = out + dls_decimal_write(row->t, out);
  at = put_numbers(at, row->q, row->n);
  at = put_numbers(at, row->v, row->n);
  at = put_numbers(at, row->impulse, row->impulses);
  for (int i = 0; i < row->m; i++) {
    *at++ = ',';
    *at++ = (char)('0' + row->status[i]);
  }
  at = put_numbers(at, &row->next_step, 1);
  at = put_numbers(at, row->memory, row->memories);
  *at++ = '\n';
  return (size_t)(at - out);
}

// The text up to the next comma or the end of the line; NULL when there is none.
static char *next_field(char **rest)
{
  char *field = *rest;
  if (!field) return NULL;
  char *end = strchr(field, ',');
  if (end) *end = 0;
  *rest = end ? end + 1 : NULL;
  return field;
}

static bool read_numbers(char **rest, double *x, int count)
{
  for (int i = 0; i < count; i++) {
    const char *field = next_field(rest);
    if (!field || !dls_decimal_read(field, &x[i])) return false;
  }
  return true;
}

// The line ends in a newline, which becomes the final zero.
static bool csv_read(char *bytes, size_t size, dls_row *row)
{
  const dls_row_shape *s = &row->shape;
  const int before = 1 + 2 * s->n + s->impulses;
  bytes[size - 1] = 0;
  char *rest = bytes;
  if (strlen(bytes) != size - 1 || !read_numbers(&rest, row->numbers, before)) return false;
  for (int i = 0; i < s->m; i++) {
    const char *field = next_field(&rest);
    if (!field || field[0] < '0' || field[0] > '9' || field[1]) return false;
    row->status[i] = (unsigned char)(field[0] - '0');
  }
  return read_numbers(&rest, row->numbers + before, 1 + s->memories) && !rest;
}

// ---- a file that was read -----------------------------------------------------------------------

static dls_status csv_find(const char *path, char *bytes, size_t size,
                           const dls_recording_about *about, const dls_row_shape *shape,
                           const dls_recording_head *head, dls_recording_rows *rows,
                           dls_message *message)
{
  (void)about, (void)shape;
  const size_t first = head->bytes.length;
  if (size < first || memcmp(bytes, head->bytes.data, first) != 0) {
    const char *end = memchr(bytes, '\n', size);
    return dls_fail(message, DLS_ERR_FILE,
                    "%.400s: the columns of its first line are not those of this model and scheme "
                    "(%.*s%s)",
                    path, (int)(end ? (end - bytes < 60 ? end - bytes : 60) : 0), bytes,
                    end ? end - bytes > 60 ? " …" : "" : "no whole line");
  }
  for (size_t at = first;;) {
    void *begin = rows->begin;
    if (rows->count == LONG_MAX ||
        dls_grow(&begin, &rows->capacity, (size_t)rows->count + 1, sizeof *rows->begin))
      return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
    rows->begin = begin;
    rows->begin[rows->count] = at;
    const char *end = at < size ? memchr(bytes + at, '\n', size - at) : NULL;
    if (!end) return DLS_OK;
    rows->count++;
    at = (size_t)(end - bytes) + 1;
  }
}

const dls_recording_form dls_recording_csv = {csv_row_most, csv_head, csv_write, csv_find,
                                              csv_read};
