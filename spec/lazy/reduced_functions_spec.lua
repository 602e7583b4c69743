-- Sums and extremes of functions, which a kernel computes in batches: by forms that are right for most
-- arguments, or by full ones. Values are those of the functions alone, and of Lua's.

local cp = require "cupola"

local function close(got, want, tolerance, what)
  if math.abs(got - want) > tolerance * math.max(1, math.abs(want)) then
    error(("%s: %.17g where %.17g is expected"):format(what, got, want), 2)
  end
end

describe("reductions of functions", function()
  it("have the bits of the functions, also of arguments and results that are not normal", function()
    local functions = { exp = math.exp, log = math.log, sqrt = math.sqrt, sin = math.sin, cos = math.cos,
      reciprocal = function(v) return 1 / v end }
    for dtype, tolerance in pairs { float32 = 1e-6, float64 = 1e-14 } do
      local least, edge = dtype == "float32" and 1e-45 or 5e-324, dtype == "float32" and 88 or 709
      local list = { 0, -0.0, 1, 0.75, -3, 7.25, least, -least, edge, edge + 1, -edge, -edge - 8, -edge - 40, 1e5,
        -1e5, 1e30, math.huge, -math.huge, 0 / 0 }
      local values = cp.array(list, dtype)
      for name, of_number in pairs(functions) do
        local f = cp[name]
        local want = f(values):eval()
        for k, v in ipairs(want:totable()) do
          local number = of_number(values[k]) -- of what the dtype keeps of it
          local size = math.abs(number)
          if size < 1e30 and size > 1e-30 and math.abs(values[k]) < 1e4 then close(v, number, tolerance, name) end
        end
        for _, n in ipairs { 1, 3, 40, 1000 } do -- whatever is beside an argument
          local x = cp.ones({ n, #list }, dtype) * values
          local others = cp.where(cp.equal(cp.arange(n):reshape(-1, 1), n - 1), x, 1):eval()
          assert.is_true(cp.array_equal(f(x):max(1), want, true), name)
          assert.is_true(cp.array_equal(f(x.T:copy()):max(2), want, true), name)
          local nearest = f(cp.ones({ 1 }, dtype))
          assert.is_true(cp.array_equal(f(others):min(1), n > 1 and cp.minimum(want, nearest) or want, true), name)
        end
        for k = 1, #list do
          local all = cp.full({ 3000 }, values[k], dtype)
          assert.is_true(cp.array_equal(f(all):max():reshape(1), want[{ { k, k } }], true), name)
        end
      end
    end
  end)
end)
