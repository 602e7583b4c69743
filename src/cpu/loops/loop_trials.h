// Included by loops.c alone: loops of draws by rejection. Where positions are consecutive, the first trials
// of many elements are made side by side; the few elements that need more go on one by one. Results equal
// those of the functions in kernels/prelude/draws.h.

#if defined(CP_KIND_REAL)

// elements at a time; Philox blocks per trial of the normal distribution
enum { TRIED = 128, TRIAL_BLOCKS = sizeof(T) == 8 ? 2 : 1 };

// The normal numbers of the first trials, and the uniform numbers that come with them: m_normal_trial for n
// positions from `first` on.
static void normal_trials(T *x, T *one, T *two, unsigned long long first, size_t n, unsigned long long call,
                          unsigned long long seed) {
  unsigned words[TRIAL_BLOCKS][4 * TRIED];
  const unsigned *w = words[0], *v = words[TRIAL_BLOCKS - 1];
  for (unsigned k = 0; k < TRIAL_BLOCKS; k++)
    draw_blocks(words[k], first + ((unsigned long long)k << 40), n, call, seed);
  INDEPENDENT for (size_t k = 0; k < n; k++) {
    cp_philox_block b = {{w[4 * k], w[4 * k + 1], w[4 * k + 2], w[4 * k + 3]}};
    cp_philox_block c = {{v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]}};
    x[k] = m_normal_of_trial(b, c, &one[k], &two[k]);
  }
}

// n <= TRIED consecutive positions.
CP_FN void gammas(T *d, const T *a, unsigned long long first, size_t n, long long call, long long seed,
                  const int logarithm) {
  T x[TRIED], one[TRIED], two[TRIED], v[TRIED];
  int small = 0;
  normal_trials(x, one, two, first, n, (unsigned long long)call, (unsigned long long)seed);
  INDEPENDENT for (size_t k = 0; k < n; k++) {
    const T of = a[k], e = m_gamma_d(of);
    v[k] = m_gamma_trial(x[k], one[k], m_gamma_c(e), e);
    x[k] = e * v[k];
    small |= of < 1;
    v[k] = ((of > 0) & (of < CP_HIGHEST)) != 0 ? v[k] : 0; // the other shapes need no trial
  }
  if (small) {
    INDEPENDENT for (size_t k = 0; k < n; k++) {
      const T all = logarithm ? m_log(x[k]) : x[k], less = m_gamma_less(x[k], a[k], two[k], logarithm);
      x[k] = a[k] < 1 ? less : all;
    }
  } else if (logarithm) {
    INDEPENDENT for (size_t k = 0; k < n; k++) x[k] = m_log(x[k]);
  }
  for (size_t k = 0; k < n; k++)
    d[k] = v[k] > 0 ? x[k] : m_gamma_draw(a[k], 1, (long long)first + (long long)k, seed, call, logarithm);
}

// n <= TRIED consecutive positions. For small means, the uniform numbers and the probabilities of 0 are
// computed together.
static void poisson_some(T *d, const T *mean, unsigned long long first, size_t n, long long call,
                         long long seed) {
  unsigned w[4 * TRIED];
  T u[TRIED], zero[TRIED], drawn[TRIED];
  draw_blocks(w, first, n, (unsigned long long)call, (unsigned long long)seed);
  INDEPENDENT for (size_t k = 0; k < n; k++) {
    const T b = m_poisson_b(mean[k]), v = m_unit(r_join(w[4 * k + 2], w[4 * k + 3]));
    T us, x;
    u[k] = m_unit(r_join(w[4 * k], w[4 * k + 1]));
    x = m_transformed_of(u[k], m_poisson_a(b), b, mean[k] + (T)0.43, &us);
    x = m_poisson_soon(us, v, b) != 0 ? x : -1;
    drawn[k] = mean[k] >= 10 ? x : -1;
    zero[k] = m_exp(-mean[k]);
  }
  for (size_t k = 0; k < n; k++) {
    if (drawn[k] >= 0)
      d[k] = drawn[k];
    else if (mean[k] > 0 && mean[k] < 10)
      d[k] = m_count_up(u[k], zero[k], mean[k], 0);
    else
      d[k] = m_random_poisson(mean[k], (long long)first + (long long)k, seed, call);
  }
}

static void gamma_some(T *d, const T *a, unsigned long long first, size_t n, long long call, long long seed) {
  gammas(d, a, first, n, call, seed, 0);
}
static void log_gamma_some(T *d, const T *a, unsigned long long first, size_t n, long long call,
                           long long seed) {
  gammas(d, a, first, n, call, seed, 1);
}

#define TRIALS_LOOP(name)                                                                                    \
  static void name##_of_neighbours(T *d, const T *a, unsigned long long at, size_t n, long long call,        \
                                   long long seed) {                                                         \
    for (size_t k = 0; k < n; k += TRIED)                                                                    \
      name##_some(d + k, a + k, at + k, n - k < TRIED ? n - k : TRIED, call, seed);                          \
  }                                                                                                          \
  NEIGHBOURS_LOOP(name)
TRIALS_LOOP(gamma)
TRIALS_LOOP(log_gamma)
TRIALS_LOOP(poisson)

#define loop_random_gamma     drawn_gamma
#define loop_random_log_gamma drawn_log_gamma
#define loop_random_poisson   drawn_poisson
#endif
