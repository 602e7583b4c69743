-- expm_multiply: the exponential of a matrix times vectors, by Taylor polynomials of as many parts of the
-- matrix as its norm needs (Al-Mohy and Higham, 2011).

return function(cp, core, S, linalg, publish)
  local usage, raise_shape = core.usage, core.raise_shape

  -- The norm of a matrix up to which the polynomial of a degree is exact but for rounding errors of float64
  -- (Table 3.1 there, and the authors' program).
  local BOUNDS = { [5] = 2.40e-3, [10] = 1.44e-1, [15] = 6.41e-1, [20] = 1.44, [25] = 2.43, [30] = 3.54, [35] = 4.7,
    [40] = 6.0, [45] = 7.2, [50] = 8.5, [55] = 9.9 }

  -- The degree and the number of parts with the fewest products.
  local function plan(norm)
    if norm == 0 then return 0, 1 end
    local degree, parts
    for m = 5, 55, 5 do
      local s = math.max(1, math.ceil(norm / BOUNDS[m]))
      if not degree or m * s < degree * parts then degree, parts = m, s end
    end
    return degree, parts
  end

  local function largest(x) return x.size == 0 and 0 or cp.max(cp.abs(x)):item() end

  -- exp(t A) B for p.A = A - p.mu, whose norm is p.norm.
  local function apply(where, p, t, B)
    local degree, parts = plan(math.abs(t) * p.norm)
    local eta = p.mu and cp.exp(p.mu * (t / parts)) or nil
    local F = B
    for _ = 1, parts do
      local before = largest(B)
      for j = 1, degree do
        core.check_interrupt(where)
        B = S.matmul(where, p.A, B) * (t / (parts * j))
        F = F + B
        cp.eval(B, F)
        local now = largest(B)
        if before + now <= p.epsilon * largest(F) then break end
        before = now
      end
      if eta then F = F * eta end
      B = F
    end
    return F:astype(p.dtype, false)
  end

  local function read(where, A, B, traceA)
    local f
    if S.is(A) then
      f = S.canonical(where, S.take(where, A))
    else
      local x = core.as_array(A, where, "A")
      if x.ndim ~= 2 then raise_shape(where, "A must have two axes, not shape " .. tostring(x.shape)) end
      f = S.fields(S.from_dense(where, x, "csr"))
    end
    local n = f.shape[1]
    if f.shape[2] ~= n then raise_shape(where, string.format("A must be square, not (%d, %d)", n, f.shape[2])) end
    B = core.as_array(B, where, "B", f.data)
    if (B.ndim ~= 1 and B.ndim ~= 2) or B.shape[1] ~= n then
      raise_shape(where, string.format("B must have %d rows, not shape %s", n, tostring(B.shape)))
    end
    local dtype = cp.promote_types(f.data, B)
    if traceA ~= nil and core.kind(core.as_array(traceA, where, "traceA")) == "c" then
      dtype = cp.promote_types(dtype, "complex64")
    end
    dtype = S.solving_dtype(dtype)
    local p = { dtype = dtype, epsilon = (dtype == "float32" or dtype == "complex64") and 2 ^ -24 or 2 ^ -53 }
    local g = S.sharing(f, f.data:astype(dtype, false))
    if n > 0 then
      local trace = traceA ~= nil and core.as_array(traceA, where, "traceA", f.data):reshape({})
        or cp.sum(S.methods.diagonal(S.object(g)))
      p.mu = (trace / n):astype(dtype, false)
      g = S.fields(S.object(g) - S.eye(n, n, 0, dtype, "csr", f.data.device) * p.mu:item())
    end
    p.A, p.norm = S.object(S.convert(where, g, "csr")), n > 0 and linalg.norm(S.object(g), 1):item() or 0
    if p.norm ~= p.norm or p.norm == math.huge then usage(where, "A has elements that are infinite or NaN") end
    return p, B:astype(dtype)
  end

  --- exp(A) B for a vector or matrix B; with start, stop and num: a row exp(t A) B for each of num times t
  --- from start to stop.
  publish("expm_multiply", "A, B, start, stop, num, endpoint, traceA", 2,
    function(where, A, B, start, stop, num, endpoint, traceA)
      local p
      p, B = read(where, A, B, traceA)
      if start == nil and stop == nil and num == nil and endpoint == nil then return apply(where, p, 1, B) end
      if start == nil or stop == nil then usage(where, "start and stop must be given together") end
      start, stop = core.number(start, where, "start"), core.number(stop, where, "stop")
      num = core.integer(num, where, "num", 50)
      if num < 1 then usage(where, "num must be at least 1") end
      local intervals = core.boolean(endpoint, where, "endpoint", true) and num - 1 or num
      local step = intervals > 0 and (stop - start) / intervals or 0
      local rows = { apply(where, p, start, B) }
      for k = 2, num do rows[k] = apply(where, p, step, rows[k - 1]) end
      return cp.stack(rows, 1)
    end)
end
