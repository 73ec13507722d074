// Recordings of contacts that come and go, as HDF5: rows differ in size, and follow each other in
// one dataset of bytes, "stream", which grows like the rows of the other form. All numbers are
// little-endian and have 8 bytes, but for those marked:
//
//   m, impulses, memory: how many follow
//   t, q, v, impulse, step, memory
//   id of each contact, its slips (a byte each), its status (a byte each)
//   check
//
// When the file is closed the same stands behind it in columns: /t, /q, /v, and per contact of row
// k, between /contacts/first[k] and /contacts/first[k + 1], its id, status and impulse (the normal
// one and two slips, 0 where there are fewer).
#include "base/memory.h"
#include "base/message.h"
#include "io/hdf5_structure.h"
#include "io/recording.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 8, COUNTS = DLS_STREAM_NUMBERS, LARGEST_ROW = 1 << 30 };

// Where the parts of a row begin.
typedef struct places {
  size_t q, v, impulse, step, memory, id, slips, status, check, end;
} places;

static places places_of(const dls_row_shape *s)
{
  places p = {.q = COUNTS + WORD};
  p.v = p.q + dls_bytes(s->nq, WORD), p.impulse = p.v + dls_bytes(s->n, WORD);
  p.step = p.impulse + dls_bytes(s->impulses, WORD), p.memory = p.step + WORD;
  p.id = p.memory + dls_bytes(s->scheme_state_size, WORD);
  p.slips = p.id + dls_bytes(s->m, WORD), p.status = p.slips + (size_t)s->m;
  p.check = p.status + (size_t)s->m, p.end = p.check + WORD;
  return p;
}

static void put_word(char *at, uint64_t value)
{
  for (int b = 0; b < WORD; b++) at[b] = (char)(unsigned char)(value >> 8 * b);
}

static uint64_t word(const char *at)
{
  return dls_hdf5_value((const unsigned char *)at, WORD);
}

static void put_numbers(char *at, const double *x, int count)
{
  for (int i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    put_word(at + (size_t)i * WORD, bits);
  }
}

static void take_numbers(const char *at, double *x, int count)
{
  for (int i = 0; i < count; i++) {
    const uint64_t bits = word(at + (size_t)i * WORD);
    memcpy(&x[i], &bits, sizeof bits);
  }
}

// ---- rows ---------------------------------------------------------------------------------------

static dls_row_shape shape_of(const dls_sample *row)
{
  return (dls_row_shape){.nq = row->nq,
                         .n = row->n,
                         .m = row->m,
                         .impulses = row->impulses,
                         .scheme_state_size = row->scheme_state_size,
                         .found = true};
}

// The least row: others say their size themselves.
static size_t row_max(const dls_row_shape *shape)
{
  return places_of(&(dls_row_shape){.nq = shape->nq, .n = shape->n}).end;
}

static size_t size_of(const dls_sample *row)
{
  const dls_row_shape shape = shape_of(row);
  return places_of(&shape).end;
}

static size_t write_row(const dls_sample *row, char *out)
{
  const dls_row_shape shape = shape_of(row);
  const places p = places_of(&shape);
  put_word(out, (uint64_t)row->m), put_word(out + WORD, (uint64_t)row->impulses);
  put_word(out + 2 * (size_t)WORD, (uint64_t)row->scheme_state_size);
  put_numbers(out + COUNTS, &row->t, 1);
  put_numbers(out + p.q, row->q, row->nq), put_numbers(out + p.v, row->v, row->n);
  put_numbers(out + p.impulse, row->impulse, row->impulses);
  put_numbers(out + p.step, &row->next_step, 1);
  put_numbers(out + p.memory, row->scheme_state, row->scheme_state_size);
  for (int j = 0; j < row->m; j++) {
    put_word(out + p.id + (size_t)j * WORD, row->id[j]);
    out[p.slips + (size_t)j] = (char)(row->first[j + 1] - row->first[j]);
    out[p.status + (size_t)j] = (char)row->status[j];
  }
  return p.check;
}

static size_t end_row(uint64_t check, char *out)
{
  put_word(out, check);
  return WORD;
}

// Numbers from outside: compared before they are used.
static size_t measure(const char *bytes, size_t size, dls_row_shape *shape)
{
  if (size < row_max(shape)) return 0;
  const uint64_t m = word(bytes), impulses = word(bytes + WORD);
  const uint64_t memory = word(bytes + 2 * (size_t)WORD);
  const uint64_t most = size < LARGEST_ROW ? size / WORD : LARGEST_ROW / WORD;
  if (m > most || impulses > most || memory > most || m + impulses + memory > most) return 0;
  shape->m = (int)m, shape->impulses = (int)impulses, shape->scheme_state_size = (int)memory;
  const places p = places_of(shape);
  if (p.end > size) return 0;
  uint64_t slips = 0;
  for (size_t j = 0; j < (size_t)m; j++) {
    if ((unsigned char)bytes[p.slips + j] > 2) return 0;
    slips += (unsigned char)bytes[p.slips + j];
  }
  return m + slips == impulses ? p.end : 0;
}

