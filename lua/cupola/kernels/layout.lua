-- The slots of a kernel's argument, in the order that src/plan/params.h describes and cp_plan_params fills. Slot
-- numbers start from 0, dimensions and operands from 1.

local types = require "cupola.kernels.types"

local layout = {}

-- The slots that the CUDA device appends for a reduction (src/cuda/run/run.c), in this order:
--   groups groups of spec.vector elements in one reduction; "column": elements
--   length elements along the dimension of the groups
--   splits blocks that share a reduction
--   width "warp": threads per reduction, a power of two; "column": groups of outputs per block; else 0
--   workspace, counters
-- and for an elementwise plan of random draws (spec.counting):
--   share groups that a thread computes
layout.device = { "groups", "length", "splits", "width", "workspace", "counters" }

-- A counter that hands out consecutive slots.
local function counter()
  local count = 0
  return function(n)
    count = count + (n or 1)
    return count - (n or 1)
  end
end

local function operand(take, o, ndim)
  local slots = { base = take(), strides = {} }
  if o.access == "one" then return slots end
  for d = 1, ndim do slots.strides[d] = take() end
  return slots
end

local function raw_array(take, ndim)
  local slots = { address = take(), size = take(), lengths = {}, strides = {} }
  for d = 1, ndim do slots.lengths[d] = take() end
  for d = 1, ndim do slots.strides[d] = take() end
  return slots
end

-- The slot numbers of a spec's kernel: first (groups, or outputs of a reduction), second (the length of the innermost
-- dimension, or of the reduction), divisors and magics by dimension, leaves and outputs ({base, strides}), scalars,
-- raw; for reductions inner, parameter and the names of layout.device; for tiled kernels third (the length of the
-- dimension before the innermost); for draws share. count is their number.
function layout.of(spec)
  local take = counter()
  local l = { divisors = {}, magics = {}, leaves = {}, outputs = {}, scalars = {}, raw = {} }
  l.first, l.second = take(), take()
  for d = 1, spec.ndim do l.divisors[d], l.magics[d] = take(), take() end
  for k, leaf in ipairs(spec.leaves) do l.leaves[k] = operand(take, leaf, spec.ndim) end
  for k, output in ipairs(spec.outputs) do l.outputs[k] = operand(take, output, spec.ndim) end
  for k, name in ipairs(spec.scalars) do l.scalars[k] = take(name == "complex128" and 2 or 1) end
  for k, ndim in ipairs(spec.raw or {}) do l.raw[k] = raw_array(take, ndim) end
  if spec.nred > 0 then
    l.inner, l.parameter = take(), take()
    for _, name in ipairs(layout.device) do l[name] = take() end
  end
  if spec.tile then l.third = take() end
  if spec.counting and spec.nred == 0 then l.share = take() end
  l.count = take(0)
  return l
end

-- How many bytes one load of a group of `vector` elements of dtype t takes: the whole group, at most 16.
function layout.load_bytes(t, vector)
  return math.min(16, types[t].size * vector)
end

return layout
