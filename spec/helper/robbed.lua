-- The mode `robbed`: once the module is open, anything that a script could replace ends the program if
-- cupola's own code uses it: globals, Lua's libraries, the methods of strings, loaded and preloaded modules,
-- and cupola's public tables. Specs can use all of it as before.
--
-- A table is robbed by moving its entries elsewhere; an __index that checks its caller returns them.

local getinfo, traceback, raw_metatable = debug.getinfo, debug.traceback, debug.getmetatable
local error, next, rawset, type, tostring, setmetatable = error, next, rawset, type, tostring, debug.setmetatable
local write, exit, sub = io.stderr, os.exit, string.sub -- luacheck: ignore

-- Lua's own C functions (and busted's): print may look for the global tostring. Other C functions are
-- cupola's.
local strangers = {}

local function know_functions(t, seen)
  if seen[t] then return end
  seen[t] = true
  for _, v in next, t do
    if type(v) == "function" then strangers[v] = true end
    if type(v) == "table" then know_functions(v, seen) end
  end
end

-- Ends the program if the code that uses the robbed value is cupola's. An error could be hidden by a pcall.
local function check(what, key)
  local info = getinfo(3, "Sf")
  local own = info.what == "C" and not strangers[info.func] or sub(info.source, 1, 8) == "=cupola/"
  if not own then return end
  write:write(traceback("ROBBED: cupola's own code reaches " .. what .. "." .. tostring(key), 3), "\n")
  write:flush()
  exit(3)
  error "unreachable"
end

local rob_public
local stores = {} -- [a table that was robbed] = its entries

local function rob(t, what)
  local store, old = {}, raw_metatable(t) or {}
  stores[t] = store
  for k, v in next, t do store[k] = v end
  for k in next, store do t[k] = nil end
  local meta = {}
  for k, v in next, old do meta[k] = v end
  function meta.__index(_, k)
    check(what, k)
    local v = store[k]
    if v ~= nil or old.__index == nil then return v end
    if type(old.__index) ~= "function" then return old.__index[k] end
    v = old.__index(t, k)
    if sub(what, 1, 2) == "cp" then -- an entry that was loaded just now is robbed too
      rawset(t, k, nil)
      rob_public(v, what .. "." .. tostring(k))
      store[k] = v
    end
    return v
  end
  function meta.__newindex(_, k, v) store[k] = v end
  function meta.__pairs(_)
    check(what, "(pairs)")
    if old.__pairs then
      old.__pairs(t)
      for k, v in next, t do store[k] = v end
      for k in next, store do t[k] = nil end
    end
    return next, store
  end
  setmetatable(t, meta)
end

local robbed = {}

-- Public tables of functions are those whose metatable answers false and which have no fields of their own
-- kind.
function rob_public(t, what)
  if type(t) ~= "table" or robbed[t] then return end
  local meta = raw_metatable(t)
  if not meta or meta.__metatable ~= false or not meta.__pairs then return end
  robbed[t] = true
  for name, v in next, t do rob_public(v, what .. "." .. tostring(name)) end
  rob(t, what)
end

return function(cp)
  local libraries = {}
  for name, library in next, package.loaded do
    if name ~= "cupola" and type(library) == "table" then know_functions(library, {}) end
  end
  for level = 1, 100 do -- the interpreter's main function, which looks for arg
    local info = getinfo(level, "f")
    if not info then break end
    strangers[info.func] = true
  end
  know_functions(_G, { [cp] = true, [package.loaded] = true })
  for _, name in ipairs { "string", "table", "math", "coroutine", "os", "io", "package", "bit", "jit", "utf8" } do
    if type(_G[name]) == "table" then libraries[name] = _G[name] end
  end
  local strings = raw_metatable ""
  local methods = string
  for event, f in next, strings do
    strings[event] = function(...)
      check("the metatable of strings", event)
      return f(...)
    end
  end
  local find = {}
  for k, v in next, methods do find[k] = v end
  function strings.__index(_, k)
    check("the methods of strings", k)
    return find[k]
  end
  local rawget, pairs = rawget, pairs
  function _G.rawget(t, k) return rawget(stores[t] or t, k) end
  function _G.next(t, k) return next(stores[t] or t, k) end
  function _G.pairs(t) return pairs(not (raw_metatable(t) or {}).__pairs and stores[t] or t) end
  rob_public(cp, "cp")
  rob(package.loaded, "package.loaded")
  rob(package.preload, "package.preload")
  for name, library in next, libraries do rob(library, name) end
  rob(_G, "_G")
end
