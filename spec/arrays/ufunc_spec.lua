-- Elementwise functions and operators: the dtype that numbers and tables take with arrays, exact powers,
-- several results, Lua values for Lua numbers, and the comparisons ==, < and <=, which return a single
-- boolean.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"

local values = check.values
local nan, inf = cp.nan, cp.inf
local integers = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" }
local floats = { "float16", "bfloat16", "float32", "float64" }
local complexes = { "complex64", "complex128" }

-- "dtype values" of x, for short comparisons.
local function shown(x) return x.dtype .. " " .. table.concat(values(x), " ") end

describe("a number beside an array", function()
  it("leaves floating and complex dtypes", function()
    for _, list in ipairs { floats, complexes } do
      for _, dtype in ipairs(list) do
        local x = cp.ones({ 2 }, dtype)
        for _, v in ipairs { 2, 2.5, 2 ^ 70, nan, inf } do
          assert.equal(dtype, (x + v).dtype)
          assert.equal(dtype, (v * x).dtype)
        end
      end
    end
  end)

  it("leaves integer dtypes when it is whole and fits, whatever its Lua type", function()
    for _, dtype in ipairs(integers) do
      local x = cp.array({ 1, 5 }, dtype)
      assert.equal(dtype, (x + 2).dtype)
      assert.equal(dtype, (2.0 * x).dtype)
      assert.same({ 3, 7 }, values(x + 2))
      assert.same({ 2, 10 }, values(x * 2.0))
      assert.same({ 126, 122 }, values(127 - x))
    end
    assert.equal("int8 -128 -124", ("int8 %d %d"):format(cp.array({ 0, 4 }, "int8"):add(-128)(1), -124))
  end)

  it("is refused when it does not fit", function()
    local u, i = cp.array({ 1 }, "uint8"), cp.array({ 1 }, "int8")
    check.failure("dtype", "add: x2 = 300 does not fit uint8; convert the array with :astype",
      function() local _ = u + 300 end)
    check.failure("dtype", "subtract: x1 = -1 does not fit uint8", function() local _ = -1 - u end)
    check.failure("dtype", "multiply: x2 = 128 does not fit int8", function() local _ = i * 128 end)
    check.failure("dtype", "maximum: x2 = 1e+20 does not fit int8", function() local _ = i:maximum(1e20) end)
    check.failure("dtype", "add: x2 = 1.8446744073709552e+19 does not fit uint64",
      function() local _ = cp.ones({ 1 }, "uint64") + 2 ^ 64 end)
    assert.equal("uint64", (cp.ones({ 1 }, "uint64") + 2 ^ 63).dtype)
  end)

  it("brings integers to the default dtype when it is not whole", function()
    for _, dtype in ipairs(integers) do
      assert.equal("float64 3.5 7.5", shown(cp.array({ 1, 5 }, dtype) + 2.5))
      assert.equal("float64", (cp.ones({ 1 }, dtype) * nan).dtype)
      assert.equal("float64", (cp.ones({ 1 }, dtype) * inf).dtype)
    end
    cp.set_default_dtype("float32")
    local ok, dtype = pcall(function() return (cp.ones({ 2 }, "int32") + 0.5).dtype end)
    local wide = (cp.ones({ 2 }, "int32") + cp.ones({ 2 }, "float64")).dtype
    local chosen = cp.where(cp.array { true, false }, 1.5, 2.5).dtype
    local exact = cp.add(cp.ones({ 1 }, "uint32"), 0.1, { dtype = "float64" })[1]
    cp.set_default_dtype("float64")
    assert.is_true(ok)
    assert.equal("float32", dtype)
    assert.equal("float64", wide)
    assert.equal("float32", chosen)
    assert.equal(1.1, exact)
  end)

  it("brings bool to int64 or the default dtype", function()
    local b = cp.array({ true, false })
    assert.equal("int64 2 1", shown(b + 1))
    assert.equal("int64 3 0", shown(b * 3.0))
    assert.equal("float64 1.5 0.5", shown(b + 0.5))
    assert.same({ true, true }, values(b + true))
    assert.equal("bool", (b + true).dtype)
  end)

  it("may be complex, and is weak", function()
    assert.equal("complex64", (cp.ones({ 1 }, "float32") * cp.j).dtype)
    assert.equal("complex64", (cp.complex(1, 1) - cp.ones({ 1 }, "float16")).dtype)
    assert.equal("complex128", (cp.ones({ 1 }) * cp.j).dtype)
    assert.equal("complex128", (cp.ones({ 1 }, "int8") * cp.j).dtype)
    assert.equal("complex64", (cp.ones({ 1 }, "complex64") * cp.complex(2, 1)).dtype)
    local z = (cp.j * cp.array({ 2 }, "int32"))[1]
    assert.equal(0, z.re)
    assert.equal(2, z.im)
  end)

  it("may be typed, and is strong", function()
    assert.equal("int64", (cp.ones({ 1 }, "int8") + cp.scalar(3, "int64")).dtype)
    assert.equal("float64", (cp.ones({ 1 }, "float32") + cp.scalar(3, "float64")).dtype)
    assert.equal("float32", (cp.ones({ 1 }, "float32") + cp.scalar(3, "int16")).dtype)
    assert.equal("int8", (cp.ones({ 1 }, "int8") + cp.scalar(3, "int8")).dtype)
    assert.equal("float64 0.4 0.5", shown(cp.array({ 4, 5 }, "int64") / cp.scalar(10, "float64")))
  end)

  it("does not decide the dtype where it is a condition or an exponent", function()
    local x = cp.array({ 1, 2 }, "float32")
    expect.values(cp.where(cp.scalar(1, "float64"), x, 2), { 1, 2 }, "float32")
    expect.values(cp.where(cp.scalar(0, "int64"), x, 2), { 2, 2 }, "float32")
    expect.values(cp.ldexp(x, cp.scalar(2, "int64")), { 4, 8 }, "float32")
  end)

  it("keeps the sign of zero", function()
    assert.equal(-inf, (cp.ones({ 1 }) / -0.0)[1])
    assert.equal(inf, (cp.ones({ 1 }) / 0)[1])
  end)
end)

