// The union of the places of two sparse matrices whose rows ascend strictly. MODE meet marks the entries of a
// that b has, too. MODE fill then puts every entry at its place, which is its own number, plus how many
// entries of the other matrix come before it, less how many of a's entries before it b has: all entries at
// once, however long rows are. MODE sum does the same, of values that it adds or subtracts.
//
// variants: MODE=meet INDEX=int32,int64 SIZE=1
// variants: MODE=fill INDEX=int32,int64 SIZE=1,2,4,8,16
// variants: MODE=sum INDEX=int32,int64 T=int32,int64,float32,float64,complex64,complex128
//
// Slots: 0 starts of a, 1 its columns, 2 its values, 3 starts of b, 4 its columns, 5 its values, 6 the marks
// (bool, MODE meet) or their running sum (INDEX), 7 starts of the result, 8 its columns, 9 a's values there
// or (MODE sum) the results, 10 b's or whether they are subtracted, 11 rows, 12 entries of a, 13 entries of
// b, 14 entries of the result, 15 (MODE sum) a bool that becomes true if a result is 0

#define MODE_meet          0
#define MODE_fill          1
#define MODE_sum           2
#define CP_JOINED(a, b)    a##b
#define CP_JOINED_OF(a, b) CP_JOINED(a, b)
#define CP_MODE            CP_JOINED_OF(MODE_, MODE)

#include "sparse.h"

// ORDER as in src/cuda/routines/sparse_expand.c.
enum { BLOCK = 256, ITEMS = 4, TILE = BLOCK * ITEMS };

struct cp_slots {
  unsigned long long s[16];
};

#if CP_MODE == MODE_sum
typedef T cp_element;
#else
#include "element.h"
#endif

// Slots of a matrix: of a MATRIX_A, of b MATRIX_B.
enum { MATRIX_A = 0, MATRIX_B = 3 };
CP_FN long long cp_entries(const cp_slots &p, int m) { return (long long)p.s[m == MATRIX_A ? 12 : 13]; }
CP_FN long long cp_column_of(const cp_slots &p, int m, long long k) {
  return (long long)reinterpret_cast<const INDEX *>(p.s[m + 1])[k];
}

// The first entry of row r whose column is at least c, the column of the other matrix's entry k, or the end
// of the row; `same` says whether its column is c. Matrices that are added often have equal structures, so
// the search begins at the entry that is as far from the row's beginning as k is in the other matrix.
struct cp_found {
  long long at;
  bool same;
};
CP_FN cp_found cp_find(const cp_slots &p, int m, long long r, long long c, long long k) {
  const int other = m == MATRIX_A ? MATRIX_B : MATRIX_A;
  const long long entries = cp_entries(p, m);
  long long low = cp_start(p.s[m], r, 0, entries);
  const long long end = cp_start(p.s[m], r + 1, low, entries);
  long long high = end, middle = low + (k - cp_start(p.s[other], r, 0, cp_entries(p, other)));
  if (middle < low || middle >= high) middle = low + (high - low) / 2;
  while (low < high) {
    const long long column = cp_column_of(p, m, middle);
    if (column == c) return {middle, true};
    if (column < c)
      low = middle + 1;
    else
      high = middle;
    middle = low + (high - low) / 2;
  }
  return {low, false};
}

// Calls f(k, the row of entry k) for the entries of the tile of matrix m that this thread has.
template <class F> CP_FN void cp_each_entry(const cp_slots &p, int m, long long tile, const F &f) {
  const long long rows = (long long)p.s[11], entries = cp_entries(p, m), first = tile * TILE;
  cp_with_rows<BLOCK, ITEMS>(p.s[m], rows, first, min(first + TILE, entries), f);
}

#if CP_MODE == MODE_meet
CP_FN void cp_work(const cp_slots &p) {
  cp_each_entry(p, MATRIX_A, blockIdx.x, [&](long long k, long long r) {
    reinterpret_cast<bool *>(p.s[6])[k] = cp_find(p, MATRIX_B, r, cp_column_of(p, MATRIX_A, k), k).same;
  });
}

