"""Makes spec/golden/options.lua: `python3 spec/golden/make.py options` (needs numpy).

Options of functions that NumPy and the array API standard have (listing.py says how a case looks).
"""

import numpy as np

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
N = F.copy()
N[0, 0] = N[1, 2] = N[2, 3] = N[2, 0] = np.nan

ARRAYS = [
    ("f", "cp.array(%s)" % lua(F.tolist()), F),
    ("s", "f:astype('float32')", F.astype("f4")),
    ("h", "f:astype('float16')", F.astype("f2")),
    ("t", "f.T", F.T),
    ("mask", "cp.array(%s)" % lua(M.tolist()), M),
    ("row", "cp.array{true, false, true, true}", np.array([True, False, True, True])),
    ("none", "cp.zeros({3, 1}, 'bool')", np.zeros((3, 1), bool)),
    ("i", "cp.array({{3, -1, 2, 7}, {0, 5, 5, -4}, {1, 1, 2, -128}}, 'int8')",
     np.array([[3, -1, 2, 7], [0, 5, 5, -4], [1, 1, 2, -128]], "i1")),
    ("u", "cp.array({3, 200, 2}, 'uint8')", np.array([3, 200, 2], "u1")),
    ("z", "f + cp.j * cp.roll(f, 5)", Z),
    ("n", "cp.array(%s)" % lua(N.tolist()).replace("nan", "cp.nan"), N),
    ("e", "cp.zeros({0, 3})", np.zeros((0, 3))),
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

if __name__ == "__main__":
    listing.write("options.py", ARRAYS, CASES, globals())