static size_t read_check(const char *bytes, size_t size, uint64_t *check)
{
  if (size < WORD) return 0;
  *check = word(bytes + size - WORD);
  return size - WORD;
}

static bool read_row(char *bytes, size_t size, dls_row *row)
{
  const dls_row_shape *s = &row->shape;
  const places p = places_of(s);
  if (size != p.check) return false;
  take_numbers(bytes + COUNTS, row->numbers, (int)dls_row_numbers(s));
  row->first[0] = 0;
  for (int j = 0; j < s->m; j++) {
    row->id[j] = word(bytes + p.id + (size_t)j * WORD);
    row->first[j + 1] = row->first[j] + (unsigned char)bytes[p.slips + (size_t)j];
    row->status[j] = (unsigned char)bytes[p.status + (size_t)j];
  }
  return true;
}

// ---- a file that was read -----------------------------------------------------------------------

static dls_status find_rows(const char *path, char *bytes, size_t size,
                            const dls_recording_about *about, const dls_row_shape *shape,
                            const dls_recording_head *head, dls_recording_rows *rows,
                            dls_message *message)
{
  dls_hdf5 h = {.path = path, .data = (unsigned char *)bytes, .size = size, .message = message};
  const dls_status status = dls_hdf5_compare(&h, about, head);
  if (status != DLS_OK) return status;
  const size_t begin = head->bytes.length;
  const uint64_t length = word(bytes + head->count);
  if (length > size - begin)
    return dls_fail(message, DLS_ERR_FILE, "%.400s: damaged: it has fewer rows than it says", path);
  const size_t end = begin + (size_t)length;
  for (size_t at = begin;;) {
    void *list = rows->begin;
    if (rows->count == LONG_MAX ||
        dls_grow(&list, &rows->capacity, rows->count + 1, sizeof *rows->begin))
      return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
    rows->begin = list;
    rows->begin[rows->count] = at;
    if (at == end) return DLS_OK;
    dls_row_shape own = *shape;
    const size_t row = measure(bytes + at, end - at, &own);
    if (row == 0)
      return dls_fail(message, DLS_ERR_FILE, "%.400s: row %ld is not as it was written", path,
                      rows->count + 1);
    rows->count++;
    at += row;
  }
}

// ---- columns ------------------------------------------------------------------------------------

// The contacts of one row in a column of contacts.
static void add_contacts(const char *row, const dls_row_shape *s, const places *p,
                         dls_recording_column column, dls_text *out)
{
  size_t impulse = p->impulse;
  for (int j = 0; j < s->m; j++) {
    const size_t rows = 1 + (size_t)(unsigned char)row[p->slips + (size_t)j];
    static const char none[2 * WORD] = {0};
    if (column == DLS_COLUMN_ID) dls_text_put(out, row + p->id + (size_t)j * WORD, WORD);
    if (column == DLS_COLUMN_STATUS) dls_text_put(out, row + p->status + (size_t)j, 1);
    if (column != DLS_COLUMN_IMPULSE) continue;
    dls_text_put(out, row + impulse, rows * WORD);
    dls_text_put(out, none, (3 - rows) * WORD);
    impulse += rows * WORD;
  }
}

static void add_first(uint64_t contacts, dls_text *out)
{
  char bytes[WORD];
  put_word(bytes, contacts);
  dls_text_put(out, bytes, WORD);
}

bool dls_stream_column(const char *rows, size_t size, const dls_row_shape *shape,
                       dls_recording_column column, dls_text *out, uint64_t *count)
{
  uint64_t contacts = 0, all = 0;
  if (column == DLS_COLUMN_FIRST) add_first(0, out);
  for (size_t at = 0; at < size; all++) {
    dls_row_shape s = *shape;
    const size_t length = measure(rows + at, size - at, &s);
    if (length == 0) return false;
    const places p = places_of(&s);
    contacts += (uint64_t)s.m;
    switch (column) {
    case DLS_COLUMN_T: dls_text_put(out, rows + at + COUNTS, WORD); break;
    case DLS_COLUMN_Q: dls_text_put(out, rows + at + p.q, p.v - p.q); break;
    case DLS_COLUMN_V: dls_text_put(out, rows + at + p.v, p.impulse - p.v); break;
    case DLS_COLUMN_FIRST: add_first(contacts, out); break;
    default: add_contacts(rows + at, &s, &p, column, out); break;
    }
    at += length;
  }
  *count = column < DLS_COLUMN_FIRST ? all : column == DLS_COLUMN_FIRST ? all + 1 : contacts;
  return !out->failed;
}

const dls_recording_form dls_recording_stream = {.row_max = row_max,
                                                 .head = dls_hdf5_head,
                                                 .write = write_row,
                                                 .end = end_row,
                                                 .find = find_rows,
                                                 .check = read_check,
                                                 .read = read_row,
                                                 .size_of = size_of,
                                                 .measure = measure};
