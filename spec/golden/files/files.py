"""Makes spec/golden/files/files.index and files.bin: `python3 spec/golden/make.py files` (needs numpy, ml_dtypes, Pillow and
matplotlib). They hold small files as NumPy and Pillow write them, and what is in them:
  array NAME DTYPE SHAPE FILE VALUES   an npy file; FILE and VALUES (little-endian, C order) are OFFSET:LENGTH in the .bin
  file NAME FILE                       another file, described in spec/files/npy_spec.lua, text_files_spec.lua, image_spec.lua
  map NAME R,G,B ...                   a colour map's colours at the positions 0, 1, 64, 127, 128, 201 and 255 of 256
SHAPE is 3x4 or - (0-d).
"""

import io
import os
import pickle
import zipfile

import ml_dtypes
import numpy as np
from numpy.lib import format as npy

from generate import Blob, shape_text

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()


def values(dtype, shape):
    """Different values with both signs, and the dtype's special ones in front."""
    dtype = np.dtype(dtype)
    n = int(np.prod(shape, dtype=int))
    v = (np.arange(n) * 7 % 23 - 9).astype(np.float64)
    if dtype.kind == "b":
        return (v > 0).reshape(shape)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        a = np.abs(v).astype(dtype) if dtype.kind == "u" else v.astype(dtype)
        special = [limits.min, limits.max]
    else:
        a = (v / 8).astype(dtype)
        special = [np.nan, np.inf, -np.inf, -0.0]
        if dtype.kind == "c":
            a = a + (1j * v[::-1]).astype(dtype)
            special = [complex(np.nan, 1), complex(2, -np.inf)]
    a[: min(n, len(special))] = special[:n]
    return a.reshape(shape)


def saved(array, version=None):
    f = io.BytesIO()
    if version:
        npy.write_array(f, array, version)
    else:
        np.save(f, array)
    return f.getvalue()


def arrays():
    """NAME, the array as cupola must read it, and the file."""
    for name in NAMES:
        a = values(name, (3, 4))
        yield name, a, saved(a)
        if a.dtype.itemsize > 1:
            yield name + "_big", a, saved(a.astype(a.dtype.newbyteorder(">")))
    a = values("float32", (3, 4, 2))
    yield "fortran", a, saved(np.asfortranarray(a))
    yield "fortran_big", a, saved(np.asfortranarray(a.astype(">f4")))
    for name in ("bool", "float64", "complex64"):
        yield "scalar_" + name, values(name, ()), saved(values(name, ()))
    for shape in ((0,), (0, 3), (2, 0, 5)):
        yield "empty_" + shape_text(shape), np.zeros(shape, "int16"), saved(np.zeros(shape, "int16"))
    a = values("int32", (2, 1, 3, 1, 2))
    yield "axes", a, saved(a)
    yield "version2", a, saved(a, (2, 0))
    yield "version3", a, saved(a, (3, 0))
    a = np.arange(-3, 3).reshape(2, 3).astype(ml_dtypes.bfloat16)
    yield "bfloat16", a, saved(a)


def archive(files, method=zipfile.ZIP_STORED):
    f = io.BytesIO()
    with zipfile.ZipFile(f, "w", method) as z:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            z.writestr(info, data)
    return f.getvalue()


def archive64(files):
    """As of files beyond 4 GB: every number in 64 bits."""
    limit, zipfile.ZIP64_LIMIT = zipfile.ZIP64_LIMIT, 1
    try:
        return archive(files, zipfile.ZIP_DEFLATED)
    finally:
        zipfile.ZIP64_LIMIT = limit


def npz(save, *arguments, **arrays_by_name):
    f = io.BytesIO()
    save(f, *arguments, **arrays_by_name)
    return f.getvalue()


def text(x, **options):
    f = io.BytesIO()
    np.savetxt(f, x, **options)
    return f.getvalue()


def picture(array, form, mode=None, **options):
    from PIL import Image

    f = io.BytesIO()
    im = Image.fromarray(array)
    (im.convert(mode) if mode else im).save(f, form, **options)
    return f.getvalue()


def pixels(channels, height=5, width=7):
    y, x, c = np.ogrid[:height, :width, :channels]
    return ((x * 31 + y * 17 + c * 71) % 256).astype("uint8").squeeze()


