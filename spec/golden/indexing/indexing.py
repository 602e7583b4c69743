"""Makes spec/golden/indexing/indexing.index: `python3 spec/golden/make.py indexing` (needs numpy >= 2.1).

One case per line. The array x has the given shape and the values 1, 2, ... in C order. SHAPE is 3x4, or - (0-d); VALUES stand in C order,
comma-separated.
  get SHAPE KEY | SHAPE VALUES              x[KEY]
  set SHAPE KEY = VALUE | VALUES            x after x[KEY] = VALUE; every place is chosen once
  last SHAPE KEY = VALUE | VALUES           the same with places chosen several times: the last value stays
  add SHAPE KEY = VALUE | VALUES            x after scatter_add
  call SHAPE LUA | SHAPE VALUES             the value of a Lua expression of x and cp; a table's arrays are stacked
  after SHAPE LUA | VALUES                  x after a Lua statement
KEY is items as cupola counts them: 3, 1:4:2 (both ends), : (all), new, ..., a2x2=1,-1,2,2 (positions), m3=1,0,1 (mask). VALUE is like an item:
a number, or v2x3=....
"""

import os
import random

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
GETS, SETS, ADDS = 1500, 900, 400


def shape_text(shape):
    return "x".join(map(str, shape)) or "-"


def values_text(a):
    return ",".join(str(int(v)) for v in np.asarray(a).ravel()) or "-"


def array(shape):
    return np.arange(1, 1 + int(np.prod(shape, dtype=int))).reshape(shape)


# ---- random keys


def range_item(rng, n):
    if n == 0 or rng.random() < 0.3:
        return slice(None), ":"
    step = rng.choice([1, 1, 2, 3, -1, -2])
    a, b = rng.randint(1, n), rng.randint(1, n)
    if (b - a) * step < 0:
        a, b = b, a
    if rng.random() < 0.1:
        return slice(a - 1, a - 1), "%d:%d" % (a, a - 1)
    first = a - n - 1 if rng.random() < 0.3 else a
    if step > 0:
        return slice(a - 1, b, step), "%d:%d:%d" % (first, b, step)
    return slice(a - 1, b - 2 if b >= 2 else None, step), "%d:%d:%d" % (first, b, step)


def positions_item(rng, n, shape, unique):
    size = int(np.prod(shape, dtype=int))
    p = rng.sample(range(n), size) if unique else [rng.randrange(n) for _ in range(size)]
    p = np.array([i - n if rng.random() < 0.3 else i for i in p], dtype=int).reshape(shape)
    own = np.where(p >= 0, p + 1, p)
    return p, "a%s=%s" % (shape_text(shape), values_text(own))


def mask_item(rng, shape):
    density = rng.choice([0, 0.5, 0.5, 0.8, 1])
    size = int(np.prod(shape, dtype=int))
    m = np.array([rng.random() < density for _ in range(size)], dtype=bool).reshape(shape)
    return m, "m%s=%s" % (shape_text(shape), values_text(m))


def common_shapes(rng, count):
    """Shapes of index arrays that broadcast together."""
    ndim = rng.choice([0, 1, 1, 1, 2, 2, 3])
    whole = [rng.choice([1, 2, 3]) for _ in range(ndim)]
    shapes = []
    for _ in range(count):
        own = whole[rng.randrange(ndim + 1) if rng.random() < 0.3 else 0:]
        shapes.append(tuple(1 if rng.random() < 0.2 else n for n in own))
    return shapes


