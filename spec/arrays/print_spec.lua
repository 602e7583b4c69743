-- Printing: NumPy's layout and digits (spec/golden/arrays/printing.lua has NumPy's own output), the last
-- line, single values, the options, and `..`.
local cp = require "cupola"
local cases = require "spec.golden.arrays.printing"

local inf = math.huge
local nan = inf - inf
local defaults = { precision = 8, threshold = 1000, edgeitems = 3, linewidth = 75, suppress = false }

-- The array of one golden case.
local function build(case)
  local data = {}
  for k = 1, case.count or #case.values do data[k] = case.values and case.values[k] or (k - 1) * case.factor end
  if case.dtype:find("complex") then
    local pairs_of = {}
    for k = 1, #data, 2 do pairs_of[#pairs_of + 1] = cp.complex(data[k], data[k + 1]) end
    data = pairs_of
  end
  return cp.array(data, case.dtype):reshape(case.shape)
end

local function split(x)
  local body, last = tostring(x):match("^(.*)\n([^\n]*)$")
  return body, last
end

describe("printing", function()
  after_each(function() cp.set_printoptions(defaults) end)

  for k, case in ipairs(cases) do
    local name = ("%s (%s), case %d"):format(case.dtype, table.concat(case.shape, ", "), k)
    it("shows what NumPy shows: " .. name, function()
      cp.set_printoptions(case.options)
      local x = build(case)
      local body, last = split(x)
      assert.are.equal(case.text, body)
      assert.are.equal(("%s %s %s"):format(case.dtype, tostring(x.shape), x.device), last)
    end)
  end

  it("ends with dtype, shape and device", function()
    local x = cp.array { { 1, 2, 3 }, { 4, 5, 6 }, dtype = "float32" }
    assert.are.equal("[[1. 2. 3.]\n [4. 5. 6.]]\nfloat32 (2, 3) " .. x.device, tostring(x))
  end)

  it("shows views by their own order", function()
    local x = cp.array { { 1, 2, 3 }, { 4, 5, 6 }, dtype = "int32" }
    assert.are.equal("[[1 4]\n [2 5]\n [3 6]]", (split(x.T)))
    assert.are.equal("[3 2 1]", (split(x[1]["::-1"])))
  end)

  it("rounds bfloat16 to its own shortest digits", function()
    assert.are.equal("[0.1   0.334 3.   ]", (split(cp.array({ 0.1, 1 / 3, 3 }, "bfloat16"))))
  end)

  it("shows the edges of views that repeat or reverse", function()
    local row = {}
    for k = 1, 40 do row[k] = k end
    local x = cp.array(row, "int64"):broadcast_to({ 50, 40 })
    local line = "[ 1  2  3 ... 38 39 40]"
    local lines = { "[" .. line, " " .. line, " " .. line, " ...", " " .. line, " " .. line, " " .. line .. "]" }
    assert.are.equal(table.concat(lines, "\n"), (split(x)))
    assert.are.equal("[[40 39 38 ...  3  2  1]", tostring(x["::, ::-1"]):match("^[^\n]*"))
  end)

  it("copies only the edges of a large array", function()
    local x = cp.array { 1, 2, 3 }:broadcast_to({ 1000000, 1000000, 3 })
    assert.are.equal("[[[1. 2. 3.]", tostring(x):match("^[^\n]*"))
  end)

  it("gives the value alone for a 0-d array", function()
    local expected = {
      { 3, "float64", "3.0" }, { 0.1, "float32", "0.1" }, { 1e16, "float64", "1e+16" }, { 7, "int16", "7" },
      { 123456789, "float64", "123456789.0" }, { 1e-5, "float64", "1e-05" }, { 1.5e-7, "float64", "1.5e-07" },
      { 1e300, "float64", "1e+300" },
      { 65504, "float16", "65500.0" }, { true, "bool", "true" }, { nan, "float64", "nan" }, { -inf, "float64", "-inf" },
      { cp.complex(1, 2), "complex128", "1+2j" }, { cp.complex(-0.5, -inf), "complex64", "-0.5-infj" },
    }
    for _, case in ipairs(expected) do assert.are.equal(case[3], tostring(cp.array(case[1], case[2]))) end
  end)

  it("keeps 64-bit integers exact", function()
    local x = cp.frombytes(("\255"):rep(7) .. "\127" .. ("\0"):rep(7) .. "\128", "int64")
    assert.are.equal("[ 9223372036854775807 -9223372036854775808]", (split(x)))
    assert.are.equal("[18446744073709551615]", (split(cp.frombytes(("\255"):rep(8), "uint64"))))
  end)

  it("raises after free", function()
    local x = cp.array { 1, 2 }
    x:free()
    local ok, message = pcall(tostring, x)
    assert.is_false(ok)
    assert.is_truthy(message:find("cupola.tostring: the array's memory was freed", 1, true))
  end)
end)

describe("the options of printing", function()
  after_each(function() cp.set_printoptions(defaults) end)

  it("are read and changed one by one", function()
    assert.are.same(defaults, cp.get_printoptions())
    cp.set_printoptions { precision = 2, suppress = true }
    cp.set_printoptions(4, 10)
    assert.are.same({ precision = 4, threshold = 10, edgeitems = 3, linewidth = 75, suppress = true },
      cp.get_printoptions())
    cp.set_printoptions { threshold = inf }
    assert.is_falsy(tostring(cp.array({ 1 }):broadcast_to({ 1500 })):find("...", 1, true))
  end)

  it("are checked", function()
    for options, fact in pairs {
      [{ edgeitems = 0 }] = "edgeitems must be at least 1, not 0",
      [{ precision = -1 }] = "precision must be at least 0, not %-1",
      [{ precision = 65 }] = "precision must be at most 64, not 65",
      [{ linewidth = 1.5 }] = "linewidth must be a whole number",
      [{ suppress = 1 }] = "suppress must be true or false, not number",
      [{ width = 1 }] = "no option 'width'",
    } do
      assert.error_matches(function() cp.set_printoptions(options) end, "cupola%.set_printoptions: " .. fact)
    end
  end)
end)

describe("the .. of arrays", function()
  it("joins their text with strings and numbers, from both sides", function()
    local x = cp.array(2.5)
    assert.are.equal("mean 2.5", "mean " .. x)
    assert.are.equal("2.5 is it", x .. " is it")
    assert.are.equal("12.5", 1 .. x)
    assert.are.equal("a [1 2]\nint8 (2) " .. x.device, "a " .. cp.array({ 1, 2 }, "int8"))
    assert.are.equal("(1)2.5", cp.array { 1 }.shape .. x)
  end)

  it("names concatenate for two arrays", function()
    local x = cp.array { 1 }
    assert.error_matches(function() return x .. x end,
      "cupola%.concat: %.%. joins text with the text of one array; cp%.concatenate{a, b} joins arrays")
    assert.error_matches(function() return x .. {} end, "cupola%.concat: cannot join the text of an array with table")
    assert.error_matches(function() return x .. nil end, "cupola%.concat: cannot join the text of an array with nil")
  end)
end)
