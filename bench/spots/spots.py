"""The rows of bench/spots/spots.lua by NumPy and SciPy: "KEY<tab>MICROSECONDS"."""
import os
import sys
import time

import numpy as np
from scipy import ndimage, special

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "passes"))
ROUNDS, SECONDS = int(os.environ.get("ROUNDS", 7)), 0.02
GOLDEN, SILVER = 0.6180339887498949, 0.41421356237309515
WANTED = [part for part in os.environ.get("ROWS", "").split(",") if part]


def row(key, f):
    if WANTED and not any(part in key for part in WANTED):
        return
    n, best = 1, float("inf")
    f()
    for _ in range(ROUNDS + 1):
        t = time.process_time()
        for _ in range(n):
            f()
        each = (time.process_time() - t) / n
        best = min(best, each)
        n = max(1, int(SECONDS / max(each, 1e-7)))
    print("%s\t%.3f" % (key, best * 1e6), flush=True)


def noise(n, dtype="f8"):
    k = np.arange(n, dtype="f8")
    return ((((k * GOLDEN) % 1) * ((k * SILVER) % 1) * 1e5) % 1).astype("f4").astype(dtype)


for dtype in ("float32", "float64"):
    x = noise(1500000, dtype)
    row("partition 1.5e6 at 100, " + dtype, lambda: np.partition(x, 99))
    row("argpartition 1.5e6 at 100, " + dtype, lambda: np.argpartition(x, 99))
    row("partition 1000 x 1000 at 500, " + dtype, lambda: np.partition(x[:1000000].reshape(1000, 1000), 499))
for dtype in ("float32", "float64"):
    X, w, v = noise(1562500, dtype).reshape(15625, 100), noise(100, dtype), noise(15625, dtype)
    row("X @ w, 15625 x 100, " + dtype, lambda: X @ w)
    row("X.T @ v, 15625 x 100, " + dtype, lambda: X.T @ v)
    A, b = noise(128 * 128, dtype).reshape(128, 128), noise(128, dtype)
    row("A @ b, 128 x 128, " + dtype, lambda: A @ b)
    B, c = noise(2000 * 2000, dtype).reshape(2000, 2000), noise(2000, dtype)
    row("A @ b, 2000 x 2000, " + dtype, lambda: B @ c)
    row("b @ A, 2000 x 2000, " + dtype, lambda: c @ B)


def conjugate_gradients(n, steps):
    m = ((np.arange(n * n) * GOLDEN) % 1).reshape(n, n)
    A = (m + m.T) / (2 * n) + np.diag(1 + 100 * np.arange(n) / n)
    b = (np.arange(n) * SILVER) % 1

    def run():
        x, r, p = np.zeros(n), b, b
        rs = (r * r).sum()
        for _ in range(steps):
            Ap = A @ p
            alpha = rs / (p * Ap).sum()
            x = x + alpha * p
            r = r - alpha * Ap
            new = (r * r).sum()
            p = r + (new / rs) * p
            rs = new
        return x

    return run


def lorenz(a, b, c):
    return 10 * (b - a), a * (28 - c) - b, a * b - np.float32(8 / 3) * c


def runge_kutta(n, steps):
    h = np.float32(0.01)
    start = [((np.arange(n) * g) % 1).astype("f4") for g in (GOLDEN, SILVER, 0.7320508075688772)]

    def run():
        a, b, c = start
        for _ in range(steps):
            a1, b1, c1 = lorenz(a, b, c)
            a2, b2, c2 = lorenz(a + h / 2 * a1, b + h / 2 * b1, c + h / 2 * c1)
            a3, b3, c3 = lorenz(a + h / 2 * a2, b + h / 2 * b2, c + h / 2 * c2)
            a4, b4, c4 = lorenz(a + h * a3, b + h * b3, c + h * c3)
            a = a + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
            b = b + h / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
            c = c + h / 6 * (c1 + 2 * c2 + 2 * c3 + c4)
        return a, b, c

    return run


row("20 conjugate gradients, 128 x 128", conjugate_gradients(128, 20))
row("20 conjugate gradients, fusion off", conjugate_gradients(128, 20))
row("10 steps of RK4, 15625 points", runge_kutta(15625, 10))
places = (noise(156250) * 1e6).astype("i8") % 1000000
values, sums = noise(156250, "f4"), np.zeros(1000000, "f4")
row("scatter_add 156250 into 1e6", lambda: np.add.at(sums, places, values))
row("scatter_add a number", lambda: np.add.at(sums, places, 1))
x, y = noise(1000000), noise(1000001)[1:].copy()
row("histogram2d 1e6, 50 x 50", lambda: np.histogram2d(x, y, 50))
row("histogram2d 1e4, 10 x 10", lambda: np.histogram2d(x[:10000], y[:10000], 10))
for n in (128, 256):
    m = noise(n * n).reshape(n, n)
    s = (m + m.T) / 2 + n * np.eye(n)
    b = noise(n)
    row("solve %d" % n, lambda: np.linalg.solve(s, b))
    row("cholesky %d" % n, lambda: np.linalg.cholesky(s))
    row("eigh %d" % n, lambda: np.linalg.eigh(s))
