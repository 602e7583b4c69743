-- Kernels in Lua whose blocks wait for each other: all blocks run at once, on a GPU as a cooperative launch,
-- on the CPU as fibers of one thread, as Lua text as coroutines, with the same results.

local cp = require "cupola"
local check = require "spec.helper.check"
local jit = cp.jit

local WAYS = { compiled = { lua = false }, checked = { check = true }, ["Lua text"] = { lua = true } }

-- Runs test(make, way) for each way of running kernels; make(f) makes a kernel.
local function all_ways(test)
  for way, options in pairs(WAYS) do
    test(function(f) return jit.rawkernel(f, { check = options.check, lua = options.lua or false }) end, way)
  end
end

describe("a kernel in Lua whose blocks wait for each other", function()
  it("sees what other blocks wrote before, in memory of its own", function()
    local function f(x, y, flags)
      local grid, block = jit.cg.this_grid(), jit.cg.this_thread_block()
      local own, more = jit.shared_memory(cp.int32, 1), jit.shared_memory(cp.uint8)
      local i, n = jit.grid(1), #x
      if jit.threadIdx.x == 0 then own[1] = (jit.blockIdx.x + 1) * 1000 end
      more[jit.threadIdx.x + 1] = jit.blockIdx.x
      x[i] = x[i] + 1
      grid:sync()
      y[i] = x[n + 1 - i] + own[1] + more[1]
      jit.cg.sync(grid)
      x[i] = y[n + 1 - i]
      block:sync()
      if grid:is_valid() then flags[1] = 1 end
    end
    all_ways(function(make, way)
      local x, y, flags = cp.arange(96):astype "int32", cp.zeros(96, "int32"), cp.zeros(1, "int32")
      make(f)(3, 32, { x, y, flags }, { shared_mem = 32 })
      local block = cp.floor_divide(cp.arange(96):astype "int32", 32)
      local want = cp.arange(96, 0, -1):astype "int32" + (block + 1) * 1000 + block
      assert.is_true(cp.array_equal(y, want), way)
      assert.is_true(cp.array_equal(x, want["::-1"]), way)
      assert.equal(1, flags[1])
    end)
  end)

  it("sums in one launch, by a loop with a barrier", function()
    local function total(x, n)
      local grid = jit.cg.this_grid()
      local i, step = jit.grid(1), 1
      while step < n do
        local v = 0.0
        local mine = (i - 1) % (2 * step) == 0 and i + step <= n
        if mine then v = x[i] + x[i + step] end
        grid:sync()
        if mine then x[i] = v end
        grid:sync()
        step = step * 2
      end
    end
    all_ways(function(make, way)
      local x = cp.arange(1, 201):astype "float32"
      local k = make(total)
      k(7, { 32 }, { x, 200 })
      assert.equal(20100, x[1], way)
      x = cp.ones(200, "float32")
      k(7, 32, { x, 200 })
      assert.equal(200, x[1], way)
    end)
  end)

  it("works on grids and blocks of several axes, and in graphs", function()
    local function f(x)
      local i, j = jit.grid(2)
      x[{ j, i }] = i
      jit.cg.this_grid():sync()
      local r, c = x.shape[1] + 1 - j, x.shape[2] + 1 - i
      local v = x[{ r, c }]
      jit.cg.this_grid():sync()
      x[{ j, i }] = v * 10 + jit.blockIdx.y
    end
    local k = jit.rawkernel(f)
    local x = cp.zeros({ 4, 6 }, "int32")
    k({ 2, 2 }, { 3, 2 }, { x })
    local want = cp.array({ { 60, 50, 40, 30, 20, 10 }, { 60, 50, 40, 30, 20, 10 }, { 61, 51, 41, 31, 21, 11 },
      { 61, 51, 41, 31, 21, 11 } }, "int32")
    assert.is_true(cp.array_equal(x, want))
    local graph = cp.cuda.graph(function() k({ 2, 2 }, { 3, 2 }, { x }) end)
    for _ = 1, 2 do
      x:fill(0)
      graph:replay()
      assert.is_true(cp.array_equal(x, want))
    end
  end)

  it("is refused where not all of its blocks can run at once", function()
    local k = jit.rawkernel("function(x) cp.jit.cg.this_grid():sync() end", { name = "wide" })
    local x = cp.zeros(1)
    local ok, message = pcall(k, 2 ^ 20, 1024, { x })
    assert.is_false(ok)
    assert.truthy(message:find "at most 16384 threads" or message:find "too many blocks", message)
    check.failure("compile", "kernel: kernel:1:35: the blocks of a grid wait for each other in raw kernels only",
      function() jit.elementwise "function(x) cp.jit.cg.this_grid():sync() return x end" (x) end)
  end)

  it("lets blocks that have ended count as arrived where that is known", function()
    local text = [[function(x)
      if cp.jit.blockIdx.x == 1 then return end
      x[cp.jit.blockIdx.x + 1] = 1
      cp.jit.cg.this_grid():sync()
      x[cp.jit.blockIdx.x + 4] = x[3 - cp.jit.blockIdx.x] + 1
    end]]
    local x = cp.zeros(6)
    jit.rawkernel(text, { lua = true })(3, 4, { x })
    assert.same({ 1, 0, 1, 2, 0, 2 }, x:totable())
  end)
end)
