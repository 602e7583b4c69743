/* Draws by rejection for a floating type: text that float32.h and float64.h share, without an include guard.
   Element `position` of a draw takes as many trials as it needs, each with a Philox block of its own
   (r_trial), so that its value depends only on its position, the parameters, the seed and the call.
   Parameters out of range give nan.

   Written in the common subset of C11 and CUDA C++, without headers. */
#define D_TRIALS 1000u /* never reached, as every method accepts more than a third of its trials */

/* log(1 + y) - y for y > -1, without cancellation */
CP_SLOW M_REAL m_log1p_rest(M_REAL y) {
  M_REAL p = (M_REAL)(-1.0 / 10);
  if (!(m_abs(y) < (M_REAL)0.03)) return m_log1p(y) - y;
  p = m_fma(p, y, (M_REAL)(1.0 / 9));
  p = m_fma(p, y, (M_REAL)(-1.0 / 8));
  p = m_fma(p, y, (M_REAL)(1.0 / 7));
  p = m_fma(p, y, (M_REAL)(-1.0 / 6));
  p = m_fma(p, y, (M_REAL)(1.0 / 5));
  p = m_fma(p, y, (M_REAL)(-1.0 / 4));
  p = m_fma(p, y, (M_REAL)(1.0 / 3));
  p = m_fma(p, y, (M_REAL)(-1.0 / 2));
  return p * (y * y);
}

/* ---- gamma: Marsaglia and Tsang, "A simple method for generating gamma variables", 2000 */

/* Logarithm of the acceptance probability of a trial with t = c x: x^2 / 2 + d (1 - v + log v), v = (1 +
   t)^3, d = 1 / (9 c^2) */
CP_FN M_REAL m_gamma_log_accept(M_REAL t, M_REAL d) {
  M_REAL far = 3 * d * (((m_log1p(t) - t) + (M_REAL)0.5 * t * t) - t * t * t * (M_REAL)(1.0 / 3)), p;
  p = m_fma(m_fma(m_fma((M_REAL)(1.0 / 7), t, (M_REAL)(-1.0 / 6)), t, (M_REAL)(1.0 / 5)), t,
            (M_REAL)(-1.0 / 4));
  p = 3 * d * p * (t * t) * (t * t);
  return m_abs(t) < (M_REAL)0.05 ? p : far;
}

/* d and c for the shape a, or for a + 1 if a < 1 */
CP_FN M_REAL m_gamma_d(M_REAL a) { return (a < 1 ? a + 1 : a) - (M_REAL)(1.0 / 3); }
CP_FN M_REAL m_gamma_c(M_REAL d) { return 1 / m_sqrt(9 * d); }

/* The result v of a trial with the normal number x, or 0 if it is rejected; `one` is the uniform number that
   decides. */
CP_FN M_REAL m_gamma_trial(M_REAL x, M_REAL one, M_REAL c, M_REAL d) {
  M_REAL t = c * x, v = 1 + t, accept = m_gamma_log_accept(t, d), log_one = m_log(1 - one);
  return ((v > 0) & (log_one < accept)) != 0 ? v * v * v : 0;
}

/* For a < 1: a number of shape a from an accepted one of shape a + 1, multiplied by u^(1/a). */
CP_FN M_REAL m_gamma_less(M_REAL v, M_REAL a, M_REAL two, int logarithm) {
  return logarithm ? m_log(v) + m_log(1 - two) / a : v * m_pow(1 - two, 1 / a);
}

/* A number of the gamma distribution of shape a, or its logarithm, by trials from this one on. */
CP_SLOW M_REAL m_gamma_draw(M_REAL a, unsigned trial, long long position, long long seed, long long call,
                            int logarithm) {
  M_REAL d, c, x, v, one, two;
  if (!(a > 0)) return a == 0 ? (logarithm ? -m_infinity_like(a) : 0) : m_nan_like(a);
  if (m_isinf(a)) return a;
  d = m_gamma_d(a);
  c = m_gamma_c(d);
  for (v = 0, two = 0; trial < D_TRIALS && v == 0; trial++) {
    x = m_normal_trial(position, trial, seed, call, &one, &two);
    v = m_gamma_trial(x, one, c, d);
  }
  v = d * v;
  if (a < 1) return m_gamma_less(v, a, two, logarithm);
  return logarithm ? m_log(v) : v;
}
CP_FN M_REAL m_random_gamma(M_REAL a, long long position, long long seed, long long call) {
  return m_gamma_draw(a, 0u, position, seed, call, 0);
}
CP_FN M_REAL m_random_log_gamma(M_REAL a, long long position, long long seed, long long call) {
  return m_gamma_draw(a, 0u, position, seed, call, 1);
}

