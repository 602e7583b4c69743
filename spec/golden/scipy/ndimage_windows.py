"""Golden calls of cp.scipy.ndimage, from SciPy: rank filters, morphology, and other filters with axes: `ndimage_windows`."""

import numpy as np
from scipy import ndimage

from calls import Calls
from scipy_calls import near, whole

N = "cp.scipy.ndimage."
MODES = ["reflect", "mirror", "nearest", "wrap", "constant"]
DTYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float16, np.float32, np.float64]


def lua(v):
    if isinstance(v, bool):
        return str(v).lower()
    if isinstance(v, str):
        return '"%s"' % v
    if isinstance(v, (tuple, list)):
        return "{%s}" % ", ".join(lua(e) for e in v)
    return repr(v)


def call(c, name, inputs, options, want=None, to=None, names=()):
    """A call of the function `name` with x[1], and further arrays as options called `names`; axes count from 1."""
    shown = dict(options)
    if "axes" in shown:
        shown["axes"] = [a + 1 if a >= 0 else a for a in shown["axes"]]
    text = ["%s = %s" % (k, lua(v)) for k, v in shown.items()] + ["%s = x[%d]" % (k, i + 2) for i, k in enumerate(names)]
    given = {**options, **dict(zip(names, inputs[1:]))}
    x = inputs[0].astype(np.float32) if inputs[0].dtype == np.float16 else inputs[0]
    want = getattr(ndimage, name)(x, **given) if want is None else want
    if inputs[0].dtype == np.float16:
        want = want.astype(np.float16)
    expression = "%s%s(x[1]%s)" % (N, name, text and ", {%s}" % ", ".join(text) or "")
    if to:
        near(c, expression, inputs, want, to)
    else:
        c.add(expression, inputs, want)


def rank_calls(c):
    x = whole((6, 9), 1)
    for mode in MODES:
        for name in ("median_filter", "maximum_filter", "minimum_filter"):
            for size, origin in (((3, 3), 0), ((4, 5), (1, -2)), ((1, 7), (0, 3)), ((9, 2), 0), ((13, 25), 0)):
                if mode in ("constant", "reflect") or size[0] < 9:
                    call(c, name, [x], dict(size=size, origin=origin, mode=mode, cval=4.0))
        for rank in (1, 3, 8, 13, -2, -5):
            call(c, "rank_filter", [x], dict(rank=rank, size=(3, 5), mode=mode, cval=-3.0))
        call(c, "percentile_filter", [x], dict(percentile=30, size=5, mode=mode))
    for percentile in (0, 100, -20, 71.5):
        call(c, "percentile_filter", [x], dict(percentile=percentile, size=3))
    for dtype in DTYPES:
        y = whole((5, 40), 2, np.float64, 0, 120).astype(dtype)
        call(c, "median_filter", [y], dict(size=3))
        call(c, "rank_filter", [y], dict(rank=20, size=(5, 7)))
        call(c, "rank_filter", [y], dict(rank=100, size=(9, 15)))
        call(c, "maximum_filter", [y], dict(size=(2, 4)))
    b = whole((5, 8), 3, np.float64, 0, 2) > 0
    call(c, "median_filter", [b], dict(size=3))
    call(c, "minimum_filter", [b], dict(size=2))
    big = np.array([[2**62, 2**62 + 1, -2**62], [5, -2**63, 2**63 - 1], [0, 1, 2]])
    call(c, "median_filter", [big], dict(size=3))
    foot = np.array([[0, 1, 1], [1, 0, 1]])
    for name, options in (("median_filter", {}), ("maximum_filter", {}), ("minimum_filter", {}), ("rank_filter", dict(rank=2)),
                          ("rank_filter", dict(rank=-1)), ("percentile_filter", dict(percentile=60))):
        for mode in ("reflect", "constant", "wrap"):
            call(c, name, [x, foot], dict(options, mode=mode, origin=(0, 1), cval=1.0), names=["footprint"])
    t = whole((4, 5, 6), 4)
    for name in ("median_filter", "maximum_filter"):
        call(c, name, [t], dict(size=(2, 3), axes=(0, 2)))
        call(c, name, [t], dict(size=3, axes=(1,), mode="mirror"))
        call(c, name, [t], dict(size=(3, 2, 2)))
        call(c, name, [t, foot], dict(axes=(2, 1), origin=(0, -1)), want=getattr(ndimage, name)(
            np.ascontiguousarray(t.transpose(0, 2, 1)), footprint=foot, axes=(1, 2), origin=(0, -1)).transpose(0, 2, 1), names=["footprint"])
    call(c, "maximum_filter", [x], dict(size=(3, 4), mode=("wrap", "nearest")))
    call(c, "maximum_filter", [whole(20, 5)], dict(size=7))
    call(c, "median_filter", [whole(20, 5)], dict(size=7))
    for name in ("maximum_filter1d", "minimum_filter1d"):
        for axis in (0, 1):
            want = getattr(ndimage, name)(x, 4, axis, mode="wrap", origin=1)
            c.add('%s%s(x[1], 4, %d, nil, "wrap", nil, 1)' % (N, name, axis + 1), [x], want)
    u = whole((6, 8), 6, np.uint8, 0, 200)
    c.add(N + 'maximum_filter(x[1], {size = 3, mode = "constant", cval = 250.5})', [u], ndimage.maximum_filter(u, 3, mode="constant", cval=250.5))
    c.add(N + 'median_filter(x[1], 3, nil, "float32")', [u], ndimage.median_filter(u, 3, output=np.float32))
    c.add(N + "median_filter(x[1], 3)", [np.zeros((0, 4))], np.zeros((0, 4)))


