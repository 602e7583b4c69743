"""The rows of bench/families/ndimage.lua by CuPy if there is a GPU for it, else by SciPy, one line each: "KEY<tab>VALUE", then
"<tab>VALUE" of JAX or OpenCV, where it has the function; CuPy's resize is PyTorch's. The arguments are the pictures'
dtype and a part of the names of the rows to run."""
import sys
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

try:
    import torch
except Exception:
    torch = None
try:
    import jax

    jax.config.update("jax_enable_x64", True)
    from jax.scipy.ndimage import map_coordinates
except Exception:
    jax = None
try:
    import cv2

    cv2.setNumThreads(1)
except Exception:
    cv2 = None

DTYPE = sys.argv[1] if len(sys.argv) > 1 else "float32"
PATTERN = sys.argv[2] if len(sys.argv) > 2 else ""
side, large, cube = (4096, 8192, 512) if on_gpu else (1024, 2048, 128)
ROUNDS = 5 if on_gpu else 3
clock = time.perf_counter if on_gpu else time.process_time


def noise(*shape):
    k = xp.arange(int(xp.prod(xp.asarray(shape))), dtype=xp.float64)
    return (xp.sin(k * 12.9898) * 43758.5453 % 1).astype(DTYPE).reshape(shape)


def wait():
    if on_gpu:
        xp.cuda.Device().synchronize()


def best_of(f, wait=wait):
    try:
        f()
    except Exception as problem:
        return "failed: " + str(problem).split("\n")[0]
    best = float("inf")
    for _ in range(ROUNDS):
        wait()
        t = clock()
        f()
        wait()
        best = min(best, (clock() - t) * 1e3)
    return "%.3f" % best


def row(key, f, other=None, compiled=None):
    """other: the same by OpenCV, on the CPU; compiled: a function and its arrays for jax.jit, on the GPU."""
    if PATTERN not in key:
        return
    times = [best_of(f) if f else "-"]
    if other and cv2 and not on_gpu:
        times.append(best_of(other))
    if compiled and jax and on_gpu:
        function, arrays = jax.jit(compiled[0]), [jax.dlpack.from_dlpack(a) for a in compiled[1]]
        times.append(best_of(lambda: function(*arrays).block_until_ready(), lambda: None))
    print("\t".join([key] + times), flush=True)


def resize_row(method, interpolation, antialias=False):
    name = "resize 0.7 " + method + (", antialias" if antialias else "")
    small = int(side * 0.7)
    f = None
    if on_gpu and torch and method != "lanczos":
        t = torch.as_tensor(x)[None, None]
        more = {} if method == "area" else {"antialias": antialias}
        f = lambda: torch.nn.functional.interpolate(t, (small, small), mode=method, **more)
    other = None if antialias else lambda: cv2.resize(x, (small, small), interpolation=interpolation)
    kernel = {"bilinear": "linear", "bicubic": "cubic", "lanczos": "lanczos3"}.get(method)
    by_jax = lambda a: jax.image.resize(a, (small, small), kernel, antialias=antialias)
    row(name, f, other, (by_jax, (x,)) if kernel else None)


def square(size):
    return xp.ones((size, size), xp.uint8)


cross = xp.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], xp.uint8)
x = noise(side, side)
byte = (x * 255).astype(xp.uint8)
places = xp.indices((side, side)).astype(xp.float64) + 0.3
near = None if on_gpu else [places[1].astype(xp.float32), places[0].astype(xp.float32)]
for order in (1, 3):
    row("map_coordinates order %d" % order, lambda: N.map_coordinates(x, places, order=order),
        (lambda: cv2.remap(x, *near, cv2.INTER_LINEAR)) if order == 1 else None,
        (lambda a, p: map_coordinates(a, p, order=1), (x, places)) if order == 1 else None)
    row("zoom 0.7 order %d" % order, lambda: N.zoom(x, 0.7, order=order))
    row("rotate 30 order %d" % order, lambda: N.rotate(x, 30, order=order, reshape=False))
affine = None if on_gpu else xp.array([[1, -0.01, 0], [0.02, 1, 0]])  # by x and y
row("shift order 1", lambda: N.shift(x, 1.3, order=1))
turn = xp.array([[1, 0.02], [-0.01, 1]])
row("affine_transform order 1", lambda: N.affine_transform(x, turn, order=1),
    lambda: cv2.warpAffine(x, affine, (side, side), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP))
resize_row("bilinear", 1)
resize_row("bicubic", 2)
resize_row("area", 3)
resize_row("lanczos", 4)
resize_row("bilinear", 1, True)
row("spline_filter", lambda: N.spline_filter(x))
for size in (3, 5, 7, 11):
    # OpenCV has 3 and 5 of floats
    row("median_filter %d" % size, lambda: N.median_filter(x, size),
        (lambda: cv2.medianBlur(x, size)) if size < 6 else None)
row("median_filter 5 uint8", lambda: N.median_filter(byte, 5), lambda: cv2.medianBlur(byte, 5))
row("rank_filter 2 of 5 x 5", lambda: N.rank_filter(x, 2, 5))
row("minimum_filter 5", lambda: N.minimum_filter(x, 5), lambda: cv2.erode(x, square(5)))
row("binary_erosion", lambda: N.binary_erosion(x > 0.3), lambda: cv2.erode((x > 0.3).view(xp.uint8), cross))
for size in (5, 31):
    row("grey_opening %d" % size, lambda: N.grey_opening(x, size),
        lambda: cv2.morphologyEx(x, cv2.MORPH_OPEN, square(size)))
    mask, structure = x > 0.3, xp.ones((size, size), bool)
    row("binary_opening %d" % size, lambda: N.binary_opening(mask, structure),
        lambda: cv2.morphologyEx(mask.view(xp.uint8), cv2.MORPH_OPEN, square(size)))
for sigma in (1, 3, 20):
    row("gaussian_filter %d" % sigma, lambda: N.gaussian_filter(x, sigma),
        lambda: cv2.GaussianBlur(x, (8 * sigma + 1, 8 * sigma + 1), sigma))
labels = (noise(side, side) * 1e5).astype(xp.int32)
index = xp.arange(1, 100001)
row("sum_labels 1e5", lambda: N.sum_labels(x, labels, index))
row("sum", lambda: N.sum_labels(x), lambda: cv2.sumElems(x))
del x, places, byte, labels
cells = noise(large, large)
percolation = cells < 0.59
row("label of a percolation", lambda: N.label(percolation),
    lambda: cv2.connectedComponents(percolation.view(xp.uint8), connectivity=4))
mask = cells > 0.01
row("distance_transform_edt 2-d", lambda: N.distance_transform_edt(mask),
    lambda: cv2.distanceTransform(mask.view(xp.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE))
del cells, percolation, mask
volume = noise(cube, cube, cube) > 0.01
row("distance_transform_edt 3-d", lambda: N.distance_transform_edt(volume))
