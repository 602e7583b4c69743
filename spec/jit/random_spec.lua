-- Random functions of integers and floats, with branches, loops, calls and several results, give the same
-- values in Lua and as kernels. Under LuaJIT integers stay small, since its numbers are floats.
-- CUPOLA_JIT_FUNCTIONS is the number of functions (default 80), CUPOLA_JIT_SEED the first seed; a failure
-- prints the shrunk function.

local cp = require "cupola"
local shrink = require "spec.helper.shrink"

local COUNT = tonumber(os.getenv "CUPOLA_JIT_FUNCTIONS") or 80
local SEED = tonumber(os.getenv "CUPOLA_JIT_SEED") or 1
local BATCH = 20 -- functions of one kernel
local wide = _VERSION ~= "Lua 5.1"
local compile = loadstring or load -- luacheck: ignore

-- ---- random numbers

local Random = {}
Random.__index = Random

local function generator(seed) return setmetatable({ state = seed * 7919 % 2147483647 + 1 }, Random) end

function Random:upto(n)
  self.state = self.state * 48271 % 2147483647
  return self.state % n + 1
end

function Random:pick(list) return list[self:upto(#list)] end

-- ---- random programs: trees of {text with %1, %2, ..., children}

local function join(text, ...) return { text = text, ... } end

local function render(tree)
  return (tree.text:gsub("%%(%d)", function(k) return render(tree[tonumber(k)]) end):gsub("%%%%", "%%"))
end

local INTEGERS = { "(%1 + %2)", "(%1 - %2)", "(%1 * %2)", "(%1 %% (%2 * %2 + 1))", "math.max(%1, %2)",
  "math.min(%1, %2)",
  "(%3 and %1 or %2)", "(- %1)", "math.abs(%1)", "pick(%1, %2, %3)", "math.floor(%4 %% 1000)" }
local WIDE = { "(%1 & %2)", "(%1 | %2)", "(%1 ~ %2)", "(%1 << %2)", "(%1 >> (%2 %% 70))", "(~%1)",
  "(%1 // (%2 | 1))" }
local FLOATS = { "(%4 + %5)", "(%4 - %5)", "(%4 * %5)", "(%4 / (%5 * %5 + 1.5))", "math.sqrt(math.abs(%4))",
  "math.max(%4, %5)", "(%3 and %4 or %5)", "(%4 + %1)", "(%1 * 0.5)", "(%1 / 4)", "(%4 %% 7.5)", "(- %4)" }
local TESTS = { "%1 < %2", "%1 == %2", "%4 <= %5", "%4 > %1", "not (%3)", "(%3 and %1 >= %2)", "(%3 or %4 ~= %5)" }
local LITERALS = { "0", "1", "2", "7", "100", "-3" }
local WIDE_LITERALS = { "0x7fffffffffffffff", "4294967296", "-9223372036854775807", "0xff" }

local Maker = {}
Maker.__index = Maker

function Maker:integer(depth)
  local r = self.random
  if depth <= 0 or r:upto(4) == 1 then
    if r:upto(3) == 1 then return join(r:pick(self.wide and r:upto(4) == 1 and WIDE_LITERALS or LITERALS)) end
    return join(r:pick(self.integers))
  end
  local text = r:pick(self.wide and r:upto(3) == 1 and WIDE or INTEGERS)
  if not self.wide then text = "(" .. text .. " %% 65536)" end
  return self:fill(text, depth)
end

function Maker:float(depth)
  local r = self.random
  if depth <= 0 or r:upto(4) == 1 then return join(r:upto(3) == 1 and r:pick { "0.5", "2.25", "1e3" }
    or r:pick(self.floats)) end
  return self:fill(r:pick(FLOATS), depth)
end

function Maker:test(depth)
  if depth <= 0 then return self:fill(self.random:pick { "%1 < %2", "%4 > %5" }, 0) end
  return self:fill(self.random:pick(TESTS), depth)
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

function Maker:statement(depth)
  local r, kind = self.random, self.random:upto(depth > 0 and 8 or 3)
  if kind == 1 then return { "%1 = %2", join(r:pick(self.targets)), self:integer(2) } end
  if kind == 2 then return { "%1 = %2", join(r:pick(self.reals)), self:float(2) } end
  if kind == 3 then
    return { "%1, %2 = %3, %4", join(self.targets[1]), join(self.reals[1]), self:integer(2), self:float(2) }
  end
  if kind <= 5 then
    return { "if %1 then", self:test(1), block = self:block(depth - 1, r:upto(3)), orelse = r:upto(2) == 1
      and self:block(depth - 1, r:upto(2)) or nil }
  end
  if kind == 6 then
    local name = "k" .. depth
    table.insert(self.integers, name)
    local block = self:block(depth - 1, r:upto(3))
    if r:upto(3) == 1 then block[#block + 1] = { "if %1 then break end", self:test(1) } end
    table.remove(self.integers)
    return { "for " .. name .. " = %1 %% 6, " .. r:upto(9) .. ", " .. r:pick { "1", "2", "3" } .. " do",
      self:integer(1),
      block = block }
  end
  if kind == 7 then
    local name = "n" .. depth
    return { "local " .. name .. " = 0 while " .. name .. " < " .. r:upto(6) .. " and %1 do " .. name .. " = " .. name
      .. " + 1", self:test(2), block = self:block(depth - 1, r:upto(3)) }
  end
  return { "do local old = p; p, q = q, old", block = self:block(depth - 1, r:upto(2)) }
end

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

-- A random function: a list of statements over the parameters a, b (integers), x, y (floats).
local function random_function(seed)
  local maker = setmetatable({ random = generator(seed), wide = wide and seed % 2 == 0,
    integers = { "a", "b", "p", "q" }, floats = { "x", "y", "v" }, targets = { "p", "q" }, reals = { "v" } }, Maker)
  local list = maker:block(2, 2 + maker.random:upto(3))
  for k, statement in ipairs(list) do list[k] = { text = table.concat(lines_of({ statement }, {}), " ") } end
  return list
end

local function function_text(name, statements)
  local texts = {}
  for k, statement in ipairs(statements) do texts[k] = statement.text end
  return "local function " .. name .. "(a, b, x, y) local p, q, v = a, b, x " .. table.concat(texts, " ")
    .. " return p, q, v end"
end

local PICK = "local function pick(m, n, c) if c then return m end return n end\n"

-- ---- running

local SAMPLES = 12

local function samples(seed)
  local r, a, b, x, y = generator(seed + 1000), {}, {}, {}, {}
  for k = 1, SAMPLES do
    a[k], b[k] = r:upto(2001) - 1001, r:upto(41) - 21
    x[k], y[k] = (r:upto(4001) - 2001) / 16, r:upto(100) / 8
  end
  return a, b, x, y
end

-- The results of functions as one kernel: for each function a list of {p, q, v} by sample.
local function on_device(texts, seed)
  local calls = {}
  for k in ipairs(texts) do
    calls[k] = ("I[{ %d, s, 1 }], I[{ %d, s, 2 }], V[{ %d, s }] = f%d(A[s], B[s], X[s], Y[s])"):format(k, k, k, k)
  end
  local text = PICK .. table.concat(texts, "\n") .. "\nreturn function(A, B, X, Y, I, V)\nlocal s = cp.jit.grid(1)\n"
    .. table.concat(calls, "\n") .. "\nend"
  local a, b, x, y = samples(seed)
  local whole, real = cp.zeros({ #texts, SAMPLES, 2 }, "int64"), cp.zeros { #texts, SAMPLES }
  cp.jit.rawkernel(text)(1, SAMPLES, { cp.array(a, "int64"), cp.array(b, "int64"), cp.array(x, "float64"),
    cp.array(y, "float64"), whole, real })
  local i, v, out = whole:totable(), real:totable(), {}
  for k in ipairs(texts) do
    out[k] = {}
    for s = 1, SAMPLES do out[k][s] = { i[k][s][1], i[k][s][2], v[k][s] } end
  end
  return out
end

local function in_lua(text, name, seed)
  local f = assert(compile(PICK .. text .. " return " .. name))()
  local a, b, x, y = samples(seed)
  local out = {}
  for s = 1, SAMPLES do out[s] = { f(a[s], b[s], x[s], y[s]) } end
  return out
end

local function differ(want, got)
  for s = 1, SAMPLES do
    for k = 1, 3 do
      local m, n = want[s][k], got[s][k]
      if m ~= n and (m == m or n == n) then return s, k end
    end
  end
end

local function fails(statements, seed)
  local text = function_text("f1", statements)
  local ok, want = pcall(in_lua, text, "f1", seed)
  if not ok then return false end
  local done, got = pcall(on_device, { text }, seed)
  return not done or differ(want, got[1]) ~= nil
end

local MOST_TRIALS = 80 -- each compiles a kernel

-- What differs in the smallest function that still fails.
local function report(statements, seed)
  local trials = 0
  local small = shrink.statements(statements, function(list)
    trials = trials + 1
    return trials <= MOST_TRIALS and fails(list, seed)
  end)
  local text = function_text("f1", small)
  local done, got = pcall(on_device, { text }, seed)
  if not done then return text .. "\n" .. tostring(got) end
  local want = in_lua(text, "f1", seed)
  local s, k = differ(want, got[1])
  return ("%s\nsample %s, result %s: Lua %s, kernel %s"):format(text, s, k, s and want[s][k], s and got[1][s][k])
end

describe("random functions", function()
  for first = SEED, SEED + COUNT - 1, BATCH do
    it(("give the values of Lua, from seed %d"):format(first), function()
      local programs, texts, wants = {}, {}, {}
      for k = 1, BATCH do
        programs[k] = random_function(first + k - 1)
        texts[k] = function_text("f" .. k, programs[k])
        wants[k] = in_lua(texts[k], "f" .. k, SEED)
      end
      local ok, got = pcall(on_device, texts, SEED)
      for k = 1, BATCH do
        local wrong = ok and differ(wants[k], got[k]) or not ok and fails(programs[k], SEED)
        if wrong then error(("seed %d: %s"):format(first + k - 1, report(programs[k], SEED)), 0) end
      end
      if not ok then error(got, 0) end
    end)
  end
end)
