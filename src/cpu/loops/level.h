// What the files share that are compiled once per instruction level.
#ifndef CP_CPU_LOOPS_LEVEL_H
#define CP_CPU_LOOPS_LEVEL_H

#define CAT_(a, b) a##b
#define CAT(a, b)  CAT_(a, b)
#define INLINE     static inline __attribute__((always_inline))

// Bytes of a vector register.
#if defined(__AVX512F__)
enum { VECTOR = 64 };
#elif defined(__AVX__)
enum { VECTOR = 32 };
#else
enum { VECTOR = 16 };
#endif

#endif
