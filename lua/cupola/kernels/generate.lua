-- The generator of kernel texts: from a spec, which describes the structure of a plan, it makes CUDA C++. The
-- text includes no headers and depends on the spec alone.
--
--   local generate = require("cupola.kernels.generate").new{ops =, reds =, embedded =}
--   local text = generate(spec)
--
-- src/lua/kernels/generator.c makes the spec: target, ndim, nred, vector, tile, shifted, wide, strategy,
-- batch, reach {number}, leaves {{dtype, access, moves {number}}}, moves {{rule, dim}}, scalars {dtype},
-- instrs {{op, loop, dtype, args, called, table}}, functions {text}, tables {{dtype, count, offset}}, outputs
-- {{dtype, access, reg}}, red, acc,
-- value, position, result, reductions {name}, lanes, share, raw {ndim}, user. Or the spec names a routine:
-- routine, variables (routine.lua). ops and reds are the tables of ops.def by name; embedded(name) gives the
-- text of a file of the repository.

local access = require "cupola.kernels.access"
local body = require "cupola.kernels.body"
local called = require "cupola.kernels.called"
local domain = require "cupola.kernels.domain"
local joint = require "cupola.kernels.joint"
local layout = require "cupola.kernels.layout"
local lookup = require "cupola.kernels.lookup"
local phases = require "cupola.kernels.phases"
local preludes = require "cupola.kernels.preludes"
local reduction = require "cupola.kernels.reduction"
local routine = require "cupola.kernels.routine"
local types = require "cupola.kernels.types"

local generate = {}

-- Threads per block, as src/cuda/run/run.c launches them.
generate.block = 256

-- If the body of an elementwise kernel is larger than this (body.weight times the copies), it becomes a
-- function that is called. Measured: what NVRTC compiles in 150 ms of processor time.
local LIMIT = 340

-- The same limit for reductions and for the loop over a tile, which have more text besides.
local LONG = 96

local STRATEGY = { warp = 1, block = 2, split = 3, column = 4, short = 5, domain = 6 }

local function basics(spec, l)
  local out = {
    spec.wide and "typedef unsigned long long cp_index;\ntypedef long long cp_offset;\n"
      or "typedef unsigned int cp_index;\ntypedef int cp_offset;\n",
    string.format("struct cp_slots { unsigned long long s[%d]; };\n", l.count),
    string.format("#define CP_BLOCK %d\n#define CP_VECTOR %d\n", generate.block, spec.vector),
    string.format("#define CP_WIDE %d\n", spec.wide and 1 or 0),
    string.format("#define CP_FIRST %d\n#define CP_SECOND %d\n", l.first, l.second),
    "CP_FN cp_index cp_divide(cp_index i, unsigned long long divisor, unsigned long long magic) {\n",
    spec.wide and "  return i / divisor;\n}\n"
      or "  return (__umulhi(i, (unsigned)magic) + i) >> (unsigned)(divisor >> 32);\n}\n",
  }
  return table.concat(out)
end

-- Loads transposed leaves through tiles in shared memory.
local function tiled(env, spec, l, needs)
  local weight = body.weight(spec, env.ops) * (spec.vector + 1)
  local tiles = 0
  for _, leaf in ipairs(spec.leaves) do tiles = tiles + (string.sub(leaf.access, 1, 4) == "tile" and 1 or 0) end
  local unroll = math.max(1, math.min(4, math.floor(LONG / 2 / weight / math.max(1, tiles))))
  local fast = weight <= LONG and body.has_fast(spec, env.ops, needs)
  return table.concat({
    string.format("#define CP_TILE %d\n#define CP_AHEAD %d\n#define CP_THIRD %d\n", spec.tile, unroll, l.third),
    string.format("#define CP_FAST %d\n", fast and 1 or 0),
    body.inputs(spec),
    body.source(spec, l, env.ops, needs, weight > LONG, fast),
    access.place(spec, l),
    access.locate_tile(spec, l),
    access.fill_tiles(spec, l),
    access.loads(spec, l),
    access.stores(spec, l),
    env.embedded("kernels/tile.cu"),
  })
