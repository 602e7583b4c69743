-- Groups of threads in kernels, cp.jit.cg: the block and the grid, and what their methods give as nodes
-- (expressions.lua). A group is a static node {static = "group", value = "block" or "grid"}.

local types = require "cupola.jit.types"

return function(builtins, c)
  -- The functions of cp.jit.cg.
  local functions = { this_thread_block = "block", this_grid = "grid", sync = true }

  for name, value in pairs(functions) do
    if value ~= true then
      builtins[name] = function(self, e, args)
        if #args > 0 then self:fail(e, "cp.jit.cg.%s takes no arguments, %d %s given", name, #args, #args == 1 and "is"
          or "are") end
        return { static = "group", value = value, path = "a group of threads", line = e.line, column = e.column }
      end
    end
  end

  local AXES = { "x", "y", "z" }
  local BITS = { threadIdx = 11, blockDim = 11, blockIdx = 31, gridDim = 31 }
  local FEW = { blockIdx = types.BLOCKS, gridDim = types.BLOCKS }

  local function place(self, e, name, axis)
    local path = name .. "." .. AXES[axis]
    local node = c(e, path, "(int)" .. path, "int", nil, self.few and FEW[name] or BITS[name])
    node.effect = nil
    return node
  end

  -- What counts along all axes: the position of `at` in a box of `lengths`, the first axis fastest.
  local function rank(self, e, at, lengths)
    local value = place(self, e, at, 3)
    for axis = 2, 1, -1 do
      value = self:arithmetic(e, "+", self:arithmetic(e, "*", value, place(self, e, lengths, axis)),
        place(self, e, at, axis))
    end
    return value
  end

  local function product(self, e, name)
    return self:arithmetic(e, "*", self:arithmetic(e, "*", place(self, e, name, 1), place(self, e, name, 2)),
      place(self, e, name, 3))
  end

  local function index3(name)
    return function(_, e) return { static = "index3", value = name, path = "cp.jit." .. name, line = e.line,
      column = e.column } end
  end

  local block = {
    sync = function(self, e) return builtins.syncthreads(self, e, {}) end,
    thread_rank = function(self, e) return rank(self, e, "threadIdx", "blockDim") end,
    size = function(self, e) return product(self, e, "blockDim") end,
    group_index = index3 "blockIdx", thread_index = index3 "threadIdx",
    group_dim = index3 "blockDim", dim_threads = index3 "blockDim",
  }
  block.num_threads = block.size

  local grid = {
    block_rank = function(self, e) return rank(self, e, "blockIdx", "gridDim") end,
    num_blocks = function(self, e) return product(self, e, "gridDim") end,
    size = function(self, e) return self:arithmetic(e, "*", product(self, e, "gridDim"), block.size(self, e)) end,
    thread_rank = function(self, e)
      local before = self:arithmetic(e, "*", rank(self, e, "blockIdx", "gridDim"), block.size(self, e))
      return self:arithmetic(e, "+", before, block.thread_rank(self, e))
    end,
    -- Whether all blocks run at once: where the kernel makes them wait for each other.
    is_valid = function(self, e)
      return { op = "bool", value = self.together or false, t = "bool", line = e.line, column = e.column }
    end,
    sync = function(self, e)
      if not self.raw then self:fail(e, "the blocks of a grid wait for each other in raw kernels only") end
      if not self.together then self.together, self.changed = true, true end
      return c(e, "syncgrid", "cp_jit::__syncgrid(cp_arrived)")
    end,
    block_index = index3 "blockIdx", dim_blocks = index3 "gridDim",
  }
  grid.num_threads = grid.size

  local methods = { block = block, grid = grid }

  -- cp.jit.cg.sync(group)
  function builtins.sync(self, e, args)
    if #args ~= 1 then self:fail(e, "cp.jit.cg.sync takes 1 argument, %d are given", #args) end
    local group = self:expression(args[1])
    if group.static ~= "group" then self:fail(args[1], "cp.jit.cg.sync needs a group, not %s",
      self:describe(group)) end
    return methods[group.value].sync(self, e)
  end

  --- A method of a group of threads.
  function builtins.group_method(self, e, object)
    local known = methods[object.value]
    if not known[e.name] then
      local names = {}
      for name in pairs(known) do names[#names + 1] = name end
      local near = self.env.suggest(e.name, names)
      self:fail(e, "the %s has no method '%s'%s", object.value, e.name, near and "; did you mean '" .. near .. "'?"
        or "")
    end
    if #e.args > 0 then self:fail(e, "%s takes no arguments", e.name) end
    return known[e.name](self, e)
  end

  builtins.of_groups = functions
end
