-- delete, insert, cross, polynomials and windows against NumPy (spec/golden/arrays/editing.py); shares_memory
-- against the addresses of the bytes.

local cp = require "cupola"
local cases = require "spec.helper.cases"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"
local generator = require "spec.helper.random.generator"

describe("NumPy's golden data", function() cases.define("spec/golden/arrays/editing.lua", it) end)

describe("polyval", function()
  it("gives Lua values for Lua values", function()
    assert.equal(76, cp.polyval({ 3, 0, 1 }, 5))
    assert.equal(7, cp.polyval({ 7 }, 5))
    expect.values(cp.polyval({}, cp.array { 1, 2 }), { 0, 0 })
  end)

  it("lets numbers keep the dtype of x, and arrays take part in promotion", function()
    local x = cp.array({ 1, 2 }, "float32")
    assert.equal("float32", cp.polyval({ 1.5, 2 }, x).dtype)
    assert.equal("float64", cp.polyval(cp.array { 1.5, 2 }, x).dtype)
    assert.equal("complex64", cp.polyval({ cp.j, 2 }, x).dtype)
  end)
end)

describe("bad input", function()
  it("is named", function()
    local v = cp.arange(4)
    check.failure("index", "delete: position 5 is out of range for an axis of length 4", function() cp.delete(v, 5) end)
    check.failure("index", "delete: positions count from 1", function() cp.delete(v, { 1, 0 }) end)
    check.failure("usage", "delete: position must be a whole number, not 1.5", function() cp.delete(v, 1.5) end)
    check.failure("dtype", "delete: obj must be of an integer dtype or bool, not float64",
      function() cp.delete(v, cp.array { 1.0 }) end)
    check.failure("shape", "delete: obj must have one axis", function() cp.delete(v, cp.zeros({ 2, 2 }, "bool")) end)
    check.failure("shape", "insert: obj must have one axis", function() cp.insert(v, cp.ones({ 1, 1 }, "int8"), 1) end)
    check.failure("shape", "delete: a mask of shape (3) does not fit an axis of length 4",
      function() cp.delete(v, cp.zeros(3, "bool")) end)
    check.failure("index", "delete: axis 2 is out of range", function() cp.delete(v, 1, 2) end)
    local many = cp.range(-4, 6) -- too many to be looked at one by one
    check.failure("index", "delete: position 6 is out of range for an axis of length 4",
      function() cp.delete(v, many) end)
    check.failure("index", "insert: positions count from 1", function() cp.insert(v, many["1:10"], 1) end)
    check.failure("index", "insert: position -5 is out of range", function() cp.insert(v, many - 1, 1) end)
    check.failure("index", "insert: position 6 is out of range for an axis of length 4",
      function() cp.insert(v, 6, 1) end)
    check.failure("usage", "insert: values is missing", function() cp.insert(v, 1) end)
    check.failure("shape", "cross: vectors have 2 or 3 components, not 4", function() cp.cross(v, v) end)
    check.failure("shape", "cross: a and b must have at least one axis",
      function() cp.cross(cp.array(1), { 1, 2, 3 }) end)
    check.failure("shape", "sliding_window_view: a window of length 5 does not fit into an axis of length 4",
      function() cp.sliding_window_view(v, 5) end)
    check.failure("shape", "sliding_window_view: a window of length 0 does not fit",
      function() cp.sliding_window_view(v, 0) end)
    check.failure("shape", "sliding_window_view: window_shape has 2 lengths for 1 axis",
      function() cp.sliding_window_view(v, { 2, 2 }) end)
    check.failure("shape", "polyder: p must have one axis, not shape (1, 1)",
      function() cp.polyder(cp.zeros { 1, 1 }) end)
    check.failure("usage", "polyder: m must be from 0 to 10000, but is -1", function() cp.polyder(v, -1) end)
  end)

  it("of windows: their view is read-only", function()
    local view = cp.sliding_window_view(cp.arange(4), 2)
    assert.is_false(pcall(function() view[1] = 0 end))
    cp.sliding_window_view(cp.arange(4), 2, nil, true)[1] = 7
  end)
end)

describe("shares_memory", function()
  -- The bytes of a view of an array of 8-byte elements, as a set.
  local function bytes_of(shape, strides, offset, size)
    local set = {}
    local function walk(axis, at)
      if axis > #shape then
        for k = 0, size - 1 do set[at + k] = true end
        return
      end
      for k = 0, shape[axis] - 1 do walk(axis + 1, at + k * strides[axis]) end
    end
    walk(1, offset)
    return set
  end

  local g = generator(7)
  local function draw(low, high) return low + g.below(high - low + 1) end

  -- The first byte, shape and strides of a random view within 700 bytes.
  local function random_view()
    local first, low, high, shape, strides = draw(100, 600), 0, 0, {}, {}
    for k = 1, draw(0, 3) do
      shape[k], strides[k] = draw(1, 5), draw(-9, 9) * draw(1, 3)
      local reach = (shape[k] - 1) * strides[k]
      low, high = low + math.min(reach, 0), high + math.max(reach, 0)
    end
    if first + low < 0 or first + high > 699 then return random_view() end
    return first, shape, strides
  end

  it("is exact for views of bytes", function()
    local base = cp.zeros(700, "int8")
    local seen = { [true] = 0, [false] = 0 }
    for _ = 1, 400 do
      local views, sets = {}, {}
      for k = 1, 2 do
        local first, shape, strides = random_view()
        views[k] = cp.as_strided(base[{ { first + 1, 700 } }], shape, strides)
        sets[k] = bytes_of(shape, strides, first, 1)
      end
      local common = false
      for at in pairs(sets[1]) do common = common or sets[2][at] == true end
      assert.equal(common, cp.shares_memory(views[1], views[2]))
      if common then assert.is_true(cp.may_share_memory(views[1], views[2])) end
      seen[common] = seen[common] + 1
    end
    assert.is_true(seen[true] > 5 and seen[false] > 5)
  end)

  it("knows columns, parts of complex values, copies and empty views", function()
    local x = cp.arange(20, "float64"):reshape(4, 5)
    assert.is_false(cp.shares_memory(x[{ {}, 1 }], x[{ {}, 2 }]))
    assert.is_true(cp.may_share_memory(x[{ {}, 1 }], x[{ {}, 2 }]))
    assert.is_true(x[{ {}, 2 }]:shares_memory(x[3]))
    assert.is_true(cp.shares_memory(x, x.T))
    assert.is_false(cp.shares_memory(x, x:copy()))
    assert.is_false(cp.shares_memory(x, x + 0))
    assert.is_false(cp.shares_memory(x["1:0"], x))
    local z = cp.zeros({ 3 }, "complex64")
    assert.is_false(cp.shares_memory(z.real, z.imag))
    assert.is_true(cp.shares_memory(z.real, z))
    local y = cp.zeros { 4, 5 }
    y:assign(x)
    assert.is_false(cp.shares_memory(x, y))
    check.failure("usage", "shares_memory: b must be an array, not number", function() cp.shares_memory(x, 5) end)
  end)
end)
