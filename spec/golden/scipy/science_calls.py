"""Golden calls of what SciPy's and NumPy's functions do with unusual dtypes and at edges: `science`."""

import warnings

import numpy as np
from scipy import linalg, ndimage, signal

from calls import Calls


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
    for name in ("uint8", "int32", "float32"):
        x = numbers((5, 6), 1, name, -100, 120)
        for output in ("uint8", "int16", "float64"):
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
        for name in ("uint8", "int8"):
            x = numbers((5, 6), 3, name, -128, 128)
            c.add("%s%s(x[1]%s)" % (N, f, text and ", " + text), [x], getattr(ndimage, f)(x, *args))


def beyond_borders(c):
    N = "cp.scipy.ndimage."
    for name, cvals in (("uint8", (-1, 2.5)), ("int8", (300,))):
        x = numbers((4, 5), 4, name, -100, 120)
        for cval in cvals:
            for f, text, args in FILTERS:
                if f != "uniform_filter1d" or cval != 2.5:
                    want = getattr(ndimage, f)(x, *args, mode="constant", cval=cval, output=np.int16)
                    c.add('%s%s(x[1]%s, {mode = "constant", cval = %s, output = "int16"})' % (N, f, text and ", " + text, cval), [x], want)


def complex_filters(c):
    N = "cp.scipy.ndimage."
    for name in ("uint8", "float32", "float64", "complex64"):
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


# ---- cp.scipy.signal: results of integers by transforms, result dtypes, complex sections

S = "cp.scipy.signal."
SOME = ["bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64", "complex64"]


def near(c, expression, inputs, want, factor=256.0):
    c.add(expression, inputs, want, np.full(np.shape(want), factor * max(1, np.abs(want).max(initial=0))))


def transforms(c):
    for name in ("int8", "uint8", "int16", "int64"):
        x, h = numbers(19, 10, name, -100, 120), numbers(7, 11, name, -100, 120)
        for f in ("convolve", "correlate"):
            for mode, method in (("full", "fft"), ("same", "direct"), ("valid", "fft")):
                c.add('%s%s(x[1], x[2], "%s", "%s")' % (S, f, mode, method), [x, h], getattr(signal, f)(x, h, mode, method))
        if name != "int64":
            continue
        long, short = numbers(2000, 12, name, -100, 120), numbers(9, 13, name, -100, 120)
        near(c, S + "oaconvolve(x[1], x[2])", [long, short], signal.oaconvolve(long, short))
    for first in SOME:
        x = numbers((3, 5), 14, first)
        for second in SOME:
            h = numbers((2, 3), 15, second)
            for text, g, axes in (("", h, None), (", {axes = 2}", h[:1], 1))[:1 + (first == "bool")]:  # SciPy transforms a float32 beside others as such
                exact, dtype = signal.fftconvolve(x.astype(complex), g.astype(complex), axes=axes), signal.fftconvolve(x, g, axes=axes).dtype
                near(c, S + "fftconvolve(x[1], x[2]%s)" % text, [x, g], (exact if dtype.kind == "c" else exact.real).astype(dtype), 1e4)
    one, x = numbers((1, 1), 16, "int8", 1, 9), numbers((3, 4), 17, "int8")
    c.add(S + "fftconvolve(x[1], x[2])", [x, one], signal.fftconvolve(x, one))  # without transforms


