-- Streams: creating and using them, what belongs to which stream, and the order of work on memory that
-- several use. The CPU device does the same bookkeeping, so the waits that a GPU needs are counted there too.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure, counted = check.failure, check.counted
local current = cp.device().name
local on_gpu = current ~= "cpu"

local function now() return cp.cuda.get_current_stream() end
local function null() return cp.cuda.Stream.null end

describe("cp.cuda.Stream", function()
  it("makes streams of the current device or another one", function()
    local s, t = cp.cuda.Stream(), cp.cuda.Stream({ non_blocking = true, device = "cpu" })
    assert.equal(current, s.device)
    assert.is_false(s.non_blocking)
    assert.equal(0, s.priority)
    assert.equal("cpu", t.device)
    assert.is_true(t.non_blocking)
    assert.is_false(s == t)
    assert.is_false(s == null())
    assert.is_true(s == s)
    assert.truthy(tostring(s):find("of " .. current, 1, true))
    assert.equal("closed stream", (function() t:close() return tostring(t) end)())
  end)

  it("limits priorities to the device's range", function()
    local s = cp.cuda.Stream({ priority = -1000 })
    if on_gpu then
      assert.is_true(s.priority < 0 and s.priority > -1000)
    else
      assert.equal(0, s.priority)
    end
    assert.equal(0, cp.cuda.Stream({ priority = 1000 }).priority)
  end)

  it("has the stream that is current unless another one is chosen", function()
    assert.is_true(null() == null())
    assert.is_true(now() == null())
    assert.equal(current, null().device)
    assert.equal("cpu", cp.device("cpu"):with(function() return null().device end))
    assert.is_true(cp.cuda.get_current_stream(current) == null())
    if on_gpu then assert.is_true(null().ptr ~= 0) end
  end)

  it("takes streams of others by their handle", function()
    local owner = cp.cuda.Stream()
    local ptr = on_gpu and owner.ptr or 4096
    local s = cp.cuda.ExternalStream(ptr)
    assert.equal(ptr, s.ptr)
    assert.is_true(s == cp.cuda.Stream({ ptr = ptr })) -- one object for one queue
    local x = s:with(function() return cp.arange(5) * 2 end)
    assert.same({ 0, 2, 4, 6, 8 }, x:totable())
    s:close()
    assert.same({ 1, 3, 5, 7, 9 }, (x + 1):totable())
    assert.is_true(cp.cuda.ExternalStream(ptr):with(function() return (x + x):sum():item() end) == 40)
  end)

  it("refuses what is wrong", function()
    failure("usage", "Stream: no option 'nonblocking' (did you mean 'non_blocking'?)",
      function() cp.cuda.Stream({ nonblocking = true }) end)
    failure("usage", "Stream: non_blocking must be true or false, not string",
      function() cp.cuda.Stream({ non_blocking = "yes" }) end)
    failure("usage", "Stream: priority must be a whole number", function() cp.cuda.Stream({ priority = "high" }) end)
    failure("usage", "Stream: no device is named 'gpu'", function() cp.cuda.Stream({ device = "gpu" }) end)
    failure("usage", "Stream: ptr must be a whole number", function() cp.cuda.Stream({ ptr = "x" }) end)
    failure("usage", "cuda.ExternalStream: ptr must be a whole number", function() cp.cuda.ExternalStream() end)
    for _, ptr in ipairs(on_gpu and { -1, 3, 4095, 5001, 2 ^ 48 } or {}) do
      local ok, message = pcall(cp.cuda.ExternalStream, ptr)
      assert.is_false(ok)
      assert.truthy(message:find(("%d is not the handle of a CUDA stream"):format(ptr), 1, true), message)
    end
    failure("usage", "cuda.Stream: there is no cp.cuda.Stream.ptds", function() return cp.cuda.Stream.ptds == 1 end)
    failure("usage", "Stream: a stream has no field or method 'sync'", function() cp.cuda.Stream():sync() end)
    failure("usage", "synchronize: argument 1 must be a stream, not number",
      function() cp.cuda.Stream().synchronize(5) return 1 end)
    failure("usage", "Device.with: f must be a function", function() cp.device("cpu"):with(5) return 1 end)
    failure("usage", "Stream.with: f must be a function, not nil (missing)", function() cp.cuda.Stream():with() end)
    failure("usage", "wait_event: event must be an event, not table",
      function() cp.cuda.Stream():wait_event({}) return 1 end)
  end)

  it("is not used after close", function()
    local s = cp.cuda.Stream()
    local x = s:with(function() return cp.arange(4) + 1 end)
    s:close()
    s:close()
    assert.same({ 1, 2, 3, 4 }, x:totable())
    failure("usage", "synchronize: argument 1 is a stream that was closed", function() s:synchronize() return 1 end)
    failure("usage", "with: argument 1 is a stream that was closed", function() s:with(print) return 1 end)
    failure("usage", "record: stream is a stream that was closed", function() cp.cuda.Event():record(s) return 1 end)
    failure("usage", "ptr: argument 1 is a stream that was closed", function() return s.ptr + 1 end)
    local e = cp.cuda.ExternalStream(on_gpu and null().ptr or 64)
    failure("usage", "close: the stream is the current one",
      function() e:with(function() e:close() return 1 end) return 1 end)
    assert.is_true(now() == null())
  end)

  it("reuses streams that nothing refers to any more", function()
    local ids = {}
    for _ = 1, 50 do
      local s = cp.cuda.Stream({ non_blocking = true })
      ids[s.id] = true
      s:close()
    end
    local count = 0
    for _ in pairs(ids) do count = count + 1 end
    assert.is_true(count <= 2)
  end)
end)

