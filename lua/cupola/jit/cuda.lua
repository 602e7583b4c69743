-- Prints a typed program (infer.lua) as CUDA C++ that a person can read: expressions here, statements in
-- cudatext.lua. The helpers of namespace cp_jit are in kernels/user/jit.h; operations are those of
-- kernels/ops.def, with the same text as in chains.

local body = require "cupola.kernels.body"
local casts = require "cupola.kernels.casts"
local dtypes = require "cupola.kernels.types"
local types = require "cupola.jit.types"

local cuda = {}
cuda.__index = cuda

--- The C type of a value in a register.
function cuda.register(t)
  if t == "bool" then return "bool" end
  return dtypes[types.alone(t)].register
end

local register = cuda.register

-- Weak integers that fit 31 bits are int in C, others long long; no program can tell.
local is_narrow = types.is_narrow

--- The C type of a value.
function cuda.value_type(node)
  return is_narrow(node.t, node.bits) and "int" or register(node.t)
end

--- The C type of a local.
function cuda.type_of(var)
  return is_narrow(var.t, var.kept.bits) and "int" or register(var.t)
end

-- ---- numbers ----

local SUFFIX = { uint32 = "u", int64 = "ll", uint64 = "ull" }

local function whole_text(text, t)
  if string.find(text, "^0[xX]") then return string.format("(%s)%sull", register(t), text) end
  text = string.gsub(text, "^(%-?)0+(%d)", "%1%2")
  local alone = types.alone(t)
  if t == "int" and types.bits(text) <= 31 then return text end
  return text .. (SUFFIX[alone] or "")
end

local function real_text(text, t)
  local v = text == "nan" and 0 / 0 or tonumber(text)
  if v ~= v then return string.format("(%s)NAN", register(t)) end
  if v == math.huge or v == -math.huge then return string.format("(%s)%sINFINITY", register(t), v < 0 and "-"
    or "") end
  local short = string.format("%.9g", v)
  local exact = tonumber(short) == v
  local out = exact and short or string.format("%.17g", v)
  if not string.find(out, "[.en]") then out = out .. ".0" end
  if register(t) ~= "float" then return out end
  return exact and out .. "f" or string.format("(float)%s", out)
end

local function number_text(node, t)
  local kind = types.kind(t)
  if kind == "integer" then return whole_text(node.text, t) end
  local text = node.text
  if not node.float and string.find(text, "^0[xX]") then return string.format("(%s)(long long)%sull", register(t),
    text) end
  return real_text(text, t)
end

-- ---- expressions ----

local emit = {}

--- The C text of an expression, in brackets where it needs them.
function cuda:text(node)
  return emit[node.op](self, node)
end

-- ---- the order of evaluation ----

-- What an expression does besides giving its value: calls of functions that write or communicate, atomics.
local has_effect

local function any_effect(list)
  for _, node in ipairs(list or {}) do
    if has_effect(node) then return true end
  end
  return false
end

-- Whether statements write anything that is not their function's own.
local function writes(list, instance)
  for _, s in ipairs(list or {}) do
    local var = s.kind == "set" and s.var
    if s.kind == "store" or s.kind == "call" or s.kind == "temp" or var and var.owner ~= instance
      or s.kind == "multi" and not s.fresh then
      return true
    end
    if any_effect { s.value, s.test, s.first, s.last, s.step } or any_effect(s.values) or writes(s.body, instance)
      or writes(s.orelse, instance) then
      return true
    end
    for _, clause in ipairs(s.clauses or {}) do
      if has_effect(clause.test) or writes(clause.body, instance) then return true end
    end
  end
  return false
end

local function finds_effect(node)
  if node.op == "call" then
    local instance = node.instance
    if instance.effect == nil then instance.effect = writes(instance.body, instance) end
    if instance.effect then return true end
  end
  if node.op == "atomic" or node.effect then return true end
  return node.a and has_effect(node.a) or node.b and has_effect(node.b) or node.test and has_effect(node.test)
    or any_effect(node.args) or any_effect(node.index) or false
end

