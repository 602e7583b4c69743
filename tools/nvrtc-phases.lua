-- Specs of kernels with phases for nvrtc-check.lua: programs that kernels/rows.cu computes in one pass, in
-- several lengths of rows, and those that kernels/reduce.cu computes in one.
--
-- Returns a function that calls add(kind, name, spec, alone) for each.

local types = require "cupola.kernels.types"

-- A spec under construction: its registers are known once all leaves and scalars are.
local function builder(dtype)
  local b = { leaves = {}, scalars = {}, instrs = {}, outputs = {}, reductions = {}, dtype = dtype }
  function b.leaf(access, name)
    b.leaves[#b.leaves + 1] = { dtype = name or dtype, access = access or "vector" }
    return #b.leaves - 1
  end
  function b.scalar()
    b.scalars[#b.scalars + 1] = dtype
    return #b.leaves + #b.scalars - 1
  end
  local function instr(fields)
    b.instrs[#b.instrs + 1] = fields
    return #b.leaves + #b.scalars + #b.instrs - 1
  end
  b.instr = instr
  function b.op(name, ...) return instr { op = name, loop = dtype, dtype = dtype, args = { ... } } end
  function b.reduce(red, value, position)
    b.reductions[#b.reductions + 1] = red
    return instr { op = "reduce", loop = dtype, dtype = position and "int64" or types[dtype].real or dtype,
      args = { value, position }, reduction = #b.reductions - 1 }
  end
  function b.store(reg, access, name)
    b.outputs[#b.outputs + 1] = { dtype = name or dtype, access = access or "vector", reg = reg }
  end
  function b.spec(lanes, share)
    local size = types[dtype].size
    return { target = "cuda", ndim = 2, nred = 1, wide = false, vector = math.floor(16 / size), strategy = "rows",
      leaves = b.leaves, scalars = b.scalars, instrs = b.instrs, outputs = b.outputs, reductions = b.reductions,
      lanes = lanes, share = share }
  end
  return b
end

local programs = {}

function programs.softmax(b, access)
  local x = b.leaf(access)
  local e = b.op("exp", b.op("subtract", x, b.reduce("max", x)))
  b.store(b.op("divide", e, b.reduce("sum", e)), access)
end

function programs.layer_norm(b, access)
  local x, g, shift = b.leaf(access), b.leaf(access), b.leaf(access)
  local eps = b.scalar()
  local m, v = b.reduce("mean", x), b.reduce("var", x)
  local y = b.op("divide", b.op("subtract", x, m), b.op("sqrt", b.op("add", v, eps)))
  b.store(b.op("add", b.op("multiply", y, g), shift), access)
  b.store(m, "same")
  b.store(v, "same")
end

function programs.norm_and_gelu(b, access)
  local x, row = b.leaf(access), b.leaf("same")
  local s = b.scalar()
  local c = b.scalar()
  local mean = b.reduce("mean", b.op("multiply", x, x))
  local y = b.op("divide", x, b.op("sqrt", b.op("add", mean, row)))
  local t = b.op("tanh", b.op("multiply", b.op("add", y, b.op("multiply", b.op("cube", y), c)), s))
  b.store(b.op("multiply", b.op("multiply", y, s), b.op("add", t, c)), access)
end

-- A step of conjugate gradients: two reductions, one after the other.
programs["conjugate gradients"] = function(b, access)
  local p, ap, r, rs = b.leaf(access), b.leaf(access), b.leaf(access), b.leaf("one")
  local alpha = b.op("divide", rs, b.reduce("sum", b.op("multiply", p, ap)))
  local rest = b.op("subtract", r, b.op("multiply", alpha, ap))
  local new = b.reduce("sum", b.op("square", rest))
  b.store(b.op("add", rest, b.op("multiply", b.op("divide", new, rs), p)), access)
  b.store(new, "one")
  b.store(alpha, "one")
  b.store(rest, access)
end

programs["all kinds"] = function(b, access)
  local x, i = b.leaf(access), b.leaf("index", "int64")
  local list = { "sum", "std", "nanmean", "nanvar" }
  if types[b.dtype].kind == "real" then list[#list + 1] = "ptp" end
  for _, red in ipairs(list) do b.store(b.reduce(red, x), "same", types[b.dtype].real) end
  b.store(b.reduce("argmax", x, i), "same", "int64")
end

-- Nothing but the quotient is of the leaves' dtype.
programs["counted quotients"] = function(b, access)
  local x, row = b.leaf(access), b.leaf("same")
  local q = b.op("divide", x, row)
  local is = b.instr { op = "not_equal", loop = b.dtype, dtype = "bool", args = { q, row } }
  local one = b.instr { op = "cast", loop = "bool", dtype = "int64", args = { is } }
  b.reductions[1] = "sum"
  local count = b.instr { op = "reduce", loop = "int64", dtype = "int64", args = { one }, reduction = 0 }
  b.store(b.instr { op = "equal", loop = "int64", dtype = "bool", args = { count, count } }, "same", "bool")
end

-- Three sums over one broadcast domain, and what is made of them for each output: kernels/joint.lua.
local function three_sums(dtype)
  local b = builder(dtype)
  local x, y, moved = b.leaf "vector", b.leaf "same", b.leaf "same"
  local s = b.scalar()
  local d = b.op("subtract", x, y)
  local w = b.op("divide", s, b.op("sqrt", b.op("add", b.op("multiply", d, d), s)))
  local sums = { b.reduce("sum", b.op("multiply", d, w)), b.reduce("sum", moved), b.reduce("max", w) }
  b.store(b.op("add", b.op("multiply", sums[1], s), sums[2]))
  b.store(sums[3])
  local spec = b.spec(0, 0)
  spec.strategy, spec.vector, spec.batch = "domain", 4, 4
  spec.reach = { 2, 4 + 8 + 16, 4 + 8 } -- ORDER lua/cupola/kernels/domain.lua
  return spec
end

-- Sums, a maximum and stored elements of two arrays in the strategies of kernels/reduce.cu.
local function several(dtype, strategy, vector, access)
  local b = builder(dtype)
  local x, y, row = b.leaf(access), b.leaf(access), b.leaf(strategy == "column" and "one" or "same")
  local d = b.op("exp", b.op("subtract", b.op("multiply", x, row), y))
  local at = strategy == "column" and access or "same"
  local function reduce(red, reg)
    local result = b.reduce(red, reg)
    b.instrs[#b.instrs].dtype = dtype
    return result
  end
  b.store(reduce("sum", b.op("multiply", d, d)), at)
  b.store(b.op("sqrt", reduce("mean", x)), at)
  if types[dtype].kind == "real" then b.store(reduce("max", y), at) end
  if strategy ~= "short" then b.store(d, access) end
  local spec = b.spec(0, 0)
  spec.strategy, spec.vector, spec.batch = strategy, vector, strategy == "short" and 12 or 4
  if strategy == "short" then spec.reach = { 1 + 2 + 4, 1 + 2 + 4 + 8, 1 + 2 } end -- ORDER domain.lua
  return spec
end

return function(add)
  for _, strategy in ipairs { "warp", "block", "split", "column", "short" } do
    add("phases", "several float32 " .. strategy, several("float32", strategy, strategy == "short" and 2 or 4,
      strategy == "short" and "strided" or "vector"), true)
  end
  for _, strategy in ipairs { "split", "short" } do
    add("phases", "several complex64 " .. strategy, several("complex64", strategy, 1, "strided"))
  end
  add("phases", "several float64 unaligned split", several("float64", "split", 2, "contiguous"), true)
  for _, dtype in ipairs { "float32", "float64" } do
    add("phases", "three sums " .. dtype, three_sums(dtype), dtype == "float32")
  end
  for name, make in pairs(programs) do
    for _, case in ipairs { { "float32", "vector", 256, 8 }, { "float32", "contiguous", 32, 4 },
      { "float32", "vector", 8, 4 }, { "float64", "vector", 1024, 8 } } do
      local dtype, access, lanes, share = case[1], case[2], case[3], case[4]
      local b = builder(dtype)
      make(b, access)
      add("phases", ("%s %s %d x %d %s"):format(name, dtype, lanes, share, access), b.spec(lanes, share),
        dtype == "float32" and name ~= "all kinds")
    end
  end
end
