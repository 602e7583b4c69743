/* Checks the loops of random draws, which draw adjacent elements together, against the functions of the
 * preludes, which draw one: equal bits wherever a run of elements begins and ends, for parameters in and out
 * of range. This program checks float32 and permutations, draws64.c float64. */
#include "cpu/loops/loops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CP_FN   static inline __attribute__((always_inline, unused))
#define CP_SLOW static __attribute__((noinline, unused))

#ifdef DRAWS_FLOAT64
#include "kernels/prelude/float64.h"
typedef double real;
#define DTYPE CP_FLOAT64
#else
#include "kernels/prelude/float32.h"
typedef float real;
#define DTYPE      CP_FLOAT32
#define T          long long
#define W          unsigned long long
#define CP_SIGNED  1
#define CP_WIDTH   64
#define CP_LOWEST  INT64_MIN
#define CP_HIGHEST INT64_MAX
#include "kernels/prelude/integer.h"
#endif

enum { MOST = 3000 };

static const long long seed = 0x123456789abcdefll, call = 0x700000005ll;

static int report(const char *name, const char *what, long bad) {
  if (bad != 0) printf("%s, %s: %ld elements differ\n", name, what, bad);
  return bad != 0;
}

/* ---- draws of one parameter */

typedef struct {
  const char *name;
  cp_op op;
  real (*one)(real a, long long position, long long seed, long long call);
} draw1;

#define CALL(name)                                                                                           \
  static real call_##name(real a, long long position, long long s, long long c) {                            \
    return m_random_##name(a, position, s, c);                                                               \
  }
#define ROW(name)   {#name, CP_OP_random_##name, call_##name},
#define FOR_EACH(X) X(uniform) X(normal) X(gamma) X(log_gamma) X(poisson) X(vonmises) X(zipf)
FOR_EACH(CALL)
static const draw1 table[] = {FOR_EACH(ROW)};

static real parameters[MOST], got[MOST];
static long long positions[MOST], seeds[MOST], calls[MOST];

/* Parameters of one kind: the same ones, several, or some that are out of range. */
static real parameter(int kind, long k) {
  static const double several[] = {1.5, 0.3, 3, 0.999, 1, 12, 1e-3, 40, 2, 1e6};
  static const double any[] = {1.5, 0, -1, INFINITY, 0.3, NAN, 1e30, -0.0, 1, 1e-30};
  if (kind < 3) return (real)several[kind];
  return (real)(kind == 3 ? several[k % 10] : any[k % 10]);
}

static long compare(const draw1 *d, long long first, long n, long gap) {
  const void *in[4] = {parameters, positions, seeds, calls};
  long bad = 0;
  for (long k = 0; k < n; k++) {
    positions[k] = first + k + (k >= n / 2 ? gap : 0); /* two runs where there is a gap */
    seeds[k] = seed;
    calls[k] = call;
  }
  cp_cpu_loops(DTYPE)->ops[d->op](got, in, (size_t)n);
  for (long k = 0; k < n; k++) {
    real want = d->one(parameters[k], positions[k], seed, call);
    bad += memcmp(&want, &got[k], sizeof want) != 0 && !(want != want && got[k] != got[k]);
  }
  return bad;
}

static int run1(const draw1 *d) {
  static const long lengths[] = {1, 2, 7, 64, 127, 128, 129, 1000, MOST};
  int bad = 0;
  for (int kind = 0; kind < 5; kind++) {
    for (long k = 0; k < MOST; k++) parameters[k] = parameter(kind, k);
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
      bad |= report(d->name, "neighbours", compare(d, 1 + 1000 * kind, lengths[l], 0));
      bad |= report(d->name, "far neighbours", compare(d, (1ll << 39) + 3, lengths[l], 0));
      bad |= report(d->name, "two runs", compare(d, 5, lengths[l], 3));
    }
  }
  return bad;
}

/* ---- draws of a binomial distribution */

static real counts[MOST];