#else
// How many of a's entries before entry k b has.
CP_FN long long cp_met_before(const cp_slots &p, long long k) {
  return k > 0 ? (long long)reinterpret_cast<const INDEX *>(p.s[6])[k - 1] : 0;
}

#if CP_MODE == MODE_sum
CP_FN T cp_sum(T a, T b, bool subtracted) {
#if defined(T_COMPLEX)
  return subtracted ? T_SPACE::c_subtract(a, b) : T_SPACE::c_add(a, b);
#elif defined(T_REAL)
  return subtracted ? a - b : a + b;
#else
  return subtracted ? T_SPACE::i_subtract(a, b) : T_SPACE::i_add(a, b);
#endif
}

CP_FN bool cp_is_zero(T v) {
#if defined(T_COMPLEX)
  return !T_SPACE::c_nonzero(v);
#else
  return v == 0;
#endif
}

CP_FN void cp_put_values(const cp_slots &p, long long place, T a, T b) {
  const T sum = cp_sum(a, b, p.s[10] != 0);
  reinterpret_cast<T *>(p.s[9])[place] = sum;
  if (cp_is_zero(sum)) *reinterpret_cast<bool *>(p.s[15]) = true;
}
#else
CP_FN void cp_put_values(const cp_slots &p, long long place, cp_element a, cp_element b) {
  reinterpret_cast<cp_element *>(p.s[9])[place] = a;
  reinterpret_cast<cp_element *>(p.s[10])[place] = b;
}
#endif

CP_FN void cp_put(const cp_slots &p, long long place, long long column, cp_element a, cp_element b) {
  if (place < 0 || place >= (long long)p.s[14]) return;
  reinterpret_cast<INDEX *>(p.s[8])[place] = (INDEX)column;
  cp_put_values(p, place, a, b);
}

// First the tiles of a, then those of b, then the starts.
CP_FN void cp_work(const cp_slots &p) {
  const cp_element *a_values = reinterpret_cast<const cp_element *>(p.s[2]),
                   *b_values = reinterpret_cast<const cp_element *>(p.s[5]);
  const cp_element none = {};
  const long long a_tiles = (cp_entries(p, MATRIX_A) + TILE - 1) / TILE,
                  b_tiles = (cp_entries(p, MATRIX_B) + TILE - 1) / TILE, tile = blockIdx.x;
  if (tile < a_tiles) {
    cp_each_entry(p, MATRIX_A, tile, [&](long long k, long long r) {
      const long long c = cp_column_of(p, MATRIX_A, k);
      const cp_found b = cp_find(p, MATRIX_B, r, c, k);
      cp_put(p, k + b.at - cp_met_before(p, k), c, a_values[k], b.same ? b_values[b.at] : none);
    });
  } else if (tile < a_tiles + b_tiles) {
    cp_each_entry(p, MATRIX_B, tile - a_tiles, [&](long long k, long long r) {
      const long long c = cp_column_of(p, MATRIX_B, k);
      const cp_found a = cp_find(p, MATRIX_A, r, c, k);
      if (!a.same) cp_put(p, k + a.at - cp_met_before(p, a.at), c, none, b_values[k]);
    });
  } else {
    const long long rows = (long long)p.s[11], first = (tile - a_tiles - b_tiles) * TILE;
    for (long long r = first + threadIdx.x; r < first + TILE && r <= rows; r += BLOCK) {
      const long long at = cp_start(p.s[0], r, 0, cp_entries(p, MATRIX_A));
      reinterpret_cast<INDEX *>(p.s[7])[r] =
          (INDEX)(at + cp_start(p.s[3], r, 0, cp_entries(p, MATRIX_B)) - cp_met_before(p, at));
    }
  }
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const cp_slots p) {
  CP_AWAIT;
  cp_work(p);
}