end

local function elementwise(env, spec, l, needs)
  if spec.tile then return tiled(env, spec, l, needs) end
  local fast, fast_weight = body.has_fast(spec, env.ops, needs)
  local weight = body.weight(spec, env.ops)
  local apart = weight + spec.vector * (fast and fast_weight or weight) > LIMIT
  fast = fast and not apart
  return table.concat({
    string.format("#define CP_FAST %d\n#define CP_SHIFTED %d\n", fast and 1 or 0, spec.shifted and 1 or 0),
    string.format("#define CP_SHARE %d\n#define CP_LINE %d\n", l.share or 0, spec.ndim == 1 and 1 or 0),
    body.inputs(spec),
    body.source(spec, l, env.ops, needs, apart, fast),
    access.place(spec, l),
    access.locate(spec, l),
    access.loads(spec, l),
    access.stores(spec, l),
    env.embedded("kernels/blocks.cu"),
    env.embedded("kernels/elementwise.cu"),
  })
end

-- How many groups a thread of a reduction loads at once: 64 bytes of one leaf, or fewer when that makes much
-- text or takes many registers.
local function unroll(spec, weight)
  local leaves, widest = 0, 1
  for _, leaf in ipairs(spec.leaves) do
    if leaf.access ~= "index" then leaves, widest = leaves + 1, math.max(widest, types[leaf.dtype].size) end
  end
  local groups = 8
  local function too_many()
    local elements = groups * spec.vector
    local parts = spec.packed and elements / 4 or elements
    return elements * widest > 64 or parts * leaves > 32 or parts * weight > LONG
  end
  while groups > 1 and too_many() do groups = groups / 2 end
  return math.floor(groups)
end

-- weight: of one element in a thread's batch; folding: of one combination; repeatable: an element may be
-- combined twice, as for minima. Sums of whole numbers and repeatable reductions are exact, so they need no
-- runs.
local function reduction_constants(spec, l, weight, folding, repeatable)
  local groups = spec.drawn and 1 or spec.batch or unroll(spec, weight)
  local whole = spec.acc and types[spec.acc].kind == "integer"
  local parts = math.floor(spec.packed and spec.vector / 4 or spec.vector)
  local long = (spec.drawn and 0) or (spec.strategy == "split" and parts <= 4 and LONG)
    or (spec.strategy == "column" and folding <= 4 and LONG) or LONG / 3
  local out = {
    "#define CP_WARP 1\n#define CP_ONE 2\n#define CP_SPLIT 3\n#define CP_COLUMN 4\n#define CP_SHORT 5\n",
    "#define CP_DOMAIN 6\n",
    string.format("#define CP_STRATEGY %d\n#define CP_UNROLL %d\n#define CP_RUN %d\n",
      STRATEGY[spec.strategy], groups, (repeatable or whole) and 0 or 16),
    string.format("#define CP_REPEATABLE %d\n#define CP_DRAWN %d\n", repeatable and 1 or 0, spec.drawn and 1 or 0),
    string.format("#define CP_PAIRS %d\n", spec.pairs and 1 or 0),
    string.format("#define CP_JOIN %s\n", folding > 4 and "CP_SLOW" or "CP_FN"),
    string.format("#define CP_PARTS %d\n", parts),
    string.format("#define CP_TREE %s\n", groups * parts * folding > LONG and "cp_join" or "cp_combine"),
    string.format("#define CP_LONG %d\n", groups * parts * weight > long and 1 or 0),
    string.format("#define CP_TAILS %d\n", spec.vector > 1 and spec.strategy ~= "warp" and 1 or 0),
    string.format("#define CP_LINE %d\n", spec.nred == 1 and 1 or 0),
    string.format("#define CP_COSTLY %d\n", not spec.user and folding > 4 and 1 or 0),
  }
  for _, name in ipairs(l.device) do out[#out + 1] = string.format("#define CP_%s %d\n", string.upper(name),
    l[name]) end
  return table.concat(out)
end

