-- cp.scipy.sparse.csgraph: orders of nodes, spanning trees and Laplacians. Walks that go from node to node
-- run on a device that takes them (core.walks), which for a GPU's arrays is the CPU.

return function(cp, core, S, publish)
  local raise_shape, usage = core.raise_shape, core.usage

  -- ---- graphs

  -- A number as an array without axes, beside x.
  local function constant(value, x) return cp.full({}, value, { dtype = x.dtype, device = x.device }) end

  --- The fields of a graph in csr form. Of a sparse array every stored entry is an edge, of a dense one every
  --- finite element that is not 0. Without directions a csc array may count as its transpose.
  function S.graph(where, graph, argument, directed)
    local v = graph
    if not S.is(v) then
      v = core.as_array(v, where, argument)
      if core.is_inexact(v) then v = cp.where(cp.isfinite(v), v, constant(0, v)) end
    end
    local f = S.is(v) and S.take(where, v, argument) or S.as_sparse(where, v, argument)
    if f.shape[1] ~= f.shape[2] then
      raise_shape(where, string.format("%s must be square, not (%d, %d)", argument, f.shape[1], f.shape[2]))
    end
    if core.kind(f.data) == "c" then core.raise(where, "dtype", argument .. " must have real weights") end
    if directed == false and f.format == "csc" then f = S.turned(where, f) end
    return S.csr(where, f)
  end

  --- The edges of a graph on a device that takes walks: indptr, indices (int64) and weights (float64;
  --- nothing, or of bool, if none are wanted). Undirected: behind each node's edges those that end there.
  --- short: positions may stay int32.
  function S.neighbours(where, f, directed, weighted, short)
    S.settle(where, f)
    local device = core.walks(f.data) and f.data.device or "cpu"
    local index = short and #f.indices < 2 ^ 30 and f.indices.dtype or "int64"
    local indptr, indices = f.indptr:to(device):astype(index, false), f.indices:to(device):astype(index, false)
    local weights = weighted and f.data:to(device):astype("float64", false)
      or not directed and S.zeros(#indices, "bool", device) or nil
    if directed or #indices == 0 then return indptr, indices, weights end
    local rows = core.sparse_rows(where, indptr, #indices)
    return core.sparse_group(where, cp.concatenate { rows, indices }, f.shape[1], cp.concatenate { indices, rows }, nil,
      cp.concatenate { weights, weights })
  end

  --- Nodes that count from 0 (-1: none), as results: from 1, on f's device.
  function S.nodes(f, x) return (x + 1):astype(S.index_dtype(f.shape[1])):to(f.data.device) end

  --- A node that counts from 1.
  function S.node(where, v, argument, f)
    local k = core.integer(v, where, argument)
    if k < 1 or k > f.shape[1] then
      core.raise(where, "index", string.format("%s is %d; nodes are 1 to %d", argument, k, f.shape[1]))
    end
    return k
  end

  -- ---- searches

  -- The nodes (from 1) in the order in which a search finds them, and for each node the one from which it was
  -- found (0: none).
  local function search(where, f, i_start, directed, deep)
    i_start = S.node(where, i_start, "i_start", f)
    local indptr, indices = S.neighbours(where, f, core.boolean(directed, where, "directed", true), false, true)
    return cp.scope(function()
      local order, predecessors, count = core.walk_search(where, indptr, indices, i_start - 1, deep)
      return S.nodes(f, core.slice(order, 1, 1, count[1])), S.nodes(f, predecessors)
    end)
  end

  --- The edges on the ways to nodes from their predecessors (from 1; 0: none), as a csr array. Where edges
  --- have no direction, the lesser one of the two weights counts.
  function S.tree(where, f, predecessors, directed)
    local n, index = f.shape[1], f.indices.dtype
    local found = cp.greater(predecessors, 0)
    local to = core.positions(where, found):reshape(-1)
    local from = core.choose(where, predecessors, found):astype "int64"
    local A = S.object(f)
    local weights = A[{ from, to }]:astype "float64"
    if not directed then
      local back = A[{ to, from }]:astype "float64"
      local function or_none(x) return cp.where(cp.equal(x, 0), constant(math.huge, x), x) end
      weights = cp.minimum(or_none(weights), or_none(back))
    end
    local edges = S.new("coo", n, n, { row = (from - 1):astype(index), col = (to - 1):astype(index), data = weights })
    return S.object(S.convert(where, S.fields(edges), "csr"))
  end

  for name, deep in next, { breadth_first = false, depth_first = true } do
    -- The nodes that can be reached from i_start in the order of a search that goes by breadth (by depth),
    -- and for each node the one from which it was found (0: none).
    publish(name .. "_order", "csgraph, i_start, directed, return_predecessors", 2,
      function(where, graph, i_start, directed, return_predecessors)
        local order, predecessors = search(where, S.graph(where, graph, "csgraph", directed), i_start, directed,
          deep)
        if not core.boolean(return_predecessors, where, "return_predecessors", true) then return order end
        return order, predecessors
      end)

    -- The edges by which such a search finds nodes, as a csr array of float64.
    publish(name .. "_tree", "csgraph, i_start, directed", 2, function(where, graph, i_start, directed)
      local f = S.graph(where, graph, "csgraph", directed)
      local _, predecessors = search(where, f, i_start, directed, deep)
      return S.tree(where, f, predecessors, core.boolean(directed, where, "directed", true))
    end)
  end

  -- ---- orders

  -- The permutation that gathers a matrix's elements near its diagonal: A[{p, {}}][{{}, p}] is narrow. Unless
  -- symmetric_mode says that it is symmetric, entries count in both directions.
  publish("reverse_cuthill_mckee", "graph, symmetric_mode", 1, function(where, graph, symmetric_mode)
    local f = S.graph(where, graph, "graph")
    local n = f.shape[1]
    if n == 0 then return S.zeros(0, "int32", f.data.device) end
    if not core.boolean(symmetric_mode, where, "symmetric_mode", false) then
      local ones = S.with_data(f, cp.ones({ #f.data }, { dtype = "float64", device = f.data.device }))
      f = S.csr(where, S.fields(ones + S.transpose(where, S.fields(ones))))
    end
    local indptr, indices = S.neighbours(where, f, true)
    local degrees = core.slice(indptr, 1, 2, n + 1) - core.slice(indptr, 1, 1, n)
    if #indices > 0 then -- a loop has two ends
      local rows = core.sparse_rows(where, indptr, #indices)
      local loops = S.choose(where, cp.equal(rows, indices), rows)
      degrees = degrees:copy()
      cp.scatter_add(degrees, { loops + 1 }, cp.ones({ #loops }, { dtype = "int64", device = degrees.device }))
    end
    local order = core.walk_cuthill(where, indptr, indices, core.sort(where, degrees, true) - 1, degrees)
    return S.nodes(f, cp.ascontiguousarray(cp.flip(order)))
  end)

  -- ---- trees

  -- The edges of least total weight that join what edges join (Kruskal, 1956); as a csr array of float64
  -- whose entry {i, j} or {j, i} is an edge's weight. Edges have no direction, and those of weight 0 are
  -- none.
  publish("minimum_spanning_tree", "csgraph, overwrite", 1, function(where, graph, overwrite)
    core.boolean(overwrite, where, "overwrite", false)
    local f = S.graph(where, graph, "csgraph")
    local indptr, indices, weights = S.neighbours(where, f, true, true)
    local n = f.shape[1]
    local g = S.fields(S.new("csr", n, n, { indptr = indptr, indices = indices, data = weights }))
    if #indices > 0 then
      local rows = core.sparse_rows(where, indptr, #indices)
      local keep = core.walk_spanning(where, n, rows, indices, core.sort(where, weights, true))
      g = S.fields(S.keep(where, g, cp.logical_and(keep, cp.not_equal(weights, 0))))
    end
    local function positions(x) return x:astype(f.indices.dtype):to(f.data.device) end
    return S.new("csr", n, n, { indptr = positions(g.indptr), indices = positions(g.indices),
      data = g.data:to(f.data.device) })
  end)

  -- ---- Laplacians

  -- The Laplacian of a dense matrix and the degrees, or the entries of that of a sparse one without its
  -- diagonal.
  local function scaled(degrees, normed)
    if not normed then return function(x) return -x end, degrees end
    local isolated = cp.equal(degrees, 0)
    local root = cp.where(isolated, constant(1, degrees), cp.sqrt(degrees))
    return function(x, row, col) return -(x / row(root) / col(root)) end, root, isolated:astype(degrees.dtype)
  end

  local function of_sparse(where, f, axis, normed)
    local n, g = f.shape[1], S.canonical(where, f)
    -- what is made on the way is freed at once
    local root, A = cp.scope(function()
      local row, col, data = S.triplets(where, g)
      local others = cp.not_equal(row, col)
      if not cp.all(others) then
        g = S.fields(S.keep(where, g, others))
        row, col, data = S.triplets(where, g)
      end
      local degrees = S.object(g):sum(axis):astype(data.dtype)
      local change, size, isolated = scaled(degrees, normed)
      data = change(data, function(x) return S.gather(where, x, row) end,
        function(x) return S.gather(where, x, col) end)
      local index = row.dtype
      local own = { format = g.format, shape = g.shape, indptr = S.range(n + 1, index, data.device),
        indices = S.range(n, index, data.device), data = (normed and 1 - isolated or size):astype(data.dtype) }
      local indptr, indices, left, right = S.unite(where, S.sharing(g, data), own, n)
      return size, S.known_canonical(where,
        S.new(g.format, n, n, { indptr = indptr, indices = indices, data = left + right }))
    end)
    local format = f.format == "dia" and "csr" or f.format
    return S.object(S.convert(where, S.fields(A), format, f.block)), root
  end

  local function of_dense(x, axis, normed)
    local diagonal = cp.diagonal(x)
    local degrees = cp.sum(x, axis):astype(x.dtype) - diagonal
    local change, root, isolated = scaled(degrees, normed)
    local L = change(x, function(v) return v:reshape({ -1, 1 }) end, function(v) return v end):copy()
    cp.fill_diagonal(L, normed and 1 - isolated or root)
    return L, root
  end

  -- The Laplacian as an operator, which keeps A and the degrees; symmetrized: that of A and its adjoint
  -- together.
  local function of_products(where, A, axis, normed, symmetrized)
    local op, sparse = S.operator(where, A, "csgraph"), S.is(A)
    local function along(k) return sparse and A:sum(k) or cp.sum(A, k) end
    local sums, diagonal = along(axis), sparse and A:diagonal() or cp.diagonal(A)
    if symmetrized then sums, diagonal = sums + S.conj(along(3 - axis)), diagonal + S.conj(diagonal) end
    local degrees = (sums - diagonal):astype(A.dtype, false)
    local _, root = scaled(degrees, normed)
    cp.eval(sums, root)
    local function times(forward, back, of, by)
      return function(x)
        local function beside(v) return x.ndim == 2 and v:reshape { -1, 1 } or v end
        local v = by and x / beside(by) or x
        local y = v * beside(of) - (symmetrized and forward(v) + back(v) or forward(v))
        return by and y / beside(by) or y
      end
    end
    local p, by = op.products, normed and root or nil
    local matvec = times(p.matmat, p.rmatmat, sums, by)
    local rmatvec = times(p.rmatmat, p.matmat, S.conj(sums), by and S.conj(by))
    return cp.scipy.sparse.linalg.LinearOperator({ op.rows, op.columns },
      { matvec = matvec, matmat = matvec, rmatvec = rmatvec, rmatmat = rmatvec, dtype = A.dtype }), root
  end

  local FORMS = { array = true, ["function"] = true, lo = true }

  -- The matrix of degrees less the weights, of a sparse array or a dense matrix; normed: with each element
  -- divided by the roots of both nodes' degrees. return_diag: also the degrees, or their roots. symmetrized:
  -- of the graph and its adjoint together. form: as an "array", as a "function" that multiplies vectors and
  -- matrices by it, or as a LinearOperator ("lo"), which need no new array. The graph is never changed,
  -- whatever copy says.
  publish("laplacian", "csgraph, normed, return_diag, use_out_degree, dtype, symmetrized, copy, form", 1,
    function(where, graph, normed, return_diag, use_out_degree, dtype, symmetrized, copy, form)
      if form ~= nil and not FORMS[form] then core.not_among(where, "form", '"array", "function" or "lo"', form) end
      core.boolean(copy, where, "copy", true)
      local sparse = S.is(graph)
      local A = sparse and graph or core.as_array(graph, where, "csgraph")
      if A.ndim ~= 2 or A.shape[1] ~= A.shape[2] then
        raise_shape(where, "csgraph must be square, not of shape " .. tostring(A.shape))
      end
      normed = core.boolean(normed, where, "normed", false)
      if dtype ~= nil then A = A:astype(dtype) end
      if A.dtype == "bool" then usage(where, "csgraph must have numbers; write csgraph:astype(...)") end
      if normed and not core.is_inexact(A.dtype) then A = A:astype "float64" end
      local whole = form == nil or form == "array"
      symmetrized = core.boolean(symmetrized, where, "symmetrized", false)
      if symmetrized and whole then A = A + (sparse and A:conj() or cp.conj(A)).T end
      local axis = core.boolean(use_out_degree, where, "use_out_degree", false) and 2 or 1
      local L, diagonal
      if not whole then
        local op
        op, diagonal = of_products(where, A, axis, normed, symmetrized)
        L = form == "lo" and op or function(x) return op:matmat(x) end
      elseif sparse then
        L, diagonal = of_sparse(where, S.fields(A), axis, normed)
      else
        L, diagonal = of_dense(A, axis, normed)
      end
      if dtype ~= nil and whole then -- of whole numbers, roots are taken before they are cut
        L, diagonal = L:astype(dtype, false), diagonal:astype(dtype, false)
      end
      if core.boolean(return_diag, where, "return_diag", false) then return L, diagonal end
      return L
    end)
end
