// SHA-256 (FIPS 180-4): names of cached files by what they are made of.
#ifndef DLS_BASE_SHA256_H
#define DLS_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { DLS_SHA256_SIZE = 32 };

typedef struct dls_sha256 {
  uint32_t state[8];
  uint64_t length;  // bytes so far
  unsigned char block[64];
} dls_sha256;

void dls_sha256_begin(dls_sha256 *hash);
void dls_sha256_add(dls_sha256 *hash, const void *bytes, size_t count);
void dls_sha256_end(dls_sha256 *hash, unsigned char digest[DLS_SHA256_SIZE]);

#endif
