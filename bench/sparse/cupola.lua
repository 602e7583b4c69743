-- Times of sparse work in cupola: bench/sparse/run runs this beside its peers. Prints lines "MATRIX WORK
-- MICROSECONDS GB/S", the last for products with vectors: the rate at which values, positions, x and the
-- result are moved if each is moved once. Arguments: a folder with the matrices that matrices.py wrote as npy
-- files, and the seconds for each measurement. PROCESSOR_TIME=1: of one thread's processor instead of the
-- clock, for machines with other work.

local cp = require "cupola"
local sp = cp.sparse

local folder, seconds = arg[1], tonumber(arg[2] or 0.3)
local device = cp.device()
local large = folder:find "large"
local clock = os.getenv "PROCESSOR_TIME" and os.clock or cp.clock

-- Pages that this process touched for the first time.
local function faults()
  local f = io.open "/proc/self/stat"
  if not f then return 0 end
  local count = f:read "a":match "%) %S+ %d+ %d+ %d+ %-?%d+ %-?%d+ %d+ (%d+)"
  f:close()
  return tonumber(count)
end

-- Calls of f for some seconds: the least, the median and the mean time in microseconds, page faults a call.
local function calls(f, length)
  local times, before, begin = {}, faults(), clock()
  repeat
    local start = clock()
    f()
    times[#times + 1] = (clock() - start) * 1e6
  until clock() - begin > length
  local mean, touched = (clock() - begin) * 1e6 / #times, (faults() - before) / #times
  table.sort(times)
  return ("%.1f\t%.1f\t%.1f\t%.1f"):format(times[1], times[math.floor(#times / 2) + 1], mean, touched)
end

-- The least time of a call in microseconds, over repetitions that take `seconds` in all.
local function least(f)
  local best, begin = math.huge, clock()
  repeat
    local start, count = clock(), 0
    repeat
      f()
      count = count + 1
      if not device.name:find "cuda" or count % 50 == 0 then cp.synchronize() end
    until clock() - start > seconds / 20
    cp.synchronize()
    best = math.min(best, (clock() - start) / count)
  until clock() - begin > seconds
  return best * 1e6
end

-- Results are freed at once, as Python frees them.
local function freed(work)
  return function()
    local result = work()
    if result and type(result) ~= "number" then result:free() end
  end
end

-- Says that a work is ready, and measures it whenever a line tells for how many seconds, for turns.py.
local function turns(matrix, work, f)
  f()
  print(("ready\t%s\t%s"):format(matrix, work))
  io.stdout:flush()
  for line in io.lines() do
    if line == "next" then break end
    print(calls(f, tonumber(line)))
    io.stdout:flush()
  end
end

local function report(matrix, work, f, bytes)
  f = freed(f)
  if os.getenv "TURNS" then return turns(matrix, work, f) end
  local ok, value = pcall(function()
    f()
    cp.synchronize()
    return least(f)
  end)
  if ok then
    print(("%s\t%s\t%.1f\t%s"):format(matrix, work, value, bytes and ("%.0f"):format(bytes / value / 1e3) or ""))
  else
    print(("%s\t%s\tfailed: %s"):format(matrix, work, value))
  end
  io.stdout:flush()
  cp.collect()
end

local function load(name, part) return cp.load(("%s/%s_%s.npy"):format(folder, name, part)):to(device.name) end

local function single(name, A, rows, columns)
  for _, width in ipairs { 8, 64, 256 } do
    local X = cp.ones({ columns, width }, "float32")
    report(name, "spmm " .. width, function() return A:dot(X):eval() end)
  end
  report(name, "transpose", function() return A.T:tocsr() end)
  local chosen = cp.random.default_rng(1):integers(1, rows + 1, { size = { 100000 } })
  report(name, "slice 1e5 rows", function() return A[{ chosen }] end)
  local few = A[{ { 1, math.min(rows, math.ceil(2e7 / columns)) } }]
  report(name, "toarray, 2e7 elements", function() return few:toarray() end)
  if rows ~= columns then return end
  report(name, "A + A.T", function() return A + A.T end)
  if name == "laplace5" or name == "banded" or name == "rmat17" then
    report(name, "A A", function() return A:matmul(A) end)
  end
end

for line in io.lines(folder .. "/names") do
  local name, rows, columns = line:match "(%S+) (%d+) (%d+)"
  rows, columns = tonumber(rows), tonumber(columns)
  local indptr, indices, data = load(name, "indptr"), load(name, "indices"), load(name, "data")
  for _, dtype in ipairs { "float32", "float64" } do
    local A = sp.csr_array { data = data:astype(dtype), indices = indices, indptr = indptr,
      shape = { rows, columns } }
    local x = cp.ones({ columns }, dtype)
    local size = dtype == "float32" and 4 or 8
    report(name, "spmv " .. dtype, function() return A:dot(x):eval() end,
      A.nnz * (size + 4) + (rows + 1) * 4 + (rows + columns) * size)
    if dtype == "float32" then
      single(name, A, rows, columns)
    elseif name:find "laplace" then
      local b = cp.ones(rows)
      report(name, "cg, 50 steps", function() return sp.linalg.cg(A, b, { rtol = 0, maxiter = 50 }) end)
    elseif name == "rmat" then
      local graph = A + A.T
      report(name, "eigsh, 6 largest", function() return sp.linalg.eigsh(graph, 6, { tol = 1e-6 }) end)
      report(name, "connected components", function() return sp.csgraph.connected_components(A) end)
    end
  end
end

local count, n = large and 1e8 or 1e6, large and 1e7 or 1e5
local rng = cp.random.default_rng(1)
local function places() return rng:integers(0, n, { size = { count }, dtype = "int32" }):eval() end
local o = { row = places(), col = places(), data = cp.ones({ count }, "float32"), shape = { n, n } }
report("triplets", "csr", function() return sp.csr_array(o) end)

if not device.name:find "cuda" then
  dofile((arg[0]:match "^(.*)/" or ".") .. "/kinds.lua")(report, function(name)
    for line in io.lines(folder .. "/names") do
      local rows, columns = line:match("^" .. name .. " (%d+) (%d+)$")
      if rows then
        return sp.csr_array { data = load(name, "data"):astype "float64", indices = load(name, "indices"),
          indptr = load(name, "indptr"), shape = { tonumber(rows), tonumber(columns) } }
      end
    end
  end)
end
