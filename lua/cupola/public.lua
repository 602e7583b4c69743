-- What scripts see. The tables of functions that the Lua side works with (cp, cp.linalg) are its own; a script gets a
-- copy of each, filled when it is first looked at and as its names are used. So a script may put into `cp` what it
-- likes, and changes nothing for cupola's own code. An unknown name is an error that suggests the nearest one.

return function(cp, core)
  local places = { [cp] = "cp" } -- [one of our own tables] = its name
  local copies = {}              -- [one of our own tables] = what scripts see of it
  local fill = {}                -- [one of our own tables] = the function that completes its copy
  local lazy = {}                -- those whose names come when they are asked for
  for _, t in pairs(core.tables) do lazy[t] = true end

  -- A table of functions has no `__index` of its own: those that do are objects.
  local function is_functions(v)
    if type(v) ~= "table" then return false end
    local meta = getmetatable(v)
    return lazy[v] or meta == nil or meta.__index == nil
  end

  local function unknown(t, name)
    local known = {}
    for key in next, t do known[#known + 1] = key end
    local near = core.suggest(name, known)
    core.raise(string.sub(places[t] .. "." .. name, 4), "usage", "cupola has no such function"
      .. (near and "; did you mean " .. places[t] .. "." .. near .. "?" or ""))
  end

  --- The field `name` of one of our own tables of functions; an unknown name raises.
  function core.member(t, name)
    local v = t[name]
    if v == nil and type(name) == "string" then unknown(t, name) end
    if is_functions(v) then places[v] = places[v] or places[t] .. "." .. name end
    return v
  end

  --- What scripts see of one of our own tables of functions; other values are what they are.
  function core.public(t)
    if not is_functions(t) then return t end
    if copies[t] then return copies[t] end
    local copy = {}
    local function show(name)
      local v = core.public(core.member(t, name))
      if rawget(copy, name) == nil then rawset(copy, name, v) end
      return v
    end
    fill[t] = function()
      local name = next(t) -- no `for in next`: compiled, LuaJIT never ends it in finalizers while it closes
      while name ~= nil do
        show(name)
        name = next(t, name)
      end
    end
    fill[t]()
    copies[t] = setmetatable(copy, {
      __index = function(_, name) return show(name) end,
      __pairs = function()
        if lazy[t] then core.load_all() end
        fill[t]()
        return next, copy
      end,
      __call = (getmetatable(t) or {}).__call,
      __metatable = false,
    })
    return copy
  end

  local load_all = core.load_all
  function core.load_all()
    load_all()
    for t in next, lazy do
      if fill[t] then fill[t]() end
    end
  end

  return core.public(cp)
end
