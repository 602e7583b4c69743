-- Mutates the small images of spec/golden and loads each in every mode and depth:
--   ./dev lua spec/fuzz/image.lua [SECONDS [SEED]]   (seconds: 60 by default)
-- cp.image.load may load a file or raise one of its errors; anything else is a finding, as is a sanitizer's
-- report.

local cp = require "cupola"
local images = require "spec.helper.images"

local seconds, seed = tonumber(arg[1]) or 60, tonumber(arg[2]) or os.time()
print(("image: seed %d, %d s"):format(seed, seconds))
math.randomseed(seed)

local random, char, floor = math.random, string.char, math.floor
local MODES = { "gray", "la", "rgb", "rgba" }
local DTYPES = { "uint8", "uint16", "float32" }
local path = os.tmpname()

local function big(n, size)
  local bytes = ""
  for _ = 1, size do bytes, n = char(n % 256) .. bytes, floor(n / 256) end
  return bytes
end

local NUMBERS = { 0, 1, 2, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2 ^ 20, 2 ^ 31 - 1, 2 ^ 31, 2 ^ 32 - 1 }

local function put(s, at, piece) return s:sub(1, at - 1) .. piece .. s:sub(at + #piece) end

local function place(s) return random(1, math.max(1, random() < 0.5 and math.min(#s, 64) or #s)) end

-- Each function takes the bytes of a file and returns changed ones.
local mutations = {
  function(s) return put(s, place(s), char(random(0, 255))) end,
  function(s) -- changes a bit
    local at = place(s)
    local byte, bit = s:byte(at) or 0, 2 ^ random(0, 7)
    return put(s, at, char((byte + bit) % 256))
  end,
  function(s) -- writes a number of 2 or 4 bytes, in either byte order
    local size = random() < 0.5 and 2 or 4
    local piece = big(NUMBERS[random(#NUMBERS)], size)
    return put(s, place(s), random() < 0.5 and piece or piece:reverse())
  end,
  function(s) return s:sub(1, random(0, #s)) end,
  function(s) -- repeats or removes a part
    local from = place(s)
    local to = math.min(#s, from + random(0, 40))
    return s:sub(1, random() < 0.5 and to or from - 1) .. s:sub(random() < 0.5 and from or to + 1)
  end,
  function(s) -- inserts a part of another file
    local other = images[random(#images)].bytes
    local from = random(#other)
    return put(s, place(s), other:sub(from, from + random(0, 40)))
  end,
  function(s) return s .. s:sub(random(#s + 1)) end,
  function(s) -- changes decimal numbers, as in PNM's headers
    return (s:gsub("%d+", function(d) return random() < 0.3 and ("%d"):format(random(0, 70000)) or d end, random(4)))
  end,
}

-- ---- correcting PNG's checksums, without which nothing after them would be read

local bxor
local crc_table = {}
if rawget(_G, "bit") then
  bxor = function(a, b) return bit.bxor(a, b) % 2 ^ 32 end -- luacheck: ignore
else
  bxor = load "return function(a, b) return (a ~ b) & 0xffffffff end" ()
end
for k = 0, 255 do
  local c = k
  for _ = 1, 8 do c = c % 2 == 1 and bxor(0xedb88320, floor(c / 2)) or floor(c / 2) end
  crc_table[k] = c
end

local function crc(s)
  local c = 0xffffffff
  for k = 1, #s do c = bxor(crc_table[bxor(c, s:byte(k)) % 256], floor(c / 256)) end
  return bxor(c, 0xffffffff)
end

local function mend_png(s)
  local pieces, at = { s:sub(1, 8) }, 9
  while at + 12 <= #s + 1 do
    local a, b, c, d = s:byte(at, at + 3)
    local length = ((a * 256 + b) * 256 + c) * 256 + d
    if at + 12 + length > #s + 1 then break end
    local chunk = s:sub(at + 4, at + 7 + length)
    pieces[#pieces + 1] = s:sub(at, at + 3) .. chunk .. big(crc(chunk), 4)
    at = at + 12 + length
  end
  return table.concat(pieces) .. s:sub(at)
end

-- ---- the loop

local function write(bytes)
  local f = assert(io.open(path, "wb"))
  f:write(bytes)
  f:close()
end

local function mutant()
  local image = images[random(#images)]
  local bytes = image.bytes
  for _ = 1, random(1, random(1, 6)) do bytes = mutations[random(#mutations)](bytes) end
  if bytes:sub(1, 4) == "\137PNG" and random() < 0.9 then bytes = mend_png(bytes) end
  return image.name, bytes
end

local function check(name, bytes, mode, dtype)
  local ok, x = pcall(cp.image.load, path, mode, dtype)
  if ok then
    local channels = x.ndim == 2 and 1 or x.shape[3]
    local most = dtype == "float32" and 1 or dtype == "uint8" and 255 or 65535
    local asked = ({ gray = 1, la = 2, rgb = 3, rgba = 4 })[mode] or channels
    if x.dtype == dtype and channels == asked and x:max():item() <= most then return true end
  elseif tostring(x):find "cupola%.image%.load: " then
    return false
  end
  local kept = os.tmpname()
  os.rename(path, kept)
  print(("found: a mutant of %s (%d bytes, kept as %s) as %s, %s: %s"):format(name, #bytes, kept, tostring(mode), dtype,
    tostring(x)))
  os.exit(1)
end

local deadline, files, loaded = os.time() + seconds, 0, 0
while os.time() < deadline do
  local name, bytes = mutant()
  write(bytes)
  files = files + 1
  if check(name, bytes, nil, DTYPES[random(3)]) then
    loaded = loaded + 1
    for _, mode in ipairs(MODES) do
      for _, dtype in ipairs(DTYPES) do check(name, bytes, mode, dtype) end
    end
  end
end
os.remove(path)
print(("image: %d files, %d of them read; nothing found"):format(files, loaded))
