-- CUDA graphs: the work of a function, captured once and replayed by one launch.
--
-- Random draws inside of a graph read seed and call number from memory (core.draw's seed_at, call_at). A
-- generator has these words once for each device. Its own call count is authoritative: a replay updates the
-- words if the generator was used in between, and the graph's last work adds the number of its draws.

return function(cp, core)
  local HALF = 4294967296 -- 2^32

  -- ---- draws

  -- generator's stream -> device -> {seed, call: arrays; high, low, count: the values in the arrays}
  local states = setmetatable({}, { __mode = "k" })

  local function word(device) return cp.zeros({}, { dtype = "int64", device = device }):eval() end

  local function state_of(stream, device)
    local of = states[stream] or {}
    states[stream] = of
    of[device] = of[device] or { seed = word(device), call = word(device) }
    return of[device]
  end

  -- Updates the words so that a replay draws what the generator would draw now.
  local function bring_up(draws)
    for _, d in ipairs(draws) do
      local state, stream = d.state, d.stream
      stream:enter_process()
      if state.high ~= stream.high or state.low ~= stream.low then
        core.set_word(state.seed, stream.high, stream.low)
        state.high, state.low = stream.high, stream.low
      end
      if state.count ~= stream.call then
        core.set_word(state.call, math.floor(stream.call / HALF), stream.call % HALF)
      end
      state.count = false -- unknown until the replay is counted
    end
  end

  local function advance(draws)
    for _, d in ipairs(draws) do
      d.stream.call = d.stream.call + d.count
      d.state.count = d.stream.call
    end
  end

  -- Registers draws of a capture and returns the arrays of their words, for core.capturing.
  local function register(draws, device)
    return function(stream, on)
      if on ~= device then return stream:next_call() end
      local d = draws[stream]
      if not d then
        d = { stream = stream, state = core.graph_outside(state_of, stream, device), count = 0 }
        draws[stream] = d
        draws[#draws + 1] = d
      end
      d.count = d.count + 1
      return d.count - 1, d.state.seed, d.state.call
    end
  end

  -- ---- capturing

  local function pack(...) return { n = select("#", ...), ... } end

  local function run(draws, f, ...)
    local results = pack(f(...))
    for _, d in ipairs(draws) do
      d.state.call:add_(d.count)
    end
    return results
  end

  local function capture(where, older, f, ...)
    f = core.callable(f, where, "f")
    local draws = {}
    local handle, results = core.graph_capture(where, older, register(draws, core.device_name()), run, draws, f, ...)
    return { handle = handle, results = results, draws = draws }
  end

  -- ---- graphs

  local Graph = {}

  local parts = setmetatable({}, { __mode = "k" }) -- graph -> {handle =, results =, draws =}

  local function part_of(g, where)
    local p = parts[g]
    if not p then core.raise(where, "usage", "is a method: call it with a colon") end
    if not p.handle then core.raise(where, "usage", "the graph was freed") end
    return p
  end

  --- Replays the graph's work on the current stream of its device.
  ---@return any ... what f returned: the same arrays, with new values
  function Graph:replay(extra)
    local p = part_of(self, "graph.replay")
    if extra ~= nil then
      core.raise("graph.replay", "usage", "takes no arguments: a graph's operands get other values by being written, "
        .. "as by x:assign(v)")
    end
    local draws = p.draws
    if draws[1] then bring_up(draws) end
    core.graph_launch(p.handle)
    if draws[1] then advance(draws) end
    local results = p.results
    return unpack(results, 1, results.n)
  end

  --- Captures f(...) in place of the graph's work. If the structure is the same, the driver only updates
  --- addresses and numbers; else the graph is created anew. After an error the graph is unchanged.
  ---@param f function
  ---@return cupola.Graph graph  the same
  function Graph:update(f, ...)
    local p = part_of(self, "graph.update")
    local new = capture("graph.update", p.handle, f, ...)
    local older = p.handle
    parts[self] = new
    core.graph_free(older)
    return self
  end

  local function free(self)
    local p = parts[self]
    if not p then core.raise("graph.free", "usage", "is a method: call it with a colon") end
    if p.handle then core.graph_free(p.handle) end
    parts[self] = {}
  end

  --- Frees the graph's memory once its work is done. Arrays that it returned keep theirs.
  function Graph:free(...)
    core.at_most("graph.free", 0, ...)
    free(self)
  end

  local FIELDS = { "device", "nodes", "kernels", "bytes", "updated" }
  local figures = {} -- name -> its index among the results of core.graph_figures
  for place, name in ipairs(FIELDS) do figures[name] = place end

  local meta = { __name = "cupola.graph", __call = Graph.replay, __close = free }

  function meta.__index(g, name)
    if Graph[name] then return Graph[name] end
    if not figures[name] then core.unknown("graph", "a graph", tostring(name), Graph, FIELDS) end
    return (select(figures[name], core.graph_figures(part_of(g, "graph." .. name).handle)))
  end

  function meta.__newindex() core.raise("graph", "usage", "has no fields that can be set") end

  function meta.__tostring(g)
    local p = parts[g]
    if not (p and p.handle) then return "freed graph" end
    return string.format("graph of %d kernels on %s", g.kernels, g.device)
  end

  --- Captures the work that f(...) queues on the current device, without running it, as a graph, which `g()`
  --- replays. Arrays created before keep their addresses while the graph lives: to replay with other values,
  --- write into them.
  ---@param f function
  ---@return cupola.Graph
  function cp.cuda.graph(f, ...)
    local g = setmetatable({}, meta)
    parts[g] = capture("cuda.graph", nil, f, ...)
    return g
  end
end
