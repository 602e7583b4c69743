-- How a kernel accesses its operands: text of struct `cp_place` (the address of the current group of
-- elements, for each operand) and of the functions that find a group, load it and store it.
--
-- Elementwise kernels find a group by cp_locate. Reductions find an output by cp_locate_row, and a group of
-- the elements that it is computed from by cp_locate_group, relative to the row. Groups are along the
-- innermost dimension; in reductions of columns they are groups of outputs along the last kept dimension.
-- Tiled kernels find the corner of a tile by cp_locate, and a group in it by cp_locate_in_tile.

local layout = require "cupola.kernels.layout"
local move = require "cupola.kernels.move"
local tile = require "cupola.kernels.tile"
local types = require "cupola.kernels.types"

local access = {}

local function slot(number) return string.format("p.s[%d]", number) end
access.slot = slot

local function is_index(o) return o.access == "index" end

-- The dimension along which elements are grouped.
local function along(spec)
  local across = spec.strategy == "column" or spec.strategy == "short" or spec.strategy == "domain"
  return across and spec.ndim - spec.nred or spec.ndim
end

-- The leaves and outputs with their field names and slots.
local function operands(spec, l)
  local list = {}
  for k, leaf in ipairs(spec.leaves) do
    list[k] = { name = "l" .. k - 1, o = leaf, slots = l.leaves[k], counting = spec.counting and is_index(leaf) }
  end
  for k, output in ipairs(spec.outputs) do
    list[#list + 1] = { name = "o" .. k - 1, o = output, slots = l.outputs[k], output = true }
  end
  return list
end
access.operands = operands

-- The byte distance of x elements, with one instruction for 32-bit values: the compiler misses it if one of
-- them was widened before.
local WIDE_SPAN = "CP_FN long long cp_span(cp_offset x, cp_offset stride) { return x * stride; }\n"
local SPAN = [[
CP_FN long long cp_span(cp_offset x, cp_offset stride) {
#ifdef __CUDA_ARCH__
  long long r;
  asm("mul.wide.s32 %0, %1, %2;" : "=l"(r) : "r"(x), "r"(stride));
  return r;
#else
  return (long long)x * stride;
#endif
}
]]

-- The first position of a group that uses whole blocks of the random generator. The asm tells the compiler
-- that the upper bits are 0, so a block's number is not multiplied and divided again, and hides where the
-- value comes from, so the compiler cannot rearrange that.
local COUNTING = [[
CP_FN long long cp_first_of(long long group) {
  asm("" : "+l"(group));
  __builtin_assume(group >= 0 && group < (1ll << 56));
  return group * CP_VECTOR;
}
]]

-- struct cp_place: an address for each operand in memory, a value for each index. Where groups use whole
-- blocks of the random generator, the value is divided by CP_VECTOR once, instead of in each draw.
function access.place(spec, l)
  local out = { "struct cp_place {" }
  for _, x in ipairs(operands(spec, l)) do
    local t = is_index(x.o) and "long long" or x.output and "char *" or "const char *"
    out[#out + 1] = string.format("  %s%s%s;", t, string.sub(t, -1) == "*" and "" or " ", x.name)
  end
  if spec.tile then out[#out + 1] = "  unsigned tx, ty; // the group's first element in its tile" end
  if move.any_along(spec, along(spec)) then out[#out + 1] = "  cp_offset x; // the position of its first element" end
  out[#out + 1] = "};\n"
  return table.concat(out, "\n") .. (spec.wide and WIDE_SPAN or SPAN) .. (spec.counting and COUNTING or "")
end

-- Lines that split the running number `rest` into positions x<d> of the dimensions first .. last. Along the
-- dimension of the groups, groups are counted; along the two innermost dimensions of tiled kernels, tiles.
local function split(spec, l, first, last)
  local out = {}
  for d = last, first, -1 do
    local scale = spec.tile and (d >= spec.ndim - 1 and " * CP_TILE" or "")
      or d == along(spec) and spec.vector > 1 and " * CP_VECTOR" or ""
    local steps = "rest"
    if d > first then
      out[#out + 1] = string.format("  const cp_index q%d = cp_divide(rest, %s, %s);\n",
        d, slot(l.divisors[d]), slot(l.magics[d]))
      steps = string.format("(rest - q%d * (cp_index)%s)", d, slot(l.divisors[d]))
    end
    if spec.counting and d == along(spec) then
      out[#out + 1] = string.format("  const cp_index g%d = %s;\n", d, steps)
    end
    out[#out + 1] = string.format("  const cp_offset x%d = (cp_offset)%s%s;\n", d, steps, scale)
    if d > first then out[#out + 1] = string.format("  rest = q%d;\n", d) end
  end
  return table.concat(out)
end

-- The distance from position 0 along the dimensions first .. last, in bytes, or in value for an index; nil
-- if it is 0. Positions and strides have 32 bits, in wide plans 64; offsets always have 64 bits, since
-- arrays may exceed 2 GB.
local function distance(spec, x, first, last)
  local terms = {}
  if x.o.access == "one" then return nil end
  for d = first, last do
    local stride = slot(x.slots.strides[d])
    local position, contiguous = move.position(spec, x.o, d), x.o.access == "vector" or x.o.access == "contiguous"
    if x.counting and d == along(spec) then -- it counts by one
      terms[#terms + 1] = string.format("(long long)g%d", d)
    elseif is_index(x.o) then
      local by = x.counting and " / CP_VECTOR" or ""
      terms[#terms + 1] = string.format("(long long)x%d * ((long long)%s%s)", d, stride, by)
    elseif d ~= along(spec) or tile.is_tiled(x.o) then
      terms[#terms + 1] = string.format("cp_span(%s, (cp_offset)%s)", position, stride)
    elseif contiguous and spec.counting then
      terms[#terms + 1] = string.format("(long long)g%d * %d", d, types[x.o.dtype].size * spec.vector)
    elseif contiguous then
      terms[#terms + 1] = string.format("(long long)x%d * %d", d, types[x.o.dtype].size)
    elseif x.o.access == "strided" then
      terms[#terms + 1] = string.format("(long long)x%d * (cp_offset)%s", d, stride)
    end
  end
  return terms[1] and table.concat(terms, " + ")
end

local function base(x)
  if x.counting then return string.format("(long long)(%s / CP_VECTOR)", slot(x.slots.base)) end
  if is_index(x.o) then return string.format("(long long)%s", slot(x.slots.base)) end
  return string.format("(%schar *)%s", x.output and "" or "const ", slot(x.slots.base))
end

-- at.<operand> = from + distance, for every operand that `want` accepts, and at.x, the group's position if
-- elements along it move.
local function moves(spec, l, first, last, from, want)
  local out, a = { move.positions(spec, l, first, last, along(spec)) }, along(spec)
  if move.any_along(spec, a) then
    local here = a >= first and a <= last
    if here or a < first then out[2] = string.format("  at.x = %s;\n", here and "x" .. a or "row.x") end
  end
  for _, x in ipairs(operands(spec, l)) do
    if want(x) then
      local by = distance(spec, x, first, last)
      out[#out + 1] = string.format("  at.%s = %s%s;\n", x.name, from(x), by and " + (" .. by .. ")" or "")
    end
  end
  return table.concat(out)
end

local function all() return true end

-- Lines that move the outputs of `at` by k along the dimension of the groups.
local function neighbours(spec, l)
  local out = {}
  for _, x in ipairs(operands(spec, l)) do
    if x.output and x.o.access ~= "one" then
      out[#out + 1] = string.format("  at.%s += (long long)k * (cp_offset)%s;\n", x.name,
        slot(x.slots.strides[along(spec)]))
    end
  end
  return table.concat(out)
end

-- Lines that move the position along the innermost dimension back to where the groups of the first output are
-- aligned: in some rows the first group begins before the row.
local function shift(spec, l)
  local inner, x = spec.ndim, operands(spec, l)[#spec.leaves + 1]
  local outer = inner > 1 and distance(spec, x, 1, inner - 1)
  return string.format("  x%d -= (cp_offset)((unsigned long long)(%s%s) / %d %% CP_VECTOR);\n", inner, base(x),
    outer and " + " .. outer or "", types[x.o.dtype].size)
end

-- cp_locate: sets `at` to a group of elements and returns the position of its first element along the
-- innermost dimension, which may be negative in shifted kernels.
function access.locate(spec, l)
  local positions, innermost = split(spec, l, 1, spec.ndim), "cp_offset x" .. spec.ndim .. " "
  if spec.shifted then
    positions = string.gsub(positions, "const " .. innermost, innermost) .. shift(spec, l)
  end
  return string.format([[
CP_FN cp_index cp_locate(const cp_slots &p, cp_index rest, cp_place &at) {
%s%s  return (cp_index)x%d;
}
]], positions, moves(spec, l, 1, spec.ndim, base, all), spec.ndim)
end

-- cp_locate and cp_locate_in_tile for tiled kernels; x0 and y0 become the position of the tile's corner.
function access.locate_tile(spec, l)
  local x, y = spec.ndim, spec.ndim - 1
  local function straight(o) return not tile.is_tiled(o.o) end
  return string.format([[
CP_FN void cp_locate(const cp_slots &p, cp_index rest, cp_place &at, cp_index &x0, cp_index &y0) {
%s%s  x0 = (cp_index)x%d;
  y0 = (cp_index)x%d;
}
CP_FN void cp_locate_in_tile(const cp_slots &p, const cp_place &corner, cp_offset x%d, cp_offset x%d, cp_place &at) {
  at.tx = (unsigned)x%d;
  at.ty = (unsigned)x%d;
%s}
]], split(spec, l, 1, spec.ndim), moves(spec, l, 1, spec.ndim, base, all), x, y, x, y, x, y,
    moves(spec, l, y, x, function(o) return "corner." .. o.name end, straight))
end

-- cp_locate_row and cp_locate_group for reductions; cp_neighbour is the place of output number k in a group
-- of outputs.
function access.locate_reduction(spec, l)
  local kept = spec.ndim - spec.nred
  local function leaf(x) return not x.output or spec.reductions ~= nil end
  return string.format([[
CP_FN void cp_locate_row(const cp_slots &p, cp_index rest, cp_place &at) {
%s%s}
CP_FN cp_index cp_locate_group(const cp_slots &p, const cp_place &row, cp_index rest, cp_place &at) {
%s%s  return (cp_index)x%d;
}
CP_FN cp_place cp_neighbour(const cp_slots &p, cp_place at, int k) {
%s  return at;
}
]], kept > 0 and split(spec, l, 1, kept) or "", moves(spec, l, 1, kept, base, all),
    split(spec, l, kept + 1, spec.ndim),
    moves(spec, l, kept + 1, spec.ndim, function(x) return "row." .. x.name end, leaf), spec.ndim,
    spec.strategy == "column" and neighbours(spec, l) or "")
end

-- cp_locate_line and cp_output for the strategies short and domain (kernels/domain.cu).
function access.locate_line(spec, l)
  local kept, outputs = spec.ndim - spec.nred, {}
  for _, x in ipairs(operands(spec, l)) do
    if x.output and x.o.access ~= "one" then
      local stride = slot(x.slots.strides[kept])
      outputs[#outputs + 1] = string.format("  at.%s += %s;\n", x.name, x.o.access == "strided"
        and string.format("cp_span(k, (cp_offset)%s)", stride) or "(long long)k * " .. types[x.o.dtype].size)
    end
  end
  return string.format([[
CP_FN void cp_locate_line(const cp_slots &p, cp_index rest, cp_place &at) {
%s%s}
CP_FN cp_place cp_output(const cp_slots &p, cp_place at, cp_offset k) {
%s  return at;
}
]], kept > 1 and split(spec, l, 1, kept - 1) or "", moves(spec, l, 1, kept - 1, base, all), table.concat(outputs))
end

local function read(t, address)
  return types.load(t, string.format("*(const %s *)(%s)", t.memory, address))
end

-- The stride along the innermost dimension in bytes, as text.
local function step(spec, x)
  local a = x.o.access
  if a == "strided" then return string.format("(cp_offset)%s", slot(x.slots.strides[along(spec)])) end
  return tostring(types[x.o.dtype].size)
end

-- Text that extracts the elements of a group from the words that were loaded.
local function take(spec, x)
  if spec.packed then
    return string.format("    for (int k = 0; k < CP_PARTS; k++) in[k].%s = g.p[k];\n", x.name)
  end
  return string.format("    for (int k = 0; k < CP_VECTOR; k++) in[k].%s = %s;\n", x.name,
    types.load(types[x.o.dtype], "g.v[k]"))
end

-- The words of a group that lies contiguously in memory: its type, that of a word, and how many words there
-- are.
local function words_of(spec, x)
  local t = types[x.o.dtype]
  local bytes = layout.load_bytes(x.o.dtype, spec.vector)
  return t, types.word(bytes), t.size * spec.vector / bytes
end

-- Text that loads the elements of a contiguous, aligned group in whole words.
local function load_words(spec, x)
  local t, word, count = words_of(spec, x)
  return string.format([[
  {
    union { %s w[%d]; %s v[CP_VECTOR]; unsigned p[(sizeof(%s) * CP_VECTOR + 3) / 4]; } g;
#pragma unroll
    for (int k = 0; k < %d; k++) g.w[k] = ((const %s *)at.%s)[k];
#pragma unroll
%s  }
]], word, count, t.memory, t.memory, count, word, x.name, take(spec, x))
end

local function shifted_words(x, bytes, address)
  local t = types[x.o.dtype]
  return string.format("cp_load_shifted<%d, %d, %s>(%s, g%s.p);", bytes, t.size, types.word(bytes), address, x.suffix)
end

-- The same for groups that need not be aligned, of the leaves in `list`. Where positions move, the groups are
-- loaded by words only if all of them lie one after the other, so that there is one branch.
local function load_shifted(spec, l, list)
  local words, whole, elements, declare, after = {}, {}, {}, {}, {}
  for n, x in ipairs(list) do
    local t = types[x.o.dtype]
    local bytes = t.size * spec.vector
    x.suffix = list[2] and tostring(n) or ""
    declare[n] = string.format("    union { unsigned p[%d]; %s v[CP_VECTOR]; } g%s;\n", math.floor(bytes / 4), t.memory,
      x.suffix)
    after[n] = "#pragma unroll\n" .. string.gsub(take(spec, x), "g%.([pv])", "g" .. x.suffix .. ".%1")
    if move.is_moved(x.o) then
      local from, test = move.words(spec, l, x, along(spec), n)
      declare[n] = declare[n] .. from
      whole[#whole + 1] = test
      words[n] = shifted_words(x, bytes, string.format("at.%s + (long long)from%d * %d", x.name, n, t.size))
      elements[n] = string.format([[
#pragma unroll
      for (int k = 0; k < CP_VECTOR; k++) g%s.v[k] = *(const %s *)(%s);]],
        x.suffix, t.memory, move.address(spec, l, x, along(spec), "at.x + k"))
    else
      words[n] = shifted_words(x, bytes, "at." .. x.name)
    end
  end
  local text = table.concat(words, "\n      ")
  text = whole[1] and string.format("    if (%s) {\n      %s\n    } else {\n%s\n    }\n", table.concat(whole, " & "),
    text, table.concat(elements, "\n")) or "    " .. text .. "\n"
  return "  {\n" .. table.concat(declare) .. text .. table.concat(after) .. "  }\n"
end

-- Whether the groups of an operand are loaded by load_shifted. User kernels load single elements instead.
local function is_shifted(spec, x)
  local bytes = types[x.o.dtype].size * spec.vector
  local row = x.o.access == "contiguous" or x.o.access == "moved_row"
  return not spec.user and row and spec.vector > 1 and bytes >= 4 and bytes <= 16
end

local function load_group(spec, l, x)
  local t, a = types[x.o.dtype], x.o.access
  if tile.is_tiled(x.o) then return tile.load_group(spec, x) end
  if a == "vector" and spec.vector > 1 then return load_words(spec, x) end
  if is_shifted(spec, x) then return load_shifted(spec, l, { x }) end
  local value
  if x.counting then
    value = string.format("first.%s | k", x.name)
  elseif a == "index" then
    value = string.format("at.%s + (long long)k * (long long)%s", x.name, slot(x.slots.strides[along(spec)]))
  elseif a == "same" or a == "one" then
    value = "first." .. x.name
  elseif move.is_moved(x.o) then
    value = read(t, move.address(spec, l, x, along(spec), "at.x + k"))
  else
    value = read(t, string.format("at.%s + (long long)k * %s", x.name, step(spec, x)))
  end
  local once = x.counting and string.format("  first.%s = cp_first_of(at.%s);\n", x.name, x.name)
    or (a == "same" or a == "one") and string.format("  first.%s = %s;\n", x.name, read(t, "at." .. x.name)) or ""
  return string.format("%s#pragma unroll\n  for (int k = 0; k < CP_VECTOR; k++) in[k].%s = %s;\n", once, x.name, value)
end

local function load_element(spec, l, x)
  local t, a = types[x.o.dtype], x.o.access
  if spec.packed then -- the other three bytes of the word are 0
    return string.format("  in.%s = *(const unsigned char *)(at.%s + k);\n", x.name, x.name)
  end
  if tile.is_tiled(x.o) then return tile.load_element(spec, x) end
  if move.is_moved(x.o) then
    local address = move.address(spec, l, x, along(spec), "at.x + (cp_offset)k")
    return string.format("  in.%s = %s;\n", x.name, read(t, address))
  end
  if x.counting then
    return string.format("  in.%s = at.%s * CP_VECTOR + (long long)k;\n", x.name, x.name)
  elseif a == "index" then
    return string.format("  in.%s = at.%s + (long long)k * (long long)%s;\n",
      x.name, x.name, slot(x.slots.strides[along(spec)]))
  elseif a == "same" or a == "one" then
    return string.format("  in.%s = %s;\n", x.name, read(t, "at." .. x.name))
  end
  return string.format("  in.%s = %s;\n", x.name, read(t, string.format("at.%s + (long long)k * %s", x.name,
    step(spec, x))))
end

-- cp_fill_tiles for tiled kernels: loads the leaves that go through shared memory.
function access.fill_tiles(spec, l)
  local list = {}
  for _, x in ipairs(operands(spec, l)) do
    if tile.is_tiled(x.o) then list[#list + 1] = x end
  end
  return tile.fill(spec, list)
end

-- The functions that the text calls besides those of the preludes; embedded(name) gives the text of a file.
function access.needs(spec, l, embedded)
  local text = spec.moves and embedded("kernels/moves.cu") or ""
  for _, x in ipairs(operands(spec, l)) do
    if not x.output and is_shifted(spec, x) then return text .. embedded("kernels/words.cu") end
  end
  return text
end

-- cp_load_group and cp_load_element: load a group, or element k of it, into cp_inputs: the leaves that
-- `want`, if given, accepts.
function access.loads(spec, l, want)
  local group, element, once, moved = {}, {}, false, {}
  for _, x in ipairs(operands(spec, l)) do
    if not x.output and (not want or want(x)) then
      if move.is_moved(x.o) and is_shifted(spec, x) then
        moved[#moved + 1] = x
      else
        group[#group + 1] = load_group(spec, l, x)
      end
      element[#element + 1] = load_element(spec, l, x)
      once = once or x.counting or x.o.access == "same" or x.o.access == "one"
    end
  end
  if moved[1] then group[#group + 1] = load_shifted(spec, l, moved) end
  return string.format([[
CP_FN void cp_load_group(const cp_slots &p, const cp_place &at, cp_inputs *in) {
%s%s}
CP_FN cp_inputs cp_load_element(const cp_slots &p, const cp_place &at, cp_index k) {
  cp_inputs in;
%s  return in;
}
]], once and "  cp_inputs first;\n" or "", table.concat(group), table.concat(element))
end

local function store_words(spec, x, value)
  local t, word, count = words_of(spec, x)
  return string.format([[
  {
    union { %s w[%d]; %s v[CP_VECTOR]; } g;
#pragma unroll
    for (int k = 0; k < CP_VECTOR; k++) g.v[k] = %s;
#pragma unroll
    for (int k = 0; k < %d; k++) ((%s *)at.%s)[k] = g.w[k];
  }
]], word, count, t.memory, value, count, word, x.name)
end

-- cp_store_group and cp_store_element: store the results of a group, or of element k of it, to the outputs
-- (that `want`, if given, accepts).
function access.stores(spec, l, want)
  local group, element = {}, {}
  for _, x in ipairs(operands(spec, l)) do
    local t = types[x.o.dtype]
    if x.output and (not want or want(x)) then
      if x.o.access == "vector" and spec.vector > 1 then
        group[#group + 1] = store_words(spec, x, types.store(t, "out[k]." .. x.name))
      else
        group[#group + 1] = string.format("%s*(%s *)(at.%s + (long long)k * %s) = %s;\n",
          "#pragma unroll\n  for (int k = 0; k < CP_VECTOR; k++) ", t.memory, x.name, step(spec, x),
          types.store(t, "out[k]." .. x.name))
      end
      element[#element + 1] = string.format("  *(%s *)(at.%s + (long long)k * %s) = %s;\n",
        t.memory, x.name, step(spec, x), types.store(t, "out." .. x.name))
    end
  end
  return string.format([[
CP_FN void cp_store_group(const cp_slots &p, const cp_place &at, const cp_results *out) {
%s}
CP_FN void cp_store_element(const cp_slots &p, const cp_place &at, cp_index k, const cp_results &out) {
%s}
]], table.concat(group), table.concat(element))
end

return access
