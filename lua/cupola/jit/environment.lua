-- What kernels may name of cupola and of Lua: the operations of kernels/ops.def, cp.jit and math. Functions
-- and tables that a kernel gets as upvalues are recognised by their values.

local builtins = require "cupola.jit.builtins"
local functions = require "cupola.jit.math"
local text = require "cupola.jit.text"
local types = require "cupola.jit.types"

local INDEX3 = { threadIdx = true, blockIdx = true, blockDim = true, gridDim = true }
local ALIASES = { sub = "subtract", mul = "multiply", div = "divide", idiv = "floor_divide", mod = "remainder",
  pow = "power", neg = "negative", abs = "absolute", eq = "equal", ne = "not_equal", lt = "less", le = "less_equal",
  gt = "greater", ge = "greater_equal", band = "bitwise_and", bor = "bitwise_or", bxor = "bitwise_xor",
    bnot = "invert",
  shl = "left_shift", shr = "right_shift", asin = "arcsin", acos = "arccos", atan = "arctan", atan2 = "arctan2",
  asinh = "arcsinh", acosh = "arccosh", atanh = "arctanh", max = "maximum", min = "minimum", conjugate = "conj",
  deg2rad = "radians", rad2deg = "degrees", mod_ = "remainder", bitwise_not = "invert", true_divide = "divide" }

-- ---- identifiers of C++ ----

local RESERVED = {}
for word in string.gmatch("alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl "
  .. "const constexpr const_cast continue decltype default delete do double dynamic_cast else enum "
  .. "explicit export extern false float for friend goto if inline int long mutable namespace new "
  .. "noexcept not not_eq nullptr operator or or_eq private protected public register "
  .. "reinterpret_cast return short signed sizeof static static_assert static_cast struct switch "
  .. "template this thread_local throw true try typedef typeid typename union unsigned using virtual "
  .. "void volatile wchar_t while xor xor_eq half float16 bfloat16 complex complex64 complex128 "
  .. "warpSize threadIdx blockIdx blockDim gridDim printf clock64 assert linux unix main cuda size_t "
  .. "ptrdiff_t", "[%w_]+") do
  RESERVED[word] = true
end

-- An identifier that is no word of C++ and no macro. Macros have capital letters or begin with underscores;
-- names of fields may be any strings.
local function mangle(name)
  name = string.gsub(name, "[^%w_]", "_")
  if RESERVED[name] or string.find(name, "^[^%l]") or string.find(name, "__", 1, true) or string.find(name, "^cp_")
    or string.find(name, "^atomic") or string.find(name, "^h_") or string.find(name, "^in_%d")
    or string.find(name, "^out_%d") then
    return "l_" .. string.gsub(name, "__+", "_")
  end
  return name
end

