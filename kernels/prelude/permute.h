/* Random permutations: i_random_permute computes the image of one position without the others.

   Written in the common subset of C11 and CUDA C++, without headers. */
#include "philox.h"

/* For few positions: the rank of the position's random number among those of all. Uniform over all
   permutations. */
CP_SLOW unsigned long long r_rank(unsigned n, unsigned position, long long row, long long seed,
                                  long long call) {
  unsigned rank = 0, j;
  unsigned long long own = r_bits64((long long)((unsigned long long)row << 4) + (long long)position, seed,
                                    call),
                     other;
  for (j = 0; j < n; j++) {
    other = r_bits64((long long)((unsigned long long)row << 4) + (long long)j, seed, call);
    rank += (other < own) | ((other == own) & (j < position)) ? 1u : 0u;
  }
  return rank;
}

/* A keyed 32-bit hash: Murmur3's finalizer, applied to the sum with the key. */
CP_FN unsigned r_mix(unsigned x, unsigned key) {
  x = x * 0x9E3779B9u + key;
  x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
  x = (x ^ (x >> 13)) * 0xC2B2AE35u;
  return x ^ (x >> 16);
}

/* For many positions: eight rounds of a Feistel network over the smallest power of two that is at least n;
   images from n on pass through it again. The image of a position is uniform, and so are those of pairs, as
   far as 64 bits of key allow and tests show. */
typedef struct {
  cp_philox_block k0, k1;
  unsigned low, left_mask, right_mask; /* bits of the right half */
} cp_network;

CP_FN cp_network r_network(unsigned long long n, long long row, long long seed, long long call) {
  cp_network net;
  unsigned bits = 1;
  net.k0 = r_philox(2u * (unsigned long long)row, (unsigned long long)call, (unsigned long long)seed);
  net.k1 = r_philox(2u * (unsigned long long)row + 1u, (unsigned long long)call, (unsigned long long)seed);
  while (bits < 62u && (n - 1u) >> bits != 0u) bits++;
  net.low = bits >> 1;
  net.right_mask = (unsigned)((1ull << net.low) - 1u);
  net.left_mask = (unsigned)((1ull << (bits - net.low)) - 1u);
  return net;
}

/* One pass through the network. */
CP_FN unsigned long long r_pass(const cp_network *net, unsigned long long x) {
  unsigned left = (unsigned)(x >> net->low), right = (unsigned)x & net->right_mask, i;
  for (i = 0; i < 4u; i++) {
    left ^= r_mix(right, r_word(net->k0, i)) & net->left_mask;
    right ^= r_mix(left, r_word(net->k1, i)) & net->right_mask;
  }
  return (unsigned long long)left << net->low | right;
}

/* Such networks make only even permutations; half of them get an exchange of two images. */
CP_FN unsigned long long r_exchange(const cp_network *net) { return r_mix(net->k0.w[0], net->k1.w[3]) & 1u; }

CP_SLOW unsigned long long r_feistel(unsigned long long n, unsigned long long x, long long row,
                                     long long seed, long long call) {
  cp_network net = r_network(n, row, seed, call);
  do x = r_pass(&net, x);
  while (x >= n);
  return x < 2u ? x ^ r_exchange(&net) : x;
}

/* The image, from 0, of `position` (below n) under random permutation `row` of n positions. */
CP_FN T i_random_permute(T n, T row, long long position, long long seed, long long call) {
  unsigned long long count = (unsigned long long)(n) & (~0ull >> (64 - CP_WIDTH)),
                     x = (unsigned long long)position;
  if (count <= 1u) return 0;
  if (count <= 16u) return (T)r_rank((unsigned)count, (unsigned)(x % count), (long long)row, seed, call);
  return (T)r_feistel(count, x % count, (long long)row, seed, call);
}
