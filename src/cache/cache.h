// Caches of compiled kernels: a hash table in memory with byte strings as keys, and a folder on disk.
#ifndef CP_CACHE_CACHE_H
#define CP_CACHE_CACHE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A hash table from byte strings to pointers. Compares whole keys. Has no lock; its owner locks.
typedef struct cp_table cp_table;
cp_table *cp_table_new(void);
void *cp_table_get(const cp_table *t, const void *key, size_t size);            // NULL: not there
cp_status cp_table_set(cp_table *t, const void *key, size_t size, void *value); // copies the key
size_t cp_table_count(const cp_table *t);
void cp_table_free(cp_table *t, void (*free_value)(void *value));

typedef struct cp_bytes {
  void *data; // malloc'ed; whoever holds the struct owns it
  size_t size;
} cp_bytes;

// The entry of exactly this key. False when there is none or it is damaged (bad checksum, truncated, another
// key). Reports no error.
bool cp_disk_load(const void *key, size_t size, const char *extension, cp_bytes *out);
// Stores an entry: written to a temporary file and renamed, with a checksum, safe among processes. A failure
// to write is not an error. The folder is CUPOLA_CACHE_DIR, else $XDG_CACHE_HOME/cupola, else
// ~/.cache/cupola, limited to 512 MB: then the oldest entries are removed.
void cp_disk_store(const void *key, size_t size, const char *extension, const void *data, size_t data_size);
// Removes the oldest entries of such a folder until they take at most this many bytes. Reports no error.
void cp_disk_trim(const char *folder, size_t bytes);
// The folder in use, for show_config; "" when caching is off (no home folder, or CUPOLA_CACHE_DIR=""). Valid
// until the thread's next call.
const char *cp_disk_folder(void);

#endif
