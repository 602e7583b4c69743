-- Pending values and writes: whatever is written later, a value is that of the moment of its operator. Every
-- test runs with fusion on, off and forced. Expected values are computed in Lua.

local cp = require "cupola"
local check = require "spec.helper.check"
local fusion = require "spec.helper.fusion"

local each, repeat_forced = fusion.tests({ describe = describe, it = it, before_each = before_each,
  after_each = after_each })
local flat, same, values = fusion.flat, fusion.same, check.values
local matrix, list, mapped, accessor = fusion.matrix, fusion.list, fusion.mapped, fusion.accessor

-- Rows and columns of arrays: a few elements, and more than one block of the CPU device, which collections at
-- each allocation do not affect.
local shapes = { { 4, 6 }, check.mode ~= "gc" and { 41, 75 } or nil }

-- What reads x of r rows and c columns: a value made of it, and its elements in C order, where v(i, j) are
-- those of x.
local readers = {
  { "x * 2", function(x) return x * 2 end, function(v, r, c)
    return list(r, c, function(i, j) return 2 * v(i, j) end)
  end },
  { "x + x", function(x) return x + x end, function(v, r, c)
    return list(r, c, function(i, j) return 2 * v(i, j) end)
  end },
  { "-x", function(x) return -x end, function(v, r, c) return list(r, c, function(i, j) return -v(i, j) end) end },
  { "a chain", function(x) return ((x + 1) * 2 - x) / 4 end, function(v, r, c)
    return list(r, c, function(i, j) return ((v(i, j) + 1) * 2 - v(i, j)) / 4 end)
  end },
  { "x.T + 1", function(x) return x.T + 1 end, function(v, r, c)
    return list(c, r, function(i, j) return v(j, i) + 1 end)
  end },
  { "rows turned around", function(x) return x["::-1"] - 3 end, function(v, r, c)
    return list(r, c, function(i, j) return v(r + 1 - i, j) - 3 end)
  end },
  { "two parts", function(x) return x["2:"] - x[":-2"] end, function(v, r, c)
    return list(r - 1, c, function(i, j) return v(i + 1, j) - v(i, j) end)
  end },
  { "every second column", function(x) return x[":, ::2"] * 3 end, function(v, r, c)
    return list(r, math.ceil(c / 2), function(i, j) return 3 * v(i, 2 * j - 1) end)
  end },
  { "a row beside the whole", function(x) return x + x[2] end, function(v, r, c)
    return list(r, c, function(i, j) return v(i, j) + v(2, j) end)
  end },
  { "a column that is broadcast", function(x) return x[":, 1"]:reshape(-1, 1) * cp.ones({ 1, 3 }) end, function(v, r)
    return list(r, 3, function(i) return v(i, 1) end)
  end },
  { "one element", function(x) return x:at(2, 3) * 2 end, function(v) return { 2 * v(2, 3) } end },
  { "where", function(x) return cp.where(x:gt(5), x, -x) end, function(v, r, c)
    return list(r, c, function(i, j) return v(i, j) > 5 and v(i, j) or -v(i, j) end)
  end },
  { "astype", function(x) return x:astype("int32") end, function(v, r, c) return list(r, c, v) end },
  { "astype of its dtype", function(x) return x:astype("float64") end, function(v, r, c) return list(r, c, v) end },
  { "x ^ 1", function(x) return x ^ 1 end, function(v, r, c) return list(r, c, v) end },
  { "clip", function(x) return x:clip(3, 9) end, function(v, r, c)
    return list(r, c, function(i, j) return math.max(3, math.min(9, v(i, j))) end)
  end },
  { "a copy", function(x) return x:copy() end, function(v, r, c) return list(r, c, v) end },
  { "a flattened copy", function(x) return x:flatten() + 0 end, function(v, r, c) return list(r, c, v) end },
  { "a sum of a chain", function(x) return (x * 2 + 1):sum(2) end, function(v, r, c)
    local out = {}
    for i = 1, r do
      out[i] = 0
      for j = 1, c do out[i] = out[i] + 2 * v(i, j) + 1 end
    end
    return out
  end },
  { "a chain on a maximum", function(x) return x - x:max(1) end, function(v, r, c)
    return list(r, c, function(i, j)
      local most = -math.huge
      for k = 1, r do most = math.max(most, v(k, j)) end
      return v(i, j) - most
    end)
  end },
}

