// A recording of HDF5 that says itself how it was made.
#include "base/file.h"
#include "base/memory.h"
#include "base/message.h"
#include "io/hdf5_structure.h"
#include "io/recording.h"

#include <delassus/model.h>
#include <delassus/output.h>

#include <stdlib.h>
#include <string.h>

static const size_t LARGEST_FILE = (size_t)1 << 32;

// The file's texts, in its bytes.
typedef struct origin {
  char *bytes;
  size_t size;
  dls_hdf5 h;
  const unsigned char *model, *scheme, *settings, *step;
  uint64_t model_length, scheme_length, settings_length;
} origin;

static dls_status read_origin(const char *path, origin *o, dls_message *message)
{
  uint64_t step = 0;
  const char *ending = path ? strrchr(path, '.') : NULL;
  if (message) message->text[0] = 0;
  if (!ending || (strcmp(ending, ".h5") != 0 && strcmp(ending, ".hdf5") != 0))
    return dls_fail(message, DLS_ERR_ARGUMENT, "%.400s: expected a recording, .h5 or .hdf5",
                    path ? path : "");
  const dls_status status = dls_file_read(path, LARGEST_FILE, &o->bytes, &o->size, message);
  if (status != DLS_OK) return status;
  o->h = (dls_hdf5){
      .path = path, .data = (unsigned char *)o->bytes, .size = o->size, .message = message};
  if (!dls_hdf5_superblock(&o->h)) return o->h.status;
  o->model = dls_recording_bytes(&o->h, "/model", &o->model_length);
  o->scheme = dls_recording_bytes(&o->h, "/scheme", &o->scheme_length);
  o->settings = dls_recording_bytes(&o->h, "/settings", &o->settings_length);
  o->step = dls_recording_bytes(&o->h, "/step", &step);
  if (o->model && o->scheme && o->settings && o->step && step == 8) return DLS_OK;
  return dls_fail(message, DLS_ERR_FILE, "%.400s: it does not say how it was made", path);
}

// A text that may be padded; false: it is longer than there is room.
static bool copy_text(char *to, size_t room, const unsigned char *from, uint64_t length)
{
  if (!from || length >= room) return false;
  memcpy(to, from, (size_t)length);
  to[length] = 0;
  return true;
}

// What rows have besides the numbers that every recording of the system has: with outputs or
// without, whichever leaves a size for what the scheme remembers.
static bool read_shape(const origin *o, const dls_system *s, int outputs, int *memory)
{
  uint64_t size = 0, count = 0;
  if (!dls_recording_bytes(&o->h, "/rows", &size)) return false;
  if (!dls_recording_row_count(&o->h, &count) || count == 0) return false;
  const uint64_t row = size / count;
  const uint64_t m = (uint64_t)s->m;
  const uint64_t others = 8 * (3 + (uint64_t)dls_system_nq(s) + (uint64_t)s->n + m +
                               (uint64_t)s->tangents + (uint64_t)outputs) +
                          m;
  if (row < others || (row - others) % 8 != 0 || (row - others) / 8 > 1 << 24) return false;
  *memory = (int)((row - others) / 8);
  return true;
}

static dls_status open_with(const origin *o, const dls_system *system, dls_recorded_call *call,
                            dls_recorded **out, dls_message *message)
{
  dls_recording_about about = {.system = system,
                               .model = (const char *)o->model,
                               .model_length = (size_t)o->model_length,
                               .scheme = call->scheme,
                               .settings = call->settings,
                               .step = call->step};
  const int outputs = dls_model_output_count(dls_system_model(system));
  dls_status status = DLS_ERR_FILE;
  for (int k = 0; k < 2 && status == DLS_ERR_FILE; k++) {
    about.outputs = k == 0 ? outputs : 0;
    if (system->find || read_shape(o, system, about.outputs, &about.scheme_state_size))
      status = dls_recorded_open(o->h.path, &about, out, message);
  }
  if (status == DLS_ERR_FILE && message && !message->text[0])
    dls_fail(message, status, "%.400s: its rows are not those of this model", o->h.path);
  return status;
}

dls_status dls_recorded_read(const char *path, const dls_system *system, dls_recorded **out,
                             dls_recorded_call *call, dls_message *message)
{
  if (!system || !out || !call) return DLS_ERR_ARGUMENT;
  origin o = {0};
  *out = NULL;
  dls_status status = read_origin(path, &o, message);
  if (status == DLS_OK) {
    const uint64_t bits = dls_hdf5_value(o.step, 8);
    memcpy(&call->step, &bits, sizeof bits);
    if (!copy_text(call->scheme, sizeof call->scheme, o.scheme, o.scheme_length) ||
        !copy_text(call->settings, sizeof call->settings, o.settings, o.settings_length))
      status = dls_fail(message, DLS_ERR_LIMIT, "%.400s: its settings are too long", path);
  }
  if (status == DLS_OK) status = open_with(&o, system, call, out, message);
  free(o.bytes);
  return status;
}

dls_status dls_recorded_text(const char *path, char **text, size_t *length, dls_message *message)
{
  if (!text || !length) return DLS_ERR_ARGUMENT;
  origin o = {0};
  *text = NULL;
  dls_status status = read_origin(path, &o, message);
  if (status == DLS_OK) {
    *length = (size_t)o.model_length;
    *text = dls_alloc((ptrdiff_t)o.model_length + 1, 1);
    if (*text && o.model) memcpy(*text, o.model, (size_t)o.model_length);
    else status = dls_fail(message, DLS_ERR_MEMORY, "out of memory");
  }
  free(o.bytes);
  return status;
}
