// The table of dtypes and NumPy 2's rules of promotion and casting.
//
// Promotion with a floating dtype works on levels, the width in bits of the smallest floating dtype that
// holds an operand: 16 for bool and 8-bit integers, 32 for 16-bit integers, 64 for wider ones.
#include "base/dtype.h"

#include <string.h>

const cp_dtype_info cp_dtypes[CP_NDTYPES] = {
#define DTYPE(ID, name, code, type, reg, kind, real)                                                         \
  {#name, code, sizeof(type), sizeof(reg), kind, CP_##real},
#include "base/dtypes.def"
#undef DTYPE
};

// A perfect hash of dtype names by their first and last letter: each new array looks a name up.
#define PLACE(first, last) (((first) + 4 * (last)) & 31)
static const unsigned char places[32] = {
    [PLACE('b', 'l')] = CP_BOOL,    [PLACE('i', '8')] = CP_INT8,      [PLACE('i', '6')] = CP_INT16,
    [PLACE('i', '2')] = CP_INT32,   [PLACE('i', '4')] = CP_INT64,     [PLACE('u', '8')] = CP_UINT8,
    [PLACE('u', '6')] = CP_UINT16,  [PLACE('u', '2')] = CP_UINT32,    [PLACE('u', '4')] = CP_UINT64,
    [PLACE('f', '6')] = CP_FLOAT16, [PLACE('b', '6')] = CP_BFLOAT16,  [PLACE('f', '2')] = CP_FLOAT32,
    [PLACE('f', '4')] = CP_FLOAT64, [PLACE('c', '4')] = CP_COMPLEX64, [PLACE('c', '8')] = CP_COMPLEX128};

static bool is_same(const char *a, const char *b) { return a[0] == b[0] && strcmp(a, b) == 0; }

cp_dtype cp_dtype_from_name(const char *text) {
  size_t size = strlen(text);
  int place = size > 0 ? places[PLACE((unsigned char)text[0], (unsigned char)text[size - 1])] : CP_BOOL;
  if (is_same(text, cp_dtypes[place].name)) return (cp_dtype)place;
  if (is_same(text, "?")) return CP_BOOL;
  if (*text == '<' || *text == '=' || *text == '|') text++;
  for (int t = 0; t < CP_NDTYPES; t++)
    if (is_same(text, cp_dtypes[t].code)) return (cp_dtype)t;
  return CP_NDTYPES;
}

#define BIT(name) (1u << CP_##name)
enum {
  FLOATS = BIT(FLOAT16) | BIT(BFLOAT16) | BIT(FLOAT32) | BIT(FLOAT64),
  COMPLEX = BIT(COMPLEX64) | BIT(COMPLEX128),
  HALVES = BIT(FLOAT16) | BIT(BFLOAT16),
  LEVEL_32 = BIT(INT16) | BIT(UINT16) | BIT(FLOAT32) | BIT(COMPLEX64),
  LEVEL_64 = BIT(INT32) | BIT(UINT32) | BIT(INT64) | BIT(UINT64) | BIT(FLOAT64) | BIT(COMPLEX128)
};

cp_dtype cp_floating_all(cp_dtype_set set) {
  if (set & COMPLEX) return set & LEVEL_64 ? CP_COMPLEX128 : CP_COMPLEX64;
  if (set & LEVEL_64) return CP_FLOAT64;
  if (set & LEVEL_32 || (set & HALVES) == HALVES) return CP_FLOAT32;
  return set & BIT(BFLOAT16) ? CP_BFLOAT16 : CP_FLOAT16;
}

// The widest dtype of the set between `first` and `last`, or last + 1 when there is none.
static cp_dtype widest(cp_dtype_set set, cp_dtype first, cp_dtype last) {
  for (cp_dtype t = last; t >= first; t--)
    if (set & cp_set_of(t)) return t;
  return (cp_dtype)(last + 1);
}

static cp_dtype promote_integers(cp_dtype_set set) {
  cp_dtype i = widest(set, CP_INT8, CP_INT64), u = widest(set, CP_UINT8, CP_UINT64);
  if (u > CP_UINT64) return i > CP_INT64 ? CP_BOOL : i;
  if (i > CP_INT64) return u;
  if (cp_itemsize(i) > cp_itemsize(u)) return i;
  return u == CP_UINT64 ? CP_FLOAT64 : (cp_dtype)(u - CP_UINT8 + CP_INT8 + 1); // the next wider signed type
}

cp_dtype cp_promote_all(cp_dtype_set set) {
  if (set & (FLOATS | COMPLEX)) return cp_floating_all(set);
  return set == 0 ? CP_NDTYPES : promote_integers(set);
}

cp_dtype cp_weak_dtype(int numbers, cp_dtype strong, cp_dtype standard) {
  bool none = strong == CP_NDTYPES, inexact = !none && cp_is_inexact(strong);
  if (numbers & CP_WEAK_COMPLEX) return cp_complexed(inexact ? strong : standard);
  if (inexact) return strong;
  if (numbers & CP_WEAK_FLOAT) return standard;
  if (numbers & CP_WEAK_INTEGER) return none ? standard : strong == CP_BOOL ? CP_INT64 : strong;
  return none ? CP_BOOL : strong;
}

cp_dtype cp_complexed(cp_dtype t) { return cp_set_of(t) & LEVEL_64 ? CP_COMPLEX128 : CP_COMPLEX64; }

// Ranks the kinds: same_kind casts to an equal or higher rank.
static int kind_order(cp_dtype t) {
  static const char kinds[] = "buifc";
  return (int)(strchr(kinds, cp_dtypes[t].kind) - kinds);
}

bool cp_can_cast(cp_dtype from, cp_dtype to, cp_casting rule) {
  if (from == to) return true;
  switch (rule) {
  case CP_CAST_NO: return from == to;
  case CP_CAST_SAFE: return cp_promote(from, to) == to;
  case CP_CAST_SAME_KIND: return cp_promote(from, to) == to || kind_order(from) <= kind_order(to);
  default: return true;
  }
}
