"""Makes the golden data of spec/golden: `python3 spec/golden/make.py generate` (needs numpy >= 2.1, scipy, ml_dtypes and mpmath).

Written are, in the folders beside this file,
  operations/elementwise.index/.bin  every elementwise operation x dtype
  operations/casts.index/.bin        astype between all pairs of dtypes
  operations/reductions.index/.bin   every reduction x dtype x axes
  linalg/linalg, fft      calls of products, cp.linalg and cp.fft, in a format of their own (expressions.py)
  operations/types.index  promotion, casting and result dtypes: TABLE ROW and a word for each dtype, - an error
  the others              calls, see calls.py
An index has one line per input set and per case; numbers are bytes in the .bin file, data are little-endian:
  set NAME SHAPE FLAGS DTYPE:OFFSET:LENGTH...
  case OP DTYPE SET TOL SHAPE OUTPUT... | ARGUMENTS
SHAPE is 3x4 or - (0-d), a case's that of its input; FLAGS outer or -; TOL exact, zero (exact, of either zero), a number of ulp, or bound: then an output is
stored as float64 or complex128 and followed by absolute bounds. OUTPUT is DTYPE:OFFSET:LENGTH[:BOUNDS_OFFSET]; its
DTYPE is what cupola must return. ARGUMENTS is Lua text, what follows the arrays in the call.

Layouts are not stored: a layout only says where in memory elements lie, so the spec makes unaligned, sliced, reversed,
transposed and broadcast arrays that hold the stored inputs, and the stored outputs stay what is expected.
"""

import os
import sys
import warnings

import numpy as np

import designs_calls
import elementwise
import forms_calls
import fourier
import linalg
import ndimage_calls
import ndimage_labels
import ndimage_windows
import reductions
import scalars_calls
import science_calls
import scipy_calls
import selection_calls
import shapes_calls
import signal_calls
import sorting
import statistics_calls
import table
from reference import cast
from values import DTYPES, unary

HERE = os.path.dirname(os.path.abspath(__file__))


class Blob:
    """Bytes of all arrays, equal ones once."""

    def __init__(self):
        self.parts, self.where, self.size = [], {}, 0

    def add(self, array):
        data = np.ascontiguousarray(array).tobytes()
        if data not in self.where:
            self.where[data] = self.size
            self.parts.append(data)
            self.size += len(data)
        return self.where[data], len(data)


def shape_text(shape):
    return "x".join(map(str, shape)) or "-"


def set_line(key, s, blob):
    refs = ["%s:%d:%d" % ((a.dtype.name,) + blob.add(a)) for a in s["arrays"]]
    return "set %s %s %s %s" % (key, shape_text(s["arrays"][0].shape), "outer" if s["outer"] else "-", " ".join(refs))


def case_line(c, blob):
    bound = isinstance(c["tol"], np.ndarray)
    refs = []
    for out in c["outs"]:
        name = c["out_dtype"] if bound else out.dtype.name
        ref = "%s:%d:%d" % ((name,) + blob.add(out))
        if bound:
            assert out.dtype in (np.float64, np.complex128), (c["op"], out.dtype)
            ref += ":%d" % blob.add(c["tol"].astype(np.float64))[0]
        elif "out_dtype" in c:
            assert name == c["out_dtype"], (c["op"], c["dtype"], name, c["out_dtype"])
        refs.append(ref)
    words = ["case", c["op"], c["dtype"], c["set"], "bound" if bound else str(c["tol"]),
             shape_text(c.get("shape", c["outs"][0].shape))]
    return " ".join(words + refs) + (" | " + c["with_"] if c.get("with_") else "")


def write(name, sets, cases):
    blob = Blob()
    used = {c["set"] for c in cases}
    lines = [set_line(k, s, blob) for k, s in sets.all.items() if k in used]
    lines += [case_line(c, blob) for c in cases]
    with open(os.path.join(HERE, name + ".index"), "w", newline="\n") as f:
        f.write("\n".join(lines) + "\n")
    with open(os.path.join(HERE, name + ".bin"), "wb") as f:
        f.write(b"".join(blob.parts))
    print("%s: %d cases, %d bytes" % (name, len(cases), blob.size))


