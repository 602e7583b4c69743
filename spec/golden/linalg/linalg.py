"""Golden calls of products and cp.linalg, from NumPy. Where signs or orders are free (vectors of svd, qr, eigh) what is compared is what
does not depend on them: products of the factors, and the factors' own products with themselves."""

import numpy as np

import values
from expressions import Calls

INEXACT = ["float32", "float64", "complex64", "complex128"]
DTYPES = values.DTYPES
WHOLE = ["bool", "int32", "float16", "float32", "complex128"]  # meet all shapes; the others a few


def real(name):
    return {"complex64": "float32", "complex128": "float64"}.get(name, name)


class Maker:
    def __init__(self):
        self.rng = np.random.default_rng(2024)

    def __call__(self, name, *shape):
        """Values with few digits, so that every dtype holds them."""
        kind = values.kind(name)
        if kind == "b":
            return self.rng.integers(0, 2, shape) > 0
        if kind == "i":
            info = np.iinfo(DTYPES[name])
            low, high = (info.min, info.max) if info.bits < 32 else (-(2**31), 2**31 - 1)
            if info.min == 0:
                low = 0
            return self.rng.integers(low, high, shape).astype(DTYPES[name])
        x = self.rng.integers(-32, 33, shape) / 16
        if kind == "c":
            x = x + 1j * self.rng.integers(-32, 33, shape) / 16
        return x.astype(DTYPES[name])

    def hermitian(self, name, *shape):
        """Positive definite."""
        x = self(name, *shape).astype(complex if values.kind(name) == "c" else float)
        h = x @ np.conj(np.swapaxes(x, -1, -2)) + 2 * np.eye(shape[-1])
        return h.astype(DTYPES[name])

    def regular(self, name, *shape):
        return (self(name, *shape) + 4 * np.eye(shape[-1])).astype(DTYPES[name])


def wide(x):
    if x.dtype.kind == "c":
        return x.astype(np.complex128)
    return x.astype(np.float64) if x.dtype.name in ("float16", "bfloat16", "float32", "float64") else x


