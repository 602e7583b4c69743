-- Text for leaves that lie across the outputs (transposed operands): a block reads a square tile of them
-- along y, the dimension along which they are contiguous, transposes it in shared memory, and reads groups of
-- it along x, the outputs' innermost dimension. y is the dimension before x.
--
-- Shared memory is an array of words, each a run of `pack` elements along x: several elements if they are
-- smaller than 4 bytes, else one. A piece is what a thread loads at once: `pack` elements along x by `reach`
-- along y. In the rows of word column c, the piece with number p along y is stored at position c xor p, so
-- that neither writes down a column nor reads along a row have more than a few bank conflicts.

local types = require "cupola.kernels.types"

local tile = {}

function tile.is_tiled(o) return o.access == "tile" or o.access == "tile_word" end

-- The shape of a leaf's pieces and words.
local function geometry(spec, x)
  local size = types[x.o.dtype].size
  local g = { pack = math.floor(math.max(1, 4 / size)), size = size, words = x.o.access == "tile_word" }
  g.reach = g.words and size == 4 and 4 or g.pack
  g.columns = math.floor(spec.tile / g.pack) -- words in a row
  g.pieces = math.floor(spec.tile / g.reach) -- along y
  g.mask = math.min(g.columns, 32) - 1
  g.word = types.word(g.pack * size)
  g.memory = types[x.o.dtype].memory
  local count = math.max(1, math.floor(g.columns * g.pieces / 256)) -- pieces per thread
  local most = g.words and 8 or math.max(1, 8 / (g.pack * g.reach))
  g.count = math.floor(math.min(count, most)) -- how many of them it loads at once
  g.rounds = math.floor(count / g.count)
  return g
end

local DECLARE = [[
__shared__ @word@ cp_tile_@name@[CP_TILE * @columns@];
]]

local REGISTERS = [[
  union { @load@ w[@pack@]; @word@ e[@reach@]; @memory@ v[@pack@][@reach@]; } g_@name@[@count@];
]]
local LOAD = [[
#pragma unroll
  for (int n = 0; n < @count@; n++) {
    const unsigned t = threadIdx.x + (round * @count@ + n) * CP_BLOCK;
    const unsigned y = t % @pieces@ * @reach@, x = t / @pieces@ * @pack@;
    const char *from = corner.@name@ + (long long)x * @across@ + (long long)y * @down@;
#pragma unroll
    for (int i = 0; i < @pack@; i++)
@read@
  }
]]
local READ_WORD = [[
      if (x + i < width && y < height) g_@name@[n].w[i] = *(const @load@ *)(from + (long long)i * @across@);]]
local READ_ELEMENT = [[
#pragma unroll
      for (int j = 0; j < @reach@; j++)
        if (x + i < width && y + j < height)
          g_@name@[n].v[i][j] = *(const @memory@ *)(from + (long long)i * @across@ + (long long)j * @down@);]]

local STORE = [[
#pragma unroll
  for (int n = 0; n < @count@; n++) {
    const unsigned t = threadIdx.x + (round * @count@ + n) * CP_BLOCK, number = t % @pieces@, column = t / @pieces@;
    if (column >= @columns@) break;
    @word@ *to = &cp_tile_@name@[number * @reach@ * @columns@ + (column ^ (number & @mask@))];
@turn@
  }
]]
-- Squares of small elements are transposed in registers; elements as large as a word need not be.
local TURN = {
  [1] = [[
    const unsigned a = __byte_perm(g_@name@[n].w[0], g_@name@[n].w[1], 0x5140);
    const unsigned b = __byte_perm(g_@name@[n].w[2], g_@name@[n].w[3], 0x5140);
    const unsigned c = __byte_perm(g_@name@[n].w[0], g_@name@[n].w[1], 0x7362);
    const unsigned d = __byte_perm(g_@name@[n].w[2], g_@name@[n].w[3], 0x7362);
    to[0] = __byte_perm(a, b, 0x5410);
    to[@columns@] = __byte_perm(a, b, 0x7632);
    to[2 * @columns@] = __byte_perm(c, d, 0x5410);
    to[3 * @columns@] = __byte_perm(c, d, 0x7632);]],
  [2] = [[
    to[0] = __byte_perm(g_@name@[n].w[0], g_@name@[n].w[1], 0x5410);
    to[@columns@] = __byte_perm(g_@name@[n].w[0], g_@name@[n].w[1], 0x7632);]],
}
local TURN_WORDS = [[
#pragma unroll
    for (int j = 0; j < @reach@; j++) to[j * @columns@] = g_@name@[n].e[j];]]