-- What writes to x: a function, and the elements it leaves, from the old ones v(i, j).
local writers = {
  { "fill", function(x) x:fill(0) end, function() return 0 end },
  { "assign a number", function(x) x:assign(7) end, function() return 7 end },
  { "assign a list", function(x) x:assign(cp.zeros(x.shape[2])) end, function() return 0 end },
  { "x[...] = chain", function(x) x["..."] = x * 3 + 1 end, function(v, i, j) return v(i, j) * 3 + 1 end },
  { "x[{}] = number", function(x) x[{}] = 2 end, function() return 2 end },
  { "assign a function", function(x) x:assign(function() return x - 1 end) end, function(v, i, j)
    return v(i, j) - 1
  end },
  { "add_", function(x) x:add_(5) end, function(v, i, j) return v(i, j) + 5 end },
  { "mul_ by itself", function(x) x:mul_(x) end, function(v, i, j) return v(i, j) * v(i, j) end },
  { "negative_", function(x) x:negative_() end, function(v, i, j) return -v(i, j) end },
  { "out=", function(x) cp.add(x, 1, { out = x }) end, function(v, i, j) return v(i, j) + 1 end },
  { "out by position", function(x) cp.multiply(x, 2, x) end, function(v, i, j) return v(i, j) * 2 end },
  { "copyto", function(x) cp.copyto(x, cp.full(x.shape, 4)) end, function() return 4 end },
  { "update", function(x) x:update({}, function(a) return a + 2 end) end, function(v, i, j) return v(i, j) + 2 end },
  { "a row", function(x) x[2] = 0 end, function(v, i, j) return i == 2 and 0 or v(i, j) end },
  { "an element", function(x) x[{ 2, 3 }] = -1 end, function(v, i, j) return i == 2 and j == 3 and -1 or v(i, j) end },
  { "an element's view", function(x) x:at(2, 3):fill(-1) end, function(v, i, j)
    return i == 2 and j == 3 and -1 or v(i, j)
  end },
  { "rows of a slice", function(x) x["2:"]:fill(9) end, function(v, i, j) return i >= 2 and 9 or v(i, j) end },
  { "every second column", function(x) x[":, ::2"]:add_(100) end, function(v, i, j)
    return j % 2 == 1 and v(i, j) + 100 or v(i, j)
  end },
  { "a transpose", function(x) x.T[2] = -3 end, function(v, i, j) return j == 2 and -3 or v(i, j) end },
  { "a whole transpose", function(x) x.T:assign(x.T * 2) end, function(v, i, j) return 2 * v(i, j) end },
  { "a reshape", function(x) x:reshape(-1):fill(6) end, function() return 6 end },
  { "a part of a reshape", function(x) x:reshape(-1)[2] = 60 end, function(v, i, j)
    return i == 1 and j == 2 and 60 or v(i, j)
  end },
  { "a whole view", function(x) x["..."]:sub_(1) end, function(v, i, j) return v(i, j) - 1 end },
  { "rows over their neighbours", function(x) x["2:"] = x[":-2"] end, function(v, i, j)
    return v(math.max(1, i - 1), j)
  end },
  { "rows in turn", function(x) x[":"] = x["::-1"] end, function(v, i, j, r) return v(r + 1 - i, j) end },
  { "nothing", function(x) x["2:1"]:fill(5) end, function(v, i, j) return v(i, j) end },
}

