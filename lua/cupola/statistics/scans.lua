-- Cumulative sums and other scans, differences. Positions and axes count from 1.

return function(cp, core)
  local slice = core.slice

  local method = core.method

  -- ---- scans

  local WIDE = { bool = "int64", int8 = "int64", int16 = "int64", int32 = "int64",
                 uint8 = "uint64", uint16 = "uint64", uint32 = "uint64" }

  -- With at least this many columns, this many of them adjacent, an axis is scanned in place; else it is
  -- moved to the end and back.
  local COLUMNS, SIDE_BY_SIDE = 256, 32

  -- Scans x along an axis (nil: the flat array), in C order.
  local function scanned(where, kind, x, axis, dtype)
    if axis == nil or x.ndim == 0 then x, axis = x:reshape(-1), axis or 1 end
    axis = core.axis(axis, where, "axis", x.ndim)
    local inner, columns = 1, 1
    for k, n in ipairs(x.shape) do
      if k > axis then inner = inner * n end
      if k ~= axis then columns = columns * n end
    end
    if inner == 1 or inner >= SIDE_BY_SIDE and columns >= COLUMNS then return core.scan(where, kind, x, axis, dtype) end
    return cp.moveaxis(core.scan(where, kind, cp.moveaxis(x, axis, -1), x.ndim, dtype), -1, axis):copy()
  end

  -- Whether floating values are added in the dtype of out, as reductions do.
  local function takes_all(out, a)
    local kind = core.kind(a)
    return cp.is_array(out) and (kind == "f" or kind == "c") and core.kind(out) == kind and cp.can_cast(a, out)
  end

  -- without_nan: the value that replaces nan.
  local function define(name, kind, wide, without_nan)
    local names = wide and "a, axis, dtype, out" or "a, axis, out"
    method(name, names, 1, function(where, a, axis, dtype, out)
      a = core.as_array(a, where, "a")
      if not wide then dtype, out = nil, dtype end
      if dtype ~= nil then
        dtype = core.dtype(dtype, where)
      elseif wide and takes_all(out, a) then
        dtype = out.dtype
      else
        dtype = wide and WIDE[a.dtype] or a.dtype
      end
      if without_nan then a = cp.where(cp.isnan(a), cp.scalar(without_nan, a.dtype), a) end
      local result = scanned(where, kind, a, axis, dtype)
      if out == nil then return result end
      return core.write_out(where, out, result, false, true)
    end)
  end

  --- Cumulative sums.
  ---@param a any
  ---@param axis? integer  default: of the flat array
  ---@param dtype? string  the dtype to sum in; default: bool and integers widen to 64 bits, other dtypes stay
  ---@param out? any  array of the result's shape
  ---@return any
  define("cumsum", "sum", true)
  --- Cumulative products.
  ---@param a any
  ---@param axis? integer  default: of the flat array
  ---@param dtype? string  default: bool and integers widen to 64 bits, other dtypes stay
  ---@param out? any  array of the result's shape
  ---@return any
  define("cumprod", "prod", true)
  --- Cumulative sums that treat nan as 0.
  ---@param a any
  ---@param axis? integer  default: of the flat array
  ---@param dtype? string
  ---@param out? any  array of the result's shape
  ---@return any
  define("nancumsum", "sum", true, 0)
  --- Cumulative products that treat nan as 1.
  ---@param a any
  ---@param axis? integer  default: of the flat array
  ---@param dtype? string
  ---@param out? any  array of the result's shape
  ---@return any
  define("nancumprod", "prod", true, 1)
  --- Cumulative maxima; nan from the first nan on.
  ---@param a any
  ---@param axis? integer  default: of the flat array
  ---@param out? any  array of the result's shape
  ---@return any
  define("cummax", "max", false)
  --- Cumulative minima; nan from the first nan on.
  ---@param a any
  ---@param axis? integer  default: of the flat array
  ---@param out? any  array of the result's shape
  ---@return any
  define("cummin", "min", false)

  -- ---- running sums and products from an initial value

  local function define_cumulative(name, of, initial)
    method(name, "x, axis, dtype, include_initial, out", 1, function(where, x, axis, dtype, include_initial, out)
      x = core.as_array(x, where, "x")
      if axis == nil then
        if x.ndim > 1 then core.raise(where, "usage", "axis must be given for an array of several axes") end
        axis = 1
      end
      if x.ndim == 0 then x = x:reshape(1) end
      axis = core.axis(axis, where, "axis", x.ndim)
      if dtype == nil and takes_all(out, x) then dtype = out.dtype end
      local result = cp[of](x, axis, dtype)
      if core.boolean(include_initial, where, "include_initial", false) then
        local shape = {}
        for d, n in ipairs(result.shape) do shape[d] = d == axis and 1 or n end
        local first = cp.full(shape, initial, { dtype = result.dtype, device = x.device })
        result = cp.concatenate({ first, result }, axis)
      end
      return out == nil and result or core.write_out(where, out, result, false, true)
    end)
  end

  --- Cumulative sums.
  ---@param x any
  ---@param axis? integer  required unless x is a vector
  ---@param dtype? string
  ---@param include_initial? boolean  start with 0
  ---@param out? any  array of the result's shape
  ---@return any
  define_cumulative("cumulative_sum", "cumsum", 0)
  --- Cumulative products.
  ---@param x any
  ---@param axis? integer  required unless x is a vector
  ---@param dtype? string
  ---@param include_initial? boolean  start with 1
  ---@param out? any  array of the result's shape
  ---@return any
  define_cumulative("cumulative_prod", "cumprod", 1)

  -- ---- differences

  local function differences(x, axis)
    local n = core.extent(x, axis)
    if n < 2 then return slice(x, axis, 1, 0):copy() end
    local after, before = slice(x, axis, 2, n), slice(x, axis, 1, n - 1)
    if x.dtype == "bool" then return cp.not_equal(after, before) end
    return after - before
  end

  -- What is put before or after x along an axis: an array, or one value of length 1; a number takes the
  -- dtype.
  local function border(value, x, axis, argument, dtype)
    local single = core.is_scalar(value)
    if not single then value = core.as_array(value, "diff", argument) end
    if not single and value.ndim > 0 then return value end
    local shape = {}
    for k, n in ipairs(x.shape) do shape[k] = k == axis and 1 or n end
    if not single then return cp.broadcast_to(value, shape) end
    return cp.full(shape, value, { dtype = dtype, device = x.device })
  end

  -- x with the values before and after it along an axis, in the promoted dtype.
  local function bordered(x, axis, before, behind)
    local parts = {}
    if before ~= nil then parts[1] = before end
    parts[#parts + 1] = x
    if behind ~= nil then parts[#parts + 1] = behind end
    if #parts == 1 then return x end
    local dtype = core.common_dtype("diff", parts)
    for k, part in ipairs(parts) do
      parts[k] = border(part, x, axis, rawequal(part, before) and "prepend" or "append", dtype)
    end
    return cp.concatenate(parts, axis, nil, dtype)
  end

  --- Differences of adjacent elements: element k + 1 minus element k, n times. For bool, whether they differ.
  ---@param a any
  ---@param n? integer  how many times; default 1
  ---@param axis? integer  default: the last
  ---@param prepend? any  a number or array to put before a
  ---@param append? any  a number or array to put after a
  ---@return any
  method("diff", "a, n, axis, prepend, append", 1, function(where, a, n, axis, prepend, append)
    a, n = core.as_array(a, where, "a"), core.integer(n, where, "n", 1)
    if a.ndim == 0 then core.raise(where, "shape", "a must have at least one axis") end
    if n < 0 then core.raise(where, "usage", string.format("n must not be negative, but is %d", n)) end
    axis = core.axis(axis, where, "axis", a.ndim, a.ndim)
    local x = bordered(a, axis, prepend, append)
    for _ = 1, math.min(n, core.extent(x, axis)) do x = differences(x, axis) end -- more would leave nothing
    return rawequal(x, a) and a:copy() or x
  end)

  --- Differences of adjacent elements of the flat array, with values before and after them.
  ---@param ary any
  ---@param to_end? any
  ---@param to_begin? any
  ---@return any
  method("ediff1d", "ary, to_end, to_begin", 1, function(where, ary, to_end, to_begin)
    local x = core.as_array(ary, where, "ary"):reshape(-1)
    local result = differences(x, 1)
    local function flat(value, argument)
      if cp.is_array(value) then
        core.check_cast(where, value, result, "same_kind")
        return value:reshape(-1):to(x.device):astype(result.dtype)
      end
      local list = core.as_array(value, where, argument)
      local part = cp.empty(list.size, { dtype = result.dtype, device = x.device })
      if list.ndim > 1 then value = list:reshape(-1):totable() end
      core.write(where, part, value) -- an error if one does not fit
      return part
    end
    local parts = { result }
    if to_begin ~= nil then table.insert(parts, 1, flat(to_begin, "to_begin")) end
    if to_end ~= nil then parts[#parts + 1] = flat(to_end, "to_end") end
    return #parts > 1 and cp.concatenate(parts) or result
  end)
end
