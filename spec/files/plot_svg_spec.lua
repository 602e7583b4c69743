-- Plots as SVG, which cupola draws itself: where things are follows from the limits and the size.

local cp = require "cupola"
local check = require "spec.helper.check"
local files = require "spec.helper.files"

local plot = cp.plot

-- The document that plot.KIND draws.
local function svg(kind, ...)
  local arguments, text = { ... }, nil
  arguments[#arguments] = arguments[#arguments] or {}
  files.with(nil, function(path)
    local options = table.remove(arguments)
    options.file = path
    arguments[#arguments + 1] = options
    assert.is_nil(plot[kind]((table.unpack or unpack)(arguments))) -- luacheck: ignore
    text = files.contents(path)
  end, ".svg")
  return text
end

local function count(text, pattern) return select(2, text:gsub(pattern, "")) end

-- A frame of 66..278 by 18..266 pixels.
local SIZE = { 300, 300 }

-- The first picture in a figure, decoded from base64 bit by bit.
local function picture_in(text)
  local digits, bytes, value, bits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", {}, 0, 0
  for c in text:match "base64,([%w+/]+)":gmatch "." do
    value, bits = value * 64 + digits:find(c, 1, true) - 1, bits + 6
    if bits >= 8 then
      local unit = 2 ^ (bits - 8)
      bytes[#bytes + 1] = string.char(math.floor(value / unit))
      value, bits = value % unit, bits - 8
    end
  end
  return cp.image.decode(table.concat(bytes))
end

describe("an SVG plot", function()
  it("of lines has their points, and breaks at nan", function()
    local text = svg("line", { 0, 10, 20, 30, 40 }, { 0, 1, cp.nan, 1, 0 },
      { size = SIZE, xlim = { 0, 40 }, ylim = { 0, 1 } })
    assert.truthy(text:find('points="66.00,266.00 119.00,18.00"', 1, true), text)
    assert.truthy(text:find('points="225.00,18.00 278.00,266.00"', 1, true), text)
    assert.equal(2, count(text, "<polyline"))
    assert.truthy(text:find(">40</text>", 1, true) and text:find(">0.4</text>", 1, true), text)
  end)

  it("of one point between gaps is a dot", function()
    local text = svg("line", { 1, 2, 3 }, { cp.nan, 2, cp.inf }, {})
    assert.equal(1, count(text, "<circle"))
    assert.equal(0, count(text, "<polyline"))
  end)

  it("of several series has colours and a legend, and escapes text", function()
    local x = cp.arange(3)
    local text = svg("line", x, { x, x * 2 }, { labels = { "a < b", "c & d" }, title = 'the "title"',
      xlabel = "x\nx", ylabel = "y>" })
    assert.equal(4, count(text, "<polyline")) -- two in the legend
    for _, part in ipairs { ">a &lt; b<", ">c &amp; d<", ">the &quot;title&quot;<", ">x x<", ">y&gt;<", "#1f77b4",
      "#d62728" } do
      assert.truthy(text:find(part, 1, true), part)
    end
  end)

  it("of points has logarithmic axes", function()
    local text = svg("scatter", { 1, 10, 100, -1 }, { 1, 10, 100, 5 },
      { size = SIZE, logx = true, logy = true, xlim = { 1, 100 }, ylim = { 1, 100 } })
    assert.truthy(text:find('cx="66.00" cy="266.00"', 1, true) and text:find('cx="172.00" cy="142.00"', 1, true)
      and text:find('cx="278.00" cy="18.00"', 1, true), text)
    assert.equal(3, count(text, "<circle")) -- -1 has no logarithm
    assert.equal(2, count(text, ">10</text>"))
  end)

  it("of a histogram has bars from 0", function()
    local text = svg("hist", { 0.5, 1.5, 1.5, 3.5 }, { 0, 1, 2, 3, 4 }, { size = SIZE, ylim = { 0, 4 } })
    assert.truthy(text:find('<rect x="66.00" y="204.00" width="53.00" height="62.00"', 1, true), text)
    assert.truthy(text:find('<rect x="119.00" y="142.00" width="53.00" height="124.00"', 1, true), text)
    assert.equal(3, count(text, 'stroke="white"')) -- the empty bin has none
    assert.truthy(svg("hist", { 1, 2, 2 }, 3, { logy = true }):find("<rect", 1, true))
  end)

  it("of bars has them beside each other, from 0, under their names", function()
    local text = svg("bar", { "a", "b" }, { cp.array { 1, 2 }, cp.array { -1, 0 } },
      { size = SIZE, xlim = { 0, 2.65 }, ylim = { -2, 2 }, labels = { "up", "down" } })
    -- 80 pixels for each of x, so bars are 32 wide; 62 for each of y
    for _, bar in ipairs { 'x="114.00" y="80.00" width="32.00" height="62.00"',
      'x="194.00" y="18.00" width="32.00" height="124.00"', 'x="146.00" y="142.00" width="32.00" height="62.00"' } do
      assert.truthy(text:find("<rect " .. bar, 1, true), text)
    end
    assert.equal(5, count(text, 'stroke="white"')) -- with two in the legend; the bar of 0 is none
    assert.truthy(text:find('x="146.0" y="284.0" text-anchor="middle">a<', 1, true), text)
  end)

  it("has series of several styles and x", function()
    local text = svg("line", { cp.array { 1, 2 }, cp.array { 1, 2, 3 } }, { cp.array { 1, 2 }, cp.array { 3, 4, 5 } },
      { styles = { "line", "points" }, size = SIZE, xlim = { 1, 3 }, ylim = { 1, 5 } })
    assert.truthy(text:find('points="66.00,266.00 172.00,204.00"', 1, true), text)
    assert.equal(3, count(text, "<circle"))
    assert.truthy(text:find('cx="278.00" cy="18.00"', 1, true), text)
  end)

  it("of a picture keeps it square, and turns it where its axis is turned", function()
    local pixels = cp.array({ { 0, 255 } }, "uint8")
    local text = svg("image", pixels, { size = SIZE })
    assert.truthy(text:find('<image x="66.00" y="89.00" width="212.00" height="106.00"', 1, true), text)
    local function encoded(drawn) return drawn:match "base64,([%w+/]+)" end
    assert.equal(encoded(svg("image", pixels[{ {}, { -1, 1, -1 } }], {})),
      encoded(svg("image", pixels, { xlim = { 2.5, 0.5 } })))
    local colours = cp.arange(12, "uint8"):reshape(2, 2, 3)
    assert.same(colours:totable(), picture_in(svg("image", colours, {})):totable())
  end)

  it("of a matrix holds a picture of it, and one of the colours", function()
    local z = cp.array { { 0, 1 }, { 2, 3 } }
    local text = svg("heatmap", z, { cmap = "gray", size = SIZE })
    assert.truthy(text:find('<image x="66.00" y="18.00" width="134.00" height="248.00"', 1, true), text)
    assert.equal(2, count(text, "<image"))
    assert.same({ { 0, 85 }, { 170, 255 } }, picture_in(text):totable())
  end)

  it("of nothing is an empty frame", function()
    for _, y in ipairs { {}, { cp.nan } } do
      local text = svg("line", cp.array(y), {})
      assert.equal(0, count(text, "<polyline") + count(text, "<circle"))
      assert.equal(1, count(text, 'class="border"'))
    end
    assert.truthy(svg("heatmap", cp.full({ 2, 2 }, 7), {}):find("<image", 1, true))
  end)

  it("is refused where the file cannot be written", function()
    check.failure("io", "plot.line: cannot", function() plot.line({ 1, 2 }, { file = "/no/such/x.svg" }) end)
  end)
end)
