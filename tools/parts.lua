-- Writes lua/cupola/parts.lua, which says for each name that is loaded at first use which part of the Lua
-- side defines it (lua/cupola/later.lua):
--   ./dev lua tools/parts.lua > parts.tmp && mv parts.tmp lua/cupola/parts.lua
-- spec/project/parts_spec.lua checks that the file is up to date.

require "cupola"
local core = require "cupola.core"

local PLACES = { "cp", "core", "methods", "cp.cuda", "cp.image", "cp.scipy" }

-- Parts may load others; a name belongs to the part that began last.
local stack, made = {}, {}
local load_part = core.load_part
function core.load_part(part, ...)
  stack[#stack + 1] = part
  load_part(part, ...)
  stack[#stack] = nil
end

for place, t in pairs(core.tables) do
  local meta = debug.getmetatable(t)
  local add_name = meta.__newindex
  function meta.__newindex(_, name, value)
    local part = stack[#stack]
    made[part] = made[part] or {}
    made[part][place] = made[part][place] or {}
    table.insert(made[part][place], name)
    add_name(t, name, value)
  end
end
core.load_all()

print "-- Made by tools/parts.lua: which part makes which names of which table."
print "return {"
for _, part in ipairs(core.parts_later) do
  print(("  [%q] = {"):format(part))
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
