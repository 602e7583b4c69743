// Shared by lookup.cu, lookup_tables.cu and last.cu: the indices of a lookup, and the element and value of
// each.
//
// A position that is out of range is stored in its array's word of mapped host memory, 0 as the lowest number
// there is. Such indices are skipped, or read as position 0.
//
// Slots: 0 size, 1 base, 2 value, 3 words; then for each axis length, base stride, value stride; then for
// each array address, length of the selected axis, stride along it, and a stride for each axis; then MORE of
// the kernel's own. ORDER as in src/cuda/routines/index.c.

#define BLOCK     256
#define CP_AXES   4
#define CP_ARRAYS (CP_AXES + 3 * NDIM)
#define CP_OWN    (CP_ARRAYS + COUNT * (3 + NDIM))

struct cp_slots {
  unsigned long long s[CP_OWN + MORE];
};

#if WIDE
typedef unsigned long long place;
#else
typedef unsigned place;
#endif
#if INDEX == 4
typedef int position;
#else
typedef long long position;
#endif

// The unit of a copy.
#if defined(BYTES)
#if BYTES == 1
typedef unsigned char word;
#elif BYTES == 2
typedef unsigned short word;
#elif BYTES == 4
typedef unsigned word;
#elif BYTES == 8
typedef uint2 word;
#else
typedef uint4 word;
#endif
#endif

// The coordinates of index e.
CP_FN void cp_split(const cp_slots &p, place e, long long *at) {
#pragma unroll
  for (int d = NDIM - 1; d >= 0; d--) {
    const place length = (place)p.s[CP_AXES + 3 * d], rest = d > 0 ? e / length : 0;
    at[d] = (long long)(d > 0 ? e - rest * length : e);
    e = rest;
  }
}

// Byte offset of an index in base (1) or values (2), from its coordinates alone.
CP_FN long long cp_sum(const cp_slots &p, const long long *at, int which) {
  long long sum = 0;
#pragma unroll
  for (int d = 0; d < NDIM; d++) sum += at[d] * (long long)p.s[CP_AXES + 3 * d + which];
  return sum;
}

// One array's position, counted from 0. Reports a position out of range and returns false.
CP_FN bool cp_resolve(const cp_slots &p, int k, long long i, long long *at) {
  const unsigned long long length = p.s[CP_ARRAYS + k * (3 + NDIM) + 1];
  *at = i > 0 ? i - 1 : i + (long long)length;
  if ((unsigned long long)*at < length) return true;
  ((volatile long long *)p.s[3])[k] = i == 0 ? (long long)(1ull << 63) : i;
  return false;
}

// What each array selects at an index; adds the offset to *base. False when a position is out of range.
CP_FN bool cp_choose(const cp_slots &p, const long long *at, long long *chosen, long long *base) {
  bool good = true;
#pragma unroll
  for (int k = 0; k < COUNT; k++) {
    const int first = CP_ARRAYS + k * (3 + NDIM);
    long long offset = 0;
#pragma unroll
    for (int d = 0; d < NDIM; d++) offset += at[d] * (long long)p.s[first + 3 + d];
    good = cp_resolve(p, k, *(const position *)((const char *)p.s[first] + offset), &chosen[k]) && good;
    *base += chosen[k] * (long long)p.s[first + 2];
  }
  return good;
}

// Byte offsets of the element and the value of an index; false when a position is out of range.
CP_FN bool locate(const cp_slots &p, place e, long long *base, long long *value) {
  long long at[NDIM + 1], chosen[COUNT + 1];
  cp_split(p, e, at);
  *value = cp_sum(p, at, 2);
  *base = cp_sum(p, at, 1);
  return cp_choose(p, at, chosen, base);
}

#if MORE

// The element that the positions select: its offset in bytes, and its number (key) in a table of all elements
// that they may select; false when one is out of range. The kernel's fourth own slot is the number of the
// element at base, and the strides in the table's units follow it, for each axis and for each array.
CP_FN bool choose(const cp_slots &p, const long long *at, long long *base, unsigned long long *key) {
  long long chosen[COUNT + 1], sum = (long long)p.s[CP_OWN + 3];
  *base = cp_sum(p, at, 1);
  const bool good = cp_choose(p, at, chosen, base);
#pragma unroll
  for (int d = 0; d < NDIM; d++) sum += at[d] * (long long)p.s[CP_OWN + 4 + d];
#pragma unroll
  for (int k = 0; k < COUNT; k++) sum += chosen[k] * (long long)p.s[CP_OWN + 4 + NDIM + k];
  *key = (unsigned long long)sum;
  return good;
}

#endif
