-- Least squares by the bidiagonalisation of Golub and Kahan. lsqr: Paige and Saunders (1982). lsmr: Fong and
-- Saunders (2011). Both need the operator's adjoint products.

return function(cp, core, S, publish)
  local raise_shape, usage = core.raise_shape, core.usage

  local function size_of(x) return S.length(x):item() end

  local function system(where, A, b, x0)
    local op = S.operator(where, A, "A")
    b = core.as_array(b, where, "b")
    if b.size ~= op.rows or b.ndim > 2 then
      raise_shape(where, string.format("A has %d rows and b %d elements", op.rows, b.size))
    end
    if not op.products.rmatvec then usage(where, "A must have rmatvec, the product with its adjoint") end
    local dtype = S.solving_dtype(op.dtype and cp.promote_types(op.dtype, b.dtype) or b.dtype)
    local s = { own = S.is_alone(A), n = op.columns, b = b:reshape(-1):astype(dtype, false),
      forward = function(x) return op.products.matvec(x):astype(dtype, false) end,
      back = function(x) return op.products.rmatvec(x):astype(dtype, false) end }
    s.x = cp.zeros({ op.columns }, { dtype = dtype, device = b.device })
    if x0 ~= nil then
      local start = core.as_array(x0, where, "x0", b)
      if start.size ~= op.columns then
        raise_shape(where, string.format("x0 has %d elements, not %d", start.size, op.columns))
      end
      s.x = start:reshape(-1):astype(dtype)
      s.b = s.b - s.forward(s.x)
    end
    return s
  end

  -- The next pair of vectors of the bidiagonalisation; those of size 0 stay 0.
  local function unit(x)
    local size = S.length(x)
    cp.eval(x, size)
    size = size:item()
    if size > 0 then x = x / size end
    cp.eval(x)
    return x, size
  end

  local function rotation(a, b)
    local r = math.sqrt(a * a + b * b)
    if r == 0 then return 1, 0, 0 end
    return a / r, b / r, r
  end

  -- ---- when to stop

  local EPSILON = 2 ^ -52

  -- The options that both have.
  local function tolerances(where, atol, btol, conlim, show)
    conlim = core.number(conlim, where, "conlim", 1e8)
    return { atol = core.number(atol, where, "atol", 1e-6), btol = core.number(btol, where, "btol", 1e-6),
      ctol = conlim > 0 and 1 / conlim or 0, show = core.boolean(show, where, "show", false) }
  end

  -- Why to stop (SciPy's istop), or 0. of_system: the residual's norm as a share of b's; of_squares: that
  -- of the gradient as a share of A's and the residual's; condition: an estimate of A's; fit: what A x may
  -- add to the residual's tolerance, as a share of b's norm.
  local function reason(tol, last, of_system, of_squares, condition, fit)
    local inverse = 1 / condition
    if of_system <= tol.btol + tol.atol * fit then return 1 end
    if of_squares <= tol.atol then return 2 end
    if inverse <= tol.ctol then return 3 end
    if 1 + of_system / (1 + fit) <= 1 then return 4 end
    if 1 + of_squares <= 1 then return 5 end
    if 1 + inverse <= 1 then return 6 end
    return last and 7 or 0
  end

  local function tell(tol, k, residual, gradient, size, condition)
    if not tol.show then return end
    print(string.format("step %d: residual %.3e, gradient %.3e, norm of A %.1e, condition %.1e", k, residual, gradient,
      size, condition))
  end

  -- f, whose arrays are freed but for those that it returns.
  local function in_scope(f)
    return function(where, A, ...) return S.run(S.is_alone(A), f, where, A, ...) end
  end

  -- ---- lsqr

  -- Estimates the norm of x from the bidiagonal matrix's rotations: call it with each step's rho, theta and
  -- phi. Returns the norm, and the square of that of the part that later steps leave.
  local function norm_of_solution()
    local c, s, z, sum = -1, 0, 0, 0
    return function(rho, theta, phi)
      local rest, bar = phi - s * rho * z, -c * rho
      local size = math.sqrt(sum + (rest / bar) ^ 2)
      local gamma = math.sqrt(bar * bar + theta * theta)
      c, s, z = bar / gamma, theta / gamma, rest / gamma
      sum = sum + z * z
      return size, sum
    end
  end

  -- Least squares of A x = b, also damped. Returns x, why it stopped (1: A x = b; 2: least squares; 3: A's
  -- condition exceeds conlim; 4 to 6: the same as far as numbers go; 7: too many steps), the number of
  -- steps, the norms of b - A x and of the damped residual, estimates of A's norm and condition, the
  -- gradient's norm, that of x, and, with calc_var, the variances of x's elements, else zeros. show: prints
  -- each step.
  publish("lsqr", "A, b, damp, atol, btol, conlim, iter_lim, show, calc_var, x0", 2,
    in_scope(function(where, A, b, damp, atol, btol, conlim, iter_lim, show, calc_var, x0)
      local s = system(where, A, b, x0)
      damp = core.number(damp, where, "damp", 0)
      local tol = tolerances(where, atol, btol, conlim, show)
      calc_var = core.boolean(calc_var, where, "calc_var", false)
      local limit = core.integer(iter_lim, where, "iter_lim", 2 * s.n)
      local x, size_b = s.x, size_of(core.as_array(b, where, "b"))
      local variances = cp.zeros({ s.n }, { dtype = core.real_dtype(x.dtype), device = x.device })
      local u, beta = unit(s.b)
      local v, alpha = unit(s.back(u))
      local w, phibar, rhobar, norm_A, rest, inverses = v, beta, alpha, 0, 0, 0
      if alpha * beta == 0 then return x, 0, 0, beta, beta, 0, 0, alpha * beta, 0, variances end
      local measure = norm_of_solution()
      local bidiagonalise = S.step(s.own, function()
        u, beta = unit(s.forward(v) - u * alpha)
        if beta > 0 then v, alpha = unit(s.back(u) - v * beta) end
        return u, v
      end)
      local update = S.step(s.own, function(rho, theta, phi)
        local part = w * (1 / rho)
        local size = S.length(part)
        if calc_var then variances = variances + cp.square(cp.abs(part)) end
        x, w = x + w * (phi / rho), v - w * (theta / rho)
        cp.eval(x, w, variances, size)
        inverses = inverses + size:item() ^ 2
        return x, w, variances
      end)
      for k = 1, limit do
        core.check_interrupt(where)
        norm_A = norm_A + alpha * alpha
        bidiagonalise()
        norm_A = norm_A + beta * beta + damp * damp
        local c1, s1, rhobar1 = rotation(rhobar, damp)
        rest = rest + (s1 * phibar) ^ 2
        phibar = c1 * phibar
        local c, sn, rho = rotation(rhobar1, beta)
        local theta, phi = sn * alpha, c * phibar
        rhobar, phibar = -c * alpha, sn * phibar
        update(rho, theta, phi)
        local size_x, square = measure(rho, theta, phi)
        local residual = math.sqrt(phibar * phibar + rest)
        local gradient, size = alpha * math.abs(sn * phi), math.sqrt(norm_A)
        local condition, own = size * math.sqrt(inverses), residual
        if damp > 0 then
          local left = residual * residual - damp * damp * square
          own = left < 0 and -math.sqrt(-left) or math.sqrt(left)
        end
        local stop = reason(tol, k == limit, residual / size_b, gradient / (size * residual + EPSILON),
          condition + EPSILON, size * size_x / size_b)
        tell(tol, k, residual, gradient, size, condition)
        if stop ~= 0 or residual ~= residual then
          return x, stop, k, own, residual, size, condition, gradient, size_x, variances
        end
      end
      return x, 0, 0, beta, beta, 0, 0, alpha * beta, 0, variances
    end))

  -- ---- lsmr

  -- Estimates the residual's norm: call it with each step's rotations (of the damping, and of the bidiagonal
  -- matrix) and its thetabar, rhobar and zetas.
  local function norm_of_residual(beta)
    local betadd, betad, rhodold, tautilde, thetatilde, d = beta, 0, 1, 0, 0, 0
    return function(chat, shat, c, sn, thetabar, rhobar, zetaold, zeta)
      local betaacute, betacheck = chat * betadd, -shat * betadd
      local betahat, before = c * betaacute, thetatilde
      betadd = -sn * betaacute
      local ctilde, stilde, rhotilde = rotation(rhodold, thetabar)
      thetatilde, rhodold = stilde * rhobar, ctilde * rhobar
      betad = -stilde * betad + ctilde * betahat
      tautilde = (zetaold - before * tautilde) / rhotilde
      local taud = (zeta - thetatilde * tautilde) / rhodold
      d = d + betacheck * betacheck
      return math.sqrt(d + (betad - taud) ^ 2 + betadd * betadd)
    end
  end

  -- The same by lsmr, whose gradient falls steadily. Returns x, why it stopped, as lsqr, the number of steps,
  -- the norms of the residual and of the gradient, estimates of A's norm and condition, and the norm of x.
  publish("lsmr", "A, b, damp, atol, btol, conlim, maxiter, show, x0", 2,
    in_scope(function(where, A, b, damp, atol, btol, conlim, maxiter, show, x0)
      local s = system(where, A, b, x0)
      damp = core.number(damp, where, "damp", 0)
      local tol = tolerances(where, atol, btol, conlim, show)
      local limit = core.integer(maxiter, where, "maxiter", math.min(#s.b, s.n))
      local x, size_b = s.x, size_of(core.as_array(b, where, "b"))
      local u, beta = unit(s.b)
      local v, alpha = unit(s.back(u))
      local zetabar, alphabar, rho, rhobar, cbar, sbar, zeta = alpha * beta, alpha, 1, 1, 1, 0, 0
      local h, hbar, size_x = v, cp.zeros_like(v), nil
      local norm_A, most, least, measure = alpha * alpha, 0, 1e100, norm_of_residual(beta)
      if alpha * beta == 0 or limit < 1 then return x, 0, 0, beta, alpha * beta, alpha, 1, 0 end
      local bidiagonalise = S.step(s.own, function()
        u, beta = unit(s.forward(v) - u * alpha)
        if beta > 0 then v, alpha = unit(s.back(u) - v * beta) end
        return u, v
      end)
      local update = S.step(s.own, function(of_hbar, of_x, of_h)
        hbar = h - hbar * of_hbar
        x = x + hbar * of_x
        h = v - h * of_h
        local size = S.length(x)
        cp.eval(x, h, hbar, size)
        size_x = size:item()
        return x, h, hbar
      end)
      for k = 1, limit do
        core.check_interrupt(where)
        bidiagonalise()
        local chat, shat, alphahat = rotation(alphabar, damp)
        local rhoold, rhobarold, zetaold = rho, rhobar, zeta
        local c, sn
        c, sn, rho = rotation(alphahat, beta)
        local thetanew, thetabar, rhotemp = sn * alpha, sbar * rho, cbar * rho
        alphabar = c * alpha
        cbar, sbar, rhobar = rotation(rhotemp, thetanew)
        zeta, zetabar = cbar * zetabar, -sbar * zetabar
        update(thetabar * rho / (rhoold * rhobarold), zeta / (rho * rhobar), thetanew / rho)
        local residual = measure(chat, shat, c, sn, thetabar, rhobar, zetaold, zeta)
        norm_A = norm_A + beta * beta
        local size, gradient = math.sqrt(norm_A), math.abs(zetabar)
        norm_A = norm_A + alpha * alpha
        most = math.max(most, rhobarold)
        if k > 1 then least = math.min(least, rhobarold) end
        local condition = math.max(most, rhotemp) / math.min(least, rhotemp)
        local of_squares = size * residual ~= 0 and gradient / (size * residual) or math.huge
        local stop = reason(tol, k == limit, residual / size_b, of_squares, condition, size * size_x / size_b)
        tell(tol, k, residual, gradient, size, condition)
        if stop ~= 0 or residual ~= residual then return x, stop, k, residual, gradient, size, condition, size_x end
      end
    end))
end
