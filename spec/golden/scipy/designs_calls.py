"""Golden calls of cp.scipy.signal's designs, forms and responses of recursive filters, from SciPy: `designs`."""

import numpy as np
from scipy import signal

from calls import Calls
from spectra_calls import lua

S = "cp.scipy.signal."
RIPPLES = {"butter": (), "cheby1": (1.5,), "cheby2": (35,), "ellip": (0.5, 42), "bessel": ()}
BANDS = (("low", 0.3), ("high", 0.45), ("bandpass", [0.2, 0.55]), ("bandstop", [0.3, 0.6]))


def text(f, args, options):
    parts = [lua(a) for a in args] + (["{%s}" % ", ".join("%s = %s" % (k, lua(v)) for k, v in options.items())] if options else [])
    return "%s%s(%s)" % (S, f, ", ".join(parts))


def add(c, f, *args, scale=1e4, **options):
    """Each result beside SciPy's, numbers as arrays."""
    want = getattr(signal, f)(*args, **options)
    for k, w in enumerate(want if isinstance(want, tuple) else (want,)):
        call = "(select(%d, %s))" % (k + 1, text(f, args, options))
        w = np.asarray(w)
        if w.ndim == 0:
            w, call = w.astype(np.float64), "cp.array(%s)" % call
        size = np.abs(w).max() if w.size else 0
        c.add(call, [np.zeros(1)], w, np.full(w.shape, scale * size))


def designs(c):
    for f, ripples in RIPPLES.items():
        for n in (1, 2, 3, 4, 6):
            for btype, wn in BANDS:
                for analog in (False, True):
                    args = (n, *ripples, wn, btype, analog)
                    add(c, f, *args, output="zpk")
                    if f in ("ellip", "bessel") and n > 2:
                        add(c, f, *args, output="ba")
                        if not (analog and n == 3 and len(btype) > 4):  # SciPy's raise an error
                            add(c, f, *args, output="sos")
        add(c, f, 5, *ripples, [12.5, 20], btype="bp", output="zpk", fs=100)
        add(c, f, 0, *ripples, 0.25, output="zpk")
    for norm in ("phase", "delay", "mag"):
        add(c, "bessel", 5, 0.3, output="zpk", norm=norm, scale=1e6)
    for ftype in ("butter", "chebyshevi", "chebyshevii", "cauer", "bessel_delay"):
        add(c, "iirfilter", 3, [0.2, 0.4], rp=1, rs=30, ftype=ftype, output="zpk")
    add(c, "iirfilter", 2, 3.5, btype="hp", analog=True)
    add(c, "iirfilter", 4, [3, 9], btype="bandpass", fs=30, output="sos")


def prototypes(c):
    for n in (0, 1, 2, 3, 7, 8, 24):
        add(c, "buttap", n)
        add(c, "cheb1ap", n, 0.5)
        add(c, "cheb2ap", n, 31)
        if n not in (1, 24):  # SciPy's pole has no axis; nearly all digits are lost
            add(c, "ellipap", n, 0.7, 42)
        for norm in ("phase", "delay", "mag"):
            add(c, "besselap", n, norm, scale=1e6)


def orders(c):
    for f in ("buttord", "cheb1ord", "cheb2ord", "ellipord"):
        for g in ((1, 40), (3, 12.5)):
            for wp, ws in ((0.2, 0.3), (0.5, 0.2), ([0.2, 0.5], [0.15, 0.6])):
                add(c, f, wp, ws, *g)
                add(c, f, wp, ws, *g, True)
            add(c, f, 20, 30, *g, fs=100)
            for analog in (False, True):  # found by steps that end at about 1e-5
                add(c, f, [0.1, 0.7], [0.2, 0.5], *g, analog, scale=1e10)
    for kind in ("butter", "cheby", "ellip"):
        w, p, s = 0.15, np.array([0.1, 2.0]), np.array([0.3, 1.1])
        want = signal.band_stop_obj(w, 0, p, s, 1, 30, kind)
        c.add('cp.array(cp.scipy.signal.band_stop_obj(0.15, 1, x[1], x[2], 1, 30, "%s"))' % kind, [p, s], np.array(want), 1e3)
    for ftype in ("butter", "cheby1", "cheby2", "ellip"):
        for wp, ws in ((0.2, 0.3), (0.5, 0.2), ([0.2, 0.5], [0.15, 0.6])):
            add(c, "iirdesign", wp, ws, 1, 25, ftype=ftype, output="zpk")
    add(c, "iirdesign", 2, 3, 1, 25, True)
    add(c, "iirdesign", [12, 22], [8, 28], 1, 25, fs=100, output="sos")


