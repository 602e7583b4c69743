"""Writes special.lua: values of cp.scipy.special's functions by mpmath and SciPy, for spec/special_spec.lua.

    python3 spec/golden/special.py
"""

import os
import textwrap

import mpmath
import numpy as np
from scipy import special

HERE = os.path.dirname(os.path.abspath(__file__))
mpmath.mp.dps = 30

SMALL = [1e-10, 1e-3, 0.1, 0.5, 0.9, 1, 1.5, 2.3, 4, 5.5, 7.9, 8, 8.1, 12, 15.9, 16.1, 25, 60.5, 300]
BOTH = [-v for v in SMALL] + [0] + SMALL
SHARES = [1e-100, 1e-10, 1e-3, 0.02, 0.1, 0.24, 0.26, 0.4, 0.499, 0.5, 0.6, 0.75, 0.9, 0.99, 0.999999]
REAL = [-12.5, -5.3, -1.7, -0.6, -0.3, 0.2, 1, 1.4616, 2, 3.7, 9.9, 10.1, 55, 1e5]
PAIRS = [(0, 0), (0, 2), (1, 0.5), (2.5, 3), (0.1, 1e-3), (30, 0.2), (7, 7), (1e-8, 5)]
BETAS = [(0.5, 0.5), (1, 3), (2.5, 0.01), (12, 14), (40, 2), (90, 120), (3, 1e-5)]
ZETAS = [(2, 1), (1.01, 1), (3.5, 0.25), (7, 12), (30, 1), (2, 100), (2.5, 1e4), (60, 0.5)]
BOXCOX = [(0.5, 0), (3, 0), (0.1, 1), (7, 2), (2, -1), (5, 0.5), (1.0000001, 3), (40, -0.25)]
BOXCOX_INVERSE = [(0.5, 0), (-3, 0), (0.1, 1), (7, 2), (0.5, -1), (5, 0.5), (1e-7, 3), (2, -0.25)]
HUBER = [(1, 0.5), (1, -0.5), (1, 2), (1, -3), (0, 2), (0.5, 0.5), (-1, 1), (2.5, -100)]
POLYGAMMA = [(0, 4.5), (1, 1), (1, 0.25), (2, 3), (3, 0.5), (4, 20), (5, 2.5), (7, 1)]


def erfcinv(q):
    guess = mpmath.sqrt(-mpmath.log(q * 3)) if q < 1e-25 else mpmath.erfinv(1 - q)
    return mpmath.findroot(lambda t: mpmath.log(mpmath.erfc(t) / q), guess) if q < 0.1 else mpmath.erfinv(1 - q)


ONE = {
    "j0": (BOTH, lambda x: mpmath.besselj(0, x)),
    "j1": (BOTH, lambda x: mpmath.besselj(1, x)),
    "y0": (SMALL, lambda x: mpmath.bessely(0, x)),
    "y1": (SMALL, lambda x: mpmath.bessely(1, x)),
    "i0": (BOTH, lambda x: mpmath.besseli(0, x)),
    "i0e": (BOTH, lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x))),
    "i1": (BOTH, lambda x: mpmath.besseli(1, x)),
    "i1e": (BOTH, lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x))),
    "erfinv": ([2 * p - 1 for p in SHARES], mpmath.erfinv),
    "erfcinv": ([2 * p for p in SHARES], erfcinv),
    "ndtr": ([-37, -20, -9.7, -3, -1, -0.1, 0, 0.3, 2, 6], mpmath.ncdf),
    "ndtri": (SHARES, lambda p: -mpmath.sqrt(2) * erfcinv(2 * p)),
    "digamma": (REAL, mpmath.digamma),
    "gammaln": ([v for v in REAL if v > 0], mpmath.loggamma),
    "expit": ([-700, -40, -3, -0.1, 0, 0.5, 4, 40], lambda x: 1 / (1 + mpmath.exp(-x))),
    "log_expit": ([-700, -40, -3, -0.1, 0, 0.5, 4, 40], lambda x: -mpmath.log1p(mpmath.exp(-x))),
    "logit": ([1e-20, 0.01, 0.3, 0.499, 0.5, 0.501, 0.7, 0.99], lambda p: mpmath.log(p / (1 - p))),
    "entr": ([0, 1e-5, 0.3, 1, 4], lambda x: -x * mpmath.log(x) if x else 0),
    "exp10": ([-40, -20.5, -3.25, -1, 0, 0.3, 2, 17, 30.5], lambda x: mpmath.mpf(10) ** x),
    "cosm1": ([-40, -3, -1e-3, -1e-8, 0, 1e-6, 0.1, 1.5, 6.3, 20], lambda x: mpmath.cos(x) - 1),
    "exprel": ([-40, -3, -1e-3, -1e-8, 0, 1e-6, 0.1, 1.5, 6.3, 40], lambda x: mpmath.expm1(x) / x if x else 1),
    "rgamma": ([-5.5, -3, -1, -0.5, 0, 0.25, 1, 2.5, 7, 33.3], lambda x: mpmath.rgamma(x)),
    "log_ndtr": ([-200, -50, -14.5, -13.5, -5, -1, 0, 0.5, 1.5, 6], lambda x: mpmath.log(mpmath.ncdf(x))),
}

TWO = {
    "xlogy": (PAIRS, special.xlogy),
    "xlog1py": (PAIRS, special.xlog1py),
    "rel_entr": (PAIRS, special.rel_entr),
    "kl_div": (PAIRS, special.kl_div),
    "beta": (BETAS, lambda a, b: mpmath.beta(a, b)),
    "betaln": (BETAS, lambda a, b: mpmath.log(mpmath.beta(a, b))),
    "zeta": (ZETAS, mpmath.zeta),
    "boxcox": (BOXCOX, lambda x, k: (mpmath.mpf(x) ** k - 1) / k if k else mpmath.log(x)),
    "inv_boxcox": (BOXCOX_INVERSE, lambda y, k: (1 + mpmath.mpf(k) * y) ** (1 / mpmath.mpf(k)) if k else mpmath.exp(y)),
    "huber": (HUBER, special.huber),
    "polygamma": (POLYGAMMA, lambda n, x: mpmath.polygamma(n, x)),
}


def number(v):
    v = float(v)
    return "nan" if np.isnan(v) else "inf" if v == np.inf else "-inf" if v == -np.inf else "%.17g" % v


def table(values):
    text = "{ " + ", ".join(number(v) for v in values) + " }"
    return "\n".join(textwrap.wrap(text, 100, subsequent_indent="      "))


def exactly(xs, dtype):
    return [float(dtype(x)) for x in xs]


def main():
    with open(os.path.join(HERE, "special.lua"), "w", newline="\n") as f:
        f.write("-- Written by special.py: {x, f(x) for float64, f of x as float32}, and the same of pairs.\n")
        f.write("local inf, nan = math.huge, 0 / 0 -- luacheck: ignore\nreturn {\n  one = {\n")
        for name, (xs, fn) in ONE.items():
            near = exactly(xs, np.float32)
            f.write("    %s = {\n      %s,\n      %s,\n      %s },\n" % (name, table(xs), table(fn(mpmath.mpf(float(x))) for x in xs),
                table(fn(mpmath.mpf(x)) if x or name != "ndtri" and name != "erfcinv" else np.nan for x in near)))
        f.write("  },\n  two = {\n")
        for name, (pairs, fn) in TWO.items():
            x, y = zip(*pairs)
            f.write("    %s = {\n      %s,\n      %s,\n      %s },\n" % (name, table(x), table(y), table(fn(a, b) for a, b in pairs)))
        f.write("  },\n}\n")


if __name__ == "__main__":
    main()
