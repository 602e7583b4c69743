-- Runs example scripts in this process as they would run in a separate one.

local scripts = {}

local function words(...)
  local list = {}
  for k = 1, select("#", ...) do list[k] = tostring((select(k, ...))) end
  return table.concat(list, "\t")
end

--- Runs examples/NAME.lua with these arguments; what it printed, and what the script returns. What it writes
--- to standard error is dropped.
function scripts.run(name, ...)
  local lines = {}
  local env = setmetatable({
    arg = { ... },
    io = setmetatable({ stderr = { write = function() end } }, { __index = io }),
    print = function(...) lines[#lines + 1] = words(...) end,
  }, { __index = _G })
  local f = assert(loadfile("examples/" .. name .. ".lua", "t", env))
  local set = rawget(_G, "setfenv")
  if set then set(f, env) end -- 5.1 and LuaJIT
  return (function(...) return table.concat(lines, "\n"), ... end)(f())
end

return scripts
