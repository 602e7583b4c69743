-- The rows of bench/tables/cupola.lua beyond elementwise work and reductions: scans, sorts, indexing by
-- arrays, random numbers, counting, and a whole script. Those of the other libraries are in algorithms.py.

local cp = require "cupola"
local timing = dofile((arg[0]:match "^(.*/)" or "") .. "../timing.lua")

-- Problem sizes: n elements; sorts of `sorted` elements, and of `side` rows of `side`; `taken` of n elements
-- by position; `counted` elements into bins; an image of `width` squared.
local GPU = {
  n = 1e8,
  sorted = 1e8,
  side = 1e4,
  taken = 1e7,
  counted = 5e7,
  width = 1024,
  steps = 100,
  names = {
    sort = "sort",
    argsort = "argsort",
    square = "1e4 %s of 1e4",
    taken = "x[idx], 1e7 of 1e8",
    counted = "5e7",
  },
}
local CPU = {
  n = 1e7,
  sorted = 1e6,
  side = 1000,
  taken = 1e6,
  counted = 1e7,
  width = 256,
  steps = 50,
  names = {
    sort = "sort of 1e6",
    argsort = "argsort of 1e6",
    square = "1000 %s of 1000",
    taken = "x[idx], 1e6 of 1e7",
    counted = "1e7",
  },
}

local function scan_and_sort_rows(rows, size, x)
  local keys = x[{ { 1, size.sorted } }]
  local m = x[{ { 1, size.side ^ 2 } }]:reshape(size.side, size.side)
  local square = size.names.square
  rows.bandwidth("cumsum", 8 * size.n, function() return x:cumsum() end)
  rows.rate(size.names.sort, size.sorted, function() return keys:sort() end)
  rows.rate(size.names.argsort, size.sorted, function() return keys:argsort() end)
  rows.rate("sort of " .. square:format "rows", size.side ^ 2, function() return m:sort() end)
  rows.rate("median of " .. square:format "rows", size.side ^ 2, function() return m:median(2):eval() end)
  rows.rate("median of " .. square:format "columns", size.side ^ 2, function() return m:median(1):eval() end)
  rows.check("a running sum", function() return x:cumsum()[100000] end)
  rows.check("a sorted value", function() return keys:sort()[size.sorted / 4] end)
  rows.check("a value in order", function() return keys[keys:argsort()][size.sorted / 4] end)
  rows.check("a value of a sorted row", function() return m:sort()[{ 3, size.side / 4 }] end)
  rows.check("a median of a row", function() return m:median(2)[3] end)
  rows.check("a median of a column", function() return m:median(1)[3] end)
end

local function index_rows(rows, size, x)
  local mask = x:gt(0.5):eval()
  local places = ((timing.scrambled(size.taken):astype "float64" * size.n):astype "int64" % size.n + 1):eval()
  rows.milliseconds("x[mask], half true", function() return x[mask] end)
  rows.milliseconds("x[mask], half true, mask just written", function() return x[mask] end,
    function() cp.greater(x, 0.5, mask) end)
  rows.milliseconds(size.names.taken, function() return x[places]:eval() end)
  rows.check("a mean under a mask", function() return x[mask]:mean():item() end)
  rows.check("a mean of elements taken", function() return x[places]:mean():item() end)
end

local function random_rows(rows, size)
  local rng, z = cp.random.default_rng(1), cp.empty(size.n, "float32")
  rows.rate("uniform", size.n, function() z:assign(rng:random(size.n, "float32")) end)
  rows.rate("normal", size.n, function() z:assign(rng:standard_normal(size.n, "float32")) end)
  rows.milliseconds("Monte-Carlo pi", function()
    local u, v = rng:random(size.n, "float32"), rng:random(size.n, "float32")
    return (u ^ 2 + v ^ 2):lt(1):mean():eval()
  end)
end

local function count_rows(rows, size, x)
  local values = x[{ { 1, size.counted } }]
  local whole = (values * 1000):astype("int32"):eval()
  rows.rate(("bincount of %s, 1000 bins"):format(size.names.counted), size.counted,
    function() return cp.bincount(whole) end)
  rows.rate(("histogram of %s, 1000 bins"):format(size.names.counted), size.counted,
    function() return (cp.histogram(values, 1000)) end)
  rows.check("a count of bincount", function() return cp.bincount(whole)[501] end)
  rows.check("half a histogram", function()
    return cp.histogram(values, 1000)["1:500"]:sum():item() / size.counted
  end)
end

-- The Mandelbrot script of the tutorials: masks, complex numbers, an early exit.
local function mandelbrot(n, steps)
  local x, y = cp.meshgrid(cp.linspace(-2, 1, n), cp.linspace(-1.5, 1.5, n), { indexing = "ij" })
  local c = x + cp.j * y
  local z, inside = cp.zeros_like(c), cp.ones(c.shape, "bool")
  local counts = cp.zeros(c.shape)
  for k = 1, steps do
    z[inside] = z[inside] ^ 2 + c[inside]
    local leaving = cp.abs(z):gt(2):logical_and(inside)
    if leaving:any() then
      counts[leaving] = k - z[leaving]:abs():log():log() / math.log(2)
      inside[leaving] = false
    end
    if not inside:any() then break end
  end
  return counts:eval()
end

local function script_rows(rows, size)
  rows.milliseconds(("Mandelbrot %d x %d, %d steps"):format(size.width, size.width, size.steps),
    function() return mandelbrot(size.width, size.steps) end)
  rows.check("the mean of Mandelbrot", function() return mandelbrot(size.width, size.steps):mean():item() end)
end

-- Reports all rows through `rows` (rows.lua).
return function(rows)
  local size = cp.device().kind == "cuda" and GPU or CPU
  local x = timing.scrambled(size.n)
  scan_and_sort_rows(rows, size, x)
  index_rows(rows, size, x)
  count_rows(rows, size, x)
  x:free()
  random_rows(rows, size)
  script_rows(rows, size)
end
