-- Whether a function of numbers decides on an argument: `if x == 0 then`, `while x`, `x < y`, `not x`,
-- `x:gt(0) and a or b`, `for k = 1, x`. Lua does not reveal this when the function runs with values that
-- stand for elements: `==` between an array and a number is false, and an array is true, so one branch would
-- be taken for all elements. Values are followed from the parameters through locals and calls of local
-- functions; what asks for a type, a field or nil decides nothing about elements.

local text = require "cupola.jit.text"

local decisions = {}

-- What is known of a name: true (it comes from the arguments), false, or the tree of a local function.
local Walk = {}
Walk.__index = Walk

function Walk:known(name)
  local scope = self.scope
  while scope do
    if scope[name] ~= nil then return scope[name], scope end
    scope = scope.parent
  end
end

-- Marks the walk if a traced value is asked for a truth.
function Walk:decide(traced)
  if traced then self.found = true end
  return false
end

local TELL_TYPES = { type = true, is_array = true, select = true, rawequal = true }

-- Walks the body of a function of the text whose arguments come from the arguments or not; whether its
-- results may.
function Walk:enter(f, args)
  if self.active[f] then return true end
  local outer, returned = self.scope, self.returned
  self.active[f], self.scope, self.returned = true, { parent = outer }, false
  for k, p in ipairs(f.params) do self.scope[p.name] = args[k] or false end
  self:block(f.body)
  local result = self.returned
  self.active[f], self.scope, self.returned = nil, outer, returned
  return result
end

local expressions = {}

-- Whether the value of an expression comes from the arguments.
function Walk:traced(e)
  local walk = expressions[e.kind]
  return walk and walk(self, e) or false
end

function Walk:any(list)
  local found = false
  for _, e in ipairs(list) do found = self:traced(e) or found end
  return found
end

function expressions.name(self, e) return self:known(e.name) == true end
function expressions.paren(self, e) return self:traced(e.a) end

expressions["function"] = function(self, e)
  self:enter(e, {})
  return false
end

function expressions.table(self, e)
  local found = false
  for _, item in ipairs(e.items) do found = self:traced(item.value) or found end
  return found
end

function expressions.index(self, e)
  local object = self:traced(e.object)
  return object and e.key.kind ~= "string"
end

function expressions.call(self, e)
  local args, any = {}, false
  for k, a in ipairs(e.args) do
    args[k] = self:traced(a)
    any = any or args[k]
  end
  local name = e.f.kind == "name" and e.f.name or e.f.kind == "index" and e.f.key.value
  local known = e.f.kind == "name" and self:known(e.f.name)
  if type(known) == "table" then return self:enter(known, args) end
  return any and not TELL_TYPES[name]
end

function expressions.method(self, e)
  local object = self:traced(e.object)
  return self:any(e.args) or object
end

function expressions.unary(self, e)
  local a = self:traced(e.a)
  if e.op == "not" then return self:decide(a) end
  return e.op ~= "#" and a
end

local COMPARISONS = { ["=="] = true, ["~="] = true, ["<"] = true, ["<="] = true, [">"] = true, [">="] = true }
local NO_NUMBERS = { ["nil"] = true, string = true }

function expressions.binary(self, e)
  local a, b = self:traced(e.a), self:traced(e.b)
  if COMPARISONS[e.op] then
    return self:decide((a or b) and not NO_NUMBERS[e.a.kind] and not NO_NUMBERS[e.b.kind])
  end
  if e.op == "and" then self:decide(a) end -- `x or 0` is a default for an argument that is missing
  return a or b
end

-- ---- statements ----

local statements = {}

function Walk:block(list)
  local outer = self.scope
  self.scope = { parent = outer }
  for _, s in ipairs(list) do
    if statements[s.kind] then statements[s.kind](self, s) end
  end
  self.scope = outer
end

-- A body that may run again, with what it has assigned.
function Walk:again(body)
  self:block(body)
  self:block(body)
end

-- Which of n values of a list come from the arguments; the last one counts for the rest.
function Walk:values(list, n)
  local out = {}
  for k, e in ipairs(list) do out[k] = e.kind == "function" and e or self:traced(e) end
  for k = #list + 1, n do out[k] = out[#list] == true end
  return out
end

statements["local"] = function(self, s)
  local values = self:values(s.values, #s.names)
  for k, name in ipairs(s.names) do self.scope[name.name] = values[k] or false end
end

function statements.assign(self, s)
  local values = self:values(s.values, #s.targets)
  for k, target in ipairs(s.targets) do
    if target.kind == "name" then
      local known, scope = self:known(target.name)
      if scope and not known then scope[target.name] = values[k] or false end
    end
  end
end

function statements.localfunction(self, s) self.scope[s.name.name] = s.f end
function statements.callstat(self, s) self:traced(s.call) end
statements["do"] = function(self, s) self:block(s.body) end

statements["if"] = function(self, s)
  for _, clause in ipairs(s.clauses) do
    self:decide(self:traced(clause.test))
    self:block(clause.body)
  end
  if s.orelse then self:block(s.orelse) end
end

statements["while"] = function(self, s)
  self:decide(self:traced(s.test))
  self:again(s.body)
  self:decide(self:traced(s.test))
end

statements["repeat"] = function(self, s)
  self:again(s.body)
  self:decide(self:traced(s.test))
end

statements["for"] = function(self, s)
  self:decide(self:any { s.first, s.last, s.step })
  self:again(s.body)
end

function statements.forin(self, s)
  self:any(s.values)
  self:again(s.body)
end

statements["return"] = function(self, s)
  if self:any(s.values) then self.returned = true end
end

--- Whether a Lua function whose text can be found decides on its arguments; false for others.
function decisions.has(core, f)
  local ok, tree = pcall(text.of, core, f, "vectorize")
  if not ok or not tree then return false end
  local self, args = setmetatable({ active = {} }, Walk), {}
  for k in ipairs(tree.params) do args[k] = true end
  self:enter(tree, args)
  return self.found == true
end

return decisions
