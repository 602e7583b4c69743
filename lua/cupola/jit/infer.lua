-- From the tree of a function to a typed program: names are resolved, each local gets the join of the types
-- of all its writes, and conversions become nodes of their own. The walk is repeated until no type changes;
-- what the last walk returns is the program, which the emitters print.
--
-- Statements of a program: local {var, value}, set {var, value}, multi {targets, values}, store {array,
-- index, value}, if {clauses {test, body}, orelse}, while {test, body}, repeat {body, test}, for {var,
-- first, last, step, body}, block {body}, break, goto {label}, label {label}, return {values}, call
-- {value}, functions {instances}. Each has `line`. Expressions: see expressions.lua.
--
-- An instance is a function with one choice of types: {name, params, results, body, jumps}. Its code may use
-- the locals around it.

local types = require "cupola.jit.types"

local infer = {}
infer.__index = infer

local MOST_WALKS = 24

-- ---- errors ----

--- Raises an error of the kernel's text at a node.
function infer:fail(node, format, ...)
  error({ line = node.line, column = node.column, file = self.unit.file, message = string.format(format, ...) }, 0)
end

-- ---- locals ----

local function scope_of(parent) return { parent = parent, names = {} } end

function infer:variable(name)
  local scope = self.scope
  while scope do
    local found = scope.names[name]
    if found then return found end
    scope = scope.parent
  end
end

