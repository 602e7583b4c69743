-- Filters of Fourier transforms of cp.scipy.ndimage: factors for each frequency, which are products over the
-- axes, except for ellipsoids.

return function(cp, core, arguments)
  local ndimage = cp.scipy.ndimage
  local publish = core.publisher(ndimage, "scipy.ndimage.")
  local raise_shape, take, number = arguments.raise_shape, arguments.take, core.number

  local function dtype_of(where, x, output, complex)
    if cp.is_array(output) then return output.dtype end
    if output ~= nil then return core.dtype(output, where) end
    if core.kind(x) == "c" then return x.dtype end
    return complex and "complex128" or x.dtype == "float32" and "float32" or "float64"
  end

  -- For each axis the frequencies, of the length of that axis before the transform, and this length. Where
  -- the array is a transform of real values of length n along `axis`, there are no negative frequencies.
  local function frequencies(x, n, axis)
    local list, lengths = {}, {}
    for d, m in ipairs(x.shape) do
      local line = {}
      for k = 1, x.ndim do line[k] = k == d and m or 1 end
      local f = cp.arange(m, { dtype = "float64", device = x.device })
      if not (d == axis and n >= 0) then f = f - cp.where(cp.greater_equal(f, (m + 1) / 2 - (m + 1) / 2 % 1), m, 0) end
      list[d], lengths[d] = f:reshape(line), d == axis and n >= 0 and n or m
    end
    return list, lengths
  end

  -- Defines a filter. factor(values, f, lengths, ndim): the array of factors.
  local function define(name, argument, complex, factor)
    publish(name, "input, " .. argument .. ", n, axis, output", 2, function(where, input, value, n, axis, output)
      local x = take(where, input)
      if x.ndim == 0 then raise_shape(where, "input must have at least one axis") end
      local values = arguments.for_axes(where, value, argument, x.ndim)
      for d = 1, x.ndim do values[d] = number(values[d], where, argument) end
      n, axis = core.integer(n, where, "n", -1), core.axis(axis, where, "axis", x.ndim, x.ndim)
      local target = dtype_of(where, x, output, complex)
      local f, lengths = frequencies(x, n, axis)
      local result = x * factor(where, values, f, lengths)
      if core.kind(result) == "c" and core.kind(target) ~= "c" then
        core.raise(where, "dtype", "output must be complex, as the result is, not " .. target)
      end
      result = result:astype(target, false)
      return cp.is_array(output) and core.write_out(where, output, result) or result
    end)
  end

  local function product(f, each)
    local all
    for d = 1, #f do
      local part = each(d)
      all = all and all * part or part
    end
    return all
  end

  define("fourier_gaussian", "sigma", false, function(_, sigma, f, lengths)
    return product(f, function(d) return cp.exp(cp.square(f[d] * (math.pi * sigma[d] / lengths[d])) * -2) end)
  end)

  define("fourier_uniform", "size", false, function(_, size, f, lengths)
    return product(f, function(d) return cp.sinc(f[d] * (size[d] / lengths[d])) end)
  end)

  define("fourier_shift", "shift", true, function(_, shift, f, lengths)
    return product(f, function(d)
      local angle = f[d] * (-2 * math.pi * shift[d] / lengths[d])
      return cp.exp(angle * cp.j)
    end)
  end)

  -- The transform of a ball of radius 1 in up to 3 dimensions, at distance r.
  local BALLS = {
    function(r) return cp.sin(r) / r end,
    function(r) return 2 * cp.scipy.special.j1(r) / r end,
    function(r) return 3 * (cp.sin(r) - r * cp.cos(r)) / (r * r * r) end,
  }

  define("fourier_ellipsoid", "size", false, function(where, size, f, lengths)
    if #f > 3 then raise_shape(where, "input must have 1 to 3 axes, not " .. #f) end
    local squares
    for d = 1, #f do
      local part = cp.square(f[d] * (math.pi * size[d] / lengths[d]))
      squares = squares and squares + part or part
    end
    local r = cp.sqrt(squares)
    local centre = cp.equal(r, 0)
    return cp.where(centre, 1, BALLS[#f](cp.where(centre, 1, r)))
  end)
end
