"""Golden calls of blocks, bits, forms of arrays, values beside others and polynomials as objects, from NumPy: `forms`."""

import numpy as np

from calls import Calls

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
NAN, INF = np.nan, np.inf


def both(c, name, x, want):
    """The call as a function and as a method."""
    c.add("cp.%s(x[1])" % name, [x], want)
    c.add("x[1]:%s()" % name, [x], want)


def block_calls(c):
    a, b = np.arange(4.0).reshape(2, 2), np.array([[5, 6, 7], [8, 9, 1]], np.int16)
    d, e, v = np.ones((1, 2), np.float32), np.array([[1j, 2, 3]], np.complex64), np.array([1, 2, 3], np.int8)
    c.add("cp.block{{x[1], x[2]}, {x[3], x[4]}}", [a, b, d, e], np.block([[a, b], [d, e]]))
    c.add("cp.block{x[1], x[2]}", [a, b], np.block([a, b]))
    c.add("cp.block{{x[1]}, {x[2]}}", [a, d], np.block([[a], [d]]))
    c.add("cp.block{x[1], x[1]}", [v], np.block([v, v]))
    c.add("cp.block{{x[1], x[1]}, {x[1], x[1]}}", [v], np.block([[v, v], [v, v]]))
    c.add("cp.block{{x[1]}, {x[2]}}", [v, b], np.block([[v], [b]]))
    c.add("cp.block(x[1])", [b], np.block(b))
    c.add("cp.block{{{x[1], x[1]}, {x[1], x[1]}}, {{x[1], x[1]}, {x[1], x[1]}}}", [a], np.block([[[a, a], [a, a]], [[a, a], [a, a]]]))
    cube = np.arange(8, dtype=np.int32).reshape(2, 2, 2)
    c.add("cp.block{{x[1], x[1]}, {x[1], x[1]}}", [cube], np.block([[cube, cube], [cube, cube]]))
    c.add("cp.block{x[1], 5.5, x[1]}", [np.arange(3.0)], np.block([np.arange(3.0), 5.5, np.arange(3.0)]))
    c.add("cp.block{{x[1], x[2]}, {x[2], x[1]}}", [np.array(3, "i8"), np.array(4, "i8")], np.block([[3, 4], [4, 3]]))
    c.add("cp.block{x[1], x[2]}", [np.zeros((2, 0)), a], np.block([np.zeros((2, 0)), a]))


def bits_calls(c):
    rng = np.random.default_rng(81)
    for dtype in ["bool"] + INTEGERS:
        x = (rng.integers(0, 3, (3, 19)) * (1 if dtype == "bool" else 60)).astype(dtype)
        for order in ("big", "little"):
            c.add('cp.packbits(x[1], {bitorder = "%s"})' % order, [x], np.packbits(x != 0, bitorder=order))
            c.add('x[1]:packbits(2, "%s")' % order, [x], np.packbits(x != 0, 1, order))
        c.add("cp.packbits(x[1], -2)", [x], np.packbits(x != 0, -2))
    for n in (0, 1, 7, 8, 9, 16, 70):
        c.add("cp.packbits(x[1])", [np.arange(n) % 3 == 0], np.packbits(np.arange(n) % 3 == 0))
    c.add("cp.packbits(x[1])", [np.array(True)], np.packbits(np.array([True])))
    c.add("cp.packbits(x[1], 1)", [np.zeros((0, 3), bool)], np.packbits(np.zeros((0, 3), bool), 0))
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        x = np.concatenate([rng.integers(info.min, info.max, 20, dtype, endpoint=True), np.array([0, 1, info.min, info.max, info.max - 1], dtype)])
        both(c, "bitwise_count", x, np.bitwise_count(x))
    both(c, "bitwise_count", np.array([[True], [False]]), np.array([[1], [0]], np.uint8))
    x = rng.integers(0, 256, (2, 3, 2)).astype(np.uint8)
    for order in ("big", "little"):
        c.add('cp.unpackbits(x[1], {bitorder = "%s"})' % order, [x], np.unpackbits(x, bitorder=order))
        for axis in (0, 1, -1):
            text = axis + 1 if axis >= 0 else axis
            c.add('x[1]:unpackbits{axis = %d, bitorder = "%s"}' % (text, order), [x], np.unpackbits(x, axis, bitorder=order))
            for count in (0, 3, 16, 40, -5, -16):
                c.add("cp.unpackbits(x[1], %d, %d, \"%s\")" % (text, count, order), [x], np.unpackbits(x, axis, count, order))
    c.add("cp.unpackbits(x[1])", [np.array(5, np.uint8)], np.unpackbits(np.array([5], np.uint8)))
    c.add("cp.unpackbits(x[1])", [np.zeros(0, np.uint8)], np.unpackbits(np.zeros(0, np.uint8)))


