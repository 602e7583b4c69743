-- cp.scope and cp.keep: arrays that a function creates and does not return are freed when it ends.

local cp = require "cupola"

local unpack = table.unpack or unpack -- luacheck: ignore

local function is_freed(x)
  local ok, message = pcall(function() return (x:sum()) end)
  if ok then return false end
  assert.matches("cupola%.sum: the array's memory was freed", message)
  return true
end

describe("cp.scope", function()
  it("frees what is not returned", function()
    local inner
    local result = cp.scope(function(x)
      inner = x + 1
      return inner * 2
    end, cp.array({ 1, 2 }))
    assert.is_true(is_freed(inner))
    assert.same({ 4, 6 }, result:totable())
  end)

  it("frees all results of a pair", function()
    local before = cp.memory().live
    cp.scope(function() cp.divmod(cp.arange(1000), 3) end)
    assert.is_true(cp.memory().live <= before)
  end)

  it("wants a function", function()
    local ok, message = pcall(cp.scope, 5)
    assert.is_false(ok)
    assert.matches("cupola%.scope: f must be a function, not number", message)
  end)

  it("passes arguments and results through", function()
    assert.same({ 3, "x", nil, 5 }, { cp.scope(function(...) return ... end, 3, "x", nil, 5) })
    assert.equal(0, select("#", cp.scope(function() end)))
    assert.equal(2, select("#", cp.scope(function() return nil, nil end)))
  end)

  it("leaves arrays that were made before", function()
    local x = cp.array({ 1, 2 })
    cp.scope(function() x:add_(1) end)
    assert.same({ 2, 3 }, x:totable())
    assert.is_true(rawequal(x, cp.scope(function() return x end)))
  end)

  it("keeps arrays in returned tables, nested and circular", function()
    local lost
    local t = cp.scope(function()
      local t = { cp.ones({ 2 }), deep = { { cp.zeros({ 1 }) } } }
      t.self, t.deep.up = t, t
      lost = cp.ones({ 3 })
      return t
    end)
    assert.equal(2, t[1]:sum():item())
    assert.equal(0, t.deep[1][1]:sum():item())
    assert.is_true(is_freed(lost))
  end)

  it("keeps the memory under a returned view", function()
    local whole
    local row = cp.scope(function()
      whole = cp.array({ { 1, 2 }, { 3, 4 } })
      return whole[2]
    end)
    assert.same({ 3, 4 }, row:totable())
    assert.is_false(is_freed(whole))
  end)

  it("frees views with their memory", function()
    local view
    cp.scope(function() view = cp.ones({ 3, 3 })[1].T end)
    assert.is_true(is_freed(view))
  end)

  it("does not free memory through views of outer arrays", function()
    local x = cp.ones({ 4 })
    cp.scope(function() return nil, x["2:"] + 0 end)
    cp.scope(function() local _ = x["2:"] end)
    assert.is_false(is_freed(x))
  end)

  it("frees views whose array was collected inside", function()
    local view, later
    cp.scope(function()
      view = cp.ones({ 3, 3 }):eval()[1]
      cp.scope(function() later = view["2:"] end)
      collectgarbage()
      collectgarbage()
      assert.same({ 1, 1 }, later:totable())
    end)
    assert.is_true(is_freed(view))
    assert.is_true(is_freed(later))
  end)

  it("hands a view whose array was collected to the scope around it", function()
    local view
    cp.scope(function()
      view = cp.scope(function()
        local row = cp.ones({ 3, 3 }):eval()[1]
        collectgarbage()
        collectgarbage()
        return row
      end)
      assert.same({ 1, 1, 1 }, view:totable())
    end)
    assert.is_true(is_freed(view))
  end)

  it("leaves an array from outside that passes through several", function()
    local x = cp.ones({ 4 })
    local y = cp.scope(function()
      return cp.scope(function() return x end)
    end)
    cp.scope(function()
      cp.scope(function() return x end)
    end)
    assert.is_false(is_freed(x))
    assert.equal(x, y)
  end)

  it("lets what became garbage go before its end", function()
    cp.scope(function()
      local x = cp.zeros({ 1000 }):eval()
      collectgarbage()
      local before = cp.memory().state_live
      for _ = 1, 100 do x = (x + 1):eval() end
      collectgarbage()
      collectgarbage()
      assert.is_true(cp.memory().state_live <= before + 8000)
      assert.equal(100000, x:sum():item())
    end)
  end)

  it("frees at once, without a collection", function()
    collectgarbage() -- of other tests, or else Lua may collect it inside the scope
    collectgarbage()
    local before, made = cp.memory().state_live, {} -- which no collection may take
    cp.scope(function()
      for k = 1, 11 do made[k] = cp.zeros({ 1000 }):eval() end
      assert.is_true(cp.memory().state_live >= before + 11 * 8000)
    end)
    assert.is_true(cp.memory().state_live <= before)
    assert.is_true(is_freed(made[11]))
  end)

  it("frees after an error, and passes the error on unchanged", function()
    local inner
    local ok, message = pcall(cp.scope, function()
      inner = cp.ones({ 2 })
      error("mine", 0)
    end)
    assert.is_false(ok)
    assert.equal("mine", message)
    assert.is_true(is_freed(inner))
    local object = {}
    ok, message = pcall(cp.scope, function() error(object) end)
    assert.is_false(ok)
    assert.is_true(rawequal(object, message))
    ok, message = pcall(function() cp.scope(function() local _ = cp.ones({ 2 }) + cp.ones({ 3 }) end) end)
    assert.is_false(ok)
    assert.matches("scope_spec%.lua:%d+: cupola%.add: shapes", message)
    local x = cp.ones({ 2 }) -- and no scope is left behind
    collectgarbage()
    assert.is_false(is_freed(x))
  end)

  it("nests: what the inner one keeps belongs to the outer one", function()
    local a, b, c
    local kept = cp.scope(function()
      c = cp.ones({ 1 })
      b = cp.scope(function()
        a = cp.ones({ 2 })
        return a * 2
      end)
      assert.is_true(is_freed(a))
      assert.is_false(is_freed(b))
      return c + 1
    end)
    assert.is_true(is_freed(b))
    assert.is_true(is_freed(c))
    assert.equal(2, kept:item())
  end)

  it("keeps what cp.keep is given", function()
    local a, b, lost
    cp.scope(function()
      a = cp.keep(cp.ones({ 2 }))
      local x, t = cp.keep(cp.ones({ 3 }), { cp.ones({ 4 }) })
      b = { x, t[1] }
      lost = cp.ones({ 5 })
    end)
    assert.is_false(is_freed(a))
    assert.is_false(is_freed(b[1]))
    assert.is_false(is_freed(b[2]))
    assert.is_true(is_freed(lost))
    assert.is_false(is_freed(cp.keep(cp.ones({ 1 })))) -- outside a scope it does nothing
    pcall(cp.scope, function()
      a = cp.keep(cp.ones({ 2 }))
      error "x"
    end)
    assert.is_false(is_freed(a))
  end)

  it("works in coroutines that take turns", function()
    local made = {}
    local function body(name)
      return coroutine.wrap(function()
        local result = cp.scope(function()
          made[name] = {}
          for k = 1, 3 do
            made[name][k] = cp.full({ 2 }, k)
            coroutine.yield()
          end
          return made[name][3] + 0
        end)
        made[name].result = result
        coroutine.yield()
      end)
    end
    local a, b = body "a", body "b"
    for _ = 1, 4 do a() b() end
    for _, name in ipairs { "a", "b" } do
      for k = 1, 3 do assert.is_true(is_freed(made[name][k]), name .. k) end
      assert.same({ 3, 3 }, made[name].result:totable())
    end
  end)

  it("is not disturbed by a coroutine that is never finished", function()
    local x
    local thread = coroutine.create(function()
      cp.scope(function()
        x = cp.ones({ 2 })
        coroutine.yield()
      end)
    end)
    coroutine.resume(thread)
    thread = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    assert.is_false(is_freed(x))
    local y = cp.ones({ 2 })
    assert.is_false(is_freed(y))
  end)

  it("survives collections inside", function()
    local total = cp.scope(function()
      local sum = cp.zeros({})
      for k = 1, 50 do
        sum = sum + cp.full({ 10 }, k):sum()
        if k % 10 == 0 then collectgarbage() end
      end
      return sum
    end)
    assert.equal(12750, total:item())
  end)

  it("frees user data that was freed early only once", function()
    cp.scope(function()
      local x = cp.ones({ 2 })
      x:free()
      x:free()
      return x
    end)
    local results = { cp.scope(function() return unpack { cp.ones({ 1 }), cp.ones({ 2 }) } end) }
    assert.equal(2, #results)
    assert.is_false(is_freed(results[2]))
  end)
end)
