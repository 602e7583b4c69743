-- A reduction as text: cp_acc and the functions of kernels/reduce.cu that depend on it, from a reduction's
-- line in ops.def.

local casts = require "cupola.kernels.casts"
local types = require "cupola.kernels.types"

local reduction = {}

local STRUCT = { ARG = "acc_arg", MOMENTS = "acc_moments", RANGE = "acc_range", COUNTED = "acc_counted" }

-- Functions in the namespace of the accumulated type T with the texts of ops.def, for a name: NAME_identity
-- and so on.
local function table_functions(red, acc, result, name)
  return table.concat({
    string.format("CP_FN %s %s_identity() { return %s; }", acc, name, red.identity),
    string.format("CP_FN %s %s_premap(T a, long long i) { return %s; }", acc, name, red.premap),
    string.format("CP_FN %s %s_combine(%s a, %s b) { return %s; }", acc, name, acc, acc, red.combine),
    string.format("CP_FN %s %s_post(%s a, double n, double p) { return %s; }", result, name, acc, red.post),
  }, "\n")
end

-- The dtype that `post` of a reduction gives for accumulators of dtype t.
local function posted(red, t)
  if red.accumulator == "ARG" then return "int64" end
  return red.accumulator == "MOMENTS" and t.real or t.name
end

--- Adds the functions NAME_identity, NAME_premap, NAME_combine and NAME_post of a reduction of dtype t to the
--- preludes' needs.
---@return string space, string acc, string result  the namespace, the accumulator's type, the result's dtype
function reduction.functions(red, t, needs, name)
  local space = "cp_" .. t.name
  local acc, result = STRUCT[red.accumulator], posted(red, t)
  needs:space(t.name).reduce = true
  needs:space(t.name).header = true
  needs:add(t.name, name, table_functions(red, acc or t.register, types[result].register, name))
  return space, acc and space .. "::" .. acc or t.register, result
end

-- The size of the text, in the units of body.weight: of one combination, and of one more element in a batch.
local COMBINATION = { VALUE = 1, ARG = 10, MOMENTS = 10, RANGE = 6, COUNTED = 3 }
local ELEMENT = { VALUE = 1, ARG = 4, MOMENTS = 3, RANGE = 2, COUNTED = 3 }
function reduction.weight(red, t)
  local combination, element = COMBINATION[red.accumulator], ELEMENT[red.accumulator]
  if string.find(red.premap, "moments_skip") then element = 7 end
  if t.kind == "complex" then combination, element = combination * 3, element * 3 end
  if combination > 4 and t.size >= 8 then combination, element = combination * 1.5, element * 2.2 end
  return combination, element
end

--- Whether combining an element twice changes nothing: minima and maxima of all kinds.
---@return boolean
function reduction.repeatable(red)
  return red.accumulator == "ARG" or red.accumulator == "RANGE" or string.find(red.combine, "r_f?m[ia][nx]") ~= nil
end

-- The dtype of the summed elements if it is a small integer and the sum a large one; looks through a cast of
-- the elements.
local function small(spec, red, registers)
  if red.combine ~= "r_add(a, b)" or red.accumulator ~= "VALUE" or types[spec.acc].size < 8 then return nil end
  local name, first = registers[spec.value], #spec.leaves + #spec.scalars
  local instr = spec.instrs[spec.value - first + 1]
  if types[spec.acc].kind ~= "integer" then return nil end
  if instr and instr.op == "cast" and types[name].kind == "integer" then name = registers[instr.args[1]] end
  local t = types[name]
  return (t.kind == "integer" or t.kind == "boolean") and t.size <= 2 and name or nil
end

--- Whether a reduction sums the bytes of one leaf as they are in memory, which are processed in words of
--- four.
---@return boolean
function reduction.packed(spec, red, registers)
  local name = small(spec, red, registers)
  local from = name and types[name].size == 1 and #spec.leaves == 1 and #spec.scalars == 0 and #spec.instrs <= 1
  local along = spec.strategy == "warp" or spec.strategy == "block" or spec.strategy == "split"
  local a = from and registers[0] == name and spec.vector >= 4 and along and spec.leaves[1].access
  return a == "vector" or a == "contiguous"
end

local PACKED = [[
struct cp_inputs {
  unsigned l0; // four elements
};
struct cp_results {
  int value;
};
CP_FN cp_results cp_body(const cp_slots &p, const cp_inputs &in) {
  cp_results r;
  r.value = (int)%s;
  return r;
}
]]
local WORD_SUM = {
  bool = "__dp4a(((in.l0 & 0x7f7f7f7fu) + 0x7f7f7f7fu | in.l0) >> 7 & 0x01010101u, 0x01010101u, 0u)",
  uint8 = "__dp4a(in.l0, 0x01010101u, 0u)",
  int8 = "__dp4a((int)in.l0, 0x01010101, 0)",
}

--- Text of cp_inputs and cp_body of a packed reduction: the sum of a word.
---@return string
function reduction.packed_body(spec) return string.format(PACKED, WORD_SUM[spec.leaves[1].dtype]) end

