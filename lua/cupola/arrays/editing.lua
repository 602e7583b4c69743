-- Deleting and inserting elements, sliding windows, and vectors: cross and unwrap. Positions count from 1; a
-- table of positions is a list, as in cp.split.

return function(cp, core)
  local method = core.method

  local function lengths(x) return { unpack(x.shape) } end

  -- ---- delete and insert

  -- A position from 1 to `most`; negative positions count from the end of n elements.
  local function position(where, v, n, most)
    local p = core.integer(v, where, "position")
    if p == 0 then core.raise(where, "index", "positions count from 1; there is no position 0") end
    if p < -n or p > most then
      core.raise(where, "index", string.format("position %d is out of range for an axis of length %d", p, n))
    end
    return p < 0 and p + n + 1 or p
  end

  -- Up to so many positions are handled one by one, by copies of what is between them; more on the device.
  local FEW = 8

  local function check_mask(where, mask, n)
    if mask.size == n then return end
    core.raise(where, "shape", string.format("a mask of shape %s does not fit an axis of length %d",
      tostring(mask.shape), n))
  end

  -- An array of positions from 1 to `most` without negative ones, which count from the end of n elements.
  local function checked_positions(where, v, n, most)
    if v.size == 0 then return v:astype "int64" end
    v = v:astype("int64", false)
    position(where, v:min():item(), n, most)
    position(where, v:max():item(), n, most)
    if v:eq(0):any() then position(where, 0, n, most) end
    return cp.where(v:lt(0), v + (n + 1), v)
  end

  -- What obj selects along an axis of length n of arr: a list of few positions, or nil and a vector of them
  -- on arr's device. obj is a whole number, a table or an array of them, a slice as text, or a mask, which
  -- must have length n unless any_mask.
  local function positions(where, obj, arr, n, most, any_mask)
    if type(obj) == "string" then obj = cp.arange(1, n + 1, { device = arr.device })[obj] end
    if type(obj) == "table" and type(obj[1]) == "boolean" then obj = cp.array(obj, { device = arr.device }) end
    if cp.is_array(obj) then
      local kind = core.kind(obj)
      if obj.ndim > 1 or kind == "b" and obj.ndim == 0 then
        core.raise(where, "shape", "obj must have one axis, not shape " .. tostring(obj.shape))
      end
      if kind ~= "b" and kind ~= "i" and kind ~= "u" then
        core.raise(where, "dtype", "obj must be of an integer dtype or bool, not " .. obj.dtype)
      end
      if kind == "b" and not any_mask then check_mask(where, obj, n) end
      if obj.device ~= arr.device then obj = obj:to(arr.device) end
      if kind == "b" then obj = cp.flatnonzero(obj) end
      if obj.size > FEW then return nil, checked_positions(where, obj, n, most) end
      obj = obj:totable()
    end
    local list = {}
    for k, v in core.each(where, type(obj) == "table" and obj or { obj }) do list[k] = position(where, v, n, most) end
    if #list <= FEW then return list end
    return nil, cp.array(list, { dtype = "int64", device = arr.device })
  end

  local function flat_or_axis(where, arr, axis)
    arr = core.as_array(arr, where, "arr")
    if axis == nil then return arr:reshape(-1), 1 end
    return arr, core.axis(axis, where, "axis", arr.ndim)
  end

  -- arr without the elements at the positions of the list.
  local function without(where, arr, list, axis)
    local n, gone, count = core.extent(arr, axis), {}, 0
    for _, p in ipairs(list) do
      if not gone[p] then count = count + 1 end
      gone[p] = true
    end
    local shape = lengths(arr)
    shape[axis] = n - count
    local result = cp.empty(shape, { dtype = arr.dtype, device = arr.device })
    table.sort(list)
    local first, done = 1, 0
    list[#list + 1] = n + 1
    for _, p in ipairs(list) do -- each run of remaining elements is one copy
      if p > first then
        core.write(where, core.slice(result, axis, done + 1, done + p - first), core.slice(arr, axis, first, p - 1))
        done = done + p - first
      end
      first = p + 1
    end
    return result
  end

  --- A copy without the elements at some positions.
  ---@param arr any
  ---@param obj any  a position from 1 (negative from the end), a table or array of positions, a slice as text
  --- ("2:5", "::2"), or a mask
  ---@param axis? integer  default: of the flat array
  ---@return any
  method("delete", "arr, obj, axis", 2, function(where, arr, obj, axis)
    arr, axis = flat_or_axis(where, arr, axis)
    local n = core.extent(arr, axis)
    if cp.is_array(obj) and obj.ndim > 1 and core.kind(obj) ~= "b" then obj = obj:reshape(-1) end
    local list, many = positions(where, obj, arr, n, n)
    if list then return without(where, arr, list, axis) end
    local keep = cp.ones(n, { dtype = "bool", device = arr.device })
    keep[many] = false
    return cp.compress(keep, arr, axis)
  end)

  -- Values for a single position, and their number along the axis. They get leading axes until they have as
  -- many as arr; for a position that is a plain number, NumPy inserts along the first of them.
  local function for_one_position(values, arr, axis, single)
    while values.ndim < arr.ndim do values = cp.expand_dims(values, 1) end
    if single then values = cp.moveaxis(values, 1, axis) end
    return values, core.extent(values, axis)
  end

  -- Writes into result what is inserted before the positions of the list, and arr around it.
  local function put_between(where, result, arr, axis, values, list)
    local order = #list > 0 and cp.argsort(cp.cpu.array(list, "int64")):totable() or {}
    local from, done, n = 1, 0, core.extent(arr, axis)
    local function put(part)
      local length = core.extent(part, axis)
      if length > 0 then core.write(where, core.slice(result, axis, done + 1, done + length), part) end
      done = done + length
    end
    for _, k in ipairs(order) do
      if list[k] > from then put(core.slice(arr, axis, from, list[k] - 1)) end
      put(core.slice(values, axis, k, k))
      from = list[k]
    end
    if from <= n then put(core.slice(arr, axis, from, n)) end
  end

  -- The same for many positions: each value is behind those before it.
  local function put_many(result, arr, axis, values, many)
    local count, total = many.size, core.extent(result, axis)
    local order = cp.argsort(many)
    local places = many[order] + cp.arange(count, { device = arr.device })
    local old = cp.ones(total, { dtype = "bool", device = arr.device })
    old[places] = false
    local into = cp.moveaxis(result, axis, 1)
    into[places] = cp.moveaxis(values, axis, 1)[order]
    into[old] = cp.moveaxis(arr, axis, 1)
  end

  --- A copy with values inserted before some positions.
  ---@param arr any
  ---@param obj any  a position from 1 (length + 1: after the last one; negative: from the end), a table or
  --- array of positions in arr, a slice as text, or a mask
  ---@param values any  broadcasts to the inserted part and is converted to arr's dtype
  ---@param axis? integer  default: of the flat array
  ---@return any
  method("insert", "arr, obj, values, axis", 3, function(where, arr, obj, values, axis)
    arr, axis = flat_or_axis(where, arr, axis)
    values = core.as_array(values, where, "values"):astype(arr.dtype, false)
    if values.device ~= arr.device then values = values:to(arr.device) end
    local n = core.extent(arr, axis)
    local single = type(obj) == "number" or cp.is_array(obj) and obj.ndim == 0
    local list, many = positions(where, obj, arr, n, n + 1, true)
    local count = list and #list or many.size
    if count == 1 then
      values, count = for_one_position(values, arr, axis, single)
      for k = 2, count do list[k] = list[1] end
    end
    local shape = lengths(arr)
    shape[axis] = count
    values = cp.broadcast_to(values, shape)
    shape[axis] = n + count
    local result = cp.empty(shape, { dtype = arr.dtype, device = arr.device })
    if list then
      put_between(where, result, arr, axis, values, list)
    else
      put_many(result, arr, axis, values, many)
    end
    return result
  end)

  -- ---- windows

  --- A read-only view of all sliding windows of a shape, which adds the windows' axes at the end.
  ---@param x any
  ---@param window_shape any  a length, or a table of lengths
  ---@param axis? any  an axis or a table of axes, one for each length; default: all
  ---@param writeable? boolean  whether the view can be written; default false, since windows share their
  --- elements
  ---@return any  view
  method("sliding_window_view", "x, window_shape, axis, writeable", 2,
    function(where, x, window_shape, axis, writeable)
      x, window_shape = core.as_array(x, where, "x"), core.shape(window_shape, where, "window_shape")
      local axes = {}
      if axis == nil then
        for k = 1, x.ndim do axes[k] = k end
      else
        for k, a in ipairs(type(axis) == "table" and axis or { axis }) do
          axes[k] = core.axis(a, where, "axis", x.ndim)
        end
      end
      if #axes ~= #window_shape then
        core.raise(where, "shape", string.format("window_shape has %s for %s",
        core.counted(#window_shape, "length"), core.counted(#axes, "axis", "axes")))
      end
      local shape, strides = lengths(x), {}
      for k, s in ipairs(x.strides) do strides[k] = s end
      for k, a in ipairs(axes) do
        shape[a] = shape[a] - window_shape[k] + 1
        if shape[a] < 1 or window_shape[k] == 0 then
          core.raise(where, "shape", string.format("a window of length %d does not fit into an axis of length %d",
            window_shape[k], core.extent(x, a)))
        end
        shape[#shape + 1], strides[#strides + 1] = window_shape[k], x.strides[a]
      end
      return cp.as_strided(x, shape, strides, core.boolean(writeable, where, "writeable", false))
    end)

  -- ---- vectors

  local multiply, subtract = core.operation("cross", "multiply"), core.operation("cross", "subtract")

  -- The components along an axis, as arrays without it; the third one may be missing.
  local function components(x, axis)
    local list = {}
    local moved = cp.moveaxis(x, axis, x.ndim)
    for k = 1, core.extent(moved, -1) do list[k] = moved[{ cp.ellipsis, k }] end
    if x.ndim == 1 then
      for k = 1, #list do list[k] = x:at(k) end
    end
    return list
  end

  local function vector_axis(x, axis, argument)
    axis = core.axis(axis, "cross", argument, x.ndim, x.ndim)
    local n = core.extent(x, axis)
    if n ~= 2 and n ~= 3 then
      core.raise("cross", "shape", string.format("vectors have 2 or 3 components, not %d", n or 0))
    end
    return axis
  end

  -- p * q - r * s, where a component that is nil is 0.
  local function minor(p, q, r, s)
    local first, second = p and q and multiply(p, q), r and s and multiply(r, s)
    if first and second then return subtract(first, second) end
    return first or second and cp.negative(second)
  end

  --- Cross product of vectors with 2 or 3 components; of pairs of the former its third component alone.
  ---@param a any
  ---@param b any  broadcasts with a beside the vectors' axis
  ---@param axisa? integer  the axis of a's vectors; default: the last
  ---@param axisb? integer  of b's; default: the last
  ---@param axisc? integer  of the result's; default: the last
  ---@param axis? integer  all three at once
  ---@return any
  method("cross", "a, b, axisa, axisb, axisc, axis", 2, function(where, a, b, axisa, axisb, axisc, axis)
    a, b = core.as_array(a, where, "a", b), core.as_array(b, where, "b", a)
    if a.ndim == 0 or b.ndim == 0 then core.raise(where, "shape", "a and b must have at least one axis") end
    if axis ~= nil then axisa, axisb, axisc = axis, axis, axis end
    local u = components(a, vector_axis(a, axisa, "axisa"))
    local v = components(b, vector_axis(b, axisb, "axisb"))
    local z = minor(u[1], v[2], u[2], v[1])
    if #u == 2 and #v == 2 then return z end
    local x, y = minor(u[2], v[3], u[3], v[2]), minor(u[3], v[1], u[1], v[3])
    local shape = lengths(z)
    shape[#shape + 1] = 3
    local result = cp.empty(shape, { dtype = z.dtype, device = z.device })
    for k, part in ipairs { x, y, z } do
      core.write(where, result[{ cp.ellipsis, { k, k } }], cp.expand_dims(part, #shape))
    end
    axisc = core.axis(axisc, where, "axisc", #shape, #shape)
    return axisc == #shape and result or cp.moveaxis(result, #shape, axisc)
  end)

  -- ---- unwrap

  -- Cumulative sums along an axis, in rounds that double the length of the sums.
  local function running_sums(x, axis)
    local n, shift = core.extent(x, axis), 1
    while shift < n do
      local longer = x:copy()
      core.slice(longer, axis, shift + 1, n):add_(core.slice(x, axis, 1, n - shift))
      x, shift = longer, shift * 2
    end
    return x
  end

  -- The corrections that make each step dd of at least discont no longer than half a period.
  local function corrections(dd, period, discont, whole)
    local high = whole and math.floor(period / 2) or period / 2
    local wrapped = cp.mod(dd + high, period) - high
    if not whole or period % 2 == 0 then -- both ends of the interval are possible: keep the sign of the step
      wrapped = cp.where(cp.logical_and(wrapped:eq(-high), dd:gt(0)), high, wrapped)
    end
    return cp.where(cp.abs(dd):lt(discont), 0, wrapped - dd)
  end

  --- Removes jumps: where a value differs from the previous one by more than half a period, adds multiples of
  --- the period to it and all later values.
  ---@param p any  real
  ---@param discont? number  smaller steps stay as they are; default and least value: half a period
  ---@param axis? integer  default: the last
  ---@param period? number  default 2 pi
  ---@return any
  method("unwrap", "p, discont, axis, period", 1, function(where, p, discont, axis, period)
    p = core.as_array(p, where, "p")
    if core.kind(p) == "c" then core.raise(where, "dtype", "p must be real, not " .. p.dtype) end
    axis = core.axis(axis, where, "axis", p.ndim, math.max(p.ndim, 1))
    period = period == nil and 2 * math.pi or period
    if type(period) ~= "number" or period <= 0 then
      core.raise(where, "usage", "period must be a number greater than 0")
    end
    local dtype = cp.result_type(p, period)
    if core.kind(dtype) == "b" then dtype = "int64" end
    local up, n = p:astype(dtype), core.extent(p, axis) or 0
    if n < 2 then return up end
    local whole = core.kind(dtype) ~= "f"
    local dd = core.slice(up, axis, 2, n) - core.slice(up, axis, 1, n - 1)
    local correct = corrections(dd, period, discont == nil and period / 2 or discont, whole)
    core.slice(up, axis, 2, n):add_(running_sums(correct, axis))
    return up
  end)
end
