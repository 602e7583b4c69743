-- Graphs: what is captured, what a replay does, which memory it uses, and what a capture rejects. The CPU
-- device follows the same rules, so everything runs there too.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure, values, live, WAIT = check.failure, check.values, check.live, check.captured
local graph = cp.cuda.graph
local device = cp.device().name

describe("cp.cuda.graph", function()
  it("records work without doing it, and does it at each call", function()
    local x, total = cp.array({ 1, 2, 3 }), cp.zeros(3)
    local g = graph(function(k)
      local y = x * 2 + k
      total:add_(y)
      return y, y:sum()
    end, 10)
    assert.same({ 0, 0, 0 }, total:totable())
    local y, sum = g()
    assert.same({ 12, 14, 16 }, y:totable())
    assert.equal(42, values(sum))
    assert.same({ 12, 14, 16 }, total:totable())
    local again = g:replay()
    assert.is_true(rawequal(y, again))
    g()
    assert.same({ 36, 42, 48 }, total:totable())
    assert.equal(device, g.device)
    assert.equal(("graph of %d kernels on %s"):format(g.kernels, device), tostring(g))
  end)

  it("runs no Lua again", function()
    local calls = 0
    local x = cp.ones(4)
    local g = graph(function()
      calls = calls + 1
      return x + calls
    end)
    for _ = 1, 3 do assert.same({ 2, 2, 2, 2 }, g():totable()) end
    assert.equal(1, calls)
  end)

  it("returns whatever f returned", function()
    local x = cp.ones(2)
    local g = graph(function() return { y = x + 1 }, nil, "text", nil end)
    assert.equal(4, select("#", g()))
    local t, none, text = g()
    assert.same({ 2, 2 }, t.y:totable())
    assert.is_nil(none)
    assert.equal("text", text)
    assert.equal(0, select("#", graph(function() end)()))
  end)

  it("fuses what is recorded, and counts its kernels", function()
    local x = cp.array({ 1, 2, 3 }, "float32")
    local g = graph(function() return (x * 2 + 1) * x - 3 end)
    assert.same({ 0, 7, 18 }, g():totable())
    assert.is_true(g.nodes >= g.kernels)
    if check.lazy then assert.equal(1, g.kernels) end
    assert.is_true(g.bytes >= 12)
  end)

  it("is one launch", function()
    local x = cp.zeros(3)
    local g = graph(function() for _ = 1, 50 do x:add_(1) end end)
    assert.is_true(g.kernels >= 50)
    local counted = check.counted(g)
    assert.equal(1, counted.launches)
    assert.equal(0, counted.allocations)
    assert.equal(0, counted.synchronizations)
    assert.same({ 50, 50, 50 }, x:totable())
  end)

  it("records an empty function", function()
    local g = graph(function() end)
    assert.equal(0, g.nodes)
    g()
  end)

  it("records long sequences in their order", function()
    local x = cp.ones(5, "int64")
    local g = graph(function()
      for k = 1, 300 do
        x:multiply_(3)
        x:add_(k)
        x:remainder_(1009)
      end
    end)
    g()
    g()
    local want = 1
    for _ = 1, 2 do
      for k = 1, 300 do want = (want * 3 + k) % 1009 end
    end
    assert.same({ want, want, want, want, want }, x:astype("float64"):totable())
  end)
end)