def filters(c):
    for first in ("int8", "int32", "float32", "complex64"):
        b, a = np.array([2, -1, 3]).astype(first), np.array([1, 0, 0.5 if first[0] in "fc" else 0]).astype(first)
        sos = np.concatenate([b, a])[None]
        if first[0] == "c":
            b[1] += 0.25j
            a[2] += 0.5j
            sos = np.array([np.concatenate([b, a]), np.concatenate([b[::-1] * 0.5j, a.conj() * [1, 1, 0.25]])]).astype(first)
        for second in ("bool", "int16", "int32", "float32", "float64"):
            x = numbers(12, 18, second)
            for call, f in (("lfilter(x[1], x[2], x[3])", lambda: signal.lfilter(b, a, x)),
                            ("filtfilt(x[1], x[2], x[3])", lambda: signal.filtfilt(b, a, x)), ("upfirdn(x[1], x[3], 2, 3)", lambda: signal.upfirdn(b, x, 2, 3)),
                            ("lfiltic(x[1], x[2], x[3])", lambda: signal.lfiltic(b, a, x[:2])), ("sosfilt(x[1], x[2])", lambda: signal.sosfilt(sos, x)),
                            ("sosfiltfilt(x[1], x[2])", lambda: signal.sosfiltfilt(sos, x)), ("resample_poly(x[3], 2, 3, 1, x[1])", lambda: signal.resample_poly(x, 2, 3, 0, b)),
                            ("resample_poly(x[3], 3, 3)", lambda: signal.resample_poly(x, 3, 3))):
                if "float16" in (first, second) and "upfirdn" not in call:
                    continue
                if "filtfilt" in call and first[0] == "c" or "lfiltic" in call and second == "bool":
                    continue  # next, and cupola takes no bool there
                if "resample_poly" in call and first[0] in "iu" and "3, 3" not in call:
                    continue  # SciPy's filter wraps
                try:
                    want = f()
                except (NotImplementedError, TypeError, ValueError):
                    continue
                inputs = [sos, x] if "sos" in call else [b, a, x[:2] if "lfiltic" in call else x]
                coarse = "filtfilt" in call and first == "float32" and want.dtype.itemsize == 8 << (want.dtype.kind == "c")
                near(c, S + call, inputs, want, 1e10 if coarse else 1e4)  # SciPy's states of rest are float32
        near(c, S + "lfilter_zi(x[1], x[2])", [b, a], signal.lfilter_zi(b, a), 1e3)
        near(c, S + "sosfilt_zi(x[1])", [sos], signal.sosfilt_zi(sos), 1e3)
    for name in ("complex64", "complex128"):  # poles that are not on the real line: 0.5j and 0.3 - 0.2j
        b, a = np.array([1, 0.5j]).astype(name), np.array([1, -0.3 - 0.3j, 0.15j + 0.1]).astype(name)
        sos = np.array([[1, 0.5j, 0, *a], [0.25, -0.5, 1j, 1, 0.5, 0.25j]]).astype(name)
        x, zi = numbers((2, 40), 19, name), numbers((2, 2, 2), 20, name)
        near(c, S + "filtfilt(x[1], x[2], x[3])", [b, a, x], signal.filtfilt(b, a, x), 1e5)
        near(c, S + "sosfiltfilt(x[1], x[2])", [sos, x], signal.sosfiltfilt(sos, x), 1e5)
        near(c, S + "sosfilt(x[1], x[2].real)", [sos, x], signal.sosfilt(sos, x.real), 1e4)
        for k in (0, 1):
            near(c, "select(%d, %ssosfilt(x[1], x[2], {zi = x[3]}))" % (k + 1, S), [sos, x, zi], signal.sosfilt(sos, x, zi=zi)[k], 1e4)
    for name in ("bool", "int16", "int32", "complex64"):
        x = numbers(40, 21, name)
        for call, f in (("2, %swelch(x[1], {nperseg = 8})", lambda: signal.welch(x, nperseg=8)[1]), ("3, %sstft(x[1], {nperseg = 8})", lambda: signal.stft(x, nperseg=8)[2]),
                        ("2, %scsd(x[1], x[2], {nperseg = 8})", lambda: signal.csd(x, x[::-1].astype(np.float32), nperseg=8)[1])):
            near(c, "(select(" + call % S + "))", [x, x[::-1].astype(np.float32)], f(), 1e4)


def windows(c):
    x = np.zeros(1)
    for name in ("bartlett", "blackman", "hamming", "hanning"):
        for m in (-3, -1, 0, 1, 2, 5):
            near(c, "cp.%s(%d)" % (name, m), [x], getattr(np, name)(m))
    for m in (-2, 0, 1, 4):
        near(c, "cp.kaiser(%d, 5)" % m, [x], np.kaiser(m, 5))


# ---- polynomials and cp.linalg