static long compare_binomial(int kind, long long first, long n) {
  static const double count[] = {10, 100, 1, 1e6, 3.7, 0, -1, INFINITY, 1e9, 33};
  static const double chance[] = {0.3, 0.7, 1e-6, 0.5, 1, 0, 1.5, NAN, 0.999, 0.08};
  const void *in[5] = {counts, parameters, positions, seeds, calls};
  long bad = 0;
  for (long k = 0; k < n; k++) {
    /* the same ones, or others for each element */
    counts[k] = (real)count[kind < 10 ? kind : k % 10];
    parameters[k] = (real)chance[kind < 10 ? kind : k / 10 % 10];
    positions[k] = first + k;
    seeds[k] = seed;
    calls[k] = call;
  }
  cp_cpu_loops(DTYPE)->ops[CP_OP_random_binomial](got, in, (size_t)n);
  for (long k = 0; k < n; k++) {
    real want = m_random_binomial(counts[k], parameters[k], positions[k], seed, call);
    bad += memcmp(&want, &got[k], sizeof want) != 0 && !(want != want && got[k] != got[k]);
  }
  return bad;
}

static int run_binomial(void) {
  int bad = 0;
  for (int kind = 0; kind <= 10; kind++) {
    bad |= report("binomial", "few", compare_binomial(kind, 3, 7));
    bad |= report("binomial", "many", compare_binomial(kind, 1000, MOST));
  }
  return bad;
}

/* ---- permutations and whole numbers */

#ifndef DRAWS_FLOAT64
static long long lengths[MOST], rows[MOST], images[MOST];

static long compare_permutations(long long length, long long row_length, long long first) {
  const void *in[5] = {lengths, rows, positions, seeds, calls};
  long bad = 0;
  for (long k = 0; k < MOST; k++) {
    lengths[k] = length;
    positions[k] = first + k;
    rows[k] = positions[k] / row_length;
    seeds[k] = seed;
    calls[k] = call;
  }
  cp_cpu_loops(CP_INT64)->ops[CP_OP_random_permute](images, in, MOST);
  for (long k = 0; k < MOST; k++)
    bad += images[k] != i_random_permute(lengths[k], rows[k], positions[k], seed, call);
  return bad;
}

static int run_permutations(void) {
  static const long long all[] = {0, 1, 2, 7, 16, 17, 20, 31, 64, 100, 513, 1024, 100000, 5000000001ll};
  int bad = 0;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    long long n = all[k] > 0 ? all[k] : 1;
    bad |= report("permute", "one row", compare_permutations(all[k], INT64_MAX, 0));
    bad |= report("permute", "from the middle", compare_permutations(all[k], INT64_MAX, n / 2 + 1));
    bad |= report("permute", "rows", compare_permutations(all[k], n, 3));
    bad |= report("permute", "rows that end elsewhere", compare_permutations(all[k], 11, 5));
  }
  return bad;
}

static long compare_integers(int kind, long long first, long n) {
  static const long long most[] = {100, 0, 1, 128, 1ll << 32, 5000000001ll, -1, INT64_MIN, INT64_MAX, 7};
  const void *in[4] = {lengths, positions, seeds, calls};
  long bad = 0;
  for (long k = 0; k < n; k++) {
    lengths[k] = most[kind < 10 ? kind : k % 10];
    positions[k] = first + k;
    seeds[k] = seed;
    calls[k] = call;
  }
  cp_cpu_loops(CP_INT64)->ops[CP_OP_random_integer](images, in, (size_t)n);
  for (long k = 0; k < n; k++) bad += images[k] != i_random_integer(lengths[k], positions[k], seed, call);
  return bad;
}

static int run_integers(void) {
  int bad = 0;
  for (int kind = 0; kind <= 10; kind++) {
    bad |= report("integer", "from an even position", compare_integers(kind, 4, 1 + 100 * kind));
    bad |= report("integer", "from an odd position", compare_integers(kind, 77, MOST));
  }
  return bad;
}
#else
static int run_permutations(void) { return 0; }
static int run_integers(void) { return 0; }
#endif

int main(void) {
  int bad = run_permutations() | run_integers() | run_binomial();
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) bad |= run1(&table[k]);
  return bad;
}
