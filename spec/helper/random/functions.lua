-- Random functions of integers and floats for cp.jit: branches, bounded loops, calls, several assignments and
-- results. A function has the parameters a, b (integers) and x, y (floats) and returns two integers and a
-- float. `plain` makes functions that plain Lua computes alike (int64 and float64; under LuaJIT
-- integers stay small), `typed` functions whose parameters have dtypes, whose integers wrap and whose floats
-- are rounded. A function is a list of statements for spec/helper/random/shrink.lua.

local cp = require "cupola"
local shrink = require "spec.helper.random.shrink"

local generator = require "spec.helper.random.generator"

local functions = {}
local wide = _VERSION ~= "Lua 5.1"
local compile = loadstring or load -- luacheck: ignore

-- ---- random programs: trees of {text with %1, %2, ..., children}

local function join(text, ...) return { text = text, ... } end

local function render(tree)
  return (tree.text:gsub("%%(%d)", function(k) return render(tree[tonumber(k)]) end):gsub("%%%%", "%%"))
end

local INTEGERS = { "(%1 + %2)", "(%1 - %2)", "(%1 * %2)", "(%1 %% (%2 * %2 + 1))", "math.max(%1, %2)",
  "math.min(%1, %2)", "(%3 and %1 or %2)", "(0 - %1)", "math.abs(%1)", "pick(%1, %2, %3)", "math.floor(%4 %% 100)" }
local WIDE = { "(%1 & %2)", "(%1 | %2)", "(%1 ~ %2)", "(%1 << %2)", "(%1 >> (%2 %% 70))", "(~%1)",
  "(%1 // (%2 | 1))" }
local TYPED = { "cp.jit.band(%1, %2)", "cp.jit.bor(%1, %2)", "cp.jit.bxor(%1, %2)", "cp.jit.shl(%1, %2 %% 9)",
  "cp.jit.shr(%1, %2 %% 70)", "cp.jit.sar(%1, %2 %% 5)", "cp.jit.bnot(%1)", "cp.jit.idiv(%1, %2)", "(%1 %% %2)",
  "cp.jit.popc(%1)", "cp.jit.clz(%1)", "cp.jit.idiv(%1, 7)", "(%1 %% 16)" }
local FLOATS = { "(%4 + %5)", "(%4 - %5)", "(%4 * %5)", "(%4 / (%5 * %5 + 1.5))", "math.sqrt(math.abs(%4))",
  "math.max(%4, %5)", "(%3 and %4 or %5)", "(%4 + %1)", "(%1 * 0.5)", "(%1 / 4)", "(%4 %% 7.5)", "(- %4)" }
local TESTS = { "%1 < %2", "%1 == %2", "%4 <= %5", "%4 > %1", "not (%3)", "(%3 and %1 >= %2)", "(%3 or %4 ~= %5)" }
local LITERALS = { "0", "1", "2", "7", "100", "-3" }
local WIDE_LITERALS = { "0x7fffffffffffffff", "4294967296", "-9223372036854775807", "0xff" }

local Maker = {}
Maker.__index = Maker

function Maker:integer(depth)
  local r = self.random
  if depth <= 0 or r.number(4) == 1 then
    if r.number(3) == 1 then
      local literal = r.one_of(self.wide and r.number(4) == 1 and WIDE_LITERALS or LITERALS)
      return join(self.unsigned and literal:gsub("-", "") or literal, nil)
    end
    return join(r.one_of(self.integers))
  end
  local more = self.typed and TYPED or self.wide and WIDE
  local text = r.one_of(more and r.number(3) == 1 and more or INTEGERS)
  if not more then text = "(" .. text .. " %% 65536)" end
  return self:fill(text, depth)
end

function Maker:float(depth)
  local r = self.random
  if depth <= 0 or r.number(4) == 1 then
    return join(r.number(3) == 1 and r.one_of { "0.5", "2.25", "1e3" } or r.one_of(self.floats))
  end
  return self:fill(r.one_of(FLOATS), depth)
end

function Maker:test(depth)
  if depth <= 0 then return self:fill(self.random.one_of { "%1 < %2", "%4 > %5" }, 0) end
  return self:fill(self.random.one_of(TESTS), depth)
end

function Maker:fill(text, depth)
  local tree = join(text)
  for k in text:gmatch "%%(%d)" do
    k = tonumber(k)
    tree[k] = tree[k] or k <= 2 and self:integer(depth - 1) or k == 3 and self:test(depth - 1)
      or self:float(depth - 1)
  end
  return tree
end

function Maker:block(depth, count)
  local list = {}
  for k = 1, count do list[k] = self:statement(depth) end
  return list
end

local makers = {}

