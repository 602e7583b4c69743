"""What cupola's statements mean, in NumPy: values with the dtype rules of the table, and expressions that are at once Lua
text and something to evaluate. programs.py makes random programs of these.

Whatever cupola leaves open or NumPy does otherwise raises Reject, so that no program depends on it: which of 0 and -0 a
maximum is, the sign of a nan, sums that depend on their order, where a reshape copies though strides are not known.
"""

import functools

import numpy as np

import elementwise
import reductions
import table
from reference import cast, exact
from values import DTYPES, HALVES, INTEGERS, kind

OPS, REDS = table.read()
LIMIT = 2000  # elements of the largest array


class Reject(Exception):
    """The statement cannot stand in a program."""


class Value:
    """An array as the program sees it. known: cupola has the same strides, so that NumPy tells which reshape is a view;
    fixed: it is a broadcast view, which cannot be written."""

    def __init__(self, array, known=True, fixed=False):
        self.array, self.known, self.fixed = array, known, fixed
        self.dtype, self.shape = array.dtype.name, array.shape


def fresh(array, *operands):
    """A new array: in C order where all operands of two axes and more are so."""
    array = np.asarray(array)
    if array.size > LIMIT:
        raise Reject("too large")
    known = all(v.array.ndim < 2 or v.known and v.array.flags.c_contiguous for v in operands)
    return Value(np.array(array, order="C"), known or array.ndim < 2)


# ---- dtypes and elementwise operations


def weak(number, name):
    """The dtype of a bare number beside an array of dtype name."""
    if kind(name) in "fc":
        return name
    if number != int(number):
        return "float64"
    if name == "bool":
        return "int64"
    info = np.iinfo(DTYPES[name])
    if not info.min <= number <= info.max:
        raise Reject("does not fit")
    return name


def common(args):
    """The common dtype of Values and numbers."""
    name = None
    for v in args:
        if isinstance(v, Value):
            name = v.dtype if name is None else table.promote(name, v.dtype)
    if name is None:
        raise Reject("no array")
    for v in args:
        if not isinstance(v, Value):
            name = table.promote(name, weak(v, name))
    return name


def operand(v, name):
    if isinstance(v, Value):
        return cast(v.array, name)
    return np.array(v).astype(DTYPES[name])


def broadcast_shape(*arrays):
    try:
        return np.broadcast_shapes(*[a.shape for a in arrays])
    except ValueError as e:
        raise Reject("shapes") from e


def both_zeros(*arrays):
    """Whether zeros of both signs are among the elements, so that their order is open."""
    signs = {bool(s) for a in arrays if kind(a.dtype.name) == "f" for s in np.signbit(a[a == 0])}
    return len(signs) > 1


def has_nan(*arrays):
    return any(kind(a.dtype.name) in "fc" and bool(np.isnan(a).any()) for a in arrays)


def check_open(op, arrays):
    """Rejects operands for which cupola leaves the result open."""
    if op in elementwise.ZERO and both_zeros(*arrays):
        raise Reject("either zero")
    if op in ("signbit", "copysign", "heaviside") and has_nan(*arrays):
        raise Reject("the sign of a nan")


def complex_multiply(a, b):
    return elementwise.naive_multiply(*np.broadcast_arrays(a, b))


def complex_divide(a, b):
    """Smith's algorithm, with both operands turned by -i where the imaginary part of b is the larger one."""
    a, b = np.broadcast_arrays(a, b)
    x, y = np.abs(b.real), np.abs(b.imag)
    turned = ~(x >= y)
    ar, ai = np.where(turned, a.imag, a.real), np.where(turned, -a.real, a.imag)
    br, bi = np.where(turned, b.imag, b.real), np.where(turned, -b.real, b.imag)
    ratio = bi / br
    d = br + bi * ratio
    zero = (x == 0) & (y == 0)
    out = np.empty(a.shape, a.dtype)
    out.real = np.where(zero, a.real / x, (ar + ai * ratio) / d)
    out.imag = np.where(zero, a.imag / x, (ai - ar * ratio) / d)
    return out


COMPLEX_OPS = {"multiply": complex_multiply, "square": lambda a: elementwise.naive_multiply(a, a),
               "divide": complex_divide, "reciprocal": lambda a: complex_divide(np.ones_like(a), a)}