def polynomials(c):
    for name in ("int64", "float32", "complex128"):
        for first in ([0, 1], [0, 0, 3], [2, 0, 1], [0, 0], [5]):
            for second in ([1, 2], [0], [0, 0, 4, 0]):
                a, b = np.array(first).astype(name), np.array(second).astype(name)
                for f in ("polymul", "polyadd", "polysub"):
                    c.add("cp.%s(x[1], x[2])" % f, [a, b], getattr(np, f)(a, b))
    c.add("cp.polymul(x[1], x[2])", [np.zeros(0), np.array([1.0, 2])], np.polymul([], [1.0, 2]))
    c.add("cp.polymul(x[1], x[2])", [np.array([False, True]), np.array([True, True])], np.polymul([False, True], [True, True]))
    u, v = np.array([1e-9, 2, 3e-9, 1]), np.array([1.0, 0])
    near(c, "cp.polydiv(x[1], x[2])", [u, v], np.polydiv(u, v)[0])
    near(c, "(select(2, cp.polydiv(x[1] * 1e-9, x[2])))", [u, v], np.polydiv(u * 1e-9, v)[1])
    for name in ("bool", "int8", "uint8", "int16", "int32", "uint64", "float64"):
        a = np.array([0, 2, 1, 3, 0]).astype(name)
        near(c, "cp.roots(x[1])", [a[:3]], np.roots(a[:3]))
        near(c, "cp.roots(x[1])", [a[3:]], np.roots(a[3:]))
        c.add("cp.poly(x[1])", [a[1:3]], np.poly(a[1:3]))
        c.add("cp.polyder(x[1])", [a], np.polyder(a))
        c.add("cp.polyder(x[1], 2)", [a * a.dtype.type(9)], np.polyder(a * a.dtype.type(9), 2))
        near(c, "cp.polyint(x[1])", [a], np.polyint(a))
        near(c, "(select(1, cp.polydiv(x[1], x[1][{{4, 5}}])))", [a], np.polydiv(a, a[3:])[0])
        c.add("cp.polyval(x[1], x[1])", [a], np.polyval(a, a))
    c.add("cp.roots(x[1])", [np.array([3 + 1j, 0])], np.roots([3 + 1j, 0]))
    c.add("cp.roots(x[1])", [np.zeros(2, np.complex64)], np.roots(np.zeros(2, np.complex64)))
    c.add("cp.poly(x[1])", [np.array([1, 2.5], np.float16)], np.poly(np.array([1, 2.5], np.float16)))


def columns(c):
    for name in ("bool", "int8", "uint16", "int64", "uint64", "float16", "float32", "float64", "complex64"):
        x = np.array([[2, 1, 3], [0, 1, 1]]).astype(name)
        c.add("cp.vander(x[1][1])", [x], np.vander(x[0]))
        c.add("cp.vander(x[1][1], 2, true)", [x], np.vander(x[0], 2, True))
        c.add("cp.sort_complex(x[1])", [x], np.sort_complex(x))
        c.add("cp.sort_complex(x[1][1])", [x], np.sort_complex(x[0]))


def powers(c):
    m, turn = np.array([[0, 1], [1, 1]]), np.array([[0.0, 1], [-1, 0]])
    for shift, more in ((0, 5), (0, 64), (53, 1), (55, 3), (62, 7), (63, -1)):
        n = 2**shift + more
        text = "%d" % n if n < 2**40 else "(cp.full({}, 2 ^ %d, 'int64') + %d):item()" % (shift, more) if shift < 63 else "cp.full({}, 2 ^ 63, 'uint64'):astype('int64') - 1"
        if shift == 63:
            text = "(%s):item()" % text
        for a in (m, m.astype(np.uint8), turn):
            c.add("cp.linalg.matrix_power(x[1], %s)" % text, [a], np.linalg.matrix_power(a, n))
        c.add("cp.linalg.matrix_power(x[1], -%s)" % text, [turn], np.linalg.matrix_power(turn, -n))
    c.add('cp.linalg.matrix_power(x[1], cp.scalar(5, "uint8"))', [m], np.linalg.matrix_power(m, 5))