makers[1] = function(self) return { "%1 = %2", join(self.random.one_of(self.targets)), self:integer(2) } end
makers[2] = function(self) return { "%1 = %2", join(self.random.one_of(self.reals)), self:float(2) } end
makers[3] = function(self)
  return { "%1, %2 = %3, %4", join(self.targets[1]), join(self.reals[1]), self:integer(2), self:float(2) }
end
makers[4] = function(self, depth)
  local r = self.random
  return { "if %1 then", self:test(1), block = self:block(depth - 1, r.number(3)), orelse = r.number(2) == 1
    and self:block(depth - 1, r.number(2)) or nil }
end
makers[5] = makers[4]
makers[6] = function(self, depth)
  local r, name = self.random, "k" .. depth
  table.insert(self.integers, name)
  local block = self:block(depth - 1, r.number(3))
  if r.number(3) == 1 then block[#block + 1] = { "if %1 then break end", self:test(1) } end
  table.remove(self.integers)
  return { "for " .. name .. " = %1 %% 6, " .. r.number(9) .. ", " .. r.one_of { "1", "2", "3" } .. " do",
    self:integer(1), block = block }
end
makers[7] = function(self, depth)
  local r, name = self.random, "n" .. depth
  local test = self:test(2)
  table.insert(self.integers, name)
  local block = self:block(depth - 1, r.number(3))
  table.remove(self.integers)
  return { "local " .. name .. " = 0 while " .. name .. " < " .. r.number(6) .. " and %1 do " .. name .. " = " .. name
    .. " + " .. r.number(2), test, block = block }
end
makers[8] = function(self, depth)
  return { "do local old = p; p, q = q, old", block = self:block(depth - 1, self.random.number(2)) }
end

function Maker:statement(depth) return makers[self.random.number(depth > 0 and 8 or 3)](self, depth) end

local function lines_of(list, out)
  for _, s in ipairs(list) do
    out[#out + 1] = render { text = s[1], s[2], s[3], s[4], s[5] }
    if s.block then
      lines_of(s.block, out)
      if s.orelse then
        out[#out + 1] = "else"
        lines_of(s.orelse, out)
      end
      out[#out + 1] = "end"
    end
  end
  return out
end

-- Most functions are small: what fails in a large one nearly always fails in a small one, too.
local function statements_of(maker)
  local small = maker.random.number(4) > 1
  local list = small and maker:block(1, 1 + maker.random.number(2)) or maker:block(2, 1 + maker.random.number(3))
  for k, statement in ipairs(list) do list[k] = { text = table.concat(lines_of({ statement }, {}), " ") } end
  return list
end

local function maker_of(seed, fields)
  fields.random, fields.integers, fields.floats = generator(seed), { "a", "b", "p", "q" }, { "x", "y", "v" }
  fields.targets, fields.reals = { "p", "q" }, { "v" }
  return setmetatable(fields, Maker)
end

--- A function that plain Lua computes alike.
function functions.plain(seed) return statements_of(maker_of(seed, { wide = wide and seed % 2 == 0 })) end

--- Function number n of typed ones, whose parameters have the dtypes of functions.dtypes(n).
function functions.typed(n)
  return statements_of(maker_of(n, { typed = true, unsigned = functions.dtypes(n):find "^u" ~= nil }))
end

--- The text of a local function of that name.
function functions.text(name, statements)
  local texts = {}
  for k, statement in ipairs(statements) do texts[k] = statement.text end
  return "local function " .. name .. "(a, b, x, y) local p, q, v = a, b, x " .. table.concat(texts, " ")
    .. " return p, q, v end"
end

-- ---- running them

local PICK = "local function pick(m, n, c) if c then return m end return n end\n"
local SAMPLES = 12

local function samples(seed)
  local r, a, b, x, y = generator(seed + 1000), {}, {}, {}, {}
  for k = 1, SAMPLES do
    a[k], b[k] = r.number(2001) - 1001, r.number(41) - 21
    x[k], y[k] = (r.number(4001) - 2001) / 16, r.number(100) / 8
  end
  return a, b, x, y
end

functions.INTEGERS = { "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64" }
functions.REALS = { "float32", "float64", "float16", "bfloat16" }

--- The dtypes of function number n of typed ones.
function functions.dtypes(n)
  return functions.INTEGERS[n % 8 + 1], functions.REALS[math.floor(n / 8) % 4 + 1]
end

-- The samples as arrays of the dtypes that functions have, by the names of the kernel's parameters.
local function arrays_of(list, seed)
  local a, b, x, y = samples(seed)
  local names, args = {}, {}
  local function add(name, values, from, dtype)
    if args[name] then return end
    names[#names + 1], args[name] = name, cp.array(values, from):astype(dtype)
  end
  for _, d in ipairs(list) do
    add("a_" .. d[1], a, "int64", d[1])
    add("b_" .. d[1], b, "int64", d[1])
    add("x_" .. d[2], x, "float64", d[2])
    add("y_" .. d[2], y, "float64", d[2])
  end
  for k, name in ipairs(names) do args[k] = args[name] end
  return names, args
end

--- The results of functions, given by their texts, as one kernel: for each function a list of {p, q, v} by
--- sample. typed: the number of the first function, whose parameters have functions.dtypes; lua: as Lua text.
function functions.run(texts, seed, typed, lua)
  local calls, list = {}, {}
  for k in ipairs(texts) do
    local d, r = "int64", "float64"
    if typed then d, r = functions.dtypes(typed + k - 1) end
    list[k] = { d, r }
    calls[k] = ("do local p, q, v = f%d(a_%s[s], b_%s[s], x_%s[s], y_%s[s]) I[{ %d, s, 1 }], I[{ %d, s, 2 }], "
      .. "V[{ %d, s }] = cp.jit.int64(p), cp.jit.int64(q), v end"):format(k, d, d, r, r, k, k, k)
  end
  local names, args = arrays_of(list, seed)
  local text = PICK .. table.concat(texts, "\n") .. "\nreturn function(I, V, " .. table.concat(names, ", ")
    .. ")\nlocal s = cp.jit.grid(1)\n" .. table.concat(calls, "\n") .. "\nend"
  local wholes, reals = cp.zeros({ #texts, SAMPLES, 2 }, "int64"), cp.zeros { #texts, SAMPLES }
  local kernel = cp.jit.rawkernel(text, { lua = lua or false })
  kernel(1, SAMPLES, { wholes, reals, (table.unpack or unpack)(args) }) -- luacheck: ignore
  local i, v, out = wholes:totable(), reals:totable(), {}
  for k in ipairs(texts) do
    out[k] = {}
    for s = 1, SAMPLES do out[k][s] = { i[k][s][1], i[k][s][2], v[k][s] } end
  end
  return out, kernel
end

--- The same of one function, by plain Lua.
function functions.in_lua(text, name, seed)
  local f = assert(compile(PICK .. text .. " return " .. name))()
  local a, b, x, y = samples(seed)
  local out = {}
  for s = 1, SAMPLES do out[s] = { f(a[s], b[s], x[s], y[s]) } end
  return out
end

--- The first sample and result in which two lists of results differ.
function functions.difference(want, got)
  for s = 1, SAMPLES do
    for k = 1, 3 do
      local m, n = want[s][k], got[s][k]
      if m ~= n and (m == m or n == n) then return s, k end
    end
  end
end

local MOST_TRIALS = 80 -- each compiles a kernel

--- What differs in the smallest function that still fails. results(text of f1): what is wanted and what came.
function functions.report(statements, results)
  local function fails(list)
    local ok, want, got = pcall(results, functions.text("f1", list))
    if not ok then return not tostring(want):find "cupola%.kernel: kernel:" end
    return functions.difference(want, got) ~= nil
  end
  local trials = 0
  local small = shrink.statements(statements, function(list)
    trials = trials + 1
    return trials <= MOST_TRIALS and fails(list)
  end)
  local text = functions.text("f1", small)
  local ok, want, got = pcall(results, text)
  if not ok then return text .. "\n" .. tostring(want) end
  local s, k = functions.difference(want, got)
  return ("%s\nsample %s, result %s: %s is wanted, not %s"):format(text, s, k, s and want[s][k], s and got[s][k])
end

-- ---- comparing ways to run them

--- The ways to run functions, as functions of their texts and of the number of the first: in plain Lua,
--- compiled, as Lua text, and the last two with all dtypes.
function functions.ways(seed)
  return {
    in_lua = function(texts)
      local out = {}
      for k, text in ipairs(texts) do out[k] = functions.in_lua(text, "f" .. k, seed) end
      return out
    end,
    compiled = function(texts) return (functions.run(texts, seed)) end,
    as_text = function(texts) return (functions.run(texts, seed, nil, true)) end,
    typed = function(texts, n) return (functions.run(texts, seed, n)) end,
    typed_text = function(texts, n) return (functions.run(texts, seed, n, true)) end,
  }
end

--- Makes `count` functions, from number `first` on, and compares two ways to run them. Returns what differs,
--- with the seed and the shrunk function, or nil.
function functions.compare(first, count, make, one, other)
  local programs, texts = {}, {}
  for k = 1, count do
    programs[k] = make(first + k - 1)
    texts[k] = functions.text("f" .. k, programs[k])
  end
  local wants, gots = one(texts, first), other(texts, first)
  for k, program in ipairs(programs) do
    if functions.difference(wants[k], gots[k]) then
      return ("seed %d: %s"):format(first + k - 1, functions.report(program, function(text)
        return one({ text }, first + k - 1)[1], other({ text }, first + k - 1)[1]
      end))
    end
  end
end

return functions
