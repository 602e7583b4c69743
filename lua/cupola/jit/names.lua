-- What a name of a kernel means that is not a local: upvalues, constants, and the functions of cp, cp.jit and
-- math. Numbers and booleans from outside are read again at each call (`reads` of the program); functions,
-- strings and numbers that the generated text depends on are compared at each call.
--
-- A unit is the text that a function comes from: {file, object (the Lua function, or nil for a string),
-- upvalues (numbers by names), constants, id}.

local infer = require "cupola.jit.infer"
local types = require "cupola.jit.types"

local names = {}

local function number_node(e, text, float)
  return { op = "num", text = text, float = float, t = float and "float" or "int",
    bits = not float and types.bits(text) or nil, line = e.line, column = e.column,
    natural = not float and types.bits(text) < 53 and tonumber(text) >= 0 and tonumber(text) or nil }
end

-- ---- values from outside ----

-- The types of hidden arguments, by the letters of core.jit_key.
local CLASSES = { i = { "int", types.SMALL }, m = { "int", 53 }, l = { "int", 64 }, u = { "uint64" },
  f = { "float" }, b = { "bool" }, c = { "complex" } }

--- The type and bits of an argument of this class; nil for an array or another value.
function names.class_type(class, dtypes)
  local found = CLASSES[class]
  if found then return found[1], found[2] end
  local letter = string.match(class, "^=(.)$")
  return letter and dtypes[string.byte(letter) - 64]
end

--- Reads a value again; read: {object, number, keys} or {constants, constant, keys}.
function names.fetch(core, read)
  if not read.constants and not read.keys[1] then return core.jit_upvalue(read.object, read.number) end
  local value
  if read.constants then value = rawget(read.constants, read.constant) else value = core.jit_upvalue(read.object,
    read.number) end
  for _, key in ipairs(read.keys) do
    if type(value) ~= "table" then return nil end
    value = rawget(value, key)
  end
  return value
end

--- Appends the values that a program reads from outside, and takes as arguments, to a list of `count` values:
--- as they are or, with `convert`, as convert(value, type) gives them. Returns the new count.
function names.add_hidden(program, values, count, convert)
  for _, noted in ipairs(program.reads) do
    if noted.role == "hidden" then
      count = count + 1
      if convert then values[count] = convert(noted.now, noted.t) else values[count] = noted.now end
    end
  end
  return count
end

