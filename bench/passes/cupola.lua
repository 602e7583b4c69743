-- cupola's figures for the tables of bench/passes/run, one line each: "WHO<tab>KEY<tab>VALUE<tab>UNIT".
-- Each call runs in a scope, which frees what the call made, as reference counts do in the peers.
-- Usage: cupola.lua WHO [rows]     times, launches and values
--        cupola.lua WHO facts      goals, tolerances, bytes that must move, bytes of library calls; no work
--        cupola.lua WHO logged     with CUPOLA_LOG=fusion: each program once, named on stderr first
--        cupola.lua WHO warm       each program once, which fills the kernel cache

local here = arg[0]:match "^(.*/)" or ""
local cp = require "cupola"
local timing = dofile(here .. "../timing.lua")
local data = dofile(here .. "data.lua")
local who, what = arg[1] or "cupola", arg[2] or "rows"
local report = dofile(here .. "../tables/rows.lua")(who)
local size = data.sizes()
local row = report.row

local tables = { { "nine", dofile(here .. "nine.lua") }, { "twelve", dofile(here .. "twelve.lua") } }
local QUEUED, LONG = 20, 0.3 -- calls that are queued back to back; seconds for them that are measured once

local function facts(program, name)
  local function fact(kind, unit, value)
    if value then report.constant(kind, program.key, value, unit) end
  end
  local full = os.getenv "BENCH_SCALE" ~= "small"
  fact("table", name, 1)
  fact("goal", "ms queued", full and program.goal)
  fact("tolerance", "value", program.tolerance)
  fact("must", "bytes", program.must and program.must(size))
  fact("library", "bytes", program.must and (program.library and program.library(size) or 0))
  if program.moves then print(("moves\t%s\t%s\ttext"):format(program.key, program.moves)) end
end

-- A number that shows what an array holds: the weighted mean of the magnitudes of some of its elements.
local function fingerprint(array)
  local flat = array:reshape(-1)
  local stride = math.floor(flat.size / 65536)
  stride = stride + 1 - stride % 2
  local some = flat[{ { 1, -1, stride } }]:astype("float64"):abs()
  local weights = (cp.arange(some.size, "float64") * data.GOLDEN) % 1 + 0.5
  return (some * weights):mean():item()
end

local function values(key, f)
  local results = { f() }
  for k, array in ipairs(results) do
    row(("%s, result %d"):format(key, k), "value", function() return fingerprint(array) end)
  end
end

local function rows(program)
  local f, kernels = program.make(size)
  local function body() f() end -- gives nothing back, so that the scope frees the results
  local function call() cp.scope(body) end
  call()
  cp.synchronize()
  row(program.key, "ms waited", function() return timing.waited(call) * 1e3 end)
  row(program.key, "ms queued", function()
    local once = timing.device(call, 1, QUEUED)
    if once * QUEUED > LONG then return once * 1e3 end
    return timing.device(call, 3, QUEUED) * 1e3
  end)
  row(program.key, "launches", function() return kernels or timing.count(call, "launches") end)
  values(program.key, f)
end

local function once(program)
  local f = program.make(size)
  local function call()
    cp.scope(function() f() end)
    cp.synchronize()
  end
  call()
  if what == "warm" then return end
  io.stderr:write("passes: ", program.key, "\n")
  call()
  io.stderr:write "passes: \n"
end

for _, entry in ipairs(tables) do
  for _, program in ipairs(entry[2]) do
    if what == "facts" then
      facts(program, entry[1])
    elseif report.is_wanted(program.key) then
      local ok, message = pcall(what == "rows" and rows or once, program)
      if not ok then io.stderr:write(who, ": ", program.key, ": ", tostring(message), "\n") end
      collectgarbage()
      collectgarbage()
    end
  end
end
