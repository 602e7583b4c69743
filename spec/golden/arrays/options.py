"""Makes spec/golden/arrays/options.lua: `python3 spec/golden/make.py options` (needs numpy and scipy).

Options of functions that NumPy and the array API standard have (listing.py says how a case looks).
"""

import numpy as np
from scipy import special

import listing

RNG = np.random.default_rng(7)
F = np.round(RNG.normal(size=(3, 4)) * 4) / 4
F[0, 1] = 2.25
M = np.array([[True, False, True, True], [False, False, True, False], [True, True, False, True]])


def lua(a):
    """The text of nested tables."""
    if isinstance(a, list):
        return "{" + ", ".join(map(lua, a)) + "}"
    return {True: "true", False: "false"}[a] if isinstance(a, bool) else repr(a)


Z = F + 1j * np.roll(F, 5).reshape(3, 4)
# Around digamma's zeros and poles, in both half-planes, and large ones
K = np.array([1.5, 1.46, 1.75 + 0.25j, -0.5, -0.504083, -0.45 + 0.125j, 0.25 + 1j, -3.25 + 0.5j, 1 + 30j,
              -20.5 - 2j, 17 + 0.5j, 3 - 4j, -0.9375 + 0.5j, 200 + 300j])
# Poles, their neighbours on either side of the cut, zeros of loggamma, and what is near them
H = np.array([0, -1, -2, complex(-2.5, 0.0), complex(-2.5, -0.0), 1, 2, 1 + 1e-5j, 2 - 1e-5j, 1.75 + 0.125j,
              -1 + 1e-5j, -6.5 + 8j, 8 + 0.5j, 0.0625])
N = F.copy()
N[0, 0] = N[1, 2] = N[2, 3] = N[2, 0] = np.nan

I = np.array([[3, -1, 2, 7], [0, 5, 5, -4], [1, 1, 2, -128]], "i1")
W = (np.arange(12.0) * 7 % 5).reshape(3, 4)
SAMPLES = {"cp.arange(100) ^ 2 / 1000": np.arange(100)**2 / 1000, "cp.zeros(3)": np.zeros(3)}


def flat(a, values):
    """A copy of a whose elements are the values, over and over."""
    a = a.copy(order="K")
    a.flat = values
    return a


ARRAYS = [
    ("f", "cp.array(%s)" % lua(F.tolist()), F),
    ("s", "f:astype('float32')", F.astype("f4")),
    ("h", "f:astype('float16')", F.astype("f2")),
    ("t", "f.T", F.T),
    ("mask", "cp.array(%s)" % lua(M.tolist()), M),
    ("row", "cp.array{true, false, true, true}", np.array([True, False, True, True])),
    ("none", "cp.zeros({3, 1}, 'bool')", np.zeros((3, 1), bool)),
    ("i", "cp.array({{3, -1, 2, 7}, {0, 5, 5, -4}, {1, 1, 2, -128}}, 'int8')", I),
    ("u", "cp.array({3, 200, 2}, 'uint8')", np.array([3, 200, 2], "u1")),
    ("z", "f + cp.j * cp.roll(f, 5)", Z),
    ("n", "cp.array(%s)" % lua(N.tolist()).replace("nan", "cp.nan"), N),
    ("e", "cp.zeros({0, 3})", np.zeros((0, 3))),
    ("kr", "cp.array(%s)" % lua(K.real.tolist()).replace(".0,", ",").replace(".0}", "}"), K.real),
    ("ki", "cp.array(%s)" % lua([float(v) for v in K.imag]).replace(".0,", ",").replace(".0}", "}"), K.imag),
    ("k", "kr + cp.j * ki", K),
    ("pr", "cp.array(%s)" % lua(H.real.tolist()), H.real),
    ("pi", "cp.array(%s)" % lua(H.imag.tolist()), H.imag),
    ("p", "(function() local x = pr + 0 * cp.j x.imag = pi return x end)()", H),
    ("weights", "cp.array(%s)" % lua(W.tolist()), W),
    ("g", "cp.arange(3, 'float64')", np.arange(3.0)),
    ("q", "i:copy()", None),
    ("w", "t:copy()", None),
]


