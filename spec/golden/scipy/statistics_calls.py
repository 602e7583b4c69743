"""Golden calls of statistics, histograms and calculus on samples: `statistics`."""

import numpy as np

from calls import Calls

METHODS = ["linear", "lower", "higher", "nearest", "midpoint", "inverted_cdf", "averaged_inverted_cdf",
           "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased"]


def cube(dtype, nans=False, seed=40):
    rng = np.random.default_rng(seed)
    x = (rng.integers(-40, 40, (3, 4, 5)) / 4).astype(dtype)
    if nans:
        x[0, 1, 2] = x[2, 0, 0] = x[2, 3, 3] = np.nan
        x[1, 3, :] = np.nan
    return x


def axis_text(axis):
    if axis is None:
        return "nil"
    return "{%s}" % ", ".join(str(k + 1) for k in axis) if isinstance(axis, tuple) else str(axis + 1)


def quantile_calls(c):
    for dtype in ("int32", "float16", "float32", "float64"):
        x = cube(dtype)
        out = "float64" if dtype == "int32" else dtype
        for axis in (None, 0, 1, 2, (0, 2)):
            c.add("cp.median(x[1], %s)" % axis_text(axis), [x], np.median(x.astype(np.float64), axis), 1, [out])
        c.add("cp.percentile(x[1], {25, 50.5, 99}, 2)", [x], np.percentile(x.astype(np.float64), [25, 50.5, 99], 1),
              np.full((3, 3, 5), 30.0), [out])
    x, y = cube("float64"), cube("float64", True)
    for method in METHODS:
        for q in (0, 0.1, 0.35, 0.5, 0.75, 1):
            c.add('cp.quantile(x[1], %r, 3, {method = "%s"})' % (q, method), [x], np.quantile(x, q, 2, method=method), 8)
            want = np.nanquantile(y, q, 1, method=method)
            c.add('cp.nanquantile(x[1], %r, 2, {method = "%s"})' % (q, method), [y], want, 8)
    with np.errstate(all="ignore"):
        for axis in (None, 0, 2, (0, 1)):
            for f in ("median", "nanmedian"):
                c.add("cp.%s(x[1], {axis = %s, keepdims = true})" % (f, axis_text(axis)), [y],
                      getattr(np, f)(y, axis, keepdims=True), 1)
            for f in ("percentile", "nanpercentile"):
                c.add("cp.%s(x[1], 30, %s)" % (f, axis_text(axis)), [y], getattr(np, f)(y, 30, axis), 8)
    c.add("cp.quantile(x[1], x[2])", [x, np.array([[0.2, 0.4], [0.6, 1]])], np.quantile(x, [[0.2, 0.4], [0.6, 1]]), 8)


def moment_calls(c):
    x = cube("float64")
    w = np.abs(cube("float64", seed=41)) + 1
    c.add("cp.average(x[1], 2)", [x], np.average(x, 1), np.full((3, 5), 40.0))
    c.add("cp.average(x[1], {weights = x[2], returned = true})", [x, w], np.average(x, weights=w, returned=True), 200)
    c.add("cp.average(x[1], 2, x[2])", [x, w[0, :, 0]], np.average(x, 1, w[0, :, 0]), np.full((3, 5), 40.0))
    c.add("cp.average(x[1], {axis = 1, weights = x[2], keepdims = true})", [cube("int32"), np.array([1, 2, 3])],
          np.average(cube("int32"), 0, [1, 2, 3], keepdims=True), np.full((1, 4, 5), 40.0))
    m = cube("float64")[0]
    scale = np.full((4, 4), 400.0)
    c.add("cp.cov(x[1])", [m], np.cov(m), scale)
    c.add("cp.cov(x[1], nil, false)", [m], np.cov(m, rowvar=False), np.full((5, 5), 400.0))
    c.add("cp.cov(x[1], {ddof = 2})", [m], np.cov(m, ddof=2), scale)
    c.add("cp.cov(x[1], x[2], {bias = true})", [m[0], m[1]], np.cov(m[0], m[1], bias=True), np.full((2, 2), 400.0))
    f, a = np.array([1, 2, 1, 3, 1]), np.array([0.5, 1, 2, 1, 0.25])
    c.add("cp.cov(x[1], {fweights = x[2], aweights = x[3]})", [m, f, a], np.cov(m, fweights=f, aweights=a), scale)
    c.add("cp.cov(x[1])", [m[0]], np.cov(m[0]), 40)
    c.add("cp.corrcoef(x[1])", [m], np.corrcoef(m), np.full((4, 4), 20.0))
    z = m + 1j * np.roll(m, 3)
    c.add("cp.cov(x[1])", [z], np.cov(z), scale)
    c.add("cp.corrcoef(x[1])", [z], np.corrcoef(z), np.full((4, 4), 20.0))
    c.add("cp.cov(x[1])", [m.astype(np.float32)], np.cov(m.astype(np.float32)), scale)


