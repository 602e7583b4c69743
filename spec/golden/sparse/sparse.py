"""Writes sparse.lua: expressions with sparse arrays, and what SciPy gives for them.

Run with SciPy 1.17 or later: python3 spec/golden/make.py sparse

Each case is an expression in Python and the same in Lua (where they differ), evaluated for each dtype. A, B and S are
sparse (S is square; their places are unsorted, and some repeated); D, v and w are dense.
"""
import warnings

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spl

from sparse_print import lua_array, lua_list, show

warnings.simplefilter("ignore")
DTYPES = ["float64", "float32", "complex128", "int32", "bool"]

# Triplets, counted from 0: rows 2 of A and columns 3 are empty, one row is full, some places repeat.
A_ROWS, A_COLS = [3, 0, 0, 1, 3, 3, 0, 4, 3, 3, 1], [6, 5, 1, 0, 0, 2, 5, 4, 1, 4, 0]
A_SHAPE = (5, 7)
B_ROWS, B_COLS = [0, 4, 4, 1, 3, 2], [5, 4, 6, 1, 2, 0]
S_ROWS, S_COLS = [0, 1, 2, 3, 4, 0, 1, 4, 3, 2, 4], [0, 1, 2, 3, 4, 4, 0, 1, 1, 3, 1]


def values(n, dtype, seed):
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return np.ones(n, bool)
    v = rng.integers(1, 9, n) * rng.choice([-1, 1], n)
    if dtype == "int32":
        return v.astype(dtype)
    if dtype == "complex128":
        return (v / 4 + 1j * rng.integers(-4, 5, n) / 2).astype(dtype)
    return (v / 4).astype(dtype)


def inputs(dtype):
    out = {}
    for name, rows, cols, shape, seed in (("A", A_ROWS, A_COLS, A_SHAPE, 1), ("B", B_ROWS, B_COLS, A_SHAPE, 2),
                                          ("S", S_ROWS, S_COLS, (5, 5), 3)):
        out[name] = (rows, cols, values(len(rows), dtype, seed), shape)
    out["D"] = values(35, dtype, 4).reshape(5, 7)
    out["v"] = values(7, dtype, 5)
    out["w"] = values(5, dtype, 6)
    return out


