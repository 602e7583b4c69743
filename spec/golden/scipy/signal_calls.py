"""Golden calls of cp.scipy.signal, from SciPy: `signal`."""

import math
from fractions import Fraction

import numpy as np
from scipy import signal

from calls import Calls
from spectra_calls import resampling_calls, spectra_calls
from values import DTYPES, kind

S = "cp.scipy.signal."


def values(name, shape, seed, low=-9, high=10):
    """Small numbers, so that sums of products are exact in most dtypes."""
    rng = np.random.default_rng(seed)
    k = kind(name)
    if k == "b":
        return rng.integers(0, 4, shape) == 0
    if k == "i":
        return rng.integers(max(low, np.iinfo(DTYPES[name]).min, 0 if name[0] == "u" else low), high, shape).astype(DTYPES[name])
    x = (rng.integers(low, high, shape) / 4.0).astype(np.complex128 if k == "c" else np.float64)
    if k == "c":
        x = x + 1j * rng.integers(-3, 4, shape)
    return x.astype(DTYPES[name])


def wide(x):
    """The type that SciPy adds up in; bool and halves are no types of its convolutions."""
    if x.dtype == bool:
        return x.astype(np.int64)
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64 if kind(x.dtype.name) == "f" else x.dtype)


def narrow(out, name):
    if name == "bool":
        return out != 0
    return out.astype(DTYPES[name]) if kind(name) == "i" else out


def add(c, expression, inputs, out, name):
    c.add(S + expression, inputs, narrow(out, name), dtypes=[name])  # exact: see values


def direct_calls(c):
    for name in DTYPES:
        x, h = values(name, 19, 1), values(name, 7, 2, -4, 5)
        for f in ("convolve", "correlate"):
            for mode in ("full", "same", "valid"):
                for a, b in ((x, h), (h, x)) if mode != "same" else ((x, h), (x[:6], h)):
                    if f == "correlate" and mode == "same" and len(a) < len(b):
                        continue  # NumPy's result, which is longer
                    add(c, '%s(x[1], x[2], "%s", "direct")' % (f, mode), [a, b],
                        getattr(signal, f)(wide(a), wide(b), mode, "direct"), name)
        k = values(name, (3, 4), 4, -4, 5)
        for f in ("convolve2d", "correlate2d"):
            m = values(name, (5, 7), 3)
            for mode, boundary in (("full", "fill"), ("same", "symm"), ("valid", "fill"), ("same", "wrap"), ("full", "symm")):
                want = getattr(signal, f)(wide(m), wide(k), mode, boundary)
                add(c, '%s(x[1], x[2], "%s", "%s")' % (f, mode, boundary), [m, k], want, name)
    for name in ("int32", "float32", "complex64"):
        cube, k = values(name, (4, 3, 5), 5), values(name, (3, 2, 4), 6, -4, 5)
        for f in ("convolve", "correlate"):
            for mode in ("full", "same", "valid"):
                add(c, '%s(x[1], x[2], "%s", "direct")' % (f, mode), [cube, k], getattr(signal, f)(wide(cube), wide(k), mode, "direct"), name)
        add(c, 'convolve(x[1], x[2], "valid", "direct")', [k, cube], signal.convolve(wide(k), wide(cube), "valid", "direct"), name)
        add(c, 'correlate(x[1], x[2], "full", "direct")', [k, cube], signal.correlate(wide(k), wide(cube), "full", "direct"), name)
    m = values("float64", (6, 13), 7)
    for shape in ((1, 1), (1, 5), (5, 1), (2, 2), (5, 7), (6, 13), (7, 3)):
        k = values("float64", shape, 8, -4, 5)
        for f in ("convolve2d", "correlate2d"):
            for mode in ("same", "full"):
                for boundary in ("fill", "wrap", "symm"):
                    if boundary == "symm" and shape[0] > 6:
                        continue
                    add(c, '%s(x[1], x[2], "%s", "%s", 0.5)' % (f, mode, boundary), [m, k], getattr(signal, f)(m, k, mode, boundary, 0.5 if boundary == "fill" else 0), "float64")
    # in2 in another dtype, and the larger one of "valid"
    add(c, 'convolve2d(x[1], x[2], "same", "fill", 2)', [m.astype(np.float32)[:4, :5], values("int16", (3, 3), 9)],
        signal.convolve2d(m[:4, :5], values("int16", (3, 3), 9), "same", "fill", 2), "float32")
    add(c, 'correlate2d(x[1], x[2], "valid")', [m[:2, :3], m], signal.correlate2d(m[:2, :3], m, "valid"), "float64")
    special = np.array([1, np.nan, 3, np.inf, 5, 6, -np.inf, 8, 9])
    add(c, 'convolve(x[1], x[2], "same", "direct")', [special, np.array([1.0, 2.0])], signal.convolve(special, np.array([1.0, 2.0]), "same", "direct"), "float64")


