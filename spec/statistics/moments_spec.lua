-- Variances of large values close together, of outliers, and of nan and infinity, on every path of a
-- reduction. Elements are whole numbers, so expected values are exact.

local cp = require "cupola"

local EPS = { float32 = 2 ^ -23, float64 = 2 ^ -52 }

-- The variance of f(1) ... f(n), whole numbers whose squares' sums are exact.
local function variance(f, n)
  local sum, squares = 0, 0
  for i = 1, n do
    local v = f(i)
    sum, squares = sum + v, squares + v * v
  end
  return (n * squares - sum * sum) / n / n
end

local function vector(f, n, offset, dtype)
  local t = {}
  for i = 1, n do t[i] = offset + f(i) end
  return cp.array(t, dtype)
end

-- name -> a way to compute the variance of the vector v.
local WAYS = {
  { "whole", function(v) return v:var() end },
  { "of squared deviations", function(v) return v:std() ^ 2 end },
  { "backwards", function(v) return v["::-1"]:var() end },
  { "strided", function(v)
    local wide = cp.full({ #v, 3 }, 777, v.dtype)
    wide[{ {}, 2 }] = v
    return wide[{ {}, 2 }]:var()
  end },
  { "of an expression", function(v) return (v * 2):var() / 4 end },
  { "rows", function(v) return cp.broadcast_to(v, { 20, #v }):copy():var(2)[7] end },
  { "columns", function(v) return cp.broadcast_to(v, { 20, #v }).T:copy():var(1)[7] end },
  { "columns of an expression", function(v) return (cp.broadcast_to(v, { 20, #v }).T:copy() * 2):var(1)[7] / 4 end },
  { "rows that lie apart", function(v) return cp.broadcast_to(v, { 20, #v }).T:copy().T:var(2)[7] end },
  { "keepdims", function(v) return v:reshape(1, #v):var({ axis = 2, keepdims = true }) end },
  { "ddof", function(v) return v:var({ ddof = 1 }) * ((#v - 1) / #v) end },
  { "complex", function(v) return (v:astype "complex128" * cp.complex(0, 1)):var() end },
  { "nan", function(v) return v:nanvar() end },
  { "nan first", function(v) return cp.concatenate { cp.full({ 600 }, cp.nan, v.dtype), v }:nanvar() end },
  { "nan between", function(v)
    local wide = cp.full({ 3 * #v }, cp.nan, v.dtype)
    wide["2::3"] = v
    return wide:nanvar()
  end },
  { "nan in columns", function(v)
    local wide = cp.full({ 3 * #v, 20 }, cp.nan, v.dtype)
    wide["2::3"] = v:reshape(#v, 1)
    return wide:nanvar(1)[7]
  end },
  { "cov", function(v) return cp.cov(v, { ddof = 0 }) end },
}

local function number(x) return type(x) == "number" and x or x:item() end

local function check(f, n, offset, dtype, what)
  local v, want = vector(f, n, offset, dtype), variance(f, n)
  for _, way in ipairs(WAYS) do
    local got = number(way[2](v))
    local fact = ("%s of %d %s %s: %.17g, not %.17g"):format(way[1], n, dtype, what, got, want)
    assert(math.abs(got - want) <= 12 * EPS[dtype] * want, fact)
  end
  if n % 8 == 0 then
    local got = v:reshape(8, 1, n / 8):var({ axis = { 1, 3 } })[1]
    assert.is_true(math.abs(got - want) <= 12 * EPS[dtype] * want)
  end
end

local SIZES = { 2, 3, 16, 40, 1000 }
local OFFSETS = { float32 = 1e7, float64 = 1e15 }

describe("variances", function()
  it("of large values lose no digits", function()
    for dtype, offset in pairs(OFFSETS) do
      for _, n in ipairs(SIZES) do check(function(i) return i % 2 end, n, offset, dtype, "0 and 1 and an offset") end
      check(function(i) return i * i % 13 end, 1000, -offset, dtype, "0 to 12 and an offset")
    end
  end)

  it("of outliers lose no digits, wherever they are", function()
    for dtype in pairs(OFFSETS) do
      for _, n in ipairs(SIZES) do
        for _, at in ipairs { 1, n, math.floor(n / 2) + 1 } do
          check(function(i) return i == at and 2 ^ 20 or i % 3 end, n, 0, dtype, "with an outlier at " .. at)
        end
      end
      check(function(i) return i % 32 == 1 and 2 ^ 16 or i % 3 end, 1000, 0, dtype, "with an outlier in 32")
      check(function(i) return i <= 500 and 0 or 4000 + i % 2 end, 1000, 0, dtype, "in two halves")
      check(function(i) return i end, 1000, 2 ^ 20, dtype, "that ascend")
      check(function(i) return (i % 2) * 2 ^ 20 + i % 3 end, 1000, 0, dtype, "in turn")
    end
  end)

  it("of many elements are as exact", function()
    for dtype, offset in pairs(OFFSETS) do
      local n = 300001
      local v = (cp.arange(n) % 2):astype(dtype) + offset
      local ones = math.floor(n / 2)
      local want = ones * (n - ones) / n / n
      local columns = cp.concatenate { v, v[{ { 1, 1 } }] }:reshape(-1, 2)
      assert.is_true(math.abs(v:var():item() - want) <= 4 * EPS[dtype])
      assert.is_true(math.abs(v:nanvar():item() - want) <= 4 * EPS[dtype])
      assert.is_true(math.abs(columns:var():item() - 0.25) <= 1e-5)
      local wide = (cp.arange(3000):reshape(3000, 1) % 2 + offset):astype(dtype) + cp.zeros({ 1, 100 }, dtype)
      wide = wide:copy()
      assert.is_true(cp.abs(wide:var(1) - 0.25):max():item() <= 4 * EPS[dtype])
      assert.is_true(cp.abs(wide:nanvar(1) - 0.25):max():item() <= 4 * EPS[dtype])
    end
  end)

  it("of integers and halves", function()
    local k = cp.arange(1000) % 2
    assert.equal(0.25, (k + 1e15):astype("int64"):var():item())
    assert.equal(0.25, (k + 1000):astype("uint16"):std():item() ^ 2)
    assert.equal(0.25, (k + 1024):astype("float16"):var():item())
    assert.equal(0.25, (k + 128):astype("bfloat16"):var():item())
    assert.equal(0.25, (k + 1e7):astype("float32"):var({ dtype = "float64" }):item())
    local out = cp.empty({}, "float32")
    assert.is_true((k + 1e15):var({ out = out }) == out)
    assert.equal(0.25, out:item())
  end)

  -- As NumPy.
  it("of infinity are nan, and infinity where squares are too large", function()
    local function same(want, x)
      for _, way in ipairs(WAYS) do
        local got = number(way[2](x))
        assert(got == want or got ~= got and want ~= want, way[1] .. ": " .. got)
      end
    end
    for _, n in ipairs { 2, 5, 40, 700 } do
      for _, at in ipairs { 1, 2, n } do
        for _, value in ipairs { cp.inf, -cp.inf } do
          local x = cp.arange(n):astype "float32"
          x[at] = value
          same(cp.nan, x)
        end
        local x = cp.arange(n):astype "float32"
        x[at] = 2 ^ 90
        if n > 2 then
          assert.equal(cp.inf, number(x:var()))
          assert.equal(cp.inf, number(x:nanvar()))
        end
      end
    end
    assert.is_true(cp.isnan(cp.array({ cp.inf }):var()):item())
    assert.equal(0, cp.array({ 3e38, 3e38, 3e38 }, "float32"):var():item())
  end)
end)
