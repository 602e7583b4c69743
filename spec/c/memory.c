// Checks the memory of the CPU device (cpu/run/memory.h): blocks of all sizes, allocated and freed by several
// threads in any order, are aligned, do not overlap and keep their contents; and freed memory is returned to
// the system.
#define _GNU_SOURCE
#include "cpu/run/memory.h"
#include "check.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, BLOCKS = 60, STEPS = 3000, KB = 1 << 10, MB = 1 << 20 };

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 }; // they keep freed memory
#else
enum { SANITIZED = 0 };
#endif

typedef struct block {
  uint64_t *memory;
  size_t bytes; // 0: none
  uint64_t mark;
} block;

static void mark(block *b, uint64_t value) {
  size_t n = b->bytes / sizeof *b->memory;
  b->mark = value;
  for (size_t k = 0; k < n; k += n / 8 + 1) b->memory[k] = value;
  if (n > 0) b->memory[n - 1] = value;
}

static void check_mark(const block *b) {
  size_t n = b->bytes / sizeof *b->memory;
  for (size_t k = 0; k < n; k += n / 8 + 1) REQUIRE(b->memory[k] == b->mark);
  if (n > 0) REQUIRE(b->memory[n - 1] == b->mark);
}

// A size for the C library, for an arena, or for a mapping of its own; boundary sizes too.
static size_t any_size(unsigned *seed) {
  static const size_t ends[] = {1,      64, 32 * KB - 64, 32 * KB, 32 * KB + 1,
                                MB - 1, MB, MB + 1,       2 * MB,  2 * MB + 8};
  int kind = rand_r(seed) % 8;
  if (kind == 0) return ends[(size_t)rand_r(seed) % (sizeof ends / sizeof *ends)];
  if (kind == 1) return (size_t)rand_r(seed) % (5 * MB) + 1;
  return (size_t)rand_r(seed) % (kind < 5 ? 300 * KB : 40 * KB) + 1;
}

static void *churn(void *data) {
  block blocks[BLOCKS] = {{0}};
  unsigned seed = (unsigned)(uintptr_t)data;
  for (uint64_t step = 0; step < STEPS; step++) {
    block *b = &blocks[rand_r(&seed) % BLOCKS];
    check_mark(b);
    if (b->bytes > 0) cp_cpu_give(b->memory, b->bytes);
    *b = (block){.bytes = any_size(&seed)};
    b->memory = cp_cpu_take(b->bytes);
    REQUIRE(b->memory != NULL && (uintptr_t)b->memory % 64 == 0);
    memset(b->memory, 0, b->bytes < 8 ? b->bytes : 8);
    mark(b, step << 8 | (uintptr_t)data);
  }
  for (int k = 0; k < BLOCKS; k++) {
    check_mark(&blocks[k]);
    if (blocks[k].bytes > 0) cp_cpu_give(blocks[k].memory, blocks[k].bytes);
  }
  return NULL;
}

static size_t resident(void) {
  unsigned long size = 0, pages = 0;
  FILE *statm = fopen("/proc/self/statm", "r");
  if (statm == NULL || fscanf(statm, "%lu %lu", &size, &pages) != 2) pages = 0;
  if (statm != NULL) fclose(statm);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void take_all(block *blocks, int count, size_t bytes) {
  for (int k = 0; k < count; k++) {
    blocks[k] = (block){.memory = cp_cpu_take(bytes), .bytes = bytes};
    REQUIRE(blocks[k].memory != NULL);
    memset(blocks[k].memory, k, bytes);
  }
}

// One of many blocks is kept: the other arenas are released, and in its own arena the pages of its
// neighbours.
static void check_return(size_t bytes) {
  enum { COUNT = 400 };
  static block blocks[COUNT];
  size_t before = resident(), all = COUNT * bytes;
  take_all(blocks, COUNT, bytes);
  REQUIRE(resident() == 0 || resident() > before + all / 2);
  for (int k = 0; k < COUNT; k++)
    if (k % 100 != 50) cp_cpu_give(blocks[k].memory, bytes);
  REQUIRE(SANITIZED || resident() < before + all / 10 + 4 * MB);
  for (int k = 50; k < COUNT; k += 100) {
    REQUIRE(((unsigned char *)blocks[k].memory)[bytes - 1] == (unsigned char)k);
    cp_cpu_give(blocks[k].memory, bytes);
  }
  REQUIRE(SANITIZED || resident() < before + 4 * MB);
}

int main(void) {
  pthread_t threads[THREADS];
  for (uintptr_t k = 0; k < THREADS; k++)
    REQUIRE(pthread_create(&threads[k], NULL, churn, (void *)(k + 1)) == 0);
  for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
  check_return(64 * KB);
  check_return(300 * KB);
  check_return(3 * MB);
  void *least = cp_cpu_take(0);
  REQUIRE(least != NULL);
  cp_cpu_give(least, 0);
  REQUIRE(cp_cpu_take(SIZE_MAX) == NULL && (SANITIZED || cp_cpu_take((size_t)1 << 62) == NULL));
  printf("memory: ok\n");
  return 0;
}
