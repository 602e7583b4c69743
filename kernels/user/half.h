// float16 and bfloat16 of user kernels: two bytes in memory, converted to float and (rounded to nearest even)
// from float, so arithmetic is done in float. Needs the conversions of prelude/half.h.

#define CP_HALF_CLASS(NAME, TO, FROM)                                                                        \
  class NAME {                                                                                               \
    unsigned short bits_;                                                                                    \
                                                                                                             \
  public:                                                                                                    \
    NAME() = default;                                                                                        \
    CP_METHOD NAME(float v) : bits_(TO(v)) {}                                                                \
    CP_METHOD NAME(bool v) : bits_(TO((float)v)) {}                                                          \
    CP_METHOD NAME(double v) : bits_(TO((float)v)) {}                                                        \
    CP_METHOD NAME(int v) : bits_(TO((float)v)) {}                                                           \
    CP_METHOD NAME(unsigned v) : bits_(TO((float)v)) {}                                                      \
    CP_METHOD NAME(long v) : bits_(TO((float)v)) {}                                                          \
    CP_METHOD NAME(unsigned long v) : bits_(TO((float)v)) {}                                                 \
    CP_METHOD NAME(long long v) : bits_(TO((float)v)) {}                                                     \
    CP_METHOD NAME(unsigned long long v) : bits_(TO((float)v)) {}                                            \
    CP_METHOD operator float() const { return FROM(bits_); }                                                 \
    template <typename U> CP_METHOD NAME &operator+=(U v) { return *this = NAME(float(*this) + float(v)); }  \
    template <typename U> CP_METHOD NAME &operator-=(U v) { return *this = NAME(float(*this) - float(v)); }  \
    template <typename U> CP_METHOD NAME &operator*=(U v) { return *this = NAME(float(*this) * float(v)); }  \
    template <typename U> CP_METHOD NAME &operator/=(U v) { return *this = NAME(float(*this) / float(v)); }  \
  };                                                                                                         \
  template <> struct cp_number<NAME> {                                                                       \
    typedef void yes;                                                                                        \
    typedef float real;                                                                                      \
  };

CP_HALF_CLASS(float16, h_f32_to_f16, h_f16_to_f32)
CP_HALF_CLASS(bfloat16, h_f32_to_bf16, h_bf16_to_f32)
