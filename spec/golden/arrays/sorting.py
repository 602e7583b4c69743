"""Golden calls of sorting, searching, sets and scans: `sorting`."""

import numpy as np

from calls import Calls
from values import DTYPES, kind


def computing(x):
    """x in a dtype that NumPy sorts and adds in; bfloat16 is float32's beginning."""
    return x.astype(np.float32) if x.dtype == DTYPES["bfloat16"] else x


def vector(name, n, seed, special=True):
    """Few different values, so that there are equal ones, and all special ones."""
    rng = np.random.default_rng(seed)
    k = kind(name)
    if k == "b":
        return rng.integers(0, 2, n) > 0
    if k == "i":
        info = np.iinfo(DTYPES[name])
        x = rng.integers(max(info.min, -20), 20, n).astype(DTYPES[name])
        if special:
            x[3], x[n // 2] = info.max, info.min
            x[5:8] = rng.integers(info.min, info.max, 3, DTYPES[name])
        return x
    x = (rng.integers(-12, 13, n) / 4.0).astype(np.complex128 if k == "c" else np.float64)
    if k == "c":
        x = x + 1j * rng.integers(-3, 4, n)
    x = x.astype(DTYPES[name])
    if special:
        x[[2, 9, 30]] = np.nan, np.inf, -np.inf
        x[[11, 12, 13]] = 0.0, -0.0, 0.0
        x[40] = -np.nan
        if k == "c":
            x[[20, 21, 22, 23]] = [complex(1, np.nan), complex(np.nan, 1), complex(1, np.inf), complex(np.nan, -np.inf)]
    return x


def sort_calls(c):
    for name in DTYPES:
        x = vector(name, 70, 1)
        cube = vector(name, 60, 2, False).reshape(3, 4, 5)
        for y, axes in ((x, [0]), (cube, [0, 1, 2])):
            for axis in axes:
                # equal elements keep their order, also the signs of zeros and nans
                order = np.argsort(computing(y), axis=axis, kind="stable")
                c.add("cp.argsort(x[1], %d)" % (axis + 1), [y], order + 1)
                c.add("cp.sort(x[1], %d)" % (axis + 1), [y], np.take_along_axis(y, order, axis))
        c.add("cp.sort(x[1], false)", [cube], cube.ravel()[np.argsort(computing(cube).ravel(), kind="stable")])
        keys = [vector(name, 70, s, False) for s in (3, 4)]
        c.add("cp.lexsort{x[1], x[2]}", keys, np.lexsort([computing(k) for k in keys]) + 1)
    c.add("cp.sort_complex(x[1])", [vector("int16", 20, 5, False)], np.sort_complex(vector("int16", 20, 5, False)))
    pair = np.stack([vector("int8", 20, 6, False), vector("int8", 20, 7, False)])
    c.add("cp.lexsort(x[1])", [pair], np.lexsort(pair) + 1)
    both = [vector("float32", 24, s, False).reshape(4, 6) for s in (8, 9)]
    c.add("cp.lexsort({x[1], x[2]}, 1)", both, np.lexsort(both, axis=0) + 1)


def search_calls(c):
    for name in DTYPES:
        x, v = vector(name, 70, 10), vector(name, 50, 11)
        order = np.argsort(computing(x), kind="stable")
        a = x[order]
        for side in ("left", "right"):
            want = np.searchsorted(computing(a), computing(v), side) + 1
            c.add('cp.searchsorted(x[1], x[2], "%s")' % side, [a, v], want)
        want = np.searchsorted(computing(x), computing(v).reshape(5, 10), sorter=order) + 1
        c.add("cp.searchsorted(x[1], x[2], {sorter = x[3]})", [x, v.reshape(5, 10), order + 1], want)
        y = vector(name, 50, 12)
        few = y[:8]
        c.add("cp.isin(x[1], x[2])", [x, few], np.isin(computing(x), computing(few)))
        c.add("cp.isin(x[1]:reshape(7, 10), x[2], {invert = true})", [x, few],
              np.isin(computing(x), computing(few), invert=True).reshape(7, 10))


def set_calls(c):
    for name in DTYPES:
        x, y = vector(name, 70, 13), vector(name, 30, 14, False)
        wide = computing(x)
        values, index, inverse, counts = np.unique(wide.reshape(7, 10), True, True, True)
        if kind(name) == "c":  # NumPy keeps one complex nan as it happens to lie
            x = vector(name, 70, 13, False)
            values, index, inverse, counts = np.unique(x.reshape(7, 10), True, True, True)
        c.add("cp.unique(x[1]:reshape(7, 10), true, true, true)", [x],
              [values.astype(x.dtype), index + 1, inverse.reshape(7, 10) + 1, counts])
        c.add("cp.unique(x[1])", [x], values.astype(x.dtype))
        a, b = computing(vector(name, 70, 15, False)), computing(y)
        for f in ("intersect1d", "union1d", "setdiff1d", "setxor1d"):
            if name == "bool" and f == "setdiff1d":
                continue
            c.add("cp.%s(x[1], x[2])" % f, [a.astype(x.dtype), y], getattr(np, f)(a, b).astype(x.dtype))
    x, y = vector("int32", 40, 16, False), vector("int16", 30, 17, False)
    common, at_x, at_y = np.intersect1d(x, y, return_indices=True)
    c.add("cp.intersect1d(x[1], x[2], {return_indices = true})", [x, y], [common, at_x + 1, at_y + 1])
    f = np.array([1.0, np.nan, 2.0, np.nan, 1.0])
    c.add("cp.unique(x[1], {equal_nan = false})", [f], np.unique(f, equal_nan=False))
    c.add("cp.unique_counts(x[1])", [f], list(np.unique_counts(f)))
    whole = np.unique_all(x.reshape(4, 10))
    c.add("cp.unique_all(x[1])", [x.reshape(4, 10)],
          [whole.values, whole.indices + 1, whole.inverse_indices + 1, whole.counts])
    for name in ("int8", "float32", "complex64"):
        m = (vector(name, 72, 18, False).real > 0).astype(DTYPES[name]).reshape(12, 2, 3)
        for axis in range(3):
            v, i, inv, n = np.unique(m, True, True, True, axis=axis)
            c.add("cp.unique(x[1], true, true, true, %d)" % (axis + 1), [m], [v, i + 1, inv.ravel() + 1, n])


def scan_calls(c):
    for name in DTYPES:
        k = kind(name)
        cube = vector(name, 60, 20, False).reshape(3, 4, 5)
        if k in "fc":
            cube = (cube / 4 + 1).astype(cube.dtype)
        for f in ("cumsum", "cumprod"):
            for axis in (None, 0, 1, 2):
                wide = cube if k in "bi" else cube.astype(np.complex128 if k == "c" else np.float64)
                want = getattr(np, f)(wide, axis=axis)
                dtype = want.dtype.name if k in "bi" else name
                size = np.abs(want) if f == "cumprod" else np.cumsum(np.abs(wide), axis=axis)
                c.add("cp.%s(x[1]%s)" % (f, "" if axis is None else ", %d" % (axis + 1)), [cube], want,
                      size * (40 if f == "cumprod" else 3) if k in "fc" else None, [dtype])
        if k == "c":
            continue
        x = vector(name, 70, 21)
        for f, ufunc in (("cummax", np.maximum), ("cummin", np.minimum)):
            c.add("cp.%s(x[1])" % f, [x], ufunc.accumulate(computing(x)).astype(x.dtype))
        c.add("cp.diff(x[1])", [x], np.diff(computing(x)).astype(x.dtype))
    for name in ("float32", "complex128"):
        x = vector(name, 70, 22)
        x[[9, 30]] = 1
        x = np.where(np.isinf(x), 1, x).astype(x.dtype)
        for f in ("nancumsum", "nancumprod"):
            c.add("cp.%s(x[1]:reshape(7, 10), 1)" % f, [x], getattr(np, f)(x.reshape(7, 10), axis=0), 64)
    m = vector("int16", 24, 23, False).reshape(4, 6)
    c.add('cp.cumsum(x[1], 2, "float32")', [m], np.cumsum(m, 1, np.float32))
    c.add('cp.cumsum(x[1], {dtype = "int8"})', [m], np.cumsum(m, dtype=np.int8))
    c.add("cp.diff(x[1], 2, 1)", [m], np.diff(m, 2, 0))
    c.add("cp.diff(x[1], {axis = 2, prepend = 7, append = x[1]})", [m], np.diff(m, axis=1, prepend=np.int16(7), append=m))
    c.add("cp.ediff1d(x[1], {1, 2}, -3)", [m], np.ediff1d(m, [1, 2], -3))


def write():
    c = Calls()
    for calls in (sort_calls, search_calls, set_calls, scan_calls):
        calls(c)
    c.write("arrays/sorting")
