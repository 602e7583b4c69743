// Linear interpolation at points x in a table (xp, fp), all float64 (line.h).
//
// variants: T=float64
//
// Slots: 0 xp, 1 its length, 2 x, 3 their number, 4 result, 5 the distance of the samples of xp that a block
// keeps, or 0, 6 fp, 7 and 8 the values below and above xp, 9: 1: these are the imaginary parts of a function

#include "line.h"
#include "search.h"

struct cp_slots {
  unsigned long long s[10];
};

// How many of xp are not above x. If they are some, but not all, x0 is the last of them and x1 the next one:
// the search has read them, and reading them again from far away would take a third longer.
CP_FN long long cp_between(const cp_sorted &s, double x, double *x0, double *x1) {
  const double *xp = reinterpret_cast<const double *>(s.array);
  if (s.step == 0 || x != x) {
    const long long passed = cp_passed(s, x, true);
    if (passed > 0 && passed < s.length) *x0 = xp[passed - 1], *x1 = xp[passed];
    return passed;
  }
  int at = 0, more = s.samples;
  while (more > 0) {
    const int half = more - more / 2;
    at += s.sample[at + half - 1] <= x ? half : 0;
    more -= half;
  }
  if (at == 0) return 0;
  *x0 = s.sample[at - 1];
  if (at < s.samples) *x1 = s.sample[at];
  const long long low = (at - 1) * s.step + 1, rest = s.length - low;
  long long passed = low, left = rest < s.step - 1 ? rest : s.step - 1;
  while (left > 0) {
    const long long half = left - left / 2;
    const double m = xp[passed + half - 1];
    const bool on = m <= x;
    *x0 = on ? m : *x0;
    *x1 = on ? *x1 : m;
    passed += on ? half : 0;
    left -= half;
  }
  return passed;
}

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  extern __shared__ __align__(16) unsigned char samples[];
  const cp_sorted sorted =
      cp_sorted_of(p.s[0], (long long)p.s[1], (long long)p.s[5], reinterpret_cast<cp_item *>(samples));
  const double *x = reinterpret_cast<const double *>(p.s[2]), *xp = reinterpret_cast<const double *>(p.s[0]),
               *fp = reinterpret_cast<const double *>(p.s[6]);
  const double below = *reinterpret_cast<const double *>(p.s[7]);
  const double above = *reinterpret_cast<const double *>(p.s[8]);
  for (long long k = (long long)blockIdx.x * BLOCK + threadIdx.x; k < (long long)p.s[3];
       k += (long long)gridDim.x * BLOCK) {
    double x0 = 0, x1 = 0;
    const double at = x[k];
    const long long passed = cp_between(sorted, at, &x0, &x1);
    reinterpret_cast<double *>(p.s[4])[k] =
        passed > 0 && passed < sorted.length
            ? cp_on_line(at, x0, x1, fp[passed - 1], fp[passed])
            : cp_interpolated(at, passed, xp, fp, sorted.length, below, above, p.s[9] != 0);
  }
}
