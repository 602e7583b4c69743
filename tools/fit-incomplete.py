"""Writes the polynomials of kernels/prelude/incomplete.h.

    python3 tools/fit-incomplete.py > kernels/prelude/incomplete_tables.h
"""

from fit_tables import TARGET, coefficients, declare, fit
from mpmath import e1, ei, erfc, exp, findroot, gamma, log, mp, mpf, rgamma, taylor

mp.dps = 60
POWERS, ROWS = 110, 10


def uniform():
    """The Taylor coefficients of c_k(eta) for k < ROWS, in the asymptotic expansion of the incomplete gamma
    functions that is uniform in eta (N. M. Temme, 1979). With mu = x / a - 1 and
    eta^2 / 2 = mu - log(1 + mu), c_0 = 1 / mu - 1 / eta and c_k = c_(k-1)' / eta + (-1)^k g_k / mu, where the
    sum of g_k / a^k is gamma(a) divided by Stirling's formula. c_k has no pole at 0, which determines g_k."""
    mu = [mpf(0), mpf(1)]  # coefficients in eta, from (mu^2)' = 2 eta (1 + mu)
    for m in range(3, POWERS + 3):
        known = sum(mu[i] * mu[m - i] for i in range(2, m - 1))
        mu.append((2 * mu[m - 2] / m - known) / 2)
    inverse = [mpf(1)]  # eta / mu
    for m in range(1, POWERS):
        inverse.append(-sum(mu[1 + i] * inverse[m - i] for i in range(1, m + 1)))
    first = inverse[1:]
    rows = [first]
    for k in range(1, ROWS):
        last = rows[-1]
        pole = -last[1]  # (-1)^k g_k
        rows.append([(n + 2) * last[n + 2] + pole * first[n] for n in range(len(last) - 2)])
    return rows


def value(row, x):
    r = mpf(0)
    for c in reversed(row):
        r = r * x + c
    return r


def temme():
    """The rows one after another, each with its own length; errors are in units of 1 for a = 20."""
    numbers, lengths = [], []
    for k, row in enumerate(uniform()):
        found = coefficients(lambda t: value(row, mpf("0.42") * t - mpf("0.06")), TARGET * mpf(20) ** k)
        numbers += found
        lengths.append(len(found))
    declare("temme", "c_k(0.42 t - 0.06) of Temme's expansion", ROWS, numbers)
    print("M_STATIC const int m_temme_lengths[%d] = {%s};" % (ROWS, ", ".join(map(str, lengths))))


def between(t, low, high):
    return (low + high) / 2 + (high - low) / 2 * t


def pole(t, c):
    """x of [0, inf) from t = (x - c) / (x + c)"""
    return c * (1 + t) / (1 - t)


def erfcx(x):
    return exp(x * x) * erfc(x) if x < 100 else exp(log(erfc(x)) + x * x)


def scaled_erfc(t):
    if t > mpf("0.99999"):
        return mpf(2) / mp.sqrt(mp.pi)
    x = pole(t, mpf("3.75"))
    if x < 1e4:
        return (1 + 2 * x) * erfcx(x)
    return (2 + 1 / x) / mp.sqrt(mp.pi) * (1 - 1 / (2 * x * x) + 3 / (4 * x**4) - 15 / (8 * x**6))


def reciprocal(a):
    """(1 / gamma(1 + a) - 1) / a"""
    return (rgamma(1 + a) - 1) / a if abs(a) > mpf(10) ** -20 else mp.euler


def entire(x):
    """(E1(x) + log(x) + gamma) / x"""
    return (e1(x) + log(x) + mp.euler) / x if x > mpf(10) ** -20 else mpf(1)


def main():
    root = findroot(ei, mpf("0.3725"))
    print("/* Made by tools/fit-incomplete.py. */")
    print("/* clang-format off */")
    temme()
    fit("recip", "(1 / gamma(1 + a) - 1) / a, t = 2 a - 1", lambda t: reciprocal(between(t, 0, 1)))
    fit("erfcx", "(1 + 2 x) exp(x^2) erfc(x), t = (x - 3.75) / (x + 3.75)", scaled_erfc)
    fit("ein", "(E1(x) + log(x) + gamma) / x, t = 2 x - 1", lambda t: entire(between(t, 0, 1)))
    fit("e1_mid", "x exp(x) E1(x), t = (8 / x - 5) / 3 for x of 1 to 4", lambda t: e1_scaled(8 / (3 * t + 5)))
    fit("e1_far", "the same, t = 8 / x - 1 for x above 4", lambda t: e1_scaled(8 / (t + 1 + mpf(10) ** -30)))
    fit("ei_near", "(Ei(x) - log(x / r)) / (x - r), r its root, t = x - 1",
        lambda t: ei_near(between(t, 0, 2), root))
    print("/* clang-format on */")
    high = mpf(float(root))
    print("/* The root of Ei, rounded, and the rest */")
    print("#define M_EI_ROOT %.17g\n#define M_EI_REST %.17g" % (high, root - high))


def e1_scaled(x):
    if x < 1000:
        return x * exp(x) * e1(x)
    return 1 - 1 / x + 2 / x**2 - 6 / x**3 + 24 / x**4 - 120 / x**5 + 720 / x**6 - 5040 / x**7


def ei_near(x, root):
    if abs(x - root) < mpf(10) ** -18:
        x = root + mpf(10) ** -18
    if x < mpf(10) ** -25:
        x = mpf(10) ** -25
    return (ei(x) - log(x / root)) / (x - root)


if __name__ == "__main__":
    main()
