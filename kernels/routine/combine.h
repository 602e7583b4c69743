// Shared by lookup.cu and lookup_tables.cu: combines a value with an element, as KIND says.

typedef T_memory item;

CP_FN T combine(T a, T b) {
#if defined(T_COMPLEX)
  a.re += b.re;
  a.im += b.im;
  return a;
#elif KIND == 2 && defined(T_BOOLEAN)
  return (T)(a | b);
#elif KIND == 2
  return (T)(a + b);
#elif defined(T_REAL)
  const bool other = KIND == 3 ? b > a : b < a;
  return a != a ? a : other || b != b ? b : a; // keeps nan
#else
  return (KIND == 3 ? b > a : b < a) ? b : a;
#endif
}

#if !ORDERED

#if !defined(T_COMPLEX)
// The element's bits in a loaded word, and back.
template <typename W> CP_FN item item_of(W word) {
  union {
    W w;
    item m;
  } u;
  u.w = word;
  return u.m;
}

template <typename W> CP_FN W word_of(item m) {
  union {
    W w;
    item m;
  } u;
  u.w = 0;
  u.m = m;
  return u.w;
}

// element = combine(element, v), by atomicCAS until no other thread interfered.
template <typename W> CP_FN void exchange_word(char *element, T v) {
  W *word = (W *)element;
  W old = *(volatile W *)word;
  for (;;) {
    const W fresh = word_of<W>(T_store(combine(T_load(item_of<W>(old)), v)));
    if (fresh == old) return;
    const W found = atomicCAS(word, old, fresh);
    if (found == old) return;
    old = found;
  }
}

// The same for an element that is a part of a word.
CP_FN void exchange_part(char *element, T v) {
  const unsigned long long address = (unsigned long long)element;
  unsigned *word = (unsigned *)(address & ~3ull);
  const unsigned shift = (unsigned)(address & 3ull) * 8;
  const unsigned ones = (sizeof(item) == 1 ? 0xffu : 0xffffu) << shift;
  unsigned old = *(volatile unsigned *)word;
  for (;;) {
    const item m = T_store(combine(T_load((item)((old & ones) >> shift)), v));
    const unsigned fresh = (old & ~ones) | ((unsigned)m << shift & ones);
    if (fresh == old) return;
    const unsigned found = atomicCAS(word, old, fresh);
    if (found == old) return;
    old = found;
  }
}
#endif

CP_FN void combine_at(char *element, T v) {
#if KIND == 2 && (defined(T_IS_float32) || defined(T_IS_float64))
  atomicAdd((T *)element, v);
#elif KIND == 2 && defined(T_COMPLEX)
  T *c = (T *)element;
  atomicAdd(&c->re, v.re);
  atomicAdd(&c->im, v.im);
#elif KIND == 2 && (defined(T_IS_int32) || defined(T_IS_uint32))
  atomicAdd((unsigned *)element, (unsigned)v);
#elif KIND == 2 && (defined(T_IS_int64) || defined(T_IS_uint64))
  atomicAdd((unsigned long long *)element, (unsigned long long)v);
#elif KIND == 3 &&                                                                                           \
    (defined(T_IS_int32) || defined(T_IS_uint32) || defined(T_IS_int64) || defined(T_IS_uint64))
  atomicMax((T *)element, v);
#elif KIND == 4 &&                                                                                           \
    (defined(T_IS_int32) || defined(T_IS_uint32) || defined(T_IS_int64) || defined(T_IS_uint64))
  atomicMin((T *)element, v);
#elif defined(T_IS_float32)
  exchange_word<unsigned>(element, v);
#elif defined(T_IS_float64)
  exchange_word<unsigned long long>(element, v);
#else
  exchange_part(element, v);
#endif
}

#endif
