-- Measures, on the current device, what it costs that the last of several values wins in writes by arrays of
-- positions:
--   ./dev lua bench/families/scatter.lua [PATTERN]
-- Prints a line for each combination of dtype (row: 64 float32), number of positions, number of elements and
-- order of positions that contains PATTERN. Columns, in microseconds per call: when any of the values may
-- win; by default; under cp.deterministic(true). Then follow the host's part of the first and the last of
-- these, and the ratios to the first. Calls are consecutive, so small ones are launch-bound. WRONG: the last
-- value did not win where it must. The default is well chosen (src/cuda/routines/last.c) if "always" is below
-- 1.33 exactly where "default" is the same.

local timing = dofile((arg[0]:match "^(.*/)" or "") .. "../timing.lua")
local cp = require "cupola"
local core = require "cupola.core"

local PATTERN = arg[1] or ""
local COUNTS, ELEMENTS = { 1e3, 1e5, 1e6, 1e7 }, { 1e3, 1e5, 1e6, 1e7, 1e8 }
local KINDS = { { "float32", "float32", 1 }, { "float64", "float64", 1 }, { "row", "float32", 64 } }
local BUDGET = 0.03 -- seconds for each figure

-- Positions from 1 to n: in random order, or ascending.
local function places(order, count, n)
  return cp.scope(function()
    if order == "ascending" then return (cp.arange(count, "int64") % n + 1):eval() end
    local k = cp.arange(count, "float64")
    local fractions = ((k * timing.GOLDEN) % 1) * ((k * timing.SILVER) % 1) * 1e5 % 1
    return (cp.floor(fractions * n):astype("int64") + 1):eval()
  end)
end

local function is_right(x, at, v, n)
  return cp.scope(function()
    local last = cp.zeros(n, "int64")
    cp.scatter_max(last, at, cp.arange(#at) + 1)
    local written = cp.flatnonzero(last)
    return cp.array_equal(x[written], v[last[written]])
  end)
end

local function numbers(count, width, dtype)
  return cp.scope(function()
    local v = (cp.arange(count * width) % 8191):astype(dtype)
    return (width > 1 and v:reshape(count, width) or v):eval()
  end)
end

local function line(kind, count, n, order)
  local name, dtype, width = kind[1], kind[2], kind[3]
  local at, v = places(order, count, n), numbers(count, width, dtype)
  local x = cp.zeros(width > 1 and { n, width } or { n }, dtype)
  local function any() core.scatter("bench", "any", x, at, v) end
  local function write() x[at] = v end
  local function host(f) return count <= 1e5 and timing.host(f, 2000) * 1e6 or 0 end
  local free, by_default = timing.budgeted(any, BUDGET), timing.budgeted(write, BUDGET)
  local alone = host(any)
  cp.deterministic(true)
  local always, together = timing.budgeted(write, BUDGET), host(write)
  local wrong = is_right(x, at, v, n) and "" or "WRONG"
  cp.deterministic(false)
  print(("%-8s %5.0e %5.0e %-9s %10.2f %10.2f %10.2f   host %6.2f %6.2f   default %5.2f always %5.2f %s"):format(
    name, count, n, order, free * 1e6, by_default * 1e6, always * 1e6, alone, together, by_default / free,
    always / free, wrong))
  for _, a in ipairs { at, x, v } do a:free() end
end

print(("%-8s %5s %5s %-9s %10s %10s %10s"):format("dtype", "count", "of", "order", "any", "default", "always"))
for _, kind in ipairs(KINDS) do
  for _, count in ipairs(COUNTS) do
    for _, n in ipairs(ELEMENTS) do
      for _, order in ipairs { "random", "ascending" } do
        local text = ("%s %.0e %.0e %s"):format(kind[1], count, n, order)
        if kind[3] * n <= 1e9 and text:find(PATTERN) then line(kind, count, n, order) end
      end
    end
  end
end