def products(calls, make):
    pairs = [((3, 4), (4, 5)), ((4,), (4,)), ((4,), (4, 3)), ((3, 4), (4,)), ((2, 3, 4), (4, 5)), ((2, 3, 4), (2, 4, 3)),
             ((3, 4), (2, 4, 2)), ((2, 1, 3, 4), (3, 4, 2)), ((2, 3, 4), (4,)), ((4,), (2, 4, 3)), ((1, 4), (4, 1)),
             ((4, 1), (1, 3)), ((0, 4), (4, 3)), ((3, 0), (0, 2)), ((2, 0, 3), (3, 2)), ((5, 1, 1), (1, 1))]
    for name in DTYPES:
        for sa, sb in pairs if name in WHOLE else pairs[:6]:
            a, b = make(name, *sa), make(name, *sb)
            call(calls, "matmul", "return cp.matmul(a, b)", [a, b], np.matmul, name)
    # Larger than what plain sums of products are taken for, so that integers go through their 16-bit parts.
    for name in DTYPES:
        if values.kind(name) in "bi":
            a, b = make(name, 24, 60), make(name, 60, 24)
            call(calls, "matmul-large", "return cp.matmul(a, b)", [a, b], np.matmul, name)
    for name in INEXACT:
        a, b = make(name, 17, 20), make(name, 20, 18)
        call(calls, "matmul-large", "return cp.matmul(a, b)", [a, b], np.matmul, name)
        call(calls, "matmul-large", "return cp.matmul(b.T, a.T)", [a, b], lambda x, y: np.matmul(y.T, x.T), name)
    dots = [((3, 4), (4, 5)), ((4,), (4,)), ((), (3,)), ((2, 3), ()), ((2, 3, 4), (4,)), ((2, 3, 4), (2, 4, 3)), ((3, 4), (4,))]
    for name in ["bool", "int32", "float16", "bfloat16", "float32", "complex128"]:
        for sa, sb in dots:
            call(calls, "dot", "return cp.dot(a, b)", [make(name, *sa), make(name, *sb)], np.dot, name)
        a, b = make(name, 2, 3), make(name, 3, 2)
        call(calls, "vdot", "return cp.vdot(a, b)", [a, b], np.vdot, name)
        call(calls, "inner", "return cp.inner(a, b)", [make(name, 2, 3, 4), make(name, 5, 4)], np.inner, name)
        call(calls, "inner", "return cp.inner(a, b)", [make(name, 4), make(name, 4)], np.inner, name)
        call(calls, "outer", "return cp.outer(a, b)", [make(name, 2, 2), make(name, 3)], np.outer, name)
        call(calls, "kron", "return cp.kron(a, b)", [make(name, 2, 3), make(name, 3, 2)], np.kron, name)
        call(calls, "kron", "return cp.kron(a, b)", [make(name, 2), make(name, 2, 2, 2)], np.kron, name)
        a, b = make(name, 3, 4, 2), make(name, 4, 3, 5)
        call(calls, "tensordot", "return cp.tensordot(a, b, {{1, 2}, {2, 1}})", [a, b],
             lambda x, y: np.tensordot(x, y, ([0, 1], [1, 0])), name)
        call(calls, "tensordot", "return cp.tensordot(a, b, 1)", [make(name, 2, 3), make(name, 3, 2, 2)],
             lambda x, y: np.tensordot(x, y, 1), name)
        call(calls, "tensordot", "return cp.tensordot(a, b)", [make(name, 2, 3, 4), make(name, 3, 4, 2)], np.tensordot, name)
        call(calls, "tensordot", "return cp.tensordot(a, b, 0)", [make(name, 2), make(name, 3)],
             lambda x, y: np.tensordot(x, y, 0), name)
    for name in ["bool", "int8", "uint16", "int64", "float32", "complex128"]:
        a = make(name, 3, 4, 3)
        wider = np.trace(a).dtype
        calls.add("trace", "return cp.trace(a)", [a], [np.trace(a)], None if wider.kind in "iu" else [name],
                  None if wider.kind in "iu" else 8)
        out = np.trace(a, 1, 0, 2)
        calls.add("trace", "return cp.trace(a, 1, 1, 3)", [a], [out], None if wider.kind in "iu" else [name],
                  None if wider.kind in "iu" else 8)
    a, b = make("int16", 3, 4), make("float32", 4, 2)
    calls.add("matmul", "return cp.matmul(a, b)", [a, b], [a.astype(float) @ b.astype(float)], ["float32"], 8)
    a, b = make("float32", 3, 4), make("complex128", 4, 2)
    calls.add("matmul", "return cp.matmul(a, b)", [a, b], [a @ b], ["complex128"], 8)
    a = np.array([[np.inf, 1], [2, np.nan]])
    calls.add("matmul", "return cp.matmul(a, b)", [a, np.ones((2, 2))], [a @ np.ones((2, 2))], ["float64"], 8)


def call(calls, group, lua, inputs, f, name):
    """f in the same dtype where it is exact, in double precision else."""
    if values.kind(name) in "bi":
        calls.add(group, lua, inputs, [f(*inputs)])
    else:
        calls.add(group, lua, inputs, [f(*map(wide, inputs))], [name], 16)


EINSUM = [
    ("ij,jk->ik", (3, 4), (4, 2)), ("ij,jk", (3, 4), (4, 2)), ("ii", (3, 3)), ("ii->i", (3, 3)), ("ij->ji", (2, 3)), ("ij->", (2, 3)),
    ("ij->j", (2, 3)), ("i,i", (4,), (4,)), ("i,j->ij", (2,), (3,)), ("i,j->ji", (2,), (3,)), ("ij,ij->ij", (2, 3), (2, 3)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 2)), ("...ij,...jk->...ik", (2, 3, 4), (4, 2)), ("...ij->...ji", (2, 2, 3)),
    ("ij...,jk...->ik...", (2, 3, 2), (3, 4, 2)), ("ijk,ilm,njm,nlk,abc->", (2, 3, 2), (2, 2, 3), (2, 3, 3), (2, 2, 2), (1, 2, 2)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)), ("ijkl,klmn->ijmn", (2, 2, 3, 2), (3, 2, 2, 2)), ("ijk,jil->kl", (2, 3, 4), (3, 2, 2)),
    ("iij->j", (3, 3, 2)), ("iji->j", (3, 2, 3)), ("ii,jj->", (2, 2), (3, 3)), ("ab,bc,ad->cd", (2, 3), (3, 4), (2, 2)),
    (",ij->ij", (), (2, 2)), ("i->", (0,)), ("ij,jk->ik", (2, 0), (0, 3)), ("abc,cd->abd", (2, 3, 4), (4, 2)),
    ("bi,bj->bij", (3, 2), (3, 4)), ("bi,bj->ij", (3, 2), (3, 4)), ("ij,i->i", (3, 4), (3,)), ("...,...", (2, 3), (3,)),
    ("ij,kj->ik", (3, 1), (2, 4)), ("aabb->ab", (2, 2, 3, 3)), ("i,i,i->i", (3,), (3,), (3,)), ("ba", (2, 3)), ("b...a,c->ac...", (2, 3, 2), (2,)),
]


