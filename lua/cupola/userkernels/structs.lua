-- cp.struct: types of C structs for raw kernels. This file reads the declaration; src/lua/kernels/struct.c
-- handles offsets and values.

return function(_, core)
  local signature = require "cupola.kernels.signature"

  local function fail(kind, format, ...) core.raise("struct", kind, string.format(format, ...)) end

  -- By name, the latest type of each: for structs within structs.
  local types = setmetatable({}, { __mode = "v" })
  local handles = setmetatable({}, { __mode = "k" }) -- type -> its handle in src/lua/kernels/struct.c

  local MAX_DIMS = 4

  local function check_dims(name, dims)
    local out = {}
    for k, text in ipairs(dims) do
      out[k] = tonumber(string.match(text, "^%d+$"))
      if not out[k] or out[k] == 0 then fail("usage", "%s: the length [%s] is not a number", name, text) end
    end
    if #out > MAX_DIMS then fail("usage", "%s has more than %d lengths", name, MAX_DIMS) end
    return out
  end

  -- The field f, as signature.lua parsed it, in the form that src/lua/kernels/struct.c takes.
  local function field_of(f)
    local out = { name = f.name, dims = check_dims(f.name, f.dims) }
    if f.name == "?" then fail("usage", "'%s' has no name", f.c) end
    if f.kind == "pointer" then
      out.pointer, out.dtype = true, f.accepts and f.accepts[1]
    elseif f.kind == "number" or f.kind == "vector" then
      out.dtype, out.count = f.dtype, f.count
    else
      local inner = f.struct and types[f.struct]
      if not inner then
        fail("usage", "%s has the type %s, which is neither a number nor a cp.struct made before", f.name, f.c)
      end
      out.nested = handles[inner]
    end
    return out
  end

  local function fields_of(text)
    local fields, seen = {}, {}
    for statement in string.gmatch(text .. ";", "([^;]*);") do
      if string.find(statement, "%S") then
        for _, f in ipairs(signature.declarations(statement, {})) do
          local field = field_of(f)
          if seen[field.name] then fail("usage", "two fields are named '%s'", field.name) end
          seen[field.name] = true
          fields[#fields + 1] = field
        end
      end
    end
    if #fields == 0 then fail("usage", "the declaration has no fields") end
    return fields
  end

  local Type = {}
  Type.__index = Type
  Type.__name = "cupola.struct"
  Type.__metatable = false
  Type.__tostring = function(t) return "struct " .. t.name end
  Type.__call = function(t, values, ...)
    local handle = handles[t]
    core.at_most("struct", 0, ...)
    if not handle then fail("usage", "argument 1 must be a type of struct, not %s", type(t)) end
    if values ~= nil and type(values) ~= "table" and type(values) ~= "userdata" then
      fail("usage", "%s{...} takes a table of fields, not %s", t.name, type(values))
    end
    return core.struct_value(handle, values)
  end

  --- A struct type from its name and its C fields; calling it with a table of fields makes a value.
  ---@param name string
  ---@param fields string  such as "float dt; int steps; float3 origin; float weights[4];"
  ---@return cupola.StructType
  core.publish("struct", "name, fields", 2, function(_, name, fields)
    if type(name) ~= "string" or not string.find(name, "^[%a_][%w_]*$") or #name > 60 then
      fail("usage", "name must be an identifier, not '%s'", tostring(name))
    end
    if type(fields) ~= "string" then fail("usage", "fields must be a string, not %s", type(fields)) end
    fields = signature.read(fields).code
    local list = fields_of(fields)
    local t = setmetatable({ name = name, fields = list }, Type)
    handles[t], t.size, t.align = core.struct_type(name, list)
    t.source = string.format("struct %s {%s%s};\n", name, fields, string.find(fields, ";%s*$") and "" or ";")
    types[name] = t
    return t
  end)
end
