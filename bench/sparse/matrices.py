"""Writes the matrices of the comparison as npy files: python3 matrices.py FOLDER small|large

Laplacians with 5 and 7 points, two R-MAT graphs, a banded matrix, a random one; csr, sorted, int32 positions.
"""

import sys

import numpy as np

folder, size = sys.argv[1:3]
LARGE = size == "large"


def write(name, rows, columns, n, duplicates=False):
    key = rows.astype(np.int64) * n + columns
    key = np.unique(key) if duplicates else np.sort(key)
    rows, columns = key // n, key % n
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=n), out=indptr[1:])
    data = 1.0 / (1 + np.abs(rows - columns))
    if name.startswith("laplace"):
        data = np.where(rows == columns, 8.0, -1.0)
    order = np.random.default_rng(3).permutation(len(key)).astype(np.int32)
    for part, x in (("data", data), ("indices", columns.astype(np.int32)), ("indptr", indptr.astype(np.int32)),
                    ("order", order)):
        np.save("%s/%s_%s.npy" % (folder, name, part), x)
    names.append(name)


def laplacian(name, *lengths):
    n = int(np.prod(lengths))
    at = np.arange(n).reshape(lengths)
    rows, columns = [at.reshape(-1)], [at.reshape(-1)]
    for axis in range(len(lengths)):
        low = np.take(at, range(lengths[axis] - 1), axis).reshape(-1)
        high = np.take(at, range(1, lengths[axis]), axis).reshape(-1)
        rows += [low, high]
        columns += [high, low]
    write(name, np.concatenate(rows), np.concatenate(columns), n)


def rmat(name, levels, edges):
    rng = np.random.default_rng(1)
    rows, columns = np.zeros(edges, np.int64), np.zeros(edges, np.int64)
    for _ in range(levels):
        draw = rng.random(edges, np.float32)
        rows = 2 * rows + (draw >= 0.76)
        columns = 2 * columns + (((draw >= 0.57) & (draw < 0.76)) | (draw >= 0.95))
    write(name, rows, columns, 2 ** levels, True)


names = []
laplacian("laplace5", *((2000, 2000) if LARGE else (300, 300)))
laplacian("laplace7", *((150, 150, 150) if LARGE else (40, 40, 40)))
rmat("rmat", 20 if LARGE else 14, 12_000_000 if LARGE else 200_000)
rmat("rmat17", 17 if LARGE else 12, 1_500_000 if LARGE else 50_000)
n = 1_000_000 if LARGE else 50_000
offsets = np.arange(-8, 9)
rows = np.repeat(np.arange(n), len(offsets))
columns = rows + np.tile(offsets, n)
inside = (columns >= 0) & (columns < n)
write("banded", rows[inside], columns[inside], n)
rng = np.random.default_rng(2)
entries = 10_000_000 if LARGE else 400_000
write("random", rng.integers(0, n, entries), rng.integers(0, n, entries), n, True)
with open(folder + "/names", "w") as f:
    f.write("\n".join(names) + "\n")
