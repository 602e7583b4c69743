"""Writes the polynomials of kernels/prelude/special.h: near-minimax fits by mpmath, in powers of t on [-1, 1], the highest
power first.

    python3 tools/fit-special.py > kernels/prelude/special_tables.h
"""

from fit_tables import fit
from mpmath import besseli, besselj, bessely, cos, exp, log, mp, mpf, pi, sin, sqrt

mp.dps = 40


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


def main():
    print("/* Made by tools/fit-special.py. */")
    print("/* clang-format off */")
    fit("j0", "J0(x), t = x^2 / 32 - 1", lambda t: besselj(0, square(t)))
    fit("j1", "J1(x) / x", lambda t: besselj(1, square(t)) / square(t))
    fit("y0", "Y0(x) - 2/pi log(x) J0(x)", lambda t: bessely(0, square(t)) - 2 / pi * log(square(t)) * besselj(0, square(t)))
    fit("y1", "(Y1(x) - 2/pi (log(x) J1(x) - 1/x)) / x", lambda t: small_y1(square(t)))
    fit("p0", "P of order 0, t = 2 (8 / x)^2 - 1", lambda t: amplitudes(0, far(t))[0])
    fit("q0", "Q of order 0 times x / 8", lambda t: amplitudes(0, far(t))[1] * far(t) / 8)
    fit("p1", "P of order 1", lambda t: amplitudes(1, far(t))[0])
    fit("q1", "Q of order 1 times x / 8", lambda t: amplitudes(1, far(t))[1] * far(t) / 8)
    fit("i0_far", "sqrt(x) exp(-x) I0(x), t = 32 / x - 1", lambda t: scaled(0, t))
    fit("i1_far", "sqrt(x) exp(-x) I1(x)", lambda t: scaled(1, t))
    print("/* clang-format on */")


def scaled(order, t):
    x = 32 / (t + 1 + mpf(10) ** -25)
    return sqrt(x) * exp(-x) * besseli(order, x)


if __name__ == "__main__":
    main()
