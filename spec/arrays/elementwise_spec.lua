-- round, clip, closeness, nan_to_num, complex parts, dtype information.

local cp = require "cupola"
local expect = require "spec.helper.expect"
local values, failure = expect.values, expect.failure
local complex, nan, inf = cp.complex, cp.nan, cp.inf

describe("round", function()
  it("goes to the even neighbour", function()
    values(cp.round { 0.5, 1.5, -2.5, 2.6 }, { 0, 2, -2, 3 }, "float64")
    values(cp.round({ 2.675, -0.125, 1e300, inf }, 2), { 2.68, -0.12, 1e300, inf })
    values(cp.around({ 1234.5 }, -2), { 1200 })
    values(cp.round(cp.array({ 15, 25, -15, 7 }, "int32"), -1), { 20, 20, -20, 10 }, "int32")
    values(cp.round(cp.array({ 15 }, "uint8"), 3), { 15 }, "uint8")
    local z = cp.round(cp.array { complex(1.26, -2.345), complex(inf, 0.51) }, 1)
    values(z.real, { 1.3, inf })
    values(z.imag, { -2.3, 0.5 })
    assert.equal(2.57, cp.round(2.567, 2))
    assert.equal(complex(1, 2), cp.round(complex(1.2, 1.8)))
  end)

  it("writes into out= and in place", function()
    local x, out = cp.array { 1.4, 2.6 }, cp.zeros({ 2 }, "float32")
    assert.is_true(rawequal(out, cp.round(x, { out = out })))
    values(out, { 1, 3 })
    assert.is_true(rawequal(x, x:round_()))
    values(x, { 1, 3 })
    failure("cupola.round: cannot write float64 into int64", cp.round, x, 0, cp.zeros({ 2 }, "int64"))
    failure("cupola.round: out has shape (3), the result (2)", cp.round, x, 0, cp.zeros { 3 })
    failure("cupola.round: decimals must be a whole number", cp.round, x, 0.5)
    failure("cupola.round: a must be an array", cp.round, "x")
    values(cp.fix { -1.7, 1.7 }, { -1, 1 })
  end)
end)

describe("ldexp", function()
  it("takes a table of whole numbers as exponents", function()
    values(cp.ldexp(3, { 1, 2 }), { 6, 12 }, "float64")
    values(cp.array({ 1, 2 }, "float32"):ldexp_({ 1, 2 }), { 2, 8 }, "float32")
    failure("ldexp: the exponent must be an integer array, not float64", cp.ldexp, 3, { 0.5 })
  end)
end)

describe("functions of a freed array", function()
  it("raise in their own name", function()
    local x = cp.zeros({ 3 })
    x:free()
    for _, name in ipairs { "clip", "nan_to_num", "isreal", "round", "iscomplexobj" } do
      failure(name .. ": the array's memory was freed", cp[name], x)
    end
  end)
end)

describe("clip", function()
  it("limits from one side or both", function()
    values(cp.clip({ 1, nan, 5 }, 2, 3), { 2, nan, 3 })
    values(cp.clip(cp.arange(4), 1, 2), { 1, 1, 2, 2 }, "int64")
    values(cp.clip(cp.arange(4), nil, 2), { 0, 1, 2, 2 })
    values(cp.clip(cp.arange(4), { min = 2 }), { 2, 2, 2, 3 })
    values(cp.clip(cp.arange(3), { a_max = 1 }), { 0, 1, 1 })
    values(cp.clip(cp.arange(3), { 1, 1, 0 }, { 1, 1, 1 }), { 1, 1, 1 })
    values(cp.clip(cp.arange(3), 3, 1), { 1, 1, 1 })
    values(cp.arange(3):clip(), { 0, 1, 2 })
    assert.equal(3, cp.clip(5, 0, 3))
    local x = cp.arange(4, "float32")
    assert.is_true(rawequal(x, x:clip_(1, 2)))
    values(x, { 1, 1, 2, 2 }, "float32")
    local out = cp.zeros { 4 }
    assert.is_true(rawequal(out, cp.clip(x, 2, nil, out)))
    values(out, { 2, 2, 2, 2 })
    failure("cupola.clip: shapes", cp.clip, x, cp.ones { 3 })
    failure("cupola.clip: both a_min and min", cp.clip, x, 1, { min = 2 })
  end)
end)

