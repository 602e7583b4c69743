"""The same work as cupola.lua in SciPy, or CuPy, cuSPARSE and PyTorch, whichever are installed:
python3 peers.py FOLDER [SECONDS [cpu|gpu]]

Prints lines "PEER MATRIX WORK MICROSECONDS".
"""

import os
import resource
import sys
import time

import numpy as np

folder, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 0.3
GPU = "cpu" not in sys.argv[3:]
LARGE = "large" in folder
clock = time.process_time if os.environ.get("PROCESSOR_TIME") else time.perf_counter


def measured(f, wait):
    f()
    wait()
    best, begin = float("inf"), clock()
    while clock() - begin < seconds:
        start, count = clock(), 0
        while True:
            f()
            count += 1
            if count % 50 == 0:
                wait()
            if clock() - start > seconds / 20:
                break
        wait()
        best = min(best, (clock() - start) / count)
    return best * 1e6


def calls(f, length):
    """Calls of f for some seconds: the least, the median and the mean time in microseconds, and page faults a call."""
    times, before, begin = [], resource.getrusage(resource.RUSAGE_SELF).ru_minflt, clock()
    while True:
        start = clock()
        f()
        times.append((clock() - start) * 1e6)
        if clock() - begin > length:
            break
    mean = (clock() - begin) * 1e6 / len(times)
    touched = (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / len(times)
    times.sort()
    return "%.1f\t%.1f\t%.1f\t%.1f" % (times[0], times[len(times) // 2], mean, touched)


def turns(matrix, work, f):
    """Says that a work is ready, and measures it whenever a line tells for how many seconds, for turns.py."""
    f()
    print("ready\t%s\t%s" % (matrix, work), flush=True)
    for line in sys.stdin:
        if line == "next\n":
            break
        print(calls(f, float(line)), flush=True)


def report(peer, matrix, work, f, wait):
    if os.environ.get("TURNS"):
        return turns(matrix, work, f)
    try:
        print("%s\t%s\t%s\t%.1f" % (peer, matrix, work, measured(f, wait)), flush=True)
    except Exception as problem:
        print("%s\t%s\t%s\tfailed: %s" % (peer, matrix, work, str(problem).splitlines()[0]), flush=True)


def matrices():
    for line in open(folder + "/names"):
        name, rows, columns = line.split()
        yield (name, int(rows), int(columns),
               *(np.load("%s/%s_%s.npy" % (folder, name, part)) for part in ("data", "indices", "indptr")))


def single(peer, name, A, xp, wait):
    rows, columns = A.shape
    for width in (8, 64, 256):
        X = xp.ones((columns, width), xp.float32)
        report(peer, name, "spmm %d" % width, lambda: A @ X, wait)
        del X
    report(peer, name, "transpose", lambda: A.T.tocsr(), wait)
    chosen = xp.asarray(np.random.default_rng(1).integers(0, rows, 100000))
    report(peer, name, "slice 1e5 rows", lambda: A[chosen], wait)
    few = A[:-(-20_000_000 // columns)]
    report(peer, name, "toarray, 2e7 elements", lambda: few.toarray(), wait)
    if rows != columns:
        return
    report(peer, name, "A + A.T", lambda: A + A.T, wait)
    if name in ("laplace5", "banded", "rmat17"):
        def squared():  # SciPy leaves the rows unsorted, unless asked
            B = A @ A
            if not GPU:
                B.sort_indices()
        report(peer, name, "A A", squared, wait)


def like_scipy(peer, xp, sparse, linalg, graphs, wait):
    for name, rows, columns, data, indices, indptr in matrices():
        for dtype in ("float32", "float64"):
            A = sparse.csr_matrix((xp.asarray(data.astype(dtype)), xp.asarray(indices), xp.asarray(indptr)),
                                  shape=(rows, columns))
            x = xp.ones(columns, dtype)
            report(peer, name, "spmv " + dtype, lambda: A @ x, wait)
            if GPU:
                raw = CuSparse(A, xp)
                raw.vector(name, dtype, x, wait)
            if dtype == "float32":
                if GPU:
                    raw.matrices(name, wait)
                single(peer, name, A, xp, wait)
            elif "laplace" in name:
                b = xp.ones(rows)
                report(peer, name, "cg, 50 steps", lambda: linalg.cg(A, b, maxiter=50, rtol=0), wait)
            elif name == "rmat":
                graph = A + A.T
                report(peer, name, "eigsh, 6 largest", lambda: linalg.eigsh(graph, 6, tol=1e-6), wait)
                report(peer, name, "connected components", lambda: graphs().connected_components(A), wait)
    count, n = (10 ** 8, 10 ** 7) if LARGE else (10 ** 6, 10 ** 5)
    row, col = (xp.random.randint(0, n, count, dtype=np.int32) for _ in range(2))
    values = xp.ones(count, np.float32)

    def from_triplets():  # SciPy leaves the rows unsorted, with repeated places, unless asked
        B = sparse.csr_matrix(sparse.coo_matrix((values, (row, col)), shape=(n, n)))
        B.sum_duplicates()
    report(peer, "triplets", "csr", from_triplets, wait)


class CuSparse:
    """The algorithms of cuSPARSE's generic products with buffers made and preprocessed once."""

    def __init__(self, A, xp):
        import ctypes
        self.c, self.xp, self.A = ctypes, xp, A
        path = [line.split()[-1] for line in open("/proc/self/maps") if "libcusparse.so" in line][0]
        self.lib = ctypes.CDLL(path)
        self.handle = ctypes.c_void_p()
        self.call("Create", ctypes.byref(self.handle))
        self.type = 0 if A.dtype == np.float32 else 1
        self.alpha, self.beta = np.ones(1, A.dtype), np.zeros(1, A.dtype)
        self.matrix = ctypes.c_void_p()
        p = ctypes.c_void_p
        q = ctypes.c_int64
        self.call("CreateCsr", ctypes.byref(self.matrix), q(A.shape[0]), q(A.shape[1]), q(A.nnz), p(A.indptr.data.ptr),
                  p(A.indices.data.ptr), p(A.data.data.ptr), 2, 2, 0, self.type)

    def call(self, name, *arguments):
        status = getattr(self.lib, "cusparse" + name)(*arguments)
        if status != 0:
            raise RuntimeError("cusparse%s: %d" % (name, status))

    def product(self, kind, name, work, right, out, algorithms, wait):
        c, p = self.c, self.c.c_void_p
        ops = (self.handle, 0, 0) if kind == "SpMM" else (self.handle, 0)
        for algorithm in algorithms:
            common = (*ops, p(self.alpha.ctypes.data), self.matrix, right, p(self.beta.ctypes.data), out, self.type,
                      algorithm)
            try:
                size = c.c_size_t()
                self.call(kind + "_bufferSize", *common, c.byref(size))
                buffer = self.xp.empty(max(size.value, 16), self.xp.uint8)
                self.call(kind + "_preprocess", *common, p(buffer.data.ptr))
            except Exception as problem:
                print("cusparse/%d\t%s\t%s\tfailed: %s" % (algorithm, name, work, problem))
                continue
            report("cusparse/%d" % algorithm, name, work, lambda: self.call(kind, *common, p(buffer.data.ptr)), wait)

    def vector(self, name, dtype, x, wait):
        y = self.xp.empty(self.A.shape[0], x.dtype)
        c, right, out = self.c, self.c.c_void_p(), self.c.c_void_p()
        for handle, v in ((right, x), (out, y)):
            self.call("CreateDnVec", c.byref(handle), c.c_int64(len(v)), c.c_void_p(v.data.ptr), self.type)
        self.product("SpMV", name, "spmv " + dtype, right, out, (2, 3), wait)

    def matrices(self, name, wait):
        c = self.c
        for width in (8, 64, 256):
            X, Y = (self.xp.ones((n, width), self.A.dtype) for n in (self.A.shape[1], self.A.shape[0]))
            right, out = c.c_void_p(), c.c_void_p()
            for handle, v in ((right, X), (out, Y)):
                self.call("CreateDnMat", c.byref(handle), c.c_int64(v.shape[0]), c.c_int64(width), c.c_int64(width),
                          c.c_void_p(v.data.ptr), self.type, 2)
            self.product("SpMM", name, "spmm %d" % width, right, out, (6, 12), wait)


def like_torch(torch):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    for name, rows, columns, data, indices, indptr in matrices():
        for dtype in ("float32", "float64"):
            A = torch.sparse_csr_tensor(*(torch.from_numpy(v).to(device) for v in (indptr, indices, data.astype(dtype))),
                                        size=(rows, columns))
            x = torch.ones(columns, dtype=getattr(torch, dtype), device=device)
            report("torch", name, "spmv " + dtype, lambda: A @ x, wait)
            if dtype == "float32":
                for width in (8, 64, 256):
                    X = torch.ones((columns, width), dtype=torch.float32, device=device)
                    report("torch", name, "spmm %d" % width, lambda: A @ X, wait)
                    del X


if GPU:
    try:
        import cupy
        import cupyx.scipy.sparse
        import cupyx.scipy.sparse.linalg

        def graphs():
            import cupyx.scipy.sparse.csgraph
            return cupyx.scipy.sparse.csgraph
        like_scipy("cupy", cupy, cupyx.scipy.sparse, cupyx.scipy.sparse.linalg, graphs,
                   cupy.cuda.Device().synchronize)
    except ImportError as problem:
        print("cupy\t-\t-\t%s" % problem)
    try:
        import torch
        like_torch(torch)
    except ImportError as problem:
        print("torch\t-\t-\t%s" % problem)
else:
    import scipy.sparse
    import scipy.sparse.csgraph
    import scipy.sparse.linalg
    like_scipy("scipy", np, scipy.sparse, scipy.sparse.linalg, lambda: scipy.sparse.csgraph, lambda: None)
    import kinds

    def matrix(wanted):
        for name, rows, columns, data, indices, indptr in matrices():
            if name == wanted:
                return scipy.sparse.csr_array((data.astype("float64"), indices, indptr), shape=(rows, columns))

    kinds.run(lambda matrix, work, f: report("scipy", matrix, work, f, lambda: None), matrix)
