// Recordings as HDF5.
//
// HDF5 writes the beginning of the file, into memory, with an empty dataset for the rows. From then
// on the file grows without it: rows go behind the end, and three numbers follow them, one after
// the other, each written at once: the end of the file in the superblock, the bytes of the rows in
// their dataset's layout, and their number in its dataspace. Whenever the process ends, the file is
// one that HDF5 reads. Its own way, data in chunks and metadata in a cache, has no such moment.
#include "contact/chart.h"
#include "base/memory.h"
#include "base/message.h"
#include "io/hdf5_structure.h"
#include "io/recording.h"

#include <delassus/output.h>

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROWTH = 1 << 16, LARGEST_ROW = 1 << 30 };

typedef struct maker {
  hid_t file, plain;
  bool failed;
} maker;

// ---- datasets -----------------------------------------------------------------------------------

static void put(maker *k, const char *name, hid_t type, hid_t space, const void *data)
{
  hid_t id = -1;
  if (!k->failed && type >= 0 && space >= 0)
    id = H5Dcreate2(k->file, name, type, space, H5P_DEFAULT, k->plain, H5P_DEFAULT);
  if (id < 0 || (data && H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0))
    k->failed = true;
  if (id >= 0) H5Dclose(id);
}

static hid_t text_type(size_t length)
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  if (type >= 0 &&
      (H5Tset_size(type, length ? length : 1) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0 ||
       H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
    H5Tclose(type);
    return -1;
  }
  return type;
}

static void put_text(maker *k, const char *name, const char *text, size_t length)
{
  const hid_t space = H5Screate(H5S_SCALAR), type = text_type(length);
  put(k, name, type, space, length ? text : "");
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
}

static void put_number(maker *k, const char *name, double number)
{
  const hid_t space = H5Screate(H5S_SCALAR);
  put(k, name, H5T_IEEE_F64LE, space, &number);
  if (space >= 0) H5Sclose(space);
}

// Names of one length, padded with zeros, as an array; none at all: no dataset.
typedef struct names {
  dls_text bytes;
  size_t width;
  int count;
} names;

static void add_name(names *list, const char *name, const char *suffix)
{
  const size_t end = list->bytes.length + list->width;
  dls_text_add(&list->bytes, "%s%s", name, suffix);
  const size_t left = end - list->bytes.length;
  char *padding = list->bytes.failed ? NULL : dls_text_reserve(&list->bytes, left);
  if (padding) memset(padding, 0, left);
  list->count++;
}

static void widen(names *list, const char *name)
{
  const size_t length = strlen(name);
  if (length > list->width) list->width = length;
}

static void put_names(maker *k, const char *name, names *list)
{
  const hsize_t extent = (hsize_t)list->count;
  if (list->count > 0) {
    const hid_t space = H5Screate_simple(1, &extent, NULL), type = text_type(list->width);
    put(k, name, type, space, list->bytes.data);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
  }
  k->failed = k->failed || list->bytes.failed;
  dls_text_free(&list->bytes);
}

// Of the velocities too, which may be others where configurations are no vectors; contacts that
// come and go have identities.
static void put_names_of_found(maker *k, const dls_system *s)
{
  names q = {.width = 1}, v = {.width = 1};
  for (int i = 0; i < dls_system_nq(s); i++) widen(&q, dls_configuration_names(s)[i]);
  for (int i = 0; i < s->n; i++) widen(&v, s->coordinates[i]);
  v.width++;
  for (int i = 0; i < dls_system_nq(s); i++) add_name(&q, dls_configuration_names(s)[i], "");
  for (int i = 0; i < s->n; i++) add_name(&v, s->coordinates[i], "'");
  put_names(k, "coordinates", &q);
  put_names(k, "velocities", &v);
}

