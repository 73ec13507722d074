// What recordings tell without the call that made them: settings, and the row of a time.
#include "contact/chart.h"
#include "base/message.h"
#include "io/hdf5_structure.h"
#include "io/recording.h"
#include "base/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the row ------------------------------------------------------------------------------------

// Digits that times are printed with: whoever types one means the row that has it.
static const double printed = 1e-9;

dls_row_choice dls_row_choice_begin(double wanted)
{
  return (dls_row_choice){.wanted = wanted, .first = HUGE_VAL, .last = -HUGE_VAL, .row = -1};
}

void dls_row_offer(dls_row_choice *c, double t)
{
  c->first = fmin(c->first, t);
  c->last = fmax(c->last, t);
  const bool fits = t <= c->wanted + printed * fabs(c->wanted);
  const bool exact = c->row >= 0 && c->t == c->wanted;
  if (fits && (c->row < 0 || t == c->wanted || (!exact && t >= c->t))) {
    c->t = t;
    c->row = c->offered;
  }
  c->offered++;
}

// Nothing is known of the motion outside of its rows.
dls_status dls_row_choice_check(const char *path, const dls_row_choice *c, dls_message *message)
{
  if (c->offered == 0) return dls_fail(message, DLS_ERR_FILE, "%.400s: it has no rows", path);
  if (c->row < 0)
    return dls_fail(message, DLS_ERR_FILE, "%.400s: it begins at t = %.9g, after %.9g", path,
                    c->first, c->wanted);
  if (c->wanted > c->last + printed * fabs(c->wanted))
    return dls_fail(message, DLS_ERR_FILE, "%.400s: it ends at t = %.9g, before %.9g", path,
                    c->last, c->wanted);
  return DLS_OK;
}

// ---- HDF5 ---------------------------------------------------------------------------------------