/* ---- Poisson and binomial, with logarithms of probabilities by Loader's saddle-point expansion, "Fast and
   accurate computation of binomial probabilities", 2000. */

/* log(k!) minus Stirling's k log k - k + log(2 pi k) / 2, for an integer k > 0 */
CP_SLOW M_REAL m_stirling_rest(M_REAL k) {
  M_REAL f = 1, j, z = 1 / (k * k);
  if (k >= 10) {
    f = m_fma(m_fma(m_fma((M_REAL)(-1.0 / 1680), z, (M_REAL)(1.0 / 1260)), z, (M_REAL)(-1.0 / 360)), z,
              (M_REAL)(1.0 / 12));
    return f / k;
  }
  for (j = 2; j <= k; j++) f = f * j;
  return m_log(f) - ((k + (M_REAL)0.5) * m_log(k) - k + (M_REAL)0.91893853320467274);
}

/* k log(k / mean) + mean - k, for k > 0 */
CP_FN M_REAL m_deviance(M_REAL k, M_REAL mean) { return -k * m_log1p_rest((mean - k) / k); }

CP_SLOW M_REAL m_poisson_log(M_REAL k, M_REAL mean) {
  if (k == 0) return -mean;
  return -m_stirling_rest(k) - m_deviance(k, mean) - (M_REAL)0.5 * m_log((M_REAL)6.2831853071795865 * k);
}

CP_SLOW M_REAL m_binomial_log(M_REAL k, M_REAL n, M_REAL p) {
  M_REAL left = n - k;
  if (k == 0) return n * m_log1p(-p);
  if (left == 0) return n * m_log(p);
  return m_stirling_rest(n) - m_stirling_rest(k) - m_stirling_rest(left) - m_deviance(k, n * p) -
         m_deviance(left, n * (1 - p)) - (M_REAL)0.5 * m_log((M_REAL)6.2831853071795865 * k * (left / n));
}

/* For small means: the least k whose distribution function exceeds u, where 0 has probability p, and k has
   that of k - 1 times (up / k - down). */
CP_FN M_REAL m_count_up(M_REAL u, M_REAL p, M_REAL up, M_REAL down) {
  M_REAL k = 0;
  while (u >= p && p > (M_REAL)1e-20) {
    u = u - p;
    k = k + 1;
    p = p * (up / k - down);
  }
  return k;
}

CP_FN M_REAL m_transformed_of(M_REAL u, M_REAL a, M_REAL b, M_REAL middle, M_REAL *us) {
  u = u - (M_REAL)0.5;
  *us = (M_REAL)0.5 - m_abs(u);
  return m_floor((2 * a / *us + b) * u + middle);
}

/* One trial of Hoermann's transformed rejection: returns v; *k is the candidate, *us the distance of its
   uniform number from the ends. */
CP_FN M_REAL m_transformed(long long position, unsigned trial, long long seed, long long call, M_REAL a,
                           M_REAL b, M_REAL middle, M_REAL *k, M_REAL *us) {
  cp_philox_block w = r_trial(position, trial, seed, call);
  *k = m_transformed_of(m_unit(r_join(w.w[0], w.w[1])), a, b, middle, us);
  return m_unit(r_join(w.w[2], w.w[3]));
}

/* Hoermann, "The transformed rejection method for generating Poisson random variables", 1993: PTRS. A test of
   *us and v alone accepts most trials. */