static void put_all_names(maker *k, const dls_system *s)
{
  static const char *const suffix[] = {".n", ".t1", ".t2"};
  names coordinates = {.width = 1}, contacts = {.width = 1}, impulses = {.width = 1};
  for (int i = 0; i < dls_system_nq(s); i++) widen(&coordinates, dls_configuration_names(s)[i]);
  for (int i = 0; i < s->m; i++) widen(&contacts, s->contacts[i].name);
  impulses.width = contacts.width + 3;
  for (int i = 0; i < dls_system_nq(s); i++)
    add_name(&coordinates, dls_configuration_names(s)[i], "");
  for (int i = 0; i < s->m; i++) {
    add_name(&contacts, s->contacts[i].name, "");
    for (int d = 0; d <= s->contacts[i].tangents && d < 3; d++)
      add_name(&impulses, s->contacts[i].name, suffix[d]);
  }
  put_names(k, "coordinates", &coordinates);
  put_names(k, "contacts", &contacts);
  put_names(k, "impulses", &impulses);
}

// ---- the type of a row --------------------------------------------------------------------------

static size_t hdf5_row_size(const dls_row_shape *shape)
{
  return dls_bytes(dls_row_numbers(shape) + shape->outputs + 1, 8) + (size_t)shape->m;
}

size_t dls_hdf5_output_offset(const dls_row_shape *shape)
{
  return dls_bytes(dls_row_numbers(shape), 8);
}

// One member; an array where there may be several. Members of length zero are left out.
static bool add_member(hid_t record, const char *name, size_t *offset, hid_t base, int count,
                       bool array)
{
  if (count == 0) return true;
  const hsize_t extent = (hsize_t)count;
  const hid_t type = array ? H5Tarray_create2(base, 1, &extent) : base;
  const bool good = type >= 0 && H5Tinsert(record, name, *offset, type) >= 0;
  *offset += (size_t)count * H5Tget_size(base);
  if (array && type >= 0) H5Tclose(type);
  return good;
}

static hid_t row_type(const dls_row_shape *s)
{
  const hid_t record = H5Tcreate(H5T_COMPOUND, hdf5_row_size(s));
  const hid_t real = H5T_IEEE_F64LE, byte = H5T_STD_U8LE;
  size_t at = 0;
  if (record >= 0 && add_member(record, "t", &at, real, 1, false) &&
      add_member(record, "q", &at, real, s->nq, true) &&
      add_member(record, "v", &at, real, s->n, true) &&
      add_member(record, "impulse", &at, real, s->impulses, true) &&
      add_member(record, "step", &at, real, 1, false) &&
      add_member(record, "memory", &at, real, s->scheme_state_size, true) &&
      add_member(record, "output", &at, real, s->outputs, true) &&
      add_member(record, "status", &at, byte, s->m, true) &&
      add_member(record, "check", &at, H5T_STD_U64LE, 1, false))
    return record;
  if (record >= 0) H5Tclose(record);
  return -1;
}

// A dataset without rows: `width` numbers in each, or a list.
static void put_column(maker *k, const char *name, hid_t type, int width)
{
  const hsize_t extent[] = {0, (hsize_t)width};
  const hid_t space = H5Screate_simple(width > 0 ? 2 : 1, extent, NULL);
  put(k, name, type, space, NULL);
  if (space >= 0) H5Sclose(space);
}

static const char *const columns[DLS_COLUMNS] = {"/t",
                                                 "/q",
                                                 "/v",
                                                 "/contacts/first",
                                                 "/contacts/id",
                                                 "/contacts/impulse",
                                                 "/contacts/status",
                                                 "/bodies/position",
                                                 "/bodies/quaternion",
                                                 "/contacts/point",
                                                 "/contacts/normal",
                                                 "/contacts/force"};

// Numbers of one entry of a column, and of bodies how many entries a row has; 0: it is a list.
static int width_of(const dls_row_shape *s, int column)
{
  switch (column) {
  case DLS_COLUMN_Q: return s->nq;
  case DLS_COLUMN_V: return s->n;
  case DLS_COLUMN_QUATERNION: return 4;
  case DLS_COLUMN_IMPULSE:
  case DLS_COLUMN_POSITION:
  case DLS_COLUMN_POINT:
  case DLS_COLUMN_NORMAL:
  case DLS_COLUMN_FORCE: return 3;
  default: return 0;
  }
}

