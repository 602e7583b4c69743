-- Runs script code at every possible point of public functions: finalizers (of garbage that a collection at
-- every allocation finds), metamethods, callbacks and debug hooks free, write, convert and change the
-- arguments, call the function again, raise, yield, and switch devices and streams.
--   lua spec/fuzz/reentry.lua [seconds] [seed]      rounds in separate processes, until the time is over
--   lua spec/fuzz/reentry.lua round SEED            one of them
-- A round that crashes is reported with its last actions. Status 0: none did.

local world = require "spec.helper.random.reentry_world"

local CALLS, SECONDS = 150, 20 -- of a round

-- ---- a round ----------------------------------------------------------------------------------------------

-- Runs a call in one of the modes by which script code runs inside it, besides metamethods and callbacks.
local function armed(w, f)
  local kind = w.random.number(4)
  if kind <= 2 then return world.with_finalizers(w, f) end
  if kind == 3 then return world.with_hook(w, f) end
  return f()
end

local function run_call(w)
  local call = w.random_call()
  w.budget = 12
  w.note("call %s", call.name)
  local function body()
    w.inside = true
    pcall(call.run)
    w.inside = false
  end
  local function all() return pcall(armed, w, body) end
  if w.random.chance(60) then return all() end
  local co = coroutine.create(all)
  coroutine.resume(co)
  if coroutine.status(co) == "suspended" then w.keep_coroutine(co) end
end

-- Errors of a debug hook or, under LuaJIT, of a finalizer can occur anywhere: the loop continues after them.
local function round(seed, journal)
  local w = world.new(seed, journal)
  local finish, calls, wrong = os.time() + SECONDS, 0, false
  local function loop()
    while calls < CALLS and not wrong and os.time() <= finish do
      calls = calls + 1
      pcall(run_call, w)
      w.calm()
      local ok, sum = pcall(w.settle)
      wrong = ok and sum ~= 6
    end
  end
  local function guarded() repeat until pcall(loop) end
  repeat until pcall(guarded)
  w.calm()
  assert(not wrong, "a sum is wrong")
  w.note "end"
  w.close()
end

-- ---- all rounds -------------------------------------------------------------------------------------------

local function interpreter()
  local k = -1
  while arg[k - 1] do k = k - 1 end
  return arg[k]
end

local function last_lines(path, count)
  local lines = {}
  for line in io.lines(path) do lines[#lines + 1] = line end
  return table.concat(lines, "\n", math.max(1, #lines - count + 1))
end

-- The first report of a sanitizer or of Lua: the line that names the error, and the next ones.
local function fault(path)
  local lines, found = {}, false
  for line in io.lines(path) do
    found = found or line:find "ERROR" or line:find "runtime error"
    if found and #lines < 20 then lines[#lines + 1] = line end
  end
  return found and table.concat(lines, "\n") or last_lines(path, 12)
end

local function run_round(seed)
  local journal = os.tmpname()
  local command = ("REENTRY_JOURNAL=%s timeout -k 5 %d '%s' '%s' round %d >%s.out 2>&1"):format(journal, 15 * SECONDS,
    interpreter(), arg[0], seed, journal)
  local status = os.execute(command)
  local ok = status == true or status == 0
  if not ok then
    io.stderr:write(("round %d failed; again: %s %s round %d\n%s\n---- its last actions:\n%s\n"):format(seed,
      interpreter(), arg[0], seed, fault(journal .. ".out"), last_lines(journal, 25)))
  end
  os.remove(journal)
  os.remove(journal .. ".out")
  return ok
end

if arg[1] == "round" then
  round(tonumber(arg[2]), os.getenv "REENTRY_JOURNAL")
else
  local seconds, seed = tonumber(arg[1]) or 60, tonumber(arg[2]) or os.time() % 1000000
  local finish, rounds, failed = os.time() + seconds, 0, 0
  print(("reentry: seed %d, %d seconds"):format(seed, seconds))
  while os.time() < finish and failed < 10 do
    rounds = rounds + 1
    if not run_round(seed * 1000 + rounds) then failed = failed + 1 end
  end
  print(("reentry: %d rounds, %d failed"):format(rounds, failed))
  os.exit(failed == 0 and 0 or 1)
end

