"""Golden cases of the elementwise operations: one per (operation, dtype), on the base arrays of values.py.

A case is a dict: op (what the spec calls), dtype, set (name of the input set, see input_set), outs (list of arrays),
tol ("exact", "zero": exact but either zero, a number of ulp, or an array of absolute bounds beside float64/complex128
outs), with_ (further arguments as Lua text). What NumPy has not, or refuses, is computed here as ops.def defines it.
"""

from fractions import Fraction

import mpmath
import numpy as np

import values
from reference import exact, fma, nextafter, round_fraction, rounded
from table import floating, loop_of, real, result
from values import DTYPES, HALVES, INTEGERS, kind

long_pi = np.arctan2(np.longdouble(0), np.longdouble(-1))


def gamma(x):
    with np.errstate(all="ignore"):
        pole = (x <= 0) & (x == np.floor(x))
        at_zero = np.copysign(np.inf, x)
        out = np.array([np.nan if p else float_gamma(v) for v, p in zip(x.ravel(), pole.ravel())]).reshape(x.shape)
        return np.where(x == 0, at_zero, np.where(np.isneginf(x), np.nan, out))


def float_gamma(v):
    if np.isnan(v) or np.isposinf(v):
        return v
    if v > 172:
        return np.inf
    return float(mpmath.gamma(v)) if v > -200 else np.copysign(0.0, 1.0 if np.floor(v) % 2 == 0 else -1.0)


def lgamma(x):
    with np.errstate(all="ignore"):
        pole = np.isinf(x) | (x <= 0) & (x == np.floor(x))
        big = np.abs(x) > 1e300
        out = [v if np.isnan(v) else np.inf if p or b and v > 1e305 else float(mp_lgamma(mpmath.mpf(float(v))))
               for v, p, b in zip(x.ravel(), pole.ravel(), big.ravel())]
        return np.where(np.isneginf(x), x, np.array(out).reshape(x.shape))


def mp_lgamma(v):
    return mpmath.re(mpmath.loggamma(v))


def by_element(f):
    def wide(x):
        return np.array([float(f(float(v))) if np.isfinite(v) else f(float(v)) for v in x.ravel()]).reshape(x.shape)
    return wide


def erf(x):
    return by_element(lambda v: v if v == 0 or np.isnan(v) else np.copysign(1, v) if np.isinf(v) else mpmath.erf(v))(x)


def erfc(x):
    return by_element(lambda v: v if np.isnan(v) else (0 if v > 0 else 2) if np.isinf(v) else
                      0.0 if v > 30 else mpmath.erfc(v))(x)


def sinc(x):
    with np.errstate(all="ignore"):
        y = x * np.pi
        return np.where(x == 0, 1, np.where((x == np.round(x)) & np.isfinite(x), 1e-300, np.sin(y) / y))


def mp_logaddexp(a, b):
    return max(a, b) + mpmath.log1p(mpmath.exp(-abs(a - b)))


def mp_logaddexp2(a, b):
    return max(a, b) + mpmath.log1p(mpmath.power(2, -abs(a - b))) / mpmath.log(2)


# name: (NumPy's function, mpmath's function). Only finite results other than zero go to the latter.
ROUNDED = {
    "cbrt": (np.cbrt, lambda v: mpmath.sign(v) * mpmath.cbrt(abs(v))), "exp": (np.exp, mpmath.exp),
    "exp2": (np.exp2, lambda v: mpmath.power(2, v)), "expm1": (np.expm1, mpmath.expm1), "log": (np.log, mpmath.log),
    "log2": (np.log2, lambda v: mpmath.log(v) / mpmath.log(2)),
    "log10": (np.log10, lambda v: mpmath.log(v) / mpmath.log(10)), "log1p": (np.log1p, mpmath.log1p),
    "sin": (np.sin, mpmath.sin), "cos": (np.cos, mpmath.cos), "tan": (np.tan, mpmath.tan),
    "arcsin": (np.arcsin, mpmath.asin), "arccos": (np.arccos, mpmath.acos), "arctan": (np.arctan, mpmath.atan),
    "sinh": (np.sinh, mpmath.sinh), "cosh": (np.cosh, mpmath.cosh), "tanh": (np.tanh, mpmath.tanh),
    "arcsinh": (np.arcsinh, mpmath.asinh), "arccosh": (np.arccosh, mpmath.acosh), "arctanh": (np.arctanh, mpmath.atanh),
    "erf": (erf, mpmath.erf), "erfc": (erfc, mpmath.erfc), "gamma": (gamma, mpmath.gamma),
    "sinc": (sinc, mpmath.sincpi), "arctan2": (np.arctan2, mpmath.atan2), "hypot": (np.hypot, mpmath.hypot),
    "power": (np.power, mpmath.power),
    "angle": (lambda x: np.arctan2(0 * np.isnan(x), x), lambda v: +mpmath.pi),
    "degrees": (np.degrees, lambda v: v * 180 / mpmath.pi), "radians": (np.radians, lambda v: v * mpmath.pi / 180),
}
def near_one(want, a, _):
    return np.maximum(np.abs(want), np.minimum(np.abs(a), 1))


