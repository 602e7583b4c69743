-- Windows around the elements of an array, for rank filters and morphology: core.window (src/lua/routines)
-- gives the least, the greatest or a ranked element of each.

return function(cp, core, arguments)
  local usage, number = arguments.usage, core.number
  local mode_of, spread, spread_shape = arguments.mode_of, arguments.spread, arguments.spread_shape
  local windows = {}

  -- The least number of an integer dtype or bool, and the first one beyond the greatest.
  local function range_of(dtype, kind)
    if kind == "b" then return 0, 2 end
    local bits = cp.iinfo(dtype).bits
    if kind == "u" then return 0, 2 ^ bits end
    return -2 ^ (bits - 1), 2 ^ (bits - 1)
  end

  -- Whether a dtype has the number.
  local function is_element(dtype, value)
    local kind = core.kind(dtype)
    if kind == "f" or kind == "c" then return true end
    local low, high = range_of(dtype, kind)
    return value % 1 == 0 and value >= low and value < high
  end

  -- A number for an integer dtype or bool: truncated and wrapped. Negative ones for uint64 stay, as floats
  -- do not hold what they wrap to; core.window converts them.
  local function as_element(dtype, value)
    local kind = core.kind(dtype)
    if value ~= value or math.abs(value) == math.huge then return 0 end
    value = value - math.fmod(value, 1)
    if kind == "b" then return value == 0 and 0 or 1 end
    local low, high = range_of(dtype, kind)
    local period = high - low
    value = math.fmod(value, period)
    if value < low and dtype ~= "uint64" or value < -2 ^ 63 then return value + period end
    return value >= high and value - period or value
  end

  -- An origin for each axis, which must leave the site within its window of these sizes.
  local function check_origins(where, origins, sizes)
    for d, n in ipairs(sizes) do
      local before = math.floor(n / 2) + core.integer(origins[d], where, "origin")
      if before < 0 or before >= n then usage(where, string.format("origin %d is out of range for size %d", origins[d],
        n)) end
    end
    return origins
  end

  --- Describes windows: sizes and origins for each of ndim axes and, unless they are full boxes, the
  --- footprint, a bool array on the CPU with these sizes. `axes` are those that size, footprint and origin
  --- have. Without axes a window is its site.
  function windows.of(where, ndim, size, footprint, origin, axes)
    local sizes
    if footprint ~= nil then
      footprint = spread_shape(where, core.as_array(footprint, where, "footprint"):astype("bool", false):to "cpu",
        "footprint", axes, ndim)
      sizes = arguments.lengths(footprint)
      if not cp.any(footprint) then usage(where, "footprint must have a true element") end
      if cp.all(footprint) then footprint = nil end
    else
      if size == nil then usage(where, "size or footprint must be given") end
      sizes = spread(where, size, "size", axes, ndim, 1)
      for d, n in ipairs(sizes) do
        sizes[d] = core.integer(n, where, "size")
        if sizes[d] < 1 then usage(where, string.format("size must be 1 or more, but is %d", sizes[d])) end
      end
    end
    local origins = spread(where, origin == nil and 0 or origin, "origin", axes, ndim, 0)
    return { sizes = sizes, footprint = footprint, origins = check_origins(where, origins, sizes) }
  end

  --- The same windows with all coordinates reversed: what erosion is to dilation.
  function windows.reversed(window)
    local footprint, origins = window.footprint, {}
    for d, n in ipairs(window.sizes) do
      origins[d] = -window.origins[d] - (n % 2 == 0 and 1 or 0)
      if footprint then footprint = core.slice(footprint, d, n, 1, -1) end
    end
    return { sizes = window.sizes, footprint = footprint, origins = origins }
  end

  --- Number of elements of a window.
  function windows.count(window)
    if window.footprint then return cp.count_nonzero(window.footprint):item() end
    local count = 1
    for _, n in ipairs(window.sizes) do count = count * n end
    return count
  end

  local MOST = 1048576 -- elements of a window, each a table for a moment

  -- The elements of a window in C order: a list of their distances along each axis from the site, which has
  -- `before` elements before it.
  local function elements_of(where, window, before)
    local sizes, at, list, last, count = window.sizes, {}, {}, #window.sizes, 1
    for d, n in ipairs(sizes) do at[d], count = -before[d], count * n end
    if count > MOST then usage(where, string.format("a window has at most %d elements, not %.0f", MOST, count)) end
    local flags = window.footprint and window.footprint:ravel():totable()
    for k = 1, count do
      if not flags or flags[k] then list[#list + 1] = { unpack(at) } end
      local d = last
      at[d] = at[d] + 1
      while d > 1 and at[d] == sizes[d] - before[d] do
        at[d] = -before[d]
        d = d - 1
        at[d] = at[d] + 1
      end
    end
    return list
  end

  -- The elements `rows` of the window of a site and of its neighbour in the row, as seen from the site: those
  -- of both windows, of the site's own and of the neighbour's own; and how many are in both. Returns `rows`
  -- and 0 if these are fewer than half a window.
  local function paired(rows, sizes)
    local is_there, ids = {}, {}
    for k, row in ipairs(rows) do
      local id = 0
      for d, c in ipairs(row) do id = id * (sizes[d] + 2) + c end
      ids[k], is_there[id] = id, true
    end
    local list, own, others = {}, {}, {}
    for k, row in ipairs(rows) do
      table.insert(is_there[ids[k] - 1] and list or own, row)
      if not is_there[ids[k] + 1] then
        local moved = { unpack(row) }
        moved[#moved] = moved[#moved] + 1
        others[#others + 1] = moved
      end
    end
    local common = #list
    if 2 * common < #rows then return rows, 0 end
    for _, more in ipairs { own, others } do
      for _, row in ipairs(more) do list[#list + 1] = row end
    end
    return list, common
  end

  -- For each element of a window its distances along the axes of an array of this shape, after that in
  -- elements; and the farthest distances on each side. Windows of up to `most` elements (default: none) are
  -- those of two neighbours, and what they have in common, a number above 0, comes last.
  function windows.taps(where, window, shape, device, most)
    local before, behind, strides, step = {}, {}, {}, 1
    for d = #shape, 1, -1 do
      local n = window.sizes[d]
      before[d] = math.floor(n / 2) + window.origins[d]
      behind[d] = n - 1 - before[d]
      strides[d], step = step, step * shape[d]
    end
    local rows, common, list = elements_of(where, window, before), 0, {}
    if most and #rows <= most then rows, common = paired(rows, window.sizes) end
    if common > 0 then behind[#shape] = behind[#shape] + 1 end
    for _, row in ipairs(rows) do
      local far, at = 0, #list + 1
      for d, c in ipairs(row) do far = far + c * strides[d] end
      list[at] = far
      for d, c in ipairs(row) do list[at + d] = c end
    end
    local taps = cp.array(list, { dtype = "int64", device = device }):reshape(#rows, 1 + #shape)
    return taps, before, behind, common
  end

  local ONE = { sizes = { 1 }, origins = { 0 } } -- what a window without axes is along one
  windows.ONE = ONE

  --- The connected components of a mask (bytes), where the elements of a window that is its own mirror image
  --- are joined: for each element the number, from 0, of the first one of its component; -1 outside of the
  --- mask. numbered: if the device can, numbers of components, from 1, and 0 outside; their number follows;
  --- if not, what core.label_numbers takes.
  function windows.components(where, mask, window, numbered)
    if mask.ndim == 0 then
      local labels, count = windows.components(where, mask:reshape(1), ONE, numbered)
      return labels:reshape({}), count
    end
    local taps = windows.taps(where, window, mask.shape, "cpu")
    local rows = cp.flatnonzero(cp.less(core.slice(taps, 2, 1, 1):ravel(), 0)) -- those before the element
    local joined, middle = false, math.floor(window.sizes[mask.ndim] / 2)
    if middle > 0 then
      local beside = window.footprint
      for d, n in ipairs(window.sizes) do
        local at = math.floor(n / 2) + (d == mask.ndim and 0 or 1)
        if beside then beside = core.slice(beside, d, at, at) end
      end
      joined = not beside or cp.any(beside)
    end
    return core.label(where, mask, cp.take(taps, rows, 1):to(mask.device), joined, numbered)
  end

  -- x in a dtype that kernels read: bool as bytes, half types as float32.
  local function plain(where, x)
    if core.kind(x) == "c" then core.raise(where, "dtype", "takes real values, not " .. x.dtype) end
    if x.dtype == "bool" then return x:astype "uint8" end
    return core.is_half(x.dtype) and x:astype "float32" or x
  end

  --- The least, greatest or ranked (which: from 0) element of each window, in x's dtype or, if cval is
  --- between its values and `exact` is set, in float64. added: a float64 array on the CPU with the window's
  --- sizes, which is added to elements before they are compared; then the result is float64.
  function windows.apply(where, x, window, which, mode, cval, exact, added)
    if x.ndim == 0 then
      added = added and added:reshape(1)
      return windows.apply(where, x:reshape(1), ONE, which, mode, cval, exact, added):reshape({})
    end
    local border, dtype = mode_of(where, mode)[1], x.dtype
    local fill = border == "fill" and number(cval, where, "cval", 0) or nil
    if fill and not is_element(dtype, fill) and not added then
      if exact and dtype ~= "bool" then dtype = "float64" else fill = as_element(dtype, fill) end
    end
    if added then dtype = "float64" end
    local y = plain(where, x:astype(dtype, false))
    local most = type(which) == "number" and core.most_paired(y) or 0
    local taps, before, behind, common = windows.taps(where, window, x.shape, x.device, most)
    if added then
      added = window.footprint and cp.compress(window.footprint:ravel(), added:ravel()) or added:ravel()
      added = added:to(x.device)
    end
    return core.window(where, which, y, taps, before, behind, border, fill, added, common):astype(dtype, false)
  end

  --- What a box is along one axis.
  function windows.along(window, axis)
    local sizes, origins = {}, {}
    for d, n in ipairs(window.sizes) do
      sizes[d], origins[d] = d == axis and n or 1, d == axis and window.origins[d] or 0
    end
    return { sizes = sizes, origins = origins }
  end

  --- The least or greatest element of each window. Boxes are done along one axis after the other, which gives
  --- the same. mode: one for all axes or a list with one for each.
  function windows.extreme(where, x, window, which, mode, cval)
    if x.size == 0 then return x end
    if window.footprint then return windows.apply(where, x, window, which, mode, cval, true) end
    local done = false
    for d, n in ipairs(window.sizes) do
      if n > 1 then
        local m = mode
        if type(mode) == "table" then m = mode[d] end
        x, done = windows.apply(where, x, windows.along(window, d), which, m, cval, true), true
      end
    end
    if not done then mode_of(where, type(mode) == "table" and mode[1] or mode) end
    return x
  end

  -- Elements of a box above which it is cheaper to go along one axis after the other, on the CPU and on GPUs.
  local FEW, MORE = 9, 64

  --- Packs truth values, or what is not 0, to words of 64 sites along the last axis, and back to bool.
  function windows.pack(where, x)
    if x.ndim == 0 then x = x:reshape(1) end
    return core.pack_sites(where, (x.dtype == "bool" and x or cp.not_equal(x, 0)):view "uint8")
  end
  function windows.unpack(where, words, shape)
    local x = core.unpack_sites(where, words, shape[#shape] or 1):view "bool"
    return #shape == 0 and x:reshape({}) or x
  end

  --- Whether all ("least") or any ("greatest") of each window are true, for packed truth values of a shape.
  --- outside: whether what lies outside is true.
  function windows.fold(where, words, shape, window, which, outside)
    if #shape == 0 then return words end
    local n, most = shape[#shape], words.device == "cpu" and FEW or MORE
    if window.footprint or windows.count(window) <= most then
      return core.fold_bits(where, which, words, n, windows.taps(where, window, shape, words.device), outside)
    end
    for d = 1, #shape do
      if window.sizes[d] > 1 then
        local taps = windows.taps(where, windows.along(window, d), shape, words.device)
        words = core.fold_bits(where, which, words, n, taps, outside)
      end
    end
    return words
  end

  --- The element of a rank, from 0, of each window with `count` elements.
  function windows.ranked(where, x, window, rank, count, mode, cval)
    if x.size == 0 then return x end
    if rank > 0 and rank < count - 1 then return windows.apply(where, x, window, rank, mode, cval, false) end
    return windows.extreme(where, x, window, rank == 0 and "least" or "greatest", mode, cval)
  end

  return windows
end
