// Truth values as bits, and windows around them. A word has 64 sites of a row, the first one in its lowest
// bit; bits of a row's last word beyond its end are 0.
//
// PASS  0: packs bytes, which are true unless 0; 1: whether all sites of each window are true, or any; 2: to
//       bytes again, 0 and 1
//
// Slots: window.h; its array and result have words, in pass 0 the array and in pass 2 the result bytes. The
// lengths are those of the truth values; the sites of this text are words, in pass 2 eight bytes. 9: bits
// that lie outside, all 0 or all 1; 11: what words are flipped by before and after, 0 for all sites, else for
// any; 12: the pass
// variants: T=uint64 AXES=2,3 PASS=0,1,2
#include "sites.h"
#include "window.h"

#ifdef CP_SITES_FOR_C
#define PASS p->s[CP_RANK]
#endif

CP_FN long long cp_row_length(const cp_slots *p) { return cp_length(p, AXES - 1); }
CP_FN long long cp_words(const cp_slots *p) { return (cp_row_length(p) + 63) >> 6; }

// The bits of a row's last word that sites have.
CP_FN E cp_valid(const cp_slots *p) { return ~(E)0 >> (63 & -cp_row_length(p)); }

// ---- bytes

CP_SLOW E cp_few_bytes(const unsigned char *x, long long count) {
  E v = 0;
  for (int k = 0; k < 8 && k < count; k++) v |= (E)x[k] << 8 * k;
  return v;
}

// Eight bytes, of which `count` exist; the rest are 0.
CP_FN E cp_bytes_at(const unsigned char *x, long long count) {
#ifdef CP_SITES_FOR_C
  E v;
  if (count < 8) return cp_few_bytes(x, count);
  memcpy(&v, x, sizeof v);
  return v;
#else
  return count >= 8 && (unsigned long long)x % 8 == 0 ? *(const E *)x : cp_few_bytes(x, count);
#endif
}

// Whether each of eight bytes is not 0, as eight bits.
CP_FN E cp_bits_of_bytes(E v) {
  const E low = 0x7f7f7f7f7f7f7f7fu, is_true = ((((v & low) + low) | v) & ~low) >> 7;
  return (is_true * 0x0102040810204080u) >> 56;
}

// The first eight bits as bytes.
CP_FN E cp_bytes_of_bits(E bits) {
  const E apart = ((bits & 255) * 0x0101010101010101u) & 0x8040201008040201u;
  return ((apart + 0x7f7f7f7f7f7f7f7fu) >> 7) & 0x0101010101010101u;
}

CP_FN void cp_pack(const cp_slots *p, long long row, long long column, int n) {
  const unsigned char *x = (const unsigned char *)p->s[CP_OWN] + row * cp_row_length(p);
  E *words = (E *)p->s[CP_OWN + 1] + row * cp_words(p);
  for (int k = 0; k < n; k++) {
    const long long first = (column + k) << 6;
    E word = 0;
    CP_UNROLL
    for (int at = 0; at < 64; at += 8)
      word |= cp_bits_of_bytes(cp_bytes_at(x + first + at, cp_row_length(p) - first - at)) << at;
    words[column + k] = word;
  }
}

CP_FN void cp_unpack(const cp_slots *p, long long row, long long column, int n) {
  const E *words = (const E *)p->s[CP_OWN] + row * cp_words(p);
  unsigned char *x = (unsigned char *)p->s[CP_OWN + 1] + row * cp_row_length(p);
  for (int k = 0; k < n; k++) {
    const long long first = (column + k) << 3, left = cp_row_length(p) - first;
    const E v = cp_bytes_of_bits(words[first >> 6] >> (first & 63));
#ifdef CP_SITES_FOR_C
    if (left >= 8) {
      memcpy(x + first, &v, sizeof v);
      continue;
    }
#else
    if (left >= 8 && (unsigned long long)(x + first) % 8 == 0) {
      *(E *)(x + first) = v;
      continue;
    }
#endif
    for (int at = 0; at < 8 && at < left; at++) x[first + at] = (unsigned char)(v >> 8 * at);
  }
}

// ---- windows

// Word `at` of a row, with what lies outside.
CP_FN E cp_word(const cp_slots *p, const E *x, long long at) {
  const E outside = (E)p->s[CP_FILL], valid = cp_valid(p);
  if (at < 0 || at >= cp_words(p)) return outside;
  return at < cp_words(p) - 1 ? x[at] : (x[at] & valid) | (outside & ~valid);
}

// The 64 bits of a row from bit `by` of word `at` on.
CP_FN E cp_shifted(const cp_slots *p, const E *x, long long at, int by) {
  const E low = cp_word(p, x, at);
  return by == 0 ? low : low >> by | cp_word(p, x, at + 1) << (64 - by);
}

// Clears those bits of n words for which a tap's site, flipped, is false.
CP_FN void cp_fold_tap(const cp_slots *p, const cp_window *w, const long long *tap, long long row,
                       long long column, int n, E *all) {
  const E flip = (E)p->s[CP_WHICH];
  bool inside = true;
  for (int d = 0; d < AXES - 1; d++) {
    const long long c = w->at[d] + tap[1 + d];
    inside = inside && c >= 0 && c < cp_length(p, d);
  }
  long long down = 0;
  for (int d = 0; d < AXES - 1; d++) down = down * cp_length(p, d) + tap[1 + d];
  if (!inside) {
    for (int k = 0; k < n; k++) all[k] &= (E)p->s[CP_FILL] ^ flip;
    return;
  }
  const E *x = (const E *)p->s[CP_OWN] + (row + down) * cp_words(p);
  const long long at = column + (tap[AXES] >> 6);
  const int by = (int)(tap[AXES] & 63);
  int k = 0;
#ifdef CP_SITES_FOR_C
  for (; k < n && at + k < 0; k++) all[k] &= cp_shifted(p, x, at + k, by) ^ flip;
  const long long plain = cp_words(p) - 2 - at; // words from here on concern the row's end
  const int end = plain < k ? k : plain < n ? (int)plain : n;
  for (; k < end; k++) all[k] &= (x[at + k] >> by | x[at + k + 1] << 1 << (63 - by)) ^ flip;
#endif
  for (; k < n; k++) all[k] &= cp_shifted(p, x, at + k, by) ^ flip;
}

CP_FN void cp_fold_window(const cp_slots *p, long long row, long long column, int n) {
  const cp_window w = cp_window_of(p, row);
  const long long *tap = (const long long *)p->s[CP_TAPS];
  E all[CP_SPAN(64)], *words = (E *)p->s[CP_OWN + 1] + row * cp_words(p);
  for (int k = 0; k < n; k++) all[k] = ~(E)0;
  for (long long t = 0; t < cp_slot(p, CP_COUNT); t++, tap += 1 + AXES)
    cp_fold_tap(p, &w, tap, row, column, n, all);
  for (int k = 0; k < n; k++) {
    const E v = all[k] ^ (E)p->s[CP_WHICH];
    words[column + k] = column + k < cp_words(p) - 1 ? v : v & cp_valid(p);
  }
}

CP_FN void cp_bits(const cp_slots *p, long long row, long long column, int n) {
  if (PASS == 0)
    cp_pack(p, row, column, n);
  else if (PASS == 1)
    cp_fold_window(p, row, column, n);
  else
    cp_unpack(p, row, column, n);
}
CP_SITES(bits, 64)
