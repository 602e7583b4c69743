-- Times random numbers, the Mandelbrot script and batches of small matrices on the current device:
-- ./dev lua bench/random.lua [N] [REPEATS]. Medians by events (the script: by the clock), numbers per second, and the
-- goals on an H200 at n = 1e8.

local cp = require "cupola"

local N, REPEATS = math.floor(tonumber(arg[1] or 1e8)), tonumber(arg[2] or 20)

local function middle(times)
  table.sort(times)
  return times[math.floor(#times / 2) + 1]
end

-- The result of f, where there is one, is freed; the first two calls compile kernels and take memory.
local function median_of(f)
  local times = {}
  for k = -1, REPEATS do
    local from, to = cp.cuda.Event(), cp.cuda.Event()
    from:record()
    local result = f()
    to:record()
    to:synchronize()
    times[k] = cp.cuda.get_elapsed_time(from, to)
    if result then result:free() end
  end
  return middle { (table.unpack or unpack)(times) } -- luacheck: ignore
end

local function row(name, goal, f, n)
  local ms = median_of(f)
  local rate = n and ("%8.0f G/s"):format(n / ms / 1e6) or ""
  print(("%-44s %10.4f ms %-14s %s"):format(name, ms, rate, goal or ""))
end

print(("n = %d, goals in brackets"):format(N))
local rng = cp.random.default_rng(1)
for _, dtype in ipairs { "float32", "float64" } do
  local out = cp.empty(N, dtype)
  local single = dtype == "float32"
  row("uniform " .. dtype, single and "(1080 G/s)", function() out:assign(rng:random(N, dtype)) end, N)
  row("normal " .. dtype, single and "(600 G/s)", function() out:assign(rng:normal(0, 1, N, dtype)) end, N)
  row("exponential " .. dtype, nil, function() out:assign(rng:exponential(1, N, dtype)) end, N)
  out:free()
end
for _, dtype in ipairs { "float32", "float64" } do
  row("Monte-Carlo pi " .. dtype, dtype == "float32" and "(0.18 ms)", function()
    local u, v = rng:random(N, dtype), rng:random(N, dtype)
    return (u ^ 2 + v ^ 2):lt(1):mean()
  end, N)
  row("mean of uniform " .. dtype, nil, function() return rng:random(N, dtype):mean() end, N)
  row("mean of normal " .. dtype, nil, function() return rng:normal(0, 1, N, dtype):mean() end, N)
end

local has_curand = pcall(cp.random.XORWOW, 1)
for _, name in ipairs(has_curand and { "XORWOW", "MRG32k3a", "MTGP32", "Philox4_32_10", "Sobol32" } or {}) do
  local generator = cp.random.Generator(cp.random[name](1))
  row("uniform float32, cuRAND's " .. name, nil, function() return generator:random(N, "float32"):eval() end, N)
end

-- The script of the tutorials: masks, complex numbers, an early end.
local function mandelbrot(n, steps)
  local X, Y = cp.meshgrid(cp.linspace(-2, 1, n), cp.linspace(-1.5, 1.5, n), { indexing = "ij" })
  local C = X + cp.j * Y
  local Z = cp.zeros_like(C)
  local mat, mask = cp.zeros(C.shape), cp.ones(C.shape, "bool")
  for k = 1, steps do
    Z[mask] = Z[mask] ^ 2 + C[mask]
    local newly = cp.abs(Z):gt(2):logical_and(mask)
    if newly:any() then
      mat[newly] = k - Z[newly]:abs():log():log() / math.log(2)
      mask[newly] = false
    end
    if not mask:any() then break end
  end
  cp.synchronize()
end

local times = {}
for k = -1, math.min(REPEATS, 10) do
  local start = cp.clock()
  mandelbrot(1024, 100)
  times[k] = (cp.clock() - start) * 1e3
end
print(("%-44s %10.4f ms %-14s (10 ms)"):format("Mandelbrot 1024^2, 100 steps",
  middle { (table.unpack or unpack)(times) }, "")) -- luacheck: ignore

-- Results are freed at once here, so the pool's pace plays no part.
local batch = 10000
local many = (cp.random.rand(batch, 16, 16, "float32") + 4 * cp.eye(16, "float32")):eval()
local right = cp.random.rand(batch, 16, 1, "float32"):eval()
row("matmul of 10000 16 x 16", "(0.045 ms)", function() return cp.matmul(many, many) end)
row("solve 10000 16 x 16", "(0.114 ms)", function() return cp.linalg.solve(many, right) end)
