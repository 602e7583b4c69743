"""Writes printing.lua: arrays and the text that NumPy prints for them (bool in Lua's words).

Run with NumPy 2.4 or later: python3 spec/golden/make.py printing
"""
import numpy as np

DEFAULTS = dict(precision=8, threshold=1000, edgeitems=3, linewidth=75, suppress=False)
INF, NAN = float("inf"), float("nan")

# dtype, shape, values (complex ones as pairs) or how many numbers 0, 1, 2, ... times a factor, options
CASES = [
    ("float64", (3,), [1, 2.5, -3], {}),
    ("float64", (2, 3), [1, 20, 300, 0.5, 0.25, 0.125], {}),
    ("float64", (4,), [0.1, 1 / 3, 2 / 3, 1e-3], {}),
    ("float64", (2, 2), [1e10, 1, 0.1, -2], {}),
    ("float64", (3,), [1e-5, 1, 0], {}),
    ("float64", (3,), [1e-5, 1, 0], {"suppress": True}),
    ("float64", (2,), [1e-300, 1e300], {}),
    ("float64", (5,), [NAN, INF, -INF, 0.0, -0.0], {}),
    ("float64", (2,), [NAN, NAN], {}),
    ("float64", (3,), [NAN, -INF, 1e20], {}),
    ("float64", (2,), [99999999, 1], {"suppress": True}),
    ("float64", (3,), [3.14159265358979, 2.71828182845905, 1.4142135623731], {"precision": 3}),
    ("float64", (2,), [0.1 + 0.2, 0.3], {"precision": 17}),
    ("float64", (30,), (30, 1.25), {}),
    ("float64", (2, 12), (24, 0.1), {"linewidth": 40}),
    ("float64", (2, 2, 2), (8, 1), {}),
    ("float64", (2, 1, 2, 2), (8, 1), {}),
    ("float64", (0,), [], {}),
    ("float64", (2, 0), [], {}),
    ("float64", (1001,), (1001, 1), {}),
    ("float64", (50, 40), (2000, 0.5), {}),
    ("float64", (11, 10, 10), (1100, 1), {}),
    ("float64", (10,), (10, 1), {"threshold": 5, "edgeitems": 2}),
    ("float32", (3,), [0.1, 16.1, 1 / 3], {}),
    ("float32", (2,), [16777216, 1], {}),
    ("float32", (2,), [0.1, 1e-8], {}),
    ("float16", (3,), [0.1, 1 / 3, 100], {}),
    ("float16", (2,), [65504, 6e-8], {}),
    ("int32", (2, 3), [1, -20, 300, 4, 5, 6], {}),
    ("uint8", (3,), [0, 128, 255], {}),
    ("int64", (2,), [-9007199254740992, 7], {}),
    ("int64", (2000,), (2000, 3), {}),
    ("bool", (2, 2), [1, 0, 1, 1], {}),
    ("complex128", (3,), [1, 2, 3.5, -4, 0, 1], {}),
    ("complex128", (2, 2), [1, 2, 30, 0.25, -1, NAN, INF, -INF], {}),
    ("complex64", (2,), [1e-8, 1, 0.1, 1e10], {}),
    ("complex128", (8,), (16, 1.5), {}),
]


def literal(v):
    if v != v:
        return "nan"
    if v in (INF, -INF):
        return "inf" if v > 0 else "-inf"
    return repr(v)


def case(dtype, shape, values, options):
    if isinstance(values, tuple):
        count, factor = values
        data = [k * factor for k in range(count)]
        source = f"count = {count}, factor = {factor!r}"
    else:
        data = values
        source = "values = { %s }" % ", ".join(map(literal, values))
    if dtype.startswith("complex"):
        data = [complex(re, im) for re, im in zip(data[::2], data[1::2])]
    np.set_printoptions(**{**DEFAULTS, **options})
    text = str(np.array(data).astype(dtype).reshape(shape))
    if dtype == "bool":
        text = text.replace("True", "true").replace("False", "false")
    given = ", ".join(f"{k} = {str(v).lower()}" for k, v in options.items())
    print(f'  {{ dtype = "{dtype}", shape = {{ {", ".join(map(str, shape))} }}, options = {{ {given} }},')
    print(f"    {source}, text = [==[\n{text}]==] }},")


print(f"-- Made by printing.py with NumPy {np.__version__}: do not edit.")
print("-- values are in C order, complex ones as pairs; count and factor stand for 0, factor, 2 * factor, ...")
print("local inf = math.huge\nlocal nan = inf - inf\n\nreturn {")
for arguments in CASES:
    case(*arguments)
print("}")