def histogram_calls(c):
    rng = np.random.default_rng(42)
    n = rng.integers(0, 30, 500)
    w = rng.integers(1, 9, 500) / 4
    for name in ("uint8", "int32", "int64", "uint64"):
        c.add("cp.bincount(x[1])", [n.astype(name)], np.bincount(n))
    c.add("cp.bincount(x[1], x[2], 40)", [n, w], np.bincount(n, w, 40))
    for name in ("float16", "float32", "float64", "int16", "uint8"):
        x = (rng.normal(0, 3, 400) if name[0] == "f" else rng.integers(0, 100, 400)).astype(name)
        edge_scale = np.full(1, 4 * np.abs(x).max())  # NumPy computes them in float32
        counts, edges = np.histogram(x.astype(np.float32) if name == "float16" else x, 13)
        c.add("cp.histogram(x[1], 13)", [x], [counts, edges], edge_scale)
        c.add("cp.histogram(x[1], {bins = 7, range = {-2, 60}})", [x],
              list(np.histogram(x.astype(np.float32) if name == "float16" else x, 7, (-2, 60))), 4)
    x = rng.normal(0, 3, 400)
    edges = np.array([-4, -1.5, 0, 0.25, 3, 7])
    c.add("cp.histogram(x[1], x[2])", [x, edges], list(np.histogram(x, edges)), 1)
    c.add("cp.histogram(x[1], {bins = x[2], density = true})", [x, edges], list(np.histogram(x, edges, density=True)), 8)
    c.add("cp.histogram(x[1], {bins = 5, weights = x[2]})", [x, w[:400]], list(np.histogram(x, 5, weights=w[:400])), 64)
    z = w[:400] * (1 - 2j)
    c.add("cp.histogram(x[1], {bins = 5, weights = x[2]})", [x, z], list(np.histogram(x, 5, weights=z)), 64)
    tenth = np.arange(0, 11) / 10
    c.add("cp.histogram(x[1], 10)", [tenth], list(np.histogram(tenth, 10)), 2)
    c.add("cp.histogram_bin_edges(x[1], 4)", [x], np.histogram_bin_edges(x, 4), 4)
    y = rng.normal(1, 2, 400)
    c.add("cp.histogram2d(x[1], x[2], {4, 6})", [x, y], list(np.histogram2d(x, y, (4, 6))), 4)
    c.add("cp.histogram2d(x[1], x[2], {bins = 5, range = {{-3, 3}, {-2, 5}}, density = true})", [x, y],
          list(np.histogram2d(x, y, 5, [[-3, 3], [-2, 5]], True)), 16)
    c.add("cp.histogram2d(x[1], x[2], {bins = {x[3], 3}, weights = x[4]})", [x, y, edges, w[:400]],
          list(np.histogram2d(x, y, [edges, 3], weights=w[:400])), 64)
    sample = rng.normal(0, 1, (100, 3))
    h, e = np.histogramdd(sample, (2, 3, 4))
    c.add("(function(h, e) return h, e[1], e[2], e[3] end)(cp.histogramdd(x[1], {2, 3, 4}))", [sample], [h] + list(e), 4)
    for bins in (edges, edges[::-1].copy()):
        for right in (False, True):
            c.add("cp.digitize(x[1], x[2], %s)" % str(right).lower(), [np.append(x[:40], edges), bins],
                  np.digitize(np.append(x[:40], edges), bins, right) + 1)


