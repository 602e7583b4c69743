-- The preludes (kernels/prelude/*.h) in generated text. Each dtype has a namespace (cp_float32, ...) with its
-- prelude and the functions made from the table of operations, so equal names of two dtypes do not collide.
-- Only namespaces that a kernel uses are written, and preludes only if an expression calls them.

local types = require "cupola.kernels.types"

local preludes = {}
preludes.__index = preludes

-- The parts of a prelude that are compiled only for kernels that call m_PART_..., which define the macro
-- CP_PART.
local PARTS = { "random", "special", "incomplete" }

-- Resolves includes and drops comments and blank lines, since NVRTC reads every byte each time.
local function expand(embedded, name, texts)
  if texts[name] then return texts[name] end
  local text = embedded("kernels/prelude/" .. name)
  text = string.gsub(string.gsub(text, "/%*.-%*/", " "), "//[^\n]*", "")
  text = string.gsub(text, "\n[ \t]*#include[ \t]*\"([^\"\n]+)\"[^\n]*", function(inner)
    return "\n" .. expand(embedded, inner, texts)
  end)
  text = string.gsub(string.gsub(text, "[ \t]+\n", "\n"), "\n\n+", "\n")
  texts[name] = text
  return text
end

-- embedded(name) gives the text of a file of the repository; the table texts caches prepared texts between
-- kernels.
function preludes.new(embedded, texts)
  return setmetatable({ embedded = embedded, texts = texts, spaces = {}, order = {}, halves = false }, preludes)
end

function preludes:text(name)
  return expand(self.embedded, name, self.texts)
end

-- The record of the namespace of dtype `name`: {header = boolean, functions = {text, ...}, cast, reduce =
-- boolean} says whether it contains the prelude, cast.h and reduce.h.
function preludes:space(name)
  local space = self.spaces[name]
  if space then return space end
  local t = types[name]
  if t.kind == "complex" then self:space(t.real).header = true end
  space = { type = t, header = t.kind == "complex", functions = {}, keys = {}, names = {}, parts = {}, reduce = false }
  self.spaces[name] = space
  self.order[#self.order + 1] = name
  return space
end

-- Adds a function to a namespace, once; its text may call the prelude.
function preludes:add(name, key, text)
  local space = self:space(name)
  if space.names[key] then return end
  space.names[key] = true
  space.functions[#space.functions + 1] = text
  space.keys[#space.functions] = key
  if string.find(text, "[^%w_][micr]_%a") or string.find(text, "bool_%a")
    or string.find(text, "h_%a") then space.header = true end
  if string.find(text, "[^%w_]h_%a") then self.halves = true end
  for _, part in ipairs(PARTS) do
    if string.find(text, "m_" .. part .. "_", 1, true) then space.parts[part] = true end
  end
end

local function header_files(t)
  if t.kind == "real" then return t.name .. ".h" end
  return t.kind == "boolean" and "bool.h" or t.kind .. ".h"
end

-- Whether the prelude of dtype `name` has a fast form of a function, valid where m_FUNCTION_fast_ok. A
-- function that is not inlined (CP_SLOW) makes the choice itself.
function preludes:has_fast(name, fn)
  local t = types[name]
  if t.kind ~= "real" then return false end
  local text = self:text(header_files(t))
  return string.find(text, " m_" .. fn .. "_fast_ok(", 1, true) ~= nil
    and not string.find(text, "CP_SLOW M_REAL m_" .. fn .. "(", 1, true)
end

local KIND = {
  real = "CP_KIND_REAL", integer = "CP_KIND_INTEGER", boolean = "CP_KIND_BOOL", complex = "CP_KIND_COMPLEX",
}
local INFINITY = {
  float32 = "__uint_as_float(0x7f800000u)",
  float64 = "__longlong_as_double(0x7ff0000000000000ll)",
}

-- The lowest and highest value, as r_lowest and r_highest return them.
local function bounds(t)
  if t.kind == "boolean" then return "0", "1" end
  if t.kind ~= "integer" then
    local infinity = INFINITY[t.real or t.name]
    return "(-" .. infinity .. ")", infinity
  end
  local ones = string.format("(%s)~(%s)0", t.register, t.register)
  if not t.signed then return "0", "(" .. ones .. ")" end
  local high = string.format("((%s)(((unsigned long long)1 << %d) - 1))", t.register, t.width - 1)
  return string.format("((%s)(-%s - 1))", t.register, high), high
end

local function macros(t)
  local list = { { "T", t.register } }
  if t.kind == "integer" then
    list[#list + 1] = { "CP_SIGNED", t.signed and "1" or "0" }
    list[#list + 1] = { "CP_WIDTH", tostring(t.width) }
    list[#list + 1] = { "W", t.wrap }
  end
  if t.kind == "complex" then
    list[#list + 1] = { "C", t.register }
    list[#list + 1] = { "R", types[t.real].register }
  end
  if t.kind == "real" then list[#list + 1] = { "R", t.register } end
  return list
end

function preludes:reduce_text(t)
  local low, high = bounds(t)
  local names = { { KIND[t.kind], "1" }, { "CP_LOWEST", low }, { "CP_HIGHEST", high } }
  if t.name == "float32" then names[4] = { "CP_SINGLE", "1" } end
  local out = {}
  for _, macro in ipairs(names) do out[#out + 1] = string.format("#define %s %s\n", macro[1], macro[2]) end
  out[#out + 1] = self:text("reduce.h")
  if self.batches then
    out[#out + 1] = self:text("batch.h")
  end
  for _, macro in ipairs(names) do out[#out + 1] = string.format("#undef %s\n", macro[1]) end
  return table.concat(out)
end

function preludes:space_text(name)
  local space = self.spaces[name]
  local t = space.type
  local out = { string.format("namespace cp_%s {\n", name) }
  if t.kind == "complex" then out[#out + 1] = string.format("using namespace cp_%s;\n", t.real) end
  local names = macros(t)
  for _, macro in ipairs(names) do out[#out + 1] = string.format("#define %s %s\n", macro[1], macro[2]) end
  local header = space.header and self:text(header_files(t)) or ""
  for _, part in ipairs(PARTS) do
    local macro = "CP_" .. string.upper(part)
    if space.parts[part] then header = string.format("#define %s 1\n%s#undef %s\n", macro, header, macro) end
  end
  out[#out + 1] = header
  if space.cast then out[#out + 1] = self:text("cast.h") end
  if space.reduce then out[#out + 1] = self:reduce_text(t) end
  for _, text in ipairs(space.functions) do out[#out + 1] = text .. "\n" end
  for _, macro in ipairs(names) do out[#out + 1] = string.format("#undef %s\n", macro[1]) end
  out[#out + 1] = "}\n"
  -- Every namespace has its own copy of files that several preludes include.
  for guard in string.gmatch(header, "#ifndef%s+(CP_PRELUDE_[%w_]+)") do out[#out + 1] = string.format("#undef %s\n",
    guard) end
  if t.kind == "complex" then out[#out + 1] = string.format("using cp_%s::%s;\n", name, name) end
  return table.concat(out)
end

-- Turns off two warnings: preludes have functions that a kernel does not use (177), and constants in braces
-- are converted (2361). Every kernel of ours is called CP_ENTRY and begins with CP_AWAIT; see
-- src/cuda/run/launch.c.
local QUALIFIERS = [[
#pragma nv_diag_suppress 177, 2361
#define CP_DEVICE 1
#define CP_FN static __device__ __forceinline__
#define CP_SLOW static __device__ __noinline__
#if __CUDA_ARCH__ >= 900
#define CP_ENTRY cupola_awaiting_kernel
#define CP_AWAIT asm volatile("griddepcontrol.wait;" ::: "memory")
#else
#define CP_ENTRY cupola_kernel
#define CP_AWAIT
#endif
]]

-- The text of everything that was requested, real dtypes before the complex ones that use them.
function preludes:source()
  local out = { self.qualifiers or QUALIFIERS }
  if self.halves then
    out[#out + 1] = "namespace cp_half {\n" .. self:text("half.h") .. "}\nusing namespace cp_half;\n"
    for guard in string.gmatch(self:text("half.h"), "#ifndef%s+(CP_PRELUDE_[%w_]+)") do
      out[#out + 1] = string.format("#undef %s\n", guard)
    end
  end
  for _, name in ipairs(self.order) do out[#out + 1] = self:space_text(name) end
  return table.concat(out)
end

return preludes