def transform_calls(c):
    for name in ("int16", "float32", "float64", "complex64", "complex128"):
        x, k = values(name, (2, 20), 10), values(name, (2, 7), 11, -4, 5)
        out = {"int16": "float64"}.get(name, name)
        for mode in ("full", "same", "valid"):
            for text, axes in (("nil", None), ("2", 1)):
                want = signal.fftconvolve(wide(x), wide(k), mode, axes)
                size = np.full(want.shape, 64 * np.abs(want).max())
                c.add('%sfftconvolve(x[1], x[2], "%s", %s)' % (S, mode, text), [x, k], want, size, [out])
        want = signal.convolve(wide(x), wide(k), "same", "direct")
        c.add('%sconvolve(x[1], x[2], "same", "fft")' % S, [x, k], narrow(want, name), np.full(want.shape, 64 * np.abs(want).max()) if name != "int16" else None, [name])
        want = signal.correlate(wide(x), wide(k), "full", "direct")
        c.add('%scorrelate(x[1], x[2], "full", "fft")' % S, [x, k], narrow(want, name), np.full(want.shape, 64 * np.abs(want).max()) if name != "int16" else None, [name])
    x, k, long = values("float64", (3, 1), 12), values("float64", (3, 30), 13), values("float64", (1, 1100), 14)
    for f in ("fftconvolve", "oaconvolve"):
        for a, b, axes in ((x, k, None), (x, k, 1), (x.T, k[:, :3], 0), (long, x, 1), (long, k, 1), (x[:, 0], x[:1, 0], None), (x[:1, 0], k[0], None)):
            want = getattr(signal, f)(a, b, "same", axes)
            c.add('%s%s(x[1], x[2], "same"%s)' % (S, f, "" if axes is None else ", %d" % (axes + 1)), [a, b], want, np.full(want.shape, 64 * np.abs(want).max()))
    for n, m in ((5, 3), (3, 5), (6, 6)):
        for mode in ("full", "same", "valid"):
            c.add('%scorrelation_lags(%d, %d, "%s")' % (S, n, m, mode), [np.zeros(1)], signal.correlation_lags(n, m, mode))


def filter_calls(c):
    b, a = signal.butter(3, 0.3)
    cb, ca = np.array([1, 0.5j, -0.25]), np.array([2, 0.3 - 0.2j, 0.1j])
    sos = signal.butter(5, [0.2, 0.6], "bandpass", output="sos")
    for name in ("float32", "float64", "complex64", "complex128", "int16"):
        x = values(name, (2, 14, 2), 14)
        w = wide(x)
        out = {"int16": "float64"}.get(name, name)
        t = np.float32 if out in ("float32", "complex64") else np.float64
        bs, as_ = b.astype(t), a.astype(t)
        scale = lambda y: np.full(np.shape(y), 64 * max(1, np.abs(y).max()))

        def both(expression, inputs, outs):
            sizes = max(scale(y).max() for y in outs)
            c.add(S + expression, inputs, outs, sizes if len(outs) > 1 else scale(outs[0]), [out] * len(outs))

        for axis in (0, 1, 2) if name in ("float32", "complex128") else (1,):
            y = signal.lfilter(b, a, w, axis)
            both("lfilter(x[1], x[2], x[3], %d)" % (axis + 1), [bs, as_, x], [y])
            y = signal.lfilter(b, [2.0], w, axis)
            both("lfilter(x[1], {2}, x[2], %d)" % (axis + 1), [bs, x], [y])
            y = signal.sosfilt(sos, w, axis)
            both("sosfilt(x[1], x[2], %d)" % (axis + 1), [sos.astype(t), x], [y])
        zi = values(out, (2, 3, 2), 15)
        y, zf = signal.lfilter(b, a, w, 1, wide(zi))
        both("lfilter(x[1], x[2], x[3], {axis = 2, zi = x[4]})", [bs, as_, x, zi], [y])
        both("filtfilt(x[1], x[2], x[3], 2)", [bs, as_, x], [signal.filtfilt(b, a, w, 1)])
        both("sosfiltfilt(x[1], x[2], 2, nil, 6)", [sos.astype(t), x], [signal.sosfiltfilt(sos, w, 1, padlen=6)])
        both('filtfilt(x[1], x[2], x[3], 2, "even", 5)', [bs, as_, x], [signal.filtfilt(b, a, w, 1, "even", 5)])
    x = values("float64", (2, 30), 16)
    for bb, aa in ((cb, ca), (np.array([0.5]), np.array([1, -0.5])), (np.array([1, 2, 3, 4.0]), np.array([1, -0.5])),
                   (np.array([1.0]), np.array([1, 0.4, 0.3, 0.2, 0.1]))):
        y = signal.lfilter(bb, aa, x)
        c.add(S + "lfilter(x[1], x[2], x[3])", [bb, aa, x], y, np.full(y.shape, 64 * np.abs(y).max()))
        n = max(len(aa), len(bb)) - 1
        y, zf = signal.lfilter(bb, aa, x, zi=np.ones((2, n)))
        c.add("select(2, cp.scipy.signal.lfilter(x[1], x[2], x[3], {zi = cp.ones({2, %d})}))" % n, [bb, aa, x], zf, np.full(zf.shape, 64 * np.abs(y).max()))
        c.add(S + "lfilter(x[1], x[2], x[3], {zi = cp.ones({2, %d})})" % n, [bb, aa, x], y, np.full(y.shape, 64 * np.abs(y).max()))
        z = signal.lfilter_zi(bb, aa)
        c.add(S + "lfilter_zi(x[1], x[2])", [bb, aa], z, np.full(z.shape, 64 * np.abs(z).max()))
        z = signal.lfiltic(bb, aa, [1, 2.0, 3], [4.0, 5])
        c.add(S + "lfiltic(x[1], x[2], {1, 2, 3}, {4, 5})", [bb, aa], z, np.full(z.shape, 64 * np.abs(z).max()))
    fir = np.array([0.5, -1, 0.25])
    y, zf = signal.lfilter(fir, [1.0], x[:, :1], zi=np.ones((2, 2)))
    c.add("select(2, cp.scipy.signal.lfilter(x[1], 1, x[2], {zi = {{1, 1}, {1, 1}}}))", [fir, x[:, :1]], zf, 8)
    zi = signal.sosfilt_zi(sos)
    c.add(S + "sosfilt_zi(x[1])", [sos], zi, np.full(zi.shape, 64.0))
    y, zf = signal.sosfilt(sos, x[0], zi=zi)
    c.add("select(2, cp.scipy.signal.sosfilt(x[1], x[2], {zi = x[3]}))", [sos, x[0], zi], zf, np.full(zf.shape, 64.0))


