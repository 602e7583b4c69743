-- Kernels of plans with phases that one pass computes: several reductions that share what they read and
-- compute of each element, what is made of their results for each row, and elements that are stored on the
-- way. The accumulators of all reductions are the members m1, m2, ... of one struct. They are combined in the
-- order in which a kernel for one of them alone would combine it.

local access = require "cupola.kernels.access"
local body = require "cupola.kernels.body"
local casts = require "cupola.kernels.casts"
local domain = require "cupola.kernels.domain"
local reduction = require "cupola.kernels.reduction"
local types = require "cupola.kernels.types"

local joint = {}

-- Parts the instructions: { elements = register numbers of what the reductions' elements and the outputs of
-- elements are made of, rows = those of what the other outputs are made of, reductions, stored = for each
-- output whether it is one of elements }.
local function part(spec)
  local first, seen = #spec.leaves + #spec.scalars, {}
  local parts = { elements = {}, rows = {}, reductions = {}, stored = {} }
  local function reduces(reg)
    local instr = spec.instrs[reg - first + 1]
    if not instr or instr.op == "reduce" then return instr ~= nil end
    for _, arg in ipairs(instr.args) do
      if reduces(arg) then return true end
    end
    return false
  end
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
  for k, output in ipairs(spec.outputs) do
    parts.stored[k] = not reduces(output.reg)
    visit(parts.stored[k] and parts.elements or parts.rows, output.reg)
  end
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

-- cp_results and cp_body: the elements of all reductions, and those that are stored; cp_body_fast if `fast`.
local function element(spec, l, ops, needs, parts, apart, fast)
  local registers, fields, values = body.registers(spec), {}, {}
  local function add(name, reg, dtype)
    fields[#fields + 1] = string.format("  %s %s;\n", types[dtype].register, name)
    values[#values + 1] = { name, reg, dtype }
  end
  for n, r in ipairs(parts.reductions) do add("v" .. n, r.instr.args[1], r.instr.loop) end
  for k, output in ipairs(spec.outputs) do
    if parts.stored[k] then add("o" .. k - 1, output.reg, output.dtype) end
  end
  local function text(qualifier, with_fast)
    local results = {}
    local _, declare, out = compute(spec, l, ops, needs, parts.elements, {}, with_fast)
    for n, v in ipairs(values) do
      declare(v[2])
      results[n] = string.format("  out.%s = %s;\n", v[1], casts.text(needs, registers[v[2]], v[3], "r" .. v[2]))
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
    if not parts.stored[k] then
      declare(output.reg)
      rows[#rows + 1] = string.format("  *(%s *)at.o%d = %s;\n", t.memory, k - 1,
        types.store(t, casts.text(needs, registers[output.reg], output.dtype, "r" .. output.reg)))
    end
  end
  return string.format(ACCUMULATORS, table.concat(fields), table.concat(none), table.concat(join),
    table.concat(take), table.concat(store) .. table.concat(rows))
end

local KEEP = [[
#define CP_KEEPS 1
CP_FN void cp_keep_group(const cp_slots &p, const cp_place &at, const cp_inputs *in) {
  cp_results out[CP_VECTOR];
#if CP_FAST
  int ok = 1;
#pragma unroll
  for (int k = 0; k < CP_VECTOR; k++) out[k] = cp_body_fast(p, in[k], ok);
  if (!ok)
#endif
  {
#pragma unroll
    for (int k = 0; k < CP_VECTOR; k++) {
      const cp_inputs one = in[k];
      out[k] = cp_body(p, one);
    }
  }
  cp_store_group(p, at, out);
}
CP_FN void cp_keep_element(const cp_slots &p, const cp_place &at, cp_index k, const cp_inputs &in) {
  cp_store_element(p, at, k, cp_body(p, in));
}
]]

-- How groups are found, loaded and stored.
local function accesses(spec, l, parts)
  if spec.reach then return domain.source(spec, l) end
  local text, keeps = access.locate_reduction(spec, l) .. access.loads(spec, l), false
  for _, stored in ipairs(parts.stored) do keeps = keeps or stored end
  if not keeps then return text end
  local function is_stored(x) return parts.stored[tonumber(string.sub(x.name, 2)) + 1] end
  return text .. access.stores(spec, l, is_stored) .. KEEP
end

--- The text of the kernel, behind the preludes and the basics.
---@param constants function  (spec, l, weight, folding, repeatable): the constants of kernels/reduce.cu
---@param limit number  the largest weight of an element's text times the copies that are inlined
---@return string
function joint.source(env, spec, l, needs, constants, limit)
  local parts, first = part(spec)
  local weight = #parts.reductions
  for _, reg in ipairs(parts.elements) do weight = weight + body.weight_of(spec.instrs[reg - first + 1], env.ops) end
  local folding = math.min(#parts.reductions, 4) -- a reduction alone is combined in the same order
  local apart = weight * spec.vector * spec.batch > limit
  local fast = not apart and body.has_fast(spec, env.ops, needs)
  return table.concat({
    constants(spec, l, weight, folding, false),
    -- Each accumulator takes a register or two for each of a thread's outputs, and batches of elements more.
    "#define CP_RESIDENT 2\n",
    body.inputs(spec),
    element(spec, l, env.ops, needs, parts, apart, fast),
    access.place(spec, l),
    accumulators(env, spec, l, needs, parts),
    reduction.elements(fast),
    accesses(spec, l, parts),
    env.embedded("kernels/fold.cu"),
    spec.reach and env.embedded("kernels/domain.cu") or "",
    env.embedded("kernels/reduce.cu"),
  })
end

return joint
