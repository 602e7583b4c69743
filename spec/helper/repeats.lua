-- Random writes with repeated positions, compared with plain loops, for repeats_spec.lua and
-- driver/repeats.lua.

local cp = require "cupola"
local generator = require "spec.helper.random.generator"

local cpu = cp.cpu
local DTYPES = { "bool", "int8", "int16", "float16", "float32", "float64", "complex128" }
local KINDS = { "all", "range", "integer", "array", "array", "array", "mask" }
local BARE_KINDS = { "all", "range", "integer", "array", "array" }

--- device: where writes run; bare: only writes that need no other kernels.
local repeats = { device = cp.device().name, bare = false }

-- ---- random numbers, which are the same in every Lua

local number, chance, pick

--- Starts a new sequence of random numbers.
function repeats.begin(seed)
  local g = generator(seed)
  number, chance, pick = g.number, g.chance, g.one_of
end

-- ---- shapes

local function size_of(shape)
  local size = 1
  for _, n in ipairs(shape) do size = size * n end
  return size
end

-- Calls f(at) for each index of a shape in C order; `at` counts from 1, and is the same table in all calls.
local function each_place(shape, f)
  local at = {}
  for k = 1, #shape do at[k] = 1 end
  for _ = 1, size_of(shape) do
    f(at)
    local d = #shape
    while d > 0 do
      at[d] = at[d] + 1
      if at[d] <= shape[d] then break end
      at[d] = 1
      d = d - 1
    end
  end
end

-- The number, in C order, of the element that an array of this shape has at index `at` after broadcasting.
local function flat(shape, at)
  local k, behind = 0, #at - #shape
  for d = 1, #shape do k = k * shape[d] + (shape[d] == 1 and 0 or at[behind + d] - 1) end
  return k + 1
end

