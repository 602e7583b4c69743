// What the tiles of a scan publish, and how other blocks read it in their look-back (scan.cu).

enum { NOTHING = 0, TOTAL = 1, PREFIX = 2 }; // of a tile or group alone; of its row up to the tile's end

CP_FN unsigned cp_ticket(const cp_slots &p) { return atomicAdd(reinterpret_cast<unsigned *>(p.s[5]), 1u); }

// Address k of the published values. Each 32 bits of a value are stored in a word whose upper half says what
// they are. So a value is complete when these agree, and neither readers nor writers depend on the order of
// two accesses.
CP_FN char *cp_place(const cp_slots &p, long long k) {
  return reinterpret_cast<char *>(p.s[5]) + 256 + k * (8 * WORDS);
}

CP_FN void cp_publish(char *at, unsigned what, TO v) {
  unsigned w[WORDS] = {0};
  unsigned long long words[WORDS];
  memcpy(w, &v, sizeof v);
#pragma unroll
  for (int k = 0; k < WORDS; k++) words[k] = (unsigned long long)what << 32 | w[k];
  if (WORDS == 1) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(words[0]) : "memory");
  } else {
#pragma unroll
    for (int k = 0; k < WORDS; k += 2)
      asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(at + 8 * k), "l"(words[k]),
                   "l"(words[k + (WORDS > 1)])
                   : "memory");
  }
}

// What is published there now, and its value.
CP_FN unsigned cp_glance(const char *at, TO &v) {
  unsigned w[WORDS] = {0};
  unsigned long long words[WORDS] = {0};
  if (WORDS == 1) {
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(words[0]) : "l"(at) : "memory");
  } else {
#pragma unroll
    for (int k = 0; k < WORDS; k += 2)
      asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                   : "=l"(words[k]), "=l"(words[k + (WORDS > 1)])
                   : "l"(at + 8 * k)
                   : "memory");
  }
  unsigned what = (unsigned)(words[0] >> 32);
#pragma unroll
  for (int k = 0; k < WORDS; k++) {
    if ((unsigned)(words[k] >> 32) != what) what = NOTHING;
    w[k] = (unsigned)words[k];
  }
  memcpy(&v, w, sizeof v);
  return what;
}

// Combines the values of lanes from `from` down to 0; the one of the highest lane comes first.
CP_FN TO cp_fold(TO v, int from) {
  TO sum = cp_from_lane(v, from, 32);
#pragma unroll 1
  for (int lane = from - 1; lane >= 0; lane--) sum = cp_combine(sum, cp_from_lane(v, lane, 32));
  return sum;
}