def value_calls(c):
    for dtype in ("float16", "float32", "float64"):
        info = np.finfo(dtype)
        x = np.array([0, -0.0, 1, -1, 2, -2.5, 1000, info.tiny, -info.tiny, info.smallest_subnormal, info.max, -info.max, NAN, INF, -INF]).astype(dtype)
        # NumPy's of float16 goes towards +inf below 0
        c.add("cp.spacing(x[1])", [x], np.nextafter(x, np.where(x < 0, -INF, INF).astype(dtype)) - x if dtype == "float16" else np.spacing(x))
    for dtype in ("bool", "int8", "int32"):
        x = np.array([0, 1, 1, 0]).astype(dtype)
        c.add("cp.spacing(x[1])", [x], np.spacing(x))
    for dtype in ("complex64", "complex128"):
        eps = np.finfo(dtype).eps
        for imag in (0, 50 * eps, 99 * eps, 101 * eps, 1):
            z = (np.array([[1.5, -2], [3, 0]]) + 1j * imag * np.array([[1, 0], [-1, 0.5]])).astype(dtype)
            c.add("cp.real_if_close(x[1])", [z], np.real_if_close(z))
            c.add("cp.real_if_close(x[1], 2)", [z], np.real_if_close(z, 2))
            c.add("cp.real_if_close(x[1], 0.5)", [z], np.real_if_close(z, 0.5))
    for x in (np.arange(3), np.zeros((0,), np.complex64), np.array([1 + NAN * 1j])):
        c.add("cp.real_if_close(x[1])", [x], np.real_if_close(x))
    x = np.arange(24.0).reshape(2, 3, 4)
    for axes, text in (((0, 2), "{1, 3}"), ((1,), "2"), ((), "{}"), ((-1, 0), "{-1, 1}")):
        c.add("cp.apply_over_axes(cp.sum, x[1], %s)" % text, [x], np.apply_over_axes(np.sum, x, axes))
    c.add("cp.apply_over_axes(function(a, k) return a:max{axis = k, keepdims = true} end, x[1], {1, 2})", [x], np.apply_over_axes(np.max, x, (0, 1)))


def fitting_calls(c):
    """polyfit with what it tells beside the coefficients; joining of flat arrays and axes in front."""
    rng = np.random.default_rng(83)
    x = np.arange(9) / 2
    y = np.stack([x**2 - 3 * x + 1, 2 - x], 1) + rng.integers(-4, 5, (9, 2)) / 16
    w = 1 + np.arange(9) % 3

    def near(expression, inputs, want):
        c.add(expression, inputs, want, np.float64(1e5) * max(1, max(np.abs(v).max(initial=0) for v in want)))

    for data in (y[:, 0].copy(), y):
        near("cp.polyfit(x[1], x[2], 2, {cov = true})", [x, data], list(np.polyfit(x, data, 2, cov=True)))
        near('cp.polyfit(x[1], x[2], 2, {w = x[3], cov = "unscaled"})', [x, data, w], list(np.polyfit(x, data, 2, w=w, cov="unscaled")))
        coefficients, residuals, rank, s, rcond = np.polyfit(x, data, 2, full=True)
        near("(function(c, r, rank, s) return c, r, s end)(cp.polyfit(x[1], x[2], 2, {full = true}))", [x, data], [coefficients, residuals, s])
    a, b = np.arange(6, dtype=np.int16).reshape(2, 3), np.array([[1.5], [2]], np.float32)
    c.add("cp.concatenate({x[1], x[2]}, false)", [a, b], np.concatenate([a, b], None))
    c.add("cp.concatenate({x[1], 7}, {axis = false})", [a], np.concatenate([a, np.int16(7)], None))
    for n in (0, 1, 2, 4):
        c.add("cp.array(x[1], {ndmin = %d})" % n, [a], np.array(a, ndmin=n))
        c.add("cp.array(x[1], {ndmin = %d})" % n, [np.float32(3)], np.array(np.float32(3), ndmin=n))
    c.add('cp.array({1, 2}, {ndmin = 2, dtype = "int8"})', [a], np.array([1, 2], np.int8, ndmin=2))


