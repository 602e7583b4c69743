-- Elementwise comparisons compare values and never fail: numbers outside the array's dtype, signed with
-- unsigned 64-bit integers, nan, scalars on the left. Lua's own comparison of the same values is the
-- reference.

local cp = require "cupola"
local check = require "spec.helper.check"

local values, failure = check.values, check.failure
local nan, inf = cp.nan, cp.inf

local operations = {
  lt = function(a, b) return a < b end,
  le = function(a, b) return a <= b end,
  gt = function(a, b) return a > b end,
  ge = function(a, b) return a >= b end,
  eq = function(a, b) return a == b end,
  ne = function(a, b) return a ~= b end,
}
local mirrored = { lt = "gt", le = "ge", gt = "lt", ge = "le", eq = "eq", ne = "ne" }

-- x (with these elements) compared with the number v, from both sides.
local function compare(x, elements, v)
  for name, oracle in pairs(operations) do
    local want = {}
    for k, e in ipairs(elements) do want[k] = oracle(e, v) end
    local label = ("%s:%s(%s)"):format(x.dtype, name, tostring(v))
    local got = x[name](x, v)
    assert.equal("bool", got.dtype)
    assert.same(want, values(got), label)
    assert.same(want, values(cp[mirrored[name]](v, x)), label .. " from the left")
  end
end

describe("what Lua reads otherwise", function()
  local x, jit = cp.array { { 1, 2 }, { 3, 4 } }, rawget(_G, "jit") ~= nil

  it("is an error or has one meaning in every Lua", function()
    assert.is_false(x:sum() == 10)
    assert.is_true(cp.array_equal(x:sum(), 10))
    assert.is_false((pcall(function() return x:sum() < 10 end)))
    assert.is_false((pcall(function() return 10 < x:sum() end)))
    assert.is_true(x:has_shape(2, 2) and x:has_shape { 2, 2 } and x:at(1, 1):has_shape {} and not x:has_shape { 4 })
    assert.is_true(x.shape == cp.zeros({ 2, 2 }).shape and x.shape ~= x[1].shape)
    if jit then
      assert.is_false(x.shape == { 2, 2 })
    else
      check.failure("usage", "shape: == compares two shapes", function() local _ = x.shape == { 2, 2 } end)
      check.failure("usage", "shape: == compares two shapes", function() local _ = { 2, 2 } ~= x.shape end)
    end
    assert.is_false((pcall(function() for _, v in ipairs(x) do assert(v) end end)))
    assert.same({ { 1, 2 }, { 3, 4 } }, x:tolist())
  end)

  it("says what serves instead of NumPy's names that are missing", function()
    check.failure("usage", "dtype: cupola has no such function; a dtype is its name", function() cp.dtype "int8" end)
    check.failure("usage", "r_: cupola has no such function; cp.concatenate", function() local _ = cp.r_[1] end)
  end)

  it("has NumPy's functions for shape, ndim and size", function()
    assert.equal("(2, 2)", tostring(cp.shape { { 1, 2 }, { 3, 4 } }))
    assert.equal("()", tostring(cp.shape(5)))
    assert.equal(3, cp.ndim(cp.zeros { 2, 0, 3 }))
    assert.equal(0, cp.size(cp.zeros { 2, 0, 3 }))
    assert.equal(3, cp.size(cp.zeros { 2, 0, 3 }, 3))
    assert.equal(2, cp.size(cp.zeros { 2, 0, 3 }, -3))
    assert.equal(6, cp.size(cp.zeros { 2, 0, 3 }, { 1, -1 }))
    check.failure("index", "size: axis 4 is out of range", function() cp.size(cp.zeros { 2, 0, 3 }, 4) end)
  end)

  it("says which argument or dtype is meant where arrays follow arrays and C's types are named", function()
    for _, name in ipairs { "concatenate", "stack", "vstack", "hstack", "dstack", "column_stack" } do
      check.failure("usage", name .. ": the arrays are one argument, a table: cp." .. name .. "{a, b}",
        function() cp[name](x, x) end)
    end
    for wrong, right in pairs { float = "float64", int = "int64", complex = "complex128", single = "float32" } do
      check.failure("dtype", ("astype: no dtype '%s'; did you mean '%s'?"):format(wrong, right),
        function() x:astype(wrong) end)
    end
  end)

  it("names fields that are called, and names that are elsewhere", function()
    check.failure("usage", "shape: shape and strides are fields", function() local _ = x:shape() end)
    check.failure("usage", "index: the call form takes positions and ranges", function() local _ = x:T() end)
    assert.truthy(select(2, pcall(function() return x:T() end)):find("fields such as x.T without a call", 1, true))
    check.failure("usage", "rand: cupola has no such function; did you mean cp.random.rand?",
      function() cp.rand(3) end)
    check.failure("usage", "inv: cupola has no such function; did you mean cp.linalg.inv?", function() cp.inv(x) end)
    check.failure("usage", "gaussian_filter: cupola has no such function; did you mean cp.scipy.ndimage.gaussian",
      function() cp.gaussian_filter(x, 1) end)
    check.failure("usage", "index: an array has no field or method 'a'", function() local _ = x["a"] end)
    local _, message = pcall(function() return x["a"] end)
    assert.is_nil(message:find("did you mean", 1, true))
    check.failure("usage", "index: an array has no field or method 't'; did you mean 'T'?",
      function() local _ = x.t end)
  end)
end)

