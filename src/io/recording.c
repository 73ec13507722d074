// Recordings: files that grow row by row.
#define _POSIX_C_SOURCE 200809L
#include "io/recording.h"
#include "io/hdf5_structure.h"

#include "base/format.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/file.h"
#include "base/clock.h"

#include <delassus/output.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WAITING = 1 << 16 };          // bytes of rows before they are written
static const double patience = 0.9;  // seconds until they are written anyway

struct dls_recording {
  const dls_recording_form *form;
  dls_row_shape shape;
  const dls_system *bodies;  // of the model, or NULL
  const dls_system *system;  // whose outputs a stream gets when it is closed, or NULL
  dls_recording_head head;   // the places only
  char *path;
  int file;
  char *waiting;
  ptrdiff_t room;  // bytes of it
  size_t used, row_max;
  uint64_t rows, rows_waiting;
  uint64_t begin, end;  // of the rows in the file
  uint64_t check;       // of the last row
  double flushed;
};

// ---- what both have -----------------------------------------------------------------------------

static const dls_recording_form *form_of(const char *path, bool found)
{
  const char *ending = strrchr(path, '.');
  if (!ending || ending == path) return NULL;
  if (strcmp(ending, ".csv") == 0) return &dls_recording_csv;
  if (strcmp(ending, ".h5") != 0 && strcmp(ending, ".hdf5") != 0) return NULL;
  return found ? &dls_recording_stream : &dls_recording_hdf5;
}

static bool is_valid(const dls_recording_about *about)
{
  if (!about || !about->system || about->scheme_state_size < 0) return false;
  const dls_system *s = about->system;
  if (about->outputs != 0 && about->outputs != dls_model_output_count(dls_system_model(s)))
    return false;
  int tangents = 0;
  for (int j = 0; j < s->m; j++) {
    if (s->contacts[j].tangents < 0 || s->contacts[j].tangents > 2) return false;
    tangents += s->contacts[j].tangents;
  }
  return tangents == s->tangents;
}

const dls_recording_form *dls_recording_choose(const char *path, const dls_recording_about *about,
                                               dls_row_shape *shape, dls_status *status,
                                               dls_message *message)
{
  if (message) message->text[0] = 0;
  *status = DLS_ERR_ARGUMENT;
  if (!path || !is_valid(about)) {
    dls_fail(message, *status, "a recording needs a file and a system");
    return NULL;
  }
  const dls_system *s = about->system;
  const dls_recording_form *form = form_of(path, s->find != NULL);
  if (!form) {
    dls_fail(message, *status, "%.400s: the ending of a recording is .csv, .h5 or .hdf5", path);
    return NULL;
  }
  *shape = (dls_row_shape){
      .nq = dls_system_nq(s), .n = s->n, .outputs = about->outputs, .found = s->find != NULL};
  if (!s->find)
    shape->m = s->m, shape->impulses = s->m + s->tangents,
    shape->scheme_state_size = about->scheme_state_size;
  const dls_mechanism *mechanism = s->find ? dls_model_mechanism(s) : NULL;
  shape->bodies = mechanism ? mechanism->bodies : 0;
  *status = DLS_OK;
  return form;
}

static dls_status no_memory(dls_message *message)
{
  return dls_fail(message, DLS_ERR_MEMORY, "out of memory");
}

char *dls_recording_path(const char *text)
{
  const size_t size = strlen(text) + 1;
  char *copy = dls_alloc((ptrdiff_t)size, 1);
  if (copy) memcpy(copy, text, size);
  return copy;
}

// ---- writing ------------------------------------------------------------------------------------

static dls_status cannot_write(const dls_recording *r, dls_message *message)
{
  return dls_fail(message, DLS_ERR_FILE, "cannot write %.400s: %s", r->path,
                  dls_error_words(errno ? errno : EIO));
}

static bool write_at(const dls_recording *r, const void *data, size_t left, uint64_t place)
{
  const char *bytes = data;
  while (left > 0) {
    const ssize_t done = pwrite(r->file, bytes, left, (off_t)place);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    place += (uint64_t)done;
    left -= (size_t)done;
  }
  return true;
}

// One number, at once: nobody sees half of it.
static bool write_number(const dls_recording *r, uint64_t place, uint64_t value)
{
  unsigned char bytes[8];
  for (int b = 0; b < 8; b++) bytes[b] = (unsigned char)(value >> 8 * b);
  return write_at(r, bytes, sizeof bytes, place);
}

// How many there are: rows, or bytes of a stream.
static bool write_extent(const dls_recording *r)
{
  return write_number(r, r->head.count, r->form->size_of ? r->end - r->begin : r->rows);
}

