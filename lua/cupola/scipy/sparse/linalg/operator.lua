-- LinearOperator: a matrix that is known by its products. Arrays, sparse arrays, operators and functions can
-- stand for one (aslinearoperator); the solvers take all of them.

return function(cp, core, S, publish)
  local usage, raise_shape = core.usage, core.raise_shape

  -- ---- vectors

  --- The conjugate, which of real elements is x itself: a copy would be a pass of its own.
  function S.conj(x) return core.kind(x) == "c" and cp.conj(x) or x end

  --- The absolute value of a number, which cp.abs would compute by a kernel; the conjugate of one.
  function S.magnitude(v)
    if type(v) == "number" then return math.abs(v) end
    return math.sqrt(v.re * v.re + v.im * v.im)
  end
  function S.conjugate(v) return type(v) == "number" and v or cp.conj(v) end

  --- The norm of a vector, a 0-d array.
  function S.length(x) return cp.sqrt(S.squares(x)) end

  --- The square of it.
  function S.squares(x) return cp.sum(cp.square(core.kind(x) == "c" and cp.abs(x) or x)) end

  --- The products of the vector w with the rows of V, which are conjugated.
  function S.along(V, w) return S.conj(cp.matmul(V, S.conj(w))) end

  -- ---- steps

  --- Whether no script sees the vectors of a solver with these arguments.
  function S.is_alone(A, M, callback)
    return (S.is(A) or cp.is_array(A)) and M == nil and callback == nil and not core.capturing
  end

  --- f(...), with all arrays freed that it makes and does not return if no script sees them (`alone`). Else
  --- new vectors would lie in new memory, which a processor first reads into its caches, until Lua collects
  --- the old ones.
  function S.run(alone, f, ...)
    if alone then return cp.scope(f, ...) end
    return f(...)
  end

  --- A step of a solver: f, which returns everything that the next step needs, run in the same way; what the
  --- step before returned is freed as well, but not what the first step begins with, unless a step returns
  --- it.
  function S.step(alone, f)
    if not alone then return f end
    local before = {}
    local function taken(...)
      local now = {}
      for k = 1, select("#", ...) do
        local v = select(k, ...)
        if cp.is_array(v) then now[v] = true end
      end
      for v in next, before do
        if not now[v] then v:free() end
      end
      before = now
      return ...
    end
    return function(...) return taken(cp.scope(f, ...)) end
  end

  -- ---- operators

  local Operator = {} -- the metatable
  local methods = {}

  local function is_operator(v) return type(v) == "table" and getmetatable(v) == Operator end

  -- like: the dtype, or an array with the operator's dtype and device.
  local function new(rows, columns, like, products)
    local op = { rows = rows, columns = columns, _dtype = like, products = products }
    if cp.is_array(like) then op._dtype, op._device = like.dtype, like.device end
    return setmetatable(op, Operator)
  end

  -- A script's function as one of an operator's products, whose result has as many rows as `rows` says.
  local function product_by(where, f, name, rows)
    if f == nil then return nil end
    f = core.callable(f, where, name)
    return function(x)
      local y = f(x)
      if y == nil then usage(where, name .. " must return an array, not nil") end
      y = core.as_array(y, where, "the result of " .. name, x)
      local wanted = x.ndim == 2 and { rows, x.shape[2] } or { rows }
      if x.ndim == 1 and y.ndim == 2 and y.shape[2] == 1 and y.shape[1] == rows then y = y:reshape(-1) end
      if not y:has_shape(unpack(wanted)) then
        raise_shape(where, string.format("the result of %s has shape %s, not %s", name, tostring(y.shape),
          tostring(core.shape(wanted, where, "shape"))))
      end
      return y
    end
  end

  -- A call of one of an operator's functions on a vector or matrix of as many rows as it takes.
  local function apply(where, op, name, x, length)
    local f = op.products[name]
    if not f then usage(where, "the operator has no " .. name) end
    x = core.as_array(x, where, "x")
    if (x.ndim ~= 1 and x.ndim ~= 2) or x.shape[1] ~= length then
      raise_shape(where, string.format("x must have %d rows, not shape %s", length, tostring(x.shape)))
    end
    return f(x)
  end

  function Operator.__index(op, key)
    if key == "shape" then return core.shape({ op.rows, op.columns }, "shape", "shape") end
    if key == "dtype" then return rawget(op, "_dtype") end
    if key == "device" then return rawget(op, "_device") end
    if key == "ndim" then return 2 end
    if key == "H" then return methods.adjoint(op) end
    if key == "T" then return methods.transpose(op) end
    return methods[key]
  end

  function Operator.__tostring(op)
    return string.format("LinearOperator (%d, %d) %s", op.rows, op.columns, tostring(op.dtype))
  end

  local function checked(op)
    if not is_operator(op) then usage("scipy.sparse.linalg.LinearOperator", "call methods with a colon") end
    return op
  end

  function methods.matvec(op, x) return apply("scipy.sparse.linalg.matvec", checked(op), "matvec", x, op.columns) end
  function methods.rmatvec(op, x) return apply("scipy.sparse.linalg.rmatvec", checked(op), "rmatvec", x, op.rows) end

  -- The product with a matrix of `length` rows: columns one by one where the operator has a function for
  -- vectors alone.
  local function by_columns(where, op, whole, single, x, length)
    if op.products[whole] then return apply(where, op, whole, x, length) end
    x = core.as_array(x, where, "x")
    if x.ndim == 1 then return apply(where, op, single, x, length) end
    local columns = {}
    for k = 1, x.shape[2] do
      columns[k] = apply(where, op, single, core.slice(x, 2, k, k):reshape(-1), length)
    end
    return cp.stack(columns, 2)
  end

  local function matmat(where, op, x) return by_columns(where, op, "matmat", "matvec", x, op.columns) end

  function methods.matmat(op, x) return matmat("scipy.sparse.linalg.matmat", checked(op), x) end
  function methods.rmatmat(op, x)
    return by_columns("scipy.sparse.linalg.rmatmat", checked(op), "rmatmat", "rmatvec", x, op.rows)
  end

  function methods.adjoint(op)
    checked(op)
    return new(op.columns, op.rows, op.dtype, { matvec = op.products.rmatvec, rmatvec = op.products.matvec })
  end

  function methods.transpose(op)
    checked(op)
    local forward, backward = op.products.matvec, op.products.rmatvec
    return new(op.columns, op.rows, op.dtype, {
      matvec = backward and function(x) return cp.conj(backward(cp.conj(x))) end,
      rmatvec = function(x) return cp.conj(forward(cp.conj(x))) end })
  end

  --- An argument as an operator. Functions need a length n, and are n x n; LU factors stand for the inverse.
  function S.operator(where, v, argument, n)
    if is_operator(v) then return v end
    local inverse = S.inverse_operator(v)
    if inverse then return inverse end
    if S.is(v) then
      local f = S.take(where, v, argument)
      local function times(x) return S.matmul(where, v, x) end
      -- The conjugate of A.T times x's conjugate: vectors are shorter than A.
      local function back(x)
        local turned = S.object(S.turned(where, f))
        if core.kind(f.data) ~= "c" then return S.matmul(where, turned, x) end
        return cp.conj(S.matmul(where, turned, S.conj(x)))
      end
      return new(f.shape[1], f.shape[2], f.data, { matvec = times, matmat = times, rmatvec = back, rmatmat = back,
        times_and_dot = function(x) return S.times_and_dot(where, f, x) end })
    end
    if n and not cp.is_array(v) and core.is_callable(v) then
      return new(n, n, nil, { matvec = product_by(where, v, argument, n) })
    end
    local x = core.as_array(v, where, argument)
    if x.ndim ~= 2 then raise_shape(where, argument .. " must have two axes, not shape " .. tostring(x.shape)) end
    return new(x.shape[1], x.shape[2], x, { matvec = function(y) return cp.matmul(x, y) end,
      matmat = function(y) return cp.matmul(x, y) end, rmatvec = function(y) return cp.matmul(S.conj(x).T, y) end,
      rmatmat = function(y) return cp.matmul(S.conj(x).T, y) end })
  end

  local function scaled(op, s)
    local f, r = op.products.matvec, op.products.rmatvec
    local back = type(s) == "userdata" and core.kind(s) == "c" and cp.conj(s) or s
    return new(op.rows, op.columns, op.dtype, { matvec = function(x) return f(x) * s end,
      rmatvec = r and function(x) return r(x) * back end })
  end

  -- The dtype of operators together, as far as it is known.
  local function common(a, b)
    return a.dtype and b.dtype and cp.promote_types(a.dtype, b.dtype) or a.dtype or b.dtype
  end

  function methods.dot(op, x)
    local where = "scipy.sparse.linalg.dot"
    checked(op)
    if core.is_scalar(x) then return scaled(op, x) end
    if is_operator(x) then
      if op.columns ~= x.rows then
        raise_shape(where, string.format("shapes (%d, %d) and (%d, %d) cannot be multiplied", op.rows, op.columns,
          x.rows, x.columns))
      end
      local f, g, rf, rg = op.products.matvec, x.products.matvec, op.products.rmatvec, x.products.rmatvec
      return new(op.rows, x.columns, common(op, x), { matvec = function(v) return f(g(v)) end,
        rmatvec = rf and rg and function(v) return rg(rf(v)) end })
    end
    return matmat(where, op, x)
  end
  methods.matmul = methods.dot

  local function sum(a, b)
    local where = "scipy.sparse.linalg.LinearOperator"
    a, b = S.operator(where, a, "operand"), S.operator(where, b, "operand")
    if a.rows ~= b.rows or a.columns ~= b.columns then
      raise_shape(where, string.format("shapes (%d, %d) and (%d, %d) differ", a.rows, a.columns, b.rows, b.columns))
    end
    local f, g, rf, rg = a.products.matvec, b.products.matvec, a.products.rmatvec, b.products.rmatvec
    return new(a.rows, a.columns, common(a, b), { matvec = function(x) return f(x) + g(x) end,
      rmatvec = rf and rg and function(x) return rf(x) + rg(x) end })
  end

  function Operator.__mul(a, b)
    if core.is_scalar(a) then return scaled(b, a) end
    if not is_operator(a) then usage("scipy.sparse.linalg.LinearOperator", "write op * number or op:dot(x)") end
    return methods.dot(a, b)
  end

  -- op ^ n: n products, as in SciPy.
  function Operator.__pow(op, n)
    local where = "scipy.sparse.linalg.LinearOperator"
    n = core.integer(n, where, "power")
    if checked(op).rows ~= op.columns then
      raise_shape(where, string.format("only square operators have powers, not (%d, %d)", op.rows, op.columns))
    end
    if n < 0 then usage(where, "power must not be negative") end
    local function times(f)
      return f and function(x)
        for _ = 1, n do x = f(x) end
        return x
      end
    end
    return new(op.rows, op.columns, op.dtype, { matvec = times(op.products.matvec),
      rmatvec = times(op.products.rmatvec) })
  end

  Operator.__add = sum
  function Operator.__sub(a, b)
    return sum(a, scaled(S.operator("scipy.sparse.linalg.LinearOperator", b, "operand"), -1))
  end
  function Operator.__unm(a) return scaled(a, -1) end

  -- An operator of a shape with functions for its products: matvec(x), and for some solvers rmatvec(x), the
  -- product with the conjugate transpose; matmat(X) and rmatmat(X) take matrices.
  local NAMES = "shape, matvec, rmatvec, matmat, dtype, rmatmat"
  publish("LinearOperator", NAMES, 2, function(where, shape, matvec, rmatvec, mat, dtype, rmat)
    local rows, columns = S.shape(where, shape)
    return new(rows, columns, dtype and core.dtype(dtype, where) or nil,
      { matvec = product_by(where, matvec, "matvec", rows), rmatvec = product_by(where, rmatvec, "rmatvec", columns),
        matmat = product_by(where, mat, "matmat", rows), rmatmat = product_by(where, rmat, "rmatmat", columns) })
  end)

  publish("aslinearoperator", "A", 1, function(where, A) return S.operator(where, A, "A") end)
end
