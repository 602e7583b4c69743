-- Times work of programs that were once behind NumPy and SciPy on the CPU device, one line each,
-- "KEY<tab>MICROSECONDS" of processor time: least of rounds of about 20 ms. bench/spots/spots.py has the same
-- rows of NumPy and SciPy, and bench/spots/spots.sh runs both by turns and joins them. ROWS selects rows, as
-- in bench/run.

local here = arg[0]:match "^(.*/)" or ""
local cp = require "cupola"
local timing = dofile(here .. "../timing.lua")
local unpack = table.unpack or unpack -- luacheck: ignore
local passes = {}
for _, program in ipairs(dofile(here .. "../passes/nine.lua")) do passes[program.key] = program.make end

local ROUNDS, SECONDS = tonumber(os.getenv "ROUNDS" or 7), 0.02

-- Times f(), whose results are new arrays: they are computed, and freed as reference counts would free them.
-- With `steps`, f makes further arrays, which a scope frees.
local function row(key, f, steps)
  if not timing.is_wanted(key) then return end
  local function finish(x, ...)
    if x == nil then return end
    x:eval():free()
    if ... then return finish(...) end
  end
  local function body() finish(f()) end
  local call = steps and function() cp.scope(body) end or body
  local n, best = 1, math.huge
  call()
  for _ = 1, ROUNDS + 1 do
    local t = os.clock()
    for _ = 1, n do call() end
    local each = (os.clock() - t) / n
    best = math.min(best, each)
    n = math.max(1, math.floor(SECONDS / math.max(each, 1e-7)))
  end
  print(("%s\t%.3f"):format(key, best * 1e6))
  io.stdout:flush()
end

local function noise(n, dtype) return timing.scrambled(n):astype(dtype or "float64"):eval() end
local function square(n) return noise(n * n):reshape(n, n) end

for _, dtype in ipairs { "float32", "float64" } do
  local x = noise(1500000, dtype)
  row("partition 1.5e6 at 100, " .. dtype, function() return cp.partition(x, 100) end)
  row("argpartition 1.5e6 at 100, " .. dtype, function() return cp.argpartition(x, 100) end)
  local rows = x["1:1000000"]:reshape(1000, 1000)
  row("partition 1000 x 1000 at 500, " .. dtype, function() return cp.partition(rows, 500) end)
end
for _, dtype in ipairs { "float32", "float64" } do
  local X, w, v = noise(1562500, dtype):reshape(15625, 100), noise(100, dtype), noise(15625, dtype)
  row("X @ w, 15625 x 100, " .. dtype, function() return cp.matmul(X, w) end)
  row("X.T @ v, 15625 x 100, " .. dtype, function() return cp.matmul(X.T, v) end)
  local A, b = noise(128 * 128, dtype):reshape(128, 128), noise(128, dtype)
  row("A @ b, 128 x 128, " .. dtype, function() return cp.matmul(A, b) end)
  local B, c = noise(2000 * 2000, dtype):reshape(2000, 2000), noise(2000, dtype)
  row("A @ b, 2000 x 2000, " .. dtype, function() return cp.matmul(B, c) end)
  row("b @ A, 2000 x 2000, " .. dtype, function() return cp.matmul(c, B) end)
end
do
  local solve = passes["conjugate gradients, float64"] { unknowns = 128, cg_steps = 20 }
  row("20 conjugate gradients, 128 x 128", solve, "steps")
  row("20 conjugate gradients, fusion off", function()
    cp.fusion(false)
    local x = solve()
    cp.fusion(true)
    return x
  end, "steps")
end
row("10 steps of RK4, 15625 points", passes["RK4 of Lorenz"] { orbits = 15625, rk_steps = 10 }, "steps")
do
  local places = (noise(156250) * 1e6):astype "int64" % 1000000 + 1
  local values, sums = noise(156250, "float32"), cp.zeros(1000000, "float32")
  places:eval()
  row("scatter_add 156250 into 1e6", function() cp.scatter_add(sums, places, values) end)
  row("scatter_add a number", function() cp.scatter_add(sums, places, 1) end)
end
do
  local x, y = noise(1000000), noise(1000001)["2:1000001"]:copy()
  row("histogram2d 1e6, 50 x 50", function() return (cp.histogram2d(x, y, 50)) end, "steps")
  row("histogram2d 1e4, 10 x 10", function() return (cp.histogram2d(x["1:10000"], y["1:10000"], 10)) end, "steps")
end
for _, n in ipairs { 128, 256 } do
  local m = square(n)
  local s = ((m + m.T) / 2 + n * cp.eye(n)):eval()
  local b = noise(n)
  row(("solve %d"):format(n), function() return cp.linalg.solve(s, b) end)
  row(("cholesky %d"):format(n), function() return cp.linalg.cholesky(s) end)
  row(("eigh %d"):format(n), function() return cp.linalg.eigh(s) end)
end
do
  local table_x, x = cp.arange(100000, "float64"), (noise(1000000) * 1e5):eval()
  local table_y = noise(100000)
  row("interp 1e6 in 1e5", function() return cp.interp(x, table_x, table_y) end)
  row("searchsorted 1e6 in 1e5", function() return cp.searchsorted(table_x, x) end)
  local few = cp.linspace(0, 1e5, 1000)
  row("searchsorted 1e6 in 1000", function() return cp.searchsorted(few, x) end)
  local sorted = cp.sort(x)
  row("searchsorted 1e6 sorted in 1e5", function() return cp.searchsorted(table_x, sorted) end)
  row("interp 1e6 sorted in 1e5", function() return cp.interp(sorted, table_x, table_y) end)
