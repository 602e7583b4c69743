-- Measures how long a short script takes from the start of its process to its first sum on the device. Prints
-- milliseconds since the process began, as /proc says, so that loading the interpreter counts too.

local function uptime()
  local f = assert(io.open "/proc/uptime")
  local v = tonumber(f:read "*n")
  f:close()
  return v
end

local function started()
  local f = assert(io.open "/proc/self/stat")
  local text = f:read("*a"):match "%) (.*)"
  f:close()
  local k = 2
  for field in text:gmatch "%S+" do
    k = k + 1
    if k == 22 then return tonumber(field) / 100 end
  end
end

local cp = require "cupola"
local a = cp.ones(10, "float32")
assert((a + a):sum():item() == 20)
print(("%.0f"):format((uptime() - started()) * 1e3))
