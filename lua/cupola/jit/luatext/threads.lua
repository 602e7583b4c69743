-- Blocks of threads for kernels as Lua text (expressions.lua). The threads of a block are coroutines that are
-- resumed in turn; one that waits is resumed after the last that arrives has released it, so a turn in which
-- none can run means that they wait for each other for ever. Kernels without barriers need no coroutines.
-- Blocks run one after the other; if they wait for each other, each runs as far as it gets in turn.

return function(cp, core)
  local threads = {}
  local current -- the running thread
  local yield = coroutine.yield

  -- ---- memory ----

  local function out_of_range(name, n)
    return function(_, i)
      error(string.format("position %s of '%s', which has %d element%s", tostring(i), name, n, n == 1 and "" or "s"), 2)
    end
  end

  --- A list that raises an error for positions out of range.
  function threads.guard(list, n, name)
    local refuse = out_of_range(name, n)
    return setmetatable(list, { __index = refuse, __newindex = refuse })
  end

  --- A new list of n zeros.
  function threads.array(n, zero, name)
    local list = {}
    for k = 1, n do list[k] = zero end
    return threads.guard(list, n, name)
  end

  -- ---- the barrier of a block ----

  local function release(b)
    b.voters, b.ayes = b.arrived, b.yes
    b.arrived, b.yes = 0, 0
    for _, t in ipairs(b.threads) do
      if not t.request and not t.at_grid then t.waiting = false end
    end
  end

  -- Threads that have ended count as arrived.
  local function barrier(line, predicate)
    local me, b = current, current.block
    b.arrived, b.yes = b.arrived + 1, b.yes + (predicate and 1 or 0)
    if b.arrived == b.alive then
      release(b)
    else
      me.waiting, me.line = true, line
      yield()
    end
    return b.ayes, b.voters
  end

  -- Waits until the threads of all blocks have arrived here or ended.
  local function wait_for_grid(line)
    local me = current
    barrier(line)
    me.at_grid, me.waiting, me.line = true, true, line
    me.block.at_grid = me.block.at_grid + 1
    yield()
  end

  -- ---- operations of a warp ----

  local POWERS = {}
  for k = 0, 31 do POWERS[k] = 2 ^ k end

  local known = setmetatable({}, { __mode = "v" })

  -- The set of lanes in a mask.
  local function lanes_of(mask)
    local low = mask % 4294967296
    local set = known[low]
    if not set then
      set = {}
      for k = 0, 31 do set[k] = math.floor(low / POWERS[k]) % 2 == 1 end
      known[low] = set
    end
    return set
  end

  local function answer(warp, group, me)
    local r, mask = warp[me].request, 0
    if r.op == "shuffle" then
      local from = r.lane >= 0 and group[r.lane] and warp[r.lane]
      if from then return from.request.value end
      return r.value
    end
    local all = true
    for k = 0, 31 do
      if group[k] then
        local v = warp[k].request.value
        if r.op == "match" and v == r.value or r.op ~= "match" and v then mask = mask + POWERS[k] end
        all = all and v
      end
    end
    if r.op == "all" then return all and true or false end
    return mask
  end

  -- Completes the operation of `leader` if all lanes that take part have arrived.
  local function settle(warp, leader)
    local r, group = leader.request, {}
    for k = 0, 31 do
      local t = warp[k]
      group[k] = t and not t.ended and (r.lanes[k] or k == leader.lane)
      local other = group[k] and t.request
      if group[k] and (not other or other.mask ~= r.mask or other.op ~= r.op) then return end
    end
    for k = 0, 31 do
      if group[k] then warp[k].result = answer(warp, group, k) end
    end
    for k = 0, 31 do
      if group[k] then warp[k].request, warp[k].waiting = nil, false end
    end
  end

  local function exchange(line, op, mask, value, lane)
    local me = current
    mask = mask % 4294967296
    me.request = { op = op, mask = mask, lanes = lanes_of(mask), value = value, lane = lane }
    me.waiting, me.line = true, line
    settle(me.warp, me)
    if me.waiting then yield() end
    return me.result
  end

  -- A mask of lanes as an integer.
  local whole = core.jit_conversion("float64", "int64")

  local function shuffle(from)
    return function(line, mask, value, lane, width)
      local me = current.lane
      return exchange(line, "shuffle", mask, value, from(me, lane, width, me - me % width))
    end
  end

  local xor = core.jit_operation("bitwise_xor", "int32")

  -- ---- what kernels call ----

  local function vote(op, result)
    return function(line, mask, test) return result(exchange(line, op, mask, test)) end
  end

  local line_of_output = ""
  local calls = {
    array = threads.array,
    zero = cp.complex(0, 0),
    syncthreads = function(line) barrier(line) end,
    syncthreads_count = function(line, test) return (barrier(line, test)) end,
    syncthreads_and = function(line, test)
      local ayes, voters = barrier(line, test)
      return ayes == voters
    end,
    syncthreads_or = function(line, test) return barrier(line, test) > 0 end,
    syncgrid = wait_for_grid,
    syncwarp = function(line, mask) exchange(line, "sync", mask) end,
    ballot_sync = vote("ballot", whole),
    any_sync = vote("ballot", function(mask) return mask ~= 0 end),
    all_sync = vote("all", function(all) return all end),
    match_any_sync = function(line, mask, value) return whole(exchange(line, "match", mask, value)) end,
    activemask = function() return whole(POWERS[current.lane]) end,
    shfl_sync = shuffle(function(_, lane, width, first) return first + lane % width end),
    shfl_up_sync = shuffle(function(me, delta, _, first) return me - delta < first and me or me - delta end),
    shfl_down_sync = shuffle(function(me, delta, width, first)
      return me + delta > first + width - 1 and me or me + delta
    end),
    shfl_xor_sync = shuffle(function(me, lanes, width, first)
      local from = xor(me, lanes)
      return from > first + width - 1 and me or from
    end),
    nanosleep = function() yield() end,
  }

  local ticks = 0
  function calls.clock()
    ticks = ticks + 1
    return ticks
  end

  -- print ends a line, so text waits for its end.
  function calls.printf(format, ...)
    local text = line_of_output .. string.format(format, ...)
    line_of_output = string.match(text, "[^\n]*$")
    for line in string.gmatch(text, "([^\n]*)\n") do print(line) end
  end

  --- What the text calls of threads, by name.
  function threads.call(name) return calls[name] end

  -- ---- running a block ----

  local function end_thread(b, t)
    t.ended, b.alive = true, b.alive - 1
    if b.arrived > 0 and b.arrived == b.alive then release(b) end
    for k = 0, 31 do
      local other = t.warp[k]
      if other and other.request then settle(t.warp, other) end
    end
  end

  local function describe_deadlock(b)
    local places, seen = {}, {}
    for _, t in ipairs(b.threads) do
      local what = t.ended and "has left" or string.format("waits at line %d", t.line)
      if not seen[what] then
        seen[what] = true
        places[#places + 1] = string.format("thread (%d, %d, %d) %s", t.x, t.y, t.z, what)
      end
    end
    return "threads of a block wait for each other for ever: " .. table.concat(places, ", ")
  end

  -- Runs the threads of a block until all have ended or wait for the other blocks.
  local function run_threads(b)
    local list = b.threads
    while b.alive > b.at_grid do
      local ran = false
      for k = 1, #list do
        local t = list[k]
        if not t.ended and not t.waiting then
          ran, current = true, t
          local ok, problem = coroutine.resume(t.coroutine)
          if not ok then error(problem, 0) end
          if coroutine.status(t.coroutine) == "dead" then end_thread(b, t) end
        end
      end
      if not ran then error(describe_deadlock(b), 0) end
    end
  end

  local function new_threads(b, x, y, z)
    local warp
    for k = 0, x * y * z - 1 do
      local lane = k % 32
      if lane == 0 then warp = {} end
      local t = { lane = core.jit_value(lane, "int32"), warp = warp, block = b, x = k % x, y = math.floor(k / x) % y,
        z = math.floor(k / x / y) }
      warp[lane] = t
      b.threads[k + 1] = t
    end
  end

  -- Integers of this Lua.
  local function index3(x, y, z)
    return { x = core.jit_value(x, "int32"), y = core.jit_value(y, "int32"), z = core.jit_value(z, "int32") }
  end

  local function new_block(size)
    local b = { threads = {} }
    new_threads(b, size[1], size[2], size[3])
    for _, t in ipairs(b.threads) do t.place = index3(t.x, t.y, t.z) end
    return b
  end

  -- Starts block number k, from 0; threads that never wait run to their ends.
  local function start_block(kernel, b, k, lengths, args, n)
    local x, y = lengths.counts[1], lengths.counts[2]
    b.index = index3(k % x, math.floor(k / x) % y, math.floor(k / x / y))
    b.shared, b.alive, b.arrived, b.yes, b.at_grid = {}, #b.threads, 0, 0, 0
    for j, make in pairs(kernel.shared) do b.shared[j] = make() end
    for _, t in ipairs(b.threads) do
      t.ended, t.waiting, t.at_grid, t.request, t.shared = false, false, nil, nil, b.shared
      if kernel.waits then
        t.coroutine = coroutine.create(function()
          kernel.f(t, t.place, b.index, lengths.block, lengths.grid, unpack(args, 1, n))
        end)
      else
        current = t
        kernel.f(t, t.place, b.index, lengths.block, lengths.grid, unpack(args, 1, n))
      end
    end
  end

  local function release_grid(b)
    b.at_grid = 0
    for _, t in ipairs(b.threads) do
      if t.at_grid then t.at_grid, t.waiting = nil, false end
    end
  end

  -- Runs blocks in turn until all have ended.
  local function take_turns(kernel, blocks)
    local alive
    repeat
      alive = 0
      for _, b in ipairs(blocks) do
        core.check_interrupt(kernel.name)
        run_threads(b)
        alive = alive + b.alive
      end
      for _, b in ipairs(blocks) do release_grid(b) end
    until alive == 0
  end

  local function run_blocks(kernel, grid, size, args, n)
    local blocks, one = {}, new_block(size)
    local lengths = { counts = grid, block = index3(size[1], size[2], size[3]),
      grid = index3(grid[1], grid[2], grid[3]) }
    for k = 0, grid[1] * grid[2] * grid[3] - 1 do
      core.check_interrupt(kernel.name)
      local b = kernel.together and new_block(size) or one
      start_block(kernel, b, k, lengths, args, n)
      if kernel.together then
        blocks[#blocks + 1] = b
      elseif kernel.waits then
        run_threads(b)
      end
    end
    take_turns(kernel, blocks)
  end

  --- Runs a kernel {f, name, waits, together (its blocks wait for each other), shared (functions that make
  --- the arrays of a block)} with n arguments, for a grid and a block of three lengths each.
  function threads.run(kernel, grid, size, args, n)
    local outer = current
    local ok, problem = pcall(run_blocks, kernel, grid, size, args, n)
    current = outer
    if line_of_output ~= "" then print(line_of_output) end
    line_of_output = ""
    if not ok then error(problem, 0) end
  end

  return threads
end
