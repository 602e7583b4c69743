// What kernels say in PTX, and CUDA's names that users' kernels on the CPU lack, for the kernels that
// compile.c compiles for the host. A statement asm("NAME ..." : outputs : inputs) becomes a call of ptx_NAME,
// with _ for the dots of the name and with all operands in the order of the statement.

#define __ldcs(p)     (*(p))
#define __trap()      __builtin_trap()
#define __isGlobal(p) 1
// a + b rounded down: by the rest of the nearest number (Knuth)
CP_FN double __dadd_rd(double a, double b) {
  const double sum = a + b, part = sum - a, rest = (a - (sum - part)) + (b - part);
  return rest < 0 ? __builtin_nextafter(sum, -__builtin_inf()) : sum;
}

// An address in shared memory has 32 bits on a GPU. All of a thread's shared memory shares the upper half, or
// copies would go astray.
static thread_local unsigned long long cp_upper_half;
CP_FN unsigned long long __cvta_generic_to_shared(const void *p) {
  cp_upper_half = (unsigned long long)p >> 32 << 32;
  return (unsigned long long)p;
}
CP_FN void *cp_shared_address(unsigned low) { return (void *)(cp_upper_half | low); }

CP_FN void ptx_griddepcontrol_wait() {}

// the sum of the products of four bytes, and c
CP_FN int __dp4a(int a, int b, int c) {
  for (int k = 0; k < 4; k++) c += (signed char)(a >> 8 * k) * (signed char)(b >> 8 * k);
  return c;
}
CP_FN unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int k = 0; k < 32; k += 8) c += (a >> k & 255) * (b >> k & 255);
  return c;
}

// ---- conversions ----

CP_SLOW void ptx_cvt_f32_f16(float &r, unsigned short a) {
  const unsigned exponent = a >> 10 & 31, digits = a & 1023;
  const double size = exponent == 0 ? digits * 0x1p-24 : __builtin_ldexp(1024 + digits, (int)exponent - 25);
  r = (float)(a >> 15 ? -size : size);
  if (exponent == 31) r = digits ? __builtin_nanf("") : a >> 15 ? -__builtin_inff() : __builtin_inff();
}
// To the nearest number of `digits` binary digits and a least exponent; even ones win ties.
CP_SLOW double cp_rounded(double a, int digits, int least) {
  int exponent;
  __builtin_frexp(a, &exponent);
  const double unit = __builtin_ldexp(1, (exponent - 1 > least ? exponent - 1 : least) - digits + 1);
  return __builtin_rint(a / unit) * unit;
}
CP_SLOW void ptx_cvt_rn_f16_f64(unsigned short &r, double a) {
  const unsigned sign = __builtin_signbit(a) ? 0x8000 : 0;
  const double size = cp_rounded(__builtin_fabs(a), 11, -14);
  unsigned bits = size < 0x1p-14 ? (unsigned)(size * 0x1p24) : 0;
  if (size >= 0x1p-14) {
    int exponent;
    const double part = __builtin_frexp(size, &exponent); // from 1/2 to 1
    bits = (unsigned)(exponent + 13) * 1024 + (unsigned)(part * 2048);
  }
  r = (unsigned short)(a != a ? 0x7fff : sign | (size >= 65536 ? 0x7c00 : bits));
}
CP_FN void ptx_cvt_rn_f16_f32(unsigned short &r, float a) { ptx_cvt_rn_f16_f64(r, a); }
CP_FN unsigned cp_bfloat16(float a) {
  const unsigned u = __float_as_uint(a);
  return a != a ? 0x7fff : (u + 0x7fff + (u >> 16 & 1)) >> 16;
}
CP_FN void ptx_cvt_rn_bf16x2_f32(unsigned &r, float high, float low) {
  r = cp_bfloat16(high) << 16 | cp_bfloat16(low);
}

// ---- arithmetic ----

