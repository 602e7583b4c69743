// Bundles: files of compiled kernels that a program ships with, so that it runs on machines without a
// compiler.
//
// An entry is found by what the kernel is made of (its kind and key, which contain no architecture), and has
// an image for each architecture: machine code, or PTX for newer ones. All states of a process share its
// bundles, which are searched before the cache on disk and never unloaded. Recording collects what the
// process compiles, or would have compiled, and writes it in the end. All functions are thread-safe.
#ifndef CP_CACHE_BUNDLE_H
#define CP_CACHE_BUNDLE_H

#include "base/error.h"
#include "base/strbuf.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum cp_bundle_kind {
  CP_BUNDLE_KERNEL = 1, // of a plan or routine, for GPUs (cuda/run/kernel.c)
  CP_BUNDLE_MODULE,     // of raw kernels, for GPUs (cuda/run/module.c)
  CP_BUNDLE_OBJECT      // a shared object for the CPU device
} cp_bundle_kind;

typedef struct cp_image {
  int arch; // compute capability, 90 for 9.0; 0: the CPU device
  bool ptx;
  const void *data; // aligned to CP_IMAGE_ALIGN bytes; lives as long as the process
  size_t size;
} cp_image;

enum { CP_IMAGE_ALIGN = 16 };
enum { CP_MAX_IMAGES = 32 }; // of an entry
enum { CP_MAX_ARCHS = 16 };  // that are recorded at once

// Loads the entries of a bundle, from a file or from memory, which is copied. version: of the generator's
// texts. CP_EIO with the reason if it cannot be read, is not a bundle, is damaged or was made by another
// version; then nothing of it is used. *entries, unless NULL: the number of entries.
cp_status cp_bundle_load(const char *path, uint64_t version, int *entries);
cp_status cp_bundle_load_memory(const void *data, size_t size, uint64_t version, int *entries);
// The images of an entry, at most CP_MAX_IMAGES. 0: there is no such entry.
int cp_bundle_find(cp_bundle_kind kind, const void *key, size_t size, cp_image list[CP_MAX_IMAGES]);
// Loads the files that CUPOLA_BUNDLE names (separated by ':'), once per process. A file that cannot be used
// is reported on stderr.
void cp_bundle_environment(uint64_t version);
// A line for each bundle that was loaded or refused, for show_config.
void cp_bundle_describe(cp_strbuf *out);
// Calls `each` for every image in a bundle's file. For tools and specs.
cp_status cp_bundle_list(const char *path, uint64_t version,
                         void (*each)(void *data, cp_bundle_kind kind, const cp_image *image), void *data);

// ---- recording ----

extern atomic_bool cp_record_on;
static inline bool cp_recording(void) { return atomic_load_explicit(&cp_record_on, memory_order_relaxed); }
// Starts to collect kernels for these architectures (none: that of the GPU that runs them). cp_record_stop,
// or else the process's exit, writes them to the file, which keeps the entries it has. CP_EUSAGE when a
// recording is in progress; CP_EIO when the file exists and is not a bundle of this version.
cp_status cp_record_start(const char *path, uint64_t version, int narchs, const int *archs);
// Writes the file. CP_EIO. *entries: the number of entries. CP_EUSAGE when nothing is being recorded.
cp_status cp_record_stop(int *entries);
// Ends the recording without writing.
void cp_record_abandon(void);
// The number of architectures named; archs has room for CP_MAX_ARCHS, or is NULL.
int cp_record_archs(int *archs);
bool cp_record_has(cp_bundle_kind kind, const void *key, size_t size, int arch, bool ptx);
cp_status cp_record_add(cp_bundle_kind kind, const void *key, size_t size, const cp_image *image);

#endif
