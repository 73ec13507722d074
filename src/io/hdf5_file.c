// Reading HDF5 with suspicion. Types, layouts and extents are compared with what is
// expected and with the size of the file before memory is taken or data are touched.
#define _XOPEN_SOURCE 700
#include "io/hdf5_file.h"

#include "base/message.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
  LONGEST_PLACE = 100,
  LARGEST_TEXT = 1 << 16,
};

dls_hdf5_silence dls_hdf5_silence_begin(void)
{
  dls_hdf5_silence silence = {0};
  H5Eget_auto2(H5E_DEFAULT, &silence.function, &silence.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return silence;
}

void dls_hdf5_silence_end(const dls_hdf5_silence *silence)
{
  H5Eset_auto2(H5E_DEFAULT, silence->function, silence->data);
}

bool dls_hdf5_fail(dls_hdf5 *h, dls_status status, const char *place, const char *format, ...)
{
  if (h->status != DLS_OK) return false;
  h->status = status;
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  dls_fail(h->message, status, "%.400s: %s%s%s", h->path, place ? place : "", place ? ": " : "",
           text);
  return false;
}

// ---- the file ----------------------------------------------------------------------------------

bool dls_hdf5_open(dls_hdf5 *h, const char *path, dls_arena *arena, dls_message *message)
{
  *h = (dls_hdf5){.path = path, .file = -1, .arena = arena, .message = message};
  struct stat info;
  if (stat(path, &info)) return dls_hdf5_fail(h, DLS_ERR_FILE, NULL, "%s", strerror(errno));
  if (!S_ISREG(info.st_mode)) return dls_hdf5_fail(h, DLS_ERR_FILE, NULL, "it is not a file");
  FILE *readable = fopen(path, "rb");
  if (!readable) return dls_hdf5_fail(h, DLS_ERR_FILE, NULL, "%s", strerror(errno));
  fclose(readable);
  h->size = (unsigned long long)info.st_size;
  if (H5Fis_hdf5(path) <= 0) return dls_hdf5_fail(h, DLS_ERR_FILE, NULL, "not an HDF5 file");

  // without locks: some network file systems have none, and this only reads
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access < 0) return dls_hdf5_fail(h, DLS_ERR_MEMORY, NULL, "out of memory");
  H5Pset_file_locking(access, false, true);
  h->file = H5Fopen(path, H5F_ACC_RDONLY, access);
  H5Pclose(access);
  if (h->file < 0)
    return dls_hdf5_fail(h, DLS_ERR_FILE, NULL, "HDF5 cannot open it: truncated or damaged");
  return true;
}

void dls_hdf5_close(dls_hdf5 *h)
{
  if (h->file >= 0) H5Fclose(h->file);
  h->file = -1;
}

// One step of the path: 1 when it is there by a hard link, 0 when it is not, -1 after a failure.
static int look(dls_hdf5 *h, const char *place)
{
  const htri_t there = H5Lexists(h->file, place, H5P_DEFAULT);
  if (there < 0) dls_hdf5_fail(h, DLS_ERR_FILE, place, "HDF5 cannot look it up: damaged");
  if (there <= 0) return (int)there;
  H5L_info_t link;
  if (H5Lget_info(h->file, place, &link, H5P_DEFAULT) < 0) {
    dls_hdf5_fail(h, DLS_ERR_FILE, place, "HDF5 cannot look it up: damaged");
    return -1;
  }
  if (link.type == H5L_TYPE_HARD) return 1;
  dls_hdf5_fail(h, DLS_ERR_FILE, place, "a soft or external link, expected the object itself");
  return -1;
}

bool dls_hdf5_has(dls_hdf5 *h, const char *place)
{
  char part[LONGEST_PLACE];
  for (const char *end = place + 1; h->status == DLS_OK; end++) {
    if (*end && *end != '/') continue;
    snprintf(part, sizeof part, "%.*s", (int)(end - place), place);
    if (look(h, part) <= 0) return false;
    if (!*end) return true;
    // what is in the middle must be a group, or HDF5 would be asked for a link in a dataset
    const hid_t object = H5Oopen(h->file, part, H5P_DEFAULT);
    const H5I_type_t type = object < 0 ? H5I_BADID : H5Iget_type(object);
    if (object >= 0) H5Oclose(object);
    if (type != H5I_GROUP) return dls_hdf5_fail(h, DLS_ERR_FILE, part, "expected a group");
  }
  return false;
}

bool dls_hdf5_filled(dls_hdf5 *h, const char *place)
{
  if (!dls_hdf5_has(h, place)) return false;
  const hid_t object = H5Oopen(h->file, place, H5P_DEFAULT);
  const bool dataset = object >= 0 && H5Iget_type(object) == H5I_DATASET;
  const bool empty = dataset && H5Dget_storage_size(object) == 0;
  if (object >= 0) H5Oclose(object);
  return !empty;  // what is no dataset fails when it is read
}

// ---- a dataset, before it is read --------------------------------------------------------------

