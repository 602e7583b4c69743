-- Device times of chains and reductions of rolled and padded arrays, which are read where they lie:
-- milliseconds a call, of 20 calls queued back to back, the best of 5 rounds, and the bytes that must move
-- per second. The last rows are the same work on arrays in memory.
--
--   ./dev lua bench/families/moves.lua

local cp = require "cupola"
local timing = dofile((debug.getinfo(1, "S").source:match "^@(.*/)" or "") .. "../timing.lua")

local N = cp.cuda.is_available() and 8192 or 2048

-- passes: how often the bytes of an array must move.
local function row(name, passes, f)
  local seconds = timing.queued(f)
  print(("%-44s %8.4f ms %8.0f GB/s"):format(name, seconds * 1e3, passes * N * N * 4 / seconds / 1e9))
end

local x = timing.fractions(N * N, timing.GOLDEN):astype("float32"):reshape(N, N):eval()
row("roll both ways along both axes, minus 4 x", 2, function()
  return (x:roll(1, 1) + x:roll(-1, 1) + x:roll(1, 2) + x:roll(-1, 2) - 4 * x):eval()
end)
row("roll along the rows", 2, function() return x:roll(1, 2):eval() end)
row("roll along the columns", 2, function() return x:roll(1, 1):eval() end)
row("sum of x * roll(x) along the rows", 1, function() return (x * x:roll(1, 2)):sum():eval() end)
row("sums of rows of x * roll(x)", 1, function() return (x * x:roll(1, 2)):sum(2):eval() end)
row("sums of columns of x * roll(x)", 1, function() return (x * x:roll(1, 2)):sum(1):eval() end)
row("pad by one, wrap", 2, function() return cp.pad(x, 1, "wrap"):eval() end)
row("pad by one, reflect", 2, function() return cp.pad(x, 1, "reflect"):eval() end)
row("x + x, for comparison", 2, function() return (x + x):eval() end)
row("sum, for comparison", 1, function() return x:sum():eval() end)
