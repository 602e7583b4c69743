-- Times of sparse work in cupola: bench/sparse/run runs this beside its peers. Prints lines "MATRIX WORK
-- MICROSECONDS". Arguments: a folder with the matrices that matrices.py wrote as npy files, and the seconds
-- for each measurement.

local cp = require "cupola"
local sp = cp.sparse

local folder, seconds = arg[1], tonumber(arg[2] or 0.3)
local device = cp.device()

-- The least time of a call in microseconds, over repetitions that take `seconds` in all.
local function time(f)
  f()
  cp.synchronize()
  local best, begin = math.huge, cp.clock()
  repeat
    local start, count = cp.clock(), 0
    repeat
      f()
      count = count + 1
      cp.synchronize()
    until cp.clock() - start > seconds / 20
    best = math.min(best, (cp.clock() - start) / count)
  until cp.clock() - begin > seconds
  return best * 1e6
end

local function report(matrix, work, f)
  local ok, value = pcall(time, f)
  if ok then
    print(("%s\t%s\t%.1f"):format(matrix, work, value))
  else
    print(("%s\t%s\tfailed: %s"):format(matrix, work, value))
  end
  cp.collect()
end

local function load(name, part) return cp.load(("%s/%s_%s.npy"):format(folder, name, part)):to(device.name) end

for name in io.lines(folder .. "/names") do
  local indptr = load(name, "indptr")
  local n = #indptr - 1
  for _, dtype in ipairs { "float32", "float64" } do
    local A = sp.csr_array { data = load(name, "data"):astype(dtype), indices = load(name, "indices"), indptr = indptr,
      shape = { n, n } }
    local x = cp.ones({ n }, dtype)
    report(name, "spmv " .. dtype, function() A:dot(x):eval() end)
    if dtype == "float32" then
      for _, width in ipairs { 8, 64 } do
        local X = cp.ones({ n, width }, dtype)
        report(name, "spmm " .. width, function() A:dot(X):eval() end)
      end
      report(name, "transpose", function() return A.T:tocsr() end)
      local rows = cp.random.default_rng(1):integers(1, n + 1, { size = { 100000 } })
      report(name, "slice 1e5 rows", function() return A[{ rows }] end)
      report(name, "A + A.T", function() return A + A.T end)
      if name ~= "rmat" and name ~= "random" then report(name, "A A", function() return A:matmul(A) end) end
      local row, col, data = sp.find(A)
      local order = load(name, "order") + 1
      row, col, data = row[order]:astype "int32", col[order]:astype "int32", data[order]
      local o = { data = data, row = row - 1, col = col - 1, shape = { n, n } }
      o.row:eval()
      o.col:eval()
      report(name, "csr from triplets", function() return sp.csr_array(o) end)
      local few = A[{ { 1, math.min(n, math.ceil(2e7 / n)) } }]
      report(name, "toarray, 2e7 elements", function() return few:toarray() end)
    elseif name:find "laplace" then
      local b = cp.ones(n)
      report(name, "cg, 50 steps", function() sp.linalg.cg(A, b, { rtol = 0, maxiter = 50 }) end)
    end
  end
end