def sample_calls(c):
    rng = np.random.default_rng(43)
    xp = np.cumsum(rng.integers(1, 9, 12) / 4)
    fp = rng.integers(-20, 20, 12) / 4
    x = np.concatenate([xp, xp - 0.1, [-5, 100, np.nan, np.inf, -np.inf]])
    c.add("cp.interp(x[1], x[2], x[3])", [x, xp, fp], np.interp(x, xp, fp), 20)
    c.add("cp.interp(x[1], x[2], x[3], -1, 1)", [x, xp, fp], np.interp(x, xp, fp, -1, 1), 20)
    c.add("cp.interp(x[1], x[2], x[3])", [x, xp, fp + 2j * fp[::-1]], np.interp(x, xp, fp + 2j * fp[::-1]), 40)
    t = rng.normal(0, 300, 30)
    deg = rng.permutation(np.arange(12)) * 30.0 + 4
    c.add("cp.interp(x[1], x[2], x[3], {period = 360})", [t, deg, fp], np.interp(t, deg, fp, period=360), np.full(30, 400.0))
    c.add("cp.interp(x[1], x[2], x[3])", [x[:24], xp[:1], fp[:1]], np.interp(x[:24], xp[:1], fp[:1]), 4)
    m = cube("float64")
    place = np.array([0, 0.5, 2, 2.25, 3])
    c.add("cp.trapezoid(x[1])", [m], np.trapezoid(m), np.full((3, 4), 80.0))
    c.add("cp.trapezoid(x[1], {dx = 0.25, axis = 1})", [m], np.trapezoid(m, dx=0.25, axis=0), np.full((4, 5), 80.0))
    c.add("cp.trapezoid(x[1], x[2])", [m, place], np.trapezoid(m, place), np.full((3, 4), 80.0))
    c.add("cp.trapezoid(x[1])", [np.array([1, 2, 3])], np.trapezoid([1, 2, 3]), 4)
    for order in (1, 2):
        for axis, n in ((0, 3), (1, 4), (2, 5)):
            c.add("cp.gradient(x[1], {axis = %d, edge_order = %d})" % (axis + 1, order), [m],
                  np.gradient(m, axis=axis, edge_order=order), np.full(m.shape, 80.0))
        c.add("cp.gradient(x[1], {spacing = x[2], axis = 3, edge_order = %d})" % order, [m, place],
              np.gradient(m, place, axis=2, edge_order=order), np.full(m.shape, 2000.0))
    g = np.gradient(m[0], 2.0, place)
    c.add("(table.unpack or unpack)(cp.gradient(x[1], {spacing = {2, x[2]}}))", [m[0], place], list(g), np.full((4, 5), 2000.0))
    for dtype in ("int32", "float32", "float64", "complex128", "uint8", "bool"):
        a = np.abs(rng.integers(-9, 9, 20)).astype(dtype) if dtype != "complex128" else rng.integers(-9, 9, 20) * (1 + 2j)
        for n in (1, 4, 5, 27):
            v = rng.integers(0, 3, n).astype(dtype) if dtype != "complex128" else rng.integers(0, 3, n) * (1 - 1j)
            for mode in ("full", "same", "valid"):
                size = len(np.convolve(a, v, mode))
                scale = None if dtype in ("int32", "uint8", "bool") else np.full(size, 4000.0)
                c.add('cp.convolve(x[1], x[2], "%s")' % mode, [a, v], np.convolve(a, v, mode), scale)
                c.add('cp.correlate(x[1], x[2], "%s")' % mode, [a, v], np.correlate(a, v, mode), scale)


def write():
    c = Calls()
    with np.errstate(all="ignore"):
        for calls in (quantile_calls, moment_calls, histogram_calls, sample_calls):
            calls(c)
    c.write("scipy/statistics")