describe("comparing an integer array with a number", function()
  local ranges = {
    uint8 = { 0, 1, 2, 3, 254, 255 }, int8 = { -128, -3, -2, 0, 2, 127 }, uint16 = { 0, 2, 65535 },
    int16 = { -32768, 2, 32767 }, uint32 = { 0, 2, 4294967295 }, int32 = { -2147483648, 2, 2147483647 },
    int64 = { -9007199254740992, -3, 0, 2, 9007199254740992 }, uint64 = { 0, 2, 9007199254740992 },
  }

  for dtype, elements in pairs(ranges) do
    it("of dtype " .. dtype, function()
      local x = cp.array(elements, dtype)
      for _, v in ipairs { 0, 2, 2.0, -1, 300, 2.5, -2.5, 255, 256, 254.5, -0.5, 2 ^ 31, -2 ^ 31 - 1, 2 ^ 32, 2 ^ 64,
        2 ^ 70,
        -2 ^ 63, -2 ^ 70, 1e300, inf, -inf, nan } do
        compare(x, elements, v)
      end
    end)
  end

  it("of dtype bool", function()
    local x = cp.array({ true, false })
    for _, v in ipairs { 0, 1, 2, 0.5, -1, nan } do compare(x, { 1, 0 }, v) end
    assert.same({ true, false }, values(x:eq(true)))
    assert.same({ false, true }, values(x:eq(false)))
  end)

  it("is exact beyond 2^53", function()
    local x = cp.array({ 2 ^ 53 }, "int64") + { 0, 1, 2 }
    assert.same({ true, false, false }, values(x:eq(2 ^ 53)))
    assert.same({ false, true, true }, values(x:gt(2 ^ 53)))
    assert.same({ true, true, false }, values(x:lt(2 ^ 53 + 2)))
    local u = cp.array({ 2 ^ 63 }, "uint64") + { 0, 1 }
    assert.same({ true, false }, values(u:eq(2 ^ 63)))
    assert.same({ false, true }, values(cp.lt(2 ^ 63, u)))
  end)

  it("takes typed numbers, tables and 0-d arrays", function()
    local u = cp.array({ 0, 1, 255 }, "uint8")
    assert.same({ true, true, false }, values(u:lt(cp.scalar(2.5, "float32"))))
    assert.same({ true, true, true }, values(u:lt(cp.scalar(300, "int16"))))
    assert.same({ false, true, false }, values(u:eq({ 300, 1, -1 })))
    assert.same({ true, false, false }, values(u:lt({ 0.5, 1, -2 })))
    assert.same({ true, true, true }, values(u:ge(cp.array(-1, "int8"))))
  end)
end)

describe("comparing int64 with uint64", function()
  it("is exact, as no dtype holds both", function()
    local s = cp.array({ -1, 0, 2 ^ 53 }, "int64") + { 0, 0, 1 }
    local u = cp.array({ 2 ^ 63, 0, 2 ^ 53 }, "uint64") + { 0, 1, 1 }
    assert.same({ true, true, false }, values(s:lt(u)))
    assert.same({ true, true, true }, values(s:le(u)))
    assert.same({ false, false, true }, values(s:eq(u)))
    assert.same({ true, true, false }, values(s:ne(u)))
    assert.same({ false, false, false }, values(s:gt(u)))
    assert.same({ true, true, false }, values(u:gt(s)))
    assert.same({ true, true, true }, values(u:ge(s)))
    assert.same({ false, false, false }, values(u:lt(s)))
    local all = cp.array({ -1 }, "int64") -- whose bits are those of the highest uint64
    assert.same({ false }, values(all:eq(all:astype("uint64"))))
    assert.same({ true }, values(cp.array({ -1 }, "int8"):lt(cp.array({ 0 }, "uint64"))))
  end)
end)

