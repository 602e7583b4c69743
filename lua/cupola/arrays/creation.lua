-- New arrays beyond src/lua/creation/create.c: spaced values, diagonals, grids, and conversions of existing
-- arrays. Axes and positions count from 1.

return function(cp, core)

  local both, method = core.both, core.method

  local usage = core.usage

  local function length(value, where, argument, missing)
    local n = core.integer(value, where, argument, missing)
    if n < 0 then core.raise(where, "shape", argument .. " must not be negative, but is " .. string.format("%d", n)) end
    return n
  end

  local function is_number(v) return core.is_scalar(v) and type(v) ~= "boolean" end

  -- ---- spaced values

  -- Converts a to an array of floating or complex dtype; Lua values stay, weak in promotion.
  local function inexact_array(a, where, argument)
    if core.is_scalar(a) then return a end
    a = core.as_array(a, where, argument)
    return core.is_inexact(a.dtype) and a or a:astype("float64")
  end

  -- linspace with array bounds, called by src/lua/creation/create.c. The result has one axis more than start
  -- and stop broadcast together.
  function core.linspace_of_arrays(start, stop, num, endpoint, retstep, dtype, axis, device)
    num, endpoint = length(num, "linspace", "num", 50), core.boolean(endpoint, "linspace", "endpoint", true)
    start, stop = inexact_array(start, "linspace", "start"), inexact_array(stop, "linspace", "stop")
    local delta = core.operation("linspace", "subtract")(stop, start)
    local parts = endpoint and num - 1 or num
    local column = { num }
    for _ = 1, delta.ndim do column[#column + 1] = 1 end
    local position = cp.arange(num, { dtype = delta.dtype, device = delta.device }):reshape(column)
    local step = delta / (parts > 0 and parts or cp.nan)
    local values = start + (parts > 0 and position * step or position * delta)
    if endpoint and num > 1 then values[num] = stop end
    if dtype ~= nil then dtype = core.dtype(dtype, "linspace") end
    if dtype ~= nil and core.kind(dtype) ~= "f" and core.kind(dtype) ~= "c" then values:floor_() end
    if dtype ~= nil then values = values:astype(dtype, false) end
    if device ~= nil then values = values:to(device) end
    axis = core.axis(axis, "linspace", "axis", values.ndim, 1)
    if axis ~= 1 then values = cp.moveaxis(values, 1, axis) end
    if core.boolean(retstep, "linspace", "retstep", false) then return values, step end
    return values
  end

  -- The dtype for results of these values when none is requested: floating or complex.
  local function wanted_dtype(where, dtype, ...)
    if dtype ~= nil then return core.dtype(dtype, where) end
    return cp.result_type(0.5, ...)
  end

  -- base ^ linspace(start, stop), computed in float64 or complex128 when start and stop are Lua values.
  local function powers(where, start, stop, num, endpoint, base, axis, device)
    num = length(num, where, "num", 50)
    endpoint = core.boolean(endpoint, where, "endpoint", true)
    local wide
    if core.is_scalar(start) and core.is_scalar(stop) then wide = cp.result_type("float64", start, stop) end
    if cp.is_array(base) and base.ndim > 0 then -- values for each base
      start = core.beside(where, base, start, "start")
      start = cp.broadcast_to(start, cp.broadcast_shapes(start.shape, base.shape))
      axis = core.axis(axis, where, "axis", start.ndim + 1, 1)
      base = cp.expand_dims(cp.broadcast_to(base, start.shape), axis)
    end
    local exponents = cp.linspace(start, stop, num, { endpoint = endpoint, dtype = wide, axis = axis, device = device })
    return cp.power(base, exponents), num, endpoint
  end

  local function check_ends(where, start, stop)
    for name, v in pairs { start = start, stop = stop } do
      if not (is_number(v) or cp.is_array(v) or type(v) == "table") then
        usage(where, name .. " must be a number or an array, not " .. type(v))
      end
    end
  end

  --- Values from base ^ start to base ^ stop with evenly spaced exponents.
  ---@param start any  number or array
  ---@param stop any  number or array that broadcasts with start
  ---@param num? integer  default 50
  ---@param endpoint? boolean  whether the last value is base ^ stop; default true
  ---@param base? any  default 10; an array broadcasts with start and stop
  ---@param dtype? string  default: the default dtype
  ---@param axis? integer  the axis of the values when start or stop is an array; default 1
  ---@param device? string
  ---@return any  array (num), or (num, ...) for arrays
  core.publish("logspace", "start, stop, num, endpoint, base, dtype, axis, device", 2,
    function(where, start, stop, num, endpoint, base, dtype, axis, device)
      check_ends(where, start, stop)
      local values = powers(where, start, stop, num, endpoint, base == nil and 10 or base, axis, device)
      return values:astype(wanted_dtype(where, dtype, start, stop), false)
    end)

  local sign, divide = core.operation("geomspace", "sign"), core.operation("geomspace", "divide")
  local log10 = core.operation("geomspace", "log10")

  --- Values from start to stop with equal ratios; both may be negative or complex, but not 0.
  ---@param start any  number or array
  ---@param stop any  number or array that broadcasts with start
  ---@param num? integer  default 50
  ---@param endpoint? boolean  whether the last value is stop; default true
  ---@param dtype? string
  ---@param axis? integer  the axis of the values when start or stop is an array; default 1
  ---@param device? string
  ---@return any
  core.publish("geomspace", "start, stop, num, endpoint, dtype, axis, device", 2,
    function(where, start, stop, num, endpoint, dtype, axis, device)
      check_ends(where, start, stop)
      start, stop = inexact_array(start, where, "start"), inexact_array(stop, where, "stop")
      if dtype ~= nil and core.kind(core.dtype(dtype, where)) == "c" then -- by way of complex numbers
        start, stop = cp.asarray(start):astype(dtype, false), cp.asarray(stop):astype(dtype, false)
      end
      if start == 0 or stop == 0 then usage(where, "start and stop must not be 0") end
      local turn = sign(start) -- values are made on the positive axis and rotated back
      local first, last = divide(start, turn), divide(stop, turn)
      local values
      values, num, endpoint = powers(where, log10(first), log10(last), num, endpoint, 10, nil, device)
      if num > 0 then values[{ { 1, 1 } }] = first end
      if num > 1 and endpoint then values[{ { -1, -1 } }] = last end
      values = cp.multiply(values, turn):astype(wanted_dtype(where, dtype, start, stop), false)
      axis = core.axis(axis, where, "axis", values.ndim, 1)
      return axis == 1 and values or cp.moveaxis(values, 1, axis)
    end)

  -- ---- diagonals

  --- A view of a diagonal of two axes, which becomes the last axis.
  ---@param a any  two axes or more
  ---@param offset? integer  0 (default): the main diagonal; positive: above it
  ---@param axis1? integer  default 1
  ---@param axis2? integer  default 2
  ---@return any
  method("diagonal", "a, offset, axis1, axis2", 1, function(where, a, offset, axis1, axis2)
    a = core.as_array(a, where, "a")
    offset = core.integer(offset, where, "offset", 0)
    if a.ndim < 2 then
      core.raise(where, "shape", "a must have at least 2 axes, not shape " .. tostring(a.shape))
    end
    axis1 = core.axis(axis1, where, "axis1", a.ndim, 1)
    axis2 = core.axis(axis2, where, "axis2", a.ndim, 2)
    if axis1 == axis2 then core.raise(where, "index", "axis1 and axis2 must be different axes") end
    local n = a.ndim
    if axis1 ~= n - 1 or axis2 ~= n then a = cp.moveaxis(a, { axis1, axis2 }, { -2, -1 }) end
    return core.diagonal(where, a, offset)
  end)

  local function matrix_of(v, k)
    local n = core.length("diag", v.size, math.abs(k))
    local m = cp.zeros({ n, n }, { dtype = v.dtype, device = v.device })
    core.diagonal("diag", m, k):assign(v)
    return m
  end

  --- The diagonal of a matrix as a view, or a matrix of zeros with the diagonal v.
  ---@param v any  (n, m) or (n)
  ---@param k? integer  0 (default): the main diagonal; positive: above it
  ---@return any  1-d, or (n + |k|, n + |k|)
  method("diag", "v, k", 1, function(where, v, k)
    v, k = core.as_array(v, where, "v"), core.integer(k, where, "k", 0)
    if v.ndim == 1 then return matrix_of(v, k) end
    if v.ndim == 2 then return core.diagonal(where, v, k) end
    core.raise(where, "shape", "v must have one or two axes, not shape " .. tostring(v.shape))
  end)

  --- A matrix of zeros with all elements of v on a diagonal.
  ---@param v any  any shape
  ---@param k? integer  which diagonal; default 0
  ---@return any  (v.size + |k|, v.size + |k|)
  method("diagflat", "v, k", 1, function(where, v, k)
    return matrix_of(core.as_array(v, where, "v"):reshape(-1), core.integer(k, where, "k", 0))
  end)

  -- ---- grids

  local function is_options(v)
    return type(v) == "table" and #v == 0 and type(next(v)) == "string"
  end

  local read_options = core.define("meshgrid", "indexing, sparse, copy", 0, function(where, indexing, sparse, copy)
    if indexing == nil then indexing = "xy" end
    if indexing ~= "xy" and indexing ~= "ij" then core.not_among(where, "indexing", '"xy" or "ij"', indexing) end
    return indexing, core.boolean(sparse, where, "sparse", false), core.boolean(copy, where, "copy", true)
  end)

  -- Shapes each 1-d array along its own axis: the k-th along axis k, with the first two exchanged for "xy".
  local function along_axes(arrays, indexing)
    local open, n = {}, #arrays
    for k, x in ipairs(arrays) do
      local axis, shape = k, {}
      if indexing == "xy" and n > 1 and k <= 2 then axis = 3 - k end
      for d = 1, n do shape[d] = d == axis and x.size or 1 end
      open[k] = x:reshape(shape)
    end
    return open
  end

  --- Coordinate arrays of a grid, one per vector.
  --- `cp.meshgrid(x, y, {indexing = "ij", sparse = false, copy = true})`
  ---@param ... any  vectors (0-d and 1-d), then optionally a table: indexing "xy" (default: the first vector
  --- is along axis 2) or "ij"; sparse: the other axes have length 1; copy = false: read-only views
  ---@return any ...  one array per vector
  both("meshgrid", function(...)
    local arrays, n = { ... }, select("#", ...)
    local indexing, sparse, copy = "xy", false, true
    if n > 0 and is_options(arrays[n]) then
      indexing, sparse, copy = read_options(arrays[n])
      arrays[n], n = nil, n - 1
    end
    for k = 1, n do
      arrays[k] = core.as_array(arrays[k], "meshgrid", "each argument")
      if arrays[k].ndim > 1 then
        core.raise("meshgrid", "shape", "each argument must have one axis, not shape " .. tostring(arrays[k].shape))
      end
    end
    local grids = along_axes(arrays, indexing)
    if not sparse and n > 0 then grids = { cp.broadcast_arrays(unpack(grids, 1, n)) } end
    for k = 1, copy and n or 0 do
      grids[k] = grids[k]:astype(grids[k].dtype) -- arrays of their own, without memory until it is needed
    end
    return unpack(grids, 1, n)
  end)

  -- The values of an item {start, stop[, step]} of mgrid and ogrid.
  local function grid_values(where, item)
    if type(item) ~= "table" or #item < 2 or #item > 3 then
      usage(where, "each item is {start, stop} or {start, stop, step}; a step of cp.complex(0, n) gives n values")
    end
    for k = 1, #item do
      if not is_number(item[k]) then usage(where, "an item holds numbers, not " .. type(item[k])) end
    end
    local start, stop, step = item[1], item[2], item[3]
    if type(step) == "userdata" and core.kind(step) == "c" then
      return cp.linspace(start, stop, length(math.abs(step.im), where, "the number of values"))
    end
    return cp.arange(start, stop, step)
  end

  -- The values of all items in their promoted dtype; a bare {start, stop} is one item. Items are one table or
  -- several arguments.
  local function grid_vectors(where, ...)
    local items = ...
    if select("#", ...) > 1 then items = { ... } end
    if type(items) ~= "table" or rawget(items, 1) == nil and next(items) ~= nil then
      usage(where, "needs a table of items, as in cp." .. where .. "{ {0, 5}, {0, 3} }")
    end
    local vectors = {}
    for k, item in ipairs(is_number(items[1]) and { items } or items) do
      vectors[k] = grid_values(where, item)
    end
    local dtype = #vectors > 0 and core.common_dtype(where, vectors)
    for k, v in ipairs(vectors) do vectors[k] = v:astype(dtype, false) end
    return vectors, is_number(items[1])
  end

  -- Stacks vectors, each along its own axis, into one array (n, length of the first, ...).
  local function stack_grid(vectors, dtype)
    local shape = { #vectors }
    for k, v in ipairs(vectors) do shape[k + 1] = v.size end
    local result = cp.empty(shape, { dtype = dtype })
    for k, v in ipairs(along_axes(vectors, "ij")) do result[k] = v end
    return result
  end

  --- Coordinates of a dense grid: `cp.mgrid{ {0, 5}, {0, 3} }` is an array (2, 5, 3). An item {start, stop[,
  --- step]} excludes its stop; a step of cp.complex(0, n) gives n values including both ends. A bare item
  --- gives a 1-d array. Items may be arguments, too: `cp.mgrid({0, 5}, {0, 3})`.
  ---@param ... table
  ---@return any  int64 when all numbers are whole, else the default dtype
  core.publish("mgrid", "...", 0, function(where, ...)
    local vectors, bare = grid_vectors(where, ...)
    if bare then return vectors[1] end
    if #vectors == 0 then return cp.empty({ 0 }) end
    return stack_grid(vectors, vectors[1].dtype)
  end)

  --- The same grid as a table of arrays that broadcast together: (5, 1) and (1, 3).
  ---@param ... table
  ---@return table
  core.publish("ogrid", "...", 0, function(where, ...)
    local vectors, bare = grid_vectors(where, ...)
    if bare then return vectors[1] end
    return along_axes(vectors, "ij")
  end)

  --- The indices, from 1, of every element of an array of this shape.
  ---@param shape any  a table or a whole number
  ---@param dtype? string  default int64
  ---@param sparse? boolean  return a table of arrays that broadcast together; default false
  ---@return any  array (#shape, shape...)
  core.publish("indices", "shape, dtype, sparse", 1, function(where, shape, dtype, sparse)
    shape = core.shape(shape, where, "shape")
    dtype = dtype == nil and "int64" or core.dtype(dtype, where)
    local vectors = {}
    for k = 1, #shape do vectors[k] = cp.range(1, shape[k], 1, dtype) end
    if core.boolean(sparse, where, "sparse", false) then return along_axes(vectors, "ij") end
    return stack_grid(vectors, dtype)
  end)

  -- ---- conversions of existing arrays

  -- Returns a itself if flag (c_contiguous or f_contiguous) and dtype match, else a copy in that order; with
  -- at least one axis.
  local function contiguous(name, flag, order)
    method(name, "a, dtype", 1, function(where, a, dtype)
      a = core.as_array(a, where, "a")
      if dtype ~= nil then a = a:astype(core.dtype(dtype, where), false) end
      if a.ndim == 0 then a = a:reshape({ 1 }) end
      return a.flags[flag] and a or a:copy(order)
    end)
  end

  --- a as an array with C-contiguous memory (row-major): a itself if it has it, else a copy.
  ---@param a any
  ---@param dtype? string
  ---@return any
  contiguous("ascontiguousarray", "c_contiguous", "C")
  --- a as an array with Fortran-contiguous memory (column-major): a itself if it has it, else a copy.
  ---@param a any
  ---@param dtype? string
  ---@return any
  contiguous("asfortranarray", "f_contiguous", "F")

  -- A view of a with at least ndim axes; place(a) gives its shape.
  local function at_least(where, ndim, place)
    return both(where, function(...)
      local arrays, n = { ... }, select("#", ...)
      if n == 0 then usage(where, "needs an array") end
      for k = 1, n do
        local a = core.as_array(arrays[k], where, "each argument")
        arrays[k] = a.ndim < ndim and a:reshape(place(a)) or a
      end
      return unpack(arrays, 1, n)
    end)
  end

  --- Views with at least one axis. Several arguments give several results.
  ---@param ... any
  ---@return any ... one view per argument
  at_least("atleast_1d", 1, function() return { 1 } end)
  --- Views with at least two axes: (n) becomes (1, n).
  ---@param ... any
  ---@return any ... one view per argument
  at_least("atleast_2d", 2, function(a) return { 1, a.size } end)
  --- Views with at least three axes: (n) becomes (1, n, 1), (n, m) becomes (n, m, 1).
  ---@param ... any
  ---@return any ... one view per argument
  at_least("atleast_3d", 3, function(a)
    if a.ndim == 2 then return { core.extent(a, 1), core.extent(a, 2), 1 } end
    return { 1, a.size, 1 }
  end)
end