describe("a graph's operands", function()
  it("get other values by being written", function()
    local x = cp.array({ 1, 2, 3 })
    local g = graph(function() return x * 10 end)
    assert.same({ 10, 20, 30 }, g():totable())
    x:assign(cp.array({ 4, 5, 6 }))
    assert.same({ 40, 50, 60 }, g():totable())
    x["2:3"] = 0
    assert.same({ 40, 0, 0 }, g():totable())
    x[1] = 7
    assert.same({ 70, 0, 0 }, g():totable())
    x:fill(1)
    x:add_(1)
    assert.same({ 20, 20, 20 }, g():totable())
  end)

  it("are written in place although something waits for the old values", function()
    local x = cp.array({ 1, 2, 3 })
    local g = graph(function() return x * 10 end)
    local before = x + 0.5
    x:assign(cp.array({ 7, 8, 9 }))
    assert.same({ 70, 80, 90 }, g():totable())
    assert.same({ 1.5, 2.5, 3.5 }, before:totable())
  end)

  it("keep their memory when they are freed or forgotten", function()
    local x = cp.array({ 1, 2, 3 })
    local g = graph(function() return x + 1 end)
    x:free()
    x = nil -- luacheck: ignore
    cp.collect()
    local other = cp.full({ 3 }, 99)
    assert.same({ 2, 3, 4 }, g():totable())
    assert.same({ 99, 99, 99 }, other:totable())
  end)

  it("may be views, broadcast, strided, 0-d and empty", function()
    local m = cp.arange(12):reshape(3, 4)
    local row, one, none = m[1], cp.array(2), cp.zeros({ 0, 4 })
    local g = graph(function() return m.T * 2, m["::2"] + row, m * one, none + 1, (m + row):sum(1) end)
    m:add_(1)
    local a, b, c, d, e = g()
    assert.same((m.T * 2):totable(), a:totable())
    assert.same((m["::2"] + row):totable(), b:totable())
    assert.same((m * one):totable(), c:totable())
    assert.same({ 0, 4 }, { d.shape[1], d.shape[2] })
    assert.same((m + row):sum(1):totable(), e:totable())
  end)

  it("may be of any dtype", function()
    for _, t in ipairs { "bool", "int8", "uint16", "int64", "float16", "bfloat16", "float64", "complex64" } do
      local x = cp.array({ 0, 1, 1 }, t)
      local y = cp.zeros(3, t)
      local g = graph(function() y:assign(x) return x:astype("float64"):sum() end)
      local ok, sum = pcall(function() return g() end)
      assert.is_true(ok, t)
      assert.equal(2, values(sum))
      assert.same({ 0, 1, 1 }, y:astype("float64"):totable())
    end
  end)

  it("that share memory since an assignment are separated first", function()
    local x = cp.zeros(3)
    local t = cp.array({ 1, 2, 3 }) + 1
    x:assign(t)
    assert.same({ 2, 3, 4 }, t:totable()) -- which shares x's memory now
    local g = graph(function()
      local y = x * 10
      x:fill(0)
      return y
    end)
    local y = g()
    assert.same({ 20, 30, 40 }, y:totable())
    assert.same({ 2, 3, 4 }, t:totable())
    x:assign(t + 1)
    g()
    assert.same({ 30, 40, 50 }, y:totable())
    assert.same({ 0, 0, 0 }, x:totable())
  end)

  it("are separated from pending values that read them", function()
    local x = cp.zeros(3)
    local t = cp.array({ 1, 2, 3 }) + 1
    x:assign(t) -- t waits for x's elements now
    local before = x * 2
    local g = graph(function() x:add_(1) return t + 0 end)
    local y = g()
    g()
    assert.same({ 2, 3, 4 }, t:totable())
    assert.same({ 4, 6, 8 }, before:totable())
    assert.same({ 4, 5, 6 }, x:totable())
    assert.same({ 2, 3, 4 }, y:totable())
  end)
end)

describe("a graph's results", function()
  it("change no values computed from them before", function()
    local x = cp.array({ 1, 2, 3 })
    local g = graph(function() return x * 2 end)
    local y = g()
    local before, sum = y + 0.5, (y * y):sum()
    x:add_(1)
    g()
    assert.same({ 2.5, 4.5, 6.5 }, before:totable())
    assert.equal(56, values(sum))
    assert.same({ 4, 6, 8 }, y:totable())
    assert.equal(4, y[1])
    x:add_(1)
    g()
    assert.equal(6, y[1]) -- no copy on the host is out of date
  end)

  it("include what f kept elsewhere, computed or not", function()
    local kept = {}
    local x = cp.array({ 1, 2 })
    local g = graph(function()
      kept.a = x + 1
      kept.b = kept.a * 2
      kept.c = cp.zeros(2)
    end)
    x:fill(5)
    g()
    assert.same({ 6, 6 }, kept.a:totable())
    assert.same({ 12, 12 }, kept.b:totable())
    assert.same({ 0, 0 }, kept.c:totable())
  end)

  it("outlive the graph", function()
    local x = cp.array({ 1, 2 })
    local g = graph(function() return x + 1 end)
    local y = g()
    g:free()
    assert.same({ 2, 3 }, y:totable())
    y:add_(1)
    assert.same({ 3, 4 }, (y + 0):totable())
    failure("usage", "graph.replay: the graph was freed", function() g() return 1 end)
    failure("usage", "graph.nodes: the graph was freed", function() return g.nodes + 1 end)
    failure("usage", "graph.update: the graph was freed", function() g:update(print) end)
    g:free()
    assert.equal("freed graph", tostring(g))
  end)

  it("may be written between two runs", function()
    local x = cp.array({ 1, 2 })
    local g = graph(function() return x + 1 end)
    local y = g()
    y:fill(0)
    local z = y + 0
    g()
    assert.same({ 0, 0 }, z:totable())
    assert.same({ 2, 3 }, y:totable())
  end)
end)

