-- loadtxt, genfromtxt, savetxt, fromstring, fromfile, tofile, frombuffer. Output of NumPy's savetxt is in
-- spec/golden/files/files.bin.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"
local files = require "spec.helper.files"

local function load_text(text, ...)
  local arguments, n, results = { ... }, select("#", ...), nil
  files.with(text, function(path)
    results = { cp.loadtxt(path, (table.unpack or unpack)(arguments, 1, n)) } -- luacheck: ignore
  end)
  return (table.unpack or unpack)(results) -- luacheck: ignore
end

local function saved(...)
  local arguments, n, text = { ... }, select("#", ...), nil
  files.with("", function(path)
    cp.savetxt(path, (table.unpack or unpack)(arguments, 1, n)) -- luacheck: ignore
    text = files.contents(path)
  end)
  return text
end

local inf, nan = cp.inf, cp.nan

describe("savetxt", function()
  local m = { { 1.5, -2, nan }, { inf, 1e-300, 123456789.125 } }
  local narrow = { { 1.5, -2 }, { inf, 1e-300 } }

  it("writes what NumPy writes", function()
    local complex = cp.array { { cp.complex(1, 2), cp.complex(-0.5, -1e10) }, { cp.complex(0, 3), 4 } }
    local cases = {
      txt_default = { m },
      txt_csv = { m, { delimiter = ",", fmt = "%.3f", header = "a,b,c\nsecond", footer = "end" } },
      txt_formats = { narrow, { fmt = { "%10.2e", "%g" }, newline = "\r\n" } },
      txt_row = { narrow, "%5.1f and %e" },
      txt_int = { cp.array({ { 1, -2 }, { 0, 7 } }, "int64") + cp.array({ { 0, 0 }, { 1, 0 } }, "int64") * 2 ^ 62,
        "%d" },
      txt_complex = { complex },
      txt_complex_fmt = { cp.array { cp.complex(1, 2), cp.complex(-0.5, -1.5) }, "%.2f" },
      txt_vector = { { 1, 2, 3 }, "%g" },
    }
    for name, arguments in pairs(cases) do
      assert.equal(files.bytes(name), saved((table.unpack or unpack)(arguments))) -- luacheck: ignore
    end
  end)

  it("takes other dtypes, views and empty arrays", function()
    assert.equal("1 0\n", saved(cp.array { { true, false } }, "%d"))
    assert.equal("2\n-1\n", saved(cp.array { 2.75, -1.5 }, "%d")) -- towards zero, as NumPy does
    assert.equal("5 3 1\n", saved(cp.range(1, 6)["5::-2"]:reshape(1, 3), "%i"))
    assert.equal("# only\n", saved(cp.zeros { 0, 3 }, { header = "only" }))
    assert.equal("100%\n", saved({ 100 }, "%.0f%%"))
    assert.equal("0.1 3\n", saved({ { 0.1, 3 } }, "%s"))
    assert.equal("1.25\n", saved(cp.array({ 1.25 }, "float16"), "%g"))
  end)

  it("is read back by loadtxt with the same bits", function()
    local x = cp.sin(cp.arange(3000)):reshape(1000, 3) * cp.exp(cp.arange(3) * 100 - 100)
    assert.is_true(cp.array_equal(load_text(saved(x)), x))
    local z = x[{ {}, 1 }] + cp.j * x[{ {}, 2 }]
    assert.is_true(cp.array_equal(load_text(saved(z), "complex128"), z))
  end)

  it("refuses what it cannot write", function()
    check.failure("shape", "savetxt: X must have one or two axes, not shape (1, 1, 1)",
      function() cp.savetxt("/tmp/x", cp.zeros { 1, 1, 1 }) end)
    check.failure("usage", "savetxt: fmt has 3 formats for 2 columns",
      function() cp.savetxt("/tmp/x", { { 1, 2 } }, { "%d", "%d", "%d" }) end)
    check.failure("usage", "savetxt: fmt has 3 conversions for 2 values in a row",
      function() cp.savetxt("/tmp/x", { { 1, 2 } }, "%d %d %d") end)
    check.failure("usage", "savetxt: fmt has a conversion %q", function() cp.savetxt("/tmp/x", { 1 }, "%q") end)
    check.failure("usage", "savetxt: fmt writes whole numbers, but there is a",
      function() files.with("", function(path) cp.savetxt(path, { nan }, "%d") end) end)
    check.failure("usage", "savetxt: delimiter must be a string, not number",
      function() cp.savetxt("/tmp/x", { 1 }, { delimiter = 7 }) end)
    check.failure("io", "savetxt: cannot write /no/such/x: No such file",
      function() cp.savetxt("/no/such/x", { 1 }) end)
  end)
end)

