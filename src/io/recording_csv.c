// Recordings as CSV.
#include "contact/chart.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/decimal.h"
#include "io/recording.h"

#include <delassus/output.h>

#include <inttypes.h>
#include <limits.h>
#include <math.h>
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

// What decides the rows, in the name of the last column, so that the first line stays the header.
static void add_about(dls_text *out, const dls_recording_about *about)
{
  dls_text name = {0};
  char step[DLS_DECIMAL];
  dls_decimal_write(about->step, step);
  dls_text_add(&name, "check: scheme=%s; step=%s; model=%016" PRIx64 "; settings=%s",
               about->scheme ? about->scheme : "", step,
               dls_text_check(about->model, about->model ? about->model_length : 0),
               about->settings ? about->settings : "");
  for (char *c = name.data; c && *c; c++)
    if ((unsigned char)*c < ' ') *c = ' ';
  out->failed = out->failed || name.failed;
  if (!out->failed && name.data) add_column(out, name.data, "");
  dls_text_free(&name);
}

static dls_status csv_head(const dls_recording_about *about, const dls_row_shape *shape,
                           dls_recording_head *head, dls_message *message)
{
  const dls_system *s = about->system;
  dls_text *out = &head->bytes;
  dls_text_add(out, "t");
  for (int i = 0; i < dls_system_nq(s); i++) add_column(out, dls_configuration_names(s)[i], "");
  for (int i = 0; i < s->n; i++) add_column(out, s->coordinates[i], "'");
  for (int i = 0; i < shape->m; i++) {
    static const char *const tangential[] = {".impulse_t1", ".impulse_t2"};
    add_column(out, s->contacts[i].name, ".impulse_n");
    for (int k = 0; k < s->contacts[i].tangents && k < 2; k++)
      add_column(out, s->contacts[i].name, tangential[k]);
  }
  for (int i = 0; i < shape->m; i++) add_column(out, s->contacts[i].name, ".status");
  dls_text_add(out, ",step");
  for (int i = 0; i < shape->scheme_state_size; i++) dls_text_add(out, ",memory.%d", i + 1);
  for (int i = 0; i < shape->outputs; i++)
    add_column(out, dls_model_output_name(dls_system_model(s), i), "");
  add_about(out, about);
  dls_text_add(out, "\n");
  return out->failed ? dls_fail(message, DLS_ERR_MEMORY, "out of memory") : DLS_OK;
}

// ---- rows ---------------------------------------------------------------------------------------

enum { CHECK = 24 };  // bytes that the comma, the check and the newline fit into

static size_t csv_row_max(const dls_row_shape *shape)
{
  return dls_bytes(dls_row_numbers(shape) + shape->outputs, DLS_DECIMAL) + dls_bytes(shape->m, 2) +
         CHECK + 1;
}

static char *put_numbers(char *out, const double *x, int count)
{
  for (int i = 0; i < count; i++) {
    *out++ = ',';
    out += dls_decimal_write(x[i], out);
  }
  return out;
}

static size_t csv_write(const dls_sample *row, char *out)
{
  char *at = out + dls_decimal_write(row->t, out);
  at = put_numbers(at, row->q, row->nq);
  at = put_numbers(at, row->v, row->n);
  at = put_numbers(at, row->impulse, row->impulses);
  for (int i = 0; i < row->m; i++) {
    *at++ = ',';
    *at++ = (char)('0' + row->status[i]);
  }
  at = put_numbers(at, &row->next_step, 1);
  at = put_numbers(at, row->scheme_state, row->scheme_state_size);
  for (int i = 0; i < row->outputs; i++) {
    const double x = row->output[i];
    if (isfinite(x)) at = put_numbers(at, &x, 1);
    else *at++ = ',', *at++ = 'n', *at++ = 'a', *at++ = 'n';
  }
  return (size_t)(at - out);
}

static size_t csv_end(uint64_t check, char *out)
{
  char text[CHECK];
  const int length = snprintf(text, sizeof text, ",%" PRIu64 "\n", check);
  memcpy(out, text, (size_t)length);
  return (size_t)length;
}