typedef struct dataset {
  hid_t id, type, space;
  const char *place;
  unsigned long long count;
} dataset;

static void drop(dataset *d)
{
  if (d->space >= 0) H5Sclose(d->space);
  if (d->type >= 0) H5Tclose(d->type);
  if (d->id >= 0) H5Dclose(d->id);
}

// Are there as many bytes in the file as the extent says? Only data in one piece are read, which is
// how FCLIB writes them: HDF5 reads past its buffers when compressed chunks come out shorter than
// declared, and makes zeros of chunks that are not there.
static bool check_storage(dls_hdf5 *h, const dataset *d, hid_t plist)
{
  const H5D_layout_t layout = H5Pget_layout(plist);
  if ((layout != H5D_COMPACT && layout != H5D_CONTIGUOUS) || H5Pget_nfilters(plist) != 0)
    return dls_hdf5_fail(h, DLS_ERR_FILE, d->place,
                         "stored in chunks or compressed, which is not read; "
                         "'h5repack -l CONTI -f NONE' makes a file that is");
  // the size of a type is below 2^32, the extent below 2^31
  const unsigned long long bytes = d->count * H5Tget_size(d->type);
  if (bytes <= h->size && H5Dget_storage_size(d->id) >= bytes) return true;
  return dls_hdf5_fail(h, DLS_ERR_FILE, d->place, "%llu entries are declared, but not stored",
                       d->count);
}

// One dimension, or none.
static bool check_extent(dls_hdf5 *h, dataset *d)
{
  d->space = H5Dget_space(d->id);
  const H5S_class_t form = d->space < 0 ? H5S_NO_CLASS : H5Sget_simple_extent_type(d->space);
  if (form == H5S_SCALAR) {
    d->count = 1;
    return true;
  }
  const int rank = form == H5S_SIMPLE ? H5Sget_simple_extent_ndims(d->space) : 0;
  if (rank != 1)
    return dls_hdf5_fail(h, DLS_ERR_FILE, d->place, "it has %d dimensions, expected 1", rank);
  hsize_t extent = 0;
  if (H5Sget_simple_extent_dims(d->space, &extent, NULL) != 1 || extent > INT_MAX)
    return dls_hdf5_fail(h, DLS_ERR_LIMIT, d->place, "more than %d entries", INT_MAX);
  d->count = extent;
  return true;
}

// Opens a dataset whose type satisfies the test. Layouts that lead out of the file are refused
// before the extent is asked for, because HDF5 opens the other files already for that.
static bool find(dls_hdf5 *h, const char *place, bool (*good)(hid_t type), const char *what,
                 dataset *d)
{
  *d = (dataset){.id = -1, .type = -1, .space = -1, .place = place};
  if (!dls_hdf5_has(h, place)) return dls_hdf5_fail(h, DLS_ERR_FILE, place, "it is missing");
  const hid_t object = H5Oopen(h->file, place, H5P_DEFAULT);
  if (object >= 0 && H5Iget_type(object) == H5I_DATASET) d->id = object;
  else if (object >= 0) H5Oclose(object);
  if (d->id < 0) return dls_hdf5_fail(h, DLS_ERR_FILE, place, "expected a dataset with %s", what);

  d->type = H5Dget_type(d->id);
  if (d->type < 0 || !good(d->type))
    return dls_hdf5_fail(h, DLS_ERR_FILE, place, "its type is another, expected %s", what);
  const hid_t plist = H5Dget_create_plist(d->id);
  if (plist < 0) return dls_hdf5_fail(h, DLS_ERR_FILE, place, "damaged");
  bool fine;
  if (H5Pget_layout(plist) == H5D_VIRTUAL || H5Pget_external_count(plist) != 0)
    fine = dls_hdf5_fail(h, DLS_ERR_FILE, place, "its data are in another file");
  else fine = check_extent(h, d) && check_storage(h, d, plist);
  H5Pclose(plist);
  return fine;
}

// Only types that are whole machine numbers: HDF5 could also describe ones of any bits.
static bool one_of(hid_t type, const hid_t *known, size_t count)
{
  for (size_t k = 0; k < count; k++)
    if (H5Tequal(type, known[k]) > 0) return true;
  return false;
}

static bool is_integer(hid_t type)
{
  const hid_t known[] = {H5T_STD_I32LE, H5T_STD_I64LE, H5T_STD_U32LE, H5T_STD_U64LE,
                         H5T_STD_I32BE, H5T_STD_I64BE, H5T_STD_U32BE, H5T_STD_U64BE,
                         H5T_STD_I8LE,  H5T_STD_U8LE,  H5T_STD_I16LE, H5T_STD_U16LE,
                         H5T_STD_I8BE,  H5T_STD_U8BE,  H5T_STD_I16BE, H5T_STD_U16BE};
  return one_of(type, known, sizeof known / sizeof known[0]);
}

static bool is_number(hid_t type)
{
  const hid_t known[] = {H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_IEEE_F32LE, H5T_IEEE_F32BE};
  return one_of(type, known, sizeof known / sizeof known[0]) || is_integer(type);
}