describe("loadtxt", function()
  it("reads what NumPy wrote", function()
    local m = { { 1.5, -2, nan }, { inf, 1e-300, 123456789.125 } }
    expect.values(load_text(files.bytes "txt_default"), m, "float64")
    expect.values(load_text(files.bytes "txt_csv", { delimiter = "," }),
      { { 1.5, -2, nan }, { inf, 0, 123456789.125 } })
    expect.values(load_text(files.bytes "txt_formats"), { { 1.5, -2 }, { inf, 1e-300 } })
    expect.values(load_text(files.bytes "txt_int", "int64"):tobytes(),
      cp.array({ 1, -2, 2 ^ 62, 7 }, "int64"):tobytes())
    expect.values(load_text(files.bytes "txt_complex", "complex64").imag, { { 2, -1e10 }, { 3, 0 } })
    expect.values(load_text(files.bytes "txt_vector", "float32"), { 1, 2, 3 }, "float32")
  end)

  it("reads every dtype", function()
    for _, dtype in ipairs(expect.dtypes) do
      local x = load_text("0 1 2\n3 4 5\n", dtype)
      assert.equal(dtype, x.dtype)
      assert.is_true(cp.array_equal(x, cp.arange(6):reshape(2, 3):astype(dtype)))
    end
    expect.values(load_text("True False\ntrue 0\n", "bool"), { { true, false }, { true, false } })
    assert.equal(("\255"):rep(8), load_text("18446744073709551615", "uint64"):tobytes())
    assert.equal("\0\0\0\0\0\0\0\128", load_text("-9223372036854775808", "int64"):tobytes())
    expect.values(load_text("1e3 -2.0", "int16"), { 1000, -2 }, "int16")
    expect.values(load_text("nan -inf +1.e2 .5 Infinity"), { nan, -inf, 100, 0.5, inf })
    local z = load_text("1+2j (3-4j) 5j -6 1e2-1e-1j 0+-2j", "complex128")
    expect.values(z.real, { 1, 3, 0, -6, 100, 0 })
    expect.values(z.imag, { 2, -4, 5, 0, -0.1, -2 })
  end)

  it("skips comments, lines and columns", function()
    local text = "head\n1, 2, 3 # one\n\n  # nothing\n4,5 ,6\n7,8,9"
    expect.values(load_text(text, { delimiter = ",", skiprows = 1 }), { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } })
    expect.values(load_text(text, { delimiter = ",", skiprows = 1, max_rows = 2, usecols = { 3, -3 } }),
      { { 3, 1 }, { 6, 4 } })
    expect.values(load_text(text, { delimiter = ",", skiprows = 1, usecols = 2 }), { 2, 5, 8 })
    expect.values(load_text("1 // x\n2 % y\n", { comments = { "//", "%" } }), { 1, 2 })
    expect.values(load_text("1::2\r\n3::4\r\n", { delimiter = "::" }), { { 1, 2 }, { 3, 4 } })
    expect.values(load_text("a 1\nb 2\n", { converters = { function(s) return s:byte() end } }),
      { { 97, 1 }, { 98, 2 } })
  end)

  it("reads tables of lines", function()
    local x = cp.loadtxt({ "# a", "1,2", "", "3,4" }, { delimiter = "," })
    assert.same({ { 1, 2 }, { 3, 4 } }, x:totable())
    assert.same({ { 1, 2 }, { 3, -1 } },
      cp.genfromtxt({ "1,2", "3," }, { delimiter = ",", filling_values = -1 }):totable())
    assert.equal(0, cp.loadtxt({}).size)
    local _, message = pcall(cp.loadtxt, { "1 2", "3 x" })
    assert.truthy(message:find("loadtxt: the lines, line 2: 'x' is not a value", 1, true))
    _, message = pcall(cp.loadtxt, { "1", 2 })
    assert.truthy(message:find("loadtxt: line 2 must be a string, not number", 1, true))
  end)

  it("gives the axes that NumPy gives", function()
    local cases = { { "1 2\n3 4\n", 0, 2, 2 }, { "1 2\n", 0, 2 }, { "1\n2\n3", 0, 3 }, { "7", 0 }, { "7", 1, 1 },
      { "7", 2, 1, 1 },
      { "1 2", 2, 1, 2 }, { "1\n2\n", 2, 2, 1 }, { "", 0, 0 }, { "# x\n", 2, 0, 1 } }
    for _, c in ipairs(cases) do
      expect.shape(load_text(c[1], { ndmin = c[2] }), (table.unpack or unpack)(c, 3)) -- luacheck: ignore
    end
    local a, b = load_text("1 2\n3 4\n5 6\n", { unpack = true })
    expect.values(a, { 1, 3, 5 })
    expect.values(b, { 2, 4, 6 })
  end)

  it("gives as many columns as were chosen of an empty file", function()
    expect.shape(load_text("", { usecols = { 1, 3 } }), 0, 2)
    expect.shape(load_text("", { usecols = { 1, 3 }, ndmin = 2 }), 0, 2)
    expect.shape(load_text("# x\n", { usecols = 2 }), 0)
    expect.shape(load_text("", { usecols = 2, ndmin = 2 }), 0, 1)
    local a, b, c = load_text("", { usecols = { 1, 3 }, unpack = true })
    expect.shape(a, 0)
    expect.shape(b, 0)
    assert.is_nil(c)
  end)

  it("reads many rows and long rows", function()
    local rows, words = {}, {}
    for k = 1, 300 do words[k] = k end
    for k = 1, 200 do rows[k] = table.concat(words, "\t") end
    local x = load_text(table.concat(rows, "\n"), "int32")
    expect.shape(x, 200, 300)
    assert.equal(200 * 300 * 301 / 2, x:sum():item())
  end)

  it("names the file, line and word in errors", function()
    local function fails(text, fact, options)
      files.with(text, function(path)
        check.failure("io", "loadtxt: " .. path .. ", line " .. fact, function() cp.loadtxt(path, options) end)
      end)
    end
    fails("1 2\n3 x7\n", "2: 'x7' is not a value of dtype float64")
    fails("1 2\n3\n", "2 has 1 columns, but the lines before have 2")
    fails("1,,2\n", "1: '' is not a value of dtype float64", { delimiter = "," })
    fails("# a\n\n1 300\n", "3: '300' is not a value of dtype uint8", { dtype = "uint8" })
    fails("1.5\n", "1: '1.5' is not a value of dtype int32", { dtype = "int32" })
    fails("0x10\n", "1: '0x10' is not a value of dtype float64")
    fails("1+2\n", "1: '1+2' is not a value of dtype complex64", { dtype = "complex64" })
    fails("1 2\n", "1 has 2 columns; there is no column 3", { usecols = 3 })
    fails("1 " .. ("9"):rep(200) .. "\n", "1: '" .. ("9"):rep(47) .. "' is not a value")
    files.with("1 2\n", function(path)
      check.failure("index", "loadtxt: usecols counts columns from 1; there is no column 0",
        function() cp.loadtxt(path, { usecols = { 0 } }) end)
      check.failure("usage", "loadtxt: ndmin must be 0, 1 or 2", function() cp.loadtxt(path, { ndmin = 3 }) end)
      check.failure("usage", "loadtxt: delimiter must be a string", function() cp.loadtxt(path, { delimiter = "" }) end)
      check.failure("usage", "loadtxt: " .. path .. ", line 1: a converter gave a table, not a number",
        function() cp.loadtxt(path, { converters = { function() return {} end } }) end)
      check.failure("usage", "loadtxt: converters[1] must be a function",
        function() cp.loadtxt(path, { converters = { 5 } }) end)
      assert.falsy(pcall(cp.loadtxt, path, { converters = { function() error "mine" end } }))
    end)
    check.failure("io", "loadtxt: cannot read /no/such/x: No such file", function() cp.loadtxt "/no/such/x" end)
  end)

  it("fills gaps as genfromtxt", function()
    files.with("a,b\n1,\n,4\nx, 6 \n", function(path)
      expect.values(cp.genfromtxt(path, { delimiter = ",", skip_header = 1 }), { { 1, nan }, { nan, 4 }, { nan, 6 } })
      expect.values(cp.genfromtxt(path, { delimiter = ",", skip_header = 1, dtype = "int8", filling_values = -1 }),
        { { 1, -1 }, { -1, 4 }, { -1, 6 } }, "int8")
      local a, b, c = cp.genfromtxt(path, { delimiter = ",", skip_header = 1, unpack = true })
      expect.values(a, { 1, nan, nan })
      expect.values(b, { nan, 4, 6 })
      assert.is_nil(c)
    end)
    -- the lines, ndmin, and NumPy's shape
    local cases = { { { "1 2 3" }, 0, 3 }, { { "1 2 3" }, 2, 1, 3 }, { { "1", "2" }, 1, 2 }, { { "1", "2" }, 2, 2, 1 },
      { { "7" }, 0 }, { { "7" }, 1, 1 }, { { "7" }, 2, 1, 1 }, { {}, 0, 0 }, { {}, 2, 0, 1 } }
    for _, c in ipairs(cases) do
      expect.shape(cp.genfromtxt(c[1], { ndmin = c[2] }), (table.unpack or unpack)(c, 3)) -- luacheck: ignore
    end
    check.failure("usage", "genfromtxt: ndmin must be 0, 1 or 2", function() cp.genfromtxt({ "1" }, { ndmin = 3 }) end)
  end)
