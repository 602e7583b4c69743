-- Sparse arrays against SciPy: every expression of spec/golden/sparse/sparse.lua with the operands in each
-- format.

local cp = require "cupola"
local golden = require "spec.golden.sparse.sparse"

local sp = cp.sparse
local load_text = loadstring or load -- luacheck: ignore

local function array(x)
  local values = {}
  for k = 1, #x do values[k] = x[k] end
  local a = #values > 0 and cp.array(values, { dtype = x.dtype }) or cp.empty({ 0 }, { dtype = x.dtype })
  return a:reshape(x.shape)
end

local function sparse(x, dtype, format)
  local A = sp.coo_array { data = cp.array(x.data, { dtype = dtype }), row = cp.index(x.row), col = cp.index(x.col),
    shape = x.shape }
  if format == "bsr" then return A:tobsr { x.shape[1], 1 } end
  return A:asformat(format)
end

-- A csr array whose rows are unsorted and repeat columns.
local function raw(x, dtype)
  local data, indices, indptr = {}, {}, { 0 }
  for row = 0, x.shape[1] - 1 do
    for k = 1, #x.row do
      if x.row[k] == row then data[#data + 1], indices[#indices + 1] = x.data[k], x.col[k] end
    end
    indptr[row + 2] = #data
  end
  return sp.csr_array { data = cp.array(data, { dtype = dtype }), indices = cp.index(indices):astype "int32",
    indptr = cp.index(indptr):astype "int32", shape = x.shape }
end

local function set(A, key, value)
  A = A:copy()
  A[key] = value
  return A
end

local function setdiag(A, value, k)
  A = A:copy()
  A:setdiag(value, k)
  return A
end

local function resized(A, shape)
  A = A.format == "bsr" and A:tobsr { 1, 1 } or A:copy() -- blocks must divide both shapes
  A:resize(shape)
  return A
end

local TOLERANCE = { float64 = 1e-13, float32 = 1e-5, complex128 = 1e-13, complex64 = 1e-5 }
-- SciPy's positions and counts are int32 or int64; cupola's are int64.
local WHOLE = { int64 = true, uint64 = true, int32 = true }

-- What is wrong with a value, or nil.
local function fault(expected, value)
  if cp.type(value) == "sparse" then value = value:toarray() end
  if not cp.is_array(value) then value = cp.array(value, { dtype = expected.dtype }) end
  local wanted = array(expected)
  if tostring(wanted.shape) ~= tostring(value.shape) then return "shape " .. tostring(value.shape) end
  if value.dtype ~= expected.dtype and not (WHOLE[value.dtype] and WHOLE[expected.dtype]) then
    return ("dtype %s, not %s"):format(value.dtype, expected.dtype)
  end
  local tolerance, good = TOLERANCE[expected.dtype]
  if tolerance then
    good = cp.allclose(value, wanted, { rtol = tolerance, atol = tolerance, equal_nan = true })
  else
    good = cp.array_equal(value, wanted:astype(value.dtype))
  end
  return not good and tostring(value) .. "\nis not\n" .. tostring(wanted) or nil
end

local function run(data, format)
  local env = {}
  for _, name in ipairs { "A", "B", "S" } do
    env[name] = format == "raw" and raw(data[name], data.dtype) or sparse(data[name], data.dtype, format)
  end
  for _, name in ipairs { "D", "v", "w" } do env[name] = array(data[name]) end
  local faults = {}
  for _, case in ipairs(data) do
    local f = assert(load_text("local cp, sp, A, B, S, D, v, w, set, setdiag, resized = ... return " .. case[1]))
    local ok, value = pcall(f, cp, sp, env.A, env.B, env.S, env.D, env.v, env.w, set, setdiag, resized)
    local bad = not ok and value or ok and fault(case[2], value)
    if bad then faults[#faults + 1] = case[1] .. ": " .. bad end
  end
  assert.equal("", table.concat(faults, "\n"))
end

describe("sparse arrays", function()
  for _, format in ipairs { "csr", "csc", "coo", "raw", "dia", "bsr" } do
    for _, data in ipairs(golden) do
      it(("give SciPy's results in %s, %s"):format(format, data.dtype), function() run(data, format) end)
    end
  end
end)
