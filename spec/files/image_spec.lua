-- cp.image: images by Pillow are read, written images are read back, colour maps are those of matplotlib.

local cp = require "cupola"
local check = require "spec.helper.check"
local expect = require "spec.helper.expect"
local files = require "spec.helper.files"

local image = cp.image

-- What spec/golden/files/files.py drew: (5, 7, channels).
local function drawn(channels)
  local x, y = cp.arange(7):reshape(1, 7, 1), cp.arange(5):reshape(5, 1, 1)
  local p = cp.mod(x * 31 + y * 17 + cp.arange(channels) * 71, 256):astype "uint8"
  return channels == 1 and p:reshape(5, 7) or p
end

local function loaded(name, ...)
  local arguments, x = { ... }, nil
  files.with(files.bytes(name), function(path)
    x = image.load(path, (table.unpack or unpack)(arguments)) -- luacheck: ignore
  end)
  return x
end

local function same(a, b) assert.is_true(cp.array_equal(a, b), tostring(a) .. tostring(b)) end

-- Writes a picture and reads it again.
local function through(ending, ...)
  local arguments, n, x = { ... }, select("#", ...), nil
  files.with(nil, function(path)
    image.save(path, (table.unpack or unpack)(arguments, 1, n)) -- luacheck: ignore
    x = image.load(path)
  end, ending)
  return x
end

local function off(a, b) return cp.abs(a:astype "int32" - b:astype "int32"):max():item() end

