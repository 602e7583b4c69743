-- Expressions of a kernel's program (infer.lua). A node has `op` and `t`, its type:
--
-- num {text, float}, bool {value}, var {var}, cast {a}, not {a}, and {a, b}, or {a, b}, select {test, a,
-- b},
--   arith {sym, a, b} and negate {a} of one type, compare {sym, a, b, by_value}, op {name, loop, args} of
--   kernels/ops.def, bits {sym, a, b}, load {array, index}, call {instance, args}, field {temp, number},
--   hidden {read}, extent {extent}, and c {c, args}: C text whose %1, %2, ... are the arguments.
--
-- `bits` of a weak integer bounds its magnitude: it is below 2^bits. `natural` is the least value of one that
-- is never negative. A static node has no value at run time:
-- {static = "array", "function", "builtin", "op", "math", "cast", "module", "table", "string", "index3",
-- "shape", "group", "nil" or "nothing"}.

local infer = require "cupola.jit.infer"
local types = require "cupola.jit.types"

local expressions = {}
infer.expressions = expressions

-- ---- conversions ----

local LIMITS = { int8 = { -128, 127 }, int16 = { -32768, 32767 }, int32 = { -2147483648, 2147483647 },
  uint8 = { 0, 255 }, uint16 = { 0, 65535 }, uint32 = { 0, 4294967295 }, uint64 = { 0, 2 ^ 64 } }

--- The node converted to type t.
function infer:cast(value, t)
  if value.t == t then return value end
  local at = { line = value.line, column = value.column, bits = value.bits }
  if t == "int" and types.is_integer(value.t) then at.bits = types.bits_as_int(value) end
  at.natural = t == "int" and types.is_integer(value.t) and not types.is_signed(value.t) and at.bits < 64 and 0 or nil
  if value.op == "num" and not value.float then
    local limits, v = LIMITS[t], tonumber(value.text)
    if limits and (v < limits[1] or v > limits[2]) then self:fail(value, "%s does not fit %s", value.text, t) end
  end
  at.op, at.a, at.t = "cast", value, t
  return at
end

--- What messages call a node.
function infer.describe(_, value)
  local s = value.static
  if not s then return value.t and types.name(value.t) or "nothing" end
  if s == "array" then return "the array '" .. value.array.name .. "'" end
  if s == "function" then return "the function '" .. value.name .. "'" end
  if s == "nil" then return "nil" end
  if s == "string" then return "a string" end
  if s == "index3" then return "cp.jit." .. value.value .. " (use its field x, y or z)" end
  if s == "nothing" then return s end
  if s == "shape" then return "a shape" end
  return value.read and "the table '" .. value.read.path_text .. "'" or value.path or "a table"
end

-- ---- literals and names ----

expressions.number = function(_, e)
  return { op = "num", text = e.text, float = e.float, t = e.float and "float" or "int",
    bits = not e.float and types.bits(e.text) or nil,
    natural = not e.float and types.bits(e.text) < 53 and tonumber(e.text) or nil,
    line = e.line, column = e.column }
end

local function constant(value)
  return function(_, e) return { op = "bool", value = value, t = "bool", line = e.line, column = e.column } end
end
expressions["true"], expressions["false"] = constant(true), constant(false)
expressions["nil"] = function(_, e) return { static = "nil", line = e.line, column = e.column } end
expressions.string = function(_, e) return { static = "string", value = e.value, line = e.line,
  column = e.column } end

local function refuse(text)
  return function(self, e) self:fail(e, text) end
end
expressions.vararg = refuse "... is not part of the language of kernels"
expressions.table = refuse "tables are not part of the language of kernels; use cp.jit.local_array(dtype, length)"

expressions["function"] = function(self, e) return self:closure(e) end
expressions.paren = function(self, e) return self:expression(e.a) end

function infer:read_var(var, e)
  if var.open and self.assigned and not self.assigned[var] or not var.t then
    self:fail(e, "'%s' (line %d) is read here, but has no value on some path", var.name, var.line)
  end
  return { op = "var", var = var, t = var.t, bits = var.bits, natural = var.natural, line = e.line,
    column = e.column }
end

local function copy_static(value, e)
  local out = {}
  for key, v in pairs(value) do out[key] = v end
  out.line, out.column = e.line, e.column
  return out
end

expressions.name = function(self, e)
  local found = self:variable(e.name)
  if not found then return self:outer(e) end
  if found.kind == "static" then
    if not found.value then self:fail(e, "'%s' calls itself; recursion is not possible in kernels", e.name) end
    return copy_static(found.value, e)
  end
  return self:read_var(found, e)
