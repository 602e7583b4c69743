-- Graphs of every kind of work, with random numbers, and updates of graphs. graph_spec.lua covers capturing
-- and replaying.

local cp = require "cupola"
local core = require "cupola.core"
local check = require "spec.helper.check"

local failure, values, live, WAIT = check.failure, check.values, check.live, check.captured
local graph = cp.cuda.graph
local device = cp.device().name

describe("a graph of", function()
  local numbers = cp.array({ 3, 1, 2, 5, 4 })

  -- f of some arrays gives in a graph, for other values, what it gives without.
  local function same(f, ...)
    local given = { ... }
    local g = graph(f, ...)
    for _, x in ipairs(given) do x:assign(x * 2 + 1) end
    local got, want = { g() }, { f(...) }
    for k, w in ipairs(want) do
      assert.same(w.shape[1], got[k].shape[1])
      assert.same(values(w), values(got[k]))
    end
  end

  it("sorting, scans and searches", function()
    same(function(x)
      return cp.sort(x), cp.argsort(x), cp.cumsum(x), cp.cumprod(x), cp.searchsorted(cp.sort(x), x), cp.median(x)
    end, numbers:copy())
    -- Integers, as running sums of floats may differ from run to run on a GPU.
    local long = cp.random.randint(1, 1000, { 3, 5000 })
    same(function(x) return cp.sort(x), cp.cumsum(x, 2), cp.flip(x) end, long)
  end)

  it("reductions along any axis", function()
    local m = cp.random.rand(40, 50)
    same(function(x) return x:sum(), x:mean(1), x:max(2), x:std(), cp.argmax(x, 1), (x * 2):prod(2) end, m)
  end)

  -- As on a GPU, where such writes wait. The first values are integers, so that the sums are exact.
  it("steps that write edges, each of which is one kernel", function()
    core.slow_paths "views"
    local u0 = (cp.arange(5 * 900, "float64") * 7 % 16):reshape { 5, 900 }
    local function steps(u, edge)
      for k = 1, 4 do
        u = u + 0.5 * (cp.roll(u, 1, 1) + cp.roll(u, -1, 2) - 2 * u)
        u[1], u[-1] = k, edge["1:1"]
        u[":, 1"] = edge["2:6"] * 2
      end
      return u:eval()
    end
    local edge = cp.arange(9, "float64")
    local g = graph(steps, u0, edge)
    if check.lazy then assert.equal(4, g.kernels) end
    u0:assign(u0 * 2 + 1)
    edge:assign(edge + 3)
    local got = values(g())
    core.slow_paths()
    local u = values(u0)
    for k = 1, 4 do
      local next = {}
      for i = 1, 5 do
        next[i] = {}
        for j = 1, 900 do
          next[i][j] = u[i][j] + 0.5 * (u[(i - 2) % 5 + 1][j] + u[i][j % 900 + 1] - 2 * u[i][j])
          if i == 1 then next[i][j] = k end
          if i == 5 then next[i][j] = 3 end
        end
        next[i][1] = (i + 3) * 2
      end
      u = next
    end
    assert.same(u, got)
  end)

  it("positions", function()
    local at = cp.array({ 5, 1, 1, 2 }, "int64")
    same(function(x)
      local y = cp.zeros(5)
      y[at] = x[at]
      return cp.take(x, at, 1), x[at] + 1, y
    end, numbers:copy())
  end)

  it("positions that are out of range later", function()
    local at = cp.array({ 1, 2 }, "int64")
    local g = graph(function() return numbers[at] end)
    assert.same({ 3, 1 }, g():totable())
    at[2] = 9
    local ok, message = pcall(function()
      g()
      cp.synchronize()
    end)
    assert.is_false(ok)
    assert.truthy(message:find("index 9 is out of range", 1, true), message)
    at[2] = 5
    assert.same({ 3, 4 }, g():totable())
  end)

  it("products of matrices", function()
    local a, b = cp.random.rand(6, 7), cp.random.rand(7, 5)
    same(function(p, q)
      return p:matmul(q), p:matmul(q) + 1, cp.einsum("ij,jk->ik", p, q), p.T:matmul(p), cp.dot(p[1], q[{ "...", 1 }])
    end, a, b)
    same(function(p) return p:matmul(p) end, cp.random.rand(3, 4, 4):astype("float32"))
  end)

  it("Fourier transforms", function()
    local a = cp.random.rand(8, 16)
    same(function(x) return cp.abs(cp.fft.fft(x)), cp.fft.irfft(cp.fft.rfft(x)), cp.abs(cp.fft.fft2(x)) end, a)
    local g = graph(function() return cp.fft.rfft(a) end)
    cp.fft.plan_cache { clear = true } -- but for the plan that the graph keeps
    assert.same(values(cp.abs(cp.fft.rfft(a))), values(cp.abs(g())))
  end)

  it("user kernels, whose objects may be collected", function()
    local function kernels()
      local scale = cp.ElementwiseKernel("T x, float64 k", "T y", "y = x * k", "scaled")
      local sum = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")
      return graph(function() return scale(numbers, 3), sum(numbers) end)
    end
    local ok, g = pcall(kernels)
    if not ok and device == "cpu" and g:find("compiler", 1, true) then return end -- there is no C++ compiler
    assert.is_true(ok, g)
    collectgarbage()
    local y, squares = g()
    assert.same({ 9, 3, 6, 15, 12 }, y:totable())
    assert.equal(55, values(squares))
  end)

  it("raw kernels", function()
    local k = cp.RawKernel([[extern "C" __global__ void twice(const double *x, double *y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = 2 * x[i];
    }]], "twice")
    local x, y = numbers:copy(), cp.zeros(5)
    local ok, g = pcall(graph, function() k(1, 32, { x, y, 5 }) end)
    if not ok and device == "cpu" and g:find("compiler", 1, true) then return end
    assert.is_true(ok, g)
    assert.same({ 0, 0, 0, 0, 0 }, y:totable())
    x:add_(1)
    g()
    assert.same({ 8, 4, 6, 12, 10 }, y:totable())
  end)

  it("fused functions and filters", function()
    local f = cp.fuse(function(x, y) return (x * y + 1):sum() end)
    local v = cp.vectorize(function(x) return cp.where(x:gt(2), x * x, -x) end)
    same(function(x) return f(x, x + 1), v(x), cp.scipy.signal.convolve(x, x * 2) end, numbers:copy())
  end)

  it("copies and assignments of parts", function()
    local x = cp.arange(6)
    same(function(v)
      local y = cp.zeros({ 2, 6 })
      y[1] = v
      y[2]:assign(v["::-1"])
      y[{ "...", "2:3" }]:add_(1)
      return y, cp.concatenate({ v, v }), cp.stack({ v, v }), v:copy(), cp.where(v:gt(5), v, -v)
    end, x)
  end)
end)