def binary_calls(c):
    x = np.random.default_rng(10).random((9, 12)) < 0.7
    s = np.array([[1, 1, 0], [1, 1, 1]], bool)
    even = np.array([[0, 1, 1, 0], [1, 1, 1, 1]], bool)
    mask = np.random.default_rng(11).random((9, 12)) < 0.6
    for name in ("binary_erosion", "binary_dilation", "binary_opening", "binary_closing"):
        for border in (0, 1):
            call(c, name, [x], dict(border_value=border))
            call(c, name, [x], dict(border_value=border, iterations=2))
            call(c, name, [x, s], dict(border_value=border), names=["structure"])
            call(c, name, [x, s], dict(border_value=border, origin=(0, 1)), names=["structure"])
            call(c, name, [x, even], dict(border_value=border, iterations=3), names=["structure"])
            call(c, name, [x, mask], dict(border_value=border), names=["mask"])
        call(c, name, [x, mask], dict(iterations=2), names=["mask"])
        call(c, name, [x, np.ones((3, 5), bool)], {}, names=["structure"])
        call(c, name, [whole((3, 8), 12, np.int16, -1, 2)], {})
        t = np.random.default_rng(13).random((4, 5, 6)) < 0.6
        call(c, name, [t], dict(axes=(0, 2)))
        call(c, name, [t], {})
    for name in ("binary_erosion", "binary_dilation"):
        for border in (0, 1):
            call(c, name, [x & mask, mask], dict(iterations=-1, border_value=border), names=["mask"])
            call(c, name, [x, s], dict(iterations=-1, border_value=border), names=["structure"])
            call(c, name, [x], dict(iterations=-1, border_value=border))
    seeds = np.zeros((9, 12), bool)
    seeds[4, 5] = seeds[0, 0] = True
    for border in (0, 1):
        call(c, "binary_propagation", [seeds, mask], dict(border_value=border), names=["mask"])
        call(c, "binary_propagation", [seeds, mask, np.ones((3, 3), bool)], dict(border_value=border), names=["mask", "structure"])
    ring = np.random.default_rng(14).random((12, 15)) < 0.55
    call(c, "binary_fill_holes", [ring], {})
    call(c, "binary_fill_holes", [ring, np.ones((3, 3), bool)], {}, names=["structure"])
    call(c, "binary_hit_or_miss", [x], {})
    call(c, "binary_hit_or_miss", [x, s], dict(origin1=(0, 1)), names=["structure1"])
    call(c, "binary_hit_or_miss", [x, np.array([[1, 0], [0, 1]], bool), np.array([[0, 1], [0, 0]], bool)], {}, names=["structure1", "structure2"])
    for rank, connectivity in ((1, 1), (2, 1), (2, 2), (3, 2), (0, 1)):
        c.add("%sgenerate_binary_structure(%d, %d)" % (N, rank, connectivity), [x], ndimage.generate_binary_structure(rank, connectivity))
    for n in (1, 2, 4):
        c.add("%siterate_structure(x[1], %d)" % (N, n), [s], ndimage.iterate_structure(s, n))
    c.add("(%siterate_structure(x[1], 3, {0, 1}))" % N, [s], ndimage.iterate_structure(s, 3, (0, 1))[0])


