-- Polynomials as lists of coefficients, highest power first, or as objects of cp.poly1d (poly1d.lua).
-- Functions that return polynomials return objects if an argument is one.

return function(cp, core, methods)
  local function coefficients(p, where, argument)
    if core.is_poly1d(p) then return p.coeffs end
    p = core.as_array(p, where, argument)
    if p.ndim > 1 then
      core.raise(where, "shape", argument .. " must have one axis, not shape " .. tostring(p.shape))
    end
    return p.ndim == 0 and p:reshape({ 1 }) or p
  end

  -- Coefficients without leading zeros; at least one remains.
  local function trimmed(c)
    local at = cp.flatnonzero(c)
    if at.size == 0 then return cp.zeros({ 1 }, { dtype = c.dtype, device = c.device }) end
    return core.slice(c, 1, at[1], c.size)
  end

  -- The dtype that quotients are computed in: float64 for integers.
  local function inexact(dtype)
    return core.is_inexact(dtype) and dtype or "float64"
  end

  local function zeros(n, like, dtype) return cp.zeros({ n }, { dtype = dtype or like.dtype, device = like.device }) end

  -- Converts coefficients to what the arguments a and b are: an object if one of them is.
  local function in_kind(result, a, b)
    local like = core.is_poly1d(a) and a or core.is_poly1d(b) and b
    return like and core.new_poly1d(result, like.variable) or result
  end

  --- Evaluates a polynomial, p[1] * x^(n-1) + ... + p[n], at each x.
  ---@param p any  coefficients, highest power first; a table of numbers is weak in promotion
  ---@param x any
  ---@return any
  core.publish("polyval", "p, x", 2, function(where, p, x)
    local list = {}
    if core.is_poly1d(p) then p = p.coeffs end
    if type(p) == "table" then
      for k, c in ipairs(p) do
        if not core.is_scalar(c) then core.raise(where, "usage", "p must be a table of numbers, or a vector") end
        list[k] = c
      end
    else
      p = coefficients(p, where, "p")
      for k = 1, p.size do list[k] = p:at(k) end
    end
    if not core.is_scalar(x) then x = core.as_array(x, where, "x") end
    local y = cp.is_array(x) and cp.zeros_like(x) or 0
    for k = 1, #list do y = cp.add(cp.multiply(y, x), list[k]) end
    return y
  end)

  local function aligned(where, one, two, operation)
    local a1, a2 = coefficients(one, where, "a1"), coefficients(two, where, "a2")
    local n, dtype = math.max(a1.size, a2.size), cp.promote_types(a1.dtype, a2.dtype)
    local function widened(a)
      if a.size == n then return a end
      local wide = zeros(n, a, dtype)
      core.slice(wide, 1, n - a.size + 1, n):assign(a)
      return wide
    end
    return in_kind(operation(widened(a1), widened(a2)), one, two)
  end

  --- The sum of two polynomials.
  ---@param a1 any
  ---@param a2 any
  ---@return any
  core.publish("polyadd", "a1, a2", 2, function(where, a1, a2) return aligned(where, a1, a2, cp.add) end)

  --- The difference of two polynomials.
  ---@param a1 any
  ---@param a2 any
  ---@return any
  core.publish("polysub", "a1, a2", 2, function(where, a1, a2) return aligned(where, a1, a2, cp.subtract) end)

  --- The product of two polynomials, whose leading zeros are ignored.
  ---@param a1 any
  ---@param a2 any
  ---@return any
  core.publish("polymul", "a1, a2", 2, function(where, one, two)
    local a1, a2 = trimmed(coefficients(one, where, "a1")), trimmed(coefficients(two, where, "a2"))
    if a1.size < a2.size then a1, a2 = a2, a1 end
    local result = zeros(a1.size + a2.size - 1, a1, cp.promote_types(a1.dtype, a2.dtype))
    for k = 1, a2.size do core.slice(result, 1, k, k + a1.size - 1):add_(a1 * a2:at(k)) end
    return in_kind(result, one, two)
  end)

  local function order_of(where, m)
    return core.integer(m, where, "m", 1, 0, 10000) -- the factorial of 171 is infinite
  end

  --- The m-th derivative of a polynomial.
  ---@param p any
  ---@param m? integer  default 1
  ---@return any
  core.publish("polyder", "p, m", 1, function(where, given, m)
    local p = coefficients(given, where, "p")
    for _ = 1, order_of(where, m) do
      local n = math.max(p.size - 1, 0)
      local factors = cp.range(n, 1, -1, { dtype = core.is_inexact(p) and p.dtype or "int64",
        device = p.device })
      p = core.slice(p, 1, 1, n) * factors
    end
    return in_kind(p, given)
  end)

  --- The m-th antiderivative of a polynomial.
  ---@param p any
  ---@param m? integer  default 1
  ---@param k? any  constants of integration, a number or a table of m; default 0
  ---@return any
  core.publish("polyint", "p, m, k", 1, function(where, given, m, k)
    local p = coefficients(given, where, "p")
    m = order_of(where, m)
    if k == nil or core.is_scalar(k) then
      local one = k == nil and 0 or k
      k = {}
      for i = 1, m do k[i] = one end
    end
    if type(k) ~= "table" or #k < m then
      core.raise(where, "usage", "k must be a number or a table of m numbers")
    end
    for i = 1, m do
      local n = p.size
      local dtype = cp.result_type(inexact(p.dtype), k[i])
      local result = zeros(n + 1, p, dtype)
      if n > 0 then
        core.slice(result, 1, 1, n):assign((p / cp.range(n, 1, -1, { dtype = "float64",
          device = p.device })):astype(dtype))
      end
      core.slice(result, 1, n + 1, n + 1):fill(k[i])
      p = result
    end
    return in_kind(p, given)
  end)

  local NEAR = 1e-8 -- the tolerance with which NumPy drops leading coefficients of a remainder

  -- Whether element k of a floating or complex vector is 0 within `tolerance`.
  local function is_zero(p, k, tolerance)
    local z = p:at(k):item()
    if type(z) == "number" then return math.abs(z) <= (tolerance or 0) end
    return z.re * z.re + z.im * z.im <= (tolerance or 0) ^ 2
  end

  --- The quotient and the remainder of two polynomials; the remainder has no leading zeros.
  ---@param u any
  ---@param v any  its first coefficient must not be 0
  ---@return any q
  ---@return any r
  core.publish("polydiv", "u, v", 2, function(where, one, two)
    local u, v = coefficients(one, where, "u"), coefficients(two, where, "v")
    if u.size == 0 or v.size == 0 then core.raise(where, "shape", "u and v must not be empty") end
    local dtype = cp.promote_types(inexact(u.dtype), inexact(v.dtype))
    local steps, n = u.size - v.size + 1, v.size
    local q, r, divisor = zeros(math.max(steps, 1), u, dtype), u:astype(dtype), v:astype(dtype, false)
    if is_zero(divisor, 1) then core.raise(where, "usage", "the first coefficient of v must not be 0") end
    for k = 1, steps do
      local d = core.slice(r, 1, k, k) / core.slice(divisor, 1, 1, 1)
      core.slice(q, 1, k, k):assign(d)
      core.slice(r, 1, k, k + n - 1):subtract_(divisor * d)
    end
    local from = math.min(math.max(steps, 0) + 1, r.size)
    while from < r.size and is_zero(r, from, NEAR) do from = from + 1 end
    return in_kind(q, one, two), in_kind(core.slice(r, 1, from, r.size):copy(), one, two)
  end)

  --- The roots of a polynomial: the eigenvalues of its companion matrix.
  ---@param p any
  ---@return any  real if all roots are, else complex
  core.publish("roots", "p", 1, function(where, p)
    p = coefficients(p, where, "p")
    p = p:astype(inexact(p.dtype), false)
    local first, last = 1, p.size
    while first <= last and is_zero(p, first) do first = first + 1 end
    while last > first and is_zero(p, last) do last = last - 1 end
    local degree, behind = last - first, p.size - last
    local found
    if degree > 0 then
      local companion = cp.eye(degree, degree, -1, { dtype = p.dtype, device = p.device })
      core.slice(companion, 1, 1, 1):assign(-core.slice(p, 1, first + 1, last) / core.slice(p, 1, first, first))
      found = cp.linalg.eigvals(companion)
    end
    if first > last then return zeros(0, p, "float64") end
    local none = zeros(behind, p, found and found.dtype or "float64")
    return found and cp.concatenate { found, none } or none
  end)

  local WIDE = { float16 = "float64", bfloat16 = "float64" }

  --- The polynomial with these roots and leading coefficient 1; for a square matrix its characteristic
  --- polynomial.
  ---@param seq any  roots, or a square matrix
  ---@return any  real if complex roots come in conjugate pairs
  core.publish("poly", "seq", 1, function(where, seq)
    seq = core.as_array(seq, where, "seq")
    if seq.ndim == 2 and core.extent(seq, 1) == core.extent(seq, 2) and seq.size > 0 then
      seq = cp.linalg.eigvals(seq)
    else
      seq = coefficients(seq, where, "seq")
    end
    local dtype = WIDE[seq.dtype] or inexact(seq.dtype)
    local result = cp.ones({ 1 }, { dtype = dtype, device = seq.device })
    for k = 1, seq.size do
      local wide = zeros(k + 1, seq, dtype)
      core.slice(wide, 1, 1, k):assign(result)
      core.slice(wide, 1, 2, k + 1):subtract_(result * core.slice(seq, 1, k, k))
      result = wide
    end
    local paired = core.kind(dtype) == "c" and cp.array_equal(cp.sort(seq), cp.sort(cp.conj(seq)))
    return paired and result.real:copy() or result
  end)

  --- The Vandermonde matrix: columns of powers of x.
  ---@param x any  vector
  ---@param N? integer  number of columns; default: the length of x
  ---@param increasing? boolean  whether powers increase from left to right; default false
  ---@return any  in the promoted dtype of x and int64
  core.publish("vander", "x, N, increasing", 1, function(where, x, N, increasing)
    x = core.as_array(x, where, "x")
    if x.ndim ~= 1 then core.raise(where, "shape", "x must be a vector, not of shape " .. x.shape) end
    N = core.integer(N, where, "N", #x)
    if N < 0 then core.raise(where, "usage", string.format("N must not be negative, but is %d", N)) end
    local wide = cp.promote_types(x, "int64")
    local powers = cp.arange(N, { dtype = "int64", device = x.device })
    if not core.boolean(increasing, where, "increasing", false) then powers = N - 1 - powers end
    return x:astype(wide, false):reshape({ #x, 1 }) ^ powers:astype(core.real_dtype(wide), false)
  end)
  methods.vander = cp.vander

  core.load("analysis/poly1d")(cp, core, trimmed)
end