-- A shape that broadcasts to `full`.
local function broadcastable(full)
  local shape = {}
  for k = chance(30) and #full > 0 and number(#full) or 1, #full do
    shape[#shape + 1] = chance(25) and 1 or full[k]
  end
  return shape
end

-- ---- arrays and their models

-- The numbers (in C order) as an array of a shape, which lies in memory in some way: a view of a contiguous
-- array, and the function that reads its numbers.
local function laid_out(values, shape, dtype, way)
  local x, view = cpu.array(values, dtype):reshape(shape), function(whole) return whole end
  way = way or number(5)
  if #shape == 0 or size_of(shape) == 0 then way = 0 end
  if way == 1 then
    x, view = x.T:copy(), function(whole) return whole.T end
  elseif way == 2 then
    x, view = cp.flip(x):copy(), cp.flip
  elseif way == 3 then
    local wide, key = {}, {}
    for k, n in ipairs(shape) do
      wide[k], key[k] = 2 * n + 1, { 2, 2 * n, 2 }
    end
    local holder = cpu.zeros(wide, dtype)
    view = function(whole) return whole[key] end
    view(holder):assign(x)
    x = holder
  end
  local whole = x:to(repeats.device)
  return view(whole), function()
    return cp.real(view(whole:to "cpu")):astype("float64"):ravel():totable()
  end
end

local function random_values(shape, dtype)
  local values = {}
  for k = 1, size_of(shape) do values[k] = dtype == "bool" and number(2) - 1 or number(120) end
  return values
end

-- Random positions on an axis of length n, many of them repeated: an array (in which some are negative), and
-- a list of the positions counted from 1.
local function random_positions(shape, n)
  local given, meant = {}, {}
  for k = 1, size_of(shape) do
    local p = number(n)
    given[k], meant[k] = chance(25) and p - n - 1 or p, p
  end
  return laid_out(given, shape, pick(repeats.bare and { "int64" } or { "int64", "int64", "int32", "int16" })), meant
end

local function check(read, model, text)
  local got = read()
  for k = 1, #model do
    if got[k] ~= model[k] then
      error(("%s: element %d is %s, and should be %s"):format(text, k, tostring(got[k]), tostring(model[k])), 0)
    end
  end
end

-- ---- indices: items for the axes of x, and what they select

-- Items of an index, one for each axis: {key =, range = positions of a kept axis} or {key =, shape =, at =
-- positions}.
local function random_items(shape, together)
  local items, arrays = {}, 0
  for d, n in ipairs(shape) do
    local kind = d == #shape and arrays == 0 and "array" or pick(repeats.bare and BARE_KINDS or KINDS)
    local item = {}
    if kind == "all" then
      item.key, item.range = {}, {}
      for k = 1, n do item.range[k] = k end
    elseif kind == "range" then
      local first, step = number(n), number(2)
      item.key, item.range = { first, n, step }, {}
      for k = first, n, step do item.range[#item.range + 1] = k end
    elseif kind == "integer" then
      item.key = number(n)
      item.shape, item.at = {}, { item.key }
    elseif kind == "mask" and #together == 1 and together[1] <= n then
      local left = together[1]
      local mask = {}
      item.shape, item.at = together, {}
      for k = 1, n do
        mask[k] = left > 0 and (n - k < left or chance(50))
        if mask[k] then
          left = left - 1
          item.at[#item.at + 1] = k
        end
      end
      item.key, arrays = cpu.array(mask):to(repeats.device), arrays + 1
    else
      item.shape = broadcastable(together)
      item.key, item.at = random_positions(item.shape, n)
      arrays = arrays + 1
    end
    items[d] = item
  end
  return items
end

-- The shape to which the arrays broadcast.
local function common_shape(items)
  local shape = {}
  for _, item in ipairs(items) do
    local own = item.shape or {}
    for _ = 1, #own - #shape do table.insert(shape, 1, 1) end
    for k = 1, #own do
      local d = #shape - #own + k
      if own[k] ~= 1 then shape[d] = own[k] end
    end
  end
  return shape
end

-- By NumPy's rule, the shape of what an index selects, the number of axes before those of the arrays, the
-- arrays' common shape, and whether the arrays are apart.
local function result_of(items)
  local first, last, apart = nil, nil, false
  for d, item in ipairs(items) do
    if item.shape then
      apart = apart or (last ~= nil and last < d - 1)
      first, last = first or d, d
    end
  end
  local chosen, shape, skip = common_shape(items), {}, 0
  local function add(list)
    for _, n in ipairs(list) do shape[#shape + 1] = n end
  end
  if apart then add(chosen) end
  for d, item in ipairs(items) do
    if d == first and not apart then
      skip = #shape
      add(chosen)
    end
    if item.range then add { #item.range } end
  end
  return shape, skip, chosen, apart
end

-- Does to the model what x[key] = values does.
local function write_model(model, shape, items, values, values_shape)
  local result, skip, chosen, apart = result_of(items)
  each_place(result, function(at)
    local element, kept = 0, apart and #chosen or 0
    local own = {}
    for k = 1, #chosen do own[k] = at[skip + k] end
    for d, item in ipairs(items) do
      local p
      if item.shape then
        p = item.at[flat(item.shape, own)]
      else
        if not apart and kept == skip then kept = kept + #chosen end
        kept = kept + 1
        p = item.range[at[kept]]
      end
      element = element * shape[d] + p - 1
    end
    model[element + 1] = values[flat(values_shape, at)]
  end)
end

local function random_shape(ndim, most)
  local shape = {}
  for k = 1, ndim do shape[k] = number(most) end
  return shape
end

local function start(shape, dtype, way)
  local model = random_values(shape, dtype)
  local x, read = laid_out(model, shape, dtype, way)
  return x, model, read
end

local programs = {}
repeats.programs = programs

function programs.index()
  local dtype, shape = pick(DTYPES), random_shape(number(3), 5)
  local x, model, read = start(shape, dtype)
  local items, key = random_items(shape, random_shape(number(3), 4)), {}
  for d, item in ipairs(items) do key[d] = item.key end
  local result = result_of(items)
  local values_shape = not repeats.bare and chance(10) and {} or broadcastable(result)
  local values = random_values(values_shape, dtype)
  write_model(model, shape, items, values, values_shape)
  local v = laid_out(values, values_shape, dtype)
  if #values_shape == 0 and dtype ~= "bool" and not repeats.bare then v = values[1] end
  x[key] = v
  check(read, model, ("x%s[%d axes chosen] of %s"):format(tostring(x.shape), #items, dtype))
end

function programs.put()
  local dtype, shape = pick(DTYPES), random_shape(number(3), 5)
  local x, model, read = start(shape, dtype)
  local count = number(20)
  local key, at = random_positions({ count }, #model)
  local values = random_values({ number(count) }, dtype)
  for k = 1, count do model[at[k]] = values[(k - 1) % #values + 1] end
  cp.put(x, key, (laid_out(values, { #values }, dtype)))
  check(read, model, "put of " .. dtype)
end

function programs.put_along_axis()
  local dtype, shape = pick(DTYPES), random_shape(number(3), 5)
  local x, model, read = start(shape, dtype)
  local axis, places = number(#shape), {}
  for d, n in ipairs(shape) do places[d] = d == axis and number(7) or n end
  local positions_shape = {}
  for d, n in ipairs(places) do positions_shape[d] = d ~= axis and chance(20) and 1 or n end
  local key, at = random_positions(positions_shape, shape[axis])
  local values_shape = broadcastable(places)
  local values = random_values(values_shape, dtype)
  each_place(places, function(place)
    local element = 0
    for d, n in ipairs(shape) do
      element = element * n + (d == axis and at[flat(positions_shape, place)] or place[d]) - 1
    end
    model[element + 1] = values[flat(values_shape, place)]
  end)
  cp.put_along_axis(x, key, (laid_out(values, values_shape, dtype)), axis)
  check(read, model, ("put_along_axis %d of %s"):format(axis, dtype))
end

function programs.windows() -- writes to overlapping rows
  local n, width = number(6) + 2, number(3)
  local memory, model, read = start({ n }, "float32", 0)
  local rows = n - width + 1
  local x = cp.as_strided(memory, { rows, width }, { 4, 4 })
  local count = number(12)
  local key, at = random_positions({ count }, rows)
  local values = random_values({ count, width }, "float32")
  for k = 1, count do
    for d = 1, width do model[at[k] + d - 1] = values[(k - 1) * width + d] end
  end
  x[key] = laid_out(values, { count, width }, "float32")
  check(read, model, "windows")
end

return repeats
