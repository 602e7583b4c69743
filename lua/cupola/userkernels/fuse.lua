-- cp.fuse: a function whose elementwise operations become one kernel as far as possible. Fusion limits are
-- raised (src/lazy/expression/graph.h), results are computed together, and values that are not returned are
-- never written. docs/fusion.md describes it.

return function(_, core)
  local states = setmetatable({}, { __mode = "k" }) -- fused function -> its state

  local fail = core.fail

  -- The operations of a kernel in words: "multiply, add, sum of float32".
  local function words(spec)
    local list = {}
    for k, instr in ipairs(spec.instrs) do
      local reduces = instr.op == "reduce"
      list[k] = reduces and string.format("%s of %s", spec.reductions[instr.reduction + 1], instr.loop) or instr.op
    end
    if spec.red then list[#list + 1] = string.format("%s of %s", spec.red, spec.acc) end
    return #list == 0 and "copy" or table.concat(list, ", ")
  end

  -- The CUDA source of the kernels of the last call, each after a line that names it.
  local function source_of(state)
    local parts = {}
    for k, spec in ipairs(core.fuse_kernels(state.notes)) do
      parts[#parts + 1] = string.format("// %s, kernel %d: %s\n", state.name, k, spec and words(spec)
        or "an ElementwiseKernel or ReductionKernel")
      if spec then parts[#parts + 1] = core.generate(spec) end
    end
    return table.concat(parts)
  end

  local fields = {
    name = function(state) return state.name end,
    launches = function(state) return core.fuse_launches(state.notes) end,
    source = source_of,
  }

  -- Drops all pending values that are not returned, then computes the returned ones together.
  local function finish(kept)
    core.drop_pending(kept)
    core.evaluate(kept)
  end

  local Fused = { __name = "cupola.fused" }

  function Fused.__call(self, ...)
    local state = states[self]
    local guard = core.fuse_guard(state.notes)
    if not guard then return state.f(...) end -- inside of another fused function, it is a part of that
    return core.within(guard, core.inside_scope, finish, state.f, ...)
  end

  function Fused.__index(self, name)
    local state, field = states[self], fields[name]
    if field then return field(state) end
    core.unknown("fuse", "a fused function", tostring(name), fields)
  end

  function Fused.__newindex(_, name)
    fail("fuse", "usage", "the fields of a fused function cannot be set ('%s')", tostring(name))
  end

  function Fused.__tostring(self) return "fused function " .. states[self].name end

  local function check_name(name)
    if name ~= nil and type(name) ~= "string" then
      fail("fuse", "usage", "name must be a string, not %s", type(name))
    end
    return name or "fused"
  end

  --- Returns a function that does the same as f, but fuses consecutive elementwise operations into one
  --- kernel, however long the chain. Arrays that f creates and does not return are freed afterwards (cp.keep
  --- keeps one). See docs/fusion.md.
  ---@param f function  takes arrays, numbers and any other values
  ---@param name? string  the name in its text and in messages
  ---@return cupola.Fused  called like f; fields: launches (kernels of the last call), source (their CUDA
  --- source), name
  core.publish("fuse", "f, name, kernel_name", 1, function(where, f, name, kernel_name)
    f = core.callable(f, where, "f")
    local fused = setmetatable({}, Fused)
    states[fused] = { f = f, name = check_name(name or kernel_name), notes = core.fuse_notes() }
    return fused
  end)
end
