-- Pending values that outlive other things: freed and collected memory, scopes, coroutines, failures of
-- functions and of allocations. Every test runs with fusion on, off and forced.

local cp = require "cupola"
local check = require "spec.helper.check"
local fusion = require "spec.helper.fusion"

local each, repeat_forced = fusion.tests({ describe = describe, it = it, before_each = before_each,
  after_each = after_each })
local values = check.values
local matrix = fusion.matrix

each("freeing", function()
  it("a leaf does not change what was made of it", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local y = x * 2
    local z = y + x
    x:free()
    local other = cp.full({ 3 }, 9.0) + 0 -- may take the memory
    assert.same({ 2, 4, 6 }, values(y))
    assert.same({ 3, 6, 9 }, values(z))
    assert.same({ 9, 9, 9 }, values(other))
    assert.is_false(pcall(function() return x + 1 end))
  end)

  it("arrays that share memory works in any order", function()
    for last = 1, 2 do
      local pair, others = { cp.eval(cp.arange(1, 4, { dtype = "float64" })), cp.zeros({ 3 }, "float64") }, {}
      pair[2]:assign(pair[1])
      cp.eval(pair[2])
      pair[3 - last] = false
      collectgarbage()
      collectgarbage()
      for k = 1, 50 do others[k] = cp.eval(cp.full({ 3 }, k + 0.0) + 0) end -- may reuse freed memory
      assert.same({ 1, 2, 3 }, values(pair[last]))
      pair[last] = false
      collectgarbage()
      collectgarbage()
      for k = 51, 100 do others[k] = cp.eval(cp.full({ 3 }, k + 0.0) + 0) end
      for k = 1, 100 do assert.same({ k, k, k }, values(others[k])) end
    end
  end)

  it("a pending value does not change what was made of it", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local y = x * 2
    local z = y + 1
    y:free()
    x:fill(0)
    assert.same({ 3, 5, 7 }, values(z))
    assert.is_false(pcall(function() return y + 1 end))
    local p = x + 1
    p:free()
    p:free()
    assert.is_false(pcall(function() return p:sum() end))
  end)

  it("a view's memory does not change what was made of the view", function()
    local x = matrix({ 3, 4 })
    local y = x[2] * 2
    x:free()
    assert.same({ 10, 12, 14, 16 }, values(y))
  end)

  it("garbage does not change what was made of it", function()
    local y
    do
      local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
      local t = x + 1
      y = t * x
    end
    for _ = 1, 3 do
      collectgarbage()
      local _ = cp.full({ 3 }, -1.0) + 0
    end
    assert.same({ 2, 6, 12 }, values(y))
  end)

  it("arrays is not delayed by readers that are garbage", function()
    cp.collect()
    local before = cp.memory().live
    do
      local x = cp.eval(cp.ones({ 1000 }))
      local y = x * 2
      local z = y + x -- luacheck: ignore
      x:fill(0)
    end
    cp.collect()
    cp.collect()
    assert.is_true(cp.memory().live <= before)
  end)

  if _VERSION == "Lua 5.4" then
    it("by <close> does not change what was made of it", function()
      local f = load [[
        local cp = ...
        local y
        do
          local x <close> = cp.arange(1, 4, { dtype = "float64" })
          local t <close> = x + 1
          y = t * 2
        end
        return y]]
      assert.same({ 4, 6, 8 }, values(f(cp)))
    end)
  end
end)

each("a scope", function(mode)
  it("returns values, whatever they were made of", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local inner
    local y, t = cp.scope(function()
      local a = x + 1
      inner = a * 2
      return inner - a, { inner + x }
    end)
    x:fill(0)
    assert.same({ 2, 3, 4 }, values(y))
    assert.same({ 5, 8, 11 }, values(t[1]))
    assert.is_false(pcall(function() return inner + 1 end))
  end)

  it("keeps what cp.keep is given, pending as it is", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local kept
    cp.scope(function()
      local a = x + 1
      kept = cp.keep(a * 2)
    end)
    x:fill(0)
    assert.same({ 4, 6, 8 }, values(kept))
  end)

  it("leaves what was pending before", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local y = x * 2
    cp.scope(function()
      local z = y + 1 -- luacheck: ignore
      x:fill(0)
    end)
    assert.same({ 2, 4, 6 }, values(y))
    cp.scope(function() y:assign(y + x) end)
    assert.same({ 2, 4, 6 }, values(y))
  end)

  it("ends by an error with values pending", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local before = cp.memory().state_live
    local ok, message = pcall(cp.scope, function()
      local y = x * 2
      local z = y + x -- luacheck: ignore
      error("mine", 0)
    end)
    assert.is_false(ok)
    assert.equal("mine", message)
    assert.is_true(cp.memory().state_live <= before)
    x:add_(1)
    assert.same({ 2, 3, 4 }, values(x))
  end)

  it("frees temporaries of a chain that is assigned", function()
    local x = cp.eval(cp.zeros({ 1000 }))
    local before = cp.memory().state_live
    for _ = 1, 50 do
      x:assign(function()
        local a = x + 1
        local b = a * 2
        return b - a
      end)
    end
    assert.equal(50, x[1])
    -- If operators compute at once, f's result has its own memory; a and b are freed.
    local left = cp.memory().state_live - before
    assert.is_true(left <= (mode == "on" and 0 or 50 * 8192), left)
  end)
end)

