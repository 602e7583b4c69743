"""The rows of kinds.lua, in its order, in SciPy."""

import warnings

import numpy as np
import scipy.sparse as sp
import scipy.sparse.csgraph as graphs
import scipy.sparse.linalg as linalg

warnings.simplefilter("ignore")


def run(report, matrix):
    def of(name):
        return lambda work, f: report(name, work, f)

    for name in ("random", "laplace5"):
        A, kind = matrix(name), of(name)
        n = A.shape[0]
        rng = np.random.default_rng(1)
        rows, columns = rng.integers(0, n, 10000), rng.integers(0, n, 10000)
        mask = rng.random(n) > 0.5
        B, C = A.T.tocsr(), A.tocsc()
        row, column = np.arange(n, dtype=float).reshape(1, n), np.arange(n, dtype=float).reshape(n, 1)
        kind("csr to csc", lambda: A.tocsc())
        kind("csc to csr", lambda: C.tocsr())
        kind("copy", lambda: A.copy())
        kind("columns 10 to 20", lambda: A[:, 9:20])
        kind("rows 10 to 20", lambda: A[9:20, :])
        kind("half of the columns", lambda: A[:, :n // 2])
        kind("half of the rows", lambda: A[:n // 2, :])
        kind("rows of a mask", lambda: A[mask, :])
        kind("1e4 elements", lambda: A[rows, columns])
        kind("one element", lambda: A[9, 19])
        kind("max along axis 0", lambda: A.max(axis=0))
        kind("max along axis 1", lambda: A.max(axis=1))
        kind("min along axis 0", lambda: A.min(axis=0))
        kind("argmax along axis 1", lambda: A.argmax(axis=1))
        kind("sum along axis 0", lambda: A.sum(axis=0))
        kind("sum along axis 1", lambda: A.sum(axis=1))
        kind("sum", lambda: A.sum())
        kind("times a row", lambda: A.multiply(row).tocsr())
        kind("times a column", lambda: A.multiply(column).tocsr())
        kind("A * A, elementwise", lambda: A.multiply(A))
        kind("A * B, elementwise", lambda: A.multiply(B))
        kind("A + B", lambda: A + B)
        kind("A - A", lambda: A - A)
        kind("2 A", lambda: A * 2)
        kind("abs", lambda: abs(A))
        kind("A > B", lambda: A > B)
        kind("maximum of A and B", lambda: A.maximum(B))
        kind("diagonal", lambda: A.diagonal())
        kind("lower triangle", lambda: sp.tril(A, format="csr"))
        kind("vstack", lambda: sp.vstack([A, A], format="csr"))
        kind("hstack", lambda: sp.hstack([A, A], format="csr"))
        kind("norm", lambda: linalg.norm(A))

    A = matrix("random")

    def squared():
        B = A @ A
        B.sort_indices()
    of("random")("A A", squared)

    G, kind = matrix("rmat"), of("rmat")
    kind("breadth_first_order", lambda: graphs.breadth_first_order(G, 0))
    kind("depth_first_order", lambda: graphs.depth_first_order(G, 0))
    kind("laplacian", lambda: graphs.laplacian(G).tocsr())
    kind("strong components", lambda: graphs.connected_components(G, connection="strong"))
    kind("minimum_spanning_tree", lambda: graphs.minimum_spanning_tree(G))
    kind("reverse_cuthill_mckee", lambda: graphs.reverse_cuthill_mckee(G))
    kind("dijkstra of 4 nodes", lambda: graphs.dijkstra(G, indices=[0, 1, 2, 3]))

    L, kind = matrix("laplace5"), of("laplace5")
    L = (L - 4 * sp.eye_array(L.shape[0])).tocsr()
    small = L[:9000, :9000]
    n = small.shape[0]
    b, few = np.ones(n), np.ones((n, 8))
    kind("spsolve, 9000", lambda: linalg.spsolve(small, b))
    csc = small.tocsc()
    kind("splu, 9000", lambda: linalg.splu(csc))
    lu = linalg.splu(csc)
    kind("solve by factors", lambda: lu.solve(b))
    kind("solve by factors, 8 sides", lambda: lu.solve(few))
    lower = sp.tril(small, format="csr")
    kind("spsolve_triangular", lambda: linalg.spsolve_triangular(lower, b, lower=True))
    shifted, whole = (L + sp.eye_array(L.shape[0])).tocsr(), np.ones(L.shape[0])
    for name in ("bicg", "bicgstab", "cgs", "cg", "minres"):
        f, o = getattr(linalg, name), {"rtol": 1e-30 if name == "minres" else 0, "maxiter": 20}
        kind(name + ", 20 steps", lambda: f(shifted, whole, **o))
    kind("minres", lambda: linalg.minres(shifted, whole))
    kind("gmres, 2 cycles", lambda: linalg.gmres(shifted, whole, rtol=0, maxiter=2, restart=20,
                                                 callback_type="pr_norm"))
    kind("lsqr, 20 steps", lambda: linalg.lsqr(L, whole, iter_lim=20, atol=0, btol=0))
    kind("lsmr, 20 steps", lambda: linalg.lsmr(L, whole, maxiter=20, atol=0, btol=0))
    kind("eigsh, 4 largest", lambda: linalg.eigsh(small, 4, tol=1e-4))
    kind("eigs, 4 largest", lambda: linalg.eigs(small, 4, tol=1e-4))
    kind("svds, 4 largest", lambda: linalg.svds(small, 4, tol=1e-4))
    X = np.cos(np.arange(n * 4, dtype=float) ** 2).reshape(n, 4)
    kind("lobpcg, 20 steps", lambda: linalg.lobpcg(small, X, maxiter=20, tol=1e-14, largest=True))
    kind("expm_multiply", lambda: linalg.expm_multiply(small * -0.1, b))
