"""Base arrays of the golden data: special values first, then random ones from a fixed seed.

Every function returns NumPy arrays of the dtype itself, so what is stored is what the operation sees. Arrays are
two-dimensional, so that the spec can lay them out transposed; the operands of binary operations are the two sides
of an outer product (row i holds a[i], column j holds b[j]), so that the spec can also broadcast them.
"""

import ml_dtypes
import numpy as np

DTYPES = {
    "bool": np.bool_, "int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64,
    "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64,
    "float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32, "float64": np.float64,
    "complex64": np.complex64, "complex128": np.complex128,
}
DTYPES = {name: np.dtype(t) for name, t in DTYPES.items()}
INTEGERS = [n for n in DTYPES if n.startswith(("int", "uint"))]
HALVES = ["float16", "bfloat16"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]

# (bits of precision, exponent of the smallest normal number, exponent of the largest)
FORMAT = {"float16": (11, -14, 15), "bfloat16": (8, -126, 127), "float32": (24, -126, 127), "float64": (53, -1022, 1023)}


def kind(name):
    if name == "bool":
        return "b"
    if name in INTEGERS:
        return "i"
    return "f" if name in FLOATS else "c"


def limits(name):
    """Smallest subnormal, largest subnormal, smallest normal, largest number and epsilon of a floating dtype."""
    p, emin, emax = FORMAT[name]
    tiny = 2.0 ** emin
    eps = 2.0 ** (1 - p)
    return tiny * eps, tiny * (1 - eps), tiny, 2.0 ** emax * (2 - eps), eps


def overflows(x, name):
    """Where a number rounds to infinity in a floating dtype: from half a unit above its largest number."""
    p, _, emax = FORMAT[name]
    with np.errstate(all="ignore"):
        return np.abs(x) >= limits(name)[3] + np.longdouble(2) ** (emax - p)


def to_dtype(values, name):
    with np.errstate(all="ignore"):
        return np.array(values, dtype=np.float64).astype(DTYPES[name])


def unary_floats(name):
    sub, big_sub, tiny, top, eps = limits(name)
    special = [0.0, -0.0, np.nan, np.inf, -np.inf, sub, -sub, big_sub, -big_sub, tiny, -tiny, top, -top, eps, -eps,
               1, -1, 1 + eps, 1 - eps / 2, -1 - eps, -1 + eps / 2, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 2, -2, 3, -3, 4,
               10, -10, 100, np.pi / 4, np.pi / 2, np.pi, -np.pi / 2, 2 * np.pi, 8.5, -8.25, 0.25, -0.75, 1e-3, -1e-4,
               1000, -1000, 11.09, -17.3, 88.7, -87.4, -103.5, 127.99, -149.5]
    if name == "float64":
        special += [709.78, -745.1, 1023.9, -1074.5, 1e22, -1e300, 1e15 + 0.5, 2.0 ** 52 + 1, 171.6, 1e-300]
    elif name in ("float32", "bfloat16"):
        special += [1e10, -1e30, 8388609, 4194304.5, 35.03, 1e-30, 33000, -120000, 65536.5, 1e-20]
    else:
        special += [65504, 2049, 1023.5, 9.1, 6e-5, 6e-6, 3.7, -5.6, 4.4, 60000]
    rng = np.random.default_rng(20)
    wide = np.exp2(rng.uniform(-20, 12, 13)) * rng.choice([-1, 1], 13)
    values = np.concatenate([special, rng.uniform(-4, 4, 96 - len(special) - 13), wide])
    return [to_dtype(values, name).reshape(8, 12)]


def unary_integers(name):
    info = np.iinfo(DTYPES[name])
    values = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3, 4, 5, 7, 9, 10, 16, 25, 63, 64, 100, 127]
    if info.min < 0:
        values += [-1, -2, -3, -5, -10, -100, -127]
    rng = np.random.default_rng(21)
    values += list(rng.integers(info.min, info.max, 32 - len(values), dtype=DTYPES[name], endpoint=True))
    return [np.array(values, dtype=DTYPES[name]).reshape(4, 8)]


def unary_complex(name):
    part = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, np.inf, -np.inf, np.nan]
    values = [complex(re, im) for re in part for im in part]
    rng = np.random.default_rng(22)
    more = rng.uniform(-4, 4, (2, 120 - len(values)))
    return [np.array(values + list(more[0] + 1j * more[1])).astype(DTYPES[name]).reshape(10, 12)]