-- Notes that the program depends on a value. role: "hidden" (an argument) or "guard" (it must stay the same).
function infer:note_read(read, role, value)
  local path = role .. " " .. read.path
  local found = self.read_by_path[path]
  if found then return found end
  found = { read = read, role = role, value = value, cname = role == "hidden" and self:unique((self.prefix or "")
    .. read.name) or nil,
    class = role == "hidden" and self.env.class_of(value) or nil }
  self.read_by_path[path] = found
  self.reads[#self.reads + 1] = found
  return found
end

local function hidden(self, e, value, read)
  if self.frozen or type(value) == "number" and self.constants[read.path] then
    if type(value) ~= "number" and type(value) ~= "boolean" then
      self:fail(e, "'%s' is not a plain number; this function can take only plain numbers from outside", read.path_text)
    end
    self:note_read(read, "guard", value)
    if type(value) == "boolean" then return { op = "bool", value = value, t = "bool", line = e.line,
      column = e.column } end
    local whole = value % 1 == 0 and math.abs(value) < 2 ^ 63
    return number_node(e, types.text_of(value), not whole)
  end
  local noted = self:note_read(read, "hidden", value)
  local t, bits = names.class_type(noted.class, self.env.dtypes)
  noted.t, noted.bits = t, bits
  return { op = "hidden", read = noted, t = t, bits = t == "int" and bits or nil, line = e.line, column = e.column }
end

local function known_table(self, e, value, read)
  local env = self.env
  local path = env.module_name(value)
  if path then return { static = "module", path = path, line = e.line, column = e.column } end
  local index = env.index3_name(value)
  if index then return { static = "index3", value = index, line = e.line, column = e.column } end
  return { static = "table", value = value, read = read, path = read.path, line = e.line, column = e.column }
end

local function outside_function(self, e, value, read)
  local known = self.env.function_name(value)
  if known then return { static = known[1], value = known[2], path = known[3], line = e.line, column = e.column } end
  local closure = self.foreign and self.foreign[value]
  if closure then return closure end
  self:note_read(read, "guard", value)
  local f, unit = self.env.source_of(value)
  if not f then self:fail(e, "the text of the function '%s' cannot be found: %s", read.name, unit) end
  self.closures = self.closures + 1
  closure = { static = "function", f = f, name = read.name, scope = nil, unit = unit, home = self.top, assigned = {},
    id = "outer " .. read.path, line = e.line, column = e.column }
  return closure
end

--- The node of a value that the kernel gets from outside.
function infer:outside(e, value, read)
  local kind = type(value)
  if kind == "string" then
    self:note_read(read, "guard", value)
    return { static = "string", value = value, line = e.line, column = e.column }
  elseif kind == "function" then
    return outside_function(self, e, value, read)
  elseif kind == "table" then
    return known_table(self, e, value, read)
  elseif kind == "nil" then
    self:fail(e, "'%s' is nil", read.path_text)
  elseif self.env.is_array(value) then
    self:fail(e, "the array '%s' comes from outside; pass it as an argument", read.path_text)
  end
  local class = self.env.class_of(value)
  if not names.class_type(class, self.env.dtypes) then
    self:fail(e, "'%s' is a %s, which kernels do not have", read.path_text, kind)
  end
  return hidden(self, e, value, read)
end

local function suggestion(self, name)
  local known, scope = {}, self.scope
  while scope do
    for key in pairs(scope.names) do known[#known + 1] = key end
    scope = scope.parent
  end
  for key in pairs(self.unit.upvalues or {}) do known[#known + 1] = key end
  return self.env.suggest(name, known)
end

local function new_read(unit, name, fields)
  fields.name, fields.keys, fields.path_text = name, {}, name
  fields.path = string.format("%s:%s", unit.id, name)
  return fields
end

--- The node of a name that is not a local.
function infer:outer(e)
  local unit, env, name = self.unit, self.env, e.name
  local constants = unit.constants
  if constants and rawget(constants, name) ~= nil then
    return self:outside(e, rawget(constants, name), new_read(unit, name, { constants = constants, constant = name }))
  end
  local number = unit.upvalues and unit.upvalues[name]
  if number then
    if not env.reads_upvalues then
      self:fail(e,
        "'%s' is an upvalue, and without the library debug these cannot be read; pass constants = {%s = ...}",
        name, name)
    end
    return self:outside(e, env.core.jit_upvalue(unit.object, number),
      new_read(unit, name, { object = unit.object, number = number }))
  end
  if unit.object and env.reads_upvalues then
    local value = env.core.jit_global(unit.object, name)
    local lua_math = name == "math" and (value == nil or type(value) == "table")
    local path = env.module_name(value) or lua_math and "math"
    if path then return { static = "module", path = path, line = e.line, column = e.column } end
  elseif name == "cp" or name == "cupola" or name == "math" then
    return { static = "module", path = name == "math" and "math" or "cp", line = e.line, column = e.column }
  end
  local near = suggestion(self, name)
  self:fail(e, "'%s' is neither a local nor an upvalue of the kernel%s", name,
    near and "; did you mean '" .. near .. "'?" or "; globals cannot be used")
end

-- ---- fields ----

local AXES = { x = true, y = true, z = true }

local function index3(self, e, object, name)
  if not AXES[name] then self:fail(e, "cp.jit.%s has the fields x, y and z, not '%s'", object.value, name) end
  local threads = object.value == "threadIdx" or object.value == "blockDim"
  return { op = "c", name = object.value .. "." .. name, c = string.format("(int)%s.%s", object.value, name),
    args = {}, t = "int", bits = threads and 11 or self.few and types.BLOCKS or 31, natural = 0, line = e.line,
    column = e.column }
end

local function of_module(self, e, path, name)
  local found = self.env.member(path, name)
  if type(found) == "number" then
    local text = types.text_of(found)
    return number_node(e, text, not string.find(text, "^%-?%d+$"))
  elseif type(found) == "table" then
    return { static = found[1], value = found[2], path = found[3], line = e.line, column = e.column }
  end
  local near = self.env.suggest(name, self.env.member_names(path))
  self:fail(e, "kernels have no %s.%s%s", path, name, near and "; did you mean " .. path .. "." .. near .. "?" or "")
end

--- The node of a field of a static value; of a table from outside also an entry, whose name is a number.
function infer:member(e, object, name)
  if object.static == "index3" then return index3(self, e, object, name) end
  if object.static == "module" then return of_module(self, e, object.path, name) end
  if object.static ~= "table" then self:fail(e, "%s has no field '%s'", self:describe(object), name) end
  local read = {}
  for key, value in pairs(object.read) do read[key] = value end
  read.keys = {}
  for k, key in ipairs(object.read.keys) do read.keys[k] = key end
  read.keys[#read.keys + 1] = name
  local suffix = type(name) == "number" and string.format("[%d]", name) or "." .. name
  read.path, read.path_text = object.read.path .. suffix, object.read.path_text .. suffix
  read.name = type(name) == "number" and string.format("%s_%d", object.read.name, name) or name
  return self:outside(e, rawget(object.value, name), read)
end

-- ---- constants ----

local function fold(sym, a, b)
  if sym == "+" then return a + b end
  if sym == "-" then return a - b end
  if sym == "*" then return a * b end
  return b ~= 0 and math.floor(a / b) or nil
end

-- The number that a node stands for whenever the program is right, or nil.
local function known_number(self, value)
  if value.op == "num" then return tonumber(value.text) end
  if value.op == "cast" then return known_number(self, value.a) end
  if value.op == "var" and value.var.literal and not value.var.kept.reassigned then return value.var.literal end
  if value.op == "hidden" and type(value.read.value) == "number" then
    -- From now on it is a literal everywhere.
    self.constants[value.read.read.path], self.changed = true, true
    return value.read.value
  end
  if value.op == "arith" or value.op == "op" and value.name == "floor_divide" then
    local a, b = known_number(self, value.a or value.args[1]), known_number(self, value.b or value.args[2])
    return a and b and fold(value.sym, a, b)
  end
end

--- The number that an expression has when the kernel is compiled.
function infer:constant(e, what)
  local value = self:expression(e)
  local n = not value.static and known_number(self, value)
  if not n then
    self:fail(e,
      "%s must be known when the kernel is compiled: a literal, a number from outside, or arithmetic on these",
      what)
  end
  return n
end

--- The same, a whole number from `least` to `most`.
function infer:constant_integer(e, what, least, most)
  local n = self:constant(e, what)
  if n % 1 ~= 0 or n < least or n > most then
    self:fail(e, "%s must be a whole number from %d to %d, not %s", what, least, most, tostring(n))
  end
  return n
end

function infer:unroll_count(options)
  local count
  for _, item in ipairs(options.items) do
    if not item.key or item.key.value ~= "unroll" then
      self:fail(item, "the only option of cp.jit.range is unroll")
    end
    if item.value.kind == "true" then count = true else count = self:constant_integer(item.value, "unroll", 1,
      1024) end
  end
  return count
end

-- ---- named functions ----

--- The static node of a method of numbers.
function infer:operation_name(e, name)
  local known = self.env.operation(name)
  if known then return { static = "op", value = known, path = "cp." .. name, line = e.line, column = e.column } end
  local near = self.env.suggest(name, self.env.member_names "cp")
  self:fail(e, "numbers have no method '%s' in kernels%s", name, near and "; did you mean '" .. near .. "'?" or "")
end

local function plural(n, what) return n == 1 and "1 " .. what or n .. " " .. what .. "s" end

local function call_cast(self, e, f, args)
  if #args ~= 1 then self:fail(e, "%s takes 1 argument, %d are given", f.path, #args) end
  local a, t = args[1], f.value
  if a.static or not a.t then self:fail(e, "%s converts numbers, not %s", f.path, self:describe(a)) end
  if types.kind(a.t) == "complex" and types.kind(t) ~= "complex" then
    self:fail(e, "%s of a complex number: take cp.real or cp.abs of it first", f.path)
  end
  if a.t == t then return a end
  return { op = "cast", a = a, t = t, explicit = true, line = e.line, column = e.column }
end

--- The node of a call of an operation, a conversion or a function of math.
function infer:call_named(e, f, args)
  if f.static == "cast" then return call_cast(self, e, f, args) end
  if f.static == "math" then return self.env.math[f.value](self, e, args) end
  local arity = self.env.ops[f.value].arity
  if #args ~= arity then
    self:fail(e, "%s takes %s, %d %s given", f.path, plural(arity, "argument"), #args, #args == 1 and "is" or "are")
  end
  return self:operation(e, f.value, args)
end

--- A loop's last value as an integer: floats are rounded towards the first.
function infer:limit(last, step)
  if types.is_integer(last.t) then return self:cast(last, "int") end
  local down = step.op == "negate" or step.op == "num" and string.sub(step.text, 1, 1) == "-"
  local known = step.op == "num" or step.op == "negate"
  return { op = "c", name = "limit", t = "int", bits = 64, line = last.line, column = last.column,
    c = "cp_jit::limit(%1, %2)", args = { self:cast(last, "float64"),
      known and { op = "bool", value = down, t = "bool" } or { op = "compare", sym = "<", t = "bool",
        a = self:cast(step, "int"), b = { op = "num", text = "0", t = "int", bits = 0 } } } }
end

return names
