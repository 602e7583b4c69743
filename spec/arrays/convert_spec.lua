-- Conversion: tables and Lua values to arrays (shapes, dtypes, errors), and arrays to tables, strings,
-- values, iterators and other devices.
local cp = require "cupola"

local inf = math.huge
local on_luajit, ffi = pcall(require, "ffi")
local exact_integers = _VERSION >= "Lua 5.3"
local two62 = 4611686018427387904
local two63 = -2 * two62 -- the least int64

-- Asserts dtype, shape and values (as nested tables, or one value) of an array.
local function check(x, dtype, shape, values)
  assert.are.equal(dtype, x.dtype)
  assert.are.equal(table.concat(shape, ","), table.concat(x.shape, ","))
  assert.are.same(values, x:totable())
end

local function fails(pattern, f, ...)
  local arguments, n = { ... }, select("#", ...)
  local unpack = table.unpack or unpack -- luacheck: ignore
  assert.error_matches(function() f(unpack(arguments, 1, n)) end, pattern)
end

describe("cp.array of tables", function()
  it("takes the nesting as shape and float64 for numbers", function()
    check(cp.array { 1, 2, 3 }, "float64", { 3 }, { 1, 2, 3 })
    check(cp.array { { 1, 2, 3 }, { 4, 5, 6.5 } }, "float64", { 2, 3 }, { { 1, 2, 3 }, { 4, 5, 6.5 } })
    check(cp.array { { { 1 }, { 2 } }, { { 3 }, { 4 } }, { { 5 }, { 6 } } }, "float64", { 3, 2, 1 },
      { { { 1 }, { 2 } }, { { 3 }, { 4 } }, { { 5 }, { 6 } } })
    check(cp.array {}, "float64", { 0 }, {})
    check(cp.array { {}, {} }, "float64", { 2, 0 }, { {}, {} })
    check(cp.array(cp.array({ { 1, 2 } }).shape, "int64"), "int64", { 2 }, { 1, 2 })
  end)

  it("takes single values", function()
    check(cp.array(3), "float64", {}, 3)
    check(cp.array(true), "bool", {}, true)
    check(cp.array(3, "uint8"), "uint8", {}, 3)
    check(cp.array(cp.scalar(3, "int16")), "int16", {}, 3)
    local z = cp.array(cp.complex(1, 2))
    assert.are.equal("complex128", z.dtype)
    assert.are.equal(cp.complex(1, 2), z:item())
  end)

  it("finds bool, complex, and mixed tables", function()
    check(cp.array { true, false }, "bool", { 2 }, { true, false })
    check(cp.array { true, 2 }, "float64", { 2 }, { 1, 2 })
    local z = cp.array { 1, cp.complex(0, 1) }
    assert.are.equal("complex128", z.dtype)
    assert.are.equal(cp.complex(1, 0), z:totable()[1])
    check(cp.array({ 0, 2, 0 / 0 }, "bool"), "bool", { 3 }, { false, true, true })
    check(cp.array({ true, false }, "int8"), "int8", { 2 }, { 1, 0 })
  end)

  it("takes the dtype in all ways of calling", function()
    for _, x in ipairs {
      cp.array({ 1, 2 }, "int32"), cp.array({ 1, 2 }, { dtype = "int32" }), cp.array { 1, 2, dtype = "int32" },
      cp.array { object = { 1, 2 }, dtype = cp.int32 }, cp.array({ 1, 2 }, "i4"),
    } do
      check(x, "int32", { 2 }, { 1, 2 })
    end
    check(cp.array { 1, 2, dtype = "int32", device = "cpu" }, "int32", { 2 }, { 1, 2 })
  end)

  it("rounds numbers to the dtype", function()
    check(cp.array({ 0.1, 1e39, -1e-50 }, "float32"), "float32", { 3 }, { 0.10000000149011612, inf, 0 })
    check(cp.array({ 1 / 3, 65520, 65519 }, "float16"), "float16", { 3 }, { 0.333251953125, inf, 65504 })
    check(cp.array({ 1 / 3 }, "bfloat16"), "bfloat16", { 1 }, { 0.333984375 })
    for _, t in ipairs { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" } do
      check(cp.array({ 0, 1, 127 }, t), t, { 3 }, { 0, 1, 127 })
    end
    check(cp.array({ -0.0 }, "int64"), "int64", { 1 }, { 0 })
    assert.are.equal(-inf, 1 / cp.array({ -1 / inf })[1])
  end)

  it("keeps all 64 bits", function()
    check(cp.array({ two62, -two62 }, "int64"), "int64", { 2 }, cp.array({ two62, -two62 }, "int64"):totable())
    if exact_integers then
      local big = -1 - two63
      check(cp.array({ big, big - 1, two63 }, "int64"), "int64", { 3 }, { big, big - 1, two63 })
      check(cp.array({ big, two63 }), "float64", { 2 }, { 2 ^ 63, -2 ^ 63 })
    elseif on_luajit then
      local i64, u64 = ffi.typeof("int64_t"), ffi.typeof("uint64_t")
      local x = cp.array({ i64(2) ^ 62 + 1, -i64(2) ^ 62 - 1, i64(5) }, "int64"):totable()
      assert.is_true(x[1] == i64(2) ^ 62 + 1 and x[2] == -i64(2) ^ 62 - 1)
      assert.are.equal(5, x[3])
      assert.is_true(cp.array({ u64(2) ^ 63 + 1 }, "uint64"):item() == u64(2) ^ 63 + 1)
      check(cp.array { i64(5), 2 }, "float64", { 2 }, { 5, 2 })
    end
  end)

  it("follows the default dtype", function()
    cp.set_default_dtype("float32")
    local ok, x, z = pcall(function() return cp.array { 1, 2 }, cp.array { cp.j } end)
    cp.set_default_dtype("float64")
    assert.is_true(ok, x)
    assert.are.equal("float32", x.dtype)
    assert.are.equal("complex64", z.dtype)
  end)

  it("stacks arrays, also beside tables and numbers", function()
    local a, b = cp.array({ 1, 2 }, "float32"), cp.array({ 3, 4 }, "float32")
    check(cp.array { a, b }, "float32", { 2, 2 }, { { 1, 2 }, { 3, 4 } })
    check(cp.array { a, { 5, 6 } }, "float32", { 2, 2 }, { { 1, 2 }, { 5, 6 } })
    check(cp.array { { 5, 6 }, b }, "float32", { 2, 2 }, { { 5, 6 }, { 3, 4 } })
    check(cp.array { { a, b }, { b, a } }, "float32", { 2, 2, 2 },
      { { { 1, 2 }, { 3, 4 } }, { { 3, 4 }, { 1, 2 } } })
    check(cp.array { a, cp.array({ 7, 8 }, "float64") }, "float64", { 2, 2 }, { { 1, 2 }, { 7, 8 } })
    check(cp.array({ a, b }, "int64"), "int64", { 2, 2 }, { { 1, 2 }, { 3, 4 } })
    check(cp.array { cp.array(1, "float32"), 2, cp.array(3, "float32") }, "float32", { 3 }, { 1, 2, 3 })
    check(cp.array { cp.array(1, "int32"), 2 }, "int32", { 2 }, { 1, 2 })
    check(cp.array { cp.array(1, "int32"), 2.5 }, "float64", { 2 }, { 1, 2.5 })
    check(cp.array { cp.scalar(1, "int8"), 2 }, "int8", { 2 }, { 1, 2 })
    local c = cp.array { { 1, 2, 3 }, { 4, 5, 6 } }
    check(cp.array { c.T[1], c.T[3] }, "float64", { 2, 2 }, { { 1, 4 }, { 3, 6 } })
    check(cp.array { cp.array {}, cp.array {} }, "float64", { 2, 0 }, { {}, {} })
  end)

  it("takes many elements", function()
    local flat, rows = {}, {}
    for k = 1, 20000 do flat[k] = k end
    for i = 1, 200 do
      rows[i] = {}
      for j = 1, 100 do rows[i][j] = (i - 1) * 100 + j end
    end
    assert.are.same(flat, cp.array(flat):totable())
    assert.are.same(rows, cp.array(rows, "int32"):totable())
    assert.are.equal(cp.array(flat):tobytes(), cp.array(rows):tobytes())
  end)

  it("raises at the user's line", function()
    local ok, message = pcall(function() return cp.array { { 1, 2 }, { 1, 2, 3 } } end)
    local line = debug.getinfo(1, "l").currentline - 1
    assert.is_false(ok)
    local fact = "cupola.array: row 2 has 3 elements, row 1 has 2"
    assert.are.equal(("spec/arrays/convert_spec.lua:%d: %s"):format(line, fact), message)
  end)

  it("names what is wrong, and where", function()
    fails("^cupola%.array: row 2 has 3 elements, row 1 has 2$", cp.array,
      { { 1, 2 }, { 1, 2, 3 } })
    fails("cupola%.array: row 2 has 1 element, row 1 has 2", cp.array, { { 1, 2 }, { 1 } })
    fails("row %(2, 1%) has 2 elements, row %(1, 1%) has 1", cp.array, { { { 1 }, { 2 } }, { { 3, 4 }, { 5 } } })
    fails("cupola%.array: element %(2, 1%) is a string", cp.array, { { 1, 2 }, { "x", 3 } })
    fails("element 2 is a function", cp.array, { 1, print })
    fails("element 1 is a string", cp.array, { "1", 2 })
    fails("element 2 is nil", cp.array, { 1, nil, 3 })
    fails("element %(2, 2%) is nil", cp.array, { { 1, 2, 3 }, { 1, nil, 3 } })
    fails("element 2 is nil, but there is an element 3 after it", cp.array, { [1] = 1, [3] = 3 })
    fails("the table has a key 0; elements count from 1", cp.array, { [0] = 1, 2, 3 })
    fails("element 2 has a key 0; elements count from 1", cp.array, { { 1 }, { [0] = 1, 2 } })
    fails("element 2 is a number, the first one is a table or array", cp.array, { { 1 }, 2 })
    fails("element 2 is a table, the first one is not", cp.array, { 1, { 2 } })
    fails("element 2 is an array of shape %(3%), not %(2%)", cp.array,
      { cp.array { 1, 2 }, cp.array { 1, 2, 3 } })
    fails("element 2 is an array of shape %(1%), not %(%)", cp.array, { 1, cp.array { 1 } })
    fails("nested deeper than 32 levels; does it contain itself%?", function()
      local t = {}
      t[1] = t
      cp.array(t)
    end)
    fails("cupola%.asarray: element 2 is nil", cp.asarray, { 1, nil, 3 })
    fails("cupola%.array: object must be a table, .* not nil %(missing%)", cp.array)
    fails("cupola%.array: object must be a table, .* not string", cp.array, "1, 2")
    fails("cupola%.array: no dtype 'flaot32'; did you mean 'float32'%?", cp.array, { 1 }, "flaot32")
    fails("cupola%.array: no dtype 'd'; did you mean 'float64'%?", cp.array, { 1 }, "d") -- NumPy's letters
    fails("cupola%.array: no option 'dtpye' %(did you mean 'dtype'%?%)", cp.array, { 1, dtpye = "int8" })
    fails("cupola%.array: order must be one of the letters CFAK", cp.array, { 1, order = "X" })
    assert.are.equal("array", cp.last_error().where)
  end)

  it("refuses values that the dtype cannot hold and names astype", function()
    fails("element 2 = 2%.5 does not fit int32; make the array without dtype and convert it with :astype", cp.array,
      { 1, 2.5 }, "int32")
    fails("element %(1, 2%) = 300 does not fit uint8", cp.array, { { 1, 300 } }, "uint8")
    fails("= %-1 does not fit uint64", cp.array, { -1 }, "uint64")
    fails("= %-?nan does not fit int64", cp.array, { inf - inf }, "int64")
    fails("= 9.2233720368547758e%+18 does not fit int64", cp.array, { 2 ^ 63 }, "int64")
    fails("= 1.8446744073709552e%+19 does not fit uint64", cp.array, { 2 ^ 64 }, "uint64")
    fails("element 1 is complex and does not fit float64", cp.array, { cp.j }, "float64")
    fails("the value = 2%.5 does not fit int8", cp.array, 2.5, "int8")
  end)
end)

describe("a table as an operand", function()
  it("takes the dtype of the array beside it when it can", function()
    local f, i, b = cp.array({ 1, 2 }, "float32"), cp.array({ 1, 2 }, "int16"), cp.array { true, false }
    check(f + { 1, 0.5 }, "float32", { 2 }, { 2, 2.5 })
    check(i + { 1, 2 }, "int16", { 2 }, { 2, 4 })
    check(i + { 1, 0.5 }, "float64", { 2 }, { 2, 2.5 })
    fails("cupola%.add: element 2 = 40000 does not fit int16; convert the array beside it with :astype", function()
      return i + { 1, 40000 }
    end)
    check(b + { 1, 2 }, "int64", { 2 }, { 2, 2 })
    check(b * { true, true }, "bool", { 2 }, { true, false })
    assert.are.equal("complex64", (f + { cp.j, 1 }).dtype)
    check(f + { { 1 }, { 2 } }, "float32", { 2, 2 }, { { 2, 3 }, { 3, 4 } })
  end)
end)

describe("cp.array and cp.asarray of arrays", function()
  local x = cp.array { { 1, 2, 3 }, { 4, 5, 6 } }

  it("copy, or give the array itself", function()
    local y = cp.array(x)
    y[1] = 0
    check(x, "float64", { 2, 3 }, { { 1, 2, 3 }, { 4, 5, 6 } })
    assert.is_true(rawequal(x, cp.asarray(x)))
    assert.is_true(rawequal(x, cp.asarray(x, "float64")))
    assert.is_true(rawequal(x, cp.array(x, { copy = false })))
    assert.is_false(rawequal(x, cp.asarray(x, "float32")))
    assert.is_true(rawequal(x, cp.asarray(x, { order = "C" })))
  end)

  it("convert the dtype by any cast", function()
    check(cp.array({ 1.7, -1.7, 300 }), "float64", { 3 }, { 1.7, -1.7, 300 })
    check(cp.array(cp.array { 1.7, -1.7, 300 }, "int8"), "int8", { 3 }, { 1, -1, 127 })
    check(cp.asarray(x, "bool"), "bool", { 2, 3 }, { { true, true, true }, { true, true, true } })
  end)

  it("keep or change the order", function()
    local f = cp.array(x, { order = "F" })
    assert.is_true(f.flags.f_contiguous)
    assert.is_false(f.flags.c_contiguous)
    assert.are.same(x:totable(), f:totable())
    assert.is_true(cp.array(f).flags.f_contiguous)
    assert.is_true(cp.array(f, { order = "A" }).flags.f_contiguous)
    assert.is_true(cp.array(f, { order = "C" }).flags.c_contiguous)
    assert.is_true(cp.asarray(f, { order = "C" }).flags.c_contiguous)
    assert.is_true(cp.array({ { 1, 2 }, { 3, 4 }, order = "F" }).flags.f_contiguous)
    assert.are.equal(f:tobytes(), x:tobytes())
  end)
end)

describe("bytes", function()
  it("make arrays and come from them in C order", function()
    check(cp.frombytes("\1\2\3\4", "uint8"), "uint8", { 4 }, { 1, 2, 3, 4 })
    check(cp.frombytes("\1\2\3\4\5\6", "uint8", { 2, 3 }), "uint8", { 2, 3 }, { { 1, 2, 3 }, { 4, 5, 6 } })
    check(cp.frombytes { bytes = "", dtype = "float32" }, "float32", { 0 }, {})
    check(cp.frombytes(cp.array({ 1.5, -2 }):tobytes()), "float64", { 2 }, { 1.5, -2 })
    local x = cp.frombytes("\1\2\3\4\5\6", "int8", { 2, 3 })
    assert.are.equal("\1\4\2\5\3\6", x.T:tobytes())
    assert.are.equal("\6\5\4\3\2\1", x["::-1, ::-1"]:tobytes())
    assert.are.equal(8, #cp.array(1):tobytes())
  end)

  it("must fit dtype and shape", function()
    fails("cupola%.frombytes: 3 bytes are not a whole number of int16 values of 2 bytes", cp.frombytes, "abc", "int16")
    fails("cupola%.frombytes: 4 bytes hold 2 values of int16, but shape %(3%) needs 3", cp.frombytes, "abcd", "int16",
      { 3 })
    fails("cupola%.frombytes: bytes must be a string, not table", cp.frombytes, { 1 }, "int16")
  end)
end)

describe("reading arrays", function()
  local x = cp.array { { 1, 2, 3 }, { 4, 5, 6 } }

  it("totable gives nested tables, of views and empty arrays too", function()
    assert.are.same({ { 1, 4 }, { 2, 5 }, { 3, 6 } }, x.T:totable())
    assert.are.same({ 6, 5, 4 }, x[2]["::-1"]:totable())
    assert.are.same({ { 1, 2, 3 }, { 1, 2, 3 } }, x[1]:broadcast_to({ 2, 3 }):totable())
    assert.are.same({ {}, {} }, x[{ {}, { 1, 0 } }]:totable())
    assert.are.equal(5, cp.array(5):totable())
    assert.are.equal(cp.complex(1, 2), cp.array({ cp.complex(1, 2) }, "complex64"):totable()[1])
  end)

  it("item gives the one value", function()
    assert.are.equal(7, cp.array({ { 7 } }):item())
    assert.is_true(cp.array({ true }):item())
    fails("cupola%.item: an array of shape %(2, 3%) is not one value", x.item, x)
    fails("cupola%.item: takes no arguments; read an element as x%[{i, j}%]", x.item, x, 1)
    fails("cupola%.item: x must be an array, not number", x.item, 1)
  end)

  it("rows gives views, values of a 1-d array", function()
    local seen = 0
    for i, row in x:rows() do
      seen = seen + 1
      assert.are.equal(seen, i)
      assert.are.same(x:totable()[i], row:totable())
    end
    assert.are.equal(2, seen)
    local y = cp.array(x)
    for _, row in y:rows() do row[1] = 0 end
    assert.are.same({ { 0, 2, 3 }, { 0, 5, 6 } }, y:totable())
    local numbers = {}
    for i, v in x[2]:rows() do numbers[i] = v end
    assert.are.same({ 4, 5, 6 }, numbers)
    fails("cupola%.rows: a 0%-d array has no rows", x.rows, cp.array(1))
    for _ in cp.array({}):rows() do error("an empty array has no rows") end
  end)

  it("values gives all elements in C order, as they were at the start", function()
    local flat = {}
    local y = cp.array(x)
    for i, v in y.T:values() do
      flat[i] = v
      y[{ {}, {} }] = 0
    end
    assert.are.same({ 1, 4, 2, 5, 3, 6 }, flat)
    for i, v in cp.array(8):values() do assert.are.same({ 1, 8 }, { i, v }) end
    local f = x:values()
    assert.is_nil(f(nil, 6))
    assert.is_nil(f(nil, -1))
    assert.is_nil(f(nil, "x"))
  end)
end)

describe("moving arrays", function()
  local x = cp.array { { 1, 2, 3 }, { 4, 5, 6 } }

  it("to the CPU", function()
    local from_table = cp.asnumpy { { 1, 2, 3 }, { 4, 5, 6 } }
    for _, y in ipairs { x:cpu(), x:to("cpu"), x:get(), cp.asnumpy(x), x.T:get().T, from_table } do
      assert.are.equal("cpu", y.device)
      assert.are.same(x:totable(), y:totable())
    end
    assert.is_true(rawequal(x, x:to(x.device)))
    local copy = x:get()
    copy[1] = 0
    assert.are.equal(1, x[{ 1, 1 }])
    assert.is_true(cp.array(x, { order = "F" }):get().flags.f_contiguous)
  end)

  it("to a GPU and back", function()
    if x.device == "cpu" then return pending("runs on a GPU") end
    local host = x:cpu()
    local moved = { host:cuda(), host:to(x.device), cp.asarray(host), cp.array(host, "float64"), host.T:cuda().T }
    for _, y in ipairs(moved) do
      assert.are.equal(x.device, y.device)
      assert.are.same(x:totable(), y:totable())
    end
    check(cp.array { host, host.T:reshape({ 2, 3 }) }, "float64", { 2, 2, 3 },
      { { { 1, 2, 3 }, { 4, 5, 6 } }, { { 1, 4, 2 }, { 5, 3, 6 } } })
    assert.is_true(cp.array(host, { order = "F" }).flags.f_contiguous)
  end)

  it("needs a device that exists", function()
    fails("cupola%.to: device must be a name such as .* not nil", x.to, x)
    fails("cupola%.to: ", x.to, x, "gpu")
    fails("cupola%.cuda: ", x.cuda, x, 99)
    fails("cupola%.asnumpy: x must be an array, not nil", cp.asnumpy)
  end)

  it("raises after free", function()
    local y = cp.array { 1, 2 }
    y:free()
    for _, name in ipairs { "totable", "tobytes", "item", "values", "rows", "get", "cpu" } do
      fails("cupola%." .. name .. ": the array's memory was freed", y[name], y)
    end
    fails("cupola%.array: the array's memory was freed", cp.array, y)
    fails("cupola%.array: the array's memory was freed", cp.array, { y })
  end)
end)
