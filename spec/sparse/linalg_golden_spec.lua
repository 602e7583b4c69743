-- cp.scipy.sparse.linalg against SciPy and dense linear algebra: every expression of
-- spec/golden/sparse/sparse_linalg.lua with the operands in each format.

local cp = require "cupola"
local golden = require "spec.golden.sparse.sparse_linalg"
local superlu = require "spec.helper.superlu"

local sp = cp.sparse
local load_text = loadstring or load -- luacheck: ignore

local function array(x)
  local values = {}
  for k = 1, #x do values[k] = x[k] end
  return cp.array(values, { dtype = x.dtype }):reshape(x.shape)
end

local function sparse(x, dtype, format)
  local A = sp.coo_array { data = cp.array(x.data, { dtype = dtype }), row = cp.index(x.row), col = cp.index(x.col),
    shape = x.shape }
  return A:asformat(format)
end

-- Complex numbers by their real, then their imaginary parts, rounded so that pairs keep their order.
local function sorted(x)
  local list = x:totable()
  local function key(v) return { math.floor(v.re * 1e9 + 0.5), math.floor(v.im * 1e9 + 0.5) } end
  table.sort(list, function(a, b)
    a, b = key(a), key(b)
    if a[1] ~= b[1] then return a[1] < b[1] end
    return a[2] < b[2]
  end)
  return cp.array(list, { dtype = x.dtype })
end

local TOLERANCE = { float64 = 1e-9, complex128 = 1e-9, float32 = 2e-4, complex64 = 2e-4 }
local SINGLE = { float32 = true, complex64 = true }

-- What is wrong with a value, or nil.
local function fault(expected, value, dtype)
  if cp.type(value) == "sparse" then value = value:toarray() end
  local wanted = array(expected)
  if tostring(wanted.shape) ~= tostring(value.shape) then return "shape " .. tostring(value.shape) end
  if SINGLE[value.dtype] ~= SINGLE[dtype] then return "dtype " .. value.dtype end
  local tolerance = TOLERANCE[dtype]
  if not cp.allclose(value, wanted, { rtol = tolerance, atol = tolerance }) then
    return tostring(value) .. "\nis not\n" .. tostring(wanted)
  end
end

local function needs_superlu(text)
  for _, name in ipairs { "splu", "spilu", "spsolve", "factorized", "inv", "sigma", "M = P" } do
    if text:find(name, 1, true) then return true end
  end
  return false
end

local function run(data, format)
  local env = {}
  for _, name in ipairs { "G", "H", "P", "R", "V" } do env[name] = sparse(data[name], data.dtype, format) end
  for _, name in ipairs { "w", "W" } do env[name] = array(data[name]) end
  local faults = {}
  for _, case in ipairs(data) do
    if not (superlu.missing and needs_superlu(case[1])) then
      local f = assert(load_text("local linalg, sorted, G, H, P, R, V, w, W = ... return " .. case[1]))
      local ok, value = pcall(f, sp.linalg, sorted, env.G, env.H, env.P, env.R, env.V, env.w, env.W)
      local bad = not ok and value or ok and fault(case[2], value, data.dtype)
      if bad then faults[#faults + 1] = case[1] .. ": " .. bad end
    end
  end
  assert.equal("", table.concat(faults, "\n"))
end

describe("sparse linear algebra", function()
  for _, data in ipairs(golden) do
    for _, format in ipairs(SINGLE[data.dtype] and { "csr" } or { "csr", "csc", "coo" }) do
      it(("gives SciPy's results in %s, %s"):format(format, data.dtype), function() run(data, format) end)
    end
  end
end)
