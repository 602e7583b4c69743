"""Golden calls of cp.image's functions of pixels, from Pillow and Python's colorsys: `pixels`. images.py writes them."""

import colorsys

import numpy as np
from PIL import Image

from calls import Calls

FILTERS = {"nearest": Image.NEAREST, "bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC, "area": Image.BOX, "lanczos": Image.LANCZOS}


def write():
    c, r = Calls(), np.random.default_rng(1)
    for shape, sizes in (((7, 9), [(14, 18), (10, 4), (3, 3), (1, 1), (7, 20)]), ((5, 1), [(9, 3)])):
        x = r.random(shape).astype(np.float32)
        for size in sizes:
            for method, filter in FILTERS.items():
                want = np.asarray(Image.fromarray(x).resize(size[::-1], filter))
                c.add('cp.image.resize(x[1], {%d, %d}, "%s")' % (*size, method), [x], want, np.full(want.shape, 8.0))
    u = r.integers(0, 256, (6, 8, 3)).astype(np.uint8)
    for method in ("bilinear", "area", "nearest"):
        want = np.asarray(Image.fromarray(u).resize((16, 10), FILTERS[method]))
        # Pillow's weights of bytes have few bits, and it limits bytes between the axes.
        c.add('cp.abs(cp.image.resize(x[1], {10, 16}, "%s"):astype "int32" - x[2]):le(1)' % method, [u, want.astype(np.int32)],
              np.ones(want.shape, bool))
    c.add("cp.abs(cp.image.gray(x[1]):astype 'int32' - x[2]):le(1)", [u, np.asarray(Image.fromarray(u).convert("L")).astype(np.int32)],
          np.ones(u.shape[:2], bool))
    f = r.random((4, 5, 3))
    f[0, 0], f[0, 1], f[0, 2], f[0, 3] = (0, 0, 0), (0.5, 0.5, 0.5), (1, 0, 0), (0.2, 0.7, 0.7)
    hsv = np.array([[colorsys.rgb_to_hsv(*p) for p in row] for row in f])
    c.add("cp.image.rgb_to_hsv(x[1])", [f], hsv, np.full(f.shape, 16.0))
    c.add("cp.image.hsv_to_rgb(x[1])", [hsv], np.array([[colorsys.hsv_to_rgb(*p) for p in row] for row in hsv]), np.full(f.shape, 16.0))
    over, under = r.random((4, 5, 4)), r.random((4, 5, 3))
    c.add("cp.image.blend(x[1], x[2])", [over, under], over[..., :3] * over[..., 3:] + under * (1 - over[..., 3:]), np.full(under.shape, 8.0))
    c.add("cp.image.blend(x[1], x[2], 0.25)", [f, under], 0.25 * f + 0.75 * under, np.full(under.shape, 8.0))
    a, b = r.integers(0, 256, (4, 5, 4)).astype(np.uint8), r.integers(0, 256, (4, 5, 4)).astype(np.uint8)
    want = np.asarray(Image.alpha_composite(Image.fromarray(b), Image.fromarray(a)))
    c.add("cp.abs(cp.image.blend(x[1], x[2]):astype 'int32' - x[3]):le(1)", [a, b, want.astype(np.int32)], np.ones(want.shape, bool))
    c.write("files/pixels")


if __name__ == "__main__":
    write()
