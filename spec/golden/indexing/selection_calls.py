"""Golden calls of choosing, placing and counting elements, of scans, samples and products along axes, over dtypes, axes, nan and arrays
without elements, from NumPy: `selection`."""

import numpy as np

from calls import Calls

DTYPES = ["bool", "int8", "uint16", "int32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
NAN = np.nan


def block(dtype, shape=(3, 4, 5), seed=80):
    x = np.random.default_rng(seed).integers(0, 2 if dtype == "bool" else 60, shape)
    return (x + 1j * x[::-1] if dtype.startswith("complex") else x).astype(dtype)


def text(k):
    """An axis or a position, counted from 1."""
    if k is None:
        return "nil"
    return "{%s}" % ", ".join(text(i) for i in k) if isinstance(k, tuple) else str(k + 1 if k >= 0 else k)


def after(f, *arrays):
    """What f does to a copy of the first array."""
    y = arrays[0].copy()
    f(y)
    return y


def written(expression):
    return "(function(y) %s return y end)(x[1]:copy())" % expression


def taking_calls(c):
    where = np.array([[2, 0], [-1, 1]])
    lua = np.where(where >= 0, where + 1, where)
    for dtype in DTYPES:
        x = block(dtype)
        mask = x.real > x.real.mean()
        for axis in (None, 0, 1, -1):
            c.add("cp.take(x[1], x[2], %s)" % text(axis), [x, lua], np.take(x, where, axis))
            if axis is not None:
                c.add("x[1]:take(2, %s)" % text(axis), [x], np.take(x, 1, axis))
        order = np.argsort(block("int32", seed=81), 1)
        c.add("cp.take_along_axis(x[1], x[2], 2)", [x, order + 1], np.take_along_axis(x, order, 1))
        c.add("cp.compress({true, false, true}, x[1], 2)", [x], np.compress([True, False, True], x, 1))
        c.add("cp.compress(x[2], x[1])", [x, mask.ravel()], np.compress(mask.ravel(), x))
        c.add("cp.extract(x[2], x[1])", [x, mask], np.extract(mask, x))
        c.add("cp.asarray(x[1])[x[2]]", [x, mask], x[mask])
        c.add("cp.asarray(x[1])[x[2]]", [x, mask[:, :, 0]], x[mask[:, :, 0]])
        c.add("cp.asarray(x[1])[{x[2], {}, x[3]}]", [x, lua[0], lua[1] % 4], x[where[0], :, lua[1] % 4 - 1])
        c.add("cp.where(x[2], x[1], x[3])", [x, mask, x[::-1].copy()], np.where(mask, x, x[::-1]))
        c.add("cp.choose(x[2], {x[1], x[3], 0})", [x, order % 3 + 1, x[::-1].copy()], np.choose(order % 3, [x, x[::-1], np.zeros_like(x)]),
              dtypes=["int64" if dtype == "bool" else dtype])  # of bool and a whole number
        c.add("cp.select({x[2], x[3]}, {x[1], x[1] * 0}, x[4])", [x, mask, ~mask & (order == 0), x[0, 0, :1]],
              np.select([mask, ~mask & (order == 0)], [x, x * 0], x[0, 0, :1]))
        c.add("(table.unpack or unpack)(cp.nonzero(x[1]))", [x], [i + 1 for i in np.nonzero(x)])
        c.add("cp.argwhere(x[1])", [x], np.argwhere(x) + 1)
        c.add("cp.flatnonzero(x[1])", [x], np.flatnonzero(x) + 1)
        c.add("cp.count_nonzero(x[1], 2)", [x], np.count_nonzero(x, 1))
    x = block("int32")
    far = np.array([0, 7, 61, 500])
    for mode in ("wrap", "clip"):
        c.add('cp.take(x[1], x[2], {mode = "%s"})' % mode, [x, far + 1], np.take(x, far, mode=mode))
    y = np.array([NAN, 0, -0.0, np.inf])
    c.add("cp.flatnonzero(x[1])", [y], np.flatnonzero(y) + 1)
    empty = np.zeros((0, 4), np.float32)
    c.add("cp.take(x[1], x[2], 2)", [empty, np.array([1, 3])], np.take(empty, [0, 2], 1))
    c.add("cp.take(x[1], x[2], 1)", [np.ones((2, 3)), np.zeros(0, np.int64)], np.take(np.ones((2, 3)), np.zeros(0, int), 0))
    c.add("(table.unpack or unpack)(cp.nonzero(x[1]))", [empty], [i + 1 for i in np.nonzero(empty)])
    c.add("cp.argwhere(x[1])", [empty], np.argwhere(empty))
    c.add("cp.asarray(x[1])[x[2]]", [empty, np.zeros((0, 4), bool)], empty[np.zeros((0, 4), bool)])
    c.add("cp.asarray(x[1])[x[2]]", [np.ones((2, 3)), np.zeros((2, 3), bool)], np.ones((2, 3))[np.zeros((2, 3), bool)])


def empty_mask_calls(c):
    """A mask may have no elements along an axis of any length: it takes nothing, and writes nothing."""
    none, no_rows, no_columns = np.zeros(0, bool), np.zeros((0, 3), bool), np.zeros((3, 0), bool)
    line, rows, columns, x = np.zeros(0), np.ones((0, 3)), np.ones((3, 0), np.float32), block("int16")
    for a, mask in ((line, none), (np.ones(3), none), (rows, none), (rows, no_rows), (columns, no_columns), (np.ones((3, 3)), no_rows),
                    (np.ones((3, 3)), no_columns), (x, none), (x, np.zeros((3, 0), bool)), (x, np.zeros((0, 4, 0), bool))):
        c.add("cp.asarray(x[1])[x[2]]", [a, mask], a[mask])
        c.add(written("y[x[2]] = 7"), [a, mask], a)
        c.add(written("y[x[2]] = x[3]"), [a, mask, np.zeros_like(a[mask])], a)
        c.add(written("y:update(x[2], function(v) return v + 1 end)"), [a, mask], a)
        c.add(written("cp.scatter_add(y, x[2], 1)"), [a, mask], a)
    c.add("cp.asarray(x[1])[{{}, x[2]}]", [columns, none], columns[:, none])
    c.add("cp.asarray(x[1])[{{}, x[2]}]", [x, none], x[:, none])
    c.add("cp.asarray(x[1])[{cp.ellipsis, x[2]}]", [x, none], x[..., none])
    c.add("cp.asarray(x[1])[{2, x[2]}]", [x, none], x[1, none])
    c.add("cp.asarray(x[1])[{x[2], {}, x[2]}]", [x, none], x[none, :, none])
    c.add("cp.asarray(x[1])[{x[2], cp.index{2}}]", [rows, none], rows[none, [1]])
    c.add(written("y[{{}, x[2]}] = 7"), [x, none], x)
    c.add(written("y[{{}, x[2]}] = x[3]"), [x, none, np.zeros((3, 0, 5), x.dtype)], x)
    for a, mask in ((line, none), (rows, none), (rows, no_rows), (columns, none), (np.ones((3, 2)), np.array([True, False] * 3))):
        values = np.array([7.0, 8], a.dtype)
        c.add(written("cp.place(y, x[2], x[3])"), [a, mask, values], after(lambda y: np.place(y, mask, values), a))
        c.add(written("cp.putmask(y, x[2], x[3])"), [a, mask, values], after(lambda y: np.putmask(y, mask, values), a))
        c.add(written("cp.putmask(y, x[2], 5)"), [a, mask], after(lambda y: np.putmask(y, mask, 5), a))
        c.add("cp.extract(x[2], x[1])", [a, mask], np.extract(mask, a))
        c.add("cp.compress(x[2], x[1])", [a, mask.ravel()], np.compress(mask.ravel(), a))
    none_true = np.zeros(7, bool)
    for condition in (none, none_true, np.array([True, False, False, False, False, False])):
        c.add("cp.extract(x[2], x[1])", [np.ones((2, 1)), condition], np.extract(condition, np.ones((2, 1))))
        c.add("cp.compress(x[2], x[1], 2)", [x, condition], np.compress(condition, x, 1))
    c.add("cp.compress(x[2], x[1], 2)", [columns, none_true], np.compress(none_true, columns, 1))
    for a in (line, rows, columns):
        c.add("(table.unpack or unpack)(cp.where(x[1]))", [a], [i + 1 for i in np.where(a)])
        c.add("cp.argwhere(x[1])", [a], np.argwhere(a) + 1)
        c.add("cp.flatnonzero(x[1])", [a], np.flatnonzero(a) + 1)
    c.add("cp.where(x[1], x[2], 1)", [no_rows, np.ones(3)], np.where(no_rows, np.ones(3), 1))
    c.add("cp.insert(x[1], x[2], 5)", [np.ones(3), none], np.insert(np.ones(3), none, 5))
    c.add("cp.insert(x[1], x[2], 5)", [np.ones(3), np.array([True, False, False, True])], np.insert(np.ones(3), [0, 3], 5))
    c.add("cp.delete(x[1], x[2])", [line, none], line)
    c.add("(table.unpack or unpack)(cp.ix_(x[1], x[2]))", [none, np.array([1, 3])], [np.zeros((0, 1), np.int64), np.array([[1, 3]])])


def placing_calls(c):
    for dtype in DTYPES:
        x = block(dtype)
        mask = x.real > x.real.mean()
        v = block(dtype, (7,), 82)
        c.add(written("cp.put(y, {1, 60, 7}, x[2])"), [x, v], after(lambda y: np.put(y, [0, 59, 6], v), x))
        c.add(written("cp.putmask(y, x[2], x[3])"), [x, mask, v], after(lambda y: np.putmask(y, mask, v), x))
        c.add(written("cp.place(y, x[2], x[3])"), [x, mask, v], after(lambda y: np.place(y, mask, v), x))
        c.add(written("y[x[2]] = x[3]"), [x, mask, np.resize(v, mask.sum())], after(lambda y: y.__setitem__(mask, np.resize(v, mask.sum())), x))
        c.add(written("y[x[2]] = 1"), [x, mask], after(lambda y: y.__setitem__(mask, 1), x))
        most = x.real.argmax(1)[:, None]
        c.add(written("cp.put_along_axis(y, x[2], 0, 2)"), [x, most + 1], after(lambda y: np.put_along_axis(y, most, 0, 1), x))
        c.add(written("cp.copyto(y, x[2], {where = x[3]})"), [x, x[::-1].copy(), mask], after(lambda y: np.copyto(y, x[::-1], where=mask), x))
        for shape in ((3, 3), (5, 2), (2, 5), (3, 3, 3)):
            m = block(dtype, shape, 83)
            c.add(written("cp.fill_diagonal(y, 1)"), [m], after(lambda y: np.fill_diagonal(y, 1), m))
        if dtype != "bool":
            to = np.array([0, 2, 0, 1, 0, 2, 2])
            flat = x[:, 0, 0].copy()
            c.add(written("cp.scatter_add(y, x[2], x[3])"), [flat, to + 1, v], after(lambda y: np.add.at(y, to, v), flat))
            wide = block(dtype, (7, 5), 84)
            c.add(written("cp.scatter_add(y, x[2], x[3])"), [x[:, 0].copy(), to + 1, wide], after(lambda y: np.add.at(y, to, wide), x[:, 0]))
            if not dtype.startswith("complex"):
                for name, f in (("max", np.maximum), ("min", np.minimum)):
                    c.add(written("cp.scatter_%s(y, x[2], x[3])" % name), [flat, to + 1, v], after(lambda y: f.at(y, to, v), flat))
    m = np.zeros((7, 3))
    c.add(written("cp.fill_diagonal(y, x[2], true)"), [m, np.array([1.0, 2, 3])], after(lambda y: np.fill_diagonal(y, [1, 2, 3], True), m))


def position_calls(c):
    shape = (3, 4, 5)
    flat = np.array([[0, 59], [17, 33]])
    parts = np.unravel_index(flat, shape)
    c.add("(table.unpack or unpack)(cp.unravel_index(x[1], {3, 4, 5}))", [flat + 1], [p + 1 for p in parts])
    c.add('(table.unpack or unpack)(cp.unravel_index(x[1], {3, 4, 5}, "F"))', [flat + 1], [p + 1 for p in np.unravel_index(flat, shape, "F")])
    c.add("cp.ravel_multi_index({x[1], x[2], x[3]}, {3, 4, 5})", [p + 1 for p in parts], np.ravel_multi_index(parts, shape) + 1)
    c.add('cp.ravel_multi_index({x[1], x[2], x[3]}, {3, 4, 5}, nil, "F")', [p + 1 for p in parts], np.ravel_multi_index(parts, shape, order="F") + 1)
    over = (np.array([-4, 5]), np.array([7, 1]))
    for mode in ("wrap", "clip"):
        c.add('cp.ravel_multi_index({x[1], x[2]}, {3, 4}, "%s")' % mode, [p + 1 for p in over], np.ravel_multi_index(over, (3, 4), mode) + 1)
    one = np.zeros(1)
    for n, k, m in ((4, 0, 4), (4, 1, 3), (3, -1, 5), (2, 5, 2)):
        for f in ("tril", "triu"):
            c.add("(table.unpack or unpack)(cp.%s_indices(%d, %d, %d))" % (f, n, k, m), [one], [i + 1 for i in getattr(np, f + "_indices")(n, k, m)])
    c.add("(table.unpack or unpack)(cp.diag_indices(3, 3))", [one], [i + 1 for i in np.diag_indices(3, 3)])
    c.add("cp.indices({2, 3})", [one], np.indices((2, 3)) + 1)
    c.add("(table.unpack or unpack)(cp.ix_(x[1], x[2]))", [np.array([1, 3]), np.array([True, False, True])],
          [np.array([[1], [3]]), np.array([[1, 3]])])
    for dtype in DTYPES[1:9]:
        keys = np.sort(block(dtype, (12,), 85))
        v = block(dtype, (2, 5), 86)
        for side in ("left", "right"):
            c.add('cp.searchsorted(x[1], x[2], "%s")' % side, [keys, v], np.searchsorted(keys, v, side) + 1)
        a, b = block(dtype, (9,), 87) // 9, block(dtype, (9,), 88) // 9
        c.add("cp.lexsort{x[1], x[2]}", [a, b], np.lexsort((a, b)) + 1)
    keys = np.array([1, 2, 2, NAN])
    c.add("cp.searchsorted(x[1], x[2])", [keys, np.array([NAN, 3, -np.inf, 2])], np.searchsorted(keys, [NAN, 3, -np.inf, 2]) + 1)


def set_calls(c):
    for dtype in DTYPES:
        a, b = block(dtype, (4, 3), 89), block(dtype, (8,), 90)
        for f in ("intersect1d", "union1d", "setdiff1d", "setxor1d"):
            c.add("cp.%s(x[1], x[2])" % f, [a, b], getattr(np, f)(a, b))
            c.add("cp.%s(x[1], x[2])" % f, [a, b[:0]], getattr(np, f)(a, b[:0]))
        for invert in (False, True):
            c.add("cp.isin(x[1], x[2], nil, %s)" % str(invert).lower(), [a, b], np.isin(a, b, invert=invert))
        c.add("cp.isin(x[1], x[2])", [a, b[:0]], np.isin(a, b[:0]))
        values, index, inverse, counts = np.unique(a, True, True, True)
        c.add("cp.unique(x[1], true, true, true)", [a], [values, index + 1, inverse.reshape(a.shape) + 1, counts])
        c.add("cp.unique(x[1], {axis = 1})", [a % 2 if dtype[0] in "iu" else a], np.unique(a % 2 if dtype[0] in "iu" else a, axis=0))
    x = np.array([2, NAN, 1, NAN, -np.inf])
    c.add("cp.unique(x[1], {return_counts = true})", [x], list(np.unique(x, return_counts=True)))
    c.add("cp.unique(x[1], {equal_nan = false})", [x], np.unique(x, equal_nan=False))
    values, first, second = np.intersect1d([3, 1, 7, 1], [9, 1, 3], return_indices=True)
    c.add("cp.intersect1d(x[1], x[2], {return_indices = true})", [np.array([3, 1, 7, 1]), np.array([9, 1, 3])], [values, first + 1, second + 1])


def scan_calls(c):
    for dtype in DTYPES:
        x = block(dtype, (2, 3, 4)) % 5 if dtype[0] in "iu" else block(dtype, (2, 3, 4)) / (8 if dtype[0] in "fc" else 1)
        x = x.astype(dtype)
        exact = dtype[0] in "biu"
        for axis in (None, 0, 1, -1):
            for f in ("cumsum", "cumprod"):
                want = getattr(np, f)(x.astype("f4") if dtype == "float16" else x, axis)
                want = want if exact else want.astype(dtype)
                scale = None if exact else np.full(want.shape, 64 * max(1, np.abs(want.astype("c16")).max()))
                c.add("cp.%s(x[1], %s)" % (f, text(axis)), [x], want, scale)
        for n, axis in ((1, -1), (2, 1), (1, 0)):
            c.add("cp.diff(x[1], %d, %s)" % (n, text(axis)), [x], np.diff(x, n, axis))
    y = np.array([[1, NAN, 2.5], [NAN, -4, 0.5]])
    for axis in (None, 0, 1):
        for f in ("nancumsum", "nancumprod"):
            c.add("cp.%s(x[1], %s)" % (f, text(axis)), [y], getattr(np, f)(y, axis), 8)
        for f in ("cumsum", "cumprod"):
            c.add("cp.%s(x[1], %s)" % (f, text(axis)), [y], getattr(np, f)(y, axis), 8)
    empty = np.zeros((0, 3), np.float32)
    for f in ("cumsum", "cumprod"):
        for axis in (None, 0, 1):
            c.add("cp.%s(x[1], %s)" % (f, text(axis)), [empty], getattr(np, f)(empty, axis))
    c.add("cp.diff(x[1], {prepend = 0, append = x[2]})", [np.arange(6).reshape(2, 3) ** 2, np.array([[9], [7]])],
          np.diff(np.arange(6).reshape(2, 3) ** 2, prepend=0, append=[[9], [7]]))
    c.add("cp.ediff1d(x[1])", [np.array([[4, 1], [9, 2]], np.int16)], np.ediff1d(np.array([[4, 1], [9, 2]], np.int16)))


def mean_calls(c):
    for dtype in ("int32", "float32", "float64", "complex128"):
        x = block(dtype, (3, 4, 5)) - 20
        w = np.arange(1, 61).reshape(3, 4, 5) / 8
        for axis in (None, 0, 2, (0, 2)):
            for keep in (False, True):
                want = np.average(x, axis, w, keepdims=keep)
                c.add("cp.average(x[1], {axis = %s, weights = x[2], keepdims = %s})" % (text(axis), str(keep).lower()), [x, w], want, np.full(np.shape(want), 4e3))
        if dtype.startswith("complex"):
            continue
        for axis in (None, 0, 1, 2, (0, 1)):
            for keep in (False, True):
                options = "{axis = %s, keepdims = %s}" % (text(axis), str(keep).lower())
                c.add("cp.median(x[1], %s)" % options, [x], np.median(x, axis, keepdims=keep), 1)
                c.add("cp.ptp(x[1], %s)" % options, [x], np.ptp(x, axis, keepdims=keep))
                want = np.percentile(x, 30, axis, keepdims=keep)
                c.add("cp.percentile(x[1], 30, %s)" % options, [x], want, np.full(np.shape(want), 80.0))
    for f in ("nanargmax", "nanargmin"):
        y = np.array([[1, NAN, 2.5], [NAN, -4, 0.5]])
        for axis in (None, 0, 1):
            c.add("cp.%s(x[1], %s)" % (f, text(axis)), [y], getattr(np, f)(y, axis) + 1)
    c.add("cp.bincount(x[1])", [np.zeros(0, np.int64)], np.bincount(np.zeros(0, np.int64)))
    c.add("cp.bincount(x[1], {minlength = 3})", [np.zeros(0, np.int64)], np.bincount(np.zeros(0, np.int64), minlength=3))
    c.add("cp.histogram(x[1], 3)", [np.zeros(0)], list(np.histogram(np.zeros(0), 3)), 4)
    c.add("cp.digitize(x[1], x[2])", [np.array([NAN, np.inf, -np.inf, 1]), np.array([0.0, 1, 2])], np.digitize([NAN, np.inf, -np.inf, 1], [0.0, 1, 2]) + 1)


def product_calls(c):
    for dtype in DTYPES:
        x, y = block(dtype, (2, 3, 4), 91), block(dtype, (2, 4), 92)
        x, y = (x % 7, y % 7) if dtype[0] in "iu" else (x, y)
        scale = None if dtype[0] in "biu" else np.float64(1)
        def near(expression, inputs, want):
            c.add(expression, inputs, want, None if scale is None else np.full(np.shape(want), 64.0 * max(1, np.abs(want.astype("c16")).max(initial=0))))
        def product(f, a, b):
            return f(a.astype("f4"), b.astype("f4")).astype("f2") if dtype == "float16" else f(a, b)
        near("cp.matvec(x[1], x[2])", [x, y], product(np.matvec, x, y))
        near("cp.vecmat(x[1], x[2])", [y[:, :3], x], product(np.vecmat, y[:, :3], x))
        near("cp.vecdot(x[1], x[2])", [x, y[:, None]], product(np.vecdot, x, y[:, None]))
        near("cp.matmul(x[1], x[2])", [x, np.swapaxes(x, 1, 2)], product(np.matmul, x, np.swapaxes(x, 1, 2)))
        near("cp.inner(x[1], x[2])", [x, y], product(np.inner, x, y))
        near("cp.outer(x[1], x[2])", [y, y[0]], product(np.outer, y, y[0]))
        near("cp.kron(x[1], x[2])", [y, y[:1, :2]], product(np.kron, y, y[:1, :2]))
    for a, b in (((0, 3), (3, 2)), ((2, 0), (0, 3)), ((3, 0, 2), (2, 4)), ((0,), (0,))):
        c.add("cp.matmul(x[1], x[2])", [np.zeros(a), np.zeros(b)], np.matmul(np.zeros(a), np.zeros(b)))
    m = np.array([[1, NAN], [np.inf, 2]])
    c.add("cp.matmul(x[1], x[2])", [m, np.ones((2, 2))], np.matmul(m, np.ones((2, 2))))


def write():
    c = Calls()
    with np.errstate(all="ignore"):
        for f in (taking_calls, placing_calls, position_calls, set_calls, scan_calls, mean_calls, product_calls,
                  empty_mask_calls):
            f(c)
    c.write("indexing/selection")


if __name__ == "__main__":
    write()