def conditions(c):
    stack = numbers((4, 3, 3), 30, np.float64, -12, 13)
    stack[1], stack[3] = [[1, 2, 3], [2, 4, 6], [0, 0, 1]], 0
    lost, wide = stack.copy(), stack.copy()
    lost[0, 0, 0], wide[0] = np.nan, np.diag([np.inf, 1, 1])
    for x in (stack, lost, wide, stack.astype(np.float32), stack * (1 + 2j), (stack * 4).astype(np.int32), stack[1], lost[0], wide[0]):
        for p, text in ((1, "1"), (-1, "-1"), (np.inf, "cp.inf"), (-np.inf, "-cp.inf"), ("fro", "'fro'")):
            want = np.linalg.cond(x, p)
            c.add("cp.linalg.cond(x[1], %s)" % text, [x], want, 1e4)
    near(c, "cp.linalg.cond(x[1], 'nuc')", [stack[::2]], np.linalg.cond(stack[::2], "nuc"), 1e4)


def factors(c):
    L = "cp.scipy.linalg."
    a = np.array([[4, 1, 2], [1, 3, 0], [2, 0, 5]]) + 0j
    a[0, 1] += 1j
    a[1, 0] -= 1j
    for x in (a.real.copy(), a, a.real.astype(np.int32)):
        near(c, L + "cholesky(x[1])", [x], linalg.cholesky(x))
        near(c, L + "cholesky(x[1], true)", [x], linalg.cholesky(x, True))
        near(c, L + "cholesky(x[1], {lower = false})", [x], linalg.cholesky(x, lower=False))
    for shape in ((4, 2), (2, 4), (3, 3)):
        x = numbers(shape, 31, np.float64)
        for mode in ("full", "economic"):
            for k in (0, 1):  # columns are right but for their sign, which LAPACK chooses
                want = linalg.qr(x, mode=mode)[k]
                near(c, "cp.abs((select(%d, %sqr(x[1], '%s'))))" % (k + 1, L, mode), [x], np.abs(want), 1e4)
        near(c, "cp.abs((%sqr(x[1])))" % L, [x], np.abs(linalg.qr(x)[0]), 1e4)
        near(c, "cp.abs((%sqr(x[1], 'r')))" % L, [x], np.abs(linalg.qr(x, mode="r")[0]), 1e4)
        near(c, "cp.abs((select(2, %sqr(x[1], 'raw'))))" % L, [x], np.abs(linalg.qr(x, mode="raw")[1]), 1e4)
        c.add("cp.array(%sqr(x[1], 'raw')[1].shape)" % L, [x], np.array(x.shape, np.float64))


# ---- interpolation and quantiles

def lines(c):
    inf, nan = np.inf, np.nan
    x = np.array([-1, 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, nan, inf, -inf])
    places, wide = np.arange(5.0), np.array([-inf, 0, 1, 2, inf])
    rows = [[1, 2, inf, 4, 5], [1, 2, -inf, inf, 5], [inf, inf, 1, 2, 3], [1, nan, 2, 3, 4], [1e308, -1e308, 0, 1, 2], [0, 1, 2, 3, 4]]
    for re in rows:
        c.add("cp.interp(x[1], x[2], x[3])", [x, places, np.array(re)], np.interp(x, places, re))
        c.add("cp.interp(x[1], x[2], x[3])", [x, wide, np.array(re) + 2j], np.interp(x, wide, np.array(re) + 2j))
        for im in rows[:3] + rows[5:]:
            z = np.empty(5, complex)
            z.real, z.imag = re, im
            c.add("cp.interp(x[1], x[2], x[3])", [x, places, z], np.interp(x, places, z))
    z = places * (1 + 1j)
    c.add("cp.interp(x[1], x[2], x[3], cp.complex(1, cp.inf), 7)", [x, places, z], np.interp(x, places, z, complex(1, inf), 7))
    c.add("cp.interp(x[1], x[2], x[3], {period = 4})", [x[:11], places[:4], z[:4]], np.interp(x[:11], places[:4], z[:4], period=4), 8.0)


