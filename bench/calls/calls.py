"""Calls of calls.txt in NumPy and SciPy, for calls.sh: prints the processor time of each in microseconds."""

import os
import pathlib
import sys
import time
import warnings

import numpy as np
from scipy import fft, linalg, ndimage, signal, sparse, special

warnings.simplefilter("ignore")
v = np.array([0.1, 0.7, 0.3, 0.9, 0.5, 0.2, 0.8, 0.4])
w = np.array([0.6, 0.7, 0.2, 0.1, 0.8, 0.5, 0.3, 0.9])
v4, v9, z = np.array([1.0, 2, 3, 4]), v.copy(), np.array([0.0, 0, 1, 2, 3, 0])
v16 = np.concatenate((v, w))
m = v16.reshape(4, 4)
m2, m9, r, c = m.T.copy(), m.copy(), v.reshape(1, 8), v.reshape(2, 2, 2)
s = m + m.T + 4 * np.eye(4)
i, k8 = np.array([3, 1, 4, 1, 5, 2, 6, 5]), np.array([1, 2, 1, 2, 1, 1, 2, 2])
mask, mm = v > 0.45, m > 0.45
a3, b3, k3 = v[:3].copy(), w[:3].copy(), np.ones((3, 3))
sos = signal.butter(4, 0.3, output="sos")
S = sparse.csr_array(s)
rng = np.random.default_rng(1)


def set(x, key, value):
    x[key] = value


def timed(f):
    """The least processor time of a call in several rounds, in microseconds."""
    n, best = 1, 1e9
    clock = time.process_time
    while True:
        n *= 2
        t = clock()
        for _ in range(n):
            f()
        if clock() - t > 2e-3:
            break
    for _ in range(7):
        t = clock()
        for _ in range(n):
            f()
        best = min(best, (clock() - t) / n)
    return best * 1e6


wanted = [part for part in os.environ.get("ROWS", "").split(",") if part]
for line in (pathlib.Path(__file__).parent / "calls.txt").read_text().splitlines():
    if line.startswith("#"):
        continue
    name, _, call = line.split(" | ", 2)
    if wanted and not any(part in name for part in wanted):
        continue
    try:
        print(f"{name}\t{timed(eval('lambda: ' + call)):.3f}")
    except Exception as why:
        print(f"{name}: {why}", file=sys.stderr)
