// Datasets of HDF5 files. Section IV.A.2 of the File Format Specification: dataspace, datatype and
// layout are compared with what is expected, and with the size of the file, before memory is taken.
#include "io/hdf5_file.h"

#include "base/format.h"
#include "base/message.h"
#include "io/hdf5_structure.h"
#include "base/file.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t LARGEST_FILE = (size_t)1 << 32;
static const uint64_t LARGEST_TEXT = 1 << 16;

bool dls_hdf5_fail(dls_hdf5 *h, dls_status status, const char *place, const char *format, ...)
{
  if (h->status != DLS_OK) return false;
  h->status = status;
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  dls_format_list(text, sizeof text, format, arguments);
  va_end(arguments);
  dls_fail(h->message, status, "%.400s: %s%s%s", h->path, place ? place : "", place ? ": " : "",
           text);
  return false;
}

bool dls_hdf5_open(dls_hdf5 *h, const char *path, dls_arena *arena, dls_message *message)
{
  *h = (dls_hdf5){.path = path, .arena = arena, .message = message};
  size_t size = 0;
  char *bytes = NULL;
  h->status = dls_file_read(path, LARGEST_FILE, &bytes, &size, message);
  h->memory = h->data = (unsigned char *)bytes;
  h->size = size;
  return h->status == DLS_OK && dls_hdf5_superblock(h);
}

void dls_hdf5_close(dls_hdf5 *h)
{
  free(h->memory);
  h->memory = h->data = NULL;
}

// ---- a dataset, before it is read --------------------------------------------------------------

typedef enum kind { INTEGER, REAL, TEXT, OTHER } kind;

typedef struct dataset {
  const char *place;
  kind kind;
  bool is_signed, big_endian;
  uint64_t size;              // bytes of an entry
  uint64_t count;             // entries
  const unsigned char *data;  // NULL: declared, but never written
} dataset;

// Only types that are whole machine numbers: HDF5 can also describe ones of any bits.
static kind kind_of(const unsigned char *type, size_t length, dataset *d)
{
  static const unsigned char wide[] = {0, 0, 64, 0, 52, 11, 0, 52, 0xFF, 3, 0, 0};
  static const unsigned char narrow[] = {0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0};
  const unsigned class = type[0] & 15, order = type[1];
  d->big_endian = order & 1;
  if (class == 0 && length >= 12) {
    d->is_signed = order & 8;
    const bool whole = d->size == 1 || d->size == 2 || d->size == 4 || d->size == 8;
    const bool all =
        dls_hdf5_value(type + 8, 2) == 0 && dls_hdf5_value(type + 10, 2) == 8 * d->size;
    return whole && all ? INTEGER : OTHER;
  }
  if (class == 1 && length >= 20) {  // IEEE 754, with the usual implied first bit
    const bool implied = (order & 0x7E) == 0x20 && type[2] == 8 * d->size - 1;
    const bool known = (d->size == 8 && memcmp(type + 8, wide, 12) == 0) ||
                       (d->size == 4 && memcmp(type + 8, narrow, 12) == 0);
    return implied && known ? REAL : OTHER;
  }
  return class == 3 && d->size > 0 ? TEXT : OTHER;
}

// One dimension, or none.
static bool read_extent(dls_hdf5 *h, const dls_hdf5_object *o, dataset *d)
{
  const unsigned char *s = o->dataspace.data;
  if (!s || o->dataspace.size < 8 || o->dataspace.shared || s[0] < 1 || s[0] > 2)
    return dls_hdf5_fail(h, DLS_ERR_FILE, d->place, "damaged: no extent");
  const unsigned rank = s[1], first = s[0] == 1 ? 8 : 4;
  if (rank > 1 || (s[0] == 2 && s[3] > 1))
    return dls_hdf5_fail(h, DLS_ERR_FILE, d->place, "it has %u dimensions, expected 1", rank);
  d->count = 1;
  if (rank == 0) return true;
  if (o->dataspace.size < first + 8)
    return dls_hdf5_fail(h, DLS_ERR_FILE, d->place, "damaged: no extent");
  d->count = dls_hdf5_value(s + first, 8);
  if (d->count > INT_MAX)
    return dls_hdf5_fail(h, DLS_ERR_LIMIT, d->place, "more than %d entries", INT_MAX);
  return true;
}