def quantiles(c):
    for name in ("bool", "int8", "uint16", "int64", "uint64", "float16", "float32"):
        x = np.array([3, 1, 2, 7, 5, 0]).astype(name)
        for method in ("lower", "higher", "nearest", "inverted_cdf", "closest_observation") + ("linear", "hazen") * (name != "bool"):
            scale = None if method not in ("linear", "hazen") else 4.0
            c.add('cp.quantile(x[1], 0.3, {method = "%s"})' % method, [x], np.quantile(x, 0.3, method=method), scale)
            c.add('cp.percentile(x[1]:reshape(2, 3), 60, 2, {method = "%s"})' % method, [x], np.percentile(x.reshape(2, 3), 60, 1, method=method), scale)
            if method != "hazen":
                c.add('cp.nanquantile(x[1], {0, 0.5, 1}, {method = "%s"})' % method, [x], np.nanquantile(x, [0, 0.5, 1], method=method).astype(
                    name if scale is None or x.dtype.kind == "f" else np.float64), scale)
            for q in ("float16", "float32", "float64"):
                q = np.array([0, 0.25, 0.5, 1], q)
                c.add('cp.quantile(x[1], x[2], {method = "%s"})' % method, [x, q], np.quantile(x, q, method=method), scale)
                c.add('cp.nanpercentile(x[1], x[2] * 100, {method = "%s"})' % method, [x, q], np.nanpercentile(x, q * 100, method=method), scale)
            if method == "hazen":  # NumPy's linear method gives elements of a for whole q
                for q in ("int8", "int64"):
                    q = np.array([0, 1], q)
                    c.add('cp.quantile(x[1], x[2], {method = "hazen"})', [x, q], np.quantile(x, q, method=method), scale)
                    c.add('cp.percentile(x[1], x[2], {method = "hazen"})', [x, q], np.percentile(x, q, method=method), 16.0)


# ---- where NumPy is milder: no axes, surplus axes, negative lengths, results of other dtypes

def without_axes(c):
    z, one = np.array(5.0), np.array([3.0, 1, 2])
    for f in ("sum", "prod", "max", "min", "any", "all", "ptp", "nansum", "nanmax", "nanmean", "count_nonzero", "cumsum", "cumprod", "nancumsum", "squeeze",
              "cumulative_sum", "cumulative_prod"):
        c.add("cp.%s(x[1], {axis = 1})" % f, [z], getattr(np, f)(z, axis=0))
    for f in ("argmax", "argmin", "nanargmax", "argsort"):
        for axis, text in ((0, "1"), (-1, "-1")):
            c.add("cp.%s(x[1], {axis = %s})" % (f, text), [z], getattr(np, f)(z, axis=axis) + 1)
    c.add("cp.argsort(x[1])", [z], np.argsort(z) + 1)
    c.add("cp.argpartition(x[1], 1)", [z], np.argpartition(z, 0) + 1)
    c.add("cp.cumulative_sum(x[1])", [z], np.cumulative_sum(z))
    c.add("cp.lexsort({x[1], x[1]})", [z], np.lexsort([z, z]) + 1)
    c.add("cp.lexsort(x[1])", [one], np.lexsort(one) + 1)
    c.add("cp.take(x[1], {1, 1}, 1)", [z], np.take(z, [0, 0], 0))
    c.add("cp.take(x[1], cp.index({1}), -1)", [z], np.take(z, [0], -1))
    c.add("cp.take(x[1], {1})", [z], np.take(z, [0]))
    c.add("cp.repeats(x[1], 2, 1)", [z], np.repeat(z, 2, 0))
    c.add("cp.compress({true}, x[1], 1)", [z], np.compress([True], z, 0))
    for mode in ("full", "same", "valid"):
        c.add("cp.convolve(x[1], x[2], '%s')" % mode, [z, one], np.convolve(z, one, mode))
        c.add("cp.convolve(x[2], x[1], '%s')" % mode, [z, one], np.convolve(one, z, mode))
    c.add("cp.convolve(x[1], 3)", [z], np.convolve(z, 3.0))


