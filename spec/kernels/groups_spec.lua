-- Groups of elements that one GPU thread computes: an element outside the range of a function's fast path
-- must not change its neighbours' bits. The CPU's loops are the reference, and single elements if the CPU is
-- the device. Also groups whose results are stored separately.

local cp = require "cupola"
local check = require "spec.helper.check"

local UNUSUAL = { 0, -0.0, 1e-42, -1e-42, 88.5, -87.2, -103.5, 1e5, -3e7, 3.3e38, 1e-38, math.huge, -math.huge, 0 / 0 }
local FUNCTIONS = {}
for _, name in ipairs { "exp", "exp2", "log", "log2", "log10", "sqrt", "sin", "cos" } do FUNCTIONS[name] = cp[name] end
for _, exponent in ipairs { 2.4, -0.3, 1 / 0 } do
  FUNCTIONS["x ^ " .. exponent] = function(x) return cp.power(x, exponent) end
  FUNCTIONS[exponent .. " ^ x"] = function(x) return cp.power(exponent, x) end
end
local on_cpu = cp.zeros(1).device == cp.device("cpu")

-- The elements of f(x), computed on the CPU or one by one.
local function reference(f, x)
  if not on_cpu then return f(x:cpu()):totable() end
  local out = {}
  for k = 1, #x do out[k] = f(x[("%d:%d"):format(k, k)]:copy()):item() end
  return out
end

local function difference(got, want)
  for k = 1, #want do
    local a, b = got[k], want[k]
    local equal = a == b and (a ~= 0 or 1 / a == 1 / b) or a ~= a and b ~= b
    if not equal then return ("element %d: %s for %s"):format(k, tostring(a), tostring(b)) end
  end
end

local function same_bits(f, x, what)
  local bad = difference(f(x):totable(), reference(f, x))
  if bad then error(what .. ": " .. bad, 2) end
end

describe("a group with an unusual element", function()
  for _, dtype in ipairs { "float32", "float64", "float16", "bfloat16" } do
    for name, f in pairs(FUNCTIONS) do
      it("gives the bits of single elements: " .. name .. " of " .. dtype, function()
        for at, v in ipairs(UNUSUAL) do
          local t = {}
          for k = 1, 37 do t[k] = 0.37 * k end
          t[at], t[at + 16], t[37] = v, v, v
          same_bits(f, cp.array(t, { dtype = dtype }), name .. " of " .. v)
        end
      end)
    end

    it("gives the bits of single elements: a chain of " .. dtype, function()
      local function chain(x) return cp.sqrt(x * x) * cp.exp(-x) + cp.sin(x) end
      for _, v in ipairs(UNUSUAL) do
        local t = {}
        for k = 1, 21 do t[k] = 3 - 0.7 * k end
        t[6] = v
        same_bits(chain, cp.array(t, { dtype = dtype }), "chain with " .. v)
      end
    end)
  end

  it("of transposed operands gives the same bits", function()
    local x, y = cp.linspace(-120, 120, 70 * 66):reshape(70, 66), cp.linspace(-3e4, 3e4, 66 * 70):reshape(66, 70)
    local function f(a, b) return cp.exp(a) + cp.sin(b.T) end
    local want = on_cpu and f(x, y.T:copy("C").T) or f(x:cpu(), y:cpu())
    assert.is_nil(difference(f(x, y):reshape(-1):totable(), want:reshape(-1):totable()))
  end)
end)

it("square roots are those of the CPU, over the range", function()
  local bits = cp.arange(1, 2 ^ 31 - 2 ^ 23, 9973, { dtype = "float64" })
  local x = (bits % 2 ^ 23 / 2 ^ 23 + 1) * cp.exp2(cp.floor(bits / 2 ^ 23) - 127)
  x = x:astype("float32"):eval()
  local r = cp.sqrt(x)
  local exact = cp.sqrt(x:astype("float64")):astype("float32") -- twice the digits and two more: rounds alike
  assert.is_true(cp.equal(r, exact):all())
end)

it("powers are those of groups that hold a negative element, over the range", function()
  local function column(exponents, step) -- numbers of all exponents, thousands of significands
    local bits = cp.arange(0, exponents, step, { dtype = "float64" })
    return ((bits % 1 + 1) * cp.exp2(cp.floor(bits) - exponents / 2)):eval()
  end
  for dtype, exponents in pairs { float32 = 260, float64 = 2052 } do
    local x = column(exponents, exponents / 20011):astype(dtype)
    local both = cp.stack({ x, cp.full_like(x, -1) }, 2):eval()
    for _, e in ipairs { 1 / 2.2, -0.7, 1.5, 3.3, -2.9, 40.1, 0 } do
      assert.is_true(cp.equal(cp.power(x, e), cp.power(both, e):eval()[{ {}, 1 }]):all(), dtype .. " to " .. e)
    end
  end
end)

describe("results that are stored separately", function()
  for _, dtype in ipairs { "int8", "float16", "float32", "float64", "complex64" } do
    it("are all there and nothing else: " .. dtype, function()
      for _, n in ipairs { 1, 3, 16, 17, 100, 1031 } do
        local z = cp.full(2 * n + 1, 7, { dtype = dtype })
        local x = (cp.arange(n) % 50):astype(dtype):eval()
        z["2::2"]:assign(x + x)
        local t = check.values(cp.real(z))
        for k = 1, n do
          assert.equal(7, t[2 * k - 1])
          assert.equal((k - 1) % 50 * 2, t[2 * k])
        end
        assert.equal(7, t[2 * n + 1])
      end
    end)
  end
end)
