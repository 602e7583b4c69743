-- Pending values and exposed addresses, through which memory changes from outside. Every test runs with
-- fusion on, off and forced.

local cp = require "cupola"
local check = require "spec.helper.check"
local fusion = require "spec.helper.fusion"

local each, repeat_forced = fusion.tests({ describe = describe, it = it, before_each = before_each,
  after_each = after_each })
local values = check.values

each("a raw pointer", function()
  local ffi = rawget(_G, "jit") and require "ffi"

  -- Writes v to all of x's memory from outside, where this program can reach it.
  local function write_outside(pointer, n, v)
    if not ffi or cp.zeros({ 1 }).device ~= "cpu" then return false end
    local p = ffi.cast("double *", ffi.cast("intptr_t", pointer))
    for k = 0, n - 1 do p[k] = v end
    return true
  end

  it("is returned after all that reads the memory is done", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local y, z = x * 2, x["2:"] + 1
    write_outside(x.data.ptr, 3, 100)
    assert.same({ 2, 4, 6 }, values(y))
    assert.same({ 3, 4 }, values(z))
  end)

  it("stays the array's pointer", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local pointer = x.data.ptr
    local y = x * 2
    x:fill(0)
    assert.equal(pointer, x.data.ptr)
    x:assign(y + 1)
    x["2:"]:add_(y["2:"])
    assert.equal(pointer, x.data.ptr)
    assert.same({ 2, 4, 6 }, values(y))
    assert.same({ 3, 9, 13 }, values(x))
  end)

  it("lets writes from outside be seen by what comes later only", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local pointer = x.data.ptr
    local y, view = x + 1, x["2:"]
    local z = view * 2
    local outside = write_outside(pointer, 3, 50)
    assert.same({ 2, 3, 4 }, values(y))
    assert.same({ 4, 6 }, values(z))
    assert.same(outside and { 51, 51, 51 } or { 2, 3, 4 }, values(x + 1))
  end)

  it("of a view exposes its memory too", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local pointer = x["2:"].data.ptr
    local y = x * 2
    write_outside(pointer, 2, 9)
    assert.same({ 2, 4, 6 }, values(y))
    x:fill(0)
    assert.equal(pointer, x["2:"].data.ptr)
  end)

  it("of a pending value is that of its own memory", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local y = x * 2
    local pointer = y.data.ptr
    x:fill(0)
    assert.equal(pointer, y.data.ptr)
    assert.same({ 2, 4, 6 }, values(y))
    local t = y + 1
    y:assign(t)
    write_outside(pointer, 3, 70)
    assert.same({ 3, 5, 7 }, values(t))
  end)

  it("of a destination that shared a value's memory", function()
    local x = cp.eval(cp.arange(1, 4, { dtype = "float64" }))
    local t = x + 1
    x:assign(t)
    write_outside(x.data.ptr, 3, 70)
    assert.same({ 2, 3, 4 }, values(t))
    x:fill(1)
    assert.same({ 2, 3, 4 }, values(t))
    write_outside(t.data.ptr, 3, 80)
    assert.same({ 1, 1, 1 }, values(x))
  end)
end)

describe("all of this", function() repeat_forced "spec/lazy/hazard_pointer_spec.lua" end)
