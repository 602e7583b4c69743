// Shared by the kernels of convolutions (convolve.cu, stencil.cu): slots, indices beyond a border, products.
//
// Slots: 0 array, 1 filter, 2 result, 3 bit 0: the filter is read backwards, bit 1: it is conjugated, 4 and 5
// an element for indices outside (fill), 6 and 7 tiles along the last axis and the one before, 8 lines of the
// filter on the other axes; then for each axis 6: lengths of the array, the result and the filter, strides of
// array and result in elements, start

#define BORDER_fill   0
#define BORDER_wrap   1
#define BORDER_symm   2
#define BORDER_edge   3
#define BORDER_mirror 4
#define BORDER_none   5 /* elements outside are 0; products of special weights with them are left out */
#define CP_JOINED(a, b)    a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_BORDER          CP_JOINED_OF(BORDER_, BORDER)
#define CP_FILLED          (CP_BORDER == BORDER_fill || CP_BORDER == BORDER_none)

// ORDER as in src/cuda/routines/convolve.c.
enum { THREADS = 256, FIRST = 9, OUTER = AXES - 2 };

struct cp_slots {
  unsigned long long s[FIRST + 6 * AXES];
};

struct cp_axis {
  long long in, out, filter, in_step, out_step, start;
};

CP_FN cp_axis cp_axis_of(const cp_slots &p, int d) {
  const unsigned long long *s = p.s + FIRST + 6 * d;
  return {(long long)s[0], (long long)s[1], (long long)s[2],
          (long long)s[3], (long long)s[4], (long long)s[5]};
}

// The index that supplies element c, outside of an axis of length n. Not inlined, since it is rare and its
// divisions are long.
CP_SLOW long long cp_place_outside(long long c, long long n) {
#if CP_FILLED
  return -1;
#elif CP_BORDER == BORDER_edge
  return c < 0 ? 0 : n - 1;
#else
#if CP_BORDER == BORDER_symm
  const long long period = 2 * n;
#elif CP_BORDER == BORDER_mirror
  const long long period = n > 1 ? 2 * n - 2 : 1;
#else
  const long long period = n;
#endif
  if (c < 0) c += period; // most are near
  if (c < 0) c = c % period + period;
  if (c >= period) c %= period;
  if (c < n) return c;
  return CP_BORDER == BORDER_symm ? period - 1 - c : period - c;
#endif
}

// The index of element c; -1: the fill value.
CP_FN long long cp_place(long long c, long long n) {
  return (unsigned long long)c < (unsigned long long)n ? c : cp_place_outside(c, n);
}

#include "step.h"

#if defined(SPARING)
#define CP_SPARING true
#else
#define CP_SPARING false
#endif

// cp_step; with SOME without products with weights of 0, which NaNs and infinities do not pass then.
template <bool SOME> CP_FN T cp_product(T sum, T v, T w) {
  if (!SOME) return cp_step(sum, v, w);
#if defined(T_COMPLEX)
  if (w.re != 0) sum.re = T_SPACE::m_fma(v.re, w.re, sum.re);
  if (w.im != 0) {
    sum.re = T_SPACE::m_fma(-v.im, w.im, sum.re);
    sum.im = T_SPACE::m_fma(v.re, w.im, sum.im);
  }
  if (w.re != 0) sum.im = T_SPACE::m_fma(v.im, w.re, sum.im);
  return sum;
#else
  return w != 0 ? cp_step(sum, v, w) : sum;
#endif
}

// Whether w or a part of it is 0.
CP_FN bool cp_has_zero(T w) {
#if defined(T_COMPLEX)
  return w.re == 0 || w.im == 0;
#else
  return w == 0;
#endif
}

#if CP_BORDER == BORDER_none
// Whether w is infinite or NaN.
CP_FN bool cp_is_special(T w) {
#if defined(T_COMPLEX)
  return !(w.re - w.re == 0 && w.im - w.im == 0);
#else
  return !(w - w == 0);
#endif
}

CP_FN bool cp_is_inside(long long c, long long n) { return (unsigned long long)c < (unsigned long long)n; }
#endif

CP_FN T cp_fill(const cp_slots &p) {
  T_memory m;
  memcpy(&m, &p.s[4], sizeof m);
  return T_load(m);
}

// Element e of a filter of `total` elements.
CP_FN T cp_tap(const cp_slots &p, long long total, long long e) {
  const T w = T_load(reinterpret_cast<const T_memory *>(p.s[1])[p.s[3] & 1 ? total - 1 - e : e]);
#if defined(T_COMPLEX)
  if (p.s[3] & 2) return T_SPACE::c_conj(w);
#endif
  return w;
}

// One store of 4, 8 or 16 bytes. The compiler would split it, which for neighbouring lanes means four times
// the traffic.
template <int BYTES> CP_FN void cp_store_bytes(void *to, const void *from) {
  enum { WORDS = (BYTES + 3) / 4 };
  unsigned w[WORDS] = {};
  memcpy(w, from, BYTES);
  if (WORDS == 4)
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(w[0]), "r"(w[1 % WORDS]),
                 "r"(w[2 % WORDS]), "r"(w[3 % WORDS]) : "memory");
  else if (WORDS == 2)
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(w[0]), "r"(w[1 % WORDS]) : "memory");
  else
    *reinterpret_cast<unsigned *>(to) = w[0];
}

// A block's tile: its number on the last two axes, and its indices on the axes before them.
struct cp_spot {
  unsigned across, down, at[OUTER > 0 ? OUTER : 1];
};

CP_FN cp_spot cp_spot_of(const cp_slots &p, unsigned tile) {
  cp_spot spot;
  spot.across = tile % (unsigned)p.s[6];
  tile /= (unsigned)p.s[6];
  spot.down = OUTER > 0 ? tile % (unsigned)p.s[7] : tile;
  if (OUTER > 0) tile /= (unsigned)p.s[7];
#pragma unroll
  for (int d = OUTER - 1; d >= 0; d--) {
    const unsigned n = (unsigned)cp_axis_of(p, d).out;
    spot.at[d] = tile % n;
    tile /= n;
  }
  return spot;
}

// Address of the spot's results.
CP_FN T_memory *cp_result(const cp_slots &p, const cp_spot &spot) {
  T_memory *out = reinterpret_cast<T_memory *>(p.s[2]);
#pragma unroll
  for (int d = OUTER - 1; d >= 0; d--) out += spot.at[d] * cp_axis_of(p, d).out_step;
  return out;
}

// The array's plane that line k of the filter applies to; NULL: all outside.
CP_FN const T_memory *cp_plane(const cp_slots &p, const cp_spot &spot, unsigned k) {
  const T_memory *plane = reinterpret_cast<const T_memory *>(p.s[0]);
#pragma unroll
  for (int d = OUTER - 1; d >= 0; d--) {
    const cp_axis a = cp_axis_of(p, d);
    const long long c = cp_place(spot.at[d] + a.start + k % (unsigned)a.filter, a.in);
    k /= (unsigned)a.filter;
    if (c < 0) plane = nullptr;
    if (plane != nullptr) plane += c * a.in_step;
  }
  return plane;
}
