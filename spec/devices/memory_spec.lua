-- Memory: x:free(), figures and limit, out of memory, how many kernels and allocations operations take, and
-- that the memory of loops stays bounded under every garbage collector.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure = check.failure
local MB = 1048576

describe("x:free()", function()
  it("frees the memory at once", function()
    collectgarbage()
    cp.collect() -- so that no garbage of other specs is freed in between
    local before = cp.memory().live
    local x = cp.empty({ 1000, 1000 })
    assert.is_true(cp.memory().live >= before + 8e6)
    x:free()
    assert.is_true(cp.memory().live <= before)
  end)

  it("of a pending value frees what only that value keeps", function()
    local x = cp.ones({ 1000, 1000 }):eval()
    local before = cp.memory().state_live
    local y = x + 1
    x:free()
    if check.lazy then assert.equal(before, cp.memory().state_live) end
    y:free()
    assert.is_true(cp.memory().state_live <= before - 8e6)
    failure("usage", "sum: the array's memory was freed", function() y:sum() end)
    failure("usage", "eval: the array's memory was freed", function() y:eval() y:sum() end)
  end)

  it("can be repeated, and ends every use", function()
    local x = cp.array({ { 1, 2 }, { 3, 4 } })
    local view, transposed = x[1], x.T
    x:free()
    x:free()
    local fact = ": the array's memory was freed"
    failure("usage", "add" .. fact, function() local _ = x + 1 end)
    failure("usage", "sum" .. fact, function() x:sum() end)
    failure("usage", "index" .. fact, function() local _ = x[1] end)
    failure("usage", "index" .. fact, function() x[1] = 0 end)
    failure("usage", "fill" .. fact, function() x:fill(0) end)
    failure("usage", "sum" .. fact, function() view:sum() end)
    failure("usage", "multiply" .. fact, function() local _ = 2 * transposed end)
    failure("usage", "add_" .. fact, function() view:add_(1) end)
    failure("usage", "add" .. fact, function() cp.add(1, cp.array(2), x) end)
    failure("usage", "totable" .. fact, function() x:totable() end)
    failure("usage", "index" .. fact, function() local _ = x(1, 2) end)
    assert.same({ 2, 2 }, x.shape)
    assert.equal("float64", x.dtype)
    failure("usage", "tostring" .. fact, function() local _ = tostring(x) end)
  end)

  it("needs an array", function()
    failure("usage", "free: x must be an array, not number", function() cp.array({ 1 }).free(3) end)
  end)

  if _VERSION ~= "Lua 5.1" and _VERSION ~= "Lua 5.3" then
    it("runs at the end of a <close> variable", function()
      local run = load [[local cp = ...; local kept; do local x <close> = cp.ones({2}); kept = x end; return kept]]
      local x = run(cp)
      failure("usage", "sum: the array's memory was freed", function() x:sum() end)
    end)
  end

  it("is safe through the metatable's own finalizer", function()
    local meta = debug.getmetatable(cp.ones({ 1 }))
    local x = cp.ones({ 2 })
    meta.__gc(x)
    meta.__gc(x)
    failure("usage", "sum: the array's memory was freed", function() x:sum() end)
  end)
end)

describe("cp.memory()", function()
  it("gives figures", function()
    local m = cp.memory()
    for _, name in ipairs { "live", "cached", "limit", "device_allocations", "free", "total", "state_live" } do
      assert.is_number(m[name], name)
    end
    assert.equal(cp.device().name, m.device)
    assert.is_true(m.total >= m.free and m.free > 0)
    assert.equal("cpu", cp.memory({ device = "cpu" }).device)
  end)

  it("counts this state's bytes", function()
    collectgarbage()
    collectgarbage()
    local before = cp.memory().state_live
    local x = cp.empty({ 1024, 128 })
    assert.equal(before + MB, cp.memory().state_live)
    x:free()
    assert.equal(before, cp.memory().state_live)
  end)

  it("refuses unknown names and wrong limits", function()
    failure("usage", "memory: no option 'limt' (did you mean 'limit'?); the options are limit, auto, device",
      function() cp.memory({ limt = 1 }) end)
    failure("usage", "memory: limit must be a number of bytes or a share", function() cp.memory({ limit = "x" }) end)
    failure("usage", "memory: limit must be a number of bytes or a share", function() cp.memory({ limit = "120%" }) end)
    failure("usage", "memory: limit must be a number of bytes or a share", function() cp.memory({ limit = "nan%" }) end)
    failure("usage", "memory: limit must not be negative; 0 means none", function() cp.memory({ limit = -1 }) end)
    failure("usage", "memory: auto must be true or false, not number", function() cp.memory({ auto = 1 }) end)
  end)
end)