describe("a graph's memory", function()
  it("is its own, and is freed with it", function()
    local x = cp.ones(1000):eval()
    local before = live()
    local g = graph(function() return cp.sort(x), x + 1 end)
    assert.is_true(g.bytes >= 16000)
    local y = g()
    assert.is_true(live() >= before + 16000)
    g:free()
    assert.is_true(live() < before + 16000)
    assert.same(1, y[1000])
    y:free()
    y = nil -- luacheck: ignore
    assert.equal(before, live())
  end)

  it("is freed with a graph that nothing refers to", function()
    local x = cp.ones(1000)
    x:add_(1)
    local before = live()
    for _ = 1, 3 do
      local g = graph(function() return x * 2 end)
      g()
    end
    collectgarbage()
    collectgarbage()
    assert.equal(before, live())
  end)

  it("is reused inside the graph after it was freed there", function()
    local x, sum = cp.ones(10000), cp.zeros(10000)
    local g = graph(function()
      for k = 1, 20 do
        cp.scope(function() sum:add_(cp.cumsum(x * k)) end)
      end
    end)
    g()
    g()
    assert.is_true(g.bytes <= 5 * 80000)
    assert.equal(2 * 210, sum[1])
    assert.equal(2 * 210 * 10000, sum[10000])
  end)

  it("keeps values apart in spite of that", function()
    local x = cp.arange(100)
    local g = graph(function()
      local a = cp.sort(x + 1)
      local b = cp.scope(function()
        local t = cp.sort(-a)
        return cp.sort(t * 2)
      end)
      return a, b, cp.sort(a * 3)
    end)
    x:multiply_(2)
    local a, b, c = g()
    assert.equal(1, a[1])
    assert.equal(-2 * 199, b[1])
    assert.equal(3 * 199, c[100])
  end)

  it("holds what was uploaded inside", function()
    local g = graph(function()
      local x = cp.array({ 1, 2, 3 })
      x:add_(1)
      return x
    end)
    local x = g()
    g()
    g()
    assert.same({ 2, 3, 4 }, x:totable())
    local big = {}
    for k = 1, 9000 do big[k] = k end
    local h = graph(function() return cp.array(big) + 1 end)
    big = nil -- luacheck: ignore
    collectgarbage()
    assert.equal(9001, h()[9000])
  end)
end)

