#include "view/pack.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <zlib.h>

static const ptrdiff_t FINE_MOST = 4000000;  // numbers that are kept finely
enum { FINE_BITS = 26, COARSE_BITS = 15 };

bool dls_pack_begin(dls_pack *p)
{
  *p = (dls_pack){.arrays = json_object()};
  return p->arrays != NULL;
}

void dls_pack_free(dls_pack *p)
{
  json_decref(p->arrays);
  dls_text_free(&p->bytes);
  *p = (dls_pack){0};
}

// ---- arrays -------------------------------------------------------------------------------------

// Room for an array that begins at a multiple of 8, and where that is; NULL when memory runs out.
static char *reserve(dls_pack *p, size_t bytes, size_t *offset)
{
  const size_t gap = (8 - p->bytes.length % 8) % 8;
  char *room = p->failed ? NULL : dls_text_reserve(&p->bytes, gap + bytes);
  if (!room) {
    p->failed = true;
    return NULL;
  }
  memset(room, 0, gap);
  *offset = p->bytes.length - bytes;
  return room + gap;
}

static json_t *enter(dls_pack *p, const char *name, const char *type, size_t offset,
                     ptrdiff_t count)
{
  json_t *entry = json_pack("{s:s, s:I, s:I}", "type", type, "offset", (json_int_t)offset, "count",
                            (json_int_t)count);
  if (!entry || json_object_set_new(p->arrays, name, entry) != 0) p->failed = true;
  return p->failed ? NULL : entry;
}

// The low `width` bytes of an integer, least first.
static void put_integer(char *to, uint64_t x, int width)
{
  for (int k = 0; k < width; k++) to[k] = (char)(unsigned char)(x >> (8 * k));
}

static size_t put_doubles(dls_pack *p, ptrdiff_t count, const double *x)
{
  size_t offset = 0;
  char *to = reserve(p, dls_bytes(count, 8), &offset);
  for (ptrdiff_t i = 0; to && i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    put_integer(to + 8 * i, bits, 8);
  }
  return offset;
}

void dls_pack_doubles(dls_pack *p, const char *name, ptrdiff_t count, const double *x)
{
  const size_t offset = put_doubles(p, count, x);
  if (!p->failed) enter(p, name, "f64", offset, count);
}

void dls_pack_integers(dls_pack *p, const char *name, ptrdiff_t count, const uint32_t *x)
{
  size_t offset = 0;
  char *to = reserve(p, dls_bytes(count, 4), &offset);
  for (ptrdiff_t i = 0; to && i < count; i++) put_integer(to + 4 * i, x[i], 4);
  if (to) enter(p, name, "u32", offset, count);
}

void dls_pack_bytes(dls_pack *p, const char *name, ptrdiff_t count, const unsigned char *x)
{
  size_t offset = 0;
  char *to = reserve(p, dls_bytes(count, 1), &offset);
  if (to && count > 0) memcpy(to, x, dls_bytes(count, 1));
  if (to) enter(p, name, "u8", offset, count);
}

void dls_pack_floats(dls_pack *p, const char *name, ptrdiff_t count, dls_pack_number *number,
                     const void *self)
{
  size_t offset = 0;
  char *to = reserve(p, dls_bytes(count, 4), &offset);
  for (ptrdiff_t i = 0; to && i < count; i++) {
    const float x = (float)number(self, i);
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (int k = 0; k < 4; k++) to[k * count + i] = (char)(unsigned char)(bits >> (8 * k));
  }
  if (to) enter(p, name, "f32", offset, count);
}

// ---- streams ------------------------------------------------------------------------------------

typedef struct source {
  dls_pack_number *number;
  const void *self;
  ptrdiff_t streams, frames;
} source;

// Least number and step of each stream. False: a range is not finite.
static bool measure(const source *s, double *low, double *step)
{
  const int bits = s->streams * s->frames > FINE_MOST ? COARSE_BITS : FINE_BITS;
  for (ptrdiff_t i = 0; i < s->streams; i++) {
    double high = -INFINITY;
    low[i] = INFINITY;
    for (ptrdiff_t k = 0; k < s->frames; k++) {
      const double x = s->number(s->self, i * s->frames + k);
      low[i] = fmin(low[i], x), high = fmax(high, x);
    }
    step[i] = (high - low[i]) / (double)(1 << bits);
    if (!isfinite(low[i]) || !isfinite(step[i])) return false;
  }
  return true;
}

static uint32_t zigzag(long change)
{
  return (uint32_t)(change < 0 ? -2 * change - 1 : 2 * change);
}

// Returns the bytes that the largest code needs.
static int encode(const source *s, const double *low, const double *step, uint32_t *code)
{
  uint32_t all = 0;
  for (ptrdiff_t i = 0; i < s->streams; i++) {
    long before = 0, slope = 0;
    for (ptrdiff_t k = 0; k < s->frames; k++) {
      const double x = s->number(s->self, i * s->frames + k);
      const long value = step[i] > 0 ? lround((x - low[i]) / step[i]) : 0;
      const long change = value - before;
      // the first value, the first difference, then differences of differences
      const uint32_t c = zigzag(k < 2 ? change : change - slope);
      slope = k == 0 ? 0 : change;
      before = value;
      code[i * s->frames + k] = c;
      all |= c;
    }
  }
  return all >> 24 ? 4 : all >> 16 ? 3 : all >> 8 ? 2 : 1;
}

