-- Blocks, bits, forms of arrays, loops over indices and polynomial objects: what NumPy's golden data do not
-- cover, and bad input.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"

describe("block", function()
  it("gives a copy of one array, and puts tables and numbers beside arrays", function()
    local x = cp.array { 1, 2 }
    local y = cp.block(x)
    y[1] = 9
    assert.same({ 1, 2 }, x:totable())
    local one = cp.ones({ 1, 1 }, "float32")
    assert.equal("float32", cp.block({ { one, one }, { one, one } }).dtype)
  end)

  it("takes numbers alone", function()
    assert.same({ { 1, 2 }, { 3, 4 } }, cp.block({ { 1, 2 }, { 3, 4 } }):totable())
  end)

  it("writes each part once, whatever its axes and layout", function()
    local x = (cp.arange(6, "float32"):reshape(2, 3)):eval()
    local got = cp.block { { x, x.T:copy().T * 2, cp.zeros { 2, 0 } }, { cp.arange(3), cp.full({ 1, 3 }, 7) } }
    assert.same({ { 0, 1, 2, 0, 2, 4 }, { 3, 4, 5, 6, 8, 10 }, { 0, 1, 2, 7, 7, 7 } }, got:totable())
    assert.equal("float64", got.dtype)
    local deep = cp.block { { { x, x }, { x, 5 * x } }, { { -x, x }, { x, x } } }
    assert.equal("(2, 4, 6)", tostring(deep.shape))
    assert.same({ 25, -5, 1 }, { deep[{ 1, 4, 6 }], deep[{ 2, 2, 3 }], deep[{ 2, 1, 5 }] })
    assert.same({ { { 0, 1, 2 }, { 3, 4, 5 } } }, cp.block({ { { x } } }):totable())
    if check.mode or not check.lazy then return end
    local c = check.counted(function() cp.block { { x, x }, { x, x } } end)
    assert.same({ 4, 1 }, { c.launches, c.allocations })
  end)

  it("names what does not fit", function()
    local x = cp.ones { 2, 2 }
    check.failure("usage", "block: arrays is an empty table", function() cp.block {} end)
    check.failure("usage", "block: arrays[2] is an empty table", function() cp.block { { x }, {} } end)
    check.failure("usage", "block: tables must be nested equally deep: arrays[2] is 0 deep, those before it 1",
      function() cp.block { { x }, x } end)
    check.failure("usage", "block: arrays[1] must be", function() cp.block { "x" } end)
    check.failure("shape", "block: shapes (2, 2) and (3, 2) differ beside axis 2",
      function() cp.block { x, cp.ones { 3, 2 } } end)
  end)
end)

describe("packbits and unpackbits", function()
  it("undo each other along every axis", function()
    local x = cp.random.default_rng(3):random { 5, 8, 3 }:lt(0.5)
    for _, order in ipairs { "big", "little" } do
      for axis = 1, 3 do
        local packed = cp.packbits(x, axis, order)
        assert.is_true(cp.array_equal(x, cp.unpackbits(packed, axis, x.shape[axis], order)))
      end
      assert.is_true(cp.array_equal(x:ravel(), x:packbits({ bitorder = order }):unpackbits(nil, 120, order)))
    end
  end)

  it("take one kernel for full bytes", function()
    if check.mode or not check.lazy then return end
    local x = (cp.arange(800, "int32"):eq(3)):eval()
    assert.equal(1, check.counted(function() return cp.packbits(x):eval() end).launches)
  end)

  it("take bytes that are no truth values, views that are not aligned, and can be recorded", function()
    local bytes = cp.arange(40, "uint8")
    local truth = bytes:view "bool"
    assert.is_true(cp.array_equal(cp.packbits(bytes:ne(0)), cp.packbits(truth)))
    assert.is_true(cp.array_equal(cp.packbits(truth["4:19"]:copy()), cp.packbits(truth["4:19"])))
    assert.is_true(cp.array_equal(cp.packbits(truth["40:1:-1"]:copy()), truth["40:1:-1"]:packbits()))
    local g = cp.cuda.graph(function() return cp.unpackbits(cp.packbits(truth)) end)
    assert.is_true(cp.array_equal(g(), bytes:ne(0)))
  end)

  it("name what they cannot take", function()
    local x = cp.ones(9, "uint8")
    check.failure("dtype", "packbits: a must be of dtype bool or an integer dtype, not float64",
      function() cp.packbits(cp.ones(3)) end)
    check.failure("dtype", "unpackbits: a must be of dtype uint8, not int8",
      function() cp.unpackbits(cp.ones(3, "int8")) end)
    check.failure("usage", "packbits: bitorder must be \"big\" or \"little\", not \"middle\"",
      function() cp.packbits(x, 1, "middle") end)
    check.failure("usage", "unpackbits: bitorder must be \"big\" or \"little\", not 1",
      function() cp.unpackbits(x, 1, nil, 1) end)
    check.failure("index", "packbits: axis 2 is out of range", function() cp.packbits(x, 2) end)
    check.failure("usage", "unpackbits: count must not be less than -72, but is -73",
      function() cp.unpackbits(x, 1, -73) end)
    check.failure("usage", "unpackbits: count must be a whole number, not 1.5", function() cp.unpackbits(x, 1, 1.5) end)
  end)
end)

