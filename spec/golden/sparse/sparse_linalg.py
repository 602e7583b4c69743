"""Writes sparse_linalg.lua: expressions of scipy.sparse.linalg, and what SciPy or dense linear algebra gives for them.

Run with SciPy 1.17 or later: python3 spec/golden/make.py sparse_linalg

G is a general matrix, H a hermitian one, P a positive definite one, R has more rows than columns; w is a vector, W a
matrix, V a sparse one. Eigenvalues are sorted: vectors are checked by what they are.
"""
import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
import scipy.sparse.linalg as spl

from sparse_print import lua_array, lua_list, show

N = 24
DTYPES = ["float64", "float32", "complex128", "complex64"]


def numbers(rng, shape, dtype):
    v = rng.integers(-8, 9, shape) / 4
    if dtype.startswith("complex"):
        v = v + 1j * rng.integers(-8, 9, shape) / 4
    return v.astype(dtype)


def inputs(dtype):
    rng = np.random.default_rng(7)

    def random(rows, columns, density):
        places = rng.random((rows, columns)) < density
        return sp.coo_array(np.where(places, numbers(rng, (rows, columns), dtype), 0))

    G = sp.coo_array((random(N, N, 0.12) + sp.diags_array(rng.integers(3, 9, N).astype(dtype))).astype(dtype))
    H = random(N, N, 0.1)
    H = sp.coo_array((H + H.conj().T + sp.diags_array(rng.integers(-6, 7, N).astype(dtype))).astype(dtype))
    B = random(N, N, 0.06)
    P = sp.coo_array((B @ B.conj().T + sp.diags_array(rng.integers(2, 7, N).astype(dtype))).astype(dtype))
    return {"G": G, "H": H, "P": P, "R": random(N + 8, N - 6, 0.2), "w": numbers(rng, N, dtype),
            "W": numbers(rng, (N, 2), dtype), "V": random(N, 4, 0.2)}


def dense(A):
    return A.toarray().astype(complex if A.dtype.kind == "c" else float)


