-- Calls every public function with an unreasonable number for each of its arguments in turn, and small values
-- for the others: it must return within SECONDS of processor time, or be long work that a host's interrupt
-- ends, and the process must not grow beyond MEMORY bytes.
--   lua spec/fuzz/numbers.lua [SECONDS [SEED]]   (seconds: 60 by default)
-- spec/embed/timed.c is the host of each pass, which makes CALLS calls for each argument of each function;
-- each pass increments the seed.

if not begin then -- luacheck: ignore
  local host = require "spec.helper.host"
  local seconds, seed = tonumber(arg[1]) or 60, tonumber(arg[2]) or os.time() % 1000000
  local program = assert(host.compile "spec/embed/timed.c")
  local finish, passes, failed = os.time() + seconds, 0, 0
  while os.time() < finish and failed < 3 do
    local text, status = host.run(program, ("spec/fuzz/numbers.lua %d %d"):format(seed + passes, finish))
    passes = passes + 1
    if status ~= 0 then failed = failed + 1 end
    io.stderr:write((text:gsub("status=%d+%s*$", "")))
  end
  os.remove(program)
  print(("numbers: %d passes from seed %d, %d failed"):format(passes, seed, failed))
  os.exit(failed == 0 and 0 or 1)
end

local begin, finish, used = begin, finish, used -- luacheck: ignore
local cp = require "cupola"
local generator = require "spec.helper.random.generator"
local public = require "spec.helper.public"

local unpack = table.unpack or unpack -- luacheck: ignore
local seed, deadline = tonumber((...)) or 1, tonumber((select(2, ...))) or math.huge
local g = generator(seed)

-- The host allows 512 MiB for arrays and as much for Lua; plans of transforms and cached blocks come on top.
local CALLS, MEMORY = 3, 2 ^ 32
-- Sanitizers take more time and memory.
local SECONDS = os.getenv "ASAN_OPTIONS" and 5 or 1
if os.getenv "ASAN_OPTIONS" then MEMORY = 2 * MEMORY end

-- These wait, print, use addresses as they are given, or affect the whole process or files.
local LEFT_OUT = {}
for name in ([[
  collect from_dlpack deterministic synchronize record show_config from_pointer set_default_dtype checks
  fusion set_printoptions memory import export save savez savez_compressed savetxt Array:tofile tofile
  image.save image.imwrite precompile plot.line plot.scatter plot.bar plot.hist plot.heatmap plot.image
  cuda.set_allocator
  cuda.set_pinned_memory_allocator cuda.nccl.group_start cuda.nccl.group_end cuda.allow_tf32
  cuda.nvtx.RangePush cuda.runtime.setDevice Device:use Stream:use cuda.nccl.init cuda.nccl.NcclCommunicator
  cuda.nccl.init_all cuda.runtime.memcpy cuda.runtime.memcpyAsync cuda.runtime.memset
  cuda.runtime.memsetAsync cuda.runtime.memcpyPeer cuda.runtime.memcpyPeerAsync cuda.runtime.memcpy2D
  cuda.runtime.memcpy2DAsync cuda.runtime.memcpy3D cuda.runtime.memcpy3DAsync
  cuda.runtime.streamSynchronize cuda.runtime.streamQuery cuda.runtime.streamWaitEvent cuda.ExternalStream
]]):gmatch "%S+" do
  LEFT_OUT[name] = true
end

local NUMBERS = { 2 ^ 31 - 1, 2 ^ 40, -2 ^ 40, 2 ^ 53, 1e300, math.huge, 0 / 0, -2 ^ 31, 1e9, 1e5 + 1, 65537, 1e6,
  1e7, 1e8, -1e6, 1e-300 }

local function matrix() return cp.arange(9, "float64"):reshape(3, 3) + cp.eye(3) * 7 end

local ARRAYS = {
  function() return cp.arange(10, "float64") end,
  matrix,
  function() return cp.arange(5, "int64") end,
  function() return cp.zeros { 0, 3 } end,
  function() return cp.ones({ 2, 3, 4 }, "float32") end,
  function() return { 1, 2, 3 } end,
  function() return cp.ones({ 40 }) end,
  function() return cp.array({ 1, 0, 1, 1 }, "bool") end,
}
local WHOLE = { 1, 2, 3, 0, 5 }
local REAL = { 0.5, 2, 0.3, 1, 10 }

local function nothing() return cp.ones(2) end