describe("image.load", function()
  it("reads PNG of every kind", function()
    for channels, name in ipairs { "grey", "la", "rgb", "rgba" } do
      local x = loaded("png_" .. name)
      assert.equal("uint8", x.dtype)
      assert.equal(cp.device().name, x.device)
      same(x, drawn(channels))
    end
    same(loaded "png_palette", cp.repeats(cp.expand_dims(cp.floor_divide(drawn(1), 64) * 64, 3), 3, 3))
  end)

  it("gives the channels and dtypes that are asked for", function()
    local rgb = loaded "png_rgb"
    same(loaded("png_grey", "rgb"), cp.repeats(drawn(1):reshape(5, 7, 1), 3, 3))
    same(loaded("png_rgb", "rgba")[{ {}, {}, 4 }], cp.full({ 5, 7 }, 255, "uint8"))
    same(loaded("png_rgba", "rgb"), drawn(4)[{ {}, {}, { 1, 3 } }])
    expect.shape(loaded("png_rgb", "gray"), 5, 7)
    expect.shape(loaded("png_rgb", "la"), 5, 7, 2)
    local f = loaded("png_rgb", nil, "float32")
    assert.equal("float32", f.dtype)
    assert.is_true(cp.allclose(f * 255, rgb))
    assert.equal("float16", loaded("png_rgb", { dtype = "float16" }).dtype)
    assert.equal("cpu", loaded("png_rgb", { device = "cpu" }).device)
  end)

  it("keeps 16 bits where they are asked for", function()
    local want = drawn(1):astype "uint16" * 257 + 1
    same(loaded("png_16", nil, "uint16"), want)
    same(loaded "png_16", cp.right_shift(want, 8):astype "uint8")
    assert.is_true(cp.allclose(loaded("png_16", nil, "float64") * 65535, want))
    same(loaded("png_grey", nil, "uint16"), drawn(1):astype "uint16" * 257)
  end)

  it("reads JPEG", function()
    local x, y = cp.arange(32):reshape(1, 32), cp.arange(24):reshape(24, 1)
    local want = cp.stack({ x * 8 + 0 * y, y * 10 + 0 * x, 255 - x * 4 - y * 4 }, 3)
    assert.is_true(off(loaded "jpg_rgb", want) <= 6)
    assert.is_true(off(loaded "jpg_grey", want[{ {}, {}, 1 }]) <= 4)
  end)

  it("refuses what is no picture, or not whole", function()
    local function refuses(bytes, fact)
      files.with(bytes, function(path)
        check.failure("io", "image.load: " .. path .. fact, function() image.load(path) end)
      end)
    end
    refuses("", " is not an image of a known format")
    refuses("hello, world, this is text\n", " is not an image of a known format")
    refuses(files.bytes "float64", " is not an image of a known format")
    for _, name in ipairs { "png_rgb", "png_grey" } do
      local bytes = files.bytes(name)
      refuses(bytes:sub(1, 20), " is damaged: ")
      refuses(bytes:sub(1, 50), " is damaged: ")
      refuses(bytes:sub(1, -30), " is damaged: ")
    end
    local jpg = files.bytes "jpg_rgb"
    refuses(jpg:sub(1, math.floor(#jpg / 2)), " is truncated: a JPEG file without its end")
    check.failure("io", "image.load: cannot read /no/such.png: No such file", function() image.load "/no/such.png" end)
    check.failure("io", "image.load: cannot read /: it is a folder", function() image.load "/" end)
    check.failure("usage", "image.load: file must be a file name, not table", function() image.load({ 1 }) end)
    check.failure("dtype", "image.load: dtype must be uint8, uint16 or a floating one, not int32",
      function() image.load("x.png", nil, "int32") end)
    check.failure("usage", "image.load: mode must be", function() image.load("x.png", "cmyk") end)
  end)

  it("survives a change of any single byte", function()
    for _, name in ipairs { "png_rgb", "png_palette", "jpg_grey" } do
      local bytes = files.bytes(name)
      for at = 1, #bytes, check.mode == "gc" and 41 or 5 do
        files.with(bytes:sub(1, at - 1) .. string.char((bytes:byte(at) + 85) % 256) .. bytes:sub(at + 1), function(path)
          local ok, message = pcall(image.load, path)
          assert.is_true(ok or message:find "cupola%.[%w.]+: " ~= nil, message)
        end)
      end
    end
  end)
end)

describe("image.encode and decode", function()
  it("work on strings as save and load do on files", function()
    local x = cp.arange(30):reshape(5, 6):astype "uint8" * 8
    for ending, limit in pairs { png = 0, bmp = 0, tga = 0, jpg = 12 } do
      local bytes = image.encode(x, ending)
      files.with(nil, function(path)
        image.save(path, x)
        local f = assert(io.open(path, "rb"))
        assert.is_true(f:read "*a" == bytes)
        f:close()
        same(image.load(path), image.decode(bytes))
      end, "." .. ending)
      assert.is_true(off(image.decode(bytes, "gray"), x) <= limit)
    end
    assert.equal("\137PNG", image.encode(x):sub(1, 4))
    same(image.decode(image.encode(x:astype "float32", { cmap = "viridis" })), image.colormap(x, "viridis"))
    assert.is_true(cp.allclose(image.decode(image.encode(x), { dtype = "float32" }) * 255, x))
    assert.is_true(#image.encode(x, "jpg", { quality = 5 }) < #image.encode(x, "jpg", { quality = 100 }))
  end)

  it("refuse other formats and bytes", function()
    check.failure("usage", 'image.encode: format must be "png", "jpg", "bmp" or "tga", not "webp"',
      function() image.encode(cp.zeros { 2, 2 }, "webp") end)
    check.failure("shape", "image.encode: pixels must be (height, width)", function() image.encode(cp.zeros(3)) end)
    check.failure("usage", "image.decode: bytes must be a string, not array", function() image.decode(cp.zeros(3)) end)
    assert.is_false((pcall(image.decode, "")))
    assert.is_false((pcall(image.decode, image.encode(cp.zeros { 20, 20 }):sub(1, -20))))
    local _, message = pcall(image.decode, "no picture")
    assert.truthy(message:find("cupola.image.decode: ", 1, true), message)
  end)
end)

describe("image.save", function()
  it("keeps every byte in PNG, BMP and TGA, whatever the layout", function()
    for channels = 1, 4 do
      local x = drawn(channels)
      same(through(".png", x), x)
      same(through(".png", x[{ { -1, 1, -1 }, { 1, 7, 2 } }]), x[{ { -1, 1, -1 }, { 1, 7, 2 } }])
      if channels ~= 2 then same(through(".tga", x), x) end
      if channels == 3 then same(through(".bmp", x), x) end
    end
  end)

  it("comes close in JPEG, and closer with higher quality", function()
    local x = cp.round(cp.arange(40 * 30):reshape(40, 30) / 5):astype "uint8"
    for _, ending in ipairs { ".jpg", ".jpeg" } do
      assert.is_true(off(through(ending, x):reshape(40, 30, -1)[{ {}, {}, 1 }], x) < 6)
    end
    local sizes = {}
    for k, quality in ipairs { 20, 100 } do
      files.with(nil, function(path)
        image.save(path, x, { quality = quality })
        sizes[k] = #files.contents(path)
      end, ".jpg")
    end
    assert.is_true(sizes[1] < sizes[2])
  end)

  it("takes floats in 0..1 and bool", function()
    local x = cp.array { { 0, 0.5, 1 }, { -3, 7, cp.nan }, { 0.2, cp.inf, -cp.inf } }
    for _, dtype in ipairs { "float16", "bfloat16", "float32", "float64" } do
      expect.values(through(".png", x:astype(dtype), { clip = true }),
        { { 0, 128, 255 }, { 0, 255, 0 }, { 51, 255, 0 } }, "uint8")
    end
    expect.values(through(".png", cp.array { { true, false } }), { { 255, 0 } })
    expect.values(through(".png", { { 0, 0.5, 1 } }), { { 0, 128, 255 } })
    expect.values(through(".png", { { -0.001, 0.5, 1.001, cp.nan } }), { { 0, 128, 255, 0 } })
  end)

  it("scales or clips floats outside 0..1 if told to, and else refuses them", function()
    local x = cp.array { { 0, 51, 255 } }
    expect.values(through(".png", x, { scale = true }), { { 0, 51, 255 } })
    expect.values(through(".png", x - 100, { scale = true }), { { 0, 51, 255 } })
    expect.values(through(".png", x:astype "int32", { scale = true, vmin = 0, vmax = 510 }), { { 0, 26, 128 } })
    expect.values(through(".png", cp.stack({ x, x * 2, x * 0 }, -1), { scale = true }),
      { { { 0, 0, 0 }, { 26, 51, 0 }, { 128, 255, 0 } } })
    expect.values(through(".png", x / 100, { clip = true }), { { 0, 130, 255 } })
    check.failure("usage", "image.save: floats are 0..1, but pixels reach from 0 to 255; pass scale = true",
      function() image.save("/tmp/x.png", x) end)
    check.failure("usage", "image.encode: floats are 0..1, but pixels reach from -1 to 0",
      function() image.encode(cp.array { { -1, 0 } }) end)
  end)

  it("draws values through a colour map", function()
    local x = cp.array { { 0, 51, 255 } }
    expect.values(through(".png", x, { cmap = "gray" }), { { 0, 51, 255 } })
    expect.values(through(".png", x, { cmap = "gray", vmin = 0, vmax = 510 }), { { 0, 26, 128 } })
    expect.values(through(".png", x / 255, { vmin = 0.2, vmax = 1 }), { { 0, 0, 255 } })
    same(through(".png", x:astype "int32", "viridis"), image.colormap(x, "viridis"))
  end)

  it("refuses what it cannot write", function()
    check.failure("dtype", "image.save: pixels must be uint8 (0..255), floats (0..1) or bool, not int64",
      function() image.save("/tmp/x.png", cp.zeros({ 2, 2 }, "int64")) end)
    check.failure("dtype", "image.save: pixels must be real",
      function() image.save("/tmp/x.png", cp.zeros({ 2, 2 }, "complex64"), "gray") end)
    check.failure("shape", "image.save: pixels must be (height, width)",
      function() image.save("/tmp/x.png", cp.zeros(3)) end)
    check.failure("shape", "image.save: pixels must be (height, width)",
      function() image.save("/tmp/x.png", cp.zeros { 2, 2, 5 }) end)
    check.failure("shape", "image.save: pixels must be (height, width)",
      function() image.save("/tmp/x.png", cp.zeros { 0, 3 }) end)
    check.failure("shape", "image.save: a colour map takes pixels of shape (height, width), not (2, 2, 3)",
      function() image.save("/tmp/x.png", cp.zeros { 2, 2, 3 }, "magma") end)
    check.failure("usage", "image.save: no colour map 'virdis' (did you mean 'viridis'?)",
      function() image.save("/tmp/x.png", cp.zeros { 2, 2 }, "virdis") end)
    check.failure("usage", "image.save: quality must be 1 to 100, not 101",
      function() image.save("/tmp/x.jpg", cp.zeros { 2, 2 }, { quality = 101 }) end)
    check.failure("usage", "image.save: the file's name must end in .png",
      function() image.save("/tmp/x.webp", cp.zeros { 2, 2 }) end)
    check.failure("io", "image.save: cannot write /no/such/x.png: No such file",
      function() image.save("/no/such/x.png", cp.zeros { 2, 2 }) end)
  end)
end)

describe("image.colormap", function()
  it("has matplotlib's colours", function()
    local count = 0
    for name, colours in pairs(files.maps) do
      local positions = { 0, 1, 64, 127, 128, 201, 255 }
      local got = image.colormap(positions, name, 0, 255)
      expect.shape(got, 7, 3)
      assert.is_true(off(got, cp.array(colours)) <= 3, name .. tostring(got) .. tostring(cp.array(colours)))
      count = count + 1
    end
    assert.equal(#image.colormaps() + 1, count)
  end)

  it("takes any shape, limits from finite values, and constant or empty arrays", function()
    local x = cp.array { { cp.nan, 2, 4 }, { cp.inf, -cp.inf, 3 } }
    expect.values(image.colormap(x, "gray")[{ {}, {}, 1 }], { { 0, 0, 255 }, { 255, 0, 128 } })
    expect.values(image.colormap(cp.full({ 2 }, 7), "gray"), { { 0, 0, 0 }, { 0, 0, 0 } })
    expect.shape(image.colormap(cp.zeros { 0, 4 }), 0, 4, 3)
    expect.shape(image.colormap(cp.array(0.5)), 3)
    expect.values(image.colormap(cp.full({ 1 }, cp.nan), "gray"), { { 0, 0, 0 } })
    same(image.colormap({ 1, 3 }, "hot_r"), image.colormap({ 3, 1 }, "hot"))
    expect.values(image.colormap(cp.array({ 2 ^ 62, -2 ^ 62 }, "int64"), "gray"), { { 255, 255, 255 }, { 0, 0, 0 } })
  end)

  it("refuses other values and names", function()
    check.failure("usage", "image.colormap: a colour map is named by a string, not number",
      function() image.colormap({ 1 }, 5) end)
    check.failure("usage", "image.colormap: no colour map 'nothing'; the colour maps are cividis,",
      function() image.colormap({ 1 }, "nothing") end)
    check.failure("dtype", "image.colormap: pixels must be real", function() image.colormap(cp.array { cp.j }) end)
    check.failure("usage", "image.colormap: vmin must be a number, not string",
      function() image.colormap({ 1 }, "jet", "a") end)
  end)
end)