CP_FN void ptx_rsqrt_approx_ftz_f32(float &r, float a) { r = (float)(1 / __builtin_sqrt((double)a)); }
CP_FN void ptx_rcp_approx_ftz_f32(float &r, float a) { r = 1 / a; }
CP_FN void ptx_max_NaN_f32(float &r, float a, float b) { r = a != a ? a : b != b ? b : a > b ? a : b; }
CP_FN void ptx_min_NaN_f32(float &r, float a, float b) { r = a != a ? a : b != b ? b : a < b ? a : b; }
CP_FN void ptx_not_b32(unsigned &r, unsigned a) { r = ~a; }
CP_FN void ptx_mul_wide_s32(long long &r, int a, int b) { r = (long long)a * b; }
CP_FN void ptx_mul_wide_u32(unsigned &low, unsigned &high, unsigned a, unsigned b) {
  const unsigned long long product = (unsigned long long)a * b;
  low = (unsigned)product;
  high = (unsigned)(product >> 32);
}
// radix.cu: the lanes with the same eight bits
CP_FN void ptx_mov_b32(unsigned &peers, unsigned digit) {
  peers = __match_any_sync(0xffffffffu, digit & 255);
}

// ---- memory ----

struct alignas(8) cp_words2 {
  unsigned w[2];
};
struct alignas(16) cp_words4 {
  unsigned w[4];
};
struct alignas(16) cp_longs2 {
  unsigned long long w[2];
};
CP_FN void ptx_st_global_v4_b32(void *to, unsigned a, unsigned b, unsigned c, unsigned d) {
  *(cp_words4 *)to = {{a, b, c, d}};
}
CP_FN void ptx_st_global_v4_u32(void *to, unsigned a, unsigned b, unsigned c, unsigned d) {
  *(cp_words4 *)to = {{a, b, c, d}};
}
CP_FN void ptx_st_global_v2_u32(void *to, unsigned a, unsigned b) { *(cp_words2 *)to = {{a, b}}; }
CP_FN void ptx_st_relaxed_gpu_global_u64(void *to, unsigned long long a) {
  *(volatile unsigned long long *)to = a;
}
CP_FN void cp_check_pair(const void *p) {
  if ((size_t)p % 16 != 0) __builtin_trap();
}
CP_FN void ptx_st_relaxed_gpu_global_v2_u64(void *to, unsigned long long a, unsigned long long b) {
  cp_check_pair(to);
  *(volatile unsigned long long *)to = a;
  ((volatile unsigned long long *)to)[1] = b;
}
CP_FN void ptx_ld_relaxed_gpu_global_u64(unsigned long long &r, const void *from) {
  r = *(const volatile unsigned long long *)from;
}
CP_FN void ptx_ld_relaxed_gpu_global_v2_u64(unsigned long long &a, unsigned long long &b, const void *from) {
  cp_check_pair(from);
  a = *(const volatile unsigned long long *)from;
  b = ((const volatile unsigned long long *)from)[1];
}
CP_FN void ptx_cp_async_ca_shared_global(unsigned to, const void *from) {
  __builtin_memcpy(cp_shared_address(to), from, 8);
}
CP_FN void ptx_cp_async_cg_shared_global(unsigned to, const void *from, int bytes) {
  if (bytes == 16)
    *(cp_longs2 *)cp_shared_address(to) = *(const cp_longs2 *)from;
  else
    *(cp_longs2 *)cp_shared_address(to) = {{0, 0}};
}
CP_FN void ptx_cp_async_wait_all() {}
CP_FN void ptx_cp_async_commit_group() {}
CP_FN void ptx_cp_async_wait_group(int) {}

// ---- loads ----

template <class T> CP_FN void ptx_ld_global_nc_L1(T &r, const T *at) { r = *at; } // with any hint
CP_FN void ptx_ld_global_nc_b32(unsigned &r, const unsigned *at) { r = *at; }
CP_FN void ptx_ld_global_nc_b64(unsigned long long &r, const unsigned long long *at) { r = *at; }