describe("a table beside an array", function()
  it("follows the rules of numbers", function()
    local x = cp.array({ { 1, 2 }, { 3, 4 } }, "int32")
    assert.same({ { 11, 22 }, { 13, 24 } }, values(x + { 10, 20 }))
    assert.equal("int32", (x + { 10, 20 }).dtype)
    assert.equal("int32", ({ 10, 20 } - x).dtype)
    assert.same({ { 1.5, 4 }, { 3.5, 6 } }, values(x + { 0.5, 2 }))
    assert.equal("float64", (x + { 0.5, 2 }).dtype)
    assert.equal("float32", (cp.ones({ 2 }, "float32") + { 0.5, 2 }).dtype)
    assert.equal("float16", (cp.ones({ 2 }, "float16") * { 1, 2 }).dtype)
    assert.equal("int64", (cp.array({ true, true }) + { 1, 2 }).dtype)
    assert.same({ { 1, 4 }, { 9, 16 } }, values(x * cp.array({ { 1, 2 }, { 3, 4 } }, "int64")))
  end)

  it("that does not fit is an error", function()
    local u = cp.ones({ 2 }, "uint8")
    check.failure("dtype", "add: element 2 ", function() local _ = u + { 1, 300 } end)
  end)
end)

describe("arrays of several dtypes", function()
  it("promote as in NumPy", function()
    local function of(a, b) return (cp.ones({ 2 }, a) + cp.ones({ 2 }, b)).dtype end
    assert.equal("int16", of("int8", "uint8"))
    assert.equal("float64", of("int64", "uint64"))
    assert.equal("float64", of("int32", "float32"))
    assert.equal("float32", of("int16", "float32"))
    assert.equal("complex128", of("float64", "complex64"))
    assert.equal("int8", of("bool", "int8"))
  end)

  it("go to floating where the function does", function()
    for name, want in pairs { bool = "float16", int8 = "float16", uint8 = "float16", int16 = "float32",
      uint16 = "float32",
      int32 = "float64", int64 = "float64", uint64 = "float64", float32 = "float32", float16 = "float16" } do
      assert.equal(want, cp.sqrt(cp.ones({ 1 }, name)).dtype)
      assert.equal(want, cp.sin(cp.ones({ 1 }, name)).dtype)
    end
    for _, name in ipairs(integers) do
      assert.equal("float64", (cp.ones({ 1 }, name) / cp.ones({ 1 }, name)).dtype)
    end
  end)

  it("compute in dtype where it is given", function()
    local x = cp.array({ 1, 2 }, "int32")
    assert.equal("float32", cp.add(x, x, { dtype = "float32" }).dtype)
    assert.equal("float32", cp.add(x, x, "float32").dtype)
    assert.equal("float32", cp.sqrt(x, "float32").dtype)
    assert.equal("int64", cp.multiply(x, 3, { dtype = "i8" }).dtype)
  end)
end)