--- A new local of the program; `at` is the node of its name. Its type is kept between walks.
function infer:declare(at, name)
  local key = string.format("%s:%d:%d:%s", self.instance.key, at.line, at.column, name)
  local kept = self.kept[key] or {}
  self.kept[key] = kept
  local var = { kind = "var", name = name, cname = self:unique(name), line = at.line, kept = kept, t = kept.t,
    bits = kept.bits, natural = kept.natural or nil, owner = self.instance }
  self.scope.names[name] = var
  local locals = self.instance.locals or {}
  self.instance.locals = locals
  locals[#locals + 1] = var
  return var
end

--- Joins the type of a value into that of a local; `at` is the node that writes.
function infer:join(var, value, at)
  local kept = var.kept
  local t = kept.t and types.join(kept.t, value.t) or not kept.t and value.t
  if not t then
    self:fail(at, "'%s' is %s here, but %s at line %d, and these have no common type", var.name, types.name(value.t),
      types.name(kept.t), kept.line)
  end
  if t ~= kept.t then
    self.changed = true
    kept.t, kept.line = t, at.line
  end
  local natural = value.t == "int" and kept.t == "int" and value.natural or false
  if natural and kept.natural ~= nil then natural = kept.natural and math.min(natural, kept.natural) end
  if natural ~= kept.natural then
    self.changed = true
    kept.natural = natural and self.walks > 2 and 0 or natural
  end
  local bits = math.max(kept.bits or 0, value.bits or 64)
  if bits ~= kept.bits then
    self.changed = true
    kept.bits = self.walks > 2 and 64 or bits
  end
  var.t, var.bits, var.natural = kept.t, kept.bits, kept.natural or nil
end

-- ---- which locals have a value ----

-- self.assigned is the set of locals without an initial value that have one now; nil where the code cannot be
-- reached.

local function copy(set)
  if not set then return nil end
  local out = {}
  for key in pairs(set) do out[key] = true end
  return out
end

local function meet(a, b)
  if not a then return copy(b) end
  if not b then return copy(a) end
  local out = {}
  for key in pairs(a) do out[key] = b[key] end
  return out
end

infer.copy_state, infer.meet_states, infer.new_scope = copy, meet, scope_of

function infer:mark(var)
  if self.assigned then self.assigned[var] = true end
end

-- ---- blocks ----

function infer:block(list)
  local scope, out, before = self.scope, {}, self.out
  self.scope, self.out = scope_of(scope), out
  local labels = self.labels
  self.labels = setmetatable({}, { __index = labels })
  local last = #list
  while last > 0 and list[last].kind == "label" do last = last - 1 end
  for k, s in ipairs(list) do
    if s.kind == "label" then self:declare_label(s, k > last) end
  end
  for _, s in ipairs(list) do
    self:statement(s)
    if s.kind == "local" or s.kind == "localfunction" then self.scope.newest = s.name or s.names[1] end
  end
  self.scope, self.out, self.labels = scope, before, labels
  return out
end

function infer:add(kind, at, fields)
  fields = fields or {}
  fields.kind, fields.line, fields.file = kind, at.line, self.unit.file
  self.out[#self.out + 1] = fields
  return fields
end

local statements = {}
infer.statements = statements

function infer:statement(s)
  local f = statements[s.kind]
  if not f then self:fail(s, "this statement is not part of the language of kernels") end
  f(self, s)
end

-- ---- assignments ----

local function count_names(n) return n == 1 and "1 name" or n .. " names" end

-- The values of a list of expressions for `wanted` names; the last call gives as many as are wanted.
function infer:values(list, wanted)
  local values = self:list(list, wanted)
  if #values > wanted then self:fail(list[#list], "%d values for %s", #values, count_names(wanted)) end
  return values
end

local function initial(self, name, value)
  if value.static then
    self.scope.names[name.name] = { kind = "static", value = value, name = name.name, line = name.line }
    return
  end
  if not value.t then self:fail(value, "the function that is called returns nothing") end
  local var = self:declare(name, name.name)
  self:join(var, value, name)
  var.literal = value.op == "num" and tonumber(value.text) or nil
  return var
end

statements["local"] = function(self, s)
  local values = self:values(s.values, #s.names)
  for k in pairs(s.attributes) do
    if s.attributes[k] == "close" then self:fail(s.names[k], "<close> is not part of the language of kernels") end
  end
  local vars, plain = {}, {}
  for k, name in ipairs(s.names) do
    local value = values[k]
    if value and value.static ~= "nil" then
      local var = initial(self, name, value)
      if var then
        var.const = s.attributes[k] == "const"
        vars[#vars + 1], plain[#plain + 1] = var, self:cast(value, var.t)
      end
    else
      if #s.values > 0 and not value then self:fail(name, "no value for '%s'", name.name) end
      if s.attributes[k] == "const" then self:fail(name, "the constant '%s' needs a value", name.name) end
      local var = self:declare(name, name.name)
      var.open = true
      if self.assigned then self.assigned[var] = nil end
      self:add("local", s, { var = var })
    end
  end
  if #vars == 1 then
    self:add("local", s, { var = vars[1], value = plain[1] })
  elseif #vars > 1 then
    self:add("multi", s, { targets = vars, values = plain, fresh = true })
  end
end

local function target_var(self, target)
  local found = self:variable(target.name)
  if not found then self:fail(target, "'%s' is not a local of the kernel, and only these can be assigned",
    target.name) end
  if found.kind == "static" then
    self:fail(target, "'%s' stands for %s (line %d) and cannot be assigned", target.name,
      self:describe(found.value), found.line)
  end
  if found.const then self:fail(target, "'%s' is constant (line %d)", target.name, found.line) end
  return found
end

-- Prepares one target of an assignment: a local, or an element {array, index}.
function infer:target(target)
  if target.kind == "name" then return { var = target_var(self, target), at = target } end
  local object, keys = self:indexed(target)
  if object.static == "array" and target.key.kind == "string" then
    self:fail(target, "the fields of arrays cannot be assigned")
  end
  if not object.static or object.static ~= "array" then
    self:fail(target, "only locals and elements of arrays can be assigned, not fields of %s", self:describe(object))
  end
  return { array = object.array, index = self:index(target, object.array, keys), at = target }
end

function infer:write(target, value)
  if not target.var then return self:store(target, value) end
  if value.static then
    self:fail(target.at, "'%s' cannot hold %s", target.at.name, self:describe(value))
  end
  if target.var.owner ~= self.instance and not target.var.kept.shared then
    target.var.kept.shared, self.changed = true, true
  end
  self:apply_guard(target.var, value)
  self:join(target.var, value, target.at)
  if not target.var.kept.reassigned then
    target.var.kept.reassigned, self.changed = true, true
  end
  return self:cast(value, target.var.t)
end

--- Checks and converts a value that is written into an array's element.
function infer:store(target, value)
  local array = target.array
  local t = array.dtype
  if value.static or not value.t then self:fail(target.at, "%s cannot be stored in an array",
    self:describe(value)) end
  if not types.stores(value.t, t) then
    self:fail(target.at, "%s cannot be stored in '%s', an array of %s; convert it with cp.jit.%s(...)",
      types.name(value.t), array.name, t, t)
  end
  self:note_write(array)
  return self:cast(value, t)
end

--- Remembers that the kernel writes an array.
function infer:note_write(array)
  if array.parameter and not self.written[array.parameter] then
    self.written[array.parameter] = true
    self.changed = true
  end
end

statements.assign = function(self, s)
  local targets = {}
  for k, target in ipairs(s.targets) do targets[k] = self:target(target) end
  local values = self:values(s.values, #targets)
  if #values < #targets then self:fail(s, "%d value%s for %d targets", #values, #values == 1 and "" or "s",
    #targets) end
  local written = {}
  for k, target in ipairs(targets) do written[k] = self:write(target, values[k]) end
  for _, target in ipairs(targets) do
    if target.var then self:mark(target.var) end
  end
  if #targets > 1 then
    self:add("multi", s, { targets = targets, values = written })
  elseif targets[1].var then
    self:add("set", s, { var = targets[1].var, value = written[1] })
  else
    self:add("store", s, { array = targets[1].array, index = targets[1].index, value = written[1] })
  end
end

statements.callstat = function(self, s)
  local value = self:expression(s.call)
  if value.static == "nothing" then return end
  if value.static then self:fail(s, "this call has no effect") end
  self:add("call", s, { value = value })
end

-- ---- functions ----

statements.localfunction = function(self, s)
  local binding = { kind = "static", name = s.name.name, line = s.name.line }
  self.scope.names[s.name.name] = binding
  binding.value = self:closure(s.f, s.name.name)
end

statements["function"] = function(self, s)
  self:fail(s, "functions of a kernel are local: write local function")
end

--- The static value of a function expression, defined here.
function infer:closure(f, name)
  local home = self:add("functions", f, { instances = {} })
  self.closures = self.closures + 1
  return { static = "function", f = f, name = name or "f", scope = self.scope, unit = self.unit, home = home,
    assigned = copy(self.assigned), id = self.closures, line = f.line, column = f.column }
end

local function check_results(self, s, values)
  local instance = self.instance
  if instance.count and instance.count ~= #values then
    self:fail(s, "this returns %d values, but line %d returns %d", #values, instance.count_line, instance.count)
  end
  instance.count, instance.count_line = #values, s.line
  for _, value in ipairs(values) do
    if value.static then self:fail(value, "%s cannot be returned", self:describe(value)) end
    if not value.t then self:fail(value, "the function that is called returns nothing") end
  end
end

-- `return nil` and the call of a function without results return nothing.
local function returned(self, s)
  local values = self:list(s.values)
  local only = #values == 1 and values[1]
  if only and only.static == "nil" or only and only.static == "nothing" then return {} end
  if not only or only.static or only.t then return values end
  self:add("call", s, { value = only })
  return {}
end

statements["return"] = function(self, s)
  local values = returned(self, s)
  check_results(self, s, values)
  local instance = self.instance
  if instance.void and #values > 0 then self:fail(s.values[1],
    "a raw kernel returns no values: write into an array") end
  local out = {}
  for k, value in ipairs(values) do
    local name = #values == 1 and "the result" or "result " .. k
    local result = { kept = instance.kept[k] or {}, name = name }
    instance.kept[k] = result.kept
    self:join(result, value, value.line and value or s)
    out[k] = self:cast(value, result.t)
  end
  self.assigned = nil
  self:add("return", s, { values = out })
end

-- Infers the body of an instance in its own scope; args are the nodes of the arguments.
function infer:fill(instance, closure, args, at)
  local saved = { scope = self.scope, unit = self.unit, instance = self.instance, assigned = self.assigned,
    labels = self.labels, out = self.out, loop = self.loop, guards = self.guards }
  self.scope, self.unit, self.instance = scope_of(closure.scope), closure.unit, instance
  self.assigned, self.labels, self.loop, self.guards = copy(closure.assigned) or {}, {}, false, {}
  for k, p in ipairs(closure.f.params) do
    local value = args[k]
    if not value then
      self.unit = saved.unit
      self:fail(at, "no value for '%s', parameter %d of '%s'", p.name, k, closure.name)
    end
    if value.static then
      self.scope.names[p.name] = { kind = "static", value = value, name = p.name, line = p.line }
    else
      local var = self:declare(p, p.name)
      self:join(var, value, p)
      var.parameter = true
      instance.params[#instance.params + 1] = { var = var, number = k }
    end
  end
  if closure.f.vararg then self:fail(closure.f.vararg, "... is not part of the language of kernels") end
  instance.body = self:block(closure.f.body)
  if self.assigned and (instance.count or 0) > 0 then
    self:fail({ line = closure.f.last, column = 1 }, "'%s' returns nothing here, but %d value%s at line %d",
      closure.name, instance.count, instance.count == 1 and "" or "s", instance.count_line)
  end
  for k = 1, instance.count or 0 do instance.results[k] = instance.kept[k].t end
  for key, value in pairs(saved) do self[key] = value end
  self.labels, self.assigned = saved.labels, saved.assigned
end

local function argument_key(value)
  if not value.static then return value.t .. (value.bits and value.bits <= 53 and "s" or "") end
  if value.static == "array" then return "@" .. value.array.id end
  if value.static == "function" then return "f" .. value.id end
  return tostring(value.static) .. ":" .. tostring(value.path or value.value)
end

--- The node of a call of a function of the kernel; args are nodes.
function infer:call_function(closure, args, at)
  if self.active[closure.f] then self:fail(at, "'%s' calls itself; recursion is not possible in kernels",
    closure.name) end
  if #args > #closure.f.params and not closure.f.vararg then
    self:fail(at, "'%s' takes %d argument%s, %d are given", closure.name, #closure.f.params,
      #closure.f.params == 1 and "" or "s", #args)
  end
  local keys = { tostring(closure.id) }
  for k, value in ipairs(args) do
    if not value.static and not value.t then self:fail(value, "the function that is called returns nothing") end
    keys[k + 1] = argument_key(value)
  end
  -- What gets a function is written where it is called, behind that function.
  local home = closure.home
  for _, value in ipairs(args) do
    if value.static == "function" then
      home = self:add("functions", at, { instances = {} })
      keys[1] = string.format("%s at %d:%d", closure.id, at.line, at.column)
    end
  end
  local key = table.concat(keys, ",")
  local instance = self.instances[key]
  if not instance then
    self.results[key] = self.results[key] or {}
    instance = { name = self:unique(closure.name), key = key, params = {}, results = {}, kept = self.results[key],
      file = closure.unit.file, line = closure.f.line }
    self.instances[key] = instance
    self.active[closure.f] = true
    self:fill(instance, closure, args, at)
    self.active[closure.f] = nil
    table.insert(home.instances, instance)
  end
  local given = {}
  for k, p in ipairs(instance.params) do
    self:join(p.var, args[p.number], at) -- other calls may have larger integers
    given[k] = self:cast(args[p.number], p.var.t)
  end
  return { op = "call", instance = instance, args = given, t = instance.results[1], line = at.line,
    column = at.column,
    bits = instance.kept[1] and instance.kept[1].bits, natural = instance.kept[1] and instance.kept[1].natural or nil }
end

-- ---- the program ----

local function walk(self, root, args)
  self.changed, self.walks = false, self.walks + 1
  self.instances, self.active, self.names, self.closures = {}, {}, {}, 0
  self.memory, self.extents, self.reads, self.read_by_path = {}, {}, {}, {}
  self.out, self.scope, self.labels, self.assigned, self.guards = {}, nil, {}, {}, {}
  self.results.root = self.results.root or {}
  self.instance = { key = "root", params = {}, results = {}, kept = self.results.root, void = root.void }
  self.unit, self.scope = root.unit, scope_of(nil)
  self.top = { instances = {} } -- functions that are upvalues
  self.prefix, self.frozen, self.checked, self.few = root.prefix, root.frozen, root.checked, root.few
  self.raw = root.void
  for _, s in ipairs(root.before or {}) do self:statement(s) end
  local closure = { f = root.f, name = root.name, scope = self.scope, unit = root.unit, assigned = self.assigned,
    home = { instances = {} }, id = 0, line = root.f.line, column = root.f.column }
  local before = self.out
  self.active[root.f] = true
  for _, a in ipairs(args) do
    if a.static == "array" then a.array.cname = self:unique(a.array.name) end
  end
  if #args ~= #root.f.params and not root.f.vararg then
    self:fail(root.f, "'%s' takes %d arguments, %d are given", root.name, #root.f.params, #args)
  end
  self:fill(self.instance, closure, args, root.f)
  return { instance = self.instance, before = before, top = self.top.instances, memory = self.memory,
    extents = self.extents, reads = self.reads, written = self.written, together = self.together }
end

--- Infers a program. root: {f, unit {file, object, constants}, name, void (it returns nothing), few (a launch
--- has less than 2^29 threads along each axis), before
--- (statements before it)}; args: nodes for its parameters; env: what names.lua needs.
---@return table
function infer.program(root, args, env)
  local self = setmetatable({ env = env, kept = {}, results = {}, written = {}, constants = {}, walks = 0 }, infer)
  local program
  repeat
    program = walk(self, root, args)
  until not self.changed or self.walks > MOST_WALKS
  if self.changed then self:fail(root.f, "the types of this function do not settle") end
  return program
end

--- A name that no other object of the program has, made of an identifier of Lua.
function infer:unique(name)
  local base = self.env.mangle(name)
  local n = (self.names[base] or 0) + 1
  self.names[base] = n
  return n == 1 and base or string.format("%s_%d", base, n)
end

return infer