// Digits between the last comma and the newline.
static size_t csv_check(const char *bytes, size_t size, uint64_t *check)
{
  enum { DIGITS = 16 };
  size_t begin = size - 1;
  while (begin > 0 && bytes[begin - 1] >= '0' && bytes[begin - 1] <= '9') begin--;
  const size_t digits = size - 1 - begin;
  if (begin < 2 || bytes[begin - 1] != ',' || digits == 0 || digits > DIGITS) return 0;
  *check = 0;
  for (size_t i = begin; i < size - 1; i++) *check = 10 * *check + (uint64_t)(bytes[i] - '0');
  return begin - 1;
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

// The comma behind the numbers becomes the final zero.
static bool csv_read(char *bytes, size_t size, dls_row *row)
{
  const dls_row_shape *s = &row->shape;
  const int before = 1 + s->nq + s->n + s->impulses;
  bytes[size] = 0;
  char *rest = bytes;
  if (strlen(bytes) != size || !read_numbers(&rest, row->numbers, before)) return false;
  for (int i = 0; i < s->m; i++) {
    const char *field = next_field(&rest);
    if (!field || field[0] < '0' || field[0] > '9' || field[1]) return false;
    row->status[i] = (unsigned char)(field[0] - '0');
  }
  if (!read_numbers(&rest, row->numbers + before, 1 + s->scheme_state_size)) return false;
  for (int i = 0; i < s->outputs; i++)
    if (!next_field(&rest)) return false;
  return !rest;
}

// ---- a file that was read -----------------------------------------------------------------------

// A piece of the first line.
typedef struct piece {
  const char *text;
  size_t length;
} piece;

// What stands in a line between `from` and `to`, or the end of the line; NULL without `from`.
static piece between(piece line, const char *from, const char *to)
{
  const size_t skipped = strlen(from);
  for (size_t i = 0; i + skipped <= line.length; i++) {
    if (memcmp(line.text + i, from, skipped) != 0) continue;
    const piece rest = {line.text + i + skipped, line.length - i - skipped};
    const size_t more = to ? strlen(to) : 0;
    for (size_t k = 0; to && k + more <= rest.length; k++)
      if (memcmp(rest.text + k, to, more) == 0) return (piece){rest.text, k};
    return rest;
  }
  return (piece){0};
}

static bool same_piece(piece a, piece b)
{
  return a.text && b.text && a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

// Up to the end of the first line.
static piece first_line(const char *bytes, size_t size)
{
  const char *end = size > 0 ? memchr(bytes, '\n', size) : NULL;
  return (piece){bytes, end ? (size_t)(end - bytes) : 0};
}

// What makes another head, in words.
static dls_status explain(const char *path, piece was, piece now, dls_message *message)
{
  static const struct {
    const char *from, *to, *what;
  } parts[] = {{"; model=", "; settings=", "another model"},
               {"check: scheme=", "; step=", "the scheme"},
               {"; step=", "; model=", "the step"},
               {"; settings=", NULL, "the settings"}};
  enum { SHOWN = 300 };
  for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
    const piece a = between(was, parts[k].from, parts[k].to);
    const piece b = between(now, parts[k].from, parts[k].to);
    if (!a.text || same_piece(a, b)) continue;
    if (k == 0)
      return dls_fail(message, DLS_ERR_FILE, "%.400s: it was made with another model", path);
    return dls_fail(message, DLS_ERR_FILE, "%.400s: it was made with %s %.*s, and this is %.*s",
                    path, parts[k].what, (int)(a.length < SHOWN ? a.length : SHOWN), a.text,
                    (int)(b.length < SHOWN ? b.length : SHOWN), b.text);
  }
  // the same model and scheme in other columns
  if (same_piece(between(was, parts[0].from, NULL), between(now, parts[0].from, NULL)))
    return dls_fail(message, DLS_ERR_FILE, DLS_OTHER_VERSION, path, path);
  return dls_fail(message, DLS_ERR_FILE,
                  "%.400s: the columns of its first line are not those of this model and scheme "
                  "(%.*s%s)",
                  path, (int)(was.length < 60 ? was.length : 60), was.text,
                  was.length > 60 ? " …"
                  : was.length    ? ""
                                  : "no whole line");
}

static dls_status csv_find(const char *path, char *bytes, size_t size,
                           const dls_recording_about *about, const dls_row_shape *shape,
                           const dls_recording_head *head, dls_recording_rows *rows,
                           dls_message *message)
{
  (void)about;
  const size_t first = head->bytes.length;
  // a digit and what follows it for each number: fewer bytes are no row, and many such lines no
  // file
  const size_t least = dls_bytes(dls_row_numbers(shape) + shape->m + shape->outputs + 1, 2);
  if (size < first || memcmp(bytes, head->bytes.data, first) != 0)
    return explain(path, first_line(bytes, size), first_line(head->bytes.data, first), message);
  for (size_t at = first;;) {
    void *begin = rows->begin;
    if (rows->count == LONG_MAX ||
        dls_grow(&begin, &rows->capacity, rows->count + 1, sizeof *rows->begin))
      return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
    rows->begin = begin;
    rows->begin[rows->count] = at;
    const char *end = at < size ? memchr(bytes + at, '\n', size - at) : NULL;
    if (!end) return DLS_OK;
    rows->count++;
    if ((size_t)(end - bytes) + 1 - at < least)
      return dls_fail(message, DLS_ERR_FILE, "%.400s: row %ld is not as it was written", path,
                      rows->count);
    at = (size_t)(end - bytes) + 1;
  }
}

const dls_recording_form dls_recording_csv = {.row_max = csv_row_max,
                                              .head = csv_head,
                                              .write = csv_write,
                                              .end = csv_end,
                                              .find = csv_find,
                                              .check = csv_check,
                                              .read = csv_read};
