-- The small pictures of spec/golden/files/images.bin (images.py describes them).

local files = require "spec.helper.files"

local images = {}

local data = files.contents "spec/golden/files/images.bin"

local function piece(text)
  local offset, length = text:match "^(%d+):(%d+)$"
  return data:sub(offset + 1, offset + length)
end

for line in io.lines "spec/golden/files/images.index" do
  local name, h, w, c, dtype, off, file, pixels = line:match "^(%S+) (%d+)x(%d+)x(%d+) (%S+) (%d+) (%S+) (%S+)$"
  images[#images + 1] = {
    name = name, height = tonumber(h), width = tonumber(w), channels = tonumber(c), dtype = dtype, off = tonumber(off),
    bytes = piece(file), pixels = piece(pixels),
  }
  images[name] = images[#images]
end

return images
