// Modes ahead and apart of product.cu, which includes this.

// A word of memory that none writes meanwhile. FIRST: the first that the L1 cache drops. Such words are read
// in the order of these calls.
template <bool FIRST> CP_FN unsigned cp_read_word(const unsigned *at) {
  unsigned w;
  if (FIRST)
    asm volatile("ld.global.nc.L1::evict_first.L2::128B.b32 %0, [%1];" : "=r"(w) : "l"(at));
  else
    asm volatile("ld.global.nc.b32 %0, [%1];" : "=r"(w) : "l"(at));
  return w;
}
template <bool FIRST> CP_FN unsigned long long cp_read_word(const unsigned long long *at) {
  unsigned long long w;
  if (FIRST)
    asm volatile("ld.global.nc.L1::evict_first.L2::128B.b64 %0, [%1];" : "=l"(w) : "l"(at));
  else
    asm volatile("ld.global.nc.b64 %0, [%1];" : "=l"(w) : "l"(at));
  return w;
}

template <int SIZE> struct cp_word_of { typedef unsigned type; };
template <> struct cp_word_of<8> { typedef unsigned long long type; };

// The same by words that are as aligned as V.
template <bool FIRST, class V> CP_FN V cp_words(const void *at) {
  typedef typename cp_word_of<(int)alignof(V)>::type word;
  enum { WORDS = (int)(sizeof(V) / sizeof(word)) };
  V v;
  word w[WORDS];
#pragma unroll
  for (int k = 0; k < WORDS; k++) w[k] = cp_read_word<FIRST>(reinterpret_cast<const word *>(at) + k);
  memcpy(&v, w, sizeof v);
  return v;
}

// A lane reads EACH neighbouring entries at a time, the first of them at a multiple of that, by words of at
// most WORD bytes.
enum { EACH = sizeof(T) < 8 ? 2 : 1, WORD = CP_MODE == MODE_apart ? 4 : 8, STRIDE = LANES * EACH };

template <class V, int COUNT> struct alignas(V) alignas(COUNT * sizeof(V) < WORD ? 4 : WORD) cp_few {
  V v[COUNT];
};
typedef decltype(cp_place(0, 0)) cp_position;

// Entries of a row: from `begin`, of which a lane's next are at `at`, to end - 1.
struct cp_left {
  cp_position begin, at, end;
};

// Where row r starts and ends, as it is stored: nothing is worked out of these loads before they are needed,
// a row later, or each row would wait for them.
struct cp_ends {
  INDEX begin, end;
};
CP_FN cp_ends cp_ends_of(const cp_slots &p, unsigned r) {
  cp_ends ends = {0, 0};
  if (r < (unsigned)p.s[5]) {
    ends.begin = reinterpret_cast<const INDEX *>(p.s[0])[r];
    ends.end = reinterpret_cast<const INDEX *>(p.s[0])[r + 1ll];
  }
  return ends;
}

// Lets a number stay in its register, else it is worked out anew for each entry.
CP_FN void cp_keep(unsigned &v) { asm volatile("" : "+r"(v)); }
CP_FN void cp_keep(unsigned long long &v) { asm volatile("" : "+l"(v)); }

// What is left of a row. If the matrix's last entry has no neighbour to be read with, it is left out.
CP_FN cp_left cp_left_of(const cp_ends &ends, cp_position entries) {
  const cp_position begin = (cp_position)max(ends.begin, (INDEX)0);
  const cp_position end = min((cp_position)max(ends.end, (INDEX)0), entries / EACH * EACH);
  return {begin, begin / EACH * EACH + threadIdx.x % LANES * EACH, end};
}

// Whether the row has that last entry.
CP_FN bool cp_has_odd(const cp_ends &ends, cp_position entries) {
  return EACH > 1 && entries % EACH != 0 && ends.begin < ends.end && (cp_position)ends.end >= entries;
}

