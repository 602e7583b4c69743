"""Golden calls of cp.scipy.ndimage, cp.scipy.fft and cp.scipy.linalg's matrices, from SciPy, and of a few of NumPy's: `scipy`."""

import numpy as np
from scipy import fft, linalg, ndimage

from calls import Calls

MODES = ["reflect", "mirror", "nearest", "wrap", "constant"]


def whole(shape, seed, dtype=np.float64, low=-9, high=10):
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def near(c, expression, inputs, want, factor=256.0):
    c.add(expression, inputs, want, np.full(np.shape(want), factor * max(1, np.abs(want).max(initial=0))))


def ndimage_calls(c):
    N = "cp.scipy.ndimage."
    x = whole((5, 7), 1)
    for mode in MODES:
        for shape, origin in (((3, 3), 0), ((2, 4), 0), ((3, 2), -1), ((1, 5), 0), ((4, 3), 1)):
            if shape == (1, 5) and origin:
                continue
            w = whole(shape, 2)
            for f in ("correlate", "convolve"):
                if f == "convolve" and shape == (3, 2) and origin == -1:
                    continue
                try:
                    want = getattr(ndimage, f)(x, w, mode=mode, cval=2.0, origin=origin)
                except ValueError:
                    continue
                c.add('%s%s(x[1], x[2], {mode = "%s", cval = 2, origin = %d})' % (N, f, mode, origin), [x, w], want)
        c.add('%scorrelate1d(x[1], {1, 2, -3, 0.5}, 1, nil, "%s", 1)' % (N, mode), [x], ndimage.correlate1d(x, [1, 2, -3, 0.5], 0, mode=mode, cval=1.0))
        c.add('%sconvolve1d(x[1], {1, 2, -3, 0.5}, {mode = "%s", origin = -1})' % (N, mode), [x], ndimage.convolve1d(x, [1, 2, -3, 0.5], mode=mode, origin=-1))
        near(c, '%sgaussian_filter(x[1], 1.5, {mode = "%s"})' % (N, mode), [x], ndimage.gaussian_filter(x, 1.5, mode=mode))
        near(c, '%suniform_filter(x[1], {2, 3}, {mode = "%s"})' % (N, mode), [x], ndimage.uniform_filter(x, (2, 3), mode=mode))
        for f in ("median_filter", "maximum_filter", "minimum_filter"):
            c.add('%s%s(x[1], 3, {mode = "%s", cval = 3})' % (N, f, mode), [x], getattr(ndimage, f)(x, 3, mode=mode, cval=3))
        c.add('%ssobel(x[1], 1, nil, "%s")' % (N, mode), [x], ndimage.sobel(x, 0, mode=mode))
    near(c, N + "gaussian_filter1d(x[1], 1, 1, 2)", [x], ndimage.gaussian_filter1d(x, 1, 0, 2))
    near(c, N + "gaussian_filter1d(x[1], 2, {order = 1, truncate = 2})", [x], ndimage.gaussian_filter1d(x, 2, order=1, truncate=2))
    near(c, N + "gaussian_filter(x[1], {1, 0.5}, {0, 3})", [x], ndimage.gaussian_filter(x, (1, 0.5), (0, 3)))
    c.add(N + "prewitt(x[1])", [x], ndimage.prewitt(x))
    c.add(N + "laplace(x[1])", [x], ndimage.laplace(x))
    foot = np.array([[0, 1, 0], [1, 1, 0]])
    for f in ("median_filter", "maximum_filter", "minimum_filter"):
        c.add("%s%s(x[1], {footprint = x[2]})" % (N, f), [x, foot], getattr(ndimage, f)(x, footprint=foot))
        c.add("%s%s(x[1], {2, 4})" % (N, f), [x], getattr(ndimage, f)(x, (2, 4)))
    c.add(N + "rank_filter(x[1], -2, 3)", [x], ndimage.rank_filter(x, -2, 3))
    u = whole((6, 8), 3, np.uint8, 0, 200)
    for e, want in (("uniform_filter(x[1], 3)", ndimage.uniform_filter(u, 3)), ("median_filter(x[1], 3)", ndimage.median_filter(u, 3)),
                    ("correlate(x[1], {{0, 0.25}, {0.5, 0}})", ndimage.correlate(u, [[0, 0.25], [0.5, 0]])),
                    ('sobel(x[1]:astype "int32", 2)', ndimage.sobel(u.astype(np.int32))),
                    ('correlate1d(x[1], {1, -1}, 2, "float64")', ndimage.correlate1d(u, [1, -1], output=np.float64))):
        c.add(N + e, [u], want)
    z = whole((3, 4, 5), 4) + 1j * whole((3, 4, 5), 5)
    w = whole((2, 3, 1), 6)
    c.add(N + "convolve(x[1], x[2])", [z, w], ndimage.convolve(z, w))