def negative_lengths(c):
    x = np.zeros(1)
    for n in (-3, -1, 0, 2):
        c.add("cp.stack(cp.diag_indices(%d))" % n, [x], np.array(np.diag_indices(n)) + 1)
        c.add("cp.stack(cp.diag_indices(%d, 3))" % n, [x], np.array(np.diag_indices(n, 3)) + 1)
        c.add("cp.stack(cp.tril_indices(%d))" % n, [x], np.array(np.tril_indices(n)) + 1)
        c.add("cp.stack(cp.triu_indices(%d, 0, 3))" % n, [x], np.array(np.triu_indices(n, 0, 3)) + 1)
        c.add("cp.tri(%d)" % n, [x], np.tri(n))
        c.add("cp.tri(2, %d)" % n, [x], np.tri(2, n))


def surplus_axes(c):
    def add(statement, given, shape, write):
        x, v = np.zeros((2, 3)), numbers(shape, 40, given)
        want = x.copy()
        write(want, v)
        c.add("(function(x, v) %s return x end)(x[1]:copy(), x[2])" % statement, [x, v], want)

    def element(place):
        return lambda x, v: x.__setitem__(place, v)

    for name in ("float64", "int32"):
        for statement, shape, place in (("x[':'] = v", (1, 1, 2, 3), ...), ("x[':'] = v", (1, 1, 1, 3), ...), ("x:assign(v)", (1, 2, 3), ...), ("x.T:assign(v)", (1, 3, 1), None),
                                        ("x[1] = v", (1, 1, 3), 0), ("x['2:2'] = v", (1, 1, 3), slice(1, 2)), ("x['1:0'] = v", (1, 0, 3), slice(0, 0)),
                                        ("cp.copyto(x, v)", (1, 1, 2, 3), ...), ("x['::-1'] = v:totable()", (1, 1, 2, 3), slice(None, None, -1)),
                                        ("x = x * 2 x:assign(v)", (1, 1, 2, 3), ...), ("x:assign(v * 2 - v)", (1, 1, 2, 3), ...), ("x:assign(function() return v + 0 end)", (1, 1, 2, 3), ...)):
            if place is None:
                add(statement, name, shape, lambda x, v: x.T.__setitem__(..., v))
            else:
                add(statement, name, shape, element(place))
    v = numbers((1, 1, 2, 3), 41, np.float32)
    c.add("cp.full({2, 3}, x[1])", [v], np.full((2, 3), v))


def into_out(c):
    """Reductions and scans into out of any dtype."""
    for name in ("bool", "int32", "float64", "complex64"):
        x = np.array([[1, 0, 3], [0, 0, 0], [1, -1, 0]]).astype(name)
        for f in ("sum", "prod", "max", "min", "mean", "var", "any", "nansum", "nanmax", "median", "cumsum", "cumprod", "nancumsum"):
            for out in ["bool"] + {"float64": ["int8"], "int32": ["uint8", "float32"]}.get(name, []):
                if f in ("var", "median") and name in ("bool", "complex64"):
                    continue
                o = np.zeros((3, 3) if "cum" in f else 3, out)
                getattr(np, f)(x, axis=1, out=o)
                want = "cp.zeros({%s}, '%s')" % ("3, 3" if "cum" in f else "3", out)
                c.add("cp.%s(x[1], {axis = 2, out = %s})" % (f, want), [x], o, 4.0)
    wide = np.array([1e8, 1, -1e8], np.float32)
    for f in ("sum", "mean", "nansum", "cumsum"):
        o = np.zeros(3 if f == "cumsum" else ())
        getattr(np, f)(wide, out=o)
        c.add("cp.%s(x[1], {out = cp.zeros({%s})})" % (f, "3" if f == "cumsum" else ""), [wide], o)


def write():
    warnings.simplefilter("ignore")
    c = Calls()
    for f in (outputs, beyond_borders, complex_filters, transforms, filters, windows, polynomials, columns, powers, conditions, factors, lines, quantiles, without_axes, negative_lengths, surplus_axes, into_out):
        f(c)
    c.write("scipy/science")


if __name__ == "__main__":
    write()
