-- The roofline of every kernel family: its time, and the fraction of the copy bandwidth that its memory
-- traffic achieves, at sizes from launch-bound to as large as memory. Prints Markdown.
-- Usage: roofline.lua [SIZE ...]    on the current device; default 1e4 1e6 1e8 3e9 on a GPU, else 1e4 1e6 1e7

local here = arg[0]:match "^(.*/)" or ""
local timing = dofile(here .. "../timing.lua")
local families = dofile(here .. "families.lua")
local cp = require "cupola"
local on_gpu = cp.device().kind == "cuda"

local BUDGET = on_gpu and 0.06 or 0.15 -- seconds for one cell
local LIMIT = on_gpu and 85 or 600 -- seconds for all; the remaining cells stay empty
local began = cp.clock()

local SHAPES = {
  [1e4] = { 100, 100 },
  [1e6] = { 1000, 1000 },
  [1e7] = { 2500, 4000 },
  [1e8] = { 10000, 10000 },
  [3e9] = { 50000, 60000 },
}

local INTEGER = { uint8 = true, int16 = true, int32 = true }
local BLOCK = 1e8 -- larger operands repeat one block

-- An operand of the dtype: scattered fractions, integers below 100, or booleans.
local function make(n, dtype, step)
  local length = math.min(n, BLOCK)
  local v = timing.fractions(length, step or timing.GOLDEN)
  if dtype == "bool" then v = v:lt(0.5) end
  if INTEGER[dtype] then v = (v * 100):astype(dtype) end
  local x = cp.empty(n, dtype)
  x:reshape(-1, length):assign(v)
  return x
end

local function size_of(n)
  local rows, columns = SHAPES[n][1], SHAPES[n][2]
  return {
    n = n,
    rows = rows,
    columns = columns,
    x = make(n, "float32"),
    y = make(n, "float32", timing.SILVER),
    z = cp.empty(n, "float32"),
    make = function(dtype) return make(n, dtype) end,
    matrix = function(x) return x:reshape(rows, columns) end,
  }
end

-- The seconds per call of the family at this size, or nil and the reason.
local function measure(family, g)
  if cp.clock() - began > LIMIT then return nil, "the time was up" end
  local ok, result = pcall(function() return timing.budgeted(family.prepare(g), BUDGET) end)
  if not ok or g.n >= 1e8 then cp.collect() end
  return ok and result or nil, result
end

local function label(n)
  return (("%.0e"):format(n):gsub("e%+0*", "e"))
end

local function duration(s)
  if s >= 1e-1 then return ("%.2f s"):format(s) end
  if s >= 1e-3 then return ("%.2f ms"):format(s * 1e3) end
  return ("%.1f us"):format(s * 1e6)
end

-- All families at one size: a table from family to seconds, and the problems.
local function measure_size(n, problems)
  local seconds, g = {}, size_of(n)
  for _, family in ipairs(families) do
    local s, why = measure(family, g)
    seconds[family] = s
    if not s then problems[#problems + 1] = ("%s, n = %s: %s"):format(family.name, label(n), tostring(why)) end
  end
  for _, x in ipairs { g.x, g.y, g.z } do
    x:free()
  end
  cp.collect()
  return seconds
end

local function print_head(sizes, reference, n)
  print(("Reference: a float32 copy of %s elements in this run, %.0f GB/s."):format(label(n), reference / 1e9))
  print "Bytes are those that must move for each element, each read once and written once (float32 unless said); the"
  print "share is bytes over time over the reference. Above 100 %: less is written than a copy writes, or the data are"
  print "still in a cache. Calls are issued back to back, so small sizes show what a call costs."
  print ""
  local cells, rule = { "kernel", "bytes" }, { "---", "---:" }
  for _, size in ipairs(sizes) do
    cells[#cells + 1] = label(size)
    cells[#cells + 1] = "share"
    rule[#rule + 1] = "---:"
    rule[#rule + 1] = "---:"
  end
  print("| " .. table.concat(cells, " | ") .. " |")
  print("|" .. table.concat(rule, "|") .. "|")
end

local function print_table(sizes, figures, reference)
  local section
  for _, family in ipairs(families) do
    if family.section ~= section then
      section = family.section
      print("| **" .. section .. "** |" .. (" |"):rep(1 + 2 * #sizes))
    end
    local cells = { family.name, tostring(family.bytes) }
    for k, n in ipairs(sizes) do
      local s = figures[k][family]
      cells[#cells + 1] = s and duration(s) or ""
      cells[#cells + 1] = s and ("%.0f %%"):format(100 * family.bytes * n / s / reference) or ""
    end
    print("| " .. table.concat(cells, " | ") .. " |")
  end
end

-- Skips sizes that do not fit into memory: besides the three operands of four bytes, the largest families
-- hold three of eight bytes.
local function chosen_sizes()
  local sizes = {}
  local wanted = #arg > 0 and arg or on_gpu and { 1e4, 1e6, 1e8, 3e9 } or { 1e4, 1e6, 1e7 }
  local total = cp.memory().total
  for _, size in ipairs(wanted) do
    local n = assert(tonumber(size) and SHAPES[tonumber(size)] and tonumber(size), "no such size: " .. size)
    if 12 * n < total then sizes[#sizes + 1] = n end
  end
  return sizes
end

local sizes, figures, problems = chosen_sizes(), {}, {}
for k, n in ipairs(sizes) do
  figures[k] = measure_size(n, problems)
end

-- The size at which the copy bandwidth is measured, larger than the caches but measured often: 1e8 on a GPU.
local reference_at = #sizes
for k, n in ipairs(sizes) do
  if n == 1e8 then reference_at = k end
end
local copy = families[1]
local reference = copy.bytes * sizes[reference_at] / figures[reference_at][copy]

print_head(sizes, reference, sizes[reference_at])
print_table(sizes, figures, reference)
for _, problem in ipairs(problems) do
  print("\nNot measured: " .. problem)
end
print(("\n%d families in %.0f s."):format(#families, cp.clock() - began))
