-- Graphs with streams and states: on which stream one is captured and replayed, and what ends with a state.
-- The CPU device follows the same rules.

local cp = require "cupola"
local check = require "spec.helper.check"
local graph = cp.cuda.graph

describe("graphs and streams", function()
  it("run on the current stream, in order with other work", function()
    local s, t = cp.cuda.Stream(), cp.cuda.Stream({ non_blocking = true })
    local x, total = cp.zeros(20000), cp.zeros(20000)
    local g = graph(function()
      total:add_(x)
      return total * 2
    end)
    local y
    for k = 1, 5 do
      s:with(function() x:fill(k) end)
      t:with(function() y = g() end)
      x:add_(1)
      g()
    end
    -- after round k: total grows by k and by k + 1
    local want = 0
    for k = 1, 5 do want = want + 2 * k + 1 end
    assert.equal(want, total[20000])
    assert.equal(2 * want, s:with(function() return y:max() end):item())
  end)

  it("put work of all streams into one order", function()
    local s = cp.cuda.Stream()
    local x = cp.zeros(1000)
    local g = graph(function()
      x:add_(1)
      local y = s:with(function() return cp.cumsum(x) end)
      x:multiply_(2)
      return y + x
    end)
    local y = g()
    assert.equal(1000 + 2, y[1000])
    g()
    assert.equal(3000 + 6, y[1000])
  end)

  it("may be made on a stream, in a scope and in a coroutine", function()
    local x = cp.ones(3)
    local s = cp.cuda.Stream()
    local g = s:with(graph, function() return x + 1 end)
    assert.same({ 2, 2, 2 }, g():totable())
    local h = coroutine.wrap(function() return graph(function() return x + 2 end) end)()
    assert.same({ 3, 3, 3 }, h():totable())
  end)

  it("many at a time", function()
    local x = cp.zeros(3)
    local list = {}
    for k = 1, 20 do list[k] = graph(function() x:add_(k) end) end
    for round = 1, 2 do
      for k = 20, 1, -1 do list[k]() end
      assert.equal(round * 210, x[1])
    end
    for k = 1, 20, 2 do list[k]:free() end
    for k = 2, 20, 2 do list[k]() end
    assert.equal(420 + 110, x[1])
  end)
end)

describe("graphs of a state", function()
  it("may be left when it closes", function()
    local output, status = check.run([[
      local cp = require "cupola"
      local x = cp.ones(10)
      g = cp.cuda.graph(function() x:add_(1) return cp.sort(x) end)
      g()
      print(x:astype("int64")[1])
      h = cp.cuda.graph(function() return cp.random.rand(3) end)
    ]])
    assert.equal("2\n", output)
    assert.equal(0, status)
  end)

  it("may be left in the middle of a capture", function()
    local output, status = check.run([[
      local cp = require "cupola"
      local x = cp.ones(10)
      cp.cuda.graph(function() y = cp.sort(x + 1) os.exit(3, true) end)
    ]])
    assert.equal("", output)
    assert.equal(3, status)
  end)
end)
