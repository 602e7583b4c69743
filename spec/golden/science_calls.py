"""Golden calls of what SciPy's and NumPy's functions do with unusual dtypes and at edges: `science`."""

import warnings

import numpy as np
from scipy import ndimage

from calls import Calls

WHOLE = ["uint8", "int8", "int32"]


def numbers(shape, seed, dtype, low=-9, high=10):
    """Whole numbers, in a floating dtype quarters: sums of products are exact."""
    dtype = np.dtype(dtype)
    low = max(low, 0) if dtype.kind in "bu" else low
    x = np.random.default_rng(seed).integers(low, high, shape)
    if dtype.kind in "fc":
        x = x / 4.0
        if dtype.kind == "c":
            x = x + 1j * np.roll(x, 1)
    return x.astype(dtype)


# ---- cp.scipy.ndimage: results of another dtype than the input

FILTERS = [("sobel", "1", (0,)), ("prewitt", "", ()), ("laplace", "", ()), ("correlate", "{{1, -2}, {0.5, 3}}", ([[1, -2], [0.5, 3]],)),
           ("convolve", "{{1, -2}, {4, 3}}", ([[1, -2], [4, 3]],)), ("correlate1d", "{1, -2, 0.5}, 1", ([1, -2, 0.5], 0)), ("convolve1d", "{1, -2, 4}", ([1, -2, 4],)),
           ("uniform_filter", "{2, 4}", ((2, 4),)), ("uniform_filter1d", "4", (4,)), ("median_filter", "3", (3,)), ("rank_filter", "1, 3", (1, 3)),
           ("maximum_filter", "3", (3,)), ("minimum_filter", "{3, 2}", ((3, 2),))]


def outputs(c):
    N = "cp.scipy.ndimage."
    for name in WHOLE + ["float32", "float64"]:
        x = numbers((5, 6), 1, name, -100, 120)
        for output in ("uint8", "int16", "float32", "float64"):
            if output == name:
                continue
            for f, text, args in FILTERS:
                want = getattr(ndimage, f)(x, *args, output=np.dtype(output))
                given = "%s%s(x[1]%s, {output = %%s, mode = 'reflect'})" % (N, f, text and ", " + text)
                c.add(given % ("'%s'" % output), [x], want)
                if output == "int16" and name in ("uint8", "float32"):
                    c.add(given % "cp.zeros({5, 6}, 'int16')", [x], want)
    x = numbers((5, 6), 2, "uint8", 0, 250)
    for f, args, text in (("gaussian_filter", (1.5,), "1.5"), ("gaussian_filter1d", (0.7, 0, 1), "0.7, 1, 1")):
        for output in ("float32", "float64"):
            want = getattr(ndimage, f)(x, *args, output=np.dtype(output))
            c.add("%s%s(x[1], %s, {output = '%s'})" % (N, f, text, output), [x], want, np.full(want.shape, 256 * 250.0))
    for f, text, args in FILTERS[:8] + FILTERS[9:]:  # where products do not fit, with and without fractions
        for name in WHOLE:
            x = numbers((5, 6), 3, name, -128, 128)
            c.add("%s%s(x[1]%s)" % (N, f, text and ", " + text), [x], getattr(ndimage, f)(x, *args))


def beyond_borders(c):
    N = "cp.scipy.ndimage."
    for name in ("uint8", "int8"):
        x = numbers((4, 5), 4, name, -100, 120)
        for cval in (-1, 300, 2.5):
            for f, text, args in FILTERS:
                if f != "uniform_filter1d" or cval != 2.5:
                    want = getattr(ndimage, f)(x, *args, mode="constant", cval=cval, output=np.int16)
                    c.add('%s%s(x[1]%s, {mode = "constant", cval = %s, output = "int16"})' % (N, f, text and ", " + text, cval), [x], want)


def complex_filters(c):
    N = "cp.scipy.ndimage."
    for name in ("uint8", "float32", "float64", "complex64", "complex128"):
        x = numbers((4, 5), 5, name)
        for weights in ("complex64", "complex128"):
            w = numbers((2, 3), 6, weights)
            for f in ("correlate", "convolve"):
                c.add("%s%s(x[1], x[2])" % (N, f), [x, w], getattr(ndimage, f)(x, w))
                c.add("%s%s1d(x[1], x[2])" % (N, f), [x, w[0]], getattr(ndimage, f + "1d")(x, w[0]))
    for f, text, args in FILTERS[:3] + FILTERS[7:9]:
        for name, output in (("complex64", "complex128"), ("complex128", "complex64")):
            x = numbers((4, 6), 7, name)
            c.add("%s%s(x[1]%s, {output = '%s', mode = 'reflect'})" % (N, f, text and ", " + text, output), [x], getattr(ndimage, f)(x, *args, output=np.dtype(output)))


def write():
    warnings.simplefilter("ignore")
    c = Calls()
    for f in (outputs, beyond_borders, complex_filters):
        f(c)
    c.write("science")


if __name__ == "__main__":
    write()
