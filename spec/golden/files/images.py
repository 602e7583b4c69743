"""Makes spec/golden/files/images.index and images.bin: `python3 spec/golden/make.py images` (needs numpy, Pillow, and of Debian the packages
netpbm, imagemagick and libjpeg-turbo-progs). They hold small pictures of every format that cp.image.load reads, as programs that
are not cupola write them, and the pixels that are in them:
  NAME HEIGHTxWIDTHxCHANNELS DTYPE OFF FILE PIXELS
FILE and PIXELS are OFFSET:LENGTH in the .bin; pixels are little-endian, as the file has them (palettes as colours). OFF is by how much a
value may be off: 0, and for JPEG what decoders differ by. What was drawn is known beforehand; only JPEG's pixels are Pillow's.
"""

import io
import os
import subprocess
import tempfile

import numpy as np
from PIL import Image

import pixels_calls

from generate import Blob

HERE = os.path.dirname(os.path.abspath(__file__))


def run(command, data=b""):
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


def drawn(channels, bits=8, height=5, width=7):
    y, x, c = np.ogrid[:height, :width, :channels]
    v = ((x * 31 + y * 17 + c * 71) * (257 if bits == 16 else 1) + (x if bits == 16 else 0)) % (1 << bits)
    return v.astype("uint16" if bits == 16 else "uint8")


def few(colours=4):
    """An image of so many colours, and their numbers."""
    y, x = np.ogrid[:5, :7]
    index = ((x * 3 + y) % colours).astype("uint8")
    table = np.array([[10 * k % 256, 255 - 7 * k % 256, 90 * k % 256] for k in range(colours)], "uint8")
    return table[index], index, table


def pam(a, max_value=None, kind=None):
    h, w, c = a.shape
    kind = kind or ["GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"][c - 1]
    max_value = max_value or (65535 if a.dtype == np.uint16 else 255)
    head = "P7\n# drawn\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n" % (w, h, c, max_value, kind)
    return head.encode() + a.astype(">u2" if max_value > 255 else "u1").tobytes()


def pillow(a, form, mode=None, **options):
    f = io.BytesIO()
    im = a if isinstance(a, Image.Image) else Image.fromarray(a.squeeze())
    (im.convert(mode) if mode else im).save(f, form, **options)
    return f.getvalue()


