"""Golden cases of the reductions: a (3, 4, 5) array, with and without nans, over every set of axes; empty arrays and 0-d
arrays; one long array. Sums and their kin carry an absolute bound for each element, from the size of what was added.

Positions (argmin, argmax) count from 1, along one axis or over the whole array.
"""

import numpy as np

import values
from reference import cast
from table import real
from values import COMPLEX, DTYPES, FLOATS, HALVES, INTEGERS, kind

AXES = [None, 0, 1, 2, (0, 1), (0, 2), (1, 2), (0, 1, 2)]
NAN = ["nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd"]
ROUNDING = ["sum", "prod", "mean", "var", "std", "nansum", "nanprod", "nanmean", "nanvar", "nanstd"]
NO_BOOL = ["ptp"]


def result(red, cls, name):
    """The dtype of a reduction of dtype name."""
    k = kind(name)
    if cls == "TRUTH":
        return "bool"
    if cls == "INDEX":
        return "int64"
    if cls == "ADD" and k in "bi":
        return "uint64" if name.startswith("uint") else "int64"
    if cls in ("FLOAT", "VARIANCE") and k in "bi":
        return "float64"
    return real(name) if cls == "VARIANCE" else name


def cube(name, nans):
    rng = np.random.default_rng(30)
    k = kind(name)
    if k == "b":
        x = rng.integers(0, 5, (3, 4, 5)) > 0
        x[1] = True
    elif k == "i":
        info = np.iinfo(DTYPES[name])
        x = rng.integers(max(info.min, -9), 10, (3, 4, 5))
        x[x == 0] = 4
        x = x.astype(DTYPES[name])
        x[0, 0, 0], x[2, 3, 4], x[1, 2, 3] = info.max, info.min, 0
    else:
        x = rng.integers(1, 13, (3, 4, 5)) / 4 * rng.choice([-1, 1], (3, 4, 5)) + rng.integers(0, 8, (3, 4, 5)) / 1024
        if k == "c":
            x = x + 1j * np.roll(x, 7).reshape(3, 4, 5)
        x = x.astype(DTYPES[name])
        if nans:
            x[0, 1, 2] = x[0, 1, 3] = x[2, 0, 0] = x[1, 2, 4] = np.nan
            x[1, 3, :] = np.nan
            x[:, 2, 1] = np.nan
    return x


