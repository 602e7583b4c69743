-- cp.image.load for every format and sample type, against files of other programs
-- (spec/golden/files/images.py), and for files with false sizes.

local cp = require "cupola"
local check = require "spec.helper.check"
local files = require "spec.helper.files"
local images = require "spec.helper.images"

local function load(bytes, ...)
  local x
  local mode, dtype = ...
  files.with(bytes, function(path) x = cp.image.load(path, mode, dtype) end)
  return x
end

local function within(got, want, off, what)
  assert.equal(tostring(want.shape), tostring(got.shape), what)
  local most = cp.abs(got:astype "int64" - want:astype "int64"):max():item()
  assert.is_true(most <= off, ("%s: off by %s"):format(what, tostring(most)))
end

local function pixels_of(image)
  local x = cp.frombytes(image.pixels, image.dtype)
  return x:reshape(image.height, image.width, image.channels):astype "int64"
end

-- int64 samples converted to other channels, as docs/files.md describes it.
local function in_channels(x, most, channels)
  local from = x.shape[3]
  local alpha = from % 2 == 0 and x[{ {}, {}, { from, from } }] or cp.full({ x.shape[1], x.shape[2], 1 }, most, "int64")
  local colour = x[{ {}, {}, { 1, from < 3 and 1 or 3 } }]
  if channels < 3 and from >= 3 then
    local r, g, b = colour[{ {}, {}, { 1, 1 } }], colour[{ {}, {}, { 2, 2 } }], colour[{ {}, {}, { 3, 3 } }]
    colour = cp.right_shift(r * 77 + g * 150 + b * 29, 8)
  elseif channels >= 3 and from < 3 then
    colour = cp.repeats(colour, 3, 3)
  end
  return channels % 2 == 0 and cp.concatenate({ colour, alpha }, 3) or colour
end

local function squeezed(x) return x.shape[3] == 1 and x:reshape(x.shape[1], x.shape[2]) or x end

