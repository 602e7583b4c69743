"""The table of operations (kernels/ops.def) as Python sees it, and the dtype rules of its classes."""

import os
import re

import numpy as np

from values import COMPLEX, DTYPES, INTEGERS, kind

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


CLASSES = {}  # name: [first, second, others, loop, result], as the table has them


def read():
    """Two dicts: operations {name: {arity, cls, scope, numeric}} and reductions {name: {cls, numeric}}; numeric is "exact",
    "ordered" or a number of ulp."""
    ops, reds = {}, {}
    with open(os.path.join(ROOT, "kernels", "ops.def")) as f:
        for line in f:
            m = re.match(r"#define CLASS_(\w+)\s+(.+)", line)
            if m:
                CLASSES[m.group(1)] = re.split(r",\s*", m.group(2))
            m = re.match(r"OP\w*\((\w+),\s*(\d),\s*(\w+),\s*(\w+),\s*(EXACT|ORDERED|ULP\((\d+)\))", line)
            if m and not re.match("random_|special_", m.group(1)):  # draws.py, special.py
                ulp = int(m.group(6)) if m.group(6) else m.group(5).lower()
                ops[m.group(1)] = {"arity": int(m.group(2)), "cls": m.group(3), "scope": m.group(4), "numeric": ulp}
            m = re.match(r"RED\((\w+),\s*(\w+),\s*(\w+)", line)
            if m:
                reds[m.group(1)] = {"cls": m.group(2), "numeric": m.group(3).lower()}
    return ops, reds


def floating(name):
    """The dtype of functions that are floating by nature."""
    if kind(name) in "fc":
        return name
    size = DTYPES[name].itemsize
    return "float16" if size == 1 else "float32" if size == 2 else "float64"


def real(name):
    return {"complex64": "float32", "complex128": "float64"}.get(name, name)


def promote(a, b):
    """NumPy's table; bfloat16 as float16 beside integers of up to 8 bits, float32 beside 16 bits and beside float16."""
    if a == b:
        return a
    if "bfloat16" not in (a, b):
        return np.promote_types(DTYPES[a], DTYPES[b]).name
    other = b if a == "bfloat16" else a
    if other in ("bool", "int8", "uint8"):
        return "bfloat16"
    if other in ("int16", "uint16", "float16", "float32"):
        return "float32"
    if other in INTEGERS or other == "float64":
        return "float64"
    return other


def promote_all(*names):
    """The same of any number of dtypes, which NumPy's result_type tells in whatever order they stand; bfloat16 is float16
    to what is beside it, but for float16 itself."""
    if "bfloat16" not in names:
        return np.result_type(*(DTYPES[n] for n in names)).name
    wide = np.result_type(*(np.float16 if n == "bfloat16" else DTYPES[n] for n in names)).name
    return wide if wide != "float16" else "float32" if "float16" in names else "bfloat16"


def of_pair(op, a, b):
    """The dtype that NumPy's function gives for arrays of two dtypes, None where it is an error."""
    with np.errstate(all="ignore"):
        try:
            return getattr(np, op)(np.ones(1, DTYPES[a]), np.ones(1, DTYPES[b])).dtype.name
        except TypeError:
            return None


def can_cast(a, b, rule):
    if a == b:
        return True
    if "bfloat16" not in (a, b):
        return bool(np.can_cast(DTYPES[a], DTYPES[b], rule))
    if rule in ("no", "unsafe"):
        return rule == "unsafe"
    if a == "bfloat16":
        wider = b in ("float32", "float64") or b in COMPLEX
        return wider or rule == "same_kind" and b == "float16"
    if rule == "safe":
        return a in ("bool", "int8", "uint8")
    return kind(a) in "bif"


BOOL_AS_INT8 = {"floor_divide", "remainder", "fmod", "power", "reciprocal", "square", "gcd", "lcm", "left_shift",
                "right_shift", "conj", "divmod"}
NO_BOOL = {"subtract", "negative", "positive", "sign"}
NO_COMPLEX = {"floor_divide", "remainder", "fmod", "divmod", "cbrt", "logaddexp", "logaddexp2", "arctan2", "hypot",
              "degrees", "radians", "floor", "ceil", "trunc", "signbit", "copysign", "nextafter", "ldexp", "modf",
              "frexp", "heaviside", "erf", "erfc", "lgamma", "gamma"}


def loop_of(op, cls, name):
    """The dtype that op computes in on operands of one dtype, or None where it is an error: NumPy's, but for division and
    sinc, which are float64 of integers of any width."""
    k, rule = kind(name), CLASSES[cls][3]
    if k == "c" and op in NO_COMPLEX or k == "b" and op in NO_BOOL or k in "fc" and rule == "INTEGER":
        return None
    if rule == "FLOATING":
        return floating(name)
    if rule == "FLOAT64" and k in "bi":
        return "float64"
    return "int8" if k == "b" and op in BOOL_AS_INT8 else name


def result(op, cls, name):
    """The dtype of its result, or None."""
    loop, rule = loop_of(op, cls, name), CLASSES[cls][4]
    if loop is None or rule == "LOOP":
        return loop
    return real(loop) if rule == "REAL" else rule.lower()
