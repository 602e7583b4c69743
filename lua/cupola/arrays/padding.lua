-- cp.pad: an array with borders. Borders that repeat the array's own elements are read where these lie.
-- Otherwise the result is filled axis by axis. While an axis is filled, the axes before it already have
-- borders and those after it do not, so every border consists of whole slabs.

return function(cp, core)
  local slice = core.slice

  local function usage(fact) return core.raise("pad", "usage", fact) end

  local function write(target, value) core.write("pad", target, value) end
  local function write_part(x, items, value) core.choose_write("pad", x, items, value) end

  -- Expands value to pairs {before, after}, one for each axis: it is a number or a table of one or two
  -- numbers for all axes, or a table of such tables.
  local function pairs_of(value, argument, ndim)
    local per_axis = {}
    local function pair(v)
      if core.is_scalar(v) then return { v, v } end
      if type(v) ~= "table" or #v < 1 or #v > 2 or not core.is_scalar(v[1]) or not core.is_scalar(v[#v]) then
        usage(argument .. " must be a number, {before, after}, or a table of these for each axis")
      end
      return { v[1], v[#v] }
    end
    local listed = type(value) == "table" and type(value[1]) == "table"
    if listed and #value ~= 1 and #value ~= ndim then
      usage(string.format("%s has %s for an array of %s", argument, core.counted(#value, "item"),
        core.counted(ndim, "axis", "axes")))
    end
    for k = 1, ndim do per_axis[k] = pair(listed and (value[k] or value[1]) or value) end
    return per_axis
  end

  -- A slab `s` is the part being filled: `all` is the result with borders on the axes up to `axis`; along
  -- this axis of length `length`, positions `first` to `last` have values, at first the array's own `n`.

  -- Fills borders with repeated mirror images, mirrored at the edge value too. edge: the outermost value is
  -- repeated.
  local function grow_reflected(s, edge)
    local window = edge and s.n or s.n - 1 -- the length of one mirror image
    local inside = edge and 0 or 1
    local function image(at, from, to, count, place)
      local values = 2 * slice(s.all, s.axis, at, at) - slice(s.all, s.axis, from, to, -1)
      write(slice(s.all, s.axis, place, place + count - 1), values)
    end
    while s.first > 1 do
      local count = math.min(window, s.first - 1)
      image(s.first, s.first + inside + count - 1, s.first + inside, count, s.first - count)
      s.first = s.first - count
    end
    while s.last < s.length do
      local count = math.min(window, s.length - s.last)
      image(s.last, s.last - inside, s.last - inside - count + 1, count, s.last + 1)
      s.last = s.last + count
    end
  end

  -- Writes before and after (values that broadcast) to the borders.
  local function fill_borders(s, before, after)
    if s.first > 1 then write(slice(s.all, s.axis, 1, s.first - 1), before()) end
    if s.last < s.length then write(slice(s.all, s.axis, s.last + 1, s.length), after()) end
  end

  local function fill_constants(s, values)
    fill_borders(s, function() return values[1] end, function() return values[2] end)
  end

  local function fill_edges(s)
    fill_borders(s, function() return slice(s.all, s.axis, s.first, s.first) end,
      function() return slice(s.all, s.axis, s.last, s.last) end)
  end

  -- `count` values from stop to the element at `at`, which is excluded.
  local function ramp(s, stop, at, count)
    local edge = slice(s.all, s.axis, at, at)
    local column = {}
    for k = 1, s.all.ndim do column[k] = k == s.axis and count or 1 end
    local wide = core.is_inexact(edge) and edge.dtype or "float64"
    local position = cp.arange(count, { dtype = wide, device = edge.device }):reshape(column)
    local values = (edge:astype(wide, false) - stop) / count * position + stop
    if wide == edge.dtype then return values end
    return cp.floor(values):astype(edge.dtype)
  end

  local function fill_ramps(s, ends)
    fill_borders(s, function() return ramp(s, ends[1], s.first, s.first - 1) end, function()
      return slice(ramp(s, ends[2], s.last, s.length - s.last), s.axis, -1, 1, -1)
    end)
  end

  -- The max, min, mean or median of the outermost `length` values (of all if nil).
  local function statistic(s, name, length, at_end)
    local n = length == nil and s.n or core.integer(length, "pad", "stat_length")
    if n < 1 then usage("stat_length must be 1 or more") end
    n = math.min(n, s.n)
    local first = at_end and s.last - n + 1 or s.first
    local value = cp[name](slice(s.all, s.axis, first, first + n - 1), { axis = s.axis, keepdims = true })
    if value.dtype == s.all.dtype then return value end
    return core.is_inexact(s.all) and value or cp.rint(value):astype(s.all.dtype)
  end

  local function fill_statistics(name)
    return function(s, lengths)
      fill_borders(s, function() return statistic(s, name, lengths[1]) end,
        function() return statistic(s, name, lengths[2], true) end)
    end
  end

  local function fill_mirrored(edge)
    return function(s)
      if s.n == 1 and not edge then return fill_edges(s) end
      grow_reflected(s, edge)
    end
  end

  -- mode -> {function that fills one axis (slab, the axis' pair of its option), the name of that option}
  local modes = {
    constant = { fill_constants, "constant_values" },
    edge = { moved = "clamp" },
    empty = { function() end },
    linear_ramp = { fill_ramps, "end_values" },
    maximum = { fill_statistics "max", "stat_length" },
    mean = { fill_statistics "mean", "stat_length" },
    median = { fill_statistics "median", "stat_length" },
    minimum = { fill_statistics "min", "stat_length" },
    reflect = { fill_mirrored(false), moved = "reflect" },
    symmetric = { fill_mirrored(true), moved = "mirror" },
    wrap = { moved = "wrap" },
  }

  -- An array of the padded shape with a in the middle, and `border` elsewhere, or anything if that is nil.
  local function bordered(a, widths, border)
    local shape, items = {}, {}
    for k, n in ipairs(a.shape) do
      shape[k] = core.length("pad", n, widths[k][1], widths[k][2])
      items[k] = { widths[k][1] + 1, widths[k][1] + n }
    end
    local options = { dtype = a.dtype, device = a.device }
    local result = border == nil and cp.empty(shape, options) or cp.full(shape, border, options)
    if a.ndim == 0 then write(result, a) else write_part(result, items, a) end
    return result
  end

  -- The one number that all borders consist of, or nil.
  local function only_constant(values)
    local first = values[1] and values[1][1] or 0
    for _, pair in ipairs(values) do
      if pair[1] ~= first or pair[2] ~= first then return nil end
    end
    return first
  end

  -- Index items for the result: complete axes up to `axis`, the array's own part of the others.
  local function slab(result, a, widths, axis)
    local items = {}
    for k, n in ipairs(a.shape) do items[k] = k <= axis and {} or { widths[k][1] + 1, widths[k][1] + n } end
    local n = core.extent(a, axis)
    local before = widths[axis][1]
    local all = result[items]
    return { all = all, axis = axis, n = n, first = before + 1, last = before + n, length = core.extent(all, axis) }
  end

  local function widths_of(pad_width, ndim)
    local widths = pairs_of(pad_width, "pad_width", ndim)
    for _, w in ipairs(widths) do
      for side = 1, 2 do
        w[side] = core.integer(w[side], "pad", "pad_width")
        if w[side] < 0 then usage("pad_width must not be negative") end
      end
    end
    return widths
  end

  local function mode_named(name)
    if type(name) == "string" and modes[name] then return modes[name] end
    local known = {}
    for key in pairs(modes) do known[#known + 1] = key end
    table.sort(known)
    core.not_among("pad", "mode", "one of " .. table.concat(known, ", "), name)
  end

  -- a with borders made of its own elements, by a rule of core.moved.
  local function surrounded(a, widths, rule)
    local result = a
    for k, n in ipairs(a.shape) do
      local before, length = widths[k][1], core.length("pad", n, widths[k][1], widths[k][2])
      local own = n == 1 and rule == "reflect" and "clamp" or rule
      if length > n then result = core.moved("pad", result, k, own, before, length, not rawequal(result, a)) end
    end
    return rawequal(result, a) and a:copy() or result
  end

  local function check_axes(a, widths, name)
    for axis, n in ipairs(a.shape) do
      if n == 0 and widths[axis][1] + widths[axis][2] > 0 then
        core.raise("pad", "shape", string.format("axis %d has no elements; mode %s needs some", axis, name))
      end
    end
  end

  local function pad(a, widths, name, options, odd)
    local mode = mode_named(name)
    local option = mode[2]
    for key, v in pairs(options) do
      if key ~= option then usage(key .. " = " .. tostring(v) .. " is not defined for mode " .. name) end
    end
    if name ~= "constant" and name ~= "empty" then check_axes(a, widths, name) end
    if mode.moved and not (odd and mode[1]) then return surrounded(a, widths, mode.moved) end
    local value = options[option]
    if value == nil and option ~= "stat_length" then value = 0 end
    local values = value ~= nil and pairs_of(value, option, a.ndim) or {}
    if name == "constant" then
      local border = only_constant(values)
      if border ~= nil then return bordered(a, widths, border) end
    end
    local result = bordered(a, widths)
    for axis = 1, a.ndim do
      local s = slab(result, a, widths, axis)
      if s.length > s.n and result.size > 0 then mode[1](s, values[axis] or {}) end
    end
    return result
  end

  --- Pads an array with borders.
  ---@param array any
  ---@param pad_width any  widths: a number, {before, after}, or a table (or an array) of these for each axis
  ---@param mode? string  constant (default), edge, empty, linear_ramp, maximum, mean, median, minimum,
  --- reflect, symmetric or wrap
  ---@param constant_values? any  for mode constant, in the forms of pad_width; default 0
  ---@param end_values? any  the outermost values for mode linear_ramp; default 0
  ---@param stat_length? any  how many values at the edge maximum, mean, median and minimum use; default all
  ---@param reflect_type? string  "even" (default) or "odd": mirrored at the edge value too
  ---@return any  array of the same dtype
  core.method("pad", "array, pad_width, mode, constant_values, end_values, stat_length, reflect_type", 2,
    function(where, array, pad_width, mode, constant_values, end_values, stat_length, reflect_type)
      array = core.as_array(array, where, "array")
      local options = { constant_values = constant_values, end_values = end_values, stat_length = stat_length }
      if reflect_type ~= nil and reflect_type ~= "even" and reflect_type ~= "odd" then
        core.not_among(where, "reflect_type", '"even" or "odd"', reflect_type)
      end
      if reflect_type ~= nil and mode ~= "reflect" and mode ~= "symmetric" then
        usage("reflect_type is defined for the modes reflect and symmetric")
      end
      local widths = widths_of(core.listed(pad_width), array.ndim)
      return pad(array, widths, mode == nil and "constant" or mode, options, reflect_type == "odd")
    end)
end