function has_effect(node)
  if node.has_effect == nil then node.has_effect = finds_effect(node) end
  return node.has_effect
end

local CONSTANT = { num = true, bool = true, hidden = true, extent = true, ones = true, text = true }

-- The texts of operands, and a function that completes the text made of them. C++ does not say which operand
-- is evaluated first, so where that matters they are kept in order.
function cuda:operands(nodes)
  local texts, changing, effect = {}, 0, false
  for k, node in ipairs(nodes) do
    texts[k] = self:text(node)
    changing = changing + (CONSTANT[node.op] and 0 or 1)
    effect = effect or has_effect(node)
  end
  if not effect or changing < 2 then return texts, function(text) return text end end
  local names, kept = {}, {}
  for k, text in ipairs(texts) do
    names[k] = "cp_" .. k
    kept[k] = string.format("const auto cp_%d = %s;", k, text)
  end
  return names, function(text) return string.format("[&]() { %s return %s; }()", table.concat(kept, " "), text) end
end

cuda.has_effect = function(_, node) return has_effect(node) end

function emit.text(_, n) return n.text end
function emit.num(_, n) return number_text(n, n.t) end
function emit.bool(_, n) return n.value and "true" or "false" end
function emit.var(_, n) return n.var.cname end
function emit.hidden(_, n) return n.read.cname end
function emit.extent(_, n) return n.extent.name end
function emit.ones(_, n) return string.format("(%s)~(%s)0", register(n.t), register(n.t)) end
function emit.field(_, n) return string.format("%s.v%d", n.temp.name, n.number) end
emit["not"] = function(self, n) return "!" .. self:text(n.a) end
emit["and"] = function(self, n) return string.format("(%s && %s)", self:text(n.a), self:text(n.b)) end
emit["or"] = function(self, n) return string.format("(%s || %s)", self:text(n.a), self:text(n.b)) end

function emit.select(self, n)
  return string.format("(%s ? %s : %s)", self:text(n.test), self:text(n.a), self:text(n.b))
end

function emit.extreme(self, n)
  local texts, complete = self:operands { n.a, n.b }
  return complete(string.format("cp_jit::%s<%s>(%s, %s)", n.name, register(n.t), texts[1], texts[2]))
end

function emit.cast(self, n)
  local from, to = types.alone(n.a.t), types.alone(n.t)
  local kind = types.kind(to)
  if n.a.op == "num" and kind ~= "complex" and kind ~= "boolean" and not types.is_half(to)
      and (kind == "real" or not n.a.float) then
    return number_text(n.a, to)
  end
  if n.t == "int" and n.a.t == "int" then return self:text(n.a) end
  local text = self:text(n.a)
  if from == to then return n.a.t == "int" and string.format("(long long)%s", text) or text end
  if is_narrow(n.t, n.bits) and kind == "integer" and types.kind(from) == "integer" then
    return string.format("(int)%s", text)
  end
  if kind == "boolean" and types.kind(from) ~= "complex" then return string.format("(%s != 0)", text) end
  return casts.text(self.needs, from, to, text)
end

-- ---- arithmetic ----

local WRAP = { int8 = "unsigned", int16 = "unsigned", int32 = "unsigned", uint8 = "unsigned", uint16 = "unsigned",
  int64 = "unsigned long long" }

local function rounded(self, t, text)
  local half = dtypes[types.alone(t)].half
  if not half then return text end
  self.needs.halves = true
  return string.format("h_round_%s%s", half, text)
end

local SHORT = { int = true, short = true, ["signed char"] = true }

-- 0 - text, in the form that jit.h has for integers of up to 32 bits with a sign; nil for other types of n.
local function minus(n, text)
  local c = cuda.value_type(n)
  return SHORT[c] and string.format("(%s)cp_jit::minus((unsigned)%s)", c, text) or nil
end

-- The value of a literal integer, or nil.
local function literal(node)
  if node.op == "cast" then return literal(node.a) end
  if node.op == "negate" then
    local v = literal(node.a)
    return v and -v
  end
  return node.op == "num" and not node.float and tonumber(node.text) or nil
