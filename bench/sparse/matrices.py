"""Writes the matrices of the comparison as npy files: python3 matrices.py FOLDER small|large [NAME ...]

Laplacians with 5 and 7 points, two R-MAT graphs, a banded matrix, one of dense blocks, a random one, and a tall
one with 1 to 64 entries a row; csr, sorted, int32 positions. `names` has a line "NAME ROWS COLUMNS" for each.
Made by CuPy where it is installed, which takes seconds instead of minutes.
"""

import sys

import numpy as np

try:
    import cupy as xp
    xp.zeros(1)
except Exception:
    xp = np

folder, size = sys.argv[1:3]
LARGE = size == "large"


def write(name, rows, columns, n, m=None, duplicates=False):
    if sys.argv[3:] and name not in sys.argv[3:]:
        return
    m = m or n
    key = rows.astype(np.int64) * m + columns
    del rows, columns
    if duplicates:
        key = xp.unique(key)
    else:
        key.sort()
    rows = key // m
    columns = (key - rows * m).astype(np.int32)
    indptr = xp.zeros(n + 1, np.int64)
    xp.cumsum(xp.bincount(rows, minlength=n), out=indptr[1:])
    if name.startswith("laplace"):
        data = xp.where(rows == columns, 8, -1).astype(np.float32)
    else:
        data = (1 / (1 + abs(rows - columns))).astype(np.float32)
    for part, x in (("data", data), ("indices", columns), ("indptr", indptr.astype(np.int32))):
        np.save("%s/%s_%s.npy" % (folder, name, part), x if xp is np else x.get())
    names.append("%s %d %d" % (name, n, m))


def laplacian(name, *lengths):
    n = int(np.prod(lengths))
    at = xp.arange(n, dtype=np.int32).reshape(lengths)
    rows, columns = [at.reshape(-1)], [at.reshape(-1)]
    for axis in range(len(lengths)):
        low = xp.take(at, xp.arange(lengths[axis] - 1), axis).reshape(-1)
        high = xp.take(at, xp.arange(1, lengths[axis]), axis).reshape(-1)
        rows += [low, high]
        columns += [high, low]
    write(name, xp.concatenate(rows), xp.concatenate(columns), n)


def rmat(name, levels, edges):
    rng = xp.random.default_rng(1)
    rows, columns = xp.zeros(edges, np.int32), xp.zeros(edges, np.int32)
    for _ in range(levels):
        draw = rng.random(edges, np.float32)
        rows = 2 * rows + (draw >= 0.76)
        columns = 2 * columns + (((draw >= 0.57) & (draw < 0.76)) | (draw >= 0.95))
    write(name, rows, columns, 2 ** levels, duplicates=True)


names = []
laplacian("laplace5", *((3162, 3162) if LARGE else (300, 300)))
laplacian("laplace7", *((215, 215, 215) if LARGE else (40, 40, 40)))
rmat("rmat", 22 if LARGE else 14, 60_000_000 if LARGE else 200_000)
rmat("rmat17", 17 if LARGE else 12, 1_500_000 if LARGE else 50_000)
n = 1_000_000 if LARGE else 50_000
offsets = xp.arange(-8, 9)
rows = xp.repeat(xp.arange(n), len(offsets))
columns = rows + xp.tile(offsets, n)
inside = (columns >= 0) & (columns < n)
write("banded", rows[inside], columns[inside], n)
rng = xp.random.default_rng(2)
blocks = xp.unique(rng.integers(0, (n // 4) ** 2, n // 4 * 5))
place = xp.arange(4)
row, column = blocks // (n // 4) * 4, blocks % (n // 4) * 4
write("blocks", (row[:, None, None] + place[:, None] + 0 * place).reshape(-1),
      (column[:, None, None] + 0 * place[:, None] + place).reshape(-1), n)
entries = 10_000_000 if LARGE else 400_000
write("random", rng.integers(0, n, entries), rng.integers(0, n, entries), n, duplicates=True)
lengths = rng.integers(1, 65, n)
rows = xp.asarray(np.repeat(np.arange(n), lengths if xp is np else lengths.get()))
write("tall", rows, rng.integers(0, 1024, len(rows)), n, 1024, duplicates=True)
with open(folder + "/names", "w") as f:
    f.write("\n".join(names) + "\n")
