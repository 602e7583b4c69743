-- cp.scipy.signal: filters along an axis. Recursive filters process row by row (core.recur); those without
-- feedback are convolutions. Coefficients are few, so they are copied to Lua, where steady states are
-- computed too.

return function(cp, core)
  local signal = cp.scipy.signal
  local publish = core.publisher(signal, "scipy.signal.")
  local slice = core.slice
  local MOST = 1024 -- the most states of a filter

  local usage, raise_shape = core.usage, core.raise_shape

  -- ---- coefficients

  -- A list of numbers from a number, a table or a vector, and the dtype of a vector. It may be empty only if
  -- `least` is 0.
  local function list_of(where, v, argument, least)
    if type(v) == "number" then return { v } end
    local x = core.as_array(v, where, argument)
    if x.dtype == "bool" then usage(where, argument .. " must be a vector of numbers, not of bool") end
    if x.ndim == 0 then x = x:reshape({ 1 }) end
    if x.ndim ~= 1 or #x < (least or 1) then
      raise_shape(where, string.format("%s must be a vector%s, not of shape %s", argument,
        least and "" or " with at least one element", tostring(x.shape)))
    end
    if #x == 0 then return {} end
    local kind, dtype = core.kind(x), cp.is_array(v) and x.dtype or nil
    if kind == "i" or kind == "u" then x = x:astype "float64" end -- a Lua number may not hold a large integer
    return x:totable(), dtype or kind == "c" and "complex64" or nil
  end
  core.coefficients = list_of

  local function is_value(v, number) return v == number or type(v) ~= "number" and v.re == number and v.im == 0 end

  local function is_zero(v) return is_value(v, 0) end

  -- b and a as lists of equal length, divided by a[1]; their dtypes, and the original length of a. lenient:
  -- whether zeros before the first other element of a are left out.
  local function normalised(where, b, a, lenient)
    local feedback
    local b_list, b_dtype = list_of(where, b, "b")
    local a_list, a_dtype = list_of(where, a, "a")
    while lenient and #a_list > 1 and is_zero(a_list[1]) do table.remove(a_list, 1) end
    feedback = #a_list
    local n, first = math.max(#b_list, #a_list), a_list[1]
    if is_zero(first) then usage(where, "a must not begin with 0") end
    local bs, as = {}, {}
    for k = 1, n do bs[k], as[k] = (b_list[k] or 0) / first, (a_list[k] or 0) / first end
    return bs, as, { b_dtype, a_dtype }, feedback
  end

  local WIDE = { float16 = "float32", bfloat16 = "float32", float32 = "float32", float64 = "float64",
    complex64 = "complex64", complex128 = "complex128" }

  -- The dtype in which a signal is filtered: the promoted dtype of its own and those of three others; false
  -- or nil for a value without a dtype, such as a table of numbers.
  local function dtype_of(own, others)
    local list = { own or nil }
    for k = 1, 3 do list[#list + 1] = others[k] or nil end
    local dtype = #list > 0 and cp.result_type(unpack(list))
    return WIDE[dtype] or "float64"
  end

  -- The dtype of filter states when no signal is given.
  local function dtype_of_states(dtypes, ...)
    for k = 1, select("#", ...) do
      if cp.is_array((select(k, ...))) then return dtype_of(false, dtypes) end
    end
    return dtype_of("float64", dtypes)
  end

  -- ---- rows

  -- x with two axes as its device filters: along the last axis, or on a GPU, where adjacent rows are
  -- processed together, along the first.
  local function to_rows(x, axis)
    local along = x.device == "cpu" and 2 or 1
    local moved = cp.moveaxis(x, axis, along == 2 and -1 or 1)
    local rows, length = x.size / core.extent(x, axis), core.extent(x, axis)
    return { along = along, shape = moved.shape, axis = axis, count = rows,
      x = moved:reshape(along == 2 and { rows, length } or { length, rows }) }
  end

  local function from_rows(r)
    local y = r.x:reshape(r.shape)
    local from = r.along == 2 and y.ndim or 1
    return from == r.axis and y or cp.moveaxis(y, from, r.axis):copy()
  end

  -- The shape of x with `order` elements along the axis.
  local function state_shape(x, axis, order)
    local shape = {}
    for d = 1, x.ndim do shape[d] = d == axis and order or core.extent(x, d) end
    return shape
  end

  -- The states zi as an array of the shape, which has their number along the axis.
  local function spread_states(where, zi, shape, axis)
    local fits = zi.ndim == #shape
    for d, n in ipairs(shape) do fits = fits and (core.extent(zi, d) == n or d ~= axis and core.extent(zi, d) == 1) end
    if not fits then
      raise_shape(where, string.format("zi has shape %s where %s is needed", tostring(zi.shape),
        tostring(core.shape(shape, where, "zi"))))
    end
    return cp.broadcast_to(zi, shape)
  end

  -- New memory for the states of the rows, from zi or zeros.
  local function new_states(where, r, x, order, zi)
    if zi == nil then return cp.zeros({ r.count, order }, { dtype = r.x.dtype, device = x.device }) end
    local wide = spread_states(where, zi, state_shape(x, r.axis, order), r.axis)
    local moved = cp.moveaxis(wide, r.axis, -1):astype(r.x.dtype):reshape({ r.count, order })
    return moved:copy()
  end

  local function states_back(states, x, axis, order)
    local shape = {}
    for d = 1, x.ndim do
      if d ~= axis then shape[#shape + 1] = core.extent(x, d) end
    end
    shape[#shape + 1] = order
    return cp.moveaxis(states:reshape(shape), -1, axis):copy()
  end

  local function coefficient_array(b, a, dtype, device)
    local list = {}
    for k = 1, #b do list[k] = b[k] end
    for k = 2, #a do list[#list + 1] = a[k] end
    return cp.array(list, { dtype = dtype, device = device })
  end

  -- ---- without feedback

  local function without_feedback(where, b, x, axis, zi)
    local m, shape, start, ones = #b, {}, {}, {}
    for d = 1, x.ndim do shape[d], start[d], ones[d] = core.extent(x, d), 0, 1 end
    local n = shape[axis]
    start[axis], ones[axis] = 1 - m, m
    local h = cp.array(b, { dtype = x.dtype, device = x.device }):reshape(ones)
    if zi == nil then return core.convolve(where, x, h, shape, start, "none", nil, true, false) end
    shape[axis] = n + m - 1
    local full = core.convolve(where, x, h, shape, start, "none", nil, true, false)
    if m == 1 then return full, zi end
    local head = slice(full, axis, 1, m - 1)
    core.write(where, head, head + zi)
    return slice(full, axis, 1, n):copy(), slice(full, axis, n + 1, n + m - 1):copy()
  end

  -- ---- lfilter

  local function take_signal(where, x, axis)
    x = core.as_array(x, where, "x")
    if x.ndim == 0 then raise_shape(where, "x must have at least one axis") end
    return x, core.axis(axis, where, "axis", x.ndim, x.ndim)
  end

  local function take_states(where, x, zi)
    if zi == nil then return nil end
    return core.beside(where, x, zi, "zi")
  end

  local function filtered(where, b, a, x, axis, zi)
    local bs, as, dtypes, feedback = normalised(where, b, a)
    x, axis = take_signal(where, x, axis)
    zi = take_states(where, x, zi)
    if zi ~= nil then dtypes[3] = zi.dtype end
    local dtype, order = dtype_of(x.dtype, dtypes), #bs - 1
    if order > MOST and feedback > 1 then
      usage(where, string.format("b and a have %d elements, but can have %d at most", order + 1, MOST + 1))
    end
    x = x:astype(dtype, false)
    if zi ~= nil then zi = spread_states(where, zi:astype(dtype, false), state_shape(x, axis, order), axis) end
    if x.size == 0 then return x:copy(), zi and zi:copy() end
    if feedback == 1 then return without_feedback(where, bs, x, axis, zi) end
    local r = to_rows(x, axis)
    local states = new_states(where, r, x, order, zi)
    r.x = core.recur(where, r.x, r.along, coefficient_array(bs, as, dtype, x.device), states)
    return from_rows(r), zi ~= nil and states_back(states, x, axis, order) or nil
  end

  --- Filters along an axis with the rational transfer function b / a.
  ---@param b any  vector: numerator coefficients
  ---@param a any  vector: denominator coefficients; all are divided by the first
  ---@param x any
  ---@param axis? integer  default: the last
  ---@param zi? any  the initial states: x's shape with max(#a, #b) - 1 along the axis; 1 along another is for
  --- all of it
  ---@return any y  floating array of x's shape
  ---@return any zf  with zi: the final states
  publish("lfilter", "b, a, x, axis, zi", 3, function(where, b, a, x, axis, zi)
    local y, zf = filtered(where, b, a, x, axis, zi)
    if zi == nil then return y end
    return y, zf
  end)

  -- ---- states

  -- The steady states of a filter for a step of height 1, as a list; nil if there are none.
  local function resting(b, a)
    local n, states = #a - 1, {}
    local sum_b, sum_a = 0, 1
    for k = 2, n + 1 do sum_b, sum_a = sum_b + b[k] - a[k] * b[1], sum_a + a[k] end
    if n > 0 and is_zero(sum_a) then return nil end
    local a_sum, c_sum = 1, 0
    for k = 1, n do
      if k == 1 then
        states[1] = sum_b / sum_a
      else
        a_sum, c_sum = a_sum + a[k], c_sum + b[k] - a[k] * b[1]
        states[k] = a_sum * states[1] - c_sum
      end
    end
    return states
  end

  local function resting_states(where, b, a, lenient)
    local bs, as, dtypes = normalised(where, b, a, lenient)
    local states = resting(bs, as)
    if not states then usage(where, "the filter has no steady state: its denominator is 0 at frequency 0") end
    return states, dtypes, bs, as
  end

  local function vector(list, dtype)
    return #list > 0 and cp.array(list, { dtype = dtype }) or cp.zeros({ 0 }, dtype)
  end

  --- The steady states of lfilter for a step of height 1: multiplied by the first element of a signal, they
  --- avoid a jump at its start.
  ---@param b any
  ---@param a any  zeros at its beginning are left out
  ---@return any  vector of max(#a, #b) - 1
  publish("lfilter_zi", "b, a", 2, function(where, b, a)
    local states, dtypes = resting_states(where, b, a, true)
    return vector(states, dtype_of_states(dtypes, b, a))
  end)

  --- The states of lfilter after given earlier outputs y and inputs x, the most recent first.
  ---@param b any
  ---@param a any
  ---@param y any  vector
  ---@param x? any  vector; default zeros
  ---@return any
  publish("lfiltic", "b, a, y, x", 3, function(where, b, a, y, x)
    local bs, as, dtypes = normalised(where, b, a)
    local xs, z = {}, {}
    local ys, y_dtype = list_of(where, y, "y", 0)
    dtypes[3] = y_dtype
    local dtype = dtype_of_states(dtypes, b, a, y)
    if x ~= nil then
      xs, dtypes[3] = list_of(where, x, "x", 0)
      dtype = dtype_of(dtype, dtypes)
    end
    for m = 1, #as - 1 do
      z[m] = 0
      for k = m + 1, #as do z[m] = z[m] + bs[k] * (xs[k - m] or 0) - as[k] * (ys[k - m] or 0) end
    end
    return vector(z, dtype)
  end)

  -- ---- sections of second order

  -- A table of rows of six numbers, and the array's dtype, as from list_of.
  local function any_sections(where, sos)
    local given = cp.is_array(sos)
    sos = cp.atleast_2d(core.as_array(sos, where, "sos"))
    if sos.ndim ~= 2 or core.extent(sos, 2) ~= 6 then
      raise_shape(where, "sos must have rows of 6 numbers, not shape " .. tostring(sos.shape))
    end
    local rows = core.extent(sos, 1) > 0 and sos:totable() or {}
    return rows, given and sos.dtype or core.kind(sos) == "c" and "complex64" or nil
  end

  -- The same of one section or more, whose a begin with 1.
  local function sections_of(where, sos)
    local rows, dtype = any_sections(where, sos)
    if #rows == 0 then raise_shape(where, "sos must have at least one row") end
    for k, row in ipairs(rows) do
      if not is_value(row[4], 1) then usage(where, string.format("a of section %d must begin with 1", k)) end
    end
    return rows, dtype
  end
  core.sections = sections_of

  local function parts(row) return { row[1], row[2], row[3] }, { row[4], row[5], row[6] } end

  local function filtered_by_sections(where, sos, x, axis, zi)
    local rows, sos_dtype = sections_of(where, sos)
    x, axis = take_signal(where, x, axis)
    zi = take_states(where, x, zi)
    local dtype = dtype_of(x.dtype, { sos_dtype, zi and zi.dtype })
    if zi and (zi.ndim ~= x.ndim + 1 or core.extent(zi, 1) ~= #rows) then
      raise_shape(where, string.format("zi has shape %s for %d sections and x of shape %s", tostring(zi.shape), #rows,
        tostring(x.shape)))
    end
    x = x:astype(dtype, false)
    if x.size == 0 then return x:copy(), zi and zi:astype(dtype) end
    local r, ends = to_rows(x, axis), {}
    for k, row in ipairs(rows) do
      local b, a = parts(row)
      local states = new_states(where, r, x, 2, zi and zi[k])
      r.x = core.recur(where, r.x, r.along, coefficient_array(b, a, dtype, x.device), states)
      if zi then ends[k] = states_back(states, x, axis, 2) end
    end
    return from_rows(r), zi and cp.stack(ends, 1) or nil
  end

  --- Filters along an axis with second-order sections.
  ---@param sos any  rows b1 b2 b3 a1 a2 a3, with a1 = 1
  ---@param x any
  ---@param axis? integer  default: the last
  ---@param zi? any  the initial states: for each section x's shape with 2 along the axis
  ---@return any y
  ---@return any zf  with zi: the final states
  publish("sosfilt", "sos, x, axis, zi", 2, function(where, sos, x, axis, zi)
    local y, zf = filtered_by_sections(where, sos, x, axis, zi)
    if zi == nil then return y end
    return y, zf
  end)

  local function resting_sections(where, rows)
    local list, scale = {}, 1
    for k, row in ipairs(rows) do
      local b, a = parts(row)
      local states = resting(b, a)
      if not states then usage(where, string.format("section %d has no steady state", k)) end
      list[k] = { scale * states[1], scale * states[2] }
      scale = scale * (b[1] + b[2] + b[3]) / (a[1] + a[2] + a[3])
    end
    return list
  end

  -- A section divided by the first element of its a.
  local function divided(where, row, k)
    local first, list = row[4], {}
    if is_zero(first) then usage(where, string.format("a of section %d must not begin with 0", k)) end
    for c, v in ipairs(row) do list[c] = v / first end
    return list
  end

  --- The steady states of sosfilt for a step of height 1.
  ---@param sos any
  ---@return any  (sections, 2)
  publish("sosfilt_zi", "sos", 1, function(where, sos)
    local rows, dtype = any_sections(where, sos)
    dtype = dtype_of_states({ dtype }, sos)
    for k, row in ipairs(rows) do rows[k] = divided(where, row, k) end
    if #rows == 0 then return cp.zeros({ 0, 2 }, dtype) end
    return cp.array(resting_sections(where, rows), dtype)
  end)

  -- ---- forward and backward

  local PADS = { odd = { "reflect", "odd" }, even = { "reflect", "even" }, constant = { "edge" } }

  -- x extended by `edge` elements at both ends of the axis.
  local function extended(where, x, axis, padtype, edge)
    if padtype == nil then padtype = "odd" end
    local kind = padtype ~= false and PADS[padtype]
    if padtype ~= false and not kind then
      core.not_among(where, "padtype", '"odd", "even", "constant" or false', padtype)
    end
    if not kind or edge == 0 then return x, 0 end
    if edge < 0 then usage(where, "padlen must not be negative") end
    if core.extent(x, axis) <= edge then
      local fact = "the length of x along the axis, %d, must be above padlen, %d"
      raise_shape(where, string.format(fact, core.extent(x, axis),
        edge))
    end
    local widths = {}
    for d = 1, x.ndim do widths[d] = d == axis and { edge, edge } or { 0, 0 } end
    return cp.pad(x, widths, { mode = kind[1], reflect_type = kind[2] }), edge
  end

  local function backward(x, axis) return slice(x, axis, core.extent(x, axis), 1, -1) end

  -- run(x, first) filters x from the steady states times its first element.
  local function both_ways(where, x, axis, padtype, edge, run)
    local n = core.extent(x, axis)
    if n == 0 then return x:copy() end
    local wide, added = extended(where, x, axis, padtype, edge)
    local y = run(wide, slice(wide, axis, 1, 1))
    y = run(backward(y, axis), slice(y, axis, core.extent(y, axis), core.extent(y, axis)))
    return slice(backward(y, axis), axis, added + 1, added + n):copy()
  end

  local function along_axis(list, dtype, x, axis)
    local shape = {}
    for d = 1, x.ndim do shape[d] = d == axis and #list or 1 end
    return cp.array(list, { dtype = dtype, device = x.device }):reshape(shape)
  end

  -- The dtype of x filtered from steady states. Those of integer coefficients are float64.
  local function dtype_beside_states(x, dtypes, ...)
    for k = 1, select("#", ...) do
      if cp.is_array((select(k, ...))) then dtypes = { dtype_of(false, dtypes) } end
    end
    return dtype_of(x.dtype == "bool" and "int64" or x.dtype, dtypes)
  end

  local gust = require "cupola.scipy.signal.gust"(cp, core)

  -- Both ways from the states of Gustafsson's method.
  local function by_gust(where, b, a, x, axis, irlen)
    local bs, as, dtypes = normalised(where, b, a)
    x, axis = take_signal(where, x, axis)
    irlen = irlen ~= nil and core.integer(irlen, where, "irlen") or nil
    if irlen and irlen < 1 then usage(where, "irlen must be above 0") end
    local dtype = dtype_of(x.dtype, dtypes)
    x = x:astype(dtype, false)
    if #bs == 1 then return x * (bs[1] * bs[1]) end
    if x.size == 0 then return x:copy() end
    local function run(y, zi) return (filtered(where, bs, as, y, nil, zi)) end
    local function run_down(y) return (filtered(where, bs, as, y, 1)) end
    return cp.moveaxis(gust(cp.moveaxis(x, axis, -1), run, run_down, #bs - 1, irlen), -1, axis):copy()
  end

  local METHODS = { pad = true, gust = true }

  --- Applies lfilter forward and backward, so that the phase is not shifted.
  ---@param b any
  ---@param a any
  ---@param x any
  ---@param axis? integer  default: the last
  ---@param padtype? any  "odd" (default), "even", "constant" or false: how x is extended at its ends
  ---@param padlen? integer  the length of the extension; default 3 max(#a, #b)
  ---@param method? string  "pad" (default), or "gust": not extended, the states at the ends are those with
  --- which forward and backward first give the same
  ---@param irlen? integer  of "gust": how many elements a state affects; default: all
  ---@return any
  publish("filtfilt", "b, a, x, axis, padtype, padlen, method, irlen", 3,
    function(where, b, a, x, axis, padtype, padlen, method, irlen)
    if method ~= nil and not METHODS[method] then core.not_among(where, "method", '"pad" or "gust"', method) end
    if method == "gust" then return by_gust(where, b, a, x, axis, irlen) end
    local states, dtypes, bs, as = resting_states(where, b, a)
    x, axis = take_signal(where, x, axis)
    local dtype = dtype_beside_states(x, dtypes, b, a)
    x = x:astype(dtype, false)
    local edge = core.integer(padlen, where, "padlen", 3 * #bs)
    local function run(y, first)
      if #states == 0 then return y * (bs[1] / as[1]) end
      return (filtered(where, bs, as, y, axis, along_axis(states, dtype, x, axis) * first))
    end
    return both_ways(where, x, axis, padtype, edge, run)
  end)

  --- Applies sosfilt forward and backward, so that the phase is not shifted.
  ---@param sos any
  ---@param x any
  ---@param axis? integer  default: the last
  ---@param padtype? any  as for filtfilt
  ---@param padlen? integer
  ---@return any
  publish("sosfiltfilt", "sos, x, axis, padtype, padlen", 2, function(where, sos, x, axis, padtype, padlen)
    local rows, sos_dtype = sections_of(where, sos)
    x, axis = take_signal(where, x, axis)
    x = x:astype(dtype_beside_states(x, { sos_dtype }, sos), false)
    local taps, without_b, without_a = 2 * #rows + 1, 0, 0
    for _, row in ipairs(rows) do
      without_b, without_a = without_b + (is_zero(row[3]) and 1 or 0), without_a + (is_zero(row[6]) and 1 or 0)
    end
    local edge = core.integer(padlen, where, "padlen", 3 * (taps - math.min(without_b, without_a)))
    local resting_list = resting_sections(where, rows)
    local function run(y, first)
      local states = {}
      for k, pair in ipairs(resting_list) do states[k] = along_axis(pair, x.dtype, x, axis) * first end
      return (filtered_by_sections(where, sos, y, axis, cp.stack(states, 1)))
    end
    return both_ways(where, x, axis, padtype, edge, run)
  end)
end