describe("closeness and equality", function()
  it("isclose and allclose", function()
    values(cp.isclose({ 1, 1e10, nan, inf }, { 1 + 1e-9, 1.00001e10, nan, inf }), { true, true, false, true }, "bool")
    values(cp.isclose({ nan, 1 }, { nan, 2 }, { equal_nan = true }), { true, false })
    values(cp.isclose(cp.array({ 250, 0 }, "uint8"), cp.array({ 255, 1 }, "uint8"), 0, 5), { true, true })
    values(cp.isclose(cp.array({ 100 }, "int8"), 101, 0, 300), { true })
    assert.is_true(cp.isclose(1, 1 + 1e-9))
    assert.is_true(cp.isclose(nan, nan, { equal_nan = true }))
    assert.is_true(cp.allclose({ 1, 2 }, { 1, 2 }))
    assert.is_false(cp.allclose({ 1, 2 }, { 1, 2.1 }))
    assert.is_true(cp.allclose(cp.array { complex(1, 1) }, complex(1, 1 + 1e-9)))
    assert.is_true(cp.allclose({}, {}))
    failure("cupola.allclose: shapes", cp.allclose, { 1, 2 }, { 1, 2, 3 })
  end)

  it("array_equal compares shapes and values", function()
    assert.is_true(cp.array_equal({ 1, 2 }, cp.array({ 1, 2 }, "int8")))
    assert.is_false(cp.array_equal({ 1, 2 }, { { 1, 2 } }))
    assert.is_false(cp.array_equal({ 1, 2 }, { 1, 3 }))
    assert.is_false(cp.array_equal({ nan }, { nan }))
    assert.is_true(cp.array_equal({ nan, 1 }, { nan, 1 }, true))
    assert.is_true(cp.array_equal(3, 3))
    assert.is_true(cp.array_equal({}, {}))
    for _, dtype in ipairs(expect.dtypes) do
      local forms = expect.layouts(dtype)
      for layout, x in pairs(forms) do assert.is_true(x:array_equal(forms.contiguous), dtype .. " " .. layout) end
    end
  end)
end)

describe("nan_to_num", function()
  it("replaces by the dtype's limits or given values", function()
    local x = cp.array({ nan, inf, -inf, 1 }, "float32")
    values(cp.nan_to_num(x), { 0, 3.4028234663852886e38, -3.4028234663852886e38, 1 }, "float32")
    values(cp.nan_to_num(x, { nan = 5, posinf = 6, neginf = 7 }), { 5, 6, 7, 1 })
    values(cp.nan_to_num(cp.array({ inf }, "float16")), { 65504 }, "float16")
    values(cp.nan_to_num(cp.arange(2)), { 0, 1 }, "int64")
    assert.equal(0, cp.nan_to_num(nan))
    assert.is_true(rawequal(x, cp.nan_to_num(x, false)))
    values(x, { 0, 3.4028234663852886e38, -3.4028234663852886e38, 1 })
    local y = cp.array { nan, 2 }
    values(y:nan_to_num_(9), { 9, 2 })
  end)
end)

describe("sign", function()
  it("of complex numbers of any size is of size 1", function()
    local exponents = { complex64 = { -149, -140, -60, 0, 60, 125 }, complex128 = { -1074, -1000, 0, 1020 } }
    for dtype, list in pairs(exponents) do
      for _, e in ipairs(list) do
        local z = cp.array({ complex(3, 4), complex(-4, 3), complex(0, -1) }, dtype) * cp.ldexp(1, e)
        values(cp.real(cp.sign(z)), { 0.6, -0.8, 0 }, nil, 1e-7)
        values(cp.imag(cp.sign(z)), { 0.8, 0.6, -1 }, nil, 1e-7)
      end
    end
    local z = cp.sign(cp.array { complex(inf, 1), complex(2, -inf), complex(-inf, nan), complex(0, 0) })
    values(z.real, { 1, 0, -1, 0 })
    values(z.imag, { 0, -1, 0, 0 })
    values(cp.isnan(cp.sign(cp.array { complex(inf, inf), complex(nan, 1) })), { true, true })
  end)
end)

