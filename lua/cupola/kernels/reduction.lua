-- The reduction of a plan as text: cp_acc and the functions of kernels/reduce.cu that depend on it, from a
-- line of the reductions in ops.def.

local casts = require "cupola.kernels.casts"
local types = require "cupola.kernels.types"

local reduction = {}

local STRUCT = { ARG = "acc_arg", MOMENTS = "acc_moments", RANGE = "acc_range", COUNTED = "acc_counted" }

-- Functions in the namespace of the accumulated type T, whose names the texts of ops.def use.
local function table_functions(red, acc, result)
  return table.concat({
    ("CP_FN %s red_identity() { return %s; }"):format(acc, red.identity),
    ("CP_FN %s red_premap(T a, long long i) { return %s; }"):format(acc, red.premap),
    ("CP_FN %s red_combine(%s a, %s b) { return %s; }"):format(acc, acc, acc, red.combine),
    ("CP_FN %s red_post(%s a, double n, double p) { return %s; }"):format(result, acc, red.post),
  }, "\n")
end

-- How much text one combination is, as body.weight counts. Moments that skip nan divide at every element.
function reduction.weight(red, t)
  local weight = ({ VALUE = 1, ARG = 10, MOMENTS = 10, RANGE = 6, COUNTED = 3 })[red.accumulator] or 4
  if red.premap:find("moments_skip") then weight = 25 end
  if t.kind == "complex" then weight = weight * 3 end
  return weight > 4 and t.size >= 8 and weight * 1.5 or weight
end

local FUNCTIONS = [[
typedef %s cp_acc;
CP_FN cp_acc cp_identity() { return %s::red_identity(); }
CP_FN cp_acc cp_combine(const cp_acc &a, const cp_acc &b) { return %s::red_combine(a, b); }
CP_FN cp_acc cp_element(const cp_slots &p, const cp_inputs &in) {
  const cp_results r = cp_body(p, in);
  return %s::red_premap(%s, %s);
}
CP_FN void cp_store(const cp_slots &p, const cp_place &at, const cp_acc &acc) {
  const %s r = %s::red_post(acc, __longlong_as_double((long long)p.s[%d]), __longlong_as_double((long long)p.s[%d]));
  *(%s *)at.o0 = %s;
}
]]

-- Text of the functions; registers are the dtypes by register number.
function reduction.source(spec, l, reds, needs, registers)
  local red = reds[spec.red] or error("no reduction " .. tostring(spec.red), 0)
  local t = types[types[spec.acc].loop]
  local space = "cp_" .. t.name
  local result, output = types[spec.result], types[spec.outputs[1].dtype]
  local acc = STRUCT[red.accumulator] or t.register
  needs:space(t.name).reduce = true
  needs:space(t.name).header = true
  needs:add(t.name, "red", table_functions(red, acc, result.register))
  local position = spec.position and spec.position >= 0 and "r.position" or "0"
  return FUNCTIONS:format(STRUCT[red.accumulator] and space .. "::" .. acc or acc, space, space, space,
    casts.text(needs, registers[spec.value], t.name, "r.value"), position, result.register, space, l.inner, l.parameter,
    output.memory, types.store(output, casts.text(needs, result.name, output.name, "r")))
end

return reduction