describe("operators", function()
  local a, b

  before_each(function() a, b = cp.array({ 7, -7, 8 }), cp.array({ 2, 2, -3 }) end)

  it("are the functions", function()
    assert.same({ 9, -5, 5 }, values(a + b))
    assert.same({ 5, -9, 11 }, values(a - b))
    assert.same({ 14, -14, -24 }, values(a * b))
    assert.same({ 3.5, -3.5 }, values((a / b)["1:2"]))
    assert.same({ 1, 1, -1 }, values(a % b))
    assert.same({ 49, 49, 8 ^ -3 }, values(a ^ b))
    assert.same({ -7, 7, -8 }, values(-a))
    assert.same({ 10, -4, 11 }, values(3 + a))
    assert.same({ 4, 4, 8 }, values(2 ^ cp.array({ 2, 2, 3 }, "int32")))
  end)

  it("divide and take remainders of integers as NumPy does", function()
    local x = cp.array({ 7, -7, 5 }, "int32")
    assert.equal("float64", (x / 2).dtype)
    assert.same({ 3, -4, 2 }, values(x:floor_divide(2)))
    assert.same({ 1, 1, 1 }, values(x % 2))
    assert.same({ -2, -1, -1 }, values(x % -3))
    assert.same({ 0, 0, 0 }, values(x % 0))
    assert.same({ 0, 0, 0 }, values(cp.floor_divide(x, 0)))
  end)

  it("mean logic on bool", function()
    local p, q = cp.array({ true, true, false, false }), cp.array({ true, false, true, false })
    assert.same({ true, true, true, false }, values(p + q))
    assert.same({ true, false, false, false }, values(p * q))
    check.failure("dtype", "negative: is not defined for bool", function() local _ = -p end)
    check.failure("dtype", "subtract: is not defined for bool; use logical_xor", function() local _ = p - q end)
  end)

  it("broadcast", function()
    local column, row = cp.array({ { 1 }, { 2 } }), cp.array({ 10, 20, 30 })
    assert.same({ { 11, 21, 31 }, { 12, 22, 32 } }, values(column + row))
    assert.same({ 0, 3 }, (cp.zeros({ 0, 1 }) + row).shape)
    assert.same({}, (cp.array(1) + cp.array(2)).shape)
    check.failure("shape", "add: shapes (3, 4) and (5) do not broadcast",
      function() local _ = cp.zeros({ 3, 4 }) + cp.zeros({ 5 }) end)
    check.failure("shape", "add: shapes (2, 1) and (3, 3) do not broadcast",
      function() local _ = cp.zeros({ 2, 1 }) + cp.zeros({ 3, 3 }) end)
  end)

  if _VERSION ~= "Lua 5.1" then
    it("of Lua 5.3 are there", function()
      local load_operators = load [[local a, b = ...; return a // b, a & b, a | b, a ~ b, a << b, a >> b, ~a, 5 // b,
        a & 3]]
      local x, y = cp.array({ 12, 7 }, "int32"), cp.array({ 5, 2 }, "int32")
      local results = { load_operators(x, y) }
      assert.equal("int32 2 3", shown(results[1]))
      assert.equal("int32 4 2", shown(results[2]))
      assert.equal("int32 13 7", shown(results[3]))
      assert.equal("int32 9 5", shown(results[4]))
      assert.equal("int32 384 28", shown(results[5]))
      assert.equal("int32 0 1", shown(results[6]))
      assert.equal("int32 -13 -8", shown(results[7]))
      assert.equal("int32 1 2", shown(results[8]))
      assert.equal("int32 0 3", shown(results[9]))
      local ok, message = pcall(load "local a = ...; local _ = a & 1", cp.array({ 1.5 }))
      assert.is_false(ok)
      assert.matches("cupola%.bitwise_and: needs an integer dtype or bool, not float64", message)
    end)
  end

  it("refuse strings, nil and other values", function()
    check.failure("usage", "add: x2 must be an array, number or table, not string", function() local _ = a + "b" end)
    check.failure("usage", "add: x2 must be an array, number or table, not nil", function() local _ = a + nil end)
    check.failure("usage", "multiply: x1 must be an array, number or table, not function",
      function() local _ = print * a end)
  end)
end)

