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
    local s = { n = op.columns, b = b:reshape(-1):astype(dtype, false),
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
    local size = size_of(x)
    if size > 0 then x = x / size end
    cp.eval(x)
    return x, size
  end

  local function rotation(a, b)
    local r = math.sqrt(a * a + b * b)
    if r == 0 then return 1, 0, 0 end
    return a / r, b / r, r
  end

  -- Least squares of A x = b, also damped. Returns x, why it stopped (1: A x = b; 2: least squares; 7: too
  -- many steps), the number of steps, and the norms of the residual and of its product with the adjoint.
  publish("lsqr", "A, b, damp, atol, btol, conlim, iter_lim, x0", 2,
    function(where, A, b, damp, atol, btol, conlim, iter_lim, x0)
      local s = system(where, A, b, x0)
      damp = core.number(damp, where, "damp", 0)
      atol, btol = core.number(atol, where, "atol", 1e-6), core.number(btol, where, "btol", 1e-6)
      core.number(conlim, where, "conlim", 1e8)
      local limit = core.integer(iter_lim, where, "iter_lim", 2 * s.n)
      local x, size_b = s.x, size_of(s.b)
      local u, beta = unit(s.b)
      local v, alpha = unit(s.back(u))
      local w, phibar, rhobar, norm_A, rest = v, beta, alpha, 0, 0
      if alpha * beta == 0 then return x, 0, 0, beta, 0 end
      for k = 1, limit do
        core.check_interrupt(where)
        norm_A = norm_A + alpha * alpha
        u, beta = unit(s.forward(v) - u * alpha)
        norm_A = norm_A + beta * beta + damp * damp
        v, alpha = unit(s.back(u) - v * beta)
        local c1, s1, rhobar1 = rotation(rhobar, damp)
        rest = math.sqrt(rest * rest + (s1 * phibar) ^ 2)
        phibar = c1 * phibar
        local c, sn, rho = rotation(rhobar1, beta)
        local theta, phi = sn * alpha, c * phibar
        rhobar, phibar = -c * alpha, sn * phibar
        if rho > 0 then x, w = x + w * (phi / rho), v - w * (theta / rho) end
        cp.eval(x, w)
        local residual = math.sqrt(phibar * phibar + rest * rest)
        local gradient, size = alpha * math.abs(c * phibar), math.sqrt(norm_A)
        if residual <= btol * size_b + atol * size * size_of(x) then return x, 1, k, residual, gradient end
        if gradient <= atol * size * residual then return x, 2, k, residual, gradient end
        if k == limit then return x, 7, k, residual, gradient end
      end
      return x, 7, 0, beta, alpha * beta
    end)

  -- The same by lsmr, whose gradient falls steadily. Results as for lsqr.
  publish("lsmr", "A, b, damp, atol, btol, conlim, maxiter, x0", 2,
    function(where, A, b, damp, atol, btol, conlim, maxiter, x0)
      local s = system(where, A, b, x0)
      damp = core.number(damp, where, "damp", 0)
      atol, btol = core.number(atol, where, "atol", 1e-6), core.number(btol, where, "btol", 1e-6)
      core.number(conlim, where, "conlim", 1e8)
      local limit = core.integer(maxiter, where, "maxiter", math.min(#s.b, s.n))
      local x, size_b = s.x, size_of(s.b)
      local u, beta = unit(s.b)
      local v, alpha = unit(s.back(u))
      local zetabar, alphabar, rho, rhobar, cbar, sbar = alpha * beta, alpha, 1, 1, 1, 0
      local h, hbar = v, cp.zeros_like(v)
      local betadd, betad, rhodold, tautilde, thetatilde, zeta, d = beta, 0, 1, 0, 0, 0, 0
      local norm_A = alpha * alpha
      if alpha * beta == 0 then return x, 0, 0, beta, 0 end
      for k = 1, limit do
        core.check_interrupt(where)
        u, beta = unit(s.forward(v) - u * alpha)
        v, alpha = unit(s.back(u) - v * beta)
        local chat, shat, alphahat = rotation(alphabar, damp)
        local rhoold = rho
        local c, sn, rhonew = rotation(alphahat, beta)
        rho = rhonew
        local thetanew = sn * alpha
        alphabar = c * alpha
        local rhobarold, zetaold, thetabar, rhotemp = rhobar, zeta, sbar * rho, cbar * rho
        cbar, sbar, rhobar = rotation(cbar * rho, thetanew)
        zeta, zetabar = cbar * zetabar, -sbar * zetabar
        if rho == 0 or rhobar == 0 then return x, 2, k, 0, 0 end
        hbar = h - hbar * (thetabar * rho / (rhoold * rhobarold))
        x = x + hbar * (zeta / (rho * rhobar))
        h = v - h * (thetanew / rho)
        cp.eval(x, h, hbar)
        -- the norm of the residual
        local betaacute, betacheck = chat * betadd, -shat * betadd
        local betahat = c * betaacute
        betadd = -sn * betaacute
        local thetatildeold = thetatilde
        local ctilde, stilde, rhotilde = rotation(rhodold, thetabar)
        thetatilde, rhodold = stilde * rhobar, ctilde * rhobar
        betad = -stilde * betad + ctilde * betahat
        tautilde = (zetaold - thetatildeold * tautilde) / rhotilde
        local taud = (zeta - thetatilde * tautilde) / rhodold
        d = d + betacheck * betacheck
        local residual = math.sqrt(d + (betad - taud) ^ 2 + betadd * betadd)
        norm_A = norm_A + beta * beta
        local size, gradient = math.sqrt(norm_A), math.abs(zetabar)
        norm_A = norm_A + alpha * alpha
        if residual <= btol * size_b + atol * size * size_of(x) then return x, 1, k, residual, gradient end
        if gradient <= atol * size * residual then return x, 2, k, residual, gradient end
        if k == limit or rhotemp ~= rhotemp then return x, 7, k, residual, gradient end
      end
      return x, 7, 0, beta, alpha * beta
    end)
end