describe("cp.collect()", function()
  it("frees garbage and cached blocks", function()
    local x = cp.empty({ MB }) -- luacheck: ignore
    x = nil -- luacheck: ignore
    collectgarbage()
    assert.is_true(cp.memory().cached >= 8 * MB)
    cp.collect()
    cp.collect()
    assert.is_true(cp.memory().cached < 8 * MB)
  end)
end)

describe("a limit", function()
  local before

  before_each(function()
    cp.collect()
    before = cp.memory().limit
  end)

  after_each(function() cp.memory({ limit = before }) end)

  it("ends in an error that gives requested, live, cached and limit", function()
    local held = cp.memory().live
    cp.memory({ limit = held + 16 * MB })
    assert.equal(held + 16 * MB, cp.memory().limit)
    local x = cp.zeros({ MB }):eval() -- 8 MB
    local ok, message = pcall(function() local _ = cp.empty({ 2 * MB }) end)
    assert.is_false(ok)
    assert.matches("^[%w_/.]*memory_spec%.lua:%d+: cupola%.empty: out of memory on [%w:]+: ", message)
    assert.matches("requested 16 MB %(16777216 bytes%), ",
      message)
    assert.matches("live [%d.]+ MB %(%d+ bytes%), cached %d[%w%s%.()]*, limit [%d.]+ MB %(%d+ bytes%)$", message)
    assert.equal("memory", cp.last_error().kind)
    assert.equal(0, x:sum():item())
    x:free()
    assert.equal(0, cp.zeros({ MB }):sum():item())
  end)

  it("is checked when a pending value needs memory, and the value stays pending", function()
    if not check.lazy then return end
    local z = cp.arange(2 * MB) * 2 + 1 -- 16 MB
    cp.memory({ limit = cp.memory().live + 8 * MB })
    local ok, message = pcall(function() z:eval() end)
    assert.is_false(ok)
    assert.matches("^[%w_/.]*memory_spec%.lua:%d+: cupola%.eval: out of memory on [%w:]+: requested 16 MB ", message)
    assert.matches(", while computing [%w, ]*multiply, add$", message)
    assert.equal("memory", cp.last_error().kind)
    assert.equal((2 * MB - 1) * 2 + 1, z:max():item()) -- needs no memory of that size
    cp.memory({ limit = before })
    assert.equal((2 * MB - 1) * 2 + 1, z[-1])
    assert.equal(3, z[2])
  end)

  it("collects garbage before it fails", function()
    cp.memory({ limit = cp.memory().live + 16 * MB })
    for _ = 1, 20 do
      local x = cp.zeros({ MB }) -- two of them fit
      x:fill(1)
    end
    assert.equal(MB, cp.ones({ MB }):sum():item())
  end)

  it("may be a share of the device's memory", function()
    cp.memory({ limit = "50%" })
    local m = cp.memory()
    assert.is_true(math.abs(m.limit - m.total / 2) < 2)
    cp.memory({ limit = 0 })
    assert.equal(0, cp.memory().limit)
  end)
end)

