// Shared by search.cu and interpolate.cu: binary search in a sorted array of dtype T. The threads of a block
// first keep samples of the array in shared memory, as the first steps of all searches go through the same few
// elements; only the last steps read the array itself.

#include "order.h"

enum {
  BLOCK = 512, // ORDER as in src/cuda/routines/search.c
  CP_SAMPLES = 4096 / PARTS
};

struct cp_rank {
  cp_key part[PARTS];
};

CP_FN cp_rank cp_rank_at(const cp_key *array, long long k) {
  cp_rank r;
  for (int i = 0; i < PARTS; i++) r.part[i] = cp_rank_of(array[k * PARTS + i]);
  return r;
}

// Complex numbers are ordered by whether the real part is nan, then whether the imaginary part is, then by
// the parts.
CP_FN bool cp_less(const cp_rank &x, const cp_rank &y) {
#if defined(T_COMPLEX)
  const int cx = 2 * (x.part[0] == CP_LAST) + (x.part[1] == CP_LAST);
  const int cy = 2 * (y.part[0] == CP_LAST) + (y.part[1] == CP_LAST);
  if (cx != cy) return cx < cy;
  if (x.part[0] == y.part[0]) return x.part[1] < y.part[1];
#endif
  return x.part[0] < y.part[0];
}

// A sorted array of `length` elements, and `samples` of them, `step` apart from the first one on.
struct cp_sorted {
  const cp_key *array;
  long long length;
  int samples;
  long long step;
  const cp_rank *sample;
};

// Fills the block's samples, at most CP_SAMPLES; every thread calls it.
CP_FN cp_sorted cp_sorted_of(unsigned long long array, long long length, int samples, cp_rank *sample) {
  cp_sorted s = {reinterpret_cast<const cp_key *>(array), length, samples, 0, sample};
  if (samples > 0) {
    s.step = (length + samples - 1) / samples;
    s.samples = (int)((length + s.step - 1) / s.step);
    for (int k = threadIdx.x; k < s.samples; k += BLOCK) sample[k] = cp_rank_at(s.array, k * s.step);
    __syncthreads();
  }
  return s;
}

// How many elements come before v: those that are less or, with `behind`, equal too.
CP_FN long long cp_passed(const cp_sorted &s, const cp_rank &v, bool behind) {
  long long low = 0, high = s.length;
  if (s.samples > 0) {
    int first = 0, last = s.samples; // samples[first - 1] comes before v, samples[last] does not
    while (first < last) {
      const int middle = (first + last) / 2;
      if (behind ? !cp_less(v, s.sample[middle]) : cp_less(s.sample[middle], v))
        first = middle + 1;
      else
        last = middle;
    }
    low = first == 0 ? 0 : (first - 1) * s.step + 1;
    if (first < s.samples) high = first * s.step;
  }
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    const cp_rank m = cp_rank_at(s.array, middle);
    if (behind ? !cp_less(v, m) : cp_less(m, v))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
