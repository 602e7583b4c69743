-- Checked kernels, compiled: positions out of range are reported with line, array and position (at the call
-- on the CPU, by the next wait on a GPU), read 0 and are not stored; memory begins with zeros; barriers that
-- only some threads reach are refused.

local cp = require "cupola"
local jit = cp.jit

local function checked(text, name) return jit.rawkernel(text, { check = true, name = name }) end

-- Calls f, whose kernels must report this.
local function reports(want, f)
  local ok, message = pcall(function()
    f()
    cp.synchronize()
  end)
  assert.is_false(ok)
  assert.equal("index", cp.last_error().kind)
  assert.truthy(tostring(message):find(want, 1, true), message)
end

describe("a checked kernel", function()
  it("reports a position out of range, reads 0, drops the store and goes on", function()
    local k = checked("function(x, y, i)\n  y[1] = x[i] + 7\n  x[i] = 5\n  y[2] = 1\nend", "reach")
    local x, y = cp.ones(3), cp.zeros(2)
    k(1, 1, { x, y, 3 })
    assert.same({ 1, 1, 5 }, x:totable())
    assert.same({ 8, 1 }, y:totable())
    for _, i in ipairs { 4, 0, -1, 2 ^ 40 } do
      y:fill(0)
      reports(("reach: reach:2: position %d of 'x', which has 3 elements"):format(i),
        function() k(1, 1, { x, y, i }) end)
      assert.same({ 7, 1 }, y:totable())
      assert.same({ 1, 1, 5 }, x:totable())
    end
    k(1, 1, { x, y, 1 }) -- and works again
    assert.same({ 8, 1 }, y:totable())
  end)

  it("checks each axis, strided views, atomics, shared and local arrays", function()
    local m, y = cp.arange(6):reshape(2, 3), cp.zeros(4)
    local k = checked("function(m, y, i, j) y[1] = m[{ i, j }] end", "pick")
    k(1, 1, { m, y, 2, 3 })
    assert.equal(5, y[1])
    reports("pick: pick:1: position 4 of 'm', which has 3 elements along axis 2",
      function() k(1, 1, { m, y, 1, 4 }) end)
    k(1, 1, { m.T["::-1"], y, 1, 2 })
    assert.equal(5, y[1])
    reports("pick: pick:1: position 3 of 'm', which has 2 elements along axis 2",
      function() k(1, 1, { m.T["::-1"], y, 1, 3 }) end)
    local count = checked("function(x, i) cp.jit.atomic_add(x, i, 1) end", "count")
    local n = cp.zeros(2, "int32")
    reports("count: count:1: position 3 of 'x'", function() count(1, 3, { n, 3 }) end)
    assert.same({ 0, 0 }, n:totable())
    local own = checked([[function(y, i, j)
      local s, t = cp.jit.shared_memory("float32", 4), cp.jit.local_array("int32", { 2, 2 })
      y[1] = s[i] + t[{ 1, j }]
    end]], "own")
    own(1, 32, { y, 4, 2 })
    assert.equal(0, y[1])
    reports("own: own:3: position 5 of 'shared memory', which has 4 elements",
      function() own(1, 32, { y, 5, 1 }) end)
    reports("own: own:3: position 3 of 'local memory', which has 2 elements along axis 2",
      function() own(1, 32, { y, 1, 3 }) end)
    local dynamic = checked([[function(y, i)
      local s = cp.jit.shared_memory "int32"
      y[1] = s[i] + #s
    end]], "dynamic")
    dynamic(1, 32, { y, 16 }, { shared_mem = 64 })
    assert.equal(16, y[1])
    reports("dynamic: dynamic:3: position 17 of 'dynamic memory', which has 16 elements",
      function() dynamic(1, 32, { y, 17 }, { shared_mem = 64 }) end)
  end)

  it("reports in graphs, at each replay", function()
    local k = checked("function(x, y)\n  local i = cp.jit.grid()\n  y[i] = x[i + 1] + 1\nend", "shift")
    local x, y = cp.arange(8), cp.zeros(7)
    k(1, 7, { x, y })
    local graph = cp.cuda.graph(function()
      k(1, 7, { x, y })
      y:assign(y * 2)
    end)
    graph:replay()
    assert.same({ 4, 6, 8, 10, 12, 14, 16 }, y:totable())
    local long = cp.cuda.graph(function()
      k(1, 8, { x, cp.zeros(8) })
      k(1, 7, { x, y })
    end)
    for _ = 1, 2 do
      y:fill(0)
      reports("shift: shift:3: position 9 of 'x', which has 8 elements", function() long:replay() end)
      if cp.device().kind == "cuda" then assert.equal(8, y[7]) end -- the rest of the graph ran
    end
    graph:replay()
    assert.equal(16, y[7])
  end)

  it("reports the first of many launches without waiting between them", function()
    local k = checked("function(x, i) x[i] = x[i] + 1 end", "at")
    local x = cp.zeros(4)
    for _ = 1, 300 do k(1, 1, { x, 2 }) end
    assert.equal(300, x[2])
    reports("at: at:1: position 7 of 'x'", function()
      k(1, 1, { x, 7 })
      k(1, 1, { x, 8 })
    end)
    assert.equal(300, x[2])
  end)

  it("gives the bits of the unchecked kernel", function()
    for _, entry in ipairs(dofile "bench/families/jit_kernels.lua") do
      if entry.name:find "scan" or entry.name:find "Conway" or entry.name:find "LBM" then
        local size = entry.sizes[1]
        local args, written, grid, block = entry.make(size)
        local other = {}
        for k, v in ipairs(args) do other[k] = cp.is_array(v) and v:copy() or v end
        jit.rawkernel(entry.f)(grid, block, args)
        jit.rawkernel(entry.f, { check = true })(grid, block, other)
        for _, k in ipairs(written) do assert.is_true(cp.array_equal(args[k], other[k]), entry.name) end
      end
    end
  end)

  it("refuses barriers that only some threads may reach", function()
    local x = cp.zeros(4)
    for _, text in ipairs {
      "function(x) if cp.jit.threadIdx.x < 3 then cp.jit.syncthreads() end end",
      "function(x) for i = 1, cp.jit.threadIdx.x do cp.jit.syncthreads() end end",
      "function(x) local n = 0 if x[cp.jit.grid()] > 1 then n = 5 end while n > 0 do cp.jit.syncthreads() end end",
      "function(x) for i = 1, 4 do if i == cp.jit.laneid() then break end cp.jit.syncthreads() end end",
      "function(x) local function f(a) if a then cp.jit.syncthreads() end end f(cp.jit.threadIdx.x == 0) end",
      "function(x) local b = cp.jit.threadIdx.x == 0 and cp.jit.syncthreads_or(true) x[1] = b and 1 or 0 end",
    } do
      local ok, message = pcall(function() checked(text)(1, 4, { x }) end)
      assert.is_false(ok)
      assert.truthy(message:find "kernel:1:%d+: only some threads of a block may reach this barrier", message)
    end
    for _, text in ipairs {
      "function(x) if cp.jit.blockIdx.x == 0 then cp.jit.cg.this_grid():sync() end end",
      "function(x) if cp.jit.threadIdx.x > 3 then return end cp.jit.cg.this_grid():sync() end",
      "function(x) while cp.jit.syncthreads_or(x[1] > 0) do cp.jit.cg.this_grid():sync() end end",
    } do
      local ok, message = pcall(function() checked(text)(1, 4, { x }) end)
      assert.is_false(ok)
      assert.truthy(message:find "kernel:1:%d+: only some threads of a grid may reach this barrier", message)
    end
    checked [[function(x, n)
      local s = cp.jit.shared_memory("float64", 4)
      local t = cp.jit.threadIdx.x + 1
      if t > 4 then return end
      for k = 1, n do
        if cp.jit.blockIdx.x == 0 then cp.jit.syncthreads() end
        s[t] = s[t] + k
        if cp.jit.syncthreads_or(k == 100) then break end
      end
      x[t] = s[5 - t]
    end]](1, 4, { x, 3 })
    assert.same({ 6, 6, 6, 6 }, x:totable())
  end)
end)
