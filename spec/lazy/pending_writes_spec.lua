-- Writes into parts of pending values, which go on waiting, and views of what is rolled or padded. Expected
-- values are computed in Lua, position by position.

local cp = require "cupola"
local core = require "cupola.core"
local check = require "spec.helper.check"
local fusion = require "spec.helper.fusion"

local each, repeat_forced, wait = fusion.tests({ describe = describe, it = it, before_each = before_each,
  after_each = after_each })

local unpack = table.unpack or unpack -- luacheck: ignore
local A, B, C = 3, 4, 5

-- A pending value of shape (A, B, C): e(i, j, k), at positions from 0, plus 1.
local function element(i, j, k) return (i * B + j) * C + k end
local function operand() return cp.arange(A * B * C):reshape(A, B, C):astype("float64"):eval() end
local function value() return operand() + 1 end

-- Boxes: the index, the shape of what it selects, and the position in the box of one of the value, or nil.
local BOXES = {
  { "a row", { 2 }, { B, C }, function(i, j, k) if i == 1 then return j, k end end },
  { "the last column", { {}, {}, -1 }, { A, B }, function(i, j, k) if k == C - 1 then return i, j end end },
  { "the inside", { { 2, 2 }, { 2, 3 }, { 2, -2 } }, { 1, 2, C - 2 },
    function(i, j, k) if i == 1 and j >= 1 and j <= 2 and k >= 1 and k < C - 1 then return 0, j - 1, k - 1 end end },
  { "up to the end", { {}, { 3, -1 } }, { A, 2, C }, function(i, j, k) if j >= 2 then return i, j - 2, k end end },
  { "from the beginning", { { 1, 2 } }, { 2, B, C }, function(i, j, k) if i < 2 then return i, j, k end end },
  { "with a new axis", { 1, cp.newaxis, { 2, 4 } }, { 1, 3, C },
    function(i, j, k) if i == 0 and j >= 1 then return 0, j - 1, k end end },
  { "backwards", { 3, { -1, 1, -1 } }, { B, C }, function(i, j, k) if i == 2 then return B - 1 - j, k end end },
  { "every other", { {}, { 1, -1, 2 } }, { A, 2, C },
    function(i, j, k) if j % 2 == 0 then return i, j / 2, k end end },
}

