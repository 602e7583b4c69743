"""Golden calls of cp.scipy.signal's designs of recursive filters, from SciPy: `designs`."""

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


def write():
    c = Calls()
    for f in (designs, prototypes, orders):
        f(c)
    c.write("scipy/designs")


if __name__ == "__main__":
    write()
