// What an object exports that is compiled with kernels/user/raw_cpu.h: its kernels and variables. ORDER as
// there.
#ifndef CP_CPU_KERNELS_EXPORTED_H
#define CP_CPU_KERNELS_EXPORTED_H

#include "cpu/kernels/block.h"

#include <stddef.h>

// Some blocks of a grid: `first` to `last` - 1.
typedef struct cp_exported_job {
  void **arguments;
  unsigned grid[3], block[3];
  unsigned long long first, last;
  char *shared, *memory;
  size_t stride;
  const cp_block_host *host;
  cp_block_state *state; // NULL: the kernel has no barriers
  const char *(*run)(cp_block_state *state, int count, void (*entry)(void *, int), void *data);
} cp_exported_job;

typedef struct cp_exported_kernel {
  const char *name;
  const char *(*run)(cp_exported_job *job);
  int count;
  const size_t *sizes; // of the arguments
  int fibers;          // 1: threads wait for each other, 2: blocks, too
} cp_exported_kernel;

typedef struct cp_exported_variable {
  const char *name;
  void *address;
  size_t size;
} cp_exported_variable;

typedef struct cp_exported_table {
  int nentries, nvariables;
  const cp_exported_kernel *entries;
  const cp_exported_variable *variables;
} cp_exported_table;

#endif