-- The elements of the value, times `factor`, after what f(old, position in the box) gives was written.
local function written(box, f, factor)
  local list = {}
  for i = 0, A - 1 do
    for j = 0, B - 1 do
      for k = 0, C - 1 do
        local old, at = element(i, j, k) + 1, { box[4](i, j, k) }
        list[#list + 1] = (#at > 0 and f(old, unpack(at)) or old) * (factor or 1)
      end
    end
  end
  return list
end

local function volume(shape)
  local n = 1
  for _, length in ipairs(shape) do n = n * length end
  return n
end

-- The element at a position of arange in C order in this shape.
local function counted(shape, ...)
  local n = 0
  for d, p in ipairs { ... } do n = n * shape[d] + p end
  return n
end

each("a write into a part of a pending value", function(mode)
  wait()

  for _, box in ipairs(BOXES) do
    local name, key, shape = box[1], box[2], box[3]
    it("replaces it: " .. name, function()
      local x = value()
      x[key] = -3
      fusion.same(x, written(box, function() return -3 end), "a number")
      x = value()
      x[key] = cp.arange(volume(shape)):reshape(shape)
      fusion.same(x, written(box, function(_, ...) return counted(shape, ...) end), "positions")
      local a = (cp.arange(volume(shape)) * 2):reshape(shape):astype("float32"):eval()
      x = value()
      x[key] = a
      fusion.same(x, written(box, function(_, ...) return 2 * counted(shape, ...) end), "an array")
      x = value()
      x[key] = a.T:eval().T * 3 + a
      fusion.same(x, written(box, function(_, ...) return 8 * counted(shape, ...) end), "an expression")
      x = value()
      x[key] = cp.arange(shape[#shape]) -- no memory is read
      fusion.same(x, written(box, function(_, ...) return (select(select("#", ...), ...)) end), "a sequence")
      x = value()
      x[key] = cp.arange(shape[#shape]):astype("int32"):eval()
      fusion.same(x, written(box, function(_, ...) return (select(select("#", ...), ...)) end), "broadcast")
    end)

    it("changes what is made afterwards only: " .. name, function()
      local x = value()
      local before = x * 2
      x[key] = 0
      local after = x + 0
      x[key] = 9
      fusion.same(before, written(box, function(old) return old end, 2))
      fusion.same(after, written(box, function() return 0 end))
      fusion.same(x, written(box, function() return 9 end))
    end)

    it("takes the operands' values of its time: " .. name, function()
      local x, a = operand(), cp.arange(volume(shape)):reshape(shape):astype("float64"):eval()
      local y = x + 1
      y[key] = a * 2
      x:fill(5)
      a:add_(100)
      fusion.same(y, written(box, function(_, ...) return 2 * counted(shape, ...) end))
    end)
  end

  it("is cast to the value's dtype, within same_kind", function()
    local x = cp.arange(6):astype "int32" * 2
    x["2:3"] = cp.index { 7, 8 }
    fusion.same(x, { 0, 7, 8, 6, 8, 10 })
    assert.equal("int32", x.dtype)
    x = cp.arange(6):astype "int32" * 2
    check.raises("index: cannot write float64 into int32", function() x["2:3"] = cp.ones(2) end)
    check.raises("index: shape %(3%) does not broadcast into %(2%)", function() x["2:3"] = cp.arange(3) end)
    fusion.same(x, { 0, 2, 4, 6, 8, 10 })
    local c = cp.zeros(3, "complex64")
    c["2:3"] = cp.array { 1, -2 }
    assert.is_true(cp.all(c:eq(cp.array { 0, 1, -2 })))
    local b = cp.zeros(4, "bool")
    b["2:3"] = true
    fusion.same(b, { false, true, true, false })
  end)

  it("of itself, of its views and of what it was made of", function()
    local x = operand() + 1
    x[1] = x[2]
    assert.equal(21, x[{ 1, 1, 1 }])
    x = operand() + 1
    x["2:"] = x[":2"]
    fusion.same(x[3], fusion.flat(operand()[2] + 1))
    x = operand() + 1
    local v = x[2]
    x[2] = 0
    assert.equal(0, v:sum():item())
    local n = cp.array { 0 / 0, 1, 1 / 0, -1 / 0, -0.0 }
    local y = n * 1
    y["2:3"] = n["3:4"]
    assert.is_true(y[1] ~= y[1])
    fusion.same(y["2:5"], { 1 / 0, -1 / 0, -1 / 0, 0 })
    assert.equal(-1 / 0, 1 / y[5])
  end)

  it("of reductions, selected and rolled elements, and random numbers", function()
    local a = cp.arange(6):astype("float64"):eval()
    local x = a * 1
    x["1:2"] = a:sum()
    fusion.same(x, { 15, 15, 2, 3, 4, 5 })
    x = a * 1
    x["1:2"] = a[a:gt(3)]
    fusion.same(x, { 4, 5, 2, 3, 4, 5 })
    x = a * 1
    x["2:6"] = cp.roll(a, 1)["2:"]
    fusion.same(x, { 0, 0, 1, 2, 3, 4 })
    x = cp.zeros { 2, 6 }
    x[2] = cp.roll(a, -2)
    fusion.same(x[2], { 2, 3, 4, 5, 0, 1 })
    local s = x:sum()
    x = cp.zeros(3) + s
    x["2:2"] = 1
    fusion.same(x, { 15, 1, 15 })
  end)

  it("writes nothing, or all", function()
    local x = operand() + 1
    x["2:1"] = 7
    x[{}] = 3
    assert.equal(3 * A * B * C, x:sum():item())
    x = operand() + 1
    x["1:1, 1:1, 1:1"] = 50
    assert.equal(50, x[{ 1, 1, 1 }])
    x[{ 3, 4, 5 }] = 60
    assert.equal(60, x[{ 3, 4, 5 }])
    assert.equal(2, x[{ 1, 1, 2 }])
  end)

  it("keeps the order of the value's memory", function()
    local x = operand().T + 1
    local strides = { unpack(x.strides) }
    x[2] = 0
    assert.same(strides, { unpack(x.strides) })
    assert.equal(0, x[2]:sum():item())
    fusion.same(x[1], fusion.flat(operand().T[1] + 1))
    x = operand().T + 1
    x["2:"] = cp.arange((C - 1) * B * A):astype("float64"):reshape(C - 1, B, A):eval()
    assert.same(strides, { unpack(x.strides) })
    assert.equal(B * A, x[{ 3, 1, 1 }])
  end)

  it("into a copy changes the copy only, and into what was copied that only", function()
    local x = operand()
    local y = x:copy()
    y[1] = 0
    y[{ {}, {}, { 2, 3 } }] = 7
    fusion.same(x, fusion.flat(operand()))
    local z = x:copy()
    x[2] = -1
    x:add_(1)
    local e = fusion.flat(operand())
    fusion.same(z, e)
    for k = 1, A * B * C do
      local column = (k - 1) % C
      if k <= B * C then e[k] = 0 end
      if column == 1 or column == 2 then e[k] = 7 end
    end
    fusion.same(y, e)
    for _, order in ipairs { "C", "F", "K" } do
      local c = operand().T:copy(order)
      c[1] = 0
      assert.same(order == "C" and { 8 * B * A, 8 * A, 8 } or { 8, 8 * C, 8 * C * B }, { unpack(c.strides) })
      assert.equal(0, c[1]:sum():item())
      fusion.same(c[2], fusion.flat(operand().T[2]))
    end
    local sum = operand():copy():sum()
    assert.equal((A * B * C - 1) * A * B * C / 2, sum:item())
  end)

  it("goes on in a loop with more parts than one kernel takes", function()
    local n = 40
    local x, want = cp.zeros { n, 3 }, {}
    for k = 1, n do
      x[k] = k
      for c = 1, 3 do want[3 * (k - 1) + c] = k end
    end
    fusion.same(x, want)
  end)

  it("may be dropped, freed and collected", function()
    local x = operand() + 1
    x[1] = cp.exp(operand()[1])
    x:free()
    check.raises("add: the array's memory was freed", function() return x + 1 end)
    check.raises("index: the array's memory was freed", function() x[1] = 0 end)
    local w
    do
      local t = operand() + 1
      t[1] = 0
      w = t * 1
    end
    collectgarbage()
    collectgarbage()
    assert.equal(0, w[1]:sum():item())
  end)

  if mode ~= "on" or check.mode then return end

  it("is stored at once where the value is used otherwise, or made of many parts", function()
    local x = operand()
    local y = x + 1
    local z = y * 2
    assert.is_true(check.counted(function() y[1] = 0 end).launches > 0)
    fusion.same(z, fusion.flat((operand() + 1) * 2))
    local many = cp.zeros { 40, 3 }
    local launches = check.counted(function()
      for k = 1, 40 do many[k] = k end
    end).launches
    assert.is_true(launches > 20)
    local part, whole = operand()[2], operand()
    assert.equal(1, check.counted(function() part:copy() end).launches) -- it would keep all of the memory
    assert.equal(0, check.counted(function() whole:copy() end).launches)
    assert.equal(1, check.counted(function() whole:copy "F" end).launches)
  end)

  it("joins the kernel that computes the value", function()
    local x, edge = operand(), cp.ones(C):eval()
    assert.equal(1, check.counted(function()
      local u = x * 2 + 1
      u[1], u[-1] = 0, 0
      u[{ {}, 1 }] = edge
      u[{ {}, {}, -1 }] = -1
      u:eval()
    end).launches)
  end)

  it("joins the copy that it is written into", function()
    local u = cp.arange(100):astype("float64"):reshape(10, 10):eval()
    assert.equal(1, check.counted(function()
      local v = u:copy()
      v["2:-2, 2:-2"] = (u[":-3, 2:-2"] + u["3:, 2:-2"] + u["2:-2, :-3"] + u["2:-2, 3:"]) / 4
      v:eval()
    end).launches)
    local w = cp.arange(50000):astype("float64"):eval() -- more than what is copied at any rate
    assert.equal(2, check.counted(function()
      local before = w:copy()
      w["1:50"] = 0
      before:eval()
    end).launches)
  end)

  it("of what the other elements were is one kernel, which writes all of the array", function()
    local u = cp.arange(100):astype("float64"):reshape(10, 10):eval()
    local inside, column, old = u["2:-2, 2:-2"], u[{ {}, 1 }], fusion.flat(u)
    local saved = u * 1
    assert.equal(1, check.counted(function()
      inside:assign((u[":-3, 2:-2"] + u["3:, 2:-2"] + u["2:-2, :-3"] + u["2:-2, 3:"]) / 4 + inside)
    end).launches)
    local want, at_edge = {}, {}
    for k = 0, 99 do
      local i, j = math.floor(k / 10), k % 10
      local edge = i == 0 or i == 9 or j == 0 or j == 9
      want[k + 1] = edge and k or 2 * k -- four neighbours have the element's value as their mean
      if j == 0 then at_edge[i + 1] = k end
    end
    fusion.same(u, want)
    fusion.same(column, at_edge)
    assert.equal(2 * 11, inside[{ 1, 1 }])
    fusion.same(saved, old)
    u["2:"] = u["2:"] + u[":-2"] -- views that were made before it see it
    for k = 100, 11, -1 do want[k] = want[k] + want[k - 10] end
    fusion.same(u, want)
    assert.equal(want[12], inside[{ 1, 1 }])
    fusion.same(saved, old)
  end)

  it("while pending values need the old elements is one kernel, which writes all of the array", function()
    local u = cp.arange(100):astype("float64"):eval()
    local later = u["2:50"] * 2
    assert.equal(1, check.counted(function() u["2:-2"] = 3 * u["2:-2"] end).launches)
    assert.same({ 0, 3, 6, 294, 99 }, { u[1], u[2], u[3], u[99], u[100] })
    assert.equal(2 * (49 * 50 / 2), later:sum():item())
    local sum = u["3:"]:sum() -- is computed before
    assert.equal(2, check.counted(function() u["2:-2"] = u["2:-2"] + 1 end).launches)
    assert.equal(3 * (98 * 99 / 2 - 1) + 99, sum:item())
  end)

  it("of moved elements of all of an array is one kernel, whose views see it", function()
    local u = cp.arange(100):astype("float64"):eval()
    local part = u["2:4"]
    collectgarbage()
    assert.equal(1, check.counted(function() u:assign(cp.roll(u, 1, 1)) end).launches)
    fusion.same(part, { 0, 1, 2 })
    collectgarbage()
    assert.equal(1, check.counted(function() cp.scope(function() u:assign(u["::-1"]) end) end).launches)
    fusion.same(part, { 97, 96, 95 })
    local address = u.data.ptr
    u:assign(cp.roll(u, -1, 1))
    assert.equal(address, u.data.ptr)
    fusion.same(part, { 96, 95, 94 })
    u:assign(function() return cp.roll(u, -1, 1) end)
    fusion.same(part, { 95, 94, 93 })
  end)

  it("of what other elements were is stored in its place if it is a small part, or the address is exposed", function()
    local u = cp.arange(100):astype("float64"):eval()
    u["2:20"] = u["1:19"] + u["3:21"]
    assert.equal(2 * 190, u["2:20"]:sum():item())
    assert.equal(20, u[21])
    local address = u.data.ptr
    u["2:"] = u["2:"] + u[":-2"]
    assert.equal(address, u.data.ptr)
    assert.equal(2 * 1 + 2 * 2, u[3])
  end)

  it("computes functions for a good part of the value, and not everywhere for a small one", function()
    local x = cp.arange(100):astype("float64"):eval()
    local function launches(part)
      return check.counted(function()
        local u = x * 2
        u[part] = cp.exp(x[part])
        u:eval()
      end).launches
    end
    assert.equal(2, launches "2:3")
    assert.equal(1, launches "2:-2")
  end)

  it("is not stored where few neighbours of each element of a padded array are read", function()
    local x = cp.arange(100):astype("float64"):reshape(10, 10):eval()
    local result
    local function launches(sum)
      return check.counted(function() result = sum(cp.pad(x, 1)):eval() end).launches
    end
    assert.equal(1, launches(function(p) return p[":-3, 2:-2"] + p["3:, 2:-2"] + p["2:-2, :-3"] + p["2:-2, 3:"] end))
    local want = {}
    for i = 0, 9 do
      for j = 0, 9 do
        local k, sum = 10 * i + j, 0
        if i > 0 then sum = sum + k - 10 end
        if i < 9 then sum = sum + k + 10 end
        if j > 0 then sum = sum + k - 1 end
        want[k + 1] = j < 9 and sum + k + 1 or sum
      end
    end
    fusion.same(result, want)
    assert.equal(2, launches(function(p)
      local sum = 0
      for i = 0, 2 do
        for j = 0, 2 do sum = sum + p[{ { i + 1, i + 10 }, { j + 1, j + 10 } }] end
      end
      return sum
    end))
    assert.equal(0 + 1 + 10 + 11, result[{ 1, 1 }])
    assert.equal(9 * 55, result[{ 6, 6 }])
  end)

  it("is stored at once on the CPU device", function()
    if cp.zeros(1).device ~= "cpu" then return end
    core.slow_paths()
    local x = operand()
    assert.equal(2, check.counted(function()
      local u = x * 2
      u[1] = 0
    end).launches)
  end)
end)

-- Rolled, padded, tiled and repeated rows of 6, and where each position reads from.
local MOVES = {
  { "roll", function(x) return cp.roll(x, 2, 2) end, 6, function(p) return (p - 2) % 6 end },
  { "pad edge", function(x) return cp.pad(x, { { 0, 0 }, { 2, 3 } }, "edge") end, 11,
    function(p) return math.max(0, math.min(5, p - 2)) end },
  { "pad wrap", function(x) return cp.pad(x, { { 0, 0 }, { 2, 3 } }, "wrap") end, 11,
    function(p) return (p - 2) % 6 end },
  { "pad symmetric", function(x) return cp.pad(x, { { 0, 0 }, { 2, 3 } }, "symmetric") end, 11,
    function(p) return ({ 1, 0, 0, 1, 2, 3, 4, 5, 5, 4, 3 })[p + 1] end },
  { "pad reflect", function(x) return cp.pad(x, { { 0, 0 }, { 2, 3 } }, "reflect") end, 11,
    function(p) return ({ 2, 1, 0, 1, 2, 3, 4, 5, 4, 3, 2 })[p + 1] end },
  { "pad with zeros", function(x) return cp.pad(x, { { 0, 0 }, { 2, 3 } }) end, 11,
    function(p) if p >= 2 and p < 8 then return p - 2 end end },
  { "repeats", function(x) return cp.repeats(x, 2, 2) end, 12, function(p) return math.floor(p / 2) end },
}

-- Parts of a row of n: the index of the columns, the column of each position, and how many there are.
local PARTS = {
  { "all but the ends", { 2, -2 }, function(p) return p + 1 end, function(n) return n - 2 end },
  { "all but the first two", { 3, -1 }, function(p) return p + 2 end, function(n) return n - 2 end },
  { "all but the last two", { 1, -3 }, function(p) return p end, function(n) return n - 2 end },
  { "reversed", { -1, 1, -1 }, function(p, n) return n - 1 - p end, function(n) return n end },
  { "every other", { 1, -1, 2 }, function(p) return 2 * p end, function(n) return math.ceil(n / 2) end },
  { "one", { 4, 4 }, function() return 3 end, function() return 1 end },
}

each("a view of moved elements", function(mode)
  wait()

  for _, move in ipairs(MOVES) do
    local name, f, n, from = move[1], move[2], move[3], move[4]
    local function at(i, p)
      local q = from(p)
      return q and 6 * i + q + 1 or 0
    end
    for _, part in ipairs(PARTS) do
      it(("reads them: %s, %s"):format(name, part[1]), function()
        local x = cp.arange(12):astype("float64"):reshape(2, 6):eval() + 1
        x:eval()
        local want, row, count = {}, {}, part[4](n)
        for i = 0, 1 do
          for p = 0, count - 1 do want[#want + 1] = 10 * at(i, part[3](p, n)) end
        end
        for p = 1, count do row[p] = want[count + p] end
        -- a new value each time, of whose view something is made: otherwise the whole would be computed
        fusion.same(f(x)[{ {}, part[2] }] * 10, want)
        fusion.same(f(x)[{ {}, part[2] }].T.T * 10, want)
        fusion.same(f(x)[{ 2, part[2] }] * 10, row)
        fusion.same(f(x)[{ {}, 5 }] + 0, { at(0, 4), at(1, 4) })
        local y = f(x)
        local v = y[{ {}, part[2] }]
        y:mul_(10)
        fusion.same(v, want)
      end)
    end
  end

  it("along both axes, after a write to what they are made of", function()
    local x = cp.arange(1, 10):astype("float64"):reshape(3, 3):eval()
    local p = cp.pad(x, 1, "edge")
    local sum = p[":-3, 2:-2"] + p["3:, 2:-2"] + p["2:-2, :-3"] + p["2:-2, 3:"]
    x:fill(0)
    fusion.same(sum, { 8, 11, 14, 17, 20, 23, 26, 29, 32 })
  end)

  if mode ~= "on" or check.mode then return end

  it("joins the kernel of what is made of it", function()
    local x = cp.arange(1, 10):astype("float64"):reshape(3, 3):eval()
    assert.equal(1, check.counted(function()
      local p = cp.pad(x, 1, "edge")
      ;(p[":-3, 2:-2"] + p["3:, 2:-2"] + p["2:-2, :-3"] + p["2:-2, 3:"] - 4 * x):eval()
    end).launches)
    assert.equal(1, check.counted(function() cp.pad(x, 1):eval() end).launches)
    assert.equal(1, check.counted(function() (cp.pad(x, { { 0, 2 } }, "constant", 7) * 2):eval() end).launches)
  end)
end)

repeat_forced "spec/lazy/pending_writes_spec.lua"
