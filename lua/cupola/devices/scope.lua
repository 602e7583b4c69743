-- cp.scope and cp.keep: arrays created in a function are freed when it returns.

return function(cp, core)
  -- Adds the arrays in value, which may be nested tables, to a list. seen: the set of tables already visited.
  local function add_arrays(list, value, seen)
    local waiting, count = { value }, 1
    while count > 0 do
      local v = waiting[count]
      count = count - 1
      if cp.is_array(v) then
        list[#list + 1] = v
      elseif core.sparse_fields(v) then
        for _, x in ipairs(core.arrays_of(v)) do list[#list + 1] = x end
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

  local function add_all(kept, ...)
    local seen
    for k = 1, select("#", ...) do
      local v = select(k, ...)
      if cp.is_array(v) then
        kept[#kept + 1] = v
      elseif type(v) == "table" or type(v) == "userdata" then
        seen = seen or {}
        add_arrays(kept, v, seen)
      end
    end
  end

  -- Keeps the results of the scope's function, and computes them while the arrays that they depend on exist.
  local function results(finish, ...)
    local kept = core.scope()
    add_all(kept, ...)
    finish(kept)
    return ...
  end

  --- The body of a scope: f(...), then finish(kept), which computes the arrays that the scope keeps.
  local function inside(finish, f, ...) return results(finish, f(...)) end

  core.inside_scope = inside

  --- The same in a scope of its own.
  function core.scope_with(finish, f, ...)
    return core.within(core.scope_guard "scope", inside, finish, f, ...)
  end

  local function value_inside(f)
    local value = f()
    local kept, made = core.scope(), core.is_made(value)
    for _, x in ipairs(kept) do -- arrays passed to cp.keep
      made = made and not rawequal(x, value)
    end
    add_arrays(kept, value, {})
    return value, made
  end

  --- Calls f() and frees everything else that it created. Returns its result, which may still be pending, and
  --- whether f created it. For x:assign(f).
  function core.value_in_scope(f)
    return core.within(core.scope_guard "assign", value_inside, core.callable(f, "assign", "v"))
  end

  --- Runs f(...) and frees every array created in it, unless it is returned, is in a returned table or was
  --- passed to cp.keep. Works with coroutines and after errors.
  ---@param f function
  ---@return any ... what f returns
  function cp.scope(f, ...)
    return core.scope_with(core.evaluate, core.callable(f, "scope", "f"), ...)
  end

  --- Keeps arrays alive beyond the current scope.
  ---@return any ... its arguments
  function cp.keep(...)
    local kept = core.scope() -- the innermost scope of the running thread
    if kept then add_all(kept, ...) end
    return ...
  end
end
