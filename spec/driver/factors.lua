-- Run by spec/devices/transfer_spec.lua with a simulated driver of two GPUs and a simulated cuDSS (cudss.c):
-- factors of sparse matrices. Prints "all as it should be".

local cp = require "cupola"
local core = require "cupola.core"

local WHERE = "factors"
local A = { { 4, 1, 0, 0 }, { 2, 5, 0, 1 }, { 0, 0, 3, 0 }, { 1, 0, 2, 6 } }
local N = #A

local function there(values, dtype, device)
  return cp.frombytes(cp.cpu.array(values, dtype):tobytes(), dtype, { device = device })
end

local function compressed(dtype, device, scale)
  local starts, columns, values = { 0 }, {}, {}
  for r = 1, N do
    for c = 1, N do
      if A[r][c] ~= 0 then
        columns[#columns + 1] = c - 1
        values[#values + 1] = A[r][c] * (scale or 1)
      end
    end
    starts[#starts + 1] = #columns
  end
  return there(starts, "int32", device), there(columns, "int32", device), there(values, dtype, device)
end

-- Factors; if memory runs out, once more.
local function factor(...)
  local ok, f, why = pcall(core.direct_factor, WHERE, ...)
  if ok then return f, why end
  assert(f:find("out of memory on cuda:", 1, true), f)
  return core.direct_factor(WHERE, ...)
end

local function near(x, want)
  assert(cp.cpu.allclose(x:to "cpu", want, { rtol = 1e-4, atol = 1e-5 }), tostring(x:to "cpu"))
end

local host = cp.cpu.array(A, "float64")

for _, device in ipairs { "cuda:0", "cuda:1" } do
  for _, dtype in ipairs { "float32", "float64", "complex64", "complex128" } do
    local scale = dtype:find "complex" and cp.complex(0, 2) or 2
    local M, x = host * scale, cp.cpu.array({ 1, -2, 3, 5 })
    local f = assert(factor(compressed(dtype, device, scale)))
    local two = there({ 1, 0, 2, -1, 4, 0, 1, 1 }, dtype, device):reshape(2, N)
    for trans, matrix in pairs { N = M, T = M.T, C = cp.conj(M.T) } do
      near(core.direct_solve(WHERE, f, there(matrix:matmul(x), dtype, device), trans), x)
      local X = core.direct_solve(WHERE, f, two, trans)
      near(matrix:matmul(X:to("cpu").T), two:to("cpu").T)
    end
    local _, _, values = core.direct_matrix(WHERE, f)
    assert(values:to "cpu":tobytes() == select(3, compressed(dtype, device, scale)):to "cpu":tobytes())
    core.direct_free(f)
    assert(not pcall(core.direct_solve, WHERE, f, two, "N"))
  end
end

-- A pivot that is 0 is a reason, not a result.
local f, why = factor(there({ 0, 1, 2 }, "int32", "cuda:0"), there({ 1, 0 }, "int32", "cuda:0"),
  there({ 1, 1 }, "float64", "cuda:0"))
assert(f == nil and why == "cuDSS changed pivots that were too small: 1", why)

-- So is a failure of the library; and a transpose that it cannot do.
f, why = factor(there({ 0, 1, 2, 3 }, "int32", "cuda:0"), there({ 0, 1, 2 }, "int32", "cuda:0"),
  there({ 1, 1, 1 }, "float64", "cuda:0"))
assert(f == nil and why:find("cudssExecute (factorization): CUDSS_STATUS_INVALID_VALUE", 1, true), why)
f = assert(factor(there({ 0, 1, 2 }, "int32", "cuda:0"), there({ 0, 1 }, "int32", "cuda:0"),
  there({ 1, 2 }, "float64", "cuda:0")))
local two = there({ 3, 4 }, "float64", "cuda:0")
assert(core.direct_solve(WHERE, f, two, "T") == nil)
near(core.direct_solve(WHERE, f, two, "N"), cp.cpu.array { 3, 2 })

-- Positions are checked.
local function refuses(starts, columns)
  local ok, message = pcall(core.direct_factor, WHERE, there(starts, "int32", "cuda:0"),
    there(columns, "int32", "cuda:0"), there({ 1, 1, 1 }, "float64", "cuda:0"))
  assert(not ok and message:find("not canonical", 1, true), message)
end
refuses({ 0, 2, 3 }, { 1, 0, 1 })
refuses({ 0, 1, 2 }, { 0, 1, 1 })

-- Streams use the factors one after the other, and what is dropped is given back.
local starts, columns, values = compressed("float64", "cuda:0")
local kept = assert(factor(starts, columns, values))
local x = cp.cpu.array { 3, 1, 4, 1.5 }
local results = {}
for k = 1, 10 do
  cp.cuda.Stream():with(function()
    results[k] = core.direct_solve(WHERE, kept, there((host:matmul(x) * k):to "cpu", "float64", "cuda:0"), "N")
  end)
end
for k, y in ipairs(results) do near(y, x * k) end
local pool = cp.get_default_memory_pool()
local used
for k = 1, 40 do
  factor(starts, columns, values)
  if k % 10 == 0 then
    collectgarbage()
    collectgarbage()
    core.direct_free(factor(starts, columns, values))
    assert(used == nil or pool:used_bytes() == used, "memory is left")
    used = pool:used_bytes()
  end
end

-- The library's memory would not count towards a limit.
local before = cp.memory().limit
cp.memory { limit = cp.memory().live + 2 ^ 20 }
f, why = core.direct_factor(WHERE, starts, columns, values)
cp.memory { limit = before }
assert(f == nil and why:find("limit", 1, true), why)

-- Others end with the state.
assert(factor(starts, columns, values))
print "all as it should be"
