-- Values that are combined with the elements which arrays of positions select (scatter_add, scatter_max,
-- scatter_min), where many of them go to few elements. Plain loops are the reference.

local cp = require "cupola"
local expect = require "spec.helper.expect"
local inf, nan = cp.inf, cp.nan

describe("many values for few elements", function()
  local N, CELLS = 9001, 37

  -- The number of each value's element, and the values, whose sums every dtype holds exactly.
  local function cell_of(k) return 7 * k % CELLS + 1 end
  local function value_of(k) return k % 3 end

  -- What f makes of the values of each cell, beginning with `first`.
  local function folded(first, f)
    local out = {}
    for cell = 1, CELLS do out[cell] = first end
    for k = 1, N do out[cell_of(k)] = f(out[cell_of(k)], value_of(k)) end
    return out
  end

  local bins, values
  before_each(function()
    local cells, all = {}, {}
    for k = 1, N do cells[k], all[k] = cell_of(k), value_of(k) end
    bins, values = cp.index(cells), cp.array(all, "int64")
  end)

  it("are combined in every dtype", function()
    local wraps = { int8 = 256, uint8 = 256 }
    for _, t in ipairs(expect.dtypes) do
      local wide = t:find "complex" and "complex128" or "float64"
      local x = cp.zeros(CELLS, t)
      cp.scatter_add(x, bins, values:astype(t))
      expect.values(x:astype(wide).real, folded(0, function(a, b)
        if t == "bool" then return (a + b > 0) and 1 or 0 end
        local sum = (a + b) % (wraps[t] or 2 ^ 40)
        return t == "int8" and sum > 127 and sum - 256 or sum
      end))
      if not t:find "complex" and t ~= "bool" then
        cp.scatter_max(x:fill(1), bins, values:astype(t))
        expect.values(x:astype "float64", folded(1, math.max))
        cp.scatter_min(x:fill(1), bins, values:astype(t))
        expect.values(x:astype "float64", folded(1, math.min))
      end
    end
  end)

  it("are added where the elements lie", function()
    local sums = folded(0, function(a, b) return a + b end)
    local host = cp.zeros({ CELLS, 5 }, "float32")
    cp.scatter_add(host[{ {}, 2 }], bins, values:astype "float32")
    expect.values(host[{ {}, 2 }], sums)
    assert.equal(0, host[{ {}, 1 }]:sum():item() + host[{ {}, { 3, 5 } }]:sum():item())
    local backwards = cp.zeros(CELLS, "float64")
    cp.scatter_add(backwards["::-1"], bins, values:astype "float64")
    expect.values(backwards["::-1"], sums)
    local rows = cp.zeros({ CELLS, 3 }, "float32")
    cp.scatter_add(rows, bins, values:astype("float32"):reshape(N, 1) * cp.array({ 1, 2, 3 }, "float32"))
    for k = 1, 3 do
      local scaled = {}
      for cell, sum in ipairs(sums) do scaled[cell] = k * sum end
      expect.values(rows[{ {}, k }], scaled)
    end
    local counts = cp.zeros({ CELLS, 2 }, "int32")
    cp.scatter_add(counts, { bins, (cp.arange(N) % 2 + 1) }, 1)
    assert.equal(N, counts:sum():item())
    assert.equal(4500, counts[{ {}, 2 }]:sum():item())
  end)

  it("leave the signs of zeros and nan as they are", function()
    local x = cp.array({ -0.0, 1, nan, 4 }, "float32")
    cp.scatter_add(x, cp.arange(8000) % 2 * 2 + 2, 1)
    expect.values(x, { -0.0, 4001, nan, 4004 })
    assert.equal(-inf, 1 / x[1])
    cp.scatter_max(x, cp.arange(8000) % 2 * 3 + 1, cp.where(cp.arange(8000):eq(7990), nan, -1):astype "float32")
    expect.values(x, { nan, 4001, nan, 4004 })
  end)

  it("are refused at positions out of range", function()
    expect.failure("index 38 is out of range for axis 1 of length 37", function()
      cp.scatter_add(cp.zeros(CELLS), cp.concatenate { bins, cp.index { CELLS + 1 } }, 1)
      cp.synchronize()
    end)
  end)
end)
