// Fourier transforms of a device's FFT library.
#ifndef CP_ROUTINES_FFT_H
#define CP_ROUTINES_FFT_H

#include "base/dtype.h"
#include "base/shape.h"
#include "device/device.h"

#include <pthread.h>

typedef enum cp_fft_kind { CP_FFT_C2C, CP_FFT_R2C, CP_FFT_C2R } cp_fft_kind;
enum { CP_FFT_RANK = 3 };

// What a plan is made for. There is no scaling, and strides are in elements of their array. Compared as
// bytes, so unused members must be 0.
typedef struct cp_fft_shape {
  int32_t kind;    // cp_fft_kind; a real transform over several axes is real along the last one
  int32_t wide;    // double precision
  int32_t inverse; // c2c: the sign of the exponent is +
  int32_t rank, nbatch;
  int32_t aligned; // both arrays are aligned to 16 bytes
  int64_t n[CP_FFT_RANK], in[CP_FFT_RANK],
      out[CP_FFT_RANK]; // lengths (of the real side) and strides of the transformed axes
  int64_t count[CP_MAXDIM], in_batch[CP_MAXDIM], out_batch[CP_MAXDIM]; // the same of the other axes
} cp_fft_shape;

// A plan as caches keep it (fftcache.c).
typedef struct cp_fft_plan {
  cp_fft_shape shape;
  void *handle; // the library's handle
  size_t work;
  int users; // opened and not yet closed
  bool cached;
  uint64_t used; // the cache's clock at the last opening
  struct cp_fft_cache *cache;
} cp_fft_plan;

enum { CP_FFT_PLANS = 64 };
typedef struct cp_fft_cache {
  pthread_mutex_t lock;
  int count, limit; // limit: at most CP_FFT_PLANS
  uint64_t clock;
  cp_fft_plan *plans[CP_FFT_PLANS];
  void (*destroy)(cp_fft_plan *plan); // destroys the library's handle; called with the lock held
} cp_fft_cache;

void cp_fft_cache_init(cp_fft_cache *c, int limit, void (*destroy)(cp_fft_plan *plan));
// A plan from the cache, which is then open, or NULL.
cp_fft_plan *cp_fft_cache_find(cp_fft_cache *c, const cp_fft_shape *shape);
// Adds a new, open plan, and evicts the oldest plan that is not in use if there are too many.
void cp_fft_cache_add(cp_fft_cache *c, cp_fft_plan *plan);
void cp_fft_cache_close(cp_fft_plan *plan);
// Sets the limit (unless negative), and evicts unused plans beyond `keep`. Returns how many are left.
int cp_fft_cache_trim(cp_fft_cache *c, int limit, int keep);

struct cp_fft_ops {
  // True if the axes may have any order and strides. Otherwise the arrays are C-contiguous with the
  // transformed axes last and the others merged into one (nbatch <= 1), and c2r destroys its input.
  bool strided;
  // Gets the plan for this shape, from the cache or a new one. It stays valid until close. *work: bytes of
  // scratch memory that run needs.
  cp_status (*open)(cp_context *ctx, cp_stream *s, const cp_fft_shape *shape, cp_fft_plan **plan,
                    size_t *work);
  // Queues the transform. Allocates nothing.
  cp_status (*run)(cp_stream *s, cp_fft_plan *plan, void *in, void *out, void *work);
  void (*close)(cp_fft_plan *plan);
  // cp_fft_cache_trim for all caches that plans for s come from (CUDA: the stream's, CPU: the process's);
  // returns the sum.
  int (*trim)(cp_stream *s, int limit, int keep);
};

#endif
