-- cp.scipy.sparse.csgraph: graphs given by sparse arrays, whose element {i, j} is the weight of an edge from
-- i to j. Components by minima over neighbours and pointer jumping (Shiloach and Vishkin, 1982), in rounds
-- over the edges that still join two trees. Strong components by a walk, or on devices without walks by
-- coloring with the greatest node that reaches a node, and searching backwards from it (Orzan, 2004).

return function(cp, core, S)
  local csgraph = {}
  local publish = core.publisher(csgraph, "scipy.sparse.csgraph.")
  local usage = core.usage

  cp.scipy.sparse.csgraph = csgraph
  for file in string.gmatch("graphs graph_forms paths", "[%a_]+") do
    require("cupola.scipy.sparse." .. file)(cp, core, S, publish)
  end

  -- The ends of all edges as nodes from 1 (int64).
  local function edges(where, f)
    local from, to = S.triplets(where, f)
    return from:astype("int64") + 1, to:astype("int64") + 1
  end

  local function changed(a, b) return cp.any(cp.not_equal(a, b)) end

  -- For each node the least node of its component, edges taken in both directions.
  local function weak(where, f)
    local from, to = edges(where, f)
    local n, device = f.shape[1], f.data.device
    if core.walks(from) then return core.walk_components(where, n, from - 1, to - 1) + 1 end
    local parent = S.range(n, "int64", device) + 1
    parent:eval()
    -- edges join roots of trees; those within a tree have done their part
    local function outer()
      return S.choose(where, cp.not_equal(from, to), from, to)
    end
    from, to = outer()
    while #from > 0 do
      core.check_interrupt(where)
      cp.scatter_min(parent, { cp.maximum(from, to) }, cp.minimum(from, to))
      local jumped = core.gather(where, parent, parent)
      while changed(jumped, parent) do
        parent = jumped
        jumped = core.gather(where, parent, parent)
      end
      from, to = core.gather(where, parent, from), core.gather(where, parent, to)
      from, to = outer()
    end
    return parent
  end

  local ROUNDS = 256 -- through all edges, after which the CPU walks: it takes one step for each edge

  -- For each node the color: the greatest node among those of `active` that reach it. Others keep 0. nil:
  -- that takes more than so many rounds, which are counted.
  local function colored(where, from, to, active, n, device, rounds)
    local color = cp.where(active, S.range(n, "int64", device) + 1, S.zeros(1, "int64", device))
    while true do
      core.check_interrupt(where)
      rounds.left = rounds.left - 1
      if rounds.left < 0 then return nil end
      local before = color:copy()
      cp.scatter_max(color, { to }, core.gather(where, color, from))
      if not changed(color, before) then return color end
    end
  end

  -- For each node a node of its strong component, by a walk.
  local function strong_by_walk(where, f)
    return (core.walk_strong(where, S.neighbours(where, f, true)) + 1):to(f.data.device)
  end

  -- The same by colors.
  local function strong(where, f)
    if core.walks(f.data) then return strong_by_walk(where, f) end
    local from, to = edges(where, f)
    local n, device, rounds = f.shape[1], f.data.device, { left = ROUNDS }
    local label = S.zeros(n, "int64", device)
    local nodes = S.range(n, "int64", device) + 1
    local active = cp.ones({ n }, { dtype = "bool", device = device })
    while cp.any(active) do
      local color = colored(where, from, to, active, n, device, rounds)
      if not color then return strong_by_walk(where, f) end
      -- backwards from the node that gave a color, among the nodes that have it
      local member = cp.logical_and(active, cp.equal(color, nodes)):astype("int8")
      local same = cp.equal(core.gather(where, color, from), core.gather(where, color, to))
      local first, second = S.choose(where, same, from, to)
      while true do
        core.check_interrupt(where)
        rounds.left = rounds.left - 1
        local before = member:copy()
        cp.scatter_max(member, { first }, core.gather(where, member, second))
        if not changed(member, before) then break end
      end
      local found = cp.greater(member, 0)
      label = cp.where(found, color, label)
      active = cp.logical_and(active, cp.logical_not(found))
      label:eval()
      local stay = cp.logical_and(core.gather(where, active, from), core.gather(where, active, to))
      from, to = S.choose(where, stay, from, to)
    end
    return label
  end

  -- The number of components, and for each node the number of its component.
  local function components(where, f, find)
    local n, device = f.shape[1], f.data.device
    local label = find(where, f)
    -- the first node of each component, whose order numbers the components
    local nodes = S.range(n, "int64", device) + 1
    local first = cp.full({ n }, n + 1, { dtype = "int64", device = device })
    cp.scatter_min(first, { label }, nodes)
    local is_first = cp.equal(core.gather(where, first, label), nodes)
    local number = core.scan(where, "sum", is_first, 1, "int64")
    return number[n], core.gather(where, number, core.gather(where, first, label)):astype("int32")
  end

  -- The number of components, and for each node the number of its component, from 1 in the order of their
  -- first nodes. directed: edges have a direction; connection: "weak", where it does not matter, or "strong",
  -- where nodes must reach each other.
  publish("connected_components", "csgraph, directed, connection, return_labels", 1,
    function(where, graph, directed, connection, return_labels)
      directed = core.boolean(directed, where, "directed", true)
      return_labels = core.boolean(return_labels, where, "return_labels", true)
      connection = connection or "weak"
      if connection ~= "weak" and connection ~= "strong" then
        if type(connection) ~= "string" then usage(where, "connection must be a string") end
        core.not_among(where, "connection", '"weak" or "strong"', connection)
      end
      local f = S.graph(where, graph, "csgraph")
      if f.shape[1] == 0 then
        if return_labels then return 0, S.zeros(0, "int32", f.data.device) end
        return 0
      end
      S.settle(where, f)
      local find = directed and connection == "strong" and strong or weak
      local count, labels = cp.scope(function() return components(where, f, find) end)
      if not return_labels then return count end
      return count, labels
    end)
end