def window_calls(c):
    plain = ["boxcar", "hann", "hamming", "blackman", "nuttall", "blackmanharris", "flattop", "bartlett", "cosine",
             "lanczos", "triang", "parzen", "bohman", "barthann"]
    given = [("kaiser", "8.5", (8.5,)), ("gaussian", "3", (3,)), ("general_gaussian", "1.5, 4", (1.5, 4)), ("general_hamming", "0.6", (0.6,)),
             ("tukey", "0.3", (0.3,)), ("tukey", "0", (0,)), ("tukey", "1", (1,)), ("taylor", "4, 30, true", (4, 30, True)), ("taylor", "5, 40, false", (5, 40, False)),
             ("general_cosine", "{0.5, 0.3, 0.2}", ([0.5, 0.3, 0.2],)), ("exponential", "nil, 3", (None, 3)), ("chebwin", "60", (60,))]
    for M in (0, 1, 2, 7, 12):
        for sym in (True, False):
            for name, text, args in [(n, "", ()) for n in plain] + given:
                if name == "taylor" and M < 2 or M == 2 and name == "bohman":
                    continue
                want = getattr(signal.windows, name)(M, *args, sym=sym)
                call = "%swindows.%s(%s)" % (S, name, ", ".join([str(M)] + ([text] if text else []) + [str(sym).lower()]))
                c.add(call, [np.zeros(1)], want, np.full(want.shape, 32.0))
    for text, spec in (('"hann"', "hann"), ('{"kaiser", 4}', ("kaiser", 4)), ("5.5", 5.5), ('{"gaussian", 2}', ("gaussian", 2)),
                       ('"tukey"', ("tukey", 0.5)), ('{"exponential", nil, 2}', ("exponential", None, 2)), ('"hanning"', "hann"), ('"taylor"', "taylor"),
                       ('"barthann"', "barthann"), ('"bth"', "bth"), ('"bkh"', "bkh"), ('"nut"', "nut"), ('"taylorwin"', "taylorwin"), ('{"ggs", 1.5, 4}', ("ggs", 1.5, 4)),
                       ('{"general hamming", 0.6}', ("general hamming", 0.6))):
        for fft in (True, False):
            want = signal.get_window(spec, 16, fft)
            c.add("%sget_window(%s, 16, %s)" % (S, text, str(fft).lower()), [np.zeros(1)], want, np.full(want.shape, 32.0))
    for text, spec in (('{"cheb", 50}', ("cheb", 50)), ('"hann_symmetric"', "hann_symmetric"), ('{"ksr_periodic", 3}', ("ksr_periodic", 3)),
                       ('{"kbd_symmetric", 5}', ("kbd_symmetric", 5)), ('{"dpss", 2.5}', ("dpss", 2.5)), ('{"taylor", 3, 25}', ("taylor", 3, 25))):
        want = signal.windows.get_window(spec, 14)
        c.add("%swindows.get_window(%s, 14)" % (S, text), [np.zeros(1)], want, np.full(want.shape, 256.0))
    for M in (0, 2, 10):
        want = signal.windows.kaiser_bessel_derived(M, 4.5)
        c.add("%swindows.kaiser_bessel_derived(%d, 4.5)" % (S, M), [np.zeros(1)], want, np.full(want.shape, 32.0))
    for M, NW, K, sym, norm in ((1, 1, None, True, None), (11, 2.5, None, True, None), (12, 2.5, None, False, None), (12, 2, None, True, "subsample"),
                                (40, 3, 4, True, None), (33, 2.5, 4, False, "approximate"), (24, 3.5, 5, True, "subsample")):
        windows, ratios = signal.windows.dpss(M, NW, K, sym, norm, True)
        call = "%swindows.dpss(%d, %s, %s, %s, %s, true)" % (S, M, NW, K or "nil", str(sym).lower(), '"%s"' % norm if norm else "nil")
        c.add("(%s)" % call, [np.zeros(1)], windows, np.full(np.shape(windows), 1e3))
        c.add("cp.array((select(2, %s)))" % call, [np.zeros(1)], np.asarray(ratios), 1e3)
    for name in ("bartlett", "blackman", "hamming", "hanning"):
        for M in (0, 1, 8):
            c.add("cp.%s(%d)" % (name, M), [np.zeros(1)], getattr(np, name)(M), np.full(M, 32.0))
    c.add("cp.kaiser(9, 14)", [np.zeros(1)], np.kaiser(9, 14), np.full(9, 32.0))
    t = np.linspace(-3, 9, 40)
    for call, want in (("square(x[1])", signal.square(t)), ("square(x[1], 0.3)", signal.square(t, 0.3)), ("sawtooth(x[1])", signal.sawtooth(t)),
                       ("sawtooth(x[1], 0.5)", signal.sawtooth(t, 0.5)), ("sawtooth(x[1], 0)", signal.sawtooth(t, 0)), ("chirp(x[1], 1, 8, 3)", signal.chirp(t, 1, 8, 3)),
                       ('chirp(x[1], 1, 8, 3, "quadratic", 90, false)', signal.chirp(t, 1, 8, 3, "quadratic", 90, False)),
                       ('chirp(x[1], 1, 8, 3, "log")', signal.chirp(t, 1, 8, 3, "log")), ('chirp(x[1], 1, 8, 3, "hyperbolic")', signal.chirp(t, 1, 8, 3, "hyperbolic")),
                       ("gausspulse(x[1], 0.5)", signal.gausspulse(t, 0.5)), ("unit_impulse({3, 4}, {2, 3})", signal.unit_impulse((3, 4), (1, 2))),
                       ('unit_impulse(5, "mid")', signal.unit_impulse(5, "mid"))):
        c.add(S + call, [t], want, np.full(want.shape, 256.0))