def elementwise_cases(ops):
    sets, cases = elementwise.all_cases(ops, table.promote)
    parts = {p for ps in list(elementwise.PARTS.values())[:2] for p in ps}
    done = {c["op"] for c in cases} | parts
    missing = [op for op, info in ops.items() if op not in done and info["scope"] != "INTERNAL"]
    assert not missing, "no golden data for %s" % missing
    for c in cases:
        if isinstance(c["tol"], np.ndarray) and "out_dtype" not in c:
            cls = ops[c["op"]]["cls"] if c["op"] in ops else "SAME"
            c["out_dtype"] = table.result(c["op"], cls, c["dtype"])
    return sets, cases


def cast_cases():
    sets, cases = elementwise.Sets(), []
    for source in DTYPES:
        key = sets.add("unary:" + source, unary(source))
        for target in DTYPES:
            out = cast(sets.all[key]["arrays"][0], target)
            cases.append({"op": "astype", "dtype": source, "set": key, "outs": [out], "tol": "exact", "with_": '"%s"' % target})
    return sets, cases


def pair_lines(ops):
    """What functions of two arrays give for each pair of dtypes that NumPy has: a table for those that agree, ? unknown.
    The exponent of ldexp may be of any integer dtype, where NumPy takes some, and gcd and lcm take bool."""
    def word(op, a, b):
        unknown = "bfloat16" in (a, b) or op in ("gcd", "lcm") and a == b == "bool"
        return "?" if unknown else table.of_pair(op, a, b) or "-"
    tables = {}
    for op, info in ops.items():
        if info["arity"] == 2 and hasattr(np, op) and op != "ldexp":
            rows = tuple(tuple(word(op, a, b) for b in DTYPES) for a in DTYPES)
            tables.setdefault(rows, []).append(op)
    return ["pair.%s %s %s" % (",".join(same), a, " ".join(row)) for rows, same in tables.items() for a, row in zip(DTYPES, rows)]


def write_types(ops, reds):
    names = list(DTYPES)
    lines = ["dtypes " + " ".join(names)]
    lines += ["promote %s %s" % (a, " ".join(table.promote(a, b) for b in names)) for a in names]
    for rule in ("no", "safe", "same_kind", "unsafe"):
        lines += ["cast.%s %s %s" % (rule, a, " ".join(str(int(table.can_cast(a, b, rule))) for b in names)) for a in names]
    for k, a in enumerate(names):
        lines += ["triple %s,%s %s" % (a, b, " ".join(table.promote_all(a, b, c) for c in names)) for b in names[k:]]
    lines += pair_lines(ops)
    parts = {p for ps in list(elementwise.PARTS.values())[:2] for p in ps}
    for op, info in ops.items():
        if info["scope"] != "INTERNAL" and op not in parts | {"ldexp", "gcd", "lcm"}:
            row = [table.result(op, info["cls"], n) or "-" for n in names]
            lines.append("operation.%d %s %s" % (info["arity"], op, " ".join(row)))
    for red, info in reds.items():
        lines.append("reduction %s %s" % (red, " ".join(reductions.result(red, info["cls"], n) for n in names)))
    with open(os.path.join(HERE, "operations", "types.index"), "w", newline="\n") as f:
        f.write("\n".join(lines) + "\n")


def main():
    warnings.simplefilter("ignore")
    if tuple(map(int, np.__version__.split(".")[:2])) < (2, 1):
        sys.exit("needs NumPy 2.1 or later, this is " + np.__version__)
    ops, reds = table.read()
    write("operations/elementwise", *elementwise_cases(ops))
    write("operations/casts", *cast_cases())
    sets = elementwise.Sets()
    write("operations/reductions", sets, reductions.all_cases(reds, sets))
    write_types(ops, reds)
    linalg.cases().write(os.path.join(HERE, "linalg", "linalg"))
    fourier.cases().write(os.path.join(HERE, "linalg", "fft"))
    sorting.write()
    signal_calls.write()
    designs_calls.write()
    scalars_calls.write()
    scipy_calls.write()
    science_calls.write()
    statistics_calls.write()
    shapes_calls.write()
    selection_calls.write()
    forms_calls.write()
    ndimage_calls.write()
    ndimage_labels.write()
    ndimage_windows.write()


if __name__ == "__main__":
    main()
