-- The zeta functions of Riemann and Hurwitz. Of real values they are operations of the table; Riemann's of
-- complex ones is the Euler-Maclaurin formula in the right half-plane, and reflection elsewhere (NIST's
-- Digital Library of Mathematical Functions, 25.2.9 and 25.4.1).

return function(cp, core, complex)
  local special = cp.scipy.special
  local real_riemann = core.operation("scipy.special.zeta", "special_riemann", "double")
  local hurwitz = core.operation("scipy.special.zeta", "special_zeta", "single")

  -- ---- the right half-plane

  local TERMS = 16 -- of the Euler-Maclaurin formula
  local FAR, SUM_ONLY = 8, 200 -- from this real part on so many terms of the sum are all there is
  local MOST = 1e9 -- the largest imaginary part; above it sums take too long

  -- B(2k) / (2k)!.
  local COEFFICIENTS = { 1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160 }
  for k = 6, TERMS do
    local sum = 1
    for n = 2, 40 do sum = sum + n ^ (-2 * k) end
    COEFFICIENTS[k] = (k % 2 == 1 and 2 or -2) * sum / (2 * math.pi) ^ (2 * k)
  end

  local CHUNK = 2 ^ 22 -- powers are added up in pieces of about so many

  -- The sum of k^-z, k from 1 to n, for a vector z.
  local function powers(z, n)
    local sum, step = 1, math.max(math.floor(CHUNK / z.size), 1)
    local column = cp.expand_dims(z, 2)
    for first = 2, n, step do
      local k = cp.arange(first, math.min(first + step, n + 1), { dtype = "float64", device = z.device })
      sum = (sum + cp.exp(-column * cp.log(k)):sum(2)):eval()
    end
    return sum
  end

  -- The sum of the terms from n on, with half of the n-th.
  local function rest(z, n)
    local power, first = cp.exp(-z * math.log(n)), n / (z - 1) + 0.5
    local factor, sum = z / n, cp.zeros_like(z)
    for k = 1, TERMS do
      sum = sum + COEFFICIENTS[k] * factor
      factor = factor * ((z + (2 * k - 1)) / n) * ((z + 2 * k) / n)
    end
    return power * (first + sum)
  end

  -- Of a vector z with real parts from 1/2 on: elements with imaginary parts up to 32, 128, 512... each with
  -- a sum as long as they need.
  local function right(z)
    local value, size = cp.full_like(z, cp.complex(cp.nan, cp.nan)), cp.abs(z.imag)
    local far = z.real:ge(FAR)
    if far:any() then value[far] = powers(z[far], SUM_ONLY) end
    local bound, below = 32, -1
    while below < MOST do
      local here = cp.logical_and(cp.logical_not(far), cp.logical_and(size:gt(below), size:le(math.min(bound, MOST))))
      if here:any() then
        local n = bound / 2 + 20
        value[here] = powers(z[here], n - 1) + rest(z[here], n)
      end
      if not size:gt(bound):any() then break end
      bound, below = bound * 4, bound
    end
    return value
  end

  -- ---- reflection

  local function reflected(z)
    local other, log_sine = 1 - z, complex.log_sine("scipy.special.zeta", 0.5 * z.real, 0.5 * z.imag)
    local factor = cp.exp(math.log(2) - other * math.log(2 * cp.pi) + log_sine + special.loggamma(other))
    local value = right(other)
    return cp.where(cp.abs(value - 1):lt(2 ^ -54), factor, factor * value) -- an infinite factor stays so
  end

  local function of_complex(z)
    local flat = z:astype("complex128", false):reshape(-1)
    local value, left = cp.zeros_like(flat), flat.real:lt(0.5)
    for _, side in ipairs { { left, reflected }, { cp.logical_not(left), right } } do
      if side[1]:any() then value[side[1]] = side[2](flat[side[1]]) end
    end
    local on_axis = cp.where(flat.imag:eq(0), real_riemann(flat.real):astype "complex128", value)
    return on_axis:reshape(z.shape):astype(z.dtype, false)
  end

  local function riemann(x) return core.kind(x) == "c" and of_complex(x) or real_riemann(x) end

  -- With a second argument: of complex x Riemann's where it is 1, and nan off the real axis elsewhere.
  local function of_two(x, q)
    if core.kind(x) ~= "c" then return hurwitz(x, q) end
    x, q = cp.broadcast_arrays(x, q.real)
    local on_axis = cp.where(x.imag:eq(0), hurwitz(x.real, q):astype(x.dtype), cp.complex(cp.nan, cp.nan))
    return cp.where(q:eq(1), of_complex(x), on_axis):astype(x.dtype, false)
  end

  return riemann, of_two
end
