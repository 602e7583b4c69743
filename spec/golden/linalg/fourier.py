"""Golden calls of cp.fft, from NumPy in double precision."""

import numpy as np

import values
from expressions import Calls
from linalg import Maker, wide

NORMS = [None, "ortho", "forward"]


def result(name, kind):
    """The dtype of a transform: of half types as of float32, of integers as of float64."""
    single = name in ("float16", "bfloat16", "float32", "complex64")
    return ("complex64" if single else "complex128") if kind == "c" else ("float32" if single else "float64")


def complex_input(x):
    return x.astype(np.complex128)


def cases():
    calls, make = Calls(), Maker()

    def add(group, lua, x, want, name, kind="c"):
        calls.add(group, "return " + lua, [x], [want], [result(name, kind)], 32)

    for name in ["bool", "int16", "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]:
        x = make("uint8" if name == "uint64" else name, 3, 6).astype(values.DTYPES[name])
        w = x.astype(np.float64) if x.dtype.kind in "biu" else wide(x)
        real = w.dtype.kind != "c"
        add("fft", "cp.fft.fft(a)", x, np.fft.fft(w), name)
        add("fft", "cp.fft.ifft(a, nil, 1)", x, np.fft.ifft(w, axis=0), name)
        add("fft", "cp.fft.irfft(a)", x, np.fft.irfft(w), name, "r")
        add("fft", "cp.fft.hfft(a)", x, np.fft.hfft(w), name, "r")
        add("fft", "cp.fft.fft2(a)", x, np.fft.fft2(w), name)
        if real:
            add("fft", "cp.fft.rfft(a)", x, np.fft.rfft(w), name)
            add("fft", "cp.fft.ihfft(a)", x, np.fft.ihfft(w), name)
    for name in ["float32", "complex128"]:
        x = make(name, 2, 5, 4, 6)
        w, real = wide(x), not name.startswith("complex")
        for norm in NORMS:
            text = "nil" if norm is None else '"%s"' % norm
            for axis in (-4, -3, -2, -1):
                for n in (None, 2, 7, 1):
                    if norm and (axis in (-4, -2) or n == 1):
                        continue
                    arguments = "(a, %s, %d, %s)" % (n or "nil", axis if axis != -2 else 3, text)
                    keep = norm is None or axis == -1
                    small, ws = (x[0, :2, :3, :5], w[0, :2, :3, :5]) if axis > -4 else (x[:, 0, 0], w[:, 0, 0])
                    shown = arguments if axis > -4 else "(a, %s, 1, %s)" % (n or "nil", text)
                    shown = shown.replace(", 3, nil)", ", 2, nil)") if axis == -2 else shown
                    at = {-4: 0, -3: -3, -2: 1, -1: -1}[axis]
                    for f in ("fft", "ifft", "irfft", "hfft") + (("rfft", "ihfft") if real else ()):
                        if not keep and f in ("hfft", "ihfft"):
                            continue
                        add("fft-1d", "cp.fft.%s%s" % (f, shown), small, getattr(np.fft, f)(ws, n, at, norm), name,
                            "r" if f in ("irfft", "hfft") else "c")
            several = [("nil", None, "nil", None), ("{3, 8}", (3, 8), "nil", None), ("nil", None, "{1, 3}", (0, 2)), ("{4}", (4,), "{2}", (1,)),
                       ("{4, 3, 2}", (4, 3, 2), "{3, 1, 2}", (2, 0, 1)), ("{2, -1}", (2, -1), "{1, 2}", (0, 1))]
            y, wy = x[:, :3, :3, 0], w[:, :3, :3, 0]
            for s_text, s, axes_text, axes in several:
                for f in ("fftn", "ifftn", "irfftn") + (("rfftn",) if real else ()):
                    axes_np = axes if axes is not None or s is None else tuple(range(-len(s), 0))
                    s_np = None if s is None else tuple(y.shape[a] if n == -1 and f != "irfftn" else n for n, a in zip(s, axes_np))
                    if s is not None and -1 in s and f == "irfftn":
                        continue
                    add("fft-nd", "cp.fft.%s(a, %s, %s, %s)" % (f, s_text, axes_text, text), y,
                        getattr(np.fft, f)(wy, s_np, axes_np, norm), name, "r" if f == "irfftn" else "c")
            for f in ("fft2", "ifft2", "irfft2") + (("rfft2",) if real else ()):
                add("fft-nd", "cp.fft.%s(a, nil, nil, %s)" % (f, text), y, getattr(np.fft, f)(wy, norm=norm), name, "r" if f == "irfft2" else "c")
        # four axes: more than one call of the library
        z = x[:, :2, :2, :3]
        for f in ("fftn", "ifftn", "irfftn") + (("rfftn",) if real else ()):
            add("fft-nd", "cp.fft.%s(a)" % f, z, getattr(np.fft, f)(wide(z)), name, "r" if f == "irfftn" else "c")
    for n in (1, 2, 13, 64, 77, 101):
        x = make("complex128", n)
        add("fft-sizes", "cp.fft.fft(a)", x, np.fft.fft(x), "complex128")
        add("fft-sizes", "cp.fft.rfft(a)", x.real.copy(), np.fft.rfft(x.real), "float64")
        add("fft-sizes", "cp.fft.irfft(a, %d)" % n, x, np.fft.irfft(x, n), "complex128", "r")
    empty = np.zeros((0, 4))
    add("fft-sizes", "cp.fft.fft(a)", empty, np.fft.fft(empty), "float64")
    add("fft-sizes", "cp.fft.rfft(a)", empty, np.fft.rfft(empty), "float64")
    add("fft-sizes", "cp.fft.irfft(a)", empty, np.fft.irfft(empty), "float64", "r")
    odd = np.array([1, np.nan, 3, np.inf])
    calls.add("fft-sizes", "return cp.isnan(cp.fft.fft(a))", [odd], [np.ones(4, bool)])
    x = np.arange(10.0).reshape(2, 5)
    for f in ("fftshift", "ifftshift"):
        for axes in (None, 0, 1, (0, 1)):
            text = "nil" if axes is None else str(axes + 1) if isinstance(axes, int) else "{1, 2}"
            calls.add("shift", "return cp.fft.%s(a, %s)" % (f, text), [x], [getattr(np.fft, f)(x, axes)])
    for n in (1, 2, 5, 8):
        calls.add("shift", "return cp.fft.fftfreq(%d, 0.25), cp.fft.rfftfreq(%d, 0.25)" % (n, n), [],
                  [np.fft.fftfreq(n, 0.25), np.fft.rfftfreq(n, 0.25)], None, 2)
        calls.add("shift", "return cp.fft.fftfreq(%d)" % n, [], [np.fft.fftfreq(n)], None, 2)
    return calls
