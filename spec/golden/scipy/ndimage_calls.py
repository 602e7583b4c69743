"""Golden calls of cp.scipy.ndimage, from SciPy: `ndimage` has interpolation, rank filters and morphology, labels, distances."""

import numpy as np
from scipy import ndimage

from calls import Calls
from scipy_calls import near, whole

N = "cp.scipy.ndimage."
SPLINE_MODES = ["nearest", "wrap", "reflect", "grid-mirror", "mirror", "constant", "grid-wrap", "grid-constant"]
REALS = [np.float32, np.uint8, np.int16, np.int64, np.uint32, np.float16, np.bool_]


AT_WHOLE = {2: [1 / 8, 3 / 4, 1 / 8], 3: [1 / 6, 2 / 3, 1 / 6], 4: np.array([1, 76, 230, 76, 1]) / 384,
            5: np.array([1, 26, 66, 26, 1]) / 120}


def coefficients(x, order, axis=None):
    """Those of splines for mode reflect, by solving for them: SciPy's own are inexact for few elements, since its sum over what
    lies before the first element uses that element after it has been changed."""
    if axis is None:
        for axis in range(np.ndim(x)):
            x = coefficients(x, order, axis)
        return x
    n, w = x.shape[axis], AT_WHOLE[order]
    if n == 1:
        return x
    a = np.zeros((n, n))
    for i in range(n):
        for k, v in enumerate(w):
            j = (i + k - len(w) // 2) % (2 * n)
            a[i, j if j < n else 2 * n - 1 - j] += v
    return np.moveaxis(np.linalg.solve(a, np.moveaxis(x, axis, 0).reshape(n, -1)).reshape(np.moveaxis(x, axis, 0).shape), 0, axis)


def exact(f, x, *args, order, mode, **more):
    """SciPy's f(x, ...), with exact coefficients."""
    if mode in ("reflect", "grid-mirror") and order > 1:
        return f(coefficients(x, order), *args, order=order, mode=mode, prefilter=False, **more)
    return f(x, *args, order=order, mode=mode, **more)


def close(c, expression, inputs, want, factor=512.0):
    """Exact where the result is of integers."""
    want = np.asarray(want)
    if want.dtype.kind in "fc":
        near(c, expression, inputs, want, factor)
    else:
        c.add(expression, inputs, want)


# ---- interpolation

def spline_calls(c):
    for n in (2, 3, 9, 300):
        x = whole((n, 3), n)
        for order in (2, 3, 4, 5):
            for mode in (SPLINE_MODES if n in (3, 9) else ["mirror", "reflect", "grid-wrap"]):
                close(c, '%sspline_filter1d(x[1], {order = %d, axis = 1, mode = "%s"})' % (N, order, mode), [x],
                      coefficients(x, order, 0) if mode in ("reflect", "grid-mirror", "nearest") else
                      ndimage.spline_filter1d(x, order, 0, mode=mode))
    x = whole((6, 5), 20)
    close(c, N + "spline_filter(x[1])", [x], ndimage.spline_filter(x))
    close(c, N + 'spline_filter(x[1], 5, "float32")', [x], ndimage.spline_filter(x, 5, np.float32), 4096)
    close(c, N + "spline_filter1d(x[1], 1)", [x], ndimage.spline_filter1d(x, 1))
    z = whole((4, 5), 21) + 1j * whole((4, 5), 22)
    close(c, N + "spline_filter(x[1], 3)", [z], ndimage.spline_filter(z, 3))
    close(c, N + "spline_filter(x[1])", [whole((0, 3), 1)], ndimage.spline_filter(whole((0, 3), 1)))
    close(c, N + "spline_filter(x[1])", [whole((1, 1), 1)], ndimage.spline_filter(whole((1, 1), 1)))


def places(axes, count, size, seed):
    r = np.random.default_rng(seed)
    p = r.uniform(-2.5 * size, 3.5 * size, (axes, count))
    p[:, :6] = np.array([0, size - 1, -1, size, -0.5, 0.25])
    return p


def coordinate_calls(c):
    for shape in ((7,), (6, 5), (4, 5, 3)):
        x = np.random.default_rng(len(shape)).normal(size=shape)
        p = places(len(shape), 24, 5, 30)
        for order in range(6):
            for mode in SPLINE_MODES:
                if len(shape) == 3 and order in (2, 4):
                    continue
                # Places at which a mode jumps are decided by the last bit. Farther than 12 elements away SciPy's values for
                # mode nearest are not the outermost element's any more.
                q = p + 0.013 if mode == "wrap" else np.clip(p, -9, 11) if mode == "nearest" else p
                close(c, '%smap_coordinates(x[1], x[2], {order = %d, mode = "%s", cval = 2.5})' % (N, order, mode), [x, q + 1],
                      exact(ndimage.map_coordinates, x, (q + 1) - 1, order=order, mode=mode, cval=2.5), 4096)
    x, p = whole((6, 5), 31, np.float64, 0, 200), np.random.default_rng(32).uniform(-1, 6, (2, 3, 4))
    for dtype in REALS:
        y = x.astype(dtype) if dtype != np.bool_ else x > 100
        for order in (0, 1, 3):
            want = ndimage.map_coordinates(y.astype(np.float32) if dtype == np.float16 else y, (p + 1) - 1, order=order, mode="mirror")
            close(c, '%smap_coordinates(x[1], x[2], {order = %d, mode = "mirror"})' % (N, order), [y, p + 1], want.astype(dtype), 4096)
    close(c, N + 'map_coordinates(x[1], x[2], "int16", 1)', [x, p + 1], ndimage.map_coordinates(x, (p + 1) - 1, np.int16, 1))
    close(c, N + 'map_coordinates(x[1], x[2], {order = 3, prefilter = false})', [x, p + 1],
          ndimage.map_coordinates(x, (p + 1) - 1, order=3, prefilter=False), 4096)
    z = x + 1j * whole((6, 5), 33)
    close(c, N + "map_coordinates(x[1], x[2], {cval = cp.complex(1, 2)})", [z, p + 1],
          ndimage.map_coordinates(z, (p + 1) - 1, cval=1 + 2j), 4096)
    c.add(N + "map_coordinates(x[1], cp.indices(x[1].shape), {order = 1})", [x], x)
    i = np.array([[0, 5, -1, 2], [0, 4, 2, 9]])
    c.add(N + "map_coordinates(x[1], x[2], {order = 0, cval = -1})", [x, i + 1], ndimage.map_coordinates(x, i, order=0, cval=-1))
    q = np.float32([[0.5, 1.25], [2.5, 3]])
    close(c, N + "map_coordinates(x[1], x[2], {order = 1})", [x, q + 1], ndimage.map_coordinates(x, q, order=1))
    close(c, N + "map_coordinates(x[1], x[2])", [whole((4, 3), 1), np.ones((2, 0))], ndimage.map_coordinates(whole((4, 3), 1), np.ones((2, 0))))


def transform_calls(c):
    x = np.random.default_rng(40).normal(size=(6, 7))
    for mode in SPLINE_MODES:
        for order in (0, 1, 2, 3, 5):
            f = (1.73, 0.61)
            close(c, '%szoom(x[1], {1.73, 0.61}, {order = %d, mode = "%s", cval = 1.5})' % (N, order, mode), [x],
                  exact(ndimage.zoom, x, f, order=order, mode=mode, cval=1.5), 4096)
            close(c, '%szoom(x[1], {0.5, 2}, {order = %d, mode = "%s", grid_mode = true})' % (N, order, mode), [x],
                  exact(ndimage.zoom, x, (0.5, 2), order=order, mode=mode, grid_mode=True), 4096)
            close(c, '%sshift(x[1], {1.3, -2.6}, {order = %d, mode = "%s", cval = 1.5})' % (N, order, mode), [x],
                  exact(ndimage.shift, x, (1.3, -2.6), order=order, mode=mode, cval=1.5), 4096)
            close(c, '%srotate(x[1], 33, {order = %d, mode = "%s", cval = -1})' % (N, order, mode), [x],
                  exact(ndimage.rotate, x, 33, order=order, mode=mode, cval=-1), 4096)
            close(c, '%saffine_transform(x[1], {{1.1, 0.2}, {-0.3, 0.9}}, {0.51, -1.25}, {order = %d, mode = "%s"})' % (N, order, mode),
                  [x], exact(ndimage.affine_transform, x, [[1.1, 0.2], [-0.3, 0.9]], [0.51, -1.25], order=order, mode=mode), 4096)
    for angle in (90, 180, 270, -45, 360):
        for reshape in (True, False):
            close(c, '%srotate(x[1], %d, {reshape = %s, order = 1})' % (N, angle, str(reshape).lower()), [x],
                  ndimage.rotate(x, angle, reshape=reshape, order=1), 4096)
    t = np.random.default_rng(41).normal(size=(3, 5, 4))
    close(c, N + "rotate(x[1], 20, {1, 3}, {order = 3})", [t], ndimage.rotate(t, 20, (0, 2), order=3), 4096)
    close(c, N + 'rotate(x[1], 20, {3, 2}, {order = 1, mode = "nearest", reshape = false})', [t],
          ndimage.rotate(t, 20, (2, 1), order=1, mode="nearest", reshape=False), 4096)
    close(c, N + "zoom(x[1], 1.5)", [t], ndimage.zoom(t, 1.5), 4096)
    close(c, N + "shift(x[1], 1)", [t], ndimage.shift(t, 1), 4096)
    h = np.array([[1.1, 0.2, 0.51], [-0.3, 0.9, -1.25], [0, 0, 1]])
    close(c, N + "affine_transform(x[1], x[2], {order = 1})", [x, h], ndimage.affine_transform(x, h, order=1), 4096)
    close(c, N + "affine_transform(x[1], x[2], {order = 1})", [x, h[:2]], ndimage.affine_transform(x, h[:2], order=1), 4096)
    close(c, N + "affine_transform(x[1], {0.7, 1.2}, 0.3, {4, 9})", [x], ndimage.affine_transform(x, [0.7, 1.2], 0.3, (4, 9)), 4096)
    close(c, N + "affine_transform(x[1], {{1}, {0.5}}, {0, 1}, {5}, {order = 1})", [x],
          ndimage.affine_transform(x, [[1.0], [0.5]], [0, 1], (5,), order=1), 4096)
    u = whole((6, 7), 42, np.uint8, 0, 255)
    for f, args in (("zoom", "2"), ("shift", "{0.5, 1}"), ("rotate", "30")):
        want = {"zoom": lambda o: ndimage.zoom(u, 2, order=o), "shift": lambda o: ndimage.shift(u, (0.5, 1), order=o),
                "rotate": lambda o: ndimage.rotate(u, 30, order=o)}[f]
        for order in (1, 3):
            # Values that lie halfway between whole numbers are rounded either way.
            c.add("cp.abs(%s%s(x[1], %s, {order = %d}):astype 'int32' - x[2]):le(1)" % (N, f, args, order),
                  [u, want(order).astype(np.int32)], np.ones(want(order).shape, bool))
    c.add(N + "zoom(x[1], 1)", [u], u)
    close(c, N + 'zoom(x[1], {2, 1}, "float64", 1)', [u], ndimage.zoom(u, (2, 1), np.float64, 1))
    close(c, N + "zoom(x[1], 2)", [whole((1, 3), 43)], ndimage.zoom(whole((1, 3), 43), 2), 4096)
    wide = np.random.default_rng(44).normal(size=(3, 400)).astype(np.float32)
    close(c, N + "zoom(x[1], {1, 0.75}, {order = 3})", [wide], ndimage.zoom(wide, (1, 0.75), order=3), 64)
    special = np.array([[1.0, np.nan, 3], [np.inf, 5, 6], [7, 8, 9]])
    close(c, N + "shift(x[1], {0.5, 0}, {order = 1})", [special], ndimage.shift(special, (0.5, 0), order=1))


def write():
    c = Calls()
    spline_calls(c)
    coordinate_calls(c)
    transform_calls(c)
    c.write("scipy/ndimage")


if __name__ == "__main__":
    write()