describe("image.load", function()
  it("reads every kind of file as other programs wrote it", function()
    for _, image in ipairs(images) do
      local want, wide = pixels_of(image), image.dtype == "uint16"
      within(load(image.bytes, nil, image.dtype), squeezed(want), image.off, image.name)
      local other = wide and cp.right_shift(want, 8) or want * 257
      within(load(image.bytes, nil, wide and "uint8" or "uint16"), squeezed(other), image.off * 257, image.name)
      local float = load(image.bytes, nil, "float64")
      assert.equal("float64", float.dtype)
      within(cp.rint(float * (wide and 65535 or 255)), squeezed(want), image.off, image.name .. " float64")
    end
  end)

  it("reads each as grey, grey with alpha, RGB and RGBA, in 8 and 16 bits", function()
    for _, image in ipairs(images) do
      local wide = image.dtype == "uint16"
      for channels, mode in ipairs { "gray", "la", "rgb", "rgba" } do
        local want = squeezed(in_channels(pixels_of(image), wide and 65535 or 255, channels))
        -- a JPEG's grey is the luminance that the file holds
        local off = image.off == 0 and 0 or 4
        for _, dtype in ipairs { "uint8", "uint16" } do
          local scaled = want
          if wide and dtype == "uint8" then scaled = cp.right_shift(want, 8) end
          if not wide and dtype == "uint16" then scaled = want * 257 end
          local got = load(image.bytes, mode, dtype)
          assert.equal(dtype, got.dtype)
          within(got, scaled, dtype == "uint16" and off * 257 or off, image.name .. " " .. mode)
        end
      end
    end
  end)

  it("loads them onto every device", function()
    for _, name in ipairs { "png_rgb", "png_rgba_16", "jpg_420", "ppm_16", "bmp_16", "tga_rgba" } do
      files.with(images[name].bytes, function(path)
        local dtype = images[name].dtype
        local here = cp.image.load(path, { dtype = dtype, device = "cpu" })
        assert.is_true(cp.array_equal(cp.image.load(path, { dtype = dtype }):to "cpu", here))
      end)
    end
  end)

  it("refuses a file that is cut off anywhere", function()
    for _, image in ipairs(images) do
      -- TGA has a footer; plain numbers may lack a digit
      local loose = image.name:find "^tga" and 26 or image.name:find "plain" and 6 or 1
      for length = 0, #image.bytes - 1, check.mode == "gc" and 397 or 23 do
        files.with(image.bytes:sub(1, length), function(path)
          local ok, message = pcall(cp.image.load, path)
          assert.is_true(not ok or length >= #image.bytes - loose, image.name .. " of " .. length)
          assert.is_true(ok or message:find "cupola.image.load: " ~= nil, message)
        end)
      end
    end
  end)
end)

describe("image.load of files with false sizes", function()
  local function refuses(bytes, fact)
    files.with(bytes, function(path)
      check.failure("io", "image.load: " .. path .. " " .. fact, function() cp.image.load(path, "rgba", "uint16") end)
    end)
  end

  local function big32(n)
    local digits = {}
    for k = 4, 1, -1 do digits[k], n = string.char(n % 256), math.floor(n / 256) end
    return table.concat(digits)
  end

  -- The CRC of PNG's chunks, bit by bit, in numbers that every Lua has.
  local function xor(a, b)
    local result, place = 0, 1
    while a > 0 or b > 0 do
      if a % 2 ~= b % 2 then result = result + place end
      a, b, place = math.floor(a / 2), math.floor(b / 2), place * 2
    end
    return result
  end

  local function crc(bytes)
    local c = 0xffffffff
    for k = 1, #bytes do
      c = xor(c, bytes:byte(k))
      for _ = 1, 8 do
        local odd = c % 2 == 1
        c = math.floor(c / 2)
        if odd then c = xor(c, 0xedb88320) end
      end
    end
    return xor(c, 0xffffffff)
  end

  -- A PNG whose header says other sides.
  local function png_of(width, height)
    local bytes = images.png_rgb.bytes
    local header = "IHDR" .. big32(width) .. big32(height) .. bytes:sub(25, 29)
    return bytes:sub(1, 12) .. header .. big32(crc(header)) .. bytes:sub(34)
  end

  it("refuses them before it allocates memory for pixels that such a short file cannot hold", function()
    refuses(png_of(30000, 30000), "is truncated: its ")
    refuses(png_of(2 ^ 20 - 1, 2 ^ 20 - 1), "is too large: 1048575 x 1048575 pixels; a side may have at most 1048576")
    refuses(png_of(2 ^ 31 - 1, 1), "is damaged: ")
    refuses(png_of(7, 6), "is damaged: ")
    local jpg = images.jpg_420.bytes
    local frame = assert(jpg:find("\255\192\0\17\8", 1, true))
    refuses(jpg:sub(1, frame + 4) .. "\255\255\255\255" .. jpg:sub(frame + 9), "is ")
    refuses("P6 20000 20000 65535\n" .. ("x"):rep(100), "is truncated: its ")
    refuses("P5 4294967297 1 255\nxx", "is damaged: its header is not whole")
    refuses("P6 1048577 1 255\n", "is too large: 1048577 x 1 pixels")
    refuses("P6 0 3 255\n", "is damaged: it has no pixels")
    refuses("P5 2 2 65536\n" .. ("x"):rep(8), "is damaged: its maximum is not from 1 to 65535")
    refuses("P5 2 2 100\n" .. "abcz", "is damaged: a sample exceeds the maximum")
    refuses("P7\nWIDTH 2\nHEIGHT 2\nDEPTH 5\nMAXVAL 255\nENDHDR\n" .. ("x"):rep(20), "is damaged: its depth is none")
    local bmp = images.bmp_24.bytes
    refuses(bmp:sub(1, 18) .. "\255\255\15\0\255\3\0\0" .. bmp:sub(27), "is truncated: its ")
    refuses(bmp:sub(1, 10) .. "\255\255\255\255" .. bmp:sub(15), "is truncated: its ")
    local tga = images.tga_rgb_runs.bytes
    refuses(tga:sub(1, 12) .. "\255\255\255\63" .. tga:sub(17), "is truncated: its ")
  end)

  it("reads 16-bit samples of a PGM as RGB and RGBA within its bytes", function()
    local image = images.pgm_16
    for _, mode in ipairs { "rgb", "rgba" } do
      local x = load(image.bytes, mode)
      within(x[{ {}, {}, 3 }], cp.right_shift(squeezed(pixels_of(image)), 8), 0, mode)
    end
  end)

  it("names formats that it does not read", function()
    local facts = { GIF89a = "GIF", ["8BPS\0\1"] = "Photoshop", ["#?RADIANCE\n"] = "Radiance HDR",
      ["\83\128\246\52abcd"] = "Softimage PIC", ["II*\0"] = "TIFF", ["RIFF1234WEBP"] = "WebP" }
    for bytes, name in pairs(facts) do
      local fact = "is an image of the format " .. name .. ", which cannot be read; PNG, JPEG, BMP, TGA and PNM can"
      refuses(bytes .. ("\0"):rep(30), fact)
    end
  end)

  it("refuses a JPEG with more Huffman codes than there are symbols, and damage in its data", function()
    local jpg = images.jpg_420.bytes
    local at = assert(jpg:find("\255\196", 1, true)) -- a table: marker, length, class, 16 counts
    refuses(jpg:sub(1, at + 4) .. ("\255"):rep(16) .. jpg:sub(at + 21), "is damaged: ")
    local scan = assert(jpg:find("\255\218", 1, true))
    refuses(jpg:sub(1, scan + 20) .. jpg:sub(-2), "is damaged: ")
    refuses(jpg:sub(1, scan + 20), "is truncated: a JPEG file without its end")
    within(load(jpg:sub(1, -3) .. "\0\0" .. jpg:sub(-2)), pixels_of(images.jpg_420), 2, "extraneous bytes")
  end)
end)

describe("image.save", function()
  it("writes PNG of any size, with every filter", function()
    for _, side in ipairs { 1, 2, 63, 300 } do
      for channels = 1, 4 do
        local x = cp.random.default_rng(side):integers(0, 256, { size = { side, side, channels } }):astype "uint8"
        x[{ {}, { 1, math.ceil(side / 2) } }] = 7
        local y
        files.with(nil, function(path)
          cp.image.save(path, x)
          y = cp.image.load(path)
        end, ".png")
        assert.is_true(cp.array_equal(squeezed(x), y))
      end
    end
  end)

  it("refuses sizes that a format cannot represent", function()
    check.failure("shape", "image.save: 65536 x 1 pixels are too many for the format of /tmp/x.jpg",
      function() cp.image.save("/tmp/x.jpg", cp.zeros({ 1, 65536 }, "uint8")) end)
    check.failure("shape", "image.save: 20000 x 40000 pixels are too many for the format of /tmp/x.bmp",
      function() cp.image.save("/tmp/x.bmp", cp.broadcast_to(cp.zeros({ 1, 1 }, "uint8"), { 40000, 20000 })) end)
  end)

  it("fails when only a part can be written", function()
    local f = io.open "/dev/full"
    if not f then return pending "there is no /dev/full" end
    f:close()
    for _, ending in ipairs { ".png", ".jpg", ".bmp", ".tga" } do
      local path = os.tmpname() .. ending
      if files.succeeds("ln -s /dev/full " .. path) then
        check.failure("io", "image.save: " .. path .. " could not be written completely: ",
          function() cp.image.save(path, cp.zeros({ 200, 200 }, "uint8")) end)
        os.remove(path)
      end
    end
  end)
end)
