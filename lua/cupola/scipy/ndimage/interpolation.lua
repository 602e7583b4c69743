-- Values between the elements of an array, by splines, for cp.scipy.ndimage: map_coordinates,
-- affine_transform, zoom, shift, rotate, and the filters that make coefficients of splines. Coordinates of
-- map_coordinates count from 1, as all positions do; matrices, offsets, shifts and zooms have SciPy's
-- meaning.

return function(cp, core, arguments)
  local ndimage = cp.scipy.ndimage
  local publish = core.publisher(ndimage, "scipy.ndimage.")
  local usage, raise_shape, number = arguments.usage, arguments.raise_shape, core.number
  local take, for_axes, by_parts, lengths = arguments.take, arguments.for_axes, arguments.by_parts, arguments.lengths
  local result_dtype, stored, finished = arguments.result_dtype, arguments.stored, arguments.finished

  -- ---- coefficients

  -- The poles of the filters by order; what lies beyond the ends, by mode.
  local POLES = {
    [2] = { math.sqrt(8) - 3 },
    [3] = { math.sqrt(3) - 2 },
    [4] = { math.sqrt(664 - math.sqrt(438976)) + math.sqrt(304) - 19,
      math.sqrt(664 + math.sqrt(438976)) - math.sqrt(304) - 19 },
    [5] = { math.sqrt(67.5 - math.sqrt(4436.25)) + math.sqrt(26.25) - 6.5,
      math.sqrt(67.5 + math.sqrt(4436.25)) - math.sqrt(26.25) - 6.5 },
  }
  local ENDS = { nearest = "reflect", reflect = "reflect", ["grid-mirror"] = "reflect", mirror = "mirror",
    constant = "mirror", ["grid-constant"] = "mirror", wrap = "mirror", ["grid-wrap"] = "wrap" }

  local function mode_of(where, mode, missing)
    if mode == nil then mode = missing end
    if not ENDS[mode] then
      core.not_among(where, "mode", '"reflect", "grid-mirror", "constant", "grid-constant", "nearest", "mirror", '
        .. '"grid-wrap" or "wrap"', mode)
    end
    return mode
  end

  local function order_of(where, order, least) return core.integer(order, where, "order", 3, least, 5) end

  -- Numbers that the texts of kernels read: bool as bytes, half types as float32.
  local function plain(x)
    if x.dtype == "bool" then return x:astype "uint8" end
    return core.is_half(x.dtype) and x:astype "float32" or x
  end

  -- x (float64) as coefficients along an axis.
  local function filtered_along(where, x, order, axis, mode)
    if x.size == 0 or core.extent(x, axis) == 1 then return x end
    local gain, y, along = 1, x, axis
    for _, z in ipairs(POLES[order]) do gain = gain * (1 - z) * (1 - 1 / z) end
    -- On a GPU neighbouring threads should read neighbouring elements.
    local moves = axis == x.ndim and x.ndim > 1 and x.device ~= "cpu"
    if moves then y, along = cp.moveaxis(x, axis, 1), 1 end
    for _, z in ipairs(POLES[order]) do
      y, gain = core.spline(where, y, along, z, gain, ENDS[mode]), 1
    end
    return moves and cp.moveaxis(y, 1, axis) or y
  end

  local function spline_dtype(where, x, output)
    return result_dtype(where, x, output == nil and (core.kind(x) == "c" and "complex128" or "float64") or output)
  end

  -- Filters along these axes; intermediate results have the result's dtype.
  local function spline_filtered(where, x, order, axes, target, mode)
    return by_parts(x, function(part)
      local real = core.kind(target) == "c" and (target == "complex64" and "float32" or "float64") or target
      for _, axis in ipairs(axes) do
        part = stored(filtered_along(where, part:astype("float64", false), order, axis, mode), real)
      end
      return part:astype(real, false)
    end)
  end

  --- Turns elements into the coefficients of a spline, along one axis.
  ---@param input any
  ---@param order? integer  0 to 5; default 3
  ---@param axis? integer  default: the last
  ---@param output? any  an array to write to, or a dtype; default float64
  ---@param mode? string  what lies beyond the ends; default "mirror"
  ---@return any
  publish("spline_filter1d", "input, order, axis, output, mode", 1, function(where, input, order, axis, output, mode)
    local x = take(where, input)
    order, mode = order_of(where, order, 0), mode_of(where, mode, "mirror")
    if x.ndim == 0 then raise_shape(where, "input must have at least one axis") end
    axis = core.axis(axis, where, "axis", x.ndim, x.ndim)
    local target = spline_dtype(where, x, output)
    if order < 2 then return finished(where, stored(x, target), x, output) end
    return finished(where, spline_filtered(where, x, order, { axis }, target, mode), x, output)
  end)

  --- Turns elements into the coefficients of a spline, along all axes.
  ---@param input any
  ---@param order? integer  2 to 5; default 3
  ---@param output? any  an array to write to, or a dtype; default float64
  ---@param mode? string  what lies beyond the ends; default "mirror"
  ---@return any
  publish("spline_filter", "input, order, output, mode", 1, function(where, input, order, output, mode)
    local x, axes = take(where, input), {}
    order, mode = order_of(where, order, 2), mode_of(where, mode, "mirror")
    for d = 1, x.ndim do axes[d] = d end
    local target = spline_dtype(where, x, output)
    return finished(where, spline_filtered(where, x, order, axes, target, mode), x, output)
  end)

  -- ---- what all transforms share

  local PAD = 12 -- elements before and after, for modes without an exact filter

  local function padded(x, first, options)
    local widths = {}
    for d = 1, x.ndim do widths[d] = { d < first and 0 or PAD, d < first and 0 or PAD } end
    return cp.pad(x, widths, options)
  end

  -- What is sampled instead of x, and how many elements lie before it along each axis (from `first` on).
  -- Beyond the ends splines see copies of the nearest element, filtered or not.
  local function prepared(where, x, o, first)
    local filtered = o.prefilter ~= false
    if o.order < 2 or not filtered and o.mode ~= "nearest" then return plain(x), 0 end
    local pad, axes = 0, {}
    for d = first, x.ndim do axes[#axes + 1] = d end
    x = x:astype("float64", false)
    if o.mode == "nearest" then
      x, pad = padded(x, first, { mode = "edge" }), PAD
    elseif o.mode == "grid-constant" then
      x, pad = padded(x, first, { mode = "constant", constant_values = o.cval }), PAD
    end
    return filtered and spline_filtered(where, x, o.order, axes, "float64", o.mode) or x, pad
  end

  -- The dtype that values are computed in: that of the result, where it is as good as float64.
  local function value_dtype(x, target)
    return x.dtype == "float32" and target == "float32" and "float32" or "float64"
  end

  -- Values as the result's dtype; integers are rounded, halves away from 0, and the nearest ones that there
  -- are.
  local function rounded(v, dtype)
    local kind = core.kind(dtype)
    if kind == "b" then return cp.not_equal(cp.trunc(v), 0) end
    if kind == "u" then v = cp.where(cp.greater(v, 0), v + 0.5, 0) end
    if kind == "i" then v = v + cp.where(cp.greater(v, 0), 0.5, -0.5) end
    return v:astype(dtype, false)
  end

  local function real_dtype(dtype)
    return dtype == "complex64" and "float32" or dtype == "complex128" and "float64" or dtype
  end

  -- Reads the options of a transform; `o` has them as given.
  local function options(where, o)
    if o.prefilter ~= nil and type(o.prefilter) ~= "boolean" then
      usage(where, "prefilter must be true or false, not " .. type(o.prefilter))
    end
    return { order = order_of(where, o.order, 0), mode = mode_of(where, o.mode, "constant"), prefilter = o.prefilter,
      cval = o.cval == nil and 0 or o.cval }
  end

  -- Applies f(part, o, dtype) to the parts of x, with o for a part.
  local function transformed(where, x, given, output, f)
    local o, target = options(where, given), result_dtype(where, x, output)
    local y = by_parts(x, function(part, pick)
      local own = { order = o.order, mode = o.mode == "grid-mirror" and "reflect" or o.mode, prefilter = o.prefilter,
        cval = number(pick(o.cval), where, "cval") }
      local real = real_dtype(target)
      return rounded(f(part, own, value_dtype(part, real)), real)
    end)
    return finished(where, y:astype(target, false), x, output)
  end

  local function with_axes(where, input)
    local x = take(where, input)
    if x.ndim == 0 then raise_shape(where, "input must have at least one axis") end
    return x
  end

  local function constant_array(x, shape, o, dtype)
    return cp.full(shape, o.cval, { dtype = dtype, device = x.device })
  end

  -- ---- coordinates

  --- Values at given coordinates.
  ---@param input any
  ---@param coordinates any  an array whose first axis has a row for each axis of input; they count from 1
  ---@param output? any  an array to write to, or a dtype
  ---@param order? integer  of the splines, 0 to 5; default 3
  ---@param mode? string  what lies beyond the ends; default "constant"
  ---@param cval? number  the constant; default 0
  ---@param prefilter? boolean  false: input holds coefficients
  ---@return any
  publish("map_coordinates", "input, coordinates, output, order, mode, cval, prefilter", 2,
    function(where, input, coordinates, output, order, mode, cval, prefilter)
      local x = with_axes(where, input)
      local places = core.beside(where, x, coordinates, "coordinates")
      if core.kind(places) == "c" then core.raise(where, "dtype", "coordinates must be real, not " .. places.dtype) end
      if places.ndim == 0 or core.extent(places, 1) ~= x.ndim then
        raise_shape(where, string.format("coordinates must have a row for each of %s, not shape %s",
          core.counted(x.ndim, "axis", "axes"), tostring(places.shape)))
      end
      places = places:astype(places.dtype == "float32" and "float32" or "float64", false)
      local shape = {}
      for d = 2, places.ndim do shape[d - 1] = core.extent(places, d) end
      return transformed(where, x, { order = order, mode = mode, cval = cval, prefilter = prefilter }, output,
        function(part, o, dtype)
          if part.size == 0 then return constant_array(x, shape, o, dtype) end
          local data, pad = prepared(where, part, o, 1)
          return core.sample(where, data, places, nil, o.order, o.mode, o.cval, pad - 1, dtype)
        end)
    end)

  -- ---- zoom and shift: one axis after the other

  -- Whether all m values along an axis lie between its first and last element, so no constant is needed.
  local function all_inside(m, n, shift, zoom, half)
    local first, last = (shift + half) * zoom - half, (m - 1 + shift + half) * zoom - half
    return first >= 0 and last >= 0 and first <= n - 1 and last <= n - 1
  end

  -- The rows of a matrix, each with its offset behind it, as one list.
  local function map_of(rows, offset, wide)
    local map = {}
    for d = 1, #offset do
      for k = 1, wide do map[#map + 1] = rows[d][k] end
      map[#map + 1] = offset[d]
    end
    return map
  end

  -- The map of `zoomed` where a GPU should take it at once: so few elements make a value that one axis after
  -- the other would read and write more. Places that are shifted and zoomed would be rounded in another way
  -- than SciPy's.
  local function map_at_once(x, shifts, zooms, grid, o)
    if x.device == "cpu" or grid or o.order > 1 or x.ndim > 3 then return nil end
    local rows = {}
    for d = 1, x.ndim do
      if shifts[d] ~= 0 and zooms[d] ~= 1 then return nil end
      rows[d] = {}
      for k = 1, x.ndim do rows[d][k] = k == d and zooms[d] or 0 end
    end
    return map_of(rows, shifts, x.ndim)
  end

  -- The values at place (k + shift) zoom along each axis, for k from 0; with `grid` between cells.
  local function zoomed(where, part, shape, shifts, zooms, grid, o, dtype)
    if part.size == 0 then return constant_array(part, shape, o, dtype) end
    local map = map_at_once(part, shifts, zooms, grid, o)
    if map then return core.sample(where, plain(part), map, shape, o.order, o.mode, o.cval, 0, dtype) end
    local y, pad = prepared(where, part, o, 1)
    local outside
    for d, m in ipairs(shape) do
      local n = core.extent(part, d)
      local numbers, weights = core.weights(where, y, m, shifts[d], zooms[d], grid, n + 2 * pad, o.mode, o.order, pad)
      local beyond_ends = o.mode == "constant" and not all_inside(m, n, shifts[d], zooms[d], grid and 0.5 or 0)
      if beyond_ends then
        local line = {}
        for k = 1, #shape do line[k] = k == d and m or 1 end
        local beyond = cp.less(core.slice(numbers, 2, 1, 1), 0):reshape(line)
        outside = outside and cp.logical_or(outside, beyond) or beyond
      end
      local constant = (beyond_ends or o.mode == "grid-constant") and o.cval or nil
      y = core.taps(where, y, d, numbers, weights, constant, d == #shape and dtype or "float64")
    end
    return outside and cp.where(outside, cp.scalar(o.cval, dtype), y) or y
  end

  local function numbers_for(where, value, argument, ndim)
    local list = for_axes(where, value, argument, ndim)
    for d = 1, ndim do list[d] = number(list[d], where, argument) end
    return list
  end

  local function ones(n, value)
    local list = {}
    for d = 1, n do list[d] = value or 1 end
    return list
  end

  --- Moves an array's contents along its axes.
  ---@param input any
  ---@param shift any  how far, one number for all axes or one for each
  ---@param output? any  an array to write to, or a dtype
  ---@param order? integer  of the splines, 0 to 5; default 3
  ---@param mode? string  what lies beyond the ends; default "constant"
  ---@param cval? number  the constant; default 0
  ---@param prefilter? boolean  false: input holds coefficients
  ---@return any
  publish("shift", "input, shift, output, order, mode, cval, prefilter", 2,
    function(where, input, shift, output, order, mode, cval, prefilter)
      local x = with_axes(where, input)
      local shifts = numbers_for(where, shift, "shift", x.ndim)
      for d = 1, x.ndim do shifts[d] = -shifts[d] end
      return transformed(where, x, { order = order, mode = mode, cval = cval, prefilter = prefilter }, output,
        function(part, o, dtype)
          return zoomed(where, part, lengths(part), shifts, ones(x.ndim), false, o, dtype)
        end)
    end)

  -- Python's round: halves go to the even number.
  local function nearest_even(v)
    local low = math.floor(v)
    local rest = v - low
    if rest > 0.5 or rest == 0.5 and low % 2 == 1 then low = low + 1 end
    return low
  end

  --- Makes an array larger or smaller.
  ---@param input any
  ---@param zoom any  by what factor, one number for all axes or one for each
  ---@param output? any  an array to write to, or a dtype
  ---@param order? integer  of the splines, 0 to 5; default 3
  ---@param mode? string  what lies beyond the ends; default "constant"
  ---@param cval? number  the constant; default 0
  ---@param prefilter? boolean  false: input holds coefficients
  ---@param grid_mode? boolean  true: elements are cells, and distances are between their borders, not centres
  ---@return any
  publish("zoom", "input, zoom, output, order, mode, cval, prefilter, grid_mode", 2,
    function(where, input, zoom, output, order, mode, cval, prefilter, grid_mode)
      local x = with_axes(where, input)
      local factors, shape, zooms, same = numbers_for(where, zoom, "zoom", x.ndim), {}, {}, true
      for d, n in ipairs(x.shape) do
        shape[d] = nearest_even(n * factors[d])
        if not (shape[d] >= 0 and shape[d] < 2 ^ 31) then usage(where, "zoom must be finite and not negative") end
        local span = grid_mode and shape[d] or shape[d] - 1
        zooms[d] = span == 0 and 1 or (grid_mode and n or n - 1) / span
        same = same and factors[d] == 1
      end
      local given = { order = order, mode = mode, cval = cval, prefilter = prefilter }
      if same and prefilter ~= false then
        options(where, given)
        return finished(where, stored(x, result_dtype(where, x, output)), x, output)
      end
      return transformed(where, x, given, output, function(part, o, dtype)
        return zoomed(where, part, shape, ones(x.ndim, 0), zooms, grid_mode == true, o, dtype)
      end)
    end)

  -- ---- affine maps

  -- An array on the CPU as nested tables of numbers, with its shape.
  local function matrix_of(where, matrix)
    local m = core.as_array(matrix, where, "matrix"):astype("float64", false):to "cpu"
    if m.ndim < 1 or m.ndim > 2 or core.extent(m, 1) < 1 then
      raise_shape(where, "matrix must have 1 or 2 axes, not shape " .. tostring(m.shape))
    end
    return m:totable(), m.ndim, core.extent(m, 1), m.ndim == 2 and core.extent(m, 2) or nil
  end

  -- The matrix and the offset of a map of n axes, where the matrix may contain the offset as its last column.
  local function split_matrix(where, matrix, offset, n)
    local rows, ndim, high, wide = matrix_of(where, matrix)
    if ndim == 2 and wide == n + 1 and (high == n or high == n + 1) then
      offset = {}
      for d = 1, n do offset[d] = rows[d][wide] end
      for k = 1, high == n + 1 and wide or 0 do
        if rows[high][k] ~= (k == wide and 1 or 0) then
          usage(where, "the last row of a homogeneous matrix must be 0, ..., 0, 1")
        end
      end
      high, wide = n, n
    end
    if high ~= n then raise_shape(where, string.format("matrix must have %s, not %d", core.counted(n, "row"), high)) end
    return rows, ndim == 2 and wide or nil, numbers_for(where, offset == nil and 0 or offset, "offset", n)
  end

  local function shape_for(where, shape, output, x)
    if shape == nil then return lengths(cp.is_array(output) and output or x) end
    shape = type(shape) == "number" and { shape } or shape
    if type(shape) ~= "table" then usage(where, "output_shape must be a table of lengths, not " .. type(shape)) end
    local list = {}
    for d, n in ipairs(shape) do list[d] = core.integer(n, where, "output_shape", nil, 0, 2 ^ 31) end
    if #list == 0 then raise_shape(where, "output_shape must have at least one axis") end
    return list
  end

  --- Values at the places that an affine map gives: element o of the result (from 0, as all numbers of the
  --- map) is the value at matrix o + offset.
  ---@param input any
  ---@param matrix any  a row for each axis of input; the diagonal alone; or a homogeneous matrix
  ---@param offset? any  one number for all axes or one for each; default 0
  ---@param output_shape? any  default: that of input
  ---@param output? any  an array to write to, or a dtype
  ---@param order? integer  of the splines, 0 to 5; default 3
  ---@param mode? string  what lies beyond the ends; default "constant"
  ---@param cval? number  the constant; default 0
  ---@param prefilter? boolean  false: input holds coefficients
  ---@return any
  publish("affine_transform", "input, matrix, offset, output_shape, output, order, mode, cval, prefilter", 2,
    function(where, input, matrix, offset, output_shape, output, order, mode, cval, prefilter)
      local x = with_axes(where, input)
      local shape = shape_for(where, output_shape, output, x)
      local rows, wide, offsets = split_matrix(where, matrix, offset, x.ndim)
      if #shape ~= (wide or x.ndim) then
        raise_shape(where, string.format("matrix must have %s, not %d",
          core.counted(#shape, "column"), wide or x.ndim))
      end
      return transformed(where, x, { order = order, mode = mode, cval = cval, prefilter = prefilter }, output,
        function(part, o, dtype)
          if not wide then
            local shifts = {}
            for d = 1, x.ndim do shifts[d] = offsets[d] / rows[d] end
            return zoomed(where, part, shape, shifts, rows, false, o, dtype)
          end
          if part.size == 0 then return constant_array(x, shape, o, dtype) end
          local data, pad = prepared(where, part, o, 1)
          return core.sample(where, data, map_of(rows, offsets, wide), shape, o.order, o.mode, o.cval, pad, dtype)
        end)
    end)

  -- The cosine and the sine of an angle in degrees, exact for quarter turns.
  local function turn_of(angle)
    local quarter = math.floor(angle / 90 + 0.5)
    local rest = math.rad(angle - 90 * quarter)
    local c, s = math.cos(rest), math.sin(rest)
    for _ = 1, quarter % 4 do c, s = -s, c end
    return c, s
  end

  -- The matrix, offset and shape of the plane of a rotation of h times w elements.
  local function rotation(angle, h, w, reshape)
    local c, s = turn_of(angle)
    local high, wide = h, w
    if reshape then
      local ys, xs = { 0, c * 0 + s * w, c * h, c * h + s * w }, { 0, c * w, -s * h, -s * h + c * w }
      high = math.floor(math.max(ys[1], ys[2], ys[3], ys[4]) - math.min(ys[1], ys[2], ys[3], ys[4]) + 0.5)
      wide = math.floor(math.max(xs[1], xs[2], xs[3], xs[4]) - math.min(xs[1], xs[2], xs[3], xs[4]) + 0.5)
    end
    local y, x = (high - 1) / 2, (wide - 1) / 2
    return { { c, s }, { -s, c } }, { (h - 1) / 2 - (c * y + s * x), (w - 1) / 2 - (-s * y + c * x) }, high, wide
  end

  --- Turns an array in the plane of two axes.
  ---@param input any
  ---@param angle number  in degrees
  ---@param axes? any  the two axes; default {2, 1}
  ---@param reshape? boolean  false: the shape stays, and what does not fit is cut off
  ---@param output? any  an array to write to, or a dtype
  ---@param order? integer  of the splines, 0 to 5; default 3
  ---@param mode? string  what lies beyond the ends; default "constant"
  ---@param cval? number  the constant; default 0
  ---@param prefilter? boolean  false: input holds coefficients
  ---@return any
  publish("rotate", "input, angle, axes, reshape, output, order, mode, cval, prefilter", 2,
    function(where, input, angle, axes, reshape, output, order, mode, cval, prefilter)
      local x = take(where, input)
      if x.ndim < 2 then raise_shape(where, "input must have at least two axes, not " .. x.ndim) end
      local pair = core.axis_list(axes == nil and { 1, 2 } or axes, where, "axes", x.ndim)
      if #pair ~= 2 then usage(where, "axes must be two axes, not " .. #pair) end
      table.sort(pair)
      local a, b = pair[1], pair[2]
      local matrix, offset, high, wide = rotation(number(angle, where, "angle"), core.extent(x, a), core.extent(x, b),
        reshape ~= false)
      return transformed(where, x, { order = order, mode = mode, cval = cval, prefilter = prefilter }, output,
        function(part, o, dtype)
          local moved = cp.moveaxis(part, { a, b }, { -2, -1 })
          local rest = lengths(moved)
          rest[#rest - 1], rest[#rest] = high, wide
          if part.size == 0 then return cp.moveaxis(constant_array(x, rest, o, dtype), { -2, -1 }, { a, b }) end
          local planes = moved:reshape(-1, core.extent(x, a), core.extent(x, b))
          local data, pad = prepared(where, planes, o, 2)
          local y = core.sample(where, data, map_of(matrix, offset, 2), { high, wide }, o.order, o.mode, o.cval, pad,
            dtype)
          return cp.moveaxis(y:reshape(rest), { -2, -1 }, { a, b })
        end)
    end)
end
