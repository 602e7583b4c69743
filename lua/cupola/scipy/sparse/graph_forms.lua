-- cp.scipy.sparse.csgraph: graphs from dense matrices and back, and what predecessors stand for.

return function(cp, core, S, publish)
  local function full(value, beside) return cp.full({}, value, { dtype = beside.dtype, device = beside.device }) end

  -- ---- dense matrices

  -- The matrix with float64 elements of a dense graph.
  local function dense_matrix(where, graph, argument)
    local x = core.as_array(graph, where, argument):astype "float64"
    if x.ndim ~= 2 or x.shape[1] ~= x.shape[2] then
      core.raise_shape(where, argument .. " must be a square matrix, not of shape " .. tostring(x.shape))
    end
    return x
  end

  -- The graph of a dense matrix as a csr array of float64. null_value: what stands where there is no edge;
  -- nan_null, infinity_null: so do these values.
  publish("csgraph_from_dense", "graph, null_value, nan_null, infinity_null", 1,
    function(where, graph, null_value, nan_null, infinity_null)
      local x = dense_matrix(where, graph, "graph")
      null_value = core.number(null_value, where, "null_value", 0)
      local is_nan, is_infinite = null_value ~= null_value, null_value == math.huge
      local edges = cp.not_equal(x, null_value)
      if is_nan or core.boolean(nan_null, where, "nan_null", true) then
        edges = cp.logical_and(edges, cp.logical_not(cp.isnan(x)))
      end
      if is_infinite or core.boolean(infinity_null, where, "infinity_null", true) then
        edges = cp.logical_and(edges, cp.logical_not(cp.isinf(x)))
      end
      return S.from_dense(where, x, "csr", edges)
    end)

  -- The dense matrix of a sparse graph, float64; of several edges between the same nodes the least weight.
  publish("csgraph_to_dense", "csgraph, null_value", 1, function(where, graph, null_value)
    local f = S.graph(where, graph, "csgraph")
    local n = f.shape[1]
    local row, col, data = S.triplets(where, f)
    local out = cp.full({ n, n }, math.huge, { dtype = "float64", device = f.data.device })
    if #data == 0 then return out:fill(core.number(null_value, where, "null_value", 0)) end
    cp.scatter_min(out:reshape(-1), { row:astype "int64" * n + col + 1 }, data:astype "float64")
    return cp.where(cp.isinf(out), full(core.number(null_value, where, "null_value", 0), out), out)
  end)

  -- ---- predecessors

  -- Nodes from 1 as results of searches and of shortest_path give them; `lengths` of n each.
  local function predecessors_of(where, f, v, ndim)
    local x = core.as_array(v, where, "predecessors")
    local n = f.shape[1]
    local fits = x.ndim == ndim
    for k = 1, fits and ndim or 0 do fits = fits and x.shape[k] == n end
    if not fits then
      core.raise_shape(where, string.format("predecessors must have %d elements along %d axes, not shape %s", n, ndim,
        tostring(x.shape)))
    end
    local kind = core.kind(x)
    if kind ~= "i" and kind ~= "u" then
      core.raise(where, "dtype", "predecessors must be of integers, not " .. x.dtype)
    end
    x = x:astype "int64"
    if n > 0 and (cp.min(x):item() < 0 or cp.max(x):item() > n) then
      core.raise(where, "index", string.format("predecessors must be nodes, 1 to %d, or 0", n))
    end
    return x:to(f.data.device)
  end

  -- The tree of the edges from each node's predecessor, as a csr array of float64.
  publish("reconstruct_path", "csgraph, predecessors, directed", 2, function(where, graph, predecessors, directed)
    local f = S.graph(where, graph, "csgraph", directed)
    return S.tree(where, f, predecessors_of(where, f, predecessors, 1),
      core.boolean(directed, where, "directed", true))
  end)

  -- Weights as a dense matrix, the lesser one of both directions where they do not matter; 0: no edge.
  local function weights_of(where, f, directed)
    local x = S.dense(where, f):astype "float64"
    if directed then return x end
    local function or_none(v) return cp.where(cp.equal(v, 0), full(math.huge, v), v) end
    local least = cp.minimum(or_none(x), or_none(x.T))
    return cp.where(cp.isinf(least), full(0, x), least)
  end

  -- The lengths of the paths that a matrix of predecessors stands for, as shortest_path returns one: row i
  -- has those of the paths from i. null_value: where there is no path.
  publish("construct_dist_matrix", "graph, predecessors, directed, null_value", 2,
    function(where, graph, predecessors, directed, null_value)
      local f = S.graph(where, graph, "graph", directed)
      local n = f.shape[1]
      local before = predecessors_of(where, f, predecessors, 2)
      local none = core.number(null_value, where, "null_value", math.huge)
      if n == 0 then return cp.zeros({ 0, 0 }, { dtype = "float64", device = f.data.device }) end
      local at = S.range(n, "int64", f.data.device) + 1
      local from, to = at:reshape { -1, 1 }, at:reshape { 1, -1 }
      local moves = cp.logical_and(cp.greater(before, 0), cp.not_equal(from, to))
      local weights = weights_of(where, f, core.boolean(directed, where, "directed", true))
      local function taken(x, row, column)
        return core.gather(where, x:reshape(-1), ((row - 1) * n + column):reshape(-1)):reshape { n, n }
      end
      -- each round joins two pieces of the way, which ends where nothing moves
      local jump = cp.where(moves, before, to):eval()
      local length = cp.where(moves, taken(weights, jump, to), full(0, weights)):eval()
      local reach = 1
      while reach < n do
        core.check_interrupt(where)
        length = (length + taken(length, from, jump)):eval()
        jump, reach = taken(jump, from, jump):eval(), 2 * reach
      end
      return cp.where(cp.logical_or(moves, cp.equal(from, to)), length, full(none, length)):eval()
    end)
end
