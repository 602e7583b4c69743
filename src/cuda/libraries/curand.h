// Generators of cuRAND: on a GPU, and for the CPU device in host memory, where the library needs no GPU.
#ifndef CP_CUDA_LIBRARIES_CURAND_H
#define CP_CUDA_LIBRARIES_CURAND_H

#include "cuda/libraries/api_math.h"
#include "device/device.h"

typedef struct cp_curand cp_curand;

typedef enum cp_curand_output {
  CP_CURAND_BITS,    // unsigned words of 32 bits; not of Sobol's sequences of 64
  CP_CURAND_UNIFORM, // float32 or float64 of (0, 1]
  CP_CURAND_NORMAL, // the same of the standard normal distribution; pseudo-random ones an even number of them
  CP_CURAND_POISSON // unsigned words of 32 bits
} cp_curand_output;

// Where a sequence begins. What a type does not know is left out: quasi-random ones have dimensions and no seed.
typedef struct cp_curand_start {
  cpcu_curand_type type;
  uint64_t seed, offset;         // offset 0: not asked for
  cpcu_curand_ordering ordering; // 0: not asked for
  unsigned dimensions;
} cp_curand_start;

static inline bool cp_curand_is_quasi(cpcu_curand_type type) { return type >= CPCU_CURAND_RNG_QUASI_SOBOL32; }

// A generator for arrays of the device.
cp_status cp_curand_new(cp_context *ctx, cp_device *device, const cp_curand_start *start, cp_curand **out);
cp_device *cp_curand_device(const cp_curand *g);
// The same generator from another start of its type.
cp_status cp_curand_restart(cp_curand *g, const cp_curand_start *start);
// Queues `count` numbers (of a quasi-random one: for each dimension as many) on s, a stream of its device. parameter: the mean of POISSON.
cp_status cp_curand_fill(cp_curand *g, cp_stream *s, cp_curand_output output, bool wide, void *out,
                         size_t count, double parameter);
// The owner's end: calls no driver, so finalizers may.
void cp_curand_leave(cp_curand *g);

#endif