describe("s:with", function()
  local s = cp.cuda.Stream()

  it("runs a function there, with arguments and results", function()
    local a, b, c = s:with(function(...)
      assert.is_true(now() == s)
      return select("#", ...), ...
    end, nil, 5)
    assert.same({ 2, nil, 5 }, { a, b, c })
    assert.is_true(now() == null())
  end)

  it("passes errors through, goes back, and nests", function()
    local t = cp.cuda.Stream()
    local ok, problem = pcall(s.with, s, function() error("mine", 0) end)
    assert.is_false(ok)
    assert.equal("mine", problem)
    assert.is_true(now() == null())
    s:with(function()
      t:with(function() assert.is_true(now() == t) end)
      assert.is_true(now() == s)
      pcall(t.with, t, error)
      assert.is_true(now() == s)
      null():with(function() assert.is_true(now() == null()) end)
      assert.is_true(now() == s)
    end)
    assert.is_true(now() == null())
  end)

  it("makes the stream's device the current one", function()
    local c, own = cp.cuda.Stream({ device = "cpu" }), null()
    c:with(function()
      assert.equal("cpu", cp.device().name)
      assert.is_true(now() == c)
      if on_gpu then assert.is_true(cp.cuda.get_current_stream(current) == own) end
      cp.device(current):with(function() assert.is_true(now() == (on_gpu and own or c)) end)
    end)
    assert.equal(current, cp.device().name)
    assert.is_true(cp.cuda.get_current_stream "cpu" ~= c)
  end)

  it("use switches until its guard is closed", function()
    local guard = s:use()
    assert.is_true(now() == s)
    guard.close()
    assert.is_true(now() == null())
    guard.close()
    if _VERSION == "Lua 5.4" then
      local run = load [[local cp, s = ...
        do local g <close> = s:use() assert(cp.cuda.get_current_stream() == s) end
        return cp.cuda.get_current_stream() == cp.cuda.Stream.null]]
      assert.is_true(run(cp, s))
    end
  end)

  it("costs the same however many streams there are", function()
    if check.mode == "gc" then return pending "each stream costs a collection" end
    local streams, f = {}, function() end
    local function cost(count)
      for k = #streams + 1, count do streams[k] = cp.cuda.Stream { device = "cpu" } end
      local least = math.huge
      for _ = 1, 5 do
        local begin = os.clock()
        for _ = 1, 500 do streams[1]:with(f) end
        least = math.min(least, os.clock() - begin)
      end
      return least
    end
    local few = cost(10)
    local many = cost(10000)
    assert.is_true(many < 10 * few, ("500 take %.6f s with 10 streams, %.6f s with 10000"):format(few, many))
  end)
end)

