#include "base/sha256.h"

#include "base/memory.h"

// The fractional parts of the cube roots of the first 64 primes.
static const uint32_t constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// Those of the square roots of the first eight.
static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static uint32_t turn(uint32_t x, int bits)
{
  return x >> bits | x << (32 - bits);
}

static void spread(const unsigned char block[64], uint32_t w[64])
{
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
           (uint32_t)block[4 * i + 2] << 8 | (uint32_t)block[4 * i + 3];
  for (int i = 16; i < 64; i++) {
    const uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) +
           (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
  }
}

static void mix(dls_sha256 *hash)
{
  uint32_t w[64], s[8];
  spread(hash->block, w);
  dls_copy(s, hash->state, 8);
  for (int i = 0; i < 64; i++) {
    const uint32_t a = s[0], e = s[4];
    const uint32_t choice = (e & s[5]) ^ (~e & s[6]);
    const uint32_t majority = (a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]);
    const uint32_t first =
        s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + constant[i] + w[i];
    const uint32_t second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority;
    dls_move(s + 1, s, 7);
    s[4] += first;
    s[0] = first + second;
  }
  for (int i = 0; i < 8; i++) hash->state[i] += s[i];
}

void dls_sha256_begin(dls_sha256 *hash)
{
  *hash = (dls_sha256){0};
  dls_copy(hash->state, start, 8);
}

void dls_sha256_add(dls_sha256 *hash, const void *bytes, size_t count)
{
  const unsigned char *byte = bytes;
  for (size_t k = 0; k < count; k++) {
    hash->block[hash->length++ % 64] = byte[k];
    if (hash->length % 64 == 0) mix(hash);
  }
}

void dls_sha256_end(dls_sha256 *hash, unsigned char digest[DLS_SHA256_SIZE])
{
  const uint64_t bits = 8 * hash->length;
  unsigned char length[8];
  for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
  dls_sha256_add(hash, "\x80", 1);
  while (hash->length % 64 != 56) dls_sha256_add(hash, "", 1);
  dls_sha256_add(hash, length, sizeof length);
  for (int i = 0; i < DLS_SHA256_SIZE; i++)
    digest[i] = (unsigned char)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}
