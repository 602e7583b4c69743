-- How kernels of the strategies short and domain (kernels/domain.cu) read their leaves: text of functions
-- that load each element once for all outputs, elements of a row or lines that share it. spec.reach says for
-- each leaf what it varies along.

local access = require "cupola.kernels.access"
local types = require "cupola.kernels.types"

local domain = {}

-- Bits of spec.reach. ORDER src/plan/plan.h: CP_REACH_LINES ...
local LINES, ACROSS, ALONG, NEAR, WORDS = 1, 2, 4, 8, 16

local function has(reach, bit) return math.floor(reach / bit) % 2 == 1 end

-- The largest word, as a number of elements, that `count` elements consist of. ORDER src/plan/collapse.c:
-- word_of
local function word_of(count, size)
  local word = 1
  while word * 2 * size <= 16 and count % (word * 2) == 0 do word = word * 2 end
  return word
end

-- Text of the distance from the line's first output, in bytes or in value: to output k, and to element `u`.
local function distances(spec, x, reach, u)
  local kept, size, text = spec.ndim - 1, types[x.o.dtype].size, ""
  if has(reach, ACROSS) then
    local across = access.slot(x.slots.strides[kept])
    if x.o.access == "index" then
      text = text .. string.format(" + (long long)x[k] * (long long)%s", across)
    elseif x.o.access == "strided" then
      text = text .. string.format(" + cp_span(x[k], (cp_offset)%s)", across)
    else
      text = text .. string.format(" + (long long)x[k] * %d", size)
    end
  end
  if has(reach, ALONG) then
    local along = access.slot(x.slots.strides[spec.ndim])
    if x.o.access == "index" then
      text = text .. string.format(" + (long long)(%s) * (long long)%s", u, along)
    elseif has(reach, NEAR) then
      text = text .. string.format(" + (long long)(%s) * %d", u, size)
    else
      text = text .. string.format(" + cp_span(%s, (cp_offset)%s)", u, along)
    end
  end
  return text
end

local function value_at(x, by)
  local t = types[x.o.dtype]
  if x.o.access == "index" then return string.format("at.%s%s", x.name, by) end
  return types.load(t, string.format("*(const %s *)(at.%s%s)", t.memory, x.name, by))
end

local EACH = "#pragma unroll\n    for (int k = 0; k < CP_VECTOR; k++)"

-- Text that loads `count` elements, from number `first` of each row on, for all outputs: loops over what the
-- leaf varies along, and inside them loops over what shares an element.
local function load(spec, x, count, first)
  local reach = spec.reach[x.number]
  local t, register = types[x.o.dtype], types[x.o.dtype].register
  local across, along = has(reach, ACROSS), has(reach, ALONG)
  local word = has(reach, WORDS) and word_of(count, t.size) or 1
  local outputs, elements = across and EACH or "", "#pragma unroll\n    for (int u = 0; u < " .. count .. "; u++)"
  local to = across and "" or EACH .. " "
  if not along then
    return string.format("  {\n%s {\n    const %s v = %s;\n%s\n%s in[u * CP_VECTOR + k].%s = v;\n    }\n  }\n",
      outputs, register, value_at(x, distances(spec, x, reach)), elements, to, x.name)
  elseif word == 1 then
    return string.format("  {\n%s {\n%s {\n    const %s v = %s;\n%s in[u * CP_VECTOR + k].%s = v;\n    }\n    }\n  }\n",
      outputs, elements, register, value_at(x, distances(spec, x, reach, first .. " + u")), to, x.name)
  end
  local kind, words = types.word(word * t.size), math.floor(count / word)
  return string.format([[
  {
%s {
    union { %s w[%d]; %s v[%d]; } part;
#pragma unroll
    for (int w = 0; w < %d; w++) part.w[w] = ((const %s *)(at.%s%s))[w];
%s {
    const %s v = %s;
%s in[u * CP_VECTOR + k].%s = v;
    }
    }
  }
]], outputs, kind, words, t.memory, count, words, kind, x.name, distances(spec, x, reach, first), elements, register,
    types.load(t, "part.v[u]"), to, x.name)
end

local LOAD = [[
CP_FN void %s(const cp_slots &p, const cp_place &at, const cp_offset *x%s, cp_inputs *in) {
%s}
]]

--- Text of CP_COUNT and the functions that kernels/domain.cu uses.
---@return string
function domain.source(spec, l)
  local keeps = spec.strategy == "short" and LINES or ALONG -- what varies along it is not kept
  local still, moving, one, count = {}, {}, {}, spec.batch
  for k, x in ipairs(access.operands(spec, l)) do
    x.number = k
    if not x.output and not has(spec.reach[k], keeps) then
      still[#still + 1] = load(spec, x, spec.strategy == "short" and count or 1, "0")
    elseif not x.output then
      moving[#moving + 1], one[#one + 1] = load(spec, x, count, "g"), load(spec, x, 1, "g")
    end
  end
  return table.concat({
    string.format("#define CP_COUNT %d\n", count),
    access.locate_line(spec, l),
    string.format(LOAD, "cp_load_still", "", table.concat(still)),
    string.format(LOAD, "cp_load_moving", ", cp_offset g", table.concat(moving)),
    string.format(LOAD, "cp_load_one", ", cp_offset g", table.concat(one)),
  })
end

return domain