def random_key(rng, shape, unique):
    """Items for NumPy and for cupola, with an array among them at least."""
    kinds, axis = [], 0
    while axis < len(shape):
        kind = rng.choice("rrriaaam")
        k = rng.randint(1, len(shape) - axis) if kind == "m" else 1
        kinds.append((kind, axis, k))
        axis += k
    if rng.random() < 0.3:
        kinds = kinds[:rng.randint(1, len(kinds))]
    shapes = common_shapes(rng, sum(1 for kind, _, _ in kinds if kind == "a"))
    if any(kind == "m" for kind, _, _ in kinds):
        shapes = [()] * len(shapes)  # masks have a length that nobody knows before
    theirs, ours = [], []
    for kind, axis, k in kinds:
        n = shape[axis]
        if rng.random() < 0.12:
            theirs.append(None)
            ours.append("new")
        if kind == "m":
            t, o = mask_item(rng, shape[axis:axis + k])
        elif n == 0 or kind == "r":
            t, o = range_item(rng, n)
        elif kind == "i":
            i = rng.randrange(n)
            t, o = i, str(i + 1)
        else:
            want = shapes.pop()
            if unique and int(np.prod(want, dtype=int)) > n:
                want = want[:0]
            t, o = positions_item(rng, n, want, unique)
        theirs.append(t)
        ours.append(o)
    if rng.random() < 0.25:
        rest = len(shape) - sum(k for _, _, k in kinds)
        at = len(theirs) if rest else rng.randrange(len(theirs) + 1)
        theirs.insert(at, Ellipsis)
        ours.insert(at, "...")
    if not any(isinstance(t, np.ndarray) for t in theirs):
        return random_key(rng, shape, unique)
    return tuple(theirs), ";".join(ours)


def random_shape(rng):
    shape = tuple(rng.choice([1, 2, 3, 3, 4, 5]) for _ in range(rng.choice([1, 1, 2, 2, 3, 4])))
    if rng.random() < 0.04:
        shape = shape[:-1] + (0,)
    return shape if np.prod(shape) <= 110 else random_shape(rng)


def random_value(rng, shape):
    """A value that broadcasts into a shape."""
    if rng.random() < 0.25:
        return 77, "77"
    own = shape[rng.randrange(len(shape) + 1):] if rng.random() < 0.3 else shape
    own = tuple(1 if rng.random() < 0.15 else n for n in own)
    if rng.random() < 0.1 and len(shape) > 1:  # alone, a mask takes no more than one axis in NumPy
        own = (1,) * (len(shape) - len(own) + 1) + own
    v = np.arange(1, 1 + int(np.prod(own, dtype=int))).reshape(own) % 100
    return v, "v%s=%s" % (shape_text(own), values_text(v))


def make_key(rng, unique):
    while True:
        shape = random_shape(rng)
        theirs, ours = random_key(rng, shape, unique)
        try:
            picked = array(shape)[theirs]
        except IndexError:  # masks that do not broadcast together
            continue
        if picked.size <= 200:
            return shape, theirs, ours, picked


def key_cases(rng):
    lines = []
    for _ in range(GETS):
        shape, _, ours, picked = make_key(rng, False)
        lines.append("get %s %s | %s %s" % (shape_text(shape), ours, shape_text(picked.shape), values_text(picked)))
    for _ in range(SETS):
        shape, theirs, ours, picked = make_key(rng, rng.random() < 0.7)
        x, (v, text) = array(shape), random_value(rng, picked.shape)
        once = np.unique(picked).size == picked.size or not isinstance(v, np.ndarray)
        x[theirs] = v
        lines.append("%s %s %s = %s | %s" % ("set" if once else "last", shape_text(shape), ours, text, values_text(x)))
    for _ in range(ADDS):
        shape, theirs, ours, picked = make_key(rng, False)
        x, (v, text) = array(shape), random_value(rng, picked.shape)
        np.add.at(x, theirs, v if np.ndim(v) <= picked.ndim else np.reshape(v, np.shape(v)[np.ndim(v) - picked.ndim:]))
        lines.append("add %s %s = %s | %s" % (shape_text(shape), ours, text, values_text(x)))
    return lines


# ---- functions: shape of x, Python, Lua. NumPy counts positions from 0: `+ 1` where results are positions.

