"""Direct solvers of SciPy and CuPy on the systems of direct.lua, and how their solutions differ from its:
python3 direct.py FOLDER scipy|cupy 2:SIDE 3:SIDE ...

FOLDER has the solutions that direct.lua saved.
"""

import sys
import time

import numpy as np
import scipy.sparse as sps
import scipy.sparse.linalg as spl

folder, which, systems = sys.argv[1], sys.argv[2], sys.argv[3:]


def laplacian(axes, n):
    d = sps.diags([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], [-1, 0, 1], (n, n))
    a = d
    for _ in range(axes - 1):
        a = sps.kronsum(d, a)
    return a


for name in systems:
    axes, side = name.split(":")
    a = laplacian(int(axes), int(side)).tocsc()
    n = a.shape[0]
    b = np.sin(np.arange(n) * 0.37) + 0.5
    if which == "cupy":
        import cupy as cp
        import cupyx.scipy.sparse as cps
        import cupyx.scipy.sparse.linalg as cpl
        a_there, b_there = cps.csr_matrix(a.tocsr()), cp.asarray(b)
        best = float("inf")
        for _ in range(2):
            cp.cuda.Device().synchronize()
            begin = time.perf_counter()
            x = cpl.spsolve(a_there, b_there)
            cp.cuda.Device().synchronize()
            best = min(best, time.perf_counter() - begin)
        x = cp.asnumpy(x)
    else:
        begin = time.perf_counter()
        x = spl.spsolve(a, b)
        best = time.perf_counter() - begin
    try:
        own = np.load("%s/%s.npy" % (folder, name.replace(":", "-")))
        difference = "%.1e" % (np.abs(own - x).max() / np.abs(x).max())
    except FileNotFoundError:
        difference = "none saved"
    print("%-8s n %8d  %s spsolve %8.4f s  residual %.1e  differs from ours by %s" % (
        name, n, which, best, np.abs(a @ x - b).max() / np.abs(b).max(), difference), flush=True)
