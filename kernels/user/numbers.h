// Names that user kernels may use without a header, and the type traits that the classes in this folder need.

typedef signed char cp_signed8;
typedef long long cp_signed64;

// Defined only for numbers: `yes`, and `real`, the real type of the common type with a complex number (float:
// the complex number's own; double: double).
template <typename S> struct cp_number {};
#define CP_NUMBER(S, R)                                                                                      \
  template <> struct cp_number<S> {                                                                          \
    typedef void yes;                                                                                        \
    typedef R real;                                                                                          \
  };
CP_NUMBER(bool, float)
CP_NUMBER(char, float)
CP_NUMBER(signed char, float)
CP_NUMBER(unsigned char, float)
CP_NUMBER(short, float)
CP_NUMBER(unsigned short, float)
CP_NUMBER(int, float)
CP_NUMBER(unsigned, float)
CP_NUMBER(long, float)
CP_NUMBER(unsigned long, float)
CP_NUMBER(long long, float)
CP_NUMBER(unsigned long long, float)
CP_NUMBER(float, float)
CP_NUMBER(double, double)

// The type of `_ind`, `_in_ind` and `_out_ind`: the number of elements and, if a kernel asks for it, the
// index in each dimension.
class cp_indexer {
  long long size_;
  cp_signed64 at_[CP_POSITIONS];

public:
  CP_METHOD explicit cp_indexer(long long size) : size_(size) {}
  CP_METHOD long long size() const { return size_; }
  // Splits linear index i by the lengths of the dimensions.
  CP_METHOD void set(long long i, const cp_signed64 *shape, int ndim) {
    for (int d = ndim - 1; d > 0; d--) {
      at_[d] = i % shape[d];
      i /= shape[d];
    }
    if (ndim > 0) at_[0] = i;
  }
  CP_METHOD const cp_signed64 *get() const { return at_; }
};

#ifndef INFINITY
#define INFINITY (__uint_as_float(0x7f800000u))
#endif
#ifndef NAN
#define NAN (__uint_as_float(0x7fc00000u))
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#define M_E  2.71828182845904523536
#endif
