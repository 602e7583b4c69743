-- Writes lua/cupola/parts.lua, which says in which part of the Lua side each name is made that is loaded only when it
-- is used (lua/cupola/later.lua):
--   ./dev lua tools/parts.lua > parts.tmp && mv parts.tmp lua/cupola/parts.lua
-- spec/parts_spec.lua compares.

local cp = require "cupola"
local core = require "cupola.core"
local _, methods = debug.getupvalue(debug.getmetatable(cp.zeros(1)).__index, 1)

local PLACES = { "cp", "core", "methods", "cp.cuda", "cp.image", "cp.scipy" }
local tables = { cp = cp, core = core, methods = methods, ["cp.cuda"] = cp.cuda, ["cp.image"] = cp.image,
  ["cp.scipy"] = cp.scipy }

-- Parts may load others: what a part makes belongs to the one that began last.
local stack, made = {}, {}
local load = core.load
function core.load(part)
  local chunk = load(part)
  return function()
    local install = chunk()
    return function(...)
      stack[#stack + 1] = part
      install(...)
      stack[#stack] = nil
    end
  end
end

for place, t in pairs(tables) do
  getmetatable(t).__newindex = function(_, name, value)
    -- a file that a part loads itself makes names of that part
    local part = stack[1]
    for _, later in ipairs(core.parts_later) do
      for _, running in ipairs(stack) do
        if running == later then part = running end
      end
    end
    made[part] = made[part] or {}
    made[part][place] = made[part][place] or {}
    table.insert(made[part][place], name)
    rawset(t, name, value)
  end
end
core.load_all()

print "-- Made by tools/parts.lua: which part makes which names of which table."
print "return {"
for _, part in ipairs(core.parts_later) do
  print(("  %s = {"):format(part))
  for _, place in ipairs(PLACES) do
    local names = made[part] and made[part][place]
    if names then
      table.sort(names)
      local line = ("    [%q] = \" "):format(place)
      for _, name in ipairs(names) do
        if #line + #name > 112 then
          print(line .. "\"")
          line = "      .. \""
        end
        line = line .. name .. " "
      end
      print(line .. "\",")
    end
  end
  print "  },"
end
print "}"