end

-- ---- arithmetic ----

local function numeric(self, e, op)
  local value = self:expression(e)
  if value.static or not value.t then self:fail(e, "'%s' needs numbers, not %s", op, self:describe(value)) end
  if value.t == "bool" then self:fail(e, "'%s' needs numbers, not a boolean", op) end
  return value
end

local TABLE = { ["+"] = "add", ["-"] = "subtract", ["*"] = "multiply", ["/"] = "divide", ["//"] = "floor_divide",
  ["%"] = "remainder", ["^"] = "power" }

local function bits_of(sym, a, b)
  local x, y = a.bits or 64, b.bits or 64
  if sym == "*" then return math.min(64, x + y) end
  if sym == "//" then return x end
  if sym == "%" then return y end
  if sym == "-" and a.natural and b.natural then return math.max(x, y) end
  return types.sum_bits(x, y)
end

-- The least result of an operator on two weak integers if that is known not to be negative, or nil.
local function natural_of(sym, a, b)
  if sym == "%" then return b.natural and 0 end
  if not (a.natural and b.natural) or bits_of(sym, a, b) >= 63 then return nil end
  if sym == "+" then return a.natural + b.natural end
  if sym == "*" then return a.natural * b.natural end
  if sym == "//" then return 0 end
  local least = b.op == "num" and a.natural - b.natural or -1
  return least >= 0 and least or nil
end

--- The node of an arithmetic operator on two nodes.
function infer:arithmetic(e, sym, a, b)
  local t = types.join(a.t, b.t)
  if (sym == "/" or sym == "^") and types.is_integer(t) then t = types.is_weak(t) and "float" or "float64" end
  local at = { t = t, line = e.line, column = e.column, a = self:cast(a, t), b = self:cast(b, t) }
  if types.kind(t) == "complex" or sym == "//" or sym == "%" or sym == "^" then
    local args = { at.a, at.b }
    if types.kind(t) == "complex" and (sym == "//" or sym == "%") then self:fail(e, "'%s' has no complex numbers",
      sym) end
    return { op = "op", name = TABLE[sym], loop = types.alone(t), args = args, t = t, line = e.line,
      column = e.column,
      bits = t == "int" and bits_of(sym, a, b) or nil, natural = t == "int" and natural_of(sym, a, b) or nil }
  end
  at.op, at.sym = "arith", sym
  if t == "int" then at.bits, at.natural = bits_of(sym, a, b), natural_of(sym, a, b) end
  return at
end

local function arithmetic(self, e)
  return self:arithmetic(e, e.op, numeric(self, e.a, e.op), numeric(self, e.b, e.op))
end

-- ---- bits ----

local BITS = { ["&"] = "&", ["|"] = "|", ["~"] = "^" }

-- The bits of a result of & | ~ on weak integers, and whether it is never negative.
local function bounds_of_bits(sym, a, b)
  local x, y = a.bits or 64, b.bits or 64
  if sym == "&" and (a.natural or b.natural) then
    return a.natural and b.natural and math.min(x, y) or a.natural and x or y, 0
  end
  if a.natural and b.natural and math.max(x, y) <= 62 then return math.ceil(math.max(x, y)), 0 end
  return 64, nil
end

--- Bits of integers: sym is &, |, ~, <<, >> or "sar".
function infer:bitwise(e, sym, a, b)
  for _, value in ipairs { a, b } do
    local boolean = value.t == "bool" and BITS[sym]
    if value.static or not value.t or not boolean and not types.is_integer(value.t) then
      self:fail(value, "'%s' needs integers, not %s", sym, self:describe(value))
    end
  end
  if not BITS[sym] then -- a shift has the type of what is shifted
    -- the result of a shift to the right is not larger
    local right = a.t == "int" and a.natural and b.t == "int" and b.natural and sym ~= "<<"
    return { op = "bits", sym = sym, a = a, b = self:cast(b, b.t == "uint64" and "uint64" or "int"), t = a.t,
      line = e.line,
      column = e.column, bits = a.t == "int" and (right and a.bits or 64) or nil, natural = right and 0 or nil }
  end
  local t = types.join(a.t, b.t)
  if not t or not types.is_integer(t) and t ~= "bool" then
    self:fail(e, "%s and %s have no common integer type", types.name(a.t), types.name(b.t))
  end
  local bits, natural
  if t == "int" then bits, natural = bounds_of_bits(sym, a, b) end
  return { op = "bits", sym = BITS[sym], a = self:cast(a, t), b = self:cast(b, t), t = t, line = e.line,
    column = e.column, bits = bits, natural = natural }
