-- Scalars: cp.complex, cp.scalar, how 64-bit integers and other values are converted to Lua, and dtype
-- functions of numbers.

local cp = require "cupola"
local check = require "spec.helper.check"

local failure = check.failure
local jit = rawget(_G, "jit")
local math_type = rawget(math, "type")

describe("cp.complex", function()
  it("has parts and arithmetic", function()
    local z = cp.complex(1, 2)
    assert.equal(1, z.re)
    assert.equal(2, z.im)
    assert.equal("complex128", z.dtype)
    assert.equal(0, cp.complex(3).im)
    assert.is_true(z + 1 == cp.complex(2, 2))
    assert.is_true(1 - z == cp.complex(0, -2))
    assert.is_true(z * cp.j == cp.complex(-2, 1))
    assert.is_true(z / cp.complex(1, 2) == cp.complex(1, 0))
    assert.is_true(2 / cp.j == cp.complex(0, -2))
    assert.is_true(-z == cp.complex(-1, -2))
    assert.is_false(z == cp.complex(1, 3))
    assert.is_true(cp.j * cp.j == cp.complex(-1, 0))
    local square = z ^ 2
    assert.is_true(math.abs(square.re + 3) < 1e-14 and math.abs(square.im - 4) < 1e-14)
  end)

  it("is printed with both parts", function()
    assert.equal("1+2j", tostring(cp.complex(1, 2)))
    assert.equal("0.5-0.25j", tostring(cp.complex(0.5, -0.25)))
    assert.equal("0.1+0j", tostring(cp.complex(0.1, 0)))
  end)

  it("refuses what is no number", function()
    failure("usage", "complex: re must be a number, not string", function() cp.complex("x") end)
    failure("usage", "complex: re must be a number, not nil", function() cp.complex() end)
    failure("usage", "complex: operand 2 must be a number or a complex value, not string",
      function() local _ = cp.j + "x" end)
    failure("usage", "complex: no field real; the fields are re, im and dtype", function() local _ = cp.j.real end)
  end)
end)

describe("cp.scalar", function()
  it("is a typed value", function()
    local s = cp.scalar(3, "int32")
    assert.equal("int32", s.dtype)
    assert.equal("3", tostring(s))
    assert.equal("scalar", cp.type(s))
    assert.equal("float64", cp.scalar(3).dtype)
    assert.equal("bool", cp.scalar(true).dtype)
    assert.equal("complex128", cp.scalar(cp.j).dtype)
    assert.equal("float32", cp.scalar(3, "f4").dtype)
    assert.is_true(cp.isscalar(s))
  end)

  it("refuses unknown dtypes and values", function()
    failure("dtype", "scalar: no dtype 'int23'; did you mean 'int", function() cp.scalar(3, "int23") end)
    failure("usage", "scalar: v must be a number, boolean or complex value, not table", function() cp.scalar({}) end)
  end)
end)

describe("values that reach Lua", function()
  it("have Lua's types", function()
    assert.equal(1.5, cp.array({ 1.5 })[1])
    assert.is_true(cp.array({ true })[1])
    assert.equal("scalar", cp.type(cp.array({ cp.j })[1]))
    assert.equal(0.5, cp.array({ 0.5 }, "bfloat16")[1])
    assert.equal(2 ^ 53 - 1, cp.array({ 2 ^ 53 - 1 }, "int64")[1])
    local nan = cp.array({ cp.nan })[1]
    assert.is_true(nan ~= nan)
  end)

  it("keep all digits of 64-bit integers", function()
    local above = cp.array({ 2 ^ 53 }, "int64") + 1
    local lowest = cp.array({ -2 ^ 63 }, "int64")
    local highest = cp.array({ 2 ^ 63 }, "uint64") + (2 ^ 63 - 1024)
    if jit then
      local ffi = require "ffi"
      assert.is_true(ffi.istype("int64_t", above[1]))
      assert.equal("9007199254740993LL", tostring(above[1]))
      assert.equal("-9223372036854775808LL", tostring(lowest[1]))
      assert.is_true(ffi.istype("uint64_t", highest[1]))
      assert.equal("18446744073709550592ULL", tostring(highest[1]))
      assert.equal("number", type(cp.array({ 2 ^ 53 }, "int64")[1]))
    else
      assert.equal("9007199254740993", tostring(above[1]))
      assert.equal("integer", math_type(above[1]))
      assert.equal("-9223372036854775808", tostring(lowest[1]))
      assert.equal("float", math_type(highest[1]))
      assert.equal(2 ^ 64 - 1024, highest[1])
    end
  end)

  it("can be stored again without a change", function()
    local x = cp.array({ 2 ^ 53, 0 }, "int64") + 1
    x[2] = x[1]
    assert.is_true(x["1:1"] == x["2:2"])
    assert.is_true(cp.array({ x[1] }, "int64") == x["1:1"])
    assert.is_true(x:eq(x[1]):all())
    assert.is_true((x - x[1]) == cp.zeros({ 2 }))
    assert.is_true((x["1:1"] + x[1]):item() == (2 * x["1:1"]):item())
  end)

  if jit then
    it("include 64-bit cdata of LuaJIT", function()
      local ffi = require "ffi"
      local i, u = ffi.new("int64_t", 7), ffi.new("uint64_t", 3)
      local x = cp.array({ 1, 2, 3 }, "int32")
      assert.same({ 8, 9, 10 }, (x + i):totable())
      assert.equal("int32", (x * u).dtype)
      assert.same({ 2, 3 }, cp.zeros({ ffi.new("int64_t", 2), ffi.new("uint64_t", 3) }).shape)
      assert.equal(2, x[ffi.new("int64_t", 2)])
      assert.equal(6, x:sum(ffi.new("int64_t", 1)):item())
      local all = ffi.cast("uint64_t", ffi.new("int64_t", -1))
      assert.equal("18446744073709551615ULL", tostring(cp.array({ all }, "uint64")[1]))
      failure("dtype", "add: x2 = 1.8446744073709552e+19 does not fit int32", function() local _ = x + all end)
    end)
  end
end)

