// Hashes of byte strings, not cryptographic: 64 bits for tables in memory, 128 bits for file names in the
// disk cache.
#ifndef CP_BASE_HASH_H
#define CP_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t cp_hash(const void *bytes, size_t n, uint64_t seed);

// Writes the 128-bit hash to out as 32 hexadecimal digits and a NUL.
void cp_hash_name(const void *bytes, size_t n, char out[33]);

#endif