describe("nan as a number of Lua", function()
  it("has no sign", function()
    assert.is_false(cp.signbit(cp.nan))
    assert.is_false(cp.signbit(-cp.nan))
    assert.equal(1, cp.copysign(1, 0 / 0))
    local x = cp.array { nan, -nan, 0 / 0, -(0 / 0) }
    values(cp.signbit(x), { false, false, false, false })
    values(cp.signbit(cp.full({ 2 }, -nan, "float32")), { false, false })
    values(cp.signbit(cp.array { complex(-nan, nan) }.real), { false })
    x[1] = -nan
    assert.is_false(cp.signbit(x[1]))
    values(cp.signbit(x:fill(-nan)), { false, false, false, false })
    assert.is_true(cp.signbit(-inf))
  end)
end)

describe("complex parts", function()
  it("real and imag are views", function()
    local z = cp.array { complex(1, 2), complex(3, 0) }
    values(cp.real(z), { 1, 3 }, "float64")
    values(cp.imag(z), { 2, 0 }, "float64")
    cp.imag(z):fill(5)
    values(z.imag, { 5, 5 })
    values(cp.imag(cp.arange(2)), { 0, 0 })
    assert.equal(4, cp.imag(complex(3, 4)))
    assert.equal(3, cp.real(3))
  end)

  it("exp and angle of complex numbers, in radians and degrees", function()
    values(cp.angle({ 1, -1 }), { 0, math.pi }, "float64", 1e-15)
    values(cp.angle(cp.array { complex(0, 1), complex(-1, -1) }, true), { 90, -135 }, "float64", 1e-12)
    assert.equal(180, cp.angle(-1, true))
    local parts = cp.linspace(-3, 3, 700)
    local z = parts + cp.j * parts["::-1"]
    local size = cp.exp(parts)
    local expected = size * cp.cos(parts["::-1"]) + cp.j * (size * cp.sin(parts["::-1"]))
    values(cp.abs(cp.exp(z) - expected) / size, cp.zeros(700):totable(), "float64", 1e-15)
    values(cp.angle(z) - cp.arctan2(parts["::-1"], parts), cp.zeros(700):totable(), "float64", 1e-15)
  end)

  it("asks for kinds", function()
    local z = cp.array { complex(1, 2), complex(3, 0) }
    values(cp.isreal(z), { false, true }, "bool")
    values(cp.iscomplex(z), { true, false }, "bool")
    values(cp.isreal(cp.arange(2)), { true, true })
    assert.is_true(cp.isreal(2))
    assert.is_true(z:iscomplexobj())
    assert.is_false(z:isrealobj())
    assert.is_true(cp.isscalar(1) and cp.isscalar(true) and cp.isscalar(complex(0, 1)))
    assert.is_false(cp.isscalar(cp.array(1)) or cp.isscalar { 1 })
  end)

  it("float_power is at least float64", function()
    values(cp.float_power(cp.array({ 2, 4 }, "int32"), -1), { 0.5, 0.25 }, "float64")
    values(cp.float_power(cp.array({ 2 }, "float32"), 3), { 8 }, "float64")
    assert.equal("complex128", cp.float_power(cp.array({ 2 }, "complex64"), 2).dtype)
    assert.equal(8, cp.float_power(2, 3))
  end)
end)

