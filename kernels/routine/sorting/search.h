// Shared by search.cu and interpolate.cu: binary search in a sorted array of dtype T. The threads of a
// block first keep samples of the array in shared memory, as the first steps of all searches go through the
// same few elements; only the last steps read the array itself.

#include "order.h"

enum { BLOCK = 1024 }; // ORDER as in src/cuda/routines/search.c

// An element as it is compared, and whether it comes before another one. Those that the hardware compares
// are as they lie in memory: nan is not before anything, and cp_passed sees to values that are nan. Others
// are keys.
#if defined(T_COMPLEX) || defined(T_BOOLEAN) || defined(T_HALF)
struct cp_item {
  cp_key part[PARTS];
};

CP_FN cp_item cp_item_at(unsigned long long array, long long k) {
  cp_item r;
  for (int i = 0; i < PARTS; i++)
    r.part[i] = cp_rank_of(reinterpret_cast<const cp_key *>(array)[k * PARTS + i]);
  return r;
}

// Complex numbers are ordered by whether the real part is nan, then whether the imaginary part is, then by
// the parts.
CP_FN bool cp_less(const cp_item &x, const cp_item &y) {
#if defined(T_COMPLEX)
  const int cx = 2 * (x.part[0] == CP_LAST) + (x.part[1] == CP_LAST);
  const int cy = 2 * (y.part[0] == CP_LAST) + (y.part[1] == CP_LAST);
  if (cx != cy) return cx < cy;
  if (x.part[0] == y.part[0]) return x.part[1] < y.part[1];
#endif
  return x.part[0] < y.part[0];
}

CP_FN bool cp_is_before(const cp_item &element, const cp_item &v, bool behind) {
  return behind ? !cp_less(v, element) : cp_less(element, v);
}
CP_FN bool cp_is_last(const cp_item &) { return false; }
#else
typedef T_memory cp_item;

CP_FN cp_item cp_item_at(unsigned long long array, long long k) {
  return reinterpret_cast<const cp_item *>(array)[k];
}
CP_FN bool cp_is_before(cp_item element, cp_item v, bool behind) {
  return behind ? element <= v : element < v;
}
CP_FN bool cp_is_last(cp_item v) { return v != v; }
#endif

// A sorted array of `length` elements, and every step-th of them, `samples` in all. step 0: there are none.
struct cp_sorted {
  unsigned long long array;
  long long length, step;
  int samples;
  const cp_item *sample;
};

// Fills the block's samples; every thread calls it.
CP_FN cp_sorted cp_sorted_of(unsigned long long array, long long length, long long step, cp_item *sample) {
  cp_sorted s = {array, length, step, 0, sample};
  if (step > 0) {
    s.samples = (int)((length + step - 1) / step);
    for (int k = threadIdx.x; k < s.samples; k += BLOCK) sample[k] = cp_item_at(array, k * step);
    __syncthreads();
  }
  return s;
}

// How many elements come before v: those that are less or, with `behind`, equal too.
CP_FN long long cp_passed(const cp_sorted &s, const cp_item &v, bool behind) {
  long long low = 0, high = s.length;
  if (cp_is_last(v)) { // after all numbers, and beside other nans
    if (behind) return high;
    while (low < high) {
      const long long middle = low + (high - low) / 2;
      if (!cp_is_last(cp_item_at(s.array, middle)))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  if (s.step > 0) {
    int passed = 0, more = s.samples; // samples that come before v, and those that may
    while (more > 0) {
      const int half = more - more / 2;
      passed += cp_is_before(s.sample[passed + half - 1], v, behind) ? half : 0;
      more -= half;
    }
    if (passed == 0) return 0;
    low = (passed - 1) * s.step + 1;
    high = high - low < s.step - 1 ? high : low + s.step - 1;
  }
  if (high - low < 1 << 30) { // by short numbers, which are faster
    const unsigned long long from = s.array + low * sizeof(cp_key) * PARTS;
    int passed = 0, more = (int)(high - low);
    while (more > 0) {
      const int half = more - more / 2;
      passed += cp_is_before(cp_item_at(from, passed + half - 1), v, behind) ? half : 0;
      more -= half;
    }
    return low + passed;
  }
  while (low < high) {
    const long long middle = low + (high - low) / 2;
    if (cp_is_before(cp_item_at(s.array, middle), v, behind))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
