-- cupola's figures for the programs of bench/programs/run: people's usual ones, written plainly, which were
-- not looked at when the planner was built. One line each:
-- "cupola<tab>PROGRAM<tab>ms a call of 20 queued back to back<tab>launches<tab>sum of the first result".
-- peers.py has the same programs.
--   SCALE  a factor on lengths (default 1), for checking on a CPU
--   ONLY   only the programs whose names contain it

local here = arg[0]:match "^(.*/)" or ""
local cp = require "cupola"
local timing = dofile(here .. "../timing.lua")
local scale, only = tonumber(os.getenv "SCALE" or 1), os.getenv "ONLY"
local programs = {}

cp.set_default_dtype "float32"

local function scaled(n) return math.max(4, math.floor(n * scale)) end
local function uniform(...) return cp.random.uniform(0, 1, { ... }, "float32"):eval() end
local function add(name, make) programs[#programs + 1] = { name = name, make = make } end

add("adam", function()
  local n = scaled(16777216)
  local p, g, m, v = uniform(n), uniform(n), uniform(n), uniform(n)
  return function()
    local m2 = 0.9 * m + 0.1 * g
    local v2 = 0.999 * v + 0.001 * g * g
    local p2 = p - 1e-3 * (m2 / 0.5) / (cp.sqrt(v2 / 0.3) + 1e-8)
    cp.eval(m2, v2, p2)
    return p2, v2
  end
end)
add("cross entropy", function()
  local n = scaled(8192)
  local x, y = 10 * uniform(n, n), (uniform(n) * n):astype "int64" + 1
  cp.eval(x, y)
  return function()
    local m = x:max { axis = 2, keepdims = true }
    local lse = cp.log(cp.exp(x - m):sum { axis = 2, keepdims = true }) + m
    local picked = cp.take_along_axis(x, y:reshape(n, 1), 2)
    return (lse - picked):mean():eval()
  end
end)
add("layer norm backward", function()
  local n = scaled(8192)
  local x, dy, g = uniform(n, n), uniform(n, n), uniform(n)
  return function()
    local m = x:mean { axis = 2, keepdims = true }
    local r = 1 / cp.sqrt(x:var { axis = 2, keepdims = true } + 1e-5)
    local h = (x - m) * r
    local dh = dy * g
    local dx = (dh - dh:mean { axis = 2, keepdims = true } - h * (dh * h):mean { axis = 2, keepdims = true }) * r
    local dg, db = (dy * h):sum(1), dy:sum(1)
    cp.eval(dx, dg, db)
    return dx, dg, db
  end
end)
add("causal softmax", function()
  local h, n = 16, scaled(2048)
  local x = uniform(h, n, n)
  local i, j = cp.arange(n):reshape(n, 1), cp.arange(n):reshape(1, n)
  return function()
    local s = cp.where(i:ge(j), x * 0.125, -cp.inf)
    local e = cp.exp(s - s:max { axis = 3, keepdims = true })
    return (e / e:sum { axis = 3, keepdims = true }):eval()
  end
end)
add("rotary embedding", function()
  local b, n, h, d = 8, scaled(2048), 16, 64
  local q, c, s = uniform(b, n, h, d), uniform(n, 1, 32), uniform(n, 1, 32)
  return function()
    local x1, x2 = q[":, :, :, :32"], q[":, :, :, 33:"]
    return cp.concatenate({ x1 * c - x2 * s, x1 * s + x2 * c }, 4):eval()
  end
end)
add("group norm", function()
  local n = 32
  local x = uniform(n, 64, scaled(128), 128)
  local g, b = uniform(1, 64, 1, 1), uniform(1, 64, 1, 1)
  return function()
    local y = x:reshape(n, 8, -1)
    local m, v = y:mean { axis = 3, keepdims = true }, y:var { axis = 3, keepdims = true }
    return (((y - m) / cp.sqrt(v + 1e-5)):reshape(x.shape) * g + b):eval()
  end
end)
add("Black-Scholes", function()
  local n = scaled(10000000)
  local s, k, t = uniform(n) * 100 + 1, uniform(n) * 100 + 1, uniform(n) + 0.1
  cp.eval(s, k, t)
  local function cdf(x) return 0.5 * (1 + cp.scipy.special.erf(x * 0.7071067811865476)) end
  return function()
    local q = 0.2 * cp.sqrt(t)
    local d1 = (cp.log(s / k) + (0.05 + 0.02) * t) / q
    local d2 = d1 - q
    local e = k * cp.exp(-0.05 * t)
    local c = s * cdf(d1) - e * cdf(d2)
    local p = e * cdf(-d2) - s * cdf(-d1)
    cp.eval(c, p)
    return c, p
  end
end)
add("heat, 50 steps by slices", function()
  local n = scaled(2048)
  local u0 = uniform(n, n)
  return function()
    local u = u0
    for _ = 1, 50 do
      local around = u[":-3, 2:-2"] + u["3:, 2:-2"] + u["2:-2, :-3"] + u["2:-2, 3:"]
      local inner = u["2:-2, 2:-2"] + 0.2 * (around - 4 * u["2:-2, 2:-2"])
      local v = u:copy()
      v["2:-2, 2:-2"] = inner
      u = v
    end
    return u:eval()
  end
end)
add("covariance", function()
  local x = uniform(scaled(1048576), 32)
  return function()
    local c = x - x:mean { axis = 1, keepdims = true }
    return (cp.matmul(c.T, c) / (x.shape[1] - 1)):eval()
  end
end)
add("columns normalised", function()
  local n = scaled(10000)
  local x = uniform(n, n)
  return function()
    return ((x - x:mean { axis = 1, keepdims = true }) / x:std { axis = 1, keepdims = true }):eval()
  end
end)
add("RBF sums", function()
  local n = scaled(4096)
  local x, y = uniform(n, 64), uniform(n, 64)
  return function()
    local d = (x * x):sum { axis = 2, keepdims = true } + (y * y):sum(2) - 2 * cp.matmul(x, y.T)
    return cp.exp(-0.5 * d):sum(2):eval()
  end
end)
add("LSTM cell", function()
  local b, n = scaled(1024), scaled(1024)
  local x, h, c = uniform(b, n), uniform(b, n), uniform(b, n)
  local W, U, bias = uniform(n, 4 * n), uniform(n, 4 * n), uniform(4 * n)
  W:sub_(0.5)
  U:sub_(0.5)
  local function sigmoid(z) return 1 / (1 + cp.exp(-z)) end
  return function()
    local z = cp.matmul(x, W) + cp.matmul(h, U) + bias
    local parts = cp.split(z, 4, 2)
    local c2 = sigmoid(parts[2]) * c + sigmoid(parts[1]) * cp.tanh(parts[3])
    local h2 = sigmoid(parts[4]) * cp.tanh(c2)
    cp.eval(c2, h2)
    return c2, h2
  end
end)
add("blur by slices", function()
  local n = scaled(4096)
  local x = uniform(n, n)
  local w = { 0.0625, 0.25, 0.375, 0.25, 0.0625 }
  return function()
    local y
    for k = 1, 5 do
      local t = w[k] * x[{ { k, n - 5 + k }, {} }]
      y = y and y + t or t
    end
    local z
    for k = 1, 5 do
      local t = w[k] * y[{ {}, { k, n - 5 + k } }]
      z = z and z + t or t
    end
    return z:eval()
  end
end)
add("SwiGLU, bfloat16", function()
  local n = scaled(8192)
  local x = uniform(n, 2 * n):astype "bfloat16":eval()
  return function()
    local a, b = x[{ {}, { 1, n } }], x[{ {}, { n + 1, 2 * n } }]
    return (a / (1 + cp.exp(-a)) * b):eval()
  end
end)
add("histogram equalisation", function()
  local n = scaled(4096)
  local x = (uniform(n, n) * 256):astype "uint8":eval()
  return function()
    local h = cp.bincount(x:reshape(-1), nil, 256)
    local c = cp.cumsum(h):astype "float32"
    local lut = (255 * c / c[256]):astype "uint8"
    return cp.take(lut, x:astype "int32" + 1):eval()
  end
end)
add("accuracy", function()
  local n = scaled(8192)
  local x, y = uniform(n, n), (uniform(n) * n):astype "int64" + 1
  y:eval()
  return function() return x:argmax(2):eq(y):mean():eval() end
end)
add("logsumexp along axis 0", function()
  local n = scaled(8192)
  local x = uniform(n, n)
  return function()
    local m = x:max { axis = 1, keepdims = true }
    return (cp.log(cp.exp(x - m):sum { axis = 1, keepdims = true }) + m):eval()
  end
end)
add("rows normalised by einsum", function()
  local n = scaled(1000000)
  local A, v = uniform(n, 3, 3), uniform(n, 3)
  return function()
    local w = cp.einsum("nij,nj->ni", A, v)
    return (w / cp.sqrt((w * w):sum { axis = 2, keepdims = true })):eval()
  end
end)
add("Horner, 20 terms", function()
  local n = scaled(10000000)
  local x = uniform(n)
  return function()
    local p = cp.ones(1, "float32")
    for k = 1, 20 do p = p * x + 1 / k end
    return p:eval()
  end
end)
add("wave 3-d, 10 steps", function()
  local n = scaled(256)
  local a, b = uniform(n, n, n), uniform(n, n, n)
  return function()
    local u, v = a, b
    for _ = 1, 10 do
      local lap = cp.roll(u, 1, 1) + cp.roll(u, -1, 1) + cp.roll(u, 1, 2) + cp.roll(u, -1, 2) + cp.roll(u, 1, 3)
        + cp.roll(u, -1, 3) - 6 * u
      u, v = 2 * u - v + 0.1 * lap, u
      cp.eval(u)
    end
    return u
  end
end)
add("Jacobi, dense, 50 steps", function()
  local n = scaled(2048)
  local A = (uniform(n, n) / n):eval()
  local d, b = uniform(n) + 2, uniform(n)
  d:eval()
  return function()
    local x = cp.zeros(n, "float32")
    for _ = 1, 50 do x = (b - cp.matmul(A, x)) / d end
    return x:eval()
  end
end)
add("k nearest by partition", function()
  local n = scaled(4096)
  local x, y = uniform(n, 16), uniform(n, 16)
  return function()
    local d = (x * x):sum { axis = 2, keepdims = true } + (y * y):sum(2) - 2 * cp.matmul(x, y.T)
    return cp.sort(d, 2)[":, :8"]:mean(2):eval()
  end
end)
add("gradient of pictures", function()
  local n = scaled(4096)
  local x = uniform(n, n)
  return function()
    local gx, gy = x[":, 3:"] - x[":, :-3"], x["3:, :"] - x[":-3, :"]
    local m = cp.sqrt(gx["2:-2, :"] ^ 2 + gy[":, 2:-2"] ^ 2)
    return (m / m:max()):eval()
  end
end)
add("weighted variance", function()
  local n = scaled(50000000)
  local x, w = uniform(n), uniform(n)
  return function()
    local s = w:sum()
    local m = (w * x):sum() / s
    return ((w * (x - m) ^ 2):sum() / s):eval()
  end
end)
add("heat, 50 steps, cold edges", function()
  local n = scaled(2048)
  local u0 = uniform(n, n)
  return function()
    local u = u0
    for _ = 1, 50 do
      u = u + 0.2 * (cp.roll(u, 1, 1) + cp.roll(u, -1, 1) + cp.roll(u, 1, 2) + cp.roll(u, -1, 2) - 4 * u)
      u[1], u[-1] = 0, 0
      u[":, 1"], u[":, -1"] = 0, 0
    end
    return u:eval()
  end
end)
add("Sobel, padded with zeros", function()
  local n = scaled(4096)
  local x = uniform(n, n)
  return function()
    local p = cp.pad(x, 1)
    local up, down, left, right = p[":-3, :"], p["3:, :"], p[":, :-3"], p[":, 3:"]
    local gx = right[":-3"] + 2 * right["2:-2"] + right["3:"] - left[":-3"] - 2 * left["2:-2"] - left["3:"]
    local gy = down[":, :-3"] + 2 * down[":, 2:-2"] + down[":, 3:"] - up[":, :-3"] - 2 * up[":, 2:-2"]
      - up[":, 3:"]
    return cp.sqrt(gx * gx + gy * gy):eval()
  end
end)
add("Gray-Scott, 20 steps", function()
  local n = scaled(2048)
  local u0, v0 = uniform(n, n), uniform(n, n)
  local function laplacian(a)
    return cp.roll(a, 1, 1) + cp.roll(a, -1, 1) + cp.roll(a, 1, 2) + cp.roll(a, -1, 2) - 4 * a
  end
  return function()
    local u, v = u0, v0
    for _ = 1, 20 do
      local uvv = u * v * v
      u, v = u + 0.16 * laplacian(u) - uvv + 0.035 * (1 - u), v + 0.08 * laplacian(v) + uvv - 0.095 * v
    end
    cp.eval(u, v)
    return u
  end
end)
add("bilateral filter", function()
  local n = scaled(2048)
  local x = uniform(n, n)
  return function()
    local values, weights, centre = 0, 0, x["3:-3, 3:-3"]
    for i = 0, 4 do
      for j = 0, 4 do
        local y = x[{ { 1 + i, n - 4 + i }, { 1 + j, n - 4 + j } }]
        local w = cp.exp(-((i - 2) ^ 2 + (j - 2) ^ 2) / 8 - (y - centre) ^ 2 / 0.02)
        values, weights = values + w * y, weights + w
      end
    end
    return (values / weights):eval()
  end
end)
add("Kalman filters, 20 steps", function()
  local n = scaled(1000000)
  local z = uniform(20, n)
  return function()
    local x, v, p, q, r = cp.zeros(n), cp.zeros(n), cp.ones(n), cp.zeros(n), cp.ones(n)
    for k = 1, 20 do
      x = x + v
      p, q, r = p + 2 * q + r + 0.01, q + r, r + 0.01
      local gain, other = p / (p + 0.1), q / (p + 0.1)
      local y = z[k] - x
      x, v = x + gain * y, v + other * y
      p, q, r = (1 - gain) * p, (1 - gain) * q, r - other * q
    end
    cp.eval(x, p)
    return x
  end
end)
add("heat, 20 steps in place", function()
  local n = scaled(4096)
  local u = uniform(n, n)
  local inner = u["2:-2, 2:-2"]
  return function()
    for _ = 1, 20 do
      inner:assign(inner + 0.2 * (u["3:, 2:-2"] + u[":-3, 2:-2"] + u["2:-2, 3:"] + u["2:-2, :-3"] - 4 * inner))
    end
    return u
  end
end)

local function report(program)
  cp.random.seed(1)
  local f = program.make()
  local function body() f() end -- gives nothing back, so that the scope frees the results
  local function call() cp.scope(body) end
  local sum = cp.abs((f())):astype "float64":sum():item()
  for _ = 1, 3 do call() end
  local launches = timing.count(call, "launches")
  local ms = timing.device(call, 3, scale == 1 and 20 or 1) * 1e3
  print(("cupola\t%s\t%.4f\t%d launches\tsum %.6g"):format(program.name, ms, launches, sum))
end

for _, program in ipairs(programs) do
  if not only or program.name:find(only, 1, true) then
    report(program)
    collectgarbage()
    collectgarbage()
  end
end
