// Included by loops.c alone: the loop of random_permute. Consecutive positions of one permutation share its
// network and pass through it together. Images beyond the permutation's end pass through it again, together.

#if defined(CP_LOOP_TYPE_int64)

enum { PERMUTED = 512 }; // positions processed at once

// The number of elements from k on, at most PERMUTED, that have consecutive positions in one permutation.
static size_t permuted_together(const void *const *in, size_t k, size_t n) {
  const long long *count = in[0], *row = in[1], *at = in[2], *seed = in[3], *call = in[4];
  size_t m = n - k < PERMUTED ? n - k : PERMUTED;
  long long other = 0;
  for (size_t i = k; i < k + m; i++)
    other |= (count[i] ^ count[k]) | (row[i] ^ row[k]) | (at[i] - at[k] - (long long)(i - k)) |
             (seed[i] ^ seed[k]) | (call[i] ^ call[k]);
  if (other == 0) return m;
  for (m = 1; k + m < n; m++) {
    size_t i = k + m;
    if (count[i] != count[k] || row[i] != row[k] || at[i] != at[k] + (long long)m || seed[i] != seed[k] ||
        call[i] != call[k])
      break;
  }
  return m < PERMUTED ? m : PERMUTED;
}

// The images of x and the m - 1 positions after it, all below n.
static void permute_some(long long *d, size_t m, unsigned long long n, unsigned long long x,
                         const cp_network *network) {
  const cp_network net = *network;
  const long long exchange = (long long)r_exchange(&net);
  unsigned long long image[PERMUTED];
  unsigned which[PERMUTED]; // indices of the elements that still have no image
  for (size_t i = 0; i < m; i++) image[i] = x + i;
  for (unsigned i = 0; i < m; i++) which[i] = i;
  for (size_t left = m, beyond; left > 0; left = beyond) {
    INDEPENDENT for (size_t i = 0; i < left; i++) image[i] = r_pass(&net, image[i]);
    beyond = 0;
    for (size_t i = 0; i < left; i++) {
      const unsigned long long at = image[i];
      const unsigned to = which[i];
      d[to] = (long long)at; // overwritten later if the image is out of range
      image[beyond] = at;
      which[beyond] = to;
      beyond += at >= n;
    }
  }
  INDEPENDENT for (size_t i = 0; i < m; i++) d[i] ^= d[i] < 2 ? exchange : 0;
}

static void drawn_permute(void *out, const void *const *in, size_t n) {
  const long long *count = in[0], *row = in[1], *at = in[2], *seed = in[3], *call = in[4];
  long long *d = out;
  for (size_t k = 0; k < n;) {
    size_t m = permuted_together(in, k, n);
    const unsigned long long all = (unsigned long long)count[k];
    if (all <= 16) { // one element after the other
      const void *some[5] = {count + k, row + k, at + k, seed + k, call + k};
      loop_random_permute(d + k, some, m);
      k += m;
      continue;
    }
    const cp_network net = r_network(all, row[k], seed[k], call[k]);
    unsigned long long x = (unsigned long long)at[k] % all;
    if (m > all - x) m = (size_t)(all - x);
    permute_some(d + k, m, all, x, &net);
    k += m;
  }
}

#define loop_random_permute drawn_permute
#endif
