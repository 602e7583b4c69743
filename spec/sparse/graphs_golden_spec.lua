-- cp.scipy.sparse.csgraph against SciPy: orders, shortest paths, spanning trees, Laplacians; and what graphs
-- cannot be.

local cp = require "cupola"
local on_both_kinds_of_devices = require "spec.helper.walks"
local check = require "spec.helper.check"
local golden = require("spec.golden.sparse.graphs").graphs

local failure = check.failure
local sp = cp.sparse
local graphs = sp.csgraph

local function sparse(g, format)
  local A = sp.coo_array { data = #g.data > 0 and cp.array(g.data) or cp.zeros { 0 }, row = cp.index(g.row),
    col = cp.index(g.col), shape = { g.n, g.n } }
  return A:asformat(format)
end

local function matrix(x)
  local list = {}
  for k = 1, #x do list[k] = x[k] end
  return cp.array(list):reshape(x.shape)
end

local function same(expected, value, what)
  if cp.type(value) == "sparse" then value = value:toarray() end
  assert.equal(cp.device().name, value.device)
  assert.is_true(cp.allclose(value, expected, { rtol = 1e-12, atol = 1e-12 }),
    ("%s: %s\nis not\n%s"):format(what, tostring(value), tostring(expected)))
end

local function same_nodes(expected, value, what)
  assert.equal("int32", value.dtype)
  same(cp.array(expected), value, what)
end

local function row(x, k)
  local width, list = x.shape[2], {}
  for j = 1, width do list[j] = x[(k - 1) * width + j] end
  return list
end

local function each(f)
  for _, g in ipairs(golden) do
    for _, format in ipairs { "csr", "csc", "coo" } do
      for word, directed in pairs { directed = true, undirected = false } do
        if g[word] then f(sparse(g, format), g[word], directed, g, g.name .. ", " .. format .. ", " .. word) end
      end
    end
  end
end

