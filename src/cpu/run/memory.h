// Allocation of the CPU device's memory.
#ifndef CP_CPU_RUN_MEMORY_H
#define CP_CPU_RUN_MEMORY_H

#include <stddef.h>

// Returns at least this many bytes, aligned to 64, or NULL when out of memory.
void *cp_cpu_take(size_t bytes);
// Frees memory from cp_cpu_take; `bytes` must be the same.
void cp_cpu_give(void *memory, size_t bytes);

#endif
