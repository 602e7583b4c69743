"""Writes special.lua: values of cp.scipy.special's functions by mpmath and SciPy, for spec/scipy/special_spec.lua, and
special_types.lua: the dtypes of their results by SciPy.

    python3 spec/golden/make.py special
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
BETAS = [(0.5, 0.5), (1, 3), (2.5, 0.01), (12, 14), (40, 2), (90, 120), (3, 1e-5), (0.5, 1e12), (1e15, 2.5), (30, 1e-30), (1e-25, 1e-25), (1e6, 20),
         (1, -200.5), (-200.5, 1), (-3.5, 2.25), (-0.25, -0.5), (-1.5, -7.25), (-20.25, 9), (-400.75, 500), (-30.5, 1e8), (-2.5, 2.5000001)]
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
    "zeta": ([-260.00000000001, -171.5, -41.25, -7.75, -4, -2.5, -1, -0.51, -0.49, -1e-4, 0, 1e-10, 0.3, 0.75, 0.999999, 1.25, 3, 60], mpmath.zeta),
    "log_ndtr": ([-200, -50, -14.5, -13.5, -5, -1, 0, 0.5, 1.5, 6], lambda x: mpmath.log(mpmath.ncdf(x))),
}

def beta(a, b):
    with mpmath.workdps(80):  # log gamma of large arguments shares its first digits with others
        return mpmath.beta(a, b)


TWO = {
    "xlogy": (PAIRS, special.xlogy),
    "xlog1py": (PAIRS, special.xlog1py),
    "rel_entr": (PAIRS, special.rel_entr),
    "kl_div": (PAIRS, special.kl_div),
    "beta": (BETAS, beta),
    "betaln": (BETAS, lambda a, b: mpmath.log(abs(beta(a, b)))),
    "zeta": (ZETAS, mpmath.zeta),
    "boxcox": (BOXCOX, lambda x, k: (mpmath.mpf(x) ** k - 1) / k if k else mpmath.log(x)),
    "inv_boxcox": (BOXCOX_INVERSE, lambda y, k: (1 + mpmath.mpf(k) * y) ** (1 / mpmath.mpf(k)) if k else mpmath.exp(y)),
    "huber": (HUBER, special.huber),
    "polygamma": (POLYGAMMA, lambda n, x: mpmath.polygamma(n, x)),
}

GAMMAS = [(0.5, 0.01), (0.5, 0.7), (0.5, 3), (1e-6, 0.3), (1e-6, 2), (0.02, 1e-30), (1, 1), (3, 0.1), (3, 2.9), (3, 40), (9.5, 9),
          (12, 30), (25, 24), (25, 26), (25, 60), (100, 70), (100, 131), (1000, 990), (1000, 1100), (3e4, 2.99e4), (3e4, 3.05e4)]
SHAPES = [(0.5, 0.5, 0.3), (0.5, 0.5, 0.999), (2, 3, 0.4), (2, 3, 1e-8), (1e-4, 2, 0.1), (2, 1e-4, 0.9), (30, 0.2, 0.98), (0.2, 30, 0.01),
          (7.5, 11, 0.9), (7.5, 11, 0.05), (120, 90, 0.5), (120, 90, 0.6), (900, 1100, 0.45), (900, 1100, 0.4), (0.7, 3000, 3e-4),
          (3000, 0.7, 0.9995), (1, 1, 0.25), (1e-5, 1e-5, 0.5)]
POISSON = [(0, 0.5), (3, 1e-4), (3.9, 2), (10, 12.5), (100, 100), (100, 160), (5, 50), (2000, 1900)]
TRIALS = [(0, 10, 0.3), (3, 10, 0.3), (3.7, 10, 0.3), (9, 10, 0.999), (50, 100, 0.4), (10, 100, 0.5), (400, 1000, 0.375), (2, 2, 0.75)]
VARIANCES = [(1, 1, 1), (2, 5, 0.3), (5, 2, 7), (10, 30, 1e-4), (10, 30, 4.5), (1, 200, 11), (200, 300, 1.1), (0.5, 0.5, 100)]
STUDENTS = [(1, 0.5), (1, -3), (1, 1e5), (2.5, -1e-8), (2.5, 0), (5, 2), (5, -20), (30, -0.9), (30, 1.1), (300, -8), (1e6, -2), (1e6, 0.01), (0.5, -7)]
CHOICES = [(5, 2), (52, 5), (60, 31), (0.5, 2), (0.5, 0.5), (-1.5, 3), (-1.5, 0.25), (2.5, 0.5), (2.5, 3.5), (2.5, -0.5), (-0.5, -0.25), (-2.5, -1.25),
           (3, 7), (7, -2), (100, 2.5), (100, 97.5), (1e-9, 2), (120, 60.25)]
ORDERS = [(0, 2.5), (1, 0.3), (2, 1e-3), (2, 7), (3, -7), (-3, 7), (-2, -5), (5, 0.9), (10, 9), (10, 11), (20, 4), (50, 45.5), (50, 300)]


def gamma_shares(upper):
    """The regularised incomplete gamma functions of mpmath, by the series or the integral of the other side."""
    bounds = (lambda x: (x, mpmath.inf)) if upper else (lambda x: (0, x))
    return lambda a, x: mpmath.gammainc(a, *bounds(x), regularized=True)


def beta_share(a, b, x):
    return mpmath.betainc(a, b, 0, x, regularized=True)


def pdtr(k, m):
    return mpmath.exp(-m) * sum(m**i / mpmath.factorial(i) for i in range(int(k) + 1))


def bdtr(k, n, p):
    return sum(mpmath.binomial(n, i) * p**i * (1 - p) ** (n - i) for i in range(int(k) + 1))


def stdtr(df, t):
    tail = beta_share(df / 2, mpmath.mpf(0.5), df / (df + t * t)) / 2
    return tail if t < 0 else 1 - tail


# {name: (arguments, function)}
SEVERAL = {
    "erfcx": ([(x,) for x in [-26, -9, -3, -0.1, 0, 1e-9, 0.5, 2, 3.75, 10, 27, 100]], lambda x: mpmath.exp(x * x) * mpmath.erfc(x)),
    "exp1": ([(x,) for x in [1e-30, 1e-3, 0.3, 1, 1.0001, 2, 3.99, 4.5, 11, 50, 80, 700]], mpmath.e1),
    "expi": ([(x,) for x in [-50, -3, -0.2, 1e-20, 0.3, 0.37, 0.3725, 0.4, 0.9, 1.9, 2.1, 17, 49, 51, 80, 712]], mpmath.ei),
    "gammainc": (GAMMAS, gamma_shares(False)),
    "gammaincc": (GAMMAS, gamma_shares(True)),
    "betainc": (SHAPES, beta_share),
    "pdtr": (POISSON, pdtr),
    "bdtr": (TRIALS, bdtr),
    "fdtr": (VARIANCES, lambda n, d, x: beta_share(n / 2, d / 2, n * x / (d + n * x))),
    "stdtr": (STUDENTS, stdtr),
    "binom": (CHOICES, mpmath.binomial),
    "jn": (ORDERS, lambda n, x: mpmath.besselj(int(n), x)),
    "yn": ([(n, abs(x)) for n, x in ORDERS], lambda n, x: mpmath.bessely(int(n), x)),
}

AROUND = [0.1 + 0.2j, 1 - 1e-8j, -1 + 0.5j, -4.9 - 0.1j, 3 + 3.9j, -5.1 + 1e-10j, -12 + 8j, -38 - 7j, -41 + 3j, -1 + 12j, 30 - 2j, 5j, -60 + 1j, 0.5 - 55j, -300 + 20j]
STRIP = [0.5 + 14.5j, 0.3 - 1.5j, 0.97 + 4.9j, 1 + 1e-8j, -2 + 1e-15j, -4 - 1e-15j, 1e-15j, 0.5 + 31.9j, 0.6 - 33j, -3.46 + 76.16j, 7.1 - 7.2j, 49.3 + 85.8j,
         -6.8 + 2.7j, -217.4 + 13.99j, 0.5 + 1000.5j, -1.5 - 200j, 8 + 1e5j, 2.5 - 130j]
COMPLEX = {"exp1": (AROUND, mpmath.e1), "expi": (AROUND, mpmath.ei), "zeta": (STRIP, mpmath.zeta)}

WHOLES = [-4, -3, -2.5, -1, -0.5, -0.0, 0, 0.5, 1, 2, 2.5, 3, 4, np.inf]  # of a pole and no number SciPy says inf
SPOTS = [-np.inf, -1.5, -1, -0.0, 0, 0.5, 2, 3, np.inf, np.nan]
TRIPLES = [(a, b, x) for a in [-1, 0, 2, np.inf, np.nan] for b in [-1, 0, 3, np.inf] for x in [-0.1, 0, 0.5, 1, 1.1, np.inf, np.nan]]
# What SciPy says of zeros, infinities and what is outside of a domain; {name: arguments}.
EDGES = {
    **{name: [(x,) for x in SPOTS] for name in ["erfcx", "exp1", "expi"]},
    **{name: [(a, x) for a in SPOTS for x in SPOTS] for name in ["gammainc", "gammaincc", "stdtr"]},
    "pdtr": [(k, m) for k in SPOTS[:-1] for m in SPOTS],  # of no number and 0 SciPy says 1
    **{name: [(n, x) for n in [-2, -1, 0, 1, 2, 5] for x in [-3.5, 0, 2, np.nan]] for name in ["jn", "yn"]},
    **{name: TRIPLES for name in ["betainc", "fdtr"]},
    "bdtr": [(k, n, p) for k in [-1, -0.5, 0, 2, 3, 3.5, np.nan] for n in [0, 3] for p in [-0.1, 0, 0.5, 1, 1.1, np.nan]],
    **{name: [(a, b) for a in WHOLES for b in WHOLES] for name in ["beta", "betaln"]},
    "binom": [(n, k) for n in [-2, -1.5, -1, 0, 0.5, 3, np.nan] for k in [-2, -1, 0, 1, 2, 4, np.nan]],
    "gammaln": [(x,) for x in SPOTS + [-4, 1, 1e306]],
    # of infinity and 2 SciPy says nan
    "zeta": [(x, q) for x in [-np.inf, -1.5, 0, 1, 1.5, 2, 3, np.nan] for q in SPOTS] + [(np.inf, q) for q in SPOTS if not 1 < q < 9],
}


def number(v):
    v = float(mpmath.re(v))
    return "nan" if np.isnan(v) else "inf" if v == np.inf else "-inf" if v == -np.inf else "%.17g" % v


def table(values):
    text = "{ " + ", ".join(number(v) for v in values) + " }"
    return "\n".join(textwrap.wrap(text, 100, subsequent_indent="      "))


def exactly(xs, dtype):
    return [float(dtype(x)) for x in xs]


def main():
    with open(os.path.join(HERE, "special.lua"), "w", newline="\n") as f:
        f.write("-- Written by special.py: {x, f(x) for float64, f of x as float32}, of pairs without\n-- float32, of one to three arguments, and of complex z with both parts; edges are SciPy's own values.\n")
        f.write("local inf, nan = math.huge, 0 / 0 -- luacheck: ignore\nreturn {\n  one = {\n")
        for name, (xs, fn) in ONE.items():
            near = exactly(xs, np.float32)
            f.write("    %s = {\n      %s,\n      %s,\n      %s },\n" % (name, table(xs), table(fn(mpmath.mpf(float(x))) for x in xs),
                table(fn(mpmath.mpf(x)) if x or name != "ndtri" and name != "erfcinv" else np.nan for x in near)))
        f.write("  },\n  two = {\n")
        for name, (pairs, fn) in TWO.items():
            x, y = zip(*pairs)
            f.write("    %s = {\n      %s,\n      %s,\n      %s },\n" % (name, table(x), table(y), table(fn(a, b) for a, b in pairs)))
        f.write("  },\n  several = {\n")
        for name, (rows, fn) in SEVERAL.items():
            f.write("    %s = {\n" % name)
            for row in zip(*rows):
                f.write("      %s,\n" % table(row))
            for dtype in np.float64, np.float32:
                found = (fn(*(mpmath.mpf(v) for v in exactly(row, dtype))) for row in rows)
                f.write("      %s%s\n" % (table(found), "," if dtype == np.float64 else " },"))
        f.write("  },\n  complex = {\n")
        for name, (points, fn) in COMPLEX.items():
            found = [fn(mpmath.mpc(z)) for z in points]
            rows = [z.real for z in points], [z.imag for z in points], [w.real for w in found], [w.imag for w in found]
            f.write("    %s = {\n%s },\n" % (name, ",\n".join("      " + table(row) for row in rows)))
        f.write("  },\n  edges = {\n")
        for name, rows in EDGES.items():
            f.write("    %s = {\n" % name)
            for row in zip(*rows):
                f.write("      %s,\n" % table(row))
            f.write("      %s },\n" % table(getattr(special, name)(*row) for row in rows))
        f.write("  },\n}\n")
    types()


TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]
MORE = {"expit": 1, "log_expit": 1, "logit": 1, "cbrt": 1, "exp2": 1, "expm1": 1, "log1p": 1, "sinc": 1, "erf": 1, "erfc": 1, "gamma": 1, "loggamma": 1, "psi": 1}


def types():
    """For each function a word of TYPES: the letters of the results' dtypes (NumPy's: e, f, d) for arguments of that dtype
    alone; of several arguments, for a first one of TYPES beside others of each of TYPES."""
    counts = {**MORE, **dict.fromkeys(ONE, 1), **dict.fromkeys(TWO, 2), **{name: len(rows[0]) for name, (rows, _) in SEVERAL.items()}}

    def letter(name, *dtypes):
        return getattr(special, name)(*(np.ones(1, dtype) for dtype in dtypes)).dtype.char

    with open(os.path.join(HERE, "special_types.lua"), "w", newline="\n") as f:
        f.write("-- Written by special.py: dtypes, and for each function those of its results by their letters. Of several\n")
        f.write("-- arguments the first one's dtype tells the word, the others' its letter.\n")
        f.write("return {\n  dtypes = { %s },\n" % ",\n    ".join(textwrap.wrap(", ".join('"%s"' % t for t in TYPES), 90)).replace(",,", ","))
        for name, n in sorted(counts.items()):
            if n == 1:
                words = ["".join(letter(name, t) for t in TYPES)]
            else:
                words = ["".join(letter(name, t, *[other] * (n - 1)) for other in TYPES) for t in TYPES]
            f.write("  %s = { %s },\n" % (name, ",\n    ".join(textwrap.wrap(", ".join('"%s"' % w for w in words), 90)).replace(",,", ",")))
        f.write("}\n")


if __name__ == "__main__":
    main()