each("a value that reads x, then a write of", function()
  for _, writer in ipairs(writers) do
    it(writer[1], function()
      for _, shape in ipairs(shapes) do
        local r, c = shape[1], shape[2]
        for _, reader in ipairs(readers) do
          local x = matrix(shape)
          local v = accessor(flat(x), c)
          local y = reader[2](x)
          writer[2](x)
          local label = ("%s (%d, %d)"):format(reader[1], r, c)
          same(y, reader[3](v, r, c), label)
          same(x, list(r, c, function(i, j) return writer[3](v, i, j, r) end), "x after " .. label)
        end
      end
    end)
  end

  it("anything, with all readers pending at once", function()
    for _, writer in ipairs(writers) do
      local x, pending = matrix(shapes[1]), {}
      local r, c = shapes[1][1], shapes[1][2]
      local v = accessor(flat(x), c)
      for k, reader in ipairs(readers) do pending[k] = reader[2](x) end
      writer[2](x)
      for k = #readers, 1, -1 do same(pending[k], readers[k][3](v, r, c), writer[1] .. ", " .. readers[k][1]) end
      same(x, list(r, c, function(i, j) return writer[3](v, i, j, r) end), writer[1])
    end
  end)

  it("anything, again and again, with a reader before each", function()
    local r, c = shapes[1][1], shapes[1][2]
    local x, pending = matrix(shapes[1]), {}
    for k, writer in ipairs(writers) do
      local v = accessor(flat(x), c)
      local reader = readers[k % #readers + 1]
      pending[k] = { reader[2](x), reader[3](v, r, c), writer[1] }
      writer[2](x)
      same(x, list(r, c, function(i, j) return writer[3](v, i, j, r) end), writer[1])
    end
    for _, p in ipairs(pending) do same(p[1], p[2], p[3]) end
  end)
end)

each("views of what is written", function()
  it("see the new elements when the whole is written under a pending reader", function()
    local x = matrix({ 3, 4 })
    local row, turned, element, line = x[2], x.T, x:at(3, 4), x:reshape(12)
    local y = x * 2
    x:fill(7)
    assert.same({ 7, 7, 7, 7 }, values(row))
    assert.equal(7, turned[{ 4, 1 }])
    assert.equal(7, element:item())
    row:fill(1)
    turned[1] = 2
    line[12] = 3
    assert.same({ { 2, 7, 7, 7 }, { 2, 1, 1, 1 }, { 2, 7, 7, 3 } }, values(x))
    same(y, mapped(flat(matrix({ 3, 4 })), function(v) return 2 * v end))
  end)

  it("see the new elements when a part is written under a pending reader", function()
    local x = matrix({ 3, 4 })
    local row = x[2]
    local y, z = x + 1, row * 10
    x[":, 1"] = 0
    assert.same({ 0, 6, 7, 8 }, values(row))
    row:add_(1)
    assert.same({ { 0, 2, 3, 4 }, { 1, 7, 8, 9 }, { 0, 10, 11, 12 } }, values(x))
    assert.same({ 50, 60, 70, 80 }, values(z))
    assert.equal(13, y[{ 3, 4 }])
    assert.equal(2, y[{ 1, 1 }])
  end)

  it("are read as they were", function()
    local x = matrix({ 3, 4 })
    local v = x["2:, ::2"]
    local y = v * 2
    x:fill(0)
    assert.same({ { 10, 14 }, { 18, 22 } }, values(y))
    assert.same({ { 0, 0 }, { 0, 0 } }, values(v))
    local z = v + 1
    v:fill(5)
    assert.same({ { 1, 1 }, { 1, 1 } }, values(z))
    assert.equal(5, x[{ 2, 1 }])
    assert.equal(0, x[{ 2, 2 }])
  end)

  it("of the parts of complex numbers too", function()
    local z = cp.array({ cp.complex(1, 2), cp.complex(3, 4) })
    local re, im = z.real, z.imag
    local sum, both = re + im, z * 2
    re:fill(9)
    assert.same({ 3, 7 }, values(sum))
    assert.equal(2, both[1].re)
    assert.equal(4, both[1].im)
    local twice = re * 2
    z:fill(0)
    assert.same({ 18, 18 }, values(twice))
    assert.same({ 0, 0 }, values(im))
  end)

  it("of pending values have memory of their own", function()
    for _, shape in ipairs(shapes) do
      local x = matrix(shape)
      local old = flat(x)
      local turned, line, part = (x * 2).T, (x + 1):reshape(-1), (x - 1)["2:"]
      x:fill(0)
      same(turned.T, mapped(old, function(v) return 2 * v end))
      same(line, mapped(old, function(v) return v + 1 end))
      same(part, list(shape[1] - 1, shape[2], function(i, j) return old[i * shape[2] + j] - 1 end))
      turned:fill(3)
      assert.equal(0, x[{ 1, 1 }])
    end
  end)

  it("of a pending value share its memory", function()
    local x = matrix({ 3, 4 })
    local p = x * 2
    local v, before = p["2:3"], p + 0
    v:fill(-1)
    assert.same({ { 2, 4, 6, 8 }, { -1, -1, -1, -1 }, { -1, -1, -1, -1 } }, values(p))
    assert.same({ 10, 12, 14, 16 }, values(before[2]))
    p:fill(4)
    assert.same({ 4, 4, 4, 4 }, values(v[1]))
    assert.same({ 5, 6, 7, 8 }, values(x[2]))
  end)
end)

-- Arrays of four rows, each of one value: of four elements, and of as many as fill a block of the pool, which
-- a value and its destination then share.
for _, width in ipairs { 1, 1024 } do each("a pending value that is assigned, rows of " .. width, function()
  local x, t

  local function zeros(dtype) return cp.zeros(width == 1 and { 4 } or { 4, width }, dtype) end

  local function array(...)
    local a = cp.array({ ... })
    return cp.eval(width == 1 and a or a:reshape(-1, 1) + cp.zeros({ 1, width }))
  end

  -- The values of the rows.
  local function rows(a)
    if width == 1 then return values(a) end
    local first = values(a[":, 1"])
    local alike = cp.array_equal(a, a[":, 1:1"] + cp.zeros({ 1, width }))
    if not alike then error("the elements of a row differ", 2) end
    return first
  end

  before_each(function()
    x = array(1, 2, 3, 4)
    t = x + 1
  end)

  it("keeps its elements, whatever happens to the destination", function()
    x:assign(t)
    x:fill(0)
    assert.same({ 2, 3, 4, 5 }, rows(t))
    assert.same({ 0, 0, 0, 0 }, rows(x))
  end)

  it("does not change the destination when it is written itself", function()
    x:assign(t)
    t:fill(0)
    assert.same({ 2, 3, 4, 5 }, rows(x))
    t:add_(x)
    x:mul_(10)
    assert.same({ 2, 3, 4, 5 }, rows(t))
    assert.same({ 20, 30, 40, 50 }, rows(x))
  end)

  it("by every form of writing", function()
    local forms = {
      function(d, v) d:assign(v) end, function(d, v) d["..."] = v end, function(d, v) d[{}] = v end,
      function(d, v) cp.copyto(d, v) end, function(d, v) d[":"] = v end, function(d, v) d["..."]:assign(v) end,
      function(d, v) cp.positive(v, { out = d }) end, function(d, v) d:assign(function() return v end) end,
      function(d, v) d:fill(0) d:add_(v) end,
    }
    for k, form in ipairs(forms) do
      for _, last in ipairs { "destination", "value" } do
        local a = array(1, 2, 3, 4)
        local s = a * 2
        form(a, s)
        if last == "destination" then a:fill(-1) else s:fill(-1) end
        assert.same(last == "value" and { 2, 4, 6, 8 } or { -1, -1, -1, -1 }, rows(a), k)
        assert.same(last == "destination" and { 2, 4, 6, 8 } or { -1, -1, -1, -1 }, rows(s), k)
      end
    end
  end)

  it("and computed, then one of the two is written", function()
    local writes = {
      function(a) a:fill(-1) end, function(a) a:add_(-a - 1) end, function(a) a["::2"] = -1 a["2::2"] = -1 end,
      function(a) a:assign(a * 0 - 1) end, function(a) a.T:fill(-1) end, function(a) a:reshape(-1):assign(-1) end,
    }
    for k, write in ipairs(writes) do
      for _, last in ipairs { "destination", "value", "view of the value", "view of the destination" } do
        local a = array(1, 2, 3, 4)
        local s = a * 2
        local part = a["2:3"]
        a:assign(s)
        s:eval()
        local of_s = s["2:3"]
        if last == "destination" then write(a)
        elseif last == "value" then write(s)
        elseif last == "view of the value" then write(of_s)
        else write(part) end
        local whole, middle = { 2, 4, 6, 8 }, { 2, -1, -1, 8 }
        local gone = { -1, -1, -1, -1 }
        local want_a = last == "destination" and gone or last == "view of the destination" and middle or whole
        local want_s = last == "value" and gone or last == "view of the value" and middle or whole
        assert.same(want_a, rows(a), k .. last)
        assert.same(want_s, rows(s), k .. last)
        assert.same({ want_a[2], want_a[3] }, rows(part), k .. last)
        assert.same({ want_s[2], want_s[3] }, rows(of_s), k .. last)
      end
    end
  end)

  it("to several arrays", function()
    local y, z = zeros(), zeros("float32")
    x:assign(t)
    y:assign(t)
    z:assign(t)
    x:add_(1)
    y:sub_(1)
    t:mul_(2)
    assert.same({ 3, 4, 5, 6 }, rows(x))
    assert.same({ 1, 2, 3, 4 }, rows(y))
    assert.same({ 2, 3, 4, 5 }, rows(z))
    assert.same({ 4, 6, 8, 10 }, rows(t))
  end)

  it("in a row of assignments", function()
    local arrays = { x }
    for k = 2, 6 do
      arrays[k] = zeros()
      arrays[k]:assign(arrays[k - 1] + 1)
    end
    arrays[1]:fill(0)
    arrays[3]:fill(0)
    assert.same({ 2, 3, 4, 5 }, rows(arrays[2]))
    assert.same({ 0, 0, 0, 0 }, rows(arrays[3]))
    assert.same({ 4, 5, 6, 7 }, rows(arrays[4]))
    assert.same({ 6, 7, 8, 9 }, rows(arrays[6]))
  end)

  it("survives when the destination is freed, and vice versa", function()
    x:assign(t)
    x:free()
    assert.same({ 2, 3, 4, 5 }, rows(t))
    local y = zeros()
    y:assign(t)
    t:free()
    assert.same({ 2, 3, 4, 5 }, rows(y))
    y:fill(1)
    assert.same({ 1, 1, 1, 1 }, rows(y))
  end)

  it("survives when the destination is collected", function()
    x:assign(t)
    x = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    local other = zeros() + 9 -- may take the memory
    assert.same({ 2, 3, 4, 5 }, rows(t))
    assert.same({ 9, 9, 9, 9 }, rows(other))
  end)

  it("has views of its own", function()
    local view = x["2:3"]
    x:assign(t)
    local part = t["2:3"]
    part:fill(0)
    assert.same({ 2, 3, 4, 5 }, rows(x))
    assert.same({ 3, 4 }, rows(view))
    view:fill(8)
    assert.same({ 2, 0, 0, 5 }, rows(t))
    assert.same({ 2, 8, 8, 5 }, rows(x))
  end)

  it("has further readers, before and after", function()
    local before = t * 10
    x:assign(t)
    local after = t * 100
    x:fill(0)
    local late = t + x
    assert.same({ 20, 30, 40, 50 }, rows(before))
    assert.same({ 200, 300, 400, 500 }, rows(after))
    assert.same({ 2, 3, 4, 5 }, rows(late))
  end)

  it("as an inner node of a chain", function()
    local s = t * 2
    x:assign(s + t)
    x:add_(1)
    assert.same({ 2, 3, 4, 5 }, rows(t))
    assert.same({ 4, 6, 8, 10 }, rows(s))
    assert.same({ 7, 10, 13, 16 }, rows(x))
  end)

  it("to a part", function()
    local y = cp.concatenate { x, x } * 0
    y["5:"] = t
    y:add_(1)
    assert.same({ 1, 1, 1, 1, 3, 4, 5, 6 }, rows(y))
    assert.same({ 2, 3, 4, 5 }, rows(t))
    y["6:7"] = t["2:3"] * 2
    t:fill(0)
    assert.same({ 3, 6, 8, 6 }, rows(y["5:"]))
  end)

  it("to an array of another order of axes", function()
    for _, n in ipairs { 3, 64 } do
      local c = matrix({ n, n })
      local f = c.T:copy().T
      local sum = f + c
      local strides = sum.strides
      f:assign(sum)
      sum:eval()
      assert.same(strides, sum.strides)
      local want = mapped(flat(c), function(v) return 2 * v end)
      same(sum, want)
      sum:reshape(-1)[2] = 0
      same(f, want)
      f:fill(0)
      want[2] = 0
      same(sum, want)
    end
  end)

  it("to itself", function()
    t:assign(t)
    assert.same({ 2, 3, 4, 5 }, rows(t))
    t:assign(t * 2)
    x:fill(0)
    assert.same({ 4, 6, 8, 10 }, rows(t))
    x:assign(x)
    assert.same({ 0, 0, 0, 0 }, rows(x))
  end)

  it("with the destination as its only leaf, again and again", function()
    for _ = 1, 100 do x:assign(x * 0.5 + 1) end
    assert.is_true(math.abs(rows(x)[4] - 2) < 1e-12)
    for _ = 1, 100 do x:assign(function() return x * 0.5 + 2 end) end
    assert.is_true(math.abs(rows(x)[1] - 4) < 1e-12)
  end)
end) end

describe("all of this", function() repeat_forced "spec/lazy/hazard_spec.lua" end)
