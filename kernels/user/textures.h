// Textures and surfaces of raw kernels on the CPU: handles are addresses of cp_texels. Filtering follows
// "Texture Fetching" in the CUDA C++ Programming Guide: fractions have 8 bits, here rounded to nearest.

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };

struct cp_texels { // ORDER as plain_texture in src/device/texture.c
  char *data;
  size_t pitch, plane;
  long long length[3];
  int dimensions, bits, channels, kind;
  int address[3], filter, normalize, normalized, srgb;
  float border[4];
};

enum { CP_SIGNED, CP_UNSIGNED, CP_FLOAT };
enum { CP_WRAP, CP_CLAMP, CP_MIRROR, CP_BORDER };

// ---- elements ----

CP_FN float cp_half_value(unsigned h) {
  const unsigned sign = (h & 0x8000u) << 16, exponent = h >> 10 & 31, fraction = h & 1023;
  if (exponent == 0) return (sign ? -1.0f : 1.0f) * (float)fraction * 5.9604644775390625e-8f; // 2^-24
  return __uint_as_float(sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | fraction << 13);
}

// One channel as an integer (sign-extended) or, of floats, the bits of a float32.
CP_SLOW long long cp_texel_bits(const cp_texels *t, const char *at) {
  unsigned char b1;
  unsigned short b2;
  unsigned b4;
  if (t->bits == 8) {
    __builtin_memcpy(&b1, at, 1);
    return t->kind == CP_SIGNED ? (long long)(signed char)b1 : (long long)b1;
  }
  if (t->bits == 16) {
    __builtin_memcpy(&b2, at, 2);
    if (t->kind == CP_FLOAT) return (long long)__float_as_uint(cp_half_value(b2));
    return t->kind == CP_SIGNED ? (long long)(short)b2 : (long long)b2;
  }
  __builtin_memcpy(&b4, at, 4);
  return t->kind == CP_SIGNED ? (long long)(int)b4 : (long long)b4;
}

CP_FN float cp_linear_light(float v) {
  return v <= 0.04045f ? v / 12.92f : __builtin_powf((v + 0.055f) / 1.055f, 2.4f);
}

CP_SLOW float cp_texel_float(const cp_texels *t, const char *at, int channel) {
  const long long v = cp_texel_bits(t, at);
  if (t->kind == CP_FLOAT) return __uint_as_float((unsigned)v);
  if (!t->normalize) return (float)v;
  const float most = (float)((1ll << (t->bits - (t->kind == CP_SIGNED))) - 1), x = (float)v / most;
  if (t->srgb && channel < 3 && t->bits == 8) return cp_linear_light(x);
  return x < -1 ? -1 : x;
}

// ---- positions ----

// The element's number along an axis, or -1 for the border.
CP_FN long long cp_texel_place(const cp_texels *t, int axis, long long i) {
  const long long n = t->length[axis];
  if (i >= 0 && i < n) return i;
  switch (t->address[axis]) {
  case CP_WRAP: return (i % n + n) % n;
  case CP_MIRROR: i = (i % (2 * n) + 2 * n) % (2 * n); return i < n ? i : 2 * n - 1 - i;
  case CP_BORDER: return -1;
  default: return i < 0 ? 0 : n - 1;
  }
}

// Where a coordinate lies, as 256 times the position in elements, a whole number; nan is 0. Where the
// elements repeat, so do the positions; elsewhere those far outside are all alike.
CP_SLOW long long cp_texel_position(const cp_texels *t, int axis, float x, bool linear) {
  double v = x;
  if (v != v) return 0;
  if (t->normalized) {
    const bool repeats = t->address[axis] == CP_WRAP || t->address[axis] == CP_MIRROR;
    if (repeats) v = v - v == 0 ? v - 2 * __builtin_floor(v / 2) : 0;
    v *= (double)t->length[axis];
  }
  v = (linear ? v - 0.5 : v) * 256;
  v = v < -1e15 ? -1e15 : v > 1e15 ? 1e15 : v;
  return (long long)__builtin_floor(linear ? v + 0.5 : v);
}

CP_SLOW const char *cp_texel_at(const cp_texels *t, const long long *i) {
  long long p[3] = {0, 0, 0};
  for (int k = 0; k < t->dimensions; k++) {
    p[k] = cp_texel_place(t, k, i[k]);
    if (p[k] < 0) return 0;
  }
  return t->data + (size_t)p[2] * t->plane + (size_t)p[1] * t->pitch +
         (size_t)(p[0] * t->channels * (t->bits / 8));
}