def eigh(which, k, sigma=None):
    def value(e):
        v = la.eigvalsh(dense(e["H"]))
        key = {"LM": -abs(v), "SM": abs(v), "LA": -v, "SA": v}
        if sigma is not None:
            return np.sort(v[np.argsort(abs(v - sigma))[:k]])
        if which == "BE":
            return np.sort(np.concatenate([v[:k // 2], v[len(v) - (k - k // 2):]]))
        return np.sort(v[np.argsort(key[which])[:k]])
    return value


def eig(which, k, sigma=0):
    """Of real matrices imaginary parts count by their size."""
    def value(e):
        v = la.eigvals(dense(e["G"]))
        imag = v.imag if e["G"].dtype.kind == "c" else abs(v.imag)
        key = {"LM": -abs(v), "SM": abs(v), "LR": -v.real, "SR": v.real, "LI": -imag, "SI": imag, "": abs(v - sigma)}[which]
        order = np.argsort(key)
        assert key[order[k]] - key[order[k - 1]] > 1e-6, ("take another k", which, e["G"].dtype, np.sort(key))
        v = v[order[:k]]
        return v[np.lexsort((v.imag.round(9), v.real.round(9)))]
    return value


ALL, WIDE = DTYPES, ["float64", "complex128"]
# (expression in Lua, value from the inputs, dtypes)
CASES = [
    ("linalg.splu(G):solve(w)", lambda e: spl.splu(e["G"].tocsc()).solve(e["w"]), ALL),
    ("linalg.splu(G):solve(W)", lambda e: spl.splu(e["G"].tocsc()).solve(e["W"]), WIDE),
    ("linalg.splu(G):solve(w, 'T')", lambda e: spl.splu(e["G"].tocsc()).solve(e["w"], "T"), WIDE),
    ("linalg.splu(G):solve(W, 'H')", lambda e: spl.splu(e["G"].tocsc()).solve(e["W"], "H"), ALL),
    ("linalg.spsolve(G, w)", lambda e: spl.spsolve(e["G"].tocsc(), e["w"]), WIDE),
    ("linalg.spsolve(G, W)", lambda e: spl.spsolve(e["G"].tocsc(), e["W"]), WIDE),
    ("linalg.spsolve(G, V)", lambda e: spl.spsolve(e["G"].tocsc(), e["V"].tocsc()).toarray(), ALL),
    ("linalg.factorized(G)(w)", lambda e: spl.factorized(e["G"].tocsc())(e["w"]), WIDE),
    ("linalg.inv(G)", lambda e: spl.inv(e["G"].tocsc()).toarray(), WIDE),
    ("linalg.spilu(G, {drop_tol = 0, fill_factor = 30}):solve(w)",
     lambda e: spl.spilu(e["G"].tocsc(), drop_tol=0, fill_factor=30).solve(e["w"]), WIDE),
    ("linalg.expm_multiply(H * 0.5, w)", lambda e: la.expm(0.5 * dense(e["H"])) @ e["w"], ALL),
    ("linalg.expm_multiply(G * -0.25, W)", lambda e: la.expm(-0.25 * dense(e["G"])) @ e["W"], WIDE),
    ("linalg.expm_multiply(G, w, {start = -0.2, stop = 0.1, num = 4})",
     lambda e: np.stack([la.expm(t * dense(e["G"])) @ e["w"] for t in (-0.2, -0.1, 0, 0.1)]), WIDE),
    ("linalg.expm_multiply(G, W, {start = 0, stop = -0.3, num = 3, endpoint = false})",
     lambda e: np.stack([la.expm(t * dense(e["G"])) @ e["W"] for t in (0, -0.1, -0.2)]), WIDE),
    ("linalg.svds(R, 4, {return_singular_vectors = false})",
     lambda e: np.sort(la.svdvals(dense(e["R"]))[:4]), ALL),
    ("linalg.svds(R.T, 3, {return_singular_vectors = false, which = 'SM'})",
     lambda e: np.sort(la.svdvals(dense(e["R"]))[-3:]), WIDE),
    ("(select(2, linalg.svds(R, 3, {solver = 'lobpcg', maxiter = 300, tol = 1e-6, rng = 1})))",
     lambda e: np.sort(la.svdvals(dense(e["R"]))[:3]), ALL),
    ("(select(2, linalg.svds(R.T, 2, {solver = 'lobpcg', maxiter = 300, tol = 1e-6, which = 'SM'})))",
     lambda e: np.sort(la.svdvals(dense(e["R"]))[-2:]), WIDE),
]
for which in ("LM", "SM", "LA", "SA", "BE"):
    CASES.append(("linalg.eigsh(H, 5, {which = '%s', return_eigenvectors = false})" % which, eigh(which, 5),
                  ALL if which in ("LM", "BE") else WIDE))
CASES.append(("linalg.eigsh(H, 4, {sigma = 0.7, return_eigenvectors = false})", eigh(None, 4, 0.7), ALL))
CASES.append(("linalg.eigsh(H, 3, {M = P, return_eigenvectors = false})",
              lambda e: (lambda v: np.sort(v[np.argsort(-abs(v))[:3]]))(la.eigvalsh(dense(e["H"]), dense(e["P"]))), WIDE))
CASES.append(("linalg.eigsh(H, 3, {M = P, sigma = -0.4, return_eigenvectors = false})",
              lambda e: (lambda v: np.sort(v[np.argsort(abs(v + 0.4))[:3]]))(la.eigvalsh(dense(e["H"]), dense(e["P"]))),
              WIDE))
for which, k in (("LM", 5), ("SM", 5), ("LR", 5), ("SR", 5), ("LI", 4), ("SI", 4)):
    CASES.append(("sorted(linalg.eigs(G, %d, {which = '%s', return_eigenvectors = false}))" % (k, which), eig(which, k),
                  WIDE if which != "SI" else ["complex128"]))
CASES.append(("sorted(linalg.eigs(G, 5, {sigma = 5.2, return_eigenvectors = false}))", eig("", 5, 5.2), WIDE))

print("-- Made by sparse_linalg.py with SciPy %s: do not edit." % __import__("scipy").__version__)
print("-- triplets count from 0; values are in C order")
print("local c = require(\"cupola\").complex")
print("return {")
for dtype in DTYPES:
    given = inputs(dtype)
    print("  {dtype = %r," % dtype)
    for name, x in given.items():
        if sp.issparse(x):
            show("%s = {row = %s, col = %s, data = %s, shape = {%d, %d}},"
                 % (name, lua_list(x.row), lua_list(x.col), lua_list(x.data), *x.shape))
        else:
            show("%s = %s," % (name, lua_array(x)))
    for lua, value, dtypes in CASES:
        if dtype in dtypes:
            result = np.asarray(value(given))
            if result.dtype.kind == "c" and abs(result.imag).max() == 0 and dtype.startswith("float"):
                result = result.real
            show("{\"%s\", %s}," % (lua, lua_array(result)))
    print("  },")
print("}")