return function(cp, core)
  local env = { core = core, builtins = builtins, group_method = builtins.group_method, math = functions,
    mangle = mangle, suggest = core.suggest, dtypes = core.dtypes(), reads_upvalues = core.jit_reads(),
    is_array = cp.is_array, find_dtype = core.find_dtype }
  env.ops = core.operations()
  -- Scripts' copies of these tables are known by their places, also if no script has named them yet.
  local jit = core.member(cp, "jit")
  core.member(jit, "cg")
  for name in pairs(INDEX3) do core.member(jit, name) end
  types.promote = cp.result_type

  local is_dtype = {}
  for _, name in ipairs(env.dtypes) do is_dtype[name] = true end

  function env.class_of(value) return core.jit_key({ value }, 1) end

  local loops = {}

  -- The dtype that an operation computes in, of its result and of its operands; or nil and the reason.
  function env.operation_types(name, dtypes)
    local key = name .. " " .. table.concat(dtypes, " ")
    loops[key] = loops[key] or { core.jit_types(name, unpack(dtypes)) }
    return unpack(loops[key], 1, 3)
  end

  -- The operation that cp.NAME is, or nil.
  function env.operation(name)
    name = ALIASES[name] or name
    if env.ops[name] and (type(rawget(cp, name)) == "function" or cp[name]) then return name end
  end

  -- ---- names of modules ----

  local function member_of_jit(name)
    if INDEX3[name] then return { "index3", name, "cp.jit." .. name } end
    if name == "warpsize" then return 32 end
    if name == "cg" then return { "module", nil, "cp.jit.cg" } end
    if builtins[name .. "_of"] then return { "builtin", name .. "_of", "cp.jit." .. name } end
    if is_dtype[name] then return { "cast", name, "cp.jit." .. name } end
    if type(builtins[name]) == "function" and name ~= "group_method" and not builtins.of_groups[name] then
      return { "builtin", name, "cp.jit." .. name }
    end
  end

  local NUMBERS = { pi = true, e = true, inf = true, nan = true, euler_gamma = true }

  local function member_of_cp(name)
    if name == "jit" then return { "module", nil, "cp.jit" } end
    if is_dtype[name] then return { "string", name, "cp." .. name } end
    if NUMBERS[name] then return rawget(cp, name) or cp[name] end
    local operation = env.operation(name)
    if operation then return { "op", operation, "cp." .. name } end
  end

  local function member_of_math(name)
    if name == "pi" or name == "huge" then return math[name] end
    if functions[name] then return { "math", name, "math." .. name } end
  end

  -- What a name of a module is: a number, {static, value, path}, or nil.
  function env.member(path, name)
    if path == "cp" then return member_of_cp(name) end
    if path == "cp.jit" then return member_of_jit(name) end
    if path == "math" then return member_of_math(name) end
    if builtins.of_groups[name] then
      return { "builtin", name, "cp.jit.cg." .. name }
    end
  end

  -- The names of a module, for suggestions.
  function env.member_names(path)
    local list = {}
    local from = path == "math" and functions or path == "cp" and env.ops or builtins
    for name in pairs(from) do
      if env.member(path, name) then list[#list + 1] = name end
    end
    if path == "cp" then list[#list + 1] = "jit" end
    if path == "cp.jit" then
      for name in pairs(INDEX3) do list[#list + 1] = name end
    end
    return list
  end

  -- ---- values that are modules and functions ----

  local function is_math(value)
    return rawget(value, "sin") == math.sin and rawget(value, "floor") == math.floor
  end

  -- The path of the module that a table is, or nil.
  function env.module_name(value)
    if type(value) ~= "table" then return nil end
    if value == core.public(cp) then return "cp" end
    if value == core.public(cp.jit) then return "cp.jit" end
    if value == core.public(cp.jit.cg) then return "cp.jit.cg" end
    if is_math(value) then return "math" end
  end

  function env.index3_name(value)
    for name in pairs(INDEX3) do
      if value == core.public(cp.jit[name]) then return name end
    end
  end

  local by_value

  local function note(value, path, name)
    local found = type(value) == "function" and not by_value[value] and env.member(path, name)
    if type(found) == "table" then by_value[value] = found end
  end

  -- {static, value, path} of a function of cp, cp.jit or math, or nil.
  function env.function_name(value)
    if not by_value then
      by_value = {}
      for name in pairs(functions) do note(math[name], "math", name) end
      for name, f in pairs(cp.jit) do note(f, "cp.jit", name) end
      for name, f in pairs(cp.jit.cg) do note(f, "cp.jit.cg", name) end
      for name in pairs(env.ops) do note(env.operation(name) and cp[name], "cp", name) end
      for name in pairs(ALIASES) do note(env.operation(name) and rawget(cp, name), "cp", name) end
    end
    return by_value[value]
  end

  -- ---- functions of Lua ----

  local known, units = setmetatable({}, { __mode = "k" }), 0

  -- The tree and the unit of a Lua function, and its name in its text; or nil and the reason.
  function env.source_of(f)
    if known[f] then return unpack(known[f], 1, 3) end
    local tree, d, name = text.of(core, f, env.where or "jit")
    if not tree then return nil, d end
    units = units + 1
    local unit = { file = d.name, object = f, upvalues = {}, id = units }
    for k, upvalue in ipairs(d.upvalues) do unit.upvalues[upvalue] = k end
    known[f] = { tree, unit, name }
    return tree, unit, name
  end

  -- The same of a text, and the statements before the function.
  function env.source_of_text(source, file)
    local f, before = text.of_string(source, file)
    units = units + 1
    return f, { file = file, id = units }, before
  end

  return env
end
