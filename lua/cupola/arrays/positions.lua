-- Functions that return positions: arrays of int64, counted from 1, in tables with an array for each axis.
-- Such a table is an index: x[cp.nonzero(m)].

return function(cp, core)
  local method = core.method

  -- ---- of elements

  -- The rows of an array as a table of 1-d arrays.
  local function rows_of(x)
    local list = {}
    for k = 1, core.extent(x, 1) do list[k] = x[{ k, cp.ellipsis }] end
    return list
  end

  local function need_axis(where, a)
    if a.ndim == 0 then core.raise(where, "shape", "a 0-d array has no positions; use cp.atleast_1d") end
    return a
  end

  --- The same as cp.nonzero, for an array.
  function core.nonzero(a, where) return rows_of(core.positions(where, need_axis(where, a))) end

  --- The positions of nonzero elements (nan is nonzero), in C order: a table with an array for each axis.
  ---@param a any
  ---@return table
  method("nonzero", "a", 1, function(where, a) return core.nonzero(core.as_array(a, where, "a"), where) end)

  --- The positions of nonzero elements in the flat array.
  ---@param a any
  ---@return any
  method("flatnonzero", "a", 1, function(where, a)
    return core.positions(where, core.as_array(a, where, "a"):reshape(-1)):reshape(-1)
  end)

  --- The positions of nonzero elements, as an array with a row for each.
  ---@param a any
  ---@return any  array (count, axes of a)
  method("argwhere", "a", 1, function(where, a)
    a = core.as_array(a, where, "a")
    if a.ndim > 0 then return core.positions(where, a, true) end
    return cp.empty({ a:item() ~= 0 and a:item() ~= false and 1 or 0, 0 }, { dtype = "int64", device = a.device })
  end)

  -- ---- of shapes

  local function length(v, where, argument, missing)
    local n = core.integer(v, where, argument, missing)
    if n < 0 then core.raise(where, "shape", argument .. " must not be negative, but is " .. string.format("%d", n)) end
    return n
  end

  --- Arrays that together select every combination of their positions: `x[cp.ix_({1, 3}, {2, 5})]` has 2 rows
  --- and 2 columns.
  ---@param ... any  for each axis: whole numbers, or booleans
  ---@return table
  core.publish("ix_", "...", 0, function(where, ...)
    local list, n = { ... }, select("#", ...)
    for k = 1, n do
      local x = list[k]
      local argument = string.format("argument %d", k)
      if type(x) == "table" and type(x[1]) ~= "boolean" then x = cp.array(x, "int64") end
      x = core.as_array(x, where, argument)
      if x.ndim ~= 1 then
        core.raise(where, "shape", argument .. " must have one axis, not shape " .. tostring(x.shape))
      end
      if x.dtype == "bool" then x = core.positions(where, x):reshape(-1) end
      local shape = {}
      for d = 1, n do shape[d] = d == k and x.size or 1 end
      list[k] = core.positions_of(x, where, argument, x):reshape(shape)
    end
    return list
  end)

  -- ---- of flat arrays and back

  -- Converts numbers and arrays to operands; the last result says whether all are plain numbers.
  local function read_positions(where, list, argument)
    local plain = true
    for k, v in ipairs(list) do
      if core.is_scalar(v) then
        list[k] = core.integer(v, where, argument)
      else
        if type(v) == "table" then v = cp.array(v, "int64") end
        list[k] = core.positions_of(core.as_array(v, where, argument), where, argument, v):astype("int64", false)
        plain = false
      end
    end
    return plain
  end

  -- Checks that position i (a number or an array) is in range on an axis of length n.
  local function check_range(where, i, n, argument)
    local bad
    if cp.is_array(i) then
      local least, most = core.extremes(where, i)
      if least ~= nil then bad = least < 1 or most > n else bad = (i:lt(1):logical_or(i:gt(n))):any() end
    else
      bad = i < 1 or i > n
    end
    if bad then
      core.raise(where, "index", string.format("%s holds a position out of range for length %d", argument, n))
    end
    return i
  end

  local function by_mode(where, i, n, mode)
    if mode == nil or mode == "raise" then return check_range(where, i, n, "multi_index") end
    if mode == "wrap" then return (i - 1) % n + 1 end
    if mode ~= "clip" then core.not_among(where, "mode", '"raise", "wrap" or "clip"', mode) end
    return cp.is_array(i) and cp.clip(i, 1, n) or math.max(1, math.min(n, i))
  end

  -- The axes of a shape, from the one with the smallest stride.
  local function axis_order(where, ndim, order)
    if order ~= nil and order ~= "C" and order ~= "F" then
      core.not_among(where, "order", '"C" or "F"', order)
    end
    local axes = {}
    for k = 1, ndim do axes[k] = order == "F" and k or ndim + 1 - k end
    return axes
  end

  --- The positions in the flat array of a shape from positions along its axes.
  ---@param multi_index table  for each axis a whole number from 1 or an array of them
  ---@param dims any  the shape
  ---@param mode? string  "raise" (default), "wrap" or "clip"; or a table of them, one for each axis
  ---@param order? string  "C" (default) or "F"
  ---@return any  a number when all are numbers
  core.publish("ravel_multi_index", "multi_index, dims, mode, order", 2,
    function(where, multi_index, dims, mode, order)
      local shape, list = core.shape(dims, where, "dims"), {}
      if cp.is_array(multi_index) then
        list = rows_of(need_axis(where, core.as_array(multi_index, where, "multi_index")))
      elseif type(multi_index) == "table" then
        for k, v in ipairs(multi_index) do list[k] = v end
      else
        core.raise(where, "usage", "multi_index must be a table with positions for each axis, not "
          .. type(multi_index))
      end
      if #list ~= #shape then
        core.raise(where, "usage", string.format("multi_index has %s for %s",
          core.counted(#list, "part"), core.counted(#shape, "axis", "axes")))
      end
      read_positions(where, list, "multi_index")
      local size = core.size(where, shape)
      local flat, step = 1, size - size + 1 -- of the type of the size, which may be cdata in LuaJIT
      for _, k in ipairs(axis_order(where, #shape, order)) do
        local i = by_mode(where, list[k], shape[k], type(mode) == "table" and mode[k] or type(mode) ~= "table" and mode
          or nil)
        flat = (i - 1) * step + flat
        step = step * shape[k]
      end
      return flat
    end)

  local function whole_divide(a, b)
    if cp.is_array(a) then return cp.floor_divide(a, b) end
    return cp.floor_divide(cp.scalar(a, "int64"), cp.scalar(b, "int64")) -- Lua 5.1 has no integer division
  end

  --- The positions along the axes of a shape from positions in its flat array.
  ---@param indices any  whole numbers from 1
  ---@param shape any
  ---@param order? string  "C" (default) or "F"
  ---@return table  for each axis an array, or a number if indices is a number
  core.publish("unravel_index", "indices, shape, order", 2, function(where, indices, shape, order)
    local list = { indices }
    shape = core.shape(shape, where, "shape")
    local size = core.size(where, shape)
    read_positions(where, list, "indices")
    local rest, result = check_range(where, list[1], size, "indices") - 1, {}
    local axes = axis_order(where, #shape, order)
    for j, k in ipairs(axes) do
      if j == #axes and cp.is_array(rest) then
        result[k] = rest + 1 -- which is in range, as the position is
      else
        local up = whole_divide(rest, shape[k])
        result[k] = rest - up * shape[k] + 1
        rest = up
      end
    end
    return result
  end)

  -- ---- of matrices

  local function matrix_of(where, arr)
    arr = core.as_array(arr, where, "arr")
    if arr.ndim ~= 2 then core.raise(where, "shape", "arr must have two axes, not shape " .. tostring(arr.shape)) end
    return arr
  end

  -- A length of a shape that need not exist: negative lengths are 0.
  local function size_of(v, where, argument, missing)
    return math.max(core.integer(v, where, argument, missing), 0)
  end

  local function triangle(where, n, k, m, upper, device)
    n, k = size_of(n, where, "n"), core.integer(k, where, "k", 0)
    m = size_of(m, where, "m", n)
    k = math.max(-n, math.min(m, k))
    local lower = cp.tri(n, m, upper and k - 1 or k, { dtype = "bool", device = device })
    return rows_of(core.positions(where, upper and cp.logical_not(lower) or lower))
  end

  --- The positions on and above diagonal k of a matrix with n rows.
  ---@param n integer
  ---@param k? integer  the diagonal; default 0, the main one
  ---@param m? integer  columns; default n
  ---@return table
  core.publish("triu_indices", "n, k, m", 1, function(where, n, k, m)
    return triangle(where, n, k, m, true)
  end)

  --- The positions on and below diagonal k of a matrix with n rows.
  ---@param n integer
  ---@param k? integer  the diagonal; default 0, the main one
  ---@param m? integer  columns; default n
  ---@return table
  core.publish("tril_indices", "n, k, m", 1, function(where, n, k, m)
    return triangle(where, n, k, m, false)
  end)

  --- The positions on and above diagonal k of a given matrix.
  ---@param arr any
  ---@param k? integer  default 0
  ---@return table
  method("triu_indices_from", "arr, k", 1, function(where, arr, k)
    arr = matrix_of(where, arr)
    return triangle(where, core.extent(arr, 1), k, core.extent(arr, 2), true, arr.device)
  end)

  --- The positions on and below diagonal k of a given matrix.
  ---@param arr any
  ---@param k? integer  default 0
  ---@return table
  method("tril_indices_from", "arr, k", 1, function(where, arr, k)
    arr = matrix_of(where, arr)
    return triangle(where, core.extent(arr, 1), k, core.extent(arr, 2), false, arr.device)
  end)

  local function diagonal(n, ndim, device)
    local list = {}
    for k = 1, ndim do list[k] = cp.arange(n, { dtype = "int64", device = device }) + 1 end
    return list
  end

  --- The positions of the main diagonal of an array whose axes all have length n.
  ---@param n integer
  ---@param ndim? integer  default 2
  ---@return table
  core.publish("diag_indices", "n, ndim", 1, function(where, n, ndim)
    return diagonal(size_of(n, where, "n"), core.integer(ndim, where, "ndim", 2, 0, 32))
  end)

  --- The positions of the main diagonal of a given array.
  ---@param arr any  an array whose axes have equal length
  ---@return table
  method("diag_indices_from", "arr", 1, function(where, arr)
    arr = core.as_array(arr, where, "arr")
    if arr.ndim < 2 then
      core.raise(where, "shape", "arr must have at least 2 axes, not shape " .. tostring(arr.shape))
    end
    for k = 2, arr.ndim do
      if core.extent(arr, k) ~= core.extent(arr, 1) then
        core.raise(where, "shape", "all axes must have the same length, not shape " .. tostring(arr.shape))
      end
    end
    return diagonal(core.extent(arr, 1), arr.ndim, arr.device)
  end)

  --- The positions of the elements that a mask function keeps: `cp.mask_indices(3, cp.triu)`.
  ---@param n integer
  ---@param mask_func function  called as mask_func(m, k) with an n by n matrix of ones
  ---@param k? any  default 0
  ---@return table
  core.publish("mask_indices", "n, mask_func, k", 2, function(where, n, mask_func, k)
    n = length(n, where, "n")
    mask_func = core.callable(mask_func, where, "mask_func")
    local m = mask_func(cp.ones({ n, n }, "int64"), k == nil and 0 or k)
    return rows_of(core.positions(where, core.as_array(m, where, "mask_func's result")))
  end)
end
