-- Prints a typed program (infer.lua) as Lua text that runs where there is no compiler: expressions here,
-- statements in statements.lua. After each operation a value is rounded or wrapped as its type says, by
-- functions whose names begin with cp_ (numbers.lua, threads.lua). The text is for the Lua that prints
-- it.

return function(cp, core)
  local types = require "cupola.jit.types"
  local numbers = core.load "jit/luatext/numbers"(core)
  local wide = numbers.wide

  local lua = {}
  lua.__index = lua

  -- ---- functions that the text calls ----

  local MOST_LOCALS = 50 -- a function of LuaJIT has 60 upvalues

  --- The name in the text of a function or value; make(...) gives it at its first use.
  function lua:use(name, make, ...)
    local at = self.used[name]
    if not at then
      at = #self.names + 1
      self.names[at], self.values[at], self.used[name] = name, make(...), at
    end
    return (at <= MOST_LOCALS and "cp_" or "cp_more.") .. name
  end

  local function constant(v) return v end

  -- Without brackets around the whole.
  local function stripped(text) return string.match(text, "^%b()$") and string.sub(text, 2, -2) or text end

  local function call(self, name, args, make, ...)
    if #args == 1 then args = { stripped(args[1]) } end
    return string.format("%s(%s)", self:use(name, make, ...), table.concat(args, ", "))
  end

  local function converted(self, text, from, to)
    from, to = types.alone(from), types.alone(to)
    return call(self, from .. "_to_" .. to, { text }, core.jit_conversion, from, to)
  end

  -- ---- numbers ----

  local function float_text(self, v)
    if v ~= v then return self:use("nan", constant, v) end
    if v == math.huge then return "(1 / 0)" end
    if v == -math.huge then return "(-1 / 0)" end
    local text = string.format("%.17g", v)
    if tonumber(string.format("%.15g", v)) == v then text = string.format("%.15g", v) end
    return string.find(text, "[.en]") and text or text .. ".0"
  end

  local function whole_text(self, v)
    if type(v) == "number" and v > -2 ^ 53 and v < 2 ^ 53 then return string.format("%d", v) end
    return self:use("whole_" .. string.gsub(tostring(v), "%W", "_"), constant, v)
  end

  -- The text of a literal in a type.
  local function number_text(self, node, t)
    local alone = types.alone(t)
    if types.kind(alone) == "integer" then return whole_text(self, core.jit_integer(node.text, alone)) end
    local v = tonumber(node.text) or 0 / 0
    if not node.float and string.find(node.text, "^0[xX]") then
      return float_text(self, core.jit_conversion("int64", alone)(core.jit_integer(node.text, "int64")))
    end
    return float_text(self, core.jit_conversion("float64", alone)(v))
  end

  -- ---- expressions ----

  local emit = {}

  --- The Lua text of an expression, in brackets where it needs them.
  function lua:text(node) return emit[node.op](self, node) end

  local CONSTANT = { num = true, bool = true, hidden = true, extent = true, ones = true, text = true }

  -- The texts of operands, and a function that completes the text made of them. Lua may read a local after a
  -- call in the same expression has changed it, so where that matters they are kept in order.
  function lua:operands(nodes)
    local texts, changing, effect = {}, 0, false
    for k, node in ipairs(nodes) do
      texts[k] = self:text(node)
      changing = changing + (CONSTANT[node.op] and 0 or 1)
      effect = effect or self.has_effect(node)
    end
    if not effect or changing < 2 then return texts, function(text) return text end end
    local names = {}
    for k in ipairs(texts) do names[k] = "cp_" .. k end
    return names, function(text)
      return string.format("(function() local %s = %s return %s end)()", table.concat(names, ", "),
        table.concat(texts, ", "), text)
    end
  end

  function emit.text(_, n) return n.text end
  function emit.num(self, n) return number_text(self, n, n.t) end
  function emit.bool(_, n) return n.value and "true" or "false" end
  function emit.var(_, n) return n.var.cname end
  function emit.hidden(_, n) return n.read.cname end
  function emit.extent(_, n) return n.extent.name end
  function emit.field(_, n) return string.format("%s_%d", n.temp.name, n.number) end
  emit["not"] = function(self, n) return string.format("(not %s)", self:text(n.a)) end
  emit["and"] = function(self, n) return string.format("(%s and %s)", self:text(n.a), self:text(n.b)) end
  emit["or"] = function(self, n) return string.format("(%s or %s)", self:text(n.a), self:text(n.b)) end

  function emit.ones(self, n)
    if types.is_signed(n.t) then return "-1" end
    return whole_text(self, core.jit_integer("-1", types.alone(n.t)))
  end

  -- Numbers are never false in Lua.
  function emit.select(self, n)
    return string.format("(%s and %s or %s)", self:text(n.test), self:text(n.a), self:text(n.b))
  end

  function emit.extreme(self, n)
    local texts, complete = self:operands { n.a, n.b }
    local alone = numbers.comparison("<", n.t, n.t) and "_" .. types.alone(n.t) or ""
    return complete(call(self, n.name .. alone, texts, numbers.extreme, n.sym, n.t))
  end

  -- ---- conversions ----

  local function rounded(self, t, text)
    local alone = types.alone(t)
    if numbers.narrow(alone) then return call(self, alone, { text }, numbers.narrow, alone) end
    return text
  end

  local function bits_of(node)
    if node.bits then return node.bits end
    if node.op == "cast" then return math.min(bits_of(node.a), types.width(node.t)) end
    return types.width(node.t)
  end

  -- Whether each value of an integer type is one of another.
  local function holds(from, to)
    local signed = types.is_signed(from)
    if signed and not types.is_signed(to) then return false end
    local more = types.is_signed(to) and not signed and 1 or 0
    return types.width(from) + more <= types.width(to)
  end

  local function integer_to_integer(self, n, from, to, text)
    local bits = bits_of(n.a)
    if holds(from, to) then return text end
    if wide and types.width(to) == 64 then return text end -- the same bits
    if types.width(to) < 64 and (wide or numbers.is_plain(from, bits)) then return rounded(self, to, text) end
    return converted(self, text, from, to)
  end

  local function to_real(self, n, from, to, text)
    local kind, bits = types.kind(from), bits_of(n.a)
    if kind == "boolean" then return string.format("(%s and 1.0 or 0.0)", text) end
    if kind == "complex" then return converted(self, text, from, to) end
    if kind == "integer" then
      local most = to == "float64" and 64 or to == "float32" and 24 or 8
      if not numbers.is_plain(from, bits) or bits > most then return converted(self, text, from, to) end
      return wide and string.format("(%s + 0.0)", text) or text
    end
    if to == "float64" or to == "float32" and types.is_half(from) then return text end
    if to == "float32" then return rounded(self, to, text) end
    return converted(self, text, types.is_half(from) and "float32" or from, to)
  end

  function emit.cast(self, n)
    local from, to = types.alone(n.a.t), types.alone(n.t)
    local kind, given = types.kind(to), types.kind(from)
    if n.a.op == "num" and kind ~= "complex" and kind ~= "boolean" and (kind == "real" or not n.a.float) then
      return number_text(self, n.a, to)
    end
    local text = self:text(n.a)
    if from == to then return text end
    if kind == "boolean" and given ~= "complex" then return string.format("(%s ~= 0)", text) end
    if kind == "real" then return to_real(self, n, from, to, text) end
    if kind == "integer" and given == "integer" then return integer_to_integer(self, n, from, to, text) end
    if kind == "integer" and given == "boolean" then return string.format("(%s and 1 or 0)", text) end
    return converted(self, text, from, to)
  end

  -- ---- arithmetic ----

  local ARITHMETIC = { ["+"] = "add", ["-"] = "subtract", ["*"] = "multiply" }

  local function combine(self, sym, t, bits, a, b)
    local exact = ARITHMETIC[sym] and numbers.arithmetic(sym, t, bits)
    if exact then
      return call(self, ARITHMETIC[sym] .. "_" .. types.alone(t), { a, b }, numbers.arithmetic, sym, t, bits)
    end
    local zero = sym == "*" and not wide and types.is_integer(t) and " + 0" or "" -- no -0 among integers
    return rounded(self, t, string.format("(%s %s %s%s)", a, sym, b, zero))
  end

  function emit.arith(self, n)
    local texts, complete = self:operands { n.a, n.b }
    return complete(combine(self, n.sym, n.t, n.bits, texts[1], texts[2]))
  end

  function emit.negate(self, n)
    local a = self:text(n.a)
    if types.is_integer(n.t) then return combine(self, "-", n.t, n.bits, "0", a) end
    return string.format(string.sub(a, 1, 1) == "-" and "(- %s)" or "(-%s)", a)
  end

  function emit.bits(self, n)
    local texts, complete = self:operands { n.a, n.b }
    local alone, name, shift = types.alone(n.t), numbers.BITS[n.sym], numbers.SHIFTS[n.sym]
    if shift then
      local unsigned = types.alone(n.b.t) == "uint64"
      return complete(call(self, shift .. "_" .. alone .. (unsigned and "_unsigned" or ""), texts, core.jit_shift,
        shift, alone, unsigned))
    end
    if wide and alone ~= "bool" then
      return complete(string.format("(%s %s %s)", texts[1], n.sym == "^" and "~" or n.sym, texts[2]))
    end
    return complete(call(self, name .. "_" .. alone, texts, core.jit_operation, name, alone))
  end

  local ORDERS = { ["<"] = "less", ["<="] = "less_equal", [">"] = "greater", [">="] = "greater_equal",
    ["=="] = "equal", ["!="] = "not_equal" }

  function emit.compare(self, n)
    local texts, complete = self:operands { n.a, n.b }
    local make = numbers.comparison(n.sym, n.a.t, n.b.t)
    if make then
      local name = string.format("%s_%s_%s", ORDERS[n.sym], types.alone(n.a.t), types.alone(n.b.t))
      return complete(call(self, name, texts, numbers.comparison, n.sym, n.a.t, n.b.t))
    end
    return complete(string.format("(%s %s %s)", texts[1], n.sym == "!=" and "~=" or n.sym, texts[2]))
  end

  -- A divisor that is a positive literal: Lua's operators do the same.
  local function by_literal(self, n)
    local divides = n.name == "floor_divide"
    if not divides and n.name ~= "remainder" or not types.is_integer(n.t) then return nil end
    local b = n.args[2]
    while b.op == "cast" do b = b.a end
    local v = b.op == "num" and not b.float and tonumber(b.text) or 0
    if v < 1 or v >= 2 ^ 31 or types.alone(n.t) == "uint64" then return nil end
    if not wide and bits_of(n.args[1]) > 51 then return nil end
    local a = self:text(n.args[1])
    if not divides then return string.format("(%s %% %d)", a, v) end
    if wide then return string.format("(%s // %d)", a, v) end
    return call(self, "floor", { string.format("%s / %d", a, v) }, constant, math.floor)
  end

  function emit.op(self, n)
    local direct = by_literal(self, n)
    if direct then return direct end
    local args, complete = self:operands(n.args)
    return complete(call(self, n.name .. "_" .. n.loop, args, core.jit_operation, n.name, n.loop))
  end

  -- ---- memory ----

  -- The position from 0 that an index from 1 means.
  local function from_zero(self, node)
    if node.op == "num" then return string.format("%d", tonumber(node.text) - 1) end
    if node.op == "arith" and node.sym == "+" and node.b.op == "num" and tonumber(node.b.text) == 1
      and (node.bits or 64) <= 53 then
      return self:text(node.a)
    end
    return string.format("(%s - 1)", self:text(node))
  end

  --- The position of an element in the list of an array's elements, which are in C order.
  function lua:offset(array, index)
    if index.text then return index.text end
    if array.ndim == 0 then return "1" end
    local nodes, complete = index, function(text) return text end
    if array.ndim > 1 then
      local list = {}
      for k = 1, array.ndim do list[k] = index[k] end
      local names
      names, complete = self:operands(list)
      if names[1] == "cp_1" then
        nodes = {}
        for k, name in ipairs(names) do nodes[k] = { op = "text", text = name, t = "int", bits = 64 } end
      end
    end
    local text
    for k = 1, array.ndim do
      local length = array.lengths and tostring(array.lengths[k]) or index.steps and index.steps[k]
      if type(length) == "table" then length = self:text(length) end
      local at = k == array.ndim and self:text(nodes[k]) or from_zero(self, nodes[k])
      if array.lengths or array.contiguous then
        text = text and string.format("(%s) * %s + %s", text, length, at) or at
      else
        if k == array.ndim then at = from_zero(self, nodes[k]) end
        text = (text and text .. " + " or "") .. string.format("%s * %s", at, length)
      end
    end
    if not (array.lengths or array.contiguous) then text = text .. " + 1" end
    return complete((string.gsub(text, "^%(([%w_]+)%) ", "%1 ")))
  end

  function lua:element(array, index)
    return string.format("%s[%s]", array.cname, stripped(self:offset(array, index)))
  end

  function emit.load(self, n) return self:element(n.array, n.index) end

  function emit.atomic(self, n)
    local dtype, nodes = n.array.dtype, {}
    for k, node in ipairs(n.args) do nodes[k] = node end
    local args, complete = self:operands(nodes)
    local at = self:offset(n.array, n.index)
    return complete(string.format("%s(%s, %s, %s)",
      self:use("atomic_" .. n.name .. "_" .. dtype, numbers.atomic, n.name, dtype), n.array.cname, at,
      table.concat(args, ", ")))
  end

  -- ---- calls ----

  function emit.call(self, n)
    local args = {} -- Lua evaluates these in order
    for k, node in ipairs(n.args) do args[k] = self:bare(node) end
    local text = string.format("%s(%s)", n.instance.name, table.concat(args, ", "))
    return #n.instance.results > 1 and not n.whole and "(" .. text .. ")" or text
  end

  local WORDS = { grid = true, gridsize = true, threadIdx = true, blockIdx = true, blockDim = true, gridDim = true,
    thread_rank = true, block_size = true }

  -- What waits for other threads; each gets the line, for messages.
  local WAITS = { syncthreads = 0, syncwarp = 1, syncthreads_count = 1, syncthreads_and = 1, syncthreads_or = 1,
    all_sync = 2, any_sync = 2, ballot_sync = 2, match_any_sync = 2, shfl_sync = 4, shfl_up_sync = 4,
    shfl_down_sync = 4, shfl_xor_sync = 4, nanosleep = 1, syncgrid = 0 }

  local named = {}

  function named.laneid() return "cp_thread.lane" end
  function named.threadfence() return "(nil)" end
  named.threadfence_block = named.threadfence
  function named.popc(self, _, args) return call(self, "popc", args, numbers.popc) end
  function named.limit(self, _, args) return call(self, "limit", args, numbers.limit) end
  function named.complex(self, _, args) return call(self, "complex", args, constant, cp.complex) end
  function named.activemask(self) return string.format("%s()", self:use("activemask", self.thread, "activemask")) end

  function named.clock(self) return string.format("%s()", self:use("clock", self.thread, "clock")) end

  function named.clz(self, n, args)
    local text = call(self, "clz", args, numbers.clz)
    return n.narrow and string.format("(%s - 32)", text) or text
  end

  function named.printf(self, n, args)
    local format = string.gsub(n.format, "%%([-+ #0-9.]*)ll", "%%%1")
    table.insert(args, 1, (string.gsub(string.format("%q", format), "\\\n", "\\n")))
    return string.format("%s(%s)", self:use("printf", self.thread, "printf"), table.concat(args, ", "))
  end

  function emit.c(self, n)
    local word = string.match(n.name, "^[^.]+")
    if WORDS[word] then return (string.gsub(string.gsub(n.c, "%(long long%)", ""), "%(int%)", "")) end
    local args, complete = self:operands(n.args)
    if named[n.name] then return complete(named[n.name](self, n, args)) end
    assert(WAITS[n.name], n.name)
    self.waits = true
    table.insert(args, 1, string.format("%d", n.line or 0))
    return complete(string.format("%s(%s)", self:use(n.name, self.thread, n.name), table.concat(args, ", ")))
  end

  --- The text of an expression without brackets around the whole.
  function lua:bare(node)
    return stripped(self:text(node))
  end

  --- A printer. thread: a function that gives what the text calls of threads (threads.lua); has_effect: of
  --- cuda.lua.
  function lua.new(thread, has_effect)
    return setmetatable({ out = { "" }, ends = {}, depth = 0, used = {}, names = {}, values = {}, thread = thread,
      has_effect = has_effect }, lua)
  end

  return lua, numbers
end