end
do
  local cells = noise(512 * 512):reshape(512, 512):lt(0.3):astype("uint8"):eval()
  row("Game of life, 512 x 512 uint8", function()
    local n
    for _, by in ipairs { { -1, -1 }, { -1, 0 }, { -1, 1 }, { 0, -1 }, { 0, 1 }, { 1, -1 }, { 1, 0 }, { 1, 1 } } do
      local moved = cp.roll(cells, by, { 1, 2 })
      n = n and n + moved or moved
    end
    return (n:eq(3) + cells * n:eq(2)):astype "uint8"
  end, "steps")
  local padded = cp.zeros({ 514, 514 }, "uint8")
  padded[{ { 2, 513 }, { 2, 513 } }] = cells
  row("Game of life by views, 512 x 512", function()
    local n
    for dy = 0, 2 do
      for dx = 0, 2 do
        if dy ~= 1 or dx ~= 1 then
          local moved = padded[{ { 1 + dy, 512 + dy }, { 1 + dx, 512 + dx } }]
          n = n and n + moved or moved
        end
      end
    end
    return cp.logical_or(n:eq(3), cp.logical_and(n:eq(2), cells:ne(0))):astype "uint8"
  end, "steps")
  local x = noise(1000000, "float32"):reshape(1000, 1000)
  row("roll of 1000 x 1000, axis 1", function() return cp.roll(x, 1, 1) end)
  row("roll of 1000 x 1000, axis 2", function() return cp.roll(x, 1, 2) end)
  row("roll of 1000 x 1000, flat", function() return cp.roll(x, 1) end)
  row("roll of 1e5", function() return cp.roll(x:reshape(-1)["1:100000"], 7) end, "steps")
end
do
  local a, b = (noise(100000) * 10 + 0.1):eval(), (noise(100001)["2:100001"] * 10 + 0.1):eval()
  row("special.beta 1e5", function() return cp.scipy.special.beta(a, b) end)
  row("special.betaln 1e5", function() return cp.scipy.special.betaln(a, b) end)
  local rng = cp.random.default_rng(1)
  row("hypergeometric(100, 200, 50) 1e5", function() return rng:hypergeometric(100, 200, 50, 100000) end)
  row("hypergeometric(10, 20, 8) 1e5", function() return rng:hypergeometric(10, 20, 8, 100000) end)
  local bits = noise(100):lt(0.5):eval()
  row("packbits of 100", function() return cp.packbits(bits) end)
  row("packbits of 100, left to the collector", function() cp.packbits(bits) end)
  local many = noise(1000000):lt(0.5):eval()
  row("packbits of 1e6", function() return cp.packbits(many) end)
end
do
  local x = noise(1000000)
  local i = (x * 1e6):astype "int64":eval()
  local z, narrow = (x + cp.j * (1 - x)):eval(), i:astype "int32":eval()
  row("int64 // 7, 1e6", function() return cp.floor_divide(i, 7) end)
  row("int64 % 7, 1e6", function() return cp.remainder(i, 7) end)
  row("int32 // 7, 1e6", function() return cp.floor_divide(narrow, 7) end)
  row("complex exp 1e6", function() return cp.exp(z) end)
  row("complex angle 1e6", function() return cp.angle(z) end)
  local few, many = cp.arange(1000) * 3, (noise(100000) * 1e6):astype "int64":eval()
  row("isin of int64, 1e6 in 1000", function() return cp.isin(i, few) end, "steps")
  row("isin of int64, 1e6 in 1e5", function() return cp.isin(i, many) end, "steps")
  local short, long = {}, {}
  for k = 1, 10000 do short[k] = x[{ { k * 10, k * 10 + 9 } }] end
  for k = 1, 100 do long[k] = x[{ { k * 1000, k * 1000 + 999 } }] end
  row("concatenate 1e4 of 10", function() return cp.concatenate(short) end)
  row("concatenate 100 of 1000", function() return cp.concatenate(long) end)
end
do
  local x, y = noise(1000000), (noise(1000001)["2:1000001"] * 3):eval()
  local half, few, region = x:lt(0.5):eval(), x:lt(0.01):eval(), cp.arange(1000000):lt(400000):eval()
  local flat = cp.where(half, x, 0):eval()
  for _, case in ipairs {
    { "half true", half }, { "1 % true", few }, { "a region", region }, { "float64", flat },
    { "1000 x 1000", half:reshape(1000, 1000) },
  } do
    row("nonzero of 1e6, " .. case[1], function()
      local list = cp.nonzero(case[2])
      return unpack(list, #list) -- all are one array
    end)
  end
  for _, dtype in ipairs { "float64", "float32" } do
    local b, e = (x + 0.5):astype(dtype):eval(), y:astype(dtype):eval()
    row("x ^ 2.5, 1e6 " .. dtype, function() return b ^ 2.5 end)
    row("x ^ y, 1e6 " .. dtype, function() return b ^ e end)
    for _, name in ipairs { "log", "log2", "log10", "exp", "exp2" } do
      local f = cp[name]
      row(("%s 1e6 %s"):format(name, dtype), function() return f(b) end)
    end
  end
end
do
  local N = cp.scipy.ndimage
  local percolation = noise(2048 * 2048, "float32"):reshape(2048, 2048):lt(0.59):eval()
  row("ndimage.label 2048 x 2048", function() return (N.label(percolation)) end, "steps")
  local x = noise(1024 * 1024, "float32"):reshape(1024, 1024)
  local labels = (x:reshape(-1)["::-1"]:reshape(1024, 1024) * 1e5):astype("int32"):eval()
  local index = cp.arange(1, 100001)
  row("ndimage.sum_labels 1e5", function() return N.sum_labels(x, labels, index) end, "steps")
  row("ndimage.grey_opening 31", function() return N.grey_opening(x, 31) end, "steps")
  row("ndimage.grey_opening 5", function() return N.grey_opening(x, 5) end, "steps")
end