# (Python, Lua or None for the same, dtypes or None for all)
REAL = ["float64", "float32", "int32"]
FLOATS = ["float64", "float32"]
NUMBERS = ["float64", "float32", "complex128", "int32"]
INEXACT = ["float64", "float32", "complex128"]
CASES = [
    ("A.toarray()", "A:toarray()", None),
    ("A.T.toarray()", "A.T:toarray()", None),
    ("A + B", None, None),
    ("A - B", None, NUMBERS),
    ("A * B", None, None),
    ("A * 3", None, ["float64", "int32", "complex128"]),
    ("2.5 * A", None, FLOATS),
    ("A / 2", None, ["float64", "complex128", "int32"]),
    ("-A", None, NUMBERS),
    ("A.power(2)", "A ^ 2", NUMBERS),
    ("abs(A)", "cp.abs(A)", NUMBERS),
    ("A.sqrt()", "cp.sqrt(A)", ["complex128"]),
    ("abs(A).sqrt()", "A:abs():sqrt()", FLOATS),
    ("A.sin()", "cp.sin(A)", ["float64", "float32"]),
    ("A.expm1()", "A:expm1()", ["float64", "float32"]),
    ("A.floor()", "A:floor()", FLOATS),
    ("A.sign()", "A:sign()", REAL),
    ("A.conj()", "A:conj()", NUMBERS),
    ("A.real", None, NUMBERS),
    ("A.imag", None, ["complex128"]),
    ("A + D", None, None),
    ("D - A", None, NUMBERS),
    ("A.multiply(D)", "A * D", None),
    ("A.multiply(v)", "v * A", None),
    ("A.multiply(w.reshape(5, 1))", "A * w:reshape({5, 1})", None),
    ("A / D", None, INEXACT),
    ("A == B", "A:eq(B)", NUMBERS),
    ("A != B", "A:ne(B)", None),
    ("A < B", "A:lt(B)", REAL),
    ("A > B", "cp.greater(A, B)", REAL),
    ("A > 1", "A:gt(1)", REAL),
    ("A < 1", "A:lt(1)", REAL),
    ("A != 0", "A:ne(0)", NUMBERS),
    ("A.maximum(B)", "cp.maximum(A, B)", REAL),
    ("A.minimum(B)", "A:minimum(B)", REAL),
    ("A.maximum(0)", "A:maximum(0)", REAL),
    ("A.minimum(1)", "A:minimum(1)", REAL),
    ("A @ v", "A:dot(v)", None),
    ("A @ D.T", "A:dot(D.T)", None),
    ("A.T @ w", "A.T:dot(w)", None),
    ("w @ A", "cp.matmul(w, A)", None),
    ("D.T @ A", "cp.dot(D.T, A)", None),
    ("A @ B.T", "A:matmul(B.T)", None),
    ("A.T @ B", "A.T:dot(B)", None),
    ("S @ S @ A", "cp.matmul(S:dot(S), A)", None),
    ("spl.matrix_power(S, 3)", "S:dot(S):dot(S)", NUMBERS),
    ("A.sum()", "A:sum()", None),
    ("A.sum(axis=0)", "cp.sum(A, 1)", None),
    ("A.sum(axis=1)", "A:sum(2)", None),
    ("A.mean()", "A:mean()", NUMBERS),
    ("A.mean(axis=0)", "A:mean(1)", NUMBERS),
    ("A.max()", "A:max()", REAL),
    ("A.min()", "A:min()", REAL),
    ("A.max(axis=0).toarray()", "cp.max(A, 1)", REAL),
    ("A.max(axis=1).toarray()", "A:max(2)", REAL),
    ("A.min(axis=0).toarray()", "A:min(1)", REAL),
    ("A.argmax(axis=1) + 1", "A:argmax(2)", REAL),
    ("A.argmin(axis=0) + 1", "cp.argmin(A, 1)", REAL),
    ("A.argmax() + 1", "A:argmax()", REAL),
    ("A.count_nonzero()", "A:count_nonzero()", None),
    ("A.tocsr().count_nonzero(axis=0)", "A:count_nonzero(1)", NUMBERS),
    ("A.diagonal()", "A:diagonal()", None),
    ("A.diagonal(2)", "A:diagonal(2)", None),
    ("A.diagonal(-1)", "A:diagonal(-1)", None),
    ("S.trace()", "S:trace()", None),
    ("A.tocsr()[1:4, :]", "A['2:4, :']", None),
    ("A.tocsr()[:, 1:6:2]", "A[{{}, {2, 6, 2}}]", None),
    ("A.tocsr()[::-1]", "A['::-1, :']", None),
    ("A.tocsr()[[4, 0, 3, 3]]", "A[{cp.index{5, 1, 4, 4}}]", None),
    ("A.tocsr()[:, [6, 6, 0]]", "A[{{}, cp.index{7, 7, 1}}]", None),
    ("A.tocsr()[[0, 3, 2], [5, 4, 1]]", "A[{cp.index{1, 4, 3}, cp.index{6, 5, 2}}]", None),
    ("A.tocsr()[[False, True, False, True, False]]", "A[{cp.array{false, true, false, true, false}}]", None),
    ("A.tocsr()[[3], 2:]", "A['4:4, 3:']", None),
    ("set(A, (slice(1, 3), slice(0, 4)), 0)", "set(A, '2:3, 1:4', 0)", NUMBERS),
    ("set(A, ([0, 2, 4], [5, 5, 0]), np.array([7, 8, 9], A.dtype))",
     "set(A, {cp.index{1, 3, 5}, cp.index{6, 6, 1}}, cp.array({7, 8, 9}, A.dtype))", NUMBERS),
    ("set(A, (2, 3), 5)", "set(A, {3, 4}, 5)", NUMBERS),
    ("setdiag(A, 9, 1)", "setdiag(A, 9, 1)", NUMBERS),
    ("sp.tril(A)", "sp.tril(A)", None),
    ("sp.triu(A, 1)", "sp.triu(A, 1)", None),
    ("sp.hstack([A, B, S])", "sp.hstack{A, B, S}", None),
    ("sp.vstack([A, B])", "sp.vstack{A, B}", None),
    ("sp.block_array([[A, None], [None, S]])", "sp.block_array{{A, false}, {false, S}}", None),
    ("sp.block_diag([A, S, B])", "sp.block_diag{A, S, B}", None),
    ("sp.kron(S, B)", "sp.kron(S, B)", None),
    ("sp.kronsum(S, S)", "sp.kronsum(S, S)", NUMBERS),
    ("sp.diags_array([w, v[:4]], offsets=[0, 1], shape=(5, 5))",
     "sp.diags({w, v[{{1, 4}}]}, {0, 1}, {5, 5})", ["float64", "complex128"]),
    ("sp.eye_array(4, 6, k=1, dtype=A.dtype)", "sp.eye(4, 6, 1, A.dtype)", None),
    ("sp.dia_array((D, [0, -1, 2, 5, -4]), shape=(6, 7))", "sp.dia_array({D, {0, -1, 2, 5, -4}}, {shape = {6, 7}})", None),
    ("sp.dia_array((D, [0, -1, 2, 5, -4]), shape=(6, 7)) @ v",
     "sp.dia_array({D, {0, -1, 2, 5, -4}}, {shape = {6, 7}}):dot(v)", None),
    ("A.todia()", "A:todia()", None),
    ("sp.csr_array(D)", "sp.csr_array(D)", None),
    ("A.reshape((7, 5))", "A:reshape{7, 5}", None),
    ("A.reshape((35, 1), order='F')", "A:reshape({-1, 1}, 'F')", None),
    ("A.reshape((5, 7), order='F')", "A:reshape({5, 7}, 'F')", ["float64"]),
    ("resized(A, (4, 6))", "resized(A, {4, 6})", None),
    ("resized(A, (6, 9))", "resized(A, {6, 9})", None),
    ("A.tensordot(B)", "A:tensordot(B)", None),
    ("A.tensordot(B, axes=([1], [1]))", "A:tensordot(B, {2, 2})", None),
    ("A.tensordot(D, axes=([0, 1], [0, 1]))", "A:tensordot(D, {{1, 2}, {1, 2}})", NUMBERS),
    ("A.tensordot(D.T, axes=1)", "A:tensordot(D.T, 1)", None),
    ("2 * (A @ v) + 3 * w", "A:dot(v, {alpha = 2, beta = 3, add = w})", NUMBERS),
    ("-3 * (A.T @ w)", "A.T:dot(w, {alpha = -3})", NUMBERS),
    ("2 * (A @ D.T) - S.toarray()", "A:tocsc():matmul(D.T, {alpha = 2, beta = -1, add = S:toarray()})", NUMBERS),
    ("v - 2 * (w @ A)", "A.T:dot(w, {alpha = -2, beta = 1, out = v:copy()})", NUMBERS),
    ("sampled(A, D, D.T @ D)", "sp.sampled_matmul(A, D, D.T:dot(D)) * A:toarray():ne(0)", None),
    ("sampled(A, 2 * D[:, 1:4], D[2:]) - 3 * A.toarray()",
     "sp.sampled_matmul(A, D[{{}, {2, 4}}], D[{{3, 5}, {}}], {alpha = 2, beta = -3}) * A:toarray():ne(0)", NUMBERS),
    ("sp.csc_array(D[:, ::2])", "sp.csc_array(D[{{}, {1, 7, 2}}])", None),
]


