// Groups of elements that do not start at a word boundary. The one or two aligned words of BYTES bytes that
// contain the group are loaded whole, shifted together and cut. Bytes beside the group are never used.
// Reading them is safe, as an aligned word that contains a byte of an array lies within that array's
// allocation.

CP_FN void cp_load_word(const char *at, unsigned *w, const uint4 *) {
  const uint4 v = *(const uint4 *)at;
  w[0] = v.x;
  w[1] = v.y;
  w[2] = v.z;
  w[3] = v.w;
}
CP_FN void cp_load_word(const char *at, unsigned *w, const uint2 *) {
  const uint2 v = *(const uint2 *)at;
  w[0] = v.x;
  w[1] = v.y;
}
CP_FN void cp_load_word(const char *at, unsigned *w, const unsigned *) { w[0] = *(const unsigned *)at; }

// Fills `to`, of BYTES bytes, from address `from`, a multiple of SIZE. WORD has BYTES bytes, at least 4.
template <int BYTES, int SIZE, typename WORD> CP_FN void cp_load_shifted(const char *from, unsigned *to) {
  const int words = BYTES / 4;
  const unsigned off = (unsigned)(unsigned long long)from & (BYTES - 1);
  unsigned w[2 * words] = {};
  cp_load_word(from - off, w, (const WORD *)0);
  if (off) cp_load_word(from - off + BYTES, w + words, (const WORD *)0);
  if (words == 4)
#pragma unroll
    for (int k = 0; k + 2 < 2 * words; k++) w[k] = off & 8 ? w[k + 2] : w[k];
  if (words >= 2 && SIZE <= 4)
#pragma unroll
    for (int k = 0; k < words + 1 && k + 1 < 2 * words; k++) w[k] = off & 4 ? w[k + 1] : w[k];
#pragma unroll
  for (int k = 0; k < words; k++) to[k] = SIZE < 4 ? __funnelshift_r(w[k], w[k + 1], off % 4 * 8) : w[k];
}
