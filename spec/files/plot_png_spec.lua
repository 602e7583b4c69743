-- Plots as PNG, which cupola draws itself: strokes cover pixels as their distance says, and what is drawn
-- lies where the limits and the size say.

local cp = require "cupola"
local core = require "cupola.core"
local check = require "spec.helper.check"
local files = require "spec.helper.files"

local plot = cp.plot

-- The pixels that plot.KIND draws, (height, width, 3).
local function png(kind, ...)
  local arguments, pixels = { ... }, nil
  files.with(nil, function(path)
    arguments[#arguments].file = path
    assert.is_nil(plot[kind]((table.unpack or unpack)(arguments))) -- luacheck: ignore
    pixels = cp.image.load(path, "rgb", { device = "cpu" })
  end, ".png")
  return pixels
end

-- A frame of 66..278 by 18..266 pixels.
local function options(more)
  local o = { size = { 300, 300 }, xlim = { 0, 4 }, ylim = { 0, 4 } }
  for name, v in pairs(more or {}) do o[name] = v end
  return o
end

-- The colour of the pixel in which a value lies.
local function at(pixels, x, y)
  return pixels[{ math.floor(266 - 62 * y) + 1, math.floor(66 + 53 * x) + 1 }]:totable()
end

local BLUE, RED, WHITE = { 31, 119, 180 }, { 214, 39, 40 }, { 255, 255, 255 }

-- How many pixels of a part are darker than grey.
local function dark(pixels, top, bottom, left, right)
  return pixels[{ { top, bottom }, { left, right }, 1 }]:lt(128):count_nonzero():item()
end

describe("strokes", function()
  local function coverage(points, joined, radius, width, height)
    local x = cp.array(points, "float64", { device = "cpu" }):reshape(-1, 2)
    return core.stroke_coverage(x, joined, radius, width, height):totable()
  end

  it("cover pixels by their distance", function()
    assert.same({ { 0, 0, 0, 0 }, { 1, 1, 1, 0 }, { 0, 0, 0, 0 } }, coverage({ 0.5, 1.5, 2.5, 1.5 }, true, 0.5, 4, 3))
    assert.same({ { 0.5, 0.5 }, { 0.5, 0.5 }, { 0, 0 } }, coverage({ -9, 1, 9, 1 }, true, 0.5, 2, 3))
    assert.same({ { 0.5, 1, 0.5 }, { 0.5, 1, 0.5 } }, coverage({ 1.5, 2, 1.5, -1e300 }, true, 1, 3, 2))
    local r = 1.5 - math.sqrt(0.5)
    local rounded = coverage({ 1, 1, 1e9, cp.nan }, false, 1, 2, 2)
    for _, row in ipairs(rounded) do
      for _, v in ipairs(row) do assert.is_true(math.abs(v - math.min(1, r)) < 1e-6) end
    end
  end)

  it("end at points that are not finite, and are dots where none is beside them", function()
    local line = coverage({ 0.5, 0.5, cp.nan, 0, 2.5, 0.5, 3.5, 0.5, cp.inf, 0, 5.5, 0.5 }, true, 0.5, 6, 1)
    assert.same({ { 1, 0, 1, 1, 0, 1 } }, line)
    assert.same({ { 1, 0, 1 } }, coverage({ 0.5, 0.5, 2.5, 0.5 }, false, 0.5, 3, 1))
    assert.same({ { 0, 0 } }, coverage({ -1e308, 0.5, 1e308, -1e308 }, true, 0.5, 2, 1))
    assert.same({ { 0, 0 } }, coverage({}, true, 0.5, 2, 1))
  end)
end)

describe("a PNG plot", function()
  it("of lines and points has their colours where they are", function()
    local ys = { cp.array { 1, 3 }, cp.array { 3, 1 } }
    local pixels = png("line", { 1, 3 }, ys, options { styles = { "line", "points" } })
    assert.is_true(pixels:has_shape(300, 300, 3))
    for _, v in ipairs { 1.2, 2.8 } do -- a line of 1.8 pixels covers most of a pixel
      for k, c in ipairs(at(pixels, v, v)) do assert.is_true(c >= BLUE[k] and c < (BLUE[k] + 255) / 2) end
    end
    assert.same(RED, at(pixels, 1, 3))
    assert.same(RED, at(pixels, 3, 1))
    assert.same(WHITE, at(pixels, 1.4, 3.3))
    assert.same({ 221, 221, 221 }, at(pixels, 2, 1.3)) -- the grid
  end)

  it("of bars and histograms has them from 0", function()
    local pixels = png("bar", { 1, 2, 3 }, { 3, -1, 2 }, options { ylim = { -2, 2 } })
    local function y(v) return v + 2 end
    assert.same(BLUE, at(pixels, 1, y(1.9)))
    assert.same(BLUE, at(pixels, 1.3, y(0.1)))
    assert.same(WHITE, at(pixels, 1.25, y(-0.2)))
    assert.same(BLUE, at(pixels, 2.2, y(-0.9)))
    assert.same(WHITE, at(pixels, 2.2, y(-1.2)))
    pixels = png("hist", { 0.5, 1.5, 1.5, 3.5 }, { 0, 1, 2, 3, 4 }, options())
    assert.same(BLUE, at(pixels, 1.1, 1.9))
    assert.same(WHITE, at(pixels, 2.6, 0.3))
    pixels = png("hist", { cp.array { 0.5 }, cp.array { 1.5 } }, { 0, 1, 2 }, { size = { 300, 300 }, xlim = { 0, 4 },
      ylim = { 0, 4 }, labels = { "a", "b" } })
    assert.same(BLUE, at(pixels, 0.25, 0.9))
    assert.same(WHITE, at(pixels, 0.7, 0.9))
    assert.same(RED, at(pixels, 1.75, 0.9))
  end)

  it("of matrices and pictures has their pixels, the first row at the top", function()
    local z = cp.array { { 0, 1 }, { 2, 3 } }
    local pixels = png("heatmap", z, { cmap = "gray", size = { 300, 300 } }) -- inside 66..200 by 18..266
    assert.same({ 0, 85, 170, 255 }, { pixels[{ 60, 80, 1 }], pixels[{ 60, 180, 1 }], pixels[{ 200, 80, 1 }],
      pixels[{ 200, 180, 1 }] })
    assert.is_true(pixels[{ 20, 220, 1 }] > 250 and pixels[{ 265, 220, 1 }] < 5) -- the bar of colours
    pixels = png("heatmap", z, { cmap = "gray", size = { 300, 300 }, ylim = { 0.5, 2.5 } })
    assert.equal(170, pixels[{ 60, 80, 1 }])
    local colours = cp.array({ { { 255, 0, 0 }, { 0, 255, 0 } } }, "uint8")
    pixels = png("image", colours, { size = { 300, 300 } }) -- inside 66..278 by 89..195
    assert.same({ 255, 0, 0 }, pixels[{ 150, 100 }]:totable())
    assert.same({ 0, 255, 0 }, pixels[{ 150, 250 }]:totable())
    assert.same(WHITE, pixels[{ 80, 100 }]:totable())
    assert.same({ 128, 128, 128 }, png("image", { { 0.5 } }, { size = { 200, 200 } })[{ 100, 120 }]:totable())
  end)

  it("has text", function()
    local plain = png("line", { 1, 1 }, options())
    local odd = "\240\159\152\128\n~\255" -- no glyph, a control character, no UTF-8
    local text = png("line", { 1, 1 }, options { title = "Größe in µm²", xlabel = "x", ylabel = odd })
    assert.equal(0, dark(plain, 1, 17, 66, 278))
    assert.is_true(dark(text, 5, 34, 90, 260) > 100)
    assert.is_true(dark(plain, 270, 290, 60, 290) > 20) -- the marks' numbers
    assert.is_true(dark(text, 280, 300, 140, 200) > 3)
    assert.is_true(dark(text, 100, 180, 2, 22) > 10) -- of the rotated label
    assert.is_true(dark(png("line", { 1, 1 }, options { labels = "name" }), 20, 40, 180, 240) > 20)
  end)

  it("of nothing is an empty frame, and logarithmic axes leave out what has no logarithm", function()
    assert.is_true(png("line", cp.zeros(0), { size = { 200, 150 } }):has_shape(150, 200, 3))
    assert.is_true(png("scatter", { cp.nan }, { size = { 200, 1 } }):has_shape(150, 200, 3))
    local pixels = png("scatter", { 1, 100, -1 }, { 1, 100, 5 },
      options { logx = true, logy = true, xlim = { 1, 1e4 }, ylim = { 1, 1e4 } })
    assert.same(BLUE, at(pixels, 2, 2))
    assert.same(WHITE, at(pixels, 1.5, 0.7))
  end)

  it("is refused where the file cannot be written", function()
    check.failure("io", "plot.line: cannot write /no/such/x.png",
      function() plot.line({ 1 }, { file = "/no/such/x.png" }) end)
  end)
end)