// ---- fetching ----

// What a fetch returns: T is a number, or a vector of 1, 2 or 4.
template <typename T, typename = void> struct cp_fetched {
  typedef T number;
  static constexpr int count = 1;
};
template <typename T> struct cp_fetched<T, decltype((void)T().x)> {
  typedef decltype(T().x) number;
  static constexpr int count = (int)(sizeof(T) / sizeof(number));
};
template <typename N> struct cp_is_float { static constexpr bool value = (N)0.5 != (N)0; };

// Channels that the texture does not have are 0.
template <typename N> CP_FN N cp_channel(const cp_texels *t, const char *at, int c) {
  if (c >= t->channels) return (N)0;
  if (at == 0) return cp_is_float<N>::value ? (N)t->border[c] : (N)(long long)t->border[c];
  at += c * (t->bits / 8);
  if (cp_is_float<N>::value || t->kind == CP_FLOAT) return (N)cp_texel_float(t, at, c);
  return (N)cp_texel_bits(t, at);
}

template <typename T> CP_FN T cp_pack(const typename cp_fetched<T>::number *channels) {
  T r;
  __builtin_memcpy((void *)&r, channels, sizeof r);
  return r;
}

template <typename T> CP_SLOW T cp_fetch(cudaTextureObject_t texture, float x, float y, float z) {
  typedef typename cp_fetched<T>::number N;
  const cp_texels *t = (const cp_texels *)(size_t)texture;
  const float coordinates[3] = {x, y, z};
  N out[4] = {0, 0, 0, 0};
  long long base[3] = {0, 0, 0}, i[3] = {0, 0, 0};
  float part[3] = {0, 0, 0};
  const bool linear = t->filter != 0;
  for (int k = 0; k < t->dimensions; k++) {
    const long long p = cp_texel_position(t, k, coordinates[k], linear);
    base[k] = p >> 8;
    part[k] = (float)(p & 255) / 256;
  }
  if (!linear) {
    const char *at = cp_texel_at(t, base);
    for (int c = 0; c < cp_fetched<T>::count; c++) out[c] = cp_channel<N>(t, at, c);
    return cp_pack<T>(out);
  }
  float sums[4] = {0, 0, 0, 0};
  for (int corner = 0; corner < 1 << t->dimensions; corner++) {
    float weight = 1;
    for (int k = 0; k < t->dimensions; k++) {
      const int next = corner >> k & 1;
      i[k] = base[k] + next;
      weight *= next ? part[k] : 1 - part[k];
    }
    if (weight == 0) continue; // so that nan and infinities do not spread
    const char *at = cp_texel_at(t, i);
    for (int c = 0; c < cp_fetched<T>::count; c++) sums[c] += weight * cp_channel<float>(t, at, c);
  }
  for (int c = 0; c < cp_fetched<T>::count; c++) out[c] = (N)sums[c];
  return cp_pack<T>(out);
}

template <typename T> CP_FN T tex1D(cudaTextureObject_t t, float x) { return cp_fetch<T>(t, x, 0, 0); }
template <typename T> CP_FN T tex2D(cudaTextureObject_t t, float x, float y) {
  return cp_fetch<T>(t, x, y, 0);
}
template <typename T> CP_FN T tex3D(cudaTextureObject_t t, float x, float y, float z) {
  return cp_fetch<T>(t, x, y, z);
}
template <typename T> CP_FN void tex1D(T *r, cudaTextureObject_t t, float x) { *r = cp_fetch<T>(t, x, 0, 0); }
template <typename T> CP_FN void tex2D(T *r, cudaTextureObject_t t, float x, float y) {
  *r = cp_fetch<T>(t, x, y, 0);
}
template <typename T> CP_FN void tex3D(T *r, cudaTextureObject_t t, float x, float y, float z) {
  *r = cp_fetch<T>(t, x, y, z);
}
// There are no mipmaps, so the level is not read.
template <typename T> CP_FN T tex1DLod(cudaTextureObject_t t, float x, float) {
  return cp_fetch<T>(t, x, 0, 0);
}
template <typename T> CP_FN T tex2DLod(cudaTextureObject_t t, float x, float y, float) {
  return cp_fetch<T>(t, x, y, 0);
}
template <typename T> CP_FN T tex3DLod(cudaTextureObject_t t, float x, float y, float z, float) {
  return cp_fetch<T>(t, x, y, z);
}

