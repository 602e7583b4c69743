-- Coroutines that alternate inside of `with` and `scope`, on their own devices and streams: each keeps its
-- choices and its arrays, even if one of them fails, is abandoned, or resumes another.

local cp = require "cupola"

local current = cp.device().name
local null = cp.cuda.Stream.null
local s, t = cp.cuda.Stream(), cp.cuda.Stream({ non_blocking = true })
local c = cp.cuda.Stream({ device = "cpu" })
local places = { -- each kind of `with`, and a function that tells what is current inside
  { name = "stream s", enter = function(f) return s:with(f) end, device = current, stream = s },
  { name = "stream t", enter = function(f) return t:with(f) end, device = current, stream = t },
  { name = "a stream of the CPU", enter = function(f) return c:with(f) end, device = "cpu", stream = c },
  { name = "device", enter = function(f) return cp.device(current):with(f) end, device = current, stream = null },
  { name = "device and stream", enter = function(f)
    return cp.device("cpu"):with(function() return c:with(f) end)
  end, device = "cpu", stream = c },
  { name = "use", enter = function(f)
    local guard = t:use()
    local ok, x = pcall(f)
    guard.close()
    if not ok then error(x, 0) end
    return x
  end, device = current, stream = t },
}

local function is_freed(x) return not pcall(function() return x:sum():item() end) end

local function here() return cp.device().name, cp.cuda.get_current_stream() end

local function check_main()
  local device, stream = here()
  assert.equal(current, device)
  assert.is_true(stream == null)
end

-- A coroutine that works in one of these places inside a scope, resumed `turns` times; then it returns, or
-- raises its name if it is to fail. log gets the arrays that it made, its result and what went wrong.
local function worker(place, turns, log, fails)
  log.made, log.wrong = {}, {}
  local function look()
    local device, stream = here()
    if device ~= place.device then log.wrong[#log.wrong + 1] = "device " .. device end
    if stream ~= place.stream then log.wrong[#log.wrong + 1] = tostring(stream) end
  end
  return coroutine.wrap(function()
    log.result = place.enter(function()
      return cp.scope(function()
        local sum = cp.zeros(4)
        for k = 1, turns do
          log.made[k] = cp.arange(4) * k
          coroutine.yield()
          look()
          sum = sum + log.made[k]
          pcall(cp.add, cp.ones(2), cp.ones(3))
          look()
        end
        if fails then error(place.name, 0) end
        return sum
      end)
    end)
    log.after = { here() }
    return "end"
  end)
end

local function check_log(place, log, turns, fails)
  assert.same({}, log.wrong, place.name)
  for k = 1, turns do assert.is_true(is_freed(log.made[k]), place.name) end
  if fails then return end
  local n = turns * (turns + 1) / 2
  assert.same({ 0, n, 2 * n, 3 * n }, log.result:totable())
  assert.equal(place.device, log.result.device)
  assert.is_false(is_freed(log.result))
  assert.equal(current, log.after[1])
  assert.is_true(log.after[2] == null)
end

-- Resumes the workers in turn until all have ended. Only those that are to fail may raise an error, and only
-- their own.
local function run(workers, fails)
  local left = #workers
  repeat
    for k, resume in pairs(workers) do
      local ok, value = pcall(resume)
      check_main()
      if not ok then assert.equal(fails[k], value) end
      if not ok or value == "end" then
        workers[k] = nil
        left = left - 1
      end
    end
  until left == 0
end

describe("coroutines inside of with and scope", function()
  it("keep their own device, stream and arrays", function()
    local workers, logs = {}, {}
    for k, place in ipairs(places) do
      logs[k] = {}
      workers[k] = worker(place, k, logs[k])
    end
    run(workers, {})
    for k, place in ipairs(places) do check_log(place, logs[k], k) end
  end)

  it("do so when some of them fail", function()
    for first = 1, #places do
      local workers, logs, fails = {}, {}, {}
      for k, place in ipairs(places) do
        logs[k] = {}
        if k % 2 == first % 2 then fails[k] = place.name end
        workers[k] = worker(place, (k + first) % 4 + 1, logs[k], fails[k])
      end
      run(workers, fails)
      for k, place in ipairs(places) do check_log(place, logs[k], (k + first) % 4 + 1, fails[k]) end
    end
  end)

  it("do so when some are abandoned", function()
    local logs = {}
    for k, place in ipairs(places) do
      logs[k] = {}
      local resume = worker(place, 3, logs[k])
      resume()
      if k % 2 == 1 then resume() end
    end
    collectgarbage()
    collectgarbage()
    check_main()
    for k, place in ipairs(places) do assert.same({}, logs[k].wrong, place.name) end
    assert.same({ 2, 2 }, (cp.ones(2) * 2):totable())
  end)

  it("do so when one resumes another from inside", function()
    local outer_log, inner_log, seen = {}, {}, {}
    local inner = worker(places[3], 2, inner_log)
    local outer = coroutine.wrap(function()
      outer_log.result = s:with(function()
        return cp.scope(function()
          local a = cp.ones(3)
          inner()
          seen[1] = { here() }
          local b = cp.scope(function()
            inner()
            seen[2] = { here() }
            return a + 1
          end)
          coroutine.yield()
          seen[3] = { here() }
          outer_log.made = { a, b }
          return b * 2
        end)
      end)
    end)
    outer()
    check_main()
    assert.equal("end", t:with(inner))
    check_main()
    outer()
    check_main()
    for k = 1, 3 do
      assert.equal(current, seen[k][1])
      assert.is_true(seen[k][2] == s)
    end
    assert.same({ 4, 4, 4 }, outer_log.result:totable())
    assert.is_true(is_freed(outer_log.made[1]) and is_freed(outer_log.made[2]))
    assert.same({}, inner_log.wrong)
    assert.same({ 0, 3, 6, 9 }, inner_log.result:totable())
    for k = 1, 2 do assert.is_true(is_freed(inner_log.made[k])) end
  end)

  it("may fail inside of each other's resumes", function()
    local log = {}
    local failing = worker(places[2], 1, log, true)
    s:with(function()
      failing()
      local ok, value = pcall(cp.scope, function()
        local x = cp.ones(3) -- luacheck: ignore
        failing()
      end)
      assert.is_false(ok)
      assert.truthy(value:find("stream t$")) -- coroutine.wrap adds the line
      local device, stream = here()
      assert.equal(current, device)
      assert.is_true(stream == s)
    end)
    check_main()
    assert.same({}, log.wrong)
    assert.is_true(is_freed(log.made[1]))
  end)
end)
