-- The statements and functions of a typed program as Lua text (expressions.lua has the expressions). A
-- statement stands on the line of the text that it comes from.

return function(lua, numbers)
  local types = require "cupola.jit.types"

  -- ---- lines ----

  local function append(out, text) out[#out] = out[#out] .. (out[#out] == "" and "" or " ") .. text end

  -- Writes the ends that wait: each on a line of its own if there are enough before the next statement.
  local function write_ends(self, line)
    local out, ends = self.out, self.ends
    local room = line == nil or line - #out > #ends
    for k, indent in ipairs(ends) do
      if room then out[#out + 1] = indent .. "end" else append(out, "end") end
      ends[k] = nil
    end
  end

  --- Writes a piece of text, on the line of `at`, or on the current one.
  function lua:write(text, at)
    local out, line = self.out, at and at.line
    local later = line and (at.file or self.file) == self.file and line > #out
    write_ends(self, later and line or 0)
    if not later then return append(out, text) end
    while #out < line do out[#out + 1] = "" end
    out[line] = string.rep("  ", self.depth) .. text
  end

  --- Ends a block.
  function lua:finish_block() self.ends[#self.ends + 1] = string.rep("  ", self.depth) end

  function lua:body(list)
    self.depth = self.depth + 1
    for _, s in ipairs(list) do self:statement(s) end
    self.depth = self.depth - 1
  end

  -- ---- locals and assignments ----

  local emit = {}

  function lua:statement(s) emit[s.kind](self, s) end

  -- "local x", or "x" where the function declares its locals at its beginning.
  local function declared(self, names)
    return (self.hoisted and "" or "local ") .. names
  end

  emit["local"] = function(self, s)
    if s.value then
      self:write(string.format("%s = %s", declared(self, s.var.cname), self:bare(s.value)), s)
    elseif not self.hoisted then
      self:write("local " .. s.var.cname, s)
    end
  end

  function emit.set(self, s) self:write(string.format("%s = %s", s.var.cname, self:bare(s.value)), s) end

  -- The position before the value.
  function emit.store(self, s)
    if not self.has_effect(s.value) then
      return self:write(string.format("%s = %s", self:element(s.array, s.index), self:bare(s.value)), s)
    end
    self:write(string.format("do local cp_place = %s %s = %s end", self:offset(s.array, s.index),
      self:element(s.array, { text = "cp_place" }), self:bare(s.value)), s)
  end

  local function names_of(vars)
    local list = {}
    for k, var in ipairs(vars) do list[k] = var.cname end
    return table.concat(list, ", ")
  end

  local function texts_of(self, values)
    local list = {}
    for k, value in ipairs(values) do list[k] = self:bare(value) end
    return table.concat(list, ", ")
  end

  local function only_vars(targets)
    local seen, vars = {}, {}
    for k, target in ipairs(targets) do
      if not target.var or seen[target.var] then return nil end
      seen[target.var], vars[k] = true, target.var
    end
    return vars
  end

  -- Several assignments: all positions and values first, then from the first to the last.
  function emit.multi(self, s)
    local vars = s.fresh and s.targets or only_vars(s.targets)
    if vars then
      local names = s.fresh and declared(self, names_of(vars)) or names_of(vars)
      return self:write(string.format("%s = %s", names, texts_of(self, s.values)), s)
    end
    local left, places, at, names = {}, {}, {}, {}
    for k, target in ipairs(s.targets) do
      names[k] = "cp_value_" .. k
      left[k] = target.var and target.var.cname
      if target.array then
        places[#places + 1], at[#at + 1] = "cp_place_" .. k, self:offset(target.array, target.index)
        left[k] = self:element(target.array, { text = "cp_place_" .. k })
      end
    end
    local sets = {}
    for k in ipairs(s.targets) do sets[k] = string.format("%s = %s", left[k], names[k]) end
    self:write(string.format("do %slocal %s = %s %s end", #places > 0 and string.format("local %s = %s ",
      table.concat(places, ", "), table.concat(at, ", ")) or "", table.concat(names, ", "),
      texts_of(self, s.values), table.concat(sets, " ")), s)
  end

  local function temp_names(s)
    local list = {}
    for k in ipairs(s.value.instance.results) do list[k] = string.format("%s_%d", s.temp.name, k) end
    return table.concat(list, ", ")
  end

  function emit.temp(self, s)
    s.value.whole = true
    self:write(string.format("%s = %s", declared(self, temp_names(s)), self:text(s.value)), s)
  end

  -- ---- branches and loops ----

  emit["if"] = function(self, s)
    for k, clause in ipairs(s.clauses) do
      self:write(string.format("%s %s then", k > 1 and "elseif" or "if", self:bare(clause.test)),
        { line = clause.line, file = s.file })
      self:body(clause.body)
    end
    if s.orelse then
      self:write "else"
      self:body(s.orelse)
    end
    self:finish_block()
  end

  emit["while"] = function(self, s)
    self:write(string.format("while %s do", self:bare(s.test)), s)
    self:body(s.body)
    self:finish_block()
  end

  emit["repeat"] = function(self, s)
    self:write("repeat", s)
    self:body(s.body)
    self:write("until " .. self:bare(s.test), { line = s.test_line, file = s.file })
  end

  local literal = types.literal

  -- Whether Lua's own loop does the same: over integers that are plain numbers, by a literal step.
  local function is_plain_loop(s)
    if not s.whole or not literal(s.step) then return false end
    for _, node in ipairs { s.first, s.last, s.step } do
      local inner = node.op == "cast" and not node.bits and node.a or node
      if not numbers.is_plain(inner.t, inner.bits) then return false end
    end
    return true
  end

  emit["for"] = function(self, s)
    local var = s.var
    local narrow = s.whole and types.alone(var.t) ~= "int64"
    local counter = narrow and var.cname .. "_counter" or var.cname
    local first, last, step = self:bare(s.first), self:bare(s.last), self:bare(s.step)
    if is_plain_loop(s) then
      self:write(string.format("for %s = %s, %s%s do", counter, first, last, literal(s.step) == 1 and ""
        or ", " .. step), s)
    else
      local each = s.whole and self:use("each", numbers.each)
        or self:use("steps_" .. types.alone(var.t), numbers.steps, types.alone(var.t))
      self:write(string.format("for %s in %s(%s, %s, %s) do", counter, each, first, last, step), s)
    end
    if narrow then
      self:write(string.format("local %s = %s", var.cname, self:bare { op = "cast", t = var.t,
        a = { op = "text", text = counter, t = "int", bits = var.kept.bits } }))
    end
    self:body(s.body)
    self:finish_block()
  end

  -- ---- jumps, calls ----

  function emit.block(self, s)
    self:write("do", s)
    self:body(s.body)
    self:finish_block()
  end

  emit["break"] = function(self, s) self:write("do break end", s) end
  emit["goto"] = function(self, s) self:write("goto " .. s.label.name, s) end

  function emit.label(self, s)
    if s.label.jumps > 0 then self:write(string.format("::%s::", s.label.name), s) end
  end

  emit["return"] = function(self, s)
    self:write(#s.values == 0 and "return" or "return " .. texts_of(self, s.values), s)
  end

  function emit.call(self, s)
    s.value.whole = true
    local text = self:text(s.value)
    local is_call = string.find(text, "^[%a_][%w_.]*%b()$")
    self:write(is_call and text or string.format("do local _ = %s end", text), s)
  end

  function emit.functions(self, s)
    if not self.hoisted then self:functions(s.instances) end
  end

  -- ---- functions ----

  -- The locals of a function with jumps, which no jump may pass, and the functions that are defined in it.
  local function collect(list, names, instances)
    for _, s in ipairs(list or {}) do
      if s.kind == "temp" then names[#names + 1] = temp_names(s) end
      for _, instance in ipairs(s.instances or {}) do instances[#instances + 1] = instance end
      collect(s.body, names, instances)
      collect(s.orelse, names, instances)
      for _, clause in ipairs(s.clauses or {}) do collect(clause.body, names, instances) end
    end
  end

  local function hoist(self, instance)
    local names, instances = {}, {}
    for _, var in ipairs(instance.locals or {}) do
      if not var.counter and not var.parameter and var.t then names[#names + 1] = var.cname end
    end
    collect(instance.body, names, instances)
    if #names > 0 then self:write("local " .. table.concat(names, ", ")) end
    self:functions(instances)
  end

  --- Writes the body of an instance.
  function lua:inside(instance)
    local outer = self.hoisted
    self.hoisted = instance.jumps
    if instance.jumps then hoist(self, instance) end
    self:body(instance.body)
    self.hoisted = outer
  end

  --- Writes functions of the program, which see the locals around them.
  function lua:functions(list)
    for _, instance in ipairs(list) do
      local params = {}
      for k, p in ipairs(instance.params) do params[k] = p.var.cname end
      self:write(string.format("local function %s(%s)", instance.name, table.concat(params, ", ")), instance)
      self:inside(instance)
      self:finish_block()
    end
  end

  local ZERO = { boolean = "false", integer = "0", real = "0.0" }

  -- Arrays of fixed size, and dynamic shared memory.
  local function memory(self, list)
    for k, array in ipairs(list) do
      local kind = types.kind(array.dtype)
      if array.space == "local" then
        local zero = ZERO[kind] or self:use("zero", self.thread, "zero")
        self:write(string.format('local %s = %s(%d, %s, "%s")', array.cname, self:use("array", self.thread, "array"),
          array.total, zero, array.name))
      else
        self:write(string.format("local %s = cp_thread.shared[%d]", array.cname, k))
      end
    end
  end

  --- Writes what stands before the kernel's own statements: memory, functions from outside, the text before.
  function lua:before(program)
    memory(self, program.memory)
    self:functions(program.top)
    for _, s in ipairs(program.before) do self:statement(s) end
  end

  --- The text, and its arguments: the functions that it calls, and a table of those beyond the locals.
  function lua:finish()
    local list, rest, first, out = {}, {}, 1, self.out
    write_ends(self)
    for k, name in ipairs(self.names) do
      local text = self:use(name)
      if string.find(text, ".", 1, true) then rest[name] = self.values[k] else list[k] = text end
    end
    list[#list + 1] = "cp_more"
    while out[first] == "" do first = first + 1 end
    local head = string.format("local %s = ...", table.concat(list, ", "))
    if first > 1 then out[first - 1] = head else out[1] = head .. " " .. out[1] end
    local values = { unpack(self.values, 1, #list - 1) }
    values[#list] = rest
    return table.concat(out, "\n") .. "\n", values
  end
end
