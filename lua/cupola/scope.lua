-- cp.scope and cp.keep: arrays made inside a function give their memory back when it ends.

return function(cp, core)
  local running = setmetatable({}, { __mode = "k" }) -- list of arrays of a scope -> list of what it keeps



  local function add_arrays(list, value, seen)
    if cp.is_array(value) then
      list[#list + 1] = value
    elseif type(value) == "table" and not seen[value] then
      seen[value] = true
      for _, inner in pairs(value) do
        add_arrays(list, inner, seen)
      end
    end
  end

  -- Frees what the scope made and does not keep; what it keeps belongs to the scope around it.
  local function leave(list, outer, ok, ...)
    core.scope(outer)
    local kept = running[list]
    if ok then
      local seen = {}
      for k = 1, select("#", ...) do
        add_arrays(kept, select(k, ...), seen)
      end
    end
    core.free_scope(list, kept)
    if outer then
      for _, x in ipairs(kept) do
        outer[#outer + 1] = x
      end
    end
    if not ok then error((...), 0) end
    return ...
  end

  --- Runs f(...) and frees every array made in it that it does not return (nor a returned table holds, nor cp.keep
  --- was given).
  --- Works in coroutines and after errors.
  ---@param f function
  ---@return any ... what f returns
  function cp.scope(f, ...)
    core.check_callable(f, "scope", "f")
    local list = {}
    running[list] = {}
    local outer = core.scope(list)
    return leave(list, outer, pcall(f, ...))
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
