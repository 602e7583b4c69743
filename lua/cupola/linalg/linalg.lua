-- cp.linalg: linear systems, inverses, determinants and powers. Each function packs its matrices as columns
-- in new memory, as LAPACK expects, and calls the device's solver (src/lua/routines/linalg.c), which reads
-- the status before it returns. Decompositions are in lua/cupola/linalg/decompositions.lua, norms in
-- norms.lua.

return function(cp, core)
  local linalg = {}
  local publish = core.publisher(linalg, "linalg.")
  cp.linalg = linalg

  -- ---- forms

  local form = {}
  core.linalg = form

  -- The dtype in which a decomposition of these arrays is computed.
  function form.dtype(where, ...)
    local dtype
    for _, x in ipairs { ... } do
      if core.is_half(x.dtype) then
        core.raise(where, "dtype", x.dtype .. " matrices cannot be decomposed; convert with :astype(\"float32\")")
      end
      local own = core.is_inexact(x.dtype) and x.dtype or "float64"
      dtype = dtype and cp.promote_types(dtype, own) or own
    end
    return dtype
  end

  function form.take(where, a, name, other)
    a = core.as_array(a, where, name or "a", other)
    if a.ndim < 2 then
      core.raise(where, "shape", string.format("%s must have at least 2 axes, not shape %s", name or "a",
        tostring(a.shape)))
    end
    return a
  end

  function form.take_square(where, a, name, other)
    a = form.take(where, a, name, other)
    if core.extent(a, -1) ~= core.extent(a, -2) then
      core.raise(where, "shape", string.format("%s must be square matrices, not of shape %s", name or "a",
        tostring(a.shape)))
    end
    return a
  end

  -- The axes before the matrices.
  function form.batch(x, axes)
    local list = {}
    for d = 1, x.ndim - (axes or 2) do list[d] = core.extent(x, d) end
    return list
  end

  function form.count(batch)
    local n = 1
    for _, length in ipairs(batch) do n = n * length end
    return n
  end

  function form.shape(batch, ...)
    local shape = { unpack(batch) }
    for _, n in ipairs { ... } do shape[#shape + 1] = n end
    return shape
  end

  -- New memory on the device of x.
  function form.new(x, dtype, batch, ...)
    return cp.empty(form.shape(batch, ...), { dtype = dtype, device = x.device })
  end

  -- The matrices of x in new memory: row by row ("rows"), or column by column as LAPACK expects ("columns";
  -- then the array's last two axes are swapped).
  function form.packed(where, x, dtype, how)
    if how == "columns" then x = cp.swapaxes(x, -1, -2) end
    return core.write(where, cp.empty(x.shape, { dtype = dtype, device = x.device }), x)
  end

  function form.turned(x) return cp.swapaxes(x, -1, -2) end

  function form.is_complex(dtype) return core.kind(dtype) == "c" end

  -- "matrix", or in a batch "matrix 3 of 5".
  local function named(which, count)
    return count == 1 and "the matrix" or string.format("matrix %d of %d", which, count)
  end

  -- Calls the solver. problem: a function that explains a positive or negative info, or returns nil if it is
  -- fine.
  function form.solve(where, name, call, problem)
    local info, which = core.decompose(where, name, call)
    if info ~= 0 and problem then
      core.raise(where, "usage", named(which, call.count) .. " " .. problem)
    end
    return info
  end

  function form.check_finite(where, a, dtype)
    if a.size > 0 and not cp.isfinite(a:astype(dtype, false)):all() then
      core.raise(where, "usage", "the matrix has infinities or NaNs")
    end
  end

  -- ---- LU

  -- The LU decomposition of a in packed columns, the pivots, and the info of the first singular matrix. With
  -- how = "rows" that of square a transposed, which takes no transposition.
  function form.lu(where, a, dtype, how)
    local batch, m, n = form.batch(a), core.extent(a, -2), core.extent(a, -1)
    local count, least = form.count(batch), math.min(m, n)
    local lu = form.packed(where, a, dtype, how or "columns")
    local pivots = form.new(a, core.pivot_dtype(lu, count, m, n), batch, least)
    local call = { a = lu, pivots = pivots, count = count, rows = m, columns = n }
    if count == 0 or least == 0 then return call, 0, 0 end
    local info, which = core.decompose(where, "lu", call)
    return call, info, which
  end

  local SINGULAR = "is singular"

  -- The packed columns of b, n x right, broadcast to a batch.
  local function right_sides(where, b, dtype, batch)
    local n, right = core.extent(b, -2), core.extent(b, -1)
    local wide = cp.broadcast_to(b, form.shape(batch, n, right))
    return form.packed(where, wide, dtype, "columns"), right
  end

  local function common_batch(where, a, b)
    local longer, shorter = form.batch(a), form.batch(b)
    if #longer < #shorter then longer, shorter = shorter, longer end
    for d = 1, #shorter do
      local k = #longer - #shorter + d
      if longer[k] == 1 then
        longer[k] = shorter[d]
      elseif shorter[d] ~= 1 and shorter[d] ~= longer[k] then
        core.raise(where, "shape", "the batches of " .. a.shape .. " and " .. b.shape .. " do not broadcast")
      end
    end
    return longer
  end

  -- Prepares b for solve: a vector becomes a column.
  local function as_columns(where, a, b)
    local n = core.extent(a, -1)
    local vector = b.ndim == 1
    if b.ndim == 0 then core.raise(where, "shape", "b must have axes, not be 0-d") end
    if a.device ~= b.device then
      local fact = "arrays on %s and %s; move one with :to(\"%s\")"
      core.raise(where, "usage", string.format(fact, a.device, b.device, a.device))
    end
    local columns = vector and b:reshape({ b.size, 1 }) or b
    if core.extent(columns, -2) ~= n then
      core.raise(where, "shape", string.format("a of shape %s and b of shape %s do not fit: %d and %d differ",
        tostring(a.shape), tostring(b.shape), n, core.extent(columns, -2)))
    end
    return columns, vector
  end

  form.as_columns, form.right_sides, form.common_batch = as_columns, right_sides, common_batch

  -- The solutions as an array with b's shape.
  function form.solution(x, vector)
    x = form.turned(x)
    return vector and cp.squeeze(x, -1) or x
  end

  local function solved_by_lu(where, a, columns, vector, dtype)
    local batch = common_batch(where, a, columns)
    local wide = cp.broadcast_to(a, form.shape(batch, core.extent(a, -1), core.extent(a, -1)))
    local x, right = right_sides(where, columns, dtype, batch)
    if x.size == 0 then return form.solution(x, vector) end
    local by_rows = wide.strides[wide.ndim] == wide.itemsize
    local call, info, which = form.lu(where, wide, dtype, by_rows and "rows" or "columns")
    if info ~= 0 then core.raise(where, "usage", named(which, call.count) .. " " .. SINGULAR) end
    call.b, call.right, call.trans = x, right, by_rows and "T" or "N"
    form.solve(where, "lu_solve", call, "cannot be solved")
    -- Freed as soon as they are used, so that the next call's factors lie in the same cache lines of a CPU.
    call.a:free()
    call.pivots:free()
    return form.solution(x, vector)
  end

  local function solved(where, a, columns, vector, dtype)
    local x = core.small_systems(where, a:astype(dtype, false), columns:astype(dtype, false))
    if x then return vector and cp.squeeze(x, -1) or x end
    return solved_by_lu(where, a, columns, vector, dtype)
  end

  --- Solves a x = b for square a. b is a vector, or matrices with right-hand sides as columns; batches
  --- broadcast.
  ---@param a any
  ---@param b any
  ---@return any x  like b
  publish("solve", "a, b", 2, function(where, a, b)
    a, b = form.take_square(where, a, "a", b), core.as_array(b, where, "b", a)
    local columns, vector = as_columns(where, a, b)
    return solved(where, a, columns, vector, form.dtype(where, a, b))
  end)

  local function inverse(where, a)
    local n, dtype = core.extent(a, -1), form.dtype(where, a)
    local x = core.small_systems(where, a:astype(dtype, false))
    if x then return x end
    return solved_by_lu(where, a, cp.eye(n, { dtype = "float32", device = a.device }), false, dtype)
  end

  form.inverse = inverse

  --- The inverse of square matrices.
  ---@param a any
  ---@return any
  publish("inv", "a", 1, function(where, a)
    return inverse(where, form.take_square(where, a))
  end)

  --- The inverse of a as a linear map between tensors: from its other axes to its first `ind` axes.
  ---@param a any
  ---@param ind? integer  default 2
  ---@return any
  publish("tensorinv", "a, ind", 1, function(where, a, ind)
    a, ind = core.as_array(a, where, "a"), core.integer(ind, where, "ind", 2)
    if ind < 1 then core.raise(where, "usage", "ind must be 1 or more") end
    local shape, rows = {}, 1
    for d = ind + 1, a.ndim do shape[#shape + 1] = core.extent(a, d) end
    for d = 1, math.min(ind, a.ndim) do
      shape[#shape + 1] = core.extent(a, d)
      rows = rows * core.extent(a, d)
    end
    if rows * rows ~= a.size then
      core.raise(where, "shape", string.format("shape %s does not split into a square matrix at ind = %d",
        tostring(a.shape), ind))
    end
    return inverse(where, a:reshape({ rows, rows })):reshape(shape)
  end)

  --- Solves a x = b for tensors: the last axes of a are those of x, the others those of b.
  ---@param a any
  ---@param b any
  ---@return any
  publish("tensorsolve", "a, b", 2, function(where, a, b)
    a, b = core.as_array(a, where, "a", b), core.as_array(b, where, "b", a)
    local shape = {}
    for d = b.ndim + 1, a.ndim do shape[#shape + 1] = core.extent(a, d) end
    if form.count(shape) ~= b.size or b.size * b.size ~= a.size then
      core.raise(where, "shape", "shapes " .. a.shape .. " and " .. b.shape .. " do not form a square system")
    end
    local columns = b:reshape({ b.size, 1 })
    return solved(where, a:reshape({ b.size, b.size }), columns, true, form.dtype(where, a, b)):reshape(shape)
  end)

  -- ---- determinants

  -- Numbers whose product is the determinant: the diagonal of U, the first one negated after an odd number of
  -- row exchanges.
  local function pivots_of(where, a)
    local dtype = form.dtype(where, a)
    local small = core.small_systems(where, a:astype(dtype, false), false)
    if small then return small end
    local call = form.lu(where, a, dtype)
    local n = core.extent(a, -1)
    local in_place = cp.arange(1, n + 1, { dtype = "int64", device = a.device })
    local odd = cp.count_nonzero(cp.ne(call.pivots, in_place), -1) % 2
    local negated = cp.logical_and(in_place:eq(1), cp.expand_dims(odd:eq(1), -1))
    local diagonal = cp.diagonal(call.a, 0, -2, -1)
    if a.device ~= "cpu" then -- the pivot search of cuBLAS and cuSOLVER ignores nan
      local lost = cp.any(cp.isnan(a), { axis = { -2, -1 } })
      diagonal = cp.where(cp.expand_dims(lost, -1), cp.nan, diagonal)
    end
    return cp.where(negated, -diagonal, diagonal)
  end

  --- The determinant of square matrices: 0 if singular.
  ---@param a any
  ---@return any
  publish("det", "a", 1, function(where, a)
    return pivots_of(where, form.take_square(where, a)):prod({ axis = -1 }):eval()
  end)

  --- The sign (for complex matrices a number on the unit circle) of the determinant and the logarithm of its
  --- absolute value: 0 and -inf for singular matrices.
  ---@param a any
  ---@return any sign
  ---@return any logabsdet
  publish("slogdet", "a", 1, function(where, a)
    local pivots = pivots_of(where, form.take_square(where, a))
    local size = cp.abs(pivots)
    local units = cp.where(size:eq(0), 0, pivots / cp.where(size:eq(0), 1, size)):astype(pivots.dtype)
    return units:prod({ axis = -1 }), cp.log(size):sum({ axis = -1 })
  end)

  -- ---- powers and chains of products

  --- A square matrix to the power n; for negative n, its inverse to the power -n.
  ---@param a any
  ---@param n integer
  ---@return any
  publish("matrix_power", "a, n", 2, function(where, a, n)
    a = form.take_square(where, a)
    local bits, negative = core.bits_of(n, where, "n")
    if bits == "" then
      local eye = cp.eye(core.extent(a, -1), { dtype = a.dtype, device = a.device })
      return cp.broadcast_to(eye, a.shape):copy()
    end
    if negative then a = inverse(where, a) end
    local result
    for k = 1, #bits do
      if k > 1 then a = core.matrix_product(where, a, a) end
      if string.sub(bits, k, k) == "1" then result = result and core.matrix_product(where, result, a) or a end
    end
    return rawequal(result, a) and #bits == 1 and a:copy() or result
  end)

  -- Where to split the chain i..j of matrices with these lengths (matrix k is lengths[k] x lengths[k + 1]).
  local function best_splits(lengths)
    local n = #lengths - 1
    local cost, split = {}, {}
    for i = 1, n do cost[i], split[i] = { [i] = 0 }, {} end
    for span = 1, n - 1 do
      for i = 1, n - span do
        local j = i + span
        cost[i][j] = math.huge
        for k = i, j - 1 do
          local c = cost[i][k] + cost[k + 1][j] + lengths[i] * lengths[k + 1] * lengths[j + 1]
          if c < cost[i][j] then cost[i][j], split[i][j] = c, k end
        end
      end
    end
    return split
  end

  local function multiply_chain(list, split, i, j)
    if i == j then return list[i] end
    local k = split[i][j]
    return cp.matmul(multiply_chain(list, split, i, k), multiply_chain(list, split, k + 1, j))
  end

  --- The product of several matrices in the cheapest order. The first and the last may be vectors.
  ---@param arrays table
  ---@param out? any
  ---@return any
  publish("multi_dot", "arrays, out", 1, function(where, arrays, out)
    if type(arrays) ~= "table" or #arrays < 2 then core.raise(where, "usage", "needs a table of two arrays or more") end
    local list, lengths = {}, {}
    for k, x in ipairs(arrays) do
      x = core.as_array(x, where, string.format("arrays[%d]", k))
      local ends = k == 1 or k == #arrays
      if x.ndim ~= 2 and not (ends and x.ndim == 1) then
        core.raise(where, "shape", string.format("arrays[%d] must be a matrix, not of shape %s", k, tostring(x.shape)))
      end
      list[k] = x
      local rows = x.ndim == 1 and (k == 1 and 1 or x.size) or core.extent(x, 1)
      if k > 1 and rows ~= lengths[k] then
        core.raise(where, "shape", string.format(
          "arrays[%d] and arrays[%d] cannot be multiplied: %d and %d differ", k - 1, k, lengths[k], rows))
      end
      lengths[k] = rows
      lengths[k + 1] = x.ndim == 1 and (k == 1 and x.size or 1) or core.extent(x, 2)
    end
    local dtype = core.common_dtype(where, list)
    for k, x in ipairs(list) do list[k] = x:astype(dtype, false) end
    local result = multiply_chain(list, best_splits(lengths), 1, #list)
    return out == nil and result or core.write_out(where, out, result)
  end)

  -- ---- names that are also in cp

  for _, name in ipairs { "matmul", "tensordot", "vecdot" } do linalg[name] = cp[name] end

  --- The products of all pairs of elements of two vectors.
  ---@param x1 any
  ---@param x2 any
  ---@return any  (x1.size, x2.size)
  publish("outer", "x1, x2", 2, function(where, x1, x2)
    x1, x2 = core.as_array(x1, where, "x1", x2), core.as_array(x2, where, "x2", x1)
    for name, x in pairs { x1 = x1, x2 = x2 } do
      if x.ndim ~= 1 then
        core.raise(where, "shape", string.format("%s must be a vector, not of shape %s; cp.outer takes any", name,
          tostring(x.shape)))
      end
    end
    return cp.outer(x1, x2)
  end)

  local function diagonal(where, x, offset)
    return cp.diagonal(form.take(where, x, "x"), core.integer(offset, where, "offset", 0), -2, -1)
  end

  --- The diagonals of matrices (the last two axes), as a view.
  ---@param x any  (..., n, m)
  ---@param offset? integer  0 (default): the main diagonal; positive: above it
  ---@return any  (..., length of the diagonal)
  publish("diagonal", "x, offset", 1, function(where, x, offset)
    return diagonal(where, x, offset)
  end)

  --- The sums of the diagonals of matrices (the last two axes).
  ---@param x any  (..., n, m)
  ---@param offset? integer  0 (default): the main diagonal; positive: above it
  ---@param dtype? string  default: that of sum
  ---@return any  (...)
  publish("trace", "x, offset, dtype", 1, function(where, x, offset, dtype)
    return diagonal(where, x, offset):sum({ axis = -1, dtype = dtype })
  end)

  --- A view of the matrices with their last two axes swapped.
  ---@param x any
  ---@return any
  publish("matrix_transpose", "x", 1, function(where, x)
    return form.turned(form.take(where, x, "x"))
  end)

  --- The cross product of 3-component vectors along an axis.
  ---@param a any
  ---@param b any
  ---@param axis? integer  default: the last one
  ---@return any
  publish("cross", "a, b, axis", 2, function(where, a, b, axis)
    a, b = core.as_array(a, where, "a", b), core.as_array(b, where, "b", a)
    for name, x in pairs { a = a, b = b } do
      if x.ndim == 0 then core.raise(where, "shape", name .. " must have at least one axis") end
      local n = core.extent(x, core.axis(axis, where, "axis", x.ndim, x.ndim))
      if n ~= 3 then core.raise(where, "shape", string.format("vectors of %s have 3 components, not %d", name, n)) end
    end
    return cp.cross(a, b, { axis = axis == nil and -1 or axis })
  end)

  --- Sets whether products of float32 and complex64 matrices on a GPU may round their factors to TF32 (10
  --- bits), which is several times faster; off unless the environment has CUPOLA_TF32=1. Returns the previous
  --- setting.
  ---@param on? boolean
  ---@return boolean
  cp.cuda.allow_tf32 = core.define("cuda.allow_tf32", "on", 0, function(_, on) return core.allow_tf32(on) end)

  core.load("linalg/decompositions")(cp, core)
  core.load("linalg/norms")(cp, core)
  core.load("linalg/linear")(cp, core)
  core.load("scipy/linalg")(cp, core)
end
