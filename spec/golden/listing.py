"""Writes a list of calls in Lua with NumPy's results, which spec/helper/cases.lua reads.

Each case is a call in Lua and the same call in Python; NumPy's result becomes {dtype, {shape}, {values in C order}}, and
complex values {re, im}.
"""

import textwrap

import numpy as np


def number(x):
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, complex):
        return "{%s, %s}" % (number(x.real), number(x.imag))
    return {"nan": "0 / 0", "inf": "math.huge", "-inf": "-math.huge"}.get(repr(x), repr(x))


def write(program, arrays, cases, scope):
    """Prints the cases of a program. arrays: (name, Lua text, NumPy array); scope: the globals of the calls in Python."""
    print("-- Written by %s: calls, and NumPy's result as {dtype, {shape}, {values}}." % program)
    print("return {\n  arrays = {")
    for name, text, value in arrays:
        scope[name] = value
        print("    { \"%s\", \"%s\" }," % (name, text))
    print("  },\n  cases = {")
    for call, reference in cases:
        r = np.asarray(reference())
        shape = ", ".join(map(str, r.shape))
        flat = ", ".join(number(x) for x in r.ravel().tolist())
        values = textwrap.fill("{ %s } }," % flat, 110, initial_indent=" " * 6, subsequent_indent=" " * 6)
        print("    { \"%s\",\n      \"%s\", { %s },\n%s" % (call, r.dtype, shape, values))
    print("  },\n}")
