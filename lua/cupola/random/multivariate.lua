-- Multivariate distributions, with vectors along the last axis.

return function(cp, core, define, groups)
  local all = groups.all

  -- The request's shape with another axis of length n.
  local function with_axis(r, n)
    local shape = {}
    for k, length in ipairs(r.shape or {}) do shape[k] = length end
    shape[#shape + 1] = n
    return shape
  end

  define.add("dirichlet", all, "alpha, size, dtype", 1, function(r, alpha, size, dtype)
    alpha = r:parameter(alpha, "alpha")
    if not cp.is_array(alpha) or alpha.ndim ~= 1 or alpha.size == 0 then
      r:fail("alpha must be a vector that is not empty")
    end
    if not alpha:gt(0):all() then r:fail("alpha must be positive") end
    local small = not alpha:ge(0.25):all()
    r:floating(dtype)
    r:place(size, {})
    r.device = alpha.device
    -- evaluated, since it is read twice
    local function draws(kind) return r:draw(kind, alpha, nil, nil, with_axis(r, alpha.size)):eval() end
    local parts
    if small then -- all numbers of a row may underflow, but not their logarithms
      local logs = draws "log_gamma"
      parts = cp.exp(logs - logs:max { axis = -1, keepdims = true })
    else
      parts = draws "gamma"
    end
    return r:finish(parts / parts:sum { axis = -1, keepdims = true })
  end)

  -- Draws one binomial after the other from the remaining trials.
  define.add("multinomial", all, "n, pvals, size", 2, function(r, n, pvals, size)
    n = core.integer(n, r.where, "n")
    if n < 0 then r:fail "n must not be negative" end
    local p = core.as_array(pvals, r.where, "pvals")
    if p.ndim ~= 1 or p.size == 0 then r:fail "pvals must be a vector that is not empty" end
    p = p:astype("float64"):totable()
    r:integral()
    r:place(size, {})
    local left = 1
    local result = cp.zeros(with_axis(r, #p), { dtype = "int64", device = r.device })
    local rest = cp.full(r.shape or {}, n, { dtype = "float64", device = r.device })
    for k, v in ipairs(p) do
      if not (v >= 0 and v <= 1) then r:fail(string.format("pvals[%d] must be from 0 to 1, but is %.14g", k, v)) end
      if k < #p then
        if v > left + 1e-12 then r:fail "pvals have a sum above 1" end
        local taken = left > 0 and r:draw("binomial", rest, math.min(v / left, 1)) or cp.zeros_like(rest)
        core.write(r.where, result[{ cp.ellipsis, k }], taken:astype("int64"))
        rest, left = rest - taken, left - v
      end
    end
    core.write(r.where, result[{ cp.ellipsis, #p }], rest:astype("int64"))
    return result
  end)

  -- ---- multivariate_normal

  -- The Cholesky factor L with L L^T = c of a list of rows. A pivot that is 0 up to rounding gives a column
  -- of zeros. Nil if c is not positive semi-definite.
  local function cholesky(c, n, tolerance)
    local rows, largest = {}, 0
    for i = 1, n do largest = math.max(largest, math.abs(c[i][i])) end
    for i = 1, n do
      rows[i] = {}
      for j = 1, n do rows[i][j] = 0 end
      for j = 1, i do
        local sum = c[i][j]
        for k = 1, j - 1 do sum = sum - rows[i][k] * rows[j][k] end
        if i == j then
          if sum ~= sum or sum < -tolerance * largest then return nil end
          rows[i][i] = sum > tolerance * largest and math.sqrt(sum) or 0
        elseif rows[j][j] > 0 then
          rows[i][j] = sum / rows[j][j]
        elseif sum ~= sum or math.abs(sum) > tolerance * largest then
          return nil
        end
      end
    end
    return rows
  end

  local function covariance(r, cov, n, tolerance)
    cov = core.as_array(cov, r.where, "cov")
    if not cov:has_shape(n, n) then
      local wrong = string.format("cov must have shape (%d, %d), not %s", n, n, tostring(cov.shape))
      core.raise(r.where, "shape", wrong)
    end
    cov = cov:astype "float64"
    if not cp.allclose(cov, cov.T, tolerance, tolerance) then r:fail "cov must be symmetric" end
    return cholesky(cov:totable(), n, tolerance) or r:fail "cov must be positive semi-definite"
  end

  -- The covariance is factored on the host.
  define.add("multivariate_normal", all, "mean, cov, size, tol, dtype", 2, function(r, mean, cov, size, tol, dtype)
    mean = r:parameter(mean, "mean")
    if not cp.is_array(mean) or mean.ndim ~= 1 then r:fail "mean must be a vector" end
    local n = mean.size
    local rows = covariance(r, cov, n, tol == nil and 1e-8 or tol)
    r:floating(dtype)
    r:place(size, {})
    r.device = mean.device
    local z = r:draw("normal", 1, nil, nil, with_axis(r, n))
    local x = cp.zeros(z.shape, { dtype = r.work, device = r.device }) + mean
    for k = 1, n do -- a column of L times the k-th number
      local column = {}
      for i = 1, n do column[i] = rows[i][k] end
      column = cp.array(column, { dtype = r.work, device = r.device })
      x = x + z[{ cp.ellipsis, { k, k } }] * column
    end
    return r:finish(x)
  end)
end
