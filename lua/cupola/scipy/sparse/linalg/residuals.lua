-- Solvers of square systems that minimise the residual. gmres: Saad and Schultz (1986), with classical
-- Gram-Schmidt done twice. minres: Paige and Saunders (1975).

return function(cp, core, S, publish)
  local usage, solving = core.usage, S.solving
  local system, results, dot, quotient, norm = solving.system, solving.results, solving.dot, solving.quotient,
    solving.norm

  -- ---- gmres

  -- The rotation of a and b (b real and not negative) that leaves 0 of b: c, s, and what becomes of a.
  local function rotation(a, b)
    if b == 0 then return 1, 0, a end
    local size = S.magnitude(a)
    if size == 0 then return 0, 1, b end
    local r = math.sqrt(size * size + b * b)
    local phase = a / size
    return size / r, phase * (b / r), phase * r
  end

  -- Adds column j, the numbers h (j + 1 of them), to the triangle of a cycle on the host, and rotates its
  -- right side. Returns the residual's norm, and whether no direction is left.
  local function add_column(t, j, h)
    local square = 0
    for k = 1, j + 1 do square = square + S.magnitude(h[k]) ^ 2 end
    local below = S.magnitude(h[j + 1])
    local exact = below <= t.epsilon * math.sqrt(square)
    if exact then below = 0 end
    for k = 1, j - 1 do
      local c, sn = t.c[k], t.s[k]
      h[k], h[k + 1] = h[k] * c + sn * h[k + 1], h[k + 1] * c - S.conjugate(sn) * h[k]
    end
    local c, sn, top = rotation(h[j], below)
    h[j], t.c[j], t.s[j], t.columns[j] = top, c, sn, h
    t.right[j], t.right[j + 1] = t.right[j] * c, -S.conjugate(sn) * t.right[j]
    return S.magnitude(t.right[j + 1]), exact
  end

  -- The solution of the triangle of n columns; 0 in a direction that it does not determine.
  local function solve_triangle(t, n)
    local y, largest = {}, 0
    for k = 1, n do y[k], largest = t.right[k], math.max(largest, S.magnitude(t.columns[k][k])) end
    for k = n, 1, -1 do
      local column = t.columns[k]
      y[k] = S.magnitude(column[k]) <= t.epsilon * largest and 0 or y[k] / column[k]
      for i = 1, k - 1 do y[i] = y[i] - column[i] * y[k] end
    end
    return y
  end

  -- One cycle: at most `most` steps from x, whose preconditioned residual is r, until this is no longer than
  -- `bound`. told(size) hears of each step. Returns the new x, the number of steps, the norm of the
  -- preconditioned residual, and whether no direction was left. Numbers come to the host after every
  -- period-th step, all that are new at once.
  local function cycle(s, x, r, most, bound, told)
    local beta = norm(r):item()
    local t = { c = {}, s = {}, columns = {}, right = { beta }, epsilon = cp.finfo(s.real).eps }
    local V = cp.empty({ most + 1, s.n }, { dtype = s.dtype, device = s.b.device })
    core.slice(V, 1, 1, 1):reshape(-1):assign(r / beta)
    local waiting, done = {}, 0
    -- The numbers of a step: a list where the device gives one, else an array.
    local function step(j)
      local basis = core.slice(V, 1, 1, j)
      local w = s.precondition(s.times(core.slice(V, 1, j, j):reshape(-1)))
      local parts = core.orthogonalise(s.where, V, j, w, 1)
      if parts then return parts end
      local h = S.along(basis, w)
      w = w - cp.matmul(h, basis)
      local again = S.along(basis, w)
      w = w - cp.matmul(again, basis)
      local size = norm(w):eval()
      core.slice(V, 1, j + 1, j + 1):reshape(-1):assign(quotient(w, size))
      return cp.concatenate { h + again, size:astype(s.dtype, false):reshape(1) }:eval()
    end
    for j = 1, most do
      waiting[#waiting + 1] = S.run(s.own, step, j)
      if j % s.period == 0 or j == most then
        local numbers = cp.is_array(waiting[1]) and cp.concatenate(waiting):totable() or waiting[1]
        waiting = {}
        local at = 0
        while at < #numbers do
          local column = {}
          for k = 1, done + 2 do column[k] = numbers[at + k] end
          at, done = at + done + 2, done + 1
          local left, exact = add_column(t, done, column)
          told(left)
          if left <= bound or exact or left ~= left or done == most then
            local y = cp.array(solve_triangle(t, done), { dtype = s.dtype, device = s.b.device })
            return x + cp.matmul(y, core.slice(V, 1, 1, done)), done, left, exact
          end
        end
      end
    end
  end

  local EPSILON = 2 ^ -52
  local CALLS = { x = true, pr_norm = true, legacy = true }

  local function gmres(where, A, b, x0, rtol, atol, restart, maxiter, M, callback, callback_type)
    if callback_type ~= nil and not CALLS[callback_type] then
      core.not_among(where, "callback_type", '"x", "pr_norm" or "legacy"', callback_type)
    end
    local s = system(where, A, b,
      { x0 = x0, rtol = rtol, atol = atol, maxiter = maxiter, M = M, callback = callback })
    s.where = where
    if s.captured then usage(where, "cannot be part of a graph: the host solves a small system in each cycle") end
    restart = math.min(core.integer(restart, where, "restart", 20), s.n)
    if restart < 1 and s.n > 0 then usage(where, "restart must be at least 1") end
    if s.zero then return results(s, cp.zeros_like(s.b), 0) end
    local call = s.callback and (callback_type or "legacy")
    local size_b = norm(s.b):item()
    local function told(left)
      if call == "pr_norm" or call == "legacy" then s.callback(left / size_b) end
    end
    local x, steps, factor = s.x, 0, 1
    local r = s.b - s.times(x)
    local size = norm(r):item()
    local bound = norm(s.precondition(s.b)):item() * math.min(1, s.bound / size_b)
    for _ = 1, s.maxiter do
      core.check_interrupt(where)
      if size <= s.bound or size ~= size then break end
      local most = call == "legacy" and math.min(restart, s.maxiter - steps) or restart
      if most == 0 then break end
      local count, left, exact
      x, count, left, exact = cycle(s, x, s.precondition(r), most, bound, told)
      steps = steps + count
      r = s.b - s.times(x)
      size = norm(r):item()
      if call == "x" then s.callback(x) end
      if exact then break end
      -- where the preconditioner hides what is left, the next cycle aims lower (SciPy's rule)
      factor = left <= bound and math.max(EPSILON, 0.25 * factor) or math.min(1, 1.5 * factor)
      bound = left * math.min(factor, s.bound / size)
    end
    return results(s, x:eval(), size <= s.bound and 0 or s.maxiter)
  end

  -- The generalised method of minimal residuals, for general matrices. maxiter counts cycles of `restart`
  -- steps. callback_type: whether the callback gets x after each cycle ("x"), or after each step the
  -- preconditioned residual's norm as a share of b's ("pr_norm", "legacy"; with the latter, which is the
  -- default, maxiter counts steps).
  publish("gmres", "A, b, x0, rtol, atol, restart, maxiter, M, callback, callback_type", 2, function(where, A, b, ...)
    local _, _, _, _, _, M, callback = ...
    return S.run(S.is_alone(A, M, callback), gmres, where, A, b, ...)
  end)

  -- ---- minres

  local MINRES = "A, b, x0, rtol, shift, maxiter, M, callback, show, check"

  -- Raises an error unless f, the product with an operator, is hermitian: (f(f(y)), y) is the square of the
  -- size of f(y) (SciPy's test).
  local function check_hermitian(where, s, f, y, name)
    if norm(y):item() == 0 then return end
    local w = f(y)
    local square, other = dot(w, w), dot(y, f(w))
    local left, size = cp.abs(square - other), cp.abs(square)
    if cp.is_array(left) then left, size = left:item(), size:item() end
    local unit = cp.finfo(s.real).eps
    if left > (size + unit) * unit ^ (1 / 3) then usage(where, name .. " is not hermitian") end
  end

  -- Whether minres is done (SciPy's test, which is that of Paige and Saunders): the residual is small beside
  -- A's and x's norms, or A times it beside A's and its own, or the numbers' precision allows no more.
  -- left, turned: norms of the residual, and of A times it as a share of the former.
  local function is_minimal(left, turned, size_A, size_x, rtol)
    local of_system = size_A * size_x == 0 and math.huge or left / (size_A * size_x)
    local of_squares = size_A == 0 and math.huge or turned / size_A
    return of_system <= rtol or of_squares <= rtol or 1 + of_system <= 1 or 1 + of_squares <= 1
  end

  local function minres(where, A, b, x0, rtol, shift, maxiter, M, callback, show, check)
    show, check = core.boolean(show, where, "show", false), core.boolean(check, where, "check", false)
    local s = system(where, A, b, { x0 = x0, rtol = rtol, maxiter = maxiter, M = M, callback = callback })
    shift, rtol = core.number(shift, where, "shift", 0), core.number(rtol, where, "rtol", 1e-5)
    local function times(v) return shift == 0 and s.times(v) or s.times(v) - v * shift end
    if s.zero then return results(s, cp.zeros_like(s.b), 0) end
    if s.captured and (show or check) then usage(where, "takes no show and no check while a graph is captured") end
    local x, r1 = s.x, x0 == nil and s.b:copy() or s.b - times(s.x)
    if check then
      check_hermitian(where, s, s.times, r1, "A")
      if M ~= nil then check_hermitian(where, s, s.precondition, r1, "M") end
    end
    local y = s.precondition(r1)
    -- numbers, or real arrays of float64
    local function real(v) return type(v) == "number" and v or v.real:astype "float64" end
    local function value(v) return type(v) == "number" and v or v:item() end
    local function length(v, z) return cp.sqrt(cp.maximum(real(dot(v, z)), 0)) end
    local function narrow(v) return type(v) == "number" and v or v:astype(s.real, false) end -- for vectors
    local beta = length(r1, y)
    if not s.captured and value(beta) == 0 then return results(s, x, 0) end
    local function constant(v)
      return type(beta) == "number" and v or cp.full({}, v, { dtype = "float64", device = s.b.device })
    end
    local old_beta, dbar, epsilon, phibar, cs, sn = nil, constant(0), constant(0), beta, constant(-1), constant(0)
    -- the square of the norm of the tridiagonal matrix, extremes of the triangular factor's diagonal
    local first, squares, largest, least, root = beta, constant(0), constant(0), constant(math.huge), nil
    local w, w2, r2 = cp.zeros_like(x), cp.zeros_like(x), r1
    local step = S.step(s.own, function(k)
      local v = y * narrow(quotient(constant(1), beta))
      y = times(v)
      if k >= 2 then y = y - r1 * narrow(quotient(beta, old_beta)) end
      local alpha = real(dot(v, y))
      y = y - r2 * narrow(quotient(alpha, beta))
      r1, r2 = r2, y
      y = s.precondition(r2)
      old_beta, beta = beta, length(r2, y)
      cp.eval(r2, alpha, beta)
      squares = squares + (alpha * alpha + old_beta * old_beta + beta * beta)
      local old_epsilon, delta, gbar = epsilon, cs * dbar + sn * alpha, sn * dbar - cs * alpha
      epsilon, dbar = sn * beta, -cs * beta
      local gamma = cp.sqrt(gbar * gbar + beta * beta)
      root = cp.sqrt(gbar * gbar + dbar * dbar)
      largest, least = cp.maximum(largest, gamma), cp.minimum(least, gamma)
      cs, sn = quotient(gbar, gamma), quotient(beta, gamma)
      local phi = cs * phibar
      phibar = sn * phibar
      cp.eval(old_epsilon, delta, epsilon, dbar, gamma, cs, sn, phi, phibar, squares, largest, least, root)
      local w1 = w2
      w2 = w
      w = (v - w1 * narrow(old_epsilon) - w2 * narrow(delta)) * narrow(quotient(constant(1), gamma))
      x = x + w * narrow(phi)
      cp.eval(x, w)
      return x, w, w2, r1, r2, y, beta, old_beta, dbar, epsilon, phibar, cs, sn, squares, largest, least, root, first
    end)
    local unit = cp.finfo(s.real).eps
    for k = 1, s.maxiter do
      step(k)
      if s.callback then s.callback(x) end
      if not s.captured and (k % s.period == 0 or k == s.maxiter) then
        core.check_interrupt(where)
        local left, size_A, size_x = math.abs(value(phibar)), math.sqrt(value(squares)), norm(x):item()
        if left ~= left then return results(s, x, k) end
        if show then
          print(string.format("step %d: residual %.3e, norm of A %.1e, condition %.1e", k, left, size_A,
            value(largest) / value(least)))
        end
        if is_minimal(left, value(root), size_A, size_x, rtol) or size_A * size_x * unit >= value(first)
          or value(largest) >= 0.1 / unit * value(least) or k == 1 and value(beta) <= 10 * unit * value(first) then
          return results(s, x, 0)
        end
      end
    end
    if s.captured then
      local size_A = cp.sqrt(squares)
      return solving.captured_results(s, x, cp.logical_or(cp.less_equal(root, size_A * rtol),
        cp.less_equal(cp.abs(phibar), size_A * norm(x):astype "float64" * rtol)))
    end
    return results(s, x, s.maxiter)
  end

  -- The method of minimal residuals, for hermitian matrices, also indefinite ones; solves (A - shift) x = b.
  -- show: prints each step at which convergence is checked; check: raises an error if A or M is not
  -- hermitian.
  publish("minres", MINRES, 2, function(where, A, b, x0, rtol, shift, maxiter, M, callback, show, check)
    return S.run(S.is_alone(A, M, callback), minres, where, A, b, x0, rtol, shift, maxiter, M, callback, show, check)
  end)
end
