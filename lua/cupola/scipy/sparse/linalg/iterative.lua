-- Iterative solvers. Their scalars are 0-d arrays, which stay on the device; convergence is asked for at
-- every step on the CPU, and at every PERIOD-th on a GPU, so that the host seldom waits. Quotients whose
-- divisor is 0 count as 0, so steps after an exact solution change nothing. A graph that is being captured
-- can ask for nothing, so it has all maxiter steps.
--
-- cg: Hestenes and Stiefel (1952). bicg: Fletcher (1976). bicgstab: van der Vorst (1992). cgs: Sonneveld
-- (1989). Those that minimise residuals are in residuals.lua.

return function(cp, core, S, publish)
  local raise_shape, usage = core.raise_shape, core.usage

  local PERIOD = 8

  local norm = S.length

  -- A 0-d array as the solvers use it: real ones of the CPU are Lua's numbers, with which it computes at
  -- once; on a GPU, and in graphs, they stay on the device.
  local function scalar(x)
    return x.device == "cpu" and core.kind(x) ~= "c" and not core.capturing and x:item() or x
  end

  -- The sum of the products of x's conjugates and y, pending. The products are freed, as pending values that
  -- read x and y would keep them from being changed in place.
  local function pending_dot(x, y)
    local turned = S.conj(x)
    local products = turned * y
    local sum = cp.sum(products)
    products:free()
    if core.kind(x) == "c" then turned:free() end
    return sum
  end

  -- The same as the solvers use it. What x and y wait for is computed in the pass that adds them up.
  local function dot(x, y)
    local sum = pending_dot(x, y)
    if sum.device == "cpu" then cp.eval(x, y, sum) end
    return scalar(sum)
  end

  -- a / b, or 0 where b is 0.
  local function quotient(a, b)
    if type(b) == "number" then return b == 0 and 0 or a / b end
    local zero = cp.equal(b, 0)
    return cp.where(zero, cp.zeros_like(a), a / cp.where(zero, cp.ones_like(b), b))
  end

  -- What all solvers of square systems share: A and M as operators, b and x0 in one dtype, and the bound of
  -- the residual's norm.
  local function system(where, A, b, o)
    b = core.as_array(b, where, "b")
    local shape = b.shape
    if b.ndim == 2 and shape[2] == 1 then b = b:reshape(-1) end
    if b.ndim ~= 1 then raise_shape(where, "b must be a vector, not of shape " .. tostring(shape)) end
    local n = #b
    local op = S.operator(where, A, "A", n)
    if op.rows ~= op.columns then
      raise_shape(where, string.format("A must be square, not (%d, %d)", op.rows, op.columns))
    end
    if op.rows ~= n then raise_shape(where, string.format("A has %d rows and b %d elements", op.rows, n)) end
    local dtype = core.floating(op.dtype and cp.promote_types(op.dtype, b.dtype) or b.dtype)
    local start
    if o.x0 ~= nil and o.x0 ~= "Mb" then
      start = core.as_array(o.x0, where, "x0", b)
      dtype = cp.promote_types(dtype, core.floating(start.dtype))
    end
    dtype = S.solving_dtype(dtype)
    b = b:astype(dtype, false)
    local x = cp.zeros_like(b)
    if start then
      if start.size ~= n then raise_shape(where, string.format("x0 has %d elements, not %d", start.size, n)) end
      x = start:reshape(-1):astype(dtype)
    end
    local rtol, atol = core.number(o.rtol, where, "rtol", 1e-5), core.number(o.atol, where, "atol", 0)
    if atol < 0 or atol ~= atol then usage(where, "atol must not be negative") end
    local function times(v) return op.products.matvec(v):astype(dtype, false) end
    local M = o.M ~= nil and S.operator(where, o.M, "M", n) or nil
    if M and (M.rows ~= n or M.columns ~= n) then raise_shape(where, "M must have A's shape") end
    -- A v, and the sum of v times it, by one kernel where there is one.
    local function times_and_dot(v)
      local q, sum
      if op.products.times_and_dot and op.dtype == dtype then q, sum = op.products.times_and_dot(v) end
      q = q or times(v)
      return q, sum and scalar(sum) or dot(v, q)
    end
    local function precondition(v) return M and M.products.matvec(v):astype(dtype, false) or v end
    if o.x0 == "Mb" then x = precondition(b):copy() end
    local function adjoint(of, name)
      if not of.products.rmatvec then usage(where, name .. " must have rmatvec, the product with its adjoint") end
      return function(v) return of.products.rmatvec(v):astype(dtype, false) end
    end
    local captured, size = core.capturing and true, norm(b)
    if captured and o.maxiter == nil then
      usage(where, "needs maxiter while a graph is captured, which has as many steps")
    elseif captured and o.callback ~= nil then
      usage(where, "takes no callback while a graph is captured: its steps run later")
    end
    if not captured then size = size:item() end
    return { n = n, times = times, times_and_dot = times_and_dot, op = op, adjoint = adjoint, M = M,
      precondition = precondition, b = b, x = x, dtype = dtype, real = core.real_dtype(dtype), shape = shape,
      captured = captured, bound = captured and cp.maximum(rtol * size, atol) or math.max(atol, rtol * size),
      zero = not captured and size == 0,
      maxiter = core.integer(o.maxiter, where, "maxiter", 10 * n),
      period = b.device == "cpu" and 1 or PERIOD,
      callback = o.callback ~= nil and core.callable(o.callback, where, "callback") or nil,
      own = S.is_alone(A, o.M, o.callback) }
  end

  -- Whether the solver is done after step k, whose residual is r; square: of its norm, an array or a number,
  -- if that is known.
  local function is_done(where, s, k, r, square)
    if k % s.period ~= 0 and k < s.maxiter then return false end
    core.check_interrupt(where)
    local size = type(square) == "number" and math.sqrt(square)
      or (square and cp.sqrt(cp.abs(square)) or norm(r)):item()
    if size ~= size then return true, true end
    return size <= s.bound
  end

  -- The results: x, and 0 or the number of steps that did not suffice.
  local function results(s, x, info) return x:reshape(s.shape), info end

  -- The results in a graph, where the bool `done` says whether the solver has converged: x, and a 0-d array
  -- of what results gets elsewhere.
  local function captured_results(s, x, done)
    local info = cp.where(done, 0, s.maxiter):astype "int64"
    cp.eval(x, info)
    return results(s, x, info)
  end

  -- Runs step(k), which returns x, the residual, and the square of its norm or nil, until the residual is
  -- small.
  local function iterate(where, s, step)
    if s.zero then return results(s, cp.zeros_like(s.b), 0) end
    local x, r = s.x, s.r
    if not s.captured and norm(r):item() <= s.bound then return results(s, x, 0) end
    for k = 1, s.maxiter do
      local square
      x, r, square = step(k)
      if s.callback then s.callback(x) end
      cp.eval(r)
      local done, broken = false, false
      if not s.captured then done, broken = is_done(where, s, k, r, square) end
      if done then return results(s, x:eval(), broken and k or 0) end
    end
    if s.captured then return captured_results(s, x, cp.less_equal(norm(r), s.bound)) end
    return results(s, x:eval(), s.maxiter)
  end

  local OPTIONS = "A, b, x0, rtol, atol, maxiter, M, callback"

  local function solver(name, start)
    publish(name, OPTIONS, 2, function(where, A, b, x0, rtol, atol, maxiter, M, callback)
      return S.run(S.is_alone(A, M, callback), function()
        local s = system(where, A, b,
          { x0 = x0, rtol = rtol, atol = atol, maxiter = maxiter, M = M, callback = callback })
        s.r = x0 == nil and s.b:copy() or s.b - s.times(s.x)
        return iterate(where, s, start(s))
      end)
    end)
  end

  -- y = x + v * a in y's memory, which is x's or v's. v * a is freed first: as long as its array waits, it
  -- reads what is overwritten, and y would get new memory.
  local function add_in_place(y, x, v, a)
    local part = v * a
    local sum = x + part
    part:free()
    y:assign(sum)
    sum:free()
  end

  -- A step of conjugate gradients on a CPU. It changes the vectors, which no script sees, in place: a
  -- processor reads new memory into its cache before it writes there.
  local function steps_in_place(s)
    local x, r, p, rho, beta = s.x, s.r, nil, nil, nil
    return function()
      if p then
        add_in_place(p, r, p, beta)
      else
        p, rho = r:copy(), cp.eval(dot(r, r))
      end
      local q, energy = s.times_and_dot(p)
      local alpha = cp.eval(quotient(rho, energy))
      add_in_place(x, x, p, alpha)
      add_in_place(r, r, q, cp.eval(-alpha))
      local now = cp.eval(dot(r, r))
      q:free()
      beta, rho = cp.eval(quotient(now, rho)), now
      return x, r, now
    end
  end

  -- Conjugate gradients, for hermitian positive definite matrices. x is left pending, so that the next step
  -- adds to it in the pass that makes the next direction and reads p anyway. Vectors that no script can hold
  -- are freed as soon as they are used, so that a CPU's caches keep the others.
  solver("cg", function(s)
    if s.own and s.b.device == "cpu" then return steps_in_place(s) end
    local x, r, z, p, rho, beta = s.x, s.r, nil, nil, nil, nil
    local x_before, own = nil, s.own
    local function free(v)
      if own and v ~= nil then v:free() end
    end
    return function(k)
      local p_before = p
      if p then
        p = z + p * beta
      else
        p = s.precondition(r)
        rho = dot(r, p)
      end
      cp.eval(p, x)
      if k > 2 then -- what the first step began with is not its own
        free(p_before)
        free(x_before)
      end
      local q, energy = s.times_and_dot(p)
      local alpha = cp.eval(quotient(rho, energy))
      local r_before = r
      r = r - q * alpha
      z = s.precondition(r)
      local now = dot(r, z)
      cp.eval(r, now)
      free(q)
      if k > 1 then free(r_before) end
      beta = cp.eval(quotient(now, rho))
      x_before = x
      x, rho = x + p * alpha, now
      return x, r, not s.M and now or nil
    end
  end)

  -- Biconjugate gradients, for general matrices: needs products with the adjoint.
  solver("bicg", function(s)
    local x, r, shadow = s.x, s.r, s.r:copy()
    local back = s.adjoint(s.op, "A")
    local back_M = s.M and s.adjoint(s.M, "M") or function(v) return v end
    local p, other, rho, now
    return S.step(s.own, function()
      local z, w = s.precondition(r), back_M(shadow)
      if s.M or not now then now = dot(shadow, z) end
      if p then
        local beta = quotient(now, rho)
        p, other = z + p * beta, w + other * cp.conj(beta)
      else
        p, other = z, w
      end
      rho = now
      local q = s.times(p)
      local alpha = quotient(rho, dot(other, q))
      x, r, shadow = x + p * alpha, r - q * alpha, shadow - back(other) * cp.conj(alpha)
      local square = S.squares(r)
      now = pending_dot(shadow, r)
      cp.eval(x, r, shadow, p, other, rho, square, now)
      now = scalar(now)
      return x, r, square, shadow, p, other, rho, now
    end)
  end)

  -- The stabilised method of biconjugate gradients, for general matrices.
  solver("bicgstab", function(s)
    local x, r, shadow = s.x, s.r, s.r:copy()
    local p, v, rho, alpha, omega
    local now = dot(shadow, r)
    return S.step(s.own, function()
      if p then
        p = r + (p - v * omega) * (quotient(now, rho) * quotient(alpha, omega))
      else
        p = r
      end
      rho = now
      local y = s.precondition(p)
      v = s.times(y)
      alpha = quotient(rho, dot(shadow, v))
      local half = r - v * alpha
      local z = s.precondition(half)
      local t = s.times(z)
      local along, square = pending_dot(t, half), pending_dot(t, t)
      cp.eval(along, square)
      omega = quotient(scalar(along), scalar(square))
      x, r = x + y * alpha + z * omega, half - t * omega
      square, now = S.squares(r), pending_dot(shadow, r)
      cp.eval(x, r, p, v, rho, alpha, omega, square, now)
      now = scalar(now)
      return x, r, square, p, v, rho, alpha, omega, now
    end)
  end)

  -- Conjugate gradients squared, for general matrices.
  solver("cgs", function(s)
    local x, r, shadow = s.x, s.r, s.r:copy()
    local p, q, u, rho
    local now = dot(shadow, r)
    return S.step(s.own, function()
      if p then
        local beta = quotient(now, rho)
        u = r + q * beta
        p = u + (q + p * beta) * beta
      else
        u, p = r, r
      end
      rho = now
      local v = s.times(s.precondition(p))
      local alpha = quotient(rho, dot(shadow, v))
      q = u - v * alpha
      local step = s.precondition(u + q)
      x, r = x + step * alpha, r - s.times(step) * alpha
      local square = S.squares(r)
      now = pending_dot(shadow, r)
      cp.eval(x, r, p, q, u, rho, square, now)
      now = scalar(now)
      return x, r, square, p, q, u, rho, now
    end)
  end)

  --- What the other solvers have in common with these.
  S.solving = { system = system, results = results, captured_results = captured_results, dot = dot, scalar = scalar,
    quotient = quotient, norm = norm }
end
