-- Run by spec/devices/transfer_spec.lua with a simulated driver (driver.c) of two GPUs: copies between them,
-- of the sizes at which the method changes, with memory that is freed and overwritten before the copies run.
-- Prints "all as it should be".

local cp = require "cupola"
local A, B = "cuda:0", "cuda:1"
local floor = math.floor

local function bytes(n, seed)
  local t = {}
  for k = 1, 97 do t[k] = string.char((k * 7 + seed * 13) % 256) end
  return table.concat(t):rep(floor(n / 97) + 1):sub(1, n)
end

local function array(text, device) return cp.frombytes(text, "uint8", { device = device }) end

assert(cp.cuda.device_count() == 2)
for _, n in ipairs { 0, 1, 100, 32768, 32769, 1000000, 2097152, 2097153, 4194000, 9000000 } do
  local x = array(bytes(n, n), A)
  local y = x:to(B)
  local z = y:to(A)
  assert(y.device == B and z.device == A)
  x:free()
  y:free()
  assert(z:tobytes() == bytes(n, n), n)
end

-- Sources and copies are freed, and their memory is written again, before any copy has run.
for round = 1, 120 do
  local n = round % 20 == 0 and 3000000 or 1000 + round * 37777 % 200000
  local text, other = bytes(n, round), ("z"):rep(n)
  local x = array(text, A)
  local y = x:to(B)
  if round % 2 == 0 then x:free() end
  local w = array(other, A)
  local z = y:to(A)
  if round % 3 == 0 then y:free() end
  local v = array(other, B)
  if round % 5 == 0 then cp.device(A):with(cp.collect) end
  if round % 7 == 0 then cp.device(B):with(cp.collect) end
  assert(z:tobytes() == text, round)
  assert(w:tobytes() == other and v:tobytes() == other, round)
  assert(round % 3 == 0 or y:tobytes() == text, round)
end

local s, t = cp.cuda.Stream { device = A, non_blocking = true }, cp.cuda.Stream { device = B, non_blocking = true }
for round = 1, 60 do
  local text = bytes(5000, round)
  local x = s:with(function() return array(text, A) end)
  local y = t:with(function() return x:to(B) end)
  s:with(function() x:free() end)
  local w = array(("q"):rep(5000), A)
  assert(y:tobytes() == text, round)
  assert(w:tobytes() == ("q"):rep(5000), round)
end

local ok, message = pcall(function() return array("ab", A) + array("ab", B) end)
assert(not ok and message:find("operands are on different devices, cuda:0 and cuda:1", 1, true), message)
print "all as it should be"