static void put_codes(dls_pack *p, const char *name, const source *s, const uint32_t *code,
                      int planes, size_t low, size_t step)
{
  const ptrdiff_t count = s->streams * s->frames;
  size_t offset = 0;
  char *to = reserve(p, dls_bytes(count, (size_t)planes), &offset);
  for (int k = 0; to && k < planes; k++)
    for (ptrdiff_t i = 0; i < count; i++)
      to[k * count + i] = (char)(unsigned char)(code[i] >> (8 * k));
  json_t *entry = to ? enter(p, name, "streams", offset, count) : NULL;
  if (entry && (json_object_set_new(entry, "streams", json_integer(s->streams)) ||
                json_object_set_new(entry, "planes", json_integer(planes)) ||
                json_object_set_new(entry, "low", json_integer((json_int_t)low)) ||
                json_object_set_new(entry, "step", json_integer((json_int_t)step))))
    p->failed = true;
}

void dls_pack_streams(dls_pack *p, const char *name, ptrdiff_t streams, ptrdiff_t frames,
                      dls_pack_number *number, const void *self)
{
  const source s = {number, self, streams, frames};
  double *low = dls_alloc(streams, sizeof *low), *step = dls_alloc(streams, sizeof *step);
  uint32_t *code = dls_alloc(streams * frames, sizeof *code);
  p->too_wide = p->too_wide || (low && step && !measure(&s, low, step));
  if (low && step && code && !p->too_wide) {
    const int planes = encode(&s, low, step, code);
    const size_t low_at = put_doubles(p, streams, low), step_at = put_doubles(p, streams, step);
    put_codes(p, name, &s, code, planes, low_at, step_at);
  } else p->failed = true;
  free(low);
  free(step);
  free(code);
}

// ---- the text -----------------------------------------------------------------------------------

// Three bytes are four letters.
static void put_base64(dls_text *out, const unsigned char *x, size_t size)
{
  static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *to = dls_text_reserve(out, (size + 2) / 3 * 4);
  for (size_t i = 0; to && i < size; i += 3, to += 4) {
    const size_t rest = size - i;
    const unsigned bits = (unsigned)x[i] << 16 | (rest > 1 ? (unsigned)x[i + 1] << 8 : 0) |
                          (rest > 2 ? (unsigned)x[i + 2] : 0);
    for (int k = 0; k < 4; k++) to[k] = letter[bits >> (18 - 6 * k) & 63];
    if (rest < 3) to[3] = '=';
    if (rest < 2) to[2] = '=';
  }
}

static dls_status compress_pieces(const dls_text *head, const dls_text *bytes, dls_text *out)
{
  z_stream z = {0};
  if (deflateInit(&z, Z_DEFAULT_COMPRESSION) != Z_OK) return DLS_ERR_MEMORY;
  const size_t bound = deflateBound(&z, head->length + bytes->length) + 64;
  unsigned char *packed = malloc(bound);
  const dls_text *const pieces[] = {head, bytes};
  int result = packed ? Z_OK : Z_MEM_ERROR;
  size_t made = 0;
  for (int k = 0; k < 2; k++) {
    // zlib counts in unsigned int
    for (size_t done = 0; result == Z_OK && (done < pieces[k]->length || k == 1);) {
      const size_t rest = pieces[k]->length - done, taken = rest < 1u << 30 ? rest : 1u << 30;
      const size_t room = bound - made < 1u << 31 ? bound - made : 1u << 31;
      z.next_in = (unsigned char *)pieces[k]->data + done, z.avail_in = (unsigned)taken;
      z.next_out = packed + made, z.avail_out = (unsigned)room;
      result = deflate(&z, k == 1 && taken == rest ? Z_FINISH : Z_NO_FLUSH);
      done += taken - z.avail_in;
      made += room - z.avail_out;
    }
  }
  deflateEnd(&z);
  if (result == Z_STREAM_END) put_base64(out, packed, made);
  free(packed);
  return result == Z_STREAM_END && !out->failed ? DLS_OK : DLS_ERR_MEMORY;
}

dls_status dls_pack_base64(dls_pack *p, json_t *head, dls_text *out)
{
  dls_text text = {0};
  char *json = NULL, number[4];
  if (!p->failed && json_object_set(head, "arrays", p->arrays) == 0)
    json = json_dumps(head, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(head);
  if (json) {
    const size_t length = strlen(json);
    put_integer(number, length, 4);
    dls_text_put(&text, "DLSVIEW1", 8);
    dls_text_put(&text, number, 4);
    dls_text_put(&text, json, length);
    dls_text_put(&text, "\0\0\0\0\0\0\0", (8 - text.length % 8) % 8);
    if (length >> 32) p->failed = true;
  }
  free(json);
  const dls_status status = json && !p->failed && !text.failed && !p->bytes.failed
                                ? compress_pieces(&text, &p->bytes, out)
                                : DLS_ERR_MEMORY;
  dls_text_free(&text);
  return status;
}
