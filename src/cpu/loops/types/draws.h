// Included by loops.c alone: the loops of random_uniform, random_normal and random_integer. Where positions
// are consecutive, as in every draw that is not a view of one, all elements of a Philox block are made
// together, several blocks at once.

#if defined(CP_KIND_REAL) || (defined(CP_KIND_INTEGER) && CP_WIDTH == 64)

enum { DRAWN = 64, PER_BLOCK = 16 / sizeof(T) }; // blocks made at once; elements per block

// Vectors of 64-bit lanes whose low halves are words of blocks. Lanes 2 k and 2 k + 1 hold blocks k and k +
// half the number of lanes, so that unpacking two vectors stores blocks in order.
#if defined(__AVX512F__)
#define WORDS            __m512i
#define WORD_LANES       8
#define WORD_ORDER       0, 4, 1, 5, 2, 6, 3, 7
#define WORD_OP(name)    CAT(_mm512_, name)
#define WORD_LOGIC(name) CAT(CAT(_mm512_, name), _si512)
#elif defined(__AVX2__)
#define WORDS            __m256i
#define WORD_LANES       4
#define WORD_ORDER       0, 2, 1, 3
#define WORD_OP(name)    CAT(_mm256_, name)
#define WORD_LOGIC(name) CAT(CAT(_mm256_, name), _si256)
#elif defined(__SSE2__)
#define WORDS            __m128i
#define WORD_LANES       2
#define WORD_ORDER       0, 1
#define WORD_OP(name)    CAT(_mm_, name)
#define WORD_LOGIC(name) CAT(CAT(_mm_, name), _si128)
#endif

#if defined(WORDS)
CP_FN WORDS words_of(unsigned long long v) {
  unsigned long long lanes[WORD_LANES];
  for (int k = 0; k < WORD_LANES; k++) lanes[k] = v;
  return WORD_LOGIC(loadu)((const void *)lanes);
}
CP_FN WORDS three_way(WORDS a, WORDS b, WORDS c) { return WORD_LOGIC(xor)(WORD_LOGIC(xor)(a, b), c); }

// Writes the words of at least `count` blocks, a whole number of vectors.
static void draw_blocks(unsigned *words, unsigned long long block, size_t count, unsigned long long call,
                        unsigned long long seed) {
  static const unsigned long long order[] = {WORD_ORDER};
  const WORDS low = words_of(0xffffffffu), zero = words_of(0xD2511F53u), two = words_of(0xCD9E8D57u);
  const WORDS call0 = words_of(call), call1 = words_of(call >> 32);
  WORDS key0[10], key1[10];
  unsigned k0 = (unsigned)seed, k1 = (unsigned)(seed >> 32);
  for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    key0[round] = words_of(k0);
    key1[round] = words_of(k1);
  }
  for (size_t k = 0; k < count; k += WORD_LANES) {
    WORDS c0 = WORD_OP(add_epi64)(words_of(block + k), WORD_LOGIC(loadu)((const void *)order));
    // the upper half of each lane may be anything
    WORDS c1 = WORD_OP(srli_epi64)(c0, 32), c2 = call0, c3 = call1;
    _Pragma("GCC unroll 10") for (int round = 0; round < 10; round++) {
      WORDS p0 = WORD_OP(mul_epu32)(c0, zero), p2 = WORD_OP(mul_epu32)(c2, two);
      c0 = three_way(WORD_OP(srli_epi64)(p2, 32), c1, key0[round]);
      c1 = p2;
      c2 = three_way(WORD_OP(srli_epi64)(p0, 32), c3, key1[round]);
      c3 = p0;
    }
    c0 = WORD_LOGIC(or)(WORD_LOGIC(and)(c0, low), WORD_OP(slli_epi64)(c1, 32));
    c2 = WORD_LOGIC(or)(WORD_LOGIC(and)(c2, low), WORD_OP(slli_epi64)(c3, 32));
    WORD_LOGIC(storeu)((void *)(words + 4 * k), WORD_OP(unpacklo_epi64)(c0, c2));
    WORD_LOGIC(storeu)((void *)(words + 4 * k + 2 * WORD_LANES), WORD_OP(unpackhi_epi64)(c0, c2));
  }
}
#else
static void draw_blocks(unsigned *words, unsigned long long block, size_t count, unsigned long long call,
                        unsigned long long seed) {
  for (size_t k = 0; k < count; k++) {
    cp_philox_block b = r_philox(block + k, call, seed);
    memcpy(words + 4 * k, b.w, sizeof b.w);
  }
}
#endif

