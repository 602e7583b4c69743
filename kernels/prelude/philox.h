/* Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
   easy as 1, 2, 3", SC 2011). A draw is a pure function of (position, seed, call): the counter is (block,
   call), the key is the seed. Element `position` of a 32-bit draw is word position mod 4 of block position
   div 4. Of a 64-bit draw it is words 2 (position mod 2), the low half, and the next one, of block position
   div 2. When neighbours are computed together, the compiler sees that they share blocks.

   Written in the common subset of C11 and CUDA C++, without headers. */
#ifndef CP_PRELUDE_PHILOX_H
#define CP_PRELUDE_PHILOX_H

typedef struct {
  unsigned w[4];
} cp_philox_block;

/* The high half of a product; the low half in *low. A GPU has one instruction for both, which takes half the
   time of two, and which its compiler does not always find. With inline assembly, however, it no longer
   shares blocks among neighbours whose draws are on different branches. */
CP_FN unsigned r_product(unsigned a, unsigned b, unsigned *low) {
#if defined(CP_DEVICE) && defined(CP_STRAIGHT)
  unsigned high;
  asm("{ .reg .u64 p; mul.wide.u32 p, %2, %3; mov.b64 {%0, %1}, p; }"
      : "=r"(*low), "=r"(high)
      : "r"(a), "r"(b));
  return high;
#elif defined(CP_DEVICE)
  *low = a * b;
  return __umulhi(a, b);
#else
  *low = a * b;
  return (unsigned)(((unsigned long long)a * b) >> 32);
#endif
}

CP_FN cp_philox_block r_philox(unsigned long long block, unsigned long long call, unsigned long long seed) {
  unsigned c0 = (unsigned)block, c1 = (unsigned)(block >> 32), c2 = (unsigned)call,
           c3 = (unsigned)(call >> 32);
  unsigned k0 = (unsigned)seed, k1 = (unsigned)(seed >> 32);
  cp_philox_block out;
  int round;
#ifdef CP_DEVICE
#pragma unroll
#endif
  for (round = 0; round < 10; round++) {
    unsigned low0, low2, high0 = r_product(c0, 0xD2511F53u, &low0), high2 = r_product(c2, 0xCD9E8D57u, &low2);
    c0 = high2 ^ c1 ^ k0;
    c1 = low2;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  out.w[0] = c0;
  out.w[1] = c1;
  out.w[2] = c2;
  out.w[3] = c3;
  return out;
}

/* Word i of 4, without an array in memory. */
CP_FN unsigned r_word(cp_philox_block b, unsigned i) {
  unsigned low = (i & 1u) != 0u ? b.w[1] : b.w[0], high = (i & 1u) != 0u ? b.w[3] : b.w[2];
  return (i & 2u) != 0u ? high : low;
}

CP_FN unsigned r_bits32(long long position, long long seed, long long call) {
  unsigned long long i = (unsigned long long)position;
  return r_word(r_philox(i >> 2, (unsigned long long)call, (unsigned long long)seed), (unsigned)i & 3u);
}

CP_FN unsigned long long r_bits64(long long position, long long seed, long long call) {
  unsigned long long i = (unsigned long long)position;
  cp_philox_block b = r_philox(i >> 1, (unsigned long long)call, (unsigned long long)seed);
  unsigned low = (i & 1u) != 0u ? b.w[2] : b.w[0], high = (i & 1u) != 0u ? b.w[3] : b.w[1];
  return (unsigned long long)high << 32 | low;
}

/* The high half of a product of two 64-bit numbers. */
CP_FN unsigned long long r_multiply_high(unsigned long long a, unsigned long long b) {
#ifdef CP_DEVICE
  return __umul64hi(a, b);
#else
  unsigned long long al = (unsigned)a, ah = a >> 32, bl = (unsigned)b, bh = b >> 32;
  unsigned long long low = al * bl, one = ah * bl + (low >> 32), two = al * bh + (unsigned)one;
  return ah * bh + (one >> 32) + (two >> 32);
#endif
}

/* The block of one trial of a rejection method; each of 2^40 elements has a stream of its own. */
CP_FN cp_philox_block r_trial(long long position, unsigned trial, long long seed, long long call) {
  return r_philox((unsigned long long)position + ((unsigned long long)trial << 40), (unsigned long long)call,
                  (unsigned long long)seed);
}

CP_FN unsigned long long r_join(unsigned low, unsigned high) { return (unsigned long long)high << 32 | low; }

#endif
