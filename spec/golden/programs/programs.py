"""Makes random programs for spec/lazy/programs_spec.lua, with what NumPy gives for them:
    python3 spec/golden/programs/programs.py [--seed 1] [--count 3000] [--out spec/golden/programs/programs]
writes PROGRAMS.index and PROGRAMS.bin; any other files are run by CUPOLA_PROGRAMS=path-without-extension ./dev test
spec/lazy/programs_spec.lua. `python3 spec/golden/make.py programs` makes those of the repository.

A program is Lua text, a statement on each line, so that a failing one can be read and run as it is. Beside Lua and cp there are
  D(dtype, k, shape)  an array of the pool of plain values from element k on, W(...) one of the pool of wild ones
  R(v)                what the program gives out: an array or a Lua value, compared with NumPy's
  G()                 a full collection
The index: a line "pool DTYPE PLAIN WILD" for each dtype (numbers of elements; their bytes begin the .bin), "-- NUMBER" before each
program, and behind each R(...) what is expected:
  R(...) DTYPE SHAPE TOL   the bytes follow in the .bin; TOL is = (equal bits, any nan for nan), =/K (of every K-th element and of the
                           last), a number of ulp, or ~BOUND: then the bytes are a float64 and BOUND is absolute
  R(...) value TEXT        a Lua value
"""

import argparse
import os
import random
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.dirname(HERE)
sys.path += [GOLDEN, os.path.join(GOLDEN, "operations")]  # for whoever runs this file itself

import programs_model as m  # noqa: E402
from programs_model import Reject, Value
from programs_statements import Statements
from values import DTYPES, kind

PLAIN, WILD = 97, 31


def plain_pool(name, rng):
    k = kind(name)
    if k == "b":
        return rng.integers(0, 2, PLAIN).astype(bool)
    if k == "i":
        low = 0 if name.startswith("uint") else -9
        return rng.integers(low, 13, PLAIN).astype(DTYPES[name])
    x = rng.integers(-32, 33, PLAIN) / 4
    if k == "c":
        x = x + 1j * rng.integers(-32, 33, PLAIN) / 4
    x = np.where(x == 0, 1.25, x)  # -0 is for the wild ones
    return x.astype(DTYPES[name])


def wild_pool(name, rng):
    k = kind(name)
    if k == "b":
        return rng.integers(0, 2, WILD).astype(bool)
    if k == "i":
        info = np.iinfo(DTYPES[name])
        x = rng.integers(info.min, info.max, WILD, dtype=DTYPES[name], endpoint=True)
        x[:6] = [info.min, info.max, 0, 1, info.max - 1, info.min + 1]
        return rng.permutation(x)
    x = rng.standard_normal(WILD) * np.exp2(rng.integers(-6, 12, WILD))
    x[:6] = [0, np.inf, -np.inf, np.nan, 0.5, -1]
    if k == "c":
        parts, x = x, np.empty(WILD, np.complex128)
        x.real, x.imag = parts, rng.permutation(parts)
    with np.errstate(all="ignore"):
        return rng.permutation(x.astype(DTYPES[name]))


class Data:
    """The pools, and arrays from them."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.plain = {name: plain_pool(name, rng) for name in DTYPES}
        self.wild = {name: wild_pool(name, rng) for name in DTYPES}

    def array(self, which, name, start, shape):
        pool = (self.plain if which == "D" else self.wild)[name]
        n = int(np.prod(shape))
        return np.resize(np.roll(pool, -start), n).reshape(shape) if n else np.zeros(shape, DTYPES[name])

    def lines(self):
        return ["pool %s %d %d" % (name, PLAIN, WILD) for name in DTYPES]

    def bytes(self):
        return b"".join(self.plain[name].tobytes() + self.wild[name].tobytes() for name in DTYPES)


class Program:
    """Statements that NumPy has run; env is what they left, given the expected texts and bytes of R(...) by line."""

    def __init__(self):
        self.statements, self.lines, self.data, self.env = [], [], [], {}

    def add(self, statement):
        """Runs and appends it; one that is rejected leaves the program as it was."""
        try:
            expected = statement.run(self.env)
        except Reject:
            if statement.repeats:
                self.replay()
            return False
        text, data = expected or ("", b"")
        self.statements.append(statement)
        self.lines.append(statement.text + text)
        self.data.append(data)
        return True

    def replay(self):
        self.env = {}
        for statement in self.statements:
            statement.run(self.env)


def shape_text(shape):
    return "x".join(map(str, shape)) or "-"


def lua_text(v):
    """A scalar as Lua compares it."""
    k = kind(v.dtype.name)
    if k == "b":
        return "true" if v else "false"
    if k == "c":
        return "%.17g,%.17g" % (v.real, v.imag)
    if k == "i" and abs(int(v)) > 2 ** 53:
        raise Reject("LuaJIT gives a boxed integer")
    return "%d" % v if k == "i" else "%.17g" % float(v)


def expected_value(scalar):
    return " value " + lua_text(np.asarray(scalar)[()]), b""


def expected_array(v, shown=48):
    """Equal bits; of larger arrays every K-th element and the last."""
    a = v.array
    head = " %s %s " % (v.dtype, shape_text(v.shape))
    if a.size <= 2 * shown:
        return head + "=", np.ascontiguousarray(a).tobytes()
    step = a.size // shown
    flat = np.ascontiguousarray(a).ravel()
    return head + "=/%d" % step, np.concatenate([flat[::step], flat[-1:]]).tobytes()


def expected_near(dtype, array, tol):
    return " %s %s %s" % (dtype, shape_text(array.shape), tol), np.ascontiguousarray(array).tobytes()


def make_program(data, random_state):
    """One program: some data, some statements, and everything that is left at the end."""
    program = Program()
    make = Statements(data, random_state, expected_array, expected_value, expected_near)
    make.large = random_state.random() < 0.08
    for _ in range(random_state.randint(2, 3)):
        while not program.add(make.data(program.env)):
            pass
    wanted = random_state.randint(5, 14)
    for _ in range(40 * wanted):
        if len(program.lines) >= wanted + 2:
            break
        try:
            program.add(make.any(program.env))
        except Reject:
            pass
    names = sorted(program.env)
    random_state.shuffle(names)
    for name in names:
        program.add(make.give_out(name))
    return program


def main():
    parser = argparse.ArgumentParser(description="Makes random programs and NumPy's results.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--out", default=os.path.join(HERE, "programs"))
    args = parser.parse_args()
    data = Data(args.seed)
    lines = ["seed %d" % args.seed] + data.lines()
    parts = [data.bytes()]
    for number in range(1, args.count + 1):
        program = make_program(data, random.Random("%d/%d" % (args.seed, number)))
        lines.append("-- %d" % number)
        lines += program.lines
        parts += program.data
    with open(args.out + ".index", "w", newline="\n") as f:
        f.write("\n".join(lines) + "\n")
    with open(args.out + ".bin", "wb") as f:
        f.write(b"".join(parts))
    print("%s: %d programs, %d lines, %d bytes of data" % (args.out, args.count, len(lines), sum(map(len, parts))))


if __name__ == "__main__":
    main()
