-- Reductions of sparse arrays, and their diagonals. Sums are products with ones; greatest and least elements
-- compare what is stored with the zeros that are not.

return function(cp, core, S)
  local usage, raise_shape = core.usage, core.raise_shape

  -- The axis as 1 or 2, or nil for all.
  local function axis_of(where, f, axis)
    if axis == nil then return nil end
    local axes = f.vector and 1 or 2
    if type(axis) == "table" then
      local list = core.axis_list(axis, where, "axis", axes)
      if #list == 2 then return nil end
      if #list == 0 then usage(where, "axis must name an axis") end
      axis = list[1]
    end
    axis = core.axis(axis, where, "axis", axes)
    return not f.vector and axis or nil
  end

  local function finish(x, f, axis, keepdims)
    if not keepdims then return x end
    if axis == nil then return x:reshape(f.vector and { 1 } or { 1, 1 }) end
    return cp.expand_dims(x, axis)
  end

  -- f compressed along the axis that remains when `axis` is reduced.
  local function by_remaining(where, f, axis) return S.convert(where, f, axis == 1 and "csc" or "csr") end

  -- ---- sums

  local function sum_dtype(f, dtype) return dtype or cp.sum(S.zeros(1, f.data.dtype, "cpu")).dtype end

  -- The places of f's entries along the axis that remains when `axis` is reduced.
  local function remaining(f, axis)
    if f.indices then return f.indices end
    return axis == 1 and f.col or f.row
  end

  -- Sums along the axis across which entries are stored. The CPU adds each entry, in the order of storage, to
  -- the sum that it belongs to, so that nothing needs to be sorted.
  local function sums_across(where, f, axis, dtype)
    S.settle(where, f)
    local n = f.shape[3 - axis]
    if n == 0 then return S.zeros(0, dtype, f.data.device) end
    return cp.scope(function()
      return S.narrow(core.sparse_sums(where, remaining(f, axis), S.wide(f.data, dtype), n), dtype)
    end)
  end

  local ACROSS = { { csr = true, coo = true }, { csc = true, coo = true } } -- by axis

  local function sum(where, f, axis, dtype)
    dtype = sum_dtype(f, dtype)
    if f.data.dtype == "bool" then f = S.canonical(where, f) end -- repeated entries are one true element
    if axis == nil and f.format ~= "dia" then return cp.sum(f.data, { dtype = dtype }) end
    if axis == nil then return cp.sum(select(3, S.triplets(where, f)), { dtype = dtype }) end
    if ACROSS[axis][f.format] and core.sparse_forms(f.data) then return sums_across(where, f, axis, dtype) end
    local g = by_remaining(where, f, axis)
    return S.sums_of_rows(where, S.sharing(g, g.data:astype(dtype, false)), dtype)
  end

  local function mean(where, f, axis, dtype)
    local count = axis == nil and f.shape[1] * f.shape[2] or f.shape[axis]
    local given = dtype
    dtype = dtype or core.floating(f.data)
    if core.kind(f.data) ~= "f" and core.kind(f.data) ~= "c" and not given then dtype = "float64" end
    return (sum(where, f, axis, dtype) / count):astype(dtype, false)
  end

  -- ---- extremes

  -- The function of two values whose greater or lesser one counts.
  local function beyond(name, skip_nan) return cp[(skip_nan and "f" or "") .. name .. (skip_nan and "" or "imum")] end

  -- The places (int64, from 1) of f's entries along the axis that remains when `axis` is reduced, and how
  -- many there are of each.
  local function lines_of(where, f, axis)
    local row, col = S.triplets(where, f)
    local at = (axis == 1 and col or row):astype "int64" + 1
    local n = f.shape[3 - axis]
    if f.indptr and (f.format == "csc") == (axis == 1) then
      return at, core.slice(f.indptr, 1, 2, n + 1) - core.slice(f.indptr, 1, 1, n)
    end
    local count = S.zeros(n, "int64", f.data.device)
    if #at > 0 then cp.scatter_add(count, { at }, cp.ones({ #at }, { dtype = "int64", device = at.device })) end
    return at, count
  end

  local HALVES = { float16 = true, bfloat16 = true } -- which have no loops of their own

  -- The greatest or least element of each line across `axis` (f is csr or csc, canonical): what is stored,
  -- and 0 where a line has places that are not; explicit: only where it has no entries.
  local function extremes(where, f, axis, name, skip_nan, explicit)
    local major, minor = f.shape[3 - axis], f.shape[axis]
    if core.sparse_forms(f.data) and not HALVES[f.data.dtype] and not (skip_nan and core.is_inexact(f.data)) then
      return cp.scope(function()
        local g = by_remaining(where, f, axis)
        return core.sparse_extremes(where, g.indptr, g.indices, g.data, minor, name == "min", explicit)
      end)
    end
    local places, count = lines_of(where, f, axis)
    places = { places }
    local data, numbers = f.data, nil
    -- No element is beyond this value. Rows without entries keep it, so it must not be beyond 0 either.
    local worst = name == "max" and cp.minimum(cp.min(data), 0) or cp.maximum(cp.max(data), 0)
    if core.is_inexact(data) then worst = cp.array(name == "max" and -math.huge or math.huge,
      { dtype = data.dtype, device = data.device }) end
    if skip_nan and core.is_inexact(data) then
      numbers = cp.zeros({ major }, { dtype = "int32", device = data.device })
      numbers:scatter_max(places, cp.logical_not(cp.isnan(data)):astype "int32")
      data = cp.where(cp.isnan(data), worst, data)
    end
    local out = cp.full({ major }, 0, { dtype = data.dtype, device = data.device })
    out:assign(worst)
    out["scatter_" .. name](out, places, data)
    if numbers then out = cp.where(cp.equal(numbers, 0), 0 / 0, out) end -- rows of nan alone
    if explicit then return cp.where(cp.equal(count, 0), 0, out):astype(data.dtype, false) end
    return cp.where(cp.less(count, minor), beyond(name, skip_nan)(out, 0), out):astype(data.dtype, false)
  end

  -- Complex values are ordered by their real parts, then by the imaginary ones. Returns the canonical array f
  -- with integers in this order, of which 0 is that of 0, and a function from these integers to values. nan
  -- is beyond all others, or with skip_nan behind them.
  local function ranked(where, f, name, skip_nan)
    local data = cp.concatenate { S.zeros(1, f.data.dtype, f.data.device), f.data }
    local values, at = cp.unique(data, { return_inverse = true })
    local zero = at[1]
    if (name == "max") == (skip_nan or false) then at = cp.where(cp.isnan(data), 0, at) end
    values = cp.concatenate { core.slice(values, 1, #values, #values), values } -- nan is last
    return S.sharing(f, core.slice(at, 1, 2, #data) - zero), function(ranks)
      return core.gather(where, values, ranks:reshape(-1) + (zero + 1)):reshape(ranks.shape)
    end
  end

  -- f in canonical form with values that can be compared as they are, and a function that turns these back
  -- into f's own. Repeated entries of a bool array are one true element.
  local function comparable(where, f, name, skip_nan, axis)
    local g = S.canonical(where, axis == nil and S.packed(where, f) or f)
    if core.kind(g.data) == "c" then return ranked(where, g, name, skip_nan) end
    if g.data.dtype ~= "bool" then return g, function(x) return x end end
    return S.sharing(g, g.data:astype "uint8"), function(x) return x:astype "bool" end
  end

  -- Whether there are no rows or columns; extremes along an axis without elements are an error.
  local function is_empty(where, f, axis, name)
    local none = f.shape[1] == 0 or f.shape[2] == 0
    if none and (axis == nil or f.shape[axis] == 0) then
      raise_shape(where, "an array without elements has no " .. name)
    end
    return none
  end

  local function extreme(where, f, axis, name, skip_nan, explicit)
    local empty = is_empty(where, f, axis, name)
    local g, back = comparable(where, f, name, skip_nan, axis)
    if empty or #g.data == 0 then
      return cp.zeros(axis and { f.shape[3 - axis] } or {}, { dtype = f.data.dtype, device = f.data.device })
    end
    if axis then return back(extremes(where, g, axis, name, skip_nan, explicit)) end
    local best = (skip_nan and cp["nan" .. name] or cp[name])(g.data)
    if explicit or #g.data == f.shape[1] * f.shape[2] then return back(best) end
    return back(beyond(name, skip_nan)(best, 0))
  end

  -- For each line across `axis` of f (csr or csc, canonical, without nan) the first position of its
  -- extreme. An extreme of 0 may be at a place that is not stored: the first one of those is where the
  -- numbers of the line's entries and their positions part.
  local function positions_of_extremes(where, f, axis, name)
    local g = S.convert(where, f, axis == 1 and "csc" or "csr")
    g = S.fields(S.keep(where, g, cp.not_equal(g.data, 0)))
    local major, minor = S.axes(g)
    if #g.data == 0 then return cp.ones({ major }, { dtype = "int64", device = f.data.device }) end
    local lines, count = lines_of(where, g, axis)
    local best = extremes(where, g, axis, name == "argmax" and "max" or "min", false, false)
    local at = g.indices:astype "int64"
    local within = S.range(#at, "int64", at.device) - S.gather(where, g.indptr, lines - 1)
    local none = minor
    local stored, gap = cp.full({ major }, none, { dtype = "int64", device = at.device }), count:astype "int64"
    gap = gap:copy()
    cp.scatter_min(stored, { lines }, cp.where(cp.equal(g.data, core.gather(where, best, lines)), at, none))
    cp.scatter_min(gap, { lines }, cp.where(cp.not_equal(at, within), within, none))
    return cp.where(cp.equal(best, 0), gap, stored) + 1
  end

  -- Positions of extremes among stored entries alone: the first for lines without any.
  local function positions_of_stored(where, f, axis, name)
    local g = S.convert(where, f, axis == 1 and "csc" or "csr")
    local major, minor = S.axes(g)
    local options = { dtype = "int64", device = f.data.device }
    if #g.data == 0 and axis then return cp.ones({ major }, options) end
    if #g.data == 0 then usage(where, "an array without stored entries has no " .. name .. " of them") end
    local at, lines = g.indices:astype "int64", lines_of(where, g, axis or 2)
    if axis == nil then
      local k = cp[name](g.data)
      return (lines[k] - 1) * minor + at[k] + 1
    end
    local best = core.gather(where, extremes(where, g, axis, name == "argmax" and "max" or "min", false, true), lines)
    local found = cp.where(cp.not_equal(best, best), cp.not_equal(g.data, g.data), cp.equal(g.data, best))
    local first = cp.full({ major }, minor, options)
    cp.scatter_min(first, { lines }, cp.where(found, at, minor))
    return cp.where(cp.equal(first, minor), 0, first) + 1
  end

  -- Where nan counts positions come from blocks of dense rows.
  local BLOCK = 2 ^ 22

  local function arg_extreme(where, f, axis, name, explicit)
    local extremum = name == "argmax" and "max" or "min"
    if explicit and not is_empty(where, f, axis, name) then
      return positions_of_stored(where, (comparable(where, f, extremum, false, 2)), axis, name)
    end
    if is_empty(where, f, axis, name) then return cp.zeros({ 0 }, { dtype = "int64", device = f.data.device }) end
    if axis == nil then
      local position = arg_extreme(where, f, 2, name)
      local best = extreme(where, f, 2, extremum, false)
      local r = cp[name](best):item()
      return cp.array((r - 1) * f.shape[2] + position[r], { dtype = "int64", device = f.data.device })
    end
    local h = comparable(where, f, extremum, false, axis)
    if not (core.is_inexact(h.data) and #h.data > 0 and cp.any(cp.isnan(h.data))) then
      return positions_of_extremes(where, h, axis, name)
    end
    local g = axis == 1 and S.csr(where, S.fields(S.transpose(where, f))) or S.csr(where, f)
    local rows, list = math.max(1, math.floor(BLOCK / g.shape[2])), {}
    for first = 1, g.shape[1], rows do
      local last = math.min(g.shape[1], first + rows - 1)
      list[#list + 1] = cp[name](S.dense(where, S.major_range(where, g, first, last)), 2)
    end
    return cp.concatenate(list)
  end

  -- ---- all

  local function count_nonzero(where, f, axis)
    local g = S.canonical(where, axis == nil and S.packed(where, f) or f)
    return sum(where, S.sharing(g, cp.not_equal(g.data, 0)), axis, "int64")
  end

  -- Of these functions `explicit` asks for extremes of stored entries alone.
  local function extreme_of(name, skip_nan)
    return function(where, f, axis, _, explicit) return extreme(where, f, axis, name, skip_nan, explicit) end
  end

  local function arg_extreme_of(name)
    return function(where, f, axis, _, explicit) return arg_extreme(where, f, axis, name, explicit) end
  end

  local EXTREMES = { max = true, min = true, nanmax = true, nanmin = true, argmax = true, argmin = true }
  local REDUCTIONS = {
    sum = sum, mean = mean, count_nonzero = count_nonzero,
    max = extreme_of "max", min = extreme_of "min", nanmax = extreme_of("max", true), nanmin = extreme_of("min", true),
    argmax = arg_extreme_of "argmax", argmin = arg_extreme_of "argmin",
  }
  local WITH_DTYPE = { sum = true, mean = true }

  local function reduce(where, f, name, axis, dtype, out, keepdims, explicit)
    axis = axis_of(where, f, axis)
    explicit = core.boolean(explicit, where, "explicit", false)
    local result = finish(REDUCTIONS[name](where, f, axis, dtype, explicit), f, axis, keepdims)
    return out == nil and result or core.write_out(where, out, result, false, true)
  end

  --- cp.NAME(A, ...) for a reduction: the arguments as cp.NAME has them.
  function S.reduce(name, A, axis, ...)
    local where = "scipy.sparse." .. name
    if not REDUCTIONS[name] then usage(where, "takes no sparse arrays; write A:toarray()") end
    local dtype, out, keepdims
    if WITH_DTYPE[name] then dtype, out, keepdims = ... else out, keepdims = ... end
    for k = WITH_DTYPE[name] and 4 or 3, select("#", ...) do
      if select(k, ...) ~= nil then usage(where, "takes only axis, dtype, out and keepdims for sparse arrays") end
    end
    return reduce(where, S.fields(A), name, axis, dtype, out, keepdims)
  end

  for name in next, REDUCTIONS do
    local names = WITH_DTYPE[name] and "axis, dtype, out, keepdims" or "axis, out, keepdims"
    if EXTREMES[name] then names = names .. ", explicit" end
    S.method(name, names, 0, function(where, f, axis, ...)
      local dtype, out, keepdims, explicit
      if WITH_DTYPE[name] then dtype, out, keepdims = ... else out, keepdims, explicit = ... end
      return reduce(where, f, name, axis, dtype, out, keepdims, explicit)
    end, "own")
  end

  S.method("getnnz", "axis", 0, function(where, f, axis)
    axis = axis_of(where, f, axis)
    if axis == nil then return S.count(f) end
    local g = S.convert(where, f, "coo")
    local ones = cp.ones({ #g.data }, { dtype = "int64", device = f.data.device })
    return sum(where, S.sharing(g, ones), axis, "int64")
  end, "own")

  -- ---- diagonals

  S.method("diagonal", "k", 0, function(where, f, k)
    k = core.integer(k, where, "k", 0)
    local rows, columns = f.shape[1], f.shape[2]
    local n = math.max(0, math.min(rows + math.min(k, 0), columns - math.max(k, 0)))
    if n > 0 and core.sparse_forms(f.data) then return S.diagonal(where, f, k, n) end
    local row, col, data = S.triplets(where, S.canonical(where, f))
    local out = S.zeros(n, f.data.dtype, f.data.device)
    if n == 0 then return out end
    row, data = S.choose(where, cp.equal(col:astype("int64") - row, k), row, data)
    if #data > 0 then out[row:astype("int64") + math.min(k, 0) + 1] = data end
    return out
  end)

  S.method("trace", "offset", 0, function(_, f, offset)
    return cp.sum(S.methods.diagonal(S.object(f), offset))
  end)

  S.method("setdiag", "values, k", 1, function(where, f, values, k)
    k = core.integer(k, where, "k", 0)
    local rows, columns = f.shape[1], f.shape[2]
    if k > 0 and k >= columns or k < 0 and -k >= rows then
      usage(where, string.format("k is %d, but an array of shape %s has no such diagonal", k, S.shape_text(f)))
    end
    local n = math.min(rows + math.min(k, 0), columns - math.max(k, 0))
    local x = core.as_array(values, where, "values", f.data)
    if x.ndim == 1 then
      n = math.min(n, #x)
      x = core.slice(x, 1, 1, n)
    elseif x.ndim ~= 0 then
      raise_shape(where, "values must be a number or a vector")
    end
    if n == 0 then return end
    local at = S.range(n, "int64", f.data.device) + 1
    S.assign(where, f, at - math.min(k, 0), at + math.max(k, 0), cp.broadcast_to(x, { n }))
  end)
end
