-- The text of user kernels (ElementwiseKernel, ReductionKernel): CUDA C++ for a GPU, C++ for the CPU device.
-- The user's text is embedded in generated declarations, after `#line` directives, so that compilers report
-- the user's own line numbers.
--
-- src/lua/kernels/userkernel.c makes spec.user:
--   declaration   what lua/cupola/userkernels/userkernels.lua makes from the constructor's arguments
--   types         the dtype of each parameter, inputs first
--   scalar        whether each parameter is a number
--   contiguous    whether each raw array is contiguous, in the order of the parameters
--   block         threads per block, or nil
-- The leaves of the spec are the inputs that are arrays and not raw, then the positions `i` and `_J` if the
-- text uses them. Its scalars are the numbers, then the shape if the text uses positions.

local access = require "cupola.kernels.access"
local body = require "cupola.kernels.body"
local called = require "cupola.kernels.called"
local preludes = require "cupola.kernels.preludes"
local types = require "cupola.kernels.types"

local user = {}

local CLASS = { bool = "bool", float16 = "float16", bfloat16 = "bfloat16", complex64 = "complex<float>",
  complex128 = "complex<double>" }

-- The C++ type that the user sees for a dtype.
local function class(name) return CLASS[name] or types[name].memory end

-- Converts a register value to the user's type, and back.
local function from_register(name, text)
  local t = types[name]
  if t.kind == "complex" then return string.format("%s(%s.re, %s.im)", class(name), text, text) end
  if t.half or t.kind == "boolean" then return string.format("%s(%s)", class(name), text) end
  return text
end

local function to_register(name, text)
  local t = types[name]
  if t.kind == "complex" then return string.format("%s{%s.re, %s.im}", t.register, text, text) end
  if t.half or t.kind == "boolean" then return string.format("(%s)%s", t.register, text) end
  return text
end

-- The user's text with its own line numbers. Its file is called NAME, or "NAME reduce_expr" for that part.
local function quoted(declaration, part, text)
  local file = declaration.name
  if part ~= "operation" then file = file .. " " .. part end
  return string.format("\n#line 1 \"%s\"\n%s\n#line 1 \"cupola\"\n", file, text)
end

-- ---- other files that the text includes ----

local COMPLEX_FUNCTIONS = {}
for name in string.gmatch("exp log log10 sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh pow",
  "%a+") do
  COMPLEX_FUNCTIONS[name] = true
end

local function calls_complex_function(text)
  for name in string.gmatch(text, "([%a_][%w_]*)%s*%(") do
    if COMPLEX_FUNCTIONS[name] then return true end
  end
  return false
end

local function features(spec)
  local d, f = spec.user.declaration, { cpu = spec.target == "cpu" }
  local function see(name)
    f[name] = true
    f.half = f.half or types[name].half ~= nil
    f.complex = f.complex or types[name].kind == "complex"
  end
  for _, name in ipairs(spec.user.types) do see(name) end
  if string.find(d.all_text, "complex%s*<") then f.complex, f.complex64, f.complex128 = true, true, true end
  if string.find(d.all_text, "float16") then f.half = true end
  f.complex_math = f.complex and calls_complex_function(d.all_text)
  f.headers = string.find(d.preamble, "#%s*include") ~= nil
  return f
end

-- Text made by lua/cupola/jit notes what it uses of the preludes.
local function generated(declaration, f, needs)
  declaration.fill(needs)
  for _, name in ipairs { "complex64", "complex128" } do
    if needs.spaces[name] then f.complex, f[name] = true, true end
  end
  f.half = f.half or needs.halves
  f.complex_math = f.complex
end

local CUDA_METHOD = "#define CP_METHOD __device__ __forceinline__\n"

-- The text of numbers.h for kernels that split positions into this many dimensions.
local function numbers(env, positions)
  return string.format("#define CP_POSITIONS %d\n", math.max(positions, 1)) .. env.embedded "kernels/user/numbers.h"
end

-- Replaces the preludes' qualifiers on the CPU, and includes the C math functions that the preludes call.
local function platform(env, f, positions)
  local headers = "#define CP_HEADERS 1\n#include <math.h>\n#include <stdint.h>\n#include <stddef.h>\n"
  local names = "typedef decltype(sizeof 0) size_t;\ntypedef decltype((char *)0 - (char *)0) ptrdiff_t;\n"
  return table.concat({
    f.headers and headers or names,
    env.embedded "kernels/user/cpu.h",
    numbers(env, positions),
    f.headers and "" or env.embedded "kernels/user/cpu_math.h",
  })