// Where the data are: in one piece, of at least the size that the extent asks for.
static bool read_layout(dls_hdf5 *h, const dls_hdf5_object *o, dataset *d)
{
  const unsigned char *l = o->layout.data;
  if (o->external.data)
    return dls_hdf5_fail(h, DLS_ERR_FILE, d->place, "its data are in another file");
  if (!l || o->layout.size < 4 || o->layout.shared || l[0] != 3 || l[1] > 1 || o->filters.data)
    return dls_hdf5_fail(h, DLS_ERR_FILE, d->place,
                         "stored in chunks, compressed or elsewhere, which is not read; "
                         "'h5repack -l CONTI -f NONE' makes a file that is");
  const uint64_t bytes = d->count * d->size;  // below 2^31 * 2^32
  uint64_t stored = 0;
  if (l[1] == 0) {
    stored = dls_hdf5_value(l + 2, 2);
    if (stored <= o->layout.size - 4) d->data = l + 4;
  } else if (o->layout.size >= 18) {
    const uint64_t address = dls_hdf5_value(l + 2, 8);
    stored = dls_hdf5_value(l + 10, 8);
    if (address == UINT64_MAX) return true;  // never written
    d->data = dls_hdf5_bytes(h, address, stored);
  }
  if (d->data && bytes <= stored) return true;
  return dls_hdf5_fail(h, DLS_ERR_FILE, d->place, "%llu entries are declared, but not stored",
                       (unsigned long long)d->count);
}

// 1 when it is there, 0 when it is not, -1 after a failure.
static int describe(dls_hdf5 *h, const char *place, dataset *d)
{
  *d = (dataset){.place = place, .kind = OTHER};
  dls_hdf5_object o;
  const int found = dls_hdf5_find(h, place, &o);
  if (found <= 0) return found;
  const dls_hdf5_piece *type = &o.datatype;
  if (!type->data) {
    dls_hdf5_fail(h, DLS_ERR_FILE, place, "expected a dataset");
    return -1;
  }
  if (type->size >= 8 && !type->shared) {
    d->size = dls_hdf5_value(type->data + 4, 4);
    d->kind = kind_of(type->data, type->size, d);
  }
  return read_extent(h, &o, d) && read_layout(h, &o, d) ? 1 : -1;
}

bool dls_hdf5_has(dls_hdf5 *h, const char *place)
{
  dls_hdf5_object o;
  return dls_hdf5_find(h, place, &o) > 0;
}

bool dls_hdf5_filled(dls_hdf5 *h, const char *place)
{
  dataset d;
  return describe(h, place, &d) > 0 && (d.data || d.count == 0);
}

// ---- reading -----------------------------------------------------------------------------------

// A dataset of numbers with at least `count` entries and at most max(count, most).
static bool expect(dls_hdf5 *h, const char *place, bool real, int count, int most, dataset *d)
{
  const int found = describe(h, place, d);
  if (found == 0) return dls_hdf5_fail(h, DLS_ERR_FILE, place, "it is missing");
  if (found < 0) return false;
  if (d->kind != INTEGER && !(real && d->kind == REAL))
    return dls_hdf5_fail(h, DLS_ERR_FILE, place, "its type is another, expected %s",
                         real ? "numbers" : "integers");
  const unsigned long long have = d->count;
  if (have < (unsigned)count || have > (unsigned)(most > count ? most : count)) {
    if (most <= count)
      return dls_hdf5_fail(h, DLS_ERR_FILE, place, "it has %llu entries, expected %d", have, count);
    return dls_hdf5_fail(h, DLS_ERR_FILE, place, "it has %llu entries, expected %d to %d", have,
                         count, most);
  }
  if (!d->data && have > 0)
    return dls_hdf5_fail(h, DLS_ERR_FILE, place, "%llu entries are declared, but not stored", have);
  return true;
}