// What the file says about its rows; after them when there are more, before when there are fewer.
static bool write_counts(const dls_recording *r)
{
  if (!r->head.count) return true;
  return write_number(r, r->head.end, r->end) && write_number(r, r->head.size, r->end - r->begin) &&
         write_extent(r);
}

// ---- columns behind a stream --------------------------------------------------------------------

static bool write_place(const dls_recording *r, const dls_dataset_place *p, uint64_t address,
                        uint64_t size, uint64_t count)
{
  return write_number(r, p->address, address) && write_number(r, p->size, size) &&
         write_number(r, p->count, count);
}

static bool drop_columns(const dls_recording *r)
{
  bool good = true;
  for (int c = 0; r->form->size_of && c < dls_recording_columns(&r->shape); c++)
    good = good && write_number(r, r->head.column[c].count, 0) &&
           write_place(r, &r->head.column[c], r->begin, 0, 0);
  for (int i = 0; i < r->head.outputs; i++)
    good = good && write_number(r, r->head.output[i].count, 0) &&
           write_place(r, &r->head.output[i], r->begin, 0, 0);
  return good;
}

static bool read_at(const dls_recording *r, uint64_t place, char *bytes, size_t left)
{
  const int file = open(r->path, O_RDONLY | O_CLOEXEC);
  while (file >= 0 && left > 0) {
    const ssize_t done = pread(file, bytes, left, (off_t)place);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) break;
    bytes += done, place += (uint64_t)done, left -= (size_t)done;
  }
  if (file >= 0) close(file);
  return file >= 0 && left == 0;
}

static bool make_column(const dls_recording *r, const char *rows, size_t size,
                        dls_recording_column column, dls_text *out, uint64_t *count)
{
  return column < DLS_COLUMN_POSITION
             ? dls_stream_column(rows, size, &r->shape, column, out, count)
             : dls_stream_bodies(rows, size, &r->shape, r->bodies, column, out, count);
}

// First the columns, then the end of the file, then where they are: whenever the process ends, the
// file is one that can be read.
static dls_status write_columns(const dls_recording *r, dls_message *message)
{
  const size_t size = (size_t)(r->end - r->begin);
  uint64_t at = r->end, address[DLS_COLUMNS], bytes[DLS_COLUMNS], count[DLS_COLUMNS] = {0};
  if (!r->form->size_of) return DLS_OK;
  char *rows = dls_alloc((ptrdiff_t)size + 1, 1);
  if (!rows) return no_memory(message);
  errno = 0;
  bool good = read_at(r, r->begin, rows, size);
  for (int c = 0; good && c < dls_recording_columns(&r->shape); c++) {
    dls_text column = {0};
    good = make_column(r, rows, size, (dls_recording_column)c, &column, &count[c]) &&
           write_at(r, column.data, column.length, at);
    address[c] = at, bytes[c] = column.length;
    at += column.length;
    dls_text_free(&column);
  }
  good = good && write_number(r, r->head.end, at);
  for (int c = 0; good && c < dls_recording_columns(&r->shape); c++)
    good = write_place(r, &r->head.column[c], address[c], bytes[c], count[c]);
  free(rows);
  return good ? DLS_OK : cannot_write(r, message);
}

// The outputs of so many rows, one output after the other, into `column`.
static void sort_outputs(const dls_recording *r, const char *rows, size_t count, char *column)
{
  const size_t row = r->form->row_max(&r->shape), first = dls_hdf5_output_offset(&r->shape);
  for (size_t k = 0; k < count; k++)
    for (int i = 0; i < r->head.outputs; i++)
      memcpy(column + ((size_t)i * count + k) * 8, rows + k * row + first + (size_t)i * 8, 8);
}

// Outputs of contacts that come and go are functions of the rows alone.
static dls_status write_stream_outputs(const dls_recording *r, dls_message *message)
{
  const size_t size = (size_t)(r->end - r->begin);
  uint64_t at = 0;
  char *rows = dls_alloc((ptrdiff_t)size + 1, 1);
  if (!rows) return no_memory(message);
  errno = 0;
  bool good = read_at(r, r->begin, rows, size) && read_at(r, r->head.end, (char *)&at, sizeof at);
  at = dls_hdf5_value((const unsigned char *)&at, sizeof at);
  for (int i = 0; good && i < r->head.outputs; i++) {
    dls_text column = {0};
    good = dls_stream_output(rows, size, &r->shape, r->system, i, &column) &&
           write_at(r, column.data, column.length, at) &&
           write_number(r, r->head.end, at + column.length) &&
           write_place(r, &r->head.output[i], at, column.length, r->rows);
    at += column.length;
    dls_text_free(&column);
  }
  free(rows);
  return good ? DLS_OK : cannot_write(r, message);
}