CALLS = [
    ((3, 4), "np.take(x, [0, 2, -1])", "cp.take(x, {1, 3, -1})"),
    ((3, 4), "np.take(x, [[0, 2], [1, 1]], axis=1)", "x:take(cp.index{{1, 3}, {2, 2}}, 2)"),
    ((3, 4), "np.take(x, 2, axis=0)", "x:take(3, 1)"),
    ((3, 4), "np.take(x, [-5, 1, 6, 3], axis=1, mode='wrap')", "x:take({-5, 2, 7, 4}, 2, {mode = 'wrap'})"),
    ((3, 4), "np.take(x, [0, 0, 9, 3], axis=1, mode='clip')", "x:take({-5, 0, 10, 4}, 2, {mode = 'clip'})"),
    ((2, 3, 4), "np.take(x, [1, 0], axis=-2)", "x:take({2, 1}, -2)"),
    ((3, 4), "np.take(x, [], axis=0).astype(int)", "x:take(cp.zeros({0}, 'int64'), 1)"),
    ((3, 4), "np.take_along_axis(x, np.array([[3, 0], [1, 1], [2, -1]]), axis=1)",
     "cp.take_along_axis(x, cp.index{{4, 1}, {2, 2}, {3, -1}}, 2)"),
    ((3, 4), "np.take_along_axis(x, np.array([[2, 0, 1, 1]]), axis=0)", "x:take_along_axis({{3, 1, 2, 2}}, 1)"),
    ((2, 3, 4), "np.take_along_axis(x, np.array([[[3, 0]]]), axis=2)", "x:take_along_axis({{{4, 1}}})"),
    ((3, 4), "np.compress([False, True, True], x, axis=0)", "cp.compress({false, true, true}, x, 1)"),
    ((3, 4), "np.compress([0, 1], x, axis=1)", "x:compress({0, 1}, 2)"),
    ((3, 4), "np.compress([1, 0, 1, 0, 1], x)", "x:compress({1, 0, 1, 0, 1})"),
    ((3, 4), "np.extract(x % 3 == 0, x)", "cp.extract((x % 3):eq(0), x)"),
    ((4,), "np.choose(np.array([0, 1, 2, 0]), [x, x * 10, 7])", "cp.choose({1, 2, 3, 1}, {x, x * 10, 7})"),
    ((4,), "np.choose(np.array([[3], [1]]), [x, x + 10, x + 20], mode='wrap')",
     "cp.choose(cp.index{{4}, {2}}, {x, x + 10, x + 20}, {mode = 'wrap'})"),
    ((4,), "np.choose(np.array([0, 2, 5, 1]), [x, x + 10, x + 20], mode='clip')",
     "cp.choose({0, 3, 6, 2}, {x, x + 10, x + 20}, {mode = 'clip'})"),
    ((6,), "np.select([x < 3, x < 5], [x * 10, -x], 99)", "cp.select({x:lt(3), x:lt(5)}, {x * 10, -x}, 99)"),
    ((2, 3), "np.select([x < 3], [x * 10])", "cp.select({x:lt(3)}, {x * 10})"),
    ((3, 4), "np.array(np.nonzero(x % 3)) + 1", "cp.nonzero(x % 3)"),
    ((2, 3, 2), "np.array(np.where(x % 2 == 0)) + 1", "cp.where((x % 2):eq(0))"),
    ((3, 4), "np.flatnonzero(x > 5) + 1", "cp.flatnonzero(x:gt(5))"),
    ((2, 3, 2), "np.argwhere(x % 4 == 0) + 1", "cp.argwhere((x % 4):eq(0))"),
    ((2, 3), "np.argwhere(x < 0) + 1", "cp.argwhere(x:lt(0))"),
    ((2, 0), "np.argwhere(x) + 1", "x:argwhere()"),
    ((2, 3), "np.indices((2, 3)) + 1", "cp.indices{2, 3}"),
    ((5, 6), "x[np.ix_([0, 2], [1, 4, -1])]", "x[cp.ix_({1, 3}, {2, 5, -1})]"),
    ((3, 3), "x[np.ix_([True, False, True], [2, 0])]", "x[cp.ix_({true, false, true}, {3, 1})]"),
    ((1,), "np.ravel_multi_index(([0, 1, 1], [2, 0, 2]), (2, 3)) + 1",
     "cp.ravel_multi_index({cp.index{1, 2, 2}, cp.index{3, 1, 3}}, {2, 3})"),
    ((1,), "np.ravel_multi_index(([0, 1, 1], [2, 0, 2]), (2, 3), order='F') + 1",
     "cp.ravel_multi_index({cp.index{1, 2, 2}, {3, 1, 3}}, {2, 3}, {order = 'F'})"),
    ((1,), "np.ravel_multi_index(([3, -1], [7, 1]), (2, 3), mode=('wrap', 'clip')) + 1",
     "cp.ravel_multi_index({cp.index{4, 0}, cp.index{8, 2}}, {2, 3}, {mode = {'wrap', 'clip'}})"),
    ((1,), "np.ravel_multi_index((1, 2, 0), (2, 3, 4)) + 1", "cp.ravel_multi_index({2, 3, 1}, {2, 3, 4})"),
    ((1,), "np.array(np.unravel_index([0, 5, 22], (2, 3, 4))) + 1", "cp.unravel_index({1, 6, 23}, {2, 3, 4})"),
    ((1,), "np.array(np.unravel_index([[0, 5], [22, 7]], (2, 3, 4), order='F')) + 1",
     "cp.unravel_index(cp.index{{1, 6}, {23, 8}}, {2, 3, 4}, 'F')"),
    ((1,), "np.array(np.unravel_index(22, (2, 3, 4))) + 1", "cp.array(cp.unravel_index(23, {2, 3, 4}))"),
    ((1,), "np.array(np.triu_indices(3)) + 1", "cp.triu_indices(3)"),
    ((1,), "np.array(np.triu_indices(3, 1, 5)) + 1", "cp.triu_indices(3, 1, 5)"),
    ((1,), "np.array(np.tril_indices(4, -1)) + 1", "cp.tril_indices(4, -1)"),
    ((1,), "np.array(np.tril_indices(2, 1, 4)) + 1", "cp.tril_indices(2, {k = 1, m = 4})"),
    ((3, 5), "np.array(np.triu_indices_from(x, 2)) + 1", "x:triu_indices_from(2)"),
    ((3, 5), "np.array(np.tril_indices_from(x)) + 1", "x:tril_indices_from()"),
    ((3, 3), "x[np.tril_indices(3)]", "x[cp.tril_indices(3)]"),
    ((1,), "np.array(np.diag_indices(3)) + 1", "cp.diag_indices(3)"),
    ((3, 3, 3), "x[np.diag_indices_from(x)]", "x[cp.diag_indices_from(x)]"),
    ((1,), "np.array(np.mask_indices(3, np.triu, 1)) + 1", "cp.mask_indices(3, cp.triu, 1)"),
]

