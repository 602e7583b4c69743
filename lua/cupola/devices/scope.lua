-- cp.scope and cp.keep: arrays made inside a function give their memory back when it ends.

return function(cp, core)
  local running = setmetatable({}, { __mode = "k" }) -- list of arrays of a scope -> list of what it keeps

  -- Adds the arrays in value, a table of tables of any depth say. seen: a set of the tables that were looked into.
  local function add_arrays(list, value, seen)
    local waiting, count = { value }, 1
    while count > 0 do
      local v = waiting[count]
      count = count - 1
      if cp.is_array(v) then
        list[#list + 1] = v
      elseif type(v) == "table" and not seen[v] then
        seen[v] = true
        for _, inner in next, v do
          if type(inner) == "table" or type(inner) == "userdata" then
            count = count + 1
            waiting[count] = inner
          end
        end
      end
    end
  end

  local function adopt(outer, kept)
    for k = 1, outer and #kept or 0 do
      outer[#outer + 1] = kept[k]
    end
  end

  -- Frees what the scope made and does not keep; what it keeps is computed, by `finish`, and belongs to the scope
  -- around it.
  local function leave(list, outer, finish, ok, ...)
    core.scope(outer)
    local kept, problem = running[list], nil
    if ok then
      local seen = {}
      for k = 1, select("#", ...) do
        add_arrays(kept, select(k, ...), seen)
      end
      ok, problem = pcall(finish, kept, list) -- while what they are made of is there
    end
    core.free_scope(list, kept)
    adopt(outer, kept)
    if not ok then error(problem or (...), 0) end
    return ...
  end

  --- What f() returns, not computed yet when it is a pending array, after all else that f made was freed; and whether
  --- f made it. For x:assign(f).
  function core.value_in_scope(f)
    f = core.callable(f, "assign", "v")
    local list = {}
    running[list] = {}
    local outer = core.scope(list)
    local ok, value = pcall(f)
    core.scope(outer)
    local kept, made = running[list], false
    for _, x in ipairs(list) do
      made = made or rawequal(x, value)
    end
    for _, x in ipairs(kept) do -- cp.keep was called
      made = made and not rawequal(x, value)
    end
    if ok then add_arrays(kept, value, {}) end
    core.free_scope(list, kept)
    adopt(outer, kept)
    if not ok then error(value, 0) end
    return value, made
  end

  --- Runs f(...) and frees every array made in it that it does not return (nor a returned table holds, nor cp.keep
  --- was given).
  --- Works in coroutines and after errors.
  ---@param f function
  ---@return any ... what f returns
  function cp.scope(f, ...)
    f = core.callable(f, "scope", "f")
    local list = {}
    running[list] = {}
    local outer = core.scope(list)
    return leave(list, outer, core.evaluate, pcall(f, ...))
  end

  --- The same with finish(kept, list) to compute the arrays `kept` of those made, `list`.
  function core.scope_with(finish, f, ...)
    local list = {}
    running[list] = {}
    local outer = core.scope(list)
    return leave(list, outer, finish, pcall(f, ...))
  end

  --- Keeps arrays beyond the running scope.
  ---@return any ... its arguments
  function cp.keep(...)
    local current = core.scope(nil) -- the innermost scope of the running thread
    core.scope(current)
    if current then
      for k = 1, select("#", ...) do
        add_arrays(running[current], select(k, ...), {})
      end
    end
    return ...
  end
end