#if defined(CP_KIND_INTEGER)
#elif defined(CP_LOOP_TYPE_float32)
CP_FN void draw_uniform(float *z, const unsigned *words, size_t blocks) {
  INDEPENDENT for (size_t k = 0; k < 4 * blocks; k++) z[k] = m_uniform_of(words[k]);
}
CP_FN void draw_normal(float *z, const unsigned *words, size_t blocks) {
  INDEPENDENT for (size_t k = 0; k < 2 * blocks; k++) {
    cp_philox_block b = {{words[2 * k], words[2 * k + 1], 0, 0}};
    z[2 * k] = m_normal_of(b, 0);
    z[2 * k + 1] = m_normal_of(b, 1);
  }
}
#else
CP_FN void draw_uniform(double *z, const unsigned *words, size_t blocks) {
  INDEPENDENT for (size_t k = 0; k < 2 * blocks; k++) z[k] =
      m_uniform_of(r_join(words[2 * k], words[2 * k + 1]));
}
CP_FN void draw_normal(double *z, const unsigned *words, size_t blocks) {
  INDEPENDENT for (size_t k = 0; k < blocks; k++) {
    cp_philox_block b = {{words[4 * k], words[4 * k + 1], words[4 * k + 2], words[4 * k + 3]}};
    z[2 * k] = m_normal_of(b, 0);
    z[2 * k + 1] = m_normal_of(b, 1);
  }
}
#endif

// True if the positions are consecutive, in the same call with the same seed.
static int are_neighbours(const long long *at, const long long *seed, const long long *call, size_t n) {
  long long other = 0;
  for (size_t k = 0; k < n; k++)
    other |= (at[k] - at[0] - (long long)k) | (seed[k] ^ seed[0]) | (call[k] ^ call[0]);
  return other == 0 && at[0] >= 0;
}

// Defines the loop drawn_NAME: blocks of consecutive positions by NAME_of_neighbours(elements, parameters,
// first position, n, call, seed), others element by element.
#define NEIGHBOURS_LOOP(name)                                                                                \
  static void drawn_##name(void *out, const void *const *in, size_t n) {                                     \
    const long long *at = in[1], *seed = in[2], *call = in[3];                                               \
    if (n == 0 || !are_neighbours(at, seed, call, n))                                                        \
      loop_random_##name(out, in, n);                                                                        \
    else                                                                                                     \
      name##_of_neighbours(out, in[0], (unsigned long long)*at, n, *call, *seed);                            \
  }

#if defined(CP_KIND_INTEGER)
static void integer_of_neighbours(T *d, const T *a, unsigned long long at, size_t n, long long call,
                                  long long seed) {
  for (size_t done = 0; done < n;) {
    unsigned words[4 * DRAWN];
    const unsigned long long first = at + done;
    const size_t skip = first % PER_BLOCK;
    size_t m = PER_BLOCK * DRAWN - skip;
    if (m > n - done) m = n - done;
    draw_blocks(words, first / PER_BLOCK, (skip + m + PER_BLOCK - 1) / PER_BLOCK, (unsigned long long)call,
                (unsigned long long)seed);
    INDEPENDENT for (size_t k = 0; k < m; k++) {
      const unsigned long long bits = r_join(words[2 * (skip + k)], words[2 * (skip + k) + 1]),
                               most = (unsigned long long)a[done + k], part = r_multiply_high(bits, most);
      d[done + k] = (T)(most != 0 ? part : bits);
    }
    done += m;
  }
}
NEIGHBOURS_LOOP(integer)
#define loop_random_integer drawn_integer
#else
#define DRAWN_LOOP(name)                                                                                     \
  static void name##_of_neighbours(T *d, const T *a, unsigned long long at, size_t n, long long call,        \
                                   long long seed) {                                                         \
    for (size_t done = 0; done < n;) {                                                                       \
      unsigned words[4 * DRAWN];                                                                             \
      T z[PER_BLOCK * DRAWN];                                                                                \
      unsigned long long first = at + done;                                                                  \
      size_t skip = first % PER_BLOCK, m = PER_BLOCK * DRAWN - skip;                                         \
      if (m > n - done) m = n - done;                                                                        \
      size_t blocks = (skip + m + PER_BLOCK - 1) / PER_BLOCK;                                                \
      draw_blocks(words, first / PER_BLOCK, blocks, (unsigned long long)call, (unsigned long long)seed);     \
      draw_##name(z, words, blocks);                                                                         \
      INDEPENDENT for (size_t k = 0; k < m; k++) d[done + k] = a[done + k] * z[skip + k];                    \
      done += m;                                                                                             \
    }                                                                                                        \
  }                                                                                                          \
  NEIGHBOURS_LOOP(name)
DRAWN_LOOP(uniform)
DRAWN_LOOP(normal)

// The names in the table of operations are now these loops, not those that make one block per element.
#define loop_random_uniform drawn_uniform
#define loop_random_normal  drawn_normal
#endif
#endif