COMPLEX_OPS.update({op: elementwise.EXACT[op] for op in elementwise.COMPLEX_EXACT})


def loop_of(op, name):
    """The dtype in which op computes on operands of dtype name."""
    loop = table.loop_of(op, OPS[op]["cls"], name)
    if loop is None or kind(name) == "c" and op not in COMPLEX_OPS:
        raise Reject("no such loop")
    return loop


def function_of(op, name):
    if kind(name) == "c":
        return COMPLEX_OPS[op]
    return elementwise.reciprocal_integer if op == "reciprocal" and name in INTEGERS else elementwise.EXACT[op]


def apply(op, *args):
    """The elementwise operation on Values and numbers."""
    loop = loop_of(op, common(args))
    if OPS[op]["cls"] == "FLOAT" and all(isinstance(v, Value) and kind(v.dtype) in "bi" for v in args):
        # NumPy converts each integer by itself: int16 beside uint16 computes in float32, as int32 would not.
        loop = functools.reduce(table.promote, [loop_of(op, v.dtype) for v in args])
    arrays = [operand(v, loop) for v in args]
    if int(np.prod(broadcast_shape(*arrays))) > LIMIT:
        raise Reject("too large")
    check_open(op, arrays)
    with np.errstate(all="ignore"):
        out = exact(function_of(op, loop), loop, *arrays)
    return fresh(out, *[v for v in args if isinstance(v, Value)])


def power(a, number):
    """a ^ number for the numbers that are operations of their own."""
    name = common([a, number])
    if kind(a.dtype) == "b" or kind(name) == "c" and number not in (2, 3):
        raise Reject("no such power")
    if kind(name) == "i" and number not in (1, 2, 3) or kind(a.dtype) != kind(name):
        raise Reject("no such power")
    forms = {2: np.square, 3: lambda v: v * v * v, 1: lambda v: +v, 0.5: np.sqrt, -0.5: lambda v: 1 / np.sqrt(v),
             -1: np.reciprocal}
    if kind(name) == "c":
        times = elementwise.naive_multiply
        forms = {2: lambda v: times(v, v), 3: lambda v: times(times(v, v), v)}
    with np.errstate(all="ignore"):
        return fresh(exact(forms[number], name, a.array), a)


def where(c, a, b):
    if c.dtype != "bool":
        raise Reject("no mask")
    name = common([a, b])
    x, y = operand(a, name), operand(b, name)
    broadcast_shape(c.array, x, y)
    return fresh(np.where(c.array, x, y), *[v for v in (c, a, b) if isinstance(v, Value)])


def clip(a, low, high):
    if kind(a.dtype) not in "if" or weak(low, a.dtype) != a.dtype or weak(high, a.dtype) != a.dtype:
        raise Reject("bounds")
    low, high = operand(low, a.dtype), operand(high, a.dtype)
    if both_zeros(a.array, low, high):
        raise Reject("either zero")
    with np.errstate(all="ignore"):
        return fresh(np.minimum(np.maximum(a.array, low), high), a)


def astype(a, name):
    return fresh(cast(a.array, name), a)


# ---- reductions


def wide_sum(x, axis, narrow):
    """The sum in float64, where every order of float32 (or float64) additions gives it."""
    wide = x.astype(np.float64)
    if not np.isfinite(wide).all() or (np.signbit(wide) & (wide == 0)).any():
        raise Reject("not exact in every order")
    size = np.sum(np.abs(wide), axis=axis)
    scale = 2.0 ** 12
    bits = 53 if narrow == "float64" else 24
    if (np.trunc(wide * scale) != wide * scale).any() or (size * scale > 2.0 ** bits).any():
        raise Reject("not exact in every order")
    return np.asarray(np.sum(wide, axis=axis))


def float_mean(x, axis, out):
    narrow = "float64" if out == "float64" else "float32"
    count = x.size if axis is None else x.shape[axis]
    return (wide_sum(x, axis, narrow).astype(narrow) / DTYPES[narrow].type(count)).astype(DTYPES[out])