def analog_calls(c, f, n, lua, args, btype, wn, text):
    """The same filter for continuous time, of wn in radians: coefficients, sections, and zeros, poles and gain."""
    z = [np.zeros(1)]
    call = '%s%s(%d, %s%s, "%s", true, "%%s")' % (S, f, n, lua, text, btype)
    for k, want in enumerate(getattr(signal, f)(n, *args, wn, btype, True)):
        c.add("(select(%d, %s))" % (k + 1, call % "ba"), z, want, np.full(want.shape, 1e3 * np.abs(want).max()))
    want = getattr(signal, f)(n, *args, wn, btype, True, "sos")
    c.add(call % "sos", z, want, np.full(want.shape, 1e4 * np.abs(want).max()))
    for k, want in enumerate(getattr(signal, f)(n, *args, wn, btype, True, "zpk")):
        if np.size(want):  # roots in any order
            want = np.array(want) if k == 2 else np.real(np.poly(want))
            c.add(("cp.array((select(%d, %s)))" if k == 2 else "cp.real(cp.poly((select(%d, %s))))") % (k + 1, call % "zpk"), z, want,
                  np.full(np.shape(want), 1e4 * np.abs(want).max()))


def design_calls(c):
    z = [np.zeros(1)]
    for text, args in (("9, 0.3", dict(cutoff=0.3)), ('9, 0.3, nil, "hann", false', dict(cutoff=0.3, window="hann", pass_zero=False)),
                       ('8, {0.2, 0.5}, {pass_zero = "bandpass"}', dict(cutoff=[0.2, 0.5], pass_zero="bandpass")),
                       ("9, {20, 30}, {fs = 100, width = 5}", dict(cutoff=[20, 30], fs=100, width=5)),
                       ("9, 0.4, {scale = false, window = {\"kaiser\", 3}}", dict(cutoff=0.4, scale=False, window=("kaiser", 3)))):
        want = signal.firwin(int(text.split(",")[0]), **args)
        c.add("%sfirwin(%s)" % (S, text), z, want, np.full(want.shape, 32.0))
    for f, lua, args in (("butter", "", ()), ("cheby1", "1, ", (1,)), ("cheby2", "40, ", (40,))):
        for n in (1, 2, 3, 4, 5):
            for btype, wn, text in (("low", 0.3, "0.3"), ("high", 0.4, "0.4"), ("bandpass", [0.2, 0.5], "{0.2, 0.5}"), ("bandstop", [0.3, 0.6], "{0.3, 0.6}")):
                analog_calls(c, f, n, lua, args, btype, wn, text)
                call = '%s(%d, %s%s, "%s"' % (f, n, lua, text, btype)
                b, a = getattr(signal, f)(n, *args, wn, btype)
                c.add(S + call + ")", z, b, np.full(b.shape, 1e5 * np.abs(b).max()))
                c.add("select(2, " + S + call + "))", z, a, np.full(a.shape, 1e5 * np.abs(a).max()))
                if n in (2, 3, 5) and (n, f, btype) not in ((5, "cheby2", "bandstop"),):
                    w, h = signal.freqz(b, a, 16)
                    c.add("select(2, %ssosfreqz(%s%s, {output = \"sos\"}), 16))" % (S, S, call), z, h, np.full(h.shape, 1e6))
    for n in (4, 5):
        sos = signal.butter(n, 0.3, output="sos")
        c.add('%sbutter(%d, 0.3, "low", false, "sos")' % (S, n), z, sos, np.full(sos.shape, 1e4))
    b, a = signal.butter(3, 0.3)
    for text, args in (("x[1], x[2], 30", dict(worN=30)), ("x[1], x[2], 10, true", dict(worN=10, whole=True)), ("x[1], x[2], {worN = {0.1, 0.2}, fs = 2}", dict(worN=[0.1, 0.2], fs=2)),
                       ("x[1], x[2], {worN = 9, include_nyquist = true}", dict(worN=9, include_nyquist=True))):
        w, h = signal.freqz(b, a, **args)
        c.add("%sfreqz(%s)" % (S, text), [b, a], [w, h], np.full(len(w), 1e3))
    w, h = signal.freqz(b, worN=8)
    c.add("select(2, %sfreqz(x[1], nil, 8))" % S, [b], h, np.full(h.shape, 32.0))


