"""Prints arrays as Lua, for sparse.py and sparse_linalg.py."""
import textwrap

import numpy as np


def lua_value(v):
    if isinstance(v, (bool, np.bool_)):
        return "true" if v else "false"
    if isinstance(v, (complex, np.complexfloating)):
        return "c(%s, %s)" % (lua_value(v.real), lua_value(v.imag))
    v = float(v)
    assert v == v
    if v in (float("inf"), float("-inf")):
        return "math.huge" if v > 0 else "-math.huge"
    return repr(int(v)) if v == int(v) and abs(v) < 1e15 else "%.17g" % v


def lua_list(values):
    return "{" + ", ".join(lua_value(v) for v in np.asarray(values).reshape(-1)) + "}"


def lua_array(x):
    return "{dtype = %r, shape = {%s}, %s}" % (x.dtype.name, ", ".join(map(str, x.shape)), lua_list(x)[1:-1])


def show(text):
    """Prints a line, broken at spaces behind commas."""
    print("\n".join(textwrap.wrap(text, 118, initial_indent="    ", subsequent_indent="      ", break_long_words=False,
                                  break_on_hyphens=False)))