// The next entries, ITEMS times. Where few lanes share a row, what is left of a line is found in the L1
// cache by the next times, and kept addresses were slower.
struct cp_loaded {
  cp_few<INDEX, EACH> columns[ITEMS];
  cp_few<T, EACH> values[ITEMS];
};
CP_FN void cp_load(const cp_slots &p, const cp_left &l, cp_loaded &next) {
  constexpr bool many = LANES > 2;
  unsigned long long columns = p.s[1] + l.at * (unsigned long long)sizeof(INDEX);
  unsigned long long values = p.s[2] + l.at * (unsigned long long)sizeof(T);
  if (many) cp_keep(columns);
  if (many) cp_keep(values);
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    const bool any = l.at + i * STRIDE < l.end;
    next.columns[i] = {};
    next.values[i] = {};
    if (!SUM && any)
      next.columns[i] =
          cp_words<many, cp_few<INDEX, EACH>>(reinterpret_cast<const INDEX *>(columns) + i * STRIDE);
    if (any)
      next.values[i] = cp_words<many, cp_few<T, EACH>>(reinterpret_cast<const T *>(values) + i * STRIDE);
  }
}

// Entries are loaded while the elements of x for those before are awaited: their row's, or the next row's.
CP_FN void cp_work(const cp_slots &p) {
  enum { GROUPS = 32 / LANES };
  const unsigned rows = (unsigned)p.s[5], group = threadIdx.x % 32 / LANES, step = gridDim.x * WARPS * GROUPS;
  const cp_position entries =
      (cp_position)min(p.s[7], (unsigned long long)(cp_position)~1ull); // as many as can be named
  cp_position last = (cp_position)min(p.s[6], (unsigned long long)(cp_position)~0ull) - 1;
  unsigned long long x_at = p.s[3];
  cp_keep(last);
  cp_keep(x_at);
  unsigned first = (blockIdx.x * WARPS + threadIdx.x / 32) * GROUPS, odd = 0xffffffffu; // first: of the warp
  const cp_ends ends = cp_ends_of(p, first + group);
  cp_ends next = cp_ends_of(p, first + step + group);
  cp_left left = cp_left_of(ends, entries);
  if (cp_has_odd(ends, entries)) odd = first + group; // the row with the entry that is left out
  cp_loaded loaded;
  T sum = T_SPACE::r_zero(), dot = sum;
  cp_load(p, left, loaded);
#pragma unroll 1
  while (first < rows) {
    cp_few<T, EACH> values[ITEMS], x[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
      values[i] = loaded.values[i];
#pragma unroll
      for (int e = 0; e < EACH; e++) {
        const cp_position k = left.at + i * STRIDE + e;
        const bool any = k < left.end && (EACH == 1 || k >= left.begin);
        x[i].v[e] = T_SPACE::r_zero();
        if (EACH > 1 && !any) values[i].v[e] = T_SPACE::r_zero(); // of another row, and maybe not finite
        if (!SUM && any)
          x[i].v[e] = cp_words<false, cp_few<T, 1>>(reinterpret_cast<const T *>(x_at) +
                                                    min((cp_position)loaded.columns[i].v[e], last))
                          .v[0];
      }
    }
    left.at += ITEMS * STRIDE;
    const bool done = !__any_sync(0xffffffffu, left.at < left.end);
    if (done) {
      left = cp_left_of(next, entries);
      if (cp_has_odd(next, entries)) odd = first + step + group;
      next = cp_ends_of(p, first + 2 * step + group); // behind the loads of entries it would wait for x
    }
    cp_load(p, left, loaded);
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
#pragma unroll
      for (int e = 0; e < EACH; e++)
        sum = SUM ? T_SPACE::r_add(sum, values[i].v[e]) : cp_step(sum, values[i].v[e], x[i].v[e]);
    if (!done) continue;
    sum = cp_sum_of_lanes(sum, LANES);
    const unsigned r = first + group;
    if (r < rows && threadIdx.x % LANES == 0) {
      if (r == odd) sum = cp_add_entry(p, sum, (long long)p.s[7] - 1);
      cp_put(p, r, sum);
      if (DOT) dot = cp_step(dot, sum, reinterpret_cast<const T *>(p.s[3])[r]);
    }
    sum = T_SPACE::r_zero();
    first += step;
  }
  if (DOT) cp_put_dot(p, dot);
}