--- Text around that of body.lua and access.lua for reductions of random draws: the values computed from the
--- leaves of a group become the elements that kernels/reduce.cu loads.
reduction.begin_draws = [[
#define cp_inputs cp_leaves
#define cp_body cp_draw
#define cp_load_group cp_load_leaves
#define cp_load_element cp_load_leaf
]]
reduction.end_draws = [[
#undef cp_inputs
#undef cp_body
#undef cp_load_group
#undef cp_load_element
typedef cp_results cp_inputs;
CP_FN cp_results cp_body(const cp_slots &p, const cp_inputs &in) { return in; }
CP_FN void cp_load_group(const cp_slots &p, const cp_place &at, cp_inputs *in) {
  cp_leaves leaves[CP_VECTOR];
  cp_load_leaves(p, at, leaves);
#pragma unroll
  for (int k = 0; k < CP_VECTOR; k++) in[k] = cp_draw(p, leaves[k]);
}
CP_FN cp_inputs cp_load_element(const cp_slots &p, const cp_place &at, cp_index k) {
  return cp_draw(p, cp_load_leaf(p, at, k));
}
]]

-- The fold of a batch (kernels/prelude/batch.h), for an accumulator that has one.
local function batch(spec, red, registers)
  if small(spec, red, registers) then
    return "sum_batch<N>(v, on, b)"
  elseif red.accumulator == "ARG" then
    return string.format("arg_batch<N, RUN, %d, %d>(a, v, i, on, b)", string.find(red.combine, "arg_max") and 1 or 0,
      spec.nred == 1 and 1 or 0)
  elseif red.accumulator == "MOMENTS" then
    return string.format("moments_batch<N, %d>(v, on, even, b)", string.find(red.premap, "moments_skip") and 1 or 0)
  elseif red.accumulator == "RANGE" then
    return "range_batch<N>(v, b)"
  end
end

--- Whether there is such a fold.
---@return boolean
function reduction.has_batch(spec, red, registers) return batch(spec, red, registers) ~= nil end

local BATCH = [[
#define CP_BATCH 1
#define CP_REPLACES %d
typedef %s cp_value;
CP_FN cp_value cp_value_of(const cp_results &r) { return %s; }
CP_FN long long cp_position_of(const cp_results &r) { return %s; }
template <int N, int RUN>
CP_FN bool cp_fold_batch(const cp_acc &a, const cp_value *v, const long long *i, const bool *on, bool even, cp_acc &b) {
  return %s::%s;
}
]]

-- Combines the accumulators of a block's threads, for accumulators that need more than a tree of
-- combinations.
local POOL = [[
#define CP_POOL 1
CP_JOIN cp_acc cp_pool(const cp_acc a) { return %s::moments_pool<CP_BLOCK>(a); }
]]

local FUNCTIONS = [[
typedef %s cp_acc;
CP_FN cp_acc cp_identity() { return %s::red_identity(); }
CP_FN cp_acc cp_combine(const cp_acc &a, const cp_acc &b) { return %s::red_combine(a, b); }
CP_FN cp_acc cp_accumulator(const cp_results &r) { return %s::red_premap(%s, %s); }
CP_FN void cp_store(const cp_slots &p, const cp_place &at, const cp_acc &acc) {
  const %s r = %s::red_post(acc, __longlong_as_double((long long)p.s[%d]), __longlong_as_double((long long)p.s[%d]));
  *(%s *)at.o0 = %s;
}
]]

local OF_RESULTS = [[
CP_FN cp_acc cp_element%s(const cp_slots &p, const cp_inputs &in%s) { return cp_accumulator(cp_body%s(p, in%s)); }
]]

--- Text of cp_element, the accumulator of one element, which cp_accumulator makes of its results; and of
--- cp_element_fast, by fast forms, if `fast`.
---@param fast boolean?
---@return string
function reduction.elements(fast)
  return string.format(OF_RESULTS, "", "", "", "") .. string.format("#define CP_FAST %d\n", fast and 1 or 0)
    .. (fast and string.format(OF_RESULTS, "_fast", ", int &ok", "_fast", ", ok") or "")
end

-- Text of the functions; registers are the dtypes by register number; fast: whether there is a cp_body_fast.
function reduction.source(spec, l, reds, needs, registers, fast)
  local red = reds[spec.red] or error("no reduction " .. tostring(spec.red), 0)
  local t = types[types[spec.acc].loop]
  local space, acc = reduction.functions(red, t, needs, "red")
  local result, output = types[spec.result], types[spec.outputs[1].dtype]
  local fold, of_small = batch(spec, red, registers), small(spec, red, registers)
  needs.batches = needs.batches or fold ~= nil
  local position = spec.position and spec.position >= 0 and "r.position" or "0"
  local value = spec.packed and "r.value" or casts.text(needs, registers[spec.value], t.name, "r.value")
  local text = string.format(FUNCTIONS, acc, space, space, space, value,
    position, result.register, space, l.inner, l.parameter, output.memory,
    types.store(output, casts.text(needs, result.name, output.name, "r")))
  local replaces = red.accumulator == "ARG" and 1 or 0
  local pools = red.accumulator == "MOMENTS" and (spec.strategy == "block" or spec.strategy == "split")
  local pool = pools and string.format(POOL, space) or ""
  return text .. reduction.elements(fast and not fold) .. pool
    .. (fold and string.format(BATCH, replaces, of_small and "int" or t.register, value, position, space, fold) or "")
end

return reduction
