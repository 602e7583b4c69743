-- Common checks of the specs of the core: values of arrays, errors with their exact beginning and place, and
-- the number of kernels and allocations of a function.

local cp = require "cupola"
local assert = require "luassert"

local check = {}

--- The values of an array as (nested) tables, or the value of a 0-d array; anything else stays as it is.
function check.values(x)
  if not cp.is_array(x) then return x end
  if x.ndim == 0 then return x:item() end
  return x:totable()
end

-- The line of a function that is on one line, as errors show it: "FILE:LINE: ".
local function place_of(f)
  local info = debug.getinfo(f, "S")
  assert(info.linedefined == info.lastlinedefined, "the failing function must stand on one line")
  return ("%s:%d: "):format(info.short_src, info.linedefined)
end

--- Fails unless f, a function on one line, raises "FILE:LINE: cupola.FACT..." with its own line,
--- cp.last_error() has the same facts and this kind, and the library works afterwards. Calls in f must not be
--- tail calls, which have no line.
---@param kind string  as in cp.last_error()
---@param fact string  the beginning of the message after "cupola.", as plain text: "NAME: ..."
---@param f function
function check.failure(kind, fact, f)
  local want = place_of(f) .. "cupola." .. fact
  local ok, message = pcall(f)
  if ok then error("no error; expected " .. want, 2) end
  if type(message) ~= "string" or message:sub(1, #want) ~= want then
    error(("expected %s...\nbut got  %s"):format(want, tostring(message)), 2)
  end
  local last, where = cp.last_error(), fact:match "^([%w_.]+): "
  local rest = message:sub(#place_of(f) + #("cupola." .. where .. ": ") + 1)
  if last.kind ~= kind or last.where ~= where or last.message ~= rest then
    error(("cp.last_error() gives %s, %s, %s; expected %s, %s, %s"):format(last.kind, last.where, last.message, kind,
      where, rest), 2)
  end
  if (cp.array({ 1, 2 }) + 1)[2] ~= 3 then error("the library does not work after " .. message, 2) end
end

--- The values of an array as nested tables, read element by element; anything else stays as it is.
function check.elements(x)
  if not cp.is_array(x) then return x end
  if x.ndim == 0 then return x[{}] end
  local t = {}
  for k = 1, x.shape[1] do t[k] = check.elements(x[k]) end
  return t
end

--- Fails unless f(...) raises "cupola." and text that matches the pattern, at a line of the file that calls
--- this. Returns the message.
function check.raises(pattern, f, ...)
  local source = debug.getinfo(2, "S").source
  -- Compiled under that file's name, so that even a C function is called from it.
  local compile = loadstring or load -- luacheck: ignore
  local call = assert(compile("local f = ... return function(...) local _ = f(...) end", source))
  local ok, message = pcall(call(f), ...)
  assert(not ok, "no error; expected " .. pattern)
  assert.matches("^" .. source:sub(2):gsub("%p", "%%%0") .. ":%d+: cupola%." .. pattern, message)
  return message
end

--- The bytes of live memory after all garbage is collected.
function check.live()
  cp.collect()
  return cp.memory().live
end

--- The message when a value is needed during a capture.
check.captured = "a graph is being captured, so its work has not run yet: nothing on " .. cp.device().name

--- By how much the counters and memory figures grew while f ran.
---@return table  fields of cp.profiler.counters(), and device_allocations
function check.counted(f, ...)
  local before, figures = cp.profiler.counters(), cp.memory()
  f(...)
  local after = cp.profiler.counters()
  local grown = { device_allocations = cp.memory().device_allocations - figures.device_allocations }
  for name, v in pairs(after) do grown[name] = v - before[name] end
  return grown
end

--- Starts the Lua text in a new interpreter of the same kind.
---@param text string
---@param environment? string  settings of the shell, "NAME=value ..."
---@return fun(): string, integer finish  waits, and returns the output and the status of the process
function check.start(text, environment)
  local script = os.tmpname()
  local file = assert(io.open(script, "w"))
  file:write(text)
  file:close()
  local interpreter = rawget(_G, "jit") and "luajit" or "lua5.4"
  local pipe = assert(io.popen(("%s %s %s 2>&1; echo status $?"):format(environment or "", interpreter, script)))
  return function()
    local output = pipe:read "*a"
    pipe:close()
    os.remove(script)
    local shown, status = output:match "^(.*)status (%d+)%s*$"
    return shown, tonumber(status)
  end
end

--- Runs the Lua text in a new interpreter of the same kind.
---@param text string
---@param environment? string  settings of the shell, "NAME=value ..."
---@return string output
---@return integer status  of the process
function check.run(text, environment) return check.start(text, environment)() end

--- Fails unless the file at `path` equals the output of the tool, byte for byte.
---@param tool string  a script that prints the file, "tools/NAME.lua"
---@param path string
function check.written_by(tool, path)
  local output, status = check.run(("arg = { [0] = %q }; dofile(arg[0])"):format(tool))
  assert.equal(0, status, output)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  -- assert.equal would print both texts.
  assert.is_true(output == text, ("run: ./dev lua %s > written && mv written %s"):format(tool, path))
end

--- Calls f with the name of a temporary file with this ending, and removes the file afterwards, as well as
--- the one without the ending that os.tmpname creates.
---@param ending string
---@param f fun(path: string): any...
---@return any ... what f returns
function check.with_file(ending, f)
  local name = os.tmpname()
  local function finish(ok, ...)
    os.remove(name)
    os.remove(name .. ending)
    if not ok then error((...), 0) end
    return ...
  end
  return finish(pcall(f, name .. ending))
end

--- The mode of this run, from CUPOLA_TEST_MODE: nil, "gc", "poison", "limit", "unfused" or "forced".
check.mode = os.getenv "CUPOLA_TEST_MODE"
if check.mode == "" then check.mode = nil end

--- Whether operators return pending values, as they do by default. With CUPOLA_FUSION=0 and
--- CUPOLA_FUSION=force (which makes pending values and forces them) they compute at once.
check.lazy = cp.fusion() and os.getenv "CUPOLA_FUSION" ~= "force"

--- A value whose finalizer calls f.
function check.owner(f)
  local newproxy = rawget(_G, "newproxy") -- Lua 5.1: tables have no finalizers
  if not newproxy then return setmetatable({}, { __gc = f }) end
  local owner = newproxy(true)
  getmetatable(owner).__gc = f
  return owner
end

--- Makes garbage whose finalizer calls f.
function check.when_collected(f)
  check.owner(f)
end

return check
