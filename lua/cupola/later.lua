-- Parts of the Lua side that are loaded when one of their names is first used, so that a script that never
-- sorts does not pay for sorting: less to compile at `require`, and less for the garbage collector to
-- traverse. A part is loaded whole or not at all (core.load_part): after a failure, such as lack of memory,
-- the next use tries again.
--
-- lua/cupola/parts.lua, written by tools/parts.lua, says which part defines which names. It only saves time:
-- a name that it lacks makes all parts load before the name counts as unknown.

return function(cp, core, methods, order)
  local names = require "cupola.parts"
  local tables = { cp = cp, core = core, methods = methods, ["cp.cuda"] = cp.cuda, ["cp.image"] = cp.image,
    ["cp.scipy"] = cp.scipy }
  local waiting = {} -- [part] = whether it is still to be loaded
  for _, part in ipairs(order) do waiting[part] = true end

  local function load(part) core.load_part(part, waiting, cp, core, methods) end

  --- Loads every part, for code that enumerates all names.
  function core.load_all()
    for _, part in ipairs(order) do
      if waiting[part] then load(part) end
    end
  end

  -- Loads the part that defines `name` in the table called `place`, or all parts if none is known to define
  -- it.
  local function find(place, name)
    local pattern = " " .. name .. " "
    for _, part in ipairs(order) do
      local made = waiting[part] and names[part] and names[part][place]
      if made and string.find(made, pattern, 1, true) then return load(part) end
    end
    core.load_all()
  end

  for place, t in pairs(tables) do
    setmetatable(t, {
      __index = function(_, name)
        if type(name) ~= "string" then return nil end
        find(place, name)
        return rawget(t, name)
      end,
      __newindex = core.add_name,
    })
  end
  return tables
end
