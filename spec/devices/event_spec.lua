-- Events: recording, timing, waiting; and the properties of devices.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure, counted = check.failure, check.counted
local current = cp.device().name
local on_gpu = current ~= "cpu"

local large = cp.ones(on_gpu and 4000000 or 100000):eval()

-- Work of some microseconds at each time.
local function work(times)
  local x, sum = large, nil
  for _ = 1, times do sum = x:sum():eval() end
  return sum
end

describe("cp.cuda.Event", function()
  it("is of the current device or another one", function()
    local e, f = cp.cuda.Event(), cp.cuda.Event("cpu")
    assert.equal(current, e.device)
    assert.equal("cpu", f.device)
    assert.is_true(e.timing)
    assert.is_false(cp.cuda.Event({ timing = false }).timing)
    assert.equal("cpu", cp.cuda.Event({ device = "cpu", blocking = true }).device)
    if on_gpu then assert.is_true(e.ptr ~= 0) end
  end)

  it("measures the work between two records", function()
    local a, b, c = cp.cuda.Event(), cp.cuda.Event(), cp.cuda.Event({ blocking = true })
    local _ = work(1)
    local shortest, longest = math.huge, math.huge
    for _ = 1, 5 do -- other programs may have the GPU meanwhile
      local x, y
      a:record()
      x = work(2)
      b:record()
      y = work(200)
      c:record()
      c:synchronize()
      local short, long = cp.cuda.get_elapsed_time(a, b), cp.cuda.get_elapsed_time(b, c)
      assert.is_true(short > 0)
      assert.is_true(math.abs(cp.cuda.get_elapsed_time(a, c) - short - long) < 0.01 * long)
      assert.is_true(cp.cuda.get_elapsed_time(c, a) < 0)
      assert.equal(x:item(), y:item())
      shortest, longest = math.min(shortest, short), math.min(longest, long)
    end
    assert.is_true(longest > 2 * shortest, ("%g, %g ms"):format(shortest, longest))
  end)

  it("returns itself from record and synchronize", function()
    local e = cp.cuda.Event()
    assert.is_true(rawequal(e, e:record()))
    assert.is_true(rawequal(e, e:synchronize()))
    assert.is_true(rawequal(e, e:record(cp.cuda.Stream())))
    assert.is_true(rawequal(e, cp.cuda.Stream():record(e)))
    assert.is_true(cp.cuda.Stream():record():synchronize():query())
  end)

  it("tells whether its work is done", function()
    local e = cp.cuda.Event({ timing = false })
    assert.is_true(e:query()) -- never recorded
    local sum = work(20)
    e:record()
    e:synchronize()
    assert.is_true(e:query())
    assert.is_true(sum:item() > 0)
    assert.equal(1, counted(function() e:synchronize() end).synchronizations)
  end)

  it("can be waited for by streams", function()
    local s, t, e = cp.cuda.Stream(), cp.cuda.Stream(), cp.cuda.Event({ timing = false })
    local x = s:with(function() return cp.arange(1000, "float64") * 2 end)
    e:record(s)
    t:wait_event(e)
    assert.equal(999000, t:with(function() return x:sum() end):item())
  end)

  it("has one launch between two records of a chain", function()
    if not check.lazy then return end
    local a, b, x = cp.cuda.Event(), cp.cuda.Event(), cp.ones(100):eval()
    local before
    cp.synchronize()
    assert.equal(1, counted(function()
      a:record()
      before = x * 2 + 1
      b:record()
    end).launches)
    assert.equal(3, before[1])
  end)

  it("are reused when nothing refers to them any more, as if new", function()
    for _ = 1, 3 do collectgarbage() end
    -- No free event is left: all that nothing refers to are collected.
    cp.cuda.Event({ blocking = true, timing = false })
    local e = cp.cuda.Event():record():synchronize()
    local ptr = e.ptr
    e = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    local f, g = cp.cuda.Event(), cp.cuda.Event({ timing = false })
    assert.equal(ptr, f.ptr)
    assert.are_not.equal(ptr, g.ptr)
    assert.is_true(f.timing and f:query())
    assert.is_false(g.timing)
    failure("usage", "get_elapsed_time: start was not recorded", function() cp.cuda.get_elapsed_time(f, f) return 1 end)
    assert.is_true(cp.cuda.get_elapsed_time(f:record(), f) == 0)
  end)

  it("can be made in large numbers without being freed", function()
    for _ = 1, 2000 do cp.cuda.Event():record() end
    collectgarbage()
    assert.is_true(cp.cuda.Event():record():synchronize():query())
  end)

  it("refuses what is wrong", function()
    local e, f = cp.cuda.Event(), cp.cuda.Event({ timing = false })
    assert.equal("event of " .. cp.device().name, tostring(e))
    failure("usage", "get_elapsed_time: finish must be an event, not string",
      function() cp.cuda.get_elapsed_time(e, "f") return 1 end)
    failure("usage", "Event: no option 'time'", function() cp.cuda.Event({ time = true }) end)
    failure("usage", "Event: timing must be true or false, not number", function() cp.cuda.Event({ timing = 1 }) end)
    failure("usage", "Event: no device is named 'gpu'", function() cp.cuda.Event("gpu") end)
    failure("usage", "record: stream must be a stream, not string", function() e:record("s") return 1 end)
    failure("usage", "Stream.record: event must be an event, not number",
      function() cp.cuda.Stream():record(5) return 1 end)
    failure("usage", "record: argument 1 must be an event, not nil (missing)", function() e.record() return 1 end)
    failure("usage", "get_elapsed_time: start was not recorded", function() cp.cuda.get_elapsed_time(e, e) return 1 end)
    e:record()
    f:record()
    failure("usage", "get_elapsed_time: finish was made with timing = false",
      function() cp.cuda.get_elapsed_time(e, f) return 1 end)
    failure("usage", "get_elapsed_time: start must be an event, not nil (missing)",
      function() cp.cuda.get_elapsed_time() return 1 end)
    failure("usage", "Event: an event has no field or method 'wait'; it has device, ptr, query, record, "
      .. "synchronize, timing", function() e:wait() return 1 end)
  end)

  if on_gpu then
    it("belongs to one device", function()
      local host, here = cp.cuda.Event("cpu"), cp.cuda.Event()
      local s = cp.cuda.Stream({ device = "cpu" })
      failure("usage", ("record: the stream belongs to cpu, not to %s"):format(current),
        function() here:record(s) return 1 end)
      failure("usage", ("record: the stream belongs to %s, not to cpu"):format(current),
        function() host:record(cp.cuda.Stream()) return 1 end)
      failure("usage", ("wait_event: the event belongs to cpu, the stream to %s"):format(current),
        function() cp.cuda.Stream():wait_event(host:record()) return 1 end)
      failure("usage", ("get_elapsed_time: the events belong to %s and cpu"):format(current),
        function() cp.cuda.get_elapsed_time(here:record(), host:record()) return 1 end)
    end)
  end
end)

describe("a device", function()
  it("tells its properties and attributes", function()
    local d = cp.device()
    local p, a = d.properties, d.attributes
    assert.is_string(p.name)
    assert.is_true(#p.name > 0 and p.multiprocessors >= 1)
    assert.is_true(p.total_memory > p.free_memory and p.free_memory > 0)
    local free, total = d:mem_info()
    assert.equal(p.total_memory, total)
    assert.is_true(free > 0 and free < total)
    if on_gpu then
      assert.truthy(p.compute_capability:match "^%d+%.%d$")
      assert.equal((p.compute_capability:gsub("%.", "")), d.compute_capability)
      assert.equal(32, a.WarpSize)
      assert.equal(p.multiprocessors, a.MultiprocessorCount)
      assert.equal(p.max_threads_per_block, a.MaxThreadsPerBlock)
    else
      assert.is_nil(d.compute_capability)
      assert.equal(p.multiprocessors, a.Threads)
    end
    check.failure("usage", "Device: a device has no field or method 'names'; did you mean 'name'?",
      function() return d.names == nil end)
  end)

  it("has them on the CPU too", function()
    local p = cp.device("cpu").properties
    assert.equal(select(2, cp.device("cpu"):mem_info()), p.total_memory)
  end)
end)
