"""The rows of bench/ndimage.lua by CuPy if there is a GPU for it, else by SciPy, one line each: "KEY<tab>VALUE"."""
import time

try:
    import cupy as xp
    from cupyx.scipy import ndimage as N

    xp.zeros(1)
    on_gpu = True
except Exception:
    import numpy as xp
    from scipy import ndimage as N

    on_gpu = False

side, large, cube = (4096, 8192, 512) if on_gpu else (1024, 2048, 128)
ROUNDS = 5 if on_gpu else 1


def noise(*shape):
    k = xp.arange(int(xp.prod(xp.asarray(shape))), dtype=xp.float64)
    return (xp.sin(k * 12.9898) * 43758.5453 % 1).astype(xp.float32).reshape(shape)


def wait():
    if on_gpu:
        xp.cuda.Device().synchronize()


def row(key, f):
    try:
        f()
    except Exception as problem:
        print(key + "\tfailed: " + str(problem).split("\n")[0], flush=True)
        return
    best = float("inf")
    for _ in range(ROUNDS):
        wait()
        t = time.perf_counter()
        f()
        wait()
        best = min(best, (time.perf_counter() - t) * 1e3)
    print("%s\t%.3f" % (key, best), flush=True)


x = noise(side, side)
byte = (x * 255).astype(xp.uint8)
places = xp.indices((side, side)).astype(xp.float64) + 0.3
for order in (1, 3):
    row("map_coordinates order %d" % order, lambda: N.map_coordinates(x, places, order=order))
    row("zoom 0.7 order %d" % order, lambda: N.zoom(x, 0.7, order=order))
    row("rotate 30 order %d" % order, lambda: N.rotate(x, 30, order=order, reshape=False))
row("spline_filter", lambda: N.spline_filter(x))
for size in (3, 5, 11):
    row("median_filter %d" % size, lambda: N.median_filter(x, size))
row("median_filter 5 uint8", lambda: N.median_filter(byte, 5))
row("rank_filter 2 of 5 x 5", lambda: N.rank_filter(x, 2, 5))
for size in (5, 31):
    row("grey_opening %d" % size, lambda: N.grey_opening(x, size))
    mask, structure = x > 0.3, xp.ones((size, size), bool)
    row("binary_opening %d" % size, lambda: N.binary_opening(mask, structure))
for sigma in (1, 3, 20):
    row("gaussian_filter %d" % sigma, lambda: N.gaussian_filter(x, sigma))
labels = (noise(side, side) * 1e5).astype(xp.int32)
index = xp.arange(1, 100001)
row("sum_labels 1e5", lambda: N.sum_labels(x, labels, index))
del x, places, byte, labels
cells = noise(large, large)
percolation = cells < 0.59
row("label of a percolation", lambda: N.label(percolation))
mask = cells > 0.01
row("distance_transform_edt 2-d", lambda: N.distance_transform_edt(mask))
del cells, percolation, mask
volume = noise(cube, cube, cube) > 0.01
row("distance_transform_edt 3-d", lambda: N.distance_transform_edt(volume))