CP_FN M_REAL m_poisson_b(M_REAL mean) { return (M_REAL)0.931 + (M_REAL)2.53 * m_sqrt(mean); }
CP_FN M_REAL m_poisson_a(M_REAL b) { return (M_REAL)-0.059 + (M_REAL)0.02483 * b; }
CP_FN int m_poisson_soon(M_REAL us, M_REAL v, M_REAL b) {
  return (us >= (M_REAL)0.07) & (v <= (M_REAL)0.9277 - (M_REAL)3.6224 / (b - 2));
}
CP_SLOW M_REAL m_poisson_large(M_REAL mean, long long position, long long seed, long long call) {
  M_REAL b = m_poisson_b(mean), a = m_poisson_a(b);
  M_REAL scale = (M_REAL)1.1239 + (M_REAL)1.1328 / (b - (M_REAL)3.4), k = 0, us, v;
  unsigned trial;
  for (trial = 0; trial < D_TRIALS; trial++) {
    v = m_transformed(position, trial, seed, call, a, b, mean + (M_REAL)0.43, &k, &us);
    if (m_poisson_soon(us, v, b)) break;
    if (!(k >= 0) || (us < (M_REAL)0.013 && v > us)) continue;
    if (m_log(v * scale / (a / (us * us) + b)) <= m_poisson_log(k, mean)) break;
  }
  return k;
}

CP_SLOW M_REAL m_random_poisson(M_REAL mean, long long position, long long seed, long long call) {
  cp_philox_block w;
  if (!(mean > 0)) return mean == 0 ? mean : m_nan_like(mean);
  if (m_isinf(mean)) return mean;
  if (mean >= 10) return m_poisson_large(mean, position, seed, call);
  w = r_trial(position, 0u, seed, call);
  return m_count_up(m_unit(r_join(w.w[0], w.w[1])), m_exp(-mean), mean, 0);
}

/* Hoermann, "The generation of binomial random variates", 1993: BTRS, for p <= 1/2 and n p >= 10. */
CP_FN M_REAL m_binomial_deviation(M_REAL n, M_REAL p) { return m_sqrt(n * p * (1 - p)); }
CP_FN M_REAL m_binomial_b(M_REAL deviation) { return (M_REAL)1.15 + (M_REAL)2.53 * deviation; }
CP_FN M_REAL m_binomial_a(M_REAL b, M_REAL p) {
  return (M_REAL)-0.0873 + (M_REAL)0.0248 * b + (M_REAL)0.01 * p;
}
CP_FN int m_binomial_soon(M_REAL us, M_REAL v, M_REAL b) {
  return (us >= (M_REAL)0.07) & (v <= (M_REAL)0.92 - (M_REAL)4.2 / b);
}
CP_SLOW M_REAL m_binomial_large(M_REAL n, M_REAL p, long long position, long long seed, long long call) {
  M_REAL deviation = m_binomial_deviation(n, p), b = m_binomial_b(deviation);
  M_REAL a = m_binomial_a(b, p), k = 0, us, v;
  M_REAL scale = ((M_REAL)2.83 + (M_REAL)5.1 / b) * deviation,
         top = m_binomial_log(m_floor((n + 1) * p), n, p);
  unsigned trial;
  for (trial = 0; trial < D_TRIALS; trial++) {
    v = m_transformed(position, trial, seed, call, a, b, n * p + (M_REAL)0.5, &k, &us);
    if (m_binomial_soon(us, v, b)) break;
    if (!(k >= 0 && k <= n)) continue;
    if (m_log(v * scale / (a / (us * us) + b)) <= m_binomial_log(k, n, p) - top) break;
  }
  return k;
}

CP_SLOW M_REAL m_random_binomial(M_REAL n, M_REAL p, long long position, long long seed, long long call) {
  M_REAL q = p > (M_REAL)0.5 ? 1 - p : p, k;
  cp_philox_block w;
  if (!(n >= 0 && p >= 0 && p <= 1) || m_isinf(n)) return m_nan_like(n);
  n = m_floor(n);
  if (n * q >= 10) {
    k = m_binomial_large(n, q, position, seed, call);
  } else {
    w = r_trial(position, 0u, seed, call);
    k = m_count_up(m_unit(r_join(w.w[0], w.w[1])), m_exp(n * m_log1p(-q)), (n + 1) * (q / (1 - q)),
                   q / (1 - q));
    k = k < n ? k : n;
  }
  return p > (M_REAL)0.5 ? n - k : k;
}

