-- Finds barriers that only some threads of a block may reach, in a typed program (infer.lua), and barriers
-- of the grid that only some of its threads may reach. A value varies if it may differ between these threads:
-- what depends on their places, on lanes, on elements in memory that the kernel writes or that vary in
-- position, or on locals that are written where only some threads are. The walk is repeated until no more
-- locals vary.

local uniform = {}

local VARIES = { threadIdx = true, grid = true, laneid = true, thread_rank = true, clock = true, activemask = true,
  all_sync = true, any_sync = true, ballot_sync = true, match_any_sync = true, shfl_sync = true, shfl_up_sync = true,
  shfl_down_sync = true, shfl_xor_sync = true }
local SAME = { syncthreads_count = true, syncthreads_and = true, syncthreads_or = true }
local BARRIERS = { syncthreads = true, syncthreads_count = true, syncthreads_and = true, syncthreads_or = true,
  syncgrid = true }
local VARIES_IN_GRID = { blockIdx = true, syncthreads_count = true, syncthreads_and = true, syncthreads_or = true }

local Walk = {}
Walk.__index = Walk

function Walk:any(list)
  local found = false
  for _, node in ipairs(list or {}) do found = self:varies(node) or found end
  return found
end

-- Whether a call's result varies; its body is walked as if it stood here.
function Walk:call(node)
  local instance = node.instance
  for k, a in ipairs(node.args) do
    if self:varies(a) then self:set(instance.params[k].var) end
  end
  local outer_control, outer_instance = self.control, self.instance
  self.instance = instance
  self.control = self.control or self.left[instance]
  self:body(instance.body)
  self.control, self.instance = outer_control, outer_instance
  return self.results[instance] or false
end

function Walk:barrier(node)
  if self.control then
    self.fail(node, string.format("only some threads of a %s may reach this barrier; checked kernels need all to "
      .. "reach it", self.grid and "grid" or "block"))
  end
end

-- Whether the value of an expression varies; looks for barriers in it.
function Walk:varies(node)
  if node.op == "var" then return self.vars[node.var] or false end
  if node.op == "field" then return self.vars[node.temp] or false end
  if node.op == "call" then return self:call(node) end
  if node.op == "c" then
    local inner, word = self:any(node.args), string.match(node.name, "^[^.]+")
    if BARRIERS[word] and (not self.grid or word == "syncgrid") then self:barrier(node) end
    if self.grid then return inner or VARIES[word] or VARIES_IN_GRID[word] or false end
    return (inner or VARIES[word] or false) and not SAME[word]
  end
  if node.op == "load" then
    return self:any(node.index) or not node.array.parameter or self.written[node.array.parameter] or false
  end
  if node.op == "atomic" then
    self:any(node.index)
    self:any(node.args)
    return true
  end
  if node.op == "and" or node.op == "or" or node.op == "select" then -- what is evaluated depends on the first
    local test = self:varies(node.test or node.a)
    local outer = self.control
    self.control = outer or test
    local rest = self:varies(node.b)
    if node.test then rest = self:varies(node.a) or rest end
    self.control = outer
    return test or rest
  end
  local found = node.a and self:varies(node.a) or false
  found = node.b and self:varies(node.b) or found
  return self:any(node.args) or found
end

function Walk:set(var)
  if not self.vars[var] then self.vars[var], self.changed = true, true end
end

function Walk:write(var, value)
  local varying = value and self:varies(value)
  if var and (varying or self.control) then self:set(var) end
end

-- Walks statements that only some threads reach if `varying`.
function Walk:under(varying, list)
  local outer = self.control
  self.control = outer or varying
  self:body(list)
  self.control = outer
end

local statements = {}

statements["local"] = function(self, s) self:write(s.var, s.value) end
statements.set = statements["local"]

function statements.multi(self, s)
  for k, target in ipairs(s.targets) do
    self:write(s.fresh and target or target.var, s.values[k])
    self:any(target.index)
  end
end

function statements.store(self, s)
  self:any(s.index)
  self:varies(s.value)
end

function statements.temp(self, s) self:write(s.temp, s.value) end
function statements.call(self, s) self:varies(s.value) end
function statements.block(self, s) self:body(s.body) end

statements["if"] = function(self, s)
  local varying = false
  for _, clause in ipairs(s.clauses) do
    local outer = self.control
    self.control = outer or varying
    varying = self:varies(clause.test) or varying
    self.control = outer
    self:under(varying, clause.body)
  end
  self:under(varying, s.orelse or {})
end

-- A loop whose rounds vary, or which some threads leave earlier.
local function loop(self, s, varying)
  local outer = self.loop
  self.loop = s
  self:under(varying or self.left[s], s.body)
  self.loop = outer
end

statements["while"] = function(self, s) loop(self, s, self:varies(s.test) or self.left[s]) end

statements["repeat"] = function(self, s)
  loop(self, s)
  if self:varies(s.test) then self:leave(s) end
end

statements["for"] = function(self, s)
  local varying = self:any { s.first, s.last, s.step }
  if varying or self.control then self:set(s.var) end
  loop(self, s, varying)
end

function Walk:leave(what)
  if what and not self.left[what] then self.left[what], self.changed = true, true end
end

statements["break"] = function(self)
  if self.control then self:leave(self.loop) end
end

-- A jump may lead anywhere in its function.
statements["goto"] = function(self)
  if self.control then self:leave(self.instance) end
end

statements["return"] = function(self, s)
  if self:any(s.values) or self.control then
    if not self.results[self.instance] then self.results[self.instance], self.changed = true, true end
  end
  -- Threads that leave the kernel count as arrived in their block; those that leave a function do not.
  if self.control and (self.grid or self.instance ~= self.root) then
    self:leave(self.instance)
    self:leave(self.loop)
  end
end

function statements.label() end
function statements.functions() end

function Walk:body(list)
  for _, s in ipairs(list) do statements[s.kind](self, s) end
end

local function check(program, fail, grid)
  local self = setmetatable({ vars = {}, left = {}, results = {}, written = program.written, fail = fail,
    root = program.instance, grid = grid }, Walk)
  repeat
    self.changed = false
    self.instance, self.control, self.loop = self.root, self.left[self.root], nil
    self:body(program.before)
    self:body(program.instance.body)
  until not self.changed
end

--- Raises an error by fail(node, message) at a barrier that only some threads of a block, or of the grid, may
--- reach.
function uniform.check(program, fail)
  check(program, fail, false)
  if program.together then check(program, fail, true) end
end

return uniform
