-- Binary morphology of cp.scipy.ndimage. Erosion is the least element of each window, dilation the greatest.
-- Iterating until nothing changes is finding the connected components that contain a start, if the structure
-- is symmetric.

return function(cp, core, arguments, windows)
  local ndimage = cp.scipy.ndimage
  local publish = core.publisher(ndimage, "scipy.ndimage.")
  local usage, raise_shape = arguments.usage, arguments.raise_shape
  local take, axes_of = arguments.take, arguments.axes_of
  local np = cp.cpu

  -- ---- structures

  -- Elements of a 3 x ... x 3 box that are at most `connectivity` steps along axes away from its centre.
  local function ball(ndim, connectivity)
    local sum = np.zeros({}, { dtype = "int64" })
    for d = 1, ndim do
      local line = {}
      for k = 1, ndim do line[k] = k == d and 3 or 1 end
      sum = sum + np.array({ 1, 0, 1 }, { dtype = "int64" }):reshape(line)
    end
    return cp.less_equal(sum, connectivity)
  end

  --- A structure for morphology: the elements at most `connectivity` steps along axes from the centre.
  ---@param rank integer  number of axes
  ---@param connectivity integer  1: neighbours along axes; rank: also all diagonal ones
  ---@return any
  publish("generate_binary_structure", "rank, connectivity", 2, function(where, rank, connectivity)
    rank = core.integer(rank, where, "rank", nil, -2 ^ 31, 32)
    connectivity = math.max(1, core.integer(connectivity, where, "connectivity"))
    if rank < 1 then return cp.ones({}, { dtype = "bool" }) end
    local result = ball(rank, connectivity)
    return cp.array(result)
  end)

  -- The window of a structure (nil: a cross) around each element of x.
  local function window_of(where, x, structure, origin, axes, argument)
    local list = axes_of(where, axes, x.ndim)
    if structure == nil then structure = ball(#list, 1) end
    structure = core.as_array(structure, where, argument or "structure"):astype("bool", false):to "cpu"
    if structure.ndim ~= #list then
      raise_shape(where, string.format("%s must have %s, not shape %s", argument or "structure",
        core.counted(#list, "axis", "axes"), tostring(structure.shape)))
    end
    if structure.size == 0 or not cp.any(structure) then
      usage(where, (argument or "structure") .. " must have a true element")
    end
    return windows.of(where, x.ndim, nil, structure, origin, list)
  end

  -- ---- erosion and dilation

  -- Truth values are packed to words of bits, which cost less to move and to compare than bytes. Without
  -- elements there are no words: nil.
  local function pack(where, x) return x.size > 0 and windows.pack(where, x) or nil end
  local function unpack_like(where, words, x)
    if not words then return cp.zeros(x.shape, { dtype = "bool", device = x.device }) end
    return windows.unpack(where, words, x.shape)
  end

  local function border_of(where, value)
    if value == nil then return 0 end
    if type(value) == "boolean" then return value and 1 or 0 end
    return core.number(value, where, "border_value") ~= 0 and 1 or 0
  end

  -- Whether a window is its own mirror image, and contains the element itself.
  local function symmetric(window)
    for d, n in ipairs(window.sizes) do
      if n % 2 == 0 or window.origins[d] ~= 0 then return false end
    end
    local f = window.footprint
    return not f or cp.array_equal(f, windows.reversed(window).footprint)
      and cp.ravel(f)[(f.size + 1) / 2]
  end

  -- Truth values: which elements of `mask` (nil: all) are in x, or can be reached from x by steps of a
  -- symmetric window. With border 1 steps also start outside of the array.
  local function propagated(where, x, window, mask, border)
    mask = mask or cp.ones_like(x)
    if border == 1 then
      local none = pack(where, cp.zeros_like(x))
      local begun = windows.fold(where, none, x.shape, window, "greatest", true)
      x = cp.logical_or(x, cp.logical_and(mask, unpack_like(where, begun, x)))
    end
    local roots = windows.components(where, cp.logical_or(mask, x):view "uint8", window)
    local size = x.size
    -- For each root whether its component contains an element of x.
    local number = cp.where(x, roots, -1):ravel()
    local found = core.count(where, number, size)
    local reached = cp.greater(core.gather(where, found, cp.maximum(roots, 0):astype("int64", false) + 1), 0)
    return cp.logical_or(x, cp.logical_and(mask, reached))
  end

  -- One step of erosion ("least") or dilation ("greatest") of words; elements outside of the mask stay.
  local function step(where, x, like, window, which, mask, border)
    local y = windows.fold(where, x, like.shape, window, which, border == 1)
    if mask then y = cp.bitwise_or(cp.bitwise_and(y, mask), cp.bitwise_and(x, cp.bitwise_not(mask))) end
    return y
  end

  local function until_stable(where, x, like, window, which, mask, border)
    while true do
      core.check_interrupt(where)
      local y = step(where, x, like, window, which, mask, border)
      if cp.array_equal(x, y) then return x end
      x = y
    end
  end

  -- What propagates through truth values in words.
  local function propagated_words(where, y, like, window, which, mask, border)
    local x = unpack_like(where, y, like)
    if which == "greatest" then return pack(where, propagated(where, x, window, mask, border)) end
    x = propagated(where, cp.logical_not(x), window, mask, 1 - border)
    return pack(where, cp.logical_not(x))
  end

  -- Erodes or dilates truth values in words, y, of an array like `like`. o: iterations, mask, border_value.
  local function changed(where, y, like, window, which, o)
    local border, mask = border_of(where, o.border_value), o.mask
    local iterations = core.integer(o.iterations, where, "iterations", 1)
    if mask ~= nil then
      mask = core.beside(where, like, mask, "mask")
      if mask.shape ~= like.shape then raise_shape(where, "mask must have the shape of input") end
      mask = cp.not_equal(mask, 0)
    end
    if which == "greatest" then window = windows.reversed(window) end
    if not y then return nil end
    if iterations < 1 and symmetric(window) then
      return propagated_words(where, y, like, window, which, mask, border)
    end
    mask = mask and pack(where, mask)
    if iterations < 1 then return until_stable(where, y, like, window, which, mask, border) end
    local look = 64 -- the first step after which it is worth asking whether anything changes still
    for k = 1, iterations do
      core.check_interrupt(where)
      local before = y
      y = step(where, y, like, window, which, mask, border)
      if k == look then
        if cp.array_equal(before, y) then return y end
        look = 2 * look
      end
    end
    return y
  end

  local function finished(where, result, output)
    if cp.is_array(output) then return core.write_out(where, output, result:astype(output.dtype, false)) end
    if output ~= nil then return result:astype(core.dtype(output, where), false) end
    return result
  end

  local function define(name, names, ...)
    local order = { ... }
    publish(name, names, 1, function(where, input, ...)
      local o, k = {}, 0
      for word in string.gmatch(string.sub(names, 8), "[%w_]+") do
        k = k + 1
        o[word] = (select(k, ...))
      end
      local x = take(where, input)
      if core.kind(x) == "c" then core.raise(where, "dtype", "takes real values, not " .. x.dtype) end
      local window = window_of(where, x, o.structure, o.origin, o.axes)
      if name == "binary_propagation" then o.iterations = 0 end
      local y = pack(where, x)
      for _, which in ipairs(order) do y = changed(where, y, x, window, which, o) end
      return finished(where, unpack_like(where, y, x), o.output)
    end)
  end

  local ALL = "input, structure, iterations, mask, output, border_value, origin, brute_force, axes"
  local LESS = "input, structure, iterations, output, origin, mask, border_value, brute_force, axes"
  define("binary_erosion", ALL, "least")
  define("binary_dilation", ALL, "greatest")
  define("binary_opening", LESS, "least", "greatest")
  define("binary_closing", LESS, "greatest", "least")
  define("binary_propagation", "input, structure, mask, output, border_value, origin, axes", "greatest")

  --- The places where one structure fits the true elements and another one the false elements.
  ---@param input any
  ---@param structure1? any  default: a cross
  ---@param structure2? any  default: what structure1 is not
  ---@param output? any
  ---@param origin1? any
  ---@param origin2? any  default: origin1
  ---@param axes? any
  ---@return any
  publish("binary_hit_or_miss", "input, structure1, structure2, output, origin1, origin2, axes", 1,
    function(where, input, structure1, structure2, output, origin1, origin2, axes)
      local x = take(where, input)
      local list = axes_of(where, axes, x.ndim)
      local first = structure1 == nil and ball(#list, 1) or structure1
      local second = structure2
      if second == nil then second = cp.equal(core.as_array(first, where, "structure1"), 0) end
      if origin2 == nil then origin2 = origin1 end
      local y = pack(where, x)
      local hits = changed(where, y, x, window_of(where, x, first, origin1, axes, "structure1"), "least", {})
      if structure2 ~= nil or cp.any(second) then
        local window = window_of(where, x, second, origin2, axes, "structure2")
        hits = y and cp.bitwise_and(hits, cp.bitwise_not(windows.fold(where, y, x.shape, window, "greatest", false)))
      end
      return finished(where, unpack_like(where, hits, x), output)
    end)

  --- Makes elements true that true ones enclose.
  ---@param input any
  ---@param structure? any  which elements are neighbours; default: a cross
  ---@param output? any
  ---@param origin? any
  ---@param axes? any
  ---@return any
  publish("binary_fill_holes", "input, structure, output, origin, axes", 1,
    function(where, input, structure, output, origin, axes)
      local x = take(where, input)
      local window = window_of(where, x, structure, origin, axes)
      local o = { iterations = 0, mask = cp.equal(x, 0), border_value = 1 }
      local none = pack(where, cp.zeros(x.shape, { dtype = "bool", device = x.device }))
      local outside = changed(where, none, x, window, "greatest", o)
      return finished(where, cp.logical_not(unpack_like(where, outside, x)), output)
    end)

  --- The structure that dilates as much as `structure` does when applied several times.
  ---@param structure any
  ---@param iterations integer
  ---@param origin? any  then the second result is its multiple
  ---@return any structure
  ---@return table? origin
  publish("iterate_structure", "structure, iterations, origin", 2, function(where, structure, iterations, origin)
    local s = core.as_array(structure, where, "structure")
    iterations = core.integer(iterations, where, "iterations")
    local mask = cp.not_equal(s, 0)
    if iterations < 2 then
      if origin == nil then return s:copy() end
      return s:copy(), origin
    end
    local widths = {}
    for d, n in ipairs(s.shape) do
      local before = (iterations - 1) * math.floor(n / 2)
      widths[d] = { before, (iterations - 1) * (n - 1) - before }
    end
    local wide = cp.pad(mask, widths, { mode = "constant" })
    local words = changed(where, pack(where, wide), wide, window_of(where, wide, mask), "greatest",
      { iterations = iterations - 1 })
    local result = unpack_like(where, words, wide)
    if origin == nil then return result end
    local origins = arguments.for_axes(where, origin, "origin", s.ndim)
    for d = 1, s.ndim do origins[d] = iterations * core.integer(origins[d], where, "origin") end
    return result, origins
  end)
end
