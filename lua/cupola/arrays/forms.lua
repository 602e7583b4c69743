-- The form of arrays: axes and shapes, blocks, splitting, and conversion to a required form.

return function(cp, core)
  local method = core.method

  local usage = core.usage

  -- ---- axes

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
            core.raise(where, "shape", string.format("axis %d has lengths %d and %d", d, shape[d], n))
          end
          shape[d] = n
        end
      end
    end
    return core.shape(shape, where, "shape")
  end

  --- A view of the array with its axes in another order.
  ---@param a any
  ---@param axes? any
  ---@return any
  method("permute_dims", "a, axes", 1, function(_, a, axes) return (cp.transpose(a, axes)) end)

  --- A view of the array with its last two axes exchanged.
  ---@param x any
  ---@return any
  method("matrix_transpose", "x", 1, function(where, x)
    x = core.as_array(x, where, "x")
    if x.ndim < 2 then core.raise(where, "shape", "x must have at least 2 axes, not shape " .. x.shape) end
    return cp.swapaxes(x, -1, -2)
  end)

  --- The slices of an array along an axis, as a table of views.
  ---@param x any
  ---@param axis? integer  default: the first
  ---@return table
  method("unstack", "x, axis", 1, function(where, x, axis)
    x = core.as_array(x, where, "x")
    if x.ndim == 0 then core.raise(where, "shape", "x must have at least one axis") end
    local moved, list = cp.moveaxis(x, core.axis(axis, where, "axis", x.ndim, 1), 1), {}
    for k = 1, core.extent(moved, 1) do list[k] = core.slice(moved, 1, k, k):squeeze(1) end
    return list
  end)

  --- An array without leading and trailing zeros: without the slices at both ends of its axes that have no
  --- other elements.
  ---@param filt any
  ---@param trim? string  "fb" (default): at both, "f": at the front, "b": at the back
  ---@param axis? any  an axis or a table of axes; default: all
  ---@return any  a view
  method("trim_zeros", "filt, trim, axis", 1, function(where, filt, trim, axis)
    local x = core.as_array(filt, where, "filt")
    trim = trim == nil and "fb" or type(trim) == "string" and string.lower(trim) or trim
    if trim ~= "fb" and trim ~= "bf" and trim ~= "f" and trim ~= "b" then
      core.not_among(where, "trim", '"fb", "f" or "b"', trim)
    end
    if x.ndim == 0 then return x end
    local at, front, back = core.positions(where, x, true), string.find(trim, "f"), string.find(trim, "b")
    local none = #at == 0
    local first, last = none or at:min(1):totable(), none or at:max(1):totable()
    for _, d in ipairs((core.axis_list(axis, where, "axis", x.ndim))) do
      x = core.slice(x, d, front and not none and first[d] or 1, none and 0 or back and last[d] or core.extent(x, d))
    end
    return x
  end)

  -- ---- blocks

  local MOST_AXES = 32

  -- What errors call the part to which these positions lead, from the outermost table on.
  local function path_of(at, depth)
    local path = { "arrays" }
    for k = 1, depth do path[k + 1] = string.format("[%d]", at[k]) end
    return table.concat(path)
  end

  -- How deep tables are nested, which must be equal everywhere; the innermost contain arrays and numbers. at:
  -- the positions that lead to the item, which lies in `outer` - 1 tables.
  local function depth_of(item, at, outer)
    if type(item) ~= "table" then return 0 end
    if outer > MOST_AXES then usage("block", string.format("tables are nested more than %d deep", MOST_AXES)) end
    if #item == 0 then usage("block", path_of(at, outer - 1) .. " is an empty table") end
    local depth
    for k, part in core.each("block", item) do
      at[outer] = k
      local d = depth_of(part, at, outer + 1)
      if depth and d ~= depth then
        usage("block", string.format("tables must be nested equally deep: %s is %d deep, those before it %d",
          path_of(at, outer), d, depth))
      end
      depth = d
    end
    return depth + 1
  end

  -- Copies nested tables and makes arrays of their values, except for numbers beside an array, whose dtype is
  -- found later. Appends all values to `all`, too. The second result is the largest number of axes among
  -- them.
  local function arrays_of(item, at, outer, first, all)
    if type(item) ~= "table" then
      local plain = first and core.is_scalar(item)
      local x = item
      if not plain then
        x = core.as_array(item, "block", cp.is_array(item) and "arrays" or path_of(at, outer - 1), first)
      end
      all[#all + 1] = x
      return x, plain and 0 or x.ndim
    end
    local list, ndim = {}, 0
    for k, part in core.each("block", item) do
      at[outer] = k
      local x, n = arrays_of(part, at, outer + 1, first, all)
      list[k], ndim = x, math.max(ndim, n)
    end
    return list, ndim
  end

  local function first_array(item)
    if cp.is_array(item) then return item end
    for _, part in ipairs(type(item) == "table" and item or {}) do
      local found = first_array(part)
      if found then return found end
    end
  end

  local function with_axes(x, ndim)
    local more = ndim - x.ndim
    if more <= 0 then return x end
    local shape = {}
    for d = 1, ndim do shape[d] = d > more and core.extent(x, d - more) or 1 end
    return x:reshape(shape)
  end

  -- The shape of what joined() gives; nil: the parts do not fit. Tables keep where their parts end along the
  -- axis of joining.
  local function joined_shape(item, depth, ndim)
    local shape = {}
    if depth == 0 then
      local more = core.is_scalar(item) and ndim or ndim - item.ndim
      for d = 1, ndim do shape[d] = d > more and core.extent(item, d - more) or 1 end
      return shape
    end
    local axis, ends = ndim - depth + 1, {}
    for k = 1, #item do
      local one = joined_shape(item[k], depth - 1, ndim)
      if not one then return nil end
      for d = 1, ndim do
        if k > 1 and d ~= axis and shape[d] ~= one[d] then return nil end
        shape[d] = d == axis and k > 1 and shape[d] + one[d] or one[d]
      end
      ends[k] = shape[axis]
    end
    item.ends = ends
    return shape
  end

  -- Writes what joined() gives into `out`, part by part, so that nothing is copied twice. ranges: where the
  -- item goes, a range for each axis.
  local function fill(out, item, depth, ranges)
    if depth == 0 then
      out[ranges]:assign(item)
      return
    end
    local axis = #ranges - depth + 1
    local range = ranges[axis]
    local first, last = range[1], range[2]
    for k = 1, #item do
      range[1], range[2] = first + (item.ends[k - 1] or 0), first + item.ends[k] - 1
      if range[2] >= range[1] then fill(out, item[k], depth - 1, ranges) end
    end
    range[1], range[2] = first, last
  end

  -- Joins the innermost tables along the last axis, those around them along the one before, and so on.
  local function joined(item, depth, ndim, options)
    if depth == 0 then
      return with_axes(core.is_scalar(item) and cp.full({}, item, options) or item, ndim)
    end
    local list = {}
    for k, part in ipairs(item) do list[k] = joined(part, depth - 1, ndim, options) end
    return cp.concatenate(list, -depth, nil, options.dtype)
  end

  --- An array assembled from blocks: `cp.block{ {A, B}, {C, D} }` has A and B side by side, C and D below
  --- them.
  ---@param arrays any  nested tables of arrays and numbers; the innermost ones are joined along the last axis
  ---@return any
  core.publish("block", "arrays", 1, function(where, arrays)
    local depth = depth_of(arrays, {}, 1)
    local all = {}
    local first = first_array(arrays)
    local list, ndim = arrays_of(arrays, {}, 1, first, all)
    if depth == 0 then return list:copy() end
    local options = { dtype = core.common_dtype(where, all), device = first and first.device }
    ndim = math.max(depth, ndim)
    local shape = depth > 1 and joined_shape(list, depth, ndim)
    if not shape then return joined(list, depth, ndim, options) end
    local out, ranges = cp.empty(shape, options), {}
    for d = 1, ndim do ranges[d] = { 1, shape[d] } end
    fill(out, list, depth, ranges)
    return out
  end)

  -- ---- order in memory

  --- Whether an array is Fortran-contiguous (column-major) and not also C-contiguous.
  ---@param a any
  ---@return boolean
  method("isfortran", "a", 1, function(where, a)
    local flags = core.as_array(a, where, "a").flags
    return flags.f_contiguous and not flags.c_contiguous
  end)

  local REQUIREMENTS = {}
  for name, letters in pairs { C = "C C_CONTIGUOUS CONTIGUOUS", F = "F F_CONTIGUOUS FORTRAN", W = "W WRITEABLE",
    O = "O OWNDATA", A = "A ALIGNED", E = "E ENSUREARRAY" } do
    for word in string.gmatch(letters, "%S+") do REQUIREMENTS[word] = name end
  end

  local function wanted(requirements)
    if type(requirements) == "string" then requirements = { requirements } end
    if type(requirements) ~= "table" then
      usage("require", "requirements must be a string or a table of strings, not " .. type(requirements))
    end
    local set = {}
    for _, word in ipairs(requirements) do
      local name = REQUIREMENTS[string.upper(tostring(word))]
      if not name then
        usage("require", string.format("'%s' is not a requirement; the requirements are C, F, W, O, A, E",
          tostring(word)))
      end
      set[name] = true
    end
    if set.C and set.F then usage("require", "an array cannot be asked for in both orders, C and F") end
    return set
  end

  --- a as an array of a dtype that meets requirements: a itself if it does, else a copy.
  ---@param a any
  ---@param dtype? string  default: a's own
  ---@param requirements? any  a string or a table of them: "C" or "F" (memory order), "W" (writable), "O"
  --- (owns its memory); "A" and "E" hold for every array
  ---@return any
  core.publish("require", "a, dtype, requirements", 1, function(where, a, dtype, requirements)
    local set = wanted(requirements == nil and {} or requirements)
    a = core.as_array(a, where, "a")
    if dtype ~= nil then a = a:astype(core.dtype(dtype, where), false) end
    local flags = a.flags
    if set.C and not flags.c_contiguous or set.F and not flags.f_contiguous or set.W and not flags.writeable
      or set.O and not flags.owndata then
      return a:copy(set.F and "F" or set.C and "C" or "K")
    end
    return a
  end)
end
