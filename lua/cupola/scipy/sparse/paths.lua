-- cp.scipy.sparse.csgraph: shortest paths. Dijkstra's algorithm runs on a device that takes walks
-- (core.walks), Bellman's and Ford's there in place and elsewhere in rounds over all edges at once.

return function(cp, core, S, publish)
  local usage = core.usage

  -- ---- arguments

  -- The sources as a vector of nodes (int64, from 0), and their shape if they are no vector. Negative
  -- ones count from the last node.
  local function sources_of(where, f, indices, device)
    local n = f.shape[1]
    if indices == nil then return S.range(n, "int64", device) end
    if type(indices) == "number" then
      if indices < 0 and indices >= -n then indices = indices + n + 1 end
      return cp.full({ 1 }, S.node(where, indices, "indices", f) - 1, { dtype = "int64", device = device }), {}
    end
    local shape
    if cp.is_array(indices) and indices.ndim ~= 1 then shape, indices = indices.shape, indices:ravel() end
    local x = S.whole(where, indices, "indices", device):astype "int64"
    x = cp.where(cp.logical_and(cp.less(x, 0), cp.greater_equal(x, -n)), x + (n + 1), x)
    for _, v in ipairs(#x > 0 and { cp.min(x):item(), cp.max(x):item() } or {}) do S.node(where, v, "indices", f) end
    return x - 1, shape
  end

  -- The graph that a function's arguments describe.
  local function take(where, graph, o)
    local f = S.graph(where, graph, "csgraph", o.directed)
    local g = { f = f, n = f.shape[1], directed = core.boolean(o.directed, where, "directed", true) }
    if core.boolean(o.unweighted, where, "unweighted", false) then
      g.f = S.sharing(f, cp.ones({ #f.data }, { dtype = "float64", device = f.data.device }))
    end
    g.sources, g.shape = sources_of(where, f, o.indices, f.data.device)
    return g
  end

  -- Prepares g for walks: edges by nodes, where walks are taken.
  local function by_nodes(where, g)
    g.indptr, g.indices, g.weights = S.neighbours(where, g.f, g.directed, true)
    g.device = g.weights.device
    g.sources = g.sources:to(g.device)
  end

  -- Prepares g for rounds over all edges: both ends of each, from 1, and weights, where g's array is.
  local function by_edges(where, g)
    local row, col, weights = S.triplets(where, g.f)
    row, col, weights = row:astype "int64" + 1, col:astype "int64" + 1, weights:astype "float64"
    if not g.directed then
      row, col, weights = cp.concatenate { row, col }, cp.concatenate { col, row }, cp.concatenate { weights, weights }
    end
    g.from, g.to, g.weights, g.device = row, col, weights, weights.device
  end

  local function is_negative(g)
    return #g.f.data > 0 and core.kind(g.f.data) ~= "b" and cp.min(g.f.data):item() < 0
  end

  -- ---- results

  -- A row of nodes or distances for each source, as a function returns it.
  local function rows_of(g, x, joint)
    if joint then
      x = x:reshape(g.n)
    elseif g.shape then
      local shape = { g.n }
      for d = #g.shape, 1, -1 do table.insert(shape, 1, g.shape[d]) end
      x = x:reshape(shape)
    end
    return x:to(g.f.data.device)
  end

  local function results(where, g, distances, predecessors, return_predecessors, joint)
    distances = rows_of(g, distances, joint)
    if not core.boolean(return_predecessors, where, "return_predecessors", false) then return distances end
    return distances, rows_of(g, S.nodes(g.f, predecessors), joint)
  end

  local function nothing(g)
    local function zeros(dtype) return cp.zeros({ #g.sources, 0 }, { dtype = dtype, device = g.device }) end
    return zeros "float64", zeros "int64", zeros "int64"
  end

  -- ---- Dijkstra

  local function nearest(where, g, limit, joint)
    by_nodes(where, g)
    if g.n == 0 then return nothing(g) end
    return core.walk_nearest(where, g.indptr, g.indices, g.weights, g.sources, joint or false, limit or math.huge)
  end

  local function check_weights(where, g)
    if is_negative(g) then
      usage(where, "Dijkstra's algorithm needs weights that are not negative; write csgraph.bellman_ford")
    end
  end

  -- Distances from nodes, by Dijkstra's algorithm. limit: paths may not be longer; min_only: from whichever
  -- of the nodes is nearest, which is returned last.
  publish("dijkstra", "csgraph, directed, indices, return_predecessors, unweighted, limit, min_only", 1,
    function(where, graph, directed, indices, return_predecessors, unweighted, limit, min_only)
      local g = take(where, graph, { directed = directed, indices = indices, unweighted = unweighted })
      limit = core.number(limit, where, "limit", math.huge)
      if limit < 0 then usage(where, "limit must not be negative") end
      check_weights(where, g)
      local joint = core.boolean(min_only, where, "min_only", false)
      local distances, predecessors, origins = nearest(where, g, limit, joint)
      local d, p = results(where, g, distances, predecessors, return_predecessors, joint)
      if not p then return d end
      if joint then return d, p, rows_of(g, S.nodes(g.f, origins), true) end
      return d, p
    end)

  -- ---- Bellman and Ford

  local function changed(a, b) return cp.any(cp.not_equal(a, b)) end

  -- Shortens a row of distances by all edges at once, until none does. Each node keeps the least node from
  -- which it was shortened last. The number of rounds is bounded by that of the nodes unless there is a
  -- cycle.
  local function relax_in_rounds(where, from, to, weights, distances)
    local n, device = #distances, distances.device
    local predecessors = cp.full({ n }, -1, { dtype = "int64", device = device })
    local none = cp.full({}, n, { dtype = "int64", device = device })
    for round = 0, n do
      core.check_interrupt(where)
      local reached = core.gather(where, distances, from) + weights
      local shorter = distances:copy()
      cp.scatter_min(shorter, { to }, reached)
      if round % 4 == 0 and not changed(shorter, distances) then return distances, predecessors, false end
      local better = cp.less(shorter, distances)
      local hit = cp.logical_and(core.gather(where, better, to), cp.equal(reached, core.gather(where, shorter, to)))
      local least = cp.full({ n }, n, { dtype = "int64", device = device })
      cp.scatter_min(least, { to }, cp.where(hit, from - 1, none))
      predecessors = cp.where(better, least, predecessors)
      predecessors:eval()
      distances = shorter
    end
    local reached = core.gather(where, distances, from) + weights
    return distances, predecessors, cp.any(cp.less(reached, core.gather(where, distances, to)))
  end

  local function refuse_cycle(where, cycle)
    if cycle then usage(where, "csgraph has a cycle of negative length") end
  end

  -- Shortens rows of distances by walks; returns predecessors.
  local function relax(where, g, distances)
    local predecessors, cycles = core.walk_relax(where, g.indptr, g.indices, g.weights, distances)
    refuse_cycle(where, cp.any(cp.not_equal(cycles, 0)))
    return predecessors
  end

  -- Distances before any edge was used.
  local function at_sources(g)
    local count = #g.sources
    local distances = cp.full({ count, g.n }, math.huge, { dtype = "float64", device = g.device })
    distances:reshape(-1)[S.range(count, "int64", g.device) * g.n + g.sources + 1] = 0
    return distances
  end

  local function by_rounds(where, g)
    local rows, predecessors = {}, {}
    local distances = at_sources(g)
    for k = 1, #g.sources do
      local cycle
      rows[k], predecessors[k], cycle = relax_in_rounds(where, g.from, g.to, g.weights, distances[k]:copy())
      refuse_cycle(where, cycle)
    end
    return cp.stack(rows), cp.stack(predecessors)
  end

  local function bellman_ford(where, g)
    local walks = core.walks(g.f.data);
    (walks and by_nodes or by_edges)(where, g)
    if g.n == 0 or #g.sources == 0 then return nothing(g) end
    if not walks then return by_rounds(where, g) end
    local distances = at_sources(g)
    local predecessors = relax(where, g, distances)
    return distances, predecessors
  end

  -- Distances from nodes where weights may be negative. Raises if a cycle of negative length can be reached.
  publish("bellman_ford", "csgraph, directed, indices, return_predecessors, unweighted", 1,
    function(where, graph, directed, indices, return_predecessors, unweighted)
      local g = take(where, graph, { directed = directed, indices = indices, unweighted = unweighted })
      local distances, predecessors = bellman_ford(where, g)
      return results(where, g, distances, predecessors, return_predecessors)
    end)

  -- ---- Johnson

  -- Distances in a graph whose weights are made positive by those from a node that is joined to all (Johnson,
  -- "Efficient algorithms for shortest paths in sparse networks", 1977).
  local function johnson(where, g)
    by_nodes(where, g)
    if g.n == 0 or #g.indices == 0 then return nearest(where, g) end
    local height = cp.zeros({ 1, g.n }, { dtype = "float64", device = g.device })
    relax(where, g, height)
    height = height:reshape(g.n)
    local from, to = core.sparse_rows(where, g.indptr, #g.indices), g.indices
    local weights = g.weights + S.gather(where, height, from) - S.gather(where, height, to)
    local distances, predecessors = core.walk_nearest(where, g.indptr, g.indices, cp.maximum(weights, 0), g.sources,
      false, math.huge)
    return distances + height - S.gather(where, height, g.sources):reshape({ -1, 1 }), predecessors
  end

  -- Distances from nodes where weights may be negative: Dijkstra's algorithm with weights made positive.
  publish("johnson", "csgraph, directed, indices, return_predecessors, unweighted", 1,
    function(where, graph, directed, indices, return_predecessors, unweighted)
      local g = take(where, graph, { directed = directed, indices = indices, unweighted = unweighted })
      local distances, predecessors = johnson(where, g)
      return results(where, g, distances, predecessors, return_predecessors)
    end)

  -- ---- all algorithms

  -- Which algorithm "auto" means.
  local function choose_method(g)
    if not core.walks(g.f.data) then return "BF" end
    return is_negative(g) and "J" or "D"
  end

  local METHODS = { auto = true, D = true, BF = true, J = true, FW = true }

  local function shortest_path(where, graph, method, o, return_predecessors)
    local g = take(where, graph, o)
    if method == "FW" and o.indices ~= nil then usage(where, "indices are not for method 'FW'") end
    if method == "auto" then method = choose_method(g) end
    if method == "FW" then method = is_negative(g) and "J" or "D" end
    if method == "D" then check_weights(where, g) end
    local find = method == "D" and nearest or method == "J" and johnson or bellman_ford
    local distances, predecessors = find(where, g)
    return results(where, g, distances, predecessors, return_predecessors)
  end

  -- Distances between nodes. method: "D" (Dijkstra), "BF" (Bellman and Ford), "J" (Johnson), "FW" (whatever
  -- suits all pairs of nodes), or "auto": Dijkstra's or Johnson's on the CPU, Bellman's and Ford's on a GPU.
  publish("shortest_path", "csgraph, method, directed, return_predecessors, unweighted, overwrite, indices", 1,
    function(where, graph, method, directed, return_predecessors, unweighted, overwrite, indices)
      method = method == nil and "auto" or method
      if not METHODS[method] then core.not_among(where, "method", '"auto", "FW", "D", "BF" or "J"', method) end
      core.boolean(overwrite, where, "overwrite", false)
      return shortest_path(where, graph, method,
        { directed = directed, indices = indices, unweighted = unweighted }, return_predecessors)
    end)

  -- Distances between all pairs of nodes, by whatever suits these.
  publish("floyd_warshall", "csgraph, directed, return_predecessors, unweighted, overwrite", 1,
    function(where, graph, directed, return_predecessors, unweighted, overwrite)
      core.boolean(overwrite, where, "overwrite", false)
      return shortest_path(where, graph, "FW", { directed = directed, unweighted = unweighted }, return_predecessors)
    end)
end
