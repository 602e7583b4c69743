-- Labels of cp.scipy.ndimage: connected components, and where the elements of each label lie. Labels are
-- quantities, 0 is the background; positions count from 1.

return function(cp, core, arguments, windows)
  local ndimage = cp.scipy.ndimage
  local publish = core.publisher(ndimage, "scipy.ndimage.")
  local usage, raise_shape, take = arguments.usage, arguments.raise_shape, arguments.take

  -- The window that says which elements are neighbours.
  local function neighbours(where, x, structure)
    if structure == nil then structure = ndimage.generate_binary_structure(x.ndim, 1) end
    structure = core.as_array(structure, where, "structure"):astype("bool", false):to "cpu"
    if structure.ndim ~= x.ndim then
      raise_shape(where, string.format("structure must have %s, not shape %s",
        core.counted(x.ndim, "axis", "axes"), tostring(structure.shape)))
    end
    local turned = structure
    for d, n in ipairs(structure.shape) do
      if n % 2 == 0 then raise_shape(where, "structure must have an odd length along each axis") end
      turned = core.slice(turned, d, n, 1, -1)
    end
    if not cp.array_equal(turned, structure) then usage(where, "structure must be its own mirror image") end
    local axes = {}
    for d = 1, x.ndim do axes[d] = d end
    if not cp.any(structure) then return nil end
    return windows.of(where, x.ndim, nil, structure, 0, axes)
  end

  -- Numbers components from 1 in the order of their first elements.
  local function numbered(where, mask, window, dtype)
    local trees, components = windows.components(where, mask, window, true)
    if components then return trees:astype(dtype, false), components end
    local roots = core.label_roots(where, trees):view "bool"
    local numbers = core.scan(where, "sum", roots:ravel(), 1, trees.dtype)
    return core.label_numbers(where, trees, numbers):astype(dtype, false), numbers[-1]
  end

  -- The dtype of labels; complex ones are none.
  local function dtype_of_labels(where, output)
    local dtype = cp.is_array(output) and output.dtype or output ~= nil and core.dtype(output, where) or "int32"
    if core.kind(dtype) == "c" then core.raise(where, "dtype", "output must be real, not " .. dtype) end
    return dtype
  end

  --- Labels connected elements that are not 0.
  ---@param input any
  ---@param structure? any  which elements are neighbours, its own mirror image; default: those along axes
  ---@param output? any  an array to write to, or a dtype; default int32
  ---@return any labels  from 1 in the order of their first elements; 0: background. Not returned if output is
  --- an array
  ---@return integer count
  publish("label", "input, structure, output", 1, function(where, input, structure, output)
    local x = take(where, input)
    if core.kind(x) == "c" then core.raise(where, "dtype", "takes real values, not " .. x.dtype) end
    local dtype = dtype_of_labels(where, output)
    local result
    local count = 0
    if x.size == 0 then
      result = cp.zeros(x.shape, { dtype = dtype, device = x.device })
    else
      local mask = cp.not_equal(x, 0):astype "uint8"
      local window = neighbours(where, mask, structure)
      if mask.ndim == 0 then mask, window = mask:reshape(1), window and windows.ONE end
      if window then
        result, count = numbered(where, mask, window, dtype)
      else
        result = core.scan(where, "sum", mask:ravel(), 1, "int64"):reshape(mask.shape)
        count = result:ravel()[-1]
        result = (result * mask):astype(dtype, false)
      end
      result = result:reshape(x.shape)
    end
    local kind = core.kind(dtype)
    if (kind == "i" or kind == "u") and count > cp.iinfo(dtype).max then
      usage(where, string.format("%s cannot hold %d labels", dtype, count))
    end
    if not cp.is_array(output) then return result, count end
    core.write_out(where, output, result)
    return count
  end)

  -- A whole array of labels, flat, and the positions along each axis of its elements that are not background.
  local function labels_of(where, input)
    local x = take(where, input)
    local kind = core.kind(x)
    if kind ~= "i" and kind ~= "u" and kind ~= "b" then
      core.raise(where, "dtype", "labels must be integers, not " .. x.dtype)
    end
    return x:astype("int64", false)
  end

  --- The box of each label.
  ---@param input any  labels
  ---@param max_label? integer  default: the greatest label
  ---@return table  for each label from 1 a table of ranges {first, last}, one for each axis, which is an
  ---               index; false if the label does not occur
  publish("find_objects", "input, max_label", 1, function(where, input, max_label)
    local x = labels_of(where, input)
    local most, boxes = core.integer(max_label, where, "max_label", 0), {}
    if most <= 0 then most = x.size > 0 and math.max(0, x:max():item()) or 0 end
    if most == 0 then return boxes end
    local flat, bounds = x:ravel(), {}
    local inside = cp.logical_and(cp.greater(flat, 0), cp.less_equal(flat, most))
    local rows = cp.where(inside, flat, 0) + 1 -- row 1 is for others
    for d, n in ipairs(x.shape) do
      local line = {}
      for k = 1, x.ndim do line[k] = k == d and n or 1 end
      local along = cp.arange(1, n + 1, { dtype = "int64", device = x.device }):reshape(line)
      local at = cp.broadcast_to(along, x.shape):ravel()
      local first = cp.full({ most + 1 }, n + 1, { dtype = "int64", device = x.device })
      local last = cp.zeros({ most + 1 }, { dtype = "int64", device = x.device })
      cp.scatter_min(first, rows, at)
      cp.scatter_max(last, rows, at)
      bounds[d] = { first:totable(), last:totable() }
    end
    for k = 1, most do
      local box = {}
      for d = 1, x.ndim do
        local first, last = bounds[d][1][k + 1], bounds[d][2][k + 1]
        box[d] = last > 0 and { first, last } or nil
      end
      boxes[k] = #box == x.ndim and x.ndim > 0 and box or false
    end
    return boxes
  end)

  --- Where each value of an array occurs.
  ---@param arr any  integers
  ---@param ignore_value? integer  a value that is left out
  ---@return table  value -> a table of int64 arrays, one for each axis, of positions in C order; it is an
  ---             index
  publish("value_indices", "arr, ignore_value", 1, function(where, arr, ignore_value)
    local x = take(where, arr)
    local kind = core.kind(x)
    if kind ~= "i" and kind ~= "u" then core.raise(where, "dtype", "arr must be of integers, not " .. x.dtype) end
    local found = {}
    if x.size == 0 then return found end
    local flat = x:ravel()
    local order = cp.argsort(flat, { kind = "stable" })
    local values, counts = cp.unique_counts(flat)
    values, counts = values:totable(), counts:totable()
    local ends, k = {}, 0
    for i = 1, #counts - 1 do
      k = k + counts[i]
      ends[i] = k
    end
    local parts = #ends > 0 and cp.split(order, ends) or { order }
    for i, value in ipairs(values) do
      if value ~= ignore_value then found[value] = cp.unravel_index(parts[i], x.shape) end
    end
    return found
  end)
end