def masked():
    """Reductions under a mask."""
    cases = []
    for name in "sum prod mean var std nansum nanprod nanmean nanvar nanstd".split():
        f = getattr(np, name)
        for x in "fshizn":
            for which in ("mask", "row", "none"):
                for axis in (None, 0, 1):
                    if (x in "shi" and axis == 0) or (which == "none" and (axis == 0 or "prod" in name)) or (name[:3] == "nan" and x in "hz"):
                        continue
                    # NumPy sums float16 in float32 for a mean alone
                    if x == "h" and name == "prod":
                        continue
                    keep = x == "f" and axis == 1
                    lua_axis = "" if axis is None else "axis = %d, " % (axis + 1)
                    cases.append(("cp.%s(%s, {%s%swhere = %s})" % (name, x, lua_axis, "keepdims = true, " if keep else "", which),
                                  lambda f=f, x=x, which=which, axis=axis, keep=keep:
                                  f(globals()[x], axis=axis, keepdims=keep, where=globals()[which])))
    for name, initial in (("min", 3), ("max", -2), ("nanmin", 1), ("nanmax", 1)):
        for x in "fsin":
            for axis in (None, 1):
                cases.append(("cp.%s(%s, {axis = %s, initial = %d, where = mask})"
                              % (name, x, "nil" if axis is None else 2, initial),
                              lambda name=name, x=x, axis=axis, initial=initial:
                              getattr(np, name)(globals()[x], axis=axis, initial=initial, where=mask)))
    for name in ("any", "all"):
        for x in "fi":
            for axis in (None, 0):
                cases.append(("cp.%s(%s, {axis = %s, where = mask})" % (name, x, "nil" if axis is None else 1),
                              lambda name=name, x=x, axis=axis: getattr(np, name)(globals()[x], axis=axis, where=mask)))
    return cases


