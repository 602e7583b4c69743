-- Runs the random programs of spec/golden/programs/programs.py, compares their results with NumPy's and
-- between modes of evaluation, and shrinks a failing program. A mode is "on", "off" (cp.fusion), "waiting"
-- (on, also where the CPU device computes at once because that is quicker), "slow" (off, and without fast
-- paths) or "default", as the process was started.

local cp = require "cupola"
local compare = require "spec.helper.compare"
local core = require "cupola.core"
local layouts = require "spec.helper.calls.layouts"
local numbers = require "spec.helper.numbers"
local shrink = require "spec.helper.random.shrink"

local programs = {}

local compile = rawget(_G, "loadstring") or load
local setfenv = rawget(_G, "setfenv")

-- ---- reading

local function contents(name)
  local file = assert(io.open(name, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local function shape_of(text)
  local dims, size = {}, 1
  for d in text:gmatch "%d+" do
    dims[#dims + 1] = tonumber(d)
    size = size * tonumber(d)
  end
  return dims, size
end

-- A reader of the .bin file, which takes one item after the other.
local function reader(data)
  local at = 0
  return function(bytes)
    at = at + bytes
    return data:sub(at - bytes + 1, at)
  end
end

-- The expected result of R(...), from the words after it; an array's bytes come next in the .bin file.
local function expectation(dtype, shape, tol, take)
  if dtype == "value" then return { value = shape } end
  local dims, size = shape_of(shape)
  local e = { dtype = dtype, shape = dims, tol = tol }
  local step, bound = tol:match "^=/(%d+)$", tol:match "^~(.*)$"
  if bound then
    e.bound = tonumber(bound)
    e.bytes = take(8 * size)
    return e
  end
  e.step = tonumber(step)
  e.tol = tonumber(tol) or "exact"
  local stored = e.step and math.floor((size - 1) / e.step) + 2 or size
  e.bytes = take(stored * numbers.itemsize[dtype])
  return e
end

local function statement(line, take)
  local text, dtype, shape, tol = line:match "^(R%(.*%)) (%S+) (%S+) ?(%S*)$"
  if not text then return { text = line } end
  return { text = text, expect = expectation(dtype, shape, tol, take) }
end

-- The number of bytes in the .bin file that a program's expected results take.
local function stored(lines)
  local count = 0
  for line in lines:gmatch "[^\n]+" do
    statement(line, function(bytes) count = count + bytes end)
  end
  return count
end

local function read_pools(head, take)
  local pools = {}
  for name, plain, wild in head:gmatch "pool (%w+) (%d+) (%d+)" do
    local size = numbers.itemsize[name]
    pools[name] = { D = take(plain * size), W = take(wild * size) }
  end
  return pools
end

--- The programs in PATH.index and PATH.bin: a list of {number, pools, lines, data}. Programs stay text until
--- they are run, because thousands of them as tables would make every collection slow.
function programs.read(path)
  local take = reader(contents(path .. ".bin"))
  local text = contents(path .. ".index") .. "-- "
  local head, from = text:match "^(.-)()%-%- "
  local pools, list = read_pools(head, take), {}
  while true do
    local number, lines, after = text:match("^%-%- (%d+)\n(.-\n)()%-%- ", from)
    if not number then return list end
    local program = { number = tonumber(number), pools = pools, lines = lines, data = take(stored(lines)) }
    list[#list + 1] = program
    from = after
  end
end

--- A program's statements: a list of {id, text, expect or nil}.
function programs.statements(program)
  local list, take = {}, reader(program.data)
  for line in program.lines:gmatch "[^\n]+" do
    list[#list + 1] = statement(line, take)
    list[#list].id = #list
  end
  return list
end

-- ---- running

-- D or W of a program: the elements of a pool from element `start` on, repeated.
local function maker(pools, which)
  return function(dtype, start, shape)
    local pool, size, length = pools[dtype][which], numbers.itemsize[dtype], 1
    for _, d in ipairs(shape) do length = length * d end
    local from = start * size % #pool
    local turned = pool:sub(from + 1) .. pool:sub(1, from)
    local bytes = turned:rep(math.ceil(length * size / #pool)):sub(1, length * size)
    return cp.frombytes(bytes, dtype, shape)
  end
end

local function given(v)
  if not cp.is_array(v) then return { value = v } end
  return { dtype = v.dtype, shape = v.shape, bytes = v:tobytes() }
end

-- The program's text with each statement on its own line, by which R(v) identifies the statement.
local function source(statements, patch)
  local lines = {}
  for k, s in ipairs(statements) do
    local text = s.text:gsub("^R%(", ("R(%d,"):format(s.id))
    lines[k] = patch and patch(text) or text
  end
  return table.concat(lines, "\n")
end

local function chunk(text, env)
  if setfenv then
    local f, message = compile(text, "=program")
    return f and setfenv(f, env), message
  end
  return compile(text, "=program", "t", env)
end

local function environment(pools, results)
  return {
    cp = cp, D = maker(pools, "D"), W = maker(pools, "W"),
    G = function() collectgarbage() end,
    R = function(id, v) results[id] = given(v) end,
  }
end

local modes = {
  default = {},
  off = { fusion = false },
  on = { fusion = true },
  slow = { fusion = false, slow = "all" },
  waiting = { fusion = true, slow = "views" },
}

--- Runs a program's statements in a mode.
---@param program table
---@param mode string
---@param statements table  its own or some of them
---@param patch? function  changes the text of statements, to plant a bug
---@return table results  by the id of the statement: {dtype, shape, bytes} or {value}
---@return string? message  of the error that ended it, without its line
function programs.run(program, mode, statements, patch)
  local results = {}
  local f, message = chunk(source(statements, patch), environment(program.pools, results))
  if not f then return results, message end
  local set, before = modes[mode], nil
  if set.fusion ~= nil then before = cp.fusion(set.fusion) end
  if set.slow then core.slow_paths(set.slow) end
  local ok, failure = pcall(f)
  core.slow_paths()
  if set.fusion ~= nil then cp.fusion(before) end
  if ok then return results end
  return results, (tostring(failure):gsub("^program:%d+: ", ""))
end

-- ---- comparing

-- A value as the index has it. Shrinking may leave values that are no numbers or booleans; then the type is
-- enough.
local function value_text(v)
  if cp.type(v) == "scalar" and v.re then return ("%.17g,%.17g"):format(v.re, v.im) end
  if type(v) == "number" then return ("%.17g"):format(v) end
  return type(v) == "boolean" and tostring(v) or type(v)
end

local function same_value(got, want)
  local text = value_text(got)
  if text:gsub("%-nan", "nan") == want:gsub("%-nan", "nan") then return true end
  return type(got) == "number" and got == tonumber(want)
end

-- The bytes of every step-th element and of the last one.
local function sampled(bytes, size, step)
  local parts = {}
  for k = 0, #bytes / size - 1, step do parts[#parts + 1] = bytes:sub(k * size + 1, (k + 1) * size) end
  parts[#parts + 1] = bytes:sub(#bytes - size + 1)
  return table.concat(parts)
end

local function near(got, e)
  local size, list = numbers.itemsize[e.dtype], {}
  for k = 1, #got / size do
    local g = numbers.value(got:sub((k - 1) * size + 1, k * size), e.dtype)
    local w = numbers.value(e.bytes:sub(k * 8 - 7, k * 8), "float64")
    if not (g == w or g ~= g and w ~= w or math.abs(g - w) <= e.bound) then list[#list + 1] = k end
  end
  return list
end

-- The positions at which an array's bytes differ from those expected.
local function differences(got, e)
  if e.bound then return near(got, e) end
  if e.step then got = sampled(got, numbers.itemsize[e.dtype], e.step) end
  return compare.differences(got, e, e.tol)
end

local function element_text(bytes, dtype, k, size)
  return numbers.text(bytes:sub((k - 1) * size + 1, k * size), dtype)
end

-- Describes how a result differs from an expected one of the same form; nil if they agree.
local function difference(got, e)
  if e.value ~= nil then
    if got.dtype then return ("gave an array, want %s"):format(e.value) end
    return not same_value(got.value, e.value) and ("gave %s, want %s"):format(value_text(got.value), e.value) or nil
  end
  if got.dtype ~= e.dtype then return ("gave dtype %s, want %s"):format(tostring(got.dtype), e.dtype) end
  if not layouts.same_shape(got.shape, e.shape) then
    return ("gave shape (%s), want (%s)"):format(table.concat(got.shape, ", "), table.concat(e.shape, ", "))
  end
  local bad = differences(got.bytes, e)
  if #bad == 0 then return nil end
  local size, k = numbers.itemsize[e.dtype], bad[1]
  local bytes = e.step and sampled(got.bytes, size, e.step) or got.bytes
  local wide = e.bound and 8 or size
  return ("%d elements differ; number %d%s is %s, want %s"):format(#bad, k, e.step and " of the samples" or "",
    element_text(bytes, e.dtype, k, size), element_text(e.bytes, e.bound and "float64" or e.dtype, k, wide))
end

-- The first statement whose result differs from wants(statement): {id, text}, or nil.
local function first_difference(statements, results, wants)
  for _, s in ipairs(statements) do
    local want = s.expect and wants(s)
    if want then
      local text = results[s.id] and difference(results[s.id], want) or not results[s.id] and "was not reached"
      if text then return { id = s.id, text = text } end
    end
  end
end

-- Compares with another mode's results: bits must be equal, except for float reductions, which must be within
-- a bound.
local function between(statements, results, others)
  return first_difference(statements, results, function(s)
    local other = others[s.id]
    if not other or s.expect.bound then return nil end
    if other.dtype then return { dtype = other.dtype, shape = other.shape, bytes = other.bytes, tol = "exact" } end
    return { value = value_text(other.value) }
  end)
end

--- Runs a program in a mode and compares it with NumPy's values and with the results with fusion off.
---@return table? failure  {kind = "error" | "modes" | "numpy", id, text}
function programs.examine(program, mode, patch)
  local statements = programs.statements(program)
  local results, message = programs.run(program, mode, statements, patch)
  if message then return { kind = "error", text = message, id = 0 } end
  if mode ~= "off" then
    local others = programs.run(program, "off", statements)
    local found = between(statements, results, others)
    if found then return { kind = "modes", text = "with and without fusion: " .. found.text, id = found.id } end
  end
  local found = first_difference(statements, results, function(s) return s.expect end)
  if found then
    return { kind = "numpy", text = "beside NumPy: " .. found.text, id = found.id, got = results[found.id] }
  end
end

-- ---- shrinking

local function same_result(a, b)
  return a and a.dtype == b.dtype and a.bytes == b.bytes and tostring(a.value) == tostring(b.value)
end

-- Returns a function that tells whether a list of statements still shows the failure. If only the comparison
-- with NumPy shows it, the wrong result must stay the same: then the dropped statements did not affect it,
-- and NumPy's value still applies.
local function still_fails(program, mode, failure, patch)
  return function(statements)
    local results, message = programs.run(program, mode, statements, patch)
    if failure.kind == "error" then
      if message ~= failure.text then return false end
      local _, other = programs.run(program, "off", statements)
      return mode == "off" or failure.everywhere or other ~= message
    end
    if message then return false end
    if failure.kind == "numpy" then return same_result(results[failure.id], failure.got) end
    local others, trouble = programs.run(program, "off", statements)
    return not trouble and between(statements, results, others) ~= nil
  end
end

--- Describes a failure, with the smallest program that was found to show it.
function programs.explain(program, mode, failure, patch)
  local statements = programs.statements(program)
  if failure.kind == "error" then
    local _, other = programs.run(program, "off", statements)
    failure.everywhere = other == failure.text
  end
  local drop_only = failure.kind == "numpy"
  local small = shrink.statements(statements, still_fails(program, mode, failure, patch), drop_only)
  local lines = { ("program %d, fusion %s: %s"):format(program.number, mode, failure.text) }
  for _, s in ipairs(small) do lines[#lines + 1] = "    " .. s.text .. (s.id == failure.id and "   <--" or "") end
  return table.concat(lines, "\n"), small
end

--- Runs a list of programs in several modes. Returns text about all failures, of which at most `most` (3) are
--- explained, or nil.
function programs.failures(list, names, most)
  local texts, count = {}, 0
  for _, program in ipairs(list) do
    for _, mode in ipairs(names) do
      local failure = programs.examine(program, mode)
      if failure then
        count = count + 1
        if count <= (most or 3) then texts[count] = programs.explain(program, mode, failure) end
      end
    end
  end
  if count == 0 then return nil end
  return ("%d failures\n%s"):format(count, table.concat(texts, "\n"))
end

return programs