describe("dtypes", function()
  it("result_type weighs arrays, names and bare numbers", function()
    assert.equal("float64", cp.result_type("int32", "float32"))
    assert.equal("float32", cp.result_type(cp.ones({ 1 }, "float32"), 2.5))
    assert.equal("int8", cp.result_type("int8", 3))
    assert.equal("float64", cp.result_type("int8", 0.5))
    assert.equal("int64", cp.result_type("bool", 1))
    assert.equal("complex64", cp.result_type("float32", complex(0, 1)))
    assert.equal("float64", cp.result_type(1))
    assert.equal("int16", cp.promote_types("int8", "uint8"))
    failure("cupola.result_type: no dtype 'flaot32'; did you mean 'float32'?", cp.result_type, "flaot32")
  end)

  it("can_cast by rule", function()
    assert.is_true(cp.can_cast("int32", "float64"))
    assert.is_false(cp.can_cast("float64", "float32"))
    assert.is_true(cp.can_cast("float64", "float32", "same_kind"))
    assert.is_false(cp.can_cast("float64", "int32", "same_kind"))
    assert.is_true(cp.can_cast(cp.ones { 1 }, "int8", "unsafe"))
    failure("cupola.can_cast: casting must be", cp.can_cast, "int8", "int16", "safely")
  end)

  it("finfo and iinfo give limits", function()
    assert.equal(2 ^ -23, cp.finfo("float32").eps)
    assert.equal(65504, cp.finfo("float16").max)
    assert.equal(2 ^ -1074, cp.finfo("float64").smallest_subnormal)
    assert.equal(1.7976931348623157e308, cp.finfo(cp.ones { 1 }).max)
    assert.equal("float32", cp.finfo("complex64").dtype)
    assert.equal(3.3895313892515355e38, cp.finfo("bfloat16").max)
    assert.equal(-128, cp.iinfo("int8").min)
    assert.equal(65535, cp.iinfo("uint16").max)
    assert.equal(0, cp.iinfo("uint64").min)
    local most = cp.iinfo("uint64").max
    assert.equal("18446744073709551615", (tostring(most):gsub("ULL$", "")))
    for _, x in ipairs { cp.array({ most }, "uint64"), cp.full({ 1 }, most, "uint64"), cp.zeros({ 1 }, "uint64") + most,
      cp.zeros({ 1 }, "uint64"):fill(most) } do
      assert.is_true(x:eq(most):all())
      assert.is_true((x + 1):eq(0):all())
    end
    assert.is_true(most == cp.iinfo("uint64").max and most > 2 ^ 63 and most >= cp.iinfo("int64").max)
    assert.is_false(most < most)
    assert.equal(64, cp.iinfo("int64").bits)
    assert.is_true(cp.array_equal(cp.full({ 1 }, cp.iinfo("int64").max, "int64") + 1,
      cp.full({ 1 }, cp.iinfo("int64").min, "int64")))
    failure("cupola.finfo: needs a floating dtype, not int8", cp.finfo, "int8")
    failure("cupola.iinfo: needs an integer dtype, not float32", cp.iinfo, "float32")
  end)
end)

describe("functions of the platform", function()
  local names = { "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "arcsinh", "arccosh", "arctanh", "cbrt" }

  it("give a number the same bits wherever it lies", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local x = (cp.arange(-18, 19):astype(dtype) / 17):eval()
      for _, name in ipairs(names) do
        local all = cp[name](x):eval()
        for _, length in ipairs { 1, 3, 8, 15 } do
          for first = 1, 37 - length + 1, 5 do
            local part = cp[name](x[{ { first, first + length - 1 } }]:copy())
            local same = all[{ { first, first + length - 1 } }]
            assert.is_true((part:eq(same) + cp.isnan(part) * cp.isnan(same)):astype("bool"):all(), name)
          end
        end
      end
      local y = cp.flip(x, 1):copy()
      local both = cp.arctan2(x, y):eval()
      for k = 1, 37 do assert.equal(both[k], cp.arctan2(x[{ { k, k } }]:copy(), y[{ { k, k } }]:copy())[1]) end
    end
  end)

  it("keep the sign of zero, and know where they end", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local x = cp.array({ -0.0, 0 / 0, math.huge, -math.huge, 2 }, dtype)
      for _, name in ipairs { "tan", "arcsin", "arctan", "sinh", "arcsinh", "arctanh", "cbrt" } do
        local y = cp[name](x)
        assert.is_true(y[1] == 0 and cp.signbit(y)[1], name)
        assert.is_true(y[2] ~= y[2], name)
      end
      local half = dtype == "float32" and cp.array({ math.pi / 2 }, dtype)[1] or math.pi / 2
      assert.equal(half, cp.arctan(x)[3])
      assert.equal(-half, cp.arctan(x)[4])
      assert.same({ true, true }, { cp.isnan(cp.arcsin(x))[5], cp.isnan(cp.arctanh(x))[5] })
      assert.same({ math.huge, -math.huge, math.huge }, { cp.sinh(x)[3], cp.sinh(x)[4], cp.cosh(x)[4] })
      assert.is_true(cp.isnan(cp.tan(x))[3] and cp.isnan(cp.arccosh(x))[4])
    end
  end)
end)

describe("a number divided by an array", function()
  it("has the bits of the quotient of two arrays", function()
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
      local x = cp.array({ 0, -0.0, 1e-45, 3, 7, -49, 1e30, cp.inf, -cp.inf, cp.nan }, dtype):eval()
      local ones = cp.ones({ x.size }, dtype):eval()
      assert.equal((ones / x):tobytes(), (1 / x):tobytes())
      assert.equal(dtype, (1 / x).dtype)
    end
    assert.equal("float64", (1 / cp.array({ 2, 4 }, "int32")).dtype)
    assert.equal(0.25, (1 / cp.array({ 2, 4 }, "int32"))[2])
  end)
end)
