"""Makes spec/golden/editing.lua: `python3 spec/golden/make.py editing` (needs numpy).

Each case is a call in Lua and the same call in Python; NumPy's result becomes {dtype, {shape}, {values in C order}}, and
complex values {re, im}. The arrays that the calls use are ARRAYS, in both languages.
"""

import textwrap

import numpy as np

ARRAYS = [
    ("v", "cp.arange(6)", np.arange(6)),
    ("m", "cp.arange(12):reshape(3, 4)", np.arange(12).reshape(3, 4)),
    ("c", "cp.arange(24, 'float32'):reshape(2, 3, 4)", np.arange(24, dtype="f4").reshape(2, 3, 4)),
    ("e", "cp.zeros({0, 3}, 'int16')", np.zeros((0, 3), "i2")),
    ("f", "cp.array({{1.5, -2, 3}, {0.25, 4, -1}})", np.array([[1.5, -2, 3], [0.25, 4, -1]])),
    ("z", "cp.array({1, 2, 3}) + cp.j * cp.array({0, 1, -1})", np.array([1, 2 + 1j, 3 - 1j])),
    ("w", "cp.array({{1, 2}, {3, 4}, {5, -6}})", np.array([[1.0, 2], [3, 4], [5, -6]])),
    ("i", "cp.array({3, 1, 2}, 'int32')", np.array([3, 1, 2], "i4")),
    ("h", "cp.array({1, 0.5, -2}, 'float16')", np.array([1, 0.5, -2], "f2")),
]

