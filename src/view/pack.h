// Arrays of numbers, one behind the other, as the page reads them (viewer/src/data.js):
//
//   base64 of zlib of: "DLSVIEW1", length of the JSON text (4 bytes, least first), the text, zeros
//   up to a multiple of 8, the arrays
//
// The text's "arrays" says for each by its name the type, where it begins behind the text, and how
// many numbers it has. Types: f64, u32, u8 as in memory, least byte first; f32: single precision,
// the first bytes of all numbers, then the second ones, ...; streams: below.
#ifndef DLS_VIEW_PACK_H
#define DLS_VIEW_PACK_H

#include "base/text.h"

#include <jansson.h>
#include <stdint.h>

typedef struct dls_pack {
  json_t *arrays;  // what the text says of them
  dls_text bytes;
  bool failed;
  bool too_wide;  // numbers of a stream lie too far apart to be told
} dls_pack;

bool dls_pack_begin(dls_pack *pack);  // false: out of memory
void dls_pack_free(dls_pack *pack);

// A number of an array.
typedef double dls_pack_number(const void *self, ptrdiff_t index);

// Each does nothing once memory has run out; dls_pack.failed tells.
void dls_pack_doubles(dls_pack *pack, const char *name, ptrdiff_t count, const double *x);
void dls_pack_integers(dls_pack *pack, const char *name, ptrdiff_t count, const uint32_t *x);
void dls_pack_bytes(dls_pack *pack, const char *name, ptrdiff_t count, const unsigned char *x);
void dls_pack_floats(dls_pack *pack, const char *name, ptrdiff_t count, dls_pack_number *number,
                     const void *self);

// Streams of `frames` numbers, number (s, k) at index s frames + k, all finite. A stream is rounded
// to low + step j, j whole, with 2^26 steps between its least and greatest number, or 2^15 in large
// arrays; of the j stand second differences in time, in zigzag, by bytes as in f32.
void dls_pack_streams(dls_pack *pack, const char *name, ptrdiff_t streams, ptrdiff_t frames,
                      dls_pack_number *number, const void *self);

// All of it in base64. head is used up; `arrays` is added to it.
dls_status dls_pack_base64(dls_pack *pack, json_t *head, dls_text *out);

#endif
