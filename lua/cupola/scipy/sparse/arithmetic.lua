-- Elementwise operations on sparse arrays. An operation whose value for zeros is 0 keeps the result sparse:
-- of one array it changes the stored values; of two it works on the union of their places. Sparse arrays with
-- dense ones give what SciPy gives: products and quotients are sparse, all else is dense.

return function(cp, core, S)
  local raise_shape, usage = core.raise_shape, core.usage

  -- The elementwise function of this name.
  local function operation(name) return cp[name] or core[name] end

  -- Whether the operation gives 0 (or false) for these Lua values.
  local function keeps_zero(name, ...)
    local v = operation(name)(...)
    if cp.is_array(v) then v = v:item() end
    if type(v) == "userdata" then return v == cp.complex(0, 0) end
    return v == 0 or v == false
  end

  local COMPARISONS = { equal = true, not_equal = true, less = true, less_equal = true, greater = true,
    greater_equal = true, logical_and = true, logical_or = true, logical_xor = true }

  local OPERATORS = { add = "+", subtract = "-", divide = "/", floor_divide = "//", remainder = "%", power = "^" }

  local function refuse(name, left, right)
    local where = "scipy.sparse." .. name
    if OPERATORS[name] then
      usage(where, string.format("the result would not be sparse; write %s %s %s", left, OPERATORS[name], right))
    end
    usage(where, string.format("%s of 0 is not 0, so the result would not be sparse; write cp.%s(A:toarray())", name,
      name))
  end

  -- ---- one array

  local function of_one(name, f)
    if not keeps_zero(name, 0) then refuse(name) end
    local g = S.tidied("scipy.sparse." .. name, f)
    return S.with_data(g, operation(name)(g.data))
  end

  -- ---- an array and a number

  -- The dense result of a comparison as a sparse array, as in SciPy.
  local function through_dense(where, f, value)
    return S.from_dense(where, value, f.format == "csc" and "csc" or "csr")
  end

  local LINEAR = { multiply = true, divide = true }

  -- operand: a number, or an array without axes, which counts by its dtype as it does beside a dense array.
  local function with_number(name, f, operand, first)
    local where, op = "scipy.sparse." .. name, operation(name)
    local function apply(x) return first and op(operand, x) or op(x, operand) end
    if LINEAR[name] and not (first and name == "divide") then return S.with_data(f, apply(f.data)) end
    local number = cp.is_array(operand) and operand:item() or operand
    local zero = first and keeps_zero(name, number, 0) or not first and keeps_zero(name, 0, number)
    -- as in SciPy, powers are those of the entries: of an inverse diagonal the other elements stay 0
    if name == "power" and not first then zero = number ~= 0 end
    local may_drop = COMPARISONS[name] or name == "maximum" or name == "minimum"
    if zero and not may_drop then
      local g = S.tidied(where, f)
      return S.with_data(g, apply(g.data))
    end
    if zero then
      local g = S.canonical(where, f)
      local values = apply(g.data)
      return S.keep(where, S.sharing(g, values), cp.not_equal(values, 0))
    end
    if may_drop then
      return through_dense(where, f, apply(S.dense(where, f)))
    end
    local a = first and tostring(number) or "A:toarray()"
    return refuse(name, a, first and "A:toarray()" or tostring(number))
  end

  -- ---- two sparse arrays

  -- Places as one number each: row * columns + column, int64.
  local function keys_of(where, f)
    local rows = core.sparse_rows(where, f.indptr, #f.indices)
    local _, minor = S.axes(f)
    return rows:astype("int64") * minor + f.indices
  end

  -- f's values at the sorted places `keys`; 0 where it has none.
  local function values_at(where, f, mine, keys)
    if #mine == 0 then return S.zeros(#keys, f.data.dtype, f.data.device) end
    local at = cp.minimum(core.search(where, mine, keys, false), #mine)
    local hit = cp.equal(core.gather(where, mine, at), keys)
    return cp.where(hit, core.gather(where, f.data, at), S.zeros(1, f.data.dtype, f.data.device))
  end

  local function same_shape(f, g)
    return f.shape[1] == g.shape[1] and f.shape[2] == g.shape[2] and f.vector == g.vector
  end

  local function check_pair(where, f, g)
    if not same_shape(f, g) then
      raise_shape(where, string.format("shapes %s and %s differ", S.shape_text(f), S.shape_text(g)))
    end
    if f.data.device ~= g.data.device then
      usage(where, string.format("A is on %s and B on %s; move one with :to", f.data.device, g.data.device))
    end
    if f.shape[1] * f.shape[2] >= 2 ^ 63 then raise_shape(where, "the shape has more than 2^63 places") end
  end

  -- The compressed array with these values at sorted places, without those that are 0.
  local function from_keys(where, f, keys, values)
    local mask = cp.not_equal(values, 0)
    keys, values = S.choose(where, mask, keys, values)
    local _, minor = S.axes(f)
    local dtype = f.indices.dtype
    local major = minor > 0 and cp.floor_divide(keys, minor) or keys
    return S.from_sorted(where, f.format, f.shape[1], f.shape[2], major:astype(dtype),
      (keys - major * minor):astype(dtype), values)
  end

  -- Exact results need the operands' own dtypes where their common one cannot hold all of their values.
  local function one_dtype(a, b)
    local dtype = cp.promote_types(a.data, b.data)
    return (core.is_inexact(a.data) or core.is_inexact(b.data) or not core.is_inexact(dtype)) and dtype
  end

  local ADDITIONS = { add = true, subtract = true }
  -- What a device that adds does with pairs of other real values in the same way.
  local PAIRINGS = { multiply = true, maximum = true, minimum = true, less = true, greater = true, not_equal = true }
  local ADDED = { int32 = true, int64 = true, float32 = true, float64 = true, complex64 = true, complex128 = true }

  -- The operation on two canonical arrays of one format, by a device that unites them.
  local function merged(where, name, a, b, dtype)
    local x, y = S.sharing(a, a.data:astype(dtype, false)), S.sharing(b, b.data:astype(dtype, false))
    local _, minor = S.axes(a)
    local function result(indptr, indices, data)
      return S.known_canonical(where,
        S.new(a.format, a.shape[1], a.shape[2], { indptr = indptr, indices = indices, data = data }))
    end
    local adds, subtract = ADDITIONS[name] and ADDED[dtype], name == "subtract"
    if (adds or PAIRINGS[name] and ADDED[dtype] and core.kind(x.data) ~= "c") and core.sparse_forms(x.data) then
      local indptr, indices, data = S.with_arrays(where, core.sparse_add, x, y, nil, minor, name)
      return result(indptr, indices, COMPARISONS[name] and data:astype "bool":eval() or data)
    end
    local indptr, indices, values, zero
    if adds then
      indptr, indices, values, zero = S.add_by_entries(where, x, y, minor, subtract)
    else
      local left, right
      indptr, indices, left, right = S.unite(where, x, y, minor)
      values = operation(name)(left, right):eval()
      zero = cp.any(cp.equal(values, 0))
    end
    local A = result(indptr, indices, values)
    if not zero then return A end
    return S.keep(where, S.fields(A), cp.not_equal(values, 0))
  end

  -- The sparse array with the values of an operation that keeps zeros, on the places of two. What is made on
  -- the way is freed at once.
  local function joined(where, name, f, g)
    local op, format = operation(name), f.format == "csc" and "csc" or "csr"
    local a, b = S.canonical(where, S.convert(where, f, format)), S.canonical(where, S.convert(where, g, format))
    local dtype = (core.sparse_forms(a.data) or core.sparse_meets(a.data)) and one_dtype(a, b)
    if dtype then return merged(where, name, a, b, dtype) end
    local mine, theirs = keys_of(where, a), keys_of(where, b)
    local index = cp.promote_types(a.indices, b.indices)
    a = { format = a.format, shape = a.shape, data = a.data, indptr = a.indptr,
      indices = a.indices:astype(index, false) }
    local keys = cp.concatenate { mine, theirs }
    if #mine > 0 and #theirs > 0 then keys = cp.unique(keys) end
    return from_keys(where, a, keys, op(values_at(where, a, mine, keys), values_at(where, b, theirs, keys)))
  end

  local function united(name, f, g)
    local where, op = "scipy.sparse." .. name, operation(name)
    if not keeps_zero(name, 0, 0) then
      check_pair(where, f, g)
      local dense = op(S.dense(where, f), S.dense(where, g))
      return COMPARISONS[name] and through_dense(where, f, dense) or dense
    end
    check_pair(where, f, g)
    S.settle(where, f)
    S.settle(where, g)
    return cp.scope(function() return joined(where, name, f, g) end)
  end

  -- Of a bsr array's blocks the result has, too, but for comparisons.
  local function of_two(name, f, g)
    if name == "multiply" and not same_shape(f, g) and f.data.device == g.data.device then
      local A = S.broadcast_product("scipy.sparse.multiply", f, g)
      if A then return A end
    end
    local A = united(name, f, g)
    if f.format ~= "bsr" or COMPARISONS[name] or not S.is(A) then return A end
    return S.object(S.convert("scipy.sparse." .. name, S.fields(A), "bsr", f.block))
  end

  -- ---- sparse and dense

  -- The elements of a dense operand at f's places.
  local function elements_at(where, x, row, col, f)
    local wide = cp.broadcast_to(x, { f.shape[1], f.shape[2] })
    if #row == 0 then return S.zeros(0, x.dtype, f.data.device) end
    return core.choose(where, wide, { row:astype("int64") + 1, col:astype("int64") + 1 })
  end

  local function with_dense(name, f, x, first)
    local where, op = "scipy.sparse." .. name, operation(name)
    local sparse = name == "multiply" or name == "divide" and not first
    local rows, columns = S.broadcast_shape(f, x.ndim > 1 and x.shape[x.ndim - 1] or 1, x.shape[x.ndim] or 1)
    if x.ndim > 2 or not rows then
      raise_shape(where, string.format("shapes %s and %s differ and do not broadcast", S.shape_text(f),
        tostring(x.shape)))
    end
    if not sparse then
      local dense = S.dense(where, f)
      if f.vector then dense = dense:reshape(-1) end
      return first and op(x, dense) or op(dense, x)
    end
    f = S.spread(where, f, rows, columns)
    local g = S.csr(where, f)
    if not S.settle(where, g).canonical then g = S.canonical(where, g) end
    if f.format == "csc" and S.settle(where, f).canonical then g = f end
    local other = name == "multiply" and S.sample_waiting(where, g, x)
    if not other then
      local row, col = S.triplets(where, g)
      other = elements_at(where, x, row, col, g)
    end
    return S.with_data(g, first and op(other, g.data) or op(g.data, other))
  end

  -- ---- dispatch

  local function binary(name, a, b)
    if S.is(a) and S.is(b) then return of_two(name, S.fields(a), S.fields(b)) end
    local first = not S.is(a)
    local f, other = S.fields(first and b or a), first and a or b
    if core.is_scalar(other) then return with_number(name, f, other, first) end
    local x = core.as_array(other, "scipy.sparse." .. name, "operand", f.data)
    if x.ndim == 0 and (name ~= "add" and name ~= "subtract") then
      return with_number(name, f, x.device == f.data.device and x or x:item(), first)
    end
    return with_dense(name, f, x, first)
  end

  -- Whether no operand has two axes.
  local function are_vectors(...)
    for k = 1, select("#", ...) do
      local v = select(k, ...)
      local f = S.fields(v)
      if f and not f.vector then return false end
      if not f and not core.is_scalar(v) and core.as_array(v, "scipy.sparse", "operand").ndim > 1 then return false end
    end
    return true
  end

  --- An elementwise operation with a sparse operand; out and dtype as in functions of cp.
  function S.operate(name, out, dtype, ...)
    local where, n = "scipy.sparse." .. name, select("#", ...)
    if out ~= nil then
      usage(where, "a sparse array is not written in place, as its places may change; assign the result to a variable")
    end
    local result
    if n == 1 then
      result = of_one(name, S.fields((...)))
    elseif n == 2 then
      result = binary(name, ...)
    else
      usage(where, "takes no sparse arrays; write A:toarray()")
    end
    if are_vectors(...) then result = S.without_row(result) end
    return dtype and result:astype(dtype) or result
  end

  --- Whether two sparse arrays have the same shape and elements.
  function S.equal(A, B)
    local f, g = S.fields(A), S.fields(B)
    if not same_shape(f, g) or f.data.device ~= g.data.device then return false end
    return #S.fields(of_two("not_equal", f, g)).data == 0
  end

  -- The operation on f and an argument of this name.
  local function with_argument(where, name, f, v, argument)
    if not S.is(v) and not core.is_scalar(v) then v = core.as_array(v, where, argument, f.data) end
    return S.operate(name, nil, nil, S.object(f), v)
  end

  -- dtype: in which the powers are taken.
  S.method("power", "n, dtype", 1, function(where, f, n, dtype)
    return with_argument(where, "power", dtype ~= nil and S.fields(S.object(f):astype(dtype)) or f, n, "n")
  end, "own")
  for _, name in ipairs { "multiply", "maximum", "minimum", "divide" } do
    S.method(name, "other", 1, function(where, f, other) return with_argument(where, name, f, other, "other") end,
      "own")
  end
  for short, name in next, { eq = "equal", ne = "not_equal", lt = "less", le = "less_equal", gt = "greater",
    ge = "greater_equal" } do
    S.method(short, "other", 1, function(where, f, other) return with_argument(where, name, f, other, "other") end,
      "own")
  end
  for _, name in ipairs { "sin", "tan", "arcsin", "arctan", "sinh", "tanh", "arcsinh", "arctanh", "rint", "sign",
    "expm1", "log1p", "deg2rad", "rad2deg", "floor", "ceil", "trunc", "sqrt", "square" } do
    S.method(name, "", 0, function(_, f) return S.operate(name, nil, nil, S.object(f)) end, "own")
  end
  S.method("abs", "", 0, function(_, f) return S.operate("absolute", nil, nil, S.object(f)) end, "own")
  -- Rounds to `decimals` places, as cp.round.
  S.method("round", "decimals", 0, function(where, f, decimals)
    local g = S.tidied(where, f)
    return S.with_data(g, cp.round(g.data, core.integer(decimals, where, "decimals", 0)))
  end, "alike")
  local function with_data(f, data) return f.vector and S.as_vector(S.with_data(f, data)) or S.with_data(f, data) end
  S.getters.real = function(f) return with_data(f, f.data.real:copy()) end
  S.getters.imag = function(f) return with_data(f, f.data.imag:copy()) end
  -- As SciPy's, which leaves bool as it is, where NumPy's makes int8 of it.
  local function conj(f) return with_data(f, core.kind(f.data) == "c" and cp.conj(f.data) or f.data:copy()) end
  for _, name in ipairs { "conj", "conjugate" } do
    S.method(name, "", 0, function(_, f) return conj(f) end, "own")
  end
  S.getters.H = function(f)
    local A = conj(f)
    return f.vector and A or S.transpose("scipy.sparse.H", S.fields(A))
  end
end
