-- cp.jit.rawkernel: launches, arguments, and the built-in functions of threads. CuPy's documented programs of
-- cupyx.jit are among them. Expected values are closed forms.

local cp = require "cupola"
local check = require "spec.helper.check"
local jit = cp.jit

describe("jit.rawkernel", function()
  it("runs CuPy's elementwise_copy in both forms of a call", function()
    local elementwise_copy = jit.rawkernel(function(x, y, size)
      local tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x + 1
      local ntid = jit.gridDim.x * jit.blockDim.x
      for i = tid, size, ntid do y[i] = x[i] end
    end)
    local size = 2 ^ 12
    local x, y = cp.random.default_rng(1):random(size):astype "float32", cp.zeros(size, "float32")
    elementwise_copy({ 4 }, { 128 }, { x, y, size })
    assert.is_true(x == y)
    y:fill(0)
    elementwise_copy[{ 4, 128 }](x, y, size)
    assert.is_true(x == y)
  end)

  it("gives places in grids and blocks of three dimensions", function()
    local out = cp.zeros({ 2 * 3, 2 * 2, 2 * 2 }, "int32")
    jit.rawkernel(function(places)
      local x, y, z = jit.grid(3)
      local nx, ny, nz = jit.gridsize(3)
      local group = jit.cg.this_thread_block()
      places[{ x, y, z }] = group:thread_rank() + 100 * jit.blockIdx.x + 1000 * jit.blockIdx.y + 10000 * jit.blockIdx.z
        + (nx * ny * nz - 96) * 100000 + (jit.blockDim.z - 2) * 1000000 + (jit.gridDim.y - 2) * 1000000
      jit.cg.sync(group)
    end)({ 2, 2, 2 }, { 3, 2, 2 }, { out })
    for x = 1, 6 do
      for y = 1, 4 do
        for z = 1, 4 do
          local bx, by, bz = math.floor((x - 1) / 3), math.floor((y - 1) / 2), math.floor((z - 1) / 2)
          local tx, ty, tz = (x - 1) % 3, (y - 1) % 2, (z - 1) % 2
          assert.equal((tz * 2 + ty) * 3 + tx + 100 * bx + 1000 * by + 10000 * bz, out[{ x, y, z }])
        end
      end
    end
  end)

  it("has groups: the block and the grid", function()
    local out, sizes = cp.zeros({ 4, 6, 3 }, "int32"), cp.zeros(8, "int32")
    local function f(ranks, sizes) -- luacheck: ignore
      local block, grid = jit.cg.this_thread_block(), jit.cg.this_grid()
      local b, t = grid:block_rank() + 1, block:thread_rank() + 1
      ranks[{ b, t, 1 }] = grid:thread_rank()
      ranks[{ b, t, 2 }] = grid:block_index().x + 10 * grid:block_index().y
      ranks[{ b, t, 3 }] = block:thread_index().x + 10 * block:thread_index().y
      jit.cg.sync(block)
      if grid:thread_rank() == 0 then
        sizes[1], sizes[2], sizes[3] = grid:num_threads(), grid:num_blocks(), block:num_threads()
        sizes[4], sizes[5], sizes[6] = block:dim_threads().x, grid:dim_blocks().y, block:group_index().x
        sizes[7] = grid:is_valid() and 1 or 0
        block:sync()
      end
    end
    for _, lua in ipairs { false, true } do
      jit.rawkernel(f, { lua = lua })({ 2, 2 }, { 3, 2 }, { out, sizes })
      assert.same({ 24, 4, 6, 3, 2, 0, 0, 0 }, sizes:totable())
      for b = 0, 3 do
        for t = 0, 5 do
          assert.same({ 6 * b + t, b % 2 + 10 * math.floor(b / 2), t % 3 + 10 * math.floor(t / 3) },
            out[{ b + 1, t + 1 }]:totable())
        end
      end
      out:fill(0)
      sizes:fill(0)
    end
  end)

  it("has ten atomics, which return the old value", function()
    local text = [[function(i, u, f, old)
      local t = cp.jit.threadIdx.x
      cp.jit.atomic_add(i, 1, t) cp.jit.atomic_sub(i, 2, t) cp.jit.atomic_min(i, 3, -t) cp.jit.atomic_max(i, 4, t)
      cp.jit.atomic_and(i, 5, t) cp.jit.atomic_or(i, 6, t) cp.jit.atomic_xor(i, 7, t)
      cp.jit.atomic_inc(u, 1, 9) cp.jit.atomic_dec(u, 2, 9)
      cp.jit.atomic_add(f, 1, 0.5) cp.jit.atomic_min(f, 2, -t) cp.jit.atomic_max(f, 3, t + 0.25)
      if t == 0 then old[1] = cp.jit.atomic_exch(i, 8, 5) end
      if t == 1 then old[2] = cp.jit.atomic_cas(i, 9, 3, 4) old[3] = cp.jit.atomic_cas(i, 10, 3, 4) end
    end]]
    for _, dtype in ipairs { "int32", "int64" } do
      local i, u = cp.array({ 0, 0, 0, 0, -1, 0, 0, 7, 3, 2 }, dtype), cp.array({ 0, 4 }, "uint32")
      for _, real in ipairs { "float32", "float64" } do
        local x, f, old = i:copy(), cp.zeros(3, real), cp.zeros(3, dtype)
        local v = u:copy()
        jit.rawkernel(text)(1, 64, { x, v, f, old })
        assert.same({ 2016, -2016, -63, 63, 0, 63, 0, 5, 4, 2 }, x:totable())
        assert.same({ 4, 0 }, v:totable())
        assert.same({ 32, -63, 63.25 }, f:totable())
        assert.same({ 7, 3, 2 }, old:totable())
      end
    end
  end)

  it("shuffles and votes in warps", function()
    local out = cp.zeros({ 10, 64 }, "int64")
    local f = cp.zeros(64)
    jit.rawkernel [[function(out, f)
      local t, lane, all = cp.jit.threadIdx.x + 1, cp.jit.laneid(), 0xffffffff
      out[{ 1, t }] = cp.jit.shfl_sync(all, lane * 2, 5)
      out[{ 2, t }] = cp.jit.shfl_up_sync(all, lane, 3)
      out[{ 3, t }] = cp.jit.shfl_down_sync(all, lane, 3)
      out[{ 4, t }] = cp.jit.shfl_xor_sync(all, t, 1)
      out[{ 5, t }] = cp.jit.shfl_sync(all, lane, 1, 8)
      out[{ 6, t }] = cp.jit.ballot_sync(all, lane < 3)
      out[{ 7, t }] = cp.jit.all_sync(all, lane >= 0) and (cp.jit.any_sync(all, lane == 40) and 1 or 2) or 3
      out[{ 8, t }] = cp.jit.syncthreads_count(t > 60)
      out[{ 9, t }] = (cp.jit.syncthreads_or(t == 64) and not cp.jit.syncthreads_and(t == 64)) and 1 or 0
      out[{ 10, t }] = cp.jit.match_any_sync(all, lane // 16)
      f[t] = cp.jit.shfl_down_sync(all, t + 0.5, 1)
      cp.jit.syncwarp()
    end]](1, 64, { out, f })
    local got = out:totable()
    for t = 1, 64 do
      local lane = (t - 1) % 32
      assert.equal(10, got[1][t])
      assert.equal(lane < 3 and lane or lane - 3, got[2][t])
      assert.equal(lane > 28 and lane or lane + 3, got[3][t])
      assert.equal(t % 2 == 1 and t + 1 or t - 1, got[4][t])
      assert.equal(lane - lane % 8 + 1, got[5][t])
      assert.same({ 7, 2, 4, 1 }, { got[6][t], got[7][t], got[8][t], got[9][t] })
      assert.equal(lane < 16 and 65535 or 4294901760, got[10][t])
      assert.equal(lane < 31 and t + 1.5 or t + 0.5, f[t])
    end
  end)

  it("has shared memory of fixed and of dynamic size, and local arrays", function()
    local x = cp.arange(256):astype "int32"
    local out, sum = cp.zeros(256, "int32"), cp.zeros(256)
    jit.rawkernel(function(from, to, totals)
      local own, all = jit.local_array(cp.float64, { 2, 3 }), jit.shared_memory(cp.int32)
      local t = jit.threadIdx.x + 1
      all[t] = from[t]
      for i = 1, 2 do
        for j in jit.range(1, 3, { unroll = 3 }) do own[{ i, j }] = i * 10 + j + t end
      end
      jit.syncthreads()
      to[t] = all[257 - t]
      totals[t] = own[{ 1, 1 }] + own[{ 2, 3 }] + #own
    end)(1, 256, { x, out, sum }, { shared_mem = 1024 })
    assert.is_true(out == x["::-1"])
    assert.is_true(sum == cp.arange(256) * 2 + 38)
  end)

  it("draws numbers that depend on the arguments alone", function()
    local text = [[function(x, f, g, seed)
      local i = cp.jit.grid(1)
      x[i], f[i] = cp.jit.random(i, seed), cp.jit.random(cp.float32, i, seed)
      g[i] = cp.jit.random_normal(i, seed, 2)
    end]]
    local function draw(seed)
      local x, f, g = cp.zeros(4096), cp.zeros(4096, "float32"), cp.zeros(4096)
      jit.rawkernel(text)(32, 128, { x, f, g, seed })
      return x, f, g
    end
    local x, f, g = draw(7)
    assert.is_true(x == draw(7))
    assert.is_false(x == draw(8))
    for _, u in ipairs { x, f } do
      assert.is_true(u:min():item() >= 0 and u:max():item() < 1)
      assert.is_true(math.abs(u:mean():item() - 0.5) < 0.02)
    end
    assert.is_true(math.abs(g:mean():item()) < 0.06 and math.abs(g:std():item() - 1) < 0.05)
  end)

  it("keeps pending readers of what it writes, and lets others read on", function()
    local k = jit.rawkernel "function(x, y) local i = cp.jit.grid(1) y[i] = x[i] * 2 end"
    local x, y = cp.arange(8), cp.ones(8)
    local before, reads = y + 1, x + 1
    k(1, 8, { x, y })
    assert.is_true(before == cp.full(8, 2))
    assert.is_true(reads == cp.arange(8) + 1)
    assert.is_true(y == cp.arange(8) * 2)
    k(1, 4, { x["::2"], x["::2"] }) -- a strided view
    assert.same({ 0, 1, 4, 3, 8, 5, 12, 7 }, x:totable())
  end)

  it("names the argument that is wrong", function()
    local k = jit.rawkernel("function(x, n) x[1] = n end", "store")
    local x = cp.zeros(2)
    check.failure("usage", "store: takes 2 arguments, 1 was given", function() k(1, 1, { x }) end)
    check.failure("usage", "store: takes 2 arguments, 3 were given", function() k(1, 1, { x, 1, 2 }) end)
    check.failure("usage", "store: argument 2 (n) must be an array, number or boolean, not string",
      function() k(1, 1, { x, "a" }) end)
    check.failure("usage", "store: args must be a table of arguments, not an array", function() k(1, 1, x) end)
    check.failure("usage", "store: a kernel has no field or method 'sorce'", function() return k.sorce end)
    check.failure("usage", "jit.rawkernel: f must be a function or its text, not number",
      function() jit.rawkernel(3) end)
    check.failure("usage", "jit.rawkernel: name must be an identifier", function() jit.rawkernel("x", "a b") end)
    check.failure("usage", "jit.rawkernel: options are given by their names",
      function() jit.rawkernel("function(x) end", { "a" }) end)
    assert.equal("kernel", jit.rawkernel("function(x) end", {}).name) -- no options
    check.failure("usage", "jit.grid: this works in kernels only", function() jit.grid(1) end)
    check.failure("dtype", "jit.rawkernel: signature: 'float31[]' is not a type",
      function() jit.rawkernel("function(x) end", { signature = "float31[]" }) end)
    check.failure("usage", "jit.rawkernel: signature must name the type of each of the 1 parameter",
      function() jit.rawkernel("function(x) end", { signature = "float32[], int32" }) end)
    check.failure("dtype", "kernel: argument 1 (x) is float64 with 2 axes, but the signature says float64 with 1 axis",
      function() jit.rawkernel("function(x) end", { signature = "float64[]" })(1, 1, { cp.zeros { 1, 2 } }) end)
    assert.equal(0, k.variants)
    k(1, 1, { x, 3 })
    assert.equal(3, x[1])
    assert.truthy(k.source:find "__global__ void store%(double %*x, int n%)")
  end)

  it("takes another variant wherever a call differs from the one before", function()
    local scale = 2
    local k = jit.rawkernel(function(x, a)
      for i = 1, #x do x[i] = a * scale end
    end)
    local square = cp.zeros({ 4, 4 })
    local row, column, int = cp.zeros(4), square[{ {}, 2 }], cp.zeros(4, "int32")
    local function expect(x, a, want)
      k(1, 1, { x, a })
      assert.is_true(x == cp.full(x.shape, want, x.dtype))
    end
    for _ = 1, 2 do
      expect(row, 1, 2)
      expect(row, 2.5, 5)
      expect(row, 2 ^ 40, 2 ^ 41) -- wider than an int of C
      expect(column, 1, 2)
      expect(int, 3, 6)
      scale = 0.5
      expect(row, 1, 0.5)
      scale = 2
    end
    assert.is_true(square[{ {}, 1 }] == cp.zeros(4))
    local ok, message = pcall(k, 1, 1, { cp.zeros({ 2, 2 }), 1 })
    assert.is_true(not ok and message:find("'x' has 2 axes, 1 position is given", 1, true) ~= nil, message)
    check.failure("usage", "k: argument 2 (a) must be", function() k(1, 1, { row, "a" }) end)
    expect(row, -0.0, 0)
    scale = -0.0
    expect(row, 1, 0)
  end)
end)
