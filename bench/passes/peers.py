"""Figures of one peer for the tables of bench/passes/run, in the lines of cupola.lua.

Usage: peers.py numpy|cupy|torch|torch.compile|jax [warm]    warm: each program once, for the kernel caches
"""

import gc
import sys
from functools import partial

import numpy as np
from data import GOLDEN, fraction, sizes
from libraries import LIBRARIES
from nine import PROGRAMS
from rows import is_wanted, row, waited
from twelve import programs

QUEUED, LONG = 20, 0.3  # calls that are queued back to back; seconds for them that are measured once


def several(results):
    return tuple(results) if isinstance(results, (tuple, list)) else (results,)


def make_call(lib, program, size):
    """A function that queues the program's work and returns its results; None if the library cannot do it."""
    if program.in_graph and not lib.record:
        return None
    arguments = tuple(lib.put(a) for a in program.make(size))
    if program.steps:
        constants = tuple(lib.put(a) for a in (program.constants(size) if program.constants else ()))
        run = lib.repeated(lambda *values: program.program(lib, *values), program.steps(size))
        call = lambda: run(arguments, constants)  # noqa: E731
    else:
        run = lib.prepare(lambda *values: program.program(lib, *values))
        call = lambda: run(*arguments)  # noqa: E731
    lib.sync(call())
    return lib.record(call) if program.in_graph else call


def queued(lib, call):
    """Seconds a call when QUEUED calls are issued back to back."""

    def calls():
        for _ in range(QUEUED - 1):
            call()
        return call()

    once = lib.interval(calls)
    return (once if once > LONG else sorted(lib.interval(calls) for _ in range(3))[1]) / QUEUED


def fingerprint(array):
    """A number for what an array holds: the weighted mean of the magnitudes of some of its elements."""
    flat = array.reshape(-1)
    stride = flat.size // 65536
    stride += 1 - stride % 2
    some = np.abs(flat[::stride].astype("f8"))
    return (some * (fraction(np.arange(some.size) * GOLDEN) + 0.5)).mean()


def report(who, lib, program, size, warm):
    call = make_call(lib, program, size)
    if call is None or warm:
        return
    last = []

    def keep():
        last[:] = several(call())

    row(who, program.key, "ms waited", lambda: waited(keep, lambda: lib.sync(last)) * 1e3)
    last.clear()
    row(who, program.key, "ms queued", lambda: queued(lib, call) * 1e3)
    for k, result in enumerate(several(call())):
        row(who, f"{program.key}, result {k + 1}", "value", partial(fingerprint, lib.host(result)))


def main(who, warm):
    lib, size = LIBRARIES[who](), sizes()
    for program in PROGRAMS + programs(size):
        if is_wanted(program.key):
            try:
                report(who, lib, program, size, warm)
            except Exception as error:  # costs this program's rows only
                print(f"{who}: {program.key}: {type(error).__name__}: {str(error)[:500]}", file=sys.stderr)
            gc.collect()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:] == ["warm"])
