-- Errors of indexing by arrays: their messages, and that nothing was written.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"

local ON_GPU = cp.device().name ~= "cpu"

describe("a wrong index", function()
  local x, m

  before_each(function()
    x = cp.arange(12):reshape(3, 4)
    m = cp.array { true, false, true }
  end)

  it("is a mask of another shape", function()
    check.failure("index", "index: a mask of shape (3) does not fit axis 2 of shape (4)",
      function() return x[{ {}, m }], 1 end)
    check.failure("index", "index: a mask of shape (2, 4) does not fit axes 1 to 2 of shape (3, 4)",
      function() x[cp.ones({ 2, 4 }, "bool")] = 0 end)
    check.failure("index", "index: 3 indices for an array of 2 axes", function() x[{ x:gt(1), 1 }] = 0 end)
    check.failure("shape", "place: a mask of shape (3) for an array of shape (3, 4)", function() cp.place(x, m, 0) end)
  end)

  it("has arrays that do not broadcast", function()
    check.failure("index", "index: index arrays of shapes (2) and (3) do not broadcast",
      function() return x[{ cp.index { 1, 2 }, cp.index { 1, 2, 3 } }], 1 end)
    check.failure("dtype", "take: indices must be whole numbers, not float64",
      function() return cp.take(x, cp.array { 1.5 }), 1 end)
    check.failure("shape", "take_along_axis: indices of shape (2, 3) do not match shape (3, 4) along axis 2",
      function() return cp.take_along_axis(x, cp.ones({ 2, 3 }, "int64"), 2), 1 end)
  end)

  it("selects elements that the values do not fit", function()
    check.failure("shape", "index: shape (3) does not broadcast into (2)",
      function() x[{ 1, x[1]:lt(2) }] = { 1, 2, 3 } end)
    check.failure("shape", "index: shape (3) does not broadcast into (2, 4)",
      function() x[cp.index { 1, 2 }] = { 1, 2, 3 } end)
    check.failure("dtype", "index: cannot write float64 into int64", function() x[cp.index { 1, 2 }] = cp.ones(4) end)
    check.failure("dtype", "index: cannot write float64 into int64", function() x[x:gt(3)] = x[x:gt(3)] / 2 end)
    check.failure("dtype", "index: cannot write 0.5 into int64", function() x[m] = 0.5 end)
    check.failure("usage", "index: the array is a broadcast view",
      function() cp.broadcast_to(x, { 2, 3, 4 })[cp.index { 1 }] = 0 end)
    check.failure("dtype", "scatter_max: complex values cannot be ordered",
      function() cp.scatter_max(cp.zeros(3, "complex64"), cp.index { 1 }, 1) end)
    check.failure("usage", "put: a must be an array, not table", function() cp.put({ 1, 2 }, 1, 1) end)
  end)

  it("asks for elements that do not exist", function()
    check.failure("index", "unravel_index: indices holds a position out of range for length 6",
      function() cp.unravel_index(cp.index { 7 }, { 2, 3 }) end)
    check.failure("index", "unravel_index: indices holds a position out of range for length 6",
      function() cp.unravel_index(0, { 2, 3 }) end)
    check.failure("usage", "ravel_multi_index: multi_index must be a table with positions for each axis, not number",
      function() cp.ravel_multi_index(3, {}) end)
    check.failure("index", "ravel_multi_index: multi_index holds a position out of range for length 2",
      function() cp.ravel_multi_index({ 3, 1 }, { 2, 3 }) end)
    check.failure("shape", "nonzero: a 0-d array has no positions", function() cp.nonzero(cp.array(3)) end)
    check.failure("usage", "take: mode must be \"raise\", \"wrap\" or \"clip\"",
      function() return cp.take(x, { 1 }, { mode = "no" }), 1 end)
    check.failure("index", "take: cannot take positions from an empty axis",
      function() return cp.take(cp.zeros { 0 }, { 1 }, { mode = "clip" }), 1 end)
    check.failure("shape", "fill_diagonal: all axes must have the same length",
      function() cp.fill_diagonal(cp.zeros { 2, 2, 3 }, 1) end)
    check.failure("usage", "select: condlist and choicelist must be tables of the same length",
      function() cp.select({ m }, { 1, 2 }) end)
    check.failure("usage", "checks: mode must be", function() cp.checks "maybe" end)
  end)

  -- The call itself finds each of these on the CPU, and on a GPU with strict checks.
  local function out_of_range()
    check.failure("index", ON_GPU and "index: index at " or "index: index 4 is out of range for axis 1 of length 3",
      function() return x[cp.index { 1, 4 }], 1 end)
    check.failure("index", ON_GPU and "index: index at " or "index: index -5 is out of range for axis 2 of length 4",
      function() return x[{ {}, cp.index { 1, -5 } }], 1 end)
    check.failure("index", ON_GPU and "index: index at " or "index: index 0 for axis 1: positions count from 1",
      function() x[cp.index { 0 }] = 1 end)
    check.failure("index", ON_GPU and "take: take at " or "take: index 13 is out of range for axis 1 of length 12",
      function() return cp.take(x, { 1, 13 }), 1 end)
    check.failure("index", ON_GPU and "scatter_add: " or "scatter_add: index 9 is out of range for axis 1 of length 3",
      function() cp.scatter_add(x, cp.index { 1, 9 }, 1) end)
    check.failure("index", ON_GPU and "choose: " or "choose: index 3 is out of range for axis 1 of length 2",
      function() return cp.choose({ 1, 3 }, { 5, 6 }), 1 end)
  end

  it("has positions out of range", function()
    assert.equal("lazy", cp.checks "strict")
    local ok, message = pcall(out_of_range)
    assert.equal("strict", cp.checks "lazy")
    assert.is_true(ok, message)
    if not ON_GPU then -- all positions are checked before anything is written
      expect.values(x, cp.arange(12):reshape(3, 4):totable())
    end
  end)

  it("leaves no memory behind", function()
    local function live()
      collectgarbage()
      collectgarbage()
      return cp.memory().state_live
    end
    local idx, value, bad = cp.index { 1, 3, 2 }, cp.ones({ 3, 4 }, "int64"), cp.index { 1, 2 }
    cp.eval(x, m, idx, value)
    local function work()
      local _ = { x[m], x[idx], x[{ m, { 2, 3 } }], x[m]:sum(), x[x:gt(3)] + 1 }
      x[m], x[idx], x[x:gt(3)] = 1, value, x[x:gt(3)] * 2
      pcall(function() return x[{ idx, bad }] end)
      pcall(function() x[m] = value end)
      pcall(function() x[{ m, { 9, 9 } }] = 0 end)
      pcall(function() x[x:gt(3)] = x[x:gt(3)] / 2 end)
      m[2] = true
    end
    work()
    local before = live()
    for _ = 1, 20 do work() end
    assert.equal(before, live())
  end)

  if ON_GPU then
    it("is reported by the next synchronisation, with the line that launched it", function()
      local taken = x[cp.index { 1, 7 }]
      local line = debug.getinfo(1, "l").currentline - 1
      local ok, message = pcall(function() return taken[{ 1, 1 }] end)
      assert.is_false(ok)
      assert.matches("index at [^:]*index_errors_spec%.lua:" .. line
        .. ": index 7 is out of range for axis 1 of length 3", message)
      assert.equal(0, taken[{ 1, 1 }]) -- once
      for _ = 1, 300 do taken = x[cp.index { 1, 2 }] end
      assert.equal(4, taken[{ 2, 1 }])
      x[cp.index { 1, 5 }] = 3
      assert.is_false(pcall(cp.synchronize))
      cp.synchronize()
      expect.values(x, { { 3, 3, 3, 3 }, { 4, 5, 6, 7 }, { 8, 9, 10, 11 } })
    end)
  end
end)