static void put_bodies(maker *k, int bodies, const char *name, int width)
{
  const hsize_t extent[] = {0, (hsize_t)bodies, (hsize_t)width};
  const hid_t space = H5Screate_simple(3, extent, NULL);
  put(k, name, H5T_IEEE_F64LE, space, NULL);
  if (space >= 0) H5Sclose(space);
}

static void put_group(maker *k, const char *name)
{
  const hid_t group =
      k->failed ? -1 : H5Gcreate2(k->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (group < 0) k->failed = true;
  else H5Gclose(group);
}

static void put_body_names(maker *k, const dls_mechanism *mechanism)
{
  names list = {.width = 1};
  for (int b = 0; b < mechanism->bodies; b++) widen(&list, mechanism->body[b].name);
  for (int b = 0; b < mechanism->bodies; b++) add_name(&list, mechanism->body[b].name, "");
  put_names(k, "/bodies/names", &list);
}

static void put_stream(maker *k, const dls_system *system, const dls_row_shape *s)
{
  put_group(k, "contacts");
  if (s->bodies > 0) put_group(k, "bodies"), put_body_names(k, dls_model_mechanism(system));
  for (int c = 0; c < dls_recording_columns(s); c++) {
    const hid_t type = c == DLS_COLUMN_STATUS                        ? H5T_STD_U8LE
                       : c == DLS_COLUMN_FIRST || c == DLS_COLUMN_ID ? H5T_STD_U64LE
                                                                     : H5T_IEEE_F64LE;
    if (c == DLS_COLUMN_POSITION || c == DLS_COLUMN_QUATERNION)
      put_bodies(k, s->bodies, columns[c], width_of(s, c));
    else put_column(k, columns[c], type, width_of(s, c));
  }
  put_column(k, "stream", H5T_STD_U8LE, 0);
}

// /outputs/NAME; false when memory runs out
static bool output_place(const dls_system *s, int index, dls_text *place)
{
  dls_text_add(place, "/outputs/%s", dls_model_output_name(dls_system_model(s), index));
  return !place->failed;
}

static void put_outputs(maker *k, const dls_system *s, const dls_row_shape *shape)
{
  if (shape->outputs == 0 || k->failed) return;
  const hid_t group = H5Gcreate2(k->file, "outputs", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (group < 0) k->failed = true;
  else H5Gclose(group);
  for (int i = 0; i < shape->outputs && !k->failed; i++) {
    dls_text place = {0};
    if (output_place(s, i, &place)) put_column(k, place.data, H5T_IEEE_F64LE, 0);
    else k->failed = true;
    dls_text_free(&place);
  }
}

static void put_rows(maker *k, const dls_row_shape *shape)
{
  const hsize_t none = 0;
  const hid_t space = H5Screate_simple(1, &none, NULL), type = row_type(shape);
  put(k, "rows", type, space, NULL);
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
}

// ---- the beginning of the file ------------------------------------------------------------------

static void take_image(maker *k, dls_text *out)
{
  const bool flushed = !k->failed && H5Fflush(k->file, H5F_SCOPE_LOCAL) >= 0;
  const ssize_t length = flushed ? H5Fget_file_image(k->file, NULL, 0) : -1;
  // rows begin at a multiple of 8
  char *place = length > 0 ? dls_text_reserve(out, ((size_t)length + 7) & ~(size_t)7) : NULL;
  if (place) memset(place, 0, out->length);
  if (!place || H5Fget_file_image(k->file, place, (size_t)length) != length) k->failed = true;
}

static bool make_image(const dls_recording_about *about, const dls_row_shape *shape, dls_text *out)
{
  maker k = {.file = -1, .plain = H5Pcreate(H5P_DATASET_CREATE)};
  char name[48];  // in HDF5's list of open files: no other call's
  snprintf(name, sizeof name, "delassus-recording-%p", (void *)&k);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  // no times, so that a file is the same whenever it is written
  if (access >= 0 && k.plain >= 0 && H5Pset_fapl_core(access, GROWTH, false) >= 0 &&
      H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST) >= 0 &&
      H5Pset_obj_track_times(k.plain, false) >= 0)
    k.file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  k.failed = k.file < 0;
  if (!k.failed) {
    put_text(&k, "model", about->model, about->model ? about->model_length : 0);
    put_text(&k, "scheme", about->scheme, about->scheme ? strlen(about->scheme) : 0);
    put_text(&k, "settings", about->settings, about->settings ? strlen(about->settings) : 0);
    put_number(&k, "step", about->step);
    if (shape->found) put_names_of_found(&k, about->system);
    else put_all_names(&k, about->system);
    put_outputs(&k, about->system, shape);
    if (shape->found) put_stream(&k, about->system, shape);
    else put_rows(&k, shape);
  }
  take_image(&k, out);
  if (k.file >= 0) H5Fclose(k.file);
  if (k.plain >= 0) H5Pclose(k.plain);
  if (access >= 0) H5Pclose(access);
  return !k.failed && !out->failed;
}

static void store(unsigned char *place, uint64_t value)
{
  for (int b = 0; b < 8; b++) place[b] = (unsigned char)(value >> 8 * b);
}

// Where the numbers of a dataset are that is empty yet.
static bool find_place(dls_hdf5 *h, const char *name, dls_dataset_place *place)
{
  dls_hdf5_object o;
  if (dls_hdf5_find(h, name, &o) != 1) return false;
  const unsigned char *space = o.dataspace.data, *layout = o.layout.data;
  if (!space || o.dataspace.size < 16 || (space[0] != 1 && space[0] != 2) || space[1] < 1 ||
      space[1] > 3 || !layout || o.layout.size < 18 || layout[0] != 3 || layout[1] != 1)
    return false;
  place->address = (uint64_t)(layout - h->data) + 2, place->size = place->address + 8;
  place->count = (uint64_t)(space - h->data) + (space[0] == 1 ? 8 : 4);
  store(h->data + place->address, h->size);
  store(h->data + place->size, 0);
  store(h->data + place->count, 0);
  return true;
}

static bool find_outputs(dls_hdf5 *h, const dls_system *s, const dls_row_shape *shape,
                         dls_recording_head *head)
{
  bool good = true;
  if (shape->outputs == 0) return true;
  head->outputs = shape->outputs;
  head->output = dls_alloc(shape->outputs, sizeof *head->output);
  for (int i = 0; i < shape->outputs && good; i++) {
    dls_text place = {0};
    good =
        head->output && output_place(s, i, &place) && find_place(h, place.data, &head->output[i]);
    dls_text_free(&place);
  }
  return good;
}

void dls_recording_head_free(dls_recording_head *head)
{
  dls_text_free(&head->bytes);
  free(head->output);
  *head = (dls_recording_head){0};
}

// Where the numbers are that grow, and the place of the rows: behind everything.
static bool find_places(const dls_system *s, const dls_row_shape *shape, dls_recording_head *head)
{
  unsigned char *image = (unsigned char *)head->bytes.data;
  dls_hdf5 h = {.path = "", .data = image, .size = head->bytes.length};
  dls_dataset_place rows;
  if (!dls_hdf5_superblock(&h) || h.data != image) return false;
  h.size = head->bytes.length;
  for (int c = 0; shape->found && c < dls_recording_columns(shape); c++)
    if (!find_place(&h, columns[c], &head->column[c])) return false;
  if (!find_outputs(&h, s, shape, head)) return false;
  if (!find_place(&h, shape->found ? "/stream" : "/rows", &rows)) return false;
  head->end = image[8] == 0 ? 40 : 44;
  head->count = rows.count, head->size = rows.size;
  store(image + head->end, head->bytes.length);
  return true;
}

dls_status dls_hdf5_head(const dls_recording_about *about, const dls_row_shape *shape,
                         dls_recording_head *head, dls_message *message)
{
  if (!shape->found && hdf5_row_size(shape) > LARGEST_ROW)
    return dls_fail(message, DLS_ERR_LIMIT, "a row would be too large for HDF5");
  H5E_auto2_t print;  // HDF5's, one per thread where it is safe for threads: put back
  void *data;
  H5Eget_auto2(H5E_DEFAULT, &print, &data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  const bool made =
      make_image(about, shape, &head->bytes) && find_places(about->system, shape, head);
  H5Eset_auto2(H5E_DEFAULT, print, data);
  return made ? DLS_OK : dls_fail(message, DLS_ERR_MEMORY, "out of memory");
}

// ---- rows ---------------------------------------------------------------------------------------

static unsigned char *put_doubles(unsigned char *out, const double *x, int count)
{
  for (int i = 0; i < count; i++, out += 8) {
    uint64_t bits;
    memcpy(&bits, &x[i], 8);
    store(out, bits);
  }
  return out;
}

static size_t hdf5_write(const dls_sample *row, char *out)
{
  unsigned char *at = put_doubles((unsigned char *)out, &row->t, 1);
  at = put_doubles(at, row->q, row->nq);
  at = put_doubles(at, row->v, row->n);
  at = put_doubles(at, row->impulse, row->impulses);
  at = put_doubles(at, &row->next_step, 1);
  at = put_doubles(at, row->scheme_state, row->scheme_state_size);
  at = put_doubles(at, row->output, row->outputs);
  if (row->m > 0) memcpy(at, row->status, (size_t)row->m);
  return (size_t)(at - (unsigned char *)out) + (size_t)row->m;
}

static size_t hdf5_end(uint64_t check, char *out)
{
  store((unsigned char *)out, check);
  return 8;
}

static size_t hdf5_check(const char *bytes, size_t size, uint64_t *check)
{
  *check = dls_hdf5_value((const unsigned char *)bytes + size - 8, 8);
  return size - 8;
}

static bool hdf5_read(char *bytes, size_t size, dls_row *row)
{
  const unsigned char *at = (const unsigned char *)bytes;
  const ptrdiff_t numbers = dls_row_numbers(&row->shape);
  if (size != hdf5_row_size(&row->shape) - 8) return false;
  for (ptrdiff_t i = 0; i < numbers; i++, at += 8) {
    const uint64_t bits = dls_hdf5_value(at, 8);
    memcpy(&row->numbers[i], &bits, 8);
  }
  at += (size_t)row->shape.outputs * 8;
  if (row->shape.m > 0) memcpy(row->status, at, (size_t)row->shape.m);
  return true;
}

static dls_status hdf5_find(const char *path, char *bytes, size_t size,
                            const dls_recording_about *about, const dls_row_shape *shape,
                            const dls_recording_head *head, dls_recording_rows *rows,
                            dls_message *message)
{
  const unsigned char *data = (unsigned char *)bytes;
  dls_hdf5 h = {.path = path, .data = (unsigned char *)bytes, .size = size, .message = message};
  const dls_status status = dls_hdf5_compare(&h, about, head);
  if (status != DLS_OK) return status;
  const uint64_t row = hdf5_row_size(shape), count = dls_hdf5_value(data + head->count, 8);
  if (count > (size - head->bytes.length) / row)
    return dls_fail(message, DLS_ERR_FILE, "%.400s: damaged: it has fewer rows than it says", path);
  rows->count = (long)count;
  rows->data = bytes + head->bytes.length;
  return DLS_OK;
}

const dls_recording_form dls_recording_hdf5 = {.row_max = hdf5_row_size,
                                               .head = dls_hdf5_head,
                                               .write = hdf5_write,
                                               .end = hdf5_end,
                                               .find = hdf5_find,
                                               .check = hdf5_check,
                                               .read = hdf5_read};