def numpy_axis(axis, ndim):
    return tuple(range(ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)


def rows(x, axis):
    """x with the reduced axes merged into one last axis, in C order."""
    axes = numpy_axis(axis, x.ndim)
    kept = [k for k in range(x.ndim) if k not in axes]
    y = x.transpose(kept + list(axes))
    return y.reshape([x.shape[k] for k in kept] + [int(np.prod([x.shape[k] for k in axes]))])


def widened(x):
    if x.dtype.kind == "c":
        return x.astype(np.clongdouble)
    return x.astype(np.longdouble) if x.dtype.kind == "f" or x.dtype == DTYPES["bfloat16"] else x


def exact_red(red, x, axis, out):
    r = rows(x, axis)
    if red in ("argmin", "argmax"):
        wide = r.astype(np.float32) if x.dtype == DTYPES["bfloat16"] else r
        return np.asarray(getattr(np, red)(wide, axis=-1) + 1, np.int64)
    if red == "count_nonzero":
        return np.asarray(np.count_nonzero(r.astype(np.float32) if x.dtype.itemsize == 2 else r, axis=-1), np.int64)
    if red in ("any", "all"):
        return np.asarray(getattr(np, red)(r != 0, axis=-1))
    if kind(out) in "bi":
        f = getattr(np, red)
        return np.asarray(f(r, axis=-1) if red in ("min", "max", "nanmin", "nanmax", "ptp") else
                          f(r, axis=-1, dtype=DTYPES[out])).astype(DTYPES[out])
    wide = r.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind != "i" else r
    got = np.asarray(getattr(np, red)(wide, axis=-1)).astype(DTYPES[out])
    if red in ("nanmin", "nanmax") and kind(out) == "c":
        got = np.where(np.isnan(got), complex(np.nan, np.nan), got).astype(DTYPES[out])  # NumPy: an element of the slice
    return got


def bounds(red, r, want, eps, long):
    """Absolute error bounds of what is accumulated with relative precision eps."""
    if r.dtype.kind not in "fc":
        r = r.astype(np.longdouble)
    finite = np.where(np.isnan(r), 0, r)
    n = r.shape[-1]
    size = np.sum(np.abs(finite), axis=-1)
    count = np.maximum(np.sum(~np.isnan(r), axis=-1), 1)
    few = 1 if long else 4
    if red in ("sum", "nansum"):
        return few * eps * size
    if red in ("mean", "nanmean"):
        return few * eps * size / count + eps * np.abs(want)
    if red in ("prod", "nanprod"):
        return 2 * n * eps * np.abs(want)
    mean = np.abs(np.sum(finite, axis=-1)) / count
    few = 32 if long else 16
    if red in ("var", "nanvar"):
        return few * eps * (want + mean * np.sqrt(want))
    return few * eps * (want + mean)


def rounding_red(red, x, axis, out, ddof=0, long=False):
    """(values as float64 or complex128, bounds): in long double, with the bound of the dtype cupola accumulates in."""
    r = widened(rows(x, axis))
    f = getattr(np, red)
    if r.dtype.kind in "biu":
        r = r.astype(np.longdouble)
    if red == "mean" and r.dtype.kind == "c":  # by parts; NumPy's complex division spreads a nan of one part
        want = np.empty(r.shape[:-1], np.clongdouble)
        want.real, want.imag = np.mean(r.real, axis=-1), np.mean(r.imag, axis=-1)
    else:
        want = np.asarray(f(r, axis=-1, ddof=ddof) if red.endswith(("var", "std")) else f(r, axis=-1))
    narrow = real(out)
    eps = values.limits("float32" if narrow in HALVES else narrow)[4]
    bound = np.asarray(bounds(red, r, want, eps, long), np.float64)
    if narrow in HALVES:
        bound = bound + values.limits(narrow)[4] * np.abs(want).astype(np.float64)
        want = np.where(values.overflows(want, narrow), np.copysign(np.inf, want), want)
    want = want.astype(np.complex128 if kind(out) == "c" else np.float64)
    return want, np.where(np.isfinite(bound), bound, 0)


def option_text(axis, **more):
    parts = []
    if axis is not None:
        parts.append("axis = " + ("{%s}" % ", ".join(str(k + 1) for k in axis) if isinstance(axis, tuple) else str(axis + 1)))
    parts += ["%s = %s" % (k, '"%s"' % v if isinstance(v, str) else v) for k, v in more.items()]
    return "{" + ", ".join(parts) + "}" if parts else None


def case(red, cls, name, key, x, axis, long=False, **options):
    """One case; options are ddof and dtype."""
    out = options.get("dtype") or result(red, cls, name)
    c = {"op": red, "dtype": name, "set": key, "out_dtype": out, "shape": x.shape, "with_": option_text(axis, **options)}
    with np.errstate(all="ignore"):
        if red in ROUNDING and kind(out) in "fc":
            want, c["tol"] = rounding_red(red, x, axis, out, options.get("ddof", 0), long)
        else:
            want, c["tol"] = exact_red(red, x, axis, out), "zero"
    c["outs"] = [want]
    return c


def small_cases(reds, sets):
    for name in DTYPES:
        x = cube(name, False)
        plain = sets.add("cube:" + name, [x])
        with_nans = plain
        y = x
        if kind(name) in "fc":
            y = cube(name, True)
            with_nans = sets.add("nancube:" + name, [y])
        for red, cls in reds.items():
            if red in NO_BOOL and name == "bool":
                continue
            key, data = (with_nans, y) if red in NAN else (plain, x)
            for axis in AXES if cls != "INDEX" or red == "count_nonzero" else AXES[:4]:
                yield case(red, cls, name, key, data, axis)
            if red.endswith(("var", "std")):
                yield case(red, cls, name, key, data, 1, ddof=1)
                yield case(red, cls, name, key, data, 0, ddof=3)
            elif red not in NAN and kind(name) in "fc":
                yield case(red, cls, name, with_nans, y, 2)
                yield case(red, cls, name, with_nans, y, None)


def option_cases(reds, sets):
    for red, name, dtype in (("sum", "int8", "int8"), ("sum", "int32", "float64"), ("sum", "float32", "float64"),
                             ("prod", "uint8", "uint8"), ("mean", "float16", "float32"), ("mean", "int32", "float32"),
                             ("sum", "bool", "uint8"), ("sum", "float32", "complex64")):
        x = sets.all["cube:" + name]["arrays"][0]
        yield case(red, reds[red], name, "cube:" + name, x if dtype != "complex64" else x.astype(np.complex64), 1, dtype=dtype)
    for name in ("int32", "float64"):
        x = sets.all["cube:" + name]["arrays"][0]
        for red in ("sum", "min", "max"):
            want = np.asarray(getattr(np, red)(x, axis=0, initial=3))
            c = {"op": red, "dtype": name, "set": "cube:" + name, "out_dtype": want.dtype.name, "outs": [want],
                 "shape": x.shape, "tol": "zero", "with_": option_text(0, initial=3)}
            if red == "sum" and name == "float64":
                c["tol"] = np.full(want.shape, 1e-13)
            yield c


def edge_cases(reds, sets):
    """Empty and 0-d arrays, and arrays with an axis that is broadcast."""
    for name in DTYPES:
        none = sets.add("none:" + name, [np.zeros((0, 3), DTYPES[name])])
        point = sets.add("point:" + name, [np.ones((), DTYPES[name]) * cube(name, False)[1, 1, 1]])
        sets.all[point]["arrays"] = [sets.all[point]["arrays"][0].astype(DTYPES[name])]
        wide = np.broadcast_to(cube(name, False)[:1], (3, 4, 5))
        broad = sets.add("broadcube:" + name, [wide])
        for red, cls in reds.items():
            if red in NO_BOOL and name == "bool":
                continue
            if cls not in ("BOUND", "SAME", "INDEX") or red == "count_nonzero":
                yield case(red, cls, name, none, sets.all[none]["arrays"][0], 0)
            yield case(red, cls, name, none, sets.all[none]["arrays"][0], 1)
            yield case(red, cls, name, point, sets.all[point]["arrays"][0], None)
            for axis in (None, 0, 2, (0, 1)) if cls != "INDEX" else (None, 0, 2):
                yield case(red, cls, name, broad, wide, axis)


LONG = [((100000,), None), ((100, 1000), 0), ((100, 1000), 1), ((4, 25000), 1), ((25000, 4), 0), ((10, 100, 100), (0, 2))]


def long_cases(reds, sets):
    """One array of int16, which the spec converts to the dtype and, for floats, multiplies by 1/1024 (exact)."""
    rng = np.random.default_rng(31)
    steps = np.clip(rng.normal(0.5, 1, 100000) * 1024, -32000, 32000).astype(np.int16)
    key = sets.add("long:int16", [steps])
    for name in FLOATS + COMPLEX[:1] + ["int16", "int32"]:
        x = cast(steps, name)
        if kind(name) != "i":
            x = x * DTYPES[name].type(2.0 ** -10)
        for red in ("sum", "mean", "var", "std", "min", "max", "argmax", "nansum", "ptp"):
            for shape, axis in LONG if red != "argmax" else LONG[:5]:
                yield case(red, reds[red], name, key, x.reshape(shape), axis, long=True)


def all_cases(table_reds, sets):
    reds = {name: info["cls"] for name, info in table_reds.items()}
    reds["count_nonzero"] = "INDEX"
    cases = list(small_cases(reds, sets)) + list(option_cases(reds, sets))
    return cases + list(edge_cases(reds, sets)) + list(long_cases(reds, sets))
