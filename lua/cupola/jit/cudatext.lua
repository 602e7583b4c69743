-- The statements and functions of a typed program as CUDA C++ (expressions: cuda.lua). Lines follow `#line`
-- directives with the lines of the Lua text.

local cuda = require "cupola.jit.cuda"
local types = require "cupola.jit.types"

local register = cuda.register

-- ---- lines ----

-- Writes a line. at: what it is made from; statements of one line of Lua share a line of C.
function cuda:write(text, at)
  local out = self.out
  if at and at.line then
    local file = at.file or self.file
    if self.line == at.line and self.file == file and self.continues then
      out[#out] = out[#out] .. " " .. text
      return
    end
    if at.line ~= self.next_line or file ~= self.file then
      out[#out + 1] = string.format('#line %d "%s"', at.line, (string.gsub(file or "?", '["\\%c]', "'")))
      self.next_line, self.file = at.line, file
    end
    self.line = at.line
  end
  self.continues = at ~= nil
  out[#out + 1] = string.rep("  ", self.depth) .. text
  if self.next_line then self.next_line = self.next_line + 1 end
end

function cuda:body(list)
  self.depth = self.depth + 1
  for _, s in ipairs(list) do self:statement(s) end
  self.depth = self.depth - 1
end

-- ---- statements ----

local emit = {}

function cuda:statement(s)
  emit[s.kind](self, s)
end

-- Declares a local or assigns it, where the declarations stand at the beginning of the function.
local function declared(self, var)
  return self.hoisted and var.cname or string.format("%s %s", cuda.type_of(var), var.cname)
end

emit["local"] = function(self, s)
  if s.value then
    self:write(string.format("%s = %s;", declared(self, s.var), self:bare(s.value)), s)
  elseif not self.hoisted and s.var.t then -- a local without a type is never assigned, and so never read
    self:write(declared(self, s.var) .. ";", s)
  end
end

function emit.set(self, s) self:write(string.format("%s = %s;", s.var.cname, self:bare(s.value)), s) end

-- The position before the value, as C++ would do it the other way round.
function emit.store(self, s)
  if not self:has_effect(s.value) then return self:write(self:store(s.array, s.index, s.value), s) end
  self:write(string.format("{ const auto cp_place = %s; %s }", self:offset(s.array, s.index),
    self:store(s.array, { text = "cp_place" }, s.value)), s)
end

-- Several new locals, whose values cannot use them.
local function fresh(self, s)
  for k, var in ipairs(s.targets) do
    self:write(string.format("%s = %s;", declared(self, var), self:bare(s.values[k])), s)
  end
end

-- Several assignments: all positions and values first.
function emit.multi(self, s)
  if s.fresh then return fresh(self, s) end
  local names, places = {}, {}
  self:write("{", s)
  for k, target in ipairs(s.targets) do
    if target.array then
      places[k] = { text = string.format("cp_place_%d", k) }
      self:write(string.format("const auto %s = %s;", places[k].text, self:offset(target.array,
        target.index)), s)
    end
  end
  for k, value in ipairs(s.values) do
    names[k] = string.format("cp_value_%d", k)
    self:write(string.format("const %s %s = %s;", cuda.value_type(value), names[k], self:bare(value)), s)
  end
  for k, target in ipairs(s.targets) do
    if target.var then
      self:write(string.format("%s = %s;", target.var.cname, names[k]), s)
    else
      self:write(self:store(target.array, places[k], { op = "text", text = names[k] }), s)
    end
  end
  self:write("}", s)
end

function emit.temp(self, s)
  s.value.whole = true
  self:write(string.format("%s %s;", self:results_type(s.value.instance.results), s.temp.name), s)
  self:write(string.format("%s = %s;", s.temp.name, self:text(s.value)), s)
end

emit["if"] = function(self, s)
  for k, clause in ipairs(s.clauses) do
    self:write(string.format("%sif (%s) {", k > 1 and "} else " or "", self:bare(clause.test)),
      { line = clause.line, file = s.file })
    self:body(clause.body)
  end
  if s.orelse then
    self:write "} else {"
    self:body(s.orelse)
  end
  self:write "}"
end

emit["while"] = function(self, s)
  self:write(string.format("while (%s) {", self:bare(s.test)), s)
  self:body(s.body)
  self:write "}"
end

emit["repeat"] = function(self, s)
  self:write("for (;;) {", s)
  self:body(s.body)
  self:write(string.format("  if (%s) break;", self:bare(s.test)), { line = s.test_line, file = s.file })
  self:write "}"
end

-- ---- for ----

local literal = types.literal

local function is_simple(node)
  return node.op == "num" or node.op == "extent" or node.op == "hidden"
    or node.op == "var" and not node.var.kept.reassigned
end

local function fits_int(node)
  return types.is_narrow(node.t, node.bits) or node.op == "cast" and node.a.t == "int32"
end

-- A loop by 1 from and to ints of C, of which the last may be the largest: the test is before the step.
local function counted_loop(counter, first, last)
  return string.format("int %s = %s, %s_last = %s, %s_more = %s <= %s_last", counter, first, counter, last, counter,
      counter, counter),
    counter .. "_more", string.format("%s_more = %s != %s_last, %s = (int)((unsigned)%s + 1u)", counter, counter,
      counter, counter, counter)
end

local COUNTS = { gridsize = true, blockDim = true, gridDim = true } -- of threads and blocks, at least 1

-- The parts of a loop over integers: the counter's declarations, the test, the step. A counter that could
-- wrap counts its rounds first.
local function integer_loop(self, s, counter)
  local first, last, step = self:bare(s.first), self:bare(s.last), self:bare(s.step)
  local known = literal(s.step)
  local grows = known and known > 0 or s.step.op == "c" and COUNTS[string.match(s.step.name, "^%w+")]
  local most, by = math.max(s.first.bits or 64, s.last.bits or 64), s.step.bits or 64
  local plain, t = math.max(most, by) <= 61, types.sum_bits(most, by) <= 31 and "int" or "long long"
  if known == 1 and t ~= "int" and fits_int(s.first) and fits_int(s.last) then
    return counted_loop(counter, first, last)
  end
  if plain and grows then
    local simple = is_simple(s.last)
    local stop = simple and last or counter .. "_last"
    local move = known == 1 and "++" .. counter or string.format("%s += %s", counter, step)
    return string.format("%s %s = %s%s", t, counter, first, simple and "" or string.format(", %s = %s", stop, last)),
      string.format("%s <= %s", counter, stop), move
  elseif plain and known and known < 0 then
    return string.format("%s %s = %s, %s_last = %s", t, counter, first, counter, last),
      string.format("%s >= %s_last", counter, counter), string.format("%s -= %d", counter, -known)
  end
  local wrapped = string.format("%s = (long long)((unsigned long long)%s + (unsigned long long)%s_step)", counter,
    counter,
    counter)
  return string.format("long long %s = %s, %s_step = %s, %s_rounds = cp_jit::rounds(%s, %s, %s_step)", counter, first,
      counter, step, counter, counter, last, counter),
    string.format("%s_rounds != 0", counter), string.format("--%s_rounds, %s", counter, wrapped)
end

local function real_loop(self, s, counter)
  local t, known = register(s.var.t), literal(s.step)
  local declare = string.format("%s %s = %s, %s_last = %s, %s_step = %s", t, counter, self:bare(s.first), counter,
    self:bare(s.last), counter, self:bare(s.step))
  local up, down = string.format("%s <= %s_last", counter, counter), string.format("%s >= %s_last", counter, counter)
  local test = known and (known > 0 and up or down)
    or string.format("%s_step > 0 ? %s : %s_step < 0 && %s", counter, up, counter, down)
  return declare, test, string.format("%s += %s_step", counter, counter)
end

emit["for"] = function(self, s)
  local var = s.var
  local own = var.kept.reassigned or s.whole and types.alone(var.t) ~= "int64" or nil
  local counter = own and var.cname .. "_counter" or var.cname
  local declare, test, move = (s.whole and integer_loop or real_loop)(self, s, counter)
  if s.unroll then
    self:write(s.unroll == true and "CP_JIT_UNROLL" or s.unroll == 1 and "CP_JIT_UNROLL_BY(1)"
      or string.format("CP_JIT_UNROLL_BY(%d)", s.unroll), s)
  end
  self:write(string.format("for (%s; %s; %s) {", declare, test, move), s)
  if own then
    self:write(string.format("  %s %s = (%s)%s;", cuda.type_of(var), var.cname, cuda.type_of(var), counter), s)
  end
  self:body(s.body)
  self:write "}"
end

-- ---- jumps, calls ----

function emit.block(self, s)
  self:write("{", s)
  self:body(s.body)
  self:write "}"
end

emit["break"] = function(self, s) self:write("break;", s) end
emit["goto"] = function(self, s) self:write(string.format("goto %s;", s.label.name), s) end

function emit.label(self, s)
  if s.label.jumps > 0 then self:write(s.label.name .. ":;", s) end
end

emit["return"] = function(self, s)
  if #s.values == 0 then
    self:write("return;", s)
  elseif #s.values == 1 then
    self:write(string.format("return %s;", self:bare(s.values[1])), s)
  else
    local list, kinds = {}, {}
    for k, value in ipairs(s.values) do list[k], kinds[k] = self:bare(value), value.t end
    self:write(string.format("return %s{%s};", self:results_type(kinds), table.concat(list, ", ")), s)
  end
end

function emit.call(self, s)
  s.value.whole = true
  self:write(self:text(s.value) .. ";", s)
end

function emit.functions(self, s)
  if not self.hoisted then self:functions(s.instances) end
end

-- ---- functions ----

-- The declarations of a function with jumps, which no jump may pass.
local function declarations(self, instance)
  for _, var in ipairs(instance.locals or {}) do
    if not var.counter and not var.parameter and var.t then
      self:write(string.format("%s %s;", cuda.type_of(var), var.cname), instance)
    end
  end
end

-- Collects the functions that are defined in a list of statements.
local function collect(list, out)
  for _, s in ipairs(list or {}) do
    if s.kind == "functions" then
      for _, instance in ipairs(s.instances) do out[#out + 1] = instance end
    end
    collect(s.body, out)
    collect(s.orelse, out)
    for _, clause in ipairs(s.clauses or {}) do collect(clause.body, out) end
  end
  return out
end

--- Writes the body of an instance.
function cuda:inside(instance)
  local outer = self.hoisted
  self.hoisted = instance.jumps
  if instance.jumps then
    self.depth = self.depth + 1
    declarations(self, instance)
    self:functions(collect(instance.body, {}))
    self.depth = self.depth - 1
  end
  self:body(instance.body)
  self.hoisted = outer
end

--- Writes functions of the program as lambdas, which see the locals around them.
function cuda:functions(list)
  for _, instance in ipairs(list) do
    local params = {}
    for k, p in ipairs(instance.params) do params[k] = string.format("%s %s", cuda.type_of(p.var), p.var.cname) end
    self:write(string.format("auto %s = [&](%s) -> %s {", instance.name, table.concat(params, ", "),
      self:results_type(instance.results)), instance)
    self:inside(instance)
    self:write "};"
  end
end

-- Arrays of fixed size, and dynamic shared memory. Where blocks run at once all shared memory is dynamic, as
-- only this is a block's own on the CPU; returns how many bytes come before the launch's.
local function memory(self, list, together)
  local dynamic, bytes = false, 0
  local function part(array, t, offset)
    if not dynamic then self:write "extern __shared__ unsigned long long cp_memory[];" end
    dynamic = true
    self:write(string.format("%s *const %s = (%s *)%s;", t, array.cname, t, offset == 0 and "cp_memory"
      or string.format("(cp_memory + %d)", offset / 8)))
  end
  for _, array in ipairs(list) do
    if together and array.space == "shared" then
      array.offset = bytes
      bytes = bytes + math.ceil(array.total * self.dtypes[array.dtype].size / 16) * 16
    end
  end
  for _, array in ipairs(list) do
    local t = self.dtypes[array.dtype].memory
    if self.dtypes[array.dtype].kind == "complex" then self.needs:space(array.dtype) end
    if array.space == "dynamic" or array.offset then
      part(array, t, array.offset or bytes)
    else
      self:write(string.format("%s%s %s[%d];", array.space == "shared" and "__shared__ " or "", t, array.cname,
        array.total))
    end
  end
  return bytes
end

--- What stands before the kernel's own statements: memory, functions from outside, those of the text before.
function cuda:before(program)
  self.depth = self.depth + 1
  program.shared_bytes = memory(self, program.memory, program.together)
  if self.checks then self:clear_memory(program.memory) end
  self:functions(program.top)
  for _, s in ipairs(program.before) do self:statement(s) end
  self.depth = self.depth - 1
end

--- A printer. needs: a preludes object that collects what the text uses; ops: the operations by name.
function cuda.new(needs, ops)
  return setmetatable({ needs = needs, ops = ops, out = {}, depth = 0, structs = {},
    dtypes = require "cupola.kernels.types" }, cuda)
end

return cuda
