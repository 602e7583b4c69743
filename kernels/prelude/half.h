/* float16 and bfloat16, held as bit patterns in unsigned short: conversions and neighbours.

   Conversions round once, to nearest even, keep subnormals, and turn a nan into a quiet nan. On the CPU they
   are integer operations and branch-free selects, which vectorise; CUDA has instructions. Arithmetic on half
   types is done in float32 and rounded after every operation (h_round_f16, h_round_bf16). */
#ifndef CP_PRELUDE_HALF_H
#define CP_PRELUDE_HALF_H

#ifdef CP_DEVICE
CP_FN unsigned h_bits(float a) { return __float_as_uint(a); }
CP_FN float h_make(unsigned a) { return __uint_as_float(a); }
CP_FN unsigned long long h_bits64(double a) { return (unsigned long long)__double_as_longlong(a); }
#else
CP_FN unsigned h_bits(float a) {
  unsigned u;
  __builtin_memcpy(&u, &a, sizeof u);
  return u;
}
CP_FN float h_make(unsigned a) {
  float f;
  __builtin_memcpy(&f, &a, sizeof f);
  return f;
}
CP_FN unsigned long long h_bits64(double a) {
  unsigned long long u;
  __builtin_memcpy(&u, &a, sizeof u);
  return u;
}
#endif

#ifdef CP_DEVICE
CP_FN float h_f16_to_f32(unsigned short a) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a));
  return r;
}
CP_FN unsigned short h_f32_to_f16(float a) {
  unsigned short r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(a));
  return r;
}
CP_FN unsigned short h_f64_to_f16(double a) {
  unsigned short r;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(r) : "d"(a));
  return r;
}
#else
CP_FN float h_f16_to_f32(unsigned short a) {
  unsigned u = ((unsigned)a & 0x7fffu) << 13, sign = ((unsigned)a & 0x8000u) << 16, normal = u + (112u << 23),
           tiny;
  tiny = h_bits(h_make(u + (113u << 23)) -
                h_make(113u << 23)); /* the significand under an implied bit, which is then subtracted */
  normal = u < (1u << 23) ? tiny : normal;
  normal = u >= (31u << 23) ? normal + (112u << 23) : normal; /* the exponent of infinities and nan */
  normal = u > (31u << 23) ? normal | 0x400000u : normal;
  return h_make(normal | sign);
}
CP_FN unsigned short h_f32_to_f16(float a) {
  unsigned u = h_bits(a), x = u & 0x7fffffffu, r, tiny;
  r = (x - (112u << 23) + 0xfffu + ((x >> 13) & 1u)) >> 13;
  tiny = h_bits(h_make(x) + 0.5f) - 0x3f000000u; /* the adder rounds at 2^-24, the unit of subnormals */
  r = x < (113u << 23) ? tiny : r;
  r = x >= (143u << 23) ? 0x7c00u : r;
  r = x > (255u << 23) ? 0x7e00u | ((x >> 13) & 0x1ffu) : r;
  return (unsigned short)(r | ((u >> 16) & 0x8000u));
}
CP_FN unsigned short h_f64_to_f16(double a) {
  unsigned long long u = h_bits64(a), x = u & 0x7fffffffffffffffull, r, tiny;
  double b = a < 0.0 ? -a : a;
  r = (x - (1008ull << 52) + 0x1ffffffffffull + ((x >> 42) & 1u)) >> 42;
  tiny = h_bits64(b + 268435456.0) - h_bits64(268435456.0);
  r = b < 0x1p-14 ? tiny : r;
  r = b >= 65536.0 ? 0x7c00u : r;
  r = a != a ? 0x7e00u | ((x >> 42) & 0x1ffu) : r;
  return (unsigned short)(r | ((u >> 48) & 0x8000u));
}
#endif

CP_FN float h_bf16_to_f32(unsigned short a) { return h_make((unsigned)a << 16); }
#if defined(CP_DEVICE) && __CUDA_ARCH__ >= 800
/* Two at once: the conversion of one goes to a unit that is an eighth as fast. */
CP_FN unsigned h_pack_bf16(float high, float low) {
  unsigned r;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return r;
}
CP_FN unsigned short h_f32_to_bf16(float a) { return (unsigned short)h_pack_bf16(0.0f, a); }
#else
CP_FN unsigned short h_f32_to_bf16(float a) {
  unsigned u = h_bits(a), r = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
  return (unsigned short)(a != a ? (u >> 16) | 0x40u : r);
}
#endif
CP_FN unsigned short h_f64_to_bf16(double a) {
  unsigned long long u = h_bits64(a), x = u & 0x7fffffffffffffffull, r, tiny;
  double b = a < 0.0 ? -a : a;
  r = (x - (896ull << 52) + 0xfffffffffffull + ((x >> 45) & 1u)) >> 45;
  tiny = h_bits64(b + 0x1p-81) - h_bits64(0x1p-81); /* the adder rounds at 2^-133 */
  r = b < 0x1p-126 ? tiny : r;
  r = b >= 0x1p128 ? 0x7f80u : r;
  r = a != a ? 0x7fc0u | ((x >> 45) & 0x3fu) : r;
  return (unsigned short)(r | ((u >> 48) & 0x8000u));
}

/* The nearest value of the format, as a float. */
CP_FN float h_round_f16(float a) { return h_f16_to_f32(h_f32_to_f16(a)); }
#if defined(CP_DEVICE) && __CUDA_ARCH__ >= 800
CP_FN float h_round_bf16(float a) { return h_make(h_pack_bf16(a, 0.0f)); }
#else
CP_FN float h_round_bf16(float a) { return h_bf16_to_f32(h_f32_to_bf16(a)); }
#endif

/* The bit pattern next to a towards b; x and y are the same numbers as floats. */
CP_FN unsigned short h_next(float x, float y, unsigned a, unsigned b) {
  unsigned step = (x < y) == (x > 0.0f) ? a + 1u : a - 1u;
  step = x == 0.0f ? (b & 0x8000u) | 1u : step;
  return (unsigned short)(x == y ? b : step);
}
/* nextafter of half-precision values that are held in floats */
CP_FN float h_nextafter_f16(float a, float b) {
  float r = h_f16_to_f32(h_next(a, b, h_f32_to_f16(a), h_f32_to_f16(b)));
  return ((a != a) | (b != b)) != 0 ? a + b : r;
}
CP_FN float h_nextafter_bf16(float a, float b) {
  float r = h_bf16_to_f32(h_next(a, b, h_f32_to_bf16(a), h_f32_to_bf16(b)));
  return ((a != a) | (b != b)) != 0 ? a + b : r;
}

#endif
