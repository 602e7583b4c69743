-- Device times of reductions over broadcast domains, and of reductions of rows and columns in memory that
-- must stay as they are: milliseconds a call, of 20 calls queued back to back, the best of 5 rounds; and what
-- a GPU needs for it, where something is known about that.
--
--   ./dev lua bench/families/domain.lua

local cp = require "cupola"
local timing = dofile((debug.getinfo(1, "S").source:match "^@(.*/)" or "") .. "../timing.lua")

local function row(name, note, make)
  cp.scope(function() print(("%-56s %8.4f ms  %s"):format(name, timing.queued(make()) * 1e3, note)) end)
end

local function scattered(shape, step)
  local size = 1
  for _, n in ipairs(shape) do size = size * n end
  return timing.fractions(size, step or timing.GOLDEN):reshape(shape):eval()
end

local function points(n, k, form)
  return function()
    local p, q = scattered { n, k }, scattered({ n, k }, timing.SILVER)
    return function() return form(p:reshape(n, 1, k), q:reshape(1, n, k)):eval() end
  end
end

local function squares(p, q)
  local d = p - q
  return (d * d):sum(3)
end

local function bodies(n, form)
  return function()
    local c = { scattered { n }, scattered({ n }, timing.SILVER), scattered({ n }, 0.3027756377319946) }
    return function()
      local d = {}
      for k = 1, 3 do d[k] = c[k]:reshape(1, n) - c[k]:reshape(n, 1) end
      return form(d[1], d[2], d[3]):eval()
    end
  end
end

local function attraction(x, y, z)
  local r2 = x * x + y * y + z * z + 1e-3
  return (x * (1 / (r2 * cp.sqrt(r2)))):sum(2)
end

print(cp.device())
row("squared distances, 4096 x 4096 points of 3", "goal 0.025; 0.016 to store; was 0.105",
  points(4096, 3, squares))
row("squared distances, 4095 x 4095 points of 3", "as above", points(4095, 3, squares))
row("squared distances, 4096 x 4096 points of 8", "0.016 to store, 0.013 arithmetic",
  points(4096, 8, squares))
row("squared distances, 4096 x 4096 points of 16", "0.016 to store, 0.025 arithmetic",
  points(4096, 16, squares))
row("largest difference, 4096 x 4096 points of 3", "0.016 to store", points(4096, 3, function(p, q)
  return (p - q):max(3)
end))
row("its position", "0.032 to store", points(4096, 3, function(p, q) return (p - q):argmax(3) end))
row("attraction of 16384 bodies, one sum", "0.27 by 33 instructions a pair at 1.98 GHz; was 0.84",
  bodies(16384, attraction))
row("16384 x 16384 squared distances, nearest", "0.06 arithmetic", bodies(16384, function(x, y, z)
  return (x * x + y * y + z * z):min(2)
end))
row("mean distance along a line, 16384 x 16384", "0.025 arithmetic", bodies(16384, function(x)
  return cp.abs(x):mean(2)
end))
row("bell curves around 16384 at 16384 places", "0.18 by 22 instructions a pair", bodies(16384, function(x)
  return cp.exp(x * x * -0.5):sum(2)
end))
local function matrix(shape, axis)
  return function()
    local x = scattered(shape)
    return function() return x:sum(axis):eval() end
  end
end
row("sum of 1e7 rows of 10", "must not slow down; 0.4 GB", matrix({ 1e7, 10 }, 2))
row("sum of 1e4 rows of 1e4", "must not slow down; 0.4 GB", matrix({ 1e4, 1e4 }, 2))
row("sum of 1e4 columns of 1e4", "must not slow down; 0.4 GB", matrix({ 1e4, 1e4 }, 1))
row("sum of 3 of 4 channels of 4096 x 4096 pixels", "0.27 GB", function()
  local x = scattered { 4096, 4096, 4 }[":, :, 1:3"]
  return function() return x:sum(3):eval() end
end)