def einsum(calls, make):
    for name in ["float32", "complex128", "int32", "bool"]:
        for text, *shapes in EINSUM:
            xs = [make(name, *s) for s in shapes]
            letters = ", ".join("abcdefgh"[k] for k in range(len(xs)))
            lua = 'return cp.einsum("%s", %s)' % (text, letters)
            if name == "bool" and len(xs) > 2:
                continue
            call(calls, "einsum", lua, xs, lambda *v, text=text: np.einsum(text, *v, optimize=True), name)
    a, b = make("float16", 4, 5), make("float16", 5, 3)
    calls.add("einsum", 'return cp.einsum("ij,jk", a, b)', [a, b], [wide(a) @ wide(b)], ["float16"], 8)
    a, b, c = make("float64", 2, 3), make("float64", 3, 4), make("float64", 4, 2)
    calls.add("einsum", 'return cp.einsum("ij,jk,kl", a, b, c, {optimize = false})', [a, b, c], [a @ b @ c], None, 16)


def systems(calls, make, name):
    a, b, v = make.regular(name, 4, 4), make(name, 4, 3), make(name, 4)
    w = wide
    add = lambda group, lua, inputs, outputs, kinds=None, factor=64: calls.add(
        group, lua, inputs, outputs, kinds or [name] * len(outputs), factor)
    add("solve", "return cp.linalg.solve(a, b)", [a, b], [np.linalg.solve(w(a), w(b))])
    add("solve", "return cp.linalg.solve(a, b)", [a, v], [np.linalg.solve(w(a), w(v))])
    many, right = make.regular(name, 3, 4, 4), make(name, 2, 1, 4, 2)
    add("solve", "return cp.linalg.solve(a, b)", [many, right], [np.linalg.solve(w(many), w(right))])
    add("solve", "return cp.linalg.solve(a, b)", [many, v], [np.linalg.solve(w(many), w(v))])
    add("inv", "return cp.linalg.inv(a)", [many], [np.linalg.inv(w(many))])
    add("det", "return cp.linalg.det(a)", [a], [np.linalg.det(w(a))])
    add("det", "return cp.linalg.det(a)", [many], [np.linalg.det(w(many))])
    singular = np.array([[1, 2], [2, 4]]).astype(a.dtype)
    add("det", "return cp.linalg.det(a)", [singular], [np.zeros(()).astype(w(a).dtype)])
    sign, log = np.linalg.slogdet(w(many))
    add("slogdet", "return cp.linalg.slogdet(a)", [many], [sign, log], [name, real(name)])
    add("slogdet", "return cp.linalg.slogdet(a)", [singular], [np.zeros(()).astype(w(a).dtype), np.array(-np.inf)], [name, real(name)])
    add("matrix_power", "return cp.linalg.matrix_power(a, 5)", [a / 4], [np.linalg.matrix_power(w(a) / 4, 5)])
    add("matrix_power", "return cp.linalg.matrix_power(a, -2)", [many], [np.linalg.matrix_power(w(many), -2)])
    add("matrix_power", "return cp.linalg.matrix_power(a, 0)", [a], [np.linalg.matrix_power(w(a), 0)])
    chain = [make(name, 2, 5), make(name, 5, 3), make(name, 3, 6), make(name, 6)]
    add("multi_dot", "return cp.linalg.multi_dot{a, b, c, d}", chain, [np.linalg.multi_dot([w(x) for x in chain])])
    t = make.regular(name, 6, 6).reshape(2, 3, 6)
    side = make(name, 2, 3)
    add("tensorsolve", "return cp.linalg.tensorsolve(a, b)", [t, side], [np.linalg.tensorsolve(w(t), w(side))])
    add("tensorinv", "return cp.linalg.tensorinv(a)", [t], [np.linalg.tensorinv(w(t))])
    for trans, m in ((0, a), (1, a.T), (2, np.conj(a.T))):
        add("lu", "return cp.scipy.linalg.lu_solve({ cp.scipy.linalg.lu_factor(a) }, b, %d)" % trans, [a, b],
            [np.linalg.solve(w(m), w(b))])
        upper = np.triu(w(a))
        m = (upper, upper.T, np.conj(upper.T))[trans]
        add("triangular", "return cp.scipy.linalg.solve_triangular(a, b, %d)" % trans, [a, b], [np.linalg.solve(m, w(b))])
    lower = np.tril(w(many), -1) + np.eye(4)
    add("triangular", "return cp.scipy.linalg.solve_triangular(a, b, {lower = true, unit_diagonal = true})", [many, v],
        [np.linalg.solve(lower, w(v)[:, None])[..., 0]])
    for shape in ((4, 4), (5, 3), (3, 5), (2, 4, 3)):
        m = make(name, *shape)
        add("lu", "local p, l, u = cp.scipy.linalg.lu(a); return cp.matmul(p:astype(a.dtype), cp.matmul(l, u))", [m], [w(m)])
        add("lu", "local l, u = cp.scipy.linalg.lu(a, true); return cp.matmul(l, u)", [m], [w(m)])
    h = make.hermitian(name, 2, 4, 4)
    add("cholesky", "return cp.linalg.cholesky(a)", [h], [np.linalg.cholesky(w(h))])
    add("cholesky", "return cp.linalg.cholesky(a, true)", [h], [np.linalg.cholesky(w(h), upper=True)])
    add("cholesky", "return cp.scipy.linalg.cho_solve({ cp.scipy.linalg.cho_factor(a) }, b)", [h[0], b], [np.linalg.solve(w(h[0]), w(b))])


