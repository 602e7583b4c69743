"""Golden data of calls: expressions of cupola over a few arrays, and what NumPy gives for them.

NAME.index has one line per case, NAME.bin the bytes:
  GROUP TOL INPUT... > OUTPUT... | LUA
INPUT and OUTPUT are SHAPE:DTYPE:OFFSET:LENGTH with SHAPE as 3x4, or - (0-d). LUA is text that gives the outputs from the inputs a, b, c, ...
TOL is exact, or an absolute bound: outputs are then stored as float64 or complex128. DTYPE of an output is what
cupola must return.
"""

import numpy as np

EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}
REAL = {"complex64": "float32", "complex128": "float64"}


def epsilon(name):
    return EPSILON[REAL.get(name, name)]


class Calls:
    def __init__(self):
        self.lines, self.parts, self.where, self.size = [], [], {}, 0

    def _place(self, array):
        data = np.ascontiguousarray(array).tobytes()
        if data not in self.where:
            self.where[data] = self.size
            self.parts.append(data)
            self.size += len(data)
        return self.where[data], len(data)

    def _ref(self, array, name):
        return "%s:%s:%d:%d" % (("x".join(map(str, array.shape)) or "-", name) + self._place(array))

    def add(self, group, lua, inputs, outputs, dtypes=None, factor=None):
        """outputs: arrays, wide where they are bounded; dtypes: of cupola's results, default: those of outputs.

        factor: the bound in units of the result's epsilon times the largest output; None: exact."""
        inputs = [np.asarray(x) for x in inputs]
        outputs = [np.asarray(x) for x in outputs]
        names = dtypes or [x.dtype.name for x in outputs]
        bound = "exact"
        if factor is not None:
            finite = [np.abs(x[np.isfinite(x)]).max(initial=0) for x in map(wide, outputs)]
            eps = max(epsilon(n) for n in names if n in EPSILON or n in REAL)
            bound = "%.3g" % (factor * eps * max([1] + finite))
            outputs = [wide(x) if n in EPSILON or n in REAL else x for x, n in zip(outputs, names)]
        refs = [self._ref(x, x.dtype.name) for x in inputs] + [">"]
        refs += [self._ref(x, n) for x, n in zip(outputs, names)]
        self.lines.append("%s %s %s | %s" % (group, bound, " ".join(refs), lua))

    def write(self, path):
        with open(path + ".index", "w", newline="\n") as f:
            f.write("\n".join(self.lines) + "\n")
        with open(path + ".bin", "wb") as f:
            f.write(b"".join(self.parts))
        print("%s: %d cases, %d bytes" % (path, len(self.lines), self.size))


def wide(x):
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
