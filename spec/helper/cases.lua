-- Runs the calls of golden data that spec/golden/listing.py wrote, and compares with NumPy's results.

local cp = require "cupola"
local assert = require "luassert"
local expect = require "spec.helper.expect"

local unpack = table.unpack or unpack -- luacheck: ignore

local cases = {}

-- The value of a Lua expression over the arrays of the golden data.
local function evaluate(text, env)
  local f
  if rawget(_G, "setfenv") then
    f = setfenv(assert(loadstring("return " .. text)), env) -- luacheck: ignore
  else
    f = assert(load("return " .. text, text, "t", env)) -- luacheck: ignore
  end
  return f()
end

local function environment(golden)
  local env = { cp = cp, select = select }
  for _, a in ipairs(golden.arrays) do env[a[1]] = evaluate(a[2], env) end
  return env
end

-- Values of a case, complex ones as real and imaginary parts.
local function parts(list)
  local re, im = {}, {}
  for k, v in ipairs(list) do
    re[k], im[k] = type(v) == "table" and v[1] or v, type(v) == "table" and v[2] or 0
  end
  return re, im
end

-- How far values of a dtype may be from NumPy's, which are around 1.
local TOLERANCE = { float16 = 2e-3, float32 = 2e-6, complex64 = 2e-6 }

local function check(x, dtype, shape, values)
  if not cp.is_array(x) then x = cp.array(x) end
  assert.equal(dtype, x.dtype)
  expect.shape(x, unpack(shape))
  local re, im = parts(values)
  local flat, tolerance = x:ravel(), TOLERANCE[dtype] or 1e-12
  if dtype:find "^complex" then
    expect.values(flat.imag, im, nil, tolerance)
    flat = flat.real
  end
  expect.values(flat, re, nil, tolerance)
end

--- Defines a test for each case of the golden data at a path. it: busted's.
function cases.define(path, it)
  local golden = dofile(path)
  for _, case in ipairs(golden.cases) do
    local text, dtype, shape, values = unpack(case)
    it(text, function() check(evaluate(text, environment(golden)), dtype, shape, values) end)
  end
end

return cases
