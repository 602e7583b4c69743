-- Joining arrays along an axis: concatenate, stack and similar functions. src/lua/routines/join.c writes each
-- array straight to its place; here is what else they take: tables, numbers, out, casts. Axes count from 1.

return function(cp, core)

  local method, raise_shape = core.method, core.raise_shape
  local slice, shape_of, new_like = core.slice, core.shape_of, core.new_like

  -- What errors call the elements of a list; the first names are made once.
  local element_names = {}
  for k = 1, 16 do element_names[k] = string.format("arrays[%d]", k) end
  local function element_name(k) return element_names[k] or string.format("arrays[%d]", k) end

  -- A list of arrays from a table of arrays, tables and numbers, or an array. following: the next argument.
  local function list_of(where, arrays, following)
    local list, form = {}, "cp." .. where .. "{a, b}"
    if cp.is_array(following) then core.raise(where, "usage", "the arrays are one argument, a table: " .. form) end
    if cp.is_array(arrays) then arrays = core.as_array(arrays, where, "arrays") end -- raises if freed
    if cp.is_array(arrays) and arrays.ndim > 0 then
      for k = 1, #arrays do
        list[k] = slice(arrays, 1, k, k)
        list[k] = list[k]:reshape({ unpack(list[k].shape, 2) })
      end
    elseif type(arrays) == "table" then
      list = core.as_arrays(where, arrays, element_name)
    else
      core.raise(where, "usage", "arrays must be a table of arrays, as in " .. form .. ", not "
        .. (arrays == nil and "nil (missing)" or type(arrays)))
    end
    if #list == 0 then core.raise(where, "usage", "needs at least one array") end
    return list
  end

  -- What becomes of the shape of each array before it is joined to the others (src/lua/routines/join.c).
  -- Those after NEW_AXIS say along which axis, which depends on the first array.
  local AS_IS, NEW_AXIS, ROWS, LINES, COLUMNS, LAYERS = 0, 1, 2, 3, 4, 5

  local in_form = {
    [AS_IS] = function(x) return x end,
    [ROWS] = cp.atleast_2d,
    [LINES] = cp.atleast_1d,
    [COLUMNS] = function(x) return x.ndim < 2 and x:reshape({ x.size, 1 }) or x end,
    [LAYERS] = cp.atleast_3d,
  }
  local axis_in_form = {
    [ROWS] = function() return 1 end,
    [LINES] = function(x) return x.ndim == 1 and 1 or 2 end,
    [COLUMNS] = function() return 2 end,
    [LAYERS] = function() return 3 end,
  }

  -- The list of arrays in a form, and the axis to join them along.
  local function brought_into(form, where, list, axis)
    local first, shaped = list[1], {}
    if form == NEW_AXIS then
      axis = core.axis(axis, where, "axis", first.ndim + 1, 1)
      for _, x in core.each(where, list) do
        if not core.same_shape(x, first) then
          raise_shape(where, "shapes " .. first.shape .. " and " .. x.shape .. " differ")
        end
      end
    end
    local shape_one = in_form[form] or function(x) return cp.expand_dims(x, axis) end
    for k, x in core.each(where, list) do shaped[k] = shape_one(x) end
    first = shaped[1]
    if first.ndim == 0 then raise_shape(where, "0-d arrays cannot be joined; cp.stack gives them an axis") end
    if axis_in_form[form] then return shaped, axis_in_form[form](first) end
    return shaped, core.axis(axis, where, "axis", first.ndim, 1)
  end

  -- Joins the list along an axis that all arrays have, in their promoted dtype or another that the casting
  -- rule allows.
  local function join(where, list, form, axis, out, dtype, casting)
    local joined = out == nil and casting == nil and core.join(where, list, form, axis, dtype)
    if joined then return joined end
    list, axis = brought_into(form, where, list, axis)
    local first = list[1]
    local shape, total = shape_of(first), core.join_length(where, list, axis)
    if total < 0 then
      local other = list[-total].shape
      raise_shape(where, "shapes " .. first.shape .. " and " .. other .. " differ beside axis " .. axis)
    end
    shape[axis] = core.length(where, 0, total)
    local result = out
    if out == nil then
      result = new_like(first, shape, dtype ~= nil and core.dtype(dtype, where) or core.common_dtype(where, list))
    elseif not cp.is_array(out) or not out:has_shape(unpack(shape)) then
      raise_shape(where, "out must be an array of shape " .. core.shape(shape, where, "shape"))
    end
    local done = 0
    for _, x in ipairs(list) do
      local n = x.shape[axis]
      if casting ~= nil then
        core.check_cast(where, x, result, casting)
        x = x:astype(result.dtype, false)
      end
      if n > 0 then core.write(where, slice(result, axis, done + 1, done + n), x) end
      done = done + n
    end
    return result
  end

  -- The same for an argument, which is usually a table of arrays. following: the next argument.
  local function join_all(where, arrays, following, form, axis, out, dtype, casting)
    local joined = out == nil and casting == nil and core.join(where, arrays, form, axis, dtype)
    return joined or join(where, list_of(where, arrays, following), form, axis, out, dtype, casting)
  end

  --- Joins arrays along an existing axis: `cp.concatenate{a, b, axis = 2}`.
  ---@param arrays table  arrays whose shapes differ only along the axis
  ---@param axis? integer|false  default 1; false joins the flat arrays
  ---@param out? any  array of the result's shape
  ---@param dtype? string  default: the promoted dtype
  ---@param casting? string  "no", "safe", "same_kind" (default) or "unsafe": which casts are allowed
  ---@return any
  core.publish("concatenate", "arrays, axis, out, dtype, casting", 1, function(where, arrays, axis, ...)
    if axis ~= false then return join_all(where, arrays, axis, AS_IS, axis, ...) end
    local list = list_of(where, arrays, axis)
    for k, x in ipairs(list) do list[k] = x:reshape(-1) end
    return join(where, list, AS_IS, 1, ...)
  end)
  cp.concat = cp.concatenate

  --- Joins arrays of the same shape along a new axis.
  ---@param arrays table
  ---@param axis? integer  the position of the new axis in the result; default 1
  ---@param out? any
  ---@param dtype? string
  ---@param casting? string  "no", "safe", "same_kind" (default) or "unsafe": which casts are allowed
  ---@return any
  core.publish("stack", "arrays, axis, out, dtype, casting", 1, function(where, arrays, axis, ...)
    return join_all(where, arrays, axis, NEW_AXIS, axis, ...)
  end)

  -- A function that brings every array into a form and joins them.
  local function joiner(name, form)
    core.publish(name, "arrays, dtype, casting", 1, function(where, arrays, dtype, casting)
      return join_all(where, arrays, dtype, form, nil, nil, dtype, casting)
    end)
  end

  --- Joins arrays along the first axis; (n) counts as (1, n).
  ---@param arrays table
  ---@param dtype? string  default: the promoted dtype
  ---@param casting? string  which casts are allowed; default "same_kind"
  ---@return any
  joiner("vstack", ROWS)
  cp.row_stack = cp.vstack
  --- Joins arrays along the second axis, vectors along their only axis.
  ---@param arrays table
  ---@param dtype? string  default: the promoted dtype
  ---@param casting? string  which casts are allowed; default "same_kind"
  ---@return any
  joiner("hstack", LINES)
  --- Joins arrays along the third axis; (n) counts as (1, n, 1), (n, m) as (n, m, 1).
  ---@param arrays table
  ---@param dtype? string  default: the promoted dtype
  ---@param casting? string  which casts are allowed; default "same_kind"
  ---@return any
  joiner("dstack", LAYERS)
  --- Joins vectors as columns, and matrices along the second axis.
  ---@param arrays table
  ---@param dtype? string  default: the promoted dtype
  ---@param casting? string  which casts are allowed; default "same_kind"
  ---@return any
  joiner("column_stack", COLUMNS)

  --- Appends values to an array; without an axis both are flattened first.
  ---@param arr any
  ---@param values any
  ---@param axis? integer
  ---@return any
  method("append", "arr, values, axis", 2, function(where, arr, values, axis)
    local list = core.as_arrays(where, { arr, values }, function(k) return k == 1 and "arr" or "values" end)
    if axis == nil then list[1], list[2] = list[1]:reshape(-1), list[2]:reshape(-1) end
    return join(where, list, AS_IS, axis)
  end)
end