end

-- A product with a negative literal, or a difference from 0: compilers make a negation of both.
local function negated(n, a, b)
  local left, right = literal(n.a), literal(n.b)
  if left and right then return nil end
  if n.sym == "-" and left == 0 then return minus(n, b) end
  if n.sym ~= "*" or (left or right or 0) >= 0 then return nil end
  return minus(n, string.format("((unsigned)%s * %du)", left and b or a, -(left or right)))
end

function emit.arith(self, n)
  local texts, complete = self:operands { n.a, n.b }
  local a, b, alone = texts[1], texts[2], types.alone(n.t)
  local wrap = types.is_integer(alone) and WRAP[alone]
  if n.t == "int" and n.bits > 31 and n.bits <= 62 and is_narrow("int", n.a.bits) and is_narrow("int", n.b.bits) then
    a = "(long long)" .. a
  end
  local text = wrap and negated(n, a, b)
  if text then return complete(text) end
  if not wrap or (n.bits or 64) <= 62 then
    return complete(rounded(self, n.t, string.format("(%s %s %s)", a, n.sym, b)))
  end
  return complete(string.format("(%s)((%s)%s %s (%s)%s)", register(n.t), wrap, a, n.sym, wrap, b))
end

function emit.negate(self, n)
  local a, alone = self:text(n.a), types.alone(n.t)
  local text = n.a.op ~= "num" and types.is_integer(alone) and minus(n, a)
  if text then return text end
  if not types.is_integer(alone) or (n.bits or 64) <= 62 then
    return string.format(string.sub(a, 1, 1) == "-" and "(- %s)" or "(-%s)", a)
  end
  local wrap = WRAP[alone] or register(alone)
  return string.format("(%s)((%s)0 - (%s)%s)", register(n.t), wrap, wrap, a)
end

local SHIFTS = { ["<<"] = "shl", [">>"] = "shr", sar = "sar" }

function emit.bits(self, n)
  local texts, complete = self:operands { n.a, n.b }
  local a, b = texts[1], texts[2]
  if SHIFTS[n.sym] then
    return complete(string.format("cp_jit::%s((%s)%s, (%s)%s)", SHIFTS[n.sym], register(n.t), a, register(n.b.t), b))
  end
  return complete(string.format("(%s)(%s %s %s)", register(n.t), a, n.sym, b))
end

local ORDERS = { ["<"] = "less", ["<="] = "less_equal", ["=="] = "equal" }

-- The widest type of its kind, whose comparisons jit.h has.
local function widest(t)
  if not types.is_integer(t) then return "double" end
  return types.is_signed(t) and "long long" or "unsigned long long"
end

function emit.compare(self, n)
  local texts, complete = self:operands { n.a, n.b }
  local a, b, sym = texts[1], texts[2], n.sym
  if not n.by_value then return complete(string.format("(%s %s %s)", a, sym, b)) end
  a, b = string.format("(%s)%s", widest(n.a.t), a), string.format("(%s)%s", widest(n.b.t), b)
  if sym == "!=" then return complete(string.format("!cp_jit::equal(%s, %s)", a, b)) end
  if ORDERS[sym] then return complete(string.format("cp_jit::%s(%s, %s)", ORDERS[sym], a, b)) end
  return complete(string.format("cp_jit::%s(%s, %s)", sym == ">" and "less" or "less_equal", b, a))
end

-- k, if a node is the literal 2^k.
local function power_of_two(node)
  if node.op == "cast" then return power_of_two(node.a) end
  local v, k = node.op == "num" and not node.float and tonumber(node.text) or 0, 0
  while v > 1 and v % 2 == 0 do v, k = v / 2, k + 1 end
  return v == 1 and k < 31 and k or nil
end

-- Floor division by 2^k is an arithmetic shift, the remainder the low bits; nil for other operations.
local function by_shift(self, n)
  local divides = n.name == "floor_divide"
  if not divides and n.name ~= "remainder" or not types.is_integer(n.t) then return nil end
  local k = power_of_two(n.args[2])
  if not k or k >= types.width(n.t) - 1 then return nil end
  local text = string.format(divides and "(%s >> %d)" or "(%s & %d)", self:text(n.args[1]), divides and k
    or 2 ^ k - 1)
  return types.width(n.t) < 32 and string.format("(%s)%s", register(n.t), text) or text
