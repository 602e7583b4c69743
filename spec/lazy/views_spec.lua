-- Views of pending values: slices, transposes and reshapes that wait with the value they show. Expected
-- values are computed in Lua, position by position.

local cp = require "cupola"
local core = require "cupola.core"
local check = require "spec.helper.check"
local fusion = require "spec.helper.fusion"

local each, repeat_forced, wait = fusion.tests({ describe = describe, it = it, before_each = before_each,
  after_each = after_each })

local unpack = table.unpack or unpack -- luacheck: ignore
local A, B, C = 3, 4, 5

-- Operands that a value of shape (A, B, C) is made of: whole, a row, and a column of another layout.
local function operands()
  local x = cp.arange(A * B * C):reshape(A, B, C):astype("float64"):eval()
  local row = cp.arange(10, 10 + C):astype("float32"):eval()
  local plane = cp.arange(B * A):reshape(B, A):astype("float64"):eval().T:reshape(A, B, 1)
  return x, row, plane
end

local function value(x, row, plane) return x * 2 + row - plane end

-- The value's element at positions from 0.
local function element(i, j, k) return 2 * ((i * B + j) * C + k) + (10 + k) - (j * A + i) end

-- Views: how to take one, its shape, and the value's position for each of its own.
local VIEWS = {
  { "a slice", function(t) return t["2:, ::2, 2:4"] end, { 2, 2, 3 },
    function(i, j, k) return i + 1, 2 * j, k + 1 end },
  { "a row", function(t) return t[2] end, { B, C }, function(j, k) return 1, j, k end },
  { "a call", function(t) return t({ 1, 2 }, 3) end, { 2, C }, function(i, k) return i, 2, k end },
  { "a column", function(t) return t[":, :, 4"] end, { A, B }, function(i, j) return i, j, 3 end },
  { "reversed", function(t) return t["::-1, :, ::-2"] end, { A, B, 3 },
    function(i, j, k) return A - 1 - i, j, C - 1 - 2 * k end },
  { "an axis more", function(t) return t[{ {}, cp.newaxis, 2 }] end, { A, 1, C },
    function(i, _, k) return i, 1, k end },
  { "T", function(t) return t.T end, { C, B, A }, function(k, j, i) return i, j, k end },
  { "mT", function(t) return t.mT end, { A, C, B }, function(i, k, j) return i, j, k end },
  { "moveaxis", function(t) return cp.moveaxis(t, 1, 3) end, { B, C, A },
    function(j, k, i) return i, j, k end },
  { "flip", function(t) return cp.flip(t, 2) end, { A, B, C }, function(i, j, k) return i, B - 1 - j, k end },
  { "expand_dims", function(t) return cp.expand_dims(t, 1) end, { 1, A, B, C },
    function(_, i, j, k) return i, j, k end },
  { "axes joined", function(t) return t:reshape(A * B, C) end, { A * B, C },
    function(r, k) return math.floor(r / B), r % B, k end },
  { "all axes joined", function(t) return t:reshape(-1) end, { A * B * C },
    function(r) return math.floor(r / (B * C)), math.floor(r / C) % B, r % C end },
  { "an axis split", function(t) return t:reshape(A, 2, 2, C) end, { A, 2, 2, C },
    function(i, a, b, k) return i, 2 * a + b, k end },
  { "a view of a view", function(t) return t["2:"].T[":, 2, ::-1"]:reshape(1, C, 2) end, { 1, C, 2 },
    function(_, k, i) return 2 - i, 1, k end },
  { "one element", function(t) return t["2, 3, 4"] and t["2:2, 3:3, 4:4"]:reshape({}) end, {},
    function() return 1, 2, 3 end },
}

