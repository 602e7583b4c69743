-- Joining, splitting, repeating, padding, rolling and rotating. Expected values are NumPy's results.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"
local values, failure = expect.values, expect.failure

local function matrix() return cp.range(1, 6):reshape(2, 3) end

-- f gives the same for every layout of (2, 3) and every dtype.
local function everywhere(f, want)
  for _, dtype in ipairs(expect.dtypes) do
    if dtype ~= "bool" then
      for layout, x in pairs(expect.layouts(dtype)) do
        local got = f(x)
        assert.equal(dtype, got.dtype, layout)
        assert.is_true(cp.array_equal(got, cp.array(want):astype(dtype)), dtype .. " " .. layout)
      end
    end
  end
end

describe("joining", function()
  it("takes no table with gaps", function()
    local x = cp.arange(3)
    check.raises("concatenate: arrays%[2%]", cp.concatenate, { x, nil, x })
    check.raises("stack: arrays%[2%]", cp.stack, { x, nil, x })
  end)

  it("concatenates along an axis", function()
    local m = matrix()
    values(cp.concatenate { m, m, axis = 1 }, { { 1, 2, 3 }, { 4, 5, 6 }, { 1, 2, 3 }, { 4, 5, 6 } }, "int64")
    values(cp.concatenate({ m, cp.zeros({ 2, 1 }, "int8") }, -1), { { 1, 2, 3, 0 }, { 4, 5, 6, 0 } }, "int64")
    values(cp.concatenate { cp.arange(2), { 0.5 } }, { 0, 1, 0.5 }, "float64")
    values(cp.concatenate({ cp.arange(2), cp.arange(0) }, { dtype = "float32" }), { 0, 1 }, "float32")
    values(cp.concatenate(m), { 1, 2, 3, 4, 5, 6 })
    local out = cp.zeros({ 4 }, "float32")
    assert.is_true(rawequal(out, cp.concatenate { cp.arange(2), cp.arange(2), out = out }))
    values(out, { 0, 1, 0, 1 })
    everywhere(function(x) return cp.concatenate { x, x, axis = 2 } end, { { 1, 2, 3, 1, 2, 3 }, { 4, 5, 6, 4, 5, 6 } })
  end)

  it("concatenates many pieces as few", function()
    local x = cp.arange(3000):reshape(1000, 3)
    for _, axis in ipairs { 1, 2 } do
      local pieces, pending, other = {}, {}, {}
      for k = 1, 1000 do
        local rows = x[{ { k, k % 50 == 0 and k - 1 or k } }] -- some are empty
        pieces[k] = axis == 1 and rows or rows:reshape(1, -1, 3)
        pending[k] = k == 700 and pieces[k] + 0 or pieces[k]
        other[k] = k == 999 and pieces[k]:astype "float32" or pieces[k]
      end
      local kept = cp.arange(1, 1001)
      local want = x[(kept % 50):ne(0)]
      if axis == 2 then want = want:reshape(1, -1, 3) end
      local dtypes = { "int64", "int64", cp.result_type("int64", "float32") }
      for k, list in ipairs { pieces, pending, other } do
        local got = cp.concatenate(list, axis)
        assert.equal(dtypes[k], got.dtype)
        assert.is_true(cp.array_equal(got, want))
      end
      assert.equal("int64", cp.concatenate(pieces, axis, { dtype = "int64" }).dtype)
      assert.equal("int16", cp.concatenate(pieces, axis, { dtype = "int16", casting = "unsafe" }).dtype)
    end
    failure("cupola.concatenate: the array's memory was freed", cp.concatenate, { x, (function()
      local gone = cp.zeros { 2, 3 }
      gone:free()
      return gone
    end)() })
  end)

  it("joins more pending pieces than a Lua stack has room for", function()
    local count, pieces = check.mode == "gc" and 500 or 9000, {}
    local x = cp.arange(3, "int64"):eval()
    for k = 1, count do pieces[k] = x + k end
    local want = cp.arange(1, count + 1):reshape(-1, 1) + cp.arange(3):reshape(1, 3)
    assert.is_true(cp.array_equal(cp.stack(pieces), want))
    for k = 1, count do pieces[k] = (x + k):reshape(1, 3) end
    assert.is_true(cp.array_equal(cp.concatenate(pieces), want))
  end)

  it("joins what the list holds when it is read", function()
    -- a finalizer that runs while the result is made exchanges a piece for one of another length
    local list = { cp.arange(3), cp.arange(4), cp.arange(5) }
    local Changes = { __gc = function() list[2] = cp.arange(2) end }
    for _ = 1, 20 do
      list[2] = cp.arange(4)
      local newproxy = rawget(_G, "newproxy")
      if newproxy then getmetatable(newproxy(true)).__gc = Changes.__gc else setmetatable({}, Changes) end
      local pause = collectgarbage("setpause", 100)
      local ok, x = pcall(cp.concatenate, list)
      collectgarbage("setpause", pause)
      if ok then assert.is_true(x.size == 12 or x.size == 10) end
      collectgarbage()
    end
  end)

  it("names itself in errors", function()
    local m = matrix()
    failure("cupola.concatenate: shapes (2, 3) and (2) differ beside axis 1", cp.concatenate, { m, cp.ones { 2 } })
    failure("cupola.concatenate: axis 3 is out of range", cp.concatenate, { m, m }, 3)
    failure("cupola.concatenate: axis counts from 1", cp.concatenate, { m, m }, 0)
    failure("cupola.concatenate: 0-d arrays cannot be joined", cp.concatenate, { cp.array(1) })
    failure("cupola.concatenate: needs at least one array", cp.concatenate, {})
    failure("cupola.concatenate: out must be an array of shape (4, 3)", cp.concatenate, { m, m }, { out = m })
    failure("cupola.concatenate: arrays must be a table of arrays", cp.concatenate, 5)
    failure("cupola.vstack: shapes", cp.vstack, { m, { 1 } })
  end)

  it("stacks along a new axis", function()
    values(cp.stack { { 1, 2 }, { 3, 4 } }, { { 1, 2 }, { 3, 4 } })
    values(cp.stack { { 1, 2 }, { 3, 4 }, axis = 2 }, { { 1, 3 }, { 2, 4 } })
    values(cp.stack { 1, 2 }, { 1, 2 })
    expect.shape(cp.stack({ matrix(), matrix() }, -1), 2, 3, 2)
    failure("cupola.stack: shapes (2, 3) and (3, 2) differ", cp.stack, { matrix(), matrix().T })
  end)

  it("gives numbers that are joined the dtype that operators give them", function()
    local i, b = cp.array({ 1, 2 }, "int64"), cp.array({ 1, 2 }, "int8")
    for _, case in ipairs {
      { cp.append(i, 3), "int64", { 1, 2, 3 } }, { cp.append(i, 1.5), "float64", { 1, 2, 1.5 } },
      { cp.append(b, -3), "int8", { 1, 2, -3 } }, { cp.append(3, b), "int8", { 3, 1, 2 } },
      { cp.append(b:astype "float32", 3), "float32", { 1, 2, 3 } }, { cp.append(b:gt(1), 3), "int64", { 0, 1, 3 } },
      { cp.append(i, { 3 }), "float64", { 1, 2, 3 } }, { cp.hstack { 3, b, 4 }, "int8", { 3, 1, 2, 4 } },
      { cp.hstack { 3, 4 }, "float64", { 3, 4 } }, { cp.block { b, 3 }, "int8", { 1, 2, 3 } },
      { cp.block { 3, b, 2.5 }, "float64", { 3, 1, 2, 2.5 } }, { cp.hstack { b, true }, "int8", { 1, 2, 1 } },
    } do
      assert.equal(case[2], case[1].dtype)
      assert.same(case[3], case[1]:totable())
    end
    assert.equal("complex128", cp.append(b, cp.j).dtype)
    failure("cupola.append: 300 does not fit int8", cp.append, b, 300)
    failure("cupola.block: 300 does not fit int8", cp.block, { b, 300 })
  end)

  it("has forms for rows, columns and depth", function()
    values(cp.vstack { { 1, 2 }, { { 3, 4 } } }, { { 1, 2 }, { 3, 4 } })
    values(cp.row_stack { { 1, 2 }, { 3, 4 } }, { { 1, 2 }, { 3, 4 } })
    values(cp.hstack { { 1 }, { 2, 3 } }, { 1, 2, 3 })
    values(cp.hstack { { { 1 }, { 2 } }, { { 3 }, { 4 } } }, { { 1, 3 }, { 2, 4 } })
    values(cp.dstack { { 1, 2 }, { 3, 4 } }, { { { 1, 3 }, { 2, 4 } } })
    values(cp.column_stack { { 1, 2 }, { { 3, 4 }, { 5, 6 } } }, { { 1, 3, 4 }, { 2, 5, 6 } })
    values(cp.append({ 1, 2 }, { { 3 }, { 4 } }), { 1, 2, 3, 4 })
    values(matrix():append({ { 7, 8, 9 } }, 1), { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } })
  end)