static double number_at(const unsigned char *place)
{
  const uint64_t bits = dls_hdf5_value(place, 8);
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static bool same_names(const dls_hdf5 *h, const dls_system *s)
{
  uint64_t size = 0;
  const unsigned char *names = dls_recording_bytes(h, "/coordinates", &size);
  const uint64_t n = (uint64_t)dls_system_nq(s), width = n ? size / n : 0;
  if (n == 0) return !names;
  if (!names || width * n != size) return false;
  for (int i = 0; i < dls_system_nq(s); i++) {
    const char *name = (const char *)names + (uint64_t)i * width;
    const char *own = dls_configuration_names(s)[i];
    const size_t length = strnlen(name, width);
    if (strlen(own) != length || memcmp(name, own, length) != 0) return false;
  }
  return true;
}

// Rows of one size, or of a stream whose rows say theirs.
typedef struct row_list {
  const char *bytes;
  uint64_t size, row;  // row: bytes of each; 0: a stream
  dls_row_shape shape;
} row_list;

bool dls_recording_row_count(const dls_hdf5 *h, uint64_t *count)
{
  dls_hdf5_object o;
  dls_hdf5 quiet = *h;
  quiet.message = NULL;
  if (dls_hdf5_find(&quiet, "/rows", &o) != 1 || !o.dataspace.data || o.dataspace.size < 16)
    return false;
  const unsigned char *space = o.dataspace.data;
  if ((space[0] != 1 && space[0] != 2) || space[1] != 1) return false;
  *count = dls_hdf5_value(space + (space[0] == 1 ? 8 : 4), 8);
  return true;
}

// Finds them. False: damaged.
static bool find_rows(const dls_hdf5 *h, row_list *rows)
{
  uint64_t count = 0;
  if (rows->shape.found) return true;
  if (!dls_recording_row_count(h, &count)) return false;
  const uint64_t least = 8 * (1 + (uint64_t)rows->shape.nq + (uint64_t)rows->shape.n);
  if (count == 0) rows->size = 0;
  rows->row = count ? rows->size / count : 1;
  return count == 0 || (rows->row * count == rows->size && rows->row >= least);
}

// The bytes of the row that begins at `at`; 0: it is none.
static uint64_t row_at(const row_list *rows, uint64_t at)
{
  dls_row_shape shape = rows->shape;
  if (!shape.found) return rows->row;
  return dls_recording_stream.measure(rows->bytes + at, (size_t)(rows->size - at), &shape);
}

static dls_status state_hdf5(const char *path, char *bytes, size_t size, const dls_system *system,
                             double t, dls_state *state, dls_message *message)
{
  dls_hdf5 h = {.path = path, .data = (unsigned char *)bytes, .size = size, .message = message};
  const int n = system->n, nq = dls_system_nq(system);
  row_list rows = {.shape = {.nq = nq, .n = n}};
  if (!dls_hdf5_superblock(&h)) return h.status;
  rows.bytes = (const char *)dls_recording_bytes(&h, "/rows", &rows.size);
  if (!rows.bytes) {
    rows.shape.found = true;
    rows.bytes = (const char *)dls_recording_bytes(&h, "/stream", &rows.size);
  }
  if (!rows.bytes) return dls_fail(message, DLS_ERR_FILE, "%.400s: not a recording", path);
  if (!same_names(&h, system))
    return dls_fail(message, DLS_ERR_FILE, "%.400s: its coordinates are not those of this model",
                    path);
  bool good = find_rows(&h, &rows);
  // both kinds of rows have t, q, v in one piece
  const uint64_t skipped = rows.shape.found ? DLS_STREAM_NUMBERS : 0;
  dls_row_choice choice = dls_row_choice_begin(t);
  const unsigned char *place = NULL;
  for (uint64_t at = 0, row; good && at < rows.size; at += row) {
    const unsigned char *numbers = (const unsigned char *)rows.bytes + at + skipped;
    const long before = choice.row;
    row = row_at(&rows, at);
    good = row > 0;
    if (good) dls_row_offer(&choice, number_at(numbers));
    if (choice.row != before) place = numbers;
  }
  if (!good)
    return dls_fail(message, DLS_ERR_FILE, "%.400s: damaged: its rows have another size", path);
  const dls_status status = dls_row_choice_check(path, &choice, message);
  if (status != DLS_OK) return status;
  state->t = choice.t;
  for (int i = 0; i < nq; i++) state->q[i] = number_at(place + (ptrdiff_t)8 * (1 + i));
  for (int i = 0; i < n; i++) state->v[i] = number_at(place + (ptrdiff_t)8 * (1 + nq + i));
  return DLS_OK;
}

// ---- both ---------------------------------------------------------------------------------------

static dls_state_reader *reader_of(const char *path)
{
  const char *ending = strrchr(path, '.');
  if (!ending) return NULL;
  if (strcmp(ending, ".csv") == 0) return dls_state_csv;
  return strcmp(ending, ".h5") == 0 || strcmp(ending, ".hdf5") == 0 ? state_hdf5 : NULL;
}

dls_status dls_recorded_state(const char *path, const dls_system *system, double t,
                              dls_state *state, dls_message *message)
{
  static const size_t largest = (size_t)1 << 32;
  if (message) message->text[0] = 0;
  if (!path || !system || !state || !state->q || !state->v || !isfinite(t))
    return dls_fail(message, DLS_ERR_ARGUMENT, "a state needs a file, a system, a time and room");
  dls_state_reader *read = reader_of(path);
  if (!read)
    return dls_fail(message, DLS_ERR_ARGUMENT,
                    "%.400s: the ending of a recording is .csv, .h5 or .hdf5", path);
  char *bytes = NULL;
  size_t size = 0;
  dls_status status = dls_file_read(path, largest, &bytes, &size, message);
  if (status == DLS_OK) status = read(path, bytes, size, system, t, state, message);
  free(bytes);
  const int nq = dls_system_nq(system);
  for (int i = 0; status == DLS_OK && i < nq + system->n; i++)
    if (!isfinite(i < nq ? state->q[i] : state->v[i - nq]))
      status = dls_fail(message, DLS_ERR_FILE,
                        "%.400s: a number of the row of t = %.9g is not finite", path, state->t);
  return status;
}

// ---- origin -------------------------------------------------------------------------------------

// What stands behind the name in the first line of a CSV file; NULL when it is not there.
static const char *part_of_csv(const char *bytes, size_t size, const char *name, uint64_t *length)
{
  const size_t skipped = strlen(name);
  const char *end = size > 0 ? memchr(bytes, '\n', size) : NULL;
  if (!end) return NULL;
  for (const char *c = bytes; (size_t)(end - c) >= skipped; c++) {
    if (memcmp(c, name, skipped) != 0) continue;
    *length = (uint64_t)(end - c) - skipped;
    return c + skipped;
  }
  return NULL;
}

static const char *part_of_hdf5(const char *path, char *bytes, size_t size, const char *name,
                                uint64_t *length)
{
  dls_hdf5 h = {.path = path, .data = (unsigned char *)bytes, .size = size};
  if (!dls_hdf5_superblock(&h)) return NULL;
  return (const char *)dls_recording_bytes(&h, name, length);
}

// The file, whole, for the caller to free; and its part of that name: csv, or hdf5.
static dls_status read_part(const char *path, const char *csv, const char *hdf5, char **bytes,
                            const char **part, uint64_t *length, dls_message *message)
{
  static const size_t largest = (size_t)1 << 32;
  size_t size = 0;
  const dls_status status = dls_file_read(path, largest, bytes, &size, message);
  if (status != DLS_OK) return status;
  *part = reader_of(path) == dls_state_csv ? part_of_csv(*bytes, size, csv, length)
                                           : part_of_hdf5(path, *bytes, size, hdf5, length);
  return *part ? DLS_OK
               : dls_fail(message, DLS_ERR_FILE, "%.400s: it does not say how it was made", path);
}

dls_status dls_recorded_settings(const char *path, char *settings, size_t size,
                                 dls_message *message)
{
  if (message) message->text[0] = 0;
  if (!path || !settings || size == 0 || !reader_of(path))
    return dls_fail(message, DLS_ERR_ARGUMENT, "settings need a recording and room");
  char *bytes = NULL;
  const char *found = NULL;
  uint64_t length = 0;
  const dls_status status =
      read_part(path, "; settings=", "/settings", &bytes, &found, &length, message);
  if (status == DLS_OK) {
    const size_t taken = length < size - 1 ? (size_t)length : size - 1;
    memcpy(settings, found, taken);
    settings[taken] = 0;
  }
  free(bytes);
  return status;
}

dls_status dls_recorded_model(const char *path, const char *model, size_t length, bool *same,
                              dls_message *message)
{
  if (message) message->text[0] = 0;
  if (!path || !model || !same || !reader_of(path))
    return dls_fail(message, DLS_ERR_ARGUMENT, "a comparison needs a recording and a model");
  char *bytes = NULL, print[17];
  const char *found = NULL;
  uint64_t size = 0;
  const dls_status status = read_part(path, "; model=", "/model", &bytes, &found, &size, message);
  snprintf(print, sizeof print, "%016" PRIx64, dls_text_check(model, length));
  if (status == DLS_OK)
    *same = reader_of(path) == dls_state_csv ? size >= 16 && memcmp(found, print, 16) == 0
                                             : size == length && memcmp(found, model, length) == 0;
  free(bytes);
  return status;
}
