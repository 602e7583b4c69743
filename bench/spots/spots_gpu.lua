-- Milliseconds of programs that were once behind CuPy and PyTorch on a GPU, one line each,
-- "KEY<tab>VALUE": the device's time of one call of twenty that are queued back to back, or for copies the
-- host's clock of a call that is waited for. bench/spots/spots_gpu.py has the same rows of CuPy and PyTorch,
-- and bench/spots/spots_gpu.sh runs both and joins them. ROWS selects rows, as in bench/run.

local here = arg[0]:match "^(.*/)" or ""
local cp = require "cupola"
local timing = dofile(here .. "../timing.lua")
local linalg, N = cp.linalg, cp.scipy.ndimage

local function report(key, f)
  if not timing.is_wanted(key) then return end
  local ok, ms = pcall(f)
  print(ok and ("%s\t%.4f"):format(key, ms) or ("%s\tfailed: %s"):format(key, tostring(ms):gsub("\n.*", "")))
  io.stdout:flush()
end

-- Calls that wait in themselves, such as decompositions, are as slow by events as by the host's clock.
local function queued(key, f)
  local function call()
    cp.scope(function()
      local y = f()
      if cp.is_array(y) then y:eval() end
    end)
  end
  report(key, function()
    for _ = 1, 5 do call() end
    return timing.device(call, 9, 20) * 1e3
  end)
end

local function waited(key, f)
  report(key, function()
    local best = math.huge
    for _ = 1, 7 do best = math.min(best, timing.waited(f)) end
    return best * 1e3
  end)
end

local function noise(n, dtype) return timing.scrambled(n):astype(dtype or "float64"):eval() end

do
  local x, xp, fp = (noise(1e7) * 1e5):eval(), cp.arange(100000, "float64"):eval(), noise(100000)
  queued("interp 1e7 in 1e5", function() return cp.interp(x, xp, fp) end)
  queued("searchsorted 1e7 in 1e5", function() return cp.searchsorted(xp, x) end)
  local sorted = cp.sort(x):eval()
  queued("interp 1e7 sorted in 1e5", function() return cp.interp(sorted, xp, fp) end)
  local xs, xps, fps = x:astype "float32":eval(), xp:astype "float32":eval(), fp:astype "float32":eval()
  queued("interp 1e7 in 1e5 float32", function() return cp.interp(xs, xps, fps) end)
end
for _, dtype in ipairs { "float64", "float32" } do
  for _, n in ipairs { 512, 2048, 4096 } do
    local m = noise(n * n, dtype):reshape(n, n)
    local s = ((m + m.T) / 2 + n * cp.eye(n, { dtype = dtype })):eval()
    queued(("cholesky %d %s"):format(n, dtype), function() return linalg.cholesky(s) end)
    queued(("cholesky upper %d %s"):format(n, dtype), function() return linalg.cholesky(s, true) end)
  end
end
for _, kb in ipairs { 64, 256, 1024, 4096 } do
  local h, d = cp.cpu.ones(kb * 256, "float32"):eval(), cp.ones(kb * 256, "float32"):eval()
  -- freed at once, as reference counts do
  waited(("host to device, %d KB pageable"):format(kb), function() cp.array(h):free() end)
  waited(("device to host, %d KB pageable"):format(kb), function() d:get():free() end)
  waited(("device to host, %d KB, kept"):format(kb), function() return d:get() end)
end
for _, dtype in ipairs { "float16", "bfloat16", "float32" } do
  local n = 4096
  local a, b = (noise(n * n, "float32") - 0.5):astype(dtype), (noise(n * n, "float32") - 0.5):astype(dtype)
  a, b = a:reshape(n, n):eval(), b:reshape(n, n):eval()
  local bias = noise(n, "float32"):astype(dtype):eval()
  queued("matmul 4096 " .. dtype, function() return cp.matmul(a, b) end)
  for _, activation in ipairs { "none", "relu", "gelu_tanh", "gelu" } do
    queued(("linear 4096 %s %s"):format(dtype, activation), function() return linalg.linear(a, b, bias, activation) end)
  end
end
for _, dtype in ipairs { "float32", "float64" } do
  for _, columns in ipairs { 8, 16, 31, 32 } do
    local x = noise(2 ^ 20 * columns, dtype):reshape(-1, columns)
    local y = (1 - x):eval()
    queued(("X.T @ Y, 1048576 x %d %s"):format(columns, dtype), function() return cp.matmul(x.T, y) end)
  end
end
do
  local x = noise(4096 * 4096, "float32"):reshape(4096, 4096)
  local byte = (x * 255):astype("uint8"):eval()
  for _, size in ipairs { 3, 5, 7 } do
    queued(("median_filter %d"):format(size), function() return N.median_filter(x, size) end)
  end
  queued("median_filter 5 uint8", function() return N.median_filter(byte, 5) end)
  queued("rank_filter 2 of 5 x 5", function() return N.rank_filter(x, 2, 5) end)
  queued("percentile_filter 20 of 5 x 5", function() return N.percentile_filter(x, 20, 5) end)
end
