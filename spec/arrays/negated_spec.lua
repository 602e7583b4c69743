-- The greatest and least of negated integers. GPUs take them of three numbers by one instruction, in which
-- CUDA 13.0's assembler loses the sign of the second (kernels/prelude/integer.h). Expected values come from
-- Lua.

local cp = require "cupola"

local DTYPES = { "int8", "int16", "int32", "int64" }
local N = 96

-- Some whole numbers from -60 to 60, all on one side of 0 for `side` 1 or -1.
local function numbers(seed, side)
  local t = {}
  for k = 1, N do
    local v = (k * 37 + seed * 11) % 121 - 60
    t[k] = side == 0 and v or side * math.abs(v)
  end
  return t
end

local function map(f, ...)
  local lists, t = { ... }, {}
  for k = 1, N do t[k] = f(lists[1][k], lists[2] and lists[2][k], lists[3] and lists[3][k]) end
  return t
end

-- The first position of the greatest of -v, and that.
local function most_negated(t, first, last)
  local at = first
  for k = first, last do
    if -t[k] > -t[at] then at = k end
  end
  return at - first + 1, -t[at]
end

describe("negated integers", function()
  for _, dtype in ipairs(DTYPES) do
    it("are compared with others: " .. dtype, function()
      for _, side in ipairs { 0, 1, -1 } do
        local x, y, z = numbers(1, side), numbers(2, side), numbers(3, side)
        local a, b, c = cp.array(x, dtype), cp.array(y, dtype), cp.array(z, dtype)
        local function same(want, got) assert.same(want, got:totable()) end
        same(map(function(u, v, w) return math.max(u, -v, w) end, x, y, z), cp.maximum(cp.maximum(a, -b), c))
        same(map(function(u, v, w) return math.max(-u, v, w) end, x, y, z), cp.maximum(cp.maximum(-a, b), c))
        same(map(function(u, v, w) return math.max(-u, -v, -w) end, x, y, z), cp.maximum(-a, cp.maximum(-b, -c)))
        same(map(function(u, v, w) return math.min(u, -v, -w) end, x, y, z), cp.minimum(-c, cp.minimum(a, -b)))
        same(map(function(u, v, w) return math.max(u, -math.abs(v), w) end, x, y, z),
          cp.maximum(cp.maximum(a, -cp.abs(b)), c))
      end
    end)

    it("are reduced: " .. dtype, function()
      for _, side in ipairs { 0, 1, -1 } do
        local t = numbers(4, side)
        for _, n in ipairs { 3, 16, 64, N } do
          local x = cp.array(t, dtype)[{ { 1, n } }]:copy()
          local at, most = most_negated(t, 1, n)
          assert.same({ at, most }, { cp.argmax(-x):item(), cp.max(-x):item() })
          local rows = cp.stack { x, x, x }
          assert.same({ at, at, at }, cp.argmax(-rows, 2):totable())
          assert.same({ most, most, most }, cp.max(-rows, 2):totable())
          assert.same(map(function(v) return v and -v end, t)[n], cp.max(-rows, 1)[n])
          local shifted = (-rows) - cp.max(-rows, { axis = 2, keepdims = true })
          assert.same({ 0, 0, 0 }, cp.max(shifted, 2):totable())
          assert.equal(cp.ptp(x):item(), cp.ptp(-x):item())
        end
      end
    end)
  end

  it("are compared in kernels written in Lua", function()
    local k = cp.jit.elementwise([[function(a, b, c)
      local negative, product, difference = -b, b * -2, 0 - b
      return math.max(math.max(a, negative), c), cp.maximum(cp.maximum(a, product), c),
        math.min(math.min(a, difference), c), math.max(math.max(a, -(b + 1)), c)
    end]])
    local x, y, z = numbers(1, 1), numbers(2, 1), numbers(3, 1)
    for _, dtype in ipairs { "int16", "int32", "int64" } do
      local results = { k(cp.array(x, dtype), cp.array(y, dtype), cp.array(z, dtype)) }
      local want = { function(u, v, w) return math.max(u, -v, w) end,
        function(u, v, w) return math.max(u, -2 * v, w) end, function(u, v, w) return math.min(u, -v, w) end,
        function(u, v, w) return math.max(u, -(v + 1), w) end }
      for j, f in ipairs(want) do assert.same(map(f, x, y, z), results[j]:totable()) end
    end
  end)
end)
