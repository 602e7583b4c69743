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

// What draws of a hypergeometric distribution share: the numbers that its parameters give, and logarithms of
// probabilities, each computed when it is first needed.
enum { KNOWN = 256, FEW_DRAWN = 10, MOST_TRIALS = 1000 }; // the last as D_TRIALS in draws.h
typedef struct urn {
  T good, bad, sample; // of which good and bad are rounded down
  T few, many, m;      // as m_random_hypergeometric has them
  T middle, width, end, top, first;
  T logs[KNOWN];         // of first, first + 1, ...
  T odds[FEW_DRAWN + 1]; // for few draws, the probabilities of 0, 1, ...
  unsigned char known[KNOWN], ok;
} urn;

static void fill_urn(urn *u, T good, T bad, T sample) {
  u->good = good;
  u->bad = bad;
  u->sample = sample;
  u->ok = m_hypergeometric_ok(good, bad, sample) != 0;
  if (!u->ok) return;
  u->few = good < bad ? good : bad;
  u->many = good < bad ? bad : good;
  u->m = 2 * sample <= u->few + u->many ? sample : u->few + u->many - sample;
  if (u->m < FEW_DRAWN) {
    u->odds[0] = m_hypergeometric_none(u->few, u->many, u->m);
    for (int k = 1; k <= FEW_DRAWN; k++)
      u->odds[k] = u->odds[k - 1] * m_hypergeometric_ratio(u->few, u->many, u->m, (T)k);
    return;
  }
  u->middle = m_hypergeometric_hat(u->few, u->many, u->m, &u->width, &u->end, &u->top);
  u->first = m_fmax(m_floor(u->middle) - KNOWN / 2, 0);
  memset(u->known, 0, sizeof u->known);
}

static T urn_log(urn *u, T k) {
  const T at = k - u->first;
  if (!(at >= 0 && at < KNOWN)) return m_hypergeometric_log(k, u->few, u->many, u->m);
  const int i = (int)at;
  if (!u->known[i]) u->logs[i] = m_hypergeometric_log(k, u->few, u->many, u->m);
  u->known[i] = 1;
  return u->logs[i];
}

static T draw_few(const urn *u, T uniform) {
  T k = 0;
  for (int i = 0; uniform >= u->odds[i] && k < u->m && k < u->few; k++) uniform -= u->odds[i++];
  return k;
}

// The trials after the first.
static T draw_on(urn *u, long long position, long long seed, long long call) {
  T uniform, k = 0;
  for (unsigned trial = 1; trial < MOST_TRIALS; trial++) {
    const T x = m_hypergeometric_trial(r_trial(position, trial, seed, call), u->middle, u->width, &uniform);
    if (!(x >= 0 && x < u->end)) continue;
    k = m_floor(x);
    if (2 * m_log(uniform) <= urn_log(u, k) - u->top) break;
  }
  return k;
}

// n <= TRIED consecutive positions. The numbers of all first trials are made together.
static void hypergeometric_some(T *d, const void *const *in, size_t from, size_t n, urn *u) {
  const T *good = in[0], *bad = in[1];
  const long long *count = in[2], *at = in[3], seed = *(const long long *)in[4],
                  call = *(const long long *)in[5];
  unsigned w[4 * TRIED];
  T one[TRIED], two[TRIED], decides[TRIED];
  draw_blocks(w, (unsigned long long)at[from], n, (unsigned long long)call, (unsigned long long)seed);
  INDEPENDENT for (size_t k = 0; k < n; k++) {
    one[k] = m_unit(r_join(w[4 * k], w[4 * k + 1]));
    two[k] = (m_unit(r_join(w[4 * k + 2], w[4 * k + 3])) - (T)0.5) / (1 - one[k]);
    decides[k] = 2 * m_log(1 - one[k]);
  }
  for (size_t k = 0; k < n; k++) {
    const T g = m_floor(good[from + k]), b = m_floor(bad[from + k]), s = (T)count[from + k];
    if (g != u->good || b != u->bad || s != u->sample) fill_urn(u, g, b, s);
    if (!u->ok) {
      d[from + k] = m_nan_like(g);
      continue;
    }
    const T x = u->middle + u->width * two[k];
    T drawn = m_floor(x);
    if (u->m < FEW_DRAWN)
      drawn = draw_few(u, one[k]);
    else if (!(x >= 0 && x < u->end) || !(decides[k] <= urn_log(u, drawn) - u->top))
      drawn = draw_on(u, at[from + k], seed, call);
    d[from + k] = m_hypergeometric_result(g, b, s, u->m, drawn);
  }
}

