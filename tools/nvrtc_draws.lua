-- Part of tools/nvrtc-check.lua: kernels that draw random numbers.

local types = require "cupola.kernels.types"

local leaf -- as there

-- Draws whose groups are aligned to blocks of the generator, stored or reduced directly. Among the latter,
-- `pair` compares two draws, as for counting points in a circle.
local function draws(kind, dtype, strategy, red)
  local wide = types[dtype].size > 4
  local spec = {
    target = "cuda", ndim = strategy == "split" and 1 or 2, nred = strategy and 1 or 0, wide = false, counting = true,
    vector = wide and 2 or 4, strategy = strategy, leaves = { leaf("int64", "index") },
    scalars = { dtype, "int64", "int64", "int64" },
    instrs = { { op = "random_" .. kind, loop = dtype, dtype = dtype, args = { 1, 0, 2, 3 } } },
    outputs = { { dtype = dtype, access = strategy and "one" or "vector", reg = 5 } },
    red = red, acc = dtype, value = 5, position = -1, result = dtype,
  }
  if red == "argmax" then
    spec.leaves[2], spec.position, spec.result, spec.outputs[1].dtype = leaf("int64", "index"), 1, "int64", "int64"
  end
  local shift = #spec.leaves - 1
  if shift > 0 then spec.instrs[1].args, spec.value = { 2, 0, 3, 4 }, 6 end
  return spec
end

local function pair(dtype, strategy)
  local spec = draws("uniform", dtype, strategy, "mean")
  local function add_instr(op, args, result)
    spec.instrs[#spec.instrs + 1] = { op = op, loop = dtype, dtype = result or dtype, args = args }
  end
  add_instr("random_uniform", { 1, 0, 2, 4 })
  add_instr("multiply", { 5, 5 })
  add_instr("multiply", { 6, 6 })
  add_instr("add", { 7, 8 })
  add_instr("less", { 9, 1 }, "bool")
  spec.instrs[#spec.instrs + 1] = { op = "cast", loop = "bool", dtype = "float64", args = { 10 } }
  spec.acc, spec.result, spec.value, spec.outputs[1].dtype = "float64", "float64", 11, "float64"
  return spec
end

return function(tools)
  leaf = tools.leaf
  local add = tools.add
  for _, dtype in ipairs { "float32", "float64" } do
    for _, kind in ipairs { "uniform", "normal", "gamma" } do
      add("draws", kind .. " " .. dtype, draws(kind, dtype), true)
      local line = draws(kind, dtype)
      line.ndim = 1
      add("draws", kind .. " " .. dtype .. " line", line, true)
      for _, strategy in ipairs { "warp", "block", "split", "column" } do
        for _, red in ipairs { "sum", "argmax" } do
          local text = ("%s of %s %s %s"):format(red, kind, dtype, strategy)
          add("draws", text, draws(kind, dtype, strategy, red), kind ~= "gamma")
        end
      end
    end
    for _, strategy in ipairs { "warp", "block", "split", "column" } do
      add("draws", ("pair of %s %s"):format(dtype, strategy), pair(dtype, strategy), true)
    end
  end
end
