// Memory of the CPU device. The first touch of a page is a fault, which costs more than most operations on
// the page's data, so blocks lie in huge pages where the system has them:
//
//   below 32 KB   from the C library, which mostly returns pages that were touched before
//   up to 1 MB    one after the other in arenas
//   more          huge pages of their own, at various places within the first 4 KB. Processors take a load
//                 for one that waits for a store before it if the low 12 bits of both addresses are the same,
//                 as those of elements of several arrays with equal numbers would be. Arrays that are made
//                 one after the other lie far apart: by steps near the golden section of 4 KB
//
// An arena is unmapped when none of its blocks is in use. Freed blocks are not reused here, since that is the
// pool's task; only their pages go back to the system.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // for MAP_ANONYMOUS and madvise
#endif
#include "cpu/run/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define ALL_BY_LIBRARY 1 // so that the sanitizer watches both ends of each block
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ALL_BY_LIBRARY 1
#endif
#endif
#ifndef ALL_BY_LIBRARY
#define ALL_BY_LIBRARY 0
#endif

enum { LINE = 64, PAGE = 4096, SMALL = 32 << 10, MIDDLE = 1 << 20, HUGE_PAGE = 2 << 20, ARENA = 8 << 20 };

// Header at the start of an arena. An arena's address is a multiple of its size.
typedef struct arena {
  size_t used; // bytes used, including this struct
  int blocks;  // number of blocks in use
} arena;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static arena *current; // the arena that blocks are cut from, or NULL

static size_t round_up(size_t n, size_t step) { return (n + step - 1) / step * step; }

// ---- from the system ----

static void *map(size_t bytes, size_t alignment) {
  if (bytes > SIZE_MAX - alignment) return NULL;
  char *all = mmap(NULL, bytes + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return NULL;
  size_t before = round_up((uintptr_t)all, alignment) - (uintptr_t)all;
  if (before > 0) munmap(all, before);
  if (before < alignment) munmap(all + before + bytes, alignment - before);
#if defined(MADV_HUGEPAGE)
  madvise(all + before, bytes, MADV_HUGEPAGE); // only a hint
#endif
  return all + before;
}

// ---- arenas ----

static void *take_from_arena(size_t bytes) {
  void *block = NULL;
  pthread_mutex_lock(&lock);
  if (current == NULL || ARENA - current->used < bytes) {
    arena *next = map(ARENA, ARENA);
    if (next != NULL) *next = (arena){.used = LINE, .blocks = 0};
    if (next != NULL) current = next;
  }
  if (current != NULL && ARENA - current->used >= bytes) {
    block = (char *)current + current->used;
    current->used += bytes;
    current->blocks++;
  }
  pthread_mutex_unlock(&lock);
  return block;
}

// Returns the whole pages inside a block to the system; the addresses stay reserved.
static void forget_pages(char *block, size_t bytes) {
  uintptr_t first = round_up((uintptr_t)block, PAGE), end = ((uintptr_t)block + bytes) / PAGE * PAGE;
  if (end > first) madvise((char *)first, end - first, MADV_DONTNEED);
}

static void give_to_arena(char *block, size_t bytes) {
  arena *a = (arena *)((uintptr_t)block / ARENA * ARENA);
  pthread_mutex_lock(&lock);
  bool over = --a->blocks == 0;
  if (over && a == current) current = NULL;
  pthread_mutex_unlock(&lock);
  if (over)
    munmap(a, ARENA);
  else
    forget_pages(block, bytes);
}

// ---- huge pages ----

enum { PLACES = PAGE / LINE };

static size_t with_place(size_t bytes) { return round_up(bytes + PAGE, HUGE_PAGE); }

static void *take_huge(size_t bytes) {
  static atomic_uint next;
  if (bytes > SIZE_MAX - PAGE - HUGE_PAGE) return NULL;
  char *all = map(with_place(bytes), HUGE_PAGE);
  const unsigned place = atomic_fetch_add_explicit(&next, 25, memory_order_relaxed) % PLACES;
  return all != NULL ? all + place * LINE : NULL;
}

static void give_huge(void *memory, size_t bytes) {
  munmap((void *)((uintptr_t)memory / HUGE_PAGE * HUGE_PAGE), with_place(bytes));
}

// ---- all sizes ----

void *cp_cpu_take(size_t bytes) {
  if (bytes > SIZE_MAX / 2) return NULL;
  size_t rounded = round_up(bytes > 0 ? bytes : 1, LINE);
  if (rounded < SMALL || ALL_BY_LIBRARY) return aligned_alloc(LINE, rounded);
  return rounded <= MIDDLE ? take_from_arena(rounded) : take_huge(rounded);
}

void cp_cpu_give(void *memory, size_t bytes) {
  size_t rounded = round_up(bytes > 0 ? bytes : 1, LINE);
  if (rounded < SMALL || ALL_BY_LIBRARY)
    free(memory);
  else if (rounded <= MIDDLE)
    give_to_arena(memory, rounded);
  else
    give_huge(memory, rounded);
}
