"""Writes draws.lua, what spec/scipy/random_spec.lua compares with: numbers of Philox4x32-10 and what is made of them, by NumPy's
integers and formulas; for each distribution SciPy's quantiles (16 bins of equal probability) or probabilities.

    python3 spec/golden/make.py draws
"""

import os
import textwrap

import numpy as np
from scipy import stats

HERE = os.path.dirname(os.path.abspath(__file__))
BINS = 16
SEED, CALL = 0x0123456789ABCDEF & (2**53 - 1), 5


def philox(block, call, seed):
    """Words of the blocks (an array), as uint32 (n, 4)."""
    c = [np.asarray(block, np.uint64) & np.uint64(0xFFFFFFFF), np.asarray(block, np.uint64) >> np.uint64(32)]
    c += [np.full_like(c[0], call & 0xFFFFFFFF), np.full_like(c[0], call >> 32)]
    k = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        high, low = np.uint64(32), np.uint64(0xFFFFFFFF)
        c = [(b >> high) ^ c[1] ^ np.uint64(k[0]), b & low, (a >> high) ^ c[3] ^ np.uint64(k[1]), a & low]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(c, -1)


def words32(n):
    return philox(np.arange((n + 3) // 4), CALL, SEED).ravel()[:n]


def words64(n):
    w = philox(np.arange((n + 1) // 2), CALL, SEED)
    return (w[:, 0::2] | w[:, 1::2] << np.uint64(32)).ravel()[:n]


def normals(n, uniforms, turns):
    """Box and Muller: uniforms and turns hold (k, m) words as floats of [0, 1)."""
    radius = np.sqrt(-2 * np.log(uniforms))
    both = np.stack([radius * np.cos(2 * np.pi * turns), radius * np.sin(2 * np.pi * turns)], -1)
    return both.reshape(-1)[:n]


def normal32(n):
    w = philox(np.arange((n + 3) // 4), CALL, SEED).astype(float)
    return normals(n, (w[:, 0::2] + 0.5) * 2.0**-32, w[:, 1::2] * 2.0**-32)


def normal64(n):
    w = words64(2 * n).reshape(-1, 2)
    return normals(n, ((w[:, 0] >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53, w[:, 1].astype(float) * 2.0**-64)


def table(values):
    text = "{ " + ", ".join("%.17g" % float(v) for v in values) + " }"
    return "\n".join(textwrap.wrap(text, 104, subsequent_indent="      "))


def integers(n, bound):
    return [(int(w) * bound) >> 64 for w in words64(n)]


CONTINUOUS = [
    ("random", "", stats.uniform()),
    ("uniform", "-2, 5", stats.uniform(-2, 7)),
    ("normal", "3, 2", stats.norm(3, 2)),
    ("standard_normal", "", stats.norm()),
    ("lognormal", "0.5, 0.75", stats.lognorm(0.75, scale=np.exp(0.5))),
    ("exponential", "3", stats.expon(scale=3)),
    ("standard_exponential", "", stats.expon()),
    ("laplace", "1, 2", stats.laplace(1, 2)),
    ("logistic", "1, 2", stats.logistic(1, 2)),
    ("gumbel", "1, 2", stats.gumbel_r(1, 2)),
    ("pareto", "2.5", stats.lomax(2.5)),
    ("rayleigh", "2", stats.rayleigh(scale=2)),
    ("weibull", "1.5", stats.weibull_min(1.5)),
    ("power", "2.5", stats.powerlaw(2.5)),
    ("standard_cauchy", "", stats.cauchy()),
    ("triangular", "-3, 0, 8", stats.triang(3 / 11, -3, 11)),
    ("wald", "3, 2", stats.invgauss(1.5, scale=2)),
    ("gamma", "0.3, 2", stats.gamma(0.3, scale=2)),
    ("gamma", "4.5, 2", stats.gamma(4.5, scale=2)),
    ("standard_gamma", "1", stats.gamma(1)),
    ("standard_gamma", "2000", stats.gamma(2000)),
    ("chisquare", "3", stats.chi2(3)),
    ("noncentral_chisquare", "3, 2", stats.ncx2(3, 2)),
    ("f", "5, 20", stats.f(5, 20)),
    ("noncentral_f", "5, 20, 1.5", stats.ncf(5, 20, 1.5)),
    ("standard_t", "4", stats.t(4)),
    ("beta", "2, 3", stats.beta(2, 3)),
    ("beta", "0.1, 0.4", stats.beta(0.1, 0.4)),
    ("vonmises", "0, 2.5", stats.vonmises(2.5)),
    ("vonmises", "0, 0", stats.uniform(-np.pi, 2 * np.pi)),
]

DISCRETE = [
    ("integers", "-3, 6", stats.randint(-3, 6)),
    ("poisson", "0.5", stats.poisson(0.5)),
    ("poisson", "9.5", stats.poisson(9.5)),
    ("poisson", "10.5", stats.poisson(10.5)),
    ("poisson", "150", stats.poisson(150)),
    ("binomial", "12, 0.3", stats.binom(12, 0.3)),
    ("binomial", "40, 0.4", stats.binom(40, 0.4)),
    ("binomial", "300, 0.85", stats.binom(300, 0.85)),
    ("binomial", "50, 0.95", stats.binom(50, 0.95)),
    ("geometric", "0.35", stats.geom(0.35)),
    ("negative_binomial", "3.5, 0.4", stats.nbinom(3.5, 0.4)),
    ("logseries", "0.8", stats.logser(0.8)),
    ("zipf", "2.5", stats.zipf(2.5)),
    ("hypergeometric", "7, 30, 5", stats.hypergeom(37, 7, 5)),
    ("hypergeometric", "30, 7, 34", stats.hypergeom(37, 30, 34)),
    ("hypergeometric", "15, 15, 15", stats.hypergeom(30, 15, 15)),
    ("hypergeometric", "6, 90, 40", stats.hypergeom(96, 6, 40)),
    ("hypergeometric", "5000, 800, 4000", stats.hypergeom(5800, 5000, 4000)),
    ("hypergeometric", "1000, 3000, 200", stats.hypergeom(4000, 1000, 200)),
]


def bins(d, n=30000):
    """Probabilities of values first, first + 1, ...: enough for n draws to expect 20 of each; what is below and above
    joins the ends."""
    low, high = int(d.ppf(0.002)), int(d.ppf(0.998))
    while n * d.cdf(low) < 20:
        low += 1
    while n * d.sf(high - 1) < 20:
        high -= 1
    p = d.pmf(np.arange(low, high + 1))
    p[0], p[-1] = d.cdf(low), d.sf(high - 1)
    return low, p


def main():
    with open(os.path.join(HERE, "draws.lua"), "w", newline="\n") as f:
        def say(*words):
            f.write("".join(words) + "\n")
        say("-- Written by draws.py.")
        say("return {")
        say("  high = %d, low = %d, call = %d," % (SEED >> 32, SEED & 0xFFFFFFFF, CALL))
        say("  words = %s," % table(words32(8)))
        say("  uniform = {")
        say("    float32 =\n      %s," % table((words32(8) >> np.uint64(8)) * 2.0**-24))
        say("    float64 =\n      %s }," % table((words64(8) >> np.uint64(11)) * 2.0**-53))
        say("  normal = {")
        say("    float32 =\n      %s," % table(normal32(8)))
        say("    float64 =\n      %s }," % table(normal64(8)))
        say("  integers = %s," % table(integers(8, 1000)))
        say("  continuous = { -- at most `limit` in all but one of 10^5 samples")
        say("    limit = %.17g," % stats.chi2(BINS - 1).isf(1e-5))
        for name, args, d in CONTINUOUS:
            say('    { name = "%s", args = "%s", edges =\n      %s },' % (name, args, table(d.ppf(np.arange(1, BINS) / BINS))))
        say("  },")
        say("  discrete = {")
        for name, args, d in DISCRETE:
            low, p = bins(d)
            say('    { name = "%s", args = "%s", first = %d, limit = %.17g, p =\n      %s },' % (
                name, args, low, stats.chi2(len(p) - 1).isf(1e-5), table(p)))
        say("  },")
        say("}")


if __name__ == "__main__":
    main()
