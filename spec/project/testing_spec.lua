-- cp.testing: what passes, what fails, and the messages of failures.

local cp = require "cupola"
local check = require "spec.helper.check"

local t = cp.testing

local function message(f, ...)
  local ok, text = pcall(f, ...)
  assert.is_false(ok)
  return text
end

local function says(text, ...)
  for _, part in ipairs { ... } do assert.truthy(text:find(part, 1, true), text) end
end

local nan, inf = cp.nan, cp.inf

describe("assert_allclose", function()
  it("passes what is close", function()
    t.assert_allclose({ 1, 2 }, { 1, 2 })
    t.assert_allclose(cp.array { 1, 1 + 1e-8 }, 1)
    t.assert_allclose({ nan, inf, -inf }, { nan, inf, -inf })
    t.assert_allclose(cp.zeros { 0, 3 }, cp.zeros { 0, 3 })
    t.assert_allclose(cp.array({ 1 }, "float16"), { 1.01 }, { rtol = 0.1 })
    t.assert_allclose(cp.array({ 100, 0 }, "uint8"), cp.array { 101, 1 }, 0, 1)
    t.assert_allclose(cp.array { cp.complex(1, 1) }, cp.array { cp.complex(1, 1 + 1e-9) })
    t.assert_allclose(cp.array { true, false }, { true, false })
    t.assert_allclose(cp.array({ 2 ^ 60 }, "int64"), cp.array({ 2 ^ 60 }, "uint64"))
    t.assert_allclose(cp.cpu.array { 1, 2 }, cp.array { 1, 2 })
  end)

  it("says how much differs, and where first", function()
    check.failure("usage", "testing.assert_allclose: arrays are not close (rtol=1e-07, atol=0)\n"
      .. "Mismatched elements: 2 / 6 (33.3%)\nFirst at (2, 1): actual 4.5, desired 4.0\n"
      .. "Max absolute difference: 1\nMax relative difference: 0.2\n actual:  [[1.  2.  3. ]\n",
      function() t.assert_allclose(cp.array { { 1, 2, 3 }, { 4.5, 4, 6 } }, { { 1, 2, 3 }, { 4, 5, 6 } }) end)
    says(message(t.assert_allclose, { 1, 2 }, { 1, 2, 3 }), "Shapes differ: actual (2), desired (3)")
    says(message(t.assert_allclose, { 1, nan }, { 1, nan }, { equal_nan = false }),
      "First at (2): actual nan, desired nan")
    says(message(t.assert_allclose, { nan }, { 1 }), "Mismatched elements: 1 / 1", "Max absolute difference: 0\n")
    says(message(t.assert_allclose, { inf }, { -inf }), "First at (1): actual inf, desired -inf")
    says(message(t.assert_allclose, { inf }, { 1e308 }, 1e300), "Mismatched elements: 1 / 1")
    says(message(t.assert_allclose, 1, 2, { err_msg = "after the third step" }), "after the third step\n",
      "First at ()")
    says(message(t.assert_allclose, cp.array({ 0 }, "uint8"), cp.array({ 255 }, "uint8")),
      "Max absolute difference: 255")
    says(message(t.assert_allclose, cp.array { cp.j }, cp.array { cp.complex(0, 2) }), "Max absolute difference: 1\n")
  end)
end)

describe("assert_array_equal", function()
  it("passes what is equal", function()
    t.assert_array_equal({ 1, nan }, { 1, nan })
    t.assert_array_equal(cp.full({ 2, 2 }, 7), 7)
    t.assert_array_equal(cp.array({ 1 }, "int8"), cp.array({ 1 }, "float32"))
    t.assert_array_equal(cp.array({ 1 }, "int8"), cp.array({ 1 }, "int8"), nil, true)
    t.assert_array_list_equal({ cp.array { 1 }, cp.array { 2 } }, { cp.array { 1 }, cp.array { 2 } })
  end)

  it("says what differs", function()
    check.failure("usage", "testing.assert_array_equal: arrays are not equal\nMismatched elements: 1 / 3 (33.3%)\n"
      .. "First at (3): actual 3, desired 4\n",
      function() t.assert_array_equal(cp.array({ 1, 2, 3 }, "int32"), cp.array({ 1, 2, 4 }, "int32")) end)
    says(message(t.assert_array_equal, cp.array({ 1 }, "int8"), cp.array({ 1 }, "int16"), { strict = true }),
      "Dtypes differ: actual int8, desired int16")
    says(message(t.assert_array_equal, cp.array { 1 }, 1, { strict = true }), "Shapes differ: actual (1), desired ()")
    says(message(t.assert_array_equal, { true, false }, { true, true }), "First at (2): actual false, desired true")
    says(message(t.assert_array_list_equal, { cp.array { 1 } }, { cp.array { 2 } }), "array 1 of the list")
    says(message(t.assert_array_list_equal, {}, { 1 }), "the lists have 0 and 1 arrays")
    check.failure("usage", "testing.assert_array_equal: desired is missing", function() t.assert_array_equal(1) end)
    check.failure("usage", "testing.assert_array_equal: actual must be an array",
      function() t.assert_array_equal("x", 1) end)
  end)
end)

