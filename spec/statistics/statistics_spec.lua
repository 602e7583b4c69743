-- Statistics, sets and counting beyond the golden data: large sizes, empty arrays, devices, errors.

local cp = require "cupola"
local expect = require "spec.helper.expect"
local values, failure = expect.values, expect.failure

describe("sets", function()
  it("of many elements", function()
    local x = cp.arange(50000) % 977
    local u, index, inverse, counts = cp.unique(x, true, true, true)
    assert.is_true(cp.array_equal(u, cp.arange(977)))
    assert.is_true(cp.array_equal(index, cp.range(1, 977)))
    assert.is_true(cp.array_equal(inverse, x + 1))
    assert.equal(50000, counts:sum():item())
    assert.equal(52, counts[1])
    assert.equal(51, counts[977])
    assert.is_true(cp.array_equal(cp.isin(x, { 3, 5 }), cp.logical_or(x:eq(3), x:eq(5))))
  end)

  it("of tables and mixed dtypes", function()
    values(cp.unique { 3, 1, 3 }, { 1, 3 }, "float64")
    values(cp.union1d(cp.array({ 1, 2 }, "int8"), cp.array({ 300 }, "int16")), { 1, 2, 300 }, "int16")
    values(cp.intersect1d({ 1, 2, 3 }, cp.array({ 3, 4 }, "int32")), { 3 })
    values(cp.setdiff1d({ 5, 1, 3 }, { 1 }, true), { 5, 3 })
    assert.equal("int8", cp.setdiff1d(cp.array({ 5, 1, 3 }, "int8"), cp.array { 1, 2.5 }).dtype)
    values(cp.in1d({ { 1, 2 }, { 3, 4 } }, { 4, 1 }), { true, false, false, true })
    values(cp.isin(cp.nan, { cp.nan }), false)
    values(cp.unique(5), { 5 })
    assert.equal(0, cp.setxor1d({}, {}).size)
    values((cp.unique(cp.array { { 1, 2 }, { 1, 2 } }, { axis = 1 })), { { 1, 2 } })
    failure("cupola.unique: axis 3 is out of range", cp.unique, cp.ones { 2, 2 }, { axis = 3 })
  end)
end)

describe("quantiles", function()
  it("of many elements and rows", function()
    local x = (cp.arange(30001) * 7919 % 30001):astype("float32")
    values(x:median(), 15000, "float32")
    values(x:percentile { q = { 0, 25, 100 } }, { 0, 7500, 30000 }, "float32")
    values(x["1:30000"]:reshape(3, 10000):quantile(0, 2), x["1:30000"]:reshape(3, 10000):min(2):totable())
    values(cp.median(cp.arange(60):reshape(3, 4, 5), { 1, 3 }), { 22, 27, 32, 37 }, "float64")
    values(cp.median(cp.array { true, false, true }), 1)
    values(cp.quantile(cp.array { -cp.inf, 1, 2, cp.inf, cp.inf }, { 0, 0.5, 1 }), { -cp.inf, 2, cp.inf })
    local out = cp.zeros(4)
    assert.is_true(rawequal(out, cp.median(cp.arange(20):reshape(4, 5), 2, out)))
    values(out, { 2, 7, 12, 17 })
  end)

  it("of nothing", function()
    assert.is_true(cp.isnan(cp.median({}):item()))
    assert.is_true(cp.isnan(cp.nanmedian({ cp.nan, cp.nan }):item()))
    assert.equal(0, cp.median(cp.zeros { 0, 3 }, 2).size)
    for _, name in ipairs { "quantile", "nanquantile", "percentile", "nanpercentile" } do
      local f = cp[name]
      assert.equal("nan", tostring(f({}, 1)))
      assert.equal("[nan nan]\nfloat32 (2) cpu", tostring(f(cp.cpu.zeros({ 0 }, "float32"), { 0, 1 })))
      assert.equal("float64", f(cp.zeros({ 0 }, "int8"), 0.5).dtype)
      assert.equal("nan", tostring(f(cp.zeros({ 0 }, "int8"), 0.5, { method = "lower" })))
      assert.is_true(f(cp.zeros { 0, 3 }, { 0, 0.5 }, 1):has_shape(2, 3))
      assert.is_true(cp.isnan(f(cp.zeros { 0, 3 }, { 0, 0.5 }, 1)):all())
      assert.is_true(f(cp.zeros { 0, 3 }, 0.5, { axis = 1, keepdims = true }):has_shape(1, 3))
      assert.is_true(f(cp.zeros { 0, 3 }, 0.5, 2):has_shape(0))
      failure("cupola." .. name .. ": no method 'best'", f, {}, 0.5, { method = "best" })
    end
  end)

  it("check their arguments", function()
    failure("cupola.quantile: q must be from 0 to 1, but is 1.5", cp.quantile, { 1 }, 1.5)
    failure("cupola.percentile: q must be from 0 to 100, but is -1", cp.percentile, { 1 }, { 3, -1 })
    failure("cupola.quantile: q must be a number", cp.quantile, { 1 }, true)
    failure("cupola.quantile: no method 'best'; the methods are averaged_inverted_cdf", cp.quantile, { 1 }, 0.5,
      { method = "best" })
    failure("cupola.nanmedian: axis names an axis twice", cp.nanmedian, cp.ones { 2, 2 }, { 1, -2 })
  end)
end)

