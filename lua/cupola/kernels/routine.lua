-- Source text of routines, the kernels that are neither elementwise nor reductions. Each is a template in
-- kernels/routine, instantiated for variables given as text, such as "PASS=1 T=float32 BITS=8":
--
-- A variable NAME whose value is a dtype becomes
--   NAME, NAME_memory               its type in registers and in memory (see types.lua)
--   NAME_load(m), NAME_store(r)     conversions between the two
--   NAME_SPACE                      the namespace with the preludes' functions of the type:
--                                   NAME_SPACE::m_log(x)
--   NAME_IS_float32, NAME_REAL or NAME_INTEGER or NAME_BOOLEAN or NAME_COMPLEX, NAME_SIGNED, NAME_HALF
--                                   defined where they hold
-- and for two such variables A and B, A_to_B(r) converts a value by the rules of astype. Any other variable
-- becomes `#define NAME value`. If the template calls NAME_SPACE::r_..., the namespace includes the functions
-- of kernels/prelude/reduce.h. A line `#include "FILE"` includes a file
-- of the same folder or of kernels/routine.
--
-- A template starts with a comment. Its lines `// variants: PASS=1,2 T=all` list what tools/nvrtc-check.lua
-- compiles: every combination of the values (all: every dtype; numbers: all but bool).

local casts = require "cupola.kernels.casts"
local types = require "cupola.kernels.types"

local routine = {}

local KIND = { real = "REAL", integer = "INTEGER", boolean = "BOOLEAN", complex = "COMPLEX" }
local NUMBERS = {
  "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
  "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
}

local function define(name, value) return string.format("#define %s %s\n", name, value) end

local TYPE = [[
typedef %s %s;
typedef %s %s_memory;
CP_FN %s %s_load(%s_memory m) { return %s; }
CP_FN %s_memory %s_store(%s r) { return %s; }
]]

local function define_type(name, t, needs, template)
  local space = needs:space(t.loop)
  space.header = true
  if string.find(template, name .. "_SPACE::r_", 1, true) then space.reduce = true end
  if t.half then needs.halves = true end
  local out = {
    string.format(TYPE, t.register, name, t.memory, name, name, name, name, types.load(t, "m"), name, name, name,
      types.store(t, "r")),
    define(name .. "_SPACE", "cp_" .. t.loop),
    define(name .. "_IS_" .. t.name, 1),
    define(name .. "_" .. KIND[t.kind], 1),
  }
  if t.signed then out[#out + 1] = define(name .. "_SIGNED", 1) end
  if t.half then out[#out + 1] = define(name .. "_HALF", 1) end
  return table.concat(out)
end

local function define_casts(names, dtypes, needs)
  local out = {}
  for _, a in ipairs(names) do
    for _, b in ipairs(names) do
      if a ~= b then
        out[#out + 1] = string.format("CP_FN %s %s_to_%s(%s r) { return %s; }\n", b, a, b, a,
          casts.text(needs, dtypes[a], dtypes[b], "r"))
      end
    end
  end
  return table.concat(out)
end

local function text_of(env, file)
  local text = env.embedded("kernels/routine/" .. file) or error("no routine " .. file, 0)
  local folder = string.match(file, "^.*/") or ""
  local function included(name)
    local near = folder .. name
    return text_of(env, env.embedded("kernels/routine/" .. near) and near or name)
  end
  return (string.gsub(text, '#include "([^"\n]+)"[^\n]*', included))
end

-- The text of the routine kernels/routine/FILE.cu. env and needs are as in generate.lua.
function routine.source(env, file, variables, needs)
  local template = text_of(env, file .. ".cu")
  local names, dtypes, out = {}, {}, {}
  for name, value in string.gmatch(variables, "([%w_]+)=(%S+)") do
    if types[value] then
      names[#names + 1], dtypes[name] = name, value
      out[#out + 1] = define_type(name, types[value], needs, template)
    else
      out[#out + 1] = define(name, value)
    end
  end
  out[#out + 1] = define_casts(names, dtypes, needs)
  return needs:source() .. table.concat(out) .. template
end

local function values_of(text)
  if text == "numbers" then return NUMBERS end
  if text == "all" then
    local all = { "bool" }
    for _, name in ipairs(NUMBERS) do all[#all + 1] = name end
    return all
  end
  local values = {}
  for value in string.gmatch(text, "[^,]+") do values[#values + 1] = value end
  return values
end

local function combine(list, name, values)
  local out = {}
  for _, before in ipairs(list) do
    for _, value in ipairs(values) do
      out[#out + 1] = (before == "" and "" or before .. " ") .. name .. "=" .. value
    end
  end
  return out
end

-- The variables in a template's `// variants:` lines, as a list of texts.
function routine.variants(template)
  local out = {}
  for line in string.gmatch(template, "// variants: ([^\n]+)") do
    local list = { "" }
    for name, text in string.gmatch(line, "([%w_]+)=(%S+)") do list = combine(list, name, values_of(text)) end
    for _, variables in ipairs(list) do out[#out + 1] = variables end
  end
  return out
end

return routine