def savgol(n, order, deriv, delta=1, pos=None):
    """The weights in exact fractions: SciPy's lose half of their digits at high orders."""
    centre = Fraction(n - 1, 2) if pos is None else Fraction(pos)
    powers = [[(k - centre) ** p for k in range(n)] for p in range(order + 1)]
    rows = [[sum(a * b for a, b in zip(u, v)) for v in powers] + [Fraction(int(p == deriv))] for p, u in enumerate(powers)]
    for k in range(order + 1):
        rows[k] = [v / rows[k][k] for v in rows[k]]
        for r in range(order + 1):
            if r != k:
                rows[r] = [v - rows[r][k] * u for v, u in zip(rows[r], rows[k])]
    scale = math.factorial(deriv) / Fraction(delta) ** deriv
    return np.array([float(scale * sum(row[-1] * u[k] for row, u in zip(rows, powers))) for k in range(n)])[::-1]


def smoothing_calls(c):
    for name in ("uint8", "int32", "float32", "float64"):
        x = values(name, 23, 20)
        m = values(name, (8, 9), 21)
        c.add(S + "medfilt(x[1], 5)", [x], signal.medfilt(x, 5))
        c.add(S + "medfilt(x[1], {3, 5})", [m], signal.medfilt(m, (3, 5)))
        c.add(S + "medfilt2d(x[1])", [m], signal.medfilt2d(m if name != "int32" else m.astype(np.float64)).astype(m.dtype))
        c.add(S + "order_filter(x[1], {{1, 0, 1}, {0, 1, 0}, {1, 0, 1}}, 1)", [m],
              signal.order_filter(m.astype(np.float64), np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]]), 1).astype(m.dtype))
    x = values("float64", (2, 23), 22)
    for text, args in (("x[1], 7, 2", (7, 2)), ("x[1], 5, 3, 1, 0.5", (5, 3, 1, 0.5)), ("x[1], 7, 2, 2", (7, 2, 2)), ("x[1], 9, 4, {mode = \"mirror\"}", None),
                       ("x[1], 9, 4, {mode = \"nearest\"}", None), ("x[1], 9, 4, {mode = \"wrap\"}", None), ("x[1], 9, 4, {mode = \"constant\", cval = 2}", None),
                       ("x[1], 1, 0, {axis = 1}", "axis"), ("x[1], 1, 0", (1, 0)), ("x[1], 6, 2", (6, 2)), ("x[1], 6, 2, {mode = \"wrap\"}", "even")):
        if args is None:
            mode = text.split('"')[1]
            want = signal.savgol_filter(x, 9, 4, mode=mode, cval=2.0)
        elif args == "axis":
            want = signal.savgol_filter(x, 1, 0, axis=0)
        elif args == "even":
            want = signal.savgol_filter(x, 6, 2, mode="wrap")
        else:
            want = signal.savgol_filter(x, *args)
        c.add("%ssavgol_filter(%s)" % (S, text), [x], want, np.full(want.shape, 1e3))
    for text, args in (("5, 2", (5, 2)), ("7, 3, 1, 2", (7, 3, 1, 2.0)), ("5, 2, {pos = 5, use = \"dot\"}", None), ("4, 1", (4, 1))):
        want = signal.savgol_coeffs(*args) if args else signal.savgol_coeffs(5, 2, pos=4, use="dot")
        c.add("%ssavgol_coeffs(%s)" % (S, text), [np.zeros(1)], want, np.full(want.shape, 1e3))
    for text, args in (("9, 6", (9, 6, 0)), ("21, 9, 2, 0.5", (21, 9, 2, 0.5)), ("5, 4, {pos = 1}", (5, 4, 0, 1, 0)), ("31, 15, 1", (31, 15, 1)), ("6, 2, 4", (6, 2, 4))):
        want = savgol(*args)
        c.add("%ssavgol_coeffs(%s)" % (S, text), [np.zeros(1)], want, np.full(want.shape, 32 * max(1e-300, np.abs(want).max())))
    for text, args in (("x[1]", {}), ('x[1], 1, "constant"', dict(axis=0, type="constant")), ("x[1], {bp = {10, 20}}", dict(bp=[10, 20])), ("x[1], 1", dict(axis=0))):
        want = signal.detrend(x, **args)
        c.add("%sdetrend(%s)" % (S, text), [x], want, np.full(want.shape, 256.0))
    want = signal.wiener(x)
    c.add(S + "wiener(x[1])", [x], want, np.full(want.shape, 1e3))
    want = signal.wiener(x, (1, 5), 0.5)
    c.add(S + "wiener(x[1], {1, 5}, 0.5)", [x], want, np.full(want.shape, 1e3))
    x = values("complex128", (4, 9), 23)
    for text, args in (("x[1]", ()), ("x[1], 5", (5,)), ("x[1], {2, 3}, 0.5", ((2, 3), 0.5))):
        want = signal.wiener(x, *args)
        c.add("%swiener(%s)" % (S, text), [x], want, np.full(want.shape, 1e4))


