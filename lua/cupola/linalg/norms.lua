-- cp.linalg: norms, condition numbers, ranks.

return function(cp, core)
  local linalg, form = cp.linalg, core.linalg
  local publish = core.publisher(linalg, "linalg.")
  local inf = math.huge

  -- ---- norms

  -- x as floating numbers; half types are widened, since their squares overflow.
  local function floating(x)
    if core.is_half(x.dtype) then return x:astype("float32") end
    return core.is_inexact(x) and x or x:astype("float64")
  end

  local function squares(x)
    if form.is_complex(x.dtype) then return x.real * x.real + x.imag * x.imag end
    return x * x
  end

  local function euclidean(x, axis, keepdims)
    return cp.sqrt(squares(x):sum({ axis = axis, keepdims = keepdims }))
  end

  -- The largest of values that are not negative; 0 of none.
  local function largest(x, axis, keepdims)
    return x:max({ axis = axis, keepdims = keepdims, initial = x.size == 0 and 0 or nil })
  end

  local function vector_norm(where, x, ord, axis, keepdims)
    if ord == nil or ord == 2 then return euclidean(x, axis, keepdims) end
    local size = cp.abs(x)
    if ord == inf then return largest(size, axis, keepdims) end
    if ord == -inf then return size:min({ axis = axis, keepdims = keepdims }) end
    if ord == 0 then return size:ne(0):sum({ axis = axis, keepdims = keepdims }):astype(size.dtype) end
    if ord == 1 then return size:sum({ axis = axis, keepdims = keepdims }) end
    if type(ord) ~= "number" then
      core.raise(where, "usage", string.format("ord of a vector norm must be a number, not %s", tostring(ord)))
    end
    return (size ^ ord):sum({ axis = axis, keepdims = keepdims }) ^ (1 / ord)
  end

  -- Sums along one axis, then the largest or smallest along the other.
  local function of_sums(x, sum_axis, other, greatest)
    local sums = cp.abs(x):sum({ axis = sum_axis, keepdims = true })
    local picked = greatest and largest(sums, other, true) or sums:min({ axis = other, keepdims = true })
    return cp.squeeze(picked, { sum_axis, other })
  end

  local function of_singular_values(where, x, rows, columns, f)
    local moved = cp.moveaxis(x, { rows, columns }, { -2, -1 })
    return f(form.singular_values(where, moved))
  end

  local MATRIX = {
    fro = function(_, x, rows, columns) return euclidean(x, { rows, columns }) end,
    nuc = function(where, x, rows, columns)
      return of_singular_values(where, x, rows, columns, function(s) return s:sum({ axis = -1 }) end)
    end,
    [1] = function(_, x, rows, columns) return of_sums(x, rows, columns, true) end,
    [-1] = function(_, x, rows, columns) return of_sums(x, rows, columns, false) end,
    [inf] = function(_, x, rows, columns) return of_sums(x, columns, rows, true) end,
    [-inf] = function(_, x, rows, columns) return of_sums(x, columns, rows, false) end,
    [2] = function(where, x, rows, columns)
      return of_singular_values(where, x, rows, columns, function(s) return largest(s, -1) end)
    end,
    [-2] = function(where, x, rows, columns)
      return of_singular_values(where, x, rows, columns, function(s) return s:min({ axis = -1 }) end)
    end,
  }

  local function matrix_norm(where, x, ord, axes, keepdims)
    local f = MATRIX[ord == nil and "fro" or ord]
    if not f then
      core.not_among(where, "ord of a matrix norm", '"fro", "nuc", 1, -1, 2, -2, inf or -inf', ord)
    end
    local rows, columns = core.axis(axes[1], where, "axis", x.ndim), core.axis(axes[2], where, "axis", x.ndim)
    if rows == columns then core.raise(where, "index", "axis names an axis twice") end
    local result = f(where, x, rows, columns)
    if not keepdims then return result end
    result = cp.expand_dims(result, math.min(rows, columns))
    return cp.expand_dims(result, math.max(rows, columns))
  end

  local function restored(result, dtype) return core.is_half(dtype) and result:astype(dtype) or result end

  local function norm(where, x, ord, axis, keepdims)
    local dtype = x.dtype
    x = floating(x)
    if type(axis) == "table" and #axis == 1 then axis = axis[1] end
    if axis == nil then
      if ord == nil then return restored(euclidean(x, nil, keepdims), dtype) end
      if x.ndim == 1 then
        axis = 1
      elseif x.ndim == 2 then
        axis = { 1, 2 }
      else
        core.raise(where, "shape", string.format(
          "ord needs axis for an array with %s: one for vectors, two for matrices",
          core.counted(x.ndim, "axis", "axes")))
      end
    end
    if type(axis) ~= "table" then
      return restored(vector_norm(where, x, ord, core.axis(axis, where, "axis", x.ndim), keepdims), dtype)
    end
    if #axis ~= 2 then core.raise(where, "usage", "axis must be one axis or two") end
    return restored(matrix_norm(where, x, ord, axis, keepdims), dtype)
  end

  --- The norm of vectors or matrices; without ord and axis, of all elements as one vector.
  ---@param x any
  ---@param ord? any  for vectors a number, inf or -inf (default 2); for matrices "fro" (default), "nuc", 1,
  --- -1, 2, -2, inf or -inf
  ---@param axis? any  one axis: the norms of vectors along it; two axes: of the matrices in them
  ---@param keepdims? boolean
  ---@return any
  publish("norm", "x, ord, axis, keepdims", 1, function(where, x, ord, axis, keepdims)
    return norm(where, core.as_array(x, where, "x"), ord, axis, core.boolean(keepdims, where, "keepdims", false))
  end)

  --- The norm of the vectors along an axis, or along several axes taken as one.
  ---@param x any
  ---@param axis? any  default: all
  ---@param keepdims? boolean
  ---@param ord? any  default 2
  ---@return any
  publish("vector_norm", "x, axis, keepdims, ord", 1, function(where, x, axis, keepdims, ord)
    x, keepdims = core.as_array(x, where, "x"), core.boolean(keepdims, where, "keepdims", false)
    return restored(vector_norm(where, floating(x), ord, axis, keepdims), x.dtype)
  end)

  --- The norm of the matrices in the last two axes.
  ---@param x any
  ---@param keepdims? boolean
  ---@param ord? any  default "fro"
  ---@return any
  publish("matrix_norm", "x, keepdims, ord", 1, function(where, x, keepdims, ord)
    x, keepdims = form.take(where, x, "x"), core.boolean(keepdims, where, "keepdims", false)
    return restored(matrix_norm(where, floating(x), ord, { -2, -1 }, keepdims), x.dtype)
  end)

  -- ---- rank and condition

  --- The number of singular values above tol.
  ---@param A any
  ---@param tol? any  default: the largest singular value times the larger side times the dtype's epsilon
  ---@param hermitian? boolean
  ---@param rtol? any  the same, relative to the largest singular value
  ---@return any  0-d for a matrix
  publish("matrix_rank", "A, tol, hermitian, rtol", 1, function(where, A, tol, hermitian, rtol)
    A = core.as_array(A, where, "A")
    if tol ~= nil and rtol ~= nil then core.raise(where, "usage", "takes tol or rtol, not both") end
    if A.ndim < 2 then return A:ne(0):any({ keepdims = true }):astype("int64"):reshape({}) end
    local s = form.singular_values(where, A, hermitian)
    if s.size == 0 then return cp.zeros(form.batch(A), { dtype = "int64", device = A.device }) end
    if cp.is_array(tol) then tol = cp.expand_dims(tol, -1) end
    if cp.is_array(rtol) then rtol = cp.expand_dims(rtol, -1) end
    rtol = rtol or math.max(core.extent(A, -2), core.extent(A, -1)) * cp.finfo(s.dtype).eps
    return cp.count_nonzero(s:gt(tol or s:max({ axis = -1, keepdims = true }) * rtol), -1)
  end)

  -- x with its singular matrices replaced by ones, and which those are.
  local function regular(where, x)
    local dtype = form.dtype(where, x)
    local singular = cp.diagonal(form.lu(where, x, dtype).a, 0, -2, -1):eq(0):any({ axis = -1, keepdims = true })
    singular = cp.expand_dims(singular, -1)
    local ones = cp.eye(core.extent(x, -1), { dtype = dtype, device = x.device })
    return cp.where(singular, ones, x:astype(dtype, false)), cp.squeeze(singular, { -2, -1 })
  end

  -- The condition number by the inverse: infinite for singular matrices and where infinities meet zeros; nan
  -- only for nan.
  local function by_inverse(where, x, p)
    form.take_square(where, x, "x")
    local ok, inverse = pcall(form.inverse, where, x)
    local size = matrix_norm(where, floating(x), p, { -2, -1 }, false)
    local singular
    if not ok then
      if not string.find(tostring(inverse), "singular", 1, true) then return error(inverse, 0) end
      local others
      others, singular = regular(where, x)
      inverse = form.inverse(where, others)
    end
    local condition = size * matrix_norm(where, inverse, p, { -2, -1 }, false)
    local lost = cp.logical_and(cp.isnan(condition), cp.logical_not(cp.isnan(x):any({ axis = { -2, -1 } })))
    if singular then lost = cp.logical_or(lost, singular) end
    return cp.where(lost, cp.scalar(inf, condition.dtype), condition)
  end

  --- The condition number: the largest factor by which a relative error of the right-hand side can grow in
  --- the solution.
  ---@param x any
  ---@param p? any  the norm: 2 (default), -2, "fro", "nuc", 1, -1, inf, -inf
  ---@return any
  publish("cond", "x, p", 1, function(where, x, p)
    x = form.take(where, x, "x")
    if x.size == 0 then core.raise(where, "shape", "an empty matrix has no condition number") end
    if p ~= nil and p ~= 2 and p ~= -2 then return by_inverse(where, x, p) end
    local s = form.singular_values(where, x)
    local large, small = s:max({ axis = -1 }), s:min({ axis = -1 })
    local ratio = p == -2 and small / large or large / small
    return cp.where(cp.isnan(ratio), inf, ratio) -- for zero matrices
  end)
end