describe("powers by 2, 3, 0.5, -0.5, -1 and 1", function()
  it("are exact", function()
    for _, dtype in ipairs { "float32", "float64" } do
      local x = cp.array({ 1.1, 3.7, 1e-3, 12345.678 }, dtype)
      assert.is_true(x ^ 2 == x * x)
      assert.is_true(x ^ 3 == x * x * x)
      assert.is_true(x ^ 0.5 == cp.sqrt(x))
      assert.is_true(x ^ -1 == 1 / x)
      assert.is_true(x ^ 1 == x)
      assert.is_true(x ^ -0.5 == cp.rsqrt(x))
      assert.is_true(cp.power(x, 2) == x:square())
    end
  end)

  it("keep and lose dtypes as any power", function()
    local i = cp.array({ 2, 3 }, "int32")
    assert.equal("int32 4 9", shown(i ^ 2))
    assert.equal("int32 8 27", shown(i ^ 3))
    assert.equal("float64", (i ^ 0.5).dtype)
    assert.equal("float16", (cp.ones({ 1 }, "float16") ^ 0.5).dtype)
    assert.equal("complex64", (cp.ones({ 1 }, "complex64") ^ 2).dtype)
    assert.equal("int64", (cp.array({ true }) ^ 2).dtype)
    assert.equal("int32", (i ^ 1).dtype)
  end)

  it("give a new array for 1", function()
    local x = cp.array({ 1, 2 })
    local y = x ^ 1
    y:fill(0)
    assert.same({ 1, 2 }, values(x))
  end)
end)

describe("several results", function()
  it("come from divmod", function()
    local q, r = cp.divmod(cp.array({ 7, -7 }), 2)
    assert.same({ 3, -4 }, values(q))
    assert.same({ 1, 1 }, values(r))
    q, r = cp.array({ 7, -7 }, "int16"):divmod(cp.array({ { 2 }, { 4 } }, "int8"))
    assert.equal("int16", q.dtype)
    assert.same({ { 3, -4 }, { 1, -2 } }, values(q))
    assert.same({ { 1, 1 }, { 3, 1 } }, values(r))
    q, r = cp.divmod(7, 2)
    assert.equal(3, q)
    assert.equal(1, r)
  end)

  it("come from modf and frexp", function()
    local f, i = cp.modf(cp.array({ 1.5, -2.25, inf }))
    assert.same({ 0.5, -0.25, 0 }, values(f))
    assert.same({ 1, -2, inf }, values(i))
    local m, e = cp.frexp(cp.array({ 8, 0.375, 0 }, "float32"))
    assert.equal("float32 0.5 0.75 0", shown(m):gsub("%.0", ""))
    assert.equal("int32 4 -1 0", shown(e))
    m, e = cp.frexp(8)
    assert.equal(0.5, m)
    assert.equal(4, e)
  end)

  it("take one kernel", function()
    local x = cp.arange(100) * 1.5
    assert.equal(1, check.counted(cp.divmod, x, 2).launches)
    assert.equal(1, check.counted(cp.modf, x).launches)
  end)
end)

describe("functions of Lua numbers", function()
  it("give Lua values", function()
    assert.equal(2 ^ 0.5, cp.sqrt(2))
    assert.equal("number", type(cp.add(1, 2)))
    assert.equal(3, cp.add(1, 2))
    assert.equal(8, cp.power(2, 3))
    assert.equal(3, cp.abs(-3))
    assert.equal(4, cp.gcd(12, 8))
    assert.equal(2, cp.bitwise_and(6, 3))
    assert.equal(12, cp.ldexp(3, 2))
    assert.is_false(cp.isnan(1))
    assert.is_true(cp.isnan(nan))
    assert.is_true(cp.less(1, 2))
    assert.is_true(cp.equal(2, 2.0))
    assert.equal(5, cp.clip(7, 0, 5))
    assert.equal(1.5, cp.where(cp.less(1, 2) and 1 or 0, 1.5, 2))
    local z = cp.sqrt(cp.complex(-4, 0))
    assert.equal(0, z.re)
    assert.equal(2, z.im)
    assert.equal(7, cp.add(cp.scalar(3, "int32"), 4))
  end)
end)

