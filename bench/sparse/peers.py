"""The same work as cupola.lua in SciPy, CuPy and PyTorch, whichever are installed: python3 peers.py FOLDER [SECONDS]

Prints lines "PEER MATRIX WORK MICROSECONDS".
"""

import sys
import time

import numpy as np

folder, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 0.3


def measured(f, wait):
    f()
    wait()
    best, begin = float("inf"), time.perf_counter()
    while time.perf_counter() - begin < seconds:
        start, count = time.perf_counter(), 0
        while True:
            f()
            wait()
            count += 1
            if time.perf_counter() - start > seconds / 20:
                break
        best = min(best, (time.perf_counter() - start) / count)
    return best * 1e6


def report(peer, matrix, work, f, wait):
    try:
        print("%s\t%s\t%s\t%.1f" % (peer, matrix, work, measured(f, wait)), flush=True)
    except Exception as problem:
        print("%s\t%s\t%s\tfailed: %s" % (peer, matrix, work, str(problem).splitlines()[0]), flush=True)


def load(name):
    return [np.load("%s/%s_%s.npy" % (folder, name, part)) for part in ("data", "indices", "indptr")]


def like_scipy(peer, xp, sparse, linalg, wait):
    for name in open(folder + "/names").read().split():
        data, indices, indptr = load(name)
        n = len(indptr) - 1
        for dtype in ("float32", "float64"):
            A = sparse.csr_matrix((xp.asarray(data.astype(dtype)), xp.asarray(indices), xp.asarray(indptr)), shape=(n, n))
            x = xp.ones(n, dtype)
            report(peer, name, "spmv " + dtype, lambda: A @ x, wait)
            if dtype == "float32":
                for width in (8, 64):
                    X = xp.ones((n, width), dtype)
                    report(peer, name, "spmm %d" % width, lambda: A @ X, wait)
                    del X
                report(peer, name, "transpose", lambda: A.T.tocsr(), wait)
                rows = xp.asarray(np.random.default_rng(1).integers(0, n, 100000))
                report(peer, name, "slice 1e5 rows", lambda: A[rows], wait)
                report(peer, name, "A + A.T", lambda: A + A.T, wait)
                if name not in ("rmat", "random"):
                    report(peer, name, "A A", lambda: A @ A, wait)
                coo, order = A.tocoo(), xp.asarray(np.load("%s/%s_order.npy" % (folder, name)))
                row, col, values = coo.row[order], coo.col[order], coo.data[order]
                # SciPy leaves the rows unsorted, with repeated places, unless asked
                def from_triplets():
                    B = sparse.csr_matrix(sparse.coo_matrix((values, (row, col)), shape=(n, n)))
                    B.sum_duplicates()
                report(peer, name, "csr from triplets", from_triplets, wait)
                few = A[:-(-20_000_000 // n)]
                report(peer, name, "toarray, 2e7 elements", lambda: few.toarray(), wait)
            elif "laplace" in name:
                b = xp.ones(n)
                option = {"tol": 0} if peer == "cupy" else {"rtol": 0}
                report(peer, name, "cg, 50 steps", lambda: linalg.cg(A, b, maxiter=50, **option), wait)


def like_torch(torch):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    for name in open(folder + "/names").read().split():
        data, indices, indptr = load(name)
        n = len(indptr) - 1
        for dtype in ("float32", "float64"):
            A = torch.sparse_csr_tensor(*(torch.from_numpy(v).to(device) for v in (indptr, indices, data.astype(dtype))),
                                        size=(n, n))
            x = torch.ones(n, dtype=getattr(torch, dtype), device=device)
            report("torch", name, "spmv " + dtype, lambda: A @ x, wait)
            if dtype == "float32":
                for width in (8, 64):
                    X = torch.ones((n, width), dtype=torch.float32, device=device)
                    report("torch", name, "spmm %d" % width, lambda: A @ X, wait)
                    del X


if "cpu" in sys.argv[3:]:
    import scipy.sparse
    import scipy.sparse.linalg
    like_scipy("scipy", np, scipy.sparse, scipy.sparse.linalg, lambda: None)
else:
    try:
        import cupy
        import cupyx.scipy.sparse
        import cupyx.scipy.sparse.linalg
        like_scipy("cupy", cupy, cupyx.scipy.sparse, cupyx.scipy.sparse.linalg, cupy.cuda.Device().synchronize)
    except ImportError as problem:
        print("cupy\t-\t-\t%s" % problem)
    try:
        import torch
        like_torch(torch)
    except ImportError as problem:
        print("torch\t-\t-\t%s" % problem)