describe("an allocation larger than memory", function()
  it("is an error, after which everything else works", function()
    local function where(name) return (check.lazy and "eval" or name) .. ": out of memory on " end
    failure("memory", where "zeros", function() cp.zeros({ 2 ^ 45 }):eval() end)
    failure("memory", "empty: out of memory on ", function() cp.empty({ 2 ^ 20, 2 ^ 20, 16 }) end)
    local x, y, z = cp.zeros({ 2 ^ 16, 1, 1 }, "bool"), cp.zeros({ 2 ^ 16, 1 }), cp.zeros({ 2 ^ 16 })
    failure("memory", where "where", function() cp.where(x, y, z):eval() end)
    assert.equal(3, (y + 3):max():item())
  end)

  it("does not fail again if nothing needs the value", function()
    pcall(function()
      local x = cp.zeros({ 2 ^ 45 })
      for k = 1, 8 do x = x + k end
      x:eval()
    end)
    cp.synchronize()
  end)

  it("that overflows is named by its shape", function()
    failure("shape", "zeros: shape (1099511627776, 1099511627776) is too big",
      function() cp.zeros({ 2 ^ 40, 2 ^ 40 }) end)
    failure("shape", "ones: shape (9223372036854774784) is too big", function() cp.ones({ 2 ^ 63 - 1024 }) end)
  end)
end)

describe("the cost of", function()
  local a, b

  before_each(function()
    a, b = cp.eval(cp.ones({ 1000 }), cp.ones({ 1000 }))
    local _ = (a + b):eval()
    a:add_(b)
  end)

  -- What f launches and allocates; nothing waits for the device.
  local function costs(launches, allocations, f)
    local c = check.counted(f)
    assert.equal(launches, c.launches)
    assert.equal(allocations, c.allocations)
    assert.equal(0, c.synchronizations)
  end

  -- An operator costs nothing by itself, where it is lazy, and its value this.
  local function value_costs(launches, allocations, f)
    local x
    if check.lazy then costs(0, 0, function() x = f() end) end
    costs(launches, allocations, function() (check.lazy and x or f()):eval() end)
    costs(0, 0, function() if x then x:eval() end end)
  end

  it("a + b is one kernel and one allocation", function() value_costs(1, 1, function() return a + b, nil end) end)

  it("a:add_(b) is one kernel and no allocation", function() costs(1, 0, function() a:add_(b) end) end)

  it("cp.add(a, b, out) is one kernel and no allocation", function() costs(1, 0, function() cp.add(a, b, a) end) end)

  it("views is nothing", function() costs(0, 0, function() return a["2:"].T:reshape(9, 111)[3], nil end) end)

  it("comparing by value is one kernel", function()
    local u = cp.ones({ 100 }, "uint8"):eval()
    value_costs(1, 1, function() return u:lt(300), u end)
    value_costs(1, 1, function() return u:gt(2.5), u end)
  end)

  it("a cast is one kernel", function() value_costs(1, 1, function() return a:astype("float32"), a end) end)

  it("a chain is one kernel and one allocation where it is lazy", function()
    if not check.lazy then return end
    value_costs(1, 1, function() return (a - b) ^ 2 * 3 + a:lt(b), nil end)
  end)
end)