describe("Lua booleans", function()
  it("are refused as masks, naming x:eq", function()
    local x = cp.array({ 1, 0 })
    local fact = "is a Lua boolean; == gives one answer for whole arrays, use x:eq(y) for an elementwise one"
    check.failure("usage", "where: condition " .. fact, function() cp.where(x == 0, 1, 2) end)
    check.failure("usage", "logical_and: x1 " .. fact, function() cp.logical_and(x == 0, x) end)
    check.failure("usage", "logical_or: x2 " .. fact, function() x:logical_or(x == 0) end)
    check.failure("usage", "logical_not: x " .. fact, function() local _ = cp.logical_not(x == 0) end)
    assert.same({ 2, 1 }, values(cp.where(x:eq(0), 1, 2)))
  end)
end)

describe("a == b", function()
  it("is true when shape and all values are equal", function()
    local x = cp.array({ { 1, 2 }, { 3, 4 } })
    assert.is_true(x == x)
    assert.is_true(x == x:copy())
    assert.is_true(x == cp.array({ { 1, 2 }, { 3, 4 } }, "int8"))
    assert.is_true(x == x.T.T)
    assert.is_true(x.T:copy() == x.T)
    assert.is_false(x == x.T)
    assert.is_true(x ~= x.T)
    assert.is_true(cp.zeros({ 0, 3 }) == cp.ones({ 0, 3 }))
    assert.is_true(cp.array(3) == cp.array(3))
    assert.is_true(cp.array({ true }) == cp.array({ 1 }))
    assert.is_true(cp.array({ cp.j }) == cp.array({ cp.complex(0, 1) }))
  end)

  it("is false for other shapes, nan, and values that only round to each other", function()
    local x = cp.array({ 1, 2 })
    assert.is_false(x == cp.array({ { 1, 2 } }))
    assert.is_false(x == cp.array({ 1, 2, 3 }))
    assert.is_false(cp.zeros({ 0, 3 }) == cp.zeros({ 3, 0 }))
    assert.is_false(cp.array({ nan }) == cp.array({ nan }))
    local big = cp.array({ 2 ^ 53 }, "int64") + 1
    assert.is_false(big == cp.array({ 2 ^ 53 }, "uint64"))
    assert.is_true(big == cp.array({ 2 ^ 53 }, "uint64") + 1)
  end)

  it("never raises", function()
    local x, freed = cp.array({ 1, 2 }), cp.array({ 1, 2 })
    freed:free()
    assert.is_false(x == 1)
    assert.is_false(x == nil)
    assert.is_false(x == "x")
    assert.is_false(x == io.stdout)
    assert.is_false(x == cp.complex(1, 0))
    assert.is_false(cp.complex(1, 0) == x)
    assert.is_false(x == freed)
    assert.is_false(freed == x)
    assert.is_false(x == cp.newaxis)
  end)

  it("is false on different devices", function()
    if cp.device().name == "cpu" then return pending("needs a GPU") end
    assert.is_false(cp.array({ 1 }) == cp.array({ 1 }):cpu())
    assert.is_true(cp.array({ 1 }):cpu() == cp.array({ 1 }):cpu())
  end)

  it("compares large arrays", function()
    local x = cp.arange(300000)
    local y = x:copy()
    assert.is_true(x == y)
    y[299999] = 0
    assert.is_false(x == y)
  end)
end)

