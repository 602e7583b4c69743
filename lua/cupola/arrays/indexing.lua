-- Selecting and writing elements by positions, masks and choices: functions around x[index] and x[index] = v
-- (src/lua/indexing/fancy.c). Positions count from 1, or from the end when negative. Functions that find
-- positions are in lua/cupola/arrays/positions.lua.

return function(cp, core, methods)

  local both, method = core.both, core.method

  -- The array to write, which must not be a table.
  local function target(a, where, argument)
    if not cp.is_array(a) then
      core.raise(where, "usage", argument .. " must be an array, not " .. (a == nil and "nil (missing)" or type(a)))
    end
    return core.as_array(a, where, argument)
  end

  -- Positions as an array of integers on x's device.
  local function positions(v, where, argument, x)
    if not cp.is_array(v) then
      if v == nil then core.raise(where, "usage", argument .. " is missing") end
      v = cp.array(v, { dtype = "int64", device = x.device })
    end
    local kind = core.kind(v.dtype)
    if kind ~= "i" and kind ~= "u" then
      core.raise(where, "dtype", argument .. " must be whole numbers, not " .. v.dtype .. "; convert with :astype")
    end
    return v
  end

  core.positions_of = positions

  -- A mask as an array of bool on x's device.
  local function truths(v, where, argument, x)
    if not cp.is_array(v) then v = cp.array(v, { device = x and x.device }) end
    return core.as_array(v, where, argument):astype("bool", false)
  end

  -- Converts values to be written into a to its dtype, by a same_kind cast. Lua values stay.
  local function values_for(v, where, argument, a)
    if core.is_scalar(v) then return v end
    if type(v) == "table" then v = cp.array(v, { dtype = a.dtype, device = a.device }) end
    v = core.as_array(v, where, argument)
    if not cp.can_cast(v, a.dtype, "same_kind") then
      core.raise(where, "dtype", string.format("cannot write %s into %s; convert with :astype(\"%s\")", v.dtype,
        a.dtype,
        a.dtype))
    end
    return v:astype(a.dtype, false)
  end

  -- v's elements in a shape, repeated from the start if there are too few.
  local function repeated(v, where, argument, shape, size)
    if v.size == size then return v:reshape(shape) end
    if v.size == 0 then core.raise(where, "shape", argument .. " is empty") end
    return cp.resize(v, shape)
  end

  -- Index i on an axis of length n, brought into range by NumPy's modes "wrap" and "clip"; 0 remains, which
  -- is an error.
  local function bring_into_range(i, n, mode, where)
    if mode == nil or mode == "raise" then return i end
    if n == 0 then core.raise(where, "index", "cannot take positions from an empty axis") end
    i = i:astype("int64", false)
    if mode == "clip" then return cp.clip(i, 1, n) end
    if mode ~= "wrap" then core.not_among(where, "mode", '"raise", "wrap" or "clip"', mode) end
    local turned = cp.where(i:gt(0), (i - 1) % n + 1, -((-i - 1) % n) - 1)
    return cp.where(i:eq(0), i, turned)
  end

  -- An index that has `item` for one axis and selects all of the axes before it.
  local function on_axis(axis, item)
    local key = {}
    for k = 1, axis - 1 do key[k] = {} end
    key[axis] = item
    return key
  end

  local function finish(where, out, value)
    if out == nil then return value end
    return core.write_out(where, out, value)
  end

  -- ---- selection by positions

  local function take(where, a, indices, axis, out, mode)
    a = core.as_array(a, where, "a")
    if axis == nil or a.ndim == 0 then a = a:reshape(-1) end
    axis = core.axis(axis, where, "axis", a.ndim, 1)
    local single = core.is_scalar(indices) and mode == nil and out == nil
    if single then
      local element = core.choose(where, a, on_axis(axis, core.integer(indices, where, "indices")))
      return cp.is_array(element) and element:copy() or element
    end
    indices = bring_into_range(positions(indices, where, "indices", a), a.shape[axis], mode, where)
    return finish(where, out, core.choose(where, a, on_axis(axis, indices)))
  end

  --- Selects elements along an axis by position: `cp.take(x, {1, -1}, 2)` gives the first and the last
  --- column.
  ---@param a any
  ---@param indices any  whole numbers: one, a table or an array of any shape
  ---@param axis? integer  default: of the flat array
  ---@param out? any  array of the result's shape
  ---@param mode? string  "raise" (default), "wrap" around, or "clip" to the ends
  ---@return any  an array in which the axes of indices replace the axis
  method("take", "a, indices, axis, out, mode", 2, function(where, a, indices, axis, out, mode)
    return take(where, a, indices, axis, out, mode)
  end)

  local function check_axes(where, arr, indices, axis)
    if axis == nil then return arr:reshape(-1), indices, 1 end
    return arr, indices, core.axis(axis, where, "axis", arr.ndim)
  end

  --- Selects elements along an axis by an array of positions, such as the results of argsort and argmax.
  ---@param arr any
  ---@param indices any  whole numbers with as many axes as arr; the other axes broadcast
  ---@param axis? integer  default -1
  ---@return any
  method("take_along_axis", "arr, indices, axis", 2, function(where, arr, indices, axis)
    arr = core.as_array(arr, where, "arr")
    indices = positions(indices, where, "indices", arr)
    axis = core.axis(axis == nil and -1 or axis, where, "axis", arr.ndim)
    return core.along(where, "read", arr, indices, axis)
  end)

  --- Writes values at such positions. If a position occurs twice, the last value stays, as in
  --- `x[i] = values`.
  ---@param arr cupola.Array
  ---@param indices any
  ---@param values any  broadcasts with indices
  ---@param axis? integer  nil: of the flat array, which must be contiguous
  method("put_along_axis", "arr, indices, values, axis", 3, function(where, arr, indices, values, axis)
    arr = target(arr, where, "arr")
    indices = positions(indices, where, "indices", arr)
    if axis == nil and not arr.flags.c_contiguous then
      core.raise(where, "usage", "axis is missing, and the array is not contiguous")
    end
    arr, indices, axis = check_axes(where, arr, indices, axis)
    core.along(where, "write", arr, indices, axis, values)
  end)

  -- Calls f(flat) to write through the flat array.
  local function through_flat(a, f)
    if a.flags.c_contiguous then return f(a:reshape(-1)) end
    local flat = a:reshape(-1)
    f(flat)
    a:assign(flat:reshape(a.shape))
  end

  --- Writes values at positions of the flat array, repeating them if there are too few. If a position occurs
  --- twice, the last value stays, as in `x[i] = values`.
  ---@param a cupola.Array
  ---@param ind any  whole numbers
  ---@param v any
  ---@param mode? string  "raise" (default), "wrap" or "clip"
  method("put", "a, ind, v, mode", 3, function(where, a, ind, v, mode)
    a = target(a, where, "a")
    ind = bring_into_range(positions(ind, where, "ind", a), a.size, mode, where):reshape(-1)
    v = values_for(v, where, "v", a)
    if cp.is_array(v) then
      if ind.size == 0 or v.size == 0 then return end
      v = repeated(v:reshape(-1), where, "v", { ind.size }, ind.size)
    end
    through_flat(a, function(flat) core.choose_write(where, flat, ind, v) end)
  end)

  -- element = element op value, for every element that the index selects.
  local function scatter(name, kind)
    method(name, "a, slices, value", 3, function(where, a, slices, value)
      core.scatter(where, kind, target(a, where, "a"), slices, value)
    end)
  end

  --- Adds values to the elements that an index selects; an element that it selects twice gets both. On a GPU,
  --- sums of floats may differ in their last bits between runs, and float32 treats subnormal values as 0;
  --- `cp.deterministic(true)` makes them repeatable.
  ---@param a cupola.Array
  ---@param slices any  any index of a: positions, ranges, arrays, a table of them
  ---@param value any  broadcasts with a[slices]
  scatter("scatter_add", "add")
  --- Each chosen element becomes the larger one of itself and its values; nan stays.
  ---@param a cupola.Array
  ---@param slices any
  ---@param value any
  scatter("scatter_max", "max")
  --- Each chosen element becomes the smaller one of itself and its values; nan stays.
  ---@param a cupola.Array
  ---@param slices any
  ---@param value any
  scatter("scatter_min", "min")

  -- ---- by masks

  -- A condition of one axis, cut to length n where it is longer; nothing behind that may be true.
  local function within(where, condition, n)
    if condition.size <= n then return condition end
    if core.count_true(where, core.slice(condition, 1, n + 1, condition.size)) > 0 then
      core.raise(where, "index", string.format("a condition of length %d is true beyond the %d elements",
        condition.size, n))
    end
    return core.slice(condition, 1, 1, n)
  end

  --- Slices along an axis where a condition is true.
  ---@param condition any  truth values, none of them true beyond the axis
  ---@param a any
  ---@param axis? integer  default: of the flat array
  ---@param out? any
  ---@return any
  core.publish("compress", "condition, a, axis, out", 2, function(where, condition, a, axis, out)
    a = core.as_array(a, where, "a")
    condition = truths(condition, where, "condition", a)
    if condition.ndim ~= 1 then
      core.raise(where, "shape", "condition must have one axis, not shape " .. tostring(condition.shape))
    end
    if axis == nil or a.ndim == 0 then a = a:reshape(-1) end
    axis = core.axis(axis, where, "axis", a.ndim, 1)
    condition = within(where, condition, a.shape[axis])
    if condition.size < a.shape[axis] then a = core.slice(a, axis, 1, condition.size) end
    return finish(where, out, core.choose(where, a, on_axis(axis, condition)))
  end)

  --- Slices of the array along an axis where a condition is true: `x:compress(condition, axis)`.
  ---@param a any
  ---@param condition any
  ---@param axis? integer
  ---@param out? any
  ---@return any
  methods.compress = function(a, condition, ...) return cp.compress(condition, a, ...) end

  --- Elements of the flat array where a condition, flat too, is true.
  ---@param condition any
  ---@param arr any
  ---@return any
  core.publish("extract", "condition, arr", 2, function(where, condition, arr)
    arr = core.as_array(arr, where, "arr"):reshape(-1)
    condition = within(where, truths(condition, where, "condition", arr):reshape(-1), arr.size)
    if condition.size < arr.size then arr = core.slice(arr, 1, 1, condition.size) end
    return core.choose(where, arr, condition)
  end)

  -- A mask in the shape of a, of whose size it is.
  local function shaped(where, mask, a)
    if mask.size ~= a.size then
      core.raise(where, "shape", "a mask of shape " .. mask.shape .. " for an array of shape " .. a.shape)
    end
    return mask:reshape(a.shape)
  end

  --- Writes values, in order and from the start again where they do not suffice, where a mask is true.
  ---@param arr cupola.Array
  ---@param mask any  of arr's size
  ---@param vals any
  method("place", "arr, mask, vals", 3, function(where, arr, mask, vals)
    arr = target(arr, where, "arr")
    mask = shaped(where, truths(mask, where, "mask", arr), arr)
    vals = values_for(vals, where, "vals", arr)
    if cp.is_array(vals) then
      local count = core.count_true(where, mask)
      if count == 0 then return end
      vals = repeated(vals:reshape(-1), where, "vals", { count }, count)
    end
    core.choose_write(where, arr, mask, vals)
  end)

  --- Writes values where a mask is true: each place has its own, by its number in the flat array, from the
  --- start again where values do not suffice.
  ---@param a cupola.Array
  ---@param mask any  of a's size
  ---@param values any
  method("putmask", "a, mask, values", 3, function(where, a, mask, values)
    a = target(a, where, "a")
    mask = shaped(where, truths(mask, where, "mask", a), a)
    values = values_for(values, where, "values", a)
    if not cp.is_array(values) then return core.choose_write(where, a, mask, values) end
    if values.size == 0 or a.size == 0 then return end
    values = repeated(values, where, "values", a.shape, a.size)
    core.write(where, a, cp.where(mask, values, a))
  end)

  local assign_all = cp.copyto

  --- Writes src into dst, where a condition is true.
  ---@param dst cupola.Array
  ---@param src any  broadcasts to dst
  ---@param where? any  truth values that broadcast to dst; default: everywhere
  ---@param casting? string  "no", "safe", "same_kind" (default) or "unsafe": which casts are allowed
  method("copyto", "dst, src, where, casting", 2, function(where, dst, src, mask, casting)
    if casting ~= nil then
      local given = core.as_array(src, where, "src", dst)
      if casting == "unsafe" or not core.is_scalar(src) then
        core.check_cast(where, given, target(dst, where, "dst"), casting)
        src = given:astype(dst.dtype, false)
      end
    end
    if mask == nil then return assign_all(dst, src) end
    dst = target(dst, where, "dst")
    src = values_for(src, where, "src", dst)
    mask = truths(mask, where, "where", dst)
    if not cp.is_array(src) then return core.choose_write(where, dst, cp.broadcast_to(mask, dst.shape), src) end
    core.write(where, dst, cp.where(mask, src, dst))
  end)

  -- ---- by choices

  -- A list of arrays from a table of arrays, tables and numbers, or from an array's rows.
  local function list_of(where, v, argument)
    local list = {}
    if cp.is_array(v) then
      for k = 1, #v do list[k] = core.as_array(v, where, argument)[{ k, cp.ellipsis }] end
    elseif type(v) == "table" then
      for k = 1, #v do list[k] = core.as_array(v[k], where, string.format("%s[%d]", argument, k)) end
    end
    if #list == 0 then core.raise(where, "usage", argument .. " must be a table of arrays") end
    return list
  end

  -- Where there are plain numbers among `given`, all become arrays of the dtype that they have together;
  -- list: all as arrays.
  local function numbers_beside(list, given)
    local values, device = {}, nil
    for k, x in ipairs(list) do
      values[k] = not cp.is_array(given) and core.is_scalar(given[k]) and given[k] or x
      if rawequal(values[k], x) then device = device or x.device end
    end
    if not device then return end
    local dtype = core.common_dtype("choose", values)
    for k, x in ipairs(list) do
      local plain = not rawequal(values[k], x)
      list[k] = plain and cp.full({}, values[k], { dtype = dtype, device = device }) or x:astype(dtype, false)
    end
  end

  -- a and the arrays of a list, broadcast together, one by one: Lua limits how many values a call takes.
  local function broadcast_list(a, list)
    local whole, wide = a, {}
    for _, x in ipairs(list) do whole = cp.broadcast_arrays(whole, x) end
    local shape = whole.shape
    for k, x in ipairs(list) do wide[k] = cp.broadcast_to(x, shape) end
    return cp.broadcast_to(a, shape), wide
  end

  --- Each element from the array whose number is given: `result[i] = choices[a[i]][i]`.
  ---@param a any  whole numbers
  ---@param choices any  table of arrays that broadcast with a
  ---@param out? any
  ---@param mode? string  "raise" (default), "wrap" or "clip"
  ---@return any
  method("choose", "a, choices, out, mode", 2, function(where, a, choices, out, mode)
    local list = list_of(where, choices, "choices")
    numbers_beside(list, choices)
    choices = list
    a = bring_into_range(positions(a, where, "a", choices[1]), #choices, mode, where)
    local which, wide = broadcast_list(a, choices)
    return finish(where, out, core.along(where, "read", cp.stack(wide), cp.expand_dims(which, 1), 1)[1])
  end)

  --- Each element from the first array whose condition is true there, else default.
  ---@param condlist table  arrays of bool
  ---@param choicelist table  as many arrays or numbers
  ---@param default? any  default 0
  ---@return any
  core.publish("select", "condlist, choicelist, default", 2, function(where, condlist, choicelist, default)
    local conditions = list_of(where, condlist, "condlist")
    if type(choicelist) ~= "table" or #choicelist ~= #conditions then
      core.raise(where, "usage", "condlist and choicelist must be tables of the same length")
    end
    for k, condition in ipairs(conditions) do
      if condition.dtype ~= "bool" then
        core.raise(where, "dtype", string.format("condlist[%d] must be bool, not %s", k, condition.dtype))
      end
    end
    local values = { default == nil and 0 or default }
    for k = 1, #choicelist do values[k + 1] = choicelist[k] end
    local dtype, result = core.common_dtype(where, values), values[1]
    for k = #conditions, 1, -1 do
      local choice, condition = choicelist[k], conditions[k]
      if not core.is_scalar(choice) then
        choice = core.as_array(choice, where, "choicelist", condition):astype(dtype, false)
      end
      result = cp.where(condition, choice, result)
    end
    return result:astype(dtype, false)
  end)

  -- ---- diagonals

  -- The view of the main diagonal of x, an array whose axes count as one.
  local function diagonal_view(x)
    local n, stride = math.huge, 0
    for k = 1, x.ndim do
      n = math.min(n, x.shape[k])
      stride = stride + x.strides[k]
    end
    return cp.as_strided(x, { n }, { stride })
  end

  -- The pieces of the diagonal: one, or for tall matrices with wrap one for each square and a row between.
  local function diagonals(a, wrap)
    local rows, columns = a.shape[1], a.shape[2]
    if not wrap or a.ndim > 2 or rows <= columns + 1 then return { diagonal_view(a) } end
    local list = {}
    for first = 1, rows, columns + 1 do list[#list + 1] = diagonal_view(core.slice(a, 1, first, rows)) end
    return list
  end

  --- Writes a value, or values in turn, along the main diagonal.
  ---@param a cupola.Array  two axes at least; more must be of one length
  ---@param val any
  ---@param wrap? boolean  begin again below the square part of a tall matrix; default false
  method("fill_diagonal", "a, val, wrap", 2, function(where, a, val, wrap)
    a = target(a, where, "a")
    wrap = core.boolean(wrap, where, "wrap", false)
    if a.ndim < 2 then
      core.raise(where, "shape", "a must have at least 2 axes, not shape " .. tostring(a.shape))
    end
    for k = 2, a.ndim > 2 and a.ndim or 1 do
      if a.shape[k] ~= a.shape[1] then core.raise(where, "shape", "all axes must have the same length") end
    end
    if a.size == 0 then return end
    val = values_for(val, where, "val", a)
    local pieces, total, done = diagonals(a, wrap), 0, 0
    for _, piece in ipairs(pieces) do total = total + piece.size end
    if cp.is_array(val) then val = repeated(val:reshape(-1), where, "val", { total }, total) end
    for _, piece in ipairs(pieces) do
      core.write(where, piece, cp.is_array(val) and core.slice(val, 1, done + 1, done + piece.size) or val)
      done = done + piece.size
    end
  end)

  -- ---- where

  local choose_elements = cp.where

  --- Elements of x where a condition is true, of y elsewhere. With the condition alone, the positions where
  --- it is true, as nonzero.
  ---@param condition any
  ---@param x? any
  ---@param y? any
  ---@param out? any
  ---@return any
  both("where", function(condition, ...)
    local alone = select("#", ...) == 0 and condition ~= nil
    if alone and (cp.is_array(condition) or (type(condition) == "table" and #condition > 0)) then
      return core.nonzero(core.as_array(condition, "where", "condition"), "where")
    end
    return choose_elements(condition, ...)
  end)
end
