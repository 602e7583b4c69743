-- cp.plot: plots with characters, scripts for gnuplot, and its images if it is installed.

local cp = require "cupola"
local core = require "cupola.core"
local check = require "spec.helper.check"
local files = require "spec.helper.files"

local plot = cp.plot

-- What is drawn into a text file.
local function drawn(kind, ...)
  local arguments, n, text = { ... }, select("#", ...), nil
  files.with(nil, function(path)
    local last = arguments[n]
    if type(last) == "table" and #last == 0 and next(last) ~= nil then
      last.file = path
    else
      n = n + 1
      arguments[n] = { file = path }
    end
    local returned = plot[kind]((table.unpack or unpack)(arguments, 1, n)) -- luacheck: ignore
    text = files.contents(path)
    assert.equal(text, returned)
  end, ".txt")
  return text
end

local function lines_of(text)
  local list = {}
  for line in text:gmatch "([^\n]*)\n" do list[#list + 1] = line end
  return list
end

local function braille(...)
  local bits = 0
  for _, b in ipairs { ... } do bits = bits + b end
  return "\226" .. string.char(160 + math.floor(bits / 64), 128 + bits % 64)
end

describe("plots with characters", function()
  it("show lines", function()
    local text = drawn("line", cp.array { 0, 7 }, cp.array { 0, 7 }, { size = { 15, 2 }, title = "up" })
    local lines = lines_of(text)
    local rise = braille(0x40, 0x20) .. braille(0x02, 0x08)
    assert.equal("      up", lines[1])
    assert.equal("        7 \226\148\130  " .. rise, lines[2])
    assert.equal("        0 \226\148\130" .. rise, lines[3])
    assert.equal("           0  7", lines[5])
  end)

  it("show points where they are", function()
    local text = drawn("scatter", { 0, 7, 0, 7 }, { 0, 0, 7, 7 }, { size = { 15, 2 } })
    local lines = lines_of(text)
    assert.equal("        7 \226\148\130" .. braille(0x01) .. "  " .. braille(0x08), lines[1])
    assert.equal("        0 \226\148\130" .. braille(0x40) .. "  " .. braille(0x80), lines[2])
  end)

  it("leave out what is not finite, and draw nothing of nothing", function()
    local text = drawn("line", { 1, cp.nan, 3, cp.inf }, { size = { 15, 2 } })
    assert.equal("        3", lines_of(text)[1]:sub(1, 9))
    assert.truthy(drawn("line", cp.zeros(0)):find "1")
    assert.truthy(drawn("scatter", { cp.nan }):find "1")
    assert.truthy(drawn("line", { 5, 5, 5 }):find "5.5")
  end)

  it("have logarithmic axes, limits, labels and several lines", function()
    local x = cp.arange(1, 101)
    local text = drawn("line", x, cp.stack({ x, x ^ 2 }, 2), { labels = { "one", "two" }, logx = true, logy = true,
      xlabel = "n" })
    local lines = lines_of(text)
    assert.equal("1e+04", lines[1]:match "%S+")
    assert.equal("one, two", lines[#lines]:match "^%s*(.*)$")
    assert.equal("n", lines[#lines - 1]:match "%S+")
    assert.equal("1", lines[#lines - 2]:match "%S+")
    assert.equal("-5", lines_of(drawn("line", x, { ylim = { -5, 200 } }))[18]:match "%S+")
    assert.equal(drawn("line", x, { x, x * 2 }), drawn("line", x, cp.stack({ x, x * 2 }, 2)))
  end)

  it("take tables of tables as vectors", function()
    local one, two = cp.array { 4, 2, 3 }, cp.array { 1, 0, 5 }
    for _, kind in ipairs { "line", "scatter", "bar" } do
      assert.equal(drawn(kind, { 1, 2, 3 }, { one, two }), drawn(kind, { 1, 2, 3 }, { { 4, 2, 3 }, { 1, 0, 5 } }))
    end
    assert.equal(drawn("hist", { one, two }, 4), drawn("hist", { { 4, 2, 3 }, { 1, 0, 5 } }, 4))
  end)

  it("thin long lines, and keep their peaks", function()
    local y = cp.zeros(300000)
    y[123457] = 8
    y[200001] = -3
    local lines = lines_of(drawn("line", y))
    assert.equal("8", lines[1]:match "%S+")
    assert.equal("-3", lines[18]:match "%S+")
  end)

  it("count values in bins as NumPy's histogram does", function()
    local x = cp.array { 0, 0.5, 1, 1, 2, 3.999, 4, cp.nan }
    local counts = {}
    for _, line in ipairs(lines_of(drawn("hist", x, 4))) do counts[#counts + 1] = tonumber(line:match "(%d+)$") end
    assert.same({ 2, 2, 1, 2 }, counts) -- np.histogram(x[:7], 4)
    counts = {}
    local two = drawn("hist", x, { 0, 1, 4 })
    for _, line in ipairs(lines_of(two)) do counts[#counts + 1] = tonumber(line:match "(%d+)$") end
    assert.same({ 2, 5 }, counts)
    local bars = lines_of(drawn("hist", cp.array({ 1, 1, 1, 1, 2, 2 }, "int8"), 2))
    assert.truthy(bars[1]:find(("\226\150\136"):rep(40) .. " 4", 1, true))
    assert.truthy(bars[2]:find("\226\148\130" .. ("\226\150\136"):rep(20) .. " 2", 1, true))
    assert.equal(20, #lines_of(drawn("hist", cp.zeros(0))))
    assert.equal(3, #lines_of(drawn("hist", { 7, 7 }, 3)))
  end)

  it("shade matrices", function()
    local lines = lines_of(drawn("heatmap", cp.array { { 0, 1 }, { 2, 4 } }))
    assert.equal("  \226\150\145\226\150\145", lines[1])
    assert.equal("\226\150\146\226\150\146\226\150\136\226\150\136", lines[2])
    assert.equal("blank 0 .. full 4", lines[3])
    assert.equal(37, #lines_of(drawn("heatmap", cp.zeros { 720, 3 })))
  end)

  it("show bars by their names or values", function()
    local lines = lines_of(drawn("bar", { "one", "two" }, { 2, -1 }))
    assert.equal("                    one \226\148\130" .. ("\226\150\136"):rep(40) .. " 2", lines[1])
    assert.equal("                    two \226\148\130" .. ("\226\150\136"):rep(20) .. " -1", lines[2])
    lines = lines_of(drawn("bar", { 10, 20 }, { cp.array { 4, 2 }, cp.array { 1, 0 } }, { labels = { "a", "b" } }))
    assert.equal("                     10 \226\148\130" .. ("\226\150\136"):rep(40) .. " 4  a", lines[1])
    assert.equal("                        \226\148\130" .. ("\226\150\136"):rep(10) .. " 1  b", lines[2])
    assert.equal("                        \226\148\130 0  b", lines[4])
  end)

  it("show bars among lines from 0 on", function()
    local lines = lines_of(drawn("line", { 0, 1, 2, 3 }, { cp.zeros(4), cp.array { 0, 7, 0, 0 } },
      { styles = { "line", "bars" }, size = { 15, 2 } }))
    local bottom = braille(0x40, 0x80)
    assert.equal("        7 \226\148\130 " .. braille(0x01, 0x02, 0x04, 0x40), lines[1])
    local bar = braille(0x01, 0x02, 0x04, 0x40, 0x80)
    assert.equal("        0 \226\148\130" .. bottom .. bar .. bottom .. bottom, lines[2])
  end)

  it("shade pictures by their luminance", function()
    local pixels = cp.zeros({ 1, 2, 3 }, "uint8")
    pixels[{ 1, 1 }] = 255
    assert.equal(("\226\150\136"):rep(2), lines_of(drawn("image", pixels))[1]:gsub(" ", ""))
    assert.equal("blank 0 .. full 255", lines_of(drawn("image", pixels))[2])
  end)

  it("are written to the standard output", function()
    local script = "local cp = require 'cupola'; cp.plot({1, 2, 3}); cp.plot.hist({1, 2}, 2)"
    local output = check.run(script, "DISPLAY= WAYLAND_DISPLAY=")
    assert.truthy(output:find("        3 \226\148\130", 1, true))
    assert.truthy(output:find(" 1\n", 1, true))
    output = check.run("local text = require 'cupola'.plot({1, 2, 3}, {term = 'text'}) print(#text > 100)", "DISPLAY=")
    assert.equal("true\n", output) -- with term = "text" nothing is printed
  end)
end)

describe("scripts for gnuplot", function()
  it("hold data, and quoted text", function()
    local figure = { kind = "series", title = "it's `a` \"test\"\nof_text", logx = true, xlim = { 1, 2 },
      series = { { style = "line", x = { 1, 2 }, y = { cp.nan, 0.1 }, label = "a'b" } } }
    local script = core.gnuplot_script(figure, "o'.png", "png")
    assert.truthy(script:find("set output 'o''.png'\n", 1, true))
    assert.truthy(script:find("set title 'it''s `a` \"test\" of_text'\n", 1, true))
    assert.truthy(script:find("$s1 << EOD\n1 NaN\n2 0.1\nEOD\n", 1, true))
    assert.truthy(script:find("title 'a''b'", 1, true))
    assert.truthy(script:find("set logscale x\nset xrange [1:2]\n", 1, true))
  end)
end)

describe("gnuplot", function()
  if not core.gnuplot "plot" then
    pending "draws: it is not installed"
    return
  end

  local x = cp.linspace(0, 6, 50)

  it("draws every kind as PNG where it is asked for", function()
    local calls = {
      function(o) plot.line(x, cp.stack({ cp.sin(x), cp.cos(x) }, 2), o) end,
      function(o)
        o.title, o.size = "it's \"so\"", { 300, 200 }
        plot(x, o)
      end,
      function(o) plot.bar({ "a", "b" }, { 1, -2 }, o) end,
      function(o) plot.hist(cp.sin(x), o) end,
      function(o) plot.heatmap(cp.sin(x):reshape(5, 10), o) end,
      function(o) plot.image(cp.zeros({ 20, 30, 3 }, "uint8"), o) end,
    }
    for k, call in ipairs(calls) do
      files.with(nil, function(path)
        call { file = path, term = "gnuplot" }
        local picture = cp.image.load(path, "rgb", { device = "cpu" })
        -- luacheck: ignore
        assert.is_true(picture:has_shape((table.unpack or unpack)(k == 2 and { 200, 300, 3 } or { 600, 800, 3 })))
        assert.is_true(picture:ne(255):count_nonzero():item() > 500)
      end, ".png")
    end
  end)

  it("draws a matrix with its first row at the top, in the map's colours", function()
    local z = cp.zeros { 2, 2 }
    z[{ 1, 1 }] = 1
    files.with(nil, function(path)
      plot.heatmap(z, { file = path, cmap = "gray", size = { 400, 300 }, term = "gnuplot" })
      local p = cp.image.load(path, "gray")
      assert.is_true(p[{ 100, 150 }] > 240 and p[{ 200, 150 }] < 15 and p[{ 100, 260 }] < 15)
    end, ".png")
  end)

  it("writes PDF", function()
    files.with(nil, function(path)
      plot.line(x, { file = path })
      assert.equal("%PDF", files.contents(path):sub(1, 4))
    end, ".pdf")
  end)

  it("names what it refuses", function()
    files.with(nil, function(path)
      check.failure("io", "plot.line: gnuplot failed: ",
        function() plot.line(x, { term = "nonsense", file = path }) end)
    end, ".png")
    check.failure("io", "plot.line: cannot write /no/such/x.pdf: No such file",
      function() plot.line(x, { file = "/no/such/x.pdf" }) end)
    check.failure("usage", "plot.line: there is no finite value to draw",
      function() plot.line({ cp.nan }, { file = "/tmp/x.pdf" }) end)
    check.failure("usage", "plot.line: term must be a gnuplot terminal, not x; !ls",
      function() plot.line(x, { term = "x; !ls" }) end)
  end)
end)

describe("bad input of plots", function()
  it("is named", function()
    check.failure("shape", "plot.line: x has 3 values, y has 2", function() plot.line({ 1, 2, 3 }, { 1, 2 }) end)
    check.failure("shape", "plot.line: x has 2 vectors, y has 3",
      function() plot.line(cp.ones { 4, 2 }, cp.ones { 4, 3 }) end)
    check.failure("usage", 'plot.line: a style must be "line", "points" or "bars", not "dots"',
      function() plot.line({ 1 }, { styles = "dots" }) end)
    check.failure("usage", "plot.bar: names of bars need y", function() plot.bar { "a", "b" } end)
    check.failure("usage", "plot.bar: a name must be a string, not number",
      function() plot.bar({ "a", 2 }, { 1, 2 }) end)
    check.failure("shape", "plot.image: pixels must be (height, width) or (height, width, 1 to 4), not (2, 2, 5)",
      function() plot.image(cp.zeros { 2, 2, 5 }) end)
    check.failure("usage", "plot.image: floats are 0..1", function() plot.image { { 0, 2 } } end)
    check.failure("usage", "plot.line: a side of size must be at most 8192",
      function() plot.line({ 1 }, { size = { 10, 1e9 } }) end)
    check.failure("shape", "plot.scatter: y must have one or two axes",
      function() plot.scatter(cp.zeros { 1, 1, 1 }) end)
    check.failure("dtype", "plot.line: y must be real, not complex128", function() plot.line(cp.array { cp.j }) end)
    check.failure("usage", "plot.line: the file's name must end in .png, .svg, .pdf or .txt: x.gif",
      function() plot.line({ 1 }, { file = "x.gif" }) end)
    check.failure("usage", "plot.line: no option 'colour'", function() plot.line({ 1 }, { colour = 1 }) end)
    check.failure("usage", "plot.line: xlim must be a table of two numbers",
      function() plot.line({ 1 }, { xlim = 5 }) end)
    check.failure("usage", "plot.line: title must be a string, not number",
      function() plot.line({ 1 }, { title = 5 }) end)
    check.failure("usage", "plot.hist: the edges of bins must ascend", function() plot.hist({ 1 }, { 1, 1 }) end)
    check.failure("usage", "plot.hist: bins must be 1 or more, not 0", function() plot.hist({ 1 }, 0) end)
    check.failure("shape", "plot.heatmap: z must be (rows, columns), not (3)", function() plot.heatmap { 1, 2, 3 } end)
    check.failure("usage", "plot.heatmap: no colour map 'gry'", function() plot.heatmap({ { 1 } }, "gry") end)
  end)

  it("a PDF without gnuplot says what to do", function()
    local output = check.run("print(pcall(require 'cupola'.plot.line, {1}, {file = '/tmp/x.pdf'}))", "CUPOLA_GNUPLOT=")
    assert.truthy(output:find("gnuplot is not installed (Debian, Ubuntu: gnuplot-nox)", 1, true), output)
  end)
end)
