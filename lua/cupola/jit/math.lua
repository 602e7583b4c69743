-- The functions of Lua's library math in kernels, as nodes (expressions.lua). math.floor and math.ceil give
-- integers, math.max and math.min compare as Lua does, and the others are operations of kernels/ops.def.

local types = require "cupola.jit.types"

local functions = {}

local function need(self, e, args, name, least, most)
  if #args < least or #args > (most or least) then
    self:fail(e, "math.%s takes %s argument%s, %d %s given", name,
      (most or least) == least and least or (most > 100 and least .. " or more" or least .. " to " .. most),
      (most or least) == 1 and "" or "s", #args, #args == 1 and "is" or "are")
  end
  for _, a in ipairs(args) do
    if a.static or not a.t or a.t == "bool" then self:fail(e, "math.%s needs numbers, not %s", name,
      self:describe(a)) end
    if types.kind(a.t) == "complex" then self:fail(e, "math.%s has no complex numbers; use cp.%s", name, name) end
  end
end

local OPERATIONS = { sqrt = "sqrt", sin = "sin", cos = "cos", tan = "tan", asin = "arcsin", acos = "arccos",
  exp = "exp",
  abs = "absolute", sinh = "sinh", cosh = "cosh", tanh = "tanh", deg = "degrees", rad = "radians", log10 = "log10" }
for name, operation in pairs(OPERATIONS) do
  functions[name] = function(self, e, args)
    need(self, e, args, name, 1)
    return self:operation(e, operation, args)
  end
end

for name, operation in pairs { fmod = "fmod", atan2 = "arctan2", pow = "power" } do
  functions[name] = function(self, e, args)
    need(self, e, args, name, 2)
    if name == "pow" then return self:arithmetic(e, "^", args[1], args[2]) end
    return self:operation(e, operation, args)
  end
end

function functions.atan(self, e, args)
  need(self, e, args, "atan", 1, 2)
  return self:operation(e, #args == 1 and "arctan" or "arctan2", args)
end

function functions.log(self, e, args)
  need(self, e, args, "log", 1, 2)
  local base = args[2]
  if not base then return self:operation(e, "log", args) end
  local known = base.op == "num" and tonumber(base.text)
  if known == 2 or known == 10 then return self:operation(e, known == 2 and "log2" or "log10", { args[1] }) end
  return self:arithmetic(e, "/", self:operation(e, "log", { args[1] }), self:operation(e, "log", { base }))
end

-- An integer; floats beyond int64 saturate, and nan gives 0.
for _, name in ipairs { "floor", "ceil" } do
  functions[name] = function(self, e, args)
    need(self, e, args, name, 1)
    if types.is_integer(args[1].t) then return args[1] end
    return { op = "cast", a = self:operation(e, name, args), t = "int", bits = 64, line = e.line, column = e.column }
  end
end

-- math.max(a, b, ...): b where a < b, as in Lua.
for name, sym in pairs { max = "<", min = ">" } do
  functions[name] = function(self, e, args)
    need(self, e, args, name, 1, 1000)
    local value = args[1]
    for k = 2, #args do
      local t = types.join(value.t, args[k].t)
      local bits = t == "int" and math.max(value.bits or 64, args[k].bits or 64) or nil
      value = { op = "extreme", sym = sym, name = name, a = self:cast(value, t), b = self:cast(args[k], t), t = t,
        bits = bits,
        natural = t == "int" and value.natural and args[k].natural and math.min(value.natural, args[k].natural) or nil,
        line = e.line, column = e.column }
    end
    return value
  end
end

function functions.ult(self, e, args)
  need(self, e, args, "ult", 2)
  local function unsigned(a) return { op = "cast", a = self:cast(a, "int"), t = "uint64" } end
  return { op = "compare", sym = "<", a = unsigned(args[1]), b = unsigned(args[2]), t = "bool", line = e.line,
    column = e.column }
end

return functions
