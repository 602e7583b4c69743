// CUDA's vector types (float4, int2, dim3, ...) and make_ functions, for the system's C++ compiler.

#define CP_VECTOR1(T, NAME)                                                                                  \
  struct NAME##1 {                                                                                           \
    T x;                                                                                                     \
  };                                                                                                         \
  CP_FN NAME##1 make_##NAME##1(T x) { return NAME##1 {x}; }
#define CP_VECTOR2(T, NAME, ALIGN)                                                                           \
  struct alignas(ALIGN) NAME##2 {                                                                            \
    T x, y;                                                                                                  \
  };                                                                                                         \
  CP_FN NAME##2 make_##NAME##2(T x, T y) { return NAME##2 {x, y}; }
#define CP_VECTOR3(T, NAME)                                                                                  \
  struct NAME##3 {                                                                                           \
    T x, y, z;                                                                                               \
  };                                                                                                         \
  CP_FN NAME##3 make_##NAME##3(T x, T y, T z) { return NAME##3 {x, y, z}; }
#define CP_VECTOR4(T, NAME, ALIGN)                                                                           \
  struct alignas(ALIGN) NAME##4 {                                                                            \
    T x, y, z, w;                                                                                            \
  };                                                                                                         \
  CP_FN NAME##4 make_##NAME##4(T x, T y, T z, T w) { return NAME##4 {x, y, z, w}; }
#define CP_VECTORS(T, NAME, ALIGN2, ALIGN4)                                                                  \
  CP_VECTOR1(T, NAME) CP_VECTOR2(T, NAME, ALIGN2) CP_VECTOR3(T, NAME) CP_VECTOR4(T, NAME, ALIGN4)

CP_VECTORS(signed char, char, 2, 4)
CP_VECTORS(unsigned char, uchar, 2, 4)
CP_VECTORS(short, short, 4, 8)
CP_VECTORS(unsigned short, ushort, 4, 8)
CP_VECTORS(int, int, 8, 16)
CP_VECTORS(unsigned, uint, 8, 16)
CP_VECTORS(long, long, 16, 16)
CP_VECTORS(unsigned long, ulong, 16, 16)
CP_VECTORS(long long, longlong, 16, 16)
CP_VECTORS(unsigned long long, ulonglong, 16, 16)
CP_VECTORS(float, float, 8, 16)
CP_VECTORS(double, double, 16, 16)

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  operator uint3() const { return uint3{x, y, z}; }
};
