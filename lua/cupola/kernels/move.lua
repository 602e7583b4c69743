-- Text for leaves whose positions move (src/plan/move.h), by the functions of kernels/moves.cu.
--
-- Along outer dimensions a move is computed once for each group (or row). Along the dimension of the groups,
-- a leaf keeps the address of its row, and at.x is the position of the group.

local move = {}

-- The number of the leaf's move along dimension d, or nil.
local function number(spec, o, d)
  for _, k in ipairs(o.moves or {}) do
    if spec.moves[k].dim == d then return k end
  end
end

--- Whether some leaf's positions along dimension d move.
---@return boolean
function move.any_along(spec, d)
  for _, m in ipairs(spec.moves or {}) do
    if m.dim == d then return true end
  end
  return false
end

-- Where position x is read by move number k.
local function moved(spec, l, k, x)
  return string.format("cp_move_%s(%s + (cp_offset)p.s[%d], (cp_offset)p.s[%d])", spec.moves[k].rule, x,
    l.moves[k].shift, l.moves[k].length)
end

--- Lines that compute the moved positions y<number> from x<dim>, for the dimensions first .. last except that
--- of the groups.
---@return string
function move.positions(spec, l, first, last, along)
  local out = {}
  for k, m in ipairs(spec.moves or {}) do
    if m.dim >= first and m.dim <= last and m.dim ~= along then
      out[#out + 1] = string.format("  const cp_offset y%d = %s;\n", k, moved(spec, l, k, "x" .. m.dim))
    end
  end
  return table.concat(out)
end

--- The name of an operand's position along dimension d, which is not that of the groups.
---@return string
function move.position(spec, o, d)
  local k = number(spec, o, d)
  return k and "y" .. k or "x" .. d
end

--- Whether a leaf moves along the dimension of the groups.
---@return boolean
function move.is_moved(o) return o.access == "moved" or o.access == "moved_row" end

--- The address of element k of the group at `at`; x: an operand (access.lua).
---@return string
function move.address(spec, l, x, along, k)
  local at = moved(spec, l, number(spec, x.o, along), k)
  return string.format("at.%s + cp_span(%s, (cp_offset)p.s[%d])", x.name, at, x.slots.strides[along])
end

--- Text that declares from<n>, the position that the first element of a group is read from, and a test that
--- the positions of all its elements lie one after the other: then the last one is as far from it.
---@return string, string
function move.words(spec, l, x, along, n)
  local k = number(spec, x.o, along)
  return string.format("    const cp_offset from%d = %s;\n", n, moved(spec, l, k, "at.x")),
    string.format("(%s - from%d == CP_VECTOR - 1)", moved(spec, l, k, "at.x + (CP_VECTOR - 1)"), n)
end

return move
