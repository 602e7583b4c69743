// Copies elements of SIZE bytes to or from given positions, which count from 1. One thread per element.
// Positions out of range read the first element, and write nothing.
//
//   MODE gather   out[k] = in[at[k]]
//   MODE scatter  out[at[k]] = in[k]
//
// variants: MODE=gather,scatter SIZE=1,2,4,8,16
//
// Slots: 0 in, 1 at, 2 out, 3 count, 4 elements of in (gather) or out (scatter)

#define MODE_gather 1
#define MODE_scatter 2
#define CP_JOINED(a, b) a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_MODE CP_JOINED_OF(MODE_, MODE)

enum { BLOCK = 256 };

struct cp_slots {
  unsigned long long s[5];
};

#include "element.h"

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  const long long k = (long long)blockIdx.x * BLOCK + threadIdx.x;
  if (k >= (long long)p.s[3]) return;
  const cp_element *in = reinterpret_cast<const cp_element *>(p.s[0]);
  const unsigned long long at = reinterpret_cast<const unsigned long long *>(p.s[1])[k] - 1, room = p.s[4];
  cp_element *out = reinterpret_cast<cp_element *>(p.s[2]);
#if CP_MODE == MODE_gather
  out[k] = in[at < room ? at : 0];
#else
  if (at < room) out[at] = in[k];
#endif
}
