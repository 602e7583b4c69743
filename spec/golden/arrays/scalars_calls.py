"""Golden calls of typed numbers beside arrays, from NumPy: `scalars`. NumPy's scalars are typed, as cp.scalar's are."""

import warnings

import numpy as np

import table
from calls import Calls

ARRAYS = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
SCALARS = ["bool", "int8", "uint64", "float32", "float64", "complex64"]
ULPS = 4


def typed(name):
    return "cp.scalar(%s, '%s')" % ("true" if name == "bool" else "2", np.dtype(name).str[1:])


def value(name):
    return np.dtype(name).type(True if name == "bool" else 2)


def attempt(f, *operands):
    """What NumPy gives, or None where it refuses."""
    try:
        with np.errstate(all="ignore"):
            return f(*operands)
    except TypeError:
        return None


def add_all(c, x, expressions, outputs, exact):
    if outputs:
        text = "(function(a) return %s end)(x[1])" % ", ".join(expressions)
        c.add(text, [x], outputs, None if exact else ULPS)


def binary_calls(c, op, info):
    """op of an array and each scalar, on either side, into an array of the result's dtype, and in place."""
    f, cls = getattr(np, op), info["cls"]
    for name in ARRAYS:
        x = np.array([4, 5, 0, 1]).astype(name)
        expressions, outputs = [], []
        for s in SCALARS:
            right, left = attempt(f, x, value(s)), attempt(f, value(s), x)
            if left is not None and cls != "LDEXP":
                expressions.append("cp.%s(%s, a)" % (op, typed(s)))
                outputs.append(left)
            if right is None:
                continue
            expressions.append("cp.%s(a, %s)" % (op, typed(s)))
            outputs.append(right)
            if cls not in ("COMPARE", "TEST"):
                expressions.append("a:%s(%s, cp.zeros(4, '%s'))" % (op, typed(s), right.dtype.str[1:]))
                outputs.append(right)
            if info["scope"] == "INPLACE" and np.can_cast(right.dtype, x.dtype, "same_kind"):
                expressions.append("a:copy():%s_(%s)" % (op, typed(s)))
                outputs.append(right.astype(x.dtype))
        add_all(c, x, expressions, outputs, info["numeric"] == "exact")


def shift_calls(c):
    """Shifts by typed counts: negative ones, and those of the width and more, on either side, in chains and in place."""
    for name in ARRAYS[1:9]:
        info = np.iinfo(name)
        x = np.array([info.min, info.max, 1, 0, 77] + [-1, -2, -77] * (info.min < 0)).astype(name)
        expressions, outputs = [], []
        for count in (0, 1, info.bits - 1, info.bits, info.bits + 1, 100) + (-1, -100) * (info.min < 0):
            text = "cp.scalar(%d, '%s')" % (count, x.dtype.str[1:])
            for f in (np.left_shift, np.right_shift):
                want = f(x, x.dtype.type(count))
                expressions += ["cp.%s(a, %s)" % (f.__name__, text), "a:copy():%s_(%d)" % (f.__name__, count),
                                "(a + 0):%s(%s) + 0" % (f.__name__, text), "cp.%s(%s, cp.abs(a))" % (f.__name__, text)]
                outputs += [want, want, want, f(x.dtype.type(count), np.abs(x))]
        add_all(c, x, expressions, outputs, True)


def other_calls(c):
    """where, assignment and initial values."""
    for name in ARRAYS:
        x = np.array([4, 5, 0, 1]).astype(name)
        expressions, outputs = [], []
        for s in SCALARS:
            v = value(s)
            expressions += ["cp.where(a, a, %s)" % typed(s), "cp.where(a, %s, a)" % typed(s), "cp.where(%s, a, a)" % typed(s)]
            outputs += [np.where(x, x, v), np.where(x, v, x), np.where(v, x, x)]
            if np.can_cast(v.dtype, x.dtype, "same_kind"):
                filled, mixed = np.full_like(x, v), x.copy()
                mixed[1] = v
                expressions += ["a:copy():assign(%s)" % typed(s), "a:copy():fill(%s)" % typed(s),
                                "(function(y) y[2] = %s return y end)(a:copy())" % typed(s)]
                outputs += [filled, filled, mixed]
        add_all(c, x, expressions, outputs, True)


def write():
    c = Calls()
    ops, _ = table.read()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for op, info in ops.items():
            if info["arity"] == 2 and hasattr(np, op):
                binary_calls(c, op, info)
        other_calls(c)
        shift_calls(c)
    c.write("arrays/scalars")


if __name__ == "__main__":
    write()