describe("counting", function()
  it("of many elements", function()
    for _, bins in ipairs { 3, 100, 1000, 5000, 20000 } do
      local x = cp.arange(100000) % bins
      local want = cp.floor_divide(100000 - 1 - cp.arange(bins), bins) + 1
      assert.is_true(cp.array_equal(cp.bincount(x), want))
      assert.is_true(cp.array_equal(cp.bincount(x:astype("int16")), want))
      local w = cp.bincount(x, cp.full(100000, 0.5, "float32"))
      assert.equal("float64", w.dtype)
      assert.is_true(cp.array_equal(w, want / 2))
      local counts, edges = cp.histogram(x:astype("float32"), bins, { 0, bins })
      assert.is_true(cp.array_equal(counts, want))
      assert.equal(bins + 1, edges.size)
      assert.is_true(cp.array_equal((cp.histogram(x, cp.arange(bins + 1))), want))
    end
  end)

  it("ignores values outside of all bins", function()
    local x = cp.array { -1, 0, 0.5, 1, 2, cp.nan, cp.inf }
    values((cp.histogram(x, 2, { 0, 1 })), { 1, 2 }, "int64")
    values((cp.histogram(x, { 0, 0.5, 1 })), { 1, 2 }, "int64")
    values((cp.histogram(cp.array { true, false, true }, 2)), { 1, 2 })
    values(select(2, cp.histogram({}, 2)), { 0, 0.5, 1 })
    values(select(2, cp.histogram({ 3, 3 }, 1)), { 2.5, 3.5 })
  end)

  it("checks its arguments", function()
    failure("cupola.bincount: x must not be negative, but has -2", cp.bincount, cp.array({ 1, -2 }, "int32"))
    failure("cupola.bincount: x must be an array of integers, not float64", cp.bincount, cp.array { 1, 2 })
    failure("cupola.bincount: x must be a vector", cp.bincount, cp.ones({ 2, 2 }, "int8"))
    failure("cupola.bincount: weights of shape (1) for x of shape (2)", cp.bincount, { 1, 2 }, { 1 })
    failure("cupola.bincount: minlength must not be negative", cp.bincount, { 1 }, { minlength = -1 })
    failure("cupola.histogram: bins must be positive, but is 0", cp.histogram, { 1 }, 0)
    failure("cupola.histogram: bins must ascend", cp.histogram, { 1 }, { 3, 1 })
    failure("cupola.histogram: range must ascend", cp.histogram, { 1 }, 3, { 2, 1 })
    failure("cupola.histogram: the range from 1 to inf is not finite", cp.histogram, { 1, cp.inf })
    failure("cupola.histogram: bins must be a number, edges, \"auto\"", cp.histogram, { 1 }, "best")
    failure("cupola.histogram: weights of shape (1)", cp.histogram, { 1, 2 }, { weights = { 1 } })
    failure("cupola.histogram2d: x and y must be vectors of the same length", cp.histogram2d, { 1 }, { 1, 2 })
    failure("cupola.histogramdd: bins has 3 entries for 2 dimensions", cp.histogramdd, cp.ones { 4, 2 }, { 1, 2, 3 })
    failure("cupola.digitize: bins must ascend or descend", cp.digitize, { 1 }, { 1, 3, 2 })
  end)
end)

