// Checks that registration notices each function that a device must have: every word of the tables is
// taken out in turn, and what may be missing is exactly what stands below. So a new function that is
// neither required in src/devices.c nor optional here fails.
#include "devices.h"

#include "check.h"
#include "cpu/device.h"
#include "cuda/device.h"
#include "device/graph.h"
#include "device/raw.h"
#include "memory/allocator.h"
#include "routines/blas.h"
#include "routines/collective.h"
#include "routines/convolve.h"
#include "routines/fft.h"
#include "routines/index.h"
#include "routines/scan.h"
#include "routines/solver.h"
#include "routines/sort.h"

#include <string.h>

enum { WORD = sizeof(void *), MOST = 64 };

// A table: cp_device_ops itself, or the family that lies at this offset in it. free: the offsets of what
// is no function, or an optional one.
typedef struct table {
  const char *name;
  size_t family, size, free[16];
  int nfree;
} table;

#define NUMBER_OF(...) (int)(sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t))
#define FAMILY(name)                                                                                         \
  { #name, offsetof(cp_device_ops, name), sizeof(struct cp_##name##_ops), {0 }, 0 }
#define WITH(name, ...)                                                                                      \
  {                                                                                                          \
#name, offsetof(cp_device_ops, name), sizeof(struct cp_##name##_ops),                                    \
        {__VA_ARGS__ }, NUMBER_OF(__VA_ARGS__)                                                               \
  }
#define IN(family, field) offsetof(struct cp_##family##_ops, field)

static const table tables[] = {
    {"device",
     0,
     sizeof(cp_device_ops),
     {IN(device, kind), IN(device, price), IN(device, price) + sizeof(double), IN(device, together),
      IN(device, peer_reader), IN(device, peer_copy), IN(device, flat_most), IN(device, takes_phases),
      IN(device, phased_least), IN(device, phased_most), IN(device, phased_size), IN(device, phased_plain),
      IN(device, viewed_size), IN(device, sparse_forms), IN(device, walks), IN(device, textures)},
     16},
    WITH(index, IN(index, pack), IN(index, write_scratch), IN(index, spread_share), IN(index, spread_size)),
    WITH(blas, IN(blas, half), IN(blas, fused), IN(blas, gemv), IN(blas, orthogonalise)),
    WITH(solver, IN(solver, small), IN(solver, factors_lower), IN(solver, any_shape),
         IN(solver, prefers_polar), IN(solver, svd_polar), IN(solver, direct)),
    WITH(fft, IN(fft, strided)),
    WITH(collective, IN(collective, name)),
    FAMILY(raw),
    FAMILY(memory),
    FAMILY(scan),
    FAMILY(convolve),
    FAMILY(sort),
    FAMILY(graph),
};

static bool is_free(const table *t, size_t place) {
  for (int k = 0; k < t->nfree; k++)
    if (t->free[k] == place) return true;
  return false;
}

// Takes out each word of one table.
static void check_table(const cp_device_ops *whole, const table *t) {
  cp_device_ops ops = *whole;
  void *words[MOST];
  const void *from = whole, *copy = words;
  REQUIRE(t->size % WORD == 0 && t->size <= sizeof words);
  if (t->family > 0) memcpy(&from, (const char *)whole + t->family, sizeof from);
  for (size_t place = 0; place < t->size; place += WORD) {
    memcpy(words, from, t->size);
    memset((char *)words + place, 0, WORD);
    if (t->family > 0)
      memcpy((char *)&ops + t->family, &copy, sizeof copy);
    else
      memcpy(&ops, words, sizeof ops);
    const bool passes = cp_check_device_ops(&ops) == CP_OK;
    if (passes != is_free(t, place))
      fprintf(stderr, "%s, word %zu: %s\n", t->name, place / WORD,
              passes ? "nobody misses it" : cp_error_text());
    CHECK(passes == is_free(t, place));
  }
}

// The message names what is missing, a whole family by its first function.
static void check_message(const cp_device_ops *whole) {
  cp_device_ops ops = *whole;
  ops.stream_mark = NULL;
  CHECK(cp_check_device_ops(&ops) == CP_EUSAGE && strstr(cp_error_text(), " stream_mark,") != NULL);
  ops = *whole;
  ops.scan = NULL;
  CHECK(cp_check_device_ops(&ops) == CP_EUSAGE && strstr(cp_error_text(), " scan.scratch,") != NULL);
}

int main(void) {
  const cp_device_ops *kinds[] = {cp_cpu_kind.ops, cp_cuda_kind.ops};
  CHECK(cp_register_devices() == CP_OK);
  for (size_t k = 0; k < 2; k++) {
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) check_table(kinds[k], &tables[t]);
    check_message(kinds[k]);
  }
  return verdict("devices");
}