# Functions with zeros where a relative bound means nothing: the bound is n ulp of a scale beside the value.
SCALED = {
    "lgamma": (lgamma, mp_lgamma, lambda want, _: np.maximum(np.abs(want), 1)),
    "logaddexp": (np.logaddexp, mp_logaddexp, near_one),
    "logaddexp2": (np.logaddexp2, mp_logaddexp2, near_one),
}


def reciprocal_integer(a):
    return np.where(np.abs(a) == 1, a, np.zeros_like(a))


# EXACT operations of floating and integer dtypes that NumPy names as cupola does.
PLAIN = """add subtract multiply floor_divide remainder fmod negative positive absolute sign square sqrt floor ceil trunc
rint equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor logical_not maximum minimum
fmax fmin bitwise_and bitwise_or bitwise_xor invert left_shift right_shift isnan isinf isfinite signbit copysign heaviside
gcd lcm modf frexp divmod nan_to_num real imag""".split()
EXACT = {name: getattr(np, name) for name in PLAIN}
EXACT.update(conj=np.conjugate, reciprocal=np.reciprocal, divide=np.divide, nextafter=nextafter,
             rsqrt=lambda a: 1 / np.sqrt(a))
ZERO = {"maximum", "minimum", "fmax", "fmin"}  # of 0 and -0 either may come
PARTS = {"modf": ("modf_fraction", "modf_integer"), "frexp": ("frexp_mantissa", "frexp_exponent"),
         "divmod": ("floor_divide", "remainder")}


def input_set(op, cls, name, arity):
    if name == "bool" or op == "where":
        return "binary" if arity == 2 else "unary"
    if name in INTEGERS and op == "power":
        return "exponents"
    if op in ("left_shift", "right_shift"):
        return "shifts"
    if kind(name) == "c" and op in ("divide", "power"):
        return "finite_complex"
    return "binary" if arity == 2 else "unary"


class Sets:
    """Input sets by name, each built once: {"unary:float32": {arrays, outer}}."""

    def __init__(self):
        self.all = {}

    def get(self, what, name):
        key = what + ":" + name
        if key not in self.all:
            arrays = getattr(values, what)(name)
            self.all[key] = {"arrays": arrays, "outer": len(arrays) == 2}
        return key, self.all[key]["arrays"]

    def add(self, key, arrays, outer=False):
        self.all[key] = {"arrays": arrays, "outer": outer}
        return key


def ulp_case(op, n, loop, arrays):
    arrays = [a.astype(DTYPES[loop]) for a in arrays]
    numpy_f, mp_f = ROUNDED[op]
    tol = 1 if loop in HALVES else n
    if op in ("degrees", "radians"):
        tol = 2  # exact between devices; the reference is the true product, the definition rounds a constant too
    return [rounded(numpy_f, mp_f, loop, *arrays)], tol


def scaled_case(op, n, loop, arrays):
    arrays = [a.astype(DTYPES[loop]) for a in arrays]
    numpy_f, mp_f, scale = SCALED[op]
    wide = [a.astype(np.float64) for a in arrays]
    want = rounded(numpy_f, mp_f, "float64", *wide)
    eps = values.limits(loop)[4]
    low = values.limits(loop)[0]
    with np.errstate(all="ignore"):
        bound = np.maximum(n * eps * np.maximum(scale(want, *wide), values.limits(loop)[2]), 4 * low)
    if loop in HALVES:
        bound = eps * np.maximum(np.abs(want), 2.0 ** -10) + 2 * low
    want = np.where(values.overflows(want, loop), np.copysign(np.inf, want), want)
    return [want], np.where(np.isfinite(bound), bound, 0)


