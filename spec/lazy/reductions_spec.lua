-- Reductions that wait: what is computed when, what joins one kernel, and what writes, frees and failures in
-- between do. Expected values are computed here, in plain Lua.

local cp = require "cupola"
local check = require "spec.helper.check"
local fusion = require "spec.helper.fusion"

local on_gpu = cp.zeros({ 1 }).device:find "^cuda" ~= nil
local describe_fused = fusion.forced and pending or describe

-- A matrix of fractions in rows of lengths that take one thread's group, a warp, a block and more.
local function matrix(rows, n, dtype)
  return ((cp.arange(rows * n) * 7919 % 1009) / 1009 - 0.25):reshape(rows, n):astype(dtype or "float64"):eval()
end

local function close(got, want, tolerance, what)
  if math.abs(got - want) > tolerance * math.max(1, math.abs(want)) then
    error(("%s: %.17g where %.17g is expected"):format(what or "value", got, want), 2)
  end
end

local function row_sum(row, f)
  local sum = 0
  for _, v in ipairs(row) do sum = sum + f(v) end
  return sum
end

local LENGTHS = { 1, 2, 63, 65, 100, 128, 257, 1000, 1024, 4097 }

describe("programs of reductions", function()
  local before

  before_each(function() before = cp.fusion(true) end)
  after_each(function() cp.fusion(before) end)

  for _, dtype in ipairs { "float32", "float64" } do
    local tolerance = dtype == "float32" and 2e-6 or 1e-13
    it("softmax of rows of " .. dtype, function()
      for _, n in ipairs(LENGTHS) do
        local x = matrix(5, n, dtype)
        local e = cp.exp(x - x:max { axis = 2, keepdims = true })
        local y, values = (e / e:sum { axis = 2, keepdims = true }):totable(), x:totable()
        for r = 1, 5 do
          local top = math.max((table.unpack or unpack)(values[r])) -- luacheck: ignore
          local sum = row_sum(values[r], function(v) return math.exp(v - top) end)
          for k = 1, n, 37 do close(y[r][k], math.exp(values[r][k] - top) / sum, tolerance) end
        end
      end
    end)

    it("layer norm of " .. dtype .. ", with mean and variance", function()
      for _, n in ipairs(LENGTHS) do
        local x, g = matrix(3, n, dtype), matrix(1, n, dtype):reshape(n)
        local m, v = x:mean { axis = 2, keepdims = true }, x:var { axis = 2, keepdims = true }
        local y = ((x - m) / cp.sqrt(v + 1e-5) * g):totable()
        local values, gs = x:totable(), g:totable()
        m, v = m:totable(), v:totable()
        for r = 1, 3 do
          local mean = row_sum(values[r], function(w) return w end) / n
          local var = row_sum(values[r], function(w) return (w - mean) ^ 2 end) / n
          close(m[r][1], mean, tolerance, "mean")
          close(v[r][1], var, 4 * tolerance, "var")
          for k = 1, n, 29 do
            close(y[r][k], (values[r][k] - mean) / math.sqrt(var + 1e-5) * gs[k], 200 * tolerance)
          end
        end
      end
    end)
  end

  it("two phases: a step of conjugate gradients", function()
    for _, n in ipairs { 5, 70, 1024, 3000 } do
      local p, q, r = matrix(1, n):reshape(n), matrix(1, n):reshape(n) + 1, matrix(1, n):reshape(n) * 2
      local rs = (r * r):sum()
      local alpha = rs / (p * q):sum()
      r = r - alpha * q
      local new = (r * r):sum()
      p = r + (new / rs) * p
      local P, Q, R, s, d = {}, {}, {}, 0, 0
      for k = 0, n - 1 do
        local v = (k * 7919 % 1009) / 1009 - 0.25
        P[k], Q[k], R[k] = v, v + 1, v * 2
        s, d = s + R[k] ^ 2, d + P[k] * Q[k]
      end
      local sum = 0
      for k = 0, n - 1 do
        R[k] = R[k] - s / d * Q[k]
        sum = sum + R[k] ^ 2
      end
      close(alpha:item(), s / d, 1e-12, "alpha")
      close(new:item(), sum, 1e-12, "new")
      for k = 1, n, 13 do close(p[k], R[k - 1] + sum / s * P[k - 1], 1e-12) end
    end
  end)

  it("without the reduced axes, and over leading ones", function()
    local x = matrix(3, 300)
    local total = (x:sum(2) + (x * x):sum(2) - 2 * x:max(2)):totable()
    local columns = (x - x:mean(1)):totable()
    local values = x:totable()
    for r = 1, 3 do
      local top = math.max((table.unpack or unpack)(values[r])) -- luacheck: ignore
      close(total[r], row_sum(values[r], function(v) return v + v * v end) - 2 * top, 1e-12)
    end
    for k = 1, 300 do
      local mean = (values[1][k] + values[2][k] + values[3][k]) / 3
      close(columns[2][k], values[2][k] - mean, 1e-12)
    end
  end)

  -- Rows of pairs, which several reductions share: short ones, and longer than a block takes at once.
  it("of all pairs, broadcast: sums, the largest and a mean", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local tolerance = dtype == "float32" and 2e-5 or 1e-12
      for _, n in ipairs { 1, 31, 100, 700 } do
        local x = matrix(1, n, dtype):reshape(n)
        local y = (x * x - 0.1):eval()
        local dx, dy = x:reshape(1, n) - x:reshape(n, 1), y:reshape(1, n) - y:reshape(n, 1)
        local w = 1 / (dx * dx + dy * dy + 0.5)
        local force, top, mean = (dx * w):sum(2) + 2 * (dy * w):sum(2), w:max(2), (w + dx):mean(2)
        cp.eval(force, top, mean)
        local xs, ys = x:totable(), y:totable()
        for r = 1, n, 97 do
          local sum, most, total, size = 0, 0, 0, 0
          for k = 1, n do
            local a, b = xs[k] - xs[r], ys[k] - ys[r]
            local v = 1 / (a * a + b * b + 0.5)
            sum, most, total = sum + a * v + 2 * b * v, math.max(most, v), total + v + a
            size = size + math.abs(a * v) + 2 * math.abs(b * v)
          end
          assert.is_true(math.abs(force[r] - sum) <= tolerance * (size + 1), sum)
          close(top[r], most, tolerance, "max")
          close(mean[r], total / n, tolerance, "mean")
        end
      end
    end
  end)

  it("integers, positions and truth values", function()
    local x = (cp.arange(600) * 37 % 101):reshape(2, 300)
    local best, odd = x:argmax { axis = 2, keepdims = true }, (x % 2):eq(1)
    local y = (x * 2 - x:sum { axis = 2, keepdims = true } + best):totable()
    local some, every = odd:any(2):totable(), odd:all { axis = 2, keepdims = true }:totable()
    local values, tops = x:totable(), best:totable()
    for r = 1, 2 do
      local at, sum = 1, 0
      for k, v in ipairs(values[r]) do
        if v > values[r][at] then at = k end
        sum = sum + v
      end
      assert.equal(at, math.floor(tops[r][1]))
      assert.equal(values[r][17] * 2 - sum + at, math.floor(y[r][17]))
      assert.is_true(some[r])
      assert.is_false(every[r][1])
    end
  end)

  it("nan, -0 and infinities, empty rows and rows of one", function()
    local x = matrix(2, 200)
    x[{ 1, 7 }], x[{ 2, 9 }] = 0 / 0, math.huge
    local m = x:max { axis = 2, keepdims = true }
    assert.is_true(cp.isnan((x - m)[1]):all())
    assert.equal(-math.huge, (x - m)[{ 2, 1 }])
    local one = cp.array { { 3 }, { 4 } }
    assert.same({ { 1 }, { 1 } }, (one / one:sum { axis = 2, keepdims = true }):totable())
    assert.same({ 0, 0 }, (cp.zeros { 2, 0 } * 2):sum(2):totable())
    assert.same({ 5, 5 }, (cp.zeros { 2, 0 }:sum(2) + 5):totable())
    check.failure("shape", "max: an empty array or axis has no max", function() local _ = cp.zeros({ 2, 0 }):max(2) end)
  end)

  it("half types round where they would alone", function()
    local x = matrix(3, 500, "float16")
    local m = x:mean { axis = 2, keepdims = true }
    local y = (x - m):totable()
    local alone = x:mean { axis = 2, keepdims = true }:eval()
    assert.same(y, (x - alone):totable())
    assert.same(alone:totable(), m:totable())
  end)

  it("ddof, initial and keepdims", function()
    local x = matrix(2, 300)
    local v = x:var { axis = 2, ddof = 1 } / x:var(2)
    close(v[1], 300 / 299, 1e-12)
    local bounded = x:max { axis = 2, keepdims = true, initial = 7 }
    assert.same({ { 7 }, { 7 } }, bounded:totable())
    close((x - bounded)[{ 2, 3 }], x[{ 2, 3 }] - 7, 1e-15)
    assert.equal(12, (cp.ones { 5, 1 }:sum { initial = 7 }):item())
  end)
end)