def fft_calls(c):
    F = "cp.scipy.fft."
    for n in (1, 2, 5, 8):
        x = whole((2, n), 10 + n)
        for f in ("dct", "idct", "dst", "idst"):
            for t in (1, 2, 3, 4):
                if t == 1 and n == 1 and "dct" in f:
                    continue
                for norm in ("backward", "ortho", "forward"):
                    near(c, '%s%s(x[1], %d, nil, nil, "%s")' % (F, f, t, norm), [x], getattr(fft, f)(x, t, norm=norm))
                if n > 1:
                    for norm, on in (("ortho", False), ("backward", True), ("forward", True)):
                        near(c, '%s%s(x[1], %d, {norm = "%s", orthogonalize = %s})' % (F, f, t, norm, str(on).lower()), [x],
                             getattr(fft, f)(x, t, norm=norm, orthogonalize=on))
    x = whole((4, 6), 20)
    near(c, F + "dct(x[1], {axis = 1, n = 6})", [x], fft.dct(x, axis=0, n=6))
    near(c, F + "dct(x[1], {n = 3})", [x], fft.dct(x, n=3))
    for f in ("dctn", "idctn", "dstn", "idstn"):
        near(c, F + f + "(x[1])", [x], getattr(fft, f)(x))
        near(c, F + f + "(x[1], {orthogonalize = true})", [x], getattr(fft, f)(x, orthogonalize=True))
    near(c, F + "fft(x[1])", [x], fft.fft(x))


def linalg_calls(c):
    L = "cp.scipy.linalg."
    a, b, z = whole(4, 30), whole(6, 31), whole(3, 32) + 1j * whole(3, 33)
    c.add(L + "toeplitz(x[1], x[2])", [a, b], linalg.toeplitz(a, b))
    c.add(L + "toeplitz(x[1])", [z], linalg.toeplitz(z))
    c.add(L + "hankel(x[1], x[2])", [a, b], linalg.hankel(a, b))
    c.add(L + "hankel(x[1])", [a], linalg.hankel(a))
    c.add(L + "circulant(x[1])", [b], linalg.circulant(b))
    a[0] = 2
    c.add(L + "companion(x[1])", [a], linalg.companion(a))
    c.add(L + "block_diag(x[1], x[2], x[3])", [whole((2, 3), 34), whole(2, 35), whole((1, 1), 36)], linalg.block_diag(whole((2, 3), 34), whole(2, 35), whole((1, 1), 36)))
    near(c, L + "hilbert(5)", [a], linalg.hilbert(5))
    c.add(L + "hadamard(4)", [a], linalg.hadamard(4))
    near(c, L + "dft(5)", [a], linalg.dft(5))
    near(c, L + 'dft(4, "sqrtn")', [a], linalg.dft(4, "sqrtn"))
    for seed, scale in ((40, 0.1), (41, 1.0), (42, 3.0)):
        m = whole((2, 4, 4), seed) * scale
        near(c, L + "expm(x[1])", [m], linalg.expm(m), 1e5)
    near(c, L + "expm(x[1])", [1j * whole((3, 3), 43)], linalg.expm(1j * whole((3, 3), 43)), 1e5)


def numpy_calls(c):
    x = np.array([[1.0, np.nan, -np.inf, 3], [np.inf, 2, 5, -1]])
    i = whole((3, 4), 50, np.int32)
    c.add("cp.isposinf(x[1])", [x], np.isposinf(x))
    c.add("cp.isneginf(x[1])", [x], np.isneginf(x))
    c.add("cp.fabs(x[1])", [x], np.fabs(x))
    c.add("cp.fabs(x[1])", [i], np.fabs(i))
    c.add("cp.nanargmax(x[1], 2)", [x], np.nanargmax(x, 1) + 1)
    c.add("cp.nanargmin(x[1])", [x], np.nanargmin(x) + 1)
    c.add("cp.cumulative_sum(x[1], {axis = 2, include_initial = true})", [i], np.cumulative_sum(i, axis=1, include_initial=True))
    c.add("cp.cumulative_prod(x[1]:ravel())", [i], np.cumulative_prod(i.ravel()))
    c.add("cp.permute_dims(x[1], {2, 1})", [i], np.permute_dims(i, (1, 0)))
    c.add("cp.matrix_transpose(x[1])", [i], np.matrix_transpose(i))
    c.add("cp.unstack(x[1], 2)[3]", [i], np.unstack(i, axis=1)[2])
    c.add("cp.trim_zeros(cp.array{0, 0, 1, 0, 2, 0})", [i], np.trim_zeros(np.array([0, 0, 1.0, 0, 2, 0])))
    c.add('cp.trim_zeros(cp.array{0, 0, 1, 0, 2, 0}, "b")', [i], np.trim_zeros(np.array([0, 0, 1.0, 0, 2, 0]), "b"))
    v = np.array([1.0, 2, -3])
    c.add("cp.vander(x[1])", [v], np.vander(v))
    c.add("cp.vander(x[1], 4, true)", [v], np.vander(v, 4, True))
    m = whole((2, 3, 4), 51)
    c.add("cp.matvec(x[1], x[2])", [m, whole(4, 52)], np.matvec(m, whole(4, 52)))
    c.add("cp.vecmat(x[1], x[2])", [whole(3, 53), m], np.vecmat(whole(3, 53), m))
    c.add("cp.fromfunction(function(i, j) return i * 10 + j end, {2, 3})", [v], np.fromfunction(lambda i, j: i * 10 + j, (2, 3)))
    c.add("cp.apply_along_axis(function(r) return r:sum() end, 2, x[1])", [m], np.apply_along_axis(np.sum, 1, m))
    c.add("cp.apply_along_axis(function(r) return r[{{-1, 1, -1}}] end, 1, x[1])", [m], np.apply_along_axis(lambda r: r[::-1], 0, m))
    c.add("cp.piecewise(x[1], {x[1]:lt(0), x[1]:gt(1)}, {-1, function(t) return t * t end})", [v], np.piecewise(v, [v < 0, v > 1], [-1, lambda t: t * t]))


def write():
    c = Calls()
    for f in (ndimage_calls, fft_calls, linalg_calls, numpy_calls):
        f(c)
    c.write("scipy/scipy")


if __name__ == "__main__":
    write()