describe("dtype=", function()
  it("is what the function computes in", function()
    local i = cp.array({ 1, 2 }, "int32")
    local function gives(dtype, want, x)
      assert.equal(dtype, x.dtype)
      assert.same(want, values(x))
    end
    gives("float64", { 0.5, 1 }, cp.divide(i, 2, { dtype = "float64" }))
    gives("int64", { 2, 4 }, cp.add(i, i, { dtype = "int64" }))
    gives("float32", { 4, 8 }, cp.ldexp(i, { 2, 2 }, { dtype = "float32" }))
    gives("bool", { true, false }, cp.equal(i, 1, { dtype = "float64" }))
  end)

  it("is what numbers go to, whatever stands beside them", function()
    expect.values(cp.add(cp.array({ 1 }, "int8"), 300, { dtype = "int32" }), { 301 }, "int32")
    expect.values(cp.add(cp.array({ 1 }, "float32"), 0.1, { dtype = "float64" }), { 1.1 }, "float64")
    check.failure("dtype", "add: x2 = 300 does not fit int8",
      function() cp.add(cp.array({ 1 }, "int8"), 300, { dtype = "int8" }) end)
  end)

  it("refuses what has no loop, and what would lose an operand's kind", function()
    local i, f, z = cp.ones({ 2 }, "int32"), cp.ones({ 2 }), cp.ones({ 2 }, "complex64")
    check.failure("dtype", "divide: does not compute in dtype int32",
      function() cp.divide(i, i, { dtype = "int32" }) end)
    check.failure("dtype", "add: cannot take float64 as dtype int32; convert with :astype",
      function() cp.add(f, f, { dtype = "int32" }) end)
    check.failure("dtype", "sqrt: cannot take complex64 as dtype float32; convert with :astype",
      function() cp.sqrt(z, { dtype = "float32" }) end)
  end)
end)

describe("a < b", function()
  it("compares the values of one-element arrays", function()
    assert.is_true(cp.array({ 1 }) < cp.array({ 2 }))
    assert.is_false(cp.array(2) < cp.array({ { 2 } }))
    assert.is_true(cp.array(2) <= cp.array({ { 2 } }))
    assert.is_true(cp.array({ 3 }) > cp.array({ 2 }))
    assert.is_true(cp.array({ 3 }) >= cp.array({ 2 }))
    assert.is_false(cp.array({ nan }) < cp.array({ 2 }))
    assert.is_false(cp.array({ 2 }) <= cp.array({ nan }))
    local big = cp.array({ 2 ^ 53 }, "int64")
    assert.is_true(big < big + 1)
    assert.is_false(big + 1 <= big)
    assert.is_true(cp.array({ -1 }, "int64") < cp.array({ 2 ^ 63 }, "uint64"))
  end)

  it("is an error between larger ones, naming the method", function()
    local x, y = cp.array({ 1, 2 }), cp.array({ 1 })
    local fact = "compare: Lua turns a comparison into one boolean; use x:%s(y) "
      .. "(or gt, ge, eq, ne) for an elementwise one"
    check.failure("usage", fact:format "lt", function() local _ = x < x end)
    check.failure("usage", fact:format "le", function() local _ = y <= x end)
    check.failure("usage", fact:format "lt", function() local _ = x > y end)
    check.failure("dtype", "compare: complex values cannot be ordered", function() local _ = cp.array({ cp.j }) < y end)
  end)

  it("is an error with a number", function()
    local x = cp.array({ 1, 2 })
    if _VERSION ~= "Lua 5.1" then
      check.failure("usage", "compare: Lua turns a comparison into one boolean; use x:lt(y)",
        function() local _ = x < 3 end)
      check.failure("usage", "compare: Lua turns a comparison into one boolean; use x:le(y)",
        function() local _ = 3 <= x end)
    else -- there the language itself refuses
      assert.has_error(function() local _ = x < 3 end)
    end
  end)
end)

describe("reduceat without positions", function()
  it("gives no elements, as in NumPy", function()
    local none, reduceat = cp.zeros({ 0 }, "int64"), cp.ufunc.reduceat
    for _, c in ipairs { { reduceat("add", cp.ones { 5, 2 }, none), "float64", 0, 2 },
      { reduceat("maximum", cp.ones({ 5, 2 }, "int8"), none, { axis = 2 }), "int8", 5, 0 },
      { reduceat("add", cp.ones(3, "int8"), {}), "int64", 0 }, { reduceat("add", cp.zeros(0), none), "float64", 0 } } do
      expect.shape(c[1], (table.unpack or unpack)(c, 3)) -- luacheck: ignore
      assert.equal(c[2], c[1].dtype)
    end
  end)
end)

describe("signs of infinities", function()
  it("are not asked of complex values", function()
    local z = cp.array { cp.complex(inf, 1) }
    for _, name in ipairs { "isposinf", "isneginf" } do
      check.failure("dtype", name .. ": takes real values, not complex128", function() return cp[name](z), 1 end)
    end
    assert.same({ true, false, false }, cp.isposinf({ inf, -inf, nan }):totable())
  end)
end)
