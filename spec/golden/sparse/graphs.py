"""Writes graphs.lua: graphs and what SciPy's csgraph gives for them, and Matrix Market files with what scipy.io reads.

Run with SciPy 1.17 or later: python3 spec/golden/make.py graphs

Nodes and none are written as cupola counts them: from 1, and 0.
"""
import io
import textwrap
import warnings

import numpy as np
import scipy.io
import scipy.sparse as sp
import scipy.sparse.csgraph as cg

warnings.simplefilter("ignore")


def lua_value(v):
    if isinstance(v, (complex, np.complexfloating)):
        return "c(%s, %s)" % (lua_value(v.real), lua_value(v.imag))
    v = float(v)
    if v != v:
        return "0/0"
    if v in (float("inf"), float("-inf")):
        return "math.huge" if v > 0 else "-math.huge"
    return repr(int(v)) if v == int(v) and abs(v) < 1e15 else "%.17g" % v


def lua_list(values):
    return "{" + ", ".join(lua_value(v) for v in np.asarray(values).reshape(-1)) + "}"


def matrix(x):
    x = np.atleast_2d(x)
    return "{shape = {%d, %d}, %s}" % (*x.shape, lua_list(x)[1:-1])


def show(text):
    print("\n".join(textwrap.wrap(text, 118, initial_indent="    ", subsequent_indent="      ", break_long_words=False,
                                  break_on_hyphens=False)))


def nodes(x):
    return np.where(np.asarray(x) < 0, 0, np.asarray(x) + 1)


def graph(n, edges, seed, negative=False):
    """A csr array whose weights are all different, so that shortest paths and trees are."""
    rng = np.random.default_rng(seed)
    places = rng.choice(n * n, edges, replace=False)
    weights = rng.permutation(edges) + 1 + rng.integers(0, 64, edges) / 64
    if negative:  # of differences of heights no cycle is negative
        height = rng.integers(0, 3 * edges, n)
        weights = weights + height[places % n] - height[places // n]
    return sp.coo_array((weights, (places // n, places % n)), shape=(n, n)).tocsr()


GRAPHS = [("sparse", graph(12, 20, 1)), ("dense", graph(9, 50, 2)), ("apart", graph(14, 9, 3)),
          ("negative", graph(10, 30, 4, True)), ("single", graph(1, 1, 5)), ("empty", sp.csr_array((3, 3)))]

print("-- Made by graphs.py with SciPy %s: do not edit." % __import__("scipy").__version__)
print("local c = require(\"cupola\").complex")
print("return {graphs = {")
for name, g in GRAPHS:
    n = g.shape[0]
    coo = g.tocoo()
    print("  {name = %r," % name)
    show("n = %d, row = %s, col = %s, data = %s," % (n, lua_list(coo.row), lua_list(coo.col), lua_list(coo.data)))
    for directed, word in ((True, "directed"), (False, "undirected")):
        if name == "negative" and not directed:
            continue
        find = cg.johnson if name == "negative" else cg.dijkstra
        d, p = find(g, directed=directed, return_predecessors=True)
        order, found = cg.breadth_first_order(g, 0, directed=directed)
        show("%s = {distances = %s, predecessors = %s, order = %s, found = %s," % (
            word, matrix(d), matrix(nodes(p)), lua_list(nodes(order)), lua_list(nodes(found))))
        order, found = cg.depth_first_order(g, 0, directed=directed)
        show("deep_order = %s, deep_found = %s, broad_tree = %s, deep_tree = %s," % (
            lua_list(nodes(order)), lua_list(nodes(found)),
            matrix(cg.breadth_first_tree(g, 0, directed=directed).toarray()),
            matrix(cg.depth_first_tree(g, 0, directed=directed).toarray())))
        if name != "negative":
            limited = cg.dijkstra(g, directed=directed, indices=[0, n - 1], limit=30)
            nearest, before, source = cg.dijkstra(g, directed=directed, indices=[0, n - 1], return_predecessors=True,
                                                  min_only=True)
            hops = cg.shortest_path(g, directed=directed, unweighted=True, indices=0)
            show("limited = %s, nearest = %s, before = %s, source = %s, hops = %s," % (
                matrix(limited), lua_list(nearest), lua_list(nodes(before)), lua_list(nodes(source)), lua_list(hops)))
        print("    },")
    show("tree = %s," % matrix(cg.minimum_spanning_tree(g).toarray()))
    both = (abs(g) + abs(g).T).tocsr()
    degrees = np.diff(both.indptr) + (both.diagonal() != 0)
    if cg.connected_components(both)[0] == 1 and np.sum(degrees == degrees.min()) == 1:
        show("cuthill = %s," % lua_list(nodes(cg.reverse_cuthill_mckee(g))))
    for key, options in (("plain", {}), ("out", {"use_out_degree": True}), ("normed", {"normed": True}),
                         ("symmetrized", {"symmetrized": True}),
                         ("every", {"symmetrized": True, "normed": True, "use_out_degree": True})):
        source = abs(g)
        L, d = cg.laplacian(source, return_diag=True, **options)
        show("%s = %s, %s_degrees = %s," % (key, matrix(L.toarray()), key, lua_list(d)))
    print("  },")
print("}, market = {")

FILES = [
    "%%MatrixMarket matrix coordinate real general\n% a comment\n\n3 4 4\n1 1 1.5\n3 4 -2e-3\n1 1 0.25\n2 3 7\n",
    "%%MatrixMarket matrix coordinate real symmetric\r\n%\r\n3 3 3\r\n1 1 1\r\n3 1 0.1\r\n3 2 1e300\r\n",
    "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 5\n3 2 -1.25\n",
    "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 3 0\n2 1 1 -2\n",
    "%%MatrixMarket matrix coordinate complex symmetric\n2 2 2\n1 1 3 1\n2 1 1 -2\n",
    "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n",
    "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n2 1\n1 3\n",
    "%%MatrixMarket matrix coordinate integer general\n2 2 2\n  1   2   -9007199254740993\n2\t1\t4\n",
    "%%MatrixMarket matrix coordinate unsigned-integer general\n1 2 1\n1 2 18446744073709551615\n",
    "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6.5\n",
    "%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n",
    "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n",
    "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n",
    "%%MatrixMarket matrix array real general\n2 2\nnan\ninf\n-inf\n1e-320",
    "%%MatrixMarket matrix coordinate real general\n0 5 0\n",
    "%%MatrixMarket matrix coordinate real general\n1 5 5\n1 1 0.1\n1 2 123456789012345678\n1 3 0.30000000000000004\n"
    "1 4 4.9e-324\n1 5 1.7976931348623157e308\n",
]
for text in FILES:
    x = scipy.io.mmread(io.BytesIO(text.encode()))
    info = scipy.io.mminfo(io.BytesIO(text.encode()))
    dense = x.toarray() if sp.issparse(x) else x
    values = ", ".join("'%d'" % v for v in dense.reshape(-1)) if dense.dtype.kind in "iu" else lua_list(dense)[1:-1]
    pieces = ['"%s"' % line.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")
              for line in text.splitlines(True)]
    print("    {text = %s," % "\n      .. ".join(pieces))
    show("dtype = %r, shape = {%d, %d}, entries = %d, format = %r, field = %r, symmetry = %r, %s}," % (
        dense.dtype.name, *dense.shape, *info[2:], values))
print("}}")
