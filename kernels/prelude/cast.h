/* Casts from a real type R (float or double) to the integer types: towards zero, saturating, nan gives 0.

   Common subset of C11 and CUDA C++, without headers. Included once per real type, with R and CP_FN defined:
   a C translation unit has one of them, in CUDA C++ the functions are overloads. Branch-free, so that loops
   vectorise. All other casts are C's own conversions; to bool is `a != 0`, to a half type is one rounding by
   half.h (float64 directly, integers through float32), complex to real takes the real part. */

/* Up to 16 bits both bounds are exact in R, and every value between them fits an int. */
CP_FN int cast_within(R a, R low, R high) {
  R b = a < low ? low : a > high ? high : a;
  return (int)(a == a ? b : (R)0);
}
CP_FN signed char cast_int8(R a) { return (signed char)cast_within(a, (R)-128, (R)127); }
CP_FN short cast_int16(R a) { return (short)cast_within(a, (R)-32768, (R)32767); }
CP_FN unsigned char cast_uint8(R a) { return (unsigned char)cast_within(a, (R)0, (R)255); }
CP_FN unsigned short cast_uint16(R a) { return (unsigned short)cast_within(a, (R)0, (R)65535); }

/* Wider types: the bounds are powers of two; a value that does not fit is replaced before it is converted. */
CP_FN int cast_int32(R a) {
  int fits = a >= (R)-2147483648.0 && a < (R)2147483648.0;
  int b = (int)(fits ? a : (R)0);
  int edge = a > 0 ? 2147483647 : a < 0 ? -2147483647 - 1 : 0;
  return fits ? b : edge;
}
CP_FN unsigned int cast_uint32(R a) {
  int fits = a > (R)-1 && a < (R)4294967296.0;
  unsigned int b = (unsigned int)(long long)(fits ? a : (R)0);
  return fits ? b : a > 0 ? 4294967295u : 0u;
}
CP_FN long long cast_int64(R a) {
  int fits = a >= (R)-9223372036854775808.0 && a < (R)9223372036854775808.0;
  long long b = (long long)(fits ? a : (R)0);
  long long edge = a > 0 ? 9223372036854775807ll : a < 0 ? -9223372036854775807ll - 1 : 0;
  return fits ? b : edge;
}
CP_FN unsigned long long cast_uint64(R a) {
  int fits = a >= (R)0 && a < (R)18446744073709551616.0;
  unsigned long long b = (unsigned long long)(fits ? a : (R)0);
  return fits ? b : a > 0 ? 18446744073709551615ull : 0ull;
}