local function reduce(env, spec, l, needs)
  local own = body.weight(spec, env.ops)
  local folding, element = reduction.weight(env.reds[spec.red], types[spec.acc])
  -- conversions count too
  for _, leaf in ipairs(spec.leaves) do element = element + (types[leaf.dtype].half and 0.5 or 0) end
  local repeatable = reduction.repeatable(env.reds[spec.red])
  -- Random draws whose groups use whole blocks of the generator: a group is computed where it is loaded, so
  -- that its elements share the blocks. Two places load, one of them a single element.
  spec.drawn = spec.counting and not spec.user and own * (spec.vector + 1) <= LIMIT
  spec.pairs = spec.drawn and folding <= 4 and own * (3 * spec.vector + 1) <= LIMIT
  local copies, most = spec.vector, LONG / 4
  if spec.reach then copies, most = spec.vector * spec.batch, LIMIT end -- calls would be most of the work
  local apart = not spec.drawn and own * copies > most
  local registers = body.registers(spec)
  local fast, fast_weight = body.has_fast(spec, env.ops, needs)
  if spec.reach then
    fast = fast and not apart
  else
    fast = fast and not spec.drawn and fast_weight * spec.vector <= LONG
      and not reduction.has_batch(spec, env.reds[spec.red], registers)
  end
  local inlined = fast and fast_weight or apart and 2 or own
  spec.packed = reduction.packed(spec, env.reds[spec.red], registers)
  return table.concat({
    reduction_constants(spec, l, inlined + element, folding, repeatable),
    spec.drawn and reduction.begin_draws or "",
    spec.packed and reduction.packed_body(spec)
      or body.inputs(spec) .. body.source(spec, l, env.ops, needs, apart or fast, fast),
    access.place(spec, l),
    spec.reach and domain.source(spec, l) or access.locate_reduction(spec, l) .. access.loads(spec, l),
    spec.drawn and reduction.end_draws or "",
    reduction.source(spec, l, env.reds, needs, registers, fast),
    env.embedded("kernels/fold.cu"),
    spec.reach and env.embedded("kernels/domain.cu") or "",
    env.embedded("kernels/reduce.cu"),
  })
end

local function joined(env, spec, l, needs)
  return joint.source(env, spec, l, needs, reduction_constants, LIMIT)
end

-- The types that only loads and stores need: structs of complex numbers, conversions of half types.
local function memory_needs(spec, needs)
  local function need(name)
    if name and types[name].half then needs.halves = true end
    if name and types[name].kind == "complex" then needs:space(name) end
  end
  for _, leaf in ipairs(spec.leaves) do need(leaf.dtype) end
  for _, output in ipairs(spec.outputs) do need(output.dtype) end
  for _, name in ipairs(spec.scalars) do need(name) end
  for _, t in ipairs(spec.tables or {}) do need(t.dtype) end
  need(spec.result)
end

-- Returns a function from specs to text. Errors are strings, or tables {kind = "usage" or "compile", message
-- =}. The text of user kernels is made by lua/cupola/kernels/user.lua.
function generate.new(env)
  local texts, slots = {}, layout.read(env.embedded("kernels/slots.def"))
  return function(spec)
    local needs = preludes.new(env.embedded, texts)
    if spec.routine then return routine.source(env, spec.routine, spec.variables, needs) end
    local l = layout.of(spec, slots)
    if spec.user then
      local parts = { basics = basics, reduction_constants = reduction_constants }
      return require("cupola.kernels.user").source(env, spec, l, needs, parts)
    end
    memory_needs(spec, needs)
    local functions = called.definitions(spec, env.embedded, needs)
    local make = spec.reductions and (spec.strategy == "rows" and phases.source or joined) or spec.nred > 0 and reduce
      or elementwise
    local text = make(env, spec, l, needs)
    local straight = spec.counting and body.is_straight(spec) and "#define CP_STRAIGHT 1\n" or ""
    return straight .. needs:source() .. functions .. basics(spec, l) .. lookup.definitions(spec, l)
      .. access.needs(spec, l, env.embedded) .. text
  end
end

return generate