describe("draws in a graph", function()
  local function drawn() return cp.random.rand(5), cp.random.randn(4), cp.random.randint(1, 100, { 6 }) end

  local function outside(count)
    local list = {}
    for k = 1, count do
      local a, b, c = drawn()
      list[k] = { a:totable(), b:totable(), c:totable() }
    end
    return list
  end

  it("are those of the same calls outside, and continue at each run", function()
    cp.random.seed(42)
    local want = outside(5)
    cp.random.seed(42)
    local g = graph(drawn)
    for k = 1, 2 do
      local a, b, c = g()
      assert.same(want[k], { a:totable(), b:totable(), c:totable() })
    end
    assert.same(want[3], outside(1)[1])
    local a, b, c = g()
    assert.same(want[4], { a:totable(), b:totable(), c:totable() })
    local h = graph(drawn)
    a, b, c = h()
    assert.same(want[5], { a:totable(), b:totable(), c:totable() })
    cp.random.seed(42)
    a, b, c = g()
    assert.same(want[1], { a:totable(), b:totable(), c:totable() })
    a, b, c = h()
    assert.same(want[2], { a:totable(), b:totable(), c:totable() })
  end)

  it("may be part of an expression", function()
    cp.random.seed(3)
    local want = (cp.random.rand(50) * 2 + 1):totable()
    cp.random.seed(3)
    local x = cp.ones(50)
    local g = graph(function() return cp.random.rand(50) * 2 + x end)
    assert.same(want, g():totable())
  end)

  it("are independent for each generator", function()
    local one, two = cp.random.default_rng(1), cp.random.default_rng(2)
    local g = graph(function() return one:random(3), two:random(3), one:normal(0, 1, { 3 }) end)
    g()
    local a, b, c = g()
    local want_one, want_two = cp.random.default_rng(1), cp.random.default_rng(2)
    want_one:random(3)
    want_two:random(3)
    want_one:normal(0, 1, { 3 })
    assert.same({ want_one:random(3):totable(), want_two:random(3):totable() }, { a:totable(), b:totable() })
    assert.same(want_one:normal(0, 1, { 3 }):totable(), c:totable())
    assert.same(want_one:random(3):totable(), one:random(3):totable())
  end)

  it("may be gamma draws and permutations", function()
    cp.random.seed(9)
    local want = { cp.random.gamma(2, 1, { 20 }):totable(), cp.random.permutation(10):totable() }
    cp.random.seed(9)
    local g = graph(function() return cp.random.gamma(2, 1, { 20 }), cp.random.permutation(10) end)
    local a, b = g()
    assert.same(want, { a:totable(), b:totable() })
  end)

  it("are not used up by a capture, even if it fails", function()
    cp.random.seed(5)
    local want = cp.random.rand(3):totable()
    cp.random.seed(5)
    pcall(graph, function()
      cp.random.rand(3)
      error "no"
    end)
    graph(function() return cp.random.rand(3) end)
    assert.same(want, cp.random.rand(3):totable())
  end)

  it("take whole seeds and large numbers of calls", function()
    local rng = cp.random.Philox4x3210(0)
    local state = rng:get_state()
    state.seed_high, state.seed_low, state.call = 4294967295, 4294967294, 4294967295 * 8
    rng:set_state(state)
    local draws = cp.random.Generator(rng)
    local g = graph(function() return draws:random(4), draws:random(4) end)
    local a, b = g()
    local got = { a:totable(), b:totable() }
    rng:set_state(state)
    assert.same({ draws:random(4):totable(), draws:random(4):totable() }, got)
  end)
end)