/* ---- hypergeometric: how many of m drawn elements belong to the few, for at most half of all */

/* The logarithm of the probability, up to a constant: that of k of the few and m - k of the many, each drawn
   with the same probability. */
CP_SLOW M_REAL m_hypergeometric_log(M_REAL k, M_REAL few, M_REAL many, M_REAL m) {
  M_REAL p = m / (few + many);
  return m_binomial_log(k, few, p) + m_binomial_log(m - k, many, p);
}

/* Stadlober, "Sampling from Poisson, binomial and hypergeometric distributions: ratio of uniforms as a simple
   and fast alternative", 1989: the middle of the hat, its width, the first candidate beyond the last one, and
   the greatest logarithm of a probability. */
CP_FN M_REAL m_hypergeometric_hat(M_REAL few, M_REAL many, M_REAL m, M_REAL *width, M_REAL *end,
                                  M_REAL *top) {
  M_REAL total = few + many, mean = m * (few / total);
  M_REAL c = m_sqrt(mean * (many / total) * ((total - m) / (total - 1)) + (M_REAL)0.5);
  M_REAL most = (m < few ? m : few) + 1;
  *width = (M_REAL)1.7155277699214135 * c + (M_REAL)0.8989161620588988;
  *end = m_floor(mean + (M_REAL)0.5 + 16 * c);
  *end = *end < most ? *end : most;
  *top = m_hypergeometric_log(m_floor((m + 1) * ((few + 1) / (total + 2))), few, many, m);
  return mean + (M_REAL)0.5;
}
/* A trial's candidate, before it is rounded down; *u is the uniform number that decides on it. */
CP_FN M_REAL m_hypergeometric_trial(cp_philox_block w, M_REAL middle, M_REAL width, M_REAL *u) {
  *u = 1 - m_unit(r_join(w.w[0], w.w[1]));
  return middle + width * ((m_unit(r_join(w.w[2], w.w[3])) - (M_REAL)0.5) / *u);
}
CP_SLOW M_REAL m_hypergeometric_large(M_REAL few, M_REAL many, M_REAL m, long long position, long long seed,
                                      long long call) {
  M_REAL width, end, top, middle = m_hypergeometric_hat(few, many, m, &width, &end, &top), u, x, k = 0;
  unsigned trial;
  for (trial = 0; trial < D_TRIALS; trial++) {
    x = m_hypergeometric_trial(r_trial(position, trial, seed, call), middle, width, &u);
    if (!(x >= 0 && x < end)) continue;
    k = m_floor(x);
    if (2 * m_log(u) <= m_hypergeometric_log(k, few, many, m) - top) break;
  }
  return k;
}

/* The probability of 0, and that of k over that of k - 1, for few draws */
CP_FN M_REAL m_hypergeometric_none(M_REAL few, M_REAL many, M_REAL m) {
  M_REAL p = 1, i;
  for (i = 0; i < m; i++) p = p * ((many - i) / (few + many - i));
  return p;
}
CP_FN M_REAL m_hypergeometric_ratio(M_REAL few, M_REAL many, M_REAL m, M_REAL k) {
  return (few - k + 1) / k * ((m - k + 1) / (many - m + k));
}
/* The least k whose distribution function exceeds u. */
CP_SLOW M_REAL m_hypergeometric_small(M_REAL few, M_REAL many, M_REAL m, M_REAL u) {
  M_REAL p = m_hypergeometric_none(few, many, m), k;
  for (k = 0; u >= p && k < m && k < few;) {
    u = u - p;
    k = k + 1;
    p = p * m_hypergeometric_ratio(few, many, m, k);
  }
  return k;
}

/* How many of the few are drawn, from how many there are of them in a sample of at most half: k of them are
   in it, and `m` elements, or else in the rest. */
