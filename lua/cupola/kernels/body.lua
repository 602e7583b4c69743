-- The instructions of a plan as text: functions for its operations, and `cp_body`, which computes the results
-- of one element from the values of its leaves. Where the preludes have fast-path forms of the operations,
-- `cp_body_fast` uses them and says whether its results are right for these arguments.
--
--   struct cp_inputs   one element of every leaf, in registers: l0, l1, ...
--   struct cp_results  the results of the instructions: o0, o1, ... (elementwise), or value and position
--                      (reductions)
--
-- Registers are numbered as in src/plan/plan.h: leaves, scalars, instructions.

local casts = require "cupola.kernels.casts"
local types = require "cupola.kernels.types"

local body = {}

local LETTERS = { "a", "b", "c", "d", "e", "f" }

-- The name of the function for an instruction on registers of these dtypes, which is added to the preludes'
-- needs.
local function operation(ops, needs, instr, registers)
  local loop = types[types[instr.loop].loop]
  local op = ops[instr.op]
  local text = op and op[loop.kind]
  if not text or text == "NA" or text == "NO" then
    error(string.format("%s has no loop for %s", instr.op, instr.loop), 0)
  end
  local result = types[instr.dtype].register
  local parameters = {}
  for k, reg in ipairs(instr.args) do
    parameters[k] = string.format("%s %s", types[registers[reg]].register, LETTERS[k])
  end
  local name = "op_" .. instr.op
  local key = name .. " " .. result
  local list = table.concat(parameters, ", ")
  needs:add(loop.name, key, string.format("CP_FN %s %s(%s) { return %s; }", result, name, list, text))
  return string.format("cp_%s::%s", loop.name, name)
end

body.operation = operation

-- The prelude function of an instruction if it has a fast form, such as "cp_float32::m_exp". row: the
-- registers that are computed once for a row, if any; a quotient's fast form pays where the divisor is one.
local function fast_form(ops, needs, instr, row)
  local loop = types[types[instr.loop].loop]
  local text = loop.kind == "real" and ops[instr.op] and ops[instr.op].real
  local name = text and string.match(text, "^m_([%w_]+)%(a[, b]*%)$")
  if text == "a / b" and row and row[instr.args[2]] then
    name = types[instr.loop].half and "divide_half" or "divide"
  end
  return name and needs:has_fast(loop.name, name) and string.format("cp_%s::m_%s", loop.name, name)
end

--- The expression of an instruction on registers r<N>. fast: use the fast form if there is one (row: see
-- fast_form).
local function instruction(ops, needs, instr, registers, fast, row)
  local args = {}
  for k, reg in ipairs(instr.args) do args[k] = "r" .. reg end
  if instr.called then return string.format("cp_call_%d::call(%s)", instr.called, table.concat(args, ", ")) end
  if instr.table then return string.format("cp_table_%d(p, %s)", instr.table, table.concat(args, ", ")) end
  if instr.op == "cast" then return casts.text(needs, instr.loop, instr.dtype, args[1]) end
  local form = fast and fast_form(ops, needs, instr, row)
  if form then needs:space(types[instr.loop].loop).header = true end -- plain operators do not need it
  local text = form and string.format("%s_fast(%s)", form, table.concat(args, ", "))
    or string.format("%s(%s)", operation(ops, needs, instr, registers), table.concat(args, ", "))
  local half = types[instr.dtype].half
  if not half then return text end
  needs.halves = true
  return string.format("h_round_%s(%s)", half, text)
end

body.instruction, body.fast_form = instruction, fast_form

--- Text that clears `ok` where the fast form of an instruction does not hold; nil if it has none.
---@return string?
function body.fast_check(ops, needs, instr, row)
  local form = fast_form(ops, needs, instr, row)
  return form and string.format("  ok &= %s_fast_ok(r%s);\n", form, table.concat(instr.args, ", r")) or nil
end

-- The dtype of each register, by number from 0.
function body.registers(spec)
  local r, n = {}, 0
  local function add(name)
    r[n] = name
    n = n + 1
  end
  for _, leaf in ipairs(spec.leaves) do add(leaf.dtype) end
  for _, name in ipairs(spec.scalars) do add(name) end
  for _, instr in ipairs(spec.instrs) do add(instr.dtype) end
  return r
end

-- Functions that are longer than their error bounds suggest, as measured by NVRTC's compile time.
local LONG = {
  power = 40, lgamma = 40, gamma = 70, floor_divide = 30, remainder = 20, fmod = 20, random_uniform = 25,
  random_normal = 45, random_gamma = 90, random_log_gamma = 90, random_poisson = 90, random_binomial = 90,
  random_vonmises = 90, random_hypergeometric = 90, random_zipf = 90 }

-- A lookup by one array of positions.
local LOOKUP = 5

local function weight_of(instr, ops)
  if instr.weight then return instr.weight end -- a user's function (called.lua)
  if instr.table then return LOOKUP end
  local op, t = ops[instr.op], types[types[instr.loop].loop]
  local text = op and op[t.kind] or ""
  local calls = string.find(text, "_") -- whether it calls the prelude
  local cost = t.kind ~= "integer" and (calls and 3 or 0.5) or 0.4
  if calls and op.numeric > 0 then cost = 10 + 2 * op.numeric end
  if t.kind == "real" then cost = LONG[instr.op] or cost end
  if t.kind == "complex" then cost = cost * 4 end
  return t.name == "float64" and calls and cost * 2 or cost