each("x:assign(f)", function()
  local x

  before_each(function() x = cp.eval(cp.arange(1, 4, { dtype = "float64" })) end)

  it("takes whatever f returns", function()
    x:assign(function() return 5 end)
    assert.same({ 5, 5, 5 }, values(x))
    x:assign(function() return { 1, 2, 3 } end)
    assert.same({ 1, 2, 3 }, values(x))
    x:assign(function() return x["::-1"] end)
    assert.same({ 3, 2, 1 }, values(x))
    x:assign(function() return x end)
    assert.same({ 3, 2, 1 }, values(x))
  end)

  it("frees what f made and returns, computed or not", function()
    local other, gone, kept, view = cp.arange(3, "float64"):copy(), {}, nil, nil
    x:assign(function() gone[1] = x + 1 return gone[1] end)
    x:assign(function() gone[2] = x:copy() return gone[2] end)
    x:assign(function() gone[3] = cp.zeros({ 1 }) + 7 return gone[3] end)
    assert.same({ 7, 7, 7 }, values(x))
    for k = 1, 3 do
      local ok, message = pcall(gone[k].totable, gone[k])
      assert.is_false(ok)
      assert.truthy(message:find("the array's memory was freed", 1, true), message)
    end
    x:assign(function() kept = cp.keep(x * 2) return kept end)
    assert.same({ 14, 14, 14 }, values(kept))
    x:assign(function() view = other["::-1"] return view end)
    assert.same({ 2, 1, 0 }, values(view))
    x:assign(function() return other end)
    assert.same({ 0, 1, 2 }, values(other))
    assert.same({ 0, 1, 2 }, values(x))
  end)

  it("sees what f writes", function()
    x:assign(function()
      local y = x * 10
      x:fill(1)
      return y + x
    end)
    assert.same({ 11, 21, 31 }, values(x))
  end)

  it("leaves other readers of x", function()
    local y = x * 2
    x:assign(function() return x + y end)
    assert.same({ 2, 4, 6 }, values(y))
    assert.same({ 3, 6, 9 }, values(x))
  end)

  it("nests", function()
    local z = cp.zeros({ 3 })
    x:assign(function()
      z:assign(function() return x + 1 end)
      return z * 2
    end)
    assert.same({ 4, 6, 8 }, values(x))
    assert.same({ 2, 3, 4 }, values(z))
  end)

  it("changes nothing when f fails", function()
    local y = x * 2
    local ok, message = pcall(function() x:assign(function() local _ = x + 1 error("mine", 0) end) end)
    assert.is_false(ok)
    assert.equal("mine", message)
    assert.is_false(pcall(function() x:assign(function() return x + cp.ones({ 2 }) end) end))
    assert.is_false(pcall(function() x:assign(function() return "text" end) end))
    assert.same({ 1, 2, 3 }, values(x))
    assert.same({ 2, 4, 6 }, values(y))
  end)
end)

each("coroutines", function()
  it("that alternate have their own values", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local function body(factor)
      return coroutine.wrap(function()
        local y = x * factor
        coroutine.yield()
        y = y + x
        coroutine.yield()
        return y
      end)
    end
    local a, b = body(2), body(3)
    a() b()
    x:add_(10)
    a() b()
    x:fill(0)
    assert.same({ 13, 16, 19 }, values(a()))
    assert.same({ 14, 18, 22 }, values(b()))
  end)

  it("that are never finished leave their values to the collector", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    for _ = 1, 100 do
      local co = coroutine.create(function()
        local y = x * 2
        coroutine.yield(y)
      end)
      coroutine.resume(co)
    end
    collectgarbage()
    x:add_(1)
    assert.same({ 2, 3, 4 }, values(x))
  end)

  it("may be abandoned inside a scope", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local y
    local co = coroutine.create(function()
      cp.scope(function()
        y = x * 2
        coroutine.yield()
      end)
    end)
    coroutine.resume(co)
    x:fill(0)
    assert.same({ 2, 4, 6 }, values(y))
  end)
end)

