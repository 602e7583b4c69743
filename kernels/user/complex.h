// complex<T> of user kernels, T float or double: operators and simple functions. complex_math.h has the
// transcendental ones. Mixed operands are promoted to the wider type; integers take the type of the complex
// operand.

template <typename A, typename B> struct cp_wider {
  typedef double type;
};
template <> struct cp_wider<float, float> {
  typedef float type;
};

template <typename T> struct complex {
  typedef T value_type;
  T re, im;

  CP_METHOD complex(T real = T(), T imag = T()) : re(real), im(imag) {}
  template <typename U> CP_METHOD complex(const complex<U> &z) : re((T)z.re), im((T)z.im) {}
  CP_METHOD T real() const { return re; }
  CP_METHOD T imag() const { return im; }
  CP_METHOD void real(T v) { re = v; }
  CP_METHOD void imag(T v) { im = v; }
  template <typename U> CP_METHOD complex &operator+=(const U &u) { return *this = complex(*this + u); }
  template <typename U> CP_METHOD complex &operator-=(const U &u) { return *this = complex(*this - u); }
  template <typename U> CP_METHOD complex &operator*=(const U &u) { return *this = complex(*this * u); }
  template <typename U> CP_METHOD complex &operator/=(const U &u) { return *this = complex(*this / u); }
};

template <typename T> CP_FN complex<T> cp_quotient(complex<T> a, complex<T> b) { // Smith (1962)
  const T x = b.re < 0 ? -b.re : b.re, y = b.im < 0 ? -b.im : b.im;
  if (x >= y) {
    if (x == 0 && y == 0) return complex<T>(a.re / x, a.im / x);
    const T ratio = b.im / b.re, d = b.re + b.im * ratio;
    return complex<T>((a.re + a.im * ratio) / d, (a.im - a.re * ratio) / d);
  }
  const T ratio = b.re / b.im, d = b.im + b.re * ratio;
  return complex<T>((a.re * ratio + a.im) / d, (a.im * ratio - a.re) / d);
}

#define CP_WIDER(A, B) typename cp_wider<A, B>::type
// The common type of complex<A> and a number of type S. Removes the overload if S is not a number type.
#define CP_MEET(A, S) typename cp_wider<A, typename cp_number<S>::real>::type

template <typename A, typename B>
CP_FN complex<CP_WIDER(A, B)> operator+(const complex<A> &a, const complex<B> &b) {
  return complex<CP_WIDER(A, B)>(a.re + b.re, a.im + b.im);
}
template <typename A, typename B>
CP_FN complex<CP_WIDER(A, B)> operator-(const complex<A> &a, const complex<B> &b) {
  return complex<CP_WIDER(A, B)>(a.re - b.re, a.im - b.im);
}
template <typename A, typename B>
CP_FN complex<CP_WIDER(A, B)> operator*(const complex<A> &x, const complex<B> &y) {
  typedef CP_WIDER(A, B) R;
  const complex<R> a(x), b(y);
  return complex<R>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
template <typename A, typename B>
CP_FN complex<CP_WIDER(A, B)> operator/(const complex<A> &a, const complex<B> &b) {
  typedef CP_WIDER(A, B) R;
  return cp_quotient(complex<R>(a), complex<R>(b));
}

template <typename A, typename S> CP_FN complex<CP_MEET(A, S)> operator+(const complex<A> &a, const S &s) {
  typedef CP_MEET(A, S) R;
  return complex<R>((R)a.re + (R)s, a.im);
}
template <typename A, typename S> CP_FN complex<CP_MEET(A, S)> operator-(const complex<A> &a, const S &s) {
  typedef CP_MEET(A, S) R;
  return complex<R>((R)a.re - (R)s, a.im);
}
template <typename A, typename S> CP_FN complex<CP_MEET(A, S)> operator*(const complex<A> &a, const S &s) {
  typedef CP_MEET(A, S) R;
  return complex<R>((R)a.re * (R)s, (R)a.im * (R)s);
}
template <typename A, typename S> CP_FN complex<CP_MEET(A, S)> operator/(const complex<A> &a, const S &s) {
  typedef CP_MEET(A, S) R;
  return complex<R>((R)a.re / (R)s, (R)a.im / (R)s);
}
template <typename A, typename S> CP_FN complex<CP_MEET(A, S)> operator+(const S &s, const complex<A> &a) {
  return a + s;
}
template <typename A, typename S> CP_FN complex<CP_MEET(A, S)> operator-(const S &s, const complex<A> &a) {
  typedef CP_MEET(A, S) R;
  return complex<R>((R)s - (R)a.re, -(R)a.im);
}
template <typename A, typename S> CP_FN complex<CP_MEET(A, S)> operator*(const S &s, const complex<A> &a) {
  return a * s;
}
template <typename A, typename S> CP_FN complex<CP_MEET(A, S)> operator/(const S &s, const complex<A> &a) {
  typedef CP_MEET(A, S) R;
  return cp_quotient(complex<R>((R)s), complex<R>(a));
}

template <typename T> CP_FN complex<T> operator+(const complex<T> &a) { return a; }
template <typename T> CP_FN complex<T> operator-(const complex<T> &a) { return complex<T>(-a.re, -a.im); }
template <typename A, typename B> CP_FN bool operator==(const complex<A> &a, const complex<B> &b) {
  return a.re == b.re && a.im == b.im;
}
template <typename A, typename B> CP_FN bool operator!=(const complex<A> &a, const complex<B> &b) {
  return !(a == b);
}
template <typename A, typename S, typename = typename cp_number<S>::yes>
CP_FN bool operator==(const complex<A> &a, const S &s) {
  return a.re == s && a.im == 0;
}
template <typename A, typename S, typename = typename cp_number<S>::yes>
CP_FN bool operator==(const S &s, const complex<A> &a) {
  return a == s;
}
template <typename A, typename S, typename = typename cp_number<S>::yes>
CP_FN bool operator!=(const complex<A> &a, const S &s) {
  return !(a == s);
}
template <typename A, typename S, typename = typename cp_number<S>::yes>
CP_FN bool operator!=(const S &s, const complex<A> &a) {
  return !(a == s);
}

template <typename T> CP_FN T real(const complex<T> &z) { return z.re; }
template <typename T> CP_FN T imag(const complex<T> &z) { return z.im; }
template <typename T> CP_FN complex<T> conj(const complex<T> &z) { return complex<T>(z.re, -z.im); }
template <typename T> CP_FN T norm(const complex<T> &z) { return z.re * z.re + z.im * z.im; }
CP_FN float abs(const complex<float> &z) { return hypotf(z.re, z.im); }
CP_FN double abs(const complex<double> &z) { return hypot(z.re, z.im); }
CP_FN float arg(const complex<float> &z) { return atan2f(z.im, z.re); }
CP_FN double arg(const complex<double> &z) { return atan2(z.im, z.re); }
CP_FN complex<float> polar(float r, float t = 0) { return complex<float>(r * cosf(t), r * sinf(t)); }
CP_FN complex<double> polar(double r, double t = 0) { return complex<double>(r * cos(t), r * sin(t)); }
template <typename T> CP_FN bool isnan(const complex<T> &z) { return z.re != z.re || z.im != z.im; }
template <typename T> CP_FN bool isfinite(const complex<T> &z) {
  return z.re - z.re == 0 && z.im - z.im == 0;
}
template <typename T> CP_FN bool isinf(const complex<T> &z) {
  return (z.re == z.re && z.re - z.re != 0) || (z.im == z.im && z.im - z.im != 0);
}
