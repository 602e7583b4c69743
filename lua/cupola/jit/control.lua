-- Statements of control in a kernel's program (infer.lua): branches, loops, jumps. They also follow which
-- locals have a value.

local infer = require "cupola.jit.infer"
local types = require "cupola.jit.types"

local statements = infer.statements
local copy, meet, scope_of = infer.copy_state, infer.meet_states, infer.new_scope

statements["do"] = function(self, s) self:add("block", s, { body = self:block(s.body) }) end

statements["if"] = function(self, s)
  local clauses, ends = {}, nil
  for k, clause in ipairs(s.clauses) do
    local test = self:condition(clause.test)
    local before = copy(self.assigned)
    clauses[k] = { test = test, body = self:block(clause.body), line = clause.test.line }
    ends = meet(ends, self.assigned)
    self.assigned = before
  end
  local orelse = s.orelse and self:block(s.orelse)
  self.assigned = meet(ends, self.assigned)
  self:add("if", s, { clauses = clauses, orelse = orelse })
end

-- ---- what the test of a loop says of its counters ----

-- In the body of `while i < n`, i is less than n until it is written. So where i + 1 is its next value, that
-- is below n + 1, and i needs no more bits than n. self.guards is a table of {below, positive} by locals; a
-- write ends a guard, and so does a label, to which later code may jump back.

local function weak_var(node) return node.op == "var" and node.t == "int" and node.var or nil end

local function note_guards(guards, test)
  if test.op == "and" then
    note_guards(guards, test.a)
    note_guards(guards, test.b)
  elseif test.op == "compare" and not test.by_value then
    local a, b, sym = test.a, test.b, test.sym
    if sym == ">" or sym == ">=" then a, b, sym = b, a, sym == ">" and "<" or "<=" end
    if sym ~= "<" and sym ~= "<=" then return end
    local low, high = weak_var(a), weak_var(b)
    if low and b.t == "int" then
      guards[low] = guards[low] or {}
      guards[low].below = b.bits or 64
    end
    if high and a.natural and (sym == "<" or a.op == "num" and tonumber(a.text) > 0) then
      guards[high] = guards[high] or {}
      guards[high].positive = true
    end
  end
end

local function literal_of(node)
  local v = node.op == "num" and not node.float and tonumber(node.text)
  return v and v >= 0 and v or nil
end

--- Bounds the value that is written into a guarded local, at once as far as the loop may go, and ends its
--- guard.
function infer:apply_guard(var, value)
  local guard = self.guards[var]
  self.guards[var] = nil
  var.writes = (var.writes or 0) + 1
  if not guard or var.kept.shared or value.op ~= "arith" or value.t ~= "int" then return end
  local a, b = value.a, value.b
  if value.sym ~= "-" and b.op == "var" then a, b = b, a end
  local by = a.op == "var" and a.var == var and literal_of(b)
  if not by then return end
  if guard.below and value.sym == "+" then
    value.bits = types.sum_bits(guard.below, b.bits)
  elseif guard.below and value.sym == "*" and var.natural then
    value.bits = math.min(64, guard.below + b.bits)
  elseif guard.positive and value.sym == "-" and by == 1 then
    value.bits, value.natural = var.bits, var.natural and 0 or nil
  end
end

--- Begins the body of a loop with its own guards. Returns a function that ends it: what it writes is guarded
--- no more.
function infer:within_loop(guards)
  local outer, writes = self.guards, {}
  for var in pairs(outer) do writes[var] = var.writes or 0 end
  self.guards = guards or {}
  return function()
    self.guards = outer
    for var, count in pairs(writes) do
      if (var.writes or 0) ~= count then outer[var] = nil end
    end
  end
end

-- Infers the body of a loop; returns it and what is assigned where `break` leaves it.
function infer:loop_body(body, guards)
  local outer, leave = self.loop, self:within_loop(guards)
  self.loop = { ends = nil, left = false }
  local out = self:block(body)
  local loop = self.loop
  self.loop = outer
  leave()
  return out, loop
end

statements["while"] = function(self, s)
  local test = self:condition(s.test, true)
  local before = copy(self.assigned)
  local guards = {}
  note_guards(guards, test)
  local body, loop = self:loop_body(s.body, guards)
  local endless = test.op == "bool" and test.value
  if endless then self.assigned = loop.left and loop.ends or nil else self.assigned = before end
  self:add("while", s, { test = test, body = body })
end

-- The test sees the locals of the body.
statements["repeat"] = function(self, s)
  local outer, leave, test = self.loop, self:within_loop(), nil
  self.loop = { left = false }
  local body = { line = s.line, column = s.column }
  for k, inner in ipairs(s.body) do body[k] = inner end
  body[#body + 1] = { kind = "until", line = s.test.line, column = s.test.column, test = s.test,
    found = function(node) test = node end }
  local out = self:block(body)
  if self.loop.left then self.assigned = meet(self.assigned, self.loop.ends) end
  self.loop = outer
  leave()
  self:add("repeat", s, { body = out, test = test, test_line = s.test.line })
