-- Every elementwise operation in every form of a call: operands of all dtypes, layouts and kinds; as a
-- function, method and operator; into `out` of its own or another dtype, which may be an operand, overlap
-- one, or be larger than the result; in place; with dtype. Each result must equal, bit for bit, that of
-- spec/helper/calls/model.lua, and nothing else may change.
--   CUPOLA_CALLS=10         ten times as many calls
--   CUPOLA_CALLS_SEED=n     other calls

local cp = require "cupola"
local model = require "spec.helper.calls.model"
local numbers = require "spec.helper.numbers"
local generator = require "spec.helper.random.generator"
local operands = require "spec.helper.calls.operands"
local results = require "spec.helper.calls.results"

local unpack = table.unpack or unpack -- luacheck: ignore
local seed, times, sample = operands.seed, operands.times, operands.sample

-- ---- operations, as kernels/ops.def has them

local function read_operations()
  local list = {}
  for line in io.lines "kernels/ops.def" do
    local name, arity, class, scope = line:match "^OP[%u_]*%(([%w_]+),%s*(%d),%s*(%u%w*),%s*(%u+)"
    if name and rawget(cp, name) ~= nil and scope ~= "INTERNAL" and scope ~= "DRAW" then
      list[#list + 1] = { name = name, arity = tonumber(arity), class = class }
    end
  end
  return list
end

local made_of_others = { real = true, imag = true, angle = true, isclose = true, nan_to_num = true }
local logical = { logical_and = true, logical_or = true, logical_xor = true, logical_not = true }

local compile = loadstring or load -- luacheck: ignore
local operators = {}
for name, text in pairs {
  add = "a + b", subtract = "a - b", multiply = "a * b", divide = "a / b", remainder = "a % b", power = "a ^ b",
  negative = "-a", floor_divide = "a // b", bitwise_and = "a & b", bitwise_or = "a | b", bitwise_xor = "a ~ b",
  invert = "~a", left_shift = "a << b", right_shift = "a >> b",
} do
  local f = compile("local a, b = ... return " .. text)
  operators[name] = f -- nil where this Lua has no such operator
end

-- ---- forms: each calls op on c.list and says what is wrong, or nil

local forms = {}

local function given(list)
  local t = {}
  for k, o in ipairs(list) do t[k] = o.given end
  return t
end

forms["function"] = function(c) return results.expect(c.want, cp[c.op], unpack(given(c.list))) end

function forms.method(c)
  local x = given(c.list)
  if not cp.is_array(x[1]) then return forms["function"](c) end
  return results.expect(c.want, x[1][c.op], unpack(x))
end

function forms.operator(c)
  local first = type(c.list[1].given) -- LuaJIT asks no metamethod of the other operand where one is a cdata
  if not operators[c.op] or first == "cdata" then return forms.method(c) end
  return results.expect(c.want, operators[c.op], unpack(given(c.list)))
end

local computed_in = { "float32", "float64", "complex64", "int32" }
local floats_only = { FLOAT = true, FLOATABS = true, QUOTIENT = true, CLOSE = true }

function forms.dtype(c)
  if c.class == "WHERE" or c.class == "LDEXP" then return forms.method(c) end
  local dtype = c.g.one_of(computed_in)
  local possible = dtype ~= "int32" or not floats_only[c.class]
  c.want = possible and model.computed(c.op, c.list, c.shape, dtype)
  local x = given(c.list)
  x[#x + 1] = { dtype = dtype }
  c.form = "dtype = " .. dtype
  return results.expect(c.want, cp[c.op], unpack(x))
end

function forms.out(c)
  local dtype = c.want and c.g.chance(50) and c.want.dtype or c.g.one_of(operands.dtypes)
  local layout = c.g.one_of(operands.layouts)
  local out, base, take = operands.arrange(operands.plain(c.g, dtype, c.shape), layout)
  local x = given(c.list)
  x[#x + 1] = out
  c.form = ("out = %s %s"):format(dtype, layout)
  return results.expect_written(c, base, take, cp[c.op], unpack(x))
end

-- Which operand may be written, if any.
local function whole_operand(c)
  for k, o in ipairs(c.list) do
    if o.take and not o.scalar and results.same_shape(o.given.shape, c.shape) and not o.repeated then return k end
  end
end

function forms.alias(c)
  local k = whole_operand(c)
  if not k then return forms.out(c) end
  local o, x = c.list[k], given(c.list)
  x[#x + 1] = o.given
  c.form = "out = operand " .. k
  return results.expect_written(c, o.base, o.take, cp[c.op], unpack(x))
end

-- An operand and out in one memory: out begins some elements later, runs backwards, or has another dtype.
function forms.overlap(c)
  local k = whole_operand(c)
  if not k or c.list[k].plain.size == 0 then return forms.out(c) end
  local o, shape = c.list[k], c.shape
  local n = o.plain.size
  local base = cp.tile(o.plain:ravel(), 3)
  local at = c.g.number(3)
  local function in_base(b) return b[{ { at, at + n - 1 } }]:reshape(shape) end
  o.given, o.base = in_base(base), base
  o.given:assign(o.plain)
  local dtype = c.want and c.g.chance(40) and c.want.dtype or o.dtype
  local from = c.g.number(3)
  local function take(b)
    if numbers.itemsize[dtype] <= numbers.itemsize[o.dtype] then b = b:view(dtype) end
    local view = b[{ { from, math.min(from + n - 1, b.size) } }]
    return view.size == n and view:reshape(shape) or b[{ { 1, n } }]:reshape(shape)
  end
  local x = given(c.list)
  x[#x + 1] = take(base)
  c.form = ("out = %s %d over operand %d at %d"):format(x[#x].dtype, from, k, at)
  return results.expect_written(c, base, take, cp[c.op], unpack(x))
end

-- A shape to which the result is broadcast: axes in front, and others in place of some of length 1.
local function larger(c)
  local shape = { c.g.number(3) }
  if c.g.chance(30) then shape = #c.shape < 4 and { 2, 1 } or {} end
  for k, n in ipairs(c.shape) do shape[#shape + 1] = n == 1 and c.g.chance(50) and k + 1 or n end
  return shape
end

-- Into an array that is larger than the result.
function forms.larger(c)
  local dtype = c.want and c.g.chance(50) and c.want.dtype or c.g.one_of(operands.dtypes)
  local out, base, take = operands.arrange(operands.plain(c.g, dtype, larger(c)), c.g.one_of(operands.layouts))
  local x = given(c.list)
  x[#x + 1] = out
  c.form, c.repeated = ("out = %s %s"):format(dtype, tostring(out.shape)), true
  return results.expect_written(c, base, take, cp[c.op], unpack(x))
end

-- The same where an operand is a part of it.
function forms.part(c)
  local k = whole_operand(c)
  if not k or #c.shape > 4 then return forms.larger(c) end
  local o, row = c.list[k], c.g.number(2)
  local base = cp.stack { o.plain, o.plain }
  o.given, o.base = #c.shape > 0 and base[row] or base:at(row), base
  local x = given(c.list)
  x[#x + 1] = base
  c.form, c.repeated = ("out = two of operand %d, which is the %d."):format(k, row), true
  return results.expect_written(c, base, function(b) return b end, cp[c.op], unpack(x))
end

forms["in place"] = function(c)
  local o, f = c.list[1], rawget(cp, c.op .. "_")
  if not f or not o.take or o.repeated then return forms.alias(c) end
  return results.expect_written(c, o.base, o.take, f, unpack(given(c.list)))
end

local form_names = { "function", "method", "operator", "dtype", "out", "alias", "overlap", "in place", "larger",
  "part" }

-- ---- cases

local shapes = { { 6 }, { 2, 3 }, { 3, 4 }, {}, { 1 }, { 0 }, { 2, 0 }, { 70 }, { 2, 3, 2 }, { 1100 }, { 40, 60 } }

-- Kinds of the operands beside the first one.
local kinds = operands.kinds()
kinds[#kinds + 1] = { list = true }

local function operand(g, kind, shape, whole)
  if kind.array then return operands.array(g, kind.array, shape, whole) end
  if kind.typed then return operands.typed(g, kind.typed) end
  return operands.bare(g, kind.bare)
end

-- What is refused with a message of its own, or is no call of this form.
local function allowed(op, list)
  for k, o in ipairs(list) do
    if o.kind == "b" and (logical[op.name] or op.name == "where" and k == 1) then return false end
    if op.name == "ldexp" and k == 2 and (o.kind and o.kind ~= "i" or o.given == 0 or o.given == 1e20) then
      return false
    end
  end
  return true
end

local function result_shape(list)
  local shape = {}
  for _, o in ipairs(list) do
    if o.plain then
      local s = cp.is_array(o.given) and o.given.shape or o.plain.shape
      shape = cp.broadcast_shapes(shape, s)
    end
  end
  return shape
end

-- One call in a form; what is wrong with it, or nil.
local function run(g, op, list, form)
  if not allowed(op, list) then return nil end
  local c = { g = g, op = op.name, class = op.class, list = list, shape = result_shape(list), form = form }
  c.want = model.result(c.op, list, c.shape)
  local bad = forms[form](c)
  return bad and ("%s(%s) [%s]: %s"):format(c.op, operands.text(list), c.form, bad)
end

-- The operands of op: an array of this dtype somewhere, and others of a kind. Tables follow the dtype of all
-- others.
local function build(g, op, dtype, kind)
  local shape, list, tables = g.one_of(shapes), {}, {}
  local place = op.name ~= "where" and op.name ~= "ldexp" and g.number(op.arity) or 1
  for k = 1, op.arity do
    local one = k == place and { array = dtype } or k > 2 and g.one_of(kinds) or kind
    if op.name == "where" and k == 1 then one = { array = "bool" } end
    list[k] = one.list and {} or operand(g, one, shape, g.chance(60))
    tables[k] = one.list
  end
  if g.chance(8) then list[op.arity], tables[op.arity] = list[place], nil end
  local beside = model.strong(op.name, list)
  for k in pairs(tables) do list[k] = operands.list(g, shape, model.aside(op.name, k) and "int32" or beside) end
  return list
end

local function check_operation(op)
  local g, failures, calls = generator(seed * 1000 + #op.name + op.arity), {}, 0
  local beside = op.arity == 1 and { kinds[1], kinds[1], kinds[1], kinds[1], kinds[1], kinds[1] } or kinds
  for round = 1, 2 * times do
    cp.set_default_dtype(round % 2 == 0 and "float32" or "float64")
    for j, dtype in ipairs(operands.dtypes) do
      for k, kind in ipairs(beside) do
        if (j * #beside + k + round) % sample == 0 then
          local bad = run(g, op, build(g, op, dtype, kind), form_names[g.number(#form_names)])
          calls = calls + 1
          if bad then failures[#failures + 1] = bad end
        end
      end
    end
  end
  cp.set_default_dtype "float64"
  results.raise(failures, seed, calls)
end

describe("calls in every form", function()
  for _, op in ipairs(read_operations()) do
    if not made_of_others[op.name] then it(op.name, function() check_operation(op) end) end
  end
end)

-- ---- functions made of several operations, and calls without arrays

local function of_one(op) return function(list, shape) return model.result(op, list, shape) end end

local function clipped(list, shape)
  local types, x = model.dtypes("clip", list), {}
  if not types then return nil end
  for k, o in ipairs(list) do
    x[k] = (o.plain or cp.full({}, o.given, types[k])):astype(types[k])
    x[k] = { given = x[k], plain = x[k], dtype = types[k] }
  end
  local low = model.result("maximum", { x[1], x[2] }, shape)
  return low and model.result("minimum", { { given = low, plain = low, dtype = low.dtype }, x[3] }, shape)
end

-- The number of operands, and what each result must be.
local composed = { divmod = { 2, of_one "floor_divide", of_one "remainder" }, clip = { 3, clipped } }

local function some_kind(g)
  local kind = g.one_of(kinds)
  return kind.list and kinds[1] or kind
end

local function check_composed(g, name, dtype)
  local shape, list = g.one_of(shapes), {}
  for k = 1, composed[name][1] do list[k] = operand(g, k == 1 and { array = dtype } or some_kind(g), shape, k == 1) end
  local got = { pcall(cp[name], unpack(given(list))) }
  for k = 2, #composed[name] do
    local want, bad = composed[name][k](list, result_shape(list)), nil
    if got[1] ~= (want ~= nil) then bad = want and tostring(got[2]) or "did not fail" end
    bad = bad or want and results.difference(got[k], want)
    if bad then return ("%s(%s): result %d: %s"):format(name, operands.text(list), k - 1, bad) end
  end
end

-- A number alone may be computed by another of the C library's functions than vectors of them: the last bit
-- may differ.
local function equal_values(a, b)
  if type(a) == "userdata" and type(b) == "userdata" then
    return equal_values(a.re, b.re) and equal_values(a.im, b.im)
  end
  if a == b or a ~= a and b ~= b then return true end
  return type(a) == "number" and type(b) == "number" and math.abs(a - b) <= 4 * 2 ^ -53 * math.abs(b)
end

local function check_scalars(g, op, dtype)
  local list = {}
  for k = 1, op.arity do list[k] = operands.typed(g, k == 1 and dtype or g.one_of(operands.dtypes)) end
  -- numbers alone are the host's work
  local want = cp.device("cpu"):with(model.result, op.name, list, {})
  local ok, got = pcall(cp[op.name], unpack(given(list)))
  if ok ~= (want ~= nil) or want and not equal_values(got, want:item()) then
    return ("%s(%s): gave %s, want %s"):format(op.name, operands.text(list), tostring(got), tostring(want))
  end
end

-- check(g, what, dtype) for every dtype, some times.
local function check_all(check, what)
  local g, failures, calls = generator(seed), {}, 0
  for _ = 1, 10 * times do
    for _, dtype in ipairs(operands.dtypes) do
      calls = calls + 1
      if calls % sample == 0 then failures[#failures + 1] = check(g, what, dtype) end
    end
  end
  results.raise(failures, seed, calls)
end

describe("calls of several operations", function()
  for name in pairs(composed) do
    it(name, function() check_all(check_composed, name) end)
  end
end)

describe("calls of typed numbers alone", function()
  for _, op in ipairs(read_operations()) do
    if not made_of_others[op.name] then it(op.name, function() check_all(check_scalars, op) end) end
  end
end)