end

local function bitwise(self, e) return self:bitwise(e, e.op, self:expression(e.a), self:expression(e.b)) end

-- ---- comparisons ----

-- Whether a number of type a is exact in floating type t.
local function exact_in(a, t)
  local most = types.alone(t) == "float64" and 53 or types.is_half(t) and 8 or 24
  if a.op == "num" and not a.float then return (a.bits or 64) <= most end
  return math.min(a.bits or 64, types.width(a.t)) <= most
end

-- The type in which two numbers are compared, and whether a function has to do it by value.
local function compared(a, b)
  local ka, kb = types.kind(a.t), types.kind(b.t)
  if ka == "complex" or kb == "complex" then return types.join(a.t, b.t), false end
  if ka == "real" and kb == "real" then return types.join(a.t, b.t), false end
  if ka == "integer" and kb == "integer" then
    if types.is_signed(a.t) == types.is_signed(b.t) then
      return (types.is_weak(a.t) or types.is_weak(b.t)) and "int" or types.join(a.t, b.t), false
    end
    local signed, unsigned = a, b
    if types.is_signed(b.t) then signed, unsigned = b, a end
    if types.width(unsigned.t) < 64 then return "int", false end
    if signed.op == "num" then return "uint64", false end
    return nil, true
  end
  local whole, real = a, b
  if ka == "real" then whole, real = b, a end
  if exact_in(whole, real.t) then return real.t, false end
  if exact_in(whole, "float64") then return "float64", false end
  return nil, true
end

--- The node of a comparison; sym is Lua's.
function infer:compare(e, sym, a, b)
  for _, value in ipairs { a, b } do
    if value.static == "nil" then self:fail(value, "no value of a kernel is nil") end
    if value.static or not value.t then self:fail(value, "%s cannot be compared", self:describe(value)) end
  end
  local c = sym == "~=" and "!=" or sym
  local equality = sym == "==" or sym == "~="
  if a.t == "bool" or b.t == "bool" then
    if a.t ~= b.t then
      self:fail(e, equality and "%s and %s are never equal" or "%s and %s cannot be compared", types.name(a.t),
        types.name(b.t))
    end
    if not equality then self:fail(e, "booleans have no order") end
    return { op = "compare", sym = c, a = a, b = b, t = "bool", line = e.line, column = e.column }
  end
  local t, by_value = compared(a, b)
  if t and types.kind(t) == "complex" then
    if not equality then self:fail(e, "complex numbers have no order") end
    return { op = "op", name = sym == "==" and "equal" or "not_equal", loop = types.alone(t), t = "bool",
      args = { self:cast(a, t), self:cast(b, t) }, line = e.line, column = e.column }
  end
  if not by_value then a, b = self:cast(a, t), self:cast(b, t) end
  return { op = "compare", sym = c, a = a, b = b, by_value = by_value, t = "bool", line = e.line, column = e.column }
end

local function comparison(self, e) return self:compare(e, e.op, self:expression(e.a), self:expression(e.b)) end

-- ---- and, or, not ----

--- The node of a condition: a boolean; numbers are always true. whole: it is evaluated again and again.
function infer:condition(e, whole)
  local outer = self.no_temporaries
  self.no_temporaries = whole or outer
  local value = self:expression(e)
  self.no_temporaries = outer
  if value.static and value.static ~= "nil" or not value.static and not value.t then
    self:fail(e, "a condition cannot be %s", self:describe(value))
  end
  if value.t == "bool" then return value end
  return { op = "bool", value = value.static == nil, t = "bool", of = value, line = e.line, column = e.column }
end

local function right_side(self, e)
  local outer = self.no_temporaries
  self.no_temporaries = true
  local value = self:expression(e)
  self.no_temporaries = outer
  return value
end

local function is_number(value) return not value.static and value.t and value.t ~= "bool" end

local function select_node(self, e, test, a, b)
  local t = types.join(a.t, b.t)
  if not t then self:fail(e, "%s and %s have no common type", types.name(a.t), types.name(b.t)) end
  return { op = "select", test = test, a = self:cast(a, t), b = self:cast(b, t), t = t, line = e.line,
    column = e.column, bits = t == "int" and math.max(a.bits or 64, b.bits or 64) or nil,
    natural = t == "int" and a.natural and b.natural and math.min(a.natural, b.natural) or nil }
end