// The bits of entry k, as an unsigned number.
static uint64_t bits_of(const dataset *d, int k)
{
  const unsigned char *x = d->data + (uint64_t)k * d->size;
  if (!d->big_endian) return dls_hdf5_value(x, d->size);
  uint64_t value = 0;
  for (uint64_t b = 0; b < d->size; b++) value = value << 8 | x[b];
  return value;
}

// What does not fit is clipped: it is out of any range.
static long long integer_of(const dataset *d, int k)
{
  assert(d->size >= 1 && d->size <= 8);
  const uint64_t bits = bits_of(d, k), top = (uint64_t)1 << (8 * d->size - 1);
  if (!d->is_signed) return bits > LLONG_MAX ? LLONG_MAX : (long long)bits;
  if (bits < top) return (long long)bits;
  return -(long long)(2 * (top - 1) + 1 - bits) - 1;  // bits - 2^(8 size), without overflow
}

static double number_of(const dataset *d, int k)
{
  if (d->kind == INTEGER) return (double)integer_of(d, k);
  const uint64_t wide = bits_of(d, k);
  const uint32_t narrow = (uint32_t)wide;
  double x;
  float y;
  memcpy(&x, &wide, sizeof x);
  memcpy(&y, &narrow, sizeof y);
  return d->size == 8 ? x : (double)y;
}

static void *memory_for(dls_hdf5 *h, int count, size_t size)
{
  void *place = dls_arena_alloc(h->arena, count, size);
  if (!place) dls_hdf5_fail(h, DLS_ERR_MEMORY, NULL, "out of memory");
  return place;
}

long long dls_hdf5_integer(dls_hdf5 *h, const char *place, long long low, long long high)
{
  dataset d;
  if (!expect(h, place, false, 1, 1, &d)) return 0;
  const long long value = integer_of(&d, 0);
  if (value >= low && value <= high) return value;
  dls_hdf5_fail(h, DLS_ERR_FILE, place, "%lld is outside %lld..%lld", value, low, high);
  return 0;
}

int *dls_hdf5_integers(dls_hdf5 *h, const char *place, int count, int most, int low, int high)
{
  dataset d;
  int *out = expect(h, place, false, count, most, &d) ? memory_for(h, count, sizeof *out) : NULL;
  if (!out) return NULL;
  for (int k = 0; k < count; k++) {
    const long long value = integer_of(&d, k);
    if (value < low || value > high) {
      dls_hdf5_fail(h, DLS_ERR_FILE, place, "index %lld is outside %d..%d", value, low, high);
      return NULL;
    }
    out[k] = (int)value;
  }
  return out;
}

double *dls_hdf5_numbers(dls_hdf5 *h, const char *place, int count, int most)
{
  dataset d;
  double *out = expect(h, place, true, count, most, &d) ? memory_for(h, count, sizeof *out) : NULL;
  if (!out) return NULL;
  for (int k = 0; k < count; k++) {
    out[k] = number_of(&d, k);
    if (isfinite(out[k])) continue;
    dls_hdf5_fail(h, DLS_ERR_NUMBER, place, "entry %d is not a finite number", k);
    return NULL;
  }
  return out;
}

const char *dls_hdf5_text(dls_hdf5 *h, const char *place)
{
  dataset d;
  if (h->status != DLS_OK) return "";
  dls_hdf5 quiet = *h;
  quiet.message = NULL;
  if (describe(&quiet, place, &d) <= 0 || d.kind != TEXT || d.count != 1 || !d.data ||
      d.size > LARGEST_TEXT)
    return "";
  const char *copy = dls_arena_copy(h->arena, (const char *)d.data, d.size);
  if (!copy) dls_hdf5_fail(h, DLS_ERR_MEMORY, NULL, "out of memory");
  return copy ? copy : "";
}
