-- divmod, modf and frexp with arrays that their results are written into.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"

local failure, values = check.failure, expect.values

describe("two results", function()
  local x

  before_each(function() x = cp.array { 7, -7, 3.5 } end)

  it("are written into out1 and out2", function()
    local q, r = cp.zeros(3), cp.zeros(3, "float32")
    local a, b = cp.divmod(x, 2, q, r)
    assert.is_true(rawequal(a, q) and rawequal(b, r))
    values(q, { 3, -4, 1 })
    values(r, { 1, 1, 1.5 }, "float32")
    local e = cp.zeros(3, "int64")
    local m = cp.frexp(x, nil, e)
    values(m, { 0.875, -0.875, 0.875 })
    values(e, { 3, 3, 2 }, "int64")
  end)

  it("are written into the table out, of which either may be missing", function()
    local q, r = cp.zeros(3), cp.zeros { 2, 3 }
    local a, b = cp.modf(x, { out = { q, r } })
    assert.is_true(rawequal(a, q) and rawequal(b, r))
    values(q, { 0, 0, 0.5 })
    values(r, { { 7, -7, 3 }, { 7, -7, 3 } })
    a, b = x:divmod(4, { out = { nil, q } })
    values(a, { 1, -2, 0 })
    assert.is_true(rawequal(b, q))
    values(q, { 3, 1, 3.5 })
    a, b = x:divmod(4, { out = { q } })
    assert.is_true(rawequal(a, q))
    values(b, { 3, 1, 3.5 })
    a, b = cp.modf(2.25, { out = { false, q } })
    assert.equal(0.25, a)
    assert.is_true(rawequal(b, q))
    values(q, { 2, 2, 2 })
  end)

  it("may replace their operands", function()
    local y = cp.array { 2, 3, 4 }
    cp.divmod(x, y, { out = { y, x } })
    values(y, { 3, -3, 0 })
    values(x, { 1, 2, 3.5 })
    local wide = cp.arange(1, 6) * 1.25
    cp.modf(wide[{ { 1, 4 } }], { out = { wide[{ { 2, 5 } }] } })
    values(wide, { 1.25, 0.25, 0.5, 0.75, 0 })
    cp.modf(wide + 1, { out = { wide } })
    values(wide, { 0.25, 0.25, 0.5, 0.75, 0 })
  end)

  it("leave both arrays alone if one does not fit", function()
    local good, bad = cp.zeros(3), cp.zeros(3, "int64")
    failure("dtype", "frexp: cannot write float64 into int64",
      function() cp.frexp(x, { out = { bad, bad } }) return 1 end)
    failure("dtype", "modf: cannot write float64 into int64",
      function() cp.modf(x, { out = { good, bad } }) return 1 end)
    failure("shape", "modf: shape (3) does not broadcast into (2)",
      function() cp.modf(x, { out = { good, cp.zeros(2) } }) return 1 end)
    values(good, { 0, 0, 0 })
    failure("usage", "divmod: out must be a table of two arrays, not an array",
      function() cp.divmod(x, 2, { out = good }) return 1 end)
    failure("usage", "divmod: out1 and out2 cannot be given beside out",
      function() cp.divmod(x, 2, good, { out = { good } }) return 1 end)
    failure("usage", "divmod: out must be an array, not number",
      function() cp.divmod(x, 2, 5) return 1 end)
  end)

  it("take one kernel, and one for each array that they are written into", function()
    local q, r = cp.zeros(3), cp.zeros(3)
    assert.equal(3, check.counted(cp.divmod, x, 2, q, r).launches)
  end)
end)