-- A small value for a parameter, most likely a valid one.
local function small(p)
  local t = p.type
  if t:find "Array%[%]" then return { cp.arange(5), cp.arange(5) } end
  if t:find "Operand" or t:find "^cupola%.Array" then
    return g.chance(85) and g.one_of(ARRAYS)() or g.one_of(REAL)
  end
  if t:find "function" then return nothing end
  if t:find "integer" then return t:find "table" and g.chance(30) and { 2, 3 } or g.one_of(WHOLE) end
  if t:find "number" then return g.one_of(REAL) end
  if t:find "boolean" then return g.chance(50) end
  local word = t:match '"([^"]*)"'
  if word then return word end
  if t:find "dtype" then return g.one_of { "float64", "float32", "int64" } end
  if t:find "string" then return p.name == "subscripts" and "i,i" or "hann" end
  if t:find "table" then return g.one_of { { 2, 3 }, { 1, 2, 3 }, { 3 } } end
  return g.one_of(ARRAYS)()
end

-- A random unreasonable number for a parameter, alone or in a table or array, and its text.
local function large(p)
  local v = g.one_of(NUMBERS)
  local how = g.number(10)
  if how <= 6 then return v, ("%.17g"):format(v) end
  if how == 7 then return { v }, ("{%.17g}"):format(v) end
  if how == 8 then return { v, 2 }, ("{%.17g, 2}"):format(v) end
  if how == 9 then return { 1, v }, ("{1, %.17g}"):format(v) end
  if p.type:find "Operand" then return cp.array({ v, 1, 2 }, "float64"), ("array {%.17g, 1, 2}"):format(v) end
  return { 2, 3, v }, ("{2, 3, %.17g}"):format(v)
end

local function shown(v)
  if cp.is_array(v) then return ("%s(%s)"):format(v.dtype, table.concat(v.shape, ",")) end
  if type(v) == "table" then return "{" .. (type(v[1]) == "number" and table.concat(v, ",") or "...") .. "}" end
  return tostring(v)
end

local FILES = { file = true, fname = true, path = true, source = true, target = true }
local function is_file(p) return FILES[p.name] and not p.type:find "integer" end
local text_file = os.tmpname()
local f = assert(io.open(text_file, "w"))
f:write(("1 2 3\n"):rep(9))
f:close()

-- Returns small arguments and their number.
local function small_arguments(entry)
  local list, n = {}, g.number(#entry.parameters + 1) - 1
  for k, p in ipairs(entry.parameters) do
    if not p.optional then n = math.max(n, k) end
  end
  for k = 1, n do
    local p = entry.parameters[k]
    if is_file(p) then
      list[k] = text_file
    elseif not p.optional or g.chance(40) then
      list[k] = small(p)
    end
  end
  return list, n
end

local function call(entry, list, n)
  if entry.object then return public.call(entry.f, entry.object(), unpack(list, 1, n)) end
  return public.call(entry.f, unpack(list, 1, n))
end

-- Tries a few times to find arguments that the function accepts.
local function right_arguments(entry)
  local list, n
  for _ = 1, 12 do
    list, n = small_arguments(entry)
    if call(entry, list, n) then break end
  end
  return list, n
end

local calls, worked, interrupted, slow = 0, 0, 0, {}

local function call_once(entry, right, n, place)
  local list, texts = {}, {}
  for k = 1, math.max(n, place) do
    list[k] = right[k]
    texts[k] = shown(right[k])
  end
  list[place], texts[place] = large(entry.parameters[place])
  local text = ("seed %d: %s(%s)"):format(seed, entry.name, table.concat(texts, ", "))
  begin(text, SECONDS)
  local ok, result = call(entry, list, math.max(n, place))
  if ok and cp.is_array(result) and result.size < 1e6 then ok = pcall(result.eval, result) end
  local seconds, late = finish()
  calls, worked = calls + 1, worked + (ok and 1 or 0)
  if late then interrupted = interrupted + 1 end
  if seconds > (late and 1.5 or 1) * SECONDS then slow[#slow + 1] = ("%s: %.2f s"):format(text, seconds) end
end

local function walk()
  for _, entry in ipairs(public.functions()) do
    if not LEFT_OUT[entry.name] then
      local list, n = right_arguments(entry)
      for place, p in ipairs(entry.parameters) do
        for _ = 1, is_file(p) and 0 or CALLS do
          if os.time() > deadline then return end
          call_once(entry, list, n, place)
        end
      end
    end
  end
end
walk()
os.remove(text_file)
cp.collect()
if used() > MEMORY then slow[#slow + 1] = ("seed %d: the process took %.0f MB"):format(seed, used() / 2 ^ 20) end
print(("seed %d: %d calls, of which %d worked and %d were interrupted"):format(seed, calls, worked, interrupted))
assert(#slow == 0, table.concat(slow, "\n"))