// Elements of linear memory by their numbers; 0 outside of it.
template <typename T> CP_FN T tex1Dfetch(cudaTextureObject_t texture, int i) {
  typedef typename cp_fetched<T>::number N;
  const cp_texels *t = (const cp_texels *)(size_t)texture;
  N out[4] = {0, 0, 0, 0};
  if (i < 0 || i >= t->length[0]) return cp_pack<T>(out);
  const char *at = t->data + (size_t)((long long)i * t->channels * (t->bits / 8));
  for (int c = 0; c < cp_fetched<T>::count; c++) out[c] = cp_channel<N>(t, at, c);
  return cp_pack<T>(out);
}
template <typename T> CP_FN void tex1Dfetch(T *r, cudaTextureObject_t t, int i) { *r = tex1Dfetch<T>(t, i); }

// ---- surfaces ----

// The address of `size` bytes at byte x of a row, or null where they are outside.
CP_SLOW char *cp_surface_at(cudaSurfaceObject_t surface, int size, const int *at,
                            cudaSurfaceBoundaryMode mode) {
  const cp_texels *s = (const cp_texels *)(size_t)surface;
  long long p[3] = {0, 0, 0};
  for (int k = 0; k < s->dimensions; k++) {
    const long long most = k > 0 ? s->length[k] - 1 : s->length[0] * s->channels * (s->bits / 8) - size;
    const bool aligned = k > 0 || at[0] % size == 0;
    p[k] = at[k];
    if (p[k] >= 0 && p[k] <= most && aligned) continue;
    if (mode == cudaBoundaryModeTrap || !aligned)
      cp_problem = "a surface is accessed outside of its elements";
    if (mode != cudaBoundaryModeClamp || !aligned || most < 0) return 0;
    p[k] = p[k] < 0 ? 0 : most;
  }
  return s->data + (size_t)p[2] * s->plane + (size_t)p[1] * s->pitch + (size_t)p[0];
}

template <typename T>
CP_FN T cp_surface_read(cudaSurfaceObject_t s, int x, int y, int z, cudaSurfaceBoundaryMode m) {
  const int at[3] = {x, y, z};
  const char *from = cp_surface_at(s, (int)sizeof(T), at, m);
  T r = T();
  if (from != 0) __builtin_memcpy((void *)&r, from, sizeof r);
  return r;
}
template <typename T>
CP_FN void cp_surface_write(T v, cudaSurfaceObject_t s, int x, int y, int z, cudaSurfaceBoundaryMode m) {
  const int at[3] = {x, y, z};
  char *to = cp_surface_at(s, (int)sizeof(T), at, m);
  if (to != 0) __builtin_memcpy(to, (const void *)&v, sizeof v);
}

#define CP_SURFACE(N, PARAMETERS, PLACE)                                                                     \
  template <typename T>                                                                                      \
  CP_FN T surf##N##read(cudaSurfaceObject_t s, PARAMETERS,                                                   \
                        cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) {                                  \
    return cp_surface_read<T>(s, PLACE, m);                                                                  \
  }                                                                                                          \
  template <typename T>                                                                                      \
  CP_FN void surf##N##read(T *r, cudaSurfaceObject_t s, PARAMETERS,                                          \
                           cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) {                               \
    *r = cp_surface_read<T>(s, PLACE, m);                                                                    \
  }                                                                                                          \
  template <typename T>                                                                                      \
  CP_FN void surf##N##write(T v, cudaSurfaceObject_t s, PARAMETERS,                                          \
                            cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) {                              \
    cp_surface_write<T>(v, s, PLACE, m);                                                                     \
  }
#define CP_LIST(...) __VA_ARGS__
CP_SURFACE(1D, int x, CP_LIST(x, 0, 0))
CP_SURFACE(2D, CP_LIST(int x, int y), CP_LIST(x, y, 0))
CP_SURFACE(3D, CP_LIST(int x, int y, int z), CP_LIST(x, y, z))
#undef CP_SURFACE
#undef CP_LIST