describe("coroutines", function()
  local s, t = cp.cuda.Stream(), cp.cuda.Stream({ non_blocking = true })

  -- Yields inside of `with` on a stream and a device.
  local function worker(stream, values)
    return coroutine.wrap(function()
      stream:with(function()
        for k = 1, 3 do
          assert(now() == stream)
          values[k] = cp.arange(4) * k
          coroutine.yield(k)
          assert(now() == stream and cp.device().name == stream.device)
        end
      end)
      assert(now() == null())
      return "end"
    end)
  end

  it("keep their own stream and device while their with blocks interleave", function()
    local c = cp.cuda.Stream({ device = "cpu" })
    local x, y, z = {}, {}, {}
    local a, b, d = worker(s, x), worker(t, y), worker(c, z)
    for k = 1, 3 do
      assert.equal(k, a())
      assert.is_true(now() == null())
      assert.equal(k, b())
      assert.equal(k, d())
      assert.equal(current, cp.device().name)
      assert.is_true(now() == null())
    end
    assert.same({ "end", "end", "end" }, { a(), b(), d() })
    for k = 1, 3 do
      assert.same({ 0, k, 2 * k, 3 * k }, x[k]:totable())
      assert.is_true(x[k] == y[k])
      assert.equal("cpu", z[k].device)
    end
  end)

  it("use the device and stream of the coroutine that resumes them, unless they chose their own", function()
    local seen = {}
    local co = coroutine.wrap(function()
      while true do
        seen[#seen + 1] = now()
        coroutine.yield()
      end
    end)
    s:with(co)
    co()
    t:with(co)
    t:with(function()
      local inner = coroutine.wrap(function()
        s:with(function()
          co()
          coroutine.wrap(function() seen[#seen + 1] = now() end)()
        end)
        seen[#seen + 1] = now()
      end)
      inner()
    end)
    assert.is_true(seen[1] == s and seen[2] == null() and seen[3] == t)
    assert.is_true(seen[4] == s and seen[5] == s and seen[6] == t)
    assert.is_true(now() == null())
  end)

  it("keep what they use until they end", function()
    local co = coroutine.wrap(function()
      s:use()
      for _ = 1, 2 do
        coroutine.yield(now())
      end
    end)
    assert.is_true(co() == s)
    assert.is_true(now() == null())
    t:with(function() assert.is_true(now() == t) end)
    assert.is_true(co() == s)
    co = nil -- luacheck: ignore
    collectgarbage()
    assert.is_true(now() == null())
  end)

  it("may be abandoned inside of a with", function()
    for _ = 1, 20 do
      local co = coroutine.wrap(function() s:with(function() coroutine.yield(cp.ones(2) + 1) end) end)
      assert.same({ 2, 2 }, co():totable())
    end
    collectgarbage()
    collectgarbage()
    assert.is_true(now() == null())
    assert.same({ 2, 2 }, (cp.ones(2) + 1):totable())
  end)

  it("leave a with only by errors when they fail", function()
    local co = coroutine.create(function() s:with(function() coroutine.yield() error("mine", 0) end) end)
    assert.is_true(coroutine.resume(co))
    assert.is_true(now() == null())
    local ok, problem = coroutine.resume(co)
    assert.is_false(ok)
    assert.equal("mine", problem)
    assert.is_true(now() == null())
  end)
end)

describe("pending values", function()
  local s, t = cp.cuda.Stream(), cp.cuda.Stream()
  local x = cp.arange(100, "float32"):eval()
  local lazy = check.lazy and it or pending

  lazy("are computed at the end of with, those of its stream alone", function()
    cp.synchronize()
    local mine = x + 1
    local other
    assert.equal(1, counted(function() other = s:with(function() return x * 2 + 3 end) end).launches)
    assert.equal(0, counted(function() other:eval() end).launches)
    assert.equal(0, counted(function() s:synchronize() end).launches)
    assert.equal(1, counted(function() null():synchronize() end).launches)
    assert.equal(0, counted(function() mine:eval() end).launches)
  end)

  lazy("are computed by record, query, wait_event and synchronize of their stream", function()
    local e = cp.cuda.Event()
    for name, f in pairs {
      record = function() e:record(s) end,
      ["stream record"] = function() s:record(e) end,
      query = function() s:query() end,
      wait_event = function() s:wait_event(e) end,
      synchronize = function() s:synchronize() end,
      ["cp.synchronize"] = function() cp.synchronize() end,
      callback = function() s:callback(function() end) end,
      close = function() cp.cuda.Stream():close() cp.synchronize() end,
      ["end of with"] = function() s:with(function() end) end,
    } do
      cp.synchronize()
      local guard = s:use()
      local y = x * 2 + 1
      guard.close()
      assert.equal(1, counted(f).launches, name)
      assert.equal(199, y[100])
    end
  end)

  lazy("are launched at each leave, whatever else goes on waiting", function()
    cp.synchronize()
    for _, stream in ipairs { s, null() } do
      local constant, part, whole, y
      stream:with(function()
        constant, part = cp.ones(100, "float32"), x + 1
        whole = (part * 2):eval()
      end)
      assert.equal(0, counted(function() stream:with(function() end) end).launches)
      assert.equal(1, counted(function() stream:with(function() y = x * 3 end) end).launches)
      assert.equal(1, counted(function() stream:with(function() y = y + part end) end).launches)
      assert.equal(297 + 100, y[100])
      assert.equal(200, whole[100])
      assert.equal(1, constant[100])
      assert.equal(1, counted(function()
        stream:with(function() y = x:ge(1) end)
        stream:synchronize()
        stream:record():synchronize()
      end).launches)
    end
  end)

  lazy("stay where computing them failed, for the next time", function()
    cp.synchronize()
    local y
    local big = cp.arange(1e6, "float32"):eval()
    cp.collect()
    cp.memory { limit = cp.memory().live + 1000 }
    local ok = pcall(function() s:with(function() y = big + 1 end) end)
    cp.memory { limit = 0 }
    assert.is_false(ok)
    assert.equal("memory", cp.last_error().kind)
    assert.equal(1, counted(function() s:with(function() end) end).launches)
    assert.equal(1e6, y[-1])
  end)

  lazy("of another stream are computed there before an expression uses them", function()
    cp.synchronize()
    local guard = s:use()
    local y = x * 2 -- pending on s
    guard.close()
    local grown = counted(function() y = (y + 1):eval() end)
    assert.equal(2, grown.launches)
    assert.is_true(grown.waits >= 1)
    assert.equal(199, y[100])
    guard = s:use()
    y = x * 2
    guard.close()
    assert.equal(2, counted(function() y = y:sum():eval() end).launches)
    assert.equal(9900, y:item())
    guard = s:use()
    y = x * 2
    guard.close()
    local z = cp.zeros(100, "float32"):eval()
    assert.equal(2, counted(function() z:assign(y) end).launches)
    assert.equal(198, z[100])
  end)

  lazy("without memory belong to no stream", function()
    cp.synchronize()
    local one, steps = cp.ones(100, "float32"), cp.arange(100)
    local y
    assert.equal(1, counted(function() y = t:with(function() return x + one * 3 + steps end) end).launches)
    assert.equal(99 + 3 + 99, y[100])
    assert.equal(1, one[5])
  end)

  lazy("of several streams are evaluated by one kernel each", function()
    cp.synchronize()
    local a = x + 1
    local guard = s:use()
    local b, c = x + 2, x + 3
    guard.close()
    assert.equal(2, counted(function() cp.eval(a, b, c) end).launches)
    assert.same({ 100, 101, 102 }, { a[100], b[100], c[100] })
  end)
end)

describe("s:query and s:synchronize", function()
  it("tell whether the work is done, and wait for it", function()
    local s = cp.cuda.Stream()
    local x = s:with(function() return cp.ones(1000):sum() end)
    assert.is_true(rawequal(s, s:synchronize()))
    assert.is_true(s:query())
    assert.equal(1000, x:item())
    assert.is_true(rawequal(s, s:wait_event(cp.cuda.Event())))
  end)

  it("count as synchronisations", function()
    local s = cp.cuda.Stream()
    assert.equal(1, counted(function() s:synchronize() end).synchronizations)
    assert.equal(0, counted(function() s:query() end).synchronizations)
  end)
end)

describe("s:callback", function()
  local s = cp.cuda.Stream()

  local function poll_until(f)
    local deadline = cp.clock() + 5
    while not f() and cp.clock() < deadline do cp.cuda.poll() end
  end

  it("calls a function once the work is done, at a poll", function()
    local calls = {}
    s:callback(function(...) calls[#calls + 1] = { ... } end, "a", 1)
      :callback(function() calls[#calls + 1] = { "b" } end)
    s:launch_host_func(function() calls[#calls + 1] = { "c" } end)
    assert.same({}, calls)
    s:synchronize()
    assert.same({ { "a", 1 }, { "b" }, { "c" } }, calls)
    s:synchronize()
    assert.equal(3, #calls)
  end)

  it("is polled by query, cp.synchronize and cp.cuda.poll", function()
    local n = 0
    local function count() n = n + 1 end
    s:callback(count)
    poll_until(function() return s:query() and n == 1 end)
    assert.equal(1, n)
    s:callback(count)
    cp.synchronize()
    assert.equal(2, n)
    s:callback(count)
    poll_until(function() return n == 3 end)
    assert.equal(3, n)
    assert.equal(0, cp.cuda.poll())
    cp.cuda.Stream():callback(count)
    s:synchronize()
    assert.equal(3, n) -- of another stream
    cp.synchronize()
    assert.equal(4, n)
  end)

  it("may raise and add others", function()
    local calls = {}
    s:callback(function() error("mine", 0) end)
    s:callback(function()
      calls[#calls + 1] = 1
      s:callback(function() calls[#calls + 1] = 2 end)
    end)
    local ok, problem = pcall(s.synchronize, s)
    assert.is_false(ok)
    assert.equal("mine", problem)
    assert.same({}, calls)
    s:synchronize()
    assert.same({ 1 }, calls)
    s:synchronize()
    assert.same({ 1, 2 }, calls)
    failure("usage", "Stream.callback: f must be a function, not number", function() s:callback(5) return 1 end)
  end)
end)