describe("means and covariances", function()
  it("of many variables are those of pairs", function()
    local k = cp.arange(30 * 4000, { dtype = "float64" }):reshape(30, 4000)
    local x = (cp.sin(k * k) * 43758.5453) % 1
    x[3] = 2 * x[7] - x[1] + 5
    for _, m in ipairs { x, x + cp.j * x[{ {}, { 4000, 1, -1 } }], x:astype "float32" } do
      local c, r = cp.cov(m), cp.corrcoef(m)
      local bound = m.dtype == "float32" and 1e-6 or 1e-14
      for _, pair in ipairs { { 1, 1 }, { 3, 7 }, { 7, 3 }, { 30, 2 } } do
        local a, b = m[pair[1]], m[pair[2]]
        local want = ((a - a:mean()) * cp.conj(b - b:mean())):sum() / 3999
        assert.is_true(cp.abs(c[{ { pair[1], pair[1] }, { pair[2], pair[2] } }] - want):max():item() < bound)
      end
      assert.is_true(cp.abs(cp.diagonal(r) - 1):max():item() < bound * 10)
    end
  end)

  it("check their arguments", function()
    failure("cupola.average: weights of shape (2) for an array of shape (2, 2) need an axis", cp.average,
      cp.ones { 2, 2 }, { weights = { 1, 2 } })
    failure("cupola.average: weights of shape (3) for axis 1 of an array of shape (2, 2)", cp.average,
      cp.ones { 2, 2 }, 1, { 1, 2, 3 })
    failure("cupola.average: weights of shape (3) for axes 1, 2 of an array of shape (2, 2)", cp.average,
      cp.ones { 2, 2 }, { 1, 2 }, { 1, 2, 3 })
    failure("cupola.average: weights sum to 0", cp.average, { 1, 2 }, { weights = { 1, -1 } })
    failure("cupola.cov: m must have at most 2 axes", cp.cov, cp.ones { 2, 2, 2 })
    failure("cupola.cov: m has 2 observations and y has 3", cp.cov, { 1, 2 }, { 1, 2, 3 })
    failure("cupola.cov: aweights must not be negative", cp.cov, { 1, 2 }, { aweights = { 1, -1 } })
    failure("cupola.cov: fweights must be whole numbers", cp.cov, { 1, 2 }, { fweights = { 1, 0.5 } })
  end)
end)

describe("calculus on samples", function()
  it("of many elements", function()
    local x = cp.linspace(0, 1, 20001)
    local y = cp.interp(x, cp.linspace(0, 1, 5001), cp.linspace(0, 2, 5001))
    assert.is_true(cp.allclose(y, 2 * x, 1e-12, 1e-12))
    local far = cp.concatenate { (cp.arange(30000) * 7919 % 30011) / 20000 - 0.2, { cp.nan, -cp.inf, cp.inf, 0, 1 } }
    local line = cp.where(far:gt(1), 7, cp.where(far:lt(0), -3, 1 - 5 * far))
    local nodes = cp.linspace(0, 1, 4097)
    assert.is_true(cp.allclose(cp.interp(far, nodes, 1 - 5 * nodes, -3, 7), line, { atol = 1e-12, equal_nan = true }))
    assert.is_true(cp.array_equal(cp.interp(nodes, nodes, cp.exp(nodes)), cp.exp(nodes)))
    assert.is_true(cp.allclose(cp.trapezoid(x, x), 0.5))
    assert.is_true(cp.allclose(cp.gradient(x * x, x), 2 * x, 0, 1e-4))
    local c = cp.convolve(cp.ones(1000), cp.ones(100))
    values(c["1:3"], { 1, 2, 3 })
    assert.equal(100, c[500])
    assert.equal(1099, c.size)
  end)

  it("checks its arguments", function()
    failure("cupola.interp: xp and fp must be vectors of the same length", cp.interp, { 1 }, { 1, 2 }, { 1 })
    failure("cupola.interp: left must be a number, not an array of shape (2)", cp.interp, { 1 }, { 1 }, { 1 }, { 1, 2 })
    failure("cupola.interp: period must be a number other than 0", cp.interp, { 1 }, { 1 }, { 1 }, { period = 0 })
    failure("cupola.trapezoid: x has 2 points for an axis of length 3", cp.trapezoid, { 1, 2, 3 }, { 1, 2 })
    failure("cupola.gradient: axis 1 of length 1 is too short", cp.gradient, { 1 })
    failure("cupola.gradient: edge_order must be 1 or 2", cp.gradient, { 1, 2 }, { edge_order = 3 })
    failure("cupola.gradient: spacing must be a number, not boolean", cp.gradient, { 1, 2 }, true)
    failure("cupola.gradient: spacing must be a number, an array or a table", cp.gradient, { 1, 2 }, print)
    failure("cupola.gradient: spacing has 3 entries for 2 axes", cp.gradient, cp.ones { 2, 2 }, { 1, 2, 3 })
    failure('cupola.convolve: mode must be "full", "same" or "valid"', cp.convolve, { 1 }, { 1 }, "all")
    failure("cupola.correlate: a and v must not be empty", cp.correlate, {}, { 1 })
    failure("cupola.convolve: a and v must be vectors", cp.convolve, cp.ones { 2, 2 }, { 1 })
  end)
end)
