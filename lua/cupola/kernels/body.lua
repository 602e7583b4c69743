-- The instructions of a plan as text: functions for the operations it uses, and `cp_body`, which computes the
-- results of one element from the values of its leaves.
--
--   struct cp_inputs   one element of every leaf, in registers: l0, l1, ...
--   struct cp_results  what the instructions give: o0, o1, ... (elementwise), or value and position (reductions)
--
-- Registers are numbered as in src/expr/plan.h: leaves, scalars, instructions.

local casts = require "cupola.kernels.casts"
local types = require "cupola.kernels.types"

local body = {}

local COLUMN = { real = "real", integer = "integer", boolean = "boolean", complex = "complex" }
local LETTERS = { "a", "b", "c", "d" }

-- The dtype of argument k of an instruction; as cp_op_arg_dtype.
local function argument_type(instr, k)
  if instr.op == "where" and k == 1 then return types.bool end
  if instr.op == "ldexp" and k == 2 then return types.int32 end
  return types[instr.loop]
end

-- The name of the function of an instruction, added to the preludes' needs.
local function operation(ops, needs, instr)
  local loop = types[types[instr.loop].loop]
  local op = ops[instr.op]
  local text = op and op[COLUMN[loop.kind]]
  if not text or text == "NA" or text == "NO" then
    error(("no %s loop of %s"):format(instr.loop, instr.op), 0)
  end
  local result = types[instr.dtype].register
  local parameters = {}
  for k = 1, #instr.args do
    parameters[k] = ("%s %s"):format(argument_type(instr, k).register, LETTERS[k])
  end
  local name = "op_" .. instr.op
  local key = name .. " " .. result
  local list = table.concat(parameters, ", ")
  needs:add(loop.name, key, ("CP_FN %s %s(%s) { return %s; }"):format(result, name, list, text))
  return ("cp_%s::%s"):format(loop.name, name)
end

local function instruction(ops, needs, instr)
  local args = {}
  for k, reg in ipairs(instr.args) do args[k] = "r" .. reg end
  if instr.op == "cast" then return casts.text(needs, instr.loop, instr.dtype, args[1]) end
  local text = ("%s(%s)"):format(operation(ops, needs, instr), table.concat(args, ", "))
  local half = types[instr.dtype].half
  if not half then return text end
  needs.halves = true
  return ("h_round_%s(%s)"):format(half, text)
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

-- How much text one element's computation is, in plain instructions, roughly: what copies of it cost the
-- compiler. A function with an error bound is a long one, the longer the wider the bound.
function body.weight(spec, ops)
  local weight = 0
  for _, instr in ipairs(spec.instrs) do
    local op, t = ops[instr.op], types[types[instr.loop].loop]
    local text = op and op[COLUMN[t.kind]] or ""
    local heavy = text:find("_") -- calls a prelude
    local cost = heavy and (op.numeric > 0 and 10 + 2 * op.numeric or 3) or 1
    if t.kind == "complex" then cost = cost * 4 end
    if t.name == "float64" and heavy then cost = cost * 2 end
    weight = weight + cost
  end
  return weight
end

-- struct cp_inputs, which other generated text fills.
function body.inputs(spec)
  local out = { "struct cp_inputs {" }
  for k, leaf in ipairs(spec.leaves) do
    out[#out + 1] = ("  %s l%d;"):format(types[leaf.dtype].register, k - 1)
  end
  out[#out + 1] = "};\n"
  return table.concat(out, "\n")
end

-- What a kernel keeps of the registers: {{field, register number, dtype to keep it in}, ...}.
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
  for _, r in ipairs(list) do out[#out + 1] = ("  %s %s;"):format(types[r[3]].register, r[1]) end
  out[#out + 1] = "};\n"
  return table.concat(out, "\n")
end

local function instructions(spec, ops, needs)
  local out, first = {}, #spec.leaves + #spec.scalars
  for k, instr in ipairs(spec.instrs) do
    local register = types[instr.dtype].register
    out[k] = ("  const %s r%d = %s;\n"):format(register, first + k - 1, instruction(ops, needs, instr))
  end
  return table.concat(out)
end

local function assign_results(list, registers, needs)
  local out = {}
  for k, r in ipairs(list) do
    out[k] = ("  out.%s = %s;\n"):format(r[1], casts.text(needs, registers[r[2]], r[3], "r" .. r[2]))
  end
  return table.concat(out)
end

-- Text of cp_results and cp_body. apart: the instructions stand in a function of their own that is called,
-- not copied.
function body.source(spec, l, ops, needs, apart)
  local registers = body.registers(spec)
  local list = results(spec, registers)
  local names, parameters, declare = {}, {}, {}
  for k, leaf in ipairs(spec.leaves) do
    names[k] = "in.l" .. k - 1
    parameters[k] = ("const %s r%d"):format(types[leaf.dtype].register, k - 1)
    declare[k] = ("  %s = in.l%d;\n"):format(parameters[k], k - 1)
  end
  for k, name in ipairs(spec.scalars) do
    local t, reg = types[name], #spec.leaves + k - 1
    if t.kind == "complex" then needs:space(name) end
    names[#names + 1] = types.scalar(t, l.scalars[k])
    parameters[#parameters + 1] = ("const %s r%d"):format(t.register, reg)
    declare[#declare + 1] = ("  %s = %s;\n"):format(parameters[#parameters], types.scalar(t, l.scalars[k]))
  end
  local inner = instructions(spec, ops, needs) .. "  cp_results out;\n" .. assign_results(list, registers, needs)
    .. "  return out;\n}\n"
  local head = "CP_FN cp_results cp_body(const cp_slots &p, const cp_inputs &in) {\n"
  if not apart then return results_struct(list) .. head .. table.concat(declare) .. inner end
  return ("%sCP_SLOW cp_results cp_compute(%s) {\n%s%s  return cp_compute(%s);\n}\n"):format(
    results_struct(list), table.concat(parameters, ", "), inner, head, table.concat(names, ", "))
end

return body