end

-- A quotient or remainder of weak integers that are never negative: C's own, unsigned; nil for others.
local function by_natural(self, n)
  local a, b = n.args[1], n.args[2]
  local divides = n.name == "floor_divide"
  if n.t ~= "int" or not divides and n.name ~= "remainder" or not (a.natural and b.natural) then return nil end
  local short = is_narrow("int", a.bits) and is_narrow("int", b.bits)
  local unsigned, signed = short and "unsigned" or "cp_jit::word", short and "int" or "long long"
  if b.op == "num" and tonumber(b.text) > 0 then
    return string.format("(%s %s %s)", self:text(a), divides and "/" or "%", b.text .. (short and "" or "ll"))
  end
  local texts, complete = self:operands { a, b }
  return complete(string.format("(%s)cp_jit::%s((%s)%s, (%s)%s)", signed, divides and "quotient" or "rest", unsigned,
    texts[1], unsigned, texts[2]))
end

-- Whether a value is never negative, also converted to a signed dtype that holds it.
local function is_natural(node)
  if node.op == "cast" then return types.width(node.t) > math.ceil(node.a.bits or 64) and is_natural(node.a) end
  return node.t == "int" and node.natural ~= nil and node.natural ~= false
end

-- A quotient or remainder of ints of C by one that is never negative; nil for others.
local function by_modulus(self, n)
  local divides, a, b = n.name == "floor_divide", n.args[1], n.args[2]
  if not divides and n.name ~= "remainder" or not is_natural(b) then return nil end
  if n.t ~= "int32" and not (is_narrow(a.t, a.bits) and is_narrow(b.t, b.bits)) then return nil end
  local texts, complete = self:operands(n.args)
  return complete(string.format("cp_jit::%s(%s, %s)", divides and "floored" or "modulo", texts[1], texts[2]))
end

function emit.op(self, n)
  local direct = by_shift(self, n) or by_natural(self, n) or by_modulus(self, n)
  if direct then return direct end
  local args, complete = self:operands(n.args)
  local registers, numbers = {}, {}
  for k, a in ipairs(n.args) do registers[k], numbers[k] = types.alone(a.t), k end
  local dtype = types.alone(n.t)
  local name = body.operation(self.ops, self.needs, { op = n.name, loop = n.loop, dtype = dtype, args = numbers },
    registers)
  return complete(rounded(self, n.t, string.format(dtypes[dtype].half and "(%s(%s))" or "%s(%s)", name,
    table.concat(args,
    ", "))))
end

-- ---- memory ----

-- A position as an int of C, if it is one in a small array.
local function shortened(self, node, short)
  local text = self:text(node)
  if not short or is_narrow(node.t, node.bits) or types.width(node.t) <= 16 then return text end
  return "(int)" .. text
end

-- The position from 0 that an index from 1 means.
local function from_zero(self, node, short)
  if node.op == "num" then return string.format("%d", tonumber(node.text) - 1) end
  if node.op == "cast" and node.a.op == "num" then return from_zero(self, node.a) end
  if node.op == "arith" and node.sym == "+" and node.b.op == "num" and (node.bits or 64) <= 62 then
    local more = tonumber(node.b.text) - 1
    if more == 0 then return shortened(self, node.a, short) end
    return string.format("(%s + %d)", shortened(self, node.a, short), more)
  end
  return string.format("(%s - 1)", shortened(self, node, short))
end