describe_fused("a pending reduction", function()
  local before

  before_each(function() before = cp.fusion(true) end)
  after_each(function() cp.fusion(before) end)

  local function launches(f) return check.counted(f).launches end

  it("waits for its use, at most 64 operators", function()
    local x, s = matrix(4, 100)
    assert.equal(0, launches(function() s = x:sum() end))
    local c = check.counted(function()
      local y = x
      for _ = 1, 63 do y = x * 2 end
      return y
    end)
    assert.equal(0, c.launches)
    assert.equal(1, launches(function() return x * 2 end))
    assert.equal(0, launches(function() s:eval() end))
  end)

  it("is stored once, and read by what follows", function()
    local x = matrix(4, 300)
    local s = x:sum { axis = 2, keepdims = true }
    local y = (x / s):eval()
    assert.equal(0, launches(function() s:eval() end))
    assert.equal(1, launches(function() return (x * s):eval() end))
    close(y[{ 1, 1 }] * s[{ 1, 1 }], x[{ 1, 1 }], 1e-14)
  end)

  it("is dropped with its handle", function()
    local x = matrix(4, 100)
    local c = check.counted(function()
      for _ = 1, 1000 do local _ = x:sum() end
      collectgarbage()
      collectgarbage()
    end)
    assert.is_true(c.launches <= 1000)
    assert.is_true(c.bytes_allocated <= 1000 * 512)
  end)

  it("sees the old elements when its operand is written", function()
    local x = cp.ones { 100 }
    local s = x:sum()
    local c = check.counted(function() x:add_(1) end)
    assert.equal(0, c.renames)
    assert.equal(100, s:item())
    s = x:sum()
    x[1] = 0
    assert.equal(200, s:item())
    s = x:sum()
    x["1:50"]:fill(7)
    assert.equal(198, s:item())
    s = x:reshape(10, 10):sum(1)
    x:reshape(10, 10).T:fill(1)
    assert.equal(45, s[1])
    s = x:sum()
    x:free()
    assert.equal(100, s:item())
  end)

  it("may be part of what is written into its operand", function()
    local x = matrix(6, 300)
    local want = (x - x:mean { axis = 2, keepdims = true }:eval()):totable()
    local c = check.counted(function() x:sub_(x:mean { axis = 2, keepdims = true }) end)
    assert.is_true(c.bytes_allocated < 6 * 300 * 8, c.bytes_allocated)
    local got = x:totable()
    for r = 1, 6 do
      for k = 1, 300, 11 do close(got[r][k], want[r][k], 1e-13) end
    end
    x:assign(x / x:sum { axis = 1, keepdims = true })
    close(x:sum(1)[5], 1, 1e-10)
  end)

  it("of a mask's elements keeps them when the mask is written", function()
    local x = cp.arange(200)
    local m = x:gt(99)
    local mean = x[m]:mean()
    m:fill(true)
    assert.equal(149.5, mean:item())
  end)

  it("ends with the scope that made it, unless it is returned", function()
    local x = cp.ones { 50 }
    local kept
    local s = cp.scope(function()
      kept = x:sum()
      return x:max()
    end)
    assert.equal(1, s:item())
    assert.is_false(pcall(function() return kept:item() end))
  end)

  it("of one draw repeats it", function()
    local u = cp.random.rand(300)
    local a, b = u:sum(), (u * 2):sum()
    close(b:item(), 2 * a:item(), 1e-12)
  end)

  it("belongs to the stream of its call", function()
    local x, s = matrix(5, 200)
    local want = x:sum():item()
    cp.cuda.Stream():with(function() s = x:sum() * 1 end)
    x:add_(1)
    close(s:item(), want, 1e-12)
  end)

  it("works in coroutines", function()
    local x = cp.ones { 30 }
    local co = coroutine.wrap(function()
      local s = x:sum()
      coroutine.yield(s)
      return (s * 2):item()
    end)
    local s = co()
    assert.equal(30, s:item())
    assert.equal(60, co())
  end)

  it("gives the same bits alone, beside others and within an expression", function()
    for _, n in ipairs(LENGTHS) do
      local x = matrix(7, n, "float32")
      local alone = x:sum(2):eval():totable()
      local s, m, v = x:sum(2), x:max(2), x:var(2)
      cp.eval(v, m, s)
      assert.same(alone, s:totable(), n)
      local sum = x:sum { axis = 2, keepdims = true }
      local _ = (x / sum):eval()
      assert.same(alone, sum:reshape(7):totable(), n)
    end
  end)
end)

