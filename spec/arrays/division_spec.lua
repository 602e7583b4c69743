-- Quotients and remainders of blocks of integers by one number, which have loops of their own on the CPU.
-- x = q d + r with 0 <= r < d (or d < r <= 0) determines both; others among the divisors change nothing.

local cp = require "cupola"

local DIVISORS = { 1, 2, 3, 5, 7, 10, 16, 97, 100, 255, 256, 641, 1000, 65535, 65536, 65537, 1000003,
  2 ^ 30, 2 ^ 31 - 1 }

-- Numbers at the limits, around 0, and scattered over all bits.
local function numbers(dtype)
  local info, near = cp.iinfo(dtype), cp.arange(150):astype(dtype)
  local low, high = cp.full({}, info.min, { dtype = dtype }), cp.full({}, info.max, { dtype = dtype })
  local scattered = cp.random.default_rng(7):integers(0, 2 ^ 32, { 2, 1500 }, { dtype = "uint64" })
  local all = (scattered[1] * cp.scalar(2 ^ 32, "uint64") + scattered[2]):astype(dtype)
  return cp.concatenate { all, near, low + near, high - near, all:floor_divide(3), all:floor_divide(101) }, high
end

local function divisors(dtype, high)
  local list = {}
  for _, d in ipairs(DIVISORS) do list[#list + 1] = cp.full({}, d, { dtype = dtype }) end
  for _, d in ipairs { high, high - 1, high:floor_divide(2), high:floor_divide(3) } do list[#list + 1] = d end
  for shift = 32, dtype:find "64" and 61 or 0 do
    local power = cp.full({}, 2 ^ shift, { dtype = dtype })
    for _, d in ipairs { power - 1, power, power + 1 } do list[#list + 1] = d end
  end
  return list
end

describe("floor_divide and remainder by one number", function()
  for _, dtype in ipairs { "int32", "uint32", "int64", "uint64" } do
    it("are exact for " .. dtype, function()
      local x, high = numbers(dtype)
      for _, d in ipairs(divisors(dtype, high)) do
        local q, r = cp.floor_divide(x, d), cp.remainder(x, d)
        assert.is_true((q * d + r):eq(x):all() and r:ge(0):all() and r:lt(d):all(), tostring(d))
        local mixed = cp.full(x.shape, d)
        mixed[1] = 3
        assert.is_true(cp.floor_divide(x, mixed)["2:"]:eq(q["2:"]):all(), tostring(d))
        assert.is_true(cp.remainder(x, mixed)["2:"]:eq(r["2:"]):all(), tostring(d))
      end
      assert.is_true(cp.floor_divide(x, 0):eq(0):all())
    end)
  end

  it("round downwards by negative numbers", function()
    for _, dtype in ipairs { "int32", "int64" } do
      local x = numbers(dtype)
      for _, d in ipairs { -1, -2, -3, -7, -65536, -2147483647 } do
        local q, r = cp.floor_divide(x, d), cp.remainder(x, d)
        assert.is_true((q * d + r):eq(x):all() and r:le(0):all() and r:gt(d):all(), tostring(d))
      end
    end
  end)

  it("may be written over an operand", function()
    local x = cp.arange(1000, "int64") - 500
    local q = cp.floor_divide(x, 7)
    local d = cp.full({ 1000 }, 7, { dtype = "int64" })
    assert.is_true(cp.floor_divide(x, d, d):eq(q):all())
    x:idiv_(7)
    assert.is_true(x:eq(q):all())
  end)
end)
