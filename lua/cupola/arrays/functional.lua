-- NumPy's functions that call a Lua function, and loops over indices.

return function(cp, core)
  local method = core.method

  local usage = core.usage

  --- An array of the values of f, which is called once with arrays of coordinates that count from 0.
  ---@param f function
  ---@param shape any
  ---@param dtype? string  of the coordinates; default the default dtype
  ---@return any
  core.publish("fromfunction", "f, shape, dtype", 2, function(where, f, shape, dtype)
    f = core.callable(f, where, "f")
    shape = core.shape(shape, where, "shape")
    local list = {}
    for d, n in ipairs(shape) do
      local own = {}
      for k = 1, #shape do own[k] = k == d and n or 1 end
      list[d] = cp.broadcast_to(cp.arange(n, { dtype = dtype or core.default_dtype() }):reshape(own), shape)
    end
    return (f((table.unpack or unpack)(list))) -- luacheck: ignore
  end)

  --- Applies f to each vector along an axis, and assembles the results.
  ---@param func1d function  gives an array or a number
  ---@param axis integer
  ---@param arr any
  ---@return any
  core.publish("apply_along_axis", "func1d, axis, arr", 3, function(where, func1d, axis, arr)
    func1d = core.callable(func1d, where, "func1d")
    arr = core.as_array(arr, where, "arr")
    axis = core.axis(axis, where, "axis", arr.ndim)
    if arr.size == 0 then usage(where, "arr must not be empty") end
    local moved = cp.moveaxis(arr, axis, -1)
    local rest, results = {}, {}
    for d = 1, moved.ndim - 1 do rest[d] = core.extent(moved, d) end
    local rows = moved:reshape({ arr.size / core.extent(arr, axis), core.extent(arr, axis) })
    for k = 1, #rows do results[k] = core.as_array(func1d(rows[k]), where, "result") end
    local all = cp.stack(results, 1)
    local count = #rest
    for d = 2, all.ndim do rest[#rest + 1] = core.extent(all, d) end
    all = all:reshape(rest)
    local from, to = {}, {}
    for d = count + 1, all.ndim do from[#from + 1], to[#to + 1] = d, axis + d - count - 1 end
    return #from > 0 and cp.moveaxis(all, from, to) or all
  end)

  --- Applies func(a, axis) for one axis after the other, each time to the previous result.
  ---@param func function  func(a, axis) returns an array with as many axes as a, or one less
  ---@param a any
  ---@param axes any  an axis or a table of axes
  ---@return any  with as many axes as a
  core.publish("apply_over_axes", "func, a, axes", 3, function(where, func, a, axes)
    func = core.callable(func, where, "func")
    a = core.as_array(a, where, "a")
    local result = a
    for k, axis in ipairs(type(axes) == "table" and axes or { axes }) do
      axis = core.axis(axis, where, type(axes) == "table" and string.format("axes[%d]", k) or "axes", a.ndim)
      local one = core.as_array(func(result, axis), where, "func's result")
      if one.ndim == result.ndim - 1 then one = cp.expand_dims(one, axis) end
      if one.ndim ~= result.ndim then
        core.raise(where, "shape", string.format("func gives %s for an array with %d",
          core.counted(one.ndim, "axis", "axes"), result.ndim))
      end
      result = one
    end
    return result
  end)

  --- Values of the function whose condition is true; an additional last function applies where none is.
  ---@param x any
  ---@param condlist table  masks
  ---@param funclist table  functions or numbers, as many as masks or one more
  ---@return any
  method("piecewise", "x, condlist, funclist", 3, function(where, x, condlist, funclist)
    x = core.as_array(x, where, "x")
    if cp.is_array(condlist) then condlist = { condlist } end
    if type(condlist) ~= "table" then usage(where, "condlist must be a table of masks, not " .. type(condlist)) end
    if type(funclist) ~= "table" then
      usage(where, "funclist must be a table of functions and numbers, not " .. type(funclist))
    end
    if #funclist ~= #condlist and #funclist ~= #condlist + 1 then
      usage(where, string.format("funclist has %d entries for %d conditions", #funclist, #condlist))
    end
    local function value(f)
      if type(f) == "function" then
        return core.as_array(core.callable(f, where, "a function")(x), where, "result"):astype(x.dtype, false)
      end
      return cp.scalar(f, x.dtype)
    end
    local result = funclist[#condlist + 1] ~= nil and value(funclist[#condlist + 1]) or cp.zeros_like(x)
    for k, condition in ipairs(condlist) do result = cp.where(condition, value(funclist[k]), result) end
    return result
  end)

  -- ---- iteration over indices

  -- A loop over indices in C order: each step gives a new table, then f of the position in the flat array.
  local function positions(shape, f)
    local size, at = 1, {}
    for d, n in ipairs(shape) do size, at[d] = size * n, 1 end
    if #shape > 0 then at[#shape] = 0 end
    local k = 0
    return function()
      if k == size then return nil end
      k = k + 1
      local d = #shape
      while d > 0 and at[d] == shape[d] do
        at[d], d = 1, d - 1
      end
      if d > 0 then at[d] = at[d] + 1 end
      local copy = {}
      for e = 1, #shape do copy[e] = at[e] end
      if f then return copy, f(k) end
      return copy
    end
  end

  --- Iterates over the indices, from 1, of an array of this shape:
  --- `for at in cp.ndindex(2, 3) do ... x[at] ... end`.
  ---@param ... any  lengths, or one table of them
  ---@return function
  function cp.ndindex(...)
    local shape = select("#", ...) == 1 and (...) or { ... }
    return positions(core.shape(shape, "ndindex", "shape"))
  end

  --- Iterates over the indices and values of an array: `for at, v in cp.ndenumerate(x) do`. The values are
  --- those at the start of the loop.
  ---@param arr any
  ---@return function
  method("ndenumerate", "arr", 1, function(where, arr)
    arr = core.as_array(arr, where, "arr")
    local values = arr.ndim == 0 and { arr:item() } or arr:reshape(-1):totable()
    return positions(arr.shape, function(k) return values[k] end)
  end)
end