describe("a capture", function()
  local x = cp.array({ 3, 1, 2 })

  it("refuses what reads values, and names the line", function()
    failure("usage", "item: " .. WAIT, function() graph(function() return x[{ "1:1" }]:item(), 1 end) end)
    failure("usage", "index: " .. WAIT, function() graph(function() return x[1], 1 end) end)
    failure("usage", "totable: " .. WAIT, function() graph(function() return x:totable(), 1 end) end)
    failure("usage", "tobytes: " .. WAIT, function() graph(function() return (x + 1):tobytes(), 1 end) end)
    failure("usage", "tostring: " .. WAIT, function() graph(function() return tostring(x), 1 end) end)
    failure("usage", "values: " .. WAIT, function() graph(function() return x:values(), 1 end) end)
    failure("usage", "linalg.inv: " .. WAIT, function() graph(function() return cp.linalg.inv(cp.eye(2)), 1 end) end)
    failure("usage", "index: " .. WAIT, function() graph(function() return x[x:gt(1)], 1 end) end)
    failure("usage", "nonzero: " .. WAIT, function() graph(function() return cp.nonzero(x), 1 end) end)
  end)

  it("refuses what waits", function()
    local s, e = cp.cuda.Stream(), cp.cuda.Event()
    e:record()
    failure("usage", "synchronize: " .. WAIT, function() graph(function() cp.synchronize() end) end)
    failure("usage", "synchronize: " .. WAIT, function() graph(function() s:synchronize() end) end)
    failure("usage", "query: " .. WAIT, function() graph(function() s:query() end) end)
    failure("usage", "wait_event: " .. WAIT, function() graph(function() s:wait_event(e) end) end)
    failure("usage", "record: " .. WAIT, function() graph(function() e:record() end) end)
    failure("usage", "synchronize: " .. WAIT, function() graph(function() e:synchronize() end) end)
    failure("usage", "query: " .. WAIT, function() graph(function() e:query() end) end)
    failure("usage", "record: " .. WAIT, function() graph(function() s:callback(print) end) end)
    failure("usage", "cuda.runtime.deviceSynchronize: " .. WAIT,
      function() graph(function() cp.cuda.runtime.deviceSynchronize() end) end)
    assert.is_true(e:query())
  end)

  it("refuses captures, replays and states of generators inside", function()
    local g = graph(function() return x + 1 end)
    failure("usage", "cuda.graph: a graph is being captured already", function() graph(function() graph(print) end) end)
    failure("usage", "graph.replay: a graph is being captured, and another one cannot run inside",
      function() graph(function() g() end) end)
    failure("usage", "graph.update: a graph is being captured already",
      function() graph(function() g:update(print) end) end)
    failure("usage", "random.seed: a graph is being captured",
      function() graph(function() cp.random.seed(1) end) end)
    assert.same({ 4, 2, 3 }, g():totable())
  end)

  it("refuses what is no function, and methods without an object", function()
    failure("usage", "cuda.graph: f must be a function, not nil (missing)", function() graph() end)
    failure("usage", "cuda.graph: f must be a function, not number", function() graph(3) end)
    failure("usage", "graph.replay: takes no arguments: a graph's operands get other values by being written",
      function() graph(function() end)(cp.ones(2)) return 1 end)
    failure("usage", "graph.replay: is a method", function() graph(function() end).replay() end)
    failure("usage", "graph: a graph has no field or method 'kernel'; did you mean 'kernels'?",
      function() return graph(function() end).kernel, 1 end)
    failure("usage", "graph: has no fields that can be set", function() graph(function() end).nodes = 1 end)
  end)

  it("cannot be left by a yield", function()
    local co = coroutine.wrap(function() return pcall(graph, function() coroutine.yield(1) end) end)
    local ok, message = co()
    assert.is_false(ok)
    assert.truthy(message:find("yield across", 1, true), message)
  end)

  it("ends cleanly with f's own error", function()
    local total = cp.zeros(3):eval()
    local before = live()
    for _ = 1, 3 do
      local ok, message = pcall(graph, function()
        total:add_(x)
        local t = cp.sort(x) -- luacheck: ignore
        error("my own", 0)
      end)
      assert.is_false(ok)
      assert.equal("my own", message)
    end
    assert.same({ 0, 0, 0 }, total:totable())
    assert.equal(before, live())
    local thing = {}
    local _, same = pcall(graph, function() error(thing) end)
    assert.equal(thing, same)
  end)

  it("computes with plain numbers as usual", function()
    local n = 2
    local g = graph(function()
      local root = cp.sqrt(n + 2)
      return x * root + cp.maximum(1, 2)
    end)
    assert.same({ 8, 4, 6 }, g():totable())
    assert.same({ 8, 4, 6 }, g():totable())
  end)

  it("computes what was pending before it, and only that", function()
    local a = cp.array({ 1, 2 })
    local pending = a + 1
    local zeros = cp.zeros(2)
    local g = graph(function()
      zeros:add_(pending)
      return pending * 2
    end)
    a:fill(100)
    assert.same({ 4, 6 }, g():totable())
    g()
    assert.same({ 4, 6 }, zeros:totable())
    assert.same({ 2, 3 }, pending:totable())
  end)

  it("goes on through collections, finalizers and values that are asked for inside", function()
    local a = cp.ones(1000)
    local ran = false
    local g = graph(function()
      local y = a + 1
      y:eval()
      for _ = 1, 10 do cp.sort(y * 2) end
      check.when_collected(function()
        ran = true
        local t = cp.ones(10) + 1
        t:eval()
      end)
      collectgarbage()
      collectgarbage()
      return y * 3
    end)
    assert.is_true(ran)
    assert.equal(6, g()[1000])
  end)

  it("copes with garbage from before it", function()
    do
      local old = graph(function() return x + 1 end)
      old()
    end
    local g = graph(function()
      collectgarbage()
      collectgarbage()
      return x + 2
    end)
    cp.collect()
    assert.same({ 5, 3, 4 }, g():totable())
  end)

  it("leaves work of other devices alone", function()
    if device == "cpu" then return end
    local here = cp.cpu.array({ 1, 2 })
    local g = graph(function() return cp.asarray(here + 1) * 2 end)
    assert.same({ 4, 6 }, g():totable())
  end)
end)