describe("forms", function()
  it("isfortran is true only for arrays in Fortran order that are not in C order", function()
    local x = cp.ones { 2, 3 }
    assert.is_false(cp.isfortran(x))
    assert.is_true(x.T:isfortran())
    assert.is_false(cp.isfortran(cp.ones(3)))
    assert.is_false(cp.isfortran(cp.ones({ 4, 4 })["::2, ::2"]))
  end)

  it("require copies arrays that do not meet the requirements", function()
    local x = cp.arange(6):reshape(2, 3)
    assert.is_true(rawequal(x, cp.require(x)))
    assert.is_true(rawequal(x, cp.require(x, nil, { "C", "W", "A" })))
    local f = cp.require(x, "float32", "F")
    assert.equal("float32", f.dtype)
    assert.is_true(f.flags.f_contiguous)
    assert.is_true(cp.array_equal(f, x))
    local wide = cp.broadcast_to(cp.arange(3), { 2, 3 })
    local own = cp.require(wide, nil, { "writeable", "owndata" })
    assert.is_true(own.flags.writeable and own.flags.owndata)
    assert.is_true(cp.array_equal(own, wide))
    check.failure("usage", "require: 'Z' is not a requirement", function() cp.require(x, nil, "Z") end)
    check.failure("usage", "require: an array cannot be asked for in both orders",
      function() cp.require(x, nil, { "C", "F" }) end)
    check.failure("usage", "require: requirements must be a string or a table of strings, not number",
      function() cp.require(x, nil, 5) end)
    check.failure("dtype", "require: ", function() cp.require(x, "float31") end)
  end)

  it("asarray_chkfinite refuses nan and infinities", function()
    local x = cp.array { { 1, 2 }, { 3, 4 } }
    assert.is_true(rawequal(x, cp.asarray_chkfinite(x)))
    assert.is_true(cp.asarray_chkfinite(x, "float32", "F").flags.f_contiguous)
    assert.equal("int64", cp.asarray_chkfinite({ 1, 2 }, "int64").dtype)
    for _, bad in ipairs { cp.nan, cp.inf, -cp.inf } do
      check.failure("usage", "asarray_chkfinite: a holds a nan or an infinity",
        function() cp.asarray_chkfinite { 1, bad } end)
    end
    check.failure("usage", "asarray_chkfinite: order must be \"C\" or \"F\"",
      function() cp.asarray_chkfinite(x, nil, "K") end)
  end)

  it("real_if_close gives a view", function()
    local z = cp.array { cp.complex(1, 0), cp.complex(2, 0) }
    assert.is_true(cp.shares_memory(z, cp.real_if_close(z)))
    check.failure("usage", "real_if_close: tol must be a number, not string", function() cp.real_if_close(z, "x") end)
    check.failure("dtype", "spacing: takes real values, not complex128", function() cp.spacing(z) end)
  end)

  it("apply_over_axes keeps the number of axes", function()
    local x = cp.ones { 2, 3 }
    expect.shape(cp.apply_over_axes(cp.max, x, { 1, 2 }), 1, 1)
    check.failure("shape", "apply_over_axes: func gives 0 axes for an array with 2",
      function() cp.apply_over_axes(function(a) return a:sum() end, x, 1) end)
    check.failure("index", "apply_over_axes: axes[2] 3 is out of range",
      function() cp.apply_over_axes(cp.sum, x, { 1, 3 }) end)
    check.failure("usage", "apply_over_axes: func must be", function() cp.apply_over_axes(5, x, 1) end)
  end)
end)

