"""Writes the polynomials of kernels/prelude/special.h: near-minimax fits by mpmath, in powers of t on
[-1, 1], the highest power first.

    python3 tools/fit-special.py > kernels/prelude/special_tables.h
"""

from fit_tables import TARGET, coefficients, fit
from mpmath import besseli, besselj, bessely, cos, erfc, erfinv, exp, gamma, log, loggamma
from mpmath import mp, mpf, pi, sin, sqrt

mp.dps = 40
SINGLE = mpf(2) ** -28  # for float32, if it has a polynomial of its own
TINY = mpf(10) ** -30  # keeps arguments away from ends where a quotient is 0 / 0


def unroll(name, f, target):
    rows = ["%.17g" % float(c) for c in coefficients(f, target)]
    print("CP_FN M_REAL m_%s_poly(M_REAL t) {" % name)
    print("  M_REAL p = (M_REAL)%s;" % rows[0])
    for row in rows[1:-1]:
        print("  p = m_fma(p, t, (M_REAL)%s);" % row)
    print("  return m_fma(p, t, (M_REAL)%s);" % rows[-1])
    print("}")


def fit_both(name, text, f):
    """An unrolled polynomial, for functions that have no loops; float32 has a shorter one."""
    print("/* %s */" % text)
    print("#ifdef M_SINGLE")
    unroll(name, f, SINGLE)
    print("#else")
    unroll(name, f, TARGET)
    print("#endif")


def square(t):
    """x of [0, 8] from t = x^2 / 32 - 1; never exactly 0."""
    return 4 * sqrt(2 * (t + 1) + mpf(10) ** -30)


def far(t):
    """x of [8, inf) from t = 2 (8 / x)^2 - 1."""
    return 8 / sqrt((t + 1) / 2 + mpf(10) ** -18)


def amplitudes(order, x):
    """P and Q of the asymptotic forms of J and Y."""
    angle = x - (2 * order + 1) * pi / 4
    scale, j, y = sqrt(pi * x / 2), besselj(order, x), bessely(order, x)
    return scale * (j * cos(angle) + y * sin(angle)), scale * (y * cos(angle) - j * sin(angle))


def small_y1(x):
    return (bessely(1, x) - 2 / pi * (log(x) * besselj(1, x) - 1 / x)) / x


# ---- inverses of erf and erfc

# 1 / sqrt(-log q) at the ends of the pieces, from q = 1/2 on
ENDS = [1 / sqrt(log(mpf(2))), mpf(1) / 3, mpf(1) / 6, mpf(1) / 28]


def erfcinv(q):
    if q > 0.1:
        return erfinv(1 - q)
    y = sqrt(-log(q))
    for _ in range(80):
        step = log(erfc(y) / q) * erfc(y) * sqrt(pi) * exp(y * y) / 2
        y += step
        if abs(step) < mpf(10) ** -35:
            break
    return y


def small_erfinv(t):
    x = sqrt((t + 1) / 8) + TINY
    return erfinv(x) / x


def piece(k):
    """erfcinv(q) / r as a function of t, linear in 1 / r, where r = sqrt(-log q)."""
    middle, half = (ENDS[k] + ENDS[k + 1]) / 2, (ENDS[k] - ENDS[k + 1]) / 2

    def f(t):
        u = middle + half * t
        return erfcinv(exp(-1 / u**2)) * u

    return f


def print_piece(name, k):
    width = ENDS[k] - ENDS[k + 1]
    fit_both(name, "erfcinv(q) / r, r = sqrt(-log q), t of 1 / r by the two numbers below", piece(k))
    print("#define M_%s_SLOPE  (M_REAL)%.17g" % (name.upper(), float(2 / width)))
    print("#define M_%s_MIDDLE (M_REAL)%.17g" % (name.upper(), float(-(ENDS[k] + ENDS[k + 1]) / width)))


# ---- gamma


def stirling(t):
    """sqrt(2 pi) times the factor that Stirling's formula lacks, for 20 / x = (t + 1) / 2."""
    x = 40 / (t + 1 + mpf(10) ** -18)
    return exp(loggamma(x) - (x - mpf(1) / 2) * log(x) + x)


def main():
    print("/* Made by tools/fit-special.py. */")
    print("/* clang-format off */")
    fit("j0", "J0(x), t = x^2 / 32 - 1", lambda t: besselj(0, square(t)))
    fit("j1", "J1(x) / x", lambda t: besselj(1, square(t)) / square(t))
    fit("y0", "Y0(x) - 2/pi log(x) J0(x)",
        lambda t: bessely(0, square(t)) - 2 / pi * log(square(t)) * besselj(0, square(t)))
    fit("y1", "(Y1(x) - 2/pi (log(x) J1(x) - 1/x)) / x", lambda t: small_y1(square(t)))
    fit("p0", "P of order 0, t = 2 (8 / x)^2 - 1", lambda t: amplitudes(0, far(t))[0])
    fit("q0", "Q of order 0 times x / 8", lambda t: amplitudes(0, far(t))[1] * far(t) / 8)
    fit("p1", "P of order 1", lambda t: amplitudes(1, far(t))[0])
    fit("q1", "Q of order 1 times x / 8", lambda t: amplitudes(1, far(t))[1] * far(t) / 8)
    fit("i0_far", "sqrt(x) exp(-x) I0(x), t = 32 / x - 1", lambda t: scaled(0, t))
    fit("i1_far", "sqrt(x) exp(-x) I1(x)", lambda t: scaled(1, t))
    fit_both("erfinv_near", "erfinv(x) / x, t = 8 x^2 - 1", small_erfinv)
    for k, name in enumerate(["erfcinv_middle", "erfcinv_far", "erfcinv_farthest"]):
        print_piece(name, k)
    print("#ifndef CP_DEVICE")
    fit_both("gamma_near", "(gamma(2 + s) - 1) / s, t = 2 s - 1",
             lambda t: (gamma((t + 5) / 2 + TINY) - 1) / ((t + 1) / 2 + TINY))
    fit_both("gamma_far", "gamma(x) / (x^(x - 1/2) exp(-x)), t = 40 / x - 1", stirling)
    print("#endif")
    print("/* clang-format on */")


def scaled(order, t):
    x = 32 / (t + 1 + mpf(10) ** -25)
    return sqrt(x) * exp(-x) * besseli(order, x)


if __name__ == "__main__":
    main()
