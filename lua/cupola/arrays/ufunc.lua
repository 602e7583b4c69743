-- cp.ufunc: the methods that NumPy's elementwise functions have, as functions that are given the operation's
-- name: cp.ufunc.at("add", x, index, v) is np.add.at(x, index, v). Reductions and scans of the table are used
-- where the operation has one; others are folded by elementwise operations.

return function(cp, core)
  local ufunc = {}
  local publish = core.publisher(ufunc, "ufunc.")
  cp.ufunc = ufunc

  local SHORT = { add = "add", sub = "subtract", mul = "multiply", div = "divide", true_divide = "divide",
    idiv = "floor_divide", mod = "remainder", pow = "power", band = "bitwise_and", bor = "bitwise_or",
    bxor = "bitwise_xor", shl = "left_shift", shr = "right_shift", neg = "negative", abs = "absolute",
    bnot = "invert" }

  local operations

  -- The name, the function and the number of operands of an operation.
  local function resolve(where, name, arity)
    operations = operations or core.operations()
    if type(name) ~= "string" then
      core.usage(where, 'op must be the name of an operation, such as "add", not ' .. cp.type(name))
    end
    name = SHORT[name] or name
    local op = operations[name]
    if not op or op.arity > 2 or not rawget(cp, name) then
      core.usage(where, string.format("'%s' is not an elementwise operation of one or two operands", name))
    end
    if arity and op.arity ~= arity then
      core.usage(where, string.format("'%s' takes one operand, and this needs an operation of two", name))
    end
    return name, cp[name], op.arity
  end

  local function take(where, a)
    a = core.as_array(a, where, "a")
    if a.ndim == 0 then core.raise_shape(where, "a must have at least one axis") end
    return a
  end

  -- ---- outer

  --- The operation on every pair of an element of A and one of B.
  ---@param op string  the name of an operation of two operands, such as "subtract"
  ---@param A any
  ---@param B any
  ---@param out? any
  ---@param dtype? string
  ---@param casting? string  "no", "safe", "same_kind" (default) or "unsafe": which casts are allowed
  ---@param where? any  a mask of the elements of out that are written
  ---@return any  of A's shape followed by B's
  publish("outer", "op, A, B, out, dtype, casting, where", 3, function(where, op, A, B, ...)
    local _, f = resolve(where, op, 2)
    A = core.as_array(A, where, "A")
    B = core.beside(where, A, B, "B")
    local shape = { unpack(A.shape) }
    for _ = 1, B.ndim do shape[#shape + 1] = 1 end
    return f(A:reshape(shape), B, ...)
  end)

  -- ---- reduce

  local REDUCTIONS = { add = "sum", multiply = "prod", maximum = "max", minimum = "min", logical_and = "all",
    logical_or = "any", fmax = "nanmax", fmin = "nanmin" }
  -- Operations for which the order of pairs is free, with the value that changes nothing, if there is one.
  local ASSOCIATIVE = { bitwise_and = -1, bitwise_or = 0, bitwise_xor = 0, logical_xor = false, gcd = 0, lcm = 1,
    logaddexp = -math.huge, logaddexp2 = -math.huge, hypot = 0 }

  local function slice(x, axis, first, last) return core.slice(x, axis, first, last) end

  -- Halves the axis until one element is left.
  local function fold_pairs(x, axis, f)
    while x.shape[axis] > 1 do
      local n = x.shape[axis]
      local half = math.floor(n / 2)
      local y = f(slice(x, axis, 1, half), slice(x, axis, half + 1, 2 * half))
      x = n % 2 == 0 and y or cp.concatenate({ y, slice(x, axis, n, n):astype(y.dtype, false) }, axis)
    end
    return x
  end

  -- f(...f(f(x1, x2), x3)..., xn); each(y) is called for every intermediate result.
  local function fold_left(where, x, axis, f, each)
    local y = slice(x, axis, 1, 1)
    if each then each(y) end
    for k = 2, x.shape[axis] do
      if k % 64 == 0 then core.check_interrupt(where) end
      y = f(y, slice(x, axis, k, k))
      if each then each(y) end
    end
    return y
  end

  -- What replaces elements that are not selected, and the value of no elements.
  local function neutral_of(where, name, x, initial)
    local v = initial
    if v == nil then v = ASSOCIATIVE[name] end
    if v == nil or v == -1 and core.kind(x) == "b" then
      if name == "bitwise_and" then return true end
      core.usage(where, string.format("'%s' of no elements needs initial", name))
    end
    if v == -1 and initial == nil then return cp.invert(cp.zeros({}, { dtype = x.dtype, device = x.device })) end
    return v
  end

  local function fold(where, name, f, x, axis, o)
    if o.where ~= nil then x = cp.where(o.where, x, neutral_of(where, name, x, o.initial)) end
    if x.shape[axis] == 0 then
      local shape = { unpack(x.shape) }
      shape[axis] = 1
      local v = neutral_of(where, name, x, o.initial)
      return cp.broadcast_to(core.as_array(v, where, "initial", x):astype(x.dtype, false), shape):copy()
    end
    if ASSOCIATIVE[name] ~= nil then return fold_pairs(x, axis, f) end
    return fold_left(where, x, axis, f)
  end

  local function fold_axes(where, name, f, x, axes, o)
    if #axes > 1 and ASSOCIATIVE[name] == nil then
      core.usage(where, string.format("'%s' depends on the order of elements; reduce one axis", name))
    end
    for k, axis in ipairs(axes) do
      x = fold(where, name, f, x, axis, { where = k == 1 and o.where or nil, initial = o.initial })
    end
    if o.initial ~= nil then x = f(o.initial, x) end
    return o.keepdims and x or cp.squeeze(x, axes)
  end

  --- Folds the elements along axes: for "add" it is sum, for "multiply" prod, for "maximum" max and so on.
  --- Operations whose order matters, such as "subtract", go from the first element to the last.
  ---@param op string  the name of an operation of two operands
  ---@param a any
  ---@param axis? any  an axis or a table of axes; default: the first, none of 0-d arrays; false: all
  ---@param dtype? string  the dtype to compute in
  ---@param out? any  array of the result's shape
  ---@param keepdims? boolean
  ---@param initial? any  where to begin
  ---@param where? any  a mask of the elements that count
  ---@return any
  publish("reduce", "op, a, axis, dtype, out, keepdims, initial, where", 2, function(where, op, a, axis, dtype, ...)
    local out, keepdims, initial, mask = ...
    local name, f = resolve(where, op, 2)
    a, keepdims = core.as_array(a, where, "a"), core.boolean(keepdims, where, "keepdims", false)
    if dtype ~= nil then a = a:astype(core.dtype(dtype, where), false) end
    if axis == nil then axis = a.ndim > 0 and 1 or {} elseif axis == false then axis = nil end
    local axes, known = core.axis_list(axis, where, "axis", a.ndim), REDUCTIONS[name]
    local result
    if (name == "logical_and" or name == "logical_or") and initial ~= nil then known = nil end
    if known == "all" or known == "any" then
      result = cp[known](a, { axis = axes, keepdims = keepdims, where = mask })
    elseif known then
      result = cp[known](a, { axis = axes, keepdims = keepdims, initial = initial, where = mask, dtype = dtype })
    else
      result = fold_axes(where, name, f, a, axes, { where = mask, initial = initial, keepdims = keepdims })
    end
    return out == nil and result or core.write_out(where, out, result, false, true)
  end)

  -- ---- accumulate

  local SCANS = { add = "cumsum", multiply = "cumprod", maximum = "cummax", minimum = "cummin" }

  -- All results of the fold, by steps of 1, 2, 4...
  local function scan_pairs(x, axis, f)
    local n, step = x.shape[axis], 1
    while step < n do
      local y = f(slice(x, axis, 1, n - step), slice(x, axis, step + 1, n))
      x = cp.concatenate({ slice(x, axis, 1, step):astype(y.dtype, false), y }, axis)
      step = 2 * step
    end
    return x
  end

  --- The results of the fold up to each element: for "add" it is cumsum.
  ---@param op string  the name of an operation of two operands
  ---@param a any
  ---@param axis? integer  default: the first
  ---@param dtype? string  the dtype to compute in
  ---@param out? any  array of the result's shape
  ---@return any
  publish("accumulate", "op, a, axis, dtype, out", 2, function(where, op, a, axis, dtype, out)
    local name, f = resolve(where, op, 2)
    a = take(where, a)
    axis = core.axis(axis, where, "axis", a.ndim, 1)
    if dtype ~= nil then a = a:astype(core.dtype(dtype, where), false) end
    local result
    if SCANS[name] then
      result = cp[SCANS[name]](a, axis)
      if dtype ~= nil then result = result:astype(a.dtype, false) end
    elseif a.shape[axis] == 0 then
      result = a:copy()
    elseif ASSOCIATIVE[name] ~= nil then
      result = scan_pairs(a, axis, f)
    else
      local list, common = {}, nil
      fold_left(where, a, axis, f, function(y) list[#list + 1], common = y, y.dtype end)
      list[1] = list[1]:astype(common, false)
      result = cp.concatenate(list, axis)
    end
    return out == nil and result or core.write_out(where, out, result, false, true)
  end)

  -- ---- reduceat

  -- Up to so many slices are folded one at a time; more of them together, as rows of a few arrays.
  local FEW = 16

  local function fold_slices(x, axis, op, dtype, first, last)
    local parts = {}
    for k = 1, #first do
      parts[k] = ufunc.reduce(op, slice(x, axis, first[k], last[k]), { axis = axis, dtype = dtype, keepdims = true })
    end
    return cp.concatenate(parts, axis)
  end

  -- Folds rows[{ i, {}, ... }] from first to last, as far as the masks of the columns go.
  local function fold_rows_left(where, rows, f, inside)
    local y = slice(rows, 2, 1, 1)
    for j = 2, rows.shape[2] do
      if j % 64 == 0 then core.check_interrupt(where) end
      y = cp.where(slice(inside, 2, j, j), f(y, slice(rows, 2, j, j)), y)
    end
    return cp.squeeze(y, 2)
  end

  -- Folds the slices of the first axis of x that begin at `first` and have up to `width` elements each, which
  -- become rows of that width.
  local function fold_side_by_side(where, x, op, dtype, first, lengths, width)
    local name, f = resolve(where, op, 2)
    local column = cp.arange(width, { device = x.device }):reshape(1, width)
    local inside = column:lt(lengths:reshape(-1, 1))
    local rows = x[cp.where(inside, first:reshape(-1, 1) + column, first:reshape(-1, 1))]
    local shape = { first.size, width }
    for _ = 2, x.ndim do shape[#shape + 1] = 1 end
    inside = inside:reshape(shape)
    if not REDUCTIONS[name] and ASSOCIATIVE[name] == nil then
      return fold_rows_left(where, dtype and rows:astype(dtype, false) or rows, f, inside)
    end
    -- what fills a row up repeats its first element, which changes no extreme
    local every = name == "maximum" or name == "minimum" or name == "fmax" or name == "fmin"
    return ufunc.reduce(op, rows, { axis = 2, dtype = dtype, where = not every and inside or nil })
  end

  -- Folds many slices of the first axis: those of similar lengths side by side.
  local function fold_many(where, x, op, dtype, first, lengths)
    local most, least, width, result = lengths:max():item(), 0, 1, nil
    while least < most do
      local of_width = cp.flatnonzero(cp.logical_and(lengths:gt(least), lengths:le(width)))
      if of_width.size > 0 then
        local begin, length = first[of_width], lengths[of_width]
        local part
        if of_width.size <= FEW then
          part = fold_slices(x, 1, op, dtype, begin:totable(), (begin + length - 1):totable())
        else
          part = fold_side_by_side(where, x, op, dtype, begin, length, width)
        end
        if of_width.size == first.size then return part end
        if result == nil then
          local shape = { unpack(part.shape) }
          shape[1] = first.size
          result = cp.empty(shape, { dtype = part.dtype, device = x.device })
        end
        result[of_width] = part
      end
      least, width = width, 2 * width
    end
    return result
  end

  -- The positions at which slices begin, checked.
  local function beginnings(where, indices, n, device)
    local at = core.as_array(indices, where, "indices")
    if at.ndim ~= 1 then core.raise_shape(where, "indices must be a vector, not of shape " .. at.shape) end
    local whole = at:astype("int64")
    for _, v in ipairs(at.size == 0 and {} or { at:min():item(), at:max():item() }) do
      core.integer(v, where, "indices", nil, 1, n)
    end
    if core.kind(at) == "f" and not cp.array_equal(whole, at) then
      core.usage(where, "indices must be whole numbers")
    end
    return whole.device == device and whole or whole:to(device)
  end

  -- The folds of no slices at all: those of one element, without it.
  local function no_slices(op, a, axis, dtype)
    local shape = { unpack(a.shape) }
    shape[axis] = 1
    local one = cp.zeros(shape, { dtype = a.dtype, device = a.device })
    return slice(ufunc.reduce(op, one, { axis = axis, dtype = dtype, keepdims = true }), axis, 1, 0):copy()
  end

  --- Folds slices of an axis: slice k begins at position indices[k] and ends before indices[k + 1], the last
  --- at the end of the axis. If the next position is not larger, the result is the element itself.
  ---@param op string  the name of an operation of two operands
  ---@param a any
  ---@param indices any  positions from 1
  ---@param axis? integer  default: the first
  ---@param dtype? string  the dtype to compute in
  ---@param out? any  array of the result's shape
  ---@return any
  publish("reduceat", "op, a, indices, axis, dtype, out", 3, function(where, op, a, indices, axis, dtype, out)
    resolve(where, op, 2)
    a = take(where, a)
    axis = core.axis(axis, where, "axis", a.ndim, 1)
    local n = a.shape[axis]
    local first = beginnings(where, indices, n, a.device)
    if first.size == 0 then
      local none = no_slices(op, a, axis, dtype)
      return out == nil and none or core.write_out(where, out, none, false, true)
    end
    local stop = cp.append(first["2:"], cp.full(1, n + 1, { dtype = "int64", device = a.device }))
    local lengths = cp.maximum(stop - first, 1)
    local result
    if first.size <= FEW then
      result = fold_slices(a, axis, op, dtype, first:totable(), (first + lengths - 1):totable())
    else
      result = cp.moveaxis(fold_many(where, cp.moveaxis(a, axis, 1), op, dtype, first, lengths), 1, axis)
    end
    return out == nil and result or core.write_out(where, out, result, false, true)
  end)

  -- ---- at

  local SCATTERS = { add = "scatter_add", maximum = "scatter_max", minimum = "scatter_min" }

  -- For each position how often it occurred before, in order, and the most that any does.
  local function occurrences(at)
    local order = at:argsort({ kind = "stable" })
    local sorted = at[order]
    local rank = cp.arange(at.size, { device = at.device }) + 1 - cp.searchsorted(sorted, sorted)
    local result = cp.zeros_like(at)
    result[order] = rank
    return result, at.size > 0 and rank:max():item() or -1
  end

  -- b as an array; numbers take a's dtype where they fit.
  local function operand(where, a, b)
    if cp.is_array(b) then return core.as_array(b, where, "b") end
    local function scalar(dtype) return cp.zeros({}, { dtype = dtype, device = a.device }) end
    return cp.where(cp.logical_not(scalar "bool"), b, scalar(a.dtype))
  end

  --- Writes op(element, b) into each element of a that an index selects, once for each time that it is
  --- selected; np.add.at(a, i, b) is cp.ufunc.at("add", a, i, b).
  ---@param op string  the name of an operation of one or two operands
  ---@param a cupola.Array
  ---@param indices any  any index of a
  ---@param b? any  the second operand, which broadcasts with a[indices]
  publish("at", "op, a, indices, b", 3, function(where, op, a, indices, b)
    local name, f, arity = resolve(where, op)
    if not cp.is_array(a) then core.usage(where, "a must be an array, not " .. cp.type(a)) end
    if (b == nil) ~= (arity == 1) then
      core.usage(where, arity == 1 and "b must not be given for an operation of one operand" or "b is missing")
    end
    local direct = SCATTERS[name] and (name == "add" or core.kind(a) ~= "c")
    if direct then return cp[SCATTERS[name]](a, indices, b) end
    local places = cp.arange(a.size, { device = a.device }):reshape(a.shape)[indices]
    if not cp.is_array(places) then places = core.as_array(places, where, "indices", a):astype "int64" end
    local at = places:reshape(-1) + 1
    if b ~= nil then b = cp.broadcast_to(operand(where, a, b), places.shape):reshape(-1) end
    local flat = a:reshape(-1)
    local turn, last = occurrences(at)
    for k = 0, last do
      core.check_interrupt(where)
      local now = turn:eq(k)
      local here = at[now]
      cp.put(flat, here, b ~= nil and f(flat[here], b[now]) or f(flat[here]))
    end
    if not cp.shares_memory(flat, a) then core.write(where, a, flat:reshape(a.shape)) end
  end)
end
