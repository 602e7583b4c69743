// Generators of cuRAND: on a GPU, or in host memory for the CPU device, where the library needs no GPU.
#ifndef CP_CUDA_LIBRARIES_CURAND_H
#define CP_CUDA_LIBRARIES_CURAND_H

#include "cuda/libraries/api_math.h"
#include "device/device.h"

typedef struct cp_curand cp_curand;

typedef enum cp_curand_output {
  CP_CURAND_BITS,    // unsigned 32-bit words; not for 64-bit Sobol sequences
  CP_CURAND_UNIFORM, // float32 or float64 in (0, 1]
  CP_CURAND_NORMAL,  // the same, of the standard normal distribution; pseudo-random ones only in even numbers
  CP_CURAND_POISSON  // unsigned 32-bit words
} cp_curand_output;

// Where a sequence starts. Fields that a type does not have are ignored: quasi-random types have dimensions
// and no seed.
typedef struct cp_curand_start {
  cpcu_curand_type type;
  uint64_t seed, offset;         // offset 0: not given
  cpcu_curand_ordering ordering; // 0: not given
  unsigned dimensions;
} cp_curand_start;

static inline bool cp_curand_is_quasi(cpcu_curand_type type) { return type >= CPCU_CURAND_RNG_QUASI_SOBOL32; }

// A generator for arrays on the device.
cp_status cp_curand_new(cp_context *ctx, cp_device *device, const cp_curand_start *start, cp_curand **out);
cp_device *cp_curand_device(const cp_curand *g);
// Restarts a generator at another point of its type.
cp_status cp_curand_restart(cp_curand *g, const cp_curand_start *start);
// Queues `count` numbers (of a quasi-random generator: as many for each dimension) on s, a stream of its
// device. parameter: the mean of POISSON.
cp_status cp_curand_fill(cp_curand *g, cp_stream *s, cp_curand_output output, bool wide, void *out,
                         size_t count, double parameter);
// Called when its owner ends. It does not call the driver, so finalizers may use it.
void cp_curand_leave(cp_curand *g);

#endif
