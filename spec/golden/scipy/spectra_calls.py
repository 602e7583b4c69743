"""Golden calls of cp.scipy.signal's spectra and resampling, from SciPy, for signal_calls.py."""

import numpy as np
from scipy import signal

from values import DTYPES

S = "cp.scipy.signal."
REAL = {"complex64": "float32", "complex128": "float64"}
WIDER = {"float16": "float32", "int32": "float64", "bool": "float32"}


def wave(name, shape, seed):
    rng = np.random.default_rng(seed)
    if name == "bool":
        return rng.integers(0, 2, shape) == 1
    x = rng.integers(-99, 100, shape) / (1 if name == "int32" else 16)
    if name.startswith("complex"):
        x = x + 1j * rng.integers(-99, 100, shape) / 16
    return x.astype(DTYPES[name])


def wide(x):
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def lua(v):
    if isinstance(v, bool):
        return str(v).lower()
    if isinstance(v, str):
        return '"%s"' % v
    if isinstance(v, (tuple, list)):
        return "{%s}" % ", ".join(map(lua, v))
    return repr(v)


def call(c, f, inputs, options, dtypes, scale):
    """Each result of f(inputs, {options}) beside SciPy's, which counts axes from 0."""
    theirs = {k: v - 1 if k.endswith("axis") and v > 0 else v for k, v in options.items()}
    want = getattr(signal, f)(*[wide(a) for a in inputs], **theirs)
    want = list(want)
    if f == "istft":  # SciPy's times are as many as the first axis is long
        length = want[1].shape[theirs.get("time_axis", want[1].ndim) - (theirs.get("freq_axis", 9) < theirs.get("time_axis", 0)) if "time_axis" in theirs else -1]
        want[0] = np.arange(length) / options.get("fs", 1.0)
    arguments = ["x[%d]" % (k + 1) for k in range(len(inputs))]
    if options:
        arguments.append("{%s}" % ", ".join("%s = %s" % (k, lua(v)) for k, v in options.items()))
    for k, w in enumerate(want):
        bound = (scale if k == len(want) - 1 else 64) * max(1, np.abs(w).max())
        c.add("(select(%d, %s%s(%s)))" % (k + 1, S, f, ", ".join(arguments)), inputs, w, np.full(w.shape, bound), [dtypes[k]])