def reduce(red, a, axis, keepdims=False):
    """A reduction whose value does not depend on the order of its steps; axis is NumPy's or None."""
    x, out = a.array, reductions.result(red, REDS.get(red, {"cls": "INDEX"})["cls"], a.dtype)
    if x.size == 0 and red not in ("sum", "prod", "any", "all") or red == "ptp" and kind(a.dtype) in "bc":
        raise Reject("nothing to reduce")
    k = kind(out)
    if k == "c" and red not in ("any", "all") or kind(a.dtype) == "c" and red in ("min", "max", "argmin", "argmax"):
        raise Reject("complex")
    if red in ("min", "max", "ptp", "argmin", "argmax") and (both_zeros(x) or has_nan(x)):
        raise Reject("either zero")
    with np.errstate(all="ignore"):
        if red == "mean":
            got = float_mean(x, axis, out)
        elif red in ("sum", "prod") and k == "f":
            if red == "prod":
                raise Reject("not exact in every order")
            got = wide_sum(x, axis, "float64" if out == "float64" else "float32").astype(DTYPES[out])
        else:
            got = np.asarray(reductions.exact_red(red, x, axis, out))
    if keepdims:
        got = got.reshape([1 if axis in (None, d) else n for d, n in enumerate(x.shape)])
    return Value(np.array(got, order="C"), got.ndim < 2 or a.known and x.flags.c_contiguous)


def rounding(red, a):
    """(value, absolute bound) of a float reduction over all elements, in float64."""
    x = a.array
    if x.size == 0 or kind(a.dtype) in "bc" or kind(a.dtype) == "f" and not np.isfinite(x.astype(np.float64)).all():
        raise Reject("no bound")
    out = reductions.result(red, REDS.get(red, {"cls": "INDEX"})["cls"], a.dtype)
    if kind(out) != "f":
        raise Reject("exact")
    if np.abs(x.astype(np.float64)).max() > (1e150 if out == "float64" else 1e15):
        raise Reject("squares overflow")
    with np.errstate(all="ignore"):
        value, bound = reductions.rounding_red(red, x, None, out)
    low = {"float16": 2.0 ** -24, "bfloat16": 2.0 ** -133, "float32": 2.0 ** -149, "float64": 0.0}[out]
    if not np.isfinite(value) or out in HALVES and abs(value) > 30000:
        raise Reject("no bound")
    return out, value, float(bound) + low


# ---- views


def view(a, tup, shape=None):
    """a[tup], an index made for the shape: NumPy cuts what is out of range, cupola raises."""
    if shape is not None and a.shape != shape:
        raise Reject("another shape")
    if len(tup) > a.array.ndim + tup.count(None):
        raise Reject("axes")
    try:
        return Value(np.asarray(a.array[tup + (Ellipsis,)]), a.known, a.fixed)
    except IndexError as e:
        raise Reject("out of range") from e


def reshape(a, shape):
    if not a.known:
        raise Reject("view or copy")
    try:
        return Value(a.array.reshape(shape), True, a.fixed)
    except ValueError as e:
        raise Reject("size") from e


def transpose(a, axes=None):
    if axes is not None and sorted(axes) != list(range(a.array.ndim)):
        raise Reject("axes")
    return Value(a.array.transpose(axes), a.known, a.fixed)


def broadcast_to(a, shape):
    try:
        out = np.broadcast_to(a.array, shape)
    except ValueError as e:
        raise Reject("shapes") from e
    if out.size > LIMIT:
        raise Reject("too large")
    return Value(out, False, True)


def part(a, which):
    """x.real and x.imag of complex arrays are views."""
    if kind(a.dtype) != "c":
        raise Reject("no parts")
    return Value(getattr(a.array, which), a.known, a.fixed)


# ---- writing


def store(target, v):
    """target[...] = v, by the same_kind rule."""
    if target.fixed:
        raise Reject("a broadcast view")
    if isinstance(v, Value):
        if not table.can_cast(v.dtype, target.dtype, "same_kind"):
            raise Reject("cast")
        source = cast(v.array, target.dtype).copy()
    else:
        if weak(v, target.dtype) != target.dtype:
            raise Reject("cast")
        source = operand(v, target.dtype)
    if source.ndim > target.array.ndim or broadcast_shape(source, target.array) != target.shape:
        raise Reject("shapes")
    target.array[...] = source