end

body.weight_of = weight_of

-- A rough size of the computation of one element, in plain instructions: what each copy of it costs the
-- compiler. A function with an error bound counts more, the more the larger its bound.
function body.weight(spec, ops)
  local weight = 0
  for _, instr in ipairs(spec.instrs) do weight = weight + weight_of(instr, ops) end
  return weight
end

-- struct cp_inputs, which the text of access.lua fills.
function body.inputs(spec)
  local out = { "struct cp_inputs {" }
  for k, leaf in ipairs(spec.leaves) do
    out[#out + 1] = string.format("  %s l%d;", types[leaf.dtype].register, k - 1)
  end
  out[#out + 1] = "};\n"
  return table.concat(out, "\n")
end

-- The registers that are results: {{field, register number, dtype to keep it in}, ...}.
local function results(spec, registers)
  if spec.nred > 0 then
    local list = { { "value", spec.value, registers[spec.value] } }
    if spec.position and spec.position >= 0 then list[2] = { "position", spec.position, registers[spec.position] } end
    return list
  end
  local list = {}
  for k, output in ipairs(spec.outputs) do list[k] = { "o" .. k - 1, output.reg, output.dtype } end
  return list
end

local function results_struct(list)
  local out = { "struct cp_results {" }
  for _, r in ipairs(list) do out[#out + 1] = string.format("  %s %s;", types[r[3]].register, r[1]) end
  out[#out + 1] = "};\n"
  return table.concat(out, "\n")
end

local function instructions(spec, ops, needs, registers, fast)
  local out, first = {}, #spec.leaves + #spec.scalars
  for k, instr in ipairs(spec.instrs) do
    if fast then out[#out + 1] = body.fast_check(ops, needs, instr) end
    out[#out + 1] = string.format("  const %s r%d = %s;\n", types[instr.dtype].register, first + k - 1,
      instruction(ops, needs, instr, registers, fast))
  end
  return table.concat(out)
end

local function assign_results(list, registers, needs)
  local out = {}
  for k, r in ipairs(list) do
    out[k] = string.format("  out.%s = %s;\n", r[1], casts.text(needs, registers[r[2]], r[3], "r" .. r[2]))
  end
  return table.concat(out)
end

-- Operations that compile to instructions without branches for all dtypes.
local STRAIGHT = { random_uniform = true, cast = true, add = true, subtract = true, multiply = true, square = true,
  negative = true, less = true, less_equal = true, greater = true, greater_equal = true, equal = true,
  not_equal = true, where = true, maximum = true, minimum = true }

-- Whether the computation of an element is free of branches.
function body.is_straight(spec)
  for _, instr in ipairs(spec.instrs) do
    if not STRAIGHT[instr.op] and not (instr.op == "random_normal" and instr.loop == "float32") then return false end
  end
  return true
end

-- Whether a kernel should have cp_body_fast, and its weight. With lookups it has none: what an approximation
-- gave out of range would be reported.
function body.has_fast(spec, ops, needs)
  local has, weight = false, 0
  if spec.tables then return false, body.weight(spec, ops) end
  for _, instr in ipairs(spec.instrs) do
    local form = fast_form(ops, needs, instr)
    has = has or form and true
    weight = weight + weight_of(instr, ops) * (form and 0.5 or 1)
  end
  return has, weight
end

-- Text of cp_results and cp_body, and of cp_body_fast if `fast`. apart: the instructions are in a function
-- that cp_body calls, which is not inlined.
function body.source(spec, l, ops, needs, apart, fast)
  local registers = body.registers(spec)
  local list = results(spec, registers)
  local names, parameters, declare = {}, {}, {}
  for k, leaf in ipairs(spec.leaves) do
    names[k] = "in.l" .. k - 1
    parameters[k] = string.format("const %s r%d", types[leaf.dtype].register, k - 1)
    declare[k] = string.format("  %s = in.l%d;\n", parameters[k], k - 1)
  end
  for k, name in ipairs(spec.scalars) do
    local t, reg = types[name], #spec.leaves + k - 1
    if t.kind == "complex" then needs:space(name) end
    names[#names + 1] = types.scalar(t, l.scalars[k])
    parameters[#parameters + 1] = string.format("const %s r%d", t.register, reg)
    declare[#declare + 1] = string.format("  %s = %s;\n", parameters[#parameters], types.scalar(t, l.scalars[k]))
  end
  local function inner(with_fast)
    return instructions(spec, ops, needs, registers, with_fast) .. "  cp_results out;\n"
      .. assign_results(list, registers, needs) .. "  return out;\n}\n"
  end
  local head = "CP_FN cp_results cp_body%s(const cp_slots &p, const cp_inputs &in%s) {\n"
  local plain, text = string.format(head, "", ""), results_struct(list)
  if fast then
    text = text .. string.format(head, "_fast", ", int &ok") .. table.concat(declare) .. inner(true)
  end
  if apart and spec.tables then
    table.insert(parameters, 1, "const cp_slots &p")
    table.insert(names, 1, "p")
  end
  if not apart then return text .. plain .. table.concat(declare) .. inner() end
  return string.format("%sCP_SLOW cp_results cp_compute(%s) {\n%s%s  return cp_compute(%s);\n}\n",
    text, table.concat(parameters, ", "), inner(), plain, table.concat(names, ", "))
end

return body