end

local function complex_math(env, needs, name)
  local t = types[name]
  needs:space(name)
  local real = types[t.real].register
  local define = string.format("#define CP_R %s\n#define CP_C %s\n#define CP_SPACE cp_%s\n", real, name, name)
  return define .. env.embedded "kernels/user/complex_math.h" .. "#undef CP_R\n#undef CP_C\n#undef CP_SPACE\n"
end

-- Classes and functions for the user's text, outside of its scope.
local function library(env, f, needs, positions)
  local out = { f.cpu and "" or CUDA_METHOD .. numbers(env, positions) }
  local function add(name) out[#out + 1] = env.embedded("kernels/user/" .. name) end
  if not f.headers then add "integers.h" end
  if f.cpu then add "cpu_extra.h" end
  if f.half then
    needs.halves = true
    add "half.h"
  end
  if f.complex then
    add "complex.h"
    for _, name in ipairs { "complex64", "complex128" } do
      if f[name] and f.complex_math then
        out[#out + 1] = complex_math(env, needs, name)
      elseif f[name] then
        out[#out + 1] = string.format("struct %s { %s re, im; };\n", name, types[types[name].real].register)
      end
    end
  end
  add "array.h"
  return table.concat(out)
end

-- ---- the parameters ----

-- Each parameter with its place in the spec: {p =, type =, kind = "leaf" "scalar" "raw" "output", number =}.
local function parameters(spec)
  local u, list, count = spec.user, {}, { leaf = 0, scalar = 0, raw = 0, output = 0 }
  for k, p in ipairs(u.declaration.params) do
    local kind = p.raw and "raw" or p.output and "output" or u.scalar[k] and "scalar" or "leaf"
    count[kind] = count[kind] + 1
    list[k] = { p = p, type = u.types[k], kind = kind, number = count[kind] }
  end
  return list, count
end

local function typedefs(spec)
  local out, seen = {}, {}
  for k, p in ipairs(spec.user.declaration.params) do
    if p.letter and not seen[p.letter] then
      seen[p.letter] = true
      out[#out + 1] = string.format("typedef %s %s;\n", class(spec.user.types[k]), p.letter)
    end
  end
  return table.concat(out)
end

-- The number of groups along the innermost dimension; see kernels/slots.def.
local function innermost(spec, l)
  return string.format("(p.s[%d]%s)", l.divisors[spec.ndim], spec.wide and "" or " & 0xffffffffull")
end

-- Declarations that are the same for all elements: numbers, raw arrays, sizes.
local function constants(spec, l, list, count)
  local out = {}
  for _, x in ipairs(list) do
    local name, t = x.p.name, class(x.type)
    if x.kind == "scalar" then
      local value = types.scalar(types[x.type], l.scalars[x.number])
      if types[x.type].kind == "complex" then -- without the register struct
        local parts = string.match(value, "{(.*)}")
        out[#out + 1] = string.format("  const %s %s(%s);\n", t, name, parts)
      else
        out[#out + 1] = string.format("  const %s %s = %s;\n", t, name, from_register(x.type, value))
      end
    elseif x.kind == "raw" then
      local const = x.p.output or x.p.mutable
      out[#out + 1] = string.format("  const cp_raw<%s%s, %d, %s> %s(p.s + %d);\n", const and "" or "const ", t,
        spec.raw[x.number], tostring(spec.user.contiguous[x.number]), name, l.raw[x.number].address)
    end
  end
  if spec.nred > 0 then
    out[#out + 1] = "  const cp_indexer _out_ind((long long)p.s[CP_FIRST]);\n"
    out[#out + 1] = "  const cp_indexer _in_ind((long long)(p.s[CP_FIRST] * p.s[CP_SECOND]));\n"
    return table.concat(out)
  end
  -- groups in all / groups along the innermost dimension * its length
  out[#out + 1] = string.format("  cp_indexer _ind((long long)(p.s[CP_FIRST] / %s * p.s[CP_SECOND]));\n",
    innermost(spec, l))
  out[#out + 1] = "  const long long n = _ind.size();\n"
  if spec.user.declaration.uses.shape then
    local lengths = {}
    for k = count.scalar + 1, #spec.scalars do lengths[#lengths + 1] = string.format("(cp_signed64)p.s[%d]",
      l.scalars[k]) end
    lengths[1] = lengths[1] or "1"
    out[#out + 1] = string.format("  const cp_signed64 cp_shape[] = {%s};\n", table.concat(lengths, ", "))
  end
  return table.concat(out)
end

-- The positions of an element, from the leaves after the arrays.
local function positions(spec, count)
  local uses, next_leaf, out = spec.user.declaration.uses, count.leaf, {}
  if uses.i then
    out[#out + 1] = string.format("  const long long i = cp_in.l%d;\n", next_leaf)
    next_leaf = next_leaf + 1
  end
  if uses.J then out[#out + 1] = string.format("  const long long _J = cp_in.l%d, _j = _J;\n", next_leaf) end
  if uses.shape then
    out[#out + 1] = string.format("  _ind.set(i, cp_shape, %d);\n", #spec.scalars - count.scalar)
  end
  return table.concat(out)
end

-- The address of element cp_k of an operand.
local function address(x, name, o, slots, ndim)
  local step = o.access == "strided" and string.format("(cp_offset)p.s[%d]", slots.strides[ndim])
    or tostring(types[x.type].size)
  if o.access == "same" or o.access == "one" then step = "0" end
  return string.format("*(%s *)((char *)cp_at.%s + (long long)cp_k * %s)", class(x.type), name, step)
end

-- The names of the inputs of one element.
local function inputs(spec, l, list)
  local out = {}
  for _, x in ipairs(list) do
    if x.kind == "leaf" then
      local name, t = "l" .. x.number - 1, class(x.type)
      if x.p.mutable then
        out[#out + 1] = string.format("  %s &%s = %s;\n", t, x.p.name,
          address(x, name, spec.leaves[x.number], l.leaves[x.number], spec.ndim))
      else
        out[#out + 1] = string.format("  const %s %s = %s;\n", t, x.p.name, from_register(x.type, "cp_in." .. name))
      end
    end
  end
  return table.concat(out)
end

-- ---- elementwise kernels ----

-- Outputs that the text only writes are local values, stored afterwards in groups; other outputs are
-- references to memory.
local function outputs(spec, l, list)
  local declare, results, fields = {}, {}, {}
  for _, x in ipairs(list) do
    if x.kind == "output" then
      local name, t = "o" .. x.number - 1, class(x.type)
      local o, slots = spec.outputs[x.number], l.outputs[x.number]
      if x.p.direct or spec.target == "cpu" then
        declare[#declare + 1] = string.format("  %s &%s = %s;\n", t, x.p.name, address(x, name, o, slots, spec.ndim))
      else
        declare[#declare + 1] = string.format("  %s %s;\n", t, x.p.name)
        results[#results + 1] = string.format("  cp_out.%s = %s;\n", name, to_register(x.type, x.p.name))
        fields[#fields + 1] = string.format("  %s %s;\n", types[x.type].register, name)
      end
    end
  end
  return table.concat(declare), table.concat(results), table.concat(fields)
end

local function fill(template, values)
  return (string.gsub(template, "@([%a_]+)@", values))
end

local function statement(d, part) return d[part] ~= "" and quoted(d, part, d[part]) .. "  ;\n" or "" end

local function elementwise(env, spec, l, list, count)
  local d, cpu = spec.user.declaration, spec.target == "cpu"
  local declare, results, fields = outputs(spec, l, list)
  local before = {
    body.inputs(spec),
    "struct cp_results {\n" .. fields .. "};\n",
    access.place(spec, l),
    access.locate(spec, l),
    access.loads(spec, l),
    cpu and "" or access.stores(spec, l, function(x) return string.find(fields, x.name .. ";", 1, true) ~= nil end),
  }
  local kernel = fill(env.embedded("kernels/user/elementwise." .. (cpu and "cpp" or "cu")), {
    constants = constants(spec, l, list, count),
    loop_prep = statement(d, "loop_prep"),
    element = positions(spec, count) .. inputs(spec, l, list) .. declare,
    operation = quoted(d, "operation", d.operation) .. "  ;\n",
    results = results,
    after_loop = statement(d, "after_loop"),
  })
  return table.concat(before), kernel
end

-- ---- reductions ----

local ELEMENT = [[
CP_FN cp_acc cp_element(const cp_slots &p, const cp_inputs &cp_in) {
%s  return static_cast<_type_reduce>(%s  );
}
]]

local STORE = [[
CP_FN void cp_store(const cp_slots &p, const cp_place &cp_at, const cp_acc &cp_result) {
%s%s  {
    _type_reduce a = cp_result;
%s    ;
  }
}
]]

-- The accumulated type: reduce_type, else the type of the first output, or float for half types, whose sums
-- need it.
local function reduce_type(spec, list)
  local d = spec.user.declaration
  if d.reduce_type ~= "" then return rawget(types, d.reduce_type) and class(d.reduce_type) or d.reduce_type end
  for _, x in ipairs(list) do
    if x.kind == "output" then return types[x.type].half and "float" or class(x.type) end
  end
end

local function reduction(env, spec, l, list, count, parts)
  local d, cpu = spec.user.declaration, spec.target == "cpu"
  local weight = #d.reduce_expr < 60 and 2 or 12
  local before = { body.inputs(spec), access.place(spec, l), access.locate_reduction(spec, l), access.loads(spec, l) }
  if not cpu then
    before[#before + 1] = parts.reduction_constants(spec, l, (#d.map_expr < 100 and 4 or 16) + weight, weight)
  else
    before[#before + 1] = string.format("CP_FN unsigned long long cp_length(const cp_slots &p) { return %s; }\n",
      innermost(spec, l))
  end
  local same = constants(spec, l, list, count)
  local results = {}
  for _, x in ipairs(list) do
    if x.kind == "output" then
      local t = class(x.type)
      results[#results + 1] = string.format("  %s &%s = *(%s *)cp_at.o%d;\n", t, x.p.name, t, x.number - 1)
    end
  end
  local kernel = {
    "typedef " .. quoted(d, "reduce_type", reduce_type(spec, list)) .. " _type_reduce;\ntypedef _type_reduce cp_acc;\n",
    'static_assert(sizeof(cp_acc) <= 64, "the type that is reduced takes more than 64 bytes");\n',
    string.format("CP_FN cp_acc cp_identity() { return _type_reduce(%s  ); }\n", quoted(d, "identity", d.identity)),
    string.format("CP_FN cp_acc cp_combine(const cp_acc &a, const cp_acc &b) "
      .. "{ return static_cast<_type_reduce>(%s  ); }\n", quoted(d, "reduce_expr", d.reduce_expr)),
    string.format(ELEMENT, same .. positions(spec, count) .. inputs(spec, l, list), quoted(d, "map_expr", d.map_expr)),
    string.format(STORE, same, table.concat(results), quoted(d, "post_map_expr", d.post_map_expr)),
    cpu and env.embedded("kernels/user/reduce.cpp")
      or env.embedded("kernels/fold.cu") .. env.embedded("kernels/reduce.cu"),
  }
  return table.concat(before), table.concat(kernel)
end

--- The C++ text of the loop of a function that kernels call (called.lua), for the CPU device.
---@return string
function user.loop(packed, embedded)
  local env, f = { embedded = embedded }, { cpu = true }
  local needs = preludes.new(embedded, {})
  needs.qualifiers = platform(env, f, 0)
  return called.loop(packed, needs, embedded)
end

-- ---- the whole ----

--- The source of a user's kernel. `parts` are functions of generate.lua: basics, reduction_constants.
---@return string
function user.source(env, spec, l, needs, parts)
  local u = spec.user
  local f = features(spec)
  if u.declaration.fill then generated(u.declaration, f, needs) end
  local list, count = parameters(spec)
  local positions_kept = u.declaration.uses.shape and #spec.scalars - count.scalar or 0
  local libraries = library(env, f, needs, positions_kept)
  local before, kernel
  if spec.nred > 0 then
    before, kernel = reduction(env, spec, l, list, count, parts)
  else
    before, kernel = elementwise(env, spec, l, list, count)
  end
  local out = {}
  if f.cpu then
    needs.qualifiers = platform(env, f, positions_kept)
  else
    for k, option in ipairs(u.declaration.options) do out[k] = string.format("//nvrtc %s\n", option) end
  end
  out[#out + 1] = needs:source()
  out[#out + 1] = parts.basics(spec, l)
  if u.block then out[#out + 1] = string.format("#undef CP_BLOCK\n#define CP_BLOCK %d\n", u.block) end
  out[#out + 1] = libraries
  out[#out + 1] = before
  out[#out + 1] = typedefs(spec)
  if u.declaration.preamble ~= "" then out[#out + 1] = quoted(u.declaration, "preamble", u.declaration.preamble) end
  out[#out + 1] = kernel
  return table.concat(out)
end

return user
