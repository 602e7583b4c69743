-- cp.random's permutations, shuffles and choices.

local cp = require "cupola"

describe("random orders", function()
  -- Whether list holds 1..n once each.
  local function is_permutation(list, n)
    local seen = {}
    for _, v in ipairs(list) do
      v = tonumber(v)
      if v < 1 or v > n or seen[v] then return false end
      seen[v] = true
    end
    return #list == n
  end

  it("are permutations of any length", function()
    local rng = cp.random.default_rng(6)
    for _, n in ipairs { 0, 1, 2, 3, 5, 15, 16, 17, 31, 32, 33, 64, 100, 255, 256, 257, 1000, 4096, 5000 } do
      assert.is_true(is_permutation(rng:permutation(n):totable(), n), tostring(n))
    end
  end)

  -- Every element must be equally often at every position: (n - 1)^2 degrees of freedom.
  it("put every element equally often at every position", function()
    for _, n in ipairs { 4, 16, 17, 40 } do
      local rounds = 4000
      local x = cp.random.default_rng(8):permuted(cp.broadcast_to(cp.range(1, n), { rounds, n }):copy(), 2):totable()
      local count, x2 = {}, 0
      for _, row in ipairs(x) do
        assert.is_true(is_permutation(row, n))
        for k, v in ipairs(row) do
          local place = k * 64 + tonumber(v)
          count[place] = (count[place] or 0) + 1
        end
      end
      for k = 1, n do
        for v = 1, n do x2 = x2 + ((count[k * 64 + v] or 0) - rounds / n) ^ 2 / (rounds / n) end
      end
      local freedom = (n - 1) ^ 2
      assert.is_true(math.abs(x2 - freedom) < 5 * math.sqrt(2 * freedom), ("n %d: %.1f"):format(n, x2))
    end
  end)

  it("make all permutations of four elements, and both parities, equally often", function()
    local x, count = cp.random.default_rng(8):permuted(cp.broadcast_to(cp.range(1, 4), { 6000, 4 }):copy(), 2), {}
    for _, row in ipairs(x:totable()) do
      local key = ("%d%d%d%d"):format(row[1], row[2], row[3], row[4])
      count[key] = (count[key] or 0) + 1
    end
    local kinds, x2 = 0, 0
    for _, c in pairs(count) do kinds, x2 = kinds + 1, x2 + (c - 250) ^ 2 / 250 end
    assert.equal(24, kinds)
    assert.is_true(x2 < 60) -- 23 degrees of freedom
    local odd = 0
    local rows = cp.broadcast_to(cp.range(1, 64), { 400, 64 }):copy()
    for _, row in ipairs(cp.random.default_rng(8):permuted(rows, 2):totable()) do
      local cycles, seen = 0, {}
      for k = 1, 64 do
        if not seen[k] then cycles = cycles + 1 end
        local at = k
        while not seen[at] do
          seen[at] = true
          at = tonumber(row[at])
        end
      end
      odd = odd + cycles % 2
    end
    assert.is_true(odd > 150 and odd < 250, odd)
  end)

  it("shuffle in place along axes, and change nothing else", function()
    local rng = cp.random.default_rng(9)
    local x = cp.arange(60):reshape { 20, 3 }
    local rows = rng:permutation(x)
    local whole = cp.array({ { 0, 1, 2 } }, "int64") + cp.zeros({ 20, 1 }, "int64")
    assert.is_true(cp.array_equal(rows - rows[{ {}, { 1, 1 } }], whole))
    assert.equal(cp.arange(60):sum():item(), rows:sum():item())
    local y = x:copy()
    assert.equal(y, rng:shuffle(y))
    assert.is_false(cp.array_equal(x, y))
    assert.equal(x:sum():item(), y:sum():item())
    local columns = rng:permutation(x, 2)
    assert.is_true(cp.array_equal(columns:sum(2), x:sum(2)))
    local view = cp.arange(20):reshape { 4, 5 }
    rng:shuffle(view[{ {}, { 2, 4 } }], 2)
    assert.is_true(cp.array_equal(view[{ {}, 1 }], cp.array({ 0, 5, 10, 15 }, "int64")))
    assert.is_true(cp.array_equal(view:sum(2), cp.array({ 10, 35, 60, 85 }, "int64")))
    assert.is_true(rng:permuted(x):has_shape(20, 3) and rng:permuted(cp.zeros { 0, 3 }, 2):has_shape(0, 3))
    assert.is_true(cp.array_equal(rng:permuted(x, 1):sum(1), x:sum(1)))
  end)

  it("choose", function()
    local rng = cp.random.default_rng(10)
    local x = rng:choice(4, 4000)
    assert.is_true(x.dtype == "int64" and x:min():item() == 1 and x:max():item() == 4)
    assert.is_true(is_permutation(rng:choice(30, 30, false):totable(), 30))
    local few = rng:choice({ 10, 20, 30, 40, 50 }, 3, false):totable()
    assert.is_true(#few == 3 and few[1] ~= few[2] and few[2] ~= few[3] and few[1] ~= few[3])
    local weighted = rng:choice({ 0, 1, 2 }, { 50, 100 }, { p = { 0.5, 0, 0.5 } })
    assert.is_true(weighted:has_shape(50, 100) and weighted:ne(1):all())
    assert.is_true(math.abs(weighted:mean():item() - 1) < 0.08)
    for _ = 1, 20 do
      local two = rng:choice(4, 2, false, { 0.5, 0, 0.5, 0 }):totable()
      assert.is_true(two[1] + two[2] == 4 and two[1] ~= two[2])
    end
    local table_of = cp.arange(12):reshape { 4, 3 }
    assert.is_true(rng:choice(table_of, 5):has_shape(5, 3))
    assert.is_true(rng:choice(table_of, { 2, 5 }, { axis = 2 }):has_shape(4, 2, 5))
    assert.equal("number", type(rng:choice(3)))
    assert.equal(0, rng:choice(0, 0).size)
    assert.equal(5, #rng:bytes(5))
  end)
end)