describe("graphs", function()
  it("have SciPy's shortest paths by every method", function()
    on_both_kinds_of_devices(function()
      each(function(A, want, directed, g, what)
        local distances = matrix(want.distances)
        for _, method in ipairs { "auto", "D", "BF", "J", "FW" } do
          if g.name ~= "negative" or method ~= "D" then
            local d, p = graphs.shortest_path(A, method, directed, true)
            same(distances, d, what .. ", " .. method)
            same(matrix(want.predecessors), p, what .. ", predecessors by " .. method)
            assert.equal("int32", p.dtype)
          end
        end
        local d, p = graphs.floyd_warshall(A, directed, true)
        same(distances, d, what .. ", floyd_warshall")
        same(distances, graphs.construct_dist_matrix(A, p, directed), what .. ", from predecessors")
        same(distances, (graphs.johnson(A, directed)), what .. ", johnson")
        d, p = graphs.bellman_ford(A, { directed = directed, indices = g.n, return_predecessors = true })
        same(cp.array(row(want.distances, g.n)), d, what)
        same_nodes(row(want.predecessors, g.n), p, what)
        d = graphs.bellman_ford(A, directed, { g.n, 1 })
        assert.equal(("(2, %d)"):format(g.n), tostring(d.shape))
        same(cp.array(row(want.distances, 1)), d[2], what)
      end)
    end)
  end)

  it("have SciPy's distances by Dijkstra's algorithm with its options", function()
    each(function(A, want, directed, g, what)
      if g.name == "negative" then return end
      local d = graphs.dijkstra(A, { directed = directed, indices = { 1, g.n }, limit = 30 })
      same(matrix(want.limited), d, what .. ", limited")
      local nearest, before, source = graphs.dijkstra(A, { directed = directed, indices = cp.index { 1, g.n },
        return_predecessors = true, min_only = true })
      same(cp.array(want.nearest), nearest, what)
      same_nodes(want.before, before, what)
      same_nodes(want.source, source, what)
      same(cp.array(want.hops), graphs.shortest_path(A, { directed = directed, unweighted = true, indices = 1 }), what)
    end)
  end)

  it("have SciPy's orders", function()
    each(function(A, want, directed, g, what)
      if A.format == "csc" and not directed then A = sparse(g, "csr").T end -- SciPy takes its transpose
      local order, found = graphs.breadth_first_order(A, 1, directed)
      same_nodes(want.order, order, what)
      same_nodes(want.found, found, what)
      assert.is_nil((select(2, graphs.breadth_first_order(A, 1, directed, false))))
      order, found = graphs.depth_first_order(A, 1, directed)
      same_nodes(want.deep_order, order, what .. ", by depth")
      same_nodes(want.deep_found, found, what .. ", by depth")
      same(matrix(want.broad_tree), graphs.breadth_first_tree(A, 1, directed), what .. ", tree")
      same(matrix(want.deep_tree), graphs.depth_first_tree(A, 1, directed), what .. ", tree by depth")
      same(matrix(want.deep_tree), graphs.reconstruct_path(A, found, directed), what .. ", path")
      local permutation = graphs.reverse_cuthill_mckee(A)
      if g.cuthill then -- SciPy begins in any node of least degree
        same_nodes(g.cuthill, permutation, what)
      else
        same_nodes(cp.arange(g.n):totable(), cp.sort(permutation) - 1, what)
      end
    end)
  end)

  it("become narrow by reverse_cuthill_mckee", function()
    local n, at = 60, {}
    for k = 1, n do at[k] = (k * 37) % n end
    local rows, columns = {}, {}
    for k = 1, n - 2 do -- a band of width 2, mixed up
      for step = 1, 2 do
        rows[#rows + 1], columns[#columns + 1] = at[k], at[k + step]
        rows[#rows + 1], columns[#columns + 1] = at[k + step], at[k]
      end
    end
    local A = sp.csr_array { data = cp.ones { #rows }, row = cp.index(rows), col = cp.index(columns), shape = { n, n } }
    local p = graphs.reverse_cuthill_mckee(A, true)
    assert.same(cp.arange(n):totable(), (cp.sort(p) - 1):astype("float64"):totable())
    local i, j = sp.find(A[{ p, {} }][{ {}, p }])
    assert.is_true(cp.max(cp.abs(i - j)):item() <= 4)
  end)

  it("have SciPy's spanning trees and Laplacians", function()
    each(function(A, _, _, g, what)
      local tree = graphs.minimum_spanning_tree(A)
      assert.equal("csr", tree.format)
      same(matrix(g.tree), tree, what)
      A = A:abs()
      for name, options in pairs { plain = {}, out = { use_out_degree = true }, normed = { normed = true },
        symmetrized = { symmetrized = true },
        every = { symmetrized = true, normed = true, use_out_degree = true } } do
        options.return_diag = true
        local L, d = graphs.laplacian(A, options)
        same(matrix(g[name]), L, what .. ", " .. name)
        same(cp.array(g[name .. "_degrees"]), d, what .. ", " .. name)
        L, d = graphs.laplacian(A:toarray(), options)
        same(matrix(g[name]), L, what .. ", dense, " .. name)
        same(cp.array(g[name .. "_degrees"]), d, what .. ", dense, " .. name)
        for _, graph in ipairs { A, A:toarray() } do
          for _, form in ipairs { "function", "lo" } do
            options.form = form
            local op, degrees = graphs.laplacian(graph, options)
            local times = form == "lo" and function(x) return op:matmat(x) end or op
            same(matrix(g[name]), times(cp.eye(A.shape[1])), what .. ", " .. form .. ", " .. name)
            same(cp.array(g[name .. "_degrees"]), degrees, what .. ", " .. form .. ", " .. name)
          end
        end
        options.form = nil
      end
    end)
  end)

  it("keep edges of weight 0 where they are stored, and lack those that are not finite in dense ones", function()
    local A = sp.csr_array { data = cp.array { 0, 2 }, row = cp.index { 0, 1 }, col = cp.index { 1, 2 },
      shape = { 3, 3 } }
    assert.same({ 0, 0, 2 }, graphs.dijkstra(A, { indices = 1 }):totable())
    assert.equal(1, (graphs.connected_components(A)))
    local dense = cp.array { { 0, 1, math.huge }, { 0, 0, 0 / 0 }, { 0, 0, 0 } }
    assert.same({ 0, 1, math.huge }, graphs.dijkstra(dense, { indices = 1 }):totable())
    assert.equal(2, (graphs.connected_components(dense)))
  end)

  it("come from dense matrices and go back", function()
    local dense = cp.array { { 0, 1, math.huge }, { -1, 0, 0 / 0 }, { 3, 0, 0 } }
    local function entries(...)
      local A = graphs.csgraph_from_dense(dense, ...)
      assert.same({ "csr", "float64", true }, { A.format, A.dtype, A.has_canonical_format })
      return A.nnz
    end
    assert.same({ 3, 4, 5, 6, 2 }, { entries(), entries { infinity_null = false },
      entries { infinity_null = false, nan_null = false }, entries(-1), entries { null_value = 3 } - 4 })
    local A = graphs.csgraph_from_dense(dense, 0)
    assert.same({ { 0, 1, 0 }, { -1, 0, 0 }, { 3, 0, 0 } }, graphs.csgraph_to_dense(A):totable())
    assert.same({ 9, 1, 9 }, graphs.csgraph_to_dense(A:tocsc(), 9)[1]:totable())
    local twice = sp.coo_array { { 4, 2 }, { { 1, 1 }, { 2, 2 } }, shape = { 2, 2 } }
    assert.same({ { 7, 6 }, { 7, 7 } }, graphs.csgraph_to_dense(twice, 7):totable())
    assert.same({ { 5, 5 }, { 5, 5 } }, graphs.csgraph_to_dense(sp.csr_array { 2, 2 }, 5):totable())
    failure("shape", "scipy.sparse.csgraph.csgraph_from_dense: graph must be a square matrix",
      function() graphs.csgraph_from_dense { { 1, 2 } } end)
    failure("index", "scipy.sparse.csgraph.reconstruct_path: predecessors must be nodes, 1 to 3, or 0",
      function() graphs.reconstruct_path(A, cp.index { 0, 4, 1 }) end)
    failure("shape", "scipy.sparse.csgraph.construct_dist_matrix: predecessors must have 3 elements along 2 axes",
      function() graphs.construct_dist_matrix(A, cp.index { 0, 1, 1 }) end)
  end)

  it("refuse what has no answer", function()
    local A = sp.csr_array { { 0, -1, 0 }, { 0, 0, -1 }, { 0.5, 0, 0 } }
    on_both_kinds_of_devices(function()
      failure("usage", "scipy.sparse.csgraph.bellman_ford: csgraph has a cycle of negative length",
        function() graphs.bellman_ford(A) end)
    end)
    failure("usage", "scipy.sparse.csgraph.shortest_path: csgraph has a cycle of negative length",
      function() graphs.shortest_path(A, "J") end)
    failure("usage", "scipy.sparse.csgraph.dijkstra: Dijkstra's algorithm needs weights that are not negative",
      function() graphs.dijkstra(A) end)
    failure("usage", "scipy.sparse.csgraph.shortest_path: method must be", function() graphs.shortest_path(A, "X") end)
    failure("index", "scipy.sparse.csgraph.dijkstra: indices is 4; nodes are 1 to 3",
      function() graphs.dijkstra(A:abs(), { indices = { 1, 4 } }) end)
    failure("index", "scipy.sparse.csgraph.breadth_first_order: i_start is 0; nodes are 1 to 3",
      function() graphs.breadth_first_order(A, 0) end)
    failure("shape", "scipy.sparse.csgraph.minimum_spanning_tree: csgraph must be square, not (2, 3)",
      function() graphs.minimum_spanning_tree(sp.csr_array { 2, 3 }) end)
    failure("dtype", "scipy.sparse.csgraph.reverse_cuthill_mckee: graph must have real weights",
      function() graphs.reverse_cuthill_mckee(sp.eye(3, { dtype = "complex128" })) end)
  end)
end)