def grey_calls(c):
    x = whole((7, 9), 20)
    foot, shape = np.array([[0, 1, 0], [1, 1, 1]], bool), np.array([[0.5, 1, 0], [2, 3, -1.5]])
    u = whole((7, 9), 21, np.uint8, 10, 200)
    for name in ("grey_erosion", "grey_dilation", "grey_opening", "grey_closing", "morphological_gradient", "morphological_laplace",
                 "white_tophat", "black_tophat"):
        for mode in MODES:
            call(c, name, [x], dict(size=(3, 4), mode=mode, cval=2.0))
        call(c, name, [x, foot], dict(origin=(0, -1)), names=["footprint"])
        call(c, name, [x, shape], dict(mode="mirror"), names=["structure"])
        call(c, name, [x, foot, shape], {}, names=["footprint", "structure"])
        call(c, name, [u], dict(size=3))
        call(c, name, [whole((3, 4, 5), 22)], dict(size=(2, 3), axes=(0, 2)))
    b = whole((5, 6), 23) > 0
    for name in ("grey_erosion", "white_tophat", "black_tophat"):
        call(c, name, [b], dict(size=2))


def filter_calls(c):
    t = whole((4, 5, 6), 30)
    w = whole((2, 3), 31)
    for name in ("correlate", "convolve"):
        call(c, name, [t, w], dict(axes=(0, 2), origin=(0, 1)), names=["weights"])
    call(c, "gaussian_filter", [t], dict(sigma=(1, 0.5), axes=(0, 2)), to=256)
    call(c, "gaussian_filter", [t], dict(sigma=1.0, mode=("wrap", "nearest", "mirror")), to=256)
    call(c, "gaussian_filter", [t], dict(sigma=1.0, radius=(1, 2, 3)), to=256)
    call(c, "uniform_filter", [t], dict(size=(2, 3), axes=(2, 1)), to=256)
    call(c, "laplace", [t], dict(axes=(1,)))
    x = whole((7, 8), 32)
    for mode in ("reflect", "constant"):
        call(c, "gaussian_laplace", [x], dict(sigma=1.2, mode=mode), to=256)
        call(c, "gaussian_gradient_magnitude", [x], dict(sigma=(1.0, 2.0), mode=mode), to=256)
    call(c, "gaussian_laplace", [t], dict(sigma=1.0, axes=(0, 1), truncate=2.0), to=256)
    call(c, "gaussian_gradient_magnitude", [t], dict(sigma=1.0, axes=(2,)), to=256)
    modes = ("wrap", "nearest", "mirror")
    for name in ("gaussian_laplace", "gaussian_gradient_magnitude"):
        call(c, name, [t], dict(sigma=(0.5, 1.0, 1.5), mode=modes), to=256)
    for name, options in (("laplace", dict(mode=modes)), ("laplace", dict(axes=(2, 0), mode=modes[:2])), ("sobel", dict(mode=modes)), ("prewitt", dict(mode=modes))):
        call(c, name, [t], options)
    z = (x + 1j * whole((7, 8), 34)).astype(np.complex64)
    for name, weights in (("correlate", w), ("convolve", w - 2j * w[:, ::-1]), ("correlate", w + 1j), ("convolve1d", w[0]), ("correlate1d", w[1] - 1j)):
        c.add(N + "%s(x[1], x[2], {mode = 'constant', cval = cp.complex(2, -1)})" % name, [z, weights], getattr(ndimage, name)(z, weights, mode="constant", cval=2 - 1j))
    near(c, N + "generic_laplace(x[1], function(v, axis, o, m, k) return cp.scipy.ndimage.gaussian_filter1d(v, 1, axis, 2, o, m, k) end)", [x],
         ndimage.generic_laplace(x, lambda v, axis, o, m, k: ndimage.gaussian_filter1d(v, 1, axis, 2, o, m, k)))
    near(c, N + "generic_gradient_magnitude(x[1], cp.scipy.ndimage.sobel)", [x], ndimage.generic_gradient_magnitude(x, ndimage.sobel))
    for mode in MODES:
        near(c, N + 'generic_filter(x[1], function(w) return w:std(-1) end, {size = {3, 2}, mode = "%s", cval = 1})' % mode, [x],
             ndimage.generic_filter(x, np.std, (3, 2), mode=mode, cval=1.0))
    foot = np.array([[0, 1, 1], [1, 1, 0]])
    near(c, N + "generic_filter(x[1], function(w) return w:max(-1) - w:min(-1) end, {footprint = x[2], origin = {0, 1}})", [x, foot],
         ndimage.generic_filter(x, np.ptp, footprint=foot, origin=(0, 1)))
    near(c, N + "generic_filter(x[1], function(w) return w:sum(-1) end, {size = 3, axes = {1, 3}})", [t], ndimage.generic_filter(t, np.sum, 3, axes=(0, 2)))
    i = whole((5, 6), 33, np.int32)
    c.add(N + "generic_filter(x[1], function(w) return w:mean(-1) end, 3)", [i], ndimage.generic_filter(i, np.mean, 3))

    def steps(line, out):
        out[...] = line[2:] - line[:-2]
    for axis in (0, 1):
        c.add(N + "generic_filter1d(x[1], function(l) local n = l.shape[l.ndim]; return l[{cp.ellipsis, {3, n}}] - l[{cp.ellipsis, {1, n - 2}}] end, 3, %d)" % (axis + 1),
              [x], ndimage.generic_filter1d(x, steps, 3, axis))