AFTER = [
    ((3, 4), "np.put(x, [0, -1, 5], [70, 80])", "x:put({1, -1, 6}, {70, 80})"),
    ((3, 4), "np.put(x, [0, 13, -15], 9, mode='wrap')", "cp.put(x, {1, 14, -15}, 9, {mode = 'wrap'})"),
    ((3, 4), "np.put(x, [0, 13], [8, 9], mode='clip')", "cp.put(x, {1, 14}, {8, 9}, {mode = 'clip'})"),
    ((3, 4), "np.put(x.T, [0, 1, 2], [7, 8, 9])", "cp.put(x.T, {1, 2, 3}, {7, 8, 9})"),
    ((3, 4), "np.put_along_axis(x, np.array([[3], [0], [1]]), 99, axis=1)",
     "cp.put_along_axis(x, cp.index{{4}, {1}, {2}}, 99, 2)"),
    ((3, 4), "np.put_along_axis(x, np.array([[2, 0, 1, 1]]), np.array([[9, 8, 7, 6]]), axis=0)",
     "x:put_along_axis({{3, 1, 2, 2}}, {{9, 8, 7, 6}}, 1)"),
    ((3, 4), "np.putmask(x, x > 6, [50, 60, 70])", "cp.putmask(x, x:gt(6), {50, 60, 70})"),
    ((3, 4), "np.putmask(x, x % 2 == 0, -x)", "x:putmask((x % 2):eq(0), -x)"),
    ((3, 4), "np.place(x, x > 6, [50, 60])", "cp.place(x, x:gt(6), {50, 60})"),
    ((3, 4), "np.place(x, x % 2 == 1, 3)", "cp.place(x, (x % 2):eq(1), 3)"),
    ((3, 4), "np.copyto(x, 5, where=x > 8)", "cp.copyto(x, 5, x:gt(8))"),
    ((3, 4), "np.copyto(x, [[1], [2], [3]], where=[True, False, True, False])",
     "cp.copyto(x, cp.index{{1}, {2}, {3}}, {where = cp.array{true, false, true, false}})"),
    ((3, 4), "np.fill_diagonal(x, 0)", "cp.fill_diagonal(x, 0)"),
    ((3, 4), "np.fill_diagonal(x.T, [7, 8])", "x.T:fill_diagonal({7, 8})"),
    ((8, 3), "np.fill_diagonal(x, 0, wrap=True)", "x:fill_diagonal(0, true)"),
    ((9, 2), "np.fill_diagonal(x, [91, 92, 93, 94], wrap=True)", "x:fill_diagonal({91, 92, 93, 94}, {wrap = true})"),
    ((8, 3), "np.fill_diagonal(x, 0)", "x:fill_diagonal(0)"),
    ((3, 3, 3), "np.fill_diagonal(x, 50)", "x:fill_diagonal(50)"),
    ((5,), "np.maximum.at(x, [0, 0, 3, -1], [3, 9, 1, 8])", "x:scatter_max(cp.index{1, 1, 4, -1}, {3, 9, 1, 8})"),
    ((5,), "np.minimum.at(x, [0, 0, 3, -1], [3, -9, 1, 8])", "x:scatter_min(cp.index{1, 1, 4, -1}, {3, -9, 1, 8})"),
    ((3, 4), "np.add.at(x, (slice(0, 2), 1), 10)", "x:scatter_add({{1, 2}, 2}, 10)"),
    ((3, 4), "np.add.at(x, x > 6, 100)", "x:scatter_add(x:gt(6), 100)"),
    ((3, 4), "x[x > 4] = x[x > 4] * 2 + 1", "local m = x:gt(4) x[m] = x[m] * 2 + 1"),
    ((3, 4), "x[1:, [0, 2]] += 5", "x:update({{2, 3}, cp.index{1, 3}}, function(v) return v + 5 end)"),
    ((3, 4), "x[np.nonzero(x % 2)] = 0", "x[cp.nonzero(x % 2)] = 0"),
]


def function_cases():
    lines = []
    for shape, python, lua in CALLS:
        r = np.asarray(eval(python, {"np": np, "x": array(shape)}))
        lines.append("call %s %s | %s %s" % (shape_text(shape), lua, shape_text(r.shape), values_text(r)))
    for shape, python, lua in AFTER:
        x = array(shape)
        exec(python, {"np": np, "x": x})
        lines.append("after %s %s | %s" % (shape_text(shape), lua, values_text(x)))
    return lines


def main():
    lines = function_cases() + key_cases(random.Random(5))
    with open(os.path.join(HERE, "indexing.index"), "w", newline="\n") as f:
        f.write("\n".join(lines) + "\n")
    print("indexing: %d cases, %d bytes" % (len(lines), sum(map(len, lines)) + len(lines)))


if __name__ == "__main__":
    main()
