-- Distance transforms of cp.scipy.ndimage. Along the last axis the nearest 0 of each line is found by two
-- scans, along each other axis by core.envelope (src/lua/routines/sample.c).

return function(cp, core, arguments)
  local ndimage = cp.scipy.ndimage
  local publish = core.publisher(ndimage, "scipy.ndimage.")
  local usage, raise_shape, take = arguments.usage, arguments.raise_shape, arguments.take
  local FAR = 2 ^ 30 -- more than any square of a distance that is an int32

  -- The number of the nearest 0 along the last axis for each element, from 0; -1 where the line has none.
  local function nearest_in_lines(where, zero)
    local n, last = core.extent(zero, -1), zero.ndim
    local at = cp.arange(n, { dtype = "int32", device = zero.device })
    local before = core.scan(where, "max", cp.where(zero, at, -1), last, "int32")
    local turned = core.slice(cp.where(zero, -at, -2 * n), last, n, 1, -1)
    local behind = -core.slice(core.scan(where, "max", turned, last, "int32"), last, n, 1, -1)
    local nearer = cp.logical_or(cp.less(before, 0), cp.less(behind - at, at - before))
    return cp.where(cp.logical_and(nearer, cp.less(behind, n)), behind, before), at
  end

  -- Squares of distances, and the flat numbers of the nearest zeros if wanted. Where there is none, the
  -- square is FAR or infinite.
  local function transform(where, x, steps, wanted)
    local zero = cp.equal(x, 0)
    local nearest, at = nearest_in_lines(where, zero)
    local whole, sum = true, 0
    for d, n in ipairs(x.shape) do
      whole, sum = whole and steps[d] == 1, sum + n * n
    end
    whole = whole and sum < FAR
    local apart = (at - nearest):astype(whole and "int32" or "float64")
    local squares = apart * apart
    if not whole then squares = squares * steps[x.ndim] ^ 2 end
    squares = cp.where(cp.less(nearest, 0), cp.scalar(whole and FAR or math.huge, squares.dtype), squares)
    local found = nil
    if wanted then
      local n = core.extent(x, -1)
      local lines = cp.arange(0, x.size, n, { dtype = "int32", device = x.device })
      local shape = arguments.lengths(x)
      shape[#shape] = 1
      found = cp.where(cp.less(nearest, 0), -1, nearest + lines:reshape(shape))
    end
    for d = x.ndim - 1, 1, -1 do
      squares, found = core.envelope(where, squares, found, d, steps[d] ^ 2)
    end
    return squares, found
  end

  local function result_in(where, result, out, dtype, argument)
    if out == nil then return result end
    if not cp.is_array(out) or out.dtype ~= dtype or out.shape ~= result.shape then
      usage(where, string.format("%s must be an array of dtype %s and shape %s", argument, dtype,
        tostring(result.shape)))
    end
    return core.write_out(where, out, result)
  end

  -- Positions from 1 along each axis of the elements with these flat numbers.
  local function indices_of(found, shape)
    local list, rest = {}, found
    for d = #shape, 1, -1 do
      local above = cp.floor_divide(rest, shape[d])
      list[d], rest = rest - above * shape[d] + 1, above
    end
    return cp.stack(list, 1):astype("int32", false)
  end

  --- The Euclidean distance of each element to the nearest 0.
  ---@param input any
  ---@param sampling? any  the distance between neighbours, one for all axes or one for each; default 1
  ---@param return_distances? boolean  default true
  ---@param return_indices? boolean  default false
  ---@param distances? any  float64 array to write the distances to
  ---@param indices? any  int32 array to write the indices to
  ---@return any distances  float64; infinite if there is no 0
  ---@return any indices  int32, for each axis the positions of the nearest zeros, from 1; 0 if there is none
  publish("distance_transform_edt", "input, sampling, return_distances, return_indices, distances, indices", 1,
    function(where, input, sampling, return_distances, return_indices, distances, indices)
      local x = take(where, input)
      if return_distances == nil then return_distances = true end
      if not return_distances and not return_indices then
        usage(where, "return_distances or return_indices must be true")
      end
      if distances ~= nil and not return_distances or indices ~= nil and not return_indices then
        usage(where, "an array is given for a result that is not returned")
      end
      if x.ndim == 0 then x = x:reshape(1) end
      local steps = arguments.for_axes(where, sampling == nil and 1 or sampling, "sampling", x.ndim)
      for d = 1, x.ndim do steps[d] = core.number(steps[d], where, "sampling") end
      if x.size >= 2 ^ 31 then raise_shape(where, "input has more than 2^31 - 1 elements") end
      local squares, found
      if x.size > 0 then
        squares, found = transform(where, x, steps, return_indices)
      else
        squares = cp.zeros(x.shape, { dtype = "float64", device = x.device })
        found = squares:astype "int32"
      end
      local results = {}
      if return_distances then
        local d = cp.sqrt(squares:astype("float64", false))
        if squares.dtype == "int32" then d = cp.where(cp.greater_equal(squares, FAR), math.huge, d) end
        results[1] = result_in(where, d, distances, "float64", "distances")
      end
      if return_indices then
        local all = indices_of(found, x.shape)
        if x.size > 0 then all = cp.where(cp.less(found, 0), 0, all) end
        results[#results + 1] = result_in(where, all, indices, "int32", "indices")
      end
      return results[1], results[2]
    end)
end