CASES = masked() + [
    ("cp.sum(f, {where = mask, initial = 2.5})", lambda: np.sum(f, where=mask, initial=2.5)),
    ("cp.sum(i, {where = mask, dtype = 'float32', axis = 1})", lambda: np.sum(i, where=mask, dtype="f4", axis=0)),
    ("cp.mean(i, {where = mask, dtype = 'float32', axis = 1})", lambda: np.mean(i, where=mask, dtype="f4", axis=0)),
    ("cp.mean(t, {where = mask.T, axis = 1})", lambda: np.mean(t, where=mask.T, axis=0)),
    ("cp.sum(t['::2'], {where = mask.T['::2'], axis = 2})", lambda: np.sum(t[::2], where=mask.T[::2], axis=1)),
    ("cp.var(f, {axis = {1, 2}, where = mask, ddof = 1})", lambda: np.var(f, axis=(0, 1), where=mask, ddof=1)),
    ("cp.var(f, {axis = 2, where = mask, ddof = 1})", lambda: np.var(f, axis=1, where=mask, ddof=1)),
    ("cp.nanvar(f, {axis = 2, where = mask, ddof = 1})", lambda: np.nanvar(f, axis=1, where=mask, ddof=1)),
    ("cp.std(f, {axis = 2, correction = 1})", lambda: np.std(f, axis=1, correction=1)),
    ("cp.std(f, {axis = 2, correction = 0.5})", lambda: np.std(f, axis=1, correction=0.5)),
    ("f:var{correction = 12}", lambda: f.var(ddof=12)),
    ("cp.var(f, {axis = 1, mean = cp.full({1, 4}, 0.5)})", lambda: np.var(f, axis=0, mean=np.full((1, 4), 0.5))),
    ("cp.std(z, {axis = 1, mean = z:mean{axis = 1, keepdims = true}})",
     lambda: np.std(z, axis=0, mean=z.mean(axis=0, keepdims=True))),
    ("cp.sum(e, {axis = 1, where = {true, false, true}})", lambda: np.sum(e, axis=0, where=[True, False, True])),
    ("cp.mean(e, {axis = 1, where = {true, false, true}})", lambda: np.mean(e, axis=0, where=[True, False, True])),
    ("cp.max(e, {axis = 1, where = {true, false, true}, initial = 4})",
     lambda: np.max(e, axis=0, where=[True, False, True], initial=4)),
    ("cp.sum(2.5, {where = cp.array(false)})", lambda: np.sum(2.5, where=np.array(False))),
    ("cp.sort(f, {descending = true})", lambda: np.sort(f)[:, ::-1]),
    ("cp.sort(f, {axis = 1, descending = true, stable = false})", lambda: np.sort(f, axis=0)[::-1]),
    ("f:sort{axis = false, descending = true}", lambda: np.sort(f, axis=None)[::-1]),
    ("cp.sort(n, {descending = true})", lambda: np.sort(n)[:, ::-1]),
    ("cp.sort(z, {descending = true})", lambda: np.sort(z)[:, ::-1]),
    ("i:copy():sort_{descending = true}", lambda: np.sort(i)[:, ::-1]),
    ("cp.sort(e, {axis = 1, descending = true})", lambda: np.sort(e, axis=0)),
    ("cp.argsort(i, {descending = true})", lambda: np.argsort(-i.astype("i2"), kind="stable") + 1),
    ("cp.argsort(u, {descending = true, stable = true})", lambda: np.argsort(-u.astype("i2"), kind="stable") + 1),
    ("cp.argsort({1, 3, 1, 3, 2, 3}, {descending = true})", lambda: np.array([2, 4, 6, 5, 1, 3])),
    ("cp.argsort(f, {axis = 1, descending = true})", lambda: np.argsort(-f, axis=0, kind="stable") + 1),
    ("cp.argsort(z, {descending = true})", lambda: np.argsort(z)[:, ::-1] + 1),
    ("cp.fft.fftfreq(5, 0.5, {dtype = 'float32'})", lambda: np.fft.fftfreq(5, 0.5).astype("f4")),
    ("cp.fft.rfftfreq(6, {dtype = 'float32'})", lambda: np.fft.rfftfreq(6).astype("f4")),
    ("cp.fft.fftfreq(6)", lambda: np.fft.fftfreq(6)),
    ("cp.linalg.pinv(f, {rtol = 0.4})", lambda: np.linalg.pinv(f, rtol=0.4)),
    ("cp.linalg.pinv(f, {rtol = 1e-12})", lambda: np.linalg.pinv(f)),
]


def at(op, a, index, *b):
    """A copy of a after op.at."""
    a = a.copy()
    op.at(a, index, *b)
    return a


P = np.polynomial.polynomial
U = np.polynomial.polyutils
I0 = np.array([2, 0, 2, 2, 1])