describe("sums of products on the CPU", function()
  local function on_cpu(x) return x:to "cpu" end

  it("have the bits of the sum of the stored products", function()
    for _, dtype in ipairs { "float32", "float64" } do
      for _, n in ipairs { 1, 7, 63, 128, 255, 256, 257, 1000, 4097, 16384, 16385, 70001 } do
        local x, y = on_cpu(matrix(3, n, dtype)), on_cpu(matrix(3, n + 1, dtype))[{ {}, { 2, n + 1 } }]
        local row, other = x[2], y[3]
        for what, pair in pairs {
          products = { row, other }, squares = { row, row }, rows = { x, x }, broadcast = { x, row },
          spaced = { x, y }, backwards = { row, other["::-1"] }, columns = { x.T, x.T },
        } do
          local a, b = pair[1], pair[2]
          for axis = 1, a.ndim do
            local stored = cp.multiply(a, b):eval()
            assert.same(stored:sum(axis):totable(), (a * b):sum(axis):totable(), what .. n)
            assert.same(cp.exp(-cp.abs(stored:sum())):item(), cp.exp(-cp.abs(cp.sum(a * b))):item(), what .. n)
          end
        end
        assert.same((row * row):eval():sum():item(), cp.sum(cp.square(row)):item(), n)
      end
    end
  end)

  it("are right where they are exact, and with nan and infinities", function()
    for _, n in ipairs { 300, 5000, 100000 } do
      local x = on_cpu(cp.arange(n):astype "float64")
      assert.equal((n - 1) * n * (2 * n - 1) / 6, cp.sum(cp.square(x)):item())
      assert.equal((n - 1) * n * (2 * n - 1) / 6, cp.dot(x, x):item())
      local y = x:copy()
      y[n - 1] = math.huge
      assert.equal(math.huge, cp.sum(x * y):item())
      y[3] = -math.huge
      local sum = cp.sum(x * y):item()
      assert.is_true(sum ~= sum)
    end
  end)
end)