def of_arrays(c, f, arrays, *args, scale=1e4, lists=False, **options):
    """The same of a call whose first arguments are arrays; lists: they are one table."""
    want = getattr(signal, f)(*([tuple(arrays)] if lists else arrays), *args, **options)
    names = ["x[%d]" % (k + 1) for k in range(len(arrays))]
    parts = (["{%s}" % ", ".join(names)] if lists else names) + [lua(a) for a in args]
    if options:
        parts.append("{%s}" % ", ".join("%s = %s" % (k, lua(v)) for k, v in options.items()))
    for k, w in enumerate(want if isinstance(want, tuple) else (want,)):
        call = "(select(%d, %s%s(%s)))" % (k + 1, S, f, ", ".join(parts))
        w = np.asarray(w)
        if w.ndim == 0:
            w, call = w.astype(np.float64), "cp.array(%s)" % call
        c.add(call, arrays, w, np.full(w.shape, scale * (np.abs(w).max() if w.size else 0)))


Z = np.array([0.3 + 0.4j, 0.3 - 0.4j, -0.25])
P = np.array([0.5 - 0.6j, 0.5 + 0.6j, -0.7, 0.9])
NUM, DEN = np.array([0.5, 2.0, -1.0]), np.array([2.0, 1.0, 3.0, 0.5])


def forms(c):
    of_arrays(c, "zpk2tf", [Z, P], 2.5)
    of_arrays(c, "zpk2tf", [Z.real.copy(), P.real.copy()], 2)
    of_arrays(c, "zpk2tf", [np.array([[1, 2j], [3, -1]]), P], 1.5)
    for pairing in ("nearest", "keep_odd", "minimal"):
        of_arrays(c, "zpk2sos", [Z, P], 2.5, pairing)
        of_arrays(c, "zpk2sos", [Z[2:], P[:3]], 2.5, pairing)
    of_arrays(c, "zpk2sos", [Z, P], 0.5, analog=True)
    of_arrays(c, "zpk2sos", [Z[:0], P[:0]], 0.5, analog=True)
    for b, a in ((NUM, DEN), (NUM.astype(np.float32), DEN.astype(np.float32)), (np.array([0, 1j, 2]), DEN), (np.array([4.0]), np.array([2.0]))):
        single = b.dtype == np.float32
        of_arrays(c, "normalize", [b, a])
        of_arrays(c, "bilinear", [b, a], 1.5, scale=1e6 if single else 1e4)
        for f, args in (("lp2lp", (1.5,)), ("lp2hp", (1.5,)), ("lp2bp", (1.5, 0.7)), ("lp2bs", (1.5, 0.7))):
            of_arrays(c, f, [b, a], *args)
        if not single and b.dtype != complex:
            of_arrays(c, "tf2sos", [b, a])
            of_arrays(c, "tf2zpk", [b, a])
    of_arrays(c, "normalize", [np.array([[0, 2.0, 1], [0, 0, 4]]), np.array([0, 2.0, 1])])
    of_arrays(c, "lp2lp", [NUM, DEN])
    sos = signal.ellip(5, 1, 40, 0.3, output="sos")
    of_arrays(c, "sos2tf", [sos])
    of_arrays(c, "sos2tf", [sos.astype(np.float32)], scale=1e2)
    of_arrays(c, "sos2zpk", [sos])
    for z, p in ((Z, P), (Z[2:].real, P[2:].real), (Z[:0].real, P), (Z, P[:3])):
        for f, args in (("lp2lp_zpk", (1.5,)), ("lp2hp_zpk", (1.5,)), ("lp2bp_zpk", (1.5, 0.7)), ("lp2bs_zpk", (1.5, 0.7)), ("bilinear_zpk", (2.5,))):
            of_arrays(c, f, [z, p], 1.5, *args)
    add(c, "iirnotch", 0.3, 30)
    add(c, "iirpeak", 60, 20, 1000)
    for ftype in ("notch", "peak"):
        for pass_zero in (False, True):
            add(c, "iircomb", 20, 30, ftype, 100, pass_zero=pass_zero)
    add(c, "gammatone", 440, "iir", fs=16000)
    add(c, "gammatone", 440, "fir", fs=4000)
    add(c, "gammatone", 440, "fir", 23, 9, 4000)


def responses(c):
    for more in ({}, dict(worN=7), dict(worN=[0.1, 1, 2.5]), dict(worN=5, whole=True, fs=10)):
        of_arrays(c, "freqz_zpk", [Z, P], 2.5, **more)
        of_arrays(c, "group_delay", [NUM, DEN], lists=True, **{("w" if k == "worN" else k): v for k, v in more.items()})
        if "fs" not in more:
            of_arrays(c, "freqs", [NUM, DEN], **more)
            of_arrays(c, "freqs_zpk", [Z, P], 2.5, **more)
    of_arrays(c, "group_delay", [np.array([1, 0.5j, 2]), DEN], lists=True, w=9)
    of_arrays(c, "freqs", [np.array([1.0]), np.array([1.0, 0, 0])], 9)
    of_arrays(c, "findfreqs", [NUM, DEN], 12)
    of_arrays(c, "findfreqs", [np.array([]), np.array([])], 5)
    of_arrays(c, "findfreqs", [Z, P], 6, "zp")


def write():
    c = Calls()
    for f in (designs, prototypes, orders, forms, responses):
        f(c)
    c.write("scipy/designs")


if __name__ == "__main__":
    write()
