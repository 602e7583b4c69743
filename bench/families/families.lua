-- The kernel families of bench/families/roofline.lua: {name, bytes, prepare}. `bytes` is the least memory
-- traffic per element of the size n, with each byte read once and written once; prepare(g) creates the
-- operands and returns the call to be timed. g is the size: g.n elements, g.rows x g.columns as a matrix, g.x
-- and g.y float32 operands, g.z a float32 destination, all contiguous, and g.make(dtype), a new operand.
-- Chains are written to their destination, so that no time is spent on memory management.

local cp = require "cupola"
local families = {}

local section
local function family(name, bytes, prepare)
  families[#families + 1] = { section = section, name = name, bytes = bytes, prepare = prepare }
end

-- A destination with n elements of the dtype.
local function destination(g, dtype) return cp.empty(g.n, dtype) end

-- A binary operation on one dtype, with `size` bytes per element.
local function of_dtype(dtype, size, title, f)
  family(dtype .. " " .. title, 3 * size, function(g)
    local a, b, c = g.make(dtype), g.make(dtype), destination(g, dtype)
    return function() c:assign(f(a, b)) end
  end)
end

local function add(a, b) return a + b end
local function multiply(a, b) return a * b end
local function quadratic(x, y) return x ^ 2 + 2 * y end
local function long_chain(x, y) return cp.sqrt(x * x + y * y) * cp.exp(-x) + cp.sin(y) end

section = "Elementwise, contiguous"
family("copy", 8, function(g) return function() g.z:assign(g.x) end end)
family("fill", 4, function(g) return function() g.z:fill(1) end end)
family("sqrt(x)", 8, function(g) return function() cp.sqrt(g.x, g.z) end end)
family("x + y", 12, function(g) return function() cp.add(g.x, g.y, g.z) end end)
family("x^2 + 2*y", 12, function(g) return function() g.z:assign(quadratic(g.x, g.y)) end end)
family("sqrt(x*x + y*y)*exp(-x) + sin(y)", 12, function(g) return function() g.z:assign(long_chain(g.x, g.y)) end end)
family("x > y", 9, function(g)
  local mask = destination(g, "bool")
  return function() cp.greater(g.x, g.y, mask) end
end)
family("where(mask, x, y)", 13, function(g)
  local mask = g.make "bool"
  return function() g.z:assign(cp.where(mask, g.x, g.y)) end
end)

section = "Generators"
family("arange", 4, function(g) return function() g.z:assign(cp.arange(g.n, "float32")) end end)
family("linspace", 4, function(g)
  return function() g.z:assign(cp.linspace(0, 1, g.n, { dtype = "float32" })) end
end)
family("zeros", 4, function(g) return function() g.z:assign(cp.zeros(g.n, "float32")) end end)
family("x + row numbers (arange, broadcast)", 8, function(g)
  local m, z = g.matrix(g.x), g.matrix(g.z)
  return function() z:assign(m + cp.arange(g.rows, "float32"):reshape(-1, 1)) end
end)

section = "Other dtypes"
of_dtype("float16", 2, "x + y", add)
of_dtype("bfloat16", 2, "x + y", add)
of_dtype("float16", 2, "x^2 + 2*y", quadratic)
of_dtype("bfloat16", 2, "x^2 + 2*y", quadratic)
of_dtype("float64", 8, "x + y", add)
of_dtype("complex64", 8, "x * y", multiply)
of_dtype("uint8", 1, "x + y", add)
of_dtype("int32", 4, "x * y", multiply)
family("abs of complex64", 12, function(g)
  local c = g.make "complex64"
  return function() cp.abs(c, g.z) end
end)

section = "Casts"
for _, pair in ipairs {
  { "float32", "float16", 6 },
  { "float16", "float32", 6 },
  { "float32", "bfloat16", 6 },
  { "float32", "float64", 12 },
  { "float64", "float32", 12 },
  { "float32", "uint8", 5 },
  { "uint8", "float32", 5 },
  { "int32", "float32", 8 },
} do
  local from, to, bytes = pair[1], pair[2], pair[3]
  family(from .. " to " .. to, bytes, function(g)
    local a, b = from == "float32" and g.x or g.make(from), to == "float32" and g.z or destination(g, to)
    return function() b:assign(a:astype(to)) end
  end)
end

section = "Broadcast"
family("matrix + row", 8, function(g)
  local m, z, row = g.matrix(g.x), g.matrix(g.z), g.y[{ { 1, g.columns } }]
  return function() z:assign(m + row) end
end)
family("matrix + column", 8, function(g)
  local m, z, column = g.matrix(g.x), g.matrix(g.z), g.y[{ { 1, g.rows } }]:reshape(-1, 1)
  return function() z:assign(m + column) end
end)
family("row * column", 4, function(g)
  local z, row, column = g.matrix(g.z), g.x[{ { 1, g.columns } }], g.y[{ { 1, g.rows } }]:reshape(-1, 1)
  return function() z:assign(row * column) end
end)

section = "Strided and transposed"
family("copy of x[::-1]", 8, function(g)
  local back = g.x["::-1"]
  return function() g.z:assign(back) end
end)
family("copy of x[1:-2] to z[2:-1] (not aligned)", 8, function(g)
  local from, to = g.x["1:-2"], g.z["2:-1"]
  return function() to:assign(from) end
end)
family("x[::2] + y[::2] (whole sectors count)", 10, function(g)
  local a, b, c = g.x["1:-1:2"], g.y["1:-1:2"], g.z[{ { 1, g.n / 2 } }]
  return function() c:assign(a + b) end
end)
family("x[1:] - x[:-1]", 8, function(g)
  local z = g.z[{ { 1, g.n - 1 } }]
  local after, before = g.x["2:"], g.x[":-2"]
  return function() z:assign(after - before) end
end)
family("five-point stencil of a matrix", 8, function(g)
  local m, z = g.matrix(g.x), g.matrix(g.z)["2:-2, 2:-2"]
  local up, down, left, right = m[":-3, 2:-2"], m["3:, 2:-2"], m["2:-2, :-3"], m["2:-2, 3:"]
  local inner = m["2:-2, 2:-2"]
  return function() z:assign(inner + 0.2 * (up + down + left + right - 4 * inner)) end
end)
family("copy of m.T", 8, function(g)
  local t, z = g.matrix(g.x).T, g.z:reshape(g.columns, g.rows)
  return function() z:assign(t) end
end)
family("m.T + w", 12, function(g)
  local t, w, z = g.matrix(g.x).T, g.y:reshape(g.columns, g.rows), g.z:reshape(g.columns, g.rows)
  return function() z:assign(t + w) end
end)
family("100 matrices, each transposed", 8, function(g)
  local t, z = g.x:reshape(100, g.rows / 10, -1):transpose(1, 3, 2), g.z:reshape(100, -1, g.rows / 10)
  return function() z:assign(t) end
end)
family("16-bit copy of m.T", 4, function(g)
  local t, z = g.matrix(g.make "int16").T, destination(g, "int16"):reshape(g.columns, g.rows)
  return function() z:assign(t) end
end)

section = "Reductions of all"
family("sum(x)", 4, function(g) return function() return g.x:sum():eval() end end)
family("max(x)", 4, function(g) return function() return g.x:max():eval() end end)
family("argmax(x)", 4, function(g) return function() return g.x:argmax():eval() end end)
family("var(x)", 4, function(g) return function() return g.x:var():eval() end end)
family("sum((x - y)^2)", 8, function(g) return function() return ((g.x - g.y) ^ 2):sum():eval() end end)
family("sum(where(mask, x, 0))", 5, function(g)
  local mask = g.make "bool"
  return function() return cp.where(mask, g.x, 0):sum():eval() end
end)
family("count_nonzero of bool", 1, function(g)
  local mask = g.make "bool"
  return function() return mask:count_nonzero():eval() end
end)
family("sum of uint8", 1, function(g)
  local b = g.make "uint8"
  return function() return b:sum():eval() end
end)
family("mean of float16", 2, function(g)
  local h = g.make "float16"
  return function() return h:mean():eval() end
end)
family("sum of float64", 8, function(g)
  local d = g.make "float64"
  return function() return d:sum():eval() end
end)
family("sum of complex64", 8, function(g)
  local c = g.make "complex64"
  return function() return c:sum():eval() end
end)

section = "Reductions along an axis"
-- A reduction of the matrix reshaped to `shape`.
local function along(name, bytes, shape, reduce)
  family(name, bytes, function(g)
    local m = g.x:reshape(shape(g))
    return function() return reduce(m):eval() end
  end)
end
local function square(g) return { g.rows, g.columns } end
local function flat_rows(g) return { g.n / 10, 10 } end
local function long_rows(g) return { 10, g.n / 10 } end
along("sum of each row", 4, square, function(m) return m:sum(2) end)
along("sum of each column", 4, square, function(m) return m:sum(1) end)
for _, pair in ipairs { { "float16", 2 }, { "uint8", 1 } } do
  family("sum of each column of " .. pair[1], pair[2], function(g)
    local m = g.matrix(g.make(pair[1]))
    return function() return m:sum(1):eval() end
  end)
end
along("var of each row", 4, square, function(m) return m:var(2) end)
along("var of each column", 4, square, function(m) return m:var(1) end)
along("argmax of each row", 4, square, function(m) return m:argmax(2) end)
along("argmax of each column", 4, square, function(m) return m:argmax(1) end)
along("sum of rows of 10", 4.4, flat_rows, function(m) return m:sum(2) end)
along("sum of 10 columns", 4, flat_rows, function(m) return m:sum(1) end)
along("sum of 10 rows", 4, long_rows, function(m) return m:sum(2) end)
along("sum over 10 rows", 4.4, long_rows, function(m) return m:sum(1) end)
family("sum of each row of (m - w)^2", 8, function(g)
  local m, w = g.matrix(g.x), g.matrix(g.y)
  return function() return ((m - w) ^ 2):sum(2):eval() end
end)

return families