describe("what kernels compute and store", function()
  -- A step of conjugate gradients leaves temporary values behind, which the collector may take at any time.
  local STEPS = [[
    local cp = require "cupola"
    local collects = %s
    local function taken(x)
      if collects then collectgarbage() end
      return x
    end
    collectgarbage(collects and "restart" or "stop")
    local d = cp.ones({ 20000 }, "float64"):eval()
    local x, r, p = cp.zeros({ 20000 }, "float64"), d, d
    local rs = taken((r * r):sum())
    for k = 1, 12 do
      local ap = taken((d * p):eval())
      local alpha = taken(rs / taken((p * ap):sum()))
      x = taken(x + taken(alpha * p))
      r = taken(r - alpha * ap)
      local new = taken((r * r):sum())
      p = taken(r + taken(new / rs) * p)
      rs = new
    end]]

  it("does not depend on when garbage is collected", function()
    local logs = {}
    for k, collects in ipairs { "false", "true" } do
      local text, status = check.run(STEPS:format(collects), "CUPOLA_LOG=fusion")
      assert.equal(0, status, text)
      logs[k] = text
    end
    assert.is_true(select(2, logs[1]:gsub("\n", "")) > 12, logs[1])
    assert.equal(logs[1], logs[2])
  end)
end)

describe_fused("on a device with phases", function()
  local before
  before_each(function() before = cp.fusion(true) end)
  after_each(function() cp.fusion(before) end)

  local function counted(f)
    f()
    return check.counted(f)
  end

  if not on_gpu then
    pending("softmax and its kin are one kernel: on GPUs")
    return
  end

  it("softmax is one launch and allocates its result", function()
    local x = matrix(64, 1000, "float32")
    local c = counted(function()
      local e = cp.exp(x - x:max { axis = 2, keepdims = true })
      return (e / e:sum { axis = 2, keepdims = true }):eval()
    end)
    assert.equal(1, c.launches)
    assert.is_true(c.bytes_allocated < 2 * 64 * 1000 * 4, c.bytes_allocated)
  end)

  it("layer norm, and three reductions of one domain, are one launch", function()
    local x = matrix(64, 1000, "float32")
    assert.equal(1, counted(function()
      local m, v = x:mean { axis = 2, keepdims = true }, x:var { axis = 2, keepdims = true }
      return ((x - m) / cp.sqrt(v + 1e-5)):eval()
    end).launches)
    assert.equal(1, counted(function()
      local a, b, c = x:sum(2), x:max(2), x:std(2)
      return a:eval(), b:eval(), c:eval()
    end).launches)
  end)

  it("three sums over all pairs are one launch, with the bits of each alone", function()
    local x = matrix(1, 700, "float32"):reshape(700)
    local function pairs_of() return x:reshape(1, 700) - x:reshape(700, 1) end
    local function together()
      local d = pairs_of()
      local w = 1 / (d * d + 1)
      local a, b, c = (d * w):sum(2), w:sum(2), (d * d):max(2)
      cp.eval(a, b, c)
      return a, b, c
    end
    assert.equal(1, counted(together).launches)
    local a, b, c = together()
    local d = pairs_of()
    assert.is_true(cp.array_equal((d * (1 / (d * d + 1))):sum(2):eval(), a))
    d = pairs_of()
    assert.is_true(cp.array_equal((1 / (d * d + 1)):sum(2):eval(), b))
    d = pairs_of()
    assert.is_true(cp.array_equal((d * d):max(2):eval(), c))
  end)

  it("roots and reciprocals of all pairs are right for subnormal, infinite and undefined values", function()
    local odd = { 0, 1e-45, 1e-39, 2e-38, 1e-20, 1, 3e10, 2e38, cp.inf, cp.nan }
    local x = cp.array(odd, "float32"):eval()
    local ones = cp.ones({ #odd, 300 }, "float32"):eval()
    local t = (x:reshape(-1, 1) * ones):eval() -- in memory, where each reduction reads rows
    local function columns() return x:reshape(-1, 1) * cp.ones({ 1, 300 }, "float32"):eval() end
    for _, f in ipairs { function(v) return 1 / v end, cp.sqrt, function(v) return v ^ -0.5 end } do
      local got = f(columns()):max(2):eval()
      local want = f(t):eval()[{ {}, 1 }]
      assert.is_true(cp.array_equal(got, want, true), tostring(got) .. tostring(want))
      local d = columns()
      local a, b = f(d):max(2), (f(d) * 2):sum(2)
      cp.eval(a, b)
      assert.is_true(cp.array_equal(a, want, true), tostring(a) .. tostring(want))
      assert.is_true(cp.allclose(b, (want:astype("float64") * 600):astype "float32", 1e-5, 0, true))
    end
  end)
end)
