// Hashes of byte strings: 64 bits for tables in memory, 128 bits for names of files in the disk cache. Not cryptographic.
#ifndef CP_BASE_HASH_H
#define CP_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t cp_hash(const void *bytes, size_t n, uint64_t seed);

// 32 hexadecimal digits and a NUL into out.
void cp_hash_name(const void *bytes, size_t n, char out[33]);

#endif
