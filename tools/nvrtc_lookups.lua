-- Part of tools/nvrtc-check.lua: kernels with lookups by one array of positions and by two.

-- Gives a spec of nvrtc-check.lua tables that its instructions read, by a new leaf of positions; returns the
-- register of the larger of both elements.
local function look_up(spec, dtype, access)
  local places = #spec.leaves
  spec.leaves[places + 1] = { dtype = "int64", access = access }
  spec.leaves[places + 2] = { dtype = "int64", access = "index" }
  spec.tables = { { dtype = dtype, count = 1, offset = false }, { dtype = dtype, count = 2, offset = true } }
  local at = places + 2 + #spec.scalars
  spec.instrs = {
    { op = "lookup", loop = dtype, dtype = dtype, args = { places }, table = 1 },
    { op = "lookup", loop = dtype, dtype = dtype, args = { places + 1, places, places }, table = 2 },
    { op = "maximum", loop = dtype, dtype = dtype, args = { at, at + 1 } },
  }
  return spec, at + 2
end

-- Adds the family "lookup", by the functions of nvrtc-check.lua.
return function(check)
  for _, dtype in ipairs { "bool", "int16", "bfloat16", "float32", "float64", "complex64" } do
    local spec, reg = look_up(check.accesses(dtype, check.vector_for(dtype), 2, false), dtype, "contiguous")
    spec.outputs = { { dtype = dtype, access = "vector", reg = reg } }
    check.add("lookup", dtype, spec, true)
  end
  for _, strategy in ipairs { "warp", "block", "split", "column" } do
    for _, name in ipairs { "max float16", "sum float32", "sum int64", "argmax float32" } do
      local red, dtype = name:match "(%S+) (%S+)"
      local spec = check.reduction(red, dtype, strategy)
      if not spec.position or spec.position < 0 then
        spec, spec.value = look_up(spec, dtype, "strided")
        check.add("lookup", name .. " " .. strategy, spec, true)
      end
    end
  end
end
