-- Functions of numbers that kernels call (instructions "call", plan/function.h). Such a function is C++ text
-- in a namespace of its own, `call`, together with what it uses of the preludes. Both are packed into one
-- string, which goes through C; lua/cupola/jit prints the text.

local types = require "cupola.kernels.types"

local called = {}

-- ---- one string ----

local function put(list, text) list[#list + 1] = #text .. ":" .. text end

-- A function that takes one field after the other from a packed string.
local function taker(packed)
  local at = 1
  return function()
    local _, colon, size = string.find(packed, "^(%d+):", at)
    if not colon then return nil end
    at = colon + tonumber(size) + 1
    return string.sub(packed, colon + 1, at - 1)
  end
end

--- Packs a function: its text, which uses `needs` (a preludes object), how much text it is (body.weight), the
--- dtype of its result and those of its arguments.
---@return string
function called.pack(text, needs, weight, result, dtypes)
  local list = {}
  put(list, text)
  put(list, tostring(weight))
  put(list, result)
  put(list, table.concat(dtypes, " "))
  put(list, needs.halves and "halves" or "")
  for _, name in ipairs(needs.order) do
    local space = needs.spaces[name]
    put(list, name)
    put(list, (space.header and "header" or "") .. (space.cast and " cast" or ""))
    put(list, tostring(#space.functions))
    for k, definition in ipairs(space.functions) do
      put(list, space.keys[k])
      put(list, definition)
    end
  end
  return table.concat(list)
end

--- Adds to `needs` what a packed function uses; returns {text, weight, result, dtypes}.
function called.unpack(packed, needs)
  local take = taker(packed)
  local f = { text = take(), weight = tonumber((take())), result = take(), dtypes = {} }
  for name in string.gmatch(take(), "%S+") do f.dtypes[#f.dtypes + 1] = name end
  if take() == "halves" then needs.halves = true end
  for name in take do
    local space, flags = needs:space(name), take()
    space.header = space.header or string.find(flags, "header", 1, true) ~= nil
    space.cast = space.cast or string.find(flags, "cast", 1, true) ~= nil
    for _ = 1, tonumber((take())) do needs:add(name, take(), take()) end
  end
  return f
end

-- ---- texts ----

local function definition(number, f)
  return string.format('namespace cp_call_%d {\n%s\n}\n#line 1 "cupola"\n', number, f.text)
end

--- The definitions of the functions that a kernel's instructions call, whose weights it sets.
function called.definitions(spec, embedded, needs)
  if not spec.functions then return "" end
  local out, list = { embedded("kernels/user/jit.h") }, {}
  for number, packed in ipairs(spec.functions) do
    list[number] = called.unpack(packed, needs)
    out[#out + 1] = definition(number, list[number])
  end
  for _, instr in ipairs(spec.instrs) do
    if instr.called then instr.weight = list[instr.called].weight end
  end
  return table.concat(out)
end

local LOOP = [[
extern "C" void cupola_loop(void *cp_out, const void *const *cp_in, decltype(sizeof 0) cp_n) {
%s  for (decltype(sizeof 0) cp_k = 0; cp_k < cp_n; cp_k++) ((%s *)cp_out)[cp_k] = cp_call_1::call(%s);
}
]]

--- What the CPU device runs over blocks of elements: a C++ text with the function `cupola_loop`. needs
--- has the qualifiers of that platform.
function called.loop(packed, needs, embedded)
  local f = called.unpack(packed, needs)
  local declare, args = {}, {}
  for k, name in ipairs(f.dtypes) do
    local t = types[name].register
    declare[k] = string.format("  const %s *cp_in_%d = (const %s *)cp_in[%d];\n", t, k, t, k - 1)
    args[k] = string.format("cp_in_%d[cp_k]", k)
  end
  return table.concat({ needs:source(), embedded("kernels/user/cpu_extra.h"), embedded("kernels/user/jit.h"),
    definition(1, f),
    string.format(LOOP, table.concat(declare), types[f.result].register, table.concat(args, ", ")) })
end

return called
