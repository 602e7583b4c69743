-- cp.scipy.sparse.csgraph: components against a search in Lua, and known ones.

local cp = require "cupola"
local check = require "spec.helper.check"
local near = require("spec.helper.sparse").near
local generator = require "spec.helper.random.generator"
local on_both_kinds_of_devices = require "spec.helper.walks"

local sp = cp.sparse
local connected_components = sp.csgraph.connected_components

-- Which nodes each node reaches, by searches.
local function reach(edges, n)
  local next_of, result = {}, {}
  for k = 1, n do next_of[k] = {} end
  for _, e in ipairs(edges) do table.insert(next_of[e[1]], e[2]) end
  for start = 1, n do
    local seen, waiting = { [start] = true }, { start }
    while #waiting > 0 do
      for _, node in ipairs(next_of[table.remove(waiting)]) do
        if not seen[node] then
          seen[node] = true
          waiting[#waiting + 1] = node
        end
      end
    end
    result[start] = seen
  end
  return result
end

-- Numbers of components in the order of their first nodes, where together(a, b) says who belongs together.
local function numbered(n, together)
  local labels, count = {}, 0
  for k = 1, n do
    for j = 1, k - 1 do
      if together(j, k) then
        labels[k] = labels[j]
        break
      end
    end
    if not labels[k] then count, labels[k] = count + 1, count + 1 end
  end
  return count, labels
end

local function graph(edges, n, format)
  local i, j, ones = {}, {}, {}
  for k, e in ipairs(edges) do i[k], j[k], ones[k] = e[1], e[2], k end
  if #edges == 0 then return sp.csr_array { n, n } end
  return sp.coo_array({ ones, { i, j } }, { shape = { n, n } }):asformat(format)
end

describe("connected components", function()
  it("are those that searches find", function()
    local draw = generator(7).number
    for _, size in ipairs { { 1, 0 }, { 5, 0 }, { 12, 8 }, { 30, 30 }, { 30, 45 }, { 40, 90 } } do
      local n, edges, both = size[1], {}, {}
      for k = 1, size[2] do
        edges[k] = { draw(n), draw(n) }
        both[2 * k - 1], both[2 * k] = edges[k], { edges[k][2], edges[k][1] }
      end
      local undirected, directed = reach(both, n), reach(edges, n)
      local function check_components(format)
        local G = graph(edges, n, format)
        local count, labels = numbered(n, function(a, b) return undirected[a][b] end)
        local got, numbers = connected_components(G)
        assert.equal(count, got)
        assert.same(labels, numbers:totable())
        count, labels = numbered(n, function(a, b) return directed[a][b] and directed[b][a] end)
        got, numbers = connected_components(G, { connection = "strong" })
        assert.equal(count, got)
        assert.same(labels, numbers:totable())
        assert.equal("int32", numbers.dtype)
        assert.equal(count, (connected_components(G, { connection = "strong", return_labels = false })))
      end
      for _, format in ipairs { "csr", "csc", "coo" } do
        on_both_kinds_of_devices(function() check_components(format) end)
      end
    end
  end)

  it("of a long path and a long ring are one", function()
    local n = 3000
    local at = cp.arange(n - 1)
    local path = sp.coo_array { data = cp.ones(n - 1), row = at, col = at + 1, shape = { n, n } }
    assert.equal(1, (connected_components(path)))
    local count = connected_components(path[{ { 1, 50 }, { 1, 50 } }], { connection = "strong" })
    assert.equal(50, count)
    assert.equal(0, (connected_components(sp.csr_array { 0, 0 })))
    check.failure("shape", "scipy.sparse.csgraph.connected_components: csgraph must be square, not (2, 3)",
      function() local _ = connected_components(sp.csr_array { 2, 3 }) end)
  end)
end)

describe("Laplacians", function()
  local graphs = cp.scipy.sparse.csgraph

  it("as operators multiply vectors and matrices as arrays do, also complex ones, and their adjoints", function()
    local W = sp.csr_array { { 1, 2 - cp.j, 0, 0 }, { 0, 3, 4, 0 }, { cp.j, 0, 0, 0 }, { 0, 0, 0, 5 } }
    local R = sp.csr_array { { 1, 2, 0, 0 }, { 0, 3, 4, 0 }, { 6, 0, 0, 0 }, { 0, 0, 0, 5 } }
    for _, A in ipairs { W, W:toarray(), R, R:tocoo(), R:toarray(), R:astype "int32" } do
      for _, o in ipairs { {}, { normed = true }, { use_out_degree = true }, { symmetrized = true },
        { normed = true, symmetrized = true, dtype = "complex128" } } do
        local L, degrees = graphs.laplacian(A, { normed = o.normed, use_out_degree = o.use_out_degree,
          symmetrized = o.symmetrized, dtype = o.dtype, return_diag = true })
        if sp.issparse(L) then L = L:toarray() end
        o.return_diag, o.form = true, "lo"
        local op, d = graphs.laplacian(A, o)
        assert.same({ L.dtype, degrees.dtype }, { op.dtype, d.dtype })
        near(d, degrees, 1e-15)
        local x, X = cp.array { 1, -2, 0.5, 3 }, cp.arange(12):reshape(4, 3) / 8
        near(op:matvec(x), cp.matmul(L, x), 1e-13)
        near(op:matmat(X), cp.matmul(L, X), 1e-13)
        near(op.H:dot(x), cp.matmul(cp.conj(L).T, x), 1e-13)
        o.form, o.return_diag, o.copy = "function", nil, false
        near(graphs.laplacian(A, o)(X), cp.matmul(L, X), 1e-13)
      end
    end
    near((sp.linalg.eigsh(graphs.laplacian(sp.eye(6, 6, 1), { form = "lo", symmetrized = true }), 1)),
      cp.array { 2 + 2 * math.cos(math.pi / 6) }, 1e-12) -- of a path
    check.failure("usage", 'scipy.sparse.csgraph.laplacian: form must be "array", "function" or "lo", not "lio"',
      function() local _ = graphs.laplacian(R, { form = "lio" }) end)
  end)

  it("have the dtype that is asked for, also with parts of whole numbers", function() -- values of SciPy 1.17
    local dense = cp.array { { 0, 1, 2 }, { 0, 0, 3 }, { 4, 0, 0 } }
    for _, A in ipairs { dense, sp.csr_array(dense), sp.coo_array(dense) } do
      local L, d = graphs.laplacian(A, { normed = true, return_diag = true, dtype = "int64" })
      assert.same({ "int64", "int64", { 2, 1, 2 } }, { L.dtype, d.dtype, d:totable() })
      assert.same({ { 1, 0, 0 }, { 0, 1, -1 }, { 0, 0, 1 } }, (sp.issparse(L) and L:toarray() or L):totable())
      assert.equal("float32", (graphs.laplacian(A, { normed = true, dtype = "float32" })).dtype)
    end
  end)
end)

describe("sources of shortest paths", function()
  it("may have any shape, which the results begin with", function()
    local A = sp.csr_array { { 0, 1, 2, 0 }, { 0, 0, 0, 3 }, { 0, 0, 0, 1 }, { 4, 0, 0, 0 } }
    local paths = cp.scipy.sparse.csgraph
    local all = paths.dijkstra(A)
    for _, name in ipairs { "dijkstra", "bellman_ford", "johnson", "shortest_path", "floyd_warshall" } do
      assert.equal(1, select("#", paths[name](A)), name)
    end
    for _, name in ipairs { "dijkstra", "bellman_ford", "johnson", "shortest_path" } do
      local d, p = paths[name](A, { indices = cp.array({ { 2, 1 }, { 4, -1 } }, "int64"), return_predecessors = true })
      assert.is_true(d:has_shape(2, 2, 4) and p:has_shape(2, 2, 4), name)
      assert.same(all[cp.array({ 2, 1, 4, 4 }, "int64")]:reshape(2, 2, 4):totable(), d:totable())
      assert.is_true(paths[name](A, { indices = cp.array(3, "int64") }):has_shape(4))
    end
  end)
end)