describe("comparing floating arrays", function()
  it("follows IEEE 754", function()
    local elements = { -inf, -0.0, 0, 1.5, inf, nan }
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
      local x = cp.array(elements, dtype)
      for _, v in ipairs { 0, 1.5, -2, inf, -inf, nan } do compare(x, elements, v) end
    end
  end)

  it("takes arrays of any dtypes that promote", function()
    local f, i = cp.array({ 1.5, 2, 3 }), cp.array({ 2, 2, 2 }, "int32")
    assert.same({ true, false, false }, values(f:lt(i)))
    assert.same({ false, true, false }, values(i:eq(f)))
    assert.same({ { true, true }, { false, true } }, values(cp.less_equal({ { 1 }, { 2 } }, cp.array({ 1, 2 }))))
  end)

  it("broadcasts, and refuses what does not", function()
    assert.same({ { true, false }, { false, true } }, values(cp.array({ { 1 }, { 2 } }):eq({ 1, 2 })))
    failure("shape", "lt: shapes (2) and (3) do not broadcast", function() cp.ones({ 2 }):lt(cp.ones({ 3 })) end)
    failure("usage", "lt: x2 must be an array, number or table, not string", function() cp.ones({ 2 }):lt("1") end)
  end)
end)

describe("comparing complex arrays", function()
  it("compares both parts for equality", function()
    local z = cp.array({ cp.complex(1, 2), cp.complex(1, 0) })
    assert.same({ false, true }, values(z:eq(1)))
    assert.same({ true, false }, values(z:eq(cp.complex(1, 2))))
    assert.same({ false, true }, values(z:ne(cp.complex(1, 2))))
  end)
end)

describe("logic", function()
  it("takes any dtype by its truth value", function()
    for _, dtype in ipairs { "bool", "int8", "uint64", "float16", "float64", "complex64" } do
      local a, b = cp.array({ 1, 1, 0, 0 }):astype(dtype), cp.array({ 1, 0, 1, 0 }):astype(dtype)
      assert.same({ true, false, false, false }, values(a:logical_and(b)))
      assert.same({ true, true, true, false }, values(a:logical_or(b)))
      assert.same({ false, true, true, false }, values(a:logical_xor(b)))
      assert.same({ false, false, true, true }, values(a:logical_not()))
    end
    assert.same({ true, false }, values(cp.array({ nan, 0 }):logical_and(1)))
  end)

  it("takes every byte but 0 for true", function()
    local m = cp.array({ 0, 1, 2, 255 }, "uint8"):view "bool"
    assert.same({ 10, 1, 1, 1 }, cp.where(m, 1, 10):totable())
    assert.same({ 5, 6, 6, 6 }, (cp.full({ 4 }, 5, "int32") + m):totable())
    assert.same({ 5, 6, 6, 6 }, (cp.full({ 4 }, 5, "int32") + m["4:4"]):subtract(1 - m:astype "int32"):totable())
    assert.equal(3, cp.where(m, 1, 0):sum():item())
    assert.same({ 7, 7 }, cp.where(m["3:3"], cp.full({ 2 }, 7), 0):totable())
    assert.equal("\0\1\1\1", m:logical_and(m):tobytes())
  end)

  it("does not round integers to a default dtype of float32", function()
    cp.set_default_dtype("float32")
    local ok, got = pcall(function() return values(cp.array({ 2 ^ 30, 1 }, "int64"):lt(16777216.5)) end)
    cp.set_default_dtype("float64")
    assert.is_true(ok, got)
    assert.same({ false, true }, got)
  end)

  it("tests values", function()
    local x = cp.array({ nan, inf, -inf, -0.0, 1 })
    assert.same({ true, false, false, false, false }, values(cp.isnan(x)))
    assert.same({ false, true, true, false, false }, values(cp.isinf(x)))
    assert.same({ false, false, false, true, true }, values(cp.isfinite(x)))
    assert.same({ false, true, true }, values(cp.signbit(cp.array({ 1, -0.0, -2 }))))
    assert.same({ false, true }, values(cp.signbit(cp.array({ 1, -2 }, "int8"))))
    assert.same({ true, true }, values(cp.isfinite(cp.array({ 1, 2 }, "int64"))))
  end)
end)
