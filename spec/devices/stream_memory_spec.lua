-- The order of work on memory that several streams use. The CPU device does the same bookkeeping, so the
-- waits that a GPU needs are counted there too.

local cp = require "cupola"
local check = require "spec.helper.check"
local generator = require "spec.helper.random.generator"

local counted = check.counted
local current = cp.device().name
local on_gpu = current ~= "cpu"
local function null() return cp.cuda.Stream.null end

describe("memory that several streams use", function()
  local s, t = cp.cuda.Stream(), cp.cuda.Stream({ non_blocking = true })

  local function fresh()
    local x = cp.arange(1000, "float64"):copy()
    s:synchronize()
    t:synchronize()
    return x
  end

  -- Waits of one stream for another while f runs on stream.
  local function waits(stream, f)
    return counted(function() stream:with(f) end).waits
  end

  it("is waited for by readers once", function()
    local x, y = fresh(), nil
    assert.equal(1, waits(s, function() y = x + 1 end))
    assert.equal(0, waits(s, function() y = x + 2 end))
    assert.equal(0, waits(null(), function() y = x + 3 end))
    assert.equal(1, waits(t, function() y = x * 2 end))
    assert.equal(1998, y[1000])
  end)

  it("is waited for by a writer once for each other stream that read it", function()
    local x, y, z = fresh(), nil, nil
    s:with(function() y = x:sum() end)
    t:with(function() z = x:max() end)
    assert.equal(2, waits(null(), function() x:fill(0) end))
    assert.equal(0, waits(null(), function() x:fill(1) end))
    assert.equal(1, waits(s, function() x:add_(1) end))
    assert.equal(499500, y:item())
    assert.equal(999, z:item())
    assert.equal(2000, x:sum():item())
  end)

  it("covers views, reductions, copies to the host and kernels of the user", function()
    local double = cp.ElementwiseKernel("T x", "T y", "y = 2 * x", "double_it")
    for name, f in pairs {
      view = function(x) return x["2:"] + 1 end,
      sum = function(x) return x:sum() end,
      copy = function(x) return x:copy():eval() end,
      host = function(x) return x:totable() end,
      kernel = function(x) return double(x) end,
      ["in place"] = function(x) return x:add_(1) end,
      ["part"] = function(x) x["1:5"]:fill(3) end,
      element = on_gpu and function(x) return x[3] end or function(x) return x:tobytes() end,
    } do
      local x = fresh()
      assert.is_true(waits(s, function() return f(x) end) >= 1, name)
    end
    assert.equal(4, double(cp.array({ 2 }))[1])
  end)

  it("keeps its values through random programs on three streams", function()
    local streams = { null(), s, t }
    local random = generator(12345).number
    local n = on_gpu and 200000 or 2000
    for _ = 1, 4 do
      local arrays, want = {}, {}
      for k = 1, 4 do
        arrays[k], want[k] = cp.full({ n }, k, "float64"):eval(), k
      end
      for _ = 1, 60 do
        local i, j, k, what = random(4), random(4), random(4), random(5)
        streams[random(3)]:with(function()
          if what == 1 then
            arrays[i] = arrays[j] - arrays[k]
            want[i] = want[j] - want[k]
          elseif what == 2 then
            arrays[i]:assign(arrays[j] * 0.5 + arrays[k])
            want[i] = want[j] * 0.5 + want[k]
          elseif what == 3 then
            arrays[i]:fill(k)
            want[i] = k
          elseif what == 4 then
            arrays[i]:subtract_(arrays[j])
            want[i] = want[i] - want[j]
          else
            arrays[i] = arrays[j]:max() + cp.zeros(n)
            want[i] = want[j]
          end
        end)
      end
      for k = 1, 4 do
        assert.equal(want[k], arrays[k]:min():item())
        assert.equal(want[k], arrays[k]:max():item())
      end
    end
  end)

  it("is ordered when it is freed on one stream and reused on another", function()
    local n = on_gpu and 1000000 or 5000
    local sums = {}
    for k = 1, 20 do
      local a = s:with(function() return cp.full({ n }, k, "float64"):eval() end)
      sums[k] = t:with(function() return a:sum() end)
      a:free()
      s:with(function() cp.zeros({ n }, "float64"):eval():free() end)
    end
    for k = 1, 20 do assert.equal(k * n, sums[k]:item()) end
  end)

  it("costs nothing if only one stream is used", function()
    local x = fresh()
    assert.equal(0, counted(function()
      for _ = 1, 10 do x = (x + 1):eval() end
      x:assign(x * 2)
      x:totable()
    end).waits)
  end)
end)
