-- cp.scipy.io.mmwrite: numbers are written as printf's %g does with the fewest digits, from 15 on (float32:
-- from 6 on), that read back.

local cp = require "cupola"

local io_ = cp.scipy.io

local function shortest(v, narrow)
  for digits = narrow and 6 or 15, 17 do
    local text = string.format("%." .. digits .. "g", v)
    local back = tonumber(text)
    if narrow then back = cp.array({ back }, { dtype = "float32", device = "cpu" })[1] end
    if back == v then return text end
  end
end

-- Numbers of all sizes: short ones, random ones, beside powers of two and ten, and at the ends of the range.
local function numbers()
  local r = cp.random.default_rng(7):random { 150 }
  return cp.concatenate { r, -r, r * 1e-9, r * 1e14, cp.exp(120 * (r - 0.5)), cp.round(r * 1000) / 1000,
    cp.arange(100) / 8, 1 / cp.arange(1, 100), cp.exp2(cp.arange(80) - 40), cp.arange(100) * 0.1,
    cp.power(10, cp.arange(60) - 30.0),
    cp.array { 0.3, 0.1 + 0.2, 1e22, 1e23, 123456789012345680, 0.0001, 0.00001, 99999.99999999999, 0.99999999999999989,
      1e15, 1e16, 1e17, 5e-324, 1.7976931348623157e308, 2 ^ 53 + 2, -0.0 } }:to "cpu"
end

it("numbers of Matrix Market files have the fewest digits that read back", function()
  local name = os.tmpname()
  for _, dtype in ipairs { "float64", "float32" } do
    local x = numbers():astype(dtype)
    x = x[cp.isfinite(x)]
    io_.mmwrite(name, x:reshape { -1, 1 })
    local k, file = 0, assert(io.open(name .. ".mtx"))
    for line in file:lines() do
      if not line:find "^%%" and not line:find " " then
        k = k + 1
        local v = x[k]
        local whole = v == math.floor(v) and math.abs(v) < 1e15 and not (v == 0 and 1 / v < 0)
        local want = whole and string.format("%d", v) or shortest(v, dtype == "float32")
        if not rawget(_G, "jit") then assert.equal(want, line) end -- LuaJIT's digits are its own
      end
    end
    file:close()
    assert.equal(x.size, k)
    local back = io_.mmread(name .. ".mtx"):reshape { -1 }
    assert.is_true(cp.array_equal(back:astype(dtype), x:astype(dtype):to(back.device)))
  end
  os.remove(name)
  os.remove(name .. ".mtx")
end)