table_x, x = np.arange(100000.0), noise(1000000) * 1e5
table_y = noise(100000)
row("interp 1e6 in 1e5", lambda: np.interp(x, table_x, table_y))
row("searchsorted 1e6 in 1e5", lambda: np.searchsorted(table_x, x))
few = np.linspace(0, 1e5, 1000)
row("searchsorted 1e6 in 1000", lambda: np.searchsorted(few, x))
in_order = np.sort(x)
row("searchsorted 1e6 sorted in 1e5", lambda: np.searchsorted(table_x, in_order))
row("interp 1e6 sorted in 1e5", lambda: np.interp(in_order, table_x, table_y))
cells = (noise(512 * 512).reshape(512, 512) < 0.3).astype("u1")
STEPS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


def life():
    n = sum(np.roll(cells, by, (0, 1)) for by in STEPS[1:]) + np.roll(cells, STEPS[0], (0, 1))
    return ((n == 3) + cells * (n == 2)).astype("u1")


row("Game of life, 512 x 512 uint8", life)
padded = np.zeros((514, 514), "u1")
padded[1:513, 1:513] = cells


def life_by_views():
    views = [padded[1 + dy : 513 + dy, 1 + dx : 513 + dx] for dy, dx in STEPS]
    n = views[0] + views[1]
    for view in views[2:]:
        n = n + view
    return ((n == 3) | ((n == 2) & (cells != 0))).astype("u1")


row("Game of life by views, 512 x 512", life_by_views)
x = noise(1000000, "f4").reshape(1000, 1000)
row("roll of 1000 x 1000, axis 1", lambda: np.roll(x, 1, 0))
row("roll of 1000 x 1000, axis 2", lambda: np.roll(x, 1, 1))
row("roll of 1000 x 1000, flat", lambda: np.roll(x, 1))
row("roll of 1e5", lambda: np.roll(x.reshape(-1)[:100000], 7))
a, b = noise(100000) * 10 + 0.1, noise(100001)[1:] * 10 + 0.1
row("special.beta 1e5", lambda: special.beta(a, b))
row("special.betaln 1e5", lambda: special.betaln(a, b))
rng = np.random.default_rng(1)
row("hypergeometric(100, 200, 50) 1e5", lambda: rng.hypergeometric(100, 200, 50, 100000))
row("hypergeometric(10, 20, 8) 1e5", lambda: rng.hypergeometric(10, 20, 8, 100000))
bits = noise(100) < 0.5
row("packbits of 100", lambda: np.packbits(bits))
row("packbits of 100, left to the collector", lambda: np.packbits(bits))
many = noise(1000000) < 0.5
row("packbits of 1e6", lambda: np.packbits(many))
x = noise(1000000)
i = (x * 1e6).astype("i8")
z, narrow = x + 1j * (1 - x), i.astype("i4")
row("int64 // 7, 1e6", lambda: i // 7)
row("int64 % 7, 1e6", lambda: i % 7)
row("int32 // 7, 1e6", lambda: narrow // np.int32(7))
row("complex exp 1e6", lambda: np.exp(z))
row("complex angle 1e6", lambda: np.angle(z))
few, many = np.arange(1000) * 3, (noise(100000) * 1e6).astype("i8")
row("isin of int64, 1e6 in 1000", lambda: np.isin(i, few))
row("isin of int64, 1e6 in 1e5", lambda: np.isin(i, many))
short = [x[k * 10 - 1 : k * 10 + 9] for k in range(1, 10001)]
long = [x[k * 1000 - 1 : k * 1000 + 999] for k in range(1, 101)]
row("concatenate 1e4 of 10", lambda: np.concatenate(short))
row("concatenate 100 of 1000", lambda: np.concatenate(long))
x, y = noise(1000000), noise(1000001)[1:] * 3
half, few, region = x < 0.5, x < 0.01, np.arange(1000000) < 400000
row("nonzero of 1e6, half true", lambda: np.nonzero(half))
row("nonzero of 1e6, 1 % true", lambda: np.nonzero(few))
row("nonzero of 1e6, a region", lambda: np.nonzero(region))
flat, square = np.where(half, x, 0), half.reshape(1000, 1000)
row("nonzero of 1e6, float64", lambda: np.nonzero(flat))
row("nonzero of 1e6, 1000 x 1000", lambda: np.nonzero(square))
for dtype in ("float64", "float32"):
    b, e = (x + 0.5).astype(dtype), y.astype(dtype)
    row("x ^ 2.5, 1e6 " + dtype, lambda: b ** b.dtype.type(2.5))
    row("x ^ y, 1e6 " + dtype, lambda: b**e)
    for f in (np.log, np.log2, np.log10, np.exp, np.exp2):
        row("%s 1e6 %s" % (f.__name__, dtype), lambda: f(b))
percolation = noise(2048 * 2048, "f4").reshape(2048, 2048) < 0.59
row("ndimage.label 2048 x 2048", lambda: ndimage.label(percolation))
x = noise(1024 * 1024, "f4").reshape(1024, 1024)
labels = (x.reshape(-1)[::-1].reshape(1024, 1024) * 1e5).astype("i4")
index = np.arange(1, 100001)
row("ndimage.sum_labels 1e5", lambda: ndimage.sum_labels(x, labels, index))
row("ndimage.grey_opening 31", lambda: ndimage.grey_opening(x, 31))
row("ndimage.grey_opening 5", lambda: ndimage.grey_opening(x, 5))