def gust_calls(c):
    b, a = signal.ellip(4, 0.1, 60, 0.3)
    for name in ("float64", "complex128", "int16"):
        x = values(name, (2, 60), 24)
        for irlen in (None, 12, 29, 30):
            want = signal.filtfilt(b, a, wide(x), 1, method="gust", irlen=irlen)
            c.add('%sfiltfilt(x[1], x[2], x[3], {axis = 2, method = "gust", irlen = %s})' % (S, irlen or "nil"), [b, a, x], want,
                  np.full(want.shape, 1e6))
    want = signal.filtfilt(b, a, wide(x).T, 0, method="gust")
    c.add(S + 'filtfilt(x[1], x[2], x[3].T, {axis = 1, method = "gust"})', [b, a, x], want, np.full(want.shape, 1e6))
    x = values("float32", 50, 25)
    for bb, aa in ((b, a), (np.array([1.5]), np.array([2.0])), (np.array([1, 2.0, -1]), np.array([1.0])), (np.array([1.0]), np.array([1, -0.5]))):
        want = signal.filtfilt(bb.astype(np.float32).astype(float), aa.astype(np.float32).astype(float), wide(x), method="gust")
        c.add(S + 'filtfilt(x[1], x[2], x[3], {method = "gust"})', [bb.astype(np.float32), aa.astype(np.float32), x], want,
              np.full(want.shape, 1e3), ["float32"])


def empty_calls(c):
    for shape in ((0,), (3, 0), (0, 5, 2)):
        x, y = np.zeros(shape), np.ones(10)
        for axis in range(len(shape)):
            for f in ("periodogram", "welch", "stft"):
                for k, want in enumerate(getattr(signal, f)(x, axis=axis)):
                    c.add("(select(%d, %s%s(x[1], {axis = %d})))" % (k + 1, S, f, axis + 1), [x], want)
        for k, want in enumerate(signal.csd(y, x)):
            c.add("(select(%d, %scsd(x[1], x[2])))" % (k + 1, S), [y, x], want)


