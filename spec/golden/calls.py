"""Golden data of calls: a Lua expression of some arrays, and the arrays that it gives. NAME.index has a line for each:
  call DTYPE TOL INPUT... > OUTPUT... | EXPRESSION
An array is DTYPE:SHAPE:OFFSET:LENGTH[:BOUNDS_OFFSET], SHAPE 3x4 or - (0-d); numbers are bytes in NAME.bin, little-endian. TOL is zero (equal, 0 equals -0)
or bound: outputs are then stored as float64 or complex128, with absolute bounds. In EXPRESSION x[1], x[2]... are the inputs.
"""

import os

import numpy as np

from values import DTYPES, limits

HERE = os.path.dirname(os.path.abspath(__file__))
EPSILON = {name: limits(name)[4] for name in ("float16", "bfloat16", "float32", "float64")}
EPSILON["complex64"], EPSILON["complex128"] = EPSILON["float32"], EPSILON["float64"]


class Calls:
    def __init__(self):
        self.lines, self.parts, self.where, self.size = [], [], {}, 0

    def store(self, data):
        data = data.tobytes()
        if data not in self.where:
            self.where[data] = self.size
            self.parts.append(data)
            self.size += len(data)
        return self.where[data]

    def array(self, a, dtype=None, bound=None):
        a = np.ascontiguousarray(a).reshape(np.shape(a))
        words = [dtype or a.dtype.name, "x".join(map(str, a.shape)) or "-", str(self.store(a)), str(a.nbytes)]
        if bound is not None:
            words.append(str(self.store(np.broadcast_to(np.asarray(bound, np.float64), a.shape).copy())))
        return ":".join(words)

    def add(self, expression, inputs, outputs, scale=None, dtypes=None):
        """scale: outputs of floating dtype may differ by that many epsilons of their dtype (an array, or a number for each
        element's own size); None: exact. dtypes: of the outputs, if not NumPy's."""
        inputs = [np.asarray(a) for a in inputs]
        outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        outs = []
        for k, out in enumerate(outputs):
            out = np.asarray(out)
            name = dtypes[k] if dtypes else out.dtype.name
            if scale is None or name not in EPSILON:
                outs.append(self.array(out.astype(DTYPES[name])))
                continue
            wide = np.complex128 if name.startswith("complex") else np.float64
            want = out.astype(wide)
            size = np.abs(want) * scale if np.isscalar(scale) else np.broadcast_to(np.asarray(scale, np.float64), want.shape)
            bound = np.where(np.isfinite(size), size, 0) * EPSILON[name]
            outs.append(self.array(want, name, bound))
        self.lines.append("call %s %s %s > %s | %s" % (
            inputs[0].dtype.name, "zero" if scale is None else "bound",
            " ".join(self.array(a) for a in inputs), " ".join(outs), expression))

    def write(self, name):
        with open(os.path.join(HERE, name + ".index"), "w", newline="\n") as f:
            f.write("\n".join(self.lines) + "\n")
        with open(os.path.join(HERE, name + ".bin"), "wb") as f:
            f.write(b"".join(self.parts))
        print("%s: %d calls, %d bytes" % (name, len(self.lines), self.size))