def factors(calls, make, name):
    w = wide
    add = lambda group, lua, inputs, outputs, kinds=None, factor=128: calls.add(
        group, lua, inputs, outputs, kinds or [name] * len(outputs), factor)
    square = "local function sq(x) return cp.matmul(cp.conj(cp.swapaxes(x, -1, -2)), x) end "
    shapes = [(4, 4), (2, 4, 3), (5, 3), (3, 5), (2, 3, 4), (1, 1), (0, 3), (2, 3, 0)]
    for shape in shapes if name in WHOLE else shapes[:2]:
        a = make(name, *shape)
        m, n = shape[-2:]
        k = min(m, n)
        batch = shape[:-2]
        eye = lambda s: np.broadcast_to(np.eye(s), batch + (s, s)).astype(w(a).dtype)
        add("qr", square + "local q, r = cp.linalg.qr(a); return cp.matmul(q, r), sq(q), cp.tril(r, -1)", [a],
            [w(a), eye(k), np.zeros(batch + (k, n), w(a).dtype)])
        add("qr", square + 'local q, r = cp.linalg.qr(a, "complete"); return cp.matmul(q, r), sq(q)', [a], [w(a), eye(m)])
        add("qr", 'return cp.abs(cp.linalg.qr(a, "r"))', [a], [np.abs(np.linalg.qr(w(a), "r"))], [real(name)])
        s = np.linalg.svd(w(a), compute_uv=False)
        add("svd", square + "local u, s, v = cp.linalg.svd(a, false); return cp.matmul(u * cp.expand_dims(s, -2), v), s, sq(u)", [a],
            [w(a), s, eye(k)], [name, real(name), name])
        add("svd", square + "local u, s, v = cp.linalg.svd(a); return sq(u), sq(v), s", [a], [eye(m), eye(n), s], [name, name, real(name)])
        add("svd", "return cp.linalg.svd(a, {compute_uv = false}), cp.linalg.svdvals(a)", [a], [s, s], [real(name)] * 2)
        if k:
            add("pinv", "return cp.linalg.pinv(a)", [a], [np.linalg.pinv(w(a))])
            calls.add("matrix_rank", "return cp.linalg.matrix_rank(a)", [a], [np.linalg.matrix_rank(a)], ["int64"])
    low = make(name, 5, 2) @ make(name, 2, 4)
    calls.add("matrix_rank", "return cp.linalg.matrix_rank(a)", [low], [np.array(2)], ["int64"])
    add("pinv", "return cp.linalg.pinv(a, 1e-3)", [low], [np.linalg.pinv(w(low), 1e-3)])
    h = make.hermitian(name, 3, 4, 4)
    for which in "LU":
        half = np.tril(h) if which == "L" else np.triu(h)
        lam = np.linalg.eigvalsh(w(h))
        add("eigh", square + 'local w, v = cp.linalg.eigh(a, "%s"); return w, cp.matmul(b, v) - v * cp.expand_dims(w, -2), sq(v)' % which,
            [half, h], [lam, np.zeros(h.shape, w(h).dtype), np.broadcast_to(np.eye(4), h.shape).astype(w(h).dtype)],
            [real(name), name, name], 256)
        add("eigh", 'return cp.linalg.eigvalsh(a, "%s")' % which, [half], [lam], [real(name)])
    mixed = (h[0] - 6 * np.eye(4)).astype(h.dtype)
    add("svd", "return cp.linalg.svd(a, {compute_uv = false, hermitian = true})", [mixed], [np.linalg.svd(w(mixed), compute_uv=False)], [real(name)])
    add("svd", "local u, s, v = cp.linalg.svd(a, {hermitian = true}); return cp.matmul(u * s, v)", [mixed], [w(mixed)])
    add("pinv", "return cp.linalg.pinv(a, {hermitian = true})", [mixed], [np.linalg.pinv(w(mixed), hermitian=True)])
    for m in (make(name, 4, 4), make(name, 2, 3, 3), np.triu(make.regular(name, 3, 3))):
        lam = np.linalg.eigvals(w(m))
        kind = name if lam.dtype.kind != "c" else {"float32": "complex64", "float64": "complex128"}.get(name, name)
        add("eig", "local w, v = cp.linalg.eig(a); return cp.matmul(a, v) - v * cp.expand_dims(w, -2), cp.sqrt((cp.abs(v) ^ 2):sum(-2)), w:sum(-1)",
            [m], [np.zeros(m.shape, lam.dtype), np.ones(m.shape[:-1]), lam.sum(-1)], [kind, real(name), kind], 256)
        add("eig", "local w = cp.linalg.eigvals(a); return w:sum(-1), w:prod(-1)", [m], [lam.sum(-1), lam.prod(-1)], [kind] * 2, 256)
    for m, n in ((5, 3), (3, 5), (4, 4)):
        a, b, v = make(name, m, n), make(name, m, 2), make(name, m)
        x, res, rank, s = np.linalg.lstsq(w(a), w(b), rcond=None)
        add("lstsq", "local x, res, rank, s = cp.linalg.lstsq(a, b); return x, res, cp.array(rank, \"int64\"), s", [a, b],
            [x, res, np.array(rank, "int64"), s], [name, real(name), "int64", real(name)], 512)
        add("lstsq", "return (cp.linalg.lstsq(a, b))", [a, v], [np.linalg.lstsq(w(a), w(v), rcond=None)[0]], None, 512)
    x, _, rank, _ = np.linalg.lstsq(w(low), w(make(name, 5)) * 0 + 1, rcond=1e-3)
    add("lstsq", "local x, res, rank = cp.linalg.lstsq(a, b, 1e-3); return x, cp.array(rank, \"int64\")", [low, np.ones(5, low.dtype)],
        [x, np.array(rank, "int64")], [name, "int64"], 512)