end)

describe("bare values", function()
  it("go to files and back", function()
    local x = cp.arange(12, "int16"):reshape(3, 4)
    files.with("", function(path)
      for _, view in ipairs { x, x.T, x["::2, ::-1"], x * 2, x["1:1, 1:1"] } do
        view:tofile(path)
        local back = cp.fromfile(path, "int16")
        assert.is_true(cp.array_equal(back, view:ravel()))
      end
      x:tofile(path)
      expect.values(cp.fromfile(path, "int16", 2, "", 4), { 2, 3 }, "int16")
      expect.values(cp.fromfile(path, { dtype = "uint8", count = 3 }), { 0, 0, 1 })
      expect.shape(cp.fromfile(path, "float64"), 3) -- NumPy too ignores what is left over
      check.failure("io", "fromfile: " .. path .. " holds 12 values of int16, not 13",
        function() cp.fromfile(path, "int16", 13) end)
      x["1, :"]:tofile(path, ", ")
      assert.equal("0, 1, 2, 3", files.contents(path))
      expect.values(cp.fromfile(path, { dtype = "int32", sep = "," }), { 0, 1, 2, 3 }, "int32")
      cp.array({ 0.1, 1 / 3, 2 }):tofile(path, " ")
      expect.values(cp.fromfile(path, { sep = " " }), { 0.1, 1 / 3, 2 })
      cp.zeros(0):tofile(path)
      expect.shape(cp.fromfile(path), 0)
    end)
  end)

  it("come from text and bytes", function()
    expect.values(cp.fromstring("1 2\n 3\t4 "), { 1, 2, 3, 4 }, "float64")
    expect.values(cp.fromstring("1, 2,3", { dtype = "int64", sep = "," }), { 1, 2, 3 }, "int64")
    expect.values(cp.fromstring("1|2|3|4", { sep = "|", count = 2 }), { 1, 2 })
    expect.shape(cp.fromstring "", 0)
    check.failure("io", "fromstring: the text, line 2: 'x' is not a value", function() cp.fromstring "1 x" end)
    check.failure("usage", "fromstring: string must be a string, not number", function() cp.fromstring(5) end)
    expect.values(cp.frombuffer("\1\0\2\0\3\0", "int16"), { 1, 2, 3 }, "int16")
    expect.values(cp.frombuffer("\1\0\2\0\3\0", { dtype = "uint16", count = 1, offset = 2 }), { 2 }, "uint16")
    check.failure("shape", "frombuffer: 5 bytes after the offset are not a whole number of values of 2 bytes",
      function() cp.frombuffer("\1\0\2\0\3", "int16") end)
    check.failure("shape", "frombuffer: 6 bytes after the offset are not 4 values of 2 bytes",
      function() cp.frombuffer("\1\0\2\0\3\0", "int16", 4) end)
    check.failure("usage", "frombuffer: offset 9 is outside of a buffer of 6 bytes",
      function() cp.frombuffer("\1\0\2\0\3\0", { offset = 9 }) end)
  end)
end)