def peak_calls(c):
    F = S + "find_peaks(x[1]"
    x = level = np.random.default_rng(60).integers(0, 9, 60).astype(np.float64)
    for text, args in (("", {}), (", 4", dict(height=4)), (", {2, 6}", dict(height=(2, 6))), (", nil, 2", dict(threshold=2)), (", nil, {nil, 3}", dict(threshold=(None, 3))),
                       (", {distance = 5}", dict(distance=5)), (", {prominence = 3}", dict(prominence=3)), (", {prominence = {1, 4}, wlen = 7}", dict(prominence=(1, 4), wlen=7)),
                       (", {height = 3, distance = 3, prominence = 2}", dict(height=3, distance=3, prominence=2))):
        x = np.random.default_rng(61).permutation(60) / 4.0 if "distance" in args else level  # who wins of equals is not said
        peaks, properties = signal.find_peaks(x, **args)
        c.add(F + text + ")", [x], peaks + 1)
        for name in properties:
            want = properties[name] + 1 if name.endswith("bases") else properties[name]
            c.add("select(2, " + F + text + ")).%s" % name, [x], want)
    for call, y in (("hilbert(x[1])", signal.hilbert(x)), ("hilbert(x[1]:reshape(4, 15), 9, 2)", signal.hilbert(x.reshape(4, 15), 9, 1)),
                    ("hilbert(x[1]:reshape(4, 15), {axis = 1})", signal.hilbert(x.reshape(4, 15), axis=0))):
        c.add(S + call, [x], y, np.full(y.shape, 1e3))


def sequence_calls(c):
    z = [np.zeros(1)]
    for name in ("int32", "float64"):
        x = np.random.default_rng(70).integers(0, 6, (5, 9)).astype(name)
        for axis, more, text in ((0, {}, "1"), (1, dict(order=2), "2, 2"), (1, dict(order=2, mode="wrap"), '2, 2, "wrap"')):
            for f, args, lua_args in (("argrelmin", (), ""), ("argrelmax", (), ""), ("argrelextrema", (np.greater_equal,), ", cp.greater_equal")):
                want = getattr(signal, f)(x, *args, axis=axis, **more)
                c.add("(table.unpack or unpack)(%s%s(x[1]%s, %s))" % (S, f, lua_args, text), [x], [v + 1 for v in want])
    x = np.random.default_rng(71).integers(0, 9, 60).astype(np.float64)
    peaks = signal.find_peaks(x)[0]
    for wlen in (None, 7, 8.5):
        p, left, right = signal.peak_prominences(x, peaks, wlen)
        c.add("%speak_prominences(x[1], x[2], %s)" % (S, wlen or "nil"), [x, peaks + 1], [p, left + 1, right + 1])
        for height in (0, 0.5, 1):
            w, h, left, right = signal.peak_widths(x, peaks, height, wlen=wlen)
            c.add("%speak_widths(x[1], x[2], %s, {wlen = %s})" % (S, height, wlen or "nil"), [x, peaks + 1], [w, h, left + 1, right + 1], 64)
    for a, b in (([1, 5, 8, 4.0], [1, 2.0]), ([1.0, 2], [3.0, 1, 2]), ([1j, 2, 3], [2.0, 1]), ([4.0], [2.0])):
        quotient, rest = signal.deconvolve(np.array(a), np.array(b))
        c.add(S + "deconvolve(x[1], x[2])", [np.array(a), np.array(b)], [np.asarray(quotient, float if np.size(quotient) == 0 else None), rest], np.full(len(rest), 64.0) if len(quotient) == len(rest) else 64)
    for text, args in (("2", (2,)), ("8", (8,)), ("5, {1, 0, 0, 1, 1}, 12", (5, [1, 0, 0, 1, 1], 12)), ("6, {taps = {1, 4, 4}}", (6, None, None, [1, 4, 4])), ("4, {length = 0}", (4, None, 0))):
        c.add("%smax_len_seq(%s)" % (S, text), z, list(signal.max_len_seq(*args)))
    events = np.array([0.1, 1.2, 1.9, 3.05, 4.4])
    strength, phase = signal.vectorstrength(events, np.array([0.5, 1, 2.0]))
    c.add(S + "vectorstrength(x[1], x[2])", [events, np.array([0.5, 1, 2.0])], [strength, phase], 1e3)
    for n, freq, gain, text, more in ((9, [0, 0.5, 1], [1, 0.5, 0], "", {}), (10, [0, 0.3, 0.3, 1], [1, 1, 0, 0], '{window = "hann", nfreqs = 40}', dict(window="hann", nfreqs=40)),
                                      (9, [0, 2, 5], [0, 1, 0], "{antisymmetric = true, fs = 10}", dict(antisymmetric=True, fs=10)),
                                      (8, [0, 0.5, 1], [0, 1, 2], "{antisymmetric = true, window = false}", dict(antisymmetric=True, window=None))):
        want = signal.firwin2(n, freq, gain, **more)
        c.add("%sfirwin2(%d, x[1], x[2]%s)" % (S, n, text and ", " + text), [np.array(freq, float), np.array(gain, float)], want, np.full(n, 64.0))
    for n, text, args, more in ((15, "{0, 0.3, 0.4, 1}, {1, 1, 0, 0}", ([0, 0.3, 0.4, 1], [1, 1, 0, 0]), {}),
                                (21, "{0, 1, 2, 4}, {0, 1, 1, 0.5}, {weight = {1, 5}, fs = 10}", ([0, 1, 2, 4], [0, 1, 1, 0.5]), dict(weight=[1, 5], fs=10)), (1, "{0, 1}, {1, 1}", ([0, 1], [1, 1]), {})):
        want = signal.firls(n, *args, **more)
        c.add("%sfirls(%d, %s)" % (S, n, text), z, want, np.full(n, 1e5 * np.abs(want).max()))
    h = signal.firwin(21, 0.3)
    for text, more in (("", {}), (", {half = false}", dict(half=False)), (", {n_fft = 101}", dict(n_fft=101))):
        want = signal.minimum_phase(h, **more)
        c.add("%sminimum_phase(x[1]%s)" % (S, text), [h], want, np.full(want.shape, 1e4))
    h = signal.remez(31, [0, 0.3, 0.4, 1], [1, 0], fs=2)
    want = signal.minimum_phase(h, method="hilbert")
    c.add(S + 'minimum_phase(x[1], "hilbert")', [h], want, np.full(want.shape, 1e12))  # the square root of rounding errors