local function bare_tree(e)
  while e.kind == "paren" do e = e.a end
  return e
end

-- `test and a`, where a is a number: a value only where `or` follows.
local function conjunction(self, e)
  local left = bare_tree(e.a)
  local a = left.kind == "binary" and left.op == "and" and conjunction(self, left) or self:expression(left)
  if is_number(a) then return right_side(self, e.b) end
  if a.op == "choice" then
    return { op = "choice", test = a.test, a = right_side(self, e.b), line = e.line, column = e.column }
  end
  if a.t ~= "bool" then self:fail(e.a, "'and' needs a boolean or a number, not %s", self:describe(a)) end
  local b = right_side(self, e.b)
  if b.t == "bool" then
    return { op = "and", a = a, b = b, t = "bool", line = e.line, column = e.column }
  end
  if not is_number(b) then self:fail(e.b, "'and' needs a boolean or a number, not %s", self:describe(b)) end
  return { op = "choice", test = a, a = b, line = e.line, column = e.column }
end

-- Joins `value`, which stands before `or`, with what stands behind it.
local function alternative(self, e, value, rest)
  if is_number(value) then return value end
  if value.op == "choice" then
    if not is_number(rest) then
      self:fail(e, "%s and %s, the value before 'or', have no common type", self:describe(rest), types.name(value.a.t))
    end
    return select_node(self, e, value.test, value.a, rest)
  end
  if value.t ~= "bool" then self:fail(e, "'or' needs a boolean or a number, not %s", self:describe(value)) end
  if rest.t ~= "bool" then self:fail(e, "'or' needs a boolean here, not %s", self:describe(rest)) end
  return { op = "or", a = value, b = rest, t = "bool", line = e.line, column = e.column }
end