def view_calls(c):
    """The same bytes under another dtype."""
    rng = np.random.default_rng(82)
    base = rng.integers(0, 256, (3, 16)).astype(np.uint8)
    names = INTEGERS + ["float16", "float32", "float64", "complex64", "complex128"]
    for source in names:
        x = (base & 0x3B).view(source)  # no nan, whose bits may change on their way
        for target in names:
            c.add('x[1]:copy():view("%s")' % target, [x], x.view(target))
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for lua, got in (('x[1]:copy()["::-1, :, 3:4"]:view("int64")', x[::-1, :, 2:4].view("i8")), ('x[1]:copy()[{1, {}, 2}]:view("int32")', x[0, :, 1].view("i4")),
                     ('x[1]:copy().T:view("uint32")', x.T.view("u4")), ('x[1]:view()', x.view()), ('x[1]:copy()[{{}, {2, 1}}]:view("int8")', x[:, 1:1].view("i1"))):
        c.add(lua, [x], got)
    c.add('x[1]:view("int32")', [np.array(1.5, np.float32)], np.array(1.5, np.float32).view("i4"))
    both(c, "matrix_transpose", x, np.matrix_transpose(x))
    c.add("x[1].mT", [x], np.matrix_transpose(x))


def poly1d_calls(c):
    p, q = np.array([2.0, -3, 0, 5]), np.array([0, 0, 1.0, -2])
    for dtype in ("int64", "float32", "float64", "complex128"):  # NumPy's dtypes are wider: those of polyder and p ^ n
        a, b = p.astype(dtype), q.astype(dtype)
        if dtype == "complex128":
            a, b = a * (1 - 2j), b + 1j
        A, B = np.poly1d(a), np.poly1d(b)
        x = np.array([[0, 1.5], [-2, 3]]).astype(dtype)
        for text, want in (("p + q", A + B), ("p - q", A - B), ("p * q", A * B), ("q * q", B * B), ("-p", -A), ("p ^ 0", A**0), ("p ^ 1", A**1),
                           ("p ^ 3", A**3), ("p - p", A - A), ("p(q)", A(B)), ("p:deriv()", A.deriv()), ("p:deriv(2)", A.deriv(2)),
                           ("p:deriv(9)", A.deriv(9)), ("p + {1, 2}", A + np.array([1.0, 2]))):
            c.add("(function(p, q) return (%s).c end)(cp.poly1d(x[1]), cp.poly1d(x[2]))" % text, [a, b], want.c if "{" in text else want.c.astype(dtype))
        c.add("cp.poly1d(x[1])(x[2])", [a, x], A(x), 4)
        c.add("cp.polyval(cp.poly1d(x[1]), x[2])", [a, x], np.polyval(A, x), 4)
        if dtype != "int64":
            c.add("(cp.poly1d(x[1]) * 2).c", [a], (A * 2).c)
            c.add("(2 + cp.poly1d(x[1])).c", [a], (2 + A).c)
            c.add("(cp.poly1d(x[1]) / 2).c", [a], (A / 2).c, 1)
            quotient, rest = A / B
            c.add("(cp.poly1d(x[1]) / cp.poly1d(x[2])).c", [a, b], quotient.c, 8)
            c.add("(cp.poly1d(x[1]) % cp.poly1d(x[2])).c", [a, b], rest.c, 64)
            for m, k, text in ((1, 0, ""), (2, 0, "2"), (1, 7, "1, 7"), (2, [1, 2], "2, {1, 2}")):
                c.add("cp.poly1d(x[1]):integ(%s).c" % text, [a], A.integ(m, k).c.astype(dtype), 2)
    for roots in ([1.0, 2, -3], [0.0, 0, 4], []):
        c.add("cp.poly1d(x[1], true).c", [np.array(roots)], np.poly1d(roots, True).c.astype(float), 4)
    c.add("cp.sort(cp.poly1d(x[1]).r)", [np.array([1.0, -6, 11, -6])], np.array([1.0, 2, 3]), np.full(3, 64.0))
    for zeros in ([0.0, 0], [0.0], []):
        c.add("cp.poly1d(x[1]).c", [np.array(zeros)], np.poly1d(zeros).c)
    c.add("cp.poly1d(x[1]).c", [np.array(4.0)], np.poly1d(4.0).c)