def norms(calls, make):
    for name in ["int32", "float16", "float32", "complex128"]:
        kind = "float64" if name == "int32" else real(name)
        x = make("int8" if name == "int32" else name, 2, 3, 4).astype(DTYPES[name])
        m = x[0]
        out = lambda lua, value: calls.add("norm", "return " + lua, [x, m], [np.asarray(value, dtype=float)], [kind], 64)
        out("cp.linalg.norm(a)", np.linalg.norm(wide(x)))
        for axis in (None, 0, 1, 2):
            for order, text in ((None, "nil"), (1, "1"), (2, "2"), (3, "3"), (0.5, "0.5"), (np.inf, "math.huge"), (-np.inf, "-math.huge"), (0, "0"), (-1, "-1")):
                if axis is not None:
                    out("cp.linalg.norm(a, %s, %d)" % (text, axis + 1), np.linalg.norm(wide(x), order, axis))
        for order, text in ((None, "nil"), ("fro", '"fro"'), ("nuc", '"nuc"'), (1, "1"), (-1, "-1"), (2, "2"), (-2, "-2"), (np.inf, "math.huge"), (-np.inf, "-math.huge")):
            if name == "float16" and order in ("nuc", 2, -2):
                continue
            out("cp.linalg.norm(b, %s)" % text, np.linalg.norm(wide(m).astype(complex if "complex" in name else float), order))
            out("cp.linalg.norm(a, %s, {3, 1}, true)" % text, np.linalg.norm(wide(x), order, (2, 0), True))
        out("cp.linalg.vector_norm(a, {1, 2})", np.linalg.vector_norm(wide(x).astype(complex if "complex" in name else float), axis=(0, 1)))
        out("cp.linalg.matrix_norm(a)", np.linalg.matrix_norm(wide(x).astype(complex if "complex" in name else float)))
    a = make.regular("float64", 2, 3, 3)
    for order, text in ((None, "nil"), (-2, "-2"), (1, "1"), ("fro", '"fro"'), (np.inf, "math.huge")):
        calls.add("cond", "return cp.linalg.cond(a, %s)" % text, [a], [np.linalg.cond(a, order)], None, 64)
    calls.add("cond", "return cp.linalg.cond(a, 1)", [np.array([[1.0, 2], [2, 4]])], [np.array(np.inf)], None, 64)
    x, y = np.arange(8) / 4, make("float64", 8, 2)
    calls.add("polyfit", "return cp.polyfit(a, b, 3)", [x, y], [np.polyfit(x, y, 3)], None, 4096)
    calls.add("polyfit", "return cp.polyfit(a, b, 2, {w = c})", [x, y[:, 0], x + 1], [np.polyfit(x, y[:, 0], 2, w=x + 1)], None, 4096)
    u, v = make("complex128", 3, 4), make("complex128", 3, 4)
    calls.add("vecdot", "return cp.vecdot(a, b)", [u, v], [np.vecdot(u, v)], None, 16)
    calls.add("vecdot", "return cp.linalg.vecdot(a, b, 1)", [u, v], [np.vecdot(u, v, axis=0)], None, 16)