describe("graph:update", function()
  it("captures again", function()
    local x = cp.array({ 1, 2, 3 })
    local g = graph(function(k) return x + k end, 1)
    assert.same({ 2, 3, 4 }, g():totable())
    assert.is_false(g.updated)
    assert.is_true(rawequal(g, g:update(function(k) return x + k end, 10)))
    assert.same({ 11, 12, 13 }, g():totable())
    assert.is_true(g.updated)
    g:update(function() return cp.sort(-x), x:sum(), x * 2 end)
    local a, b, c = g()
    assert.same({ -3, -2, -1 }, a:totable())
    assert.equal(6, values(b))
    assert.same({ 2, 4, 6 }, c:totable())
    g:update(function() end)
    assert.equal(0, select("#", g()))
  end)

  it("leaves the graph as it was when it fails", function()
    local x = cp.array({ 1, 2, 3 })
    local g = graph(function() return x + 1 end)
    local y = g()
    failure("usage", "item: " .. WAIT, function() g:update(function() return x["1:1"]:item(), 1 end) end)
    failure("usage", "graph.update: f must be a function, not nil (missing)", function() g:update() end)
    x:fill(5)
    assert.is_true(rawequal(y, g()))
    assert.same({ 6, 6, 6 }, y:totable())
  end)

  it("frees the earlier memory", function()
    local x = cp.ones(1000):eval()
    local g = graph(function() return cp.sort(x) end)
    g()
    local before = live()
    for _ = 1, 5 do
      g:update(function() return cp.sort(x) end)
      g()
    end
    assert.equal(before, live())
  end)
end)
