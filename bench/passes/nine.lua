-- The nine programs of the first table of bench/passes/run, and two of them in a graph, written with
-- cupola's operators. Returns a list of { key =, goal = milliseconds on an H200, tolerance = of values,
-- make = }: make(size) prepares the data and returns the function to time, which returns evaluated arrays,
-- and for a graph the number of its kernels. nine.py has the same programs for the peers.

local cp = require "cupola"
local data = dofile((debug.getinfo(1, "S").source:match "^@(.*/)" or "") .. "data.lua")

local function square(side) return data.fractions(side * side, data.GOLDEN):reshape(side, side):eval() end

local function three(n)
  return data.fractions(n, data.GOLDEN), data.fractions(n, data.SILVER), data.fractions(n, data.BRONZE)
end

local function softmax(size)
  local x = square(size.side)
  return function()
    local e = cp.exp(x - x:max { axis = 2, keepdims = true })
    return (e / e:sum { axis = 2, keepdims = true }):eval()
  end
end

local function layer_norm(size)
  local x = square(size.side)
  local g = (data.fractions(size.side, data.SILVER) + 0.5):eval()
  local b = data.fractions(size.side, data.BRONZE)
  return function()
    local m, v = x:mean { axis = 2, keepdims = true }, x:var { axis = 2, keepdims = true }
    return ((x - m) / cp.sqrt(v + 1e-5) * g + b):eval()
  end
end

local function rms_norm_gelu(size)
  local x = square(size.side)
  return function()
    local y = x / cp.sqrt((x * x):mean { axis = 2, keepdims = true } + 1e-6)
    return (0.5 * y * (1 + cp.tanh(0.7978845608 * (y + 0.044715 * y ^ 3)))):eval()
  end
end

local function accelerations(size)
  local n = size.bodies
  local x, y, z = three(n)
  return function()
    local dx = x:reshape(1, n) - x:reshape(n, 1)
    local dy = y:reshape(1, n) - y:reshape(n, 1)
    local dz = z:reshape(1, n) - z:reshape(n, 1)
    local r2 = dx * dx + dy * dy + dz * dz + 1e-3
    local w = 1 / (r2 * cp.sqrt(r2))
    return ((dx * w):sum(2) + (dy * w):sum(2) + (dz * w):sum(2)):eval()
  end
end

local function squared_distances(size)
  local n = size.points
  local p = data.fractions(3 * n, data.GOLDEN):reshape(n, 3)
  local q = data.fractions(3 * n, data.SILVER):reshape(n, 3)
  return function()
    local d = p:reshape(n, 1, 3) - q:reshape(1, n, 3)
    return (d * d):sum(3):eval()
  end
end

local function roll(size)
  local x = square(size.side)
  return function()
    return (cp.roll(x, 1, 1) + cp.roll(x, -1, 1) + cp.roll(x, 1, 2) + cp.roll(x, -1, 2) - 4 * x):eval()
  end
end

local function conjugate_gradients(size)
  local n = size.unknowns
  local m = data.fractions(n * n, data.GOLDEN, "float64"):reshape(n, n)
  local A = ((m + m.T) / (2 * n) + cp.diag(1 + 100 * cp.arange(n, "float64") / n)):eval()
  local b = data.fractions(n, data.SILVER, "float64")
  return function()
    local x, r, p = cp.zeros(n, "float64"), b, b
    local rs = (r * r):sum()
    for _ = 1, size.cg_steps do
      local Ap = cp.matmul(A, p)
      local alpha = rs / (p * Ap):sum()
      x = x + alpha * p
      r = r - alpha * Ap
      local new = (r * r):sum()
      p = r + (new / rs) * p
      rs = new
    end
    return x:eval()
  end
end

local function lorenz(a, b, c) return 10 * (b - a), a * (28 - c) - b, a * b - 8 / 3 * c end

local function runge_kutta(size)
  local n, h = size.orbits, 0.01
  local a0, b0, c0 = three(n)
  return function()
    local a, b, c = a0, b0, c0
    for _ = 1, size.rk_steps do
      local a1, b1, c1 = lorenz(a, b, c)
      local a2, b2, c2 = lorenz(a + h / 2 * a1, b + h / 2 * b1, c + h / 2 * c1)
      local a3, b3, c3 = lorenz(a + h / 2 * a2, b + h / 2 * b2, c + h / 2 * c2)
      local a4, b4, c4 = lorenz(a + h * a3, b + h * b3, c + h * c3)
      a = a + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
      b = b + h / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
      c = c + h / 6 * (c1 + 2 * c2 + 2 * c3 + c4)
      cp.eval(a, b, c)
    end
    return a, b, c
  end
end

local function convolution(size)
  local A = square(size.plane)
  local k = data.fractions(size.plane * size.plane, data.SILVER):reshape(size.plane, size.plane)
  return function() return cp.fft.irfft2(cp.fft.rfft2(A) * cp.fft.rfft2(k)):eval() end
end

-- The same program, recorded once and replayed.
local function in_graph(make)
  return function(size)
    local f = make(size)
    cp.scope(function() f() end) -- compiles, and loads libraries
    local graph = cp.cuda.graph(f)
    return graph, graph.kernels
  end
end

return {
  { key = "softmax", goal = 0.135, make = softmax },
  { key = "layer norm", goal = 0.135, tolerance = 1e-3, make = layer_norm },
  { key = "RMS norm and GELU", goal = 0.140, make = rms_norm_gelu },
  { key = "accelerations of bodies", goal = 0.40, tolerance = 1e-3, make = accelerations },
  { key = "squared distances", goal = 0.025, make = squared_distances },
  { key = "roll, four ways", goal = 0.15, tolerance = 1e-3, make = roll },
  { key = "conjugate gradients, float64", goal = 1.5, make = conjugate_gradients },
  { key = "conjugate gradients, in a graph", goal = 0.9, make = in_graph(conjugate_gradients) },
  { key = "RK4 of Lorenz", goal = 1.8, tolerance = 1e-3, make = runge_kutta },
  { key = "RK4 of Lorenz, in a graph", goal = 0.5, tolerance = 1e-3, make = in_graph(runge_kutta) },
  { key = "irfft2(rfft2(A) * rfft2(k))", goal = 0.44, make = convolution },
}
