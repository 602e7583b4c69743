-- Kernels of plans with phases over a broadcast domain (kernels/domain.cu): several reductions that share
-- what they read and compute of each element, and what is made of their results for each row. The
-- accumulators of all reductions are the members m1, m2, ... of one struct. They are combined in the order in
-- which a kernel for one of them alone would combine it.

local access = require "cupola.kernels.access"
local body = require "cupola.kernels.body"
local casts = require "cupola.kernels.casts"
local domain = require "cupola.kernels.domain"
local reduction = require "cupola.kernels.reduction"
local types = require "cupola.kernels.types"

local joint = {}

-- Parts the instructions: { elements = register numbers of what the reductions' elements are made of, rows =
-- those of what the outputs are made of, reductions }.
local function part(spec)
  local first, seen = #spec.leaves + #spec.scalars, {}
  local parts = { elements = {}, rows = {}, reductions = {} }
  local function visit(list, reg)
    local instr = spec.instrs[reg - first + 1]
    if not instr or seen[reg] then return end
    seen[reg] = true
    if instr.op == "reduce" then
      visit(parts.elements, instr.args[1])
      table.insert(parts.reductions, { number = #parts.reductions + 1, reg = reg, instr = instr })
      return
    end
    for _, arg in ipairs(instr.args) do visit(list, arg) end
    list[#list + 1] = reg
  end
  for _, output in ipairs(spec.outputs) do visit(parts.rows, output.reg) end
  return parts, first
end

-- Text that declares scalars and computes the registers `list`. known: registers that are declared already.
-- fast: by fast forms, where there are any.
local function compute(spec, l, ops, needs, list, known, fast)
  local registers, first, out = body.registers(spec), #spec.leaves + #spec.scalars, {}
  local function declare(reg)
    if known[reg] then return end
    known[reg] = true
    local t, text = types[registers[reg]], "in.l" .. reg
    if reg >= #spec.leaves then
      if t.kind == "complex" then needs:space(t.name) end
      text = types.scalar(t, l.scalars[reg - #spec.leaves + 1])
    end
    out[#out + 1] = string.format("  const %s r%d = %s;\n", t.register, reg, text)
  end
  for _, reg in ipairs(list) do
    local instr = spec.instrs[reg - first + 1]
    for _, arg in ipairs(instr.args) do declare(arg) end
    known[reg] = true
    if fast then out[#out + 1] = body.fast_check(ops, needs, instr) end
    out[#out + 1] = string.format("  const %s r%d = %s;\n", types[instr.dtype].register, reg,
      body.instruction(ops, needs, instr, registers, fast))
  end
  return table.concat(out), declare, out
end

local BODY = [[
%s cp_results cp_body%s(const cp_slots &p, const cp_inputs &in%s) {
  cp_results out;
%s%s  return out;
}
]]

-- cp_results and cp_body: the elements of all reductions; cp_body_fast if `fast`.
local function element(spec, l, ops, needs, parts, apart, fast)
  local registers, fields = body.registers(spec), {}
  for n, r in ipairs(parts.reductions) do fields[n] = string.format("  %s v%d;\n", types[r.instr.loop].register, n) end
  local function text(qualifier, with_fast)
    local results = {}
    local _, declare, out = compute(spec, l, ops, needs, parts.elements, {}, with_fast)
    for n, r in ipairs(parts.reductions) do
      declare(r.instr.args[1])
      results[n] = string.format("  out.v%d = %s;\n", n,
        casts.text(needs, registers[r.instr.args[1]], r.instr.loop, "r" .. r.instr.args[1]))
    end
    return string.format(BODY, qualifier, with_fast and "_fast" or "", with_fast and ", int &ok" or "",
      table.concat(out), table.concat(results))
  end
  return string.format("struct cp_results {\n%s};\n", table.concat(fields))
    .. text((apart or fast) and "CP_SLOW" or "CP_FN") .. (fast and text("CP_FN", true) or "")
end

local ACCUMULATORS = [[
struct cp_acc {
%s};
CP_FN cp_acc cp_identity() {
  cp_acc r;
%s  return r;
}
CP_FN cp_acc cp_combine(const cp_acc &a, const cp_acc &b) {
  cp_acc r;
%s  return r;
}
CP_FN cp_acc cp_accumulator(const cp_results &e) {
  cp_acc r;
%s  return r;
}
CP_FN void cp_store(const cp_slots &p, const cp_place &at, const cp_acc &acc) {
%s}
]]

-- cp_acc and the functions of kernels/reduce.cu that depend on it.
local function accumulators(env, spec, l, needs, parts)
  local registers = body.registers(spec)
  local fields, none, join, take, store, known = {}, {}, {}, {}, {}, {}
  local function slot(number) return string.format("__longlong_as_double((long long)p.s[%d])", number) end
  for n, r in ipairs(parts.reductions) do
    local which = r.instr.reduction + 1
    local name = "red" .. which
    local space, acc, result = reduction.functions(env.reds[spec.reductions[which]], types[r.instr.loop], needs, name)
    name = space .. "::" .. name
    fields[n] = string.format("  %s m%d;\n", acc, n)
    none[n] = string.format("  r.m%d = %s_identity();\n", n, name)
    join[n] = string.format("  r.m%d = %s_combine(a.m%d, b.m%d);\n", n, name, n, n)
    take[n] = string.format("  r.m%d = %s_premap(e.v%d, 0);\n", n, name, n)
    local post = string.format("%s_post(acc.m%d, %s, %s)", name, n, slot(l.inner), slot(l.parameters[which]))
    store[n] = string.format("  const %s r%d = %s;\n", types[r.instr.dtype].register, r.reg,
      casts.text(needs, result, r.instr.dtype, post))
    known[r.reg] = true
  end
  local _, declare, rows = compute(spec, l, env.ops, needs, parts.rows, known)
  for k, output in ipairs(spec.outputs) do
    local t = types[output.dtype]
    declare(output.reg)
    rows[#rows + 1] = string.format("  *(%s *)at.o%d = %s;\n", t.memory, k - 1,
      types.store(t, casts.text(needs, registers[output.reg], output.dtype, "r" .. output.reg)))
  end
  return string.format(ACCUMULATORS, table.concat(fields), table.concat(none), table.concat(join),
    table.concat(take), table.concat(store) .. table.concat(rows))
end

--- The text of the kernel, behind the preludes and the basics.
---@param constants function  (spec, l, weight, folding, repeatable): the constants of kernels/reduce.cu
---@param limit number  the largest weight of an element's text times the copies that are inlined
---@return string
function joint.source(env, spec, l, needs, constants, limit)
  local parts, first = part(spec)
  local weight = #parts.reductions
  for _, reg in ipairs(parts.elements) do weight = weight + body.weight_of(spec.instrs[reg - first + 1], env.ops) end
  local apart = weight * spec.vector * spec.batch > limit
  local fast = not apart and body.has_fast(spec, env.ops, needs)
  return table.concat({
    constants(spec, l, weight, #parts.reductions, false),
    -- Each accumulator takes a register or two for each of a thread's outputs, and batches of elements more.
    "#define CP_RESIDENT 2\n",
    body.inputs(spec),
    element(spec, l, env.ops, needs, parts, apart, fast),
    access.place(spec, l),
    domain.source(spec, l),
    accumulators(env, spec, l, needs, parts),
    reduction.elements(fast),
    env.embedded("kernels/fold.cu"),
    env.embedded("kernels/domain.cu"),
    env.embedded("kernels/reduce.cu"),
  })
end

return joint