local function fill(template, values)
  return (string.gsub(template, "@(%a+)@", function(key) return tostring(values[key]) end))
end

local function values(spec, x)
  local g = geometry(spec, x)
  g.name = x.name
  g.across = string.format("(cp_offset)p.s[%d]", x.slots.strides[spec.ndim])
  g.down = g.words and g.size or string.format("(cp_offset)p.s[%d]", x.slots.strides[spec.ndim - 1])
  g.load = g.words and types.word(g.reach * g.size) or g.word
  g.read = fill(g.words and READ_WORD or READ_ELEMENT, g)
  g.turn = fill(TURN[g.size] or TURN_WORDS, g)
  return g
end

--- Text of cp_fill_tiles for these operands. Loads that fit in one round are done before the first store.
---@return string
function tile.fill(spec, list)
  local declare, loads, stores = {}, {}, {}
  for k, x in ipairs(list) do
    local v = values(spec, x)
    declare[k] = fill(DECLARE, v)
    loads[k] = fill(REGISTERS, v)
    if v.rounds == 1 then
      loads[k] = loads[k] .. fill(LOAD, v)
      stores[k] = fill(STORE, v)
    else
      stores[k] = string.format("#pragma unroll 1\n  for (unsigned round = 0; round < %d; round++) {\n%s%s  }\n",
        v.rounds, fill(LOAD, v), fill(STORE, v))
    end
  end
  return string.format([[
%sCP_FN void cp_fill_tiles(const cp_slots &p, const cp_place &corner, cp_index width, cp_index height) {
  const unsigned round = 0;
%s%s}
]], table.concat(declare), table.concat(loads), table.concat(stores))
end

-- The word of the group's column c, or of the column that the text `c` names.
local function word_at(x, g, c)
  return string.format("cp_tile_%s[at.ty * %d + ((%s) ^ (at.ty / %d & %d))]", x.name, g.columns, c, g.reach, g.mask)
end

--- Text that reads a group of a tile into in[k].
---@return string
function tile.load_group(spec, x)
  local g, t = geometry(spec, x), types[x.o.dtype]
  local words = math.floor(spec.vector / g.pack)
  local lines = {}
  if words >= 1 then
    lines[1] = string.format("    union { %s w[%d]; %s v[CP_VECTOR]; } g;", g.word, words, g.memory)
    for c = 0, words - 1 do
      lines[#lines + 1] = string.format("    g.w[%d] = %s;", c, word_at(x, g,
        string.format("at.tx / %d + %d", g.pack, c)))
    end
  else
    local piece = types.word(spec.vector * g.size)
    lines[1] = string.format("    union { %s w; %s v[CP_VECTOR]; } g;", piece, g.memory)
    lines[2] = string.format("    g.w = ((const %s *)&%s)[at.tx %% %d / CP_VECTOR];", piece,
      word_at(x, g, "at.tx / " .. g.pack), g.pack)
  end
  return string.format("  {\n%s\n#pragma unroll\n    for (int k = 0; k < CP_VECTOR; k++) in[k].%s = %s;\n  }\n",
    table.concat(lines, "\n"), x.name, types.load(t, "g.v[k]"))
end

--- Text that reads element k of a group of a tile.
---@return string
function tile.load_element(spec, x)
  local g, t = geometry(spec, x), types[x.o.dtype]
  local word = word_at(x, g, string.format("(at.tx + (unsigned)k) / %d", g.pack))
  return string.format("  in.%s = %s;\n", x.name,
    types.load(t, string.format("((const %s *)&%s)[(at.tx + (unsigned)k) %% %d]", g.memory, word, g.pack)))
end

return tile