describe("arithmetic of typed numbers", function()
  it("is that of cp.add and its like", function()
    local s = cp.scalar(7, "int8")
    assert.equal(9, s + 2)
    assert.equal(5, 12 - s)
    assert.equal(3.5, s / 2)
    assert.equal(-7, -s)
    assert.equal(49, s ^ 2)
    assert.equal(-106, s * cp.scalar(50, "int8") + 0 - 200) -- 350 wraps to 94
    assert.is_true(s + cp.j == cp.complex(7, 1))
    assert.is_true((s + cp.array({ 1 }, "int8")):eq(8):all())
  end)

  it("compares them as they are", function()
    local a, b = cp.scalar(2 ^ 53, "int64"), cp.scalar((cp.array({ 2 ^ 53 }, "int64") + 1)[1], "int64")
    assert.is_true(a < b and b > a and a <= b)
    assert.is_false(b <= a or a == b)
    assert.is_true(cp.scalar(-1, "int64") < cp.scalar(1, "uint64"))
    assert.is_false(cp.scalar(cp.nan, "float32") <= cp.scalar(1, "int8"))
    assert.equal("9007199254740992", tostring(a))
    failure("usage", "complex: only numbers can be ordered", function() return a < cp.j end)
  end)
end)

describe("result_type and can_cast", function()
  it("treat numbers as weak", function()
    assert.equal("float32", cp.result_type("float32", 1))
    assert.equal("float32", cp.result_type(cp.ones({ 1 }, "float32"), 2.5))
    assert.equal("float64", cp.result_type("int32", 2.5))
    assert.equal("int32", cp.result_type("int32", 2))
    assert.equal("int64", cp.result_type("bool", 2))
    assert.equal("complex64", cp.result_type("float32", cp.j))
    assert.equal("int64", cp.result_type("int32", cp.scalar(2, "int64")))
    assert.equal("float64", cp.result_type(1))
    assert.equal("int16", cp.promote_types("int8", "uint8"))
    assert.is_true(cp.can_cast("int32", "float64"))
    assert.is_false(cp.can_cast("float64", "int32"))
    assert.is_true(cp.can_cast("float64", "float32", "same_kind"))
  end)

  -- What each gives with float64 as the default dtype, and with float32. m: bool, i: int8, w: int64.
  local ALONE = {
    ["cp.result_type(1.5)"] = "float", ["cp.result_type(1, 1.5, true)"] = "float", ["cp.result_type(true)"] = "bool",
    ["cp.result_type(cp.j, 1)"] = "complex", ["cp.result_type({ 1, 2 })"] = "float",
    ["cp.result_type('bool', 1, 1.5)"] = "float", ["cp.result_type('int64', 1.5)"] = "float",
    ["cp.result_type('int64', { 1.5 })"] = "float", ["cp.result_type('int64', { 1 })"] = "int64",
    ["cp.result_type({ 1.5 }, 'int8', 'float16')"] = "float16", ["cp.result_type('int64', cp.j)"] = "complex",
    ["cp.where(m, 1.5, 2.5)"] = "float", ["cp.where(m, 1, 2)"] = "float", ["m:where(true, 2)"] = "float",
    ["cp.where(m, cp.j, 2)"] = "complex", ["cp.where(m, true, false)"] = "bool", ["cp.where(m, {1, 2}, 2.5)"] = "float",
    ["cp.where({1, 0}, 1.5, 2.5)"] = "float", ["cp.where(m, w, 1.5)"] = "float", ["cp.where(m, w, {1.5, 2})"] = "float",
    ["cp.select({m}, {1.5}, 2.5)"] = "float", ["cp.select({m}, {1})"] = "float", ["cp.select({m}, {w}, 0.5)"] = "float",
    ["cp.select({m}, {{1, 2}}, i)"] = "int8",
    ["cp.choose(cp.index{1, 2}, {1.5, 2.5})"] = "float", ["cp.choose(cp.index{1, 2}, {w, 2.5})"] = "float",
    ["w + 1.5"] = "float", ["w + {1.5, 2}"] = "float", ["w + {1, 2}"] = "int64", ["w * {cp.j, 2}"] = "complex",
    ["m + 1"] = "int64", ["m + 1.5"] = "float", ["cp.arctan2(i, 2)"] = "float16", ["cp.arctan2(i, 2.5)"] = "float",
    ["cp.clip(w, 0.5, {1, 2})"] = "float", ["cp.clip(i, {0, 1}, 3)"] = "int8",
    ["cp.diff(w, {append = 1.5})"] = "float", ["cp.diff(i, {append = w, prepend = 1})"] = "int64",
    ["cp.asarray(cp.j)"] = "complex", ["cp.asarray(cp.scalar(cp.j))"] = "complex", ["cp.full({2}, cp.j)"] = "complex",
    ["cp.linspace(0, cp.j, 3)"] = "complex", ["cp.concatenate{{1.5}, {2}}"] = "float",
    ["cp.fuse(function(c) return cp.where(c, 1.5, 2) end)(m)"] = "float",
    ["cp.vectorize(function(c) return cp.where(c, 1.5, 2) end)(m)"] = "float",
    ["cp.vectorize(function(c, v) return v end)(m, cp.j)"] = "complex",
    ["cp.vectorize(function() return cp.j end)(m)"] = "complex",
  }

  it("give numbers without arrays the default dtype", function()
    local names = "local cp, m, i, w = ...; return "
    local m, i, w = cp.array { true, false }, cp.array({ 1, 2 }, "int8"), cp.array({ 1, 2 }, "int64")
    local default = { float = "float64", complex = "complex128" }
    for _, dtype in ipairs { "float64", "float32" } do
      cp.set_default_dtype(dtype)
      for text, want in pairs(ALONE) do
        local ok, got = pcall(assert((loadstring or load)(names .. text)), cp, m, i, w) -- luacheck: ignore
        if ok and type(got) ~= "string" then got = got.dtype end
        if got ~= (default[want] or want) then
          cp.set_default_dtype("float64")
          error(("%s under %s is %s, not %s"):format(text, dtype, tostring(got), default[want] or want))
        end
      end
      default = { float = "float32", complex = "complex64" }
    end
    cp.set_default_dtype("float64")
  end)

  it("leave conditions and exponents as they are", function()
    assert.equal("[1 2]\nint8 (2) cpu", tostring(cp.cpu.where(0.5, cp.cpu.array({ 1, 2 }, "int8"), 7)))
    local x = cp.array({ 1, 2 }, "float32")
    assert.is_true(x:ldexp(3) == cp.array({ 8, 16 }, "float32"))
    assert.is_true(x:ldexp_({ 3, 1 }) == cp.array({ 8, 4 }, "float32"))
    assert.equal(12, cp.ldexp(1.5, 3))
    failure("dtype", "ldexp: the exponent must be an integer array, not float64", function() x:ldexp(1.5) end)
  end)

  it("name an unknown dtype or rule", function()
    failure("dtype", "result_type: no dtype 'flot32'; did you mean 'float32'?",
      function() cp.result_type("flot32", 1) end)
    failure("usage", "can_cast: casting must be", function() local _ = cp.can_cast("int8", "int16", "maybe") end)
  end)
end)

describe("dtype names", function()
  it("are plain strings, and codes on input", function()
    assert.equal("float32", cp.float32)
    assert.is_true(cp.ones({ 1 }, "f4").dtype == cp.float32)
    for code, name in pairs { f2 = "float16", f8 = "float64", i1 = "int8", i8 = "int64", u2 = "uint16",
      c8 = "complex64",
      c16 = "complex128", b1 = "bool" } do
      assert.equal(name, cp.ones({ 1 }, code).dtype)
    end
  end)
end)

describe("the default dtype", function()
  it("is float64 and can be float32", function()
    assert.equal("float64", cp.get_default_dtype())
    cp.set_default_dtype("float32")
    local kept = { cp.array({ 1, 2 }).dtype, cp.zeros({ 2 }).dtype, cp.arange(0, 1, 0.5).dtype, cp.arange(3).dtype }
    cp.set_default_dtype("float64")
    assert.same({ "float32", "float32", "float32", "int64" }, kept)
    failure("dtype", "set_default_dtype: the default must be float32 or float64, not int8",
      function() cp.set_default_dtype("int8") end)
  end)
end)