def matrix_diagonals(calls, make):
    """numpy.linalg's names that numpy has too, for other axes or shapes."""
    for name in ["bool", "int8", "uint16", "int64", "float32", "complex128"]:
        for shape in ((3, 4), (4, 2, 3), (2, 3, 3, 2), (0, 2, 3), (2, 0, 3)):
            a = make(name, *shape)
            for text, offset in (("", 0), (", 1", 1), (", {offset = -1}", -1), (", 9", 9)):
                calls.add("matrix-diagonals", "return cp.linalg.diagonal(a%s)" % text, [a], [np.linalg.diagonal(a, offset=offset)])
                out = np.linalg.trace(a, offset=offset)
                exact = out.dtype.kind in "iu"
                calls.add("matrix-diagonals", "return cp.linalg.trace(a%s)" % text, [a], [out], None if exact else [name], None if exact else 8)
    a = make("int8", 4, 2, 3)
    calls.add("matrix-diagonals", 'return cp.linalg.trace(a, {dtype = "float32"})', [a], [np.linalg.trace(a, dtype=np.float32)])
    calls.add("matrix-diagonals", "return cp.linalg.outer(a[{1, 1}], a[{2, 2}])", [a], [np.linalg.outer(a[0, 0], a[1, 1])])


def cases():
    calls, make = Calls(), Maker()
    products(calls, make)
    einsum(calls, make)
    for name in INEXACT:
        systems(calls, make, name)
        factors(calls, make, name)
    a = make("int32", 3, 3) % 7 + 5 * np.eye(3, dtype="int32")
    calls.add("solve", "return cp.linalg.solve(a, b)", [a, np.arange(3)], [np.linalg.solve(a, np.arange(3))], None, 64)
    norms(calls, make)
    matrix_diagonals(calls, make)
    return calls