def files():
    a, b = values("float32", (2, 3)), values("int64", (4,))
    yield "npz", npz(np.savez, a, b, x=values("complex64", (2,)), zero=np.array(True))
    yield "npz_compressed", npz(np.savez_compressed, a, big=np.arange(5000).reshape(50, 100))
    yield "npz_folder", npz(np.savez, **{"layer/kernel": a})
    yield "npz_none", npz(np.savez)
    yield "npz_64", archive64({"x.npy": saved(a), "y.npy": saved(b)})
    yield "npz_up", archive({"x.npy": saved(a), "../x.npy": saved(a)})
    yield "npz_root", archive({"/etc/x.npy": saved(a)})
    yield "npz_backslash", archive({"..\\x.npy": saved(a)})
    yield "npz_other", archive({"readme.txt": b"hello"})
    yield "npz_bzip2", archive({"x.npy": saved(a)}, zipfile.ZIP_BZIP2)
    yield "npz_object", npz(np.savez, x=np.array([{}, None], dtype=object))
    yield "object", saved(np.array([{"a": 1}, None], dtype=object))
    yield "pickle", pickle.dumps(a, protocol=4)
    yield "text", saved(np.array(["ab", "c"]))
    yield "records", saved(np.zeros(2, dtype=[("a", "f4"), ("b", "i2")]))
    yield "dates", saved(np.zeros(2, dtype="datetime64[s]"))
    yield "longdouble", saved(np.zeros(2, dtype="longdouble"))

    m = np.array([[1.5, -2, np.nan], [np.inf, 1e-300, 123456789.125]])
    yield "txt_default", text(m)
    yield "txt_csv", text(m, delimiter=",", fmt="%.3f", header="a,b,c\nsecond", footer="end")
    yield "txt_formats", text(m[:, :2], fmt=["%10.2e", "%g"], newline="\r\n")
    yield "txt_row", text(m[:, :2], fmt="%5.1f and %e")
    yield "txt_int", text(np.array([[1, -2], [2**62, 7]]), fmt="%d")
    yield "txt_complex", text(np.array([[1 + 2j, -0.5 - 1e10j], [3j, 4]]))
    yield "txt_complex_fmt", text(np.array([1 + 2j, -0.5 - 1.5j]), fmt="%.2f")
    yield "txt_vector", text(np.array([1.0, 2, 3]), fmt="%g")

    for channels, name in ((1, "grey"), (2, "la"), (3, "rgb"), (4, "rgba")):
        yield "png_" + name, picture(pixels(channels), "PNG")
    yield "png_palette", picture(pixels(1) // 64 * 64, "PNG", "P")
    yield "png_16", picture(pixels(1).astype("uint16") * 257 + 1, "PNG")
    y, x = np.ogrid[:24, :32]
    smooth = np.stack([x * 8 + 0 * y, y * 10 + 0 * x, 255 - x * 4 - y * 4], -1).astype("uint8")
    yield "jpg_rgb", picture(smooth, "JPEG", quality=95, subsampling=0)
    yield "jpg_grey", picture(smooth[..., 0].copy(), "JPEG", quality=95)


def map_lines():
    import matplotlib

    for name in "gray hot jet viridis magma inferno plasma cividis twilight coolwarm magma_r".split():
        colours = [matplotlib.colormaps[name](k, bytes=True)[:3] for k in (0, 1, 64, 127, 128, 201, 255)]
        yield "map %s %s" % (name, " ".join("%d,%d,%d" % tuple(int(v) for v in c) for c in colours))


def main():
    blob, lines = Blob(), []
    for name, array, data in arrays():
        where = blob.add(np.frombuffer(data, "u1"))
        little = blob.add(np.ascontiguousarray(array))
        lines.append("array %s %s %s %d:%d %d:%d" % ((name, array.dtype.name, shape_text(array.shape)) + where + little))
    for name, data in files():
        lines.append("file %s %d:%d" % ((name,) + blob.add(np.frombuffer(data, "u1"))))
    lines.extend(map_lines())
    with open(os.path.join(HERE, "files.bin"), "wb") as f:
        f.write(b"".join(blob.parts))
    with open(os.path.join(HERE, "files.index"), "w") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
