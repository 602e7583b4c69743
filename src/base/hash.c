// Hashes by folded 64 x 64 -> 128 bit products: each step multiplies two words of input, xored with odd
// constants, and folds the halves of the product into the state. Words are read in the machine's byte order,
// so machines of another byte order give other hashes.
#include "base/hash.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

// Constants from the digits of pi.
static const uint64_t k0 = 0x243f6a8885a308d3, k1 = 0x13198a2e03707345, k2 = 0xa4093822299f31d1;

static uint64_t fold(uint64_t a, uint64_t b) {
  wide p = (wide)a * b;
  return (uint64_t)p ^ (uint64_t)(p >> 64);
}

static uint64_t word(const unsigned char *p, size_t n) {
  uint64_t v = 0;
  memcpy(&v, p, n);
  return v;
}

uint64_t cp_hash(const void *bytes, size_t n, uint64_t seed) {
  const unsigned char *p = bytes;
  uint64_t h = fold(seed ^ k0, (uint64_t)n ^ k1), g = h ^ k2;
  size_t left = n;
  for (; left >= 32; left -= 32, p += 32) { // two chains, so that products overlap
    h = fold(word(p, 8) ^ k0 ^ h, word(p + 8, 8) ^ k1) + h;
    g = fold(word(p + 16, 8) ^ k2 ^ g, word(p + 24, 8) ^ k0) + g;
  }
  for (; left >= 16; left -= 16, p += 16) h = fold(word(p, 8) ^ k0 ^ h, word(p + 8, 8) ^ k1) + h;
  if (left > 0) {
    size_t low = left < 8 ? left : 8;
    h = fold(word(p, low) ^ k2 ^ h, word(p + low, left - low) ^ k1) + h;
  }
  return fold(h ^ k1, g ^ k2) ^ fold(g ^ k0, h + k2);
}

void cp_hash_name(const void *bytes, size_t n, char out[33]) {
  static const char digits[] = "0123456789abcdef";
  for (int part = 0; part < 2; part++) {
    uint64_t h = cp_hash(bytes, n, (uint64_t)part + 1);
    for (int i = 0; i < 16; i++) out[16 * part + i] = digits[h >> (60 - 4 * i) & 15];
  }
  out[32] = '\0';
}
