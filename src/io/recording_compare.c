// Whether a recording as HDF5 was made with the same model, scheme and settings: by the bytes of
// its head; and if not, what is different.
#include "base/message.h"
#include "io/hdf5_structure.h"
#include "io/recording.h"

#include <string.h>

// The bytes of a dataset in one piece; NULL when it is not there or of another kind.
const unsigned char *dls_recording_bytes(const dls_hdf5 *h, const char *place, uint64_t *size)
{
  dls_hdf5_object o;
  dls_hdf5 quiet = *h;
  quiet.message = NULL;
  if (dls_hdf5_find(&quiet, place, &o) != 1 || !o.layout.data || o.layout.size < 18 ||
      o.layout.data[0] != 3 || o.layout.data[1] != 1)
    return NULL;
  *size = dls_hdf5_value(o.layout.data + 10, 8);
  return dls_hdf5_bytes(h, dls_hdf5_value(o.layout.data + 2, 8), *size);
}

// Whether a text of the file is the same; a missing one counts as another.
static bool same(dls_hdf5 *h, const char *place, const char *text, size_t length)
{
  uint64_t size = 0;
  const unsigned char *bytes = dls_recording_bytes(h, place, &size);
  const char *wanted = length ? text : "";
  if (!length) length = 1;  // a text of no length is a zero byte
  return bytes && size == length && memcmp(bytes, wanted, length) == 0;
}

static dls_status other_text(dls_hdf5 *h, const char *place, const char *what, const char *now)
{
  uint64_t size = 0;
  const unsigned char *bytes = dls_recording_bytes(h, place, &size);
  dls_text was = {0}, is = {0};
  if (bytes) dls_text_put(&was, (const char *)bytes, size < 200 ? size : 200);
  dls_text shown = {0};
  dls_text_clean(&shown, was.data ? was.data : "", 100);
  dls_text_clean(&is, now ? now : "", 100);
  dls_fail(h->message, DLS_ERR_FILE, "%.400s: it was made with %s %s, and this is %s", h->path,
           what, shown.data ? shown.data : "", is.data ? is.data : "");
  dls_text_free(&was);
  dls_text_free(&shown);
  dls_text_free(&is);
  return DLS_ERR_FILE;
}

// What makes another head, in words.
static dls_status explain(dls_hdf5 *h, const dls_recording_about *about)
{
  const char *scheme = about->scheme ? about->scheme : "";
  const char *settings = about->settings ? about->settings : "";
  uint64_t size = 0;
  const unsigned char *step = dls_recording_bytes(h, "/step", &size);
  if (!dls_hdf5_has(h, "/rows") && !dls_hdf5_has(h, "/stream"))
    return h->status != DLS_OK
               ? h->status
               : dls_fail(h->message, DLS_ERR_FILE, "%.400s: not a recording", h->path);
  if (!same(h, "/model", about->model, about->model ? about->model_length : 0))
    return dls_fail(h->message, DLS_ERR_FILE, "%.400s: it was made with another model", h->path);
  if (!same(h, "/scheme", scheme, strlen(scheme)))
    return other_text(h, "/scheme", "the scheme", scheme);
  if (step && size == 8) {
    const uint64_t bits = dls_hdf5_value(step, 8);
    double was;
    memcpy(&was, &bits, 8);
    if (was != about->step)
      return dls_fail(h->message, DLS_ERR_FILE,
                      "%.400s: it was made with the step %.17g, and this is %.17g", h->path, was,
                      about->step);
  }
  if (!same(h, "/settings", settings, strlen(settings)))
    return other_text(h, "/settings", "the settings", settings);
  return dls_fail(h->message, DLS_ERR_FILE, DLS_OTHER_VERSION, h->path, h->path);
}

// The head, with the numbers of the file in the places that grow.
static bool same_head(const unsigned char *bytes, size_t size, const dls_recording_head *head)
{
  const size_t length = head->bytes.length;
  const unsigned char *expected = (const unsigned char *)head->bytes.data;
  if (size < length) return false;
  for (size_t i = 0; i < length; i++) {
    bool grows = i - head->end < 8 || i - head->size < 8 || i - head->count < 8;
    for (int c = 0; head->column[0].count && c < DLS_COLUMNS && head->column[c].count; c++) {
      const dls_dataset_place *p = &head->column[c];
      grows = grows || i - p->address < 16 || i - p->count < 8;  // the size follows the address
    }
    for (int c = 0; bytes[i] != expected[i] && c < head->outputs; c++)
      grows = grows || i - head->output[c].address < 16 || i - head->output[c].count < 8;
    if (!grows && bytes[i] != expected[i]) return false;
  }
  return true;
}

dls_status dls_hdf5_compare(dls_hdf5 *h, const dls_recording_about *about,
                            const dls_recording_head *head)
{
  const unsigned char *data = h->data;
  const size_t size = (size_t)h->size;
  if (!dls_hdf5_superblock(h)) return h->status;
  return h->data == data && same_head(data, size, head) ? DLS_OK : explain(h, about);
}