def spectra_calls(c):
    F = "float64"
    for name in ("float16", "float32", "float64", "int32", "bool", "complex64", "complex128"):
        x, y = wave(name, (2, 40), 1), wave(name, (2, 40), 2)
        wider = WIDER.get(name, name)
        real = REAL.get(wider, wider)
        whole = wider if name.startswith("complex") else {"float32": "complex64", "float64": "complex128"}[wider]
        call(c, "welch", [x], dict(nperseg=16), [F, real], 256)
        call(c, "periodogram", [x], dict(fs=10.0), [F, real], 256)
        call(c, "csd", [x, y], dict(nperseg=16, fs=3.0), [F, whole], 256)
        call(c, "coherence", [x, y], dict(nperseg=16), [F, real], 1e4)
        call(c, "spectrogram", [x], dict(nperseg=16), [F, F, real], 256)
        call(c, "stft", [x], dict(nperseg=16), [F, F, whole], 256)
        z = signal.stft(wide(x), nperseg=16, return_onesided=not name.startswith("complex"))[2]
        out = whole if name.startswith("complex") else real
        z = z.astype(np.complex64 if real == "float32" else np.complex128)
        call(c, "istft", [z], dict(input_onesided=not name.startswith("complex")), [F, out], 256)
    x, y = wave("float64", (2, 50, 2), 3), wave("float64", (2, 36, 2), 4)
    for o in (dict(axis=2), dict(axis=-2, window="boxcar"), dict(axis=2, nperseg=31, noverlap=10, nfft=40), dict(axis=2, nperseg=30, noverlap=0, detrend="linear"),
              dict(axis=2, detrend=False, nperseg=17, return_onesided=False), dict(axis=2, scaling="spectrum", nperseg=21, window=("kaiser", 3.0)),
              dict(axis=2, average="median", nperseg=20), dict(axis=2, average="median", nperseg=12, noverlap=3), dict(axis=1, nperseg=3), dict(axis=2, nperseg=1, noverlap=0)):
        call(c, "welch", [x], o, [F, F], 1e3)
        call(c, "csd", [x, y if o["axis"] != 1 else x[:, ::-1]], o, [F, "complex128"], 1e3)
    for o in (dict(axis=2), dict(axis=1, window="hann"), dict(axis=2, nfft=100), dict(axis=2, nfft=50), dict(axis=2, scaling="spectrum", detrend="linear", window="hamming"), dict(axis=2, return_onesided=False)):
        call(c, "periodogram", [x], o, [F, F], 1e3)
    for mode in ("psd", "complex", "magnitude", "angle", "phase"):
        call(c, "spectrogram", [x[0, :, 0]], dict(nperseg=20, mode=mode, fs=4.0), [F, F, "complex128" if mode == "complex" else F], 1e5 if mode in ("angle", "phase") else 1e3)
        call(c, "spectrogram", [x], dict(nperseg=20, noverlap=5, mode=mode, axis=2, scaling="spectrum"), [F, F, "complex128" if mode == "complex" else F], 1e5 if mode in ("angle", "phase") else 1e3)
    for o in (dict(axis=2, nperseg=20), dict(axis=2, nperseg=21, boundary="even"), dict(axis=2, nperseg=20, boundary="odd", noverlap=15), dict(axis=2, nperseg=20, boundary="constant"),
              dict(axis=2, nperseg=20, nfft=32, scaling="psd", fs=5.0), dict(axis=2, nperseg=20, padded=False), dict(axis=1, nperseg=2), dict(axis=2, nperseg=16, detrend="constant", window="hamming")):
        call(c, "stft", [x], o, [F, F, "complex128"], 1e3)
    v = x[0, :, 0]
    z = signal.stft(v, nperseg=20, boundary=None)[2]
    want = signal.stft(v, nperseg=20, boundary=None)[1]
    c.add("(select(2, %sstft(x[1], {nperseg = 20, boundary = false})))" % S, [v], want, np.full(want.shape, 64.0))
    c.add("(select(3, %sstft(x[1], {nperseg = 20, boundary = false})))" % S, [v], z, np.full(z.shape, 1e4))
    for o, made in ((dict(), dict(nperseg=20)), (dict(noverlap=15, window="hamming"), dict(nperseg=20, noverlap=15, window="hamming")), (dict(boundary=False), dict(nperseg=20)),
                    (dict(nperseg=21), dict(nperseg=21)), (dict(nperseg=20, nfft=32), dict(nperseg=20, nfft=32)), (dict(scaling="psd", fs=3.0), dict(nperseg=20, scaling="psd", fs=3.0)),
                    (dict(noverlap=7), dict(nperseg=20, noverlap=7))):
        call(c, "istft", [signal.stft(v, **made)[2]], o, [F, F], 1e3)
    z = signal.stft(x, axis=1, nperseg=20)[2]  # (2, 11, 2, segments)
    call(c, "istft", [z], dict(time_axis=4, freq_axis=2), [F, F], 1e3)
    call(c, "istft", [np.moveaxis(z, -1, 0)], dict(time_axis=1, freq_axis=3), [F, F], 1e3)


