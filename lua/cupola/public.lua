-- What scripts see. cupola's own code works with its own tables of functions (cp, cp.linalg); a script gets a
-- copy of each, filled when it is first enumerated and as its names are used. So a script may put anything
-- into `cp` without affecting cupola. An unknown name raises an error that suggests the nearest one.

return function(cp, core)
  local places = { [cp] = "cp" } -- [one of our own tables] = its name
  local copies = {}              -- [one of our own tables] = what scripts see of it
  local fill = {}                -- [one of our own tables] = the function that completes its copy
  local lazy = {}                -- copies whose names are filled in when they are used
  for _, t in pairs(core.tables) do lazy[t] = true end

  -- Whether v is a table of functions. Tables with an `__index` of their own are objects.
  local function is_functions(v)
    if type(v) ~= "table" then return false end
    local meta = getmetatable(v)
    return lazy[v] or meta == nil or meta.__index == nil
  end

  -- Where a table of functions inside t has this name, such as "random.rand" for "rand".
  local function inside(t, name, depth)
    local found
    for key, sub in next, t do
      if type(key) == "string" and is_functions(sub) then
        local path = rawget(sub, name) ~= nil and key .. "." .. name
        local deeper = not path and depth > 1 and inside(sub, name, depth - 1)
        path = path or deeper and key .. "." .. deeper
        if path and (not found or #path < #found or #path == #found and path < found) then found = path end
      end
    end
    return found
  end

  local instead = core.load "instead"

  local function unknown(t, name)
    local known = {}
    if t == cp and instead[name] then
      core.raise(name, "usage", "cupola has no such function; " .. instead[name])
    end
    for key in next, t do known[#known + 1] = key end
    local near = inside(t, name, 3) or core.suggest(name, known)
    core.raise(string.sub(places[t] .. "." .. name, 4), "usage", "cupola has no such function"
      .. (near and "; did you mean " .. places[t] .. "." .. near .. "?" or ""))
  end

  --- The field `name` of one of our tables of functions; raises for an unknown name.
  function core.member(t, name)
    local v = t[name]
    if v == nil and type(name) == "string" then unknown(t, name) end
    if is_functions(v) then places[v] = places[v] or places[t] .. "." .. name end
    return v
  end

  --- The copy that scripts see of one of our tables of functions; returns any other value itself.
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
      -- not `for ... in next`: LuaJIT compiles that to an endless loop in finalizers while the state closes
      local name = next(t)
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