def real_case(op, info, name, arrays):
    """Outputs and tolerance of a case whose dtype is bool, an integer or floating."""
    loop = loop_of(op, info["cls"], name)
    if op in ROUNDED and not (op == "power" and loop in INTEGERS):
        return ulp_case(op, info["numeric"] if isinstance(info["numeric"], int) else 0, loop, arrays)
    if op in SCALED:
        return scaled_case(op, info["numeric"], loop, arrays)
    f = np.power if op == "power" else EXACT[op]
    if loop in INTEGERS and op == "reciprocal":
        f = reciprocal_integer
    if op == "nextafter":
        with np.errstate(all="ignore"):
            return [nextafter(*[a.astype(DTYPES[loop]) for a in arrays])], "zero" if loop in HALVES else "exact"
    outs = exact(f, loop, *arrays)
    return list(outs) if isinstance(outs, tuple) else [outs], "zero" if op in ZERO else "exact"


COMPLEX_EXACT = """add subtract negative positive equal not_equal less less_equal greater greater_equal logical_and
logical_or logical_xor logical_not maximum minimum fmax fmin isnan isinf isfinite conj real imag nan_to_num rint""".split()


def naive_multiply(a, b):
    """NumPy's own loop may contract to fma; cupola does not."""
    out = np.empty(a.shape, a.dtype)
    out.real = a.real * b.real - a.imag * b.imag
    out.imag = a.real * b.imag + a.imag * b.real
    return out


COMPLEX_WIDE = {
    "reciprocal": lambda z: 1 / z, "square": lambda z: z * z, "cube": lambda z: z * z * z,
    "rsqrt": lambda z: 1 / np.sqrt(z), "exp2": lambda z: np.exp(z * np.log(np.longdouble(2))),
    "log2": lambda z: np.log(z) / np.log(np.longdouble(2)), "log10": lambda z: np.log(z) / np.log(np.longdouble(10)),
    "sinc": lambda z: np.where(z == 0, 1, np.sin(long_pi * z) / (long_pi * np.where(z == 0, 1, z))),
    "angle": np.angle, "absolute": np.abs, "sign": lambda z: np.where(z == 0, z, z / np.abs(z)),
}
# Operations whose results for infinities and nans are compared too; the others only at finite points.
COMPLEX_SPECIAL = "sqrt exp log sin cos sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh absolute angle".split()


def complex_case(op, info, name, arrays):
    if op in COMPLEX_EXACT:
        with np.errstate(all="ignore"):
            f = EXACT[op]
            return [f(*arrays)], "exact"
    with np.errstate(all="ignore"):
        if op == "multiply":
            want = naive_multiply(*arrays).astype(np.complex128)
        else:
            f = COMPLEX_WIDE.get(op) or getattr(np, op)
            wide = [a.astype(np.clongdouble) for a in arrays]
            want = np.asarray(f(*wide))
            want = want.astype(np.complex128 if want.dtype.kind == "c" else np.float64)
    eps = values.limits(real(name))[4]
    few = 32 if op == "power" else max(4, info["numeric"] if isinstance(info["numeric"], int) else 0) * 2
    with np.errstate(all="ignore"):
        bound = few * eps * np.maximum(np.abs(want), values.limits(real(name))[2])
        if op == "sinc":  # an error of pi z, relative, is one of pi |z| eps in the sine
            bound = bound * (1 + np.pi * np.abs(arrays[0])) + few * eps
    return [want], np.where(np.isfinite(bound), bound, 0)


