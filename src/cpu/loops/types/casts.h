// clang-format off
// Included twice by loops.c and by nothing else: CAST(dtype, name, register type, value of `a` in it) for
// every dtype.

#if defined(CP_KIND_COMPLEX)
#define REAL_OF(a) (a).re
#define NONZERO(a) c_nonzero(a)
#else
#define REAL_OF(a) (a)
#define NONZERO(a) ((a) != 0)
#endif

#if defined(CP_KIND_REAL) || defined(CP_KIND_COMPLEX)
#define TO(name, to) cast_##name(REAL_OF(a))
#else
#define TO(name, to) (to)(a)
#endif

// To a half type in one rounding; integers are converted to float32 first.
#if defined(CP_LOOP_TYPE_float64) || defined(CP_LOOP_TYPE_complex128)
#define TO_F16  h_f16_to_f32(h_f64_to_f16(REAL_OF(a)))
#define TO_BF16 h_bf16_to_f32(h_f64_to_bf16(REAL_OF(a)))
#else
#define TO_F16  h_round_f16((float)REAL_OF(a))
#define TO_BF16 h_round_bf16((float)REAL_OF(a))
#endif

#if defined(CP_KIND_COMPLEX)
#define TO_COMPLEX(real) {(real)a.re, (real)a.im}
#else
#define TO_COMPLEX(real) {(real)a, 0}
#endif

CAST(BOOL, bool, unsigned char, (unsigned char)NONZERO(a))
CAST(INT8, int8, signed char, TO(int8, signed char))
CAST(INT16, int16, short, TO(int16, short))
CAST(INT32, int32, int, TO(int32, int))
CAST(INT64, int64, long long, TO(int64, long long))
CAST(UINT8, uint8, unsigned char, TO(uint8, unsigned char))
CAST(UINT16, uint16, unsigned short, TO(uint16, unsigned short))
CAST(UINT32, uint32, unsigned int, TO(uint32, unsigned int))
CAST(UINT64, uint64, unsigned long long, TO(uint64, unsigned long long))
CAST(FLOAT16, float16, float, TO_F16)
CAST(BFLOAT16, bfloat16, float, TO_BF16)
CAST(FLOAT32, float32, float, (float)REAL_OF(a))
CAST(FLOAT64, float64, double, (double)REAL_OF(a))
CAST(COMPLEX64, complex64, cp_complex64, ((cp_complex64)TO_COMPLEX(float)))
CAST(COMPLEX128, complex128, cp_complex128, ((cp_complex128)TO_COMPLEX(double)))

#undef REAL_OF
#undef NONZERO
#undef TO
#undef TO_F16
#undef TO_BF16
#undef TO_COMPLEX
