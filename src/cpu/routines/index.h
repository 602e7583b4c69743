// The CPU device's part of routines/index.h.
#ifndef CP_CPU_ROUTINES_INDEX_H
#define CP_CPU_ROUTINES_INDEX_H

#include "routines/index.h"

extern const cp_index_ops cp_cpu_index_ops;

// For each of n elements in order: element = element op value. Element k lies at base + offsets[k], value k
// at value + k * stride.
void cp_cpu_accumulate(cp_lookup_kind kind, cp_dtype t, char *base, const int64_t *offsets, const char *value,
                       int64_t stride, int64_t n);

#endif
