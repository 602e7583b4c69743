-- Reductions and what is made of them over large arrays, which the CPU device computes by stages, a few rows
-- at a time, and GPUs by kernels with phases. The same program with fusion off, where each operator runs on
-- its own, gives the expected values; on the CPU device these are the same bits.

local cp = require "cupola"
local fusion = require "spec.helper.fusion"

local on_cpu = cp.zeros({ 1 }).device == "cpu"
local describe_fused = fusion.forced and pending or describe

-- Numbers between -0.5 and 0.75 with gaps, some of them equal.
local function numbers(shape, dtype)
  local n = 1
  for _, length in ipairs(shape) do n = n * length end
  return ((cp.arange(n) * 7919 % 1009) / 807 - 0.5):reshape(shape):astype(dtype or "float32"):eval()
end

-- bits: whether results of the CPU device must have the same bits.
local function same(got, want, bits, label)
  assert.equal(tostring(want.shape), tostring(got.shape), label)
  assert.equal(want.dtype, got.dtype, label)
  local alike = bits and on_cpu and cp.array_equal(got, want, { equal_nan = true })
      or not (bits and on_cpu) and cp.allclose(got, want, { rtol = 1e-3, atol = 1e-3, equal_nan = true })
  assert.is_true(alike, label)
end

-- Runs a program with fusion on and off, and compares all its results.
local function compare(bits, label, program, ...)
  local before = cp.fusion(true)
  local got = { program(...) }
  cp.eval(table.unpack and table.unpack(got) or unpack(got)) -- luacheck: ignore
  cp.fusion(false)
  local want = { program(...) }
  cp.fusion(before)
  assert.equal(#want, #got)
  for k = 1, #got do same(got[k], want[k], bits, ("%s, result %d"):format(label, k)) end
end

local function both(...) compare(true, ...) end

local function softmax(x)
  local e = cp.exp(x - x:max { axis = -1, keepdims = true })
  return e / e:sum { axis = -1, keepdims = true }
end

local function normalised(x, g)
  local m, v = x:mean { axis = -1, keepdims = true }, x:var { axis = -1, keepdims = true, ddof = 1 }
  return (x - m) / cp.sqrt(v + 1e-5) * g + m, m, v
end

-- Rows that are shorter and longer than a block, a chunk, and what stays in the cache.
local SHAPES = { { 300, 70 }, { 80, 300 }, { 7, 4097 }, { 3, 20000 }, { 2, 70000 }, { 1, 40000 }, { 5, 40, 128 } }

describe_fused("stages", function()
  for _, shape in ipairs(SHAPES) do
    local n = shape[#shape]
    local name = table.concat(shape, " x ")

    it("compute programs of rows, " .. name, function()
      for _, dtype in ipairs { "float32", "float64", "float16" } do
        local x, g = numbers(shape, dtype), numbers({ n }, dtype)
        both("softmax " .. dtype, softmax, x)
        both("norm " .. dtype, normalised, x, g)
      end
    end)

    it("compute several reductions, and what needs them, " .. name, function()
      both("beside", function(x)
        local s, top = x:sum(-1), x:max(-1)
        return s, top, (x * x):sum(-1) - s * top, x:argmax(-1), cp.greater(x, 0):sum(-1), x:std(-1)
      end, numbers(shape))
      both("three levels", function(x)
        local m = x:mean { axis = -1, keepdims = true }
        local d = (x - m):abs()
        local far = d:max { axis = -1, keepdims = true }
        local count = cp.greater(d, 0.5 * far):sum { axis = -1, keepdims = true }
        return cp.sin(d / far) * count, count, cp.sin(d / far):sum(-1)
      end, numbers(shape))
    end)
  end

  it("take every dtype, nan and infinity", function()
    for _, dtype in ipairs { "int8", "uint16", "int64", "bool", "bfloat16", "complex64", "complex128" } do
      local x = (numbers({ 90, 256 }, "float64") * 10):astype(dtype):eval()
      both(dtype, function(v)
        local s = v:sum { axis = 2, keepdims = true }
        return v + s, s, cp.equal(v, s), v:prod(2)
      end, x)
    end
    local x = numbers { 90, 256 }
    x[{ 3, 5 }], x[{ 4, 6 }], x[{ 5, 7 }], x[{ 6, {} }] = 0 / 0, math.huge, -math.huge, -math.huge
    both("nan", softmax, x)
    both("nan in norm", normalised, x, numbers { 256 })
    both("nan-aware", function(v) return v - cp.nanmax(v, { axis = 2, keepdims = true }), cp.nansum(v, 2) end, x)
  end)

  it("take rows in any order, and operands that repeat", function()
    local x = numbers { 256, 200 }
    compare(false, "transposed", softmax, x.T) -- by columns, where the order depends on the chain
    both("reversed", softmax, x["::-1, ::-1"])
    both("every other", softmax, x[":, ::2"])
    both("along the first axis", function(v) return v - v:mean { axis = 1, keepdims = true } end, x)
    both("all", function(v) return (v - v:mean()) / v:std(), v:max() - v:min() end, x)
    both("columns and rows", function(v) return v - v:mean { axis = 2, keepdims = true } + v:mean(1) end, x)
    both("outer", function(a, b)
      local d = a - b
      return cp.exp(-d * d) / cp.exp(-d * d):sum { axis = 2, keepdims = true }
    end, numbers { 150, 1 }, numbers { 1, 180 })
  end)

  it("write in place after everything is read", function()
    local before = cp.fusion(true)
    local x = numbers { 130, 300 }
    local want = (x:astype "float64" - x:astype("float64"):mean { axis = 2, keepdims = true }):eval()
    x:sub_(x:mean { axis = 2, keepdims = true })
    assert.is_true(cp.allclose(x, want, { rtol = 1e-5, atol = 1e-6 }))
    x:assign(softmax(x))
    assert.is_true(cp.allclose(x:sum(2), cp.ones({ 130 }), { rtol = 1e-5 }))
    local part = x["2:130, :"]
    x["1:129, :"]:assign(part / part:sum { axis = 2, keepdims = true })
    assert.is_true(cp.allclose(x:sum(2), cp.ones({ 130 }), { rtol = 1e-5 }))
    cp.fusion(before)
  end)

  it("keep an exponential in the result's memory, or compute it again", function()
    both("of another dtype", function(x) return softmax(x):astype "float64" end, numbers { 100, 400 })
    both("that is a result itself", function(x)
      local e = cp.exp(x)
      return e / e:sum { axis = 2, keepdims = true }, e, e:max(2)
    end, numbers { 100, 400 })
  end)

  it("store rows that are not aligned as those that are", function()
    for _, n in ipairs { 129, 301, 1001, 4099 } do
      for _, dtype in ipairs { "int8", "uint16", "float16", "float32", "float64", "complex64" } do
        local x = (cp.arange(5 * n) * 7919 % 101):reshape(5, n):astype(dtype):eval()
        local low = x.real:astype "int64" -- expected values are of another dtype, and of whole numbers
        local wanted = low - low:max { axis = 2, keepdims = true }:eval()
        local m = x.real:max { axis = 2, keepdims = true }
        local d, small = x.real:astype(dtype == "uint16" and "int32" or dtype) - m, x.real:lt(m)
        cp.eval(d, small)
        local label = dtype .. " of " .. n
        assert.is_true(cp.array_equal(d.real:astype "int64", wanted), label)
        assert.is_true(cp.array_equal(small, wanted:lt(0)), label)
      end
      local x = numbers({ 5, n + 2 }, "float32")
      local view, whole = x[{ {}, { 2, -2 } }], x:totable()
      view:sub_(view:min { axis = 2, keepdims = true })
      local got = x:totable()
      for r = 1, 5 do
        local least = math.huge
        for k = 2, n + 1 do least = math.min(least, whole[r][k]) end
        assert.equal(whole[r][1], got[r][1])
        assert.equal(whole[r][n + 2], got[r][n + 2])
        for k = 2, n + 1 do assert.near(whole[r][k] - least, got[r][k], 1e-7) end
      end
    end
  end)

  it("divide by a row's value as IEEE 754 requires", function()
    local scales = { 1e-42, 3e-38, 1e-20, 1e-12, 1e-3, 1, 7e5, 1e12, 1e25, 3e38, cp.inf, cp.nan, 0 }
    local odd = { 0, -0.0, 1e-45, -1e-39, 1e-19, -1e-17, 3e-5, -1, 2e7, 1e17, -1e19, 3e38, -cp.inf, cp.nan }
    for _, n in ipairs { 300, 4099 } do
      local x = (numbers({ #scales, n }) * cp.array(scales, "float32"):reshape(-1, 1)):eval()
      x[{ {}, { 1, #odd } }] = cp.array(odd, "float32")
      local usual = cp.arange(n):gt(#odd):eval()
      local function greatest() return cp.where(usual, x, -cp.inf):max { axis = 2, keepdims = true } end
      local function least() return cp.where(usual, x, cp.inf):min { axis = 2, keepdims = true } end
      for _, divisor in ipairs { greatest, least } do
        local got = (x / divisor()):eval()
        -- a quotient of two float32 as float64 rounds to the nearest float32 (Figueroa, 1995)
        local want = (x:astype "float64" / divisor():eval():astype "float64"):astype "float32"
        assert.is_true(cp.array_equal(got, want, { equal_nan = true }))
        local number = cp.isfinite(want) -- whose sign is that of the quotient
        assert.is_true(cp.array_equal(cp.signbit(got) * number, cp.signbit(want) * number))
      end
    end
  end)

  -- Every half is divided by the first number of its row.
  for _, dtype in ipairs { "float16", "bfloat16" } do
    it("divide " .. dtype .. " by a row's value as IEEE 754 requires", function()
      local divisors = {
        2 ^ -24, -3 * 2 ^ -24, 2 ^ -14, 1e-3, -1 / 3, 1, 3, 7, -14, 1000, 65504, cp.inf, cp.nan, 0, -0.0 }
      local halves, width = cp.arange(65536, "uint16"):view(dtype):reshape(16, 4096), 4097
      local x = cp.empty({ #divisors, 16, width }, dtype)
      x[{ {}, {}, 1 }] = cp.array(divisors):astype(dtype):reshape(-1, 1)
      x[{ {}, {}, { 2, -1 } }] = halves
      x = x:reshape(-1, width)
      local first = cp.arange(width):eq(0):eval()
      local function quotient() return x / cp.where(first, x, -cp.inf):max { axis = 2, keepdims = true } end
      local want = (x:astype "float64" / x[{ {}, { 1, 1 } }]:astype "float64"):astype(dtype)
      local number = cp.logical_not(cp.isnan(want)) -- whose sign is that of the quotient
      local zero = cp.zeros(x.shape, dtype):eval()
      for _, got in ipairs { quotient():eval(), (quotient() * cp.exp(zero)):eval() } do -- exp has a fast form
        assert.is_true(cp.array_equal(got, want, { equal_nan = true }))
        assert.is_true(cp.array_equal(cp.signbit(got):logical_and(number), cp.signbit(want):logical_and(number)))
      end
    end)
  end

  -- A thread then has groups for the fast forms beside others. float64 gives what is expected.
  it("compute elements that need the full forms from what was there, also in place", function()
    for _, n in ipairs { 70, 301, 1000, 4099, 8192 } do
      local x = numbers { 40, n }
      for k = 1, 40 do
        local at = 1 + k * 37 % n
        x[{ k, at }] = ({ 1e-42, -1e30, -cp.inf, 3e-39, 80 })[1 + k % 5]
        x[{ k, 1 + at % n }] = 1e-41
      end
      local wide = x:astype "float64"
      local top = wide:max { axis = 2, keepdims = true }:eval()
      local e = cp.exp(wide - top):eval()
      local got = x:copy()
      got:assign(softmax(got))
      same(got, (e / e:sum { axis = 2, keepdims = true }):astype "float32", false, "softmax of " .. n)
      local root = cp.sqrt(cp.where(cp.abs(wide):lt(1e3), wide, 0):square():mean { axis = 2, keepdims = true }):eval()
      local rms = x:copy()
      local function mean() return cp.where(cp.abs(rms):lt(1e3), rms, 0):square():mean { axis = 2, keepdims = true } end
      rms:assign(rms / cp.sqrt(mean()))
      local want = (wide / root):astype "float32"
      assert.is_true(cp.allclose(rms, want, { rtol = 1e-5, atol = 1e-44, equal_nan = true }), "quotients of " .. n)
    end
  end)

  it("mask by -inf", function()
    for _, dtype in ipairs { "float32", "float64", "float16" } do
      for _, n in ipairs { 65, 600, 2048 } do
        local x, i = numbers({ n, n }, dtype), cp.arange(n)
        local masked = cp.where(i:reshape(n, 1):ge(i), x, -cp.inf)
        local e = cp.where(i:reshape(n, 1):ge(i), cp.exp(x:astype "float64"), 0):eval()
        local got, want = softmax(masked), e / e:sum { axis = 2, keepdims = true }
        assert.is_true(cp.allclose(got:astype "float64", want, dtype == "float16" and 2e-3 or 1e-5, 1e-7))
        assert.is_true(cp.array_equal(got:ne(0):sum(2), i + 1))
      end
    end
  end)

  it("find positions of extremes beside other work", function()
    for _, dtype in ipairs { "float32", "float64", "float16", "int32", "uint8", "int64", "complex64" } do
      for _, n in ipairs { 65, 129, 1000, 1001, 4096, 8190 } do
        local at, rows = (cp.arange(30) * 7919 % n):eval(), cp.arange(30)
        local x = (cp.arange(30 * n) * 7 % 100):reshape(30, n):astype(dtype)
        x[{ {}, {} }] = cp.where(cp.arange(n):eq(at:reshape(30, 1)), 101, x)
        x[{ { 1, 9 }, -1 }] = 101 -- a second one, which must not be found
        assert.is_true(cp.array_equal(x:argmax(2):eq(at + 1), cp.ones(30, "bool")), dtype .. n)
        local back = cp.flip(x, 2)
        assert.is_true(cp.array_equal((back:argmax(2) + cp.where(rows:lt(9), 0, at)):eval(),
          cp.where(rows:lt(9), 1, n)), dtype .. n .. " backwards")
        assert.is_true(cp.array_equal((0 - x:astype "float64"):argmin(2) * 2, 2 * at + 2))
        if dtype:find "float" then
          x[{ 5, { n - 1, n } }] = cp.nan
          assert.equal(n - 1, (x:argmax(2) + 0)[5]) -- the first nan
        end
      end
    end
  end)

  it("launch once", function()
    local x, before = numbers { 100, 400 }, cp.fusion(true)
    local launches = cp.profiler.counters().launches
    softmax(x):eval()
    assert.equal(1, cp.profiler.counters().launches - launches)
    normalised(x, numbers { 400 }):eval()
    cp.fusion(before)
  end)
end)