static void drawn_hypergeometric(void *out, const void *const *in, size_t n) {
  urn u = {.good = -1}; // no numbers are negative
  if (n == 0 || !are_neighbours(in[3], in[4], in[5], n)) {
    loop_random_hypergeometric(out, in, n);
    return;
  }
  for (size_t k = 0; k < n; k += TRIED) hypergeometric_some(out, in, k, n - k < TRIED ? n - k : TRIED, &u);
}

// What draws of a binomial distribution share, as m_random_binomial has them; share: the smaller probability.
enum { MOST_ODDS = 128 }; // means below 10 have no odds left there
typedef struct coin {
  T n, p, whole, share;
  int ok, large;
  T a, b, middle;
  T odds[MOST_ODDS];
} coin;

static void fill_coin(coin *c, T n, T p) {
  c->n = n;
  c->p = p;
  c->ok = ((n >= 0) & (p >= 0) & (p <= 1)) != 0 && !m_isinf(n);
  if (!c->ok) return;
  c->whole = m_floor(n);
  c->share = p > (T)0.5 ? 1 - p : p;
  c->large = c->whole * c->share >= 10;
  if (c->large) {
    c->b = m_binomial_b(m_binomial_deviation(c->whole, c->share));
    c->a = m_binomial_a(c->b, c->share);
    c->middle = c->whole * c->share + (T)0.5;
    return;
  }
  const T down = c->share / (1 - c->share), up = (c->whole + 1) * down;
  c->odds[0] = m_exp(c->whole * m_log1p(-c->share));
  for (int k = 1; k < MOST_ODDS; k++) c->odds[k] = c->odds[k - 1] * (up / (T)k - down);
  c->odds[MOST_ODDS - 1] = 0;
}

// m_count_up with what it computes
static T count_up_odds(const T *odds, T u) {
  int k = 0;
  for (; u >= odds[k] && odds[k] > (T)1e-20; k++) u = u - odds[k];
  return (T)k;
}

// n <= TRIED consecutive positions. The numbers of all first trials are made together.
static void binomial_some(T *d, const void *const *in, size_t from, size_t n, coin *c) {
  const T *count = in[0], *chance = in[1];
  const long long *at = in[2], seed = *(const long long *)in[3], call = *(const long long *)in[4];
  unsigned w[4 * TRIED];
  T one[TRIED], two[TRIED];
  draw_blocks(w, (unsigned long long)at[from], n, (unsigned long long)call, (unsigned long long)seed);
  INDEPENDENT for (size_t k = 0; k < n; k++) {
    one[k] = m_unit(r_join(w[4 * k], w[4 * k + 1]));
    two[k] = m_unit(r_join(w[4 * k + 2], w[4 * k + 3]));
  }
  for (size_t k = 0; k < n; k++) {
    if (count[from + k] != c->n || chance[from + k] != c->p) fill_coin(c, count[from + k], chance[from + k]);
    if (!c->ok) {
      d[from + k] = m_nan_like(count[from + k]);
      continue;
    }
    T us, x;
    if (c->large) {
      x = m_transformed_of(one[k], c->a, c->b, c->middle, &us);
      if (!m_binomial_soon(us, two[k], c->b))
        x = m_binomial_large(c->whole, c->share, at[from + k], seed, call);
    } else {
      x = count_up_odds(c->odds, one[k]);
      x = x < c->whole ? x : c->whole;
    }
    d[from + k] = c->p > (T)0.5 ? c->whole - x : x;
  }
}

static void drawn_binomial(void *out, const void *const *in, size_t n) {
  coin c = {.n = -1, .p = -1}; // for which nothing is known
  if (n == 0 || !are_neighbours(in[2], in[3], in[4], n)) {
    loop_random_binomial(out, in, n);
    return;
  }
  for (size_t k = 0; k < n; k += TRIED) binomial_some(out, in, k, n - k < TRIED ? n - k : TRIED, &c);
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

#define loop_random_gamma          drawn_gamma
#define loop_random_log_gamma      drawn_log_gamma
#define loop_random_poisson        drawn_poisson
#define loop_random_hypergeometric drawn_hypergeometric
#define loop_random_binomial       drawn_binomial
#endif
