"""Random functions for programs_statements.py that put elements elsewhere, as copies: roll, pad, tile, repeats, concatenate and
stack. Each gets the source of chance and the shape of an array, and returns Lua text with a {} for the array and a function of
NumPy arrays.
"""

import numpy as np

from programs_model import Reject


def axis_of(r, shape):
    if not shape:
        raise Reject("no axes")
    return r.randrange(len(shape))


def braces(numbers):
    return "{{%s}}" % ",".join(map(str, numbers))


def roll_all(r, shape):
    shift = r.randint(-3, 3)
    return "cp.roll({},%d)" % shift, lambda a: np.roll(a, shift)


def roll(r, shape):
    axis, shift = axis_of(r, shape), r.randint(-4, 4)
    return "cp.roll({},%d,%d)" % (shift, axis + 1), lambda a: np.roll(a, shift, axis)


def pad(r, shape):
    axis = axis_of(r, shape)
    if shape[axis] == 0:
        raise Reject("no elements")
    mode = r.choice(["constant", "edge", "wrap", "symmetric", "reflect"])
    widths = [(0, 0)] * len(shape)
    widths[axis] = (r.randint(0, 3), r.randint(0, 3))
    text = "{{%s}}" % ",".join(map(braces, widths))
    return 'cp.pad({},%s,"%s")' % (text, mode), lambda a: np.pad(a, widths, mode)


def tile(r, shape):
    counts = [r.randint(1, 3) for _ in shape] or [2]
    return "cp.tile({},%s)" % braces(counts), lambda a: np.tile(a, counts)


def repeats(r, shape):
    axis, count = axis_of(r, shape), r.randint(1, 3)
    return "cp.repeats({},%d,%d)" % (count, axis + 1), lambda a: np.repeat(a, count, axis)


def concatenate(r, shape):
    axis = axis_of(r, shape)
    return "cp.concatenate({{{0},{0}}},%d)" % (axis + 1), lambda a: np.concatenate([a, a], axis)


def stack(r, shape):
    axis = r.randint(0, len(shape))
    return "cp.stack({{{0},{0}}},%d)" % (axis + 1), lambda a: np.stack([a, a], axis)


MOVES = [roll_all, roll, roll, roll, pad, pad, pad, tile, repeats, concatenate, stack]


def random_move(r, shape):
    return r.choice(MOVES)(r, shape)
