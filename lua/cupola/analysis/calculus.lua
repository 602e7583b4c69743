-- Interpolation, numerical integration and differentiation, convolution of vectors.

return function(cp, core)
  local slice, direct = core.slice, require "cupola.analysis.convolution"(cp, core)

  local both, method = core.both, core.method

  local raise_shape = core.raise_shape

  -- Shapes a vector so that it is along an axis of an array with ndim axes.
  local function along_axis(v, axis, ndim)
    local shape = {}
    for k = 1, ndim do shape[k] = k == axis and v.size or 1 end
    return v:reshape(shape)
  end

  -- ---- interpolation

  local function periodic(x, xp, fp, period)
    period = math.abs(period)
    x, xp = x % period, xp % period
    local order = core.sort("interp", xp, true)
    xp, fp = core.gather("interp", xp, order), core.gather("interp", fp, order)
    local n = #xp
    xp = cp.concatenate { slice(xp, 1, n, n) - period, xp, slice(xp, 1, 1, 1) + period }
    return x, xp, cp.concatenate { slice(fp, 1, n, n), fp, slice(fp, 1, 1, 1) }
  end

  local function complex_of(real, imag)
    local z = cp.empty(real.shape, { dtype = "complex128", device = real.device })
    core.write("interp", z.real, real)
    core.write("interp", z.imag, imag)
    return z
  end

  -- A value outside of xp: `given`, or the element `other` of fp.
  local function outside(where, given, name, fp, other)
    if given == nil then return slice(fp, 1, other, other) end
    if given.size ~= 1 then raise_shape(where, name .. " must be a number, not an array of shape " .. given.shape) end
    return given:reshape(1):astype(fp.dtype, false)
  end

  --- Linear interpolation: values at x of the piecewise linear function through the points (xp, fp).
  ---@param x any  of any shape
  ---@param xp any  vector in ascending order
  ---@param fp any  values at xp, real or complex
  ---@param left? any  value below xp; default: the first of fp
  ---@param right? any  value above xp; default: the last of fp
  ---@param period? number  the period of a periodic function, whose xp need not be sorted
  ---@return any  float64 or complex128 array
  method("interp", "x, xp, fp, left, right, period", 3, function(where, x, xp, fp, left, right, period)
    x = core.as_array(x, where, "x"):astype("float64", false)
    xp = core.beside(where, x, xp, "xp"):astype("float64", false)
    fp = core.beside(where, x, fp, "fp")
    if left ~= nil then left = core.as_array(left, where, "left", x) end
    if right ~= nil then right = core.as_array(right, where, "right", x) end
    local complex = core.kind(cp.result_type(fp, left or fp, right or fp)) == "c"
    local dtype = complex and "complex128" or "float64"
    fp = fp:astype(dtype, false)
    if xp.ndim ~= 1 or not fp:has_shape(#xp) or #xp == 0 then
      raise_shape(where, "xp and fp must be vectors of the same length, at least 1, not " .. xp.shape .. " and "
        .. fp.shape)
    end
    if period ~= nil then
      if type(period) ~= "number" or period == 0 then
        core.raise(where, "usage", "period must be a number other than 0")
      end
      x, xp, fp = periodic(x, xp, fp, period)
      left, right = nil, nil
    end
    local below, above = outside(where, left, "left", fp, 1), outside(where, right, "right", fp, #xp)
    if not complex then return core.interpolate(where, x, xp, fp, below, above) end
    -- in parts, so that an infinity in one does not affect the other
    return complex_of(core.interpolate(where, x, xp, fp.real, below.real, above.real),
      core.interpolate(where, x, xp, fp.imag, below.imag, above.imag, true))
  end)

  -- ---- integration

  --- The integral of y along an axis by the trapezoidal rule.
  ---@param y any
  ---@param x? any  the sample points: a vector along the axis, or an array of y's shape
  ---@param dx? number  the distance between samples when x is not given; default 1
  ---@param axis? integer  default: the last
  ---@return any
  method("trapezoid", "y, x, dx, axis", 1, function(where, y, x, dx, axis)
    y = core.as_array(y, where, "y")
    if y.ndim == 0 then raise_shape(where, "y must have at least one axis") end
    axis = core.axis(axis, where, "axis", y.ndim, y.ndim)
    local n, d = core.extent(y, axis), dx == nil and 1 or dx
    if not core.is_inexact(y) then y = y:astype("float64") end
    if x ~= nil then
      x = core.beside(where, y, x, "x")
      if x.ndim == 1 then
        if #x ~= n then raise_shape(where, string.format("x has %d points for an axis of length %d", #x, n)) end
        d = along_axis(cp.diff(x), axis, y.ndim)
      else
        d = cp.diff(x, { axis = axis - y.ndim - 1 })
      end
    end
    if n < 2 then return slice(y, axis, 1, 0):sum(axis) end
    return (d * (slice(y, axis, 2, n) + slice(y, axis, 1, n - 1)) / 2):sum(axis)
  end)
  both("trapz", cp.trapezoid)

  -- ---- differentiation

  -- The spacing along one axis: a number, or a vector of the distances between samples.
  local function spacing_of(value, f, axis)
    if type(value) == "boolean" then core.raise("gradient", "usage", "spacing must be a number, not boolean") end
    if core.is_scalar(value) then return value end
    local v = core.beside("gradient", f, value, "spacing")
    if v.ndim == 0 then return v:item() end
    if not v:has_shape(core.extent(f, axis)) then
      raise_shape("gradient", string.format("spacing of shape %s for axis %d of length %d", tostring(v.shape), axis,
        core.extent(f, axis)))
    end
    local d = cp.diff(core.is_inexact(v) and v or v:astype("float64"))
    local first = d[1]
    if cp.equal(d, first):all() then return first end
    return d:astype(f.dtype == "complex64" and "float32" or core.real_dtype(f.dtype), false)
  end

  -- One spacing for each of the axes.
  local function spacings_of(value, f, axes)
    local list = {}
    local single = value == nil or core.is_scalar(value) or cp.is_array(value)
    if not single and type(value) ~= "table" then
      core.raise("gradient", "usage", "spacing must be a number, an array or a table, not " .. type(value))
    end
    if not single and #axes == 1 and #value > 1 then single = true end
    if not single and #value ~= #axes then
      core.raise("gradient", "usage", string.format("spacing has %s for %s",
        core.counted(#value, "entry", "entries"), core.counted(#axes, "axis", "axes")))
    end
    for k, axis in ipairs(axes) do
      local own = value
      if not single then own = value[k] end
      list[k] = spacing_of(own == nil and 1 or own, f, axis)
    end
    return list
  end

  -- The derivative at one end: of first order from two samples, of second order from three. a, b, c: samples
  -- from the end on; h, g: the signed distances between them.
  local function at_end(a, b, c, h, g, edge_order)
    if edge_order == 1 then return (b - a) / h end
    return a * (-(2 * h + g) / (h * (h + g))) + b * ((h + g) / (h * g)) - c * (h / (g * (h + g)))
  end

  local function slope(f, axis, d, edge_order)
    local n, result = core.extent(f, axis), cp.empty_like(f)
    local function at(first, last) return slice(f, axis, first, last or first) end
    local function write(first, last, value) core.write("gradient", slice(result, axis, first, last), value) end
    local distance = cp.is_array(d) and function(k) return d[k] end or function() return d end
    if n > 2 then
      local before, here, after = at(1, n - 2), at(2, n - 1), at(3, n)
      if cp.is_array(d) then
        local h, g = along_axis(slice(d, 1, 1, n - 2), axis, f.ndim), along_axis(slice(d, 1, 2, n - 1), axis, f.ndim)
        write(2, n - 1, before * (-g / (h * (h + g))) + here * ((g - h) / (h * g)) + after * (h / (g * (h + g))))
      else
        write(2, n - 1, (after - before) / (2 * d))
      end
    end
    local third, last_third = edge_order == 2 and 3 or 2, edge_order == 2 and n - 2 or n - 1
    local h1, g1 = distance(1), edge_order == 2 and distance(2) or nil
    local h2, g2 = distance(n - 1), edge_order == 2 and distance(n - 2) or nil
    write(1, 1, at_end(at(1), at(2), at(third), h1, g1, edge_order))
    write(n, n, at_end(at(n), at(n - 1), at(last_third), -h2, g2 and -g2, edge_order))
    return result
  end

  --- The gradient by central differences, one-sided at the ends: one array for a single axis, else a table
  --- with one for each axis.
  ---@param f any
  ---@param spacing? any  a number for all axes (default 1), the sample points along the axis, or a table of
  --- these by axis
  ---@param axis? any  an axis or a table of axes; default: all
  ---@param edge_order? integer  1 (default) or 2: order of the differences at the ends
  ---@return any
  method("gradient", "f, spacing, axis, edge_order", 1, function(where, f, spacing, axis, edge_order)
    f, edge_order = core.as_array(f, where, "f"), core.integer(edge_order, where, "edge_order", 1)
    if edge_order ~= 1 and edge_order ~= 2 then core.raise(where, "usage", "edge_order must be 1 or 2") end
    if not core.is_inexact(f) then f = f:astype("float64") end
    local axes = type(axis) == "table" and axis or { axis }
    if axis == nil then
      for k = 1, f.ndim do axes[k] = k end
    end
    local checked, results = {}, {}
    for k, v in ipairs(axes) do
      checked[k] = core.axis(v, where, "axis", f.ndim)
      if f.shape[checked[k]] < edge_order + 1 then
        raise_shape(where, string.format("axis %d of length %d is too short for edge_order %d", checked[k],
          f.shape[checked[k]], edge_order))
      end
    end
    local list = spacings_of(spacing, f, checked)
    for k, v in ipairs(checked) do results[k] = slope(f, v, list[k], edge_order) end
    return #results == 1 and results[1] or results
  end)

  -- ---- convolution

  local MODES = { full = true, same = true, valid = true }

  local function pair(where, a, v, mode)
    if not MODES[mode] then core.not_among(where, "mode", '"full", "same" or "valid"', mode) end
    a = core.as_array(a, where, "a")
    v = core.beside(where, a, v, "v")
    if a.ndim ~= 1 or v.ndim ~= 1 then
      raise_shape(where, "a and v must be vectors, not of shapes " .. a.shape .. " and " .. v.shape)
    end
    if #a == 0 or #v == 0 then raise_shape(where, "a and v must not be empty") end
    local common = cp.promote_types(a, v)
    return a:astype(common, false), v:astype(common, false)
  end

  -- A number as a vector.
  local function vector_of(where, value, argument, like)
    value = core.as_array(value, where, argument, like)
    return value.ndim == 0 and value:reshape(1) or value
  end

  --- The convolution of two vectors: sums of a[i] * v[j] with constant i + j.
  ---@param a any
  ---@param v any
  ---@param mode? string  "full" (default): wherever they overlap; "same": as long as the longer vector;
  --- "valid": where they overlap completely
  ---@return any
  method("convolve", "a, v, mode", 2, function(where, a, v, mode)
    mode = mode == nil and "full" or mode
    a, v = pair(where, vector_of(where, a, "a"), vector_of(where, v, "v", a), mode)
    if #v > #a then a, v = v, a end
    return (direct.convolve(where, a, v, mode))
  end)

  --- The cross-correlation of two vectors: sums of a[i + k] * conj(v[i]) for each lag k.
  ---@param a any
  ---@param v any
  ---@param mode? string  "valid" (default), "same" or "full", as for convolve
  ---@return any
  method("correlate", "a, v, mode", 2, function(where, a, v, mode)
    mode = mode == nil and "valid" or mode
    a, v = pair(where, a, v, mode)
    if #v <= #a then return (direct.correlate(where, a, v, mode)) end
    local turned = direct.correlate(where, v, a, mode) -- of a along v
    return direct.conjugate(slice(turned, 1, #turned, 1, -1)):copy()
  end)
end