CASES = [
    ("cp.delete(v, 2)", lambda: np.delete(v, 1)),
    ("cp.delete(v, -1)", lambda: np.delete(v, -1)),
    ("cp.delete(v, {1, 3, 3, -1})", lambda: np.delete(v, [0, 2, 2, -1])),
    ("cp.delete(v, {})", lambda: np.delete(v, [])),
    ("cp.delete(v, {1, 2, 3, 4, 5, 6})", lambda: np.delete(v, [0, 1, 2, 3, 4, 5])),
    ("cp.delete(m, 6)", lambda: np.delete(m, 5)),
    ("cp.delete(m, 2, 1)", lambda: np.delete(m, 1, 0)),
    ("m:delete({4, 1}, 2)", lambda: np.delete(m, [3, 0], 1)),
    ("cp.delete(m.T, {1, 3}, -1)", lambda: np.delete(m.T, [0, 2], -1)),
    ("cp.delete(c, i, 2)", lambda: np.delete(c, i - 1, 1)),
    ("cp.delete(c, {true, false, true, false}, 3)", lambda: np.delete(c, [True, False, True, False], 2)),
    ("cp.delete(v, v:gt(3))", lambda: np.delete(v, v > 3)),
    ("cp.delete(e, 2, 2)", lambda: np.delete(e, 1, 1)),
    ("cp.insert(v, 2, 9)", lambda: np.insert(v, 1, 9)),
    ("cp.insert(v, 7, 9)", lambda: np.insert(v, 6, 9)),
    ("cp.insert(v, -1, 9)", lambda: np.insert(v, -1, 9)),
    ("cp.insert(v, 1, {7, 8, 9})", lambda: np.insert(v, 0, [7, 8, 9])),
    ("cp.insert(v, {2}, {7, 8})", lambda: np.insert(v, [1], [7, 8])),
    ("cp.insert(v, {4, 2, 2}, {7, 8, 9})", lambda: np.insert(v, [3, 1, 1], [7, 8, 9])),
    ("cp.insert(v, {1, -1, 7}, 5)", lambda: np.insert(v, [0, -1, 6], 5)),
    ("cp.insert(v, {}, 5)", lambda: np.insert(v, [], 5)),
    ("cp.insert(m, 2, 5)", lambda: np.insert(m, 1, 5)),
    ("cp.insert(m, 2, 5, 1)", lambda: np.insert(m, 1, 5, 0)),
    ("m:insert(2, {5, 6, 7}, 2)", lambda: np.insert(m, 1, [5, 6, 7], 1)),
    ("cp.insert(m, {2}, {{5}, {6}, {7}}, 2)", lambda: np.insert(m, [1], [[5], [6], [7]], 1)),
    ("cp.insert(m, {1, 5}, {{5, 50}, {6, 60}, {7, 70}}, 2)", lambda: np.insert(m, [0, 4], [[5, 50], [6, 60], [7, 70]], 1)),
    ("cp.insert(m, {1, 3}, {1, 2, 3, 4}, 1)", lambda: np.insert(m, [0, 2], [1, 2, 3, 4], 0)),
    ("cp.insert(c, i, 0.5, -2)", lambda: np.insert(c, i - 1, 0.5, -2)),
    ("cp.insert(e, 1, {1, 2, 3}, 1)", lambda: np.insert(e, 0, [1, 2, 3], 0)),
    ("cp.insert(i, 2, 2 ^ 31 - 1)", lambda: np.insert(i, 1, 2**31 - 1)),
    ("cp.cross(f, f['::-1'])", lambda: np.cross(f, f[::-1])),
    ("cp.cross(f[1], f)", lambda: np.cross(f[0], f)),
    ("f:cross(cp.reshape(f, {2, 1, 3}))", lambda: np.cross(f, f.reshape(2, 1, 3))),
    ("cp.cross(c, c * 2 - 1, {axis = 2})", lambda: np.cross(c, c * 2 - 1, axis=1)),
    ("cp.cross(c, cp.repeats(cp.reshape(f, {2, 1, 3}), 4, 2), 2, 3, 1)",
     lambda: np.cross(c, f[:, None, :].repeat(4, 1), 1, 2, 0)),
    ("cp.cross(i, v[{ {1, 3} }])", lambda: np.cross(i, v[:3])),
    ("cp.cross(z, {1, 0, 2})", lambda: np.cross(z, np.array([1.0, 0, 2]))),
    ("cp.polyval(z, f)", lambda: np.polyval(z, f)),
    ("cp.polyval(i, v)", lambda: np.polyval(i, v)),
    ("cp.polyval(h, c)", lambda: np.polyval(h, c)),
    ("cp.polyval(f[1], cp.array({1, 2, cp.nan, cp.inf}))", lambda: np.polyval(f[0], np.array([1, 2, np.nan, np.inf]))),
    ("cp.polyadd(f[1], i)", lambda: np.polyadd(f[0], i)),
    ("cp.polyadd(v, i)", lambda: np.polyadd(v, i)),
    ("cp.polysub(i, v)", lambda: np.polysub(i, v)),
    ("cp.polymul(v, i)", lambda: np.polymul(v, i)),
    ("cp.polymul(f[2], z)", lambda: np.polymul(f[1], z)),
    ("cp.polyder(v)", lambda: np.polyder(v)),
    ("cp.polyder(f[1], 2)", lambda: np.polyder(f[0], 2)),
    ("cp.polyder(f[1], 5)", lambda: np.polyder(f[0], 5)),
    ("cp.polyint(f[1])", lambda: np.polyint(f[0])),
    ("cp.polyint(v, 2, {6, 5})", lambda: np.polyint(v, 2, [6, 5])),
    ("cp.polyint(z, 1, 3)", lambda: np.polyint(z, 1, 3)),
    ("cp.unwrap(f * 3)", lambda: np.unwrap(f * 3)),
    ("cp.unwrap(f.T * 3, {axis = 1})", lambda: np.unwrap(f.T * 3, axis=0)),
    ("cp.unwrap(cp.mod(cp.arange(40) * 1.9, 2 * cp.pi) - cp.pi)",
     lambda: np.unwrap(np.mod(np.arange(40) * 1.9, 2 * np.pi) - np.pi)),
    ("cp.unwrap(cp.mod(cp.arange(11) * 3, 7), {period = 7})", lambda: np.unwrap(np.arange(11) * 3 % 7, period=7)),
    ("cp.unwrap(cp.mod(cp.arange(11) * 3, 8), {period = 8})", lambda: np.unwrap(np.arange(11) * 3 % 8, period=8)),
    ("cp.unwrap(f * 3, 5)", lambda: np.unwrap(f * 3, 5)),
    ("cp.unwrap(c[1] * 4, {period = 3})", lambda: np.unwrap(c[0] * 4, period=3)),
    ("cp.unwrap(e)", lambda: np.unwrap(e)),
    ("cp.unwrap({1, cp.nan, 9, 20})", lambda: np.unwrap([1, np.nan, 9, 20])),
    ("cp.sliding_window_view(v, 3)", lambda: np.lib.stride_tricks.sliding_window_view(v, 3)),
    ("cp.sliding_window_view(m, {2, 3})", lambda: np.lib.stride_tricks.sliding_window_view(m, (2, 3))),
    ("m.T:sliding_window_view(2, 2)", lambda: np.lib.stride_tricks.sliding_window_view(m.T, 2, axis=1)),
    ("cp.sliding_window_view(c, {1, 2}, {3, -2})", lambda: np.lib.stride_tricks.sliding_window_view(c, (1, 2), axis=(2, -2))),
    ("cp.sliding_window_view(v, {2, 3}, {1, 1})", lambda: np.lib.stride_tricks.sliding_window_view(v, (2, 3), axis=(0, 0))),
]


def number(x):
    if isinstance(x, complex):
        return "{%s, %s}" % (number(x.real), number(x.imag))
    if isinstance(x, bool):
        return "true" if x else "false"
    return {"nan": "0 / 0", "inf": "math.huge", "-inf": "-math.huge"}.get(repr(x), repr(x))


def main():
    print("-- Written by editing.py: calls, and NumPy's result as {dtype, {shape}, {values}}.")
    print("return {\n  arrays = {")
    for name, text, value in ARRAYS:
        globals()[name] = value
        print("    { \"%s\", \"%s\" }," % (name, text))
    print("  },\n  cases = {")
    for call, reference in CASES:
        r = np.asarray(reference())
        shape = ", ".join(map(str, r.shape))
        flat = ", ".join(number(x) for x in r.ravel().tolist())
        values = textwrap.fill("{ %s } }," % flat, 110, initial_indent=" " * 6, subsequent_indent=" " * 6)
        print("    { \"%s\",\n      \"%s\", { %s },\n%s" % (call, r.dtype, shape, values))
    print("  },\n}")


if __name__ == "__main__":
    main()
