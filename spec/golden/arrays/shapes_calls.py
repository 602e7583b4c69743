"""Golden calls of creating, joining (also of mixed dtypes), splitting, padding, turning and partly sorting arrays, of sums of exponentials and of means along
an axis, from NumPy and SciPy: `shapes`."""

from itertools import permutations

import numpy as np
from scipy import linalg, ndimage, special

from calls import Calls

DTYPES = ["bool", "int8", "uint16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]
NAN = np.nan


def block(dtype, shape=(2, 3, 4), start=-5):
    n = int(np.prod(shape))
    if dtype == "bool":
        return (np.arange(n) % 3 == 1).reshape(shape)
    x = np.arange(start, start + n).reshape(shape) if not dtype.startswith("u") else np.arange(n).reshape(shape)
    return (x + 0.5j * x[::-1] if dtype.startswith("complex") else x).astype(dtype)


def both(c, name, arguments, x, want):
    """The call as a function and, where the array comes first, as a method."""
    c.add("cp.%s(x[1]%s)" % (name, arguments and ", " + arguments), [x], want)
    c.add("x[1]:%s(%s)" % (name, arguments), [x], want)


def turning_calls(c):
    for dtype in DTYPES:
        x = block(dtype)
        both(c, "flip", "", x, np.flip(x))
        both(c, "flip", "{1, 3}", x, np.flip(x, (0, 2)))
        both(c, "roll", "2, 2", x, np.roll(x, 2, 1))
        both(c, "rot90", "", x, np.rot90(x))
        both(c, "swapaxes", "1, 3", x, np.swapaxes(x, 0, 2))
        both(c, "transpose", "{3, 1, 2}", x, np.transpose(x, (2, 0, 1)))
    x = block("float32")
    for f in ("fliplr", "flipud"):
        c.add("cp.%s(x[1])" % f, [x], getattr(np, f)(x))
    for shift, axis, text in ((5, None, "5"), (-7, None, "-7"), ((1, -2), (0, 2), "{1, -2}, {1, 3}"), (2, (0, 1), "2, {1, 2}"), ((1, 2), 1, "{1, 2}, 2")):
        both(c, "roll", text, x, np.roll(x, shift, axis))
    for k in (-1, 0, 2, 3, 5):
        both(c, "rot90", "%d, {2, 3}" % k, x, np.rot90(x, k, (1, 2)))
    for source, to in ((0, -1), (-1, 0), (1, 1)):
        both(c, "moveaxis", "%d, %d" % (source + 1 if source >= 0 else source, to + 1 if to >= 0 else to), x, np.moveaxis(x, source, to))
    both(c, "moveaxis", "{1, 2}, {-1, 1}", x, np.moveaxis(x, (0, 1), (-1, 0)))
    for axis, start in ((2, 0), (0, 3), (1, 1), (2, 1)):
        both(c, "rollaxis", "%d, %d" % (axis + 1, start + 1), x, np.rollaxis(x, axis, start))
    both(c, "squeeze", "", x[:, :1], np.squeeze(x[:, :1]))
    both(c, "squeeze", "2", x[:, :1], np.squeeze(x[:, :1], 1))
    both(c, "expand_dims", "2", x, np.expand_dims(x, 1))
    both(c, "expand_dims", "{1, -1}", x, np.expand_dims(x, (0, -1)))
    empty = np.zeros((0, 3), np.int16)
    for f in ("flip", "rot90", "ravel", "fliplr"):
        c.add("cp.%s(x[1])" % f, [empty], getattr(np, f)(empty))
    c.add("cp.roll(x[1], 2)", [empty], np.roll(empty, 2))


def joining_calls(c):
    for dtype in DTYPES:
        x, y = block(dtype), block(dtype, start=3)
        for axis in range(-3, 3):
            c.add("cp.concatenate({x[1], x[2]}, %d)" % (axis + 1 if axis >= 0 else axis), [x, y], np.concatenate([x, y], axis))
        for axis in range(-4, 4):
            c.add("cp.stack({x[1], x[2], x[1]}, %d)" % (axis + 1 if axis >= 0 else axis), [x, y], np.stack([x, y, x], axis))
        for f in ("vstack", "hstack", "dstack"):
            c.add("cp.%s{x[1], x[2]}" % f, [x, y], getattr(np, f)([x, y]))
            c.add("cp.%s{x[1], x[2]}" % f, [x[0, 0], y[0, 0]], getattr(np, f)([x[0, 0], y[0, 0]]))
        c.add("cp.column_stack{x[1], x[2]}", [x[0], y[0, :, 0]], np.column_stack([x[0], y[0, :, 0]]))
    for a, b in (("int8", "uint16"), ("int32", "float32"), ("bool", "int8"), ("float32", "complex64"), ("uint16", "float16"), ("int64", "float16")):
        c.add("cp.concatenate{x[1], x[2]}", [block(a), block(b)], np.concatenate([block(a), block(b)]))
        c.add("cp.append(x[1], x[2], 2)", [block(a), block(b)], np.append(block(a), block(b), 1))
    c.add("cp.concatenate{x[1], x[2]}", [np.zeros((0, 3), np.int32), np.ones((2, 3), np.int32)], np.concatenate([np.zeros((0, 3), np.int32), np.ones((2, 3), np.int32)]))
    c.add('cp.concatenate({x[1], x[2]}, {axis = 1, dtype = "float32"})', [block("int32"), block("int8")], np.concatenate([block("int32"), block("int8")], dtype="f4"))
    for n in (1, 2, 3):
        for value in (np.float32(3), np.arange(3, dtype=np.int8), block("int32")[0], block("complex64")):
            c.add("cp.atleast_%dd(x[1])" % n, [value], getattr(np, "atleast_%dd" % n)(value))


def splitting_calls(c):
    x = block("int32", (4, 6, 2))
    for f, cuts, axis in (("split", 2, 0), ("split", 3, 1), ("split", [1, 4], 1), ("split", [0, 2, 9], 0), ("array_split", 4, 1),
                          ("array_split", 5, 0), ("array_split", [2], 2)):
        parts = getattr(np, f)(x, cuts, axis)
        text = str(cuts) if isinstance(cuts, int) else "{%s}" % ", ".join(map(str, cuts))
        c.add("(table.unpack or unpack)(cp.%s(x[1], %s, %d))" % (f, text, axis + 1), [x], parts)
    for f in ("vsplit", "hsplit", "dsplit"):
        c.add("(table.unpack or unpack)(cp.%s(x[1], 2))" % f, [x], getattr(np, f)(x, 2))
    c.add("(table.unpack or unpack)(cp.hsplit(x[1], {1, 2}))", [x[0, :, 0]], np.hsplit(x[0, :, 0], [1, 2]))


def repeating_calls(c):
    for dtype in DTYPES:
        x = block(dtype)
        both(c, "tile", "{2, 1, 3}", x, np.tile(x, (2, 1, 3)))
        both(c, "repeats", "2, 2", x, np.repeat(x, 2, 1))
    x = block("int16", (2, 3))
    for reps in (0, 2, (2, 2), (2, 1, 2), (0, 2), ()):
        text = str(reps) if isinstance(reps, int) else "{%s}" % ", ".join(map(str, reps))
        both(c, "tile", text, x, np.tile(x, reps))
    both(c, "repeats", "{2, 0, 1}, 2", x, np.repeat(x, [2, 0, 1], 1))
    both(c, "repeats", "3", x, np.repeat(x, 3))
    both(c, "repeats", "{1, 2}, -2", x, np.repeat(x, [1, 2], -2))
    c.add("cp.repeats(x[1], x[2], 1)", [x, np.array([0, 2])], np.repeat(x, [0, 2], 0))
    both(c, "resize", "{3, 5}", x, np.resize(x, (3, 5)))
    both(c, "resize", "4", x, np.resize(x, 4))


def padding_calls(c):
    for dtype in ("bool", "int32", "float16", "float64", "complex64"):
        x = block(dtype, (3, 4))
        c.add("cp.pad(x[1], 2)", [x], np.pad(x, 2))
        for mode in ("edge", "reflect", "symmetric", "wrap"):
            c.add('cp.pad(x[1], {{1, 2}, {5, 0}}, "%s")' % mode, [x], np.pad(x, ((1, 2), (5, 0)), mode))
    x = block("float64", (3, 4))
    c.add('cp.pad(x[1], {{1, 2}, {0, 3}}, "constant", {constant_values = {{7, 8}, {9, 10}}})', [x], np.pad(x, ((1, 2), (0, 3)), constant_values=((7, 8), (9, 10))))
    c.add('cp.pad(x[1], {2, 3}, "constant", {constant_values = -1})', [x], np.pad(x, (2, 3), constant_values=-1))
    for mode in ("reflect", "symmetric"):
        c.add('cp.pad(x[1], 9, "%s", {reflect_type = "odd"})' % mode, [x], np.pad(x, 9, mode, reflect_type="odd"))
        c.add('cp.pad(x[1], 9, "%s")' % mode, [x], np.pad(x, 9, mode))
    for mode in ("maximum", "minimum", "mean", "median"):
        c.add('cp.pad(x[1], {{2, 1}, {1, 2}}, "%s")' % mode, [x], np.pad(x, ((2, 1), (1, 2)), mode))
        c.add('cp.pad(x[1], 2, "%s", {stat_length = 2})' % mode, [x], np.pad(x, 2, mode, stat_length=2))
    c.add('cp.pad(x[1], 3, "linear_ramp", {end_values = {{-5, 5}, {0, 12}}})', [x], np.pad(x, 3, "linear_ramp", end_values=((-5, 5), (0, 12))), 8)
    c.add('cp.pad(x[1], {{0, 1}, {2, 0}})', [np.zeros((0, 3))], np.pad(np.zeros((0, 3)), ((0, 1), (2, 0))))


def diagonal_calls(c):
    for dtype in DTYPES:
        x = block(dtype, (3, 4))
        for k in (-2, 0, 1, 3, 5):
            both(c, "diag", "%d" % k, x, np.diag(x, k))
            both(c, "tril", "%d" % k, x, np.tril(x, k))
            both(c, "triu", "%d" % k, x, np.triu(x, k))
        both(c, "diag", "-1", x[0], np.diag(x[0], -1))
        both(c, "diagflat", "1", x, np.diagflat(x, 1))
    x = block("int32")
    both(c, "tril", "", x, np.tril(x))
    for offset, a, b in ((0, 0, 1), (1, 1, 2), (-1, 0, 2), (5, 0, 1)):
        both(c, "diagonal", "%d, %d, %d" % (offset, a + 1, b + 1), x, np.diagonal(x, offset, a, b))
        both(c, "trace", "%d, %d, %d" % (offset, a + 1, b + 1), x, np.trace(x, offset, a, b))
    v = np.array([0, 0, 1, 2, 0, 3, 0])
    for trim in ("fb", "f", "b"):
        c.add('cp.trim_zeros(x[1], "%s")' % trim, [v], np.trim_zeros(v, trim))
    w = np.array([1, 2, -3, 5])
    c.add("cp.vander(x[1])", [w], np.vander(w))
    c.add("cp.vander(x[1], {N = 3, increasing = true})", [w], np.vander(w, 3, True))


def creation_calls(c):
    one = np.zeros(1)  # calls have an input
    for n, m, k in ((3, 3, 0), (3, 5, 1), (4, 2, -1), (0, 3, 0), (2, 2, 9)):
        c.add('cp.eye(%d, %d, %d, "float64")' % (n, m, k), [one], np.eye(n, m, k))
        c.add('cp.tri(%d, %d, %d, "int32")' % (n, m, k), [one], np.tri(n, m, k, "i4"))
    c.add('cp.identity(4, "complex64")', [one], np.identity(4, "c8"))
    for start, stop, step in ((0, 10, 3), (5, -5, -2), (0, 0, 1), (3, 1, 1), (-7, 8, 5)):
        c.add("cp.arange(%d, %d, %d)" % (start, stop, step), [one], np.arange(start, stop, step))
    for start, stop, step in ((0.0, 1.0, 0.25), (0.5, 3.0, 0.5), (1.0, -1.25, -0.5)):
        c.add("cp.arange(%r, %r, %r)" % (start, stop, step), [one], np.arange(start, stop, step))
        c.add('cp.arange(%r, %r, %r, "float32")' % (start, stop, step), [one], np.arange(start, stop, step, "f4"))
    for num, endpoint in ((5, True), (5, False), (1, True), (0, True), (50, True), (1, False)):
        c.add("cp.linspace(-2, 3, %d, %s)" % (num, str(endpoint).lower()), [one], np.linspace(-2, 3, num, endpoint), 4)
        c.add("cp.logspace(-1, 2, %d, %s)" % (num, str(endpoint).lower()), [one], np.logspace(-1, 2, num, endpoint), 32)
        c.add("cp.geomspace(2, 1024, %d, %s)" % (num, str(endpoint).lower()), [one], np.geomspace(2, 1024, num, endpoint), 64)
    c.add("cp.geomspace(-1000, -1, 4)", [one], np.geomspace(-1000, -1, 4), 64)
    c.add("cp.logspace(0, 4, 5, {base = 2})", [one], np.logspace(0, 4, 5, base=2), 16)
    c.add('cp.linspace(0, 10, 6, {dtype = "int32"})', [one], np.linspace(0, 10, 6, dtype="i4"))
    a, b = np.array([0.0, 1, -2]), np.array([[4.0], [8]])
    c.add("cp.linspace(x[1], x[2], 5)", [a, b], np.linspace(a, b, 5), 16)
    c.add("cp.linspace(x[1], x[2], {num = 4, axis = -1, endpoint = false})", [a, b], np.linspace(a, b, 4, False, axis=-1), 16)
    u, v, w = np.arange(2), np.arange(3.0), np.arange(4, dtype="f4")
    for options, words in (({}, ""), ({"indexing": "ij"}, ', {indexing = "ij"}'), ({"sparse": True}, ", {sparse = true}")):
        c.add("cp.meshgrid(x[1], x[2], x[3]%s)" % words, [u, v, w], list(np.meshgrid(u, v, w, **options)))
        c.add("cp.meshgrid(x[1], x[2]%s)" % words, [u, v], list(np.meshgrid(u, v, **options)))
    for x in (block("int8", (2, 3)), block("complex64", (2, 3)), np.zeros((0, 2), "f4")):
        for f in ("zeros_like", "ones_like"):
            c.add("cp.%s(x[1])" % f, [x], getattr(np, f)(x))
        c.add('cp.full_like(x[1], 3, {dtype = "float32"})', [x], np.full_like(x, 3, dtype="f4"))
    for a, b in (((3, 1), (1, 4)), ((), (2, 3)), ((5,), (4, 1))):
        p, q = np.arange(np.prod(a, dtype=int)).reshape(a), np.arange(np.prod(b, dtype=int)).reshape(b)
        c.add("cp.broadcast_arrays(x[1], x[2])", [p, q], list(np.broadcast_arrays(p, q)))
    c.add("cp.broadcast_to(x[1], {2, 3, 4})", [np.arange(4)], np.broadcast_to(np.arange(4), (2, 3, 4)))


def partition_calls(c):
    """What a partition leaves undefined, the order within its parts, is sorted away."""
    rng = np.random.default_rng(71)
    for dtype in DTYPES[1:]:
        x = rng.integers(0, 60, (4, 9)).astype(dtype)
        for k in (0, 4, 8, -2):
            place = k + 1 if k >= 0 else k
            low = k % 9
            c.add("(function(y) return y[{{}, %d}], cp.sort(y[{{}, {1, %d}}]) end)(cp.partition(x[1], %d))" % (place, low + 1, place),
                  [x], [np.sort(x)[:, k], np.sort(x)[:, : low + 1]])
            c.add("(function(y) return y[{{}, %d}] end)(cp.take_along_axis(x[1], cp.argpartition(x[1], %d), 2))" % (place, place),
                  [x], np.sort(x)[:, k])
        c.add("cp.partition(x[1], 3, 1)[3]", [x], np.sort(x, 0)[2])
        c.add("(function(y) cp.partition_(y, 2) return y[{{}, 2}] end)(x[1]:copy())", [x], np.sort(x)[:, 1])
    x = rng.integers(0, 60, 20).astype(float)
    x[[3, 7]] = NAN
    c.add("cp.partition(x[1], {2, 19})[cp.index{2, 19, 20}]", [x], np.sort(x)[[1, 18, 19]])


def unique_calls(c):
    for dtype in ("bool", "int8", "int64", "float32"):
        x = np.random.default_rng(72).integers(0, 2 if dtype == "bool" else 9, (3, 5)).astype(dtype)
        values, inverse = np.unique(x, return_inverse=True)
        c.add("cp.unique_values(x[1])", [x], values)
        c.add("cp.unique_inverse(x[1])", [x], [values, inverse.reshape(x.shape) + 1])
        c.add("cp.unique_counts(x[1])", [x], list(np.unique(x, return_counts=True)))
    c.add("cp.in1d(x[1], {1, 5})", [np.array([5, 2, 1, 1])], np.isin([5, 2, 1, 1], [1, 5]))
    x = np.array([[1.5 + 0j, 2], [-1, 3j]])
    for f in ("iscomplex", "isreal"):
        for y in (x, x.real, np.arange(4)):
            c.add("cp.%s(x[1])" % f, [y], getattr(np, f)(y))
    for name in ("int32", "float16", "float32", "float64"):
        y = np.array([-2.7, -0.5, 0, 1.5, 2.5]).astype(name)
        c.add("cp.float_power(cp.abs(x[1]), 2)", [y], np.float_power(np.abs(y), 2), 2)
        if name != "int32":
            c.add("cp.fix(x[1])", [y], np.fix(y))
            c.add("x[1]:fix_()", [y], np.fix(y))
            for f in ("deg2rad", "rad2deg"):
                wide = getattr(np, f)(y.astype("f8"))
                c.add("cp.%s(x[1])" % f, [y], wide, 2, [name])


def exponential_calls(c):
    S = "cp.scipy.special."
    x = np.array([[1.0, -3, 700, 2], [0.5, 0, -800, 0.25], [NAN, 1, 2, 3], [-np.inf, -np.inf, 1, 0]])
    for name in ("float32", "float64"):
        y = np.clip(x, -80, 80).astype(name)
        for axis in (None, 0, 1):
            text = "nil" if axis is None else str(axis + 1)
            for f in ("softmax", "log_softmax"):
                want = getattr(special, f)(y.astype("f8"), axis)
                c.add("%s%s(x[1], %s)" % (S, f, text), [y], want, np.full(np.shape(want), 400.0), [name])
            for keep in (False, True):
                want = special.logsumexp(y.astype("f8"), axis, keepdims=keep)
                c.add("%slogsumexp(x[1], {axis = %s, keepdims = %s})" % (S, text, str(keep).lower()), [y], want,
                      np.full(np.shape(want), 400.0), [name])
    for name in ("int8", "int16", "int32", "float16", "complex64", "complex128"):
        y = np.array([[1, -3, 60, 2], [5, 0, -60, 25], [3, 3, -2, 3]]).astype(name)
        if name.startswith("complex"):
            y = y / 8 + 1j * np.array([[1, 2, -4, 0.5], [3, 3, 9, -1], [2, -2, 5, 1.5]], name)
        for axis in (None, 0, 1):
            text = "nil" if axis is None else str(axis + 1)
            for f in ("softmax", "log_softmax"):
                want = getattr(special, f)(y, axis)
                scale = 8.0 * max(1, np.abs(want.astype("complex128")).max())
                c.add("%s%s(x[1], %s)" % (S, f, text), [y], want, np.full(want.shape, scale))
    b = np.array([[1.0, 2, 0, 1], [0.5, 1, 1, -0.25]])
    y = x[:2]
    c.add(S + "logsumexp(x[1], {axis = 2, b = x[2]})", [y, b], special.logsumexp(y, 1, b), 8)
    c.add(S + "logsumexp(x[1], {axis = 2, b = x[2], return_sign = true})", [y, -b], list(special.logsumexp(y, 1, -b, return_sign=True)), 8)
    c.add(S + "logsumexp(x[1], 2)", [np.full((2, 3), -np.inf)], special.logsumexp(np.full((2, 3), -np.inf), 1), 8)


def mean_calls(c):
    x = np.random.default_rng(73).integers(-9, 10, (5, 7)).astype(float)
    for mode in ("reflect", "mirror", "nearest", "wrap", "constant"):
        for size, axis, origin in ((4, 0, -1), (3, 1, 0), (5, -1, 1)):
            want = ndimage.uniform_filter1d(x, size, axis, mode=mode, origin=origin)
            c.add('cp.scipy.ndimage.uniform_filter1d(x[1], %d, %d, {mode = "%s", origin = %d})'
                  % (size, axis + 1 if axis >= 0 else axis, mode, origin), [x], want, np.full(want.shape, 256.0))


def counted_calls(c):
    """Repeats by an array of counts, and of arrays with as many axes as there may be."""
    x = block("int16", (2, 3))
    rng = np.random.default_rng(90)
    for n, high in ((40, 2), (70, 5), (1000, 3)):
        y, counts = np.arange(n), rng.integers(0, high, n)
        for dtype in ("int64", "int8", "uint16", "bool"):
            times = counts.astype(dtype)
            c.add("cp.repeats(x[1], x[2])", [y, times], np.repeat(y, times))
    wide = block("float32", (2, 50, 3))
    counts = rng.integers(0, 4, 50)
    c.add("cp.repeats(x[1], x[2], 2)", [wide, counts], np.repeat(wide, counts, 1))
    c.add("x[1]:repeats(x[2], -2)", [wide, counts * 0], np.repeat(wide, counts * 0, 1))
    c.add("cp.repeats(x[1], x[2])", [np.zeros(0), np.zeros(0, np.int64)], np.zeros(0))
    c.add("cp.repeats(x[1], x[2], 2)", [np.zeros((0, 3)), np.array([1, 0, 2])], np.zeros((0, 3)))
    c.add("cp.repeats(x[1], x[2], 2)", [np.zeros((2, 0)), np.array([3])], np.zeros((2, 0)))
    c.add("x[1]:repeats({true, false, true}, 2)", [x], np.repeat(x, [True, False, True], 1))
    ones = (1,) * 19
    many = block("int16", ones[:9] + (2,) + ones[:9] + (3,))
    reps = (2, 1) * 9 + (1, 2)
    c.add("cp.tile(x[1], x[2]):ravel()", [many, np.array(reps)], np.tile(many, reps).ravel())
    full = block("int16", ones[:15] + (2,) + ones[:15] + (3,))
    for axis in (0, 15, 31):
        c.add("cp.repeats(x[1], 2, %d):ravel()" % (axis + 1), [full], np.repeat(full, 2, axis).ravel())
    c.add("cp.tile(x[1], x[2]):ravel()", [full, np.array((2,) + (1,) * 30 + (2,))], np.tile(full, (2,) + (1,) * 30 + (2,)).ravel())


MIXED = [("uint16", "int8", "float32"), ("int8", "uint8", "float16"), ("int8", "uint16", "complex64"), ("uint8", "int8", "uint16"),
         ("int32", "float32", "float16"), ("bool", "uint8", "int8")]


def mixed_calls(c):
    """What takes three arrays or more gives the dtype that they have together, in whatever order they stand. (NumPy joins
    small blocks and multiplies chains two by two, so there the values alone are its own.)"""
    x = {n: np.array([1, 0, 1] if n == "bool" else [1, 2, 3]).astype(n) for names in MIXED for n in names}
    conditions = [np.array([True, False, False]), np.array([False, False, True])]
    for names in MIXED:
        common = np.result_type(*names)
        for order in permutations(names):
            a = [x[n] for n in order]
            rows = [v[None] for v in a]

            def add(text, want, more=()):
                c.add(text, a + list(more), np.asarray(want).astype(common))

            for f in ("concatenate", "stack", "vstack", "hstack", "dstack", "column_stack"):
                add("cp.%s{x[1], x[2], x[3]}" % f, getattr(np, f)(a))
            add("cp.block{{x[1], x[2]}, {x[3], x[3]}}", np.block([[a[0], a[1]], [a[2], a[2]]]))
            add("cp.block{x[1], x[2], x[3]}", np.block(a))
            add("cp.array{x[1], x[2], x[3]}", np.array(a))
            add("cp.scipy.linalg.block_diag(x[1], x[2], x[3])", linalg.block_diag(*a))
            add("cp.select({x[4], x[5]}, {x[1], x[2]}, x[3])", np.select(conditions, a[:2], a[2]), conditions)
            add("cp.choose(x[4], {x[1], x[2], x[3]})", np.choose([2, 0, 1], a), [np.array([3, 1, 2])])
            if common.kind != "c":
                add("cp.clip(x[1], x[2], x[3])", np.clip(*a))
                add("x[1]:clip(x[2], x[3])", np.clip(*a))
            if common.kind != "b" and "bool" not in names:
                add('cp.einsum("i,i,i->i", x[1], x[2], x[3])', np.einsum("i,i,i->i", *(v.astype(common) for v in a)))
                add("cp.linalg.multi_dot{x[1]:reshape(1, 3), x[2]:reshape(3, 1), x[3]:reshape(1, 3)}",
                    rows[0].astype(common) @ rows[1].T.astype(common) @ rows[2].astype(common))


def write():
    c = Calls()
    with np.errstate(all="ignore"):
        for f in (turning_calls, joining_calls, splitting_calls, repeating_calls, padding_calls, diagonal_calls, creation_calls,
                  partition_calls, unique_calls, exponential_calls, mean_calls, mixed_calls, counted_calls):
            f(c)
    c.write("arrays/shapes")


if __name__ == "__main__":
    write()
