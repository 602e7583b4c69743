-- Products of vectors and matrices. Matrices are multiplied by the device's BLAS (src/lua/routines/matmul.c).
-- Products with vectors are sums of a pending product, which take one pass over memory. Integers use BLAS
-- too, in parts that float64 represents exactly.

return function(cp, core)

  local method = core.method

  local raise_shape = core.raise_shape

  -- A view with axes of length 1 at these positions of the result.
  local function widened(x, ...)
    for _, axis in ipairs { ... } do x = cp.expand_dims(x, axis) end
    return x
  end

  -- ---- sums of products

  -- The sum of a * b over an axis that both have after broadcasting. Half types are multiplied in float32;
  -- bool uses `and` and `or`.
  local function sum_of_product(a, b, axis, dtype)
    if dtype == "bool" then return (a * b):any({ axis = axis }) end
    if core.is_half(dtype) then
      return (a:astype("float32", false) * b:astype("float32", false)):sum({ axis = axis }):astype(dtype)
    end
    return (a:astype(dtype, false) * b:astype(dtype, false)):sum({ axis = axis, dtype = dtype })
  end

  core.sum_of_product = sum_of_product

  -- The products of the matrices in the last two axes of a with the vectors x (one axis, or as many as a).
  local function matrix_vector(where, a, x, dtype)
    return core.matvec(where, a, x) or sum_of_product(a, x, -1, dtype)
  end

  -- ---- matrices

  local FEW = 32 * 32 * 32 -- integer products up to this size are as fast as plain sums

  local function steps(x)
    return core.extent(x, -2), core.extent(x, -1)
  end

  -- One BLAS product in the given floating or complex dtype.
  local function blas_product(where, a, b, dtype)
    if core.is_half(dtype) and not core.blas_takes_half(a) then
      return blas_product(where, a, b, "float32"):astype(dtype)
    end
    return core.matmul(where, a:astype(dtype, false), b:astype(dtype, false))
  end

  -- A view of positions first..last along an axis.
  local function part(x, axis, first, last) return core.slice(x, axis, first, last) end

  -- float64 represents whole numbers up to 2^53 exactly: this many products of 16-bit parts may be added.
  local EXACT_TERMS = 2 ^ 21

  -- The sum of f over slices of the inner axis that are short enough for exact sums.
  local function in_exact_slices(a, b, f)
    local k = core.extent(a, -1)
    if k <= EXACT_TERMS then return f(a, b) end
    local total
    for first = 1, k, EXACT_TERMS do
      local last = math.min(k, first + EXACT_TERMS - 1)
      local value = f(part(a, a.ndim, first, last), part(b, b.ndim - 1, first, last))
      total = total and total + value or value
    end
    return total
  end

  -- Integers of at most 16 bits: their products are exact in float64.
  local function narrow_product(where, a, b, dtype)
    return in_exact_slices(a, b, function(x, y)
      return blas_product(where, x, y, "float64"):astype("int64"):astype(dtype)
    end)
  end

  -- The 16-bit parts of unsigned integers, lowest first, as float64.
  local function parts_of(x, bits)
    local parts = {}
    for k = 0, bits / 16 - 1 do
      parts[k + 1] = cp.bitwise_and(cp.right_shift(x, 16 * k), 0xFFFF):astype("float64")
    end
    return parts
  end

  -- Wider integers: exact products of 16-bit parts, shifted and added. Overflow wraps, as in every integer
  -- operation.
  local function wide_product(where, a, b, dtype, bits)
    local unsigned = "uint" .. bits
    local result = in_exact_slices(a:astype(unsigned), b:astype(unsigned), function(x, y)
      local px, py, total = parts_of(x, bits), parts_of(y, bits), nil
      for i = 1, #px do
        for j = 1, #px - i + 1 do
          local value = blas_product(where, px[i], py[j], "float64"):astype("int64"):astype(unsigned)
          if i + j > 2 then value = cp.left_shift(value, 16 * (i + j - 2)) end
          total = total and total + value or value
        end
      end
      return total
    end)
    return result:astype(dtype)
  end

  local BITS = { int32 = 32, uint32 = 32, int64 = 64, uint64 = 64 }

  local function integer_product(where, a, b, dtype)
    if dtype == "bool" then return blas_product(where, a, b, "float32"):ne(0) end
    if BITS[dtype] then return wide_product(where, a, b, dtype, BITS[dtype]) end
    return narrow_product(where, a, b, dtype)
  end

  -- The elements of a matrix with a single column (axis -1) or row (axis -2) as a vector; of several ones, as
  -- rows.
  local function vector_of(x, axis)
    if x.ndim == 2 then return cp.squeeze(x, axis) end
    return axis == -2 and x or cp.swapaxes(x, -1, -2)
  end

  -- The product over the last two axes of a and b; the others broadcast. The caller has checked the shapes.
  local function product(where, a, b, dtype)
    dtype = dtype or cp.promote_types(a.dtype, b.dtype)
    local m, k = steps(a)
    local n = core.extent(b, -1)
    if n == 1 then return widened(matrix_vector(where, a, vector_of(b, -1), dtype), -1) end
    if m == 1 then return widened(matrix_vector(where, cp.swapaxes(b, -1, -2), vector_of(a, -2), dtype), -2) end
    if k > 0 and a.size > 0 and b.size > 0 then
      if core.is_inexact(dtype) then return blas_product(where, a, b, dtype) end
      if m * k * n > FEW then return integer_product(where, a, b, dtype) end
    end
    return sum_of_product(widened(a, -2), widened(cp.swapaxes(b, -1, -2), -3), -1, dtype)
  end

  core.matrix_product = product

  local function same_device(where, a, b)
    if a.device == b.device then return end
    core.raise(where, "usage", string.format("arrays on %s and %s; move one with :to(\"%s\")", a.device, b.device,
      a.device))
  end

  local function arrays_of(where, a, b, name_a, name_b)
    if core.is_scalar(a) or core.is_scalar(b) then
      a, b = unpack(core.as_arrays(where, { a, b }, function(k) return k == 1 and name_a or name_b end))
    else
      a, b = core.as_array(a, where, name_a, b), core.as_array(b, where, name_b, a)
    end
    same_device(where, a, b)
    return a, b
  end

  local function finish(where, result, out, larger)
    if out == nil then return result end
    return core.write_out(where, out, result, larger)
  end

  local function check_inner(where, a, b, k, l)
    if k == l then return end
    raise_shape(where, string.format("shapes %s and %s cannot be multiplied: %d and %d differ", tostring(a.shape),
      tostring(b.shape), k, l))
  end

  local function check_batches(where, a, b)
    for d = 3, math.min(a.ndim, b.ndim) do
      local p, q = core.extent(a, a.ndim - d + 1), core.extent(b, b.ndim - d + 1)
      if p ~= q and p ~= 1 and q ~= 1 then
        local fact = "shapes %s and %s cannot be multiplied: their first axes do not broadcast"
        raise_shape(where, string.format(fact, tostring(a.shape), tostring(b.shape)))
      end
    end
  end

  local function multiply(where, a, b)
    if a.ndim == 0 or b.ndim == 0 then
      raise_shape(where, "needs arrays with axes, not 0-d arrays; use * for numbers")
    end
    check_inner(where, a, b, core.extent(a, -1), core.extent(b, math.max(1, b.ndim - 1)))
    local dtype = cp.promote_types(a.dtype, b.dtype)
    if a.ndim == 1 and b.ndim == 1 then return sum_of_product(a, b, -1, dtype) end
    if b.ndim == 1 then return matrix_vector(where, a, b, dtype) end
    if a.ndim == 1 then
      return core.matvec(where, a, b) or sum_of_product(widened(a, 2), b, -2, dtype)
    end
    check_batches(where, a, b)
    return product(where, a, b, dtype)
  end

  core.same_device = same_device

  -- The product of two arguments, as matmul has it.
  function core.multiply_matrices(where, a, b)
    a, b = arrays_of(where, a, b, "a", "b")
    return multiply(where, a, b)
  end

  local LAST = { [0] = {}, { -1 }, { -2, -1 } } -- the axes of vectors and of matrices

  -- The axes in entry k of matmul's `axes`, which must be so many.
  local function entry_of(where, axes, k, count)
    local entry = axes[k]
    if type(entry) == "number" then entry = { entry } end
    if entry == nil and k == 3 then return LAST[count] end
    if type(entry) ~= "table" or #entry ~= count then
      core.usage(where, string.format("axes[%d] must be a table of %s", k, core.counted(count, "axis", "axes")))
    end
    return entry
  end

  local function checked(where, entry, x, whose) return (core.axis_list(entry, where, "axes", x.ndim, whose)) end

  -- The product of matrices that lie in other axes than the last two.
  local function multiply_on(where, a, b, axes)
    if type(axes) ~= "table" then core.usage(where, "axes must be a table, not " .. cp.type(axes)) end
    local rows, columns = math.min(a.ndim, 2), math.min(b.ndim, 2)
    local result = entry_of(where, axes, 3, math.max(rows + columns - 2, 0))
    a = cp.moveaxis(a, checked(where, entry_of(where, axes, 1, rows), a, "of x1"), LAST[rows])
    b = cp.moveaxis(b, checked(where, entry_of(where, axes, 2, columns), b, "of x2"), LAST[columns])
    local z = multiply(where, a, b)
    return #result == 0 and z or cp.moveaxis(z, LAST[#result], checked(where, result, z, "of the result"))
  end

  -- The product where one operand is a sparse array; nil where none is.
  local function sparse_product(where, a, b, out)
    if not (core.sparse_fields(a) or core.sparse_fields(b)) then return nil end
    local result = core.sparse.matmul(where, a, b)
    if out ~= nil and core.sparse_fields(result) then
      core.raise(where, "usage", "the product of sparse arrays is sparse, so out cannot be given")
    end
    return finish(where, result, out)
  end

  -- Both operands in one dtype, where the rule allows these casts and that to the dtype of `out`.
  local function cast_both(where, a, b, out, dtype, casting)
    dtype = dtype ~= nil and core.dtype(dtype, where) or cp.result_type(a, b)
    core.check_cast(where, a, dtype, casting)
    core.check_cast(where, b, dtype, casting)
    if out ~= nil then core.check_cast(where, dtype, out, casting) end
    return a:astype(dtype, false), b:astype(dtype, false)
  end

  --- The product of matrices in the last two axes; leading axes broadcast. A vector on the left is a row, on
  --- the right a column, and its axis is not in the result. float16 and bfloat16 are summed in float32.
  ---@param x1 any
  ---@param x2 any
  ---@param out? any
  ---@param axes? table  {{i, k}, {k, j}, {i, j}}: which axes of x1, x2 and the result are those of the
  --- matrices, one axis for vectors; default: the last ones
  ---@param dtype? string  in which to multiply
  ---@param casting? string  "no", "safe", "same_kind" (default) or "unsafe": which casts are allowed
  ---@return any
  method("matmul", "x1, x2, out, axes, dtype, casting", 2, function(where, x1, x2, out, axes, dtype, casting)
    local cast = dtype ~= nil or casting ~= nil
    local direct = not cast and out == nil and axes == nil and core.direct_product(where, x1, x2, true)
    if direct then return direct end
    local sparse = sparse_product(where, x1, x2, out)
    if sparse then return sparse end
    x1, x2 = arrays_of(where, x1, x2, "x1", "x2")
    if cast then x1, x2 = cast_both(where, x1, x2, out, dtype, casting) end
    local z = axes == nil and multiply(where, x1, x2) or multiply_on(where, x1, x2, axes)
    if cast and out ~= nil then z = z:astype(out.dtype, false) end
    return finish(where, z, out, true)
  end)

  -- ---- contractions

  -- x with the axes of `last` moved to the end, and the lengths of both groups.
  local function grouped(x, last)
    local is_last, order, free, bound = {}, {}, {}, {}
    for _, axis in ipairs(last) do is_last[axis] = true end
    for axis = 1, x.ndim do
      if not is_last[axis] then order[#order + 1], free[#free + 1] = axis, core.extent(x, axis) end
    end
    for _, axis in ipairs(last) do order[#order + 1], bound[#bound + 1] = axis, core.extent(x, axis) end
    return #order > 0 and cp.transpose(x, order) or x, free, bound
  end

  local function total(lengths)
    local n = 1
    for _, length in ipairs(lengths) do n = n * length end
    return n
  end

  -- The sum of products over axes_a of a and axes_b of b; the other axes of a, then those of b, remain.
  local function contract(where, a, b, axes_a, axes_b)
    local x, free_a, bound = grouped(a, axes_a)
    local y, free_b = grouped(b, axes_b)
    local k = total(bound)
    local left = x:reshape({ total(free_a), k })
    local right = cp.swapaxes(y:reshape({ total(free_b), k }), 1, 2)
    local shape = free_a
    for _, n in ipairs(free_b) do shape[#shape + 1] = n end
    return product(where, left, right):reshape(shape)
  end

  -- The axes of both arrays that the argument `axes` of tensordot selects.
  local function tensordot_axes(a, b, axes)
    local where = "tensordot"
    if type(axes) == "table" then
      if #axes ~= 2 then core.raise(where, "usage", "axes must be a number or a table of two: axes of a, axes of b") end
      local of_a = core.axis_list(axes[1], where, "axes", a.ndim, "of a")
      return of_a, (core.axis_list(axes[2], where, "axes", b.ndim, "of b"))
    end
    local n = core.integer(axes, where, "axes", 2)
    if n < 0 or n > a.ndim or n > b.ndim then
      raise_shape(where, string.format("axes = %d, but the shapes are %s and %s", n, tostring(a.shape),
        tostring(b.shape)))
    end
    local last, first = {}, {}
    for k = 1, n do last[k], first[k] = a.ndim - n + k, k end
    return last, first
  end

  --- The sum of products over axes of both arrays: the last axes of a with the first axes of b, or those that
  --- are given.
  ---@param a any
  ---@param b any
  ---@param axes? any  the number of axes (default 2), or {axes of a, axes of b}
  ---@return any
  method("tensordot", "a, b, axes", 2, function(where, a, b, axes)
    a, b = arrays_of(where, a, b, "a", "b")
    local axes_a, axes_b = tensordot_axes(a, b, axes)
    if #axes_a ~= #axes_b then
      raise_shape(where, string.format("axes names %s of a and %d of b",
        core.counted(#axes_a, "axis", "axes"), #axes_b))
    end
    for k, axis in ipairs(axes_a) do check_inner(where, a, b, core.extent(a, axis), b.shape[axes_b[k]]) end
    return contract(where, a, b, axes_a, axes_b)
  end)

  local function dot(a, b)
    if a.ndim == 0 or b.ndim == 0 then return a * b end
    local bound = b.ndim == 1 and 1 or b.ndim - 1
    check_inner("dot", a, b, core.extent(a, -1), core.extent(b, bound))
    if a.ndim <= 2 and b.ndim <= 2 then return multiply("dot", a, b) end
    return contract("dot", a, b, { a.ndim }, { bound })
  end

  --- The inner product of vectors, or the product of matrices; otherwise the sum of products over the last
  --- axis of a and the second to last of b.
  ---@param a any
  ---@param b any
  ---@param out? any
  ---@return any
  method("dot", "a, b, out", 2, function(where, a, b, out)
    local direct = out == nil and core.direct_product(where, a, b)
    if direct then return direct end
    local sparse = sparse_product(where, a, b, out)
    if sparse then return sparse end
    a, b = arrays_of(where, a, b, "a", "b")
    return finish(where, dot(a, b), out)
  end)

  --- The sum of products of all elements of two arrays of equal size; the first is conjugated.
  ---@param a any
  ---@param b any
  ---@return any
  method("vdot", "a, b", 2, function(where, a, b)
    a, b = arrays_of(where, a, b, "a", "b")
    if a.size ~= b.size then
      raise_shape(where, string.format("the arrays have %d and %d elements", a.size, b.size))
    end
    if core.kind(a) == "c" then a = cp.conj(a) end
    if a.ndim ~= 1 then a = a:reshape(-1) end
    if b.ndim ~= 1 then b = b:reshape(-1) end
    return core.direct_product(where, a, b) or sum_of_product(a, b, 1, cp.promote_types(a.dtype, b.dtype))
  end)

  --- The sum of products over the last axes of both arrays.
  ---@param a any
  ---@param b any
  ---@return any
  method("inner", "a, b", 2, function(where, a, b)
    a, b = arrays_of(where, a, b, "a", "b")
    if a.ndim == 0 or b.ndim == 0 then return a * b end
    check_inner(where, a, b, core.extent(a, -1), core.extent(b, -1))
    if a.ndim == 1 and b.ndim == 1 then -- the same as below, without its steps
      return matrix_vector(where, cp.expand_dims(a, 1), b, cp.promote_types(a.dtype, b.dtype)):reshape({})
    end
    return contract(where, a, b, { a.ndim }, { b.ndim })
  end)

  --- The products of every element of a with every element of b, as a matrix.
  ---@param a any
  ---@param b any
  ---@param out? any
  ---@return any
  method("outer", "a, b, out", 2, function(where, a, b, out)
    a, b = arrays_of(where, a, b, "a", "b")
    return finish(where, a:reshape({ a.size, 1 }) * b:reshape({ 1, b.size }), out, true)
  end)

  --- The sum of products along an axis of both arrays; the first is conjugated.
  ---@param x1 any
  ---@param x2 any
  ---@param axis? integer  default -1
  ---@return any
  method("vecdot", "x1, x2, axis", 2, function(where, x1, x2, axis)
    x1, x2 = arrays_of(where, x1, x2, "x1", "x2")
    local a = cp.moveaxis(x1, core.axis(axis, where, "axis", x1.ndim, -1), -1)
    local b = cp.moveaxis(x2, core.axis(axis, where, "axis", x2.ndim, -1), -1)
    check_inner(where, x1, x2, core.extent(a, -1), core.extent(b, -1))
    return sum_of_product(cp.conj(a), b, -1, cp.promote_types(a.dtype, b.dtype))
  end)

  --- Products of matrices with vectors.
  ---@param x1 any  (..., m, n)
  ---@param x2 any  (..., n)
  ---@return any  (..., m)
  core.publish("matvec", "x1, x2", 2, function(where, x1, x2)
    local a = core.as_array(x1, where, "x1")
    local b = core.beside(where, a, x2, "x2")
    if b.ndim == 0 or a.ndim < 2 then core.raise(where, "shape", "takes matrices and vectors") end
    return cp.squeeze(cp.matmul(a, cp.expand_dims(b, -1)), -1)
  end)

  --- Products of conjugated vectors with matrices.
  ---@param x1 any  (..., m)
  ---@param x2 any  (..., m, n)
  ---@return any  (..., n)
  core.publish("vecmat", "x1, x2", 2, function(where, x1, x2)
    local a = core.as_array(x1, where, "x1")
    local b = core.beside(where, a, x2, "x2")
    if a.ndim == 0 or b.ndim < 2 then core.raise(where, "shape", "takes vectors and matrices") end
    if core.kind(a) == "c" then a = cp.conj(a) end
    return cp.squeeze(cp.matmul(cp.expand_dims(a, -2), b), -2)
  end)

  -- ---- Kronecker products, traces

  local function with_ones_in_front(x, ndim)
    local shape = { unpack(x.shape) }
    while #shape < ndim do table.insert(shape, 1, 1) end
    return shape
  end

  --- The Kronecker product: a with each element replaced by its product with b.
  ---@param a any
  ---@param b any
  ---@return any
  method("kron", "a, b", 2, function(where, a, b)
    a, b = arrays_of(where, a, b, "a", "b")
    local ndim = math.max(a.ndim, b.ndim)
    local sa, sb = with_ones_in_front(a, ndim), with_ones_in_front(b, ndim)
    local wide_a, wide_b, shape = {}, {}, {}
    for k = 1, ndim do
      wide_a[2 * k - 1], wide_a[2 * k] = sa[k], 1
      wide_b[2 * k - 1], wide_b[2 * k] = 1, sb[k]
      shape[k] = sa[k] * sb[k]
    end
    return (a:reshape(wide_a) * b:reshape(wide_b)):reshape(shape)
  end)

  --- The sum along diagonals (the trace).
  ---@param a any
  ---@param offset? integer  0 (default): the main diagonal; positive: above it
  ---@param axis1? integer  default 1
  ---@param axis2? integer  default 2
  ---@param dtype? string
  ---@param out? any
  ---@return any
  method("trace", "a, offset, axis1, axis2, dtype, out", 1, function(where, a, offset, axis1, axis2, dtype, out)
    a = core.as_array(a, where, "a")
    if a.ndim < 2 then raise_shape(where, "a must have at least 2 axes, not shape " .. a.shape) end
    axis1, axis2 = core.axis(axis1, where, "axis1", a.ndim, 1), core.axis(axis2, where, "axis2", a.ndim, 2)
    local diagonal = cp.diagonal(a, core.integer(offset, where, "offset", 0), axis1, axis2)
    return finish(where, diagonal:sum({ axis = -1, dtype = dtype }), out)
  end)

  core.load("linalg/einsum")(cp, core)
end
