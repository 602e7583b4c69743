"""The peers' programs of nine.lua: a list of Program, written with the operators that all libraries share."""

from dataclasses import dataclass
from typing import Callable

import numpy as np
from data import BRONZE, GOLDEN, SILVER, fractions


@dataclass
class Program:
    """make(size) returns the arguments as NumPy arrays. program(lib, *arguments) returns one or more arrays.
    If there is steps(size), program makes one step, from a state to the next one of the same length, and
    constants(size) returns its other arguments. in_graph: the work is recorded once and replayed."""

    key: str
    make: Callable
    program: Callable
    steps: Callable = None
    constants: Callable = None
    in_graph: bool = False


def square(side, step=GOLDEN):
    return fractions(side * side, step).reshape(side, side)


def softmax(lib, x):
    e = lib.exp(x - lib.amax(x, 1, True))
    return e / lib.sum(e, 1, True)


def layer_norm(lib, x, g, b):
    m, v = lib.mean(x, 1, True), lib.var(x, 1, True)
    return (x - m) / lib.sqrt(v + 1e-5) * g + b


def rms_norm_gelu(lib, x):
    y = x / lib.sqrt(lib.mean(x * x, 1, True) + 1e-6)
    return 0.5 * y * (1 + lib.tanh(0.7978845608 * (y + 0.044715 * y**3)))


def accelerations(lib, x, y, z):
    dx, dy, dz = (v.reshape(1, -1) - v.reshape(-1, 1) for v in (x, y, z))
    r2 = dx * dx + dy * dy + dz * dz + 1e-3
    w = 1 / (r2 * lib.sqrt(r2))
    return lib.sum(dx * w, 1) + lib.sum(dy * w, 1) + lib.sum(dz * w, 1)


def squared_distances(lib, p, q):
    d = p.reshape(-1, 1, 3) - q.reshape(1, -1, 3)
    return lib.sum(d * d, 2)


def roll(lib, x):
    return lib.roll(x, 1, 0) + lib.roll(x, -1, 0) + lib.roll(x, 1, 1) + lib.roll(x, -1, 1) - 4 * x


def conjugate_gradients_data(size):
    n = size.unknowns
    m = fractions(n * n, GOLDEN, "f8").reshape(n, n)
    A = (m + m.T) / (2 * n) + np.diag(1 + 100 * np.arange(n) / n)
    b = fractions(n, SILVER, "f8")
    return np.zeros(n), b, b, (b * b).sum(), A


def conjugate_gradients_step(lib, x, r, p, rs, A):
    Ap = lib.matmul(A, p)
    alpha = rs / lib.sum(p * Ap)
    x = x + alpha * p
    r = r - alpha * Ap
    new = lib.sum(r * r)
    return x, r, r + (new / rs) * p, new


def lorenz(a, b, c):
    return 10 * (b - a), a * (28 - c) - b, a * b - 8 / 3 * c


def runge_kutta_step(lib, a, b, c, h=0.01):
    a1, b1, c1 = lorenz(a, b, c)
    a2, b2, c2 = lorenz(a + h / 2 * a1, b + h / 2 * b1, c + h / 2 * c1)
    a3, b3, c3 = lorenz(a + h / 2 * a2, b + h / 2 * b2, c + h / 2 * c2)
    a4, b4, c4 = lorenz(a + h * a3, b + h * b3, c + h * c3)
    return (
        a + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4),
        b + h / 6 * (b1 + 2 * b2 + 2 * b3 + b4),
        c + h / 6 * (c1 + 2 * c2 + 2 * c3 + c4),
    )


def three(n):
    return fractions(n, GOLDEN), fractions(n, SILVER), fractions(n, BRONZE)


def convolution(lib, A, k):
    return lib.irfft2(lib.rfft2(A) * lib.rfft2(k))


def layer_norm_data(size):
    n = size.side
    return square(n), fractions(n, SILVER) + np.float32(0.5), fractions(n, BRONZE)


def squared_distances_data(size):
    return tuple(fractions(3 * size.points, step).reshape(-1, 3) for step in (GOLDEN, SILVER))


CG = dict(
    make=lambda s: conjugate_gradients_data(s)[:4],
    program=conjugate_gradients_step,
    steps=lambda s: s.cg_steps,
    constants=lambda s: conjugate_gradients_data(s)[4:],
)
RK4 = dict(make=lambda s: three(s.orbits), program=runge_kutta_step, steps=lambda s: s.rk_steps)
PROGRAMS = [
    Program("softmax", lambda s: (square(s.side),), softmax),
    Program("layer norm", layer_norm_data, layer_norm),
    Program("RMS norm and GELU", lambda s: (square(s.side),), rms_norm_gelu),
    Program("accelerations of bodies", lambda s: three(s.bodies), accelerations),
    Program("squared distances", squared_distances_data, squared_distances),
    Program("roll, four ways", lambda s: (square(s.side),), roll),
    Program("conjugate gradients, float64", **CG),
    Program("conjugate gradients, in a graph", **CG, in_graph=True),
    Program("RK4 of Lorenz", **RK4),
    Program("RK4 of Lorenz, in a graph", **RK4, in_graph=True),
    Program("irfft2(rfft2(A) * rfft2(k))", lambda s: (square(s.plane), square(s.plane, SILVER)), convolution),
]
