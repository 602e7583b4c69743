-- cp.scipy.special: special functions. Some are operations of the table (special.h, bessel_orders.h,
-- incomplete.h and beta.h of kernels/prelude); others are composed of pending operations, which fuse with
-- other operations. Each computes in the dtype that SciPy's function has a loop for (core.dtype_of_loops):
-- most in float64 unless all arrays are float32 ("double"), others in float32 if that holds all values of the
-- arrays' dtypes ("single").

return function(cp, core)
  local special = {}
  local publish = core.publisher(special, "scipy.special.")
  cp.scipy.special = special

  -- ---- operations of the table

  local ARGUMENTS = { jn = "n, x", yn = "n, x", gammainc = "a, x", gammaincc = "a, x", binom = "n, k", beta = "a, b",
    betaln = "a, b" } -- of others x

  local function operation(name, op, loops)
    local arguments = ARGUMENTS[name]
    local compute = core.operation("scipy.special." .. name, op or "special_" .. name, loops or "double")
    publish(name, (arguments or "x") .. ", out", arguments and 2 or 1, compute)
  end

  for _, name in ipairs { "j0", "j1", "y0", "y1", "i0", "i0e", "i1", "i1e", "ndtr", "erfcx", "gammainc",
    "gammaincc", "beta", "betaln" } do
    operation(name)
  end
  for _, name in ipairs { "erfinv", "erfcinv", "ndtri", "jn", "binom" } do
    operation(name, nil, "single")
  end
  operation("yn", nil, "order")
  operation("erf", "erf")
  operation("erfc", "erfc")
  operation("gammaln", "lgamma")
  operation("cbrt", "cbrt")
  operation("exp2", "exp2")
  operation("expm1", "expm1")
  operation("log1p", "log1p")
  operation("sinc", "sinc", "table")

  --- The modified Bessel function of order 0: NumPy's name for cp.scipy.special.i0.
  ---@param x any
  ---@return any  floating array
  core.publish("i0", "x", 1, core.operation("i0", "special_i0"))

  -- ---- compositions

  -- A floating array, or a number.
  local function floating(x, where, argument, may_be_complex)
    if core.is_scalar(x) and not cp.is_array(x) then x = cp.array(x) end
    x = core.as_array(x, where, argument)
    local kind = core.kind(x.dtype)
    if kind == "c" and not may_be_complex then core.raise(where, "dtype", "is not defined for " .. x.dtype) end
    return (kind == "f" or kind == "c") and x or x:astype "float64"
  end

  -- The complex dtype to compute these arrays in, if one is complex: complex64 if all are that. numbers:
  -- which were numbers.
  local function complex_dtype(values, numbers)
    local any, single, arrays = false, true, 0
    for k, v in ipairs(values) do
      any = any or core.kind(v) == "c"
      if not numbers[k] then single, arrays = single and v.dtype == "complex64", arrays + 1 end
    end
    if any then return single and arrays > 0 and "complex64" or "complex128" end
  end

  -- Converts the arguments to arrays of the dtype to compute in, and returns whether all are numbers; numbers
  -- take the dtype of arrays.
  local function operands(where, names, loops, may_be_complex, ...)
    local values, numbers, plain = {}, {}, true
    for k, name in ipairs(names) do
      local v = (select(k, ...))
      values[k], numbers[k] = floating(v, where, name, may_be_complex), core.is_scalar(v)
      plain = plain and numbers[k]
    end
    local dtype = complex_dtype(values, numbers) or core.dtype_of_loops(where, loops, unpack({ ... }, 1, #names))
    for k, v in ipairs(values) do values[k] = v:astype(dtype or "float64", false) end
    return values, plain
  end

  -- f on floating arrays and, if may_be_complex, complex ones, with the arguments (where, x...[, out]); for
  -- Lua numbers it returns a number. loops: "double" if nil.
  local function composed(names, f, loops, may_be_complex)
    local list = {}
    for word in string.gmatch(names, "%w+") do list[#list + 1] = word end
    local n = #list
    return function(where, ...)
      local out = (select(n + 1, ...))
      local values, plain = operands(where, list, loops or "double", may_be_complex, ...)
      local result = f(unpack(values))
      if out ~= nil then return core.write_out(where, out, result, true) end
      return plain and result:item() or result
    end, n
  end

  -- Defines NAME(x...[, out]) so.
  local function compose(name, names, ...)
    local compute, n = composed(names, ...)
    publish(name, names .. ", out", n, compute)
  end

  compose("expit", "x", function(x) return 1 / (1 + cp.exp(-x)) end)
  compose("log_expit", "x", function(x) return cp.minimum(x, 0) - cp.log1p(cp.exp(-cp.abs(x))) end)
  -- Near 1/2, by log1p of x / (1 - x) - 1.
  compose("logit", "x", function(x)
    local near = cp.log1p((2 * x - 1) / (1 - x))
    return cp.where(cp.less(cp.abs(x - 0.5), 0.2), near, cp.log(x / (1 - x)))
  end)

  local function nan_or_zero(x) return x * 0 end -- 0 unless x is nan or infinite

  compose("xlogy", "x, y", function(x, y)
    return cp.where(cp.logical_and(x:eq(0), y:eq(y)), 0, x * cp.log(y))
  end, nil, true)
  compose("xlog1py", "x, y", function(x, y)
    return cp.where(cp.logical_and(x:eq(0), y:eq(y)), 0, x * cp.log1p(y))
  end, nil, true)

  local complex = core.load "scipy/complex"(cp, core, compose)

  local riemann, zeta = core.load "scipy/zeta"(cp, core, complex)
  riemann, zeta = composed("x", riemann, "double", true), composed("x, q", zeta, "single", true)
  publish("zeta", "x, q, out", 1, function(where, x, q, out)
    if q == nil then return riemann(where, x, out) end
    if core.kind(floating(q, where, "q", true)) == "c" then core.raise(where, "dtype", "takes no complex q") end
    return zeta(where, x, q, out)
  end)

  core.load "scipy/exponential_integrals"(cp, core, complex)
  core.load "scipy/digamma"(cp, core, complex)
  core.load "scipy/loggamma"(cp, core, complex)
  compose("entr", "x", function(x)
    return cp.where(x:gt(0), -x * cp.log(x), cp.where(x:lt(0), -cp.inf, nan_or_zero(x)))
  end, "single")

  local function relative_entropy(x, y, inside, at_zero)
    local both = cp.logical_and(x:gt(0), y:gt(0))
    local zero = cp.logical_and(x:eq(0), y:ge(0))
    local other = cp.where(cp.logical_or(x:ne(x), y:ne(y)), cp.scalar(cp.nan, x.dtype), cp.inf)
    return cp.where(both, inside, cp.where(zero, at_zero, other))
  end
  -- Near 1 by log1p, which keeps digits; by two logarithms where the quotient leaves the range of the dtype.
  compose("rel_entr", "x, y", function(x, y)
    local ratio, least = x / y, cp.finfo(x.dtype).tiny
    local near = cp.logical_and(ratio:gt(0.5), ratio:lt(2))
    local within = cp.logical_and(ratio:gt(least), ratio:lt(cp.inf))
    local log = cp.where(within, cp.log(ratio), cp.log(x) - cp.log(y))
    return relative_entropy(x, y, x * cp.where(near, cp.log1p((x - y) / y), log), nan_or_zero(x))
  end, "single")
  compose("kl_div", "x, y", function(x, y)
    return relative_entropy(x, y, x * cp.log(x / y) - x + y, y)
  end, "single")

  compose("log_ndtr", "x", function(x)
    -- Where the distribution function underflows, by the asymptotic series of erfc.
    local z = 1 / cp.square(x)
    local series = 1 - z * (1 - 3 * z * (1 - 5 * z * (1 - 7 * z * (1 - 9 * z))))
    local far = -0.5 * cp.square(x) - cp.log(-x) - 0.91893853320467274 + cp.log(series)
    local upper = cp.log1p(-special.ndtr(-x))
    return cp.where(x:lt(x.dtype == "float64" and -35 or -12), far, cp.where(x:gt(1), upper, cp.log(special.ndtr(x))))
  end)

  local lgamma, gamma = special.gammaln, special.gamma

  -- ---- distribution functions, by incomplete gamma and beta functions

  -- The incomplete beta function of x and y = 1 - x, computed from the smaller one.
  local share = core.operation("scipy.special.betainc", "special_betainc")
  compose("betainc", "a, b, x", function(a, b, x) return share(a, b, x, 1 - x) end, "single")

  -- p / (p + q) and q / (p + q), also where one of them is infinite
  local function odds(p, q)
    local below = p:lt(q)
    local ratio = cp.where(below, p / q, q / p)
    local major = 1 / (1 + ratio)
    local minor = ratio * major
    return cp.where(below, minor, major), cp.where(below, major, minor)
  end

  local function where_all(result, first, ...)
    for _, condition in ipairs { ... } do first = cp.logical_and(first, condition) end
    return cp.where(first, result, cp.nan)
  end

  compose("pdtr", "k, m", function(k, m)
    return where_all(special.gammaincc(cp.floor(k) + 1, m), k:ge(0))
  end, "single")
  compose("bdtr", "k, n, p", function(k, n, p)
    k = cp.floor(k)
    local beyond = cp.floor(n) - k
    local certain = where_all(nan_or_zero(p) + 1, p:ge(0), p:le(1))
    local result = cp.where(beyond:eq(0), certain, share(beyond, k + 1, 1 - p, p))
    return where_all(result, k:ge(0), beyond:ge(0), n:lt(cp.inf))
  end, "single")
  compose("fdtr", "dfn, dfd, x", function(dfn, dfd, x)
    local below, above = odds(dfn * x, dfd)
    local result = where_all(share(0.5 * dfn, 0.5 * dfd, below, above), dfn:lt(cp.inf), dfd:lt(cp.inf))
    return where_all(cp.where(x:eq(cp.inf), 1, result), dfn:gt(0), dfd:gt(0), x:ge(0))
  end, "single")
  -- From the middle if t is near 0, else from the tail; one function serves both.
  compose("stdtr", "df, t", function(df, t)
    local near, half = cp.abs(t):lt(1), 0.5 * df
    local inside, outside = odds(cp.square(t), df)
    local part = 0.5 * share(cp.where(near, 0.5, half), cp.where(near, half, 0.5), cp.where(near, inside, outside),
      cp.where(near, outside, inside))
    local result = cp.where(near, 0.5 + cp.copysign(part, t), cp.where(t:lt(0), part, 1 - part))
    return where_all(cp.where(df:eq(cp.inf), special.ndtr(t), result), df:gt(0))
  end, "single")

  -- ---- powers and exponentials that keep digits

  compose("exp10", "x", function(x) return cp.power(cp.scalar(10, x.dtype), x) end)
  compose("cosm1", "x", function(x) return -2 * cp.square(cp.sin(0.5 * x)) end)
  compose("exprel", "x", function(x)
    return cp.where(x:eq(0), 1, cp.where(x:eq(cp.inf), x, cp.expm1(x) / x))
  end)
  -- The logarithm is the limit of x^lmbda / lmbda - 1 / lmbda as lmbda goes to 0. Where the power overflows,
  -- the quotient may not.
  compose("boxcox", "x, lmbda", function(x, lmbda)
    local log, most = cp.log(x), math.log(cp.finfo(x.dtype).max)
    local power = lmbda * log
    local large = cp.copysign(cp.exp(power - cp.log(cp.abs(lmbda))), lmbda) - 1 / lmbda
    return cp.where(lmbda:eq(0), log, cp.where(power:lt(most), cp.expm1(power) / lmbda, large))
  end, "single")
  compose("inv_boxcox", "y, lmbda", function(y, lmbda)
    local product = lmbda * y
    local large = cp.log(cp.copysign(1, lmbda) * (y + 1 / lmbda)) + cp.log(cp.abs(lmbda))
    local log = cp.where(product:lt(cp.inf), cp.log1p(product), large) / lmbda
    return cp.where(lmbda:eq(0), cp.exp(y), cp.exp(log))
  end, "single")
  compose("huber", "delta, r", function(delta, r)
    local off = cp.abs(r)
    local loss = cp.where(off:le(delta), 0.5 * cp.square(r), delta * (off - 0.5 * delta))
    return cp.where(delta:lt(0), cp.inf, loss)
  end, "single")

  -- ---- functions related to gamma

  compose("polygamma", "n, x", function(n, x)
    local sign = cp.where(cp.mod(n, 2):eq(0), cp.scalar(-1, x.dtype), 1)
    return cp.where(n:eq(0), special.digamma(x), sign * gamma(n + 1) * special.zeta(n + 1, x))
  end)

  publish("multigammaln", "a, d", 2, function(where, a, d)
    local plain = core.is_scalar(a)
    a = floating(a, where, "a"):astype("float64", false)
    d = core.integer(d, where, "d", nil, 1, 100000)
    local sum = d * (d - 1) * 0.25 * math.log(math.pi)
    for k = 0, d - 1 do sum = lgamma(a - 0.5 * k) + sum end
    sum = cp.where(a:gt(0.5 * (d - 1)), sum, cp.nan)
    return plain and sum:item() or sum
  end)

  -- ---- along axes

  local function finite_or_zero(m) return cp.where(cp.isfinite(m), m, 0) end

  --- log of the sum of b * exp(a) along axes, without overflow. a and b may be complex.
  publish("logsumexp", "a, axis, b, keepdims, return_sign", 1, function(where, a, axis, b, keepdims, return_sign)
    local given = a
    a = floating(a, where, "a", true)
    keepdims = core.boolean(keepdims, where, "keepdims", false)
    return_sign = core.boolean(return_sign, where, "return_sign", false)
    if b ~= nil then
      b = floating(b, where, "b", true)
      local own = cp.is_array(given) and given or a -- small integers take the dtype of b
      a = cp.where(b:eq(0), -cp.inf, a):astype(cp.promote_types(own, b), false)
    end
    local most = finite_or_zero(cp.real(a):max { axis = axis, keepdims = true, initial = -cp.inf })
    local parts = cp.exp(a - most)
    if b ~= nil then parts = parts * b end
    local sum = parts:sum { axis = axis, keepdims = true }
    local result = (return_sign and cp.log(cp.abs(sum)) or cp.log(sum)) + most
    if not keepdims then
      result, sum = cp.squeeze(result, axis), cp.squeeze(sum, axis)
    end
    if not return_sign then return result end
    return cp.real(result), core.kind(sum) == "c" and cp.where(sum:eq(0), 0, sum / cp.abs(sum)) or cp.sign(sum)
  end)

  -- x in the dtype of its exponentials, which are complex if x is: that of int8 is float16.
  local function exponents(x, where)
    if core.is_scalar(x) and not cp.is_array(x) then x = cp.array(x) end
    x = core.as_array(x, where, "x")
    return core.is_inexact(x) and x or x:astype(cp.exp(cp.zeros(0, x.dtype)).dtype)
  end

  publish("softmax", "x, axis", 1, function(where, x, axis)
    x = exponents(x, where)
    local parts = cp.exp(x - x:max { axis = axis, keepdims = true })
    return parts / parts:sum { axis = axis, keepdims = true }
  end)

  -- Of complex x, the element with the largest real part is subtracted whole: its imaginary part decides
  -- about the branch of the logarithm.
  publish("log_softmax", "x, axis", 1, function(where, x, axis)
    x = exponents(x, where)
    local shifted = x - finite_or_zero(x:max { axis = axis, keepdims = true })
    return shifted - cp.log(cp.exp(shifted):sum { axis = axis, keepdims = true })
  end)
end