// The same for rows of records, as many at a time as wait in memory.
static dls_status write_outputs(const dls_recording *r, dls_message *message)
{
  const size_t row = r->form->row_max(&r->shape), outputs = (size_t)r->head.outputs;
  const size_t chunk = WAITING / row + 1;
  if (outputs == 0) return DLS_OK;
  if (r->form->size_of) return write_stream_outputs(r, message);
  char *rows = dls_alloc((ptrdiff_t)(chunk * row), 1);
  char *column = dls_alloc((ptrdiff_t)(chunk * outputs), 8);
  if (!rows || !column) {
    free(rows);
    free(column);
    return no_memory(message);
  }
  bool good = true;
  errno = 0;
  for (uint64_t k = 0; good && k < r->rows; k += chunk) {
    const size_t count = r->rows - k < chunk ? (size_t)(r->rows - k) : chunk;
    good = read_at(r, r->begin + k * row, rows, count * row);
    if (good) sort_outputs(r, rows, count, column);
    for (size_t i = 0; good && i < outputs; i++)
      good = write_at(r, column + i * count * 8, count * 8, r->end + (i * r->rows + k) * 8);
  }
  good = good && write_number(r, r->head.end, r->end + outputs * r->rows * 8);
  for (size_t i = 0; good && i < outputs; i++)
    good = write_place(r, &r->head.output[i], r->end + i * r->rows * 8, r->rows * 8, r->rows);
  free(rows);
  free(column);
  return good ? DLS_OK : cannot_write(r, message);
}

static void recording_free(dls_recording *r)
{
  if (!r) return;
  if (r->file >= 0) close(r->file);
  dls_recording_head_free(&r->head);
  free(r->waiting);
  free(r->path);
  free(r);
}

static dls_recording *recording_make(const char *path, const dls_recording_form *form,
                                     const dls_row_shape *shape)
{
  dls_recording *r = dls_alloc(1, sizeof *r);
  if (!r) return NULL;
  *r = (dls_recording){.form = form, .shape = *shape, .file = -1, .flushed = dls_clock()};
  r->row_max = form->row_max(shape);
  r->path = dls_recording_path(path);
  r->room = WAITING + (ptrdiff_t)r->row_max;
  r->waiting = dls_alloc(r->room, 1);
  if (r->path && r->waiting) return r;
  recording_free(r);
  return NULL;
}

// Opens the file for writing; what is there already must be a file.
static dls_status open_file(dls_recording *r, int flags, dls_message *message)
{
  struct stat info;
  if (stat(r->path, &info) == 0 && !S_ISREG(info.st_mode))
    return dls_fail(message, DLS_ERR_FILE, "cannot write %.400s: it exists and is not a file",
                    r->path);
  errno = 0;
  r->file = open(r->path, O_WRONLY | O_CLOEXEC | flags, 0666);
  return r->file >= 0 ? DLS_OK : cannot_write(r, message);
}

static dls_status begin_file(dls_recording *r, dls_message *message)
{
  const dls_status status = open_file(r, O_CREAT | O_TRUNC, message);
  if (status != DLS_OK) return status;
  if (!write_at(r, r->head.bytes.data, r->head.bytes.length, 0)) return cannot_write(r, message);
  r->begin = r->end = r->head.bytes.length;
  return DLS_OK;
}

dls_status dls_recording_create(const char *path, const dls_recording_about *about,
                                dls_recording **out, dls_message *message)
{
  dls_status status;
  dls_row_shape shape;
  if (!out) return DLS_ERR_ARGUMENT;
  *out = NULL;
  const dls_recording_form *form = dls_recording_choose(path, about, &shape, &status, message);
  if (!form) return status;
  dls_recording *r = recording_make(path, form, &shape);
  if (!r) return no_memory(message);
  status = form->head(about, &shape, &r->head, message);
  if (status == DLS_OK) status = begin_file(r, message);
  if (status != DLS_OK) {
    recording_free(r);
    return status;
  }
  dls_text_free(&r->head.bytes);
  if (shape.bodies > 0) r->bodies = dls_model_bodies(about->system);
  r->system = about->system;
  r->check = dls_about_check(about);
  *out = r;
  return DLS_OK;
}

