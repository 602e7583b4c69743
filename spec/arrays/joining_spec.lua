-- Joining, repeating and einsum of arrays that lie in memory in every way, or wait to be computed. Expected
-- values are put together element by element from Lua tables.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"

-- A matrix with the elements first, first + 1, ..., as a table.
local function rows_of(m, n, first)
  local rows = {}
  for i = 1, m do
    rows[i] = {}
    for j = 1, n do rows[i][j] = first + (i - 1) * n + j - 1 end
  end
  return rows
end

-- Arrays of these values that lie in memory in other ways, or wait.
local function states(rows)
  local m, n = #rows, #rows[1]
  local x = cp.array(rows)
  local wide = cp.zeros { m, 2 * n }
  wide[":, ::2"] = x
  return {
    stored = x,
    transposed = x.T:copy().T,
    strided = wide[":, ::2"],
    reversed = x[{ {}, { n, 1, -1 } }]:copy()[{ {}, { n, 1, -1 } }],
    pending = x - 1 + 1,
    float32 = x:astype "float32",
  }
end

local function below(a, b)
  local rows = {}
  for _, list in ipairs { a, b } do
    for _, row in ipairs(list) do rows[#rows + 1] = row end
  end
  return rows
end

local function beside(a, b)
  local rows = {}
  for i, row in ipairs(a) do
    rows[i] = {}
    for _, list in ipairs { row, b[i] } do
      for _, v in ipairs(list) do rows[i][#rows[i] + 1] = v end
    end
  end
  return rows
end

-- table[i][j] = f(a's element, b's)
local function zipped(a, b, f)
  local rows = {}
  for i, row in ipairs(a) do
    rows[i] = {}
    for j, v in ipairs(row) do rows[i][j] = f(v, b[i][j]) end
  end
  return rows
end

describe("joining arrays in other states", function()
  local a, b = rows_of(2, 3, 1), rows_of(2, 3, 11)

  -- Calls f(x, y, names) for every pair of states.
  local function each_pair(f)
    for one, x in pairs(states(a)) do
      for other, y in pairs(states(b)) do f(x, y, one .. " " .. other) end
    end
  end

  local function same(want, got, names) assert.same(want, got:totable(), names) end

  it("gives the same elements along each axis", function()
    each_pair(function(x, y, names)
      same(below(a, b), cp.concatenate { x, y }, names)
      same(beside(a, b), cp.concatenate({ x, y }, 2), names)
      same(beside(a, b), cp.concatenate({ x, y }, -1), names)
      same(below(a, b), cp.vstack { x, y }, names)
      same(beside(a, b), cp.hstack { x, y }, names)
      same(beside(a, b), cp.column_stack { x, y }, names)
      same({ a, b }, cp.stack { x, y }, names)
      same({ { a[1], b[1] }, { a[2], b[2] } }, cp.stack({ x, y }, 2), names)
      same(zipped(a, b, function(v, w) return { v, w } end), cp.stack({ x, y }, -1), names)
      same(zipped(a, b, function(v, w) return { v, w } end), cp.dstack { x, y }, names)
      same(below(below(a, b), a), cp.concatenate { x, y, x }, names)
    end)
  end)

  it("gives vectors and numbers the axes of each form", function()
    local v, w = cp.array { 1, 2 }, cp.array { 3, 4 }
    for _, y in ipairs { w, w - 1 + 1, w[{ { 2, 1, -1 } }]:copy()[{ { 2, 1, -1 } }] } do
      same({ { 1, 2 }, { 3, 4 } }, cp.vstack { v, y })
      same({ 1, 2, 3, 4 }, cp.hstack { v, y })
      same({ { 1, 3 }, { 2, 4 } }, cp.column_stack { v, y })
      same({ { { 1, 3 }, { 2, 4 } } }, cp.dstack { v, y })
      same({ { 1, 3 }, { 2, 4 } }, cp.stack({ v, y }, 2))
    end
    local one, two = cp.array(1), cp.array(2)
    same({ { 1 }, { 2 } }, cp.vstack { one, two })
    same({ 1, 2 }, cp.hstack { one, two })
    same({ { 1, 2 } }, cp.column_stack { one, two })
    same({ { { 1, 2 } } }, cp.dstack { one, two })
    same({ 1, 2 }, cp.stack { one, two })
    same({ { 1, 2 }, { 5, 6 } }, cp.vstack { v, cp.array { { 5, 6 } } })
    same({ { 1, 3, 4 }, { 2, 5, 6 } }, cp.column_stack { v, cp.array { { 3, 4 }, { 5, 6 } } })
  end)

  it("leaves out what has no elements", function()
    local x, none = cp.array(a), cp.zeros { 2, 0 }
    same(a, cp.concatenate({ none, x, none }, 2))
    same(beside(a, b), cp.hstack { x, none, cp.array(b) })
    expect.shape(cp.stack { none, none }, 2, 2, 0)
    expect.shape(cp.concatenate({ none, none }, 2), 2, 0)
  end)

  it("has the common dtype, or one that is asked for", function()
    local x, y = cp.array({ { 1, 2 } }, "int8"), cp.array({ { 3, 4 } }, "uint8")
    for _, axis in ipairs { 1, 2 } do
      assert.equal("int16", cp.concatenate({ x, y }, axis).dtype)
      assert.equal("float32", cp.concatenate({ x, y }, { axis = axis, dtype = "float32" }).dtype)
      check.raises("concatenate: cannot write", cp.concatenate, { x * 0.5, y * 0.5 }, { axis = axis, dtype = "int8" })
    end
  end)

  it("says what does not fit, in each function's name", function()
    local x, y = cp.ones { 2, 3 }, cp.ones { 3, 2 }
    check.raises("hstack: shapes %(2, 3%) and %(3, 2%) differ beside axis 2", cp.hstack, { x, y })
    check.raises("stack: shapes %(2, 3%) and %(3, 2%) differ", cp.stack, { x, y })
    check.raises("dstack: shapes", cp.dstack, { x, y })
    check.raises("stack: axis 4 is out of range", cp.stack, { x, x }, 4)
    check.raises("stack: axis counts from 1", cp.stack, { x, x }, 0)
    check.raises("concatenate: no dtype 'float31'", cp.concatenate, { x, x }, { dtype = "float31" })
  end)

  it("computes pending pieces of one shape together, between others", function()
    local x = cp.arange(6, "float64"):reshape(2, 3):eval()
    local y, got = cp.ones({ 2, 3 }):eval(), nil
    cp.synchronize() -- what earlier tests left waiting is not counted
    local launches = check.counted(function() got = cp.concatenate({ y, x + 1, x * 2, y }, 2) end).launches
    assert.same({ { 1, 1, 1, 1, 2, 3, 0, 2, 4, 1, 1, 1 }, { 1, 1, 1, 4, 5, 6, 6, 8, 10, 1, 1, 1 } }, got:totable())
    if check.mode == nil then assert.equal(3, launches) end
  end)

  it("takes more rows than are copied one by one", function()
    for _, m in ipairs { 16, 17, 300 } do
      local x = cp.arange(m * 2):reshape(m, 2):eval()
      local got = cp.hstack { x, x[{ {}, 1 }]:copy():reshape(m, 1), x }
      for _, i in ipairs { 1, 2, m } do
        assert.same({ 2 * i - 2, 2 * i - 1, 2 * i - 2, 2 * i - 2, 2 * i - 1 }, got[i]:totable())
      end
    end
  end)
end)

describe("repeating arrays in other states", function()
  it("repeats elements and wholes", function()
    for name, x in pairs(states(rows_of(2, 2, 1))) do
      assert.same({ { 1, 1, 2, 2 }, { 3, 3, 4, 4 } }, cp.repeats(x, 2, 2):totable(), name)
      assert.same({ { 1, 2 }, { 1, 2 }, { 3, 4 }, { 3, 4 } }, cp.repeats(x, 2, 1):totable(), name)
      assert.same({ 1, 1, 2, 2, 3, 3, 4, 4 }, cp.repeats(x, 2):totable(), name)
      assert.same({ { 1, 2, 1, 2 }, { 3, 4, 3, 4 } }, cp.tile(x, 2):totable(), name)
      assert.same({ { 1, 2 }, { 3, 4 }, { 1, 2 }, { 3, 4 } }, cp.tile(x, { 2, 1 }):totable(), name)
      assert.same({ { 2, 2 }, { 4, 4 } }, cp.repeats(x, { 0, 2 }, 2):totable(), name)
      assert.same({ { 1, 2 }, { 3, 4 }, { 3, 4 }, { 3, 4 } }, cp.repeats(x, { 1, 3 }, 1):totable(), name)
      expect.shape(cp.repeats(x, { 0, 0 }, 1), 0, 2)
      expect.shape(cp.tile(x, { 0, 2 }), 0, 4)
      expect.shape(cp.repeats(x, 0, 2), 2, 0)
    end
    check.raises("repeats: repeats must not be negative", cp.repeats, cp.ones { 2 }, { 1, -1 })
    check.raises("repeats: ", cp.repeats, cp.ones { 2 }, { 1, 0.5 })
  end)

  it("makes a copy", function()
    local x = cp.array { 1, 2 }
    cp.tile(x, 1):fill(0)
    cp.repeats(x, 1):fill(0)
    assert.same({ 1, 2 }, x:totable())
  end)
end)

describe("einsum of one or two operands", function()
  local function dims(x)
    local list = {}
    for d, n in ipairs(x.shape) do list[d] = n end
    return list
  end

  -- Sums of products, label by label, from the elements of float64 arrays.
  local function expected(inputs, result, arrays)
    local lengths, names = {}, {}
    for k, labels in ipairs(inputs) do
      for d = 1, #labels do
        local c, n = labels:sub(d, d), dims(arrays[k])[d]
        if lengths[c] == nil then names[#names + 1] = c end
        lengths[c] = math.max(lengths[c] or 1, n)
      end
    end
    local shape = {}
    for d = 1, #result do shape[d] = lengths[result:sub(d, d)] end
    local total = cp.zeros(shape)
    local at = {}
    local function element(k)
      local key, own = {}, dims(arrays[k])
      for d = 1, #inputs[k] do key[d] = own[d] == 1 and 1 or at[inputs[k]:sub(d, d)] end
      return arrays[k][key]
    end
    local function visit(depth)
      if depth <= #names then
        for i = 1, lengths[names[depth]] do
          at[names[depth]] = i
          visit(depth + 1)
        end
        return
      end
      local value, key = 1, {}
      for k = 1, #arrays do value = value * element(k) end
      for d = 1, #result do key[d] = at[result:sub(d, d)] end
      if #key == 0 then total:fill(total:item() + value) else total[key] = total[key] + value end
    end
    visit(1)
    return total
  end

  local function numbers(...) return (cp.arange(cp.ones({ ... }).size, "float64") % 7 - 3):reshape({ ... }):eval() end

  it("gives the sums of products, whatever the lengths and layouts", function()
    for _, case in ipairs {
      { "ij,jk->ik", { 2, 3 }, { 3, 4 } }, { "ij,jk->ki", { 2, 3 }, { 3, 4 } }, { "ji,kj->ik", { 3, 2 }, { 4, 3 } },
      { "ij,jk->ik", { 2, 1 }, { 3, 4 } }, { "ij,jk->ik", { 1, 3 }, { 3, 1 } }, { "ij,jk->ik", { 2, 3 }, { 1, 4 } },
      { "i,i->", { 4 }, { 4 } }, { "ij,j->i", { 2, 3 }, { 3 } }, { "i,ij->j", { 2 }, { 2, 3 } },
      { "i,j->ij", { 2 }, { 3 } }, { "ij,ij->", { 2, 3 }, { 2, 3 } }, { "ij,ij->ij", { 2, 3 }, { 2, 3 } },
      { "bij,bjk->bik", { 2, 2, 3 }, { 2, 3, 2 } }, { "bij,bjk->ikb", { 2, 2, 3 }, { 2, 3, 2 } },
      { "bij,bjk->bik", { 1, 2, 3 }, { 2, 3, 2 } }, { "abij,ji->ab", { 2, 2, 2, 3 }, { 3, 2 } },
      { "ijk,jkl->il", { 2, 2, 3 }, { 2, 3, 2 } }, { "ij,kl->ijkl", { 2, 2 }, { 2, 2 } },
      { "ij,jk->k", { 2, 3 }, { 3, 2 } }, { "ij->i", { 2, 3 } }, { "ij->j", { 2, 3 } }, { "ij->", { 2, 3 } },
      { "ij->ji", { 2, 3 } }, { "ijk->ki", { 2, 3, 2 } }, { "ij->ij", { 2, 3 } },
    } do
      local left, result = case[1]:match "^(.-)%->(.*)$"
      local inputs, arrays, turned = {}, {}, {}
      for labels in (left .. ","):gmatch "(.-)," do inputs[#inputs + 1] = labels end
      for k = 2, #case do
        local x = numbers((table.unpack or unpack)(case[k])) -- luacheck: ignore
        arrays[k - 1], turned[k - 1] = x, x.T:copy().T
      end
      local want = expected(inputs, result, arrays)
      for _, list in ipairs { arrays, turned } do
        local got = cp.einsum(case[1], (table.unpack or unpack)(list)) -- luacheck: ignore
        assert.is_true(cp.array_equal(want, got), case[1])
        assert.equal("float64", got.dtype)
      end
    end
    local x = numbers(2, 2)
    assert.is_false(rawequal(x, cp.einsum("ij->ij", x)))
    check.raises("einsum: label 'j' has length 2 and 3", cp.einsum, "ij,jk->ik", x, numbers(3, 2))
    assert.equal("int64", cp.einsum("ij,jk->ik", x:astype "int64", x:astype "int32").dtype)
  end)

  it("multiplies rows and columns as matmul of more of them does", function()
    local a, b = numbers(3, 4), numbers(4, 5)
    local whole = cp.matmul(a, b)
    for _, m in ipairs { a, a.T:copy().T, a * 1 } do
      assert.same(whole["2:2"]:totable(), cp.matmul(m["2:2"], b):totable())
      assert.same(whole[":, 3:3"]:totable(), cp.matmul(m, b[":, 3:3"]):totable())
      assert.same(whole["2:2, 3:3"]:totable(), cp.matmul(m["2:2"], b[":, 3:3"]):totable())
    end
    local c = cp.stack { a, a * 2 }
    assert.same({ whole:totable(), (whole * 2):totable() }, cp.matmul(c, b):totable())
    expect.shape(cp.matmul(c:reshape(2, 1, 3, 4), cp.stack { b, b, b }), 2, 3, 3, 5)
    expect.shape(cp.dot(c, cp.stack { b, b, b }), 2, 3, 3, 5)
    check.raises("matmul: shapes", cp.matmul, c, cp.stack { b, b, b })
  end)

  it("has inner products of vectors", function()
    for n = 1, 40, 13 do
      local x, y = numbers(n), numbers(n):flip()
      local want = 0
      for k = 1, n do want = want + x[k] * y[k] end
      assert.equal(want, cp.inner(x, y):item())
      assert.equal(want, cp.vdot(x, y):item())
      assert.equal(want, cp.einsum("i,i", x, y):item())
    end
  end)
end)