static bool is_text(hid_t type)
{
  return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
}

// ---- reading -----------------------------------------------------------------------------------

static bool check_count(dls_hdf5 *h, const dataset *d, int count, int most)
{
  if (d->count >= (unsigned)count && d->count <= (unsigned)(most > count ? most : count))
    return true;
  return most > count
             ? dls_hdf5_fail(h, DLS_ERR_FILE, d->place, "it has %llu entries, expected %d to %d",
                             d->count, count, most)
             : dls_hdf5_fail(h, DLS_ERR_FILE, d->place, "it has %llu entries, expected %d",
                             d->count, count);
}

// The first `count` entries, converted by HDF5, which clips what the type cannot hold.
static bool take(dls_hdf5 *h, const dataset *d, hid_t memory_type, int count, void *out)
{
  if (count == 0) return true;
  const hsize_t begin = 0, length = (hsize_t)count;
  const bool part = d->count > length;
  const hid_t memory = part ? H5Screate_simple(1, &length, NULL) : H5S_ALL;
  bool good = memory >= 0;
  if (good && part)
    good = H5Sselect_hyperslab(d->space, H5S_SELECT_SET, &begin, NULL, &length, NULL) >= 0;
  if (good)
    good = H5Dread(d->id, memory_type, memory, part ? d->space : H5S_ALL, H5P_DEFAULT, out) >= 0;
  if (part && memory >= 0) H5Sclose(memory);
  return good || dls_hdf5_fail(h, DLS_ERR_FILE, d->place, "HDF5 cannot read it: damaged");
}

static void *memory_for(dls_hdf5 *h, int count, size_t size)
{
  void *place = dls_arena_alloc(h->arena, (size_t)count, size);
  if (!place) dls_hdf5_fail(h, DLS_ERR_MEMORY, NULL, "out of memory");
  return place;
}

static bool take_integers(dls_hdf5 *h, const dataset *d, int count, long long low, long long high,
                          long long *value)
{
  if (!take(h, d, H5T_NATIVE_LLONG, count, value)) return false;
  for (int k = 0; k < count; k++)
    if (value[k] < low || value[k] > high)
      return dls_hdf5_fail(h, DLS_ERR_FILE, d->place, "%s%lld is outside %lld..%lld",
                           d->count > 1 ? "index " : "", value[k], low, high);
  return true;
}

long long dls_hdf5_integer(dls_hdf5 *h, const char *place, long long low, long long high)
{
  dataset d;
  long long value = 0;
  const bool good = find(h, place, is_integer, "an integer", &d) && check_count(h, &d, 1, 1) &&
                    take_integers(h, &d, 1, low, high, &value);
  drop(&d);
  return good ? value : 0;
}

int *dls_hdf5_integers(dls_hdf5 *h, const char *place, int count, int most, int low, int high)
{
  dataset d;
  int *out = NULL;
  long long *value = NULL;
  if (find(h, place, is_integer, "integers", &d) && check_count(h, &d, count, most)) {
    value = dls_alloc((size_t)count, sizeof *value);
    if (!value) dls_hdf5_fail(h, DLS_ERR_MEMORY, NULL, "out of memory");
    else if (take_integers(h, &d, count, low, high, value)) out = memory_for(h, count, sizeof *out);
  }
  for (int k = 0; out && k < count; k++) out[k] = (int)value[k];
  free(value);
  drop(&d);
  return out;
}

static bool take_numbers(dls_hdf5 *h, const dataset *d, int count, double *out)
{
  if (!take(h, d, H5T_NATIVE_DOUBLE, count, out)) return false;
  for (int k = 0; k < count; k++)
    if (!isfinite(out[k]))
      return dls_hdf5_fail(h, DLS_ERR_NUMBER, d->place, "entry %d is not a finite number", k);
  return true;
}

double *dls_hdf5_numbers(dls_hdf5 *h, const char *place, int count, int most)
{
  dataset d;
  double *out = NULL;
  if (find(h, place, is_number, "numbers", &d) && check_count(h, &d, count, most))
    out = memory_for(h, count, sizeof *out);
  if (out && !take_numbers(h, &d, count, out)) out = NULL;
  drop(&d);
  return out;
}

const char *dls_hdf5_text(dls_hdf5 *h, const char *place)
{
  if (!dls_hdf5_has(h, place)) return "";
  dataset d;
  char *out = NULL;
  if (find(h, place, is_text, "a string of fixed length", &d) && check_count(h, &d, 1, 1)) {
    const size_t length = H5Tget_size(d.type);
    if (length > LARGEST_TEXT)
      dls_hdf5_fail(h, DLS_ERR_LIMIT, place, "longer than %d bytes", (int)LARGEST_TEXT);
    else out = memory_for(h, (int)length + 1, 1);
  }
  if (out && !take(h, &d, d.type, 1, out)) out = NULL;
  drop(&d);
  return out ? out : "";
}
