-- NumPy's functions that are one line or a few of others, and those that call a function of Lua's.

return function(cp, core, methods)
  local function both(name, f)
    cp[name] = f
    methods[name] = f
    return f
  end

  local function usage(where, fact) return core.raise(where, "usage", fact) end

  -- ---- values

  --- Absolute values as floating numbers.
  ---@param x any  real
  ---@return any
  both("fabs", core.define("fabs", "x", 1, function(x)
    if type(x) == "number" then return math.abs(x) end
    x = core.as_array(x, "fabs", "x")
    if core.kind(x) == "c" then core.raise("fabs", "dtype", "takes real values, not " .. x.dtype .. "; see cp.abs") end
    return cp.abs(x:astype(core.floating(x.dtype), false))
  end))

  --- Where a value is +inf.
  ---@param x any
  ---@return any
  both("isposinf", core.define("isposinf", "x", 1, function(x)
    return cp.equal(core.as_array(x, "isposinf", "x"), cp.inf)
  end))

  --- Where a value is -inf.
  ---@param x any
  ---@return any
  both("isneginf", core.define("isneginf", "x", 1, function(x)
    return cp.equal(core.as_array(x, "isneginf", "x"), -cp.inf)
  end))

  -- ---- running sums and products from an initial value

  local function define_cumulative(name, of, initial)
    both(name, core.define(name, "x, axis, dtype, include_initial", 1, function(x, axis, dtype, include_initial)
      x = core.as_array(x, name, "x")
      if axis == nil then
        if x.ndim ~= 1 then usage(name, "axis must be given for an array that is no vector") end
        axis = 1
      end
      axis = core.axis(axis, name, "axis", x.ndim)
      local result = cp[of](x, axis, dtype)
      if not core.boolean(include_initial, name, "include_initial", false) then return result end
      local shape = {}
      for d, n in ipairs(result.shape) do shape[d] = d == axis and 1 or n end
      local first = cp.full(shape, initial, { dtype = result.dtype, device = x.device })
      return cp.concatenate({ first, result }, axis)
    end))
  end

  --- Sums of the elements up to each one.
  ---@param x any
  ---@param axis? integer  needed but for vectors
  ---@param dtype? string
  ---@param include_initial? boolean  a 0 before the first sum
  ---@return any
  define_cumulative("cumulative_sum", "cumsum", 0)
  --- Products of the elements up to each one.
  ---@param x any
  ---@param axis? integer  needed but for vectors
  ---@param dtype? string
  ---@param include_initial? boolean  a 1 before the first product
  ---@return any
  define_cumulative("cumulative_prod", "cumprod", 1)

  -- ---- positions of extremes

  local function define_nan(name, of, worst)
    both(name, core.define(name, "a, axis, keepdims", 1, function(a, axis, keepdims)
      a = core.as_array(a, name, "a")
      local kind = core.kind(a)
      if kind == "c" then core.raise(name, "dtype", "takes real values, not " .. a.dtype) end
      if kind == "f" then
        local missing = cp.isnan(a)
        local none = missing:all(axis)
        if none == true or cp.is_array(none) and none:any() then usage(name, "a slice has no value but nan") end
        a = cp.where(missing, worst, a)
      end
      return cp[of](a, { axis = axis, keepdims = core.boolean(keepdims, name, "keepdims", false) })
    end))
  end

  --- The position, from 1, of the greatest value that is not nan.
  ---@param a any
  ---@param axis? integer  default: of the flat array
  ---@param keepdims? boolean
  ---@return any
  define_nan("nanargmax", "argmax", -math.huge)
  --- The position, from 1, of the least value that is not nan.
  ---@param a any
  ---@param axis? integer  default: of the flat array
  ---@param keepdims? boolean
  ---@return any
  define_nan("nanargmin", "argmin", math.huge)

  -- ---- shapes

  --- The shape that arrays of these shapes broadcast to.
  ---@param ... any  shapes
  ---@return any
  function cp.broadcast_shapes(...)
    local where, list, most = "broadcast_shapes", {}, 0
    for k = 1, select("#", ...) do
      list[k] = core.shape((select(k, ...)), where, "shape")
      most = math.max(most, #list[k])
    end
    local shape = {}
    for d = 1, most do
      shape[d] = 1
      for _, s in ipairs(list) do
        local n = s[d - most + #s]
        if n ~= nil and n ~= 1 then
          if shape[d] ~= 1 and shape[d] ~= n then
            core.raise(where, "shape", ("axis %d has lengths %d and %d"):format(d, shape[d], n))
          end
          shape[d] = n
        end
      end
    end
    return core.shape(shape, where, "shape")
  end

  --- The same array with its axes in another order.
  ---@param a any
  ---@param axes? any
  ---@return any
  both("permute_dims", core.define("permute_dims", "a, axes", 1, function(a, axes) return (cp.transpose(a, axes)) end))

  --- The array with its last two axes exchanged.
  ---@param x any
  ---@return any
  both("matrix_transpose", core.define("matrix_transpose", "x", 1, function(x)
    x = core.as_array(x, "matrix_transpose", "x")
    if x.ndim < 2 then core.raise("matrix_transpose", "shape", "x must have 2 axes at least, not shape " .. x.shape) end
    return cp.swapaxes(x, -1, -2)
  end))

  --- Whether two arrays have the same values once they are broadcast.
  ---@param a1 any
  ---@param a2 any
  ---@return boolean
  both("array_equiv", core.define("array_equiv", "a1, a2", 2, function(a1, a2)
    local a = core.as_array(a1, "array_equiv", "a1")
    local b = core.beside("array_equiv", a, a2, "a2")
    for d = 1, math.min(a.ndim, b.ndim) do
      local n, m = a.shape[a.ndim + 1 - d], b.shape[b.ndim + 1 - d]
      if n ~= m and n ~= 1 and m ~= 1 then return false end
    end
    return (cp.equal(a, b):all())
  end))

  --- The slices of an array along an axis, as views in a table.
  ---@param x any
  ---@param axis? integer  default: the first
  ---@return table
  both("unstack", core.define("unstack", "x, axis", 1, function(x, axis)
    x = core.as_array(x, "unstack", "x")
    if x.ndim == 0 then core.raise("unstack", "shape", "x must have an axis at least") end
    local moved, list = cp.moveaxis(x, core.axis(axis, "unstack", "axis", x.ndim, 1), 1), {}
    for k = 1, moved.shape[1] do list[k] = core.slice(moved, 1, k, k):squeeze(1) end
    return list
  end))

  --- A vector without zeros at its ends.
  ---@param filt any
  ---@param trim? string  "fb" (default): at both, "f": at the front, "b": at the back
  ---@return any
  both("trim_zeros", core.define("trim_zeros", "filt, trim", 1, function(filt, trim)
    local x = core.as_array(filt, "trim_zeros", "filt")
    if x.ndim ~= 1 then core.raise("trim_zeros", "shape", "filt must be a vector, not of shape " .. x.shape) end
    trim = trim == nil and "fb" or tostring(trim):lower()
    local at = cp.flatnonzero(x)
    if at.size == 0 then return core.slice(x, 1, 1, 0) end
    local first, last = trim:find "f" and at[1] or 1, trim:find "b" and at[-1] or #x
    return core.slice(x, 1, first, last)
  end))

  -- ---- products

  --- The matrix of powers of x.
  ---@param x any  vector
  ---@param N? integer  how many columns; default: as many as x has elements
  ---@param increasing? boolean  the powers grow from left to right; default false
  ---@return any
  both("vander", core.define("vander", "x, N, increasing", 1, function(x, N, increasing)
    x = core.as_array(x, "vander", "x")
    if x.ndim ~= 1 then core.raise("vander", "shape", "x must be a vector, not of shape " .. x.shape) end
    N = core.integer(N, "vander", "N", #x)
    if N < 0 then usage("vander", "N must not be negative") end
    local kind = core.kind(x)
    local wide = (kind == "f" or kind == "c") and x.dtype or "int64"
    local powers = cp.arange(N, { dtype = "int64", device = x.device })
    if not core.boolean(increasing, "vander", "increasing", false) then powers = N - 1 - powers end
    return x:astype(wide, false):reshape({ #x, 1 }) ^ powers:astype(core.real_dtype(wide), false)
  end))

  --- Products of matrices with vectors.
  ---@param x1 any  (..., m, n)
  ---@param x2 any  (..., n)
  ---@return any  (..., m)
  cp.matvec = core.define("matvec", "x1, x2", 2, function(x1, x2)
    local a = core.as_array(x1, "matvec", "x1")
    local b = core.beside("matvec", a, x2, "x2")
    if b.ndim == 0 or a.ndim < 2 then core.raise("matvec", "shape", "takes matrices and vectors") end
    return cp.squeeze(cp.matmul(a, cp.expand_dims(b, -1)), -1)
  end)

  --- Products of the conjugates of vectors with matrices.
  ---@param x1 any  (..., m)
  ---@param x2 any  (..., m, n)
  ---@return any  (..., n)
  cp.vecmat = core.define("vecmat", "x1, x2", 2, function(x1, x2)
    local a = core.as_array(x1, "vecmat", "x1")
    local b = core.beside("vecmat", a, x2, "x2")
    if a.ndim == 0 or b.ndim < 2 then core.raise("vecmat", "shape", "takes vectors and matrices") end
    if core.kind(a) == "c" then a = cp.conj(a) end
    return cp.squeeze(cp.matmul(cp.expand_dims(a, -2), b), -2)
  end)

  -- ---- functions of Lua's

  --- An array of what f gives for arrays of coordinates, which count from 0.
  ---@param f function
  ---@param shape any
  ---@param dtype? string  of the coordinates; default the default dtype
  ---@return any
  cp.fromfunction = core.define("fromfunction", "f, shape, dtype", 2, function(f, shape, dtype)
    core.check_callable(f, "fromfunction", "f")
    shape = core.shape(shape, "fromfunction", "shape")
    local list = {}
    for d, n in ipairs(shape) do
      local own = {}
      for k = 1, #shape do own[k] = k == d and n or 1 end
      list[d] = cp.broadcast_to(cp.arange(n, { dtype = dtype or core.default_dtype() }):reshape(own), shape)
    end
    return (f((table.unpack or unpack)(list))) -- luacheck: ignore
  end)

  --- What f gives for each vector along an axis, put together.
  ---@param func1d function  gives an array or a number
  ---@param axis integer
  ---@param arr any
  ---@return any
  cp.apply_along_axis = core.define("apply_along_axis", "func1d, axis, arr", 3, function(func1d, axis, arr)
    local where = "apply_along_axis"
    core.check_callable(func1d, where, "func1d")
    arr = core.as_array(arr, where, "arr")
    axis = core.axis(axis, where, "axis", arr.ndim)
    if arr.size == 0 then usage(where, "arr must not be empty") end
    local moved = cp.moveaxis(arr, axis, -1)
    local rest, results = {}, {}
    for d = 1, moved.ndim - 1 do rest[d] = moved.shape[d] end
    local rows = moved:reshape({ arr.size / arr.shape[axis], arr.shape[axis] })
    for k = 1, #rows do results[k] = core.as_array(func1d(rows[k]), where, "result") end
    local all = cp.stack(results, 1)
    local count = #rest
    for d = 2, all.ndim do rest[#rest + 1] = all.shape[d] end
    all = all:reshape(rest)
    local from, to = {}, {}
    for d = count + 1, all.ndim do from[#from + 1], to[#to + 1] = d, axis + d - count - 1 end
    return #from > 0 and cp.moveaxis(all, from, to) or all
  end)

  --- Values of the function whose condition holds; the last function is for where none does.
  ---@param x any
  ---@param condlist table  masks
  ---@param funclist table  functions or numbers, as many as masks or one more
  ---@return any
  both("piecewise", core.define("piecewise", "x, condlist, funclist", 3, function(x, condlist, funclist)
    local where = "piecewise"
    x = core.as_array(x, where, "x")
    if cp.is_array(condlist) then condlist = { condlist } end
    if type(condlist) ~= "table" then usage(where, "condlist must be a table of masks, not " .. type(condlist)) end
    if type(funclist) ~= "table" then
      usage(where, "funclist must be a table of functions and numbers, not " .. type(funclist))
    end
    if #funclist ~= #condlist and #funclist ~= #condlist + 1 then
      usage(where, ("funclist has %d entries for %d conditions"):format(#funclist, #condlist))
    end
    local function value(f)
      if type(f) == "function" then return core.as_array(f(x), where, "result"):astype(x.dtype, false) end
      return cp.scalar(f, x.dtype)
    end
    local result = funclist[#condlist + 1] ~= nil and value(funclist[#condlist + 1]) or cp.zeros_like(x)
    for k, condition in ipairs(condlist) do result = cp.where(condition, value(funclist[k]), result) end
    return result
  end))
end
