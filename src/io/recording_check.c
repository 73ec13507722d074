// The numbers by which a changed recording is noticed: Fowler, Noll and Vo's function (FNV-1a, 64
// bits). It finds accidents and edits; it is no signature.
#include "io/recording.h"

#include <string.h>

enum { KEPT = 53 };  // bits that every program reads as a number without loss

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
  const unsigned char *bytes = data;
  for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001B3u;
  return hash;
}

static uint64_t mix_number(uint64_t hash, uint64_t number)
{
  unsigned char bytes[8];
  for (int b = 0; b < 8; b++) bytes[b] = (unsigned char)(number >> 8 * b);
  return mix(hash, bytes, sizeof bytes);
}

static const uint64_t basis = 0xCBF29CE484222325u;

uint64_t dls_text_check(const char *text, size_t size)
{
  return mix(basis, text, size);
}

uint64_t dls_row_check(uint64_t before, const char *row, size_t size)
{
  return mix(mix_number(basis, before), row, size) >> (64 - KEPT);
}

// A text, and the zero that ends it.
static uint64_t mix_text(uint64_t hash, const char *text, size_t size)
{
  return mix(mix(hash, text, text ? size : 0), "", 1);
}

uint64_t dls_about_check(const dls_recording_about *about)
{
  const char *scheme = about->scheme ? about->scheme : "";
  const char *settings = about->settings ? about->settings : "";
  uint64_t step, hash = mix_number(basis, 0);
  memcpy(&step, &about->step, sizeof step);
  hash = mix_text(hash, about->model, about->model_length);
  hash = mix_text(hash, scheme, strlen(scheme));
  hash = mix_text(hash, settings, strlen(settings));
  return mix_number(hash, step) >> (64 - KEPT);
}