end

statements["until"] = function(self, s) s.found(self:condition(s.test, true)) end

statements["break"] = function(self, s)
  if not self.loop then self:fail(s, "break outside of a loop") end
  self.loop.ends = self.loop.left and meet(self.loop.ends, self.assigned) or copy(self.assigned)
  self.loop.left = true
  self.assigned = nil
  self:add("break", s)
end

--- Declares a label of the current block. ends: only labels follow, so that no local is seen behind it.
function infer:declare_label(s, ends)
  if rawget(self.labels, s.name) then self:fail(s, "label '%s' is already defined", s.name) end
  self.labels[s.name] = { name = self:unique(s.name .. "_label"), jumps = 0, line = s.line, scope = self.scope,
    ends = ends, from = {} }
end

statements["goto"] = function(self, s)
  local label = self.labels[s.name]
  if not label then self:fail(s, "no visible label '%s'", s.name) end
  label.state = label.jumps > 0 and meet(label.state, self.assigned) or copy(self.assigned)
  label.jumps = label.jumps + 1
  label.from[label.jumps] = { at = s, newest = label.scope.newest }
  self.instance.jumps = true
  self.assigned = nil
  self:add("goto", s, { label = label })
end

statements.label = function(self, s)
  local label = self.labels[s.name]
  for _, jump in ipairs(label.from) do
    if not label.ends and jump.newest ~= label.scope.newest then
      self:fail(jump.at, "this goto jumps into the scope of '%s' (line %d)", label.scope.newest.name,
        label.scope.newest.line)
    end
  end
  self.guards = {}
  if label.jumps > 0 then self.assigned = meet(self.assigned, label.state) end
  self:add("label", s, { label = label })
end

-- ---- for ----

local function number(self, node)
  local value = self:expression(node)
  if value.static or not value.t or types.kind(value.t) == "boolean" or types.kind(value.t) == "complex" then
    self:fail(node, "a loop needs numbers, not %s", self:describe(value))
  end
  return value
end

function infer:count_loop(s, name, first, last, step, unroll)
  if step.op == "num" and tonumber(step.text) == 0 then self:fail(step, "the step of a loop is 0") end
  local t = types.join(first.t, step.t)
  local whole = types.is_integer(t)
  if not whole and types.is_half(t) then t = "float32" end
  local before, scope = copy(self.assigned), self.scope
  self.scope = scope_of(scope)
  local var = self:declare(name, name.name)
  var.counter = true
  local bits = whole and math.max(types.bits_as_int(first), types.is_integer(last.t) and types.bits_as_int(last) or 64)
  local down = step.op == "num" and string.sub(step.text, 1, 1) == "-"
  local natural = down and last.natural or not down and step.natural and first.natural or nil
  self:join(var, { t = t, bits = bits or nil, natural = whole and natural or nil }, name)
  local body, loop = self:loop_body(s.body)
  self.scope, self.assigned = scope, before
  local counter = whole and "int" or t
  if whole then last = self:limit(last, step) end
  self:add("for", s, { var = var, first = self:cast(first, counter), last = self:cast(last, counter),
    step = self:cast(step, counter), body = body, whole = whole, unroll = unroll, ends = loop.left })
end

statements["for"] = function(self, s)
  local first, last = number(self, s.first), number(self, s.last)
  local step = s.step and number(self, s.step)
    or { op = "num", text = "1", t = "int", bits = 1, natural = 1, line = s.line, column = s.column }
  self:count_loop(s, s.name, first, last, step)
end

-- `for i in cp.jit.range(a, b, step, {unroll = n}) do`
statements.forin = function(self, s)
  local call = s.values[1]
  local f = #s.values == 1 and call.kind == "call" and self:expression(call.f)
  if not f or f.static ~= "builtin" or f.value ~= "range" then
    self:fail(s, "a loop over values is `for i in cp.jit.range(a, b) do`; iterators are not part of the language")
  end
  if #s.names > 1 then self:fail(s.names[2], "cp.jit.range gives one value") end
  local given, unroll = {}, nil
  for k, arg in ipairs(call.args) do given[k] = arg end
  if #given > 0 and given[#given].kind == "table" then unroll = self:unroll_count(table.remove(given)) end
  if #given < 2 or #given > 3 then self:fail(call, "cp.jit.range takes first, last, step and {unroll = n}") end
  local first, last = number(self, given[1]), number(self, given[2])
  local step = given[3] and number(self, given[3])
    or { op = "num", text = "1", t = "int", bits = 1, natural = 1, line = s.line, column = s.column }
  self:count_loop(s, s.names[1], first, last, step, unroll)
end