CASES += [
    # rules for casts
    ("cp.add(i, f, {out = cp.zeros({3, 4}, 'int8'), casting = 'unsafe'})",
     lambda: np.add(i, f, out=np.zeros((3, 4), "i1"), casting="unsafe")),
    ("cp.multiply(f, 2.5, {dtype = 'int32', casting = 'unsafe'})", lambda: np.multiply(f, 2, dtype="i4", casting="unsafe")),
    ("cp.sqrt(cp.abs(s), {casting = 'no'})", lambda: np.sqrt(np.abs(s), casting="no")),
    ("cp.add(i, u:at(1), {casting = 'safe'})", lambda: np.add(i, u[0], casting="safe")),
    ("cp.sin(f, {dtype = 'float32', casting = 'same_kind'})", lambda: np.sin(f, dtype="f4", casting="same_kind")),
    ("cp.concatenate({f, i}, {axis = 2, dtype = 'int16', casting = 'unsafe'})",
     lambda: np.concatenate([f, i], axis=1, dtype="i2", casting="unsafe")),
    ("cp.stack({f, i}, {dtype = 'float32', casting = 'same_kind'})",
     lambda: np.stack([f, i], dtype="f4", casting="same_kind")),
    ("cp.hstack({f, f}, {dtype = 'int8', casting = 'unsafe'})", lambda: np.hstack([f, f], dtype="i1", casting="unsafe")),
    ("cp.vstack({s, i}, {casting = 'safe'})", lambda: np.vstack([s, i], casting="safe")),
    # labels as numbers, axes of matrices
    ("cp.einsum(f, {0, 1}, t, {1, 2}, {2, 0})", lambda: np.einsum(f, [0, 1], t, [1, 2], [2, 0])),
    ("cp.einsum(f, {3, 1}, f, {3, 1})", lambda: np.einsum(f, [3, 1], f, [3, 1])),
    ("cp.einsum(f, {cp.ellipsis, 51}, {51, cp.ellipsis})", lambda: np.einsum(f, [..., 51], [51, ...])),
    ("cp.einsum(i, {0, 1}, {0}, {dtype = 'int64'})", lambda: np.einsum(i, [0, 1], [0], dtype="i8")),
    ("cp.einsum(f, {0, 0 + 1}, {})", lambda: np.einsum(f, [0, 1], [])),
    ("cp.matmul(f, f, {axes = {{2, 1}, {1, 2}, {1, 2}}})", lambda: np.matmul(f, f, axes=[(1, 0), (0, 1), (0, 1)])),
    ("cp.matmul(f, t, {axes = {{1, 2}, {1, 2}, {2, 1}}})", lambda: np.matmul(f, t, axes=[(0, 1), (0, 1), (1, 0)])),
    ("cp.matmul(cp.stack{f, f + 1}, t, {axes = {{2, 3}, {1, 2}, {1, 3}}})",
     lambda: np.matmul(np.stack([f, f + 1]), t, axes=[(1, 2), (0, 1), (0, 2)])),
    ("cp.matmul(f, row:astype('float64'), {axes = {{1, 2}, 1, 1}})",
     lambda: np.matmul(f, row.astype(float), axes=[(0, 1), (0,), (0,)])),
    # medians
    ("cp.median(z)", lambda: np.median(z)),
    ("cp.median(z, 1)", lambda: np.median(z, axis=0)),
    ("cp.median(z['1:2'], {axis = 2, keepdims = true})", lambda: np.median(z[:2], axis=1, keepdims=True)),
    ("cp.nanmedian(cp.where(mask, z, cp.nan), 2)", lambda: np.array([np.median(r[m]) for r, m in zip(z, mask)])),
    # ufunc methods
    ("cp.ufunc.outer('subtract', u, {1, 2})", lambda: np.subtract.outer(u, np.array([1.0, 2]))),
    ("cp.ufunc.outer('mul', f, f[1])", lambda: np.multiply.outer(f, f[0])),
    ("cp.ufunc.reduce('add', i)", lambda: np.add.reduce(i)),
    ("cp.ufunc.reduce('add', i, {axis = false, initial = 3})", lambda: np.add.reduce(i, axis=None, initial=3)),
    ("cp.ufunc.reduce('add', f, {axis = 2, keepdims = true, where = mask})",
     lambda: np.add.reduce(f, axis=1, keepdims=True, where=mask)),
    ("cp.ufunc.reduce('multiply', i, {dtype = 'float32'})", lambda: np.multiply.reduce(i, dtype="f4")),
    ("cp.ufunc.reduce('maximum', f, 2)", lambda: np.maximum.reduce(f, axis=1)),
    ("cp.ufunc.reduce('fmin', n, 1)", lambda: np.fmin.reduce(n)),
    ("cp.ufunc.reduce('logical_or', i, 2)", lambda: np.logical_or.reduce(i, axis=1)),
    ("cp.ufunc.reduce('logical_xor', i, 2)", lambda: np.logical_xor.reduce(i, axis=1)),
    ("cp.ufunc.reduce('subtract', f)", lambda: np.subtract.reduce(f)),
    ("cp.ufunc.reduce('divide', u)", lambda: np.divide.reduce(u)),
    ("cp.ufunc.reduce('power', {2, 3, 2})", lambda: np.power.reduce(np.array([2.0, 3, 2]))),
    ("cp.ufunc.reduce('bitwise_and', i, 2)", lambda: np.bitwise_and.reduce(i, axis=1)),
    ("cp.ufunc.reduce('bxor', i, {axis = false})", lambda: np.bitwise_xor.reduce(i, axis=None)),
    ("cp.ufunc.reduce('bitwise_or', i, {axis = 2, where = mask})", lambda: np.bitwise_or.reduce(i, axis=1, where=mask)),
    ("cp.ufunc.reduce('bitwise_and', i, {axis = 1, where = mask})", lambda: np.bitwise_and.reduce(i, axis=0, where=mask)),
    ("cp.ufunc.reduce('hypot', f, 2)", lambda: np.hypot.reduce(f, axis=1)),
    ("cp.ufunc.reduce('logaddexp', e, 1)", lambda: np.logaddexp.reduce(e, axis=0)),
    ("cp.ufunc.reduce('gcd', {{12, 18, 30}}, {axis = 2, dtype = 'int64'})", lambda: np.gcd.reduce([[12, 18, 30]], axis=1)),
    ("cp.ufunc.reduce('add', e)", lambda: np.add.reduce(e)),
    ("cp.ufunc.accumulate('add', i, 2)", lambda: np.add.accumulate(i, axis=1)),
    ("cp.ufunc.accumulate('multiply', f)", lambda: np.multiply.accumulate(f)),
    ("cp.ufunc.accumulate('maximum', f, 2)", lambda: np.maximum.accumulate(f, axis=1)),
    ("cp.ufunc.accumulate('subtract', f, 2)", lambda: np.subtract.accumulate(f, axis=1)),
    ("cp.ufunc.accumulate('bitwise_xor', i, 2)", lambda: np.bitwise_xor.accumulate(i, axis=1)),
    ("cp.ufunc.accumulate('hypot', f, 2)", lambda: np.hypot.accumulate(f, axis=1)),
    ("cp.ufunc.accumulate('divide', u:astype('float32'))", lambda: np.divide.accumulate(u.astype("f4"))),
    ("cp.ufunc.reduceat('add', f, {1, 3, 2})", lambda: np.add.reduceat(f, [0, 2, 1])),
    ("cp.ufunc.reduceat('multiply', i, {1, 3, 3}, 2)", lambda: np.multiply.reduceat(i, [0, 2, 2], axis=1)),
    *[("cp.ufunc.reduceat('%s', cp.arange(1, 301) %% 7 + 1, (cp.arange(40) * 37) %% 290 + 1)" % op,
       lambda op=op: getattr(np, op).reduceat(np.arange(1, 301) % 7 + 1, np.arange(40) * 37 % 290))
      for op in ("add", "maximum", "minimum", "subtract", "bitwise_xor", "gcd", "logical_and", "fmax")],
    *[("cp.ufunc.reduceat('%s', (cp.arange(600):reshape(2, 300) %% 11 + 1) / 8, cp.array(%s), 2)" % (op, at),
       lambda op=op, at=at: getattr(np, op).reduceat((np.arange(600).reshape(2, 300) % 11 + 1) / 8,
                                                     np.array(eval("[" + at[1:-1] + "]")) - 1, axis=1))
      for op in ("add", "multiply", "divide", "logaddexp", "maximum")
      for at in ("{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100}",
                 "{1, 6, 11, 16, 21, 26, 31, 36, 41, 46, 51, 56, 61, 66, 71, 76, 81, 86, 296}")],
    ("cp.ufunc.reduceat('bitwise_or', u, {2})", lambda: np.bitwise_or.reduceat(u, [1])),
    ("cp.ufunc.at('add', g, cp.index{3, 1, 3, 3, 2}, {2, 3, 4, 5, 6}) or g",
     lambda: at(np.add, np.arange(3.0), I0, [2, 3, 4, 5, 6])),
    ("cp.ufunc.at('multiply', g, cp.index{3, 1, 3, 3, 2}, {2, 3, 4, 5, 6}) or g",
     lambda: at(np.multiply, np.arange(3.0), I0, [2, 3, 4, 5, 6])),
    ("cp.ufunc.at('divide', g, cp.index{3, 1, 3, 3, 2}, {2, 3, 4, 5, 6}) or g",
     lambda: at(np.divide, np.arange(3.0), I0, [2, 3, 4, 5, 6])),
    ("cp.ufunc.at('subtract', g, cp.index{3, 1, 3, 3, 2}, {2, 3, 4, 5, 6}) or g",
     lambda: at(np.subtract, np.arange(3.0), I0, [2, 3, 4, 5, 6])),
    ("cp.ufunc.at('negative', g, cp.index{3, 1, 3, 2}) or g", lambda: at(np.negative, np.arange(3.0), [2, 0, 2, 1])),
    ("cp.ufunc.at('maximum', g, cp.index{1, 1, 2}, {5, 4, 0}) or g", lambda: at(np.maximum, np.arange(3.0), [0, 0, 1], [5, 4, 0])),
    ("cp.ufunc.at('bitwise_xor', q, { {}, cp.index{1, 3, 1} }, {{1}, {2}, {4}}) or q",
     lambda: at(np.bitwise_xor, i, (slice(None), [0, 2, 0]), np.array([[1], [2], [4]], "i1"))),
    ("cp.ufunc.at('bitwise_or', q, q:lt(0), 64) or q", lambda: at(np.bitwise_or, i, i < 0, np.int8(64))),
    ("cp.ufunc.at('power', w, { cp.index{1, 1}, 2 }, 2) or w", lambda: at(np.power, f.T.copy(), ([0, 0], 1), 2)),
    # special functions of complex values
    *[("cp.scipy.special.%s(k)" % name, lambda name=name: getattr(special, name)(K)) for name in ("digamma", "psi")],
    ("cp.scipy.special.digamma(k:astype('complex64'))", lambda: special.digamma(K.astype("c8"))),
    ("cp.scipy.special.digamma(cp.complex(1.25, -0.5))", lambda: special.digamma(1.25 - 0.5j)),
    *[("cp.scipy.special.%s(%s)" % (name, text), lambda name=name, v=v: getattr(special, name)(v))
      for name in ("gamma", "rgamma", "loggamma")
      for text, v in (("k[cp.less(cp.abs(k), 20)]", K[abs(K) < 20]), ("p", H), ("p:astype('complex64')", H.astype("c8")),
                      ("cp.complex(1.25, -0.5)", 1.25 - 0.5j), ("f", F), ("2.5", 2.5))],
    ("cp.scipy.special.loggamma(k)", lambda: special.loggamma(K)),
    # weights of quantiles, rules for bins
    ("cp.quantile(f, 0.3, {weights = weights, method = 'inverted_cdf'})",
     lambda: np.quantile(f, 0.3, weights=W, method="inverted_cdf")),
    ("cp.quantile(f, {0, 0.25, 1}, 2, {weights = weights, method = 'inverted_cdf'})",
     lambda: np.quantile(f, [0, 0.25, 1], axis=1, weights=W, method="inverted_cdf")),
    ("cp.percentile(i, {10, 50}, 1, {weights = {0, 3, 1}, method = 'inverted_cdf', keepdims = true})",
     lambda: np.percentile(i, [10, 50], axis=0, weights=[0, 3, 1], method="inverted_cdf", keepdims=True)),
    ("cp.quantile(n, 0.5, {axis = 2, weights = weights, method = 'inverted_cdf'})",
     lambda: np.quantile(n, 0.5, axis=1, weights=W, method="inverted_cdf")),
    ("cp.nanquantile(n, {0.2, 1}, {axis = 2, weights = weights, method = 'inverted_cdf'})",
     lambda: np.nanquantile(n, [0.2, 1], axis=1, weights=W, method="inverted_cdf")),
    ("cp.nanpercentile(n, 60, {weights = weights, method = 'inverted_cdf'})",
     lambda: np.nanpercentile(n, 60, weights=W, method="inverted_cdf")),
    *[("cp.histogram_bin_edges(%s, '%s'%s)" % (x, rule, r), lambda x=x, rule=rule, r=r:
        np.histogram_bin_edges(SAMPLES.get(x, globals().get(x)), rule, (-1, 6) if r else None))
      for rule in ("auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges")
      for x, r in (("f", ""), ("cp.arange(100) ^ 2 / 1000", ", {-1, 6}"), ("i", ""), ("cp.zeros(3)", ""))],
    ("cp.histogram(f, 'sturges')", lambda: np.histogram(f, "sturges")[0]),
    # clip into a part, and x.flat
    ("cp.clip(f, -1, 1, {where = mask, out = f:copy()})", lambda: np.clip(f, -1, 1, where=M, out=f.copy())),
    ("cp.clip(i, 0, {where = mask, out = cp.ones({3, 4}, 'int16')})",
     lambda: np.clip(i, 0, None, where=M, out=np.ones((3, 4), "i2"))),
    ("cp.clip(f, {max = cp.array{0, 1, 2, 3}, where = mask[1], out = cp.ones{3, 4}})",
     lambda: np.clip(f, None, np.arange(4.0), where=M[0], out=np.ones((3, 4)))),
    *[("(function() local x = %s x.flat = %s return x end)()" % (x, v), lambda a=a, u=u: flat(a, u))
      for x, v, a, u in (("f:copy()", "7", F, 7), ("i:copy()", "{1, 2, 3, 4, 5}", I, [1, 2, 3, 4, 5]),
                         ("f:copy().T", "f", F.T, F), ("i:copy()", "cp.arange(40)", I, np.arange(40)),
                         ("z:copy()", "{{1, cp.j}}", Z, [[1, 1j]]))],
    ("(function() local x = z:copy() x.real, x.imag = f, 2 return x end)()", lambda: f + 2j),
    ("cp.scipy.special.xlogy(z, z)", lambda: special.xlogy(z, z)),
    ("cp.scipy.special.xlogy(f, z)", lambda: special.xlogy(f, z)),
    ("cp.scipy.special.xlogy(z, 2)", lambda: special.xlogy(z, 2)),
    ("cp.scipy.special.xlogy(cp.zeros(2), cp.array{cp.j, cp.nan})", lambda: special.xlogy(np.zeros(2), np.array([1j, np.nan]))),
    ("cp.scipy.special.xlogy(s, z:astype('complex64'))", lambda: special.xlogy(s, z.astype("c8"))),
    ("cp.scipy.special.xlog1py(z, z)", lambda: special.xlog1py(z, z)),
    ("cp.scipy.special.logsumexp(z)", lambda: special.logsumexp(z)),
    ("cp.scipy.special.logsumexp(z + 800, 2)", lambda: special.logsumexp(z + 800, axis=1)),
    ("cp.scipy.special.logsumexp(z, {axis = 1, b = f + 3, keepdims = true})",
     lambda: special.logsumexp(z, axis=0, b=f + 3, keepdims=True)),
    ("cp.scipy.special.logsumexp(z, {axis = 1, return_sign = true})", lambda: special.logsumexp(z, axis=0, return_sign=True)[0]),
    ("select(2, cp.scipy.special.logsumexp(z, {axis = 1, return_sign = true}))",
     lambda: special.logsumexp(z, axis=0, return_sign=True)[1]),
    # polynomials, lowest power first
    ("cp.polynomial.polynomial.polyval(f, {1, -2, 0.5})", lambda: P.polyval(f, [1, -2, 0.5])),
    ("cp.polynomial.polynomial.polyval(f[1], f)", lambda: P.polyval(f[0], f)),
    ("cp.polynomial.polynomial.polyval(f[1], f, false)", lambda: P.polyval(f[0], f, tensor=False)),
    ("cp.polynomial.polynomial.polyval(z, {1, 2})", lambda: P.polyval(z, [1, 2])),
    ("cp.polynomial.polynomial.polyvalfromroots(f, {1, -2, 0.5})", lambda: P.polyvalfromroots(f, [1, -2, 0.5])),
    ("cp.polynomial.polynomial.polyvalfromroots(f[1], f)", lambda: P.polyvalfromroots(f[0], f)),
    ("cp.polynomial.polynomial.polyvalfromroots(f[1], f, false)", lambda: P.polyvalfromroots(f[0], f, tensor=False)),
    ("cp.polynomial.polynomial.polyvander(f, 3)", lambda: P.polyvander(f, 3)),
    ("cp.polynomial.polynomial.polyvander(u, 0)", lambda: P.polyvander(u, 0)),
    ("cp.polynomial.polynomial.polycompanion({1, 2, 3, 0})", lambda: P.polycompanion([1, 2, 3, 0])),
    ("cp.polynomial.polynomial.polycompanion({1, 2})", lambda: P.polycompanion([1, 2])),
    ("cp.polynomial.polyutils.trimseq({1, 0, 2, 0, 0})", lambda: U.trimseq(np.array([1.0, 0, 2, 0, 0]))),
    ("cp.polynomial.polyutils.trimseq({0, 0})", lambda: U.trimseq(np.array([0.0, 0]))),
    ("cp.polynomial.polyutils.trimcoef({1, 0, 2, 0.1}, 0.2)", lambda: U.trimcoef([1, 0, 2, 0.1], 0.2)),
    ("cp.polynomial.polyutils.trimcoef({1, 1}, 2)", lambda: U.trimcoef([1, 1], 2)),
    ("cp.polynomial.polyutils.as_series({{1, 2, 0}, {3}})[1]", lambda: U.as_series([[1, 2, 0], [3]])[0]),
    ("cp.polynomial.polyutils.as_series({{1, 2, 0}, z[1]}, false)[1]", lambda: U.as_series([[1, 2, 0], z[0]], trim=False)[0]),
    # seeds
    ("cp.random.SeedSequence(0):generate_state(4)", lambda: np.random.SeedSequence(0).generate_state(4)),
    ("cp.random.SeedSequence(2 ^ 40 + 5):generate_state(3, 'uint64'):astype('float64')",
     lambda: np.random.SeedSequence(2**40 + 5).generate_state(3, "u8").astype("f8")),
    ("cp.random.SeedSequence({1, 2, 3, 4, 5, 2 ^ 33, 7}):generate_state(9)",
     lambda: np.random.SeedSequence([1, 2, 3, 4, 5, 2**33, 7]).generate_state(9)),
    ("cp.random.SeedSequence(u):generate_state(2)", lambda: np.random.SeedSequence(u).generate_state(2)),
    ("cp.random.SeedSequence(7, {pool_size = 8}):generate_state(10)",
     lambda: np.random.SeedSequence(7, pool_size=8).generate_state(10)),
    ("cp.random.SeedSequence({1, 2}, {spawn_key = {3, 4}}):generate_state(2)",
     lambda: np.random.SeedSequence([1, 2], spawn_key=(3, 4)).generate_state(2)),
    ("cp.random.SeedSequence{1, 2, 3, 4, 5, 6}:spawn(3)[3]:spawn(1)[1]:generate_state(2)",
     lambda: np.random.SeedSequence([1, 2, 3, 4, 5, 6]).spawn(3)[2].spawn(1)[0].generate_state(2)),
    ("cp.random.SeedSequence(3, {n_children_spawned = 5}):spawn(2)[2]:generate_state(2)",
     lambda: np.random.SeedSequence(3, n_children_spawned=5).spawn(2)[1].generate_state(2)),
    ("cp.random.SeedSequence(3):generate_state(0)", lambda: np.random.SeedSequence(3).generate_state(0)),
    # out
    ("cp.cumulative_sum(i, {axis = 2, include_initial = true, out = cp.zeros({3, 5}, 'float32')})",
     lambda: np.cumulative_sum(i, axis=1, include_initial=True).astype("f4")),
    ("cp.cumulative_prod(f, {axis = 1, out = cp.zeros({3, 4})})", lambda: np.cumulative_prod(f, axis=0)),
    ("cp.nanargmax(f, {axis = 2, out = cp.zeros(3, 'int64')})", lambda: np.nanargmax(f, axis=1) + 1),
    ("cp.nancumsum(n, {axis = 2, out = cp.zeros({3, 4})})", lambda: np.nancumsum(n, axis=1)),
]

if __name__ == "__main__":
    listing.write("options.py", ARRAYS, CASES, globals())