end)

describe("joining a freed array's rows", function()
  it("raises in the function's name", function()
    local x = matrix()
    x:free()
    failure("vstack: the array's memory was freed", cp.vstack, x)
    failure("concatenate: the array's memory was freed", cp.concatenate, x)
  end)
end)

describe("splitting", function()
  local function all(pieces)
    local list = {}
    for k, x in ipairs(pieces) do list[k] = x:totable() end
    return list
  end

  it("into equal parts, and after the elements that a table names", function()
    local x = cp.range(1, 6)
    values(all(cp.split(x, 3)), { { 1, 2 }, { 3, 4 }, { 5, 6 } })
    values(all(cp.split(x, { 2, 5 })), { { 1, 2 }, { 3, 4, 5 }, { 6 } })
    values(all(x:split(cp.index { 2, 5 })), { { 1, 2 }, { 3, 4, 5 }, { 6 } })
    values(all(cp.split(x, { 4, 2, 9 })), { { 1, 2, 3, 4 }, {}, { 3, 4, 5, 6 }, {} })
    values(all(cp.split(x, { -2 })), { { 1, 2, 3, 4 }, { 5, 6 } })
    values(all(cp.array_split(cp.arange(7), 3)), { { 0, 1, 2 }, { 3, 4 }, { 5, 6 } })
    values(all(cp.array_split(cp.arange(1), 2)), { { 0 }, {} })
    values(all(cp.split(matrix(), 3, 2)), { { { 1 }, { 4 } }, { { 2 }, { 5 } }, { { 3 }, { 6 } } })
    values(all(cp.hsplit(matrix(), { 1 })), { { { 1 }, { 4 } }, { { 2, 3 }, { 5, 6 } } })
    values(all(cp.vsplit(matrix(), 2)), { { { 1, 2, 3 } }, { { 4, 5, 6 } } })
    assert.equal(2, #cp.dsplit(cp.ones { 1, 1, 4 }, 2))
  end)

  it("gives views", function()
    local x = cp.zeros { 4 }
    cp.split(x, 2)[2]:fill(1)
    values(x, { 0, 0, 1, 1 })
  end)

  it("refuses parts that do not fit", function()
    failure("cupola.split: axis 1 of length 6 does not divide into 4 equal parts", cp.split, cp.arange(6), 4)
    failure("cupola.split: the number of parts must be 1 or more", cp.split, cp.arange(6), 0)
    failure("cupola.vsplit: ary must have at least 2 axes", cp.vsplit, cp.arange(6), 2)
  end)
end)

describe("repeating", function()
  it("tiles whole arrays", function()
    values(cp.tile({ 1, 2 }, 2), { 1, 2, 1, 2 })
    values(matrix():tile(2, 2),
      { { 1, 2, 3, 1, 2, 3 }, { 4, 5, 6, 4, 5, 6 }, { 1, 2, 3, 1, 2, 3 }, { 4, 5, 6, 4, 5, 6 } })
    values(cp.tile({ 1, 2 }, { 2, 1, 2 }), { { { 1, 2, 1, 2 } }, { { 1, 2, 1, 2 } } })
    values(cp.tile(5, 3), { 5, 5, 5 })
    values(cp.tile({ 1, 2 }, 0), {})
    everywhere(function(x) return cp.tile(x, { 1, 2 }) end, { { 1, 2, 3, 1, 2, 3 }, { 4, 5, 6, 4, 5, 6 } })
    failure("cupola.tile: reps[2] must not be negative", cp.tile, { 1 }, { 1, -1 })
  end)

  it("repeats elements", function()
    values(cp.repeats({ 1, 2 }, 2), { 1, 1, 2, 2 })
    values(cp.repeats(matrix(), 2), { 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6 })
    values(matrix():repeats({ 1, 2 }, 1), { { 1, 2, 3 }, { 4, 5, 6 }, { 4, 5, 6 } })
    values(cp.repeats({ 1, 2, 3 }, { 0, 2, 1 }), { 2, 2, 3 })
    values(cp.repeats({ 1, 2 }, cp.index { 2, 1 }), { 1, 1, 2 })
    values(cp.repeats(3, 4), { 3, 3, 3, 3 })
    everywhere(function(x) return x:repeats(2, 2) end, { { 1, 1, 2, 2, 3, 3 }, { 4, 4, 5, 5, 6, 6 } })
    failure("cupola.repeats: repeats has 3 numbers for an axis of length 2", cp.repeats, { 1, 2 }, { 1, 2, 3 })
  end)

  it("repeats many elements by as many counts in one go", function()
    local n = 300000
    local x = cp.arange(n)
    local long
    local launches = check.counted(function() long = cp.repeats(x, x % 3):eval() end).launches
    assert.is_true(launches < 20)
    assert.is_true(long:has_shape(n)) -- 0 + 1 + 2 of each three
    assert.is_true(long["1::3"] == x["2::3"] and long["2::3"] == x["3::3"] and long["3::3"] == x["3::3"])
    failure("cupola.repeats: repeats must not be negative, but has -1", cp.repeats, x, x - 1)
    failure("cupola.repeats: repeats must be whole numbers, not float64; convert with :astype", cp.repeats, x, x * 0.5)
    failure("cupola.repeats: the result would have more elements than fit into memory", cp.repeats, x, x * 0 + 2 ^ 40)
  end)

  it("resizes by starting again", function()
    values(cp.resize(matrix(), { 3, 4 }), { { 1, 2, 3, 4 }, { 5, 6, 1, 2 }, { 3, 4, 5, 6 } })
    values(cp.resize({ 1, 2, 3 }, 2), { 1, 2 })
    values(cp.resize({}, 2), { 0, 0 })
  end)
end)

describe("pad", function()
  local line = { 1, 2, 3, 4 }

  it("with constants and edges", function()
    values(cp.pad({ 1, 2 }, 1), { 0, 1, 2, 0 })
    values(cp.pad({ 1, 2 }, { 1, 2 }, { constant_values = { 7, 8 } }), { 7, 1, 2, 8, 8 })
    values(cp.pad(matrix(), { { 1, 2 }, { 0, 1 } }, { constant_values = { { 7, 8 }, { 9, 5 } } }),
      { { 7, 7, 7, 5 }, { 1, 2, 3, 5 }, { 4, 5, 6, 5 }, { 8, 8, 8, 5 }, { 8, 8, 8, 5 } }, "int64")
    values(cp.pad(matrix(), { { 1, 2 }, { 0, 1 } }, "edge"),
      { { 1, 2, 3, 3 }, { 1, 2, 3, 3 }, { 4, 5, 6, 6 }, { 4, 5, 6, 6 }, { 4, 5, 6, 6 } })
    values(cp.pad({}, 1), { 0, 0 })
    values(cp.pad(5, 1), 5)
    expect.shape(cp.pad(matrix(), { 1, 2 }, "empty"), 5, 6)
    values(cp.pad(cp.ones({ 1 }, "bool"), 1), { false, true, false }, "bool")
  end)

  it("with mirror images, over more than one period", function()
    values(cp.pad(line, { 7, 8 }, "reflect"), { 2, 1, 2, 3, 4, 3, 2, 1, 2, 3, 4, 3, 2, 1, 2, 3, 4, 3, 2 })
    values(cp.pad(line, { 9, 6 }, "symmetric"), { 1, 1, 2, 3, 4, 4, 3, 2, 1, 1, 2, 3, 4, 4, 3, 2, 1, 1, 2 })
    failure("cupola.pad: reflect_type is defined for the modes reflect and symmetric", cp.pad, line, 1, "mean",
      { reflect_type = "even" })
    values(cp.pad(line, { 7, 8 }, "reflect", { reflect_type = "odd" }),
      { -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 })
    values(cp.pad(line, { 9, 6 }, "symmetric", { reflect_type = "odd" }),
      { -5, -5, -4, -3, -2, -2, -1, 0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8 })
    values(cp.pad(matrix(), { { 2, 1 }, { 3, 4 } }, "reflect"), {
      { 2, 3, 2, 1, 2, 3, 2, 1, 2, 3 }, { 5, 6, 5, 4, 5, 6, 5, 4, 5, 6 }, { 2, 3, 2, 1, 2, 3, 2, 1, 2, 3 },
      { 5, 6, 5, 4, 5, 6, 5, 4, 5, 6 }, { 2, 3, 2, 1, 2, 3, 2, 1, 2, 3 },
    })
    values(cp.pad(matrix(), { { 3, 1 }, { 0, 4 } }, "symmetric"), {
      { 4, 5, 6, 6, 5, 4, 4 }, { 4, 5, 6, 6, 5, 4, 4 }, { 1, 2, 3, 3, 2, 1, 1 }, { 1, 2, 3, 3, 2, 1, 1 },
      { 4, 5, 6, 6, 5, 4, 4 }, { 4, 5, 6, 6, 5, 4, 4 },
    })
    values(cp.pad({ 3 }, 2, "reflect"), { 3, 3, 3, 3, 3 })
    values(cp.pad(line, { 6, 9 }, "wrap"), { 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1 })
    everywhere(function(x) return cp.pad(x, { { 0 }, { 1 } }, "wrap") end, { { 3, 1, 2, 3, 1 }, { 6, 4, 5, 6, 4 } })
  end)

  it("with ramps and statistics", function()
    values(cp.pad(matrix(), { { 2, 1 }, { 1, 2 } }, "linear_ramp", { end_values = { { 10, 20 }, { -3, 0 } } }), {
      { -3, 10, 10, 10, 5, 0 }, { -3, 5, 6, 6, 3, 0 }, { -3, 1, 2, 3, 1, 0 }, { -3, 4, 5, 6, 3, 0 },
      { -3, 20, 20, 20, 10, 0 },
    }, "int64")
    values(cp.pad(matrix(), { { 1, 1 }, { 2, 1 } }, "mean", { stat_length = 2 }),
      { { 3, 3, 2, 4, 4, 4 }, { 2, 2, 1, 2, 3, 2 }, { 4, 4, 4, 5, 6, 6 }, { 3, 3, 2, 4, 4, 4 } }, "int64")
    values(cp.pad(matrix(), { { 1, 0 }, { 0, 2 } }, "minimum", { stat_length = { { 1, 1 }, { 1, 2 } } }),
      { { 1, 2, 3, 2, 2 }, { 1, 2, 3, 2, 2 }, { 4, 5, 6, 5, 5 } })
    values(cp.pad({ 1, 5, 2 }, 1, "maximum"), { 5, 1, 5, 2, 5 })
  end)

  it("refuses meaningless arguments", function()
    failure("cupola.pad: mode must be one of constant, edge", cp.pad, line, 1, "mirror")
    failure("cupola.pad: pad_width must not be negative", cp.pad, line, { -1, 0 })
    failure("cupola.pad: end_values = 3 is not defined for mode edge", cp.pad, line, 1, "edge", { end_values = 3 })
    failure("cupola.pad: axis 1 has no elements; mode edge needs some", cp.pad, {}, 1, "edge")
    failure("cupola.pad: pad_width has 3 items", cp.pad, matrix(), { { 1 }, { 2 }, { 3 } })
    failure("cupola.pad: cannot write 0.5 into int64", cp.pad, matrix(), 1, { constant_values = 0.5 })
  end)
end)

describe("moving", function()
  it("rolls along axes or flat", function()
    values(cp.roll(matrix(), 2), { { 5, 6, 1 }, { 2, 3, 4 } })
    values(cp.roll(matrix(), -1, 2), { { 2, 3, 1 }, { 5, 6, 4 } })
    values(cp.roll(matrix(), { 1, -1 }, { 1, 2 }), { { 5, 6, 4 }, { 2, 3, 1 } })
    values(cp.roll({ 1, 2, 3 }, 7), { 3, 1, 2 })
    values(cp.roll({}, 1), {})
    -- all elements are equal, and yet they move
    assert.equal(-math.huge, (1 / cp.roll(cp.array({ 0, 0, -0.0 }), 1))[1])
    local x = cp.arange(3)
    local y = x:roll(3)
    y:fill(0)
    values(x, { 0, 1, 2 })
    everywhere(function(a) return a:roll(1, 1) end, { { 4, 5, 6 }, { 1, 2, 3 } })
    failure("cupola.roll: axis 3 is out of range", cp.roll, matrix(), 1, 3)
  end)

  it("rotates by right angles", function()
    values(cp.rot90(matrix()), { { 3, 6 }, { 2, 5 }, { 1, 4 } })
    values(cp.rot90(matrix(), 2), { { 6, 5, 4 }, { 3, 2, 1 } })
    values(cp.rot90(matrix(), 3), { { 4, 1 }, { 5, 2 }, { 6, 3 } })
    values(cp.rot90(matrix(), -1), { { 4, 1 }, { 5, 2 }, { 6, 3 } })
    values(cp.rot90(matrix(), 4), { { 1, 2, 3 }, { 4, 5, 6 } })
    values(cp.rot90(matrix(), 1, { 2, 1 }), { { 4, 1 }, { 5, 2 }, { 6, 3 } })
    failure("cupola.rot90: axes must be two different axes", cp.rot90, matrix(), 1, { 1, -2 })
  end)
end)

describe("arrays without axes, without elements, and broadcast views", function()
  it("without axes", function()
    local z = cp.array(3)
    values(cp.roll(z, 1), 3)
    values(cp.repeats(z, 2), { 3, 3 })
    values(cp.resize(z, { 1, 2 }), { { 3, 3 } })
    values(cp.append(z, z), { 3, 3 })
    values(cp.stack { z, z }, { 3, 3 })
  end)

  it("rolls long rows, columns and all of a large array", function()
    local x = cp.arange(300 * 4100, "float32"):reshape(300, 4100)
    for _, y in ipairs { x, x:astype "bool", x["1:2"]:astype "float16" } do
      local function joined(axis, ...) return cp.concatenate({ ... }, axis) end
      assert.is_true(cp.array_equal(y:roll(1, 2), joined(2, y["..., -1:"], y["..., 1:4099"])))
      assert.is_true(cp.array_equal(y:roll(-700, 2), joined(2, y["..., 701:"], y["..., 1:700"])))
      assert.is_true(cp.array_equal(y:roll(1, 1), joined(1, y["-1:"], y["1:" .. #y - 1])))
      local flat = y:reshape(-1)
      assert.is_true(cp.array_equal(y:roll(9):reshape(-1), joined(1, flat["-9:"], flat["1:" .. flat.size - 9])))
    end
    local wide = x:pad({ { 1, 2 }, { 3, 0 } }, "wrap")
    assert.is_true(cp.array_equal(wide["2:301, 4:"], x) and cp.array_equal(wide["1, 4:"], x[300]))
    assert.is_true(cp.array_equal(wide[{ {}, { 1, 3 } }], wide[{ {}, { 4101, 4103 } }]))
  end)

  it("packs bits of any number, in either order", function()
    for _, n in ipairs { 1, 7, 8, 31, 32, 33, 95, 100, 1000 } do
      local x = (cp.arange(n) * 37 % 5 * 64):astype("uint8", false) -- 0, 64, 128, 192, and 256 as 0
      local from = x:totable()
      for _, order in ipairs { "big", "little" } do
        local want = {}
        for k = 0, n - 1 do
          local bit = order == "big" and 7 - k % 8 or k % 8
          want[math.floor(k / 8) + 1] = (want[math.floor(k / 8) + 1] or 0) + (from[k + 1] ~= 0 and 2 ^ bit or 0)
        end
        assert.same(want, cp.packbits(x, { bitorder = order }):totable())
        local bits = cp.unpackbits(cp.packbits(x, { bitorder = order }), { bitorder = order, count = n })
        assert.is_true(cp.array_equal(bits, x:ne(0)))
      end
    end
  end)

  it("without elements", function()
    local e = cp.zeros { 0, 3 }
    expect.shape(cp.stack { e, e }, 2, 0, 3)
    expect.shape(cp.concatenate { e, cp.ones { 1, 3 } }, 1, 3)
    expect.shape(cp.tile(e, { 2, 2 }), 0, 6)
    expect.shape(e:repeats(2, 1), 0, 3)
    expect.shape(e:roll(1, 2), 0, 3)
    expect.shape(e:rot90(), 3, 0)
    values(e:pad { { 1, 0 }, { 0, 0 } }, { { 0, 0, 0 } })
    assert.equal(3, #e:array_split(3))
  end)

  it("broadcast", function()
    local b = cp.broadcast_to(cp.arange(3), { 2, 3 })
    values(b:roll(1), { { 2, 0, 1 }, { 2, 0, 1 } })
    values(b:pad({ { 1 }, { 0 } }, "reflect"), { { 0, 1, 2 }, { 0, 1, 2 }, { 0, 1, 2 }, { 0, 1, 2 } })
    values(b:tile(1, 2), { { 0, 1, 2, 0, 1, 2 }, { 0, 1, 2, 0, 1, 2 } })
    failure("cupola.clip_: the array is a broadcast view", b.clip_, b, 0, 1)
  end)
end)