dls_status dls_recording_flush(dls_recording *r, dls_message *message)
{
  errno = 0;
  if (r->used > 0) {
    if (!write_at(r, r->waiting, r->used, r->end)) return cannot_write(r, message);
    r->end += r->used;
    r->rows += r->rows_waiting;
    r->used = r->rows_waiting = 0;
    if (!write_counts(r)) return cannot_write(r, message);
  }
  r->flushed = dls_clock();
  return DLS_OK;
}

// The row of a table whose columns know no contacts that come and go.
static dls_sample without_contacts(const dls_sample *row)
{
  return (dls_sample){.t = row->t,
                      .next_step = row->next_step,
                      .nq = row->nq,
                      .n = row->n,
                      .q = row->q,
                      .v = row->v,
                      .outputs = row->outputs,
                      .output = row->output};
}

static bool fits(const dls_row_shape *s, const dls_sample *row)
{
  if (row->nq != s->nq || row->n != s->n) return false;
  if (row->outputs != s->outputs) return false;
  if (s->found)
    return row->m == 0 || (row->id && row->first && row->impulses == row->m + row->first[row->m]);
  return row->m == s->m && row->impulses == s->impulses &&
         row->scheme_state_size == s->scheme_state_size;
}

dls_status dls_recording_append(dls_recording *r, const dls_sample *given, dls_message *message)
{
  const dls_sample bare = without_contacts(given);
  const dls_sample *row = r->shape.found && !r->form->size_of ? &bare : given;
  if (!fits(&r->shape, row))
    return dls_fail(message, DLS_ERR_ARGUMENT, "the row has other sizes than the recording");
  if (r->form->size_of) {
    void *waiting = r->waiting;
    const ptrdiff_t need = (ptrdiff_t)(r->used + r->form->size_of(row));
    if (need > r->room && dls_grow(&waiting, &r->room, need, 1)) return no_memory(message);
    r->waiting = waiting;
  }
  char *place = r->waiting + r->used;
  const size_t size = r->form->write(row, place);
  r->check = dls_row_check(r->check, place, size);
  r->used += size + r->form->end(r->check, place + size);
  r->rows_waiting++;
  if (r->used < WAITING && dls_clock() - r->flushed < patience) return DLS_OK;
  return dls_recording_flush(r, message);
}

dls_status dls_recording_close(dls_recording *r, dls_message *message)
{
  if (message) message->text[0] = 0;
  if (!r) return DLS_OK;
  dls_status status = dls_recording_flush(r, message);
  if (status == DLS_OK) status = write_columns(r, message);
  if (status == DLS_OK) status = write_outputs(r, message);
  const int file = r->file;
  r->file = -1;
  if (close(file) != 0 && status == DLS_OK) status = cannot_write(r, message);
  recording_free(r);
  return status;
}

// ---- going on -----------------------------------------------------------------------------------

dls_status dls_recording_continue(const dls_recorded *recorded, long rows, dls_recording **out,
                                  dls_message *message)
{
  if (message) message->text[0] = 0;
  *out = NULL;
  if (rows < 0 || rows > recorded->rows.count)
    return dls_fail(message, DLS_ERR_ARGUMENT, "the recording has no %ld rows", rows);
  dls_recording *r = recording_make(recorded->path, recorded->form, &recorded->shape);
  if (!r) return no_memory(message);
  r->head = recorded->head, r->bodies = recorded->bodies, r->system = recorded->system;
  r->head.bytes = (dls_text){0};
  r->head.output = dls_alloc(recorded->head.outputs, sizeof *r->head.output);
  if (!r->head.output) {
    recording_free(r);
    return no_memory(message);
  }
  if (recorded->head.outputs > 0)
    dls_copy(r->head.output, recorded->head.output, recorded->head.outputs);
  r->begin = recorded->head.bytes.length;
  r->rows = (uint64_t)rows;
  r->end = dls_recorded_begin(recorded, rows);
  r->check = recorded->check;
  if (rows > 0) {
    const uint64_t last = dls_recorded_begin(recorded, rows - 1);
    recorded->form->check(recorded->bytes + last, (size_t)(r->end - last), &r->check);
  }
  dls_status status = open_file(r, 0, message);
  // first what is said, then what is there: in between nothing may be missing. The order of the
  // counts is that of growing, so that the number of rows goes first here.
  if (status == DLS_OK && r->head.count && (!drop_columns(r) || !write_extent(r)))
    status = cannot_write(r, message);
  if (status == DLS_OK && (!write_counts(r) || ftruncate(r->file, (off_t)r->end) != 0))
    status = cannot_write(r, message);
  if (status == DLS_OK) *out = r;
  else recording_free(r);
  return status;
}
