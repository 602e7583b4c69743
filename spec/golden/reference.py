"""Reference values: exact results in NumPy, correctly rounded ones through mpmath for what NumPy only approximates.

The half types compute in float32 and round once, which is how cupola defines them. Results that are not finite, and
zeros, are NumPy's own in float64; every other value of a ULP function is evaluated with 200 bits and rounded once to
the result dtype, so the stored value is the correctly rounded one.
"""

from fractions import Fraction

import mpmath
import numpy as np

from values import DTYPES, FORMAT, HALVES

mp = mpmath.mp
mp.prec = 200


def round_fraction(q, name):
    """The exact rational q rounded to the nearest number of a floating dtype, ties to even; as a Python float."""
    p, emin, emax = FORMAT[name]
    if q == 0:
        return 0.0
    n, d = abs(q.numerator), q.denominator
    e = n.bit_length() - d.bit_length()
    if Fraction(n, d) < Fraction(2) ** e:
        e -= 1
    quantum = max(e, emin) - p + 1
    k = round(Fraction(n, d) / Fraction(2) ** quantum)  # Python rounds half to even
    if k >= 2 ** p and max(e, emin) + 1 > emax:
        v = float("inf")
    elif e > emax:
        v = float("inf")
    else:
        v = float(Fraction(k) * Fraction(2) ** quantum)
    return -v if q < 0 else v


def mpf_fraction(v):
    sign, man, exp, _ = v._mpf_
    if exp < -2000:
        man, exp = 1, -2000  # far below every subnormal: rounds to zero
    q = Fraction(int(man)) * Fraction(2) ** exp
    return -q if sign else q


def rounded(numpy_f, mp_f, name, *arrays):
    """f of float64 copies of the arrays, correctly rounded to dtype name."""
    with np.errstate(all="ignore"):
        wide = [a.astype(np.float64) for a in arrays]
        approx = np.asarray(numpy_f(*wide), np.float64)
    out = approx.copy()
    for i in np.ndindex(approx.shape):
        args = [w[i] for w in wide]
        if not np.isfinite(approx[i]) or approx[i] == 0 or not all(np.isfinite(args)):
            continue
        if any(v == 0 and np.signbit(v) for v in args):
            continue  # mpmath has no -0
        out[i] = np.copysign(round_fraction(mpf_fraction(mp_f(*[mpmath.mpf(float(v)) for v in args])), name), approx[i])
    with np.errstate(all="ignore"):
        return out.astype(DTYPES[name])


def exact(f, name, *arrays):
    """f in the dtype itself, through float32 for the half types; arrays are converted to dtype name first."""
    with np.errstate(all="ignore"):
        loop = np.float32 if name in HALVES else DTYPES[name]
        results = f(*[a.astype(DTYPES[name]).astype(loop) for a in arrays])
        several = isinstance(results, tuple)
        out = [r.astype(DTYPES[name]) if r.dtype == loop else r for r in (results if several else (results,))]
    return tuple(out) if several else out[0]


def fma(a, b, c):
    name = {4: "float32", 8: "float64"}[a.dtype.itemsize]
    with np.errstate(all="ignore"):
        out = a * b + c
    for i in np.ndindex(a.shape):
        x, y, z = (float(v[i]) for v in (a, b, c))
        if not np.all(np.isfinite([x, y, z])) or x * y == 0 and (x == 0 or y == 0):
            continue
        out[i] = round_fraction(Fraction(x) * Fraction(y) + Fraction(z), name)
    return out


def nextafter(a, b):
    """By bits, for the half types."""
    if a.dtype.itemsize > 2:
        return np.nextafter(a, b)
    wide_a, wide_b = a.astype(np.float32), b.astype(np.float32)
    bits = a.view(np.uint16).astype(np.int32)
    magnitude = bits & 0x7FFF
    away = (wide_b > wide_a) == (wide_a > 0)
    stepped = np.where(away, bits + 1, bits - 1)
    stepped = np.where(magnitude == 0, np.where(wide_b > 0, 1, 0x8001), stepped)
    stepped = np.where(wide_a == wide_b, b.view(np.uint16), stepped).astype(np.uint16).view(a.dtype)
    bad = np.isnan(wide_a) | np.isnan(wide_b)
    return np.where(bad, np.array(np.nan, a.dtype), stepped)


def saturate(x, name):
    """A float array as integers: towards zero, clamped to the range, nan gives 0."""
    info = np.iinfo(DTYPES[name])
    flat = []
    for v in np.asarray(x, np.float64).ravel():
        flat.append(0 if np.isnan(v) else info.max if v >= info.max else info.min if v <= info.min else int(v))
    return np.array(flat, dtype=DTYPES[name]).reshape(x.shape)


def cast(x, name):
    """astype as cupola defines it."""
    target = DTYPES[name]
    source = x.dtype
    with np.errstate(all="ignore"):
        if source.kind == "c" and target.kind != "c":
            if target.kind == "b":
                return x != 0
            x = x.real
            source = x.dtype
        floating = source.kind == "f" or source == DTYPES["bfloat16"]
        if floating and target.kind in "iu":
            return saturate(x, name)
        if target.kind == "b":
            return x != np.zeros((), source)
        if name in HALVES and source.kind in "iu":
            flat = [round_fraction(Fraction(int(v)), name) for v in x.ravel()]
            return np.array(flat).reshape(x.shape).astype(target)
        if name == "bfloat16" and source == np.float64:
            flat = [v if not np.isfinite(v) or v == 0 else np.copysign(round_fraction(Fraction(float(v)), name), v)
                    for v in x.ravel()]
            return np.array(flat).reshape(x.shape).astype(target)
        return x.astype(target)
