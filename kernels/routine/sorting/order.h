// Elements of dtype T as unsigned keys of the same size in sorting order: numbers ascending, nan last.
// src/cpu/loops/order.h explains how.

template <int SIZE> struct cp_unsigned;
template <> struct cp_unsigned<1> { typedef unsigned char type; };
template <> struct cp_unsigned<2> { typedef unsigned short type; };
template <> struct cp_unsigned<4> { typedef unsigned type; };
template <> struct cp_unsigned<8> { typedef unsigned long long type; };

#if defined(T_COMPLEX)
enum { PARTS = 2 };
#else
enum { PARTS = 1 };
#endif
typedef cp_unsigned<sizeof(T_memory) / PARTS>::type cp_key; // of a real or imaginary part

#define CP_SIGN ((cp_key)((cp_key)1 << (sizeof(cp_key) * 8 - 1)))
#define CP_LAST ((cp_key)~(cp_key)0)

#if defined(T_IS_float16)
#define CP_NANS 0x3ffu
#elif defined(T_IS_bfloat16)
#define CP_NANS 0x7fu
#elif defined(T_IS_float32) || defined(T_IS_complex64)
#define CP_NANS 0x7fffffu
#elif defined(T_IS_float64) || defined(T_IS_complex128)
#define CP_NANS 0xfffffffffffffull
#endif

// One to one.
CP_FN cp_key cp_key_of(cp_key v) {
#if defined(CP_NANS)
  return (cp_key)((v & CP_SIGN ? (cp_key)~v : (cp_key)(v | CP_SIGN)) - (cp_key)CP_NANS);
#elif defined(T_BOOLEAN)
  return v != 0;
#elif defined(T_SIGNED)
  return v ^ CP_SIGN;
#else
  return v;
#endif
}

CP_FN cp_key cp_value_of(cp_key key) {
#if defined(CP_NANS)
  const cp_key v = (cp_key)(key + (cp_key)CP_NANS);
  return v & CP_SIGN ? (cp_key)(v ^ CP_SIGN) : (cp_key)~v;
#elif defined(T_SIGNED)
  return key ^ CP_SIGN;
#else
  return key;
#endif
}

// Equal for equal elements: every nan has the highest key, and -0 that of 0.
CP_FN cp_key cp_rank_of(cp_key v) {
#if defined(CP_NANS)
  const cp_key infinity = (cp_key)(CP_SIGN - 1 - (cp_key)CP_NANS);
  if ((cp_key)(v & (cp_key)(CP_SIGN - 1)) > infinity) return CP_LAST;
  return cp_key_of(v == CP_SIGN ? (cp_key)0 : v);
#else
  return cp_key_of(v);
#endif
}
