-- Part of tools/nvrtc-check.lua: kernels of leaves whose positions move.

local RULES = { "roll", "wrap", "clamp", "mirror", "reflect", "repeat" }

-- Gives a spec of nvrtc-check.lua's accesses() every rule, along the innermost dimension and the one before
-- it, for leaves that are contiguous and one that is strided.
local function move(spec)
  spec.moves = {}
  for k, rule in ipairs(RULES) do spec.moves[k] = { rule = rule, dim = spec.ndim - (k <= 4 and 0 or 1) } end
  for k, numbers in ipairs { { 1, 5 }, { 2 }, { 3, 6 }, { 4 } } do
    local access = k == 4 and "moved" or "moved_row"
    spec.leaves[k] = { dtype = spec.leaves[1].dtype, access = access, moves = numbers }
  end
  return spec
end

-- Adds the family "move", by the functions of nvrtc-check.lua.
return function(check)
  local vector_for = check.vector_for
  for _, dtype in ipairs { "int8", "float16", "float32", "complex128" } do
    check.add("move", dtype, move(check.accesses(dtype, vector_for(dtype), 2, false)), true)
    if vector_for(dtype) > 1 then
      check.add("move", dtype .. " shifted", move(check.shifted(dtype, 3, false)), true)
    end
  end
  check.add("move", "float32 by one", move(check.accesses("float32", 1, 3, false)), true)
  check.add("move", "float32 wide", move(check.accesses("float32", 4, 3, true)), true)
  for _, strategy in ipairs { "warp", "block", "split", "column" } do
    for _, dtype in ipairs { "float16", "float32" } do
      local spec = check.reduction("max", dtype, strategy)
      spec.moves = { { rule = "roll", dim = 2 }, { rule = "mirror", dim = 1 } }
      spec.leaves[1].moves = { 1, 2 }
      spec.leaves[1].access = strategy == "column" and "moved" or "moved_row"
      check.add("move", "max " .. dtype .. " " .. strategy, spec, true)
    end
  end
end
