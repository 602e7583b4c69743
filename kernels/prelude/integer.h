/* Integer functions of one type. Included once per type, so without a guard. The includer defines T (the
   type), CP_SIGNED (1 or 0), CP_WIDTH (bits) and W (the unsigned type that wraps: unsigned, or unsigned long
   long for 64 bits) and undefines them afterwards. CP_FN as in float32.h.

   Nothing is undefined and nothing traps: sums and products wrap around, x / 0 and x % 0 are 0, MIN / -1 and
   |MIN| are MIN. Shifts by the width or more (or by a negative count) shift all bits out: the result is 0, or
   -1 for right shifts of negative numbers. Divisions select a harmless divisor first, so that loops need no
   branch. */

CP_FN T i_add(T a, T b) { return (T)((W)a + (W)b); }
CP_FN T i_subtract(T a, T b) { return (T)((W)a - (W)b); }
CP_FN T i_multiply(T a, T b) { return (T)((W)a * (W)b); }
CP_FN T i_square(T a) { return (T)((W)a * (W)a); }
#if defined(__CUDA_ARCH__) && CP_SIGNED && CP_WIDTH <= 32
/* GPUs from 9.0 on have an instruction for the greatest of three numbers, to which CUDA 13.0's assembler
   gives b where it should give -b: it makes max(a, b, c) of max(max(a, -b), c). It knows no negation in this
   form. */
CP_FN T i_negative(T a) {
  unsigned inverse;
  asm("not.b32 %0, %1;" : "=r"(inverse) : "r"((unsigned)a));
  return (T)(inverse + 1u);
}
#else
CP_FN T i_negative(T a) { return (T)(0u - (W)a); }
#endif
CP_FN T i_invert(T a) { return (T) ~(W)a; }
CP_FN T i_maximum(T a, T b) { return a > b ? a : b; }
CP_FN T i_minimum(T a, T b) { return a < b ? a : b; }

/* a / d rounded towards 0, for d != 0 and no overflow. Up to 16 bits by a float division, which is exact
   there (the quotient differs from the next integer by at least 1 / (2^17), relatively) and vectorises. */
#if CP_WIDTH <= 16
CP_FN T i_quotient(T a, T d) { return (T)(int)((float)a / (float)d); }
#else
CP_FN T i_quotient(T a, T d) { return (T)(a / d); }
#endif
/* The remainder of a / d = q: one division serves quotient and remainder. */
CP_FN T i_rest(T a, T d, T q) { return (T)((W)a - (W)d * (W)q); }

#if CP_SIGNED

CP_FN T i_abs(T a) { return (T)(a < 0 ? 0u - (W)a : (W)a); }
CP_FN W i_magnitude(T a) { return a < 0 ? 0u - (W)a : (W)a; }
CP_FN T i_sign(T a) { return (T)((a > 0) - (a < 0)); }
/* rounded towards minus infinity */
CP_FN T i_floor_divide(T a, T b) {
  T d = (T)(((b == 0) | (b == -1)) != 0 ? 1 : b), q = i_quotient(a, d);
  q = (T)(q - ((i_rest(a, d, q) != 0) & ((a < 0) != (d < 0))));
  q = b == -1 ? i_negative(a) : q;
  return (T)(b == 0 ? 0 : q);
}
/* has the sign of b */
CP_FN T i_remainder(T a, T b) {
  T d = (T)(((b == 0) | (b == -1)) != 0 ? 1 : b), r = i_rest(a, d, i_quotient(a, d));
  return (T)(((r != 0) & ((r < 0) != (d < 0))) != 0 ? r + d : r);
}
/* has the sign of a */
CP_FN T i_fmod(T a, T b) {
  T d = (T)(((b == 0) | (b == -1)) != 0 ? 1 : b);
  return i_rest(a, d, i_quotient(a, d));
}
/* 1 / a, truncated */
CP_FN T i_reciprocal(T a) { return (T)(((a == 1) | (a == -1)) != 0 ? a : 0); }

#else

