-- Elements, lengths and fields of arrays in a kernel's program (expressions.lua).

local infer = require "cupola.jit.infer"
local types = require "cupola.jit.types"

local expressions = infer.expressions

--- The positions in an index of an array: nodes of integers, one for each axis.
function infer:index(e, array, keys)
  if #keys == 1 and keys[1].kind == "table" then
    local items = {}
    for k, item in ipairs(keys[1].items) do
      if item.key then self:fail(item, "a position in {i, j} has no name") end
      items[k] = item.value
    end
    keys = items
  end
  if #keys ~= array.ndim then
    self:fail(e, "'%s' has %d %s, %d position%s given", array.name, array.ndim, array.ndim == 1 and "axis" or "axes",
      #keys, #keys == 1 and " is" or "s are")
  end
  local out = {}
  for k, key in ipairs(keys) do
    local value = self:expression(key)
    if value.static or not value.t or not types.is_integer(value.t) then
      self:fail(key, "a position must be an integer, not %s%s", self:describe(value),
        (value.t == "float" or value.t and not value.static and types.kind(value.t) == "real")
          and "; use // or math.floor" or "")
    end
    local literal = value.op == "num" and tonumber(value.text)
    if value.op == "negate" and value.a.op == "num" then literal = -tonumber(value.a.text) end
    if literal and literal < 1 then self:fail(key, "position %d: positions count from 1 in kernels", literal) end
    local length = array.lengths and array.lengths[k]
    if literal and length and literal > length then
      self:fail(key, "position %d of '%s', which has %d elements there", literal, array.name, length)
    end
    out[k] = self:cast(value, types.width(value.t) < 64 and value.t or "int")
  end
  if self.checked then
    out.line, out.file = e.line, self.unit.file
    out.shape = {}
    for k = 1, array.ndim do out.shape[k] = self:extent(array, "shape", k, e) end
  end
  if array.parameter then
    out.steps = {}
    for k = array.contiguous and 2 or 1, array.ndim do
      out.steps[k] = self:extent(array, array.contiguous and "shape" or "stride", k, e)
    end
  end
  return out
end

--- What an expression indexes, and by which keys: x and {i, j} of x[i][j], which is x[{i, j}].
function infer:indexed(e)
  local keys, object = { e.key }, e.object
  while e.key.kind ~= "string" and object.kind == "index" and object.key.kind ~= "string" do
    table.insert(keys, 1, object.key)
    object = object.object
  end
  if keys[2] and object.kind == "name" then
    local array = self:expression(object)
    if array.static == "array" then return array, keys end
  end
  return self:expression(e.object), { e.key }
end

function infer:load(e, array, keys)
  local index = self:index(e, array, keys)
  return { op = "load", array = array, index = index, t = array.dtype, line = e.line, column = e.column }
end

local FIELDS = { "shape", "size", "ndim", "dtype" }

--- A length of an array that the host passes: what is "shape", "stride" or "size".
function infer:extent(array, what, axis, e)
  if array.lengths then
    local n = 1
    for k, length in ipairs(array.lengths) do
      if what == "size" or k == axis then n = n * length end
    end
    local text = string.format("%d", n)
    return { op = "num", text = text, t = "int", bits = types.bits(text), natural = n, line = e.line,
      column = e.column }
  end
  local key = string.format("%s:%s:%d", array.id, what, axis or 0)
  local found = self.extents[key]
  if not found then
    found = { array = array, what = what, axis = axis, name = self:unique(string.format("%s_%s%s", array.cname, what,
      axis or "")) }
    self.extents[key] = found
    self.extents[#self.extents + 1] = found
  end
  found.bits = array.small and types.SMALL or 53
  return { op = "extent", extent = found, t = "int", bits = found.bits, natural = what ~= "stride" and 0 or nil,
    line = e.line, column = e.column }
end

local function array_field(self, e, array, name)
  if name == "size" then return self:extent(array, "size", nil, e) end
  if name == "shape" then return { static = "shape", array = array, line = e.line, column = e.column } end
  if name == "dtype" then return { static = "string", value = array.dtype, line = e.line, column = e.column } end
  if name == "ndim" then
    local text = tostring(array.ndim)
    return { op = "num", text = text, t = "int", bits = types.bits(text), line = e.line, column = e.column }
  end
  local near = self.env.suggest(name, FIELDS)
  self:fail(e, "arrays have no field '%s' in kernels%s", name, near and "; did you mean '" .. near .. "'?"
    or " (shape, size, ndim, dtype)")
end

local function shape_field(self, e, array)
  local key = e.key
  local axis = key.kind == "number" and tonumber(key.text)
  if not axis or axis < 1 or axis > array.ndim or axis % 1 ~= 0 then
    self:fail(key, "an axis of '%s' is a number from 1 to %d", array.name, array.ndim)
  end
  return self:extent(array, "shape", axis, e)
end

expressions.index = function(self, e)
  local object, keys = self:indexed(e)
  local name = e.key.kind == "string" and e.key.value
  if object.static == "array" then
    if name then return array_field(self, e, object.array, name) end
    return self:load(e, object.array, keys)
  end
  if object.static == "shape" then return shape_field(self, e, object.array) end
  local number = e.key.kind == "number" and tonumber(e.key.text)
  if object.static == "table" and number and number % 1 == 0 then return self:member(e, object, number) end
  if object.static and name then return self:member(e, object, name) end
  if object.static == "table" then
    self:fail(e.key, "an entry of %s is named by a literal; pass an array for positions that change",
      self:describe(object))
  end
  self:fail(e, "%s cannot be indexed", self:describe(object))
end
