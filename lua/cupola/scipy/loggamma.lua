-- The gamma function, its reciprocal and its logarithm. Of real values they are operations of the table; of
-- complex ones the logarithm is Stirling's series far from 0, after recurrence from nearer, Taylor series at
-- its zeros 1 and 2, and reflection to the right half-plane (Hare 1997, "Computing the principal branch of
-- log-Gamma"; NIST's Digital Library of Mathematical Functions, 5.5, 5.7.3 and 5.11.1); the others are its
-- exponentials. The branch is cut along the negative axis only, so the recurrence adds principal logarithms.

return function(cp, core, complex)
  local special = cp.scipy.special
  local real_gamma = core.operation("scipy.special.gamma", "gamma", "double")
  local real_logarithm = core.operation("scipy.special.loggamma", "lgamma", "double")

  -- B(2k) / (2k (2k - 1)) for k from 1 on.
  local STIRLING = { 1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400 }
  local LARGE, NEAR = 7, 0.2 -- where the series reach float64

  local function stirling(z)
    local inverse, tail = 1 / z, cp.zeros_like(z)
    local square = inverse * inverse
    for k = #STIRLING, 2, -1 do tail = (tail + STIRLING[k]) * square end
    return (z - 0.5) * cp.log(z) - z + 0.5 * math.log(2 * math.pi) + (tail + STIRLING[1]) * inverse
  end

  -- In the right half-plane, and farther left than that where the imaginary part is large.
  local function by_series(z, far)
    local sum = cp.zeros_like(z)
    for k = 0, LARGE - 1 do sum = sum + cp.log(z + k) end
    return stirling(cp.where(far, z, z + LARGE)) - cp.where(far, 0, sum)
  end

  -- At 1 + step.
  local function near_one(step)
    local sum = cp.zeros_like(step)
    for n = 24, 2, -1 do sum = (sum + special.zeta(n, 1) * (n % 2 == 0 and 1 or -1) / n) * step end
    return (sum - 0.57721566490153286) * step
  end

  local function logarithm(z)
    local far = cp.logical_or(z.real:gt(LARGE), cp.abs(z.imag):gt(LARGE))
    local left = cp.logical_and(z.real:lt(0.1), cp.logical_not(far))
    local right = cp.where(left, 1 - z, z)
    local value = by_series(right, cp.logical_or(far, right.real:gt(LARGE)))
    for shift = 1, 2 do
      local step = right - shift
      local near = cp.abs(step):lt(NEAR)
      if near:any() then
        local part = step[near]
        value[near] = shift == 1 and near_one(part) or near_one(part) + cp.log1p(part)
      end
    end
    if left:any() then
      local part = z[left]
      local turns = cp.copysign(2 * cp.pi, part.imag) * cp.floor(0.5 * part.real + 0.25)
      value[left] = complex.with_parts("loggamma", cp.full_like(turns, math.log(math.pi)), turns)
        - complex.log_sine("loggamma", part.real, part.imag) - value[left]
    end
    return cp.where(complex.is_pole(z), cp.complex(cp.nan, cp.nan), value)
  end

  -- The gamma function; of complex values, too, nan at its poles there.
  complex.define("gamma", real_gamma, function(z) return cp.exp(logarithm(z)) end, "double")
  -- 1 / gamma(x), which is 0 at the poles of gamma.
  complex.define("rgamma", function(x)
    return cp.where(cp.logical_and(x:le(0), cp.floor(x):eq(x)), 0, 1 / real_gamma(x))
  end, function(z) return cp.where(complex.is_pole(z), 0, cp.exp(-logarithm(z))) end, "double")
  -- The principal branch of the logarithm of gamma: nan for negative real values (see gammaln), not of
  -- negative complex ones.
  complex.define("loggamma", function(x) return cp.where(x:lt(0), cp.nan, real_logarithm(x)) end, logarithm, "double")
end
