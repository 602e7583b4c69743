-- Polynomials as lists of coefficients, the highest power first.

return function(cp, core)
  local function coefficients(p, where, argument)
    p = core.as_array(p, where, argument)
    if p.ndim > 1 then
      core.raise(where, "shape", argument .. " must have one axis, not shape " .. tostring(p.shape))
    end
    return p.ndim == 0 and p:reshape({ 1 }) or p
  end

  local function zeros(n, like, dtype) return cp.zeros({ n }, { dtype = dtype or like.dtype, device = like.device }) end

  --- The value of a polynomial, p[1] * x^(n-1) + ... + p[n], at each x.
  ---@param p any  coefficients, the highest power first; a table of numbers is weak in promotion
  ---@param x any
  ---@return any
  cp.polyval = core.define("polyval", "p, x", 2, function(p, x)
    local list = {}
    if type(p) == "table" then
      for k, c in ipairs(p) do
        if not core.is_scalar(c) then core.raise("polyval", "usage", "p must be a table of numbers, or a vector") end
        list[k] = c
      end
    else
      p = coefficients(p, "polyval", "p")
      for k = 1, p.size do list[k] = p:at(k) end
    end
    if not core.is_scalar(x) then x = core.as_array(x, "polyval", "x") end
    local y = cp.multiply(x, 0)
    if list[1] ~= nil then y = cp.add(y, list[1]) end
    for k = 2, #list do y = cp.add(cp.multiply(y, x), list[k]) end
    return y
  end)

  local function aligned(where, a1, a2, operation)
    a1, a2 = coefficients(a1, where, "a1"), coefficients(a2, where, "a2")
    local n, dtype = math.max(a1.size, a2.size), cp.promote_types(a1.dtype, a2.dtype)
    local function widened(a)
      if a.size == n then return a end
      local wide = zeros(n, a, dtype)
      core.slice(wide, 1, n - a.size + 1, n):assign(a)
      return wide
    end
    return operation(widened(a1), widened(a2))
  end

  --- The sum of two polynomials.
  ---@param a1 any
  ---@param a2 any
  ---@return any
  cp.polyadd = core.define("polyadd", "a1, a2", 2, function(a1, a2) return aligned("polyadd", a1, a2, cp.add) end)

  --- The difference of two polynomials.
  ---@param a1 any
  ---@param a2 any
  ---@return any
  cp.polysub = core.define("polysub", "a1, a2", 2, function(a1, a2) return aligned("polysub", a1, a2, cp.subtract) end)

  --- The product of two polynomials.
  ---@param a1 any
  ---@param a2 any
  ---@return any
  cp.polymul = core.define("polymul", "a1, a2", 2, function(a1, a2)
    a1, a2 = coefficients(a1, "polymul", "a1"), coefficients(a2, "polymul", "a2")
    if a1.size < a2.size then a1, a2 = a2, a1 end
    local result = zeros(math.max(1, a1.size + a2.size - 1), a1, cp.promote_types(a1.dtype, a2.dtype))
    for k = 1, a2.size do core.slice(result, 1, k, k + a1.size - 1):add_(a1 * a2:at(k)) end
    return result
  end)

  local function order_of(where, m)
    m = core.integer(m, where, "m", 1)
    if m < 0 then core.raise(where, "usage", ("m must not be negative, but is %d"):format(m)) end
    return m
  end

  --- The m-th derivative of a polynomial.
  ---@param p any
  ---@param m? integer  default 1
  ---@return any
  cp.polyder = core.define("polyder", "p, m", 1, function(p, m)
    p, m = coefficients(p, "polyder", "p"), order_of("polyder", m)
    for _ = 1, m do
      if p.size == 0 then return p end
      local n = p.size - 1
      p = core.slice(p, 1, 1, n) * cp.range(n, 1, -1, { dtype = core.kind(p) == "b" and "int64" or p.dtype,
        device = p.device })
    end
    return p
  end)

  --- The m-th antiderivative of a polynomial.
  ---@param p any
  ---@param m? integer  default 1
  ---@param k? any  constants of integration, a number or a table of m; default 0
  ---@return any
  cp.polyint = core.define("polyint", "p, m, k", 1, function(p, m, k)
    p, m = coefficients(p, "polyint", "p"), order_of("polyint", m)
    if k == nil or core.is_scalar(k) then
      local one = k == nil and 0 or k
      k = {}
      for i = 1, m do k[i] = one end
    end
    if type(k) ~= "table" or #k < m then
      core.raise("polyint", "usage", "k must be a number or a table of m numbers")
    end
    for i = 1, m do
      local n = p.size
      local dtype = cp.result_type(core.floating(p.dtype), k[i])
      local result = zeros(n + 1, p, dtype)
      if n > 0 then
        core.slice(result, 1, 1, n):assign((p / cp.range(n, 1, -1, { dtype = "float64",
          device = p.device })):astype(dtype))
      end
      core.slice(result, 1, n + 1, n + 1):fill(k[i])
      p = result
    end
    return p
  end)
end