-- a or b or c is a or (b or c).
local function disjunction(self, e)
  local list, left = {}, e
  while left.kind == "binary" and left.op == "or" do
    table.insert(list, 1, left.b)
    left = bare_tree(left.a)
  end
  table.insert(list, 1, left)
  local values = {}
  for k, tree in ipairs(list) do
    local bare = bare_tree(tree)
    local outer = self.no_temporaries
    self.no_temporaries = outer or k > 1
    values[k] = bare.kind == "binary" and bare.op == "and" and conjunction(self, bare) or self:expression(tree)
    self.no_temporaries = outer
  end
  local value = values[#values]
  for k = #values - 1, 1, -1 do value = alternative(self, list[k + 1], values[k], value) end
  return value
end

-- ---- operators ----

local BINARY = { ["and"] = conjunction, ["or"] = disjunction }
for sym in pairs(TABLE) do BINARY[sym] = arithmetic end
for _, sym in ipairs { "&", "|", "~", "<<", ">>" } do BINARY[sym] = bitwise end
for _, sym in ipairs { "==", "~=", "<", "<=", ">", ">=" } do BINARY[sym] = comparison end
BINARY[".."] = refuse "strings are not part of the language of kernels"

expressions.binary = function(self, e)
  local value = BINARY[e.op](self, e)
  if value.op == "choice" then
    self:fail(e, "'and' with a number needs 'or' behind it: test and a or b")
  end
  return value
end

local UNARY = {
  ["not"] = function(self, e)
    return { op = "not", a = self:condition(e.a), t = "bool", line = e.line, column = e.column }
  end,
  ["-"] = function(self, e)
    local a = numeric(self, e.a, "-")
    if a.op == "num" and not string.find(a.text, "[xX]") then
      local text = string.sub(a.text, 1, 1) == "-" and string.sub(a.text, 2) or "-" .. a.text
      return { op = "num", text = text, float = a.float, t = a.t, bits = a.bits, line = e.line, column = e.column,
        natural = not a.float and (a.bits or 64) < 53 and tonumber(text) >= 0 and tonumber(text) or nil }
    end
    if types.kind(a.t) == "complex" then return self:operation(e, "negative", { a }) end
    return { op = "negate", a = a, t = a.t, bits = a.bits, line = e.line, column = e.column }
  end,
  ["~"] = function(self, e)
    local a = self:expression(e.a)
    if a.static or not a.t or not types.is_integer(a.t) then
      self:fail(e.a, "'~' needs an integer, not %s", self:describe(a))
    end
    return { op = "bits", sym = "^", a = a, b = { op = "ones", t = a.t }, t = a.t, bits = a.t == "int" and 64 or nil,
      line = e.line, column = e.column }
  end,
  ["#"] = function(self, e)
    local a = self:expression(e.a)
    if a.static == "shape" then
      return { op = "num", text = tostring(a.array.ndim), t = "int", bits = 6, natural = 0, line = e.line,
        column = e.column }
    end
    if a.static ~= "array" or a.array.ndim == 0 then self:fail(e.a, "'#' needs an array, not %s",
      self:describe(a)) end
    return self:extent(a.array, "shape", 1, e)
  end,
}

expressions.unary = function(self, e) return UNARY[e.op](self, e) end

-- ---- operations of kernels/ops.def ----

local SEPARATE = { where = 1, ldexp = 2 } -- the operand that does not join the others

--- The node of an operation on nodes, with the types that the same operation has on arrays.
function infer:operation(e, name, args)
  local joined, weak = nil, true
  for k, a in ipairs(args) do
    if a.static or not a.t then self:fail(e, "%s cannot be an operand of %s", self:describe(a), name) end
    if k ~= SEPARATE[name] then
      local t = joined and types.join(joined, a.t) or not joined and a.t
      if not t then self:fail(e, "the operands of %s, %s and %s, have no common type", name, types.name(joined),
        types.name(a.t)) end
      joined, weak = t, weak and types.is_weak(a.t)
    end
  end
  local dtypes = {}
  for k, a in ipairs(args) do
    dtypes[k] = types.is_weak(a.t) and types.alone(k ~= SEPARATE[name] and joined or a.t) or a.t
  end
  local loop, result, operands = self.env.operation_types(name, dtypes)
  if not loop then self:fail(e, "%s: %s", name, result) end
  local out = {}
  for k, a in ipairs(args) do out[k] = self:cast(a, a.t == "int" and operands[k] == "int64" and "int"
    or operands[k]) end
  local t = result
  if weak and joined then
    if result == types.alone(joined) then t = joined elseif result == "float64" then t = "float" end
  end
  return { op = "op", name = name, loop = loop, args = out, t = t, bits = t == "int" and 64 or nil, line = e.line,
    column = e.column }
end

-- ---- calls ----

--- The nodes of a list of expressions; a call at its end gives `wanted` values in all, or all that it has.
function infer:list(list, wanted)
  local out = {}
  for k, e in ipairs(list) do
    local value = self:expression(e)
    local instance = k == #list and value.op == "call" and e.kind ~= "paren" and value.instance
    local count = instance and #instance.results or value.count or 1
    local more = instance and count or k == #list and value.values and #value.values or 1
    if more > 1 and (not wanted or wanted > k) then
      self:expand(e, value, out)
    else
      out[#out + 1] = value
    end
  end
  if wanted and #out > wanted and #out > #list then
    for k = #out, wanted + 1, -1 do out[k] = nil end
  end
  return out
end

-- Appends all values of a call to the list.
function infer:expand(e, value, out)
  if value.values then
    for _, one in ipairs(value.values) do out[#out + 1] = one end
    return
  end
  if self.no_temporaries then
    self:fail(e, "a call with several values cannot stand here; assign them to locals first")
  end
  local temp = { name = self:unique "values" }
  self:add("temp", e, { temp = temp, value = value })
  for k, t in ipairs(value.instance.results) do
    out[#out + 1] = { op = "field", temp = temp, number = k, t = t, line = e.line, column = e.column,
      bits = value.instance.kept[k] and value.instance.kept[k].bits,
      natural = value.instance.kept[k] and value.instance.kept[k].natural or nil }
  end
end

expressions.call = function(self, e)
  local f = self:expression(e.f)
  if f.static == "array" then return self:load(e, f.array, e.args) end
  if f.static == "function" then return self:call_function(f, self:list(e.args), e) end
  if f.static == "builtin" then return self.env.builtins[f.value](self, e, e.args) end
  if f.static == "op" or f.static == "math" or f.static == "cast" then return self:call_named(e, f,
    self:list(e.args)) end
  if f.static == "nil" then self:fail(e, "nil cannot be called") end
  self:fail(e, "%s cannot be called", self:describe(f))
end

-- x:sin() of a number, group:sync().
expressions.method = function(self, e)
  local object = self:expression(e.object)
  if object.static == "group" then return self.env.group_method(self, e, object) end
  if object.static then self:fail(e, "%s has no method '%s' in kernels", self:describe(object), e.name) end
  local args = { object }
  for k, a in ipairs(self:list(e.args)) do args[k + 1] = a end
  return self:call_named(e, self:operation_name(e, e.name), args)
end

--- The node of an expression.
function infer:expression(e)
  return expressions[e.kind](self, e)
end

return expressions
