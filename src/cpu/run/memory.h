// Memory of the CPU device.
#ifndef CP_CPU_RUN_MEMORY_H
#define CP_CPU_RUN_MEMORY_H

#include <stddef.h>

// At least this many bytes, at an address that is a multiple of 64; NULL: there are none.
void *cp_cpu_take(size_t bytes);
// What cp_cpu_take gave for as many bytes.
void cp_cpu_give(void *memory, size_t bytes);

#endif