def chirp_z_calls(c):
    for name in ("float32", "complex128"):
        x = values(name, (3, 10), 80)
        for text, args in (("", {}), (", {m = 7}", dict(m=7)), (", {axis = 1}", dict(axis=0)), (", {m = 13, w = cp.complex(0.9, 0.3), a = 1.1}", dict(m=13, w=0.9 + 0.3j, a=1.1)),
                           (", 4, 0.9, cp.complex(0, 1)", dict(m=4, w=0.9, a=1j))):
            want = signal.czt(wide(x), **args)
            c.add("%sczt(x[1]%s)" % (S, text), [x], want, np.full(want.shape, 1e4 * np.abs(want).max()))
        for text, args in (("0.5", dict(fn=0.5)), ("{1, 2}, 6, 5", dict(fn=[1, 2], m=6, fs=5)), ("0.7, {m = 4, endpoint = true, axis = 1}", dict(fn=0.7, m=4, endpoint=True, axis=0))):
            want = signal.zoom_fft(wide(x), **args)
            c.add("%szoom_fft(x[1], %s)" % (S, text), [x], want, np.full(want.shape, 1e4 * np.abs(want).max()))
        t = signal.CZT(10, 6, 0.9 + 0.3j)
        c.add(S + "CZT(10, 6, cp.complex(0.9, 0.3))(x[1])", [x], t(wide(x)), np.full((3, 6), 1e4 * np.abs(t(wide(x))).max()))
        t = signal.ZoomFFT(10, [0.2, 0.4], 5)
        c.add(S + "ZoomFFT(10, {0.2, 0.4}, 5)(x[1], 2)", [x], t(wide(x)), np.full((3, 5), 1e4 * np.abs(t(wide(x))).max()))
        c.add(S + "ZoomFFT(10, {0.2, 0.4}, 5):points()", [x], t.points(), 64)
    for text, args in (("5", (5,)), ("4, 0.9, 2", (4, 0.9, 2)), ("4, cp.complex(0.9, 0.3)", (4, 0.9 + 0.3j))):
        want = signal.czt_points(*args)
        c.add("%sczt_points(%s)" % (S, text), [np.zeros(1)], want, np.full(len(want), 64 * np.abs(want).max()))
    x, y = np.array([0, 0.4, 1.1, 1.9, 2.2, 3.6, 4.1]), np.array([1, -0.5, 0.25, 2, -1, 0.5, 1.5])
    w, freqs = np.array([1, 2, 0, 1, 0.5, 1, 3]), np.array([0.5, 1, 2.5])
    for text, args in (("", {}), (", {normalize = true}", dict(normalize=True)), (', {normalize = "amplitude", floating_mean = true}', dict(normalize="amplitude", floating_mean=True)),
                       (", {precenter = true}", dict(precenter=True)), (', {normalize = "normalize", weights = x[4], floating_mean = true}', dict(normalize="normalize", weights=w, floating_mean=True)),
                       (", {weights = x[4]}", dict(weights=w))):
        want = signal.lombscargle(x, y, freqs, **args)
        c.add("%slombscargle(x[1], x[2], x[3]%s)" % (S, text), [x, y, freqs, w], want, np.full(3, 1e3))
    want = signal.sweep_poly(x, [0.5, -1, 2], 30)
    c.add(S + "sweep_poly(x[1], {0.5, -1, 2}, 30)", [x], want, np.full(7, 256.0))


def write():
    c = Calls()
    for f in (direct_calls, transform_calls, filter_calls, window_calls, design_calls, smoothing_calls, gust_calls, empty_calls, peak_calls, sequence_calls, chirp_z_calls, spectra_calls, resampling_calls):
        f(c)
    c.write("scipy/signal")


if __name__ == "__main__":
    write()
