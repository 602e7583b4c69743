-- Parts of the Lua side that are loaded when one of their names is first used, so that a script which never sorts does
-- not pay for sorting: less to compile at `require`, and less for each garbage collection to walk.
--
-- lua/cupola/parts.lua says which part makes which names; tools/parts.lua writes it. Only speed depends on it: a name
-- that it does not know makes all parts load before the name counts as unknown: of cp and the tables in it (cp.linalg)
-- that is an error, which suggests the nearest known name.

return function(cp, core, methods, order)
  local names = require "cupola.parts"
  local tables = { cp = cp, core = core, methods = methods, ["cp.cuda"] = cp.cuda, ["cp.image"] = cp.image,
    ["cp.scipy"] = cp.scipy }
  local waiting = {} -- parts that are not loaded, in order
  for k, part in ipairs(order) do waiting[k] = part end

  -- `place` is the name of t: "cp.linalg".
  local function unknown(place, t, name)
    local known = {}
    for key in next, t do known[#known + 1] = key end
    local near = core.suggest(name, known)
    core.raise((place .. "." .. name):sub(4), "usage", "cupola has no such function"
      .. (near and "; did you mean " .. place .. "." .. near .. "?" or ""))
  end

  -- Makes unknown names errors in a table of functions and those within, but for what knows how to answer.
  local function guard(place, t)
    local meta = type(t) == "table" and (getmetatable(t) or {})
    if type(meta) ~= "table" or meta.__index then return end
    function meta.__index(_, name) return type(name) == "string" and unknown(place, t, name) or nil end
    setmetatable(t, meta)
    for name, value in next, t do guard(place .. "." .. name, value) end
  end

  -- In what a part has made; tables that scripts put into cp are theirs.
  local function guard_part(part)
    for place, made in pairs(names[part] or {}) do
      for name in (place:find "^cp" and made or ""):gmatch "%S+" do
        guard(place .. "." .. name, rawget(tables[place], name))
      end
    end
  end

  local function load(k)
    local part = table.remove(waiting, k)
    local ok, message = pcall(function() core.load(part)()(cp, core, methods) end)
    if not ok then -- out of memory, say: the next use tries again
      table.insert(waiting, k, part)
      error(message, 0)
    end
    local close = rawget(core, "close_doors") -- where there is none, an index would load all parts
    if close then close() end
    guard_part(part)
  end

  -- Loads the part that makes `name` in the table called `place`; whether there is one.
  local function find(place, name)
    local pattern = " " .. name .. " "
    for k, part in ipairs(waiting) do
      local made = names[part] and names[part][place]
      if made and made:find(pattern, 1, true) then
        load(k)
        return true
      end
    end
    return false
  end

  --- Loads every part, for what looks at all names.
  function core.load_all()
    while #waiting > 0 do load(1) end
  end

  for place, t in pairs(tables) do
    setmetatable(t, {
      __index = function(_, name)
        if type(name) ~= "string" then return nil end
        if not find(place, name) then core.load_all() end
        local value = rawget(t, name)
        if value == nil and place:find "^cp" then unknown(place, t, name) end
        return value
      end,
      __pairs = function()
        core.load_all()
        return next, t
      end,
    })
  end
  for name, value in next, cp do guard("cp." .. name, value) end
  for name, value in next, cp.cuda do guard("cp.cuda." .. name, value) end
end