def set_item(A, key, value):
    A = A.tocsr().copy()
    A[key] = value
    return A


def setdiag(A, value, k):
    A = A.tocsr().copy()
    A.setdiag(value, k)
    return A


def sampled(A, x, y):
    return (x @ y) * (A.toarray() != 0)


def resized(A, shape):
    A = A.copy()
    A.resize(shape)
    return A


print("-- Made by sparse.py with SciPy %s: do not edit." % __import__("scipy").__version__)
print("-- triplets count from 0; values are in C order")
print("local c = require(\"cupola\").complex")
print("return {")
for dtype in DTYPES:
    given = inputs(dtype)
    env = {"np": np, "sp": sp, "spl": spl, "set": set_item, "setdiag": setdiag, "resized": resized, "sampled": sampled}
    print("  {dtype = %r," % dtype)
    for name, x in given.items():
        if isinstance(x, tuple):
            env[name] = sp.coo_array((x[2], (x[0], x[1])), shape=x[3])
            show("%s = {row = %s, col = %s, data = %s, shape = {%d, %d}},"
                  % (name, lua_list(x[0]), lua_list(x[1]), lua_list(x[2]), *x[3]))
        else:
            env[name] = x
            show("%s = %s," % (name, lua_array(x)))
    for python, lua, dtypes in CASES:
        if dtypes is not None and dtype not in dtypes:
            continue
        result = eval(python, dict(env))
        if sp.issparse(result):
            result = result.toarray()
        show("{\"%s\", %s}," % ((lua or python).replace("\"", "'"), lua_array(np.asarray(result))))
    print("  },")
print("}")