CP_FN T i_abs(T a) { return a; }
CP_FN W i_magnitude(T a) { return (W)a; }
CP_FN T i_sign(T a) { return (T)(a != 0); }
CP_FN T i_floor_divide(T a, T b) {
  T d = (T)(b == 0 ? 1 : b);
  return (T)(b == 0 ? 0 : i_quotient(a, d));
}
CP_FN T i_remainder(T a, T b) {
  T d = (T)(b == 0 ? 1 : b);
  return i_rest(a, d, i_quotient(a, d));
}
CP_FN T i_fmod(T a, T b) { return i_remainder(a, b); }
CP_FN T i_reciprocal(T a) { return (T)(a == 1); }

#endif

/* By squaring, with wrap-around. A negative exponent gives the truncated reciprocal: 0 except for a = 1 and
   -1 (0 for a = 0). */
CP_FN T i_power(T a, T b) {
  W base = (W)a, r = 1u, n = (W)b;
#if CP_SIGNED
  if (b < 0) return (T)(a == 1 ? 1 : (a == -1 ? ((b & 1) != 0 ? -1 : 1) : 0));
#endif
  for (; n != 0u; n >>= 1) {
    r = (n & 1u) != 0u ? r * base : r;
    base = base * base;
  }
  return (T)r;
}

CP_FN T i_left_shift(T a, T b) {
  int out = (W)b >= CP_WIDTH; /* a negative count wraps to a large one */
  return (T)(out ? 0u : (W)a << (out ? 0u : (W)b));
}
/* Arithmetic for signed types, where a shift by the width minus one leaves only copies of the sign */
CP_FN T i_right_shift(T a, T b) {
  int out = (W)b >= CP_WIDTH; /* a negative count wraps to a large one */
#if CP_SIGNED
  return (T)(a >> (out ? CP_WIDTH - 1 : (int)b));
#else
  return (T)(out ? 0 : a >> (out ? 0 : (int)b));
#endif
}

/* The greatest common divisor of the magnitudes; gcd(0, b) = |b|. */
CP_FN T i_gcd(T a, T b) {
  W x = i_magnitude(a), y = i_magnitude(b), r;
  while (y != 0u) {
    r = x % y;
    x = y;
    y = r;
  }
  return (T)x;
}
/* The least common multiple, with wrap-around; 0 if an argument is 0. */
CP_FN T i_lcm(T a, T b) {
  W x = i_magnitude(a), y = i_magnitude(b), g = x, h = y, r;
  while (h != 0u) {
    r = g % h;
    g = h;
    h = r;
  }
  return (T)(g == 0u ? 0u : x / g * y);
}
CP_FN T i_zero(T a) { return (void)a, (T)0; }

/* The bits of a byte. pack: for a byte that is not 0 the factor b puts a 1 into the highest byte, which is
   the result. unpack: byte a is copied to all bytes, and each becomes 1 if it shares a bit with the byte of b
   in its place. */
#define I_EACH(byte) ((W)(~0ull / 255u * (byte)))
CP_FN unsigned char i_pack_bits(T a, T b) {
  W v = ((((W)a & I_EACH(127u)) + I_EACH(127u)) | (W)a) >> 7 & I_EACH(1u);
  return (unsigned char)((v * (W)b) >> (CP_WIDTH - 8));
}
CP_FN T i_unpack_bits(T a, T b) {
  W v = ((W)a & (W)255u) * I_EACH(1u) & (W)b;
  return (T)(((((v & I_EACH(127u)) + I_EACH(127u)) | v) >> 7) & I_EACH(1u));
}
#undef I_EACH

#include "permute.h"
/* An integer in [0, a), where a counts as unsigned; any value of the type if a is 0. Computed as 64 random
   bits times a, so probabilities differ by a factor of at most a * 2^-64. */
CP_FN T i_random_integer(T a, long long position, long long seed, long long call) {
  unsigned long long bits = r_bits64(position, seed, call),
                     n = (unsigned long long)(a) & (~0ull >> (64 - CP_WIDTH));
  return (T)(n != 0u ? r_multiply_high(bits, n) : bits);
}
