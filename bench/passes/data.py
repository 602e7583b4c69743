"""Sizes and data of bench/passes, the same as data.lua makes, as NumPy arrays."""

import os
import sys
from types import SimpleNamespace

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tables"))
from rows import GOLDEN, SILVER  # noqa: E402

BRONZE = 0.7320508075688772


def fraction(x):
    return x - np.floor(x)


def in_pieces(n, dtype, f):
    """f of 0 to n - 1, in pieces that stay in the processor's cache."""
    numbers, piece = np.empty(n, dtype), 1 << 16
    for start in range(0, n, piece):
        end = min(n, start + piece)
        numbers[start:end] = f(np.arange(start, end, dtype="f8"))
    return numbers


def fractions(n, step, dtype="f4"):
    """Scattered numbers in [0, 1): k * step without its whole part."""
    return in_pieces(n, dtype, lambda k: fraction(k * step))


def scrambled(n):
    """Numbers in [0, 1) without a visible order."""
    return in_pieces(n, "f4", lambda k: fraction(fraction(k * GOLDEN) * fraction(k * SILVER) * 1e5))


def positions(numbers, count):
    """Positions from 0 to count - 1, from numbers in [0, 1)."""
    return (numbers.astype("f8") * count).astype("i8") % count


def sizes():
    """The sizes of sizes.txt that BENCH_SCALE selects."""
    column = 2 if os.environ.get("BENCH_SCALE") == "small" else 1
    with open(os.path.join(HERE, "sizes.txt"), encoding="ascii") as lines:
        words = [line.split() for line in lines if not line.startswith("#")]
    return SimpleNamespace(**{line[0]: int(line[column]) for line in words})