def outer(a, b, name):
    a, b = np.array(a).astype(DTYPES[name]), np.array(b).astype(DTYPES[name])
    grid = np.broadcast_arrays(a[:, None], b[None, :])
    return [np.ascontiguousarray(g) for g in grid]


def binary_floats(name):
    sub, _, tiny, top, eps = limits(name)
    a = [0.0, -0.0, 1, -1, np.nan, np.inf, -np.inf, sub, -tiny, top, -top, 0.5, -2.5, 3, 7, -7, 2, 1e-3, 5.25, -0.75]
    b = [0.0, -0.0, 1, -1, np.nan, np.inf, -np.inf, -sub, tiny, top, -top, 0.5, -0.5, 2, -2, 3, -3, 10, 1.5, 1 / 3]
    with np.errstate(all="ignore"):
        return outer(a, b, name)


def binary_integers(name):
    info = np.iinfo(DTYPES[name])
    low = [-1, -2, -7, -100, 5, 9] if info.min < 0 else [4, 5, 9, 25, 49, 200]
    a = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3, 7, 100] + low
    b = [info.min, info.max, 0, 1, 2, 3, 6, 10, 12, 64] + [v + 1 if v > 0 else v for v in low]
    grid = np.broadcast_arrays(np.array(a, DTYPES[name])[:, None], np.array(b, DTYPES[name])[None, :])
    return [np.ascontiguousarray(g) for g in grid]


def binary_complex(name):
    a = [0, complex(-0.0, 0.0), 1, -1, 1j, -1j, 2 + 3j, -2.5 + 0.5j, 3 - 1.5j, complex(np.inf, 1), complex(1, -np.inf),
         complex(np.nan, 1), complex(2, np.nan), 0.25 - 0.75j]
    b = [0, 1, 2, 3, -1, 0.5, 1j, -2j, 1.5 - 0.5j, 2 + 3j, complex(-np.inf, 2), complex(0, np.inf), complex(np.nan, 0),
         complex(1, np.nan), -0.75 + 1.25j]
    return outer(a, b, name)


def finite_complex(name):
    """For divide and power, where infinities and zeros have no result that everybody agrees on."""
    rng = np.random.default_rng(23)
    a = list(rng.uniform(-3, 3, 12) + 1j * rng.uniform(-3, 3, 12)) + [1, -1, 1j, 2 - 2j]
    b = [1, 2, 3, -1, 0.5, 1j, -2, -3 + 1j] + list(rng.uniform(-2, 2, 8) + 1j * rng.uniform(-2, 2, 8))
    return outer(a, b, name)


def bools():
    a = np.array([False, True, True, False])
    b = np.array([True, False, True, False])
    return [np.ascontiguousarray(g) for g in np.broadcast_arrays(a[:, None], b[None, :])]


def unary(name):
    if name == "bool":
        return bools()[:1]
    return {"i": unary_integers, "f": unary_floats, "c": unary_complex}[kind(name)](name)


def binary(name):
    if name == "bool":
        return bools()
    return {"i": binary_integers, "f": binary_floats, "c": binary_complex}[kind(name)](name)


def exponents(name):
    """Operands of power for integers: NumPy refuses negative exponents, so there are none."""
    a, b = binary_integers(name)
    info = np.iinfo(DTYPES[name])
    values = [0, 1, 2, 3, 4, 5, 7, 8, 13, 31, 32, 63, 64, 100, info.max - 1, info.max]
    return outer(list(a[:, 0]), np.array(values, DTYPES[name]), name)


def shifts(name):
    a, _ = binary_integers(name)
    bits = DTYPES[name].itemsize * 8
    b = [0, 1, 2, 3, bits - 2, bits - 1, bits, bits + 1, 64, 100, np.iinfo(DTYPES[name]).max]
    b += [-1, -100] if np.iinfo(DTYPES[name]).min < 0 else [120, 127]
    return outer(list(a[:, 0]), np.array(b, DTYPES[name]), name)


def ternary(name, n=120):
    """Three operands drawn from the two sides of the binary ones."""
    rng = np.random.default_rng(24)
    a, b = finite_complex(name) if kind(name) == "c" else binary(name)
    pool = np.concatenate([a[:, 0], b[0]])
    return [rng.permutation(np.resize(pool, n)).reshape(10, 12) for _ in range(3)]