def resampling_calls(c):
    for name in ("float16", "float32", "float64", "int32", "complex64", "complex128"):
        x, h = wave(name, (3, 14), 5), wave("float32" if name == "float16" else name, 7, 6)
        w, out = wide(x), WIDER.get(name, name)

        def near(expression, inputs, y, scale=256, dtype=out):
            c.add(S + expression, inputs, y, np.full(y.shape, scale * max(1, np.abs(y).max())), [dtype])

        for up, down in ((1, 1), (2, 1), (3, 2), (1, 3), (8, 5), (9, 1)):
            near("upfirdn(x[1], x[2], %d, %d)" % (up, down), [h, x], signal.upfirdn(wide(h), w, up, down))
            near("resample_poly(x[1], %d, %d, 2)" % (up, down), [x], signal.resample_poly(w, up, down, axis=1), 256, name if up == down else out)
        for num in (1, 2, 5, 7, 13, 14, 15, 28, 31):
            near("resample(x[1], %d, nil, 2)" % num, [x], signal.resample(w, num, axis=1))
            near("resample(x[1], %d)" % num, [x], signal.resample(w, num, axis=0))
            near('resample(x[1], %d, nil, 2, "hamming")' % num, [x], signal.resample(w, num, axis=1, window="hamming"))
        x = wave(name, (2, 90), 7)
        w, out = wide(x), signal.decimate(x, 2).dtype.name
        for q in (2, 3):
            near("decimate(x[1], %d)" % q, [x], signal.decimate(w, q), 1e4, out)
            near("decimate(x[1], %d, {zero_phase = false})" % q, [x], signal.decimate(w, q, zero_phase=False), 1e4, out)
            near('decimate(x[1], %d, nil, "fir")' % q, [x], signal.decimate(w, q, ftype="fir"), 256, out)
            near('decimate(x[1], %d, 5, "fir", -1, false)' % q, [x], signal.decimate(w, q, 5, "fir", zero_phase=False), 256, out)
    x = wave("float64", (4, 15, 3), 8)

    def near(expression, y, inputs=(x,), scale=1e3):
        c.add(S + expression, list(inputs), y, np.full(np.shape(y), scale * max(1, np.abs(y).max())))

    h = wave("float64", 11, 9)
    for axis in range(3):
        near("upfirdn(x[1], x[2], 3, 2, %d)" % (axis + 1), signal.upfirdn(h, x, 3, 2, axis), [h, x])
        near("resample_poly(x[1], 4, 6, %d)" % (axis + 1), signal.resample_poly(x, 4, 6, axis))
        near("resample(x[1], 6, {axis = %d})" % (axis + 1), signal.resample(x, 6, axis=axis))
        near("decimate(x[1], 2, 4, \"fir\", %d)" % (axis + 1), signal.decimate(x, 2, 4, "fir", axis))
    near("decimate(x[1], 2, 1, \"iir\", 2)", signal.decimate(x, 2, 1, "iir", 1))
    for pad in ("mean", "median", "maximum", "minimum"):
        near('resample_poly(x[1], 3, 2, {axis = 2, padtype = "%s"})' % pad, signal.resample_poly(x, 3, 2, 1, padtype=pad))
    near("resample_poly(x[1], 3, 2, {axis = 2, cval = 2.5})", signal.resample_poly(x, 3, 2, 1, padtype="constant", cval=2.5))
    near('resample_poly(x[1], 2, 3, {axis = 2, window = "hann"})', signal.resample_poly(x, 2, 3, 1, window="hann"))
    for m in (1, 2, 4, 10):
        near("resample_poly(x[1], 5, 2, {axis = 2, window = x[2]})", signal.resample_poly(x, 5, 2, 1, window=h[:m]), [x, h[:m]])
    w = np.abs(h[:1]) + np.arange(15.0)
    for num in (6, 7, 15, 20):
        near("resample(x[1], %d, {axis = 2, window = x[2]})" % num, signal.resample(x, num, axis=1, window=w), [x, w])
        near("resample(x[1], %d, {axis = 2, window = function(f) return 1 / (1 + f * f) end})" % num, signal.resample(x, num, axis=1, window=lambda f: 1 / (1 + f * f)))
    t = np.arange(15) * 0.5 + 3
    near("resample(x[1], 6, x[2], 2)", signal.resample(x, 6, t, 1)[0], [x, t])
    c.add("(select(2, %sresample(x[1], 6, x[2], 2)))" % S, [x, t], signal.resample(x, 6, t, 1)[1], np.full(6, 64.0))
    special = np.array([1, 2, np.nan, 4, 5, 6, np.inf, 8, 9, 10, 11, 12.0])
    c.add(S + "upfirdn(x[1], x[2], 3, 2)", [h[:6], special], signal.upfirdn(h[:6], special, 3, 2), 64)  # a filter that SciPy adds no zeros to
    for text, y in (("x[1]", signal.hilbert2(x)), ("x[1], 6", signal.hilbert2(x, 6)), ("x[1], {5, 4}", signal.hilbert2(x, (5, 4))), ("x[1], {axes = {1, 3}}", signal.hilbert2(x, axes=(0, 2)))):
        c.add("%shilbert2(%s)" % (S, text), [x], y, np.full(y.shape, 1e4))
