-- Arrays with the same elements in different memory layouts, for data of a given shape:
--   contiguous  C order                        unaligned   starts one element after the start of the buffer
--   sliced      every second column            reversed    columns in reverse order in memory
--   transposed  the last axis is the outermost in memory
-- The logical array is always the stored one, so one golden output serves every layout.

local numbers = require "spec.helper.numbers"

local layouts = {}

layouts.names = { "contiguous", "unaligned", "sliced", "reversed", "transposed" }

local junk = ("\165"):rep(16)

local function elements(bytes, size)
  local list = {}
  for k = 1, #bytes / size do list[k] = bytes:sub((k - 1) * size + 1, k * size) end
  return list
end

--- Whether two shapes, as tables or as arrays have them, are the same.
function layouts.same_shape(a, b)
  if #a ~= #b then return false end
  for k = 1, #b do
    if a[k] ~= b[k] then return false end
  end
  return true
end

--- The number of elements.
function layouts.product(shape)
  local n = 1
  for _, d in ipairs(shape) do n = n * d end
  return n
end

--- An index of all elements but on the last axis.
function layouts.on_last(shape, last)
  local index = {}
  for k = 1, #shape - 1 do index[k] = {} end
  index[#shape] = last
  return index
end

--- The shape with another last length.
function layouts.with_last(shape, n)
  local out = {}
  for k, d in ipairs(shape) do out[k] = d end
  out[#shape] = n
  return out
end

local function reverse_rows(bytes, size, columns)
  local list, out = elements(bytes, size), {}
  for k = 1, #list do
    local row = math.floor((k - 1) / columns)
    out[k] = list[row * columns + columns - (k - 1) % columns]
  end
  return table.concat(out)
end

-- Bytes in Fortran order.
local function transposed_bytes(bytes, size, shape)
  local list, out, strides = elements(bytes, size), {}, {}
  local step = 1
  for d = #shape, 1, -1 do
    strides[d] = step
    step = step * shape[d]
  end
  for k = 0, #list - 1 do
    local rest, at = k, 0
    for d = 1, #shape do
      local i = rest % shape[d]
      rest = (rest - i) / shape[d]
      at = at + i * strides[d]
    end
    out[k + 1] = list[at + 1]
  end
  return table.concat(out)
end

local function turned(shape)
  local out = {}
  for k = 1, #shape do out[k] = shape[#shape + 1 - k] end
  return out
end

local make = {}

function make.contiguous(cp, bytes, dtype, shape)
  return cp.frombytes(bytes, dtype, shape)
end

function make.unaligned(cp, bytes, dtype, shape)
  local size = numbers.itemsize[dtype]
  return cp.frombytes(junk:sub(1, size) .. bytes, dtype)[{ { 2, -1 } }]:reshape(shape)
end

function make.sliced(cp, bytes, dtype, shape)
  local size = numbers.itemsize[dtype]
  local list = elements(bytes, size)
  local spread = table.concat(list, junk:sub(1, size)) .. junk:sub(1, size)
  local x = cp.frombytes(spread, dtype, layouts.with_last(shape, 2 * shape[#shape]))
  return x[layouts.on_last(shape, { 1, -1, 2 })]
end

function make.reversed(cp, bytes, dtype, shape)
  local back = reverse_rows(bytes, numbers.itemsize[dtype], shape[#shape])
  return cp.frombytes(back, dtype, shape)[layouts.on_last(shape, { -1, 1, -1 })]
end

function make.transposed(cp, bytes, dtype, shape)
  return cp.frombytes(transposed_bytes(bytes, numbers.itemsize[dtype], shape), dtype, turned(shape)).T
end

-- The array with these elements in a layout.
function layouts.make(cp, name, bytes, dtype, shape)
  assert(#bytes == layouts.product(shape) * numbers.itemsize[dtype], "bytes do not fit the shape")
  return make[name](cp, bytes, dtype, shape)
end

-- One column (n, 1) or one row (1, n) of a two-dimensional array, for the operands of an outer product.
function layouts.side(cp, which, bytes, dtype, shape)
  local list, out = elements(bytes, numbers.itemsize[dtype]), {}
  local rows, columns = shape[1], shape[2]
  if which == "row" then
    for c = 1, columns do out[c] = list[c] end
    return cp.frombytes(table.concat(out), dtype, { 1, columns })
  end
  for r = 1, rows do out[r] = list[(r - 1) * columns + 1] end
  return cp.frombytes(table.concat(out), dtype, { rows, 1 })
end

-- Each element n times, as an array with one more axis that is broadcast has them.
function layouts.repeated(bytes, size, n)
  local list = elements(bytes, size)
  for k = 1, #list do list[k] = list[k]:rep(n) end
  return table.concat(list)
end

layouts.elements = elements

return layouts