def magick(a, out, *options):
    """ImageMagick's file of a drawn image; out is its FORMAT:."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "a.pam"), os.path.join(folder, "b")
        with open(source, "wb") as f:
            f.write(pam(a))
        run(["convert", source, "-strip", *options, out + target])
        with open(target, "rb") as f:
            return f.read()


def paletted(index, table, **options):
    im = Image.fromarray(index, "P")
    im.putpalette(table.tobytes())
    return im, options


def pngs():
    for channels, name in ((1, "grey"), (2, "la"), (3, "rgb"), (4, "rgba")):
        a, wide = drawn(channels), drawn(channels, 16)
        yield "png_%s" % name, a, run(["pamtopng"], pam(a))
        yield "png_%s_16" % name, wide, run(["pamtopng"], pam(wide))
        yield "png_%s_interlaced" % name, a, run(["pamtopng", "-interlace"], pam(a))
    wide = drawn(3, 16)
    yield "png_rgb_16_interlaced", wide, run(["pamtopng", "-interlace"], pam(wide))
    for bits in (1, 2, 4):
        most = (1 << bits) - 1
        a = drawn(1) % (most + 1)
        yield "png_grey_%d" % bits, a * (255 // most), run(["pamtopng"], pam(a, most))
    for colours in (2, 4, 16, 40):
        colour, index, table = few(colours)
        im, _ = paletted(index, table)
        yield "png_palette_%d" % colours, colour, pillow(im, "PNG")
    colour, index, table = few(4)
    im, _ = paletted(index, table)
    alpha = np.array([0, 255, 128, 255], "uint8")[index]
    yield "png_palette_alpha", np.dstack([colour, alpha]), pillow(im, "PNG", transparency=bytes([0, 255, 128]))
    a = drawn(1)
    alpha = np.where(a == 31, 0, 255).astype("uint8")
    yield "png_grey_key", np.dstack([a, alpha]), pillow(a, "PNG", transparency=31)
    a = drawn(3)
    alpha = np.where((a == a[1, 1]).all(-1), 0, 255).astype("uint8")
    yield "png_rgb_key", np.dstack([a, alpha]), pillow(a, "PNG", transparency=tuple(int(v) for v in a[1, 1]))


def five_bits():
    """An image of 5 bits for each sample: these, as words of 16 bits, and as samples of 8."""
    v = drawn(3) >> 3
    words = (v[..., 0].astype("<u2") << 10 | v[..., 1].astype("<u2") << 5 | v[..., 2]).astype("<u2")
    return v, words, ((v.astype(int) * 255 + 15) // 31).astype("uint8")


def bmps():
    a = drawn(3)
    yield "bmp_24", a, pillow(a, "BMP")
    yield "bmp_os2", a, run(["ppmtobmp", "-os2", "-bpp=24"], pillow(a, "PPM"))
    for colours, bits in ((2, 1), (16, 4), (40, 8)):
        colour, index, table = few(colours)
        yield "bmp_palette_%d" % bits, colour, run(["ppmtobmp", "-windows", "-bpp=%d" % bits], pillow(colour, "PPM"))
        yield "bmp_os2_palette_%d" % bits, colour, run(["ppmtobmp", "-os2", "-bpp=%d" % bits], pillow(colour, "PPM"))
    wide = np.repeat(few(40)[0], 6, axis=1)
    yield "bmp_runs", wide, magick(wide, "BMP3:", "-type", "Palette", "-compress", "RLE")
    yield "bmp_32", drawn(4), magick(drawn(4), "BMP:")
    v, bits16, exact = five_bits()
    yield "bmp_16", exact, dib(bits16, 16)
    yield "bmp_down", exact, dib(bits16, 16, down=True)
    six = np.dstack([v[..., 0], drawn(3)[..., 1] >> 2, v[..., 2]]).astype("<u2")
    bits16 = (six[..., 0] << 11 | six[..., 1] << 5 | six[..., 2]).astype("<u2")
    exact6 = exact.copy()
    exact6[..., 1] = (six[..., 1].astype(int) * 255 + 31) // 63
    yield "bmp_565", exact6, dib(bits16, 16, masks=(0xF800, 0x7E0, 0x1F))
    opaque = np.dstack([drawn(3), np.full((5, 7), 255, "uint8")])
    x = drawn(3).astype("<u4")
    bits32 = (x[..., 0] << 16 | x[..., 1] << 8 | x[..., 2]).astype("<u4")
    yield "bmp_32_unused", opaque, dib(bits32, 32)
    yield "bmp_32_masks", drawn(3), dib((x[..., 0] | x[..., 1] << 8 | x[..., 2] << 16).astype("<u4"), 32, masks=(0xFF, 0xFF00, 0xFF0000))


def dib(values, bits, down=False, masks=None):
    """A BMP by the format's description, for what the programs do not write."""
    h, w = values.shape
    rows = [r.tobytes() + b"\0" * (-len(r.tobytes()) % 4) for r in (values if down else values[::-1])]
    le = lambda size, *numbers: b"".join(int(n).to_bytes(size, "little", signed=n < 0) for n in numbers)
    extra = le(4, *masks) if masks else b""
    body = b"".join(rows)
    head = le(4, 40, w, -h if down else h) + le(2, 1, bits) + le(4, 3 if masks else 0, len(body), 0, 0, 0, 0) + extra
    return b"BM" + le(4, 14 + len(head) + len(body), 0, 14 + len(head)) + head + body


def tgas():
    for options, name in (({}, ""), ({"compression": "tga_rle"}, "_runs"), ({"orientation": 1}, "_down")):
        for channels, kind in ((1, "grey"), (2, "la"), (3, "rgb"), (4, "rgba")):
            a = drawn(channels)
            yield "tga_%s%s" % (kind, name), a, pillow(a, "TGA", **options)
        colour, index, table = few(40)
        im, _ = paletted(index, table)
        yield "tga_palette%s" % name, colour, pillow(im, "TGA", **options)
    wide = np.repeat(np.repeat(few(4)[0], 40, axis=1), 2, axis=0)
    yield "tga_long_runs", wide, pillow(wide, "TGA", compression="tga_rle")
    _, bits16, exact = five_bits()
    head = bytes([0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 5, 0, 16, 0x30])
    yield "tga_16_left", exact[:, ::-1], head + bits16.tobytes()