-- The view's elements in C order, mapped by f.
local function expected(view, f)
  local shape, at, list = view[3], view[4], {}
  local position = {}
  local function visit(d)
    if d > #shape then
      list[#list + 1] = f(element(at(unpack(position))))
      return
    end
    for p = 0, shape[d] - 1 do
      position[d] = p
      visit(d + 1)
    end
  end
  visit(1)
  return list
end

local function same(v) return v end

each("a view of a pending value", function(mode)
  wait()

  for _, view in ipairs(VIEWS) do
    it("shows the value's elements: " .. view[1], function()
      local t = value(operands())
      local v = view[2](t)
      assert.same(view[3], { unpack(v.shape) })
      fusion.same(v * 10 + 1, expected(view, function(e) return 10 * e + 1 end), "in a chain")
      fusion.same(v, expected(view, same), "itself")
      fusion.same(t:reshape(-1), expected(VIEWS[13], same), "the value")
      local sum = 0
      for _, e in ipairs(expected(view, same)) do sum = sum + e end
      assert.equal(sum, (view[2](value(operands())) + 0):sum():item())
    end)

    it("shares its elements with it: " .. view[1], function()
      local t = value(operands())
      local v, w = view[2](t), view[2](t)
      local before = v * 1
      v:add_(1000)
      fusion.same(w, expected(view, function(e) return e + 1000 end), "another view")
      fusion.same(view[2](t), expected(view, function(e) return e + 1000 end), "the value")
      fusion.same(before, expected(view, same), "what was made of it before")
      t:mul_(2)
      fusion.same(v, expected(view, function(e) return 2 * e + 2000 end), "after a write to the value")
      t:assign(value(operands()))
      fusion.same(w, expected(view, same), "after an assignment to the value")
    end)

    it("keeps its elements when an operand is written: " .. view[1], function()
      local x, row, plane = operands()
      local v = view[2](value(x, row, plane))
      x:fill(0)
      row["2:"]:fill(7)
      collectgarbage()
      plane:fill(1)
      fusion.same(v, expected(view, same))
    end)

    it("lives without the value's array: " .. view[1], function()
      local v, w
      do
        local t = value(operands())
        v, w = view[2](t), view[2](t)
      end
      collectgarbage()
      collectgarbage()
      v:add_(1)
      fusion.same(w, expected(view, function(e) return e + 1 end))
      w = cp.scope(function() return view[2](value(operands())) end)
      fusion.same(w, expected(view, same), "out of a scope")
    end)
  end

  it("is freed with it", function()
    for _, free in ipairs { function(t) t:free() end, function(_, v) v:free() end } do
      local t = value(operands())
      local v, w = t[2], t.T
      free(t, v)
      for _, a in ipairs { t, v, w } do
        check.raises("add: the array's memory was freed", function() return a + 1 end)
      end
    end
  end)

  it("keeps its elements when an operand is written after a part of the value was computed", function()
    local writes = {
      function(x) x["3:"]:assign(function() return cp.full({ 18 }, 7) end) end,
      function(x) x["3:"] = 7 end,
      function(x) x:fill(7) end,
      function(x) cp.multiply(x["3:"], 7, { out = x["3:"] }) end,
    }
    for _, write in ipairs(writes) do
      for _, computed in ipairs { false, true } do
        local x, y = cp.arange(20, "float64"):eval(), cp.ones({ 20 }):eval()
        local part = x + y
        local whole = part * y - 1
        local view = whole["2:5"]
        if computed then part:eval() end
        write(x)
        fusion.same(view * 2, { 2, 4, 6, 8 })
        fusion.same(view, { 1, 2, 3, 4 })
      end
    end
    local x, y = cp.arange(1e6, "float64"):eval(), cp.ones({ 1e6 }):eval() -- where copying x takes longer
    local part = x + y
    local view = (part * y - 1)["2:5"]
    part:eval()
    x["3:"] = 7
    fusion.same(view * 2, { 2, 4, 6, 8 })
  end)

  it("may be dropped while others wait for what was made of it", function()
    local w
    do
      local t = value(operands())
      w = t["2:"] + t[":2"]
    end
    collectgarbage()
    collectgarbage()
    fusion.same(w[1], expected({ nil, nil, { B, C }, function(j, k) return 0, j, k end },
      function(e) return 2 * e + 2 * B * C - 1 end))
  end)

  it("has no elements", function()
    local v = value(operands())["1:0, ::2"]
    assert.same({ 0, 2, C }, { unpack(v.shape) })
    assert.equal(0, (v * 2):sum():item())
  end)

  it("may be written as out, and assigned from itself", function()
    local t = value(operands())
    local v = t[1]
    cp.multiply(v, 2, v)
    v:assign(v["::-1"])
    fusion.same(t[1], expected({ nil, nil, { B, C }, function(j, k) return 0, B - 1 - j, k end },
      function(e) return 2 * e end))
  end)

  it("of what cannot be taken apart is computed", function()
    local x = operands()
    local centred = x - x:mean { axis = 3, keepdims = true }
    fusion.same(centred["1, 1, :"], { -2, -1, 0, 1, 2 })
    local rolled = cp.roll(x, 1, 3)
    fusion.same((rolled + 0)["1, 1, :"], { 4, 0, 1, 2, 3 })
    cp.random.seed(7)
    local draws = cp.random.uniform(0, 1, { 4, 8 })
    fusion.same(draws[2] * 1, draws:totable()[2])
    local m = x:gt(2)
    fusion.same((x[m] + 1)["1:3"], { 4, 5, 6 })
    fusion.same((cp.ones { 3, 4 } * 2).T[1], { 2, 2, 2 })
    fusion.same((cp.arange(6) * 3):reshape(2, 3).T[2], { 3, 12 })
  end)

  -- The elements `at` of some groups of `length` that follow each other: 2 * at - 100 * (row of 60 elements).
  local function grouped(length, first, last, step)
    local list = {}
    for group = first, last, step do
      for k = 0, length - 1 do
        local at = group * length + k
        list[#list + 1] = 2 * at - 100 * math.floor(at / 60)
      end
    end
    return list
  end

  it("may join axes of which an operand has the outer one only", function()
    local x = cp.arange(240):reshape(4, 60):eval()
    local m = (cp.arange(4) * 100):reshape(4, 1):eval()
    local function y() return x * 2 - m end
    fusion.same((y():reshape(12, 20) + 0):reshape(-1), grouped(20, 0, 11, 1))
    fusion.same((y():reshape(2, 6, 20) + 0):reshape(-1), grouped(20, 0, 11, 1))
    fusion.same((y():reshape(12, 20)["3:11:4"] + 0):reshape(-1), grouped(20, 2, 10, 4))
    fusion.same((y():reshape(48, 5)["2:"] + 0):reshape(-1), grouped(5, 1, 47, 1))
    fusion.same((y():reshape(10, 24) + 0):reshape(-1), grouped(24, 0, 9, 1)) -- not along rows
    fusion.same((y():reshape(-1) + 0), grouped(240, 0, 0, 1))
    local second = {}
    for group = 0, 11 do second[group + 1] = grouped(20, group, group, 1)[2] end
    fusion.same(y():reshape(12, 20).T[2] + 0, second)
  end)

  it("follows reductions of short rows", function()
    local x = cp.arange(240):reshape(4, 60):astype("float64"):eval()
    local y = x - x:mean { axis = 2, keepdims = true }
    local z = y:reshape(8, 30) * 2
    fusion.same(z[2], cp.arange(1, 60, 2):totable())
    x:fill(1)
    fusion.same(z[1]["1:2"], { -59, -57 })
    fusion.same(y[4]["1:2"], { -29.5, -28.5 })
  end)

  if mode ~= "on" or check.mode then return end

  it("is not computed because it follows reductions, where no kernel computes both", function()
    local x = cp.arange(240):reshape(4, 60):astype("float64"):eval()
    local z
    assert.equal(1, check.counted(function()
      z = (x - x:mean { axis = 2, keepdims = true }):reshape(12, 20) * 2
    end).launches)
    assert.equal(1, check.counted(function() z:eval() end).launches)
    local m = x:mean { axis = 2, keepdims = true }:eval()
    assert.equal(1, check.counted(function() ((x - m):reshape(12, 20) * 2):eval() end).launches)
  end)

  it("waits on the CPU device from some thousand elements on", function()
    if cp.zeros(1).device ~= "cpu" then return end
    core.slow_paths()
    local small, large = cp.arange(4095):astype("float64"):eval(), cp.arange(4096):astype("float64"):eval()
    assert.equal(1, check.counted(function() return (small + 1)["2:"], nil end).launches)
    assert.equal(0, check.counted(function() return (large + 1)["2:"], nil end).launches)
  end)

  it("launches nothing by itself, and joins the kernel of what is made of it", function()
    local x, row, plane = operands()
    local w
    assert.equal(0, check.counted(function()
      local t = value(x, row, plane)
      w = t["2:"] - t[":2"] + 1
    end).launches)
    assert.equal(1, check.counted(function() w:eval() end).launches)
  end)

  it("repeats no function, and no long chain often", function()
    local x = operands()
    local e = cp.exp(x)
    local parts = { e[1], e[2], e[3] } -- each element once
    assert.equal(1, check.counted(function() (parts[1] + parts[2] * parts[3]):eval() end).launches)
    e = cp.exp(x)
    assert.equal(1, check.counted(function() return e["2:"], e[":2"] end).launches)
    local long = x
    for k = 1, 10 do long = long * k + x end
    assert.equal(1, check.counted(function() return long["2:"], long[":2"], long["2:"] end).launches)
  end)

  it("is computed with the value when it is needed again", function()
    local x = operands()
    local e = cp.exp(x)
    local v = e["2:"]
    assert.equal(1, check.counted(function() (v + 1):eval() end).launches)
    assert.equal(2, check.counted(function() (v + 2):eval() end).launches)
    assert.equal(1, check.counted(function() (v + 3):eval() end).launches)
    assert.equal(0, check.counted(function() e:eval() end).launches)
  end)

  it("is launched with the value by a synchronisation, unless something has used it", function()
    local x = operands()
    collectgarbage() -- values that other tests left pending
    collectgarbage()
    cp.synchronize()
    local t = x + 1
    local v = t[2]
    assert.equal(1, check.counted(function() cp.synchronize() end).launches)
    local u = x + 2
    local w = (u[2] * 2):eval()
    collectgarbage() -- the view
    collectgarbage()
    assert.equal(0, check.counted(function() cp.synchronize() end).launches)
    assert.is_true(#v > 0 and #w > 0 and #u > 0)
  end)

  it("repeats in a long loop what is made of it, within the bounds of a kernel", function()
    local x = cp.arange(64):astype("float64"):eval()
    local u = x
    for _ = 1, 20 do u = (u["2:"] + u[":-2"]) / 2 end
    fusion.same(u["1:2"], { 10, 11 })
  end)
end)

each("pieces of one shape that are pending", function(mode)
  wait()

  it("are joined in their places", function()
    local x = operands()
    local first, second = x["1, :, :2"], x["2, :, 2:3"]
    local a = cp.concatenate({ first * 2, second + 1, first - second }, 2)
    fusion.same(a[2], { 10, 12, 27, 28, -21, -21 })
    local list = {}
    for k = 1, 20 do list[k] = x["1, 1"] * k end
    fusion.same(cp.stack(list, 2)[3], fusion.list(20, 1, function(k) return 2 * k end))
    assert.equal("float64", cp.vstack({ first * 2, (second + 1):astype "float32" }).dtype)
    check.raises("concatenate: cannot write float64 into int32", function()
      return cp.concatenate({ first * 2, second * 2 }, 1, nil, "int32")
    end)
  end)

  if mode ~= "on" or check.mode then return end

  it("are computed by one kernel", function()
    local x = operands()
    local q = x * 1.5
    local a, b = q[":, :, :2"], q[":, :, 3:4"]
    assert.equal(1, check.counted(function()
      cp.concatenate({ a * 2 - b * 3, a * 3 + b * 2 }, 3)
    end).launches)
    local e = cp.exp(x)
    cp.eval(e + 1)
    assert.equal(2, check.counted(function() cp.stack { e + 2, e + 3 } end).launches) -- e is stored first
  end)
end)

repeat_forced "spec/lazy/views_spec.lua"
