-- The numbers of the slots of a kernel's one argument, in the order of kernels/slots.def, which says what
-- each is. Slot numbers start from 0, dimensions and operands from 1.

local types = require "cupola.kernels.types"

local layout = {}

-- Takes slots one after another.
local function counter()
  local count = 0
  return function(n)
    count = count + (n or 1)
    return count - (n or 1)
  end
end

local function each(list, f)
  local out = {}
  for k, v in ipairs(list or {}) do out[k] = f(v) end
  return out
end

local function along(ndim, take)
  local out = {}
  for d = 1, ndim do out[d] = take() end
  return out
end

-- What stands in several slots; all else is one. l: the layout so far.
local take_slots = {}

function take_slots.divisors(take, spec, l)
  l.magics = {}
  local divisors = {}
  for d = 1, spec.ndim do divisors[d], l.magics[d] = take(), take() end
  return divisors
end

local function operands(list, take, ndim)
  return each(list, function(o) return { base = take(), strides = along(o.access == "one" and 0 or ndim, take) } end)
end

function take_slots.leaves(take, spec) return operands(spec.leaves, take, spec.ndim) end

function take_slots.outputs(take, spec) return operands(spec.outputs, take, spec.ndim) end

function take_slots.scalars(take, spec)
  return each(spec.scalars, function(name) return take(name == "complex128" and 2 or 1) end)
end

function take_slots.raw(take, spec)
  return each(spec.raw, function(ndim)
    return { address = take(), size = take(), lengths = along(ndim, take), strides = along(ndim, take) }
  end)
end

function take_slots.moves(take, spec)
  return each(spec.moves, function() return { shift = take(), length = take() } end)
end

function take_slots.tables(take, spec)
  return each(spec.tables, function(t)
    local slots = { address = take(), words = take(), lengths = {}, strides = {} }
    for k = 1, t.count do slots.lengths[k], slots.strides[k] = take(), take() end
    return slots
  end)
end

function take_slots.parameters(take, spec) return each(spec.reductions, function() return take() end) end

local function has(spec, kernels)
  local reduces = spec.nred > 0
  if kernels == "SPREAD" and spec.strategy == "rows" then return false end
  return kernels == "ALL" or kernels == "TILED" and spec.tile or kernels == "COUNTING" and spec.counting and not reduces
    or (kernels == "REDUCTION" or kernels == "SPREAD") and reduces or kernels == "PHASED" and spec.reductions
end

-- The lines of kernels/slots.def, whose text this is: {name, kernels, device}.
function layout.read(text)
  local list = {}
  for where, name, kernels in string.gmatch(text, "\n(%u+)_SLOTS%((%l+), *(%u+)%)") do
    list[#list + 1] = { name = name, kernels = kernels, device = where == "DEVICE" }
  end
  return list
end

-- The slots of a spec's kernel by name: a number; divisors and magics, by dimension; leaves and outputs
-- {base, strides}; scalars; raw {address, size, lengths, strides}; moves {shift, length}; tables {address,
-- words, lengths, strides}. count is their number, device the names of those that the device fills.
function layout.of(spec, list)
  local take, l = counter(), { device = {} }
  for _, line in ipairs(list) do
    if has(spec, line.kernels) then
      local several = take_slots[line.name]
      l[line.name] = several and several(take, spec, l) or take()
      if line.device then l.device[#l.device + 1] = line.name end
    end
  end
  l.count = take(0)
  return l
end

-- How many bytes one load of a group of `vector` elements of dtype t takes: the whole group, at most 16.
function layout.load_bytes(t, vector)
  return math.min(16, types[t].size * vector)
end

return layout