def tested_calls(c):
    """Forms that NumPy's own tests use."""
    inf, nan = np.inf, np.nan
    x = np.array([[nan, nan, inf, nan], [nan, inf, inf, -inf], [inf, 7, -inf, -9], [nan, 4, nan, 1], [nan, nan, nan, nan]])
    for dtype in ("float64", "float32"):
        y = x.astype(dtype)
        for axis, text in ((0, "1"), (1, "2"), (None, "nil")):
            c.add("cp.nanmedian(x[1], %s)" % text, [y], np.nanmedian(y, axis), np.full(np.shape(np.nanmedian(y, axis)), 8.0))
    z = np.array([1 + 2j, nan + 1j, 5 - 1j, 5 + 3j, 2 + nan * 1j])
    c.add("cp.nanargmax(x[1])", [z], np.nanargmax(z) + 1)
    c.add("cp.nanargmin(x[1])", [z], np.nanargmin(z) + 1)
    u = np.array([nan, 0, 3, nan, 0.0])
    c.add("cp.unique(x[1], {axis = 1, return_index = true, return_counts = true, sorted = true})", [u],
          [v + k % 2 for k, v in enumerate(np.unique(u, return_index=True, return_counts=True, axis=0))])
    for shape in ((2, 0), (0, 2, 0, 3), (3, 2, 0), (0,)):
        e = np.zeros(shape, "int8")
        for axis in range(len(shape)):
            values, index, inverse, counts = np.unique(e, True, True, True, axis)
            c.add("cp.unique(x[1], true, true, true, %d)" % (axis + 1), [e], [values, index + 1, inverse.reshape(-1) + 1, counts])
    c.add('cp.isin(x[1], {3, 0}, {kind = "table", invert = true})', [u], np.isin(u, [3, 0], invert=True))
    t = np.zeros((4, 5, 3), "int32")
    t[1, 2:4, 1:] = [[1, 0], [0, 7]]
    for trim in ("fb", "f", "b"):
        for axis, text in ((None, "nil"), (0, "1"), (1, "2"), ((0, 2), "{1, 3}"), ((), "{axis = {}}")):
            c.add('cp.trim_zeros(x[1], "%s", %s)' % (trim, text), [t], np.trim_zeros(t, trim, axis))
    c.add("cp.trim_zeros(x[1])", [t * 0], np.trim_zeros(t * 0))
    c.add("cp.trim_zeros(x[1], {axis = 2})", [t * 0], np.trim_zeros(t * 0, axis=1))
    c.add("cp.trim_zeros(x[1])", [np.float32(0)], np.float32(0))
    a, w = np.arange(12.0).reshape(2, 2, 3), np.arange(1.0, 7).reshape(2, 3)
    for axes in ((0, 2), (1, 2), (2, 0)):
        v = w.T if axes == (2, 0) else w
        c.add("cp.average(x[1], {axis = {%d, %d}, weights = x[2]})" % tuple(k + 1 for k in axes), [a, v],
              np.average(a, axis=axes, weights=v), 4)
    base = np.array([2.0, 10])
    for start in (1, np.array([0.0, 1]), np.array([[1.0], [2]])):
        for axis in (0, -1):
            want = np.logspace(start, 3, 4, base=base, axis=axis)
            c.add("cp.logspace(x[1], 3, 4, {base = x[2], axis = %d})" % (axis + (axis == 0)), [start, base], want, 4)
    for start, stop in ((-1, 1), (1, -8)):
        want = np.geomspace(start, stop, 4, dtype=complex)
        c.add('cp.geomspace(%d, %d, 4, {dtype = "complex128"})' % (start, stop), [a], want, np.full(4, 64.0))
    c.add("cp.delete(x[1], x[2])", [a, np.array([[1, 3], [5, 12]])], np.delete(a, [[0, 2], [4, 11]]))
    c.add("cp.delete(x[1], x[2], 3)", [a, np.array([[1], [3]])], np.delete(a, [[0], [2]], 2))
    c.add('cp.pad(x[1], x[2], "edge")', [w, np.array([[1, 0], [2, 1]])], np.pad(w, [[1, 0], [2, 1]], "edge"))
    c.add("cp.ediff1d(x[1], {7, 8}, -9)", [np.arange(4, dtype="int16")], np.ediff1d(np.arange(4, dtype="int16"), [7, 8], -9))


def write():
    c = Calls()
    with np.errstate(all="ignore"):
        for f in (block_calls, bits_calls, value_calls, fitting_calls, view_calls, poly1d_calls, tested_calls):
            f(c)
    c.write("arrays/forms")


if __name__ == "__main__":
    write()