each("collections", function()
  it("at any point leave values right", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local y = x * 2
    collectgarbage()
    local z = y + x
    collectgarbage()
    x:fill(0)
    collectgarbage()
    y = nil -- luacheck: ignore
    collectgarbage()
    assert.same({ 3, 6, 9 }, values(z))
  end)

  it("that write what is pending come before or after it", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local y = x * 2
    check.when_collected(function() x:fill(0) end)
    collectgarbage()
    collectgarbage()
    assert.same({ 2, 4, 6 }, values(y))
    assert.same({ 0, 0, 0 }, values(x))
  end)

  it("that force what is pending do no harm", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local y = x * 2
    local z, seen = y + 1, nil
    check.when_collected(function() seen = values(z) end)
    cp.collect()
    cp.collect()
    assert.same({ 3, 5, 7 }, seen)
    assert.same({ 2, 4, 6 }, values(y))
  end)

  it("in the middle of a force find a consistent state", function()
    local x = cp.eval(cp.ones({ 200000 }))
    local y = x * 2
    local z, freed = y + x, cp.eval(cp.ones({ 10 }))
    check.when_collected(function()
      x:fill(7)
      freed:free()
    end)
    local before = cp.memory().limit
    cp.collect()
    local junk = cp.ones({ 200000 }) + 0 -- luacheck: ignore
    junk = nil -- luacheck: ignore
    cp.memory { limit = cp.memory().live + 100000 } -- the force has to collect
    local ok, message = pcall(function() z:eval() end)
    cp.memory { limit = before }
    if not ok then assert.matches("out of memory", message) end
    assert.equal(3, z[1])
    assert.equal(3, z[-1])
    assert.equal(2, y[100])
  end)
end)

each("memory that runs out", function(mode)
  local MB = 1048576
  local before

  before_each(function()
    cp.collect()
    before = cp.memory().limit
  end)

  after_each(function() cp.memory { limit = before } end)

  -- f under a limit that leaves no room for an array of 8 MB.
  local function cramped(f)
    cp.collect()
    cp.memory { limit = cp.memory().live + 4 * MB }
    local ok, message = pcall(f)
    cp.memory { limit = before }
    return ok, message
  end

  it("at a force names the chain, and a second force succeeds", function()
    local x, y = cp.eval(cp.ones({ MB }), cp.full({ MB }, 2.0))
    local z
    local ok, message = cramped(function()
      z = cp.sqrt(x * y + x)
      z:eval()
    end)
    assert.is_false(ok)
    assert.matches("out of memory", message)
    assert.equal("memory", cp.last_error().kind)
    assert.matches("hazard_life_spec%.lua:%d+: cupola%.", message)
    if mode == "on" then
      for _, name in ipairs { "multiply", "add", "sqrt" } do assert.matches(name, message) end
      assert.is_false((cramped(function() z:eval() end)))
      z:eval()
    end
    assert.equal(math.sqrt(3), cp.sqrt(x * y + x)[MB])
    if z then assert.equal(math.sqrt(3), z[1]) end
    assert.equal(1, x[1])
  end)

  it("at a reduction of a chain leaves the chain", function()
    local x = cp.eval(cp.ones({ MB }))
    local y
    local ok = cramped(function()
      y = x * 2 + 1
      local _ = y:sum() + y["::2"]
    end)
    if not ok and not y then y = x * 2 + 1 end
    assert.equal(3 * MB, y:sum():item())
  end)

  it("at a write leaves the destination and its readers", function()
    local x = cp.eval(cp.ones({ MB }))
    local y
    local ok, message = cramped(function()
      y = x * 2
      x:fill(5) -- y needs memory, or x
    end)
    if not ok then
      assert.matches("out of memory", message)
      assert.equal(1, x[1])
      assert.equal(1, x[MB])
      y = y or x * 2
      x:fill(5)
    end
    assert.equal(2, y[1])
    assert.equal(2, y[MB])
    assert.equal(5, x[MB])
  end)

  it("at a write over what is read leaves the destination", function()
    local x = cp.eval(cp.arange(MB, { dtype = "float64" }))
    local ok = cramped(function() x["2:"] = x[":-2"] * 2 end)
    if not ok then
      assert.equal(1, x[2])
      assert.equal(MB - 1, x[MB])
      x["2:"] = x[":-2"] * 2
    end
    assert.equal(0, x[2])
    assert.equal(2 * (MB - 2), x[MB])
  end)
end)

describe("all of this", function() repeat_forced "spec/lazy/hazard_life_spec.lua" end)
