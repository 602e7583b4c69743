// Included by loops.c alone: quotients and remainders of integers of 32 and 64 bits for blocks whose divisors
// are all the same positive number, as in x // 7. They are found by multiplication with a reciprocal, as
// compilers divide by constants (Granlund and Montgomery 1994, "Division by invariant integers using
// multiplication").
#if defined(CP_KIND_INTEGER) && CP_WIDTH >= 32

#define VECTOR_YES_floor_divide ~, 1
#define VECTOR_YES_remainder    ~, 1

#if CP_WIDTH == 64
typedef unsigned __int128 twice_as_wide;
#else
typedef unsigned long long twice_as_wide;
#endif

// A quotient by d is floor(x * factor / 2^WIDTH) / 2^shift. Signed types take 2 x instead of x, as x has one
// bit less. The factor of unsigned types has one bit more than fits, so their first step has another form.
typedef struct reciprocal {
  W factor;
  int shift; // 2^shift >= d
} reciprocal;

CP_FN reciprocal reciprocal_of(W d) {
  reciprocal r = {0, 0};
  while (r.shift < CP_WIDTH && ((twice_as_wide)1 << r.shift) < d) r.shift++;
#if CP_SIGNED
  r.factor = (W)((((twice_as_wide)1 << (CP_WIDTH - 1 + r.shift)) + d - 1) / d);
#else
  r.factor = (W)(((((twice_as_wide)1 << r.shift) - d) << CP_WIDTH) / d + 1);
#endif
  return r;
}

CP_FN W high_half(W a, W b) { return (W)(((twice_as_wide)a * b) >> CP_WIDTH); }

CP_FN T quotient_by(T a, reciprocal r) {
#if CP_SIGNED
  // Of negative a = -1 - x the quotient is -1 - x / d, rounded downwards.
  const W sign = (W)(a >> (CP_WIDTH - 1)), x = (W)a ^ sign;
  return (T)((high_half(x << 1, r.factor) >> r.shift) ^ sign);
#else
  const W t = high_half(a, r.factor);
  return (t + ((a - t) >> (r.shift > 0))) >> (r.shift > 0 ? r.shift - 1 : 0);
#endif
}

// Whether it is worth it: all divisors are one number above 0.
CP_FN int is_divided_by_one(const T *b, size_t n) {
  enum { WORTH = 8 };
  return n >= WORTH && b[0] > 0 && memcmp(b, b + 1, (n - 1) * sizeof *b) == 0;
}

static void vector_loop_floor_divide(void *out, const void *const *in, size_t n) {
  const T *a = in[0], *b = in[1];
  T *to = out;
  if (!is_divided_by_one(b, n)) {
    loop_floor_divide(out, in, n);
    return;
  }
  const reciprocal r = reciprocal_of((W)b[0]);
  INDEPENDENT for (size_t i = 0; i < n; i++) to[i] = quotient_by(a[i], r);
}

static void vector_loop_remainder(void *out, const void *const *in, size_t n) {
  const T *a = in[0], *b = in[1];
  T *to = out;
  if (!is_divided_by_one(b, n)) {
    loop_remainder(out, in, n);
    return;
  }
  const T d = b[0];
  const reciprocal r = reciprocal_of((W)d);
  INDEPENDENT for (size_t i = 0; i < n; i++) {
    const T x = a[i];
    to[i] = i_rest(x, d, quotient_by(x, r));
  }
}
#endif