local offset
function offset(self, array, index)
  if array.ndim == 0 then return "0" end
  if any_effect(index) and array.ndim > 1 then -- the positions in order
    local names, complete = self:operands(index)
    local plain = { steps = index.steps }
    for k, name in ipairs(names) do plain[k] = { op = "text", text = name, t = "int", bits = 64 } end
    return complete(string.format("(long long)(%s)", offset(self, array, plain)))
  end
  if self.checks then return self:checked_offset(array, index) end
  local steps, text = index.steps or {}, nil
  for k = 1, array.ndim do
    local at = from_zero(self, index[k], array.small or not array.parameter)
    local step = array.lengths and tostring(array.lengths[k]) or steps[k] and self:text(steps[k])
    if not array.contiguous then
      at = string.format("%s * %s", at, step)
      text = text and text .. " + " .. at or at
    else
      text = text and string.format("%s * %s + %s", string.find(text, "^%b()$") and text or "(" .. text .. ")",
        step, at)
        or at
    end
  end
  text = string.match(text, "^%b()$") and string.sub(text, 2, -2) or text
  return array.parameter and text or string.format("(int)(%s)", text)
end

cuda.offset = offset

--- The C text of an element of an array in memory.
function cuda:element(array, index)
  return string.format("%s[%s]", array.cname, index.text or offset(self, array, index))
end

function emit.load(self, n)
  local t = dtypes[n.array.dtype]
  if t.half then self.needs.halves = true end
  if t.kind == "complex" then self.needs:space(t.name) end
  local element = self.checks and string.format("cp_jit::load(%s)", self:checked_element(n.array, n.index))
    or self:element(n.array, n.index)
  return types.kind(n.t) == "boolean" and string.format("(%s != 0)", element) or dtypes.load(t, element)
end

--- The statement that stores a value.
function cuda:store(array, index, value)
  local t = dtypes[array.dtype]
  if t.half then self.needs.halves = true end
  local text = dtypes.store(t, self:bare(value))
  if self.checks then
    return string.format("cp_jit::store(%s, %s);", self:checked_element(array, index), text)
  end
  return string.format("%s = %s;", self:element(array, index), text)
end

function emit.atomic(self, n)
  if self.checks then return self:checked_atomic(n) end
  local args, complete = self:operands(n.args)
  local index, first = n.index, ""
  if any_effect(n.args) then
    index, first = { text = "cp_place" }, string.format("const auto cp_place = %s; ", offset(self, n.array, index))
  end
  local text = complete(string.format("cp_jit::atomic_%s(&%s, %s)", n.name, self:element(n.array, index),
    table.concat(args, ", ")))
  return first == "" and text or string.format("[&]() { %sreturn %s; }()", first, text)
end

-- ---- calls ----

function emit.call(self, n)
  local args, complete = self:operands(n.args)
  local text = string.format("%s(%s)", n.instance.name, table.concat(args, ", "))
  return complete(#n.instance.results > 1 and not n.whole and text .. ".v1" or text)
end

local ESCAPES = { ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r", ['"'] = '\\"', ["\\"] = "\\\\" }

function emit.c(self, n)
  local args, complete = self:operands(n.args)
  if n.space then self.needs:space(n.space) end
  if n.format then
    local format = string.gsub(n.format, '[%c"\\]', function(c) return ESCAPES[c] or string.format("\\%03o",
      string.byte(c)) end)
    return complete(string.format('printf("%s"%s)', format, #args > 0 and ", " .. table.concat(args, ", ") or ""))
  end
  return complete((string.gsub(n.c, "%%(%d)", function(k) return args[tonumber(k)] end)))
end

--- The text of an expression without brackets around the whole.
function cuda:bare(node)
  local text = self:text(node)
  return string.match(text, "^%b()$") and string.sub(text, 2, -2) or text
end

--- The name of the struct of several results.
function cuda:results_type(list)
  if #list == 0 then return "void" end
  if #list == 1 then return register(list[1]) end
  local fields = {}
  for k, t in ipairs(list) do
    fields[k] = string.format("%s v%d;", register(t), k)
    if types.kind(t) == "complex" then self.needs:space(types.alone(t)) end
  end
  local text = table.concat(fields, " ")
  if not self.structs[text] then
    local name = "cp_results_" .. #self.structs + 1
    self.structs[text] = name
    self.structs[#self.structs + 1] = string.format("struct %s { %s };\n", name, text)
  end
  return self.structs[text]
end

return cuda