CP_FN M_REAL m_hypergeometric_result(M_REAL good, M_REAL bad, M_REAL sample, M_REAL m, M_REAL k) {
  M_REAL few = good < bad ? good : bad;
  k = m == sample ? k : few - k; /* counts those drawn of the few, not those left */
  return good < bad ? k : sample - k;
}
/* Whether there are such numbers. */
CP_FN int m_hypergeometric_ok(M_REAL good, M_REAL bad, M_REAL sample) {
  return good >= 0 && bad >= 0 && sample >= 0 && sample <= good + bad && !m_isinf(good + bad);
}

CP_SLOW M_REAL m_random_hypergeometric(M_REAL good, M_REAL bad, long long count, long long position,
                                       long long seed, long long call) {
  M_REAL sample = (M_REAL)count, few, many, m, k;
  cp_philox_block w;
  good = m_floor(good);
  bad = m_floor(bad);
  if (!m_hypergeometric_ok(good, bad, sample)) return m_nan_like(good);
  few = good < bad ? good : bad;
  many = good < bad ? bad : good;
  m = 2 * sample <= few + many ? sample : few + many - sample;
  if (m < 10) {
    w = r_trial(position, 0u, seed, call);
    k = m_hypergeometric_small(few, many, m, m_unit(r_join(w.w[0], w.w[1])));
  } else {
    k = m_hypergeometric_large(few, many, m, position, seed, call);
  }
  return m_hypergeometric_result(good, bad, sample, m, k);
}

/* ---- von Mises: Best and Fisher, "Efficient simulation of the von Mises distribution", 1979; around 0 */

CP_SLOW M_REAL m_random_vonmises(M_REAL kappa, long long position, long long seed, long long call) {
  M_REAL r, s, z, w = 0, y, v, one, two;
  unsigned trial, sign = 0;
  if (!(kappa >= 0)) return m_nan_like(kappa);
  if (kappa > (M_REAL)1e6) return m_normal_trial(position, 0u, seed, call, &one, &two) / m_sqrt(kappa);
  r = 1 + m_sqrt(1 + 4 * kappa * kappa);
  z = 2 * kappa / (r + m_sqrt(2 * r)); /* (r - sqrt(2 r)) / (2 kappa), without cancellation */
  s = kappa < (M_REAL)1e-5 ? 1 / kappa + kappa : (1 + z * z) / (2 * z);
  for (trial = 0; trial < D_TRIALS; trial++) {
    cp_philox_block b = r_trial(position, trial, seed, call);
    z = m_cos((M_REAL)3.1415926535897932 * m_unit(r_join(b.w[0], b.w[1])));
    w = kappa < (M_REAL)1e-8 ? z : (1 + s * z) / (s + z);
    y = kappa * (s - w);
    v = m_unit(r_join(b.w[2], b.w[3]));
    sign = b.w[0] & 1u;
    if (kappa < (M_REAL)1e-8 || y * (2 - y) >= v || m_log(y / v) + 1 >= y) break;
  }
  w = w < 1 ? w : 1;
  z = m_arccos(w > -1 ? w : -1);
  return sign != 0u ? -z : z;
}

/* ---- Zipf: Devroye, "Non-uniform random variate generation", 1986, X.6 */

CP_SLOW M_REAL m_random_zipf(M_REAL a, long long position, long long seed, long long call) {
  M_REAL b = m_pow(2, a - 1), x = 1, u, t;
  unsigned trial;
  if (!(a > 1)) return m_nan_like(a);
  for (trial = 0; trial < D_TRIALS && !m_isinf(b); trial++) {
    cp_philox_block w = r_trial(position, trial, seed, call);
    u = 1 - m_unit(r_join(w.w[0], w.w[1]));
    x = m_floor(m_pow(u, -1 / (a - 1)));
    if (!(x < (M_REAL)9.2e18)) continue;
    t = m_pow(1 + 1 / x, a - 1);
    if (m_unit(r_join(w.w[2], w.w[3])) * x * (t - 1) / (b - 1) <= t / b) return x;
  }
  return 1;
}
#undef D_TRIALS