describe("positions one by one", function()
  it("come in C order, from 1", function()
    local seen = {}
    for at in cp.ndindex(2, 2) do seen[#seen + 1] = at end
    assert.same({ { 1, 1 }, { 1, 2 }, { 2, 1 }, { 2, 2 } }, seen)
    local count = 0
    for at in cp.ndindex { 3 } do
      count = count + 1
      assert.same({ count }, at)
    end
    assert.equal(3, count)
    for _ in cp.ndindex(3, 0) do error "there is no position" end
    for at in cp.ndindex {} do
      assert.same({}, at)
      count = count + 1
    end
    assert.equal(4, count)
    check.failure("shape", "ndindex: shape", function() cp.ndindex(-1) end)
    check.failure("usage", "ndindex: shape must be", function() cp.ndindex "x" end)
  end)

  it("come with values", function()
    local x, n = cp.arange(24, "int32"):reshape(2, 3, 4).T["::2"], 0
    for at, v in cp.ndenumerate(x) do
      n = n + 1
      assert.equal(v, x[at])
    end
    assert.equal(12, n)
    for at, v in cp.array(5):ndenumerate() do assert.same({ {}, 5 }, { at, v }) end
    for _ in cp.ndenumerate(cp.zeros { 0, 2 }) do error "there is no element" end
    for _, v in cp.ndenumerate { true, true } do assert.is_true(v) end
  end)
end)

describe("options", function()
  it("of polyfit and array name what does not fit", function()
    local x, y = cp.arange(3), cp.array { 1, 2, 5 }
    check.failure("usage", "polyfit: cov must be true, false or \"unscaled\", not \"scaled\"",
      function() cp.polyfit(x, y, 1, { cov = "scaled" }) end)
    check.failure("shape", "polyfit: the covariance of 3 coefficients needs more than 3 points",
      function() cp.polyfit(x, y, 2, { cov = true }) end)
    check.failure("usage", "polyfit: full must be true or false, not string",
      function() cp.polyfit(x, y, 1, { full = "x" }) end)
    local _, _, rank, _, rcond = cp.polyfit(x, y, 1, { full = true })
    assert.same({ 2, 3 * 2 ^ -52 }, { rank, rcond })
    check.failure("shape", "array: ndmin is 33; at most 32 axes are possible",
      function() cp.array(1, { ndmin = 33 }) end)
    check.failure("usage", "array: ndmin must be a whole number", function() cp.array(1, { ndmin = "x" }) end)
  end)
end)

describe("views", function()
  it("of another dtype share the memory", function()
    local x = cp.ones(4, "float32")
    local bits = x:view "int32"
    assert.equal(0x3f800000, bits[1])
    bits[2] = 0
    assert.equal(0, x[2])
    x[1] = -1
    assert.equal(0xbf800000, x:view "uint32"[1])
    local late = x + 1
    x:view("int64"):fill(0) -- pending values that read x keep its old elements
    assert.same({ 0, 1, 2, 2 }, late:totable())
    assert.same({ 0, 0, 0, 0 }, x:totable())
    assert.is_false(cp.broadcast_to(x["1:1"], { 3 }):view("int32").flags.writeable)
  end)

  it("refuse dtypes that their bytes do not fit", function()
    local x = cp.zeros({ 3, 3 }, "float32")
    check.failure("shape", "view: the last axis has 12 bytes, which is not a multiple of float64's 8",
      function() x:view "float64" end)
    check.failure("usage", "view: the last axis must be contiguous", function() x.T:view "int8" end)
    check.failure("usage", "view: rows do not begin at multiples of 8 bytes",
      function() x[{ {}, { 1, 2 } }]:view "float64" end)
    check.failure("shape", "view: a 0-d array of float64 cannot become int8", function() cp.array(1):view "int8" end)
    check.failure("dtype", "view: ", function() x:view "float31" end)
    check.failure("shape", "mT: x needs at least 2 axes, not 1; x.T takes any array",
      function() return cp.ones(2).mT end)
  end)
end)

describe("bitwise_count", function()
  it("is one kernel, and refuses floats", function()
    local x = cp.arange(9, "int64"):eval()
    if check.lazy and not check.mode then
      assert.equal(1, check.counted(function() return cp.bitwise_count(x):eval() end).launches)
    end
    check.failure("dtype", "bitwise_count: x must be of dtype bool or an integer dtype, not float64",
      function() cp.bitwise_count(1.5) end)
  end)
end)

describe("poly1d", function()
  local p = cp.poly1d { 1, -2, 0, 3 }

  it("has fields and coefficients by power", function()
    assert.same({ 3, 3, "x" }, { p.order, p.o, p.variable })
    assert.same({ 1, -2, 0, 3 }, p.c:totable())
    assert.is_true(rawequal(p.c, p.coeffs))
    assert.same({ 3, 0, -2, 1, 0, 0, 0 }, { p[0], p[1], p[2], p[3], p[4], p[-1], p[0.5] })
    assert.is_nil(p.nothing)
    assert.equal(0, cp.poly1d({ 0, 0 }).order)
    expect.values(cp.sort(cp.poly1d({ 1, -3, 2 }).roots), { 1, 2 }, nil, 1e-12)
  end)

  it("gives Lua values for Lua values, and polynomials of polynomials", function()
    assert.equal(3, p(0))
    assert.equal(3 - 8 + 8, p(2))
    assert.same({ 3, 2, 3 }, p(cp.array { 0, 1, 2 }):totable())
    assert.same({ 1, 2, 1 }, cp.poly1d { 1, 0, 0 }(cp.poly1d { 1, 1 }).c:totable())
    assert.same({ 1, 1 }, { cp.poly1d { 1, 0 }(cp.complex(1, 2)).re, cp.poly1d({ 1, 0 }).order })
  end)

  it("is changed by p[k] = v without changing others made of the same coefficients", function()
    local q = cp.poly1d(p)
    q[1], q[5] = 7, -1
    assert.same({ -1, 0, 1, -2, 7, 3 }, q.c:totable())
    q[5] = 0
    assert.same({ 1, -2, 7, 3 }, q.c:totable())
    assert.same({ 1, -2, 0, 3 }, p.c:totable())
    q = cp.poly1d(cp.array({ 1, 2 }, "int32"))
    q[0] = 0.5
    assert.same({ "float64", 0.5 }, { q.c.dtype, q[0] })
    q.variable = "t"
    assert.equal("1 t + 0.5", tostring(q))
    local given = cp.array { 1, 2 }
    q = cp.poly1d(given)
    given[1] = 5
    assert.equal(1, q[1])
  end)

  it("is equal to another of the same coefficients", function()
    assert.is_true(p == cp.poly1d { 0, 1, -2, 0, 3 })
    assert.is_false(p == cp.poly1d { 1, -2, 0 })
    assert.is_false(p == cp.poly1d { 1, -2, 0, 4 })
  end)

  it("is printed with its exponents in the line above", function()
    assert.equal("   3     2\n1 x - 2 x + 3", tostring(p))
    assert.equal("0", tostring(cp.poly1d { 0 }))
    assert.equal("-1 z + 1", tostring(cp.poly1d({ -1, 1 }, { variable = "z" })))
    assert.equal("    2\n1j x + (2 + -3j) x - 0.3333",
      tostring(cp.poly1d { cp.complex(0, 1), cp.complex(2, -3), cp.complex(-1 / 3, 0) }))
    for line in tostring(cp.poly1d(cp.arange(1, 40))):gmatch "[^\n]+" do assert.is_true(#line <= 72) end
  end)

  it("is an argument and a result of the functions for polynomials", function()
    for name, q in pairs { polyadd = cp.polyadd(p, { 1 }), polysub = cp.polysub({ 1 }, p), polymul = cp.polymul(p, p),
      polyder = cp.polyder(p), polyint = cp.polyint(p), polydiv = cp.polydiv(p, { 1, 1 }) } do
      assert.is_true(debug.getmetatable(q) == debug.getmetatable(p), name)
    end
    assert.equal("float64", cp.roots(p).dtype:gsub("complex128", "float64"))
    assert.is_true(cp.is_array(cp.polyadd({ 1 }, { 2 })))
  end)

  it("names what it cannot take", function()
    check.failure("shape", "poly1d: c_or_r must have one axis, not shape (2, 2)",
      function() cp.poly1d(cp.ones { 2, 2 }) end)
    check.failure("usage", "poly1d: variable must be a string, not number", function() cp.poly1d({ 1 }, false, 5) end)
    check.failure("usage", "poly1d: an exponent must not be negative, but is -1", function() return (p ^ -1).c end)
    check.failure("usage", "poly1d: exponent must be a whole number, not 0.5", function() return (p ^ 0.5).c end)
    check.failure("usage", "poly1d: an exponent must be a whole number, not a polynomial",
      function() return (2 ^ p).c end)
    check.failure("usage", "poly1d: x is missing", function() return 1, p() end)
    check.failure("index", "poly1d: powers count from 0; there is no power -1", function() p[-1] = 2 end)
    check.failure("usage", "poly1d: power must be a whole number, not 0.5", function() p[0.5] = 2 end)
    check.failure("usage", "poly1d: a coefficient must be a number, not string", function() p[1] = "x" end)
    check.failure("usage", "poly1d: p[k] can be set to a number and p.variable to a string, not p.order to this number",
      function() p.order = 2 end)
    check.failure("usage", "polydiv: the first coefficient of v must not be 0",
      function() return (p / cp.poly1d { 0 }).c end)
    check.failure("shape", "poly1d: operand must have one axis", function() return (p + { { 1 }, { 2 } }).c end)
  end)
end)