describe("assert_array_almost_equal and assert_array_less", function()
  it("hold NumPy's bounds", function()
    t.assert_array_almost_equal({ 1.0000014 }, { 1 })
    says(message(t.assert_array_almost_equal, { 1.0000016 }, { 1 }), "not almost equal to 6 decimals")
    t.assert_array_almost_equal({ 1.4 }, { 1 }, 0)
    t.assert_array_less({ 1, 2 }, 3)
    t.assert_array_less({ -inf }, { inf })
    says(message(t.assert_array_less, { 1, 3 }, { 2, 3 }), "arrays are not less-ordered", "First at (2)")
    says(message(t.assert_array_less, { nan }, { 3 }), "First at (1): actual nan, desired 3.0")
  end)
end)

describe("assertions in units of the last place", function()
  it("hold NumPy's bounds", function()
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
      local eps = cp.finfo(dtype).eps
      local x = cp.array({ 1, 0, -2, 1000 }, dtype)
      local near = cp.nextafter(x, cp.full_like(x, cp.inf))
      t.assert_array_almost_equal_nulp(x, x)
      t.assert_array_almost_equal_nulp(cp.array({ 1 + eps }, dtype), cp.array({ 1 }, dtype))
      assert.same({ 1, 1, 1, 1 }, t.assert_array_max_ulp(x, near):totable())
      says(message(t.assert_array_max_ulp, x, cp.nextafter(near, cp.full_like(x, cp.inf))), "more than 1 ulp apart",
        "Mismatched elements: 4 / 4")
      t.assert_array_max_ulp(x * (1 + 4 * eps), x, 8)
      says(message(t.assert_array_almost_equal_nulp, x * (1 + 4 * eps), x, 2), "not equal to 2 ulp")
    end
    t.assert_array_max_ulp(cp.array { 0 }, cp.array { -0.0 }, 0)
    assert.same({ 2 }, t.assert_array_max_ulp(cp.array { 5e-324 }, cp.array { -5e-324 }, 2):totable())
    t.assert_array_max_ulp(cp.array { 1, inf }, cp.array { 1 + 1e-9, inf }, { dtype = "float32" })
    says(message(t.assert_array_max_ulp, { nan }, { 1 }), "Mismatched elements: 1 / 1")
    says(message(t.assert_array_max_ulp, { inf }, { 1.7976931348623157e308 }), "Mismatched elements: 1 / 1")
    says(message(t.assert_array_almost_equal_nulp, { nan }, { nan }), "Mismatched elements: 1 / 1")
  end)

  it("name unsupported arguments", function()
    check.failure("dtype", "testing.assert_array_max_ulp: actual must be floating, not int64",
      function() t.assert_array_max_ulp(cp.array({ 1 }, "int64"), cp.array({ 1 }, "int64")) end)
    check.failure("dtype", "testing.assert_array_almost_equal_nulp: desired must be floating, not complex128",
      function() t.assert_array_almost_equal_nulp({ 1 }, { cp.j }) end)
    says(message(t.assert_array_max_ulp, { 1, 2 }, { 1, 2, 3 }), "Shapes differ: actual (2), desired (3)")
  end)
end)

describe("test arrays", function()
  it("hold a sequence, or the same random numbers each time", function()
    local x = t.shaped_arange({ 2, 3 }, "int16", "F")
    assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, x:totable())
    assert.same({ "int16", true }, { x.dtype, x.flags.f_contiguous })
    assert.equal("float32", t.shaped_arange({}).dtype)
    for _, dtype in ipairs { "bool", "int8", "uint64", "float16", "float32", "complex64" } do
      local y = t.shaped_random({ 40 }, dtype)
      assert.equal(dtype, y.dtype)
      t.assert_array_equal(y, t.shaped_random({ 40 }, dtype))
      assert.is_true(cp.unique(y.real):gt(0):any())
      assert.is_true(dtype == "bool" or y.real:le(10):all() and y.real:ge(0):all())
    end
    assert.is_false(cp.array_equal(t.shaped_random(9), t.shaped_random(9, { seed = 1 })))
    check.failure("usage", "testing.shaped_random: scale must be a number",
      function() t.shaped_random(3, "int8", "x") end)
    check.failure("shape", "testing.shaped_arange: shape must not be negative", function() t.shaped_arange(-1) end)
  end)
end)
