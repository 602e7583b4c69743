-- Calls of calls.txt, for calls.sh: prints the processor time of each in microseconds. With N, it makes N of
-- each between two readings of the clock, at which callgrind writes what it has counted:
--   lua5.4 bench/calls/calls.lua [N]
-- ROWS selects calls by parts of their names, separated by commas.
local cp = require "cupola"

local each = tonumber(arg[1])
local folder = arg[0]:match "^(.*)/" or "."
local now = os.clock

-- The same arrays as in calls.py. v9 and m9 are written into.
local arrays = [[
  local cp, set = ...
  local v = cp.array { 0.1, 0.7, 0.3, 0.9, 0.5, 0.2, 0.8, 0.4 }
  local w = cp.array { 0.6, 0.7, 0.2, 0.1, 0.8, 0.5, 0.3, 0.9 }
  local v4, v9, z = cp.array { 1, 2, 3, 4 }, v:copy(), cp.array { 0, 0, 1, 2, 3, 0 }
  local v16 = cp.concatenate { v, w }
  local m = cp.reshape(v16, { 4, 4 })
  local m2, m9, r, c = m.T:copy(), m:copy(), v:reshape(1, 8), v:reshape(2, 2, 2)
  local s = m + m.T + 4 * cp.eye(4)
  local i, k8 = cp.array({ 3, 1, 4, 1, 5, 2, 6, 5 }, "int64"), cp.array({ 1, 2, 1, 2, 1, 1, 2, 2 }, "int64")
  local mask, mm = v:gt(0.45), m:gt(0.45)
  local a3, b3, k3 = v[":3"]:copy(), w[":3"]:copy(), cp.ones { 3, 3 }
  local sos = cp.scipy.signal.butter(4, 0.3, { output = "sos" })
  local S = cp.sparse.csr_array(s)
  local rng = cp.random.default_rng(1)
  cp.eval(v16, m, m2, s, mask, mm, i, k8, a3, b3, sos)
  return function() return %s end
]]

local function set(x, key, value) x[key] = value end

local function rows()
  local list, wanted = {}, os.getenv "ROWS" or ""
  for line in io.lines(folder .. "/calls.txt") do
    local name, own = line:match "^(.-) | (.-) | "
    local found = wanted == ""
    for part in wanted:gmatch "[^,]+" do found = found or name ~= nil and name:find(part, 1, true) ~= nil end
    if name and line:sub(1, 1) ~= "#" and found then
      list[#list + 1] = { name, assert(load((arrays:gsub("%%s", function() return own end))))(cp, set) }
    end
  end
  return list
end

-- Makes n calls and computes what they return.
local function calls(f, n)
  for _ = 1, n do
    local r = f()
    if cp.is_array(r) then r:eval() end
  end
end

-- The least processor time of a call in several rounds, in microseconds.
local function time(f)
  local n, best = 1, math.huge
  repeat
    n = n * 2
    local t = now()
    calls(f, n)
  until now() - t > 2e-3
  for _ = 1, 7 do
    local t = now()
    calls(f, n)
    best = math.min(best, (now() - t) / n)
  end
  return best * 1e6
end

for _, row in ipairs(rows()) do
  local name, f = row[1], row[2]
  local ok, why = pcall(calls, f, 12)
  if not ok then
    io.stderr:write(name, ": ", tostring(why), "\n")
  elseif each then
    collectgarbage()
    now()
    calls(f, each)
    now()
    print(name)
  else
    print(string.format("%s\t%.3f", name, time(f)))
  end
end
