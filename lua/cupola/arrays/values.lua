-- Tests of values, and rarely used values, composed of elementwise operations.

return function(cp, core)
  local method = core.method

  local usage = core.usage

  --- Absolute values as floats.
  ---@param x any  real
  ---@return any
  method("fabs", "x", 1, function(where, x)
    if type(x) == "number" then return math.abs(x) end
    x = core.as_array(x, where, "x")
    if core.kind(x) == "c" then core.raise(where, "dtype", "takes real values, not " .. x.dtype .. "; see cp.abs") end
    return cp.abs(x:astype(core.floating(x.dtype), false))
  end)

  -- Of complex values it is not clear which part is meant.
  local function ordered(where, x)
    x = core.as_array(x, where, "x")
    if core.kind(x) == "c" then core.raise(where, "dtype", "takes real values, not " .. x.dtype .. "; see cp.isinf") end
    return x
  end

  --- Whether each value is +inf.
  ---@param x any
  ---@return any
  method("isposinf", "x", 1, function(where, x)
    return cp.equal(ordered(where, x), cp.inf)
  end)

  --- Whether each value is -inf.
  ---@param x any
  ---@return any
  method("isneginf", "x", 1, function(where, x)
    return cp.equal(ordered(where, x), -cp.inf)
  end)

  --- Whether two arrays have the same values after broadcasting.
  ---@param a1 any
  ---@param a2 any
  ---@return boolean
  method("array_equiv", "a1, a2", 2, function(where, a1, a2)
    local a = core.as_array(a1, where, "a1")
    local b = core.beside(where, a, a2, "a2")
    for d = 1, math.min(a.ndim, b.ndim) do
      local n, m = a.shape[a.ndim + 1 - d], b.shape[b.ndim + 1 - d]
      if n ~= m and n ~= 1 and m ~= 1 then return false end
    end
    return (cp.equal(a, b):all())
  end)

  --- The distance from each value to the next representable value away from 0, with its sign; nan for
  --- infinities.
  ---@param x any  real
  ---@return any
  method("spacing", "x", 1, function(where, x)
    x = core.as_array(x, where, "x")
    if core.kind(x) == "c" then core.raise(where, "dtype", "takes real values, not " .. x.dtype) end
    x = x:astype(core.floating(x.dtype), false)
    local below, above = cp.scalar(-cp.inf, x.dtype), cp.scalar(cp.inf, x.dtype)
    return cp.nextafter(x, cp.where(cp.less(x, 0), below, above)) - x
  end)

  --- The real part if all imaginary parts are close to 0, else the array itself.
  ---@param a any
  ---@param tol? number  the limit for imaginary parts, in units of the dtype's eps, or the limit itself if at
  --- most 1; default 100
  ---@return any
  method("real_if_close", "a, tol", 1, function(where, a, tol)
    a = core.as_array(a, where, "a")
    if tol ~= nil and type(tol) ~= "number" then usage(where, "tol must be a number, not " .. type(tol)) end
    if core.kind(a) ~= "c" then return a end
    tol = tol or 100
    if tol > 1 then tol = tol * cp.finfo(a.dtype).eps end
    return cp.abs(a.imag):lt(tol):all() and a.real or a
  end)

  --- a as an array; raises if it contains nan or infinities.
  ---@param a any
  ---@param dtype? string
  ---@param order? string  "C" or "F"; default: a's order
  ---@return any
  core.publish("asarray_chkfinite", "a, dtype, order", 1, function(where, a, dtype, order)
    a = core.as_array(a, where, "a")
    if dtype ~= nil then a = a:astype(core.dtype(dtype, where), false) end
    if core.is_inexact(a) and not cp.isfinite(a):all() then usage(where, "a holds a nan or an infinity") end
    if order == nil then return a end
    if order ~= "C" and order ~= "F" then core.not_among(where, "order", '"C" or "F"', order) end
    return a.flags[order == "C" and "c_contiguous" or "f_contiguous"] and a or a:copy(order)
  end)

  -- ---- kinds of dtypes

  local KINDS = { bool = "b", ["signed integer"] = "i", ["unsigned integer"] = "u", integral = "iu",
    ["real floating"] = "f", ["complex floating"] = "c", numeric = "iufc" }

  local function is_of_kind(where, dtype, kind)
    if type(kind) == "table" then
      for _, one in ipairs(kind) do
        if is_of_kind(where, dtype, one) then return true end
      end
      return false
    end
    local letters = KINDS[kind]
    if letters then return string.find(letters, core.kind(dtype), 1, true) ~= nil end
    return core.dtype(kind, where) == dtype
  end

  --- Whether a dtype is of a kind.
  ---@param dtype any  a dtype or an array
  ---@param kind any  "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex
  --- floating", "numeric", a dtype, or a table of these
  ---@return boolean
  core.publish("isdtype", "dtype, kind", 2, function(where, dtype, kind)
    return is_of_kind(where, core.dtype(dtype, where), kind)
  end)

  -- ---- positions of extremes, ignoring nan

  local function define_nan(name, of, worst)
    method(name, "a, axis, keepdims, out", 1, function(where, a, axis, keepdims, out)
      a = core.as_array(a, where, "a")
      local kind = core.kind(a)
      if kind == "f" or kind == "c" then
        local missing = cp.isnan(a)
        local none = missing:all(axis)
        if none == true or cp.is_array(none) and none:any() then usage(where, "a slice has only nans") end
        a = cp.where(missing, kind == "c" and cp.complex(worst, 0) or worst, a)
      end
      return cp[of](a, { axis = axis, out = out, keepdims = core.boolean(keepdims, where, "keepdims", false) })
    end)
  end

  --- The position, from 1, of the largest value, ignoring nan.
  ---@param a any
  ---@param axis? integer  default: of the flat array
  ---@param keepdims? boolean
  ---@param out? any  array of the result's shape
  ---@return any
  define_nan("nanargmax", "argmax", -math.huge)
  --- The position, from 1, of the smallest value, ignoring nan.
  ---@param a any
  ---@param axis? integer  default: of the flat array
  ---@param keepdims? boolean
  ---@param out? any  array of the result's shape
  ---@return any
  define_nan("nanargmin", "argmin", math.huge)
end
