-- Run by spec/host/loading_spec.lua in a separate process, since it loads each part of the Lua side many
-- times: with an error at its k-th instruction, for growing k until it completes. A part that fails must
-- leave no names. Prints failures, then "done".

require "cupola"
local core = require "cupola.core"

local jit = rawget(_G, "jit")
-- Locals, because busted's globals take many instructions.
local sethook, pcall, error = debug.sethook, pcall, error

local definers -- functions such as core.publish, which add names to the tables below

-- Tables like those that parts add their names to: they inherit existing names, and new names stay in them.
local function fresh_tables()
  local made = {}
  local function copy(place)
    made[place] = setmetatable({}, { __index = core.tables[place], __newindex = core.add_name })
    return made[place]
  end
  local module = copy "cp"
  for place in pairs(core.tables) do
    local name = place:match "^cp%.(%w+)$"
    if name then rawset(module, name, copy(place)) end
  end
  local own, methods = copy "core", copy "methods"
  definers = setmetatable({}, { __index = core })
  core.load "define"(module, definers, methods)
  for name, f in next, definers do rawset(own, name, f) end
  return made, module, own, methods
end

local function names_in(made)
  local names = {}
  for place, t in pairs(made) do
    for name in next, t do
      if not made[place .. "." .. name] and not rawget(definers, name) then names[#names + 1] = place .. "." .. name end
    end
  end
  table.sort(names)
  return table.concat(names, " ")
end

-- Loads the part with an error at its k-th instruction. Returns whether it ended before that.
local function load_until(part, k)
  local made, module, own, methods = fresh_tables()
  local waiting = { [part] = true }
  local load_part, interrupted = core.load_part, false
  local ok, message = pcall(function()
    sethook(function()
      sethook()
      interrupted = true
      error("time is up", 0)
    end, "", k)
    load_part(part, waiting, module, own, methods)
    sethook()
  end)
  if not interrupted and not ok then error(message, 0) end
  if not waiting[part] then return true, made end -- the error may have come after loading
  if message ~= "time is up" then error(message, 0) end
  if names_in(made) ~= "" then print(part, "leaves", names_in(made)) end
  return false
end

if jit then jit.off() end -- compiled code calls no hooks
core.load_all()
for _, part in ipairs(core.parts_later) do
  local k, step = 1, 1
  while true do
    local done, made = load_until(part, k)
    if done then
      if names_in(made) == "" then print(part, "makes nothing") end
      break
    end
    k, step = k + step, step + math.ceil(step / 3)
  end
end
print "done"