def pnms():
    grey, rgb, grey16, rgb16 = drawn(1), drawn(3), drawn(1, 16), drawn(3, 16)
    bits = (drawn(1) // 128 * 255).astype("uint8")
    yield "pbm", bits, pillow(bits, "PPM", "1")
    yield "pgm", grey, pillow(grey, "PPM")
    yield "ppm", rgb, pillow(rgb, "PPM")
    for name, a, data in (
        ("pgm_16", grey16, run(["pamtopnm"], pam(grey16))),
        ("ppm_16", rgb16, run(["pamtopnm"], pam(rgb16))),
        ("pbm", bits, pillow(bits, "PPM", "1")),
        ("pgm", grey, pillow(grey, "PPM")),
        ("ppm", rgb, pillow(rgb, "PPM")),
    ):
        if name.endswith("16"):
            yield name, a, data
        yield name + "_plain", a, run(["pnmtoplainpnm"], data)
    hundred = (drawn(1) % 101).astype("uint8")
    scaled = ((hundred.astype(int) * 255 + 50) // 100).astype("uint8")
    yield "pgm_100", scaled, run(["pamtopnm"], pam(hundred, 100))
    thousand = (drawn(3, 16) % 1001).astype("uint16")
    scaled = ((thousand.astype(int) * 65535 + 500) // 1000).astype("uint16")
    yield "ppm_1000", scaled, run(["pamtopnm"], pam(thousand, 1000))
    for channels in (1, 2, 3, 4):
        yield "pam_%d" % channels, drawn(channels), pam(drawn(channels))
        yield "pam_%d_16" % channels, drawn(channels, 16), pam(drawn(channels, 16))
    yield "pam_bits", bits, pam(bits // 255, 1, "BLACKANDWHITE")


def jpegs():
    y, x = np.ogrid[:19, :27]
    smooth = np.stack([x * 9 + 0 * y, y * 13 + 0 * x, 255 - x * 4 - y * 5], -1).astype("uint8")
    source = pillow(smooth, "PPM")
    for name, options in (
        ("444", ["-sample", "1x1"]),
        ("420", ["-sample", "2x2"]),
        ("422", ["-sample", "2x1"]),
        ("410", ["-sample", "4x2"]),
        ("grey", ["-grayscale"]),
        ("progressive", ["-progressive"]),
        ("restarts", ["-restart", "1"]),
        ("arithmetic", ["-arithmetic"]),
        ("colours", ["-rgb"]),
    ):
        data = run(["cjpeg", "-quality", "92", *options], source)
        known = data if name != "arithmetic" else run(["cjpeg", "-quality", "92"], source)  # lossless in both
        a = np.asarray(Image.open(io.BytesIO(known)))
        yield "jpg_" + name, a.reshape(a.shape[0], a.shape[1], -1), data
    inks = np.dstack([smooth, 255 - smooth[..., :1] // 2])
    data = pillow(Image.fromarray(inks, "CMYK"), "JPEG", quality=95)
    yield "jpg_cmyk", np.asarray(Image.open(io.BytesIO(data)).convert("RGB")), data


def main():
    blob, lines = Blob(), []
    for source in (pngs, bmps, tgas, pnms, jpegs):
        for name, a, data in source():
            a = np.ascontiguousarray(a.reshape(a.shape[0], a.shape[1], -1))
            file, pixels = blob.add(np.frombuffer(data, "u1")), blob.add(a)
            off = 2 if source is jpegs else 0
            shape = "x".join(str(n) for n in a.shape)
            lines.append("%s %s %s %d %d:%d %d:%d" % ((name, shape, a.dtype.name, off) + file + pixels))
    with open(os.path.join(HERE, "images.bin"), "wb") as f:
        f.write(b"".join(blob.parts))
    with open(os.path.join(HERE, "images.index"), "w") as f:
        f.write("\n".join(lines) + "\n")
    pixels_calls.write()


if __name__ == "__main__":
    main()