def finite_points(op, name, sets, what):
    """The input set without infinities and nans, for complex functions whose special values nobody fixes."""
    key = "finite:" + name if what == "unary" else None
    if what != "unary" or op in COMPLEX_EXACT or op in COMPLEX_SPECIAL:
        return sets.get(what, name)
    if key not in sets.all:
        a = values.unary_complex(name)[0].ravel()
        a = a[np.isfinite(a) & (a != 0) & (a != -1)]  # poles
        a = a[: len(a) // 8 * 8].reshape(-1, 8)
        sets.add(key, [a])
    arrays = sets.all[key]["arrays"]
    return key, arrays


def one_dtype_cases(ops, sets):
    merged = dict(ops)
    for whole, parts in PARTS.items():
        merged[whole] = dict(ops[parts[0]], numeric="exact", arity=2 if whole == "divmod" else 1)
    for op, info in merged.items():
        if info["scope"] == "INTERNAL" or op in SPECIAL or op in [p for ps in list(PARTS.values())[:2] for p in ps]:
            continue
        for name in DTYPES:
            if result(op, info["cls"], name) is None or name == "bool" and op in ("gcd", "lcm"):
                continue
            what = input_set(op, info["cls"], name, info["arity"])
            if kind(name) == "c":
                key, arrays = finite_points(op, name, sets, what)
                outs, tol = complex_case(op, info, name, arrays)
            else:
                key, arrays = sets.get(what, name)
                outs, tol = real_case(op, info, name, arrays)
            yield {"op": op, "dtype": name, "set": key, "outs": outs, "tol": tol}


# Operations that one_dtype_cases does not know how to call.
SPECIAL = {"fma", "lerp", "isclose", "where", "ldexp", "nan_to_num"}


def special_cases(sets):
    for name in DTYPES:
        k = kind(name)
        a, b, c = values.ternary(name)
        key = sets.add("ternary:" + name, [a, b, c])
        choice = np.resize([True, False, False, True, False], a.shape)
        yield {"op": "where", "dtype": name, "set": sets.add("where:" + name, [choice, a, b]),
               "outs": [np.where(choice, a, b)], "tol": "exact"}
        if k == "c":
            eps = values.limits(real(name))[4]
            x, y, z = (v.astype(np.clongdouble) for v in (a, b, c))
            for op, want, size in (("fma", x * y + z, abs(x) * abs(y) + abs(z)),
                                   ("lerp", x + z * (y - x), abs(x) + abs(z) * (abs(y) + abs(x)))):
                yield {"op": op, "dtype": name, "set": key, "outs": [want.astype(np.complex128)],
                       "tol": (4 * eps * size).astype(np.float64)}
        else:
            loop = floating(name)
            yield {"op": "fma", "dtype": name, "set": key, "outs": [exact(fma, loop, a, b, c)], "tol": "exact"}
            yield lerp_case(sets, name, loop)
            yield ldexp_case(sets, name, loop)
        if k in "fc":
            yield {"op": "nan_to_num", "dtype": name, "set": sets.get("unary", name)[0],
                   "outs": [nan_to_num(sets.get("unary", name)[1][0], name)], "tol": "exact"}
            yield nan_to_num_values(sets, name)
        else:
            yield {"op": "nan_to_num", "dtype": name, "set": sets.get("unary", name)[0],
                   "outs": [sets.get("unary", name)[1][0]], "tol": "exact"}
        yield isclose_case(sets, name)
        yield from power_of_number(sets, name)
        yield from clip_and_round(sets, name)


def nan_to_num(x, name):
    if name != "bfloat16":
        return np.nan_to_num(x)
    top = values.limits(name)[3]
    return np.nan_to_num(x.astype(np.float64), posinf=top, neginf=-top).astype(x.dtype)


def nan_to_num_values(sets, name):
    key, (x,) = sets.get("unary", name)
    if kind(name) == "c":
        out = np.nan_to_num(x, nan=1.5, posinf=8, neginf=-4)
    else:
        out = np.nan_to_num(x.astype(np.float64), nan=1.5, posinf=8, neginf=-4).astype(x.dtype)
    return {"op": "nan_to_num", "dtype": name, "set": key, "outs": [out], "tol": "exact",
            "with_": "{nan = 1.5, posinf = 8, neginf = -4}"}


def lerp_case(sets, name, loop):
    """Operands of moderate size: the bound is a few ulp of the largest term."""
    rng = np.random.default_rng(25)
    if kind(name) == "f":
        a, b, t = rng.uniform(-8, 8, 64), rng.uniform(-8, 8, 64), rng.uniform(0, 1, 64)
    else:
        low = 0 if name == "bool" or name.startswith("uint") else -20
        a, b, t = rng.integers(low, 2 if name == "bool" else 21, 64), rng.integers(0, 2, 64), rng.integers(0, 2, 64)
    a, b, t = (v.astype(DTYPES[name]).reshape(8, 8) for v in (a, b, t))
    x, y, z = (v.astype(np.float64) for v in (a, b, t))
    bound = 4 * values.limits(loop)[4] * (abs(x) + abs(y))
    return {"op": "lerp", "dtype": name, "set": sets.add("lerp:" + name, [a, b, t]), "outs": [x + z * (y - x)],
            "tol": bound, "out_dtype": loop}


def ldexp_case(sets, name, loop):
    key, (x,) = sets.get("unary", name)
    steps = [0, 1, -1, 3, -3, 10, -10, 24, -24, 60, -60, 130, -130, 1000, -1100, 5000, -5000]
    e = np.resize(np.array(steps, np.int32), x.shape)
    wide = x.astype(DTYPES[loop]).astype(np.longdouble)
    with np.errstate(all="ignore"):
        q = [float(v) if not np.isfinite(v) or v == 0 else exact_ldexp(float(v), int(n), loop)
             for v, n in zip(wide.ravel(), e.ravel())]
        out = np.array(q).reshape(x.shape).astype(DTYPES[loop])
    return {"op": "ldexp", "dtype": name, "set": sets.add("ldexp:" + name, [x, e]), "outs": [out], "tol": "exact"}


def exact_ldexp(v, n, loop):
    return np.copysign(round_fraction(Fraction(v) * Fraction(2) ** n, loop), v)


def isclose_case(sets, name):
    """Pairs that are clearly close or clearly apart, infinities and nans."""
    base = values.binary(name)[0][:, 0]
    rng = np.random.default_rng(26)
    a = np.resize(base, 48)
    b = a.copy()
    if kind(name) in "fc":
        with np.errstate(all="ignore"):
            b[::3] = (b[::3].astype(np.complex128 if kind(name) == "c" else np.float64) * 1.25).astype(b.dtype)
            b[1::3] = rng.permutation(b[1::3])
    else:
        b[::3] = rng.permutation(b[::3])
    a, b = a.reshape(6, 8), b.reshape(6, 8)
    wide = np.complex128 if kind(name) == "c" else np.float64
    with np.errstate(all="ignore"):
        x, y = a.astype(wide), b.astype(wide)
        if kind(name) in "bi":  # operands become floating first
            x, y = (v.astype(DTYPES[floating(name)]).astype(wide) for v in (x, y))
        out = np.isclose(x, y, rtol=0.0625, atol=0.03125)
    return {"op": "isclose", "dtype": name, "set": sets.add("isclose:" + name, [a, b]), "outs": [out], "tol": "exact",
            "with_": "{rtol = 0.0625, atol = 0.03125}"}


def power_of_number(sets, name):
    """x^2 and so on: exact for floating dtypes; integers keep their dtype for whole exponents."""
    if name == "bool":
        return
    key, (x,) = sets.get("unary", name)
    forms = {"2": np.square, "3": lambda v: v * v * v, "1": lambda v: +v}
    if kind(name) == "f":
        forms.update({"0.5": np.sqrt, "-0.5": lambda v: 1 / np.sqrt(v), "-1": np.reciprocal})
    if kind(name) == "c":
        key, x = finite_points("square", name, sets, "unary")
        x = x[0]
        for text, op in (("2", "square"), ("3", "cube"), ("0.5", "sqrt"), ("-1", "reciprocal")):
            outs, tol = complex_case(op, {"numeric": 0}, name, [x])
            yield {"op": "^" + text, "dtype": name, "set": key, "outs": outs, "tol": tol}
        return
    for text, f in forms.items():
        yield {"op": "^" + text, "dtype": name, "set": key, "outs": [exact(f, name, x)], "tol": "exact"}


def clip_and_round(sets, name):
    k = kind(name)
    key, (x,) = sets.get("unary", name)
    if k in "if":
        low = 2 if name.startswith("uint") else -3
        with np.errstate(all="ignore"):
            out = np.minimum(np.maximum(x, np.array(low, x.dtype)), np.array(50, x.dtype))
        yield {"op": "clip", "dtype": name, "set": key, "outs": [out], "tol": "exact", "with_": "%d, 50" % low}
    if k == "c":
        out = np.rint(x)
    elif k == "f":
        out = exact(np.rint, name, x)
    elif k == "i":
        out = x
    else:
        return
    yield {"op": "round", "dtype": name, "set": key, "outs": [out], "tol": "exact"}
    if name in ("float32", "float64"):
        with np.errstate(all="ignore"):
            yield {"op": "round", "dtype": name, "set": key, "outs": [np.round(x, 2)], "tol": "exact", "with_": "2"}


MIXED = [("int32", "float32"), ("uint64", "int64"), ("int8", "uint8"), ("bool", "float16"), ("float16", "bfloat16"),
         ("int16", "bfloat16"), ("complex64", "float64"), ("int16", "float16"), ("uint8", "bool"), ("float32", "complex64"),
         ("bfloat16", "complex64"), ("uint32", "int32")]


def mixed_cases(sets, promote):
    """Operands of two dtypes: both are converted to the common one."""
    rng = np.random.default_rng(27)
    for one_name, other in MIXED:
        pair = []
        for name in (one_name, other):
            v = rng.integers(0, 2 if name == "bool" else 100, 48) / (4 if kind(name) in "fc" else 1)
            pair.append(v.astype(DTYPES[name]).reshape(6, 8))
        key = sets.add("mixed:%s.%s" % (one_name, other), pair)
        common = promote(one_name, other)
        for op in ("add", "less", "maximum"):
            out = exact(EXACT[op], common, *pair)
            yield {"op": op, "dtype": one_name + "." + other, "set": key, "outs": [out], "tol": "exact"}


def all_cases(ops, promote):
    sets = Sets()
    cases = list(one_dtype_cases(ops, sets)) + list(special_cases(sets)) + list(mixed_cases(sets, promote))
    return sets, cases
