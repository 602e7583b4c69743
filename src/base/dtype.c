// The table of element types and NumPy 2's rules of promotion and casting.
//
// Promotion beside a floating type works on levels: the bits that a floating type must have to stand for an
// operand, 16 for integers of 8 bits, 32 for those of 16 bits, 64 for wider ones.
#include "base/dtype.h"

#include <string.h>

const cp_dtype_info cp_dtypes[CP_NDTYPES] = {
#define DTYPE(ID, name, code, type, reg, kind, real)                                                         \
  {#name, code, sizeof(type), sizeof(reg), kind, CP_##real},
#include "base/dtypes.def"
#undef DTYPE
};

// Each new array asks for a name: its first and last letter say which one it may be. No two names have one place.
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

static bool is_inexact(cp_dtype t) { return t >= CP_FLOAT16; }

static int level(cp_dtype t) {
  if (t == CP_BOOL) return 0;
  if (is_inexact(t)) return (int)cp_itemsize(cp_dtypes[t].real) * 8;
  switch (cp_itemsize(t)) {
  case 1: return 16;
  case 2: return 32;
  default: return 64;
  }
}

static cp_dtype promote_integers(cp_dtype a, cp_dtype b) {
  if (a == CP_BOOL) return b;
  if (b == CP_BOOL) return a;
  if (cp_is_unsigned(a) == cp_is_unsigned(b)) return cp_itemsize(a) >= cp_itemsize(b) ? a : b;
  cp_dtype u = cp_is_unsigned(a) ? a : b, i = cp_is_unsigned(a) ? b : a;
  if (cp_itemsize(i) > cp_itemsize(u)) return i;
  return u == CP_UINT64 ? CP_FLOAT64 : (cp_dtype)(u - CP_UINT8 + CP_INT8 + 1); // the next wider signed type
}

static cp_dtype promote_floats(cp_dtype a, cp_dtype b) {
  int la = level(a), lb = level(b), l = la > lb ? la : lb;
  if (cp_is_complex(a) || cp_is_complex(b)) return l > 32 ? CP_COMPLEX128 : CP_COMPLEX64;
  if (l > 16) return l == 32 ? CP_FLOAT32 : CP_FLOAT64;
  if (cp_is_half(a) && cp_is_half(b)) return a == b ? a : CP_FLOAT32;
  return cp_is_half(a) ? a : b;
}

cp_dtype cp_promote(cp_dtype a, cp_dtype b) {
  if (a == b) return a;
  return is_inexact(a) || is_inexact(b) ? promote_floats(a, b) : promote_integers(a, b);
}

cp_dtype cp_floating(cp_dtype t) {
  if (is_inexact(t)) return t;
  int l = level(t);
  return l <= 16 ? CP_FLOAT16 : l == 32 ? CP_FLOAT32 : CP_FLOAT64;
}

cp_dtype cp_complexed(cp_dtype t) {
  if (cp_is_complex(t)) return t;
  return level(t) > 32 ? CP_COMPLEX128 : CP_COMPLEX64;
}

// Kinds in the order in which same_kind lets values pass upwards.
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
