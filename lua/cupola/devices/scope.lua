-- cp.scope and cp.keep: arrays made inside a function give their memory back when it ends.

return function(cp, core)
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

  local function add_all(kept, ...)
    local seen = {}
    for k = 1, select("#", ...) do
      add_arrays(kept, select(k, ...), seen)
    end
  end

  -- Keeps what the scope's function returned, and computes it while what it is made of is there.
  local function results(finish, ...)
    local list, kept = core.scope()
    add_all(kept, ...)
    finish(kept, list)
    return ...
  end

  --- What runs in a scope: f(...), then finish(kept, list) to compute the arrays `kept` of those made, `list`.
  local function inside(finish, f, ...) return results(finish, f(...)) end

  core.inside_scope = inside

  --- That in a scope of its own.
  function core.scope_with(finish, f, ...)
    return core.within(core.scope_guard "scope", inside, finish, f, ...)
  end

  local function value_inside(f)
    local value = f()
    local list, kept = core.scope()
    local made = false
    for _, x in ipairs(list) do
      made = made or rawequal(x, value)
    end
    for _, x in ipairs(kept) do -- cp.keep was called
      made = made and not rawequal(x, value)
    end
    add_arrays(kept, value, {})
    return value, made
  end

  --- What f() returns, not computed yet when it is a pending array, after all else that f made was freed; and whether
  --- f made it. For x:assign(f).
  function core.value_in_scope(f)
    return core.within(core.scope_guard "assign", value_inside, core.callable(f, "assign", "v"))
  end

  --- Runs f(...) and frees every array made in it that it does not return (nor a returned table holds, nor cp.keep
  --- was given).
  --- Works in coroutines and after errors.
  ---@param f function
  ---@return any ... what f returns
  function cp.scope(f, ...)
    return core.scope_with(core.evaluate, core.callable(f, "scope", "f"), ...)
  end

  --- Keeps arrays beyond the running scope.
  ---@return any ... its arguments
  function cp.keep(...)
    local _, kept = core.scope() -- the innermost scope of the running thread
    if kept then add_all(kept, ...) end
    return ...
  end
end