def fourier_calls(c):
    for shape in ((7,), (6, 5), (4, 3, 5)):
        z = whole(shape, 40) + 1j * whole(shape, 41)
        for name, value in (("fourier_gaussian", 1.5), ("fourier_uniform", 3.0), ("fourier_ellipsoid", 2.5), ("fourier_shift", 1.25)):
            f = getattr(ndimage, name)
            near(c, "%s%s(x[1], %g)" % (N, name, value), [z], f(z, value))
            values = [value + 0.5 * d for d in range(len(shape))]
            near(c, "%s%s(x[1], %s)" % (N, name, lua(values)), [z], f(z, values))
            near(c, "%s%s(x[1], %g, 8)" % (N, name, value), [z], f(z, value, 8))
    x = whole((4, 6), 42)
    near(c, N + "fourier_gaussian(x[1], 1)", [x], ndimage.fourier_gaussian(x, 1))
    near(c, N + "fourier_shift(x[1], 1, 7, 1)", [x], ndimage.fourier_shift(x, 1, 7, 0))
    near(c, N + "fourier_uniform(x[1], 2)", [x.astype(np.float32)], ndimage.fourier_uniform(x.astype(np.float32), 2))


def write():
    c = Calls()
    rank_calls(c)
    binary_calls(c)
    grey_calls(c)
    filter_calls(c)
    fourier_calls(c)
    c.write("scipy/ndimage_windows")


if __name__ == "__main__":
    write()