describe("steady loops", function()
  it("allocate from the cache", function()
    local x, y = cp.ones({ 1000 }), cp.ones({ 1000 })
    local function run(n)
      for _ = 1, n do
        local z = (x + y):eval()
        z:free()
      end
    end
    run(10)
    local c = check.counted(run, 200)
    assert.equal(0, c.device_allocations)
    assert.equal(200, c.allocations)
    assert.equal(200, c.launches)
  end)

  -- The most bytes that the pool holds during x = x + 1 on 4 MB arrays.
  local loop = [[
    local rounds, start = ...
    local x, peak = cp.zeros({ 524288 }), 0
    for i = 1, rounds do
      x = x + 1
      if i % 20 == 0 then
        local m = cp.memory()
        peak = math.max(peak, m.live + m.cached - start)
      end
    end
    assert(x[1] == rounds and x[-1] == rounds)
    return peak]]

  local function peak_of_loop(rounds)
    collectgarbage()
    collectgarbage()
    cp.collect()
    local compile = rawget(_G, "loadstring") or load
    return compile("local cp = require 'cupola'\n" .. loop)(rounds, cp.memory().live)
  end

  -- In a process of its own: the budget grows with the time that a collection takes, and the specs' heap is
  -- large.
  for _, collector in ipairs(_VERSION == "Lua 5.1" and { "restart" } or { "incremental", "generational" }) do
    it("keep memory bounded, collector " .. collector, function()
      local text = "collectgarbage '%s'; local cp = require 'cupola'; cp.memory { limit = 2 ^ 30 }"
        .. "; local function loop(...) %s end print(loop(%d, 0))"
      local shown, status = check.run(text:format(collector, loop, check.mode == "gc" and 200 or 2000))
      assert.equal(0, status, shown)
      -- The budget ends at a quarter of the limit; the loop allocates 8 GB in all.
      assert.is_true(tonumber(shown) < 400 * MB, shown)
    end)
  end

  -- Asserts that what the program prints, in a process of its own, is at most that, under each collector.
  -- Where other processes take the processor away just while it collects, it may be more: the least of three
  -- runs counts.
  local function bounded(what, text, most)
    for _, collector in ipairs(_VERSION == "Lua 5.1" and { "restart" } or { "incremental", "generational" }) do
      it(what .. ", collector " .. collector, function()
        if check.mode == "gc" then return end
        local program = ("collectgarbage '%s'; local cp = require 'cupola'; %s"):format(collector, text)
        local shown, status
        for _ = 1, 3 do
          shown, status = check.run(program)
          assert.equal(0, status, shown)
          if tonumber(shown) <= most then return end
        end
        error(("%s, more than %d"):format(shown, most))
      end)
    end
  end

  -- 100 results of 2 MB. A round takes four milliseconds, so that a collection, of the module's own functions
  -- above all, is cheap.
  bounded("settle at a few large blocks", [[
    local x, y = cp.eval(cp.ones({ 2 ^ 18 }), cp.ones({ 2 ^ 18 }))
    local before, z = cp.memory().device_allocations
    for _ = 1, 100 do
      local start = cp.clock()
      z = (x + y):eval()
      repeat until cp.clock() > start + 4e-3
    end
    assert(z[-1] == 2)
    print(cp.memory().device_allocations - before)]], 20)

  -- As often as the logarithm of their number.
  bounded("that keep what they make collect ever more seldom", [[
    local kept, before = {}, cp.profiler.counters().collections
    for k = 1, 256 do kept[k] = cp.empty({ 2 ^ 18 }) end
    print(cp.profiler.counters().collections - before)]], 12)

  it("run under a small limit", function()
    cp.collect()
    local before = cp.memory().limit
    cp.memory({ limit = cp.memory().live + 32 * MB })
    local ok, peak = pcall(peak_of_loop, 200)
    cp.memory({ limit = before })
    assert.is_true(ok, peak)
    assert.is_true(peak <= 32 * MB)
  end)

  it("collect as the counters say", function()
    if check.mode then return end
    local c = check.counted(peak_of_loop, 200)
    assert.is_true(c.collections >= 1)
    assert.is_true(c.collections < 200)
  end)

  it("can do without collections", function()
    cp.memory({ auto = false })
    local c = check.counted(function()
      local x = cp.zeros({ MB })
      for _ = 1, 20 do x = x + 1 end
    end)
    cp.memory({ auto = true })
    if check.mode ~= "limit" then assert.equal(0, c.collections) end
  end)
end)

describe("garbage", function()
  -- Makes garbage that calls f when it is collected, in every Lua.
  local function leave_garbage(f)
    local newproxy = rawget(_G, "newproxy")
    if newproxy then
      getmetatable(newproxy(true)).__gc = f
    else
      setmetatable({}, { __gc = f })
    end
  end

  it("may make arrays in its finalizers", function()
    local sum
    leave_garbage(function() sum = cp.ones({ 1000 }):sum() end)
    local x = cp.zeros({ 100 })
    for _ = 1, 50 do x = x + 1 end
    collectgarbage()
    collectgarbage()
    assert.equal(1000, sum:item())
    assert.equal(50, x[1])
  end)

  it("may use arrays that are garbage too", function()
    local seen
    do
      local x = cp.full({ 1000 }, 2)
      leave_garbage(function() seen = pcall(function() return (x:sum()) end) end)
    end
    collectgarbage()
    collectgarbage()
    assert.is_boolean(seen)
    assert.equal(3, cp.ones({ 3 }):sum():item())
  end)

  it("may raise in its finalizers without harm", function()
    leave_garbage(function() error "from a finalizer" end)
    cp.collect()
    cp.collect()
    assert.equal(3, cp.ones({ 3 }):sum():item())
  end)
end)
